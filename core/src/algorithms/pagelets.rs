//! Pagelets: deletes regions of a page that other pages of its site have word for word.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::Choice;
use super::declaration::{Declaration, Example, FaithfulTo, no_resources};
use super::explanation::{Explanation, Figure, Judged, Verdict};
use super::features::digests::digest;
use super::features::links::{Anchor, Links};
use super::features::visible::VisibleText;
use super::group::{GroupAlgorithm, Pages, Scope, Target};
use super::parameters::check_whole;
use super::value::Value;
use crate::page::Page;
use crate::page::tree::NodeId;
use crate::text::is_white_space;

/// Pagelets.
pub(super) struct Pagelets;

/// Parameters of `pagelets`; the first value of each is the default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PageletsParameters {
    /// the paper's k: an element is parted where one of its children holds so many links
    #[schemars(extend("from" = "1"))]
    pub min_links: Value,
    /// on how many pages a pagelet stands that is template, 2 or more; or, up to 1, on which share of the site's pages
    /// (and on 2 at least); pages with the same text are one page
    pub min_pages: Value,
    /// when two pagelets are the same: with equal characters, or with equal least hashes of their runs of characters
    #[serde(rename = "match")]
    pub matching: Match,
    /// how many characters a run has that `match=sketch` hashes, whole
    #[schemars(extend("from" = "1", "to" = "64"))]
    pub sketch_width: Value,
    /// what a text directly in an element that is parted is: a pagelet of its own, or never template
    pub loose: Loose,
}

impl Default for PageletsParameters {
    fn default() -> Self {
        PageletsParameters {
            min_links: Value::decimal(3, 0),
            min_pages: Value::decimal(2, 0),
            matching: Match::Exact,
            sketch_width: Value::decimal(8, 0),
            loose: Loose::Pagelet,
        }
    }
}

/// When two pagelets are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Match {
    /// Their characters are equal, but for white space.
    Exact,
    /// The least of their runs' hashes is: as likely as their runs are the same.
    Sketch,
}

/// What a text is that is a child of a parted element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Loose {
    /// A pagelet.
    Pagelet,
    /// Never template, as the definition is printed.
    Keep,
}

/// A page about cats or dogs.
macro_rules! golden {
    ($text:literal) => {
        concat!(
            "<body><ul><li><a href=/1>A1</a><li><a href=/2>A2</a><li><a href=/3>A3</a></ul><div><p>",
            $text,
            "</p><p>See <a href=/x>more</a>.</p></div><div>(c) Site</div></body>"
        )
    };
}

const CATS: &str = golden!("Cats sleep.");
const DOGS: &str = golden!("Dogs bark.");
const DOGS_AS_TEXT: &str = "<body><div><p>A1 A2 A3<p>Dogs bark.<p>See more.<p>(c) Site</div></body>";
const FISH: &str =
    "<body><div><a href=/4>B1</a><a href=/5>B2</a><a href=/6>B3</a></div><p>Fish swim.</p><div>(c)  Site</div></body>";
const ALL_OF_CATS: &str = "A1\nA2\nA3\nCats sleep.\nSee more.\n(c) Site";

const LOOSE_CATS: &str = "<body>Site<ul><li><a href=/1>A</a><li><a href=/2>B</a><li><a href=/3>C</a></ul>==========<div>Cats sleep.</div></body>";
const LOOSE_DOGS: &str = "<body>Site<ul><li><a href=/4>D</a><li><a href=/5>E</a><li><a href=/6>F</a></ul>============<div>Dogs bark.</div></body>";

const fn example(
    title: &'static str,
    siblings: &'static [&'static str],
    parameters: &'static str,
    expected: &'static str,
) -> Example {
    Example::new(title, CATS, parameters, expected).beside(siblings)
}

