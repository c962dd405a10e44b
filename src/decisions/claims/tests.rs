//! Claims of every form, on scores made by hand.

mod of_pages;

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::readings::readings;
use super::*;
use crate::runs::page_facts::{PageCounts, PageFacts};
use crate::runs::scores::PageScore;
use crate::runs::summary::SCHEMA;
use crate::statistics::Verdict as Worth;

/// A row: algorithm, parameters that differ from their defaults, and the matched of 100 tokens on each page.
type Row<'t> = (&'t str, &'t [(&'t str, &'t str)], &'t dyn Fn(usize) -> u64);

/// Pages on so many sites, two each; the first half of the sites is Chinese, the other English.
struct World {
    summary: Summary,
    scores: BTreeMap<RowKey, RowScores>,
    sweeps: Vec<SweepRow>,
    facts: Facts,
}

fn world(sites: usize, rows: &[Row<'_>], sweeps: Vec<SweepRow>) -> World {
    let pages = || (0..2 * sites).map(|page| (format!("p{page:02}"), page));
    let facts = pages().map(|(id, page)| {
        let language = if page < sites { "zh" } else { "en" };
        (id, PageFacts { language: Some(language.to_owned()), ..PageFacts::default() })
    });
    let mut summary: Summary = serde_json::from_value(json!({
        "schema": SCHEMA, "name": "t", "rows": [],
        "conditions": {"datasets": {}, "where": {}, "without_faults": [], "tokens": "char", "case": "keep",
            "measure": "lcs", "unicode": "", "segmenter": "", "suffix_list": ""},
    }))
    .unwrap();
    let mut scores = BTreeMap::new();
    for (algorithm, differs, matched) in rows {
        let row: SummaryRow = serde_json::from_value(row(algorithm, differs)).unwrap();
        let score = |(id, page): (String, usize)| {
            (id, PageScore::new(format!("s{:02}", page / 2), [matched(page), 100, 100], false))
        };
        scores.insert(row.key(), pages().map(score).collect());
        summary.rows.push(row);
    }
    World { summary, scores, sweeps, facts: facts.collect() }
}

fn row(algorithm: &str, differs: &[(&str, &str)]) -> Json {
    let mut parameters = json!({"start": "second", "tie": "text", "coherence": "0.9"});
    differs.iter().for_each(|(name, value)| parameters[name] = (*value).into());
    let names: Vec<&str> = differs.iter().map(|(name, _)| *name).collect();
    let triple = json!({"precision": 0.0, "recall": 0.0, "f1": 0.0});
    let benchmark = json!({"precision": 0.0, "recall": 0.0, "f1": 0.0, "accuracy": 0.0});
    json!({
        "dataset": "d", "algorithm": algorithm, "floor": false, "parameters": parameters, "differs": names,
        "swept": [], "pages": 0, "failed": 0, "timed_out": 0, "not_run": 0, "empty": 0, "macro": triple,
        "site_macro": triple, "micro": triple, "paper_cevc": triple, "benchmark": benchmark, "groups": {},
        "system": algorithm, "reads_gold": (algorithm == "wrapper").then_some("other_pages"),
    })
}

impl World {
    /// The same, with what was counted on each page.
    fn counted(mut self, counts: impl Fn(usize) -> PageCounts) -> Self {
        for (page, facts) in self.facts.values_mut().enumerate() {
            facts.counts = Some(counts(page));
        }
        self
    }

    /// The same with other counts `matched, extracted, gold` in its row of this place.
    fn scored(mut self, place: usize, counts: impl Fn(usize) -> [u64; 3]) -> Self {
        let row = self.scores.get_mut(&self.summary.rows[place].key()).unwrap();
        for (page, score) in row.values_mut().enumerate() {
            *score = PageScore::new(score.site.clone(), counts(page), false);
        }
        self
    }

    fn evidence(&self) -> Evidence<'_> {
        let sampling = Sampling { resamples: 1000, flips: 1000, ..Sampling::default() };
        Evidence::new("d", &self.summary, &self.scores, &self.sweeps, &self.facts, sampling)
    }

    fn judge(&self, form: Json) -> Judged {
        self.judge_by(Means::Macro, form)
    }

    fn judge_by(&self, means: Means, form: Json) -> Judged {
        let claim = json!({"id": "x", "source": "NTA", "where": "there", "words": "so", "form": form});
        let claim: &'static Claim = Box::leak(Box::new(serde_json::from_value(claim).unwrap()));
        judge(&self.evidence(), means, claim)
    }

    fn verdict(&self, form: Json) -> Verdict {
        self.judge(form).verdict
    }
}

