//! The figure of a swept parameter: P, R and F1 against its value, beside floors, the default and
//! what the algorithm's paper prints.

use std::collections::BTreeSet;

use super::conditions;
use super::families::{self, Slice, f1, number, value_of};
use super::figure_inputs::FigureInputs;
use super::language::Language;
use super::localised_text::LocalisedText;
use super::plot::{Axis, Curve, FlatRegion, FlatTest, Label, Mark, Note, Plot, SeriesColour, Sign, Vertical};
use super::published::{Group, Published, figures, only_language};
use super::row_labels::marked;
use super::table_format::{four, six};
use crate::runs::best::{Preference, best_run, may_be_best, steps_from_default};
use crate::runs::reads_gold::ReadsGold;
use crate::runs::run_folder::SweepRow;
use crate::runs::separation::TooFewSites;
use crate::runs::summary::{Summary, SummaryRow};
use crate::runs::sweep::digits_between;
use crate::statistics::Triple;

/// Places on an exact curve where its shape is drawn.
const SHAPES: usize = 11;

/// One parameter of one algorithm, swept over one dataset.
#[derive(Debug)]
pub struct Sweep {
    /// The dataset's name.
    pub dataset: String,
    /// The algorithm's name.
    pub algorithm: String,
    /// The parameter.
    pub parameter: String,
    /// The other parameters that are worth telling, as on the command line.
    pub label: String,
    /// Those of them that are not at their default.
    pub others: String,
    /// Whether the curve is exact: pieces, not points.
    pub exact: bool,
    /// The parameter's default, where the run has a row at it.
    default: Option<String>,
    /// By which test samples are flat, where that is known.
    test: Option<FlatTest>,
    /// The sites, where they are too few to tell any two rows apart.
    too_few_sites: Option<TooFewSites>,
    /// Sentences on rows that were not run on some pages.
    left_out: Vec<LocalisedText>,
    /// At least one.
    samples: Vec<Sample>,
}

/// Scores at a value, or over an interval of values.
#[derive(Clone, Debug)]
struct Sample {
    from: Place,
    to: Place,
    /// Whether each end belongs to the interval.
    closed: (bool, bool),
    /// P, R and F1, each 0 to 1.
    scores: [f64; 3],
    /// True if it was run on every page.
    is_whole: bool,
    /// Whether it is not separable from the best, where that is known of all.
    flat: Option<bool>,
}

/// A value as it is written and where it is drawn.
#[derive(Clone, Debug)]
struct Place {
    text: String,
    at: f64,
}

const INKS: [SeriesColour; 3] = [SeriesColour::Precision, SeriesColour::Recall, SeriesColour::F1];

impl Sweep {
    /// The sweep over a grid's rows.
    pub fn of_rows(rows: &Slice<'_>, inputs: &FigureInputs) -> Self {
        let parameter = &rows.parameters[0];
        let texts: Vec<String> = rows.rows.iter().map(|row| value_of(row, parameter)).collect();
        let numbers: Option<Vec<f64>> = texts.iter().map(|text| number(text)).collect();
        let words = numbers.is_none();
        let places = numbers.unwrap_or_else(|| (0..texts.len()).map(|i| i as f64).collect());
        let too_few_sites = inputs.separation.too_few_sites(&rows.rows, &inputs.scores);
        let flat = || inputs.separation.flat(&rows.rows, &inputs.scores);
        let (flat, test) = match too_few_sites.map_or_else(flat, |_| None) {
            Some((flat, among)) => (flat.into_iter().map(Some).collect(), Some(FlatTest::Rows(among))),
            None => (vec![None; rows.rows.len()], None),
        };
        let sample = |(((row, text), at), flat): (((&&SummaryRow, String), f64), Option<bool>)| {
            let macro_ = row.aggregates.macro_;
            let place = Place { text, at };
            let scores = [macro_.precision, macro_.recall, macro_.f1];
            Sample { from: place.clone(), to: place, closed: (true, true), scores, is_whole: row.is_whole(), flat }
        };
        let mut samples: Vec<Sample> = rows.rows.iter().zip(texts).zip(places).zip(flat).map(sample).collect();
        if !words {
            samples.sort_by(|a, b| a.from.at.total_cmp(&b.from.at));
        }
        let first = rows.rows[0];
        Sweep {
            dataset: first.dataset.clone(),
            algorithm: first.algorithm.clone(),
            parameter: parameter.clone(),
            label: rows.label.clone(),
            others: rows.others.clone(),
            exact: false,
            default: rows.default_row().map(|row| value_of(row, parameter)),
            test,
            too_few_sites,
            left_out: conditions::left_out(rows.rows.iter().copied()),
            samples,
        }
    }

