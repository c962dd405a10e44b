//! Chinese words: runs of characters, cut by jieba's default dictionary. The tokens `word` use no hidden Markov model;
//! the tokens `jieba` use it, as Python's `jieba.lcut` does.

use std::sync::{Mutex, OnceLock};

use jieba_rs::Jieba;
use rustc_hash::FxHashMap;
use unicode_script::{Script, UnicodeScript};

/// The segmenter's name and version, part of every figure that rests on it.
pub const SEGMENTER: &str = "jieba-rs 0.11.0 (default dictionary, no HMM)";

/// The same for the tokens `jieba`.
pub const SEGMENTER_WITH_MODEL: &str = "jieba-rs 0.11.0 (default dictionary, HMM), cut as Python's jieba 0.42.1";

/// Whether `c` has Script=Han.
pub fn is_han(c: char) -> bool {
    c >= '\u{2E80}' && c.script() == Script::Han
}

/// Whether `c` is a kana or a CJK ideograph: a letter of the scripts that part no words by spaces.
pub fn is_kana_or_ideograph(c: char) -> bool {
    matches!(
        c,
        '\u{3040}'..='\u{30FF}'
            | '\u{3400}'..='\u{4DBF}'
            | '\u{4E00}'..='\u{9FFF}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{20000}'..='\u{3FFFF}'
    )
}

/// A piece of a text: a maximal run of Han characters, or what stands between two of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'t> {
    /// Han characters only, at least one.
    Han(&'t str),
    /// No Han character, at least one other.
    Other(&'t str),
}

/// Parts `text` into its Han runs and the pieces between them, in order.
pub fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let han = is_han(rest.chars().next()?);
        let end = rest.find(|c| is_han(c) != han).unwrap_or(rest.len());
        let (piece, tail) = rest.split_at(end);
        rest = tail;
        Some(if han { Piece::Han(piece) } else { Piece::Other(piece) })
    })
}

fn jieba() -> &'static Jieba {
    static JIEBA: OnceLock<Jieba> = OnceLock::new();
    JIEBA.get_or_init(Jieba::new)
}

/// Cuts runs into words and remembers the cuts: a page's runs recur in every extraction of it,
/// and jieba is the slowest step of all.
#[derive(Default)]
pub struct Segmenter {
    by_dictionary: Mutex<Cuts>,
    by_model: Mutex<Cuts>,
}

/// Each run's word lengths in bytes.
type Cuts = FxHashMap<Box<str>, Box<[u32]>>;

impl Segmenter {
    /// Calls `word` with each word of `run`, a run of Han characters, until it returns `false`. The dictionary alone
    /// decides.
    pub fn each_word<'r>(&self, run: &'r str, word: impl FnMut(&'r str) -> bool) {
        each_part(&self.by_dictionary, run, |run| cut(run, false), word);
    }

    /// Calls `word` with each word of `run`, which `cut` parts into byte lengths.
    pub(super) fn each_word_by_model<'r>(
        &self,
        run: &'r str,
        cut: impl FnOnce(&str) -> Box<[u32]>,
        mut word: impl FnMut(&'r str),
    ) {
        each_part(&self.by_model, run, cut, |part| {
            word(part);
            true
        });
    }
}

/// Calls `part` with each part of `run` until it returns `false`; `cut` is asked once per run.
fn each_part<'r>(
    known: &Mutex<Cuts>,
    run: &'r str,
    cut: impl FnOnce(&str) -> Box<[u32]>,
    mut part: impl FnMut(&'r str) -> bool,
) {
    let mut known = known.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let lengths = match known.get(run) {
        Some(lengths) => lengths,
        None => known.entry(run.into()).or_insert_with(|| cut(run)),
    };
    let mut rest = run;
    for &length in lengths {
        let (first, tail) = rest.split_at(length as usize);
        rest = tail;
        if !part(first) {
            return;
        }
    }
}

/// The byte lengths of the words of `run`; `hmm`: words that the dictionary lacks are found by jieba's hidden Markov model.
pub(super) fn cut(run: &str, hmm: bool) -> Box<[u32]> {
    jieba().cut(run, hmm).into_iter().map(|token| token.word.len() as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(run: &str) -> Vec<&str> {
        let mut words = Vec::new();
        Segmenter::default().each_word(run, |word| {
            words.push(word);
            true
        });
        words
    }

    #[test]
    fn parts_han_from_the_rest() {
        let parts: Vec<_> = pieces("a 新华网3.14，々").collect();
        assert_eq!(parts, [Piece::Other("a "), Piece::Han("新华网"), Piece::Other("3.14，"), Piece::Han("々")]);
        assert_eq!(pieces("").count(), 0);
    }

    #[test]
    fn cuts_by_the_dictionary_alone() {
        assert_eq!(words("记者从会上获悉"), ["记者", "从", "会上", "获悉"]);
        assert_eq!(words("中国新闻网").concat(), "中国新闻网");
    }

    #[test]
    fn a_run_of_any_length_and_script_is_cut_whole() {
        for c in ['中', '々', '〇', '\u{20000}', '\u{30000}', '⺀'] {
            let run = c.to_string().repeat(70_000);
            assert!(words(&run).concat() == run, "{c}");
        }
    }

    #[test]
    fn a_second_cut_of_a_run_gives_the_same_words() {
        let segmenter = Segmenter::default();
        for _ in 0..2 {
            let mut count = 0;
            segmenter.each_word("今天是星期一", |_| {
                count += 1;
                true
            });
            assert_eq!(count, 3);
        }
    }
}
