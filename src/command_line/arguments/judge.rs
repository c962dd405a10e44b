//! Arguments of the commands that run and decide: the gate, and tuning.

use std::path::PathBuf;

use crate::algorithms::value::Value;
use crate::report::language::Language;
use crate::runs::configuration::tuning::{Folds, Objective, Protocol};
use clap::{Args, ValueEnum};

use super::{DatasetLoading, Format, Trust};

pub(super) const GATE_EXAMPLES: &str = "\
Examples:
  # Create the baseline, or accept what changed
  carat gate mine.yaml --baseline reports/baseline.json --accept
  # Judge
  carat gate mine.yaml --baseline reports/baseline.json
  # In CI
  carat gate mine.yaml --baseline reports/baseline.json --markdown gate.md

The configuration's key `gate` sets the rules. These are the defaults:
  gate:
    # Any figure of tables/rows.csv. Broken if it falls by more than the
    # tolerance and the interval of the difference excludes zero.
    macro_f1: {level: error, tolerance: 0.005}
    # F1 of each page.
    page_f1: {level: error, tolerance: 0.02}
    # Mean F1 of each site with at least three pages.
    site_f1: {level: error, tolerance: 0.01}
    # Runs of white space per token of each text, halved or doubled.
    white_space: {level: error, tolerance: 0.5}
    # Invisible characters per token of each text.
    unseen: {level: error, tolerance: 0.01}
    # Character references and tags per token of each text.
    markup: {level: error, tolerance: 0.001}
    # Pages that fail now, or are not run any more.
    new_failures: error
    # Pages whose text changed, whatever its score.
    texts: warn
    # Median time per page of each row, measured on this machine. Named, it is
    # a warning; it needs a baseline that was accepted with this rule.
    slower_time: {level: off, factor: 2}

Rules that are not named keep these defaults; `off` switches a rule off.

Exit codes: 0 passed, or too few pages or sites to judge (with a warning); 1 a
rule of level `error` is broken, or --accept refuses failures; 2 the run is not
comparable, because conditions (dataset, tokens, ...) or rows differ from the
baseline's; or pages of the baseline are gone, and no such rule is broken on the
others; or nothing could be judged: there is no baseline, the configuration is
invalid, or an external program cannot start; 3 the dataset has a fault, such as
a gold whose page was removed, or a program came back as another. So let neither
2 nor 3 pass in CI.
docs/reference/gate.md has jobs for GitHub Actions and GitLab.";

/// Arguments of `carat gate`.
#[derive(Args)]
pub(crate) struct Gate {
    /// Configuration file (YAML)
    pub config: PathBuf,
    /// File with the accepted scores, which --accept writes; or a history, whose last run is the baseline
    #[arg(long, value_name = "FILE")]
    pub baseline: PathBuf,
    /// Write the scores of the run into the baseline, and print each score that is lower than before; refused in CI
    #[arg(long)]
    pub accept: bool,
    /// With --accept: allow this share (0 to 1) of each row's pages to fail that did not fail in the old baseline
    #[arg(long, value_name = "SHARE", default_value = "0", requires = "accept", value_parser = share)]
    pub allow_failed: Value,
    /// Use cached replies of external programs; by default the gate asks them for every page again
    #[arg(long)]
    pub cache: bool,
    /// Folder of the run that is judged [default: reports/NAME-gate, NAME being that of the configuration]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub trust: Trust,
    /// Number of threads [default: one per processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Discard an earlier run in the folder of the run (--out), such as one of another configuration
    #[arg(long)]
    pub fresh: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = VerdictFormat::Text)]
    pub format: VerdictFormat,
    /// Also write the verdict as Markdown, for a job summary or a comment
    #[arg(long, value_name = "FILE", conflicts_with = "accept")]
    pub markdown: Option<PathBuf>,
    /// Also write the verdict as JUnit XML
    #[arg(long, value_name = "FILE", conflicts_with = "accept")]
    pub junit: Option<PathBuf>,
    /// Print annotations for GitHub Actions on stderr; auto: if GITHUB_ACTIONS=true
    #[arg(long, value_enum, default_value_t = When::Auto, value_name = "WHEN")]
    pub annotations: When,
}

