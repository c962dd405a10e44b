//! The tokens `jieba`: those of Python's `jieba.lcut`, version 0.42.1, with its hidden Markov model. Blanks are tokens.
//!
//! jieba-rs takes a wider class of characters for words, and cuts Latin runs otherwise. So a text is parted here as
//! Python parts it (`re_han_default`), and what jieba-rs leaves whole of Latin letters is cut again (`re_skip`).

use super::words::{Segmenter, cut};

/// Tokens of the dictionary that the second cut would part.
const LATIN_WORDS: [&str; 5] = ["AT&T", "c#", "C#", "c++", "C++"];

/// Calls `take` with each token of `text`, in order.
pub(super) fn each_token<'t>(text: &'t str, segmenter: &Segmenter, mut take: impl FnMut(&'t str)) {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match is_of_word(first) {
            true => rest.find(|c| !is_of_word(c)).unwrap_or(rest.len()),
            false if rest.starts_with("\r\n") => 2,
            false => first.len_utf8(),
        };
        let (piece, tail) = rest.split_at(length);
        rest = tail;
        match is_of_word(first) {
            true => segmenter.each_word_by_model(piece, lengths, &mut take),
            false => take(piece),
        }
    }
}

/// `[\u4E00-\u9FD5a-zA-Z0-9+#&._%-]`
fn is_of_word(c: char) -> bool {
    matches!(c, '\u{4E00}'..='\u{9FD5}' | 'a'..='z' | 'A'..='Z' | '0'..='9' | '+' | '#' | '&' | '.' | '_' | '%' | '-')
}

/// The byte lengths of the tokens of a run of such characters.
fn lengths(run: &str) -> Box<[u32]> {
    let mut lengths = Vec::new();
    let mut at = 0;
    for &length in &cut(run, true) {
        let token = &run[at..at + length as usize];
        at += length as usize;
        match length > 1 && token.is_ascii() && !LATIN_WORDS.contains(&token) {
            true => latin_lengths(token.as_bytes(), &mut lengths),
            false => lengths.push(length),
        }
    }
    lengths.into()
}

/// Adds the lengths of the matches of `[a-zA-Z0-9]+(\.[0-9]+)?%?` in `token`, and of what stands between them.
fn latin_lengths(token: &[u8], lengths: &mut Vec<u32>) {
    let run = |from: usize, is_of: fn(&u8) -> bool| token[from..].iter().take_while(|byte| is_of(byte)).count();
    let mut at = 0;
    while at < token.len() {
        let mut end = at + run(at, u8::is_ascii_alphanumeric);
        if end == at {
            end += run(at, |byte| !byte.is_ascii_alphanumeric());
        } else {
            if token.get(end) == Some(&b'.') {
                let digits = run(end + 1, u8::is_ascii_digit);
                end += if digits > 0 { 1 + digits } else { 0 };
            }
            end += usize::from(token.get(end) == Some(&b'%'));
        }
        lengths.push((end - at) as u32);
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<&str> {
        let mut tokens = Vec::new();
        each_token(text, &Segmenter::default(), |token| tokens.push(token));
        tokens
    }

    #[test]
    fn tokens_are_those_of_python() {
        // Each from `jieba.lcut` of jieba 0.42.1.
        let cases: [(&str, &[&str]); 6] = [
            ("3.5%的far-flung C++\n用户", &["3.5%", "的", "far", "-", "flung", " ", "C++", "\n", "用户"]),
            ("a\r\n\r\nb", &["a", "\r\n", "\r\n", "b"]),
            ("㐀㐀-5.1a", &["㐀", "㐀", "-", "5.1", "a"]),
            ("AT&T3.14.15%x", &["AT&T", "3.14", ".", "15%", "x"]),
            ("他来到了网易杭研大厦", &["他", "来到", "了", "网易", "杭研", "大厦"]),
            ("中文ABC_1.5%豈+", &["中文", "ABC", "_", "1.5%", "豈", "+"]),
        ];
        for (text, expected) in cases {
            assert_eq!(tokens(text), expected, "{text}");
        }
    }

    #[test]
    fn tokens_make_up_the_whole_text() {
        for text in ["", "\r", " \u{3000}\t", "a--b..c%%", "1.%x", "\u{1F600}中"] {
            assert_eq!(tokens(text).concat(), text);
        }
    }
}
