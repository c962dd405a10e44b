//! The names of rows beside their points.

use plotters::style::FontStyle;

use super::canvas::{Anchor, BLACK, Canvas, DARK_GREY, Drawn, GREY, PLAIN, SMALL, fill_colour};
use super::dots::{EqualF1, equal_f1};
use super::frame::{EDGE, Frame, WIDTH};
use crate::report::language::Language;
use crate::report::layout::{Beside, Corners, beside, distance, fit, lead, width};
use crate::report::plot::{Dot, Plot};

/// The size of a name's line, and of what it keeps off.
const LINE: f64 = 13.0;
const RADIUS: f64 = 5.0;
/// The most that a name is wide beside its point, and below the plot.
const WIDEST: f64 = 170.0;
/// Below the plot, of few names and of many: in two columns, and in three.
const WIDEST_OF_FEW: f64 = 346.0;
const WIDEST_OF_MANY: f64 = 210.0;
const FEW: usize = 30;

/// More names than this stand below the plot, each behind the number of its point.
const MOST_NAMES: usize = 24;
/// The same holds where more of them are close to each other, within this share of both axes: names that are led away from
/// a crowd end beside points of others.
const MOST_CLOSE: usize = 6;
const CLOSE: f64 = 0.1;
/// The height of a line of numbered names.
const NUMBERED_LINE: f64 = 15.0;

/// Points that are nearer to each other are one spot, for which one number stands, or the first and the last.
const SPOT: f64 = 4.0;

/// The name of a row's point, and where it stands.
pub(super) struct Name {
    /// The row.
    pub(super) row: usize,
    /// The label beside the point; `None` where another point of its spot has it.
    beside: Option<Label>,
    /// Number and name below the plot, and where they stand.
    below: Option<([String; 2], (f64, f64))>,
}

/// The label beside a point.
struct Label {
    text: String,
    /// The room that it takes.
    room: Corners,
    at: (f64, f64),
    anchor: Anchor,
    /// The line to its point, where it stands further away.
    lead: Option<[(f64, f64); 2]>,
}

impl Name {
    pub(super) fn draw(&self, dot: &Dot, frame: &Frame, canvas: &Canvas<'_>) -> Drawn {
        let (colour, style) = if dot.is_on_front { (BLACK, FontStyle::Bold) } else { (DARK_GREY, PLAIN) };
        if let Some(Label { text, at, anchor, lead, .. }) = &self.beside {
            if let Some(lead) = lead {
                canvas.line(lead, GREY, 0.6)?;
            }
            canvas.text(text, *at, *anchor, (SMALL, colour, style))?;
        }
        let Some(([number, text], (x, y))) = &self.below else { return Ok(()) };
        canvas.text(number, (frame.left + x + NUMBER, frame.numbers_from + y), Anchor::End, (SMALL, colour, style))?;
        let sign = (frame.left + x + NUMBER + 11.0, frame.numbers_from + y);
        canvas.fill_shape(dot.fill, sign, 4.0, fill_colour(dot.fill))?;
        let at = (frame.left + x + NUMBER + 21.0, frame.numbers_from + y);
        canvas.text(text, at, Anchor::Start, (SMALL, colour, style))
    }
}

/// The room for a number.
const NUMBER: f64 = 24.0;

/// The points that have a name.
fn named(plot: &Plot) -> impl Iterator<Item = &Dot> {
    plot.scatter.iter().flat_map(|scatter| &scatter.dots).filter(|dot| dot.named)
}

/// How many points have a name.
pub(super) fn count(plot: &Plot) -> usize {
    named(plot).count()
}

/// The room that a name below the plot may take.
fn widest_below(plot: &Plot) -> f64 {
    if count(plot) <= FEW { WIDEST_OF_FEW } else { WIDEST_OF_MANY }
}

/// The lines and columns of names below the plot.
fn grid(plot: &Plot, language: Language) -> (usize, f64) {
    let names = named(plot).map(|dot| width(dot.name.in_language(language), SMALL));
    let widest = names.fold(0.0, f64::max).min(widest_below(plot));
    let column = NUMBER + widest + 34.0;
    let columns = ((WIDTH - 4.0 * EDGE) / column).floor().max(1.0) as usize;
    (count(plot).div_ceil(columns), column)
}

