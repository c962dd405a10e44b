//! The verdict on made snapshots.

use super::super::snapshot::examples::{row, snapshot};
use super::*;
use crate::algorithms::value::Value;
use crate::runs::rules::{Slowness, Tolerance};
use crate::text::marks::Marks;

type Counts = Option<[u64; 3]>;

/// Of the dataset `d`, one page a site, sites in order; all of one row.
fn of(counts: &[Counts]) -> Snapshot {
    let sites: Vec<String> = (0..counts.len()).map(|site| format!("s{site:03}")).collect();
    let pages: Vec<(&str, Counts)> = sites.iter().map(String::as_str).zip(counts.iter().copied()).collect();
    snapshot(vec![row("nta", &pages)])
}

fn judged(baseline: &Snapshot, run: &Snapshot, rules: &Rules) -> Judgement {
    judge(baseline, run, rules, &Sampling::default(), &|dataset, row, page| format!("show {dataset} {row} {page}"))
}

/// Each rule with what it comes to.
fn told(judgement: &Judgement) -> Vec<(&str, Outcome)> {
    let checks = judgement.rows.iter().flat_map(|row| &row.checks);
    checks.map(|check| (check.rule.as_str(), check.outcome)).collect()
}

const RIGHT: Counts = Some([201, 201, 201]);
/// F1 0.995.
const NEARLY: Counts = Some([199, 199, 201]);
const WRONG: Counts = Some([0, 201, 201]);

#[test]
fn the_same_scores_pass_of_however_few_sites() {
    for sites in [1, 3, 30] {
        let same = of(&vec![NEARLY; sites]);
        let judgement = judged(&same, &same, &Rules::default());
        assert_eq!(judgement.verdict, Verdict::Passed);
        assert_eq!(judgement.rows[0].higher_equal_lower, [0, sites, 0]);
        let check = &judgement.rows[0].checks[0];
        assert_eq!(check.figure.as_ref().map(|figure| (figure.difference, figure.interval)), Some((0.0, None)));
    }
}

#[test]
fn a_fall_of_a_figure_beyond_its_tolerance_fails_and_one_within_it_does_not() {
    let (before, now) = (of(&[RIGHT; 30]), of(&[NEARLY; 30]));
    let judgement = judged(&before, &now, &Rules::default());
    // Exactly 0.005 lower, which is borne.
    assert_eq!(told(&judgement)[0], ("macro_f1", Outcome::Passed));
    assert_eq!((judgement.verdict, judgement.rows[0].higher_equal_lower), (Verdict::Passed, [0, 0, 30]));
    let mut rules = Rules::default();
    rules.figures[0].1.fall -= 1;
    let judgement = judged(&before, &now, &rules);
    assert_eq!(judgement.verdict, Verdict::Fell);
    assert_eq!(told(&judgement)[..2], [("macro_f1", Outcome::Broken), ("page_f1", Outcome::Passed)]);
    let check = &judgement.rows[0].checks[0];
    let figure = check.figure.as_ref().unwrap();
    assert_eq!((figure.baseline, figure.value, figure.difference), (1.0, 0.995, -0.005));
    assert_eq!((figure.limit, check.worst.len()), (0.995000000001, 30));
    rules.figures[0].1.level = Level::Warn;
    let judgement = judged(&before, &now, &rules);
    assert_eq!((judgement.verdict, told(&judgement)[0].1), (Verdict::Passed, Outcome::Broken));
    rules.figures[0].1.level = Level::Off;
    assert_eq!(told(&judged(&before, &now, &rules)).len(), 7);
}

