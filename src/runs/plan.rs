//! What a run will do, checked before any work: datasets, rows and exact sweeps.

mod checks;
mod digests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use self::checks::check_golds;
use super::agreement::MOST_SYSTEMS;
use super::configuration::{Configuration, FUNCTIONS, NamedRequest, RequestError};
use super::doors::asked;
use super::doors::external::asking::{AskError, Asking, ask};
use super::filters::keep_wanted;
use super::grid::Written;
pub use super::kind::PlanError;
use super::kind::Planned;
use super::kinds::{KINDS, resolve};
use super::system::{BestOf, ExactSweep, Place, Row};
use crate::datasets::load::Loading;
use crate::datasets::locate::{MADE, locate_with, path_in};
use crate::datasets::manifest::Record;
use crate::datasets::{Dataset, DatasetError};
use crate::formats::code::Code;
use crate::scoring::{Comparison, Measure};

/// A plan: nothing has been done yet.
#[derive(Clone)]
pub struct Plan {
    /// The configuration that it carries out.
    pub configuration: Configuration,
    /// The datasets, with the pages that the filters leave.
    pub datasets: Vec<Dataset>,
    /// What is chosen on each page, in the order of the configuration; no two are the same.
    pub rows: Vec<Row>,
    /// Members of ensembles that are no rows of their own.
    pub members: Vec<Row>,
    /// What is swept exactly on each page.
    pub sweeps: Vec<ExactSweep>,
    /// What is worth knowing of how external programs were asked, a line each.
    pub notes: Vec<String>,
    /// The sentence on each external program that kept failing, so that it was not run on some pages, by its system.
    pub(crate) given_up: BTreeMap<String, String>,
    /// Of a part of a run: for each dataset the pages of the whole, and those of them with gold.
    whole: Option<Vec<[usize; 2]>>,
}

impl Plan {
    /// Checks `configuration`, loads its datasets, and starts the external programs, to hear what they are.
    ///
    /// # Errors
    /// [`PlanError`]; no page was run.
    pub fn new(configuration: Configuration) -> Result<Self, PlanError> {
        let plan = Self::of_any_size(configuration)?;
        plan.refuse_too_many_cells()?;
        Ok(plan)
    }