/// True if numbers have to stand for the names: there are too many, or one would stand nearer to another's point than to its
/// own.
pub(super) fn are_numbered(plot: &Plot, frame: &Frame) -> bool {
    is_crowded(plot) || named(plot).next().is_some() && are_astray(plot, &placed(plot, frame), frame)
}

/// True if there are too many names, in all or in one place.
fn is_crowded(plot: &Plot) -> bool {
    let points: Vec<(f64, f64)> = named(plot).map(|dot| dot.at).collect();
    let near = ((plot.x.to - plot.x.from) * CLOSE, (plot.y.to - plot.y.from) * CLOSE);
    let is_crowded = |point: &(f64, f64)| {
        let is_close = |other: &&(f64, f64)| (other.0 - point.0).abs() < near.0 && (other.1 - point.1).abs() < near.1;
        points.iter().filter(is_close).count() > MOST_CLOSE
    };
    points.len() > MOST_NAMES || points.iter().any(is_crowded)
}

/// True if one of `names` stands nearer to the point of another system than to its own.
fn are_astray(plot: &Plot, names: &[Name], frame: &Frame) -> bool {
    let dots = || plot.scatter.iter().flat_map(|scatter| &scatter.dots);
    let is_astray = |name: &Name| {
        let own = named(plot).find(|dot| dot.row == name.row);
        let (Some(own), Some(label)) = (own, &name.beside) else { return false };
        // Other settings of an algorithm have its colour and shape.
        let others = dots().filter(|dot| (dot.main || dot.named) && dot.fill != own.fill);
        let nearest = others.map(|dot| distance(&label.room, frame.at(dot.at))).fold(f64::INFINITY, f64::min);
        nearest < distance(&label.room, frame.at(own.at))
    };
    names.iter().any(is_astray)
}

/// The height of the names of numbered points below the plot.
pub(super) fn height(plot: &Plot, language: Language) -> f64 {
    grid(plot, language).0 as f64 * NUMBERED_LINE + 8.0
}

/// The names, each led to its point where it stands further away; those on the front have the choice. Where there are
/// many, numbers stand for them, from the upper end of the plot to the lower.
pub(super) fn placed(plot: &Plot, frame: &Frame) -> Vec<Name> {
    let Some(scatter) = &plot.scatter else { return Vec::new() };
    let points: Vec<(f64, f64)> =
        scatter.dots.iter().map(|dot| frame.at(dot.at)).chain(along(&scatter.front, frame)).collect();
    let taken: Vec<Corners> = equal_f1(plot, frame).iter().map(EqualF1::name_corners).collect();
    let mut dots: Vec<&Dot> = named(plot).collect();
    let are_numbered = frame.are_numbered;
    if are_numbered {
        dots.sort_by(|one, other| other.at.1.total_cmp(&one.at.1));
    } else {
        dots.sort_by_key(|dot| !dot.is_on_front);
    }
    let spots = if are_numbered { spots(dots, frame) } else { dots.into_iter().map(|dot| vec![dot]).collect() };
    let mut texts: Vec<String> = Vec::new();
    for spot in &spots {
        let first = 1 + spots[..texts.len()].iter().map(Vec::len).sum::<usize>();
        texts.push(match spot.len() {
            _ if !are_numbered => fit(frame.say(&spot[0].name), SMALL, WIDEST),
            1 => first.to_string(),
            more => format!("{first}\u{2013}{}", first + more - 1),
        });
    }
    let words =
        spots.iter().zip(&texts).map(|(spot, text)| Beside { point: frame.at(spot[0].at), width: width(text, SMALL) });
    let words: Vec<Beside> = words.collect();
    let places = beside(&words, LINE, (&points, RADIUS), taken, [(frame.left, frame.top), (frame.right, frame.bottom)]);
    let (lines, column) = grid(plot, frame.language);
    let label = |spot: usize| {
        let (at, anchor) = anchored(&words[spot], places[spot]);
        let room = corners(&words[spot], places[spot]);
        Label { text: texts[spot].clone(), room, at, anchor, lead: lead(&words[spot], places[spot], (LINE, RADIUS)) }
    };
    let of_spots = spots
        .iter()
        .enumerate()
        .flat_map(|(spot, dots)| dots.iter().enumerate().map(move |(place, dot)| (*dot, (place == 0).then_some(spot))));
    let name = |(i, (dot, spot)): (usize, (&Dot, Option<usize>))| {
        let below = || {
            let at = ((i / lines) as f64 * column, (i % lines) as f64 * NUMBERED_LINE);
            ([(i + 1).to_string(), fit(frame.say(&dot.name), SMALL, widest_below(plot))], at)
        };
        Name { row: dot.row, beside: spot.map(label), below: are_numbered.then(below) }
    };
    of_spots.enumerate().map(name).collect()
}