#[test]
fn one_page_under_its_floor_is_named_and_the_figure_is_not_judged_by_it() {
    let (before, mut counts) = (of(&[RIGHT; 30]), [RIGHT; 30]);
    (counts[7], counts[9]) = (WRONG, NEARLY);
    let judgement = judged(&before, &of(&counts), &Rules::default());
    assert_eq!(judgement.verdict, Verdict::Fell);
    assert_eq!(
        told(&judgement),
        [
            // Two sites of thirty: without the one there is hardly a fall.
            ("macro_f1", Outcome::CannotJudge),
            ("page_f1", Outcome::Broken),
            ("site_f1", Outcome::NothingToJudge),
            ("white_space", Outcome::Passed),
            ("unseen", Outcome::Passed),
            ("markup", Outcome::Passed),
            ("texts", Outcome::Broken),
            ("new_failures", Outcome::Passed)
        ]
    );
    let worst = &judgement.rows[0].checks[1].worst;
    assert_eq!(worst.len(), 1);
    assert_eq!((worst[0].page.as_str(), worst[0].limit, worst[0].value), ("p007", Some(0.98), Some(0.0)));
    assert_eq!(worst[0].command.as_deref(), Some("show d nta p007"));
    assert_eq!(judgement.rows[0].checks[0].worst.len(), 2);
}

#[test]
fn of_too_few_sites_nothing_is_known_and_the_detectable_fall_is_told() {
    let rules = Rules { page_f1: Tolerance { level: Level::Off, fall: 0 }, ..Rules::default() };
    let judgement = judged(&of(&[RIGHT; 3]), &of(&[WRONG, NEARLY, RIGHT]), &rules);
    assert_eq!((judgement.verdict, told(&judgement)[0].1), (Verdict::CannotJudge, Outcome::CannotJudge));
    let figure = judgement.rows[0].checks[0].figure.as_ref().unwrap();
    assert_eq!(figure.detectable, None, "no test of three sites finds anything");
    let known = figure.page_by_page.unwrap();
    assert!((known.lower, known.higher) == (2, 0) && (known.p - 0.5).abs() < 1e-12, "{known:?}");
    let one = judged(&of(&[RIGHT]), &of(&[WRONG]), &rules);
    assert_eq!(one.verdict, Verdict::CannotJudge);
    assert_eq!(one.rows[0].checks[0].figure.as_ref().unwrap().detectable, None);
    // Many sites, and a difference that scatters far more than the tolerance.
    let mixed: Vec<Counts> = (0..20).map(|site| if site % 2 == 0 { RIGHT } else { WRONG }).collect();
    let mut turned: Vec<Counts> = mixed.iter().rev().copied().collect();
    let judgement = judged(&of(&mixed), &of(&turned), &rules);
    assert_eq!((judgement.verdict, told(&judgement)[0].1), (Verdict::Passed, Outcome::DidNotFall));
    assert!(judgement.rows[0].checks[0].worst.is_empty(), "pages do not pull down a figure that did not fall");
    turned[1] = WRONG;
    assert_eq!(told(&judged(&of(&mixed), &of(&turned), &rules))[0].1, Outcome::CannotJudge);
    // A rise is none, however it scatters.
    assert_eq!(told(&judged(&of(&mixed), &of(&[RIGHT; 20]), &rules))[0].1, Outcome::Passed);
}

#[test]
fn pages_that_fail_or_are_not_run_are_named_once_they_do() {
    let before = of(&[RIGHT, RIGHT, None, RIGHT]);
    let mut now = of(&[None, RIGHT, None, RIGHT]);
    now.rows[0].scores.remove("p003");
    now.rows[0].not_run.insert("p003".to_owned());
    let judgement = judged(&before, &now, &Rules::default());
    let failures = &judgement.rows[0].checks[7];
    assert_eq!((failures.rule.as_str(), failures.outcome), ("new_failures", Outcome::Broken));
    let told: Vec<(&str, bool, Option<f64>, bool)> = failures
        .worst
        .iter()
        .map(|page| (page.page.as_str(), page.failed, page.value, page.command.is_some()))
        .collect();
    assert_eq!(told, [("p000", true, Some(0.0), false), ("p003", false, None, false)]);
    // They explain the page's own fall.
    let told: Vec<&str> = judgement.checks(Outcome::Broken).map(|(_, check)| check.rule.as_str()).collect();
    assert_eq!(told, ["new_failures", "page_f1"]);
    assert_eq!(judgement.rows[0].pages, 3);
}

