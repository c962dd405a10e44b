//! Units: what is known of each page of a run, a file each, `units/HASH.unit`. They are the run's
//! journal and its store of texts: written whole or not at all, so that a run that was cut goes on
//! from them, and read again page by page, so that a run's pages need not fit in memory.
//!
//! `HASH` is the SHA-256 of the dataset's name, a tab and the page's id. The file holds two checked records
//! ([`crate::formats::record`]) of JSON: what the page came to ([`PageOutcome`]) under its key, and its texts ([`Texts`]).

use crate::formats::code::Code;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::folder_error::FolderError;
use super::guarding::{digests, gold_as_it_stands};
use super::page_outcome::{PageOutcome, Texts};
use super::plan::Plan;
use super::system::{Row, Sees};
use crate::datasets::manifest::Record;
use crate::datasets::{Dataset, DatasetError, Digests};
use crate::formats::digest::{LinesDigest, sha256};
use crate::formats::files::{AtomicFile, FileError, is_temporary, remove, unwritten};
use crate::formats::reading::{RegularFile, unread};
use crate::formats::record::{RecordFault, check_record, read_record, record};
use crate::scoring::Comparison;
use crate::scoring::snippets::Matching;

/// The version of the form of units; part of their key.
const FORM: u32 = 2;

/// The ending of their names.
const ENDING: &str = ".unit";

/// The ending of units without checksums, as earlier versions wrote them.
const EARLIER: &str = ".json.zst";

/// The units of one run.
pub struct Units {
    folder: PathBuf,
    key: String,
    with_texts: bool,
    /// The rule, for which the gold may be read as it stands.
    rule: Comparison,
}

/// What there is of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// Its unit, whole and of this very run: of the same configuration and program, of a page and a gold that are still
    /// the same.
    Whole,
    /// No unit, or one of another run.
    Nothing,
    /// A unit that is not as it was written.
    Damaged,
}

/// The first record of a unit.
#[derive(Serialize, Deserialize)]
struct Head {
    /// What the outcome depends on besides the code that reads this.
    key: String,
    dataset: String,
    page: String,
    outcome: PageOutcome,
}

impl Units {
    /// The units of `plan`'s run in the run folder `run`. `executable` is the program's digest: another
    /// program may come to other outcomes.
    ///
    /// # Errors
    /// [`DatasetError`]: a page list that cannot be read any more, or was changed.
    pub fn new(run: &Path, plan: &Plan, executable: &str, with_texts: bool) -> Result<Self, DatasetError> {
        let key = key(plan, executable, with_texts)?;
        Ok(Units { folder: run.join("units"), key, with_texts, rule: plan.configuration.comparison })
    }

    /// What there is of the page.
    ///
    /// # Errors
    /// [`DatasetError`]: an I/O or permission error while reading the unit.
    pub fn held(&self, dataset: &Dataset, record: &Record) -> Result<Held, DatasetError> {
        let head = match self.whole_head(dataset, record) {
            Ok(Some(head)) => head,
            Ok(None) => return Ok(Held::Nothing),
            Err(RecordFault::Damaged) => return Ok(Held::Damaged),
            Err(RecordFault::System(error)) => {
                return Err(DatasetError::unread(Code::Missing, self.path(dataset, record).display(), &error));
            }
        };
        let mut digests = digests(dataset, record);
        digests.gold_as_it_stands = gold_as_it_stands(dataset, record, self.rule);
        let is_own = head.key == self.page_key(dataset, record, &digests);
        Ok(if is_own { Held::Whole } else { Held::Nothing })
    }

    /// The head of the page's unit, if there is one, once all of the unit is checked.
    fn whole_head(&self, dataset: &Dataset, record: &Record) -> Result<Option<Head>, RecordFault> {
        let Some(mut unit) = open(&self.path(dataset, record))? else { return Ok(None) };
        let head = json(&mut unit)?;
        check_record(&mut unit)?;
        Ok(Some(head))
    }

