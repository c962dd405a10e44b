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
mod costs;
mod documents;
mod formula;
mod kind;
mod markdown;
mod source;
mod tables;
mod teds;
pub mod wmb;
mod wmb_teds;

pub use self::documents::Document;
use self::documents::Parts;
pub use self::kind::{Side, Structure, StructureError, TextKind};
pub use self::markdown::to_html as markdown_to_html;
pub use self::tables::{Cell, Table};
use crate::scoring::{Counts, Gold, Measure, Measured, Units};
use crate::text::tokens::{Case, TokenKind, Tokenizer};
use crate::text::words::Segmenter;

/// Compares the part of two documents that `structure` names. `None`: neither side has the part, and the page is left
/// out of every aggregate. An extraction that failed is compared as an empty document.
///
/// # Errors
/// A side of a kind that the measure cannot read, or tables too large to compare.
pub fn compare(
    structure: Structure,
    extraction: &Document,
    gold: &Document,
) -> Result<Option<Measured>, StructureError> {
    structure.check(Side::Gold, gold.kind())?;
    structure.check(Side::Extraction, extraction.kind())?;
    let of = |extract: fn(&str) -> String| [extraction, gold].map(|document| extract(document.markdown()));
    let counts = match structure {
        Structure::Tables | Structure::TablesStruct => {
            let [extraction, gold] = parts(extraction, gold)?.map(|parts| &parts.tables[..]);
            teds::compare(extraction, gold, structure == Structure::Tables)?
        }
        Structure::Code => joined(parts(extraction, gold)?.map(|parts| &parts.code[..])),
        Structure::Formula => joined(parts(extraction, gold)?.map(|parts| &parts.formulas[..])),
        Structure::WmbCode => edited(&of(wmb::code)),
        Structure::WmbFormula => edited(&of(wmb::formula)),
        Structure::WmbTable => edited(&of(wmb::table)),
        Structure::WmbTeds => wmb_teds::compare(&of(wmb::table))?,
    };
    Ok(counts.map(|counts| Measured { counts, scores_zero: false }))
}

/// The parts of both sides.
fn parts<'d>(extraction: &'d Document, gold: &'d Document) -> Result<[&'d Parts; 2], StructureError> {
    let of = |document: &'d Document, side| document.parts().ok_or(StructureError::Page { side });
    Ok([of(extraction, Side::Extraction)?, of(gold, Side::Gold)?])
}

/// The longest common subsequence of the characters of the parts, an extraction's and a gold's; white space is none of
/// them, so that indentation does not count.
fn joined([extraction, gold]: [&[String]; 2]) -> Option<Counts> {
    if extraction.is_empty() && gold.is_empty() {
        return None;
    }
    let segmenter = Segmenter::default();
    let mut tokenizer = Tokenizer::new(TokenKind::Char, Case::Keep, &segmenter);
    let mut units = |parts: &[String]| Units::from(tokenizer.tokens(&parts.join("\n")));
    let (extraction, gold) = (units(extraction), units(gold));
    Some(Gold::new(Measure::Lcs, &gold).counts(&extraction))
}

/// The Levenshtein distance of an extraction's string and a gold's over scalar values, as the measure `edit` counts it.
fn edited([extraction, gold]: &[String; 2]) -> Option<Counts> {
    if extraction.is_empty() && gold.is_empty() {
        return None;
    }
    Some(Gold::new(Measure::Edit, &scalars(gold)).counts(&scalars(extraction)))
}

/// The scalar values of a text.
fn scalars(text: &str) -> Units {
    Units::from(text.chars().map(|c| c as u32).collect::<Vec<_>>())
}
