//! The first round of EXALG: words that occur equally often on each page of a site belong to its template, if there are
//! several of them.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::Choice;
use super::declaration::{Declaration, Example, FaithfulTo, Swept, no_resources};
use super::explanation::{Explanation, Figure, Judged, Verdict};
use super::features::digests::digest;
use super::features::outline::{Children, Outline};
use super::features::paths::TagPaths;
use super::features::visible::VisibleText;
use super::features::vocabulary::Vocabulary;
use super::group::{GroupAlgorithm, Pages, Scope, Target};
use super::parameters::check_whole;
use super::value::Value;
use crate::page::Page;
use crate::page::tree::NodeId;
use crate::text::tokens::each_word;
use crate::text::words::Segmenter;
use crate::text::{chars, is_white_space};

/// EXALG as far as its first round goes.
pub(super) struct ExalgLike;

/// Parameters of `exalg-like`; the first value of each is the default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExalgLikeParameters {
    /// the least share of its characters in words of the template with which a text is dropped; 0 drops every text
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub threshold: Value,
    /// on how many pages a word of the template occurs at least, whole; on all of a smaller group
    #[schemars(extend("from" = "2"))]
    pub support: Value,
    /// how many words with equal numbers of occurrences on each page make template, whole
    #[schemars(extend("from" = "1"))]
    pub size: Value,
    /// whether a word is another one under another tag path
    pub roles: Roles,
}

impl Default for ExalgLikeParameters {
    fn default() -> Self {
        ExalgLikeParameters {
            threshold: Value::hundredths(50),
            support: Value::decimal(2, 0),
            size: Value::decimal(3, 0),
            roles: Roles::Path,
        }
    }
}

/// What tells equal words apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Roles {
    /// The tag path of the element that their text is in.
    Path,
    /// Nothing.
    None,
}

const PAGE_CATS: &str = "<body><p>Site News Today</p><div>Cats sleep late</div></body>";
const PAGE_DOGS: &str = "<body><p>Site News Today</p><div>Dogs run fast</div></body>";
const PAGE_BIRDS: &str = "<body><p>Site News Today</p><div>Birds sing loud</div></body>";
const PAGE_FISH: &str = "<body><div>Fish swim far</div></body>";
const PAGE_AGAIN: &str = "<body><p>Site News Today</p><div>Site News Today: cats</div><i>***</i></body>";
const ALL_OF_CATS: &str = "Site News Today\nCats sleep late";

const fn example(
    title: &'static str,
    siblings: &'static [&'static str],
    parameters: &'static str,
    expected: &'static str,
) -> Example {
    Example::new(title, PAGE_CATS, parameters, expected).in_language("en").beside(siblings)
}

const fn again(title: &'static str, parameters: &'static str, expected: &'static str) -> Example {
    Example::new(title, PAGE_AGAIN, parameters, expected).in_language("en").beside(&[PAGE_DOGS])
}

impl GroupAlgorithm for ExalgLike {
    type Parameters = ExalgLikeParameters;
    type Learned = Template;
    type Prepared<'p> = Shares;
    const DECLARATION: Declaration = Declaration {
        name: "exalg-like",
        title: "drops the texts whose words mostly occur equally often on each page of the site as several others do",
        source: "A. Arasu, H. Garcia-Molina, Extracting structured data from web pages, 2003, from a public summary: one \
                 round over words by tag path, without a schema or nested classes",
        faithful_to: FaithfulTo::Variant,
        languages: "any",
        cost: "O(words) over the pages of a site, each parsed and its words cut once more; a number for each word and tag \
               path of a site",
        swept: &[Swept::exact("threshold", "0..1/0.05")],
        // Again: Site, News and Today occur (1, 1) times in p and (1, 0) in div, or (2, 1) wherever they are; they have
        // 13 of 17 characters of the div, which are more than 3/4. The stars are a word of their own.
        examples: &[
            example("three words of the p are once on each page", &[PAGE_DOGS, PAGE_BIRDS], "", "Cats sleep late"),
            example("four are not there", &[PAGE_DOGS, PAGE_BIRDS], "size=4", ALL_OF_CATS),
            example("two pages are enough", &[PAGE_DOGS], "", "Cats sleep late"),
            example("all of two are", &[PAGE_DOGS], "support=3", "Cats sleep late"),
            example("two of three are not three", &[PAGE_DOGS, PAGE_FISH], "support=3", ALL_OF_CATS),
            example("a page without others is kept whole", &[], "", ALL_OF_CATS),
            example("nothing is below a share of 0", &[PAGE_DOGS], "threshold=0", ""),
            again("the words of the div are others", "", "Site News Today: cats\n***"),
            again("or they are not", "roles=none", "***"),
            again("13 of 17 characters are not 0.8", "roles=none,threshold=0.8", "Site News Today: cats\n***"),
        ],
        floor: false,
        resources: no_resources,
    };

