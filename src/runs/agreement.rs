//! Pages without gold: how far the texts that different systems extract from them agree. Where they do not, somebody
//! should look, and annotate next.

mod sums;

use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::sums::Kept;
use self::sums::{Lengths, OnPage, Sums, count_of_pairs, median};
use super::row_outcome::RowOutcome;
use super::sites::{MOST_SITES, keep_most_pages};
use super::system::Row;
use crate::algorithms::find;
use crate::datasets::manifest::{GROUPS, Record, SITE};
use crate::page::primary_language;
use crate::scoring::{Counts, ONE};
use crate::text::lcs::Reference;
use crate::text::tokens::Tokenizer;

/// More systems than this are not compared with each other: the pairs grow with their square.
pub const MOST_SYSTEMS: usize = 100;

/// Of more systems the agreement of every two on each group of pages is not summed: that would take the memory of pairs times
/// sites.
pub const MOST_IN_GROUPS: usize = 12;

/// So many of the most disputed pages stand in a summary; `agreement.csv` has all.
const MOST_DISPUTED: usize = 100;

/// What the rows of a plan extracted from a page without gold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageAgreement {
    /// What each row came to, in the order of the plan.
    pub rows: Vec<Extracted>,
    /// Each distinct text: its SHA-256 and its tokens.
    pub texts: Vec<(Arc<str>, u64)>,
    /// The length of a longest common subsequence of each two of them: of the first and each later one, of the second
    /// and each later one, and so on.
    pub matched: Vec<u64>,
}

/// What a row extracted from a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extracted {
    /// The text at this place among the distinct ones.
    Text(usize),
    /// It failed, for this reason.
    Failed(String),
    /// An external program did not answer in time.
    TimedOut(String),
    /// There is no extraction: the row is not compared or was not run on the page, or there was no room for the text.
    NotRun,
}

impl PageAgreement {
    /// Compares what `rows` came to, `outcomes`, whose texts are among `extractions`; equal texts are compared once.
    pub(super) fn of(
        rows: &[Row],
        outcomes: &[RowOutcome],
        extractions: &BTreeMap<Arc<str>, String>,
        tokenizer: &mut Tokenizer<'_>,
    ) -> Self {
        let mut agreement = PageAgreement::default();
        let mut tokens = Vec::new();
        for (row, outcome) in rows.iter().zip(outcomes) {
            let text = match outcome {
                RowOutcome::Scored(result) if row.system.is_compared() => extractions.get_key_value(&result.text),
                _ => None,
            };
            agreement.rows.push(match (outcome, text) {
                (_, Some((digest, text))) => {
                    let known = agreement.texts.iter().position(|(known, _)| known == digest);
                    Extracted::Text(known.unwrap_or_else(|| {
                        let own = tokenizer.tokens(text);
                        agreement.texts.push((digest.clone(), own.len() as u64));
                        tokens.push(own);
                        tokens.len() - 1
                    }))
                }
                (RowOutcome::Failed(failure), _) => Extracted::Failed(failure.reason.clone()),
                (RowOutcome::TimedOut(failure), _) => Extracted::TimedOut(failure.reason.clone()),
                (RowOutcome::Scored(_) | RowOutcome::NotRun | RowOutcome::Without | RowOutcome::Unfit(_), None) => {
                    Extracted::NotRun
                }
            });
        }
        for (place, one) in tokens.iter().enumerate() {
            let reference = Reference::new(one);
            agreement.matched.extend(tokens[place + 1..].iter().map(|other| reference.lcs(other) as u64));
        }
        agreement
    }

    /// Whether the row at `place` extracted an empty text.
    pub fn is_empty(&self, place: usize) -> bool {
        matches!(self.rows[place], Extracted::Text(text) if self.texts[text].1 == 0)
    }

    /// True if the row at `place` extracted something.
    fn has_text(&self, place: usize) -> bool {
        matches!(self.rows[place], Extracted::Text(text) if self.texts[text].1 > 0)
    }

    /// F1 of the texts of the rows at two places, each the other's gold, in units of 1e-12; `None` where one has no text.
    pub fn f1(&self, one: usize, other: usize) -> Option<u64> {
        self.counts(one, other).map(|counts| counts.score().f1)
    }

