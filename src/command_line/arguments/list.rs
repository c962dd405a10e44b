//! Arguments of the command that lists.

use clap::{Args, ValueEnum};

use super::Format;

pub(super) const LIST_EXAMPLES: &str = "\
Examples:
  carat list algorithms            all of them, a line each
  carat list algorithms nta        its parameters, with ranges and defaults, and worked examples
  carat list systems               what the founding papers name, and which rows stand for it
  carat list systems istm          what one paper names, or what one algorithm stands for
  carat list datasets portals      what it holds
  carat list stopwords --language zh";

/// Arguments of `carat list`.
#[derive(Args)]
pub(crate) struct List {
    /// What to list
    #[arg(value_enum)]
    pub what: Listed,
    /// One of them, in full
    pub name: Option<String>,
    /// The stop list's language
    #[arg(long, value_name = "TAG")]
    pub language: Option<String>,
    /// The stop list: iso or small
    #[arg(long, value_name = "LIST", default_value = "iso")]
    pub stop_list: String,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Listed {
    /// What can be run.
    Algorithms,
    /// What it can be run on.
    Datasets,
    /// The systems that the founding papers name, each with what can be run for it.
    Systems,
    /// How extractions are scored.
    Measures,
    /// Layouts that can be read.
    Importers,
    /// The entries of a stop list.
    Stopwords,
}
