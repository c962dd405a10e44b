//! The measures of structure, against figures of an independent program (`figures-measures.json` of the corpora). Without
//! `CARAT_CORPORA` the tests that need them say that they were skipped.

use std::path::PathBuf;

use carat_core::page::parse::parse;
use carat_core::page::selection::Selection;
use carat_core::scoring::Measured;
use carat_core::structure::{Document, Structure, TextKind, compare, wmb};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

/// The folder of the corpora, if it holds the figures.
fn corpora() -> Option<PathBuf> {
    let folder = std::env::var_os("CARAT_CORPORA").map(PathBuf::from);
    let folder = folder.filter(|folder| folder.join("figures-measures.json").exists());
    if folder.is_none() {
        eprintln!("skipped: CARAT_CORPORA does not name the folder of corpora");
    }
    folder
}

fn figures() -> Option<Json> {
    let file = corpora()?.join("figures-measures.json");
    Some(serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap())
}

fn counts(measured: Option<Measured>) -> Json {
    measured.map_or(Json::Null, |measured| {
        let counts = measured.counts;
        json!([counts.matched, counts.extracted, counts.gold])
    })
}

/// A value or nothing, within the rounding of what is expected.
fn assert_near(measured: Option<Measured>, expected: &Json, within: f64, case: &str) {
    let value = measured.map(|measured| measured.score().fractions());
    match (value, expected.as_f64()) {
        (Some([precision, recall, f1]), Some(expected)) => {
            assert!((f1 - expected).abs() <= within, "{case}: {f1} instead of {expected}");
            assert_eq!((precision, recall), (f1, f1), "{case}");
        }
        (value, expected) => assert_eq!(value.is_some(), expected.is_some(), "{case}"),
    }
}

fn document(json: &Json, side: &str) -> Document {
    let kind = json[format!("{side}_kind")].as_str().unwrap_or("markdown");
    Document::new(kind.parse().unwrap(), json[side].as_str().unwrap())
}

fn measured(structure: Structure, json: &Json) -> Option<Measured> {
    compare(structure, &document(json, "extraction"), &document(json, "gold")).unwrap()
}

/// A measure by its name, if it is one of structure.
fn structure(name: &Json) -> Option<Structure> {
    name.as_str()?.parse().ok()
}

#[test]
fn examples_are_counted_as_written() {
    let Some(figures) = figures() else { return };
    let mut tried = 0;
    for example in figures["examples"].as_array().unwrap() {
        let Some(structure) = structure(&example["measure"]) else { continue };
        let (measured, want) = (measured(structure, example), &example["want"]);
        if structure.reads_markdown_alone() {
            assert_near(measured, want, 1e-12, &example.to_string());
        } else {
            assert_eq!(counts(measured), want["counts"], "{example}");
            let scores = measured.map(|measured| measured.score().fractions());
            for (at, score) in scores.into_iter().flatten().enumerate() {
                assert!((score - want["scores"][at].as_f64().unwrap()).abs() <= 0.000_05 + 1e-9, "{example}");
            }
        }
        tried += 1;
    }
    assert_eq!(tried, 66);
}

#[test]
fn selections_are_read_as_written() {
    let Some(figures) = figures() else { return };
    let mut tried = 0;
    for example in figures["examples"].as_array().unwrap().iter().filter(|example| example["measure"] == "selection") {
        let tree = parse(example["page"].as_str().unwrap()).unwrap().tree;
        let chosen: Vec<&str> = example["selected"].as_array().unwrap().iter().filter_map(Json::as_str).collect();
        let is_chosen = |text: &str| chosen.iter().any(|chosen| text.starts_with(chosen));
        let selection: Selection = tree.ids().filter(|&id| is_chosen(tree.text(id))).collect();
        let document = Document::of_selection(&tree, &selection);
        let cell = |cell: &carat_core::structure::Cell| json!([cell.text, cell.colspan, cell.rowspan]);
        let tables = document.tables().iter();
        let tables: Vec<Vec<Vec<Json>>> =
            tables.map(|table| table.rows.iter().map(|row| row.iter().map(cell).collect()).collect()).collect();
        let read = json!({ "tables": tables, "code": document.code(), "formulas": document.formulas() });
        assert_eq!(read, example["want"], "{example}");
        tried += 1;
    }
    assert_eq!(tried, 3);
}

#[test]
fn made_documents_count_as_an_independent_program_does() {
    let Some(figures) = figures() else { return };
    let mut compared = 0;
    for pair in figures["made"].as_array().unwrap() {
        for (name, expected) in pair["structure"].as_object().unwrap() {
            let structure = structure(&json!(name)).unwrap();
            assert_eq!(counts(measured(structure, pair)), *expected, "{name}: {pair}");
            compared += 1;
        }
    }
    assert_eq!(compared, 40 * 4);
}

