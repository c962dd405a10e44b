//! The tokens `cleaneval`: the words of CleanEval's scoring script (Evert's `cleaneval.py`), with its markers of paragraphs.

/// Paragraphs, headings and list items, as files of CleanEval mark them.
pub(super) const MARKERS: [&str; 6] = ["<p>", "<h>", "<l>", "<P>", "<H>", "<L>"];

/// Calls `take` with each word of a file's bytes, which are read as Latin-1. A text that begins or ends with white space
/// has an empty word there, and the empty text is one empty word, as with Perl-like `split`.
pub(super) fn each_word(bytes: &[u8], mut take: impl FnMut(&str)) {
    let text = spaced(&without_addresses(bytes));
    for word in words(&text) {
        take(word);
    }
}

/// The text without the lines that begin with `URL`: `^\s*URL.*$`, where white space may reach over lines.
fn without_addresses(bytes: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        // Here a line begins. The lines of the white space that follows share what comes after it.
        let text = at + bytes[at..].iter().take_while(|byte| is_white_space(**byte)).count();
        let end = bytes[text..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| text + length);
        if !bytes[text..].starts_with(b"URL") {
            kept.extend_from_slice(&bytes[at..end]);
        }
        if end < bytes.len() {
            kept.push(b'\n');
        }
        at = end + 1;
    }
    kept
}

/// Runs of control characters as one blank, and a blank on both sides of each marker.
fn spaced(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut after_control = false;
    for &byte in bytes {
        let is_control = byte < b' ';
        if !is_control {
            text.push(char::from(byte));
        } else if !after_control {
            text.push(' ');
        }
        after_control = is_control;
    }
    MARKERS.iter().fold(text, |text, marker| text.replace(marker, &format!(" {marker} ")))
}

/// The words between runs of blanks, at both ends too.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let (word, tail) = text.split_once(' ').map_or((text, None), |(word, tail)| (word, Some(tail)));
        rest = tail.map(|tail| tail.trim_start_matches(' '));
        Some(word)
    })
}

/// `\s` of a byte pattern in Python.
fn is_white_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

#[cfg(test)]
mod tests {
    fn words(text: &[u8]) -> Vec<String> {
        let mut words = Vec::new();
        super::each_word(text, |word| words.push(word.to_owned()));
        words
    }

    #[test]
    fn words_are_those_of_the_script() {
        assert_eq!(words(b""), [""]);
        assert_eq!(words(b" a  b"), ["", "a", "b"]);
        assert_eq!(words(b"a\n"), ["a", ""]);
        assert_eq!(words(b"x\x01\x02y<P>z"), ["x", "y", "<P>", "z"]);
        assert_eq!(words(b"caf\xC3\xA9"), ["caf\u{C3}\u{A9}"]);
    }

    #[test]
    fn lines_of_addresses_are_left_out() {
        assert_eq!(words(b"URL: http://x\n<h>b <p>c"), ["", "<h>", "b", "<p>", "c"]);
        assert_eq!(words(b"a URL b"), ["a", "URL", "b"]);
        assert_eq!(words(b"a\n \n\t URL x\nb"), ["a", "b"]);
        assert_eq!(words(b"URL x\n URL y"), ["", ""]);
    }
}
