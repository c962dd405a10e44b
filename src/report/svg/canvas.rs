//! What figures are drawn with: lines, shapes and words in the picture's units.

use std::io;

use plotters::coord::Shift;
use plotters::prelude::{
    Circle, DrawingArea, DrawingAreaErrorKind, PathElement, Polygon, RGBColor, Rectangle, SVGBackend, Text,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontStyle, FontTransform, IntoFont, ShapeStyle, TextStyle};

use crate::report::plot::{Fill, SeriesColour};

/// Units of the drawing to a unit of the picture: plotters rounds to whole units, which shows in curves.
const SCALE: f64 = 2.0;

/// Okabe and Ito's colours, which colour-blind people tell apart.
pub(super) const BLACK: RGBColor = RGBColor(0, 0, 0);
const BLUE: RGBColor = RGBColor(0, 114, 178);
const VERMILLION: RGBColor = RGBColor(213, 94, 0);
const ORANGE: RGBColor = RGBColor(230, 159, 0);
const GREEN: RGBColor = RGBColor(0, 158, 115);
const SKY: RGBColor = RGBColor(86, 180, 233);
const PURPLE: RGBColor = RGBColor(204, 121, 167);
pub(super) const DARK_GREY: RGBColor = RGBColor(85, 85, 85);
pub(super) const GREY: RGBColor = RGBColor(150, 150, 150);
pub(super) const LIGHT_GREY: RGBColor = RGBColor(226, 226, 226);
/// The shade of what is as good as the best.
pub(super) const FLAT: RGBColor = RGBColor(255, 242, 200);
pub(super) const WHITE: RGBColor = RGBColor(255, 255, 255);
/// On coloured cells, which are the same on a dark page: other values than those of ink and ground, which are not.
pub(super) const ON_LIGHT: RGBColor = RGBColor(1, 1, 1);
pub(super) const ON_DARK: RGBColor = RGBColor(254, 254, 254);

/// Colours that a page in a dark theme has others for, each with its name in the page's style.
const THEMED: [(RGBColor, &str); 8] = [
    (BLACK, "--f1"),
    (WHITE, "--ground"),
    (DARK_GREY, "--quiet"),
    (GREY, "--line"),
    (LIGHT_GREY, "--grid"),
    (FLAT, "--flat"),
    (BLUE, "--precision"),
    (VERMILLION, "--recall"),
];

/// The SVG of a figure as a page embeds it: its colours follow the page's theme.
pub fn themed(document: &str) -> String {
    THEMED.iter().fold(document.to_owned(), |document, (RGBColor(red, green, blue), name)| {
        document.replace(&format!("\"#{red:02X}{green:02X}{blue:02X}\""), &format!("\"var({name})\""))
    })
}

/// Colours of systems; the last two also stand for precision and recall, so they are the last to be used.
const SYSTEMS: [RGBColor; Fill::COLOURS] = [ORANGE, SKY, GREEN, PURPLE, BLUE, VERMILLION];
/// Lightness of floors, which have no colour; each can be seen on white and on black.
const FLOORS: [u8; Fill::GREYS] = [92, 112, 132, 152, 172];

pub(super) const TITLE: f64 = 17.0;
pub(super) const WORDS: f64 = 12.5;
pub(super) const SMALL: f64 = 11.0;

pub(super) const PLAIN: FontStyle = FontStyle::Normal;

/// `length` in the units of the drawing.
pub(super) fn units(length: f64) -> i32 {
    (length * SCALE).round() as i32
}

pub(super) type Drawn = Result<(), DrawingAreaErrorKind<io::Error>>;

pub(super) fn colour(ink: SeriesColour) -> RGBColor {
    match ink {
        SeriesColour::Precision => BLUE,
        SeriesColour::Recall => VERMILLION,
        SeriesColour::F1 => BLACK,
        SeriesColour::Floor => DARK_GREY,
        SeriesColour::Of(fill) => fill_colour(fill),
    }
}

pub(super) fn stroke(ink: SeriesColour) -> f64 {
    match ink {
        SeriesColour::F1 => 2.8,
        SeriesColour::Of(Fill::System(_)) => 2.2,
        _ => 1.5,
    }
}

/// The colour of a bar.
pub(super) fn fill_colour(fill: Fill) -> RGBColor {
    match fill {
        Fill::System(i) => SYSTEMS[i % SYSTEMS.len()],
        Fill::Floor(i) => {
            let grey = FLOORS[i % FLOORS.len()];
            RGBColor(grey, grey, grey)
        }
    }
}

/// How many shapes there are.
const SHAPES: usize = 6;

/// The number of the shape: the next one when all colours were used.
fn shape_of(fill: Fill) -> usize {
    match fill {
        Fill::System(i) => i / SYSTEMS.len(),
        Fill::Floor(i) => i,
    }
}

/// A colour, half as strong on white.
pub(super) fn light(RGBColor(red, green, blue): RGBColor) -> RGBColor {
    let half = |part: u8| (u16::from(part) + 255).div_ceil(2) as u8;
    RGBColor(half(red), half(green), half(blue))
}

pub(super) struct Canvas<'a> {
    pub(super) area: DrawingArea<SVGBackend<'a>, Shift>,
}

/// How a text stands to its place.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
    /// Centred and turned to read upwards.
    Upwards,
    /// Turned to read upwards from there.
    UpwardsFrom,
    /// Turned to read upwards to there.
    UpwardsTo,
}

