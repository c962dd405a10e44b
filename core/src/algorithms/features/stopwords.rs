//! Stop words: the lists, and whether a text holds one (CEVC, definition 1).

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use crate::page::{Page, View};
use crate::text::words::{Piece, Segmenter, is_han, pieces};

/// Which lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopList {
    /// The crate `stop-words` 0.10.1, feature `iso`, entries of letters alone.
    #[default]
    Iso,
    /// Function words only, Chinese and English: a variant of ours.
    Small,
}

/// How the Chinese list is held against a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChineseMatch {
    /// A word that jieba cuts is in the list.
    #[default]
    Token,
    /// An entry stands somewhere in the text.
    Substring,
}

const SMALL_ZH: &str = "的 了 是 在 和 与 也 就 都 而 及 着 或 对 将 并 被 把 从 为 等 这 那 有 不";
const SMALL_EN: &str = "a an and are as at be but by for from has have he in is it its not of on or she that the their \
                        they this to was were which will with you";

/// The raw lengths of the lists that our figures were computed with. Features add up over a
/// build: with `nltk` switched on anywhere, other lists would silently take their place.
const RAW_LENGTHS: [(&str, usize); 2] = [("zh", 794), ("en", 1298)];

fn is_letter(c: char) -> bool {
    c.general_category_group() == GeneralCategoryGroup::Letter
}

/// The languages that `list` has, by primary subtag.
pub fn languages(list: StopList) -> Vec<&'static str> {
    match list {
        StopList::Iso => stop_words::available_languages().to_vec(),
        StopList::Small => vec!["en", "zh"],
    }
}

/// The entries of `list` for `language`, in byte order, or `None` where there are none.
///
/// # Panics
/// Where the crate `stop-words` was built with other lists than `iso`.
pub fn entries(list: StopList, language: &str) -> Option<BTreeSet<&'static str>> {
    match (list, language) {
        (StopList::Small, "zh") => Some(SMALL_ZH.split(' ').collect()),
        (StopList::Small, "en") => Some(SMALL_EN.split_whitespace().collect()),
        (StopList::Small, _) => None,
        (StopList::Iso, _) => {
            let raw = stop_words::lookup(language)?;
            let expected = RAW_LENGTHS.iter().find(|(known, _)| *known == language);
            assert!(
                expected.is_none_or(|&(_, length)| raw.len() == length),
                "the stop list of `{language}` has {} entries: crate stop-words is not 0.10.1 with `iso` alone",
                raw.len(),
            );
            Some(raw.iter().copied().filter(|entry| entry.chars().all(is_letter)).collect())
        }
    }
}