    /// The counts of the texts of the rows at two places, the other's taken as the gold of the one's; `None` where one
    /// has no text.
    fn counts(&self, one: usize, other: usize) -> Option<Counts> {
        let (Extracted::Text(one), Extracted::Text(other)) = (&self.rows[one], &self.rows[other]) else { return None };
        let [extracted, gold] = [one, other].map(|text| self.texts[*text].1);
        let matched = match one == other {
            true => extracted,
            false => self.matched[pair(*one.min(other), *one.max(other), self.texts.len())],
        };
        Some(Counts { matched, extracted, gold })
    }
}

/// The place of the pair of `first` and `second`, which is greater, among those of `count` things.
fn pair(first: usize, second: usize, count: usize) -> usize {
    first * (2 * count - first - 1) / 2 + second - first - 1
}

/// How far the systems of a run agree on the pages of a dataset that have no gold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DatasetAgreement {
    /// The dataset's name.
    pub dataset: String,
    /// Its pages without gold.
    pub pages: usize,
    /// What is compared.
    pub systems: Vec<ComparedSystem>,
    /// Each two of them: the first and each later one, the second and each later one, and so on.
    pub pairs: Vec<PairAgreement>,
    /// The most disputed pages by [`DisputedPage::texts_f1`], the lowest first, and equal ones in dataset order; pages without
    /// it come last.
    pub disputed: Vec<DisputedPage>,
    /// The number of pages on which some system extracted nothing.
    #[serde(default)]
    pub silent_pages: usize,
    /// Those of them on which most systems did, the most first, and equal ones in dataset order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub silent: Vec<SilentPage>,
    /// The number of all sites of these pages, where `groups` lists only the 10,000 with most pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all_sites: Option<usize>,
    /// The same sums for each site, language, kind, group and split of the pages, by its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub groups: BTreeMap<String, BTreeMap<String, GroupAgreement>>,
}

/// The text that systems keep of the pages of a group, and their agreement on them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GroupAgreement {
    /// Its pages without gold.
    pub pages: usize,
    /// The text that each system keeps of them.
    pub kept: Vec<Kept>,
    /// Each two systems, in the order of those of the dataset; none of more than 12 systems.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<PairAgreement>,
}

/// A system among those that are compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedSystem {
    /// The algorithm with what tells the row from others.
    pub label: String,
    /// Whose texts they are: program, algorithm, parameters, lists.
    pub system: String,
    /// Its place among the rows of the plan.
    #[serde(default)]
    pub row: usize,
    /// The text that it keeps of the pages.
    #[serde(flatten)]
    pub kept: Kept,
    /// The median of the tokens of its texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median: Option<f64>,
}

impl ComparedSystem {
    /// The languages that its algorithm is for, in words; `None` where it is none of carat's.
    pub(crate) fn languages(&self) -> Option<&'static str> {
        let algorithm = find(self.label.split(' ').next()?).ok()?;
        Some(algorithm.declaration().languages)
    }
}

/// How far two systems agree.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PairAgreement {
    /// Pages from which both extracted a text, empty or not.
    pub pages: usize,
    /// The mean over them of F1 of the two texts by the longest common subsequence of tokens; `None` of no page.
    pub f1: Option<f64>,
    /// Tokens that the text of the one has and that of the other does not, and the reverse, summed over these pages.
    #[serde(default)]
    pub only: [u64; 2],
}

/// How far the systems agree on a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DisputedPage {
    /// The page's id.
    pub page: String,
    /// Its site, language and kind; empty where they are not known.
    pub tags: [String; 3],
    /// Pairs of systems that both extracted a text.
    pub pairs: usize,
    /// The mean over them of F1.
    pub f1: f64,
    /// The places of the two that agree least, the first of equal ones: of those that both extracted something, else of all.
    pub least: [usize; 2],
    /// F1 of these two.
    pub least_f1: f64,
    /// The mean of F1 over the pairs of systems that both extracted something: one that extracted nothing may have found
    /// nothing to dispute. `None` of no such pair, and in a run of an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texts_f1: Option<f64>,
    /// Systems that extracted nothing: an empty text, or none because they failed.
    #[serde(default)]
    pub silent: usize,
}

/// A page on which some system extracted nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SilentPage {
    /// The page's id.
    pub page: String,
    /// Systems that extracted nothing: an empty text, or none because they failed.
    pub silent: usize,
    /// Systems that were run on it.
    pub systems: usize,
}

