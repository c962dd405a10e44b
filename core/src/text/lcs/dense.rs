//! Every word of every symbol: for texts whose symbols recur.

use std::ops::Range;

#[cfg(target_arch = "x86_64")]
use super::avx512;

/// Tokens of the extraction that one sweep over the state takes together: the state is loaded and
/// stored once for all of them, and their carry chains overlap.
const ROWS: usize = 4;

/// Words that one step of a sweep takes together: their carries stay in the processor's flag.
const BLOCK: usize = 4;

/// Words behind a symbol's own, for the largest block.
const PADDING: usize = 7;

pub(super) struct Dense {
    /// Words a symbol, with zeros behind, so that whole blocks can be taken from any word on.
    words: usize,
    /// `masks[id * words + i]`, bit `b`: token `64 i + b` is `id`.
    masks: Vec<u64>,
    /// Whether to leave out the processor's vector instructions.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "there is no other way"))]
    pub(super) portable: bool,
}

impl Dense {
    pub(super) fn new(ids: &[u32], symbols: usize) -> Self {
        let words = ids.len().div_ceil(64) + PADDING;
        let mut masks = vec![0; words * symbols];
        for (i, &id) in ids.iter().enumerate() {
            masks[id as usize * words + i / 64] |= 1 << (i % 64);
        }
        Dense { words, masks, portable: false }
    }

    /// Takes `state`, which is that of `words`, through the tokens `ids`.
    pub(super) fn run(&self, state: &mut [u64], words: Range<usize>, ids: &[u32]) {
        #[cfg(target_arch = "x86_64")]
        if !self.portable && state.len() >= avx512::LEAST && avx512::available() {
            return padded(state, |blocks| avx512::run(blocks, ids, |id| self.row(id, &words)));
        }
        padded(state, |blocks| run(blocks, ids, |id| self.row(id, &words)));
    }

    /// The masks of a symbol in `words`, in blocks of `N` words; the last goes as far behind as it must.
    fn row<const N: usize>(&self, id: u32, words: &Range<usize>) -> &[[u64; N]] {
        let row = &self.masks[id as usize * self.words + words.start..];
        &row.as_chunks().0[..words.len().div_ceil(N)]
    }
}

/// Does `work` on `state` in whole blocks. What is behind it in the last block changes nothing in it: bits act on
/// higher ones only.
fn padded<const N: usize>(state: &mut [u64], work: impl FnOnce(&mut [[u64; N]])) {
    let mut blocks = vec![[!0; N]; state.len().div_ceil(N)];
    blocks.as_flattened_mut()[..state.len()].copy_from_slice(state);
    work(&mut blocks);
    state.copy_from_slice(&blocks.as_flattened()[..state.len()]);
}

fn run<'a>(state: &mut [[u64; BLOCK]], ids: &[u32], row: impl Fn(u32) -> &'a [[u64; BLOCK]]) {
    let (chunks, rest) = ids.as_chunks::<ROWS>();
    for chunk in chunks {
        sweep::<ROWS>(state, std::array::from_fn(|i| row(chunk[i])));
    }
    for &id in rest {
        sweep(state, [row(id)]);
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
