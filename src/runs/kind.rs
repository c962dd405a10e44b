//! A kind of system: how its systems are asked for, made ready on a dataset, and run on a page.

use super::configuration::{AlgorithmRequest, Configuration, RequestError};
use super::described::Described;
use super::guarding::IsStopped;
use super::reads_gold::ReadsGold;
use super::row_outcome::RulesUsed;
use super::system::{ExactSweep, Place, Row};
use crate::algorithms::algorithm::{Choice, TakeSample};
use crate::datasets::load::Loading;
use crate::datasets::manifest::Record;
use crate::datasets::{Dataset, DatasetError, Halt};
use crate::page::Page;
use crate::page::selection::Selection;
use crate::structure::TextKind;
use crate::text::tokens::Token;

/// One kind of system. All kinds stand in one list ([`super::kinds`]); nothing else knows which there are.
pub trait Kind: Sync {
    /// Whether the row's system is of this kind.
    fn makes(&self, row: &Row) -> bool;

    /// What it is, as it is listed and documented, where it is no algorithm.
    fn described(&self) -> &'static [Described] {
        &[]
    }

    /// The rows and exact sweeps that a request among the algorithms asks for; `None` if it means another kind. `loading`
    /// is of datasets that it names.
    fn asked(&self, _request: &AlgorithmRequest, _loading: Loading) -> Option<Result<Asked, RequestError>> {
        None
    }

    /// What is known to be read of the gold by the row of this name before it is made, `label` being what tells it from
    /// others of its name, as on the command line.
    fn reads_gold(&self, _name: &str, _label: &str) -> Option<ReadsGold> {
        None
    }

    /// A request among the algorithms, parted into what reads no gold and what reads it.
    ///
    /// # Errors
    /// [`RequestError`]: a file that it names cannot be read or is wrong.
    fn parted_by_gold(&self, request: AlgorithmRequest) -> Result<[Option<AlgorithmRequest>; 2], RequestError> {
        Ok([Some(request), None])
    }

    /// Refuses what can be refused of a configuration before its datasets are loaded.
    ///
    /// # Errors
    /// [`RequestError`].
    fn check(&self, _configuration: &Configuration) -> Result<(), RequestError> {
        Ok(())
    }

    /// Lets rows that were asked for among the algorithms learn what they have to know of the run's datasets.
    ///
    /// # Errors
    /// [`DatasetError`]: a page list that cannot be read any more, or was changed.
    fn meet(&self, _rows: &mut [Row], _datasets: &[Dataset]) -> Result<(), DatasetError> {
        Ok(())
    }

    /// Adds the rows that the configuration asks for outside of its list of algorithms, given those of the kinds before.
    ///
    /// # Errors
    /// [`PlanError`]: a request that cannot be carried out.
    fn resolve(&self, _configuration: &Configuration, _planned: &mut Planned) -> Result<(), PlanError> {
        Ok(())
    }

    /// Makes its systems ready to run on the pages of a dataset: what several of them need is done once.
    ///
    /// # Errors
    /// [`Halt`]: a page list that cannot be read any more, or was changed; or that it was stopped.
    fn prepare<'p>(&self, own: Preparing<'p>) -> Result<Box<dyn Prepared + 'p>, Halt>;
}

/// What a request asks for.
#[derive(Default)]
pub struct Asked {
    /// The rows.
    pub rows: Vec<Row>,
    /// What is swept exactly.
    pub sweeps: Vec<ExactSweep>,
}

/// What is planned so far.
pub struct Planned {
    /// The datasets, with the pages that the filters leave.
    pub datasets: Vec<Dataset>,
    /// The rows.
    pub rows: Vec<Row>,
    /// Members of ensembles that are no rows of their own.
    pub members: Vec<Row>,
    /// What is swept exactly.
    pub sweeps: Vec<ExactSweep>,
}

/// A request or a dataset that cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The request is wrong.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// A dataset is wrong.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
}

