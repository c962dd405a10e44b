//! How much the search on one page may cost: counted in steps, never in time.

use crate::scoring::TooLarge;

/// Steps that the search for one page's best segments may take. A step is a machine word of the gold (64 tokens) that
/// one token of the text is held against.
///
/// They are one to three seconds. Real pages of 180 000 characters take a fifth of them at most.
pub(super) const MAX_STEPS: usize = 1 << 30;

/// Steps that a place of the gold takes which is looked at by itself.
pub(super) const PLACE_STEPS: usize = 8;

/// What is left of them.
pub(super) struct Work {
    left: usize,
}

impl Work {
    pub(super) fn new(most: usize) -> Self {
        Work { left: most }
    }

    /// Takes `steps` for each of `words`.
    pub(super) fn spend(&mut self, steps: usize, words: usize) -> Result<(), TooLarge> {
        let left = steps.checked_mul(words).and_then(|steps| self.left.checked_sub(steps));
        self.left = left.ok_or(TooLarge)?;
        Ok(())
    }
}