#[test]
fn under_other_conditions_or_without_a_row_nothing_is_judged() {
    let before = of(&[RIGHT; 10]);
    let mut now = of(&[WRONG; 10]);
    now.conditions.insert("tokens".to_owned(), "word".to_owned());
    let judgement = judged(&before, &now, &Rules::default());
    assert_eq!((judgement.verdict, judgement.rows.len()), (Verdict::CannotJudge, 0));
    let change = &judgement.changes[0];
    assert_eq!((change.key.as_str(), change.run.as_deref()), ("tokens", Some("word")));
    let mut now = of(&[RIGHT; 10]);
    now.rows[0].algorithm = "cevc".to_owned();
    let judgement = judged(&before, &now, &Rules::default());
    assert_eq!(judgement.changes[0].key, "rows.d.nta");
    assert_eq!(judgement.new_rows, [("d".to_owned(), "cevc".to_owned())]);
}

/// Without the page `p{number}`, as a dataset is once somebody removed it.
fn removed(snapshot: &Snapshot, number: usize) -> Snapshot {
    let mut other = snapshot.clone().without_pages("d", |page| *page == format!("p{number:03}"));
    other.conditions.insert("datasets.d.digest".to_owned(), format!("sha256:without {number}"));
    other
}

#[test]
fn pages_that_are_removed_are_named_and_the_others_are_judged() {
    let before = of(&[RIGHT; 30]);
    let same = judged(&before, &removed(&before, 4), &Rules::default());
    assert_eq!((same.verdict, same.changes.len(), same.rows[0].pages), (Verdict::CannotJudge, 0, 29));
    assert_eq!(same.apart.lost, [DatasetPages { dataset: "d".to_owned(), pages: vec!["p004".to_owned()] }]);
    assert_eq!((same.checks(Outcome::Broken).count(), same.checks(Outcome::CannotJudge).count()), (0, 0));
    assert_eq!(same.rows[0].faults, [Faults::default(); 2], "a page that is gone is none that was not run");
    // All that a page can break, its text too, is still broken.
    let mut counts = [RIGHT; 30];
    counts[7] = WRONG;
    let fallen = judged(&before, &removed(&of(&counts), 4), &Rules::default());
    let broken: Vec<&str> = fallen.checks(Outcome::Broken).map(|(_, check)| check.rule.as_str()).collect();
    assert_eq!((fallen.verdict, fallen.apart.lost.len(), broken), (Verdict::Fell, 1, vec!["page_f1", "texts"]));
    // With the same figures as where the page had never been.
    let never = judged(&removed(&before, 4), &removed(&of(&counts), 4), &Rules::default());
    let figures = |judgement: &Judgement| judgement.rows[0].checks[0].figure.clone();
    assert_eq!((figures(&fallen), never.apart.lost.len()), (figures(&never), 0));
    // A page that is not run is still there, and is a new failure beside the page that is gone.
    let mut not_run = removed(&before, 4);
    not_run.rows[0].scores.remove("p009");
    not_run.rows[0].not_run.insert("p009".to_owned());
    let judgement = judged(&before, &not_run, &Rules::default());
    assert_eq!((judgement.apart.lost[0].pages.len(), judgement.verdict), (1, Verdict::Fell));
    let worst = &check(&judgement, "new_failures").worst;
    assert_eq!(worst.iter().map(|page| page.page.as_str()).collect::<Vec<_>>(), ["p009"]);
    // Where no page is left, or a condition of all pages changed, nothing can be judged.
    let none = (0..30).fold(before.clone(), |left, number| removed(&left, number));
    let mut other_tokens = removed(&before, 4);
    other_tokens.conditions.insert("tokens".to_owned(), "word".to_owned());
    for run in [none, other_tokens] {
        let judgement = judged(&before, &run, &Rules::default());
        assert!(!judgement.changes.is_empty() && judgement.rows.is_empty(), "{judgement:?}");
    }
}

