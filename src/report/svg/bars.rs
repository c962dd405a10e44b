//! Groups of bars.

use super::canvas::{Anchor, Canvas, DARK_GREY, Drawn, PLAIN, WHITE, fill_colour};
use super::frame::Frame;
use crate::report::layout::width;
use crate::report::plot::{Bar, Fill, Plot, Surface};

/// The share of a group's band that bars fill.
const FILLED: f64 = 0.84;
/// A bar is no wider.
const WIDEST: f64 = 30.0;
/// The size of the shape at the foot of a bar.
const FOOT: f64 = 4.5;
/// A smaller one could not be told from others.
const LEAST_FOOT: f64 = 2.5;
/// The width of the border of a bar that is not solid.
const BORDER: f64 = 1.5;
/// The distance of lines across a bar.
const STRIPES: f64 = 5.0;
/// The size of the heights that are written on top of bars.
const VALUES: f64 = 9.5;

/// Every bar, or those of one `place` in their groups, each with its height on top of it where there is room.
pub(super) fn bars(plot: &Plot, place: Option<usize>, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    let Some(count) = plot.bars.iter().map(|bar| bar.place + 1).max() else { return Ok(()) };
    let last = plot.bars.iter().map(|bar| bar.group).fold(0.0, f64::max);
    let band = frame.x(1.0) - frame.x(0.0);
    let wide = (band * FILLED / count as f64).min(WIDEST);
    for bar in plot.bars.iter().filter(|bar| place.is_none_or(|place| bar.place == place)) {
        let left = frame.x(bar.group) + (bar.place as f64 - count as f64 / 2.0) * wide;
        let top = frame.y(bar.height);
        let [low, right] = [frame.y(0.0), left + wide - 0.5];
        surface([(left, top), (right, low)], (bar.fill, bar.surface), canvas)?;
        // The shape that the algorithm has in other figures.
        // Of narrow bars those of the last group stand for all.
        let foot = FOOT.min(wide / 2.0);
        if (foot == FOOT || bar.group == last) && foot >= LEAST_FOOT && low - top >= 3.0 * foot {
            shape((bar.fill, bar.surface), ((left + right) / 2.0, low - 1.4 * foot), foot, canvas)?;
        }
        value(bar, (left + wide / 2.0, top), wide, canvas)?;
    }
    Ok(())
}

/// A bar between two corners.
fn surface(corners: [(f64, f64); 2], (fill, surface): (Fill, Surface), canvas: &Canvas<'_>) -> Drawn {
    let colour = fill_colour(fill);
    canvas.rectangle(corners, colour)?;
    if surface == Surface::Solid {
        return Ok(());
    }
    let [(left, top), (right, low)] = corners;
    let border = BORDER.min((right - left) / 3.0);
    let [left, right, top] = [left + border, right - border, top + border];
    if top >= low - border {
        return Ok(());
    }
    canvas.rectangle([(left, top), (right, low - border)], WHITE)?;
    let lines = if surface == Surface::Striped { ((low - top) / STRIPES) as usize } else { 0 };
    (1..=lines)
        .map(|line| low - line as f64 * STRIPES)
        .filter(|y| *y > top)
        .try_for_each(|y| canvas.line(&[(left, y), (right, y)], colour, BORDER))
}

/// The shape of a bar's fill, as it is seen on its surface: among lines it would not be.
fn shape((fill, surface): (Fill, Surface), at: (f64, f64), foot: f64, canvas: &Canvas<'_>) -> Drawn {
    let colour = match surface {
        Surface::Solid => WHITE,
        Surface::Hollow => fill_colour(fill),
        Surface::Striped => return Ok(()),
    };
    canvas.fill_shape(fill, at, foot * 0.8, colour)
}

/// The height of `bar` to two digits: beside each other if that fits, turned if a line does.
fn value(bar: &Bar, (x, y): (f64, f64), wide: f64, canvas: &Canvas<'_>) -> Drawn {
    let text = short(bar.height, 2);
    let (at, anchor) = if wide >= width(&text, VALUES) + 2.0 {
        ((x, y - 7.0), Anchor::Middle)
    } else if wide >= VALUES {
        ((x, y - 3.0), Anchor::UpwardsFrom)
    } else {
        return Ok(());
    };
    canvas.text(&text, at, anchor, (VALUES, DARK_GREY, PLAIN))
}

/// A score to so many digits, without the 0 before the point.
pub(super) fn short(score: f64, digits: usize) -> String {
    let text = format!("{score:.digits$}");
    text.strip_prefix('0').map_or(text.clone(), str::to_owned)
}

/// What stands for a bar in the key.
pub(super) fn sign(look: (Fill, Surface), at: (f64, f64), canvas: &Canvas<'_>) -> Drawn {
    surface(super::heat::around(at, 12.0), look, canvas)?;
    shape(look, at, FOOT, canvas)
}
