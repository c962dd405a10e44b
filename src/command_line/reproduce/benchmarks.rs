//! `carat reproduce benchmarks`: each benchmark's own table beside ours, and what becomes of its order under an exact measure.

mod found;
mod told;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;

use self::found::{Found, find};
use self::told::Step;
use crate::command_line::arguments::{self, VerdictFormat};
use crate::command_line::failure::Failure;
use crate::command_line::making::{Making, make_each, report_anew};
use crate::command_line::output::{print, print_json, tell};
use crate::command_line::planning::{planned, refuse_among_pages, refuse_around_runs};
use crate::command_line::run::tell_notes;
use crate::decisions::compare::{CompareError, Compared, Request, compare, read_runs};
use crate::decisions::orders::{Differing, Order, differing, order};
use crate::papers::benchmarks::{Benchmark, Upstream};
use crate::report;
use crate::report::benchmarks::{Beside, figure_of};
use crate::report::conditions;
use crate::report::language::Language;
use crate::report::papers::write;
use crate::runs::configuration::{Configuration, NamedRequest, filter};
use crate::runs::folder::Claim;
use crate::runs::pages::read_scores;
use crate::runs::run_folder::RunFolder;
use crate::runs::score_table::ScoreFiles;
use crate::runs::scores::Scores;
use crate::runs::summary::{Summary, SummaryRow};
use crate::scoring::{Comparison, Measure};
use crate::statistics::{Correction, Part, Sampling};

/// Pages that are told of a rule.
const MOST_PAGES: usize = 5;

/// A benchmark that was tried on its pages.
#[derive(Serialize)]
struct Tried {
    benchmark: &'static str,
    upstream: &'static Upstream,
    dataset: String,
    folder: PathBuf,
    conditions: String,
    /// The rule that ranks.
    rule: String,
    /// Its figures beside ours.
    figures: Beside,
    /// The exact measure.
    exact: String,
    /// Whose order it is.
    order_of: OrderOf,
    /// The test of the order; `None` where fewer than two rows can be compared.
    order: Option<Order>,
    /// From the figure that ranks to the exact one.
    steps: Vec<Step>,
    /// Pages on which the rule and the exact measure differ most.
    pages: Vec<Differing>,
    /// True if `pages` are of the rows in contradicted pairs alone.
    pages_of_contradicted: bool,
    /// Every pair of rows by the exact measure.
    #[serde(skip)]
    compared: Option<Compared>,
    #[serde(skip)]
    known: &'static Benchmark,
    #[serde(skip)]
    comparison: Comparison,
    #[serde(skip)]
    has_texts: bool,
}

/// Whose order is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum OrderOf {
    /// The printed figures'.
    Published,
    /// The rule's, of our rows: no two printed rows have an output here.
    Rule,
}

/// Tries every benchmark whose pages are at hand.
pub(super) fn reproduce_benchmarks(arguments: &arguments::Reproduce) -> Result<(), Failure> {
    let found = find(&arguments.datasets)?;
    let tried: Vec<Tried> = found.iter().map(|found| try_benchmark(arguments, found)).collect::<Result<_, _>>()?;
    match arguments.format {
        VerdictFormat::Json => print_json(&serde_json::json!({ "benchmarks": tried })),
        VerdictFormat::Md => print(&tried.iter().map(Tried::markdown).collect::<Vec<_>>().join("\n")),
        VerdictFormat::Text => print(&tried.iter().map(Tried::terminal).collect::<Vec<_>>().join("\n\n")),
    }
}

/// The rules of a benchmark's columns, and where among them stand the one that ranks, the longest common subsequence of its
/// tokens, and the exact measure.
struct Rules {
    all: Vec<Comparison>,
    ranking: usize,
    same_tokens: usize,
    exact: usize,
}

impl Rules {
    fn of(benchmark: &Benchmark) -> Result<Self, String> {
        let read = |rule: &str| Comparison::read(rule, Comparison::default());
        let mut rules = Rules { all: Vec::new(), ranking: 0, same_tokens: 0, exact: 0 };
        for rule in benchmark.columns.iter().filter_map(|column| column.rule.as_deref()) {
            rules.place(read(rule)?);
        }
        let ranking = benchmark.ranking().and_then(|column| column.rule.as_deref()).unwrap_or_default();
        let ranking = read(ranking)?;
        rules.ranking = rules.place(ranking);
        rules.same_tokens = rules.place(Comparison { measure: Measure::Lcs, ..ranking });
        rules.exact = rules.place(Comparison::default());
        Ok(rules)
    }

