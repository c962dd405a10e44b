//! The classes of paragraphs, first each by itself and then by what stands around it.

use super::paragraphs::{Paragraph, Paragraphs};
use super::{EarlyHeadings, JustextParameters};
use crate::algorithms::value::Value;

/// What a paragraph is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Bad,
    /// Too short to tell.
    Short,
    /// Good, if it stands beside a good one.
    NearGood,
    Good,
}

/// The classes at the end, of each paragraph.
pub(super) fn classes(paragraphs: &Paragraphs, parameters: &JustextParameters) -> Vec<Class> {
    let of_list = |threshold: Value| if paragraphs.has_stop_list { threshold } else { Value::ZERO };
    let (low, high) = (of_list(parameters.stopwords_low), of_list(parameters.stopwords_high));
    let all = &paragraphs.paragraphs;
    let alone: Vec<Class> = all.iter().map(|paragraph| class_alone(paragraph, parameters, low, high)).collect();
    let mut classes = alone.clone();
    if parameters.early_headings == EarlyHeadings::On {
        raise_headings(all, parameters, &mut classes, Class::NearGood, |_, class| class == Class::Short);
    }
    settle_short(&mut classes);
    settle_near_good(&mut classes);
    raise_headings(all, parameters, &mut classes, Class::Good, |place, class| {
        class == Class::Bad && alone[place] != Class::Bad
    });
    classes
}

fn class_alone(paragraph: &Paragraph, parameters: &JustextParameters, low: Value, high: Value) -> Class {
    let length = Value::decimal(paragraph.length, 0);
    if paragraph.link_density() > parameters.max_link_density || paragraph.is_copyright {
        return Class::Bad;
    }
    if length < parameters.length_low {
        return if paragraph.link_chars > 0 { Class::Bad } else { Class::Short };
    }
    let stop_density = paragraph.stop_density();
    if stop_density >= high && length > parameters.length_high {
        return Class::Good;
    }
    if stop_density >= low.min(high) { Class::NearGood } else { Class::Bad }
}

/// Sets each heading of which `is_raised` says so to `raised`, if a good paragraph begins near behind it.
fn raise_headings(
    paragraphs: &[Paragraph],
    parameters: &JustextParameters,
    classes: &mut [Class],
    raised: Class,
    is_raised: impl Fn(usize, Class) -> bool,
) {
    if parameters.no_headings {
        return;
    }
    // From the end, so that a heading does not see one that is raised before it: characters since the next good one.
    let mut distance: Option<u64> = None;
    for place in (0..paragraphs.len()).rev() {
        let is_near = distance.is_some_and(|chars| Value::decimal(chars, 0) <= parameters.max_heading_distance);
        let class = classes[place];
        if is_near && paragraphs[place].is_heading && is_raised(place, class) {
            classes[place] = raised;
        }
        distance = if class == Class::Good { Some(0) } else { distance.map(|chars| chars + paragraphs[place].length) };
    }
}

/// What stands nearest to a paragraph on one side.
#[derive(Clone, Copy)]
struct Neighbour {
    /// Whether the nearest good or bad one is good; beyond the page all is bad.
    is_good: bool,
    /// Whether a nearly good one stands before it.
    near_good_first: bool,
}

impl Neighbour {
    const NONE: Neighbour = Neighbour { is_good: false, near_good_first: false };

    /// The neighbour of what stands beyond a paragraph of `class`, which has this one.
    fn beyond(self, class: Class) -> Neighbour {
        match class {
            Class::Short => self,
            Class::NearGood => Neighbour { near_good_first: true, ..self },
            Class::Good | Class::Bad => Neighbour { is_good: class == Class::Good, near_good_first: false },
        }
    }
}

/// For each of `classes` its neighbour behind it.
fn next_neighbours(classes: &[Class]) -> Vec<Neighbour> {
    let mut next = vec![Neighbour::NONE; classes.len()];
    for place in (1..classes.len()).rev() {
        next[place - 1] = next[place].beyond(classes[place]);
    }
    next
}

/// Short ones are what stands on both sides; between good and bad they are good only if the bad one is farther than
/// a nearly good one. All are decided before any is set.
fn settle_short(classes: &mut [Class]) {
    let next = next_neighbours(classes);
    let mut previous = Neighbour::NONE;
    for (class, next) in classes.iter_mut().zip(next) {
        let before = *class;
        if *class == Class::Short {
            let both = previous.is_good && next.is_good;
            let one = previous.is_good != next.is_good;
            let bad = if previous.is_good { next } else { previous };
            *class = if both || (one && bad.near_good_first) { Class::Good } else { Class::Bad };
        }
        previous = previous.beyond(before);
    }
}

/// Nearly good ones are good unless bad ones stand on both sides; each sees what the ones before it became.
fn settle_near_good(classes: &mut [Class]) {
    let next = next_neighbours(classes);
    let mut previous = Neighbour::NONE;
    for (class, next) in classes.iter_mut().zip(next) {
        if *class == Class::NearGood {
            *class = if previous.is_good || next.is_good { Class::Good } else { Class::Bad };
        }
        previous = previous.beyond(*class);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(letter: char) -> Class {
        match letter {
            'b' => Class::Bad,
            's' => Class::Short,
            'n' => Class::NearGood,
            _ => Class::Good,
        }
    }

    /// Steps 2 and 3 by the letter: a search from each paragraph.
    fn settled_by_the_letter(mut classes: Vec<Class>) -> Vec<Class> {
        fn nearest<'c>(mut classes: impl Iterator<Item = &'c Class>, ignore_near_good: bool) -> Class {
            let found = classes.find(|class| match class {
                Class::Good | Class::Bad => true,
                Class::NearGood => !ignore_near_good,
                Class::Short => false,
            });
            found.copied().unwrap_or(Class::Bad)
        }
        let before = classes.clone();
        for (place, class) in classes.iter_mut().enumerate().filter(|(_, class)| **class == Class::Short) {
            let previous = |ignore| nearest(before[..place].iter().rev(), ignore);
            let next = |ignore| nearest(before[place + 1..].iter(), ignore);
            let (p, q) = (previous(true), next(true));
            *class = if p == q {
                p
            } else if (p == Class::Bad && previous(false) == Class::NearGood)
                || (q == Class::Bad && next(false) == Class::NearGood)
            {
                Class::Good
            } else {
                Class::Bad
            };
        }
        for place in 0..classes.len() {
            if classes[place] == Class::NearGood {
                let both = [nearest(classes[..place].iter().rev(), true), nearest(classes[place + 1..].iter(), true)];
                classes[place] = if both == [Class::Bad; 2] { Class::Bad } else { Class::Good };
            }
        }
        classes
    }

    #[test]
    fn neighbours_decide_as_a_search_from_each_paragraph_does() {
        for number in 0..4usize.pow(7) {
            let classes: Vec<Class> =
                (0..7).map(|digit| class(['b', 's', 'n', 'g'][number / 4usize.pow(digit) % 4])).collect();
            let mut settled = classes.clone();
            settle_short(&mut settled);
            settle_near_good(&mut settled);
            assert_eq!(settled, settled_by_the_letter(classes.clone()), "{classes:?}");
        }
    }
}
