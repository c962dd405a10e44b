//! Algorithms that look at several pages of a site or dataset before they choose on one.

use std::any::Any;
use std::sync::Arc;

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::algorithm::{Choice, Setting, SettingError, TakeSample, sweep_at};
use super::declaration::Declaration;
use super::explanation::Explanation;
use super::parameters::{self, Parameter, Values};
use super::value::Value;
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

impl dyn Pages + '_ {
    /// Hands `take` every page that did not fail, with its place, in order; a few are parsed at a time.
    pub fn for_each(&self, mut take: impl FnMut(usize, &Page)) {
        let at_a_time = rayon::current_num_threads();
        for first in (0..self.len()).step_by(at_a_time) {
            let some = first..self.len().min(first + at_a_time);
            let pages: Vec<_> = some.into_par_iter().map(|index| (index, self.page(index))).collect();
            pages
                .into_iter()
                .filter_map(|(index, page)| Some((index, page?)))
                .for_each(|(index, page)| take(index, &page));
        }
    }
}

/// A page to choose on, among those that it is seen together with.
#[derive(Clone, Copy)]
pub struct Target<'p> {
    /// The page.
    pub page: &'p Page,
    /// Its place among them.
    pub index: usize,
    /// All of them.
    pub pages: &'p dyn Pages,
}

impl Target<'_> {
    /// The `index`th of the pages, which the choice rests on.
    ///
    /// # Errors
    /// A sentence: it cannot be read any more.
    pub fn beside(&self, index: usize) -> Result<Arc<Page>, String> {
        self.pages.page(index).ok_or_else(|| "a page that it is held against cannot be read any more".to_owned())
    }
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

/// An algorithm that learns from several pages, then chooses page by page. It sees no gold. Neither `learn` nor
/// `prepare` reads a swept parameter: settings that differ in nothing else share what is learnt and prepared.
pub trait GroupAlgorithm: Sync + 'static {
    /// As in [`PageAlgorithm`](super::algorithm::PageAlgorithm).
    type Parameters: Serialize + DeserializeOwned + JsonSchema + Default + Send + Sync + 'static;
    /// What it keeps of the pages it has seen; small beside them.
    type Learned: Send + Sync + 'static;
    /// A page as it sees it; it may remember choices that other settings could share.
    type Prepared<'p>;
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

    /// Which pages it sees together.
    fn scope(parameters: &Self::Parameters) -> Scope;

    /// Whether these parameters ask for what is learned from gold: whoever has none then refuses them.
    fn needs_gold(_: &Self::Parameters) -> bool {
        false
    }

    /// Looks at the pages of a group.
    ///
    /// # Errors
    /// A sentence: the group is larger than it can hold.
    fn learn(&self, pages: &dyn Pages, parameters: &Self::Parameters) -> Result<Self::Learned, String>;

    /// Whether the page at `index` is alone in the cluster that the algorithm found for it among all pages of a dataset. Whether
    /// it is alone on its site is no matter of the algorithm.
    fn is_alone(&self, _learned: &Self::Learned, _index: usize, _parameters: &Self::Parameters) -> bool {
        false
    }

    /// Looks at one page of the group.
    fn prepare<'p>(
        &self,
        learned: &'p Self::Learned,
        target: Target<'p>,
        parameters: &Self::Parameters,
    ) -> Self::Prepared<'p>;

    /// The choice on that page.
    ///
    /// # Errors
    /// A sentence: another page that decides cannot be read any more.
    fn choose(&self, prepared: &mut Self::Prepared<'_>, parameters: &Self::Parameters) -> Result<Choice, String>;

    /// Where the choice can change while `swept`, declared as exact, grows and the rest stays: in any order,
    /// more than needed is allowed.
    ///
    /// # Errors
    /// As those of [`GroupAlgorithm::choose`], or a break point that is no ratio of 64 bits.
    fn break_points(
        &self,
        _prepared: &mut Self::Prepared<'_>,
        _parameters: &Self::Parameters,
        _swept: &str,
    ) -> Result<Vec<Value>, String> {
        Ok(Vec::new())
    }

    /// The numbers behind that choice; nothing where only the choice is known.
    ///
    /// # Errors
    /// As those of [`GroupAlgorithm::choose`].
    fn explain(
        &self,
        _prepared: &mut Self::Prepared<'_>,
        _parameters: &Self::Parameters,
    ) -> Result<Explanation, String> {
        Ok(Explanation::default())
    }
}

/// What a group algorithm of whatever type has learnt.
pub struct Learned(Box<dyn Any + Send + Sync>);

