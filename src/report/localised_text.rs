//! Texts of reports, in each language that a report is written in.

use std::fmt;

use super::language::Language;

/// A text in every language of the report: words with names and numbers in their places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalisedText {
    /// The text in each language, in the order of [`Language::ALL`].
    texts: [String; 2],
}

impl LocalisedText {
    /// `words` in English and in Chinese, with `values` in the places `{0}`, `{1}`.
    pub fn new<V: Into<LocalisedText>, const N: usize>(words: [&str; 2], values: [V; N]) -> Self {
        let values = values.map(Into::into);
        let value = |place: usize, language| values.get(place).map(|value: &LocalisedText| value.in_language(language));
        let text =
            |language: Language| filled(words[language as usize], |place| value(place, language).unwrap_or_default());
        LocalisedText { texts: Language::ALL.map(text) }
    }

    /// `words` in English and in Chinese.
    pub fn words(words: [&str; 2]) -> Self {
        LocalisedText { texts: words.map(str::to_owned) }
    }

    /// A text of the catalogue, by its English.
    pub fn said(english: &str) -> Self {
        LocalisedText { texts: Language::ALL.map(|language| language.say(english).into_owned()) }
    }

    /// A name, or what else is the same in every language.
    pub fn name(name: impl Into<String>) -> Self {
        let name = name.into();
        LocalisedText { texts: [name.clone(), name] }
    }

    /// `parts` one after the other, with a semicolon between them.
    pub fn clauses(parts: &[LocalisedText]) -> Self {
        Self::joined(parts, ["; ", "；"])
    }

    /// `parts` one after the other, with a comma between them.
    pub fn list(parts: &[LocalisedText]) -> Self {
        Self::joined(parts, [", ", "、"])
    }

    /// `parts` with commas between them, as a sentence.
    pub fn sentence(parts: &[LocalisedText]) -> Self {
        if parts.is_empty() {
            return Self::default();
        }
        Self::new(["{0}.", "{0}。"], [Self::joined(parts, [", ", "，"])])
    }

    /// Sentences one after the other.
    pub fn spaced(sentences: &[LocalisedText]) -> Self {
        Self::joined(sentences, [" ", ""])
    }

    fn joined(parts: &[LocalisedText], between: [&str; 2]) -> Self {
        let of = |language: Language| -> String {
            let texts: Vec<&str> = parts.iter().map(|part| part.in_language(language)).collect();
            texts.join(between[language as usize])
        };
        LocalisedText { texts: Language::ALL.map(of) }
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.texts[0].is_empty()
    }

    /// The text in English.
    pub fn english(&self) -> &str {
        self.in_language(Language::English)
    }

    /// The text in `language`.
    pub fn in_language(&self, language: Language) -> &str {
        &self.texts[language as usize]
    }
}

/// `words` with what `value` gives in the places `{0}`, `{1}`.
pub fn filled<V: AsRef<str>>(words: &str, value: impl Fn(usize) -> V) -> String {
    let mut text = String::new();
    let mut rest = words;
    while let Some((before, (place, after))) =
        rest.split_once('{').and_then(|(before, behind)| Some((before, behind.split_once('}')?)))
    {
        text.push_str(before);
        if let Ok(place) = place.parse() {
            let value = value(place);
            let value = value.as_ref();
            // A Chinese bracket has its own space.
            if value.starts_with('（') {
                text.truncate(text.trim_end_matches(' ').len());
            }
            text.push_str(value);
            if value.ends_with('）') {
                rest = after.trim_start_matches(' ');
                continue;
            }
        }
        rest = after;
    }
    text + rest
}

impl From<&str> for LocalisedText {
    fn from(name: &str) -> Self {
        Self::name(name)
    }
}

impl From<&String> for LocalisedText {
    fn from(name: &String) -> Self {
        Self::name(name)
    }
}

impl From<String> for LocalisedText {
    fn from(name: String) -> Self {
        Self::name(name)
    }
}

/// In English.
impl fmt::Display for LocalisedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.english())
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
        let nested = LocalisedText::new(["{0}!", "{0}！"], [LocalisedText::words(["best", "最佳"])]);
        assert_eq!(Language::ALL.map(|language| nested.in_language(language).to_owned()), ["best!", "最佳！"]);
        let bracket = LocalisedText::words(["(x)", "（甲）"]);
        let text = LocalisedText::new(["a {0} b"; 2], [bracket]);
        assert_eq!(Language::ALL.map(|language| text.in_language(language).to_owned()), ["a (x) b", "a（甲）b"]);
        assert_eq!(LocalisedText::name("a{0}b").in_language(Language::Chinese), "a{0}b");
        assert!(LocalisedText::default().is_empty() && LocalisedText::default().to_string().is_empty());
    }

    #[test]
    fn clauses_and_lists_are_joined_as_each_language_does() {
        let parts = [LocalisedText::name("a"), LocalisedText::name("b")];
        let joined = [LocalisedText::clauses(&parts), LocalisedText::list(&parts)];
        assert_eq!(joined.each_ref().map(LocalisedText::to_string), ["a; b", "a, b"]);
        assert_eq!(joined.each_ref().map(|text| text.in_language(Language::Chinese)), ["a；b", "a、b"]);
    }
}
