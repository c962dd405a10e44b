//! Submissions: stored outputs of others with a manifest. Nothing in them is run, followed or trusted.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::datasets::Dataset;
use crate::datasets::load::Loading;
use crate::datasets::locate::locate_with;
use crate::datasets::stored::Stored;
use crate::formats::code::Exit;
use crate::formats::inert::one_line;
use crate::formats::reading::{MOST_WRITTEN_BYTES, read_at_most, unread};
use crate::formats::yaml::typed_untagged;
use crate::text::counted;

use crate::command_line::arguments;
use crate::command_line::failure::Failure;
use crate::command_line::output::print_line;

/// The file of the manifest.
const MANIFEST: &str = "submission.yaml";

/// Files that a submission has at most.
const MOST_FILES: usize = 1_000_000;

/// Folders within each other.
const DEEPEST: usize = 4;

/// Characters of a text of the manifest.
const LONGEST: usize = 1_000;

/// The content of `submission.yaml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    submission: u32,
    /// The system's name.
    pub(super) name: String,
    /// Its version.
    pub(super) version: String,
    /// The name of the dataset.
    pub(super) dataset: String,
    /// The digest of all pages of the dataset, as a run over all of them prints it.
    pub(super) digest: String,
    /// The file or folder of the outputs, in the submission.
    outputs: String,
    /// A word on how the outputs were made.
    #[serde(default)]
    pub(super) note: String,
    /// Their authors.
    #[serde(default)]
    pub(super) authors: String,
}

/// A submission whose manifest and files are as they should be.
pub(super) struct Submission {
    pub(super) manifest: Manifest,
    /// The file or folder of the outputs.
    pub(super) outputs: PathBuf,
    folder: PathBuf,
}

impl Submission {
    /// Reads the manifest in `folder`, and looks at its files.
    pub(super) fn read(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(MANIFEST);
        let shown = path.display().to_string();
        refuse_links(folder)?;
        let bytes = read_at_most(&path, MOST_WRITTEN_BYTES)?;
        let fault = |message: String| Failure::new(Exit::Data, format!("{shown}: {message}"));
        let text = String::from_utf8(bytes).map_err(|_| fault("is not valid UTF-8 (E-ENCODING)".to_owned()))?;
        let manifest: Manifest = typed_untagged(&shown, &text)
            .map_err(|error| Failure::new(Exit::Data, one_line(&format!("{error} (E-KEY)"))))?;
        if manifest.submission != 1 {
            return Err(fault(format!(
                "submission {} is not 1, which this carat reads (E-FORMAT)",
                manifest.submission
            )));
        }
        let texts = [
            ("name", &manifest.name, true),
            ("version", &manifest.version, true),
            ("dataset", &manifest.dataset, true),
            ("note", &manifest.note, false),
            ("authors", &manifest.authors, false),
        ];
        for (key, text, is_needed) in texts {
            if text.chars().count() > LONGEST || is_needed && text.trim().is_empty() {
                return Err(fault(format!("`{key}` has 1 to {LONGEST} characters (E-TYPE)")));
            }
        }
        if !is_below(&manifest.outputs) {
            return Err(fault(format!(
                "outputs: `{}` is no path inside the submission (E-PATH)",
                one_line(&manifest.outputs)
            )));
        }
        let outputs = folder.join(&manifest.outputs);
        if !outputs.exists() {
            return Err(fault(format!("outputs: there is no {} (E-MISSING)", outputs.display())));
        }
        Ok(Submission { manifest, outputs, folder: folder.to_owned() })
    }