impl GroupAlgorithm for Pagelets {
    type Parameters = PageletsParameters;
    type Learned = Known;
    type Prepared<'p> = Parted;
    const DECLARATION: Declaration = Declaration {
        name: "pagelets",
        title: "takes away the regions of a page that another page of the site has with the same text",
        source: "Z. Bar-Yossef, S. Rajagopalan, Template detection via data mining and its applications, WWW 2002: its \
                 definition of a pagelet, recalled; the sketch of texts is ours",
        faithful_to: FaithfulTo::Paper,
        languages: "any",
        cost: "O(nodes) per page, each parsed once more; a hash for each region of a site",
        swept: &[],
        examples: &[
            example(
                "the list and the footer are on both pages; See more. is too, but is no pagelet",
                &[DOGS],
                "",
                "Cats sleep.\nSee more.",
            ),
            example("no child of the body holds four links: it is the pagelet", &[DOGS], "min_links=4", ALL_OF_CATS),
            example("each link is a pagelet, and each text beside one", &[DOGS], "min_links=1", "Cats sleep."),
            example(
                "the list is on two of three pages, the footer on all",
                &[DOGS, FISH],
                "min_pages=3",
                "A1\nA2\nA3\nCats sleep.\nSee more.",
            ),
            example("two of three pages are more than half", &[DOGS, FISH], "min_pages=0.51", "Cats sleep.\nSee more."),
            example("a copy of the page is no other page", &[CATS], "", ALL_OF_CATS),
            example(
                "two pages of one text are one page, with the regions of both",
                &[DOGS_AS_TEXT, DOGS],
                "",
                "Cats sleep.\nSee more.",
            ),
            example("a page without others is kept whole", &[], "", ALL_OF_CATS),
            Example::new(
                "Site is a pagelet; the rules are not equal",
                LOOSE_CATS,
                "",
                "A\nB\nC\n==========\nCats sleep.",
            )
            .beside(&[LOOSE_DOGS]),
            Example::new("but have the same runs of eight", LOOSE_CATS, "match=sketch", "A\nB\nC\nCats sleep.")
                .beside(&[LOOSE_DOGS]),
            Example::new(
                "texts beside the list are kept",
                LOOSE_CATS,
                "loose=keep",
                "Site\nA\nB\nC\n==========\nCats sleep.",
            )
            .beside(&[LOOSE_DOGS]),
        ],
        floor: false,
        resources: no_resources,
    };

    fn check(parameters: &PageletsParameters) -> Result<(), String> {
        check_whole("min_links", parameters.min_links)?;
        check_whole("sketch_width", parameters.sketch_width)?;
        let pages = parameters.min_pages;
        let is_share = Value::ZERO < pages && pages <= Value::ONE;
        if is_share || pages.scaled(0).is_some_and(|pages| pages >= 2) {
            return Ok(());
        }
        Err(format!("min_pages: expected a whole number from 2, or a share above 0 and up to 1, not `{pages}`"))
    }

    fn scope(_: &PageletsParameters) -> Scope {
        Scope::Site
    }

    fn learn(&self, pages: &dyn Pages, parameters: &PageletsParameters) -> Result<Known, String> {
        let mut known = Known::default();
        let (mut texts, mut of_texts) = (FxHashSet::default(), FxHashSet::default());
        pages.for_each(|_, page| {
            let whole = digest(joined(page, &page.view::<VisibleText>().nodes));
            texts.insert(whole);
            // Pages of one text are one page, which has the pagelets of each.
            for Pagelet { key, .. } in pagelets(page, parameters) {
                if of_texts.insert((whole, key)) {
                    *known.pages_with.entry(key).or_insert(0) += 1;
                }
            }
        });
        known.pages = texts.len() as u64;
        Ok(known)
    }

    fn prepare(&self, learned: &Known, Target { page, .. }: Target<'_>, parameters: &PageletsParameters) -> Parted {
        let text = page.view::<VisibleText>();
        let mut texts = vec![(0, true); text.nodes.len()];
        for pagelet in pagelets(page, parameters) {
            let pages = learned.pages_with.get(&pagelet.key).copied().unwrap_or_default();
            texts[pagelet.texts].fill((pages, !learned.is_template(pages, parameters.min_pages)));
        }
        Parted { text, texts }
    }

    fn choose(&self, prepared: &mut Parted, _: &PageletsParameters) -> Result<Choice, String> {
        Ok(prepared.text.chosen(prepared.texts.iter().map(|&(_, is_kept)| is_kept)).collect())
    }

    fn explain(&self, prepared: &mut Parted, _: &PageletsParameters) -> Result<Explanation, String> {
        let judged = |(&id, &(pages, is_kept)): (&NodeId, &(u64, bool))| {
            let judged = Judged::outside(id, vec![Figure::count("pages with its pagelet", pages)]);
            match is_kept {
                true => judged.decided(Verdict::Chosen, "it is in no pagelet that enough pages have"),
                false => judged.decided(Verdict::Dropped, "enough pages have its pagelet"),
            }
        };
        let nodes = prepared.text.nodes.iter().zip(&prepared.texts).map(judged).collect();
        Ok(Explanation { nodes, ..Explanation::default() })
    }
}

/// A page with what is known of its pagelets.
pub(super) struct Parted {
    text: Arc<VisibleText>,
    /// For each of [`VisibleText::nodes`]: how many pages have its pagelet, and whether it is kept.
    texts: Vec<(u64, bool)>,
}

/// What is known of the pages of a site. A page whose text is that of an earlier one does not count.
#[derive(Default)]
pub(super) struct Known {
    pages: u64,
    /// On how many pages each pagelet stands, by its key.
    pages_with: FxHashMap<u128, u64>,
}

