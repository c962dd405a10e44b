//! The figure of two parameters that are swept together: F1 of each pair of their values.

use std::collections::BTreeMap;

use super::conditions;
use super::families::{Slice, best, f1, number, value_of};
use super::figure_inputs::FigureInputs;
use super::localised_text::LocalisedText;
use super::plot::{Axis, Bands, Cell, FlatRegion, FlatTest, Heat, Key, Note, Plot, Sign, Tick};
use super::table_format::{four, six};
use crate::runs::summary::{FLAT, Summary, SummaryRow};

/// With more values of a parameter a cell would be too small to be seen.
const MOST: usize = 250;

/// The values of a swept parameter.
struct Values {
    /// As they are written: numbers in their order, words as the run has them.
    texts: Vec<String>,
    /// Whether they are words.
    are_words: bool,
    /// The place of each way to write one: `0.5` and `0.50` are equal.
    places: BTreeMap<String, usize>,
}

impl Values {
    fn of(rows: &[&SummaryRow], parameter: &str) -> Self {
        let mut written: Vec<String> = Vec::new();
        let mut places = BTreeMap::new();
        for row in rows {
            let text = value_of(row, parameter);
            places.entry(text.clone()).or_insert_with(|| written.push(text));
        }
        let numbers: Option<Vec<f64>> = written.iter().map(|text| number(text)).collect();
        let are_words = numbers.is_none();
        let order = numbers.unwrap_or_else(|| (0..written.len()).map(|i| i as f64).collect());
        let mut ordered: Vec<(f64, String)> = order.into_iter().zip(written).collect();
        ordered.sort_by(|a, b| a.0.total_cmp(&b.0));
        let equal: Vec<&[(f64, String)]> = ordered.chunk_by(|a, b| a.0 == b.0).collect();
        let texts = equal.iter().map(|same| same[0].1.clone()).collect();
        let place =
            |(i, same): (usize, &&[(f64, String)])| same.iter().map(|(_, text)| (text.clone(), i)).collect::<Vec<_>>();
        let places = equal.iter().enumerate().flat_map(place).collect();
        Values { texts, are_words, places }
    }

    fn place(&self, row: &SummaryRow, parameter: &str) -> usize {
        self.places[&value_of(row, parameter)]
    }

    fn axis(&self, label: &str) -> Axis {
        let tick = |(i, text): (usize, &String)| Tick { at: i as f64, text: text.into(), below: String::new() };
        let bands = if self.are_words { Bands::Names } else { Bands::Numbers };
        Axis::of_bands(LocalisedText::name(label), self.texts.iter().enumerate().map(tick).collect(), bands)
    }
}

