//! CSS selectors over the flat tree: what annotations name elements with.
//!
//! Selectors level 4 without pseudo-elements and without `:has` inside `:has`. The lists in `:is`
//! and `:where` are not forgiving: a selector that browsers would skip there is an error here.

mod candidate;
mod dialect;

use cssparser::{BasicParseErrorKind, ParseErrorKind};
use selectors::SelectorList;
use selectors::context::{
    MatchingContext, MatchingForInvalidation, MatchingMode, NeedsSelectorFlags, QuirksMode, SelectorCaches,
};
use selectors::matching::matches_selector_list;
use selectors::parser::{ParseRelative, SelectorParseErrorKind};

use self::candidate::Candidate;
use self::dialect::{Dialect, Grammar};
use super::tree::{NodeId, Tree};

/// The length in bytes of the longest selector. Matching needs stack in proportion to it.
pub const MAX_SELECTOR_BYTES: usize = 2000;

/// Parsed selectors; each may itself be a list with commas.
///
/// ```
/// use carat_core::page::{parse::parse, selector::Selectors};
/// let tree = parse("<p class=正文>a<p>b").unwrap().tree;
/// let selectors = Selectors::parse(&["p.正文".to_owned()]).unwrap();
/// assert_eq!(selectors.matching(&tree).len(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct Selectors(Vec<SelectorList<Dialect>>);

/// A selector that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the selector {selector:?} is not valid: {fault}")]
pub struct SelectorError {
    /// The selector as given.
    pub selector: String,
    /// What is wrong with it.
    pub fault: SelectorFault,
}

/// Why a selector cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectorFault {
    /// Nothing, or something that begins no selector, where one must stand.
    #[error("a selector is missing at its start, behind a comma or in parentheses")]
    Missing,
    /// `a >`; a space is a combinator too, as in `a {`.
    #[error("a combinator has no selector behind it")]
    Dangling,
    /// `.1`, `a.`.
    #[error("a dot has no class name behind it")]
    NoClassName,
    /// `[`, `[a==b]`.
    #[error("an attribute selector is malformed")]
    Attribute,
    /// `svg|a`. `*|a` is valid.
    #[error("a namespace prefix is used, and none is declared")]
    Namespace,
    /// Unknown, or one that needs more than the tree to be decided, such as `:checked`.
    #[error("the pseudo-class :{0} is not supported")]
    PseudoClass(String),
    /// `::before`: no text of the page belongs to one.
    #[error("the pseudo-element ::{0} is not supported")]
    PseudoElement(String),
    /// A pseudo-element inside `:is`, `:where`, `:not` or `:has`, or `:has` inside `:has`.
    #[error("a pseudo-element, or a :has within another :has, stands inside a pseudo-class")]
    Nested,
    /// More than [`MAX_SELECTOR_BYTES`], or too many parentheses in each other.
    #[error("it is longer than {MAX_SELECTOR_BYTES} bytes, or nested too deeply")]
    TooLong,
    /// Any other violation of the grammar.
    #[error("a character stands where the grammar allows none such, or the end comes too early")]
    Grammar,
}

impl Selectors {
    /// Parses each selector of `source`. No selector at all is fine, and matches nothing.
    ///
    /// # Errors
    /// [`SelectorError`] for the first one that is not valid.
    pub fn parse(source: &[String]) -> Result<Self, SelectorError> {
        let error = |selector: &String, fault| SelectorError { selector: selector.clone(), fault };
        let lists = source.iter().map(|selector| parse_list(selector).map_err(|fault| error(selector, fault)));
        lists.collect::<Result<_, _>>().map(Selectors)
    }

