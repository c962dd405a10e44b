//! A page's tree as it is shown: elements that only look, attributes that fetch nothing, no scripts.

use carat_core::page::tree::{NodeId, Tree};
use serde_json::{Value as Json, json};

use crate::document::{Document, Run};

/// A page with more elements is shown as lines alone.
pub const MAX_SHOWN_ELEMENTS: usize = 100_000;
/// A page with more text nodes is shown as lines alone.
pub const MAX_SHOWN_NODES: usize = 50_000;

/// Elements that are shown as what they are; any other is a `div` or a `span`, so that it looks alike and does nothing.
const BLOCKS: &str = "address article aside blockquote center dd details dir div dl dt fieldset figcaption figure footer \
    h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing main menu nav ol p plaintext pre search section summary table \
    caption colgroup col thead tbody tfoot tr td th ul xmp";
const INLINE: &str = "a abbr b bdi bdo big br cite code del dfn em font i img ins kbd mark rp rt ruby s samp small span \
    strike strong sub sup time tt u var wbr";
const ATTRIBUTES: &str = "class id style dir lang align valign width height bgcolor color face size border cellpadding \
    cellspacing colspan rowspan nowrap start reversed alt";

/// True if `word` is one of `words`.
fn is_of(words: &str, word: &str) -> bool {
    words.split_ascii_whitespace().any(|known| known == word)
}

/// The name by which an element is shown.
fn shown_name(tree: &Tree, id: NodeId) -> &str {
    let name = &**tree.name(id);
    let is_plain = tree.is_html_element(id) && (is_of(BLOCKS, name) || is_of(INLINE, name));
    match name {
        // Text in these is shown in full, and what ends them is no text.
        "plaintext" | "xmp" | "listing" => "pre",
        _ if is_plain => name,
        _ if tree.is_block(id) => "div",
        _ => "span",
    }
}

/// The attributes by which an element is shown.
fn shown_attributes(tree: &Tree, id: NodeId) -> Json {
    let is_image = &**tree.name(id) == "img";
    let is_shown = |name: &str, value: &str| {
        is_of(ATTRIBUTES, name)
            || is_image && name == "src" && value.trim_start().to_ascii_lowercase().starts_with("data:image/")
    };
    let attributes = tree.attributes(id).filter(|found| is_shown(found.name, found.value));
    let mut shown: serde_json::Map<_, _> =
        attributes.map(|found| (found.name.to_string(), json!(found.value))).collect();
    if &**tree.name(id) == "details" {
        shown.insert("open".to_owned(), json!(""));
    }
    Json::Object(shown)
}

/// The tree as `[depth, name, attributes]`, `[depth, n]` for text node `n`, `[depth]` for blank text, and
/// `[depth, "style", {}, text]` for a style sheet of the page, in document order. The first two are of `html` and `body`.
/// `None` where a page is too large to be shown.
pub fn shown(document: &Document) -> Option<Json> {
    let tree = &document.page.tree;
    let body = tree.body()?;
    let elements = tree.ids().filter(|&id| tree.is_element(id)).count();
    if document.len() > MAX_SHOWN_NODES || elements > MAX_SHOWN_ELEMENTS {
        return None;
    }
    let html = tree.parent(body)?;
    let mut entries = vec![json!([0, "html", shown_attributes(tree, html)])];
    entries.push(json!([1, "body", shown_attributes(tree, body)]));
    let is_style = |id: &NodeId| &**tree.name(*id) == "style";
    let style = |id: NodeId| tree.children(id).map(|text| tree.text(text)).collect::<String>();
    for id in tree.subtree(html).filter(|id| !tree.contains(body, *id)).filter(is_style) {
        entries.push(json!([2, "style", {}, style(id)]));
    }
    let mut next_node = document.nodes.iter().zip(0u32..).peekable();
    let mut open = vec![body];
    let mut hidden_until = body;
    for id in tree.subtree(body).skip(1) {
        while open.last().is_some_and(|last| tree.end(*last) <= id) {
            open.pop();
        }
        if id < hidden_until {
            continue;
        }
        let depth = open.len() + 1;
        if tree.is_invisible(id) {
            hidden_until = tree.end(id);
            if is_style(&id) {
                entries.push(json!([depth, "style", {}, style(id)]));
            }
        } else if tree.is_element(id) {
            entries.push(json!([depth, shown_name(tree, id), shown_attributes(tree, id)]));
            open.push(id);
        } else {
            match next_node.next_if(|(node, _)| **node == id) {
                Some((_, number)) => entries.push(json!([depth, number])),
                None => entries.push(json!([depth])),
            }
        }
    }
    Some(Json::Array(entries))
}

