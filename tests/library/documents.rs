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
use carat::report::language::Language;
use carat::runs::described::Described;
use carat::runs::kinds::{self, faithful_to};
use carat::runs::reads_gold::ReadsGold;
use carat::runs::values::text_of;

pub(crate) fn root() -> &'static Path {
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

/// A page of the book: its file, its title, the file in `core/src/algorithms/` whose head it begins with, and its rows.
type Family = (&'static str, &'static str, &'static str, &'static [&'static str]);

const FAMILIES: [Family; 30] = [
    ("nta", "NTA", "nta", &["nta"]),
    ("cevc", "CEVC", "cevc", &["cevc"]),
    ("relevance", "Block relevance", "relevance", &["relevance"]),
    ("istm", "ISTM", "istm", &["istm"]),
    ("floors", "Floors", "floors", &["all-text", "nonlink-text", "largest-p-parent", "semantic", "unrepeated-text"]),
    ("layout", "Layout", "layout", &["layout"]),
    ("dse", "Data-rich section extraction", "dse", &["dse"]),
    ("sst", "Site style tree", "sst", &["sst"]),
    ("info-discoverer", "InfoDiscoverer", "info_discoverer", &["info-discoverer"]),
    ("template-learned", "Template learned from links", "template_learned", &["template-learned"]),
    ("pagelets", "Pagelets", "pagelets", &["pagelets"]),
    ("exalg-like", "EXALG, first round", "exalg_like", &["exalg-like"]),
    ("xiong-like", "Similar blocks at similar places", "xiong_like", &["xiong-like"]),
    ("cetr", "CETR", "cetr", &["cetr-tm", "cetr-km", "cetr-2d"]),
    ("cetd", "CETD", "cetd", &["cetd", "cetd-td"]),
    ("boilerpipe", "boilerpipe", "boilerpipe", &["boilerpipe-article", "boilerpipe-default", "boilerpipe-numwords"]),
    ("justext", "jusText", "justext", &["justext"]),
    ("readability-arc90", "Readability of 2010", "readability_arc90", &["readability-arc90"]),
    ("readability-mozilla", "Mozilla's Readability", "readability_mozilla", &["readability-mozilla"]),
    ("cepr", "CEPR", "cepr", &["cepr", "cepr-e"]),
    ("cx-extractor", "cx-extractor", "cx_extractor", &["cx-extractor"]),
    ("link-ratio", "Link density of lines", "link_ratio", &["link-ratio"]),
    ("lqf", "Link quota filter", "lqf", &["lqf"]),
    ("bte", "Body text extraction", "bte", &["bte"]),
    ("slope-curves", "Document slope curves", "slope_curves", &["dsc"]),
    ("code-blurring", "Content code blurring", "code_blurring", &["ccb", "accb"]),
    ("gupta-filters", "Gupta's filters", "gupta_filters", &["gupta-filters"]),
    ("tables", "Tables", "table_text", &["table-text", "table-ratio"]),
    ("blocks", "Blocks without a renderer", "vips_lite", &["vips-lite", "block-weight"]),
    ("link-noise", "Link noise", "link_noise", &["link-noise"]),
];

/// Pages of rows that are no algorithms, by their rows.
const OTHERS: [Family; 3] = [
    ("rules", "Rules and classifiers that learn from gold", "", &["wrapper", "wrapper-learned", "fiasco-lite"]),
    ("ensembles", "Ensembles", "", &["combine"]),
    ("bounds", "Bounds", "", &["oracle-sweep", "oracle-member", "oracle-subtree", "oracle-nodes"]),
];

/// The page of the family that has `row`; `None` for an algorithm that is no family's.
fn page_of(row: &str) -> Option<&'static str> {
    FAMILIES.iter().chain(&OTHERS).find(|(.., rows)| rows.contains(&row)).map(|family| family.0)
}

/// The head of the file in which a family of algorithms is written.
fn idea(file: &str) -> String {
    let source = std::fs::read_to_string(root().join(format!("core/src/algorithms/{file}.rs"))).unwrap_or_default();
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let lines = lines.map(|line| line.strip_prefix(' ').unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n") + "\n\n"
}

const MADE: &str = "*Made from the declarations in the code; `carat list algorithms NAME` prints the same.*\n\n";

#[test]
fn the_pages_of_algorithms_follow_from_the_declarations() {
    let mut index = format!(
        "# Algorithms\n\n{MADE}Each page has the idea, the source, every parameter with its values, and examples that were worked \
         by hand and run as tests. *faithful to* says how close a row is to its source: the paper, published code, a \
         reconstruction from secondary sources, or a variant of ours. Floors and bounds are our own, so they count as \
         variants.\n\n| page | rows | in one sentence |\n| --- | --- | --- |\n"
    );
    for (page, title, file, rows) in FAMILIES {
        let entries: Vec<Entry> =
            ALGORITHMS.iter().copied().filter(|entry| rows.contains(&entry.declaration().name)).collect();
        assert_eq!(entries.len(), rows.len(), "{page}");
        let sections: Vec<String> = entries.iter().map(|&entry| section(entry)).collect();
        let text = format!("# {title}\n\n{}{MADE}{}", idea(file), sections.join("\n"));
        check_document(&format!("docs/algorithms/{page}.md"), &text);
        for entry in entries {
            let declaration = entry.declaration();
            line(
                &mut index,
                &[&format!("[{title}]({page}.md)"), &format!("`{}`", declaration.name), declaration.title],
            );
        }
    }
    // An algorithm of no family above has a page of its own.
    let alone = ALGORITHMS.iter().copied().filter(|entry| page_of(entry.declaration().name).is_none());
    for entry in alone {
        let declaration = entry.declaration();
        let text = format!(
            "# {0}\n\n{1}{MADE}{2}",
            declaration.name,
            idea(&declaration.name.replace('-', "_")),
            section(entry)
        );
        check_document(&format!("docs/algorithms/{}.md", declaration.name), &text);
        line(
            &mut index,
            &[&format!("[{0}]({0}.md)", declaration.name), &format!("`{}`", declaration.name), declaration.title],
        );
    }
    for (page, title, _, rows) in OTHERS {
        let others: Vec<&Described> = kinds::described().filter(|other| rows.contains(&other.name)).collect();
        assert_eq!(others.len(), rows.len(), "{page}");
        let sections: String = others.iter().map(|other| section_of_other(other)).collect();
        check_document(&format!("docs/algorithms/{page}.md"), &format!("# {title}\n\n{MADE}{sections}"));
        for other in others {
            line(&mut index, &[&format!("[{title}]({page}.md)"), &format!("`{}`", other.name), other.title]);
        }
    }
    check_document("docs/algorithms/index.md", &index);
    kinds::described().for_each(|other| assert!(page_of(other.name).is_some(), "no page is for {}", other.name));
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let contents = std::fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root().join("docs")).unwrap().to_str().unwrap().replace('\\', "/");
            match path.is_dir() {
                true => folders.push(path),
                false if name.ends_with(".md") && name != "SUMMARY.md" => {
                    assert!(contents.contains(&format!("({name})")), "docs/SUMMARY.md lacks {name}");
                }
                false => {}
            }
        }
    }
}

