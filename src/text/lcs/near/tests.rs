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
        let place = |text: &[u32], at: u16| usize::from(at) * text.len() >> 16;
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
    let symbols = prop_oneof![Just(2u32), Just(4), Just(20), Just(1000)];
    symbols.prop_flat_map(|symbols| {
        let text = proptest::collection::vec(0..symbols, 1..900);
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

fn sizes() -> impl Strategy<Value = Sizes> {
    let blocks = prop_oneof![Just(5usize), Just(8), Just(16), Just(40), Just(64), Just(100)];
    (blocks, 1..5usize, 0..12usize).prop_map(|(block, seed, margin)| Sizes { block, seed, margin })
}

/// A course that has nothing to do with the texts: the diagonal of each block.
fn wander() -> impl Strategy<Value = Vec<isize>> {
    let step = prop_oneof![4 => -3..=3isize, 1 => -60..=60isize];
    proptest::collection::vec(step, 250).prop_map(|steps| {
        steps.iter().scan(0, |diagonal, step| Some(std::mem::replace(diagonal, *diagonal + step))).collect()
    })
}

/// What a corridor tells along `course`, or along its own, with a common subsequence of `known` tokens.
fn bounds(mut search: Search, course: Option<&[isize]>, known: usize, stretch: usize) -> (usize, usize) {
    if let Some(course) = course {
        for (home, &diagonal) in search.course.homes.iter_mut().zip(course.iter().cycle()) {
            *home = Some((diagonal, diagonal));
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
    (search.inside(&corridor).unwrap().length, search.most(&corridor, known).unwrap())
}

proptest! {
    #[test]
    fn the_length_lies_between_the_bounds(
        (gold, text, symbols) in pair(),
        sizes in sizes(),
        course in proptest::option::weighted(0.7, wander()),
        unknown in 0..20usize,
        stretch in 0..3usize,
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
