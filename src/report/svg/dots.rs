//! Rows as points, some with their names, over curves of equal F1.

use super::canvas::{Anchor, Canvas, DARK_GREY, Drawn, GREY, LIGHT_GREY, PLAIN, SMALL, fill_colour};
use super::frame::Frame;
use super::names::Name;
use crate::report::plot::{Against, Dot, Fill, Plot};

/// The size of rows that tables show, and the radius of others.
const RADIUS: f64 = 5.5;
const SMALL_RADIUS: f64 = 2.8;
/// Steps of a curve of equal F1.
const STEPS: u32 = 60;

/// What lies below the points of rows: curves of equal F1, and the line of the best.
pub(super) fn ground(plot: &Plot, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    let Some(scatter) = &plot.scatter else { return Ok(()) };
    if scatter.against == Against::Recall {
        equal_f1(plot, frame, canvas)?;
    }
    let front: Vec<(f64, f64)> = scatter.front.iter().map(|&corner| frame.at(corner)).collect();
    if front.is_empty() { Ok(()) } else { canvas.line(&front, GREY, 1.2) }
}

/// The points of rows, the small ones and the grey ones below.
pub(super) fn in_order(plot: &Plot) -> Vec<&Dot> {
    let mut dots: Vec<&Dot> = plot.scatter.iter().flat_map(|scatter| &scatter.dots).collect();
    dots.sort_by_key(|dot| (dot.main, matches!(dot.fill, Fill::System(_))));
    dots
}

/// A point, and its name if it has one.
pub(super) fn dot(dot: &Dot, names: &[Name], frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    let colour = fill_colour(dot.fill);
    if dot.main {
        canvas.fill_shape(dot.fill, frame.at(dot.at), RADIUS, colour)?;
    } else {
        canvas.disc(frame.at(dot.at), SMALL_RADIUS, colour, 0.5)?;
    }
    names.iter().filter(|name| name.row == dot.row).try_for_each(|name| name.draw(dot, frame, canvas))
}

/// Curves on which F1 is the same, at the marks of the axes.
fn equal_f1(plot: &Plot, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    for tick in &plot.x.ticks {
        let f1 = tick.at;
        let precision = |recall: f64| f1 * recall / (2.0 * recall - f1);
        let recalls =
            (0..=STEPS).map(|step| plot.x.from + (plot.x.to - plot.x.from) * f64::from(step) / f64::from(STEPS));
        let within =
            |&(_, precision): &(f64, f64)| precision.is_finite() && (plot.y.from..=plot.y.to).contains(&precision);
        let corners: Vec<(f64, f64)> = recalls
            .filter(|recall| 2.0 * recall > f1)
            .map(|recall| (recall, precision(recall)))
            .filter(within)
            .collect();
        let line: Vec<(f64, f64)> = corners.iter().map(|&corner| frame.at(corner)).collect();
        if let ([first, .., _], true) = (&line[..], f1 > plot.x.from) {
            canvas.line(&line, LIGHT_GREY, 1.6)?;
            let label = format!("F1 {}", frame.say(&tick.text));
            // The other end is where most rows are.
            canvas.text(&label, (first.0 + 6.0, first.1 + 2.0), Anchor::Start, (SMALL, DARK_GREY, PLAIN))?;
        }
    }
    Ok(())
}
