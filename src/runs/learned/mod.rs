//! Rows that know more than a page: rules that a person wrote for sites, and what is learned from the gold of other
//! pages. The folds are made here: no row sees the gold of a page that it is tried on.

mod explaining;
pub mod fiasco;
mod linear;
mod links;
mod trained_on;
mod training;
pub mod wrapper;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

pub use self::explaining::LearnedExplanation;
use self::fiasco::{BlockModels, FiascoParameters, TrainingBlocks};
use self::links::LinkModels;
use self::trained_on::TRAIN_ON;
pub use self::trained_on::TrainedOn;
use self::training::Fitting;
use self::wrapper::{Fallback, LearnedFrom, LearningParameters, PageMark, PageTemplates, Rules, RulesUsed, marks};
use super::configuration::{AlgorithmRequest, ParameterRequest, RequestError};
use super::execute::{IsStopped, guarded};
use super::grid::Written;
use super::reads_gold::ReadsGold;
use super::rows::{Row, System, canonical, differs, grid, product, text_of};
use crate::algorithms::algorithm::{Choice, Setting, unknown_parameter};
use crate::algorithms::link_noise::{self, LinkNoiseParameters};
use crate::algorithms::parameters::{Values, as_values, declared};
use crate::algorithms::value::Value;
use crate::datasets::load::Loading;
use crate::datasets::manifest::Record;
use crate::datasets::{Dataset, DatasetError};
use crate::page::Page;

/// How rules of sites are called in configurations.
pub const WRAPPER: &str = "wrapper";

/// How the classifier of blocks is called in configurations.
pub const FIASCO: &str = "fiasco-lite";

/// Every system of this kind, in the order of listings.
pub const NAMES: [&str; 2] = [WRAPPER, FIASCO];

/// What becomes of a page of which a learned template chooses nothing, where nothing else is said.
pub const DEFAULT_FALLBACK: &str = "all-text";

/// The parameter that names a file of rules.
const RULES: &str = "rules";

/// The parameter that names the fallback of learned templates.
pub(super) const FALLBACK: &str = "fallback";

/// What parts the parameters of an algorithm that is itself the value of a parameter, where others have a comma.
const INNER_COMMA: char = ';';

/// An algorithm as the value of a parameter.
pub(super) fn as_value(request: &AlgorithmRequest) -> String {
    request.to_string().replace(',', &INNER_COMMA.to_string())
}

/// Rules or what learns, as a row of a run.
#[derive(Clone)]
pub struct Learned {
    /// What it knows.
    pub kind: Kind,
    pub(super) values: Values,
    pub(super) differs: Vec<String>,
}

/// What such a row knows.
#[derive(Clone)]
pub enum Kind {
    /// Rules that a person wrote.
    Rules(Arc<Rules>),
    /// A template for each page, learned from other pages of its site.
    Templates(LearningParameters, Fallback),
    /// A classifier of blocks for each site, learned from the other sites, of the dataset or of those that were named.
    Blocks(FiascoParameters, Option<Arc<TrainedOn>>),
    /// A classifier of links for each site, learned from the other sites.
    Links(LinkNoiseParameters),
}

/// Whether `name` is that of such a system.
pub fn is_learned(name: &str) -> bool {
    NAMES.contains(&name)
}

/// The rows that `request` asks for. `loading` is of datasets that it names to learn from.
///
/// # Errors
/// [`RequestError`]: parameters that there are not, or a rules file that cannot be read or is wrong.
pub(super) fn resolve(request: &AlgorithmRequest, loading: Loading) -> Result<Vec<Row>, RequestError> {
    let learned = match request.name.as_str() {
        FIASCO => blocks(request, loading)?,
        _ => {
            refuse_unknown(request)?;
            let of_file = request.parameters.iter().any(|parameter| parameter.name == RULES);
            if of_file { rules(request)? } else { templates(request)? }
        }
    };
    let is_swept = |parameter: &&ParameterRequest| match parameter.name.as_str() {
        RULES | TRAIN_ON => names(&parameter.written).len() > 1,
        _ => parameter.written.is_swept(),
    };
    let swept: Vec<String> =
        request.parameters.iter().filter(is_swept).map(|parameter| parameter.name.clone()).collect();
    Ok(learned.into_iter().map(|learned| Row { system: System::Learned(learned), swept: swept.clone() }).collect())
}

