//! Documents that are made from declarations, and the README's commands.
//!
//! `CARAT_WRITE_DOCS=1 cargo test --test library documents` writes what is out of date.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use carat::algorithms::parameters::{Parameter, Values};
use carat::algorithms::{ALGORITHMS, Entry};
use carat::datasets::manifest::{Details, Manifest, Record};
use carat::papers::named_systems::named_systems;
use carat::papers::published;
use carat::runs::described::Described;
use carat::runs::kinds::{self, faithful_to};
use carat::runs::values::text_of;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn section(entry: Entry) -> String {
    let declaration = entry.declaration();
    let mut text = format!("## `{}`\n\n", declaration.name);
    let mut title = declaration.title.chars();
    let first = title.next().unwrap().to_uppercase();
    writeln!(text, "{first}{}.\n", title.as_str()).unwrap();
    writeln!(text, "- source: {}; faithful to: {}", declaration.source, declaration.faithful_to.name()).unwrap();
    writeln!(text, "- languages: {}\n- cost: {}", declaration.languages, declaration.cost).unwrap();
    for swept in declaration.swept {
        writeln!(
            text,
            "- swept at no cost: `{}` (`{}:{}={}`{})",
            swept.parameter,
            declaration.name,
            swept.parameter,
            swept.grid,
            if swept.exact { ", or `exact`" } else { "" }
        )
        .unwrap();
    }
    let defaults = entry.setting(&Values::new()).unwrap();
    for resource in (declaration.resources)(defaults.values(), &BTreeSet::from([None])) {
        writeln!(text, "- {resource}").unwrap();
    }
    text.push_str(&table_of_parameters(&entry.parameters()));
    text.push_str("\nExamples, worked by hand and run as tests:\n");
    for example in declaration.examples {
        let separator = if example.parameters.is_empty() { "" } else { ":" };
        writeln!(text, "\n- {}\n\n  ```text", example.title).unwrap();
        example.html.lines().for_each(|line| writeln!(text, "  {line}").unwrap());
        example.siblings.iter().for_each(|html| writeln!(text, "  another page of the site: {html}").unwrap());
        writeln!(text, "  {}{separator}{} gives", declaration.name, example.parameters).unwrap();
        example.expected.lines().for_each(|line| writeln!(text, "    {line}").unwrap());
        text.push_str("  ```\n");
    }
    text
}

fn section_of_other(other: &Described) -> String {
    let mut text = format!("\n## `{}`\n\n", other.name);
    let mut title = other.title.chars();
    let first = title.next().unwrap().to_uppercase();
    writeln!(text, "{first}{}.\n", title.as_str()).unwrap();
    writeln!(text, "- source: {}; faithful to: {}", other.source, other.faithful_to.name()).unwrap();
    writeln!(text, "- cost: {}", other.cost).unwrap();
    if let Some(reads) = other.reads_gold {
        writeln!(text, "- reads the gold {}", reads.told()).unwrap();
    }
    text.push('\n');
    other.notes.iter().for_each(|note| writeln!(text, "{note}").unwrap());
    text.push_str(&table_of_parameters(&(other.parameters)()));
    writeln!(text, "\n```yaml\n{}\n```\n", other.written.replace("\n\ncarat", "\n# carat")).unwrap();
    writeln!(text, "Worked by hand:\n\n```text\n{}\n```", other.example).unwrap();
    text
}

fn table_of_parameters(parameters: &[Parameter]) -> String {
    let mut text = String::new();
    if !parameters.is_empty() {
        text.push_str("\n| parameter | values | default | what it does |\n| --- | --- | --- | --- |\n");
    }
    for parameter in parameters {
        let values = parameter.values.describe().replace('|', "\\|");
        let help = parameter.help.replace('|', "\\|");
        writeln!(text, "| `{}` | {values} | `{}` | {help} |", parameter.name, text_of(&parameter.default)).unwrap();
    }
    text
}

