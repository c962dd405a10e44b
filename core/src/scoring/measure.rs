//! The measures and their names.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::about::About;
use super::structure::Structure;
use crate::text::nearest;
use crate::text::tokens::{Case, TokenKind};

/// A rule that compares an extraction's tokens with the gold's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Measure {
    /// Longest common subsequence, exactly: the papers' measure.
    #[default]
    Lcs,
    /// Multiset overlap of runs of so many tokens; a shorter text is one run.
    Shingle(u8),
    /// The same, except that a shorter text has no run: ROUGE-N.
    Rouge(u8),
    /// Multiset overlap of tokens.
    Bag,
    /// Overlap of the distinct tokens.
    Set,
    /// Levenshtein distance, exactly.
    Edit,
    /// Matching blocks of Python's `difflib.SequenceMatcher`.
    Difflib,
    /// The markers of paragraphs in those blocks; for the tokens `cleaneval`.
    DifflibMarkers,
    /// ROUGE-LSum with lines as sentences.
    Lsum,
    /// Overlap of text nodes, by their characters: a token is the number of the text node that a character stands in.
    Nodes,
    /// Short texts that an extraction must or must not contain: [`super::snippets::Snippets`].
    Snippets,
    /// Tables, code or formulas of the texts: `carat_core::structure`.
    Structure(Structure),
}

/// The longest run of tokens.
const LONGEST_RUN: u8 = 16;

/// The name that `shingle:4` had first.
const SHINGLE_4: &str = "shingle4";

impl Measure {
    /// Every measure over tokens, text nodes and snippets, in the order of listings; runs have the length that a public
    /// benchmark uses. Those of structure are [`Structure::ALL`].
    pub const ALL: [Measure; 11] = [
        Measure::Lcs,
        Measure::Shingle(4),
        Measure::Rouge(5),
        Measure::Bag,
        Measure::Set,
        Measure::Edit,
        Measure::Difflib,
        Measure::DifflibMarkers,
        Measure::Lsum,
        Measure::Nodes,
        Measure::Snippets,
    ];

    /// True if it reads where lines end.
    pub fn reads_lines(self) -> bool {
        self == Measure::Lsum
    }

    /// The measure of structure, if it is one.
    pub fn structure(self) -> Option<Structure> {
        if let Measure::Structure(structure) = self { Some(structure) } else { None }
    }

    /// The name in listings: `N` stands for the length of runs.
    pub fn pattern(self) -> String {
        match self {
            Measure::Shingle(_) => "shingle:N".to_owned(),
            Measure::Rouge(_) => "rouge:N".to_owned(),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Measure::Lcs => "lcs",
            Measure::Shingle(length) => return write!(f, "shingle:{length}"),
            Measure::Rouge(length) => return write!(f, "rouge:{length}"),
            Measure::Bag => "bag",
            Measure::Set => "set",
            Measure::Edit => "edit",
            Measure::Difflib => "difflib",
            Measure::DifflibMarkers => "difflib-markers",
            Measure::Lsum => "lsum",
            Measure::Nodes => "nodes",
            Measure::Snippets => "snippets",
            Measure::Structure(structure) => return structure.fmt(f),
        };
        f.write_str(name)
    }
}

impl FromStr for Measure {
    type Err = String;

    /// ```
    /// use carat_core::scoring::Measure;
    /// assert_eq!("shingle:4".parse(), Ok(Measure::Shingle(4)));
    /// assert_eq!("rouge:0".parse::<Measure>(), Err("rouge:0 is no measure: N is a number from 1 to 16".to_owned()));
    /// ```
    fn from_str(name: &str) -> Result<Self, String> {
        if name == SHINGLE_4 {
            return Ok(Measure::Shingle(4));
        }
        if let Ok(structure) = name.parse() {
            return Ok(Measure::Structure(structure));
        }
        let made: Option<fn(u8) -> Measure> = match name.split_once(':') {
            Some(("shingle", _)) => Some(Measure::Shingle),
            Some(("rouge", _)) => Some(Measure::Rouge),
            _ => None,
        };
        if let (Some(made), Some((_, length))) = (made, name.split_once(':')) {
            let length = length.parse().ok().filter(|length| (1..=LONGEST_RUN).contains(length));
            return length.map(made).ok_or(format!("{name} is no measure: N is a number from 1 to {LONGEST_RUN}"));
        }
        let found = Measure::ALL.into_iter().find(|measure| measure.to_string() == name);
        found.ok_or_else(|| {
            let of_structure = Structure::ALL.map(|structure| structure.to_string());
            let known = [&Measure::ALL.map(Measure::pattern)[..], &of_structure].concat();
            let meant = nearest(name, known.iter().map(String::as_str)).filter(|_| !name.is_empty());
            let meant = meant.map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default();
            format!("`{name}` is no measure: choose one of {}{meant}", known.join(", "))
        })
    }
}

