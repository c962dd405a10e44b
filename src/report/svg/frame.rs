//! Where the parts of a figure stand.

use serde::Serialize;

use super::Places;
use super::canvas::{SMALL, WORDS};
use super::names;
use crate::report::language::Language;
use crate::report::layout::{flow, width, wrap};
use crate::report::localised_text::LocalisedText;
use crate::report::plot::{Axis, Bands, Plot};

/// The picture's width.
pub(super) const WIDTH: f64 = 880.0;
/// Free space at the picture's edge.
pub(super) const EDGE: f64 = 18.0;
/// The height of the plot where the y axis has numbers.
const HEIGHT: f64 = 340.0;
/// What it grows by for each word beside a point, and the most that it is then.
const NAME: f64 = 8.0;
const HIGHEST: f64 = 720.0;
/// The height of a row where the y axis has names, and of one with a distribution.
const ROW: f64 = 36.0;
const STRIP: f64 = 46.0;
/// The same where there are more rows than this.
const MANY_ROWS: f64 = 30.0;
const MANY_STRIPS: f64 = 42.0;
const MANY: usize = 40;
/// The height of a line under the title.
pub(super) const HEAD_LINE: f64 = 17.0;
/// The space between a plot's frame and the first and last value, so that none is cut.
pub(super) const INSET: f64 = 14.0;
/// The space that the count of values at an end takes beside its digits.
const COUNT: f64 = 7.0;
/// The space above bars, which have their height written on top.
const ABOVE_BARS: f64 = 26.0;
/// The most that a cell is wide and high, and all of them together.
const CELL: (f64, f64) = (110.0, 34.0);
const CELLS_HEIGHT: f64 = 480.0;
/// The space for what colours of cells mean.
pub(super) const SCALE_WIDTH: f64 = 92.0;
/// The most of the width that names of rows take.
pub(super) const NAMES: f64 = 0.34 * WIDTH;
/// The longest that a name is that is turned.
const TURNED: f64 = 170.0;
/// The longest that an entry of the key is.
pub(super) const KEY: f64 = 510.0;
/// What is drawn before an entry of the key.
pub(super) const KEY_SIGN: f64 = 14.0;
/// The height of a line of the key.
pub(super) const KEY_LINE: f64 = 20.0;

/// The height of the words over upright lines, below the key.
const VERTICAL: f64 = 13.0;

/// Where the parts of a figure stand, in the picture's units.
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
    pub(super) height: f64,
    pub(super) notes: Vec<(bool, Vec<String>)>,
    /// The line and the place in it of each entry of the key.
    pub(super) key: Vec<(usize, f64)>,
    /// The middle of its first line.
    pub(super) key_from: f64,
    pub(super) x_ticks: XTicks,
    /// The middle of the x axis's label.
    pub(super) x_label: f64,
    /// True if numbers stand for the names of points.
    pub(super) are_numbered: bool,
    /// Where the names of numbered points stand: below the axis.
    pub(super) numbers_from: f64,
    /// The middle of the first line of the notes.
    pub(super) notes_from: f64,
    /// The lines under the title.
    pub(super) head: Vec<String>,
    pub(super) language: Language,
    x: Scale,
    y: Scale,
}

/// How the marks of the x axis stand.
pub(super) struct XTicks {
    /// The length of names that are turned, if they are.
    pub(super) turned: Option<f64>,
    /// The height of all of them.
    pub(super) height: f64,
}

/// What turns values into places.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Scale {
    values: (f64, f64),
    places: (f64, f64),
}

impl Scale {
    fn at(&self, value: f64) -> f64 {
        let ((from, to), (low, high)) = (self.values, self.places);
        // An axis of one value has it in the middle.
        let share = if to > from { (value - from) / (to - from) } else { 0.5 };
        low + share * (high - low)
    }
}

