//! ISTM: pages are clustered by structure, and what a page shares with a page of its cluster is deleted (the paper of
//! 2018, in Chinese).
//!
//! **Idea.** Pages of one template have the same frame and different content. Deleting what two of them share leaves
//! the content.
//!
//! **1. Pipeline.** Trees, similarities of every two pages, a tree of merges, a cut, one reference page per page,
//! deletion.
//!
//! **2. Similarity** (definitions 8 and 9, formulas 2 to 8, algorithm 1). Two nodes are the same if their tags, their
//! sets of attribute names and their numbers of children are equal. Then
//!
//! ```text
//! u(a, b) = 1 for leaves, else the mean of u over pairs of children
//! sim     = sum of w_m * u over the children of the roots
//! w_m     = (|(N-1)/2 - m| + 1) / sum of the same over m = 0 .. N-1
//! ```
//!
//! The weights (formula 8) are large at both ends of the page and small in its middle, as the paper says. Its printed
//! indices start at 1, which makes the first weight small; `weight_origin=1` is that reading. The paper speaks of
//! attribute sets; `attributes=all` compares values, too, but values such as addresses differ on every page.
//!
//! **3. Clusters.** Pages are merged by `linkage`, and `similarity` cuts the tree of merges. The paper names
//! hierarchical clustering without linkage or threshold, so both are ours.
//!
//! Each page is compared with the most similar page of its cluster. The paper says "a reference page". A page that is
//! alone keeps all its text (`lone=all`).
//!
//! **4. DeleteSame.** Starting at both bodies, children at equal places are compared. If their subtrees are completely
//! identical, the child is deleted; otherwise the comparison goes down. The text that is left is the output.
//!
//! **5. Exact sweep.** Pairs and merges are computed once. The result changes only at the heights of merges.
//!
//! **Known failures.** Comments, dates and counters differ from page to page and stay. A shifted list breaks the
//! comparison of places (`pairing=aligned` mends that). A page without another page of its template keeps everything.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::Choice;
use super::declaration::{Declaration, Example, FaithfulTo, Swept, no_resources};
use super::explanation::{Explanation, Figure, Judged, Number, Verdict};
use super::features::clusters::{Clusters, StructureParameters, Structures};
use super::features::deletion::{Original, Pairing};
use super::features::paths::{shared, text_marks};
use super::features::similarity::{EQUAL, Similarities};
use super::features::visible::VisibleText;
use super::group::{GroupAlgorithm, Pages, Scope, Target};
use super::parameters::check_whole;
use super::value::Value;
use crate::page::tree::NodeId;

/// Deletion of what pages of similar structure share.
pub(super) struct Istm;

/// Parameters of `istm`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct IstmParameters {
    /// least similarity at which clusters are merged
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub similarity: Value,
    /// Structures and their clusters.
    #[serde(flatten)]
    pub structure: StructureParameters,
    /// which pages are clustered together: those of the dataset, as in the paper, or those of the site
    pub scope: ClusterScope,
    /// which other page of its cluster a page is compared with; the paper says a reference page
    pub reference: Reference,
    /// number of references, whole, `inf` for all others of the cluster; a text goes if any of them deletes it
    #[schemars(extend("from" = "1"))]
    pub references: Value,
    /// which nodes of a page and its reference are compared with each other
    pub pairing: Pairing,
    /// what is left of a page that is alone in its cluster
    pub lone: Lone,
}

impl Default for IstmParameters {
    fn default() -> Self {
        IstmParameters {
            similarity: Value::hundredths(50),
            structure: StructureParameters::default(),
            scope: ClusterScope::All,
            reference: Reference::MostSimilar,
            references: Value::ONE,
            pairing: Pairing::Static,
            lone: Lone::All,
        }
    }
}

/// Which pages are clustered together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ClusterScope {
    All,
    Site,
}

/// Section 3: which page of the cluster is the reference. Of equals the page that comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reference {
    /// The most similar one; of equals the one that shares most texts at equal tag paths.
    MostSimilar,
    /// The one that shares most texts at equal tag paths.
    SharedText,
    /// The one that is most similar to all others of the cluster.
    Medoid,
    /// The next one in the dataset's order, the first after the last.
    Next,
    /// The first one in the dataset's order.
    First,
    /// The least similar one.
    LeastSimilar,
}

