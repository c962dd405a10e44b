//! Pulling a dataset of the catalogue: fetch what is pinned, hold it against its digest, unpack it, import it, and put
//! the whole result in its place at once. Where only a person can fetch it, what to do is told.

mod download;
mod fetch;
mod unpack;

pub use self::fetch::describe;

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::catalog::{Entry, Source};
use super::import::write::{Layout, missing_folders, write};
use super::import::{self, Options};
use super::locate::corpora;
use super::manifest::Compression;
use super::{Dataset, DatasetError, shown};

/// What a pull may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most bytes of an archive.
    pub archive_bytes: u64,
    /// The most bytes of what is in an archive.
    pub unpacked_bytes: u64,
    /// The most files in an archive.
    pub files: usize,
    /// How long a server may be silent.
    pub silence: Duration,
    /// How often a download is taken up again where it was cut.
    pub attempts: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            archive_bytes: 1 << 30,
            unpacked_bytes: 4 << 30,
            files: 200_000,
            silence: Duration::from_secs(60),
            attempts: 4,
        }
    }
}

/// What came of a pull.
#[derive(Debug)]
pub enum Pulled {
    /// The dataset is there.
    Dataset(PulledDataset),
    /// It is for the user to fetch: what to do, in lines.
    Instructions(String),
}

/// A dataset that was pulled.
#[derive(Debug)]
pub struct PulledDataset {
    /// What it was made of.
    pub from: String,
    /// Its pages, and those of them with gold.
    pub counts: (usize, usize),
    /// Its digest.
    pub digest: String,
    /// What the importer skipped and why, and what is not as the catalogue says.
    pub notes: Vec<String>,
}

/// Pulls `entry` into the folder `out`, which must not be there, or be empty. A folder `CARAT_CORPORA/NAME` is taken
/// before anything is fetched. `stopped` is asked now and then whether the user has given up.
///
/// # Errors
/// [`DatasetError`]: it cannot be fetched (`E-FETCH`), is not what the catalogue pins (`E-DIGEST`), does not unpack
/// (`E-UPSTREAM`, `E-PATH`, `E-SIZE`) or cannot be imported. Nothing is left at `out` then.
pub fn pull(entry: &Entry, out: &Path, limits: Limits, stopped: &dyn Fn() -> bool) -> Result<Pulled, DatasetError> {
    let own = corpora().map(|corpora| corpora.join(&entry.name)).filter(|folder| folder.is_dir());
    if own.is_none()
        && let Some(instructions) = instructions(entry, out)
    {
        return Ok(Pulled::Instructions(instructions));
    }
    let missing = missing_folders(out);
    let pulled = Work::begin(out).and_then(|work| {
        let (from, folder) = match own {
            Some(folder) => (shown(&folder), folder),
            None => work.fetched(entry, limits, stopped)?,
        };
        work.import(entry, from, &folder, out, stopped)
    });
    if pulled.is_err() {
        // Those that were made for it; what others put there meanwhile keeps them.
        missing.iter().for_each(|folder| drop(std::fs::remove_dir(folder)));
    }
    pulled.map(Pulled::Dataset)
}

/// What to do for a dataset that no program can fetch.
fn instructions(entry: &Entry, out: &Path) -> Option<String> {
    let Entry { name, importer, .. } = entry;
    let options: String = entry.options.iter().map(|(key, value)| format!(" --set {key}={value}")).collect();
    let import = |from: &str| format!("carat dataset import {importer} {from} --out {}{options}", out.display());
    match &entry.source {
        Source::Git { repository, commit, folder } => {
            let clone = repository.rsplit('/').next().unwrap_or(repository);
            let from = if folder.is_empty() { clone.to_owned() } else { format!("{clone}/{folder}") };
            Some(format!(
                "git clone https://github.com/{repository} && git -C {clone} checkout {commit}\n{}",
                import(&from)
            ))
        }
        Source::Own(own) => Some(format!("# {name}: {own}\n{}", import("PATH"))),
        Source::Package(_) | Source::Archive(_) => None,
    }
}

/// A folder beside the one that will be, removed when it is done with.
struct Work(tempfile::TempDir);

