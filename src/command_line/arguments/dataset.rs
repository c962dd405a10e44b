//! Arguments of the commands on datasets.

use std::path::PathBuf;

use crate::datasets::check::Kind;
use crate::datasets::synth::dials::DIALS;
use clap::{Args, Subcommand, ValueEnum};

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
  # The options that --set takes
  carat list importers folder";

/// Commands on datasets.
#[derive(Subcommand)]
pub(crate) enum DatasetCommand {
    /// Make a dataset without gold of pages that you saved, of a list of addresses, or of WARC files
    #[command(after_long_help = NEW_EXAMPLES)]
    New(New),
    /// Convert a dataset of another layout to carat's format
    #[command(after_long_help = IMPORT_EXAMPLES)]
    Import(Import),
    /// Download a public dataset, or print how to get it
    #[command(after_long_help = PULL_EXAMPLES)]
    Pull(Pull),
    /// Write a dataset in carat's format
    #[command(after_long_help = EXPORT_EXAMPLES)]
    Export(Export),
    /// Find faults in a dataset: encoding, gold, leaks, duplicates
    #[command(after_long_help = check_help())]
    Check(Check),
    /// Find the text nodes of each gold text and write them into a copy
    #[command(after_long_help = ANNOTATE_EXAMPLES)]
    Annotate(Annotate),
    /// Generate pages with exact gold from a recipe
    #[command(after_long_help = synth_help())]
    Synth(Synth),
}

const NEW_EXAMPLES: &str = "\
Examples:
  carat dataset new ./news --from ./saved
  # At most 5 pages of each site, from a list of addresses
  carat dataset new ./news --from addresses.txt --per-site 5
  # 100 pages of a crawl, which are in Chinese
  carat dataset new ./news --from crawl.warc.gz --sample 100 --language zh
  # 15 pages of a run on which its systems agree least, and 5 at random
  carat dataset new ./gold --from reports/crawl --disputed 15 --sample 5
  # Then make its gold by clicking
  carat annotate ./news --by li

Pages of a folder are *.html, *.htm, *.xhtml and *.shtml, also with .gz or
.zst, but for those in the folder NAME_files/ that a browser saved beside
NAME.html. The address of a page is taken from urls.tsv (PATH, a tab, URL), from
the comment that a browser or SingleFile leaves in it, from its canonical link
or from og:url. The address gives the site. If most paths have a host, it gives
the site of pages without an address; each of the others is a site of its own.
Ids are those of `carat run --dataset FOLDER`: names, or paths if names repeat.

A list has one page per line: an address, or a file (its path from the list's
folder, perhaps with a tab and its address). Addresses are fetched as they are
listed, and nothing else is: one at a time, with --pause between two of a
host, 30 s, 5 redirects and 32 MiB at most, HTML alone, no cookies, no
scripts, no pictures. Addresses from which no page came are in DIR/failed.tsv.
If the command was cut, the same command goes on. A proxy of the environment
is used, and finds hosts by itself.

Pages of a WARC file are its HTML responses with status 200, with their ids,
addresses and dates, as `carat dataset import warc` reads them. A folder of
WARC files will do, if no page is saved in it.

Pages of a run are those of its dataset, with the ids, sites, addresses,
languages and encodings that the run had. Gold is not copied. --disputed N
takes the N pages on which the systems of the run agree least, --sample M
takes M pages at random, and together they take both. The random draw comes
first and is of all pages, so it stands for the crawl; the disputed ones are
drawn from the rest and do not. The field `group` of each page says which draw
it is from: disputed or random. `carat run --where group=random` has the
random ones alone, and `carat report RUN --by group` has both side by side.

The language of each page is found in its text, as in `carat run`, and told;
pages of a run have the language that they had there. --language TAG states
it, and --language none states none. --set encoding=LABEL states the encoding of
all pages. Where a page has another one, write `encoding` into its line of
pages.jsonl.";

