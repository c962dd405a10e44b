//! `lsum`: the summary level of ROUGE-L (Lin 2004, section 3.2), as the Python package `rouge_score` computes it, with lines
//! as sentences.

use rustc_hash::FxHashMap;

use super::counts::Counts;
use super::masks::advance;
use super::places::TokenPlaces;
use crate::text::tokens::Token;

/// A gold in lines.
pub(super) struct Lines {
    tokens: Vec<Token>,
    lengths: Vec<usize>,
    /// Of each line.
    places: Vec<TokenPlaces>,
}

impl Lines {
    /// `lengths`: the number of tokens of each line. Without them the tokens are one line.
    pub(super) fn new(tokens: &[Token], lengths: &[usize]) -> Self {
        let places = lines(tokens, lengths).into_iter().map(TokenPlaces::new).collect();
        Lines { tokens: tokens.to_vec(), lengths: lengths.to_vec(), places }
    }

    pub(super) fn counts(&self, tokens: &[Token], lengths: &[usize]) -> Counts {
        let extracted = lines(tokens, lengths);
        // A token counts as often as it stands in both texts.
        let mut credit = frequencies(&self.tokens);
        let found = frequencies(tokens);
        credit.iter_mut().for_each(|(token, left)| *left = found.get(token).copied().unwrap_or_default().min(*left));
        // Only lines that share a token have anything in common.
        let mut lines_of: FxHashMap<Token, Vec<usize>> = FxHashMap::default();
        for (number, line) in extracted.iter().enumerate() {
            for token in *line {
                let numbers = lines_of.entry(*token).or_default();
                if numbers.last() != Some(&number) {
                    numbers.push(number);
                }
            }
        }
        let mut seen = vec![usize::MAX; extracted.len()];
        let mut matched = 0;
        for (at, line) in lines(&self.tokens, &self.lengths).into_iter().enumerate() {
            let mut common = vec![false; line.len()];
            for number in line.iter().filter_map(|token| lines_of.get(token)).flatten() {
                if std::mem::replace(&mut seen[*number], at) != at {
                    mark_common(line, &self.places[at], extracted[*number], &mut common);
                }
            }
            for (token, _) in line.iter().zip(&common).filter(|(_, is_common)| **is_common) {
                if let Some(left) = credit.get_mut(token).filter(|left| **left > 0) {
                    *left -= 1;
                    matched += 1;
                }
            }
        }
        Counts { matched, extracted: tokens.len() as u64, gold: self.tokens.len() as u64 }
    }
}

fn frequencies(tokens: &[Token]) -> FxHashMap<Token, u64> {
    let mut frequencies = FxHashMap::default();
    tokens.iter().for_each(|token| *frequencies.entry(*token).or_default() += 1);
    frequencies
}

fn lines<'t>(tokens: &'t [Token], lengths: &[usize]) -> Vec<&'t [Token]> {
    if lengths.is_empty() {
        return if tokens.is_empty() { Vec::new() } else { vec![tokens] };
    }
    let mut rest = tokens;
    let line = |length: &usize| {
        let (line, tail) = rest.split_at(*length);
        rest = tail;
        line
    };
    lengths.iter().map(line).collect()
}

/// Columns of the table that are kept at a time: columns are computed a second time rather than all kept, for the table of
/// two long lines would fill the memory.
const KEPT_COLUMNS: usize = 2048;

