//! Arguments of the commands on datasets.

use std::path::PathBuf;

use carat::datasets::synth::dials::DIALS;
use clap::{Args, Subcommand};

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
    /// Write any dataset in carat's own format
    #[command(after_long_help = EXPORT_EXAMPLES)]
    Export(Export),
    /// Make pages with exact gold from a recipe
    #[command(after_long_help = synth_help())]
    Synth(Synth),
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
}
