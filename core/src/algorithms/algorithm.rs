//! Algorithms that look at one page: typed where they are written, erased once where they are listed.

use std::any::Any;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::declaration::Declaration;
use super::explanation::Explanation;
use super::parameters::{self, Parameter, ParameterKind, Values};
use super::value::Value;
use crate::page::Page;
use crate::page::render::render;
use crate::page::selection::Selection;
use crate::text::hint;

/// What an algorithm says is content.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// Text nodes of the page.
    Selection(Selection),
    /// A text of its own, from a program that does not select nodes.
    Text(String),
}

impl Choice {
    /// The extraction: the selection rendered, or the text with its lines normalised.
    pub fn text(&self, page: &Page) -> String {
        match self {
            Choice::Selection(selection) => render(&page.tree, selection),
            Choice::Text(text) => crate::text::normalise_lines(text),
        }
    }
}

impl FromIterator<crate::page::tree::NodeId> for Choice {
    fn from_iter<I: IntoIterator<Item = crate::page::tree::NodeId>>(nodes: I) -> Self {
        Choice::Selection(nodes.into_iter().collect())
    }
}

/// An algorithm that looks at one page. Build once, query many: `prepare` does what does not depend
/// on the swept parameters, `choose` is cheap.
pub trait PageAlgorithm: Sync + 'static {
    /// One plain struct; doc comments are the help, `Default` the defaults.
    type Parameters: Serialize + DeserializeOwned + JsonSchema + Default + Send + Sync + 'static;
    /// The page as this algorithm sees it.
    type Prepared<'p>: Sync;
    /// What it says of itself.
    const DECLARATION: Declaration;

    /// The parameter of this name, where it is declared as swept exactly.
    fn swept<'p>(_parameters: &'p mut Self::Parameters, _name: &str) -> Option<&'p mut Value> {
        None
    }

    /// Refuses parameters that do not go together; each alone has its range.
    ///
    /// # Errors
    /// A sentence that names the parameter.
    fn check(_: &Self::Parameters) -> Result<(), String> {
        Ok(())
    }

    /// Everything that does not depend on a swept parameter.
    fn prepare<'p>(&self, page: &'p Page, parameters: &Self::Parameters) -> Self::Prepared<'p>;

    /// The choice under `parameters`.
    fn choose(&self, prepared: &Self::Prepared<'_>, parameters: &Self::Parameters) -> Choice;

    /// Where the choice can change while `swept`, declared as exact, grows and the rest stays: in any order, more than
    /// needed is allowed.
    fn break_points(&self, _prepared: &Self::Prepared<'_>, _parameters: &Self::Parameters, _swept: &str) -> Vec<Value> {
        Vec::new()
    }

    /// The numbers behind the choice under `parameters`; nothing where only the choice is known.
    fn explain(&self, _prepared: &Self::Prepared<'_>, _parameters: &Self::Parameters) -> Explanation {
        Explanation::default()
    }
}

/// Parameters of one algorithm, resolved and checked.
#[derive(Clone)]
pub struct Setting {
    /// Every parameter by name.
    values: Values,
    /// The same as the algorithm's own struct.
    typed: Arc<dyn Any + Send + Sync>,
    /// The values that are not swept: settings with equal keys share what was prepared.
    prepare_key: String,
}

impl Setting {
    /// Every parameter by name, in the order of declaration.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The setting of `given` over the defaults of `P`.
    fn new<P>(declaration: &Declaration, given: &Values) -> Result<Self, SettingError>
    where
        P: Serialize + DeserializeOwned + Default + Send + Sync + 'static,
    {
        let mut values = parameters::as_values(&P::default());
        for (name, value) in given {
            if !values.contains_key(name) {
                return Err(unknown_parameter(declaration.name, name, values.keys().map(String::as_str)));
            }
            values.insert(name.clone(), value.clone());
        }
        let typed: P = serde_json::from_value(Json::Object(values.clone())).map_err(|error| {
            SettingError::BadValue { algorithm: declaration.name.to_owned(), problem: error.to_string() }
        })?;
        let mut fixed = values.clone();
        for swept in declaration.swept {
            fixed.shift_remove(swept.parameter);
        }
        Ok(Setting { prepare_key: Json::Object(fixed).to_string(), values, typed: Arc::new(typed) })
    }