/// Each setting of parameters that are a plain struct, with every value and the names of those that are not at their
/// default.
fn settings<P>(request: &AlgorithmRequest) -> Result<Vec<(P, Values, Vec<String>)>, RequestError>
where
    P: JsonSchema + Default + Serialize + DeserializeOwned,
{
    let parameters = declared::<P>();
    let (cells, _) = grid(request, &parameters)?;
    let setting = |given: Values| {
        let mut values = as_values(&P::default());
        values.extend(given);
        let typed = serde_json::from_value(Json::Object(values.clone()));
        let typed = typed.map_err(|error| request.origin.error(format!("{}: {error}", request.name)))?;
        let differing = differs(&parameters, &values);
        Ok((typed, values, differing))
    };
    product(&cells, &request.origin)?.into_iter().map(setting).collect()
}

/// The parameter by which [`link_noise`] learns.
pub(super) const SCORES: &str = "scores";

/// Whether the row of this name and label learns from gold, though there is an algorithm of that name.
pub(super) fn is_learned_setting(name: &str, label: &str) -> bool {
    name == link_noise::NAME && label.split(',').any(|part| part == "scores=learned")
}

/// The row that learns what `setting` of the algorithm `name` asks for; `None` where the algorithm needs no gold.
pub(super) fn of_setting(name: &str, setting: &Setting) -> Option<Learned> {
    let values = setting.values();
    if name != link_noise::NAME || values.get(SCORES)? != "learned" {
        return None;
    }
    let parameters = serde_json::from_value(Json::Object(values.clone())).ok()?;
    let differs = differs(&declared::<LinkNoiseParameters>(), values);
    Some(Learned { kind: Kind::Links(parameters), values: values.clone(), differs })
}

/// Rows of classifiers of blocks.
fn blocks(request: &AlgorithmRequest, loading: Loading) -> Result<Vec<Learned>, RequestError> {
    let (named, parameters): (Vec<_>, Vec<_>) =
        request.parameters.iter().cloned().partition(|parameter| parameter.name == TRAIN_ON);
    let mut trained_on = vec![None];
    for ParameterRequest { written, origin, .. } in &named {
        let read = |names: &String| Ok(Some(Arc::new(TrainedOn::read(names, origin, loading)?)));
        trained_on = names(written).iter().map(read).collect::<Result<_, RequestError>>()?;
    }
    let mut rows = Vec::new();
    for (parameters, values, differs) in settings(&AlgorithmRequest { parameters, ..request.clone() })? {
        FiascoParameters::check(&parameters).map_err(|message| request.origin.error(format!("{FIASCO}: {message}")))?;
        for trained_on in &trained_on {
            let (mut values, mut differs) = (values.clone(), differs.clone());
            if let Some(trained_on) = trained_on {
                values.insert(TRAIN_ON.to_owned(), trained_on.named.as_str().into());
                differs.push(TRAIN_ON.to_owned());
            }
            rows.push(Learned { kind: Kind::Blocks(parameters, trained_on.clone()), values, differs });
        }
    }
    Ok(rows)
}

/// How templates are learned, as it is written behind `wrapper:learn=true,`, one value each.
///
/// # Errors
/// [`RequestError`]: a parameter that there is not, or that has no such value.
pub fn learning_parameters(written: &str) -> Result<LearningParameters, RequestError> {
    let request = AlgorithmRequest::from_argument(&format!("{WRAPPER}:{written}"))?;
    match settings::<LearningParameters>(&request)?.as_slice() {
        [(parameters, ..)] => {
            parameters.check().map_err(|message| request.origin.error(message))?;
            Ok(*parameters)
        }
        _ => Err(request.origin.error("one value for each parameter is needed here")),
    }
}

