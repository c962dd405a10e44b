//! The writer of figures: SVG that needs no font to be written, the same bytes each time.

use std::io;

use plotters::coord::Shift;
use plotters::prelude::{
    Circle, DrawingArea, DrawingAreaErrorKind, IntoDrawingArea, PathElement, Polygon, RGBColor, Rectangle, SVGBackend,
    Text,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontStyle, FontTransform, IntoFont, ShapeStyle, TextStyle};

use super::layout::{apart, fit, width, wrap};
use super::plot::{Ink, Plot, Tick};

/// Units of the drawing to a unit of the picture: plotters rounds to whole units, which shows in curves.
const SCALE: f64 = 2.0;
/// The picture's width.
const WIDTH: f64 = 880.0;
/// Free space at the picture's edge.
const EDGE: f64 = 18.0;
/// The height of the plot where the y axis has numbers.
const HEIGHT: f64 = 340.0;
/// The height of a row where the y axis has names.
const ROW: f64 = 36.0;
/// The space between a plot's frame and the first and last value, so that none is cut.
const INSET: f64 = 14.0;
/// Labels at the right end are at least so far apart.
const LABEL_GAP: f64 = 16.0;

const TITLE: f64 = 17.0;
const WORDS: f64 = 12.5;
const SMALL: f64 = 11.0;

/// Okabe and Ito's colours, which colour-blind people tell apart.
const BLACK: RGBColor = RGBColor(0, 0, 0);
const BLUE: RGBColor = RGBColor(0, 114, 178);
const VERMILLION: RGBColor = RGBColor(213, 94, 0);
const DARK_GREY: RGBColor = RGBColor(85, 85, 85);
const GREY: RGBColor = RGBColor(150, 150, 150);
const LIGHT_GREY: RGBColor = RGBColor(226, 226, 226);
const WHITE: RGBColor = RGBColor(255, 255, 255);

/// The figure as an SVG document.
pub fn write(plot: &Plot) -> String {
    let frame = Frame::of(plot);
    let size = (units(WIDTH) as u32, units(frame.height) as u32);
    let mut document = String::new();
    {
        let canvas = Canvas { area: SVGBackend::with_string(&mut document, size).into_drawing_area() };
        draw(plot, &frame, &canvas).expect("drawing to memory does not fail");
    }
    // The drawing is larger than the picture that it is shown as.
    let drawn = format!("width=\"{}\" height=\"{}\"", size.0, size.1);
    document.replacen(&drawn, &format!("width=\"{WIDTH:.0}\" height=\"{:.0}\"", frame.height), 1)
}

fn units(length: f64) -> i32 {
    (length * SCALE).round() as i32
}

type Drawn = Result<(), DrawingAreaErrorKind<io::Error>>;

/// Where the parts of a figure stand, in the picture's units.
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    height: f64,
    notes: Vec<(bool, Vec<String>)>,
    x: (f64, f64),
    y: (f64, f64),
}

impl Frame {
    fn of(plot: &Plot) -> Self {
        let names = names_rows(plot);
        let widest = |texts: &mut dyn Iterator<Item = f64>| texts.fold(0.0, f64::max);
        let ticks =
            widest(&mut plot.y.ticks.iter().map(|tick| width(&tick.text, WORDS).max(width(&tick.below, SMALL))));
        let y_label = if plot.y.label.is_empty() { 0.0 } else { 20.0 };
        let left = EDGE + y_label + ticks.min(0.34 * WIDTH) + 10.0;
        let labels = widest(&mut plot.labels.iter().map(|label| width(&label.text, WORDS)));
        let right = WIDTH - EDGE - 22.0 - labels.min(0.25 * WIDTH);
        let top = if plot.key { 96.0 } else { 88.0 };
        let inner = if names { (plot.y.ticks.len().saturating_sub(1)) as f64 * ROW + 2.0 * INSET } else { HEIGHT };
        let bottom = top + inner;
        let room = WIDTH - 2.0 * EDGE - 16.0;
        let notes: Vec<(bool, Vec<String>)> =
            plot.notes.iter().map(|note| (note.hollow, wrap(&note.text, SMALL, room))).collect();
        let lines: usize = notes.iter().map(|(_, lines)| lines.len()).sum();
        let height = bottom + 62.0 + lines as f64 * 16.0 + notes.len() as f64 * 3.0 + 4.0;
        Frame { left, right, top, bottom, height, notes, x: (plot.x.from, plot.x.to), y: (plot.y.from, plot.y.to) }
    }

