//! What every page comes to under every setting of a system, and which of equally good settings is taken. A tuning
//! runs every setting once, on every page; all that is chosen and judged afterwards is arithmetic over what stands here.

use std::collections::BTreeSet;

use super::best::{Preference, best_run, steps_from_default};
use super::candidates::Tunable;
use super::folder_error::FolderError;
use super::page_outcome::SweepOutcome;
use super::plan::Plan;
use super::results::for_each;
use super::row_outcome::RowOutcome;
use super::sweep::{Piece, Step, common_pieces, interval, middle};
use super::system::Row;
use super::units::Units;
use super::values::text_of;
use crate::algorithms::parameters::{ParameterKind, Values};
use crate::algorithms::value::Value;
use crate::scoring::Score;

/// A page that counts in every row.
#[derive(Clone, Debug)]
pub struct TunedPage {
    /// Its id.
    pub id: String,
    /// Its site; its id where it has none.
    pub site: String,
    /// Its language, if the dataset says.
    pub language: Option<String>,
}

/// What a page comes to under a setting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// `matched, extracted, gold`; of an exact sweep none.
    pub counts: [u64; 3],
    /// Precision, recall and F1 in units of 1e-12.
    pub score: [u64; 3],
}

/// A setting that was tried, or a piece of an exact sweep, in which all settings are alike.
#[derive(Clone, Debug)]
pub struct Point {
    /// The chosen parameters' values, in their order; of the one that is swept exactly nothing.
    values: Vec<String>,
    piece: Option<Piece>,
    /// How many other values lie between its own and the defaults, over its parameters.
    from_default: usize,
}

/// The settings of one system, and what every page comes to under each.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The chosen parameters.
    pub parameters: Vec<String>,
    /// The settings in order.
    pub points: Vec<Point>,
    /// The rows of those that are no pieces, in the same order: name and label.
    pub rows: Vec<String>,
    /// The row of the default.
    pub default_row: String,
    /// The place of the exactly swept parameter, and its default.
    exact: Option<(usize, Value)>,
    /// The default's values.
    pub default_values: Vec<String>,
    /// For each point, true if it was run on every page.
    pub is_whole: Vec<bool>,
    /// By page: what it comes to from each of these points on, up to the next one. Before the first it is nothing.
    pub cells: Vec<Vec<(usize, Cell)>>,
    /// By page what it comes to where the chosen parameters are at their default.
    pub default: Vec<Cell>,
}

/// A setting that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Its point.
    pub point: usize,
    /// The chosen parameters' values, in their order.
    pub values: Vec<String>,
}

/// The data of the dataset at `place` for tuning: its pages that have a gold and that count in every row, and each
/// system's settings over them.
///
/// # Errors
/// [`FolderError`]: a unit that is missing or damaged.
pub fn read_settings(
    plan: &Plan,
    units: &Units,
    place: usize,
    tunables: &[&Tunable],
) -> Result<(Vec<TunedPage>, Vec<Settings>), FolderError> {
    let dataset = &plan.datasets[place];
    let given_up = given_up(plan, units, place, tunables)?;
    let mut pages = Vec::new();
    let mut settings: Vec<Reader<'_>> = tunables.iter().map(|tunable| Reader::new(plan, tunable)).collect();
    for_each(units, plan.rows.len(), dataset, &dataset.records, |record, outcome| {
        let Some(rows) = &outcome.rows else { return Ok(()) };
        settings.iter_mut().for_each(|settings| settings.see(rows));
        // What a measure leaves out in one row counts in no other: the settings would be compared on other pages.
        let lacks = |(number, (outcome, row)): (usize, (&RowOutcome, &Row))| {
            row.system.is_of(place) && outcome.score().is_none() && !given_up.contains(&number)
        };
        if rows.iter().zip(&plan.rows).enumerate().any(lacks) {
            return Ok(());
        }
        let site = record.site_or_id().to_owned();
        pages.push(TunedPage { id: record.id.clone(), site, language: record.language.clone() });
        settings.iter_mut().for_each(|settings| settings.add(rows, &outcome.sweeps));
        Ok(())
    })?;
    Ok((pages, settings.into_iter().map(Reader::finish).collect()))
}

