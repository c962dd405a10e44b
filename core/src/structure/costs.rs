//! The cost of renaming one cell of a table into another.

use rustc_hash::FxHashMap;

use super::strings::scalars;
use super::tables::{self, Table};
use crate::scoring::{Counts, Gold, Measure, Units};

/// One node: what it costs to delete it, or to insert it.
pub(super) const NODE: u64 = 1_000_000;

/// A row's cells.
pub(super) type Row = Vec<Cell>;

/// A cell: the number of its text among its side's distinct ones, and its spans.
#[derive(Clone, Copy)]
pub(super) struct Cell {
    text: u32,
    spans: (u32, u32),
}

/// The distinct texts of a side's cells.
pub(super) struct Texts<'t> {
    /// Texts count; else all are one.
    count: bool,
    numbers: FxHashMap<&'t str, u32>,
    texts: Vec<&'t str>,
}

impl<'t> Texts<'t> {
    pub(super) fn new(count: bool) -> Self {
        Texts { count, numbers: FxHashMap::default(), texts: Vec::new() }
    }

    /// The rows of a table of this side.
    pub(super) fn rows(&mut self, table: &'t Table) -> Vec<Row> {
        let mut cell =
            |cell: &'t tables::Cell| Cell { text: self.number(&cell.text), spans: (cell.colspan, cell.rowspan) };
        table.rows.iter().map(|row| row.iter().map(&mut cell).collect()).collect()
    }

    /// The characters of all of them.
    pub(super) fn characters(&self) -> u64 {
        self.texts.iter().map(|text| text.chars().count() as u64).sum()
    }

    fn number(&mut self, text: &'t str) -> u32 {
        let text = if self.count { text } else { "" };
        let next = self.texts.len() as u32;
        *self.numbers.entry(text).or_insert_with(|| {
            self.texts.push(text);
            next
        })
    }
}

/// The Levenshtein distance of each text from each other one, as a share of the longer text.
pub(super) struct Costs {
    width: usize,
    costs: Vec<u32>,
}

impl Costs {
    pub(super) fn new(extraction: &Texts<'_>, gold: &Texts<'_>) -> Self {
        let width = gold.texts.len();
        let mut costs = vec![0; extraction.texts.len() * width];
        let letters = Letters::of(&gold.texts);
        let numbered: Vec<Vec<u32>> = extraction.texts.iter().map(|text| letters.numbers(text)).collect();
        let texts: Vec<Units> = extraction.texts.iter().map(|text| scalars(text)).collect();
        let mut masks = vec![0; letters.0.len() + 1];
        for (column, gold) in gold.texts.iter().enumerate() {
            let gold_letters = letters.numbers(gold);
            let length = gold_letters.len();
            if length > 64 {
                let prepared = Gold::new(Measure::Edit, &scalars(gold));
                for (row, text) in texts.iter().enumerate() {
                    let Counts { matched, gold: longer, .. } = prepared.counts(text);
                    costs[row * width + column] = share(longer - matched, longer);
                }
                continue;
            }
            gold_letters.iter().enumerate().for_each(|(at, &letter)| masks[letter as usize] |= 1 << at);
            for (row, text) in numbered.iter().enumerate() {
                let longer = length.max(text.len()) as u64;
                costs[row * width + column] = share(distance(&masks, length, text), longer);
            }
            gold_letters.iter().for_each(|&letter| masks[letter as usize] = 0);
        }
        Costs { width, costs }
    }

    /// The cost of renaming a cell into one of the gold's.
    pub(super) fn rename(&self, cell: Cell, gold: Cell) -> u64 {
        if cell.spans != gold.spans {
            return NODE;
        }
        u64::from(self.costs[cell.text as usize * self.width + gold.text as usize])
    }
}

/// A distance as a share of a node, half up; two empty texts are equal.
fn share(distance: u64, longer: u64) -> u32 {
    ((2 * NODE * distance + longer) / (2 * longer).max(1)) as u32
}

/// Numbers of the letters of a gold, from 1 on.
struct Letters(FxHashMap<char, u32>);

impl Letters {
    fn of(texts: &[&str]) -> Self {
        let mut letters = FxHashMap::default();
        for letter in texts.iter().flat_map(|text| text.chars()) {
            let next = letters.len() as u32 + 1;
            letters.entry(letter).or_insert(next);
        }
        Letters(letters)
    }

    /// The numbers of a text's letters; 0 for those that the gold lacks.
    fn numbers(&self, text: &str) -> Vec<u32> {
        text.chars().map(|letter| self.0.get(&letter).copied().unwrap_or(0)).collect()
    }
}

/// The Levenshtein distance of a text from one of at most 64 letters, whose places are `masks`: bit-parallel (Myers 1999,
/// in the form of Hyyrö 2003). Millions of pairs of short texts are compared, for which the general kernel takes five times
/// as long: it looks each letter up in a table of hashes.
fn distance(masks: &[u64], length: usize, text: &[u32]) -> u64 {
    let (mut positive, mut negative, mut distance) = (!0, 0, length as u64);
    let Some(last) = length.checked_sub(1) else { return text.len() as u64 };
    for &letter in text {
        let equal = masks[letter as usize];
        let diagonal = ((equal & positive).wrapping_add(positive) ^ positive) | equal | negative;
        let up: u64 = negative | !(diagonal | positive);
        let down: u64 = positive & diagonal;
        distance = distance + (up >> last & 1) - (down >> last & 1);
        let up = up << 1 | 1;
        positive = down << 1 | !(diagonal | up);
        negative = up & diagonal;
    }
    distance
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn costs_are_shares_of_the_distance(texts in proptest::collection::vec("[a-c\u{4E00}]{0,90}", 1..8)) {
            let table = |texts: &[String]| {
                let cell = |text: &String| tables::Cell { text: text.clone(), colspan: 1, rowspan: 1 };
                Table { rows: vec![texts.iter().map(cell).collect()] }
            };
            let (left, right) = texts.split_at(texts.len() / 2);
            let (one, other) = (table(left), table(right));
            let (mut of_one, mut of_other) = (Texts::new(true), Texts::new(true));
            let (row, column) = (of_one.rows(&one), of_other.rows(&other));
            let costs = Costs::new(&of_one, &of_other);
            for (at, text) in left.iter().enumerate() {
                for (of_gold, gold) in right.iter().enumerate() {
                    let longer = text.chars().count().max(gold.chars().count()) as u64;
                    let expected = share(strsim::levenshtein(text, gold) as u64, longer);
                    prop_assert_eq!(costs.rename(row[0][at], column[0][of_gold]), u64::from(expected));
                }
            }
        }
    }
}
