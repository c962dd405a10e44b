//! Gold that is marked in a page's own tree, and how the marks are taken out again.

use std::borrow::Cow;
use std::collections::BTreeMap;

use html5ever::local_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::page::render::render;
use crate::page::selection::Selection;
use crate::page::selector::{SelectorError, Selectors};
use crate::page::tree::{Attribute, NodeId, Tree};
use crate::text;

/// Which text of a page is gold (`docs/methods/scoring.md, section 8`): a text node is, if its nearest ancestor that
/// matches any selector of `include` or `exclude` matches one of `include` and none of `exclude`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Select {
    /// Selectors of elements whose text is gold.
    pub include: Vec<String>,
    /// Selectors of elements whose text is not; they win where both match the same element.
    pub exclude: Vec<String>,
    /// Selectors by role (`title`, `comment`, `caption` …). Roles label nodes for reports and do not
    /// change the gold; see [`roles`](super::roles).
    pub roles: BTreeMap<String, Vec<String>>,
}

/// What is taken out of an annotated page before an algorithm sees it (`docs/methods/scoring.md, section 8`). Selectors are
/// matched against the page as it was annotated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Strip {
    /// Names of attributes, removed from every element.
    pub attributes: Vec<String>,
    /// Class names, removed from every `class` attribute; one that is left empty goes too.
    pub classes: Vec<String>,
    /// Selectors of elements that are removed with their content.
    pub elements: Vec<String>,
    /// Selectors of elements that are replaced by their children.
    pub unwrap: Vec<String>,
    /// Beginnings of comments. A tree holds no comments, so there is nothing to do for them here.
    pub comments: Vec<String>,
}

/// The gold of an annotated page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marked {
    /// The gold text nodes, each visible, not blank and inside the body.
    pub selection: Selection,
    /// The selectors of `include` and `exclude` that match nothing on the page: worth a warning.
    pub unmatched: Vec<String>,
}

/// The gold text nodes of `tree`.
///
/// # Errors
/// [`SelectorError`] for the first selector of `include` or `exclude` that is not valid.
///
/// ```
/// use carat::datasets::annotation::{Select, gold_selection};
/// use carat::page::{parse::parse, render::render};
/// let select = Select { include: vec!["article".into()], exclude: vec!["b".into()], ..Select::default() };
/// let tree = parse("<article>gold <b>share</b></article>more").unwrap().tree;
/// let marked = gold_selection(&tree, &select).unwrap();
/// assert_eq!(render(&tree, &marked.selection), "gold");
/// ```
pub fn gold_selection(tree: &Tree, select: &Select) -> Result<Marked, SelectorError> {
    let mut unmatched = Vec::new();
    let mut matching = |selectors: &[String]| {
        let mut all = Vec::new();
        for selector in selectors {
            let found = Selectors::parse(std::slice::from_ref(selector))?.matching(tree);
            if found.is_empty() {
                unmatched.push(selector.clone());
            }
            all.extend(found);
        }
        Ok(all)
    };
    let (included, excluded) = (matching(&select.include)?, matching(&select.exclude)?);
    Ok(Marked { selection: nearest_decides(tree, &included, &excluded), unmatched })
}

/// The visible text nodes of the body that are not blank and whose nearest ancestor among `included` and `excluded` is
/// of `included`; an element of both is excluded.
pub fn nearest_decides(tree: &Tree, included: &[NodeId], excluded: &[NodeId]) -> Selection {
    let mut is_gold = vec![None; tree.len()];
    // Excluded elements come second, so that they win.
    included.iter().for_each(|id| is_gold[id.index()] = Some(true));
    excluded.iter().for_each(|id| is_gold[id.index()] = Some(false));
    nearest_marks(tree, is_gold).into_iter().filter(|(_, is_gold)| *is_gold).map(|(id, _)| id).collect()
}

/// Each text node of the body that is visible, not blank and below an element with a mark, in document order, with the
/// mark of the nearest one; `marks` has a place for each node of `tree`.
pub(super) fn nearest_marks<M: Copy>(tree: &Tree, mut marks: Vec<Option<M>>) -> Vec<(NodeId, M)> {
    let Some(body) = tree.body() else { return Vec::new() };
    let mut marked = Vec::new();
    // What stands before this position is no text of the page.
    let mut hidden_until = body;
    for id in tree.ids().take_while(|&id| id < tree.end(body)) {
        let inherited = tree.parent(id).and_then(|parent| marks[parent.index()]);
        let own = &mut marks[id.index()];
        *own = own.or(inherited);
        if tree.is_invisible(id) {
            hidden_until = hidden_until.max(tree.end(id));
        }
        if let Some(mark) = inherited
            && id >= hidden_until
            && tree.is_text(id)
            && !text::is_blank(tree.text(id))
        {
            marked.push((id, mark));
        }
    }
    marked
}

