//! The entries of a tar. Each header is seen before what belongs to it is read, so that no size which a header states
//! is believed.

use crate::formats::code::Code;
use std::io::{self, Read};

use tar::EntryType;

use super::check_stopped;
use super::unpack::Unpacking;
use crate::datasets::{DatasetError, Halt};

/// A header that tells of the next entry may have so many bytes: a long name, or attributes.
const MAX_AHEAD_BYTES: u64 = 64 << 10;

/// So many headers may stand ahead of an entry: its long name, its link's, its attributes, those of all.
const MAX_AHEAD: usize = 8;

/// Unpacks the tar that `unpacked` gives.
pub(super) fn untar(unpacking: &mut Unpacking, unpacked: impl Read) -> Result<(), Halt> {
    let most = unpacking.limits.unpacked_bytes;
    let bounded = Bounded { unpacked, left: most, too_much: unpacking.too_much(), stopped: unpacking.stopped };
    let mut archive = tar::Archive::new(bounded);
    let mut ahead = Ahead::default();
    for entry in archive.entries().map_err(|error| unpacking.damaged(error))?.raw(true) {
        let mut entry = entry.map_err(|error| unpacking.damaged(error))?;
        let kind = entry.header().entry_type();
        ahead.headers += 1;
        if ahead.headers > MAX_AHEAD + 1 {
            return Err(unpacking
                .fault(Code::Upstream, "the archive is damaged: it announces an entry too often")
                .into());
        }
        match kind {
            EntryType::GNULongName => {
                let name = said_ahead(unpacking, &mut entry)?;
                ahead.is_called(unpacking, &name)?;
            }
            EntryType::XHeader => {
                let attributes = said_ahead(unpacking, &mut entry)?;
                ahead.has(unpacking, &attributes)?;
            }
            // One is of a link, which is refused anyhow; the other is of all entries, and names none.
            EntryType::GNULongLink | EntryType::XGlobalHeader => {}
            _ => {
                let Ahead { name, size, .. } = std::mem::take(&mut ahead);
                let path = name.unwrap_or_else(|| lossy(&entry.path_bytes()));
                if size.is_some_and(|size| size != entry.size().to_string()) {
                    return Err(unpacking.fault_at(Code::Upstream, &path, "has two sizes").into());
                }
                one(unpacking, kind, &path, &mut entry)?;
            }
        }
    }
    match ahead {
        Ahead { name: None, size: None, .. } => Ok(()),
        _ => Err(unpacking
            .fault(Code::Upstream, "the archive is damaged: it ends before an entry that it announces")
            .into()),
    }
}

fn one(unpacking: &mut Unpacking, kind: EntryType, path: &str, content: &mut dyn Read) -> Result<(), Halt> {
    match kind {
        EntryType::Regular | EntryType::Continuous => unpacking.put(path, content),
        EntryType::Directory => unpacking.count(),
        EntryType::GNUSparse => Err(unpacking.fault_at(Code::Path, path, "is sparse; pack it without --sparse").into()),
        _ => Err(unpacking.fault_at(Code::Path, path, "is a link or no plain file").into()),
    }
}