/// Refuses what is no parameter of `wrapper`.
fn refuse_unknown(request: &AlgorithmRequest) -> Result<(), RequestError> {
    let declared = declared::<LearningParameters>();
    let known = [RULES, FALLBACK].into_iter().chain(declared.iter().map(|parameter| parameter.name.as_str()));
    match request.parameters.iter().find(|parameter| !known.clone().any(|known| known == parameter.name)) {
        Some(ParameterRequest { name, origin, .. }) => {
            Err(origin.error(unknown_parameter(WRAPPER, name, known).to_string()))
        }
        None => Ok(()),
    }
}

/// What `request` asks for without files of rules that were learned from gold, and with those alone.
///
/// # Errors
/// [`RequestError`]: a rules file that cannot be read or is wrong.
pub(super) fn without_learned_rules(request: &AlgorithmRequest) -> Result<[Option<AlgorithmRequest>; 2], RequestError> {
    let is_of_files = |parameter: &ParameterRequest| request.name == WRAPPER && parameter.name == RULES;
    let Some(place) = request.parameters.iter().position(is_of_files) else { return Ok([Some(request.clone()), None]) };
    let (mut learned, mut others) = (Vec::new(), Vec::new());
    for file in names(&request.parameters[place].written) {
        let of_gold = !Rules::read(Path::new(&file))?.learned_from.is_empty();
        if of_gold { learned.push(file) } else { others.push(file) }
    }
    let with = |files: Vec<String>| {
        let mut with = request.clone();
        with.parameters[place].written = Written::Values(files.clone());
        (!files.is_empty()).then_some(with)
    };
    Ok([others, learned].map(with))
}

/// Rows of rules that a person wrote, one a file.
fn rules(request: &AlgorithmRequest) -> Result<Vec<Learned>, RequestError> {
    let mut rows = Vec::new();
    for ParameterRequest { name, written, origin } in &request.parameters {
        if name != RULES {
            return Err(origin.error(format!("`{name}` belongs to what is learned, and not to rules of a file")));
        }
        for file in names(written) {
            let rules = Arc::new(Rules::read(Path::new(&file))?);
            let values = Values::from_iter([(RULES.to_owned(), file.as_str().into())]);
            rows.push(Learned { kind: Kind::Rules(rules), values, differs: vec![RULES.to_owned()] });
        }
    }
    Ok(rows)
}

/// The files or datasets that are named: a path such as `../a/b` looks like a range.
fn names(written: &Written) -> Vec<String> {
    match written {
        Written::Values(names) => names.clone(),
        Written::Range { .. } | Written::Exact => vec![written.to_string()],
    }
}

/// Rows of templates that are learned.
fn templates(request: &AlgorithmRequest) -> Result<Vec<Learned>, RequestError> {
    let (fallbacks, parameters): (Vec<_>, Vec<_>) =
        request.parameters.iter().cloned().partition(|parameter| parameter.name == FALLBACK);
    let named = fallbacks.first().map_or(DEFAULT_FALLBACK.to_owned(), |fallback| fallback.written.to_string());
    let origin = fallbacks.first().map_or(&request.origin, |fallback| &fallback.origin);
    let fallback = Fallback::of(&AlgorithmRequest::from_text(&named.replace(INNER_COMMA, ","), origin)?)?;
    let named = fallback.written();
    let request = AlgorithmRequest { parameters, ..request.clone() };
    let row = |(parameters, mut values, mut differs): (LearningParameters, Values, Vec<String>)| {
        if !parameters.learn {
            let message = "`wrapper` takes its rules from a file, `wrapper: {rules: FILE}`, or learns them, `wrapper: {learn: true}`";
            return Err(request.origin.error(message));
        }
        parameters.check().map_err(|message| request.origin.error(message))?;
        values.insert(FALLBACK.to_owned(), named.as_str().into());
        if named != DEFAULT_FALLBACK {
            differs.push(FALLBACK.to_owned());
        }
        Ok(Learned { kind: Kind::Templates(parameters, fallback.clone()), values, differs })
    };
    settings(&request)?.into_iter().map(row).collect()
}

