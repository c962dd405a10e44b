//! Rows of numbers in, aggregates out. This layer knows neither pages nor algorithms.

use serde::{Deserialize, Serialize};

/// What one page contributes: counts, and its precision, recall and F1 in units of 1e-12.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'a> {
    /// The site the page is of.
    pub site: &'a str,
    /// `matched, extracted, gold`.
    pub counts: [u64; 3],
    /// Precision, recall, F1, each 0 to 1e12.
    pub score: [u64; 3],
}

/// The unit of scores.
const ONE: u64 = 1_000_000_000_000;

/// Precision, recall and F1, each 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Triple {
    /// Precision.
    pub precision: f64,
    /// Recall.
    pub recall: f64,
    /// F1.
    pub f1: f64,
}

/// The article-extraction-benchmark's own aggregate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Benchmark {
    /// Mean precision of the pages that have one (something was extracted).
    pub precision: f64,
    /// Mean recall of the pages that have one (the gold is not empty).
    pub recall: f64,
    /// Harmonic mean of the two means.
    pub f1: f64,
    /// Share of pages extracted without any difference.
    pub accuracy: f64,
}

/// Every aggregate of a row (conventions 6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Aggregates {
    /// Mean over pages of precision, of recall and of F1.
    #[serde(rename = "macro")]
    pub macro_: Triple,
    /// Mean over sites of each site's macro.
    pub site_macro: Triple,
    /// Sums of counts over pages, then precision, recall and F1 of the sums.
    pub micro: Triple,
    /// The CEVC paper's: a site's F1 is the harmonic mean of its mean precision and mean recall;
    /// figures are means over sites.
    pub paper_cevc: Triple,
    /// The article-extraction-benchmark's.
    pub benchmark: Benchmark,
}