/// The points that are so near to each other that no number could tell them apart, each with those before it.
fn spots<'p>(dots: Vec<&'p Dot>, frame: &Frame) -> Vec<Vec<&'p Dot>> {
    let mut spots: Vec<Vec<&Dot>> = Vec::new();
    for dot in dots {
        let (x, y) = frame.at(dot.at);
        let is_near = |spot: &&mut Vec<&Dot>| {
            let first = frame.at(spot[0].at);
            (first.0 - x).hypot(first.1 - y) < SPOT
        };
        match spots.iter_mut().find(is_near) {
            Some(spot) => spot.push(dot),
            None => spots.push(vec![dot]),
        }
    }
    spots
}

/// The room of `word` at a place.
fn corners(word: &Beside, (x, y): (f64, f64)) -> Corners {
    [(x, y - LINE / 2.0), (x + word.width, y + LINE / 2.0)]
}

/// From where the name of `word` is written that has the room at `place`: from the side of its point, for its font may be
/// narrower than the room.
fn anchored(word: &Beside, (x, y): (f64, f64)) -> ((f64, f64), Anchor) {
    let (right, point) = (x + word.width, word.point.0);
    if right <= point {
        ((right, y), Anchor::End)
    } else if x >= point {
        ((x, y), Anchor::Start)
    } else {
        ((x + word.width / 2.0, y), Anchor::Middle)
    }
}

