//! `carat tune` as people meet it.

use std::fs;

use crate::support::{Folder, check, units};
use serde_json::Value as Json;

/// The embedded pages with a grid, an exact sweep, and a floor that stands beside them.
const CONFIGURATION: &str = "datasets: [portals]\nalgorithms:\n  - all-text\n  - nta: {link_siblings: none, coherence: [0.8, 0.9], \
                             density: 0.3..0.5/0.1}\n  - cevc: {alpha: exact}\n";

fn portals() -> Folder {
    Folder::new().with("p.yaml", CONFIGURATION)
}

/// The system of this name in `tuning.json`.
fn system<'j>(tuning: &'j Json, name: &str) -> &'j Json {
    let systems = tuning["datasets"][0]["systems"].as_array().unwrap();
    systems.iter().find(|system| system["name"] == name).unwrap_or_else(|| panic!("{name} is not in {systems:?}"))
}

#[test]
fn what_is_pasted_runs_and_gives_the_figures_that_were_told() {
    let folder = portals();
    let ran = check(
        &folder,
        "tune p.yaml --resamples 200",
        0,
        &["portals: macro f1 of 154 pages of 26 sites, 5 folds of whole sites", "seed 1", "154 pages in"],
    );
    let tuning = folder.json("reports/p-tuning/tuning.json");
    let pasted = ran.stdout.split("algorithms:\n").nth(1).unwrap();
    for (name, begins) in
        [("nta:link_siblings=none", "- nta: {link_siblings: none, coherence: 0."), ("cevc", "- cevc: {alpha: 0.")]
    {
        let yaml = system(&tuning, name)["choice"]["advised"].as_str().unwrap();
        assert!(yaml.starts_with(begins) && pasted.contains(&format!("\n  {yaml}\n")), "{yaml} {pasted}");
    }
    let folder = folder.with("pasted.yaml", format!("datasets: [portals]\nbounds: []\nalgorithms:\n{pasted}"));
    check(&folder, "run pasted.yaml", 0, &[]);
    let rows = folder.json("reports/pasted/summary.json")["rows"].as_array().unwrap().clone();
    for (row, name) in rows.iter().zip(["nta:link_siblings=none", "cevc"]) {
        // Resampled figures are summed in units of 1e-9.
        let choice = &system(&tuning, name)["choice"];
        let keeps = ["keep_the_default", "default_is_best"].iter().any(|advice| choice["advice"] == **advice);
        let figure = if keeps { "under_default" } else { "naive" };
        let told = choice[figure]["point"].as_f64().unwrap();
        assert!((row["macro"]["f1"].as_f64().unwrap() - told).abs() < 1e-9, "{row} {told}");
    }
    assert_eq!(rows.len(), 2);
    let floor = system(&tuning, "all-text");
    assert!(floor["choice"].is_null() && floor["unseen"]["point"].as_f64().unwrap() < 0.6, "{floor}");
    // What is chosen on some folds is never better on all pages than what is best there.
    for name in ["nta:link_siblings=none", "cevc"] {
        let choice = &system(&tuning, name)["choice"];
        assert!(choice["optimism"]["point"].as_f64().unwrap() >= 0.0, "{choice}");
        let folds = choice["folds"].as_array().unwrap();
        let sum = |key: &str| folds.iter().map(|fold| fold[key].as_u64().unwrap()).sum::<u64>();
        assert_eq!((folds.len(), sum("pages"), sum("sites")), (5, 154, 26));
    }
}

#[test]
fn a_cut_tuning_goes_on_and_threads_do_not_matter() {
    let folder = portals();
    let whole = check(&folder, "tune p.yaml --resamples 200 --threads 1 --out a", 0, &[]);
    let tuning = folder.read("a/tuning.json");
    check(&folder, "tune p.yaml --resamples 200 --threads 1 --out a", 0, &["a holds every score already"]);
    // Cut: half of the pages are there.
    fs::remove_file(folder.path("a/run.json")).unwrap();
    let pages = units::pages(&folder.path("a"));
    let half: Vec<&str> = pages.iter().step_by(2).map(String::as_str).collect();
    units::lose(&folder.path("a"), &half);
    let again = check(&folder, "tune p.yaml --resamples 200 --threads 2 --out a", 0, &["77 pages were there"]);
    assert_eq!((again.stdout, folder.read("a/tuning.json")), (whole.stdout, tuning.clone()));
    // Another seed, other folds or another objective ask for no page again.
    let other = "tune p.yaml --resamples 200 --out a --folds 3 --seed 2 --protocol paper-cevc";
    check(
        &folder,
        other,
        0,
        &["a holds every score already", "3 folds of whole sites", "paper-cevc, drawn once", "31 pages"],
    );
    assert_ne!(folder.read("a/tuning.json"), tuning);
}