    fn swept<'p>(parameters: &'p mut ExalgLikeParameters, name: &str) -> Option<&'p mut Value> {
        (name == "threshold").then_some(&mut parameters.threshold)
    }

    fn check(parameters: &ExalgLikeParameters) -> Result<(), String> {
        check_whole("support", parameters.support)?;
        check_whole("size", parameters.size)
    }

    fn scope(_: &ExalgLikeParameters) -> Scope {
        Scope::Site
    }

    fn learn(&self, pages: &dyn Pages, parameters: &ExalgLikeParameters) -> Result<Template, String> {
        let mut words = Words::default();
        let mut occurrences: FxHashMap<Token, Occurrences> = FxHashMap::default();
        let mut read = 0;
        pages.for_each(|_, page| {
            read += 1;
            let weight = digest(u64::to_le_bytes(read));
            words.read(page, parameters.roles, |token| occurrences.entry(token).or_default().add(read, weight));
        });
        let support = parameters.support.whole().min(read);
        occurrences.retain(|_, occurrences| occurrences.pages >= support);
        let mut sizes: FxHashMap<u128, u64> = FxHashMap::default();
        occurrences.values().for_each(|occurrences| *sizes.entry(occurrences.vector).or_insert(0) += 1);
        occurrences.retain(|_, occurrences| sizes[&occurrences.vector] >= parameters.size.whole());
        Ok(Template { words, tokens: occurrences.into_keys().collect(), is_of_one_page: read <= 1 })
    }

    fn prepare<'p>(
        &self,
        learned: &'p Template,
        Target { page, .. }: Target<'p>,
        parameters: &Self::Parameters,
    ) -> Shares {
        let text = page.view::<VisibleText>();
        let mut shares = vec![(0, 0); text.nodes.len()];
        learned.words.find(page, parameters.roles, |place, token, chars| {
            let (template, all) = &mut shares[place];
            *all += chars;
            if token.is_some_and(|token| learned.tokens.contains(&token)) {
                *template += chars;
            }
        });
        Shares { text, shares, is_of_one_page: learned.is_of_one_page }
    }

    fn choose(&self, prepared: &mut Shares, parameters: &ExalgLikeParameters) -> Result<Choice, String> {
        let kept = prepared.shares.iter().map(|&share| prepared.keeps(share, parameters.threshold));
        Ok(prepared.text.chosen(kept).collect())
    }

    fn break_points(&self, prepared: &mut Shares, _: &ExalgLikeParameters, _: &str) -> Result<Vec<Value>, String> {
        let of_words = prepared.shares.iter().filter(|(_, all)| *all > 0);
        Ok(of_words.map(|&(template, all)| Value::ratio(template, all)).collect())
    }

    fn explain(&self, prepared: &mut Shares, parameters: &ExalgLikeParameters) -> Result<Explanation, String> {
        let judged = |(&id, &share): (&NodeId, &(u64, u64))| {
            let figures = vec![Figure::ratio("characters in words of the template", share.0, share.1)];
            let judged = Judged::outside(id, figures);
            match (prepared.is_of_one_page, prepared.keeps(share, parameters.threshold)) {
                (true, _) => judged.decided(Verdict::Chosen, "no other page tells what the template is"),
                (_, true) => judged.decided(Verdict::Chosen, "too little of it is of the template"),
                (_, false) => judged.decided(Verdict::Dropped, "enough of it is of the template"),
            }
        };
        let nodes = prepared.text.nodes.iter().zip(&prepared.shares).map(judged).collect();
        Ok(Explanation { nodes, ..Explanation::default() })
    }
}

/// The numbers of a word's tag path and of the word.
type Token = (u32, u32);

/// How often a word occurs on each page.
#[derive(Default)]
struct Occurrences {
    /// The sum of the weights of the pages, each as often as the word occurs there. Weights are digests, so that equal
    /// sums are equal numbers on every page.
    vector: u128,
    /// On how many pages it occurs.
    pages: u64,
    /// The last of them, counted from 1.
    last: u64,
}

