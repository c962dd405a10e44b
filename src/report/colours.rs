//! The colour and shape of each algorithm: the same in every figure, and in every run that it takes part in.

use std::collections::{BTreeMap, BTreeSet};

use super::plot::Fill;
use crate::runs::kinds;
use crate::runs::summary::{Summary, SummaryRow};

/// So many colours with so many shapes are told apart; those beyond share them.
const TOLD_APART: usize = 36;

/// The fills of a run's algorithms, by name.
pub(super) struct Colours<'s> {
    fills: BTreeMap<&'s str, Fill>,
}

impl<'s> Colours<'s> {
    /// An algorithm of carat's has the number of its place in the list of algorithms. Any other takes a number that its
    /// name gives, or the next one that nothing in the run has.
    pub(super) fn of(summary: &'s Summary) -> Self {
        let is_grey = |row: &&SummaryRow| row.floor || row.is_bound();
        let names = |grey: bool| -> BTreeSet<&'s str> {
            let rows = summary.rows.iter().filter(|row| is_grey(row) == grey);
            rows.map(|row| row.algorithm.as_str()).collect()
        };
        let listed: BTreeMap<&str, usize> =
            kinds::under_test().enumerate().map(|(place, name)| (name, place % TOLD_APART)).collect();
        let mut taken: BTreeSet<usize> = names(false).iter().filter_map(|name| listed.get(name).copied()).collect();
        let mut fills = BTreeMap::new();
        for (place, name) in names(true).into_iter().enumerate() {
            fills.insert(name, Fill::Floor(place));
        }
        for name in names(false) {
            let number = listed.get(name).copied().unwrap_or_else(|| {
                let wanted = number_of(name);
                let free =
                    (0..TOLD_APART).map(|step| (wanted + step) % TOLD_APART).find(|place| !taken.contains(place));
                let number = free.unwrap_or(wanted);
                taken.insert(number);
                number
            });
            fills.insert(name, Fill::System(number));
        }
        Colours { fills }
    }

    /// The fill of the row's algorithm.
    pub(super) fn fill(&self, row: &SummaryRow) -> Fill {
        self.fills.get(row.algorithm.as_str()).copied().unwrap_or(Fill::Floor(0))
    }
}

/// A number that a name always gives: FNV-1a, of 32 bits.
fn number_of(name: &str) -> usize {
    let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    hash as usize % TOLD_APART
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{row, summary};

    #[test]
    fn an_algorithm_has_one_colour_in_every_run() {
        let fills = |names: &[&str]| -> Vec<Fill> {
            let summary = summary(names.iter().map(|name| row("d", name, 0.5)).collect());
            let colours = Colours::of(&summary);
            summary.rows.iter().map(|row| colours.fill(row)).collect()
        };
        let [nta, cevc, other] = fills(&["nta", "cevc", "stored/x"])[..] else { panic!() };
        assert_eq!(fills(&["stored/x", "cevc", "all-text", "nta"]), [other, cevc, Fill::Floor(0), nta]);
        assert!(nta != cevc && cevc != other && nta != other);
        // Names that give one number have different ones beside each other.
        let many: Vec<String> = (0..30).map(|i| format!("stored/{i}")).collect();
        let many = fills(&many.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(many.iter().enumerate().all(|(i, fill)| !many[..i].contains(fill)), "{many:?}");
    }
}
