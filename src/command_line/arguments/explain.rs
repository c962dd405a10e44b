//! Arguments of `carat explain`.

use std::path::PathBuf;

use crate::report::language::Language;
use clap::Args;

use super::{DatasetLoading, Format};

pub(super) const EXPLAIN_EXAMPLES: &str = "\
Examples:
  carat explain portals en-news-1-0001 --algorithm nta
  carat explain reports/default en-news-1-0001 --algorithm cevc:alpha=0.8     a page of a run, scored as there
  carat explain page.html --algorithm relevance --all                         every node, not only those judged
  carat explain portals en-news-1-0001 --algorithm nta --html nta.html        the page's structure, and a slider
  carat explain portals en-news-1-0001 --algorithm istm --format json
  carat explain portals en-news-1-0001 --algorithm wrapper:learn=true         a template learned from its site

A page of a dataset is named by its id or the beginning of it. Numbers are those that were compared, exactly.";

/// Arguments of `carat explain`.
#[derive(Args)]
pub(crate) struct Explain {
    /// A run's folder, a dataset (a name, FORMAT:PATH or a folder), or an HTML file
    #[arg(value_name = "RUN|DATASET|FILE")]
    pub source: String,
    /// The page's id, or enough of its beginning; none for a file
    pub page: Option<String>,
    /// The algorithm, wrapper or fiasco-lite, with single values of its parameters
    #[arg(long, value_name = "NAME[:PARAMETER=VALUE,..]")]
    pub algorithm: String,
    /// The page's dataset, where several of a run have such a page
    #[arg(long, value_name = "NAME")]
    pub dataset: Option<String>,
    #[command(flatten)]
    pub loading: DatasetLoading,
    /// A file's encoding, if it is known better than the file says
    #[arg(long, value_name = "LABEL")]
    pub encoding: Option<String>,
    /// The language of a file's content (BCP 47), which decides the stop list
    #[arg(long, value_name = "TAG")]
    pub language: Option<String>,
    /// Show every node
    #[arg(long)]
    pub all: bool,
    /// Write a page here, with a slider over what can be swept, and print nothing
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// The language of the explanation, which --format json is not written in: en or zh
    #[arg(long, value_name = "LANGUAGE", default_value_t = Language::English)]
    pub lang: Language,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}