#[test]
fn objectives_and_random_search() {
    let tune = "tune: {objective: recall at precision >= 0.85, folds: site, search: {random: 4}}\n";
    let text = format!(
        "datasets: [portals]\nalgorithms:\n  - nta: {{coherence: 0.60..1.00/0.01, density: 0.2..0.5/0.1}}\n{tune}"
    );
    let folder = Folder::new().with("r.yaml", text.as_str());
    let told = ["macro recall at precision >= 0.85 of 154 pages of 26 sites, each site held out", "nta: 4 settings"];
    let ran = check(&folder, "tune r.yaml --resamples 100 --format json", 0, &[]);
    let tuning: Json = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(tuning, folder.json("reports/r-tuning/tuning.json"));
    assert_eq!(tuning["search"], serde_json::json!({"random": 4}));
    let nta = system(&tuning, "nta");
    assert_eq!((&nta["choice"]["settings"], nta["choice"]["folds"].as_array().unwrap().len()), (&4.into(), 26));
    assert!(nta["unseen_floor"]["point"].is_f64());
    check(&folder, "tune r.yaml --resamples 100", 0, &told);
    // Nothing keeps such a floor, and the comment to paste says so.
    let folder = folder.with("high.yaml", text.replace("0.85", "0.99"));
    let told = check(&folder, "tune high.yaml --resamples 100", 0, &[", missed"]);
    let comment = told.stdout.lines().find(|line| line.starts_with("  # portals: macro recall at precision >= 0.99"));
    assert!(comment.is_some_and(|line| line.contains(" is missed: 0.") && line.contains(" at 0.")), "{told:?}");
    let micro = check(&folder, "tune r.yaml --resamples 100 --objective 'micro_f1'", 2, &["is no objective"]);
    assert!(micro.stderr.contains("site_macro f1"), "{micro:?}");
}

#[test]
fn a_default_that_is_the_best_is_kept_and_said_to_be() {
    let text = "datasets: [portals]\nalgorithms:\n  - cevc: {alpha: [0.5, 0.9]}\n";
    let folder = Folder::new().with("d.yaml", text);
    let told = ["so  ", "keep the default: it is the best of these settings on all pages", "- cevc: {alpha: 0.5}"];
    let ran = check(&folder, "tune d.yaml --resamples 100", 0, &told);
    assert!(ran.stdout.contains("at its default, on all pages"), "{ran:?}");
    let choice = &folder.json("reports/d-tuning/tuning.json")["datasets"][0]["systems"][0]["choice"];
    assert_eq!((&choice["advice"], &choice["chosen"]), (&"default_is_best".into(), &choice["default"]));
}

#[test]
fn stored_outputs_stand_beside_and_pages_that_they_lack_are_left_out() {
    let page = |number: usize| {
        format!(
            "{{\"id\":\"p{number}\",\"html\":{{\"text\":\"<p>the page {number}</p>\"}},\"site\":\"s{}.org\",\
             \"gold\":{{\"text\":\"the page {number}\"}}}}\n",
            number / 2
        )
    };
    let stored: String = (0..7).map(|number| format!("{{\"id\":\"p{number}\",\"text\":\"the page\"}}\n")).collect();
    let folder = Folder::new()
        .with(
            "demo/dataset.yaml",
            "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n",
        )
        .with("demo/pages.jsonl", (0..8).map(page).collect::<String>())
        .with("demo/stored/other.jsonl", format!("{{\"system\":\"other\"}}\n{stored}"))
        .with("d.yaml", "datasets: [./demo]\nalgorithms: [{cevc: {alpha: [0.4, 0.5]}}]\nstored: [other]\n");
    check(
        &folder,
        "tune d.yaml --resamples 100",
        0,
        &["demo: macro f1 of 7 pages of 4 sites, each site held out", "too few sites"],
    );
    let tuning = folder.json("reports/d-tuning/tuning.json");
    let other = system(&tuning, "stored/other")["unseen"]["point"].as_f64().unwrap();
    assert!((other - 14.0 / 15.0).abs() < 1e-9, "{other}");
    assert_eq!(system(&tuning, "cevc")["choice"]["chosen"]["alpha"], "0.5");
}

