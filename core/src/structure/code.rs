//! The blocks of code of a tree.

use super::source::Source;
use crate::page::tree::NodeId;
use crate::text::is_blank;

/// The texts of the outermost `pre` that have one, in document order.
pub(super) fn blocks(source: &Source<'_>) -> Vec<String> {
    let (mut blocks, mut at, end) = (Vec::new(), NodeId::DOCUMENT, source.tree.end(NodeId::DOCUMENT));
    while at < end {
        if !source.is(at, "pre") {
            at = NodeId(at.0 + 1);
            continue;
        }
        let text = text(source, at);
        if !is_blank(&text) {
            blocks.push(text);
        }
        at = source.tree.end(at);
    }
    blocks
}

/// The text in a `pre`, with its white space.
fn text(source: &Source<'_>, pre: NodeId) -> String {
    let mut text = String::new();
    for id in source.tree.subtree(pre) {
        if source.reads(id) {
            text.push_str(source.tree.text(id));
        } else if source.is(id, "br") {
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::parse::parse;

    #[test]
    fn outermost_blocks_keep_their_lines() {
        let html =
            "<pre>a\n  b<br>c<pre>d</pre></pre><code>x</code><pre> <script>s</script></pre><pre><code>e</code></pre>";
        let tree = parse(html).unwrap().tree;
        assert_eq!(blocks(&Source::new(&tree)), ["a\n  b\ncd", "e"]);
    }
}
