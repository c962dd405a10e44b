//! Coloured cells, what is marked among them, and what their colours mean.

use std::collections::BTreeSet;

use plotters::prelude::{ColorMap, RGBColor, ViridisRGB};
use plotters::style::FontStyle;

use super::bars::short;
use super::canvas::{Anchor, Canvas, DARK_GREY, Drawn, GREY, ON_DARK, ON_LIGHT, PLAIN, SMALL, WORDS};
use super::frame::Frame;
use crate::report::layout::width;
use crate::report::localised_text::LocalisedText;
use crate::report::plot::{Axis, Cell, Heat, Plot};

/// The lines around cells that are nearly as good as the best, one over the other: black within white is seen on every cell
/// and page.
const BORDER: [(RGBColor, f64); 2] = [(ON_DARK, 3.4), (ON_LIGHT, 1.8)];
/// The sizes of marks.
const STAR: f64 = 11.0;
const TRIANGLE: f64 = 11.0;
/// Steps of the colours' scale.
const STEPS: u32 = 64;

/// Two opposite corners.
type Corners = [(f64, f64); 2];

/// The cells and, to their right, what their colours mean.
pub(super) fn heat(plot: &Plot, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    let Some(heat) = &plot.heat else { return Ok(()) };
    let mut cells: Vec<&Cell> = heat.cells.iter().collect();
    cells.sort_by_key(|cell| (cell.at.1, cell.at.0));
    // Neighbours of one colour are one rectangle: large grids have large plains.
    let goes_on = |one: &&Cell, next: &&Cell| {
        one.at.1 == next.at.1 && one.at.0 + 1 == next.at.0 && colour(one.value, heat) == colour(next.value, heat)
    };
    for run in cells.chunk_by(goes_on) {
        let (first, last) = (corners(run[0].at, frame), corners(run[run.len() - 1].at, frame));
        canvas.rectangle([first[0], last[1]], colour(run[0].value, heat))?;
    }
    outlines(heat, frame, canvas)?;
    values(heat, frame, canvas)?;
    for cell in &heat.cells {
        let corners = corners(cell.at, frame);
        if cell.default {
            let (x, y) = corner(corners, TRIANGLE, false);
            triangle((x - TRIANGLE / 2.0, y - TRIANGLE / 2.0), canvas)?;
        }
        if cell.best {
            star(corner(corners, STAR, true), canvas)?;
        }
    }
    scale(heat, frame, canvas)
}

/// The corners of the cell at a place: that to the left above, then that to the right below.
fn corners((column, line): (usize, usize), frame: &Frame) -> Corners {
    let (x, y) = (column as f64, line as f64);
    [(frame.x(x - 0.5), frame.y(y + 0.5)), (frame.x(x + 0.5), frame.y(y - 0.5))]
}

/// The corners of a square around its middle.
pub(super) fn around((x, y): (f64, f64), side: f64) -> Corners {
    [(x - side / 2.0, y - side / 2.0), (x + side / 2.0, y + side / 2.0)]
}

/// A colour of the viridis scale, whose lightness rises evenly, so that every eye sees its order.
fn colour(value: f64, heat: &Heat) -> RGBColor {
    let (from, to) = heat.range;
    let share = if to > from { (value - from) / (to - from) } else { 1.0 };
    ViridisRGB.get_color(share.clamp(0.0, 1.0))
}

/// Black on light colours and white on dark ones.
fn on(RGBColor(red, green, blue): RGBColor) -> RGBColor {
    let luma = 0.299 * f64::from(red) + 0.587 * f64::from(green) + 0.114 * f64::from(blue);
    if luma > 102.0 { ON_LIGHT } else { ON_DARK }
}

/// A line where a cell that is nearly as good as the best meets one that is not.
fn outlines(heat: &Heat, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    let flat: BTreeSet<(usize, usize)> = heat.cells.iter().filter(|cell| cell.flat).map(|cell| cell.at).collect();
    let mut lines = Vec::new();
    for &(column, line) in &flat {
        let [(left, top), (right, bottom)] = corners((column, line), frame);
        let sides = [
            (column.checked_sub(1).map(|column| (column, line)), [(left, bottom), (left, top)]),
            (Some((column + 1, line)), [(right, bottom), (right, top)]),
            (line.checked_sub(1).map(|line| (column, line)), [(left, bottom), (right, bottom)]),
            (Some((column, line + 1)), [(left, top), (right, top)]),
        ];
        let is_border = |(beside, _): &(Option<_>, _)| !beside.is_some_and(|beside| flat.contains(&beside));
        lines.extend(sides.into_iter().filter(is_border).map(|(_, side)| side));
    }
    BORDER.iter().try_for_each(|&(colour, stroke)| lines.iter().try_for_each(|line| canvas.line(line, colour, stroke)))
}

