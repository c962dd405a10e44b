//! Shouts the title of a page: a kind of system that is no algorithm of carat's.

use std::collections::BTreeSet;

use crate::algorithms::algorithm::Choice;
use crate::algorithms::declaration::FaithfulTo;
use crate::algorithms::explanation::Explanation;
use crate::algorithms::parameters::Values;
use crate::datasets::load::Loading;
use crate::datasets::{DatasetError, Halt};
use crate::page::Page;
use crate::page::tree::NodeId;
use crate::runs::configuration::{AlgorithmRequest, Configuration, RequestError};
use crate::runs::described::Described;
use crate::runs::explaining::{ExplainError, Explaining, Told};
use crate::runs::kind::{Asked, Extraction, Kind, OnPage, Prepared, Preparing, RowExtraction};
use crate::runs::kinds::{described, drop_readers_of_gold, faithful_to, single_row};
use crate::runs::plan::Plan;
use crate::runs::summary::run_in_memory;
use crate::runs::system::{Row, System};
use crate::runs::times::measure;

const NAME: &str = "shouted-title";

const DESCRIBED: [Described; 1] = [Described {
    name: NAME,
    title: "the title in capitals",
    source: "ours",
    faithful_to: FaithfulTo::Variant,
    cost: "O(nodes)",
    reads_gold: None,
    notes: &[],
    written: "algorithms: [shouted-title]",
    example: "<title>a</title>: A",
    parameters: Vec::new,
}];

/// The title of a page in capitals.
struct ShoutedTitle;

fn shouted(page: &Page) -> Choice {
    let tree = &page.tree;
    let is_title = |id: &NodeId| tree.parent(*id).is_some_and(|parent| &**tree.name(parent) == "title");
    let title: String = tree.ids().filter(|&id| tree.is_text(id)).filter(is_title).map(|id| tree.text(id)).collect();
    Choice::Text(title.to_uppercase())
}

impl System for ShoutedTitle {
    fn name(&self) -> &str {
        NAME
    }

    fn values(&self) -> Values {
        Values::new()
    }

    fn differs(&self) -> Vec<String> {
        Vec::new()
    }

    fn identity(&self) -> String {
        NAME.to_owned()
    }

    fn line(&self, _: usize, _: &BTreeSet<Option<String>>) -> String {
        "a test".to_owned()
    }

    fn is_timed(&self) -> bool {
        true
    }

    fn explain(&self, on: &Explaining<'_>) -> Result<Told, ExplainError> {
        Ok(Told::new((shouted(on.page), Explanation::default())))
    }
}

/// The kind of it.
pub(super) struct ShoutedTitles;

impl Kind for ShoutedTitles {
    fn makes(&self, row: &Row) -> bool {
        row.of::<ShoutedTitle>().is_some()
    }

    fn described(&self) -> &'static [Described] {
        &DESCRIBED
    }

    fn asked(&self, request: &AlgorithmRequest, _: Loading) -> Option<Result<Asked, RequestError>> {
        let rows = || vec![Row::new(ShoutedTitle, Vec::new())];
        (request.name == NAME).then(|| Ok(Asked { rows: rows(), sweeps: Vec::new() }))
    }

    fn prepare<'p>(&self, own: Preparing<'p>) -> Result<Box<dyn Prepared + 'p>, Halt> {
        Ok(Box::new(Shouting(own.rows.iter().map(|&(place, _)| place).collect())))
    }
}

/// The places of its rows in the plan.
struct Shouting(Vec<usize>);

impl Prepared for Shouting {
    fn extract(&self, on: &OnPage<'_>) -> Result<Vec<RowExtraction>, DatasetError> {
        let page = on.page.into_iter();
        let all = page.flat_map(|page| self.0.iter().map(|&place| (place, Extraction::Chosen(shouted(page)))));
        Ok(all.map(|(place, extraction)| RowExtraction::new(place, extraction)).collect())
    }
}

fn configuration() -> Configuration {
    let text = "datasets: [portals]\nwhere: {language: en}\nalgorithms: [shouted-title, all-text, {combine: {members: \
                [all-text, shouted-title], rule: union}}]\nbounds: [oracle-member]\n";
    Configuration::from_yaml("shouted.yaml", text).unwrap()
}

#[test]
fn a_kind_that_nothing_else_knows_is_configured_planned_run_and_combined() {
    let plan = Plan::new(configuration()).unwrap();
    let (summary, _) = run_in_memory(&plan).unwrap();
    let row = |name: &str| summary.rows.iter().find(|row| row.algorithm == name).unwrap();
    let (shouted, all) = (row(NAME), row("all-text"));
    assert_eq!((shouted.pages, shouted.failed, shouted.not_run, shouted.system.as_str()), (all.pages, 0, 0, "a test"));
    // Capitals match next to nothing of a gold in small letters.
    assert!(shouted.aggregates.macro_.f1 > 0.0 && shouted.aggregates.macro_.f1 < 0.1);
    let union = row("union(all-text+shouted-title)");
    assert_eq!((union.failed, union.not_run, union.degraded), (0, 0, 0));
    assert!(row("oracle-member").aggregates.macro_.f1 >= all.aggregates.macro_.f1);
}

#[test]
fn it_is_listed_timed_explained_and_kept_where_readers_of_gold_are_left_out() {
    assert!(described().any(|other| other.name == NAME));
    assert_eq!(faithful_to(NAME), Some(FaithfulTo::Variant));
    let mut configuration = configuration();
    assert!(drop_readers_of_gold(&mut configuration).unwrap().is_empty());
    let plan = Plan::new(configuration).unwrap();
    assert!(measure(&plan).unwrap().iter().any(|times| times.algorithm == NAME));
    let row = single_row(&AlgorithmRequest::plain(NAME), Loading::default()).unwrap();
    let page = Page::new(b"<title>a</title><p>b", Default::default()).unwrap().into();
    let told = row.system.explain(&Explaining { page: &page, place: None, name: "x" }).unwrap();
    assert_eq!(told.choice.text(&page), "A");
}
