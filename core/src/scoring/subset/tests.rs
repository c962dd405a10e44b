//! The search and its pieces against tables that hold every value.

use proptest::prelude::*;

use super::*;
use crate::scoring::subset::cut::Cut;
use crate::scoring::subset::side::Part;
use crate::text::lcs::Reference;

fn tokens(text: &str) -> Vec<Token> {
    text.chars().map(u32::from).collect()
}

/// Pieces of `text` at the marks `|`.
fn pieces(text: &str) -> (Vec<Token>, Vec<Range<usize>>) {
    laid_out(&text.split('|').map(tokens).collect::<Vec<_>>())
}

fn laid_out(parts: &[Vec<Token>]) -> (Vec<Token>, Vec<Range<usize>>) {
    let (mut all, mut segments) = (Vec::new(), Vec::new());
    for part in parts {
        segments.push(all.len()..all.len() + part.len());
        all.extend(part);
    }
    (all, segments)
}

fn best(text: &str, gold: &str) -> Subset {
    let (all, segments) = pieces(text);
    best_subset(&all, &segments, &tokens(gold)).unwrap()
}

#[test]
fn examples_worked_by_hand() {
    // 首页 shares nothing with the gold; 分享到 neither.
    assert_eq!(best("首页|猫睡觉|猫每天睡觉。|分享到", "猫睡觉猫每天睡觉。").chosen, [1, 2]);
    assert_eq!(best("ab|cdxx|zz", "abcd"), Subset { chosen: vec![0, 1], steps: 2 });
    // abxyzw: 2 * 2 / (6 + 2) = 1/2; the empty set and q have 0.
    assert_eq!(best("abxyzw|q", "ab").chosen, [0]);
    assert_eq!(best("ab|c", "").chosen, [0; 0]);
    assert_eq!(best("ab|c", "xyz").chosen, [0; 0]);
}

#[test]
fn order_counts() {
    // `cd` before `ab` in the page: LCS with `abcd` is 2 however both are taken; one of them alone is
    // 4 / (2 + 4) = 2/3, both 4 / 8.
    assert_eq!(best("cd|ab", "abcd").chosen.len(), 1);
}

#[test]
fn segments_without_tokens_are_taken_with_all_others_only() {
    assert_eq!(best("|ab||cd|", "abcd").chosen, [0, 1, 2, 3, 4]);
    assert_eq!(best("|ab||zz|", "ab").chosen, [1]);
}

#[test]
fn of_equal_sets_the_one_with_the_most_tokens_is_taken() {
    // abc: 2 * 3 / (3 + 6) = 2/3; with dxx 2 * 4 / (6 + 6) = 2/3.
    assert_eq!(best("abc|dxx|zz", "abcdef").chosen, [0, 1]);
}

#[test]
fn a_set_that_comes_to_less_at_f1_of_one_may_be_better() {
    // In the gold 238 tokens stand before 120 others, in the text behind them. The 120 alone, in full: E = 120, F1 = 240 /
    // 478. Of the 238 the text has 200, and 160 that the gold does not have: E = 40, F1 = 400 / 718. Both: 400 / 838.
    let (first, last) = (0..238, 1_000..1_120);
    let gold: Vec<Token> = first.chain(last.clone()).collect();
    let (all, segments) = laid_out(&[last.collect(), (0..200).chain([9_999; 160]).collect()]);
    assert_eq!(best_subset(&all, &segments, &gold).unwrap().chosen, [1]);
}

#[test]
fn what_would_take_too_much_memory_is_refused() {
    // A gold of 2^16 different tokens has as many rows of 2^10 words: 2^26, and 2^25 is the most.
    let gold: Vec<Token> = (0..1 << 16).collect();
    assert_eq!(best_subset(&gold, std::slice::from_ref(&(0..1 << 16)), &gold), Err(TooLarge));
}