/// With digests of its pages, but for `others` those of other pages.
fn digested(snapshot: &Snapshot, others: &[&str]) -> Snapshot {
    let mut known = snapshot.clone();
    for page in snapshot.pages_by_dataset()["d"].iter() {
        let digest = if others.contains(page) { "another" } else { page };
        known.digests.insert(("d".to_owned(), (*page).to_owned()), digest.to_owned());
    }
    known.conditions.insert("datasets.d.digest".to_owned(), format!("sha256:{others:?} {}", known.pages()));
    known
}

#[test]
fn pages_that_changed_are_named_and_the_others_are_judged() {
    let before = of(&[RIGHT; 30]);
    let apart = |judgement: &Judgement| {
        let Apart { lost, changed, grown, without_digests, .. } = &judgement.apart;
        let [lost, changed, grown] = [lost, changed, grown]
            .map(|all| all.iter().flat_map(|one| one.pages.clone()).collect::<Vec<_>>().join(" "));
        (lost, changed, grown, without_digests.is_empty())
    };
    // The page that changed is worse, which is no fault of the row's.
    let mut counts = [RIGHT; 30];
    counts[5] = WRONG;
    let judgement = judged(&digested(&before, &[]), &digested(&of(&counts), &["p005"]), &Rules::default());
    assert_eq!(apart(&judgement), (String::new(), "p005".to_owned(), String::new(), true));
    assert_eq!((judgement.verdict, judgement.changes.len(), judgement.rows[0].pages), (Verdict::CannotJudge, 0, 29));
    assert_eq!(judgement.checks(Outcome::Broken).count(), 0);
    // Beside pages that came and went it is told too, and another page may fall.
    counts[7] = WRONG;
    let now = digested(&removed(&of(&counts), 4), &["p005"]);
    let judgement = judged(&digested(&removed(&before, 9), &[]), &now, &Rules::default());
    let told = ["p004", "p005", "p009"].map(str::to_owned);
    assert_eq!(apart(&judgement), (told[0].clone(), told[1].clone(), told[2].clone(), true));
    assert_eq!((judgement.verdict, judgement.rows[0].pages), (Verdict::Fell, 27));
    // An earlier baseline knows of a change only what the length of a gold shows.
    let mut other_gold = removed(&before, 4);
    other_gold.rows[0].scores.get_mut("p005").unwrap().counts[2] = 202;
    let judgement = judged(&before, &digested(&other_gold, &["p006"]), &Rules::default());
    assert_eq!(apart(&judgement), ("p004".to_owned(), "p005".to_owned(), String::new(), false));
    // Where every page changed nothing is left; where none did, it is what the page list says of them.
    let all: Vec<String> = (0..30).map(|page| format!("p{page:03}")).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let mut other_list = digested(&before, &[]);
    other_list.conditions.insert("datasets.d.digest".to_owned(), "sha256:of another list".to_owned());
    for (run, is_of_page_list) in [(digested(&before, &all), false), (other_list, true)] {
        let judgement = judged(&digested(&before, &[]), &run, &Rules::default());
        assert_eq!((judgement.rows.len(), judgement.changes[0].is_of_page_list), (0, is_of_page_list));
    }
}

/// Pages of one dataset by site, with a text each.
fn sites(pages: &[(&str, Counts)]) -> Snapshot {
    snapshot(vec![row("nta", pages)])
}

fn check<'j>(judgement: &'j Judgement, rule: &str) -> &'j Checked {
    judgement.rows[0].checks.iter().find(|check| check.rule == rule).unwrap()
}

