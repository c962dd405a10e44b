//! The command line's grammar and its help, which teaches by example.

mod annotate;
mod dataset;
mod explain;
mod external;
mod history;
mod judge;
mod list;
mod merge;
mod page;
mod report;
mod reproduce;
mod run;
mod site;
mod verify;
mod wrapper;

use std::path::PathBuf;

use crate::datasets::load::Loading;
use crate::text::tokens::{Case, TokenKind};
use clap::{Args, Parser, Subcommand, ValueEnum};

use self::annotate::ANNOTATE_EXAMPLES;
pub(crate) use self::annotate::{Language, Marking, Resolve, Unsure};
pub(crate) use self::dataset::{
    Annotate, Check, Dataset, DatasetCommand, Export, ExportFormat, Import, New, Pull, Synth,
};
use self::explain::EXPLAIN_EXAMPLES;
pub(crate) use self::explain::Explain;
pub(crate) use self::external::{External, ExternalCheck, ExternalCommand, ExternalPerPage};
use self::history::HISTORY_EXAMPLES;
pub(crate) use self::history::{History, HistoryAdd, HistoryCommand, HistoryShow};
use self::judge::{GATE_EXAMPLES, TUNE_EXAMPLES};
pub(crate) use self::judge::{Gate, Tune, VerdictFormat, When};
use self::list::LIST_EXAMPLES;
pub(crate) use self::list::{List, Listed};
use self::merge::MERGE_EXAMPLES;
pub(crate) use self::merge::Merge;
use self::page::{EXTRACT_EXAMPLES, SCORE_EXAMPLES};
pub(crate) use self::page::{Extract, Score};
use self::report::{COMPARE_EXAMPLES, DIFF_EXAMPLES, REPORT_EXAMPLES};
pub(crate) use self::report::{Colour, Compare, Corrected, Diff, Form, Report, ScorePart};
use self::reproduce::REPRODUCE_EXAMPLES;
pub(crate) use self::reproduce::{PaperName, Reproduce};
use self::run::RUN_EXAMPLES;
pub(crate) use self::run::Run;
use self::site::SITE_EXAMPLES;
pub(crate) use self::site::{Site, SiteCheck, SiteCommand};
use self::verify::VERIFY_EXAMPLES;
pub(crate) use self::verify::Verify;
pub(crate) use self::wrapper::{Wrapper, WrapperCheck, WrapperCommand, WrapperLearn};

/// Measure how well algorithms extract the main content of web pages.
#[derive(Parser)]
#[command(name = "carat", version = version(), about, after_help = EXIT_CODES, after_long_help = EXAMPLES, max_term_width = 80)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

fn version() -> String {
    let unicode = crate::text::tokens::unicode_versions();
    let segmenter = crate::text::words::SEGMENTER;
    let suffixes = crate::datasets::site::SUFFIX_LIST;
    format!("{}\nUnicode: {unicode}\nHan words: {segmenter}\nsites: {suffixes}", env!("CARGO_PKG_VERSION"))
}

const EXIT_CODES: &str = "\
Exit codes: 0 success, 1 a check or the gate failed, 2 invalid arguments or
configuration, 3 invalid data, 4 an I/O or permission error, 5 a defect in
carat, 130 interrupted.";

const EXAMPLES: &str = "\
Examples:
  # The papers' thresholds on the embedded pages, into reports/default
  carat run
  # Your own pages: my-pages/html/NAME.html with my-pages/gold/NAME.txt
  carat run --dataset ./my-pages --algorithm nta --algorithm cevc
  # Which rows are better than chance, and on which pages
  carat compare reports/default
  # The text of one page
  carat extract page.html --algorithm cevc
  # Precision, recall and F1 of two texts
  carat score extraction.txt gold.txt
  # Parameters of an algorithm, with worked examples
  carat list algorithms nta

`carat COMMAND --help` has the options and examples of each command.

Exit codes: 0 success, 1 a check or the gate failed, 2 invalid arguments or
configuration, 3 invalid data, 4 an I/O or permission error, 5 a defect in
carat, 130 interrupted.";