#[test]
fn what_would_take_too_many_steps_is_refused() {
    let (all, segments) = pieces("abcab|bcacc|abbca|cabba|ccbab|aabbc");
    let gold = tokens("bcaacbabbacabbcacbbabccab");
    let within = |work: &mut Work| best_within(&all, &segments, &gold, work);
    let mut work = Work::new();
    let found = within(&mut work);
    let steps = work.spent();
    // Each token of the text is held against the gold's one word from both ends.
    assert!(steps > 2 * all.len());
    assert_eq!(within(&mut Work::of(steps)), found);
    for fewer in [steps - 1, steps / 2, all.len(), 0] {
        assert_eq!(within(&mut Work::of(fewer)), Err(TooLarge));
    }
    assert_eq!(Work::new().spend(usize::MAX, 2), Err(TooLarge));
}

/// Segments of up to `longest` tokens of few kinds, some of them twice, and a gold that is partly made of them.
fn problem(longest: usize, most: usize) -> impl Strategy<Value = (Vec<Vec<Token>>, Vec<Token>)> {
    (2..8u32).prop_flat_map(move |alphabet| {
        let segment = proptest::collection::vec(0..alphabet, 0..=longest);
        let segments = proptest::collection::vec((segment, any::<prop::sample::Index>(), 0..4u8), 0..=most);
        let noise = proptest::collection::vec(0..alphabet, 0..longest);
        (segments, noise, any::<u64>()).prop_map(|(drawn, noise, taken)| {
            let mut segments: Vec<Vec<Token>> = Vec::new();
            for (segment, other, again) in drawn {
                let is_again = again == 0 && !segments.is_empty();
                segments.push(if is_again { other.get(&segments).clone() } else { segment });
            }
            let taken = segments.iter().enumerate().filter(|(place, _)| taken >> (place % 64) & 1 == 1);
            let gold = taken.flat_map(|(_, segment)| segment.clone()).chain(noise).collect();
            (segments, gold)
        })
    })
}

/// The text of some segments.
fn text_of(all: &[Token], segments: &[Range<usize>], chosen: &[usize]) -> Vec<Token> {
    chosen.iter().flat_map(|&place| all[segments[place].clone()].to_vec()).collect()
}

fn size(all: &[Token], segments: &[Range<usize>], chosen: &[usize], gold: &[Token]) -> Size {
    let text = text_of(all, segments, chosen);
    Size { matched: Reference::new(gold).lcs(&text), tokens: text.len() }
}

/// Whether one set's F1 is greater than the other's.
fn is_better(one: Size, other: Size, gold: usize) -> bool {
    one.matched * (other.tokens + gold) > other.matched * (one.tokens + gold)
}

/// The LCS with `gold[..j]`, for each `j`, of each beginning of `text`.
fn table(text: &[Token], gold: &[Token]) -> Vec<Vec<usize>> {
    let mut rows = vec![vec![0; gold.len() + 1]];
    for token in text {
        let old = &rows[rows.len() - 1];
        let mut row = old.clone();
        for j in 1..=gold.len() {
            row[j] = row[j - 1].max(old[j]).max(if gold[j - 1] == *token { old[j - 1] + 1 } else { 0 });
        }
        rows.push(row);
    }
    rows
}

fn reversed(tokens: &[Token]) -> Vec<Token> {
    tokens.iter().rev().copied().collect()
}