    /// As [`Setting::new`], refused where `check` refuses it.
    pub(super) fn checked<P>(
        declaration: &Declaration,
        given: &Values,
        check: fn(&P) -> Result<(), String>,
    ) -> Result<Self, SettingError>
    where
        P: Serialize + DeserializeOwned + Default + Send + Sync + 'static,
    {
        let setting = Setting::new::<P>(declaration, given)?;
        let algorithm = declaration.name.to_owned();
        check(setting.typed()).map_err(|problem| SettingError::BadValue { algorithm, problem })?;
        Ok(setting)
    }

    /// Equal for settings of one algorithm that differ in nothing but swept parameters.
    pub fn prepare_key(&self) -> &str {
        &self.prepare_key
    }

    /// The same as the struct of the algorithm that made it.
    pub(super) fn typed<P: 'static>(&self) -> &P {
        self.typed.downcast_ref().expect("a setting is used with the algorithm that made it")
    }
}

/// A setting that an algorithm does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// No parameter of that name.
    #[error("{algorithm} has no parameter `{name}`; {hint}")]
    UnknownParameter {
        /// The algorithm's name.
        algorithm: String,
        /// The name that was given.
        name: String,
        /// The way out.
        hint: String,
    },
    /// A value that a parameter cannot have.
    #[error("{algorithm}: {problem}")]
    BadValue {
        /// The algorithm's name.
        algorithm: String,
        /// What was expected and what was given.
        problem: String,
    },
}

/// A page algorithm of whatever type.
pub trait AnyPageAlgorithm: Sync {
    /// What it says of itself.
    fn declaration(&self) -> &'static Declaration;
    /// Its parameters, in order.
    fn parameters(&self) -> Vec<Parameter>;
    /// The setting of `values` over the defaults.
    ///
    /// # Errors
    /// A name or a value that the algorithm does not have.
    fn setting(&self, values: &Values) -> Result<Setting, SettingError>;
    /// The choice under each setting; the page is prepared once for all that differ in swept
    /// parameters alone.
    fn choose_all(&self, page: &Page, settings: &[&Setting]) -> Vec<Choice>;
    /// Hands `take` the choices at and between the break points of `swept` over its whole range, one after the other, the
    /// rest as in `setting`.
    ///
    /// # Errors
    /// The break points of `swept` are not known; the first of `take`.
    fn sweep(&self, page: &Page, setting: &Setting, swept: &str, take: TakeSample<'_>) -> Result<(), String>;
    /// The choice under `setting` and the numbers behind it.
    fn explain(&self, page: &Page, setting: &Setting) -> (Choice, Explanation);
}

/// The choice at one point of an exact sweep.
#[derive(Clone, Debug)]
pub struct Sample {
    /// A break point or the range's end, or a number between two of them.
    pub at: Value,
    /// Whether the choice is that of the whole open interval around `at`, up to the neighbours.
    pub between: bool,
    /// The choice.
    pub choice: Choice,
}

/// What is done with each sample of an exact sweep, in order: a page may have more than can be held at once.
pub type TakeSample<'t> = &'t mut dyn FnMut(Sample) -> Result<(), String>;

impl<A: PageAlgorithm> AnyPageAlgorithm for A {
    fn declaration(&self) -> &'static Declaration {
        const { &A::DECLARATION }
    }

    fn parameters(&self) -> Vec<Parameter> {
        parameters::declared::<A::Parameters>()
    }

    fn setting(&self, given: &Values) -> Result<Setting, SettingError> {
        Setting::checked::<A::Parameters>(&A::DECLARATION, given, A::check)
    }

