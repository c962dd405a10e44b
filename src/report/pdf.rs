//! PDF from SVG, for papers: paths alone, for text is drawn by its outlines, so that no font is needed to show it.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::types::{LineCapStyle, LineJoinStyle};
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref};
use resvg::tiny_skia::{PathSegment, Point, Transform};
use resvg::usvg::{FillRule, Group, LineCap, LineJoin, Node, Paint, Path, Tree};

/// Points of a PDF to a unit of a picture: a unit is 1/96 of an inch.
const POINTS: f32 = 0.75;

/// The document of one page that shows `tree`.
pub(super) fn write(tree: &Tree) -> Vec<u8> {
    let (width, height) = (tree.size().width() * POINTS, tree.size().height() * POINTS);
    let mut drawing = Drawing { content: Content::new(), opacities: Vec::new() };
    // Upwards is upwards in a PDF.
    drawing.content.transform([POINTS, 0.0, 0.0, -POINTS, 0.0, height]);
    drawing.group(tree.root(), 1.0);
    let [catalog, pages, page, content] = [1, 2, 3, 4].map(Ref::new);
    let opacity = |place: usize| Ref::new(5 + place as i32);
    let mut pdf = Pdf::new();
    pdf.catalog(catalog).pages(pages);
    pdf.pages(pages).kids([page]).count(1);
    let mut only = pdf.page(page);
    only.parent(pages).media_box(Rect::new(0.0, 0.0, width, height)).contents(content);
    let mut resources = only.resources();
    let mut states = resources.ext_g_states();
    for place in 0..drawing.opacities.len() {
        states.pair(Name(state(place).as_bytes()), opacity(place));
    }
    states.finish();
    resources.finish();
    only.finish();
    for (place, share) in drawing.opacities.iter().enumerate() {
        pdf.ext_graphics(opacity(place)).non_stroking_alpha(*share).stroking_alpha(*share);
    }
    pdf.stream(content, &packed(&drawing.content.finish())).filter(Filter::FlateDecode);
    pdf.finish()
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("writing to memory does not fail")
}

/// The name of the graphics state of an opacity.
fn state(place: usize) -> String {
    format!("o{place}")
}

struct Drawing {
    content: Content,
    /// Every opacity that is used.
    opacities: Vec<f32>,
}

impl Drawing {
    /// Figures hold no clips, masks or filters, and nothing in a group lies on anything else of it.
    fn group(&mut self, group: &Group, opacity: f32) {
        let opacity = opacity * group.opacity().get();
        for node in group.children() {
            match node {
                Node::Group(group) => self.group(group, opacity),
                Node::Path(path) => self.path(path, opacity),
                Node::Text(text) => self.group(text.flattened(), opacity),
                Node::Image(_) => {}
            }
        }
    }

    fn path(&mut self, path: &Path, opacity: f32) {
        if !path.is_visible() {
            return;
        }
        if let Some(fill) = path.fill()
            && let Paint::Color(colour) = fill.paint()
        {
            self.opacity(opacity * fill.opacity().get());
            let [red, green, blue] = [colour.red, colour.green, colour.blue].map(share);
            self.content.set_fill_rgb(red, green, blue);
            self.outline(path);
            match fill.rule() {
                FillRule::NonZero => self.content.fill_nonzero(),
                FillRule::EvenOdd => self.content.fill_even_odd(),
            };
        }
        if let Some(stroke) = path.stroke()
            && let Paint::Color(colour) = stroke.paint()
        {
            self.opacity(opacity * stroke.opacity().get());
            let [red, green, blue] = [colour.red, colour.green, colour.blue].map(share);
            self.content.set_stroke_rgb(red, green, blue);
            self.content.set_line_width(stroke.width().get() * scale(path.abs_transform()));
            self.content.set_line_cap(match stroke.linecap() {
                LineCap::Butt => LineCapStyle::ButtCap,
                LineCap::Round => LineCapStyle::RoundCap,
                LineCap::Square => LineCapStyle::ProjectingSquareCap,
            });
            self.content.set_line_join(match stroke.linejoin() {
                LineJoin::Miter | LineJoin::MiterClip => LineJoinStyle::MiterJoin,
                LineJoin::Round => LineJoinStyle::RoundJoin,
                LineJoin::Bevel => LineJoinStyle::BevelJoin,
            });
            self.outline(path);
            self.content.stroke();
        }
    }

    fn opacity(&mut self, share: f32) {
        let known = self.opacities.iter().position(|known| *known == share);
        let place = known.unwrap_or_else(|| {
            self.opacities.push(share);
            self.opacities.len() - 1
        });
        self.content.set_parameters(Name(state(place).as_bytes()));
    }

    fn outline(&mut self, path: &Path) {
        let transform = path.abs_transform();
        let placed = |mut point: Point| {
            transform.map_point(&mut point);
            point
        };
        let mut last = Point::zero();
        for segment in path.data().segments() {
            match segment {
                PathSegment::MoveTo(to) => {
                    last = placed(to);
                    self.content.move_to(last.x, last.y);
                }
                PathSegment::LineTo(to) => {
                    last = placed(to);
                    self.content.line_to(last.x, last.y);
                }
                PathSegment::QuadTo(by, to) => {
                    let (by, to) = (placed(by), placed(to));
                    // A quadratic curve is the cubic one whose handles are two thirds of the way to its own.
                    let towards = |from: Point| [from.x + (by.x - from.x) / 1.5, from.y + (by.y - from.y) / 1.5];
                    let ([x1, y1], [x2, y2]) = (towards(last), towards(to));
                    self.content.cubic_to(x1, y1, x2, y2, to.x, to.y);
                    last = to;
                }
                PathSegment::CubicTo(one, two, to) => {
                    let (one, two) = (placed(one), placed(two));
                    last = placed(to);
                    self.content.cubic_to(one.x, one.y, two.x, two.y, last.x, last.y);
                }
                PathSegment::Close => {
                    self.content.close_path();
                }
            }
        }
    }
}

fn share(part: u8) -> f32 {
    f32::from(part) / 255.0
}

/// By how much lengths grow.
fn scale(transform: Transform) -> f32 {
    (transform.sx * transform.sy - transform.kx * transform.ky).abs().sqrt()
}

#[cfg(test)]
mod tests {
    use resvg::usvg::Options;

    use super::*;

    #[test]
    fn shapes_are_where_the_picture_has_them() {
        let svg = "<svg width=\"200\" height=\"100\" viewBox=\"0 0 400 200\" xmlns=\"http://www.w3.org/2000/svg\">\
                   <rect x=\"40\" y=\"20\" width=\"80\" height=\"60\" fill=\"#FF0000\" opacity=\"0.5\"/></svg>";
        let document = write(&Tree::from_str(svg, &Options::default()).unwrap());
        let text = String::from_utf8_lossy(&document).into_owned();
        assert!(text.starts_with("%PDF-") && text.contains("/MediaBox [0 0 150 75]"), "{text}");
        assert!(text.contains("/ca 0.5"), "{text}");
        let begin = document.windows(7).position(|bytes| bytes == b"stream\n").unwrap() + 7;
        let mut content = String::new();
        std::io::Read::read_to_string(&mut flate2::read::ZlibDecoder::new(&document[begin..]), &mut content).unwrap();
        assert!(content.contains("0.75 0 0 -0.75 0 75 cm") && content.contains("1 0 0 rg"), "{content}");
        assert!(content.contains("20 10 m") && content.contains("60 40 l"), "{content}");
    }
}