/// Section 3: what a page keeps that is alone in its cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Lone {
    /// All its text.
    All,
    /// What the page of its site that shares most texts with it leaves, if there is one.
    NearestInSite,
    /// Nothing.
    Empty,
}

const PAGE_A: &str = "<body><div id=h><a href=/>Home</a></div><div id=m><p>Cats sleep.</p><p>A lot.</p></div>\
    <div id=f>Site 2020</div></body>";
const PAGE_B: &str = "<body><div id=h><a href=/>Home</a></div><div id=m><p>Dogs bark.</p><h2>Why</h2></div>\
    <div id=f>Site 2020</div></body>";
const PAGE_C: &str =
    "<body><div id=h><a href=/>Home</a></div><div id=m><p>Fish swim.</p></div><div id=f>Site 2020</div></body>";
const PAGE_D: &str =
    "<body><div id=h><a href=/>Home</a></div><div id=m><p>Fish swim.</p></div><div id=f>A lot.</div></body>";
const ALL_OF_A: &str = "Home\nCats sleep.\nA lot.\nSite 2020";

const fn example(
    title: &'static str,
    siblings: &'static [&'static str],
    parameters: &'static str,
    expected: &'static str,
) -> Example {
    Example::new(title, PAGE_A, parameters, expected).beside(siblings)
}

impl GroupAlgorithm for Istm {
    type Parameters = IstmParameters;
    type Learned = Collection;
    type Prepared<'p> = Prepared<'p>;
    const DECLARATION: Declaration = Declaration {
        name: "istm",
        title: "clusters pages by structure, then deletes what a page has in common with the most similar of its cluster",
        source: "ISTM (2018): similarity and DeleteSame; linkage, cut, reference and pages without one are ours",
        faithful_to: FaithfulTo::Paper,
        languages: "any",
        cost: "O(nodes) per page and per pair of compared pages, and with `pairing=aligned` O(pairs) of \
               children in lists that differ, of which no more than 2^22 are compared per list: longer ones are read as by \
               `static`; pairs of structures whose roots \
               have equal signatures are compared once for the clusters and again for each page with those of its cluster, O(smaller one) each at \
               most; every page is parsed once more, \
               and the references are",
        swept: &[Swept::on_grid("similarity", "0.05..1.0/0.05")],
        // A with B: 2/5 + 1/5 * 1/2 + 2/5 = 0.9, for of the middle's two children one has the same tag. A with C:
        // 2/5 + 2/5 = 0.8, for the middle has 2 children against 1. {A, B} with C on average 0.8.
        examples: &[
            example("A and B merge at 0.9: what both have goes", &[PAGE_B, PAGE_C], "", "Cats sleep.\nA lot."),
            example("above 0.9 every page is alone, and whole", &[PAGE_B, PAGE_C], "similarity=0.91", ALL_OF_A),
            example("or empty", &[PAGE_B, PAGE_C], "similarity=0.91,lone=empty", ""),
            example("aligned, it is the same", &[PAGE_B], "pairing=aligned", "Cats sleep.\nA lot."),
            example(
                "live: when the head has gone, the foot meets B's middle",
                &[PAGE_B],
                "pairing=live",
                "Cats sleep.\nA lot.\nSite 2020",
            ),
            example(
                "B is the only one that A is alike to enough",
                &[PAGE_D, PAGE_B],
                "similarity=0.9",
                "Cats sleep.\nA lot.",
            ),
            example(
                "the least similar keeps the foot",
                &[PAGE_D, PAGE_B],
                "reference=least_similar",
                "Cats sleep.\nA lot.\nSite 2020",
            ),
            example(
                "texts shared by tag path: Home, A lot. is no p in D",
                &[PAGE_D, PAGE_B],
                "reference=shared_text",
                "Cats sleep.\nA lot.",
            ),
            example("a page of unlike structure is no reference", &["<p>Home</p>"], "", ALL_OF_A),
        ],
        floor: false,
        resources: no_resources,
    };

    fn check(parameters: &IstmParameters) -> Result<(), String> {
        check_whole("references", parameters.references)
    }

    fn scope(parameters: &IstmParameters) -> Scope {
        match parameters.scope {
            ClusterScope::All => Scope::Dataset,
            ClusterScope::Site => Scope::Site,
        }
    }

