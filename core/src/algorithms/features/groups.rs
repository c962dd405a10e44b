//! The groups that pages are learnt from: a site's pages together, or those of the dataset cluster by cluster.

use std::sync::Arc;

use rustc_hash::FxHashMap;
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
    /// For each page the place of its group.
    of_page: Vec<usize>,
    /// The pages of each group, in order, and what was learnt of them.
    groups: Vec<(Vec<usize>, T)>,
}

impl<T> Groups<T> {
    /// Hands `learn` the pages of each group, one group after the other.
    ///
    /// # Errors
    /// A sentence: there are more pages than can be clustered.
    pub fn learn(pages: &dyn Pages, group: Group, learn: impl Fn(&dyn Pages) -> T) -> Result<Self, String> {
        if group == Group::Site {
            return Ok(Groups {
                of_page: vec![0; pages.len()],
                groups: vec![((0..pages.len()).collect(), learn(pages))],
            });
        }
        let numbers = Clusters::new(pages, &StructureParameters::default())?.numbers(CUT);
        let (mut of_page, mut indexes, mut known) = (Vec::new(), Vec::<Vec<usize>>::new(), FxHashMap::default());
        for (page, number) in numbers.into_iter().enumerate() {
            let place = *known.entry(number).or_insert(indexes.len());
            indexes.resize(indexes.len().max(place + 1), Vec::new());
            indexes[place].push(page);
            of_page.push(place);
        }
        let learn = |indexes: Vec<usize>| {
            let members = Members { pages, indexes };
            let learned = learn(&members);
            (members.indexes, learned)
        };
        Ok(Groups { of_page, groups: indexes.into_iter().map(learn).collect() })
    }

    /// What was learnt of the group of a page.
    pub fn of(&self, page: usize) -> &T {
        &self.groups[self.of_page[page]].1
    }

    /// Whether the page at `own` is alone in its group.
    pub fn is_alone(&self, own: usize) -> bool {
        self.groups[self.of_page[own]].0.len() == 1
    }

    /// The pages of the group of the page at `own`, in order, and its place among them.
    pub fn around(&self, own: usize) -> (&[usize], usize) {
        let pages = &self.groups[self.of_page[own]].0;
        (pages, pages.partition_point(|&page| page < own))
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
        assert_eq!(site.around(3), (&[0, 1, 2, 3, 4][..], 3));
        let clusters = Groups::learn(&pages.as_slice(), Group::Cluster, texts).unwrap();
        let sizes = [0, 1, 2, 3, 4].map(|page| clusters.of(page).len());
        assert_eq!(sizes, [3, 1, 3, 1, 3]);
        // The document, html, head, body, p and its text, at each place of the group.
        assert_eq!(clusters.of(2), &[6, 16, 26]);
        assert_eq!(clusters.around(4), (&[0, 2, 4][..], 2));
        assert_eq!([0, 1, 2, 3, 4].map(|page| clusters.is_alone(page)), [false, true, false, true, false]);
    }
}
