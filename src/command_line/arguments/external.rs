//! Arguments of the commands on external programs.

use crate::runs::configuration::Seconds;
use crate::structure::TextKind;
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
    /// Act as a worker that starts a program for each page, with HTML on its stdin and the text on its stdout
    #[command(after_long_help = PER_PAGE_EXAMPLES)]
    PerPage(ExternalPerPage),
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

const PER_PAGE_EXAMPLES: &str = "\
Examples:
  carat run --external 'carat external per-page --version 3.1 -- pandoc -f html -t plain'
  carat run --external 'carat external per-page --version 7 --reply markdown -- ./my-tool'

`carat run` starts this command and sends it the pages. The program is started
once per page. It reads and writes UTF-8, and finds the page's address in the
variable PAGE_URL. A page fails if the program ends with another exit code
than 0.";

/// Arguments of `carat external per-page`.
#[derive(Args)]
pub(crate) struct ExternalPerPage {
    /// Version of the program, which every score is signed with
    #[arg(long, value_name = "TEXT")]
    pub version: String,
    /// Name of the program's rows [default: the name of its file]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Form of the program's output: text, markdown or html
    #[arg(long, value_name = "KIND", default_value_t = TextKind::Text)]
    pub reply: TextKind,
    /// Command of the program
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    pub program: Vec<String>,
}
