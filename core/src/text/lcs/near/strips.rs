//! Some rows of the table over some of its columns, bit by bit.

use std::ops::Range;

/// Words that one step takes together: their carries stay in the processor's flag.
const WORDS: usize = 4;

/// Steps of a strip.
const STEPS: usize = 4;

/// Rows of a strip.
const ROWS: usize = 64 * WORDS * STEPS;

/// Columns that one step takes together: the state is loaded and stored once for all of them.
const COLUMNS: usize = 4;

/// A bit for each row of a strip.
type Bits = [[u64; WORDS]; STEPS];

/// Both texts, and the masks of one strip of the gold at a time.
pub(super) struct Strips<'t> {
    gold: &'t [u32],
    text: &'t [u32],
    /// The rows of each symbol.
    masks: Vec<Bits>,
}

impl<'t> Strips<'t> {
    pub(super) fn new(gold: &'t [u32], text: &'t [u32], symbols: usize) -> Self {
        Strips { gold, text, masks: vec![[[0; WORDS]; STEPS]; symbols] }
    }

    /// The tokens of the gold and of the text: rows and columns.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.gold.len(), self.text.len())
    }

    /// Fills `rows` of the table in `columns`, of which the first is a multiple of 64.
    ///
    /// Bit `j` of `steps` is one where the length grows by one from column `j` to the next, at first above the rows and
    /// then below them. Bit `i` of `left` is zero where it grows by one below row `i` of these, at the first column.
    pub(super) fn run(&mut self, rows: Range<usize>, columns: Range<usize>, left: &[u64], steps: &mut [u64]) {
        let text = &self.text[columns.clone()];
        let steps = &mut steps[columns.start / 64..columns.end.div_ceil(64)];
        for (gold, left) in self.gold[rows].chunks(ROWS).zip(left.chunks(WORDS * STEPS)) {
            for (row, &id) in gold.iter().enumerate() {
                self.masks[id as usize].as_flattened_mut()[row / 64] |= 1 << (row % 64);
            }
            // Rows behind the last one match nothing, and change nothing in what is below them.
            let mut state = [[!0; WORDS]; STEPS];
            state.as_flattened_mut()[..left.len()].copy_from_slice(left);
            sweep(state, text, &self.masks, steps);
            for &id in gold {
                self.masks[id as usize] = [[0; WORDS]; STEPS];
            }
        }
    }
}

/// A strip through all the tokens of `text`.
fn sweep(mut state: Bits, text: &[u32], masks: &[Bits], steps: &mut [u64]) {
    for (ids, steps) in text.chunks(64).zip(steps) {
        let (chunks, rest) = ids.as_chunks::<COLUMNS>();
        let (mut entering, mut leaving) = (*steps, 0);
        for (i, chunk) in chunks.iter().enumerate() {
            let masks = chunk.map(|id| &masks[id as usize]);
            leaving |= columns(&mut state, masks, entering) << (COLUMNS * i);
            entering >>= COLUMNS;
        }
        for (i, &id) in rest.iter().enumerate() {
            leaving |= columns(&mut state, [&masks[id as usize]], entering >> i) << (COLUMNS * chunks.len() + i);
        }
        *steps = leaving;
    }
}

/// `C` columns after each other, with the carries that enter above and the ones that leave below.
#[inline(always)]
fn columns<const C: usize>(state: &mut Bits, masks: [&Bits; C], entering: u64) -> u64 {
    let mut carries: [bool; C] = std::array::from_fn(|column| entering >> column & 1 == 1);
    for (i, words) in state.iter_mut().enumerate() {
        let mut values = *words;
        for (mask, carry) in masks.iter().zip(&mut carries) {
            *carry = step(&mut values, &mask[i], *carry);
        }
        *words = values;
    }
    carries.iter().rev().fold(0, |bits, &carry| bits << 1 | u64::from(carry))
}

/// `V := (V + (V & M)) | (V & !M)`, with the carry from the words below and to those above.
#[inline(always)]
fn step(state: &mut [u64; WORDS], mask: &[u64; WORDS], mut carry: bool) -> bool {
    for (value, mask) in state.iter_mut().zip(mask) {
        let hits = *value & mask;
        let (sum, over) = value.carrying_add(hits, carry);
        *value = sum | (*value ^ hits);
        carry = over;
    }
    carry
}