fn better_world(sites: usize) -> World {
    world(
        sites,
        &[("nta", &[], &|page| 90 + page as u64 % 3), ("readability-arc90", &[], &|page| 80 - page as u64 % 2)],
        vec![],
    )
}

fn greater(left: Json, right: Json, over: &str) -> Json {
    json!({"kind": "greater", "left": left, "right": right, "measure": ["p", "f1"], "margin": 0.0, "over": over})
}

#[test]
fn a_mean_is_greater_only_where_a_test_says_so() {
    let (better, worse) = (|| json!("nta"), || json!("readability"));
    assert_eq!(better_world(10).verdict(greater(better(), worse(), "mean")), Verdict::Holds);
    assert_eq!(better_world(10).verdict(greater(worse(), better(), "mean")), Verdict::Fails);
    // Of four sites no flip of signs reaches 0.05, however great the difference is.
    let few = better_world(4).judge(greater(better(), worse(), "mean"));
    assert_eq!(few.verdict, Verdict::NotSeparable);
    assert!(few.remark.contains("too few sites"), "{}", few.remark);
    assert_eq!(few.measured.len(), 2);
    // A tenth greater, by more than a margin and by less than another.
    let by = |margin: f64| {
        let mut form = greater(better(), worse(), "mean");
        form["margin"] = margin.into();
        better_world(10).verdict(form)
    };
    assert_eq!([by(0.001), by(0.9)], [Verdict::Holds, Verdict::Fails]);
    assert!(few.figures().starts_with("P of nta less readability-arc90 0.1"), "{}", few.figures());
    let same =
        world(10, &[("nta", &[], &|page| 80 + page as u64 % 4), ("layout", &[], &|page| 83 - page as u64 % 4)], vec![]);
    assert_eq!(same.verdict(greater(json!("nta"), json!(["layout-similarity"]), "mean")), Verdict::NotSeparable);
}

#[test]
fn a_system_that_cannot_be_run_is_not_testable() {
    let judged = better_world(8).judge(greater(json!("nta"), json!("evernote"), "mean"));
    assert_eq!(judged.verdict, Verdict::NotTestable);
    assert_eq!(judged.figures(), "evernote cannot be run here, and nothing stands in for it");
    let no_row = better_world(8).judge(greater(json!("nta"), json!("cetr"), "mean"));
    assert_eq!((no_row.verdict, no_row.figures().as_str()), (Verdict::NotTestable, "the run has no row cetr-2d"));
}

#[test]
fn one_lost_site_refutes_what_is_said_of_each() {
    let each = |lost: usize, form: Json| {
        let left = move |page: usize| if page / 2 < lost { 70 } else { 90 };
        world(8, &[("nta", &[], &left), ("layout", &[], &|_| 80)], vec![]).judge(form)
    };
    let form = || greater(json!("nta"), json!("layout-similarity"), "each_site");
    assert_eq!(each(0, form()).verdict, Verdict::Holds);
    let lost = each(1, form());
    assert_eq!(lost.verdict, Verdict::Fails);
    assert!(lost.figures().ends_with("higher on 7 of 8 sites, lower on 1 (s00)"), "{}", lost.figures());
    let many = each(7, form()).figures();
    assert!(many.ends_with("lower on 7 (s00, s01, s02, s03, s04 and 2 more)"), "{many}");
    let equal = world(8, &[("nta", &[], &|_| 80), ("layout", &[], &|_| 80)], vec![]);
    assert_eq!(equal.verdict(form()), Verdict::NotSeparable);
}

