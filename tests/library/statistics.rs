//! carat's statistics against scipy's and statsmodels' on the same made pages. `tests/scripts/statistics_oracle.py`
//! printed every figure here; where that script draws at random too, tolerances are five errors of both draws.

use carat::scoring::Counts;
use carat::statistics::{
    Aggregate, Correction, Estimate, Figure, Interval, Paired, Part, Resampled, Sampling, Sums, Totals, Verdict, band,
    bca_interval, benjamini_hochberg, estimates, percentile_interval, resampled_figures, sign_flip_test,
};

/// A linear congruential generator, the oracle's.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = (self.0 * 1_103_515_245 + 12_345) % (1 << 31);
        (self.0 >> 16) % bound
    }
}

/// Pages as the oracle makes them: each page's site, and for two rows matched, extracted and gold.
struct Made {
    sites: Vec<usize>,
    counts: [Vec<Counts>; 2],
}

fn made(pages: usize, sites: usize, seed: u64) -> Made {
    let mut numbers = Numbers(seed);
    let mut made = Made { sites: Vec::new(), counts: [Vec::new(), Vec::new()] };
    for page in 0..pages {
        let site = if page < sites { page } else { numbers.below(sites as u64) as usize };
        let gold = 20 + numbers.below(80);
        for (row, counts) in made.counts.iter_mut().enumerate() {
            let extracted = numbers.below(110);
            let most = gold.min(extracted);
            let least = if row == 1 && !site.is_multiple_of(3) { most / 2 } else { 0 };
            counts.push(Counts { matched: least + numbers.below(most - least + 1), extracted, gold });
        }
        made.sites.push(site);
    }
    made
}

impl Made {
    fn f1(&self, row: usize) -> Vec<u64> {
        self.counts[row].iter().map(|counts| counts.score().f1).collect()
    }

    fn totals(&self, row: usize) -> Vec<Totals> {
        let mut totals = vec![Totals::default(); self.sites.iter().max().unwrap() + 1];
        for (counts, &site) in self.counts[row].iter().zip(&self.sites) {
            totals[site].add([counts.matched, counts.extracted, counts.gold], counts.score().values());
        }
        totals
    }

    /// The second row against the first.
    fn paired(&self, sampling: Sampling) -> Paired {
        Paired::new(vec![self.f1(1), self.f1(0)], self.sites.clone(), sampling)
    }

    fn site_differences(&self) -> Vec<i64> {
        let mut sums = vec![0; self.sites.iter().max().unwrap() + 1];
        for ((a, b), &site) in self.f1(1).iter().zip(self.f1(0)).zip(&self.sites) {
            sums[site] += *a as i64 - b as i64;
        }
        sums
    }
}

fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} is not {expected}");
}

/// Holds an estimate against scipy's percentile interval, BCa interval and standard error.
fn check(estimate: Estimate, percentile: [f64; 2], bca: [f64; 2], error: f64) {
    for (found, expected) in [(estimate.percentile, percentile), (estimate.bca, bca)] {
        let Interval { low, high } = found.unwrap();
        near(low, expected[0], 0.002);
        near(high, expected[1], 0.002);
    }
    near(estimate.error.unwrap(), error, 0.001);
}

const OFTEN: Sampling = Sampling { seed: 1, resamples: 40_000, flips: 100_000, level: 0.95 };

#[test]
fn every_aggregate_has_scipys_intervals() {
    let made = made(90, 30, 1);
    let row = &estimates(&[made.totals(1)], &Figure::ALL, &OFTEN)[0];
    let of = |aggregate, part| {
        let place = Figure::ALL.iter().position(|figure| *figure == Figure(aggregate, part)).unwrap();
        row[place]
    };
    check(of(Aggregate::Macro, Part::F1), [0.3896, 0.49878], [0.38933, 0.49861], 0.02788);
    check(of(Aggregate::SiteMacro, Part::F1), [0.35391, 0.48662], [0.35172, 0.48491], 0.03395);
    check(of(Aggregate::PaperCevc, Part::F1), [0.39099, 0.52567], [0.38501, 0.52156], 0.03451);
    check(of(Aggregate::Micro, Part::F1), [0.41942, 0.52927], [0.4215, 0.53145], 0.0281);
    check(of(Aggregate::Benchmark, Part::F1), [0.45734, 0.56013], [0.45659, 0.55961], 0.02625);
    assert!(row.iter().all(|estimate| (estimate.pages, estimate.sites, estimate.resamples) == (90, 30, 40_000)));
}

