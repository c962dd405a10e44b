//! Where words go: how wide they are, where lines break, how labels keep apart. No font is known
//! when a figure is written, so widths are guesses that rather leave room.

/// Width of a character in parts of the font's size: Han and full-width characters fill a square;
/// others are as wide as in a wide sans-serif.
fn em(c: char) -> f64 {
    match c {
        '\u{1100}'..='\u{115F}' | '\u{2E80}'..='\u{A4CF}' | '\u{AC00}'..='\u{D7A3}' | '\u{F900}'..='\u{FAFF}' => 1.0,
        '\u{FE30}'..='\u{FE6F}' | '\u{FF00}'..='\u{FF60}' | '\u{20000}'..='\u{3FFFF}' => 1.0,
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '|' | '\'' | '(' | ')' | ' ' => 0.36,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.95,
        'A'..='Z' => 0.68,
        _ => 0.62,
    }
}

/// The width of `text` in a font of `size`, in the units of `size`.
pub fn width(text: &str, size: f64) -> f64 {
    text.chars().map(em).sum::<f64>() * size
}

/// `text`, or as much of its beginning as fits into `room` with an ellipsis.
pub fn fit(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let mut left = room - width("…", size);
    let fits = |c: &char| {
        left -= em(*c) * size;
        left >= 0.0
    };
    let kept: String = text.chars().take_while(fits).collect();
    format!("{}…", kept.trim_end())
}

/// `text`, or as much of its beginning and end as fits into `room` with an ellipsis between: of hosts
/// and paths the ends tell most.
pub fn fit_ends(text: &str, size: f64, room: f64) -> String {
    let characters: Vec<char> = text.chars().collect();
    let shortened = |kept: usize| -> String {
        let (start, end) = (kept.div_ceil(2), characters.len() - kept / 2);
        characters[..start].iter().chain(['…'].iter()).chain(&characters[end..]).collect()
    };
    if width(text, size) <= room {
        return text.to_owned();
    }
    let fitting = (1..characters.len()).rev().map(shortened).find(|short| width(short, size) <= room);
    fitting.unwrap_or_else(|| "…".to_owned())
}

/// Where things of `widths` begin when set one after the other with `gap` between, in lines of
/// `room`: each its line, from 0, and its place in it.
pub fn flow(widths: &[f64], gap: f64, room: f64) -> Vec<(usize, f64)> {
    let (mut line, mut at) = (0, 0.0);
    let place = |width: &f64| {
        if at > 0.0 && at + width > room {
            (line, at) = (line + 1, 0.0);
        }
        let place = (line, at);
        at += width + gap;
        place
    };
    widths.iter().map(place).collect()
}

/// How far dots of `radii` at `places` of a line are moved across it, at most `most` to each side:
/// as little as keeps them off each other, or where there is no room, so that they overlap least. The
/// first have the choice.
pub fn swarm(places: &[f64], radii: &[f64], most: f64) -> Vec<f64> {
    /// Heights that are tried are so far apart.
    const STEP: f64 = 1.0;
    let tried: Vec<f64> =
        (0..=(most / STEP) as u32).flat_map(|step| [f64::from(step) * STEP, -f64::from(step) * STEP]).collect();
    let mut moved: Vec<f64> = Vec::new();
    for (i, (&place, &radius)) in places.iter().zip(radii).enumerate() {
        let near: Vec<usize> = (0..i).filter(|&other| (places[other] - place).abs() < radii[other] + radius).collect();
        let gap = |across: f64| {
            let gaps =
                near.iter().map(|&other| (places[other] - place).hypot(moved[other] - across) - radii[other] - radius);
            gaps.fold(0.0, f64::min)
        };
        let wider = |best: (f64, f64), across: &f64| {
            // What is free needs no search beyond it.
            if best.1 >= 0.0 {
                return best;
            }
            let gap = gap(*across);
            if gap > best.1 { (*across, gap) } else { best }
        };
        moved.push(tried.iter().fold((0.0, f64::NEG_INFINITY), wider).0);
    }
    moved
}

