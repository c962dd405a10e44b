//! Rows as points: precision against recall, and F1 against time where rows were timed.

use std::collections::BTreeMap;

use super::colours::Colours;
use super::conditions;
use super::families::{best, best_by, by_rank, f1, families};
use super::localised_text::LocalisedText;
use super::plot::{Against, Axis, Dot, Fill, Note, Plot, Scatter};
use super::row_labels::{marked, reads_gold};
use super::table_format::{four, six};
use super::terminal_rows::rows_in_terminal;
use crate::runs::scores::RowKey;
use crate::runs::summary::{Summary, SummaryRow};
use crate::runs::times::RowTimes;
use crate::text::counted;

/// The figures of `dataset`, each with its name; none of fewer than two rows.
pub fn plots(summary: &Summary, times: &[RowTimes], dataset: &str) -> Vec<(&'static str, Plot)> {
    let rows: Vec<&SummaryRow> = summary.rows.iter().filter(|row| row.dataset == dataset).collect();
    let points = Points::of(summary, dataset);
    let recall = (rows.len() > 1).then(|| ("precision-recall", points.precision_and_recall(&rows)));
    let timed = timed(&rows, times);
    let time = (timed.len() > 1).then(|| ("time", points.f1_and_time(&timed)));
    recall.into_iter().chain(time).collect()
}

/// A row with its time.
struct Timed<'r> {
    row: &'r SummaryRow,
    times: &'r RowTimes,
    /// Whether no row is as good and faster, or better and as fast.
    is_on_front: bool,
}

impl Timed<'_> {
    fn at(&self) -> (f64, f64) {
        (self.times.median.log10(), f1(self.row))
    }
}

/// The rows that were timed, the best first; none that is learned is on the front of those that read no gold.
fn timed<'r>(rows: &[&'r SummaryRow], times: &'r [RowTimes]) -> Vec<Timed<'r>> {
    let times: BTreeMap<RowKey, &RowTimes> =
        times.iter().filter(|times| times.median > 0.0).map(|times| (times.key(), times)).collect();
    let rows = rows.iter().filter(|row| !row.is_bound());
    let timed = rows.filter_map(|row| Some(Timed { row, times: times.get(&row.key())?, is_on_front: false }));
    let mut timed: Vec<Timed<'_>> = timed.collect();
    timed.sort_by(|one, other| by_rank(one.row, other.row).then(one.times.median.total_cmp(&other.times.median)));
    let mut fastest = f64::INFINITY;
    for row in timed.iter_mut().filter(|timed| timed.row.is_ranked()) {
        row.is_on_front = row.times.median < fastest;
        fastest = fastest.min(row.times.median);
    }
    timed
}

/// The best F1 up to each time, corner by corner to the `end` of the axis; `timed` from the best to the worst.
fn staircase(timed: &[Timed<'_>], end: f64) -> Vec<(f64, f64)> {
    let mut corners: Vec<(f64, f64)> = Vec::new();
    for row in timed.iter().rev().filter(|row| row.is_on_front) {
        let (x, y) = row.at();
        corners.extend(corners.last().map(|&(_, below)| (x, below)));
        corners.push((x, y));
    }
    corners.extend(corners.last().map(|&(_, best)| (end, best)));
    corners
}

fn table_of_times(timed: &[Timed<'_>]) -> Vec<Vec<String>> {
    let header = [
        "algorithm", "setting", "pages", "median_ms", "mean_ms", "p99_ms", "starting_ms", "learning_ms", "reads_gold",
        "precision", "recall", "f1", "front",
    ];
    let line = |timed: &Timed<'_>| {
        let RowTimes { median, mean, p99, learning, starting, pages, .. } = timed.times;
        let macro_ = timed.row.aggregates.macro_;
        let named = [timed.row.algorithm.clone(), timed.row.label(), pages.to_string()];
        let once = [starting, learning].map(|time| time.map_or(String::new(), six));
        let scores = [macro_.precision, macro_.recall, macro_.f1].map(six);
        let figures =
            [*median, *mean, *p99].map(six).into_iter().chain(once).chain([reads_gold(timed.row)]).chain(scores);
        named.into_iter().chain(figures).chain([timed.is_on_front.to_string()]).collect()
    };
    std::iter::once(header.map(str::to_owned).to_vec()).chain(timed.iter().map(line)).collect()
}

/// How rows of a dataset are shown as points.
struct Points<'s> {
    summary: &'s Summary,
    dataset: &'s str,
    /// Those of terminals are larger.
    main: Vec<&'s SummaryRow>,
    /// The best of each algorithm have their names beside them, and so have those on the front.
    named: Vec<&'s SummaryRow>,
    colours: Colours<'s>,
}

