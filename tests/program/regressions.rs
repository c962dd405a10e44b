//! Regressions of an external program against the gate at its defaults: what each rule sees, and what none does.
//! `docs/reference/gate.md` lists the latter.

use std::collections::BTreeSet;
use std::fs;

use crate::support::{Folder, example};
use serde_json::Value as Json;

/// A sentence of its own for each page and number.
fn sentence(page: usize, number: usize) -> String {
    let words = ["council", "budget", "station", "teacher", "river", "winter", "market", "bridge", "letter", "section"];
    let word = |at: usize| words[(page * 7 + number * 3 + at * at) % words.len()];
    format!(
        "The {} of {} did not find {} of the {}; “{}” & {} cost {} in the year.",
        word(1),
        word(2),
        number * 3 + page,
        word(3),
        word(4),
        word(5),
        100 + page * number
    )
}

const SITES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// Six pages of each of eight sites, and a gate over one external program.
fn gated() -> Folder {
    let mut folder = Folder::new();
    let mut list = String::new();
    for page in 0..SITES.len() * 6 {
        let site = SITES[page % SITES.len()];
        let lines: Vec<String> =
            (0..8).map(|line| [0, 1, 2].map(|part| sentence(page, line * 3 + part)).join(" ")).collect();
        let paragraphs: String = lines.iter().map(|line| format!("<p>{}</p>", line.replace('&', "&amp;"))).collect();
        let html = format!(
            "<title>Page {page}</title><body data-site=\"{site}\" data-page=\"{page}\"><a href=/>Home</a>{paragraphs}"
        );
        let record = serde_json::json!({
            "id": format!("p{page:02}"), "site": format!("{site}.org"), "html": {"text": html}, "gold": {"text": lines.join("\n")},
        });
        list.push_str(&format!("{record}\n"));
    }
    let manifest =
        "format: 1\nname: own\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
    folder = folder.with("own/dataset.yaml", manifest).with("own/pages.jsonl", list);
    let worker = Json::from(example("regressing_worker").to_str().unwrap());
    let external = format!("{{name: x, command: [{worker}], timeout_s: 2, workers: 2}}");
    folder.with("gate.yaml", format!("datasets: [./own]\nalgorithms:\n  - external: {external}\n"))
}

const GATE: &str = "gate gate.yaml --baseline baseline.json --format json";

/// The verdict, the rules of level `error` that are broken, and whether a change of texts was reported.
fn judged(folder: &Folder) -> (i32, BTreeSet<String>, bool) {
    let ran = folder.carat(GATE);
    let verdict: Json = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    let checks = verdict["rows"][0]["checks"].as_array().unwrap().iter();
    let broken: Vec<&Json> = checks.filter(|check| check["outcome"] == "broken").collect();
    let of_level = |level: &'static str| {
        broken.iter().filter(move |check| check["level"] == level).map(|check| check["rule"].as_str())
    };
    let errors = of_level("error").flatten().map(str::to_owned).collect();
    (ran.code, errors, of_level("warn").flatten().any(|rule| rule == "texts"))
}

