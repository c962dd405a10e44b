//! Systems whose parameters are to be chosen: which settings of them are tried, and where a plan runs these.

use std::collections::BTreeMap;

use super::configuration::tuning::{Search, TuningRequest};
use super::configuration::{AlgorithmRequest, Configuration, ExternalRequest, Origin, RequestError};
use super::grid::Written;
use super::kinds::{described, resolve};
use super::plan::Plan;
use super::system::{ExactSweep, Row};
use super::values::{label, text_of};
use crate::algorithms::find;
use crate::algorithms::parameters::Values;
use crate::statistics::{Purpose, distinct};

/// A system as it was asked for, before anything is planned.
pub struct Candidate {
    /// What is said of it besides what is chosen, as on the command line: `nta`, `nta:start=first`.
    pub name: String,
    /// The parameters that are chosen; none where the system stands beside the others as it is.
    pub chosen: Vec<String>,
    /// The one of them that is swept exactly.
    pub(super) exact: Option<String>,
    algorithm: String,
    fixed: Vec<(String, String)>,
    settings: Vec<AlgorithmRequest>,
    default: AlgorithmRequest,
    /// The items of a configuration that run the settings of what is no algorithm, by the chosen parameters' values.
    items: BTreeMap<Vec<String>, String>,
}

/// The algorithms of `configuration` with the settings that `request` wants tried, and the configuration that runs
/// them all, each algorithm's default for the chosen parameters among them.
///
/// # Errors
/// [`RequestError`]: nothing is swept, or what cannot be drawn from or scored as asked.
pub fn candidates(
    configuration: &Configuration,
    request: &TuningRequest,
) -> Result<(Configuration, Vec<Candidate>), RequestError> {
    // Rules of sites, and whatever else is no algorithm, stand beside the others as they are.
    let is_other = |asked: &&AlgorithmRequest| described().any(|other| other.name == asked.name);
    let (others, asked): (Vec<_>, Vec<_>) = configuration.algorithms.iter().partition(is_other);
    let of = |(number, asked): (usize, &&AlgorithmRequest)| Candidate::new(asked, number, request);
    let candidates: Vec<Candidate> = asked.iter().enumerate().map(of).collect::<Result<_, RequestError>>()?;
    let mut external = configuration.external.clone();
    external.iter_mut().for_each(|asked| asked.with_default = true);
    let is_swept = |asked: &ExternalRequest| asked.parameters.iter().any(|parameter| parameter.written.is_swept());
    if candidates.iter().all(|candidate| candidate.chosen.is_empty()) && !external.iter().any(is_swept) {
        let message = format!(
            "{} sweeps no parameter, so there is nothing to choose; give one several values, as in \
             `nta:coherence=0.6..1.0/0.05`",
            configuration.name
        );
        return Err(RequestError::Argument(message));
    }
    let algorithms = candidates.iter().flat_map(|candidate| candidate.settings.iter().chain([&candidate.default]));
    let algorithms = algorithms.chain(others);
    let configuration = Configuration { algorithms: algorithms.cloned().collect(), external, ..configuration.clone() };
    Ok((configuration, candidates))
}

impl Candidate {
    fn new(asked: &AlgorithmRequest, number: usize, request: &TuningRequest) -> Result<Self, RequestError> {
        let (swept, fixed): (Vec<_>, Vec<_>) =
            asked.parameters.iter().cloned().partition(|parameter| parameter.written.is_swept());
        let exact = swept.iter().find(|parameter| parameter.written == Written::Exact);
        if let Some(parameter) = exact {
            let refused = match request.search {
                Search::Random(_) => Some("a random search draws from lists and ranges, not from `exact`".to_owned()),
                Search::Grid if !request.objective.is_of_scores() => Some(format!(
                    "`{}` needs counts, and an exact sweep keeps only scores; put `{}` on a grid",
                    request.objective, parameter.name
                )),
                Search::Grid => None,
            };
            if let Some(message) = refused {
                return Err(parameter.origin.error(message));
            }
        }
        let default = AlgorithmRequest { parameters: fixed.clone(), ..asked.clone() };
        let settings = match request.search {
            Search::Random(draws) if !swept.is_empty() => drawn(asked, draws, request.seed, number)?,
            _ => vec![asked.clone()],
        };
        Ok(Candidate {
            name: default.to_string(),
            chosen: swept.iter().map(|parameter| parameter.name.clone()).collect(),
            exact: exact.map(|parameter| parameter.name.clone()),
            algorithm: asked.name.clone(),
            fixed: fixed.into_iter().map(|parameter| (parameter.name, parameter.written.to_string())).collect(),
            settings,
            default,
            items: BTreeMap::new(),
        })
    }