#[test]
fn with_few_sites_a_fall_of_nearly_every_page_fails_and_one_that_may_be_chance_does_not() {
    let before: Vec<(&str, Counts)> = (0..20).map(|page| (if page < 10 { "a" } else { "b" }, RIGHT)).collect();
    let fallen: Vec<(&str, Counts)> = before.iter().map(|(site, _)| (*site, Some([197, 197, 201]))).collect();
    let judgement = judged(&sites(&before), &sites(&fallen), &Rules::default());
    assert_eq!((judgement.verdict, check(&judgement, "macro_f1").outcome), (Verdict::Fell, Outcome::Broken));
    let known = check(&judgement, "macro_f1").figure.as_ref().unwrap().page_by_page.unwrap();
    assert_eq!((known.lower, known.higher), (20, 0));
    assert!(known.p < 1e-5);
    let mut few = before.clone();
    few[3].1 = Some([150, 201, 201]);
    let judgement = judged(&sites(&before), &sites(&few), &Rules::default());
    assert_eq!(check(&judgement, "macro_f1").outcome, Outcome::CannotJudge, "one page of two sites");
    assert_eq!(judgement.verdict, Verdict::Fell, "that page is below its floor");
}

#[test]
fn a_site_that_loses_a_little_everywhere_is_named() {
    let name = |page: usize| ["a", "b", "c", "d", "e", "f", "g", "h"][page % 8];
    let before: Vec<(&str, Counts)> = (0..32).map(|page| (name(page), Some([1000, 1000, 1000]))).collect();
    // 3.5 % of the text lost on one site: F1 0.9822, above the floor of each page.
    let lost = |site: &str| if site == "c" { Some([965, 965, 1000]) } else { Some([1000, 1000, 1000]) };
    let now: Vec<(&str, Counts)> = before.iter().map(|(site, _)| (*site, lost(site))).collect();
    let judgement = judged(&sites(&before), &sites(&now), &Rules::default());
    assert_eq!(check(&judgement, "page_f1").outcome, Outcome::Passed);
    let rule = check(&judgement, "site_f1");
    assert_eq!((rule.outcome, judgement.verdict), (Outcome::Broken, Verdict::Fell));
    assert_eq!((rule.sites.len(), rule.sites[0].site.as_str(), rule.sites[0].pages), (1, "c", 4));
    assert_eq!((rule.sites[0].baseline, rule.worst.len()), (1.0, 4));
    // Exactly what is allowed is allowed.
    let fall = |tolerance| Rules { site_f1: Tolerance { level: Level::Error, fall: tolerance }, ..Rules::default() };
    let exact = 1_000_000_000_000 - 982_188_295_165;
    assert_eq!(check(&judged(&sites(&before), &sites(&now), &fall(exact)), "site_f1").outcome, Outcome::Passed);
    assert_eq!(check(&judged(&sites(&before), &sites(&now), &fall(exact - 1)), "site_f1").outcome, Outcome::Broken);
    // With two pages a site has no floor of its own.
    let two = judged(&sites(&before[..16]), &sites(&now[..16]), &Rules::default());
    assert_eq!(check(&two, "site_f1").outcome, Outcome::NothingToJudge);
}

/// The snapshot with other marks on the texts of all pages, and other digests.
fn marked(snapshot: &Snapshot, marks: Marks) -> Snapshot {
    let mut other = snapshot.clone();
    for text in other.rows[0].texts.iter_mut().flat_map(|texts| texts.values_mut()) {
        text.marks = marks;
        text.digest = format!("{marks:?}").into();
    }
    other
}