/// The rank of a page among disputed ones, of which the lowest is disputed most: the agreement of the systems that extracted
/// something. Where it is not known, all that is disputed is whether there is a text, so such pages come last.
pub(crate) fn rank(texts_f1: Option<f64>, f1: f64) -> f64 {
    texts_f1.unwrap_or(2.0 + f1)
}

impl DatasetAgreement {
    /// What the systems at two different places come to.
    pub fn pair(&self, one: usize, other: usize) -> PairAgreement {
        self.pairs[pair(one.min(other), one.max(other), self.systems.len())]
    }
}

/// Adds up the agreement of a dataset's pages, one after the other.
#[derive(Default)]
pub(super) struct AgreementTally {
    /// The places of the rows that are compared.
    rows: Vec<usize>,
    all: Sums,
    /// The lengths of each row's texts.
    lengths: Vec<Lengths>,
    /// For each kind of group the sums of each group, by its name.
    groups: [BTreeMap<String, Sums>; GROUPS.len()],
    /// The languages of the pages.
    languages: BTreeSet<Option<String>>,
    disputed: First<DisputedPage>,
    silent_pages: usize,
    silent: First<SilentPage>,
}

/// The pages that come first in an order, and the last of them on top.
struct First<T> {
    heap: BinaryHeap<Ranked<T>>,
}

impl<T> Default for First<T> {
    fn default() -> Self {
        First { heap: BinaryHeap::new() }
    }
}

impl<T> First<T> {
    /// Adds the page `number`, whose rank is `rank`.
    fn add(&mut self, rank: u64, number: usize, page: T) {
        self.heap.push(Ranked { key: (rank, number), page: Box::new(page) });
        if self.heap.len() > MOST_DISPUTED {
            self.heap.pop();
        }
    }

    fn finish(self) -> Vec<T> {
        self.heap.into_sorted_vec().into_iter().map(|ranked| *ranked.page).collect()
    }
}

/// A page by its rank and its number, and what is told of it.
struct Ranked<T> {
    key: (u64, usize),
    page: Box<T>,
}

impl<T> PartialEq for Ranked<T> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl<T> Eq for Ranked<T> {}

impl<T> PartialOrd for Ranked<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Ranked<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key.cmp(&other.key)
    }
}

impl AgreementTally {
    /// Of the rows at `rows`, and no page yet.
    pub(super) fn new(rows: Vec<usize>) -> Self {
        let all = Sums::new(rows.len(), count_of_pairs(rows.len()));
        AgreementTally { all, lengths: vec![Lengths::new(); rows.len()], rows, ..AgreementTally::default() }
    }

    /// Adds a page.
    pub(super) fn add(&mut self, record: &Record, agreement: &PageAgreement) {
        let number = self.all.pages;
        if let Some(page) = compared(&self.rows, record, agreement) {
            // Of twelve digits, as F1 itself.
            let order = (rank(page.texts_f1, page.f1) * ONE as f64).round() as u64;
            self.disputed.add(order, number, page);
        }
        let page = SilentPage::of(&self.rows, record, agreement);
        if page.silent > 0 {
            self.silent_pages += 1;
            self.silent.add(u64::MAX - page.silent as u64, number, page);
        }
        self.languages.insert(record.language.as_deref().and_then(primary_language));
        let page = OnPage::of(&self.rows, agreement);
        self.all.add(&page);
        for (kept, lengths) in page.kept.iter().zip(&mut self.lengths).filter(|(kept, _)| kept.pages > 0) {
            *lengths.entry(kept.tokens).or_default() += 1;
        }
        for ((key, groups), name) in GROUPS.iter().zip(&mut self.groups).zip(record.groups()) {
            // A page whose site is not known has its id for a site, and would be a group of its own.
            let Some(name) = name.filter(|name| *key != GROUPS[SITE] || **name != record.id) else { continue };
            match groups.get_mut(name) {
                Some(sums) => sums.add(&page),
                None => groups.entry(name.clone()).or_insert_with(|| Sums::of_group(self.rows.len())).add(&page),
            }
        }
    }

