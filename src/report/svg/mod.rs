//! The writer of figures: SVG that needs no font to be written, the same bytes each time.

mod axes;
mod bars;
mod canvas;
mod curves;
mod dots;
mod frame;
mod heat;
mod key;
mod names;
mod strips;

use plotters::prelude::{IntoDrawingArea, SVGBackend};
use plotters::style::FontStyle;
use serde::Serialize;

use self::canvas::{Anchor, BLACK, Canvas, DARK_GREY, Drawn, PLAIN, SMALL, TITLE, WHITE, WORDS, units};
use self::frame::{EDGE, Frame, HEAD_LINE, Scale, WIDTH};
use self::strips::Sizes;
use super::language::Language;
use super::latex::is_cjk;
use super::layout::fit;
use super::plot::{Plot, SeriesColour};

pub use self::canvas::themed;

/// A figure that is drawn.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// The SVG document.
    pub document: String,
    /// Where values are in it.
    pub places: Places,
}

/// Where values of the axes are in a picture, in its units.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Places {
    width: f64,
    height: f64,
    /// The upper and the lower end of the plot.
    top: f64,
    bottom: f64,
    x: Scale,
    y: Scale,
}

/// The figure in `language`.
pub fn write(plot: &Plot, language: Language) -> Drawing {
    let frame = Frame::of(plot, language);
    let sizes = Sizes::of(plot, &frame);
    let mut body = layer(&frame, |canvas| ground(plot, &sizes, &frame, canvas));
    for (place, row) in plot.rows.iter().enumerate() {
        let drawn = layer(&frame, |canvas| of_row(plot, place, &sizes, &frame, canvas));
        body.push_str(&group(*row, &drawn));
    }
    let names = names::placed(plot, &frame);
    for dot in dots::in_order(plot) {
        body.push_str(&group(dot.row, &layer(&frame, |canvas| dots::dot(dot, &names, &frame, canvas))));
    }
    body.push_str(&layer(&frame, |canvas| notes(&frame, canvas)));
    // The drawing is larger than the picture that it is shown as.
    let (width, height) = (units(WIDTH), units(frame.height));
    // By it a browser chooses the letters of Chinese names.
    let language = if body.chars().any(is_cjk) { " xml:lang=\"zh-CN\"" } else { "" };
    let document = format!(
        "<svg width=\"{WIDTH:.0}\" height=\"{:.0}\" viewBox=\"0 0 {width} {height}\" xmlns=\"http://www.w3.org/2000/svg\"{language}>\n{body}</svg>\n",
        frame.height
    );
    Drawing { document, places: frame.places() }
}

