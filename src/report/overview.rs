//! The figure of a dataset: every algorithm by its F1.

use super::conditions;
use super::families::{Family, best, bounds, f1, ranked_families};
use super::phrase::Phrase;
use super::plot::{Axis, Curve, Ink, Key, Label, Note, Plot, Sign, Tick};
use super::table_format::{four, six};
use crate::runs::summary::{Summary, SummaryRow};

/// More rows than this make no picture; the rest is in the tables.
pub(super) const MOST: usize = 40;

/// A row that stands for its family.
#[derive(Clone)]
pub(super) struct Shown<'s> {
    /// The row.
    pub(super) row: &'s SummaryRow,
    /// What it is among the rows of its family, such as `best of 21`.
    pub(super) place: String,
}

impl Shown<'_> {
    /// The algorithm and the place: long settings are cut, this must not be.
    pub(super) fn name(&self) -> String {
        if self.place.is_empty() {
            self.row.algorithm.clone()
        } else {
            format!("{} ({})", self.row.algorithm, self.place)
        }
    }
}

/// The figure: a line a row, sorted by F1; of a swept family its best and its default.
pub fn plot(summary: &Summary, dataset: &str) -> Plot {
    let mut shown = shown(summary, dataset);
    let table = table(&shown);
    let left_out = shown.len().saturating_sub(MOST);
    shown.truncate(MOST);
    let of = |score: fn(&SummaryRow) -> f64| -> Vec<f64> { shown.iter().map(|shown| score(shown.row)).collect() };
    // Precision and recall are smaller and on top: they often lie upon F1.
    let scores = [
        (Ink::F1, of(f1)),
        (Ink::Precision, of(|row| row.aggregates.macro_.precision)),
        (Ink::Recall, of(|row| row.aggregates.macro_.recall)),
    ];
    let least = scores.iter().flat_map(|(_, scores)| scores).copied().fold(1.0, f64::min);
    let height = |i: usize| height(i, shown.len());
    let curve = |(ink, scores): (Ink, Vec<f64>)| {
        let points = scores.into_iter().enumerate().map(|(i, score)| (score, height(i))).collect();
        Curve { ink, line: Vec::new(), points }
    };
    let label = |(i, shown): (usize, &Shown<'_>)| Label { ink: Ink::F1, at: height(i), text: four(f1(shown.row)) };
    let mut notes = Vec::new();
    if left_out > 0 {
        notes.push(Note::plain(format!("{left_out} rows with a lower F1 are in tables/rows.csv")));
    }
    notes.extend(best_note(&shown));
    notes.extend(bounds_note(summary, dataset));
    notes.push(Note::plain(conditions::line(summary, dataset)));
    let y = rows_axis(&shown);
    Plot {
        title: Phrase::new(["{0}: algorithms by F1", "{0}：各算法的 F1"], [dataset]),
        subtitle: "every setting of the run; of a swept parameter the best value and the default".to_owned(),
        x: Axis::of_scores(Phrase::new(["macro mean over pages", "各页的宏平均"], []), least),
        labels: shown.iter().enumerate().map(label).collect(),
        y,
        curves: scores.into_iter().map(curve).collect(),
        key: [(Ink::F1, "F1"), (Ink::Precision, "precision"), (Ink::Recall, "recall")]
            .map(|(ink, name)| Key::new(Sign::Ink(ink), name))
            .to_vec(),
        notes,
        table,
        ..Plot::default()
    }
}

/// The rows of `dataset` that stand for their families, sorted by F1: of a swept family its best and
/// its default.
pub(super) fn shown<'s>(summary: &'s Summary, dataset: &str) -> Vec<Shown<'s>> {
    let mut shown: Vec<Shown<'_>> = ranked_families(&summary.rows, dataset).iter().flat_map(of_family).collect();
    shown.sort_by(|a, b| f1(b.row).total_cmp(&f1(a.row)));
    shown
}

/// The line of the row numbered `i` of `count`: the first is the highest.
pub(super) fn height(i: usize, count: usize) -> f64 {
    (count - 1 - i) as f64
}

