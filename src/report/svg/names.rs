//! The names of rows beside their points.

use plotters::style::FontStyle;

use super::canvas::{Anchor, BLACK, Canvas, DARK_GREY, Drawn, GREY, PLAIN, SMALL};
use super::frame::Frame;
use crate::report::layout::{Beside, beside, fit, width};
use crate::report::plot::Scatter;

/// The size of a name's line, and of what it keeps off.
const LINE: f64 = 13.0;
const RADIUS: f64 = 5.0;
/// The most that a name is wide.
const WIDEST: f64 = 170.0;
/// A name that stands further from its point is led to it.
const NEAR: f64 = RADIUS + 6.0;

/// The names, each led to its point where it stands further away; those on the front have the choice.
pub(super) fn names(scatter: &Scatter, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    let mut drawn: Vec<(f64, f64)> = scatter.dots.iter().filter(|dot| dot.main).map(|dot| frame.at(dot.at)).collect();
    drawn.extend(along(&scatter.front, frame));
    let (first, others): (Vec<_>, Vec<_>) =
        scatter.dots.iter().filter(|dot| dot.named).partition(|dot| dot.is_on_front);
    let dots = || first.iter().chain(&others);
    let texts: Vec<String> = dots().map(|dot| fit(&dot.name, SMALL, WIDEST)).collect();
    let words = dots().zip(&texts).map(|(dot, text)| Beside { point: frame.at(dot.at), width: width(text, SMALL) });
    let words: Vec<Beside> = words.collect();
    let places = beside(&words, LINE, &drawn, RADIUS, [(frame.left, frame.top), (frame.right, frame.bottom)]);
    for (word, &(x, y)) in words.iter().zip(&places) {
        let end = (word.point.0.clamp(x, x + word.width), word.point.1.clamp(y - LINE / 2.0, y + LINE / 2.0));
        if (end.0 - word.point.0).hypot(end.1 - word.point.1) > NEAR {
            canvas.line(&[word.point, end], GREY, 0.6)?;
        }
    }
    for ((dot, text), (word, &place)) in dots().zip(&texts).zip(words.iter().zip(&places)) {
        let (colour, style) = if dot.is_on_front { (BLACK, FontStyle::Bold) } else { (DARK_GREY, PLAIN) };
        let (at, anchor) = anchored(word, place);
        canvas.text(text, at, anchor, (SMALL, colour, style))?;
    }
    Ok(())
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