/// A copy of `tree` without what `strip` names; text nodes that become neighbours are joined.
///
/// # Errors
/// [`SelectorError`] for the first selector of `elements` or `unwrap` that is not valid.
///
/// ```
/// use carat::datasets::annotation::{Strip, strip};
/// use carat::page::parse::parse;
/// let tree = parse("<p data-gold=1>a<mark>b</mark>c").unwrap().tree;
/// let marks = Strip { attributes: vec!["data-gold".into()], unwrap: vec!["mark".into()], ..Strip::default() };
/// let stripped = strip(&tree, &marks).unwrap();
/// assert!(stripped.ids().any(|id| stripped.text(id) == "abc"));
/// ```
pub fn strip(tree: &Tree, strip: &Strip) -> Result<Tree, SelectorError> {
    let removed = Selectors::parse(&strip.elements)?.matching(tree);
    let unwrapped = Selectors::parse(&strip.unwrap)?.matching(tree);
    // A name that a selector finds must not survive in another case.
    let same: fn(&str, &str) -> bool = if tree.is_quirks() { |a, b| a.eq_ignore_ascii_case(b) } else { |a, b| a == b };
    Ok(tree.without(&removed, &unwrapped, |attribute| {
        if strip.attributes.iter().any(|name| name.eq_ignore_ascii_case(attribute.name)) {
            None
        } else if *attribute.name == local_name!("class") {
            class_without(attribute, |token| strip.classes.iter().any(|class| same(class, token)))
        } else {
            Some(Cow::Borrowed(attribute.value))
        }
    }))
}

/// Whether `stripped`, which is `tree` without what `strip` names, has the text of `tree` but for that of removed elements:
/// unwrapping may join text nodes, and must not join lines or show what was invisible.
///
/// # Errors
/// As [`strip`].
pub fn keeps_text(tree: &Tree, marks: &Strip, stripped: &Tree) -> Result<bool, SelectorError> {
    if marks.unwrap.is_empty() {
        return Ok(true);
    }
    let wrapped = Strip { unwrap: Vec::new(), ..marks.clone() };
    let all_text = |tree: &Tree| render(tree, &Selection::visible(tree));
    Ok(all_text(&strip(tree, &wrapped)?) == all_text(stripped))
}

/// The text nodes of `stripped`, which is `tree` without what `strip` names, that are gold where those of `gold` are in `tree`. Of
/// a text node that was joined from several at least half of the characters must be.
///
/// # Errors
/// As [`strip`].
pub fn carried(tree: &Tree, gold: &Selection, strip: &Strip, stripped: &Tree) -> Result<Selection, SelectorError> {
    let marked: Vec<(NodeId, ())> = gold.nodes().iter().map(|&id| (id, ())).collect();
    let carried = carried_marks(tree, &marked, strip, stripped)?;
    Ok(carried.into_iter().map(|(id, ())| id).collect())
}

/// The text nodes of `stripped` with the marks that those of `tree` have in `marked`, which is in document order. A text
/// node that was joined from several has the mark of at least half of its characters, of two such the lesser one.
///
/// # Errors
/// As [`strip`].
pub(super) fn carried_marks<M: Copy + Ord>(
    tree: &Tree,
    marked: &[(NodeId, M)],
    strip: &Strip,
    stripped: &Tree,
) -> Result<Vec<(NodeId, M)>, SelectorError> {
    let mut is_removed = vec![false; tree.len()];
    for id in Selectors::parse(&strip.elements)?.matching(tree) {
        is_removed[id.index()] = true;
    }
    for id in tree.ids() {
        is_removed[id.index()] |= tree.parent(id).is_some_and(|parent| is_removed[parent.index()]);
    }
    let mark = |id: NodeId| marked.binary_search_by_key(&id, |(id, _)| *id).ok().map(|place| marked[place].1);
    let visible = Selection::visible(tree);
    let mut pieces = visible.nodes().iter().filter(|id| !is_removed[id.index()]);
    let mut carried = Vec::new();
    for &id in Selection::visible(stripped).nodes() {
        let characters = text::chars(stripped.text(id));
        let (mut seen, mut of_mark) = (0, BTreeMap::new());
        while seen < characters {
            let Some(&piece) = pieces.next() else { break };
            let length = text::chars(tree.text(piece));
            seen += length;
            if let Some(mark) = mark(piece) {
                *of_mark.entry(mark).or_default() += length;
            }
        }
        carried.extend(mark_of_half(&of_mark, characters).map(|mark| (id, mark)));
    }
    Ok(carried)
}