/// The axis that names each row on a line of its own.
pub(super) fn rows_axis(shown: &[Shown<'_>]) -> Axis {
    let at = |i| height(i, shown.len());
    let tick = |(i, shown): (usize, &Shown<'_>)| Tick { at: at(i), text: shown.name(), below: shown.row.label() };
    let to = shown.len().saturating_sub(1) as f64;
    Axis { to, ticks: shown.iter().enumerate().map(tick).collect(), ..Axis::default() }
}

/// What rows reach that were made with gold, where the run has such.
pub(super) fn bounds_note(summary: &Summary, dataset: &str) -> Option<Note> {
    let told = bounds(&summary.rows, dataset)
        .into_iter()
        .map(|row| format!("{} {} {}", row.full_label(), row.mark(), four(f1(row))));
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| Note::plain(format!("made with gold (F1): {}", told.join(", "))))
}

/// What is to be known of the best of several values, where any is shown.
pub(super) fn best_note(shown: &[Shown<'_>]) -> Option<Note> {
    let any = shown.iter().any(|shown| shown.place.contains("best of"));
    any.then(|| Note::plain("best of several values: chosen on these very pages, so better than it would be on others"))
}

fn of_family<'s>(family: &Family<'s>) -> Vec<Shown<'s>> {
    let best = best(&family.rows);
    if family.rows.len() == 1 {
        return vec![Shown { row: best, place: String::new() }];
    }
    let count = family.rows.len();
    let default = family.default_row();
    let is_both = default.is_some_and(|default| std::ptr::eq(default, best));
    let place = if is_both { format!("best of {count}, default") } else { format!("best of {count}") };
    let mut shown = vec![Shown { row: best, place }];
    if let Some(default) = default.filter(|_| !is_both) {
        shown.push(Shown { row: default, place: "default".to_owned() });
    }
    shown
}

fn table(shown: &[Shown<'_>]) -> Vec<Vec<String>> {
    let header = ["algorithm", "place", "setting", "pages", "precision", "recall", "f1"].map(str::to_owned).to_vec();
    let row = |shown: &Shown<'_>| {
        let macro_ = shown.row.aggregates.macro_;
        let [precision, recall, f1] = [macro_.precision, macro_.recall, macro_.f1].map(six);
        let names = [shown.row.algorithm.clone(), shown.place.clone(), shown.row.label(), shown.row.pages.to_string()];
        [names.to_vec(), vec![precision, recall, f1]].concat()
    };
    std::iter::once(header).chain(shown.iter().map(row)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{alpha_sweep, row, summary};

    #[test]
    fn a_family_gives_its_best_and_its_default_and_rows_are_sorted() {
        let mut rows = vec![row("d", "all-text", 0.5), row("d", "semantic", 0.879)];
        rows.extend(alpha_sweep("d", 21));
        let plot = plot(&summary(rows), "d");
        let shown: Vec<(&str, &str)> =
            plot.y.ticks.iter().map(|tick| (tick.text.as_str(), tick.below.as_str())).collect();
        assert_eq!(
            shown,
            [("cevc (best of 21)", "alpha=0.55"), ("semantic", ""), ("cevc (default)", "alpha=0.50"), ("all-text", "")]
        );
        assert_eq!(plot.table.len(), 5);
        assert_eq!(plot.x.from, 0.4);
        let f1 = plot.curves.iter().find(|curve| curve.ink == Ink::F1).unwrap();
        assert_eq!(f1.points, [(0.88, 3.0), (0.879, 2.0), (0.879, 1.0), (0.5, 0.0)]);
        assert!(plot.notes[0].text.starts_with("best of several values"));
    }

    #[test]
    fn a_long_list_is_cut_in_the_picture_and_whole_in_its_table() {
        let rows = (0..50).map(|i| row("d", &format!("a{i}"), 0.5)).collect();
        let plot = plot(&summary(rows), "d");
        assert_eq!((plot.y.ticks.len(), plot.table.len()), (40, 51));
        assert!(plot.notes[0].text.starts_with("10 rows with a lower F1"), "{:?}", plot.notes);
    }
}
