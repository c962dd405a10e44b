//! A page, the choice of a row on it, and the numbers behind that choice.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::nodes::{Nodes, element};
use super::source::Subject;
use crate::algorithms::Entry;
use crate::algorithms::algorithm::Choice;
use crate::algorithms::explanation::{Explanation, Figure, Number};
use crate::algorithms::group::{Pages, Target};
use crate::algorithms::value::Value;
use crate::datasets::DatasetError;
use crate::page::Page;
use crate::page::selection::Selection;
use crate::runs::groups::members_around;
use crate::runs::learned::LearnedExplanation;
use crate::runs::node_tokens::on_nodes;
use crate::runs::rows::{Row, System};
use crate::scoring::{Counts, Score};
use crate::text::words::Segmenter;

/// Why a page cannot be explained.
#[derive(Debug, thiserror::Error)]
pub enum ExplainError {
    /// The dataset.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// The page, or a row that cannot choose on it: a sentence.
    #[error("{0}")]
    Page(String),
}

/// A page, a row's choice on it, and the numbers behind that.
pub struct Explained {
    /// The page and what is known of it.
    pub(super) subject: Subject,
    /// An algorithm with its parameters, rules of sites, or what learns from gold.
    pub(super) row: Row,
    /// The extraction.
    pub(super) text: String,
    /// What it scores, where there is gold.
    pub(super) score: Option<(Counts, Score)>,
    pub(super) explanation: Explanation,
    pub(super) nodes: Nodes,
    /// The ids of other pages that the explanation names, by their places.
    pub(super) others: BTreeMap<usize, String>,
    /// The choices at other values of a parameter, of a row that is no algorithm.
    pub(super) learned_sweep: Option<ChoicesByValue>,
}

/// A parameter, and the choice at each of its values.
pub(super) type ChoicesByValue = (&'static str, Vec<(Value, Choice)>);

impl Explained {
    /// Lets `row` choose on the page, and tell why.
    ///
    /// # Errors
    /// [`ExplainError`]: a dataset that was changed meanwhile, a group that the algorithm cannot hold, or a row that
    /// chooses nothing by itself.
    pub fn new(subject: Subject, row: Row) -> Result<Self, ExplainError> {
        let Told { choice, explanation, others, sweep } = explained(&subject, &row)?;
        let text = choice.text(&subject.page);
        let selection = selected(choice, &subject.page)?;
        let score = subject.scorer(&Segmenter::default()).map(|mut scorer| scorer.score(&text, &selection));
        let nodes = Nodes::new(&subject.page, &selection, &explanation, subject.gold.as_deref());
        Ok(Explained { subject, row, text, score, explanation, nodes, others, learned_sweep: sweep })
    }

    pub(super) fn name(&self) -> &str {
        self.row.name()
    }

    /// A figure's number for people and for JSON: exact, with the node or page that it names.
    pub(super) fn shown(&self, number: &Number) -> String {
        match number {
            Number::Count(count) => count.to_string(),
            Number::Ratio(part, whole) => format!("{part}/{whole}"),
            Number::Value(value) => value.to_string(),
            Number::Word(word) => (*word).to_owned(),
            Number::Text(text) => text.clone(),
            Number::Node(id) => element(&self.subject.page.tree, *id),
            Number::Page(place) => self.others.get(place).cloned().unwrap_or_default(),
        }
    }

    /// A figure's number with its decimal, where it is a ratio that does not show it.
    pub(super) fn told(&self, figure: &Figure) -> String {
        let shown = self.shown(&figure.number);
        match figure.number {
            Number::Ratio(part, whole) if part != 0 && part != whole && whole > 1 => {
                format!("{shown} = {:.4}", Value::ratio(part, whole).to_f64())
            }
            _ => shown,
        }
    }
}

/// What a row tells of a page.
struct Told {
    choice: Choice,
    explanation: Explanation,
    /// The ids of the pages that the explanation names.
    others: BTreeMap<usize, String>,
    sweep: Option<ChoicesByValue>,
}

impl Told {
    fn of((choice, explanation): (Choice, Explanation)) -> Self {
        Told { choice, explanation, others: BTreeMap::new(), sweep: None }
    }
}

fn explained(subject: &Subject, row: &Row) -> Result<Told, ExplainError> {
    let (algorithm, setting) = match &row.system {
        System::Algorithm { algorithm: Entry::Page(algorithm), setting } => {
            return Ok(Told::of(algorithm.explain(&subject.page, setting)));
        }
        System::Algorithm { algorithm: Entry::Group(algorithm), setting } => (algorithm, setting),
        System::Learned(learned) => {
            let Some((dataset, index)) = &subject.place else {
                let message =
                    format!("`{}` is for the pages of a dataset, and {} is a single page", row.name(), subject.name);
                return Err(ExplainError::Page(message));
            };
            let told = learned.explain(dataset, *index, &subject.page)?;
            let nothing = || ExplainError::Page("there is no other site with gold to learn from".to_owned());
            let LearnedExplanation { choice, explanation, sweep } = told.ok_or_else(nothing)?;
            return Ok(Told { sweep, ..Told::of((choice, explanation)) });
        }
        System::Stored(_) | System::External(_) | System::Ensemble(_) | System::Bound(_) => {
            return Err(ExplainError::Page(format!("`{}` does not choose by itself", row.name())));
        }
    };
    let tell = |(pages, index): (&dyn Pages, usize)| {
        let learned = algorithm.learn(pages, setting)?;
        algorithm.explain(&learned, Target { page: &subject.page, index, pages }, setting)
    };
    let Some((dataset, index)) = &subject.place else {
        let alone: &[Arc<Page>] = std::slice::from_ref(&subject.page);
        return tell((&alone, 0)).map(Told::of).map_err(ExplainError::Page);
    };
    let (members, place) = members_around(dataset, algorithm.scope(setting), *index)?;
    let mut told = tell((&members, place)).map(Told::of).map_err(ExplainError::Page)?;
    for figure in &told.explanation.figures {
        if let Number::Page(page) = figure.number {
            told.others.insert(page, members.id(page)?);
        }
    }
    Ok(told)
}

/// The choice as text nodes of the page.
pub(super) fn selected(choice: Choice, page: &Page) -> Result<Selection, ExplainError> {
    on_nodes(choice, page).map_err(ExplainError::Page)
}
