//! The files that an external program is made of, as far as they are known.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::protocol::Hello;
use super::script_files::loaded_by;
use crate::formats::digest::sha256_of;
use crate::formats::reading::RegularFile;
use crate::runs::configuration::ExternalRequest;

/// The files that a command names, the program itself among them, the scripts that these load from beside them, and those
/// that the worker lists as its own in its hello; each with the SHA-256 of its bytes. A program that tells the same version after one of them was changed is
/// another program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramFiles(Vec<ProgramFile>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct ProgramFile {
    path: PathBuf,
    sha256: String,
}

/// The files that a command names and the scripts that these load, before it is started, each with its length and time.
pub(super) struct NamedFiles(Vec<(PathBuf, Option<Stamp>)>);

/// Tells whether a file was written.
type Stamp = (u64, SystemTime);

impl NamedFiles {
    /// Of the command of `request`.
    pub(super) fn of(request: &ExternalRequest) -> Self {
        let mut paths = named(request, &folder(request));
        for loaded in paths.iter().flat_map(|path| loaded_by(path)).collect::<Vec<_>>() {
            if !paths.contains(&loaded) {
                paths.push(loaded);
            }
        }
        NamedFiles(paths.into_iter().map(|path| (path.clone(), stamp(&path))).collect())
    }
}

impl ProgramFiles {
    /// Reads the files of the program that `request` starts, of which these are named, and which says `hello`. A file that
    /// the worker has written since is a log or the like, and no part of it.
    ///
    /// # Errors
    /// A sentence: a file that is there cannot be read, or one that the worker lists is not there.
    pub(super) fn read(request: &ExternalRequest, named: NamedFiles, hello: &Hello) -> Result<Self, String> {
        let unwritten = named.0.into_iter().filter(|(path, before)| stamp(path) == *before);
        let mut paths: Vec<PathBuf> = unwritten.map(|(path, _)| path).collect();
        for listed in hello.files.iter().map(|file| folder(request).join(file)) {
            if !listed.is_file() {
                return Err(format!("it lists the file {} as its own, which is not there", listed.display()));
            }
            paths.push(listed);
        }
        let read = |path: PathBuf| digest(&path).map(|sha256| ProgramFile { path, sha256 });
        paths.into_iter().map(read).collect::<Result<_, _>>().map(ProgramFiles)
    }

    /// A line for each file.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|file| format!("file {} {}", file.path.display(), file.sha256))
    }

    /// The first file that is another now.
    ///
    /// # Errors
    /// A sentence: a file that cannot be read any more.
    pub(super) fn changed(&self) -> Result<Option<&Path>, String> {
        for file in &self.0 {
            if digest(&file.path)? != file.sha256 {
                return Ok(Some(&file.path));
            }
        }
        Ok(None)
    }
}

fn folder(request: &ExternalRequest) -> PathBuf {
    PathBuf::from(request.cwd.as_deref().unwrap_or("."))
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.len(), metadata.modified().ok()?))
}

fn digest(path: &Path) -> Result<String, String> {
    let digest = RegularFile::open(path).and_then(sha256_of);
    digest.map_err(|error| format!("its file {} cannot be read: {error}", path.display()))
}

/// The files that a command names: its program, and each word, or what stands behind its `=`, that is a file's path.
fn named(request: &ExternalRequest, folder: &Path) -> Vec<PathBuf> {
    let Some((program, words)) = request.command.split_first() else { return Vec::new() };
    let of_word = |word: &String| {
        let candidates = [Some(word.as_str()), word.split_once('=').map(|(_, value)| value)];
        candidates.into_iter().flatten().map(|path| folder.join(path)).find(|path| path.is_file())
    };
    let own_path = request.env.get("PATH").map(|path| OsStr::new(path).to_owned());
    let program = if program.contains('/') { of_word(program) } else { in_path(program, own_path) };
    program.into_iter().chain(words.iter().filter_map(of_word)).collect()
}

/// The program of this name in the folders of `path`, which is `PATH` of this process where none is given.
pub(crate) fn in_path(program: &str, path: Option<OsString>) -> Option<PathBuf> {
    let path = path.or_else(|| env::var_os("PATH"))?;
    env::split_paths(&path).map(|folder| folder.join(program)).find(|path| may_be_executed(path))
}

/// True of a file that its mode allows to be started; elsewhere than on Unix of any file.
pub(crate) fn may_be_executed(path: &Path) -> bool {
    #[cfg(unix)]
    let has_mode = |metadata: &Metadata| metadata.permissions().mode() & 0o111 != 0;
    #[cfg(not(unix))]
    let has_mode = |_: &Metadata| true;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && has_mode(&metadata))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(words: &[&str], folder: &Path) -> ExternalRequest {
        let command = words.iter().map(|word| (*word).to_owned()).collect();
        let cwd = Some(folder.display().to_string());
        ExternalRequest { command, cwd, ..ExternalRequest::from_argument("x").unwrap() }
    }

    #[test]
    fn files_of_a_command_are_its_program_and_words_that_are_paths() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["worker.py", "model.bin", "own.py"] {
            std::fs::write(folder.path().join(name), name).unwrap();
        }
        std::fs::create_dir(folder.path().join("parts")).unwrap();
        let request = request(&["sh", "worker.py", "--model=model.bin", "--fast", "parts", "gone.py"], folder.path());
        let names = |files: &ProgramFiles| -> Vec<String> {
            files.0.iter().map(|file| file.path.file_name().unwrap().to_string_lossy().into_owned()).collect()
        };
        let read = |files: &[&str]| {
            let files = files.iter().map(|file| (*file).to_owned()).collect();
            ProgramFiles::read(&request, NamedFiles::of(&request), &Hello { files, ..Hello::default() })
        };
        let before = read(&["own.py"]).unwrap();
        assert_eq!(names(&before), ["sh", "worker.py", "model.bin", "own.py"]);
        assert_eq!(before.changed().unwrap(), None);
        std::fs::write(folder.path().join("model.bin"), "retrained").unwrap();
        assert_eq!(before.changed().unwrap(), Some(folder.path().join("model.bin").as_path()));
        let after = read(&["own.py"]).unwrap();
        assert_eq!(before.lines().zip(after.lines()).filter(|(one, other)| one != other).count(), 1);
        assert!(read(&["gone.py"]).unwrap_err().contains("gone.py as its own"));
    }

    #[test]
    fn a_log_that_the_worker_writes_is_no_part_of_it() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["worker.py", "log.txt"] {
            std::fs::write(folder.path().join(name), name).unwrap();
        }
        let request = request(&["sh", "worker.py", "log.txt"], folder.path());
        let named = NamedFiles::of(&request);
        std::fs::write(folder.path().join("log.txt"), "log.txt: started").unwrap();
        let files = ProgramFiles::read(&request, named, &Hello::default()).unwrap();
        assert_eq!(files.lines().filter(|line| line.contains(".txt")).count(), 0);
    }
}
