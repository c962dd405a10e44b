//! Arguments of the commands on rules of sites.

use std::path::PathBuf;

use crate::runs::learned::DEFAULT_FALLBACK;
use clap::{Args, Subcommand};

use super::{DatasetLoading, Format, Trust};

/// Arguments of `carat wrapper`.
#[derive(Args)]
pub(crate) struct Wrapper {
    /// What to do.
    #[command(subcommand)]
    pub command: WrapperCommand,
}

/// Commands on rules of sites.
#[derive(Subcommand)]
pub(crate) enum WrapperCommand {
    /// Run the tests of a rules file
    #[command(after_long_help = CHECK_EXAMPLES)]
    Check(WrapperCheck),
    /// Learn rules for each site from the gold of its pages
    #[command(after_long_help = LEARN_EXAMPLES)]
    Learn(WrapperLearn),
}

const CHECK_EXAMPLES: &str = "\
Examples:
  carat wrapper check examples/wrapper/portals.yaml --dataset portals
  # The score of these rules
  carat run --algorithm wrapper:rules=examples/wrapper/portals.yaml

Exit code 1: a test failed. docs/reference/rules.md describes the file.";

/// Arguments of `carat wrapper check`.
#[derive(Args)]
pub(crate) struct WrapperCheck {
    /// Rules file
    pub rules: PathBuf,
    /// Dataset with the pages: a name, FORMAT:PATH or a folder (repeatable)
    #[arg(long, value_name = "NAME|FORMAT:PATH|FOLDER", required = true)]
    pub dataset: Vec<String>,
    #[command(flatten)]
    pub trust: Trust,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

const LEARN_EXAMPLES: &str = "\
Examples:
  carat wrapper learn portals > rules.yaml
  carat wrapper learn ./my-pages --fallback cevc --out rules.yaml
  # The score of such rules on pages that they were not learned from
  carat run --dataset portals --algorithm wrapper:learn=true";

/// Arguments of `carat wrapper learn`.
#[derive(Args)]
pub(crate) struct WrapperLearn {
    /// Dataset with gold: a name, FORMAT:PATH or a folder
    #[arg(value_name = "NAME|FORMAT:PATH|FOLDER")]
    pub dataset: String,
    /// Parameters of learning, such as exclusion=subtracted,train_pages=5; `carat list algorithms wrapper-learned` has all
    #[arg(long, value_name = "PARAMETER=VALUE,...")]
    pub parameters: Option<String>,
    /// Algorithm for pages that no rule covers; `none` extracts nothing from them
    #[arg(long, value_name = "ALGORITHM", default_value = DEFAULT_FALLBACK)]
    pub fallback: String,
    #[command(flatten)]
    pub loading: DatasetLoading,
    /// Output file [default: stdout]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Number of threads [default: one per processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}
