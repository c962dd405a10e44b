//! How many pages each row counts, as bars.

use super::localised_text::LocalisedText;
use super::plot::{Axis, Bands, Bar, Fill, Plot, Surface, Tick};
use crate::runs::summary::Summary;

/// One bar per row of `dataset`, as high as the number of its pages.
pub fn plot(summary: &Summary, dataset: &str) -> Plot {
    let rows: Vec<_> = summary.rows.iter().filter(|row| row.dataset == dataset).collect();
    let most = rows.iter().map(|row| row.pages).max().unwrap_or_default() as f64;
    let tick = |at: usize| Tick { at: at as f64, text: rows[at].full_label().into(), ..Tick::default() };
    let header = vec!["row".to_owned(), "pages".to_owned()];
    let line = |at: usize| vec![rows[at].full_label(), rows[at].pages.to_string()];
    Plot {
        title: LocalisedText::new(["{0}: pages per row", "{0}：各行的页数"], [dataset]),
        x: Axis {
            from: -0.5,
            to: rows.len() as f64 - 0.5,
            ticks: (0..rows.len()).map(tick).collect(),
            bands: Some(Bands::Names),
            ..Axis::default()
        },
        y: Axis { to: most, ..Axis::default() },
        bars: (0..rows.len())
            .map(|at| Bar {
                group: at as f64,
                place: 0,
                fill: Fill::System(0),
                surface: Surface::Solid,
                height: rows[at].pages as f64,
            })
            .collect(),
        table: std::iter::once(header).chain((0..rows.len()).map(line)).collect(),
        ..Plot::default()
    }
}
