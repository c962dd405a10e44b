//! Pages clustered by their structure: clustered once, cut at any similarity.
//!
//! Of a page only the number of its structure is kept. Pages can be alike only where the signatures of their roots
//! are equal and some block right below the root has the same signature in both, so that pairs are compared within
//! such buckets alone, each pair of distinct structures once.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::merges::{Linkage, Triangle, merges};
use super::outline::{Children, Outline};
use super::similarity::{Similarities, WeightOrigin, Weights};
use super::subtrees::{Attributes, Labels, Subtrees};
use crate::algorithms::group::Pages;
use crate::algorithms::value::Value;
use crate::page::Page;

/// What a page's structure is and how structures are compared; the first value of each is the default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StructureParameters {
    /// the root of a page's structure: `branch` goes down from the body to the only child while there is one and it
    /// has children
    pub root: Root,
    /// which nodes are children; the paper's figures draw elements only
    pub sim_children: Children,
    /// which attributes tell nodes apart; the paper says attribute set
    pub attributes: Attributes,
    /// what the blocks right below the root weigh: those far from the middle more (formula 8), or all the same
    pub weights: Weights,
    /// the number of the first block in the weights: 1 is printed and contradicts the text
    pub weight_origin: WeightOrigin,
    /// how alike two clusters are; the paper says hierarchical clustering
    pub linkage: Linkage,
}

impl Default for StructureParameters {
    fn default() -> Self {
        StructureParameters {
            root: Root::Body,
            sim_children: Children::VisibleElements,
            attributes: Attributes::Names,
            weights: Weights::Contribution,
            weight_origin: WeightOrigin::Zero,
            linkage: Linkage::Average,
        }
    }
}

/// The root of a page's structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the words are explained at the field")]
pub enum Root {
    Body,
    Html,
    Branch,
}

/// The structures of pages, read one after the other.
pub struct Structures {
    parameters: StructureParameters,
    labels: Labels,
    subtrees: Subtrees,
    /// Each page's structure; `None` for one without a body, or one that failed.
    roots: Vec<Option<u32>>,
}

impl Structures {
    /// None of `pages` is read yet.
    pub fn new(pages: usize, parameters: &StructureParameters) -> Self {
        let (labels, subtrees) = (Labels::default(), Subtrees::default());
        Structures { parameters: parameters.clone(), labels, subtrees, roots: vec![None; pages] }
    }

    /// Reads the page at `index`.
    pub fn read(&mut self, index: usize, page: &Page) {
        let (tree, parameters) = (&page.tree, &self.parameters);
        let Some(body) = tree.body() else { return };
        let root = if parameters.root == Root::Html { tree.parent(body).unwrap_or(body) } else { body };
        let outline = Outline::new(tree, root, parameters.sim_children);
        let labels = &mut self.labels;
        let numbers = self.subtrees.intern(&outline, |id| labels.of(tree, id, parameters.attributes));
        let number = if parameters.root == Root::Branch { outline.branch() } else { 0 };
        self.roots[index] = Some(numbers[number as usize]);
    }

    /// Clusters the pages that were read.
    ///
    /// # Errors
    /// A sentence: more structures or pages can be alike than are compared.
    pub fn cluster(self) -> Result<Clusters, String> {
        let mut pages: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (index, root) in self.roots.iter().enumerate() {
            root.iter().for_each(|&root| pages.entry(root).or_default().push(index as u32));
        }
        let mut forest = Forest::new(self.roots.len());
        for same in pages.values() {
            // By twos, so that the way up from a page is short however many are the same.
            let mut firsts: Vec<u32> = same.clone();
            while firsts.len() > 1 {
                for pair in firsts.chunks_exact(2) {
                    forest.merge(Value::ONE, pair[0] as usize, pair[1] as usize);
                }
                firsts = firsts.into_iter().step_by(2).collect();
            }
        }
        for bucket in buckets(&self.subtrees, pages.keys().copied()) {
            self.check_size(&bucket, &pages)?;
            self.merge_bucket(bucket, &pages, &mut forest);
        }
        let Structures { parameters, subtrees, roots, .. } = self;
        Ok(Clusters { parameters, subtrees, roots, tree: forest.finish() })
    }

    fn check_size(&self, bucket: &[u32], pages: &BTreeMap<u32, Vec<u32>>) -> Result<(), String> {
        let count: usize = bucket.iter().map(|root| pages[root].len()).sum();
        if bucket.len() <= MOST_STRUCTURES && count <= MOST_PAGES {
            return Ok(());
        }
        let (label, blocks) = (self.subtrees.label(bucket[0]), self.subtrees.children(bucket[0]).len());
        Err(format!(
            "{count} pages of {} structures, with {blocks} blocks each below `{}`, are too many to be clustered (at most \
             {MOST_PAGES} pages of {MOST_STRUCTURES} structures); filter the dataset, or cluster each site by itself",
            bucket.len(),
            self.labels.name(label),
        ))
    }

