//! Text to tokens: the units that precision and recall count.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_segmentation::UnicodeSegmentation;

use super::words::{Piece, Segmenter, pieces};
use super::{cleaneval, is_white_space, python_jieba};

/// The versions of Unicode behind each step: a token depends on all of them.
pub fn unicode_versions() -> String {
    let (normalisation, categories) = (unicode_normalization::UNICODE_VERSION, unicode_properties::UNICODE_VERSION);
    let (words, scripts) = (unicode_segmentation::UNICODE_VERSION, unicode_script::UNICODE_VERSION);
    format!(
        "normalisation {}.{}, categories {}.{}, words {}.{}, scripts {}.{}",
        normalisation.0, normalisation.1, categories.0, categories.1, words.0, words.1, scripts.0, scripts.1
    )
}

/// A kind of token. `char` and `word` normalise to NFC first; the others do not.
///
/// `char`, `word` and `w` are our own kinds. Invisible characters are part of none of their tokens. White space, which
/// includes five characters without width (U+200B, U+200C, U+200D, U+2060, U+FEFF), separates words. Other control and
/// format characters (Cc, Cf), such as the soft hyphen, are removed; in `w` they separate words too, as in Python's `\w+`.
///
/// The other kinds are those of other benchmarks. They read texts as they stand ([`TokenKind::reads_as_it_stands`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenKind {
    /// Each scalar value that is neither white space nor a control character (Cc, Cf).
    #[default]
    Char,
    /// Words: Han runs cut by jieba, the rest by UAX #29 (segments with a letter or a digit).
    Word,
    /// Maximal runs of letters, numbers and `_`: Python's `\w+`.
    W,
    /// Maximal runs of characters that are no white space: Python's `str.split()`.
    Ws,
    /// The tokens of Python's `jieba.lcut`: words, marks and blanks.
    Jieba,
    /// Each scalar value, blanks and control characters too.
    Scalar,
    /// The words of CleanEval's scoring script, with its markers of paragraphs.
    Cleaneval,
}

/// Whether case counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Case {
    /// Tokens are compared as they stand.
    #[default]
    Keep,
    /// Each token is folded by Unicode's full case folding, after tokenising.
    Fold,
    /// The text is put in lower case (`str::to_lowercase`) before tokenising.
    Lower,
}

impl TokenKind {
    /// Every kind, in the order of listings.
    pub const ALL: [TokenKind; 7] = [
        TokenKind::Char,
        TokenKind::Word,
        TokenKind::W,
        TokenKind::Ws,
        TokenKind::Jieba,
        TokenKind::Scalar,
        TokenKind::Cleaneval,
    ];

    /// A line that says what a token is.
    pub fn help(self) -> &'static str {
        match self {
            TokenKind::Char => "each character that is neither white space nor a control character",
            TokenKind::Word => "words: jieba's dictionary in Chinese text, Unicode's word segmentation elsewhere",
            TokenKind::W => r"runs of letters, numbers and `_`: Python's \w+",
            TokenKind::Ws => "what stands between white space: Python's str.split()",
            TokenKind::Jieba => "Python's jieba.lcut with its HMM: words, marks and blanks",
            TokenKind::Scalar => "each Unicode scalar value, white space and control characters too",
            TokenKind::Cleaneval => "the words of CleanEval's script, with its markers <p>, <h> and <l>",
        }
    }

    /// True if the texts are taken as the dataset and the extractor give them: line ends, blanks and byte-order marks stay,
    /// and nothing is normalised.
    pub fn reads_as_it_stands(self) -> bool {
        matches!(self, TokenKind::Ws | TokenKind::Jieba | TokenKind::Scalar | TokenKind::Cleaneval)
    }
}

impl Case {
    /// Every treatment of case, in the order of listings.
    pub const ALL: [Case; 3] = [Case::Keep, Case::Fold, Case::Lower];

    /// `text` in the case in which it is compared.
    pub(crate) fn of(self, text: &str) -> Cow<'_, str> {
        match self {
            Case::Keep => Cow::Borrowed(text),
            Case::Fold => Cow::Owned(caseless::default_case_fold_str(text)),
            Case::Lower => Cow::Owned(text.to_lowercase()),
        }
    }
}

impl fmt::Display for TokenKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TokenKind::Char => "char",
            TokenKind::Word => "word",
            TokenKind::W => "w",
            TokenKind::Ws => "ws",
            TokenKind::Jieba => "jieba",
            TokenKind::Scalar => "scalar",
            TokenKind::Cleaneval => "cleaneval",
        })
    }
}

