//! `carat report`.

use std::path::Path;

use carat::report;
use carat::report::groups;
use carat::report::stats::Stats;
use carat::runs::folder::{read_info, read_summary};
use carat::runs::summary::Summary;
use carat::statistics::Sampling;
use serde_json::json;

use crate::arguments::{self, ReportFormat};
use crate::failure::Failure;
use crate::output::{print, print_json};
use crate::run::make_report;

/// Makes tables and figures of a run again and prints the table.
pub(crate) fn report(arguments: arguments::Report) -> Result<(), Failure> {
    let summary = read_summary(&arguments.run)?;
    make_report(&arguments.run, &read_info(&arguments.run)?, arguments.lang)?;
    if let Some(key) = &arguments.by {
        return by_group(&summary, key, arguments.format);
    }
    if arguments.stats {
        return with_stats(&arguments.run, arguments.format);
    }
    match arguments.format {
        ReportFormat::Text => print(&report::tables::terminal(&summary)),
        ReportFormat::Md => print(&(report::tables::markdown(&summary) + &report::agreement::markdown(&summary))),
        ReportFormat::Latex => print(&(report::tables::latex(&summary) + &report::agreement::latex(&summary))),
        ReportFormat::Csv if summary.rows.is_empty() => print(&report::agreement::csv(&summary)),
        ReportFormat::Csv => print(&report::tables::csv(&summary)),
        ReportFormat::Json => print_json(&serde_json::to_value(&summary).unwrap_or_default()),
    }
}

fn with_stats(run: &Path, format: ReportFormat) -> Result<(), Failure> {
    let stats = Stats::of(run, Sampling::default(), format == ReportFormat::Text)?;
    match format {
        ReportFormat::Text => print(&stats.terminal()),
        ReportFormat::Md => print(&stats.markdown()),
        ReportFormat::Latex => print(&stats.latex()),
        ReportFormat::Csv => print(&stats.csv()),
        ReportFormat::Json => print_json(&stats.json()),
    }
}

fn by_group(summary: &Summary, key: &str, format: ReportFormat) -> Result<(), Failure> {
    let table = groups::terminal(summary, key)
        .ok_or_else(|| Failure::request(format!("no page of this run has a {key}: choose another --by")))?;
    match format {
        ReportFormat::Text => print(&table),
        ReportFormat::Md => print(&groups::markdown(summary, key)),
        ReportFormat::Latex => print(&groups::latex(summary, key)),
        ReportFormat::Csv => print(&groups::csv(summary, key)),
        ReportFormat::Json => {
            let rows = summary.rows.iter().map(|row| {
                json!({"dataset": row.dataset, "algorithm": row.algorithm, "setting": row.label(), key: row.groups.get(key)})
            });
            print_json(&rows.collect())
        }
    }
}
