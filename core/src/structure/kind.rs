//! The names: kinds of text, measures of structure, and what they refuse.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::page::parse::TooLarge;
use crate::scoring::About;

/// The form in which a gold text or an extraction is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TextKind {
    /// Plain text: nothing says what is a table.
    #[default]
    Text,
    /// CommonMark with tables as GitHub writes them.
    Markdown,
    /// HTML, a whole page or a piece of one.
    Html,
}

impl TextKind {
    /// Every kind, in the order of listings.
    pub const ALL: [TextKind; 3] = [TextKind::Text, TextKind::Markdown, TextKind::Html];

    /// Its name in sentences.
    pub fn in_words(self) -> &'static str {
        match self {
            TextKind::Text => "text",
            TextKind::Markdown => "Markdown",
            TextKind::Html => "HTML",
        }
    }
}

impl fmt::Display for TextKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TextKind::Text => "text",
            TextKind::Markdown => "markdown",
            TextKind::Html => "html",
        })
    }
}

impl FromStr for TextKind {
    type Err = String;

    /// ```
    /// use carat_core::structure::TextKind;
    /// assert_eq!("markdown".parse(), Ok(TextKind::Markdown));
    /// assert!("md".parse::<TextKind>().is_err());
    /// ```
    fn from_str(name: &str) -> Result<Self, String> {
        let found = TextKind::ALL.into_iter().find(|kind| kind.to_string() == name);
        found.ok_or_else(|| format!("`{name}` is no kind of text: choose text, markdown or html"))
    }
}

/// A measure of what is more than running text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Structure {
    /// Tables with their texts, by tree edit distance.
    Tables,
    /// Tables without their texts.
    TablesStruct,
    /// Blocks of code.
    Code,
    /// Formulas in TeX.
    Formula,
    /// WebMainBench's `code_edit`.
    WmbCode,
    /// WebMainBench's `formula_edit`.
    WmbFormula,
    /// WebMainBench's `table_edit`.
    WmbTable,
    /// WebMainBench's `table_TEDS`.
    WmbTeds,
}

impl Structure {
    /// Every measure, in the order of listings.
    pub const ALL: [Structure; 8] = [
        Structure::Tables,
        Structure::TablesStruct,
        Structure::Code,
        Structure::Formula,
        Structure::WmbCode,
        Structure::WmbFormula,
        Structure::WmbTable,
        Structure::WmbTeds,
    ];

    /// True if it is WebMainBench's: it reads Markdown as it stands, and nothing else.
    pub fn reads_markdown_alone(self) -> bool {
        matches!(self, Structure::WmbCode | Structure::WmbFormula | Structure::WmbTable | Structure::WmbTeds)
    }

    /// True if it can read a document of this kind; `None`: selected text nodes of a page.
    pub fn reads(self, kind: Option<TextKind>) -> bool {
        match kind {
            Some(TextKind::Markdown) => true,
            Some(TextKind::Text) => false,
            Some(TextKind::Html) | None => !self.reads_markdown_alone(),
        }
    }

    /// Refuses what it cannot read.
    ///
    /// # Errors
    /// [`StructureError::OnlyText`] or [`StructureError::NotMarkdown`].
    pub fn check(self, side: Side, kind: Option<TextKind>) -> Result<(), StructureError> {
        match kind {
            _ if self.reads(kind) => Ok(()),
            _ if self.reads_markdown_alone() => Err(StructureError::NotMarkdown {
                structure: self,
                side,
                kind: kind.map_or("nodes", TextKind::in_words),
            }),
            _ => Err(StructureError::OnlyText { structure: self, side }),
        }
    }

