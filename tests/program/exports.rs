//! Every figure and table in every form, and a run on one page of Markdown.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::support::{Folder, check};
use carat::formats::digest::sha256;

const KINDS_OF_FIGURES: &[&str] = &["csv", "pdf", "png", "svg"];

/// The kinds of files by stem that `folder` holds below `part`.
fn kinds(folder: &Folder, part: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut kinds: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in folder.files().into_keys().filter(|path| path.parent() == Some(&folder.path(part))) {
        let name = path.file_name().unwrap().to_str().unwrap();
        let (stem, kind) = name.rsplit_once('.').unwrap();
        kinds.entry(stem.to_owned()).or_default().insert(kind.to_owned());
    }
    kinds
}

/// That every figure of the run in `run` is there as SVG, PNG, PDF and CSV, and every table as CSV, Markdown and LaTeX.
/// The compact table is the table of rows in fewer columns, made for a page of LaTeX alone.
fn assert_complete(folder: &Folder, run: &str, figures: usize, tables: usize) {
    for (part, wanted, least) in [("figures", KINDS_OF_FIGURES, figures), ("tables", &["csv", "md", "tex"], tables)] {
        let mut found = kinds(folder, &format!("{run}/{part}"));
        if let Some(compact) = found.remove("compact") {
            assert!(compact.iter().eq(["tex"]), "{run}/{part}: {compact:?}");
        }
        assert!(found.len() >= least, "{run}/{part}: {:?}", found.keys());
        for (stem, kinds) in &found {
            assert!(kinds.iter().eq(wanted.iter()), "{run}/{part}/{stem}: {kinds:?}");
        }
        for (path, bytes) in
            folder.files().iter().filter(|(path, _)| path.parent() == Some(&folder.path(&format!("{run}/{part}"))))
        {
            assert_whole(path, bytes);
        }
    }
}

/// That a file is what its name says, and not empty of figures.
fn assert_whole(path: &Path, bytes: &[u8]) {
    let shown = path.display();
    let text = || String::from_utf8(bytes.to_vec()).unwrap();
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("png") => assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 1000, "{shown}"),
        Some("pdf") => assert!(bytes.starts_with(b"%PDF-") && bytes.trim_ascii_end().ends_with(b"%%EOF"), "{shown}"),
        Some("svg") => assert!(text().starts_with("<svg ") && text().trim_end().ends_with("</svg>"), "{shown}"),
        Some("csv") => {
            let records = csv::Reader::from_reader(bytes).into_records().collect::<Result<Vec<_>, _>>();
            assert!(!records.unwrap().is_empty(), "{shown}");
        }
        Some("md") => assert!(text().contains("\n| --- |"), "{shown}"),
        _ => {
            let text = text();
            let ends = ["\\end{table}", "\\end{sidewaystable}", "\\end{landscape}", "\\endgroup"];
            let is_whole = ends.iter().any(|end| text.trim_end().ends_with(end));
            assert!(text.contains("\\toprule") && is_whole, "{shown}");
            assert_eq!(text.matches("\\begin{").count(), text.matches("\\end{").count(), "{shown}");
        }
    }
}

const ROWS: &str = "--algorithm all-text --algorithm cevc:alpha=0.1|0.5|0.9 --algorithm cevc:alpha=exact \
                    --algorithm nta:coherence=0.8|0.9,density=0.3|0.5";

#[test]
fn every_figure_and_table_is_there_in_every_form() {
    let folder = Folder::new();
    check(&folder, &format!("run {ROWS} --time --out o"), 0, &[]);
    assert_complete(&folder, "o", 8, 4);
    // What a page of the report leads to is there.
    let index = folder.read("o/index.html");
    for stem in kinds(&folder, "o/figures").keys() {
        for kind in KINDS_OF_FIGURES {
            assert!(index.contains(&format!("href=\"figures/{}.{kind}\"", stem.replace('+', "%2B"))), "{stem}.{kind}");
        }
    }
    // In another language every number is the same: tables and the data behind the figures.
    let numbers = |folder: &Folder| {
        let mut files = folder.files();
        files.retain(|path, _| {
            let is_data = path.extension().is_some_and(|extension| extension == "csv");
            let is_of_report = ["o/tables", "o/figures"].iter().any(|part| path.starts_with(folder.path(part)));
            is_data && is_of_report
        });
        files
    };
    let before = numbers(&folder);
    check(&folder, "report o --lang zh", 0, &[]);
    let index = folder.read("o/index.html");
    for title in
        ["portals：各站点的召回率", "portals：F1 与时间", "portals 上的 nta：F1 随 coherence 与 density 的变化"]
    {
        assert!(index.contains(title), "{title}");
    }
    assert!(numbers(&folder) == before, "tables and the data of figures are the same");
    assert!(folder.read("o/figures/portals-sites-recall.svg").contains("portals：各站点的召回率"));
    let curve = folder.csv("o/figures/portals-cevc-alpha-exact.csv");
    let flat = |value: &str| curve.iter().filter(|row| row["series"] == "swept" && row["flat"] == value).count();
    assert!(flat("true") > 0 && flat("false") > 0 && flat("") == 0);
    let best = curve.iter().filter(|row| row["series"] == "swept").max_by(|a, b| a["f1"].cmp(&b["f1"])).unwrap();
    assert_eq!(best["flat"], "true");
}

