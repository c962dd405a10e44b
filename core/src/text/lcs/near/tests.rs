use std::ops::{Range, RangeInclusive};

use proptest::prelude::*;
use rapidfuzz::distance::lcs_seq::similarity;

use super::*;

/// An edit at a place, given as a share of the text's length in 2^16ths.
#[derive(Clone, Debug)]
enum Edit {
    Replace(u16, u32),
    Remove(u16),
    Insert(u16, u32),
    Cut(u16, usize),
    Paste(u16, Vec<u32>),
    Move(u16, u16, usize),
}

fn edited(text: &[u32], edits: &[Edit]) -> Vec<u32> {
    let mut text = text.to_vec();
    for edit in edits {
        let place = |text: &[u32], at: u16| (usize::from(at) * text.len()) >> 16;
        match edit {
            &Edit::Replace(at, token) if !text.is_empty() => {
                let at = place(&text, at);
                text[at] = token;
            }
            &Edit::Remove(at) if !text.is_empty() => {
                text.remove(place(&text, at));
            }
            &Edit::Cut(at, length) => {
                let at = place(&text, at);
                text.drain(at..text.len().min(at + length));
            }
            &Edit::Move(from, to, length) => {
                let at = place(&text, from);
                let moved: Vec<u32> = text.drain(at..text.len().min(at + length)).collect();
                let to = place(&text, to);
                text.splice(to..to, moved);
            }
            Edit::Insert(at, token) => text.insert(place(&text, *at), *token),
            Edit::Paste(at, pasted) => {
                let at = place(&text, *at);
                text.splice(at..at, pasted.iter().copied());
            }
            Edit::Replace(..) | Edit::Remove(_) => {}
        }
    }
    text
}

fn edits(symbols: u32) -> impl Strategy<Value = Vec<Edit>> {
    let small = prop_oneof![
        (any::<u16>(), 0..symbols).prop_map(|(at, token)| Edit::Replace(at, token)),
        any::<u16>().prop_map(Edit::Remove),
        (any::<u16>(), 0..symbols).prop_map(|(at, token)| Edit::Insert(at, token)),
    ];
    let large = prop_oneof![
        (any::<u16>(), 0..200usize).prop_map(|(at, length)| Edit::Cut(at, length)),
        (any::<u16>(), proptest::collection::vec(0..symbols, 0..200)).prop_map(|(at, tokens)| Edit::Paste(at, tokens)),
        (any::<u16>(), any::<u16>(), 0..100usize).prop_map(|(from, to, length)| Edit::Move(from, to, length)),
    ];
    (proptest::collection::vec(small, 0..60), proptest::collection::vec(large, 0..4))
        .prop_map(|(small, large)| [large, small].concat())
}

/// A gold, and a text that is made from it, or from parts of it again and again; below how many the tokens are.
fn pair() -> impl Strategy<Value = (Vec<u32>, Vec<u32>, usize)> {
    let symbols = prop_oneof![4 => 1..=6u32, 1 => Just(20), 1 => Just(1000)];
    symbols.prop_flat_map(|symbols| {
        let tokens = proptest::collection::vec(0..symbols, 1..1_200);
        let runs = proptest::collection::vec((0..symbols, 1..40usize), 1..60);
        let runs = runs.prop_map(|runs| runs.iter().flat_map(|&(token, count)| vec![token; count]).collect());
        let text = prop_oneof![tokens, runs];
        let period = prop_oneof![3 => Just(usize::MAX), 1 => 1..100usize];
        let texts = (text, period, edits(symbols), edits(symbols));
        texts
            .prop_map(move |(text, period, one, other)| {
                let text: Vec<u32> = (0..text.len()).map(|i| text[i % period]).collect();
                (edited(&text, &one[..one.len() / 8]), edited(&text, &other), symbols as usize)
            })
            .prop_filter("a text is empty", |(gold, text, _)| !gold.is_empty() && !text.is_empty())
    })
}

/// A few tokens of few symbols, which recur.
fn short_pair() -> impl Strategy<Value = (Vec<u32>, Vec<u32>)> {
    let texts = |symbols| {
        let text = || proptest::collection::vec(0..symbols, 1..60);
        (text(), text(), any::<bool>())
    };
    // Texts of one's own seldom agree in more than a seed: half of the time one is part of the other.
    (1..6u32).prop_flat_map(texts).prop_map(|(gold, text, part)| {
        let text = if part { [&text[..text.len() / 4], &gold[gold.len() / 5..]].concat() } else { text };
        (gold, text)
    })
}

