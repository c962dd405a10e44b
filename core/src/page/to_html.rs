//! A tree as HTML again: what a parser that reads it makes the same tree of.

use super::tree::{NodeId, Tree};

/// The tree as HTML, as the HTML Standard serialises it with scripting on: the text of `script`, `style`, `noscript`
/// and their like stands as it is, all other text is escaped.
///
/// A doctype stands in front unless the page is in quirks mode, so that paragraphs and tables nest as they did.
/// Where a tree is none that the parser makes of any page (a form in a form, an `a` moved into another), or no tag can
/// end what is open (`plaintext`), it is read as a browser would read it. Cost: the length of what comes out; no recursion.
///
/// ```
/// use carat_core::page::{parse::parse, to_html::to_html};
/// let html = to_html(&parse("<p title='a&amp;b'>1 &lt; 2<br>").unwrap().tree);
/// assert_eq!(html, "<html><head></head><body><p title=\"a&amp;b\">1 &lt; 2<br></p></body></html>");
/// ```
pub fn to_html(tree: &Tree) -> String {
    let mut html = String::new();
    if !tree.is_quirks() {
        html.push_str("<!DOCTYPE html>");
    }
    let mut open: Vec<NodeId> = Vec::new();
    for id in tree.ids().skip(1) {
        while let Some(closed) = open.pop_if(|last| tree.end(*last) <= id) {
            end_tag(tree, closed, &mut html);
        }
        if tree.is_text(id) {
            match open.last() {
                Some(&parent) if is_raw(tree, parent) => html.push_str(tree.text(id)),
                _ => escape_into(&mut html, tree.text(id)),
            }
        } else if has_tag(tree, id) {
            start_tag(tree, id, &mut html);
            if !has_no_end_tag(tree, id) {
                open.push(id);
            }
        }
    }
    while let Some(closed) = open.pop() {
        end_tag(tree, closed, &mut html);
    }
    html
}

fn start_tag(tree: &Tree, id: NodeId, html: &mut String) {
    html.push('<');
    html.push_str(tree.name(id));
    for attribute in tree.attributes(id) {
        html.push(' ');
        html.push_str(attribute.name);
        html.push_str("=\"");
        escape_into(html, attribute.value);
        html.push('"');
    }
    html.push('>');
    // A parser drops a line feed that comes first in these.
    let drops_line_feed = matches!(&**tree.name(id), "pre" | "textarea" | "listing");
    let first = tree.children(id).next();
    if drops_line_feed && first.is_some_and(|first| tree.text(first).starts_with('\n')) {
        html.push('\n');
    }
}

fn end_tag(tree: &Tree, id: NodeId, html: &mut String) {
    html.push_str("</");
    html.push_str(tree.name(id));
    html.push('>');
}

/// An element has none if a page has so many distinct names that the tree has lost its own.
fn has_tag(tree: &Tree, id: NodeId) -> bool {
    !tree.name(id).is_empty()
}

fn has_no_end_tag(tree: &Tree, id: NodeId) -> bool {
    tree.is_html_element(id) && is_void(tree.name(id))
}

/// Whether the text in an element stands in HTML as it is.
fn is_raw(tree: &Tree, id: NodeId) -> bool {
    let is_raw_name = |name: &str| {
        matches!(name, "style" | "script" | "xmp" | "iframe" | "noembed" | "noframes" | "noscript" | "plaintext")
    };
    tree.is_html_element(id) && is_raw_name(tree.name(id))
}

/// Appends `text` as it stands in HTML, in an attribute between quotes too. A carriage return would be read as a line
/// feed.
fn escape_into(html: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>', '"', '\u{A0}', '\r']) {
        let (plain, behind) = rest.split_at(at);
        html.push_str(plain);
        let mut behind = behind.chars();
        html.push_str(match behind.next() {
            Some('&') => "&amp;",
            Some('<') => "&lt;",
            Some('>') => "&gt;",
            Some('"') => "&quot;",
            Some('\r') => "&#13;",
            _ => "&nbsp;",
        });
        rest = behind.as_str();
    }
    html.push_str(rest);
}

/// Whether an HTML element of this name has no end tag.
pub fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "basefont"
            | "bgsound"
            | "br"
            | "col"
            | "embed"
            | "frame"
            | "hr"
            | "img"
            | "input"
            | "keygen"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::*;

    /// Every node with its depth, name, attributes and text.
    fn nodes(tree: &Tree) -> Vec<String> {
        let attributes = |id| tree.attributes(id).map(|a| (a.name.to_string(), a.value)).collect::<Vec<_>>();
        let depth = |id| tree.ancestors(id).count();
        let node = |id| format!("{} {} {:?} {:?}", depth(id), tree.name(id), attributes(id), tree.text(id));
        tree.ids().map(node).collect()
    }

    #[test]
    fn what_is_read_again_is_the_same_tree() {
        for page in [
            "",
            "<!DOCTYPE html><p>a<table><tr><td>b",
            "<p>a<table><tr><td>b",
            "<title>a &amp; b</title><style>a > b { content: \"&amp;\" }</style><script>if (a < b && c) {}</script>",
            "<p title='\"<&\u{A0}>' data-x=\"it's\">1 &lt; 2 &amp;&amp; 3 > 2 &nbsp; &amp;lt; &#13; \"quoted\"</p>",
            "<noscript><img src=a> &amp; <p>b</noscript><iframe><p>c</iframe><noembed>&lt;</noembed><xmp><b></xmp>",
            "<pre>\n\na</pre><textarea>\n\n&lt;b></textarea><listing>\n\nc</listing><pre><b>\nd</b></pre>",
            "<svg viewBox='0 0 1 1'><linearGradient/><style>a &lt; b</style><foreignObject><p>x</svg><math><mi>y</math>",
            "<img src=a alt='b'><br><hr><input disabled><video><source src=c></video><p>end",
            "<frameset><frame src=a></frameset><noframes><p>b</noframes>",
            "<template><p>a</template><select><option>a<option>b</select><ul><li>a<li>b</ul>",
            "<b>a<p>b</b>c</p><a href=1>x<div>y</a>z</div><table>a<tr>b<td>c",
            "<p a='=' =b=c \"d='e' f>g",
        ] {
            let tree = parse(page).unwrap().tree;
            let html = to_html(&tree);
            let again = parse(&html).unwrap().tree;
            assert_eq!(nodes(&again), nodes(&tree), "{page} gives {html}");
            assert_eq!(again.is_quirks(), tree.is_quirks(), "{page}");
        }
    }

    #[test]
    fn deep_pages_come_back_below_the_cap() {
        let tree = parse(&"<div>x".repeat(3000)).unwrap().tree;
        let again = parse(&to_html(&tree)).unwrap();
        assert_eq!((again.cap_hits, again.tree.len()), (0, tree.len()));
    }
}
