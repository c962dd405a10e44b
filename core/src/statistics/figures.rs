//! Every aggregate's figures with their intervals, from the sums of each site.

use std::fmt;

use super::aggregates::{Aggregates, Sums, Totals, harmonic};
use super::estimate::Estimate;
use super::resampling::{Resampled, Sampling, SiteColumns, coarse, mean, resample, share};

/// How scores of pages become a figure of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// Mean over pages.
    Macro,
    /// Mean over sites of each site's mean.
    SiteMacro,
    /// Of summed counts.
    Micro,
    /// The CEVC paper's.
    PaperCevc,
    /// The article-extraction-benchmark's.
    Benchmark,
}

/// What of an aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Precision.
    Precision,
    /// Recall.
    Recall,
    /// F1.
    F1,
    /// Share of pages without any difference; the benchmark's alone.
    Accuracy,
}

/// One figure of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figure(pub Aggregate, pub Part);

impl Figure {
    /// All of them, in the order of tables.
    pub const ALL: [Figure; 16] = {
        use Aggregate::{Benchmark, Macro, Micro, PaperCevc, SiteMacro};
        use Part::{Accuracy, F1, Precision, Recall};
        [
            Figure(Macro, Precision),
            Figure(Macro, Recall),
            Figure(Macro, F1),
            Figure(SiteMacro, Precision),
            Figure(SiteMacro, Recall),
            Figure(SiteMacro, F1),
            Figure(Micro, Precision),
            Figure(Micro, Recall),
            Figure(Micro, F1),
            Figure(PaperCevc, Precision),
            Figure(PaperCevc, Recall),
            Figure(PaperCevc, F1),
            Figure(Benchmark, Precision),
            Figure(Benchmark, Recall),
            Figure(Benchmark, F1),
            Figure(Benchmark, Accuracy),
        ]
    };

    /// The figure among a row's aggregates; 0 where the aggregate has no such part.
    pub fn of(self, aggregates: &Aggregates) -> f64 {
        let Figure(aggregate, part) = self;
        let triple = match aggregate {
            Aggregate::Macro => aggregates.macro_,
            Aggregate::SiteMacro => aggregates.site_macro,
            Aggregate::Micro => aggregates.micro,
            Aggregate::PaperCevc => aggregates.paper_cevc,
            Aggregate::Benchmark => {
                let benchmark = aggregates.benchmark;
                return [benchmark.precision, benchmark.recall, benchmark.f1, benchmark.accuracy][part as usize];
            }
        };
        match part {
            Part::Precision => triple.precision,
            Part::Recall => triple.recall,
            Part::F1 => triple.f1,
            Part::Accuracy => 0.0,
        }
    }

    /// What the figure is computed from.
    fn columns(self) -> Vec<Column> {
        use Column as C;
        match self {
            Figure(Aggregate::Macro, part) => vec![C::Score(part as usize), C::Pages],
            Figure(Aggregate::SiteMacro | Aggregate::PaperCevc, Part::Precision) => vec![C::SiteMean(0), C::Sites],
            Figure(Aggregate::SiteMacro | Aggregate::PaperCevc, Part::Recall) => vec![C::SiteMean(1), C::Sites],
            Figure(Aggregate::SiteMacro, _) => vec![C::SiteMean(2), C::Sites],
            Figure(Aggregate::PaperCevc, _) => vec![C::SiteHarmonic, C::Sites],
            Figure(Aggregate::Micro, Part::Precision) => vec![C::Matched, C::Extracted, C::Exact, C::Pages],
            Figure(Aggregate::Micro, Part::Recall) => vec![C::Matched, C::Gold, C::Exact, C::Pages],
            Figure(Aggregate::Micro, _) => vec![C::MatchedTwice, C::ExtractedAndGold, C::Exact, C::Pages],
            Figure(Aggregate::Benchmark, Part::Precision) => vec![C::DefinedPrecision, C::PagesWithPrecision],
            Figure(Aggregate::Benchmark, Part::Recall) => vec![C::DefinedRecall, C::PagesWithRecall],
            Figure(Aggregate::Benchmark, Part::F1) => {
                vec![C::DefinedPrecision, C::PagesWithPrecision, C::DefinedRecall, C::PagesWithRecall]
            }
            Figure(Aggregate::Benchmark, Part::Accuracy) => vec![C::Exact, C::Pages],
        }
    }

