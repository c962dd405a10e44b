//! Arguments of `carat reproduce`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{DatasetLoading, VerdictFormat};

pub(super) const REPRODUCE_EXAMPLES: &str = "\
Examples:
  # On the embedded pages, into reports/reproduce/cevc
  carat reproduce cevc
  # All papers on a corpus
  carat reproduce all --dataset daniel --where language=zh
  carat reproduce istm --dataset ./my-pages --out papers --format md
  # The claims about the other systems that the papers name
  carat reproduce systems

Each paper gets a folder below --out: run/ (an ordinary run), tables/ (claims,
readings, and the paper's tables with the printed figures) and figures/. Claims
are tested on your pages, because the papers' own pages are not available. A
verdict is holds, fails, not separable, or not testable here.";

/// Arguments of `carat reproduce`.
#[derive(Args)]
pub(crate) struct Reproduce {
    /// Paper
    #[arg(value_enum)]
    pub paper: PaperName,
    /// Dataset (repeatable) [default: portals; if CARAT_CORPORA has them also daniel, chinese-handcrafted,
    /// article-extraction-benchmark and clean-portal-eval]
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
    /// Output format
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
    /// Claims about the other systems that these papers name.
    Systems,
    /// All of them.
    All,
}
