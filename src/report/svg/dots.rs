//! Rows as points, some with their names, over curves of equal F1.

use super::canvas::{Anchor, Canvas, DARK_GREY, Drawn, GREY, LIGHT_GREY, PLAIN, SMALL, fill_colour, light};
use super::frame::Frame;
use super::names::Name;
use crate::report::layout::{Corners, width};
use crate::report::plot::{Against, Dot, Fill, Plot, Tick};

/// The size of rows that tables show, and the radius of others.
const RADIUS: f64 = 5.5;
const SMALL_RADIUS: f64 = 2.8;
/// Steps of a curve of equal F1.
const STEPS: u32 = 60;

/// What lies below the points of rows: curves of equal F1, and the line of the best.
pub(super) fn ground(plot: &Plot, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    let Some(scatter) = &plot.scatter else { return Ok(()) };
    for curve in equal_f1(plot, frame) {
        canvas.line(&curve.line, LIGHT_GREY, 1.6)?;
        canvas.text(&curve.name, curve.name_at(), Anchor::Start, (SMALL, DARK_GREY, PLAIN))?;
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
        canvas.fill_shape(dot.fill, frame.at(dot.at), SMALL_RADIUS, light(colour))?;
    }
    names.iter().filter(|name| name.row == dot.row).try_for_each(|name| name.draw(dot, frame, canvas))
}

/// A curve on which F1 is the same, and what it is called at its upper end: the other end is where most rows are.
pub(super) struct EqualF1 {
    line: Vec<(f64, f64)>,
    name: String,
}

impl EqualF1 {
    /// The left end of the name, at half its height.
    fn name_at(&self) -> (f64, f64) {
        (self.line[0].0 + 6.0, self.line[0].1 + 2.0)
    }

    /// The room that the name takes.
    pub(super) fn name_corners(&self) -> Corners {
        let (x, y) = self.name_at();
        [(x, y - SMALL / 2.0), (x + width(&self.name, SMALL), y + SMALL / 2.0)]
    }
}

/// Curves of equal F1, at the marks of the axes; none where the axes are no precision and recall.
pub(super) fn equal_f1(plot: &Plot, frame: &Frame) -> Vec<EqualF1> {
    if plot.scatter.as_ref().is_none_or(|scatter| scatter.against != Against::Recall) {
        return Vec::new();
    }
    let curve = |tick: &Tick| {
        let f1 = tick.at;
        let precision = |recall: f64| f1 * recall / (2.0 * recall - f1);
        let recalls =
            (0..=STEPS).map(|step| plot.x.from + (plot.x.to - plot.x.from) * f64::from(step) / f64::from(STEPS));
        let within =
            |&(_, precision): &(f64, f64)| precision.is_finite() && (plot.y.from..=plot.y.to).contains(&precision);
        let corners = recalls.filter(|recall| 2.0 * recall > f1).map(|recall| (recall, precision(recall)));
        let line: Vec<(f64, f64)> = corners.filter(within).map(|corner| frame.at(corner)).collect();
        (line.len() > 1 && f1 > plot.x.from).then(|| EqualF1 { line, name: format!("F1 {}", frame.say(&tick.text)) })
    };
    plot.x.ticks.iter().filter_map(curve).collect()
}