impl<'s> Points<'s> {
    fn of(summary: &'s Summary, dataset: &'s str) -> Self {
        let mut named: Vec<&SummaryRow> = Vec::new();
        for family in families(&summary.rows, dataset) {
            let best = best(&family.rows);
            // Several sweeps of an algorithm are several things to look at; single settings of it are not.
            // So are bounds of several sweeps.
            let is_other_sweep = |row: &SummaryRow| {
                family.rows.len() > 1 && row.swept != best.swept || best.is_bound() && row.parameters != best.parameters
            };
            let is_namesake = |row: &&mut &SummaryRow| {
                (&row.algorithm, row.reads_gold) == (&best.algorithm, best.reads_gold) && !is_other_sweep(row)
            };
            match named.iter_mut().find(is_namesake) {
                Some(known) if by_rank(best, known).is_lt() => *known = best,
                Some(_) => {}
                None => named.push(best),
            }
        }
        Points { summary, dataset, main: rows_in_terminal(summary, dataset), named, colours: Colours::of(summary) }
    }

    fn dot(&self, row: &SummaryRow, at: (f64, f64), milliseconds: Option<f64>) -> Dot {
        let mut own = self.summary.rows.iter().filter(|row| row.dataset == self.dataset);
        let is_in = |rows: &[&SummaryRow]| rows.iter().any(|known| std::ptr::eq(*known, row));
        Dot {
            row: own.position(|known| std::ptr::eq(known, row)).unwrap_or_default(),
            name: self.name(row),
            at,
            milliseconds,
            fill: self.colours.fill(row),
            main: is_in(&self.main),
            named: is_in(&self.named),
            is_on_front: false,
        }
    }

    /// The algorithm with its mark, and its setting where another row of that name has a point, too.
    fn name(&self, row: &SummaryRow) -> LocalisedText {
        let is_namesake = |other: &&&SummaryRow| other.algorithm == row.algorithm && other.reads_gold == row.reads_gold;
        let label = if self.named.iter().filter(is_namesake).count() > 1 { row.label() } else { String::new() };
        marked(format!("{} {label}", row.algorithm).trim_end(), row)
    }

    fn precision_and_recall(&self, rows: &[&SummaryRow]) -> Plot {
        let dot = |row: &&SummaryRow| {
            let macro_ = row.aggregates.macro_;
            self.dot(row, (macro_.recall, macro_.precision), None)
        };
        let least = rows.iter().flat_map(|row| [row.aggregates.macro_.precision, row.aggregates.macro_.recall]);
        let least = least.fold(1.0, f64::min);
        let line = |row: &&SummaryRow| {
            let macro_ = row.aggregates.macro_;
            let figures = [macro_.precision, macro_.recall, macro_.f1].map(six);
            let named = [row.algorithm.clone(), row.label()];
            named.into_iter().chain(figures).chain([reads_gold(row)]).collect()
        };
        let header = ["algorithm", "setting", "precision", "recall", "f1", "reads_gold"].map(str::to_owned).to_vec();
        Plot {
            title: LocalisedText::new(["{0}: precision against recall", "{0}：精确率与召回率"], [self.dataset]),
            x: Axis::of_scores(LocalisedText::words(["recall", "召回率"]), least),
            y: Axis::of_scores(LocalisedText::words(["precision", "精确率"]), least),
            sentence: precision_and_recall_sentence(rows),
            table: [header].into_iter().chain(rows.iter().map(line)).collect(),
            ..self.plot(rows.iter().map(dot).collect(), Against::Recall)
        }
    }

