//! The length of a longest common subsequence, exactly.
//!
//! Bit-parallel (Hyyrö 2004, "Bit-parallel LCS-length computation revisited"): one bit a token of
//! the gold, one addition with carry a machine word and token of the extraction. Time
//! O(|e| ceil(|g| / 64)), no deadline and no heuristic. The gold's bit masks are built once and
//! serve every extraction of its page.

use rustc_hash::FxHashMap;

use super::tokens::Token;

/// Tokens of the extraction that one sweep over the state takes together: the state is loaded and
/// stored once for all of them, and their carry chains overlap.
const ROWS: usize = 4;

/// A mask table beyond this many words is built stripe by stripe for each extraction instead of
/// being kept: 32 MiB.
const KEPT_WORDS: usize = 1 << 22;

/// One side of the comparison, prepared to be compared with many.
pub struct Reference {
    /// Token to dense id, in order of first appearance.
    ids: FxHashMap<Token, u32>,
    /// The tokens as dense ids.
    tokens: Vec<u32>,
    /// `masks[id * words + i]`, bit `b`: token `64 i + b` is `id`. Empty where it would be too large.
    masks: Vec<u64>,
}

impl Reference {
    /// Prepares `tokens`.
    pub fn new(tokens: &[Token]) -> Self {
        Self::with_limit(tokens, KEPT_WORDS)
    }

    fn with_limit(tokens: &[Token], kept_words: usize) -> Self {
        let mut ids = FxHashMap::default();
        let tokens: Vec<u32> = tokens
            .iter()
            .map(|&token| {
                let next = ids.len() as u32;
                *ids.entry(token).or_insert(next)
            })
            .collect();
        let words = tokens.len().div_ceil(64);
        let keep = words.saturating_mul(ids.len()) <= kept_words;
        let masks = if keep { masks(&tokens, ids.len()) } else { Vec::new() };
        Reference { ids, tokens, masks }
    }

    /// The number of tokens.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether there are no tokens.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The length of a longest common subsequence with `other`: 0 to the shorter length.
    ///
    /// ```
    /// let reference = carat::text::lcs::Reference::new(&[1, 2, 3, 4]);
    /// assert_eq!(reference.lcs(&[2, 4, 1, 3, 4]), 3);
    /// ```
    pub fn lcs(&self, other: &[Token]) -> usize {
        let prefix = self.common(self.tokens.iter(), other.iter());
        let (tokens, other) = (&self.tokens[prefix..], &other[prefix..]);
        let suffix = self.common(tokens.iter().rev(), other.iter().rev());
        // What does not occur in the reference can match nothing.
        let other: Vec<u32> =
            other[..other.len() - suffix].iter().filter_map(|token| self.ids.get(token).copied()).collect();
        let end = self.tokens.len() - suffix;
        let middle = if other.is_empty() || prefix == end {
            0
        } else if self.masks.is_empty() {
            self.lcs_striped(prefix, end, &other)
        } else {
            self.lcs_kept(prefix, end, &other)
        };
        prefix + middle + suffix
    }

    fn common<'a>(&self, ours: impl Iterator<Item = &'a u32>, theirs: impl Iterator<Item = &'a Token>) -> usize {
        ours.zip(theirs).take_while(|&(id, token)| self.ids.get(token) == Some(id)).count()
    }

    /// Over the kept table. Only the words that hold `start..end` are touched, and in the first and
    /// last of them only the bits within.
    fn lcs_kept(&self, start: usize, end: usize, other: &[u32]) -> usize {
        let words = self.tokens.len().div_ceil(64);
        let (first, last) = (start / 64, end.div_ceil(64));
        let low = !0 << (start % 64);
        let high = !0 >> ((64 - end % 64) % 64);
        let row = |id: u32| &self.masks[id as usize * words + first..id as usize * words + last];
        let mut state = vec![!0u64; last - first];
        let mut chunks = other.chunks_exact(ROWS);
        for chunk in &mut chunks {
            let rows: [&[u64]; ROWS] = std::array::from_fn(|i| row(chunk[i]));
            sweep(&mut state, rows, low, high, &mut [false; ROWS]);
        }
        for &id in chunks.remainder() {
            sweep(&mut state, [row(id)], low, high, &mut [false]);
        }
        zeros(&state)
    }

    /// Over stripes of the reference, with one carry bit a token of `other` from stripe to stripe.
    fn lcs_striped(&self, start: usize, end: usize, other: &[u32]) -> usize {
        const STRIPE: usize = 8;
        let mut carries = vec![false; other.len()];
        let mut length = 0;
        let mut table = vec![[0u64; STRIPE]; self.ids.len()];
        for stripe in self.tokens[start..end].chunks(64 * STRIPE) {
            table.fill([0; STRIPE]);
            for (i, &id) in stripe.iter().enumerate() {
                table[id as usize][i / 64] |= 1 << (i % 64);
            }
            let mut state = [!0u64; STRIPE];
            for (&id, carry) in other.iter().zip(&mut carries) {
                let mut carried = [*carry];
                sweep(&mut state, [&table[id as usize]], !0, !0, &mut carried);
                *carry = carried[0];
            }
            length += zeros(&state);
        }
        length
    }
}

fn masks(tokens: &[u32], symbols: usize) -> Vec<u64> {
    let words = tokens.len().div_ceil(64);
    let mut masks = vec![0; words * symbols];
    for (i, &id) in tokens.iter().enumerate() {
        masks[id as usize * words + i / 64] |= 1 << (i % 64);
    }
    masks
}

/// A zero bit of the state is a token of the reference that ends a longer common subsequence.
fn zeros(state: &[u64]) -> usize {
    state.iter().map(|word| word.count_zeros() as usize).sum()
}

/// `V := (V + (V & M)) | (V & !M)` for `R` masks in a row, word by word; `low` and `high` cut the
/// masks in the first and last word.
#[inline]
fn sweep<const R: usize>(state: &mut [u64], rows: [&[u64]; R], low: u64, high: u64, carries: &mut [bool; R]) {
    let last = state.len() - 1;
    let rows: [&[u64]; R] = rows.map(|row| &row[..=last]);
    let mut step = |value: &mut u64, i: usize, cut: u64| {
        let mut v = *value;
        for (row, carry) in rows.iter().zip(carries.iter_mut()) {
            let mask = row[i] & cut;
            let (sum, carried) = v.carrying_add(v & mask, *carry);
            *carry = carried;
            v = sum | (v & !mask);
        }
        *value = v;
    };
    if last == 0 {
        step(&mut state[0], 0, low & high);
        return;
    }
    step(&mut state[0], 0, low);
    for (i, value) in state.iter_mut().enumerate().take(last).skip(1) {
        step(value, i, !0);
    }
    step(&mut state[last], last, high);
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
        assert_eq!(Reference::new(a).lcs(b), expected);
        assert_eq!(Reference::with_limit(a, 0).lcs(b), expected, "striped");
    }

    #[test]
    fn corner_cases() {
        let periodic = |period: u32, length: u32| (0..length).map(|i| i % period).collect::<Vec<_>>();
        for length in [0, 1, 2, 63, 64, 65, 127, 128, 129, 511, 512, 513, 1100] {
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

    proptest! {
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
        fn does_not_depend_on_the_side((a, b) in pair()) {
            prop_assert_eq!(Reference::new(&a).lcs(&b), Reference::new(&b).lcs(&a));
        }
    }
}
