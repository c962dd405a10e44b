//! Groups of bars.

use super::canvas::{Anchor, Canvas, DARK_GREY, Drawn, PLAIN, WHITE, fill_colour};
use super::frame::Frame;
use crate::report::layout::width;
use crate::report::plot::{Bar, Fill, Plot};

/// The share of a group's band that bars fill.
const FILLED: f64 = 0.84;
/// A bar is no wider.
const WIDEST: f64 = 30.0;
/// The size of the shape at the foot of a bar.
const FOOT: f64 = 4.5;
/// The size of the heights that are written on top of bars.
const VALUES: f64 = 9.5;

/// Every bar, or those of one `place` in their groups, each with its height on top of it where there is room.
pub(super) fn bars(plot: &Plot, place: Option<usize>, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    let Some(count) = plot.bars.iter().map(|bar| bar.place + 1).max() else { return Ok(()) };
    let band = frame.x(1.0) - frame.x(0.0);
    let wide = (band * FILLED / count as f64).min(WIDEST);
    for bar in plot.bars.iter().filter(|bar| place.is_none_or(|place| bar.place == place)) {
        let left = frame.x(bar.group) + (bar.place as f64 - count as f64 / 2.0) * wide;
        let top = frame.y(bar.height);
        canvas.rectangle([(left, top), (left + wide - 0.5, frame.y(0.0))], fill_colour(bar.fill))?;
        // Bars of one colour are told apart by the shape at their foot.
        if wide >= 2.0 * FOOT && frame.y(0.0) - top >= 3.0 * FOOT {
            canvas.fill_shape(bar.fill, (left + (wide - 0.5) / 2.0, frame.y(0.0) - 1.4 * FOOT), FOOT * 0.8, WHITE)?;
        }
        value(bar, (left + wide / 2.0, top), wide, canvas)?;
    }
    Ok(())
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
pub(super) fn sign(fill: Fill, at: (f64, f64), canvas: &Canvas<'_>) -> Drawn {
    canvas.rectangle(super::heat::around(at, 12.0), fill_colour(fill))?;
    canvas.fill_shape(fill, at, FOOT * 0.8, WHITE)
}
