//! A template of a site, learned from its links. It deletes places whose text is mostly links, and texts that several
//! pages have.
//!
//! The paper is known only from NTA, which says that relations of links teach a site's template through the features of
//! anchor texts. This is a variant with the same inputs. A place is the path of tags from the body to a text, each with
//! its id and classes, without positions.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::Choice;
use super::declaration::{Declaration, Example, FaithfulTo, Swept, no_resources};
use super::explanation::{Explanation, Figure, Judged, Number, Verdict};
use super::features::digests::digest;
use super::features::groups::{Group, Groups};
use super::features::links::{Anchor, Links};
use super::features::subtrees::{Attributes, Labels};
use super::features::visible::{VisibleText, visible_nodes};
use super::group::{GroupAlgorithm, Pages, Scope, Target};
use super::value::Value;
use crate::page::Page;
use crate::page::tree::NodeId;
use crate::text::collapse;

/// Content outside a template that is learnt from links and repeated texts.
pub(super) struct TemplateLearned;

/// Parameters of `template-learned`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TemplateLearnedParameters {
    /// the greatest share of characters in links, over all pages of the group, of a place whose text stays, and of each
    /// place around it
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub anchor: Value,
    /// a text that stands at the same place on another page of the group goes
    pub repeat: bool,
    /// which pages a template is learnt from: those of the site, or of the cluster that `istm` puts the page in
    pub group: Group,
}

impl Default for TemplateLearnedParameters {
    fn default() -> Self {
        TemplateLearnedParameters { anchor: Value::hundredths(90), repeat: true, group: Group::Site }
    }
}

const PAGE_1: &str = "<body><div><a href=/>Home</a></div><p>Cats sleep all day</p></body>";
const PAGE_2: &str = "<body><div><a href=/>Home</a></div><p>Cats bark</p></body>";
const PAGE_PLACES: &str = "<body>Site<div class='b a'><p>Two of <a href=1>three</a></p></div><div class=b>News</div>\
    <div id=b><b>Links</b></div></body>";
const PAGE_PLACES_2: &str = "<body>Site<div class='a b'><p><a href=1>12345678901</a></p></div><div class=a>News</div>\
    <div><b>Links</b></div></body>";

const fn example(
    title: &'static str,
    siblings: &'static [&'static str],
    parameters: &'static str,
    expected: &'static str,
) -> Example {
    Example::new(title, PAGE_1, parameters, expected).beside(siblings)
}

const fn of_places(title: &'static str, parameters: &'static str, expected: &'static str) -> Example {
    Example::new(title, PAGE_PLACES, parameters, expected).beside(&[PAGE_PLACES_2])
}

impl GroupAlgorithm for TemplateLearned {
    type Parameters = TemplateLearnedParameters;
    type Learned = Groups<Template>;
    type Prepared<'p> = Shares;
    const DECLARATION: Declaration = Declaration {
        name: "template-learned",
        title: "learns which places of a site's pages hold links and which texts are repeated, and keeps the rest",
        source: "after Ou, Dong and Cai (2008), of which NTA says one sentence: a variant with the same inputs; its \
                 threshold is ours",
        faithful_to: FaithfulTo::Variant,
        languages: "any",
        cost: "O(nodes); of a group two counts a place and a mark of each text at its place; every page is parsed once more",
        swept: &[Swept::exact("anchor", "0.5..1/0.05")],
        // Home is repeated, and 8 of 8 characters of div are links. Places: Site is no place's text but repeated; at div
        // with the classes a and b, and at its p, 5 of 10 and 11 of 11 characters are links: 16/21 = 0.762; the other
        // elements are unlike in class or id.
        examples: &[
            example("a link at the same place on both pages", &[PAGE_2], "", "Cats sleep all day"),
            example("repetition alone says the same", &[PAGE_2], "anchor=1", "Cats sleep all day"),
            example("and so do links alone", &[PAGE_2], "repeat=false", "Cats sleep all day"),
            example("at 1 no share is greater", &[PAGE_2], "anchor=1,repeat=false", "Home\nCats sleep all day"),
            example("of a page without others only links go", &[], "", "Cats sleep all day"),
            Example::new("a text twice on one page is not repeated", "<p>a</p><p>a</p>", "", "a\na"),
            Example::new(
                "10 of 11 characters of div are links",
                "<div><a href=/>Home, News.</a><b>|</b></div><p>Cats</p>",
                "",
                "Cats",
            ),
            of_places(
                "Places: tags with id and classes, in any order of these; a link is a place of links",
                "",
                "Two of\nNews\nLinks",
            ),
            of_places("Places: 16 of 21 characters are more than 0.76", "anchor=0.76", "News\nLinks"),
            of_places("Places: and less than 0.77", "anchor=0.77", "Two of\nNews\nLinks"),
            of_places(
                "Places: a text right in the body is at no place, but repeated",
                "anchor=0,repeat=false",
                "Site\nNews\nLinks",
            ),
        ],
        floor: false,
        resources: no_resources,
    };