/// The content of an entry that tells of the next one, once its size is known to be small.
fn said_ahead(unpacking: &Unpacking, entry: &mut tar::Entry<'_, impl Read>) -> Result<Vec<u8>, DatasetError> {
    let size = entry.size();
    if size > MAX_AHEAD_BYTES {
        let message =
            format!("the archive has a name or attributes of {size} bytes; at most {MAX_AHEAD_BYTES} are read");
        return Err(unpacking.fault(Code::Size, message));
    }
    let mut said = Vec::new();
    entry.take(MAX_AHEAD_BYTES).read_to_end(&mut said).map_err(|error| unpacking.damaged(error))?;
    Ok(said)
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The facts that headers tell of the next entry.
#[derive(Default)]
struct Ahead {
    name: Option<String>,
    /// In decimal digits.
    size: Option<String>,
    headers: usize,
}

impl Ahead {
    /// Takes a name, as GNU tar writes it: with a zero at its end.
    fn is_called(&mut self, unpacking: &Unpacking, name: &[u8]) -> Result<(), DatasetError> {
        let name = lossy(name.strip_suffix(&[0]).unwrap_or(name));
        match self.name.replace(name) {
            None => Ok(()),
            Some(name) => Err(unpacking.fault_at(Code::Upstream, &name, "has two names")),
        }
    }

    /// Takes attributes, as POSIX has them.
    fn has(&mut self, unpacking: &Unpacking, attributes: &[u8]) -> Result<(), DatasetError> {
        for attribute in tar::PaxExtensions::new(attributes).flatten() {
            match attribute.key_bytes() {
                b"path" => self.is_called(unpacking, attribute.value_bytes())?,
                b"size" => self.size = Some(lossy(attribute.value_bytes())),
                key if key.starts_with(b"GNU.sparse.") => {
                    return Err(
                        unpacking.fault(Code::Path, "a file in the archive is sparse; pack it without --sparse")
                    );
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// The bytes of a tar, headers and all, but no more than it may have; fewer if the user gives up.
struct Bounded<'b, R> {
    unpacked: R,
    left: u64,
    too_much: DatasetError,
    stopped: &'b dyn Fn() -> bool,
}

impl<R: Read> Read for Bounded<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        check_stopped(self.stopped).map_err(io::Error::other)?;
        let length = self.unpacked.read(buffer)?;
        match self.left.checked_sub(length as u64) {
            Some(left) => self.left = left,
            None => return Err(io::Error::other(self.too_much.clone())),
        }
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use crate::formats::code::Code;
    use std::io::Write;

    use super::super::unpack::tests::unpacked_or_told;

    /// A header as it stands in a tar: kind, name, stated size.
    fn header(kind: u8, name: &[u8], size: u64) -> Vec<u8> {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::new(kind));
        header.as_old_mut().name[..name.len()].copy_from_slice(name);
        header.set_mode(0o644);
        header.set_size(size);
        header.set_cksum();
        header.as_bytes().to_vec()
    }

    /// The same with its content, which fills whole blocks.
    fn entry(kind: u8, name: &str, content: &[u8]) -> Vec<u8> {
        let padding = vec![0; content.len().next_multiple_of(512) - content.len()];
        [&header(kind, name.as_bytes(), content.len() as u64), content, &padding].concat()
    }

    fn attribute(key: &str, value: &str) -> Vec<u8> {
        let rest = format!(" {key}={value}\n");
        // The length counts its own digits.
        let length = (1..).find(|digits| (rest.len() + digits).to_string().len() == *digits).unwrap() + rest.len();
        format!("{length}{rest}").into_bytes()
    }

    /// The files of a tar.gz of these entries, or the code and the message of the fault.
    fn unpacked(entries: &[Vec<u8>]) -> Result<Vec<String>, (Code, String)> {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(&entries.concat()).unwrap();
        packed.write_all(&[0; 1024]).unwrap();
        unpacked_or_told(&packed.finish().unwrap()).map_err(|error| (error.code, error.message))
    }

    fn refused(entries: &[Vec<u8>]) -> (Code, String) {
        unpacked(entries).unwrap_err()
    }

    #[test]
    fn long_names_and_attributes_are_read() {
        let long = |name: &str| format!("{}/{name}", ["folder"; 30].join("-"));
        let files = [
            entry(b'g', "global", &attribute("comment", "of git")),
            entry(b'L', "././@LongLink", format!("{}\0", long("gnu")).as_bytes()),
            entry(b'0', "gnu", b"1"),
            entry(b'x', "attributes", &[attribute("mtime", "1.5"), attribute("path", &long("posix"))].concat()),
            entry(b'0', "posix", b"2"),
            entry(b'x', "attributes", &attribute("size", "1")),
            entry(b'0', "plain", b"3"),
        ];
        assert_eq!(unpacked(&files).unwrap(), [long("gnu"), long("posix"), "plain".to_owned()]);
    }

    #[test]
    fn what_a_header_states_is_bounded_before_it_is_read() {
        for kind in [b'L', b'x'] {
            let (code, told) = refused(&[header(kind, b"a", 3 << 30)]);
            assert!(code == Code::Size && told.contains("3221225472"), "{told}");
        }
        for kind in [b'0', b'g', b'K', b'5'] {
            let (code, told) = refused(&[header(kind, b"a", 3 << 30)]);
            assert!(code == Code::Upstream && told.contains("damaged"), "{told}");
            let zeros = vec![0; 64 << 10];
            assert_eq!(refused(&[entry(kind, "a", &zeros), entry(b'0', "b", b"")]).0, Code::Size);
        }
        for kind in [b'g', b'K', b'x'] {
            let ahead = |times| [vec![header(kind, b"a", 0); times], vec![header(b'0', b"a", 0)]].concat();
            assert_eq!(unpacked(&ahead(8)).unwrap(), ["a"]);
            assert_eq!(refused(&ahead(9)).0, Code::Upstream);
        }
    }

    #[test]
    fn contradictions_are_refused() {
        let name = entry(b'L', "a", b"a\0");
        let path = entry(b'x', "a", &attribute("path", "b"));
        let file = entry(b'0', "c", b"1");
        for entries in [
            vec![name.clone(), name.clone(), file.clone()],
            vec![name.clone(), path.clone(), file.clone()],
            vec![path.clone(), path.clone(), file.clone()],
            vec![entry(b'x', "a", &attribute("size", "3")), file.clone()],
            vec![file.clone(), name.clone()],
            vec![file.clone(), path.clone()],
        ] {
            assert_eq!(refused(&entries).0, Code::Upstream);
        }
        // A name is for the next entry alone.
        assert_eq!(unpacked(&[name, file.clone(), path, entry(b'0', "d", b""), file]).unwrap(), ["a", "b", "c"]);
    }

    #[test]
    fn what_is_no_plain_file_is_refused() {
        let file = entry(b'0', "c", b"1");
        for entries in [
            vec![entry(b'S', "a", b"")],
            vec![entry(b'x', "a", &attribute("GNU.sparse.major", "1")), file.clone()],
            vec![entry(b'x', "a", &attribute("path", "../../a")), file.clone()],
            vec![entry(b'L', "a", b"/etc/passwd\0"), file.clone()],
            vec![entry(b'L', "a", b"a\0/b\0"), file.clone()],
            vec![entry(b'L', "a", "a/".repeat(3000).as_bytes()), file.clone()],
            vec![entry(b'K', "a", b"/etc/passwd\0"), entry(b'2', "a", b"")],
        ] {
            assert_eq!(refused(&entries).0, Code::Path);
        }
        let (_, told) = refused(&[entry(b'1', "a\u{1b}[31m\nb\u{202E}", b"")]);
        assert!(told.starts_with("`a\\u{1b}[31m\\nb\\u{202e}` in the archive is a link"), "{told}");
    }

    #[test]
    fn folders_that_files_ask_for_are_counted() {
        assert_eq!(refused(&[entry(b'0', "1/2/3/4/5/6/7/8/9/a", b"")]).0, Code::Size);
        for (folders, code) in [(63, Code::Size), (64, Code::Path)] {
            let name = format!("{}b", "a/".repeat(folders));
            let (found, told) = refused(&[entry(b'L', "a", name.as_bytes()), entry(b'0', "b", b"")]);
            assert!(found == code && (code == Code::Size || told.contains("lies in 64 folders or more")), "{told}");
        }
    }
}
