//! Rows as points, some with their names, over curves of equal F1.

use super::canvas::{Anchor, Canvas, DARK_GREY, Drawn, GREY, LIGHT_GREY, PLAIN, SMALL, fill_colour};
use super::frame::Frame;
use super::names::names;
use crate::report::plot::{Against, Dot, Fill, Plot};

/// Radii of rows that tables show, and of others.
const RADII: (f64, f64) = (5.5, 2.8);
/// Steps of a curve of equal F1.
const STEPS: u32 = 60;

/// The points of rows, the small ones and the grey ones below, the line of the best, and names.
pub(super) fn dots(plot: &Plot, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    let Some(scatter) = &plot.scatter else { return Ok(()) };
    if scatter.against == Against::Recall {
        equal_f1(plot, frame, canvas)?;
    }
    let front: Vec<(f64, f64)> = scatter.front.iter().map(|&corner| frame.at(corner)).collect();
    if !front.is_empty() {
        canvas.line(&front, GREY, 1.2)?;
    }
    let mut dots: Vec<&Dot> = scatter.dots.iter().collect();
    dots.sort_by_key(|dot| (dot.main, matches!(dot.fill, Fill::System(_))));
    for dot in dots {
        let (radius, share) = if dot.main { (RADII.0, 1.0) } else { (RADII.1, 0.5) };
        canvas.disc(frame.at(dot.at), radius, fill_colour(dot.fill), share)?;
    }
    names(scatter, frame, canvas)
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
            let label = format!("F1 {}", tick.text);
            // The other end is where most rows are.
            canvas.text(&label, (first.0 + 6.0, first.1 + 2.0), Anchor::Start, (SMALL, DARK_GREY, PLAIN))?;
        }
    }
    Ok(())
}
