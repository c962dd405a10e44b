//! Tables worked by hand.

use super::*;
use crate::runs::configuration::tuning::Folds;

/// One page a site, of one language.
fn pages(count: usize) -> Vec<TunedPage> {
    let page = |number: usize| TunedPage { id: number.to_string(), site: format!("s{number:02}"), language: None };
    (0..count).map(page).collect()
}

fn request(objective: &str) -> TuningRequest {
    TuningRequest { objective: objective.parse().unwrap(), folds: Some(Folds::Site), ..TuningRequest::default() }
}

fn tuned(pages: &[TunedPage], settings: Settings, request: &TuningRequest) -> TunedSystem {
    let candidate = Candidate::of_one_parameter("x");
    let sampling = Sampling { resamples: 200, ..Sampling::default() };
    tune("demo", pages, &[(&candidate, settings)], None, request, &sampling).unwrap().systems.remove(0)
}

fn chosen(values: &Map<String, Json>) -> &str {
    values["x"].as_str().unwrap()
}

fn near(one: f64, other: f64) {
    assert!((one - other).abs() < 1e-9, "{one} {other}");
}

#[test]
fn by_hand() {
    // Under 0.1 the pages' F1 are 90 80 10, under 0.2 they are 60 60 60. All: 0.6 is the mean of both, so the default,
    // 0.2, is taken. Without the first page 45 and 60, without the second 50 and 60, without the third 85 and 60.
    let settings = Settings::of_table("0.2", &["0.1", "0.2"], &[&[90, 60], &[80, 60], &[10, 60]]);
    let system = tuned(&pages(3), settings, &request("f1"));
    let choice = system.choice.unwrap();
    assert_eq!((chosen(&choice.chosen), choice.settings), ("0.2", 2));
    let mut by_fold: Vec<(&str, f64, f64)> =
        choice.folds.iter().map(|fold| (chosen(&fold.chosen), fold.training, fold.held_out)).collect();
    by_fold.sort_by(|one, other| one.1.total_cmp(&other.1));
    for (found, expected) in by_fold.iter().zip([("0.2", 0.6, 0.6), ("0.2", 0.6, 0.6), ("0.1", 0.85, 0.1)]) {
        assert_eq!(found.0, expected.0);
        near(found.1, expected.1);
        near(found.2, expected.2);
    }
    near(choice.naive.point, 0.6);
    near(system.unseen.point, 1.3 / 3.0);
    near(choice.optimism.point, 0.5 / 3.0);
    near(choice.under_default.point, 0.6);
    near(choice.gain.point, -0.5 / 3.0);
    assert_eq!(choice.spread[0].values, [("0.1".to_owned(), 1), ("0.2".to_owned(), 2)]);
    assert_eq!(choice.yaml, "- x: {x: 0.2}");
    // Three sites: nothing is separable.
    let flat = choice.flat.unwrap();
    assert_eq!((flat.looked_at, flat.flat, flat.holds_default), (2, 2, true));
    assert_eq!(flat.parts, ["x=0.1..0.2"]);
}

/// Where two settings are equally good, and which of them is ahead on a site is chance, the naive choice is too high
/// and the nested estimate is not: over all ways in which chance can fall it is the true figure to the last digit.
#[test]
fn on_null_data_the_naive_choice_is_too_high_and_the_nested_one_is_not() {
    const SITES: usize = 6;
    let (mut naive, mut nested) = (0.0, 0.0);
    for fallen in 0..1 << SITES {
        let rows: Vec<[u64; 2]> =
            (0..SITES).map(|site| if fallen >> site & 1 == 0 { [60, 40] } else { [40, 60] }).collect();
        let rows: Vec<&[u64]> = rows.iter().map(|row| &row[..]).collect();
        let system = tuned(&pages(SITES), Settings::of_table("0.1", &["0.1", "0.2"], &rows), &request("f1"));
        naive += system.choice.unwrap().naive.point;
        nested += system.unseen.point;
    }
    let ways = f64::from(1 << SITES);
    near(nested / ways, 0.5);
    // The larger of k and 6 - k sites at 60, the others at 40: 0.4 + 0.2 x (252 / 64) / 6.
    near(naive / ways, 0.4 + 0.2 * (252.0 / 64.0) / 6.0);
}

