//! Reports: a function of a run folder. Made twice, the same bytes; runs nothing.
//!
//! [`tables`] and [`groups`] write rows, [`figures`] describes what [`svg`] and [`painter`] draw. [`make`] and
//! [`make_html`] put all of them into the folder of a run.
//!
//! [`RunFiles`] adds the scores of all pages up as it reads them, and holds the pages that are shown. A figure is a [`plot::Plot`]; [`svg`] draws it once. The drawing goes into
//! a file, is painted as PNG and PDF, and is embedded in `index.html`, where a script only tells exact values and hides rows.
//! [`html`] fills two templates with data of the run: `index.html`, and one file per page, which aligns the texts when it
//! is opened. Scripts and styles are inline and allowed by their digests; everything else is refused, and what comes from
//! pages is text only. Every text of a figure is a [`localised_text::LocalisedText`].
//!
//! Each file goes to the disk as soon as it is made and waits beside its place until all are whole (`writing.rs`). Then they
//! are put in place, the index last, and stale files are removed. The flat region of grids is found here, from
//! `scores.csv`; that of exact sweeps is found when results are collected (`runs/summary/tally.rs`), for only there the
//! steps of each site are known.

pub mod agreement;
pub mod benchmarks;
mod catalogue;
mod colours;
pub mod complexity;
pub mod conditions;
mod drawing;
pub mod families;
mod figure_inputs;
pub mod figures;
pub mod file_stems;
pub mod groups;
pub mod heat_maps;
pub mod history;
pub mod html;
pub mod language;
mod languages;
pub mod latex;
pub mod layout;
pub mod localised_text;
pub mod markdown;
pub mod measures;
pub mod noise_parameters;
pub mod overview;
pub mod painter;
pub mod papers;
mod pdf;
pub mod plot;
pub mod published;
mod redrawn;
mod representatives;
pub mod roles;
mod row_labels;
mod row_lines;
mod run_files;
mod run_report;
mod savings;
pub mod scatter;
#[cfg(test)]
mod separation_tests;
mod shown_pages;
pub mod site_bars;
pub mod site_spread;
mod sites;
pub mod stats;
pub mod svg;
pub mod sweeps;
pub mod table_format;
pub mod tables;
mod terminal_rows;
mod writing;

#[cfg(test)]
mod examples;

/// The worked example of CONTRIBUTING.md.
#[cfg(test)]
#[path = "../../examples/contributing/pages_bars.rs"]
pub mod pages_bars;

pub use self::drawing::{Drawn, FigureFiles, drawn};
pub(crate) use self::redrawn::{Redrawn, language_in, pages_shown, redrawn};
pub use self::run_files::{MOST_PAGES, RunFiles};
pub use self::run_report::{make, make_html};
pub(crate) use self::writing::listed_names;
pub use self::writing::{changed_files, write_site};