    fn choose_all(&self, page: &Page, settings: &[&Setting]) -> Vec<Choice> {
        let mut prepared: Vec<(&str, A::Prepared<'_>)> = Vec::new();
        settings
            .iter()
            .map(|setting| {
                let parameters = setting.typed::<A::Parameters>();
                let known = prepared.iter().position(|(key, _)| *key == setting.prepare_key);
                let at = known.unwrap_or_else(|| {
                    prepared.push((&setting.prepare_key, self.prepare(page, parameters)));
                    prepared.len() - 1
                });
                self.choose(&prepared[at].1, parameters)
            })
            .collect()
    }

    fn sweep(&self, page: &Page, setting: &Setting, swept: &str, take: TakeSample<'_>) -> Result<(), String> {
        A::DECLARATION.check_exact(swept)?;
        let parameters = setting.typed::<A::Parameters>();
        let prepared = self.prepare(page, parameters);
        let points = self.break_points(&prepared, parameters, swept);
        let choose = |parameters: &A::Parameters| Ok(self.choose(&prepared, parameters));
        sweep_at(points, (setting, &self.parameters(), swept), A::swept, choose, take)
    }

    fn explain(&self, page: &Page, setting: &Setting) -> (Choice, Explanation) {
        let parameters = setting.typed::<A::Parameters>();
        let prepared = self.prepare(page, parameters);
        (self.choose(&prepared, parameters), PageAlgorithm::explain(self, &prepared, parameters))
    }
}

/// The parameter of a typed struct that an exact sweep sets.
pub(super) type SweptParameter<P> = for<'p> fn(&'p mut P, &str) -> Option<&'p mut Value>;

/// Hands `take` what `choose` gives at and between `points` over the whole range of a parameter, one of `parameters`, the
/// rest as in the setting.
pub(super) fn sweep_at<P: DeserializeOwned>(
    points: Vec<Value>,
    (setting, parameters, swept): (&Setting, &[Parameter], &str),
    parameter: SweptParameter<P>,
    mut choose: impl FnMut(&P) -> Result<Choice, String>,
    take: TakeSample<'_>,
) -> Result<(), String> {
    let range = parameters.iter().find(|parameter| parameter.name == swept).map(|parameter| &parameter.values);
    let Some(points) = range.and_then(|range| sample_points(points, range)) else {
        return Err(format!("`{swept}` is no decimal"));
    };
    let values = Json::Object(setting.values.clone());
    let mut typed: P = serde_json::from_value(values).map_err(|error| error.to_string())?;
    for (at, between) in points {
        *parameter(&mut typed, swept).ok_or_else(|| format!("`{swept}` cannot be set"))? = at;
        take(Sample { at, between, choice: choose(&typed)? })?;
    }
    Ok(())
}

/// The error of a name that no parameter has, with the nearest that there is.
pub fn unknown_parameter<'n>(
    algorithm: &str,
    name: &str,
    known: impl Iterator<Item = &'n str> + Clone,
) -> SettingError {
    let hint = hint(name, known);
    SettingError::UnknownParameter { algorithm: algorithm.to_owned(), name: name.to_owned(), hint }
}

/// Both ends of `range`, the break points within, and a number between each two neighbours, in order, each with whether it
/// is such a number. The upper end is left out where the range excludes it. `None` for what is no range of decimals.
pub fn sample_points(mut points: Vec<Value>, range: &ParameterKind) -> Option<Vec<(Value, bool)>> {
    let ParameterKind::Decimal { from, to, below } = *range else { return None };
    points.retain(|&point| from < point && point < to);
    points.extend([from, to]);
    points.sort_unstable();
    points.dedup();
    let mut samples = Vec::with_capacity(2 * points.len());
    for (i, &point) in points.iter().enumerate() {
        if i > 0 {
            samples.push((points[i - 1].between(point), true));
        }
        if !(below && point == to) {
            samples.push((point, false));
        }
    }
    Some(samples)
}