impl Learned {
    fn as_learnt_by<A: GroupAlgorithm>(&self) -> &A::Learned {
        self.0.downcast_ref().expect("what was learnt is used by the algorithm that learnt it")
    }
}

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
    fn scope(&self, setting: &Setting) -> Scope;
    /// As [`GroupAlgorithm::needs_gold`].
    fn needs_gold(&self, setting: &Setting) -> bool;
    /// Looks at the pages of a group, for all settings with that one's [`Setting::prepare_key`].
    ///
    /// # Errors
    /// As those of [`GroupAlgorithm::learn`].
    fn learn(&self, pages: &dyn Pages, setting: &Setting) -> Result<Learned, String>;
    /// The choice on one page of that group under each of `settings`.
    ///
    /// # Errors
    /// As those of [`GroupAlgorithm::choose`].
    fn choose_all(&self, learned: &Learned, target: Target<'_>, settings: &[&Setting]) -> Result<Vec<Choice>, String>;
    /// As [`GroupAlgorithm::is_alone`].
    fn is_alone(&self, learned: &Learned, index: usize, setting: &Setting) -> bool;
    /// Hands `take` the choices on one page of that group at and between the break points of a parameter over its whole
    /// range, one after the other, the rest as in the setting.
    ///
    /// # Errors
    /// As those of [`GroupAlgorithm::break_points`], or the first of `take`.
    fn sweep(
        &self,
        learned: &Learned,
        target: Target<'_>,
        swept: (&Setting, &str),
        take: TakeSample<'_>,
    ) -> Result<(), String>;
    /// The choice on one page of that group under `setting` and the numbers behind it.
    ///
    /// # Errors
    /// As those of [`GroupAlgorithm::choose`].
    fn explain(
        &self,
        learned: &Learned,
        target: Target<'_>,
        setting: &Setting,
    ) -> Result<(Choice, Explanation), String>;
}

impl<A: GroupAlgorithm> AnyGroupAlgorithm for A {
    fn declaration(&self) -> &'static Declaration {
        const { &A::DECLARATION }
    }

    fn parameters(&self) -> Vec<Parameter> {
        parameters::declared::<A::Parameters>()
    }

    fn setting(&self, given: &Values) -> Result<Setting, SettingError> {
        Setting::checked::<A::Parameters>(&A::DECLARATION, given, A::check)
    }

    fn scope(&self, setting: &Setting) -> Scope {
        A::scope(setting.typed())
    }

    fn needs_gold(&self, setting: &Setting) -> bool {
        A::needs_gold(setting.typed())
    }

    fn learn(&self, pages: &dyn Pages, setting: &Setting) -> Result<Learned, String> {
        let learned = GroupAlgorithm::learn(self, pages, setting.typed::<A::Parameters>())?;
        Ok(Learned(Box::new(learned)))
    }

    fn choose_all(&self, learned: &Learned, target: Target<'_>, settings: &[&Setting]) -> Result<Vec<Choice>, String> {
        let learned = learned.as_learnt_by::<A>();
        let Some(first) = settings.first() else { return Ok(Vec::new()) };
        let mut prepared = self.prepare(learned, target, first.typed::<A::Parameters>());
        settings.iter().map(|setting| self.choose(&mut prepared, setting.typed::<A::Parameters>())).collect()
    }

    fn is_alone(&self, learned: &Learned, index: usize, setting: &Setting) -> bool {
        GroupAlgorithm::is_alone(self, learned.as_learnt_by::<A>(), index, setting.typed::<A::Parameters>())
    }

    fn sweep(
        &self,
        learned: &Learned,
        target: Target<'_>,
        (setting, swept): (&Setting, &str),
        take: TakeSample<'_>,
    ) -> Result<(), String> {
        A::DECLARATION.check_exact(swept)?;
        let parameters = setting.typed::<A::Parameters>();
        let mut prepared = self.prepare(learned.as_learnt_by::<A>(), target, parameters);
        let points = self.break_points(&mut prepared, parameters, swept)?;
        let choose = |parameters: &A::Parameters| self.choose(&mut prepared, parameters);
        sweep_at(points, (setting, &AnyGroupAlgorithm::parameters(self), swept), A::swept, choose, take)
    }

    fn explain(
        &self,
        learned: &Learned,
        target: Target<'_>,
        setting: &Setting,
    ) -> Result<(Choice, Explanation), String> {
        let parameters = setting.typed::<A::Parameters>();
        let mut prepared = self.prepare(learned.as_learnt_by::<A>(), target, parameters);
        let choice = self.choose(&mut prepared, parameters)?;
        Ok((choice, GroupAlgorithm::explain(self, &mut prepared, parameters)?))
    }
}