impl FromStr for TokenKind {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        let found = TokenKind::ALL.into_iter().find(|kind| kind.to_string() == name);
        let expected = "choose char, word, w, ws, jieba, scalar or cleaneval";
        found.ok_or_else(|| format!("`{name}` is no kind of token: {expected}"))
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Case::Keep => "keep",
            Case::Fold => "fold",
            Case::Lower => "lower",
        })
    }
}

impl FromStr for Case {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        let found = Case::ALL.into_iter().find(|case| case.to_string() == name);
        found.ok_or_else(|| format!("`{name}` is no way to treat case: choose keep, fold or lower"))
    }
}

/// A token as a number; equal numbers are equal tokens, within one [`Tokenizer`].
pub type Token = u32;

/// Ids of tokens that are not one scalar value begin above the last scalar value.
const FIRST_INTERNED: Token = char::MAX as Token + 1;

/// Turns texts into tokens that can be compared with each other. One serves one page: its memory
/// of words grows with the texts it has seen.
pub struct Tokenizer<'s> {
    kind: TokenKind,
    case: Case,
    segmenter: &'s Segmenter,
    interned: Interned,
}

/// Words and their numbers.
#[derive(Default)]
struct Interned {
    /// Words of up to 15 bytes, which are nearly all, as one number: see [`packed`].
    short: FxHashMap<u128, Token>,
    long: FxHashMap<Box<str>, Token>,
}

impl Interned {
    fn number(&mut self, word: &str) -> Token {
        let next = FIRST_INTERNED + (self.short.len() + self.long.len()) as Token;
        if let Some(key) = packed(word) {
            return *self.short.entry(key).or_insert(next);
        }
        if let Some(&token) = self.long.get(word) {
            return token;
        }
        self.long.insert(word.into(), next);
        next
    }
}

/// The bytes of a word of up to 15 bytes, and before them their number.
fn packed(word: &str) -> Option<u128> {
    if word.len() > 15 {
        return None;
    }
    let mut key = word.len() as u128;
    for &byte in word.as_bytes() {
        key = key << 8 | u128::from(byte);
    }
    Some(key)
}

impl<'s> Tokenizer<'s> {
    /// A tokenizer of `kind` whose Chinese runs are cut by `segmenter`.
    pub fn new(kind: TokenKind, case: Case, segmenter: &'s Segmenter) -> Self {
        let mut interned = Interned::default();
        if kind == TokenKind::Cleaneval {
            // The first numbers: see [`is_marker`].
            for marker in cleaneval::MARKERS {
                interned.number(marker);
            }
        }
        Tokenizer { kind, case, segmenter, interned }
    }

    /// The tokens of `text`, in order.
    pub fn tokens(&mut self, text: &str) -> Vec<Token> {
        match self.case {
            Case::Keep | Case::Fold => self.tokens_of_case(text),
            Case::Lower => self.tokens_of_case(&Case::Lower.of(text)),
        }
    }

    /// The tokens of a text whose letters have the case that counts.
    fn tokens_of_case(&mut self, text: &str) -> Vec<Token> {
        let mut tokens = Vec::new();
        let segmenter = self.segmenter;
        match self.kind {
            TokenKind::Char => self.characters(text, &mut tokens),
            TokenKind::Word => each_word(text, segmenter, |word| tokens.push(self.intern(word))),
            TokenKind::W => tokens.extend(w_words(text).map(|word| self.intern(word))),
            TokenKind::Ws => tokens.extend(ws_words(text).map(|word| self.intern(word))),
            TokenKind::Jieba => python_jieba::each_token(text, segmenter, |word| tokens.push(self.intern(word))),
            TokenKind::Scalar => tokens.extend(text.chars().map(|c| self.character(c))),
            TokenKind::Cleaneval => cleaneval::each_word(text.as_bytes(), |word| tokens.push(self.intern(word))),
        }
        tokens
    }

    /// The tokens of each line of `text`, lines without a token left out.
    pub fn lines(&mut self, text: &str) -> Vec<Vec<Token>> {
        text.split('\n').map(|line| self.tokens(line)).filter(|line| !line.is_empty()).collect()
    }

    fn characters(&mut self, text: &str, tokens: &mut Vec<Token>) {
        tokens.reserve(text.len() / 2);
        let mut push = |c: char| {
            if is_character(c) {
                tokens.push(self.character(c));
            }
        };
        if is_nfc_quick(text.chars()) == IsNormalized::Yes {
            text.chars().for_each(&mut push);
        } else {
            text.nfc().for_each(&mut push);
        }
    }

    fn character(&mut self, c: char) -> Token {
        match self.case {
            Case::Keep | Case::Lower => c as Token,
            Case::Fold => self.intern(c.encode_utf8(&mut [0; 4])),
        }
    }