/// The border of one such cell, in a key.
pub(super) fn border_around(at: (f64, f64), canvas: &Canvas<'_>) -> Drawn {
    BORDER.iter().try_for_each(|&(colour, stroke)| canvas.outline(around(at, 11.0), colour, stroke))
}

/// The value of each cell, to as many digits as fit into all of them.
fn values(heat: &Heat, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    let [(left, top), (right, bottom)] = corners((0, 0), frame);
    let written: [fn(f64) -> String; 3] =
        [|value| format!("{value:.4}"), |value| short(value, 3), |value| short(value, 2)];
    let fits = |written: &fn(f64) -> String| {
        heat.cells.iter().all(|cell| width(&written(cell.value), SMALL) <= right - left - 5.0)
    };
    let Some(written) = written.into_iter().find(fits).filter(|_| bottom - top >= 15.0) else { return Ok(()) };
    for cell in &heat.cells {
        let [(left, top), (right, bottom)] = corners(cell.at, frame);
        let style = if cell.best { FontStyle::Bold } else { PLAIN };
        let at = ((left + right) / 2.0, (top + bottom) / 2.0);
        canvas.text(&written(cell.value), at, Anchor::Middle, (SMALL, on(colour(cell.value, heat)), style))?;
    }
    Ok(())
}

/// Where a mark of `size` has its middle that is in a corner of the cell, or in the middle of a small one.
fn corner([(left, top), (right, bottom)]: Corners, size: f64, to_the_right: bool) -> (f64, f64) {
    let inset = size / 2.0 + 1.5;
    let x = if to_the_right { right - inset } else { left + inset };
    let is_small = right - left < 2.0 * (size + 2.0) || bottom - top < size + 2.0;
    if is_small { ((left + right) / 2.0, (top + bottom) / 2.0) } else { (x, top + inset) }
}

/// The mark of the best cell: a star, black within white.
pub(super) fn star((x, y): (f64, f64), canvas: &Canvas<'_>) -> Drawn {
    let point = |i: u32, radius: f64| {
        let turn = f64::from(i) * std::f64::consts::PI / 5.0;
        let radius = if i.is_multiple_of(2) { radius } else { radius * 0.45 };
        (x + radius * turn.sin(), y - radius * turn.cos())
    };
    for (radius, colour) in [(STAR * 0.75, ON_DARK), (STAR * 0.55, ON_LIGHT)] {
        canvas.polygon(&(0..10).map(|i| point(i, radius)).collect::<Vec<_>>(), colour)?;
    }
    Ok(())
}

/// The mark of the default cell: a triangle in its corner, black within white.
pub(super) fn triangle((x, y): (f64, f64), canvas: &Canvas<'_>) -> Drawn {
    for (inset, colour) in [(0.0, ON_DARK), (1.0, ON_LIGHT)] {
        // The slope moves inwards by more than the sides do.
        let (x, y, side) = (x + inset, y + inset, TRIANGLE - inset * (2.0 + std::f64::consts::SQRT_2));
        canvas.polygon(&[(x, y), (x + side, y), (x, y + side)], colour)?;
    }
    Ok(())
}

/// What colours mean: a bar to the right of the cells.
fn scale(heat: &Heat, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    let (from, to) = heat.range;
    let (left, right) = (frame.right + 20.0, frame.right + 34.0);
    let (top, bottom) = (frame.top, frame.bottom);
    let y = |value: f64| if to > from { bottom - (value - from) / (to - from) * (bottom - top) } else { bottom };
    for step in 0..STEPS {
        let value = |step: f64| from + (to - from) * step / f64::from(STEPS);
        let step = f64::from(step);
        let height = |step: f64| bottom - (bottom - top) * step / f64::from(STEPS);
        canvas.rectangle([(left, height(step + 1.0)), (right, height(step))], colour(value(step + 0.5), heat))?;
    }
    // Above it the key may stand.
    canvas.text(frame.say(&heat.label), (left, bottom + 17.0), Anchor::Start, (WORDS, DARK_GREY, PLAIN))?;
    let axis = Axis::of_numbers(LocalisedText::default(), from, to);
    let room = if axis.ticks.len() > 1 { y(axis.ticks[0].at) - y(axis.ticks[1].at) } else { bottom - top };
    let every = (16.0 / room.max(1.0)).ceil().max(1.0) as usize;
    for tick in axis.ticks.iter().step_by(every) {
        let y = y(tick.at);
        canvas.line(&[(right, y), (right + 4.0, y)], GREY, 1.0)?;
        canvas.text(frame.say(&tick.text), (right + 8.0, y), Anchor::Start, (WORDS, DARK_GREY, PLAIN))?;
    }
    Ok(())
}
