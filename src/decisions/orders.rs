//! The test of an order of rows under an exact measure, and the pages on which a rule and that measure differ most.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::compare::{ComparedRow, Pair};
use crate::runs::scores::{RowKey, Scores};
use crate::statistics::{Estimate, Part, Verdict, fraction};

/// The verdict of the exact measure on two rows of which one was placed above the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Survival {
    /// The rows are told apart, in this order.
    Confirmed,
    /// The rows are told apart, in the other order.
    Contradicted,
    /// The rows are not told apart.
    NotSeparable,
    /// Both rows have the same figure in the order, so neither was placed above the other.
    Equal,
}

impl Survival {
    /// Of the figures of the order and the exact means of two rows, which are told apart or not.
    pub fn of(figures: [f64; 2], exact: [f64; 2], are_separated: bool) -> Self {
        let one_above = |[one, other]: [f64; 2]| one > other;
        match are_separated {
            _ if figures[0] == figures[1] => Survival::Equal,
            false => Survival::NotSeparable,
            true if one_above(figures) == one_above(exact) => Survival::Confirmed,
            true => Survival::Contradicted,
        }
    }

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Survival::Confirmed => "confirmed",
            Survival::Contradicted => "contradicted",
            Survival::NotSeparable => "not separable",
            Survival::Equal => "equal figures",
        }
    }
}

/// The number of pairs of rows of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Told apart in the order.
    pub confirmed: usize,
    /// Told apart in the other order.
    pub contradicted: usize,
    /// Not told apart.
    pub not_separable: usize,
    /// Of equal figures in the order.
    pub equal: usize,
}

impl Tally {
    /// Counts `pairs`.
    pub fn of(pairs: impl IntoIterator<Item = Survival>) -> Self {
        let mut tally = Tally::default();
        for survival in pairs {
            match survival {
                Survival::Confirmed => tally.confirmed += 1,
                Survival::Contradicted => tally.contradicted += 1,
                Survival::NotSeparable => tally.not_separable += 1,
                Survival::Equal => tally.equal += 1,
            }
        }
        tally
    }

    /// All of them.
    pub fn pairs(&self) -> usize {
        self.confirmed + self.contradicted + self.not_separable + self.equal
    }
}

/// An order of rows, and what the exact measure says of it.
#[derive(Clone, Debug, Serialize)]
pub struct Order {
    /// The rows, that with the highest figure first.
    pub rows: Vec<OrderedRow>,
    /// The pairs of neighbours.
    pub neighbours: Tally,
    /// All pairs.
    pub pairs: Tally,
    /// The pairs that the exact measure contradicts, those of the largest difference first.
    pub contradicted: Vec<Contradicted>,
}

/// A row in its order.
#[derive(Clone, Debug, Serialize)]
pub struct OrderedRow {
    /// Its name.
    pub name: String,
    /// The figure that places it.
    pub figure: f64,
    /// Its place by the exact measure, counted from 1.
    pub exact_place: usize,
    /// Its mean by the exact measure.
    pub exact: Estimate,
    /// Rows that share a letter are not told apart by the exact measure.
    pub letters: String,
    /// The verdict of the exact measure on it and the next row; `None` of the last.
    pub over_next: Option<Survival>,
}

/// A pair of rows in the wrong order.
#[derive(Clone, Debug, Serialize)]
pub struct Contradicted {
    /// The row that stands above.
    pub above: String,
    /// The one that stands below, and is better.
    pub below: String,
    /// The exact measure's mean difference, that of the row above less that of the row below.
    pub difference: f64,
    /// The p of the test, corrected for all pairs.
    pub p: f64,
}

