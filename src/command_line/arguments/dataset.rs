//! Arguments of the commands on datasets.

use std::path::PathBuf;

use crate::datasets::check::Kind;
use crate::datasets::synth::dials::DIALS;
use clap::{Args, Subcommand};

use super::{DatasetLoading, Format, Trust, VerdictFormat};

/// Arguments of `carat dataset`.
#[derive(Args)]
pub(crate) struct Dataset {
    /// What to do.
    #[command(subcommand)]
    pub command: DatasetCommand,
}

const IMPORT_EXAMPLES: &str = "\
Examples:
  carat dataset import folder ./my-pages --out datasets/mine --set language=zh
  carat dataset import daniel corpora/daniel --out datasets/daniel
  carat list importers folder      the options that --set takes";

/// Commands on datasets.
#[derive(Subcommand)]
pub(crate) enum DatasetCommand {
    /// Read a dataset of another layout and write it as a folder of carat's own
    #[command(after_long_help = IMPORT_EXAMPLES)]
    Import(Import),
    /// Bring a public dataset of the catalogue, or tell how to get it
    #[command(after_long_help = PULL_EXAMPLES)]
    Pull(Pull),
    /// Write any dataset in carat's own format
    #[command(after_long_help = EXPORT_EXAMPLES)]
    Export(Export),
    /// Find what is wrong with a dataset: bytes, golds, leaks; fails where there are errors
    #[command(after_long_help = check_help())]
    Check(Check),
    /// Find the text nodes that golds mean, and write the dataset with them
    #[command(after_long_help = ANNOTATE_EXAMPLES)]
    Annotate(Annotate),
    /// Make pages with exact gold from a recipe
    #[command(after_long_help = synth_help())]
    Synth(Synth),
}

const CHECK_EXAMPLES: &str = "\
Examples:
  carat dataset check portals
  carat dataset check daniel:corpora/daniel --format md
  carat dataset check ./my-pages --fix ./my-pages-fixed      the same pages, without those that have errors

Exit code 1: there are errors; 3: the manifest is wrong, or there is nothing to check. What a page's `faults` name is known, and no error. \
Of duplicates, the first page is left as it is.";

/// The examples of `dataset check`, and every kind of finding.
fn check_help() -> String {
    let width = Kind::ALL.iter().map(|kind| kind.name().len()).max().unwrap_or_default();
    let line = |kind: &Kind| format!("  {:5}  {:width$}  {}\n", kind.level().name(), kind.name(), kind.title());
    let kinds: String = Kind::ALL.iter().map(line).collect();
    format!("{CHECK_EXAMPLES}\n\nWhat can be found:\n{}", kinds.trim_end())
}

/// Arguments of `carat dataset check`.
#[derive(Args)]
pub(crate) struct Check {
    /// A name, FORMAT:PATH, or a folder
    #[arg(value_name = "NAME|FORMAT:PATH|FOLDER")]
    pub dataset: String,
    #[command(flatten)]
    pub trust: Trust,
    /// Write the dataset without the pages that have errors into this folder; the originals are never touched
    #[arg(long, value_name = "DIR")]
    pub fix: Option<PathBuf>,
    /// How to print the findings
    #[arg(long, value_enum, default_value_t = VerdictFormat::Text)]
    pub format: VerdictFormat,
    /// Threads [default: one a processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

const ANNOTATE_EXAMPLES: &str = "\
Examples:
  carat dataset annotate ./my-pages --from-gold                       writes ./my-pages-nodes
  carat dataset annotate daniel:corpora/daniel --from-gold --out datasets/daniel-nodes
  carat run --dataset ./my-pages-nodes --measure nodes                precision and recall of text nodes

Of each page with a gold text the set of text nodes with the greatest F1 against it is found (oracle-nodes), and written \
beside the text, with its F1 and the digest of the text in which the nodes count. The originals are never touched.";

/// Arguments of `carat dataset annotate`.
#[derive(Args)]
pub(crate) struct Annotate {
    /// A dataset: a name, FORMAT:PATH, or a folder
    #[arg(value_name = "NAME|FORMAT:PATH|FOLDER")]
    pub dataset: String,
    /// Find the nodes that yield each gold text best
    #[arg(long, required = true)]
    pub from_gold: bool,
    /// The folder to write [default: the dataset's folder or name, with -nodes behind it]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub loading: DatasetLoading,
    /// How to print what was found
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Threads [default: one a processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

/// The examples of `dataset synth`, and every dial.
fn synth_help() -> String {
    let width = DIALS.iter().map(|dial| dial.name.len()).max().unwrap_or_default();
    let dials = DIALS.iter().map(|dial| format!("  {:width$}  0..{:<4} {}\n", dial.name, dial.most, dial.help));
    format!("{SYNTH_EXAMPLES}\n\nDials, which --set turns on every page:\n{}", dials.collect::<String>().trim_end())
}

const SYNTH_EXAMPLES: &str = "\
Examples:
  carat dataset synth portals --out ./portals                           the embedded pages, as files
  carat dataset synth robustness --out ./noisy --set links=0.7          plain articles between many links
  carat dataset synth my-recipe.yaml --out ./mine";

/// Arguments of `carat dataset synth`.
#[derive(Args)]
pub(crate) struct Synth {
    /// A recipe's file, or a built-in one: portals, robustness
    pub recipe: PathBuf,
    /// The folder to write
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// A dial, turned on every page
    #[arg(long = "set", value_name = "DIAL=AMOUNT")]
    pub set: Vec<String>,
    /// Threads [default: one a processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

/// Arguments of `carat dataset import`.
#[derive(Args)]
pub(crate) struct Import {
    /// The layout; `carat list importers` names them
    pub format: String,
    /// The folder or file to read
    pub source: PathBuf,
    /// The folder to write
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// An option of the importer
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

const PULL_EXAMPLES: &str = "\
Examples:
  carat list datasets                          what the catalogue has
  carat dataset pull mozilla-readability       real pages, by way of your own cargo, into datasets/
  carat dataset pull daniel                    the commands that bring it, for it lives in Git
  carat dataset pull ours --catalog sets.yaml  a set of your own catalogue

A folder of that name in CARAT_CORPORA is taken before anything is fetched. What is fetched is pinned by its SHA-256, and no code
of it runs. Crates come by your own cargo, npm's packages by your own npm, PyPI's from the index that your pip is set to.";

/// Arguments of `carat dataset pull`.
#[derive(Args)]
pub(crate) struct Pull {
    /// The dataset; `carat list datasets` names them
    pub name: String,
    /// The folder to write [default: datasets/NAME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Another catalogue than the built-in one, of the same form
    #[arg(long, value_name = "FILE")]
    pub catalog: Option<PathBuf>,
}

const EXPORT_EXAMPLES: &str = "\
Examples:
  carat dataset export portals --out ./copy                             dataset.yaml, pages.jsonl, a file a page
  carat dataset export portals --out ./copy/pages.jsonl                 pages and golds in the list itself";

/// Arguments of `carat dataset export`.
#[derive(Args)]
pub(crate) struct Export {
    /// A dataset: a name, FORMAT:PATH, or a folder
    pub dataset: String,
    /// The folder to write, or a list NAME.jsonl that holds pages and golds, with dataset.yaml beside it
    #[arg(long, value_name = "DIR|FILE")]
    pub out: PathBuf,
    #[command(flatten)]
    pub loading: DatasetLoading,
}
