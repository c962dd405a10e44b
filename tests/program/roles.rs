//! Roles of a page's text, as people meet them: what rows hold of each, beside precision and recall.

use std::collections::BTreeMap;

use crate::support::{Folder, check};
use serde_json::{Value as Json, json};

const MANIFEST: &str =
    "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";

/// The menu has 4 characters, the title 4, the body 10, the caption 4 and the comments 11; 18 are gold.
const CATS: &str = "<body><nav>menu</nav><article><h1>Cats</h1><p>They sleep.</p><p class=caption>A cat</p></article>\
                    <div class=comments><p>Nice!</p><p>So true</p></div>";

/// The title has 4 characters and the body 9.
const DOGS: &str = "<body><article><h1>Dogs</h1><p>They bark.</p></article>";

fn pages(roles: Json) -> String {
    let page = |id: &str, html: &str| {
        let gold = json!({"select": {"include": ["article"], "roles": roles}});
        json!({"id": id, "html": {"text": html}, "gold": gold})
    };
    let plain = json!({"id": "plain", "html": {"text": "<body><p>text<p>more"}, "gold": {"text": "text"}});
    format!("{}\n{}\n{plain}\n", page("cats", CATS), page("dogs", DOGS))
}

fn roles() -> Json {
    json!({"body": ["article"], "caption": [".caption"], "comment": [".comments"], "title": ["h1"]})
}

/// Three pages, two of them with roles, and what two readers made of them: one with the comments, and one without. The
/// first lacks the dogs, the second failed on them.
fn demo() -> Folder {
    let with = "{\"system\":\"with\"}\n{\"id\":\"cats\",\"text\":\"They sleep.\\nNice!\\nSo true\"}\n";
    let without = "{\"system\":\"without\"}\n{\"id\":\"cats\",\"text\":\"Cats\\nThey sleep.\\nA cat\"}\n\
                   {\"id\":\"dogs\",\"error\":\"broken\"}\n";
    Folder::new()
        .with("demo/dataset.yaml", MANIFEST)
        .with("demo/pages.jsonl", pages(roles()))
        .with("demo/stored/with.jsonl", with)
        .with("demo/stored/without.jsonl", without)
}

const RUN: &str = "run --dataset ./demo --algorithm all-text --stored all --bounds none";

/// The lines of a run's `tables/roles.csv` by row and role: pages, characters, gold, extracted, matched, and the shares.
fn table(folder: &Folder, run: &str) -> BTreeMap<(String, String), Vec<String>> {
    const FIGURES: [&str; 8] =
        ["pages", "characters", "gold", "extracted", "matched", "recall", "extracted_share", "false_positive_share"];
    let line = |line: &BTreeMap<String, String>| {
        let key = (line["algorithm"].clone(), line["role"].clone());
        (key, FIGURES.map(|figure| line[figure].clone()).to_vec())
    };
    folder.csv(&format!("{run}/tables/roles.csv")).iter().map(line).collect()
}