    /// The exact sweeps in the lines of `sweeps.csv`.
    ///
    /// # Errors
    /// A sentence: a field that is no number.
    pub fn of_pieces(lines: &[SweepRow]) -> Result<Vec<Self>, String> {
        let key = |row: &SweepRow| [&row.dataset, &row.algorithm, &row.parameters, &row.parameter].map(Clone::clone);
        // A curve ends where the next line is of another, or begins anew.
        let goes_on = |one: &SweepRow, next: &SweepRow| key(one) == key(next) && one.to == next.from;
        lines.chunk_by(goes_on).map(Self::of_curve).collect()
    }

    fn of_curve(lines: &[SweepRow]) -> Result<Self, String> {
        let first = &lines[0];
        let default = number(&first.default).unwrap_or_default();
        let samples = lines.iter().map(|line| piece(line, default)).collect::<Result<_, _>>()?;
        Ok(Sweep {
            dataset: first.dataset.clone(),
            algorithm: first.algorithm.clone(),
            parameter: first.parameter.clone(),
            label: first.parameters.clone(),
            others: first.parameters.clone(),
            exact: true,
            default: Some(first.default.clone()),
            test: Some(FlatTest::Band),
            too_few_sites: None,
            left_out: Vec::new(),
            samples,
        })
    }

    /// The figure.
    pub fn plot(&self, summary: &Summary) -> Plot {
        let rows: Vec<&SummaryRow> = summary.rows.iter().filter(|row| row.dataset == self.dataset).collect();
        let x = self.x_axis();
        let published = self.published(&rows, &x);
        let marks: Vec<Mark> = published.iter().flat_map(|(at, _, group)| marks(*at, group)).collect();
        let scores = self.samples.iter().flat_map(|sample| sample.scores);
        let least = scores.chain(marks.iter().map(|mark| mark.at.1)).fold(1.0, f64::min);
        let y = Axis::of_scores(LocalisedText::words(["macro mean over pages", "各页的宏平均"]), least);
        let floors = self.floors(&rows);
        let (drawn, below): (Vec<&SummaryRow>, Vec<&SummaryRow>) = floors.iter().partition(|row| f1(row) >= y.from);
        let mut notes: Vec<Note> = published
            .iter()
            .map(|(_, published, group)| Note { hollow: true, text: published.note(group, &self.parameter) })
            .collect();
        notes.extend(self.floor_note(&drawn, &below));
        let flat = self.flat();
        notes.extend(flat.as_ref().and_then(FlatRegion::note));
        notes.extend(self.too_few_sites.map(|few| Note::plain(conditions::too_few_sites(few))));
        notes.extend(self.left_out.iter().cloned().map(Note::plain));
        notes.push(Note::plain(conditions::told(summary, &self.dataset)));
        Plot {
            title: self.title(),
            subtitle: self.subtitle(),
            sentence: self.sentence(flat.as_ref()),
            dataset: Some(self.dataset.clone()),
            curves: self.curves(&x),
            floors: drawn.iter().map(|row| f1(row)).collect(),
            verticals: self
                .default_place()
                .map(|at| Vertical { at, label: LocalisedText::words(["default", "默认"]) })
                .into_iter()
                .collect(),
            labels: self.labels(&drawn),
            key: flat.iter().map(|flat| flat.key(Sign::FlatSpan)).collect(),
            flat,
            marks,
            notes,
            table: self.table(&floors, &published),
            x,
            y,
            ..Plot::default()
        }
    }

    fn title(&self) -> LocalisedText {
        let words = match self.exact {
            false => ["{0} on {1}: P, R and F1 over {2}", "{1} 上的 {0}：精确率、召回率与 F1 随 {2} 的变化"],
            true => {
                ["{0} on {1}: P, R and F1 over {2} (exact)", "{1} 上的 {0}：精确率、召回率与 F1 随 {2} 的变化（精确）"]
            }
        };
        LocalisedText::new(words, [&self.algorithm, &self.dataset, &self.parameter])
    }

    fn is_numeric(&self) -> bool {
        self.samples.iter().all(|sample| number(&sample.from.text).is_some())
    }

