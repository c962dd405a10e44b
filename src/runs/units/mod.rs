//! Units: what is known of each page of a run, in pairs of files, `units/NUMBER.heads` and `units/NUMBER.texts`. They are
//! the run's journal and its store of texts: a run that was cut goes on from them, and they are read again page by page,
//! so that a run's pages need not fit in memory.
//!
//! A file begins with the line `carat-units/2`. Checked records ([`crate::formats::record`]) of JSON follow, the first of
//! which names the run. A record of the heads holds what a page came to ([`PageOutcome`]) under its key, and where its
//! texts ([`Texts`]) stand; what only collects or resumes reads no texts. Of two units of a page the later one counts. A
//! torn end is cut off; behind other damage reading goes on at the next whole record.

mod index;
mod merging;
mod pack;
mod pair;
mod stored;
mod tidy;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;
use serde::Serialize;
use serde::de::IgnoredAny;

use self::index::hash_of;
pub(crate) use self::merging::StoredPage;
pub(crate) use self::pack::Faults;
use self::pack::Pack;
pub(crate) use self::stored::StoredLater;
pub use self::stored::StoredUnits;
use self::stored::{damaged, is_earlier};
use self::writer::{Limits, Packed, Writer};
use super::folder_error::FolderError;
use super::guarding::{digests, gold_as_it_stands};
use super::page_outcome::{PageOutcome, Texts};
use super::plan::Plan;
use super::system::{Row, Sees};
use crate::datasets::manifest::Record;
use crate::datasets::{Dataset, DatasetError, Digests};
use crate::formats::code::Code;
use crate::formats::digest::LinesDigest;
use crate::formats::files::{FileError, is_temporary, remove, unwritten};
use crate::formats::record::record;
use crate::scoring::Comparison;
use crate::scoring::snippets::Matching;

/// The version of the form of units; part of their key.
const FORM: u32 = 3;

/// The folder of units in that of a run.
const FOLDER: &str = "units";

/// The units of one run.
pub struct Units {
    folder: PathBuf,
    key: String,
    with_texts: bool,
    /// The rule, for which the gold may be read as it stands.
    rule: Comparison,
    limits: Limits,
    state: Mutex<State>,
}

/// The open files of the units.
#[derive(Default)]
struct State {
    /// As they were when they were looked at, with what was written since and is finished.
    pack: Option<Arc<Pack>>,
    writer: Option<Writer>,
}

/// The part of a head that a worker knows.
#[derive(Serialize)]
struct OfWorker<'u> {
    key: &'u str,
    dataset: &'u str,
    page: &'u str,
    outcome: &'u PageOutcome,
}

impl Units {
    /// The units of `plan`'s run in the run folder `run`. `executable` is the program's digest: another
    /// program may come to other outcomes.
    ///
    /// # Errors
    /// [`DatasetError`]: a page list that cannot be read any more, or was changed.
    pub fn new(run: &Path, plan: &Plan, executable: &str, with_texts: bool) -> Result<Self, DatasetError> {
        Ok(Units {
            folder: run.join(FOLDER),
            key: key(plan, executable, with_texts)?,
            with_texts,
            rule: plan.configuration.comparison,
            limits: Limits::default(),
            state: Mutex::default(),
        })
    }

    /// True if there is a whole unit of the page, of this very run: of the same configuration and program, of a page and a
    /// gold that are still the same.
    ///
    /// # Errors
    /// [`DatasetError`]: an I/O or permission error while reading the units.
    pub fn holds(&self, dataset: &Dataset, record: &Record) -> Result<bool, DatasetError> {
        let pack = self.looked_at().map_err(in_the_way)?;
        let found = pack.find::<IgnoredAny>(dataset.name(), &record.id).map_err(in_the_way)?;
        let Some(found) = found else { return Ok(false) };
        let mut digests = digests(dataset, record);
        digests.gold_as_it_stands = gold_as_it_stands(dataset, record, self.rule);
        Ok(found.head.key == self.page_key(dataset, record, &digests))
    }