    /// Compares the structures of a bucket, pair by pair, and merges their pages.
    fn merge_bucket(&self, mut bucket: Vec<u32>, pages: &BTreeMap<u32, Vec<u32>>, forest: &mut Forest) {
        let StructureParameters { weights, weight_origin, linkage, .. } = self.parameters;
        bucket.sort_unstable_by_key(|root| pages[root][0]);
        let mut similarities = Similarities::new(&self.subtrees, weights, weight_origin);
        let mut triangle = Triangle::new(bucket.len());
        for (at, &one) in bucket.iter().enumerate() {
            for (further, &other) in bucket[at + 1..].iter().enumerate() {
                triangle.set(at, at + 1 + further, similarities.of(one, other).into());
            }
        }
        drop(similarities);
        let sizes = bucket.iter().map(|root| pages[root].len() as u64).collect();
        for merge in merges(sizes, triangle, linkage) {
            let [one, other] = [merge.one, merge.other].map(|at| pages[&bucket[at]][0] as usize);
            forest.merge(merge.height, one, other);
        }
    }
}

/// More distinct structures in a bucket are not compared: their pairs would take 1.6 GB.
const MOST_STRUCTURES: usize = 20_000;

/// More pages in a bucket are not clustered: sums of their similarities would not fit.
const MOST_PAGES: usize = 250_000;

/// Structures that may be alike: equal signatures of the roots, and a chain of blocks with equal signatures at equal
/// places. Buckets of one structure are left out.
fn buckets(subtrees: &Subtrees, roots: impl Iterator<Item = u32>) -> Vec<Vec<u32>> {
    let roots: Vec<u32> = roots.collect();
    let mut leaders: Vec<usize> = (0..roots.len()).collect();
    let mut first_with = FxHashMap::default();
    for (at, &root) in roots.iter().enumerate() {
        let blocks = subtrees.children(root);
        for (place, &block) in blocks.iter().enumerate() {
            let signature = (subtrees.label(block), subtrees.children(block).len());
            let first = *first_with.entry((subtrees.label(root), blocks.len(), place, signature)).or_insert(at);
            let (one, other) = (leader(&mut leaders, first), leader(&mut leaders, at));
            leaders[one.max(other)] = one.min(other);
        }
    }
    let mut buckets: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for (at, &root) in roots.iter().enumerate() {
        buckets.entry(leader(&mut leaders, at)).or_default().push(root);
    }
    buckets.into_values().filter(|bucket| bucket.len() > 1).collect()
}

/// The first of the set that `at` is in; the way there is made shorter.
fn leader(leaders: &mut [usize], mut at: usize) -> usize {
    while leaders[at] != at {
        leaders[at] = leaders[leaders[at]];
        at = leaders[at];
    }
    at
}

/// Clusters of pages while they are merged.
struct Forest {
    /// Each node's parent and the height at which it was merged into it; first the pages, then the merges.
    parents: Vec<Option<(u32, Value)>>,
    /// The two nodes of each merge.
    merged: Vec<[u32; 2]>,
    /// For each page that is the first of its cluster: the cluster's node.
    nodes: Vec<u32>,
    /// For each page: one that comes before it in its cluster, or itself.
    leaders: Vec<usize>,
}

impl Forest {
    fn new(pages: usize) -> Self {
        let nodes = (0..pages as u32).collect();
        Forest { parents: vec![None; pages], merged: Vec::new(), nodes, leaders: (0..pages).collect() }
    }

    /// Merges the clusters that two pages are in.
    fn merge(&mut self, height: Value, one: usize, other: usize) {
        let (one, other) = (leader(&mut self.leaders, one), leader(&mut self.leaders, other));
        let (first, second) = (one.min(other), one.max(other));
        let merged = [self.nodes[first], self.nodes[second]];
        let node = self.parents.len() as u32;
        self.parents.push(None);
        merged.iter().for_each(|&child| self.parents[child as usize] = Some((node, height)));
        self.merged.push(merged);
        self.nodes[first] = node;
        self.leaders[second] = first;
    }