#[test]
fn what_no_score_shows_of_a_text_is_seen() {
    let plain = of(&[RIGHT; 8]);
    let marks = |gaps, unseen, markup| marked(&plain, Marks { gaps, unseen, markup });
    let before = marks(30, 1, 2);
    for (now, broken, verdict) in [
        (marks(30, 1, 2), &[][..], Verdict::Passed),
        (marks(0, 1, 2), &["white_space", "texts"], Verdict::Fell),
        (marks(15, 1, 2), &["texts"], Verdict::Passed),
        (marks(14, 1, 2), &["white_space", "texts"], Verdict::Fell),
        (marks(60, 1, 2), &["texts"], Verdict::Passed),
        (marks(61, 1, 2), &["white_space", "texts"], Verdict::Fell),
        // 201 tokens: up to two characters more.
        (marks(30, 3, 2), &["texts"], Verdict::Passed),
        (marks(30, 4, 2), &["unseen", "texts"], Verdict::Fell),
        (marks(30, 0, 3), &["markup", "texts"], Verdict::Fell),
        (marks(30, 0, 0), &["texts"], Verdict::Passed),
    ] {
        let judgement = judged(&before, &now, &Rules::default());
        let found: Vec<&str> = judgement.checks(Outcome::Broken).map(|(_, check)| check.rule.as_str()).collect();
        assert_eq!((found.as_slice(), judgement.verdict), (broken, verdict), "{:?}", now.rows[0].texts);
    }
    let judgement = judged(&before, &marks(0, 1, 2), &Rules::default());
    let worst = &check(&judgement, "white_space").worst;
    assert_eq!((worst.len(), worst[0].of, worst[0].baseline, worst[0].value), (8, Of::Gaps, 30.0, Some(0.0)));
    // A text with hardly any white space cannot lose much of it.
    let judgement = judged(&marks(7, 1, 2), &marks(0, 1, 2), &Rules::default());
    assert_eq!(check(&judgement, "white_space").outcome, Outcome::Passed);
}

#[test]
fn a_baseline_without_texts_is_judged_by_its_scores_alone() {
    let (mut before, now) = (of(&[RIGHT; 8]), of(&[RIGHT; 8]));
    before.rows[0].texts = None;
    let judgement = judged(&before, &now, &Rules::default());
    assert!(judgement.without_texts && judgement.verdict == Verdict::Passed);
    let on_texts = ["white_space", "unseen", "markup", "texts"];
    assert!(on_texts.iter().all(|rule| check(&judgement, rule).outcome == Outcome::NothingToJudge));
}

#[test]
fn rules_on_texts_that_have_no_text_to_judge_are_no_pass() {
    let failed = of(&[None, None, RIGHT]);
    let mut empty = failed.clone();
    empty.rows[0].scores.insert("p002".to_owned(), of(&[None; 3]).rows[0].scores["p002"].clone());
    empty.rows[0].texts = Some(Default::default());
    let off = Tolerance { level: Level::Off, fall: 0 };
    let mut rules = Rules { page_f1: off, site_f1: off, new_failures: Level::Off, ..Rules::default() };
    rules.figures[0].1 = off;
    // No page has a text on both sides, whichever lacks it.
    for (before, now) in [(&empty, &failed), (&failed, &empty), (&empty, &empty)] {
        let judgement = judged(before, now, &rules);
        assert_eq!(judgement.checks(Outcome::NothingToJudge).count(), 4, "{judgement:?}");
        assert!(judgement.judged_nothing() && judgement.verdict == Verdict::CannotJudge);
    }
    let one_page = judged(&failed, &failed, &rules);
    assert_eq!((one_page.verdict, one_page.checks(Outcome::NothingToJudge).count()), (Verdict::Passed, 0));
    // Another rule has judged.
    let judgement = judged(&empty, &empty, &Rules::default());
    assert!(!judgement.judged_nothing() && judgement.verdict == Verdict::Passed);
    assert_eq!(
        judgement.checks(Outcome::NothingToJudge).count(),
        5,
        "with the rule on sites, of which none has 3 pages"
    );
}

