//! The command line's grammar and its help, which teaches by example.

use std::path::PathBuf;

use carat::datasets::synth::dials::DIALS;
use carat::report::html::Language;
use carat::runs::configuration::Seconds;
use carat::runs::tuning::{Folds, Objective, Protocol};
use carat::scoring::Measure;
use carat::text::tokens::{Case, TokenKind};
use clap::{Args, Parser, Subcommand, ValueEnum};

/// Measure how well algorithms find the content of web pages.
#[derive(Parser)]
#[command(name = "carat", version = version(), about, after_help = EXIT_CODES, after_long_help = EXAMPLES, max_term_width = 110)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

fn version() -> String {
    let unicode = carat::text::tokens::unicode_versions();
    let segmenter = carat::text::words::SEGMENTER;
    let suffixes = carat::datasets::site::SUFFIX_LIST;
    format!("{}\nUnicode: {unicode}\nHan words: {segmenter}\nsites: {suffixes}", env!("CARGO_PKG_VERSION"))
}

const EXIT_CODES: &str = "Exit codes: 0 done, 1 a check failed or the gate fell, 2 the request is wrong, 3 the data is wrong, 4 the system is in the way, \
                          5 a defect of carat, 130 interrupted.";

const EXAMPLES: &str = "\
Examples:
  carat run                                          the papers' sweeps on the embedded pages
  carat run --dataset ./my-pages --algorithm nta     my own pages: html/NAME.html with gold/NAME.txt
  carat extract page.html --algorithm cevc           what an algorithm takes for content
  carat score extraction.txt gold.txt                precision, recall and F1 of two texts
  carat compare reports/default                      which of a run's rows are better, and which only seem so
  carat gate configs/gate.yaml --baseline reports/baseline.json    whether anything got worse, for CI
  carat tune configs/tune.yaml                       thresholds chosen, and what they are worth on other sites' pages
  carat list algorithms nta                          an algorithm's parameters and worked examples

Exit codes: 0 done, 1 a check failed or the gate fell, 2 the request is wrong, 3 the data is wrong, 4 the system is in the way,
5 a defect of carat, 130 interrupted.";

/// The commands.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run algorithms over datasets, score them, and draw the curves
    #[command(after_long_help = RUN_EXAMPLES)]
    Run(Run),
    /// Print what an algorithm takes for the content of one page
    #[command(after_long_help = EXTRACT_EXAMPLES)]
    Extract(Extract),
    /// Score an extraction against a gold text
    #[command(after_long_help = SCORE_EXAMPLES)]
    Score(Score),
    /// Make the tables and figures of a run again
    #[command(after_long_help = REPORT_EXAMPLES)]
    Report(Report),
    /// Say what the differences between rows are worth, of one run or several
    #[command(after_long_help = COMPARE_EXAMPLES)]
    Compare(Compare),
    /// Show what an extraction of a run lacks of a page's gold, and has beyond it
    #[command(after_long_help = DIFF_EXAMPLES)]
    Diff(Diff),
    /// Fail where a run is worse than the baseline that was accepted: the regression check for CI
    #[command(after_long_help = GATE_EXAMPLES)]
    Gate(Gate),
    /// Choose the values of swept parameters, and say what the choice is worth on pages of other sites
    #[command(after_long_help = TUNE_EXAMPLES)]
    Tune(Tune),
    /// List algorithms, datasets, measures, importers, or the entries of a stop list
    #[command(after_long_help = LIST_EXAMPLES)]
    List(List),
    /// Bring datasets of other layouts into carat's own
    Dataset(Dataset),
    /// Try external programs out
    External(External),
    /// Print a completion script for a shell
    Completions(Completions),
    /// Write the manual pages into a folder
    Man(Man),
}