/// The figure: a cell a row, coloured by F1, its flat region outlined: what is not separable from the best, or where that
/// cannot be told what is near it. None where a parameter has one value, or too many to draw.
pub fn plot(summary: &Summary, inputs: &FigureInputs, grid: &Slice<'_>) -> Option<Plot> {
    let [x, y] = &grid.parameters[..] else { return None };
    let (columns, lines) = (Values::of(&grid.rows, x), Values::of(&grid.rows, y));
    let is_drawn = |values: &Values| (2..=MOST).contains(&values.texts.len());
    if !is_drawn(&columns) || !is_drawn(&lines) {
        return None;
    }
    let best = best(&grid.rows);
    let default = grid.default_row();
    let near = || (grid.rows.iter().map(|row| f1(row) >= f1(best) - FLAT).collect(), None);
    let too_few_sites = inputs.separation.too_few_sites(&grid.rows, &inputs.scores);
    let tested = || inputs.separation.flat(&grid.rows, &inputs.scores);
    let tested = too_few_sites.map_or_else(tested, |_| None);
    let (flat, test) = tested.map_or_else(near, |(flat, among)| (flat, Some(FlatTest::Rows(among))));
    let cell = |(row, &flat): (&&SummaryRow, &bool)| Cell {
        at: (columns.place(row, x), lines.place(row, y)),
        value: f1(row),
        best: std::ptr::eq(*row, best),
        default: default.is_some_and(|default| std::ptr::eq(*row, default)),
        flat,
    };
    let cells: Vec<Cell> = grid.rows.iter().zip(&flat).map(cell).collect();
    let least = cells.iter().map(|cell| cell.value).fold(f1(best), f64::min);
    let region = FlatRegion::new(&flat, Vec::new(), test);
    let mut key = vec![Key::new(Sign::Best, LocalisedText::words(["best", "最佳"])), region.key(Sign::FlatCells)];
    if default.is_some() {
        key.push(Key::new(Sign::Default, LocalisedText::words(["default", "默认"])));
    }
    let at = |row: &SummaryRow| format!("{x}={}, {y}={}", value_of(row, x), value_of(row, y));
    let mut parts = Vec::new();
    if !grid.label.is_empty() {
        parts.push(LocalisedText::new(["with {0}", "其余 {0}"], [&grid.label]));
    }
    let told = |row: &SummaryRow| [four(f1(row)), at(row)];
    parts.push(LocalisedText::new(["best F1 {0} at {1}", "最佳 F1 {0}（{1}）"], told(best)));
    parts.extend(default.map(|row| LocalisedText::new(["default {1}: {0}", "默认 {1}：{0}"], told(row))));
    let row = grid.rows[0];
    let mut notes = Vec::new();
    let missing = columns.texts.len() * lines.texts.len() - cells.len();
    if missing > 0 {
        let words = ["white: {0} pairs of values that the run does not have", "空白：本次运行没有的 {0} 对取值"];
        notes.push(Note::plain(LocalisedText::new(words, [missing.to_string()])));
    }
    notes.extend(region.note());
    notes.extend(too_few_sites.map(|few| Note::plain(conditions::too_few_sites(few))));
    notes.push(Note::plain(LocalisedText::words([
        "the best was chosen on these very pages, so it is better than it would be on others",
        "最佳就在这些页面上选出，因此在别的页面上会差一些",
    ])));
    notes.extend(conditions::left_out(grid.rows.iter().copied()).into_iter().map(Note::plain));
    notes.push(Note::plain(conditions::told(summary, &row.dataset)));
    Some(Plot {
        title: LocalisedText::new(
            ["{0} on {1}: F1 over {2} and {3}", "{1} 上的 {0}：F1 随 {2} 与 {3} 的变化"],
            [&row.algorithm, &row.dataset, x, y],
        ),
        subtitle: LocalisedText::clauses(&parts),
        sentence: sentence(
            &region,
            default.map(|row| (f1(best) - f1(row), cells.iter().any(|cell| cell.default && cell.flat))),
        ),
        dataset: Some(row.dataset.clone()),
        x: columns.axis(x),
        y: lines.axis(y),
        table: table(grid, &cells),
        heat: Some(Heat { cells, range: (least, f1(best)), label: "F1".into() }),
        flat: Some(region),
        key,
        notes,
        ..Plot::default()
    })
}

/// How much the choice of the two values matters.
fn sentence(region: &FlatRegion, lost: Option<(f64, bool)>) -> LocalisedText {
    let words = match region.test {
        Some(_) => [
            "{0} of {1} pairs, the best included, cannot be told apart from the best",
            "{1} 对取值中有 {0} 对（含最佳）与最佳无法区分",
        ],
        None => ["{0} of {1} pairs are near the best", "{1} 对取值中有 {0} 对接近最佳"],
    };
    let mut parts = vec![LocalisedText::new(words, [region.flat.to_string(), region.of.to_string()])];
    parts.extend(lost.map(|(lost, is_flat)| {
        let words = match is_flat {
            _ if lost == 0.0 => ["no pair is better than the default", "没有取值优于默认值"],
            true => ["the default is among them, {0} lower", "默认值在其中，低 {0}"],
            false => ["the default is not among them, {0} lower", "默认值不在其中，低 {0}"],
        };
        LocalisedText::new(words, [four(lost)])
    }));
    LocalisedText::sentence(&parts)
}

