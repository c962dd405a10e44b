//! Blocks that say where an article begins and ends: its title, and the words over its comments.

use html5ever::local_name;

use super::Profile;
use super::blocks::{Blocks, is_java_white_space, trim};
use crate::page::tree::{NodeId, Tree};

/// A block of fewer words than this may say that the article ends.
const MAX_END_WORDS: u32 = 15;

/// Labels the blocks that a part of the title is repeated in, and those that say that the article ends.
pub(super) fn label(tree: &Tree, blocks: &mut Blocks, profile: Profile) {
    for place in 0..blocks.blocks.len() {
        blocks.blocks[place].labels.end = is_end(blocks, place, profile);
    }
    let Some(title) = title(tree) else { return };
    let titles = match profile {
        Profile::V1_2 => parts_of_1_2(&title),
        Profile::V2_0 => parts_of_2_0(&title),
    };
    for place in 0..blocks.blocks.len() {
        let text = blocks.text(place);
        let is_title = match profile {
            Profile::V1_2 => titles.iter().any(|title| title == text),
            Profile::V2_0 => matches_2_0(&titles, text),
        };
        blocks.blocks[place].labels.title = is_title;
        if is_title && profile == Profile::V2_0 {
            return;
        }
    }
}

/// Whether the block says that the article ends.
fn is_end(blocks: &Blocks, place: usize, profile: Profile) -> bool {
    const BEGINNINGS: [&str; 4] = ["comments", "© reuters", "please rate this", "post a comment"];
    const PARTS: [&str; 7] = [
        "what you think...", "add your comment", "add comment", "reader views", "have your say", "reader comments",
        "rätta artikeln",
    ];
    let counts = blocks.blocks[place].counts;
    if counts.words >= MAX_END_WORDS {
        return false;
    }
    let text = blocks.text(place);
    if text.chars().take(8).count() < 8 {
        return profile == Profile::V2_0 && text == "Comment" && counts.linked == counts.words;
    }
    let text = text.to_lowercase();
    let after_number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    BEGINNINGS.iter().any(|beginning| text.starts_with(beginning))
        || PARTS.iter().any(|part| text.contains(part))
        || text == "thanks for your comments - this feedback is now closed"
        || (after_number.len() < text.len()
            && [" comments", " users responded in"].iter().any(|rest| after_number.starts_with(rest)))
}

/// The text of the last `title` element before the body that has one, trimmed.
fn title(tree: &Tree) -> Option<String> {
    // Asked for once: where there is none, it is looked for among all children of `html`.
    let body = tree.body();
    let before_body = tree.ids().take_while(|&id| Some(id) != body);
    let titles = before_body.filter(|&id| *tree.name(id) == local_name!("title"));
    let texts = titles.map(|id| trim(&element_text(tree, id)).to_owned());
    texts.filter(|text| !text.is_empty()).last()
}

fn element_text(tree: &Tree, id: NodeId) -> String {
    let chars = tree.subtree(id).flat_map(|id| tree.text(id).chars());
    chars.map(|c| if is_java_white_space(c) { ' ' } else { c }).collect()
}

/// The parts of `title`, parted at each of `separators`; the empty ones at the end are dropped.
fn split<'t>(title: &'t str, separators: &[char]) -> Vec<&'t str> {
    let mut parts: Vec<&str> = title.split(separators).map(|part| part.trim_matches(' ')).collect();
    parts.truncate(parts.iter().rposition(|part| !part.is_empty()).map_or(0, |last| last + 1));
    parts
}

/// The longest part, the first of equally long ones, if there is more than one.
fn longest_part(title: &str, separators: &[char]) -> Option<String> {
    let parts = split(title, separators);
    let candidates = parts.iter().filter(|part| !part.contains(".com"));
    let longest = candidates.rev().max_by_key(|part| part.chars().count())?;
    (parts.len() > 1 && !longest.is_empty()).then(|| trim(longest).to_owned())
}

fn parts_of_1_2(title: &str) -> Vec<String> {
    const SEPARATORS: [&[char]; 4] = [
        &['|', '»', ':'],
        &['|', '»', ':', '(', ')'],
        &['|', '»', ':', '(', ')', '-'],
        &['|', '»', ',', ':', '(', ')', '-'],
    ];
    let longest = SEPARATORS.iter().filter_map(|separators| longest_part(title, separators));
    std::iter::once(title.to_owned()).chain(longest).collect()
}