#[test]
fn the_page_of_algorithms_follows_from_the_declarations() {
    let mut text = "# Algorithms\n\nMade from the declarations in `core/src/algorithms/`; do not edit.\n\n".to_owned();
    let sections: Vec<String> = ALGORITHMS.iter().map(|&entry| section(entry)).collect();
    text.push_str(&sections.join("\n"));
    text.push_str("\n# Ensembles and bounds\n\nRows of a run that are no algorithms; from what each kind of row declares (`src/runs/`).\n");
    kinds::described().for_each(|other| text.push_str(&section_of_other(other)));
    check_document("docs/algorithms.md", &text);
}

/// Holds a document against what it is to be, or writes it.
fn check_document(name: &str, text: &str) {
    let path = root().join(name);
    if std::env::var_os("CARAT_WRITE_DOCS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(known, text, "run: CARAT_WRITE_DOCS=1 cargo test --test library documents");
}

#[test]
fn every_row_that_stands_for_a_named_system_is_there() {
    for row in named_systems().iter().flat_map(|system| &system.rows) {
        assert!(faithful_to(row).is_some(), "no algorithm or ensemble is called {row}");
    }
}

/// A line of a table.
fn line(text: &mut String, cells: &[&str]) {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    writeln!(text, "| {} |", cells.join(" | ")).unwrap();
}

#[test]
fn the_page_of_named_systems_follows_from_their_list() {
    let mut text = "# Systems that the founding papers name\n\n\
        Made from `src/papers/named_systems.yaml` and the declarations in `core/src/algorithms/`; do not edit.\n\n\
        Who reads one of the four papers finds here each system that it names: the rows of a run that stand for it, or why \
        there is none. How faithful a row is (to the paper, to published code, a reconstruction from secondary sources, or a \
        variant of ours) stands behind its name, and on its page with its source. *(inferred)*: our copy of the paper lacks \
        the reference; the title is told from the sentence that cites it. `carat list systems` prints the same.\n\n\
        What papers say of a system is tried where pages can tell: by `carat reproduce nta|cevc|istm|relevance` what the four \
        papers say of their experiments, by `carat reproduce systems` what they and the systems' own papers say besides. The \
        names of these claims lead to the second table, which says who claims what, how we know, and what of the check is our \
        reading.\n\n\
        | named by | system | what it does | rows here | to be known | claims |\n| --- | --- | --- | --- | --- | --- |\n"
        .to_owned();
    for system in named_systems() {
        let rows = system.rows.iter().map(|row| match faithful_to(row) {
            Some(faithful) => format!("[`{row}`](algorithms.md#{row}) ({})", faithful.name()),
            None => format!("`{row}`"),
        });
        let rows = if system.rows.is_empty() { "-".to_owned() } else { rows.collect::<Vec<_>>().join(", ") };
        let notes: Vec<&str> = system.door.iter().chain(&system.note).map(String::as_str).collect();
        let title = system.title().replace("(inferred)", "*(inferred)*");
        let claims = system.claims.iter().map(|claim| format!("[{claim}](#{claim})"));
        let claims = claims.collect::<Vec<_>>().join(", ");
        line(&mut text, &[&system.cited(), &title, &system.does, &rows, &notes.join("; "), &claims]);
    }
    text += "\n## Claims\n\n\
        | claim | said by | what it says | ours, or why it cannot be tried |\n| --- | --- | --- | --- |\n";
    for claim in &published().claims {
        let place = match claim.by {
            Some(_) => claim.said(),
            None => format!("{}: {}", published().sources[&claim.source].title, claim.place),
        };
        let name = format!("<a id=\"{0}\"></a>{0}", claim.id);
        let testable = claim.testable.iter().chain(&claim.ours).map(String::as_str).collect::<Vec<_>>().join("; ");
        line(&mut text, &[&name, &place, &claim.words, &testable]);
    }
    check_document("docs/named-systems.md", &text);
}

/// The lines of the README's shell blocks that begin with `carat `.
fn readme_commands() -> Vec<String> {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let blocks = readme.split("```sh\n").skip(1).map(|block| block.split("```").next().unwrap());
    let lines = blocks.flat_map(str::lines).filter(|line| line.starts_with("carat "));
    lines.map(|line| line.split(" # ").next().unwrap().trim().to_owned()).collect()
}

/// A folder as the README supposes it: pages of one's own, and a copy of a page.
fn workplace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let copy = |from: &str, to: &str| {
        let to: PathBuf = folder.path().join(to);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(root().join(from), to).unwrap();
    };
    copy("datasets/portals/pages/zh-news-2-0001.html", "my-pages/html/zh-news-2-0001.html");
    copy("gold/portals/zh-news-2-0001.txt", "my-pages/gold/zh-news-2-0001.txt");
    copy("datasets/portals/pages/zh-news-1-0001.html", "page.html");
    copy("gold/portals/zh-news-1-0001.txt", "gold.txt");
    folder
}