/// Reads a share of pages.
fn share(text: &str) -> Result<Value, String> {
    let share = text.parse::<Value>().ok().filter(|share| (Value::ZERO..=Value::ONE).contains(share));
    share.ok_or_else(|| "a share of the pages is a decimal number from 0 to 1, such as 0.05".to_owned())
}

/// How a verdict is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum VerdictFormat {
    /// For people; may change between versions.
    Text,
    /// Markdown.
    Md,
    /// Everything, for programs.
    Json,
}

/// When something is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// If GitHub Actions is detected.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

pub(super) const TUNE_EXAMPLES: &str = "\
Examples:
  # Choose the swept parameters of a configuration
  carat tune configs/tune.yaml
  # Another goal
  carat tune my.yaml --objective 'recall at precision >= 0.9'
  carat tune my.yaml --objective 'site_macro f1' --folds site --seed 7
  # Also show the CEVC paper's protocol: chosen on 20 % of the pages
  carat tune my.yaml --protocol paper-cevc

CONFIG.yaml is a run's configuration. Parameters with several values, a range or
`exact` are chosen. The key `tune` holds defaults for the options:

  datasets: [daniel]
  where: {language: zh}
  algorithms:
    - nta: {coherence: 0.6..1.0/0.05, density: 0.3..0.6/0.05}
    - cevc: {alpha: exact}
  tune: {objective: f1, folds: 10, seed: 1, search: grid}

`search: {random: 60}` draws 60 settings instead of the whole grid.

An objective is [AGGREGATE] PART, or [AGGREGATE] PART at PART >= LEAST.
  AGGREGATE   macro (default), site_macro, micro, paper_cevc, benchmark
  PART        precision, recall, f1; with benchmark also accuracy
  LEAST       a decimal from 0 to 1

carat runs every setting on every page once, and splits the sites into folds.
For each fold it takes the setting that is best on all other folds and scores it
on this one. So no page is judged by a choice that saw its site. Another
objective, seed or number of folds needs no new run. The output ends with the
lines to paste into a configuration. For a table of the settings, give the
folder of the run to `carat compare --format latex`. docs/methods/statistics.md
has the method.";

/// Arguments of `carat tune`.
#[derive(Args)]
pub(crate) struct Tune {
    /// Configuration of a run (YAML) with swept parameters
    #[arg(value_name = "CONFIG.yaml")]
    pub config: PathBuf,
    /// Goal to maximise, such as 'site_macro f1' or 'recall at precision >= 0.9' [default: macro f1]
    #[arg(long, value_name = "OBJECTIVE")]
    pub objective: Option<Objective>,
    /// How choices are tested: nested (cross-validation over sites), or paper-cevc to also choose on 20 % of the pages, as
    /// that paper did [default: nested]
    #[arg(long, value_name = "PROTOCOL")]
    pub protocol: Option<Protocol>,
    /// Number of folds, or `site` for one fold per site [default: 10 from 50 sites on, 5 from 10 on, else site]
    #[arg(long, value_name = "N|site")]
    pub folds: Option<Folds>,
    /// Seed of random numbers [default: 1]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Number of bootstrap resamples of sites
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    pub resamples: u32,
    #[command(flatten)]
    pub loading: DatasetLoading,
    /// Folder of the run and of its results, tuning.json [default: reports/NAME-tuning]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Number of threads [default: one per processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Discard earlier scores in the folder of the run (--out) and compute all again
    #[arg(long)]
    pub fresh: bool,
    /// Language of the report and of what is printed: en or zh [default: that of the report in the folder, and en where there
    /// is none]
    #[arg(long, value_name = "LANGUAGE")]
    pub lang: Option<Language>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}