#[test]
fn a_report_that_cannot_be_finished_leaves_the_one_before_it() {
    let folder = Folder::new();
    check(&folder, "run --where group=zh-news --algorithm all-text --out o", 0, &[]);
    let (index, pages) = (folder.read("o/index.html"), kinds(&folder, "o/pages"));
    let stale = "pages/0123456789abcdef.html";
    let content = "a page that the run has no more";
    fs::write(folder.path("o").join(stale), content).unwrap();
    let listed = format!("{}{}  {stale}\n", folder.read("o/report.txt"), sha256(content.as_bytes()));
    fs::write(folder.path("o/report.txt"), listed).unwrap();
    let unit = folder.files().into_keys().rfind(|path| path.parent() == Some(&folder.path("o/units"))).unwrap();
    let content = fs::read(&unit).unwrap();
    fs::remove_file(&unit).unwrap();
    // That a failure leaves every file as it was is what `check` looks at.
    check(&folder, "report o --lang zh", 3, &["is missing or damaged", unit.file_name().unwrap().to_str().unwrap()]);
    fs::write(&unit, content).unwrap();
    check(&folder, "report o", 0, &[]);
    assert_eq!(folder.read("o/index.html"), index);
    assert_eq!(kinds(&folder, "o/pages"), pages, "what is stale is gone");
    assert!(!folder.read("o/report.txt").contains(stale));
}

#[test]
fn what_reproduce_makes_is_there_in_every_form() {
    let folder = Folder::new();
    check(&folder, "reproduce all --where group=zh-news --out o --no-texts", 0, &[]);
    for (paper, figures, tables) in
        [("nta", 3, 3), ("cevc", 2, 4), ("istm", 0, 5), ("relevance", 0, 2), ("systems", 0, 1)]
    {
        assert_complete(&folder, &format!("o/{paper}"), figures, tables);
        assert_complete(&folder, &format!("o/{paper}/run"), 1, 3);
    }
}

#[test]
fn a_run_fits_on_a_page_for_a_pull_request() {
    let folder = Folder::new();
    check(
        &folder,
        "run --where group=zh-news --out before --algorithm nta --algorithm cevc --algorithm all-text",
        0,
        &[],
    );
    check(&folder, &format!("run --where group=zh-news {ROWS} --out o"), 0, &[]);
    let page = check(&folder, "report o --format pr", 0, &[]).stdout;
    for part in [
        "<!-- carat report ",
        "`portals 1",
        "where group=zh-news",
        "| row | pages | F1 | 95 % interval | letters |",
        "`nta:coherence=0.9,density=0.5`",
        "result digest",
    ] {
        assert!(page.contains(part), "`{part}` is not in\n{page}");
    }
    assert!(!page.contains("oracle-") && !page.contains("difference"), "{page}");
    // With what changed since another run: written to a file, and of a screen or two.
    let told = check(&folder, "report o --format pr --baseline before --out pr.md", 0, &[]).stdout;
    assert_eq!(told, "");
    let page = folder.read("pr.md");
    assert!(page.contains("Since `before`: of ") && page.contains("higher/equal/lower"), "{page}");
    let open = page.split("<details>").next().unwrap().lines().count();
    assert!(open < 40 && page.lines().count() < 80, "{open} {page}");
    let is_html = |line: &&str| line.contains('<') && !line.contains("details") && !line.starts_with("<!--");
    assert_eq!(page.lines().find(is_html), None, "no HTML but folds");
    assert_eq!(page.matches("<details>").count(), page.matches("</details>").count());
    let header = page.lines().find(|line| line.starts_with("| row |")).unwrap();
    let table = page.lines().skip_while(|line| *line != header).take_while(|line| line.starts_with('|'));
    assert!(table.clone().count() > 3);
    assert!(table.clone().all(|line| line.matches('|').count() == header.matches('|').count()), "{page}");
}