/// How many pages of `dataset` the rules of each file among `rows` were learned from, by the file's digest; it is read
/// where there are such rules.
///
/// # Errors
/// [`DatasetError`]: a page list that cannot be read any more, or was changed.
pub(super) fn pages_learned_from(rows: &[Row], dataset: &Dataset) -> Result<BTreeMap<String, usize>, DatasetError> {
    let learned =
        rows.iter().filter_map(|row| if let System::Learned(learned) = &row.system { Some(learned) } else { None });
    let rules: Vec<&Rules> =
        learned.filter_map(Learned::rules).filter(|rules| !rules.learned_from.is_empty()).collect();
    if rules.is_empty() {
        return Ok(BTreeMap::new());
    }
    let marks = marks(dataset, &(0..dataset.records.len()).collect::<Vec<_>>())?;
    let taught = |rules: &Rules| {
        let is_known = |mark: &&PageMark| rules.learned_from.iter().any(|from| from.pages.contains(mark));
        marks.iter().flatten().filter(is_known).count()
    };
    Ok(rules.into_iter().map(|rules| (rules.digest.clone(), taught(rules))).collect())
}

impl Learned {
    /// The rules of its file.
    pub fn rules(&self) -> Option<&Rules> {
        match &self.kind {
            Kind::Rules(rules) => Some(rules),
            Kind::Templates(..) | Kind::Blocks(..) | Kind::Links(_) => None,
        }
    }

    /// The datasets that it learned from in place of the one that is run.
    pub fn trained_on(&self) -> Option<&TrainedOn> {
        match &self.kind {
            Kind::Blocks(_, trained_on) => trained_on.as_deref(),
            Kind::Rules(_) | Kind::Templates(..) | Kind::Links(_) => None,
        }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self.kind {
            Kind::Rules(_) | Kind::Templates(..) => WRAPPER,
            Kind::Blocks(..) => FIASCO,
            Kind::Links(_) => link_noise::NAME,
        }
    }

    /// Equal for rows that extract the same.
    pub(super) fn identity(&self) -> String {
        [self.name().to_owned()].into_iter().chain(self.told()).collect::<Vec<_>>().join("\t")
    }

    /// Whether it looks at other pages of the page's site.
    pub(super) fn is_of_site(&self) -> bool {
        matches!(self.kind, Kind::Templates(..) | Kind::Links(_))
    }

    /// Whether it learns from gold when it is run.
    pub(super) fn learns(&self) -> bool {
        matches!(self.kind, Kind::Templates(..) | Kind::Blocks(..) | Kind::Links(_))
    }

    /// What it was learned from before the run.
    fn learned_from(&self) -> &[LearnedFrom] {
        self.rules().map_or(&[], |rules| &rules.learned_from)
    }

    /// What it reads of the gold of a dataset of which so many pages were learned from before the run.
    pub(super) fn reads_gold(&self, pages_learned_from: usize) -> Option<ReadsGold> {
        match pages_learned_from {
            0 => (self.learns() || !self.learned_from().is_empty()).then_some(ReadsGold::OtherPages),
            _ => Some(ReadsGold::Page),
        }
    }