    /// The figure, of the sums of its columns.
    fn value(self, sums: &[i64]) -> f64 {
        match (self, sums) {
            (Figure(Aggregate::Micro, _), &[_, 0, exact, pages]) => f64::from(exact > 0 && exact == pages),
            (Figure(Aggregate::Benchmark, Part::Accuracy), &[exact, pages]) => share(exact, pages),
            (Figure(Aggregate::Benchmark, Part::F1), &[precision, with_precision, recall, with_recall]) => {
                let (precision, recall) = (mean(precision, with_precision), mean(recall, with_recall));
                let sum = precision + recall;
                if sum == 0.0 { 0.0 } else { 2.0 * precision * recall / sum }
            }
            (Figure(Aggregate::Micro, _), &[part, whole, ..]) => share(part, whole),
            (_, &[sum, count, ..]) => mean(sum, count),
            _ => 0.0,
        }
    }
}

impl fmt::Display for Figure {
    /// As in the header of `tables/rows.csv`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let aggregate = match self.0 {
            Aggregate::Macro => "macro",
            Aggregate::SiteMacro => "site_macro",
            Aggregate::Micro => "micro",
            Aggregate::PaperCevc => "paper_cevc",
            Aggregate::Benchmark => "benchmark",
        };
        let part = match self.1 {
            Part::Precision => "precision",
            Part::Recall => "recall",
            Part::F1 => "f1",
            Part::Accuracy => "accuracy",
        };
        write!(formatter, "{aggregate}_{part}")
    }
}

/// What is summed by site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Pages,
    /// Of precision, recall or F1.
    Score(usize),
    Sites,
    /// Mean of precision, recall or F1.
    SiteMean(usize),
    /// Harmonic mean of mean precision and mean recall.
    SiteHarmonic,
    Matched,
    MatchedTwice,
    Extracted,
    Gold,
    ExtractedAndGold,
    DefinedPrecision,
    PagesWithPrecision,
    DefinedRecall,
    PagesWithRecall,
    Exact,
}

impl Column {
    fn of(self, site: &Totals) -> i64 {
        let means = || Sums::means(&site.sums);
        let [matched, extracted, gold] = site.counts;
        match self {
            Column::Pages => site.pages() as i64,
            Column::Score(part) => coarse(site.sums.scores[part]),
            Column::Sites => 1,
            Column::SiteMean(part) => coarse(means()[part].into()),
            Column::SiteHarmonic => coarse(harmonic(means()[0], means()[1]).into()),
            Column::Matched => matched as i64,
            Column::MatchedTwice => 2 * matched as i64,
            Column::Extracted => extracted as i64,
            Column::Gold => gold as i64,
            Column::ExtractedAndGold => (extracted + gold) as i64,
            Column::DefinedPrecision => coarse(site.precision.0),
            Column::PagesWithPrecision => site.precision.1 as i64,
            Column::DefinedRecall => coarse(site.recall.0),
            Column::PagesWithRecall => site.recall.1 as i64,
            Column::Exact => site.exact as i64,
        }
    }
}

/// The chosen figures of each row, given as its totals site by site, over resampled sites: by row and
/// figure. Sites without a page of a row do not count in it.
pub fn resampled_figures(rows: &[Vec<Totals>], figures: &[Figure], sampling: &Sampling) -> Vec<Vec<Resampled>> {
    let columns = columns(figures);
    let rows: Vec<SiteColumns> = rows.iter().map(|sites| sums_of(&columns, sites)).collect();
    resampled(&rows, &columns, figures, sampling)
}