    fn swept<'p>(parameters: &'p mut TemplateLearnedParameters, name: &str) -> Option<&'p mut Value> {
        (name == "anchor").then_some(&mut parameters.anchor)
    }

    fn scope(parameters: &TemplateLearnedParameters) -> Scope {
        parameters.group.scope()
    }

    fn learn(&self, pages: &dyn Pages, parameters: &TemplateLearnedParameters) -> Result<Groups<Template>, String> {
        Groups::learn(pages, parameters.group, Template::learn)
    }

    fn is_alone(&self, learned: &Groups<Template>, index: usize, _: &TemplateLearnedParameters) -> bool {
        learned.is_alone(index)
    }

    fn prepare(
        &self,
        learned: &Groups<Template>,
        target: Target<'_>,
        parameters: &TemplateLearnedParameters,
    ) -> Shares {
        learned.of(target.index).shares(target.page, parameters.repeat)
    }

    fn choose(&self, prepared: &mut Shares, parameters: &TemplateLearnedParameters) -> Result<Choice, String> {
        let stays = |share: &Option<Value>| share.is_some_and(|share| share <= parameters.anchor);
        Ok(prepared.text.chosen(prepared.shares.iter().map(stays)).collect())
    }

    fn break_points(
        &self,
        prepared: &mut Shares,
        _: &TemplateLearnedParameters,
        _: &str,
    ) -> Result<Vec<Value>, String> {
        Ok(prepared.shares.iter().copied().flatten().collect())
    }

    fn explain(&self, prepared: &mut Shares, parameters: &TemplateLearnedParameters) -> Result<Explanation, String> {
        let judged = |(&id, share): (&NodeId, &Option<Value>)| {
            let Some(share) = *share else {
                return Judged::outside(id, Vec::new())
                    .decided(Verdict::Dropped, "another page has it at the same place");
            };
            let judged = Judged::outside(id, vec![Figure::new("share of links around it", Number::Value(share))]);
            match share <= parameters.anchor {
                true => judged.decided(Verdict::Chosen, "no place around it is one of links"),
                false => judged.decided(Verdict::Dropped, "a place around it is one of links"),
            }
        };
        let nodes = prepared.text.nodes.iter().zip(&prepared.shares).map(judged).collect();
        Ok(Explanation { nodes, ..Explanation::default() })
    }
}

/// The visible text of a page with how much of its places is links.
pub(super) struct Shares {
    text: Arc<VisibleText>,
    /// In the order of the visible text: the greatest share of links of its place and those around it; `None` for a
    /// text that goes whatever the share.
    shares: Vec<Option<Value>>,
}

/// The number of a place.
type Place = u32;

/// The body, which is around all places and none itself.
const BODY: Place = 0;

/// A text at its place: its digest.
type Mark = (Place, u128);

/// What is known of the pages of a group.
#[derive(Default)]
pub(super) struct Template {
    labels: Labels,
    /// By the place around it and its own label.
    places: FxHashMap<(Place, u32), Place>,
    /// Of each place the greatest share of characters in links of it and those around it.
    shares: Vec<Value>,
    /// The texts that stand on several pages.
    repeated: FxHashSet<Mark>,
}