/// Places along a line, so near to each other that no name fits between them.
fn along(line: &[(f64, f64)], frame: &Frame) -> Vec<(f64, f64)> {
    let corners: Vec<(f64, f64)> = line.iter().map(|&corner| frame.at(corner)).collect();
    let side = |ends: &[(f64, f64)]| {
        let (from, to) = (ends[0], ends[1]);
        let steps = ((to.0 - from.0).hypot(to.1 - from.1) / RADIUS).ceil().max(1.0);
        let at = move |step: u32| {
            let share = f64::from(step) / steps;
            (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1))
        };
        (0..=steps as u32).map(at)
    };
    corners.windows(2).flat_map(side).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::localised_text::LocalisedText;
    use crate::report::plot::{Against, Axis, Fill, Scatter};

    /// The rows of the default run over a dataset that have names, and the settings of cevc that a terminal shows.
    fn plot(points: &[(&str, f64, f64)]) -> Plot {
        let dot = |(row, &(name, precision, recall)): (usize, &(&str, f64, f64))| Dot {
            row,
            name: LocalisedText::name(name),
            at: (recall, precision),
            milliseconds: None,
            fill: if name == "cevc" { Fill::System(1) } else { Fill::Floor(row) },
            main: true,
            named: name != "cevc" || row == 0,
            is_on_front: false,
        };
        let axis = || Axis::of_scores(LocalisedText::name("score"), 0.35);
        let dots = points.iter().enumerate().map(dot).collect();
        let scatter = Some(Scatter { against: Against::Recall, dots, front: Vec::new() });
        Plot { x: axis(), y: axis(), scatter, ..Plot::default() }
    }

    const PORTALS: [(&str, f64, f64); 12] = [
        ("cevc", 0.8586, 0.8924),
        ("cevc", 0.8528, 0.8963),
        ("cevc", 0.9385, 0.7461),
        ("cevc", 0.5995, 0.9381),
        ("nta", 0.7203, 0.9574),
        ("all-text", 0.3482, 0.9816),
        ("nonlink-text", 0.5422, 0.9619),
        ("largest-p-parent", 0.7498, 0.8311),
        ("semantic", 0.4157, 0.9816),
        ("oracle-sweep (bound)", 0.9081, 0.9359),
        ("oracle-subtree (bound)", 0.8868, 0.9838),
        ("oracle-nodes (bound)", 0.9936, 0.9881),
    ];

    const DANIEL: [(&str, f64, f64); 12] = [
        ("cevc", 0.8799, 0.9111),
        ("cevc", 0.8857, 0.8994),
        ("cevc", 0.9162, 0.8081),
        ("cevc", 0.7208, 0.9714),
        ("nta", 0.8388, 0.9536),
        ("all-text", 0.3715, 0.9973),
        ("nonlink-text", 0.6191, 0.9863),
        ("largest-p-parent", 0.8536, 0.9042),
        ("semantic", 0.3842, 0.9967),
        ("oracle-sweep (bound)", 0.9041, 0.9401),
        ("oracle-subtree (bound)", 0.9159, 0.9575),
        ("oracle-nodes (bound)", 0.9978, 0.9968),
    ];

    #[test]
    fn each_name_is_nearest_to_its_own_point() {
        for points in [PORTALS, DANIEL] {
            let plot = plot(&points);
            let frame = Frame::of(&plot, Language::English);
            let names = placed(&plot, &frame);
            let dots = &plot.scatter.as_ref().unwrap().dots;
            for name in &names {
                let own = &dots[name.row];
                let Some(Label { room, .. }) = &name.beside else { continue };
                let far = distance(room, frame.at(own.at));
                for other in dots.iter().filter(|dot| dot.fill != own.fill) {
                    let (own, other) = (own.name.english(), (other.name.english(), frame.at(other.at)));
                    assert!(far <= distance(room, other.1), "{own} is nearer to {}", other.0);
                }
            }
            assert!(frame.are_numbered && names.iter().all(|name| name.below.is_some()), "this crowd needs numbers");
        }
    }

    #[test]
    fn points_on_one_spot_share_their_numbers() {
        let mut points = PORTALS.to_vec();
        points.extend([("dse", 0.3482, 0.9816), ("sst", 0.3483, 0.9817)]);
        let plot = plot(&points);
        let frame = Frame::of(&plot, Language::English);
        let names = placed(&plot, &frame);
        let beside: Vec<&str> = names.iter().filter_map(|name| Some(name.beside.as_ref()?.text.as_str())).collect();
        // Three of cevc have no name, so 11 have, of which the last three are on one spot.
        assert_eq!((names.len(), beside.len(), beside.last()), (11, 9, Some(&"9\u{2013}11")), "{beside:?}");
        let below: Vec<[&str; 2]> =
            names.iter().map(|name| name.below.as_ref().unwrap().0.each_ref().map(String::as_str)).collect();
        let mut last: Vec<&str> = below[8..].iter().map(|[_, name]| *name).collect();
        last.sort_unstable();
        assert_eq!(last, ["all-text", "dse", "sst"]);
        assert_eq!(below[8..].iter().map(|[number, _]| *number).collect::<Vec<_>>(), ["9", "10", "11"]);
    }

    #[test]
    fn names_that_have_room_are_no_numbers() {
        let plot = plot(&[("cevc", 0.9, 0.5), ("nta", 0.5, 0.9), ("all-text", 0.4, 0.4)]);
        assert!(!Frame::of(&plot, Language::English).are_numbered);
    }

    #[test]
    fn a_name_is_written_from_the_side_of_its_point() {
        let at = |x: f64| anchored(&Beside { point: (100.0, 0.0), width: 40.0 }, (x, 5.0));
        assert!(matches!(at(50.0), ((90.0, 5.0), Anchor::End)));
        assert!(matches!(at(110.0), ((110.0, 5.0), Anchor::Start)));
        assert!(matches!(at(80.0), ((100.0, 5.0), Anchor::Middle)));
    }
}