#[test]
fn what_each_rule_sees_of_planted_regressions() {
    let folder = gated();
    let accepted = folder.carat("gate gate.yaml --baseline baseline.json --accept");
    assert_eq!(accepted.code, 0, "{accepted:?}");
    assert_eq!(judged(&folder), (0, BTreeSet::new(), false), "nothing has changed");
    let cases: [(&str, &[&str]); 29] = [
        ("last-paragraph", &["macro_f1", "page_f1", "site_f1"]),
        ("nothing", &["macro_f1", "page_f1", "site_f1"]),
        ("title-alone", &["macro_f1", "page_f1", "site_f1"]),
        ("errors", &["macro_f1", "page_f1", "site_f1", "new_failures"]),
        ("crashes", &["macro_f1", "page_f1", "site_f1", "new_failures"]),
        ("hangs", &["page_f1", "site_f1", "new_failures"]),
        ("no-white-space", &["white_space"]),
        ("spaced-out", &["white_space"]),
        ("zero-width", &["unseen"]),
        ("soft-hyphens", &["unseen"]),
        ("escaped-twice", &["macro_f1", "page_f1", "site_f1", "markup"]),
        ("tags-stay", &["macro_f1", "page_f1", "site_f1", "markup"]),
        ("one-site", &["site_f1"]),
        ("two-per-cent", &["macro_f1", "site_f1"]),
        ("truncated", &["macro_f1", "page_f1", "site_f1"]),
        ("first-line-lost", &["macro_f1", "page_f1", "site_f1"]),
        ("doubled", &["macro_f1", "page_f1", "site_f1"]),
        ("menu", &["macro_f1"]),
        ("reversed", &["macro_f1", "page_f1", "site_f1"]),
        ("lower-case", &["macro_f1", "site_f1"]),
        ("no-digits", &["macro_f1", "page_f1", "site_f1"]),
        ("straight-quotes", &["macro_f1", "page_f1", "site_f1"]),
        ("mojibake", &["macro_f1", "page_f1", "site_f1", "unseen"]),
        // Every sentence has one: four per cent of the text.
        ("no-not", &["macro_f1", "page_f1", "site_f1"]),
        // The change of a text is all that is seen of these.
        ("one-per-cent", &[]),
        ("spaces-doubled", &[]),
        ("no-break-spaces", &[]),
        // Whoever wants to know of nothing else has a figure for it.
        ("none", &[]),
        ("", &[]),
    ];
    for (regression, rules) in cases {
        fs::write(folder.path("regression.txt"), regression).unwrap();
        let (code, errors, texts) = judged(&folder);
        println!("{regression:16} exit {code}  {}", errors.iter().cloned().collect::<Vec<_>>().join(" "));
        let expected: BTreeSet<String> = rules.iter().map(|rule| (*rule).to_owned()).collect();
        assert_eq!(errors, expected, "{regression}");
        assert_eq!(code, i32::from(!rules.is_empty()), "{regression}");
        let is_changed = !["none", "", "errors", "crashes", "hangs"].contains(&regression);
        assert_eq!(texts, is_changed, "{regression}: a changed text is always reported");
    }
}

#[test]
fn a_change_of_texts_fails_the_gate_where_that_is_asked_for() {
    let folder = gated();
    let strict = folder.read("gate.yaml") + "gate: {texts: error}\n";
    let folder = folder.with("gate.yaml", strict);
    assert_eq!(folder.carat("gate gate.yaml --baseline baseline.json --accept").code, 0);
    fs::write(folder.path("regression.txt"), "no-not").unwrap();
    let ran = folder.carat("gate gate.yaml --baseline baseline.json");
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("texts of external/x on own: the text changed on 48 of 48 pages"), "{ran:?}");
}

#[test]
fn a_page_that_lost_white_space_alone_shows_no_gold_as_lost() {
    let folder = gated();
    assert_eq!(folder.carat("gate gate.yaml --baseline baseline.json --accept").code, 0);
    for (regression, rule, is_shown) in [("no-white-space", "white_space", false), ("last-paragraph", "page_f1", true)]
    {
        fs::write(folder.path("regression.txt"), regression).unwrap();
        assert_eq!(folder.carat("gate gate.yaml --baseline baseline.json --markdown g.md").code, 1);
        let told = folder.read("g.md");
        assert!(told.contains(rule), "{told}");
        assert_eq!(told.contains("the lines of the gold that"), is_shown, "{told}");
    }
}

#[test]
fn the_gate_asks_afresh_though_neither_version_nor_files_changed() {
    let folder = gated();
    assert_eq!(folder.carat("run gate.yaml --out o").code, 0);
    assert_eq!(folder.carat("gate gate.yaml --baseline baseline.json --accept").code, 0);
    fs::write(folder.path("regression.txt"), "truncated").unwrap();
    let told = |command: &str| folder.carat(command);
    let afresh = told("gate gate.yaml --baseline baseline.json");
    assert!(afresh.code == 1 && !afresh.stderr.contains("from the cache"), "asked afresh: {afresh:?}");
    // Whoever asks for the cache gets what is there, and reads so below every table.
    let cached = told("gate gate.yaml --baseline baseline.json --cache --fresh");
    assert_eq!(cached.code, 0, "{cached:?}");
    let note = "note: 48 of 48 replies of external/x from the cache, of 2";
    assert!(cached.stderr.contains(note) && cached.stderr.contains("without --cache"), "{cached:?}");
    let rows = folder.read("reports/gate-gate/tables/rows.md");
    assert!(rows.contains("48 of 48 replies of external/x from the cache, of 2"), "{rows}");
    // A finished run is asked for again without the cache.
    assert!(told("run gate.yaml --out o").stderr.contains("holds this run already"));
    let before = folder.json("o/run.json")["result_digest"].clone();
    assert_eq!(told("run gate.yaml --out o --no-cache").code, 0);
    assert_ne!(folder.json("o/run.json")["result_digest"], before);
    assert!(!folder.read("o/tables/rows.md").contains("from the cache"));
}

