//! Pages that nobody wrote to be read. Each ends as an ordinary page or as one that is too large: no
//! panic, no overflow of the stack, no memory beyond the limits.

use carat::page::limits::{MAX_NODES, MAX_OPEN_ELEMENTS};
use carat::page::parse::{Parsed, parse};
use carat::page::tree::{Kind, Tree};
use rayon::prelude::*;

/// Deep enough for the depth's square to be felt, and for a recursion to overflow the stack.
const DEPTH: usize = 30_000;

/// What holds of every tree: each subtree lies within its parent's, and no text node is empty.
fn check(tree: &Tree, page: &str) {
    for id in tree.ids() {
        let parent = tree.parent(id).unwrap_or(id);
        assert!(parent <= id && tree.end(id) <= tree.end(parent) && id < tree.end(id), "{page}");
        assert!(tree.kind(id) != Kind::Text || !tree.text(id).is_empty(), "{page}");
    }
}

#[test]
fn nests_of_every_kind_stay_shallow() {
    let nests = [
        "<div>",
        "<p>",
        "<b>",
        "<i>",
        "<a>",
        "<a href=x>",
        "<font>",
        "<nobr>",
        "<b><i><u>",
        "<b><p>",
        "<p><b>x",
        "<a><div>",
        "<b id=x>",
        "</p>",
        "<table>",
        "<table><tr><td>",
        "<table><caption>",
        "<td>",
        "<tr>",
        "<table><b>",
        "<table>x",
        "<tbody><tr><td><table>",
        "<ul><li>",
        "<li>",
        "<dl><dd>",
        "<dd><dt>",
        "<select>",
        "<select><option>",
        "<option>",
        "<optgroup><option>",
        "<svg>",
        "<svg><g>",
        "<svg><foreignObject>",
        "<svg><title>",
        "<svg><desc><b>",
        "<math>",
        "<math><mi>",
        "<math><annotation-xml encoding='text/html'><div>",
        "<template>",
        "<template><tr>",
        "<template><b>",
        "<form>",
        "<form><div></form>",
        "<button>",
        "<ruby><rt>",
        "<ruby><rtc><rp>",
        "<frameset>",
        "<h1>",
        "<h1><h2>",
        "<fieldset>",
        "<object>",
        "<applet><b>",
        "<marquee>",
        "<details><summary>",
        "<custom-element>",
        "<script>",
        "<style>",
        "<textarea>",
        "<title>",
        "<noscript>",
        "<iframe>",
        "<xmp>",
        "<plaintext>",
        "<pre>",
        "<body>",
        "<html>",
        "<head>",
        "<image>",
        "<!--",
        "<![CDATA[",
        "<?",
        "<!doctype",
        "</body><div>",
        "</html><p>",
        "<center><div></center>",
        "<a></div><b></a>",
        "&",
        "&amp",
        "&#x",
        "<",
        "</",
        "\r",
        "\0",
        "\u{FEFF}",
    ];
    nests.par_iter().for_each(|nest| {
        let Parsed { tree, .. } = parse(&nest.repeat(DEPTH)).unwrap();
        check(&tree, nest);
        // An open element may stand below one that is open no more, so the tree may be deeper than the cap.
        assert!(tree.depth() <= 2 * MAX_OPEN_ELEMENTS, "{nest}: {}", tree.depth());
    });
}

#[test]
fn pages_of_nothing_are_pages() {
    for (page, nodes) in [("", 4), ("\0", 4), (" \n", 4), ("\u{FEFF}", 4), ("<!---->", 4), ("</p", 4)] {
        let tree = parse(page).unwrap().tree;
        assert_eq!(tree.len(), nodes, "{page:?}");
        check(&tree, page);
    }
    // Null characters are dropped where text may stand.
    assert_eq!(parse(&"\0".repeat(1 << 20)).unwrap().tree.len(), 4);
}

#[test]
fn a_frameset_page_has_its_frames() {
    let tree =
        parse("<frameset cols=*><frame src=a><frame src=b>text<noframes><p>no</noframes></frameset>").unwrap().tree;
    let names: Vec<&str> = tree.ids().filter(|&id| tree.is_element(id)).map(|id| &**tree.name(id)).collect();
    assert_eq!(names, ["html", "head", "frameset", "frame", "frame", "noframes"]);
    assert_eq!(tree.body(), None);
}

#[test]
fn formatting_that_multiplies_ends_as_too_large_or_as_a_page() {
    for (part, times) in [("<p><b id=i>", 3000), ("<p><font color=x size=y>z", 3000), ("<b id=i><p></b>", 3000)] {
        let numbered: String = (0..times).map(|i| part.replace("=i", &format!("={i}"))).collect();
        for page in [part.repeat(times), numbered] {
            if let Ok(parsed) = parse(&page) {
                assert!(parsed.tree.len() <= MAX_NODES, "{part}");
                check(&parsed.tree, part);
            }
        }
    }
}

#[test]
fn of_many_attributes_the_first_of_a_name_counts() {
    for count in [20, 500, 5000] {
        let attributes: String = (0..count).map(|i| format!(" a{i}=b a{i}=c")).collect();
        let tree = parse(&format!("<p><div{attributes}>x")).unwrap().tree;
        let div = tree.ids().find(|&id| &**tree.name(id) == "div").unwrap();
        assert_eq!(tree.attributes(div).count(), count);
        assert!(tree.attributes(div).all(|attribute| attribute.value == "b"));
    }
}
