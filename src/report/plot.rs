//! A figure, described once: what is drawn, what stands under it and the table behind it. How it
//! looks is the writer's business.

use super::localised_text::LocalisedText;
use super::table_format::csv_text;
use crate::runs::separation::Among;
use crate::runs::summary::{FLAT, FLAT_SAMPLING};
use crate::statistics::Sampling;

/// A figure.
#[derive(Clone, Debug, Default)]
pub struct Plot {
    /// What it shows.
    pub title: LocalisedText,
    /// The main result in a line.
    pub subtitle: LocalisedText,
    /// What to see in it, in a sentence about this run; empty where nothing can be said.
    pub sentence: LocalisedText,
    /// The axis to the right.
    pub x: Axis,
    /// The axis upwards.
    pub y: Axis,
    /// What is drawn, the last on top.
    pub curves: Vec<Curve>,
    /// Thin horizontal lines over the whole width, by their height on the y axis.
    pub floors: Vec<f64>,
    /// Light vertical lines with a word on top.
    pub verticals: Vec<Vertical>,
    /// Points from elsewhere, drawn hollow.
    pub marks: Vec<Mark>,
    /// Words at the right end.
    pub labels: Vec<Label>,
    /// Coloured cells, where both axes are of bands.
    pub heat: Option<Heat>,
    /// What is as good as the best, where that is known.
    pub flat: Option<FlatRegion>,
    /// Bars, where the x axis is of bands.
    pub bars: Vec<Bar>,
    /// Distributions, each on a line of its own.
    pub strips: Vec<Strip>,
    /// Rows as points.
    pub scatter: Option<Scatter>,
    /// The dataset whose rows it shows; none where it shows several.
    pub dataset: Option<String>,
    /// The row of each line from the top, or of each place in a group of bars: its place among those of its dataset. Empty
    /// where lines and bars are no rows.
    pub rows: Vec<usize>,
    /// What colours and shapes stand for, told above the figure.
    pub key: Vec<Key>,
    /// Sentences under the figure.
    pub notes: Vec<Note>,
    /// The table behind the figure, its header first; rows of equal length.
    pub table: Vec<Vec<String>>,
}

/// An axis.
#[derive(Clone, Debug, Default)]
pub struct Axis {
    /// What it measures.
    pub label: LocalisedText,
    /// Its lower end.
    pub from: f64,
    /// Its upper end.
    pub to: f64,
    /// Where it is marked, from `from` to `to`.
    pub ticks: Vec<Tick>,
    /// What its steps of 1 are where each is a band as wide as the step; none where places are points.
    pub bands: Option<Bands>,
}

/// What the bands of an axis are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bands {
    /// Numbers in their order: where there is no room some need no mark, the rest is known.
    Numbers,
    /// Names: each is told.
    Names,
}

/// A mark of an axis.
#[derive(Clone, Debug, Default)]
pub struct Tick {
    /// Where.
    pub at: f64,
    /// What stands there.
    pub text: LocalisedText,
    /// A smaller second line.
    pub below: String,
}

/// What a colour and shape stand for: the same in every figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeriesColour {
    /// Precision.
    Precision,
    /// Recall.
    Recall,
    /// F1.
    F1,
    /// What is not under test.
    Floor,
    /// A system or a floor among others, as bars show them.
    Of(Fill),
}

impl SeriesColour {
    /// What it stands for, as short as possible.
    pub fn name(self) -> &'static str {
        match self {
            SeriesColour::Precision => "P",
            SeriesColour::Recall => "R",
            SeriesColour::F1 => "F1",
            SeriesColour::Floor | SeriesColour::Of(Fill::Floor(_)) => "floor",
            SeriesColour::Of(Fill::System(_)) => "system",
        }
    }
}

/// A curve or a row of points.
#[derive(Clone, Debug)]
pub struct Curve {
    /// What it shows.
    pub ink: SeriesColour,
    /// Corners of the line, from left to right; empty where points are not joined.
    pub line: Vec<(f64, f64)>,
    /// Where its shape is drawn.
    pub points: Vec<(f64, f64)>,
}

/// A light vertical line.
#[derive(Clone, Debug)]
pub struct Vertical {
    /// Where on the x axis.
    pub at: f64,
    /// The word on top.
    pub label: LocalisedText,
}

/// A hollow point.
#[derive(Clone, Debug)]
pub struct Mark {
    /// What it shows.
    pub ink: SeriesColour,
    /// Where.
    pub at: (f64, f64),
}

/// A word at the right end.
#[derive(Clone, Debug)]
pub struct Label {
    /// What it belongs to.
    pub ink: SeriesColour,
    /// Where on the y axis.
    pub at: f64,
    /// The word.
    pub text: LocalisedText,
}

