//! Text of others is inert wherever it is shown: a dataset, a stored output, an external program and a run of somebody who
//! means harm.

mod checks;
mod commands;
mod errors;
use serde_json::{Value as Json, json};

use self::checks::{is_inert, is_inert_csv, is_inert_file, is_inert_markdown};
use crate::support::{Folder, Ran};

/// What acts on terminals, logs, Markdown and HTML, after a word by which it is found.
const TEXT: &str = "HOSTILE\u{1b}]8;;http://e.org\u{7}\u{9b}31m\u{202e}\r\n::error::x\n ::set-output name=x::y\n##[error]y\n\
                    ##vso[task.z]<script>![i](http://e.org) [l](x) @mention #1 o/r#2 www.e.org *b* `t` ``u`` | \\| \u{2028}v";

/// The same in the 64 characters of a version.
const VERSION: &str = "HOSTILE\u{1b}[31m\n::error::x\n##[group]<b>@mention![i](http://e)#1`|";

/// Sites may hold no control characters; the first is a formula that would start a program.
const SITES: [&str; 4] = ["=cmd|'/c calc'!A1", "@mention", "+HOSTILE <img src=http://e.org>", "-HOSTILE|`x"];

const IDS: [&str; 8] = ["n", "--all", "-x", "@mention", "+x", "~x", "-", "p"];

const FORMATS: [&str; 5] = ["text", "md", "latex", "csv", "pr"];

/// A dataset whose author means harm, with an output of a system stored beside it.
fn hostile() -> Folder {
    let manifest = json!({
        "format": 1, "name": "www.e.org", "version": VERSION, "title": TEXT, "description": TEXT,
        "licence": {"data": TEXT, "pages": TEXT, "redistribution": "free"}, "gold": {"note": TEXT}, "x-notes": [TEXT],
    });
    let page = |(number, id): (usize, &str)| {
        let html =
            format!("<div><p class=b>{id} is told here, of 12 things<p>::error::HOSTILE</div><ul><li>{TEXT}</ul>");
        let gold = match number {
            // It is compared with no gold.
            0 => Json::Null,
            1 => json!({"select": {"include": ["p"], "roles": {"HOSTILE<b>|`@mention": ["p"], "=a": ["li"]}}}),
            _ => json!({"text": format!("{id} is told here, of 12 things\n::error::HOSTILE")}),
        };
        let mut page = json!({"id": id, "html": {"text": html}, "site": SITES[number % 4], "group": SITES[number % 3]});
        if !gold.is_null() {
            page["gold"] = gold;
        }
        format!("{page}\n")
    };
    let output = |id: &str| match id {
        "+x" => json!({"id": id, "error": TEXT}),
        _ => json!({"id": id, "text": format!("{id} is told\n::error::HOSTILE {TEXT}")}),
    };
    let header = json!({"system": "-x", "version": TEXT, "date": TEXT, "settings": {"HOSTILE\n::error::": TEXT}});
    let outputs: String = IDS.iter().map(|id| format!("{}\n", output(id))).collect();
    Folder::new()
        // YAML holds what steers as escapes alone.
        .with("set/dataset.yaml", carat::formats::inert::json(&manifest.to_string()))
        .with("set/pages.jsonl", IDS.into_iter().enumerate().map(page).collect::<String>())
        .with("set/stored/-x.jsonl", format!("{header}\n{outputs}"))
}

const RUN: &str = "run --dataset ./set --algorithm all-text --algorithm largest-p-parent:p_only=true|false --algorithm cevc:alpha=exact \
                   --stored all --out=-o --time";

/// Runs `carat`, and holds what it says against the invariants.
fn inert(folder: &Folder, arguments: &[&str]) -> Ran {
    let ran = folder.carat_with(b"", arguments);
    let whose = arguments.join(" ");
    is_inert(&ran.stderr, &whose);
    match arguments.iter().position(|argument| *argument == "--format").map(|at| arguments[at + 1]) {
        Some("md" | "pr") => is_inert_markdown(&ran.stdout, &whose),
        Some("csv") => is_inert_csv(&ran.stdout, &whose),
        Some("json") => {
            is_inert(&ran.stdout, &whose);
            serde_json::from_str::<Json>(&ran.stdout).unwrap();
        }
        _ => is_inert(&ran.stdout, &whose),
    }
    ran
}

/// The same of arguments parted by spaces, which succeed.
fn told(folder: &Folder, arguments: &str) -> String {
    let ran = inert(folder, &arguments.split_whitespace().collect::<Vec<_>>());
    assert_eq!(ran.code, 0, "carat {arguments}: {ran:?}");
    ran.stdout + &ran.stderr
}

