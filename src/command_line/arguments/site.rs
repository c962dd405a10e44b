//! Arguments of `carat site`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Trust;
use crate::report::language::Language;

pub(super) const SITE_EXAMPLES: &str = "\
Examples:
  # A folder of HTML files from two runs
  carat site reports/daniel reports/portals --out public
  # With a history of releases, and with a submission
  carat site reports/mine --history h.jsonl --submission subs/x --out public
  # Check a submission before it is taken in
  carat site check subs/x --dataset ./my-pages

Runs under equal conditions on one dataset are one table. Rows are in groups:
rows that share a letter cannot be told apart, so there are no ranks. The files
ask the network for nothing and run no script. Give the runs --time to show F1
against time.

A submission is a folder with submission.yaml and stored outputs:
  submission: 1
  name: my-extractor
  version: '2.0'
  dataset: portals
  digest: sha256:f6a77af8c258...   # all 64 digits, as in run.json
  outputs: outputs.jsonl
  note: how the outputs were made
carat scores it by the conditions of the first run on this dataset.";

/// Arguments of `carat site`.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Site {
    /// Another command
    #[command(subcommand)]
    pub command: Option<SiteCommand>,
    /// Folders of runs
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Folder of the site; what an earlier site left there is replaced
    #[arg(long, required = true, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Folder of a submission: stored outputs with a manifest (repeatable)
    #[arg(long = "submission", value_name = "DIR")]
    pub submissions: Vec<PathBuf>,
    /// File of a history, to show rows over releases
    #[arg(long, value_name = "FILE")]
    pub history: Option<PathBuf>,
    /// Title of the site [default: Content extraction, measured]
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Language of the site: en or zh
    #[arg(long, value_name = "LANGUAGE", default_value_t = Language::English)]
    pub lang: Language,
    /// Number of pages to list per table, those on which rows differ most
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub pages: usize,
}

/// The other commands of a site.
#[derive(Subcommand)]
pub(crate) enum SiteCommand {
    /// Check a submission: its manifest, its files, and that each output is of a page of the dataset
    Check(SiteCheck),
}

/// Arguments of `carat site check`.
#[derive(Args)]
pub(crate) struct SiteCheck {
    /// Folder of the submission
    pub submission: PathBuf,
    /// The dataset that it names, as for carat run --dataset [default: the dataset of this name]
    #[arg(long, value_name = "NAME|PATH")]
    pub dataset: Option<String>,
    #[command(flatten)]
    pub trust: Trust,
}
