//! How much the search on one page may cost: counted in steps, never in time.

use crate::scoring::TooLarge;

/// Steps that the search for one page's best segments may take. A step is a machine word of the gold (64 tokens) that
/// one token of the text is held against; what takes longer than that is counted as several.
///
/// Real pages take less than a tenth of them: the most of 1 123 pages of five corpora is 1.5 * 10^8. What is refused is
/// mostly a long page whose gold it does not hold in its own order: then nearly every place of the text can stand at
/// nearly every one of the gold.
const MAX_STEPS: usize = 1 << 31;

/// What is left of them.
pub(super) struct Work {
    left: usize,
}

impl Work {
    pub(super) fn new() -> Self {
        Work { left: MAX_STEPS }
    }

    /// Takes `steps` for each of `words`.
    pub(super) fn spend(&mut self, steps: usize, words: usize) -> Result<(), TooLarge> {
        let left = steps.checked_mul(words).and_then(|steps| self.left.checked_sub(steps));
        self.left = left.ok_or(TooLarge)?;
        Ok(())
    }

    /// No more than `left` steps.
    #[cfg(test)]
    pub(super) fn of(left: usize) -> Self {
        Work { left }
    }

    /// The steps that were taken.
    #[cfg(test)]
    pub(super) fn spent(&self) -> usize {
        MAX_STEPS - self.left
    }
}
