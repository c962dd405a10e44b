//! PNG and PDF from SVG. They depend on the fonts of the machine: SVG is what is kept and compared.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::fontdb::{Database, ID, Source, Style, Weight};
use resvg::usvg::{Group, Node, Options, Tree};

use super::latex::is_cjk;
use super::pdf;

/// Families for all text, the first installed wins; those with Chinese come first.
const FAMILIES: [&str; 5] =
    ["Noto Sans CJK SC", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Source Han Sans SC", "DejaVu Sans"];

/// The way to a font, also for those who may not install packages.
const ADVICE: &str = "; the package fonts-noto-cjk has it, and so may a font file in ~/.local/share/fonts";

/// Pixels to a unit of the picture: legible on screens of high density.
const ZOOM: f32 = 2.0;

/// A picture as files.
#[derive(Clone, Debug)]
pub struct Painted {
    /// In pixels.
    pub png: Vec<u8>,
    /// In lines, for papers.
    pub pdf: Vec<u8>,
}

/// Draws pictures with the fonts of this machine, which are read once.
#[derive(Debug)]
pub struct Painter {
    options: Options<'static>,
}

impl Painter {
    /// None where no font is installed.
    pub fn new() -> Option<Self> {
        let mut fonts = Database::new();
        fonts.load_system_fonts();
        Self::with_fonts(fonts)
    }

    fn with_fonts(mut fonts: Database) -> Option<Self> {
        let family = family(&fonts)?;
        keep_in_memory(&mut fonts, &family);
        // The crate's own choices are Arial and the like; where they lack, text is left out without an error.
        fonts.set_sans_serif_family(&family);
        fonts.set_serif_family(&family);
        fonts.set_monospace_family(&family);
        let options = Options { fontdb: Arc::new(fonts), font_family: family, ..Options::default() };
        Some(Painter { options })
    }

    /// The pictures of an SVG document.
    ///
    /// # Errors
    /// Why there is none, as the end of a sentence: a character that no font has, or a picture too
    /// large to draw.
    pub fn paint(&self, svg: &str) -> Result<Painted, String> {
        let tree = Tree::from_str(svg, &self.options).map_err(|error| error.to_string())?;
        if let Some(missing) = missing(tree.root()) {
            let points = missing.chars().map(|c| format!("U+{:04X}", c as u32)).collect::<Vec<_>>().join(" ");
            let advice = if missing.chars().any(is_cjk) { ADVICE } else { "" };
            return Err(format!("no installed font has `{missing}` ({points}){advice}"));
        }
        let (width, height) = (tree.size().width() * ZOOM, tree.size().height() * ZOOM);
        let mut pixels = Pixmap::new(width.ceil() as u32, height.ceil() as u32)
            .ok_or_else(|| format!("a picture of {width} x {height} pixels cannot be drawn"))?;
        pixels.fill(Color::WHITE);
        resvg::render(&tree, Transform::from_scale(ZOOM, ZOOM), &mut pixels.as_mut());
        let png = encoded(&pixels).map_err(|error| error.to_string())?;
        Ok(Painted { png, pdf: pdf::write(&tree) })
    }
}

/// A PNG file of opaque pixels, packed fast: packing well takes longer than drawing. Most rows repeat the one above.
fn encoded(pixels: &Pixmap) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, pixels.width(), pixels.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    encoder.set_filter(png::Filter::Up);
    let mut writer = encoder.write_header()?;
    let mut colours = vec![0; pixels.data().len() / 4 * 3];
    for (colour, &[red, green, blue, _]) in colours.as_chunks_mut().0.iter_mut().zip(pixels.data().as_chunks().0) {
        *colour = [red, green, blue];
    }
    writer.write_image_data(&colours)?;
    writer.finish()?;
    Ok(file)
}

fn family(fonts: &Database) -> Option<String> {
    let names = || fonts.faces().flat_map(|face| &face.families).map(|(name, _)| name);
    let listed = FAMILIES.into_iter().find(|family| names().any(|name| name == family)).map(str::to_owned);
    listed.or_else(|| names().min().cloned())
}