    fn x_axis(&self) -> Axis {
        if self.is_numeric() {
            let (first, last) = (&self.samples[0], &self.samples[self.samples.len() - 1]);
            return Axis::of_numbers(LocalisedText::name(&self.parameter), first.from.at, last.to.at);
        }
        let words: Vec<String> = self.samples.iter().map(|sample| sample.from.text.clone()).collect();
        Axis::of_words(LocalisedText::name(&self.parameter), &words)
    }

    /// The samples that are not separable from the best; of numbers, neighbours are one span.
    fn flat(&self) -> Option<FlatRegion> {
        let flat: Vec<bool> = self.samples.iter().map(|sample| sample.flat).collect::<Option<_>>()?;
        let numeric = self.is_numeric();
        let runs = self.samples.chunk_by(|one, next| numeric && one.flat == next.flat);
        let runs = runs.filter(|run| run[0].flat == Some(true));
        let spans = runs.map(|run| (run[0].from.at, run[run.len() - 1].to.at)).collect();
        Some(FlatRegion::new(&flat, spans, self.test))
    }

    fn default_place(&self) -> Option<f64> {
        let text = self.default.as_ref()?;
        if self.is_numeric() {
            return number(text);
        }
        self.samples.iter().find(|sample| sample.from.text == *text).map(|sample| sample.from.at)
    }

    /// P, R and F1, the last on top. Values that are words are not joined: nothing lies between them.
    fn curves(&self, x: &Axis) -> Vec<Curve> {
        let curve = |(i, ink): (usize, SeriesColour)| {
            let ends = |sample: &Sample| {
                let score = sample.scores[i];
                [(sample.from.at, score), (sample.to.at, score)]
            };
            let mut line: Vec<(f64, f64)> = self.samples.iter().flat_map(ends).collect();
            line.dedup();
            let points = match self.exact {
                true => self.spread(x, i),
                false => line.clone(),
            };
            Curve { ink, line: if self.is_numeric() { line } else { Vec::new() }, points }
        };
        INKS.into_iter().enumerate().map(curve).collect()
    }

    /// Points on an exact curve at even distances.
    fn spread(&self, x: &Axis, score: usize) -> Vec<(f64, f64)> {
        let places = (0..SHAPES).map(|i| x.from + (x.to - x.from) * i as f64 / (SHAPES - 1) as f64);
        places.filter_map(|at| Some((at, self.at(at)?.scores[score]))).collect()
    }

    fn at(&self, place: f64) -> Option<&Sample> {
        self.samples.iter().find(|sample| sample.holds(place))
    }

    fn labels(&self, floors: &[&SummaryRow]) -> Vec<Label> {
        let last = &self.samples[self.samples.len() - 1];
        let curves = INKS.into_iter().zip(last.scores);
        let curves = curves.map(|(ink, at)| Label { ink, at, text: ink.name().into() });
        let floors =
            floors.iter().map(|row| Label { ink: SeriesColour::Floor, at: f1(row), text: self.line_name(row) });
        curves.chain(floors).collect()
    }

    /// The best values, by the one rule of `runs/best.rs`: a sample, or pieces of an exact sweep that hang together.
    fn best(&self) -> Sample {
        let may_be_best = may_be_best(&self.samples.iter().map(|sample| sample.is_whole).collect::<Vec<_>>());
        let figure = |(sample, may): (&Sample, &bool)| if *may { sample.scores[2] } else { f64::NEG_INFINITY };
        let figures: Vec<f64> = self.samples.iter().zip(&may_be_best).map(figure).collect();
        let most = figures.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let is_best: Vec<bool> = figures.iter().map(|figure| *figure == most).collect();
        let texts: Vec<String> = self.samples.iter().map(|sample| sample.from.text.clone()).collect();
        let steps = match self.exact {
            true => vec![0; texts.len()],
            false => steps_from_default(&texts, self.default.as_deref()),
        };
        let default = self.default_place();
        let preference = |(first, last): (usize, usize)| Preference {
            steps: steps[first],
            holds_default: self.samples[first..=last].iter().any(|sample| default.is_some_and(|at| sample.holds(at))),
            width: self.samples[last].to.at - self.samples[first].from.at,
        };
        let (first, last) = best_run(&is_best, |_, _| self.exact, preference).unwrap_or_default();
        let (first, last) = (&self.samples[first], &self.samples[last]);
        Sample { to: last.to.clone(), closed: (first.closed.0, last.closed.1), ..first.clone() }
    }

