//! What figures and their axes are called, in each language of the report.

use std::fmt;

use serde::{Serialize, Serializer};

use super::language::Language;

/// A title or a label: words with places for names and numbers, which are the same in every language.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalisedText {
    /// The words in each language, in the order of [`Language::ALL`]; `{0}`, `{1}` are filled in.
    words: [&'static str; 2],
    values: Vec<String>,
}

impl LocalisedText {
    /// `words` in English and in Chinese, with `values` in their places.
    pub fn new<const N: usize>(words: [&'static str; 2], values: [&str; N]) -> Self {
        LocalisedText { words, values: values.map(str::to_owned).into() }
    }

    /// A name, or what else is the same in every language.
    pub fn name(name: impl Into<String>) -> Self {
        LocalisedText { words: ["{0}"; 2], values: vec![name.into()] }
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.words[0].is_empty()
    }

    /// The text in `language`.
    pub fn in_language(&self, language: Language) -> String {
        let mut text = String::new();
        let mut rest = self.words[language as usize];
        while let Some((before, (place, after))) =
            rest.split_once('{').and_then(|(before, behind)| Some((before, behind.split_once('}')?)))
        {
            text.push_str(before);
            text.extend(place.parse().ok().and_then(|place: usize| self.values.get(place)).map(String::as_str));
            rest = after;
        }
        text + rest
    }
}

/// In English, as the files on the disk have it.
impl fmt::Display for LocalisedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_language(Language::English))
    }
}

impl Serialize for LocalisedText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_where_each_language_has_them() {
        let text = LocalisedText::new(["{0} on {1}", "{1} 上的 {0}"], ["nta", "{0}"]);
        assert_eq!(text.to_string(), "nta on {0}");
        assert_eq!(text.in_language(Language::Chinese), "{0} 上的 nta");
        assert_eq!(LocalisedText::name("a{0}b").in_language(Language::Chinese), "a{0}b");
        assert!(LocalisedText::default().is_empty() && LocalisedText::default().to_string().is_empty());
    }
}