/// SHA-256 of the entries in byte order, each followed by a line feed, in hexadecimal.
pub fn digest(entries: &BTreeSet<&str>) -> String {
    let mut hash = Sha256::new();
    for entry in entries {
        hash.update(entry.as_bytes());
        hash.update(b"\n");
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Lists of some languages together, ready to be held against texts.
pub struct StopWords {
    /// Entries of every language but Chinese.
    words: FxHashSet<&'static str>,
    /// Entries of the Chinese list.
    chinese: FxHashSet<&'static str>,
    /// The longest Chinese entry, in characters.
    longest: usize,
}

impl StopWords {
    /// The lists of `languages` together; a language without a list adds nothing.
    pub fn new(list: StopList, languages: &[String]) -> Self {
        let mut stop_words = StopWords { words: FxHashSet::default(), chinese: FxHashSet::default(), longest: 0 };
        for language in languages {
            let Some(entries) = entries(list, language) else { continue };
            if language == "zh" {
                stop_words.longest = entries.iter().map(|entry| entry.chars().count()).max().unwrap_or(0);
                stop_words.chinese.extend(entries);
            } else {
                stop_words.words.extend(entries);
            }
        }
        stop_words
    }

    /// Whether `text` holds a stop word.
    pub fn hit(&self, text: &str, matching: ChineseMatch, segmenter: &Segmenter) -> bool {
        self.hits_word(text)
            || match matching {
                ChineseMatch::Token => self.hits_token(text, segmenter),
                ChineseMatch::Substring => self.hits_substring(text),
            }
    }

    /// A maximal run of letters that are not Han, in lower case, is in a list.
    fn hits_word(&self, text: &str) -> bool {
        let mut runs = text.split(|c| !is_letter(c) || is_han(c)).filter(|run| !run.is_empty());
        !self.words.is_empty() && runs.any(|run| self.words.contains(run.to_lowercase().as_str()))
    }

    fn hits_token(&self, text: &str, segmenter: &Segmenter) -> bool {
        if self.chinese.is_empty() {
            return false;
        }
        let mut hit = false;
        for piece in pieces(text) {
            let Piece::Han(run) = piece else { continue };
            segmenter.each_word(run, |word| {
                hit = self.chinese.contains(word);
                !hit
            });
            if hit {
                break;
            }
        }
        hit
    }

    fn hits_substring(&self, text: &str) -> bool {
        text.char_indices().any(|(from, _)| {
            let ends = text[from..].char_indices().map(|(at, c)| from + at + c.len_utf8());
            ends.take(self.longest).any(|to| self.chinese.contains(&text[from..to]))
        })
    }
}

/// The page's memory of cut Han runs, shared with the tokenizer of scores.
#[derive(Default)]
pub struct PageSegmenter(pub Segmenter);

impl View for PageSegmenter {
    fn of(_: &Page) -> Self {
        PageSegmenter(Segmenter::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(language: &str, text: &str) -> [bool; 4] {
        let segmenter = Segmenter::default();
        let lists = [StopList::Iso, StopList::Small].map(|list| StopWords::new(list, &[language.to_owned()]));
        let hit = |list: usize, matching| lists[list].hit(text, matching, &segmenter);
        use ChineseMatch::{Substring, Token};
        [hit(0, Token), hit(0, Substring), hit(1, Token), hit(1, Substring)]
    }

    #[test]
    fn lists_have_the_lengths_that_figures_were_computed_with() {
        let lengths = |list| ["zh", "en"].map(|language| entries(list, language).unwrap().len());
        assert_eq!(lengths(StopList::Iso), [754, 1196]);
        assert_eq!(lengths(StopList::Small), [25, 35]);
        assert_eq!(entries(StopList::Small, "ja"), None);
        assert_eq!(entries(StopList::Iso, "xx"), None);
    }

    #[test]
    fn chinese_texts_hit_or_miss() {
        // iso token, iso substring, small token, small substring
        assert_eq!(hits("zh", "今天是星期一"), [true, true, true, true]);
        assert_eq!(hits("zh", "记者从会上获悉"), [true, true, true, true]);
        assert_eq!(hits("zh", "2011年12月09日 08:15"), [true, true, false, false]);
        assert_eq!(hits("zh", "中国新闻网"), [false, true, false, false]);
        assert_eq!(hits("zh", "版权所有"), [false, true, false, true]);
        assert_eq!(hits("zh", "责任编辑：王小明"), [false, true, false, false]);
    }

    #[test]
    fn english_texts_hit_or_miss() {
        let both = |text| [hits("en", text)[0], hits("en", text)[2]];
        for text in ["Home", "Read more", "All rights reserved"] {
            assert_eq!(both(text), [true, false], "{text}");
        }
        assert_eq!(both("It's fine"), [true, true]);
        for text in ["CNN", "contact", "Copyright 2011"] {
            assert_eq!(both(text), [false, false], "{text}");
        }
    }

    #[test]
    fn han_and_letters_do_not_join() {
        assert_eq!(hits("en", "中the国"), [true, true, true, true]);
        assert_eq!(hits("zh", "the"), [false; 4]);
    }
}
