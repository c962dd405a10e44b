//! A run's figures as they stand in `summary.json`: conditions, rows, exact sweeps.

mod conditions;
mod curves;
mod kept_replies;
mod rows;
mod steps;
mod tally;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::conditions::{Conditions, DatasetConditions, TrainingDataset};
pub use self::curves::{FLAT, FLAT_SAMPLING, MOST_FLAT, SweepCurve};
pub use self::kept_replies::KeptReplies;
pub use self::rows::{Coverage, GroupFigures, MeanOfSome, Savings, SnippetCounts, SummaryRow};
pub use self::tally::Summariser;
use super::agreement::DatasetAgreement;
use super::execute::{Unit, execute};
use super::page_outcome::PageOutcome;
use super::plan::Plan;
pub use crate::datasets::manifest::MadeOf;
use crate::datasets::{DatasetError, Halt};
use crate::formats::code::Code;
use crate::formats::files::FileError;

/// The version of the run folder's files.
pub const SCHEMA: u32 = 2;

/// Everything of a run that does not depend on machine and time.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// The version of the run folder's files.
    pub schema: u32,
    /// The run's name.
    pub name: String,
    /// What must be equal for rows to be compared.
    pub conditions: Conditions,
    /// One a dataset, algorithm and setting; none of a dataset without any gold.
    pub rows: Vec<SummaryRow>,
    /// The number of all sites of each dataset whose rows list only the 10,000 with most pages.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub all_sites: BTreeMap<String, usize>,
    /// How far the systems agree on the pages without gold of each dataset that has such pages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agreement: Vec<DatasetAgreement>,
    /// Replies of external programs that were not asked for in this run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept_replies: Vec<KeptReplies>,
    /// The pages that a merged run lacks; `run.json` says it.
    #[serde(skip)]
    pub(crate) missing_pages: usize,
}

impl Summary {
    /// The rows that read gold.
    pub fn readers_of_gold(&self) -> Vec<&SummaryRow> {
        self.rows.iter().filter(|row| row.reads_gold.is_some()).collect()
    }
}

/// Runs `plan` without leaving anything behind, on the current rayon pool.
///
/// # Errors
/// [`DatasetError`]: a page list that cannot be read any more, or was changed, or a temporary file that cannot be written.
pub fn run_in_memory(plan: &Plan) -> Result<(Summary, Vec<SweepCurve>), DatasetError> {
    let outcomes: Mutex<Vec<BTreeMap<String, PageOutcome>>> = Mutex::new(vec![BTreeMap::new(); plan.datasets.len()]);
    let keep = |unit: &Unit<'_>| -> Result<(), Halt> {
        let outcome = unit.run()?.0;
        let mut outcomes = outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        outcomes[unit.place()].insert(unit.page().1.id.clone(), outcome);
        Ok(())
    };
    execute(plan, &keep).map_err(Halt::of_unstopped)?;
    let outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut summariser = Summariser::new(plan);
    for (place, (dataset, outcomes)) in plan.datasets.iter().zip(&outcomes).enumerate() {
        for record in dataset.records.iter() {
            let record = record?;
            summariser.add(place, &record, &outcomes[&record.id]).map_err(no_room)?;
        }
    }
    summariser.finish().map_err(no_room)
}

/// That a temporary file cannot be written or read.
fn no_room(error: FileError) -> DatasetError {
    DatasetError::unread(Code::Write, error.path.display(), &error.source)
}
