//! The plateau, or flat region, of a figure: its settings that are not separable from the best.

use std::collections::BTreeMap;

use super::families::f1;
use crate::runs::scores::{RowScores, Scores};
use crate::runs::summary::{FLAT_SAMPLING, MOST_FLAT, SummaryRow};
use crate::statistics::flat_region;

/// Which of `rows`, the settings of one figure, are not separable from the best; `None` where that cannot be told: of
/// fewer than two sites, of too many settings, of pages that not every row has.
pub fn of_rows(rows: &[&SummaryRow], scores: &Scores) -> Option<Vec<bool>> {
    if rows.len() > MOST_FLAT {
        return None;
    }
    let scores: Vec<&RowScores> = rows.iter().map(|row| scores.get(&row.key())).collect::<Option<_>>()?;
    let first = scores.first()?;
    if !scores.iter().all(|row| row.keys().eq(first.keys())) {
        return None;
    }
    let sites = |row: &RowScores| {
        let mut sites: BTreeMap<&str, (u128, u64)> = BTreeMap::new();
        for page in row.values() {
            let site = sites.entry(page.site.as_str()).or_default();
            *site = (site.0 + u128::from(page.score[2]), site.1 + 1);
        }
        sites.into_values().unzip::<_, _, Vec<u128>, Vec<u64>>()
    };
    let means: Vec<f64> = rows.iter().map(|row| f1(row)).collect();
    let by_site = |looked_at: &[usize]| looked_at.iter().map(|&row| sites(scores[row]).0).collect();
    flat_region(&means, MOST_FLAT, by_site, &sites(first).1, &FLAT_SAMPLING)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{alpha_sweep, row, summary};
    use crate::report::families::curves;
    use crate::report::sweeps::Sweep;
    use crate::runs::scores::PageScore;
    use crate::runs::summary::Summary;

    /// Scores of a page of each of so many sites; F1 is that of `matched` of 100.
    fn scores(sites: usize, matched: impl Fn(usize) -> u64) -> RowScores {
        let page =
            |site: usize| (format!("p{site}"), PageScore::new(format!("s{site}"), [matched(site), 100, 100], false));
        (0..sites).map(page).collect()
    }

    /// Three rows: the best, one that differs from it here and there, and one that is lower on every site.
    fn three(sites: usize) -> (Vec<SummaryRow>, Scores) {
        let rows: Vec<SummaryRow> = [("a", 0.9), ("b", 0.89), ("c", 0.5)].map(|(name, f1)| row("d", name, f1)).into();
        let of = [
            scores(sites, |_| 90),
            scores(sites, |site| if site % 2 == 0 { 96 } else { 82 }),
            scores(sites, |site| 50 + site as u64 % 2),
        ];
        let scores = rows.iter().map(SummaryRow::key).zip(of).collect();
        (rows, scores)
    }

    #[test]
    fn what_is_not_separable_from_the_best_is_flat() {
        let (rows, mut scores) = three(12);
        let rows: Vec<&SummaryRow> = rows.iter().collect();
        assert_eq!(of_rows(&rows, &scores), Some(vec![true, true, false]));
        scores.get_mut(&rows[2].key()).unwrap().pop_first();
        assert_eq!(of_rows(&rows, &scores), None, "of other pages nothing is known");
        let (rows, scores) = three(1);
        assert_eq!(of_rows(&rows.iter().collect::<Vec<_>>(), &scores), None, "of one site nothing is known");
        assert_eq!(of_rows(&rows.iter().collect::<Vec<_>>(), &Scores::new()), None);
    }

    #[test]
    fn a_curve_shades_its_flat_region_and_tells_it() {
        let summary = summary(alpha_sweep("d", 5));
        // The second and the third are the best; on the last they differ from it here and there.
        let heights: [fn(usize) -> u64; 5] =
            [|_| 50, |_| 90, |_| 90, |_| 60, |site| if site % 2 == 0 { 97 } else { 81 }];
        let mut rows = summary.rows.clone();
        let of = |(row, height): (&mut SummaryRow, fn(usize) -> u64)| {
            let scores = scores(12, height);
            row.aggregates = crate::runs::scores::aggregates(&scores);
            (row.key(), scores)
        };
        let scores: Scores = rows.iter_mut().zip(heights).map(of).collect();
        let summary = Summary { rows, ..summary };
        let plot = Sweep::of_rows(&curves(&summary.rows, "d")[0], &scores).plot(&summary);
        let region = plot.flat.as_ref().unwrap();
        assert_eq!((region.flat, region.of, region.tested), (3, 5, true));
        let [first, second] = region.spans[..] else { panic!("{region:?}") };
        assert!(first.0 < first.1 && second.0 == second.1, "{region:?}");
        assert_eq!(plot.key[0].text.english(), "not separable from the best (3 of 5)");
        assert!(
            plot.notes
                .iter()
                .any(|note| note.text.english().starts_with("not separable from the best: the simultaneous 95 %"))
        );
        let flat: Vec<&str> = plot.table[1..6].iter().map(|line| line[6].as_str()).collect();
        assert_eq!(flat, ["false", "true", "true", "false", "true"]);
        let shaded = crate::report::examples::svg(&plot).matches("#FFF2C8").count();
        assert_eq!(shaded, 2 + 1, "two spans and the key");
    }
}
