//! Readability as the script of arc90 had it, in the rules of its Python port.
//!
//! Steps: (0) drop what is unlikely by its class and id; (1) make paragraphs of loose text; (2) let every paragraph
//! score for the two elements around it; (3) scale by links; (4) take the best element; (5) add siblings that score
//! enough; (6) drop from the result what looks like no text. If too little is left, the steps are repeated without step
//! 0.
//!
//! The copy of the page on which the rules work keeps the order of the page, so it is also a list. All measures of an
//! element are known once the list has been walked from its end to the element.

mod article;
mod cleaned;
mod copy;
mod measure;

use std::sync::OnceLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::article::Article;
use self::cleaned::Cleaned;
use self::copy::{Node, attribute, copied};
use self::measure::Measure;
use super::algorithm::{Choice, PageAlgorithm};
use super::declaration::{Declaration, Example, FaithfulTo, Swept, no_resources};
use super::features::visible::VisibleText;
use super::value::Value;
use crate::page::Page;
use crate::page::tree::{NodeId, Tree};

/// Readability as arc90's script had it.
pub(super) struct ReadabilityArc90;

/// Parameters of `readability-arc90`; the first value of each is the default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadabilityArc90Parameters {
    /// least characters of a paragraph that scores, and of an element in the article that stays
    pub min_text_length: Value,
    /// least size of an article: with a smaller one, the page is read again without dropping what its names make
    /// unlikely
    pub retry_length: Value,
    /// what the size of an article is: the length of its HTML, or of its text
    pub retry_measure: RetryMeasure,
    /// the share of the best element's score with which an element beside it comes along
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub sibling_ratio: Value,
    /// which characters are commas: `,` alone, or also `，`, `、` and `،`
    pub commas: Commas,
}

impl Default for ReadabilityArc90Parameters {
    fn default() -> Self {
        ReadabilityArc90Parameters {
            min_text_length: Value::decimal(25, 0),
            retry_length: Value::decimal(250, 0),
            retry_measure: RetryMeasure::Html,
            sibling_ratio: Value::hundredths(20),
            commas: Commas::Ascii,
        }
    }
}

/// Step 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum RetryMeasure {
    /// The port's.
    Html,
    /// The script's.
    Text,
}

/// Steps 3 and 6b.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Commas {
    /// The program's.
    Ascii,
    /// A variant, for Chinese and Arabic pages.
    All,
}

impl Commas {
    fn count(self, text: &str) -> u32 {
        let is_comma = |c: &char| *c == ',' || (self == Commas::All && matches!(c, '，' | '、' | '،'));
        text.chars().filter(is_comma).count() as u32
    }
}

const POSITIVE: &[&str] =
    &["article", "body", "content", "entry", "hentry", "main", "page", "pagination", "post", "text", "blog", "story"];

const NEGATIVE: &[&str] = &[
    "combx", "comment", "com-", "contact", "foot", "footer", "footnote", "masthead", "media", "meta", "outbrain",
    "promo", "related", "scroll", "shoutbox", "sidebar", "sponsor", "shopping", "tags", "tool", "widget",
];

fn holds_any(text: &str, words: &[&str]) -> bool {
    let text = text.to_ascii_lowercase();
    words.iter().any(|word| text.contains(word))
}

/// A page worked by hand: 30 times `alpha,` are 209 characters.
const PAGE: &str = "<body><div class=\"sidebar\"><p>aside aside aside aside aside aside aside aside aside aside</p></div>\
    <div id=\"main\"><p>alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, \
    alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, \
    alpha,</p>loose text here<br>more</div><p>Short end.</p><p class=x>no stop</p></body>";

const ARTICLE: &str = "alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, \
    alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha, alpha,\n\
    loose text here\nmore\nShort end.";

/// Fifty characters, then thirty with five commas.
const PAGE_COMMAS: &str = "<body><div id=story><p>A paragraph that is fifty characters long in fact.</p></div>\
    <div id=post><p>中文的一段，有三十个字符，其中五个是逗号，全角的，也很短，完</p></div></body>";

