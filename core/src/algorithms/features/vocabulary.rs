//! Words by number, so that those of several pages can be counted together.

use rustc_hash::FxHashMap;

use crate::text::tokens::each_word;
use crate::text::words::Segmenter;

/// Words by number, each distinct one once; the first is 0.
#[derive(Default)]
pub struct Vocabulary {
    known: FxHashMap<Box<str>, u32>,
}

impl Vocabulary {
    /// The number of a word.
    pub fn number(&mut self, word: &str) -> u32 {
        if let Some(number) = self.find(word) {
            return number;
        }
        let number = self.known.len() as u32;
        self.known.insert(word.into(), number);
        number
    }

    /// The number of a word that was given one.
    pub fn find(&self, word: &str) -> Option<u32> {
        self.known.get(word).copied()
    }

    /// The numbers of the words of `text` (tokens of the kind `word`), in order. A segmenter remembers what it has cut:
    /// one serves one page.
    pub fn words(&mut self, text: &str, segmenter: &Segmenter) -> Vec<u32> {
        let mut numbers = Vec::new();
        each_word(text, segmenter, |word| numbers.push(self.number(word)));
        numbers
    }

    /// Every word with its number, in no order.
    pub fn into_words(self) -> impl Iterator<Item = (Box<str>, u32)> {
        self.known.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_words_have_equal_numbers() {
        let (mut vocabulary, segmenter) = (Vocabulary::default(), Segmenter::default());
        assert_eq!(vocabulary.words("记者获悉，can't 记者 — Cats cats", &segmenter), [0, 1, 2, 0, 3, 4]);
        assert_eq!(vocabulary.words("获悉", &segmenter), [1]);
        assert_eq!(["获悉", "dogs"].map(|word| vocabulary.find(word)), [Some(1), None]);
        assert_eq!(vocabulary.into_words().find(|(word, _)| &**word == "can't").map(|(_, number)| number), Some(2));
    }
}
