//! `carat compare` as people meet it.

use std::collections::BTreeMap;
use std::path::Path;

use crate::support::{Folder, check};
use carat::datasets::locate::corpora;
use serde_json::Value as Json;

const MANIFEST: &str =
    "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";

/// A dataset of `sites` sites with two pages each, whose gold is `abcdefghij`; each system's output for a page
/// is made of the page's number, `None` where it lacks the page.
type Output<'o> = (&'o str, &'o dyn Fn(usize) -> Option<&'static str>);

fn demo(name: &str, sites: usize, systems: &[Output<'_>]) -> Folder {
    add(Folder::new(), name, sites, systems)
}

fn add(mut folder: Folder, name: &str, sites: usize, systems: &[Output<'_>]) -> Folder {
    let page = |number: usize| {
        // Sites come in another order by name than by page.
        let site = 20 - number / 2;
        format!(
            "{{\"id\":\"p{number:02}\",\"html\":{{\"text\":\"<p>{number}\"}},\"site\":\"s{site:02}.org\",\
             \"gold\":{{\"text\":\"abcdefghij\"}}}}\n"
        )
    };
    folder = folder
        .with(&format!("{name}/dataset.yaml"), MANIFEST.replace("demo", name))
        .with(&format!("{name}/pages.jsonl"), (0..2 * sites).map(page).collect::<String>());
    for (system, output) in systems {
        let lines = (0..2 * sites).filter_map(|number| Some((number, output(number)?)));
        let lines: String =
            lines.map(|(number, text)| format!("{{\"id\":\"p{number:02}\",\"text\":\"{text}\"}}\n")).collect();
        folder = folder.with(&format!("{name}/stored/{system}.jsonl"), format!("{{\"system\":\"{system}\"}}\n{lines}"));
    }
    folder
}

const WHOLE: Option<&str> = Some("abcdefghij");
/// F1 2/3.
const HALF: Option<&str> = Some("abcde");

/// Ten sites: `full` is right everywhere, `half` is half everywhere but on page 7, `mixed` is wrong on one page.
fn ten_sites() -> Folder {
    let systems: [Output<'_>; 3] = [
        ("full", &|_| WHOLE),
        ("half", &|page| if page == 7 { Some("zzz") } else { HALF }),
        ("mixed", &|page| if page == 3 { Some("zzz") } else { WHOLE }),
    ];
    let folder = demo("demo", 10, &systems);
    check(&folder, "run --dataset ./demo --stored all --out o", 0, &[]);
    folder
}

#[test]
fn rows_that_were_chosen_among_others_and_differences_that_no_test_can_find_are_told() {
    let folder = ten_sites();
    let told = "left aside: 1 row; if those here were chosen by their figures on these pages, p corrected is too small";
    let chosen = check(&folder, "compare o --row stored/full --row stored/mixed", 0, &[told]).stdout;
    let mixed = chosen.lines().rfind(|line| line.contains("stored/mixed") && line.contains(" 0/19/1 ")).unwrap();
    assert!(mixed.contains("   -   not separable"), "one site differs, and a test needs six: {mixed}");
    let all = check(&folder, "compare o", 0, &[]).stdout;
    assert!(!all.contains("left aside"), "{all}");
    let half = all.lines().find(|line| line.contains("stored/half") && line.contains(" 0/0/20 ")).unwrap();
    assert!(!half.contains(" - "), "all ten sites differ: {half}");
}

#[test]
fn rows_are_held_against_the_best_with_all_that_is_known() {
    let folder = ten_sites();
    let told = check(&folder, "compare o", 0, &[]).stdout;
    let line = |start: &str, after: &str| -> Vec<String> {
        let table = told.split(after).nth(1).unwrap_or_else(|| panic!("no {after} in\n{told}"));
        let line = table.lines().find(|line| line.trim_start().starts_with(start)).unwrap();
        line.split_whitespace().map(str::to_owned).collect()
    };
    let letters = |row: &str| line(row, "demo: F1 of 20 pages of 10 sites").last().unwrap().clone();
    assert_eq!(["stored/full", "stored/mixed", "stored/half"].map(letters), ["a", "a", "b"]);
    let half = line("stored/half", "against stored/full, the best here").join(" ");
    // 19 pages at -1/3 and one at -1: the mean is -22/60. All ten sites are lower: p is 2 of 1024.
    assert!(half.starts_with("stored/half -0.3667 ") && half.contains(" -0.3333 0/0/20 "), "{half}");
    assert!(half.contains(" 0.0020 0.0059 ") && half.ends_with(" worse"), "{half}");
    let mixed = line("stored/mixed", "against stored/full, the best here").join(" ");
    assert!(mixed.contains(" 0/19/1 ") && mixed.ends_with("not separable"), "{mixed}");
    let heaviest = line("stored/half", "the page that weighs most");
    assert_eq!(heaviest, ["stored/half", "p07", "-1.0000", "-0.3667", "-0.3333"]);
    let differing = line("p03", "the pages on which stored/full and stored/mixed differ most");
    assert_eq!(differing, ["p03", "s19.org", "stored/full", "1.0000", "stored/mixed", "0.0000"]);
    for part in [
        "by Holm for the number of tests, 3;",
        "too few sites differ for a test to reach 0.05: stored/mixed (1)",
        "10000 resamples",
        "seed 1",
        "20 pages, tokens char, case keep, measure lcs",
    ] {
        assert!(told.contains(part), "`{part}` is not in\n{told}");
    }
}

#[test]
fn one_result_in_every_format() {
    let folder = ten_sites();
    let stdout = |arguments: &str| check(&folder, arguments, 0, &[]).stdout;
    assert_eq!(stdout("compare o"), stdout("compare o"));
    let json: serde_json::Value = serde_json::from_str(&stdout("compare o --format json")).unwrap();
    let dataset = &json["datasets"][0];
    assert_eq!((&json["score"], &json["sampling"]["seed"]), (&"F1".into(), &1.into()));
    assert_eq!((&dataset["rows"][2]["name"], &dataset["rows"][2]["letters"]), (&"stored/half".into(), &"b".into()));
    let worse = &dataset["comparisons"][1];
    assert_eq!((&worse["verdict"], &worse["heaviest_page"]), (&"worse".into(), &"p07".into()));
    assert_eq!(worse["by_site"]["p"], 2.0 / 1024.0);
    let csv = stdout("compare o --format csv");
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let lines: Vec<BTreeMap<String, String>> = reader.deserialize().map(Result::unwrap).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(
        [&lines[1]["row"], &lines[1]["verdict"], &lines[1]["p_corrected"]],
        ["stored/half", "worse", "0.005859"]
    );
    assert_eq!(lines[1]["difference"], "-0.366667");
    assert_eq!(stdout("compare o --format csv --pairs").lines().count(), 4);
    let markdown = stdout("compare o --format md");
    assert!(
        markdown.contains("| `stored/half` | -0.3667 |") && markdown.contains("\n- p corrected: by Holm"),
        "{markdown}"
    );
    // Of recall, half of the gold is half, not two thirds.
    assert!(stdout("compare o --score recall").contains("-0.5250"), "{}", stdout("compare o --score recall"));
    let seeds = ["1", "2"].map(|seed| stdout(&format!("compare o --format json --seed {seed}")));
    assert_ne!(seeds[0], seeds[1]);
}

#[test]
fn a_reference_that_is_named_has_fewer_tests_beside_it() {
    let folder = ten_sites();
    let named = check(&folder, "compare o --reference mixed", 0, &["by Holm for the number of tests, 2;"]).stdout;
    assert!(named.contains("against stored/mixed\n"), "{named}");
    let two =
        check(&folder, "compare o --row stored/half --row full", 0, &["by Holm for the number of tests, 1;"]).stdout;
    assert!(!two.contains("mixed"), "{two}");
}

#[test]
fn rows_of_algorithms_are_named_by_their_values() {
    let folder = ten_sites();
    let run = "run --dataset ./demo --algorithm nta:coherence=0.80|0.9|1,density=0.3|0.5 --algorithm all-text --out p";
    check(&folder, run, 0, &[]);
    let rows = |arguments: &str| -> Vec<String> {
        let stdout = check(&folder, &format!("compare p --format json {arguments}"), 0, &[]).stdout;
        let json: serde_json::Value = serde_json::from_str(&stdout).unwrap();
        let rows = json["datasets"][0]["rows"].as_array().unwrap().clone();
        let mut names: Vec<String> = rows.iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(rows("").len(), 7);
    assert_eq!(rows("--row nta").len(), 6);
    assert_eq!(
        rows("--row nta:coherence=0.8|1.0,density=0.50"),
        ["nta coherence=0.80,density=0.5", "nta coherence=1,density=0.5"]
    );
    assert_eq!(rows("--row nta:coherence=0.9,density=0.3 --reference all-text").len(), 2);
    // A whole name, as tables print it, means that row alone.
    let whole = ["compare", "p", "--format", "json", "--row", "nta coherence=0.8,density=0.50", "--row", "all-text"];
    let ran = folder.carat_with(b"", &whole);
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    let mut names: Vec<&str> =
        json["datasets"][0]["rows"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["all-text", "nta coherence=0.80,density=0.5"]);
    check(&folder, "compare p ./p", 2, &["is named twice: a run is compared with another one"]);
    check(&folder, "compare p --row ntaa", 2, &["no row of demo is meant by `ntaa`;", "all-text"]);
    check(&folder, "compare p --row all-text", 2, &["it takes two"]);
    check(&folder, "compare p --reference nta", 2, &["--reference nta means 6 rows"]);
    check(&folder, "compare p --dataset portals", 2, &["no dataset `portals` was run; there are demo"]);
    check(&folder, "compare nowhere", 2, &["nowhere"]);
    check(
        &folder,
        "compare p --row nta:coherence",
        2,
        &["no row of demo is meant by `nta:coherence`; of nta there are nta"],
    );
}

#[test]
fn runs_under_unlike_conditions_are_refused_with_the_keys_that_differ() {
    let folder = ten_sites();
    check(&folder, "run --dataset ./demo --stored all --tokens word --case fold --out q", 0, &[]);
    let told = check(&folder, "compare o q", 2, &["tokens (char and word)", "case (keep and fold)"]);
    assert!(!told.stderr.contains("measure"), "{told:?}");
    // Another byte of a gold is another dataset.
    let list = folder.read("demo/pages.jsonl").replacen("abcdefghij", "abcdefghik", 1);
    let folder = folder.with("demo/pages.jsonl", list);
    check(&folder, "run --dataset ./demo --stored all --out changed", 0, &[]);
    check(&folder, "compare o changed", 2, &["o and changed were run under unlike conditions", "datasets.demo.digest"]);
}

#[test]
fn rows_of_several_runs_are_told_apart() {
    let folder = ten_sites();
    let systems: [Output<'_>; 1] = [("half", &|_| HALF)];
    let folder = add(folder, "later", 1, &systems);
    // The same pages under another system: its stored outputs lie elsewhere.
    let outputs: String = (0..20).map(|page| format!("{{\"id\":\"p{page:02}\",\"text\":\"abcdefghij\"}}\n")).collect();
    let folder = folder.with("new/half.jsonl", format!("{{\"system\":\"half\"}}\n{outputs}"));
    check(&folder, "run --dataset ./demo --stored new/half.jsonl --out after/o", 0, &[]);
    let told = check(&folder, "compare o after/o --row half", 0, &["o/stored/half", "after/o/stored/half"]).stdout;
    assert!(told.contains("against after/o/stored/half"), "{told}");
    check(&folder, "compare o after/o --row o/half --reference o/full", 0, &["against o/stored/full"]);
    // Of runs that have other datasets besides, those that both have can be compared.
    check(&folder, "run --dataset ./demo --dataset ./later --stored all --out both", 0, &[]);
    check(&folder, "compare o both", 2, &["datasets.later.digest"]);
    check(&folder, "compare o both --dataset demo", 0, &["demo: F1 of 20 pages"]);
}

#[test]
fn few_sites_and_missing_pages_are_told() {
    let systems: [Output<'_>; 3] =
        [("full", &|_| WHOLE), ("half", &|_| HALF), ("lazy", &|page| if page < 6 { HALF } else { None })];
    let folder = demo("few", 4, &systems);
    check(&folder, "run --dataset ./few --stored all --out o", 0, &[]);
    let told =
        check(&folder, "compare o", 0, &["few: F1 of 6 pages of 3 sites", "too few sites: with 3 no test"]).stdout;
    assert!(told.contains("2 of 8 pages are left out: stored/lazy was not run on them\n"), "{told}");
    assert!(told.contains("to compare the other rows on all pages, name each with --row\n"), "{told}");
    let latex = check(&folder, "compare o --format latex", 0, &["are left out: stored/lazy"]).stdout;
    assert!(!latex.contains("carat diff") && !latex.contains("{-}row"), "no commands in print: {latex}");
    assert!(told.lines().any(|line| line.contains("0.2500") && line.contains("not separable")), "{told}");
    // The headline of the figure says of the floor, too, that it is not told apart.
    check(&folder, "run --dataset ./few --stored all --algorithm all-text --bounds none --out floor", 0, &[]);
    let page = folder.read("floor/index.html");
    assert!(page.contains("the best floor, all-text, which is not told apart either"), "{page}");
    // Equal rows are the same, of however few sites.
    let same = check(&folder, "compare o --row lazy --row half", 0, &[]).stdout;
    assert!(same.lines().any(|line| line.contains("0/6/0") && line.ends_with("same")), "{same}");
}

#[test]
fn a_report_says_that_each_page_counts_as_a_site_as_compare_does() {
    let told = "each page counts as a site: if several are of one site, intervals are too narrow and tests too sure";
    let folder = demo("demo", 8, &[("full", &|_| WHOLE), ("half", &|_| HALF)]);
    let shows = |folder: &Folder| {
        check(folder, "run --dataset ./demo --stored all --out o --fresh", 0, &[]);
        let stats = check(folder, "report o --stats", 0, &[]).stdout;
        [stats, folder.read("o/index.html"), folder.carat("compare o").stdout].map(|text| text.contains(told))
    };
    assert_eq!(shows(&folder), [false; 3], "each site has two pages");
    let list = folder.read("demo/pages.jsonl");
    let own = |(number, line): (usize, &str)| line.replace(".org", &format!("-{number}.org")) + "\n";
    let folder = folder.with("demo/pages.jsonl", list.lines().enumerate().map(own).collect::<String>());
    assert_eq!(shows(&folder), [true; 3]);
}

#[test]
fn pages_of_no_known_site_are_told_where_others_have_one() {
    let text = |number: usize| format!("Text of page {number}, which is here and is long enough to be one.");
    let folder = (0..9).fold(Folder::new(), |folder, number| {
        let address = if number < 7 {
            format!("<link rel=canonical href=http://s{}.example/p>", number % 6)
        } else {
            String::new()
        };
        let page = format!("<html><head>{address}</head><p>{}</p></html>", text(number));
        folder.with(&format!("own/p{number}.html"), page).with(&format!("own/p{number}.txt"), text(number))
    });
    let run = "run --dataset ./own --algorithm nta --algorithm all-text --out o";
    check(&folder, run, 0, &[]);
    let told = "2 of 9 pages have no site, so each counts as one: if several are of one site, intervals are too narrow";
    check(&folder, "compare o", 0, &["9 pages of 8 sites", told]);
    check(&folder, "report o --stats", 0, &[told]);
    assert!(folder.read("o/index.html").contains(told));
    check(&folder, "compare o --lang zh", 0, &["9 页中有 2 页站点未知"]);
    let tuned = "datasets: [own]\nalgorithms:\n  - nta: {density: [0.4, 0.5]}\n";
    let folder = folder.with("t.yaml", tuned.replace("own", "./own"));
    check(&folder, "tune t.yaml --out t", 0, &[told]);
    check(&folder, "gate t.yaml --baseline b.json --accept", 0, &[]);
    check(&folder, "gate t.yaml --baseline b.json --out g", 0, &[told]);
}

#[test]
fn the_table_of_a_run_says_where_sites_are_too_few_as_its_intervals_do() {
    let (whole, half): (Output<'_>, Output<'_>) = (("full", &|_| WHOLE), ("half", &|_| HALF));
    let third: Output<'_> = ("third", &|page| if page % 2 == 0 { WHOLE } else { HALF });
    let told = "too few sites: with 6 sites none of 3 tests can come to 0.05 after the correction for their number, so no two \
                rows can be told apart; it takes 7 sites";
    let of_three = demo("six", 6, &[whole, half, third]);
    check(&of_three, "run --dataset ./six --stored all --out o", 0, &[told]);
    for shown in ["run --dataset ./six --stored all --out o", "report o", "report o --stats"] {
        check(&of_three, shown, 0, &[told]);
    }
    let of_two = demo("six", 6, &[whole, half]);
    let ran = check(&of_two, "run --dataset ./six --stored all --out o", 0, &["stored/half"]);
    assert!(!ran.stdout.contains("few sites"), "one test of six sites can: {}", ran.stdout);
}

#[test]
fn a_report_shows_intervals_and_letters() {
    let folder = ten_sites();
    let stdout = |arguments: &str| check(&folder, &format!("report o {arguments}"), 0, &[]).stdout;
    let text = stdout("--stats");
    let row = |text: &str, name: &str| -> String {
        let line = text.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{name} is not in {text}"));
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    // On every page the same: no resample differs. Half of the gold: F1 2/3 on 19 pages of 20.
    assert_eq!(
        row(&text, "stored/full"),
        "stored/full 20 1.0000 [1.0000, 1.0000] 1.0000 [1.0000, 1.0000] 1.0000 [1.0000, 1.0000] 1–2 a"
    );
    assert!(row(&text, "stored/half").starts_with("stored/half 20 0.6333 [0."), "{text}");
    assert!(row(&text, "stored/half").ends_with(" 3–3 b") && row(&text, "stored/mixed").ends_with(" a"), "{text}");
    assert!(text.contains("10000 resamples of sites") && text.contains("tokens char, case keep"), "{text}");
    assert!(row(&stdout("--stats --format md"), "stored/half").starts_with("| `stored/half` | | 20 | 0.6333 [0."));
    let latex = stdout("--stats --format latex");
    assert!(
        latex.contains("\\toprule") && row(&latex, "stored/half").starts_with("stored/half & & 20 & 0.6333 {[}0."),
        "{latex}"
    );
    assert!(stdout("--format latex").contains("stored/half &  & 20 & 0.9500 & 0.4750 & 0.6333"), "{latex}");
    assert!(check(&folder, "compare o --format latex", 0, &[]).stdout.contains("\\bottomrule"));
    let csv = stdout("--stats --format csv");
    assert_eq!(csv.lines().count(), 1 + 3 * 16);
    assert!(csv.contains("demo,stored/half,,b,macro_f1,0.633333,"), "{csv}");
    let json: serde_json::Value = serde_json::from_str(&stdout("--stats --format json")).unwrap();
    let estimate = &json["datasets"][0]["rows"][2]["estimates"]["benchmark_accuracy"];
    assert_eq!((&estimate["point"], &estimate["sites"]), (&0.0.into(), &10.into()));
    // One figure under one seed has one interval, wherever it is told.
    let compared: serde_json::Value =
        serde_json::from_str(&check(&folder, "compare o --format json", 0, &[]).stdout).unwrap();
    assert_eq!(compared["datasets"][0]["rows"][2]["mean"], json["datasets"][0]["rows"][2]["estimates"]["macro_f1"]);
    check(&folder, "report o --stats --by site", 2, &["cannot be used with"]);
}

/// The lines of the table of `text` that is headed `head`, in cells.
fn table(text: &str, head: &str) -> Vec<Vec<String>> {
    let lines = text.lines().skip_while(|line| !line.starts_with(head)).skip(2);
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
    lines.take_while(|line| line.starts_with('|')).map(cells).collect()
}

/// The first number in `text`.
fn number(text: &str) -> f64 {
    text.trim_start_matches(['<', '[', '+']).trim_end_matches([']', ',']).parse().unwrap()
}

#[test]
fn the_benchmarks_systems_separate_as_others_found() {
    let figures = corpora().map(|folder| folder.join("figures-benchmark.md"));
    let Some(figures) = figures.filter(|file| file.exists()) else {
        eprintln!("skipped: CARAT_CORPORA does not name the folder of corpora");
        return;
    };
    let expected = table(&std::fs::read_to_string(figures).unwrap(), "| A | B | d = F1(A) - F1(B) |");
    assert_eq!(expected.len(), 15);
    let folder = Folder::new();
    let dataset = corpora().unwrap().join("article-extraction-benchmark");
    let run = "--stored all --measure lcs --tokens w --case fold --out o";
    check(&folder, &format!("run --dataset article-extraction-benchmark:{} {run}", path(&dataset)), 0, &[]);
    let systems = ["rs_trafilatura", "AutoExtract", "go_trafilatura", "trafilatura", "Diffbot", "go_readability_fork"];
    let rows: String = systems.iter().map(|system| format!(" --row {system}")).collect();
    let csv = check(&folder, &format!("compare o{rows} --pairs --format csv"), 0, &[]).stdout;
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let found: Vec<BTreeMap<String, String>> = reader.deserialize().map(Result::unwrap).collect();
    for cells in &expected {
        let pair = [&cells[0], &cells[1]].map(|system| format!("stored/{system}"));
        let at = |a: &String, b: &String| found.iter().find(|line| line["row"] == *a && line["against"] == *b);
        let turned = at(&pair[0], &pair[1]).is_none();
        let line = if turned { at(&pair[1], &pair[0]) } else { at(&pair[0], &pair[1]) }.unwrap();
        let sign = if turned { -1.0 } else { 1.0 };
        let near = |column: &str, expected: f64, tolerance: f64| {
            let found: f64 = line[column].parse().unwrap();
            assert!((found - expected).abs() <= tolerance, "{pair:?} {column}: {found} is not {expected}");
        };
        near("difference", sign * number(&cells[2]), 0.000_006);
        near("error_by_page", number(&cells[3]), 0.000_006);
        near("error_by_site", number(&cells[4]), 0.000_006);
        let ends: Vec<f64> = cells[5].split(' ').map(number).collect();
        let [low, high] = if turned { [-ends[1], -ends[0]] } else { [ends[0], ends[1]] };
        near("low", low, 0.0012);
        near("high", high, 0.0012);
        for (column, cell) in [("p_by_page", &cells[6]), ("p_by_site", &cells[7])] {
            let expected = number(cell);
            near(column, expected, 0.0015 + 5.0 * (expected * (1.0 - expected) / 100_000.0).sqrt());
        }
        near("p_corrected", number(&cells[8]), 0.04);
        near("detectable", number(&cells[13]), 0.0001);
        let wins = if turned { ["losses", "ties", "wins"] } else { ["wins", "ties", "losses"] };
        assert_eq!(wins.map(|column| line[column].clone()).join("/"), cells[10], "{pair:?}");
        let separates = number(&cells[8]) < 0.05;
        let shared = line["letters"].chars().any(|letter| line["letters_against"].contains(letter));
        assert_eq!(shared, !separates, "{pair:?}");
        assert_eq!(line["verdict"] == "better" || line["verdict"] == "worse", separates, "{pair:?}");
    }
}

fn path(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

#[test]
fn the_pages_on_which_a_row_is_behind_are_told() {
    let folder = Folder::new();
    check(&folder, "run --where group=zh-news --algorithm cevc --algorithm nta --algorithm all-text --out o", 0, &[]);
    let says = [
        "the pages on which nta is furthest behind the best other row",
        "to see a page: carat diff RUN PAGE --a ROW --b ROW",
    ];
    check(&folder, "compare o --where-loses nta", 0, &says);
    let json: Json = serde_json::from_str(&folder.carat("compare o --where-loses nta --format json").stdout).unwrap();
    let dataset = &json["datasets"][0];
    let place = dataset["rows"].as_array().unwrap().iter().position(|row| row["name"] == "nta").unwrap() as u64;
    let losses: Vec<f64> = dataset["differing"]
        .as_array()
        .unwrap()
        .iter()
        .map(|page| {
            assert_eq!(page["lowest"][0], place);
            assert_ne!(page["highest"][0], place);
            page["highest"][1].as_f64().unwrap() - page["lowest"][1].as_f64().unwrap()
        })
        .collect();
    assert!(!losses.is_empty() && losses.is_sorted_by(|one, other| one >= other), "{losses:?}");
    check(&folder, "compare o --where-loses nto", 2, &["no row of portals is meant by `nto`; did you mean `nta`?"]);
}

#[test]
fn long_ids_are_cut_to_what_finds_the_page_among_all_of_the_run() {
    let page = |id: &str| {
        format!("{{\"id\":\"{id}\",\"html\":{{\"text\":\"<p>abc <a href=x>d</a>\"}},\"gold\":{{\"text\":\"abc\"}}}}\n")
    };
    let [one, two] = ["one", "two"].map(|end| format!("www.example.org_first_page_of_{end}_of_the_datasets"));
    let folder = Folder::new()
        .with("one/dataset.yaml", MANIFEST.replace("demo", "one"))
        .with("one/pages.jsonl", page(&one) + &page("22%20双核处理器与单核处理器的比较"))
        .with("two/dataset.yaml", MANIFEST.replace("demo", "two"))
        .with("two/pages.jsonl", page(&two));
    let run = "run --dataset ./one --dataset ./two --algorithm all-text --algorithm nonlink-text --out o";
    check(&folder, run, 0, &[]);
    // The sign of what was cut stands apart, so that what is copied finds the page.
    let cut = ["www.example.org_first_page_of_o … ", "www.example.org_first_page_of_t … "];
    check(&folder, "compare o", 0, &[cut[0], cut[1], "22%20双核处理器与单核处理器的比较 "]);
    check(&folder, "diff o www.example.org_first_page_of_t", 0, &[&two]);
    check(&folder, "compare o --format md", 0, &[&format!("| `{one}` |"), &format!("| `{two}` |")]);
}

#[test]
fn rows_with_the_same_texts_are_one_system_among_the_tests() {
    let full: &dyn Fn(usize) -> Option<&'static str> = &|_| WHOLE;
    let half: &dyn Fn(usize) -> Option<&'static str> = &|page| if page == 7 { Some("zzz") } else { HALF };
    // As good as `half` on every page, by another half of the gold.
    let other: &dyn Fn(usize) -> Option<&'static str> = &|page| if page == 7 { Some("zzz") } else { Some("fghij") };
    let alone = demo("demo", 10, &[("full", full), ("half", half), ("other", other)]);
    check(&alone, "run --dataset ./demo --stored all --out o", 0, &[]);
    let names = ["full", "fullb", "half", "halfb", "halfc", "other"];
    let outputs = [full, full, half, half, half, other];
    let systems: Vec<Output<'_>> = names.into_iter().zip(outputs).collect();
    let folder = demo("demo", 10, &systems);
    check(&folder, "run --dataset ./demo --stored all --out o", 0, &[]);
    let pair = |folder: &Folder, arguments: &str, row: &str, against: &str| -> Json {
        let json: Json =
            serde_json::from_str(&check(folder, &format!("compare o {arguments} --format json"), 0, &[]).stdout)
                .unwrap();
        let dataset = json["datasets"][0].clone();
        let place =
            |name: &str| dataset["rows"].as_array().unwrap().iter().position(|row| row["name"] == name).unwrap();
        let is_meant = |pair: &&Json| pair["row"] == place(row) && pair["against"] == place(against);
        let found = dataset["comparisons"].as_array().unwrap().iter().find(is_meant).unwrap().clone();
        serde_json::json!([dataset["tests"], found["corrected"], found["verdict"]])
    };
    for arguments in ["", "--pairs", "--reference full"] {
        let pair = |folder: &Folder, row: &str, against: &str| match arguments {
            "--pairs" => pair(folder, arguments, against, row),
            _ => pair(folder, arguments, row, against),
        };
        // However often a system is there, its p is corrected as if it were there once.
        let (once, often) = (pair(&alone, "stored/half", "stored/full"), pair(&folder, "stored/halfc", "stored/full"));
        assert_eq!((&once, &once[2] == "not_separable"), (&often, false), "{arguments}");
        assert_eq!(once[0], if arguments.starts_with("--reference") { 2 } else { 3 });
        let same = pair(&folder, "stored/fullb", "stored/full");
        assert_eq!((same[1].as_f64(), same[2].as_str()), (Some(1.0), Some("same")), "{arguments}");
    }
    let told = check(
        &folder,
        "compare o",
        0,
        &["by Holm for the number of tests, 3; letters: corrected for 3 pairs of rows;"],
    )
    .stdout;
    let same = "the same text on every page, so one system in the tests: stored/full = stored/fullb; \
                stored/half = stored/halfb = stored/halfc\n";
    assert!(told.contains(same), "equal scores of other texts are another system: {told}");
    assert!(!told.contains("too few sites differ"), "nothing is tested between equal rows: {told}");
    // What a report says of its rows is what `compare` says.
    let letters = |text: &str, row: &str| {
        text.lines().find(|line| line.contains(row)).unwrap().split_whitespace().last().unwrap().to_owned()
    };
    let report = check(&folder, "report o --stats", 0, &[]).stdout;
    for row in ["stored/full ", "stored/fullb", "stored/halfc", "stored/other"] {
        assert_eq!(letters(&report, row), letters(&told, row), "{row}");
    }
}

#[test]
fn a_row_that_was_not_run_on_some_pages_is_never_the_best() {
    let dies = |page: usize| (page < 5).then_some("abcdefghij");
    let whole = |page: usize| Some(if page.is_multiple_of(3) { "abcdefghij" } else { "abcdefgh" });
    let folder = demo("demo", 8, &[("dies", &dies), ("whole", &whole)]);
    let told = check(&folder, "run --dataset ./demo --stored all --out o", 0, &[]).stdout;
    let of_row = |row: &str| told.lines().find(|line| line.trim_start().starts_with(row)).unwrap();
    assert!(of_row("stored/whole").contains("* 0.") && !of_row("stored/dies").contains('*'), "{told}");
    let note = "11 of 16 pages are left out of comparisons: stored/dies was not run on them, so it is never the best\n";
    assert!(told.contains(note), "{told}");
    let compared = check(&folder, "compare o", 0, &[]).stdout;
    for part in
        ["against stored/whole, the best here", "\n11 of 16 pages are left out: stored/dies was not run on them\n"]
    {
        assert!(compared.contains(part), "`{part}` is not in {compared}");
    }
    let best = folder.json("o/summary.json");
    assert!(best["rows"].as_array().unwrap().iter().any(|row| row["not_run"] == 11), "{best}");
    let figure = folder.read("o/figures/demo-precision-recall.svg");
    assert!(figure.contains(": stored/whole") && figure.contains("11 of 16 pages are left out"), "{figure}");
    // Where no row was run on all pages, the greatest mean decides as before.
    let folder = demo("demo", 8, &[("dies", &dies), ("whole", &|page| if page == 9 { None } else { whole(page) })]);
    check(&folder, "run --dataset ./demo --stored all --out o", 0, &[]);
    check(&folder, "compare o", 0, &[]);
    assert!(folder.carat("compare o").stdout.contains("against stored/dies, the best here"));
}

#[test]
fn many_rows_are_told_with_fewer_and_letters_with_tests_beyond_them() {
    let folder = Folder::new();
    check(&folder, "run --bounds none --out o", 0, &[]);
    let ran = check(&folder, "compare o --reference nta:coherence=0.90", 0, &[]).stdout;
    let fewer = ran.lines().find_map(|line| line.split_once("the best and the default of each system alone: carat "));
    let (_, fewer) = fewer.unwrap_or_else(|| panic!("{ran}"));
    assert!(ran.contains(
        "\na row may be better or worse than the one above and share a letter with it: its test is one of 31,"
    ));
    let ran = check(&folder, fewer, 0, &["against nta coherence=0.90\n", " cevc alpha=0.45 ", " all-text "]).stdout;
    assert!(!ran.contains("each system alone") && !ran.contains("cevc alpha=0.40"), "{ran}");
}

#[test]
fn a_run_of_exact_sweeps_says_that_it_has_no_rows_and_its_report_what_is_best() {
    let folder = Folder::new();
    let ran = check(&folder, "run --where group=zh-news --algorithm cevc:alpha=exact --bounds none --out o", 0, &[]);
    assert!(ran.stdout.contains("cevc over alpha on portals: best F1"), "{ran:?}");
    check(&folder, "compare o", 2, &["o has no row to compare", "as in alpha=0..1/0.05"]);
    let one = "run --where group=zh-news --algorithm cevc:alpha=exact --algorithm nta --bounds none --out p";
    check(&folder, one, 0, &[]);
    check(&folder, "compare p", 2, &["portals has 1 row here, and it takes two to compare; ", "as in alpha=0..1/0.05"]);
    let named = check(&folder, "compare p --row nta", 2, &[]);
    assert!(
        named.stderr.contains("--row means 1 row of portals, and it takes two to compare; name another one"),
        "{named:?}"
    );
    for again in
        ["report o", "report o --stats", "run --where group=zh-news --algorithm cevc:alpha=exact --bounds none --out o"]
    {
        check(&folder, again, 0, &["cevc over alpha on portals: best F1 "]);
    }
}

#[test]
fn a_row_is_named_as_tables_print_it() {
    let folder = Folder::new();
    check(&folder, "run --where group=zh-news --algorithm nta:coherence=0.8|0.9 --algorithm cevc --out o", 0, &[]);
    let ran = folder.carat_with(b"", &["compare", "o", "--reference", "nta coherence=0.8", "--row", "cevc"]);
    assert!(ran.code == 0 && ran.stdout.contains("against nta coherence=0.8\n"), "{ran:?}");
    let wrong = folder.carat_with(b"", &["compare", "o", "--reference", "nta coherence=0.70"]);
    assert!(
        wrong.code == 2 && wrong.stderr.contains("; of nta there are nta coherence=0.8, nta coherence=0.9"),
        "{wrong:?}"
    );
}

#[test]
fn more_rows_than_can_be_tested_are_told_with_the_best_of_each_algorithm() {
    let folder = Folder::new();
    let rows = "--algorithm nta:coherence=0.60..1.00/0.01 --algorithm cevc:alpha=0.00..1.00/0.01";
    let run = check(&folder, &format!("run --where group=zh-news {rows} --bounds none --no-texts --out o"), 0, &[]);
    let best =
        run.stdout.lines().filter(|line| line.contains("(best)")).filter_map(|line| line.split_whitespace().nth(1));
    let ran = check(&folder, "compare o", 2, &["142 rows of portals are too many to compare each with each"]);
    let (_, few) = ran.stderr.trim().split_once("the best and the default of each algorithm are ").unwrap();
    check(&folder, &format!("compare o {few}"), 0, &["nta coherence=0.90", "cevc alpha=0.50"]);
    assert!(best.clone().count() == 2 && best.clone().all(|setting| few.contains(setting)), "{few} {run:?}");
    // Against one row that is named beforehand there is a test for each other system alone.
    let told = ["against nta coherence=0.90\n", "\nno letters: there are more than 100 rows\n"];
    let one = check(&folder, "compare o --reference nta:coherence=0.9 --resamples 100 --flips 1000", 0, &told).stdout;
    assert!(!one.contains("letters  ") && !one.contains("share one"), "{one}");
    let tests = one.split("p corrected: by Holm for the number of tests, ").nth(1).unwrap();
    let tests: usize = tests.lines().next().unwrap().parse().unwrap();
    assert!((2..142).contains(&tests), "{tests}");
    let verdicts = one
        .lines()
        .filter(|line| ["better", "worse", "same", "separable"].iter().any(|verdict| line.ends_with(verdict)));
    assert_eq!(verdicts.count(), 141, "{one}");
    check(&folder, "compare o --reference nta:coherence=0.9 --pairs", 2, &["142 rows of portals are too many"]);
}
