//! Tokens to small numbers: the rows of a table of masks.

use crate::text::tokens::Token;

/// No symbol.
const NONE: u32 = u32::MAX;

/// Tokens of a block: neighbours of a script, or words that came one after the other.
const BLOCK: usize = 1 << BLOCK_BITS;
const BLOCK_BITS: u32 = 8;

/// The distinct tokens of a text, numbered in order of first appearance. Tokens are characters and the
/// numbers of words, so they lie close together, and a table in two levels is small and quicker than
/// hashing.
pub(super) struct Symbols {
    /// For each block of tokens where its numbers begin; 0, where none is known, for a block without symbols.
    blocks: Vec<u32>,
    /// The numbers of the tokens of a block, block after block.
    numbers: Vec<u32>,
    count: u32,
}

impl Symbols {
    /// The symbols of `tokens`, and each token's number.
    pub(super) fn of(tokens: &[Token]) -> (Self, Vec<u32>) {
        let last = tokens.iter().copied().max().map_or(0, block);
        let mut symbols = Symbols { blocks: vec![0; last + 1], numbers: vec![NONE; BLOCK], count: 0 };
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
            let start = self.blocks.get(block(token)).copied().unwrap_or(0);
            // Written first and kept or not afterwards: which tokens are known is hard to foretell.
            ids[length] = self.numbers[start as usize + token as usize % BLOCK];
            length += usize::from(ids[length] != NONE);
        }
        ids.truncate(length);
        ids
    }

    #[inline]
    fn number(&mut self, token: Token) -> u32 {
        let start = &mut self.blocks[block(token)];
        if *start == 0 {
            *start = self.numbers.len() as u32;
            self.numbers.resize(self.numbers.len() + BLOCK, NONE);
        }
        let number = &mut self.numbers[*start as usize + token as usize % BLOCK];
        // Without a branch: whether a token is new is hard to foretell.
        let new = *number == NONE;
        *number = if new { self.count } else { *number };
        self.count += u32::from(new);
        *number
    }
}

fn block(token: Token) -> usize {
    token as usize >> BLOCK_BITS
}