    /// Whose figures they are, as one line, where it reads that of the gold.
    pub(super) fn system(&self, reads_gold: Option<ReadsGold>) -> String {
        let named = [format!("carat {}", env!("CARGO_PKG_VERSION")), self.name().to_owned()];
        let learned = self.learned_from().iter().map(|LearnedFrom { dataset, digest, .. }| {
            let reads = reads_gold.map_or("nothing", ReadsGold::name);
            format!("reads_gold={reads}, learned from {dataset} ({digest})")
        });
        named.into_iter().chain(self.told()).chain(learned).collect::<Vec<_>>().join(" | ")
    }

    /// Its parameters, each once however it was written, and what it rests on besides.
    fn told(&self) -> Vec<String> {
        let declared = match self.kind {
            Kind::Blocks(..) => declared::<FiascoParameters>(),
            Kind::Links(_) => declared::<LinkNoiseParameters>(),
            Kind::Rules(_) | Kind::Templates(..) => declared::<LearningParameters>(),
        };
        let value =
            |(name, value): (&String, &Json)| match (&self.kind, declared.iter().find(|known| known.name == *name)) {
                (_, Some(known)) => format!("{name}={}", canonical(&known.values, value)),
                (Kind::Templates(_, fallback), None) => format!("{name}={}", fallback.resolved()),
                (_, None) => format!("{name}={}", text_of(value)),
            };
        let rests_on = match &self.kind {
            Kind::Rules(rules) => format!("sha256:{}", rules.digest),
            Kind::Templates(..) => "reads_gold=other_pages, of the site".to_owned(),
            Kind::Blocks(_, None) | Kind::Links(_) => "reads_gold=other_pages, of other sites".to_owned(),
            Kind::Blocks(_, Some(trained_on)) => format!("reads_gold=other_pages, of other sites of {trained_on}"),
        };
        self.values.iter().map(value).chain([rests_on]).collect()
    }
}

/// What a row of this kind chooses on a page.
pub(super) struct LearnedChoice {
    /// The row's place in the plan.
    pub(super) place: usize,
    /// The choice, or why there is none.
    pub(super) choice: Result<Choice, String>,
    /// What decided it, of rules.
    pub(super) rules: Option<RulesUsed>,
}

/// The rows of this kind of a plan, with what they have learned of a dataset.
pub(super) struct Trained<'p> {
    rows: Vec<(usize, Knowledge<'p>)>,
}