#[test]
fn each_reader_is_told_what_it_holds_of_each_role() {
    let folder = demo();
    let ran = check(&folder, &format!("{RUN} --out o"), 0, &["demo by role", "comment of FP", "title recall"]);
    let table = table(&folder, "o");
    let of = |row: &str, role: &str| table[&(row.to_owned(), role.to_owned())].join(" ");
    assert_eq!(of("all-text", "title"), "2 8 8 8 8 1.000000 1.000000 0.000000");
    assert_eq!(of("all-text", "body"), "2 19 19 19 19 1.000000 1.000000 0.000000");
    assert_eq!(of("all-text", "caption"), "1 4 4 4 4 1.000000 1.000000 0.000000");
    // Of the 15 characters too many 11 are comments, and the menu's 4 have no role.
    assert_eq!(of("all-text", "comment"), "1 11 0 11 0  1.000000 0.733333");
    assert_eq!(of("all-text", ""), "1 4 0 4 0  1.000000 0.266667");
    // The dogs are not run.
    assert_eq!(of("stored/with", "title"), "1 4 4 0 0 0.000000 0.000000 0.000000");
    assert_eq!(of("stored/with", "body"), "1 10 10 10 10 1.000000 1.000000 0.000000");
    assert_eq!(of("stored/with", "comment"), "1 11 0 11 0  1.000000 1.000000");
    // What failed holds nothing; nothing is wrong, so no role has a share of it.
    assert_eq!(of("stored/without", "title"), "2 8 8 4 4 0.500000 0.500000 ");
    assert_eq!(of("stored/without", "body"), "2 19 19 10 10 0.526316 0.526316 ");
    assert_eq!(of("stored/without", "comment"), "1 11 0 0 0  0.000000 ");
    assert_eq!(table.len(), 15);
    let line = ran.stdout.lines().rfind(|line| line.contains("stored/with ")).unwrap();
    assert_eq!(
        line.split_whitespace().collect::<Vec<_>>(),
        ["stored/with", "1.0000", "0.0000", "1.0000", "1.0000", "0.0000", "0.0000", "0.0000"]
    );
    // Page by page, and in every other form.
    let lines = folder.csv("o/roles.csv");
    let comments: Vec<[&str; 5]> = lines
        .iter()
        .filter(|line| line["role"] == "comment")
        .map(|line| ["page", "algorithm", "characters", "extracted", "matched"].map(|key| line[key].as_str()))
        .collect();
    let on_cats = [["cats", "all-text", "11", "11", "0"], ["cats", "stored/with", "11", "11", "0"]];
    assert_eq!(comments[..2], on_cats);
    assert!(lines.iter().all(|line| line["page"] != "plain"));
    let role = &folder.json("o/summary.json")["rows"][1]["roles"][2];
    assert_eq!((&role["role"], &role["extracted"], &role["recall"]), (&json!("comment"), &json!(11), &Json::Null));
    assert!(
        folder
            .read("o/tables/roles.md")
            .contains("| `stored/with` |  | `comment` | no | 1 | 11 | 0 | 11 | 0 |  | 1.0000 |")
    );
    assert!(folder.read("o/tables/roles.tex").contains("\\caption{demo: what rows hold of each role}"));
    assert!(folder.read("o/index.html").contains("\"role\":\"comment\",\"in_gold\":\"no\""));
    for (format, told) in
        [("text", "demo by role"), ("md", "# `demo`: roles"), ("latex", "\\caption{demo: what rows hold of each role}")]
    {
        for stats in ["", " --stats"] {
            check(&folder, &format!("report o --format {format}{stats}"), 0, &[told]);
        }
    }
    let told = check(&folder, "report o --stats --format json", 0, &[]).stdout;
    let roles = &serde_json::from_str::<Json>(&told).unwrap()["roles"];
    let with = roles.as_array().unwrap().iter().find(|row| row["algorithm"] == "stored/with").unwrap();
    assert!(with["roles"].as_array().unwrap().contains(role), "{with}");
    // Rows of a pull request have a column for each figure that a terminal shows.
    let told = check(&folder, "report o --format pr", 0, &[]).stdout;
    let header = told.lines().find(|line| line.starts_with("| row | ") && line.contains("comment of FP"));
    let columns = header.unwrap_or_else(|| panic!("{told}")).matches('|').count();
    let lines: Vec<&str> = told.lines().filter(|line| line.starts_with("| `stored/with` |")).collect();
    assert!(lines.len() == 2 && lines[1].matches('|').count() == columns, "{told}");
}

#[test]
fn whatever_the_measure_and_the_threads_the_counts_are_the_same() {
    let folder = demo();
    check(&folder, &format!("{RUN} --out o --threads 1"), 0, &[]);
    check(&folder, &format!("{RUN} --out threads --threads 4"), 0, &[]);
    check(&folder, &format!("{RUN} --out bag --measure bag --tokens word"), 0, &[]);
    let first = table(&folder, "o");
    assert_eq!(table(&folder, "bag"), first);
    for file in ["roles.csv", "summary.json", "tables/roles.md"] {
        assert_eq!(folder.read(&format!("threads/{file}")), folder.read(&format!("o/{file}")), "{file}");
    }
    let folder = folder.with("demo/pages.jsonl", pages(roles()).lines().take(2).collect::<Vec<_>>().join("\n"));
    check(&folder, &format!("{RUN} --out nodes --measure nodes"), 0, &[]);
    assert_eq!(table(&folder, "nodes"), first);
}

#[test]
fn other_roles_run_their_pages_again_and_no_others() {
    let folder = demo();
    check(&folder, &format!("{RUN} --out o"), 0, &[]);
    let before = [folder.read("o/scores.csv"), folder.json("o/run.json")["result_digest"].to_string()];
    check(&folder, &format!("{RUN} --out o"), 0, &["o holds this run already"]);
    let mut changed = roles();
    changed["comment"] = json!([".comments p:first-child"]);
    let folder = folder.with("demo/pages.jsonl", pages(changed));
    check(&folder, &format!("{RUN} --out o"), 0, &["1 page was there from an earlier start"]);
    let comment = &table(&folder, "o")[&("all-text".to_owned(), "comment".to_owned())];
    assert_eq!(comment[1..4], ["5", "0", "5"]);
    assert_eq!(folder.read("o/scores.csv"), before[0]);
    assert_ne!(folder.json("o/run.json")["result_digest"].to_string(), before[1]);
    // Without roles nothing is said of them, and nothing is left of them.
    let folder = folder.with("demo/pages.jsonl", pages(json!({})));
    let ran = check(&folder, &format!("{RUN} --out o"), 0, &[]);
    assert!(!ran.stdout.contains("by role"), "{}", ran.stdout);
    assert!(!folder.path("o/roles.csv").exists() && !folder.path("o/tables/roles.csv").exists());
    assert!(!folder.read("o/summary.json").contains("roles") && folder.read("o/index.html").contains("\"roles\":[]"));
    check(&folder.with("demo/pages.jsonl", pages(json!({"": ["p"]}))), &format!("{RUN} --out p"), 3, &["needs a name"]);
}

