//! A figure in `index.html`: its drawing, and what a script tells under the pointer.

use std::collections::BTreeMap;

use serde::Serialize;

use super::index::rounded;
use crate::report::drawing::{Drawn, FigureFiles};
use crate::report::language::Language;
use crate::report::plot::{Axis, Bar, Curve, Plot, SeriesColour, Tick};
use crate::report::svg::{Places, themed};

/// A figure as the template embeds it.
#[derive(Serialize)]
pub(super) struct Embedded<'d> {
    stem: &'d str,
    title: &'d str,
    /// The title and what to see, for those who do not see it.
    told: String,
    /// The drawing that is on the disk, in the colours of the page.
    svg: String,
    /// The extensions of its files.
    kinds: Vec<&'static str>,
}

impl<'d> Embedded<'d> {
    pub(super) fn of(drawn: &'d Drawn, files: &FigureFiles, language: Language) -> Self {
        let plot = &drawn.figure.plot;
        let texts = [&plot.title, &plot.subtitle, &plot.sentence].map(|text| text.in_language(language));
        let told: Vec<&str> = texts.into_iter().filter(|text| !text.is_empty()).collect();
        Embedded {
            stem: &drawn.figure.stem,
            title: texts[0],
            told: in_sentences(&told, language),
            svg: themed(&drawn.drawing.document),
            kinds: files.kinds(&drawn.figure.stem),
        }
    }
}

/// `parts` one after the other, each with a full stop.
fn in_sentences(parts: &[&str], language: Language) -> String {
    let [stop, gap] = language.of([&[".", " "], &["。", ""]]);
    let ended = |part: &&str| if part.ends_with(stop) { (*part).to_owned() } else { format!("{part}{stop}") };
    parts.iter().map(ended).collect::<Vec<_>>().join(gap)
}

/// What scripts know of a figure, in the order of the figures.
#[derive(Serialize)]
pub(super) struct Pointed {
    /// The dataset whose rows it shows.
    dataset: Option<String>,
    places: Places,
    /// What the axes measure.
    x: String,
    y: String,
    /// Curves, where the pointer tells their values.
    curves: Vec<Told>,
    /// The words of the x axis by their places, where it has words.
    words: BTreeMap<usize, String>,
    /// The parts of the x axis that are not separable from the best.
    flat: Vec<(f64, f64)>,
    cells: Option<Cells>,
    /// Bars of rows.
    bars: Option<Bars>,
    /// The time of rows that are points by F1 and time.
    milliseconds: BTreeMap<usize, f64>,
}

/// A curve, or a row of points.
#[derive(Serialize)]
struct Told {
    name: String,
    points: Vec<(f64, f64)>,
}

/// Groups of bars, a bar of each row.
#[derive(Serialize)]
struct Bars {
    /// The middle of each group on the x axis, and what it is called.
    groups: Vec<(f64, String)>,
    /// Row, group, height.
    bars: Vec<(usize, usize, f64)>,
}

/// A grid.
#[derive(Serialize)]
struct Cells {
    columns: Vec<String>,
    lines: Vec<String>,
    /// What a value is.
    label: String,
    /// Column, line, value, and whether it is not separable from the best.
    cells: Vec<(usize, usize, f64, bool)>,
}

impl Pointed {
    pub(super) fn of(drawn: &Drawn, language: Language) -> Self {
        let plot = &drawn.figure.plot;
        let are_words = plot.x.ticks.iter().any(|tick| tick.text.to_string().parse::<f64>().is_err());
        let words = plot.x.ticks.iter().filter(|_| are_words && plot.x.bands.is_none());
        Pointed {
            dataset: plot.dataset.clone(),
            places: drawn.drawing.places,
            x: plot.x.label.in_language(language).to_owned(),
            y: plot.y.label.in_language(language).to_owned(),
            curves: if plot.rows.is_empty() { curves(plot, language) } else { Vec::new() },
            words: words.map(|tick| (tick.at as usize, tick.text.in_language(language).to_owned())).collect(),
            flat: plot.flat.iter().flat_map(|flat| flat.spans.iter().copied()).collect(),
            cells: cells(plot, language),
            bars: bars(plot, language),
            milliseconds: plot
                .scatter
                .iter()
                .flat_map(|scatter| &scatter.dots)
                .filter_map(|dot| Some((dot.row, nanoseconds(dot.milliseconds?))))
                .collect(),
        }
    }
}

/// Milliseconds with as many digits as a clock tells.
fn nanoseconds(milliseconds: f64) -> f64 {
    (milliseconds * 1e6).round() / 1e6
}

/// The curves without corners that lie on one pixel of any screen: an exact sweep has thousands.
fn curves(plot: &Plot, language: Language) -> Vec<Told> {
    const PIXELS: f64 = 2000.0;
    let (width, height) = (plot.x.to - plot.x.from, plot.y.to - plot.y.from);
    let pixel = |(x, y): &(f64, f64)| ((x / width * PIXELS).round() as i64, (y / height * PIXELS).round() as i64);
    let told = |(place, curve): (usize, &Curve)| {
        let name = match (curve.ink, plot.labels.get(place)) {
            (SeriesColour::Of(_), Some(label)) => label.text.in_language(language).to_owned(),
            (ink, _) => ink.name().to_owned(),
        };
        let mut points = if curve.line.is_empty() { curve.points.clone() } else { curve.line.clone() };
        points.dedup_by_key(|corner| pixel(corner));
        points.iter_mut().for_each(|(x, y)| (*x, *y) = (rounded(*x), rounded(*y)));
        Told { name, points }
    };
    plot.curves.iter().enumerate().map(told).collect()
}

fn bars(plot: &Plot, language: Language) -> Option<Bars> {
    let name = |tick: &Tick| (tick.at, tick.text.in_language(language).to_owned());
    let bar = |bar: &Bar| {
        let group = plot.x.ticks.iter().position(|tick| tick.at == bar.group)?;
        Some((*plot.rows.get(bar.place)?, group, rounded(bar.height)))
    };
    let bars: Vec<(usize, usize, f64)> = plot.bars.iter().filter_map(bar).collect();
    (!bars.is_empty()).then(|| Bars { groups: plot.x.ticks.iter().map(name).collect(), bars })
}

fn cells(plot: &Plot, language: Language) -> Option<Cells> {
    let heat = plot.heat.as_ref()?;
    let is_told = plot.flat.as_ref().is_some_and(|flat| flat.test.is_some());
    let names = |axis: &Axis| axis.ticks.iter().map(|tick| tick.text.in_language(language).to_owned()).collect();
    let cells = heat.cells.iter().map(|cell| (cell.at.0, cell.at.1, rounded(cell.value), cell.flat && is_told));
    Some(Cells {
        columns: names(&plot.x),
        lines: names(&plot.y),
        label: heat.label.in_language(language).to_owned(),
        cells: cells.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_figure_tells_ends_each_sentence_as_its_language_does() {
        let told = in_sentences(&["portals: F1", "of 3 sites", "It rises."], Language::English);
        assert_eq!(told, "portals: F1. of 3 sites. It rises.");
        assert_eq!(in_sentences(&["各算法的 F1", "nta 最高。"], Language::Chinese), "各算法的 F1。nta 最高。");
    }
}
