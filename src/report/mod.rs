//! Reports: a function of a run folder. Made twice, the same bytes; runs nothing.
//!
//! [`tables`] and [`groups`] write rows, [`figures`] describes what [`svg`] and [`png`] draw. [`make`] and
//! [`make_html`] put all of them into the folder of a run.

pub mod agreement;
pub mod complexity;
pub mod conditions;
mod drawing;
pub mod families;
pub mod figures;
pub mod file_stems;
pub mod groups;
pub mod heat_maps;
pub mod html;
pub mod language;
pub mod layout;
pub mod localised_text;
pub mod markdown;
pub mod noise_parameters;
pub mod overview;
pub mod papers;
pub mod plateau;
pub mod plot;
pub mod png;
pub mod published;
mod representatives;
pub mod roles;
mod row_labels;
mod row_lines;
mod run_files;
mod run_report;
pub mod scatter;
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

pub use self::run_files::RunFiles;
pub use self::run_report::{make, make_html};