    /// The elements that match any of the selectors, in document order.
    ///
    /// Linear in the number of elements times their depth, but for `~` and `:has`, which may look at
    /// all siblings or the whole subtree of each element.
    pub fn matching(&self, tree: &Tree) -> Vec<NodeId> {
        let mut caches = SelectorCaches::default();
        let mut context = MatchingContext::new(
            MatchingMode::Normal,
            None,
            &mut caches,
            if tree.is_quirks() { QuirksMode::Quirks } else { QuirksMode::NoQuirks },
            NeedsSelectorFlags::No,
            MatchingForInvalidation::No,
        );
        let mut matches = |id| {
            let candidate = Candidate { tree, id };
            self.0.iter().any(|list| matches_selector_list(list, &candidate, &mut context))
        };
        tree.ids().filter(|&id| tree.is_element(id) && matches(id)).collect()
    }
}

fn parse_list(source: &str) -> Result<SelectorList<Dialect>, SelectorFault> {
    if source.len() > MAX_SELECTOR_BYTES {
        return Err(SelectorFault::TooLong);
    }
    let list = SelectorList::parse(&Grammar, &mut cssparser::Parser::new(source), ParseRelative::No);
    list.map_err(|error| match error.kind {
        ParseErrorKind::Custom(fault) => fault,
        ParseErrorKind::Basic(BasicParseErrorKind::TooManyNestedBlocks) => SelectorFault::TooLong,
        ParseErrorKind::Basic(_) => SelectorFault::Grammar,
    })
}

impl From<SelectorParseErrorKind> for SelectorFault {
    fn from(kind: SelectorParseErrorKind) -> Self {
        use SelectorParseErrorKind as Kind;
        match kind {
            Kind::EmptySelector => SelectorFault::Missing,
            Kind::DanglingCombinator => SelectorFault::Dangling,
            Kind::ClassNeedsIdent => SelectorFault::NoClassName,
            Kind::NoQualifiedNameInAttributeSelector
            | Kind::UnexpectedTokenInAttributeSelector
            | Kind::ExpectedBarInAttr
            | Kind::BadValueInAttr
            | Kind::InvalidQualNameInAttr => SelectorFault::Attribute,
            Kind::ExpectedNamespace | Kind::ExplicitNamespaceUnexpectedToken => SelectorFault::Namespace,
            Kind::InvalidState => SelectorFault::Nested,
            _ => SelectorFault::Grammar,
        }
    }
}

#[cfg(test)]
mod tests {
    use html5ever::local_name;

    use super::*;
    use crate::page::parse::parse;

    /// The ids (or, without one, the names) of the elements that match.
    fn matching(html: &str, selectors: &[&str]) -> String {
        let tree = parse(html).unwrap().tree;
        let source: Vec<_> = selectors.iter().map(|&selector| selector.to_owned()).collect();
        let found = Selectors::parse(&source).unwrap().matching(&tree);
        let label = |&id: &NodeId| tree.attribute(id, &local_name!("id")).unwrap_or(tree.name(id)).to_owned();
        found.iter().map(label).collect::<Vec<_>>().join(" ")
    }

    const LIST: &str = "<ul id=u><li id=1>x<li id=2 class='k 正文'><b id=b></b>y<li id=3 class=k>z<li id=4> </ul>";
    const LINKS: &str = "<a id=1 href=x>a</a><a id=2>b</a><area id=3 href=''><link id=4 href=x>";
    const INPUTS: &str = "<input id=1 type=TEXT name=Q><input id=2 type=text name=q><input id=3 lang=zh-Hant>";
    const NESTED: &str = "<div id=1><p id=2><i id=3></i></p></div><div id=4><p id=5></p></div><div id=6></div>";
    const FOREIGN: &str = "<svg id=s viewBox='0 0' fill=RED><a id=a xlink:href=x></a><foreignObject id=f></svg>";

