//! Layout: what a page shares with the page of its site whose layout is nearest.
//!
//! Layouts are multisets of tag paths from the body to its leaves; of the other pages of the group the one with the
//! most similar layout (or address, then layout) is the reference, and the texts that it has too are deleted.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::Choice;
use super::declaration::{Declaration, Example, FaithfulTo, Swept, no_resources};
use super::features::clusters::{Clusters, StructureParameters, Structures};
use super::features::deletion::{Original, Pairing};
use super::features::paths::{Bag, TagPaths};
use super::features::visible::VisibleText;
use super::group::{GroupAlgorithm, Pages, Scope, Target};
use super::parameters::check_whole;
use super::value::Value;
use crate::text::urls::host_of;

/// Deletion of the texts that the page with the nearest layout has too.
pub struct Layout;

/// Parameters of `layout`; the first value of each is the default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LayoutParameters {
    /// least similarity of a reference's layout; without one the whole text is kept
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub min_layout: Value,
    /// which page is the reference: the one with the most similar layout, or the one with the most similar address
    /// and, of equals, layout
    pub reference_by: ReferenceBy,
    /// which of the page's texts the reference deletes
    #[serde(rename = "match")]
    pub matching: Match,
    /// which pages may be the reference: those of the site, or of the cluster that `istm` puts the page in
    pub group: Group,
    /// how many pages after the page, in the dataset's order, may be the reference, whole; `inf` for all
    #[schemars(extend("from" = "1"))]
    pub candidates: Value,
}

impl Default for LayoutParameters {
    fn default() -> Self {
        LayoutParameters {
            min_layout: Value::ZERO,
            reference_by: ReferenceBy::Path,
            matching: Match::PathText,
            group: Group::Site,
            candidates: Value::INFINITY,
        }
    }
}

/// Section 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the words are explained at the field")]
pub enum ReferenceBy {
    Path,
    UrlPath,
}

/// Section 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Match {
    /// Those with equal tag paths.
    PathText,
    /// As `istm` deletes with `pairing: static`.
    Static,
    /// As with `pairing: live`.
    Live,
    /// As with `pairing: aligned`.
    Aligned,
}

/// Common rules of the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the words are explained at the field")]
pub enum Group {
    Site,
    Cluster,
}

/// Where the clusters of `istm` are cut unless it is told otherwise.
const CUT: Value = Value::hundredths(50);

const PAGE_X: &str = "<body><p>Menu</p><p>News</p><p>Rain today.</p><p>Bye</p></body>";
const PAGE_Y: &str = "<body><p>Menu</p><p>Ad</p><p>News</p><p>Sun today.</p><p>Bye</p></body>";
const PAGE_Z: &str = "<body><p>Rain today.</p><ul><li>Menu</li></ul></body>";
const ALL_OF_X: &str = "Menu\nNews\nRain today.\nBye";

const fn example(
    title: &'static str,
    siblings: &'static [&'static str],
    parameters: &'static str,
    expected: &'static str,
) -> Example {
    Example::new(title, PAGE_X, parameters, expected).beside(siblings)
}

impl GroupAlgorithm for Layout {
    type Parameters = LayoutParameters;
    type Learned = Collection;
    type Prepared<'p> = Prepared<'p>;
    const DECLARATION: Declaration = Declaration {
        name: "layout",
        title: "deletes the texts that the page of the site with the most similar layout has at equal tag paths",
        source: "Yang, Li and Geng (2015), which ISTM compares itself with: reconstructed from its abstract and ISTM's \
                 words",
        faithful_to: FaithfulTo::Reconstruction,
        languages: "any",
        cost: "O(nodes) a page, O(distinct tag paths) a pair of pages of a site; every page is parsed once more, and \
               its reference is; `group=cluster`: and the clusters of istm",
        swept: &[Swept { parameter: "min_layout", grid: "0.5..1.0/0.05" }],
        // Paths of X: 4 times body, p, text; of Y 5 times: 4/5. Of Z once, and body, ul, li, text: 1/5.
        examples: &[
            example("Y has all texts but one", &[PAGE_Z, PAGE_Y], "", "Rain today."),
            example("its layout is similar to 4/5", &[PAGE_Y], "min_layout=0.8", "Rain today."),
            example("and not more", &[PAGE_Y], "min_layout=0.81", ALL_OF_X),
            example("place by place only Menu is in both", &[PAGE_Y], "match=static", "News\nRain today.\nBye"),
            example("and so it is when it is removed at once", &[PAGE_Y], "match=live", "News\nRain today.\nBye"),
            example("aligned, three are", &[PAGE_Y], "match=aligned", "Rain today."),
            example("the next page alone: Menu is no p there", &[PAGE_Z, PAGE_Y], "candidates=1", "Menu\nNews\nBye"),
            example("istm finds no page like X", &[PAGE_Y, PAGE_Z], "group=cluster", ALL_OF_X),
            example("a page without others is kept whole", &[], "", ALL_OF_X),
        ],
        floor: false,
        resources: no_resources,
    };

