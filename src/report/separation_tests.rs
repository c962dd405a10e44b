//! Tables, figures and sentences tell alike which rows are not separated.

use crate::report::examples::{alpha_sweep, row, summary};
use crate::report::families::curves;
use crate::report::figure_inputs::FigureInputs;
use crate::report::language::Language;
use crate::report::overview;
use crate::report::plot::FlatTest;
use crate::report::stats::letter_notes;
use crate::report::sweeps::Sweep;
use crate::runs::score_sums::ScoreSums;
use crate::runs::scores::PageScore;
use crate::runs::scores::{RowScores, Scores};
use crate::runs::separation::{Among, Separation};
use crate::runs::summary::Summary;
use crate::runs::summary::SummaryRow;
use crate::statistics::{MOST_TESTED, Part};

/// Scores of a page of each of so many sites; F1 is that of `matched` of 100.
fn scores(sites: usize, matched: impl Fn(usize) -> u64) -> RowScores {
    let page = |site: usize| (format!("p{site}"), PageScore::new(format!("s{site}"), [matched(site), 100, 100], false));
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
    let alone = Separation::default();
    let flat = |rows: &[SummaryRow], scores: &Scores| {
        alone.flat(&rows.iter().collect::<Vec<_>>(), &ScoreSums::of(&summary(rows.to_vec()), scores))
    };
    assert_eq!(flat(&rows, &scores), Some((vec![true, true, false], Among::Figure)));
    scores.get_mut(&rows[2].key()).unwrap().pop_first();
    assert_eq!(flat(&rows, &scores), None, "of other pages nothing is known");
    let (rows, scores) = three(5);
    assert_eq!(flat(&rows, &scores), None, "of five sites nothing is known");
    assert_eq!(flat(&rows, &Scores::new()), None);
}

#[test]
fn a_figure_and_the_letters_of_all_rows_say_the_same() {
    let (rows, scores) = three(12);
    let summary = summary(rows);
    let scores = ScoreSums::of(&summary, &scores);
    let separation = Separation::of(&summary, &scores, Part::F1);
    let tested = separation.of_dataset("d").unwrap();
    let standings: Vec<_> = summary.rows.iter().map(|row| tested.of_row(&row.key()).unwrap()).collect();
    assert_eq!(standings.iter().map(|row| row.letters.as_str()).collect::<Vec<_>>(), ["a", "a", "b"]);
    assert_eq!(standings.iter().map(|row| row.ranks).collect::<Vec<_>>(), [[1, 2], [1, 2], [3, 3]]);
    // Of the last two, the first is the best, and they are told apart among all rows as among themselves.
    let rows: Vec<&SummaryRow> = summary.rows[1..].iter().collect();
    assert_eq!(separation.flat(&rows, &scores), Some((vec![true, false], Among::Dataset)));
}

#[test]
fn the_headline_of_algorithms_says_where_pages_do_not_separate_the_first_two() {
    let (rows, scores) = three(12);
    let summary = summary(rows);
    let scores = ScoreSums::of(&summary, &scores);
    let headline = |separation: &Separation| overview::plot(&summary, separation, "d").sentence;
    let tested = headline(&Separation::of(&summary, &scores, Part::F1));
    let clause = "above the next algorithm, b, which these pages do not separate from it.";
    assert!(tested.english().ends_with(clause), "{tested}");
    assert!(tested.in_language(Language::Chinese).ends_with("，这些页面不足以区分两者。"), "{tested:?}");
    let untested = headline(&Separation::default());
    assert!(untested.english().ends_with("above the next algorithm, b, which was not tested."), "{untested}");
}

#[test]
fn of_more_rows_than_can_be_tested_a_figure_is_tested_alone() {
    let (mut rows, mut scores) = three(12);
    for number in 0..MOST_TESTED {
        let more = row("d", &format!("z{number}"), 0.1);
        scores.insert(more.key(), scores[&rows[0].key()].clone());
        rows.push(more);
    }
    let summary = summary(rows);
    let scores = ScoreSums::of(&summary, &scores);
    let separation = Separation::of(&summary, &scores, Part::F1);
    let tested = separation.of_dataset("d").unwrap();
    assert!(tested.is_empty());
    assert_eq!(letter_notes(tested, 12)[0].english(), "no letters: there are more than 100 rows");
    let few: Vec<&SummaryRow> = summary.rows[..3].iter().collect();
    assert_eq!(separation.flat(&few, &scores), Some((vec![true, true, false], Among::Figure)));
    assert_eq!(separation.flat(&summary.rows.iter().collect::<Vec<_>>(), &scores), None);
}

