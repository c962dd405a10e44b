//! Rows over the runs of a history, as lines.

use super::localised_text::LocalisedText;
use super::plot::{Axis, Curve, Fill, Key, Label, Mark, Note, Plot, SeriesColour, Sign, Vertical};
use super::table_format::six;

/// Rows that a figure shows at most: of more, lines are not told apart.
pub const MOST_SHOWN: usize = 6;

/// A row over the runs.
#[derive(Clone, Debug, Default)]
pub struct TrendLine {
    /// The row, or the site.
    pub name: String,
    /// F1 in each run; absent where the run has no such row.
    pub f1: Vec<Option<f64>>,
    /// The places of the runs in which it changed.
    pub changes: Vec<usize>,
    /// True if the last run differs from the first, though perhaps no run from the one before.
    pub is_moved: bool,
}

/// The runs that a figure is of.
#[derive(Clone, Debug, Default)]
pub struct TrendRuns {
    /// The dataset's name.
    pub dataset: String,
    /// The row whose sites are shown; absent where rows are.
    pub row: Option<String>,
    /// Their labels.
    pub labels: Vec<String>,
    /// The places of the runs whose conditions are not those of the run before.
    pub breaks: Vec<usize>,
    /// The number of lines, of which those of many sites that moved most are shown.
    pub of: usize,
    /// Sentences about the tests.
    pub notes: Vec<LocalisedText>,
}

/// The figure of `lines`, of which those that changed come first, then those that are highest in the last run.
pub fn plot(runs: &TrendRuns, lines: &[TrendLine]) -> Plot {
    let shown = shown(lines);
    // Half a step is left on each side: one run alone has no width.
    let x = Axis {
        from: -0.5,
        to: runs.labels.len() as f64 - 0.5,
        ..Axis::of_words(LocalisedText::words(["run", "运行"]), &runs.labels)
    };
    let all = shown.iter().flat_map(|line| line.f1.iter().flatten().copied());
    let label =
        if runs.row.is_some() { ["mean F1 of a site", "站点的平均 F1"] } else { ["macro F1", "宏平均 F1"] };
    let y = Axis::of_scores(LocalisedText::words(label), all.fold(1.0, f64::min));
    let ink = |place: usize| SeriesColour::Of(Fill::System(place));
    let curves = shown.iter().enumerate().flat_map(|(place, line)| curves(line, ink(place), &runs.breaks));
    let last = |line: &TrendLine| line.f1.iter().rev().flatten().next().copied();
    let labels = shown.iter().enumerate().filter_map(|(place, line)| {
        Some(Label { ink: ink(place), at: last(line)?, text: LocalisedText::name(&line.name) })
    });
    let marks = shown.iter().flat_map(|line| {
        let at =
            |&run: &usize| Some(Mark { ink: SeriesColour::F1, at: (run as f64, line.f1.get(run).copied().flatten()?) });
        line.changes.iter().filter_map(at).collect::<Vec<Mark>>()
    });
    let marks: Vec<Mark> = marks.collect();
    let mut notes = Vec::new();
    if !marks.is_empty() {
        let words = [
            "change point: the row differs from the run before by more than chance (sign flips of sites, Holm, 0.05)",
            "变点：该行与前一次运行之差并非偶然（按站点翻转符号，Holm 校正，0.05）",
        ];
        notes.push(Note { hollow: true, text: LocalisedText::words(words) });
    }
    notes.extend(runs.notes.iter().cloned().map(Note::plain));
    let title = match &runs.row {
        Some(row) => {
            LocalisedText::new(["{0}: sites of {1} over runs", "{0}：{1} 各站点随运行的变化"], [&runs.dataset, row])
        }
        None => LocalisedText::new(["{0}: rows over runs", "{0}：各行随运行的变化"], [&runs.dataset]),
    };
    let counts = [shown.len(), runs.of.max(lines.len()), runs.labels.len()].map(|count| count.to_string());
    let words = match (runs.row.is_some(), shown.len() < runs.of) {
        (true, true) => {
            ["{0} of {1} sites, those that changed most; runs: {2}", "{1} 个站点中变化最大的 {0} 个；{2} 次运行"]
        }
        (true, false) => ["sites: {1}; runs: {2}", "{1} 个站点；{2} 次运行"],
        (false, _) => ["{0} of {1} rows; runs: {2}", "{1} 行中的 {0} 行；{2} 次运行"],
    };
    Plot {
        title,
        subtitle: LocalisedText::new(words, counts),
        curves: curves.collect(),
        verticals: runs
            .breaks
            .iter()
            .map(|&at| Vertical {
                at: at as f64 - 0.5, label: LocalisedText::words(["other conditions", "条件不同"])
            })
            .collect(),
        labels: labels.collect(),
        key: shown
            .iter()
            .enumerate()
            .map(|(place, line)| Key::new(Sign::Ink(ink(place)), LocalisedText::name(&line.name)))
            .collect(),
        marks,
        notes,
        table: table(runs, lines),
        x,
        y,
        ..Plot::default()
    }
}

/// The lines that the figure shows, in the order of `lines`.
fn shown(lines: &[TrendLine]) -> Vec<&TrendLine> {
    let height = |line: &TrendLine| line.f1.iter().rev().flatten().next().copied().unwrap_or_default();
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by(|&one, &other| {
        let changed = |place: usize| lines[place].changes.is_empty() && !lines[place].is_moved;
        changed(one).cmp(&changed(other)).then(height(&lines[other]).total_cmp(&height(&lines[one])))
    });
    order.truncate(MOST_SHOWN);
    order.sort_unstable();
    order.into_iter().map(|place| &lines[place]).collect()
}

