//! Layout: deletes what a page shares with the page of its site whose layout is most similar.
//!
//! The layout of a page is the multiset of tag paths from the body to its leaves. Among the other pages of the group,
//! the one with the most similar layout is the reference (`address`: the one with the most similar address first).
//! Texts that the reference has, too, are deleted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::Choice;
use super::declaration::{Declaration, Example, FaithfulTo, Swept, no_resources};
use super::features::deletion::{Original, Pairing};
use super::features::groups::Group;
use super::features::references::{Neighbour, Neighbours, ReferenceBy};
use super::features::visible::VisibleText;
use super::group::{GroupAlgorithm, Pages, Scope, Target};
use super::parameters::check_whole;
use super::value::Value;

/// Deletion of the texts that the page with the nearest layout has too.
pub(super) struct Layout;

/// Parameters of `layout`; the first value of each is the default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LayoutParameters {
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

/// Which texts of the reference are the same as those of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Match {
    /// Those with equal tag paths.
    PathText,
    /// As `istm` deletes with `pairing: static`.
    Static,
    /// As with `pairing: live`.
    Live,
    /// As with `pairing: aligned`.
    Aligned,
}

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
    type Learned = Neighbours;
    type Prepared<'p> = Prepared<'p>;
    const DECLARATION: Declaration = Declaration {
        name: "layout",
        title: "deletes the texts that the page of the site with the most similar layout has at equal tag paths",
        source: "Yang, Li and Geng (2015), which ISTM compares itself with: reconstructed from its abstract and ISTM's \
                 words",
        faithful_to: FaithfulTo::Reconstruction,
        languages: "any",
        cost: "O(nodes) per page, O(distinct tag paths) per pair of pages of a site; every page is parsed once more, and \
               its reference is; `group=cluster`: and the clusters of istm",
        swept: &[Swept::exact("min_layout", "0.5..1.0/0.05")],
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

    fn swept<'p>(parameters: &'p mut LayoutParameters, name: &str) -> Option<&'p mut Value> {
        (name == "min_layout").then_some(&mut parameters.min_layout)
    }

    fn check(parameters: &LayoutParameters) -> Result<(), String> {
        check_whole("candidates", parameters.candidates)
    }

    fn scope(parameters: &LayoutParameters) -> Scope {
        parameters.group.scope()
    }

    fn learn(&self, pages: &dyn Pages, parameters: &LayoutParameters) -> Result<Neighbours, String> {
        Neighbours::learn(pages, parameters.group)
    }

    fn is_alone(&self, learned: &Neighbours, index: usize, _: &LayoutParameters) -> bool {
        learned.is_alone(index)
    }

    fn prepare<'p>(&self, learned: &'p Neighbours, target: Target<'p>, parameters: &LayoutParameters) -> Prepared<'p> {
        let LayoutParameters { reference_by, candidates, matching, .. } = *parameters;
        let reference = learned.nearest(target.index, reference_by, candidates);
        Prepared { target, reference, pairing: matching.pairing(), without: None }
    }

    fn choose(&self, prepared: &mut Prepared<'_>, parameters: &LayoutParameters) -> Result<Choice, String> {
        match prepared.reference {
            Some(nearest) if nearest.layout >= parameters.min_layout => prepared.without(nearest.page()),
            _ => Ok(prepared.target.page.view::<VisibleText>().nodes.iter().copied().collect()),
        }
    }

    fn break_points(&self, prepared: &mut Prepared<'_>, _: &LayoutParameters, _: &str) -> Result<Vec<Value>, String> {
        Ok(prepared.reference.iter().map(|nearest| nearest.layout).collect())
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

/// A page with its reference.
pub(super) struct Prepared<'p> {
    target: Target<'p>,
    reference: Option<Neighbour>,
    pairing: Pairing,
    /// What is left where what the reference has too is deleted, once it was asked for.
    without: Option<Choice>,
}

impl Prepared<'_> {
    fn without(&mut self, reference: usize) -> Result<Choice, String> {
        if let Some(known) = &self.without {
            return Ok(known.clone());
        }
        let choice = Original::new(self.target.page).without([self.target.beside(reference)], self.pairing)?;
        self.without = Some(choice.clone());
        Ok(choice)
    }
}