impl Occurrences {
    /// Pages come one after the other.
    fn add(&mut self, page: u64, weight: u128) {
        self.vector = self.vector.wrapping_add(weight);
        self.pages += u64::from(self.last != page);
        self.last = page;
    }
}

/// The words of a site's template.
pub(super) struct Template {
    words: Words,
    tokens: FxHashSet<Token>,
    /// Nothing can be told of its page then.
    is_of_one_page: bool,
}

/// The words and tag paths of a site by number.
#[derive(Default)]
struct Words {
    paths: TagPaths,
    words: Vocabulary,
}

impl Words {
    /// Tells each word of a page in order, and learns those that are new.
    fn read(&mut self, page: &Page, roles: Roles, mut tell: impl FnMut(Token)) {
        let Some(outline) = outline(page) else { return };
        let paths = self.paths.of(&page.tree, &outline);
        each_word_of(page, &outline, |_, parent, word| {
            let path = if roles == Roles::Path { paths[parent] } else { 0 };
            tell((path, self.words.number(word)));
        });
    }

    /// Tells each word of a page in order, by the place of its text among [`VisibleText::nodes`] and with its
    /// characters; `None` for one that was not learnt.
    fn find(&self, page: &Page, roles: Roles, mut tell: impl FnMut(usize, Option<Token>, u64)) {
        let Some(outline) = outline(page) else { return };
        let paths = self.paths.find(&page.tree, &outline);
        each_word_of(page, &outline, |place, parent, word| {
            let path = if roles == Roles::Path { paths[parent] } else { Some(0) };
            tell(place, path.zip(self.words.find(word)), chars(word) as u64);
        });
    }
}

fn outline(page: &Page) -> Option<Outline> {
    Some(Outline::new(&page.tree, page.tree.body()?, Children::VisibleText))
}

/// Calls `take` with the place of each visible text, the number of its parent and each word of it; a text without words
/// is one.
fn each_word_of(page: &Page, outline: &Outline, mut take: impl FnMut(usize, usize, &str)) {
    let segmenter = Segmenter::default();
    let texts = outline.nodes.iter().zip(&outline.parents).filter(|&(&id, _)| page.tree.is_text(id));
    for (place, (&id, &parent)) in texts.enumerate() {
        let text = page.tree.text(id);
        let mut has_words = false;
        each_word(text, &segmenter, |word| {
            has_words = true;
            take(place, parent as usize, word);
        });
        if !has_words {
            let marks: String = text.chars().filter(|&c| !is_white_space(c)).collect();
            take(place, parent as usize, &marks);
        }
    }
}

/// A page with what of each text is of the template.
pub(super) struct Shares {
    text: Arc<VisibleText>,
    /// For each of [`VisibleText::nodes`]: characters of words of the template, and of all words.
    shares: Vec<(u64, u64)>,
    is_of_one_page: bool,
}

impl Shares {
    fn keeps(&self, (template, all): (u64, u64), threshold: Value) -> bool {
        self.is_of_one_page || all == 0 || threshold.compare_ratio(template, all).is_lt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Context;

    #[test]
    fn a_word_is_of_the_template_by_its_numbers_on_every_page() {
        // a, b and c are (2, 1, 0), d and e (1, 2, 0), f and g (0, 0, 3).
        let pages = ["<p>a b c a b c d e", "<p>e d c b a e d", "<p>f g f g f g"];
        let pages = pages.map(|html| Arc::new(Page::new(html.as_bytes(), Context::default()).unwrap()));
        let template = |support, size| {
            let (support, size) = (Value::decimal(support, 0), Value::decimal(size, 0));
            let parameters = ExalgLikeParameters { support, size, ..ExalgLikeParameters::default() };
            let learned = ExalgLike.learn(&pages.as_slice(), &parameters).unwrap();
            let is_known =
                |word: &&str| learned.tokens.iter().any(|token| learned.words.words.find(word) == Some(token.1));
            ["a", "b", "c", "d", "e", "f", "g"].into_iter().filter(is_known).collect::<String>()
        };
        assert_eq!(template(2, 3), "abc");
        assert_eq!(template(2, 2), "abcde");
        assert_eq!(template(2, 4), "");
        assert_eq!(template(3, 1), "");
    }
}
