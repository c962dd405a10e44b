//! Two documents side by side.

use super::documents::{Document, Parts};
use super::kind::{Side, Structure, StructureError};
use super::strings::{edited, joined};
use super::{teds, wmb, wmb_teds};
use crate::scoring::Measured;

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