impl Template {
    fn learn(pages: &dyn Pages) -> Self {
        let mut template = Template::default();
        let (mut links, mut around) = (vec![(0, 0)], vec![BODY]);
        let mut is_repeated: FxHashMap<Mark, bool> = FxHashMap::default();
        pages.for_each(|_, page| {
            let places = template.add(page, &mut links, &mut around);
            let mut marks: Vec<Mark> = marks(page, &places).into_iter().flatten().collect();
            marks.sort_unstable();
            marks.dedup();
            for mark in marks {
                is_repeated.entry(mark).and_modify(|repeated| *repeated = true).or_insert(false);
            }
        });
        template.repeated = is_repeated.into_iter().filter(|&(_, repeated)| repeated).map(|(mark, _)| mark).collect();
        for (&(linked, chars), around) in links.iter().zip(around) {
            // Places are numbered after those around them.
            let outer = template.shares.get(around as usize).copied().unwrap_or(Value::ZERO);
            template.shares.push(outer.max(Value::ratio(linked, chars)));
        }
        template
    }

    /// Counts the characters of the page's places, those in links first, and numbers the places that are new, each
    /// with the one around it.
    fn add(&mut self, page: &Page, links: &mut Vec<(u64, u64)>, around: &mut Vec<Place>) -> Vec<Option<Place>> {
        let (tree, text, in_links) = (&page.tree, page.view::<VisibleText>(), Links::of(page, Anchor::Href));
        places(page, |outer, id| {
            let label = self.labels.of(tree, id, Attributes::IdClass);
            let place = *self.places.entry((outer, label)).or_insert(links.len() as Place);
            if place as usize == links.len() {
                links.push((0, 0));
                around.push(outer);
            }
            let (linked, chars) = &mut links[place as usize];
            *linked += u64::from(in_links.chars(tree, id));
            *chars += u64::from(text.chars(tree, id));
            Some(place)
        })
    }

    fn shares(&self, page: &Page, repeat: bool) -> Shares {
        let (tree, text) = (&page.tree, page.view::<VisibleText>());
        let mut written = String::new();
        let places = places(page, |outer, id| {
            let label = self.labels.find(tree, id, Attributes::IdClass, &mut written)?;
            self.places.get(&(outer, label)).copied()
        });
        let share = |mark: Option<Mark>| match mark {
            Some(mark) if repeat && self.repeated.contains(&mark) => None,
            Some((place, _)) => Some(self.shares[place as usize]),
            None => Some(Value::ZERO),
        };
        let shares = marks(page, &places).into_iter().map(share).collect();
        Shares { text, shares }
    }
}

/// The place of each node of the page, by its position: `place` gives that of an element with visible text, of which
/// the one around it is known. `None` where there is none.
fn places(page: &Page, mut place: impl FnMut(Place, NodeId) -> Option<Place>) -> Vec<Option<Place>> {
    let (tree, text) = (&page.tree, page.view::<VisibleText>());
    let mut places = vec![None; tree.len()];
    let Some(body) = text.body else { return places };
    places[body.index()] = Some(BODY);
    let nodes = visible_nodes(tree, body).skip(1).filter(|&id| tree.is_element(id) && text.chars(tree, id) > 0);
    for id in nodes {
        let outer = tree.parent(id).and_then(|parent| places[parent.index()]);
        places[id.index()] = outer.and_then(|outer| place(outer, id));
    }
    places
}

/// The mark of each visible text, in order; `None` for one whose place is not known.
fn marks(page: &Page, places: &[Option<Place>]) -> Vec<Option<Mark>> {
    let tree = &page.tree;
    let mark = |&id: &NodeId| {
        let place = places[tree.parent(id)?.index()]?;
        Some((place, digest(collapse(tree.text(id)))))
    };
    page.view::<VisibleText>().nodes.iter().map(mark).collect()
}