const RUN_EXAMPLES: &str = "\
Examples:
  carat run                                   the default run, into reports/default
  carat run configs/figures-core.yaml         a configuration file
  carat run --dataset daniel:corpora/daniel --algorithm all-text --algorithm nta --tokens word
  carat run --dataset ./my-pages --algorithm 'cevc:alpha=exact' --where language=zh
  carat run --dataset ./my-pages --algorithm 'nta:coherence=0.9|1.0,density=0.3..0.6/0.1'
  carat run --dataset article-extraction-benchmark --stored all --measure shingle4 --tokens w
  carat run --dataset ./my-pages --algorithm combine:members=nta+cevc+cetd,rule=majority
  carat run --dataset ./my-pages --algorithm nta --external 'python3 examples/external/trafilatura.py'

A parameter is a value, several values (a|b), a range (from..to/step, exact decimals), or `exact`: every value at
which the result can change, and one between each two. Several swept parameters multiply.

A run that was cut, by Ctrl-C or otherwise, goes on from the last whole page when the same command is given again.

Without CONFIG, --dataset, --algorithm, --stored and --external the default run is made. These replace the
configuration's lists, the other options its values. --stored or --external alone scores no algorithm of carat's.
docs/external.md tells how a program of your own is asked.";

/// Arguments of `carat run`.
#[derive(Args)]
pub(crate) struct Run {
    /// A configuration file (YAML)
    pub config: Option<PathBuf>,
    /// A dataset: a name, FORMAT:PATH, or a folder (may be given several times)
    #[arg(long, value_name = "NAME|FORMAT:PATH|FOLDER")]
    pub dataset: Vec<String>,
    /// Only pages with this value of id, site, language, kind, group, split or host
    #[arg(long = "where", value_name = "KEY=VALUE")]
    pub filters: Vec<String>,
    /// Only pages of this split
    #[arg(long, value_name = "NAME")]
    pub split: Option<String>,
    /// Leave out pages with one of these known faults
    #[arg(long, value_name = "FAULTS", value_delimiter = ',')]
    pub without_faults: Vec<String>,
    /// An algorithm with its parameters (may be given several times)
    #[arg(long, value_name = "NAME[:PARAMETER=VALUES,..]")]
    pub algorithm: Vec<String>,
    /// Another program's stored outputs: a system's name, a file or folder, or `all` (may be given several times)
    #[arg(long, value_name = "NAME|PATH|all")]
    pub stored: Vec<String>,
    /// Bounds beside the rows: oracle-sweep, oracle-member, oracle-subtree, oracle-nodes, or none [default: all of them
    /// where an algorithm is run]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub bounds: Vec<String>,
    /// Another program that is asked for each page: its command, or `{command: [..], parameters: {..}, ..}` (may be given
    /// several times)
    #[arg(long, value_name = "COMMAND|{..}")]
    pub external: Vec<String>,
    /// Ask external programs for every page again, and keep nothing of what they say
    #[arg(long)]
    pub no_cache: bool,
    #[command(flatten)]
    pub comparison: Comparison,
    /// The run's folder [default: reports/NAME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Threads [default: one a processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Replace what is in the run's folder
    #[arg(long)]
    pub fresh: bool,
    /// Do not store the extracted texts in the run's folder
    #[arg(long)]
    pub no_texts: bool,
    /// Time every algorithm on every page, one after the other, into times.csv and the report
    #[arg(long)]
    pub time: bool,
    /// End with exit code 3 if a page failed
    #[arg(long)]
    pub strict: bool,
    /// Print what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// How an extraction is compared with the gold.
#[derive(Args)]
pub(crate) struct Comparison {
    /// What a token is: char, word or w [default: char]
    #[arg(long, value_name = "KIND")]
    pub tokens: Option<TokenKind>,
    /// keep or fold (Unicode full case folding) [default: keep]
    #[arg(long, value_name = "CASE")]
    pub case: Option<Case>,
    /// lcs, shingle4 or bag [default: lcs]
    #[arg(long, value_name = "MEASURE")]
    pub measure: Option<Measure>,
}

/// How a result is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people; may change.
    Text,
    /// For programs.
    Json,
}

const EXTRACT_EXAMPLES: &str = "\
Examples:
  carat extract page.html --algorithm nta
  carat extract page.html --algorithm cevc:alpha=0.7 --language zh
  curl -s https://example.org/ | carat extract - --algorithm largest-p-parent
  carat extract old.html --algorithm nta --encoding gb2312";