    fn default_sample(&self) -> Option<(&str, &Sample)> {
        let sample = self.default_place().and_then(|at| self.at(at))?;
        Some((self.default.as_deref()?, sample))
    }

    /// The best F1 and that at the default, in words.
    fn subtitle(&self) -> LocalisedText {
        let best = self.best();
        let mut parts = Vec::new();
        if !self.label.is_empty() {
            parts.push(LocalisedText::new(["with {0}", "其余 {0}"], [&self.label]));
        }
        let f1 = four(best.scores[2]);
        parts.push(match self.exact {
            true => LocalisedText::new(
                ["best F1 {0} for {1} in {2}", "最佳 F1 {0}（{1} 属于 {2}）"],
                [&f1, &self.parameter, &best.interval()],
            ),
            false => LocalisedText::new(
                ["best F1 {0} at {1}={2}", "最佳 F1 {0}（{1}={2}）"],
                [&f1, &self.parameter, &best.from.text],
            ),
        });
        let words = ["default {0}: {1}", "默认 {0}：{1}"];
        let default = self.default_sample();
        parts.extend(default.map(|(default, sample)| LocalisedText::new(words, [default, &four(sample.scores[2])])));
        let words = if self.exact { ["{0} pieces", "{0} 段"] } else { ["{0} values", "{0} 个取值"] };
        parts.push(LocalisedText::new(words, [self.samples.len().to_string()]));
        LocalisedText::clauses(&parts)
    }

    /// Its name on a command line: `cevc:alpha=exact`.
    pub(super) fn name(&self) -> String {
        let others = if self.others.is_empty() { String::new() } else { format!(",{}", self.others) };
        let value = if self.exact { "exact" } else { ".." };
        format!("{}:{}={value}{others}", self.algorithm, self.parameter)
    }

    /// How much the choice of a value matters, and what goes up where what goes down.
    fn sentence(&self, flat: Option<&FlatRegion>) -> LocalisedText {
        let worst = self.samples.iter().map(|sample| sample.scores[2]).fold(f64::INFINITY, f64::min);
        let best = self.best();
        let words = match self.exact {
            true => ["Over all {0} F1 moves by {1}", "随 {0} 变化，F1 的变动幅度为 {1}"],
            false => {
                ["Over these {2} values of {0} F1 moves by {1}", "在 {0} 的这 {2} 个取值之间，F1 的变动幅度为 {1}"]
            }
        };
        let moved = [self.parameter.clone(), four(best.scores[2] - worst), self.samples.len().to_string()];
        let mut parts = vec![LocalisedText::new(words, moved)];
        if !self.exact && self.default_sample().is_none() {
            parts.push(LocalisedText::words(["the default is not one of them", "默认值不在其中"]));
        }
        if let Some((default, sample)) = self.default_sample() {
            let lost = best.scores[2] - sample.scores[2];
            let words = match sample.flat {
                _ if lost == 0.0 => ["no value is better than the default {0}", "没有取值优于默认值 {0}"],
                Some(true) => [
                    "the default {0} cannot be told apart from the best ({1} lower)",
                    "默认值 {0} 与最佳无法区分（低{1}）",
                ],
                Some(false) => [
                    "the default {0} is worse than the best by {1}, which is more than chance",
                    "默认值 {0} 比最佳低{1}，并非偶然",
                ],
                None => ["the default {0} is {1} lower than the best", "默认值 {0} 比最佳低{1}"],
            };
            let lost = match four(lost) {
                nothing if nothing == four(0.0) => LocalisedText::words(["less than 0.0001", "不到 0.0001"]),
                lost => LocalisedText::words([&lost, &format!(" {lost}")]),
            };
            parts.push(LocalisedText::new(words, [LocalisedText::name(default), lost]));
        }
        if let Some(flat) = flat {
            let words = match flat.flat {
                1 => ["every other value can be told apart from the best", "其他取值均可与最佳区分"],
                _ if self.exact => [
                    "{0} of {1} pieces, the best included, cannot be told apart from the best",
                    "{1} 段中有 {0} 段（含最佳）与最佳无法区分",
                ],
                _ => [
                    "{0} of {1} values, the best included, cannot be told apart from the best",
                    "{1} 个取值中有 {0} 个（含最佳）与最佳无法区分",
                ],
            };
            parts.push(LocalisedText::new(words, [flat.flat.to_string(), flat.of.to_string()]));
        }
        LocalisedText::new(["{0}.", "{0}。"], [LocalisedText::clauses(&parts)])
    }