impl Work {
    fn begin(out: &Path) -> Result<Work, DatasetError> {
        let beside = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let begin = || {
            std::fs::create_dir_all(beside)?;
            // Made absolute: the programs that fetch are started elsewhere.
            tempfile::Builder::new().prefix(".tmp-carat-").tempdir_in(std::path::absolute(beside)?)
        };
        begin().map(Work).map_err(|error| unwritten(out, &error))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Where the pinned archive came from, and the folder that the importer reads, unpacked.
    fn fetched(
        &self,
        entry: &Entry,
        limits: Limits,
        stopped: &dyn Fn() -> bool,
    ) -> Result<(String, PathBuf), DatasetError> {
        let (from, archive, sha256, folder) = match &entry.source {
            Source::Package(package) => {
                let archive = fetch::archive(package, &self.path("fetch"))?;
                (fetch::describe(package), archive, &package.sha256, &package.folder)
            }
            Source::Archive(source) => {
                let archive = self.path("archive");
                download::download(&source.url, &archive, limits, stopped)?;
                (source.url.clone(), archive, &source.sha256, &source.folder)
            }
            Source::Git { .. } | Source::Own(_) => {
                return Err(DatasetError::new("E-FETCH", &entry.name, "is not fetched by this program"));
            }
        };
        fetch::check_digest(&archive, sha256, &from)?;
        let unpacked = self.path("unpacked");
        unpack::unpack(&archive, &unpacked, &from, limits, stopped)?;
        let place = within(&unpacked);
        let place = if folder.is_empty() { place } else { place.join(folder) };
        if !place.is_dir() {
            return Err(DatasetError::new("E-UPSTREAM", from, format!("the archive has no folder `{folder}`")));
        }
        Ok((from, place))
    }

    /// Imports what is in `folder`, and puts the dataset at `out` once it is whole.
    fn import(
        &self,
        entry: &Entry,
        from: String,
        folder: &Path,
        out: &Path,
        stopped: &dyn Fn() -> bool,
    ) -> Result<PulledDataset, DatasetError> {
        let importer = import::find(&entry.importer)
            .ok_or_else(|| DatasetError::new("E-UNKNOWN", &entry.importer, "there is no such importer"))?;
        let unpacked = shown(&self.path("unpacked"));
        // Nobody can look at what was unpacked, for it is removed: what it came from is named.
        let named = |fault: DatasetError| match fault.file.strip_prefix(&unpacked) {
            Some(inside) => DatasetError { file: format!("{from}{inside}"), ..fault },
            None => fault,
        };
        let mut dataset = importer.read(folder, &Options(entry.options.clone())).map_err(named)?;
        name(&mut dataset, entry);
        let whole = self.path("dataset");
        let digest = write(&dataset, &whole, Layout::Files(Compression::Zstd))?;
        check_stopped(stopped)?;
        std::fs::rename(&whole, out).map_err(|error| unwritten(out, &error))?;
        let mut notes = std::mem::take(&mut dataset.notes);
        notes.extend(entry.differs(&dataset.manifest, &digest));
        Ok(PulledDataset { from, counts: (dataset.records.len(), dataset.records.golds()), digest, notes })
    }
}

/// Gives the dataset what the catalogue knows of it.
fn name(dataset: &mut Dataset, entry: &Entry) {
    let manifest = &mut dataset.manifest;
    manifest.name.clone_from(&entry.name);
    manifest.title.clone_from(&entry.title);
    manifest.licence = entry.licence.clone();
    manifest.gold.note.clone_from(&entry.gold.note);
    if entry.gold.nature.is_some() {
        manifest.gold.nature.clone_from(&entry.gold.nature);
    }
}

/// Packages have all they hold in one folder, named after them: that folder, else the one given.
fn within(unpacked: &Path) -> PathBuf {
    let entries: Vec<PathBuf> =
        std::fs::read_dir(unpacked).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    match &entries[..] {
        [only] if only.is_dir() => only.clone(),
        _ => unpacked.to_owned(),
    }
}

fn check_stopped(stopped: &dyn Fn() -> bool) -> Result<(), DatasetError> {
    if stopped() { Err(DatasetError::new(STOPPED, "pull", "interrupted")) } else { Ok(()) }
}

/// The code of a pull that the user has given up.
pub const STOPPED: &str = "E-STOPPED";

fn unwritten(path: &Path, error: &std::io::Error) -> DatasetError {
    DatasetError::new("E-WRITE", shown(path), format!("cannot be written: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::catalog::builtin;

    #[test]
    fn what_lives_in_git_is_told_in_two_commands() {
        let told = |name: &str| instructions(builtin().find(name).unwrap(), Path::new("datasets/x")).unwrap();
        assert_eq!(
            told("daniel"),
            "git clone https://github.com/rundimeco/waddle && git -C waddle checkout \
             be875ce12ad9e23ef68ef7f3b0605db6d06bcdb1\n\
             carat dataset import daniel waddle/corpora/Corpus_daniel_v2.1 --out datasets/x"
        );
        assert!(told("l3s-gn1").starts_with("# l3s-gn1: your own copy"));
        assert!(instructions(builtin().find("mozilla-readability").unwrap(), Path::new("x")).is_none());
    }
}
