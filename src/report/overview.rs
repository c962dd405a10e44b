//! The figure of a dataset: every algorithm by its F1.

use std::cmp::Ordering;

use super::conditions;
use super::families::{bounds, dataset_places, f1};
use super::localised_text::LocalisedText;
use super::plot::{Axis, Curve, Key, Label, Note, Plot, SeriesColour, Sign};
use super::representatives::{Representative, best_and_default, best_note};
use super::row_labels::marked;
use super::row_lines::{MOST_LINES, height, rows_axis};
use super::table_format::{four, six};
use crate::runs::separation::{Separation, Tested};
use crate::runs::summary::{Summary, SummaryRow};

/// The figure: a line a row, sorted by F1; of a swept family its best and its default.
pub fn plot(summary: &Summary, separation: &Separation, dataset: &str) -> Plot {
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
        text: four(f1(shown.row)).into(),
    };
    let mut notes = Vec::new();
    if left_out > 0 {
        let words = ["{0} rows with a lower F1 are in tables/rows.csv", "另有 {0} 行的 F1 更低，见 tables/rows.csv"];
        notes.push(Note::plain(LocalisedText::new(words, [left_out.to_string()])));
    }
    notes.extend(best_note(&shown));
    notes.extend(bounds_note(summary, dataset));
    notes.push(Note::plain(conditions::told(summary, dataset)));
    let y = rows_axis(&shown);
    Plot {
        title: LocalisedText::new(["{0}: algorithms by F1", "{0}：各算法的 F1"], [dataset]),
        subtitle: every_setting(),
        sentence: sentence(&shown, separation),
        rows: dataset_places(summary, shown.iter().map(|shown| shown.row)),
        dataset: Some(dataset.to_owned()),
        x: Axis::of_scores(LocalisedText::words(["macro mean over pages", "各页的宏平均"]), least),
        labels: shown.iter().enumerate().map(label).collect(),
        y,
        curves: scores.into_iter().map(curve).collect(),
        key: [
            (SeriesColour::F1, ["F1", "F1"]),
            (SeriesColour::Precision, ["precision", "精确率"]),
            (SeriesColour::Recall, ["recall", "召回率"]),
        ]
        .map(|(ink, name)| Key::new(Sign::Ink(ink), LocalisedText::words(name)))
        .to_vec(),
        notes,
        table,
        ..Plot::default()
    }
}

/// Which settings figures of rows show.
pub(super) fn every_setting() -> LocalisedText {
    LocalisedText::words([
        "every setting of the run; of a swept parameter the best value and the default",
        "本次运行的全部设置；扫描的参数取最佳值与默认值",
    ])
}

