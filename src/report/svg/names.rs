//! Words beside points.

use plotters::style::FontStyle;

use super::canvas::Anchor;
use super::canvas::{Canvas, DARK_GREY, Drawn, GREY, PLAIN, SMALL, colour};
use super::frame::Frame;
use crate::report::layout::{Beside, beside, fit, width};
use crate::report::plot::{Ink, Plot};

/// The size of a word's line, and of what it keeps off.
const LINE: f64 = 13.0;
const RADIUS: f64 = 5.0;
/// The most that a word is wide.
const WIDEST: f64 = 170.0;
/// A word that stands further from its point is led to it.
const NEAR: f64 = RADIUS + 6.0;

/// The words, each led to its point where it stands further away.
pub(super) fn names(plot: &Plot, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    let mut drawn: Vec<(f64, f64)> =
        plot.curves.iter().flat_map(|curve| &curve.points).map(|&point| frame.at(point)).collect();
    drawn.extend(plot.curves.iter().flat_map(|curve| along(&curve.line, frame)));
    let texts: Vec<String> = plot.names.iter().map(|name| fit(&name.text, SMALL, WIDEST)).collect();
    let words = plot.names.iter().zip(&texts);
    let words: Vec<Beside> =
        words.map(|(name, text)| Beside { point: frame.at(name.at), width: width(text, SMALL) }).collect();
    let places = beside(&words, LINE, &drawn, RADIUS, [(frame.left, frame.top), (frame.right, frame.bottom)]);
    for (word, &(x, y)) in words.iter().zip(&places) {
        let end = (word.point.0.clamp(x, x + word.width), word.point.1.clamp(y - LINE / 2.0, y + LINE / 2.0));
        if (end.0 - word.point.0).hypot(end.1 - word.point.1) > NEAR {
            canvas.line(&[word.point, end], GREY, 0.6)?;
        }
    }
    for ((name, text), &place) in plot.names.iter().zip(&texts).zip(&places) {
        let (colour, style) =
            if name.ink == Ink::F1 { (colour(name.ink), FontStyle::Bold) } else { (DARK_GREY, PLAIN) };
        canvas.text(text, place, Anchor::Start, (SMALL, colour, style))?;
    }
    Ok(())
}

/// Places along a line, so near to each other that no word fits between them.
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