/// The elements that `draw` draws.
fn layer(frame: &Frame, draw: impl FnOnce(&Canvas<'_>) -> Drawn) -> String {
    let mut document = String::new();
    {
        let size = (units(WIDTH) as u32, units(frame.height) as u32);
        let canvas = Canvas { area: SVGBackend::with_string(&mut document, size).into_drawing_area() };
        draw(&canvas).and_then(|()| canvas.area.present()).expect("drawing to memory does not fail");
    }
    let within = document.split_once('>').and_then(|(_, rest)| rest.rsplit_once("</svg>"));
    within.map_or(String::new(), |(elements, _)| elements.trim_start().to_owned())
}

/// What is drawn of a row, so that a page can point at it or hide it.
fn group(row: usize, elements: &str) -> String {
    format!("<g data-row=\"{row}\">\n{elements}</g>\n")
}

/// All that is of no row.
fn ground(plot: &Plot, sizes: &Sizes, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    let room = WIDTH - 2.0 * EDGE;
    canvas.rectangle([(0.0, 0.0), (WIDTH, frame.height)], WHITE)?;
    canvas.text(
        &fit(frame.say(&plot.title), TITLE * 1.06, room),
        (EDGE, 26.0),
        Anchor::Start,
        (TITLE, BLACK, FontStyle::Bold),
    )?;
    for (line, text) in frame.head.iter().enumerate() {
        canvas.text(text, (EDGE, 50.0 + line as f64 * HEAD_LINE), Anchor::Start, (WORDS, DARK_GREY, PLAIN))?;
    }
    key::key(plot, frame, canvas)?;
    curves::flat(plot, frame, canvas)?;
    axes::axes(plot, frame, canvas)?;
    curves::lines(plot, frame, canvas)?;
    heat::heat(plot, frame, canvas)?;
    dots::ground(plot, frame, canvas)?;
    if plot.rows.is_empty() {
        bars::bars(plot, None, frame, canvas)?;
        strips::strips(plot, sizes, frame, canvas)?;
        curves::curves(plot, frame, canvas)?;
        curves::labels(plot, frame, canvas)?;
    }
    Ok(())
}

/// What the figure shows of the row at a place.
fn of_row(plot: &Plot, place: usize, sizes: &Sizes, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    if !plot.bars.is_empty() {
        return bars::bars(plot, Some(place), frame, canvas);
    }
    axes::row_name(plot, place, frame, canvas)?;
    strips::of_row(plot, place, sizes, frame, canvas)?;
    curves::of_row(plot, place, frame, canvas)
}

fn notes(frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
    let mut y = frame.notes_from;
    for (hollow, lines) in &frame.notes {
        let indent = if *hollow { 16.0 } else { 0.0 };
        if *hollow {
            canvas.hollow(SeriesColour::F1, (EDGE + 6.0, y), 5.0)?;
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
    use crate::report::examples::{alpha_sweep, row, site_row, summary, svg, swept_row};
    use crate::report::figure_inputs::FigureInputs;
    use crate::report::figures::figures;

    fn documents(dataset: &str, algorithm: &str) -> Vec<String> {
        let mut rows = alpha_sweep(dataset, 21);
        rows.push(row(dataset, algorithm, 0.5));
        figures(&summary(rows), &FigureInputs::default(), &[]).unwrap().iter().map(|figure| svg(&figure.plot)).collect()
    }

    #[test]
    fn the_same_bytes_each_time() {
        assert_eq!(documents("d", "all-text"), documents("d", "all-text"));
    }

    #[test]
    fn names_stay_as_they_are_and_are_escaped() {
        let [sweep, overview, ..] = &documents("新闻 <a&b>", "正文")[..] else { panic!() };
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

    /// The document of the figure whose stem ends in `end`, of a grid of `side` x `side` values with sites.
    fn of_grid(side: usize, sites: &[(&str, usize, f64)], end: &str) -> String {
        let mut rows = vec![site_row("新闻", "stored/a<b>", sites)];
        let values: Vec<String> = (0..side).map(|i| format!("0.{:03}", i * 10)).collect();
        for (i, x) in values.iter().enumerate() {
            for (j, y) in values.iter().enumerate() {
                let parameters = [("coherence", x.as_str(), "0.9"), ("density", y, "0.5")];
                let f1 = 0.9 - 0.01 * (i.abs_diff(1) + j.abs_diff(1)) as f64;
                rows.push(swept_row("新闻", "nta", &parameters, &["coherence", "density"], f1));
            }
        }
        let figures = figures(&summary(rows), &FigureInputs::default(), &[]).unwrap();
        svg(&figures.iter().find(|figure| figure.stem.ends_with(end)).unwrap().plot)
    }

    /// Every text with its place, in the picture's units.
    fn texts(document: &str) -> Vec<(String, f64, f64)> {
        let lines: Vec<&str> = document.lines().collect();
        let attribute = |line: &str, name: &str| -> f64 {
            let value = line.split(&format!(" {name}=\"")).nth(1).unwrap().split('"').next().unwrap();
            value.parse::<f64>().unwrap() / 2.0
        };
        let texts = lines.iter().enumerate().filter(|(_, line)| line.starts_with("<text"));
        texts.map(|(i, line)| (lines[i + 1].to_owned(), attribute(line, "x"), attribute(line, "y"))).collect()
    }

    #[test]
    fn cells_have_their_value_while_there_is_room() {
        let sites = [("a", 2, 0.5), ("b", 1, 0.5)];
        let shown = |side: usize, text: &str| {
            let document = of_grid(side, &sites, "coherence+density");
            texts(&document).iter().filter(|(shown, ..)| shown == text).count()
        };
        // At 0.01 from the best there are 4 cells, and the axis of colours is marked at 0.90.
        assert_eq!([shown(5, "0.8900"), shown(16, ".890"), shown(26, ".89")], [4, 4, 4]);
        let document = of_grid(50, &sites, "coherence+density");
        assert!(!document.contains(".89"), "no room is left for values");
        // Marks of each axis do not overlap: they are 12.5 high, and 5 characters wide.
        let texts = texts(&document);
        let of_values = |texts: &[(String, f64, f64)]| -> Vec<(f64, f64)> {
            texts
                .iter()
                .filter(|(text, ..)| text.len() == 5 && text.starts_with("0."))
                .map(|(_, x, y)| (*x, *y))
                .collect()
        };
        let places = of_values(&texts);
        assert!(places.len() > 20);
        for (i, (x, y)) in places.iter().enumerate() {
            assert!(
                places[..i].iter().all(|(a, b)| (a - x).abs() > 32.0 || (b - y).abs() > 12.0),
                "{x} {y} {places:?}"
            );
        }
    }

    /// Strong black lines that are no axis.
    fn strong_lines(document: &str) -> usize {
        document
            .lines()
            .filter(|line| {
                line.starts_with("<polyline")
                    && ["#000000", "#010101"]
                        .iter()
                        .any(|ink| line.contains(&format!("stroke=\"{ink}\" stroke-width=\"4\"")))
            })
            .count()
    }

    #[test]
    fn the_best_cell_is_starred_and_what_is_as_good_outlined() {
        let document = of_grid(3, &[], "coherence+density");
        // A star is white and black, once among the cells and once in the key; no cell is the default.
        assert_eq!(document.matches("<polygon").count(), 4);
        assert_eq!(strong_lines(&document), 4 + 1, "four sides of the best cell, and the key");
        assert!(!document.contains(">\ndefault"));
    }

    #[test]
    fn the_median_of_sites_is_a_line_in_a_box() {
        let document = of_grid(2, &[("a", 2, 0.25), ("b", 1, 0.5), ("c", 1, 1.0)], "spread");
        assert_eq!(strong_lines(&document), 2, "one row and the key");
        assert_eq!(document.lines().filter(|line| line.starts_with("<rect") && line.contains("#E2E2E2")).count(), 2);
    }

    #[test]
    fn long_site_names_are_turned_and_shortened_in_the_middle() {
        let long = format!("{}.example.com.cn", "news-and-more-".repeat(9));
        let document = of_grid(2, &[("a<&>", 2, 0.5), (&long, 1, 0.5), ("新闻网", 1, 0.25)], "sites-f1");
        let short = of_grid(2, &[("a<&>", 2, 0.5), ("b", 1, 0.5)], "sites-f1");
        assert!(document.contains("rotate(270"));
        assert_eq!(short.matches("rotate(270").count(), 1, "the axis's label alone is turned");
        assert!(
            document.contains("a&lt;&amp;&gt;")
                && document.contains("新闻网")
                && document.contains("stored/a&lt;b&gt;")
        );
        let name = texts(&document).into_iter().map(|(text, ..)| text).find(|text| text.starts_with("news")).unwrap();
        assert!(name.contains('…') && name.ends_with(".com.cn"), "{name}");
        // The bars' heights stand on top of them.
        assert_eq!([".50", ".25"].map(|text| texts(&short).iter().filter(|(shown, ..)| shown == text).count()), [3, 0]);
    }

    #[test]
    fn a_site_is_a_dot() {
        let circles = |sites: &[(&str, usize, f64)]| of_grid(2, sites, "spread").matches("<circle").count();
        assert_eq!(
            circles(&[("a", 2, 0.5), ("b", 1, 0.5), ("c", 1, 0.5)]) - circles(&[("a", 2, 0.5), ("b", 1, 0.5)]),
            1
        );
    }
}
