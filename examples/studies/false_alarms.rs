//! How often the test cries wolf, and how often intervals hold what they are to hold.
//!
//! `cargo run --release --example false_alarms [PAIRS]`: so many (1 000) pairs of rows for each number of sites, the
//! rows of a pair being alike by construction: two unlike systems on made pages, clustered by site, whose labels are
//! swapped at random. Prints the tables of `docs/methods/statistics.md`; ends with 1 where over the numbers of sites from 50
//! on the test by site rejects less than 3 % or more than 7 %, or on pages without disasters the percentile interval
//! of a difference holds zero less than 93 % or more than 97 % of the time.

use std::process::ExitCode;

use carat::scoring::Counts;
use carat::statistics::{
    Aggregate, Comparison, Estimate, Figure, Interval, Paired, Part, Sampling, Totals, estimates, resampled_figures,
};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Numbers of sites that are tried.
const SITES: [usize; 6] = [6, 10, 20, 50, 126, 300];

/// From this number on all are taken together, and the limits are held.
const HELD_FROM: usize = 50;

/// Sites of the great sample whose figures are taken for the true ones.
const GREAT: usize = 200_000;

/// How labels are swapped.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Swap {
    /// Each page by itself: the differences of a site's pages are independent.
    Page,
    /// Each site as a whole: they are alike.
    Site,
}

/// What made pages are like.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Design {
    /// Ten pages a site, and normal differences between sites.
    Even,
    /// The same, but one to twenty pages a site, most of few.
    Uneven,
    /// Uneven, and skewed: one site of eight is a disaster for one of the systems, as templates are.
    Disasters,
}

impl Design {
    const ALL: [Design; 3] = [Design::Even, Design::Uneven, Design::Disasters];

    fn name(self) -> &'static str {
        match self {
            Design::Even => "even",
            Design::Uneven => "uneven",
            Design::Disasters => "disasters",
        }
    }
}

/// A made page: its site, and the counts of two systems.
struct Page {
    site: usize,
    counts: [Counts; 2],
}

/// Numbers from 0 to below 1.
fn fraction(generator: &mut ChaCha8Rng) -> f64 {
    generator.next_u32() as f64 / (f64::from(u32::MAX) + 1.0)
}

/// Close to a standard normal number: twelve uniform ones added up.
fn normal(generator: &mut ChaCha8Rng) -> f64 {
    (0..12).map(|_| fraction(generator)).sum::<f64>() - 6.0
}

/// What a system loses on all pages of a site.
fn site_loss(generator: &mut ChaCha8Rng, design: Design) -> f64 {
    if design != Design::Disasters {
        return 0.08 * normal(generator);
    }
    let disaster = if fraction(generator) < 0.0625 { 0.6 } else { 0.0 };
    0.2 * fraction(generator).powi(3) + disaster
}

/// Pages of `sites` sites; each site has a quality of its own for both systems, and one for each.
fn pages(generator: &mut ChaCha8Rng, design: Design, sites: usize) -> Vec<Page> {
    let mut pages = Vec::new();
    for site in 0..sites {
        let count = if design == Design::Even { 10 } else { 1 + (20.0 * fraction(generator).powi(3)) as usize };
        let shared = 0.2 + 0.05 * normal(generator);
        let own = [0, 1].map(|_| site_loss(generator, design));
        for _ in 0..count {
            let gold = 50 + (2000.0 * fraction(generator).powi(2)) as u64;
            let counts = own.map(|own| {
                let found = (1.0 - shared - own - 0.05 * normal(generator)).clamp(0.0, 1.0);
                let matched = (gold as f64 * found) as u64;
                let extra = gold as f64 * 0.3 * fraction(generator).powi(2);
                Counts { matched, extracted: matched + extra as u64, gold }
            });
            pages.push(Page { site, counts });
        }
    }
    pages
}

fn totals(pages: &[Page], sites: usize) -> Vec<Totals> {
    let mut totals = vec![Totals::default(); sites];
    for Page { site, counts: [counts, _] } in pages {
        totals[*site].add([counts.matched, counts.extracted, counts.gold], counts.score().values());
    }
    totals
}

/// The two rows of `pages` with labels swapped, compared.
fn null_pair(generator: &mut ChaCha8Rng, pages: &[Page], swap: Swap, sampling: Sampling) -> Comparison {
    let mut rows = vec![Vec::new(), Vec::new()];
    let (mut site, mut first) = (usize::MAX, 0);
    for page in pages {
        if swap == Swap::Page || page.site != site {
            (site, first) = (page.site, (generator.next_u32() & 1) as usize);
        }
        rows[0].push(page.counts[first].score().f1);
        rows[1].push(page.counts[1 - first].score().f1);
    }
    let sites = pages.iter().map(|page| page.site).collect();
    Paired::new(rows, sites, sampling).compare(0, 1)
}

/// How often something was so.
#[derive(Clone, Copy, Default)]
struct Share {
    yes: usize,
    all: usize,
}

impl Share {
    fn add(&mut self, yes: bool) {
        *self = Share { yes: self.yes + usize::from(yes), all: self.all + 1 };
    }

    fn with(self, other: Share) -> Share {
        Share { yes: self.yes + other.yes, all: self.all + other.all }
    }

    fn percent(self) -> f64 {
        100.0 * self.yes as f64 / self.all.max(1) as f64
    }
}

