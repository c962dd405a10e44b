//! Rows with what is known of their figures: intervals by site, and letters.

use serde_json::{Map, Value as Json, json};

use super::families::datasets;
use super::latex::latex_table;
use super::markdown::code;
use super::row_labels::reads_gold;
use super::table_format::{csv_text, four, plain_table, six, table_lines};
use super::terminal_rows::rows_in_terminal;
use super::{conditions, markdown};
use crate::runs::scores::{CommonPages, RowKey, RowScores, Scores, site_totals};
use crate::runs::summary::{Summary, SummaryRow};
use crate::statistics::{
    Aggregate, Correction, Estimate, FEW_SITES, Figure, Interval, Paired, Part, Sampling, estimates,
};

/// More rows get no letters: each would be tested against each.
const MOST_ROWS: usize = 100;

/// A run with its estimates.
pub struct Stats<'s> {
    summary: &'s Summary,
    sampling: Sampling,
    datasets: Vec<Block>,
}

/// A row as [`Stats::rows_of`] tells it.
pub struct StatsRow<'s> {
    /// The algorithm's name.
    pub algorithm: &'s str,
    /// What tells the row from others of its algorithm.
    pub setting: &'s str,
    /// Pages behind the figure.
    pub pages: u64,
    /// Macro F1.
    pub f1: &'s Estimate,
    /// Rows that share a letter are not separated.
    pub letters: &'s str,
}

/// A dataset's rows.
struct Block {
    dataset: String,
    rows: Vec<Line>,
    /// What must be known of letters and intervals, a sentence each.
    notes: Vec<String>,
}

/// A row with its estimates, in the order of [`Figure::ALL`].
struct Line {
    algorithm: String,
    setting: String,
    /// What tells it from rows that have letters.
    mark: String,
    /// What it reads of the gold; empty where it reads none.
    reads_gold: String,
    pages: u64,
    estimates: Vec<Estimate>,
    letters: String,
    /// The first and the last place that it may have: those of rows that are separated from it are not its own.
    ranks: Option<[usize; 2]>,
}

impl<'s> Stats<'s> {
    /// Of the rows of a run that a terminal shows, or of all, with their scores.
    pub fn of(summary: &'s Summary, scores: &Scores, sampling: Sampling, only_shown: bool) -> Self {
        let none = RowScores::new();
        let block = |dataset: &&str| {
            let all = summary.rows.iter().filter(|row| row.dataset == **dataset);
            let mut rows = if only_shown { rows_in_terminal(summary, dataset) } else { all.collect() };
            let rank = |row: &SummaryRow| if !row.is_ranked() { -1.0 } else { row.aggregates.macro_.f1 };
            rows.sort_by(|one, other| rank(other).total_cmp(&rank(one)));
            let with_scores: Vec<(&SummaryRow, &RowScores)> =
                rows.iter().map(|row| (*row, scores.get(&row.key()).unwrap_or(&none))).collect();
            block(dataset, &with_scores, sampling)
        };
        let blocks = datasets(&summary.rows).iter().map(block).collect();
        Stats { sampling, datasets: blocks, summary }
    }

    /// The interval of a row's macro F1, and its letters.
    pub(super) fn of_row(&self, (dataset, algorithm, setting): &RowKey) -> (Option<Interval>, &str) {
        let block = self.datasets.iter().find(|block| block.dataset == *dataset);
        let row = block
            .and_then(|block| block.rows.iter().find(|row| (&row.algorithm, &row.setting) == (algorithm, setting)));
        let estimate = row.and_then(|row| row.estimate(Figure(Aggregate::Macro, Part::F1)));
        (estimate.and_then(|estimate| estimate.percentile), row.map_or("", |row| row.letters.as_str()))
    }

