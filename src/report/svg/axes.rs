//! Axes: their marks, labels and the lines across the plot.

use super::canvas::{Anchor, BLACK, Canvas, DARK_GREY, Drawn, GREY, LIGHT_GREY, PLAIN, SMALL, WORDS};
use super::frame::{EDGE, Frame, NAMES, names_rows};
use crate::report::layout::{fit, fit_ends, width};
use crate::report::plot::{Axis, Plot, Tick};

/// Both axes.
pub(super) fn axes(plot: &Plot, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    y_ticks(plot, frame, canvas)?;
    x_ticks(plot, frame, canvas)?;
    canvas.line(&[(frame.left, frame.bottom), (frame.right, frame.bottom)], GREY, 1.0)?;
    let middle = (frame.left + frame.right) / 2.0;
    canvas.text(frame.say(&plot.x.label), (middle, frame.x_label), Anchor::Middle, (WORDS, BLACK, PLAIN))?;
    let middle = (frame.top + frame.bottom) / 2.0;
    canvas.text(frame.say(&plot.y.label), (EDGE + 4.0, middle), Anchor::Upwards, (WORDS, BLACK, PLAIN))
}

/// The marks of `axis` that are shown where each needs `size` and its step is `band` wide: every
/// one, or the first of each few.
fn shown(axis: &Axis, size: f64, band: f64) -> impl Iterator<Item = &Tick> {
    let few = [1, 2, 5, 10, 20, 25, 50, 100];
    let every = few.into_iter().find(|&count| count as f64 * band >= size).unwrap_or(250);
    axis.ticks.iter().step_by(if axis.bands.is_some() { every } else { 1 })
}

fn y_ticks(plot: &Plot, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    for tick in shown(&plot.y, WORDS + 2.0, (frame.y(0.0) - frame.y(1.0)).abs()) {
        let y = frame.y(tick.at);
        if plot.y.bands.is_none() {
            canvas.line(&[(frame.left, y), (frame.right, y)], LIGHT_GREY, 1.0)?;
        }
        if plot.rows.is_empty() || !names_rows(plot) {
            y_tick(tick, plot, frame, canvas)?;
        }
    }
    Ok(())
}

/// The name of the row at a place.
pub(super) fn row_name(plot: &Plot, place: usize, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    plot.y.ticks.get(place).map_or(Ok(()), |tick| y_tick(tick, plot, frame, canvas))
}

fn y_tick(tick: &Tick, plot: &Plot, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    let colour = if names_rows(plot) { BLACK } else { DARK_GREY };
    let (x, y) = (frame.left - 8.0, frame.y(tick.at));
    let (first, second) = if tick.below.is_empty() { (y, y) } else { (y - 7.0, y + 8.0) };
    canvas.text(&fit(frame.say(&tick.text), WORDS, NAMES), (x, first), Anchor::End, (WORDS, colour, PLAIN))?;
    canvas.text(&fit(&tick.below, SMALL, NAMES), (x, second), Anchor::End, (SMALL, DARK_GREY, PLAIN))
}

fn x_ticks(plot: &Plot, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    let bottom = frame.bottom;
    let band = frame.x(1.0) - frame.x(0.0);
    let room = (frame.right - frame.left) / plot.x.ticks.len().max(1) as f64 - 6.0;
    let longest = plot.x.ticks.iter().map(|tick| width(frame.say(&tick.text), WORDS)).fold(0.0, f64::max);
    let size = if frame.x_ticks.turned.is_some() { 0.0 } else { longest + 6.0 };
    for tick in shown(&plot.x, size, band) {
        let x = frame.x(tick.at);
        if names_rows(plot) {
            canvas.line(&[(x, frame.top), (x, bottom)], LIGHT_GREY, 1.0)?;
        }
        canvas.line(&[(x, bottom), (x, bottom + 5.0)], GREY, 1.0)?;
        if let Some(length) = frame.x_ticks.turned {
            let text = fit_ends(frame.say(&tick.text), SMALL, length);
            canvas.text(&text, (x, bottom + 8.0), Anchor::UpwardsTo, (SMALL, DARK_GREY, PLAIN))?;
        } else {
            let room = if plot.x.bands.is_some() { room.max(longest) } else { room };
            let text = fit_ends(frame.say(&tick.text), WORDS, room);
            canvas.text(&text, (x, bottom + 17.0), Anchor::Middle, (WORDS, DARK_GREY, PLAIN))?;
        }
        let below = bottom + frame.x_ticks.height - 9.0;
        canvas.text(&fit(&tick.below, SMALL, room), (x, below), Anchor::Middle, (SMALL, DARK_GREY, PLAIN))?;
    }
    Ok(())
}