#[test]
fn the_readmes_commands_work_as_printed() {
    let folder = workplace();
    let commands = readme_commands();
    assert!(commands.len() >= 6, "{commands:?}");
    let carat = assert_cmd::cargo::cargo_bin("carat");
    let path = format!("{}:{}", carat.parent().unwrap().display(), std::env::var("PATH").unwrap());
    for command in commands {
        let mut shell = Command::new("sh");
        shell.args(["-c", &command]).current_dir(folder.path()).env("PATH", &path);
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(!output.stdout.is_empty(), "{command} prints nothing");
    }
}

#[test]
fn every_key_of_the_dataset_format_is_in_its_reference_page() {
    let page = std::fs::read_to_string(root().join("docs/datasets.md")).unwrap();
    let keys = |start: &str, end: &str| -> BTreeSet<String> {
        let table = page.split(start).nth(1).unwrap().split(end).next().unwrap();
        let firsts = table.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
        firsts.flat_map(|cell| cell.split(',')).map(|key| key.trim_matches(['`', ' ']).to_owned()).collect()
    };
    // A struct literal names every field, and the compiler finds one that is missing here.
    let Manifest {
        format: _,
        name: _,
        version: _,
        title: _,
        description: _,
        licence: _,
        source: _,
        gold_folder: _,
        pages: _,
        defaults: _,
        site_rule: _,
        gold: _,
        snippets: _,
        annotations: _,
        counts: _,
        digest: _,
        other: _,
    } = Manifest::default();
    let manifest = [
        "format", "name", "version", "title", "description", "licence", "source", "gold_folder", "pages", "defaults",
        "site_rule", "gold", "snippets", "annotations", "counts", "digest",
    ];
    assert_eq!(keys("### `dataset.yaml`", "### Page lists"), manifest.map(str::to_owned).into());
    let Record { id: _, html: _, gold: _, site: _, language: _, encoding: _, kind: _, details: _ } = Record::default();
    let Details {
        url: _,
        host: _,
        split: _,
        crawled: _,
        published: _,
        title: _,
        author: _,
        group: _,
        faults: _,
        snippets: _,
        extra: _,
        other: _,
    } = Details::default();
    let record = [
        "id", "html", "gold", "site", "language", "encoding", "kind", "url", "host", "split", "crawled", "published",
        "title", "author", "group", "faults", "snippets", "extra",
    ];
    assert_eq!(keys("### Page lists", "## Outputs"), record.map(str::to_owned).into());
}

#[test]
fn the_example_of_the_dataset_format_loads() {
    let page = std::fs::read_to_string(root().join("docs/datasets.md")).unwrap();
    let block = |language: &str| page.split(&format!("```{language}\n")).nth(1).unwrap().split("```").next().unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in [
        ("dataset.yaml", block("yaml")),
        ("pages.jsonl", block("json")),
        ("html/0001.html", "<p>one</p>"),
        ("gold/0001.txt", "one"),
    ] {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let dataset = carat::datasets::load::load_folder(folder.path()).unwrap();
    let records: Vec<_> = dataset.records.iter().map(Result::unwrap).collect();
    let told: Vec<_> = records.iter().map(|record| (record.site_or_id(), record.language.as_deref())).collect();
    assert_eq!(told, [("example.com", Some("zh")), ("example.org", Some("zh"))]);
}