    fn learn(&self, pages: &dyn Pages, parameters: &IstmParameters) -> Result<Collection, String> {
        let mut structures = Structures::new(pages.len(), &parameters.structure);
        let (mut marks, mut sites) = (vec![Box::default(); pages.len()], vec![None; pages.len()]);
        pages.for_each(|index, page| {
            structures.read(index, page);
            marks[index] = text_marks(page);
            sites[index] = page.site().map(Box::from);
        });
        Ok(Collection { clusters: structures.cluster()?, marks, sites, central: Mutex::default() })
    }

    fn is_alone(&self, learned: &Collection, index: usize, parameters: &IstmParameters) -> bool {
        let clusters = &learned.clusters;
        clusters.size(clusters.number(index, parameters.similarity)) == 1
    }

    fn prepare<'p>(&self, learned: &'p Collection, target: Target<'p>, parameters: &IstmParameters) -> Prepared<'p> {
        let structure = learned.clusters.structure(target.index);
        Prepared {
            collection: learned,
            target,
            structure,
            similarities: learned.clusters.similarities(),
            original: structure.map(|_| Original::new(target.page)),
            pairing: parameters.pairing,
            references: FxHashMap::default(),
            chosen: FxHashMap::default(),
        }
    }

    fn choose(&self, prepared: &mut Prepared<'_>, parameters: &IstmParameters) -> Result<Choice, String> {
        let references = prepared.references(parameters);
        if references.is_empty() && parameters.lone == Lone::Empty {
            return Ok(Choice::from_iter([]));
        }
        prepared.without(references)
    }

    fn explain(&self, prepared: &mut Prepared<'_>, parameters: &IstmParameters) -> Result<Explanation, String> {
        prepared.explain(parameters)
    }
}

/// What is kept of the pages.
pub(super) struct Collection {
    clusters: Clusters,
    /// Each page's texts with their tag paths, to be counted where two pages share them.
    marks: Vec<Box<[u64]>>,
    sites: Vec<Option<Box<str>>>,
    /// The pages of each cluster for which they were asked for, the most central first.
    central: Mutex<FxHashMap<usize, Arc<Vec<usize>>>>,
}

impl Collection {
    fn shared(&self, one: usize, other: usize) -> usize {
        shared(&self.marks[one], &self.marks[other])
    }

    /// The pages of a cluster, the one with the greatest sum of similarities to all others first.
    fn central(&self, cluster: usize) -> Arc<Vec<usize>> {
        let known = || self.central.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(pages) = known().get(&cluster) {
            return pages.clone();
        }
        let mut pages = self.clusters.pages(cluster);
        let mut counts: FxHashMap<u32, u64> = FxHashMap::default();
        let structures: Vec<u32> = pages.iter().filter_map(|&page| self.clusters.structure(page)).collect();
        structures.iter().for_each(|&structure| *counts.entry(structure).or_insert(0) += 1);
        let mut similarities = self.clusters.similarities();
        let mut sum =
            |one: u32| counts.iter().map(|(&other, count)| u64::from(similarities.of(one, other)) * count).sum();
        let sums: FxHashMap<u32, u64> = counts.keys().map(|&structure| (structure, sum(structure))).collect();
        let sum_of = |page: usize| self.clusters.structure(page).map_or(0, |structure| sums[&structure]);
        pages.sort_by_key(|&page| Reverse(sum_of(page)));
        let pages = Arc::new(pages);
        known().insert(cluster, pages.clone());
        pages
    }
}

/// A page with what was found out about it so far.
pub(super) struct Prepared<'p> {
    collection: &'p Collection,
    target: Target<'p>,
    structure: Option<u32>,
    similarities: Similarities<'p>,
    /// `None` without a body.
    original: Option<Original<'p>>,
    pairing: Pairing,
    /// The references in each cluster that a cut put it in.
    references: FxHashMap<usize, Vec<usize>>,
    /// What is left where what each of these references has is deleted.
    chosen: FxHashMap<Vec<usize>, Choice>,
}