    /// The same of a run that is made in parts, of which each is checked for its size by itself.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub(crate) fn of_any_size(configuration: Configuration) -> Result<Self, PlanError> {
        let loading = configuration.loading();
        Self::loaded_by(configuration, loading)
    }

    /// The same, without a look at the files of pages and golds: [`Plan::check_files`] has to take it before any page is
    /// run, unless their digests are those of an earlier run.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub(crate) fn checked_later(configuration: Configuration) -> Result<Self, PlanError> {
        let loading = Loading { checked_later: true, ..configuration.loading() };
        Self::loaded_by(configuration, loading)
    }

    fn loaded_by(configuration: Configuration, loading: Loading) -> Result<Self, PlanError> {
        let asked = resolve(&configuration.algorithms, configuration.loading())?;
        KINDS.iter().try_for_each(|kind| kind.check(&configuration))?;
        let datasets = Self::load(&configuration, loading)?;
        Plan::of_asked(configuration, asked, datasets)
    }

    /// Checks the files of pages and golds, unless that was done when they were loaded.
    ///
    /// # Errors
    /// [`DatasetError`]: as the load of the first such dataset would have ended.
    pub(crate) fn check_files(&self) -> Result<(), DatasetError> {
        self.datasets.iter().try_for_each(Dataset::check_files)
    }

    /// The datasets that `configuration` names, with the pages that its filters leave.
    ///
    /// # Errors
    /// [`PlanError`]: a dataset that cannot be loaded, that does not fit the configuration, or of which no page is left.
    pub(crate) fn load(configuration: &Configuration, loading: Loading) -> Result<Vec<Dataset>, PlanError> {
        let mut datasets = Vec::new();
        let named = configuration.datasets.iter().map(with_each_amount).collect::<Result<Vec<_>, _>>()?;
        for request in named.iter().flatten() {
            let name = &request.name;
            let mut dataset = locate_with(name, loading).map_err(|error| match error.code {
                Code::Unknown => PlanError::Request(request.not_there(path_in(name), error.message)),
                _ => PlanError::Dataset(error),
            })?;
            dataset.refuse_if_none_is_left()?;
            keep_wanted(&mut dataset, name, configuration)?;
            check_golds(configuration, &dataset, name)?;
            if datasets.iter().any(|known: &Dataset| known.name() == dataset.name()) {
                let message = format!("two datasets are named `{}`", dataset.name());
                return Err(RequestError::Argument(message).into());
            }
            datasets.push(dataset);
        }
        Ok(datasets)
    }

    /// The plan over a dataset that is loaded, in place of those that `configuration` names.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub(crate) fn of_dataset(configuration: Configuration, dataset: Dataset) -> Result<Self, PlanError> {
        let asked = resolve(&configuration.algorithms, configuration.loading())?;
        KINDS.iter().try_for_each(|kind| kind.check(&configuration))?;
        check_golds(&configuration, &dataset, dataset.name())?;
        Plan::of_asked(configuration, asked, vec![dataset])
    }

    fn of_asked(
        configuration: Configuration,
        (mut rows, sweeps): (Vec<Row>, Vec<ExactSweep>),
        datasets: Vec<Dataset>,
    ) -> Result<Self, PlanError> {
        KINDS.iter().try_for_each(|kind| kind.meet(&mut rows, &datasets))?;
        let mut planned = Planned { datasets, rows, members: Vec::new(), sweeps };
        KINDS.iter().try_for_each(|kind| kind.resolve(&configuration, &mut planned))?;
        let Planned { datasets, rows, members, sweeps } = planned;
        let plan = Plan {
            configuration,
            datasets,
            rows,
            members,
            sweeps,
            notes: Vec::new(),
            given_up: BTreeMap::new(),
            whole: None,
        };
        plan.check_pairs()?;
        plan.check_learned()?;
        plan.check_forms()?;
        Ok(plan)
    }

    /// Refuses more cells than one run makes.
    ///
    /// # Errors
    /// [`RequestError`].
    pub(crate) fn refuse_too_many_cells(&self) -> Result<(), RequestError> {
        let (pages, rows) = (self.pages(), self.rows.len());
        if pages.saturating_mul(rows) > MAX_CELLS {
            let parts = if self.whole.is_some() { "more parts" } else { "parts with --shard" };
            return Err(RequestError::Argument(format!(
                "{pages} pages x {rows} rows are more than {MAX_CELLS} cells; ask for fewer values, or run in {parts}"
            )));
        }
        Ok(())
    }

    /// The plan by each rule of comparison alone, in order.
    pub fn by_comparison(&self) -> Vec<Plan> {
        let by = |comparison| {
            let mut plan = self.clone();
            (plan.configuration.comparison, plan.configuration.further) = (comparison, Vec::new());
            plan
        };
        self.configuration.comparisons().map(by).collect()
    }

    /// Every dataset that was loaded: those of the run, and others that rows learn from, each once.
    pub fn loaded(&self) -> Vec<&Dataset> {
        let mut loaded: Vec<&Dataset> = self.datasets.iter().collect();
        for (dataset, _) in self.systems().flat_map(|row| row.system.trained_on()) {
            if loaded.iter().all(|known| known.name() != dataset.name()) {
                loaded.push(dataset);
            }
        }
        loaded
    }

    /// The same plan over about `pages` pages, evenly spread: what an estimate is made from.
    ///
    /// # Errors
    /// As [`Plan::digests`].
    pub fn sample(&self, pages: usize) -> Result<Plan, DatasetError> {
        let step = self.pages().div_ceil(pages.max(1)).max(1);
        let thinned = |dataset: &Dataset| {
            let indexes = (0..dataset.records.len()).step_by(step);
            let records = indexes.map(|index| Ok(Record::clone(&*dataset.records.get(index)?)));
            let records: Vec<Record> = records.collect::<Result<_, DatasetError>>()?;
            let mut thinned = dataset.clone();
            thinned.records = records.into();
            Ok(thinned)
        };
        Ok(Plan {
            configuration: self.configuration.clone(),
            datasets: self.datasets.iter().map(thinned).collect::<Result<_, DatasetError>>()?,
            rows: self.rows.clone(),
            members: self.members.clone(),
            sweeps: self.sweeps.clone(),
            notes: Vec::new(),
            given_up: BTreeMap::new(),
            whole: self.whole.clone(),
        })
    }

    /// A part of the plan: the pages that are `wanted`, by the name of the dataset. What is done with a page is what the whole
    /// plan would do with it.
    ///
    /// # Errors
    /// As [`Plan::digests`].
    pub(crate) fn part(&self, wanted: impl Fn(&str, &Record) -> bool + Sync) -> Result<Plan, DatasetError> {
        let mut part = self.clone();
        part.whole = Some((0..self.datasets.len()).map(|place| self.pages_and_golds(place)).collect());
        for dataset in &mut part.datasets {
            let name = dataset.name().to_owned();
            dataset.records.retain(|record| wanted(&name, record))?;
        }
        Ok(part)
    }

    /// The same plan over another dataset, for rows that do not depend on it. `whole` has the pages, and those with gold, of
    /// the dataset that it is a part of.
    pub(crate) fn over(&self, dataset: Dataset, whole: Option<[usize; 2]>) -> Plan {
        Plan { datasets: vec![dataset], whole: whole.map(|whole| vec![whole]), ..self.clone() }
    }

    /// The number of pages of the dataset at `place`, and of those with gold: of the whole run, if this is a part of one.
    fn pages_and_golds(&self, place: usize) -> [usize; 2] {
        let records = &self.datasets[place].records;
        self.whole.as_ref().map_or_else(|| [records.len(), records.golds()], |whole| whole[place])
    }

    /// Whether pages must be parsed: what other programs extract needs only the golds, unless text nodes are measured.
    pub fn needs_pages(&self) -> bool {
        let by_nodes = self.configuration.comparison.measure == Measure::Nodes;
        by_nodes || !self.sweeps.is_empty() || self.rows.iter().any(|row| row.system.needs_page())
    }

    /// Whether any page of the dataset at `place` has what rows are scored by.
    pub fn scores_rows(&self, place: usize) -> bool {
        self.configuration.comparison.measure == Measure::Snippets || self.pages_and_golds(place)[1] > 0
    }

    /// Whether rows are compared with each other on pages of the dataset at `place`, those without gold. Beside pages with
    /// gold that is no more than wanted of few enough systems; where no page has gold there is nothing else to tell.
    pub fn compares_rows(&self, place: usize) -> bool {
        let [pages, golds] = self.pages_and_golds(place);
        let lacks_gold = self.configuration.comparison.measure != Measure::Snippets && golds < pages;
        lacks_gold && (!self.scores_rows(place) || (2..=MOST_SYSTEMS).contains(&self.compared_rows(place).len()))
    }

    /// The places of the rows that can be compared with each other on the dataset at `place`.
    pub fn compared_rows(&self, place: usize) -> Vec<usize> {
        let rows = self.rows.iter().map(|row| &row.system).enumerate();
        let rows = rows.filter(|(_, system)| system.is_compared() && system.is_of(place));
        rows.map(|(number, _)| number).collect()
    }

    /// Asks every external program and every function for every page that counts. The plan's rows then know what came of it.
    ///
    /// # Errors
    /// [`AskError`]; replies that were there are kept in the cache.
    pub fn ask(&mut self, asking: &Asking<'_>) -> Result<(), AskError> {
        if self.rows.iter().all(|row| row.system.program().is_none()) {
            return Ok(());
        }
        let pages = self.pages_that_count()?;
        let (notes, given_up) = ask(&mut self.rows, &self.datasets, &pages, asking)?;
        self.notes.extend(notes);
        self.notes.extend(asked::ask(&mut self.rows, &self.datasets, &pages, asking)?);
        self.given_up = given_up;
        Ok(())
    }

    /// The pages that count, in order, by the places of dataset and record: those that are scored, and those without gold
    /// where rows are compared with each other.
    fn pages_that_count(&self) -> Result<Vec<(usize, usize)>, DatasetError> {
        let mut pages = Vec::new();
        for (place, dataset) in self.datasets.iter().enumerate() {
            for (index, record) in dataset.records.iter().enumerate() {
                if self.compares_rows(place) || self.configuration.scores(&*record?) {
                    pages.push((place, index));
                }
            }
        }
        Ok(pages)
    }

    /// What is to be known of the rows on the dataset at `place`, a sentence each.
    pub(super) fn notes_on(&self, place: usize) -> Vec<String> {
        self.rows.iter().flat_map(|row| row.system.notes(place, &self.datasets[place])).collect()
    }

    /// Every system that chooses on a page: the rows, then the members of ensembles that are none.
    pub fn systems(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().chain(&self.members)
    }

    /// The systems whose extractions others combine, each once.
    pub(super) fn combined(&self) -> BTreeSet<usize> {
        let all = self.rows.iter().chain(self.sweeps.iter().map(|sweep| &sweep.row));
        all.flat_map(|row| row.system.members()).map(|place| self.index(place)).collect()
    }

    /// Whether members that are no rows are scored too: a bound chooses among them.
    pub fn scores_members(&self) -> bool {
        let is_member = |place: &Place| matches!(place, Place::Member(_));
        self.rows.iter().any(|row| matches!(row.system.best_of(), BestOf::Systems(of) if of.iter().any(is_member)))
    }

    /// The system at a place among [`Plan::systems`].
    pub fn system(&self, index: usize) -> &Row {
        self.rows.get(index).unwrap_or_else(|| &self.members[index - self.rows.len()])
    }

    /// Where a system stands among [`Plan::systems`].
    pub fn index(&self, place: Place) -> usize {
        match place {
            Place::Row(place) => place,
            Place::Member(place) => self.rows.len() + place,
        }
    }

    /// The number of pages over all datasets.
    pub fn pages(&self) -> usize {
        self.datasets.iter().map(|dataset| dataset.records.len()).sum()
    }
}

