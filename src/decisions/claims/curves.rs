//! Claims about exact curves of a swept parameter.

use super::{Evidence, Measured, Outcome, Verdict, algorithm};
use crate::papers::{Direction, Measure};
use crate::runs::folder::number;
use crate::runs::run_folder::SweepRow;
use crate::runs::sweep::digits_between;

/// Curves are stored to six digits; a difference below this is none.
const NOTHING: f64 = 1e-9;

/// The part of an exact curve that lies in a closed interval.
pub(super) struct Curve {
    parameter: String,
    range: (f64, f64),
    pieces: Vec<Piece>,
}

/// A piece on which the curve is constant.
struct Piece {
    from: f64,
    to: f64,
    closed: (bool, bool),
    /// Precision, recall and F1.
    scores: [f64; 3],
    /// Whether its F1 is not separable from the best of the sweep, where that is known: what the figure shades.
    flat: Option<bool>,
}

impl Curve {
    /// Of `system` over `parameter`, all others at their defaults, from the first to the last value of `range`.
    pub(super) fn of(
        evidence: &Evidence<'_>,
        system: &str,
        parameter: &str,
        range: (f64, f64),
    ) -> Result<Self, String> {
        let algorithm = algorithm(system)?;
        let is_meant = |line: &&&SweepRow| {
            line.algorithm == algorithm && line.parameter == parameter && line.parameters.is_empty()
        };
        let pieces = evidence.sweeps.iter().filter(is_meant).map(|line| Piece::read(line));
        let mut pieces: Vec<Piece> = pieces.collect::<Result<_, _>>()?;
        pieces.retain(|piece| piece.meets(range));
        if pieces.is_empty() {
            return Err(format!("the run has no exact sweep of {algorithm} over {parameter}"));
        }
        Ok(Curve { parameter: parameter.to_owned(), range, pieces })
    }

    fn scores(&self, measure: Measure) -> Result<Vec<f64>, String> {
        let place = match measure {
            Measure::P => 0,
            Measure::R => 1,
            Measure::F1 => 2,
            Measure::Kept | Measure::LinkShare => return Err(format!("a {} has no curve", measure.name())),
        };
        Ok(self.pieces.iter().map(|piece| piece.scores[place]).collect())
    }

    fn place(&self) -> String {
        format!("{} from {} to {}", self.parameter, self.range.0, self.range.1)
    }

    /// Whether none of `measures` moves by more than `most`.
    pub(super) fn flat(&self, measures: &[Measure], most: f64) -> Result<Outcome, String> {
        let range = |measure: &Measure| {
            Ok(Measured::exact(format!("{} moves by", measure.name()), spread(&self.scores(*measure)?)))
        };
        let measured: Vec<Measured> = measures.iter().map(range).collect::<Result<_, String>>()?;
        let is_flat = measured.iter().all(|range| range.value <= most + NOTHING);
        let remark = format!("{}, at most {most} would be flat", self.place());
        Ok(Outcome { verdict: decided(is_flat), measured, remark })
    }

    /// Decides if the curve never goes against `direction` by more than `slack`, in one step or in many.
    pub(super) fn monotone(&self, measure: Measure, direction: Direction, slack: f64) -> Result<Outcome, String> {
        let scores = self.scores(measure)?;
        let against = |(a, b): (f64, f64)| if direction == Direction::Up { a - b } else { b - a };
        // From the furthest point that was reached in the direction.
        let mut furthest = scores[0];
        let (mut place, mut worst) = (0, 0.0);
        for (at, &score) in scores.iter().enumerate() {
            if against((furthest, score)) < 0.0 {
                furthest = score;
            }
            if against((furthest, score)) > worst {
                (place, worst) = (at, against((furthest, score)));
            }
        }
        let (first, last) = (scores[0], scores[scores.len() - 1]);
        let measured = vec![
            Measured::exact(format!("{} at first", measure.name()), first),
            Measured::exact("at last", last),
            Measured::exact("greatest move against it", worst),
        ];
        let wrong_end = against((first, last)) > NOTHING;
        let whereabouts = if worst > NOTHING {
            format!(", at {} {:.4}", self.parameter, self.pieces[place].from)
        } else {
            String::new()
        };
        let allowed = if slack > 0.0 { format!(", up to {slack} of it allowed by us") } else { String::new() };
        let remark = format!("{}{whereabouts}{allowed}", self.place());
        // A curve that does not move goes neither up nor down.
        let verdict = match spread(&scores) <= NOTHING {
            true => Verdict::NotSeparable,
            false => decided(worst <= slack + NOTHING && !wrong_end),
        };
        Ok(Outcome { verdict, measured, remark })
    }