impl Frame {
    pub(super) fn of(plot: &Plot, language: Language) -> Self {
        let say = |text: &LocalisedText| text.in_language(language).to_owned();
        let widest = |texts: &mut dyn Iterator<Item = f64>| texts.fold(0.0, f64::max);
        let ticks =
            widest(&mut plot.y.ticks.iter().map(|tick| width(&say(&tick.text), WORDS).max(width(&tick.below, SMALL))));
        let y_label = if plot.y.label.is_empty() { 0.0 } else { 20.0 };
        let left = EDGE + y_label + ticks.min(NAMES) + 10.0;
        let labels = widest(&mut plot.labels.iter().map(|label| width(&say(&label.text), WORDS)));
        let right = match &plot.heat {
            Some(_) => (left + steps(&plot.x) * CELL.0).min(WIDTH - EDGE - SCALE_WIDTH),
            None if plot.labels.is_empty() => WIDTH - EDGE,
            None => WIDTH - EDGE - 22.0 - labels.min(0.25 * WIDTH),
        };
        let entries: Vec<f64> = plot.key.iter().map(|key| KEY_SIGN + width(&say(&key.text), WORDS).min(KEY)).collect();
        let key = flow(&entries, 20.0, WIDTH - EDGE - left);
        let head: Vec<String> = [&plot.subtitle, &plot.sentence]
            .into_iter()
            .flat_map(|text| wrap(text.in_language(language), WORDS, WIDTH - 2.0 * EDGE))
            .collect();
        let key_from = 59.0 + head.len() as f64 * HEAD_LINE;
        let lines = if plot.verticals.iter().any(|vertical| !vertical.label.is_empty()) { VERTICAL } else { 0.0 };
        let top = key.last().map_or(key_from + 12.0, |(line, _)| key_from + 20.0 + *line as f64 * KEY_LINE + lines);
        let bottom = top + inner(plot);
        let x_ticks = XTicks::of(&plot.x, right - left, language);
        let x_label = bottom + x_ticks.height + if plot.x.label.is_empty() { -4.0 } else { 12.0 };
        let room = WIDTH - 2.0 * EDGE - 16.0;
        let notes: Vec<(bool, Vec<String>)> =
            plot.notes.iter().map(|note| (note.hollow, wrap(note.text.in_language(language), SMALL, room))).collect();
        let lines: usize = notes.iter().map(|(_, lines)| lines.len()).sum();
        let numbers_from = x_label + 26.0;
        let notes_from = x_label + 28.0;
        let height = notes_from - 4.0 + lines as f64 * 16.0 + notes.len() as f64 * 3.0 + 4.0;
        let counts = plot.strips.iter().flat_map(|strip| strip.ends).filter(|count| *count > 0);
        let counts = widest(&mut counts.map(|count| width(&count.to_string(), SMALL) + COUNT));
        let x_inset = if plot.x.bands.is_some() { 0.0 } else { counts.max(INSET) };
        let (below, above) = match plot.y.bands {
            Some(_) => (0.0, 0.0),
            // Bars stand on the frame.
            None if !plot.bars.is_empty() => (0.0, ABOVE_BARS),
            None => (inset(plot), inset(plot)),
        };
        let x = Scale { values: (plot.x.from, plot.x.to), places: (left + x_inset, right - x_inset) };
        let y = Scale { values: (plot.y.from, plot.y.to), places: (bottom - below, top + above) };
        let frame = Frame {
            are_numbered: false,
            left,
            right,
            top,
            bottom,
            height,
            notes,
            key,
            key_from,
            x_ticks,
            x_label,
            numbers_from,
            notes_from,
            head,
            language,
            x,
            y,
        };
        if names::are_numbered(plot, &frame) { frame.with_names_below(names::height(plot, language)) } else { frame }
    }

    /// The same with so much room for the names of numbered points.
    fn with_names_below(self, room: f64) -> Self {
        Frame { are_numbered: true, notes_from: self.notes_from + room, height: self.height + room, ..self }
    }

    /// The text in the picture's language.
    pub(super) fn say<'t>(&self, text: &'t LocalisedText) -> &'t str {
        text.in_language(self.language)
    }

    pub(super) fn places(&self) -> Places {
        Places { width: WIDTH, height: self.height, top: self.top, bottom: self.bottom, x: self.x, y: self.y }
    }

    pub(super) fn x(&self, value: f64) -> f64 {
        self.x.at(value)
    }

    pub(super) fn y(&self, value: f64) -> f64 {
        self.y.at(value)
    }

    pub(super) fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.x(x), self.y(y))
    }
}

/// The height of the plot.
fn inner(plot: &Plot) -> f64 {
    if plot.heat.is_some() {
        (steps(&plot.y) * CELL.1).min(CELLS_HEIGHT)
    } else if names_rows(plot) {
        let row = row_height(plot);
        plot.y.ticks.len().saturating_sub(1) as f64 * row + 2.0 * inset(plot)
    } else {
        (HEIGHT + names::count(plot) as f64 * NAME).min(HIGHEST)
    }
}

/// The height of a line of a row: less where there are many.
fn row_height(plot: &Plot) -> f64 {
    let (few, many) = if plot.strips.is_empty() { (ROW, MANY_ROWS) } else { (STRIP, MANY_STRIPS) };
    if plot.y.ticks.len() > MANY { many } else { few }
}

/// The space above the first and below the last value of the y axis.
fn inset(plot: &Plot) -> f64 {
    if names_rows(plot) { row_height(plot) / 2.0 } else { INSET }
}

/// Whether the y axis has names of rows.
pub(super) fn names_rows(plot: &Plot) -> bool {
    plot.y.label.is_empty()
}

fn steps(axis: &Axis) -> f64 {
    axis.to - axis.from
}

impl XTicks {
    /// Names that do not fit beside each other are turned, as long as there is room for a line each.
    fn of(axis: &Axis, room: f64, language: Language) -> Self {
        let longest =
            |size| axis.ticks.iter().map(|tick| width(tick.text.in_language(language), size)).fold(0.0, f64::max);
        let band = room / steps(axis);
        let below = axis.ticks.iter().any(|tick| !tick.below.is_empty());
        let turns = axis.bands == Some(Bands::Names) && longest(WORDS) > band - 6.0 && band >= 14.0;
        let turned = turns.then(|| longest(SMALL).min(TURNED));
        let names = turned.map_or(26.0, |length| length + 12.0);
        XTicks { turned, height: names + if below { 16.0 } else { 0.0 } }
    }
}