/// Who leads, by how much, if that can be told apart, and how far above the best floor it is.
fn sentence(shown: &[Representative<'_>], separation: &Separation) -> LocalisedText {
    let mut tested = shown.iter().map(|shown| shown.row).filter(|row| !row.floor);
    let Some(first) = tested.next() else { return LocalisedText::default() };
    let floor = shown.iter().map(|shown| shown.row).find(|row| row.floor);
    let words = match floor.is_some_and(|floor| f1(floor) > f1(first)) {
        true => ["{0} has the highest F1 of the algorithms, {1}", "各算法中 {0} 的 F1 最高，为 {1}"],
        false => ["{0} has the highest F1, {1}", "{0} 的 F1 最高，为 {1}"],
    };
    let mut parts = vec![LocalisedText::new(words, [first.full_label(), four(f1(first))])];
    let by = |row: &SummaryRow| [row.full_label(), four(f1(first) - f1(row))];
    let apart = separation.of_dataset(&first.dataset);
    let doubt = |row: &SummaryRow| {
        if apart.is_none() {
            return Some(LocalisedText::words(["which was not tested", "未作检验"]));
        }
        let few = apart.and_then(Tested::too_few_sites);
        (separation.are_separated(first, row) == Some(false)).then(|| match few {
            None => LocalisedText::words(["which these pages do not separate from it", "这些页面不足以区分两者"]),
            Some(few) => LocalisedText::new(
                [
                    "a difference that cannot be told from chance on {0} (it takes {1})",
                    "站点太少，无法判断任何差异（仅有 {0}，至少需要 {1}）",
                ],
                [few.sites, few.fewest].map(conditions::sites),
            ),
        })
    };
    let words = ["{1} above the next algorithm, {0}", "比下一个算法 {0} 高 {1}"];
    let mut told = None;
    if let Some(next) = tested.find(|row| row.algorithm != first.algorithm) {
        parts.push(LocalisedText::new(words, by(next)));
        told = doubt(next);
        parts.extend(told.clone());
    }
    if let Some(floor) = floor {
        let [name, above] = by(floor);
        let (words, by) = match f1(first).total_cmp(&f1(floor)) {
            Ordering::Greater => (["{1} above the best floor, {0}", "比最好的简单基线 {0} 高 {1}"], above),
            Ordering::Equal => (["as high as the best floor, {0}", "与最好的简单基线 {0} 相同"], above),
            Ordering::Less => {
                (["{1} below the best floor, {0}", "比最好的简单基线 {0} 低 {1}"], four(f1(floor) - f1(first)))
            }
        };
        parts.push(LocalisedText::new(words, [name, by]));
        let again = ["which is not told apart either", "同样无法区分"];
        // Once is enough to say that nothing was tested.
        let doubt = doubt(floor).filter(|_| (apart.is_some() || told.is_none()) && f1(first) != f1(floor));
        parts.extend(doubt.map(|doubt| told.map_or(doubt, |_| LocalisedText::words(again))));
    }
    LocalisedText::sentence(&parts)
}

/// What rows reach that were made with gold, where the run has such.
fn bounds_note(summary: &Summary, dataset: &str) -> Option<Note> {
    let told = bounds(&summary.rows, dataset)
        .into_iter()
        .map(|row| LocalisedText::new(["{0} {1}"; 2], [marked(&row.full_label(), row), four(f1(row)).into()]));
    let told: Vec<LocalisedText> = told.collect();
    let words = ["made with gold (F1): {0}", "使用标注得到（F1）：{0}"];
    (!told.is_empty()).then(|| Note::plain(LocalisedText::new(words, [LocalisedText::list(&told)])))
}

fn table(shown: &[Representative<'_>]) -> Vec<Vec<String>> {
    let header = ["algorithm", "place", "setting", "pages", "precision", "recall", "f1"].map(str::to_owned).to_vec();
    let row = |shown: &Representative<'_>| {
        let macro_ = shown.row.aggregates.macro_;
        let [precision, recall, f1] = [macro_.precision, macro_.recall, macro_.f1].map(six);
        let names = [
            shown.row.algorithm.clone(),
            shown.place.in_words().to_string(),
            shown.row.label(),
            shown.row.pages.to_string(),
        ];
        [names.to_vec(), vec![precision, recall, f1]].concat()
    };
    std::iter::once(header).chain(shown.iter().map(row)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{alpha_sweep, row, summary};
    use crate::report::language::Language;

    #[test]
    fn a_family_gives_its_best_and_its_default_and_rows_are_sorted() {
        let mut rows = vec![row("d", "all-text", 0.5), row("d", "semantic", 0.879)];
        rows.extend(alpha_sweep("d", 21));
        let plot = plot(&summary(rows), &Separation::default(), "d");
        let shown: Vec<(&str, &str)> =
            plot.y.ticks.iter().map(|tick| (tick.text.in_language(Language::English), tick.below.as_str())).collect();
        assert_eq!(
            shown,
            [("cevc (best of 21)", "alpha=0.55"), ("semantic", ""), ("cevc (default)", "alpha=0.50"), ("all-text", "")]
        );
        assert_eq!(plot.table.len(), 5);
        assert_eq!(plot.x.from, 0.4);
        let f1 = plot.curves.iter().find(|curve| curve.ink == SeriesColour::F1).unwrap();
        assert_eq!(f1.points, [(0.88, 3.0), (0.879, 2.0), (0.879, 1.0), (0.5, 0.0)]);
        assert!(plot.notes[0].text.to_string().starts_with("best of several values"));
        assert_eq!(
            plot.sentence.to_string(),
            "cevc alpha=0.55 has the highest F1, 0.8800, 0.0010 above the best floor, semantic, which was not tested."
        );
    }

    #[test]
    fn a_floor_that_is_higher_is_said_to_be() {
        let told = |floor: f64| {
            let rows = vec![row("d", "nta", 0.7), row("d", "all-text", floor)];
            plot(&summary(rows), &Separation::default(), "d").sentence.to_string()
        };
        let higher = "nta has the highest F1 of the algorithms, 0.7000, 0.1000 below the best floor, all-text, which was not tested.";
        assert_eq!(told(0.8), higher);
        assert_eq!(told(0.7), "nta has the highest F1, 0.7000, as high as the best floor, all-text.");
    }

    #[test]
    fn a_long_list_is_cut_in_the_picture_and_whole_in_its_table() {
        let rows = (0..210).map(|i| row("d", &format!("a{i}"), 0.5)).collect();
        let plot = plot(&summary(rows), &Separation::default(), "d");
        assert_eq!((plot.y.ticks.len(), plot.table.len()), (200, 211));
        assert!(plot.notes[0].text.to_string().starts_with("10 rows with a lower F1"), "{:?}", plot.notes);
    }
}
