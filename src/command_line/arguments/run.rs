//! Arguments of the command that runs.

use std::path::PathBuf;

use crate::report::MOST_PAGES;
use crate::report::language::Language;
use crate::runs::score_table::ScoreFiles;
use crate::runs::shards::Shard;
use clap::Args;

use super::{Comparison, DatasetLoading, Format};

pub(super) const RUN_EXAMPLES: &str = "\
Examples:
  # The papers' thresholds on the embedded pages, into reports/default
  carat run
  # Your own pages: my-pages/html/NAME.html with my-pages/gold/NAME.txt
  carat run --dataset ./my-pages --algorithm nta --algorithm cevc
  # Every algorithm at its defaults
  carat run --dataset ./my-pages --algorithm all
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
default run. With a CONFIG, options replace what it says:
  --dataset        its datasets
  --algorithm      its algorithms, ensembles and external programs
  --external       its external programs
  --stored         its stored outputs
  --bounds         its bounds
  --without-faults its faults
  --where          its filter of the same key
  --split, --tokens, --case, --measure   its value
--keep-going switches the key on.

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
    /// Option for reading every --dataset, such as language=zh (repeatable); `carat list importers folder` lists those
    /// of a folder
    #[arg(long = "set", help_heading = PAGES, value_name = "KEY=VALUE", requires = "dataset")]
    pub set: Vec<String>,
    /// Use only pages with this id, site, language, kind, group, split or host (repeatable)
    #[arg(long = "where", help_heading = PAGES, value_name = "KEY=VALUE")]
    pub filters: Vec<String>,
    /// Use only this split: a name from the page list such as test, or N % of the sites or pages, drawn at random.
    /// `:rest` takes the others, `:seed=N` draws again. Example: site:20%:rest:seed=7
    #[arg(long, help_heading = PAGES, value_name = "NAME|site:N%|page:N%")]
    pub split: Option<String>,
    /// Leave out pages that the page list marks with one of these faults, separated by commas: misdecoded, truncated,
    /// gold_not_in_page, gold_partial, gold_order, gold_empty, duplicate, near_duplicate, no_text, index_page
    #[arg(long, help_heading = PAGES, value_name = "FAULTS", value_delimiter = ',')]
    pub without_faults: Vec<String>,
    #[command(flatten)]
    pub loading: DatasetLoading,
    /// Algorithm, with parameters, or `all` algorithms at their defaults (repeatable)
    #[arg(long, help_heading = SYSTEMS, value_name = "NAME[:PARAMETER=VALUES,..]|all")]
    pub algorithm: Vec<String>,
    /// Texts that another program extracted earlier: a folder of ID.txt, a file, the name of a system whose texts are
    /// part of the dataset, or `all` such systems (repeatable)
    #[arg(long, help_heading = SYSTEMS, value_name = "NAME|PATH|all")]
    pub stored: Vec<String>,
    /// Only these bounds, separated by commas: oracle-sweep, oracle-member, oracle-subtree, oracle-nodes; or none
    /// [default: all, if an algorithm is run]
    #[arg(long, help_heading = SYSTEMS, value_name = "NAMES", value_delimiter = ',')]
    pub bounds: Vec<String>,
    /// Your own program, called for each page (repeatable): its command, or a mapping such as
    /// `{command: [python3, worker.py], timeout_s: 10}`. docs/reference/external.md has all keys
    #[arg(long, help_heading = SYSTEMS, value_name = "COMMAND|MAPPING")]
    pub external: Vec<String>,
    /// Ask external programs for every page again, also in a finished run; neither use nor store cached replies
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
    /// Run only the pages of part I of N, counted from 1; `carat merge` puts all parts together. No tables and no report
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
    /// Discard an earlier run in the folder of the run (--out) and start anew
    #[arg(long)]
    pub fresh: bool,
    /// Do not store the extracted texts; `carat diff` and the report then cannot show them
    #[arg(long)]
    pub no_texts: bool,
    #[command(flatten)]
    pub scores: Scores,
    /// Also measure times, in a second pass on one thread: one line per row in times.csv, and a figure
    #[arg(long)]
    pub time: bool,
    /// Number of pages that have a file of their own in the report. carat takes them in turn from four lists: pages that
    /// failed, pages on which systems agree least, pages on which rows differ most, pages on which the best row is worst.
    /// `carat diff` shows every page
    #[arg(long, value_name = "N", default_value_t = MOST_PAGES)]
    pub report_pages: usize,
    /// Exit with code 3 if any page failed in any row
    #[arg(long)]
    pub strict: bool,
    /// Print the plan and an estimate, and stop; it still starts external programs, to ask for their parameters
    #[arg(long)]
    pub dry_run: bool,
    /// Language of the report and of the printed table: en or zh; `carat report RUN --lang` writes it anew [default: that of the report in
    /// the folder, and en where there is none]
    #[arg(long, value_name = "LANGUAGE")]
    pub lang: Option<Language>,
    /// Format of what is printed; json: the content of summary.json. The files of the run are always the same
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// The option of the files of scores, which there is only if this program writes Parquet.
#[derive(Args)]
pub(crate) struct Scores {
    /// File of the scores per page and row: scores.csv, scores.parquet or both
    #[cfg(feature = "parquet")]
    #[arg(long, value_enum, default_value_t = ScoresFormat::Csv)]
    pub scores: ScoresFormat,
}

/// Formats of the scores per page and row.
#[cfg(feature = "parquet")]
#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum ScoresFormat {
    /// scores.csv
    Csv,
    /// scores.parquet
    Parquet,
    /// both
    Both,
}

impl Scores {
    /// The files that are asked for.
    pub(crate) fn files(&self) -> ScoreFiles {
        #[cfg(feature = "parquet")]
        return match self.scores {
            ScoresFormat::Csv => ScoreFiles::default(),
            ScoresFormat::Parquet => ScoreFiles { csv: false, parquet: true },
            ScoresFormat::Both => ScoreFiles { csv: true, parquet: true },
        };
        #[cfg(not(feature = "parquet"))]
        ScoreFiles::default()
    }
}