    #[test]
    fn elements_that_match() {
        let cases: &[(&str, &str, &str)] = &[
            (LIST, "li", "1 2 3 4"),
            (LIST, "LI", "1 2 3 4"),
            (LIST, "*", "html head body u 1 2 b 3 4"),
            (LIST, "*|li", "1 2 3 4"),
            (LIST, "|li", ""),
            (LIST, ".k", "2 3"),
            (LIST, ".正文", "2"),
            (LIST, "li.k.正文", "2"),
            (LIST, ".正", ""),
            (LIST, ".K", ""),
            (LIST, "#b", "b"),
            (LIST, "#B", ""),
            (LIST, "#u > .k b", "b"),
            (LIST, "body > li", ""),
            (LIST, "b, #u", "u b"),
            (LIST, ".k + li", "3 4"),
            (LIST, ".k ~ li", "3 4"),
            (LIST, "#b + *", ""),
            (LIST, "li:not(.k)", "1 4"),
            (LIST, "li:not(.正文, #\\31)", "3 4"),
            (LIST, ":is(ul, b)", "u b"),
            (LIST, ":where(ul, b):where([id=b])", "b"),
            (LIST, "li:has(b)", "2"),
            (LIST, "li:has(> b:empty)", "2"),
            (LIST, "li:has(+ .k)", "1 2"),
            (LIST, "li:has(~ .k)", "1 2"),
            (LIST, "li:not(:has(b))", "1 3 4"),
            (LIST, "li:first-child", "1"),
            (LIST, "li:last-child", "4"),
            (LIST, "b:only-child", "b"),
            (LIST, "li:nth-child(odd)", "1 3"),
            (LIST, "li:nth-child(n + 3)", "3 4"),
            (LIST, "li:nth-last-child(2)", "3"),
            (LIST, "li:nth-child(2 of .k)", "3"),
            (LIST, "li:nth-last-child(2 of .k)", "2"),
            (LIST, ":empty", "head b"),
            (LIST, ":root", "html"),
            (LIST, ":scope > body", "body"),
            (LIST, "li:hover", ""),
            (LIST, "li:not(:HOVER)", "1 2 3 4"),
            ("<p id=1><i id=2></i><b id=3></b><i id=4></i>", "i:nth-of-type(2)", "4"),
            ("<p id=1><i id=2></i><b id=3></b><i id=4></i>", "p > :first-of-type", "2 3"),
            ("<p id=1><i id=2></i><b id=3></b><i id=4></i>", "p > :only-of-type", "3"),
            (LINKS, ":link", "1 3"),
            (LINKS, "a:any-link", "1"),
            (LINKS, ":visited", ""),
            (INPUTS, "[type=text]", "1 2"),
            (INPUTS, "[type=text s]", "2"),
            (INPUTS, "[name=q]", "2"),
            (INPUTS, "[name='q' i]", "1 2"),
            (INPUTS, "[NAME]", "1 2"),
            (INPUTS, "[lang|=zh]", "3"),
            (INPUTS, "[lang^=zh]", "3"),
            (INPUTS, "[lang$=t]", "3"),
            (INPUTS, "[lang*='-H']", "3"),
            (INPUTS, "[lang*='']", ""),
            (INPUTS, "[*|lang]", "3"),
            ("<p id=1 title='a 正文 b'><p id=2 title=正文c>", "[title~=正文]", "1"),
            (NESTED, "div:has(i)", "1"),
            (NESTED, "div:has(> p)", "1 4"),
            (NESTED, "div:has(p):has(i)", "1"),
            (NESTED, ":is(div:has(p), i)", "1 3 4"),
            (NESTED, "div:has(+ div p)", "1"),
            (NESTED, "div:not(:has(*))", "6"),
            (FOREIGN, "foreignObject", "f"),
            (FOREIGN, "foreignobject", "f"),
            (FOREIGN, "[viewBox]", "s"),
            (FOREIGN, "[viewbox]", ""),
            (FOREIGN, "svg [href]", ""),
            (FOREIGN, "svg [xlink\\:href]", "a"),
            (FOREIGN, ":link", ""),
            ("x<noscript id=n><p id=p></noscript><template id=t><p></template>", "p, :empty", "head t"),
        ];
        for (html, selector, expected) in cases {
            assert_eq!(matching(&format!("<!doctype html>{html}"), &[selector]), *expected, "{selector}");
        }
    }