    /// What it comes to for `dataset`; `None` of no page. `system` tells of a row that was compared on pages in these
    /// languages.
    pub(super) fn finish(
        self,
        dataset: &str,
        system: impl Fn(usize, &BTreeSet<Option<String>>) -> ComparedSystem,
    ) -> Option<DatasetAgreement> {
        let pairs = self.all.pairs();
        let systems = self.rows.iter().zip(self.all.kept).zip(&self.lengths);
        let systems = systems.map(|((&row, kept), lengths)| ComparedSystem {
            kept,
            median: median(lengths),
            ..system(row, &self.languages)
        });
        let named = |(name, sums): (String, Sums)| (name, sums.finish_group());
        let all_sites = Some(self.groups[SITE].len()).filter(|&sites| sites > MOST_SITES);
        let mut groups = self.groups.map(|groups| groups.into_iter().collect::<Vec<_>>());
        keep_most_pages(&mut groups[SITE], |(_, sums)| sums.pages as u64);
        let groups = GROUPS.iter().zip(groups).filter(|(_, groups)| !groups.is_empty());
        let groups = groups.map(|(key, groups)| ((*key).to_owned(), groups.into_iter().map(named).collect()));
        (self.all.pages > 0).then(|| DatasetAgreement {
            dataset: dataset.to_owned(),
            pages: self.all.pages,
            systems: systems.collect(),
            pairs,
            disputed: self.disputed.finish(),
            silent_pages: self.silent_pages,
            silent: self.silent.finish(),
            all_sites,
            groups: groups.collect(),
        })
    }
}

/// Each two places of `rows`, the smaller one first.
fn pairs_of(rows: &[usize]) -> impl Iterator<Item = [usize; 2]> + use<> {
    let count = rows.len();
    (0..count).flat_map(move |one| (one + 1..count).map(move |other| [one, other]))
}

impl SilentPage {
    /// The systems at `rows` that extracted nothing from a page.
    fn of(rows: &[usize], record: &Record, agreement: &PageAgreement) -> Self {
        let run = rows.iter().filter(|row| agreement.rows[**row] != Extracted::NotRun);
        let [mut silent, mut systems] = [0, 0];
        run.for_each(|&row| {
            systems += 1;
            silent += usize::from(!agreement.has_text(row));
        });
        SilentPage { page: record.id.clone(), silent, systems }
    }
}

/// The agreement of the systems at `rows` on a page; `None` where no two of them extracted a text, empty or not.
pub(super) fn compared(rows: &[usize], record: &Record, agreement: &PageAgreement) -> Option<DisputedPage> {
    let f1 = |places: [usize; 2]| Some((agreement.f1(rows[places[0]], rows[places[1]])?, places));
    let known: Vec<(u64, [usize; 2])> = pairs_of(rows).filter_map(f1).collect();
    let shown = |value: u64| value as f64 / ONE as f64;
    let have_texts = |(_, places): &&(u64, [usize; 2])| places.iter().all(|&place| agreement.has_text(rows[place]));
    // Two texts show a dispute; an empty one shows none.
    let &(least_f1, least) = known.iter().filter(have_texts).min().or_else(|| known.iter().min())?;
    let tags = [&record.site, &record.language, &record.kind].map(|tag| tag.clone().unwrap_or_default());
    Some(DisputedPage {
        page: record.id.clone(),
        tags,
        pairs: known.len(),
        f1: shown(mean(known.iter())?),
        least,
        least_f1: shown(least_f1),
        texts_f1: mean(known.iter().filter(have_texts)).map(shown),
        silent: SilentPage::of(rows, record, agreement).silent,
    })
}

