//! The figure of a dataset: every algorithm by its F1.

use super::conditions;
use super::families::{bounds, f1};
use super::localised_text::LocalisedText;
use super::plot::{Axis, Curve, Key, Label, Note, Plot, SeriesColour, Sign};
use super::representatives::{Representative, best_and_default, best_note};
use super::row_lines::{MOST_LINES, height, rows_axis};
use super::table_format::{four, six};
use crate::runs::summary::{Summary, SummaryRow};

/// The figure: a line a row, sorted by F1; of a swept family its best and its default.
pub fn plot(summary: &Summary, dataset: &str) -> Plot {
    let mut shown = best_and_default(summary, dataset);
    let table = table(&shown);
    let left_out = shown.len().saturating_sub(MOST_LINES);
    shown.truncate(MOST_LINES);
    let of = |score: fn(&SummaryRow) -> f64| -> Vec<f64> { shown.iter().map(|shown| score(shown.row)).collect() };
    // Precision and recall are smaller and on top: they often lie upon F1.
    let scores = [
        (SeriesColour::F1, of(f1)),
        (SeriesColour::Precision, of(|row| row.aggregates.macro_.precision)),
        (SeriesColour::Recall, of(|row| row.aggregates.macro_.recall)),
    ];
    let least = scores.iter().flat_map(|(_, scores)| scores).copied().fold(1.0, f64::min);
    let height = |i: usize| height(i, shown.len());
    let curve = |(ink, scores): (SeriesColour, Vec<f64>)| {
        let points = scores.into_iter().enumerate().map(|(i, score)| (score, height(i))).collect();
        Curve { ink, line: Vec::new(), points }
    };
    let label = |(i, shown): (usize, &Representative<'_>)| Label {
        ink: SeriesColour::F1,
        at: height(i),
        text: four(f1(shown.row)),
    };
    let mut notes = Vec::new();
    if left_out > 0 {
        notes.push(Note::plain(format!("{left_out} rows with a lower F1 are in tables/rows.csv")));
    }
    notes.extend(best_note(&shown));
    notes.extend(bounds_note(summary, dataset));
    notes.push(Note::plain(conditions::line(summary, dataset)));
    let y = rows_axis(&shown);
    Plot {
        title: LocalisedText::new(["{0}: algorithms by F1", "{0}：各算法的 F1"], [dataset]),
        subtitle: "every setting of the run; of a swept parameter the best value and the default".to_owned(),
        x: Axis::of_scores(LocalisedText::new(["macro mean over pages", "各页的宏平均"], []), least),
        labels: shown.iter().enumerate().map(label).collect(),
        y,
        curves: scores.into_iter().map(curve).collect(),
        key: [(SeriesColour::F1, "F1"), (SeriesColour::Precision, "precision"), (SeriesColour::Recall, "recall")]
            .map(|(ink, name)| Key::new(Sign::Ink(ink), name))
            .to_vec(),
        notes,
        table,
        ..Plot::default()
    }
}

/// What rows reach that were made with gold, where the run has such.
fn bounds_note(summary: &Summary, dataset: &str) -> Option<Note> {
    let told = bounds(&summary.rows, dataset)
        .into_iter()
        .map(|row| format!("{} {} {}", row.full_label(), row.mark(), four(f1(row))));
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| Note::plain(format!("made with gold (F1): {}", told.join(", "))))
}

fn table(shown: &[Representative<'_>]) -> Vec<Vec<String>> {
    let header = ["algorithm", "place", "setting", "pages", "precision", "recall", "f1"].map(str::to_owned).to_vec();
    let row = |shown: &Representative<'_>| {
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
        let f1 = plot.curves.iter().find(|curve| curve.ink == SeriesColour::F1).unwrap();
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