/// The flat region of a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct FlatRegion {
    /// The parts of the x axis that it takes; none of a grid, whose cells tell.
    pub spans: Vec<(f64, f64)>,
    /// How many settings are in it.
    pub flat: usize,
    /// Of how many.
    pub of: usize,
    /// The test of what is separable from the best; without one the region is what is near it.
    pub test: Option<FlatTest>,
}

/// By which test settings are separable from the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlatTest {
    /// That of rows, which gives them their letters.
    Rows(Among),
    /// The simultaneous band of an exact sweep, whose settings are no rows.
    Band,
}

/// Cells of a grid, coloured by value.
#[derive(Clone, Debug)]
pub struct Heat {
    /// The cells; a place without one stays empty.
    pub cells: Vec<Cell>,
    /// The least and the greatest value.
    pub range: (f64, f64),
    /// What the values are.
    pub label: LocalisedText,
}

/// A cell of a grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Its band on the x axis and on the y axis.
    pub at: (usize, usize),
    /// Its value.
    pub value: f64,
    /// Whether it is the best.
    pub best: bool,
    /// Whether it is the default.
    pub default: bool,
    /// Whether it is in the flat region.
    pub flat: bool,
}

/// A bar of a group of bars.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// The middle of its group on the x axis.
    pub group: f64,
    /// Its place in the group, from 0.
    pub place: usize,
    /// Its colour, which is that of what it shows.
    pub fill: Fill,
    /// Its surface, which others of its colour do not have.
    pub surface: Surface,
    /// Its height on the y axis.
    pub height: f64,
}

/// The colour of a bar: a number among systems, or among floors, which are grey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// A system under test.
    System(usize),
    /// What is not under test.
    Floor(usize),
}

impl Fill {
    /// So many systems have different colours.
    pub const COLOURS: usize = 6;
    /// So many floors have different greys.
    pub const GREYS: usize = 5;

    /// The first fill of the same colour, which bars do not tell from this one.
    pub fn colour(self) -> Self {
        match self {
            Fill::System(number) => Fill::System(number % Self::COLOURS),
            Fill::Floor(number) => Fill::Floor(number % Self::GREYS),
        }
    }

    /// The fill so many numbers further.
    pub fn after(self, steps: usize) -> Self {
        match self {
            Fill::System(number) => Fill::System(number + steps),
            Fill::Floor(number) => Fill::Floor(number + steps),
        }
    }
}

/// The filling of a bar: those of one colour differ in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// The whole of it.
    Solid,
    /// Its border alone.
    Hollow,
    /// Its border, and lines across it.
    Striped,
}

impl Surface {
    /// That of a bar which so many of its colour stand before; from the fourth on they are as the first.
    pub fn after(before: usize) -> Self {
        [Surface::Solid, Surface::Hollow, Surface::Striped][before % 3]
    }
}

/// A distribution on a line.
#[derive(Clone, Debug)]
pub struct Strip {
    /// Its line on the y axis.
    pub at: f64,
    /// Each value between 0 and 1 with its weight, which is the dot's area.
    pub dots: Vec<(f64, f64)>,
    /// The number of values that are exactly 0, and exactly 1: as dots they would hide each other.
    pub ends: [usize; 2],
    /// The number of all values.
    pub values: usize,
    /// Lower quartile, median and upper quartile.
    pub quartiles: [f64; 3],
    /// The value that is marked.
    pub mean: f64,
}

/// Rows of a dataset as points.
#[derive(Clone, Debug)]
pub struct Scatter {
    /// What the axis to the right is.
    pub against: Against,
    /// The points.
    pub dots: Vec<Dot>,
    /// The best that is had up to each place of the axis to the right, corner by corner; empty where that says nothing.
    pub front: Vec<(f64, f64)>,
}

/// Against what rows are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// Precision against recall.
    Recall,
    /// F1 against the logarithm of milliseconds.
    Time,
}

/// A row as a point.
#[derive(Clone, Debug)]
pub struct Dot {
    /// The row's place among those of its dataset, from 0.
    pub row: usize,
    /// Its algorithm, and its mark where it reads gold.
    pub name: LocalisedText,
    /// Its place on the axes.
    pub at: (f64, f64),
    /// Its time, where that is shown.
    pub milliseconds: Option<f64>,
    /// Its colour.
    pub fill: Fill,
    /// Whether it is of those that tables of terminals show.
    pub main: bool,
    /// Whether its algorithm's name stands beside it.
    pub named: bool,
    /// Whether no row is as good and faster, or better and as fast.
    pub is_on_front: bool,
}

/// A colour or shape and what it stands for.
#[derive(Clone, Debug)]
pub struct Key {
    /// The colour or shape.
    pub sign: Sign,
    /// What it stands for.
    pub text: LocalisedText,
}

