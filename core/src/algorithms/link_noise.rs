//! Link noise: drops blocks that consist mostly of links which exist for other reasons than the page that they lead to.
//!
//! Six features vote on each link, or a model learned from them decides. A learned model makes a row of a run, because
//! algorithms do not see the gold.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use html5ever::{LocalName, local_name};
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::Choice;
use super::declaration::{Declaration, Example, FaithfulTo, Swept, no_resources};
use super::explanation::{Explanation, Figure, Judged, Verdict};
use super::features::leaf_blocks::LeafBlocks;
use super::features::links::{Anchor, Links};
use super::features::visible::{VisibleText, visible_nodes};
use super::group::{GroupAlgorithm, Pages, Scope, Target};
use super::parameters::check_whole;
use super::value::Value;
use crate::page::Page;
use crate::page::tree::{NodeId, Tree};
use crate::text::urls::{host_of, registrable_domain};

/// Link noise.
pub struct LinkNoise;

/// Its name in configurations.
pub const NAME: &str = "link-noise";

/// Parameters of `link-noise`; the first value of each is the default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkNoiseParameters {
    /// what makes a link noise: so many `votes` of the six features, or a logistic regression on them, `learned` from the
    /// gold of other sites (it then reads gold, as `fiasco-lite` does: `votes` means nothing, and it is no member or fallback)
    pub scores: Scores,
    /// how many of the six features make a link noise, whole
    #[schemars(extend("from" = "1", "to" = "6"))]
    pub votes: Value,
    /// the least share of its characters in links that are noise with which a block is dropped; one without such links
    /// never is
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub threshold: Value,
    /// how many characters a short link has at most, whole
    pub short: Value,
    /// whether links that are noise stay in blocks that stay
    pub kept_links: KeptLinks,
}

impl Default for LinkNoiseParameters {
    fn default() -> Self {
        LinkNoiseParameters {
            scores: Scores::Votes,
            votes: Value::decimal(2, 0),
            threshold: Value::hundredths(50),
            short: Value::decimal(10, 0),
            kept_links: KeptLinks::Keep,
        }
    }
}

/// How it is known which links are noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the words are explained at the field")]
pub enum Scores {
    Votes,
    Learned,
}

/// What becomes of links that are noise in blocks that stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the words are explained at the field")]
pub enum KeptLinks {
    Keep,
    Drop,
}

const PAGE: &str = "<body><p><a href=\"/\">Home</a> <a href=\"/news\">News</a></p><p>Cats sleep, says \
    <a href=\"http://other.org/cats/2012\">a long report on cats</a>.</p></body>";
const ALL_TEXT: &str = "Home News\nCats sleep, says a long report on cats.";

const PAGE_SHARE: &str = "<body><p>Cats sleep. <a href=http://other.org/share?cats>Tell all of your friends</a></p>\
    <p>Dogs bark. <a href=http://other.org/ class=track>More</a> of that.</p></body>";
const ANOTHER: &str = "<body><a href=\" http://other.org/share?cats\">Tell</a></body>";

impl GroupAlgorithm for LinkNoise {
    type Parameters = LinkNoiseParameters;
    type Learned = Addresses;
    type Prepared<'p> = Linked;
    const DECLARATION: Declaration = Declaration {
        name: NAME,
        title: "drops the blocks whose characters are mostly in links that lead nowhere new",
        source: "B. Davison, Recognizing nepotistic links on the Web, 2000, from its abstract: six features that the page \
                 and its site show are counted in place of what is learnt from both linked pages",
        faithful_to: FaithfulTo::Variant,
        languages: "any",
        cost: "O(nodes) per page, each parsed once more; the distinct addresses that a site links",
        swept: &[Swept::on_grid("votes", "1..6/1"), Swept::exact("threshold", "0..1/0.05")],
        // Home and News have no host of their own, are short and stand in a list; the report has 17 characters and
        // another host. Share: a word of noise, and once another page has it, two features, for 20 of 30 characters;
        // More: short and marked, for 4 of 20.
        examples: &[
            Example::new("two features are enough", PAGE, "", "Cats sleep, says a long report on cats."),
            Example::new("no link has four", PAGE, "votes=4", ALL_TEXT),
            Example::new("with short ones of three characters Home has two", PAGE, "votes=3,short=3", ALL_TEXT),
            Example::new(
                "one word of noise is not enough",
                PAGE_SHARE,
                "",
                "Cats sleep. Tell all of your friends\nDogs bark. More of that.",
            ),
            Example::new("another page has the link too", PAGE_SHARE, "", "Dogs bark. More of that.")
                .beside(&[ANOTHER]),
            Example::new(
                "20 of 30 characters are less than 0.7",
                PAGE_SHARE,
                "threshold=0.7",
                "Cats sleep. Tell all of your friends\nDogs bark. More of that.",
            )
            .beside(&[ANOTHER]),
            Example::new("in blocks that stay", PAGE_SHARE, "kept_links=drop", "Dogs bark. of that.")
                .beside(&[ANOTHER]),
        ],
        floor: false,
        resources: no_resources,
    };