impl TryFrom<String> for Measure {
    type Error = String;
    fn try_from(name: String) -> Result<Self, String> {
        name.parse()
    }
}

impl From<Measure> for String {
    fn from(measure: Measure) -> String {
        measure.to_string()
    }
}

/// A rule by which texts are compared: a measure over tokens of a kind.
///
/// ```
/// use carat_core::scoring::Comparison;
/// let comparison = Comparison::read("set ws lower", Comparison::default()).unwrap();
/// assert_eq!((comparison.to_string(), comparison.file_stem()), ("set ws lower".to_owned(), "set-ws-lower".to_owned()));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// The kind of token.
    pub tokens: TokenKind,
    /// The treatment of case.
    pub case: Case,
    /// The measure.
    pub measure: Measure,
}

impl Comparison {
    /// Reads `MEASURE [TOKENS [CASE]]`; what is not written is that of `default`.
    ///
    /// # Errors
    /// A sentence: an unknown name, or parts that do not go together.
    pub fn read(text: &str, default: Comparison) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let mut comparison = default;
        comparison.measure = words.next().unwrap_or_default().parse()?;
        if comparison.measure.structure().is_some() {
            // The default tokens are those of texts.
            (comparison.tokens, comparison.case) = Default::default();
        }
        if let Some(tokens) = words.next() {
            comparison.tokens = tokens.parse()?;
        }
        if let Some(case) = words.next() {
            comparison.case = case.parse()?;
        }
        match words.next() {
            Some(surplus) => Err(format!("`{surplus}` is one word too many: write MEASURE TOKENS CASE")),
            None => comparison.checked(),
        }
    }

    /// The same if its parts go together.
    ///
    /// # Errors
    /// A sentence.
    pub fn checked(self) -> Result<Self, String> {
        let Comparison { tokens, case, measure } = self;
        match (measure, tokens, case) {
            (Measure::Nodes | Measure::Structure(_), TokenKind::Char, Case::Keep) => Ok(self),
            (Measure::Structure(structure), ..) => {
                Err(format!("measure {structure} compares no tokens: write `{structure}` alone"))
            }
            (Measure::Nodes, ..) => Err(format!(
                "measure nodes counts text nodes by their characters: ask for tokens char and case keep, not {tokens} and {case}"
            )),
            (Measure::DifflibMarkers, tokens, _) if tokens != TokenKind::Cleaneval => {
                Err("measure difflib-markers counts markers: use it with tokens cleaneval".to_owned())
            }
            (Measure::Lsum, TokenKind::Cleaneval, _) => {
                Err("measure lsum needs lines: not with tokens cleaneval".to_owned())
            }
            (_, TokenKind::Cleaneval, Case::Fold | Case::Lower) => {
                Err(format!("tokens cleaneval keep letters as they are: ask for case keep, not {case}"))
            }
            _ => Ok(self),
        }
    }

    /// `MEASURE TOKENS CASE`, whatever the defaults are; a measure of structure alone.
    pub fn in_full(self) -> String {
        match self.measure {
            Measure::Structure(structure) => structure.to_string(),
            measure => format!("{measure} {} {}", self.tokens, self.case),
        }
    }

    /// True if texts are taken as the dataset and the extractor give them, and not normalised first.
    pub fn reads_as_it_stands(self) -> bool {
        self.tokens.reads_as_it_stands() || self.measure.structure().is_some()
    }

    /// A name for its files: letters, digits and hyphens.
    pub fn file_stem(self) -> String {
        self.to_string().replace([':', ' '], "-")
    }
}

impl fmt::Display for Comparison {
    /// `MEASURE TOKENS`, and the case unless it is kept; a measure of structure alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Measure::Structure(structure) = self.measure {
            return structure.fmt(f);
        }
        write!(f, "{} {}", self.measure, self.tokens)?;
        if self.case == Case::Keep { Ok(()) } else { write!(f, " {}", self.case) }
    }
}