fn table(grid: &Slice<'_>, cells: &[Cell]) -> Vec<Vec<String>> {
    let names = grid.parameters.iter().map(String::as_str);
    let header = names.chain(["precision", "recall", "f1", "best", "default", "flat"]).map(str::to_owned).collect();
    let line = |(row, cell): (&&SummaryRow, &Cell)| {
        let macro_ = row.aggregates.macro_;
        let values = grid.parameters.iter().map(|name| value_of(row, name));
        let scores = [macro_.precision, macro_.recall, macro_.f1].map(six);
        let marks = [cell.best, cell.default, cell.flat].map(|mark| mark.to_string());
        values.chain(scores).chain(marks).collect()
    };
    std::iter::once(header).chain(grid.rows.iter().zip(cells).map(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{summary, swept_row};
    use crate::report::families::grids;

    /// Rows of `nta`, each `coherence density F1`.
    fn plotted(rows: &[(&str, &str, f64)]) -> Option<Plot> {
        let row = |&(coherence, density, f1): &(&str, &str, f64)| {
            let values = [("coherence", coherence, "0.9"), ("density", density, "0.5")];
            swept_row("d", "nta", &values, &["coherence", "density"], f1)
        };
        let summary = summary(rows.iter().map(row).collect());
        let grids = grids(&summary.rows, "d");
        plot(&summary, &FigureInputs::default(), &grids[0])
    }

    fn texts(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|tick| tick.text.english()).collect()
    }

    #[test]
    fn numbers_are_in_their_order_and_cells_in_their_places() {
        let rows = [
            ("0.9", "0.5", 0.87),
            ("0.9", "0.30", 0.5),
            ("0.9", "0.70", 0.6),
            ("0.10", "0.50", 0.88),
            ("0.10", "0.3", 0.6),
        ];
        let plot = plotted(&rows).unwrap();
        assert_eq!((texts(&plot.x), texts(&plot.y)), (vec!["0.10", "0.9"], vec!["0.30", "0.5", "0.70"]));
        let heat = plot.heat.unwrap();
        let shown: Vec<((usize, usize), f64)> = heat.cells.iter().map(|cell| (cell.at, cell.value)).collect();
        assert_eq!(shown, [((1, 1), 0.87), ((1, 0), 0.5), ((1, 2), 0.6), ((0, 1), 0.88), ((0, 0), 0.6)]);
        assert_eq!(heat.range, (0.5, 0.88));
        assert_eq!(plot.notes[0].text.english(), "white: 1 pairs of values that the run does not have");
    }

    #[test]
    fn best_default_and_flat_are_marked_and_told() {
        let rows = [("0.8", "0.4", 0.87), ("0.8", "0.5", 0.8651), ("0.9", "0.4", 0.8649), ("0.9", "0.5", 0.8)];
        let plot = plotted(&rows).unwrap();
        let cells = plot.heat.as_ref().unwrap().cells.iter();
        let marks: Vec<[bool; 3]> = cells.map(|cell| [cell.best, cell.default, cell.flat]).collect();
        assert_eq!(marks, [[true, false, true], [false, false, true], [false; 3], [false, true, false]]);
        assert_eq!(
            plot.subtitle.english(),
            "best F1 0.8700 at coherence=0.8, density=0.4; default coherence=0.9, density=0.5: 0.8000"
        );
        assert_eq!(plot.key[1].text.english(), "within 0.005 of the best (2 of 4)");
        assert_eq!(plot.csv().lines().next().unwrap(), "coherence,density,precision,recall,f1,best,default,flat");
        assert_eq!(plot.csv().lines().nth(2).unwrap(), "0.8,0.5,0.885100,0.845100,0.865100,false,false,true");
    }

    #[test]
    fn without_the_default_nothing_says_default() {
        let plot =
            plotted(&[("0.8", "0.4", 0.8), ("0.8", "0.5", 0.9), ("0.9", "0.4", 0.7), ("0.7", "0.4", 0.7)]).unwrap();
        assert!(!plot.key.iter().any(|key| key.sign == Sign::Default) && !plot.subtitle.english().contains("default"));
    }

    #[test]
    fn words_stay_as_they_are_written() {
        let plot = plotted(&[("second", "x", 0.8), ("first", "x", 0.8), ("second", "0.3", 0.8), ("first", "0.3", 0.8)]);
        let plot = plot.unwrap();
        assert_eq!((texts(&plot.x), texts(&plot.y)), (vec!["second", "first"], vec!["x", "0.3"]));
        assert_eq!(plot.x.bands, Some(Bands::Names));
    }

    #[test]
    fn a_single_value_or_too_many_make_no_grid() {
        assert!(plotted(&[("0.8", "0.3", 0.8), ("0.8", "0.5", 0.8)]).is_none());
        let values: Vec<String> = (0..=MOST).map(|i| format!("0.{i:03}")).collect();
        let many = |values: &[String]| {
            let pairs = values.iter().flat_map(|x| ["0.3", "0.5"].map(|y| (x.as_str(), y, 0.5)));
            plotted(&pairs.collect::<Vec<_>>())
        };
        assert!(many(&values[1..]).is_some() && many(&values).is_none());
    }
}
