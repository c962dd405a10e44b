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

Exit code 1: the worker violates the protocol, which docs/reference/external.md
describes.";

/// Arguments of `carat external check`.
#[derive(Args)]
pub(crate) struct ExternalCheck {
    /// Time limit per page, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "30")]
    pub timeout: Seconds,
    /// Time limit for the worker's hello, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "60")]
    pub start_timeout: Seconds,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Command of the worker
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub worker: Vec<String>,
}