/// The test of the order of `figures`, by names of rows. `compared` are the rows that an exact measure ranks, best first,
/// and `comparisons` all pairs of them; rows that were not compared are left out.
pub fn order(figures: &[(String, f64)], compared: &[ComparedRow], comparisons: &[Pair]) -> Order {
    let places: BTreeMap<&str, usize> =
        compared.iter().enumerate().map(|(place, row)| (row.name.as_str(), place)).collect();
    let known = figures.iter().filter_map(|(name, figure)| Some((*places.get(name.as_str())?, *figure)));
    let mut rows: Vec<(usize, f64)> = known.collect();
    rows.sort_by(|one, other| other.1.total_cmp(&one.1));
    let pairs: BTreeMap<(usize, usize), &Pair> =
        comparisons.iter().map(|pair| ((pair.row, pair.against), pair)).collect();
    let pair_of = |one: usize, other: usize| pairs.get(&(one, other)).or_else(|| pairs.get(&(other, one))).copied();
    let exact = |place: usize| compared[place].mean.point;
    let survival = |one: (usize, f64), other: (usize, f64)| {
        let verdict = pair_of(one.0, other.0).map(|pair| pair.verdict);
        let are_separated = matches!(verdict, Some(Verdict::Better | Verdict::Worse));
        Survival::of([one.1, other.1], [exact(one.0), exact(other.0)], are_separated)
    };
    let every_pair =
        || rows.iter().enumerate().flat_map(|(at, one)| rows[at + 1..].iter().map(move |other| (*one, *other)));
    let mut contradicted: Vec<Contradicted> = every_pair()
        .filter(|(one, other)| survival(*one, *other) == Survival::Contradicted)
        .map(|(one, other)| Contradicted {
            above: compared[one.0].name.clone(),
            below: compared[other.0].name.clone(),
            difference: exact(one.0) - exact(other.0),
            p: pair_of(one.0, other.0).map_or(1.0, |pair| pair.corrected),
        })
        .collect();
    contradicted.sort_by(|one, other| one.difference.total_cmp(&other.difference));
    let over_next: Vec<Survival> = rows.windows(2).map(|pair| survival(pair[0], pair[1])).collect();
    let mut by_exact: Vec<usize> = rows.iter().map(|(place, _)| *place).collect();
    by_exact.sort_unstable();
    let row = |(at, &(place, figure)): (usize, &(usize, f64))| OrderedRow {
        name: compared[place].name.clone(),
        figure,
        exact_place: by_exact.partition_point(|&other| other < place) + 1,
        exact: compared[place].mean,
        letters: compared[place].letters.clone(),
        over_next: over_next.get(at).copied(),
    };
    Order {
        neighbours: Tally::of(over_next.iter().copied()),
        pairs: Tally::of(every_pair().map(|(one, other)| survival(one, other))),
        contradicted,
        rows: rows.iter().enumerate().map(row).collect(),
    }
}

/// A page on which a rule and the exact measure differ.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Differing {
    /// Its id.
    pub page: String,
    /// The row that they differ on most there.
    pub row: String,
    /// Its F1 by the rule.
    pub rule: f64,
    /// Its F1 by the longest common subsequence of the rule's tokens.
    pub same_tokens: f64,
    /// Its F1 by the exact measure.
    pub exact: f64,
}

impl Differing {
    /// True if more of the difference is due to how the rule counts than to what its tokens are.
    pub fn is_of_measure(&self) -> bool {
        (self.rule - self.same_tokens).abs() >= (self.same_tokens - self.exact).abs()
    }
}

/// The `most` pages on which a rule and the exact measure differ most, each with the row of `names` that they differ on most there.
/// `scores` are of one run by the rule, by the longest common subsequence of its tokens, and by the exact measure.
pub fn differing(scores: [&Scores; 3], names: &BTreeSet<String>, most: usize) -> Vec<Differing> {
    let [by_rule, by_tokens, by_exact] = scores;
    let mut pages: BTreeMap<&str, Differing> = BTreeMap::new();
    for (key, of_row) in by_rule {
        let name = name_of(key);
        let (Some(same), Some(exact)) = (by_tokens.get(key), by_exact.get(key)) else { continue };
        if !names.contains(&name) {
            continue;
        }
        for (page, score) in of_row {
            let (Some(same), Some(exact)) = (same.get(page), exact.get(page)) else { continue };
            let [rule, same_tokens, exact] = [score, same, exact].map(|score| fraction(score.score[Part::F1 as usize]));
            let found = Differing { page: page.clone(), row: name.clone(), rule, same_tokens, exact };
            match pages.get(page.as_str()) {
                Some(known) if distance(known) >= distance(&found) => {}
                _ => drop(pages.insert(page, found)),
            }
        }
    }
    let mut found: Vec<Differing> = pages.into_values().filter(|page| distance(page) > 0.0).collect();
    // Pages come by id, and sorting keeps the order of equal ones.
    found.sort_by(|one, other| distance(other).total_cmp(&distance(one)));
    found.truncate(most);
    found
}

fn distance(page: &Differing) -> f64 {
    (page.rule - page.exact).abs()
}