impl fmt::Display for Plan {
    /// What `--dry-run` prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for dataset in &self.datasets {
            let (version, records) = (&dataset.manifest.version, &dataset.records);
            let (pages, golds) = (records.len(), records.golds());
            writeln!(f, "dataset  {} {version}: {pages} pages, {golds} with gold", dataset.name())?;
        }
        for request in &self.configuration.algorithms {
            writeln!(f, "run      {request}")?;
        }
        for request in &self.configuration.external {
            writeln!(f, "ask      {}", request.command_line())?;
        }
        for request in &self.configuration.functions {
            writeln!(f, "ask      {FUNCTIONS}{}", request.name)?;
        }
        for row in &self.rows {
            if let Some(verb) = row.system.verb() {
                writeln!(f, "{verb:8} {}", row.name_and_label())?;
            }
        }
        for sweep in &self.sweeps {
            if let Some(verb) = sweep.row.system.verb() {
                let label = [sweep.label(), format!("{}=exact", sweep.parameter)].join(",");
                writeln!(f, "{verb:8} {} {label}", sweep.row.name())?;
            }
        }
        for Comparison { tokens, case, measure } in self.configuration.comparisons() {
            match measure {
                Measure::Structure(structure) => writeln!(f, "measure  {structure}")?,
                measure => writeln!(f, "measure  {measure} over {tokens} tokens, case {case}")?,
            }
        }
        let cells = self.pages() * self.rows.len();
        write!(f, "plan     {} pages x {} rows = {cells} cells", self.pages(), self.rows.len())?;
        match self.sweeps.len() {
            0 => Ok(()),
            sweeps => write!(f, ", and {sweeps} exact sweeps a page"),
        }
    }
}