impl Canvas<'_> {
    pub(super) fn line(&self, points: &[(f64, f64)], colour: RGBColor, stroke: f64) -> Drawn {
        let points: Vec<(i32, i32)> = points.iter().map(|&(x, y)| (units(x), units(y))).collect();
        self.area.draw(&PathElement::new(points, colour.stroke_width(units(stroke) as u32)))
    }

    pub(super) fn text(
        &self,
        text: &str,
        (x, y): (f64, f64),
        anchor: Anchor,
        look: (f64, RGBColor, FontStyle),
    ) -> Drawn {
        let (size, colour, style) = look;
        if text.is_empty() {
            return Ok(());
        }
        let h_pos = match anchor {
            Anchor::Start | Anchor::UpwardsFrom => HPos::Left,
            Anchor::Middle | Anchor::Upwards => HPos::Center,
            Anchor::End | Anchor::UpwardsTo => HPos::Right,
        };
        // plotters writes a font's size divided by 1.24.
        let mut font = ("sans-serif", size * SCALE * 1.24, style).into_font();
        if matches!(anchor, Anchor::Upwards | Anchor::UpwardsFrom | Anchor::UpwardsTo) {
            font = font.transform(FontTransform::Rotate270);
        }
        let style = TextStyle::from(font).color(&colour).pos(Pos::new(h_pos, VPos::Center));
        // XML has no place for control characters, and names may hold any.
        let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        self.area.draw(&Text::new(clean, (units(x), units(y)), style))
    }

    /// A filled rectangle between two corners.
    pub(super) fn rectangle(&self, corners: [(f64, f64); 2], colour: RGBColor) -> Drawn {
        let fill = ShapeStyle::from(colour).filled();
        self.area.draw(&Rectangle::new(corners.map(|(x, y)| (units(x), units(y))), fill))
    }

    /// The outline of a rectangle between two corners.
    pub(super) fn outline(&self, [(x1, y1), (x2, y2)]: [(f64, f64); 2], colour: RGBColor, stroke: f64) -> Drawn {
        // The first side is drawn twice, so that every corner is joined.
        self.line(&[(x1, y1), (x2, y1), (x2, y2), (x1, y2), (x1, y1), (x2, y1)], colour, stroke)
    }

    /// A filled disc that lets through what lies under it where `share` is below 1.
    pub(super) fn disc(&self, (x, y): (f64, f64), radius: f64, colour: RGBColor, share: f64) -> Drawn {
        let fill = ShapeStyle::from(colour.mix(share)).filled();
        self.area.draw(&Circle::new((units(x), units(y)), units(radius), fill))
    }

    /// A filled polygon.
    pub(super) fn polygon(&self, corners: &[(f64, f64)], colour: RGBColor) -> Drawn {
        let corners = corners.iter().map(|&(x, y)| (units(x), units(y))).collect::<Vec<_>>();
        self.area.draw(&Polygon::new(corners, ShapeStyle::from(colour).filled()))
    }

    /// The shape of `ink` around a point: P a triangle, R a square, F1 a circle, each filled.
    pub(super) fn shape(&self, ink: SeriesColour, (x, y): (f64, f64), size: f64) -> Drawn {
        match ink {
            SeriesColour::F1 => self.disc((x, y), size, colour(ink), 1.0),
            SeriesColour::Of(fill) => self.fill_shape(fill, (x, y), size, fill_colour(fill)),
            SeriesColour::Precision => {
                let corners =
                    [(x, y - 1.15 * size), (x + 1.1 * size, y + 0.85 * size), (x - 1.1 * size, y + 0.85 * size)];
                self.polygon(&corners, colour(ink))
            }
            SeriesColour::Recall | SeriesColour::Floor => {
                let half = 0.88 * size;
                self.rectangle([(x - half, y - half), (x + half, y + half)], colour(ink))
            }
        }
    }

    /// The shape of a system or a floor around a point, in `colour`: those of one colour have different ones.
    pub(super) fn fill_shape(&self, fill: Fill, (x, y): (f64, f64), size: f64, colour: RGBColor) -> Drawn {
        let around = |corners: &[(f64, f64)]| -> Vec<(f64, f64)> {
            corners.iter().map(|(right, down)| (x + right * size, y + down * size)).collect()
        };
        match shape_of(fill) % SHAPES {
            0 => self.disc((x, y), size, colour, 1.0),
            1 => self.rectangle([(x - 0.88 * size, y - 0.88 * size), (x + 0.88 * size, y + 0.88 * size)], colour),
            2 => self.polygon(&around(&[(0.0, -1.15), (1.1, 0.85), (-1.1, 0.85)]), colour),
            3 => self.polygon(&around(&[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)]), colour),
            4 => self.polygon(&around(&[(0.0, 1.15), (1.1, -0.85), (-1.1, -0.85)]), colour),
            _ => {
                let (thin, long) = (0.4, 1.15);
                let arms = [(-thin, -long), (thin, -long), (thin, -thin), (long, -thin), (long, thin), (thin, thin)];
                let rest = [(thin, long), (-thin, long), (-thin, thin), (-long, thin), (-long, -thin), (-thin, -thin)];
                self.polygon(&around(&[arms, rest].concat()), colour)
            }
        }
    }

    /// A hollow diamond: a figure that we did not measure.
    pub(super) fn hollow(&self, ink: SeriesColour, (x, y): (f64, f64), size: f64) -> Drawn {
        let corners = [(x, y - size), (x + size, y), (x, y + size), (x - size, y)];
        self.polygon(&corners, WHITE)?;
        let outline: Vec<(f64, f64)> = corners.iter().chain(&corners[..2]).copied().collect();
        self.line(&outline, colour(ink), 1.7)
    }
}