#[test]
fn groups_of_pages_are_drawn_each_for_itself() {
    let of = |group: &str| json!({"system": "nta", "group": group});
    let world =
        world(12, &[("nta", &[], &|page| if page < 12 { 90 + page as u64 % 2 } else { 70 + page as u64 % 3 })], vec![]);
    assert_eq!(world.verdict(greater(of("zh"), of("en"), "mean")), Verdict::Holds);
    assert_eq!(world.verdict(greater(of("en"), of("zh"), "mean")), Verdict::Fails);
    assert_eq!(world.verdict(greater(of("zh"), of("zh-news"), "mean")), Verdict::NotSeparable);
    let none = world.judge(greater(of("zh"), of("zh-blog"), "mean"));
    assert_eq!(
        (none.verdict, none.figures().as_str()),
        (Verdict::NotTestable, "no page of zh-blog is among those of d in this run")
    );
}

#[test]
fn parameters_choose_the_row_and_others_stay_at_their_defaults() {
    let rows: [Row<'_>; 3] = [
        ("nta", &[], &|_| 90),
        ("nta", &[("start", "first"), ("tie", "link")], &|_| 10),
        ("nta", &[("start", "first")], &|_| 80),
    ];
    let world = world(8, &rows, vec![]);
    let of = |params: Json| json!({"system": "nta", "params": params});
    let judged = world.judge(greater(of(json!({"start": "second"})), of(json!({"start": "first"})), "mean"));
    assert_eq!(judged.verdict, Verdict::Holds);
    assert!(judged.figures().starts_with("P of nta start=second less nta start=first 0.1000"), "{}", judged.figures());
    assert_eq!(
        world.verdict(greater(of(json!({"coherence": 0.90})), of(json!({"tie": "link"})), "mean")),
        Verdict::NotTestable
    );
}

#[test]
fn a_value_holds_where_its_interval_lies_within_the_tolerance() {
    let value = |value: f64, tolerance: f64| json!({"kind": "value", "system": "nta", "group": "zh", "measure": "f1", "value": value, "tolerance": tolerance});
    let world = better_world(12);
    assert_eq!(world.verdict(value(0.91, 0.03)), Verdict::Holds);
    assert_eq!(world.verdict(value(0.97, 0.03)), Verdict::Fails);
    // The interval reaches over the end of the tolerance.
    assert_eq!(world.verdict(value(0.93, 0.02)), Verdict::NotSeparable);
    let share = json!({"kind": "value", "system": "gold", "measure": "link_share", "value": 0.04, "tolerance": 0.03});
    assert_eq!(world.verdict(share), Verdict::NotTestable);
}

#[test]
fn a_value_is_made_as_its_paper_makes_it() {
    // A site of a page with precision 1 and recall 0.1, one of a page with both 0.5.
    let mut world = world(2, &[("nta", &[], &|_| 0)], vec![]);
    let scores = world.scores.values_mut().next().unwrap();
    scores.clear();
    scores.insert("p00".to_owned(), PageScore::new("a".to_owned(), [10, 10, 100], false));
    scores.insert("p01".to_owned(), PageScore::new("b".to_owned(), [50, 100, 100], false));
    scores.insert("p02".to_owned(), PageScore::new("b".to_owned(), [100, 100, 100], false));
    let form = || json!({"kind": "value", "system": "nta", "measure": "f1", "value": 0.5, "tolerance": 0.03});
    let point = |means| world.judge_by(means, form()).measured[0].value;
    let harmonic = 0.2 / 1.1;
    assert!((point(Means::Macro) - (harmonic + 0.5 + 1.0) / 3.0).abs() < 1e-6);
    assert!((point(Means::PaperCevc) - (harmonic + 0.75) / 2.0).abs() < 1e-6);
}

#[test]
fn a_difference_is_held_against_the_printed_one() {
    let form = |value: f64| json!({"kind": "difference", "left": "nta", "right": "readability", "measure": "f1", "value": value, "tolerance": 0.02});
    assert_eq!(better_world(12).verdict(form(0.115)), Verdict::Holds);
    assert_eq!(better_world(12).verdict(form(0.05)), Verdict::Fails);
}