#[test]
fn points_of_estimates_are_the_aggregates() {
    for (pages, sites) in [(90, 30), (40, 7), (5, 5), (3, 1)] {
        let made = made(pages, sites, 4);
        let totals = made.totals(0);
        let (mut whole, mut by_site) = (Totals::default(), vec![Sums::default(); sites]);
        for (counts, &site) in made.counts[0].iter().zip(&made.sites) {
            whole.add([counts.matched, counts.extracted, counts.gold], counts.score().values());
            by_site[site].add(counts.score().values());
        }
        let aggregates = whole.aggregates(by_site.iter().copied());
        for (figure, estimate) in Figure::ALL.iter().zip(&estimates(&[totals], &Figure::ALL, &Sampling::default())[0]) {
            near(estimate.point, figure.of(&aggregates), 1e-9);
            assert_eq!(estimate.percentile.is_some(), sites > 1, "{figure}");
        }
    }
}

#[test]
fn a_pair_compares_as_scipy_and_statsmodels_say() {
    let comparison = made(90, 30, 1).paired(OFTEN).compare(0, 1);
    let difference = comparison.difference;
    check(difference, [0.01598, 0.14695], [0.01787, 0.14889], 0.0335);
    near(difference.point, 0.083_328_344_916, 1e-11);
    near(comparison.median, 0.042_266_746_52, 1e-11);
    near(comparison.error_by_site, 0.033_422_323_210_641_744, 1e-11);
    near(comparison.error_by_page, 0.034_507_282_722_356_01, 1e-10);
    near(comparison.detectable.unwrap(), 0.093_635_486_661_927_88, 1e-10);
    let wins = comparison.wins;
    assert_eq!((wins.wins, wins.ties, wins.losses), (48, 0, 42));
    near(comparison.by_site.p, 0.028_594, 0.003);
    near(comparison.by_page.p, 0.018_246, 0.003);
    assert!(!comparison.by_site.exact && comparison.by_site.flips == 100_000);
}

#[test]
fn all_flips_of_few_sites_give_scipys_exact_p() {
    let p = |pages, sites, seed| sign_flip_test(&made(pages, sites, seed).site_differences(), &Sampling::default());
    let twelve = p(24, 12, 8);
    assert!(twelve.exact && twelve.flips == (1 << 12) - 1);
    near(twelve.p, 0.249_511_718_75, 1e-12);
    near(p(9, 4, 3).p, 0.25, 1e-12);
}

#[test]
fn intervals_of_a_given_distribution_are_scipys_to_the_digit() {
    let mut given: Vec<f64> = (0..999).map(|k| f64::from((k % 101) * (k % 101)) / 2500.0).collect();
    given.sort_by(f64::total_cmp);
    let data = [0.0, 0.1, 0.1, 0.2, 0.3, 0.9, 2.5];
    let sum: f64 = data.iter().sum();
    let left_out: Vec<f64> = data.iter().map(|value| (sum - value) / 6.0).collect();
    let percentile = percentile_interval(&given, 0.95);
    near(percentile.low, 0.0016, 1e-12);
    near(percentile.high, 3.8416, 1e-12);
    let bca = bca_interval(sum / 7.0, &given, &left_out, 0.95).unwrap();
    near(bca.low, 0.0004, 1e-12);
    near(bca.high, 3.6864, 1e-12);
    assert_eq!(bca_interval(-1.0, &given, &left_out, 0.95), None, "all resamples lie above the point");
}

#[test]
fn tests_of_all_pairs_are_those_of_each_pair() {
    for (pages, sites) in [(90, 30), (40, 12)] {
        let sampling = Sampling { flips: 5000, resamples: 2, ..Sampling::default() };
        let paired = sweep(&made(pages, sites, 3), sampling);
        let tested = paired.test_all(&ALONE, Correction::Fdr);
        assert_eq!(tested.pairs.len(), 8 * 7 / 2);
        for (&(a, b), test) in tested.pairs.iter().zip(&tested.tests) {
            assert_eq!(paired.compare(a, b).by_site, *test);
            assert_eq!(paired.compare(b, a).by_site, *test);
        }
        let p_values: Vec<f64> = tested.tests.iter().map(|test| test.p).collect();
        assert_eq!(tested.corrected, benjamini_hochberg(&p_values));
        assert_eq!(tested.corrected(5, 2), tested.corrected(2, 5));
    }
}

