//! Short texts that an extraction must or must not contain, as in trafilatura's evaluation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use super::Counts;
use crate::text::dense;
use crate::text::tokens::Case;

/// When a snippet is in a text: a dataset's makers decide it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Matching {
    /// As a substring, each run of white space being one space in both; the run decides whether case counts. The rule of
    /// trafilatura's evaluation.
    #[default]
    Spaced,
    /// As a substring after NFC and case folding, without any white space in both. The rule of WCXB.
    Dense,
}

impl Matching {
    /// `text` as it is compared.
    fn ready(self, text: &str, case: Case) -> String {
        match self {
            Matching::Spaced => spaced(text, case),
            Matching::Dense => folded(text),
        }
    }
}

/// A page's snippets, made ready to be looked for.
pub struct Snippets {
    wanted: Vec<String>,
    unwanted: Vec<String>,
    case: Case,
    matching: Matching,
}

impl Snippets {
    /// Snippets that must be in an extraction, and those that must not, found as `matching` says. An empty one says
    /// nothing and is left out.
    pub fn new(wanted: &[String], unwanted: &[String], matching: Matching, case: Case) -> Self {
        let ready = |snippets: &[String]| {
            let snippets = snippets.iter().map(|snippet| matching.ready(snippet, case));
            snippets.filter(|snippet| !snippet.is_empty()).collect()
        };
        Snippets { wanted: ready(wanted), unwanted: ready(unwanted), case, matching }
    }

    /// What `text` contains of them: `matched` the wanted ones (true positives), `extracted` all (with the false
    /// positives), `gold` those that are wanted.
    ///
    /// ```
    /// use carat_core::scoring::snippets::{Matching, Snippets};
    /// let own = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect::<Vec<_>>();
    /// let snippets = Snippets::new(&own(&["a b", "c"]), &own(&["menu", "end"]), Matching::Spaced, Default::default());
    /// let counts = snippets.counts("x a\n b menu");
    /// assert_eq!((counts.matched, counts.extracted, counts.gold), (1, 2, 2));
    /// ```
    pub fn counts(&self, text: &str) -> Counts {
        let text = self.matching.ready(text, self.case);
        let found =
            |snippets: &[String]| snippets.iter().filter(|snippet| text.contains(snippet.as_str())).count() as u64;
        let matched = found(&self.wanted);
        Counts { matched, extracted: matched + found(&self.unwanted), gold: self.wanted.len() as u64 }
    }

    /// How many must not be in an extraction.
    pub fn unwanted(&self) -> u64 {
        self.unwanted.len() as u64
    }
}

/// `text` with each run of white space as one space, trimmed.
fn spaced(text: &str, case: Case) -> String {
    case.of(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `text` in NFC, case folded, without white space.
fn folded(text: &str) -> String {
    // Folding may part what NFC composes.
    dense(&caseless::default_case_fold_str(&text.nfc().collect::<String>()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoring::ONE;

    fn counted(wanted: &[&str], unwanted: &[&str], matching: Matching, case: Case, text: &str) -> [u64; 3] {
        let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let snippets = Snippets::new(&own(wanted), &own(unwanted), matching, case);
        let Counts { matched, extracted, gold } = snippets.counts(text);
        [matched, extracted, gold]
    }

    fn counts(wanted: &[&str], unwanted: &[&str], case: Case, text: &str) -> [u64; 3] {
        counted(wanted, unwanted, Matching::Spaced, case, text)
    }

    #[test]
    fn dense_snippets_are_substrings_but_for_white_space_case_and_composition() {
        let text = "Die erste\u{a0}Zei\nle und MENÜ, Stra\u{df}e";
        for case in [Case::Keep, Case::Fold] {
            let found =
                counted(&["ERSTE Zeile", "strasse", "zwei", " "], &["menu\u{308}", "Fuß"], Matching::Dense, case, text);
            assert_eq!(found, [2, 3, 3]);
        }
    }

    #[test]
    fn snippets_are_substrings_but_for_white_space() {
        let text = "Die erste\u{a0}Zeile\n\nund MENÜ";
        assert_eq!(counts(&["erste  Zeile und", "erste Zeile"], &["Menü", "Fuß"], Case::Keep, text), [2, 2, 2]);
        assert_eq!(counts(&["rste Z"], &["Menü"], Case::Fold, text), [1, 2, 1]);
        assert_eq!(counts(&["ersteZeile", " ", ""], &["", "\n"], Case::Keep, text), [0, 0, 1]);
    }

    #[test]
    fn a_page_without_wanted_snippets_is_right_when_nothing_unwanted_is_there() {
        let score =
            |text| Snippets::new(&[], &["Menü".to_owned()], Matching::Spaced, Case::Keep).counts(text).score().values();
        assert_eq!((score("x"), score("Menü")), ([ONE; 3], [0; 3]));
    }
}
