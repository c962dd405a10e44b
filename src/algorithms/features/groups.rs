//! The groups that pages are learnt from: a site's pages together, or those of the dataset cluster by cluster.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::clusters::{Clusters, StructureParameters};
use crate::algorithms::group::{Pages, Scope};
use crate::algorithms::value::Value;
use crate::page::Page;

/// Which pages are a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// Those of a site.
    Site,
    /// Those of a cluster that `istm` finds by its defaults.
    Cluster,
}

impl Group {
    /// Which pages an algorithm has to see together.
    pub fn scope(self) -> Scope {
        match self {
            Group::Site => Scope::Site,
            Group::Cluster => Scope::Dataset,
        }
    }
}

/// Where the clusters of `istm` are cut unless it is told otherwise.
const CUT: Value = Value::hundredths(50);

/// What was learnt of each group of pages.
pub struct Groups<T> {
    /// `None` where all pages are one group.
    clusters: Option<Clusters>,
    /// By the number of its cluster, or 0.
    learned: BTreeMap<usize, T>,
}

impl<T> Groups<T> {
    /// Hands `learn` the pages of each group, one group after the other.
    ///
    /// # Errors
    /// A sentence: there are more pages than can be clustered.
    pub fn learn(pages: &dyn Pages, group: Group, learn: impl Fn(&dyn Pages) -> T) -> Result<Self, String> {
        let clusters = match group {
            Group::Site => None,
            Group::Cluster => Some(Clusters::new(pages, &StructureParameters::default())?),
        };
        let Some(clusters) = clusters else {
            return Ok(Groups { clusters: None, learned: BTreeMap::from([(0, learn(pages))]) });
        };
        let mut learned = BTreeMap::new();
        for page in 0..pages.len() {
            let number = clusters.number(page, CUT);
            let indexes = || clusters.pages(number);
            learned.entry(number).or_insert_with(|| learn(&Members { pages, indexes: indexes() }));
        }
        Ok(Groups { clusters: Some(clusters), learned })
    }

    /// What was learnt of the group of a page.
    pub fn of(&self, page: usize) -> &T {
        let number = self.clusters.as_ref().map_or(0, |clusters| clusters.number(page, CUT));
        &self.learned[&number]
    }

    /// Whether the page at `own` is alone in its cluster; of a site that is not asked, for it is counted.
    pub fn is_alone(&self, own: usize) -> bool {
        self.clusters.as_ref().is_some_and(|clusters| clusters.size(clusters.number(own, CUT)) == 1)
    }

    /// The pages of the group of the page at `own`, in order, and its place among them; `all` is how many pages there
    /// are.
    pub fn around(&self, own: usize, all: usize) -> (Vec<usize>, usize) {
        let pages = match &self.clusters {
            None => (0..all).collect(),
            Some(clusters) => clusters.pages(clusters.number(own, CUT)),
        };
        let place = pages.partition_point(|&page| page < own);
        (pages, place)
    }
}

/// Some pages among others.
struct Members<'p> {
    pages: &'p dyn Pages,
    /// Their places among all, in order.
    indexes: Vec<usize>,
}

impl Pages for Members<'_> {
    fn len(&self) -> usize {
        self.indexes.len()
    }

    fn page(&self, index: usize) -> Option<Arc<Page>> {
        self.pages.page(self.indexes[index])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Context;

    #[test]
    fn groups_are_all_pages_or_clusters() {
        let page = |html: &&str| Arc::new(Page::new(html.as_bytes(), Context::default()).unwrap());
        let pages: Vec<Arc<Page>> = ["<p>a", "<b>b", "<p>c", "<frameset>", "<p>d"].iter().map(page).collect();
        let texts = |pages: &dyn Pages| -> Vec<usize> {
            let mut nodes = Vec::new();
            pages.for_each(|index, page| nodes.push(10 * index + page.tree.len()));
            nodes
        };
        let site = Groups::learn(&pages.as_slice(), Group::Site, texts).unwrap();
        assert_eq!((site.of(0).len(), site.of(3).len()), (5, 5));
        assert_eq!(site.around(3, 5), (vec![0, 1, 2, 3, 4], 3));
        let clusters = Groups::learn(&pages.as_slice(), Group::Cluster, texts).unwrap();
        let sizes = [0, 1, 2, 3, 4].map(|page| clusters.of(page).len());
        assert_eq!(sizes, [3, 1, 3, 1, 3]);
        // The document, html, head, body, p and its text, at each place of the group.
        assert_eq!(clusters.of(2), &[6, 16, 26]);
        assert_eq!(clusters.around(4, 5), (vec![0, 2, 4], 2));
        assert_eq!([0, 1, 2, 3, 4].map(|page| clusters.is_alone(page)), [false, true, false, true, false]);
    }
}