#[test]
fn a_curve_shades_its_flat_region_and_tells_it() {
    let summary = summary(alpha_sweep("d", 5));
    // The second and the third are the best; on the last they differ from it here and there.
    let heights: [fn(usize) -> u64; 5] = [|_| 50, |_| 90, |_| 90, |_| 60, |site| if site % 2 == 0 { 97 } else { 81 }];
    let mut rows = summary.rows.clone();
    let of = |(row, height): (&mut SummaryRow, fn(usize) -> u64)| {
        let scores = scores(12, height);
        row.aggregates = crate::runs::scores::aggregates(&scores);
        (row.key(), scores)
    };
    let scores: Scores = rows.iter_mut().zip(heights).map(of).collect();
    let summary = Summary { rows, ..summary };
    let scores = ScoreSums::of(&summary, &scores);
    let separation = Separation::of(&summary, &scores, Part::F1);
    let inputs = FigureInputs { scores, separation, times: Vec::new() };
    let plot = Sweep::of_rows(&curves(&summary.rows, "d")[0], &inputs).plot(&summary);
    let region = plot.flat.as_ref().unwrap();
    assert_eq!((region.flat, region.of, region.test), (3, 5, Some(FlatTest::Rows(Among::Dataset))));
    let [first, second] = region.spans[..] else { panic!("{region:?}") };
    assert!(first.0 < first.1 && second.0 == second.1, "{region:?}");
    assert_eq!(plot.key[0].text.english(), "not separable from the best (3 of 5)");
    assert!(plot.notes.iter().any(|note| {
        note.text.english().starts_with("not separable from the best: rows that share a letter with it")
    }));
    let flat: Vec<&str> = plot.table[1..6].iter().map(|line| line[6].as_str()).collect();
    assert_eq!(flat, ["false", "true", "true", "false", "true"]);
    let shaded = crate::report::examples::svg(&plot).matches("#FFF2C8").count();
    assert_eq!(shaded, 2 + 1, "two spans and the key");
}

#[test]
fn where_no_corrected_test_can_tell_rows_apart_figures_say_so_and_how_many_sites_it_takes() {
    // Six sites are enough for one test, and for two or more they are not.
    let (rows, scores) = three(6);
    let summary = summary(rows);
    let scores = ScoreSums::of(&summary, &scores);
    let separation = Separation::of(&summary, &scores, Part::F1);
    let few = separation.of_dataset("d").unwrap().too_few_sites().unwrap();
    assert_eq!((few.sites, few.tests, few.fewest), (6, 3, 7));
    let told = overview::plot(&summary, &separation, "d").sentence;
    let clause = "a difference that cannot be told from chance on 6 sites (it takes 7 sites).";
    assert!(told.english().ends_with(clause), "{told}");
}

#[test]
fn a_curve_of_too_few_sites_has_no_flat_region_and_says_why() {
    let (rows, scores) = three(7);
    let of_seven = summary(rows);
    let enough = Separation::of(&of_seven, &ScoreSums::of(&of_seven, &scores), Part::F1);
    assert_eq!(enough.of_dataset("d").unwrap().too_few_sites(), None);
    let summary = summary(alpha_sweep("d", 5));
    let heights: [fn(usize) -> u64; 5] = [|_| 50, |_| 90, |_| 88, |_| 60, |_| 70];
    let scores: Scores =
        summary.rows.iter().zip(heights).map(|(row, height)| (row.key(), self::scores(7, height))).collect();
    let scores = ScoreSums::of(&summary, &scores);
    let separation = Separation::of(&summary, &scores, Part::F1);
    let inputs = FigureInputs { scores, separation, times: Vec::new() };
    let plot = Sweep::of_rows(&curves(&summary.rows, "d")[0], &inputs).plot(&summary);
    assert!(plot.flat.is_none(), "{:?}", plot.flat);
    let words = "too few sites: with 7 sites none of 10 tests can come to 0.05 after the correction for their number, so no \
                 two rows can be told apart; it takes 9 sites";
    assert!(plot.notes.iter().any(|note| note.text.english() == words), "{:?}", plot.notes);
    assert!(!plot.sentence.english().contains("cannot be told apart"), "{}", plot.sentence);
}
