//! The search for the best set of segments (`oracle-nodes`) beside what it cannot go below: one LCS of the same text and
//! gold. Texts are those of the embedded pages, one after the other, to the size of a page of 20, 60 and 180 thousand
//! characters; each gold is every second page of them, of which some tokens are others.
//!
//! `cargo bench --bench bounds`. One thread.

use std::ops::Range;

use carat::datasets::locate::{EMBEDDED, locate};
use carat::scoring::subset::best_subset;
use carat::text::lcs::Reference;
use carat::text::tokens::Token;
use divan::Bencher;

fn main() {
    divan::main();
}

const SIZES: [usize; 3] = [20_000, 60_000, 180_000];

/// One token of so many differs in the gold.
const CHANGED: usize = 200;

struct Problem {
    text: Vec<Token>,
    segments: Vec<Range<usize>>,
    gold: Vec<Token>,
}

/// The golds' lines are the segments.
fn problem(size: usize) -> Problem {
    let dataset = locate(EMBEDDED).expect("the dataset is inside the program");
    let records = dataset.records.iter().map(|record| record.expect("the page list is there"));
    let golds = records.filter_map(|record| dataset.gold_text(&record));
    let mut problem = Problem { text: Vec::new(), segments: Vec::new(), gold: Vec::new() };
    for (page, gold) in golds.collect::<Vec<_>>().iter().cycle().enumerate() {
        for line in gold.lines() {
            let start = problem.text.len();
            problem.text.extend(line.chars().map(u32::from));
            problem.segments.push(start..problem.text.len());
        }
        if page % 2 == 0 {
            problem.gold.extend(gold.lines().flat_map(str::chars).map(u32::from));
        }
        if problem.text.len() >= size {
            break;
        }
    }
    problem.gold.iter_mut().step_by(CHANGED).for_each(|token| *token += 1);
    problem
}

#[divan::bench(args = SIZES, sample_count = 5)]
fn best_set(bencher: Bencher<'_, '_>, size: usize) {
    let Problem { text, segments, gold } = problem(size);
    bencher.bench(|| best_subset(&text, &segments, &gold).expect("the page is of a size that is searched"));
}

#[divan::bench(args = SIZES, sample_count = 5)]
fn one_lcs(bencher: Bencher<'_, '_>, size: usize) {
    let Problem { text, gold, .. } = problem(size);
    bencher.bench(|| Reference::new(&gold).lcs(&text));
}