const PAGE_RETRY: &str = "<body><p class=header>A line above it.</p>\
    <div id=main><p>A paragraph that is fifty characters long in fact.</p></div></body>";

const PAGE_CLEANED: &str = "<body><div id=main><h2 class=widget>Seen nowhere</h2>\
    <p>A paragraph that is fifty characters long in fact.</p><form><p>no form</p></form>\
    <ul><li><a href=1>a link that is long enough</a></li></ul><div><p>too short</p></div>\
    <div>loose, so a paragraph</div></div></body>";

impl PageAlgorithm for ReadabilityArc90 {
    type Parameters = ReadabilityArc90Parameters;
    type Prepared<'p> = Attempts<'p>;
    const DECLARATION: Declaration = Declaration {
        name: "readability-arc90",
        title: "gives the element whose paragraphs score best, with what stands beside it, without what looks like \
                no text",
        source: "arc90 lab's Readability of 2009/2010, as ported in readability-lxml 0.8.4.1 (Python)",
        faithful_to: FaithfulTo::Code,
        languages: "any; the names and the full stop are English; commas=all: Chinese and Arabic commas too",
        cost: "O(page)",
        swept: &[Swept::on_grid("sibling_ratio", "0.0..1.0/0.05")],
        // The sidebar is dropped, main's loose texts become paragraphs of 15 and 4
        // characters, which do not score. The one p: 1 + (30 + 1) + 209/100 = 34.09; main 5 + 25 + 34.09 = 64.09, the body
        // 25 + 17.045. The threshold is 0.2 of 64.09; of the paragraphs beside main one ends in a full stop.
        // Commas: the p have 1 + 1 + 0.5 and 1 + 1 + 0.3, with all commas 1 + 6 + 0.3; their divs 30 more: 32.5 and 32.3,
        // or 37.3. The body has 25 and half of the p. Both are above 10.
        // Retry: without the line, HTML of 11 for the div, 2 + 3 + (2 + 4 + 4) + 6 for main's tags, 7 for the p's and 50 of
        // text, 89; with it there is one more paragraph that ends in a full stop.
        // Cleaned: main has 5 + 25 + 2.5 but for its links, the body 25 + 1.25. The heading has -25, the list's density is 1 and the div has 9 characters; each
        // has less than 1000 beside it. From 5 characters on, paragraphs score and the div stays.
        examples: &[
            Example::new("the sidebar is dropped, loose texts become paragraphs", PAGE, "", ARTICLE),
            Example::new(
                "Commas: the second div has more than a fifth of the first one's score",
                PAGE_COMMAS,
                "",
                "A paragraph that is fifty characters long in fact.\n中文的一段，有三十个字符，其中五个是逗号，全角的，也很短，完",
            ),
            Example::new(
                "Commas: but less than it",
                PAGE_COMMAS,
                "sibling_ratio=1",
                "A paragraph that is fifty characters long in fact.",
            ),
            Example::new(
                "Commas: with its own commas it has more",
                PAGE_COMMAS,
                "sibling_ratio=1,commas=all",
                "中文的一段，有三十个字符，其中五个是逗号，全角的，也很短，完",
            ),
            Example::new(
                "Retry: with less than 250, what its class made unlikely comes back",
                PAGE_RETRY,
                "",
                "A line above it.\nA paragraph that is fifty characters long in fact.",
            ),
            Example::new(
                "Retry: 89 are enough",
                PAGE_RETRY,
                "retry_length=89",
                "A paragraph that is fifty characters long in fact.",
            ),
            Example::new(
                "Retry: but not for 90",
                PAGE_RETRY,
                "retry_length=90",
                "A line above it.\nA paragraph that is fifty characters long in fact.",
            ),
            Example::new(
                "Retry: the text has 50",
                PAGE_RETRY,
                "retry_length=50,retry_measure=text",
                "A paragraph that is fifty characters long in fact.",
            ),
            Example::new(
                "Retry: and no more",
                PAGE_RETRY,
                "retry_length=51,retry_measure=text",
                "A line above it.\nA paragraph that is fifty characters long in fact.",
            ),
            Example::new(
                "Cleaned: heading, form, list and div are dropped",
                PAGE_CLEANED,
                "",
                "A paragraph that is fifty characters long in fact.\nloose, so a paragraph",
            ),
            Example::new(
                "Cleaned: the div is long enough for 5",
                PAGE_CLEANED,
                "min_text_length=5",
                "A paragraph that is fifty characters long in fact.\ntoo short\nloose, so a paragraph",
            ),
        ],
        floor: false,
        resources: no_resources,
    };