fn sizes() -> impl Strategy<Value = Sizes> {
    let blocks = prop_oneof![Just(8usize), Just(16), Just(40), Just(64), Just(100)];
    (blocks, 1..5usize, 0..12usize).prop_map(|(block, seed, margin)| Sizes { block, seed, margin })
}

/// A course that has nothing to do with the texts: the diagonals of each block, now and then others.
fn wander() -> impl Strategy<Value = Vec<(isize, isize)>> {
    let low = prop_oneof![-60..60isize, -200..200isize];
    let width = prop_oneof![2 => Just(0), 1 => 0..150isize];
    let jump = proptest::option::weighted(0.125, (low, width));
    proptest::collection::vec(jump, 250).prop_map(|jumps| {
        let next = |home: &mut (isize, isize), jump: Option<(isize, isize)>| {
            *home = jump.map_or(*home, |(low, width)| (low, low + width));
            Some(*home)
        };
        jumps.into_iter().scan((0, 0), next).collect()
    })
}

/// What the proof asks of a corridor: both ends are inside, neighbours share a diagonal, and columns never turn back.
fn check(corridor: &Corridor, (rows, columns): (usize, usize)) {
    let (first, last) = (&corridor.blocks[0], corridor.blocks.last().unwrap());
    let end = columns as isize - rows as isize;
    assert!(first.low <= 0 && 0 <= first.high);
    assert!(last.low <= end && end <= last.high && last.columns.end == columns);
    for two in corridor.blocks.windows(2) {
        assert!(two[0].low <= two[1].high && two[1].low <= two[0].high);
        assert!(two[0].columns.start <= two[1].columns.start && two[0].columns.end <= two[1].columns.end);
        assert!(two[1].columns.start <= two[0].columns.end);
    }
}

/// What a corridor tells along `course`, or along its own, with a common subsequence of `known` tokens.
fn bounds(mut search: Search, course: Option<&[(isize, isize)]>, known: usize, stretch: usize) -> (usize, usize) {
    if let Some(course) = course {
        for (home, &diagonals) in search.course.homes.iter_mut().zip(course.iter().cycle()) {
            *home = Some(diagonals);
        }
        search.course.gaps.clear();
    }
    let mut width = Width::least(&search.course, search.sizes);
    if stretch > 0 {
        let corridor = search.corridor(&width);
        let inside = search.inside(&corridor).unwrap();
        let savings = Savings::new(&corridor, &search.outside(&corridor, 0), &inside, search.strips.size());
        width.widen(&search.course, &savings, search.sizes, stretch);
    }
    let corridor = search.corridor(&width);
    check(&corridor, search.strips.size());
    (search.inside(&corridor).unwrap().length, search.most(&corridor, known).unwrap())
}

proptest! {
    #[test]
    fn the_length_lies_between_the_bounds(
        (gold, text, symbols) in pair(),
        sizes in sizes(),
        course in proptest::option::weighted(0.7, wander()),
        unknown in 0..20usize,
        stretch in prop_oneof![2 => Just(0), 1 => 1..3usize],
    ) {
        let length = similarity(gold.iter().copied(), text.iter().copied());
        for known in [0, length.saturating_sub(unknown), length] {
            let search = Search::new(&gold, &text, symbols, sizes, usize::MAX);
            let (least, most) = bounds(search, course.as_deref(), known, stretch);
            prop_assert!(least <= length && length <= most, "{} is not in {}..={}", length, least, most);
        }
    }

    #[test]
    fn what_a_corridor_tells_is_the_length((gold, text, symbols) in pair(), sizes in sizes()) {
        let length = similarity(gold.iter().copied(), text.iter().copied());
        let told = lcs(&gold, &text, symbols, sizes, usize::MAX);
        prop_assert!(told.is_none_or(|told| told == length), "{:?} is not {}", told, length);
    }
}

/// The least cost of a path through `rows` that keeps to the diagonals `side` and takes tokens within `limits` alone,
/// from the table.
fn cheapest(
    gold: &[u32],
    text: &[u32],
    rows: Range<usize>,
    side: RangeInclusive<isize>,
    limits: (isize, isize),
) -> usize {
    let far = usize::MAX / 2;
    let mut costs: Vec<usize> = vec![far; text.len() + 1];
    for row in rows.start..=rows.end {
        let above = costs.clone();
        for column in 0..=text.len() {
            let diagonal = column as isize - row as isize;
            let first = if row == rows.start { 0 } else { above[column] + 1 };
            let right = if column > 0 { costs[column - 1] + 1 } else { far };
            let takes = column > 0 && row > rows.start && gold[row - 1] == text[column - 1];
            let within = limits.0 <= diagonal && diagonal <= limits.1;
            let taken = if takes && within { above[column - 1] } else { far };
            costs[column] = if side.contains(&diagonal) { first.min(right).min(taken) } else { far };
        }
    }
    costs.into_iter().min().unwrap()
}

