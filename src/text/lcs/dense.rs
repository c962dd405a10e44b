//! Every word of every symbol: for texts whose symbols recur.

use std::ops::Range;

/// Tokens of the extraction that one sweep over the state takes together: the state is loaded and
/// stored once for all of them, and their carry chains overlap.
const ROWS: usize = 4;

/// Words that one step of a sweep takes together: their carries stay in the processor's flag.
const BLOCK: usize = 4;

pub(super) struct Dense {
    /// Words a symbol, with zeros behind, so that whole blocks can be taken from any word on.
    words: usize,
    /// `masks[id * words + i]`, bit `b`: token `64 i + b` is `id`.
    masks: Vec<u64>,
}

impl Dense {
    pub(super) fn new(ids: &[u32], symbols: usize) -> Self {
        let words = ids.len().div_ceil(64) + BLOCK - 1;
        let mut masks = vec![0; words * symbols];
        for (i, &id) in ids.iter().enumerate() {
            masks[id as usize * words + i / 64] |= 1 << (i % 64);
        }
        Dense { words, masks }
    }

    /// Takes `state`, which is that of `words`, through the tokens `ids`. What is behind it in the last block
    /// changes nothing in it: bits act on higher ones only.
    pub(super) fn run(&self, state: &mut [u64], words: Range<usize>, ids: &[u32]) {
        let blocks = words.len().div_ceil(BLOCK);
        let mut padded = vec![[!0u64; BLOCK]; blocks];
        padded.as_flattened_mut()[..state.len()].copy_from_slice(state);
        let row = |id: u32| &self.masks[id as usize * self.words + words.start..].as_chunks::<BLOCK>().0[..blocks];
        let (chunks, rest) = ids.as_chunks::<ROWS>();
        for &chunk in chunks {
            sweep(&mut padded, chunk.map(row));
        }
        for &id in rest {
            sweep(&mut padded, [row(id)]);
        }
        state.copy_from_slice(&padded.as_flattened()[..state.len()]);
    }
}

/// `R` tokens after each other, whose masks are `rows`, block by block.
fn sweep<const R: usize>(state: &mut [[u64; BLOCK]], rows: [&[[u64; BLOCK]]; R]) {
    let rows = rows.map(|row| &row[..state.len()]);
    let mut carries = [false; R];
    for (i, block) in state.iter_mut().enumerate() {
        step(block, rows.map(|row| &row[i]), &mut carries);
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
