//! Arguments of the commands on external programs.

use crate::runs::configuration::Seconds;
use clap::{Args, Subcommand};

use super::Format;

/// Arguments of `carat external`.
#[derive(Args)]
pub(crate) struct External {
    /// What to do.
    #[command(subcommand)]
    pub command: ExternalCommand,
}

/// Commands on external programs.
#[derive(Subcommand)]
pub(crate) enum ExternalCommand {
    /// Test a worker on difficult pages and report what it does wrong
    #[command(after_long_help = CHECK_EXAMPLES)]
    Check(ExternalCheck),
}

const CHECK_EXAMPLES: &str = "\
Examples:
  carat external check -- python3 worker.py
  carat external check --timeout 5 -- ./my-extractor --worker
  carat external check -- '{command: [./my-extractor], env: {MODEL: small}}'

Exit code 1: the worker violates the protocol, which docs/reference/external.md
describes.";

/// Arguments of `carat external check`.
#[derive(Args)]
pub(crate) struct ExternalCheck {
    /// Time limit per page, in seconds [default: 30]
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<Seconds>,
    /// Time limit for the worker's hello, in seconds [default: 60]
    #[arg(long, value_name = "SECONDS")]
    pub start_timeout: Option<Seconds>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Command of the worker, in one argument as `--external` takes it, or in several
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    pub worker: Vec<String>,
}
