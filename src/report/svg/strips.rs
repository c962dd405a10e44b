//! Distributions, each on a line of its own.

use super::canvas::{BLACK, Canvas, DARK_GREY, Drawn, LIGHT_GREY, WHITE};
use super::frame::Frame;
use crate::report::layout::swarm;
use crate::report::plot::{Plot, SeriesColour, Strip};

/// The most that dots are moved off their line, and half the height of the quartiles' box.
const ACROSS: f64 = 18.0;
/// The radius of the dot with the greatest weight, and the least that is seen.
const RADIUS: (f64, f64) = (5.0, 1.4);

/// Every distribution.
pub(super) fn strips(plot: &Plot, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    let most = greatest(plot);
    plot.strips.iter().try_for_each(|strip| self::strip(strip, most, frame, canvas))
}

/// The distribution of the row at a place.
pub(super) fn of_row(plot: &Plot, place: usize, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    plot.strips.get(place).map_or(Ok(()), |strip| self::strip(strip, greatest(plot), frame, canvas))
}

/// The greatest weight of all dots.
fn greatest(plot: &Plot) -> f64 {
    plot.strips.iter().flat_map(|strip| &strip.dots).map(|(_, weight)| *weight).fold(1.0, f64::max)
}

fn strip(strip: &Strip, most: f64, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    let y = frame.y(strip.at);
    quartiles(strip.quartiles.map(|value| (frame.x(value), y)), ACROSS, canvas)?;
    let places: Vec<f64> = strip.dots.iter().map(|(value, _)| frame.x(*value)).collect();
    // The area is the weight, so that a site of many pages counts as it does in the mean.
    let radius = |weight: f64| (RADIUS.0 * (weight / most).sqrt()).max(RADIUS.1);
    let radii: Vec<f64> = strip.dots.iter().map(|(_, weight)| radius(*weight)).collect();
    for ((x, radius), across) in places.iter().zip(&radii).zip(swarm(&places, &radii, ACROSS)) {
        dot((*x, y + across), *radius, canvas)?;
    }
    canvas.disc((frame.x(strip.mean), y), 7.0, WHITE, 1.0)?;
    canvas.shape(SeriesColour::F1, (frame.x(strip.mean), y), 5.5)
}

/// A site.
pub(super) fn dot(at: (f64, f64), radius: f64, canvas: &Canvas<'_>) -> Drawn {
    canvas.disc(at, radius, DARK_GREY, 0.55)
}

/// A box from the lower to the upper quartile, and a line at the median.
pub(super) fn quartiles([lower, median, upper]: [(f64, f64); 3], half: f64, canvas: &Canvas<'_>) -> Drawn {
    canvas.rectangle([(lower.0, lower.1 - half), (upper.0, upper.1 + half)], LIGHT_GREY)?;
    canvas.line(&[(median.0, median.1 - half), (median.0, median.1 + half)], BLACK, 2.0)
}
