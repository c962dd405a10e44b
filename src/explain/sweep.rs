//! What is chosen on a page while one parameter moves.

use serde_json::Value as Json;

use super::explained::{ExplainError, Explained, selected};
use super::scorer::Scorer;
use crate::algorithms::Entry;
use crate::algorithms::algorithm::{Choice, Sample, Setting};
use crate::algorithms::group::{AnyGroupAlgorithm, Learned, Pages, Target};
use crate::algorithms::parameters::{ParameterKind, Values};
use crate::algorithms::value::Value;
use crate::page::selection::Selection;
use crate::page::tree::NodeId;
use crate::runs::grid::Written;
use crate::runs::groups::members_around;
use crate::runs::sweep::interval;
use crate::scoring::Score;

/// The steps of one parameter, from its least value to its greatest.
pub(super) struct Sweep {
    pub(super) parameter: &'static str,
    /// Whether the steps are all there are; else they are at the values of a grid.
    pub(super) is_exact: bool,
    pub(super) steps: Vec<Step>,
    /// The step of the setting that is explained.
    pub(super) current: usize,
}

/// Values of a parameter under which the same text is chosen.
pub(super) struct Step {
    /// The values: an interval, or one value.
    pub(super) values: String,
    pub(super) score: Option<Score>,
    /// The text nodes whose part changes with this step: chosen and not before, or the other way round.
    pub(super) changed: Vec<NodeId>,
}

/// Where a step begins and ends, and whether the ends belong to it.
type Ends = ((Value, bool), (Value, bool));

impl Explained {
    /// The steps of every parameter that can be swept.
    ///
    /// # Errors
    /// As [`Explained::new`].
    pub(super) fn sweeps(&self, scorer: &mut Option<Scorer<'_>>) -> Result<Vec<Sweep>, ExplainError> {
        if let Some((parameter, choices)) = &self.learned_sweep {
            return Ok(vec![self.learned_sweep(parameter, choices, scorer)?]);
        }
        let Some((algorithm, setting)) = self.row.system.algorithm() else { return Ok(Vec::new()) };
        let sweeper = Sweeper { explained: self, algorithm, setting };
        let swept = algorithm.declaration().swept.iter();
        swept.map(|swept| sweeper.sweep(swept.parameter, swept.grid, scorer)).collect()
    }

    fn learned_sweep(
        &self,
        parameter: &'static str,
        choices: &[(Value, Choice)],
        scorer: &mut Option<Scorer<'_>>,
    ) -> Result<Sweep, ExplainError> {
        let own = value_of(&self.row.system.values(), parameter);
        let current = choices.iter().position(|&(value, _)| value == own).unwrap_or(0);
        let choices = choices.iter().map(|(value, choice)| (value.to_string(), choice.clone())).collect();
        Ok(Sweep { parameter, is_exact: false, steps: self.steps(choices, scorer)?, current })
    }

    fn steps(
        &self,
        choices: Vec<(String, Choice)>,
        scorer: &mut Option<Scorer<'_>>,
    ) -> Result<Vec<Step>, ExplainError> {
        let mut before = Selection::default();
        let step = |(values, choice): (String, Choice)| {
            let text = choice.text(&self.subject.page);
            let chosen = selected(choice, &self.subject.page)?;
            let score = scorer.as_mut().map(|scorer| scorer.score(&text, &chosen).1);
            let changed = changes(&before, &chosen);
            before = chosen;
            Ok(Step { values, score, changed })
        };
        choices.into_iter().map(step).collect()
    }
}

/// The parameter's value in the setting that is explained.
fn value_of(values: &Values, parameter: &str) -> Value {
    let value = values.get(parameter).and_then(Json::as_str);
    value.and_then(|text| text.parse().ok()).unwrap_or(Value::ZERO)
}

/// An algorithm whose parameters are moved.
struct Sweeper<'e> {
    explained: &'e Explained,
    algorithm: Entry,
    setting: &'e Setting,
}

