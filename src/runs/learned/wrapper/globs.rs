//! Patterns of hosts and paths.

/// A host, or with `*.` in front every host below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HostPattern {
    name: String,
    below: bool,
}

impl HostPattern {
    /// Reads `news.example.com` or `*.example.com`.
    ///
    /// # Errors
    /// A sentence: a `*` anywhere else, or what no host can be.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let (name, below) = text.strip_prefix("*.").map_or((text, false), |name| (name, true));
        let is_host = !name.is_empty() && name.split('.').all(|label| !label.is_empty());
        if !is_host || name.contains(['*', '?', '/', ':']) || name.contains(char::is_whitespace) {
            return Err(format!("`{text}` is no pattern of hosts: a host, or `*.` and a host for all below it"));
        }
        Ok(HostPattern { name: name.to_lowercase(), below })
    }

    /// Whether `host`, in lower case, is meant.
    pub(super) fn matches(&self, host: &str) -> bool {
        match self.below {
            false => host == self.name,
            true => {
                let front = host.strip_suffix(&self.name).and_then(|front| front.strip_suffix('.'));
                front.is_some_and(|front| !front.is_empty())
            }
        }
    }
}

/// A pattern of whole paths: `?` is one character, `*` any number of them but `/`, `**` any number of any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PathPattern(Vec<Piece>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    Character(char),
    AnyCharacter,
    WithinSegment,
    Anything,
}

/// More characters are no pattern: matching takes as many steps as pattern times path.
const MOST_CHARACTERS: usize = 1000;

impl PathPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// A sentence: it can match no path, or is none.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let fault = |what: &str| Err(format!("`{text}` is no pattern of paths: {what}"));
        if !text.starts_with(['/', '*', '?']) {
            return fault("it begins with `/`, as every path does");
        }
        if text.contains("***") {
            return fault("`*` is any number of characters but `/`, `**` of any, and `***` nothing");
        }
        if text.chars().count() > MOST_CHARACTERS {
            return fault("it is longer than 1000 characters");
        }
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let (piece, length) = match first {
                '*' if rest.starts_with("**") => (Piece::Anything, 2),
                '*' => (Piece::WithinSegment, 1),
                '?' => (Piece::AnyCharacter, 1),
                other => (Piece::Character(other), other.len_utf8()),
            };
            pieces.push(piece);
            rest = &rest[length..];
        }
        Ok(PathPattern(pieces))
    }

    /// Whether the whole of `path` is meant.
    pub(super) fn matches(&self, path: &str) -> bool {
        // At each piece whether the path so far can be what stands before it.
        let mut reached = vec![false; self.0.len() + 1];
        reached[0] = true;
        self.skip_empty(&mut reached);
        for character in path.chars() {
            let mut next = vec![false; reached.len()];
            for (at, piece) in self.0.iter().enumerate().filter(|(at, _)| reached[*at]) {
                match piece {
                    Piece::Character(wanted) => next[at + 1] |= *wanted == character,
                    Piece::AnyCharacter => next[at + 1] = true,
                    Piece::WithinSegment => next[at] |= character != '/',
                    Piece::Anything => next[at] = true,
                }
            }
            self.skip_empty(&mut next);
            reached = next;
        }
        reached[self.0.len()]
    }

    /// What stands for any number of characters stands for none, too.
    fn skip_empty(&self, reached: &mut [bool]) {
        for (at, piece) in self.0.iter().enumerate() {
            reached[at + 1] |= reached[at] && matches!(piece, Piece::WithinSegment | Piece::Anything);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts() {
        let matches = |pattern: &str, host: &str| HostPattern::read(pattern).unwrap().matches(host);
        assert!(matches("News.example.com", "news.example.com"));
        assert!(!matches("example.com", "news.example.com"));
        assert!(matches("*.example.com", "news.example.com") && matches("*.example.com", "a.b.example.com"));
        assert!(!matches("*.example.com", "example.com") && !matches("*.example.com", "badexample.com"));
        for wrong in ["", "*", "*.", "a.*.com", "news*.example.com", "a..b", "a b", "http://a.b", "a:80"] {
            assert!(HostPattern::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn paths() {
        for (pattern, yes, no) in [
            ("/news/**", &["/news/", "/news/a/b.html"][..], &["/news", "/a/news/"][..]),
            ("/20??/*.html", &["/2012/a.html", "/20ab/.html"], &["/2012/a/b.html", "/202/a.html", "/2012/a.htm"]),
            ("/*/x", &["/a/x", "//x"], &["/a/b/x", "/x"]),
            ("**/x", &["/a/b/x", "/x"], &["/x/"]),
            ("/**/*.html", &["/a/b.html", "/a/b/c.html"], &["/a.html"]),
            ("/新闻/*", &["/新闻/一"], &["/新闻"]),
            ("/A", &["/A"], &["/a"]),
            ("/", &["/"], &["/a"]),
        ] {
            let glob = PathPattern::read(pattern).unwrap();
            yes.iter().for_each(|path| assert!(glob.matches(path), "{pattern} {path}"));
            no.iter().for_each(|path| assert!(!glob.matches(path), "{pattern} {path}"));
        }
        for wrong in ["", "news/**", "/a/***", &format!("/{}", "*a".repeat(600))] {
            assert!(PathPattern::read(wrong).is_err(), "{wrong}");
        }
    }
}
