//! The languages of a folder's pages, found in their texts where nobody states them. They are a guess, told as one: a language
//! that is stated decides.

use std::collections::BTreeMap;

use encoding_rs::Encoding;
use whatlang::detect;

use super::contents::is_no_text;
use super::table::first_language;
use crate::datasets::manifest::Record;
use crate::page::charset;

/// Characters of a page that are looked at: more of them change no answer.
const LOOKED_AT: usize = 3_000;

/// In a shorter text no language is found; a Han character says as much as three letters.
const LEAST: usize = 60;

/// A text between two tags that is at least so long, in the same measure, is a sentence rather than a name or a link.
const SENTENCE: usize = 30;

/// How many of `records` are in each language.
pub(super) fn count_languages<'r>(records: impl Iterator<Item = &'r Record>) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for language in records.filter_map(|record| record.language.clone()) {
        *found.entry(language).or_default() += 1;
    }
    found
}

/// The number of pages in each language that was found among `pages` of them, and the options that say otherwise; `options` is
/// how an option is written.
pub(crate) fn told_languages(found: &BTreeMap<String, usize>, pages: usize, options: &str) -> String {
    let mut most: Vec<(&String, &usize)> = found.iter().collect();
    most.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let named: Vec<String> = most.iter().map(|(language, count)| format!("{language} {count}")).collect();
    let unknown = pages - found.values().sum::<usize>();
    let unknown = (unknown > 0).then(|| format!("unknown {unknown}"));
    let named: Vec<String> = named.into_iter().chain(unknown).collect();
    format!(
        "languages as the texts of the pages seem to be in: {} ({options}language=TAG states it, {options}language=none: none)",
        named.join(", ")
    )
}

/// The language of a page's text as BCP 47 writes it; `None` where that is not certain.
pub(crate) fn language_of(bytes: &[u8], encoding: Option<&'static Encoding>) -> Option<String> {
    if encoding.is_none() && is_no_text(bytes) {
        return None;
    }
    let page = charset::decode(bytes, encoding).text;
    let texts = texts(&page);
    let sentences = joined(texts.iter().filter(|text| length(text) >= SENTENCE));
    let text = if length(&sentences) >= LEAST { sentences } else { joined(texts.iter()) };
    let found = detect(&text).filter(|found| length(&text) >= LEAST && found.is_reliable())?;
    Some(match found.lang().code() {
        "cmn" => "zh".to_owned(),
        code => first_language(code),
    })
}

/// How many letters `text` is as long as.
fn length(text: &str) -> usize {
    text.chars().map(|c| if matches!(c, '\u{3400}'..='\u{9FFF}') { 3 } else { 1 }).sum()
}

fn joined<'t>(texts: impl Iterator<Item = &'t &'t str>) -> String {
    let mut all = String::new();
    for text in texts {
        all.push_str(text);
        all.push('\n');
        if all.len() >= 4 * LOOKED_AT {
            break;
        }
    }
    all.chars().take(LOOKED_AT).collect()
}

/// The texts between a page's tags, in order; scripts, styles and comments are none. A guess at a language needs no tree.
fn texts(page: &str) -> Vec<&str> {
    let (mut texts, mut rest) = (Vec::new(), page);
    while let Some((text, behind)) = rest.split_once('<') {
        texts.push(text.trim());
        let end = ["script", "style", "!--"].into_iter().zip(["</script", "</style", "-->"]);
        let within = end.into_iter().find(|(name, _)| begins_with(behind, name)).map(|(_, end)| end);
        let tag_end = match within {
            Some("-->") => behind.find("-->").map(|at| at + "-->".len()),
            Some(end) => find_ignoring_case(behind, end).and_then(|at| Some(at + behind[at..].find('>')? + 1)),
            None => behind.find('>').map(|at| at + 1),
        };
        rest = tag_end.map_or("", |at| &behind[at..]);
    }
    texts.push(rest.trim());
    texts.retain(|text| !text.is_empty());
    texts
}

fn begins_with(text: &str, name: &str) -> bool {
    text.as_bytes().get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
}

/// Where `wanted`, which is ASCII, first stands in `text`, in capitals or not.
fn find_ignoring_case(text: &str, wanted: &str) -> Option<usize> {
    text.match_indices('<').map(|(at, _)| at).find(|&at| begins_with(&text[at..], wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHINESE: &str = "<html lang=en><body><a href=/>Home</a><script>if (a < b) { the('and of to in') }</SCRIPT>\
                           <p>新华社北京十一月二十日电，国务院今天发布了关于加强城市管理工作的意见，要求各地区认真贯彻落实。";

    #[test]
    fn texts_are_what_stands_between_tags() {
        let page = "<!-- <p>no --><p class=x>one<STYLE>p > a {}</style> two <b>three</b><script>4 < 5";
        assert_eq!(texts(page), ["one", "two", "three"]);
        assert_eq!(texts("plain"), ["plain"]);
        assert_eq!(texts("a <"), ["a"]);
    }

    #[test]
    fn sentences_tell_the_language_and_what_is_short_does_not() {
        let of = |text: &str| language_of(text.as_bytes(), None);
        assert_eq!(of(CHINESE).as_deref(), Some("zh"), "neither `lang` nor a script nor a link in English");
        let german =
            "<p>Der Bundestag hat am Donnerstag über das neue Gesetz beraten, das nächstes Jahr in Kraft tritt.</p>";
        assert_eq!(of(german).as_deref(), Some("de"));
        let greek = "<p>Η κυβέρνηση ανακοίνωσε σήμερα νέα μέτρα για την οικονομία και την εργασία στη χώρα.</p>";
        assert_eq!(of(greek).as_deref(), Some("el"));
        assert_eq!(of("<p>OK</p>"), None);
        assert_eq!(of(""), None);
        let (gbk, _, _) = encoding_rs::GBK.encode(CHINESE);
        assert_eq!(language_of(&gbk, Some(encoding_rs::GBK)).as_deref(), Some("zh"));
    }
}
