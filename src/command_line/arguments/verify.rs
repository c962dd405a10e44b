//! Arguments of `carat verify`.

use std::path::PathBuf;

use clap::Args;

use super::{Format, Trust};

pub(super) const VERIFY_EXAMPLES: &str = "\
Examples:
  # Check the files of a run, its datasets, and 20 of its pages
  carat verify reports/default
  # Run all of its pages again
  carat verify reports/default --all
  # A run that asked external programs
  carat verify reports/mine --programs

Start it in the folder in which the run was made, because run.yaml names
datasets as the command line did. carat checks, and names what differs:
  version        the version of carat that made the run
  configuration  run.yaml, and the conditions that follow from it
  file           the tables of the run, and the tables, figures and pages of its
                 report
  dataset        version and digest of each dataset
  page, gold     the HTML and the gold of each page
  row            the rows of the run, their figures, and on the pages that are
                 run again the counts and the text of each row
  result         the result digest, from what the run kept of each page
The pages that are run again are drawn by the result digest of the run. Pages
that changed are not run again. Nothing is written into the folder of the run.

Exit codes: 0 nothing differs, 1 something differs, 2 the folder holds no run or
a dataset is not there, 3 run.json itself was changed.";

/// Arguments of `carat verify`.
#[derive(Args)]
pub(crate) struct Verify {
    /// Folder of a run
    pub run: PathBuf,
    /// Number of pages to run again
    #[arg(long, value_name = "N", default_value_t = 20, conflicts_with = "all")]
    pub pages: usize,
    /// Run all pages again
    #[arg(long)]
    pub all: bool,
    /// Start the external programs that run.yaml names, with your user's permissions; without it no page of such a run is
    /// run again
    #[arg(long)]
    pub programs: bool,
    #[command(flatten)]
    pub trust: Trust,
    /// Number of threads [default: one per processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}
