//! What a system tells of its choice on a page.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::algorithms::algorithm::Choice;
use crate::algorithms::explanation::Explanation;
use crate::algorithms::value::Value;
use crate::datasets::{Dataset, DatasetError};
use crate::page::Page;

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

/// A page that is to be explained.
pub struct Explaining<'s> {
    /// The page.
    pub page: &'s Arc<Page>,
    /// The dataset that it is of, and its place there.
    pub place: Option<(&'s Dataset, usize)>,
    /// What the page is called.
    pub name: &'s str,
}

/// A parameter, and the choice at each of its values.
pub type ChoicesByValue = (&'static str, Vec<(Value, Choice)>);

/// A choice, and the numbers behind it.
pub struct Told {
    /// The choice.
    pub choice: Choice,
    /// The numbers behind it.
    pub explanation: Explanation,
    /// The ids of the pages that the explanation names, by their places.
    pub others: BTreeMap<usize, String>,
    /// The choices at other values of a parameter, where the system is no algorithm and has one that is worth moving.
    pub sweep: Option<ChoicesByValue>,
}

impl Told {
    /// A choice that needs no other pages to be told.
    pub fn new((choice, explanation): (Choice, Explanation)) -> Self {
        Told { choice, explanation, others: BTreeMap::new(), sweep: None }
    }
}