#[test]
fn pages_without_an_extraction_are_counted_in_the_baseline_and_now() {
    let before = of(&[RIGHT, None, RIGHT, RIGHT]);
    let mut now = of(&[RIGHT, None, None, Some([0, 0, 201])]);
    now.rows.push(SnapshotRow { algorithm: "cevc".to_owned(), ..now.rows[0].clone() });
    now.rows[0].scores.remove("p000");
    let judgement = judged(&before, &now, &Rules::default());
    let faults = |failed, empty, not_run| Faults { failed, empty, not_run };
    assert_eq!(judgement.rows[0].faults, [faults(1, 0, 0), faults(2, 1, 1)]);
    // Pages that were added are not judged, nor are their faults beside the others'.
    let grown = of(&[RIGHT, None, RIGHT, RIGHT, None, Some([0, 0, 201])]);
    let judgement = judged(&before, &grown, &Rules::default());
    assert_eq!(judgement.rows[0].faults, [faults(1, 0, 0); 2]);
    assert_eq!(judgement.rows[0].failing_new_pages, ["p004"]);
    // So are pages that a program was not run on, when it had been given up.
    let own = |counts: &[Counts]| {
        let mut snapshot = of(counts);
        snapshot.rows[0].algorithm = "external/x".to_owned();
        snapshot
    };
    let (before, mut given_up) = (own(&[RIGHT, RIGHT]), own(&[RIGHT, RIGHT, RIGHT]));
    given_up.rows[0].scores.remove("p002");
    given_up.rows[0].not_run.insert("p002".to_owned());
    let judgement = judged(&before, &given_up, &Rules::default());
    assert_eq!(judgement.apart.grown, [DatasetPages { dataset: "d".to_owned(), pages: vec!["p002".to_owned()] }]);
    assert_eq!(judgement.rows[0].failing_new_pages, ["p002"]);
}

#[test]
fn a_row_that_takes_much_longer_is_told_and_fails_only_where_that_is_asked_for() {
    let timed = |time: Option<u64>| {
        let mut snapshot = of(&[RIGHT; 8]);
        snapshot.rows[0].time = time;
        snapshot
    };
    let rules = |level| Rules { slower_time: Slowness { level, factor: Value::decimal(2, 0) }, ..Rules::default() };
    let before = timed(Some(1_500_000));
    for (now, level, outcome, verdict) in [
        (3_000_000, Level::Warn, Outcome::Passed, Verdict::Passed),
        (3_000_001, Level::Warn, Outcome::Broken, Verdict::Passed),
        (3_000_001, Level::Error, Outcome::Broken, Verdict::Fell),
        (1, Level::Error, Outcome::Passed, Verdict::Passed),
    ] {
        let judgement = judged(&before, &timed(Some(now)), &rules(level));
        let known = check(&judgement, "slower_time");
        assert_eq!((known.outcome, judgement.verdict), (outcome, verdict), "{now} {level:?}");
        let time = known.time.as_ref().unwrap();
        assert_eq!((time.baseline_ms, time.value_ms), (1.5, now as f64 / 1e6));
    }
    let without = |before: &Snapshot, now: &Snapshot, level| {
        let judgement = judged(before, now, &rules(level));
        let is_judged = judgement.rows[0].checks.iter().any(|check| check.rule == "slower_time");
        (is_judged, judgement.without_times, judgement.verdict)
    };
    let slow = timed(Some(9_000_000));
    assert_eq!(without(&before, &slow, Level::Off), (false, false, Verdict::Passed));
    assert_eq!(without(&timed(None), &slow, Level::Error), (false, true, Verdict::Passed));
    // Stored outputs have no time, nor has a row of which every page failed.
    let untimed = judged(&before, &timed(None), &rules(Level::Error));
    assert_eq!(check(&untimed, "slower_time").outcome, Outcome::NothingToJudge);
    assert_eq!((untimed.without_times, untimed.verdict), (false, Verdict::Passed));
    let never = judged(&timed(None), &timed(None), &rules(Level::Error));
    assert_eq!(check(&never, "slower_time").outcome, Outcome::NothingToJudge);
}