/// Where a run of text nodes stands: the names of the elements around all of it, with ids and classes, outermost first.
pub fn ancestry(document: &Document, [first, last]: Run) -> Vec<String> {
    let tree = &document.page.tree;
    let named = |id: NodeId| {
        let value = |name: &str| tree.attributes(id).find(|found| &**found.name == name).map(|found| found.value);
        let id_of = value("id").map(|id| format!("#{}", id.trim())).unwrap_or_default();
        let classes = value("class").unwrap_or_default().split_ascii_whitespace().map(|class| format!(".{class}"));
        format!("{}{id_of}{}", tree.name(id), classes.collect::<String>())
    };
    let [first, last] = [first, last].map(|node| document.nodes[node as usize]);
    let around = tree.ancestors(first).filter(|&id| tree.contains(id, last));
    let mut steps: Vec<String> = around.map(named).collect();
    steps.reverse();
    steps.retain(|step| !step.is_empty());
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::tests::document;

    fn entries(html: &str) -> Vec<Json> {
        shown(&document(html)).unwrap().as_array().unwrap()[2..].to_vec()
    }

    #[test]
    fn text_nodes_are_numbered_in_order() {
        let found =
            entries("<style>p{}</style><body><p class=x>a<b> </b>c<noscript>d</noscript><textarea>e</textarea>f");
        let expected = [
            json!([2, "style", {}, "p{}"]),
            json!([2, "p", {"class": "x"}]),
            json!([3, 0]),
            json!([3, "b", {}]),
            json!([4]),
            json!([3, 1]),
            json!([3, 2]),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn what_fetches_or_runs_is_not_shown() {
        let hostile = "<a href=javascript:x() onclick=x() ping=/x target=_top name=n>a</a><img src=/x srcset='/x 2x' \
            onerror=x()><img src=' data:image/png;base64,AA'><form action=/x id=f><input autofocus value=v><button \
            formaction=/x>b</button></form><iframe src=/x srcdoc=x>c</iframe><object data=/x>d</object><embed src=/x>\
            <video src=/x poster=/x autoplay>e</video><audio src=/x>f</audio><svg><script>g</script><a \
            xlink:href=/x>h</a><animate onbegin=x()></svg><link rel=stylesheet href=/x><meta http-equiv=refresh \
            content='0;url=/x'><base href=/x><body background=/x onload=x()><custom-x is=y slot=z>i</custom-x>\
            <dialog open>j</dialog><select><option>k</select><marquee>l</marquee><isindex><math><mi \
            href=/x>m</mi></math><table background=/x><td>n</table><details>o</details>";
        let all = shown(&document(hostile)).unwrap();
        for entry in all.as_array().unwrap() {
            let Some(name) = entry[1].as_str() else { continue };
            assert!(["html", "body"].contains(&name) || is_of(BLOCKS, name) || is_of(INLINE, name), "{entry}");
            for (attribute, value) in entry[2].as_object().unwrap() {
                let is_plain = is_of(ATTRIBUTES, attribute) || attribute == "open" && name == "details";
                let is_data = attribute == "src" && value.as_str().unwrap().trim().starts_with("data:image/");
                assert!(is_plain || is_data, "{entry}");
            }
        }
        let text = all.to_string();
        assert!(!text.contains("/x") && !text.contains("x()"), "{text}");
        assert!(text.contains("data:image/png"));
    }

    #[test]
    fn depths_are_those_of_what_is_shown() {
        let found = entries("<plaintext>a<p>");
        assert_eq!(found, [json!([2, "pre", {}]), json!([3, 0])]);
        let deep = entries(&("<div>".repeat(600) + "x"));
        let depths: Vec<u64> = deep.iter().map(|entry| entry[0].as_u64().unwrap()).collect();
        assert!(depths.windows(2).all(|two| two[1] <= two[0] + 1) && depths.iter().max() < Some(&600));
        assert!(shown(&document("<frameset><frame>")).is_none());
    }

    #[test]
    fn an_ancestry_names_ids_and_classes() {
        let found = document("<form class='b a' id=x><p>t<b>u</b></p><p>v");
        assert_eq!(ancestry(&found, [1, 1]), ["html", "body", "form#x.b.a", "p", "b"]);
        assert_eq!(ancestry(&found, [0, 1]), ["html", "body", "form#x.b.a", "p"]);
        assert_eq!(ancestry(&found, [1, 2]), ["html", "body", "form#x.b.a"]);
    }
}