/// A dataset that is made with a dial swept is one for each of its amounts: `synth:RECIPE,links=0..0.9/0.1`.
fn with_each_amount(request: &NamedRequest) -> Result<Vec<NamedRequest>, RequestError> {
    let Some((recipe, dials)) = request.name.split_once(',').filter(|(recipe, _)| recipe.starts_with(MADE)) else {
        return Ok(vec![request.clone()]);
    };
    let mut names = vec![recipe.to_owned()];
    let mut swept = 0;
    for pair in dials.split(',') {
        let fault = |message: String| request.origin.error(message);
        let (dial, written) = pair.split_once('=').ok_or_else(|| fault(format!("`{pair}`: expected DIAL=AMOUNT")))?;
        let amounts = Written::read(written).expand_numbers().map_err(fault)?;
        swept += usize::from(amounts.len() > 1);
        if swept > 1 {
            return Err(fault("one dial is swept at a time; name the dataset again for another one".to_owned()));
        }
        names =
            names.iter().flat_map(|name| amounts.iter().map(move |amount| format!("{name},{dial}={amount}"))).collect();
    }
    Ok(names.into_iter().map(|name| NamedRequest { name, origin: request.origin.clone() }).collect())
}

/// More cells (pages x rows) than this, of a run or of a shard, are refused before any work.
const MAX_CELLS: usize = 50_000_000;
