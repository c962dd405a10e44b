//! Distributions, each on a line of its own.

use super::canvas::{Anchor, BLACK, Canvas, DARK_GREY, Drawn, LIGHT_GREY, PLAIN, SMALL, WHITE};
use super::frame::Frame;
use crate::report::layout::swarm;
use crate::report::plot::{Plot, SeriesColour, Strip};

/// The most that dots are moved off their line, and half the height of the quartiles' box.
const ACROSS: f64 = 18.0;
/// The most that the radius of the dot with the greatest weight is, and the least that is seen.
const RADIUS: (f64, f64) = (5.0, 1.4);
/// The width that crowds are looked for in, and the most of its space that dots take there: more of them hide each other.
const CROWD: f64 = 12.0;
const MOST_CROWDED: f64 = 0.6;
/// Half the width of the bar at an end, and what its number is away from it.
const END: (f64, f64) = (2.0, 5.0);

/// The size of dots, which is the same on all lines.
pub(super) struct Sizes {
    /// The greatest weight of all dots, and the radius that it has.
    heaviest: f64,
    largest: f64,
}

impl Sizes {
    /// Those with which the most crowded place of all has room for its dots.
    pub(super) fn of(plot: &Plot, frame: &Frame) -> Self {
        let weights = plot.strips.iter().flat_map(|strip| &strip.dots).map(|(_, weight)| *weight);
        let sizes = Sizes { heaviest: weights.fold(1.0, f64::max), largest: RADIUS.0 };
        let crowded = plot.strips.iter().map(|strip| sizes.crowded(strip, frame)).fold(MOST_CROWDED, f64::max);
        Sizes { largest: RADIUS.0 * (MOST_CROWDED / crowded).sqrt(), ..sizes }
    }

    /// The area is the weight, so that a site of many pages counts as it does in the mean.
    fn radius(&self, weight: f64) -> f64 {
        (self.largest * (weight / self.heaviest).sqrt()).max(RADIUS.1)
    }

    /// The share of the space that dots take where they are most crowded.
    fn crowded(&self, strip: &Strip, frame: &Frame) -> f64 {
        let area = |weight: f64| std::f64::consts::PI * self.radius(weight).powi(2);
        let mut dots: Vec<(f64, f64)> =
            strip.dots.iter().map(|(value, weight)| (frame.x(*value), area(*weight))).collect();
        dots.sort_by(|one, other| one.0.total_cmp(&other.0));
        let (mut first, mut taken, mut most) = (0, 0.0, 0.0_f64);
        for &(x, area) in &dots {
            taken += area;
            while dots[first].0 < x - CROWD {
                taken -= dots[first].1;
                first += 1;
            }
            most = most.max(taken);
        }
        most / (CROWD * 2.0 * ACROSS)
    }
}

/// Every distribution.
pub(super) fn strips(plot: &Plot, sizes: &Sizes, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    plot.strips.iter().try_for_each(|strip| self::strip(strip, sizes, frame, canvas))
}

/// The distribution of the row at a place.
pub(super) fn of_row(plot: &Plot, place: usize, sizes: &Sizes, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    plot.strips.get(place).map_or(Ok(()), |strip| self::strip(strip, sizes, frame, canvas))
}

fn strip(strip: &Strip, sizes: &Sizes, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    let y = frame.y(strip.at);
    quartiles(strip.quartiles.map(|value| (frame.x(value), y)), ACROSS, canvas)?;
    let places: Vec<f64> = strip.dots.iter().map(|(value, _)| frame.x(*value)).collect();
    let radii: Vec<f64> = strip.dots.iter().map(|(_, weight)| sizes.radius(*weight)).collect();
    for ((x, radius), across) in places.iter().zip(&radii).zip(swarm(&places, &radii, ACROSS)) {
        dot((*x, y + across), *radius, canvas)?;
    }
    let [zero, one] = strip.ends;
    let share = |count: usize| count as f64 / strip.values as f64;
    if zero > 0 {
        let x = frame.x(0.0);
        end((x, y), ACROSS * share(zero), canvas)?;
        canvas.text(&zero.to_string(), (x - END.1, y), Anchor::End, (SMALL, DARK_GREY, PLAIN))?;
    }
    if one > 0 {
        let x = frame.x(1.0);
        end((x, y), ACROSS * share(one), canvas)?;
        canvas.text(&one.to_string(), (x + END.1, y), Anchor::Start, (SMALL, DARK_GREY, PLAIN))?;
    }
    canvas.disc((frame.x(strip.mean), y), 7.0, WHITE, 1.0)?;
    canvas.shape(SeriesColour::F1, (frame.x(strip.mean), y), 5.5)
}

/// The bar at an end of a distribution: its height is the share of the values that lie there.
pub(super) fn end((x, y): (f64, f64), half: f64, canvas: &Canvas<'_>) -> Drawn {
    let half = half.max(RADIUS.0 / 2.0);
    canvas.rectangle([(x - END.0, y - half), (x + END.0, y + half)], DARK_GREY)
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