/// Marks the places of one longest common subsequence of `line` and `other`: the one that is read from the end of the
/// table, where a step in `other` is taken only if it loses less than one in `line`.
///
/// A column is that of the bit-parallel LCS: a bit per token of `line`, which is zero where the length grows. A step in
/// `line` loses nothing where it does not grow.
fn mark_common(line: &[Token], line_places: &TokenPlaces, other: &[Token], common: &mut [bool]) {
    let words = line.len().div_ceil(64);
    let mut room = Vec::new();
    let mut take = |column: &mut [u64], token: Token| advance(column, line_places.of(token).words(0..words, &mut room));
    let blocks: Vec<&[Token]> = other.chunks(KEPT_COLUMNS).collect();
    // The column before each block.
    let mut before = vec![vec![!0; words]];
    for block in &blocks[..blocks.len().saturating_sub(1)] {
        let mut column = before[before.len() - 1].clone();
        block.iter().for_each(|token| take(&mut column, *token));
        before.push(column);
    }
    let mut columns = Vec::new();
    let mut i = line.len();
    for (block, mut column) in blocks.into_iter().zip(before).rev() {
        columns.clear();
        for token in block {
            take(&mut column, *token);
            columns.extend_from_slice(&column);
        }
        let grows = |i: usize, j: usize| columns[j * words + i / 64] >> (i % 64) & 1 == 0;
        let mut j = block.len();
        while i > 0 && j > 0 {
            if line[i - 1] == block[j - 1] {
                common[i - 1] = true;
                (i, j) = (i - 1, j - 1);
            } else if grows(i - 1, j - 1) {
                j -= 1;
            } else {
                i -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// The places as the table says, cell by cell.
    fn common(line: &[Token], other: &[Token]) -> BTreeSet<usize> {
        let mut table = vec![vec![0; other.len() + 1]; line.len() + 1];
        for i in 1..=line.len() {
            for j in 1..=other.len() {
                table[i][j] = match line[i - 1] == other[j - 1] {
                    true => table[i - 1][j - 1] + 1,
                    false => table[i - 1][j].max(table[i][j - 1]),
                };
            }
        }
        let (mut i, mut j, mut places) = (line.len(), other.len(), BTreeSet::new());
        while i > 0 && j > 0 {
            if line[i - 1] == other[j - 1] {
                (i, j) = (i - 1, j - 1);
                places.insert(i);
            } else if table[i][j - 1] > table[i - 1][j] {
                j -= 1;
            } else {
                i -= 1;
            }
        }
        places
    }

    /// The hits as they are defined: places of any pair of lines, each token as often as it has credit in both texts.
    fn hits(gold: &[Vec<Token>], extraction: &[Vec<Token>]) -> u64 {
        let count = |lines: &[Vec<Token>], token: Token| lines.concat().iter().filter(|one| **one == token).count();
        let mut found: Vec<Token> = Vec::new();
        for line in gold {
            let union: BTreeSet<usize> = extraction.iter().flat_map(|other| common(line, other)).collect();
            for place in union {
                let token = line[place];
                let used = found.iter().filter(|one| **one == token).count();
                if used < count(gold, token).min(count(extraction, token)) {
                    found.push(token);
                }
            }
        }
        found.len() as u64
    }

    proptest! {
        #[test]
        fn hits_are_those_of_the_definition(
            gold in proptest::collection::vec(proptest::collection::vec(0u32..4, 1..7), 0..5),
            extraction in proptest::collection::vec(proptest::collection::vec(0u32..4, 1..7), 0..5),
        ) {
            let lengths = |lines: &[Vec<Token>]| lines.iter().map(Vec::len).collect::<Vec<_>>();
            let measured = Lines::new(&gold.concat(), &lengths(&gold)).counts(&extraction.concat(), &lengths(&extraction));
            prop_assert_eq!(measured.matched, hits(&gold, &extraction));
        }
    }

    proptest! {
        #[test]
        fn common_places_of_longer_lines_are_those_of_the_table(
            line in proptest::collection::vec(0u32..6, 1..200),
            other in proptest::collection::vec(0u32..6, 1..200),
        ) {
            let mut marks = vec![false; line.len()];
            mark_common(&line, &TokenPlaces::new(&line), &other, &mut marks);
            let marked: BTreeSet<usize> = (0..line.len()).filter(|place| marks[*place]).collect();
            prop_assert_eq!(marked, common(&line, &other));
        }
    }

    #[test]
    fn long_lines_are_read_block_by_block() {
        let other: Vec<Token> = (0..2 * KEPT_COLUMNS as Token + 100).map(|token| token % 97).collect();
        let line: Vec<Token> = other.iter().copied().filter(|token| token % 5 > 0).collect();
        let mut marks = vec![false; line.len()];
        mark_common(&line, &TokenPlaces::new(&line), &other, &mut marks);
        let marked: BTreeSet<usize> = (0..line.len()).filter(|place| marks[*place]).collect();
        assert_eq!(marked, common(&line, &other));
    }
}