    /// `timed` rows from the best to the worst.
    fn f1_and_time(&self, timed: &[Timed<'_>]) -> Plot {
        let dot = |row: &Timed<'_>| {
            let dot = self.dot(row.row, row.at(), Some(row.times.median));
            Dot { is_on_front: row.is_on_front, named: dot.named || row.is_on_front, ..dot }
        };
        let least = timed.iter().map(|row| f1(row.row)).fold(1.0, f64::min);
        let medians = || timed.iter().map(|row| row.times.median);
        let (fastest, slowest) = (medians().fold(f64::MAX, f64::min), medians().fold(0.0, f64::max));
        let label =
            LocalisedText::words(["median milliseconds per page, without parsing", "每页毫秒数（中位数，不含解析）"]);
        let axis = Axis::of_powers(label, fastest, slowest);
        let front = staircase(timed, axis.to);
        let plot = self.plot(timed.iter().map(dot).collect(), Against::Time);
        let on_front = timed.iter().filter(|row| row.is_on_front).count();
        let ranked = timed.iter().filter(|timed| timed.row.is_ranked()).count();
        let mut notes = vec![Note::plain(LocalisedText::words([
            "time: preparing and choosing on one thread of the machine of the run; the time of learning from several pages is \
             divided among them",
            "时间：在运行所用机器的单个线程上准备与选择；从多个页面学习的时间平摊到各页",
        ]))];
        if timed.iter().any(|row| row.times.starting.is_some()) {
            notes.push(Note::plain(LocalisedText::words([
                "external programs: from request to reply, so with their own parsing, and without their start, which times.csv tells",
                "外部程序：从请求到回复，包含其自身的解析，不含启动；启动时间见 times.csv",
            ])));
        }
        if timed.iter().any(|row| row.times.learning.is_some()) {
            notes.push(Note::plain(LocalisedText::words([
                "rows that learn from gold stand at the time of choosing alone and make no part of the line; times.csv tells the time of \
                 learning",
                "从标注学习的行只计选择的时间，折线不由它们决定；学习的时间见 times.csv",
            ])));
        }
        let is_timed = |row: &&&SummaryRow| timed.iter().any(|timed| std::ptr::eq(timed.row, **row));
        let untimed: Vec<&SummaryRow> =
            self.named.iter().filter(|row| row.is_ranked() && !is_timed(row)).copied().collect();
        if !untimed.is_empty() {
            let names: Vec<LocalisedText> = untimed.iter().map(|row| self.name(row)).collect();
            let words = ["not timed, and so not here: {0}", "未计时，故不在图中：{0}"];
            notes.push(Note::plain(LocalisedText::new(words, [LocalisedText::list(&names)])));
        }
        notes.extend(plot.notes);
        Plot {
            title: LocalisedText::new(["{0}: F1 against time", "{0}：F1 与时间"], [self.dataset]),
            subtitle: LocalisedText::new(
                [
                    "line and bold names: the {0} of {1} rows that no other row beats in both F1 and time",
                    "折线与粗体：{1} 行中有 {0} 行，没有别的行在 F1 与时间上都更好",
                ],
                [on_front.to_string(), ranked.to_string()],
            ),
            sentence: time_sentence(timed, untimed.is_empty()),
            x: axis,
            y: Axis::of_scores(LocalisedText::name("F1"), least),
            table: table_of_times(timed),
            scatter: plot.scatter.map(|scatter| Scatter { front, ..scatter }),
            notes,
            ..plot
        }
    }

