//! The length of a longest common subsequence, exactly.
//!
//! Bit-parallel (Hyyrö 2004, "Bit-parallel LCS-length computation revisited"): one bit a token of
//! the gold, one addition with carry a machine word and token of the extraction. Time
//! O(|e| ceil(|g| / 64)), no deadline and no heuristic. The gold's bit masks are built once and
//! serve every extraction of its page.
//!
//! With `V` all ones at first, each token of the extraction, whose mask is `M`, makes it
//! `(V + (V & M)) | (V & !M)`. A zero bit is then a token of the gold that ends a longer common
//! subsequence, and the length is the number of zero bits. Bits only ever act on higher ones: what
//! both texts begin and end with is left out by zeros below and by not counting above.
//!
//! Long texts that are nearly equal have a short way to the same length: the module `near`.

mod alignment;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod dense;
mod near;
mod sparse;
mod symbols;

use std::ops::Range;

use super::tokens::Token;
pub use alignment::alignment;
use dense::Dense;
use sparse::Sparse;
use symbols::Symbols;

/// A dense table of masks beyond this many words is not built: 32 MiB.
const DENSE_WORDS: usize = 1 << 22;

/// With fewer symbols a text is never taken for sparse: on average each would fill too many words.
const SPARSE_SYMBOLS: usize = 1 << 10;

/// A text is sparse where a token's symbol occurs in at most one of this many words, on average.
const SPARSE_SHARE: u64 = 16;

/// The sparse way takes about this many times as long for a word as the dense one.
const SPARSE_COST: usize = 10;

/// The short way for nearly equal texts is tried where the full way takes at least this many words for each token of
/// both texts, or looking for seeds would take a good part of its time: from about 100 000 tokens on.
const NEAR_WORDS: usize = 1 << 10;

/// The short way is not tried with more symbols: its masks would take more than 128 MiB.
const NEAR_SYMBOLS: usize = 1 << 20;

/// The short way may fill one in this many of the cells that the full way fills before it gives up.
const NEAR_SHARE: usize = 32;

/// One side of the comparison, prepared to be compared with many.
pub struct Reference {
    tokens: Vec<Token>,
    symbols: Symbols,
    masks: Masks,
    /// Whether the short way is left out.
    full: bool,
}

/// Where each symbol occurs.
enum Masks {
    Dense(Dense),
    Sparse(Sparse),
}

impl Reference {
    /// Prepares `tokens`.
    pub fn new(tokens: &[Token]) -> Self {
        let (symbols, ids) = Symbols::of(tokens);
        let size = words(0..ids.len()).len().saturating_mul(symbols.len());
        let sparse = size > DENSE_WORDS || symbols.len() >= SPARSE_SYMBOLS && is_sparse(&ids, symbols.len());
        let masks = if sparse {
            Masks::Sparse(Sparse::new(&ids, symbols.len()))
        } else {
            Masks::Dense(Dense::new(&ids, symbols.len()))
        };
        Reference { tokens: tokens.to_vec(), symbols, masks, full: false }
    }

    /// The same without the processor's vector instructions, which change the time only: for comparisons.
    pub fn portable(mut self) -> Self {
        if let Masks::Dense(dense) = &mut self.masks {
            dense.portable = true;
        }
        self
    }

    /// The same without the short way for nearly equal texts, which changes the time only: for comparisons.
    pub fn full(mut self) -> Self {
        self.full = true;
        self
    }

    /// The number of tokens.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether there are no tokens.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// For each number of tokens from the beginning, 0 to all of them, the length of a longest common
    /// subsequence of those and `other`.
    fn lengths(&self, other: &[Token]) -> Vec<u32> {
        let all = 0..self.tokens.len();
        if all.is_empty() {
            return vec![0];
        }
        let mut state = state(&all);
        self.run(&mut state, words(all.clone()), &self.symbols.known(other));
        let ends = all.map(|at| u32::from(state[at / 64] >> (at % 64) & 1 == 0));
        let sums = ends.scan(0, |sum, end| {
            *sum += end;
            Some(*sum)
        });
        std::iter::once(0).chain(sums).collect()
    }

    /// Takes `state`, which is that of `words`, through the symbols `ids`.
    fn run(&self, state: &mut [u64], words: Range<usize>, ids: &[u32]) {
        match &self.masks {
            Masks::Dense(dense) => dense.run(state, words, ids),
            Masks::Sparse(sparse) => sparse.run(state, words, ids),
        }
    }

    /// The length of a longest common subsequence with `other`: 0 to the shorter length.
    ///
    /// ```
    /// let reference = carat_core::text::lcs::Reference::new(&[1, 2, 3, 4]);
    /// assert_eq!(reference.lcs(&[2, 4, 1, 3, 4]), 3);
    /// ```
    pub fn lcs(&self, other: &[Token]) -> usize {
        let prefix = common(self.tokens.iter(), other.iter());
        let (tokens, other) = (&self.tokens[prefix..], &other[prefix..]);
        let suffix = common(tokens.iter().rev(), other.iter().rev());
        let range = prefix..self.tokens.len() - suffix;
        let other = self.symbols.known(&other[..other.len() - suffix]);
        if range.is_empty() || other.is_empty() {
            return prefix + suffix;
        }
        if let Some(length) = self.near(&range, &other) {
            return prefix + length + suffix;
        }
        let mut state = state(&range);
        self.run(&mut state, words(range.clone()), &other);
        prefix + length(state, &range) + suffix
    }

