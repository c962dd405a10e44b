//! Ensembles and bounds as rows of a run: what they come to, and what is refused.

use std::collections::BTreeMap;
use std::path::Path;

use carat::algorithms::value::Value;
use carat::decisions::compare::{Request, compare, read_runs};
use carat::report;
use carat::runs::configuration::Configuration;
use carat::runs::folder::Claim;
use carat::runs::plan::Plan;
use carat::runs::run_folder::RunFolder;
use carat::runs::summary::{Summary, SummaryRow, run_in_memory};
use carat::statistics::{Correction, Part, Sampling};

/// A folder with these pages, each `(name, html, gold)`, as a dataset.
fn dataset(pages: &[(&str, &str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, html, gold) in pages {
        for (kind, ending, text) in [("html", "html", html), ("gold", "txt", gold)] {
            std::fs::create_dir_all(folder.path().join(kind)).unwrap();
            std::fs::write(folder.path().join(kind).join(format!("{name}.{ending}")), text).unwrap();
        }
    }
    folder
}

fn plan(folder: &Path, rest: &str) -> Result<Plan, String> {
    let text = format!("datasets: ['{}']\n{rest}\n", folder.display());
    let configuration = Configuration::from_yaml("c.yaml", &text).map_err(|error| error.to_string())?;
    Plan::new(configuration).map_err(|error| error.to_string())
}

fn run(folder: &Path, rest: &str) -> Summary {
    run_in_memory(&plan(folder, rest).unwrap()).unwrap().0
}

/// Precision, recall and F1 of the row that is called so, to four digits.
fn figures(summary: &Summary, label: &str) -> [String; 3] {
    let row = row(summary, label);
    let mean = row.aggregates.macro_;
    [mean.precision, mean.recall, mean.f1].map(|figure| format!("{figure:.4}"))
}

fn row<'s>(summary: &'s Summary, label: &str) -> &'s SummaryRow {
    let found = summary.rows.iter().find(|row| row.full_label() == label);
    found.unwrap_or_else(|| panic!("no {label} among {:?}", labels(summary)))
}

fn labels(summary: &Summary) -> Vec<String> {
    summary.rows.iter().map(SummaryRow::full_label).collect()
}

const CATS: (&str, &str, &str) = (
    "cats",
    "<body><div><a href=/>首页</a></div><div><h1>猫睡觉</h1><p>猫每天睡觉。</p><p>分享到</p></div></body>",
    "猫睡觉\n猫每天睡觉。\n",
);

#[test]
fn bounds_are_those_worked_by_hand() {
    let bounds = "algorithms: [all-text]\nbounds: [oracle-subtree, {oracle-nodes: {rule: [best, half]}}]";
    let of = |page| run(dataset(&[page]).path(), bounds);
    // Text nodes 2, 3, 6 and 3 characters, gold 9. Nodes: h1 and the first p are the gold. Element: the second div, 12
    // characters, P 9/12, R 1, F1 18/21 = 6/7; the first p alone: 2 * 6 / (6 + 9) = 12/15.
    let cats = of(CATS);
    assert_eq!(figures(&cats, "oracle-nodes rule=best"), ["1.0000"; 3]);
    assert_eq!(figures(&cats, "oracle-subtree"), ["0.7500", "1.0000", "0.8571"]);
    // ab / cdxx: P 4/6, R 1, F1 8/10. Element: the body, 4/8, R 1, 8/12; p ab alone 4/6, equal, and shorter; p cdxx 4/8.
    let letters = of(("letters", "<body><p>ab</p><p>cdxx</p><p>zz</p></body>", "abcd"));
    assert_eq!(figures(&letters, "oracle-nodes rule=best"), ["0.6667", "1.0000", "0.8000"]);
    assert_eq!(figures(&letters, "oracle-subtree"), ["1.0000", "0.5000", "0.6667"]);
    // abxyzw: 2 of 6 are matched. Best takes it, P 1/3, R 1, F1 2 * 2 / (6 + 2); half does not.
    let less = of(("less", "<body><p>abxyzw</p><p>q</p></body>", "ab"));
    assert_eq!(figures(&less, "oracle-nodes rule=best"), ["0.3333", "1.0000", "0.5000"]);
    assert_eq!(figures(&less, "oracle-nodes rule=half"), ["0.0000"; 3]);
    // Without gold nothing is chosen, and both empty is 1.
    let empty = of(("empty", "<body><p>ab</p></body>", ""));
    assert_eq!(figures(&empty, "oracle-nodes rule=best"), ["1.0000"; 3]);
    assert_eq!(figures(&empty, "oracle-subtree"), ["1.0000"; 3]);
}

