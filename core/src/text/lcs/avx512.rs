//! Eight words at once, where the processor has AVX-512.
//!
//! One token a sweep: blocks wait for each other's carry only, which is a few instructions behind, so the
//! processor has several under way.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_cmpeq_epi64_mask, _mm512_cmplt_epu64_mask,
    _mm512_mask_reduce_or_epi64, _mm512_mask_sub_epi64, _mm512_set1_epi64, _mm512_setr_epi64,
    _mm512_ternarylogic_epi64,
};

/// Words of a vector.
const BLOCK: usize = 8;

/// Words from which on it is quicker than the portable way: with fewer, each token waits for the one before.
pub(super) const LEAST: usize = 2 * BLOCK + 1;

/// Whether the processor has the instructions.
pub(super) fn available() -> bool {
    is_x86_feature_detected!("avx512f")
}

/// Takes `state` through the tokens `ids`, whose masks are their `row`.
///
/// # Panics
/// Where the processor lacks the instructions.
pub(super) fn run<'a>(state: &mut [[u64; BLOCK]], ids: &[u32], row: impl Fn(u32) -> &'a [[u64; BLOCK]]) {
    assert!(available());
    #[expect(unsafe_code, reason = "only some processors have the instructions")]
    // SAFETY: this one has them, or the line above would have panicked.
    unsafe {
        run_all(state, ids, row);
    }
}

#[target_feature(enable = "avx512f")]
fn run_all<'a>(state: &mut [[u64; BLOCK]], ids: &[u32], row: impl Fn(u32) -> &'a [[u64; BLOCK]]) {
    let mut vectors: Vec<__m512i> = state.iter().map(|block| vector(block)).collect();
    for &id in ids {
        let mut carry = 0;
        for (state, mask) in vectors.iter_mut().zip(row(id)) {
            *state = step(*state, vector(mask), &mut carry);
        }
    }
    for (block, vector) in state.iter_mut().zip(vectors) {
        *block = std::array::from_fn(|i| _mm512_mask_reduce_or_epi64(1 << i, vector) as u64);
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn vector(words: &[u64; BLOCK]) -> __m512i {
    let [a, b, c, d, e, f, g, h] = words.map(|word| word as i64);
    _mm512_setr_epi64(a, b, c, d, e, f, g, h)
}

/// `V := (V + (V & M)) | (V & !M)` of eight words, with the carry from the words below.
///
/// First each word by itself; then the carries between them, as one addition with a bit a word: a word that
/// ran over sends one to the next, and one that is all ones passes on what it gets.
#[inline]
#[target_feature(enable = "avx512f")]
fn step(state: __m512i, mask: __m512i, carry: &mut u32) -> __m512i {
    let ones = _mm512_set1_epi64(-1);
    let hits = _mm512_and_si512(state, mask);
    let sum = _mm512_add_epi64(state, hits);
    let over = u32::from(_mm512_cmplt_epu64_mask(sum, hits));
    let full = u32::from(_mm512_cmpeq_epi64_mask(sum, ones));
    let carried = full + 2 * over + *carry;
    *carry = carried >> BLOCK;
    let sum = _mm512_mask_sub_epi64(sum, (carried ^ full) as u8, sum, ones);
    // sum | (state & !mask)
    _mm512_ternarylogic_epi64::<0xF4>(sum, state, mask)
}