/// Arguments of `carat dataset new`.
#[derive(Args)]
pub(crate) struct New {
    /// Folder of the new dataset
    #[arg(value_name = "DIR")]
    pub out: PathBuf,
    /// Folder of saved pages, a list (.txt) of addresses and files, a WARC file (.warc, .warc.gz) or a folder of them, or the
    /// folder of a run
    #[arg(long, value_name = "SOURCE")]
    pub from: PathBuf,
    /// Name of the dataset [default: that of its folder]
    #[arg(long)]
    pub name: Option<String>,
    /// Language of the pages, such as zh, or none [default: found in the text of each page]
    #[arg(long, value_name = "TAG")]
    pub language: Option<String>,
    /// As in other commands: language=TAG, or encoding=LABEL, which decides over the pages' own (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Licence of the gold (SPDX)
    #[arg(long, value_name = "SPDX", default_value = "unknown")]
    pub licence: String,
    /// Only pages whose id matches
    #[arg(long, value_name = "GLOB")]
    pub only: Option<String>,
    /// Only so many pages of each site, drawn by id and seed
    #[arg(long, value_name = "N")]
    pub per_site: Option<usize>,
    /// Only so many pages, drawn by id and seed (after --per-site)
    #[arg(long, value_name = "N")]
    pub sample: Option<usize>,
    /// Of a run: so many of the pages on which its systems agree least; pages at random only with --sample
    #[arg(long, value_name = "N")]
    pub disputed: Option<usize>,
    /// Of a run of several datasets: the one whose pages are taken
    #[arg(long, value_name = "NAME")]
    pub dataset: Option<String>,
    #[command(flatten)]
    pub trust: Trust,
    /// Seed of both draws
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Seconds that each host rests between two of its addresses
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
    pub pause: f64,
    /// Also fetch addresses of this computer and of private networks
    #[arg(long)]
    pub private: bool,
}

const CHECK_EXAMPLES: &str = "\
Examples:
  carat dataset check portals
  carat dataset check daniel:corpora/daniel --format md
  # Write a copy without the pages that have errors
  carat dataset check ./my-pages --fix ./my-pages-fixed

Exit code 1: there are errors. Exit code 3: the manifest is invalid, or there is
nothing to check. A finding that a page's `faults` already name is no error. If
several pages are duplicates of each other, the check reports all but the first.";

/// The examples of `dataset check`, and every kind of finding.
fn check_help() -> String {
    let width = Kind::ALL.iter().map(|kind| kind.name().len()).max().unwrap_or_default();
    let line = |kind: &Kind| format!("  {:5}  {:width$}  {}\n", kind.level().name(), kind.name(), kind.title());
    let kinds: String = Kind::ALL.iter().map(line).collect();
    format!("{CHECK_EXAMPLES}\n\nFindings:\n{}", kinds.trim_end())
}

/// Arguments of `carat dataset check`.
#[derive(Args)]
pub(crate) struct Check {
    /// Dataset: a name, FORMAT:PATH or a folder
    #[arg(value_name = "NAME|FORMAT:PATH|FOLDER")]
    pub dataset: String,
    #[command(flatten)]
    pub trust: Trust,
    /// Write a copy without the pages that have errors; the original is not changed
    #[arg(long, value_name = "DIR")]
    pub fix: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = VerdictFormat::Text)]
    pub format: VerdictFormat,
    /// Number of threads [default: one per processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

const ANNOTATE_EXAMPLES: &str = "\
Examples:
  # Writes ./my-pages-nodes
  carat dataset annotate ./my-pages --from-gold
  # Precision and recall of text nodes
  carat run --dataset ./my-pages-nodes --measure nodes

For each page with a gold text, carat finds the set of text nodes with the
highest F1 against it (as oracle-nodes does). It writes the nodes, their F1 and
the digest of the text beside the gold. The originals are not changed. A page
whose faults say that its text nodes do not hold its gold (no_text,
gold_not_in_page, misdecoded) gets no nodes where their F1 is below 0.5.";

