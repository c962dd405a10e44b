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
        (text, period, edits(symbols), edits(symbols)).prop_map(move |(text, period, one, other)| {
            let text: Vec<u32> = (0..text.len()).map(|i| text[i % period]).collect();
            (edited(&text, &one[..one.len() / 8]), edited(&text, &other), symbols as usize)
        })
    })
}

fn sizes() -> impl Strategy<Value = Sizes> {
    let blocks = prop_oneof![Just(5usize), Just(8), Just(16), Just(40), Just(64), Just(100)];
    (blocks, 1..5usize, 0..12usize).prop_map(|(block, seed, margin)| Sizes { block, seed, margin, share: 1 })
}

/// What a corridor tells that is `stretch` times as wide as foreseen, with a common subsequence of `known` tokens.
fn bounds(gold: &[u32], text: &[u32], symbols: usize, sizes: Sizes, known: usize, stretch: usize) -> (usize, usize) {
    let mut search = Search::new(gold, text, symbols, sizes);
    search.cells = usize::MAX;
    let size = search.strips.size();
    let mut width = Width::least(&search.course, sizes);
    if stretch > 0 {
        let corridor = search.corridor(&width);
        let inside = search.inside(&corridor, 0).unwrap();
        let savings = Savings::new(&corridor, &corridor.outside(&search.seeds, Useful::new(size, 0)), &inside, size);
        width.lengthen(&search.course, &savings, stretch);
        width.widen(&savings, sizes.margin, stretch);
    }
    let corridor = search.corridor(&width);
    let useful = Useful::new(size, known);
    let sides = Sides::new(corridor.outside(&search.seeds, useful));
    let most = Lengths::new(&mut search.strips, &corridor, useful, Some(sides), &mut search.cells).unwrap().length;
    (search.inside(&corridor, known).unwrap().length, most)
}

proptest! {
    #[test]
    fn the_length_lies_between_the_bounds(
        (gold, text, symbols) in pair(), sizes in sizes(), unknown in 0..20usize, stretch in 0..3usize,
    ) {
        prop_assume!(!gold.is_empty());
        let length = similarity(gold.iter().copied(), text.iter().copied());
        for known in [0, length.saturating_sub(unknown), length] {
            let (least, most) = bounds(&gold, &text, symbols, sizes, known, stretch);
            prop_assert!(least <= length && length <= most, "{} is not in {}..={}", length, least, most);
        }
    }

    #[test]
    fn what_a_corridor_tells_is_the_length((gold, text, symbols) in pair(), sizes in sizes()) {
        let length = similarity(gold.iter().copied(), text.iter().copied());
        let told = lcs(&gold, &text, symbols, sizes);
        prop_assert!(told.is_none_or(|told| told == length), "{:?} is not {}", told, length);
    }
}