/// The aggregates of one row's pages; all 0 where there is no page.
pub fn aggregate(pages: &[Observation<'_>]) -> Aggregates {
    let sites = by_site(pages);
    let over_sites = |of: fn(&[Observation<'_>]) -> [u64; 3]| {
        let figures: Vec<[u64; 3]> = sites.iter().map(|site| of(site)).collect();
        triple(mean(figures.iter().copied()))
    };
    Aggregates {
        macro_: macro_mean(pages),
        site_macro: over_sites(|site| mean(site.iter().map(|page| page.score))),
        micro: micro(pages),
        paper_cevc: over_sites(|site| {
            let [precision, recall, _] = mean(site.iter().map(|page| page.score));
            [precision, recall, harmonic(precision, recall)]
        }),
        benchmark: benchmark(pages),
    }
}

/// Mean over pages of precision, of recall and of F1.
pub fn macro_mean(pages: &[Observation<'_>]) -> Triple {
    triple(mean(pages.iter().map(|page| page.score)))
}

/// The exact sums' means as fractions: how a sum of scores over `pages` pages is printed.
pub fn mean_of_sums(sums: [i128; 3], pages: u64) -> Triple {
    triple(sums.map(|sum| rounded(sum.max(0) as u128, pages)))
}

fn by_site<'p, 'a>(pages: &'p [Observation<'a>]) -> Vec<Vec<Observation<'a>>> {
    let mut sorted: Vec<&'p Observation<'a>> = pages.iter().collect();
    sorted.sort_by_key(|page| page.site);
    sorted.chunk_by(|one, other| one.site == other.site).map(|site| site.iter().map(|&&page| page).collect()).collect()
}

fn mean(figures: impl ExactSizeIterator<Item = [u64; 3]>) -> [u64; 3] {
    let count = figures.len() as u64;
    let sums = figures.fold([0u128; 3], |sums, figure| std::array::from_fn(|i| sums[i] + u128::from(figure[i])));
    sums.map(|sum| rounded(sum, count))
}

/// `sum / count`, half up; 0 of nothing.
fn rounded(sum: u128, count: u64) -> u64 {
    if count == 0 {
        return 0;
    }
    let count = u128::from(count);
    ((2 * sum + count) / (2 * count)) as u64
}

fn harmonic(precision: u64, recall: u64) -> u64 {
    let sum = precision + recall;
    if sum == 0 { 0 } else { rounded(2 * u128::from(precision) * u128::from(recall), sum) }
}

fn fraction(value: u64) -> f64 {
    value as f64 / ONE as f64
}

fn triple([precision, recall, f1]: [u64; 3]) -> Triple {
    Triple { precision: fraction(precision), recall: fraction(recall), f1: fraction(f1) }
}

fn micro(pages: &[Observation<'_>]) -> Triple {
    let [matched, extracted, gold] =
        pages.iter().fold([0u64; 3], |sums, page| std::array::from_fn(|i| sums[i] + page.counts[i]));
    let share = |part: u64, whole: u64| {
        if whole == 0 {
            u64::from(extracted == 0 && gold == 0 && !pages.is_empty()) * ONE
        } else {
            rounded(u128::from(part) * u128::from(ONE), whole)
        }
    };
    triple([share(matched, extracted), share(matched, gold), share(2 * matched, extracted + gold)])
}

fn benchmark(pages: &[Observation<'_>]) -> Benchmark {
    let mean_where = |side: usize| {
        let defined = pages.iter().filter(|page| page.counts[side] > 0);
        let scores: Vec<[u64; 3]> = defined.map(|page| page.score).collect();
        mean(scores.iter().copied())[side - 1]
    };
    let (precision, recall) = (mean_where(1), mean_where(2));
    let exact = pages.iter().filter(|page| page.score == [ONE; 3]).count() as u128;
    Benchmark {
        precision: fraction(precision),
        recall: fraction(recall),
        f1: fraction(harmonic(precision, recall)),
        accuracy: fraction(rounded(exact * u128::from(ONE), pages.len() as u64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(site: &str, matched: u64, extracted: u64, gold: u64) -> Observation<'_> {
        let share = |part: u64, whole: u64| (part * ONE).checked_div(whole).unwrap_or(0);
        let score = [share(matched, extracted), share(matched, gold), share(2 * matched, extracted + gold)];
        Observation { site, counts: [matched, extracted, gold], score }
    }

    fn near(triple: Triple, expected: [f64; 3]) {
        let found = [triple.precision, triple.recall, triple.f1];
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-11), "{found:?} {expected:?}");
    }

    /// Site a: P 1 and 1/2, R 1/2 and 1, F1 2/3 both. Site b: P 1/4, R 1, F1 2/5.
    fn pages() -> Vec<Observation<'static>> {
        vec![page("a", 1, 1, 2), page("b", 1, 4, 1), page("a", 1, 2, 1)]
    }

    #[test]
    fn every_aggregate_by_hand() {
        let all = aggregate(&pages());
        near(all.macro_, [7.0 / 12.0, 5.0 / 6.0, (2.0 / 3.0 + 0.4 + 2.0 / 3.0) / 3.0]);
        near(all.site_macro, [0.5, 0.875, (2.0 / 3.0 + 0.4) / 2.0]);
        near(all.micro, [3.0 / 7.0, 3.0 / 4.0, 6.0 / 11.0]);
        // Site a: harmonic mean of 3/4 and 3/4; site b: of 1/4 and 1.
        near(all.paper_cevc, [0.5, 0.875, (0.75 + 0.4) / 2.0]);
    }

    #[test]
    fn benchmark_skips_what_is_undefined_and_ours_does_not() {
        let pages = [page("a", 2, 2, 2), page("a", 0, 0, 4)];
        let all = aggregate(&pages);
        assert_eq!((all.benchmark.precision, all.benchmark.recall, all.benchmark.accuracy), (1.0, 0.5, 0.5));
        assert_eq!(all.macro_.precision, 0.5);
    }

    #[test]
    fn no_page_gives_zeros() {
        assert_eq!(aggregate(&[]), Aggregates::default());
    }
}
