//! Short texts that tables, explanations and commands are made of, in each language of the report (`catalogue.yaml`). They
//! are looked up by their English: what comes from below the report is told in English alone.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::language::Language;
use super::localised_text::filled;
use crate::formats::yaml;

/// Texts in English and in Chinese; `{0}`, `{1}` stand for what differs, in the same order in English.
static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    let texts: BTreeMap<String, String> = yaml::typed("catalogue.yaml", include_str!("catalogue.yaml"))
        .expect("the file is part of the program, and a test reads it");
    let (patterns, words): (BTreeMap<_, _>, BTreeMap<_, _>) =
        texts.into_iter().partition(|(english, _)| english.contains("{0}"));
    let pieces = |english: &str| -> Vec<String> {
        let parts = english.split('{').enumerate();
        parts
            .map(|(place, part)| {
                if place == 0 { part } else { part.split_once('}').map_or("", |(_, text)| text) }.to_owned()
            })
            .collect()
    };
    let mut patterns: Vec<Pattern> =
        patterns.into_iter().map(|(english, chinese)| Pattern { pieces: pieces(&english), english, chinese }).collect();
    // The pattern that says most of a text is the one that it was made of.
    patterns.sort_by_key(|pattern| std::cmp::Reverse(pattern.pieces.iter().map(String::len).sum::<usize>()));
    Catalogue { words, patterns }
});

struct Catalogue {
    words: BTreeMap<String, String>,
    patterns: Vec<Pattern>,
}

/// A text with places for what differs.
struct Pattern {
    english: String,
    /// What stands before the first place, between places, and behind the last, in English.
    pieces: Vec<String>,
    chinese: String,
}

impl Pattern {
    /// What stands in the places of `text`, if it is made of this pattern.
    fn values<'t>(&self, text: &'t str) -> Option<Vec<&'t str>> {
        let [first, between @ .., last] = &self.pieces[..] else { return None };
        let mut rest = text.strip_prefix(first.as_str())?.strip_suffix(last.as_str())?;
        let mut values = Vec::new();
        for piece in between {
            let (value, behind) = rest.split_once(piece.as_str())?;
            values.push(value);
            rest = behind;
        }
        values.push(rest);
        values.iter().all(|value| !value.is_empty()).then_some(values)
    }
}

impl Language {
    /// An English text of the catalogue in this language; what the catalogue does not have, such as a name, stays as it is.
    pub fn say(self, english: &str) -> Cow<'_, str> {
        match self {
            Language::English => Cow::Borrowed(english),
            Language::Chinese => in_chinese(english),
        }
    }

    /// A pattern of the catalogue, by its English, in this language, with `values` in the places `{0}`, `{1}` as they stand:
    /// names of others are not looked up.
    pub fn fill<V: AsRef<str>>(self, english: &str, values: &[V]) -> String {
        let known = || CATALOGUE.patterns.iter().find(|pattern| pattern.english == english);
        let words = match self {
            Language::English => english,
            Language::Chinese => known().map_or(english, |pattern| pattern.chinese.as_str()),
        };
        filled(words, |place| values.get(place).map_or("", AsRef::as_ref))
    }
}

fn in_chinese(english: &str) -> Cow<'_, str> {
    if let Some(chinese) = CATALOGUE.words.get(english) {
        return Cow::Borrowed(chinese);
    }
    let made_of = |pattern: &'static Pattern| Some((pattern, pattern.values(english)?));
    let Some((pattern, values)) = CATALOGUE.patterns.iter().find_map(made_of) else { return Cow::Borrowed(english) };
    Cow::Owned(filled(&pattern.chinese, |place| values.get(place).map_or(Cow::default(), |value| in_chinese(value))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_by_their_english_and_names_stay() {
        let say = |english| Language::Chinese.say(english).into_owned();
        assert_eq!(say("algorithm"), "算法");
        assert_eq!(say("nta"), "nta");
        assert_eq!(say("coherence 3/4 reaches 0.9"), "连贯度 3/4 达到 0.9");
        assert_eq!(say("start node; coherence 1 reaches 0.9"), "起始节点；连贯度 1 达到 0.9");
        assert_eq!(Language::English.say("coherence 3/4 reaches 0.9"), "coherence 3/4 reaches 0.9");
    }

    #[test]
    fn values_are_filled_in_as_they_stand() {
        assert_eq!(
            Language::English.fill("{0}: {1} element, {2} characters given", &["page", "1", "7"]),
            "page: 1 element, 7 characters given"
        );
        assert_eq!(Language::Chinese.fill("none: {0}", &["page"]), "无：page");
        assert_eq!(Language::Chinese.say("none: page"), "无：页面");
    }

    #[test]
    fn every_place_of_a_pattern_is_in_both_languages() {
        for pattern in &CATALOGUE.patterns {
            let places = pattern.pieces.len() - 1;
            let missing = (0..places).find(|place| pattern.chinese.matches(&format!("{{{place}}}")).count() != 1);
            assert_eq!(missing, None, "{}", pattern.chinese);
        }
    }
}
