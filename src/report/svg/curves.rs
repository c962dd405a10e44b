//! Curves and points, lines across the plot and words at its right end.

use plotters::style::FontStyle;

use super::canvas::{Anchor, Canvas, DARK_GREY, Drawn, FLAT, GREY, LIGHT_GREY, PLAIN, SMALL, WORDS, colour, stroke};
use super::frame::{EDGE, Frame, INSET, WIDTH, names_rows};
use crate::report::layout::{apart, fit};
use crate::report::plot::{Label, Plot, SeriesColour};

/// Labels at the right end are at least so far apart.
const LABEL_GAP: f64 = 16.0;

/// A span of the flat region is at least so wide: a single value's, too.
const LEAST_SPAN: f64 = 8.0;

/// The flat region, below all else.
pub(super) fn flat(plot: &Plot, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    for &(from, to) in plot.flat.iter().flat_map(|flat| &flat.spans) {
        let (left, right) = (frame.x(from), frame.x(to));
        let more = (LEAST_SPAN - (right - left)).max(0.0) / 2.0;
        canvas.rectangle([(left - more, frame.top), (right + more, frame.bottom)], FLAT)?;
    }
    Ok(())
}

/// Floors and verticals: below the curves, so that they never hide one.
pub(super) fn lines(plot: &Plot, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    for vertical in &plot.verticals {
        let x = frame.x(vertical.at);
        canvas.line(&[(x, frame.top), (x, frame.bottom)], LIGHT_GREY, 2.0)?;
        canvas.text(frame.say(&vertical.label), (x, frame.top - 9.0), Anchor::Middle, (SMALL, DARK_GREY, PLAIN))?;
    }
    for &floor in &plot.floors {
        let y = frame.y(floor);
        canvas.line(&[(frame.left, y), (frame.right, y)], GREY, 1.0)?;
    }
    Ok(())
}

/// Curves and points.
pub(super) fn curves(plot: &Plot, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    for curve in &plot.curves {
        if curve.line.len() > 1 {
            let corners: Vec<(f64, f64)> = curve.line.iter().map(|&point| frame.at(point)).collect();
            canvas.line(&corners, colour(curve.ink), stroke(curve.ink))?;
        }
        for &point in &curve.points {
            canvas.shape(curve.ink, frame.at(point), point_size(plot, curve.ink))?;
        }
    }
    for mark in &plot.marks {
        canvas.hollow(mark.ink, frame.at(mark.at), 6.0)?;
    }
    Ok(())
}

/// The points and the label of the row at a place.
pub(super) fn of_row(plot: &Plot, place: usize, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    for curve in &plot.curves {
        if let Some(&point) = curve.points.get(place) {
            canvas.shape(curve.ink, frame.at(point), point_size(plot, curve.ink))?;
        }
    }
    plot.labels.get(place).map_or(Ok(()), |label| self::label(label, frame.y(label.at), plot, frame, canvas))
}

fn point_size(plot: &Plot, ink: SeriesColour) -> f64 {
    let size = if ink == SeriesColour::F1 { 4.2 } else { 3.4 };
    if names_rows(plot) && ink == SeriesColour::F1 { size * 1.3 } else { size }
}

/// Words at the right end, moved apart where they would overlap and led to their place by a line.
pub(super) fn labels(plot: &Plot, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    let wanted: Vec<f64> = plot.labels.iter().map(|label| frame.y(label.at)).collect();
    let places = apart(&wanted, LABEL_GAP, (frame.top, frame.bottom));
    for (label, place) in plot.labels.iter().zip(places) {
        self::label(label, place, plot, frame, canvas)?;
    }
    Ok(())
}

fn label(label: &Label, place: f64, plot: &Plot, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    let leads = !names_rows(plot);
    let end = if leads { frame.right + 18.0 } else { frame.right + 8.0 };
    if leads {
        let start = if label.ink == SeriesColour::Floor { frame.right } else { frame.right - INSET };
        let colour = if label.ink == SeriesColour::Floor { GREY } else { colour(label.ink) };
        let wanted = frame.y(label.at);
        let corners = [(start, wanted), (frame.right, wanted), (frame.right + 14.0, place)];
        canvas.line(&corners, colour, if label.ink == SeriesColour::Floor { 1.0 } else { 0.7 })?;
    }
    let style = if label.ink == SeriesColour::F1 { FontStyle::Bold } else { PLAIN };
    let text = fit(frame.say(&label.text), WORDS, WIDTH - EDGE - end + 4.0);
    canvas.text(&text, (end, place), Anchor::Start, (WORDS, colour(label.ink), style))
}
