//! One longest common subsequence of a text and a gold, always the same one.

use super::counts::TooLarge;
use super::masks::{MAX_WORDS, Masks, advance, advance_all, zeros};
use crate::text::tokens::Token;

/// For each token of `text` whether it is matched in one alignment with `gold` of greatest length. Of several it is
/// the one that is found from the end: a token of the text is stepped over wherever that keeps the length, else one of
/// the gold, else both are matched.
///
/// Time is twice that of the length alone; of the table a row in every √|text| is kept, and the rows between are made
/// again on the way back.
///
/// # Errors
/// [`TooLarge`] where the rows would take more than 256 MiB.
///
/// ```
/// let matched = carat_core::scoring::alignment::matched(&[1, 9, 1, 2], &[1, 2]);
/// // Of the two 1s the first: from the end, the second is stepped over, for that keeps the length.
/// assert_eq!(matched.unwrap(), [true, false, false, true]);
/// ```
pub fn matched(text: &[Token], gold: &[Token]) -> Result<Vec<bool>, TooLarge> {
    let masks = Masks::new(gold.iter().copied())?;
    let apart = text.len().isqrt().max(1);
    if (2 * apart + 2).saturating_mul(masks.words()) > MAX_WORDS {
        return Err(TooLarge);
    }
    let mut state = vec![!0u64; masks.words()];
    let mut kept = Vec::new();
    for part in text.chunks(apart) {
        kept.push(state.clone());
        advance_all(&mut state, part.iter().filter_map(|&token| masks.row(token)));
    }
    let mut matched = vec![false; text.len()];
    let mut place = gold.len();
    for ((part, flags), before) in text.chunks(apart).zip(matched.chunks_mut(apart)).zip(kept).rev() {
        walk_back(part, flags, &masks, before, &mut place);
    }
    Ok(matched)
}

/// Walks back over the tokens of `part`, before which the state was `before`; `place` is how much of the gold is left.
fn walk_back(part: &[Token], flags: &mut [bool], masks: &Masks, before: Vec<u64>, place: &mut usize) {
    let mut rows = vec![before];
    for &token in part {
        let mut next = rows[rows.len() - 1].clone();
        if let Some(mask) = masks.row(token) {
            advance(&mut next, mask);
        }
        rows.push(next);
    }
    for (at, flag) in flags.iter_mut().enumerate().rev() {
        let (before, after) = (&rows[at], &rows[at + 1]);
        if zeros(before, *place) == zeros(after, *place) {
            continue;
        }
        // Without this token it is shorter, and so it is for every smaller place of the same length.
        while after[(*place - 1) / 64] >> ((*place - 1) % 64) & 1 == 1 {
            *place -= 1;
        }
        (*flag, *place) = (true, *place - 1);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The same by the textbook table.
    fn plain(text: &[Token], gold: &[Token]) -> Vec<bool> {
        let mut table = vec![vec![0; gold.len() + 1]; text.len() + 1];
        for i in 1..=text.len() {
            for j in 1..=gold.len() {
                let longest: usize = std::cmp::max(table[i - 1][j], table[i][j - 1]);
                let both = table[i - 1][j - 1] + usize::from(text[i - 1] == gold[j - 1]);
                table[i][j] = longest.max(both);
            }
        }
        let mut flags = vec![false; text.len()];
        let (mut i, mut j) = (text.len(), gold.len());
        while i > 0 && j > 0 {
            if table[i - 1][j] == table[i][j] {
                i -= 1;
            } else if table[i][j - 1] == table[i][j] {
                j -= 1;
            } else {
                (i, j) = (i - 1, j - 1);
                flags[i] = true;
            }
        }
        flags
    }

    proptest! {
        #[test]
        fn the_alignment_is_that_of_the_table(
            text in proptest::collection::vec(0u32..4, 0..200),
            gold in proptest::collection::vec(0u32..4, 0..150),
        ) {
            prop_assert_eq!(matched(&text, &gold).unwrap(), plain(&text, &gold));
        }
    }

    #[test]
    fn a_table_beyond_the_memory_is_refused() {
        // √4 000 000 rows of a million bits, twice.
        let (text, gold) = (vec![0; 4_000_000], vec![0; 1 << 20]);
        assert_eq!(matched(&text, &gold), Err(TooLarge));
    }
}
