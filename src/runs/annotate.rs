//! Gold nodes for gold texts: of each page the set of text nodes that yields the gold best.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::datasets::import::write::{Layout, write_with_nodes};
use crate::datasets::manifest::{GoldSource, Record};
use crate::datasets::node_gold::GoldNodes;
use crate::datasets::node_tokens::{LEAST_F1, best_for_gold};
use crate::datasets::{Dataset, DatasetError};
use crate::page::Page;
use crate::page::selection::Selection;
use crate::scoring::{Counts, ratio};

/// What annotating a dataset came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotated {
    /// Pages of which nodes were found.
    pub pages: usize,
    /// Those of them whose nodes have the very characters of the gold.
    pub exact: usize,
    /// The sum of their F1, in units of 1e-12.
    pub f1_sum: u128,
    /// Pages whose F1 is below 0.95, the lowest first: F1 as [`GoldNodes::f1`], and the id.
    pub low: Vec<([u64; 2], String)>,
    /// Those of the pages whose gold named roles, in an annotated copy: text and nodes stand in its place, without them.
    pub without_roles: usize,
    /// Pages of which no nodes were found, by id, and why.
    pub left: Vec<(String, String)>,
    /// The digest of the dataset that was written.
    pub digest: String,
}

/// Writes `dataset` to `folder` with gold nodes beside every gold text: those of the set with the greatest F1 (`oracle-nodes`), their
/// F1 as a fraction, and the digest of the text in which they count. Pages whose gold is made from their own nodes, and those without gold,
/// stay as they are; roles that an annotated copy names are lost. The result does not depend on threads.
///
/// # Errors
/// [`DatasetError`]: a page that cannot be read, or a file that cannot be written.
pub fn annotate(dataset: &Dataset, folder: &Path, layout: Layout<'_>) -> Result<Annotated, DatasetError> {
    let mut annotated = dataset.clone();
    annotated.manifest.version = dataset.manifest.marked_version("-nodes");
    annotated.manifest.digest = None;
    let found = Mutex::new(Annotated::default());
    let find = |record: &Record| {
        let nodes = found_nodes(dataset, record);
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        match nodes {
            Ok((nodes, f1)) => {
                found.add(&record.id, f1);
                found.without_roles += usize::from(record.gold.as_ref().is_some_and(GoldSource::loses_roles_to_nodes));
                Some(nodes)
            }
            Err(reason) => {
                found.left.push((record.id.clone(), reason));
                None
            }
        }
    };
    let digest = write_with_nodes(&annotated, folder, layout, &find)?;
    dataset.refuse_unread()?;
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.low.sort_by(|(one, id), (other, other_id)| {
        (ratio(one[0], one[1]), id.as_str()).cmp(&(ratio(other[0], other[1]), other_id.as_str()))
    });
    found.left.sort_unstable();
    Ok(Annotated { digest, ..found })
}

impl Annotated {
    fn add(&mut self, page: &str, f1: [u64; 2]) {
        self.pages += 1;
        self.exact += usize::from(f1[0] == f1[1]);
        let share = ratio(f1[0], f1[1]);
        self.f1_sum += u128::from(share);
        if share < LEAST_F1 {
            self.low.push((f1, page.to_owned()));
        }
    }

    /// The mean F1 over the pages, 0 to 1; 1 of none.
    pub fn mean_f1(&self) -> f64 {
        match self.pages {
            0 => 1.0,
            pages => self.f1_sum as f64 / pages as f64 / crate::scoring::ONE as f64,
        }
    }
}

/// Faults of a page, as its dataset names them, for which no text nodes come to its gold.
pub(super) const WITHOUT_GOLD_NODES: [&str; 3] = ["no_text", "gold_not_in_page", "misdecoded"];

/// The first of those faults that the page has.
pub(super) fn fault_without_nodes(record: &Record) -> Option<&str> {
    record.details().faults.iter().map(String::as_str).find(|fault| WITHOUT_GOLD_NODES.contains(fault))
}

/// The nodes that yield the page's gold text best, and their F1 as a fraction. An error is a sentence.
fn found_nodes(dataset: &Dataset, record: &Record) -> Result<(GoldNodes, [u64; 2]), String> {
    let opened = dataset.open(record)?;
    let gold = opened.gold.as_deref().unwrap_or_default();
    let (best, counts) = best_for_gold(&opened.page, gold).map_err(|error| error.to_string())?;
    let Counts { matched, extracted, gold } = counts;
    let f1 = if extracted + gold == 0 { [1, 1] } else { [2 * matched, extracted + gold] };
    match fault_without_nodes(record) {
        Some(fault) if 2 * f1[0] < f1[1] => Err(format!(
            "the dataset says that it is faulty, `{fault}`: its text nodes do not hold its gold, and the best of them come to \
             F1 {:.4}",
            f1[0] as f64 / f1[1] as f64
        )),
        _ => Ok(with_f1(&opened.page, &best, f1)),
    }
}

fn with_f1(page: &Page, best: &Selection, f1: [u64; 2]) -> (GoldNodes, [u64; 2]) {
    (GoldNodes { f1: Some(f1), ..GoldNodes::of(&page.tree, best) }, f1)
}