    /// The length of a longest common subsequence of the tokens `range` with the symbols `other`, where the short way
    /// is worth to be tried and tells it.
    fn near(&self, range: &Range<usize>, other: &[u32]) -> Option<usize> {
        let work = match &self.masks {
            Masks::Dense(_) => other.len().saturating_mul(words(range.clone()).len()),
            Masks::Sparse(sparse) => sparse.work(other).saturating_mul(SPARSE_COST),
        };
        let short = work / NEAR_WORDS < range.len() + other.len();
        if self.full || short || self.symbols.len() > NEAR_SYMBOLS {
            return None;
        }
        let gold = self.symbols.known(&self.tokens[range.clone()]);
        near::lcs(&gold, other, self.symbols.len(), near::Sizes::USUAL, work.saturating_mul(64) / NEAR_SHARE)
    }
}

/// How many tokens two texts have in common before they differ.
fn common<'a>(one: impl Iterator<Item = &'a Token>, other: impl Iterator<Item = &'a Token>) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).count()
}

/// The words that hold the bits `range`.
fn words(range: Range<usize>) -> Range<usize> {
    range.start / 64..range.end.div_ceil(64)
}

/// The words of `range`, which is not empty, before any token: ones, but zeros below it.
fn state(range: &Range<usize>) -> Vec<u64> {
    let mut state = vec![!0; words(range.clone()).len()];
    state[0] <<= range.start % 64;
    state
}

/// The zero bits within `range`.
fn length(mut state: Vec<u64>, range: &Range<usize>) -> usize {
    let last = state.len() - 1;
    state[0] |= !(!0 << (range.start % 64));
    state[last] |= !(!0 >> ((64 - range.end % 64) % 64));
    state.iter().map(|word| word.count_zeros() as usize).sum()
}