impl Sweeper<'_> {
    fn sweep(
        &self,
        parameter: &'static str,
        grid: &str,
        scorer: &mut Option<Scorer<'_>>,
    ) -> Result<Sweep, ExplainError> {
        let own = value_of(self.setting.values(), parameter);
        if let Some(pieces) = self.exact_pieces(parameter)? {
            let holds = |(from, to): &Ends| {
                let is_behind = if from.1 { from.0 <= own } else { from.0 < own };
                is_behind && if to.1 { own <= to.0 } else { own < to.0 }
            };
            let current = pieces.iter().position(|(ends, _)| holds(ends)).unwrap_or(0);
            let pieces = pieces.into_iter().map(|((from, to), choice)| (interval(from, to), choice));
            let steps = self.explained.steps(pieces.collect(), scorer)?;
            return Ok(Sweep { parameter, is_exact: true, steps, current });
        }
        let values = self.grid_values(parameter, grid, own);
        let current = values.iter().position(|&value| value == own).unwrap_or(0);
        let settings: Vec<Setting> = values.iter().filter_map(|&value| self.setting_at(parameter, value)).collect();
        let choices = self.choices(&settings)?;
        let steps = self.explained.steps(values.iter().map(Value::to_string).zip(choices).collect(), scorer)?;
        Ok(Sweep { parameter, is_exact: false, steps, current })
    }

    fn setting_at(&self, parameter: &str, value: Value) -> Option<Setting> {
        let mut values = self.setting.values().clone();
        values.insert(parameter.to_owned(), Json::String(value.to_string()));
        self.algorithm.setting(&values).ok()
    }

    /// The pieces of an exact sweep, neighbours with the same choice as one.
    fn exact_pieces(&self, parameter: &str) -> Result<Option<Vec<(Ends, Choice)>>, ExplainError> {
        let mut pieces: Vec<(Ends, Choice)> = Vec::new();
        let mut begun = (Value::ZERO, true);
        // An interval's upper end is known when the next point comes, or never.
        let mut take = |Sample { at, between, choice }: Sample| {
            if let Some((ends, _)) = pieces.last_mut().filter(|_| !between) {
                ends.1 = (at, false);
            }
            let from = if between { (begun.0, false) } else { (at, true) };
            let to = if between { (self.upper_end(parameter), false) } else { (at, true) };
            begun = from;
            match pieces.last_mut() {
                Some((ends, last)) if *last == choice => ends.1 = to,
                _ => pieces.push(((from, to), choice)),
            }
            Ok(())
        };
        if !self.algorithm.declaration().sweeps_exactly(parameter) {
            return Ok(None);
        }
        match self.algorithm {
            Entry::Page(algorithm) => algorithm
                .sweep(&self.explained.subject.page, self.setting, parameter, &mut take)
                .map_err(ExplainError::Page)?,
            Entry::Group(algorithm) => self.in_group(algorithm, |learned, target| {
                algorithm.sweep(learned, target, (self.setting, parameter), &mut take)
            })?,
        }
        Ok(Some(pieces))
    }

    /// The upper end of a parameter whose range excludes it.
    fn upper_end(&self, parameter: &str) -> Value {
        let kind = self.algorithm.parameters().into_iter().find(|known| known.name == parameter);
        match kind.map(|known| known.values) {
            Some(ParameterKind::Decimal { to, .. }) => to,
            _ => Value::INFINITY,
        }
    }

    /// The values of the grid that sweeps begin with, and the setting's own.
    fn grid_values(&self, parameter: &str, grid: &str, own: Value) -> Vec<Value> {
        let kind = self.algorithm.parameters().into_iter().find(|known| known.name == parameter);
        let texts = kind.and_then(|known| Written::read(grid).expand(&known.values).ok()?).unwrap_or_default();
        let mut values: Vec<Value> = texts.iter().filter_map(|text| text.parse().ok()).chain([own]).collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    fn choices(&self, settings: &[Setting]) -> Result<Vec<Choice>, ExplainError> {
        let settings: Vec<&Setting> = settings.iter().collect();
        let page = &self.explained.subject.page;
        let algorithm = match self.algorithm {
            Entry::Page(algorithm) => return Ok(algorithm.choose_all(page, &settings)),
            Entry::Group(algorithm) => algorithm,
        };
        self.in_group(algorithm, |learned, target| algorithm.choose_all(learned, target, &settings))
    }

    /// What `ask` says of the page among those that the algorithm sees together with it.
    fn in_group<T>(
        &self,
        algorithm: &dyn AnyGroupAlgorithm,
        mut ask: impl FnMut(&Learned, Target<'_>) -> Result<T, String>,
    ) -> Result<T, ExplainError> {
        let page = &self.explained.subject.page;
        let mut among = |pages: &dyn Pages, index: usize| {
            let learned = algorithm.learn(pages, self.setting)?;
            ask(&learned, Target { page, index, pages })
        };
        match &self.explained.subject.place {
            Some((dataset, index)) => {
                let (members, place) = members_around(dataset, algorithm.scope(self.setting), *index)?;
                among(&members, place)
            }
            None => among(&std::slice::from_ref(page), 0),
        }
        .map_err(ExplainError::Page)
    }
}

/// What is in one of two selections alone, in document order.
fn changes(before: &Selection, after: &Selection) -> Vec<NodeId> {
    let gone = before.nodes().iter().filter(|&&id| !after.has(id));
    let come = after.nodes().iter().filter(|&&id| !before.has(id));
    let mut changed: Vec<NodeId> = gone.chain(come).copied().collect();
    changed.sort_unstable();
    changed
}