    fn x(&self, value: f64) -> f64 {
        between(value, self.x, (self.left + INSET, self.right - INSET))
    }

    fn y(&self, value: f64) -> f64 {
        between(value, self.y, (self.bottom - INSET, self.top + INSET))
    }

    fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.x(x), self.y(y))
    }
}

/// Whether the y axis has names of rows.
fn names_rows(plot: &Plot) -> bool {
    plot.y.label.is_empty()
}

fn between(value: f64, (from, to): (f64, f64), (low, high): (f64, f64)) -> f64 {
    // An axis of one value has it in the middle.
    let share = if to > from { (value - from) / (to - from) } else { 0.5 };
    low + share * (high - low)
}

fn colour(ink: Ink) -> RGBColor {
    match ink {
        Ink::Precision => BLUE,
        Ink::Recall => VERMILLION,
        Ink::F1 => BLACK,
        Ink::Floor => DARK_GREY,
    }
}

fn stroke(ink: Ink) -> f64 {
    if ink == Ink::F1 { 2.8 } else { 1.5 }
}

struct Canvas<'a> {
    area: DrawingArea<SVGBackend<'a>, Shift>,
}

/// How a text stands to its place.
#[derive(Clone, Copy)]
enum Anchor {
    Start,
    Middle,
    End,
    /// Centred and turned to read upwards.
    Upwards,
}

impl Canvas<'_> {
    fn line(&self, points: &[(f64, f64)], colour: RGBColor, stroke: f64) -> Drawn {
        let points: Vec<(i32, i32)> = points.iter().map(|&(x, y)| (units(x), units(y))).collect();
        self.area.draw(&PathElement::new(points, colour.stroke_width(units(stroke) as u32)))
    }

    fn text(&self, text: &str, (x, y): (f64, f64), anchor: Anchor, look: (f64, RGBColor, FontStyle)) -> Drawn {
        let (size, colour, style) = look;
        let h_pos = match anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle | Anchor::Upwards => HPos::Center,
            Anchor::End => HPos::Right,
        };
        // plotters writes a font's size divided by 1.24.
        let mut font = ("sans-serif", size * SCALE * 1.24, style).into_font();
        if matches!(anchor, Anchor::Upwards) {
            font = font.transform(FontTransform::Rotate270);
        }
        let style = TextStyle::from(font).color(&colour).pos(Pos::new(h_pos, VPos::Center));
        // XML has no place for control characters, and names may hold any.
        let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        self.area.draw(&Text::new(clean, (units(x), units(y)), style))
    }

    /// The shape of `ink` around a point: P a triangle, R a square, F1 a circle, each filled.
    fn shape(&self, ink: Ink, (x, y): (f64, f64), size: f64) -> Drawn {
        let fill = ShapeStyle::from(colour(ink)).filled();
        match ink {
            Ink::F1 => self.area.draw(&Circle::new((units(x), units(y)), units(size), fill)),
            Ink::Precision => {
                let corners =
                    [(x, y - 1.15 * size), (x + 1.1 * size, y + 0.85 * size), (x - 1.1 * size, y + 0.85 * size)];
                self.area.draw(&Polygon::new(corners.map(|(x, y)| (units(x), units(y))).to_vec(), fill))
            }
            Ink::Recall | Ink::Floor => {
                let half = 0.88 * size;
                let corners = [(units(x - half), units(y - half)), (units(x + half), units(y + half))];
                self.area.draw(&Rectangle::new(corners, fill))
            }
        }
    }

    /// A hollow diamond: a figure that we did not measure.
    fn hollow(&self, ink: Ink, (x, y): (f64, f64), size: f64) -> Drawn {
        let corners = [(x, y - size), (x + size, y), (x, y + size), (x - size, y)];
        let fill = corners.map(|(x, y)| (units(x), units(y))).to_vec();
        self.area.draw(&Polygon::new(fill, ShapeStyle::from(WHITE).filled()))?;
        let outline: Vec<(f64, f64)> = corners.iter().chain(&corners[..2]).copied().collect();
        self.line(&outline, colour(ink), 1.7)
    }
}