/// Whether few words hold the symbol of a token, on average over the tokens.
fn is_sparse(ids: &[u32], symbols: usize) -> bool {
    let mut occurrences = vec![0u64; symbols];
    let mut filled = vec![0u64; symbols];
    // The last word in which each symbol was seen.
    let mut last = vec![usize::MAX; symbols];
    for (i, &id) in ids.iter().enumerate() {
        let (id, word) = (id as usize, i / 64);
        occurrences[id] += 1;
        filled[id] += u64::from(last[id] != word);
        last[id] = word;
    }
    let sum: u64 = occurrences.iter().zip(&filled).map(|(occurrences, filled)| occurrences * filled).sum();
    SPARSE_SHARE * sum <= ids.len() as u64 * words(0..ids.len()).len() as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The textbook table, row by row.
    fn plain(a: &[Token], b: &[Token]) -> usize {
        let mut row = vec![0usize; b.len() + 1];
        for x in a {
            let mut diagonal = 0;
            for (j, y) in b.iter().enumerate() {
                let above = row[j + 1];
                row[j + 1] = if x == y { diagonal + 1 } else { above.max(row[j]) };
                diagonal = above;
            }
        }
        row[b.len()]
    }

    fn check(a: &[Token], b: &[Token]) {
        let expected = plain(a, b);
        let mut reference = Reference::new(a);
        assert_eq!(reference.lcs(b), expected);
        let (symbols, ids) = Symbols::of(a);
        reference.masks = Masks::Dense(Dense::new(&ids, symbols.len()));
        assert_eq!(reference.lcs(b), expected, "dense");
        reference = reference.portable();
        assert_eq!(reference.lcs(b), expected, "dense, without vector instructions");
        reference.masks = Masks::Sparse(Sparse::new(&ids, symbols.len()));
        assert_eq!(reference.lcs(b), expected, "sparse");
    }

    #[test]
    fn corner_cases() {
        let periodic = |period: u32, length: u32| (0..length).map(|i| i % period).collect::<Vec<_>>();
        for length in [0, 1, 2, 63, 64, 65, 127, 128, 129, 511, 512, 513, 1088, 1089, 1536, 1537] {
            let one = periodic(7, length);
            check(&one, &one);
            check(&one, &[]);
            check(&[], &one);
            check(&one, &[3]);
            check(&[3], &one);
            check(&one, &periodic(5, length / 2 + 3));
            check(&one, &one.iter().map(|token| token + 100).collect::<Vec<_>>());
            let reversed: Vec<_> = one.iter().rev().copied().collect();
            check(&one, &reversed);
        }
    }

    #[test]
    fn a_text_is_sparse_where_its_words_recur_seldom() {
        let is_sparse = |tokens: &[Token]| matches!(Reference::new(tokens).masks, Masks::Sparse(_));
        let varied: Vec<Token> = (0..100_000).map(|i| i * 7919 % 3001).collect();
        assert!(is_sparse(&varied));
        assert!(!is_sparse(&varied[..1000]), "a short text");
        let repetitive: Vec<Token> = varied.iter().map(|&token| if token % 2 == 0 { 0 } else { token }).collect();
        assert!(!is_sparse(&repetitive), "one symbol in every word");
        let (a, b) = (&varied[..20_000], &varied[777..9_000]);
        assert!(is_sparse(a));
        assert_eq!(Reference::new(a).lcs(b), b.len());
    }

    #[test]
    fn a_table_of_masks_that_would_be_too_large_is_not_built() {
        let long: Vec<Token> = (0..1 << 20).map(|i| i % 300).collect();
        assert!(matches!(Reference::new(&long).masks, Masks::Sparse(_)));
        assert!(matches!(Reference::new(&long[..1 << 19]).masks, Masks::Dense(_)));
    }

    #[test]
    fn long_texts_that_are_nearly_equal_go_the_short_way() {
        for (symbols, length) in [(60, 150_000), (1_100, 300_000)] {
            let mut state = 1u32;
            let mut next = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                state >> 16
            };
            let gold: Vec<Token> = (0..length).map(|_| next() % symbols).collect();
            // One token in 50 is one that the gold does not have: all others are common.
            let text: Vec<Token> =
                gold.iter().enumerate().map(|(i, &t)| if i % 50 == 7 { symbols } else { t }).collect();
            let reference = Reference::new(&gold);
            let known = reference.symbols.known(&text);
            assert_eq!(reference.near(&(0..gold.len()), &known), Some(known.len()));
            assert_eq!(reference.lcs(&text), gold.len() - gold.len() / 50);
            assert_eq!(reference.near(&(0..gold.len()), &known[..1_000]), None, "too short");
        }
    }

    fn tokens(alphabet: u32) -> impl Strategy<Value = Vec<Token>> {
        proptest::collection::vec(0..alphabet, 0..400)
    }

    fn pair() -> impl Strategy<Value = (Vec<Token>, Vec<Token>)> {
        prop_oneof![Just(2), Just(4), Just(26), Just(400), Just(10_000)].prop_flat_map(|n| (tokens(n), tokens(n)))
    }

    /// An extraction as it is in practice: the reference with a piece cut out and noise around it.
    fn edited() -> impl Strategy<Value = (Vec<Token>, Vec<Token>)> {
        (tokens(60), tokens(80), 0usize..400, 0usize..400).prop_map(|(reference, noise, from, to)| {
            let (from, to) = (from.min(reference.len()), to.min(reference.len()));
            let (from, to) = (from.min(to), from.max(to));
            let extraction = [&reference[..from], &noise, &reference[to..]].concat();
            (reference, extraction)
        })
    }

    /// Texts of many words, a few tokens around the borders of words and vectors, with noise at either end so that
    /// little of them is left out.
    fn long() -> impl Strategy<Value = (Vec<Token>, Vec<Token>)> {
        let noise = || proptest::collection::vec(0..500u32, 0..300);
        let texts = (1..=4u32, 16..44usize, 0..=2usize, noise(), noise());
        texts.prop_flat_map(|(alphabet, words, over, before, after)| {
            let token = (0..alphabet * alphabet * alphabet).prop_map(|token| token * 7);
            proptest::collection::vec(token, words * 64 + over - 1)
                .prop_map(move |text| (text.clone(), [&before[..], &text, &after].concat()))
        })
    }

    proptest! {
        #[test]
        fn vector_instructions_change_nothing((a, b) in long(), shift in 0usize..2000) {
            let (vectors, portable) = (Reference::new(&a), Reference::new(&a).portable());
            prop_assert_eq!(vectors.lcs(&b), portable.lcs(&b));
            let mut turned = b;
            let shift = shift % turned.len();
            turned.rotate_left(shift);
            prop_assert_eq!(vectors.lcs(&turned), portable.lcs(&turned));
        }

        #[test]
        fn equals_the_plain_table((a, b) in pair()) {
            check(&a, &b);
        }

        #[test]
        fn equals_the_plain_table_on_edited_texts((a, b) in edited()) {
            check(&a, &b);
        }

        #[test]
        fn equals_rapidfuzz((a, b) in pair()) {
            let expected = rapidfuzz::distance::lcs_seq::similarity(a.iter().copied(), b.iter().copied());
            prop_assert_eq!(Reference::new(&a).lcs(&b), expected);
        }

        #[test]
        fn any_number_is_a_token(a in proptest::collection::vec(any::<u32>(), 0..200), shift in 0usize..200) {
            let mut b = a.clone();
            b.rotate_left(shift.min(a.len()));
            check(&a, &b);
        }

        #[test]
        fn does_not_depend_on_the_side((a, b) in pair()) {
            prop_assert_eq!(Reference::new(&a).lcs(&b), Reference::new(&b).lcs(&a));
        }
    }
}