#[test]
fn changes_since_another_run_are_told_row_by_row_and_page_by_page() {
    let lines = |fallen: &str| {
        let text =
            |page: usize| if fallen.contains(&page.to_string()) { "short" } else { "the whole text of the page" };
        let line = |page: usize| format!("{}\n", serde_json::json!({"id": format!("p{page}"), "text": text(page)}));
        format!("{}\n{}", serde_json::json!({"system": "mine"}), (1..=8).map(line).collect::<String>())
    };
    let page = |page: usize| {
        let page = serde_json::json!({
            "id": format!("p{page}"), "html": {"text": "<p>the whole text of the page"}, "site": format!("s{page}"),
            "gold": {"text": "the whole text of the page"}
        });
        format!("{page}\n")
    };
    let manifest =
        "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
    let folder = Folder::new()
        .with("demo/dataset.yaml", manifest)
        .with("demo/pages.jsonl", (1..=8).map(page).collect::<String>())
        .with("demo/stored/mine.jsonl", lines(""));
    let run = "run --dataset ./demo --stored all --algorithm all-text";
    check(&folder, &format!("{run} --out before"), 0, &[]);
    let folder = folder.with("demo/stored/mine.jsonl", lines("35"));
    check(&folder, &format!("{run} --algorithm semantic --out after"), 0, &[]);
    let page = check(&folder, "report after --format pr --baseline before", 0, &[]).stdout;
    assert!(page.contains("F1 fell 2 times on a page. New: `semantic`."), "{page}");
    let row = page.lines().find(|line| line.starts_with("| `stored/mine`")).unwrap();
    assert!(row.contains("| 1.0000 | -0.") && row.contains("| 0/6/2 |"), "{row}");
    let same = page.lines().find(|line| line.starts_with("| `all-text`")).unwrap();
    assert!(same.contains("| 0.0000 |") && same.contains("| 0/8/0 | same |"), "{same}");
    assert!(page.contains("| `p3` | `s3` | `stored/mine` | 1.0000 | 0."), "{page}");
    assert!(page.contains("carat diff after p3 --dataset demo --algorithm stored/mine"), "{page}");
    // Nothing is told of runs that cannot be held against each other.
    check(&folder, &format!("{run} --tokens word --out other"), 0, &[]);
    check(&folder, "report after --format pr --baseline other", 2, &["unlike conditions"]);
    check(&folder, "report after --format md --baseline before", 2, &["--format pr"]);
    check(&folder, "report after --format html --out x.html", 2, &["index.html lies in the run's folder"]);
    check(&folder, "report after --format pr --stats", 2, &["have their own"]);
    let told = check(&folder, "report after --format html", 0, &[]).stdout;
    assert_eq!(told, "after/index.html\n");
    for (form, begins) in [("md", "# "), ("latex", "% "), ("json", "{"), ("csv", "dataset,")] {
        check(&folder, &format!("report after --format {form} --out table.{form}"), 0, &[]);
        assert!(folder.read(&format!("table.{form}")).starts_with(begins), "{form}");
    }
    assert!(check(&folder, "report after --by site --format latex", 0, &[]).stdout.contains("\\toprule"));
}

#[test]
fn without_gold_the_agreement_of_systems_is_told() {
    let page =
        |page: usize| format!("{}\n", serde_json::json!({"id": format!("p{page}"), "html": {"text": "<p>a text"}}));
    let manifest =
        "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
    let folder = Folder::new()
        .with("demo/dataset.yaml", manifest)
        .with("demo/pages.jsonl", (1..=3).map(page).collect::<String>());
    check(&folder, "run --dataset ./demo --algorithm all-text --algorithm nta --out o", 0, &[]);
    for table in ["agreement", "disputed"] {
        assert!(kinds(&folder, "o/tables")[table].iter().eq(&["csv", "md", "tex"]), "{table}");
    }
    check(&folder, "report o --stats", 0, &["F1 of two systems' texts", "least agree"]);
    let page = check(&folder, "report o --format pr", 0, &[]).stdout;
    assert!(page.contains("| system | 1 | 2 |") && page.contains("| `1 all-text` | 1 | "), "{page}");
}