    fn swept<'p>(parameters: &'p mut LinkNoiseParameters, name: &str) -> Option<&'p mut Value> {
        (name == "threshold").then_some(&mut parameters.threshold)
    }

    fn check(parameters: &LinkNoiseParameters) -> Result<(), String> {
        check_whole("votes", parameters.votes)?;
        check_whole("short", parameters.short)
    }

    fn scope(_: &LinkNoiseParameters) -> Scope {
        Scope::Site
    }

    fn needs_gold(parameters: &LinkNoiseParameters) -> bool {
        parameters.scores == Scores::Learned
    }

    fn learn(&self, pages: &dyn Pages, _: &LinkNoiseParameters) -> Result<Self::Learned, String> {
        let mut known = Addresses::default();
        pages.for_each(|_, page| known.add(addresses(page)));
        Ok(known)
    }

    fn prepare<'p>(
        &self,
        learned: &'p Self::Learned,
        Target { page, .. }: Target<'p>,
        parameters: &Self::Parameters,
    ) -> Linked {
        Linked::of(page, learned, parameters)
    }

    fn choose(&self, prepared: &mut Linked, parameters: &LinkNoiseParameters) -> Result<Choice, String> {
        Ok(prepared.choice(by_votes(parameters)?, parameters))
    }

    fn break_points(
        &self,
        prepared: &mut Linked,
        parameters: &LinkNoiseParameters,
        _: &str,
    ) -> Result<Vec<Value>, String> {
        let is_noise = prepared.is_noise_at(by_votes(parameters)?);
        Ok(prepared.shares(is_noise).map(|(_, noise, all)| Value::ratio(noise, all)).collect())
    }

    fn explain(&self, prepared: &mut Linked, parameters: &LinkNoiseParameters) -> Result<Explanation, String> {
        let count = |features: Option<&Features>| {
            vec![Figure::count("features of noise that its link has", features.map_or(0, votes))]
        };
        let nodes = prepared.judged(by_votes(parameters)?, parameters, count);
        Ok(Explanation { nodes, ..Explanation::default() })
    }
}

/// What the features of a link are, in their order.
pub const FEATURES: [&str; 6] = [
    "leads to its own site", "is short", "stands in a list", "leads to no document", "is marked",
    "is on another page too",
];

/// The six features of a link, in the order of [`FEATURES`].
pub type Features = [bool; 6];

fn votes(features: &Features) -> u64 {
    features.iter().filter(|&&holds| holds).count() as u64
}

/// Whether a link of some features is noise by their number.
fn by_votes(parameters: &LinkNoiseParameters) -> Result<impl Fn(&Features) -> bool, String> {
    match parameters.scores {
        Scores::Votes => Ok(|features: &Features| votes(features) >= parameters.votes.whole()),
        Scores::Learned => Err("link-noise with learned scores learns from the gold of a run's pages".to_owned()),
    }
}

/// On how many pages of a group each address is linked.
#[derive(Default)]
pub struct Addresses(FxHashMap<Box<str>, u32>);