    fn intern(&mut self, word: &str) -> Token {
        match self.case {
            Case::Keep | Case::Lower => self.interned.number(word),
            Case::Fold => self.interned.number(&caseless::default_case_fold_str(word)),
        }
    }
}

/// Calls `take` with each token of the kind `word` of `text`, in order; Han runs are cut by `segmenter`.
pub fn each_word(text: &str, segmenter: &Segmenter, mut take: impl FnMut(&str)) {
    for piece in pieces(&spaced(text)) {
        match piece {
            Piece::Han(run) => segmenter.each_word(run, |word| {
                take(word);
                true
            }),
            Piece::Other(other) => {
                other.split_word_bounds().filter(|segment| segment.contains(is_word_character)).for_each(&mut take);
            }
        }
    }
}

/// The maximal runs of `w` characters, in order.
fn w_words(text: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = skip(text, at, false);
        at = skip(text, start, true);
        (start < at).then(|| &text[start..at])
    })
}

/// True if a token of the kind `cleaneval` is a marker of a paragraph, a heading or a list item.
pub fn is_marker(token: Token) -> bool {
    (FIRST_INTERNED..FIRST_INTERNED + cleaneval::MARKERS.len() as Token).contains(&token)
}

/// True if `text` has a token of the kind `ws`.
pub fn has_ws_words(text: &str) -> bool {
    ws_words(text).next().is_some()
}

/// The maximal runs of characters that are no white space to Python's `str.split()`: the property White_Space, and
/// U+001C to U+001F.
fn ws_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || matches!(c, '\u{1C}'..='\u{1F}')).filter(|word| !word.is_empty())
}

/// For each byte whether it is a `w` character; `None` where it is only a part of one.
const W_BYTES: [Option<bool>; 256] = {
    let mut bytes = [None; 256];
    let mut byte = 0;
    while byte < 128 {
        bytes[byte] = Some((byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_');
        byte += 1;
    }
    bytes
};

/// The place of the first character from `at` on that is none of `w`, or one where `w` is false; or the end.
fn skip(text: &str, mut at: usize, w: bool) -> usize {
    loop {
        // ASCII by bytes: most texts hold little else, and decoding takes longer than looking.
        at += text.as_bytes()[at..].iter().take_while(|&&byte| W_BYTES[usize::from(byte)] == Some(w)).count();
        match text[at..].chars().next() {
            Some(c) if !c.is_ascii() && is_w(c) == w => at += c.len_utf8(),
            _ => return at,
        }
    }
}

/// NFC without what is [`is_unseen`], and each white space as U+0020.
fn spaced(text: &str) -> String {
    text.nfc().filter(|&c| !is_unseen(c)).map(|c| if is_white_space(c) { ' ' } else { c }).collect()
}

/// A `char` token: neither white space nor of the categories Cc and Cf.
fn is_character(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_graphic();
    }
    !is_white_space(c) && !is_unseen(c)
}

/// A control or format character (categories Cc and Cf) that is no white space.
pub(super) fn is_unseen(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control() && !c.is_whitespace();
    }
    // Most characters of Chinese and Korean texts, of which none is of these categories.
    if ('\u{3000}'..'\u{FE00}').contains(&c) {
        return false;
    }
    matches!(c.general_category(), GeneralCategory::Control | GeneralCategory::Format) && !is_white_space(c)
}

/// What makes a UAX #29 segment a word: a character of category L* or Nd.
fn is_word_character(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    c.general_category_group() == GeneralCategoryGroup::Letter || c.general_category() == GeneralCategory::DecimalNumber
}

