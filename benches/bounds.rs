//! The exact best set of segments beside its peer, a plain table.
//!
//! `cargo bench --bench bounds`. Pages are made: lines of made words, of which a part is the gold, with some words of it
//! replaced. Both sides start with the F1 of the whole text and must find the same F1. The table has a value for each
//! place of the gold after each token, sum after sum (Dinkelbach 1967), and is left out where that is not bearable. One
//! thread, the best of several rounds: read the ratios.

use std::hint::black_box;
use std::ops::Range;
use std::time::{Duration, Instant};

use carat::scoring::subset::best_subset;
use carat::text::lcs::Reference;

const ROUNDS: usize = 3;

/// The table is made for pages of so many characters at most.
const BEARABLE: usize = 15_000;

/// A text in segments, and its gold.
struct Made {
    text: Vec<u32>,
    segments: Vec<Range<usize>>,
    gold: Vec<u32>,
}

fn main() {
    println!("{:>10} {:>9} {:>8} {:>12} {:>12} {:>8}", "characters", "replaced", "F1", "table", "carat", "x");
    for characters in [3_000, 15_000, 180_000] {
        for replaced in [0, 1, 10] {
            compare(characters, replaced);
        }
    }
}

/// A page of `characters`; of a hundred words of its gold so many are replaced.
fn made(characters: usize, replaced: u32) -> Made {
    let mut next = random();
    let words: Vec<Vec<u32>> =
        (0..5_000).map(|_| (0..2 + next() % 8).map(|_| next() % 26).chain([26]).collect()).collect();
    let mut page = Made { text: Vec::new(), segments: Vec::new(), gold: Vec::new() };
    while page.text.len() < characters {
        let start = page.text.len();
        // The middle of the page is its content, in long lines.
        let is_content = (characters / 8..characters * 7 / 8).contains(&start);
        for _ in 0..if is_content { 5 + next() % 20 } else { 1 + next() % 4 } {
            let word = &words[next() as usize % words.len()];
            page.text.extend(word);
            if is_content {
                let is_replaced = next() % 100 < replaced;
                page.gold.extend(if is_replaced { &words[next() as usize % words.len()] } else { word });
            }
        }
        page.segments.push(start..page.text.len());
    }
    page
}

/// Prints the row of a made page.
///
/// # Panics
/// Where the two sides disagree.
fn compare(characters: usize, replaced: u32) {
    let page = &made(characters, replaced);
    let (chosen, time) =
        best_of(|| best_subset(&page.text, &page.segments, &page.gold).expect("it is within the limits").chosen);
    let found = size(page, &chosen);
    let f1 = 2.0 * found.matched as f64 / (found.tokens + page.gold.len()) as f64;
    print!("{:>10} {:>7} % {f1:>8.4}", page.text.len(), replaced);
    if characters > BEARABLE {
        println!(" {:>12} {time:>12.2?}", "-");
        return;
    }
    let (expected, table) = best_of(|| by_table(page));
    let cross = |one: Size, other: Size| one.matched * (other.tokens + page.gold.len());
    assert_eq!(cross(found, expected), cross(expected, found), "both find the greatest F1");
    println!(" {table:>12.2?} {time:>12.2?} {:>8.0}", table.as_secs_f64() / time.as_secs_f64());
}

/// How large a set is, and how many of its tokens are matched.
#[derive(Clone, Copy)]
struct Size {
    matched: usize,
    tokens: usize,
}

/// The greatest F1, by sums over all segments.
fn by_table(page: &Made) -> Size {
    let everything: Vec<usize> = (0..page.segments.len()).collect();
    let mut best = size(page, &everything);
    loop {
        let (p, q) = (2 * best.matched as i64, (best.tokens + page.gold.len()) as i64);
        let found = best_at(page, p, q);
        if 2 * found.matched as i64 * q <= p * (found.tokens + page.gold.len()) as i64 {
            return best;
        }
        best = found;
    }
}

/// The size of a set with the greatest `2q LCS(S, g) - p |S|`. Everything is counted so many times over that a value tells
/// the size too.
fn best_at(page: &Made, p: i64, q: i64) -> Size {
    let times = page.text.len() as i64 + 1;
    let (whole, cost) = (2 * q * times, p * times - 1);
    let mut values = vec![0; page.gold.len() + 1];
    for segment in &page.segments {
        let mut taken: Vec<i64> = values.iter().map(|value| value - cost * segment.len() as i64).collect();
        for token in &page.text[segment.clone()] {
            let mut before = taken[0];
            for (place, gold) in page.gold.iter().enumerate() {
                let old = taken[place + 1];
                let matched = if gold == token { before + whole } else { i64::MIN };
                taken[place + 1] = old.max(taken[place]).max(matched);
                before = old;
            }
        }
        values.iter_mut().zip(taken).for_each(|(value, taken)| *value = taken.max(*value));
    }
    let value = values[page.gold.len()];
    let tokens = value.rem_euclid(times);
    Size { matched: ((value.div_euclid(times) + p * tokens) / (2 * q)) as usize, tokens: tokens as usize }
}

/// The size of the set of some segments.
fn size(page: &Made, chosen: &[usize]) -> Size {
    let text: Vec<u32> = chosen.iter().flat_map(|&place| &page.text[page.segments[place].clone()]).copied().collect();
    Size { matched: Reference::new(&page.gold).lcs(&text), tokens: text.len() }
}

/// The result of `work` and its shortest time.
fn best_of<T>(work: impl Fn() -> T) -> (T, Duration) {
    let round = || {
        let start = Instant::now();
        let result = black_box(work());
        (result, start.elapsed())
    };
    (0..ROUNDS).map(|_| round()).min_by_key(|(_, time)| *time).expect("there is a round")
}

/// The same numbers each time (xorshift).
fn random() -> impl FnMut() -> u32 {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u32
    }
}