impl Addresses {
    /// Adds those of one more page, each once.
    pub fn add<A: Into<Box<str>>>(&mut self, of_page: impl IntoIterator<Item = A>) {
        of_page.into_iter().for_each(|address| *self.0.entry(address.into()).or_insert(0) += 1);
    }
}

/// The addresses that a page links, each once.
pub fn addresses(page: &Page) -> BTreeSet<&str> {
    let tree = &page.tree;
    let links = tree.body().into_iter().flat_map(|body| links_at(tree, body));
    links.map(|id| address(tree, id)).collect()
}

/// The links of a page with their features, given the addresses of its group, in document order.
pub fn links(page: &Page, group: &Addresses, parameters: &LinkNoiseParameters) -> Vec<(NodeId, Features)> {
    let (tree, text, blocks) = (&page.tree, page.view::<VisibleText>(), page.view::<LeafBlocks>());
    let listed = listed_links(&nearest_links(page), &blocks);
    let with_features = |link: NodeId| {
        let address = address(tree, link);
        let features = [
            is_of_owner(address, page.site()),
            u64::from(text.chars(tree, link)) <= parameters.short.whole(),
            listed.contains(&link),
            !is_document(address),
            is_marked(tree, link),
            group.0.get(address).is_some_and(|&pages| pages > 1),
        ];
        (link, features)
    };
    text.body.into_iter().flat_map(|body| links_at(tree, body)).map(with_features).collect()
}

/// The links at or below `root`.
fn links_at(tree: &Tree, root: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    visible_nodes(tree, root).filter(|&id| Links::is_link(tree, id, Anchor::Href))
}

/// Where a link leads, as it is written.
fn address(tree: &Tree, link: NodeId) -> &str {
    tree.attribute(link, &local_name!("href")).unwrap_or_default().trim()
}

/// The innermost link around each visible text.
fn nearest_links(page: &Page) -> Vec<Option<NodeId>> {
    let (tree, text) = (&page.tree, page.view::<VisibleText>());
    let mut nearest = vec![None; text.nodes.len()];
    // Inner links come later.
    for link in text.body.into_iter().flat_map(|body| links_at(tree, body)) {
        nearest[text.places(tree, link)].fill(Some(link));
    }
    nearest
}

/// The links with text in a list: in a block of links alone, beside another one or beside another block of links alone.
fn listed_links(link_of: &[Option<NodeId>], blocks: &LeafBlocks) -> BTreeSet<NodeId> {
    let links: Vec<&[Option<NodeId>]> = blocks.blocks.iter().map(|block| &link_of[block.texts.clone()]).collect();
    let is_of_links: Vec<bool> = links.iter().map(|links| links.iter().all(Option::is_some)).collect();
    let is_list = |at: usize| {
        let is_beside = |other: Option<usize>| other.and_then(|other| is_of_links.get(other)).is_some_and(|&is| is);
        let holds_another = links[at].iter().any(|link| *link != links[at][0]);
        is_of_links[at] && (holds_another || is_beside(at.checked_sub(1)) || is_beside(Some(at + 1)))
    };
    let lists = (0..links.len()).filter(|&at| is_list(at));
    lists.flat_map(|at| links[at].iter().copied().flatten()).collect()
}

/// Whether an address has no host of its own, or one of the page's site.
fn is_of_owner(address: &str, site: Option<&str>) -> bool {
    match own_host(address) {
        None => true,
        Some(host) => site.is_some_and(|site| registrable_domain(&host) == site),
    }
}

/// The host in an address: a script may look as if it had one, `javascript://`.
fn own_host(address: &str) -> Option<String> {
    match (scheme(address), address.strip_prefix("//")) {
        (Some(scheme), _) if !is_script(scheme) && address[scheme.len()..].starts_with("://") => host_of(address),
        (None, Some(rest)) => host_of(&format!("http://{rest}")),
        _ => None,
    }
}

fn is_script(scheme: &str) -> bool {
    ["javascript", "vbscript"].iter().any(|script| scheme.eq_ignore_ascii_case(script))
}

