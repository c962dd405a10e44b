//! The whole way of a page: reading, decoding, parsing, choosing, rendering and scoring. Parsing alone
//! stands beside its peer in `benches/parsing.rs`.
//!
//! `cargo bench --bench pages`; the pages are those of `daniel` where `CARAT_CORPORA` names the
//! corpora, else the embedded ones. One thread each.

use carat::datasets::locate::{EMBEDDED, corpora};
use carat::runs::configuration::{AlgorithmRequest, Configuration, NamedRequest};
use carat::runs::plan::Plan;
use carat::runs::summary::run_in_memory;
use divan::Bencher;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

fn name() -> &'static str {
    let has_daniel = corpora().is_some_and(|folder| folder.join("daniel").is_dir());
    if has_daniel { "daniel" } else { EMBEDDED }
}

/// Reading, decoding, parsing, choosing, rendering and scoring, on one thread.
fn run(bencher: Bencher<'_, '_>, algorithms: &[&str]) {
    let configuration = Configuration {
        datasets: vec![NamedRequest::from_argument(name())],
        algorithms: algorithms
            .iter()
            .map(|algorithm| AlgorithmRequest::from_argument(algorithm).expect("the request is valid"))
            .collect(),
        ..Configuration::default()
    };
    let plan = Plan::new(configuration).expect("the plan is valid");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread can be started");
    let pages = ItemsCount::new(plan.pages());
    bencher.counter(pages).bench(|| pool.install(|| run_in_memory(&plan).expect("the pages are there")));
}

#[divan::bench(sample_count = 5)]
fn run_nta_with_41_values(bencher: Bencher<'_, '_>) {
    run(bencher, &["nta:coherence=0.6..1.0/0.01"]);
}

#[divan::bench(sample_count = 5)]
fn run_cevc_with_41_values(bencher: Bencher<'_, '_>) {
    run(bencher, &["cevc:alpha=0..1/0.025"]);
}

#[divan::bench(sample_count = 5)]
fn run_the_papers_sweeps_and_floors(bencher: Bencher<'_, '_>) {
    let floors = ["all-text", "nonlink-text", "largest-p-parent", "semantic"];
    run(bencher, &[&floors[..], &["nta:coherence=0.6..1.0/0.05", "cevc:alpha=0..1/0.05"]].concat());
}