/// `text` in lines of at most `room`, broken at spaces, or within a word that is wider than a line.
pub fn wrap(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let joined = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        if width(&joined, size) <= room {
            line = joined;
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for c in word.chars() {
            if !line.is_empty() && width(&line, size) + em(c) * size > room {
                lines.push(std::mem::take(&mut line));
            }
            line.push(c);
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// Moves `wanted` heights apart so that neighbours are at least `gap` away from each other, each as
/// near to where it wants to be as that allows (least squares), and all within `from..=to` if they
/// fit there. Results are in the order of `wanted`.
pub fn apart(wanted: &[f64], gap: f64, (from, to): (f64, f64)) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    // With the gaps taken out, places need only not fall: neighbours that do are pooled at their mean.
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for (rank, &i) in order.iter().enumerate() {
        let mut pool = (wanted[i] - rank as f64 * gap, 1);
        while let Some(&(mean, count)) = pools.last().filter(|(mean, _)| *mean > pool.0) {
            let sum = mean * count as f64 + pool.0 * pool.1 as f64;
            pool = (sum / (count + pool.1) as f64, count + pool.1);
            pools.pop();
        }
        pools.push(pool);
    }
    let last = (to - gap * wanted.len().saturating_sub(1) as f64).max(from);
    let places = pools.iter().flat_map(|(mean, count)| std::iter::repeat_n(mean.clamp(from, last), *count));
    let mut result = vec![0.0; wanted.len()];
    for ((rank, place), &i) in places.enumerate().zip(&order) {
        result[i] = place + rank as f64 * gap;
    }
    result
}

/// A word beside a point.
pub struct Beside {
    /// The point.
    pub point: (f64, f64),
    /// The width of the word.
    pub width: f64,
}

/// A rectangle, by two opposite corners: the one with the least, then the one with the greatest coordinates.
pub type Corners = [(f64, f64); 2];

/// Where words of a `height` stand: as near to their points as keeps them off the dots of a radius at all `points`, off
/// what is `taken`, off each other and within `room`, or where there is no room, so that they overlap least. Gives the left end of each, at half
/// its height. The first have the choice.
pub fn beside(
    words: &[Beside],
    height: f64,
    (points, radius): (&[(f64, f64)], f64),
    mut taken: Vec<Corners>,
    room: Corners,
) -> Vec<(f64, f64)> {
    let dot = |&(x, y): &(f64, f64)| [(x - radius, y - radius), (x + radius, y + radius)];
    taken.extend(points.iter().map(dot));
    let mut placed: Vec<Corners> = Vec::new();
    let place = |word: &Beside| {
        let corners = |(x, y): (f64, f64)| [(x, y - height / 2.0), (x + word.width, y + height / 2.0)];
        let within = |&place: &(f64, f64)| {
            let [least, most] = corners(place);
            least.0 >= room[0].0 && least.1 >= room[0].1 && most.0 <= room[1].0 && most.1 <= room[1].1
        };
        // The area that is covered, how much of the line to the point runs through other words, and whether another point is
        // nearer.
        let faults = |place: (f64, f64)| {
            let covered = taken.iter().map(|other| overlap(&corners(place), other)).sum::<f64>();
            let crosses = |at: &Corners| placed.iter().any(|other| overlap(at, other) > 0.0);
            let crossed = along_lead(word, place, (height, radius)).filter(crosses).count();
            let own = distance(&corners(place), word.point);
            (covered, crossed, points.iter().any(|&other| distance(&corners(place), other) < own))
        };
        let mut best = ((f64::INFINITY, usize::MAX, true), (word.point.0 + radius, word.point.1));
        for place in around(word, height, radius).filter(within) {
            let faults = faults(place);
            if faults < best.0 {
                best = (faults, place);
            }
            // What is free needs no search beyond it.
            if faults == (0.0, 0, false) {
                break;
            }
        }
        taken.push(corners(best.1));
        taken.extend(along_lead(word, best.1, (height, radius)));
        placed.push(corners(best.1));
        best.1
    };
    words.iter().map(place).collect()
}

/// The line from the point of `word` to its nearest end, where it stands at `place` and that is far from the dot of a radius.
pub(super) fn lead(word: &Beside, (x, y): (f64, f64), (height, radius): (f64, f64)) -> Option<[(f64, f64); 2]> {
    /// A word that stands further from its dot is led to it.
    const NEAR: f64 = 6.0;
    let end = (word.point.0.clamp(x, x + word.width), word.point.1.clamp(y - height / 2.0, y + height / 2.0));
    let far = (end.0 - word.point.0).hypot(end.1 - word.point.1) > radius + NEAR;
    far.then_some([word.point, end])
}

/// Small rectangles along that line, outside of the dot and of the word.
fn along_lead(word: &Beside, place: (f64, f64), (height, radius): (f64, f64)) -> impl Iterator<Item = Corners> {
    const STEP: f64 = 3.0;
    let lead = lead(word, place, (height, radius));
    lead.into_iter().flat_map(move |[from, to]| {
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        let steps = ((length - radius) / STEP).floor().max(0.0) as u32;
        (0..steps).map(move |step| {
            let share = (radius + f64::from(step) * STEP) / length;
            let (x, y) = (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1));
            [(x - 0.5, y - 0.5), (x + 0.5, y + 0.5)]
        })
    })
}

/// Places for a word around its point, the nearest first.
fn around(word: &Beside, height: f64, radius: f64) -> impl Iterator<Item = (f64, f64)> {
    /// Rings are so far apart, and there are so many.
    const STEP: f64 = 5.0;
    const RINGS: u32 = 40;
    let Beside { point: (x, y), width } = *word;
    (0..RINGS).flat_map(move |ring| {
        let far = radius + 2.0 + f64::from(ring) * STEP;
        let aslant = far * 0.7;
        let (right, left, middle) = (x + aslant, x - aslant - width, x - width / 2.0);
        let (above, below) = (y - aslant - height / 2.0, y + aslant + height / 2.0);
        let straight =
            [(x + far, y), (x - far - width, y), (middle, y - far - height / 2.0), (middle, y + far + height / 2.0)];
        straight.into_iter().chain([(right, above), (right, below), (left, above), (left, below)])
    })
}

/// The distance of a point from a rectangle.
pub(super) fn distance([least, most]: &Corners, (x, y): (f64, f64)) -> f64 {
    (x - x.clamp(least.0, most.0)).hypot(y - y.clamp(least.1, most.1))
}

/// The area that two rectangles share.
fn overlap(one: &Corners, other: &Corners) -> f64 {
    let shared = |part: fn(&(f64, f64)) -> f64| part(&one[1]).min(part(&other[1])) - part(&one[0]).max(part(&other[0]));
    shared(|corner| corner.0).max(0.0) * shared(|corner| corner.1).max(0.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn labels_that_are_apart_stay_and_others_move_evenly() {
        assert_eq!(apart(&[10.0, 50.0], 14.0, (0.0, 100.0)), [10.0, 50.0]);
        assert_eq!(apart(&[52.0, 50.0], 14.0, (0.0, 100.0)), [58.0, 44.0]);
        assert_eq!(apart(&[99.0, 98.0, 10.0], 14.0, (0.0, 100.0)), [100.0, 86.0, 10.0]);
        assert!(apart(&[], 14.0, (0.0, 100.0)).is_empty());
    }

    proptest! {
        #[test]
        fn labels_never_overlap_nor_leave_the_figure(wanted in prop::collection::vec(0.0..300.0f64, 0..15)) {
            let places = apart(&wanted, 16.0, (0.0, 300.0));
            let mut sorted = places.clone();
            sorted.sort_by(f64::total_cmp);
            prop_assert!(sorted.windows(2).all(|pair| pair[1] - pair[0] > 16.0 - 1e-6), "{places:?}");
            prop_assert!(places.iter().all(|place| (-1e-6..300.0 + 1e-6).contains(place)), "{places:?}");
        }
    }

    proptest! {
        #[test]
        fn words_keep_off_points_each_other_and_lines(points in prop::collection::vec((50.0..550.0f64, 20.0..380.0f64), 0..40)) {
            let words: Vec<Beside> = points.iter().map(|&point| Beside { point, width: 60.0 }).collect();
            let room = [(0.0, 0.0), (600.0, 400.0)];
            let places = beside(&words, 12.0, (&points, 4.0), Vec::new(), room);
            let corners: Vec<Corners> = places.iter().map(|&(x, y)| [(x, y - 6.0), (x + 60.0, y + 6.0)]).collect();
            for (i, word) in corners.iter().enumerate() {
                prop_assert!(word[0].0 >= 0.0 && word[0].1 >= 0.0 && word[1].0 <= 600.0 && word[1].1 <= 400.0);
                prop_assert!(corners[..i].iter().all(|other| overlap(word, other) == 0.0), "{places:?}");
                prop_assert!(points.iter().all(|&(x, y)| overlap(word, &[(x - 4.0, y - 4.0), (x + 4.0, y + 4.0)]) == 0.0));
            }
            let crossed = (0..words.len()).filter(|&i| {
                let mut line = along_lead(&words[i], places[i], (12.0, 4.0));
                line.any(|at| corners.iter().enumerate().any(|(other, word)| other != i && overlap(&at, word) > 0.0))
            });
            prop_assert!(crossed.count() * 10 <= words.len(), "lines run through words: {places:?}");
        }
    }

    #[test]
    fn a_word_stands_at_the_right_where_it_can() {
        let word = |point| Beside { point, width: 50.0 };
        let room = [(0.0, 0.0), (200.0, 100.0)];
        let place = |points: &[(f64, f64)]| beside(&[word(points[0])], 10.0, (points, 4.0), Vec::new(), room)[0];
        assert_eq!(place(&[(100.0, 50.0)]), (106.0, 50.0));
        assert_eq!(place(&[(100.0, 50.0), (130.0, 50.0)]), (44.0, 50.0));
        assert_eq!(place(&[(180.0, 50.0)]), (124.0, 50.0));
    }

    #[test]
    fn hosts_are_shortened_in_the_middle() {
        assert_eq!(fit_ends("news.example.com.cn", 10.0, 60.0), "news…m.cn");
        assert_eq!(fit_ends("一二三四五六", 10.0, 50.0), "一二…五六");
        assert_eq!(fit_ends("一二三", 10.0, 30.0), "一二三");
        assert_eq!(fit_ends("一二三", 10.0, 1.0), "…");
    }

    #[test]
    fn what_does_not_fit_goes_on_in_the_next_line() {
        assert_eq!(
            flow(&[30.0, 30.0, 30.0, 500.0, 10.0], 5.0, 70.0),
            [(0, 0.0), (0, 35.0), (1, 0.0), (2, 0.0), (3, 0.0)]
        );
    }

    #[test]
    fn dots_make_room_for_each_other() {
        assert_eq!(swarm(&[10.0, 10.0, 10.0, 30.0], &[2.0; 4], 8.0), [0.0, 4.0, -4.0, 0.0]);
        assert_eq!(swarm(&[10.0; 3], &[2.0; 3], 4.0), [0.0, 4.0, -4.0]);
        // No room is left: the fourth lies half on two others rather than outside or on one.
        assert_eq!(swarm(&[10.0; 4], &[2.0; 4], 4.0)[3], 2.0);
    }

    #[test]
    fn lines_break_at_spaces_and_within_what_has_none() {
        assert_eq!(wrap("aaa bbb ccc", 10.0, 50.0), ["aaa bbb", "ccc"]);
        assert_eq!(wrap("一二三四五", 10.0, 20.0), ["一二", "三四", "五"]);
        assert_eq!(fit("一二三四五", 10.0, 30.0), "一二…");
        assert_eq!(fit("一二三", 10.0, 30.0), "一二三");
    }
}