/// The settings that were not run on some page, and that are no default: none of them is ever chosen, so the pages that they
/// lack count all the same.
fn given_up(plan: &Plan, units: &Units, place: usize, tunables: &[&Tunable]) -> Result<BTreeSet<usize>, FolderError> {
    let defaults: BTreeSet<usize> = tunables.iter().map(|tunable| tunable.default).collect();
    let may_be = tunables.iter().flat_map(|tunable| &tunable.rows).copied().filter(|row| !defaults.contains(row));
    let may_be: BTreeSet<usize> = may_be.collect();
    let mut given_up = BTreeSet::new();
    if !plan.configuration.asks_others() {
        return Ok(given_up);
    }
    let dataset = &plan.datasets[place];
    for_each(units, plan.rows.len(), dataset, &dataset.records, |_, outcome| {
        let rows = outcome.rows.iter().flatten().enumerate();
        let not_run = rows.filter(|(_, outcome)| matches!(outcome, RowOutcome::NotRun)).map(|(row, _)| row);
        given_up.extend(not_run.filter(|row| may_be.contains(row)));
        Ok(())
    })?;
    Ok(given_up)
}

/// Gathers one system's settings page by page.
struct Reader<'t> {
    plan: &'t Plan,
    tunable: &'t Tunable,
    cells: Vec<Vec<(usize, Cell)>>,
    default: Vec<Cell>,
    /// For each row, true if it was run on every page so far.
    is_whole: Vec<bool>,
    /// By exact sweep and page.
    curves: Vec<Vec<Vec<Step>>>,
}

impl<'t> Reader<'t> {
    fn new(plan: &'t Plan, tunable: &'t Tunable) -> Self {
        let curves = vec![Vec::new(); tunable.sweeps.len()];
        Reader {
            plan,
            tunable,
            cells: Vec::new(),
            default: Vec::new(),
            is_whole: vec![true; tunable.rows.len()],
            curves,
        }
    }

    /// Looks at the rows of every page with a gold, also of one that does not count.
    fn see(&mut self, rows: &[RowOutcome]) {
        for (is_whole, &row) in self.is_whole.iter_mut().zip(&self.tunable.rows) {
            *is_whole &= !matches!(rows[row], RowOutcome::NotRun);
        }
    }

    fn add(&mut self, rows: &[RowOutcome], sweeps: &[SweepOutcome]) {
        let cell = |row: usize| {
            let (counts, score) = rows[row].score().unwrap_or((Default::default(), Score::ZERO));
            Cell { counts: [counts.matched, counts.extracted, counts.gold], score: score.values() }
        };
        let mut cells: Vec<(usize, Cell)> = Vec::new();
        for (point, &row) in self.tunable.rows.iter().enumerate() {
            let cell = cell(row);
            if cells.last().is_none_or(|(_, last)| *last != cell) {
                cells.push((point, cell));
            }
        }
        self.cells.push(cells);
        self.default.push(cell(self.tunable.default));
        for (&sweep, curves) in self.tunable.sweeps.iter().zip(&mut self.curves) {
            // A page that failed scores 0 everywhere.
            let curve = sweeps.get(sweep).and_then(|curve| curve.as_ref()?.as_ref().ok());
            curves.push(curve.cloned().unwrap_or_default());
        }
    }

    fn finish(self) -> Settings {
        let Reader { plan, tunable, mut cells, default, mut is_whole, curves } = self;
        let candidate = &tunable.candidate;
        let value = |values: &Values, name: &String| {
            let is_exact = candidate.exact.as_ref() == Some(name);
            if is_exact { String::new() } else { values.get(name).map(text_of).unwrap_or_default() }
        };
        let values =
            |known: &Values| -> Vec<String> { candidate.chosen.iter().map(|name| value(known, name)).collect() };
        let point = |values: Vec<String>, piece: Option<Piece>| Point { values, piece, from_default: 0 };
        let mut points: Vec<Point> =
            tunable.rows.iter().map(|&row| point(values(&plan.rows[row].system.values()), None)).collect();
        for (&sweep, curves) in tunable.sweeps.iter().zip(&curves) {
            let sweep = &plan.sweeps[sweep];
            let ParameterKind::Decimal { from, to, below } = sweep.range else { continue };
            let curves: Vec<&[Step]> = curves.iter().map(Vec::as_slice).collect();
            let (pieces, changes) = common_pieces(&curves, (from, to, below));
            let first = points.len();
            for (cells, changes) in cells.iter_mut().zip(changes) {
                // Each sweep begins anew, whatever the page came to at the end of the one before.
                if first > 0 && changes.first().is_none_or(|(piece, _)| *piece > 0) {
                    cells.push((first, Cell::default()));
                }
                cells.extend(changes.into_iter().map(|(at, score)| (first + at, Cell { counts: [0; 3], score })));
            }
            points.extend(pieces.into_iter().map(|piece| point(values(&sweep.row.system.values()), Some(piece))));
        }
        is_whole.resize(points.len(), true);
        let name = |row: usize| plan.rows[row].name_and_label();
        let (rows, default_row) = (tunable.rows.iter().map(|&row| name(row)).collect(), name(tunable.default));
        let defaults = plan.rows[tunable.default].system.values();
        let default_values: Vec<String> =
            candidate.chosen.iter().map(|name| defaults.get(name).map(text_of).unwrap_or_default()).collect();
        let exact = candidate.exact.as_ref().and_then(|exact| {
            let place = candidate.chosen.iter().position(|name| name == exact)?;
            Some((place, default_values[place].parse().ok()?))
        });
        let mut settings = Settings {
            parameters: candidate.chosen.clone(),
            points,
            rows,
            default_row,
            exact,
            default_values,
            is_whole,
            cells,
            default,
        };
        settings.count_from_default();
        settings
    }
}