/// Eight rows, each a group of its own.
const ALONE: [usize; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

#[test]
fn rows_of_one_group_are_one_system_among_the_tests() {
    // Three settings, each of them once more, are tested as the three alone are.
    let sampling = Sampling { flips: 5000, resamples: 2, ..Sampling::default() };
    let made = made(90, 30, 3);
    let (first, second) = (made.f1(0), made.f1(1));
    let third = (0..first.len()).map(|page| if page % 3 == 0 { second[page] } else { first[page] }).collect();
    let (rows, sites): ([Vec<u64>; 3], _) = ([first, second, third], made.sites.clone());
    let three = Paired::new(rows.to_vec(), sites.clone(), sampling).test_all(&[0, 1, 2], Correction::Holm);
    let twice = [0, 1, 0, 2, 1, 2].map(|row: usize| rows[row].clone());
    let twice = Paired::new(twice.into(), sites, sampling);
    let grouped = twice.test_all(&[0, 1, 0, 3, 1, 3], Correction::Holm);
    assert_eq!((grouped.tested, grouped.pairs.len()), (3, 15));
    for (one, other, [a, b]) in [(0, 1, [0, 1]), (2, 4, [0, 1]), (2, 5, [0, 2]), (3, 4, [1, 2])] {
        assert_eq!(grouped.corrected(one, other), three.corrected(a, b), "{one} {other}");
    }
    for (one, other) in [(0, 2), (1, 4), (3, 5)] {
        assert!(grouped.corrected(one, other) == 1.0 && !grouped.are_separated(one, other));
        assert_eq!(grouped.letters[one], grouped.letters[other]);
    }
    // Every row for itself has more tests, so p-values are corrected more.
    let alone = twice.test_all(&[0, 1, 2, 3, 4, 5], Correction::Holm);
    assert_eq!(alone.tested, 15);
    assert!(alone.corrected.iter().zip(&grouped.corrected).any(|(alone, grouped)| alone > grouped));
}

/// Eight settings: the first row's F1, but the second's on pages whose number divided by 7 leaves less than k.
fn sweep(made: &Made, sampling: Sampling) -> Paired {
    let (first, second) = (made.f1(0), made.f1(1));
    let setting =
        |k: usize| (0..first.len()).map(|page| if page % 7 < k { second[page] } else { first[page] }).collect();
    Paired::new((0..8).map(setting).collect(), made.sites.clone(), sampling)
}

#[test]
fn a_sweeps_band_and_flat_region_are_as_numpy_draws_them() {
    let paired = sweep(&made(300, 100, 1), OFTEN);
    let band = band(paired.means(), 0.95).unwrap();
    near(band.width, 2.5779, 0.03);
    near(band.intervals[0].low, 0.3025, 0.002);
    near(band.intervals[0].high, 0.3698, 0.002);
    assert_eq!(band.best, 7);
    assert_eq!(band.flat, [false, false, false, false, false, false, true, true]);
}

const ONE: u64 = carat::scoring::ONE;

/// Two rows of which the first scores `above` more on each page; `pages` pages on each of `sites` sites.
fn shifted(sites: usize, pages: usize, above: impl Fn(usize) -> f64) -> Paired {
    let sites: Vec<usize> = (0..sites * pages).map(|page| page / pages).collect();
    let score = |fraction: f64| (fraction * ONE as f64) as u64;
    let rows = [sites.iter().map(|&site| score(0.5 + above(site))).collect(), vec![score(0.5); sites.len()]];
    Paired::new(rows.into(), sites, Sampling::default())
}

#[test]
fn the_test_decides_first_and_the_interval_calls_the_rest_the_same() {
    let verdict = |paired: &Paired| {
        let comparison = paired.compare(0, 1);
        comparison.verdict(comparison.by_site.p)
    };
    assert_eq!(verdict(&shifted(30, 2, |_| 0.1)), Verdict::Better);
    assert_eq!(verdict(&shifted(30, 2, |_| -0.1)), Verdict::Worse);
    // A difference that is sure is told even if it is small.
    assert_eq!(verdict(&shifted(30, 2, |_| 0.001)), Verdict::Better);
    let to_and_fro = |size: f64| move |site: usize| if site.is_multiple_of(2) { size } else { -size };
    assert_eq!(verdict(&shifted(30, 2, to_and_fro(0.002))), Verdict::Same);
    assert_eq!(verdict(&shifted(30, 2, to_and_fro(0.2))), Verdict::NotSeparable);
    assert_eq!(verdict(&shifted(30, 2, |_| 0.0)), Verdict::Same);
    // Corrected for many tests, the same numbers may say less.
    let comparison = shifted(30, 2, |_| 0.1).compare(0, 1);
    assert_eq!(comparison.verdict(0.051), Verdict::NotSeparable);
}

#[test]
fn too_few_sites_are_told() {
    let comparison = |sites: usize| shifted(sites, 3, |_| 0.001).compare(0, 1);
    let five = comparison(5);
    assert!(five.is_too_few());
    near(five.by_site.p, 2.0 / 32.0, 1e-15);
    assert_eq!(five.by_site.p, five.by_site.smallest);
    assert_eq!(five.verdict(five.by_site.p), Verdict::NotSeparable, "an interval of five sites proves nothing");
    let six = comparison(6);
    assert!(!six.is_too_few());
    assert_eq!(six.verdict(six.by_site.p), Verdict::Better);
    // Many sites, of which few differ.
    let one_differs = shifted(30, 3, |site| if site == 0 { 0.4 } else { 0.0 }).compare(0, 1);
    assert!(one_differs.is_too_few() && one_differs.by_site.p == 1.0, "{one_differs:?}");
    let single = comparison(1);
    assert_eq!((single.difference.percentile, single.difference.error, single.detectable), (None, None, None));
    let equal = shifted(1, 3, |_| 0.0).compare(0, 1);
    assert_eq!((equal.verdict(equal.by_site.p), equal.heaviest), (Verdict::Same, None));
}

#[test]
fn the_heaviest_page_is_the_one_without_which_the_mean_changes_most() {
    let scores = [vec![ONE, ONE, 0, ONE], vec![ONE / 2, ONE / 2, ONE / 2, ONE / 2]];
    let comparison = Paired::new(scores.into(), vec![0, 1, 2, 3], Sampling::default()).compare(0, 1);
    let heaviest = comparison.heaviest.unwrap();
    assert_eq!((heaviest.page, heaviest.difference, heaviest.without), (2, -0.5, 0.5));
    assert_eq!((comparison.difference.point, comparison.median), (0.25, 0.5));
}

#[test]
fn pages_of_a_site_count_as_one_where_they_are_alike() {
    // Nine pages of each of eight sites say the same thing: the page test takes them for 72 witnesses.
    let alike = shifted(8, 9, |site| if site < 6 { 0.1 } else { -0.1 }).compare(0, 1);
    near(alike.by_site.p, 74.0 / 256.0, 1e-15);
    assert!(alike.by_page.p < 0.001, "{alike:?}");
    near(alike.error_by_site, 3.0 * alike.error_by_page, 1e-12);
}

#[test]
fn threads_change_nothing_and_seeds_do() {
    let made = made(90, 30, 1);
    let run = |threads: usize, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let sampling = Sampling { seed, resamples: 1000, flips: 9000, ..Sampling::default() };
        pool.install(|| {
            let figures = estimates(&[made.totals(0), made.totals(1)], &Figure::ALL, &sampling);
            let sweep = sweep(&made, sampling);
            (made.paired(sampling).compare(0, 1), figures, band(sweep.means(), 0.95))
        })
    };
    let one = run(1, 1);
    assert_eq!(one, run(5, 1));
    let other = run(1, 2);
    assert_ne!((one.0.by_site.p, one.0.by_page.p), (other.0.by_site.p, other.0.by_page.p));
    assert_ne!(one.1, other.1);
}

#[test]
fn rows_that_lack_sites_are_drawn_from_their_own() {
    let made = made(90, 30, 1);
    let mut lacking = made.totals(1);
    lacking.push(Totals::default());
    let sampling = Sampling { resamples: 500, ..Sampling::default() };
    assert_eq!(estimates(&[lacking], &Figure::ALL, &sampling), estimates(&[made.totals(1)], &Figure::ALL, &sampling));
}

#[test]
fn resamples_of_empty_golds_are_what_their_aggregate_is() {
    let mut site = Totals::default();
    site.add([0; 3], [ONE; 3]);
    let micro = [Figure(Aggregate::Micro, Part::F1)];
    let value = |sites: &[Totals]| {
        let sampling = Sampling { resamples: 3, ..Sampling::default() };
        let resampled: Vec<Vec<Resampled>> = resampled_figures(&[sites.to_vec()], &micro, &sampling);
        (resampled[0][0].point(), resampled[0][0].values().to_vec())
    };
    assert_eq!(value(&[site, site]), (1.0, vec![1.0; 3]));
    site.add([0; 3], [0; 3]);
    assert_eq!(value(&[site, site]).0, 0.0);
}