/// Arguments of `carat extract`.
#[derive(Args)]
pub(crate) struct Extract {
    /// An HTML file, or - for standard input
    pub page: PathBuf,
    /// The algorithm, with single values of its parameters
    #[arg(long, value_name = "NAME[:PARAMETER=VALUE,..]")]
    pub algorithm: String,
    /// The page's encoding, if it is known better than the page says
    #[arg(long, value_name = "LABEL")]
    pub encoding: Option<String>,
    /// The content's language (BCP 47), which decides the stop list
    #[arg(long, value_name = "TAG")]
    pub language: Option<String>,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

const SCORE_EXAMPLES: &str = "\
Examples:
  carat score extraction.txt gold.txt
  carat score extraction.txt gold.txt --tokens word
  carat extract page.html --algorithm nta | carat score - gold.txt --format json";

/// Arguments of `carat score`.
#[derive(Args)]
pub(crate) struct Score {
    /// The extraction, a UTF-8 text file, or - for standard input
    pub extracted: PathBuf,
    /// The gold, a UTF-8 text file, or - for standard input
    pub gold: PathBuf,
    #[command(flatten)]
    pub comparison: Comparison,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

const REPORT_EXAMPLES: &str = "\
Examples:
  carat report reports/default                 tables/, figures/ and index.html again, and the table on the terminal
  carat report reports/default --lang zh       with index.html in Chinese
  carat report reports/default --format md     the table as Markdown
  carat report reports/default --by language   the same by language
  carat report reports/default --stats         with intervals, and letters of rows that are not separated
  carat report reports/default --stats --format latex";

/// Arguments of `carat report`.
#[derive(Args)]
pub(crate) struct Report {
    /// A run's folder
    pub run: PathBuf,
    /// The table by site, language, kind, group or split instead
    #[arg(long, value_name = "KEY", value_parser = carat::report::groups::KEYS)]
    pub by: Option<String>,
    /// With intervals, and letters that rows share which are not separated
    #[arg(long, conflicts_with = "by")]
    pub stats: bool,
    /// The language of index.html: en or zh
    #[arg(long, value_name = "LANGUAGE", default_value_t = Language::English)]
    pub lang: Language,
    /// How to print the table
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
}

/// How tables are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For a terminal.
    Text,
    /// Markdown.
    Md,
    /// LaTeX, with the package booktabs.
    Latex,
    /// CSV.
    Csv,
    /// All there is.
    Json,
}

const COMPARE_EXAMPLES: &str = "\
Examples:
  carat compare reports/default                             every row against the best
  carat compare reports/x --row trafilatura --row nta       two of its rows
  carat compare reports/x --row 'nta:coherence=0.9|1.0'     rows by the values of their parameters
  carat compare reports/x --reference nta:coherence=0.9     every row against one that was named beforehand
  carat compare reports/before reports/after --row before/nta --row after/nta
  carat compare reports/x --pairs --format csv              each row with each, a line a pair

Rows are compared on the pages that all of them have. Sites, not pages, are drawn again for intervals and flipped for
tests, for pages of a site are alike. A row is better or worse where the test by site, corrected for the number of
tests, reaches 0.05; else the same where the whole interval lies within 0.005 of zero; else not separable. Rows that
share a letter are not separated, all pairs being tested. docs/statistics.md has the formulas.";

/// Arguments of `carat compare`.
#[derive(Args)]
pub(crate) struct Compare {
    /// Folders of runs, made under equal conditions
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Only rows of this algorithm or stored system, and of these values (may be given several times)
    #[arg(long = "row", value_name = "[RUN/]NAME[:PARAMETER=VALUES,..]")]
    pub rows: Vec<String>,
    /// The row that others are held against [default: the best]
    #[arg(long, value_name = "[RUN/]NAME[:PARAMETER=VALUE,..]")]
    pub reference: Option<String>,
    /// Only this dataset (may be given several times)
    #[arg(long = "dataset", value_name = "NAME")]
    pub datasets: Vec<String>,
    /// Which score of a page to compare
    #[arg(long, value_enum, default_value_t = ScorePart::F1)]
    pub score: ScorePart,
    /// How tests are corrected for their number
    #[arg(long, value_enum, default_value_t = Corrected::Holm)]
    pub correction: Corrected,
    /// Tell each pair of rows, not only those with the reference
    #[arg(long)]
    pub pairs: bool,
    /// How many of the pages that differ most to tell
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub pages: usize,
    /// Where random numbers begin
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// How often sites are drawn again for intervals
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    pub resamples: u32,
    /// How often signs are flipped for tests of more than 20 sites
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1000..=10_000_000))]
    pub flips: u32,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
}

