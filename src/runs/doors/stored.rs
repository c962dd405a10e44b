//! Stored outputs: what other programs extracted from a dataset's pages, made earlier and scored like
//! everything else. A page that an output lacks is *not run*; an empty text is an empty extraction.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use crate::algorithms::parameters::Values;
use crate::datasets::stored::Stored;
use crate::datasets::{Dataset, DatasetError, Halt};
use crate::formats::digest::{LinesDigest, sha256};
use crate::runs::configuration::{Configuration, NamedRequest, RequestError};
use crate::runs::kind::{Extraction, Kind, OnPage, PlanError, Planned, Prepared, Preparing, RowExtraction};
use crate::runs::system::{ExtractionForm, Row, System};
use crate::runs::values::text_of;
use crate::structure::TextKind;
use crate::text::hint;

/// What the names of rows of stored outputs begin with.
pub const PREFIX: &str = "stored/";

/// The request for every stored output that lies beside the pages.
pub const ALL: &str = "all";

/// A system whose outputs are stored.
#[derive(Clone)]
pub struct StoredSystem {
    /// The row's name, `stored/SYSTEM`.
    pub row: String,
    /// Its outputs for each dataset of the plan, in order; `None` where a dataset has none.
    pub outputs: Vec<Option<Outputs>>,
}

/// The texts that a system extracted from one dataset's pages.
#[derive(Clone)]
pub struct Outputs {
    /// The texts, and what is known of the system.
    pub stored: Arc<Stored>,
    /// SHA-256 over a line a page of the run: its id, a tab, and the SHA-256 of its text, why it failed, or `not_run`.
    pub digest: String,
}

impl Outputs {
    fn new(stored: Stored, dataset: &Dataset) -> Result<Self, DatasetError> {
        let mut lines = LinesDigest::default();
        for record in dataset.records.iter() {
            let record = record?;
            let text = match stored.text(&record.id) {
                None => "not_run".to_owned(),
                Some(Err(reason)) => format!("failed: {reason}"),
                Some(Ok(text)) if stored.kind == TextKind::Text => sha256(text.as_bytes()),
                Some(Ok(text)) => format!("{} {}", stored.kind, sha256(text.as_bytes())),
            };
            lines.add(&format!("{}\t{text}", record.id));
        }
        Ok(Outputs { stored: Arc::new(stored), digest: lines.finish() })
    }

    /// One line that names the system behind the texts.
    pub fn system(&self) -> String {
        let Stored { system, version, date, settings, .. } = &*self.stored;
        let mut parts = vec![format!("stored output of {system}")];
        parts.extend(version.as_ref().map(|version| format!("version {version}")));
        parts.extend(date.as_ref().map(|date| format!("of {date}")));
        parts.extend(settings.iter().map(|(name, value)| format!("{name}={}", text_of(value))));
        parts.push(format!("sha256:{}", self.digest));
        parts.join(" | ").replace(char::is_control, "\u{FFFD}")
    }
}

impl System for StoredSystem {
    fn name(&self) -> &str {
        &self.row
    }

    fn values(&self) -> Values {
        Values::new()
    }

    fn differs(&self) -> Vec<String> {
        Vec::new()
    }

    fn identity(&self) -> String {
        self.row.clone()
    }

    fn line(&self, place: usize, _: &BTreeSet<Option<String>>) -> String {
        self.outputs[place].as_ref().map(Outputs::system).unwrap_or_default()
    }

    fn needs_page(&self) -> bool {
        false
    }

    fn is_of(&self, place: usize) -> bool {
        self.outputs[place].is_some()
    }

    fn rests_on_others(&self) -> bool {
        true
    }

    fn form(&self, place: usize) -> Option<ExtractionForm> {
        self.outputs[place].as_ref().map(|outputs| ExtractionForm::Written(outputs.stored.kind))
    }

    fn digests(&self) -> Vec<String> {
        let digest =
            |outputs: &Option<Outputs>| outputs.as_ref().map_or("-".to_owned(), |outputs| outputs.digest.clone());
        self.outputs.iter().map(digest).collect()
    }

    /// What was done to read the outputs.
    fn notes(&self, place: usize, _: &Dataset) -> Vec<String> {
        let outputs = self.outputs[place].iter();
        outputs.flat_map(|outputs| &outputs.stored.notes).map(|note| format!("{}: {note}", self.row)).collect()
    }

    fn verb(&self) -> Option<&'static str> {
        Some("score")
    }
}

/// The kind of stored outputs.
pub(in crate::runs) struct StoredOutputs;

impl Kind for StoredOutputs {
    fn makes(&self, row: &Row) -> bool {
        row.of::<StoredSystem>().is_some()
    }