    fn plot(&self, dots: Vec<Dot>, against: Against) -> Plot {
        let ranked: Vec<&SummaryRow> = self.named.iter().copied().filter(|row| row.is_ranked()).collect();
        let best = (!ranked.is_empty()).then(|| best(&ranked));
        let mut notes = Vec::new();
        if against == Against::Recall {
            notes.push(Note::plain(LocalisedText::words([
                "grey curves: places of equal F1; the F1 of a row is the mean of its pages' F1, so its point may lie beside the curve",
                "灰色曲线：F1 相等之处；一行的 F1 是各页 F1 的平均，因此其点可能不在曲线上",
            ])));
        }
        let has_small = dots.iter().any(|dot| !dot.main);
        let sizes = [
            "large points: the rows that the table in a terminal shows; small: every other setting",
            "大点：终端表格所列的行；小点：其余设置",
        ];
        notes.extend(has_small.then(|| Note::plain(LocalisedText::words(sizes))));
        let has_grey = dots.iter().any(|dot| matches!(dot.fill, Fill::Floor(_)));
        let grey = ["grey: floors and bounds", "灰色：简单基线与上界"];
        notes.extend(has_grey.then(|| Note::plain(LocalisedText::words(grey))));
        let rows = self.summary.rows.iter().filter(|row| row.dataset == self.dataset);
        notes.extend(conditions::left_out(rows).into_iter().map(Note::plain));
        notes.push(Note::plain(conditions::told(self.summary, self.dataset)));
        let words = ["best F1 {0}: {1}", "最佳 F1 {0}：{1}"];
        Plot {
            subtitle: best
                .map_or(LocalisedText::default(), |row| LocalisedText::new(words, [four(f1(row)), row.full_label()])),
            dataset: Some(self.dataset.to_owned()),
            scatter: Some(Scatter { against, dots, front: Vec::new() }),
            notes,
            ..Plot::default()
        }
    }
}

/// Which algorithm errs least to each side; floors are none.
fn precision_and_recall_sentence(rows: &[&SummaryRow]) -> LocalisedText {
    // What has no page to compare with keeps nearly everything, and misses little for that.
    let is_tested = |row: &&SummaryRow| row.is_ranked() && !row.floor && !conditions::is_mostly_alone(row);
    let tested: Vec<&SummaryRow> = rows.iter().copied().filter(is_tested).collect();
    let best = |figure: fn(&SummaryRow) -> f64| -> Option<[LocalisedText; 2]> {
        let best = (!tested.is_empty()).then(|| best_by(&tested, figure))?;
        let printed = four(figure(best));
        let equal = tested.iter().filter(|row| six(figure(row)) == six(figure(best))).count() - 1;
        Some([with_equals(best.full_label(), equal), LocalisedText::name(printed)])
    };
    let (Some([precise, precision]), Some([complete, recall])) =
        (best(|row| row.aggregates.macro_.precision), best(|row| row.aggregates.macro_.recall))
    else {
        return LocalisedText::default();
    };
    let told = LocalisedText::new(
        [
            "Of the algorithms, {0} has the highest precision ({1}); {2} has the highest recall ({3}).",
            "各算法中，{0} 的精确率最高（{1}）；{2} 的召回率最高（{3}）。",
        ],
        [precise, precision, complete, recall],
    );
    let ranked: Vec<&SummaryRow> = rows.iter().copied().filter(|row| row.is_ranked() && !row.floor).collect();
    let alone = conditions::names_of_alone(&ranked);
    if alone.is_empty() {
        return told;
    }
    let words = [
        "{0} Not counted, for on half of the pages or more they had no other page to compare with: {1}.",
        "{0}以下算法不计在内，因为在一半以上的页面上没有可比较的其他页面：{1}。",
    ];
    LocalisedText::new(words, [told, LocalisedText::list(&alone)])
}

/// A row, and how many others have the same figure.
fn with_equals(row: String, equal: usize) -> LocalisedText {
    if equal == 0 {
        return LocalisedText::name(row);
    }
    let others = counted(equal, "other row");
    LocalisedText::new(["{0}, like {1},", "{0}（与另外 {2} 行并列）"], [row, others, equal.to_string()])
}

