//! Whatever makes extractions: the system behind a row, be it an algorithm, another program, or several rows combined.

use std::any::Any;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::explaining::{ExplainError, Explaining, Told};
use super::reads_gold::ReadsGold;
use super::values::label;
use crate::algorithms::Entry;
use crate::algorithms::algorithm::Setting;
use crate::algorithms::parameters::{ParameterKind, Values};
use crate::datasets::Dataset;
use crate::structure::TextKind;

/// One system with its parameters set. [`super::kind::Kind`] says how systems of one kind are asked for and run.
///
/// Only the first five methods have no default. A place among a plan's datasets is what `place` is.
pub trait System: Any + Send + Sync {
    /// The row's name: an algorithm's, a bound's, an ensemble's, `wrapper`, `stored/SYSTEM`, or `external/PROGRAM`.
    fn name(&self) -> &str;

    /// Every parameter, resolved; stored outputs have none.
    fn values(&self) -> Values;

    /// The parameters whose value is not the default.
    fn differs(&self) -> Vec<String>;

    /// The name with every parameter, each once however it was written: equal for systems that extract the same.
    fn identity(&self) -> String;

    /// One line that names it with everything that its extractions rest on, on pages of these languages.
    fn line(&self, place: usize, languages: &BTreeSet<Option<String>>) -> String;

    /// The algorithm and its parameters, if it is one of carat's.
    fn algorithm(&self) -> Option<(Entry, &Setting)> {
        None
    }

    /// What it reads of the gold of any dataset.
    fn reads_gold(&self) -> Option<ReadsGold> {
        None
    }

    /// What it reads of the gold of the dataset at `place`.
    fn reads_gold_of(&self, _place: usize) -> Option<ReadsGold> {
        self.reads_gold()
    }

    /// Whether it learns from gold when it is run.
    fn learns(&self) -> bool {
        false
    }

    /// The datasets that it learns from in place of the one that is run, each with its digest.
    fn trained_on(&self) -> Vec<(&Dataset, &str)> {
        Vec::new()
    }

    /// What it has to see besides the page that it extracts from.
    fn sees(&self) -> Sees {
        Sees::Page
    }

    /// On which pages it counts as alone, with nothing to hold them against; `None` where that means nothing.
    fn alone(&self) -> Option<Alone> {
        None
    }

    /// Whether it is made from the page itself, and not from what another program made of it.
    fn needs_page(&self) -> bool {
        true
    }

    /// Whether there is anything to score in the dataset at `place`: stored outputs are of one dataset.
    fn is_of(&self, _place: usize) -> bool {
        true
    }

    /// The form of what it extracts from pages of the dataset at `place`; `None` where that is only known of each reply.
    fn form(&self, _place: usize) -> Option<ExtractionForm> {
        Some(ExtractionForm::Nodes)
    }

    /// Whether it is compared with others on pages without gold.
    fn is_compared(&self) -> bool {
        true
    }

    /// Whether its time can be measured page by page.
    fn is_timed(&self) -> bool {
        false
    }

    /// Milliseconds from each request to its reply on pages of the dataset at `place`, of a system that is asked for them.
    fn times_of_replies(&self, _place: usize) -> Vec<f64> {
        Vec::new()
    }

    /// Milliseconds from the start of its program to the program's hello.
    fn time_to_start(&self) -> Option<f64> {
        None
    }

    /// Whether it rests on files or programs that may have changed though its request is the same.
    fn rests_on_others(&self) -> bool {
        false
    }

    /// Digests of what its extractions depend on that neither its identity nor the pages tell.
    fn digests(&self) -> Vec<String> {
        Vec::new()
    }

    /// The program that it asks: its name, and the digest of all that a reply depends on.
    fn program(&self) -> Option<(String, String)> {
        None
    }

    /// When the reply for the page `id` was made, in seconds from the beginning of 1970, where an earlier run kept it.
    fn kept_since(&self, _place: usize, _id: &str) -> Option<u64> {
        None
    }

    /// What is to be known of it on the dataset at `place`, a sentence each.
    fn notes(&self, _place: usize, _dataset: &Dataset) -> Vec<String> {
        Vec::new()
    }

