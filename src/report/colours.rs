//! The colour and shape of each algorithm: the same in every figure, and in every run that it takes part in.

use std::collections::{BTreeMap, BTreeSet};

use super::plot::{Fill, Surface};
use crate::runs::kinds;
use crate::runs::summary::{Summary, SummaryRow};

/// So many colours with so many shapes are told apart; those beyond share them.
const TOLD_APART: usize = Fill::COLOURS * 6;

/// The fills of a run's algorithms, by name.
pub(super) struct Colours<'s> {
    fills: BTreeMap<&'s str, Fill>,
}

impl<'s> Colours<'s> {
    /// Floors and bounds are grey, all else has a colour.
    pub(super) fn of(summary: &'s Summary) -> Self {
        let names = |is_grey: bool| -> BTreeSet<&'s str> {
            let rows = summary.rows.iter().filter(|row| (row.floor || row.is_bound()) == is_grey);
            rows.map(|row| row.algorithm.as_str()).collect()
        };
        let systems = numbers(names(false), kinds::under_test()).into_iter();
        let greys = numbers(names(true), kinds::floors_and_bounds()).into_iter();
        let systems = systems.map(|(name, number)| (name, Fill::System(number)));
        Colours { fills: systems.chain(greys.map(|(name, number)| (name, Fill::Floor(number)))).collect() }
    }

    /// The fill of each of a figure's `rows`: that of its algorithm, but another row of an algorithm has a colour that no
    /// row has, as far as they go.
    pub(super) fn apart(&self, rows: &[&SummaryRow]) -> Vec<Fill> {
        let own: Vec<Fill> = rows.iter().map(|row| self.fill(row)).collect();
        let mut fills: Vec<Fill> = Vec::new();
        for fill in &own {
            let is_free = |other: &Fill| !has_colour(&fills, *other);
            let further = || (1..TOLD_APART).map(|steps| fill.after(steps)).filter(is_free);
            let other = || further().find(|other| !has_colour(&own, *other)).or_else(|| further().next());
            let chosen = if fills.contains(fill) { other() } else { Some(*fill) };
            fills.push(chosen.unwrap_or(*fill));
        }
        fills
    }

    /// The fill of each of `rows` that are bars beside each other, which is that of its algorithm, and the surface that tells
    /// it from those before it of the same colour.
    pub(super) fn beside(&self, rows: &[&SummaryRow]) -> Vec<(Fill, Surface)> {
        let fills: Vec<Fill> = rows.iter().map(|row| self.fill(row)).collect();
        let of_colour = |place: usize| {
            let before = fills[..place].iter().filter(|fill| fill.colour() == fills[place].colour());
            (fills[place], Surface::after(before.count()))
        };
        (0..fills.len()).map(of_colour).collect()
    }

    /// The fill of the row's algorithm.
    pub(super) fn fill(&self, row: &SummaryRow) -> Fill {
        self.fills.get(row.algorithm.as_str()).copied().unwrap_or(Fill::Floor(0))
    }
}

/// The number of each of `names`: one that is `listed` has the number of its place in the list. One that is further down than
/// there are numbers begins with the first again. It takes the next one that nothing in the run has, as one does that is not
/// listed, whose name gives a number.
fn numbers(names: BTreeSet<&str>, listed: impl Iterator<Item = &'static str>) -> BTreeMap<&str, usize> {
    let listed: BTreeMap<&str, usize> = listed.enumerate().map(|(place, name)| (name, place)).collect();
    let own = |name: &&str| listed.get(name).copied().filter(|place| *place < TOLD_APART);
    let mut taken: BTreeSet<usize> = names.iter().filter_map(own).collect();
    let mut numbers = BTreeMap::new();
    for name in names {
        let number = own(&name).unwrap_or_else(|| {
            let wanted = listed.get(name).map_or_else(|| number_of(name), |place| place % TOLD_APART);
            let free = (0..TOLD_APART).map(|step| (wanted + step) % TOLD_APART).find(|place| !taken.contains(place));
            let number = free.unwrap_or(wanted);
            taken.insert(number);
            number
        });
        numbers.insert(name, number);
    }
    numbers
}

/// True if one of `fills` has the colour of `fill`.
fn has_colour(fills: &[Fill], fill: Fill) -> bool {
    fills.iter().any(|known| known.colour() == fill.colour())
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
    use crate::runs::reads_gold::ReadsGold;

    #[test]
    fn an_algorithm_keeps_its_colour_and_its_second_row_is_told_apart() {
        let names = ["nta", "cevc", "nta", "all-text", "largest-p-parent", "nonlink-text", "semantic"];
        let summary = summary(names.map(|name| row("d", name, 0.5)).into());
        let colours = Colours::of(&summary);
        let rows: Vec<&SummaryRow> = summary.rows.iter().collect();
        let fills = colours.apart(&rows);
        for (place, row) in rows.iter().enumerate() {
            assert_eq!(fills[place] == colours.fill(row), place != 2, "{}: {fills:?}", row.algorithm);
            assert!(!fills[..place].contains(&fills[place]), "{fills:?}");
        }
        assert!(!has_colour(&rows.iter().map(|row| colours.fill(row)).collect::<Vec<_>>(), fills[2]), "{fills:?}");
    }

    #[test]
    fn bars_beside_each_other_have_different_surfaces_where_they_share_a_colour() {
        let names: Vec<&str> = kinds::under_test().take(Fill::COLOURS + 2).chain(["nta"]).collect();
        let summary = summary(names.iter().map(|name| row("d", name, 0.5)).collect());
        let colours = Colours::of(&summary);
        let rows: Vec<&SummaryRow> = summary.rows.iter().collect();
        let bars = colours.beside(&rows);
        for (place, (row, (fill, surface))) in rows.iter().zip(&bars).enumerate() {
            assert_eq!(*fill, colours.fill(row), "{}", row.algorithm);
            let alike = |(other, its): &&(Fill, Surface)| other.colour() == fill.colour() && its == surface;
            assert_eq!(bars[..place].iter().find(alike), None, "{bars:?}");
        }
        assert!(bars.iter().any(|(_, surface)| *surface == Surface::Striped), "{bars:?}");
    }

    #[test]
    fn no_two_algorithms_look_alike_beside_each_other() {
        let names: Vec<&str> = kinds::under_test().collect();
        assert!(names.len() > TOLD_APART, "some are further down than there are numbers");
        for (place, &one) in names.iter().enumerate() {
            for &other in &names[..place] {
                let summary = summary(vec![row("d", one, 0.5), row("d", other, 0.5)]);
                let colours = Colours::of(&summary);
                let [one, other] = [0, 1].map(|place: usize| colours.fill(&summary.rows[place]));
                assert_ne!(one, other, "{names:?}");
            }
        }
    }

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
        // So has a bound, whatever floors and bounds are beside it.
        let bound = |names: &[&str]| {
            let mut summary = summary(names.iter().map(|name| row("d", name, 0.5)).collect());
            summary.rows[0].reads_gold = Some(ReadsGold::Page);
            Colours::of(&summary).fill(&summary.rows[0])
        };
        let alone = bound(&["oracle-nodes", "nta"]);
        assert!(matches!(alone, Fill::Floor(_)));
        assert_eq!(bound(&["oracle-nodes", "all-text", "nonlink-text"]), alone);
        // Names that give one number have different ones beside each other.
        let many: Vec<String> = (0..30).map(|i| format!("stored/{i}")).collect();
        let many = fills(&many.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(many.iter().enumerate().all(|(i, fill)| !many[..i].contains(fill)), "{many:?}");
    }
}