/// What a key shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// The shape of a curve's points.
    Ink(SeriesColour),
    /// The colour of a bar.
    Fill(Fill, Surface),
    /// A dot of a distribution.
    Dot,
    /// The bar at an end of a distribution.
    End,
    /// The box of a distribution.
    Quartiles,
    /// A grid's best cell.
    Best,
    /// A grid's default cell.
    Default,
    /// The outline of a grid's flat region.
    FlatCells,
    /// The shade of a curve's flat region.
    FlatSpan,
}

impl Key {
    /// `sign` stands for `text`.
    pub fn new(sign: Sign, text: impl Into<LocalisedText>) -> Self {
        Key { sign, text: text.into() }
    }
}

/// A sentence under the figure.
#[derive(Clone, Debug)]
pub struct Note {
    /// Whether a hollow point stands before it.
    pub hollow: bool,
    /// The sentence.
    pub text: LocalisedText,
}

impl Note {
    /// A sentence with nothing before it.
    pub fn plain(text: impl Into<LocalisedText>) -> Self {
        Note { hollow: false, text: text.into() }
    }
}

impl FlatRegion {
    /// Settings of this many values or cells; `flat` says of each whether it is in the region.
    pub fn new(flat: &[bool], spans: Vec<(f64, f64)>, test: Option<FlatTest>) -> Self {
        FlatRegion { spans, flat: flat.iter().filter(|flat| **flat).count(), of: flat.len(), test }
    }

    /// What it is, for the key.
    pub fn key(&self, sign: Sign) -> Key {
        let words = match self.test {
            Some(_) => ["not separable from the best ({0} of {1})", "与最佳无显著差异（{1} 中的 {0}）"],
            None => ["within {2} of the best ({0} of {1})", "与最佳相差不超过 {2}（{1} 中的 {0}）"],
        };
        Key::new(sign, LocalisedText::new(words, [self.flat.to_string(), self.of.to_string(), FLAT.to_string()]))
    }

    /// What it rests on, where it was tested.
    pub fn note(&self) -> Option<Note> {
        let words = match self.test? {
            FlatTest::Rows(Among::Dataset) => [
                "not separable from the best: rows that share a letter with it in the table of rows (sign flips of \
                 sites, Holm over all rows of the dataset at {1})",
                "与最佳无显著差异：在行表中与其有共同字母的行（按站点翻转符号，对该数据集全部行作 Holm 校正，水平 {1}）",
            ],
            FlatTest::Rows(Among::Figure) => [
                "not separable from the best: by sign flips of sites, Holm over the rows of this figure alone at {1}; \
                 the dataset has too many rows for letters",
                "与最佳无显著差异：按站点翻转符号，仅对本图的行作 Holm 校正，水平 {1}；该数据集的行太多，没有字母",
            ],
            FlatTest::Band => [
                "not separable from the best: the simultaneous {0} % interval of the difference holds zero, whole sites \
                 drawn anew {2} times",
                "与最佳无显著差异：差值的联立 {0} % 区间包含零；整站点重抽样 {2} 次",
            ],
        };
        let Sampling { level, resamples, .. } = FLAT_SAMPLING;
        let values = [format!("{:.0}", 100.0 * level), format!("{:.2}", 1.0 - level), resamples.to_string()];
        Some(Note::plain(LocalisedText::new(words, values)))
    }
}

impl Plot {
    /// The table behind the figure as CSV.
    pub fn csv(&self) -> String {
        let Some((header, rows)) = self.table.split_first() else { return String::new() };
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        csv_text(&header, rows.iter().cloned())
    }
}

impl Axis {
    /// An axis of scores for values of which `least` is the least: from there, rounded down to a
    /// tenth, to 1.
    pub fn of_scores(label: LocalisedText, least: f64) -> Self {
        // What is a tenth but for the float's last bits is that tenth.
        let tenths = (least * 10.0 + 1e-9).floor().clamp(0.0, 9.0) as u32;
        let from = f64::from(tenths) / 10.0;
        let step = match tenths {
            9 => 0.02,
            7..9 => 0.05,
            _ => 0.1,
        };
        Axis { label, from, to: 1.0, ticks: ticks(from, 1.0, step), bands: None }
    }