    /// The floors of the run and the bounds of any choice, at their defaults, and the bound of this very sweep.
    fn floors<'s>(&self, rows: &[&'s SummaryRow]) -> Vec<&'s SummaryRow> {
        let exact = if self.exact { "=exact" } else { "" };
        let own = format!("{} {}{exact} {}", self.algorithm, self.parameter, self.others.replace(',', " "));
        let is_own = |row: &SummaryRow| row.is_bound() && value_of(row, "sweep") == own.trim_end();
        let is_learned = |row: &SummaryRow| !row.is_ranked() && !row.is_bound() && row.swept.is_empty();
        let is_floor = |row: &&&SummaryRow| {
            let is_of_another = row.algorithm != self.algorithm;
            (row.floor || row.is_bound()) && row.differs.is_empty() && is_of_another || is_learned(row) || is_own(row)
        };
        let mut floors: Vec<&SummaryRow> = rows.iter().filter(is_floor).copied().collect();
        // Two readings of what learns may come to one line.
        let mut drawn: Vec<(&str, Triple)> = Vec::new();
        floors.retain(|row| {
            let line = (row.algorithm.as_str(), row.aggregates.macro_);
            let is_new = !drawn.contains(&line);
            drawn.push(line);
            is_new
        });
        floors
    }

    /// The name of a thin line: a reading of the swept algorithm that learns from gold is told from it.
    fn line_name(&self, row: &SummaryRow) -> LocalisedText {
        match row.algorithm == self.algorithm {
            true => marked(&row.algorithm, row),
            false => LocalisedText::name(&row.algorithm),
        }
    }

    /// What thin lines are, and those that the axis does not reach.
    fn floor_note(&self, drawn: &[&SummaryRow], below: &[&SummaryRow]) -> Option<Note> {
        let named =
            below.iter().map(|row| LocalisedText::new(["{0} {1}"; 2], [self.line_name(row), four(f1(row)).into()]));
        let named = LocalisedText::list(&named.collect::<Vec<_>>());
        let (words, lines) = match (drawn.is_empty(), below.is_empty()) {
            (true, true) => return None,
            (true, false) => (["F1 of the {0}, all below the axis: {1}", "{0}的 F1 均低于纵轴：{1}"], below),
            (false, true) => (["thin lines: F1 of the {0}", "细线：{0}的 F1"], drawn),
            (false, false) => {
                (["thin lines: F1 of the {0}; below the axis: {1}", "细线：{0}的 F1；低于纵轴：{1}"], drawn)
            }
        };
        Some(Note::plain(LocalisedText::new(words, [thin_lines(lines), named])))
    }

    /// What the paper prints at a value that the figure shows. Its figures are those of the method
    /// as printed, so variants have none.
    fn published(&self, rows: &[&SummaryRow], x: &Axis) -> Option<(f64, &'static Published, &'static Group)> {
        let language = rows.first().and_then(|row| only_language(row));
        let (published, group) = figures(&self.algorithm, &self.parameter, language)?;
        let at = number(published.setting.get(&self.parameter)?)?;
        let shown = self.others.is_empty() && self.is_numeric() && x.from <= at && at <= x.to;
        shown.then_some((at, published, group))
    }

    fn table(
        &self,
        floors: &[&SummaryRow],
        published: &Option<(f64, &'static Published, &'static Group)>,
    ) -> Vec<Vec<String>> {
        let value_columns: &[&str] =
            if self.exact { &["from", "from_closed", "to", "to_closed"] } else { &[&self.parameter] };
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let value_less = vec![String::new(); value_columns.len()];
        let mut table = vec![
            [owned(&["series", "name"]), owned(value_columns), owned(&["precision", "recall", "f1", "flat"])].concat(),
        ];
        table.extend(self.samples.iter().map(|sample| {
            let values = match self.exact {
                true => vec![
                    sample.from.text.clone(),
                    sample.closed.0.to_string(),
                    sample.to.text.clone(),
                    sample.closed.1.to_string(),
                ],
                false => vec![sample.from.text.clone()],
            };
            let flat = sample.flat.map_or(String::new(), |flat| flat.to_string());
            [owned(&["swept", &self.algorithm]), values, sample.scores.map(six).to_vec(), vec![flat]].concat()
        }));
        table.extend(floors.iter().map(|row| {
            let macro_ = row.aggregates.macro_;
            let scores = [macro_.precision, macro_.recall, macro_.f1].map(six).to_vec();
            let series = row.reads_gold.map_or("floor", ReadsGold::kind);
            [owned(&[series, &row.algorithm]), value_less.clone(), scores, vec![String::new()]].concat()
        }));
        table.extend(published.iter().map(|(_, published, group)| {
            let mut values = value_less.clone();
            values[0] = published.setting.get(&self.parameter).cloned().unwrap_or_default();
            let scores = [group.precision, group.recall, group.f1]
                .map(|score| score.map_or(String::new(), |score| score.to_string()));
            [owned(&["published", &published.source]), values, scores.to_vec(), vec![String::new()]].concat()
        }));
        table
    }
}