/// The commands.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run algorithms on datasets, score the extractions and draw the curves
    #[command(after_long_help = RUN_EXAMPLES)]
    Run(Run),
    /// Put the shards of a run together
    #[command(after_long_help = MERGE_EXAMPLES)]
    Merge(Merge),
    /// Print the text that an algorithm extracts from a page
    #[command(after_long_help = EXTRACT_EXAMPLES)]
    Extract(Extract),
    /// Score an extraction against a gold text
    #[command(after_long_help = SCORE_EXAMPLES)]
    Score(Score),
    /// Print a run's table; write its tables and figures again
    #[command(after_long_help = REPORT_EXAMPLES)]
    Report(Report),
    /// Test which rows differ, with intervals; name the pages that differ most
    #[command(after_long_help = COMPARE_EXAMPLES)]
    Compare(Compare),
    /// Show missing and surplus text of a page, word by word
    #[command(after_long_help = DIFF_EXAMPLES)]
    Diff(Diff),
    /// Show why an algorithm kept or dropped each node of a page
    #[command(after_long_help = EXPLAIN_EXAMPLES)]
    Explain(Explain),
    /// Fail if a run is worse than an accepted baseline (a check for CI)
    #[command(after_long_help = GATE_EXAMPLES)]
    Gate(Gate),
    /// Keep runs in a history, and show in which run a row changed
    #[command(after_long_help = HISTORY_EXAMPLES)]
    History(History),
    /// Make a website of runs and submissions: groups with intervals, no ranks
    #[command(after_long_help = SITE_EXAMPLES)]
    Site(Site),
    /// Check that a run is as it was made, and run some of its pages again
    #[command(after_long_help = VERIFY_EXAMPLES)]
    Verify(Verify),
    /// Choose parameter values by cross-validation over sites
    #[command(after_long_help = TUNE_EXAMPLES)]
    Tune(Tune),
    /// Repeat a paper's experiment on your pages and test its claims
    #[command(after_long_help = REPRODUCE_EXAMPLES)]
    Reproduce(Reproduce),
    /// List algorithms, datasets, measures, importers or stop words
    #[command(after_long_help = LIST_EXAMPLES)]
    List(List),
    /// Make gold by clicking: mark the content of pages in a browser
    #[command(after_long_help = ANNOTATE_EXAMPLES)]
    Annotate(Marking),
    /// Import, export, check, annotate and generate datasets
    Dataset(Dataset),
    /// Check that your own extractor follows the protocol
    External(External),
    /// Test extraction rules for sites, or learn them from gold
    Wrapper(Wrapper),
    /// Print a completion script for a shell
    Completions(Completions),
    /// Write manual pages into a folder
    Man(Man),
}

/// How an extraction is compared with the gold.
#[derive(Args)]
pub(crate) struct Comparison {
    /// Unit of comparison: char, word, w (Python's \w+), ws, jieba, scalar or cleaneval [default: char]
    #[arg(long, value_name = "KIND")]
    pub tokens: Option<TokenKind>,
    /// Letter case: keep, or fold or lower to ignore it [default: keep]
    #[arg(long, value_name = "CASE")]
    pub case: Option<Case>,
    /// How texts are compared: MEASURE, or 'MEASURE TOKENS CASE'. Several, separated by commas, are scored in one go. `carat
    /// list measures` describes them [default: lcs]
    #[arg(long, value_name = "MEASURE", value_delimiter = ',')]
    pub measure: Vec<String>,
}

/// What loading a dataset may do.
#[derive(Args)]
pub(crate) struct DatasetLoading {
    /// Leave out pages that violate the dataset format, such as a missing file; list them and go on
    #[arg(long)]
    pub keep_going: bool,
    #[command(flatten)]
    pub trust: Trust,
}

impl DatasetLoading {
    /// The same for the library.
    pub(crate) fn options(&self) -> Loading {
        Loading { keep_going: self.keep_going, gold_outside: self.trust.gold_outside, checked_later: false }
    }
}

/// How far a dataset is trusted.
#[derive(Args)]
pub(crate) struct Trust {
    /// Allow the dataset's gold_folder to be outside its folder; only for datasets that you trust, because it may name any
    /// folder that you can read
    #[arg(long)]
    pub gold_outside: bool,
}

/// How a result is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people; may change between versions.
    Text,
    /// For programs.
    Json,
}

/// How tables are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For a terminal.
    Text,
    /// Markdown.
    Md,
    /// LaTeX; the first line of each table names the packages.
    Latex,
    /// CSV.
    Csv,
    /// Everything, for programs.
    Json,
}

/// Arguments of `carat completions`.
#[derive(Args)]
pub(crate) struct Completions {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// Arguments of `carat man`.
#[derive(Args)]
pub(crate) struct Man {
    /// Output folder: carat.1 and one page per command
    pub folder: PathBuf,
}