    /// An axis of numbers from `from` to `to`, marked at round ones.
    pub fn of_numbers(label: LocalisedText, from: f64, to: f64) -> Self {
        /// Marks beyond the first that are legible.
        const MOST: f64 = 11.0;
        let span = if to > from { to - from } else { 1.0 };
        let steps = (-12..12).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(power)));
        let step = steps.into_iter().find(|step| span / step <= MOST).unwrap_or(span);
        Axis { label, from, to, ticks: ticks(from, to, step), bands: None }
    }

    /// An axis of powers of ten for positive numbers from `least` to `greatest`: a number is where its logarithm is.
    pub fn of_powers(label: LocalisedText, least: f64, greatest: f64) -> Self {
        let steps = |power: i32| [1.0, 2.0, 5.0].map(|digit| (digit * 10f64.powi(power), power));
        let all: Vec<(f64, i32)> = (-9..=9).flat_map(steps).collect();
        let first = all.iter().rposition(|&(step, _)| step <= least).unwrap_or(0);
        let last = all.iter().position(|&(step, _)| step >= greatest).unwrap_or(all.len() - 1).max(first);
        let tick = |&(step, power): &(f64, i32)| {
            let digits = usize::try_from(-power).unwrap_or(0);
            Tick { at: step.log10(), text: format!("{step:.digits$}").into(), below: String::new() }
        };
        let ticks: Vec<Tick> = all[first..=last].iter().map(tick).collect();
        let (from, to) = (all[first].0.log10(), all[last].0.log10());
        Axis { label, from, to, ticks, bands: None }
    }

    /// An axis of words, each a step of 1 from 0.
    pub fn of_words(label: LocalisedText, words: &[String]) -> Self {
        let tick = |(i, word): (usize, &String)| Tick { at: i as f64, text: word.into(), below: String::new() };
        let to = words.len().saturating_sub(1) as f64;
        Axis { label, from: 0.0, to, ticks: words.iter().enumerate().map(tick).collect(), bands: None }
    }

    /// An axis of a band a tick, half a step to each side of where it is; the last one ends the axis.
    pub fn of_bands(label: LocalisedText, ticks: Vec<Tick>, bands: Bands) -> Self {
        let to = ticks.last().map_or(0.0, |last| last.at) + 0.5;
        Axis { label, from: -0.5, to, ticks, bands: Some(bands) }
    }
}

/// Multiples of `step` from `from` to `to`, with as many digits as they need.
fn ticks(from: f64, to: f64, step: f64) -> Vec<Tick> {
    let digits = (0..12).find(|&digits| is_whole(step * 10f64.powi(digits))).unwrap_or(12) as usize;
    let (first, last) = ((from / step - 1e-9).ceil() as i64, (to / step + 1e-9).floor() as i64);
    let tick = |i: i64| {
        let at = i as f64 * step;
        Tick { at, text: format!("{at:.digits$}").into(), below: String::new() }
    };
    (first..=last).map(tick).collect()
}

fn is_whole(number: f64) -> bool {
    (number - number.round()).abs() < 1e-6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis) -> Vec<String> {
        axis.ticks.iter().map(|tick| tick.text.to_string()).collect()
    }

    #[test]
    fn scores_are_zoomed_to_the_tenth_below_the_least() {
        assert_eq!(Axis::of_scores(LocalisedText::default(), 0.7501).from, 0.7);
        assert_eq!(Axis::of_scores(LocalisedText::default(), 0.8).from, 0.8);
        assert_eq!(Axis::of_scores(LocalisedText::default(), 1.0).from, 0.9);
        assert_eq!(Axis::of_scores(LocalisedText::default(), 0.0).from, 0.0);
        assert_eq!(texts(&Axis::of_scores(LocalisedText::default(), 0.85)), ["0.80", "0.85", "0.90", "0.95", "1.00"]);
        assert_eq!(texts(&Axis::of_scores(LocalisedText::default(), 0.1)).len(), 10);
    }

    #[test]
    fn numbers_are_marked_at_round_values() {
        assert_eq!(
            texts(&Axis::of_numbers(LocalisedText::default(), 0.6, 1.0)),
            ["0.60", "0.65", "0.70", "0.75", "0.80", "0.85", "0.90", "0.95", "1.00"]
        );
        assert_eq!(texts(&Axis::of_numbers(LocalisedText::default(), 0.0, 1.0))[..3], ["0.0", "0.1", "0.2"]);
        assert_eq!(texts(&Axis::of_numbers(LocalisedText::default(), 3.0, 120.0))[..2], ["20", "40"]);
    }

    #[test]
    fn powers_of_ten_are_marked_around_the_numbers() {
        assert_eq!(
            texts(&Axis::of_powers(LocalisedText::default(), 0.03, 4.0)),
            ["0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5"]
        );
        assert_eq!(texts(&Axis::of_powers(LocalisedText::default(), 10.0, 100.0)), ["10", "20", "50", "100"]);
        assert_eq!(texts(&Axis::of_powers(LocalisedText::default(), 3.0, 3.0)), ["2", "5"]);
        let axis = Axis::of_powers(LocalisedText::default(), 0.1, 1000.0);
        assert_eq!((axis.from, axis.to), (-1.0, 3.0));
    }
}
