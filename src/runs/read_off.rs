//! A setting read off an exact curve, as people read one off a figure.

use serde::Serialize;

use super::run_folder::SweepRow;
use super::sweep::{interval, middle};
use crate::algorithms::value::Value;
use crate::statistics::Triple;

/// What was read off a curve.
#[derive(Clone, Debug, Serialize)]
pub struct ReadOff {
    /// The dataset's name.
    pub dataset: String,
    /// The algorithm.
    pub algorithm: String,
    /// The parameter.
    pub parameter: String,
    /// The value that was taken.
    pub value: Value,
    /// Where the curve is at its best, as an interval.
    pub best_on: String,
    /// The parameter's default.
    pub default: Value,
}

/// The exact sweep of `algorithm` over `dataset`, all other parameters at their defaults.
fn curve<'s>(sweeps: &'s [SweepRow], dataset: &'s str, algorithm: &'s str) -> impl Iterator<Item = &'s SweepRow> {
    sweeps
        .iter()
        .filter(move |line| line.dataset == dataset && line.algorithm == algorithm && line.parameters.is_empty())
}

/// Reads the best value off the exact curve of `algorithm` over `dataset`, as `carat tune` takes one: of the best parts that
/// which holds the default, and then the default, else the widest, and in it what lies in the middle. `None` where the run
/// has no such curve.
///
/// # Errors
/// A sentence: a line that holds no numbers.
pub fn read_off(sweeps: &[SweepRow], dataset: &str, algorithm: &str) -> Result<Option<ReadOff>, String> {
    let read =
        |text: &String| text.parse::<Value>().map_err(|_| format!("`{text}` of the exact sweep is not a number"));
    let lines: Vec<&SweepRow> = curve(sweeps, dataset, algorithm).collect();
    let Some(first) = lines.first() else { return Ok(None) };
    let scores: Vec<f64> = lines
        .iter()
        .map(|line| line.f1.parse().map_err(|_| format!("`{}` of the exact sweep is not a number", line.f1)))
        .collect::<Result<_, _>>()?;
    let best = scores.iter().copied().fold(f64::MIN, f64::max);
    let default = read(&first.default)?;
    let mut taken: Option<(bool, f64, Value, String)> = None;
    let parts = lines.iter().zip(&scores).collect::<Vec<_>>();
    for part in parts.chunk_by(|one, next| (*one.1 == best) == (*next.1 == best)).filter(|part| *part[0].1 == best) {
        let (from, to) = (part[0].0, part[part.len() - 1].0);
        let ends = ((read(&from.from)?, from.from_closed), (read(&to.to)?, to.to_closed));
        let ((low, low_closed), (high, high_closed)) = ends;
        let holds = holds((low, low_closed), default, (high, high_closed));
        let width = high.to_f64() - low.to_f64();
        let value = if holds { default } else { middle(low, high) };
        if taken.as_ref().is_none_or(|(held, widest, ..)| (holds, width) > (*held, *widest)) {
            taken = Some((holds, width, value, interval(ends.0, ends.1)));
        }
    }
    Ok(taken.map(|(_, _, value, best_on)| ReadOff {
        dataset: dataset.to_owned(),
        algorithm: algorithm.to_owned(),
        parameter: first.parameter.clone(),
        value,
        best_on,
        default,
    }))
}

/// Whether `value` lies between two ends, of which each may belong.
fn holds((low, low_closed): (Value, bool), value: Value, (high, high_closed): (Value, bool)) -> bool {
    (low < value || low_closed && low == value) && (value < high || high_closed && high == value)
}

impl ReadOff {
    /// The means over pages at its value on the exact curve of the same sweep in another run; `None` where that has none.
    pub fn on(&self, sweeps: &[SweepRow]) -> Option<Triple> {
        let at = |line: &SweepRow| {
            let [from, to]: [Value; 2] = [line.from.parse().ok()?, line.to.parse().ok()?];
            let [precision, recall, f1]: [f64; 3] =
                [line.precision.parse().ok()?, line.recall.parse().ok()?, line.f1.parse().ok()?];
            holds((from, line.from_closed), self.value, (to, line.to_closed)).then_some(Triple {
                precision,
                recall,
                f1,
            })
        };
        curve(sweeps, &self.dataset, &self.algorithm).filter(|line| line.parameter == self.parameter).find_map(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sweep whose pieces end at these values, each with its F1, all open below but the first.
    fn swept(default: &str, pieces: &[(&str, &str)]) -> Vec<SweepRow> {
        let starts = ["0"].into_iter().chain(pieces.iter().map(|(end, _)| *end));
        let piece = |(from, (to, f1)): (&str, &(&str, &str))| SweepRow {
            dataset: "d".to_owned(),
            algorithm: "cevc".to_owned(),
            parameters: String::new(),
            parameter: "alpha".to_owned(),
            default: default.to_owned(),
            from: from.to_owned(),
            from_closed: from == "0",
            to: (*to).to_owned(),
            to_closed: true,
            precision: "0.5".to_owned(),
            recall: "0.25".to_owned(),
            f1: (*f1).to_owned(),
            flat: None,
        };
        starts.zip(pieces).map(piece).collect()
    }

    #[test]
    fn the_default_is_taken_where_it_is_best_else_the_middle_of_the_widest_best_part() {
        let taken = |default: &str, pieces: &[(&str, &str)]| {
            let sweeps = swept(default, pieces);
            let taken = read_off(&sweeps, "d", "cevc").unwrap().unwrap();
            let on = taken.on(&sweeps).unwrap();
            assert_eq!((on.precision, on.recall), (0.5, 0.25));
            (taken.value.to_string(), taken.best_on.clone(), on.f1)
        };
        let pieces = [("0.2", "0.9"), ("0.3", "0.8"), ("0.5", "0.9"), ("0.7", "0.9"), ("1", "0.1")];
        assert_eq!(taken("0.15", &pieces), ("0.15".to_owned(), "[0, 0.2]".to_owned(), 0.9));
        assert_eq!(taken("0.25", &pieces), ("0.5".to_owned(), "(0.3, 0.7]".to_owned(), 0.9));
        assert!(read_off(&swept("0.5", &pieces), "d", "nta").unwrap().is_none());
        assert!(read_off(&swept("0.5", &[("x", "0.9")]), "d", "cevc").unwrap_err().contains("is not a number"));
    }
}
