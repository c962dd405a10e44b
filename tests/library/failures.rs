//! An algorithm that panics fails its own rows on that page, and nothing else.

use std::path::Path;
use std::sync::Arc;

use carat::algorithms::algorithm::{AnyPageAlgorithm, Choice, PageAlgorithm};
use carat::algorithms::declaration::{Declaration, FaithfulTo, Swept, no_resources};
use carat::algorithms::floors::NoParameters;
use carat::algorithms::group::{AnyGroupAlgorithm, GroupAlgorithm, Pages, Scope, Target};
use carat::algorithms::parameters::{ParameterKind, Values};
use carat::algorithms::value::Value;
use carat::algorithms::{Entry, find};
use carat::datasets::Halt;
use carat::page::Page;
use carat::runs::configuration::{AlgorithmRequest, Configuration, NamedRequest};
use carat::runs::execute::{Unit, execute};
use carat::runs::own::OwnAlgorithm;
use carat::runs::plan::Plan;
use carat::runs::results::{Results, collect};
use carat::runs::summary::run_in_memory;
use carat::runs::system::{ExactSweep, Row};
use carat::runs::units::Units;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const fn declaration(name: &'static str) -> Declaration {
    Declaration {
        name,
        title: "panics",
        source: "a test",
        faithful_to: FaithfulTo::Variant,
        languages: "any",
        cost: "none",
        swept: &[],
        examples: &[],
        floor: false,
        resources: no_resources,
    }
}

/// A threshold that nothing depends on.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Threshold {
    #[schemars(extend("from" = "0", "to" = "1"))]
    threshold: Value,
}

impl Default for Threshold {
    fn default() -> Self {
        Threshold { threshold: Value::ZERO }
    }
}

/// Panics on English pages.
struct PanicsOnEnglish;

impl PageAlgorithm for PanicsOnEnglish {
    type Parameters = Threshold;
    type Prepared<'p> = ();
    const DECLARATION: Declaration =
        Declaration { swept: &[Swept::exact("threshold", "0..1/0.5")], ..declaration("panics-on-english") };

    fn swept<'p>(parameters: &'p mut Threshold, name: &str) -> Option<&'p mut Value> {
        (name == "threshold").then_some(&mut parameters.threshold)
    }

    fn prepare(&self, page: &Page, _: &Threshold) {
        assert_ne!(page.primary_language().as_deref(), Some("en"), "no English, please");
    }

    fn choose(&self, (): &(), _: &Threshold) -> Choice {
        Choice::Text("text".to_owned())
    }

    fn break_points(&self, (): &(), _: &Threshold, _: &str) -> Vec<Value> {
        Vec::new()
    }
}

/// Panics while it learns.
struct PanicsWhileLearning;

impl GroupAlgorithm for PanicsWhileLearning {
    type Parameters = NoParameters;
    type Learned = ();
    type Prepared<'p> = ();
    const DECLARATION: Declaration = declaration("panics-while-learning");

    fn scope(_: &NoParameters) -> Scope {
        Scope::Site
    }

    fn learn(&self, pages: &dyn Pages, _: &NoParameters) -> Result<(), String> {
        let page: Option<Arc<Page>> = pages.page(0);
        assert!(page.is_none(), "nothing to learn");
        Ok(())
    }

    fn prepare(&self, (): &(), _: Target<'_>, _: &NoParameters) {}

    fn choose(&self, (): &mut (), _: &NoParameters) -> Result<Choice, String> {
        Ok(Choice::Text(String::new()))
    }
}

/// Runs `plan` in `folder`.
fn run(plan: &Plan, folder: &Path) -> Results {
    let units = Units::new(folder, plan, "", true).unwrap();
    let write = |unit: &Unit<'_>| {
        let (dataset, record) = unit.page();
        let (outcome, texts) = unit.run()?;
        units.write(dataset, record, &outcome, &texts).unwrap();
        Ok::<_, Halt>(())
    };
    execute(plan, &write).unwrap();
    collect(plan, &units, folder).unwrap()
}

fn english_pages(plan: &Plan) -> usize {
    plan.datasets[0].records.iter().filter(|record| record.as_ref().unwrap().language.as_deref() == Some("en")).count()
}

fn row(algorithm: Entry) -> Row {
    let setting = algorithm.setting(&Values::new()).unwrap();
    Row::new(OwnAlgorithm { algorithm, setting }, Vec::new())
}

#[test]
fn other_rows_of_the_page_are_as_ever() {
    let configuration = Configuration {
        datasets: vec![NamedRequest::from_argument("portals")],
        algorithms: vec![AlgorithmRequest::from_argument("all-text").unwrap()],
        ..Configuration::default()
    };
    let mut plan = Plan::new(configuration).unwrap();
    let alone = run_in_memory(&plan).unwrap().0.rows.remove(0);
    let page: &'static dyn AnyPageAlgorithm = &PanicsOnEnglish;
    let group: &'static dyn AnyGroupAlgorithm = &PanicsWhileLearning;
    plan.rows = vec![row(Entry::Page(page)), row(find("all-text").unwrap()), row(Entry::Group(group))];
    let folder = tempfile::tempdir().unwrap();
    let Results { summary, failures, .. } = run(&plan, folder.path());
    let failed: Vec<usize> = summary.rows.iter().map(|row| row.failed).collect();
    let (english, pages) = (english_pages(&plan), plan.pages());
    assert_eq!(failed, [english, 0, pages]);
    assert_eq!(summary.rows[1].aggregates, alone.aggregates);
    // A failed page's gold still counts where counts are pooled.
    assert_eq!(summary.rows[2].aggregates.micro.recall, 0.0);

    assert_eq!(failures.len(), english + pages);
    let told = failures.iter().find(|failure| failure.page == "en-news-1-0001").unwrap();
    assert_eq!(told.algorithm.as_deref(), Some("panics-on-english"));
    assert!(told.reason.contains("no English, please"), "{}", told.reason);
    let scores = std::fs::read_to_string(folder.path().join("scores.csv")).unwrap();
    assert_eq!(scores.lines().filter(|line| line.contains(",failed,")).count(), english + pages);
}

#[test]
fn a_panic_in_an_exact_sweep_is_told() {
    let configuration = Configuration {
        datasets: vec![NamedRequest::from_argument("portals")],
        algorithms: vec![AlgorithmRequest::from_argument("cevc:alpha=exact").unwrap()],
        ..Configuration::default()
    };
    let mut plan = Plan::new(configuration).unwrap();
    let algorithm: &'static dyn AnyPageAlgorithm = &PanicsOnEnglish;
    let range = ParameterKind::Decimal { from: Value::ZERO, to: Value::ONE, below: false };
    let (setting, parameter) = (algorithm.setting(&Values::new()).unwrap(), "threshold".to_owned());
    let row = Row::new(OwnAlgorithm { algorithm: Entry::Page(algorithm), setting }, Vec::new());
    plan.sweeps = vec![ExactSweep { row, parameter, range, default: "0".to_owned() }];
    let folder = tempfile::tempdir().unwrap();
    let Results { curves, failures, .. } = run(&plan, folder.path());
    assert_eq!(curves[0].pieces.len(), 1);
    assert_eq!(failures.len(), english_pages(&plan));
}