/// A score of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScorePart {
    /// Precision.
    Precision,
    /// Recall.
    Recall,
    /// F1.
    F1,
}

/// How tests are corrected for their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Corrected {
    /// By Holm: no false difference at all, 95 times of 100.
    Holm,
    /// By Benjamini and Hochberg: of the differences that are told, 95 % true; for sweeps.
    Fdr,
}

const DIFF_EXAMPLES: &str = "\
Examples:
  carat diff reports/default blog-2-07                          the page's rows and their scores
  carat diff reports/default blog-2-07 --algorithm nta          what nta lacks and has too much
  carat diff reports/x 1a2b --algorithm cevc:alpha=0.5 --context 0 --side-by-side
  carat diff reports/x 1a2b --algorithm nta --algorithm cevc --color always | less -R

Words are aligned by an exact longest common subsequence, each Han character being a word; scores are those of the run,
over its tokens. A page is named by its id or the beginning of it.";

/// Arguments of `carat diff`.
#[derive(Args)]
pub(crate) struct Diff {
    /// A run's folder
    pub run: PathBuf,
    /// The page's id, or enough of its beginning
    pub page: String,
    /// The page's dataset, where several have such a page
    #[arg(long, value_name = "NAME")]
    pub dataset: Option<String>,
    /// Rows of this algorithm or stored system, and of these values (may be given several times)
    #[arg(long, value_name = "NAME[:PARAMETER=VALUES,..]")]
    pub algorithm: Vec<String>,
    /// Lines without a difference to show around those with one
    #[arg(long, value_name = "LINES", default_value_t = 2)]
    pub context: usize,
    /// Gold on the left, extraction on the right
    #[arg(long)]
    pub side_by_side: bool,
    /// Mark differences by colour
    #[arg(long = "color", value_enum, value_name = "WHEN", default_value_t = Colour::Auto)]
    pub colour: Colour,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never: [-missing-] and {+excess+}.
    Never,
}

const GATE_EXAMPLES: &str = "\
Examples:
  carat gate mine.yaml --baseline reports/baseline.json --accept    make the baseline, or accept what has changed
  carat gate mine.yaml --baseline reports/baseline.json             judge
  carat gate mine.yaml --baseline reports/baseline.json --junit gate.xml --markdown gate.md     for CI

What a run is held to stands in its configuration; these are the defaults:
  gate:
    macro_f1: {level: error, tolerance: 0.005}    any figure of tables/rows.csv: broken where it falls beyond its
                                                  tolerance and the interval of the difference excludes zero
    page_f1: {level: error, tolerance: 0.02}      F1 of each single page
    new_failures: error                           pages that fail, or are not run any more

Exit codes: 0 passed, or too few pages or sites to judge (with a warning); 1 a rule of level `error` is broken; 2 nothing
can be judged, for conditions (dataset, tokens, ..) or rows are not those of the baseline, or there is none.
docs/ci.md has jobs to paste for GitHub Actions and GitLab.";