impl Sample {
    /// True if the value `place` is one of its own.
    fn holds(&self, place: f64) -> bool {
        let (from, to) = self.closed;
        let above = if from { self.from.at <= place } else { self.from.at < place };
        above && if to { place <= self.to.at } else { place < self.to.at }
    }

    /// The interval, such as `[0.5, 0.75)`; fractions as decimals, with the digits that its width asks for.
    fn interval(&self) -> String {
        let digits = usize::from(digits_between(self.from.at, self.to.at));
        let short = |place: &Place| match place.text.contains('/') {
            true => format!("{:.digits$}", place.at),
            false => place.text.clone(),
        };
        let open = if self.closed.0 { '[' } else { '(' };
        let close = if self.closed.1 { ']' } else { ')' };
        format!("{open}{}, {}{close}", short(&self.from), short(&self.to))
    }
}

/// The best of each exact sweep in a sentence: it has no rows, so no table tells it.
///
/// # Errors
/// As [`Sweep::of_pieces`].
pub fn exact_in_words(lines: &[SweepRow], language: Language) -> Result<Vec<String>, String> {
    let told = |sweep: &Sweep| {
        let words = LocalisedText::new(
            ["{0} over {1} on {2}: {3}", "{0} 随 {1}（{2}）：{3}"],
            [sweep.algorithm.as_str().into(), (&sweep.parameter).into(), (&sweep.dataset).into(), sweep.subtitle()],
        );
        words.in_language(language).to_owned()
    };
    Ok(Sweep::of_pieces(lines)?.iter().map(told).collect())
}

/// What rows that are thin lines are.
fn thin_lines(rows: &[&SummaryRow]) -> LocalisedText {
    let floors = LocalisedText::words(["floors at their defaults", "默认设置的简单基线"]);
    let kinds: BTreeSet<&str> = rows.iter().filter_map(|row| row.reads_gold).map(ReadsGold::kind).collect();
    let told = LocalisedText::list(&kinds.iter().map(|kind| LocalisedText::said(kind)).collect::<Vec<_>>());
    let with_gold = LocalisedText::new(["rows made with gold ({0})", "使用标注得到的行（{0}）"], [told]);
    match (rows.iter().any(|row| row.is_ranked()), kinds.is_empty()) {
        (true, true) => floors,
        (false, _) => with_gold,
        (true, false) => LocalisedText::new(["{0} and of the {1}", "{0}与{1}"], [floors, with_gold]),
    }
}

fn marks(at: f64, group: &Group) -> Vec<Mark> {
    let scores = INKS.into_iter().zip([group.precision, group.recall, group.f1]);
    scores.filter_map(|(ink, score)| Some(Mark { ink, at: (at, score?) })).collect()
}

/// A piece without end is drawn up to the default, where that lies in it.
fn piece(line: &SweepRow, default: f64) -> Result<Sample, String> {
    let read = |text: &str| number(text).ok_or_else(|| format!("`{text}` is not a number"));
    let from = read(&line.from)?;
    let to = if line.to == "inf" { from.max(default) } else { read(&line.to)? };
    let place = |text: &String, at: f64| Place { text: text.clone(), at };
    Ok(Sample {
        from: place(&line.from, from),
        to: place(&line.to, to),
        closed: (line.from_closed, line.to_closed),
        scores: [read(&line.precision)?, read(&line.recall)?, read(&line.f1)?],
        is_whole: true,
        flat: line.flat,
    })
}

/// The sweeps of `dataset` whose values are rows.
pub fn of_rows(summary: &Summary, inputs: &FigureInputs, dataset: &str) -> Vec<Sweep> {
    families::curves(&summary.rows, dataset).iter().map(|rows| Sweep::of_rows(rows, inputs)).collect()
}