    fn prepare<'p>(&self, page: &'p Page, parameters: &ReadabilityArc90Parameters) -> Attempts<'p> {
        Attempts { page, ruthless: Attempt::new(page, parameters, true), lenient: OnceLock::new() }
    }

    fn choose(&self, attempts: &Attempts<'_>, parameters: &ReadabilityArc90Parameters) -> Choice {
        let article = attempts.article(parameters);
        let text = attempts.page.view::<VisibleText>();
        let is_visible = |id: &NodeId| text.rank(&attempts.page.tree, *id).is_some();
        article.into_iter().filter(is_visible).collect()
    }
}

/// The page read with the drop by names, and without it where that is needed.
pub(super) struct Attempts<'p> {
    page: &'p Page,
    /// `None` for a page without a body.
    ruthless: Option<Attempt<'p>>,
    lenient: OnceLock<Option<Attempt<'p>>>,
}

impl Attempts<'_> {
    /// The text of the article, blank text too.
    fn article(&self, parameters: &ReadabilityArc90Parameters) -> Vec<NodeId> {
        let found = self.ruthless.as_ref().and_then(|attempt| attempt.found(parameters));
        let large = found.filter(|article| !is_below(article.size(parameters.retry_measure), parameters.retry_length));
        let lenient = || self.lenient.get_or_init(|| Attempt::new(self.page, parameters, false)).as_ref();
        let article = large.or_else(|| lenient().map(|attempt| attempt.found_or_body(parameters)));
        article.map(|article| article.text()).unwrap_or_default()
    }
}

fn is_below(count: u64, least: Value) -> bool {
    least.compare_ratio(count, 1).is_lt()
}

/// The private copy with its scores.
struct Attempt<'p> {
    tree: &'p Tree,
    body: NodeId,
    nodes: Vec<Node<'p>>,
    /// Of every node.
    measures: Vec<Measure>,
    /// Of every candidate, by its place.
    scores: Vec<Option<f64>>,
    best: Option<usize>,
}

impl<'p> Attempt<'p> {
    fn new(page: &'p Page, parameters: &ReadabilityArc90Parameters, ruthless: bool) -> Option<Self> {
        let tree = &page.tree;
        let body = tree.body()?;
        let nodes = copied(tree, body, ruthless);
        let scores = vec![None; nodes.len()];
        let mut attempt = Attempt { tree, body, nodes, measures: Vec::new(), scores, best: None };
        attempt.measures = attempt.measured(parameters.commas);
        attempt.score(parameters.min_text_length);
        Some(attempt)
    }

    fn measured(&self, commas: Commas) -> Vec<Measure> {
        let mut measures = vec![Measure::default(); self.nodes.len()];
        for (place, node) in self.nodes.iter().enumerate().skip(1).rev() {
            if !node.is_element() {
                let text = self.tree.text(node.source);
                let (text, commas) = (Cleaned::of(text), commas.count(text));
                measures[place] = Measure { text, commas, ..Measure::default() };
            }
            let of_node = measures[place];
            measures[node.parent].prepend(node, &of_node, self.tree);
        }
        measures
    }