/// Python's `\w`: categories L* and N*, and `_`. Every character with a numeric value is in L* or N*.
fn is_w(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    matches!(c.general_category_group(), GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// How many tokens, and which of them are equal, as small numbers in order of appearance.
    fn pattern(kind: TokenKind, case: Case, text: &str) -> Vec<usize> {
        let segmenter = Segmenter::default();
        let tokens = Tokenizer::new(kind, case, &segmenter).tokens(text);
        let mut seen: Vec<Token> = Vec::new();
        let mut place = |token| {
            seen.iter().position(|&known| known == token).unwrap_or_else(|| {
                seen.push(token);
                seen.len() - 1
            })
        };
        tokens.into_iter().map(&mut place).collect()
    }

    #[test]
    fn characters_leave_out_white_space_and_controls() {
        assert_eq!(pattern(TokenKind::Char, Case::Keep, "a \u{1}\u{AD}\u{3000}字,a"), [0, 1, 2, 0]);
    }

    #[test]
    fn characters_are_composed_first() {
        assert_eq!(pattern(TokenKind::Char, Case::Keep, "e\u{301}\u{E9}"), [0, 0]);
    }

    #[test]
    fn words_are_jieba_between_uax_29() {
        // 记者 从 会上 获悉 | can't 3.14 | 记者 ; marks are no words.
        assert_eq!(pattern(TokenKind::Word, Case::Keep, "记者从会上获悉，can't 3.14 — 记者"), [0, 1, 2, 3, 4, 5, 0]);
    }

    #[test]
    fn w_is_pythons_word_without_nfc_and_without_marks() {
        // re.findall(r"\w+", "a_1 Ⅷ½ e\u0301x 中文，a_1") has 6 entries: a_1, Ⅷ½, e, x, 中文, a_1.
        assert_eq!(pattern(TokenKind::W, Case::Keep, "a_1 Ⅷ½ e\u{301}x 中文，a_1"), [0, 1, 2, 3, 4, 0]);
    }

    #[test]
    fn folding_is_full_and_keeps_one_token_one() {
        assert_eq!(pattern(TokenKind::Char, Case::Fold, "Aaßẞ"), [0, 0, 1, 1]);
        assert_eq!(pattern(TokenKind::W, Case::Fold, "STRASSE straße Straße"), [0, 0, 0]);
        assert_eq!(pattern(TokenKind::W, Case::Keep, "A a"), [0, 1]);
    }

    #[test]
    fn what_nobody_sees_is_part_of_no_token() {
        let segmenter = Segmenter::default();
        for kind in [TokenKind::Char, TokenKind::Word] {
            let mut tokenizer = Tokenizer::new(kind, Case::Keep, &segmenter);
            let mut tokens = |text: &str| tokenizer.tokens(text);
            let plain = [tokens("cooperate now"), tokens("中国新闻网")];
            // Soft hyphen, right-to-left mark, a control character, interlinear annotation anchor, a tag.
            for unseen in ['\u{AD}', '\u{200F}', '\u{1}', '\u{FFF9}', '\u{E0041}'] {
                let hyphenated = [format!("co{unseen}ope{unseen}rate now"), format!("中{unseen}国新闻{unseen}网")];
                assert_eq!(hyphenated.map(|text| tokens(&text)), plain, "{kind} {unseen:?}");
            }
            // Those of no width part words, as the white space that they are rendered as.
            for zero_width in ['\u{200B}', '\u{200C}', '\u{200D}', '\u{2060}', '\u{FEFF}'] {
                assert_eq!(tokens(&format!("cooperate{zero_width}now")), plain[0], "{kind} {zero_width:?}");
            }
        }
        for unseen in ['\u{AD}', '\u{200B}', '\u{200D}', '\u{200F}', '\u{1}', '\u{FEFF}', '\u{E0041}'] {
            let parted = pattern(TokenKind::W, Case::Keep, &format!("co{unseen}operate now"));
            assert_eq!(parted, pattern(TokenKind::W, Case::Keep, "co operate now"), "w {unseen:?}");
        }
    }

    #[test]
    fn no_character_of_the_block_that_is_passed_over_is_unseen() {
        let is_of_categories =
            |c: &char| matches!(c.general_category(), GeneralCategory::Control | GeneralCategory::Format);
        assert_eq!(('\u{3000}'..'\u{FE00}').find(is_of_categories), None);
    }

    proptest! {
        #[test]
        fn equal_words_are_equal_tokens(words in proptest::collection::vec("[aé\\x00]{0,3}|[ab]{14,17}", 0..40)) {
            let mut interned = Interned::default();
            let tokens: Vec<Token> = words.iter().map(|word| interned.number(word)).collect();
            for (word, token) in words.iter().zip(&tokens) {
                let expected = words.iter().map(|other| other == word);
                prop_assert!(expected.eq(tokens.iter().map(|other| other == token)));
            }
        }

        #[test]
        fn w_words_are_what_stands_between_other_characters(text in "([a-c_1 ,é½中\u{301}\u{0}\u{10FFFF}]|\\PC){0,40}") {
            let expected: Vec<&str> = text.split(|c| !is_w(c)).filter(|word| !word.is_empty()).collect();
            prop_assert_eq!(w_words(&text).collect::<Vec<_>>(), expected);
        }

        #[test]
        fn characters_are_those_of_the_composed_text(text in "([a-c éо\u{301}\u{327}\u{1100}\u{1161}\u{11A8}\u{212B}각中\u{2F800}]|\\PC){0,40}") {
            let expected: Vec<Token> = text.nfc().filter(|&c| is_character(c)).map(Token::from).collect();
            let segmenter = Segmenter::default();
            prop_assert_eq!(Tokenizer::new(TokenKind::Char, Case::Keep, &segmenter).tokens(&text), expected);
        }
    }
}
