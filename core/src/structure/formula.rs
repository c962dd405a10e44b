//! Formulas: TeX between delimiters, and TeX that a page keeps for the scripts that draw it.

use html5ever::local_name;

use super::source::Source;
use crate::page::tree::NodeId;
use crate::text::is_white_space;

/// The formulas of a tree in document order: what `script` of the type `math/tex` hold, the annotations of `math` in TeX,
/// and what stands between delimiters in a run of text within one block.
pub(super) fn formulas(source: &Source<'_>) -> Vec<String> {
    let mut walk = Walk::default();
    let tree = source.tree;
    // The ends of open blocks.
    let mut blocks: Vec<NodeId> = Vec::new();
    for id in tree.ids() {
        while blocks.pop_if(|&mut end| end <= id).is_some() {
            walk.end_run();
        }
        if tree.is_block(id) {
            walk.end_run();
            blocks.push(tree.end(id));
        }
        walk.visit(source, id);
    }
    walk.end_run();
    // A run ends after the scripts within it. The sort is stable: one text node keeps its own order.
    walk.found.sort_by_key(|(id, _)| *id);
    walk.found.into_iter().map(|(_, formula)| formula).collect()
}

fn is_tex_script(kind: &str) -> bool {
    const TEX: &str = "math/tex";
    kind.get(..TEX.len()).is_some_and(|start| start.eq_ignore_ascii_case(TEX))
}

fn is_tex_encoding(encoding: &str) -> bool {
    encoding.to_ascii_lowercase().contains("tex")
}

/// The formulas found so far, each with the node in which it begins, and the run of text that is being read.
#[derive(Default)]
struct Walk {
    found: Vec<(NodeId, String)>,
    run: String,
    /// Where in the run each node's text begins.
    pieces: Vec<(usize, NodeId)>,
    /// The ends of the last element that is no text of a run, of the last `math`, and of the last TeX.
    hidden_until: u32,
    math_until: u32,
    tex_until: u32,
}

impl Walk {
    fn visit(&mut self, source: &Source<'_>, id: NodeId) {
        let (tree, is_shown) = (source.tree, id.0 >= self.hidden_until);
        let hides = match &**tree.name(id) {
            "" | "br" if !is_shown => false,
            "" if source.reads(id) => {
                self.push(id, tree.text(id));
                false
            }
            "br" if source.is_kept(id) => {
                self.push(id, "\n");
                false
            }
            "script" => {
                let is_tex = tree.attribute(id, &local_name!("type")).is_some_and(is_tex_script);
                self.add_if(is_tex, source, id);
                true
            }
            "annotation" if id.0 < self.math_until => {
                let is_tex = tree.attribute(id, &local_name!("encoding")).is_some_and(is_tex_encoding);
                self.add_if(is_tex, source, id);
                true
            }
            "math" => {
                self.math_until = self.math_until.max(tree.end(id).0);
                true
            }
            "pre" | "code" => true,
            _ => tree.is_invisible(id),
        };
        if hides && is_shown {
            // One blank, so that what stands on both sides stays apart.
            if !tree.is_invisible(id) {
                self.push(id, " ");
            }
            self.hidden_until = tree.end(id).0;
        }
    }

    fn push(&mut self, id: NodeId, text: &str) {
        self.pieces.push((self.run.len(), id));
        self.run.push_str(text);
    }

    /// Adds the whole text of a kept element, selected or not: it was never text of the page. What stands in TeX is a part
    /// of it.
    fn add_if(&mut self, is_tex: bool, source: &Source<'_>, id: NodeId) {
        if is_tex && id.0 >= self.tex_until && source.is_kept(id) {
            self.tex_until = source.tree.end(id).0;
            let text: String = source.tree.subtree(id).map(|below| source.tree.text(below)).collect();
            self.add(id, &text);
        }
    }

    fn add(&mut self, id: NodeId, formula: &str) {
        let formula = formula.trim_matches(is_white_space);
        if !formula.is_empty() {
            self.found.push((id, formula.to_owned()));
        }
    }

    fn end_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        let pieces = std::mem::take(&mut self.pieces);
        for (at, formula) in delimited(&run) {
            let piece = pieces.partition_point(|&(start, _)| start <= at) - 1;
            self.add(pieces[piece].1, formula);
        }
    }
}

/// Formulas between delimiters, each with the place of its opening delimiter, blank ones too. One pass from the left: a
/// delimiter that nothing closes is not looked for again, so that the cost is the length of the text.
pub(super) fn delimited(text: &str) -> Vec<(usize, &str)> {
    let (bytes, mut found, mut unclosed) = (text.as_bytes(), Vec::new(), Vec::new());
    let (mut at, mut backslashes) = (0, 0);
    while at < bytes.len() {
        let closing = closing(&bytes[at..]).filter(|closing| backslashes % 2 == 0 && !unclosed.contains(closing));
        let mut ended = None;
        if let Some(closing) = closing {
            ended = find_free(text, at + 2, closing).map(|end| (at + 2, end, closing.len()));
            if ended.is_none() {
                unclosed.push(closing);
            }
        }
        if ended.is_none() && backslashes % 2 == 0 && bytes[at] == b'$' {
            ended = closing_dollar(text, at).map(|end| (at + 1, end, 1));
        }
        if let Some((start, end, length)) = ended {
            found.push((at, &text[start..end]));
            (at, backslashes) = (end + length, 0);
        } else {
            backslashes = if bytes[at] == b'\\' { backslashes + 1 } else { 0 };
            at += 1;
        }
    }
    found
}

