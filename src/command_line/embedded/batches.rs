//! Runs whose pages come in batches: planned, scored batch by batch, and put together.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Error, Host, caught};
use crate::command_line::failure::Failure;
use crate::command_line::making::{executable_digest, machine, make_report};
use crate::command_line::output::tell;
use crate::formats::code::Exit;
use crate::report::MOST_PAGES;
use crate::runs::batches::{BatchError, Elsewhere, PageUnit};
pub use crate::runs::batches::{BatchPlan, PageTexts, ScoredBatch, ScoredPage, ScoredRow, SiteSums, Summing};
use crate::runs::configuration::{Asked, Configuration};
use crate::runs::folder::{Claim, look};
use crate::runs::results::collect;
use crate::runs::run_folder::Circumstances;
use crate::runs::units::Units;
use crate::text::counted;

pub use crate::datasets::import::given::{GivenHtml, GivenPage};

impl From<BatchError> for Failure {
    fn from(error: BatchError) -> Self {
        match error {
            BatchError::Request(error) => error.into(),
            BatchError::Halted(halt) => halt.into(),
            BatchError::Unasked(error) => error.into(),
        }
    }
}

/// The plan of a configuration that names one dataset and these functions, in its order.
///
/// # Errors
/// [`Error`]: also a row that depends on other pages than those of a batch.
pub fn plan(
    configuration: &str,
    functions: Vec<Arc<dyn Asked>>,
    with_texts: bool,
    host: &Arc<dyn Host>,
) -> Result<BatchPlan, Error> {
    caught(host, || {
        let mut configuration = Configuration::from_yaml("carat.plan", configuration)?;
        for (function, asked) in configuration.functions.iter_mut().zip(functions) {
            function.asked = Some(asked);
        }
        Ok(BatchPlan::new(configuration, program(), with_texts)?)
    })
}

/// The digest of the program, which is read once.
pub fn program() -> &'static str {
    executable_digest()
}

/// Scores pages, as [`BatchPlan::score`] does.
///
/// # Errors
/// [`Error`].
pub fn score(
    plan: &BatchPlan,
    pages: Vec<GivenPage>,
    (has_gold, has_sites): (bool, bool),
    host: &Arc<dyn Host>,
) -> Result<ScoredBatch, Error> {
    caught(host, || Ok(plan.score(pages, (has_gold, has_sites), &|| host.is_interrupted())?))
}

/// The texts of pages, as [`BatchPlan::extract`] gives them.
///
/// # Errors
/// [`Error`].
pub fn extract(plan: &BatchPlan, pages: Vec<GivenPage>, host: &Arc<dyn Host>) -> Result<Vec<PageTexts>, Error> {
    caught(host, || Ok(plan.extract(pages, &|| host.is_interrupted())?))
}

/// A run that is put together of the units of its pages.
pub struct Merging {
    plan: Arc<BatchPlan>,
    out: PathBuf,
    claim: Claim,
    units: Units,
    pages: Elsewhere,
}

impl Merging {
    /// Begins the run of `plan` in the folder `out`.
    ///
    /// # Errors
    /// [`Error`]: the folder holds the run of another configuration, or cannot be written to.
    pub fn begin(plan: Arc<BatchPlan>, out: &Path, host: &Arc<dyn Host>) -> Result<Self, Error> {
        caught(host, || {
            look(out, plan.plan(), program(), plan.with_texts())?;
            let claim = Claim::of(out)?;
            claim.begin(plan.plan())?;
            let units = Units::new(out, plan.plan(), program(), plan.with_texts())?;
            units.remove_all()?;
            Ok(Merging { plan: plan.clone(), out: out.to_owned(), claim, units, pages: Elsewhere::default() })
        })
    }

    /// Adds pages by their units, in any order.
    ///
    /// # Errors
    /// [`Error`]: a unit that is damaged, of another plan, or of a page that came before and was another.
    pub fn add(&mut self, units: &[Vec<u8>], host: &Arc<dyn Host>) -> Result<(), Error> {
        caught(host, || {
            for unit in units {
                let unit = PageUnit::read(unit, &self.plan).map_err(wrong_data)?;
                if self.pages.add(&unit).map_err(wrong_data)? {
                    let PageUnit { record, outcome, texts, .. } = unit;
                    let dataset = &self.plan.plan().datasets[0];
                    self.units.write(dataset, &record, &outcome, &texts.unwrap_or_default())?;
                }
            }
            Ok(())
        })
    }

    /// Makes the run, with tables, figures and HTML if a report is wanted. It counts as finished only when all of it is there.
    ///
    /// # Errors
    /// [`Error`]: there is no page, or a file cannot be written.
    pub fn finish(self, with_report: bool, host: &Arc<dyn Host>) -> Result<(), Error> {
        let Merging { plan, out, claim, units, pages } = self;
        caught(host, || {
            let whole = pages.plan(&plan).map_err(wrong_data)?;
            units.finish()?;
            let results = collect(&whole, &units, &out)?;
            let circumstances = Circumstances {
                texts: plan.with_texts(),
                resumed: 0,
                threads: rayon::current_num_threads(),
                seconds: 0.0,
                machine: machine(),
                folders: Default::default(),
            };
            let info = claim.write(&whole, &results, program(), circumstances)?;
            if with_report {
                make_report(&claim, &info, MOST_PAGES, None)?;
            }
            claim.finish(&info)?;
            if pages.doubles > 0 {
                let came = if pages.doubles == 1 { "came twice, and is" } else { "came more than once, and are" };
                tell(&format!("{} {came} the same", counted(pages.doubles, "page")));
            }
            Ok(())
        })
    }
}

fn wrong_data(message: String) -> Failure {
    Failure::new(Exit::Data, message)
}
