//! The names: kinds of text, measures of structure, and what they refuse.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::markdown::to_html;
use crate::page::parse::{TooLarge, parse};
use crate::page::render::render;
use crate::page::selection::Selection;
pub use crate::scoring::Structure;

/// The form in which a gold text or an extraction is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
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

    /// The text that a reader sees: HTML is rendered, Markdown turned into HTML and rendered, and a text is as it stands.
    ///
    /// ```
    /// use carat_core::structure::TextKind;
    /// assert_eq!(TextKind::Markdown.rendered("# a *b*\n\n- c").unwrap(), "a b\nc");
    /// ```
    ///
    /// # Errors
    /// [`TooLarge`]: it makes more nodes than a page may.
    pub fn rendered(self, text: &str) -> Result<Cow<'_, str>, TooLarge> {
        // A byte-order mark would be the first character of a heading.
        let text_of = |html: &str| {
            let tree = parse(html)?.tree;
            Ok(Cow::Owned(render(&tree, &Selection::visible(&tree))))
        };
        match self {
            TextKind::Text => Ok(Cow::Borrowed(text)),
            TextKind::Markdown => text_of(&to_html(text.trim_start_matches('\u{FEFF}'))),
            TextKind::Html => text_of(text.trim_start_matches('\u{FEFF}')),
        }
    }

    /// The suffix of its files.
    pub fn suffix(self) -> &'static str {
        match self {
            TextKind::Text => "txt",
            TextKind::Markdown => "md",
            TextKind::Html => "html",
        }
    }

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

impl Structure {
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
    #[error("measure {structure} needs structure, and the {side} is only text: give it as Markdown or HTML")]
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
            Err("measure tables needs structure, and the gold is only text: give it as Markdown or HTML".to_owned())
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