    /// Steps 3 and 4.
    fn score(&mut self, min_text_length: Value) {
        let mut candidates = Vec::new();
        for name in ["p", "pre", "td"] {
            for place in (1..self.nodes.len()).filter(|&place| self.nodes[place].name == name).collect::<Vec<_>>() {
                let measure = self.measures[place];
                if is_below(measure.length(), min_text_length) {
                    continue;
                }
                let parent = self.nodes[place].parent;
                let around = [parent, self.nodes[parent].parent];
                let score = 1.0 + f64::from(measure.commas + 1) + (measure.length() as f64 / 100.0).min(3.0);
                for (candidate, score) in around.into_iter().zip([score, score / 2.0]).filter(|&(place, _)| place > 0) {
                    if self.scores[candidate].is_none() {
                        self.scores[candidate] = Some(self.base(candidate));
                        candidates.push(candidate);
                    }
                    self.scores[candidate] = self.scores[candidate].map(|sum| sum + score);
                }
            }
        }
        let mut best: Option<(usize, f64)> = None;
        for place in candidates {
            let density = self.measures[place].density();
            let score = self.scores[place].map_or(0.0, |sum| sum * (1.0 - density));
            self.scores[place] = Some(score);
            if best.is_none_or(|(_, highest)| score > highest) {
                best = Some((place, score));
            }
        }
        self.best = best.map(|(place, _)| place);
    }

