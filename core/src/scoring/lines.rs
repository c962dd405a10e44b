//! `lsum`: the summary level of ROUGE-L (Lin 2004, section 3.2), as the Python package `rouge_score` computes it, with lines
//! as sentences.

use rustc_hash::FxHashMap;

use super::counts::Counts;
use crate::text::tokens::Token;

/// A gold in lines.
pub(super) struct Lines {
    tokens: Vec<Token>,
    lengths: Vec<usize>,
}

impl Lines {
    /// `lengths`: the number of tokens of each line. Without them the tokens are one line.
    pub(super) fn new(tokens: &[Token], lengths: &[usize]) -> Self {
        Lines { tokens: tokens.to_vec(), lengths: lengths.to_vec() }
    }

    pub(super) fn counts(&self, tokens: &[Token], lengths: &[usize]) -> Counts {
        let extracted = lines(tokens, lengths);
        // A token counts as often as it stands in both texts.
        let mut credit = frequencies(&self.tokens);
        let found = frequencies(tokens);
        credit.iter_mut().for_each(|(token, left)| *left = found.get(token).copied().unwrap_or_default().min(*left));
        let mut matched = 0;
        for line in lines(&self.tokens, &self.lengths) {
            let mut places = vec![false; line.len()];
            extracted.iter().for_each(|extracted| mark_common(line, extracted, &mut places));
            for (token, _) in line.iter().zip(&places).filter(|(_, is_common)| **is_common) {
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

/// Marks the places of one longest common subsequence of `line` and `other`: the one that is read from the end of the
/// table, where a step in `other` is taken only if it loses less than one in `line`.
fn mark_common(line: &[Token], other: &[Token], places: &mut [bool]) {
    let width = other.len();
    // A bit per cell: whether the step is one in `other`.
    let mut steps = vec![0u64; (line.len() * width).div_ceil(64)];
    let (mut above, mut row) = (vec![0u32; width + 1], vec![0u32; width + 1]);
    for (i, token) in line.iter().enumerate() {
        for (j, candidate) in other.iter().enumerate() {
            let (left, up) = (row[j], above[j + 1]);
            row[j + 1] = if token == candidate { above[j] + 1 } else { left.max(up) };
            let cell = i * width + j;
            steps[cell / 64] |= u64::from(left > up) << (cell % 64);
        }
        std::mem::swap(&mut above, &mut row);
    }
    let (mut i, mut j) = (line.len(), width);
    while i > 0 && j > 0 {
        let cell = (i - 1) * width + j - 1;
        if line[i - 1] == other[j - 1] {
            places[i - 1] = true;
            (i, j) = (i - 1, j - 1);
        } else if steps[cell / 64] >> (cell % 64) & 1 == 1 {
            j -= 1;
        } else {
            i -= 1;
        }
    }
}
