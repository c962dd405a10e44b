//! The parts that WebMainBench cuts out of Markdown, as its patterns cut them without its language model: one string for
//! each side of a comparison. Its patterns are regular expressions with look-behind and nested repetition; here each is a
//! scanner that passes over the text once, so that no text costs more than its length.

use std::sync::LazyLock;

use regex::Regex;

/// The blocks of code, joined by line ends: what stands in lines of its own between "```" and the next, anywhere; then
/// indented runs.
///
/// ```
/// use carat_core::structure::wmb;
/// assert_eq!(wmb::code("```\nx\n```"), "x");
/// assert_eq!(wmb::code("```\nx```"), "");
/// ```
pub fn code(markdown: &str) -> String {
    let mut parts: Vec<String> = fenced(markdown).filter(|part| !part.is_empty()).collect();
    parts.extend(indented(markdown).iter().filter_map(|lines| code_of_lines(lines)));
    parts.join("\n")
}

/// Three backticks.
const FENCE: &str = "```";

/// The lines between the first and the last of each piece from a fence to the next.
fn fenced(markdown: &str) -> impl Iterator<Item = String> {
    pairs(markdown, FENCE).map(|(start, end)| {
        let lines: Vec<&str> = markdown[start..end].split('\n').collect();
        lines.get(1..lines.len() - 1).unwrap_or_default().join("\n")
    })
}

/// From each `mark` to the end of the next one, without overlaps.
fn pairs<'t>(text: &'t str, mark: &'t str) -> impl Iterator<Item = (usize, usize)> + use<'t> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(mark)?;
        let inside = start + mark.len();
        at = inside + text[inside..].find(mark)? + mark.len();
        Some((start, at))
    })
}

/// Runs of two or more indented lines behind a blank one that has a line before it.
///
/// The original pattern takes the line end before the blank line and all white space up to the run. A run that is followed
/// by an empty line takes its last line end too, so that the next run, if it follows at once, has none left to begin with.
fn indented(markdown: &str) -> Vec<Vec<&str>> {
    let lines: Vec<&str> = markdown.split('\n').collect();
    let last = lines.len() - 1;
    let (mut runs, mut from) = (Vec::new(), 0);
    while from < last {
        let blank = lines[from + 1..last].iter().take_while(|line| is_blank(line)).count();
        let content = from + 1 + blank;
        if blank == 0 {
            from = content;
            continue;
        }
        // Blank lines that are indented may belong to the run: the latest beginning that makes two lines wins.
        let length = lines[content..].iter().take_while(|line| is_indented(line)).count();
        let before = lines[from + 2..content].iter().rev().take_while(|line| is_indented(line)).count();
        let (begin, length) = match length {
            2.. => (content, length),
            _ if length + before >= 2 => (content - (2 - length), 2),
            _ => (content, 0),
        };
        if length == 0 {
            from = content;
            continue;
        }
        let end = begin + length;
        runs.push(lines[begin..end].to_vec());
        from = match lines.get(end) {
            None => last,
            Some(&"") => end,
            Some(_) => end - 1,
        };
    }
    runs
}

fn is_indented(line: &str) -> bool {
    line.starts_with("    ") || line.starts_with('\t')
}

/// A run's lines without their indentation; `None` if they look like a list or like sums of money.
fn code_of_lines(lines: &[&str]) -> Option<String> {
    let lines: Vec<&str> = lines.iter().copied().filter(|line| !is_blank(line)).collect();
    if lines.len() < 2 || lines.iter().any(|line| NO_CODE.is_match(strip(line))) {
        return None;
    }
    let without = |line: &&'_ str| line.strip_prefix("    ").or(line.strip_prefix('\t')).unwrap_or(line).to_owned();
    Some(lines.iter().map(without).collect::<Vec<_>>().join("\n"))
}

/// Patterns of lines that are no code, without white space at their ends.
static NO_CODE: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"^(?:[-•*]|\d+\.)[\s\x1C-\x1F]|\$[\d,]|(?i:\b(?:million|billion|thousand)\b)";
    Regex::new(pattern).expect("the pattern is a constant, and a test uses it")
});

/// Python's white space: the property White_Space, and U+001C to U+001F.
fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1C}'..='\u{1F}')
}

fn is_blank(text: &str) -> bool {
    text.chars().all(is_space)
}

fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// The formulas, joined by line ends: four passes over the text without code, one for each pair of delimiters. Money
/// between two dollars is a formula here.
///
/// ```
/// assert_eq!(carat_core::structure::wmb::formula("It costs $5 and $10."), "5 and");
/// ```
pub fn formula(markdown: &str) -> String {
    let text = without_code(markdown);
    let passes = [("$$", "$$"), ("\\[", "\\]"), ("$", "$"), ("\\(", "\\)")];
    let parts: Vec<&str> = passes.iter().flat_map(|(open, close)| between(&text, open, close)).map(strip).collect();
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// The text between `open` and the next `close`. A delimiter directly behind a backslash is none.
fn between<'t>(text: &'t str, open: &str, close: &str) -> Vec<&'t str> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(start) = find_unescaped(text, at, open).map(|start| start + open.len())
        && let Some(end) = find_unescaped(text, start, close)
    {
        found.push(&text[start..end]);
        at = end + close.len();
    }
    found
}

fn find_unescaped(text: &str, from: usize, wanted: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_there = |&at: &usize| bytes[at..].starts_with(wanted.as_bytes()) && (at == 0 || bytes[at - 1] != b'\\');
    (from..bytes.len()).find(is_there)
}

/// The text without what stands between fences, then without what stands between backticks, over lines.
fn without_code(markdown: &str) -> String {
    let without = |text: &str, mark| {
        let (mut rest, mut at) = (String::with_capacity(text.len()), 0);
        for (start, end) in pairs(text, mark) {
            rest.push_str(&text[at..start]);
            at = end;
        }
        rest.push_str(&text[at..]);
        rest
    };
    without(&without(markdown, FENCE), "`")
}

/// The tables as they are compared: HTML as it stands, or, if there is none, all tables of Markdown as one of HTML.
///
/// ```
/// let html = "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td></tr></table>";
/// assert_eq!(carat_core::structure::wmb::table("a|b\n---|---\n1|"), html);
/// ```
pub fn table(markdown: &str) -> String {
    let cut = table_as_cut(markdown);
    if is_blank(&cut) {
        return String::new();
    }
    if cut.to_ascii_lowercase().contains("<table") {
        return cut;
    }
    let is_row = |line: &&str| line.contains('|') && !line.chars().all(|c| is_space(c) || matches!(c, '|' | '-' | ':'));
    let mut html = "<table>".to_owned();
    for (at, line) in cut.split('\n').filter(is_row).enumerate() {
        let tag = if at == 0 { "th" } else { "td" };
        html.push_str("<tr>");
        for cell in line.split('|').map(strip).filter(|cell| !cell.is_empty()) {
            html.push_str(&format!("<{tag}>{cell}</{tag}>"));
        }
        html.push_str("</tr>");
    }
    html.push_str("</table>");
    html
}

/// The tables as they are cut out, joined by line ends: those of HTML that stand in no other table, outside of code; then
/// those of Markdown, in code too. The original parses HTML and writes it again; here its source stands, which is the
/// same where it is plain and closed.
pub fn table_as_cut(markdown: &str) -> String {
    let text = without_code(markdown);
    let mut parts = html_tables(&text);
    let mut run: Vec<&str> = Vec::new();
    let mut tables: Vec<String> = Vec::new();
    for line in markdown.split('\n').chain([""]) {
        if line.contains('|') {
            run.push(line);
            continue;
        }
        if run.get(1).is_some_and(|line| is_delimiter_row(line)) {
            tables.push(run.join("\n"));
        }
        run.clear();
    }
    parts.extend(tables.iter().map(String::as_str));
    parts.join("\n")
}

/// True if each part between bars is empty or `---` with or without colons.
fn is_delimiter_row(line: &str) -> bool {
    line.split('|').map(strip).all(|part| {
        let hyphens = part.strip_prefix(':').unwrap_or(part);
        let hyphens = hyphens.strip_suffix(':').unwrap_or(hyphens);
        part.is_empty() || hyphens.len() >= 3 && hyphens.bytes().all(|byte| byte == b'-')
    })
}

/// True if `markdown` holds a table of HTML outside of code: only there can the cut differ from the original's.
pub fn has_html_table(markdown: &str) -> bool {
    !html_tables(&without_code(markdown)).is_empty()
}