impl Known {
    /// Whether a pagelet that so many pages have is template.
    fn is_template(&self, pages: u64, min_pages: Value) -> bool {
        let is_enough = if min_pages <= Value::ONE {
            min_pages.compare_ratio(pages, self.pages).is_ge()
        } else {
            min_pages.whole() <= pages
        };
        pages >= 2 && is_enough
    }
}

struct Pagelet {
    /// The places of its texts among [`VisibleText::nodes`].
    texts: Range<usize>,
    /// Equal for pagelets that are the same.
    key: u128,
}

/// The pagelets of a page that hold text.
fn pagelets(page: &Page, parameters: &PageletsParameters) -> Vec<Pagelet> {
    let text = page.view::<VisibleText>();
    let pagelet = |texts: Range<usize>| {
        let joined = joined(page, &text.nodes[texts.clone()]);
        let key = match parameters.matching {
            Match::Exact => digest(joined),
            Match::Sketch => least_hash(&joined, parameters.sketch_width.whole()).into(),
        };
        Pagelet { texts, key }
    };
    regions(page, parameters).into_iter().map(pagelet).collect()
}

/// The places among [`VisibleText::nodes`] of the texts of each pagelet.
fn regions(page: &Page, parameters: &PageletsParameters) -> Vec<Range<usize>> {
    let (tree, text, links) = (&page.tree, page.view::<VisibleText>(), Links::of(page, Anchor::Href));
    let mut regions = Vec::new();
    let mut left: Vec<NodeId> = text.body.into_iter().collect();
    while let Some(element) = left.pop() {
        let is_child = |&child: &NodeId| tree.is_element(child) && !tree.is_invisible(child);
        let has_links = |child: NodeId| u64::from(links.count(tree, child)) >= parameters.min_links.whole();
        if tree.children(element).filter(is_child).any(has_links) {
            left.extend(tree.children(element).filter(is_child));
            let is_loose = parameters.loose == Loose::Pagelet;
            let loose = tree.children(element).filter(|_| is_loose).filter_map(|child| text.rank(tree, child));
            regions.extend(loose.map(|place| place..place + 1));
        } else {
            regions.push(text.places(tree, element));
        }
    }
    regions.retain(|texts| !texts.is_empty());
    regions
}

/// The characters of some texts, without white space.
fn joined(page: &Page, texts: &[NodeId]) -> String {
    let characters = texts.iter().flat_map(|&id| page.tree.text(id).chars());
    characters.filter(|&c| !is_white_space(c)).collect()
}

/// The least FNV-1a hash of the runs of `width` characters; of the whole text where it is shorter.
fn least_hash(text: &str, width: u64) -> u64 {
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let width = usize::try_from(width).unwrap_or(usize::MAX).min(starts.len() - 1);
    let runs = starts.iter().zip(&starts[width..]).map(|(&from, &to)| fnv_1a(&text.as_bytes()[from..to]));
    runs.min().unwrap_or_default()
}

/// The hash of Fowler, Noll and Vo with 64 bits.
fn fnv_1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_that_are_published() {
        assert_eq!(fnv_1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv_1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv_1a(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn a_sketch_is_the_least_of_the_runs() {
        let runs = ["猫每天睡", "每天睡觉", "天睡觉。"].map(|run| fnv_1a(run.as_bytes()));
        assert_eq!(least_hash("猫每天睡觉。", 4), runs.into_iter().min().unwrap());
        for width in [6, 7, u64::MAX] {
            assert_eq!(least_hash("猫每天睡觉。", width), fnv_1a("猫每天睡觉。".as_bytes()));
        }
    }

    #[test]
    fn a_share_of_the_pages_is_two_at_least() {
        let known = Known { pages: 10, ..Known::default() };
        let template = |min_pages: &str| [1, 2, 5].map(|pages| known.is_template(pages, min_pages.parse().unwrap()));
        assert_eq!(template("2"), [false, true, true]);
        assert_eq!(template("0.05"), [false, true, true]);
        assert_eq!(template("0.5"), [false, false, true]);
        assert_eq!(template("0.51"), [false, false, false]);
        assert_eq!(template("1"), [false, false, false]);
    }

    #[test]
    fn numbers_of_pages_are_whole_or_a_share() {
        for (min_pages, is_right) in
            [("2", true), ("0.3", true), ("1", true), ("0", false), ("1.5", false), ("inf", false)]
        {
            let parameters =
                PageletsParameters { min_pages: min_pages.parse().unwrap(), ..PageletsParameters::default() };
            assert_eq!(Pagelets::check(&parameters).is_ok(), is_right, "{min_pages}");
        }
    }
}
