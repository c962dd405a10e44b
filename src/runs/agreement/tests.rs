//! The agreement of made texts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;

use super::first::MOST_DISPUTED;
use super::*;
use crate::algorithms::find;
use crate::algorithms::parameters::Values;
use crate::datasets::manifest::Record;
use crate::formats::digest::sha256;
use crate::runs::own::OwnAlgorithm;
use crate::runs::row_outcome::{RowFailure, RowOutcome, RowResult};
use crate::runs::sites::MOST_SITES;
use crate::runs::system::Row;
use crate::scoring::{Counts, ONE};
use crate::text::marks::Marks;
use crate::text::tokens::{Case, TokenKind, Tokenizer};
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
