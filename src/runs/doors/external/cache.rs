//! The cache of what external programs extracted: a file a reply, named by what the reply depends on.

use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use super::protocol::Extracted;
use crate::formats::digest::{LinesDigest, sha256};
use crate::formats::files::{AtomicFile, FileError, remove_leftovers, scratch, unwritten};
use crate::formats::reading::{RegularFile, unread};
use crate::formats::record::{RecordFault, read_record, record};
use crate::structure::TextKind;

/// The version of the files' form; part of their names.
const FORM: u32 = 2;

/// A reply is written in less time: what is older was left by a program that was killed.
const LONGEST_WRITING: Duration = Duration::from_secs(3600);

/// Where replies are kept.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    /// Removed with the last copy of a cache that is of one run.
    _temporary: Option<Arc<TempDir>>,
}

/// What a reply depends on.
pub(in crate::runs::doors) struct Key<'k> {
    /// The program: name, version, command and the like, a line each.
    pub(in crate::runs::doors) program: &'k [String],
    /// Its parameters, equal for equal values.
    pub(in crate::runs::doors) parameters: &'k str,
    /// The decoded page.
    pub(in crate::runs::doors) html: &'k str,
    /// Its address, or nothing.
    pub(in crate::runs::doors) url: &'k str,
}

impl Key<'_> {
    /// The name of the reply's file: 64 hexadecimal digits.
    pub(in crate::runs::doors) fn digest(&self) -> String {
        let mut lines = LinesDigest::default();
        lines.add(&format!("carat-worker reply {FORM}"));
        // As JSON, so that no line feed in them makes two keys equal.
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        self.program.iter().for_each(|line| lines.add(&quoted(line)));
        lines.add(&quoted(self.parameters));
        lines.add(&sha256(self.html.as_bytes()));
        lines.add(&sha256(self.url.as_bytes()));
        lines.finish()
    }
}

/// The first line of a file's record; the text follows.
#[derive(Serialize, Deserialize)]
struct Head {
    is_document: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_markdown: bool,
    replaced: usize,
    /// Microseconds from the request to the reply; earlier versions did not write them.
    #[serde(default)]
    took: Option<u64>,
}

impl Head {
    fn kind(&self) -> TextKind {
        match (self.is_document, self.is_markdown) {
            (true, _) => TextKind::Html,
            (false, true) => TextKind::Markdown,
            (false, false) => TextKind::Text,
        }
    }
}

/// A reply that was kept.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::runs::doors) struct Kept {
    pub(in crate::runs::doors) reply: Extracted,
    /// Seconds from the beginning of 1970 to when it was given.
    pub(in crate::runs::doors) since: u64,
    /// Microseconds from the request to the reply, where they are known.
    pub(in crate::runs::doors) took: Option<u64>,
}

impl Cache {
    /// The user's: `external` in `CARAT_CACHE`, else in `carat` in the folder for caches (`XDG_CACHE_HOME`, else
    /// `~/.cache`). `None` where there is no such folder.
    pub fn of_user() -> Option<Cache> {
        let folder = |variable: &str| std::env::var_os(variable).filter(|path| !path.is_empty()).map(PathBuf::from);
        let own = || folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")));
        let cache = folder("CARAT_CACHE").or_else(|| Some(own()?.join("carat")));
        cache.map(|cache| Cache { folder: cache.join("external"), _temporary: None })
    }

    /// A cache of one run, which is removed with it.
    ///
    /// # Errors
    /// [`FileError`]: the system's folder for temporary files cannot be written to.
    pub fn temporary() -> Result<Cache, FileError> {
        let folder = scratch()?;
        Ok(Cache { folder: folder.path().to_owned(), _temporary: Some(Arc::new(folder)) })
    }