/// The mean of F1 over pairs; `None` of none.
fn mean<'p>(pairs: impl Iterator<Item = &'p (u64, [usize; 2])>) -> Option<u64> {
    let (mut sum, mut count) = (0, 0);
    pairs.for_each(|(f1, _)| {
        sum += u128::from(*f1);
        count += 1;
    });
    (count > 0).then(|| ((2 * sum + count) / (2 * count)) as u64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::algorithms::find;
    use crate::algorithms::parameters::Values;
    use crate::formats::digest::sha256;
    use crate::runs::own::OwnAlgorithm;
    use crate::runs::row_outcome::{RowFailure, RowResult};
    use crate::text::marks::Marks;
    use crate::text::tokens::{Case, TokenKind};
    use crate::text::words::Segmenter;

    fn row() -> Row {
        let algorithm = find("all-text").unwrap();
        let setting = algorithm.setting(&Values::new()).unwrap();
        Row::new(OwnAlgorithm { algorithm, setting }, Vec::new())
    }

    /// What rows with these texts come to; `!` failed, `-` was not run.
    fn agreement(texts: &[&str]) -> PageAgreement {
        let mut extractions = BTreeMap::new();
        let outcome = |text: &&str| match *text {
            "-" => RowOutcome::NotRun,
            "!" => RowOutcome::Failed(RowFailure { reason: "broken".to_owned(), counts: Counts::default() }),
            text => {
                let digest: Arc<str> = sha256(text.as_bytes()).into();
                extractions.insert(digest.clone(), text.to_owned());
                let counts = Counts::default();
                RowOutcome::Scored(RowResult::new(counts, digest, Marks::default()))
            }
        };
        let outcomes: Vec<RowOutcome> = texts.iter().map(outcome).collect();
        let rows = vec![row(); texts.len()];
        let segmenter = Segmenter::default();
        let mut tokenizer = Tokenizer::new(TokenKind::Char, Case::Keep, &segmenter);
        PageAgreement::of(&rows, &outcomes, &extractions, &mut tokenizer)
    }

    fn record(id: &str) -> Record {
        Record { id: id.to_owned(), ..Record::default() }
    }

    #[test]
    fn texts_are_compared_as_by_hand_and_equal_ones_once() {
        // abcd and abxd share abd: 2 * 3 / 8; abcd and empty nothing; abcd and abcdabcd share 4: 2 * 4 / 12.
        let page = agreement(&["abcd", "abxd", "", "ab cd", "abcd", "abcdabcd", "!", "-"]);
        assert_eq!((page.texts.len(), page.matched.len()), (5, 10));
        let f1 = |one, other| page.f1(one, other).map(|f1| f1 as f64 / ONE as f64);
        assert_eq!((f1(0, 1), f1(0, 2), f1(0, 3), f1(0, 4)), (Some(0.75), Some(0.0), Some(1.0), Some(1.0)));
        assert_eq!((f1(5, 0), f1(2, 2)), (Some(0.666666666667), Some(1.0)));
        assert_eq!((f1(0, 6), f1(7, 0)), (None, None));
        assert_eq!(page.rows[6], Extracted::Failed("broken".to_owned()));
    }

    #[test]
    fn pairs_have_means_over_their_own_pages_and_the_most_disputed_come_first() {
        let mut tally = AgreementTally::new(vec![0, 1, 2]);
        // Pairs 01, 02, 12: one 1 1 1; two 0.75, 0, 0: mean 0.25; three: 02 alone, 0.5.
        tally.add(&record("one"), &agreement(&["ab", "ab", "ab"]));
        tally.add(&record("two"), &agreement(&["abcd", "abxd", "yz"]));
        tally.add(&record("three"), &agreement(&["ab", "!", "ax"]));
        tally.add(&record("none"), &agreement(&["ab", "!", "-"]));
        let system = |row: usize, _: &BTreeSet<Option<String>>| ComparedSystem {
            row,
            label: ["a", "b", "c"][row].to_owned(),
            ..ComparedSystem::default()
        };
        let found = tally.finish("d", system).unwrap();
        let pairs: Vec<(usize, f64)> = found.pairs.iter().map(|pair| (pair.pages, pair.f1.unwrap())).collect();
        assert_eq!(pairs, [(2, 0.875), (3, 0.5), (2, 0.5)]);
        assert_eq!((found.pages, found.pair(2, 0), found.pair(1, 2)), (4, found.pairs[1], found.pairs[2]));
        let disputed: Vec<(&str, usize, f64, [usize; 2])> =
            found.disputed.iter().map(|page| (page.page.as_str(), page.pairs, page.f1, page.least)).collect();
        assert_eq!(disputed, [("two", 3, 0.25, [0, 2]), ("three", 1, 0.5, [0, 2]), ("one", 3, 1.0, [0, 1])]);
    }

    #[test]
    fn empty_texts_are_counted_in_the_mean_and_only_two_texts_are_the_least() {
        let mut tally = AgreementTally::new(vec![0, 1, 2]);
        tally.add(&record("one"), &agreement(&["", "abcd", "abxy"]));
        tally.add(&record("two"), &agreement(&["", "abcd", "!"]));
        let system = |row: usize, _: &BTreeSet<Option<String>>| ComparedSystem {
            label: row.to_string(),
            ..ComparedSystem::default()
        };
        let found = tally.finish("d", system).unwrap();
        assert_eq!(found.systems.iter().map(|system| system.kept.empty).collect::<Vec<_>>(), [2, 0, 0]);
        let least: Vec<(&str, [usize; 2], f64)> =
            found.disputed.iter().map(|page| (page.page.as_str(), page.least, page.least_f1)).collect();
        // On the second there are no two texts.
        assert_eq!(least, [("one", [1, 2], 0.5), ("two", [0, 1], 0.0)]);
        assert_eq!(found.disputed.iter().map(|page| page.texts_f1).collect::<Vec<_>>(), [Some(0.5), None]);
    }

    #[test]
    fn pages_lead_for_the_texts_that_differ_and_not_for_those_that_lack() {
        let found = tallied(&[
            // Of three pairs two are of an empty text: F1 1/3 in the mean, 1 of the texts.
            ("a", "en", ["abcd", "abcd", ""]),
            ("a", "en", ["abcd", "abxy", "abcd"]),
            ("a", "en", ["abcd", "abxy", "!"]),
            ("a", "en", ["abcd", "", ""]),
            ("a", "en", ["", "", "!"]),
            ("a", "en", ["abcd", "!", ""]),
        ]);
        let told = |page: &DisputedPage| (page.page.clone(), (page.f1 * 1e6).round() / 1e6, page.texts_f1, page.silent);
        let of = |page: &str, f1, texts_f1: Option<f64>, silent| (page.to_owned(), f1, texts_f1, silent);
        assert_eq!(
            found.disputed.iter().map(told).collect::<Vec<_>>(),
            [
                of("p2", 0.5, Some(0.5), 1),
                of("p1", 0.666667, Some(0.666666666667), 0),
                of("p0", 0.333333, Some(1.0), 1),
                of("p5", 0.0, None, 2),
                of("p3", 0.333333, None, 2),
                of("p4", 1.0, None, 3),
            ]
        );
        let silent: Vec<(&str, usize, usize)> =
            found.silent.iter().map(|page| (page.page.as_str(), page.silent, page.systems)).collect();
        assert_eq!(silent, [("p4", 3, 3), ("p3", 2, 3), ("p5", 2, 3), ("p0", 1, 3), ("p2", 1, 3)]);
        let found = tallied(&[("a", "en", ["abcd", "-", ""])]);
        assert_eq!((found.silent_pages, found.silent[0].systems), (1, 2), "a system that was not run is not counted");
    }

    /// A tally of three systems over pages with these texts, each of a site and a language.
    fn tallied(pages: &[(&str, &str, [&str; 3])]) -> DatasetAgreement {
        let mut tally = AgreementTally::new(vec![0, 1, 2]);
        for (number, (site, language, texts)) in pages.iter().enumerate() {
            let [site, language] = [site, language].map(|name| Some((*name).to_owned()));
            tally.add(&Record { site, language, ..record(&format!("p{number}")) }, &agreement(texts));
        }
        tally.finish("d", |_, _| ComparedSystem::default()).unwrap()
    }

    #[test]
    fn of_too_many_sites_those_with_most_pages_are_listed() {
        let names: Vec<String> = (0..=MOST_SITES).map(|site| format!("s{site:05}")).collect();
        let texts = ["abc", "abd", "x"];
        let of = |sites: &[String]| {
            let last = sites.last().map(String::as_str);
            let pages: Vec<_> = sites.iter().map(String::as_str).chain(last).map(|site| (site, "en", texts)).collect();
            tallied(&pages)
        };
        let some = of(&names);
        let listed: Vec<&String> = some.groups["site"].keys().collect();
        let expected: Vec<&String> = names[..MOST_SITES - 1].iter().chain(names.last()).collect();
        assert!(listed == expected, "{:?}", &listed[MOST_SITES - 2..]);
        assert_eq!((some.all_sites, some.groups["language"]["en"].pages), (Some(MOST_SITES + 1), MOST_SITES + 2));
        let all = of(&names[1..]);
        assert_eq!((all.all_sites, all.groups["site"].len()), (None, MOST_SITES));
    }

    #[test]
    fn what_systems_keep_and_others_add_is_as_by_hand_in_all_and_by_group() {
        // abcd and abxd share abd; yz shares nothing, so that it lacks 4 of either, and each of them 2 of it.
        let found = tallied(&[
            ("a.org", "en", ["abcd", "abxd", "yz"]),
            ("a.org", "zh", ["ab", "!", ""]),
            ("p2", "en", ["ab", "abc", "-"]),
        ]);
        let kept: Vec<[u64; 5]> = found.systems.iter().map(|system| in_numbers(&system.kept)).collect();
        assert_eq!(kept, [[3, 0, 0, 8, 3], [2, 1, 0, 7, 2], [2, 0, 1, 2, 6]]);
        assert_eq!(found.systems.iter().map(|system| system.median).collect::<Vec<_>>(), [2.0, 3.5, 1.0].map(Some));
        let only: Vec<[u64; 2]> = found.pairs.iter().map(|pair| pair.only).collect();
        assert_eq!(only, [[1, 2], [6, 2], [4, 2]]);
        assert_eq!(found.groups.keys().collect::<Vec<_>>(), ["language", "site"]);
        // The site of the last page is not known: it is its id.
        assert_eq!(found.groups["site"].keys().collect::<Vec<_>>(), ["a.org"]);
        let english = &found.groups["language"]["en"];
        let kept: Vec<[u64; 5]> = english.kept.iter().map(in_numbers).collect();
        assert_eq!((english.pages, kept), (2, vec![[2, 0, 0, 6, 3], [2, 0, 0, 7, 2], [1, 0, 0, 2, 4]]));
        let pairs: Vec<(usize, [u64; 2])> = english.pairs.iter().map(|pair| (pair.pages, pair.only)).collect();
        assert_eq!(pairs, [(2, [1, 2]), (1, [4, 2]), (1, [4, 2])]);
        let f1: Vec<f64> = english.pairs.iter().map(|pair| (pair.f1.unwrap() * 1e6).round() / 1e6).collect();
        assert_eq!(f1, [0.775, 0.0, 0.0]);
    }

    fn in_numbers(kept: &Kept) -> [u64; 5] {
        [kept.pages as u64, kept.failed as u64, kept.empty as u64, kept.tokens, kept.others_add]
    }

    #[test]
    fn the_pairs_of_many_systems_are_not_summed_by_group() {
        for (systems, pairs) in [(MOST_IN_GROUPS, 66), (MOST_IN_GROUPS + 1, 0)] {
            let mut tally = AgreementTally::new((0..systems).collect());
            let page = Record { language: Some("en".to_owned()), ..record("one") };
            tally.add(&page, &agreement(&vec!["ab"; systems]));
            let found = tally.finish("d", |_, _| ComparedSystem::default()).unwrap();
            let english = &found.groups["language"]["en"];
            assert_eq!((english.kept.len(), english.pairs.len()), (systems, pairs));
        }
    }

    #[test]
    fn only_the_most_disputed_pages_are_kept_the_first_of_equal_ones() {
        let mut tally = AgreementTally::new(vec![0, 1]);
        (0..150).for_each(|page| tally.add(&record(&format!("same-{page}")), &agreement(&["ab", "ab"])));
        tally.add(&record("last"), &agreement(&["ab", "xy"]));
        let system = |_: usize, _: &BTreeSet<Option<String>>| ComparedSystem::default();
        let found = tally.finish("d", system).unwrap();
        assert_eq!((found.pages, found.disputed.len()), (151, MOST_DISPUTED));
        assert_eq!((found.disputed[0].page.as_str(), found.disputed[99].page.as_str()), ("last", "same-98"));
    }

    proptest! {
        #[test]
        fn agreement_is_symmetric_and_whole_with_itself(texts in proptest::collection::vec("[ab ]{0,6}", 2..6)) {
            let forward: Vec<&str> = texts.iter().map(String::as_str).collect();
            let backward: Vec<&str> = forward.iter().rev().copied().collect();
            let (page, reversed) = (agreement(&forward), agreement(&backward));
            let last = texts.len() - 1;
            for one in 0..=last {
                prop_assert_eq!(page.f1(one, one), Some(ONE));
                for other in 0..=last {
                    prop_assert_eq!(page.f1(one, other), page.f1(other, one));
                    prop_assert_eq!(page.f1(one, other), reversed.f1(last - one, last - other));
                }
            }
        }
    }
}