    /// Whether it holds every page of the run.
    ///
    /// # Errors
    /// As [`Units::new`] and [`Units::held`].
    pub fn hold_all(&self, plan: &Plan) -> Result<bool, DatasetError> {
        for dataset in &plan.datasets {
            for record in dataset.records.iter() {
                if self.held(dataset, &*record?)? != Held::Whole {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Pages of the run whose unit is missing or damaged, whatever its key.
    ///
    /// # Errors
    /// As [`Units::new`] and [`Units::held`].
    pub fn broken(&self, plan: &Plan) -> Result<usize, DatasetError> {
        let is_broken = |dataset: &Dataset, record: &Record| match self.whole_head(dataset, record) {
            Ok(head) => Ok(head.is_none()),
            Err(RecordFault::Damaged) => Ok(true),
            Err(RecordFault::System(error)) => {
                Err(DatasetError::unread(Code::Missing, self.path(dataset, record).display(), &error))
            }
        };
        let mut broken = 0;
        for dataset in &plan.datasets {
            let of_page = |record: Result<Arc<Record>, DatasetError>| Ok(usize::from(is_broken(dataset, &*record?)?));
            broken += dataset.records.par_iter().map(of_page).try_reduce(|| 0, |one, other| Ok(one + other))?;
        }
        Ok(broken)
    }

    /// Writes the unit of a page.
    ///
    /// # Errors
    /// [`FileError`]: no room, no permission; there is then no such unit.
    pub fn write(
        &self,
        dataset: &Dataset,
        record: &Record,
        outcome: PageOutcome,
        texts: &Texts,
    ) -> Result<(), FileError> {
        let key = self.page_key(dataset, record, &outcome.digests);
        let head = Head { key, dataset: dataset.name().to_owned(), page: record.id.clone(), outcome };
        let nothing = Texts::default();
        let texts = if self.with_texts { texts } else { &nothing };
        let path = self.path(dataset, record);
        let mut file = AtomicFile::new(&path)?;
        for json in [serde_json::to_vec(&head), serde_json::to_vec(texts)] {
            let json = json.expect("maps have string keys");
            let written = self::record(&json).and_then(|record| file.write_all(&record));
            written.map_err(|source| unwritten(&path, source))?;
        }
        file.finish_unsynced()
    }

    /// What a page came to.
    ///
    /// # Errors
    /// [`FolderError`]: its unit is not there, or is not whole.
    pub fn read(&self, dataset: &Dataset, record: &Record) -> Result<PageOutcome, FolderError> {
        let path = self.path(dataset, record);
        let head: Head = read(&path, |mut unit| json(&mut unit))?;
        let is_of_page = (head.dataset.as_str(), &head.page) == (dataset.name(), &record.id);
        if is_of_page { Ok(head.outcome) } else { Err(damaged(&path)) }
    }

    /// Removes the units that are none of this run. What is no unit at all is left alone.
    ///
    /// # Errors
    /// As [`Units::new`].
    pub fn remove_others(&self, plan: &Plan) -> Result<(), DatasetError> {
        let mut ours: Vec<u64> = Vec::new();
        for dataset in &plan.datasets {
            let beginning =
                |record: Result<Arc<Record>, DatasetError>| Ok(beginning(&name(dataset.name(), &record?.id)));
            let beginnings = dataset.records.par_iter().filter_map(|record| beginning(record).transpose());
            ours.par_extend(beginnings.collect::<Result<Vec<u64>, _>>()?);
        }
        ours.sort_unstable();
        // What cannot be removed does no harm: nothing reads it.
        let _ = remove_from(&self.folder, |unit| ours.binary_search(&unit).is_err());
        Ok(())
    }

    /// Removes every unit, of whatever run.
    ///
    /// # Errors
    /// [`FileError`]: a unit that cannot be removed would be taken for one of the new run.
    pub fn remove_all(&self) -> Result<(), FileError> {
        remove_from(&self.folder, |_| true)
    }

    fn path(&self, dataset: &Dataset, record: &Record) -> PathBuf {
        self.folder.join(name(dataset.name(), &record.id))
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

/// The texts of a page of the run in the folder `run`; there are none where the run stored none.
///
/// # Errors
/// [`FolderError`]: its unit is not there, or is not whole.
pub fn read_texts(run: &Path, dataset: &str, page: &str) -> Result<Texts, FolderError> {
    let path = run.join("units").join(name(dataset, page));
    read(&path, |mut unit| {
        check_record(&mut unit)?;
        json(&mut unit)
    })
}

/// What a page of the run in the folder `run` came to, and its texts.
///
/// # Errors
/// As [`read_texts`].
pub fn read_page(run: &Path, dataset: &str, page: &str) -> Result<(PageOutcome, Texts), FolderError> {
    let path = run.join("units").join(name(dataset, page));
    read(&path, |mut unit| {
        let head: Head = json(&mut unit)?;
        Ok((head.outcome, json(&mut unit)?))
    })
}

/// What `take` finds in the unit at `path`.
fn read<T>(path: &Path, take: impl FnOnce(RegularFile) -> Result<T, RecordFault>) -> Result<T, FolderError> {
    let taken = open(path).map_err(RecordFault::from).and_then(|unit| take(unit.ok_or(RecordFault::Damaged)?));
    taken.map_err(|fault| match fault {
        RecordFault::Damaged => damaged(path),
        RecordFault::System(error) => unread(path, error).into(),
    })
}

/// The unit at `path`, if there is one.
fn open(path: &Path) -> std::io::Result<Option<RegularFile>> {
    match RegularFile::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        file => file.map(Some),
    }
}

/// The next record of a unit, as JSON.
fn json<T: DeserializeOwned>(unit: &mut RegularFile) -> Result<T, RecordFault> {
    serde_json::from_slice(&read_record(unit)?).map_err(|_| RecordFault::Damaged)
}

fn damaged(path: &Path) -> FolderError {
    let earlier = path.with_extension(&EARLIER[1..]);
    let why = if earlier.exists() {
        "is missing: the folder holds units of an earlier carat"
    } else {
        "is missing or damaged"
    };
    let message = format!("{why}; the command that made the run makes it again");
    FolderError::Content { path: path.to_owned(), message }
}

/// The file name of a page's unit.
fn name(dataset: &str, page: &str) -> String {
    format!("{}{ENDING}", sha256(format!("{dataset}\t{page}").as_bytes()))
}

/// The first 64 bits of a unit's name, if it is one.
fn beginning(name: &str) -> Option<u64> {
    let hash = name.strip_suffix(ENDING).filter(|hash| hash.len() == 64)?;
    u64::from_str_radix(hash.get(..16)?, 16).ok()
}

/// Whether it is the name of a unit of an earlier version.
fn is_earlier(name: &str) -> bool {
    let hash = name.strip_suffix(EARLIER).unwrap_or_default();
    hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Removes from `folder` what a run that was killed left half-written, and the units that `is_stale`.
fn remove_from(folder: &Path, is_stale: impl Fn(u64) -> bool) -> Result<(), FileError> {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if is_temporary(&name) || is_earlier(&name) || beginning(&name).is_some_and(&is_stale) {
            remove(&entry.path())?;
        }
    }
    Ok(())
}

/// What every outcome of the run depends on besides its page.
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
    let sees_others = |row: &Row| row.system.sees() == Sees::OtherPages;
    if plan.systems().chain(plan.sweeps.iter().map(|sweep| &sweep.row)).any(sees_others) {
        plan.digests()?.values().for_each(|digest| lines.add(digest));
        lines.add(&plan.addresses()?);
    }
    Ok(lines.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::Halt;
    use crate::datasets::manifest::Details;
    use crate::runs::configuration::{AlgorithmRequest, Configuration, NamedRequest};
    use crate::runs::execute::execute;

    fn plan(algorithm: &str) -> Plan {
        let configuration = Configuration {
            datasets: vec![NamedRequest::from_argument("portals")],
            algorithms: vec![AlgorithmRequest::from_argument(algorithm).unwrap()],
            ..Configuration::default()
        };
        Plan::new(configuration).unwrap()
    }

    /// The units of a run in `folder`, and how many of its pages they hold.
    fn held(folder: &Path, plan: &Plan, executable: &str, texts: bool) -> usize {
        let units = Units::new(folder, plan, executable, texts).unwrap();
        let dataset = &plan.datasets[0];
        dataset
            .records
            .iter()
            .filter(|record| units.held(dataset, record.as_ref().unwrap()).unwrap() == Held::Whole)
            .count()
    }

    fn change_records(plan: &mut Plan, change: impl Fn(&mut Vec<Record>)) {
        let records = &mut plan.datasets[0].records;
        let mut changed: Vec<Record> = records.iter().map(|record| Record::clone(&record.unwrap())).collect();
        change(&mut changed);
        *records = changed.into();
    }

    fn write(folder: &Path, plan: &Plan) -> Vec<(Record, PageOutcome)> {
        let units = Units::new(folder, plan, "program", true).unwrap();
        let written = std::sync::Mutex::new(Vec::new());
        let write = |unit: &crate::runs::execute::Unit<'_>| {
            let (dataset, record) = unit.page();
            let (outcome, texts) = unit.run()?;
            written.lock().unwrap().push((record.clone(), outcome.clone()));
            units.write(dataset, record, outcome, &texts).unwrap();
            Ok::<_, Halt>(())
        };
        execute(plan, &write).unwrap();
        written.into_inner().unwrap()
    }

    #[test]
    fn what_is_written_reads_back() {
        let (folder, plan) = (tempfile::tempdir().unwrap(), plan("nta:coherence=exact"));
        let units = Units::new(folder.path(), &plan, "program", true).unwrap();
        for (record, outcome) in write(folder.path(), &plan) {
            assert_eq!(units.read(&plan.datasets[0], &record).unwrap(), outcome);
        }
    }

    #[test]
    fn units_are_of_one_configuration_and_program() {
        let (folder, nta) = (tempfile::tempdir().unwrap(), plan("nta"));
        let pages = write(folder.path(), &nta).len();
        assert_eq!(held(folder.path(), &nta, "program", true), pages);
        assert_eq!(held(folder.path(), &nta, "another program", true), 0);
        assert_eq!(held(folder.path(), &nta, "program", false), 0);
        assert_eq!(held(folder.path(), &plan("nta:coherence=0.8"), "program", true), 0);
        let held_by = |change: &dyn Fn(&mut Plan)| {
            let mut other = plan("nta");
            change(&mut other);
            held(folder.path(), &other, "program", true)
        };
        assert_eq!(held_by(&|_| ()), pages);
        assert_eq!(held_by(&|plan| plan.configuration.comparison.measure = crate::scoring::Measure::Bag), 0);
        assert_eq!(held_by(&|plan| plan.configuration.comparison.tokens = crate::text::tokens::TokenKind::W), 0);
        assert_eq!(held_by(&|plan| plan.configuration.comparison.case = crate::text::tokens::Case::Fold), 0);
        assert_eq!(held_by(&|plan| plan.datasets[0].manifest.annotations = Some(Default::default())), 0);
        assert_eq!(held_by(&|plan| plan.datasets[0].manifest.name = "other".to_owned()), 0);
        assert_eq!(held(folder.path(), &plan("nta:density=exact"), "program", true), 0);
        for change in [
            (|record| record.language = Some("fr".to_owned())) as fn(&mut Record),
            |record| record.site = Some("elsewhere.org".to_owned()),
            |record| record.encoding = Some("utf-16le".to_owned()),
            |record| record.gold = None,
            |record| {
                record.details =
                    Some(Box::new(Details { url: Some("https://elsewhere.org/".to_owned()), ..Details::default() }))
            },
        ] {
            let change = |records: &mut Vec<Record>| change(&mut records[0]);
            assert_eq!(held_by(&|plan| change_records(plan, change)), pages - 1);
        }
        // What a group algorithm says of one page depends on the others.
        let groups = tempfile::tempdir().unwrap();
        let mut unrepeated = plan("unrepeated-text");
        write(groups.path(), &unrepeated);
        assert_eq!(held(groups.path(), &unrepeated, "program", true), pages);
        change_records(&mut unrepeated, |records| drop(records.pop()));
        assert_eq!(held(groups.path(), &unrepeated, "program", true), 0);
    }

    #[test]
    fn damaged_units_and_those_of_other_pages_do_not_count() {
        let (folder, plan) = (tempfile::tempdir().unwrap(), plan("nta"));
        let pages = write(folder.path(), &plan).len();
        let units = Units::new(folder.path(), &plan, "program", true).unwrap();
        let (dataset, record) = (&plan.datasets[0], &*plan.datasets[0].records.get(3).unwrap());
        let path = units.path(dataset, record);
        let whole = std::fs::read(&path).unwrap();
        for cut in [0, 10, whole.len() / 2, whole.len() - 1] {
            std::fs::write(&path, &whole[..cut]).unwrap();
            assert_eq!(held(folder.path(), &plan, "program", true), pages - 1, "cut at {cut}");
        }
        let stray = folder.path().join("units/.tmp-carat-AbC");
        std::fs::write(&stray, "half").unwrap();
        let gone = units.folder.join(format!("{}.json.zst", sha256(b"portals\tgone")));
        std::fs::write(&gone, "x").unwrap();
        units.remove_others(&plan).unwrap();
        assert_eq!((stray.exists(), gone.exists(), path.exists()), (false, false, true));
    }
}