/// The best set at `worth` by a plain table, with every value of every segment in a table.
fn plain(all: &[Token], segments: &[Range<usize>], gold: &[Token], worth: Worth) -> Vec<usize> {
    let mut rows = vec![vec![0; gold.len() + 1]];
    for segment in segments {
        let before = &rows[rows.len() - 1];
        let mut taken: Vec<i64> = before.iter().map(|value| value - worth.cost * segment.len() as i64).collect();
        for token in &all[segment.clone()] {
            let old = taken.clone();
            for j in 1..=gold.len() {
                let matched = if gold[j - 1] == *token { old[j - 1] + worth.whole } else { i64::MIN };
                taken[j] = old[j].max(taken[j - 1]).max(matched);
            }
        }
        let values = before.iter().zip(&taken).map(|(before, taken)| *before.max(taken)).collect();
        rows.push(values);
    }
    let last = &rows[segments.len()];
    let mut at = last.iter().position(|value| *value == last[gold.len()]).unwrap();
    let mut chosen = Vec::new();
    for place in (0..segments.len()).rev().filter(|place| rows[place + 1] != rows[*place]) {
        let (before, after, text) = (&rows[place], &rows[place + 1], &all[segments[place].clone()]);
        if before[at] == after[at] {
            continue;
        }
        let matched = &table(&reversed(text), &reversed(&gold[..at]))[text.len()];
        let taken = |start: usize| before[start] + worth.whole * matched[at - start] as i64;
        at = (0..=at).find(|&start| taken(start) - worth.cost * text.len() as i64 == after[at]).unwrap();
        chosen.push(place);
    }
    chosen.reverse();
    chosen
}

/// Both sides of a text and a gold.
fn sides(all: &[Token], segments: &[Range<usize>], gold: &[Token]) -> (Side, Side) {
    let filled = segments.iter().filter(|segment| !segment.is_empty()).cloned().collect();
    let side = Side::new(all, filled, gold).unwrap();
    let mirrored = side.mirrored();
    (side, mirrored)
}

/// The bound at the place `j`, which lies in its words.
fn value(cut: &Cut, j: usize) -> usize {
    let rises = |place: usize| -> usize {
        let at = place / 64 - cut.words.start;
        cut.planes.iter().filter(|plane| plane.get(at).is_some_and(|word| word >> (place % 64) & 1 == 0)).count()
    };
    cut.base + (cut.words.start * 64..j).map(rises).sum::<usize>()
}