#[test]
fn a_site_never_helps_to_choose_what_it_is_judged_by() {
    // Two pages of one site that alone would choose 0.2, beside two sites that choose 0.1.
    let mut pages = pages(4);
    pages[1].site = pages[0].site.clone();
    let settings = Settings::of_table("0.1", &["0.1", "0.2"], &[&[0, 100], &[0, 100], &[60, 50], &[60, 50]]);
    let choice = tuned(&pages, settings, &request("f1")).choice.unwrap();
    assert_eq!(chosen(&choice.chosen), "0.2");
    let large = choice.folds.iter().find(|fold| fold.pages == 2).unwrap();
    assert_eq!((chosen(&large.chosen), large.sites, large.held_out), ("0.1", 1, 0.0));
}

#[test]
fn a_floor_comes_before_the_objective() {
    // Precision is F1 here, and recall one half everywhere: of those that keep the floor, the one nearest the default.
    let table: [&[u64]; 2] = [&[95, 90, 70], &[95, 94, 70]];
    let settings = || Settings::of_table("0.3", &["0.1", "0.2", "0.3"], &table);
    let objective = |least: &str| request(&format!("recall at precision >= {least}"));
    let choose = |least: &str| tuned(&pages(2), settings(), &objective(least)).choice.unwrap();
    let choice = choose("0.92");
    assert_eq!((chosen(&choice.chosen), choice.keeps_floor, choice.default_keeps_floor), ("0.2", true, false));
    // On the first page alone, by which the second is judged, 0.2 does not keep it.
    let on_first = choice.folds.iter().find(|fold| chosen(&fold.chosen) == "0.1").unwrap();
    assert!(on_first.keeps_floor);
    assert_eq!(choice.flat.unwrap().looked_at, 2);
    // Where nothing keeps it, the one that comes nearest to it.
    let choice = choose("0.99");
    assert_eq!((chosen(&choice.chosen), choice.keeps_floor), ("0.1", false));
    assert!(choice.flat.is_none());
    // The first page is judged under 0.2, which the second chooses, and the second under 0.1: 90 and 95.
    let system = tuned(&pages(2), settings(), &objective("0.92"));
    near(system.unseen_floor.unwrap().point, 0.925);
    assert!(system.floor_is_kept);
}

#[test]
fn a_system_that_misses_the_floor_is_not_the_best() {
    // Recall is one half everywhere, so that precision decides: of three systems the first two miss the floor.
    let candidates = ["one", "two", "three"].map(Candidate::of_one_parameter);
    let low: [&[u64]; 2] = [&[60], &[60]];
    let tables: [[&[u64]; 2]; 3] = [low, [&[70], &[70]], [&[95], &[95]]];
    let best = |systems: usize| {
        let settings = tables[..systems].iter().map(|table| Settings::of_table("0.1", &["0.1"], table));
        let systems: Vec<_> = candidates.iter().zip(settings).collect();
        let sampling = Sampling { resamples: 20, ..Sampling::default() };
        let request = request("recall at precision >= 0.9");
        let tuned = tune("demo", &pages(2), &systems, None, &request, &sampling).unwrap();
        (tuned.best, tuned.systems.iter().map(|system| system.floor_is_kept).collect::<Vec<_>>())
    };
    assert_eq!(best(3), (2, vec![false, false, true]));
    assert_eq!(best(2), (1, vec![false, false]), "the one that comes nearest to it");
}

