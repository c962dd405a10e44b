//! The figures of a run, each with the stem of its files.

use super::families::{Slice, datasets, grids, ranked_families};
use super::figure_inputs::FigureInputs;
use super::file_stems::Stems;
use super::localised_text::LocalisedText;
use super::plot::Plot;
use super::sweeps::{Sweep, of_rows};
use super::{agreement, heat_maps, noise_parameters, overview, scatter, site_bars, site_spread};
use crate::runs::run_folder::SweepRow;
use crate::runs::summary::Summary;

/// A figure and the stem of its files in `figures/`.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The name of its files without extension, a name that any file system takes.
    pub stem: String,
    /// What it shows.
    pub plot: Plot,
}

/// The same figure, whose sentence says which exact sweeps it does not show: they have no rows.
fn without_sweeps(plot: Plot, sweeps: &[LocalisedText]) -> Plot {
    if sweeps.is_empty() || plot.sentence == LocalisedText::default() {
        return plot;
    }
    let words = ["{0} Not in this figure, but in one of their own: {1}.", "{0}以下扫描另有图，不在此图中：{1}。"];
    let sentence = LocalisedText::new(words, [plot.sentence, LocalisedText::list(sweeps)]);
    Plot { sentence, ..plot }
}

/// Every figure of a run: one for each swept noise parameter; one for each swept parameter, or two that are swept together,
/// of each dataset, algorithm and setting of the others; then of each dataset its algorithms, its rows as points, their
/// spread over sites, and its sites.
///
/// # Errors
/// A sentence: a line of `pieces` (the lines of `sweeps.csv`) that holds no numbers.
pub fn figures(summary: &Summary, inputs: &FigureInputs, pieces: &[SweepRow]) -> Result<Vec<Figure>, String> {
    let exact = Sweep::of_pieces(pieces)?;
    let mut stems = Stems::default();
    let mut figures = Vec::new();
    let noise = noise_parameters::sweeps(summary);
    for sweep in &noise {
        figures.push(Figure { stem: stems.give(&[sweep.recipe, sweep.parameter]), plot: sweep.plot(summary) });
    }
    // The datasets of a noise parameter are points of its figure; one by one they would be hundreds of pictures.
    let of_a_noise_sweep = |dataset: &&str| noise.iter().any(|sweep| sweep.has(dataset));
    let is_ranked = |dataset: &&str| !ranked_families(&summary.rows, dataset).is_empty();
    let with_rows =
        datasets(&summary.rows).into_iter().filter(|dataset| !of_a_noise_sweep(dataset) && is_ranked(dataset));
    let with_rows: Vec<&str> = with_rows.collect();
    // Curves come first: they are what a run is made for. A run of exact sweeps alone has no rows, so its datasets are
    // known from its pieces only.
    for &dataset in &with_rows {
        let curves = of_rows(summary, inputs, dataset).iter().map(|sweep| Swept::of_curve(sweep, summary)).collect();
        push_swept(&mut figures, &mut stems, curves);
    }
    push_swept(&mut figures, &mut stems, exact.iter().map(|sweep| Swept::of_curve(sweep, summary)).collect());
    for &dataset in &with_rows {
        let grids = grids(&summary.rows, dataset);
        let grids = grids.iter().filter_map(|grid| Swept::of_grid(grid, summary, inputs)).collect();
        push_swept(&mut figures, &mut stems, grids);
    }
    for &dataset in &with_rows {
        let own = exact.iter().filter(|sweep| sweep.dataset == dataset);
        let besides: Vec<LocalisedText> = own.map(|sweep| LocalisedText::name(sweep.name())).collect();
        let mut push = |part: &str, plot| {
            figures.push(Figure { stem: stems.give(&[dataset, part]), plot: without_sweeps(plot, &besides) });
        };
        push("algorithms", overview::plot(summary, &inputs.separation, dataset));
        for (name, plot) in scatter::plots(summary, &inputs.times, dataset) {
            push(name, plot);
        }
        site_spread::plot(summary, dataset).into_iter().for_each(|plot| push("spread", plot));
        for (measure, plot) in site_bars::plots(summary, dataset) {
            push(&format!("sites-{measure}"), plot);
        }
    }
    for agreement in &summary.agreement {
        if let Some(plot) = agreement::plot(summary, agreement) {
            figures.push(Figure { stem: stems.give(&[&agreement.dataset, "agreement"]), plot });
        }
    }
    Ok(figures)
}

