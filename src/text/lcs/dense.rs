//! Every word of every symbol: for texts whose symbols recur.

use std::ops::Range;

/// Tokens of the extraction that one sweep over the state takes together: the state is loaded and
/// stored once for all of them, and their carry chains overlap.
const ROWS: usize = 4;

/// Words that one step of a sweep takes together: their carries stay in the processor's flag.
const BLOCK: usize = 4;

pub(super) struct Dense {
    /// Words a symbol.
    words: usize,
    /// `masks[id * words + i]`, bit `b`: token `64 i + b` is `id`.
    masks: Vec<u64>,
}

impl Dense {
    pub(super) fn new(ids: &[u32], symbols: usize) -> Self {
        let words = ids.len().div_ceil(64);
        let mut masks = vec![0; words * symbols];
        for (i, &id) in ids.iter().enumerate() {
            masks[id as usize * words + i / 64] |= 1 << (i % 64);
        }
        Dense { words, masks }
    }

    /// Takes `state`, which is that of `words`, through the tokens `ids`.
    pub(super) fn run(&self, state: &mut [u64], words: Range<usize>, ids: &[u32]) {
        let row = |id: u32| &self.masks[id as usize * self.words..][words.clone()];
        let (chunks, rest) = ids.as_chunks::<ROWS>();
        for &chunk in chunks {
            sweep(state, chunk.map(row));
        }
        for &id in rest {
            sweep(state, [row(id)]);
        }
    }
}

/// `R` tokens after each other, whose masks are `rows`, word by word.
fn sweep<const R: usize>(state: &mut [u64], rows: [&[u64]; R]) {
    let (blocks, rest) = state.as_chunks_mut::<BLOCK>();
    // Slices of the state's own length, so that no bound is checked inside the loops.
    let row_blocks = rows.map(|row| &row.as_chunks::<BLOCK>().0[..blocks.len()]);
    let row_rests = rows.map(|row| &row.as_chunks::<BLOCK>().1[..rest.len()]);
    let mut carries = [false; R];
    for (i, block) in blocks.iter_mut().enumerate() {
        step(block, row_blocks.map(|row| &row[i]), &mut carries);
    }
    for (i, word) in rest.iter_mut().enumerate() {
        step(std::array::from_mut(word), row_rests.map(|row| std::array::from_ref(&row[i])), &mut carries);
    }
}

/// `V := (V + (V & M)) | (V & !M)` for `R` masks of `W` words, with the carries from the words below.
#[inline(always)]
fn step<const W: usize, const R: usize>(state: &mut [u64; W], masks: [&[u64; W]; R], carries: &mut [bool; R]) {
    let mut values = *state;
    for (mask, carry) in masks.into_iter().zip(carries) {
        let mut carried = *carry;
        for (value, mask) in values.iter_mut().zip(mask) {
            let hits = *value & mask;
            let (sum, over) = value.carrying_add(hits, carried);
            *value = sum | (*value ^ hits);
            carried = over;
        }
        *carry = carried;
    }
    *state = values;
}
