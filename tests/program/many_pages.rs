//! Lists and pages of a report have bounds, and no figure depends on them.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value as Json, json};

use crate::support::{Folder, check};

const MANIFEST: &str =
    "format: 1\nname: many\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";

/// The ids of the pages that have a file in `pages/` of a run.
fn shown(folder: &Folder, run: &str) -> Vec<String> {
    let names = fs::read_dir(folder.path(&format!("{run}/pages"))).unwrap();
    let of_file = |path: &std::path::Path| {
        let document = fs::read_to_string(path).unwrap();
        let data = document.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
        serde_json::from_str::<Json>(data).unwrap()["id"].as_str().unwrap().to_owned()
    };
    let mut ids: Vec<String> = names.map(|name| of_file(&name.unwrap().path())).collect();
    ids.sort();
    ids
}

/// The pages that `index.html` of a run shows.
fn index(folder: &Folder, run: &str) -> Json {
    let document = folder.read(&format!("{run}/index.html"));
    let data = document.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
    serde_json::from_str(data).unwrap()
}

/// The tables and figures of a run, by name.
fn tables_and_figures(folder: &Folder, run: &str) -> BTreeMap<String, Vec<u8>> {
    let parts =
        ["tables", "figures"].into_iter().flat_map(|part| fs::read_dir(folder.path(&format!("{run}/{part}"))).unwrap());
    let file =
        |path: std::path::PathBuf| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap());
    parts.map(|entry| file(entry.unwrap().path())).collect()
}

#[test]
fn a_report_shows_as_many_pages_as_are_asked_for_and_the_same_figures() {
    let folder = Folder::new();
    let run = "run --algorithm all-text --algorithm nta:coherence=0.6..1.0/0.1 --algorithm cevc --bounds oracle-sweep --out o";
    check(&folder, run, 0, &[]);
    let (figures, whole) = (tables_and_figures(&folder, "o"), folder.read("o/index.html"));
    assert_eq!(shown(&folder, "o").len(), 154);
    for most in [0, 1, 20, 153, 154, 155] {
        check(&folder, &format!("report o --report-pages {most}"), 0, &[]);
        assert_eq!(shown(&folder, "o").len(), most.min(154));
        assert!(tables_and_figures(&folder, "o") == figures, "{most} pages");
        let index = index(&folder, "o");
        assert_eq!(index["left_out"], 154 - most.min(154));
        assert_eq!(index["datasets"][0]["pages"].as_array().unwrap().len(), most.min(154));
    }
    assert_eq!(folder.read("o/index.html"), whole, "with room for all of them it is as it was");
    // Any other page is shown by the program.
    check(&folder, "report o --report-pages 1", 0, &[]);
    let left_out = if shown(&folder, "o") == ["en-news-1-0001"] { "en-news-1-0002" } else { "en-news-1-0001" };
    check(&folder, &format!("diff o {left_out} --algorithm cevc"), 0, &[]);
    // A run and a merge have the option too.
    check(&folder, &format!("{run}2 --report-pages 3"), 0, &[]);
    check(&folder, "merge o2 --report-pages 2 --out merged", 0, &[]);
    assert_eq!((shown(&folder, "o2").len(), shown(&folder, "merged").len()), (3, 2));
    check(&folder, "verify o2", 0, &[]);
    assert!(tables_and_figures(&folder, "merged") == figures);
}

