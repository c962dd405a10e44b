//! The CEVC paper's way to its threshold: read off the curve of drawn pages, and tried on the others.

use serde::Serialize;

use crate::runs::read_off::ReadOff;
use crate::runs::run_folder::SweepRow;
use crate::runs::summary::{Summary, SummaryRow};
use crate::statistics::Triple;

/// Figures of a system on some of the pages, means over pages.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tried {
    /// Which pages: `drawn`, `the rest` or `all`.
    pub pages: &'static str,
    /// How many they are.
    pub count: usize,
    /// The system.
    pub algorithm: String,
    /// Its setting, and why it is this one.
    pub setting: String,
    /// Precision, recall and F1.
    #[serde(flatten)]
    pub mean: Triple,
}

/// What was read off, and what that comes to.
#[derive(Clone, Debug, Serialize)]
pub struct Drawn {
    /// The split whose pages were drawn.
    pub split: String,
    /// What was read off their curve.
    #[serde(flatten)]
    pub read_off: ReadOff,
    /// On the drawn pages, on the rest and on all.
    pub tried: Vec<Tried>,
}

/// The runs that it takes.
pub struct Runs<'r> {
    /// Summary and exact sweeps of the drawn pages.
    pub drawn: (&'r Summary, &'r [SweepRow]),
    /// The summary of the rest, which has a row at the value that was read off.
    pub rest: &'r Summary,
    /// Summary and exact sweeps of all pages.
    pub all: (&'r Summary, &'r [SweepRow]),
}

/// What was read off, on the drawn pages, on the rest and on all: beside the default, and beside `other`, another
/// algorithm at its defaults.
pub fn tried(runs: &Runs<'_>, split: &str, read_off: ReadOff, other: &str) -> Drawn {
    let ReadOff { dataset, algorithm, parameter, .. } = &read_off;
    let (value, default) = (read_off.value.to_string(), read_off.default.to_string());
    let (taken, by_default) = (format!("{parameter}={value}, read off"), format!("{parameter}={default}, the default"));
    let mut all = Vec::new();
    let mut push = |pages: &'static str, count: usize, algorithm: &str, setting: &str, mean: Option<Triple>| {
        let (algorithm, setting) = (algorithm.to_owned(), setting.to_owned());
        all.extend(mean.map(|mean| Tried { pages, count, algorithm, setting, mean }));
    };
    let on_curves = [
        ("drawn", runs.drawn.0, Some(runs.drawn.1)),
        ("the rest", runs.rest, None),
        ("all", runs.all.0, Some(runs.all.1)),
    ];
    for (pages, summary, sweeps) in on_curves {
        let row = |name: &str, value: Option<&str>| {
            row(summary, dataset, name, value.map(|value| (parameter.as_str(), value)))
        };
        let by_default_row = row(algorithm, Some(&default));
        let count = by_default_row.map_or(0, |row| row.pages);
        let at = match sweeps {
            Some(sweeps) => read_off.on(sweeps),
            None => row(algorithm, Some(&value)).map(|row| row.aggregates.macro_),
        };
        push(pages, count, algorithm, &taken, at);
        push(pages, count, algorithm, &by_default, by_default_row.map(|row| row.aggregates.macro_));
        push(pages, count, other, "defaults", row(other, None).map(|row| row.aggregates.macro_));
    }
    Drawn { split: split.to_owned(), read_off, tried: all }
}

/// The row of `algorithm` at a value of a parameter, all others at their defaults.
fn row<'s>(summary: &'s Summary, dataset: &str, algorithm: &str, at: Option<(&str, &str)>) -> Option<&'s SummaryRow> {
    summary.rows.iter().find(|row| {
        let others = row.differs.iter().all(|name| at.is_some_and(|(parameter, _)| name == parameter));
        let is_at = at.is_none_or(|(parameter, value)| row.is_meant_by(&format!("{algorithm}:{parameter}={value}")));
        row.dataset == dataset && row.algorithm == algorithm && others && is_at
    })
}