    /// Checks the outputs against `dataset`; how many pages it has outputs of, and how many the dataset has.
    pub(super) fn check(&self, dataset: &Dataset, digest: &str) -> Result<(usize, usize), Failure> {
        let place = self.folder.join(MANIFEST);
        let fault = |message: String| Failure::new(Exit::Data, format!("{}: {message}", place.display()));
        let manifest = &self.manifest;
        if dataset.name() != manifest.dataset {
            return Err(fault(format!(
                "is of the dataset `{}`, and this is `{}` (E-UNKNOWN)",
                manifest.dataset,
                dataset.name()
            )));
        }
        if manifest.digest != digest {
            let (own, known) = (&manifest.digest, digest);
            return Err(fault(format!(
                "is of a dataset with the digest {own}, and that of this one is {known} (E-DIGEST)"
            )));
        }
        let systems = Stored::read_all(&self.outputs)?;
        let [stored] = &systems[..] else {
            return Err(fault(format!(
                "its outputs are of {}, and a submission is of one (E-STORED)",
                counted(systems.len(), "system")
            )));
        };
        dataset.check_stored(stored)?;
        let mut pages = 0;
        for record in dataset.records.iter() {
            pages += usize::from(stored.text(&record?.id).is_some());
        }
        if pages == 0 {
            return Err(fault("has no output of any page of the dataset (E-COUNT)".to_owned()));
        }
        Ok((pages, dataset.records.len()))
    }
}

/// True if a path leads to what lies below its folder.
fn is_below(path: &str) -> bool {
    let is_named = |part: std::path::Component<'_>| matches!(part, std::path::Component::Normal(_));
    !path.is_empty() && !path.contains(['\\', '\0', ':']) && Path::new(path).components().all(is_named)
}

/// Refuses what leads out of the folder, and more files than a submission has.
fn refuse_links(folder: &Path) -> Result<(), Failure> {
    let mut files = 0;
    let mut folders = vec![(folder.to_owned(), 0)];
    let fault = |path: &Path, message: &str| Failure::new(Exit::Data, format!("{}: {message}", path.display()));
    while let Some((path, depth)) = folders.pop() {
        let entries = std::fs::read_dir(&path).map_err(|source| unread(&path, source))?;
        for entry in entries {
            let entry = entry.map_err(|source| unread(&path, source))?;
            let kind = entry.file_type().map_err(|source| unread(&path, source))?;
            files += 1;
            match kind {
                kind if kind.is_file() => {}
                kind if kind.is_dir() && depth < DEEPEST => folders.push((entry.path(), depth + 1)),
                kind if kind.is_dir() => return Err(fault(&entry.path(), "lies too deep for a submission (E-PATH)")),
                _ => {
                    return Err(fault(&entry.path(), "is a link or no file, so a submission may not hold it (E-PATH)"));
                }
            }
            if files > MOST_FILES {
                return Err(fault(folder, "holds more files than a submission may (E-SIZE)"));
            }
        }
    }
    Ok(())
}

/// Checks a submission, and tells what it holds.
pub(super) fn check(arguments: &arguments::SiteCheck) -> Result<(), Failure> {
    let submission = Submission::read(&arguments.submission)?;
    let name = arguments.dataset.as_ref().unwrap_or(&submission.manifest.dataset);
    if arguments.dataset.is_none() && !is_plain(name) {
        let message = format!("`{}` is no plain name of a dataset: name it with --dataset", one_line(name));
        return Err(Failure::request(message));
    }
    let loading = Loading { gold_outside: arguments.trust.gold_outside, ..Loading::default() };
    let dataset = locate_with(name, loading)?;
    let digest = dataset.digest(|record| dataset.digests(record))?;
    let (pages, all) = submission.check(&dataset, &digest)?;
    let Manifest { name, version, dataset, .. } = &submission.manifest;
    print_line(&one_line(&format!("{name} {version}: outputs of {pages} of {} of {dataset}", counted(all, "page"))))?;
    if pages < all {
        print_line(&format!("{} have no output and are left out of its row", counted(all - pages, "page")))?;
    }
    Ok(())
}

/// True if a stranger's name of a dataset can only mean one that this carat knows, and no path.
fn is_plain(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || "-_".contains(c))
}