/// Holds every text file of a run against the invariants, but those that are strange themselves.
fn files_are_inert(folder: &Folder, run: &str, strange: &[&str]) {
    let mut seen = 0;
    for (path, bytes) in folder.files() {
        let name = path.strip_prefix(folder.path(run)).ok().and_then(|path| path.to_str());
        let is_told = |name: &&str| [".md", ".csv", ".tex"].iter().any(|kind| name.ends_with(kind));
        if let Some(name) = name.filter(|name| is_told(name) && !strange.contains(name)) {
            is_inert_file(name, &String::from_utf8(bytes).unwrap());
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen} files in {run}");
}

#[test]
fn a_hostile_dataset_is_inert_in_every_output_of_its_run() {
    let folder = hostile();
    let ran = told(&folder, RUN);
    assert!(ran.contains("note: www.e.org: HOSTILE\u{FFFD}]8;;"), "{ran}");
    files_are_inert(&folder, "-o", &[]);
    // What is taken off is what was put there.
    let scores = folder.read("-o/scores.csv");
    assert!(scores.contains("www.e.org,'--all,'@mention,") && scores.contains(",'=cmd|'/c calc'!A1,"), "{scores}");
    for format in FORMATS {
        for of in ["", "--stats", "--by site", "--by group"] {
            if (format, of.is_empty()) != ("pr", false) {
                told(&folder, &format!("report ./-o {of} --format {format}"));
            }
        }
    }
    told(&folder, "report ./-o --format json");
    for format in ["text", "md", "latex", "csv", "json"] {
        told(&folder, &format!("compare ./-o --format {format}"));
        told(&folder, &format!("compare ./-o --pairs --format {format}"));
    }
    for arguments in [
        "list datasets ./set",
        "list datasets ./set --format json",
        "dataset check ./set",
        "dataset check ./set --format md",
        "diff ./-o p",
        "diff ./-o p --algorithm stored/-x",
        "diff ./-o p --algorithm stored/-x --side-by-side",
        "diff ./-o --algorithm stored/-x -- +x",
        "diff ./-o p --format json",
        "explain ./set --page=-x --algorithm nta",
        "dataset export ./set --out ./copy",
        "run --dataset ./set --algorithm nta --dry-run",
    ] {
        inert(&folder, &arguments.split_whitespace().collect::<Vec<_>>());
    }
    let listed = told(&folder, "list datasets ./set");
    assert!(listed.starts_with("www.e.org HOSTILE\u{FFFD}[31m ::error::x "), "{listed}");
}

#[test]
fn a_run_folder_of_a_stranger_is_inert_when_it_is_reported() {
    let folder = hostile();
    told(&folder, "run --dataset ./set --algorithm all-text --algorithm nta --stored all --out o");
    let mut summary = folder.json("o/summary.json");
    summary["name"] = TEXT.into();
    for row in summary["rows"].as_array_mut().unwrap() {
        row["system"] = TEXT.into();
        for figures in row["groups"]["site"].as_object_mut().unwrap().values_mut().take(1) {
            *figures = figures.clone();
        }
    }
    let dataset = &mut summary["conditions"]["datasets"]["www.e.org"];
    (dataset["version"], dataset["digest"], dataset["gold_nature"]) = (TEXT.into(), TEXT.into(), TEXT.into());
    for key in ["tokens", "case", "measure"] {
        summary["conditions"][key] = TEXT.into();
    }
    let mut info = folder.json("o/run.json");
    (info["carat"], info["result_digest"]) = (TEXT.into(), TEXT.into());
    info["failures"] = json!([{"dataset": TEXT, "page": TEXT, "algorithm": TEXT, "reason": TEXT}]);
    // Names that figures are found by, in all files.
    let scores = folder.read("o/scores.csv").replace("all-text", "\"=HOSTILE\n::error::`x`|<b>\"");
    let renamed = summary.to_string().replace("\"all-text\"", "\"=HOSTILE\\n::error::`x`|<b>\"");
    let folder = folder
        .with("o/summary.json", renamed)
        .with("o/run.json", info.to_string())
        .with("o/scores.csv", scores)
        .resealed("o");
    for format in FORMATS {
        for of in ["", "--stats", "--by site"] {
            if (format, of.is_empty()) != ("pr", false) {
                told(&folder, &format!("report o {of} --format {format}"));
            }
        }
        told(&folder, &format!("report o --format {format} --out told.{format}"));
        is_inert(&folder.read(&format!("told.{format}")), format);
        if format != "pr" {
            told(&folder, &format!("compare o --format {format}"));
        }
    }
    files_are_inert(&folder, "o", &["scores.csv"]);
    inert(&folder, &["diff", "o", "p"]);
    told(&folder, "report o --format pr --baseline o");
}

#[test]
fn the_texts_of_a_page_are_whole_where_a_program_reads_them() {
    let folder = Folder::new().with("p.html", "<p>::error::x\u{7f}##[error]y");
    let ran = folder.carat("extract p.html --algorithm all-text");
    assert_eq!(ran.stdout, "::error::x\u{7f}##[error]y\n");
    let ran = folder.carat("extract p.html --algorithm all-text --format json");
    is_inert(&ran.stdout, "extract");
    let json: Json = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(json["text"], "::error::x\u{7f}##[error]y");
}
