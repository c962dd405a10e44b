//! Where each token of a gold stands, a bit a token: what the bounds share.

use rustc_hash::FxHashMap;

use super::TooLarge;
use crate::text::tokens::Token;

/// Machine words that one page's tables may take: 256 MiB.
pub(super) const MAX_WORDS: usize = 1 << 25;

/// The places of each token of a gold.
pub(super) struct Masks {
    words: usize,
    /// Where the row of a token begins.
    rows: FxHashMap<Token, usize>,
    bits: Vec<u64>,
}

impl Masks {
    pub(super) fn new(gold: impl ExactSizeIterator<Item = Token>) -> Result<Self, TooLarge> {
        let words = gold.len().div_ceil(64);
        let mut masks = Masks { words, rows: FxHashMap::default(), bits: Vec::new() };
        for (place, token) in gold.enumerate() {
            let row = *masks.rows.entry(token).or_insert(masks.bits.len());
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

    /// The places of `token`; `None` where it is not in the gold.
    pub(super) fn row(&self, token: Token) -> Option<&[u64]> {
        let row = *self.rows.get(&token)?;
        Some(&self.bits[row..row + self.words])
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

/// How many of the first `bits` bits are zero.
pub(super) fn zeros(state: &[u64], bits: usize) -> usize {
    let (whole, rest) = (bits / 64, bits % 64);
    let of_whole: u32 = state[..whole].iter().map(|word| word.count_zeros()).sum();
    let of_rest = if rest == 0 { 0 } else { (!state[whole] & !(!0 << rest)).count_ones() };
    (of_whole + of_rest) as usize
}