#[test]
fn a_page_beyond_the_limits_of_a_bound_is_not_run_and_the_others_count() {
    // 38 656 different characters twice: as many rows of 1 208 words are more than 2^25.
    let different: String = ('\u{3400}'..='\u{4DB5}').chain('一'..='\u{9FA5}').chain('가'..='힣').collect();
    let long = different.repeat(2);
    let html = format!("<body><p>{long}</p></body>");
    let folder = dataset(&[CATS, ("long", &html, &long)]);
    let summary = run(folder.path(), "algorithms: [all-text]");
    let nodes = row(&summary, "oracle-nodes");
    assert_eq!((nodes.pages, nodes.not_run, nodes.failed), (1, 1, 0));
    assert_eq!((row(&summary, "all-text").pages, row(&summary, "oracle-subtree").pages), (2, 2));
}

/// Pages of the embedded dataset's kind, small: content in paragraphs, links around.
fn portals() -> tempfile::TempDir {
    let page = |title: &str, text: &str, more: &str| {
        format!(
            "<body><ul><li><a href=/>home</a></li></ul><div><h1>{title}</h1><p>{text}</p>{more}</div><p>about us</p></body>"
        )
    };
    let one = page("One", "the first text is long enough to be content", "<p><a href=/x>a link that is long</a></p>");
    let two = page("Two", "short", "<div><p>another text, which is longer than all the rest here</p></div>");
    dataset(&[
        ("one", &one, "One\nthe first text is long enough to be content"),
        ("two", &two, "Two\nshort\nanother text, which is longer than all the rest here"),
        CATS,
    ])
}

/// F1 by page of each row, from a run folder's `scores.csv`.
fn by_page(folder: &Path) -> BTreeMap<(String, String), BTreeMap<String, f64>> {
    let mut rows: BTreeMap<(String, String), BTreeMap<String, f64>> = BTreeMap::new();
    for line in csv::Reader::from_path(folder.join("scores.csv")).unwrap().records() {
        let line = line.unwrap();
        let row = rows.entry((line[5].to_owned(), line[6].to_owned())).or_default();
        row.insert(line[1].to_owned(), line[12].parse().unwrap());
    }
    rows
}

