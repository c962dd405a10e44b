//! Arguments of the commands that show what a run came to.

use std::path::PathBuf;

use crate::report::language::Language;
use clap::{Args, ValueEnum};

use super::{Format, ReportFormat};

pub(super) const REPORT_EXAMPLES: &str = "\
Examples:
  carat report reports/default                 tables/, figures/ and index.html, and the table
  carat report reports/default --lang zh       all of it in Chinese
  carat report reports/default --format md     the table as Markdown
  carat report reports/default --by language   the same by language
  carat report reports/default --stats         with intervals, and letters of rows not separated
  carat report reports/default --stats --format latex
  carat report reports/default --format pr --baseline reports/before     a page for a pull request";

/// Arguments of `carat report`.
#[derive(Args)]
pub(crate) struct Report {
    /// A run's folder
    pub run: PathBuf,
    /// The table by site, language, kind, group or split instead
    #[arg(long, value_name = "KEY", value_parser = crate::report::groups::KEYS)]
    pub by: Option<String>,
    /// With intervals, and letters that rows share which are not separated
    #[arg(long, conflicts_with = "by")]
    pub stats: bool,
    /// The language of the tables, figures and index.html, and of what is printed: en or zh
    #[arg(long, value_name = "LANGUAGE", default_value_t = Language::English)]
    pub lang: Language,
    /// How to print the table
    #[arg(long, value_enum, default_value_t = Form::Text)]
    pub format: Form,
    /// An earlier run under equal conditions, for the changes since (--format pr)
    #[arg(long, value_name = "RUN")]
    pub baseline: Option<PathBuf>,
    /// Write what would be printed to this file
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
    /// LaTeX, with the package booktabs.
    Latex,
    /// CSV.
    Csv,
    /// All there is.
    Json,
    /// Where index.html was made.
    Html,
    /// A page of Markdown for a pull request: conditions, rows with intervals and letters, and with --baseline what changed.
    Pr,
}

pub(super) const COMPARE_EXAMPLES: &str = "\
Examples:
  carat compare reports/default                             every row against the best
  carat compare reports/x --row trafilatura --row nta       two of its rows
  carat compare reports/x --row 'nta:coherence=0.9|1.0'     rows by the values of their parameters
  carat compare reports/x --reference nta:coherence=0.9     every row against one that was named beforehand
  carat compare reports/before reports/after --row before/nta --row after/nta
  carat compare reports/x --pairs --format csv              each row with each, a line a pair

Rows are compared on the pages that all of them have. Sites, not pages, are drawn again for intervals and flipped for \
tests, for pages of a site are alike. A row is better or worse where the test by site, corrected for the number of \
tests, reaches 0.05; else the same where the whole interval lies within 0.005 of zero; else not separable. Rows that \
share a letter are not separated, all pairs being tested. docs/statistics.md has the formulas.";

/// Arguments of `carat compare`.
#[derive(Args)]
pub(crate) struct Compare {
    /// Folders of runs, made under equal conditions
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Only rows of this algorithm or stored system, and of these values (may be given several times)
    #[arg(long = "row", value_name = "[RUN/]NAME[:PARAMETER=VALUES,..]")]
    pub rows: Vec<String>,
    /// The row that others are held against [default: the best]
    #[arg(long, value_name = "[RUN/]NAME[:PARAMETER=VALUE,..]")]
    pub reference: Option<String>,
    /// Tell the pages on which this row is furthest behind the best other one
    #[arg(long, value_name = "[RUN/]NAME[:PARAMETER=VALUE,..]")]
    pub where_loses: Option<String>,
    /// Only this dataset (may be given several times)
    #[arg(long = "dataset", value_name = "NAME")]
    pub datasets: Vec<String>,
    /// Which score of a page to compare
    #[arg(long, value_enum, default_value_t = ScorePart::F1)]
    pub score: ScorePart,
    /// How tests are corrected for their number
    #[arg(long, value_enum, default_value_t = Corrected::Holm)]
    pub correction: Corrected,
    /// Tell each pair of rows, not only those with the reference
    #[arg(long)]
    pub pairs: bool,
    /// How many of the pages that differ most to tell
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub pages: usize,
    /// Where random numbers begin
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// How often sites are drawn again for intervals
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    pub resamples: u32,
    /// How often signs are flipped for tests of more than 20 sites
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1000..=10_000_000))]
    pub flips: u32,
    /// How to print the result
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
    /// By Holm: no false difference at all, 95 times of 100.
    Holm,
    /// By Benjamini and Hochberg: of the differences that are told, 95 % true; for sweeps.
    Fdr,
}

pub(super) const DIFF_EXAMPLES: &str = "\
Examples:
  carat diff reports/default en-news-1-0001                     the page's rows and their scores
  carat diff reports/default en-news-1-0001 --algorithm nta     what nta lacks and has too much
  carat diff reports/x 1a2b --algorithm cevc:alpha=0.5 --context 0 --side-by-side
  carat diff reports/x 1a2b --algorithm nta --algorithm cevc --color always | less -R

Words are aligned by an exact longest common subsequence, each Han character being a word; scores are those of the run, \
over its tokens. A page is named by its id or the beginning of it.";

/// Arguments of `carat diff`.
#[derive(Args)]
pub(crate) struct Diff {
    /// A run's folder
    pub run: PathBuf,
    /// The page's id, or enough of its beginning
    pub page: String,
    /// The page's dataset, where several have such a page
    #[arg(long, value_name = "NAME")]
    pub dataset: Option<String>,
    /// Rows of this algorithm or stored system, and of these values (may be given several times)
    #[arg(long, value_name = "NAME[:PARAMETER=VALUES,..]")]
    pub algorithm: Vec<String>,
    /// Lay this row's text over that of --b, and not over the gold
    #[arg(long, value_name = "ROW", conflicts_with = "algorithm")]
    pub a: Option<String>,
    /// The row that --a is held against
    #[arg(long, value_name = "ROW", conflicts_with = "algorithm")]
    pub b: Option<String>,
    /// Lines without a difference to show around those with one
    #[arg(long, value_name = "LINES", default_value_t = 2)]
    pub context: usize,
    /// Gold on the left, extraction on the right
    #[arg(long)]
    pub side_by_side: bool,
    /// Mark differences by colour
    #[arg(long = "color", value_enum, value_name = "WHEN", default_value_t = Colour::Auto)]
    pub colour: Colour,
    /// How to print the result
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
    /// Never: [-missing-] and {+excess+}.
    Never,
}
