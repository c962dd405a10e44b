//! Algorithms that look at several pages: what rows share, and pages that nobody wrote to be compared.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use carat::algorithms::algorithm::{Choice, Setting};
use carat::algorithms::declaration::{Declaration, FaithfulTo, Swept, no_resources};
use carat::algorithms::group::{AnyGroupAlgorithm, GroupAlgorithm, Pages, Scope, Target};
use carat::algorithms::parameters::Values;
use carat::algorithms::value::Value;
use carat::algorithms::{ALGORITHMS, Entry, find};
use carat::page::{Context, Page};
use carat::runs::configuration::{AlgorithmRequest, Configuration, NamedRequest};
use carat::runs::own::OwnAlgorithm;
use carat::runs::plan::Plan;
use carat::runs::summary::run_in_memory;
use carat::runs::system::Row;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

static LEARNT: AtomicUsize = AtomicUsize::new(0);

/// Says of each page how many its group has, as often as it is told.
struct SizeOfGroup;

/// Parameters of [`SizeOfGroup`].
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
struct Sizes {
    /// swept
    times: Value,
    /// not swept
    by_site: bool,
}

impl Default for Sizes {
    fn default() -> Self {
        Sizes { times: Value::ONE, by_site: false }
    }
}

impl GroupAlgorithm for SizeOfGroup {
    type Parameters = Sizes;
    type Learned = usize;
    type Prepared<'p> = String;
    const DECLARATION: Declaration = Declaration {
        name: "size-of-group",
        title: "a test",
        source: "a test",
        faithful_to: FaithfulTo::Variant,
        languages: "any",
        cost: "none",
        swept: &[Swept::on_grid("times", "1..3/1")],
        examples: &[],
        floor: false,
        resources: no_resources,
    };

    fn scope(parameters: &Sizes) -> Scope {
        if parameters.by_site { Scope::Site } else { Scope::Dataset }
    }

    fn learn(&self, pages: &dyn Pages, _: &Sizes) -> Result<usize, String> {
        LEARNT.fetch_add(1, Ordering::Relaxed);
        Ok(pages.len())
    }

    fn prepare(&self, learned: &usize, target: Target<'_>, _: &Sizes) -> String {
        // The target is the page at its place.
        let again = target.pages.page(target.index).unwrap();
        assert_eq!((again.facts.bytes, again.site()), (target.page.facts.bytes, target.page.site()));
        format!("{learned} ")
    }

    fn choose(&self, size: &mut String, parameters: &Sizes) -> Result<Choice, String> {
        Ok(Choice::Text(size.repeat(parameters.times.to_f64() as usize)))
    }
}

#[test]
fn rows_that_differ_in_swept_parameters_learn_once() {
    let mut plan = Plan::new(Configuration {
        datasets: vec![NamedRequest::from_argument("portals")],
        algorithms: vec![AlgorithmRequest::from_argument("all-text").unwrap()],
        ..Configuration::default()
    })
    .unwrap();
    let sites = run_in_memory(&plan).unwrap().0.rows[0].groups["site"].len();
    let algorithm: &'static dyn AnyGroupAlgorithm = &SizeOfGroup;
    let row = |times: &str, by_site: bool| {
        let values: Values =
            [("times".to_owned(), times.into()), ("by_site".to_owned(), by_site.into())].into_iter().collect();
        let setting = algorithm.setting(&values).unwrap();
        Row::new(OwnAlgorithm { algorithm: Entry::Group(algorithm), setting }, Vec::new())
    };
    plan.rows = vec![row("1", false), row("2", true), row("3", false), row("1", true)];
    let (summary, _) = run_in_memory(&plan).unwrap();
    assert!(summary.rows.iter().all(|row| row.failed == 0));
    assert_eq!(LEARNT.load(Ordering::Relaxed), 1 + sites);
}

#[test]
fn pages_are_alone_on_their_site_or_in_the_cluster_that_a_row_found() {
    // Two sites: the second has three pages of unlike structure, one of which is like the only page of the first.
    let pages = [
        ("one", "<p>a</p><p>b</p>"),
        ("two", "<p>c</p><p>d</p>"),
        ("two", "<ul><li>e</ul>"),
        ("two", "<ol><li>f</ol>"),
    ];
    let record = |(number, (site, html)): (usize, &(&str, &str))| {
        let page = serde_json::json!({"id": format!("p{number}"), "html": {"text": html}, "gold": {"text": "a"}, "site": site});
        format!("{page}\n")
    };
    let folder = tempfile::tempdir().unwrap();
    let list: String = pages.iter().enumerate().map(record).collect();
    let manifest = "format: 1\nname: d\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
    std::fs::write(folder.path().join("dataset.yaml"), manifest).unwrap();
    std::fs::write(folder.path().join("pages.jsonl"), list).unwrap();
    let specs = ["dse", "dse:group=cluster", "sst:group=cluster", "istm", "istm:similarity=0", "nta"];
    let plan = Plan::new(Configuration {
        datasets: vec![NamedRequest::from_argument(folder.path().to_str().unwrap())],
        algorithms: specs.map(|spec| AlgorithmRequest::from_argument(spec).unwrap()).to_vec(),
        ..Configuration::default()
    })
    .unwrap();
    let summary = run_in_memory(&plan).unwrap().0;
    let alone: Vec<Option<usize>> = summary.rows.iter().take(specs.len()).map(|row| row.alone).collect();
    assert_eq!(alone, [Some(1), Some(2), Some(2), Some(2), Some(2), None]);
    let sites: Vec<&String> = summary.rows[0].groups["site"].keys().collect();
    assert_eq!(sites, ["one", "two"]);
}