/// A line from run to run, in parts: where conditions changed, or a run has no such row, it is not joined.
fn curves(line: &TrendLine, ink: SeriesColour, breaks: &[usize]) -> Vec<Curve> {
    let there = line.f1.iter().enumerate().filter_map(|(run, f1)| Some((run, (*f1)?)));
    let points: Vec<(usize, f64)> = there.collect();
    let at = |&(run, f1): &(usize, f64)| (run as f64, f1);
    let parts = points.chunk_by(|(one, _), (next, _)| next - one == 1 && !breaks.contains(next));
    let mut curves: Vec<Curve> =
        parts.map(|part| Curve { ink, line: part.iter().map(at).collect(), points: Vec::new() }).collect();
    if let Some(first) = curves.first_mut() {
        first.points = points.iter().map(at).collect();
    }
    curves
}

fn table(runs: &TrendRuns, lines: &[TrendLine]) -> Vec<Vec<String>> {
    let kind = if runs.row.is_some() { "site" } else { "row" };
    let header = [kind, "run", "f1", "change_point"].map(str::to_owned).to_vec();
    let of_line = |line: &TrendLine| -> Vec<Vec<String>> {
        let cells = |(run, f1): (usize, &Option<f64>)| {
            let label = runs.labels.get(run).cloned().unwrap_or_default();
            Some(vec![line.name.clone(), label, six((*f1)?), line.changes.contains(&run).to_string()])
        };
        line.f1.iter().enumerate().filter_map(cells).collect()
    };
    std::iter::once(header).chain(lines.iter().flat_map(of_line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(breaks: &[usize]) -> TrendRuns {
        let labels = ["v1", "v2", "v3"].map(str::to_owned).to_vec();
        TrendRuns { dataset: "d".to_owned(), labels, breaks: breaks.to_vec(), ..TrendRuns::default() }
    }

    fn line(name: &str, f1: [f64; 3], changes: &[usize]) -> TrendLine {
        TrendLine { name: name.to_owned(), f1: f1.map(Some).to_vec(), changes: changes.to_vec(), is_moved: false }
    }

    #[test]
    fn rows_that_changed_are_shown_before_better_ones() {
        let mut lines: Vec<TrendLine> =
            (0..8).map(|i| line(&format!("row{i}"), [0.8 + f64::from(i) / 100.0; 3], &[])).collect();
        lines.push(line("changed", [0.5, 0.5, 0.4], &[2]));
        lines.push(TrendLine { is_moved: true, ..line("moved", [0.55, 0.5, 0.45], &[]) });
        let plot = plot(&runs(&[]), &lines);
        let names: Vec<&str> = plot.labels.iter().map(|label| label.text.english()).collect();
        assert_eq!(names, ["row4", "row5", "row6", "row7", "changed", "moved"]);
        assert_eq!(plot.marks.iter().map(|mark| mark.at).collect::<Vec<_>>(), [(2.0, 0.4)]);
        assert_eq!(plot.y.from, 0.4);
        assert!(plot.curves.iter().all(|curve| curve.line.len() == 3));
        assert_eq!(plot.table.len(), 1 + 10 * 3, "the table has all rows");
        assert_eq!(plot.table[27], ["changed", "v3", "0.400000", "true"]);
        assert!(plot.notes[0].hollow);
    }

    #[test]
    fn nothing_is_joined_over_other_conditions() {
        let plot = plot(&runs(&[1]), &[line("nta", [0.5, 0.8, 0.8], &[])]);
        let lines: Vec<&[(f64, f64)]> = plot.curves.iter().map(|curve| curve.line.as_slice()).collect();
        assert_eq!(lines, [&[(0.0, 0.5)][..], &[(1.0, 0.8), (2.0, 0.8)]]);
        assert_eq!(plot.curves.iter().map(|curve| curve.points.len()).collect::<Vec<_>>(), [3, 0]);
        assert_eq!(plot.verticals[0].at, 0.5);
        let drawn = crate::report::examples::svg(&plot);
        assert!(drawn.contains("other conditions") && drawn.contains("\nv3\n"), "{drawn}");
    }

    #[test]
    fn a_row_that_one_run_lacks_is_joined_on_both_sides_of_it() {
        let mut row = line("nta", [0.5, 0.6, 0.7], &[]);
        row.f1.splice(1..1, [Some(0.5), None]);
        let labels = ["v1", "v2", "v3", "v4", "v5"].map(str::to_owned).to_vec();
        let plot = plot(&TrendRuns { labels, ..runs(&[]) }, &[row]);
        let lines: Vec<&[(f64, f64)]> = plot.curves.iter().map(|curve| curve.line.as_slice()).collect();
        assert_eq!(lines, [&[(0.0, 0.5), (1.0, 0.5)][..], &[(3.0, 0.6), (4.0, 0.7)]]);
    }

    #[test]
    fn one_run_is_a_figure_too() {
        let one = TrendRuns { labels: vec!["v1".to_owned()], ..runs(&[]) };
        let line = TrendLine { name: "nta".to_owned(), f1: vec![Some(0.5)], ..TrendLine::default() };
        assert!(!crate::report::examples::svg(&plot(&one, &[line])).contains("NaN"));
    }
}
