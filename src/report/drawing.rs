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

/// The files of figures.
pub struct FigureFiles {
    /// Each with its name in `figures/`.
    pub(super) files: Vec<File>,
    /// Which were not made and why, a sentence each.
    pub warnings: Vec<String>,
}

impl FigureFiles {
    /// Those of `drawn`, painted with the fonts of this machine.
    pub fn of(drawn: &[Drawn]) -> Self {
        Self::painted(drawn, Painter::new().as_ref())
    }

    /// The same, without PNG and PDF where there is no `painter`.
    pub(super) fn painted(drawn: &[Drawn], painter: Option<&Painter>) -> Self {
        let (mut files, mut failed) = (Vec::new(), Vec::new());
        // Painting is most of a small run's time, and figures do not depend on each other.
        let paint = |drawn: &Drawn| painter.map(|painter| painter.paint(&drawn.drawing.document));
        let painted: Vec<_> = drawn.par_iter().map(paint).collect();
        for (Drawn { figure: Figure { stem, plot }, drawing }, picture) in drawn.iter().zip(painted) {
            match picture {
                Some(Ok(Painted { png, pdf })) => {
                    files.push((format!("{stem}.png"), png));
                    files.push((format!("{stem}.pdf"), pdf));
                }
                Some(Err(reason)) => failed.push((stem.as_str(), reason)),
                None => {}
            }
            files.push((format!("{stem}.svg"), drawing.document.clone().into_bytes()));
            files.push((format!("{stem}.csv"), plot.csv().into_bytes()));
        }
        let no_font = "no font is installed, so no PNG and no PDF was made; the SVG files are complete, and `carat report` makes the \
                       others once there is a font: the package fonts-noto-cjk, or a font file in ~/.local/share/fonts";
        let warning = if painter.is_none() { Some(no_font.to_owned()) } else { unpainted(&failed) };
        FigureFiles { files, warnings: warning.into_iter().collect() }
    }

    /// The same with the pictures that a folder has, as `is_there` says of their names; one that was not painted here is empty.
    pub(super) fn with_pictures(mut self, drawn: &[Drawn], is_there: impl Fn(&str) -> bool) -> Self {
        self.files.retain(|(name, _)| !is_picture(name) || is_there(name));
        let names = drawn.iter().flat_map(|drawn| PICTURES.map(|kind| format!("{}.{kind}", drawn.figure.stem)));
        let known: Vec<String> = self.files.iter().map(|(name, _)| name.clone()).collect();
        self.files.extend(names.filter(|name| is_there(name) && !known.contains(name)).map(|name| (name, Vec::new())));
        self
    }

    /// The files, each with its name.
    pub fn into_files(self) -> Vec<(String, Vec<u8>)> {
        self.files
    }

    /// Which of the files of a figure there are, by their extensions.
    pub(super) fn kinds(&self, stem: &str) -> Vec<&'static str> {
        let is_there = |kind: &&str| self.files.iter().any(|(name, _)| *name == format!("{stem}.{kind}"));
        ["svg", "png", "pdf", "csv"].into_iter().filter(is_there).collect()
    }
}

/// The extensions of files that are painted with fonts.
const PICTURES: [&str; 2] = ["png", "pdf"];

/// True if a file of this name is painted with fonts.
pub(super) fn is_picture(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, extension)| PICTURES.contains(&extension))
}

/// Tells figures that were not painted, each with its reason; mostly all of them lack the same font.
fn unpainted(failed: &[(&str, String)]) -> Option<String> {
    let (stem, reason) = failed.first()?;
    Some(match failed.len() {
        1 => format!("figures/{stem}.png and {stem}.pdf were not made: {reason}; {stem}.svg is complete"),
        count => {
            format!("{count} figures have no PNG and no PDF, {stem} is the first: {reason}; the SVG files are complete")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_that_are_not_painted_are_told_in_one_warning() {
        let failed = |stem| (stem, "no font".to_owned());
        assert_eq!(unpainted(&[]), None);
        let one = "figures/a.png and a.pdf were not made: no font; a.svg is complete";
        assert_eq!(unpainted(&[failed("a")]).unwrap(), one);
        let two = "2 figures have no PNG and no PDF, a is the first: no font; the SVG files are complete";
        assert_eq!(unpainted(&[failed("a"), failed("b")]).unwrap(), two);
    }
}
