//! The best of several rows, where figures tie: one rule for tables, figures, `carat compare` and `carat tune`.
//!
//! A row that was not run on some pages is never the best while another was run on all: its figure is of other pages. Then the
//! greatest figure decides. Of equal ones the setting nearest to the defaults is the best, counted by the values on the
//! way; of several of these the one that the run names first. Of an exact sweep, pieces of equal figures that hang together
//! are one; that which holds the default comes first, then the widest, then the first.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::algorithms::value::Value;

/// A row, by what its run sweeps.
pub(crate) struct Swept<'r> {
    /// Its dataset and its algorithm.
    pub(crate) of: [&'r str; 2],
    /// The swept parameters by name, each with its value, and true where that is not the default; in the order of names.
    pub(crate) values: Vec<(&'r str, String, bool)>,
    /// True if it was run on every page.
    pub(crate) is_whole: bool,
}

/// True for each row that may be the best, where `is_whole` is true for those that were run on every page.
pub(crate) fn may_be_best(is_whole: &[bool]) -> Vec<bool> {
    let any = is_whole.contains(&true);
    is_whole.iter().map(|is_whole| *is_whole || !any).collect()
}

/// The places of `rows`, the best first; `figures` are those that they are ranked by.
pub(crate) fn best_first<T: Ord>(rows: &[Swept<'_>], figures: &[T]) -> Vec<usize> {
    let steps = steps(rows);
    let mut places: Vec<usize> = (0..rows.len()).collect();
    places.sort_by_key(|&place| (!rows[place].is_whole, Reverse(&figures[place]), steps[place]));
    places
}

/// The distance of each row from the defaults of what its run sweeps, among the rows of its dataset and sweep.
fn steps(rows: &[Swept<'_>]) -> Vec<usize> {
    let mut sweeps: BTreeMap<([&str; 2], Vec<&str>), Vec<usize>> = BTreeMap::new();
    for (place, row) in rows.iter().enumerate() {
        let names = row.values.iter().map(|(name, ..)| *name).collect();
        sweeps.entry((row.of, names)).or_default().push(place);
    }
    let mut steps = vec![0; rows.len()];
    for ((_, names), places) in sweeps {
        for at in 0..names.len() {
            let known = places.iter().map(|&place| &rows[place].values[at]);
            let values: Vec<String> = known.clone().map(|(_, value, _)| value.clone()).collect();
            let default = known.into_iter().find(|(.., differs)| !differs).map(|(_, value, _)| value.as_str());
            let of_values = steps_from_default(&values, default);
            places.iter().zip(of_values).for_each(|(&place, more)| steps[place] += more);
        }
    }
    steps
}

/// The distance of each of `values` of a parameter from its default: for decimals the values on the way and itself, for others
/// 1 where it is another one. Where no value is the default, each is 1.
pub(crate) fn steps_from_default(values: &[String], default: Option<&str>) -> Vec<usize> {
    let decimals: Vec<Option<Value>> = values.iter().map(|value| value.parse().ok()).collect();
    let mut known: Vec<Value> = decimals.iter().flatten().copied().collect();
    known.sort_unstable();
    known.dedup();
    let default_decimal: Option<Value> = default.and_then(|default| default.parse().ok());
    let step = |(value, decimal): (&String, &Option<Value>)| match (*decimal, default_decimal) {
        (Some(value), Some(default)) if value == default => 0,
        (Some(value), Some(default)) => {
            let (low, high) = (value.min(default), value.max(default));
            1 + known.partition_point(|&other| other < high) - known.partition_point(|&other| other <= low)
        }
        _ => usize::from(default != Some(value.as_str())),
    };
    values.iter().zip(&decimals).map(step).collect()
}

/// The reasons for one of several runs of equally good settings.
pub(crate) struct Preference {
    /// Steps from the defaults.
    pub(crate) steps: usize,
    /// True if the default of what is swept exactly lies in it.
    pub(crate) holds_default: bool,
    /// The width of its pieces; 0 of what is no piece.
    pub(crate) width: f64,
}

impl Preference {
    fn is_above(&self, other: &Preference) -> bool {
        let nearer = other.steps.cmp(&self.steps).then(self.holds_default.cmp(&other.holds_default));
        nearer.then(self.width.total_cmp(&other.width)).is_gt()
    }
}

/// The first and the last place of the best settings, where `is_best` names those with the greatest figure; neighbours of which
/// `hang_together` is true are one. `None` where none is.
pub(crate) fn best_run(
    is_best: &[bool],
    hang_together: impl Fn(usize, usize) -> bool,
    preference: impl Fn((usize, usize)) -> Preference,
) -> Option<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for place in (0..is_best.len()).filter(|&place| is_best[place]) {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == place && hang_together(*last, place) => *last = place,
            _ => runs.push((place, place)),
        }
    }
    let mut best: Option<((usize, usize), Preference)> = None;
    for run in runs {
        let own = preference(run);
        if best.as_ref().is_none_or(|(_, best)| own.is_above(best)) {
            best = Some((run, own));
        }
    }
    best.map(|(run, _)| run)
}
