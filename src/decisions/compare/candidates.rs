//! The rows that can be compared, and those that are meant.

use std::collections::BTreeSet;

use super::{CompareError, Request, Run};
use crate::formats::shell::shell_command;
use crate::runs::best::best_first;
use crate::runs::kinds::reads_gold;
use crate::runs::reads_gold::ReadsGold;
use crate::runs::row_names::name_of;
use crate::runs::scores::RowScores;
use crate::runs::summary::SummaryRow;
use crate::runs::times::RowTimes;
use crate::statistics::MOST_TESTED;
use crate::text::nearest;

/// The way out where there are too few rows.
pub const FEW_ROWS: &str = "run another algorithm, or name two runs; an exact sweep has no rows, and one with a step has, as in \
                            alpha=0..1/0.05";

/// Rows that an error names at most.
const NAMED: usize = 10;

/// A row with its scores.
pub(in crate::decisions) struct Candidate<'r> {
    /// As on the command line, with its run's name where there are several.
    pub(in crate::decisions) name: String,
    run: &'r Run,
    pub(in crate::decisions) row: &'r SummaryRow,
    pub(in crate::decisions) scores: &'r RowScores,
}

impl<'r> Candidate<'r> {
    /// Its times, where its run measured them.
    pub(super) fn times(&self) -> Option<&'r RowTimes> {
        self.run.times.get(&self.row.key()).filter(|times| times.median > 0.0)
    }

    /// True if it is compared where no row is named.
    pub(super) fn is_comparable(&self) -> bool {
        self.row.is_ranked() && !self.scores.is_empty()
    }

    fn is_meant_by(&self, spec: &str) -> bool {
        let of_run = spec.strip_prefix(&self.run.name).and_then(|rest| rest.strip_prefix('/'));
        self.row.is_meant_by(spec) || of_run.is_some_and(|spec| self.row.is_meant_by(spec))
    }
}

/// Every row of `dataset` but bounds, in the order of runs and their summaries.
pub(in crate::decisions) fn candidates<'r>(runs: &'r [Run], dataset: &str) -> Result<Vec<Candidate<'r>>, CompareError> {
    let rows = runs.iter().flat_map(|run| run.summary.rows.iter().map(move |row| (run, row)));
    let candidate = |(run, row): (&'r Run, &'r SummaryRow)| {
        let label = row.full_label();
        let name = if runs.len() > 1 { format!("{}/{label}", run.name) } else { label };
        let scores = run.scores.get(&row.key()).ok_or_else(|| {
            CompareError::Request(format!("{}: scores.csv lacks the row {name}; run again with --fresh", run.name))
        })?;
        Ok(Candidate { name, run, row, scores })
    };
    rows.filter(|(_, row)| row.dataset == dataset && !row.is_bound()).map(candidate).collect()
}

/// True if two names of rows are the same, with decimals in whatever form: `nta coherence=0.9`, `nta coherence=0.90`.
fn is_same_name(one: &str, other: &str) -> bool {
    let plain = |name: &str| -> Vec<String> {
        let decimal = |word: &str| match word.split_once('=').filter(|(_, value)| value.contains('.')) {
            Some((key, value)) => format!("{key}={}", value.trim_end_matches('0').trim_end_matches('.')),
            None => word.to_owned(),
        };
        name.split([' ', ',']).map(decimal).collect()
    };
    plain(one) == plain(other)
}