    /// Where each of its rules stands, `FILE:LINE`, in their order.
    fn rules(&self) -> Vec<String> {
        Vec::new()
    }

    /// The systems whose extractions it combines.
    fn members(&self) -> Vec<Place> {
        Vec::new()
    }

    /// What its outcomes are the best of, page by page.
    fn best_of(&self) -> BestOf<'_> {
        BestOf::Nothing
    }

    /// The item of a configuration's `algorithms` that runs it alone, where name and parameters are not enough.
    fn to_yaml(&self) -> Option<String> {
        None
    }

    /// How a plan tells it: `combine`, `score`; `None` where the request was told already.
    fn verb(&self) -> Option<&'static str> {
        None
    }

    /// What it chooses of a page, and why.
    ///
    /// # Errors
    /// [`ExplainError`]: a dataset that was changed meanwhile, or a system that chooses nothing there, or not by itself.
    fn explain(&self, _page: &Explaining<'_>) -> Result<Told, ExplainError> {
        Err(ExplainError::Page(format!("`{}` does not choose by itself", self.name())))
    }
}

/// The form of what a system extracts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtractionForm {
    /// Text nodes of the page.
    Nodes,
    /// A text of this kind.
    Written(TextKind),
}

/// What a system sees besides the page that it extracts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sees {
    /// Nothing.
    Page,
    /// Other pages of its site.
    Site,
    /// Other pages of the whole dataset.
    Dataset,
}

/// On which pages a system that holds pages against each other is alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alone {
    /// Where no other page is of the site.
    OnSite,
    /// Where no other page with gold is of the site.
    OnSiteWithGold,
    /// Where it says so itself, page by page ([`super::kind::RowExtraction::alone`]).
    AsFound,
}

/// What a bound is the best of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BestOf<'p> {
    /// Nothing: it extracts by itself.
    Nothing,
    /// Of these systems.
    Systems(&'p [Place]),
    /// Of an exact sweep, by its place in the plan.
    Sweep(usize),
}

/// Where a system of a plan stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Among the rows.
    Row(usize),
    /// Among the members of ensembles that are no rows of their own.
    Member(usize),
}

/// A system whose extractions are scored: a row of the result.
#[derive(Clone)]
pub struct Row {
    /// Whose extractions they are.
    pub system: Arc<dyn System>,
    /// The parameters that the run varies.
    pub swept: Vec<String>,
}

/// One system over the whole range of one parameter.
#[derive(Clone)]
pub struct ExactSweep {
    /// What is swept, the parameter at its default.
    pub row: Row,
    /// The parameter that is swept.
    pub parameter: String,
    /// Its range.
    pub range: ParameterKind,
    /// Its default.
    pub default: String,
}

impl Row {
    /// A row of `system`, of which the run varies the parameters `swept`.
    pub fn new(system: impl System, swept: Vec<String>) -> Self {
        Row { system: Arc::new(system), swept }
    }

    /// The system's name.
    pub fn name(&self) -> &str {
        self.system.name()
    }

    /// The system, if it is of the type `S`: kinds find their own by it.
    pub fn of<S: System>(&self) -> Option<&S> {
        let system: &dyn Any = &*self.system;
        system.downcast_ref()
    }

    /// What tells the row from others: swept parameters and those that are not at their default.
    pub fn label(&self) -> String {
        label(&self.system.values(), &self.system.differs(), &self.swept)
    }

    /// The name, and what tells the row from others of its name.
    pub fn name_and_label(&self) -> String {
        format!("{} {}", self.name(), self.label()).trim_end().to_owned()
    }

    /// The name with every parameter: equal for rows that extract the same.
    pub fn identity(&self) -> String {
        self.system.identity()
    }
}

impl ExactSweep {
    /// The other parameters that are not at their default, as on the command line.
    pub fn label(&self) -> String {
        self.row.label()
    }

    /// The name with every parameter and the one that is swept.
    pub fn identity(&self) -> String {
        format!("{}\t{}=exact", self.row.identity(), self.parameter)
    }
}
