//! The agreement of people's marks: kappa, F1 and alpha over characters, with intervals by sites.

use carat_core::statistics::{Interval, Sampling, interval_by_sites};

/// Characters of one page by what two people say of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Gold for both.
    pub both: u64,
    /// For the first alone.
    pub first: u64,
    /// For the second alone.
    pub second: u64,
    /// For neither.
    pub neither: u64,
}

impl Table {
    /// Counts characters whose value both give: `Some(true)` is gold.
    pub fn of(one: &[Option<bool>], other: &[Option<bool>]) -> Self {
        let mut table = Table::default();
        for pair in one.iter().zip(other) {
            match pair {
                (Some(true), Some(true)) => table.both += 1,
                (Some(true), Some(false)) => table.first += 1,
                (Some(false), Some(true)) => table.second += 1,
                (Some(false), Some(false)) => table.neither += 1,
                _ => {}
            }
        }
        table
    }

    /// The sum of two.
    pub fn plus(self, other: Table) -> Table {
        Table {
            both: self.both + other.both,
            first: self.first + other.first,
            second: self.second + other.second,
            neither: self.neither + other.neither,
        }
    }

    /// The same so many times.
    fn times(self, times: u64) -> Table {
        let Table { both, first, second, neither } = self;
        Table { both: both * times, first: first * times, second: second * times, neither: neither * times }
    }

    /// All characters.
    pub fn all(self) -> u64 {
        self.both + self.first + self.second + self.neither
    }

    /// The share on which they agree; `None` of nothing.
    pub fn observed(self) -> Option<f64> {
        (self.all() > 0).then(|| (self.both + self.neither) as f64 / self.all() as f64)
    }

    /// Cohen's kappa; `None` where chance alone agrees everywhere.
    pub fn kappa(self) -> Option<f64> {
        let all = self.all() as f64;
        let gold = (self.both + self.first) as f64 * (self.both + self.second) as f64;
        let rest = (self.second + self.neither) as f64 * (self.first + self.neither) as f64;
        let expected = (gold + rest) / (all * all);
        let observed = self.observed()?;
        (expected < 1.0).then(|| (observed - expected) / (1.0 - expected))
    }

    /// F1 of one's gold against the other's; 1 where none is gold.
    pub fn f1(self) -> f64 {
        let whole = 2 * self.both + self.first + self.second;
        if whole == 0 { 1.0 } else { (2 * self.both) as f64 / whole as f64 }
    }
}

/// Coincidences of values for Krippendorff's alpha: by value and value.
#[derive(Clone, Debug, PartialEq)]
pub struct Coincidences {
    values: usize,
    cells: Vec<f64>,
}

impl Coincidences {
    /// None yet, of so many values.
    pub fn new(values: usize) -> Self {
        Coincidences { values, cells: vec![0.0; values * values] }
    }

    /// Adds `units` units in which each value was given so often.
    pub fn add(&mut self, counts: &[u32], units: f64) {
        let given: u32 = counts.iter().sum();
        if given < 2 {
            return;
        }
        let pairs = f64::from(given - 1);
        for (one, &of_one) in counts.iter().enumerate() {
            for (other, &of_other) in counts.iter().enumerate() {
                let others = if one == other { of_other.saturating_sub(1) } else { of_other };
                self.cells[one * self.values + other] += units * f64::from(of_one) * f64::from(others) / pairs;
            }
        }
    }

    /// Adds those of another page.
    pub fn join(&mut self, other: &Coincidences) {
        self.cells.iter_mut().zip(&other.cells).for_each(|(cell, more)| *cell += more);
    }

    /// Takes all units away.
    pub fn clear(&mut self) {
        self.cells.fill(0.0);
    }

    /// Krippendorff's alpha for nominal values; `None` where there is one value, or none.
    pub fn alpha(&self) -> Option<f64> {
        let row = |value: usize| self.cells[value * self.values..][..self.values].iter().sum::<f64>();
        let rows: Vec<f64> = (0..self.values).map(row).collect();
        let all: f64 = rows.iter().sum();
        let (mut observed, mut expected) = (0.0, 0.0);
        for (one, of_one) in rows.iter().enumerate() {
            for (other, of_other) in rows.iter().enumerate().filter(|(other, _)| *other != one) {
                observed += self.cells[one * self.values + other];
                expected += of_one * of_other;
            }
        }
        (expected > 0.0).then(|| 1.0 - (all - 1.0) * observed / expected)
    }

    /// The two different values that meet most, with how many units.
    pub fn confused(&self) -> Vec<(usize, usize, f64)> {
        let pairs = (0..self.values).flat_map(|one| (one + 1..self.values).map(move |other| (one, other)));
        let weighed = pairs.map(|(one, other)| (one, other, self.cells[one * self.values + other]));
        let mut pairs: Vec<_> = weighed.filter(|(.., units)| *units > 0.0).collect();
        pairs.sort_by(|one, other| other.2.total_cmp(&one.2));
        pairs
    }
}