const PLAIN: FontStyle = FontStyle::Normal;

fn draw(plot: &Plot, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    let room = WIDTH - 2.0 * EDGE;
    let whole = [(0, 0), (units(WIDTH), units(frame.height))];
    canvas.area.draw(&Rectangle::new(whole, ShapeStyle::from(WHITE).filled()))?;
    canvas.text(&fit(&plot.title, TITLE * 1.06, room), (EDGE, 26.0), Anchor::Start, (TITLE, BLACK, FontStyle::Bold))?;
    canvas.text(&fit(&plot.subtitle, WORDS, room), (EDGE, 50.0), Anchor::Start, (WORDS, DARK_GREY, PLAIN))?;
    if plot.key {
        key(frame, canvas)?;
    }
    axes(plot, frame, canvas)?;
    lines(plot, frame, canvas)?;
    curves(plot, frame, canvas)?;
    labels(plot, frame, canvas)?;
    notes(frame, canvas)?;
    canvas.area.present()
}

/// What colours and shapes stand for, above the plot.
fn key(frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    let mut x = frame.left + INSET;
    for (ink, name) in [(Ink::F1, "F1"), (Ink::Precision, "precision"), (Ink::Recall, "recall")] {
        canvas.shape(ink, (x, 76.0), if ink == Ink::F1 { 5.0 } else { 3.6 })?;
        canvas.text(name, (x + 12.0, 76.0), Anchor::Start, (WORDS, colour(ink), PLAIN))?;
        x += 12.0 + width(name, WORDS) + 22.0;
    }
    Ok(())
}

fn axes(plot: &Plot, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    for tick in &plot.y.ticks {
        let y = frame.y(tick.at);
        canvas.line(&[(frame.left, y), (frame.right, y)], LIGHT_GREY, 1.0)?;
        y_tick(tick, (frame.left - 8.0, y), if names_rows(plot) { BLACK } else { DARK_GREY }, canvas)?;
    }
    let room = (frame.right - frame.left) / plot.x.ticks.len().max(1) as f64 - 6.0;
    for tick in &plot.x.ticks {
        let x = frame.x(tick.at);
        if names_rows(plot) {
            canvas.line(&[(x, frame.top), (x, frame.bottom)], LIGHT_GREY, 1.0)?;
        }
        canvas.line(&[(x, frame.bottom), (x, frame.bottom + 5.0)], GREY, 1.0)?;
        canvas.text(
            &fit(&tick.text, WORDS, room),
            (x, frame.bottom + 17.0),
            Anchor::Middle,
            (WORDS, DARK_GREY, PLAIN),
        )?;
    }
    canvas.line(&[(frame.left, frame.bottom), (frame.right, frame.bottom)], GREY, 1.0)?;
    let middle = (frame.left + frame.right) / 2.0;
    canvas.text(&plot.x.label, (middle, frame.bottom + 38.0), Anchor::Middle, (WORDS, BLACK, PLAIN))?;
    if names_rows(plot) {
        return Ok(());
    }
    let middle = (frame.top + frame.bottom) / 2.0;
    canvas.text(&plot.y.label, (EDGE + 4.0, middle), Anchor::Upwards, (WORDS, BLACK, PLAIN))
}

fn y_tick(tick: &Tick, (x, y): (f64, f64), colour: RGBColor, canvas: &Canvas<'_>) -> Drawn {
    let room = 0.34 * WIDTH;
    let (first, second) = if tick.below.is_empty() { (y, y) } else { (y - 7.0, y + 8.0) };
    canvas.text(&fit(&tick.text, WORDS, room), (x, first), Anchor::End, (WORDS, colour, PLAIN))?;
    if tick.below.is_empty() {
        return Ok(());
    }
    canvas.text(&fit(&tick.below, SMALL, room), (x, second), Anchor::End, (SMALL, DARK_GREY, PLAIN))
}

