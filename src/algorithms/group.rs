//! Algorithms that look at several pages of a site or dataset before they choose on one.

use std::any::Any;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::algorithm::{Choice, Setting, SettingError};
use super::declaration::Declaration;
use super::parameters::{self, Parameter, Values};
use crate::page::Page;

/// Pages that a group algorithm sees together.
pub trait Pages: Sync {
    /// How many there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The `index`th page in dataset order; `None` for one that failed. It is parsed when asked for
    /// and let go with the `Arc`, so that a group may be larger than memory.
    fn page(&self, index: usize) -> Option<Arc<Page>>;
}

/// Pages that are there already.
impl Pages for &[Arc<Page>] {
    fn len(&self) -> usize {
        <[Arc<Page>]>::len(self)
    }

    fn page(&self, index: usize) -> Option<Arc<Page>> {
        self.get(index).cloned()
    }
}

/// Which pages a group algorithm sees together: those of the run, after split and filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The pages of one site.
    Site,
    /// All pages of the dataset.
    Dataset,
}

/// An algorithm that learns from several pages, then chooses page by page. It sees no gold.
pub trait GroupAlgorithm: Sync + 'static {
    /// As in [`PageAlgorithm`](super::algorithm::PageAlgorithm).
    type Parameters: Serialize + DeserializeOwned + JsonSchema + Default + Send + Sync + 'static;
    /// What it keeps of the pages it has seen; small beside them.
    type Learned: Send + Sync + 'static;
    /// What it says of itself.
    const DECLARATION: Declaration;
    /// Which pages it sees together.
    const SCOPE: Scope;

    /// Looks at the pages of a group, the target's among them.
    fn learn(&self, pages: &dyn Pages, parameters: &Self::Parameters) -> Self::Learned;

    /// The choice on one page of the group.
    fn choose(&self, learned: &Self::Learned, page: &Page, parameters: &Self::Parameters) -> Choice;
}

/// What a group algorithm of whatever type has learnt.
pub struct Learned(Box<dyn Any + Send + Sync>);

/// A group algorithm of whatever type.
pub trait AnyGroupAlgorithm: Sync {
    /// What it says of itself.
    fn declaration(&self) -> &'static Declaration;
    /// Its parameters, in order.
    fn parameters(&self) -> Vec<Parameter>;
    /// The setting of `values` over the defaults.
    ///
    /// # Errors
    /// A name or a value that the algorithm does not have.
    fn setting(&self, values: &Values) -> Result<Setting, SettingError>;
    /// Which pages it sees together.
    fn scope(&self) -> Scope;
    /// Looks at the pages of a group.
    fn learn(&self, pages: &dyn Pages, setting: &Setting) -> Learned;
    /// The choice on one page of that group.
    fn choose(&self, learned: &Learned, page: &Page, setting: &Setting) -> Choice;
}

impl<A: GroupAlgorithm> AnyGroupAlgorithm for A {
    fn declaration(&self) -> &'static Declaration {
        const { &A::DECLARATION }
    }

    fn parameters(&self) -> Vec<Parameter> {
        parameters::declared::<A::Parameters>()
    }

    fn setting(&self, given: &Values) -> Result<Setting, SettingError> {
        Setting::new::<A::Parameters>(&A::DECLARATION, given)
    }

    fn scope(&self) -> Scope {
        A::SCOPE
    }

    fn learn(&self, pages: &dyn Pages, setting: &Setting) -> Learned {
        Learned(Box::new(GroupAlgorithm::learn(self, pages, setting.typed::<A::Parameters>())))
    }

    fn choose(&self, learned: &Learned, page: &Page, setting: &Setting) -> Choice {
        let learned = learned.0.downcast_ref().expect("what was learnt is used by the algorithm that learnt it");
        GroupAlgorithm::choose(self, learned, page, setting.typed::<A::Parameters>())
    }
}