/// Arguments of `carat gate`.
#[derive(Args)]
pub(crate) struct Gate {
    /// A configuration file (YAML)
    pub config: PathBuf,
    /// The baseline's file
    #[arg(long, value_name = "FILE")]
    pub baseline: PathBuf,
    /// Write the run's scores into the baseline, and tell what that lowers; refused where CI=true
    #[arg(long)]
    pub accept: bool,
    /// The run's folder [default: reports/NAME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Threads [default: one a processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Replace what is in the run's folder
    #[arg(long)]
    pub fresh: bool,
    /// How to print the verdict
    #[arg(long, value_enum, default_value_t = GateFormat::Text)]
    pub format: GateFormat,
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
pub(crate) enum GateFormat {
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

const TUNE_EXAMPLES: &str = "\
Examples:
  carat tune configs/tune.yaml                              what the file's swept parameters should be
  carat tune my.yaml --objective 'recall at precision >= 0.9'
  carat tune my.yaml --objective 'site_macro f1' --folds site --seed 7
  carat tune my.yaml --protocol paper-cevc                  beside it: chosen on 20 % of the pages, drawn once

CONFIG.yaml is a run's configuration; several values, a range or `exact` say which parameters are to be chosen. Its key
`tune` may hold what the options hold, which replace it:

  datasets: [daniel]
  where: {language: zh}
  algorithms:
    - nta: {coherence: 0.6..1.0/0.05, density: 0.3..0.6/0.05}
    - cevc: {alpha: exact}
  tune: {objective: f1, protocol: nested, folds: 10, seed: 1, search: grid}       search: {random: 60} draws settings

Every page is run once under every setting; the run's folder is the journal, so that a tuning that was cut goes on from
the last whole page, and another objective, seed or number of folds costs nothing. Sites are parted into folds; what is
best on all other folds is scored on each, so that no page is judged by a choice that was made on its site.
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

const LIST_EXAMPLES: &str = "\
Examples:
  carat list algorithms            all of them, a line each
  carat list algorithms nta        its parameters, with ranges and defaults, and worked examples
  carat list datasets portals      what it holds
  carat list stopwords --language zh";

/// Arguments of `carat list`.
#[derive(Args)]
pub(crate) struct List {
    /// What to list
    #[arg(value_enum)]
    pub what: Listed,
    /// One of them, in full
    pub name: Option<String>,
    /// The stop list's language
    #[arg(long, value_name = "TAG")]
    pub language: Option<String>,
    /// The stop list: iso or small
    #[arg(long, value_name = "LIST", default_value = "iso")]
    pub stop_list: String,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Listed {
    /// What can be run.
    Algorithms,
    /// What it can be run on.
    Datasets,
    /// How extractions are scored.
    Measures,
    /// Layouts that can be read.
    Importers,
    /// The entries of a stop list.
    Stopwords,
}

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
    /// The folder to read
    pub source: PathBuf,
    /// The folder to write
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// An option of the importer
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// Arguments of `carat external`.
#[derive(Args)]
pub(crate) struct External {
    /// What to do.
    #[command(subcommand)]
    pub command: ExternalCommand,
}

/// Commands on external programs.
#[derive(Subcommand)]
pub(crate) enum ExternalCommand {
    /// Try a worker out on pages that workers stumble over, and say what it does wrong
    #[command(after_long_help = CHECK_EXAMPLES)]
    Check(ExternalCheck),
}

const CHECK_EXAMPLES: &str = "\
Examples:
  carat external check -- python3 examples/external/trafilatura.py
  carat external check --timeout 5 -- ./my-extractor --worker

Exit code 1 where the worker does something wrong. docs/external.md describes the protocol.";

/// Arguments of `carat external check`.
#[derive(Args)]
pub(crate) struct ExternalCheck {
    /// Seconds that a page may take
    #[arg(long, value_name = "SECONDS", default_value = "30")]
    pub timeout: Seconds,
    /// Seconds until the worker's hello
    #[arg(long, value_name = "SECONDS", default_value = "60")]
    pub start_timeout: Seconds,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// The worker's command
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub worker: Vec<String>,
}

/// Arguments of `carat completions`.
#[derive(Args)]
pub(crate) struct Completions {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// Arguments of `carat man`.
#[derive(Args)]
pub(crate) struct Man {
    /// The folder to write carat.1 and a page a command into
    pub folder: PathBuf,
}
