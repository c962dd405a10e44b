//! Arguments of the command that puts runs together.

use std::path::PathBuf;

use clap::Args;

use super::Format;
use super::run::Scores;
use crate::report::MOST_PAGES;
use crate::report::language::Language;

pub(super) const MERGE_EXAMPLES: &str = "\
Examples:
  # Three machines run a part each
  carat run mine.yaml --shard 1/3 --out runs/1
  carat run mine.yaml --shard 2/3 --out runs/2
  carat run mine.yaml --shard 3/3 --out runs/3
  # One run of all pages
  carat merge runs/1 runs/2 runs/3 --out reports/mine

The merged run has the same figures and the same digest as a run in one piece.
carat checks that every page is there, and that a page that several runs hold
is the same in all of them.";

/// Arguments of `carat merge`.
#[derive(Args)]
pub(crate) struct Merge {
    /// Folders of shards and runs, in any order
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Folder of the merged run
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Go on though pages are missing; the merged run says which, and it is not compared with others
    #[arg(long)]
    pub partial: bool,
    /// Accept runs of different builds of this version of carat, as for another processor
    #[arg(long)]
    pub same_version: bool,
    #[command(flatten)]
    pub scores: Scores,
    /// Number of pages that have a file of their own in the report. carat takes them in turn from four lists: pages that
    /// failed, pages on which systems agree least, pages on which rows differ most, pages on which the best row is worst.
    /// `carat diff` shows every page
    #[arg(long, value_name = "N", default_value_t = MOST_PAGES)]
    pub report_pages: usize,
    /// Language of the report and of the printed table: en or zh [default: that of the report in the
    /// folder, and en where there is none]
    #[arg(long, value_name = "LANGUAGE")]
    pub lang: Option<Language>,
    /// Format of the printed result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}