impl Settings {
    /// Fills in how far each point is from the defaults: for decimals the values on the way, for others whether it
    /// is another one.
    fn count_from_default(&mut self) {
        for (place, default) in self.default_values.iter().enumerate() {
            if self.exact.is_some_and(|(exact, _)| exact == place) {
                continue;
            }
            let values: Vec<String> = self.points.iter().map(|point| point.values[place].clone()).collect();
            let steps = steps_from_default(&values, Some(default));
            self.points.iter_mut().zip(steps).for_each(|(point, steps)| point.from_default += steps);
        }
    }

    /// What the page comes to at a point.
    pub fn cell(&self, page: usize, point: usize) -> Cell {
        let cells = &self.cells[page];
        let next = cells.partition_point(|(from, _)| *from <= point);
        next.checked_sub(1).map_or(Cell::default(), |at| cells[at].1)
    }

    /// The setting that is taken of those that are equally good, of which there is one: the best by the rule of `best.rs`; in
    /// a piece of an exact sweep the default or what lies in the middle.
    pub fn take(&self, is_best: &[bool]) -> Taken {
        let width = |run: (usize, usize)| match (&self.points[run.0].piece, &self.points[run.1].piece) {
            (Some(first), Some(last)) => last.to.to_f64() - first.from.to_f64(),
            _ => 0.0,
        };
        let preference = |run: (usize, usize)| Preference {
            steps: self.points[run.0].from_default,
            holds_default: (run.0..=run.1).any(|point| self.holds_default(point)),
            width: width(run),
        };
        let best = best_run(is_best, |one, next| self.hangs_together(one, next), preference);
        let (first, last) = best.unwrap_or_default();
        self.within(first, last)
    }

    /// Whether one piece of an exact sweep follows the other.
    fn hangs_together(&self, one: usize, next: usize) -> bool {
        let [one, next] = [one, next].map(|point| &self.points[point]);
        one.piece.is_some() && next.piece.is_some() && one.values == next.values
    }

    /// Whether the exactly swept parameter's default lies in the point's piece.
    fn holds_default(&self, point: usize) -> bool {
        let piece = self.points[point].piece.as_ref();
        piece.zip(self.exact).is_some_and(|(piece, (_, default))| piece.contains(default))
    }

    /// The piece of an exact sweep in which the default lies.
    pub fn piece_of_default(&self) -> Option<usize> {
        (0..self.points.len()).find(|&point| self.points[point].from_default == 0 && self.holds_default(point))
    }

    /// The setting that stands for the points from `first` to `last`.
    fn within(&self, first: usize, last: usize) -> Taken {
        let mut values = self.points[first].values.clone();
        let ends = self.points[first].piece.as_ref().zip(self.points[last].piece.as_ref());
        let (Some((place, default)), Some((from, to))) = (self.exact, ends) else {
            return Taken { point: first, values };
        };
        let default = (first..=last).any(|point| self.holds_default(point)).then_some(default);
        let value = default.unwrap_or_else(|| middle(from.from, to.to));
        let holds = |point: &usize| self.points[*point].piece.as_ref().is_some_and(|piece| piece.contains(value));
        values[place] = value.to_string();
        Taken { point: (first..=last).find(holds).unwrap_or(first), values }
    }

    /// What the points from `first` to `last` are, in words: `coherence=0.9`, `density=0.3..0.5`, or
    /// `alpha in [0.4, 0.6)`.
    pub fn in_words(&self, first: usize, last: usize) -> String {
        let [first, last] = [first, last].map(|point| &self.points[point]);
        let word = |(place, name): (usize, &String)| match (&first.piece, &last.piece, self.exact) {
            (Some(from), Some(to), Some((exact, _))) if exact == place => {
                format!("{name} in {}", interval((from.from, from.from_closed), (to.to, to.to_closed)))
            }
            _ if first.values[place] == last.values[place] => format!("{name}={}", first.values[place]),
            _ => format!("{name}={}..{}", first.values[place], last.values[place]),
        };
        self.parameters.iter().enumerate().map(word).collect::<Vec<_>>().join(",")
    }