#[test]
fn pages_that_failed_and_that_are_disputed_are_shown_first() {
    let page = |id: usize, html: Json, gold: Option<Json>| {
        json!({"id": format!("p{id:02}"), "html": html, "gold": gold}).to_string() + "\n"
    };
    let text = |id: usize| json!({"text": format!("<div><a href=/>home sweet home</a></div><p>A sentence of page {id}, which is long enough.</p>")});
    let mut scored: String = (0..30)
        .map(|id| page(id, text(id), Some(json!({"text": format!("A sentence of page {id}, which is long enough.")}))))
        .collect();
    scored += &page(30, json!("broken.html.gz"), Some(json!({"text": "x"})));
    let compared: String = (0..20).map(|id| page(id, text(id), None)).collect();
    let manifest = MANIFEST.to_owned() + "pages: [pages.jsonl]\n";
    let folder = Folder::new()
        .with("a/dataset.yaml", manifest.replace("many", "a"))
        .with("a/pages.jsonl", scored)
        .with("a/broken.html.gz", "no gzip")
        .with("b/dataset.yaml", manifest.replace("many", "b"))
        .with("b/pages.jsonl", compared);
    let run = "run --dataset ./a --dataset ./b --algorithm nta --algorithm all-text --bounds none --out o";
    check(&folder, &format!("{run} --report-pages 1"), 0, &[]);
    assert_eq!(shown(&folder, "o"), ["p30"], "the page that failed");
    check(&folder, "report o --report-pages 2", 0, &[]);
    let least = folder.csv("o/agreement.csv").into_iter().min_by(|one, other| one["f1"].cmp(&other["f1"])).unwrap();
    assert!(shown(&folder, "o").contains(&least["page"]), "{least:?}");
    check(&folder, "report o --report-pages 6", 0, &[]);
    assert_eq!(shown(&folder, "o").len(), 6);
}

#[test]
fn of_many_failures_and_notes_the_first_are_told_and_all_are_in_files() {
    let of_failed =
        |id: usize| format!("{{\"id\":\"f{id:04}\",\"html\":\"broken.html.gz\",\"gold\":{{\"text\":\"x\"}}}}\n");
    let of_noted = |id: usize| {
        format!(
            "{{\"id\":\"n{id:04}\",\"html\":{{\"text\":\"<p>one\"}},\"gold\":{{\"select\":{{\"include\":[\"p\",\"h{}\"]}}}}}}\n",
            1 + id % 6
        )
    };
    let list: String = (0..1_005).map(of_failed).chain((0..1_004).map(of_noted)).collect();
    let folder = Folder::new()
        .with("many/dataset.yaml", MANIFEST.to_owned() + "pages: [pages.jsonl]\n")
        .with("many/pages.jsonl", list)
        .with("many/broken.html.gz", "no gzip");
    let run = "run --dataset ./many --algorithm all-text --bounds none --no-texts --report-pages 4 --out o";
    let told = ["1005 pages failed", "  many 1000 pages (f0000, f0001, f0002, ..): ", "  and 5 more, in failures.csv"];
    let ran = check(&folder, run, 0, &told);
    assert!(ran.stderr.contains("more, in notes.csv"), "{}", ran.stderr);
    let info = folder.json("o/run.json");
    assert_eq!((info["failures"].as_array().unwrap().len(), info["notes"].as_array().unwrap().len()), (1_000, 1_000));
    assert_eq!((&info["in_all"]["failures"], &info["in_all"]["failed_pages"]), (&json!(1_005), &json!(1_005)));
    let notes = info["in_all"]["notes"].as_u64().unwrap() as usize;
    assert!(notes >= 1_004, "{notes}");
    let (failures, all_notes) = (folder.csv("o/failures.csv"), folder.csv("o/notes.csv"));
    assert_eq!((failures.len(), all_notes.len()), (1_005, notes));
    assert_eq!((failures[1_004]["page"].as_str(), failures[1_004]["algorithm"].as_str()), ("f1004", ""));
    assert_eq!(failures[1_004]["reason"], info["failures"][3]["reason"].as_str().unwrap());
    assert_eq!(index(&folder, "o")["failures_left_out"], 5);
    // What is not told in run.json is found all the same.
    check(&folder, "diff o f1004 --algorithm all-text", 3, &["holds no texts"]);
    let ran = folder.carat(&format!("{run} --strict"));
    assert!(ran.code == 3 && ran.stderr.contains("1005 pages failed, and --strict was given"), "{ran:?}");
    // The files are sealed as all others are, and go with the next run.
    fs::write(folder.path("o/failures.csv"), "dataset,page,algorithm,reason\n").unwrap();
    check(&folder, run, 0, &["failures.csv is not as the run left it"]);
    assert_eq!(folder.csv("o/failures.csv").len(), 1_005);
    let list: String = (0..3).map(of_failed).collect();
    fs::write(folder.path("many/pages.jsonl"), list).unwrap();
    check(&folder, run, 0, &["3 pages failed"]);
    for none in ["failures.csv", "notes.csv"] {
        assert!(!folder.path(&format!("o/{none}")).exists(), "{none}");
    }
    assert!(folder.json("o/run.json").get("in_all").is_none());
}