/// A figure of swept parameters and what it is called after.
struct Swept {
    /// Dataset, algorithm and parameters.
    subject: [String; 3],
    /// The other parameters.
    label: String,
    exact: bool,
    plot: Plot,
}

impl Swept {
    fn of_curve(sweep: &Sweep, summary: &Summary) -> Self {
        let subject = [&sweep.dataset, &sweep.algorithm, &sweep.parameter].map(Clone::clone);
        Swept { subject, label: sweep.label.clone(), exact: sweep.exact, plot: sweep.plot(summary) }
    }

    fn of_grid(grid: &Slice<'_>, summary: &Summary, inputs: &FigureInputs) -> Option<Self> {
        let row = grid.rows[0];
        let subject = [row.dataset.clone(), row.algorithm.clone(), grid.parameters.join("+")];
        Some(Swept { subject, label: grid.label.clone(), exact: false, plot: heat_maps::plot(summary, inputs, grid)? })
    }
}

fn push_swept(figures: &mut Vec<Figure>, stems: &mut Stems, swept: Vec<Swept>) {
    let subjects: Vec<[String; 3]> = swept.iter().map(|swept| swept.subject.clone()).collect();
    for Swept { subject, label, exact, plot } in swept {
        let mut parts = subject.each_ref().map(String::as_str).to_vec();
        // The other parameters are in the name only where they tell two figures apart.
        if !label.is_empty() && subjects.iter().filter(|other| **other == subject).count() > 1 {
            parts.push(&label);
        }
        if exact {
            parts.push("exact");
        }
        figures.push(Figure { stem: stems.give(&parts), plot });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{alpha_sweep, row, site_row, summary, swept_row};
    use crate::report::plot::SeriesColour;
    use crate::runs::reads_gold::ReadsGold;
    use crate::runs::summary::SummaryRow;

    fn example() -> Summary {
        let mut rows = vec![row("d", "all-text", 0.5), row("d", "nonlink-text", 0.865)];
        rows.extend(alpha_sweep("d", 21));
        summary(rows)
    }

    #[test]
    fn the_worked_example_of_contributing_is_true() {
        use crate::report::pages_bars;
        let printed = include_str!("../../CONTRIBUTING.md");
        assert!(printed.contains(include_str!("../../examples/contributing/pages_bars.rs")));
        let plot = pages_bars::plot(&example(), "d");
        assert_eq!((plot.bars.len(), plot.table.len(), plot.y.to), (23, 24, 10.0));
        let drawn = crate::report::examples::svg(&plot);
        assert!(drawn.contains("pages per row") && drawn.contains("nonlink-text"), "{drawn}");
    }

    fn stems(figures: &[Figure]) -> Vec<&str> {
        figures.iter().map(|figure| figure.stem.as_str()).collect()
    }

    fn exact_line(from: &str, to: &str, closed: bool, f1: &str) -> SweepRow {
        SweepRow {
            dataset: "d".to_owned(),
            algorithm: "cevc".to_owned(),
            parameters: String::new(),
            parameter: "alpha".to_owned(),
            default: "0.5".to_owned(),
            from: from.to_owned(),
            from_closed: true,
            to: to.to_owned(),
            to_closed: closed,
            precision: "0.900000".to_owned(),
            recall: "0.880000".to_owned(),
            f1: f1.to_owned(),
            flat: None,
        }
    }

    #[test]
    fn figures_of_rows_name_the_exact_sweeps_that_they_do_not_show() {
        let pieces = [exact_line("0", "0.5", false, "0.850000"), exact_line("0.5", "1", true, "0.890000")];
        let sentences = |pieces: &[SweepRow]| -> Vec<String> {
            let drawn = figures(&example(), &FigureInputs::default(), pieces).unwrap();
            let of_rows = drawn.into_iter().filter(|figure| !figure.stem.contains("alpha"));
            of_rows.map(|figure| figure.plot.sentence.to_string()).collect()
        };
        let told = " Not in this figure, but in one of their own: cevc:alpha=exact.";
        let with = sentences(&pieces);
        assert!(with.len() == 2 && with.iter().all(|sentence| sentence.ends_with(told)), "{with:?}");
        assert!(sentences(&[]).iter().all(|sentence| !sentence.contains("of their own")));
    }

    #[test]
    fn floors_below_the_axis_are_in_the_notes() {
        let figures = figures(&example(), &FigureInputs::default(), &[]).unwrap();
        assert_eq!(stems(&figures), ["d-cevc-alpha", "d-algorithms", "d-precision-recall"]);
        let plot = &figures[0].plot;
        assert_eq!(plot.y.from, 0.8);
        assert_eq!(plot.floors, [0.865]);
        assert!(
            plot.labels.iter().any(|label| label.ink == SeriesColour::Floor && label.text.english() == "nonlink-text")
        );
        assert!(!plot.labels.iter().any(|label| label.text.english() == "all-text"));
        let notes: Vec<&str> = plot.notes.iter().map(|note| note.text.english()).collect();
        assert!(
            notes.contains(&"thin lines: F1 of the floors at their defaults; below the axis: all-text 0.5000"),
            "{notes:?}"
        );
    }

    #[test]
    fn a_reading_that_learns_is_a_line_beside_the_sweep_of_the_one_that_does_not() {
        let learned = |algorithm: &str, f1: f64| SummaryRow {
            reads_gold: Some(ReadsGold::OtherPages),
            ..swept_row("d", algorithm, &[("scores", "learned", "rules")], &[], f1)
        };
        let votes = |votes: &str, f1: f64| swept_row("d", "link-noise", &[("votes", votes, "2")], &["votes"], f1);
        let rows = vec![votes("1", 0.8), votes("2", 0.85), learned("link-noise", 0.9), learned("fiasco-lite", 0.95)];
        let plot = &figures(&summary(rows), &FigureInputs::default(), &[]).unwrap()[0].plot;
        assert_eq!(plot.floors, [0.9, 0.95]);
        let lines =
            plot.labels.iter().filter(|label| label.ink == SeriesColour::Floor).map(|label| label.text.english());
        assert_eq!(lines.collect::<Vec<_>>(), ["link-noise (learned)", "fiasco-lite"]);
    }

    #[test]
    fn the_default_and_the_published_value_are_marked() {
        let plot = &figures(&example(), &FigureInputs::default(), &[]).unwrap()[0].plot;
        assert_eq!(plot.verticals.iter().map(|line| line.at).collect::<Vec<_>>(), [0.5]);
        let marks: Vec<(SeriesColour, (f64, f64))> = plot.marks.iter().map(|mark| (mark.ink, mark.at)).collect();
        assert_eq!(
            marks,
            [
                (SeriesColour::Precision, (0.5, 0.989)),
                (SeriesColour::Recall, (0.5, 0.959)),
                (SeriesColour::F1, (0.5, 0.974))
            ]
        );
        assert!(
            plot.notes[0].hollow
                && plot.notes[0].text.english().contains("the CEVC paper of 2020 (table 1) at alpha 0.5"),
            "{:?}",
            plot.notes
        );
        assert_eq!(plot.subtitle.english(), "best F1 0.8800 at alpha=0.55; default 0.50: 0.8790; 21 values");
    }

    #[test]
    fn the_table_behind_a_figure_has_all_that_is_in_it() {
        let csv = figures(&example(), &FigureInputs::default(), &[]).unwrap()[0].plot.csv();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines[0], "series,name,alpha,precision,recall,f1,flat");
        assert_eq!(lines[1], "swept,cevc,0.00,0.889000,0.849000,0.869000,");
        assert_eq!(lines[22], "floor,all-text,,0.520000,0.480000,0.500000,");
        assert_eq!(lines[24], "published,the CEVC paper of 2020,0.5,0.989,0.959,0.974,");
    }

    #[test]
    fn variants_have_no_published_value_and_a_name_of_their_own() {
        let mut rows = alpha_sweep("d", 3);
        for alpha in ["0.00", "0.50"] {
            let values = [("alpha", alpha, "0.50"), ("unit", "block/2", "text_node")];
            rows.push(swept_row("d", "cevc", &values, &["alpha"], 0.8));
        }
        let figures = figures(&summary(rows), &FigureInputs::default(), &[]).unwrap();
        assert_eq!(
            stems(&figures),
            ["d-cevc-alpha", "d-cevc-alpha-unit=block_2", "d-algorithms", "d-precision-recall"]
        );
        let variant = &figures[1].plot;
        assert!(variant.marks.is_empty());
        assert!(variant.subtitle.english().starts_with("with unit=block/2; "), "{}", variant.subtitle);
    }

    #[test]
    fn an_exact_sweep_without_end_is_drawn_up_to_its_last_step_or_the_default() {
        for (step, end) in [("1/3", 0.5), ("2", 2.0)] {
            let pieces = [exact_line("0", step, false, "0.850000"), exact_line(step, "inf", true, "0.870000")];
            let figures = figures(&example(), &FigureInputs::default(), &pieces).unwrap();
            let plot = &figures[1].plot;
            assert_eq!((plot.x.from, plot.x.to), (0.0, end));
            assert!(plot.subtitle.english().contains(", inf]; default 0.5: 0.8"), "{}", plot.subtitle);
        }
    }

    #[test]
    fn an_exact_sweep_is_a_step_curve() {
        let pieces = [exact_line("0", "1/3", false, "0.850000"), exact_line("1/3", "1", true, "0.870000")];
        let figures = figures(&example(), &FigureInputs::default(), &pieces).unwrap();
        assert_eq!(stems(&figures)[1], "d-cevc-alpha-exact");
        let plot = &figures[1].plot;
        let f1 = plot.curves.iter().find(|curve| curve.ink == SeriesColour::F1).unwrap();
        assert_eq!(f1.line, [(0.0, 0.85), (1.0 / 3.0, 0.85), (1.0 / 3.0, 0.87), (1.0, 0.87)]);
        assert_eq!(plot.subtitle.english(), "best F1 0.8700 for alpha in [0.3333, 1]; default 0.5: 0.8700; 2 pieces");
        assert_eq!(
            plot.table[1],
            ["swept", "cevc", "0", "true", "1/3", "false", "0.900000", "0.880000", "0.850000", ""]
        );
        // The same sweep asked for twice is two curves, not one that goes back.
        let twice = [pieces.clone(), pieces.clone()].concat();
        assert_eq!(
            stems(&super::figures(&example(), &FigureInputs::default(), &twice).unwrap())[1..],
            ["d-cevc-alpha-exact", "d-cevc-alpha-exact-2", "d-algorithms", "d-precision-recall"]
        );
        let wrong = [exact_line("0", "x", true, "0.8")];
        assert_eq!(super::figures(&example(), &FigureInputs::default(), &wrong).unwrap_err(), "`x` is not a number");
    }

    #[test]
    fn words_are_points_that_no_line_joins() {
        let row = |start: &str| swept_row("d", "nta", &[("start", start, "second")], &["start"], 0.8);
        let figures =
            figures(&summary(vec![row("second"), row("first"), row("last")]), &FigureInputs::default(), &[]).unwrap();
        let plot = &figures[0].plot;
        assert!(plot.curves.iter().all(|curve| curve.line.is_empty() && curve.points.len() == 3));
        assert_eq!(
            plot.x.ticks.iter().map(|tick| tick.text.english()).collect::<Vec<_>>(),
            ["second", "first", "last"]
        );
        assert_eq!(plot.verticals[0].at, 0.0);
    }

    #[test]
    fn grids_have_a_heat_map_and_sites_have_bars_and_a_spread() {
        let mut rows = vec![site_row("新闻", "stored/../x", &[("a", 2, 0.5), ("b", 1, 0.5)])];
        for (start, coherence, density) in
            [("second", "0.8", "0.3"), ("second", "0.9", "0.5"), ("second", "0.8", "0.5")]
        {
            let values = [("coherence", coherence, "0.9"), ("density", density, "0.5"), ("start", start, "second")];
            rows.push(swept_row("新闻", "nta", &values, &["coherence", "density"], 0.8));
        }
        let first = |row: &SummaryRow| {
            let mut row = row.clone();
            row.parameters["start"] = "first".into();
            row.differs.push("start".to_owned());
            row
        };
        rows.extend(rows[1..].iter().map(first).collect::<Vec<_>>());
        let figures = figures(&summary(rows), &FigureInputs::default(), &[]).unwrap();
        assert_eq!(
            stems(&figures),
            [
                "新闻-nta-coherence-density=0.5",
                "新闻-nta-coherence-density=0.5_start=first",
                "新闻-nta-coherence+density",
                "新闻-nta-coherence+density-start=first",
                "新闻-algorithms",
                "新闻-precision-recall",
                "新闻-spread",
                "新闻-sites-recall",
                "新闻-sites-precision",
                "新闻-sites-f1"
            ]
        );
        assert!(
            figures[3].plot.heat.is_some()
                && figures[3].plot.subtitle.english().starts_with("with start=first; best F1")
        );
    }
}