    fn resolve(&self, configuration: &Configuration, planned: &mut Planned) -> Result<(), PlanError> {
        let systems = resolve(&configuration.stored, &planned.datasets)?;
        planned.rows.extend(systems.into_iter().map(|system| Row::new(system, Vec::new())));
        Ok(())
    }

    fn prepare<'p>(&self, own: Preparing<'p>) -> Result<Box<dyn Prepared + 'p>, Halt> {
        let own = own.rows.into_iter().filter_map(|(place, row)| Some((place, row.of::<StoredSystem>()?)));
        Ok(Box::new(PreparedOutputs(own.collect())))
    }
}

/// Stored outputs by their places in the plan.
struct PreparedOutputs<'p>(Vec<(usize, &'p StoredSystem)>);

impl Prepared for PreparedOutputs<'_> {
    fn extract(&self, on: &OnPage<'_>) -> Result<Vec<RowExtraction>, DatasetError> {
        let extraction = |&(place, system): &(usize, &StoredSystem)| {
            let stored = &system.outputs[on.place].as_ref()?.stored;
            let extraction = match stored.text(&on.record.id)? {
                Ok(text) => Extraction::written(stored.kind, text.to_owned()),
                Err(reason) => Extraction::Failed(reason.to_owned()),
            };
            Some(RowExtraction::new(place, extraction))
        };
        Ok(self.0.iter().filter_map(extraction).collect())
    }
}

/// Where a stored output is read from.
enum Source<'p> {
    /// Beside the pages of a dataset, by the system's name.
    Beside(&'p Dataset, String),
    /// A file or folder of its own.
    Path(&'p Path),
}

impl Source<'_> {
    /// The outputs, which are of pages of `dataset`.
    fn read(&self, dataset: &Dataset) -> Result<Vec<Outputs>, DatasetError> {
        let stored = match self {
            Source::Beside(dataset, system) => vec![dataset.stored(system)?],
            Source::Path(path) => {
                let systems = Stored::read_all(path)?;
                systems.iter().try_for_each(|stored| dataset.check_stored(stored))?;
                systems
            }
        };
        stored.into_iter().map(|stored| Outputs::new(stored, dataset)).collect()
    }
}

/// The systems that `requests` ask for, each once, in order; their outputs are read.
///
/// # Errors
/// [`PlanError`]: a system that no dataset has, or an output that cannot be read or is of other pages.
fn resolve(requests: &[NamedRequest], datasets: &[Dataset]) -> Result<Vec<StoredSystem>, PlanError> {
    let mut sources: Vec<(usize, Source<'_>)> = Vec::new();
    for request in requests {
        sources.extend(sources_of(request, datasets)?);
    }
    let read = |(place, source): &(usize, Source<'_>)| Ok((*place, source.read(&datasets[*place])?));
    let outputs: Vec<(usize, Vec<Outputs>)> = sources.par_iter().map(read).collect::<Result<_, DatasetError>>()?;
    let outputs = outputs.into_iter().flat_map(|(dataset, systems)| systems.into_iter().map(move |own| (dataset, own)));
    let mut systems: Vec<StoredSystem> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (dataset, outputs) in outputs {
        let system = outputs.stored.system.clone();
        let place = *places.entry(system.clone()).or_insert_with(|| {
            systems.push(StoredSystem { row: format!("{PREFIX}{system}"), outputs: vec![None; datasets.len()] });
            systems.len() - 1
        });
        // Asked for twice, by name and by `all`, it is one row.
        let known = systems[place].outputs[dataset].get_or_insert_with(|| outputs.clone());
        if known.system() != outputs.system() {
            let message = format!("two different stored outputs are named `{system}`; rename one of them");
            return Err(RequestError::Argument(message).into());
        }
    }
    Ok(systems)
}

/// Where the outputs that one request names are, each with the place of its dataset.
fn sources_of<'p>(request: &'p NamedRequest, datasets: &'p [Dataset]) -> Result<Vec<(usize, Source<'p>)>, PlanError> {
    let name = request.name.as_str();
    let (mut named, mut known) = (Vec::new(), Vec::new());
    for (place, dataset) in datasets.iter().enumerate() {
        for system in dataset.stored_systems() {
            known.push(system.clone());
            if name == ALL || name == system {
                named.push((place, Source::Beside(dataset, system)));
            }
        }
    }
    if !named.is_empty() {
        return Ok(named);
    }
    let path = Path::new(name);
    if name != ALL && path.exists() {
        return match datasets {
            [_] => Ok(vec![(0, Source::Path(path))]),
            _ => {
                let message = "a run over several datasets takes only outputs that lie beside their pages";
                Err(request.origin.error(message).into())
            }
        };
    }
    let message = match known.is_empty() {
        true => "no stored output lies beside the pages of the run's datasets, nor is there such a file".to_owned(),
        false => format!("no such stored output; {}", hint(name, known.iter().map(String::as_str))),
    };
    Err(request.not_there(name, message).into())
}