/// The end of the pair of delimiters that opens at the beginning of `rest`. A single dollar is none of these.
fn closing(rest: &[u8]) -> Option<&'static str> {
    match rest {
        [b'$', b'$', ..] => Some("$$"),
        [b'\\', b'[', ..] => Some("\\]"),
        [b'\\', b'(', ..] => Some("\\)"),
        _ => None,
    }
}

/// The first place from `from` on where `wanted` stands after an even number of backslashes. Backslashes before `from`
/// do not count: they belong to what opened.
fn find_free(text: &str, from: usize, wanted: &str) -> Option<usize> {
    let (bytes, mut backslashes) = (text.as_bytes(), 0);
    for at in from..bytes.len() {
        if backslashes % 2 == 0 && bytes[at..].starts_with(wanted.as_bytes()) {
            return Some(at);
        }
        backslashes = if bytes[at] == b'\\' { backslashes + 1 } else { 0 };
    }
    None
}

/// The place of the dollar that closes the one at `open`: the next one, if the two can be no money.
fn closing_dollar(text: &str, open: usize) -> Option<usize> {
    let end = find_free(text, open + 1, "$")?;
    let inside = &text[open + 1..end];
    let touches_space = inside.starts_with(is_white_space) || inside.ends_with(is_white_space);
    let is_money = text[end + 1..].starts_with(|c: char| c.is_ascii_digit());
    (!inside.is_empty() && !touches_space && !is_money && !has_blank_line(inside)).then_some(end)
}

fn has_blank_line(text: &str) -> bool {
    let mut lines = text.split('\n');
    // What stands before the first line end and after the last is no line of its own.
    lines.next();
    lines.next_back();
    lines.any(|line| line.chars().all(is_white_space))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::parse::parse;

    fn of_text(text: &str) -> Vec<&str> {
        delimited(text).into_iter().map(|(_, formula)| formula).collect()
    }

    #[test]
    fn delimiters_pair_from_the_left() {
        assert_eq!(of_text("$$a+b$$ and $c$, \\(d\\) \\[e\nf\\]"), ["a+b", "c", "d", "e\nf"]);
        assert_eq!(of_text("$$\\alpha + 5\\$$$"), ["\\alpha + 5\\$"]);
        assert_eq!(of_text("\\\\[a\\] \\\\\\[b\\]"), ["b"]);
        assert_eq!(of_text("\\[a\\\\] b\\]"), ["a\\\\] b"]);
        assert_eq!(of_text("$$x and $y$"), ["y"]);
        assert_eq!(of_text("\\[ \\( $z$"), ["z"]);
    }

    #[test]
    fn money_is_no_formula() {
        assert_eq!(of_text("It costs $5 and $10."), [""; 0]);
        assert_eq!(of_text("$5,$6 to $x$"), ["x"]);
        assert_eq!(of_text("\\$x$"), [""; 0]);
        assert_eq!(of_text("$a\n \nb$ $a\nb$"), ["a\nb"]);
    }

    fn of_html(html: &str) -> Vec<String> {
        formulas(&Source::new(&parse(html).unwrap().tree))
    }

    #[test]
    fn scripts_and_annotations_stand_in_order_with_the_text() {
        let html = "<script type='Math/TeX; mode=display'> a </script><p>so $b$ <script type=math/tex>c</script> $d$ \
                    <math><mi>$m$</mi><annotation encoding=application/x-tex>e</annotation>\
                    <annotation encoding=other>n</annotation></math> $f$</p><script>$no$</script>";
        assert_eq!(of_html(html), ["a", "b", "c", "d", "e", "f"]);
    }

    #[test]
    fn runs_end_at_blocks_and_know_no_code() {
        assert_eq!(of_html("<p>$a<p>b$<div>$c<b>d</b>$</div>"), ["cd"]);
        assert_eq!(of_html("<p>$a<br>b$ <code>$x$</code> $c<code>d</code>e$<pre>$y$</pre>"), ["a\nb", "c e"]);
        assert_eq!(of_html("<p>$$a<p>b$$"), [""; 0]);
    }

    #[test]
    fn megabytes_of_delimiters_cost_their_length() {
        for piece in ["$", "$ ", "\\[", "\\(", "\\", "$$ ", "$a", "\\[ \\( $$ $"] {
            delimited(&piece.repeat(2_000_000 / piece.len()));
        }
    }
}
