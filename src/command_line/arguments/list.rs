//! Arguments of the command that lists.

use clap::{Args, ValueEnum};

use super::Format;

pub(super) const LIST_EXAMPLES: &str = "\
Examples:
  carat list algorithms
  # Parameters with ranges and defaults, and worked examples
  carat list algorithms nta
  # The systems that the papers name, and the rows that stand for them
  carat list systems
  carat list systems istm
  carat list datasets portals
  # For an editor that completes and checks configurations
  carat list schemas configuration > configuration.schema.json
  carat list stopwords --language zh";

/// Arguments of `carat list`.
#[derive(Args)]
pub(crate) struct List {
    /// What to list
    #[arg(value_enum)]
    pub what: Listed,
    /// Name of one algorithm, dataset, system, measure, importer or schema, for its details
    pub name: Option<String>,
    /// Language of the stop list, such as zh; needed for stopwords
    #[arg(long, value_name = "TAG")]
    pub language: Option<String>,
    /// Stop list: iso (many languages) or small (zh and en, about 30 words each)
    #[arg(long, value_name = "LIST", default_value = "iso")]
    pub stop_list: String,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Listed {
    /// Algorithms and other rows that carat can run.
    Algorithms,
    /// Datasets: embedded, in CARAT_CORPORA, and in the catalogue.
    Datasets,
    /// Systems that the papers name, with the rows that stand for them.
    Systems,
    /// Measures by which extractions are scored.
    Measures,
    /// Dataset layouts that carat reads.
    Importers,
    /// JSON Schemas of configurations, datasets and run folders.
    Schemas,
    /// Entries of a stop list.
    Stopwords,
}
