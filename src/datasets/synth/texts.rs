//! The texts that pages are made of, written by hand for this program (CC0-1.0) and compiled in:
//! articles by site, and pools of headlines, comments and the like by language.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use include_dir::{Dir, include_dir};

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/datasets/synth/texts");

/// Texts by file, without its suffix: `zh/zh-news-1`.
static TEXTS: LazyLock<BTreeMap<String, Vec<Text>>> = LazyLock::new(|| {
    let files = files().filter(|(_, content)| content.starts_with("===\n"));
    files.map(|(name, content)| (name, content.split("===\n").skip(1).map(Text::read).collect())).collect()
});

/// The lines of every other file.
static POOLS: LazyLock<BTreeMap<String, Vec<&'static str>>> = LazyLock::new(|| {
    let files = files().filter(|(_, content)| !content.starts_with("===\n"));
    files.map(|(name, content)| (name, content.lines().filter(|line| !line.is_empty()).collect())).collect()
});

/// Every file's path without suffix, and its content.
fn files() -> impl Iterator<Item = (String, &'static str)> {
    let files = FILES.dirs().flat_map(|folder| folder.files());
    files.filter_map(|file| Some((file.path().with_extension("").to_str()?.replace('\\', "/"), file.contents_utf8()?)))
}

/// A text with what its page says of it.
pub(super) struct Text {
    pub(super) title: &'static str,
    /// `YYYY-MM-DD`.
    pub(super) date: &'static str,
    pub(super) author: Option<&'static str>,
    pub(super) captions: Vec<&'static str>,
    /// Name and text of readers' comments to this text.
    pub(super) comments: Vec<(&'static str, &'static str)>,
    pub(super) summary: Option<&'static str>,
    /// `gallery`, or nothing.
    pub(super) kind: Option<&'static str>,
    pub(super) body: Vec<Line>,
}

/// A line of a text's body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    Paragraph(&'static str),
    Heading(&'static str),
    Row(Vec<&'static str>),
    Item(&'static str),
    /// Between stanzas.
    Gap,
    /// A post of a thread begins: name, date, signature.
    Post(&'static str, &'static str, &'static str),
    /// A passage quoted from an earlier post.
    Quote(&'static str),
    /// Names of other products follow.
    Also,
}

impl Text {
    fn read(block: &'static str) -> Self {
        let (head, body) = block.split_once("\n\n").unwrap_or((block, ""));
        let keys = || head.lines().filter_map(|line| line.split_once(": "));
        let all = |name: &'static str| keys().filter(move |(key, _)| *key == name).map(|(_, value)| value.trim());
        let first = |name| all(name).next();
        Text {
            title: first("title").unwrap_or_default(),
            date: first("date").unwrap_or_default(),
            author: first("author"),
            captions: all("caption").collect(),
            comments: all("comment").filter_map(|comment| comment.split_once('|')).collect(),
            summary: first("summary"),
            kind: first("kind"),
            body: body.trim_end_matches('\n').lines().map(Line::read).collect(),
        }
    }
}

impl Line {
    fn read(line: &'static str) -> Self {
        if let Some(heading) = line.strip_prefix("## ") {
            return Line::Heading(heading);
        }
        if let Some(cells) = line.strip_prefix('|').and_then(|rest| rest.strip_suffix('|')) {
            return Line::Row(cells.split('|').map(str::trim).collect());
        }
        if let Some(post) = line.strip_prefix("@ ") {
            let mut parts = post.split('|').map(str::trim);
            let mut next = || parts.next().unwrap_or_default();
            return Line::Post(next(), next(), next());
        }
        match line.split_once(' ') {
            Some(("-", item)) => Line::Item(item),
            Some((">", quote)) => Line::Quote(quote),
            _ if line == "@also" => Line::Also,
            _ if line.is_empty() => Line::Gap,
            _ => Line::Paragraph(line),
        }
    }
}

/// The texts of a file such as `zh/zh-news-1`.
pub(super) fn texts(file: &str) -> Option<&'static [Text]> {
    TEXTS.get(file).map(Vec::as_slice)
}

/// The names of all files of texts.
pub(super) fn text_files() -> impl Iterator<Item = &'static str> {
    TEXTS.keys().map(String::as_str)
}

/// The lines of a pool such as `headlines` in a language; a language without one has none.
pub(super) fn pool(language: &str, name: &str) -> &'static [&'static str] {
    POOLS.get(&format!("{language}/{name}")).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn texts_are_whole_and_no_line_stands_in_two() {
        let mut seen = BTreeSet::new();
        for (file, texts) in TEXTS.iter() {
            for text in texts {
                let place = format!("{file}: {}", text.title);
                assert!(!text.title.is_empty() && text.date.len() == 10 && !text.body.is_empty(), "{place}");
                for line in &text.body {
                    if let Line::Paragraph(paragraph) = line {
                        assert!(paragraph.trim() == *paragraph && !paragraph.contains("  "), "{place}: {paragraph}");
                        assert!(
                            seen.insert(*paragraph) || paragraph.chars().count() < 8,
                            "{place}: `{paragraph}` twice"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn no_text_holds_a_mark_of_html() {
        for (name, content) in files() {
            let marked = content.lines().find(|line| {
                let line = line.strip_prefix("> ").unwrap_or(line);
                line.contains(['<', '>', '&', '`', '\r'])
            });
            assert_eq!(marked, None, "{name}");
        }
    }
}