    /// The rows of `dataset` that are ranked, the best first.
    pub fn rows_of(&self, dataset: &str) -> Vec<StatsRow<'_>> {
        let rows = self.datasets.iter().filter(|block| block.dataset == dataset).flat_map(|block| &block.rows);
        let row = |row| {
            let row: &Line = row;
            let f1 = row.estimate(Figure(Aggregate::Macro, Part::F1))?;
            Some(StatsRow {
                algorithm: &row.algorithm,
                setting: &row.setting,
                pages: row.pages,
                f1,
                letters: &row.letters,
            })
        };
        rows.filter(|row| row.mark.is_empty()).filter_map(row).collect()
    }

    /// What must be known of a dataset's intervals and letters, a sentence each, its conditions last.
    pub fn notes_of(&self, dataset: &str) -> Vec<String> {
        let block = self.datasets.iter().find(|block| block.dataset == dataset);
        block.map(|block| self.notes(block, &str::to_owned)).unwrap_or_default()
    }

    /// Tables for a terminal.
    pub fn terminal(&self) -> String {
        let blocks = self.datasets.iter().map(|block| {
            let mut table = plain_table(HEADER.into_iter());
            for row in &block.rows {
                table.add_row(row.cells());
            }
            format!(
                "{}\n{}\n{}\n",
                block.dataset,
                table_lines(table, 2).join("\n"),
                self.notes(block, &str::to_owned).join("\n")
            )
        });
        blocks.collect::<Vec<_>>().join("\n")
    }

    /// Tables as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = format!("# {}\n", code(&self.summary.name));
        for block in &self.datasets {
            let rows = block.rows.iter().map(|row| row.cells().into());
            text.push_str(&format!("\n## {}\n\n{}", code(&block.dataset), markdown::table(HEADER, &[0, 1], 2, rows)));
            text.push_str(&format!("\n{}", markdown::list(&self.notes(block, &code))));
        }
        text
    }

    /// Tables for LaTeX, with the package booktabs.
    pub fn latex(&self) -> String {
        let table = |block: &Block| {
            let rows: Vec<Vec<String>> = block.rows.iter().map(|row| row.cells().into()).collect();
            let caption = format!("{}: F1 with intervals, ranks and letters", block.dataset);
            latex_table(
                (&format!("stats-{}", block.dataset), &caption),
                &HEADER,
                2,
                &rows,
                &self.notes(block, &str::to_owned),
            )
        };
        self.datasets.iter().map(table).collect::<Vec<_>>().join("\n")
    }

    /// Every figure with its error and intervals, a line each.
    pub fn csv(&self) -> String {
        let header = [
            "dataset", "algorithm", "setting", "letters", "figure", "point", "error", "low", "high", "bca_low",
            "bca_high", "level", "pages", "sites", "resamples", "seed", "first_rank", "last_rank", "reads_gold",
        ];
        let rows = self.datasets.iter().flat_map(|block| block.rows.iter().map(move |row| (block, row)));
        let lines = rows.flat_map(|(block, row)| {
            row.estimates.iter().zip(Figure::ALL).map(move |(estimate, figure)| {
                let named = [&block.dataset, &row.algorithm, &row.setting, &row.letters].map(Clone::clone);
                let known = |figure: Option<f64>| figure.map(six).unwrap_or_default();
                let ends = [estimate.percentile, estimate.bca];
                let ends = ends.map(|interval| [interval.map(|known| known.low), interval.map(|known| known.high)]);
                let mut line: Vec<String> = named.into();
                line.extend([figure.to_string(), six(estimate.point), known(estimate.error)]);
                line.extend(ends.into_iter().flatten().map(known));
                line.extend([estimate.level.to_string(), estimate.pages.to_string(), estimate.sites.to_string()]);
                line.extend([estimate.resamples.to_string(), self.sampling.seed.to_string()]);
                line.extend([0, 1].map(|end| row.ranks.map(|ranks| ranks[end].to_string()).unwrap_or_default()));
                line.push(row.reads_gold.clone());
                line
            })
        });
        csv_text(&header, lines)
    }

    /// The same for programs.
    pub fn json(&self) -> Json {
        let row = |row: &Line| {
            let named = Figure::ALL.iter().map(Figure::to_string);
            let estimates: Map<String, Json> =
                named.zip(row.estimates.iter().map(|estimate| json!(estimate))).collect();
            let reads_gold = (!row.reads_gold.is_empty()).then_some(&row.reads_gold);
            json!({"algorithm": row.algorithm, "setting": row.setting, "reads_gold": reads_gold, "letters": row.letters, "ranks": row.ranks, "estimates": estimates})
        };
        let block = |block: &Block| json!({"dataset": block.dataset, "rows": block.rows.iter().map(row).collect::<Vec<_>>(), "notes": block.notes});
        json!({
            "name": self.summary.name,
            "conditions": self.summary.conditions,
            "sampling": self.sampling,
            "datasets": self.datasets.iter().map(block).collect::<Vec<_>>(),
        })
    }

    /// `mark` sets off what others have named.
    fn notes(&self, block: &Block, mark: &dyn Fn(&str) -> String) -> Vec<String> {
        let Sampling { seed, resamples, flips, level } = self.sampling;
        let mut notes = vec![format!(
            "intervals: {:.0} % percentile, {resamples} resamples of sites; rows that share a letter are not \
             separated in macro F1 at {:.2} (sign flips of sites, {flips} or all, Holm), and ranks are the places that a \
             row may have among those that it is not separated from; seed {seed}",
            100.0 * level,
            1.0 - level
        )];
        notes.extend(block.notes.iter().cloned());
        notes.push(mark(&conditions::line(self.summary, &block.dataset)));
        notes
    }
}