/// Nests and lists as long as hostile pages have them, each in two that differ in the middle.
fn hostile_pages() -> Vec<Arc<Page>> {
    let nests =
        ["<div>", "<p>x", "<b>", "<table><tr><td>", "<li>a<b>b</b>", "x<br>", "<i>a</i>", "<svg><g>", "<option>a"];
    let mut html = vec![String::new(), "<frameset>".to_owned()];
    for nest in nests {
        html.push(nest.repeat(20_000));
        html.push(format!("{}<u>y</u>{}", nest.repeat(9_000), nest.repeat(10_000)));
    }
    let attributes: String = (0..20_000).map(|i| format!(" a{i}=b")).collect();
    html.push(format!("<p{attributes}>x"));
    html.push(format!("<p class='{}'>x", "c ".repeat(20_000)));
    html.par_iter().map(|html| Arc::new(Page::new(html.as_bytes(), Context::default()).unwrap())).collect()
}

#[test]
fn any_pages_are_compared() {
    let pages = hostile_pages();
    let mut specs = Vec::new();
    for pairing in ["static", "live", "aligned", "path_text"] {
        specs.push(("istm", vec![("pairing", pairing), ("similarity", "0"), ("references", "inf")]));
        specs.push(("layout", vec![("match", pairing)]));
    }
    for attributes in ["all", "id_class", "none"] {
        specs.push(("istm", vec![("attributes", attributes), ("root", "branch"), ("sim_children", "elements_text")]));
    }
    for pairing in ["aligned", "path_text"] {
        specs.push(("dse", vec![("pairing", pairing), ("references", "inf")]));
    }
    for name in ["template-learned", "sst", "info-discoverer", "xiong-like"] {
        specs.extend(["site", "cluster"].map(|group| (name, vec![("group", group)])));
    }
    specs.push(("sst", vec![("attributes", "presentation"), ("rule", "self")]));
    specs.push(("info-discoverer", vec![("block_tags", "table_div"), ("threshold", "auto")]));
    specs.push(("xiong-like", vec![("lambda", "0"), ("drop", "0.5")]));
    specs.par_iter().for_each(|(name, values)| {
        let entry = find(name).unwrap();
        let values: Values = values.iter().map(|&(key, value)| (key.to_owned(), value.into())).collect();
        let setting: Setting = entry.setting(&values).unwrap();
        // Each page beside its neighbour, and all together.
        for first in 0..pages.len() {
            let pair = [pages[first].clone(), pages[(first + 1) % pages.len()].clone()];
            let Choice::Selection(selection) = entry.choose(&pair, &setting) else { panic!("{name}") };
            assert!(selection.fits(&pair[0].tree));
        }
        entry.choose(&pages, &setting);
    });
}

/// What each group algorithm sweeps exactly comes to at every value of a grid what a row of that value comes to.
#[test]
fn exact_sweeps_of_groups_equal_the_grid_at_every_grid_value() {
    let of_groups = ALGORITHMS.iter().filter(|entry| matches!(entry, Entry::Group(_)));
    let declared = of_groups.flat_map(|entry| {
        let Declaration { name, swept, .. } = entry.declaration();
        swept.iter().filter(|swept| swept.exact).map(move |swept| (*name, swept.parameter))
    });
    for (algorithm, swept) in declared {
        // These pages have no tables to cut by.
        let rest = if algorithm == "info-discoverer" { ",block_tags=table_div" } else { "" };
        let request = |values: &str| {
            let written = format!("{algorithm}:{swept}={values}{rest}");
            AlgorithmRequest::from_argument(&written).unwrap()
        };
        let configuration = Configuration {
            datasets: vec![NamedRequest::from_argument("portals")],
            filters: [("site".to_owned(), "calder-quay.example".to_owned())].into(),
            algorithms: vec![request("exact"), request("0..1/0.1")],
            ..Configuration::default()
        };
        let (summary, curves) = run_in_memory(&Plan::new(configuration).unwrap()).unwrap();
        assert_eq!(summary.rows.iter().filter(|row| !row.is_bound()).count(), 11, "{algorithm}");
        let mut distinct: Vec<f64> = curves[0].pieces.iter().map(|piece| piece.mean.f1).collect();
        distinct.dedup();
        assert!(distinct.len() > 2, "{algorithm}: {distinct:?}");
        for row in summary.rows.iter().filter(|row| !row.is_bound()) {
            let value: Value = row.parameters[swept].as_str().unwrap().parse().unwrap();
            let pieces: Vec<_> = curves[0].pieces.iter().filter(|piece| piece.contains(value)).collect();
            assert_eq!(pieces.len(), 1, "{algorithm} at {value}");
            assert_eq!(pieces[0].mean, row.aggregates.macro_, "{algorithm} at {value}");
        }
    }
}
