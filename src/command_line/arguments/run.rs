//! Arguments of the command that runs.

use std::path::PathBuf;

use clap::Args;

use super::{Comparison, DatasetLoading, Format};

pub(super) const RUN_EXAMPLES: &str = "\
Examples:
  carat run                                   the default run, into reports/default
  carat run configs/figures-core.yaml         a configuration file
  carat run --dataset daniel:corpora/daniel --algorithm all-text --algorithm nta --tokens word
  carat run --dataset ./my-pages --algorithm 'cevc:alpha=exact' --where language=zh
  carat run --dataset ./my-pages --algorithm 'nta:coherence=0.9|1.0,density=0.3..0.6/0.1'
  carat run --dataset article-extraction-benchmark --stored all --measure shingle4 --tokens w
  carat run --dataset ./my-pages --algorithm combine:members=nta+cevc+cetd,rule=majority
  carat run --dataset ./my-pages --external 'python3 examples/external/trafilatura.py'

A parameter is a value, several values (a|b), a range (from..to/step, exact decimals), or `exact`: every value at \
which the result can change, and one between each two. Several swept parameters multiply.

A run that was cut, by Ctrl-C or otherwise, goes on from the last whole page when the same command is given again.

Without CONFIG, --dataset, --algorithm, --stored and --external the default run is made. These replace the \
configuration's lists, the other options its values. --stored or --external alone scores no algorithm of carat's. \
docs/external.md tells how a program of your own is asked.";

/// Arguments of `carat run`.
#[derive(Args)]
pub(crate) struct Run {
    /// A configuration file (YAML)
    pub config: Option<PathBuf>,
    /// A dataset: a name, FORMAT:PATH, or a folder (may be given several times)
    #[arg(long, value_name = "NAME|FORMAT:PATH|FOLDER")]
    pub dataset: Vec<String>,
    /// An option of the importers of these datasets, as `language=zh`; `carat list importers folder` tells them (may be
    /// given several times)
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "dataset")]
    pub set: Vec<String>,
    /// Only pages with this value of id, site, language, kind, group, split or host
    #[arg(long = "where", value_name = "KEY=VALUE")]
    pub filters: Vec<String>,
    /// Only pages of this split: one that the page list names, or one that is drawn, as site:20% or page:20%, with
    /// :rest for the others and :seed=N for another draw
    #[arg(long, value_name = "NAME|site:N%[:rest][:seed=N]")]
    pub split: Option<String>,
    /// Leave out pages with one of these known faults
    #[arg(long, value_name = "FAULTS", value_delimiter = ',')]
    pub without_faults: Vec<String>,
    #[command(flatten)]
    pub loading: DatasetLoading,
    /// An algorithm with its parameters (may be given several times)
    #[arg(long, value_name = "NAME[:PARAMETER=VALUES,..]")]
    pub algorithm: Vec<String>,
    /// Another program's stored outputs: a system's name, a file or folder, or `all` (may be given several times)
    #[arg(long, value_name = "NAME|PATH|all")]
    pub stored: Vec<String>,
    /// Bounds beside the rows: oracle-sweep, oracle-member, oracle-subtree, oracle-nodes, or none [default: all of them
    /// where an algorithm is run]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub bounds: Vec<String>,
    /// Another program that is asked for each page: its command, or `{command: [..], parameters: {..}, ..}` (may be given
    /// several times)
    #[arg(long, value_name = "COMMAND|{..}")]
    pub external: Vec<String>,
    /// Ask external programs for every page again, and keep nothing of what they say
    #[arg(long)]
    pub no_cache: bool,
    #[command(flatten)]
    pub comparison: Comparison,
    /// The run's folder [default: reports/NAME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Threads [default: one a processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Replace what is in the run's folder
    #[arg(long)]
    pub fresh: bool,
    /// Do not store the extracted texts in the run's folder
    #[arg(long)]
    pub no_texts: bool,
    /// Time every algorithm on every page, one after the other, into times.csv and the report
    #[arg(long)]
    pub time: bool,
    /// End with exit code 3 if a page failed
    #[arg(long)]
    pub strict: bool,
    /// Print what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}