/// A page of L3S-GN1 and its annotated copy, which a browser wrote anew: the nearest mark decides.
const ORIGINAL: &str = "<title>Site</title><div id=nav>Home News</div><h1>Head line</h1><div>Body text <a href=x>a link</a> \
                        end of it <b>Ad here</b></div><p class=cap>Caption<p>Related<div>Home Comment</div><p>Unmarked";
const ANNOTATED: &str = "<html><head><style>.x-nc-sel1{} .x-nc-sel5{}</style><title>Site</title></head><body>\
    <div id=\"nav\"><span class=\"x-nc-sel0\">Home News</span></div><h1><span class=\"x-nc-sel1\">Head line</span></h1>\
    <div><span class=\"x-nc-sel2\">Body text <a href=\"x\"><span class=\"x-nc-sel2\">a link</span></a> end of it \
    <b><span class=\"x-nc-sel0\">Ad here</span></b></span></div><p class=\"cap\"><span class=\"x-nc-sel3\">Caption</span></p>\
    <p><span class=\"x-nc-sel4\">Related</span></p><div><span class=\"x-nc-sel5\">Home Comment</span></div><p>Unmarked</p>";

#[test]
fn roles_of_an_annotated_copy_are_those_of_its_page() {
    let folder = Folder::new()
        .with("up/original/a.html", ORIGINAL)
        .with("up/annotated/a.html", ANNOTATED)
        .with("up/url-mapping.txt", "<urn:uuid:a>\thttps://a.org/\n");
    let run = "run --algorithm all-text --algorithm nonlink-text --bounds none";
    check(&folder, &format!("{run} --dataset l3s-gn1:up --out up-run"), 0, &["l3s-gn1 by role"]);
    let lines = table(&folder, "up-run");
    let of = |row: &str, role: &str| lines[&(row.to_owned(), role.to_owned())][1..5].join(" ");
    assert_eq!(of("all-text", "title"), "8 8 8 8");
    assert_eq!(of("all-text", "body"), "20 20 20 20");
    assert_eq!(of("nonlink-text", "body"), "20 20 15 15");
    assert_eq!(of("all-text", "caption"), "7 7 7 7");
    assert_eq!(of("all-text", "related"), "7 0 7 0");
    assert_eq!(of("all-text", "comment"), "11 0 11 0");
    // The navigation, and what is no content inside the body.
    assert_eq!(of("all-text", "other"), "14 0 14 0");
    assert_eq!(of("all-text", ""), "8 0 8 0");
    // An import keeps the copy.
    check(&folder, "dataset import l3s-gn1 up --out own", 0, &[]);
    check(&folder, &format!("{run} --dataset ./own --out own-run"), 0, &[]);
    assert_eq!(table(&folder, "own-run"), lines);
    let digest =
        |run: &str| folder.json(&format!("{run}/summary.json"))["conditions"]["datasets"]["l3s-gn1"]["digest"].clone();
    assert_eq!(digest("own-run"), digest("up-run"));
    check(&folder, "dataset check ./own", 0, &["0 errors"]);
    check(&folder, "dataset export ./own --out list/pages.jsonl", 0, &[]);
    check(&folder, &format!("{run} --dataset ./list --out list-run"), 0, &[]);
    assert_eq!(table(&folder, "list-run"), lines);
    // Text and nodes have no roles, which is told.
    let told = ["warning: the roles that annotated copies of 1 page name are not in nodes: "];
    check(&folder, "dataset annotate ./own --from-gold --out nodes", 0, &told);
    assert!(!folder.read("nodes/pages.jsonl").contains("roles"));
    // Another role in the copy, and the same gold: the page is run again.
    let folder = folder.with("up/annotated/a.html", ANNOTATED.replace("x-nc-sel4", "x-nc-sel5"));
    check(&folder, &format!("{run} --dataset l3s-gn1:up --out up-run"), 0, &[]);
    let comment = &table(&folder, "up-run")[&("all-text".to_owned(), "comment".to_owned())];
    assert_eq!(comment[1..5], ["18", "0", "18", "0"]);
}

#[test]
fn a_role_that_no_page_has_is_found_once() {
    let mut stated = roles();
    stated["footnote"] = json!([".note", "aside"]);
    let folder = demo().with("demo/pages.jsonl", pages(stated));
    let ran = folder.carat("dataset check ./demo --format json");
    let found: Json = serde_json::from_str(&ran.stdout).unwrap();
    let of_roles: Vec<&Json> =
        found["findings"].as_array().unwrap().iter().filter(|finding| finding["kind"] == "unmatched-role").collect();
    // Captions and comments stand on one of two pages.
    let message = "no selector of the role `footnote` matches anything, on 2 pages that name it";
    assert_eq!(of_roles, [&json!({"kind": "unmatched-role", "level": "warn", "message": message})]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let text = folder.carat("dataset check ./demo").stdout;
    assert!(text.contains("warn   unmatched-role: 1, a role whose selectors match on no page"), "{text}");
}