    /// Where the replies lie.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn path(&self, digest: &str) -> PathBuf {
        self.folder.join(&digest[..2]).join(format!("{digest}.reply"))
    }

    /// Makes the folder, and removes what a program that was killed left half-written.
    ///
    /// # Errors
    /// [`FileError`]: replies cannot be kept there.
    pub fn prepare(&self) -> Result<(), FileError> {
        let failed = |source| unwritten(&self.folder, source);
        std::fs::create_dir_all(&self.folder).map_err(failed)?;
        // Beginnings of digests; what else lies there is left alone.
        for number in 0..=u8::MAX {
            remove_leftovers(&self.folder.join(format!("{number:02x}")), LONGEST_WRITING);
        }
        tempfile::tempfile_in(&self.folder).map_err(failed).map(drop)
    }

    /// The reply of this digest; `None` where there is none, or it is damaged.
    ///
    /// # Errors
    /// [`FileError`]: an I/O or permission error.
    pub(in crate::runs::doors) fn read(&self, digest: &str) -> Result<Option<Kept>, FileError> {
        let path = self.path(digest);
        let read = || -> Result<Option<Kept>, RecordFault> {
            let mut file = match RegularFile::open(&path) {
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
                file => file?,
            };
            let since = file.modified()?.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
            let content = String::from_utf8(read_record(&mut file)?).map_err(|_| RecordFault::Damaged)?;
            let (head, text) = content.split_once('\n').ok_or(RecordFault::Damaged)?;
            let head: Head = serde_json::from_str(head).map_err(|_| RecordFault::Damaged)?;
            let reply = Extracted { kind: head.kind(), text: text.to_owned(), replaced: head.replaced };
            Ok(Some(Kept { reply, since, took: head.took }))
        };
        match read() {
            Ok(kept) => Ok(kept),
            Err(RecordFault::Damaged) => Ok(None),
            Err(RecordFault::System(error)) => Err(unread(&path, error)),
        }
    }

    /// Keeps a reply that took so many microseconds. It is written whole or not at all.
    ///
    /// # Errors
    /// [`FileError`]: no room, no permission.
    pub(in crate::runs::doors) fn write(&self, digest: &str, reply: &Extracted, took: u64) -> Result<(), FileError> {
        let Extracted { kind, text, replaced } = reply;
        let head = Head {
            is_document: *kind == TextKind::Html,
            is_markdown: *kind == TextKind::Markdown,
            replaced: *replaced,
            took: Some(took),
        };
        let path = self.path(digest);
        let write = |file: &mut AtomicFile| -> io::Result<()> {
            let mut content = serde_json::to_vec(&head)?;
            content.push(b'\n');
            content.extend(text.as_bytes());
            file.write_all(&record(&content)?)
        };
        let mut file = AtomicFile::new(&path)?;
        write(&mut file).map_err(|source| unwritten(&path, source))?;
        file.finish_unsynced()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_replies_are_none() {
        let cache = Cache::temporary().unwrap();
        let reply = Extracted { kind: TextKind::Html, text: "a\nb\n\u{FFFD}字".to_owned(), replaced: 1 };
        let digest = sha256(b"x");
        let read = || cache.read(&digest).unwrap().map(|kept| kept.reply);
        assert_eq!(read(), None);
        cache.write(&digest, &reply, 1_500).unwrap();
        assert_eq!(read(), Some(reply.clone()));
        assert_eq!(cache.read(&digest).unwrap().unwrap().took, Some(1_500));
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
        assert!(now - cache.read(&digest).unwrap().unwrap().since < 600);
        let whole = std::fs::read(cache.path(&digest)).unwrap();
        for cut in 0..whole.len() {
            std::fs::write(cache.path(&digest), &whole[..cut]).unwrap();
            assert_eq!(read(), None, "cut at {cut}");
        }
        for bit in 0..whole.len() * 8 {
            let mut flipped = whole.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(cache.path(&digest), &flipped).unwrap();
            assert_eq!(read(), None, "bit {bit}");
        }
        cache.write(&digest, &reply, 1_500).unwrap();
        assert_eq!(read(), Some(reply));
    }

    #[test]
    fn what_was_left_half_written_is_removed_once_it_is_old() {
        let cache = Cache::temporary().unwrap();
        let folder = cache.folder().join("0a");
        std::fs::create_dir(&folder).unwrap();
        let [old, new] = [".tmp-carat-old", ".tmp-carat-new"].map(|name| folder.join(name));
        [&old, &new].iter().for_each(|path| std::fs::write(path, "half").unwrap());
        let file = std::fs::File::options().write(true).open(&old).unwrap();
        file.set_modified(SystemTime::now() - 2 * LONGEST_WRITING).unwrap();
        cache.prepare().unwrap();
        assert_eq!((old.exists(), new.exists()), (false, true));
    }

    #[test]
    fn a_reply_is_of_one_program_its_parameters_and_the_page() {
        let program = ["x".to_owned(), "1".to_owned()];
        let (joined, none) = (["x\n1".to_owned()], []);
        let digest = |program: &[String], parameters, html, url| Key { program, parameters, html, url }.digest();
        let digests = [
            digest(&program, "a=1", "<p>", "u"),
            digest(&joined, "a=1", "<p>", "u"),
            digest(&none, "a=1", "<p>", "u"),
            digest(&program, "a=2", "<p>", "u"),
            digest(&program, "a=1", "<q>", "u"),
            digest(&program, "a=1", "<p>", ""),
        ];
        let distinct: std::collections::BTreeSet<&String> = digests.iter().collect();
        assert_eq!(distinct.len(), digests.len());
        assert_eq!(digest(&program, "a=1", "<p>", "u"), digests[0]);
    }
}