fn piece(from: &str, to: &str, last: bool, [p, r, f1]: [&str; 3]) -> SweepRow {
    SweepRow {
        dataset: "d".to_owned(),
        algorithm: "cevc".to_owned(),
        parameters: String::new(),
        parameter: "alpha".to_owned(),
        default: "0.5".to_owned(),
        from: from.to_owned(),
        from_closed: true,
        to: to.to_owned(),
        to_closed: last,
        precision: p.to_owned(),
        recall: r.to_owned(),
        f1: f1.to_owned(),
        flat: Some(false),
    }
}

fn curve() -> World {
    let pieces = vec![
        piece("0", "1/4", false, ["0.900000", "0.500000", "0.600000"]),
        piece("1/4", "3/5", false, ["0.890000", "0.700000", "0.800000"]),
        piece("3/5", "4/5", false, ["0.880000", "0.690000", "0.790000"]),
        piece("4/5", "1", true, ["0.700000", "0.900000", "0.780000"]),
    ];
    world(4, &[("cevc", &[], &|_| 90)], pieces)
}

#[test]
fn a_flat_curve_moves_little_over_a_closed_interval() {
    let flat = |from: f64, to: f64, most: f64| json!({"kind": "flat", "system": "cevc", "parameter": "alpha", "from": from, "to": to, "measures": ["p", "r", "f1"], "max_range": most});
    // 0.6 is the first value of the next piece, and belongs to the interval.
    assert_eq!(curve().verdict(flat(0.3, 0.6, 0.01)), Verdict::Holds);
    assert_eq!(curve().verdict(flat(0.3, 0.6, 0.009)), Verdict::Fails);
    assert_eq!(curve().verdict(flat(0.3, 0.59, 0.0)), Verdict::Holds);
    let moved = curve().judge(flat(0.2, 0.6, 0.03));
    assert_eq!(moved.verdict, Verdict::Fails);
    assert!(moved.figures().contains("R moves by 0.2000"), "{}", moved.figures());
}

#[test]
fn a_monotone_curve_takes_no_great_step_back() {
    let monotone = |measure: &str, direction: &str, slack: f64| json!({"kind": "monotone", "system": "cevc", "parameter": "alpha", "from": 0.0, "to": 1.0, "measure": measure, "direction": direction, "slack": slack});
    assert_eq!(curve().verdict(monotone("p", "down", 0.0)), Verdict::Holds);
    assert_eq!(curve().verdict(monotone("p", "up", 0.02)), Verdict::Fails);
    let step = curve().judge(monotone("r", "up", 0.0));
    assert_eq!(step.verdict, Verdict::Fails);
    assert!(
        step.figures().ends_with("greatest move against it 0.0100; alpha from 0 to 1, at alpha 0.6000"),
        "{}",
        step.figures()
    );
    assert_eq!(curve().verdict(monotone("r", "up", 0.01)), Verdict::Holds);
    // Small steps that all go against it lead the wrong way.
    assert_eq!(curve().verdict(monotone("r", "down", 0.3)), Verdict::Fails);
}

#[test]
fn many_small_moves_against_the_direction_count_together() {
    let rises = [("0", "0.950000"), ("1/5", "0.900000"), ("2/5", "0.904000"), ("3/5", "0.908000"), ("4/5", "0.800000")];
    let pieces = rises.iter().enumerate().map(|(place, (from, p))| {
        let to = rises.get(place + 1).map_or("1", |(next, _)| next);
        piece(from, to, place == 4, [p, "0.500000", "0.500000"])
    });
    let curve = world(4, &[("cevc", &[], &|_| 90)], pieces.collect());
    let falls = |slack: f64| json!({"kind": "monotone", "system": "cevc", "parameter": "alpha", "from": 0.0, "to": 1.0, "measure": "p", "direction": "down", "slack": slack});
    assert_eq!(curve.verdict(falls(0.0085)), Verdict::Holds);
    let judged = curve.judge(falls(0.005));
    assert_eq!(judged.verdict, Verdict::Fails, "two steps of 0.004");
    assert!(judged.figures().contains("greatest move against it 0.0080"), "{}", judged.figures());
}