fn scheme(address: &str) -> Option<&str> {
    let (scheme, _) = address.split_once(':')?;
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    is_scheme.then_some(scheme)
}

/// Whether an address leads to another document.
fn is_document(address: &str) -> bool {
    let is_web =
        scheme(address).is_none_or(|scheme| ["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web)));
    is_web && !address.is_empty() && !address.starts_with('#')
}

/// Whether the page's own words say that a link is no recommendation.
fn is_marked(tree: &Tree, link: NodeId) -> bool {
    let value = |name: LocalName| tree.attribute(link, &name).unwrap_or_default();
    let is_told = value(local_name!("rel")).split_whitespace().any(|word| word.eq_ignore_ascii_case("nofollow"));
    is_told || has_word_of_noise(value(local_name!("href"))) || has_word_of_noise(value(local_name!("class")))
}

fn has_word_of_noise(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).map(str::to_lowercase);
    words.into_iter().any(|word| {
        let begins = ["advert", "sponsor", "promo", "track"].iter().any(|begin| word.starts_with(begin));
        begins || ["ad", "ads", "adv", "banner", "click", "share", "login", "register", "rss"].contains(&word.as_str())
    })
}

/// A page with the features of its links.
pub struct Linked {
    text: Arc<VisibleText>,
    blocks: Arc<LeafBlocks>,
    /// Of each visible text.
    chars: Vec<u64>,
    /// Of the innermost link around each visible text.
    features: Vec<Option<Features>>,
}

impl Linked {
    /// The links of `page`, given the addresses of its group.
    pub fn of(page: &Page, group: &Addresses, parameters: &LinkNoiseParameters) -> Self {
        let (tree, text, blocks) = (&page.tree, page.view::<VisibleText>(), page.view::<LeafBlocks>());
        let features: FxHashMap<NodeId, Features> = links(page, group, parameters).into_iter().collect();
        let features = nearest_links(page).into_iter().map(|link| link.map(|link| features[&link])).collect();
        let chars = text.nodes.iter().map(|&id| text.chars(tree, id).into()).collect();
        Linked { text, blocks, chars, features }
    }

    /// What stays where links of such features are noise.
    pub fn choice(&self, is_noise: impl Fn(&Features) -> bool, parameters: &LinkNoiseParameters) -> Choice {
        self.text.chosen(self.kept(is_noise, parameters)).collect()
    }

    /// Each text with the numbers of its link, and whether it stays.
    pub fn judged(
        &self,
        is_noise: impl Fn(&Features) -> bool,
        parameters: &LinkNoiseParameters,
        figures: impl Fn(Option<&Features>) -> Vec<Figure>,
    ) -> Vec<Judged> {
        let kept = self.kept(is_noise, parameters);
        let judged = |((&id, features), is_kept): ((&NodeId, &Option<Features>), bool)| {
            let judged = Judged::outside(id, figures(features.as_ref()));
            match is_kept {
                true => judged.decided(Verdict::Chosen, "its block is not mostly links that are noise"),
                false => judged.decided(Verdict::Dropped, "its block is mostly links that are noise, or it is one"),
            }
        };
        self.text.nodes.iter().zip(&self.features).zip(kept).map(judged).collect()
    }

    /// The texts of each block with the characters in links that are noise, and with all.
    fn shares(&self, is_noise: impl Fn(usize) -> bool) -> impl Iterator<Item = (Range<usize>, u64, u64)> {
        self.blocks.blocks.iter().map(move |block| {
            let texts = block.texts.clone();
            let noise = texts.clone().filter(|&place| is_noise(place)).map(|place| self.chars[place]).sum();
            let all = self.chars[texts.clone()].iter().sum();
            (texts, noise, all)
        })
    }

    /// Whether the text at a place is in a link that is noise.
    fn is_noise_at(&self, is_noise: impl Fn(&Features) -> bool) -> impl Fn(usize) -> bool {
        move |place| self.features[place].as_ref().is_some_and(&is_noise)
    }

    /// For each visible text whether it is chosen.
    fn kept(&self, is_noise: impl Fn(&Features) -> bool, parameters: &LinkNoiseParameters) -> Vec<bool> {
        let is_noise = self.is_noise_at(is_noise);
        let mut kept = vec![true; self.features.len()];
        let drops_links = parameters.kept_links == KeptLinks::Drop;
        for (texts, noise, all) in self.shares(&is_noise) {
            let is_dropped = noise > 0 && parameters.threshold.compare_ratio(noise, all).is_ge();
            texts.for_each(|place| kept[place] = !(is_dropped || drops_links && is_noise(place)));
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Context;

    #[test]
    fn a_link_without_a_host_or_with_the_sites_is_its_owners() {
        for (address, expected) in [
            ("/news", true),
            ("", true),
            ("#top", true),
            ("go?to=http://other.org/", true),
            ("javascript:open('http://other.org/')", true),
            ("JavaScript://void(0)", true),
            ("ftp://other.org/", false),
            ("http://www.example.com/a", true),
            ("//img.example.com", true),
            ("HTTPS://Example.COM", true),
            ("http://other.org/?http://example.com", false),
            ("//other.org/", false),
        ] {
            assert_eq!(is_of_owner(address, Some("example.com")), expected, "{address}");
        }
        assert!(!is_of_owner("http://www.example.com/", None));
    }

    #[test]
    fn a_document_has_an_address_on_the_web() {
        assert!(["/a", "a#b", "http://a/", "HTTPS://a", "?a:b", "//a/"].into_iter().all(is_document));
        assert!(!["", "#a", "javascript:", "mailto:a@b.c", "ftp://a/"].into_iter().any(is_document));
    }

    #[test]
    fn words_of_noise_stand_between_other_characters_than_letters() {
        let noise = ["/ad/1", "x?ads=2", "Track_7", "http://click.server.net/", "sponsored", "a-RSS", "新1login"];
        assert!(noise.into_iter().all(has_word_of_noise));
        assert!(
            !["/load", "bad", "shared", "clickable", "adx", "logins", "新ad", ""].into_iter().any(has_word_of_noise)
        );
    }

    #[test]
    fn features_of_a_page_worked_by_hand() {
        let context = Context { site: Some("example.com".to_owned()), ..Context::default() };
        let votes_of = |html: &str| {
            let page = Arc::new(Page::new(html.as_bytes(), context.clone()).unwrap());
            let pages = [page.clone()];
            let target = Target { page: &page, index: 0, pages: &pages.as_slice() };
            let linked = LinkNoise.prepare(&Addresses::default(), target, &LinkNoiseParameters::default());
            linked.features.iter().map(|features| features.as_ref().map_or(0, votes)).collect::<Vec<u64>>()
        };
        // Home, News, then the text, the report and the dot.
        assert_eq!(votes_of(PAGE), [3, 3, 0, 0, 0]);
        let site = PAGE.replace("http://other.org", "http://www.example.com");
        assert_eq!(votes_of(&site), [3, 3, 0, 1, 0]);
        let marked = PAGE.replace("<a href=\"http", "<a rel='external NoFollow' href=\"http");
        assert_eq!(votes_of(&marked), [3, 3, 0, 1, 0]);
    }

    #[test]
    fn a_list_has_another_link_or_stands_beside_one() {
        let listed = |html: &str| {
            let page = Page::new(html.as_bytes(), Context::default()).unwrap();
            let link_of = nearest_links(&page);
            let listed = listed_links(&link_of, &page.view::<LeafBlocks>());
            link_of.iter().map(|link| link.is_some_and(|link| listed.contains(&link))).collect::<Vec<_>>()
        };
        assert_eq!(listed("<p><a href=1>a</a><a href=2>b</a></p>"), [true, true]);
        assert_eq!(listed("<p><a href=1>a<b>b</b></a></p>"), [false, false]);
        assert_eq!(listed("<p><a href=1>a</a></p><p><a href=2>b</a></p>"), [true, true]);
        assert_eq!(listed("<p><a href=1>a</a></p><p>c</p><p><a href=2>b</a>, <a href=3>d</a></p>"), [false; 5]);
    }
}
