//! Arguments of `carat explain`.

use std::path::PathBuf;

use crate::report::language::Language;
use clap::Args;

use super::{DatasetLoading, Format};

pub(super) const EXPLAIN_EXAMPLES: &str = "\
Examples:
  # A page of a dataset
  carat explain portals en-news-1-0001 --algorithm nta
  # A page of a run, with its score
  carat explain reports/default en-news-1-0001 --algorithm cevc:alpha=0.8
  # A file; every node, not only those about which something was decided
  carat explain page.html --algorithm relevance --all
  # An HTML page with a slider for the threshold
  carat explain portals en-news-1-0001 --algorithm nta --html nta.html

A page is named by its id or a unique beginning of it. The numbers are exactly
those that the algorithm compared.";

/// Arguments of `carat explain`.
#[derive(Args)]
pub(crate) struct Explain {
    /// Folder of a run, a dataset (a name, FORMAT:PATH or a folder), or an HTML file
    #[arg(value_name = "RUN|DATASET|FILE")]
    pub source: String,
    /// Page id, or a unique beginning of it; none for a file
    pub page: Option<String>,
    /// Algorithm with one value per parameter; also wrapper or fiasco-lite
    #[arg(long, value_name = "NAME[:PARAMETER=VALUE,..]")]
    pub algorithm: String,
    /// Dataset of the page, if several have such a page
    #[arg(long, value_name = "NAME")]
    pub dataset: Option<String>,
    #[command(flatten)]
    pub loading: DatasetLoading,
    /// Encoding of the file, if the file states a wrong one
    #[arg(long, value_name = "LABEL")]
    pub encoding: Option<String>,
    /// Language of the content of the file (BCP 47), which selects the stop list, or none [default: found in its text]; --lang is
    /// that of the output
    #[arg(long, value_name = "TAG")]
    pub language: Option<String>,
    /// Show every node, also those about which the algorithm decided nothing
    #[arg(long)]
    pub all: bool,
    /// Write an HTML page with a slider for each parameter that can be swept, instead of printing
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Language of the output, of the text and the HTML page: en or zh [default: that of the run's report, and en for a dataset
    /// or a file]
    #[arg(long, value_name = "LANGUAGE")]
    pub lang: Option<Language>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}