#[test]
fn the_best_setting_is_at_the_highest_point_or_near_it() {
    let argmax = |at: f64, within: f64| json!({"kind": "argmax", "system": "cevc", "parameter": "alpha", "from": 0.0, "to": 1.0, "measure": "f1", "at": at, "within": within});
    assert_eq!(curve().verdict(argmax(0.5, 0.0)), Verdict::Holds);
    assert_eq!(curve().verdict(argmax(0.6, 0.0)), Verdict::Fails);
    assert_eq!(curve().verdict(argmax(0.6, 0.01)), Verdict::Holds);
    // What the figure shades is as good as the best: the pages cannot say more.
    let mut flat = curve();
    flat.sweeps[2].flat = Some(true);
    let judged = flat.judge(argmax(0.6, 0.0));
    assert_eq!(judged.verdict, Verdict::Holds);
    assert!(judged.figures().ends_with("; 0.6 is not separable from the best"), "{}", judged.figures());
    flat.sweeps.iter_mut().for_each(|sweep| sweep.flat = Some(true));
    let judged = flat.judge(argmax(0.6, 0.0));
    assert_eq!(judged.verdict, Verdict::Holds);
    assert!(judged.figures().ends_with("from the best, and nor is any other value"), "{}", judged.figures());
    flat.sweeps.iter_mut().for_each(|sweep| sweep.flat = None);
    assert_eq!(flat.verdict(argmax(0.5, 0.0)), Verdict::Holds);
    let judged = flat.judge(argmax(0.6, 0.0));
    assert_eq!(judged.verdict, Verdict::NotSeparable);
    assert!(judged.figures().ends_with("; the pages of one site cannot tell values apart"), "{}", judged.figures());
    let told = curve().judge(argmax(0.9, 0.0)).figures();
    assert_eq!(told, "F1 at 0.9 0.7800; best 0.8000; range 0.2000; alpha from 0 to 1, best between 0.2500 and 0.6000");
    let no_curve = better_world(4).judge(argmax(0.5, 0.0));
    assert_eq!(no_curve.figures(), "the run has no exact sweep of cevc over alpha");
}

#[test]
fn printed_figures_decide_what_is_read_off_a_table() {
    let table = |expect: usize, en: &str| json!({"kind": "table", "table": "cevc-1", "count": "CETR.r > CEVC.r", "expect": expect, "mean_zh": "CEVC.r > CETR.r", "mean_en": en});
    let world = better_world(4);
    let judged = world.judge(table(15, "CEVC.r < CETR.r"));
    assert_eq!(judged.verdict, Verdict::Holds);
    assert!(judged.figures().contains("CETR.r > CEVC.r in 15 of 24 rows"), "{}", judged.figures());
    assert_eq!(world.verdict(table(14, "CEVC.r < CETR.r")), Verdict::Fails);
    assert_eq!(world.verdict(table(15, "CEVC.r > CETR.r")), Verdict::Fails);
    assert_eq!(world.verdict(table(15, "CEVC.r = CETR.r")), Verdict::NotTestable);
}

#[test]
fn what_a_run_does_not_keep_is_not_testable() {
    for form in [
        json!({"kind": "conditional", "system": "nta", "right": "readability", "measure": "r", "pages": {"fact": "comment_chars", "from": 1}}),
        json!({"kind": "share_of_pages", "system": "nta", "predicate": "such", "at_least": 1.0}),
        json!({"kind": "share_of_pages", "system": "nta", "predicate": "whole_or_nothing", "at_least": 1.0}),
        json!({"kind": "value", "system": "nta", "measure": "kept", "value": 0.75, "tolerance": 0.05}),
        json!({"kind": "cost", "system": "nta", "order": "nodes"}),
        json!({"kind": "none"}),
    ] {
        let judged = better_world(4).judge(form);
        assert_eq!(judged.verdict, Verdict::NotTestable);
        assert!(!judged.remark.is_empty() && judged.measured.is_empty());
    }
}