/// The parts of version 2.0. Its separators with U+00A0 are those without: that is a space by then.
fn parts_of_2_0(title: &str) -> Vec<String> {
    const MIN_WORDS: usize = 4;
    let title = &normalised_2_0(title);
    let mut parts = parts_of_1_2(title);
    parts.extend(longest_part(title, &['|', '»', '-']));
    for separator in ['|', '-'] {
        let pieces = split_spaced(title, separator);
        let long = |piece: &&str| piece.split(' ').filter(|word| !word.is_empty()).count() >= MIN_WORDS;
        if pieces.len() > 1 {
            parts.extend(pieces.into_iter().filter(|piece| !piece.contains(".com")).filter(long).map(str::to_owned));
        }
    }
    let is_spaced = |&at: &usize| title[..at].ends_with(' ') && title[at + 1..].starts_with(' ');
    let without_last = title.rfind('-').filter(is_spaced).map(|at| title[..at - 1].to_owned());
    let without_first = title.find('-').filter(is_spaced).map(|at| title[at + 2..].to_owned());
    parts.extend(without_last.into_iter().chain(without_first));
    parts
}

/// The parts of `title`, parted at each `separator` that has spaces on both sides.
fn split_spaced(title: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, found) in title.match_indices(separator) {
        let to = at + found.len();
        if from < at && title[from..at].ends_with(' ') && title[to..].starts_with(' ') {
            parts.push(title[from..at].trim_matches(' '));
            from = to;
        }
    }
    parts.push(title[from..].trim_matches(' '));
    parts
}

fn normalised_2_0(text: &str) -> String {
    trim(&text.replace('\u{A0}', " ").replace('\'', "")).to_lowercase()
}

fn matches_2_0(titles: &[String], text: &str) -> bool {
    let text = normalised_2_0(text);
    let stripped = text.replace(['?', '!', '.', '-', ':'], "");
    titles.iter().any(|title| *title == text || title == trim(&stripped))
}

#[cfg(test)]
mod tests {
    use super::super::BlockParameters;
    use super::*;
    use crate::page::{Context, Page};

    /// The texts of the blocks that are labelled as title, and those labelled as end.
    fn labelled(html: &str, profile: Profile) -> [Vec<String>; 2] {
        let page = Page::new(html.as_bytes(), Context::default()).unwrap();
        let mut blocks = Blocks::new(&page, &BlockParameters::default());
        label(&page.tree, &mut blocks, profile);
        let texts = |is_labelled: fn(&super::super::blocks::Labels) -> bool| {
            let chosen = blocks.blocks.iter().filter(|block| is_labelled(&block.labels));
            chosen.map(|block| blocks.text(block.first).to_owned()).collect()
        };
        [texts(|labels| labels.title), texts(|labels| labels.end)]
    }

    fn paragraphs(texts: &[&str]) -> String {
        texts.iter().map(|text| format!("<p>{text}</p>")).collect()
    }

    #[test]
    fn the_longest_part_of_a_title_is_one() {
        let title = "<title></title><title>Site: A longer title (yes) - example.com site\n| by</title>";
        let texts = [
            "Site",
            "A longer title (yes) - example.com site",
            "A longer title",
            "A longer title (yes)",
            "by",
            "a longer title",
        ];
        // By | » : the longest part has .com in it, so `Site` is the longest; with ( ) it is `A longer title`.
        assert_eq!(labelled(&(title.to_owned() + &paragraphs(&texts)), Profile::V1_2)[0], ["Site", "A longer title"]);
        // Of equal parts the first; an empty part at the end does not count as one.
        assert_eq!(labelled("<title>abc | def</title><p>def<p>abc", Profile::V1_2)[0], ["abc"]);
        assert_eq!(labelled("<title>abc |</title><p>abc<p>abc |", Profile::V1_2)[0], ["abc |"]);
        assert_eq!(labelled("<p>abc", Profile::V1_2)[0], [""; 0]);
    }

    #[test]
    fn version_2_0_takes_the_first_block_that_is_nearly_a_part() {
        let of = |title: &str, texts: &[&str]| {
            labelled(&format!("<title>{title}</title>{}", paragraphs(texts)), Profile::V2_0)[0].clone()
        };
        assert_eq!(of("Don't&nbsp;Go | Site", &["dont go!", "DONT GO"]), ["dont go!"]);
        assert_eq!(of("One - two three four five - Site", &["two three four five"]), ["two three four five"]);
        assert_eq!(of("a b - c d", &["c d"]), ["c d"]);
        assert_eq!(of("a, b - c d - e", &["a, b - c d"]), ["a, b - c d"]);
        assert_eq!(of("x-y", &["-y"]), [""; 0]);
    }

    #[test]
    fn what_ends_an_article() {
        let is_end = [
            "Comments are closed",
            "12 COMMENTS",
            "3 users responded in this",
            "Say what you think...",
            "Rätta artikeln",
        ];
        let is_none = ["Comment", "twelve comments", "No comments yet, none at all"];
        let html = paragraphs(&is_end) + &paragraphs(&is_none) + &format!("<p>comments {}</p>", "word ".repeat(14));
        assert_eq!(labelled(&html, Profile::V1_2)[1], is_end);
        let linked = "<p><a href=1>Comment</a></p><p>Comment</p>";
        assert_eq!(labelled(linked, Profile::V1_2)[1], [""; 0]);
        assert_eq!(labelled(linked, Profile::V2_0)[1], ["Comment"]);
    }
}