impl Measure {
    /// Facts about the measure.
    pub fn about(self) -> About {
        match self {
            Measure::Lcs => About {
                title: "length of a longest common subsequence of tokens, exactly (the papers' measure)",
                formula: "matched = LCS(e, g); extracted = |e|; gold = |g|",
                used_by: "NTA, CEVC, block relevance, ISTM: `lcs char`. web-content-extraction-benchmark: its `levenshtein` \
                          is F1 of `lcs ws`. WCXB: its content_accuracy is the recall of `lcs ws lower`",
                fault: "",
            },
            Measure::Shingle(_) => About {
                title: "multiset overlap of runs of N tokens; a shorter text is one run",
                formula: "matched = runs in both; extracted, gold = runs; N from 1 to 16",
                used_by: "article-extraction-benchmark: `shingle:4 w` (also written shingle4)",
                fault: "one changed token costs up to N runs: of the 3 runs of 2 tokens in `a b c d`, `a x c d` has 1",
            },
            Measure::Rouge(_) => About {
                title: "multiset overlap of runs of N tokens; a shorter text has none (ROUGE-N)",
                formula: "as shingle:N; without any run on either side 1 if both texts are blank, else 0",
                used_by: "MinerU-HTML and WebMainBench: `rouge:5 jieba`",
                fault: "blanks are tokens, so layout counts: `a[line]b c d` scores 0.3333 against `a b c d`. Two equal texts \
                        of fewer than N tokens score 0",
            },
            Measure::Bag => About {
                title: "multiset overlap of tokens, order ignored",
                formula: "matched = tokens in both, as often as in both; extracted = |e|; gold = |g|",
                used_by: "WCXB's evaluate.py: `bag w lower`",
                fault: "a text in any other order scores 1: `c b a` against `a b c`",
            },
            Measure::Set => About {
                title: "overlap of the distinct tokens, order and number ignored",
                formula: "matched = distinct tokens in both; extracted, gold = distinct tokens",
                used_by: "WCXB's stored results: `set ws lower`",
                fault: "repetition is free: `a a a` scores P 1 against `a b`",
            },
            Measure::Edit => About {
                title: "Levenshtein distance, exactly: 1 - distance / longer text",
                formula: "matched = longer - distance; extracted = gold = longer = max(|e|, |g|), so P = R = F1",
                used_by: "WebMainBench's text_edit: `edit scalar`",
                fault: "precision and recall are not told apart, and a moved block counts twice: `b c d a` scores 0.5 against \
                        `a b c d`",
            },
            Measure::Difflib => About {
                title: "matching blocks of Python's difflib.SequenceMatcher, with its heuristic",
                formula: "matched = tokens in blocks; extracted = |e|; gold = |g|",
                used_by: "CleanEval's script: `difflib cleaneval`",
                fault: "from 200 gold tokens on, tokens that occur often begin no block: `x x x x` scores 0 against 196 other \
                        words and `x x x x`. It is never above `lcs`: `a b a` against `b c a` matches 1, lcs 2. \
                        Made-up texts of 100 000 tokens can take half a minute, and ten times as many hours",
            },
            Measure::DifflibMarkers => About {
                title: "markers of paragraphs, headings and items in the blocks of difflib",
                formula: "matched = markers in blocks; extracted, gold = markers",
                used_by: "CleanEval's script: `difflib-markers cleaneval`",
                fault: "as difflib; an extraction without markers scores 0 where the gold has some, and 1 where it has none",
            },
            Measure::Lsum => About {
                title: "ROUGE-LSum with lines as sentences",
                formula: "matched = tokens of each gold line in one LCS with any extracted line; extracted = |e|; gold = |g|",
                used_by: "none to the digit: web-content-extraction-benchmark parts sentences by NLTK's Punkt",
                fault: "the order of lines hardly counts: `b[line]a` scores 1 against `a b`",
            },
            Measure::Nodes => About {
                title: "overlap of the page's text nodes, by their characters (pages with gold nodes only)",
                formula: "matched = characters of nodes in both; extracted, gold = characters of nodes",
                used_by: "",
                fault: "",
            },
            Measure::Snippets => About {
                title: "short texts that an extraction must or must not contain, as they stand",
                formula: "matched = wanted texts found; extracted = texts found; gold = wanted texts (read micro figures)",
                used_by: "trafilatura's evaluation",
                fault: "",
            },
            Measure::Structure(structure) => structure.about(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        let of_structure = Structure::ALL.map(Measure::Structure);
        let with_length = [Measure::Shingle(1), Measure::Rouge(16)];
        for measure in Measure::ALL.into_iter().chain(with_length).chain(of_structure) {
            assert_eq!(measure.to_string().parse(), Ok(measure));
        }
        assert_eq!("shingle4".parse(), Ok(Measure::Shingle(4)));
        for comparison in ["lcs char", "rouge:5 jieba", "set ws lower", "difflib-markers cleaneval"] {
            let read = Comparison::read(comparison, Comparison::default());
            assert_eq!(read.unwrap().to_string(), comparison);
        }
        let by_words = Comparison { tokens: TokenKind::W, case: Case::Fold, ..Comparison::default() };
        let tables = Comparison::read("tables", by_words).unwrap();
        assert_eq!([tables.to_string(), tables.in_full(), tables.file_stem()], ["tables"; 3]);
        assert!(tables.reads_as_it_stands() && !by_words.reads_as_it_stands());
        for wrong in [
            "tables w", "nodes w", "difflib-markers ws", "lsum cleaneval", "bag cleaneval lower", "lcs char keep x", "",
        ] {
            assert!(Comparison::read(wrong, Comparison::default()).is_err(), "{wrong}");
        }
        for wrong in ["rouge", "rouge:", "rouge:17", "rouge:-1", "shingle:x", "LCS", ""] {
            assert!(wrong.parse::<Measure>().is_err(), "{wrong}");
        }
    }
}
