//! Arguments of `carat reproduce`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{DatasetLoading, VerdictFormat};

pub(super) const REPRODUCE_EXAMPLES: &str = "\
Examples:
  carat reproduce cevc                        on the embedded pages, into reports/reproduce/cevc
  carat reproduce all --dataset daniel --where language=zh
  carat reproduce istm --dataset ./my-pages --out papers --format md
  carat reproduce systems                     what papers say of the systems that the four name

Below --out, each paper has a folder: run/ (an ordinary run: carat report, compare and diff take it), tables/ (claims, readings, the paper's \
tables with what it printed beside each cell) and figures/. Claims are held against these pages, not against the paper's own, which are not \
available: a verdict is holds, fails, not separable or not testable here.";

/// Arguments of `carat reproduce`.
#[derive(Args)]
pub(crate) struct Reproduce {
    /// Which paper
    #[arg(value_enum)]
    pub paper: PaperName,
    /// A dataset (may be given several times) [default: portals, and with CARAT_CORPORA what is there of daniel,
    /// chinese-handcrafted, article-extraction-benchmark and clean-portal-eval]
    #[arg(long = "dataset", value_name = "NAME")]
    pub datasets: Vec<String>,
    /// Only pages whose field has this value (may be given several times), as in carat run
    #[arg(long = "where", value_name = "KEY=VALUE")]
    pub filters: Vec<String>,
    #[command(flatten)]
    pub loading: DatasetLoading,
    /// The folder of the papers' folders
    #[arg(long, value_name = "DIR", default_value = "reports/reproduce")]
    pub out: PathBuf,
    /// Threads [default: one a processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Make runs again that are there already
    #[arg(long)]
    pub fresh: bool,
    /// Do not store the extracted texts in the runs' folders
    #[arg(long)]
    pub no_texts: bool,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = VerdictFormat::Text)]
    pub format: VerdictFormat,
}

/// A paper's name, or all.
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
    /// What is said of the other systems that these name.
    Systems,
    /// All of them.
    All,
}