proptest! {
    #[test]
    fn no_subset_is_better((parts, gold) in problem(6, 9)) {
        let (all, segments) = laid_out(&parts);
        let found = best_subset(&all, &segments, &gold).unwrap();
        let of_found = size(&all, &segments, &found.chosen, &gold);
        for subset in 0..1u32 << segments.len() {
            let chosen: Vec<usize> = (0..segments.len()).filter(|place| subset >> place & 1 == 1).collect();
            let other = size(&all, &segments, &chosen, &gold);
            prop_assert!(!is_better(other, of_found, gold.len()), "{chosen:?} is better than {:?}", found.chosen);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn sums_over_several_words_are_those_of_the_plain_table((parts, gold) in problem(70, 8), matched in 1..400usize) {
        let (all, segments) = laid_out(&parts);
        let segments: Vec<Range<usize>> = segments.into_iter().filter(|segment| !segment.is_empty()).collect();
        prop_assume!(!all.is_empty() && !gold.is_empty());
        let (side, mirrored) = sides(&all, &segments, &gold);
        let aim = Size { matched: matched.min(all.len()).min(gold.len()), tokens: all.len() };
        let worth = Worth::new(aim, gold.len(), all.len()).unwrap();
        let whole = [Part { tokens: 0..all.len(), words: 0..side.words }];
        let sums = Sums { side: &side, mirrored: &mirrored, worth };
        let found = sums.best(&whole, &mut Work::new()).unwrap();
        prop_assert_eq!(&found.segments, &plain(&all, &segments, &gold, worth));
        prop_assert_eq!(found.size, size(&all, &segments, &found.segments, &gold));
    }

    #[test]
    fn the_set_is_the_one_that_the_plain_table_finds((parts, gold) in problem(150, 6)) {
        let (all, segments) = laid_out(&parts);
        let found = best_subset(&all, &segments, &gold).unwrap();
        let mut aim = Size { matched: Reference::new(&gold).lcs(&all), tokens: all.len() };
        if aim.matched == 0 {
            prop_assert_eq!(found.chosen, [0; 0]);
            return Ok(());
        }
        let chosen = loop {
            let chosen = plain(&all, &segments, &gold, Worth::new(aim, gold.len(), all.len()).unwrap());
            let reached = size(&all, &segments, &chosen, &gold);
            if !is_better(reached, aim, gold.len()) {
                break chosen;
            }
            aim = reached;
        };
        let is_all = chosen.iter().map(|&place| segments[place].len()).sum::<usize>() == all.len();
        prop_assert_eq!(found.chosen, if is_all { (0..segments.len()).collect() } else { chosen });
    }

    #[test]
    fn the_course_is_no_less_than_any_choice_that_matches_enough((parts, gold) in problem(200, 6), less in 0..60usize) {
        let (all, segments) = laid_out(&parts);
        prop_assume!(!all.is_empty() && !gold.is_empty());
        let (side, mirrored) = sides(&all, &segments, &gold);
        let (before, after) = (table(&all, &gold), table(&reversed(&all), &reversed(&gold)));
        let most = before[all.len()][gold.len()];
        let least = most.saturating_sub(less);
        let mut work = Work::new();
        let course = Course::new((&side, &mirrored), (gold.len(), least), &mut work).unwrap();
        prop_assert_eq!(course.matched(), most);
        let beyond = Course::new((&side, &mirrored), (gold.len(), most), &mut work).unwrap();
        prop_assert!(beyond.band(most + 1, &mut work).unwrap().is_none());
        let [forth, back] = course.band(least, &mut work).unwrap().unwrap();
        let last = side.cuts.len() - 1;
        for (at, &cut) in side.cuts.iter().enumerate() {
            for j in 0..=gold.len() {
                let [one, other] = [before[cut][j], after[all.len() - cut][gold.len() - j]];
                if one + other < least {
                    continue;
                }
                let (near, far) = (&forth[at], &back[last - at]);
                let mirrored = side.words * 64 - j;
                prop_assert!(near.words.start * 64 <= j && j <= near.words.end * 64);
                prop_assert!(far.words.start * 64 <= mirrored && mirrored <= far.words.end * 64);
                prop_assert!(value(near, j) >= one && value(far, mirrored) >= other);
            }
        }
    }

    #[test]
    fn the_net_holds_every_choice_that_is_good_enough((parts, gold) in problem(120, 7), missing in 0..9usize, less in 0..9usize) {
        let (all, segments) = laid_out(&parts);
        let segments: Vec<Range<usize>> = segments.into_iter().filter(|segment| !segment.is_empty()).collect();
        prop_assume!(!all.is_empty() && !gold.is_empty());
        let (side, mirrored) = sides(&all, &segments, &gold);
        // At F = 1 the sum is E: a token costs half of what a matched one earns.
        let worth = Worth { whole: 2 * (all.len() as i64 + 1), cost: all.len() as i64 };
        let chosen = plain(&all, &segments, &gold, worth);
        let of_chosen = size(&all, &segments, &chosen, &gold);
        let best = 2 * of_chosen.matched - of_chosen.tokens;
        let [matched, least] = [missing, less].map(|less| best.saturating_sub(less));
        let mut work = Work::new();
        let course = Course::new((&side, &mirrored), (gold.len(), matched), &mut work).unwrap();
        let bounds = course.band(matched, &mut work).unwrap().unwrap();
        prop_assert!(Net::guess(&course, bounds.clone(), &mut work).unwrap() <= best);
        let net = Net::new(&course, bounds.clone(), least, &mut work).unwrap().unwrap();
        prop_assert_eq!(net.most, best);
        let sums = Sums { side: &side, mirrored: &mirrored, worth };
        let found = sums.best(&net.band(least), &mut work).unwrap();
        prop_assert_eq!(found.segments, chosen);
        let beyond = Net::new(&course, bounds, best + 1, &mut work).unwrap();
        prop_assert!(beyond.is_none_or(|net| net.most <= best));
    }
}