    /// Whether the curve at `at` is within `within` of its highest point, or not separable from it: pages cannot say
    /// more of a best setting.
    pub(super) fn argmax(&self, measure: Measure, at: f64, within: f64) -> Result<Outcome, String> {
        let scores = self.scores(measure)?;
        let place = self.pieces.iter().position(|piece| piece.holds(at));
        let place = place.ok_or_else(|| format!("{} {at} was not swept", self.parameter))?;
        let here = scores[place];
        let best = (1..scores.len()).fold(0, |best, i| if scores[i] > scores[best] { i } else { best });
        let (name, piece) = (measure.name(), &self.pieces[best]);
        let measured = vec![
            Measured::exact(format!("{name} at {at}"), here),
            Measured::exact("best", scores[best]),
            Measured::exact("range", spread(&scores)),
        ];
        let (low, high) = (piece.from.max(self.range.0), piece.to.min(self.range.1));
        let is_near = here >= scores[best] - within - NOTHING;
        let known = if measure == Measure::F1 { self.pieces[place].flat } else { Some(false) };
        let (verdict, told) = match known {
            _ if spread(&scores) <= NOTHING => (Verdict::NotSeparable, "; no value differs from another".to_owned()),
            _ if is_near && within > 0.0 => {
                (Verdict::Holds, format!("; {at} is within {within} of the best, as we allow"))
            }
            _ if is_near => (Verdict::Holds, format!("; {at} is the best")),
            Some(true) if self.pieces.iter().all(|piece| piece.flat == Some(true)) => {
                (Verdict::Holds, format!("; {at} is not separable from the best, and nor is any other value"))
            }
            Some(true) => (Verdict::Holds, format!("; {at} is not separable from the best")),
            Some(false) => (Verdict::Fails, String::new()),
            None => (Verdict::NotSeparable, "; the pages of one site cannot tell values apart".to_owned()),
        };
        let digits = usize::from(digits_between(low, high));
        let remark = format!("{}, best between {low:.digits$} and {high:.digits$}{told}", self.place());
        Ok(Outcome { verdict, measured, remark })
    }
}

fn decided(holds: bool) -> Verdict {
    if holds { Verdict::Holds } else { Verdict::Fails }
}

fn spread(scores: &[f64]) -> f64 {
    let [least, most] = scores.iter().fold([f64::MAX, f64::MIN], |[least, most], &s| [least.min(s), most.max(s)]);
    most - least
}

impl Piece {
    fn read(line: &SweepRow) -> Result<Self, String> {
        let read = |text: &String| number(text).ok_or_else(|| format!("`{text}` of the exact sweep is not a number"));
        Ok(Piece {
            from: read(&line.from)?,
            to: read(&line.to)?,
            closed: (line.from_closed, line.to_closed),
            scores: [read(&line.precision)?, read(&line.recall)?, read(&line.f1)?],
            flat: line.flat,
        })
    }

    fn holds(&self, at: f64) -> bool {
        let above = if self.closed.0 { self.from <= at } else { self.from < at };
        above && if self.closed.1 { at <= self.to } else { at < self.to }
    }

    /// Whether a value of the closed interval lies in it.
    fn meets(&self, (from, to): (f64, f64)) -> bool {
        let reaches = if self.closed.1 { from <= self.to } else { from < self.to };
        reaches && if self.closed.0 { self.from <= to } else { self.from < to }
    }
}