    /// A system that stands beside the others as it is, and is no algorithm.
    pub(crate) fn fixed(name: &str) -> Self {
        let origin = Origin::Argument(name.to_owned());
        Candidate {
            name: name.to_owned(),
            chosen: Vec::new(),
            exact: None,
            algorithm: name.to_owned(),
            fixed: Vec::new(),
            settings: Vec::new(),
            default: AlgorithmRequest { name: name.to_owned(), parameters: Vec::new(), origin },
            items: BTreeMap::new(),
        }
    }

    /// The item of a configuration's `algorithms` that runs the setting with `values`.
    pub fn to_yaml(&self, values: &[String]) -> String {
        if let Some(item) = self.items.get(values) {
            return item.clone();
        }
        let fixed = self.fixed.iter().map(|(name, value)| format!("{name}: {value}"));
        let chosen = self.chosen.iter().zip(values).map(|(name, value)| format!("{name}: {value}"));
        let parameters: Vec<String> = fixed.chain(chosen).collect();
        format!("- {}: {{{}}}", self.algorithm, parameters.join(", "))
    }

    /// Finds the settings in the plan that was made of them.
    ///
    /// # Errors
    /// As [`candidates`]; the plan would have had the same.
    pub fn find_in(self, plan: &Plan) -> Result<Tunable, RequestError> {
        let loading = plan.configuration.loading();
        let (rows, sweeps) = resolve(&self.settings, loading)?;
        let (default, _) = resolve(std::slice::from_ref(&self.default), loading)?;
        let row = |identity: String| plan.rows.iter().position(|row| row.identity() == identity);
        let sweep = |wanted: &ExactSweep| plan.sweeps.iter().position(|sweep| sweep.identity() == wanted.identity());
        let rows: Vec<usize> = rows.iter().filter_map(|wanted| row(wanted.identity())).collect();
        Ok(Tunable {
            default: default.first().and_then(|default| row(default.identity())).unwrap_or_default(),
            sweeps: sweeps.iter().filter_map(sweep).collect(),
            rows,
            candidate: self,
        })
    }
}

/// So many of the settings that `asked` multiplies to.
fn drawn(
    asked: &AlgorithmRequest,
    draws: u32,
    seed: u64,
    number: usize,
) -> Result<Vec<AlgorithmRequest>, RequestError> {
    let algorithm = find(&asked.name).map_err(|error| asked.origin.error(error.to_string()))?;
    let known = algorithm.parameters();
    let mut values: Vec<Vec<String>> = Vec::new();
    for parameter in &asked.parameters {
        let kind = known.iter().find(|known| known.name == parameter.name).map(|known| &known.values);
        // A name that no parameter has is told when the settings are planned.
        let expanded = kind.map_or(Ok(None), |kind| parameter.written.expand(kind));
        let expanded = expanded.map_err(|message| parameter.origin.error(format!("{}: {message}", parameter.name)))?;
        values.push(expanded.unwrap_or_else(|| vec![parameter.written.to_string()]));
    }
    let cells = values.iter().try_fold(1u32, |cells, values| cells.checked_mul(values.len() as u32));
    let cells =
        cells.ok_or_else(|| asked.origin.error(format!("there are more than {} settings to draw from", u32::MAX)))?;
    let setting = |mut place: u32| {
        let mut parameters = asked.parameters.clone();
        for (parameter, values) in parameters.iter_mut().zip(&values).rev() {
            let count = values.len() as u32;
            parameter.written = Written::Values(vec![values[(place % count) as usize].clone()]);
            place /= count;
        }
        AlgorithmRequest { parameters, ..asked.clone() }
    };
    Ok(distinct(seed, Purpose::Settings, number as u64, cells, draws).into_iter().map(setting).collect())
}

/// A system whose settings were run.
pub struct Tunable {
    /// What was asked for.
    pub candidate: Candidate,
    /// The places of the settings among the plan's rows.
    pub(super) rows: Vec<usize>,
    /// The places of the exact sweeps among the plan's.
    pub(super) sweeps: Vec<usize>,
    /// The place of the row with the default among the plan's.
    pub(super) default: usize,
}

impl Tunable {
    /// The systems of the plan that are no algorithm's and read no gold. Their rows that differ in swept parameters are
    /// settings of one, of which the best is chosen; the others stand beside them as they are.
    pub fn of_others(plan: &Plan) -> Vec<Tunable> {
        let is_other = |row: &Row| row.system.algorithm().is_none() && row.system.reads_gold().is_none();
        let mut systems: Vec<(String, Vec<usize>)> = Vec::new();
        for (place, row) in plan.rows.iter().enumerate().filter(|(_, row)| is_other(row)) {
            let name = name_of_family(row);
            match systems.iter_mut().find(|(known, _)| *known == name) {
                Some((_, rows)) => rows.push(place),
                None => systems.push((name, vec![place])),
            }
        }
        systems.into_iter().map(|(name, rows)| Tunable::of_rows(plan, &name, rows)).collect()
    }