    /// The place of `rule`, which is added where it is not there.
    fn place(&mut self, rule: Comparison) -> usize {
        self.all.iter().position(|known| *known == rule).unwrap_or_else(|| {
            self.all.push(rule);
            self.all.len() - 1
        })
    }
}

fn try_benchmark(arguments: &arguments::Reproduce, found: &Found) -> Result<Tried, Failure> {
    let benchmark = found.benchmark;
    let rules = Rules::of(benchmark).map_err(Failure::request)?;
    let folder = arguments.out.join("benchmarks").join(&benchmark.name);
    refuse_around_runs(&folder)?;
    let mut plan = planned(configuration(arguments, found, &rules)?)?;
    let making = Making {
        fresh: arguments.fresh,
        with_texts: !arguments.no_texts,
        with_cache: true,
        with_report: true,
        report_pages: report::MOST_PAGES,
        scores: ScoreFiles::default(),
        language: arguments.lang,
    };
    let below = folder.join("run");
    let outs: Vec<PathBuf> = rules.all.iter().map(|rule| below.join(rule.file_stem())).collect();
    outs.iter().try_for_each(|out| refuse_among_pages(&plan, Some(out)))?;
    match make_each(&mut plan, &outs, &making)?.as_ref().and_then(|made| made.first()) {
        Some((_, info)) => tell_notes(info),
        None => {
            tell(&format!("{} holds these runs already; --fresh makes them again", below.display()));
            outs.iter().try_for_each(|out| report_anew(out, &making))?;
        }
    }
    let summaries: Vec<Summary> = outs.iter().map(|out| RunFolder::open(out)?.summary()).collect::<Result<_, _>>()?;
    let tried = judged(arguments, benchmark, &rules, (folder, &outs), &summaries)?;
    for warning in write(&Claim::of(&tried.folder)?, &tried.tables(), &[], Language::English)? {
        tell(&format!("warning: {warning}"));
    }
    Ok(tried)
}

/// The run over the pages of `found`.
fn configuration(arguments: &arguments::Reproduce, found: &Found, rules: &Rules) -> Result<Configuration, Failure> {
    let benchmark = found.benchmark;
    let mut configuration = Configuration {
        name: benchmark.name.clone(),
        datasets: vec![NamedRequest::from_argument(&found.dataset)],
        filters: benchmark.filters.clone(),
        keep_going: arguments.loading.keep_going,
        gold_outside: arguments.loading.trust.gold_outside,
        ..Configuration::default()
    };
    match benchmark.algorithms.is_empty() {
        true => configuration.stored = vec![NamedRequest::from_argument("all")],
        false => configuration.replace_algorithms(&benchmark.algorithms)?,
    }
    for argument in &arguments.filters {
        let (key, value) = filter(argument)?;
        configuration.filters.insert(key, value);
    }
    configuration.take_comparisons(rules.all.clone()).map_err(Failure::request)?;
    Ok(configuration)
}

/// The judgement on the runs in `outs`.
fn judged(
    arguments: &arguments::Reproduce,
    benchmark: &'static Benchmark,
    rules: &Rules,
    (folder, outs): (PathBuf, &[PathBuf]),
    summaries: &[Summary],
) -> Result<Tried, Failure> {
    let names: Vec<String> = rules.all.iter().map(ToString::to_string).collect();
    let figures = Beside::new(benchmark, &names, summaries);
    let exact = &summaries[rules.exact];
    let dataset = exact.conditions.datasets.keys().next().cloned().unwrap_or_default();
    let printed = figures.printed_order();
    let (order_of, placed) = match printed.len() {
        0 | 1 => (OrderOf::Rule, figures.own_order()),
        _ => (OrderOf::Published, printed),
    };
    let sampling = Sampling { seed: arguments.seed, ..Sampling::default() };
    let compared = compared(&outs[rules.exact], exact, sampling)?;
    let order = compared.as_ref().map(|compared| order(&placed, &compared.rows, &compared.comparisons));
    let contradicted = order.iter().flat_map(|order| &order.contradicted);
    let contradicted: BTreeSet<String> =
        contradicted.flat_map(|pair| [pair.above.clone(), pair.below.clone()]).collect();
    let all: BTreeSet<String> = placed.iter().map(|(name, _)| name.clone()).collect();
    let pages_of_contradicted = !contradicted.is_empty();
    let [by_rule, by_tokens, by_exact] =
        [rules.ranking, rules.same_tokens, rules.exact].map(|place| scores(&outs[place]));
    let of = if pages_of_contradicted { &contradicted } else { &all };
    let pages = differing([&by_rule?, &by_tokens?, &by_exact?], of, MOST_PAGES);
    Ok(Tried {
        benchmark: &benchmark.name,
        upstream: &benchmark.upstream,
        conditions: conditions::line(exact, &dataset),
        dataset,
        folder,
        rule: names[rules.ranking].clone(),
        exact: names[rules.exact].clone(),
        steps: steps(benchmark, rules, summaries),
        figures,
        order_of,
        order,
        pages,
        pages_of_contradicted,
        compared,
        known: benchmark,
        comparison: rules.all[rules.ranking],
        has_texts: !arguments.no_texts,
    })
}