#[test]
fn every_claim_of_the_papers_comes_to_a_verdict() {
    let world = better_world(8);
    for claim in &published().claims {
        let judged = judge(&world.evidence(), Means::Macro, claim);
        assert!(!judged.figures().is_empty(), "{}", claim.id);
    }
}

#[test]
fn readings_are_variants_of_one_parameter_that_is_not_swept() {
    let rows: [Row<'_>; 5] = [
        ("nta", &[("tie", "link")], &|page| 70 + page as u64 % 2),
        ("nta", &[("start", "first")], &|page| 90 + page as u64 % 2),
        ("nta", &[], &|page| 90 + page as u64 % 2),
        ("nta", &[("coherence", "0.8")], &|_| 50),
        ("nta", &[("start", "first"), ("tie", "link")], &|_| 10),
    ];
    let sweep = SweepRow {
        algorithm: "nta".to_owned(),
        parameter: "coherence".to_owned(),
        ..piece("0", "1", true, ["0.5"; 3])
    };
    let mut world = world(8, &rows, vec![sweep]);
    let told = readings(&world.evidence(), "nta").unwrap();
    let of: Vec<(&str, &str, &str, Worth)> = told
        .readings
        .iter()
        .map(|reading| (reading.parameter.as_str(), reading.value.as_str(), reading.default.as_str(), reading.verdict))
        .collect();
    assert_eq!(of, [("start", "first", "second", Worth::Same), ("tie", "link", "text", Worth::Worse)]);
    assert!((told.readings[1].difference.point + 0.2).abs() < 1e-9);
    // All eight sites are lower: 2 of 256 flips. Of two readings it is the smaller p, and doubled.
    assert!((told.readings[1].p - 4.0 / 256.0).abs() < 1e-9);
    // Of the same texts as the defaults, the other reading is no test.
    let texts = |scores: &mut RowScores| scores.values_mut().for_each(|page| page.text = Some([1; 16]));
    world.scores.iter_mut().filter(|(key, _)| !key.2.contains("link")).for_each(|(_, scores)| texts(scores));
    let told = readings(&world.evidence(), "nta").unwrap();
    assert_eq!((told.readings[0].p, told.readings[0].verdict), (1.0, Worth::Same));
    assert!((told.readings[1].p - 2.0 / 256.0).abs() < 1e-9);
    assert!(readings(&world.evidence(), "cevc").is_none());
}

#[test]
fn a_paper_that_takes_f1_of_means_is_judged_by_it_on_sites_and_between_groups() {
    // Means of P and of R are 0.55, and so is their F1; F1 of each page is 0.18.
    let uneven = |page: usize| if page.is_multiple_of(2) { [10, 10, 100] } else { [100, 1000, 100] };
    let even = |_: usize| [30, 100, 100];
    let rows: [Row<'_>; 2] = [("nta", &[], &|_| 0), ("readability-arc90", &[], &|_| 0)];
    let on_sites = world(8, &rows, vec![]).scored(0, uneven).scored(1, even);
    let form = json!({"kind": "greater", "left": "nta", "right": "readability", "measure": "f1", "margin": 0.0, "over": "each_site"});
    assert_eq!(on_sites.judge_by(Means::Macro, form.clone()).verdict, Verdict::Fails);
    let by_paper = on_sites.judge_by(Means::PaperCevc, form.clone());
    assert_eq!(
        (by_paper.verdict, by_paper.remark.as_str()),
        (Verdict::Holds, "higher on 8 of 8 sites, lower on 0; F1 of a site is that of its means of P and R")
    );
    let groups = world(8, &rows, vec![]).scored(0, |page| if page < 8 { uneven(page) } else { even(page) });
    let of = |group: &str| json!({"system": "nta", "group": group});
    let form =
        json!({"kind": "greater", "left": of("zh"), "right": of("en"), "measure": "f1", "margin": 0.0, "over": "mean"});
    assert_eq!(groups.judge_by(Means::Macro, form.clone()).verdict, Verdict::Fails);
    let by_paper = groups.judge_by(Means::PaperCevc, form.clone());
    assert_eq!(by_paper.verdict, Verdict::Holds, "{by_paper:?}");
}
