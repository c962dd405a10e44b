//! Tokens to small numbers: the rows of a table of masks.

use crate::text::tokens::Token;

/// No symbol.
const NONE: u32 = u32::MAX;

/// 2^64 divided by the golden ratio: multiplied by it, tokens in a row spread over the high bits.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// The distinct tokens of a text, numbered in order of first appearance. A hash table with open
/// addressing, at most half full.
pub(super) struct Symbols {
    /// A token and its number; [`NONE`] where the slot is free.
    slots: Vec<(Token, u32)>,
    /// The high bits of a hash that are a slot are those above this many.
    shift: u32,
    count: u32,
}

impl Symbols {
    /// The symbols of `tokens`, and each token's number.
    pub(super) fn of(tokens: &[Token]) -> (Self, Vec<u32>) {
        let size = (2 * tokens.len()).next_power_of_two().max(2);
        let mut symbols = Symbols { slots: vec![(0, NONE); size], shift: 64 - size.trailing_zeros(), count: 0 };
        let ids = tokens.iter().map(|&token| symbols.number(token)).collect();
        (symbols, ids)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.count as usize
    }

    /// The numbers of those of `tokens` that are symbols: the others can match nothing.
    pub(super) fn known(&self, tokens: &[Token]) -> Vec<u32> {
        let mut ids = vec![0; tokens.len()];
        let mut length = 0;
        for &token in tokens {
            // Written first and kept or not afterwards: which tokens are known is hard to foretell.
            ids[length] = self.slots[self.slot(token)].1;
            length += usize::from(ids[length] != NONE);
        }
        ids.truncate(length);
        ids
    }

    fn number(&mut self, token: Token) -> u32 {
        let slot = self.slot(token);
        if self.slots[slot].1 == NONE {
            self.slots[slot] = (token, self.count);
            self.count += 1;
        }
        self.slots[slot].1
    }

    /// The slot of `token`, or the free one that it would take.
    fn slot(&self, token: Token) -> usize {
        let mut slot = (u64::from(token).wrapping_mul(SPREAD) >> self.shift) as usize;
        loop {
            let (known, id) = self.slots[slot];
            if known == token || id == NONE {
                return slot;
            }
            slot = (slot + 1) % self.slots.len();
        }
    }
}