    fn check(parameters: &LayoutParameters) -> Result<(), String> {
        check_whole("candidates", parameters.candidates)
    }

    fn scope(parameters: &LayoutParameters) -> Scope {
        match parameters.group {
            Group::Site => Scope::Site,
            Group::Cluster => Scope::Dataset,
        }
    }

    fn learn(&self, pages: &dyn Pages, parameters: &LayoutParameters) -> Result<Collection, String> {
        let mut paths = TagPaths::default();
        let mut layouts: Vec<Option<PageLayout>> = (0..pages.len()).map(|_| None).collect();
        let is_clustered = parameters.group == Group::Cluster;
        let mut structures = is_clustered.then(|| Structures::new(pages.len(), &StructureParameters::default()));
        pages.for_each(|index, page| {
            structures.iter_mut().for_each(|structures| structures.read(index, page));
            layouts[index] = Some(PageLayout { paths: paths.leaves(page), address: page.url().and_then(Address::new) });
        });
        let clusters = structures.map(Structures::cluster).transpose()?;
        Ok(Collection { layouts, clusters })
    }

    fn prepare<'p>(&self, learned: &'p Collection, target: Target<'p>, parameters: &LayoutParameters) -> Prepared<'p> {
        let reference = learned.reference(target.index, parameters);
        Prepared { target, reference, pairing: parameters.matching.pairing(), without: None }
    }

    fn choose(&self, prepared: &mut Prepared<'_>, parameters: &LayoutParameters) -> Result<Choice, String> {
        match prepared.reference {
            Some((page, similarity)) if similarity >= parameters.min_layout => prepared.without(page),
            _ => Ok(prepared.target.page.view::<VisibleText>().nodes.iter().copied().collect()),
        }
    }
}

impl Match {
    fn pairing(self) -> Pairing {
        match self {
            Match::PathText => Pairing::PathText,
            Match::Static => Pairing::Static,
            Match::Live => Pairing::Live,
            Match::Aligned => Pairing::Aligned,
        }
    }
}

/// What is kept of the pages of a group.
pub struct Collection {
    /// `None` for a page that failed.
    layouts: Vec<Option<PageLayout>>,
    clusters: Option<Clusters>,
}

struct PageLayout {
    /// How often each tag path from the body to a leaf occurs.
    paths: Bag,
    address: Option<Address>,
}

/// How near a page is to another one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Nearness {
    /// 0 where addresses do not count or one of them is not known.
    address: Value,
    layout: Value,
    query: Value,
}

impl Collection {
    /// The page that the one at `own` is held against, and how similar their layouts are.
    fn reference(&self, own: usize, parameters: &LayoutParameters) -> Option<(usize, Value)> {
        let group = match &self.clusters {
            None => (0..self.layouts.len()).collect(),
            Some(clusters) => clusters.pages(clusters.number(own, CUT)),
        };
        let layout = self.layouts[own].as_ref()?;
        let others = group.iter().filter(|&&page| page > own).chain(group.iter().filter(|&&page| page < own));
        let mut nearest: Option<(Nearness, usize)> = None;
        for &page in others.take(usize::try_from(parameters.candidates.whole()).unwrap_or(usize::MAX)) {
            let Some(other) = &self.layouts[page] else { continue };
            let nearness = layout.nearness(other, parameters.reference_by);
            let is_nearer = nearest.is_none_or(|(greatest, known)| match nearness.cmp(&greatest) {
                Ordering::Equal => page < known,
                order => order == Ordering::Greater,
            });
            if is_nearer {
                nearest = Some((nearness, page));
            }
        }
        nearest.map(|(nearness, page)| (page, nearness.layout))
    }
}

impl PageLayout {
    fn nearness(&self, other: &PageLayout, by: ReferenceBy) -> Nearness {
        let layout = match self.paths.overlap(&other.paths) {
            (_, 0) => Value::ONE,
            (common, all) => Value::ratio(common, all),
        };
        let (address, query) = match (by, &self.address, &other.address) {
            (ReferenceBy::UrlPath, Some(one), Some(other)) => (one.similarity(other), one.query_similarity(other)),
            _ => (Value::ZERO, Value::ZERO),
        };
        Nearness { address, layout, query }
    }
}