/// Whether each interval of `estimate` holds `value`: the percentile one, and BCa.
fn holds(estimate: &Estimate, value: f64) -> [bool; 2] {
    [estimate.percentile, estimate.bca].map(|interval| interval.is_some_and(|interval: Interval| interval.holds(value)))
}

/// Random numbers for the pages of one repetition, none of which its tests or intervals use.
fn made_from(repetition: u64, sites: usize) -> ChaCha8Rng {
    let mut generator = ChaCha8Rng::seed_from_u64(!repetition);
    generator.set_stream(sites as u64);
    generator
}

/// The rates of null pairs with so many sites: rejections by site and by page, and how often the intervals of the
/// difference hold zero.
fn null_pairs(pairs: u64, design: Design, sites: usize, swap: Swap) -> [Share; 4] {
    let mut shares = [Share::default(); 4];
    for pair in 0..pairs {
        let mut generator = made_from(pair, sites);
        let pages = pages(&mut generator, design, sites);
        let sampling = Sampling { seed: pair, resamples: 2000, flips: 9999, ..Sampling::default() };
        let comparison = null_pair(&mut generator, &pages, swap, sampling);
        let [percentile, bca] = holds(&comparison.difference, 0.0);
        let seen = [comparison.by_site.p <= 0.05, comparison.by_page.p <= 0.05, percentile, bca];
        shares.iter_mut().zip(seen).for_each(|(share, seen)| share.add(seen));
    }
    shares
}

/// The figures whose intervals are tried.
const FIGURES: [Figure; 5] = [
    Figure(Aggregate::Macro, Part::F1),
    Figure(Aggregate::SiteMacro, Part::F1),
    Figure(Aggregate::Micro, Part::F1),
    Figure(Aggregate::PaperCevc, Part::F1),
    Figure(Aggregate::Benchmark, Part::F1),
];

/// How often the intervals of one row's figures hold the figure of a great sample: percentile and BCa of each.
fn coverage(rows: u64, design: Design, sites: usize, truth: &[f64]) -> Vec<[f64; 2]> {
    let mut shares = [[Share::default(); 2]; FIGURES.len()];
    for row in 0..rows {
        let mut generator = made_from(row, sites);
        let pages = pages(&mut generator, design, sites);
        let sampling = Sampling { seed: row, resamples: 2000, ..Sampling::default() };
        let figures = &resampled_figures(&[totals(&pages, sites)], &FIGURES, &sampling)[0];
        for ((shares, figure), &truth) in shares.iter_mut().zip(figures).zip(truth) {
            let held = holds(&figure.estimate(), truth);
            shares.iter_mut().zip(held).for_each(|(share, held)| share.add(held));
        }
    }
    shares.map(|shares| shares.map(Share::percent)).into()
}

/// The figures of a sample so great that they are taken for the true ones.
fn truth(design: Design) -> Vec<f64> {
    let mut generator = ChaCha8Rng::seed_from_u64(1 << 40);
    let pages = pages(&mut generator, design, GREAT);
    let sampling = Sampling { resamples: 2, ..Sampling::default() };
    let figures = estimates(&[totals(&pages, GREAT)], &FIGURES, &sampling).remove(0);
    figures.iter().map(|figure| figure.point).collect()
}

fn main() -> ExitCode {
    let pairs = std::env::args().nth(1).map_or(Some(1000), |pairs| pairs.parse().ok());
    let Some(pairs) = pairs else {
        eprintln!("the number of pairs is expected, such as 1000");
        return ExitCode::from(2);
    };
    let mut is_held = true;
    println!(
        "| pages | labels swapped | sites | by site rejects | by page rejects | percentile holds 0 | BCa holds 0 |"
    );
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: |");
    for (design, swap) in Design::ALL.iter().flat_map(|&design| [(design, Swap::Page), (design, Swap::Site)]) {
        let swapped = if swap == Swap::Page { "by page" } else { "by site" };
        let line = |sites: &str, shares: [Share; 4]| {
            let cells = shares.map(|share| format!(" {:.1} |", share.percent())).concat();
            println!("| {} | {swapped} | {sites} |{cells}", design.name());
        };
        let mut together = [Share::default(); 4];
        for sites in SITES {
            let shares = null_pairs(pairs, design, sites, swap);
            line(&sites.to_string(), shares);
            if sites >= HELD_FROM {
                together = std::array::from_fn(|at| together[at].with(shares[at]));
            }
        }
        line(&format!("{HELD_FROM} and more"), together);
        let [by_site, _, percentile, _] = together.map(Share::percent);
        let is_covered = design == Design::Disasters || (93.0..=97.0).contains(&percentile);
        is_held &= is_covered && (3.0..=7.0).contains(&by_site);
    }
    let names = FIGURES.map(|figure| format!(" {figure} |")).concat();
    println!("\n| pages | sites |{names}\n| --- | ---: |{}", " ---: |".repeat(FIGURES.len()));
    for design in Design::ALL {
        let truth = truth(design);
        for sites in SITES {
            let held = coverage(pairs, design, sites, &truth);
            let cells = held.iter().map(|[percentile, bca]| format!(" {percentile:.1} / {bca:.1} |"));
            println!("| {} | {sites} |{}", design.name(), cells.collect::<String>());
        }
    }
    if is_held { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