    #[test]
    fn classes_and_ids_ignore_case_in_quirks_mode_alone() {
        let html = "<p id=Aa class='Bb 文'>";
        for (selector, expected) in [("#aA", "Aa"), (".bB", "Aa"), (".文", "Aa"), ("[id=aa]", ""), ("[class~=bb]", "")]
        {
            assert_eq!(matching(html, &[selector]), expected, "{selector}");
        }
        assert_eq!(matching(&format!("<!doctype html>{html}"), &["#aA", ".bB"]), "");
    }

    #[test]
    fn several_selectors_find_each_element_once_in_document_order() {
        assert_eq!(matching(LIST, &["b", "li", ".k"]), "1 2 b 3 4");
        assert_eq!(matching(LIST, &[]), "");
    }

    #[test]
    fn selectors_that_cannot_be_parsed() {
        let class = |name: &str| SelectorFault::PseudoClass(name.to_owned());
        let element = |name: &str| SelectorFault::PseudoElement(name.to_owned());
        let cases: &[(&str, SelectorFault)] = &[
            ("", SelectorFault::Missing),
            ("a,", SelectorFault::Missing),
            (",a", SelectorFault::Missing),
            ("> a", SelectorFault::Missing),
            (":not()", SelectorFault::Missing),
            (":is()", SelectorFault::Missing),
            (".1", SelectorFault::Missing),
            ("#1", SelectorFault::Missing),
            ("a >", SelectorFault::Dangling),
            ("a > > b", SelectorFault::Dangling),
            ("a.", SelectorFault::Grammar),
            ("a..b", SelectorFault::NoClassName),
            ("[", SelectorFault::Grammar),
            ("[1]", SelectorFault::Attribute),
            ("[a==b]", SelectorFault::Attribute),
            ("[a=b x]", SelectorFault::Grammar),
            ("svg|a", SelectorFault::Namespace),
            ("a)", SelectorFault::Grammar),
            ("a{ }", SelectorFault::Grammar),
            ("a { }", SelectorFault::Dangling),
            (":nth-child(x)", SelectorFault::Grammar),
            ("a:checked", class("checked")),
            ("a:lang(zh)", class("lang()")),
            (":is(a, :nonsense)", class("nonsense")),
            ("a::before", element("before")),
            ("a:before", element("before")),
            ("::part(x)", element("part()")),
            (":not(a::before)", SelectorFault::Nested),
            (":has(:has(a))", SelectorFault::Nested),
            (":has(:is(a, :has(b)))", SelectorFault::Nested),
            (":has(:not(:has(b)))", SelectorFault::Nested),
        ];
        for (selector, fault) in cases {
            let error = Selectors::parse(&["p".to_owned(), (*selector).to_owned()]).err();
            assert_eq!(error, Some(SelectorError { selector: (*selector).to_owned(), fault: fault.clone() }));
        }
        let error = Selectors::parse(&["a::before".to_owned()]).err().unwrap();
        let message = r#"the selector "a::before" is not valid: the pseudo-element ::before is not supported"#;
        assert_eq!(error.to_string(), message);
    }

    #[test]
    fn the_longest_selectors_need_little_stack() {
        let html = format!("<!doctype html>{}", "<b></b>".repeat(1200));
        let longest = format!("*{}", "+*".repeat(MAX_SELECTOR_BYTES / 2 - 1));
        assert_eq!(matching(&html, &[&longest]).split(' ').count(), 1200 - MAX_SELECTOR_BYTES / 2 + 1);
        let nested = format!("{}b{}", ":is(".repeat(75), ")".repeat(75));
        assert_eq!(matching(&html, &[&nested]).split(' ').count(), 1200);
        for source in [format!("{longest}+*"), format!("{}b{}", ":is(".repeat(76), ")".repeat(76))] {
            assert_eq!(Selectors::parse(&[source]).err().unwrap().fault, SelectorFault::TooLong);
        }
    }
}