/// Every pair of rows by the exact measure, whose run is in `folder`; `None` where there are no two rows with a common page,
/// which is told.
fn compared(folder: &Path, exact: &Summary, sampling: Sampling) -> Result<Option<Compared>, Failure> {
    if exact.rows.iter().filter(|row| row.is_ranked()).count() < 2 {
        return Ok(None);
    }
    let request = Request {
        rows: Vec::new(),
        reference: None,
        where_loses: None,
        datasets: Vec::new(),
        part: Part::F1,
        correction: Correction::Holm,
        every_pair: true,
        pages: 0,
        sampling,
    };
    match read_runs(&[folder], &[]).and_then(|runs| compare(&runs, &request)) {
        Ok(mut compared) => Ok((!compared.is_empty()).then(|| compared.remove(0))),
        Err(why @ (CompareError::Request(_) | CompareError::Number { .. })) => {
            tell(&format!("no order is tested: {why}"));
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

fn scores(folder: &Path) -> Result<Scores, Failure> {
    Ok(read_scores(&RunFolder::open(folder)?)?)
}

/// From the figure that ranks to the exact one, row by row, the largest change first.
fn steps(benchmark: &Benchmark, rules: &Rules, summaries: &[Summary]) -> Vec<Step> {
    let find = |place: usize, name: &str| summaries[place].rows.iter().find(|row| row.full_label() == name);
    let figure = benchmark.ranking().map(|column| column.figure.as_str()).unwrap_or_default();
    let step = |row: &SummaryRow| {
        let name = row.full_label();
        let mean = |place| Some(find(place, &name)?.aggregates.macro_.f1);
        Some(Step {
            figure: figure_of(row, figure)?,
            rule: row.aggregates.macro_.f1,
            same_tokens: mean(rules.same_tokens)?,
            exact: mean(rules.exact)?,
            empty: row.empty,
            row: name,
        })
    };
    let mut steps: Vec<Step> = summaries[rules.ranking].rows.iter().filter_map(step).collect();
    steps.sort_by(|one, other| other.change().total_cmp(&one.change()));
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::find as find_algorithm;
    use crate::papers::benchmarks::benchmarks;
    use crate::report::benchmarks::WEBMAINBENCH;
    use crate::statistics::Figure;

    #[test]
    fn every_rule_figure_and_row_of_a_benchmark_is_known() {
        for benchmark in benchmarks() {
            let rules = Rules::of(benchmark).unwrap();
            assert_eq!(rules.all[rules.exact].to_string(), "lcs char");
            for column in &benchmark.columns {
                let Some(rule) = &column.rule else { continue };
                let names: Vec<String> = rules.all.iter().map(ToString::to_string).collect();
                assert!(names.contains(rule), "{}: {rule} is not written as carat writes it", benchmark.name);
                let is_known = Figure::ALL.iter().any(|figure| figure.to_string() == column.figure);
                assert!(is_known || column.figure == WEBMAINBENCH, "{}: {}", benchmark.name, column.figure);
            }
            for name in &benchmark.algorithms {
                assert!(find_algorithm(name).is_ok(), "{}: {name}", benchmark.name);
            }
            let mut configuration = Configuration::default();
            configuration.replace_algorithms(&benchmark.algorithms).unwrap();
            configuration.take_comparisons(rules.all).unwrap();
        }
    }

    #[test]
    fn the_rule_is_taken_apart_by_its_own_tokens() {
        let of = |name: &str| benchmarks().iter().find(|benchmark| benchmark.name == name).unwrap();
        let rules = Rules::of(of("wcxb")).unwrap();
        let names: Vec<String> = rules.all.iter().map(ToString::to_string).collect();
        assert_eq!(names, ["bag w lower", "set ws lower", "lcs w lower", "lcs char"]);
        assert_eq!((rules.ranking, rules.same_tokens, rules.exact), (0, 2, 3));
    }
}