#[test]
fn going_through_settings_gives_what_each_alone_gives() {
    let table: [&[u64]; 4] = [&[90, 90, 10, 0], &[80, 20, 20, 100], &[0, 60, 60, 60], &[50, 50, 50, 50]];
    let mut pages = pages(4);
    pages[3].site = pages[1].site.clone();
    let mut settings = Settings::of_table("0.1", &["0.1", "0.2", "0.3", "0.4"], &table);
    settings.cells.iter_mut().for_each(|cells| cells.dedup_by_key(|(_, cell)| *cell));
    let sites = Sites::of(&pages);
    for objective in
        ["f1", "site_macro f1", "micro f1", "paper_cevc f1", "benchmark accuracy", "recall at precision >= 0.5"]
    {
        let objective = objective.parse().unwrap();
        for some in [vec![0, 1, 2, 3], vec![1, 3], vec![2]] {
            let all = qualities(&settings, &some, &sites.of_pages, sites.count, &objective);
            for (point, found) in all.iter().enumerate() {
                let cells = some.iter().map(|&page| (sites.of_pages[page], settings.cell(page, point)));
                assert_eq!(*found, quality(cells, sites.count, &objective), "{objective} {some:?} {point}");
            }
        }
    }
}

#[test]
fn the_papers_protocol_stands_beside_the_nested_one() {
    let rows: Vec<[u64; 2]> = (0..20).map(|site| if site % 2 == 0 { [60, 40] } else { [40, 60] }).collect();
    let rows: Vec<&[u64]> = rows.iter().map(|row| &row[..]).collect();
    let settings = Settings::of_table("0.1", &["0.1", "0.2"], &rows);
    let request = TuningRequest { protocol: Protocol::PaperCevc, ..request("f1") };
    let paper = tuned(&pages(20), settings, &request).choice.unwrap().paper_cevc.unwrap();
    assert_eq!((paper.drawn, paper.draws), (4, 200));
    // Both settings are 0.5 on all pages; on the drawn ones the better one is above it, on the rest below.
    near(paper.printed.point, 0.5);
    near(paper.printed_over_draws.mean, 0.5);
    let (drawn, rest) = (paper.on_drawn_over_draws.mean, paper.on_rest_over_draws.unwrap().mean);
    assert!(drawn > 0.52 && rest < 0.5, "{drawn} {rest}");
    near(4.0 * drawn + 16.0 * rest, 10.0);
    let counts: usize = paper.spread[0].values.iter().map(|(_, count)| count).sum();
    assert_eq!(counts, 200);
}

#[test]
fn what_stands_as_it_is_stands_beside_what_is_chosen() {
    let chosen = Settings::of_table("0.1", &["0.1", "0.2"], &[&[90, 60], &[80, 60], &[70, 60]]);
    let mut fixed = Settings::of_table("0.1", &["0.1"], &[&[50], &[50], &[50]]);
    fixed.parameters.clear();
    let [one, two] = [Candidate::of_one_parameter("x"), Candidate::fixed("all-text")];
    let sampling = Sampling { resamples: 200, ..Sampling::default() };
    let tuned = tune("demo", &pages(3), &[(&two, fixed), (&one, chosen)], None, &request("f1"), &sampling).unwrap();
    assert_eq!((tuned.best, tuned.folds, tuned.too_few_sites), (1, 3, true));
    let all_text = &tuned.systems[0];
    assert!(all_text.choice.is_none());
    near(all_text.unseen.point, 0.5);
    near(all_text.behind_best.point, 0.3);
    let none = tune("demo", &[], &[], None, &request("f1"), &sampling).unwrap_err();
    assert_eq!(none.to_string(), "demo: no page has a gold and was run by every system");
}

#[test]
fn a_setting_that_was_not_run_on_some_pages_is_not_chosen() {
    let of = |is_whole: [bool; 2]| {
        let mut settings = Settings::of_table("0.1", &["0.1", "0.2"], &[&[50, 90], &[50, 90], &[50, 90]]);
        settings.is_whole = is_whole.to_vec();
        chosen(&tuned(&pages(3), settings, &request("f1")).choice.unwrap().chosen).to_owned()
    };
    assert_eq!([of([true; 2]), of([true, false])], ["0.2", "0.1"]);
    assert_eq!(of([false; 2]), "0.2", "none was run on all");
}