#[test]
fn a_first_baseline_of_failures_is_refused() {
    let folder = gated();
    fs::write(folder.path("regression.txt"), "errors").unwrap();
    let refused = folder.carat("gate gate.yaml --baseline baseline.json --accept");
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(
        refused.stderr.contains("not accepted: external/x fails or was not run on 8 of 48 pages of own")
            && refused.stderr.contains("--allow-failed"),
        "{refused:?}"
    );
    assert!(!folder.path("baseline.json").exists());
    assert_eq!(folder.carat("gate gate.yaml --baseline baseline.json --accept --allow-failed 0.16").code, 1);
    let accepted = folder.carat("gate gate.yaml --baseline baseline.json --accept --allow-failed 0.17");
    assert_eq!(accepted.code, 0, "{accepted:?}");
    assert!(accepted.stdout.contains("external/x on own: 8 failed, 0 empty, 0 not run"), "{accepted:?}");
    let judged = folder.carat("gate gate.yaml --baseline baseline.json");
    assert_eq!(judged.code, 0, "{judged:?}");
    assert!(judged.stdout.contains("failed/empty/not run") && judged.stdout.contains("8/0/0"), "{judged:?}");
}

#[test]
fn a_program_that_takes_longer_is_told_where_times_were_asked_for() {
    let folder = gated();
    let plain = folder.read("gate.yaml");
    let with = |rules: &str| fs::write(folder.path("gate.yaml"), format!("{plain}{rules}")).unwrap();
    let gate = |options: &str| folder.carat(&format!("gate gate.yaml --baseline baseline.json {options}"));
    assert_eq!(gate("--accept").code, 0);
    let without_times = folder.read("baseline.json");
    assert!(!without_times.contains("median_ns"), "{without_times}");
    // The rule is named, and the baseline has nothing to hold a time against.
    with("gate: {slower_time: 2}\n");
    let untimed = gate("");
    assert_eq!(untimed.code, 0, "{untimed:?}");
    assert!(untimed.stdout.contains("the baseline lacks times, so slower_time was not looked at"), "{untimed:?}");
    assert_eq!(gate("--accept").code, 0);
    let with_times = folder.read("baseline.json");
    assert_eq!(with_times.matches("\"median_ns\":").count(), 1, "{with_times}");
    // All else is as it was: the scores do not know of times.
    let lines = |text: &str| -> Vec<String> {
        let scored = text.lines().filter(|line| line.starts_with("{\"dataset\":\"own\",\"page\""));
        scored.map(str::to_owned).collect()
    };
    assert_eq!(lines(&with_times), lines(&without_times));
    fs::write(folder.path("regression.txt"), "slow").unwrap();
    let slow = gate("");
    assert_eq!(slow.code, 0, "{slow:?}");
    assert!(slow.stdout.starts_with("passed: no rule of level error is broken, but 1 of level warn\n"), "{slow:?}");
    assert!(slow.stdout.contains("warn: slower_time of external/x on own rose: p50 "), "{slow:?}");
    with("gate: {slower_time: {level: error, factor: 2}}\n");
    let failed = gate("--junit gate.xml");
    assert_eq!(failed.code, 1, "{failed:?}");
    assert!(folder.read("gate.xml").contains("name=\"slower_time\"><failure message="), "{}", folder.read("gate.xml"));
    // Whoever does not name the rule is told nothing, whatever the baseline holds.
    with("");
    let unasked = gate("");
    assert!(unasked.code == 0 && !unasked.stdout.contains("slower_time"), "{unasked:?}");
    assert_eq!(gate("--accept").code, 0);
    assert_eq!(folder.read("baseline.json"), without_times);
}
