//! The papers' figures: NTA's 2 to 4, CEVC's 1. The others print none of scores.

use std::collections::BTreeMap;

use super::PaperRun;
use crate::papers::published;
use crate::report::figures::Figure;
use crate::report::file_stems::Stems;
use crate::report::localised_text::LocalisedText;
use crate::report::plot::{Note, Plot, Vertical};
use crate::report::site_bars;
use crate::report::sweeps::Sweep;
use crate::runs::summary::Summary;

/// The numbers of NTA's figures by the measure that they show.
const NTA_FIGURES: [(&str, u32); 3] = [("recall", 2), ("precision", 3), ("f1", 4)];

/// The figures of the run's paper, for every dataset; `drawn` where its threshold was read off a curve.
///
/// # Errors
/// A sentence: a line of the exact sweeps that holds no numbers.
pub fn figures(run: &PaperRun, drawn: Option<&DrawnCurve<'_>>) -> Result<Vec<Figure>, String> {
    let mut stems = Stems::default();
    match run.paper.name {
        "nta" => Ok(nta(run, &mut stems)),
        "cevc" => cevc(run, drawn, &mut stems),
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
            plot.title = LocalisedText::new(
                ["As figure {0} of the NTA paper, on other pages: {1}", "如 NTA 论文图 {0}，但页面不同：{1}"],
                [number.to_string().into(), plot.title],
            );
            plot.notes.insert(
                0,
                Note::plain(LocalisedText::words([
                    "the paper's bars are lost; Evernote and YNote, its other systems, cannot be run",
                    "论文的柱形已无从读取；其余系统 Evernote 与 YNote 无法运行",
                ])),
            );
            figures.push(Figure { stem: stems.give(&[dataset, "nta-figure", &number.to_string()]), plot });
        }
    }
    figures
}

/// The curve that a threshold was read off.
pub struct DrawnCurve<'r> {
    /// The run of the drawn pages.
    pub run: &'r PaperRun,
    /// What was read off, by dataset.
    pub values: &'r BTreeMap<String, f64>,
}

/// Precision, recall and F1 over alpha, exactly: of the drawn pages as in the paper, and of all.
fn cevc(run: &PaperRun, drawn: Option<&DrawnCurve<'_>>, stems: &mut Stems) -> Result<Vec<Figure>, String> {
    let mut figures = Vec::new();
    if let Some(drawn) = drawn {
        for sweep in Sweep::of_pieces(&drawn.run.sweeps)? {
            figures.push(Figure {
                stem: stems.give(&[&sweep.dataset, "cevc-figure-1"]),
                plot: as_figure_1(&sweep, drawn),
            });
        }
    }
    for sweep in Sweep::of_pieces(&run.sweeps)? {
        let mut plot = sweep.plot(&run.summary);
        plot.title = LocalisedText::new(
            ["As figure 1 of the CEVC paper, but of all pages of {0}", "如 CEVC 论文图 1，但为 {0} 的全部页面"],
            [&sweep.dataset],
        );
        plot.notes.insert(
            0,
            Note::plain(LocalisedText::words([
                "all pages, and every alpha; the paper shows a fifth of its Chinese pages",
                "全部页面，每个 alpha；论文只画了其中文页面的五分之一",
            ])),
        );
        figures.push(Figure { stem: stems.give(&[&sweep.dataset, "cevc-all-pages"]), plot });
    }
    Ok(figures)
}

fn as_figure_1(sweep: &Sweep, drawn: &DrawnCurve<'_>) -> Plot {
    let mut plot = sweep.plot(&drawn.run.summary);
    plot.title = LocalisedText::new(
        ["As figure 1 of the CEVC paper, on other pages: {0}", "如 CEVC 论文图 1，但页面不同：{0}"],
        [&sweep.dataset],
    );
    plot.notes.insert(
        0,
        Note::plain(LocalisedText::words([
            "a fifth of the pages, drawn once (split), and every alpha; the paper draws a fifth of its Chinese pages; the table \
             cevc-figure-1 tells how the alpha that is read off does on the other pages",
            "一次抽取的五分之一页面，每个 alpha；论文抽取了其中文页面的五分之一；读出的 alpha 在其余页面上的结果见表 cevc-figure-1",
        ])),
    );
    if let Some(&at) = drawn.values.get(&sweep.dataset) {
        read_off(&mut plot, at);
    }
    plot
}

/// Marks what was read off, with the default's word where the two would stand on each other.
fn read_off(plot: &mut Plot, at: f64) {
    /// Of the axis: two words beside each other.
    const ROOM: f64 = 0.12;
    let mut label = LocalisedText::words(["read off", "读出"]);
    for default in &mut plot.verticals {
        if (default.at - at).abs() < ROOM * (plot.x.to - plot.x.from) {
            let (first, second) = if default.at <= at { (&default.label, &label) } else { (&label, &default.label) };
            label = LocalisedText::list(&[first.clone(), second.clone()]);
            default.label = LocalisedText::default();
        }
    }
    plot.verticals.push(Vertical { at, label });
}