/// The interval of kappa over the tables of sites.
pub fn kappa_interval(sites: &[Table], sampling: &Sampling) -> Option<Interval> {
    interval_by_sites(sites.len(), sampling, |drawn| {
        let tables = sites.iter().zip(drawn).map(|(table, &times)| table.times(times as u64));
        tables.fold(Table::default(), Table::plus).kappa()
    })
}

/// The interval of alpha over the coincidences of sites.
pub fn alpha_interval(sites: &[Coincidences], sampling: &Sampling) -> Option<Interval> {
    let values = sites.first()?.values;
    interval_by_sites(sites.len(), sampling, |drawn| {
        let mut sum = Coincidences::new(values);
        for (site, &times) in sites.iter().zip(drawn) {
            sum.cells.iter_mut().zip(&site.cells).for_each(|(cell, more)| *cell += more * times as f64);
        }
        sum.alpha()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: Option<f64>, expected: f64) {
        assert!((found.unwrap() - expected).abs() < 1e-9, "{found:?} is not {expected}");
    }

    /// Each person's characters of a page, node by node: `true` is gold.
    fn characters(nodes: &[(usize, Option<bool>)]) -> Vec<Option<bool>> {
        nodes.iter().flat_map(|&(length, value)| std::iter::repeat_n(value, length)).collect()
    }

    fn add(to: &mut Coincidences, people: &[Vec<Option<bool>>]) {
        for at in 0..people[0].len() {
            let mut counts = [0, 0];
            people.iter().filter_map(|person| person[at]).for_each(|gold| counts[usize::from(gold)] += 1);
            to.add(&counts, 1.0);
        }
    }

    const G: Option<bool> = Some(true);
    const N: Option<bool> = Some(false);

    fn first_page() -> [Vec<Option<bool>>; 2] {
        [characters(&[(10, N), (20, G), (30, G), (40, N)]), characters(&[(10, N), (20, N), (30, G), (10, G), (30, N)])]
    }

    fn second_page() -> [Vec<Option<bool>>; 3] {
        [
            characters(&[(10, G), (20, G), (30, N), (40, G)]),
            characters(&[(10, G), (20, N), (30, N), (40, None)]),
            characters(&[(10, G), (20, G), (30, None), (40, None)]),
        ]
    }

    #[test]
    fn kappa_and_f1_of_two() {
        let [one, other] = first_page();
        let table = Table::of(&one, &other);
        assert_eq!(table, Table { both: 30, first: 20, second: 10, neither: 40 });
        close(table.observed(), 0.7);
        close(table.kappa(), 0.4);
        close(Some(table.f1()), 2.0 / 3.0);
        assert_eq!(Table { neither: 5, ..Table::default() }.kappa(), None);
        assert_eq!(Table { neither: 5, ..Table::default() }.f1(), 1.0);
        assert_eq!(Table::default().observed(), None);
    }

    #[test]
    fn alpha_of_two_and_three() {
        let mut stated = Coincidences::new(2);
        add(&mut stated, &first_page());
        close(stated.alpha(), 131.0 / 330.0);
        let mut second = Coincidences::new(2);
        add(&mut second, &second_page());
        close(second.alpha(), 131.0 / 280.0);
        stated.join(&second);
        close(stated.alpha(), 259.0 / 608.0);
        assert_eq!(Coincidences::new(2).alpha(), None);
    }

    #[test]
    fn alpha_by_text_nodes() {
        let mut nodes = Coincidences::new(2);
        for counts in [[1, 1], [0, 2], [2, 0], [2, 0]] {
            nodes.add(&counts, 1.0);
        }
        close(nodes.alpha(), 8.0 / 15.0);
    }

    /// Four people, twelve units, five values (Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability"): 0.743.
    #[test]
    fn alpha_of_the_published_example() {
        let people = [
            [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
            [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
            [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
            [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
        ];
        let mut all = Coincidences::new(5);
        for unit in 0..12 {
            let mut counts = [0; 5];
            people.iter().filter(|person| person[unit] > 0).for_each(|person| counts[person[unit] - 1] += 1);
            all.add(&counts, 1.0);
        }
        assert_eq!((all.alpha().unwrap() * 1e5).round(), 74_342.0);
    }

    #[test]
    fn intervals_are_by_sites() {
        let sites = [
            Table { both: 30, first: 20, second: 10, neither: 40 },
            Table { both: 50, neither: 50, ..Table::default() },
        ];
        close(sites[0].plus(sites[1]).kappa(), 0.7);
        let found = kappa_interval(&sites, &Sampling::default()).unwrap();
        close(Some(found.low), 0.4);
        close(Some(found.high), 1.0);
        assert_eq!(kappa_interval(&sites[..1], &Sampling::default()), None);
    }

    #[test]
    fn the_values_that_meet_most_come_first() {
        let mut all = Coincidences::new(3);
        all.add(&[1, 1, 0], 2.0);
        all.add(&[0, 1, 1], 5.0);
        let pairs: Vec<_> = all.confused().iter().map(|pair| (pair.0, pair.1)).collect();
        assert_eq!(pairs, [(1, 2), (0, 1)]);
    }
}
