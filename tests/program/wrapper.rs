//! Rules of sites: what they choose, what the program says of them, and what is refused.

use crate::support::Folder;

const EXAMPLE: &str = include_str!("../../examples/wrapper/portals.yaml");

/// Pages of two sites, inline, and one of a third; `gold` is the same everywhere.
const PAGES: &[(&str, &str, &str)] = &[
    (
        "a1",
        r#""url":"http://news.a.example/2012/x.html?p=1""#,
        "<h1>T</h1><div id=c>A<p class=share>S</p><p>B</p></div>",
    ),
    ("a2", r#""url":"http://www.a.example/about""#, "<div id=c>A<b>B</b></div><h1>T</h1>"),
    (
        "b1",
        r#""host":"b.example","site":"b.example""#,
        "<article>A<aside>S<i>B</i></aside></article><h1>1</h1><h1>2</h1>",
    ),
    ("b2", r#""site":"b.example""#, "<p>A</p><p>B</p>"),
    ("c1", r#""site":"c.example""#, "<meta name=generator content='WordPress 3'><p>A</p>"),
];

fn folder(rules: &str) -> Folder {
    let record = |(id, where_, html): &(&str, &str, &str)| {
        let html = serde_json::json!({ "text": html });
        format!(r#"{{"id":"{id}",{where_},"html":{html},"gold":{{"text":"A"}}}}"#)
    };
    let pages: Vec<String> = PAGES.iter().map(record).collect();
    let manifest = "format: 1\nname: d\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
    Folder::new()
        .with("d/dataset.yaml", manifest)
        .with("d/pages.jsonl", pages.join("\n") + "\n")
        .with("r.yaml", format!("format: 1\n{rules}"))
}

/// What the rules extract of each page, and how many pages a rule, the fallback and nothing decided.
fn extracted(rules: &str) -> (Vec<String>, [u64; 3]) {
    let folder = folder(rules);
    let ran = folder.carat("run --dataset ./d --algorithm wrapper:rules=r.yaml --bounds none --out o");
    assert_eq!(ran.code, 0, "{ran:?}");
    let texts = PAGES.iter().map(|(id, ..)| {
        let ran = folder.carat(&format!("diff o {id} --algorithm wrapper --format json"));
        let told: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        told["rows"][0]["extraction"].as_str().unwrap().replace('\n', "/")
    });
    let coverage = &folder.json("o/summary.json")["rows"][0]["coverage"];
    let counts = ["by_rule", "by_fallback", "uncovered"].map(|key| coverage[key].as_u64().unwrap());
    (texts.collect(), counts)
}

#[test]
fn the_first_rule_that_is_for_a_page_and_chooses_something_decides() {
    let rules = "rules:\n  - {site: a.example, path: /about, include: h2}\n  \
                 - {site: a.example, path: [/20??/*.html], include: ['#c', h1], exclude: [.share]}\n  \
                 - {sites: [b.example, c.example], hosts: '*.b.example', include: p}\n  \
                 - {site: b.example, hosts: [b.example], include: [article, i, {selector: h1, pick: first}], exclude: aside}\n  \
                 - {any: true, when: 'meta[name=generator][content^=WordPress]', include: p}\n";
    let (texts, counts) = extracted(rules);
    assert_eq!(texts, ["T/A/B", "", "A/B/1", "", "A"]);
    assert_eq!(counts, [3, 0, 2]);
    let (texts, counts) = extracted(&format!("fallback: all-text\n{rules}"));
    assert_eq!(texts, ["T/A/B", "AB/T", "A/B/1", "A/B", "A"]);
    assert_eq!(counts, [3, 2, 0]);
}

#[test]
fn what_is_excluded_is_kept_where_it_is_included_further_down_or_subtracted() {
    let rules = |exclusion: &str| {
        format!(
            "{exclusion}rules:\n  - {{site: b.example, include: [article, i], exclude: aside}}\n  - {{any: true, include: [b, '#c'], exclude: '#c'}}\n"
        )
    };
    for nearest in ["", "exclusion: nearest\n"] {
        assert_eq!(extracted(&rules(nearest)).0, ["", "B", "A/B", "", ""]);
    }
    // It may stand behind the rules too.
    for subtracted in [rules("exclusion: subtracted\n"), rules("") + "exclusion: subtracted\n"] {
        assert_eq!(extracted(&subtracted).0, ["", "", "A", "", ""]);
    }
}

#[test]
fn rules_of_no_use_are_told_after_the_run() {
    let rules = "fallback: none\nrules:\n  - {site: x.example, include: p}\n  - {site: a.example, include: [.share]}\n  - {any: true, include: p}\n";
    let folder = folder(rules);
    let run = "run --dataset ./d --algorithm wrapper:rules=r.yaml --algorithm all-text --bounds none --out o";
    let ran = folder.carat(run);
    assert!(ran.stderr.contains("r.yaml:4: the rule decided no page of the run"), "{ran:?}");
    let told = "r.yaml:5: the rule chose nothing on 1 of the 2 pages that it was for (50 %)";
    assert!(ran.stderr.contains(told), "{ran:?}");
    assert!(!ran.stderr.contains("r.yaml:3:"), "{ran:?}");
    assert!(ran.stdout.contains("by rule") && ran.stdout.contains("uncovered"), "{ran:?}");
    // Rules that were changed make another run.
    assert!(folder.carat(run).stderr.contains("holds this run already"));
    let folder = folder.with("r.yaml", format!("format: 1\n{rules}  - {{any: true, include: article}}\n"));
    let again = folder.carat(run);
    assert!(!again.stderr.contains("holds this run already"), "{again:?}");
    let rows = folder.json("o/summary.json")["rows"].clone();
    assert_eq!(
        (rows[0]["coverage"]["by_rule"].as_u64(), rows[0]["coverage"]["uncovered"].as_u64()),
        (Some(4), Some(1))
    );
}

#[test]
fn rules_take_part_where_other_rows_do() {
    let folder = folder("rules:\n  - {any: true, include: p}\n").with(
        "c.yaml",
        "datasets: [./d]\nalgorithms:\n  - all-text\n  - wrapper: {rules: r.yaml}\n  \
         - combine: {name: both, members: [wrapper, all-text], rule: intersection}\n  \
         - combine: {name: after, members: [wrapper, all-text], rule: serial, on_empty: empty}\nbounds: []\n",
    );
    assert_eq!(folder.carat("run c.yaml --out o").code, 0);
    let rows = folder.csv("o/scores.csv");
    let texts = |name: &str| -> Vec<String> {
        rows.iter().filter(|row| row["algorithm"] == name).map(|row| row["text"].clone()).collect()
    };
    assert_eq!(texts("wrapper"), texts("both"));
    assert_eq!(texts("wrapper"), texts("after"));
    assert_ne!(texts("wrapper"), texts("all-text"));
    let compared = folder.carat("compare o --row wrapper --row all-text");
    assert_eq!(compared.code, 0, "{compared:?}");
}

#[test]
fn wrong_requests_say_what_to_do() {
    let folder = folder("rules:\n  - {any: true, include: 'p['}\n");
    for (algorithm, told) in [
        ("wrapper", "`wrapper: {rules: FILE}`"),
        ("wrapper:rule=x", "did you mean `rules`?"),
        ("wrapper:rules=missing.yaml", "missing.yaml"),
        ("wrapper:rules=../some/missing.yaml", "../some/missing.yaml"),
        ("wrapper:rules=r.yaml", "r.yaml:3:26"),
        ("wrapper-learned", "`carat run --algorithm wrapper:learn=true"),
    ] {
        let ran = folder.carat(&format!("run --dataset ./d --algorithm {algorithm} --out o"));
        assert!(ran.code == 2 && ran.stderr.contains(told), "{algorithm}: {ran:?}");
    }
    let ran = folder.carat("extract d/pages.jsonl --algorithm wrapper:rules=r.yaml");
    assert!(ran.code == 2 && ran.stderr.contains("is a row of a run"), "{ran:?}");
}

#[test]
fn tests_of_rules_are_checked() {
    let rules = |lacks: &str| {
        format!(
            "rules:\n  - site: a.example\n    include: '#c'\n    tests:\n      - {{page: a1, contains: A, lacks: {lacks}}}\n      \
             - {{page: 'http://www.a.example/about', contains: AB}}\n      - {{page: z9, contains: A}}\n      - {{page: b2, contains: A}}\n"
        )
    };
    let folder = folder(&rules("T")).with("only-a.yaml", format!("format: 1\n{}", rules("T").replace("b2", "a2")));
    let ran = folder.carat("wrapper check r.yaml --dataset ./d");
    assert_eq!(ran.code, 1, "{ran:?}");
    let told = "failed  r.yaml:9: b2: the extraction lacks `A`; no rule chose anything";
    assert!(ran.stdout.contains(told) && ran.stderr.contains("1 of 3 tests failed"), "{ran:?}");
    assert!(ran.stdout.contains("passed over  r.yaml:8: z9"), "{ran:?}");
    let folder = folder.with("r.yaml", format!("format: 1\n{}", rules("S").replace("b2", "a2")));
    let ran = folder.carat("wrapper check r.yaml --dataset ./d --format json");
    assert!(ran.code == 1 && ran.stdout.contains("the extraction has `S`"), "{ran:?}");
    assert_eq!(folder.carat("wrapper check only-a.yaml --dataset ./d").code, 0);
    let foreign = rules("T").replace("b2", "a2") + "  - {sites: [www.a.example, x.example], include: p}\n";
    let folder = folder.with("r.yaml", format!("format: 1\n{foreign}"));
    let ran = folder.carat("wrapper check r.yaml --dataset ./d");
    let told = "without pages  r.yaml:10: no page of the datasets has the site www.a.example or x.example";
    assert!(ran.code == 0 && ran.stdout.contains(told) && !ran.stdout.contains("r.yaml:3:"), "{ran:?}");
    let elsewhere = folder.carat("wrapper check r.yaml --dataset portals");
    assert!(elsewhere.code == 2 && elsewhere.stderr.contains("no test names a page"), "{elsewhere:?}");
}

#[test]
fn the_example_passes_its_tests_and_is_worth_its_rules() {
    let folder = Folder::new().with("portals.yaml", EXAMPLE);
    let ran = folder.carat("wrapper check portals.yaml --dataset portals");
    assert_eq!((ran.code, ran.stdout.matches("ok ").count()), (0, 3), "{ran:?}");
    let run =
        "run --dataset portals --algorithm wrapper:rules=portals.yaml --algorithm cevc:alpha=0.5 --bounds none --out o";
    assert_eq!(folder.carat(run).code, 0);
    let rows = &folder.json("o/summary.json")["rows"];
    assert!(
        rows[0]["coverage"]["by_rule"].as_u64() >= Some(40) && rows[0]["coverage"]["by_fallback"].as_u64() > Some(0)
    );
    let f1 = |row: usize, site: &str| rows[row]["groups"]["site"][site]["f1"].as_f64().unwrap();
    // Two of the workbench's eight pages are laid out otherwise, and are the fallback's.
    for (site, least) in [("dunmarrow-record.example", 0.9), ("qilipu.example", 0.9), ("workbench.example", 0.75)] {
        assert!(f1(0, site) > least && f1(0, site) > f1(1, site), "{site}: {} {}", f1(0, site), f1(1, site));
    }
}