#[test]
fn a_default_that_is_better_than_all_that_was_tried_is_kept_for_that_reason() {
    let worse = "datasets: [portals]\nalgorithms: [{cevc: {alpha: [0.9, 0.98, 1.0]}}]\n";
    let folder = portals().with("w.yaml", worse);
    let told = [
        "none of 3 looked at: each is separable from the default, which is the best",
        "keep the default: the gain's interval lies below zero",
    ];
    check(&folder, "tune w.yaml --resamples 200", 0, &told);
}

#[test]
fn what_cannot_be_chosen_is_said_in_a_sentence() {
    let own = |tune: &str, algorithms: &str| format!("datasets: [portals]\nalgorithms: [{algorithms}]\ntune: {tune}\n");
    let swept = "{cevc: {alpha: exact}}";
    let page = |name: &str| {
        format!("{{\"id\":\"{name}\",\"html\":{{\"text\":\"<p>x\"}},\"site\":\"s.org\",\"gold\":{{\"text\":\"x\"}}}}\n")
    };
    let manifest =
        "format: 1\nname: one\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
    let folder = Folder::new()
        .with("none.yaml", own("{}", "nta, {cevc: {alpha: 0.5}}"))
        .with("micro.yaml", own("{objective: micro f1}", swept))
        .with("key.yaml", own("{objectve: f1}", swept))
        .with("swept.yaml", own("{}", swept))
        .with("one/dataset.yaml", manifest)
        .with("one/pages.jsonl", page("a") + &page("b"))
        .with("one.yaml", "datasets: [./one]\nalgorithms: [{cevc: {alpha: exact}}]\n");
    for (arguments, told) in [
        ("tune", "CONFIG.yaml"),
        ("tune gone.yaml", "gone.yaml"),
        ("tune none.yaml", "none sweeps no parameter, so there is nothing to choose"),
        ("tune micro.yaml", "`micro f1` needs counts, and an exact sweep keeps only scores; put `alpha` on a grid"),
        ("tune key.yaml", "key.yaml:3:8: `tune` has no key `objectve`; did you mean `objective`?"),
        ("tune swept.yaml --folds 27", "portals: 27 folds of whole sites need 27 sites, and there are 26"),
        ("tune swept.yaml --folds 1", "expected 2 or more, or `site`"),
        ("tune swept.yaml --protocol nestd", "did you mean `nested`?"),
        ("tune one.yaml", "one: its pages are of 1 site, and it takes two to choose on one and judge on the other"),
    ] {
        check(&folder, arguments, 2, &[told]);
    }
    check(&folder, "tune --help", 0, &["carat tune my.yaml --objective 'recall at precision >= 0.9'"]);
}