    /// The settings of one system that is no algorithm.
    fn of_rows(plan: &Plan, name: &str, rows: Vec<usize>) -> Self {
        let row = |place: &usize| &plan.rows[*place];
        let mut candidate = Candidate::fixed(name);
        let is_default =
            |place: &&usize| row(place).swept.iter().all(|name| !row(place).system.differs().contains(name));
        let default = rows.iter().find(is_default).copied().unwrap_or(rows[0]);
        if rows.len() > 1 {
            candidate.chosen = row(&rows[0]).swept.clone();
            let value = |values: &Values, name: &String| values.get(name).map(text_of).unwrap_or_default();
            for place in &rows {
                let values = row(place).system.values();
                let key = candidate.chosen.iter().map(|name| value(&values, name)).collect();
                candidate.items.extend(row(place).system.to_yaml().map(|item| (key, item)));
            }
        }
        Tunable { candidate, rows, sweeps: Vec::new(), default }
    }

    /// Whether there is anything of it in the dataset at `place` of the plan.
    pub fn is_of(&self, plan: &Plan, place: usize) -> bool {
        plan.rows[self.default].system.is_of(place)
    }
}

/// What rows have in common that differ in swept parameters alone, as on the command line.
fn name_of_family(row: &Row) -> String {
    let is_told = |name: &String| !row.swept.contains(name);
    let differs: Vec<String> = row.system.differs().into_iter().filter(is_told).collect();
    let fixed = label(&row.system.values(), &differs, &[]);
    if fixed.is_empty() { row.name().to_owned() } else { format!("{}:{fixed}", row.name()) }
}

#[cfg(test)]
impl Candidate {
    /// A system of this name with a parameter of this name.
    pub(crate) fn of_one_parameter(name: &str) -> Self {
        Candidate { chosen: vec![name.to_owned()], ..Candidate::fixed(name) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configuration(algorithms: &str, tune: &str) -> Configuration {
        let text = format!("datasets: [portals]\nalgorithms: {algorithms}\ntune: {tune}\n");
        Configuration::from_yaml("c.yaml", &text).unwrap()
    }

    /// What is run: the settings of each algorithm, and the default.
    fn specs(algorithms: &str, tune: &str) -> Result<Vec<String>, String> {
        let configuration = configuration(algorithms, tune);
        let (spread, _) = candidates(&configuration, &configuration.tuning).map_err(|error| error.to_string())?;
        Ok(spread.algorithms.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn defaults_are_run_too() {
        let found = specs("[{nta: {start: first, coherence: [0.8, 0.9]}}, all-text, {cevc: {alpha: exact}}]", "{}");
        let expected = [
            "nta:start=first,coherence=0.8|0.9",
            "nta:start=first",
            "all-text",
            "all-text",
            "cevc:alpha=exact",
            "cevc",
        ];
        assert_eq!(found.unwrap(), expected);
    }

    #[test]
    fn drawn_settings_are_different_ones_of_the_grid() {
        let grid = "[{nta: {coherence: 0.60..1.00/0.01, start: [first, second], density: 0.3..0.5/0.1}}]";
        let found = specs(grid, "{search: {random: 40}}").unwrap();
        assert_eq!(found.len(), 41);
        let mut distinct = found.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), 41);
        assert!(found[..40].iter().all(|spec| spec.starts_with("nta:coherence=") && !spec.contains('|')), "{found:?}");
        assert_eq!(found, specs(grid, "{search: {random: 40}}").unwrap());
        assert_ne!(found, specs(grid, "{search: {random: 40}, seed: 2}").unwrap());
        let all = specs("[{nta: {coherence: [0.8, 0.9], density: [0.3, 0.4]}}]", "{search: {random: 9}}").unwrap();
        let expected = ["0.8,density=0.3", "0.8,density=0.4", "0.9,density=0.3", "0.9,density=0.4"];
        assert_eq!(all[..4], expected.map(|spec| format!("nta:coherence={spec}")));
        let huge = "[{nta: {coherence: 0..1/0.00002, density: 0..0.9/0.00001}}]";
        assert!(specs(huge, "{search: {random: 9}}").unwrap_err().contains("settings to draw from"));
    }

    #[test]
    fn what_cannot_be_chosen_is_refused() {
        for (algorithms, tune, told) in [
            ("[nta, {cevc: {alpha: 0.5}}]", "{}", "c sweeps no parameter, so there is nothing to choose"),
            (
                "[{cevc: {alpha: exact}}]",
                "{objective: micro f1}",
                "an exact sweep keeps only scores; put `alpha` on a grid",
            ),
            ("[{cevc: {alpha: exact}}]", "{search: {random: 5}}", "not from `exact`"),
        ] {
            let error = specs(algorithms, tune).unwrap_err();
            assert!(error.contains(told), "{error}");
        }
    }
}
