//! The figure of a dataset's rows by their F1 and the time that they take, where they were timed.

use std::collections::{BTreeMap, BTreeSet};

use super::conditions;
use super::families::{datasets, f1};
use super::figures::Figure;
use super::names::Stems;
use super::plot::{Axis, Curve, Fill, Ink, Key, Name, Note, Plot, Sign};
use super::tables::six;
use crate::runs::scores::RowKey;
use crate::runs::summary::{Summary, SummaryRow};
use crate::runs::times::RowTimes;

/// More names than this are a blot.
const MOST_NAMES: usize = 60;

/// What is neither on the front nor a floor.
const OTHER: Ink = Ink::Of(Fill::System(1));

/// A row with its time.
struct Timed<'r> {
    row: &'r SummaryRow,
    times: &'r RowTimes,
    /// Whether no row is as good and faster, or better and as fast.
    is_on_front: bool,
    /// Whether it is the best of those of its algorithm.
    is_best: bool,
}

impl Timed<'_> {
    fn at(&self) -> (f64, f64) {
        (self.times.median.log10(), f1(self.row))
    }

    fn ink(&self) -> Ink {
        match (self.is_on_front, self.row.floor) {
            (true, _) => Ink::F1,
            (false, true) => Ink::Floor,
            (false, false) => OTHER,
        }
    }
}

/// The figures of the datasets whose rows were timed.
pub fn figures(summary: &Summary, times: &[RowTimes]) -> Vec<Figure> {
    let mut stems = Stems::default();
    let datasets = datasets(&summary.rows);
    let plots = datasets.iter().filter_map(|dataset| Some((dataset, plot(summary, dataset, times)?)));
    plots.map(|(dataset, plot)| Figure { stem: stems.give(&[dataset, "time"]), plot }).collect()
}

/// The figure; none where fewer than two rows were timed.
fn plot(summary: &Summary, dataset: &str, times: &[RowTimes]) -> Option<Plot> {
    let rows = timed(summary, dataset, times);
    let medians = || rows.iter().map(|row| row.times.median);
    let (least, greatest) = (medians().reduce(f64::min)?, medians().reduce(f64::max)?);
    if rows.len() < 2 {
        return None;
    }
    let front: Vec<&Timed<'_>> = rows.iter().filter(|row| row.is_on_front).collect();
    let axis = Axis::of_powers("median time a page in milliseconds", least, greatest);
    let points = |ink: Ink| rows.iter().filter(|row| row.ink() == ink).map(Timed::at).collect();
    let curve = |ink: Ink| Curve { ink, line: Vec::new(), points: points(ink) };
    let line = Curve { ink: Ink::Floor, line: staircase(&front, axis.to), points: Vec::new() };
    let mut notes = vec![Note::plain(
        "time: preparing and choosing on one thread of the machine of the run, parsing not counted; what is learnt of \
         several pages is divided among them",
    )];
    let named: Vec<&Timed<'_>> =
        front.iter().copied().chain(rows.iter().filter(|row| !row.is_on_front && row.is_best)).collect();
    if named.len() < rows.len() || named.len() > MOST_NAMES {
        notes.push(Note::plain("points without a name, such as other settings of the same algorithm, are in the CSV"));
    }
    notes.push(Note::plain(conditions::line(summary, dataset)));
    Some(Plot {
        title: format!("{dataset}: F1 against time"),
        subtitle: format!("{} of {} rows are on the front: no other is as good and faster", front.len(), rows.len()),
        y: Axis::of_scores("macro F1", rows.iter().map(|row| f1(row.row)).fold(1.0, f64::min)),
        curves: vec![line, curve(OTHER), curve(Ink::Floor), curve(Ink::F1)],
        names: named.into_iter().take(MOST_NAMES).map(name).collect(),
        key: vec![
            Key::new(Sign::Ink(Ink::F1), "on the front"),
            Key::new(Sign::Ink(OTHER), "slower or worse than another"),
            Key::new(Sign::Ink(Ink::Floor), "a floor that is"),
        ],
        notes,
        table: table(&rows),
        x: axis,
        ..Plot::default()
    })
}

/// The rows of `dataset` that were timed, the best first.
fn timed<'r>(summary: &'r Summary, dataset: &str, times: &'r [RowTimes]) -> Vec<Timed<'r>> {
    let key =
        |times: &RowTimes| -> RowKey { (times.dataset.clone(), times.algorithm.clone(), times.parameters.clone()) };
    let times: BTreeMap<RowKey, &RowTimes> =
        times.iter().filter(|times| times.median > 0.0).map(|times| (key(times), times)).collect();
    let rows = summary.rows.iter().filter(|row| row.dataset == dataset && !row.is_bound());
    let mut timed: Vec<Timed<'_>> = rows
        .filter_map(|row| Some(Timed { row, times: times.get(&row.key())?, is_on_front: false, is_best: false }))
        .collect();
    timed.sort_by(|one, other| {
        f1(other.row).total_cmp(&f1(one.row)).then(one.times.median.total_cmp(&other.times.median))
    });
    let mut fastest = f64::INFINITY;
    let mut known = BTreeSet::new();
    for row in &mut timed {
        row.is_on_front = row.times.median < fastest;
        fastest = fastest.min(row.times.median);
        row.is_best = known.insert(&row.row.algorithm);
    }
    timed
}

