//! What must hold of everything that is shown, whoever wrote the names and texts in it.

use carat::formats::inert::is_steering;

/// Stands in every text of others; in Markdown nowhere but within code.
pub(crate) const HOSTILE: &str = "HOSTILE";

/// Nothing acts on a terminal, and no line is a command to a program that reads a log.
pub(crate) fn is_inert(text: &str, whose: &str) {
    for line in text.lines() {
        assert!(!line.contains(is_steering), "{whose}: {line:?}");
        assert!(!line.trim_start().starts_with("::"), "{whose}: {line:?}");
        for (at, _) in line.match_indices("##") {
            let behind = line[at..].trim_start_matches('#').trim_start_matches(|c: char| c.is_ascii_alphanumeric());
            assert!(!behind.starts_with('['), "{whose}: {line:?}");
        }
    }
}

/// The same, and outside of code nothing is of others, or is read as anything but words.
pub(crate) fn is_inert_markdown(text: &str, whose: &str) {
    is_inert(text, whose);
    let text = text.replace("&lt;", "").replace("\\|", "");
    let mut fence = None;
    for line in text.lines() {
        // A block of code ends at a fence that is as long as the one that it begins with.
        let ticks = line.len() - line.trim_start_matches('`').len();
        match fence {
            None if ticks >= 3 => fence = Some(ticks),
            Some(long) if ticks >= long => fence = None,
            _ => {}
        }
        if fence.is_some() {
            continue;
        }
        let words = without_html_of_ours(&without_code(line));
        for active in [HOSTILE, "<", "](", "![", "://", "www.", "@", "mention"] {
            assert!(!words.contains(active), "{whose}: `{active}` in {words:?} of {line:?}");
        }
        let refers = |(at, _): (usize, &str)| words[at + 1..].starts_with(|c: char| c.is_ascii_digit());
        assert!(!words.match_indices('#').any(refers), "{whose}: {line:?}");
    }
    let tables = text.lines().collect::<Vec<_>>();
    for pair in tables.windows(2).filter(|pair| pair[1].starts_with('|') && pair[0].starts_with('|')) {
        let cells = pair.iter().map(|line| line.matches('|').count()).collect::<Vec<_>>();
        assert_eq!(cells[0], cells[1], "{whose}: {pair:?}");
    }
}

/// A line without its code spans: a run of back-ticks up to the next that is as long.
fn without_code(line: &str) -> String {
    let (mut words, mut rest) = (String::new(), line);
    while let Some(begin) = rest.find('`') {
        let length = rest[begin..].len() - rest[begin..].trim_start_matches('`').len();
        let within = &rest[begin + length..];
        words.push_str(&rest[..begin]);
        match end_of_code(within, length) {
            Some(end) => rest = &within[end..],
            None => {
                words.push_str(&rest[begin..begin + length]);
                rest = within;
            }
        }
    }
    words + rest
}

/// Where the code ends that a run of so many back-ticks began.
fn end_of_code(within: &str, length: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = within[at..].find('`') {
        let run = within[at + found..].len() - within[at + found..].trim_start_matches('`').len();
        if run == length {
            return Some(at + found + run);
        }
        at += found + run;
    }
    None
}

/// A line without the tags and the comment that carat writes itself.
fn without_html_of_ours(line: &str) -> String {
    if line.starts_with("<!-- carat ") && line.ends_with(" -->") && line.matches("-->").count() == 1 {
        return String::new();
    }
    let mut line = line.to_owned();
    while let Some((before, behind)) = line.split_once("<code>") {
        let (within, behind) = behind.split_once("</code>").unwrap();
        assert!(!within.contains(['<', '>']), "{within}");
        line = format!("{before}{behind}");
    }
    ["<details>", "<summary>", "</summary>", "</details>"].iter().fold(line, |line, tag| line.replace(tag, ""))
}

/// No cell acts on a terminal, or is a formula to a spreadsheet.
pub(crate) fn is_inert_csv(text: &str, whose: &str) {
    is_inert(text, whose);
    let mut csv = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    for record in csv.records().map(Result::unwrap) {
        for cell in &record {
            let is_figure = cell == "-" || cell.parse::<f64>().is_ok_and(f64::is_finite);
            assert!(is_figure || !cell.starts_with(['=', '+', '-', '@', '\t', '\r']), "{whose}: {record:?}");
        }
    }
}

/// As its name says what it is.
pub(crate) fn is_inert_file(name: &str, text: &str) {
    match name.rsplit('.').next() {
        Some("md") => is_inert_markdown(text, name),
        Some("csv") => is_inert_csv(text, name),
        _ => is_inert(text, name),
    }
}
