//! Arguments of `carat reproduce`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{DatasetLoading, VerdictFormat};
use crate::report::language::Language;

pub(super) const REPRODUCE_EXAMPLES: &str = "\
Examples:
  # On the embedded pages, into reports/reproduce/cevc
  carat reproduce cevc
  # All papers on a corpus
  carat reproduce all --dataset daniel --where language=zh
  carat reproduce istm --dataset ./my-pages --out papers --format md
  # The claims about the other systems that the papers name
  carat reproduce systems
  # The tables of public benchmarks, and their orders under an exact measure
  carat reproduce benchmarks

Each paper gets a folder below --out: run/ (an ordinary run), tables/ (claims,
readings, and the paper's tables with the printed figures) and figures/. Claims
are tested on your pages, because the papers' own pages are not available. A
verdict is holds, fails, not separable, or not testable here.

`benchmarks` prints the table of each public benchmark next to the same figures
by carat. It then tests the published order under an exact measure. It uses the
benchmarks in CARAT_CORPORA and those that `carat dataset pull` brought. Each one
gets a folder below --out/benchmarks. `all` stands for the papers alone.";

/// Arguments of `carat reproduce`.
#[derive(Args)]
pub(crate) struct Reproduce {
    /// Paper, or benchmarks
    #[arg(value_enum)]
    pub paper: PaperName,
    /// Dataset (repeatable) [default: portals; if CARAT_CORPORA has them also daniel, chinese-handcrafted,
    /// article-extraction-benchmark and clean-portal-eval; with benchmarks: every benchmark that is here]
    #[arg(long = "dataset", value_name = "NAME|FORMAT:PATH|FOLDER")]
    pub datasets: Vec<String>,
    /// Use only pages with this id, site, language, kind, group, split or host, such as language=zh (repeatable)
    #[arg(long = "where", value_name = "KEY=VALUE")]
    pub filters: Vec<String>,
    #[command(flatten)]
    pub loading: DatasetLoading,
    /// Output folder, with one folder per paper
    #[arg(long, value_name = "DIR", default_value = "reports/reproduce")]
    pub out: PathBuf,
    /// Number of threads [default: one per processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Discard earlier runs below the output folder (--out)
    #[arg(long)]
    pub fresh: bool,
    /// Do not store the extracted texts; `carat diff` and the report then cannot show them
    #[arg(long)]
    pub no_texts: bool,
    /// Seed of the random resamples and sign flips; another seed changes intervals and p-values slightly
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Output format
    #[arg(long, value_enum, default_value_t = VerdictFormat::Text)]
    pub format: VerdictFormat,
    /// Language of the figures, and of the reports of the runs: en or zh; claims and tables are in English [default: that of
    /// the earlier run, and en where there is none]
    #[arg(long, value_name = "LANGUAGE")]
    pub lang: Option<Language>,
}

/// A paper's name, all of them, or the benchmarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PaperName {
    /// Content by node type annotation.
    Nta,
    /// Content by valid characters.
    Cevc,
    /// Clusters of structurally similar pages.
    Istm,
    /// Block relevance.
    Relevance,
    /// Claims about the other systems that these papers name.
    Systems,
    /// All papers.
    All,
    /// Tables of public benchmarks, next to the same figures by carat.
    Benchmarks,
}