/// Arguments of `carat dataset annotate`.
#[derive(Args)]
pub(crate) struct Annotate {
    /// Dataset: a name, FORMAT:PATH or a folder
    #[arg(value_name = "NAME|FORMAT:PATH|FOLDER")]
    pub dataset: String,
    /// Find the text nodes that match each gold text best; required, because it is the only way so far
    #[arg(long, required = true)]
    pub from_gold: bool,
    /// Output folder [default: the dataset's folder or name followed by -nodes]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub loading: DatasetLoading,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Number of threads [default: one per processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

/// The examples of `dataset synth`, and every dial.
fn synth_help() -> String {
    let width = DIALS.iter().map(|dial| dial.name.len()).max().unwrap_or_default();
    let dials = DIALS.iter().map(|dial| format!("  {:width$}  0..{:<4} {}\n", dial.name, dial.most, dial.help));
    format!(
        "{SYNTH_EXAMPLES}\n\nNoise parameters for --set, applied to every page:\n{}",
        dials.collect::<String>().trim_end()
    )
}

const SYNTH_EXAMPLES: &str = "\
Examples:
  # The embedded pages, as files
  carat dataset synth portals --out ./portals
  # Plain articles between many links
  carat dataset synth robustness --out ./noisy --set links=0.7
  carat dataset synth my-recipe.yaml --out ./mine";

/// Arguments of `carat dataset synth`.
#[derive(Args)]
pub(crate) struct Synth {
    /// Recipe: a file, or the built-in portals or robustness
    pub recipe: PathBuf,
    /// Output folder
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Set a noise parameter (dial) on every page, such as links=0.7 (repeatable); they are listed below
    #[arg(long = "set", value_name = "DIAL=AMOUNT")]
    pub set: Vec<String>,
    /// Number of threads [default: one per processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

/// Arguments of `carat dataset import`.
#[derive(Args)]
pub(crate) struct Import {
    /// Layout of the source; `carat list importers` lists them
    pub format: String,
    /// Folder or file to read
    pub source: PathBuf,
    /// Output folder
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Option of the importer, such as language=zh (repeatable); `carat list importers FORMAT` lists them
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

const PULL_EXAMPLES: &str = "\
Examples:
  # What the catalogue has
  carat list datasets
  # Real pages, through your own cargo, into datasets/
  carat dataset pull mozilla-readability
  # Prints the commands, because this dataset is in Git
  carat dataset pull daniel
  # A dataset of your own catalogue
  carat dataset pull ours --catalog sets.yaml

If CARAT_CORPORA has a folder of that name, carat copies it and fetches nothing.
Downloads are pinned by SHA-256, and no code in them runs. Crates come through
your cargo, npm packages through your npm, and PyPI packages from the index of
your pip.";

/// Arguments of `carat dataset pull`.
#[derive(Args)]
pub(crate) struct Pull {
    /// Dataset; `carat list datasets` lists them
    pub name: String,
    /// Output folder [default: datasets/NAME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Your own catalogue (YAML) instead of the built-in one; docs/reference/datasets.md has the format
    #[arg(long, value_name = "FILE")]
    pub catalog: Option<PathBuf>,
}

const EXPORT_EXAMPLES: &str = "\
Examples:
  # dataset.yaml, pages.jsonl, and one file per page and gold
  carat dataset export portals --out ./copy
  # Pages and golds inside the list
  carat dataset export portals --out ./copy/pages.jsonl
  # The same with a description for catalogues and loaders of datasets
  carat dataset export portals --out ./copy --format croissant";

/// Arguments of `carat dataset export`.
#[derive(Args)]
pub(crate) struct Export {
    /// Dataset: a name, FORMAT:PATH or a folder
    pub dataset: String,
    /// Output folder; or a file NAME.jsonl, which then holds the pages and golds themselves, with a dataset.yaml beside it
    #[arg(long, value_name = "DIR|FILE")]
    pub out: PathBuf,
    /// Description beside the dataset
    #[arg(long, value_enum, default_value_t = ExportFormat::Carat)]
    pub format: ExportFormat,
    #[command(flatten)]
    pub loading: DatasetLoading,
}

/// The parts of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// The dataset in carat's format alone.
    Carat,
    /// Pages and golds inside the list, and croissant.json, which catalogues and loaders of datasets read.
    Croissant,
}
