//! What is plain in a page's characters: constructs that the tokenizer would read without a parse
//! error of consequence, a character reference or a change of its state. Whatever is cut off, odd or
//! doubtful is not plain. Lengths and positions are in bytes.

use std::ops::Range;

use html5ever::LocalName;
use html5ever::tokenizer::TagKind;

/// A tag whose values stand in the input as they are.
pub(super) struct PlainTag {
    pub(super) kind: TagKind,
    pub(super) name: LocalName,
    pub(super) attributes: Vec<(LocalName, Range<usize>)>,
    pub(super) self_closing: bool,
    pub(super) length: usize,
}

/// Start tags of these may change the tokenizer's state, stop it, or name an encoding, which stops it.
const CHANGES_STATE: [&str; 11] =
    ["iframe", "meta", "noembed", "noframes", "noscript", "plaintext", "script", "style", "textarea", "title", "xmp"];

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

/// The tag at the front of `input`.
pub(super) fn plain_tag(input: &str) -> Option<PlainTag> {
    let mut scan = Scan { input, at: 1 };
    let kind = if scan.skip(b'/')? { TagKind::EndTag } else { TagKind::StartTag };
    let name = scan.until(|byte| is_space(byte) || matches!(byte, b'/' | b'>'))?;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b':');
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) || !name.bytes().all(is_name) {
        return None;
    }
    let name = in_lower_case(name);
    if CHANGES_STATE.contains(&&*name) {
        return None;
    }
    let mut tag = PlainTag { kind, name, attributes: Vec::new(), self_closing: false, length: 0 };
    loop {
        scan.until(|byte| !is_space(byte))?;
        if scan.skip(b'>')? {
            break;
        }
        if scan.skip(b'/')? {
            if scan.skip(b'>')? {
                tag.self_closing = true;
                break;
            }
            continue;
        }
        tag.attributes.push(scan.attribute()?);
    }
    tag.length = scan.at;
    Some(tag)
}

fn in_lower_case(name: &str) -> LocalName {
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        LocalName::from(name.to_ascii_lowercase())
    } else {
        LocalName::from(name)
    }
}

struct Scan<'i> {
    input: &'i str,
    at: usize,
}

impl<'i> Scan<'i> {
    fn peek(&self) -> Option<u8> {
        self.input.as_bytes().get(self.at).copied()
    }

    /// Whether `byte` comes next, which is then skipped.
    fn skip(&mut self, byte: u8) -> Option<bool> {
        let found = self.peek()? == byte;
        self.at += usize::from(found);
        Some(found)
    }

    /// What comes before the first byte that `ends`; `None` if there is none.
    fn until(&mut self, ends: impl Fn(u8) -> bool) -> Option<&'i str> {
        let start = self.at;
        self.at += self.input.as_bytes()[start..].iter().position(|&byte| ends(byte))?;
        Some(&self.input[start..self.at])
    }

    fn attribute(&mut self) -> Option<(LocalName, Range<usize>)> {
        let ends = |byte| is_space(byte) || matches!(byte, b'/' | b'>' | b'=' | b'"' | b'\'' | b'<' | 0);
        let name = self.until(ends)?;
        // Behind a name that a doubtful byte cuts off, the next attribute has none.
        if name.is_empty() {
            return None;
        }
        let name = in_lower_case(name);
        self.until(|byte| !is_space(byte))?;
        if !self.skip(b'=')? {
            return Some((name, 0..0));
        }
        self.until(|byte| !is_space(byte))?;
        Some((name, self.value()?))
    }

    fn value(&mut self) -> Option<Range<usize>> {
        let quote = match self.peek()? {
            b'>' => return None,
            quote @ (b'"' | b'\'') => Some(quote),
            _ => None,
        };
        self.at += usize::from(quote.is_some());
        let start = self.at;
        match quote {
            Some(quote) => self.until(|byte| byte == quote || matches!(byte, b'&' | b'\r' | 0))?,
            None => self.until(|byte| is_space(byte) || matches!(byte, b'>' | b'&' | 0))?,
        };
        let end = self.at;
        let is_plain = match quote {
            Some(quote) => self.skip(quote)?,
            None => !matches!(self.peek()?, b'&' | 0),
        };
        is_plain.then_some(start..end)
    }
}

/// The length of the comment at the front of `input`.
pub(super) fn plain_comment(input: &str) -> Option<usize> {
    let content = input.strip_prefix("<!--")?;
    if content.starts_with('>') || content.starts_with("->") {
        return None;
    }
    let bytes = content.as_bytes();
    let mut at = 0;
    loop {
        at += content[at..].find("--")?;
        match bytes.get(at + 2)? {
            b'>' => return Some("<!--".len() + at + "-->".len()),
            b'!' => return None,
            _ => at += 1,
        }
    }
}

/// The text at the front of `input` up to what the tokenizer treats apart; of a line's end `\r\n` the
/// first half is left out.
pub(super) fn plain_text(input: &str) -> Option<Range<usize>> {
    let start = match input.as_bytes() {
        [b'\r', b'\n', ..] => 1,
        _ => 0,
    };
    let ends = |byte: &u8| matches!(byte, b'<' | b'&' | b'\r' | 0);
    let bytes = &input.as_bytes()[start..];
    let length = bytes.iter().position(ends).unwrap_or(bytes.len());
    (length > 0).then_some(start..start + length)
}

/// The length of the prefix of `input`, the raw text of an element `name`, that cannot end the element
/// nor escape a script nor hold a character that is replaced, whatever input follows.
pub(super) fn plain_raw_text(input: &str, is_script: bool, name: &str) -> usize {
    let may_matter = |at: &usize| match input.as_bytes()[at + 1..] {
        [] => true,
        [b'!', ..] => is_script,
        [b'/', ref tag @ ..] => {
            let length = tag.len().min(name.len());
            tag[..length].eq_ignore_ascii_case(&name.as_bytes()[..length])
        }
        _ => false,
    };
    let mut starts = input.match_indices('<').map(|(at, _)| at);
    let prefix = &input[..starts.find(may_matter).unwrap_or(input.len())];
    let prefix = &prefix[..prefix.find('\0').unwrap_or(prefix.len())];
    // Of a line's end the second half may follow.
    prefix.strip_suffix('\r').unwrap_or(prefix).len()
}

/// The text in pieces, with `\r\n` and `\r` as `\n`.
pub(super) fn with_plain_line_ends(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, behind) = match rest.find('\r') {
            None => (rest, ""),
            Some(0) => ("\n", rest.strip_prefix("\r\n").unwrap_or(&rest[1..])),
            Some(at) => rest.split_at(at),
        };
        rest = behind;
        (!piece.is_empty()).then_some(piece)
    })
}