    /// True if the point `next` goes on where `last` is: on the same line, and higher where values are numbers. The default of a
    /// program stands behind the values that were asked for, wherever it lies among them.
    pub fn go_on(&self, last: usize, next: usize) -> bool {
        let values = [last, next].map(|point| &self.points[point].values);
        let number = |value: &String| value.parse::<f64>().ok();
        let falls = |(one, other): (&String, &String)| number(one).zip(number(other)).is_some_and(|(a, b)| a > b);
        self.are_on_a_line(last, next) && !values[0].iter().zip(values[1]).any(falls)
    }

    /// Whether the points lie on one line: they differ in what is swept exactly, or else in the last parameter alone.
    pub fn are_on_a_line(&self, one: usize, other: usize) -> bool {
        let [one, other] = [one, other].map(|point| &self.points[point].values);
        let varying = self.exact.map_or(one.len().saturating_sub(1), |(exact, _)| exact);
        one.iter().zip(other).enumerate().all(|(place, (one, other))| place == varying || one == other)
    }
}

#[cfg(test)]
impl Settings {
    /// The settings of one parameter, given by its values and what each page comes to under each, in hundredths: its
    /// F1, which is its precision too, its recall being one half. A page has ten units extracted, ten in its gold.
    pub(crate) fn of_table(default: &str, values: &[&str], table: &[&[u64]]) -> Self {
        let cell = |hundredths: u64| {
            let score = hundredths * (crate::scoring::ONE / 100);
            Cell { counts: [hundredths / 10, 10, 10], score: [score, crate::scoring::ONE / 2, score] }
        };
        let at_default = values.iter().position(|value| *value == default).unwrap_or(0);
        let point = |value: &&str| Point { values: vec![(*value).to_owned()], piece: None, from_default: 0 };
        let mut settings = Settings {
            parameters: vec!["x".to_owned()],
            points: values.iter().map(point).collect(),
            rows: values.iter().map(|value| format!("x x={value}")).collect(),
            default_row: format!("x x={default}"),
            exact: None,
            default_values: vec![default.to_owned()],
            is_whole: vec![true; values.len()],
            cells: table.iter().map(|row| row.iter().map(|&part| cell(part)).enumerate().collect()).collect(),
            default: table.iter().map(|row| cell(row[at_default])).collect(),
        };
        settings.count_from_default();
        settings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_equally_good_settings_the_nearest_to_the_default_is_taken() {
        let settings = Settings::of_table("0.5", &["0.1", "0.4", "0.6", "0.9"], &[&[1, 1, 1, 1]]);
        let take = |is_best: [bool; 4]| settings.take(&is_best).values[0].clone();
        // One step each to 0.4 and 0.6: the first.
        assert_eq!(take([true; 4]), "0.4");
        assert_eq!(take([true, false, true, true]), "0.6");
        assert_eq!(take([true, false, false, true]), "0.1");
    }

    /// An exact sweep from 0 to 1 with the ends of its pieces, all open below.
    fn swept(default: &str, ends: &[&str]) -> Settings {
        let value = |text: &str| text.parse::<Value>().unwrap();
        let starts = ["0"].into_iter().chain(ends.iter().copied());
        let pieces = starts.zip(ends.iter().copied().chain(["1"])).map(|(from, to)| {
            let mean = crate::statistics::Triple::default();
            let piece = Piece { from: value(from), from_closed: from == "0", to: value(to), to_closed: true, mean };
            Point { values: vec![String::new()], piece: Some(piece), from_default: 0 }
        });
        Settings {
            parameters: vec!["alpha".to_owned()],
            points: pieces.collect(),
            rows: Vec::new(),
            default_row: String::new(),
            exact: Some((0, value(default))),
            default_values: vec![default.to_owned()],
            is_whole: Vec::new(),
            cells: Vec::new(),
            default: Vec::new(),
        }
    }

    #[test]
    fn of_an_exact_sweep_the_default_or_the_middle_of_the_widest_best_part_is_taken() {
        // [0, 0.2] (0.2, 0.3] (0.3, 0.7] (0.7, 1]
        let settings = swept("0.25", &["0.2", "0.3", "0.7"]);
        let taken = |is_best: [bool; 4]| {
            let taken = settings.take(&is_best);
            (taken.point, taken.values[0].clone())
        };
        assert_eq!(taken([true, true, true, true]), (1, "0.25".to_owned()));
        assert_eq!(taken([false, true, false, true]), (1, "0.25".to_owned()));
        assert_eq!(taken([true, false, true, false]), (2, "0.5".to_owned()));
        // The two last ones are one part, (0.3, 1].
        assert_eq!(taken([true, false, true, true]), (2, "0.7".to_owned()));
        assert_eq!(taken([true, false, false, false]), (0, "0.1".to_owned()));
        assert_eq!(settings.in_words(2, 3), "alpha in (0.3, 1]");
    }
}