proptest! {
    #[test]
    fn no_path_outside_costs_less_than_seeds_tell(
        (gold, text) in short_pair(),
        (block, seed) in (3..30usize, 1..4usize),
        (low, high) in (-40..5isize, 0..40isize),
        limits in (-60..1isize, 0..60isize),
    ) {
        let seeds = Seeds::new(&gold, &text, block, seed);
        let high = low + high;
        for b in 0..seeds.len() {
            let rows = b * block..gold.len().min((b + 1) * block);
            let below = cheapest(&gold, &text, rows.clone(), isize::MIN..=low - 1, limits);
            let above = cheapest(&gold, &text, rows, high + 1..=isize::MAX, limits);
            let told = seeds.least_cost(b, (low, high), limits);
            prop_assert!(told <= below.min(above), "{} of {} and {}", told, below, above);
        }
    }
}

#[test]
fn each_seed_that_is_not_outside_costs_a_token() {
    // Four seeds of two tokens: on diagonals 0, 0, 1 and nowhere.
    let seeds = Seeds::new(&[1, 2, 3, 4, 5, 6, 7, 8], &[1, 2, 3, 4, 0, 5, 6, 0], 8, 2);
    let cost = |low, high| seeds.least_cost(0, (low, high), (-9, 9));
    assert_eq!(cost(-5, -5), 1, "all are above");
    assert_eq!(cost(0, 0), 3, "the one on diagonal 1 is above");
    assert_eq!(cost(1, 1), 2, "those on diagonal 0 are below");
    assert_eq!(cost(0, 1), 4);
    assert_eq!(seeds.least_cost(0, (-5, -5), (-9, 0)), 2, "diagonal 1 is beyond the limits");
}

const SMALL: Sizes = Sizes { block: 64, seed: 4, margin: 8 };

/// A text in which no piece of a few tokens comes twice.
fn varied(length: u32, symbols: u32) -> Vec<u32> {
    (0..length).map(|i| i.wrapping_mul(0x9E37_79B9).rotate_left(i % 31) % symbols).collect()
}

#[test]
fn nearly_equal_texts_take_a_small_part_of_the_table() {
    let gold: Vec<u32> = (0..2_000).collect();
    // 5 tokens are others, 100 are missing, 70 are added and 50 have moved.
    let mut text = gold.clone();
    for at in [7, 300, 301, 900, 1_999] {
        text[at] = 2_000;
    }
    text.drain(1_200..1_300);
    text.splice(600..600, [2_001; 70]);
    let moved: Vec<u32> = text.drain(1_400..1_450).collect();
    text.splice(100..100, moved);
    assert_eq!(lcs(&gold, &text, 2_002, SMALL, gold.len() * text.len() / 2), Some(2_000 - 5 - 100 - 50));
}

#[test]
fn texts_that_have_little_in_common_are_given_up() {
    let (gold, text) = (varied(2_000, 50), varied(5_000, 50)[3_000..].to_vec());
    assert_eq!(lcs(&gold, &text, 50, SMALL, gold.len() * text.len() / 4), None);
    assert_eq!(lcs(&gold, &gold, 50, SMALL, 1_000), None, "too few cells even for equal texts");
}

#[test]
fn no_more_cells_are_filled_than_allowed() {
    let gold = varied(2_000, 4);
    let text: Vec<u32> = gold.iter().enumerate().filter(|(i, _)| i % 7 > 0).map(|(_, &id)| id).collect();
    for cells in [100_000, 300_000, 1_000_000] {
        let mut search = Search::new(&gold, &text, 4, SMALL, cells);
        let corridor = search.corridor(&Width::least(&search.course, SMALL));
        let filled = search.inside(&corridor).is_some();
        assert_eq!(filled, corridor.area() <= cells);
        assert!(!filled || search.cells == cells - corridor.area());
    }
}

#[test]
fn the_limits_are_those_of_paths_as_good_as_the_known_one() {
    // Of 10 and 14 tokens 8 are common: 2 and 6 are skipped. Two steps down at first lead to diagonal -2.
    assert_eq!(limits((10, 14), 8), (-2, 6));
    assert_eq!(limits((14, 10), 8), (-6, 2));
    assert_eq!(limits((10, 10), 10), (0, 0));
}
