//! `carat reproduce` as people meet it.

mod support;

use std::collections::BTreeMap;
use std::path::Path;

use carat::algorithms::find;
use carat::algorithms::parameters::ParameterKind;
use carat::papers::PAPERS;
use carat::runs::configuration::Configuration;
use carat::runs::plan::Plan;
use serde_json::Value as Json;
use support::{Folder, check};

/// The claims of the first dataset, by id: verdict and remark.
fn claims(json: &Json) -> BTreeMap<&str, (&str, &str)> {
    let claims = json["papers"][0]["datasets"][0]["claims"].as_array().unwrap();
    claims
        .iter()
        .map(|claim| {
            let text = |name: &str| claim[name].as_str().unwrap();
            (text("id"), (text("verdict"), text("remark")))
        })
        .collect()
}

#[test]
fn a_paper_leaves_a_run_tables_and_figures_and_its_claims_have_verdicts() {
    let folder = Folder::new();
    let told = check(&folder, "reproduce cevc --out o --no-texts", 0, &[]).stdout;
    for part in [
        "cevc on portals: claims of the CEVC paper of 2020",
        "holds              cevc-recall-loses-on-most",
        "not testable here  cevc-linear",
        "cevc on portals: readings, each against the defaults (F1 0.",
        "text_children=counted",
        "tables in o/cevc/tables",
    ] {
        assert!(told.contains(part), "`{part}` is not in\n{told}");
    }
    for file in [
        "run/run.yaml",
        "run/run.json",
        "run/scores.csv",
        "tables/claims.md",
        "tables/claims.csv",
        "tables/claims.tex",
        "tables/readings.csv",
        "tables/portals-cevc-1.md",
        "tables/portals-cevc-1.tex",
        "figures/portals-cevc-figure-1.svg",
        "figures/portals-cevc-figure-1.csv",
    ] {
        assert!(folder.path(&format!("o/cevc/{file}")).exists(), "{file}");
    }
    let table = folder.csv("o/cevc/tables/portals-cevc-1.csv");
    let row = |site: &str| table.iter().find(|row| row["site"] == site).unwrap_or_else(|| panic!("no {site}"));
    // No page of the paper's sites is embedded: what it printed stands alone, and so do our sites.
    let printed = row("新浪新闻 Sina News");
    assert_eq!([&printed["pages"], &printed["CEVC F1"], &printed["CEVC F1 printed"]], ["-", "-", "0.981"]);
    let own = row("weichuan-bao.example");
    assert_eq!([&own["pages"], &own["CEVC F1 printed"]], ["6", "-"]);
    assert_ne!(own["CEVC F1"], "-");
    assert_eq!(row("mean over sites: zh")["CETR F1 printed"], "0.769");
    assert!(folder.read("o/cevc/tables/portals-cevc-1.md").contains("reproduce none of them"));
    let svg = folder.read("o/cevc/figures/portals-cevc-figure-1.svg");
    assert!(svg.contains("As figure 1 of the CEVC paper, on other pages"), "{svg}");

    // The run is there now; what is printed of it in other forms is the same.
    let again = check(&folder, "reproduce cevc --out o --no-texts --format json", 0, &[]);
    assert!(again.stderr.contains("holds this run already"), "{}", again.stderr);
    let json: Json = serde_json::from_str(&again.stdout).unwrap();
    let claims = claims(&json);
    let (verdict, remark) = claims["cevc-recall-loses-on-most"];
    assert_eq!(verdict, "holds");
    assert!(remark.contains("in 15 of 24 rows"), "{remark}");
    assert_eq!(claims["cevc-linear"].0, "not_testable");
    let markdown = check(&folder, "reproduce cevc --out o --no-texts --format md", 0, &[]).stdout;
    assert!(markdown.contains("| portals | cevc-default-alpha |"), "{markdown}");
    assert!(folder.read("o/cevc/tables/claims.csv").contains("not testable here"));

    // It is an ordinary run.
    check(&folder, "compare o/cevc/run --row cevc:alpha=0.5 --row cetr-2d", 0, &["cetr-2d"]);
}

#[test]
fn closed_tools_are_not_stood_in_for_and_sites_are_drawn_as_the_paper_drew_them() {
    let folder = Folder::new();
    let json = check(&folder, "reproduce nta --out o --no-texts --where group=zh-news --format json", 0, &[]).stdout;
    let json: Json = serde_json::from_str(&json).unwrap();
    let claims = claims(&json);
    assert_eq!(claims["nta-over-evernote"].0, "not_testable");
    assert!(claims["nta-over-evernote"].1.contains("closed tool"), "{:?}", claims["nta-over-evernote"]);
    assert_ne!(claims["nta-second-node"].0, "not_testable");
    assert_ne!(claims["nta-best-threshold"].0, "not_testable");
    for number in 2..=4 {
        assert!(folder.path(&format!("o/nta/figures/portals-nta-figure-{number}.svg")).exists());
    }
    let readings = json["papers"][0]["datasets"][0]["readings"]["readings"].as_array().unwrap();
    let names: Vec<&str> = readings.iter().map(|reading| reading["parameter"].as_str().unwrap()).collect();
    assert!(names.contains(&"tie") && names.contains(&"link_siblings") && !names.contains(&"coherence"), "{names:?}");
}

#[test]
fn requests_that_cannot_be_met_say_why() {
    let folder = Folder::new();
    check(&folder, "reproduce nothing", 2, &["possible values: nta, cevc, istm, relevance, all"]);
    check(&folder, "reproduce nta --dataset no-such", 2, &["no dataset of this name"]);
    check(&folder, "reproduce nta --where language", 2, &["expected KEY=VALUE"]);
    check(&folder, "reproduce nta --where language=xx", 2, &["the filters leave none of the"]);
}

#[test]
fn every_word_of_a_papers_parameters_is_a_reading_of_its_run() {
    for paper in &PAPERS {
        let plan = Plan::new(Configuration::from_yaml(paper.file, paper.configuration).unwrap()).unwrap();
        let algorithm = find(paper.algorithm).unwrap();
        let rows = || plan.rows.iter().filter(|row| row.name() == paper.algorithm);
        for parameter in algorithm.parameters() {
            let words: Vec<Json> = match &parameter.values {
                ParameterKind::Boolean => vec![true.into(), false.into()],
                ParameterKind::Choice { words } | ParameterKind::List { words } => {
                    words.iter().map(|word| word.as_str().into()).collect()
                }
                ParameterKind::Decimal { .. } => Vec::new(),
            };
            for word in words.iter().filter(|word| **word != parameter.default) {
                let reads = rows()
                    .any(|row| row.differs() == [parameter.name.as_str()] && row.values()[&parameter.name] == *word);
                assert!(reads, "{}: no row reads {}={word}", paper.file, parameter.name);
            }
        }
        // The file is what the program holds.
        let file = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(paper.file)).unwrap();
        assert_eq!(file, paper.configuration);
    }
}