/// Reads the files of `family` that figures use now: a font that is a path is read anew for nearly every text
/// that is drawn, and one with Chinese has megabytes. Other fonts are rarely needed and stay paths.
fn keep_in_memory(fonts: &mut Database, family: &str) {
    let mut faces: BTreeMap<PathBuf, Vec<ID>> = BTreeMap::new();
    let mut used = BTreeSet::new();
    for face in fonts.faces() {
        let Source::File(path) = &face.source else { continue };
        faces.entry(path.clone()).or_default().push(face.id);
        let of_family = face.families.iter().any(|(name, _)| name == family);
        if of_family && face.style == Style::Normal && [Weight::NORMAL, Weight::BOLD].contains(&face.weight) {
            used.insert(path.clone());
        }
    }
    for path in used {
        // What cannot be read now stays as it is.
        let Ok(bytes) = std::fs::read(&path) else { continue };
        faces.remove(&path).into_iter().flatten().for_each(|id| fonts.remove_face(id));
        fonts.load_font_source(Source::Binary(Arc::new(bytes)));
    }
}

/// The first characters that no font has: they would be drawn as boxes.
fn missing(group: &Group) -> Option<String> {
    group.children().iter().find_map(|node| match node {
        Node::Group(group) => missing(group),
        Node::Text(text) => {
            let mut glyphs = text.layouted().iter().flat_map(|span| &span.positioned_glyphs);
            glyphs.find(|glyph| glyph.id.0 == 0).map(|glyph| glyph.text.clone())
        }
        Node::Path(_) | Node::Image(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn svg(text: &str) -> String {
        format!(
            "<svg width=\"100\" height=\"20\" xmlns=\"http://www.w3.org/2000/svg\"><text x=\"2\" y=\"15\" font-family=\"sans-serif\" font-size=\"12\">{text}</text></svg>"
        )
    }

    #[test]
    fn no_font_no_painter() {
        assert!(Painter::with_fonts(Database::new()).is_none());
    }

    #[test]
    fn the_family_of_all_text_is_read_once() {
        let Some(painter) = Painter::new() else { return };
        let fonts = &painter.options.fontdb;
        let mut of_family =
            fonts.faces().filter(|face| face.families.iter().any(|(name, _)| *name == painter.options.font_family));
        assert!(of_family.any(|face| matches!(face.source, Source::Binary(_))));
    }

    #[test]
    fn a_png_has_the_colours_of_the_picture_on_white() {
        let Some(painter) = Painter::new() else { return };
        let rect = "<rect width=\"1\" height=\"2\" fill=\"#ff8000\"/>";
        let svg = format!("<svg width=\"2\" height=\"2\" xmlns=\"http://www.w3.org/2000/svg\">{rect}</svg>");
        let png = painter.paint(&svg).unwrap().png;
        let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let frame = reader.next_frame(&mut pixels).unwrap();
        assert_eq!(
            (frame.width, frame.height, pixels.len()),
            (4, 4, 48),
            "two pixels to a unit, three bytes to a pixel"
        );
        assert_eq!(pixels[..12], [255, 128, 0, 255, 128, 0, 255, 255, 255, 255, 255, 255]);
    }

    #[test]
    fn text_is_drawn_and_what_no_font_has_is_told() {
        // Where no font is installed there is nothing to paint with, which the test above is about.
        let Some(painter) = Painter::new() else { return };
        let (with, without) = (painter.paint(&svg("F1")).unwrap(), painter.paint(&svg("")).unwrap());
        assert!(with.png.starts_with(b"\x89PNG") && with.png.len() > without.png.len());
        assert!(with.pdf.starts_with(b"%PDF-") && with.pdf.len() > without.pdf.len());
        // A noncharacter: never assigned, so no font has it.
        let error = painter.paint(&svg("a\u{10FFFD}")).unwrap_err();
        assert_eq!(error, "no installed font has `\u{10FFFD}` (U+10FFFD)");
    }
}