enum Knowledge<'p> {
    Rules(&'p Rules),
    Templates(Arc<PageTemplates>, &'p Fallback),
    Blocks(Arc<BlockModels>, Value),
    Links(Arc<LinkModels>, &'p LinkNoiseParameters),
}

impl<'p> Trained<'p> {
    /// Lets the rows among `systems` learn from `dataset`; rows that learn the same do so once.
    ///
    /// # Errors
    /// [`DatasetError`]: a page list that cannot be read any more, or was changed; or that it was stopped.
    pub(super) fn learn(
        systems: impl Iterator<Item = &'p Row>,
        dataset: &Dataset,
        is_stopped: IsStopped<'_>,
    ) -> Result<Self, DatasetError> {
        let learned = systems.enumerate().filter_map(|(place, row)| match &row.system {
            System::Learned(learned) => Some((place, &learned.kind)),
            _ => None,
        });
        let learned: Vec<(usize, &'p Kind)> = learned.collect();
        let templates = templates_by_setting(&learned, dataset, is_stopped)?;
        let mut blocks: Known<Option<&str>, TrainingBlocks> = Vec::new();
        let mut links: Known<Value, LinkModels> = Vec::new();
        let mut models: Known<(Option<&str>, Fitting), BlockModels> = Vec::new();
        let mut rows = Vec::new();
        for (place, kind) in learned {
            let knowledge = match kind {
                Kind::Rules(rules) => Knowledge::Rules(rules),
                Kind::Templates(parameters, fallback) => {
                    let setting = as_values(parameters);
                    let Some((_, learnt)) = templates.iter().find(|(known, _)| *known == setting) else { continue };
                    Knowledge::Templates(learnt.clone(), fallback)
                }
                Kind::Blocks(parameters, trained_on) => {
                    let from = trained_on.as_deref().map(|trained_on| trained_on.named.as_str());
                    let pages = known_or(&mut blocks, from, || match trained_on {
                        Some(trained_on) => TrainingBlocks::of(&trained_on.datasets().collect::<Vec<_>>(), is_stopped),
                        None => TrainingBlocks::of(&[dataset], is_stopped),
                    })?;
                    let fitting = parameters.fitting();
                    let learn = || BlockModels::learn(&pages, dataset, fitting, is_stopped);
                    Knowledge::Blocks(known_or(&mut models, (from, fitting), learn)?, parameters.clean)
                }
                Kind::Links(parameters) => {
                    let learn = || LinkModels::learn(dataset, parameters, is_stopped);
                    Knowledge::Links(known_or(&mut links, parameters.short, learn)?, parameters)
                }
            };
            rows.push((place, knowledge));
        }
        Ok(Trained { rows })
    }

    /// What each row chooses on the page at `index`; nothing is there of a row that could learn nothing for it.
    pub(super) fn choices(&self, index: usize, record: &Record, page: &Page) -> Vec<LearnedChoice> {
        let choice = |(place, knowledge): &(usize, Knowledge<'_>)| {
            let place = *place;
            match guarded(|| knowledge.choose(index, record, page)) {
                Ok(chosen) => chosen.map(|(choice, rules)| LearnedChoice { place, choice: Ok(choice), rules }),
                Err(reason) => Some(LearnedChoice { place, choice: Err(reason), rules: None }),
            }
        };
        self.rows.iter().filter_map(choice).collect()
    }
}

/// What was learned, by what it depends on.
type Known<K, T> = Vec<(K, Arc<T>)>;

/// The templates of each distinct setting among `rows`, learned together: of all settings the pages are read once.
fn templates_by_setting(
    rows: &[(usize, &Kind)],
    dataset: &Dataset,
    is_stopped: IsStopped<'_>,
) -> Result<Known<Values, PageTemplates>, DatasetError> {
    let (mut keys, mut settings): (Vec<Values>, Vec<LearningParameters>) = Default::default();
    for (_, kind) in rows {
        let Kind::Templates(parameters, _) = kind else { continue };
        let key = as_values(parameters);
        if !keys.contains(&key) {
            keys.push(key);
            settings.push(*parameters);
        }
    }
    if settings.is_empty() {
        return Ok(Vec::new());
    }
    let learnt = PageTemplates::learn(dataset, &settings, is_stopped)?;
    Ok(keys.into_iter().zip(learnt.into_iter().map(Arc::new)).collect())
}

/// What was learned for the same key, or is learned now.
fn known_or<K: PartialEq, T>(
    known: &mut Known<K, T>,
    key: K,
    learn: impl FnOnce() -> Result<T, DatasetError>,
) -> Result<Arc<T>, DatasetError> {
    if let Some((_, learnt)) = known.iter().find(|(other, _)| *other == key) {
        return Ok(learnt.clone());
    }
    let learnt = Arc::new(learn()?);
    known.push((key, learnt.clone()));
    Ok(learnt)
}

impl Knowledge<'_> {
    /// The choice, and of rules what decided it; `None` where there was nothing to learn from.
    fn choose(&self, index: usize, record: &Record, page: &Page) -> Option<(Choice, Option<RulesUsed>)> {
        let with_rules = |(choice, used): (Choice, RulesUsed)| (choice, Some(used));
        match self {
            Knowledge::Rules(rules) => Some(with_rules(rules.choose(record, page))),
            Knowledge::Templates(templates, fallback) => Some(with_rules(templates.choose(index, page, fallback))),
            Knowledge::Links(models, parameters) => {
                models.choose(record, page, parameters).map(|choice| (choice, None))
            }
            Knowledge::Blocks(models, clean) => models.choose(record, page, *clean).map(|choice| (choice, None)),
        }
    }
}