    fn id_of(&self, node: &Node<'p>) -> &'p str {
        if node.source == self.body { "readabilityBody" } else { attribute(self.tree, node.source, "id") }
    }

    fn weight(&self, place: usize) -> f64 {
        let node = &self.nodes[place];
        if node.is_made {
            return 0.0;
        }
        let of_names = |names: &str| {
            let (positive, negative) = (holds_any(names, POSITIVE), holds_any(names, NEGATIVE));
            25.0 * (f64::from(u8::from(positive)) - f64::from(u8::from(negative)))
        };
        of_names(attribute(self.tree, node.source, "class")) + of_names(self.id_of(node))
    }

    fn base(&self, place: usize) -> f64 {
        let of_name = match self.nodes[place].name {
            "div" | "article" => 5.0,
            "pre" | "td" | "blockquote" => 3.0,
            "address" | "ol" | "ul" | "dl" | "dd" | "dt" | "li" | "form" | "aside" => -3.0,
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "th" | "header" | "footer" | "nav" => -5.0,
            _ => 0.0,
        };
        self.weight(place) + of_name
    }

    /// The nodes at or below `parent`'s children for which `comes` says so; a text comes with the element before it.
    fn below(&self, parent: usize, mut comes: impl FnMut(usize) -> bool) -> Vec<usize> {
        let mut nodes = Vec::new();
        let (mut place, mut came) = (parent + 1, false);
        while place < self.nodes[parent].end {
            if self.nodes[place].is_element() {
                came = comes(place);
            }
            if came {
                nodes.extend(place..self.nodes[place].end);
            }
            place = self.nodes[place].end;
        }
        nodes
    }

    /// Steps 5 and 6 around the best element, if there is one.
    fn found(&self, parameters: &ReadabilityArc90Parameters) -> Option<Article<'_, 'p>> {
        let best = self.best?;
        let score = |place: usize| self.scores[place];
        let least = score(best).map_or(10.0, |score| (parameters.sibling_ratio.to_f64() * score).max(10.0));
        let parent = self.nodes[best].parent;
        let comes = |place| {
            place == best || score(place).is_some_and(|score| score >= least) || self.is_paragraph_of_article(place)
        };
        Some(Article { attempt: self, parent, is_body: false, nodes: self.below(parent, comes) }.cleaned(parameters))
    }

    /// The same, or the whole body.
    fn found_or_body(&self, parameters: &ReadabilityArc90Parameters) -> Article<'_, 'p> {
        self.found(parameters).unwrap_or_else(|| {
            let body = (1..self.nodes.len()).find(|&place| self.nodes[place].source == self.body).unwrap_or(0);
            let nodes = (body + 1..self.nodes[body].end).collect();
            Article { attempt: self, parent: body, is_body: true, nodes }.cleaned(parameters)
        })
    }

    fn is_paragraph_of_article(&self, place: usize) -> bool {
        let node = &self.nodes[place];
        if node.name != "p" {
            return false;
        }
        let texts = (place + 1..node.end).map(|place| &self.nodes[place]).take_while(|node| !node.is_element());
        let front: String = texts.map(|text| self.tree.text(text.source)).collect();
        let density = self.measures[place].density();
        let has_stop = || front.contains(". ") || front.strip_suffix('\n').unwrap_or(&front).ends_with('.');
        if front.chars().count() > 80 { density < 0.25 } else { density == 0.0 && has_stop() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Context;

    fn text(html: &str) -> String {
        let page = Page::new(html.as_bytes(), Context::default()).unwrap();
        let parameters = ReadabilityArc90Parameters::default();
        ReadabilityArc90.choose(&ReadabilityArc90.prepare(&page, &parameters), &parameters).text(&page)
    }

    /// An article around `inner`, with a paragraph of `length` characters before it.
    fn article(length: usize, inner: &str) -> String {
        format!("<body><div id=main><p>{}</p>{inner}</div></body>", "a".repeat(length))
    }

    /// What stays of `inner` then.
    fn left(length: usize, inner: &str) -> String {
        text(&article(length, inner)).trim_start_matches('a').trim_start().to_owned()
    }

    #[test]
    fn what_stands_beside_long_text_stays_with_what_is_in_it() {
        let list = "<ul><li><a href=1>links, however many</a></li></ul>";
        assert_eq!(left(1000, list), "");
        assert_eq!(left(1001, list), "links, however many");
        // The div in the table is short and has nothing beside it.
        let table = "<table><tr><td><div><p>short</p></div></td></tr></table>";
        assert_eq!(left(1000, table), "");
        assert_eq!(left(1001, table), "short");
    }

    #[test]
    fn text_on_both_sides_of_what_is_dropped_is_one() {
        // One paragraph of 28 characters, which scores: main is the best element.
        let page = |between: &str| {
            let html = format!("<p></p>fourteen chars{between}, and as many.");
            text(&format!("<body><div id=main>{html}</div><p>beside</p></body>"))
        };
        assert_eq!(page("<script>x</script>"), "fourteen chars , and as many.");
        // Behind a break another one begins; neither scores, and the article is the body.
        assert_eq!(page("<br>"), "fourteen chars\n, and as many.\nbeside");
    }

    #[test]
    fn ten_commas_keep_an_element() {
        let list = |commas: usize| format!("<ul><li><a href=1>{}</a></li></ul>", "b,".repeat(commas));
        assert_eq!(left(300, &list(9)), "");
        assert_eq!(left(300, &list(10)), "b,".repeat(10));
    }

    #[test]
    fn text_comes_with_the_element_before_it() {
        let main = article(300, "");
        let page = main.replace("<body>", "<body>before<p>No</p>between").replace("</body>", "behind</body>");
        assert_eq!(text(&page), format!("{}\nbehind", "a".repeat(300)));
    }

    #[test]
    fn images_and_inputs_count_against_paragraphs() {
        // 1 + 1.3 images for the one paragraph; three inputs, of which hidden ones do not count.
        let images = |count: usize| format!("<div><p>a caption, long enough for 25</p>{}</div>", "<img>".repeat(count));
        assert_eq!(left(300, &images(2)), "a caption, long enough for 25");
        assert_eq!(left(300, &images(3)), "");
        let input = |kind: &str| format!("<div><p>a question, long enough for 25</p><input type={kind}></div>");
        assert_eq!(left(300, &input("hidden")), "a question, long enough for 25");
        assert_eq!(left(300, &input("text")), "");
    }
}
