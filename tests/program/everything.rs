//! `configs/everything.yaml`: all rows in one run, and the figure of what they cost.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::{Folder, check};
use carat::algorithms::names;
use carat::runs::configuration::Configuration;
use carat::runs::learned::WRAPPER;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/everything.yaml");

#[test]
fn every_algorithm_is_in_it() {
    let configuration = Configuration::from_yaml(FILE, &std::fs::read_to_string(FILE).unwrap()).unwrap();
    let listed: BTreeSet<&str> = configuration.algorithms.iter().map(|request| request.name.as_str()).collect();
    let missing: Vec<&str> = names().filter(|name| !listed.contains(name)).collect();
    assert!(missing.is_empty(), "not in configs/everything.yaml: {missing:?}");
}

#[test]
fn the_readings_of_what_learns_that_papers_name_are_in_it() {
    let configuration = Configuration::from_yaml(FILE, &std::fs::read_to_string(FILE).unwrap()).unwrap();
    let written: Vec<String> = configuration.algorithms.iter().map(ToString::to_string).collect();
    for reading in
        ["fiasco-lite:model=svm_linear", "link-noise:scores=learned", "wrapper:learn=true,exclusion=subtracted"]
    {
        assert!(written.iter().any(|row| row == reading), "{reading}: {written:?}");
    }
}

#[test]
fn a_timed_run_of_all_draws_f1_against_time_and_ranks_them() {
    let folder = Folder::new();
    let run = format!("run {FILE} --where site=hehui-online.example --time --out all");
    check(&folder, &run, 0, &[]);
    let points = folder.csv("all/figures/portals-time.csv");
    // Of one site templates are learned, in two readings, and nothing that is learned from other sites.
    let learned = [WRAPPER; 2];
    assert_eq!(points.len(), names().count() + learned.len());
    assert!(points.iter().any(|point| point["front"] == "true"));
    let is_learned = |point: &&BTreeMap<String, String>| point["reads_gold"] == "other_pages";
    let of_learned: Vec<_> = points.iter().filter(is_learned).collect();
    assert_eq!(of_learned.len(), learned.len(), "{points:?}");
    assert!(of_learned.iter().all(|point| point["front"] == "false"), "{of_learned:?}");
    // Every name stands in the picture.
    let picture = folder.read("all/figures/portals-time.svg");
    let learned = learned.map(|name| format!("{name} (learned)"));
    for name in names().map(str::to_owned).chain(learned) {
        assert!(picture.lines().any(|line| line == name), "{name}");
    }
    let listed = folder.read("all/report.txt");
    assert!(listed.contains("figures/portals-time.svg\n") && listed.contains("figures/portals-time.csv\n"), "{listed}");
    // A report made again has it still.
    check(&folder, "report all", 0, &[]);
    assert_eq!(folder.read("all/figures/portals-time.svg"), picture);
    let stats = check(&folder, "report all --stats", 0, &["ranks"]).stdout;
    assert!(stats.lines().any(|line| line.contains("nta") && line.contains("1–")), "{stats}");
}
