//! Arguments of the commands that show what a run came to.

use std::path::{Path, PathBuf};

use crate::report::language::Language;
use crate::report::{MOST_PAGES, language_in};
use clap::{Args, ValueEnum};

use super::{Format, ReportFormat};

pub(super) const REPORT_EXAMPLES: &str = "\
Examples:
  # Print the table; write tables/, figures/ and index.html again
  carat report reports/default
  # With confidence intervals, and letters for rows that cannot be told apart
  carat report reports/default --stats
  # All of it in Chinese
  carat report reports/default --lang zh
  # One table per site, language, kind, group or split, also without gold
  carat report reports/default --by language
  # For a document
  carat report reports/default --stats --format latex
  # One page for a pull request, with the changes since another run
  carat report reports/default --format pr --baseline reports/before";

/// Arguments of `carat report`.
#[derive(Args)]
pub(crate) struct Report {
    /// Folder of a run
    pub run: PathBuf,
    /// Print means for each site, language, kind, group or split instead of the table of rows; for pages without gold the
    /// text that each system keeps, and how far every two agree
    #[arg(long, value_name = "KEY", value_parser = crate::report::groups::KEYS)]
    pub by: Option<String>,
    /// Add confidence intervals, ranks and letters
    #[arg(long, conflicts_with = "by")]
    pub stats: bool,
    /// Language of everything that is printed and written, except CSV and JSON: en or zh [default: that of the report in
    /// the folder, and en where there is none]
    #[arg(long, value_name = "LANGUAGE")]
    pub lang: Option<Language>,
    /// Number of pages that have a file of their own in the report. carat takes them in turn from four lists: pages that
    /// failed, pages on which systems agree least, pages on which rows differ most, pages on which the best row is worst.
    /// `carat diff` shows every page
    #[arg(long, value_name = "N", default_value_t = MOST_PAGES)]
    pub report_pages: usize,
    /// Output format
    #[arg(long, value_enum, default_value_t = Form::Text)]
    pub format: Form,
    /// Folder of an earlier run under the same conditions, to print the changes since (with --format pr)
    #[arg(long, value_name = "RUN")]
    pub baseline: Option<PathBuf>,
    /// Write what would be printed to this file (not with --format html)
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// How the table of a report is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
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
    /// Only the path of index.html.
    Html,
    /// One page of Markdown for a pull request.
    Pr,
}

/// The language of what is printed of a run.
#[derive(Args)]
pub(crate) struct SpokenLanguage {
    /// Language of what is printed, except CSV and JSON: en or zh [default: that of the run's report]
    #[arg(long, value_name = "LANGUAGE")]
    pub lang: Option<Language>,
}

impl SpokenLanguage {
    /// The language that is asked for, or that of the report in the folder of `run`.
    pub(crate) fn of(&self, run: &Path) -> Language {
        self.lang.unwrap_or_else(|| language_in(run))
    }
}

pub(super) const COMPARE_EXAMPLES: &str = "\
Examples:
  # Every row against the best one
  carat compare reports/default
  # Two rows
  carat compare reports/x --row trafilatura --row nta
  # Every row against one that you chose beforehand
  carat compare reports/x --reference nta:coherence=0.9
  # Two runs
  carat compare reports/a reports/b --row a/nta --row b/nta
  # All pairs, for a spreadsheet
  carat compare reports/x --pairs --format csv

Rows are compared on the pages that all of them have. Intervals resample sites,
because pages of one site are alike. The test flips the signs of site
differences and is corrected for the number of tests. The verdict is
  better, worse   the corrected p-value is at most 0.05
  same            otherwise, if the whole interval is within 0.005 of zero; with
                  fewer than 6 sites only if no page differs
  not separable   otherwise
If you compare several runs, RUN/ before a row is the name of the run's folder.
Rows that share a letter are not separable. docs/methods/statistics.md has the
formulas.";

