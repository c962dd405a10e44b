//! The cache of what external programs extracted: a file a reply, named by what the reply depends on.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use super::protocol::Extracted;
use crate::formats::digest::{LinesDigest, sha256};
use crate::formats::files::{AtomicFile, FileError, unwritten};

/// The version of the files' form; part of their names.
const FORM: u32 = 1;

/// Enough for texts, and fast.
const COMPRESSION: i32 = 1;

/// Where replies are kept.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    /// Removed with the last copy of a cache that is of one run.
    _temporary: Option<Arc<TempDir>>,
}

/// What a reply depends on.
pub(super) struct Key<'k> {
    /// The program: name, version, command and the like, a line each.
    pub(super) program: &'k [String],
    /// Its parameters, equal for equal values.
    pub(super) parameters: &'k str,
    /// The decoded page.
    pub(super) html: &'k str,
    /// Its address, or nothing.
    pub(super) url: &'k str,
}

impl Key<'_> {
    /// The name of the reply's file: 64 hexadecimal digits.
    pub(super) fn digest(&self) -> String {
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

/// The first line of a file; the text follows.
#[derive(Serialize, Deserialize)]
struct Head {
    is_document: bool,
    replaced: usize,
    sha256: String,
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
        let folder = tempfile::tempdir().map_err(|source| unwritten(&std::env::temp_dir(), source))?;
        Ok(Cache { folder: folder.path().to_owned(), _temporary: Some(Arc::new(folder)) })
    }

    /// Where the replies lie.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn path(&self, digest: &str) -> PathBuf {
        self.folder.join(&digest[..2]).join(format!("{digest}.zst"))
    }

    /// The reply of this digest; `None` where there is none, or it is damaged.
    pub(super) fn read(&self, digest: &str) -> Option<Extracted> {
        let file = std::fs::File::open(self.path(digest)).ok()?;
        let mut content = String::new();
        zstd::Decoder::new(file).ok()?.read_to_string(&mut content).ok()?;
        let (head, text) = content.split_once('\n')?;
        let Head { is_document, replaced, sha256: expected } = serde_json::from_str(head).ok()?;
        let is_whole = sha256(text.as_bytes()) == expected;
        is_whole.then(|| Extracted { is_document, text: text.to_owned(), replaced })
    }

    /// Keeps a reply. It is written whole or not at all.
    ///
    /// # Errors
    /// [`FileError`]: no room, no permission.
    pub(super) fn write(&self, digest: &str, reply: &Extracted) -> Result<(), FileError> {
        let Extracted { is_document, text, replaced } = reply;
        let head = Head { is_document: *is_document, replaced: *replaced, sha256: sha256(text.as_bytes()) };
        let path = self.path(digest);
        let write = |file: &mut AtomicFile| {
            let mut packed = zstd::Encoder::new(file, COMPRESSION)?;
            serde_json::to_writer(&mut packed, &head)?;
            std::io::Write::write_all(&mut packed, b"\n")?;
            std::io::Write::write_all(&mut packed, text.as_bytes())?;
            packed.finish().map(|_| ())
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
        let reply = Extracted { is_document: true, text: "a\nb\n\u{FFFD}字".to_owned(), replaced: 1 };
        let digest = sha256(b"x");
        assert_eq!(cache.read(&digest), None);
        cache.write(&digest, &reply).unwrap();
        assert_eq!(cache.read(&digest), Some(reply.clone()));
        let whole = std::fs::read(cache.path(&digest)).unwrap();
        for cut in [0, 3, whole.len() / 2, whole.len() - 1] {
            std::fs::write(cache.path(&digest), &whole[..cut]).unwrap();
            assert_eq!(cache.read(&digest), None, "cut at {cut}");
        }
        let other = zstd::encode_all(&b"{\"is_document\":true,\"replaced\":0,\"sha256\":\"00\"}\ntext"[..], 1).unwrap();
        std::fs::write(cache.path(&digest), other).unwrap();
        assert_eq!(cache.read(&digest), None, "another text");
        cache.write(&digest, &reply).unwrap();
        assert_eq!(cache.read(&digest), Some(reply));
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