    /// Lays the pages of each node side by side.
    fn finish(self) -> MergeTree {
        let pages = self.leaders.len();
        let mut sizes = vec![1u32; pages];
        self.merged.iter().for_each(|children| sizes.push(children.iter().map(|&child| sizes[child as usize]).sum()));
        let mut starts = vec![0u32; sizes.len()];
        let mut next = 0;
        // Later nodes stand above earlier ones.
        for node in (0..sizes.len()).rev() {
            if self.parents[node].is_none() {
                starts[node] = next;
                next += sizes[node];
            }
            if let Some([one, other]) = node.checked_sub(pages).map(|merge| self.merged[merge]) {
                starts[one as usize] = starts[node];
                starts[other as usize] = starts[node] + sizes[one as usize];
            }
        }
        let mut order = vec![0; pages];
        (0..pages).for_each(|page| order[starts[page] as usize] = page as u32);
        MergeTree { parents: self.parents, starts, sizes, order }
    }
}

/// All merges of the pages.
struct MergeTree {
    /// As in [`Forest`].
    parents: Vec<Option<(u32, Value)>>,
    /// Where each node's pages begin in the order.
    starts: Vec<u32>,
    sizes: Vec<u32>,
    order: Vec<u32>,
}

/// Pages clustered by their structure.
pub struct Clusters {
    parameters: StructureParameters,
    subtrees: Subtrees,
    roots: Vec<Option<u32>>,
    tree: MergeTree,
}

impl Clusters {
    /// Clusters `pages`.
    ///
    /// # Errors
    /// As [`Structures::cluster`].
    pub fn new(pages: &dyn Pages, parameters: &StructureParameters) -> Result<Self, String> {
        let mut structures = Structures::new(pages.len(), parameters);
        pages.for_each(|index, page| structures.read(index, page));
        structures.cluster()
    }

    /// The number of a page's cluster when merges of at least that height are made: equal for the pages of one
    /// cluster.
    pub fn number(&self, page: usize, least: Value) -> usize {
        let mut node = page;
        while let Some((parent, height)) = self.tree.parents[node]
            && height >= least
        {
            node = parent as usize;
        }
        node
    }

    /// The numbers of all pages' clusters, as [`Clusters::number`] gives each.
    pub fn numbers(&self, least: Value) -> Vec<usize> {
        let parents = &self.tree.parents;
        let mut numbers: Vec<usize> = (0..parents.len()).collect();
        // Later nodes stand above earlier ones.
        for node in (0..parents.len()).rev() {
            if let Some((parent, height)) = parents[node]
                && height >= least
            {
                numbers[node] = numbers[parent as usize];
            }
        }
        numbers.truncate(self.roots.len());
        numbers
    }

    /// The pages of a cluster, in order.
    pub fn pages(&self, number: usize) -> Vec<usize> {
        let start = self.tree.starts[number] as usize;
        let pages = &self.tree.order[start..start + self.tree.sizes[number] as usize];
        let mut pages: Vec<usize> = pages.iter().map(|&page| page as usize).collect();
        pages.sort_unstable();
        pages
    }

    /// How many pages a cluster has.
    pub fn size(&self, number: usize) -> usize {
        self.tree.sizes[number] as usize
    }

    /// The heights of all merges, the greatest first: where the clusters change.
    pub fn heights(&self) -> Vec<Value> {
        let merged = self.tree.parents.iter().flatten();
        let mut heights: Vec<(u32, Value)> = merged.copied().collect();
        heights.sort_unstable_by_key(|&(parent, _)| parent);
        heights.dedup_by_key(|&mut (parent, _)| parent);
        let mut heights: Vec<Value> = heights.into_iter().map(|(_, height)| height).collect();
        heights.sort_unstable_by(|one, other| other.cmp(one));
        heights
    }

    /// The number of a page's structure; `None` for one without a body, or one that failed.
    pub fn structure(&self, page: usize) -> Option<u32> {
        self.roots[page]
    }

    /// How many distinct subtrees the pages have.
    pub fn subtrees(&self) -> usize {
        self.subtrees.count()
    }

    /// Similarities of structures, none of them known yet.
    pub fn similarities(&self) -> Similarities<'_> {
        Similarities::new(&self.subtrees, self.parameters.weights, self.parameters.weight_origin)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::page::Context;

    const A: &str = "<body><div id=h><a href=/>Home</a></div><div id=m><p>Cats sleep.</p><p>A lot.</p></div>\
        <div id=f>Site 2020</div></body>";
    const B: &str = "<body><div id=h><a href=/>Home</a></div><div id=m><p>Dogs bark.</p><h2>Why</h2></div>\
        <div id=f>Site 2020</div></body>";
    const C: &str =
        "<body><div id=h><a href=/>Home</a></div><div id=m><p>Fish swim.</p></div><div id=f>Site 2020</div></body>";