/// Arguments of `carat compare`.
#[derive(Args)]
pub(crate) struct Compare {
    /// Folders of runs under the same conditions
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Only rows of this algorithm or system, with these values (repeatable); a whole name as tables print it, such as 'nta
    /// coherence=0.9', means that row alone
    #[arg(long = "row", value_name = "[RUN/]NAME[:PARAMETER=VALUES,..]")]
    pub rows: Vec<String>,
    /// Row to compare the others with [default: the best]
    #[arg(long, value_name = "[RUN/]NAME[:PARAMETER=VALUE,..]")]
    pub reference: Option<String>,
    /// List the pages on which this row is furthest behind the best other row
    #[arg(long, value_name = "[RUN/]NAME[:PARAMETER=VALUE,..]")]
    pub where_loses: Option<String>,
    /// Only this dataset (repeatable)
    #[arg(long = "dataset", value_name = "NAME")]
    pub datasets: Vec<String>,
    /// Score to compare: the mean over pages (macro)
    #[arg(long, value_enum, default_value_t = ScorePart::F1)]
    pub score: ScorePart,
    /// Correction for the number of tests
    #[arg(long, value_enum, default_value_t = Corrected::Holm)]
    pub correction: Corrected,
    /// Compare all pairs of rows, not only those with the reference
    #[arg(long)]
    pub pairs: bool,
    /// Number of pages to list, those that differ most first
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub pages: usize,
    #[command(flatten)]
    pub language: SpokenLanguage,
    /// Seed of the random resamples and sign flips; another seed changes intervals and p-values slightly
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Number of bootstrap resamples of sites
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    pub resamples: u32,
    /// Number of random sign flips, if more than 20 sites differ; for fewer all flips are tried
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1000..=10_000_000))]
    pub flips: u32,
    /// Output format
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
}

/// A score of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScorePart {
    /// Precision.
    Precision,
    /// Recall.
    Recall,
    /// F1.
    F1,
}

/// How tests are corrected for their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Corrected {
    /// Holm: at most 5 % chance of any false difference.
    Holm,
    /// Benjamini-Hochberg: on average at most 5 % of the reported differences are false.
    Fdr,
}

pub(super) const DIFF_EXAMPLES: &str = "\
Examples:
  # The scores of all rows on a page
  carat diff reports/default en-news-1-0001
  # What nta missed, and what it should have left out
  carat diff reports/default en-news-1-0001 --algorithm nta
  # Two rows against each other
  carat diff reports/default en-news-1-0001 --a nta --b cevc
  # Gold on the left, extraction on the right
  carat diff reports/x 1a2b --algorithm cevc:alpha=0.5 --side-by-side
  # The pages from which a row has another text than in an earlier run
  carat diff reports/new --before reports/old
  # The text of a row in an earlier run, and what is other in it now
  carat diff reports/new 1a2b --before reports/old --algorithm nta
  # In a pager, with colours
  carat diff reports/x 1a2b --algorithm nta --color always | less -R

A page is named by its id or a unique beginning of it. Words are aligned by an
exact longest common subsequence; each Han character is a word. The scores are
those of the run.";

/// Arguments of `carat diff`.
#[derive(Args)]
pub(crate) struct Diff {
    /// Folder of a run
    pub run: PathBuf,
    /// Page id, or a unique beginning of it; without one, --before lists the pages whose text is another
    pub page: Option<String>,
    /// Dataset of the page, if several have such a page
    #[arg(long, value_name = "NAME")]
    pub dataset: Option<String>,
    /// Show the text of every row of this algorithm or system with these values (repeatable) [default: only the scores]
    #[arg(long, value_name = "NAME[:PARAMETER=VALUES,..]")]
    pub algorithm: Vec<String>,
    /// Compare the text of this row, such as cevc:alpha=0.5, with that of --b instead of the gold
    #[arg(long, value_name = "ROW", conflicts_with = "algorithm")]
    pub a: Option<String>,
    /// Row to compare --a with
    #[arg(long, value_name = "ROW", conflicts_with = "algorithm")]
    pub b: Option<String>,
    /// Compare the text with that of the same row in this earlier run instead of the gold [without --algorithm: lists the
    /// rows whose text is another]
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["a", "b"])]
    pub before: Option<PathBuf>,
    /// Number of equal lines to print around each difference
    #[arg(long, value_name = "LINES", default_value_t = 2)]
    pub context: usize,
    /// Print two columns: gold on the left, extraction on the right
    #[arg(long)]
    pub side_by_side: bool,
    /// Mark missing and surplus text by colours
    #[arg(long = "color", value_enum, value_name = "WHEN", default_value_t = Colour::Auto)]
    pub colour: Colour,
    #[command(flatten)]
    pub language: SpokenLanguage,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never: [-missing-] and {+surplus+}.
    Never,
}
