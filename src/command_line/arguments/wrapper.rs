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
    /// Try the tests of a rules file on the pages that they name
    #[command(after_long_help = CHECK_EXAMPLES)]
    Check(WrapperCheck),
    /// Learn a template of each site from the gold of its pages, as a rules file to go on from
    #[command(after_long_help = LEARN_EXAMPLES)]
    Learn(WrapperLearn),
}

const CHECK_EXAMPLES: &str = "\
Examples:
  carat wrapper check examples/wrapper/portals.yaml --dataset portals
  carat run --dataset portals --algorithm wrapper:rules=examples/wrapper/portals.yaml     what the rules are worth

Exit code 1 where a test fails. docs/wrappers.md describes the file.";

/// Arguments of `carat wrapper check`.
#[derive(Args)]
pub(crate) struct WrapperCheck {
    /// The rules
    pub rules: PathBuf,
    /// Where the pages are: a name, FORMAT:PATH, or a folder; may be given several times
    #[arg(long, value_name = "NAME|FORMAT:PATH|FOLDER", required = true)]
    pub dataset: Vec<String>,
    #[command(flatten)]
    pub trust: Trust,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

const LEARN_EXAMPLES: &str = "\
Examples:
  carat wrapper learn portals > rules.yaml
  carat wrapper learn ./my-pages --fallback cevc --out rules.yaml
  carat run --dataset portals --algorithm wrapper:learn=true      what such rules are worth on pages not learned from";

/// Arguments of `carat wrapper learn`.
#[derive(Args)]
pub(crate) struct WrapperLearn {
    /// Pages with gold: a name, FORMAT:PATH, or a folder
    #[arg(value_name = "NAME|FORMAT:PATH|FOLDER")]
    pub dataset: String,
    /// How it is learned, as behind `wrapper:learn=true,` in runs, such as exclusion=subtracted,train_pages=5
    #[arg(long, value_name = "PARAMETER=VALUE,...")]
    pub parameters: Option<String>,
    /// What the file says of pages that no rule decides: an algorithm, or none
    #[arg(long, value_name = "ALGORITHM", default_value = DEFAULT_FALLBACK)]
    pub fallback: String,
    #[command(flatten)]
    pub loading: DatasetLoading,
    /// The file to write [default: stdout]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Threads [default: one a processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}