const HEADER: [&str; 8] = ["algorithm", "setting", "pages", "F1", "site F1", "micro F1", "ranks", "letters"];

impl Line {
    fn estimate(&self, figure: Figure) -> Option<&Estimate> {
        let place = Figure::ALL.iter().position(|known| *known == figure);
        place.and_then(|place| self.estimates.get(place))
    }

    fn cells(&self) -> [String; HEADER.len()] {
        let shown =
            |aggregate: Aggregate| self.estimate(Figure(aggregate, Part::F1)).map(with_interval).unwrap_or_default();
        [
            self.algorithm.clone(),
            [self.setting.as_str(), &self.mark].join(" ").trim().to_owned(),
            self.pages.to_string(),
            shown(Aggregate::Macro),
            shown(Aggregate::SiteMacro),
            shown(Aggregate::Micro),
            self.ranks.map(|[first, last]| format!("{first}–{last}")).unwrap_or_default(),
            self.letters.clone(),
        ]
    }
}

fn with_interval(estimate: &Estimate) -> String {
    let point = four(estimate.point);
    match estimate.percentile {
        Some(Interval { low, high }) => format!("{point} [{}, {}]", four(low), four(high)),
        None => point,
    }
}

fn block(dataset: &str, rows: &[(&SummaryRow, &RowScores)], sampling: Sampling) -> Block {
    let totals: Vec<_> = rows.iter().map(|(_, scores)| site_totals(scores)).collect();
    let estimates = estimates(&totals, &sampling);
    // What reads gold is last, and gets no letters: it is not compared with the others.
    let ranked = rows.iter().filter(|(row, _)| row.is_ranked());
    let all: Vec<&RowScores> = ranked.map(|(_, scores)| *scores).collect();
    let common = CommonPages::of(&all);
    let mut notes = Vec::new();
    let most = all.iter().map(|scores| scores.len()).max().unwrap_or(0);
    let has_letters = all.len() <= MOST_ROWS && !common.pages.is_empty();
    let mut letters = if has_letters {
        if common.pages.len() < most {
            notes.push(format!("letters: of the {} pages that every row has", common.pages.len()));
        }
        let scores = all.iter().map(|scores| common.scores(scores, Part::F1)).collect();
        let tested = Paired::new(scores, common.sites.clone(), Sampling { resamples: 2, ..sampling });
        tested.test_all(Correction::Holm).letters
    } else {
        notes.push(format!("no letters: more than {MOST_ROWS} rows, or no page that every row has"));
        Vec::new()
    };
    let mut ranks: Vec<Option<[usize; 2]>> = ranks(&letters).into_iter().map(Some).collect();
    letters.resize(rows.len(), String::new());
    ranks.resize(rows.len(), None);
    if common.site_count < FEW_SITES {
        notes.push(format!(
            "too few sites: with {} no test reaches 0.05, and intervals are narrower than they say",
            common.site_count
        ));
    }
    let known = rows.iter().zip(estimates).zip(letters.into_iter().zip(ranks));
    let line = known.map(|(((row, scores), estimates), (letters, ranks))| Line {
        algorithm: row.algorithm.clone(),
        setting: row.label(),
        mark: row.mark(),
        reads_gold: reads_gold(row),
        pages: scores.len() as u64,
        estimates,
        letters,
        ranks,
    });
    Block { dataset: dataset.to_owned(), rows: line.collect(), notes }
}

/// The first and the last place that each row may have, of rows with these letters and in the order of their means: better
/// rows that are separated from it stand before it, worse ones behind it.
fn ranks(letters: &[String]) -> Vec<[usize; 2]> {
    let is_separated = |one: usize, other: usize| !letters[one].chars().any(|letter| letters[other].contains(letter));
    let all = 0..letters.len();
    let places = all.clone().map(|row| {
        let before = (0..row).filter(|&better| is_separated(row, better)).count();
        let behind = (row + 1..letters.len()).filter(|&worse| is_separated(row, worse)).count();
        [before + 1, all.len() - behind]
    });
    places.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_may_have_the_places_of_those_that_it_is_not_separated_from() {
        let letters = ["a", "ab", "b", "b", "c"].map(str::to_owned);
        assert_eq!(ranks(&letters), [[1, 2], [1, 4], [2, 4], [2, 4], [5, 5]]);
        assert!(ranks(&[]).is_empty());
    }
}