/// What of a URL is compared.
struct Address {
    /// The host in lower case, then the path's segments but the last.
    levels: Vec<Box<str>>,
    /// The names of its query's parameters.
    query: BTreeSet<Box<str>>,
}

impl Address {
    /// `None` for what is no absolute URL.
    fn new(url: &str) -> Option<Self> {
        let host = host_of(url)?;
        let (_, rest) = url.split_once("://")?;
        let rest = rest.split('#').next()?;
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let mut levels: Vec<Box<str>> =
            path.split('/').skip(1).filter(|level| !level.is_empty()).map(Box::from).collect();
        levels.pop();
        levels.insert(0, host.into());
        let names = query.split('&').filter_map(|pair| pair.split('=').next()).filter(|name| !name.is_empty());
        Some(Address { levels, query: names.map(Box::from).collect() })
    }

    /// Equal leading levels over those of the longer one.
    fn similarity(&self, other: &Address) -> Value {
        let equal = self.levels.iter().zip(&other.levels).take_while(|(one, other)| one == other).count();
        Value::ratio(equal as u64, self.levels.len().max(other.levels.len()) as u64)
    }

    /// Common names over those of the longer query; 1 without any.
    fn query_similarity(&self, other: &Address) -> Value {
        let (common, all) = (self.query.intersection(&other.query).count(), self.query.len().max(other.query.len()));
        if all == 0 { Value::ONE } else { Value::ratio(common as u64, all as u64) }
    }
}

/// A page with its reference.
pub struct Prepared<'p> {
    target: Target<'p>,
    /// With the similarity of its layout.
    reference: Option<(usize, Value)>,
    pairing: Pairing,
    /// What is left where what the reference has too is deleted, once it was asked for.
    without: Option<Choice>,
}

impl Prepared<'_> {
    fn without(&mut self, reference: usize) -> Result<Choice, String> {
        if let Some(known) = &self.without {
            return Ok(known.clone());
        }
        let gone = || "the page that it is held against cannot be read any more".to_owned();
        let open = || self.target.pages.page(reference).ok_or_else(gone);
        let choice = Original::new(self.target.page).without([open()], self.pairing)?;
        self.without = Some(choice.clone());
        Ok(choice)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::page::{Context, Page};

    fn address(url: &str) -> Address {
        Address::new(url).unwrap()
    }

    #[test]
    fn addresses_are_similar_by_their_leading_levels() {
        let similarity = |one: &str, other: &str| address(one).similarity(&address(other));
        let one = "http://a.com/news/2015/x.html";
        // a.com and news of three.
        assert_eq!(similarity(one, "http://a.com/news/2016/y.html"), Value::ratio(2, 3));
        assert_eq!(similarity(one, "https://A.com//news/2015/z"), Value::ONE);
        assert_eq!(similarity(one, "http://a.com/news?x/y"), Value::ratio(1, 3));
        assert_eq!(similarity(one, "http://b.com/news/2015/x.html"), Value::ZERO);
    }

    #[test]
    fn queries_are_similar_by_their_names() {
        let similarity = |one: &str, other: &str| address(one).query_similarity(&address(other));
        assert_eq!(similarity("http://a/?p=1&q=2", "http://a/?q=3&r&s#?p"), Value::ratio(1, 3));
        assert_eq!(similarity("http://a/", "http://a/b"), Value::ONE);
    }

    #[test]
    fn a_reference_is_the_nearest_by_layout_or_by_address() {
        let page = |(html, url): (&str, &str)| {
            let url = (!url.is_empty()).then(|| url.to_owned());
            Arc::new(Page::new(html.as_bytes(), Context { url, ..Context::default() }).unwrap())
        };
        let pages = [
            ("<p>a<p>b", "http://a.com/n/1?id=1"),
            ("<p>a<p>b", "http://a.com/m/2"),
            ("<p>a", "http://a.com/n/3?page=1"),
            ("<p>c", "http://a.com/n/4?id=2"),
            ("<p>a<p>b", ""),
        ]
        .map(page);
        let pages = pages.as_slice();
        let reference = |own: usize, reference_by| {
            let parameters = LayoutParameters { reference_by, ..LayoutParameters::default() };
            Layout.learn(&pages, &parameters).unwrap().reference(own, &parameters)
        };
        assert_eq!(reference(0, ReferenceBy::Path), Some((1, Value::ONE)));
        // 2 and 3 share a.com and n; their layouts are equal, the names of 3's query are too.
        assert_eq!(reference(0, ReferenceBy::UrlPath), Some((3, Value::ratio(1, 2))));
        assert_eq!(reference(4, ReferenceBy::UrlPath), Some((0, Value::ONE)));
        assert_eq!(reference(3, ReferenceBy::Path), Some((2, Value::ONE)));
    }
}
