//! The command line's grammar and its help, which teaches by example.

mod dataset;
mod explain;
mod external;
mod judge;
mod list;
mod page;
mod report;
mod reproduce;
mod run;
mod wrapper;

use std::path::PathBuf;

use crate::datasets::load::Loading;
use crate::scoring::Measure;
use crate::text::tokens::{Case, TokenKind};
use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use self::dataset::{Annotate, Check, Dataset, DatasetCommand, Export, Import, Pull, Synth};
use self::explain::EXPLAIN_EXAMPLES;
pub(crate) use self::explain::Explain;
pub(crate) use self::external::{External, ExternalCheck, ExternalCommand};
use self::judge::{GATE_EXAMPLES, TUNE_EXAMPLES};
pub(crate) use self::judge::{Gate, Tune, VerdictFormat, When};
use self::list::LIST_EXAMPLES;
pub(crate) use self::list::{List, Listed};
use self::page::{EXTRACT_EXAMPLES, SCORE_EXAMPLES};
pub(crate) use self::page::{Extract, Score};
use self::report::{COMPARE_EXAMPLES, DIFF_EXAMPLES, REPORT_EXAMPLES};
pub(crate) use self::report::{Colour, Compare, Corrected, Diff, Form, Report, ScorePart};
use self::reproduce::REPRODUCE_EXAMPLES;
pub(crate) use self::reproduce::{PaperName, Reproduce};
use self::run::RUN_EXAMPLES;
pub(crate) use self::run::Run;
pub(crate) use self::wrapper::{Wrapper, WrapperCheck, WrapperCommand, WrapperLearn};

/// Measure how well algorithms find the content of web pages.
#[derive(Parser)]
#[command(name = "carat", version = version(), about, after_help = EXIT_CODES, after_long_help = EXAMPLES, max_term_width = 120)]
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

const EXIT_CODES: &str = "Exit codes: 0 done, 1 a check failed or the gate fell, 2 the request is wrong, 3 the data is wrong, 4 the system is in the way, \
                          5 a defect of carat, 130 interrupted.";

const EXAMPLES: &str = "\
Examples:
  carat run                                          the papers' sweeps on the embedded pages
  carat run --dataset ./my-pages --algorithm nta     my own pages: html/NAME.html with gold/NAME.txt
  carat extract page.html --algorithm cevc           what an algorithm takes for content
  carat score extraction.txt gold.txt                precision, recall and F1 of two texts
  carat compare reports/default                      which rows are better, and which only seem so
  carat gate configs/gate.yaml --baseline reports/baseline.json      whether anything got worse
  carat tune configs/tune.yaml                       thresholds, and what they are worth elsewhere
  carat reproduce cevc                               a paper's experiment; which claims hold here
  carat list algorithms nta                          an algorithm's parameters and worked examples

Exit codes: 0 done, 1 a check failed or the gate fell, 2 the request is wrong, 3 the data is wrong, 4 the system is in the way, \
5 a defect of carat, 130 interrupted.";

/// The commands.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run algorithms over datasets, score them, and draw the curves
    #[command(after_long_help = RUN_EXAMPLES)]
    Run(Run),
    /// Print what an algorithm takes for the content of one page
    #[command(after_long_help = EXTRACT_EXAMPLES)]
    Extract(Extract),
    /// Score an extraction against a gold text
    #[command(after_long_help = SCORE_EXAMPLES)]
    Score(Score),
    /// Make the tables and figures of a run again
    #[command(after_long_help = REPORT_EXAMPLES)]
    Report(Report),
    /// Say what the differences between rows are worth, of one run or several
    #[command(after_long_help = COMPARE_EXAMPLES)]
    Compare(Compare),
    /// Show what an extraction of a run lacks of a page's gold, and has beyond it
    #[command(after_long_help = DIFF_EXAMPLES)]
    Diff(Diff),
    /// Say why an algorithm chose what it chose of a page: its numbers, node by node
    #[command(after_long_help = EXPLAIN_EXAMPLES)]
    Explain(Explain),
    /// Fail where a run is worse than the baseline that was accepted: the regression check for CI
    #[command(after_long_help = GATE_EXAMPLES)]
    Gate(Gate),
    /// Choose the values of swept parameters, and say what the choice is worth on pages of other sites
    #[command(after_long_help = TUNE_EXAMPLES)]
    Tune(Tune),
    /// Run the papers' experiments, and say which of their claims hold on the pages at hand
    #[command(after_long_help = REPRODUCE_EXAMPLES)]
    Reproduce(Reproduce),
    /// List algorithms, datasets, measures, importers, or the entries of a stop list
    #[command(after_long_help = LIST_EXAMPLES)]
    List(List),
    /// Import, export, check and make datasets
    Dataset(Dataset),
    /// Try external programs out
    External(External),
    /// Try rules of sites out, or learn them from gold
    Wrapper(Wrapper),
    /// Print a completion script for a shell
    Completions(Completions),
    /// Write the manual pages into a folder
    Man(Man),
}

/// How an extraction is compared with the gold.
#[derive(Args)]
pub(crate) struct Comparison {
    /// What a token is: char, word or w [default: char]
    #[arg(long, value_name = "KIND")]
    pub tokens: Option<TokenKind>,
    /// keep or fold (Unicode full case folding) [default: keep]
    #[arg(long, value_name = "CASE")]
    pub case: Option<Case>,
    /// lcs, shingle4, bag, nodes or snippets [default: lcs]
    #[arg(long, value_name = "MEASURE")]
    pub measure: Option<Measure>,
}

/// What loading a dataset may do.
#[derive(Args)]
pub(crate) struct DatasetLoading {
    /// Leave out pages with faults of the dataset format, list the faults, and go on
    #[arg(long)]
    pub keep_going: bool,
    #[command(flatten)]
    pub trust: Trust,
}

impl DatasetLoading {
    /// The same for the library.
    pub(crate) fn options(&self) -> Loading {
        Loading { keep_going: self.keep_going, gold_outside: self.trust.gold_outside }
    }
}

/// How far a dataset is trusted.
#[derive(Args)]
pub(crate) struct Trust {
    /// Let the dataset's gold_folder lead out of its folder
    #[arg(long)]
    pub gold_outside: bool,
}

/// How a result is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people; may change.
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
    /// LaTeX, with the package booktabs.
    Latex,
    /// CSV.
    Csv,
    /// All there is.
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
    /// The folder to write carat.1 and a page a command into
    pub folder: PathBuf,
}
