//! A page, the choice of a row on it, and the numbers behind that choice.

use std::collections::BTreeMap;

use super::nodes::{Nodes, element};
use super::source::Subject;
use crate::algorithms::algorithm::Choice;
use crate::algorithms::explanation::{Explanation, Figure, Number};
use crate::algorithms::value::Value;
use crate::page::Page;
use crate::page::selection::Selection;
pub use crate::runs::explaining::ExplainError;
use crate::runs::explaining::{ChoicesByValue, Explaining, Told};
use crate::runs::node_tokens::on_nodes;
use crate::runs::system::Row;
use crate::scoring::{Counts, Score};
use crate::text::words::Segmenter;

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

impl Explained {
    /// Lets `row` choose on the page, and tell why.
    ///
    /// # Errors
    /// [`ExplainError`]: a dataset that was changed meanwhile, a group that the algorithm cannot hold, or a row that
    /// chooses nothing by itself.
    pub fn new(subject: Subject, row: Row) -> Result<Self, ExplainError> {
        let place = subject.place.as_ref().map(|(dataset, index)| (dataset, *index));
        let told = row.system.explain(&Explaining { page: &subject.page, place, name: &subject.name })?;
        let Told { choice, explanation, others, sweep } = told;
        let text = choice.text(&subject.page);
        let selection = selected(choice, &subject.page)?;
        let score = subject.scorer(&Segmenter::default()).map(|mut scorer| scorer.score(&text, &selection));
        let nodes = Nodes::new(&subject.page, &selection, &explanation, subject.gold.as_deref());
        Ok(Explained { subject, row, text, score, explanation, nodes, others, learned_sweep: sweep })
    }

    pub(super) fn name(&self) -> &str {
        self.row.name()
    }

    /// True if the row told more than its choice: numbers of the page, or what it decided about nodes.
    pub fn has_reasons(&self) -> bool {
        let Explanation { figures, lists, nodes } = &self.explanation;
        !figures.is_empty() || !lists.is_empty() || !nodes.is_empty()
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

/// The choice as text nodes of the page.
pub(super) fn selected(choice: Choice, page: &Page) -> Result<Selection, ExplainError> {
    on_nodes(choice, page).map_err(ExplainError::Page)
}