#[test]
fn no_result_depends_on_the_order_of_the_page_list() {
    let line = |id: usize| {
        let words: String = (0..30 + id).map(|word| format!("word{} ", word * (id + 3) % 37)).collect();
        let html = format!("<div><a href=/>home</a><p>{words}.</div><p>{id} more");
        json!({"id": format!("p{id}"), "html": {"text": html}, "gold": {"text": words}, "site": format!("s{}.org", id % 3)}).to_string() + "\n"
    };
    let list = |step: usize| (0..23).map(|place| line(place * step % 23)).collect::<String>();
    let folder = Folder::new().with("many/dataset.yaml", MANIFEST.to_owned() + "pages: [pages.jsonl]\n");
    let mut results = Vec::new();
    for step in [1, 5, 22] {
        fs::write(folder.path("many/pages.jsonl"), list(step)).unwrap();
        let out = format!("o{step}");
        let run = "run --dataset ./many --algorithm all-text --algorithm nta --algorithm cevc:alpha=exact";
        check(&folder, &format!("{run} --out {out}"), 0, &[]);
        let info = folder.json(&format!("{out}/run.json"));
        let mut summary = folder.json(&format!("{out}/summary.json"));
        // The dataset's digest is of its pages in their order.
        summary["conditions"]["datasets"]["many"]["digest"] = Json::Null;
        let sweeps = folder.read(&format!("{out}/sweeps.csv"));
        results.push((info["result_digest"].clone(), info["line_sum"].clone(), summary, sweeps));
    }
    assert!(results.iter().all(|result| *result == results[0]), "{results:?}");
}

/// 10,001 pages without a known site, each of which is a site of its own, and two of a site that comes last by name.
fn of_many_sites() -> Folder {
    let page = |id: usize, site: Option<&str>| {
        let gold = if id == 10_000 { "other" } else { "abc" };
        let page = json!({"id": format!("p{id:05}"), "html": {"text": "<p>abc"}, "gold": {"text": gold}, "site": site});
        page.to_string() + "\n"
    };
    let list: String = (0..=10_000).map(|id| page(id, None)).collect();
    let two = [10_001, 10_002].map(|id| page(id, Some("two.org"))).concat();
    let manifest = MANIFEST.to_owned() + "pages: [pages.jsonl]\n";
    Folder::new().with("many/dataset.yaml", manifest).with("many/pages.jsonl", list + &two)
}

#[test]
fn of_very_many_sites_those_with_most_pages_are_listed_and_all_of_them_count() {
    let folder = of_many_sites();
    let run = "run --dataset ./many --algorithm all-text --algorithm nonlink-text --bounds none --no-texts --report-pages 0 --out o";
    check(&folder, run, 0, &[]);
    let summary = folder.json("o/summary.json");
    assert_eq!(summary["all_sites"], json!({"many": 10_002}));
    for row in summary["rows"].as_array().unwrap() {
        let sites = row["groups"]["site"].as_object().unwrap();
        assert_eq!((sites.len(), sites["two.org"]["pages"].as_u64()), (10_000, Some(2)));
        assert!(sites.contains_key("p09998") && !sites.contains_key("p09999") && !sites.contains_key("p10000"));
        // The page that is another's is on a site that is not listed.
        assert_eq!(row["site_macro"]["f1"].as_f64(), Some(0.999_900_019_996), "10 001 of 10 002 sites have F1 1");
    }
    let words = "10000 of 10002 sites, those with most pages";
    assert!(folder.read("o/tables/by_site.md").contains(words) && folder.read("o/tables/by_site.tex").contains(words));
    let by_site = check(&folder, "report o --format json --report-pages 0 --by site", 0, &[]).stdout;
    assert_eq!(serde_json::from_str::<Json>(&by_site).unwrap()[1]["all_sites"], 10_002);
    assert!(folder.read("o/figures/many-spread.svg").contains("10000 of 10002 sites"));
    check(&folder, "run --algorithm all-text --out few", 0, &[]);
    assert!(folder.json("few/summary.json").get("all_sites").is_none(), "a summary that lists all sites is as it was");
}