impl Prepared<'_> {
    /// The pages that the target is held against under these parameters, best first.
    fn references(&mut self, parameters: &IstmParameters) -> Vec<usize> {
        let cluster = self.collection.clusters.number(self.target.index, parameters.similarity);
        if let Some(known) = self.references.get(&cluster) {
            return known.clone();
        }
        let found = self.find_references(cluster, parameters);
        self.references.insert(cluster, found.clone());
        found
    }

    /// The cluster, the references with their similarity, and the blocks that they have too.
    fn explain(&mut self, parameters: &IstmParameters) -> Result<Explanation, String> {
        let clusters = &self.collection.clusters;
        let cluster = clusters.number(self.target.index, parameters.similarity);
        let mut figures = vec![
            Figure::count("pages", self.target.pages.len() as u64),
            Figure::count("pages of its cluster", clusters.pages(cluster).len() as u64),
            Figure::new("least similarity of clusters that merge", Number::Value(parameters.similarity)),
        ];
        let references = self.references(parameters);
        if references.is_empty() {
            figures.push(Figure::word("reference", "none: the page is alone in its cluster"));
        }
        let mut matched: BTreeMap<NodeId, u32> = BTreeMap::new();
        for &reference in &references {
            figures.push(Figure::new("reference", Number::Page(reference)));
            let similarity = Value::ratio(self.similarity(reference).into(), EQUAL.into());
            figures.push(Figure::new("its similarity", Number::Value(similarity)));
            let page = self.target.beside(reference)?;
            let found = self.original.iter().flat_map(|original| original.matched(&page, self.pairing));
            found.for_each(|id| *matched.entry(id).or_insert(0) += 1);
        }
        let judged = |(id, by): (NodeId, u32)| {
            let figures = vec![Figure::ratio("references that have it too", by, references.len() as u64)];
            Judged::outside(id, figures).decided(Verdict::Dropped, "the reference has the same")
        };
        Ok(Explanation { figures, lists: Vec::new(), nodes: matched.into_iter().map(judged).collect() })
    }

    /// The pages that the target is held against in its cluster, best first.
    fn find_references(&mut self, cluster: usize, parameters: &IstmParameters) -> Vec<usize> {
        let (clusters, own) = (&self.collection.clusters, self.target.index);
        let mut candidates = if parameters.reference == Reference::Medoid {
            self.collection.central(cluster).to_vec()
        } else {
            clusters.pages(cluster)
        };
        candidates.retain(|&page| page != own);
        if candidates.is_empty() && parameters.lone == Lone::NearestInSite {
            return self.nearest_in_site().into_iter().collect();
        }
        let count = usize::try_from(parameters.references.whole()).unwrap_or(usize::MAX);
        match parameters.reference {
            Reference::MostSimilar => self.keep_most_similar(&mut candidates, count),
            Reference::SharedText => candidates.sort_by_cached_key(|&page| Reverse(self.collection.shared(own, page))),
            Reference::Next => candidates.sort_by_key(|&page| (page < own, page)),
            Reference::Medoid | Reference::First => {}
            Reference::LeastSimilar => candidates.sort_by_cached_key(|&page| self.similarity(page)),
        }
        candidates.truncate(count);
        candidates
    }

    /// Puts the most similar first; of equals the one that shares most texts. Only what comes among the first
    /// `count` is kept.
    fn keep_most_similar(&mut self, candidates: &mut Vec<usize>, count: usize) {
        let collection = self.collection;
        let mut similar: Vec<(u32, usize)> = candidates.iter().map(|&page| (self.similarity(page), page)).collect();
        similar.sort_by_key(|&(similarity, _)| Reverse(similarity));
        if let Some(&(least, _)) = similar.get(count.saturating_sub(1)) {
            similar.retain(|&(similarity, _)| similarity >= least);
        }
        let own = self.target.index;
        similar.sort_by_cached_key(|&(similarity, page)| (Reverse(similarity), Reverse(collection.shared(own, page))));
        *candidates = similar.into_iter().map(|(_, page)| page).collect();
    }

    fn similarity(&mut self, page: usize) -> u32 {
        match (self.structure, self.collection.clusters.structure(page)) {
            (Some(one), Some(other)) if one == other => EQUAL,
            (Some(one), Some(other)) => self.similarities.of(one, other),
            _ => 0,
        }
    }

    /// The page of the target's site that shares most texts with it.
    fn nearest_in_site(&self) -> Option<usize> {
        let Collection { clusters, sites, .. } = self.collection;
        let own = self.target.index;
        let site = sites[own].as_ref()?;
        let same = (0..sites.len()).filter(|&page| page != own && sites[page].as_ref() == Some(site));
        let readable = same.filter(|&page| clusters.structure(page).is_some());
        readable.max_by_key(|&page| (self.collection.shared(own, page), Reverse(page)))
    }

    fn without(&mut self, references: Vec<usize>) -> Result<Choice, String> {
        let Some(original) = &self.original else { return Ok(Choice::from_iter([])) };
        if references.is_empty() {
            return Ok(self.target.page.view::<VisibleText>().nodes.iter().copied().collect());
        }
        if let Some(known) = self.chosen.get(&references) {
            return Ok(known.clone());
        }
        let open = |&page: &usize| self.target.beside(page);
        let choice = original.without(references.iter().map(open), self.pairing)?;
        self.chosen.insert(references, choice.clone());
        Ok(choice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Context, Page};

    fn page(html: &str, site: &str) -> Arc<Page> {
        let site = (!site.is_empty()).then(|| site.to_owned());
        Arc::new(Page::new(html.as_bytes(), Context { site, ..Context::default() }).unwrap())
    }

    fn references(pages: &[Arc<Page>], index: usize, parameters: &IstmParameters) -> Vec<usize> {
        let learned = Istm.learn(&pages, parameters).unwrap();
        let target = Target { page: &pages[index], index, pages: &pages };
        let cluster = learned.clusters.number(index, parameters.similarity);
        Istm.prepare(&learned, target, parameters).find_references(cluster, parameters)
    }

    /// Pages with a line of text in each of the tags, so that a letter is a structure.
    fn pages(tags: &[&str]) -> Vec<Arc<Page>> {
        let html = |tags: &str| tags.chars().map(|tag| format!("<{tag}>{tag}</{tag}>")).collect::<String>();
        tags.iter().map(|tags| page(&html(tags), "")).collect()
    }

    #[test]
    fn references_are_those_that_the_words_say() {
        // Weights 5/16, 3/16, 3/16, 5/16. 0 with 1: 11/16; with 2: 13/16; with 3: 1; 1 with 2: 8/16 (only the ends).
        let mut pages = pages(&["biub", "buub", "biib", "biub"]);
        pages.push(page("<b>b</b><i>i</i><u>u</u><b>other</b>", ""));
        let found = |reference, references: &str| {
            let references = references.parse().unwrap();
            let parameters =
                IstmParameters { reference, references, similarity: Value::ZERO, ..IstmParameters::default() };
            super::tests::references(&pages, 0, &parameters)
        };
        // 3 and 4 have the same structure; 3 shares all four texts, 4 three.
        assert_eq!(found(Reference::MostSimilar, "1"), [3]);
        assert_eq!(found(Reference::MostSimilar, "2"), [3, 4]);
        assert_eq!(found(Reference::MostSimilar, "3"), [3, 4, 1]);
        assert_eq!(found(Reference::MostSimilar, "inf"), [3, 4, 1, 2]);
        assert_eq!(found(Reference::SharedText, "2"), [3, 1]);
        assert_eq!(found(Reference::Next, "1"), [1]);
        assert_eq!(found(Reference::First, "2"), [1, 2]);
        assert_eq!(found(Reference::LeastSimilar, "1"), [1]);
        assert_eq!(found(Reference::Medoid, "1"), [3]);
    }

    #[test]
    fn the_next_page_of_the_last_is_the_first() {
        let pages = pages(&["b", "b", "u", "b"]);
        let parameters = IstmParameters { reference: Reference::Next, ..IstmParameters::default() };
        let found = [0, 1, 2, 3].map(|index| references(&pages, index, &parameters));
        assert_eq!(found, [vec![1], vec![3], vec![], vec![0]]);
    }

    #[test]
    fn a_lone_page_may_take_the_nearest_of_its_site() {
        let html = ["<p>a</p><p>b</p>", "<div>a</div>", "<p>a</p>", "<p>a</p><p>b</p><p>c</p>", "<frameset>"];
        let sites = ["x", "x", "x", "y", "x"];
        let pages: Vec<Arc<Page>> = html.iter().zip(sites).map(|(html, site)| page(html, site)).collect();
        let parameters = IstmParameters { lone: Lone::NearestInSite, ..IstmParameters::default() };
        assert_eq!(references(&pages, 0, &parameters), [2]);
        assert_eq!(references(&pages, 3, &parameters), [] as [usize; 0]);
    }

    #[test]
    fn references_are_whole() {
        let parameters = |text: &str| IstmParameters { references: text.parse().unwrap(), ..IstmParameters::default() };
        assert_eq!(Istm::check(&parameters("1.5")), Err("references: expected a whole number, not `1.5`".to_owned()));
        assert_eq!(Istm::check(&parameters("inf")), Ok(()));
    }
}
