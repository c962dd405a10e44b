//! `carat report`.

use carat::report;
use carat::runs::folder::read_summary;

use crate::arguments::{self, ReportFormat};
use crate::failure::Failure;
use crate::output::{print, print_json, tell};

/// Makes tables and figures of a run again and prints the table.
pub(crate) fn report(arguments: arguments::Report) -> Result<(), Failure> {
    let summary = read_summary(&arguments.run)?;
    for warning in report::make(&arguments.run)? {
        tell(&format!("warning: {warning}"));
    }
    match arguments.format {
        ReportFormat::Text => print(&report::tables::terminal(&summary)),
        ReportFormat::Md => print(&report::tables::markdown(&summary)),
        ReportFormat::Csv => print(&report::tables::csv(&summary)),
        ReportFormat::Json => print_json(&serde_json::to_value(&summary).unwrap_or_default()),
    }
}
