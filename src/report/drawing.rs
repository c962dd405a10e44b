//! Figures as files: the picture as SVG and PNG, and the table behind it as CSV.

use rayon::prelude::*;

use super::figures::Figure;
use super::png::Painter;
use super::svg;
use super::writing::File;

/// The files of `figures`, without PNG where there is no `painter`; and warnings, a sentence each.
pub(super) fn figure_files(figures: &[Figure], painter: Option<&Painter>) -> (Vec<File>, Vec<String>) {
    let (mut files, mut warnings) = (Vec::new(), Vec::new());
    if painter.is_none() {
        warnings.push("no font is installed, so no PNG was made; the SVG files are complete".to_owned());
    }
    // Drawing is most of a small run's time, and figures do not depend on each other.
    let drawn: Vec<_> = figures.par_iter().map(|figure| draw(figure, painter)).collect();
    for (Figure { stem, plot }, (svg, picture)) in figures.iter().zip(drawn) {
        match picture {
            Some(Ok(picture)) => files.push((format!("{stem}.png"), picture)),
            Some(Err(reason)) => {
                warnings.push(format!("figures/{stem}.png was not made: {reason}; {stem}.svg is complete"));
            }
            None => {}
        }
        files.push((format!("{stem}.svg"), svg.into_bytes()));
        files.push((format!("{stem}.csv"), plot.csv().into_bytes()));
    }
    (files, warnings)
}

/// The figure as SVG and, with a painter, as PNG.
fn draw(figure: &Figure, painter: Option<&Painter>) -> (String, Option<Result<Vec<u8>, String>>) {
    let svg = svg::write(&figure.plot);
    let picture = painter.map(|painter| painter.paint(&svg));
    (svg, picture)
}
