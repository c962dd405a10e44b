//! Arguments of `carat history`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::ReportFormat;

pub(super) const HISTORY_EXAMPLES: &str = "\
Examples:
  # Add a run to a history under the name of a release
  carat history add history.jsonl reports/mine --label v1.2.0
  # Which rows changed, and in which run
  carat history show history.jsonl
  # The sites of a row
  carat history show history.jsonl --row nta --sites
  # The tables and figures as files
  carat history show history.jsonl --out reports/history
  # Hold a run to the last run of the history
  carat gate mine.yaml --baseline history.jsonl";

pub(super) const SHOW_EXAMPLES: &str = "\
Each run is compared with the run before it under equal conditions. Scores are
exact, so each page that differs did change. A change point is a run in which a
row differs by more than chance: the signs of site differences are flipped, and
the p-value is corrected by Holm for all tests of the dataset's history, also
those from the first run to the last, which find slow changes. Runs in which no
page differs are not tested. The verdicts are those of carat compare.";

/// Arguments of `carat history`.
#[derive(Args)]
pub(crate) struct History {
    /// The command
    #[command(subcommand)]
    pub command: HistoryCommand,
}

/// The commands on a history.
#[derive(Subcommand)]
pub(crate) enum HistoryCommand {
    /// Append runs to a history, which is made if it is missing
    Add(HistoryAdd),
    /// Print what became of each row, and the run in which it changed
    #[command(after_long_help = SHOW_EXAMPLES)]
    Show(HistoryShow),
}

/// Arguments of `carat history add`.
#[derive(Args)]
pub(crate) struct HistoryAdd {
    /// File of the history (JSON Lines)
    pub file: PathBuf,
    /// Folders of runs, in the order in which they were made
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Name of the run in the history, such as a release; once per run [default: the name of the run's folder]
    #[arg(long = "label", value_name = "LABEL")]
    pub labels: Vec<String>,
}

/// Arguments of `carat history show`.
#[derive(Args)]
pub(crate) struct HistoryShow {
    /// File of the history
    pub file: PathBuf,
    /// Only rows of this name or algorithm (repeatable)
    #[arg(long = "row", value_name = "NAME[:PARAMETER=VALUE,..]")]
    pub rows: Vec<String>,
    /// Only this dataset (repeatable)
    #[arg(long = "dataset", value_name = "NAME")]
    pub datasets: Vec<String>,
    /// Print the mean F1 of each site instead of the rows
    #[arg(long)]
    pub sites: bool,
    /// Write the tables and figures into this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Seed of the random resamples and sign flips
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Output format
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
}
