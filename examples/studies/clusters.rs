//! How the clusters of `istm` and the sites of a dataset agree, over cuts of the similarity: clusters, pages alone in
//! one, the adjusted Rand index by site, and purity (the share of pages that are of their cluster's commonest site).
//!
//! `cargo run --release --example clusters -- daniel --language zh attributes=all linkage=complete`
//! The words behind the dataset are parameters of `istm` that concern structure and linkage.

use std::collections::BTreeMap;
use std::sync::Arc;

use carat::algorithms::features::clusters::{Clusters, StructureParameters};
use carat::algorithms::group::Pages;
use carat::algorithms::value::Value;
use carat::datasets::Dataset;
use carat::datasets::locate::locate;
use carat::page::Page;

/// The pages that are clustered.
struct Chosen {
    dataset: Dataset,
    /// Their places in the dataset.
    indexes: Vec<usize>,
}

impl Pages for Chosen {
    fn len(&self) -> usize {
        self.indexes.len()
    }

    fn page(&self, index: usize) -> Option<Arc<Page>> {
        let record = self.dataset.records.get(self.indexes[index]).ok()?;
        self.dataset.open_page(&record).ok().map(Arc::new)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let language = arguments.iter().position(|argument| argument == "--language");
    let language = language.and_then(|at| arguments.drain(at..arguments.len().min(at + 2)).nth(1));
    let name = arguments.first().ok_or("name a dataset, such as portals")?;
    let mut parameters = serde_json::to_value(StructureParameters::default())?;
    for argument in &arguments[1..] {
        let (key, value) = argument.split_once('=').ok_or("parameters are written PARAMETER=VALUE")?;
        *parameters.get_mut(key).ok_or_else(|| format!("structures have no parameter `{key}`"))? = value.into();
    }
    let parameters: StructureParameters = serde_json::from_value(parameters)?;

    let dataset = locate(name)?;
    let (mut indexes, mut sites) = (Vec::new(), Vec::new());
    for (index, record) in dataset.records.iter().enumerate() {
        let record = record?;
        if language.is_none() || record.language == language {
            indexes.push(index);
            sites.push(record.site.clone().unwrap_or_else(|| record.id.clone()));
        }
    }
    let pages = Chosen { dataset, indexes };
    let clusters = Clusters::new(&pages, &parameters)?;
    let heights = clusters.heights();
    let mut distinct = heights.clone();
    distinct.dedup();
    println!(
        "{} pages, {} distinct subtrees, {} merges at {} heights",
        pages.len(),
        clusters.subtrees(),
        heights.len(),
        distinct.len()
    );
    println!("similarity clusters alone    ARI purity");
    for cut in ["0.05", "0.3", "0.5", "0.7", "0.8", "0.9", "0.95", "1"] {
        let least: Value = cut.parse()?;
        let numbers: Vec<usize> = (0..pages.len()).map(|page| clusters.number(page, least)).collect();
        let agreement = Agreement::new(&numbers, &sites);
        let Agreement { clusters, alone, index, purity } = agreement;
        println!("{cut:>10} {clusters:>8} {alone:>5} {index:>6.3} {purity:>6.3}");
    }
    Ok(())
}

/// How clusters and sites agree.
struct Agreement {
    clusters: usize,
    alone: usize,
    /// The adjusted Rand index.
    index: f64,
    purity: f64,
}

impl Agreement {
    fn new(clusters: &[usize], sites: &[String]) -> Self {
        let by_cluster = counts(clusters.iter());
        let by_both = counts(clusters.iter().zip(sites));
        let pairs = |count: &usize| (count * count.saturating_sub(1) / 2) as f64;
        let of_clusters: f64 = by_cluster.values().map(pairs).sum();
        let of_sites: f64 = counts(sites.iter()).values().map(pairs).sum();
        let of_both: f64 = by_both.values().map(pairs).sum();
        let expected = of_clusters * of_sites / pairs(&sites.len()).max(1.0);
        let most = (of_clusters + of_sites) / 2.0;
        let index = if most == expected { 1.0 } else { (of_both - expected) / (most - expected) };
        let mut commonest: BTreeMap<&usize, usize> = BTreeMap::new();
        for (&(cluster, _), &count) in &by_both {
            let most = commonest.entry(cluster).or_default();
            *most = count.max(*most);
        }
        let alone = by_cluster.values().filter(|&&count| count == 1).count();
        let purity = commonest.values().sum::<usize>() as f64 / sites.len().max(1) as f64;
        Agreement { clusters: by_cluster.len(), alone, index, purity }
    }
}

/// How often each thing occurs.
fn counts<T: Ord>(things: impl Iterator<Item = T>) -> BTreeMap<T, usize> {
    let mut counts = BTreeMap::new();
    things.for_each(|thing| *counts.entry(thing).or_default() += 1);
    counts
}