    fn clusters(pages: &[&str], parameters: StructureParameters) -> Clusters {
        let page = |html: &&str| Arc::new(Page::new(html.as_bytes(), Context::default()).unwrap());
        let pages: Vec<Arc<Page>> = pages.iter().map(page).collect();
        Clusters::new(&pages.as_slice(), &parameters).unwrap()
    }

    fn similarity(clusters: &Clusters, one: usize, other: usize) -> u32 {
        clusters.similarities().of(clusters.structure(one).unwrap(), clusters.structure(other).unwrap())
    }

    fn decimal(text: &str) -> Value {
        text.parse().unwrap()
    }

    #[test]
    fn similarities_of_pages_a_b_and_c_are_as_worked_by_hand() {
        use WeightOrigin::{One, Zero};
        // Contribution from 0: 2/5 + 1/5 * 1/2 + 2/5, and 2/5 + 0 + 2/5 where the middle has 2 children against 1.
        // From 1: 1/6 + 1/3 * 1/2 + 1/2, and 1/6 + 1/2. Uniform: (1 + 1/2 + 1) / 3, and 2/3.
        let (five_sixths, two_thirds) = (833_333_333, 666_666_667);
        for attributes in [Attributes::Names, Attributes::All, Attributes::IdClass, Attributes::None] {
            for (weights, weight_origin, expected) in [
                (Weights::Contribution, Zero, [900_000_000, 800_000_000]),
                (Weights::Contribution, One, [five_sixths, two_thirds]),
                (Weights::Uniform, Zero, [five_sixths, two_thirds]),
            ] {
                let parameters =
                    StructureParameters { attributes, weights, weight_origin, ..StructureParameters::default() };
                let clusters = clusters(&[A, B, C], parameters);
                let found = [(0, 1), (0, 2), (1, 2), (2, 1), (1, 1)].map(|(i, j)| similarity(&clusters, i, j));
                assert_eq!(found, [expected[0], expected[1], expected[1], expected[1], 1_000_000_000]);
            }
        }
    }

    #[test]
    fn clusters_of_pages_a_b_and_c_are_as_worked_by_hand() {
        let clusters = clusters(&[A, B, C], StructureParameters::default());
        assert_eq!(clusters.heights(), [decimal("0.9"), decimal("0.8")]);
        let at = |text: &str| [0, 1, 2].map(|page| clusters.pages(clusters.number(page, decimal(text))));
        let (one, two) = (vec![0, 1, 2], vec![0, 1]);
        assert_eq!(at("0"), [one.clone(), one.clone(), one.clone()]);
        assert_eq!(at("0.8"), [one.clone(), one.clone(), one]);
        assert_eq!(at("0.800000001"), [two.clone(), two.clone(), vec![2]]);
        assert_eq!(at("0.9"), [two.clone(), two, vec![2]]);
        assert_eq!(at("0.900000001"), [vec![0], vec![1], vec![2]]);
    }

    #[test]
    fn equal_structures_are_one_cluster_up_to_1_and_unlike_ones_never() {
        let other = "<frameset>";
        let clusters = clusters(&["<p>a", other, "<p>b", "<p>c", "<p>c<p>d", other], StructureParameters::default());
        let at =
            |text: &str| (0..6).map(|page| clusters.pages(clusters.number(page, decimal(text)))).collect::<Vec<_>>();
        for least in ["0", "0.5", "1"].map(decimal) {
            assert_eq!(clusters.numbers(least), (0..6).map(|page| clusters.number(page, least)).collect::<Vec<_>>());
        }
        let same = vec![0, 2, 3];
        assert_eq!(at("1"), [same.clone(), vec![1], same.clone(), same, vec![4], vec![5]]);
        assert_eq!(at("0"), at("1"));
        assert_eq!(clusters.structure(1), None);
    }

    #[test]
    fn a_root_may_be_html_or_where_the_page_branches() {
        let (one, other) = ("<title>a</title><div><p>a<p>b</div>", "<div><p>a<h2>b</h2></div>");
        let of = |root| {
            let parameters = StructureParameters { root, sim_children: Children::Elements, ..Default::default() };
            similarity(&clusters(&[one, other], parameters), 0, 1)
        };
        // One of two children of the only child; as much below html's second child, whose weight is 1/2, while the
        // heads have 1 and 0 children; the same two children as blocks of the root.
        assert_eq!([Root::Body, Root::Html, Root::Branch].map(of), [500_000_000, 250_000_000, 500_000_000]);
    }
}
