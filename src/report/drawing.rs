//! Figures as files: the picture as SVG, PNG and PDF, and the table behind it as CSV.

use rayon::prelude::*;

use super::figures::Figure;
use super::language::Language;
use super::painter::{Painted, Painter};
use super::svg::{self, Drawing};
use super::writing::File;

/// A figure and its drawing.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// The figure.
    pub figure: Figure,
    /// Its drawing.
    pub drawing: Drawing,
}

/// Draws `figures` in `language`.
pub fn drawn(figures: Vec<Figure>, language: Language) -> Vec<Drawn> {
    let draw = |figure: Figure| Drawn { drawing: svg::write(&figure.plot, language), figure };
    figures.into_par_iter().map(draw).collect()
}

/// The files of figures, without PNG and PDF where there is no `painter`; and warnings, a sentence each.
pub(super) fn figure_files(drawn: &[Drawn], painter: Option<&Painter>) -> (Vec<File>, Vec<String>) {
    let (mut files, mut warnings) = (Vec::new(), Vec::new());
    if painter.is_none() {
        warnings.push("no font is installed, so no PNG and no PDF was made; the SVG files are complete".to_owned());
    }
    // Painting is most of a small run's time, and figures do not depend on each other.
    let paint = |drawn: &Drawn| painter.map(|painter| painter.paint(&drawn.drawing.document));
    let painted: Vec<_> = drawn.par_iter().map(paint).collect();
    for (Drawn { figure: Figure { stem, plot }, drawing }, picture) in drawn.iter().zip(painted) {
        match picture {
            Some(Ok(Painted { png, pdf })) => {
                files.push((format!("{stem}.png"), png));
                files.push((format!("{stem}.pdf"), pdf));
            }
            Some(Err(reason)) => {
                warnings
                    .push(format!("figures/{stem}.png and {stem}.pdf were not made: {reason}; {stem}.svg is complete"));
            }
            None => {}
        }
        files.push((format!("{stem}.svg"), drawing.document.clone().into_bytes()));
        files.push((format!("{stem}.csv"), plot.csv().into_bytes()));
    }
    (files, warnings)
}