/// The help of each command, as it is printed.
#[test]
fn the_page_of_commands_is_the_help_of_each() {
    let mut text = "# Commands\n\nEvery command with its options, as `carat COMMAND --help` prints them. `carat --help` lists the \
                    commands; exit codes are [listed here](errors.md).\n"
        .to_owned();
    let mut names: Vec<Vec<String>> = vec![Vec::new()];
    let mut at = 0;
    while at < names.len() {
        let help = help_of(&names[at]);
        let shown = names[at].join(" ");
        writeln!(text, "\n## `carat{}{shown}`\n\n```text\n{help}```", if shown.is_empty() { "" } else { " " }).unwrap();
        let commands = help.split("Commands:\n").nth(1).unwrap_or_default();
        let below = commands.lines().take_while(|line| line.starts_with("  "));
        let below = below.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
        let parent = names[at].clone();
        let below: Vec<Vec<String>> =
            below.filter(|name| *name != "help").map(|name| [parent.clone(), vec![name.to_owned()]].concat()).collect();
        at += 1;
        names.splice(at..at, below);
    }
    check_document("docs/reference/commands.md", &text);
}

/// What `carat NAME.. --help` prints, without what differs from machine to machine.
fn help_of(name: &[String]) -> String {
    let mut carat = Command::cargo_bin("carat").unwrap();
    let output = carat.args(name).arg("--help").env("COLUMNS", "100").output().unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(|line| format!("{}\n", line.trim_end())).collect()
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
fn the_schemas_are_those_that_the_program_prints() {
    let printed = |arguments: &[&str]| {
        let mut carat = Command::cargo_bin("carat").unwrap();
        let output = carat.args(["list", "schemas"]).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let listed = printed(&[]);
    let names: Vec<&str> = listed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["configuration", "dataset", "page", "summary", "run"]);
    for name in names {
        check_document(&format!("docs/reference/schemas/{name}.json"), &printed(&[name]));
    }
}

/// The citation and the addresses follow from `[workspace.package]`, so that they are set in one place.
#[test]
fn the_citation_follows_from_the_package() {
    let licences: Vec<String> = env!("CARGO_PKG_LICENSE").split(" OR ").map(|name| format!("  - {name}\n")).collect();
    let text = format!(
        "# Made from Cargo.toml; CARAT_WRITE_DOCS=1 cargo test --test library documents writes it.\n\
         cff-version: 1.2.0\n\
         message: If you use carat in research, please cite it, and give its version and the result digests of your runs.\n\
         type: software\ntitle: carat\nabstract: >-\n  {}\nauthors:\n  - name: The authors of carat\n\
         version: {}\nlicense:\n{}repository-code: {}\nurl: {}\nkeywords:\n  - content extraction\n  \
         - boilerplate removal\n  - evaluation\n  - benchmark\n  - HTML\n",
        env!("CARGO_PKG_DESCRIPTION"),
        env!("CARGO_PKG_VERSION"),
        licences.concat(),
        env!("CARGO_PKG_REPOSITORY"),
        env!("CARGO_PKG_HOMEPAGE"),
    );
    check_document("CITATION.cff", &text);
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
    let mut text = "# Systems that the papers name\n\n\
        *Made from `src/papers/named_systems.yaml` and the declarations in the code; `carat list systems` prints the same.*\n\n\
        This page lists every system that one of the four papers names. For each system it gives the rows of a run that stand \
        for it, or the reason why there is none. The words in brackets say how close a row is to its source: the paper, \
        published code, a reconstruction from secondary sources, or a variant of ours. *(inferred)* marks a system whose \
        reference is missing in our copy of the paper; its title follows from the sentence that cites it.\n\n\
        Papers make claims about these systems. `carat reproduce nta|cevc|istm|relevance` tests what the four papers claim about \
        their own experiments. `carat reproduce systems` tests what they and the systems' own papers claim besides. The names in \
        the last column lead to the second table. It says who makes the claim, the evidence, and which parts of the test are our \
        interpretation.\n\n\
        | named by | system | what it does | rows here | notes | claims |\n| --- | --- | --- | --- | --- | --- |\n"
        .to_owned();
    for system in named_systems() {
        let rows = system.rows.iter().map(|row| match faithful_to(row) {
            Some(faithful) => format!("[`{row}`]({}.md#{row}) ({})", page_of(row).unwrap_or(row), faithful.name()),
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
        | claim | said by | what it says | our interpretation, or why it cannot be tested |\n| --- | --- | --- | --- |\n";
    for claim in &published().claims {
        let place = match claim.by {
            Some(_) => claim.said(),
            None => format!("{}: {}", published().sources[&claim.source].title, claim.place),
        };
        let name = format!("<a id=\"{0}\"></a>{0}", claim.id);
        let testable = claim.testable.iter().chain(&claim.ours).map(String::as_str).collect::<Vec<_>>().join("; ");
        line(&mut text, &[&name, &place, &claim.words, &testable]);
    }
    check_document("docs/algorithms/named-systems.md", &text);
}

/// The lines of the README's shell blocks that run carat.
fn readme_commands() -> Vec<String> {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let blocks = readme.split("```sh\n").skip(1).map(|block| block.split("```").next().unwrap());
    let lines =
        blocks.flat_map(str::lines).filter(|line| ["carat ", "printf "].iter().any(|start| line.starts_with(start)));
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
    assert!(commands.len() >= 5, "{commands:?}");
    let carat = assert_cmd::cargo::cargo_bin("carat");
    let path = format!("{}:{}", carat.parent().unwrap().display(), std::env::var("PATH").unwrap());
    for command in commands {
        let mut shell = Command::new("sh");
        shell.args(["-c", &command]).current_dir(folder.path()).env("PATH", &path);
        // A baseline is made at a desk, not in CI.
        shell.env_remove("CI").env_remove("GITHUB_ACTIONS");
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(!output.stdout.is_empty(), "{command} prints nothing");
    }
}

#[test]
fn every_key_of_the_dataset_format_is_in_its_reference_page() {
    let page = std::fs::read_to_string(root().join("docs/reference/datasets.md")).unwrap();
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
    assert_eq!(keys("### Page lists", "### Gold as text nodes"), record.map(str::to_owned).into());
}

#[test]
fn the_example_of_the_dataset_format_loads() {
    let page = std::fs::read_to_string(root().join("docs/reference/datasets.md")).unwrap();
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

#[test]
fn floors_and_bounds_say_in_chinese_what_they_do() {
    let floors = carat::algorithms::declarations().filter(|declaration| declaration.floor).map(|floor| floor.title);
    let sees_gold = |other: &&Described| other.reads_gold == Some(ReadsGold::Page);
    let titles: Vec<&str> = floors.chain(kinds::described().filter(sees_gold).map(|bound| bound.title)).collect();
    assert!(titles.len() >= 9, "{titles:?}");
    for title in titles {
        assert_ne!(Language::Chinese.say(title), title);
    }
}
