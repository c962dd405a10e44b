//! Where each token of a text stands, a bit per token: in little memory, whatever the text.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::text::tokens::Token;

/// Tokens of a word.
const BITS: usize = u64::BITS as usize;

/// Where a token stands in a text.
pub(super) enum Places {
    /// A bit per token of the text.
    Dense(Vec<u64>),
    /// The words that are not 0.
    Sparse(Vec<(usize, u64)>),
}

/// The places of each token of a text.
pub(super) struct TokenPlaces(FxHashMap<Token, Places>);

impl TokenPlaces {
    pub(super) fn new(tokens: &[Token]) -> Self {
        let words = tokens.len().div_ceil(BITS);
        let mut all: FxHashMap<Token, Vec<(usize, u64)>> = FxHashMap::default();
        for (at, &token) in tokens.iter().enumerate() {
            let (word, bit) = (at / BITS, 1 << (at % BITS));
            let places = all.entry(token).or_default();
            match places.last_mut() {
                Some((last, mask)) if *last == word => *mask |= bit,
                _ => places.push((word, bit)),
            }
        }
        let places = |sparse: Vec<(usize, u64)>| {
            // So at most 512 tokens get a row, whatever the text.
            if sparse.len() < words / 8 {
                return Places::Sparse(sparse);
            }
            let mut dense = vec![0; words];
            sparse.into_iter().for_each(|(word, mask)| dense[word] = mask);
            Places::Dense(dense)
        };
        TokenPlaces(all.into_iter().map(|(token, sparse)| (token, places(sparse))).collect())
    }

    pub(super) fn of(&self, token: Token) -> &Places {
        const NOWHERE: &Places = &Places::Sparse(Vec::new());
        self.0.get(&token).unwrap_or(NOWHERE)
    }
}

impl Places {
    /// The words of a range; `room` is written to where they are not at hand.
    pub(super) fn words<'w>(&'w self, range: Range<usize>, room: &'w mut Vec<u64>) -> &'w [u64] {
        match self {
            Places::Dense(words) => &words[range],
            Places::Sparse(words) => {
                room.clear();
                room.resize(range.len(), 0);
                let start = words.partition_point(|(word, _)| *word < range.start);
                for (word, mask) in words[start..].iter().take_while(|(word, _)| *word < range.end) {
                    room[word - range.start] = *mask;
                }
                room
            }
        }
    }
}