/// The best row, and the fastest that is nearly as good; `are_all` rows timed, or only some.
fn time_sentence(timed: &[Timed<'_>], are_all: bool) -> LocalisedText {
    /// So much F1 is nearly nothing.
    const NEAR: f64 = 0.01;
    let mut ranked = timed.iter().filter(|timed| timed.row.is_ranked());
    let Some(best) = ranked.next() else { return LocalisedText::default() };
    let told = |timed: &Timed<'_>| [timed.row.full_label(), four(f1(timed.row)), format!("{:.3}", timed.times.median)];
    let mut near = ranked.filter(|timed| timed.is_on_front && f1(timed.row) >= f1(best.row) - NEAR);
    let words = match are_all {
        true => ["{0} has the best F1, {1}, in {2} ms per page", "{0} 的 F1 最佳，为 {1}，每页 {2} 毫秒"],
        false => [
            "Of the rows that were timed, {0} has the best F1, {1}, in {2} ms per page",
            "计时的各行中，{0} 的 F1 最佳，为 {1}，每页 {2} 毫秒",
        ],
    };
    let mut parts = vec![LocalisedText::new(words, told(best))];
    let words = ["{0} comes within 0.01 of it in {2} ms", "{0} 与之相差不到 0.01，只需 {2} 毫秒"];
    parts.extend(near.next_back().map(|near| LocalisedText::new(words, told(near))));
    LocalisedText::new(["{0}.", "{0}。"], [LocalisedText::clauses(&parts)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{alpha_sweep, row, summary, svg, swept_row};
    use crate::report::language::Language;
    use crate::runs::reads_gold::ReadsGold;

    fn time(row: &SummaryRow, median: f64) -> RowTimes {
        let (dataset, algorithm, parameters) = row.key();
        let of_page = RowTimes { dataset, algorithm, parameters, pages: 10, mean: median, ..RowTimes::default() };
        RowTimes { median, p99: median, ..of_page }
    }

    #[test]
    fn rows_of_one_figure_are_told_together() {
        let rows = [row("d", "nta", 0.8), row("d", "cevc", 0.8), row("d", "relevance", 0.7)];
        let sentence = precision_and_recall_sentence(&rows.iter().collect::<Vec<_>>());
        assert!(
            sentence.english().contains("nta, like 1 other row, has the highest precision"),
            "{}",
            sentence.english()
        );
        assert!(sentence.in_language(Language::Chinese).contains("nta（与另外 1 行并列）的精确率最高"), "{sentence:?}");
        let alone = SummaryRow { alone: Some(8), pages: 10, ..row("d", "istm", 0.9) };
        let without = precision_and_recall_sentence(&[&alone, &rows[0], &rows[2]]);
        let left_out = "; nta has the highest recall (0.7800). Not counted, for on half of the pages or more they had no other page \
                        to compare with: istm.";
        assert!(without.english().ends_with(left_out), "{}", without.english());
        let apart = precision_and_recall_sentence(&[&rows[0], &rows[2]]);
        assert!(apart.english().contains("nta has the highest precision"), "{}", apart.english());
    }

    #[test]
    fn the_best_of_each_sweep_of_an_algorithm_has_its_name() {
        let row = |coherence: &str, density: &str, swept: &[&str], f1: f64| {
            swept_row("d", "nta", &[("coherence", coherence, "0.9"), ("density", density, "0.5")], swept, f1)
        };
        let rows = vec![
            row("0.8", "0.3", &["coherence", "density"], 0.7),
            row("0.8", "0.4", &["coherence", "density"], 0.8),
            row("0.9", "0.1", &["density"], 0.5),
            row("0.9", "0.2", &["density"], 0.6),
            row("0.7", "0.7", &[], 0.4),
        ];
        let shown = plots(&summary(rows), &[], "d");
        let dots = &shown[0].1.scatter.as_ref().unwrap().dots;
        let named: Vec<&str> = dots.iter().filter(|dot| dot.named).map(|dot| dot.name.english()).collect();
        assert_eq!(named, ["nta coherence=0.8,density=0.4", "nta density=0.2"]);
    }

    #[test]
    fn rows_are_points_and_the_best_of_each_algorithm_has_its_name() {
        let mut rows = alpha_sweep("d", 21);
        rows.extend([row("d", "all-text", 0.5), row("d", "oracle-nodes", 0.99), row("other", "nta", 0.5)]);
        let summary = summary(rows);
        let shown = plots(&summary, &[], "d");
        assert_eq!(shown.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["precision-recall"], "nothing was timed");
        let plot = &shown[0].1;
        let scatter = plot.scatter.as_ref().unwrap();
        assert_eq!(scatter.dots.len(), 23);
        let named: Vec<(usize, &str)> =
            scatter.dots.iter().filter(|dot| dot.named).map(|dot| (dot.row, dot.name.english())).collect();
        assert_eq!(named, [(11, "cevc"), (21, "all-text"), (22, "oracle-nodes (bound)")]);
        let of_cevc = scatter.dots[0].fill;
        assert!(matches!(of_cevc, Fill::System(_)));
        assert!(scatter.dots.iter().all(|dot| (dot.fill == of_cevc) == (dot.name.english() == "cevc")));
        assert_eq!(plot.subtitle.english(), "best F1 0.8800: cevc alpha=0.55", "a bound is not the best");
        assert_eq!(plot.csv().lines().count(), 24);
        let svg = svg(plot);
        assert_eq!(svg.matches("data-row=").count(), 23);
        assert!(
            ["cevc", "all-text", "oracle-nodes (bound)"].iter().all(|name| svg.contains(&format!("\n{name}\n"))),
            "{svg}"
        );
        assert!(plots(&summary, &[], "other").is_empty(), "a single row is no figure");
    }

    #[test]
    fn an_algorithm_lies_above_what_is_grey() {
        let names = ["nta", "all-text", "cevc", "oracle-nodes"];
        let summary =
            summary(names.into_iter().zip([0.5, 0.3, 0.9, 0.5]).map(|(name, f1)| row("d", name, f1)).collect());
        let plot = &plots(&summary, &[], "d")[0].1;
        // The bound comes last in the run, and lies upon NTA.
        let svg = svg(plot);
        let rows: Vec<&str> = svg.split("data-row=\"").skip(1).map(|row| &row[..1]).collect();
        assert_eq!(rows, ["1", "3", "0", "2"]);
    }

    #[test]
    fn what_was_learned_from_gold_is_marked_and_is_not_the_best() {
        let mut rows = vec![row("d", "wrapper", 0.99), row("d", "wrapper", 0.4), row("d", "nta", 0.9)];
        rows[0].reads_gold = Some(ReadsGold::OtherPages);
        let summary = summary(rows);
        let plot = &plots(&summary, &[], "d")[0].1;
        assert_eq!(plot.subtitle.english(), "best F1 0.9000: nta");
        let scatter = plot.scatter.as_ref().unwrap();
        assert!(scatter.dots.iter().any(|dot| dot.named && dot.name.english() == "wrapper (learned)"));
        let csv = plot.csv();
        assert!(csv.lines().next().unwrap().ends_with(",reads_gold"));
        assert!(csv.lines().nth(1).unwrap().ends_with(",other_pages") && csv.lines().nth(3).unwrap().ends_with(','));
    }

    #[test]
    fn the_front_is_what_nothing_is_better_and_faster_than() {
        let names = ["all-text", "nta", "slow", "worse", "fast", "untimed"];
        let figures = [0.5, 0.9, 0.9, 0.87, 0.85, 0.95];
        let rows: Vec<SummaryRow> = names.into_iter().zip(figures).map(|(name, f1)| row("d", name, f1)).collect();
        let times: Vec<RowTimes> =
            rows.iter().zip([0.01, 1.0, 10.0, 5.0, 0.1, 0.0]).map(|(row, median)| time(row, median)).collect();
        let summary = summary(rows);
        let shown = plots(&summary, &times, "d");
        let (name, plot) = &shown[1];
        assert_eq!((*name, plot.title.to_string().as_str()), ("time", "d: F1 against time"));
        let scatter = plot.scatter.as_ref().unwrap();
        let front = scatter.dots.iter().filter(|dot| dot.is_on_front).map(|dot| dot.name.english());
        assert_eq!(front.collect::<Vec<_>>(), ["nta", "fast", "all-text"]);
        assert_eq!(scatter.front, [(-2.0, 0.5), (-1.0, 0.5), (-1.0, 0.85), (0.0, 0.85), (0.0, 0.9), (1.0, 0.9)]);
        let table: Vec<String> = plot.csv().lines().skip(1).map(str::to_owned).collect();
        assert!(table[0].starts_with("nta,,10,1.000000,"), "{table:?}");
        let last: Vec<&str> = table.iter().map(|line| line.rsplit(',').next().unwrap()).collect();
        assert_eq!(last, ["true", "false", "false", "true", "true"]);
        let sentence = plot.sentence.english();
        assert!(sentence.starts_with("Of the rows that were timed, nta has the best F1, 0.9000"), "{sentence}");
        assert!(plot.notes.iter().any(|note| note.text.english() == "not timed, and so not here: untimed"));
    }

    #[test]
    fn learned_rows_have_their_time_and_no_place_on_the_front() {
        let mut rows = vec![row("d", "nta", 0.8), row("d", "wrapper", 0.95), row("d", "oracle-nodes", 1.0)];
        rows[1].reads_gold = Some(ReadsGold::OtherPages);
        let mut times: Vec<RowTimes> =
            rows.iter().zip([1.0, 0.1, 1.0]).map(|(row, median)| time(row, median)).collect();
        times[1].learning = Some(2500.0);
        let summary = summary(rows);
        let plot = &plots(&summary, &times, "d")[1].1;
        let dots = &plot.scatter.as_ref().unwrap().dots;
        let shown: Vec<(&str, bool)> = dots.iter().map(|dot| (dot.name.english(), dot.is_on_front)).collect();
        assert_eq!(shown, [("wrapper (learned)", false), ("nta", true)]);
        let table = plot.csv();
        assert!(table.lines().nth(1).unwrap().contains(",2500.000000,other_pages,"), "{table}");
    }

    #[test]
    fn an_external_program_has_its_point_and_its_place_on_the_front() {
        let summary = summary(vec![row("d", "nta", 0.8), row("d", "external/x", 0.9), row("d", "all-text", 0.4)]);
        let mut times: Vec<RowTimes> =
            summary.rows.iter().zip([0.5, 20.0, 1.0]).map(|(row, median)| time(row, median)).collect();
        let told = |times: &[RowTimes]| {
            let plot = plots(&summary, times, "d").remove(1).1;
            let notes: Vec<String> = plot.notes.iter().map(|note| note.text.english().to_owned()).collect();
            (plot, notes.iter().any(|note| note.starts_with("external programs: from request to reply")))
        };
        assert!(!told(&times).1, "no program was started");
        times[1].starting = Some(350.0);
        let (plot, is_noted) = told(&times);
        assert!(is_noted);
        let dots = &plot.scatter.as_ref().unwrap().dots;
        let shown: Vec<(&str, bool)> = dots.iter().map(|dot| (dot.name.english(), dot.is_on_front)).collect();
        assert_eq!(shown, [("external/x", true), ("nta", true), ("all-text", false)]);
        let table = plot.csv();
        assert!(table.lines().nth(1).unwrap().starts_with("external/x,,10,20.000000,20.000000,20.000000,350.000000,,"));
    }

    #[test]
    fn a_setting_on_the_front_has_its_name_too() {
        let rows = alpha_sweep("d", 3);
        let times: Vec<RowTimes> = rows.iter().zip([0.5, 2.0, 1.0]).map(|(row, median)| time(row, median)).collect();
        let summary = summary(rows);
        let plot = &plots(&summary, &times, "d")[1].1;
        let named =
            plot.scatter.as_ref().unwrap().dots.iter().filter(|dot| dot.named).map(|dot| (dot.is_on_front, dot.row));
        assert_eq!(named.collect::<Vec<_>>(), [(true, 2), (true, 0)]);
    }
    #[test]
    fn the_bounds_of_two_sweeps_have_a_name_each() {
        let bound = |sweep: &str| SummaryRow {
            reads_gold: Some(ReadsGold::Page),
            ..swept_row("d", "oracle-sweep", &[("sweep", sweep, "")], &[], 0.9)
        };
        let summary = summary(vec![row("d", "nta", 0.8), bound("nta coherence"), bound("cevc alpha")]);
        let plot = &plots(&summary, &[], "d")[0].1;
        let named = plot.scatter.as_ref().unwrap().dots.iter().filter(|dot| dot.named).map(|dot| dot.name.to_string());
        let mut named: Vec<String> = named.collect();
        named.sort();
        let bounds = ["cevc alpha", "nta coherence"].map(|sweep| format!("oracle-sweep sweep={sweep} (bound)"));
        assert_eq!(named, [&["nta".to_owned()], &bounds[..]].concat());
    }
}