/// The best F1 up to each time; `front` from the best to the fastest.
fn staircase(front: &[&Timed<'_>], end: f64) -> Vec<(f64, f64)> {
    let mut corners = Vec::new();
    for row in front.iter().rev() {
        let (x, y) = row.at();
        corners.extend(corners.last().map(|&(_, below)| (x, below)));
        corners.push((x, y));
    }
    corners.extend(corners.last().map(|&(_, best)| (end, best)));
    corners
}

fn name(row: &Timed<'_>) -> Name {
    Name { ink: row.ink(), at: row.at(), text: row.row.full_label() }
}

fn table(rows: &[Timed<'_>]) -> Vec<Vec<String>> {
    let header =
        ["algorithm", "setting", "pages", "median_ms", "mean_ms", "p99_ms", "precision", "recall", "f1", "front"];
    let line = |timed: &Timed<'_>| {
        let RowTimes { median, mean, p99, pages, .. } = timed.times;
        let macro_ = timed.row.aggregates.macro_;
        let named = [timed.row.algorithm.clone(), timed.row.label(), pages.to_string()];
        let figures = [*median, *mean, *p99, macro_.precision, macro_.recall, macro_.f1].map(six);
        named.into_iter().chain(figures).chain([timed.is_on_front.to_string()]).collect()
    };
    std::iter::once(header.map(str::to_owned).to_vec()).chain(rows.iter().map(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{row, summary, swept_row};

    fn times(algorithm: &str, parameters: &str, median: f64) -> RowTimes {
        let [dataset, algorithm, parameters] = ["d", algorithm, parameters].map(str::to_owned);
        RowTimes { dataset, algorithm, parameters, pages: 3, mean: median, median, p99: 2.0 * median }
    }

    #[test]
    fn the_front_is_what_nothing_is_better_and_faster_than() {
        let rows = vec![
            row("d", "all-text", 0.5),
            row("d", "nta", 0.9),
            row("d", "slow", 0.9),
            row("d", "worse", 0.87),
            row("d", "fast", 0.85),
            row("d", "untimed", 0.95),
        ];
        let known = [("all-text", 0.01), ("nta", 1.0), ("slow", 10.0), ("worse", 5.0), ("fast", 0.1)];
        let times: Vec<RowTimes> = known.iter().map(|(name, median)| times(name, "", *median)).collect();
        let figures = figures(&summary(rows), &times);
        let [figure] = &figures[..] else { panic!("{figures:?}") };
        assert_eq!(figure.stem, "d-time");
        let plot = &figure.plot;
        let front: Vec<&str> =
            plot.names.iter().filter(|name| name.ink == Ink::F1).map(|name| name.text.as_str()).collect();
        assert_eq!(front, ["nta", "fast", "all-text"]);
        assert_eq!(plot.names.iter().map(|name| name.text.as_str()).collect::<Vec<_>>()[3..], ["slow", "worse"]);
        let line = &plot.curves[0].line;
        assert_eq!(line[..], [(-2.0, 0.5), (-1.0, 0.5), (-1.0, 0.85), (0.0, 0.85), (0.0, 0.9), (1.0, 0.9)]);
        assert_eq!(plot.table[1][..4], ["nta", "", "3", "1.000000"]);
        assert_eq!(
            plot.table.iter().map(|line| line[9].as_str()).collect::<Vec<_>>()[1..],
            ["true", "false", "false", "true", "true"]
        );
    }

    #[test]
    fn of_an_algorithms_settings_the_best_and_the_front_have_names() {
        let row = |alpha: &str, f1| swept_row("d", "cevc", &[("alpha", alpha, "0.5")], &["alpha"], f1);
        let rows = vec![row("0.3", 0.8), row("0.6", 0.9), row("0.9", 0.7)];
        let settings = [("alpha=0.3", 2.0), ("alpha=0.6", 1.0), ("alpha=0.9", 0.5)];
        let times = settings.map(|(parameters, median)| times("cevc", parameters, median));
        let plot = figures(&summary(rows), &times).remove(0).plot;
        let names: Vec<&str> = plot.names.iter().map(|name| name.text.as_str()).collect();
        assert_eq!(names, ["cevc alpha=0.6", "cevc alpha=0.9"]);
        assert!(plot.notes[1].text.starts_with("points without a name"));
    }

    #[test]
    fn rows_that_were_not_timed_make_no_figure() {
        let summary = summary(vec![row("d", "nta", 0.9), row("d", "cevc", 0.8)]);
        assert!(figures(&summary, &[]).is_empty());
        assert!(figures(&summary, &[times("nta", "", 1.0)]).is_empty());
    }
}