fn carat(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = assert_cmd::Command::cargo_bin("carat").unwrap().current_dir(folder).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

const PLAN: &str = "algorithms:
  - nonlink-text
  - nta: {coherence: [0.6, 0.9, 1.0]}
  - cetd
  - cetd: {factor: exact}
  - combine: {name: vote, members: [nta, cetd, largest-p-parent], rule: majority}
  - combine: {name: all, members: [nta, cetd, largest-p-parent], rule: [union, intersection]}
  - combine: {name: heavy, members: [nta, cetd, largest-p-parent], rule: weighted, weights: [2, 1, 1], ties: in}
  - combine: {name: share, members: [nta, cetd], rule: weighted, threshold: exact}
  - combine: {members: [nonlink-text, cetd], rule: serial}";

#[test]
fn an_exact_sweep_of_an_ensemble_equals_the_grid_at_every_grid_value() {
    let folder = portals();
    let members = "members: [nta, cetd, largest-p-parent, all-text], rule: weighted, weights: [3, 2, 1, 1]";
    for (ties, grid) in [("out", "0.00..0.99/0.01"), ("in", "0.01..1.00/0.01")] {
        let plan = plan(
            folder.path(),
            &format!(
                "algorithms:\n  - combine: {{name: swept, {members}, ties: {ties}, threshold: exact}}\n  - combine: \
                 {{name: grid, {members}, ties: {ties}, threshold: {grid}}}\nbounds: [oracle-sweep, oracle-member]"
            ),
        );
        let (summary, curves) = run_in_memory(&plan.unwrap()).unwrap();
        assert_eq!((curves.len(), curves[0].algorithm.as_str(), curves[0].default.as_str()), (1, "swept", "0.5"));
        let rows: Vec<&SummaryRow> = summary.rows.iter().filter(|row| row.algorithm == "grid").collect();
        assert_eq!(rows.len(), 100);
        assert!(curves[0].pieces.len() > 2, "{:?}", curves[0].pieces);
        for row in rows {
            let value: Value = row.parameters["threshold"].as_str().unwrap().parse().unwrap();
            let pieces: Vec<_> = curves[0].pieces.iter().filter(|piece| piece.contains(value)).collect();
            assert_eq!(pieces.len(), 1, "{value}");
            assert_eq!(pieces[0].mean, row.aggregates.macro_, "{value}");
        }
        // Sevenths are the break points: no grid of hundredths misses a piece, so that both bounds are the same.
        let bound = |sweep: &str| {
            let label = format!(
                "oracle-sweep sweep={sweep} weights=3+2+1+1 rule=weighted{}",
                &["", " ties=in"][usize::from(ties == "in")]
            );
            figures(&summary, &label)
        };
        assert_eq!(bound("swept threshold=exact"), bound("grid threshold"));
        assert_eq!(figures(&summary, "oracle-member ensemble=swept"), figures(&summary, "oracle-member ensemble=grid"));
    }
}

#[test]
fn a_page_that_a_member_was_not_run_on_is_not_in_the_curve() {
    let pages = dataset(&[CATS, ("dogs", "<body><p>ab</p><p>cd</p></body>", "ab")]);
    let folder = pages.path();
    let outputs = folder.join("other.jsonl");
    std::fs::write(&outputs, "{\"system\":\"other\"}\n{\"id\":\"dogs\",\"text\":\"ab\"}\n").unwrap();
    let rest = format!(
        "algorithms:\n  - combine: {{name: both, members: [stored/other, all-text], rule: weighted, threshold: \
         exact}}\nstored: ['{}']",
        outputs.display()
    );
    let (_, curves) = run_in_memory(&plan(folder, &rest).unwrap()).unwrap();
    // Of the page that it was run on: all text up to half of the votes, then what both choose.
    let shown: Vec<String> =
        curves[0].pieces.iter().map(|piece| format!("{} {:.3}", piece.interval(), piece.mean.f1)).collect();
    assert_eq!(shown, ["[0, 0.5) 0.667", "[0.5, 1) 1.000"]);
}

#[test]
fn a_run_of_all_of_them_is_whole_and_marked_and_makes_itself_again() {
    // Beside the pages: the run's own report would be pages without gold.
    let (pages, work) = (portals(), tempfile::tempdir().unwrap());
    let folder = work.path();
    std::fs::write(folder.join("c.yaml"), format!("datasets: ['{}']\n{PLAN}\n", pages.path().display())).unwrap();
    let (code, table, told) = carat(folder, &["run", "c.yaml", "--out", "r"]);
    assert_eq!(code, 0, "{told}");
    let rows = by_page(&folder.join("r"));
    let f1 = |algorithm: &str, label: &str| &rows[&(algorithm.to_owned(), label.to_owned())];
    // A bound is the best of what it is of, page by page.
    for (bound, of) in [
        (
            f1("oracle-sweep", "sweep=nta coherence"),
            rows.iter().filter(|((name, _), _)| name == "nta").collect::<Vec<_>>(),
        ),
        (f1("oracle-sweep", "sweep=all rule"), rows.iter().filter(|((name, _), _)| name == "all").collect()),
    ] {
        for (page, bound) in bound {
            assert_eq!(*bound, of.iter().map(|(_, scores)| scores[page]).fold(0.0, f64::max), "{page}");
        }
    }
    for ((algorithm, label), scores) in &rows {
        for (page, score) in scores.iter().filter(|_| !algorithm.starts_with("oracle")) {
            assert!(*score <= f1("oracle-nodes", "")[page] + 1e-6, "{algorithm} {label} on {page}");
        }
    }
    let exact = f1("oracle-sweep", "sweep=cetd factor=exact");
    assert!(exact.iter().all(|(page, bound)| *bound >= f1("cetd", "")[page]));
    // Bounds stand last, are told, and none is the best.
    let at = |name: &str| table.lines().position(|line| line.trim_start().starts_with(name)).unwrap();
    assert!(
        ["nonlink-text", "nta", "cetd", "vote", "all", "heavy"].iter().all(|name| at(name) < at("oracle-")),
        "{table}"
    );
    assert_eq!(table.lines().filter(|line| line.trim_start().starts_with("oracle-")).count(), 4 + 5 + 2, "{table}");
    let marked: Vec<&str> = table.lines().filter(|line| line.contains("* ") && line.contains("0.")).collect();
    assert!(marked.iter().all(|line| !line.contains("oracle-")), "{table}");
    assert!(table.contains("(bound): made with each page's gold"), "{table}");
    // The run's own configuration makes the same run.
    let (code, _, told) = carat(folder, &["run", "r/run.yaml", "--out", "again"]);
    assert_eq!(code, 0, "{told}");
    let digest = |run: &str| {
        let text = std::fs::read_to_string(folder.join(run).join("run.json")).unwrap();
        serde_json::from_str::<serde_json::Value>(&text).unwrap()["result_digest"].clone()
    };
    assert_eq!(digest("r"), digest("again"));
    // No bound is lettered or compared.
    let (_, stats, _) = carat(folder, &["report", "r", "--stats", "--format", "csv"]);
    let mut bounds = 0;
    for line in csv::Reader::from_reader(stats.as_bytes()).records() {
        let line = line.unwrap();
        assert_eq!(line[1].starts_with("oracle-"), line[3].is_empty(), "{line:?}");
        assert!(!line[2].contains("(bound)"), "a setting joins with rows.csv: {line:?}");
        bounds += usize::from(line[3].is_empty());
    }
    assert!(bounds > 0);
    let runs = read_runs(&[folder.join("r")], &[]).unwrap();
    let request = Request {
        rows: Vec::new(),
        reference: None,
        datasets: Vec::new(),
        part: Part::F1,
        correction: Correction::Holm,
        where_loses: None,
        every_pair: false,
        pages: 0,
        sampling: Sampling { resamples: 10, flips: 10, ..Sampling::default() },
    };
    let compared = compare(&runs, &request).unwrap();
    assert!(compared[0].rows.iter().all(|row| !row.name.starts_with("oracle-")), "{:?}", compared[0].rows);
    let error = compare(&runs, &Request { rows: vec!["oracle-nodes".to_owned()], ..request }).unwrap_err();
    assert!(error.to_string().contains("is a bound"), "{error}");
    let claim = Claim::of(&folder.join("r")).unwrap();
    let run = report::RunFiles::read(&claim, RunFolder::open(&folder.join("r")).unwrap().info(), 10_000).unwrap();
    let language = report::language::Language::English;
    let drawn = report::drawn(run.figures().unwrap(), language);
    report::make(&claim, &run, report::FigureFiles::of(&drawn), language).unwrap();
    let ranking = std::fs::read_to_string(folder.join("r/tables/rows.csv")).unwrap();
    let header = ranking.lines().next().unwrap().split(',').position(|name| name == "reads_gold").unwrap();
    for line in csv::Reader::from_reader(ranking.as_bytes()).records() {
        let line = line.unwrap();
        assert_eq!(&line[header] == "page", line[1].starts_with("oracle-"), "{line:?}");
    }
}

#[test]
fn a_member_counts_the_same_whether_it_is_a_row_or_not() {
    let pages = portals();
    let vote = "  - combine: {name: vote, members: [nta, cetd, largest-p-parent]}";
    let alone = run(pages.path(), &format!("algorithms:\n{vote}"));
    let beside = run(pages.path(), &format!("algorithms:\n  - nta\n  - cetd\n  - largest-p-parent\n{vote}"));
    assert_eq!(labels(&alone), ["vote", "oracle-member ensemble=vote", "oracle-subtree", "oracle-nodes"]);
    for label in ["vote", "oracle-member ensemble=vote"] {
        assert_eq!(row(&alone, label).aggregates, row(&beside, label).aggregates, "{label}");
    }
    let system = &row(&alone, "vote").system;
    assert!(system.contains("combine") && system.contains("coherence=") && system.contains("factor="), "{system}");
}

#[test]
fn serial_members_see_what_the_one_before_has_left() {
    // The link is the longest paragraph: alone largest-p-parent takes the list of links; behind nonlink-text the
    // paragraph of content is all that is left in any p, and its div holds nothing else.
    let html = "<body><section><p><a href=/>a link that is much longer than all of the text</a></p><p>x</p></section>\
                <div><p>the content</p><p>and more</p></div></body>";
    let pages = dataset(&[("one", html, "the content\nand more")]);
    let summary = run(
        pages.path(),
        "algorithms:\n  - largest-p-parent\n  - combine: {members: [nonlink-text, largest-p-parent], rule: serial}",
    );
    assert!(figures(&summary, "largest-p-parent")[2].as_str() < "0.9");
    assert_eq!(figures(&summary, "nonlink-text>largest-p-parent rule=serial"), ["1.0000"; 3]);
}

#[test]
fn stored_outputs_are_put_on_text_nodes_first() {
    let pages = dataset(&[CATS, ("lacking", "<body><p>ab</p></body>", "ab")]);
    let outputs = pages.path().join("other.jsonl");
    // 睡觉 of 猫睡觉 (2 of 3), 猫每天 of 猫每天睡觉。 (3 of 6), 到 of 分享到 (1 of 3).
    let texts = "{\"system\":\"other\"}\n{\"id\":\"cats\",\"text\":\"睡觉\\n猫每天\\n到\"}\n";
    std::fs::write(&outputs, texts).unwrap();
    let rest = format!(
        "algorithms:\n  - combine: {{name: both, members: [stored/other, all-text], rule: intersection}}\nstored: ['{}']",
        outputs.display()
    );
    let summary = run(pages.path(), &rest);
    // h1 and the first p are chosen: the gold. The page that the output lacks is not run.
    let both = row(&summary, "both rule=intersection");
    assert_eq!((both.pages, both.not_run, both.degraded), (1, 1, 0));
    assert_eq!(both.aggregates.macro_.f1, 1.0);
}

#[test]
fn what_makes_no_ensemble_is_refused_with_its_line_and_the_way_out() {
    let pages = dataset(&[CATS]);
    for (combine, told) in [
        ("{members: [nta]}", "`members` needs two at least"),
        ("{rule: union}", "`members` needs two at least"),
        ("{members: [nta, cevd]}", "`cevd` is no algorithm"),
        ("{members: [nta, {cevc: {alpha: [0.1, 0.2]}}]}", "one value for each parameter"),
        ("{members: [nta, {combine: {members: [nta, cevc]}}]}", "cannot be the member of another"),
        ("{members: [nta, 'combine:members=nta']}", "cannot be the member of another"),
        ("{members: [nta, oracle-nodes]}", "sees the gold"),
        ("{members: [nta, cevc], rule: majorty}", "did you mean `majority`?"),
        ("{member: [nta, cevc]}", "did you mean `members`?"),
        ("{members: [nta, cevc], weights: [1, 2]}", "under `rule: weighted` only"),
        ("{members: [nta, cevc], rule: weighted, weights: [1]}", "`weights` has 1 values for 2 members"),
        ("{members: [nta, cevc], rule: weighted, weights: [1, 0]}", "decimals above 0"),
        ("{members: [nta, cevc], rule: union, ties: in}", "under `rule: majority` and `rule: weighted` only"),
        (
            "{members: [nta, cevc], rule: weighted, threshold: 1}",
            "takes nothing; with `ties: in` it is the intersection",
        ),
        ("{members: [nta, cevc], rule: weighted, threshold: 0, ties: in}", "with `ties: out` it is the union"),
        ("{members: [nta, cevc], rule: weighted, threshold: 1.5}", "a decimal from 0 to 1"),
        ("{members: [nta, cevc], rule: union, threshold: exact}", "under `rule: weighted` only"),
        ("{members: [nta, cevc], ties: exact}", "sweeps decimals only"),
        ("{members: [nta, cevc], on_empty: empty}", "under `rule: serial` only"),
        ("{members: [nta, cevc], name: cetd}", "is the name of another row"),
        ("{members: [nta, cevc], name: 'a b'}", "is no name"),
        ("{members: [nta, stored/x]}", "is no algorithm, nor a row of the run"),
    ] {
        let error = plan(pages.path(), &format!("algorithms:\n  - combine: {combine}")).err().unwrap();
        assert!(error.starts_with("c.yaml:3:") && error.contains(told), "{combine}: {error}");
    }
    let twice = "algorithms:\n  - combine: {members: [nta, cevc]}\n  - combine: {members: [nta, {cevc: {alpha: 0.1}}]}";
    let error = plan(pages.path(), twice).err().unwrap();
    assert!(error.starts_with("c.yaml:4:") && error.contains("two ensembles are named"), "{error}");
    for (rest, told) in [
        ("algorithms: [oracle-nodes]", "c.yaml:2:14: `oracle-nodes` is a bound; bounds are named under `bounds`"),
        (
            "algorithms: [nta]\nbounds: [oracle-node]",
            "c.yaml:3:10: `oracle-node` is no bound; did you mean `oracle-nodes`?",
        ),
        ("algorithms: [nta]\nbounds: [{oracle-nodes: {rule: hlaf}}]", "did you mean `half`?"),
        ("algorithms: [nta]\nbounds: [{oracle-subtree: {x: 1}}]", "there are none"),
        ("algorithms: [nta]\nbounds: all", "expected a list of bounds"),
    ] {
        let error = plan(pages.path(), rest).err().unwrap();
        assert!(error.contains(told), "{rest}: {error}");
    }
}

#[test]
fn bounds_come_by_default_where_pages_are_read_and_can_be_chosen() {
    let pages = dataset(&[CATS]);
    let names = |arguments: &[&str]| {
        let (code, out, told) =
            carat(pages.path(), &[&["run", "--dataset", ".", "--fresh", "--format", "json"], arguments].concat());
        assert_eq!(code, 0, "{told}");
        let summary: serde_json::Value = serde_json::from_str(&out).unwrap();
        let rows = summary["rows"].as_array().unwrap().clone();
        rows.iter().map(|row| row["algorithm"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&["--algorithm", "nta"]), ["nta", "oracle-subtree", "oracle-nodes"]);
    assert_eq!(names(&["--algorithm", "nta", "--bounds", "none"]), ["nta"]);
    assert_eq!(names(&["--algorithm", "nta", "--bounds", "oracle-nodes"]), ["nta", "oracle-nodes"]);
    assert_eq!(
        names(&["--algorithm", "combine:members=nta+cetd,rule=union", "--bounds", "oracle-member"]),
        ["union(nta+cetd)", "oracle-member"]
    );
    for name in ["combine", "oracle-sweep", "oracle-member", "oracle-subtree", "oracle-nodes"] {
        let (_, all, _) = carat(pages.path(), &["list", "algorithms"]);
        let (code, one, _) = carat(pages.path(), &["list", "algorithms", name]);
        assert!(code == 0 && one.starts_with(name) && all.lines().any(|line| line.starts_with(name)), "{one}");
    }
}
