//! The names of rows beside their points.

use plotters::style::FontStyle;

use super::canvas::{Anchor, BLACK, Canvas, DARK_GREY, Drawn, GREY, PLAIN, SMALL, fill_colour};
use super::dots::{EqualF1, equal_f1};
use super::frame::{EDGE, Frame, WIDTH};
use crate::report::layout::{Beside, Corners, beside, fit, width};
use crate::report::plot::{Dot, Plot};

/// The size of a name's line, and of what it keeps off.
const LINE: f64 = 13.0;
const RADIUS: f64 = 5.0;
/// The most that a name is wide.
const WIDEST: f64 = 170.0;
/// A name that stands further from its point is led to it.
const NEAR: f64 = RADIUS + 6.0;

/// More names than this stand below the plot, each behind the number of its point.
const MOST_NAMES: usize = 24;
/// The height of a line of numbered names.
const NUMBERED_LINE: f64 = 15.0;

/// The name of a row's point, and where it stands.
pub(super) struct Name {
    /// The row.
    pub(super) row: usize,
    text: String,
    at: (f64, f64),
    anchor: Anchor,
    /// The line to its point, where it stands further away.
    lead: Option<[(f64, f64); 2]>,
    /// Where number and name stand below the plot.
    below: Option<(String, (f64, f64))>,
}

impl Name {
    pub(super) fn draw(&self, dot: &Dot, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
        let (colour, style) = if dot.is_on_front { (BLACK, FontStyle::Bold) } else { (DARK_GREY, PLAIN) };
        if let Some(lead) = self.lead {
            canvas.line(&lead, GREY, 0.6)?;
        }
        canvas.text(&self.text, self.at, self.anchor, (SMALL, colour, style))?;
        let Some((text, (x, y))) = &self.below else { return Ok(()) };
        canvas.text(
            &self.text,
            (frame.left + x + NUMBER, frame.numbers_from + y),
            Anchor::End,
            (SMALL, colour, style),
        )?;
        let sign = (frame.left + x + NUMBER + 11.0, frame.numbers_from + y);
        canvas.fill_shape(dot.fill, sign, 4.0, fill_colour(dot.fill))?;
        let at = (frame.left + x + NUMBER + 21.0, frame.numbers_from + y);
        canvas.text(text, at, Anchor::Start, (SMALL, colour, style))
    }
}

/// The room for a number.
const NUMBER: f64 = 24.0;

/// The points that have a name.
fn named(plot: &Plot) -> impl Iterator<Item = &Dot> {
    plot.scatter.iter().flat_map(|scatter| &scatter.dots).filter(|dot| dot.named)
}

/// How many points have a name.
pub(super) fn count(plot: &Plot) -> usize {
    named(plot).count()
}

/// The lines and columns of names below the plot.
fn grid(plot: &Plot) -> (usize, f64) {
    let widest = named(plot).map(|dot| width(&dot.name, SMALL)).fold(0.0, f64::max).min(WIDEST);
    let column = NUMBER + widest + 34.0;
    let columns = ((WIDTH - 4.0 * EDGE) / column).floor().max(1.0) as usize;
    (count(plot).div_ceil(columns), column)
}

/// The height of the names below the plot.
pub(super) fn height(plot: &Plot) -> f64 {
    if count(plot) > MOST_NAMES { grid(plot).0 as f64 * NUMBERED_LINE + 8.0 } else { 0.0 }
}

/// The names, each led to its point where it stands further away; those on the front have the choice. Where there are
/// many, numbers stand for them, from the upper end of the plot to the lower.
pub(super) fn placed(plot: &Plot, frame: &Frame) -> Vec<Name> {
    let Some(scatter) = &plot.scatter else { return Vec::new() };
    let points: Vec<(f64, f64)> =
        scatter.dots.iter().map(|dot| frame.at(dot.at)).chain(along(&scatter.front, frame)).collect();
    let taken: Vec<Corners> = equal_f1(plot, frame).iter().map(EqualF1::name_corners).collect();
    let mut dots: Vec<&Dot> = named(plot).collect();
    let are_numbered = dots.len() > MOST_NAMES;
    if are_numbered {
        dots.sort_by(|one, other| other.at.1.total_cmp(&one.at.1));
    } else {
        dots.sort_by_key(|dot| !dot.is_on_front);
    }
    let text = |(i, dot): (usize, &&Dot)| match are_numbered {
        true => (i + 1).to_string(),
        false => fit(&dot.name, SMALL, WIDEST),
    };
    let texts: Vec<String> = dots.iter().enumerate().map(text).collect();
    let words =
        dots.iter().zip(&texts).map(|(dot, text)| Beside { point: frame.at(dot.at), width: width(text, SMALL) });
    let words: Vec<Beside> = words.collect();
    let places = beside(&words, LINE, (&points, RADIUS), taken, [(frame.left, frame.top), (frame.right, frame.bottom)]);
    let (lines, column) = grid(plot);
    let name = |(i, dot): (usize, &Dot)| {
        let (at, anchor) = anchored(&words[i], places[i]);
        let below = || {
            let at = ((i / lines) as f64 * column, (i % lines) as f64 * NUMBERED_LINE);
            (fit(&dot.name, SMALL, WIDEST), at)
        };
        Name {
            row: dot.row,
            text: texts[i].clone(),
            at,
            anchor,
            lead: lead(&words[i], places[i]),
            below: are_numbered.then(below),
        }
    };
    dots.iter().copied().enumerate().map(name).collect()
}

/// The line from the point of `word` to its nearest end, where that is far.
fn lead(word: &Beside, (x, y): (f64, f64)) -> Option<[(f64, f64); 2]> {
    let end = (word.point.0.clamp(x, x + word.width), word.point.1.clamp(y - LINE / 2.0, y + LINE / 2.0));
    let far = (end.0 - word.point.0).hypot(end.1 - word.point.1) > NEAR;
    far.then_some([word.point, end])
}

/// From where the name of `word` is written that has the room at `place`: from the side of its point, for its font may be
/// narrower than the room.
fn anchored(word: &Beside, (x, y): (f64, f64)) -> ((f64, f64), Anchor) {
    let (right, point) = (x + word.width, word.point.0);
    if right <= point {
        ((right, y), Anchor::End)
    } else if x >= point {
        ((x, y), Anchor::Start)
    } else {
        ((x + word.width / 2.0, y), Anchor::Middle)
    }
}

/// Places along a line, so near to each other that no name fits between them.
fn along(line: &[(f64, f64)], frame: &Frame) -> Vec<(f64, f64)> {
    let corners: Vec<(f64, f64)> = line.iter().map(|&corner| frame.at(corner)).collect();
    let side = |ends: &[(f64, f64)]| {
        let (from, to) = (ends[0], ends[1]);
        let steps = ((to.0 - from.0).hypot(to.1 - from.1) / RADIUS).ceil().max(1.0);
        let at = move |step: u32| {
            let share = f64::from(step) / steps;
            (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1))
        };
        (0..=steps as u32).map(at)
    };
    corners.windows(2).flat_map(side).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_written_from_the_side_of_its_point() {
        let at = |x: f64| anchored(&Beside { point: (100.0, 0.0), width: 40.0 }, (x, 5.0));
        assert!(matches!(at(50.0), ((90.0, 5.0), Anchor::End)));
        assert!(matches!(at(110.0), ((110.0, 5.0), Anchor::Start)));
        assert!(matches!(at(80.0), ((100.0, 5.0), Anchor::Middle)));
    }
}