/// The flat region of a grid holds the settings that share a letter with the best of the grid, as `compare` says.
#[test]
fn the_flat_region_of_a_grid_is_what_compare_does_not_separate() {
    let grid = "datasets: [portals]\nalgorithms:\n  - cevc: {alpha: 0..1/0.1}\n  - nta: {density: 0.1..0.9/0.2}\n";
    let folder = Folder::new().with("g.yaml", grid);
    for (objective, score) in [("f1", "f1"), ("recall", "recall")] {
        let tune = format!("tune g.yaml --resamples 200 --objective {objective} --out {objective}");
        let told = check(&folder, &tune, 0, &["by the test of carat compare, which corrects for all "]);
        let compared = check(&folder, &format!("compare {objective} --score {score} --format json"), 0, &[]).stdout;
        let compared: Json = serde_json::from_str(&compared).unwrap();
        let rows = compared["datasets"][0]["rows"].as_array().unwrap().clone();
        let tests = compared["datasets"][0]["letter_tests"].as_u64().unwrap();
        assert!(told.stdout.contains(&format!("corrects for all {tests} pairs of rows")), "{told:?}");
        let mut separated = 0;
        for system in folder.json(&format!("{objective}/tuning.json"))["datasets"][0]["systems"].as_array().unwrap() {
            let (name, flat) = (system["name"].as_str().unwrap(), &system["choice"]["flat"]);
            // The best first.
            let own: Vec<&Json> = rows.iter().filter(|row| row["name"].as_str().unwrap().starts_with(name)).collect();
            let letters = |row: &Json| row["letters"].as_str().unwrap().to_owned();
            let best = letters(own[0]);
            let shares = |row: &&&Json| letters(row).chars().any(|letter| best.contains(letter));
            let is_default =
                |row: &&&Json| ["nta density=0.5", "cevc alpha=0.5"].contains(&row["name"].as_str().unwrap());
            let default = own.iter().find(is_default).unwrap();
            assert_eq!(flat["holds_default"].as_bool(), Some(shares(&default)), "{name} {objective}");
            assert_eq!(flat["looked_at"], own.len(), "{name} {objective}");
            let expected = own.iter().filter(shares).count();
            assert_eq!(flat["flat"], expected, "{name} {objective}");
            separated += own.len() - expected;
        }
        assert!(separated > 0, "{objective}: some settings are separated");
    }
}

/// The flat region of an exact sweep is the one that the run's figure shades, also where some of the pieces are looked at.
#[test]
fn the_flat_region_of_an_exact_sweep_is_that_of_its_figure() {
    let exact = "datasets: [portals]\nalgorithms:\n  - cevc: {alpha: exact}\n  - nta: {density: exact}\n";
    let folder = Folder::new().with("e.yaml", exact);
    check(&folder, "run e.yaml --out run", 0, &[]);
    check(
        &folder,
        "tune e.yaml --resamples 200 --seed 7 --out tuned",
        0,
        &["by a simultaneous band of 2000 draws of sites with seed 1, "],
    );
    let number = |text: &str| match text.split_once('/') {
        Some((part, whole)) => part.parse::<f64>().unwrap() / whole.parse::<f64>().unwrap(),
        None => text.parse().unwrap(),
    };
    let sweeps = folder.read("run/sweeps.csv");
    let pieces: Vec<Vec<&str>> = sweeps.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let tuning = folder.json("tuned/tuning.json");
    for (name, parameter, default) in [("cevc", "alpha", 0.5), ("nta", "density", 0.5)] {
        let own: Vec<_> = pieces.iter().filter(|piece| piece[1] == name).collect();
        let is_flat = |piece: &&Vec<&str>| piece[12] == "true";
        let shaded: Vec<(f64, f64)> = own
            .chunk_by(|one, next| is_flat(one) == is_flat(next))
            .filter(|chunk| is_flat(&chunk[0]))
            .map(|chunk| (number(chunk[0][5]), number(chunk[chunk.len() - 1][7])))
            .collect();
        let flat = &system(&tuning, name)["choice"]["flat"];
        let told: Vec<String> =
            flat["parts"].as_array().unwrap().iter().map(|part| part.as_str().unwrap().to_owned()).collect();
        assert_eq!(told.len(), shaded.len(), "{told:?} {shaded:?}");
        for (told, &(from, to)) in told.iter().zip(&shaded) {
            let (low, high) = told.strip_prefix(&format!("{parameter} in ")).unwrap().split_once(", ").unwrap();
            let ends = [low, high].map(|end| number(end.trim_matches(['[', '(', ']', ')'])));
            assert!((ends[0] - from).abs() < 2e-4 && (ends[1] - to).abs() < 2e-4, "{told} {from} {to}");
        }
        let holds = shaded.iter().any(|&(from, to)| (from..=to).contains(&default));
        assert_eq!(flat["holds_default"].as_bool(), Some(holds), "{name} {shaded:?}");
        let looked_at = flat["looked_at"].as_u64().unwrap() as usize;
        assert!(
            looked_at <= own.len() && (own.len() <= 1_000) == (looked_at == own.len()),
            "{looked_at} {}",
            own.len()
        );
    }
}
