//! Arguments of the command that runs.

use std::path::PathBuf;

use clap::Args;

use super::{Comparison, DatasetLoading, Format};

pub(super) const RUN_EXAMPLES: &str = "\
Examples:
  # The papers' thresholds on the embedded pages, into reports/default
  carat run
  # Your own pages: my-pages/html/NAME.html with my-pages/gold/NAME.txt
  carat run --dataset ./my-pages --algorithm nta --algorithm cevc
  # Several values of a parameter: a list, a range, or every value that matters
  carat run --dataset ./my-pages --algorithm 'nta:coherence=0.9|1.0'
  carat run --dataset ./my-pages --algorithm 'nta:density=0.3..0.6/0.1'
  carat run --dataset ./my-pages --algorithm cevc:alpha=exact
  # Your own program beside an algorithm
  carat run --dataset ./my-pages --algorithm nta --external 'python3 worker.py'
  # Texts that other programs extracted earlier
  carat run --dataset ./my-pages --stored ./outputs
  # A configuration file
  carat run configs/figures-core.yaml
  # An ensemble
  carat run --algorithm combine:members=nta+cevc+cetd,rule=majority

Values of a parameter: one value, several (a|b), a range (FROM..TO/STEP), or
`exact`. `exact` tries every value at which the result can change. Several swept
parameters multiply.

Without CONFIG, --dataset, --algorithm, --stored and --external, carat makes the
default run. With a CONFIG, these options replace its lists, and the other
options replace its values.

You can interrupt a run. The same command continues after the last finished
page.";

/// Headings of the help.
const PAGES: &str = "Pages";
const SYSTEMS: &str = "Algorithms and programs";

/// Arguments of `carat run`.
#[derive(Args)]
pub(crate) struct Run {
    /// Configuration file (YAML)
    pub config: Option<PathBuf>,
    /// Dataset: a name, FORMAT:PATH or a folder (repeatable)
    #[arg(long, help_heading = PAGES, value_name = "NAME|FORMAT:PATH|FOLDER")]
    pub dataset: Vec<String>,
    /// Importer option for these datasets, such as language=zh; `carat list importers folder` lists them (repeatable)
    #[arg(long = "set", help_heading = PAGES, value_name = "KEY=VALUE", requires = "dataset")]
    pub set: Vec<String>,
    /// Use only pages with this id, site, language, kind, group, split or host (repeatable)
    #[arg(long = "where", help_heading = PAGES, value_name = "KEY=VALUE")]
    pub filters: Vec<String>,
    /// Use only this split: a name from the page list, or a random one such as site:20% or page:20%. Append :rest for the
    /// remaining pages and :seed=N for another draw
    #[arg(long, help_heading = PAGES, value_name = "NAME|site:N%[:rest][:seed=N]")]
    pub split: Option<String>,
    /// Leave out pages that are marked with one of these faults
    #[arg(long, help_heading = PAGES, value_name = "FAULTS", value_delimiter = ',')]
    pub without_faults: Vec<String>,
    #[command(flatten)]
    pub loading: DatasetLoading,
    /// Algorithm, with parameters (repeatable)
    #[arg(long, help_heading = SYSTEMS, value_name = "NAME[:PARAMETER=VALUES,..]")]
    pub algorithm: Vec<String>,
    /// Stored outputs of another program: a system's name, a file, a folder, or `all` (repeatable)
    #[arg(long, help_heading = SYSTEMS, value_name = "NAME|PATH|all")]
    pub stored: Vec<String>,
    /// Bounds to add: oracle-sweep, oracle-member, oracle-subtree, oracle-nodes, or none [default: all, if an algorithm is
    /// run]
    #[arg(long, help_heading = SYSTEMS, value_name = "NAMES", value_delimiter = ',')]
    pub bounds: Vec<String>,
    /// Your own program, called for each page: its command, or `{command: [..], parameters: {..}, ..}` (repeatable)
    #[arg(long, help_heading = SYSTEMS, value_name = "COMMAND|{..}")]
    pub external: Vec<String>,
    /// Call external programs for every page again, and do not cache their replies
    #[arg(long, help_heading = SYSTEMS)]
    pub no_cache: bool,
    #[command(flatten)]
    pub comparison: Comparison,
    /// Folder of the run [default: reports/NAME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Number of threads [default: one per processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Discard an earlier run in that folder
    #[arg(long)]
    pub fresh: bool,
    /// Do not store the extracted texts
    #[arg(long)]
    pub no_texts: bool,
    /// Also measure the time of every algorithm on every page (times.csv and the report)
    #[arg(long)]
    pub time: bool,
    /// Exit with code 3 if any page failed
    #[arg(long)]
    pub strict: bool,
    /// Print the plan and stop
    #[arg(long)]
    pub dry_run: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}