    /// True if it holds every page of the run.
    ///
    /// # Errors
    /// As [`Units::new`] and [`Units::holds`].
    pub fn hold_all(&self, plan: &Plan) -> Result<bool, DatasetError> {
        for dataset in &plan.datasets {
            for record in dataset.records.iter() {
                if !self.holds(dataset, &*record?)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Looks at the units once more. Gives the number of the run's pages without a whole unit, whatever its key.
    ///
    /// # Errors
    /// As [`Units::new`] and [`Units::holds`].
    pub fn broken(&self, plan: &Plan) -> Result<usize, DatasetError> {
        self.state().pack = None;
        let pack = self.looked_at().map_err(in_the_way)?;
        let mut broken = 0;
        for dataset in &plan.datasets {
            let of_page = |record: Result<Arc<Record>, DatasetError>| {
                let found = pack.find::<IgnoredAny>(dataset.name(), &record?.id).map_err(in_the_way)?;
                Ok(usize::from(found.is_none()))
            };
            broken += dataset.records.par_iter().map(of_page).try_reduce(|| 0, |one, other| Ok(one + other))?;
        }
        Ok(broken)
    }

    /// The faults of the units when they were looked at.
    ///
    /// # Errors
    /// As [`Units::holds`].
    pub(crate) fn faults(&self) -> Result<Option<Faults>, FileError> {
        Ok(self.looked_at()?.faults())
    }

    /// Hands the unit of a page to the thread that writes it. It can be read once [`Units::finish`] came back.
    ///
    /// # Errors
    /// [`FileError`]: no room, no permission, for this unit or an earlier one.
    pub fn write(
        &self,
        dataset: &Dataset,
        record: &Record,
        outcome: &PageOutcome,
        texts: &Texts,
    ) -> Result<(), FileError> {
        let key = self.page_key(dataset, record, &outcome.digests);
        let head = OfWorker { key: &key, dataset: dataset.name(), page: &record.id, outcome };
        let head = serde_json::to_vec(&head).expect("maps have string keys");
        let pack_texts = || {
            let texts = serde_json::to_vec(texts).expect("maps have string keys");
            self::record(&texts).map_err(|error| unwritten(&self.folder, error))
        };
        let texts = self.with_texts.then(pack_texts).transpose()?;
        let handle = {
            let mut state = self.state();
            match &state.writer {
                Some(writer) => writer.handle(),
                None => {
                    let pack = self.pack_of(&mut state, true)?;
                    let writer = self.writer(&pack, pack.last(&self.key))?;
                    state.writer.insert(writer).handle()
                }
            }
        };
        handle.write(Packed { hash: hash_of(dataset.name(), &record.id), head, texts })
    }

    /// Waits until all units are written, and on the disk.
    ///
    /// # Errors
    /// [`FileError`]: no room, no permission; what was written before is whole.
    pub fn finish(&self) -> Result<(), FileError> {
        self.finish_in(&mut self.state())
    }

    /// The outcome of a page.
    ///
    /// # Errors
    /// [`FolderError`]: its unit is not there, or is not whole.
    pub fn read(&self, dataset: &Dataset, record: &Record) -> Result<PageOutcome, FolderError> {
        let pack = {
            let mut state = self.state();
            self.finish_in(&mut state)?;
            self.pack_of(&mut state, false)?
        };
        let found = pack.find::<PageOutcome>(dataset.name(), &record.id)?;
        found.map(|found| found.head.outcome).ok_or_else(|| damaged(&self.folder, &pack))
    }

    /// Removes every unit, of whatever run.
    ///
    /// # Errors
    /// [`FileError`]: a unit that cannot be removed would be taken for one of the new run.
    pub fn remove_all(&self) -> Result<(), FileError> {
        *self.state() = State::default();
        self.remove_files(|_| true)
    }

    /// Removes files of units whose pair `is_stale`, what earlier versions wrote, and what is half-written.
    fn remove_files(&self, is_stale: impl Fn(u32) -> bool) -> Result<(), FileError> {
        for entry in std::fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_stale = pair::number_of(&name).is_some_and(|(number, _)| is_stale(number));
            if is_temporary(&name) || is_earlier(&name) || is_stale {
                remove(&entry.path())?;
            }
        }
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The units as they are, or as they were when they were looked at.
    fn looked_at(&self) -> Result<Arc<Pack>, FileError> {
        self.pack_of(&mut self.state(), true)
    }

    fn pack_of(&self, state: &mut State, with_texts: bool) -> Result<Arc<Pack>, FileError> {
        match &state.pack {
            Some(pack) => Ok(pack.clone()),
            None => Ok(state.pack.insert(Arc::new(Pack::open(&self.folder, with_texts)?)).clone()),
        }
    }

    /// Begins to write behind `last`, or else into new pairs.
    fn writer(&self, pack: &Pack, last: Option<&pair::Pair>) -> Result<Writer, FileError> {
        Writer::start((&self.folder, &self.key), last, pack.next_number(), self.limits)
    }

    fn finish_in(&self, state: &mut State) -> Result<(), FileError> {
        let Some(writer) = state.writer.take() else { return Ok(()) };
        let written = writer.finish()?;
        let pack = self.pack_of(state, false)?;
        state.pack = Some(Arc::new(pack.renewed(&[], &written)?));
        Ok(())
    }

    fn page_key(&self, dataset: &Dataset, record: &Record, digests: &Digests) -> String {
        let mut lines = LinesDigest::default();
        // Programs are told the URL; group algorithms and rules of sites read it, and rules the host.
        let details = record.details();
        let stated = [&record.encoding, &record.language, &record.site, &details.url, &details.host];
        let stated = stated.map(|field| field.as_deref().unwrap_or("-"));
        let gold = serde_json::to_string(&record.gold).unwrap_or_default();
        let snippets = record.details().snippets.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string);
        let page = [self.key.as_str(), dataset.name(), &record.id, &digests.page, &digests.gold, &gold, &snippets];
        page.into_iter().chain(stated).for_each(|line| lines.add(line));
        // An annotated copy may say something else of roles and the same of the gold.
        digests.roles.iter().for_each(|roles| lines.add(roles));
        digests.gold_as_it_stands.iter().for_each(|gold| lines.add(gold));
        if dataset.manifest.snippets != Matching::default() {
            lines.add("snippets without white space");
        }
        lines.finish()
    }
}

/// That units cannot be read.
fn in_the_way(error: FileError) -> DatasetError {
    DatasetError::unread(Code::Missing, error.path.display(), &error.source)
}

/// The facts that every outcome of the run depends on besides its page.
fn key(plan: &Plan, executable: &str, with_texts: bool) -> Result<String, DatasetError> {
    let mut lines = LinesDigest::default();
    lines.add(&format!("form {FORM}, texts {with_texts}, program {executable}"));
    // Whole: limits of programs and what bounds range over stand in it, and in no row's identity.
    lines.add(&plan.configuration.to_yaml());
    plan.rows.iter().for_each(|row| lines.add(&row.identity()));
    plan.sweeps.iter().for_each(|sweep| lines.add(&sweep.identity()));
    for dataset in &plan.datasets {
        lines.add(&format!("{} {:?}", dataset.name(), dataset.manifest.annotations));
    }
    plan.rows.iter().flat_map(|row| row.system.digests()).for_each(|digest| lines.add(&digest));
    let sees_others = |row: &Row| row.system.sees() != Sees::Page;
    if plan.systems().chain(plan.sweeps.iter().map(|sweep| &sweep.row)).any(sees_others) {
        let (digests, addresses) = plan.digests_and_addresses()?;
        digests.values().chain([&addresses]).for_each(|line| lines.add(line));
    }
    Ok(lines.finish())
}

#[cfg(test)]
mod tests;