/// The systems of one kind that are to be made ready, by their places in the plan, and the dataset that they will see.
pub struct Preparing<'p> {
    /// The systems: rows, and behind them members.
    pub rows: Vec<(usize, &'p Row)>,
    /// The exact sweeps.
    pub sweeps: Vec<(usize, &'p ExactSweep)>,
    /// The dataset.
    pub dataset: &'p Dataset,
    /// Asked while systems learn, page by page.
    pub is_stopped: IsStopped<'p>,
}

/// The systems of one kind, ready to run on the pages of a dataset.
pub trait Prepared: Sync {
    /// What they extract from a page; a system that is not among them was not run there. A panic fails its own system alone:
    /// whoever lets several choose together takes care of that.
    ///
    /// # Errors
    /// [`DatasetError`]: what another program made cannot be read any more. Nothing is known of the page then.
    fn extract(&self, on: &OnPage<'_>) -> Result<Vec<RowExtraction>, DatasetError>;

    /// Hands `take` what the exact sweep at a place samples on a page; `None` where the page does not count in it.
    ///
    /// # Errors
    /// A sentence: it failed on the page; or the first of `take`.
    fn sweep(
        &self,
        (_, sweep): (usize, &ExactSweep),
        _on: &OnPage<'_>,
        _take: TakeSample<'_>,
    ) -> Option<Result<(), String>> {
        Some(Err(format!("no break points of {} are known", sweep.row.name())))
    }

    /// What the system at `place` chooses on a page of which another one has left only a part.
    ///
    /// # Errors
    /// A sentence: it failed, or cannot choose there.
    fn choose(&self, _place: usize, _on: &OnPage<'_>, _left: &Page) -> Result<Choice, String> {
        Err("what another program made cannot be made again on another page".to_owned())
    }
}

/// A page on which systems are run.
pub struct OnPage<'u> {
    /// The place of its dataset in the plan.
    pub place: usize,
    /// Its place in the dataset.
    pub index: usize,
    /// What the page list says of it.
    pub record: &'u Record,
    /// The page; `None` where no system needs it, or it cannot be opened.
    pub page: Option<&'u Page>,
    /// Its gold, where rows are scored by it.
    pub gold: Option<&'u str>,
    /// The gold as tokens of the page's text nodes, where text nodes are measured.
    pub node_gold: Option<&'u [Token]>,
    /// What systems of the kinds before have made of it.
    pub others: &'u dyn Others,
}

/// What systems of the kinds before have made of a page.
pub trait Others {
    /// What the system at a place extracted, put on the page's text nodes; `None` where it was not run.
    fn on_nodes(&self, place: Place) -> Option<&Result<Selection, String>>;

    /// What it chooses on a page of which another one has left only a part.
    ///
    /// # Errors
    /// As [`Prepared::choose`].
    fn choose(&self, place: Place, left: &Page) -> Result<Choice, String>;
}

/// What a system extracted from a page.
pub struct RowExtraction {
    /// Its place in the plan.
    pub place: usize,
    /// The extraction.
    pub extraction: Extraction,
    /// Whether it found no page of the dataset to hold this one against, where it looked among all of them.
    pub alone: bool,
    /// Whether a member failed, and counted as one that chooses nothing.
    pub degraded: bool,
    /// What decided, where rules of sites did.
    pub rules: Option<RulesUsed>,
}

impl RowExtraction {
    /// An extraction of which nothing else is to be said.
    pub fn new(place: usize, extraction: Extraction) -> Self {
        RowExtraction { place, extraction, alone: false, degraded: false, rules: None }
    }
}

/// An extraction, or why there is none.
#[derive(Clone)]
pub enum Extraction {
    /// Chosen on the page by carat.
    Chosen(Choice),
    /// A text of another program.
    Text(WrittenText),
    /// Nothing, for this reason.
    Failed(String),
    /// Nothing in time.
    TimedOut(String),
    /// It was not run.
    NotRun,
}

/// A text of another program.
#[derive(Clone)]
pub struct WrittenText {
    /// The text that a reader sees.
    pub text: String,
    /// The source that the text is read from, with its form, unless the program wrote plain text.
    pub source: Option<(TextKind, String)>,
}

impl WrittenText {
    /// The text for a rule that takes it as the program wrote it; HTML is rendered for every rule.
    pub fn as_it_stands(&self) -> &str {
        match &self.source {
            Some((TextKind::Markdown, source)) => source,
            _ => &self.text,
        }
    }

    /// True if `carat` made the text and not the program, for a rule that takes it as the program wrote it.
    pub fn is_rendered(&self) -> bool {
        matches!(self.source, Some((TextKind::Html, _)))
    }
}

impl Extraction {
    /// A text in the form in which another program wrote it.
    pub fn written(kind: TextKind, source: String) -> Self {
        if kind == TextKind::Text {
            return Extraction::Text(WrittenText { text: source, source: None });
        }
        match kind.rendered(&source) {
            Ok(text) => Extraction::Text(WrittenText { text: text.into_owned(), source: Some((kind, source)) }),
            Err(_) => Extraction::Failed("its result document is too large".to_owned()),
        }
    }
}

impl From<Result<Choice, String>> for Extraction {
    fn from(chosen: Result<Choice, String>) -> Self {
        match chosen {
            Ok(choice) => Extraction::Chosen(choice),
            Err(reason) => Extraction::Failed(reason),
        }
    }
}
