//! The runs and shards that are put together, as each says of itself.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::file::{ShardInfo, short};
use super::{By, Shard};
use crate::formats::files::FileError;
use crate::formats::reading::{MOST_WRITTEN_BYTES, read_at_most};
use crate::runs::folder_error::FolderError;
use crate::runs::run_folder::RunFolder;

/// Why runs cannot be put together.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MergeError {
    /// They are not of one run.
    #[error("{0}")]
    Request(String),
    /// A page is missing, or not the same everywhere.
    #[error("{0}")]
    Data(String),
    /// A folder that cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

impl From<FileError> for MergeError {
    fn from(error: FileError) -> Self {
        MergeError::Folder(error.into())
    }
}

/// A shard, a whole run or a merged one.
pub(crate) struct Source {
    /// Its folder.
    pub(crate) folder: PathBuf,
    /// Which shard it is; `None` of a run.
    pub(crate) shard: Option<(Shard, By)>,
    /// Its `run.yaml`.
    pub(crate) yaml: String,
    /// The program that made it: version and digest.
    pub(crate) program: (String, String),
    /// The digest of its plan.
    pub(super) plan: String,
    /// The digest of the page list.
    pub(super) page_list: String,
    /// True if the units hold the texts.
    pub(crate) texts: bool,
    /// Seconds that it took.
    pub(crate) seconds: f64,
}

impl Source {
    /// Reads what the shard or run in `folder` says of itself.
    ///
    /// # Errors
    /// [`MergeError`]: there is none, it is not whole, or it was changed.
    pub(crate) fn read(folder: &Path) -> Result<Self, MergeError> {
        let yaml = match read_at_most(&folder.join("run.yaml"), MOST_WRITTEN_BYTES) {
            Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.source.kind()) => {
                return Err(FolderError::NoRun { path: folder.to_owned() }.into());
            }
            yaml => String::from_utf8_lossy(&yaml?).into_owned(),
        };
        let folder = folder.to_owned();
        if let Some(info) = ShardInfo::read(&folder)? {
            let shard = Some((info.shard(), info.by));
            let ShardInfo { carat, executable, plan, page_list, texts, seconds, .. } = info;
            return Ok(Source { folder, shard, yaml, program: (carat, executable), plan, page_list, texts, seconds });
        }
        if !folder.join("run.json").exists() {
            let shown = folder.display();
            return Err(MergeError::Data(format!(
                "{shown} holds no finished shard or run; the command that began it goes on with it"
            )));
        }
        let info = RunFolder::open(&folder)?.info().clone();
        Ok(Source {
            folder,
            shard: None,
            yaml,
            program: (info.carat, info.executable),
            plan: info.plan,
            page_list: info.page_list,
            texts: info.circumstances.texts,
            seconds: info.circumstances.seconds,
        })
    }

    /// Refuses sources of different configurations or programs. `same_version`: builds of one version may differ.
    ///
    /// # Errors
    /// [`MergeError`].
    pub(crate) fn agree(sources: &[Source], same_version: bool) -> Result<(), MergeError> {
        let Some((first, others)) = sources.split_first() else { return Ok(()) };
        others.iter().try_for_each(|other| first.agrees_with(other, same_version))
    }

    fn agrees_with(&self, other: &Source, same_version: bool) -> Result<(), MergeError> {
        let [own, its] = [self, other].map(|source| source.folder.display().to_string());
        if let Some((key, one, two)) = first_difference(&self.yaml, &other.yaml) {
            return Err(MergeError::Request(format!(
                "{its} was made from another configuration than {own}: under `{key}` it says `{two}`, and {own} says `{one}`"
            )));
        }
        if self.texts != other.texts {
            let (with, without) = if self.texts { (own, its) } else { (its, own) };
            return Err(MergeError::Request(format!("{without} was run with --no-texts, and {with} was not")));
        }
        let is_other_build = self.program.1 != other.program.1;
        if self.program.0 != other.program.0 || is_other_build && !same_version {
            let [one, two] = [self, other].map(|source| format!("{} {}", source.program.0, short(&source.program.1)));
            let way = if self.program.0 == other.program.0 {
                "; --same-version accepts other builds of one version"
            } else {
                ""
            };
            return Err(MergeError::Request(format!(
                "{its} was made by another program than {own}: by carat {two}, not by {one}{way}"
            )));
        }
        if self.plan != other.plan && !is_other_build {
            return Err(MergeError::Request(format!(
                "{its} rests on other stored outputs, rules or programs than {own}; run one of them again"
            )));
        }
        if self.page_list != other.page_list {
            return Err(MergeError::Data(format!("{its} was made over another page list than {own}")));
        }
        match (self.shard, other.shard) {
            (Some((one, by)), Some((two, of_two))) if (one.of, by) != (two.of, of_two) => {
                Err(MergeError::Data(format!(
                    "{its} is shard {two} by {of_two}, and {own} is shard {one} by {by}: shards of one run have one N"
                )))
            }
            _ => Ok(()),
        }
    }
}

/// The first line in which two configurations differ: the key that it is under, and what both say.
fn first_difference(one: &str, two: &str) -> Option<(String, String, String)> {
    let mut key = String::new();
    let (mut ones, mut twos) = (one.lines(), two.lines());
    loop {
        let (of_one, of_two) = (ones.next(), twos.next());
        if of_one == of_two {
            let line = of_one?;
            if !line.starts_with([' ', '-', '#']) {
                key = line.split(':').next().unwrap_or_default().to_owned();
            }
            continue;
        }
        let key_of = |line: Option<&str>| {
            let line = line.filter(|line| !line.starts_with([' ', '-', '#']))?;
            Some(line.split(':').next().unwrap_or_default().to_owned())
        };
        let said = |line: Option<&str>| line.map_or("nothing".to_owned(), |line| line.trim().to_owned());
        let is_item = |line: Option<&str>| line.is_some() && key_of(line).is_none();
        // Where a list goes on in one of them alone, the other has gone on to the next key.
        return Some(match (is_item(of_one), is_item(of_two)) {
            (true, false) => (key, said(of_one), said(None)),
            (false, true) => (key, said(None), said(of_two)),
            _ => (key_of(of_one).or_else(|| key_of(of_two)).unwrap_or(key), said(of_one), said(of_two)),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_key_that_differs_is_told_with_both_values() {
        let one = "datasets:\n  - portals\nalgorithms:\n  - nta\n  - cevc\nmeasure: lcs\n";
        let differs = |two: &str| first_difference(one, two);
        let told = |key: &str, one: &str, two: &str| Some((key.to_owned(), one.to_owned(), two.to_owned()));
        assert_eq!(differs(one), None);
        assert_eq!(differs(&one.replace("  - cevc", "  - dse")), told("algorithms", "- cevc", "- dse"));
        assert_eq!(
            differs(&one.replace("measure: lcs", "measure: bag")),
            told("measure", "measure: lcs", "measure: bag")
        );
        assert_eq!(differs(&one.replace("measure: lcs\n", "")), told("measure", "measure: lcs", "nothing"));
        assert_eq!(differs(&one.replace("  - cevc\n", "")), told("algorithms", "- cevc", "nothing"));
        let longer = one.replace("  - cevc\n", "  - cevc\n  - dse\n");
        assert_eq!(differs(&longer), told("algorithms", "nothing", "- dse"));
    }
}
