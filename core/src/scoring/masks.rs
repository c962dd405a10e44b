//! Where each token of a gold stands, a bit a token: what the bounds share.

use rustc_hash::FxHashMap;

use super::counts::TooLarge;
use crate::text::tokens::Token;

/// Machine words that one page's tables may take: 256 MiB.
pub(super) const MAX_WORDS: usize = 1 << 25;

/// The places of each token of a gold.
pub(super) struct Masks {
    words: usize,
    /// The number of the row of a token.
    numbers: FxHashMap<Token, u32>,
    bits: Vec<u64>,
}

impl Masks {
    pub(super) fn new(gold: impl ExactSizeIterator<Item = Token>) -> Result<Self, TooLarge> {
        let words = gold.len().div_ceil(64);
        let mut masks = Masks { words, numbers: FxHashMap::default(), bits: Vec::new() };
        for (place, token) in gold.enumerate() {
            let number = masks.numbers.len() as u32;
            let row = *masks.numbers.entry(token).or_insert(number) as usize * words;
            if row == masks.bits.len() {
                if row + words > MAX_WORDS {
                    return Err(TooLarge);
                }
                masks.bits.resize(row + words, 0);
            }
            masks.bits[row + place / 64] |= 1 << (place % 64);
        }
        Ok(masks)
    }

    /// Words a row.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// The number of the row of `token`; `None` where it is not in the gold.
    pub(super) fn number(&self, token: Token) -> Option<u32> {
        self.numbers.get(&token).copied()
    }

    /// The places of `token`; `None` where it is not in the gold.
    pub(super) fn row(&self, token: Token) -> Option<&[u64]> {
        Some(&self.bits[self.number(token)? as usize * self.words..][..self.words])
    }

    /// Every row, one after the other.
    pub(super) fn bits(self) -> Vec<u64> {
        self.bits
    }
}

/// Takes the bit-parallel LCS (see `text::lcs`) on by a token whose places are `mask`: a zero bit is a place of the
/// gold at which the common subsequence grows.
pub(super) fn advance(state: &mut [u64], mask: &[u64]) {
    let mut carry = false;
    for (value, mask) in state.iter_mut().zip(mask) {
        let hits = *value & mask;
        let (sum, over) = value.carrying_add(hits, carry);
        *value = sum | (*value ^ hits);
        carry = over;
    }
}

/// Machine words that one step of a sweep takes together: their carries stay in the processor's flag.
const BLOCK: usize = 4;

/// Tokens that one sweep over the state takes together: it is loaded and stored once for all of them.
const ROWS: usize = 4;

/// The same for tokens one after the other, whose places are `rows`.
pub(super) fn advance_all<'m>(state: &mut [u64], mut rows: impl Iterator<Item = &'m [u64]>) {
    loop {
        let next: [Option<&[u64]>; ROWS] = std::array::from_fn(|_| rows.next());
        let [Some(first), Some(second), Some(third), Some(fourth)] = next else {
            return next.into_iter().flatten().for_each(|row| advance(state, row));
        };
        sweep(state, [first, second, third, fourth]);
    }
}

fn sweep(state: &mut [u64], rows: [&[u64]; ROWS]) {
    let mut carries = [false; ROWS];
    let (blocks, rest) = state.as_chunks_mut::<BLOCK>();
    let rows = rows.map(|row| row.as_chunks::<BLOCK>());
    for (at, block) in blocks.iter_mut().enumerate() {
        step(block, rows.map(|(blocks, _)| &blocks[at]), &mut carries);
    }
    for (at, word) in rest.iter_mut().enumerate() {
        step(std::array::from_mut(word), rows.map(|(_, rest)| std::array::from_ref(&rest[at])), &mut carries);
    }
}

/// [`advance`] for some words and for each row, with the carries from the words below.
#[inline(always)]
fn step<const W: usize>(state: &mut [u64; W], rows: [&[u64; W]; ROWS], carries: &mut [bool; ROWS]) {
    let mut values = *state;
    for (row, carry) in rows.into_iter().zip(carries) {
        let mut carried = *carry;
        for (value, mask) in values.iter_mut().zip(row) {
            let hits = *value & mask;
            let (sum, over) = value.carrying_add(hits, carried);
            *value = sum | (*value ^ hits);
            carried = over;
        }
        *carry = carried;
    }
    *state = values;
}

/// How many of the first `bits` bits are zero.
pub(super) fn zeros(state: &[u64], bits: usize) -> usize {
    let (whole, rest) = (bits / 64, bits % 64);
    let of_whole: u32 = state[..whole].iter().map(|word| word.count_zeros()).sum();
    let of_rest = if rest == 0 { 0 } else { (!state[whole] & !(!0 << rest)).count_ones() };
    (of_whole + of_rest) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_sweep_is_one_token_after_the_other(
            words in 1..11usize,
            drawn in proptest::collection::vec(proptest::collection::vec(any::<u64>(), 11), 0..11),
        ) {
            let rows = || drawn.iter().map(|row| &row[..words]);
            let [mut one, mut all] = [vec![!0; words], vec![!0; words]];
            rows().for_each(|row| advance(&mut one, row));
            advance_all(&mut all, rows());
            prop_assert_eq!(all, one);
        }
    }
}