/// The name of a row where it is compared.
fn name_of((_, algorithm, label): &RowKey) -> String {
    if label.is_empty() { algorithm.clone() } else { format!("{algorithm} {label}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::scores::{PageScore, RowScores};
    use crate::statistics::{Correction, Paired, Sampling};

    const UNIT: u64 = 1_000_000_000_000;

    #[test]
    fn a_pair_survives_where_it_is_told_apart_in_the_same_order() {
        let of = Survival::of;
        assert_eq!(of([0.9, 0.8], [0.7, 0.6], true), Survival::Confirmed);
        assert_eq!(of([0.9, 0.8], [0.6, 0.7], true), Survival::Contradicted);
        assert_eq!(of([0.9, 0.8], [0.6, 0.7], false), Survival::NotSeparable);
        assert_eq!(of([0.9, 0.9], [0.6, 0.7], true), Survival::Equal);
        assert_eq!(of([0.8, 0.9], [0.6, 0.7], true), Survival::Confirmed);
    }

    /// Rows, given by name and by their scores in hundredths on a page of each of eight sites, the best first.
    fn compared(rows: &[(&str, [u64; 8])]) -> (Vec<ComparedRow>, Vec<Pair>) {
        let scores = rows.iter().map(|(_, scores)| scores.map(|score| score * UNIT / 100).to_vec()).collect();
        let paired = Paired::new(scores, (0..8).collect(), Sampling::default());
        let tested = paired.test_all(&(0..rows.len()).collect::<Vec<_>>(), Correction::Holm);
        let pair = |&(row, against): &(usize, usize)| {
            let (comparison, corrected) = (paired.compare(row, against), tested.corrected(row, against));
            let verdict = comparison.verdict(corrected);
            Pair { row, against, heaviest_page: None, corrected, verdict, comparison }
        };
        let row = |(place, (name, _)): (usize, &(&str, _))| ComparedRow {
            name: (*name).to_owned(),
            system: String::new(),
            mean: paired.estimate(place),
            median: paired.median(place),
            letters: tested.letters[place].clone(),
            left_out: 0,
            lacks: 0,
            not_run: 0,
            same_as: place,
        };
        (rows.iter().enumerate().map(row).collect(), tested.pairs.iter().map(pair).collect())
    }

    #[test]
    fn an_order_is_confirmed_contradicted_or_open_pair_by_pair() {
        // The exact measure has b above a on every site, d below all on every site, and cannot tell a from c.
        let (rows, pairs) =
            compared(&[("b", [95; 8]), ("a", [90; 8]), ("c", [84, 94, 84, 94, 84, 94, 84, 94]), ("d", [10; 8])]);
        let figures = [("d", 0.7), ("a", 0.9), ("elsewhere", 0.85), ("b", 0.8), ("c", 0.8)];
        let order = order(&figures.map(|(name, figure)| (name.to_owned(), figure)), &rows, &pairs);
        let rows: Vec<(&str, usize, Option<Survival>)> =
            order.rows.iter().map(|row| (row.name.as_str(), row.exact_place, row.over_next)).collect();
        let expected = [
            ("a", 2, Some(Survival::Contradicted)),
            ("b", 1, Some(Survival::Equal)),
            ("c", 3, Some(Survival::Confirmed)),
            ("d", 4, None),
        ];
        assert_eq!(rows, expected);
        assert_eq!(order.neighbours, Tally { confirmed: 1, contradicted: 1, not_separable: 0, equal: 1 });
        // a and d, b and d, c and d; a and b; a and c; b and c.
        assert_eq!(order.pairs, Tally { confirmed: 3, contradicted: 1, not_separable: 1, equal: 1 });
        assert_eq!(order.pairs.pairs(), 6);
        let [wrong] = &order.contradicted[..] else { panic!("{:?}", order.contradicted) };
        assert_eq!((wrong.above.as_str(), wrong.below.as_str()), ("a", "b"));
        assert!((wrong.difference + 0.05).abs() < 1e-9, "{wrong:?}");
        // Of eight sites that all agree 2 of 256 flips are as far from zero, and no other p of the six is smaller.
        assert!(wrong.p <= 6.0 * 2.0 / 256.0 + 1e-9, "{wrong:?}");
        let letters: Vec<&str> = order.rows.iter().map(|row| row.letters.as_str()).collect();
        assert!(letters[0].chars().any(|letter| letters[2].contains(letter)), "{letters:?}");
        assert!(!letters[0].chars().any(|letter| letters[1].contains(letter)), "{letters:?}");
    }

    #[test]
    fn pages_are_told_by_the_row_that_differs_most_there() {
        let of = |pages: &[(&str, u64)]| -> RowScores {
            let score = |matched| PageScore::new("s".to_owned(), [matched, 100, 100], false);
            pages.iter().map(|(page, matched)| ((*page).to_owned(), score(*matched))).collect()
        };
        let scores = |a: &[(&str, u64)], b: &[(&str, u64)]| -> Scores {
            let row = |name: &str| ("d".to_owned(), name.to_owned(), String::new());
            [(row("a"), of(a)), (row("b"), of(b))].into()
        };
        let rule = scores(&[("1", 50), ("2", 90), ("3", 40)], &[("1", 20), ("2", 90), ("3", 0)]);
        let tokens = scores(&[("1", 90), ("2", 90), ("3", 45)], &[("1", 90), ("2", 90), ("3", 0)]);
        let exact = scores(&[("1", 90), ("2", 90), ("3", 70)], &[("1", 90), ("2", 90), ("3", 99)]);
        let all = BTreeSet::from(["a", "b"].map(str::to_owned));
        let found = differing([&rule, &tokens, &exact], &all, 5);
        let told: Vec<(&str, &str, bool)> =
            found.iter().map(|page| (page.page.as_str(), page.row.as_str(), page.is_of_measure())).collect();
        assert_eq!(told, [("3", "b", false), ("1", "b", true)]);
        let only = differing([&rule, &tokens, &exact], &BTreeSet::from(["a".to_owned()]), 1);
        assert_eq!((only.len(), only[0].page.as_str(), only[0].rule, only[0].exact), (1, "1", 0.5, 0.9));
    }
}