/// Floors and verticals: below the curves, so that they never hide one.
fn lines(plot: &Plot, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    for vertical in &plot.verticals {
        let x = frame.x(vertical.at);
        canvas.line(&[(x, frame.top), (x, frame.bottom)], LIGHT_GREY, 2.0)?;
        canvas.text(&vertical.label, (x, frame.top - 9.0), Anchor::Middle, (SMALL, DARK_GREY, PLAIN))?;
    }
    for &floor in &plot.floors {
        let y = frame.y(floor);
        canvas.line(&[(frame.left, y), (frame.right, y)], GREY, 1.0)?;
    }
    Ok(())
}

fn curves(plot: &Plot, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    for curve in &plot.curves {
        if curve.line.len() > 1 {
            let corners: Vec<(f64, f64)> = curve.line.iter().map(|&point| frame.at(point)).collect();
            canvas.line(&corners, colour(curve.ink), stroke(curve.ink))?;
        }
        let size = if curve.ink == Ink::F1 { 4.2 } else { 3.4 };
        let size = if names_rows(plot) && curve.ink == Ink::F1 { size * 1.3 } else { size };
        for &point in &curve.points {
            canvas.shape(curve.ink, frame.at(point), size)?;
        }
    }
    for mark in &plot.marks {
        canvas.hollow(mark.ink, frame.at(mark.at), 6.0)?;
    }
    Ok(())
}

/// Words at the right end, moved apart where they would overlap and led to their place by a line.
fn labels(plot: &Plot, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    let wanted: Vec<f64> = plot.labels.iter().map(|label| frame.y(label.at)).collect();
    let places = apart(&wanted, LABEL_GAP, (frame.top, frame.bottom));
    for ((label, wanted), place) in plot.labels.iter().zip(wanted).zip(places) {
        let leads = !names_rows(plot);
        let end = if leads { frame.right + 18.0 } else { frame.right + 8.0 };
        if leads {
            let start = if label.ink == Ink::Floor { frame.right } else { frame.right - INSET };
            let colour = if label.ink == Ink::Floor { GREY } else { colour(label.ink) };
            let corners = [(start, wanted), (frame.right, wanted), (frame.right + 14.0, place)];
            canvas.line(&corners, colour, if label.ink == Ink::Floor { 1.0 } else { 0.7 })?;
        }
        let style = if label.ink == Ink::F1 { FontStyle::Bold } else { PLAIN };
        let text = fit(&label.text, WORDS, WIDTH - EDGE - end + 4.0);
        canvas.text(&text, (end, place), Anchor::Start, (WORDS, colour(label.ink), style))?;
    }
    Ok(())
}

fn notes(frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    let mut y = frame.bottom + 66.0;
    for (hollow, lines) in &frame.notes {
        let indent = if *hollow { 16.0 } else { 0.0 };
        if *hollow {
            canvas.hollow(Ink::F1, (EDGE + 6.0, y), 5.0)?;
        }
        for line in lines {
            canvas.text(line, (EDGE + indent, y), Anchor::Start, (SMALL, DARK_GREY, PLAIN))?;
            y += 16.0;
        }
        y += 3.0;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{alpha_sweep, row, summary};
    use crate::report::figures::figures;

    fn documents(dataset: &str, algorithm: &str) -> Vec<String> {
        let mut rows = alpha_sweep(dataset, 21);
        rows.push(row(dataset, algorithm, 0.5));
        figures(&summary(rows), &[]).unwrap().iter().map(|figure| write(&figure.plot)).collect()
    }

    #[test]
    fn the_same_bytes_each_time() {
        assert_eq!(documents("d", "all-text"), documents("d", "all-text"));
    }

    #[test]
    fn names_stay_as_they_are_and_are_escaped() {
        let [overview, sweep] = &documents("新闻 <a&b>", "正文")[..] else { panic!() };
        assert!(overview.contains("新闻 &lt;a&amp;b&gt;: algorithms by F1"), "{overview}");
        assert!(overview.contains("正文"));
        assert!(sweep.contains("cevc on 新闻 &lt;a&amp;b&gt;: P, R and F1 over alpha"));
        assert!(!documents("a\u{1}b", "c")[0].contains('\u{1}'));
    }

    #[test]
    fn it_is_shown_at_half_the_size_it_is_drawn_in() {
        let document = &documents("d", "all-text")[1];
        assert!(document.starts_with("<svg width=\"880\" height=\""), "{}", &document[..80]);
        assert!(document.contains("viewBox=\"0 0 1760 "), "{}", &document[..120]);
    }
}