/// The sources of outermost tables, each up to its end tag, or to the end of the text.
fn html_tables(text: &str) -> Vec<&str> {
    let (mut tables, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    let last_tag = text.rfind('>').unwrap_or(0);
    for (at, _) in text.match_indices('<').take_while(|&(at, _)| at < last_tag) {
        if is_tag(&text[at + 1..], "table") {
            start = if depth == 0 { at } else { start };
            depth += 1;
        } else if depth > 0 && is_tag(&text[at + 1..], "/table") {
            depth -= 1;
            if depth == 0 {
                let end = text[at..].find('>').map_or(text.len(), |end| at + end + 1);
                tables.push(&text[start..end]);
            }
        }
    }
    if depth > 0 {
        tables.push(&text[start..]);
    }
    tables
}

/// True if a tag of this name begins with `rest`, behind its `<`.
fn is_tag(rest: &str, name: &str) -> bool {
    let is_name = rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    is_name && rest[name.len()..].starts_with(|c: char| c.is_ascii_whitespace() || matches!(c, '>' | '/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_pair_anywhere() {
        assert_eq!(code("```x```"), "");
        assert_eq!(code("a ```py\nb\n\nc\n``` d ```\ne\n```"), "b\n\nc\ne");
        assert_eq!(code("```\n```\n```\nx\n"), "");
    }

    #[test]
    fn indented_runs_follow_a_blank_line() {
        assert_eq!(code("t\n\n    if a:\n        b\n\nu"), "if a:\n    b");
        assert_eq!(code("t\n \t\n\ta\n    b"), "a\nb");
        assert_eq!(code("t\n    a\n    b"), "");
        assert_eq!(code("\n    a\n    b"), "");
        assert_eq!(code("\n\n    a\n    b"), "a\nb");
        assert_eq!(code("t\n\n    a\n    b\nu\n\n    c\n    d\n"), "a\nb\nc\nd");
        assert_eq!(code("t\n\n    a\n"), "");
        // A blank line that is indented belongs to the run.
        assert_eq!(code("t\n\n    a\n    \n    b\n"), "a\nb");
        assert_eq!(code("t\n\n    \n    a\nu"), "");
    }

    #[test]
    fn a_run_behind_one_empty_line_is_not_found() {
        assert_eq!(code("t\n\n    a\n    b\n\n    c\n    d\n"), "a\nb");
        assert_eq!(code("t\n\n    a\n    b\n\n\n    c\n    d\n"), "a\nb\nc\nd");
        assert_eq!(code("t\n\n    a\n    b\n  \n    c\n    d\n"), "a\nb\nc\nd");
    }

    #[test]
    fn lists_and_money_are_no_code() {
        for line in ["* one", "- one", "• one", "12. one", "costs $5", "a $,", "two Million", "A THOUSAND x"] {
            assert_eq!(code(&format!("t\n\n    {line}\n    b\n")), "", "{line}");
        }
        for line in ["*one", "12.one", "$x", "millions", "+ one"] {
            assert_ne!(code(&format!("t\n\n    {line}\n    b\n")), "", "{line}");
        }
    }

    #[test]
    fn formulas_come_pass_by_pass() {
        assert_eq!(formula("$b$ \\(c\\) $$a$$ \\[d\ne\\]"), "a\nd\ne\nb\nc");
        assert_eq!(formula("`$x$` ```$y$``` \\$z$"), "");
        assert_eq!(formula("\\\\[x\\] \\(y\\\\) z\\)"), "y\\\\) z");
    }

    #[test]
    fn tables_of_markdown_become_one_of_html() {
        assert_eq!(table("x|y\n--|--\n1|2"), "");
        let two = "|a|\n|:---:|\n|1|\n\ntext\n\nb||\n---|\n||\n";
        assert_eq!(table(two), "<table><tr><th>a</th></tr><tr><td>1</td></tr><tr><td>b</td></tr></table>");
        assert_eq!(table("|\n|"), "<table></table>");
    }

    #[test]
    fn outermost_tables_of_html_stand() {
        let html = "<TABLE a><tr><td><table>x</table></td></tr></TABLE >";
        assert_eq!(
            table(&format!("a {html}\n`<table>`\n</table> <tablex> {html} <table>y")),
            format!("{html}\n{html}\n<table>y")
        );
        assert_eq!(table("<table>x</table>\n\na|b\n---|---"), "<table>x</table>\na|b\n---|---");
        assert_eq!(table("<table"), "");
        assert!(has_html_table("<table>") && !has_html_table("`<table>`"));
    }
}