/// The mark of at least half of so many characters, where `of_mark` says how many have each; of two the lesser one.
pub(super) fn mark_of_half<M: Copy + Ord>(of_mark: &BTreeMap<M, usize>, characters: usize) -> Option<M> {
    of_mark.iter().find(|(_, count)| **count > 0 && 2 * **count >= characters).map(|(mark, _)| *mark)
}

/// The value of a `class` attribute without some tokens: as it is if none of them is in it, `None`
/// if no other is.
fn class_without(class: Attribute<'_>, goes: impl Fn(&str) -> bool) -> Option<Cow<'_, str>> {
    if !class.value.split_ascii_whitespace().any(&goes) {
        return Some(Cow::Borrowed(class.value));
    }
    let kept: Vec<_> = class.value.split_ascii_whitespace().filter(|token| !goes(token)).collect();
    (!kept.is_empty()).then(|| Cow::Owned(kept.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::parse::parse;

    fn strings(list: &[&str]) -> Vec<String> {
        list.iter().map(|&item| item.to_owned()).collect()
    }

    fn select(include: &[&str], exclude: &[&str]) -> Select {
        Select { include: strings(include), exclude: strings(exclude), ..Select::default() }
    }

    fn gold(html: &str, include: &[&str], exclude: &[&str]) -> String {
        let tree = parse(html).unwrap().tree;
        let marked = gold_selection(&tree, &select(include, exclude)).unwrap();
        assert!(marked.selection.fits(&tree));
        render(&tree, &marked.selection)
    }

    fn all_text(tree: &Tree) -> String {
        render(tree, &Selection::visible(tree))
    }

    #[test]
    fn the_nearest_marked_ancestor_decides() {
        let caption = "<article>a<aside>b<p class=caption>c</p>d</aside>e</article>f";
        let cases: &[(&str, &[&str], &[&str], &str)] = &[
            (caption, &["article", "aside .caption"], &["aside"], "a\nc\ne"),
            (caption, &["article"], &["aside"], "a\ne"),
            (caption, &["aside .caption"], &[], "c"),
            (caption, &["article", ".caption"], &["aside", "p"], "a\ne"),
            (caption, &["*"], &[], "a\nb\nc\nd\ne\nf"),
            (caption, &["html"], &["article"], "f"),
            (caption, &["article"], &["html"], "a\nb\nc\nd\ne"),
            (caption, &["article"], &["article"], ""),
            (caption, &[], &["aside"], ""),
            (caption, &[], &[], ""),
            ("<i>a</i><i>b</i>", &["i:first-child"], &[], "a"),
            ("<div class=正文>a<i>b</i></div>", &[".正文"], &["i"], "a"),
        ];
        for (html, include, exclude, expected) in cases {
            assert_eq!(gold(html, include, exclude), *expected, "{include:?} {exclude:?}");
        }
    }

    #[test]
    fn invisible_and_blank_text_is_never_gold() {
        let html = "<title>t</title><p>a<script>b</script> <i> </i><noscript>c</noscript><textarea>d</textarea>\
                    <iframe>e</iframe><svg><style>f</style><text>g</text></svg>";
        assert_eq!(gold(html, &["*"], &[]), "a g");
        assert_eq!(gold(html, &["title", "script", "noscript", "textarea", "i"], &[]), "");
        let tree = parse(html).unwrap().tree;
        let selection = gold_selection(&tree, &select(&["*"], &[])).unwrap().selection;
        assert_eq!(selection.nodes().len(), 2);
    }

    #[test]
    fn text_outside_the_body_is_never_gold() {
        assert_eq!(gold("<frameset><frame></frameset>", &["*"], &[]), "");
        let tree = parse("<p>a</p></body> b</html> c").unwrap().tree;
        assert_eq!(all_text(&tree), "a\nb c");
    }

    #[test]
    fn selectors_that_match_nothing_are_named() {
        let tree = parse("<p>a").unwrap().tree;
        let marked = gold_selection(&tree, &select(&["p", "h1, h2", "p, h3"], &["aside"])).unwrap();
        assert_eq!(marked.unmatched, ["h1, h2", "aside"]);
        assert_eq!(marked.selection.nodes().len(), 1);
    }

    #[test]
    fn selectors_that_are_not_valid_are_errors() {
        let tree = parse("<p>a").unwrap().tree;
        let failing = |select| gold_selection(&tree, &select).err().map(|error| error.selector);
        assert_eq!(failing(select(&["p", "p::before"], &[])).as_deref(), Some("p::before"));
        assert_eq!(failing(select(&["p"], &["["])).as_deref(), Some("["));
        let failing = |marks: Strip| strip(&tree, &marks).err().map(|error| error.selector);
        assert_eq!(failing(Strip { elements: strings(&["!"]), ..Strip::default() }).as_deref(), Some("!"));
        assert_eq!(failing(Strip { unwrap: strings(&["p", "?"]), ..Strip::default() }).as_deref(), Some("?"));
    }

    /// The tags and text below the body.
    fn stripped(html: &str, marks: &Strip) -> String {
        let tree = strip(&parse(html).unwrap().tree, marks).unwrap();
        let body = tree.body().unwrap();
        let mut written = String::new();
        for id in tree.subtree(body).skip(1) {
            if tree.is_text(id) {
                written += &format!("{:?}", tree.text(id));
            } else {
                let attributes = tree.attributes(id).map(|found| format!(" {}={:?}", found.name, found.value));
                written += &format!("<{}{}>", tree.name(id), attributes.collect::<String>());
            }
        }
        written
    }

    #[test]
    fn marks_are_taken_out() {
        let marks = Strip {
            attributes: strings(&["data-Gold", "cc-select"]),
            classes: strings(&["x-1", "金"]),
            elements: strings(&["style.x-1", "[data-gold=tool]"]),
            unwrap: strings(&["mark"]),
            comments: strings(&["gold:"]),
        };
        let cases = [
            ("<p data-gold=1 id=a cc-select=''>x", r#"<p id="a">"x""#),
            ("<p class='a x-1  b'>x", r#"<p class="a b">"x""#),
            ("<p class=' a  b '>x", r#"<p class=" a  b ">"x""#),
            ("<p class='x-1 金'>x", r#"<p>"x""#),
            ("<p class=''>x", r#"<p class="">"x""#),
            ("<p class='x-1a X-1'>x", r#"<p class="x-1a X-1">"x""#),
            ("a<style class=x-1>b</style>c<i data-gold=tool>d<b>e</b></i>", r#""ac""#),
            ("a<mark>c</mark>d", r#""acd""#),
            ("a<mark><i>c</i></mark>d", r#""a"<i>"c""d""#),
            ("<mark data-gold=tool>a</mark>b", r#""b""#),
            ("a<!--gold: x-->b", r#""ab""#),
        ];
        for (html, expected) in cases {
            assert_eq!(stripped(&format!("<!doctype html>{html}"), &marks), expected, "{html}");
        }
        assert_eq!(stripped("<p class='x-1a X-1'>x", &marks), r#"<p class="x-1a">"x""#);
    }

    #[test]
    fn text_joined_by_unwrapping_is_rendered_as_before() {
        let unwrap = Strip { unwrap: strings(&["b"]), ..Strip::default() };
        for html in ["a<b>c</b>d", "a <b> c</b>d", "a<b> </b>d", "a<b></b>d", "<b>a<p>c</p></b>d", "a<b><br></b>d"] {
            let tree = parse(html).unwrap().tree;
            assert_eq!(all_text(&strip(&tree, &unwrap).unwrap()), all_text(&tree), "{html}");
        }
        let tree = parse("a<b>c</b>d").unwrap().tree;
        let marked = gold_selection(&tree, &select(&["body"], &["b"])).unwrap();
        assert_eq!(render(&tree, &marked.selection), "a d");
        let plain = strip(&tree, &unwrap).unwrap();
        let texts: Vec<_> = plain.ids().filter(|&id| plain.is_text(id)).map(|id| plain.text(id)).collect();
        assert_eq!(texts, ["acd"]);
    }

    #[test]
    fn unwrapping_that_changes_the_text_is_told() {
        let keeps = |html: &str, unwrap: &[&str], elements: &[&str]| {
            let tree = parse(html).unwrap().tree;
            let marks = Strip { unwrap: strings(unwrap), elements: strings(elements), ..Strip::default() };
            keeps_text(&tree, &marks, &strip(&tree, &marks).unwrap()).unwrap()
        };
        assert!(keeps("a<mark>b</mark>c<i>d</i>", &["mark"], &["i"]));
        assert!(keeps("<p>a</p><div>b</div>", &[], &["div"]));
        assert!(!keeps("a<div>b</div>c", &["div"], &[]));
        assert!(!keeps("a<noscript>b</noscript>c", &["noscript"], &[]));
    }

    #[test]
    fn gold_nodes_are_found_again_in_the_stripped_page() {
        let carried = |html: &str| {
            let tree = parse(html).unwrap().tree;
            let marks = Strip { unwrap: strings(&["mark"]), elements: strings(&["del"]), ..Strip::default() };
            let gold = gold_selection(&tree, &select(&["mark", "p.gold"], &[])).unwrap().selection;
            let stripped = strip(&tree, &marks).unwrap();
            let selection = carried(&tree, &gold, &marks, &stripped).unwrap();
            selection.nodes().iter().map(|&id| stripped.text(id)).collect::<Vec<_>>().join("|")
        };
        assert_eq!(carried("x<p class=gold>a<b>c</b></p>d"), "a|c");
        // Of a joined node half must be gold, white space left out.
        assert_eq!(carried("<p>ab<mark> c d</mark></p><p>abc<mark>de</mark></p>"), "ab c d");
        // What is removed shifts nothing, in the gold or beside it.
        assert_eq!(carried("<del>xx</del><p>a<mark>bc<del>d</del></mark></p><del><mark>y</mark></del>e"), "abc");
        assert_eq!(carried("<p>a</p>"), "");
    }

    mod properties {
        use proptest::prelude::*;

        use super::*;

        /// Pieces of pages: inline and invisible elements, blocks, marks, white space.
        fn page() -> impl Strategy<Value = String> {
            let pieces = prop::sample::select(vec![
                "a", "字", " ", "\u{3000}", "<b>", "</b>", "<mark>", "</mark>", "<mark class='x y'>",
                "<i id=x class=x>", "</i>", "<p data-x=1>", "</p>", "<div class=' x'>", "</div>", "<br>", "<hr>",
                "<script>s</script>", "<table>", "<td>", "</table>", "<noscript>n</noscript>", "<!-- c -->", "<svg>",
                "</svg>", "<ul><li>",
            ]);
            prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat())
        }

        proptest! {
            #[test]
            fn all_text_survives_all_but_the_removal_of_elements(html in page()) {
                let tree = parse(&html).unwrap().tree;
                let marks = Strip {
                    attributes: strings(&["data-x"]),
                    classes: strings(&["x"]),
                    unwrap: strings(&["mark", "b", "i.x"]),
                    ..Strip::default()
                };
                let plain = strip(&tree, &marks).unwrap();
                prop_assert_eq!(all_text(&plain), all_text(&tree));
                prop_assert!(plain.ids().all(|id| !matches!(&**plain.name(id), "mark" | "b")));
                let nothing_left = Selectors::parse(&strings(&[".x", "[data-x]", "mark"])).unwrap();
                prop_assert!(nothing_left.matching(&plain).is_empty());
            }

            #[test]
            fn nothing_is_lost_where_nothing_is_named(html in page()) {
                let tree = parse(&html).unwrap().tree;
                let copy = strip(&tree, &Strip::default()).unwrap();
                prop_assert_eq!(copy.len(), tree.len());
                for id in tree.ids() {
                    prop_assert_eq!(copy.parent(id), tree.parent(id));
                    prop_assert_eq!(copy.end(id), tree.end(id));
                    prop_assert_eq!(copy.name(id), tree.name(id));
                    prop_assert_eq!(copy.text(id), tree.text(id));
                    prop_assert!(copy.attributes(id).eq(tree.attributes(id)));
                }
            }

            #[test]
            fn gold_is_what_a_walk_up_from_each_text_node_finds(html in page()) {
                let tree = parse(&html).unwrap().tree;
                let select = select(&["p", ".x", "td"], &["i", "div", "td:first-child"]);
                let find = |source| Selectors::parse(source).unwrap().matching(&tree);
                let (include, exclude) = (find(&select.include), find(&select.exclude));
                let is_gold = |&id: &NodeId| {
                    let marked = tree.ancestors(id).find(|id| include.contains(id) || exclude.contains(id));
                    tree.is_text(id)
                        && !text::is_blank(tree.text(id))
                        && !tree.ancestors(id).any(|id| tree.is_invisible(id))
                        && marked.is_some_and(|id| !exclude.contains(&id))
                };
                let expected: Selection = tree.ids().filter(is_gold).collect();
                prop_assert_eq!(gold_selection(&tree, &select).unwrap().selection, expected);
            }
        }
    }
}