pub(super) fn chosen<'c, 'r>(
    all: &'c [Candidate<'r>],
    dataset: &str,
    request: &Request,
) -> Result<Vec<&'c Candidate<'r>>, CompareError> {
    let specs = || request.rows.iter().chain(&request.reference).chain(&request.where_loses);
    for spec in specs() {
        let name = spec.rsplit('/').next().and_then(|name| name.split(':').next()).unwrap_or_default();
        if reads_gold(name, "") == Some(ReadsGold::Page) {
            return Err(CompareError::Request(format!(
                "`{spec}` is a bound: it saw the gold, and is compared with nothing"
            )));
        }
        if !all.iter().any(|candidate| candidate.is_meant_by(spec)) {
            return Err(CompareError::Request(unmeant(all, dataset, spec)));
        }
    }
    // The whole name of a row means it alone, and no row that has more settings.
    let is_whole = |spec: &str| spec.contains(' ') && all.iter().any(|known| is_same_name(&known.name, spec));
    let means = |spec: &String, candidate: &Candidate<'_>| match is_whole(spec) {
        true => is_same_name(&candidate.name, spec),
        false => candidate.is_meant_by(spec),
    };
    let is_chosen = |candidate: &&Candidate<'_>| match request.rows.is_empty() {
        true => candidate.is_comparable(),
        false => specs().any(|spec| means(spec, candidate)),
    };
    let chosen: Vec<&Candidate<'_>> = all.iter().filter(is_chosen).collect();
    if let Some(unscored) = chosen.iter().find(|candidate| candidate.scores.is_empty()) {
        let name = &unscored.name;
        return Err(CompareError::Request(format!("no page of {dataset} counts in the row `{name}`: leave it out")));
    }
    if let Some(learned) = chosen.iter().find(|candidate| candidate.row.is_ranked() != chosen[0].row.is_ranked()) {
        let [learned, other] = if learned.row.is_ranked() { [chosen[0], *learned] } else { [*learned, chosen[0]] };
        let why = match learned.row.reads_gold {
            Some(_) => {
                format!("`{}` learned from the gold of other pages, and `{}` read none", learned.name, other.name)
            }
            None => format!("carat rendered the texts of `{}`, and `{}` wrote Markdown", learned.name, other.name),
        };
        return Err(CompareError::Request(format!("{why}: they are not compared")));
    }
    match chosen.len() {
        0 | 1 if !request.rows.is_empty() => {
            let message = format!("--row means {} row of {dataset}, and it takes two to compare", chosen.len());
            let way_out = "name another one with --row, or hold all rows against it with --reference in place of --row";
            Err(CompareError::Number { message, way_out: way_out.to_owned() })
        }
        0 | 1 => {
            let message = format!("{dataset} has {} row here, and it takes two to compare", chosen.len());
            Err(CompareError::Number { message, way_out: FEW_ROWS.to_owned() })
        }
        many if many > MOST_TESTED && request.tests_all_pairs() => {
            let message = format!(
                "{many} rows of {dataset} are too many to compare each with each: choose at most {MOST_TESTED} with --row, or \
                 one to hold all against with --reference"
            );
            let few = best_and_default(&chosen);
            let options: Vec<_> = few.iter().map(|name| ("--row", Some(name.as_str()))).collect();
            let way_out = format!("the best and the default of each algorithm are{}", shell_command("", &[], &options));
            Err(CompareError::Number { message, way_out })
        }
        _ => Ok(chosen),
    }
}

/// The best row of each algorithm, and those at their defaults, each as `--row` takes it.
pub(super) fn best_and_default(rows: &[&Candidate<'_>]) -> Vec<String> {
    let swept: Vec<_> = rows.iter().map(|own| own.row.swept_values()).collect();
    // No F1 is negative, so their bits are in their order.
    let f1: Vec<u64> = rows.iter().map(|own| own.row.aggregates.macro_.f1.to_bits()).collect();
    let mut led = BTreeSet::new();
    let order = best_first(&swept, &f1).into_iter();
    let best: BTreeSet<usize> = order.filter(|&place| led.insert(&rows[place].row.algorithm)).collect();
    let is_default = |own: &Candidate<'_>| own.row.swept.iter().all(|name| !own.row.differs.contains(name));
    let chosen = (0..rows.len()).filter(|place| best.contains(place) || is_default(rows[*place]));
    chosen.map(|place| name_of(&rows[place].name)).take(MOST_TESTED).collect()
}

/// The sentence about a row that `spec` means and that is not there: of an algorithm that is, its settings.
fn unmeant(all: &[Candidate<'_>], dataset: &str, spec: &str) -> String {
    let system = spec.split([':', ' ']).next().unwrap_or_default();
    let of_system: Vec<&str> =
        all.iter().filter(|candidate| candidate.is_meant_by(system)).map(|candidate| candidate.name.as_str()).collect();
    if !of_system.is_empty() {
        return format!("no row of {dataset} is meant by `{spec}`; of {system} there are {}", listed(&of_system));
    }
    let names: Vec<&str> = all.iter().map(|candidate| candidate.name.as_str()).collect();
    let algorithms = all.iter().map(|candidate| candidate.row.algorithm.as_str());
    let near = nearest(spec, names.iter().copied().chain(algorithms));
    let near = near.map_or(String::new(), |name| format!("did you mean `{name}`? "));
    format!("no row of {dataset} is meant by `{spec}`; {near}there are {}", listed(&names))
}

/// The first of `names`.
fn listed(names: &[&str]) -> String {
    let others = (names.len() > NAMED).then_some("others");
    names.iter().take(NAMED).copied().chain(others).collect::<Vec<_>>().join(", ")
}

/// The place of the one row that an option means, where it is given.
pub(super) fn meant(
    rows: &[(&Candidate<'_>, Vec<u64>)],
    option: &str,
    spec: Option<&String>,
) -> Result<Option<usize>, CompareError> {
    let Some(spec) = spec else { return Ok(None) };
    let meant: Vec<usize> = (0..rows.len()).filter(|&place| rows[place].0.is_meant_by(spec)).collect();
    match meant[..] {
        [place] => Ok(Some(place)),
        _ => {
            let names: Vec<&str> = meant.iter().take(NAMED).map(|&place| rows[place].0.name.as_str()).collect();
            Err(CompareError::Request(format!(
                "{option} {spec} means {} rows, and one is needed: {}",
                meant.len(),
                names.join(", ")
            )))
        }
    }
}