#[test]
fn stored_extractions_of_webmainbench_count_as_its_own_program_does() {
    let (Some(figures), Some(folder)) = (figures(), corpora()) else { return };
    let file = folder.join("webmainbench-sample/dataset_with_results.jsonl");
    let pages: Vec<Json> =
        std::fs::read_to_string(file).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let columns = [
        ("code_edit", Structure::WmbCode),
        ("formula_edit", Structure::WmbFormula),
        ("table_edit", Structure::WmbTable),
        ("table_TEDS", Structure::WmbTeds),
    ];
    let parts = [("code", wmb::code as fn(&str) -> String), ("formula", wmb::formula), ("table", wmb::table_as_cut)];
    let mut compared = 0;
    for (system, figures) in figures["webmainbench-sample"]["systems"].as_object().unwrap() {
        for page in &pages {
            let id = page["id"].as_str().unwrap();
            let figures = &figures["pages"][id];
            let texts = [&page[format!("{system}_content")], &page["groundtruth_content"]];
            let texts = texts.map(|text| text.as_str().unwrap_or_default());
            let [extraction, gold] = texts.map(|text| Document::new(TextKind::Markdown, text));
            let case = |name: &str| format!("{system} {id}: {name}");
            for (column, structure) in columns {
                let measured = compare(structure, &extraction, &gold).unwrap();
                assert_near(measured, &figures["wmb"][column], 1e-12, &case(column));
                compared += 1;
            }
            for (name, cut) in parts {
                let lengths = texts.map(|text| cut(text).chars().count());
                assert_eq!(json!(lengths), figures["parts"][name], "{}", case(name));
                compared += 1;
            }
            for (name, expected) in figures["structure"].as_object().unwrap() {
                let measured = compare(structure(&json!(name)).unwrap(), &extraction, &gold).unwrap();
                assert_eq!(counts(measured), *expected, "{}", case(name));
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 4 * 4 * (4 + 3 + 4));
}

/// Pieces that parsers of Markdown, HTML and TeX trip over.
const PIECES: &str = r#"(\$|\$\$|\\|\[|\]|\(|\)|`|```|~~~|\||---|\|-\|\n|\n| |    |	|<table>|</table>|<tr>|<td colspan=99999999999>|<pre>|<math><annotation encoding=tex>|<script type=math/tex>|</script>|</math>|<br>|<!--|&|a|1|> |\* |中|\PC)"#;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn no_text_makes_a_measure_fail(
        extraction in proptest::collection::vec(PIECES, 0..60),
        gold in proptest::collection::vec(PIECES, 0..60),
    ) {
        let (extraction, gold) = (extraction.concat(), gold.concat());
        for kind in [TextKind::Markdown, TextKind::Html] {
            let [extraction, gold] = [&extraction, &gold].map(|text| Document::new(kind, text.as_str()));
            for structure in Structure::ALL.into_iter().filter(|structure| structure.reads(Some(kind))) {
                let measured = compare(structure, &extraction, &gold).unwrap();
                let is_possible = |measured: Measured| {
                    let counts = measured.counts;
                    counts.matched <= counts.extracted.min(counts.gold)
                };
                prop_assert!(measured.is_none_or(is_possible), "{}: {:?}", structure, measured);
                let same = compare(structure, &gold, &gold).unwrap();
                prop_assert!(same.is_none_or(|same| same.counts.matched == same.counts.gold), "{}", structure);
            }
        }
    }

    #[test]
    fn no_bytes_make_a_measure_fail(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let text = String::from_utf8_lossy(&bytes);
        for kind in TextKind::ALL {
            let document = Document::new(kind, text.as_ref());
            for structure in Structure::ALL.into_iter().filter(|structure| structure.reads(Some(kind))) {
                prop_assert!(compare(structure, &document, &document).is_ok());
            }
        }
    }
}

/// A second for a megabyte, in a build for tests: enough for anything that is linear, too little for its square.
#[test]
fn hostile_documents_cost_their_length() {
    let pieces = [
        "$", "$ ", "$a", "$$ ", "\\[", "\\(", "```", "```\n", "`", "`a``", "    a\n", "\n    a", "\n\n    a\n    b\n",
        "\n \n", "|", "|\n", "|a|\n|-|\n", "[", "![", "*", "_a", "> ", "* ", "<table>", "<table><tr><td>", "</table>",
        "<td>", "<b>", "<pre>", "<!--", "<", "&", "<math>", "<script type=math/tex>", "<a href=\"", "[a](", "\t", "\\",
    ];
    for piece in pieces {
        let text = piece.repeat(200_000 / piece.len());
        let start = std::time::Instant::now();
        for kind in [TextKind::Markdown, TextKind::Html] {
            let document = Document::new(kind, text.as_str());
            document.tables();
        }
        for cut in [wmb::code, wmb::formula, wmb::table] {
            cut(&text);
        }
        let taken = start.elapsed().as_secs_f64();
        println!("{taken:.3} s for {piece:?}");
        assert!(taken < 5.0, "{piece:?} took {taken} s");
    }
}
