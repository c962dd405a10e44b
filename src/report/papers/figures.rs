//! The papers' figures: NTA's 2 to 4, CEVC's 1. The others print none of scores.

use super::PaperRun;
use crate::papers::published;
use crate::report::figures::Figure;
use crate::report::names::Stems;
use crate::report::plot::Note;
use crate::report::site_bars;
use crate::report::sweeps::Sweep;
use crate::runs::summary::Summary;

/// The numbers of NTA's figures by the measure that they show.
const NTA_FIGURES: [(&str, u32); 3] = [("recall", 2), ("precision", 3), ("f1", 4)];

/// The figures of the run's paper, for every dataset.
///
/// # Errors
/// A sentence: a line of the exact sweeps that holds no numbers.
pub fn figures(run: &PaperRun) -> Result<Vec<Figure>, String> {
    let mut stems = Stems::default();
    match run.paper.name {
        "nta" => Ok(nta(run, &mut stems)),
        "cevc" => cevc(run, &mut stems),
        _ => Ok(Vec::new()),
    }
}

/// Bars by site, of the paper's systems at their defaults.
fn nta(run: &PaperRun, stems: &mut Stems) -> Vec<Figure> {
    let systems = ["NTA", "Readability"].map(|system| published().algorithm(system));
    let is_meant = |algorithm: &str| systems.contains(&Some(algorithm));
    let mut summary: Summary = run.summary.clone();
    summary.rows.retain(|row| row.differs.is_empty() && is_meant(&row.algorithm));
    let mut figures = Vec::new();
    for dataset in run.datasets() {
        for (measure, mut plot) in site_bars::plots(&summary, dataset) {
            let number = NTA_FIGURES.iter().find(|(name, _)| *name == measure).map_or(0, |(_, number)| *number);
            plot.title = format!("As figure {number} of the NTA paper, on other pages: {}", plot.title);
            plot.notes.insert(
                0,
                Note::plain("the paper's bars are lost; Evernote and YNote, its other systems, cannot be run"),
            );
            figures.push(Figure { stem: stems.give(&[dataset, "nta-figure", &number.to_string()]), plot });
        }
    }
    figures
}

/// Precision, recall and F1 over alpha, exactly.
fn cevc(run: &PaperRun, stems: &mut Stems) -> Result<Vec<Figure>, String> {
    let sweeps = Sweep::of_pieces(&run.sweeps)?;
    let figure = |sweep: &Sweep| {
        let mut plot = sweep.plot(&run.summary);
        plot.title = format!("As figure 1 of the CEVC paper, on other pages: {}", sweep.dataset);
        plot.notes.insert(
            0,
            Note::plain("all pages of the dataset, and every alpha; the paper shows a fifth of its Chinese pages"),
        );
        Figure { stem: stems.give(&[&sweep.dataset, "cevc-figure-1"]), plot }
    };
    Ok(sweeps.iter().map(figure).collect())
}