/// The columns that `figures` are computed from, each once.
fn columns(figures: &[Figure]) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    for column in figures.iter().flat_map(|figure| figure.columns()) {
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    columns
}

/// The sums of `columns` over the pages of each of the sites that have one.
fn sums_of(columns: &[Column], sites: &[Totals]) -> SiteColumns {
    let with_pages = || sites.iter().filter(|site| site.pages() > 0);
    SiteColumns {
        columns: columns.iter().map(|column| with_pages().map(|site| column.of(site)).collect()).collect(),
        pages: with_pages().map(Totals::pages).sum(),
    }
}

fn resampled(rows: &[SiteColumns], columns: &[Column], figures: &[Figure], sampling: &Sampling) -> Vec<Vec<Resampled>> {
    let places: Vec<Vec<usize>> = figures
        .iter()
        .map(|figure| {
            let place = |wanted| columns.iter().position(|column| *column == wanted);
            figure.columns().into_iter().filter_map(place).collect()
        })
        .collect();
    let statistic = |sums: &[i64], values: &mut [f64]| {
        for ((figure, places), value) in figures.iter().zip(&places).zip(values) {
            let mut own = [0; MOST_COLUMNS];
            places.iter().zip(&mut own).for_each(|(&place, sum)| *sum = sums[place]);
            *value = figure.value(&own[..places.len()]);
        }
    };
    resample(rows, figures.len(), &statistic, sampling)
}

/// No figure is computed from more columns.
const MOST_COLUMNS: usize = 4;

/// Rows whose resamples are held at a time: with 10 000 resamples each takes 2 MB. Drawing sites anew for the next ones
/// costs about as much as a row.
const ROWS_AT_A_TIME: usize = 16;

/// Figures without one of the sites that are held at a time: 128 MB. Where sites are very many, these are of fewer rows.
const LEFT_OUT_AT_A_TIME: usize = 1 << 24;

/// `figures` of each row with their intervals, by row. The totals of one row are held at a time: sites may be very many.
pub fn estimates(
    rows: impl IntoIterator<Item: AsRef<[Totals]>>,
    figures: &[Figure],
    sampling: &Sampling,
) -> Vec<Vec<Estimate>> {
    let columns = columns(figures);
    let rows: Vec<SiteColumns> = rows.into_iter().map(|sites| sums_of(&columns, sites.as_ref())).collect();
    let of_some = |rows: &[SiteColumns]| -> Vec<Vec<Estimate>> {
        let resampled = resampled(rows, &columns, figures, sampling);
        resampled.iter().map(|row| row.iter().map(Resampled::estimate).collect()).collect()
    };
    let of_row = figures.len() * rows.iter().map(SiteColumns::sites).max().unwrap_or_default();
    let at_a_time = (LEFT_OUT_AT_A_TIME / of_row.max(1)).clamp(1, ROWS_AT_A_TIME);
    rows.chunks(at_a_time).flat_map(of_some).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_the_same_estimates_however_many_stand_beside_them() {
        let site = |row: u64, site: u64| {
            let mut totals = Totals::default();
            let f1 = (row * 37 + site * 101) % 1000 * 1_000_000_000;
            totals.add([row, 2 * site, row + site], [f1, f1 / 2, f1]);
            totals
        };
        let rows: Vec<Vec<Totals>> = (0..2 * ROWS_AT_A_TIME as u64 + 1)
            .map(|row| (0..4 + row % 3).map(|number| site(row, number)).collect())
            .collect();
        let sampling = Sampling { resamples: 200, ..Sampling::default() };
        let together = estimates(&rows, &Figure::ALL, &sampling);
        assert_eq!(together.len(), rows.len());
        for (row, estimates_of_row) in rows.iter().zip(together) {
            assert_eq!(estimates(std::slice::from_ref(row), &Figure::ALL, &sampling), [estimates_of_row]);
        }
    }
}
