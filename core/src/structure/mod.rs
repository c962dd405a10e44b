//! Tables, code and formulas of a page: how well an extraction keeps what is more than running text.
//!
//! A [`Document`] is a gold or an extraction that says where its tables, its code and its formulas are: Markdown, HTML,
//! or selected text nodes of a page. [`compare`] sets two of them side by side. This layer stands on pages and on the
//! measures over tokens; it knows no dataset and no file.
//!
//! ```
//! use carat_core::structure::{Document, Structure, TextKind, compare};
//! let gold = Document::new(TextKind::Markdown, "| a | b |\n|---|---|\n| 10 | 2 |");
//! let html = Document::new(TextKind::Html, "<table><tr><th>a<th>b<tr><td>12<td>2</table>");
//! let measured = compare(Structure::Tables, &html, &gold)?.unwrap();
//! // Seven nodes (the table, two rows, four cells), and half of one cell is wrong.
//! assert_eq!(measured.counts.matched, 928_571_429);
//! let text = Document::new(TextKind::Markdown, "no code");
//! assert_eq!(compare(Structure::Code, &text, &gold)?, None);
//! # Ok::<(), carat_core::structure::StructureError>(())
//! ```

mod code;
mod compare;
mod costs;
mod documents;
mod formula;
mod kind;
mod markdown;
mod source;
mod strings;
mod tables;
mod teds;
pub mod wmb;
mod wmb_teds;

pub use self::compare::compare;
pub use self::documents::Document;
pub use self::kind::{Side, Structure, StructureError, TextKind};
pub use self::markdown::to_html as markdown_to_html;
pub use self::tables::{Cell, Table};