    /// Facts about the measure.
    pub fn about(self) -> About {
        match self {
            Structure::Tables => About {
                title: "tables, by the edit distance of their trees (TEDS)",
                formula: "matched = largest sum of TEDS of tables paired in order; extracted, gold = tables; in 10^-9",
                used_by: "near to TEDS (Zhong et al. 2020), but th is td, sections are left out, and texts are compared by \
                          scalar values",
                fault: "a cell that is split in two costs a whole node",
            },
            Structure::TablesStruct => About {
                title: "tables without their texts: rows, cells and spans",
                formula: "as tables, all texts empty",
                used_by: "near to TEDS-Struct",
                fault: "any two tables of the same shape score 1",
            },
            Structure::Code => About {
                title: "blocks of code, by their characters in order",
                formula: "matched = LCS of characters; extracted, gold = characters of code",
                used_by: "",
                fault: "indentation does not count, nor does code within a line",
            },
            Structure::Formula => About {
                title: "formulas in TeX, by their characters in order",
                formula: "matched = LCS of characters; extracted, gold = characters of formulas",
                used_by: "",
                fault: "`x^2` and `x^{2}` differ, and formulas that are no TeX are not seen",
            },
            Structure::WmbCode => About {
                title: "blocks of code in Markdown, by WebMainBench's patterns",
                formula: "as edit, over scalar values of the blocks joined by line ends",
                used_by: "WebMainBench's code_edit",
                fault: "of two indented blocks with one empty line between them only the first is found",
            },
            Structure::WmbFormula => About {
                title: "formulas in Markdown, by WebMainBench's patterns without its language model",
                formula: "as edit, over scalar values of the formulas joined by line ends",
                used_by: "WebMainBench's formula_edit",
                fault: "money is a formula: `It costs $5 and $10.` holds `5 and`",
            },
            Structure::WmbTable => About {
                title: "tables in Markdown as HTML, by WebMainBench's patterns",
                formula: "as edit, over scalar values of the tables' HTML",
                used_by: "WebMainBench's table_edit",
                fault: "where one table is HTML those in Markdown keep their bars; a delimiter row of two hyphens is none",
            },
            Structure::WmbTeds => About {
                title: "the first tables, as WebMainBench's program compares their trees",
                formula: "matched = 1 - d / nodes of the larger tree, in 10^-12; extracted = gold = 1",
                used_by: "WebMainBench's table_TEDS",
                fault: "a tree is one node to it, so that nearly all tables are alike: a cell `1` scores 0.9650 against a \
                        table of nine rows (tables: 0.0742)",
            },
        }
    }
}

impl fmt::Display for Structure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Structure::Tables => "tables",
            Structure::TablesStruct => "tables-struct",
            Structure::Code => "code",
            Structure::Formula => "formula",
            Structure::WmbCode => "wmb-code",
            Structure::WmbFormula => "wmb-formula",
            Structure::WmbTable => "wmb-table",
            Structure::WmbTeds => "wmb-teds",
        })
    }
}

impl FromStr for Structure {
    type Err = String;

    /// ```
    /// use carat_core::structure::Structure;
    /// assert_eq!("tables-struct".parse(), Ok(Structure::TablesStruct));
    /// ```
    fn from_str(name: &str) -> Result<Self, String> {
        let found = Structure::ALL.into_iter().find(|structure| structure.to_string() == name);
        let known = || Structure::ALL.map(|structure| structure.to_string()).join(", ");
        found.ok_or_else(|| format!("`{name}` is no measure of structure: choose one of {}", known()))
    }
}

/// One of the two documents of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The extractor's answer.
    Extraction,
    /// The content, as a person says.
    Gold,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::Extraction => "extraction",
            Side::Gold => "gold",
        })
    }
}

/// Why two documents are not compared. The page and the row are known to whoever asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StructureError {
    /// A text says nothing of tables, code and formulas.
    #[error("measure {structure} needs structure, and the {side} is only text")]
    OnlyText {
        /// The measure.
        structure: Structure,
        /// Whose text it is.
        side: Side,
    },
    /// WebMainBench's measures read Markdown.
    #[error("measure {structure} reads Markdown, and the {side} is {kind}")]
    NotMarkdown {
        /// The measure.
        structure: Structure,
        /// Whose document it is.
        side: Side,
        /// Its kind: `text`, `HTML` or `nodes`.
        kind: &'static str,
    },
    /// More work than a page may cost.
    #[error("the tables are too large to compare ({extraction} and {gold} {unit})")]
    TooLarge {
        /// Of the extraction.
        extraction: u64,
        /// Of the gold.
        gold: u64,
        /// `nodes` of the trees, or `characters` of their strings.
        unit: &'static str,
    },
    /// A document makes more nodes than any page may.
    #[error("{TooLarge} (the {side})")]
    Page {
        /// Whose document it is.
        side: Side,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for structure in Structure::ALL {
            assert_eq!(structure.to_string().parse(), Ok(structure));
            let written = serde_json::to_value(structure).unwrap();
            assert_eq!(written, structure.to_string());
            assert!(!structure.about().title.is_empty());
        }
        for kind in TextKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.to_string());
        }
        assert!("table".parse::<Structure>().is_err());
    }

    #[test]
    fn what_a_measure_cannot_read_is_refused() {
        let told = |structure: Structure, kind| structure.check(Side::Gold, kind).map_err(|error| error.to_string());
        assert_eq!(
            told(Structure::Tables, Some(TextKind::Text)),
            Err("measure tables needs structure, and the gold is only text".to_owned())
        );
        assert_eq!(
            told(Structure::WmbCode, Some(TextKind::Html)),
            Err("measure wmb-code reads Markdown, and the gold is HTML".to_owned())
        );
        assert_eq!(
            told(Structure::WmbTeds, None),
            Err("measure wmb-teds reads Markdown, and the gold is nodes".to_owned())
        );
        assert_eq!(told(Structure::Code, None), Ok(()));
        assert_eq!(told(Structure::WmbCode, Some(TextKind::Markdown)), Ok(()));
    }
}
