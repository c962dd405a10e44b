//! Arguments of the commands that run and decide: the gate, and tuning.

use std::path::PathBuf;

use crate::algorithms::value::Value;
use crate::runs::configuration::tuning::{Folds, Objective, Protocol};
use clap::{Args, ValueEnum};

use super::{DatasetLoading, Format, Trust};

pub(super) const GATE_EXAMPLES: &str = "\
Examples:
  carat gate mine.yaml --baseline reports/baseline.json --accept    make the baseline, or accept what has changed
  carat gate mine.yaml --baseline reports/baseline.json             judge
  carat gate mine.yaml --baseline reports/baseline.json --junit gate.xml --markdown gate.md     for CI

What a run is held to stands in its configuration; these are the defaults:
  gate:
    macro_f1: {level: error, tolerance: 0.005}    any figure of tables/rows.csv: broken where it falls beyond its
                                                  tolerance and the interval of the difference excludes zero
    page_f1: {level: error, tolerance: 0.02}      F1 of each single page
    site_f1: {level: error, tolerance: 0.01}      mean F1 of each site that has three pages or more
    white_space: {level: error, tolerance: 0.5}   white space per token of each text, halved or doubled
    unseen: {level: error, tolerance: 0.01}       characters that nobody sees, per token of each text
    markup: {level: error, tolerance: 0.001}      character references and tags, per token of each text
    new_failures: error                           pages that fail, or are not run any more
    texts: warn                                   pages whose text is another, whatever it scores

Exit codes: 0 passed, or too few pages or sites to judge (with a warning); 1 a rule of level `error` is broken; 2 nothing \
can be judged, for conditions (dataset, tokens, ..) or rows are not those of the baseline, or there is none. \
docs/ci.md has jobs to paste for GitHub Actions and GitLab.";

/// Arguments of `carat gate`.
#[derive(Args)]
pub(crate) struct Gate {
    /// A configuration file (YAML)
    pub config: PathBuf,
    /// The baseline's file
    #[arg(long, value_name = "FILE")]
    pub baseline: PathBuf,
    /// Write the run's scores into the baseline, and tell what that lowers; refused in CI
    #[arg(long)]
    pub accept: bool,
    /// Accept a run of which up to this share of a row's pages, 0 to 1, fails and did not before
    #[arg(long, value_name = "SHARE", default_value = "0", requires = "accept")]
    pub allow_failed: Value,
    /// Take replies of external programs from the cache; without it they are asked afresh
    #[arg(long)]
    pub cache: bool,
    /// The run's folder [default: reports/NAME-gate]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub trust: Trust,
    /// Threads [default: one a processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Replace what is in the run's folder
    #[arg(long)]
    pub fresh: bool,
    /// How to print the verdict
    #[arg(long, value_enum, default_value_t = VerdictFormat::Text)]
    pub format: VerdictFormat,
    /// Write the verdict as Markdown too: for a job's summary, or a comment
    #[arg(long, value_name = "FILE", conflicts_with = "accept")]
    pub markdown: Option<PathBuf>,
    /// Write the verdict as JUnit XML too
    #[arg(long, value_name = "FILE", conflicts_with = "accept")]
    pub junit: Option<PathBuf>,
    /// Print annotations of GitHub Actions on stderr; auto: where GITHUB_ACTIONS=true
    #[arg(long, value_enum, default_value_t = When::Auto, value_name = "WHEN")]
    pub annotations: When,
}

/// How a verdict is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum VerdictFormat {
    /// For people; may change.
    Text,
    /// Markdown.
    Md,
    /// All there is.
    Json,
}

/// When something is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// Where it is of use.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

pub(super) const TUNE_EXAMPLES: &str = "\
Examples:
  carat tune configs/tune.yaml                              what the file's swept parameters should be
  carat tune my.yaml --objective 'recall at precision >= 0.9'
  carat tune my.yaml --objective 'site_macro f1' --folds site --seed 7
  carat tune my.yaml --protocol paper-cevc                  beside it: chosen on 20 % of the pages, drawn once

CONFIG.yaml is a run's configuration; several values, a range or `exact` say which parameters are to be chosen. Its key \
`tune` may hold what the options hold, which replace it:

  datasets: [daniel]
  where: {language: zh}
  algorithms:
    - nta: {coherence: 0.6..1.0/0.05, density: 0.3..0.6/0.05}
    - cevc: {alpha: exact}
  tune: {objective: f1, protocol: nested, folds: 10, seed: 1, search: grid}       search: {random: 60} draws settings

Every page is run once under every setting; the run's folder is the journal, so that a tuning that was cut goes on from \
the last whole page, and another objective, seed or number of folds costs nothing. Sites are parted into folds; what is \
best on all other folds is scored on each, so that no page is judged by a choice that was made on its site. \
docs/statistics.md has the method. At the end stand the lines to paste into a configuration.";

/// Arguments of `carat tune`.
#[derive(Args)]
pub(crate) struct Tune {
    /// A run's configuration (YAML) with swept parameters
    #[arg(value_name = "CONFIG.yaml")]
    pub config: PathBuf,
    /// What is to be high: [AGGREGATE] PART [at PART >= LEAST] [default: macro f1]
    #[arg(long, value_name = "OBJECTIVE")]
    pub objective: Option<Objective>,
    /// nested, or paper-cevc to see that protocol beside it [default: nested]
    #[arg(long, value_name = "PROTOCOL")]
    pub protocol: Option<Protocol>,
    /// Into how many folds sites are parted, or `site`: each its own [default: by their number 10, 5 or site]
    #[arg(long, value_name = "N|site")]
    pub folds: Option<Folds>,
    /// Where random numbers begin [default: 1]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// How often sites are drawn again for intervals
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    pub resamples: u32,
    #[command(flatten)]
    pub loading: DatasetLoading,
    /// The folder of scores, journal and tuning.json [default: reports/NAME-tuning]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Threads [default: one a processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Score every page again
    #[arg(long)]
    pub fresh: bool,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}
