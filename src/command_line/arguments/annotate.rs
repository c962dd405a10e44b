//! Arguments of `carat annotate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Format;

pub(super) const ANNOTATE_EXAMPLES: &str = "\
Examples:
  # Open the printed address, mark pages, end with Ctrl-C; the same command goes on
  carat annotate ./news --by li
  # A second annotator gets the same 30 pages, whoever asks
  carat annotate ./news --by wang --sample 30
  carat annotate ./news --agreement
  # Only what the two mark differently
  carat annotate ./news --by chen --adjudicate
  # The marks as gold into the page list
  carat annotate ./news --write

Marks are kept in DATASET/annotations/NAME.jsonl, one file per annotator. Nothing
else is written, but by --write. The server listens on 127.0.0.1 alone.

Exit code 1: the agreement is below --at-least.";

/// Arguments of `carat annotate`.
#[derive(Args)]
pub(crate) struct Marking {
    /// Folder of a dataset in carat's format
    #[arg(value_name = "FOLDER")]
    pub dataset: PathBuf,
    /// Show what two or more annotators mark differently, and decide it
    #[arg(long, group = "mode")]
    pub adjudicate: bool,
    /// Print how far each annotator is
    #[arg(long, group = "mode")]
    pub status: bool,
    /// Print how alike the annotators mark: kappa, F1 and alpha over characters
    #[arg(long, group = "mode")]
    pub agreement: bool,
    /// Write the marks of finished pages into the page lists, as gold
    #[arg(long, group = "mode")]
    pub write: bool,
    /// Name of the annotator: a-z, 0-9 and . _ - (--agreement takes several, separated by commas)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub by: Vec<String>,
    /// Language of the screen [default: that of the browser]
    #[arg(long, value_enum)]
    pub lang: Option<Language>,
    /// Port of 127.0.0.1; 0 takes any free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub port: u16,
    /// Seed of samples, of pages without a proposal, and of the sides of an adjudication
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Only this page (repeatable); gold that it has is proposed
    #[arg(long, value_name = "ID", conflicts_with_all = ["status", "agreement", "write"])]
    pub page: Vec<String>,
    /// Only pages whose id matches
    #[arg(long, value_name = "GLOB", conflicts_with_all = ["status", "agreement", "write"])]
    pub only: Option<String>,
    /// Only pages with this id, site, language, kind, group, split or host, such as group=random (repeatable)
    #[arg(long = "where", value_name = "KEY=VALUE", conflicts_with_all = ["status", "agreement", "write"])]
    pub filters: Vec<String>,
    /// Only so many pages, drawn by id and seed: a small sample is part of a larger one
    #[arg(long, value_name = "N")]
    pub sample: Option<usize>,
    /// Order of pages: sites (a site's pages together), random, or the folder of a run: pages on which its systems agree
    /// least come first
    #[arg(long, value_name = "ORDER", default_value = "sites")]
    pub order: String,
    /// Proposal for each page: none, sisters (your decisions on other pages of the site), vote, vote:A,B (the agreement of
    /// algorithms) or gold [default: sisters]
    #[arg(long, value_name = "KIND")]
    pub prefill: Option<String>,
    /// Share of pages that get no proposal, to measure its influence [default: 0.2 for a vote, else 0]
    #[arg(long, value_name = "SHARE")]
    pub blank: Option<f64>,
    /// Guidelines [default: FOLDER/annotations/guidelines.yaml, which is made if missing]
    #[arg(long, value_name = "FILE")]
    pub guidelines: Option<PathBuf>,
    /// --agreement: compare labels, not gold and the rest
    #[arg(long, requires = "agreement")]
    pub labels: bool,
    /// --agreement: fail if kappa (of more than two: alpha) is lower
    #[arg(long, value_name = "X", requires = "agreement")]
    pub at_least: Option<f64>,
    /// --agreement: output format
    #[arg(long, value_enum, default_value_t = Format::Text, requires = "agreement")]
    pub format: Format,
    /// --write: only the marks of this annotator
    #[arg(long, value_name = "NAME", requires = "write")]
    pub from: Option<String>,
    /// --write: rule for text on which three or more differ
    #[arg(long, value_enum, requires = "write")]
    pub resolve: Option<Resolve>,
    /// --write: take text marked unsure as gold or not; without it such pages are left
    #[arg(long, value_enum, requires = "write")]
    pub unsure: Option<Unsure>,
    /// --write: replace also gold from elsewhere, such as a text file, from which the marks did not start
    #[arg(long, requires = "write")]
    pub replace: bool,
}

/// A language of the screen.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Language {
    /// English
    En,
    /// Chinese
    Zh,
}

/// The rule for text on which annotators differ.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Resolve {
    /// The label of more than half of them, character by character
    Majority,
}

/// The treatment of text that is unsure.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Unsure {
    /// It is gold
    In,
    /// It is not
    Out,
}
