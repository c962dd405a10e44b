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
    /// Try a worker out on pages that workers stumble over, and say what it does wrong
    #[command(after_long_help = CHECK_EXAMPLES)]
    Check(ExternalCheck),
}

const CHECK_EXAMPLES: &str = "\
Examples:
  carat external check -- python3 examples/external/trafilatura.py
  carat external check --timeout 5 -- ./my-extractor --worker

Exit code 1 where the worker does something wrong. docs/external.md describes the protocol.";

/// Arguments of `carat external check`.
#[derive(Args)]
pub(crate) struct ExternalCheck {
    /// Seconds that a page may take
    #[arg(long, value_name = "SECONDS", default_value = "30")]
    pub timeout: Seconds,
    /// Seconds until the worker's hello
    #[arg(long, value_name = "SECONDS", default_value = "60")]
    pub start_timeout: Seconds,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// The worker's command
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub worker: Vec<String>,
}
