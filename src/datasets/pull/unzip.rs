//! The entries of a zip, read one by one from the directory at its end: however many it states and however long they
//! are, one at a time is held. (The crate `zip` reads the whole directory first, and reserves room for what it states.)

use crate::formats::code::Code;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use flate2::CrcReader;
use flate2::read::DeflateDecoder;

use super::unpack::Unpacking;
use crate::datasets::Halt;

/// Each record of a zip begins with one of these.
const LOCAL: &[u8] = b"PK\x03\x04";
const ENTRY: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
const LOCATOR_64: &[u8] = b"PK\x06\x07";
const END_64: &[u8] = b"PK\x06\x06";

/// The lengths of their fixed parts.
const LOCAL_BYTES: usize = 30;
const ENTRY_BYTES: usize = 46;
const END_BYTES: usize = 22;
const LOCATOR_64_BYTES: usize = 20;
const END_64_BYTES: usize = 56;

/// Stands in a field of 32 bits for a number in the fields of 64 bits.
const ELSEWHERE: u64 = 0xFFFF_FFFF;

/// The upper half of the characters of IBM's code page 437, in which names are that are not UTF-8.
const CP437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}";

/// Unpacks the zip in `file`.
pub(super) fn unzip(unpacking: &mut Unpacking, file: File) -> Result<(), Halt> {
    let mut archive = BufReader::new(file);
    let directory = Directory::find(&mut archive).map_err(|error| unpacking.damaged(error))?;
    if directory.entries > unpacking.limits.files as u64 {
        return Err(unpacking
            .fault(Code::Size, format!("the archive has more than {} files and folders", unpacking.limits.files))
            .into());
    }
    let mut at = directory.from;
    for _ in 0..directory.entries {
        let entry = Entry::read(&mut archive, &mut at, directory.end).map_err(|error| unpacking.damaged(error))?;
        put(unpacking, &mut archive, &entry, directory.from)?;
    }
    Ok(())
}

/// Writes the file of an entry; what is packed must stand before `end`.
fn put(unpacking: &mut Unpacking, archive: &mut BufReader<File>, entry: &Entry, end: u64) -> Result<(), Halt> {
    let Entry { name, .. } = entry;
    if name.ends_with('/') {
        return unpacking.count();
    }
    if entry.is_encrypted {
        return Err(unpacking.fault_at(Code::Upstream, name, "is encrypted; pack it without a password").into());
    }
    // The kinds of file of a Unix mode: none is stated, or a file.
    if ![0, 0o100_000].contains(&entry.kind) {
        return Err(unpacking.fault_at(Code::Path, name, "is a link or no plain file").into());
    }
    let packed = entry.packed_in(archive, end).map_err(|error| unpacking.damaged(error))?;
    // One byte more than is stated tells that there is more.
    let most = entry.size.saturating_add(1);
    let content: &mut dyn Read = match entry.method {
        0 => &mut packed.take(most),
        8 => &mut DeflateDecoder::new(packed).take(most),
        _ => {
            return Err(unpacking
                .fault_at(Code::Upstream, name, "is neither deflated nor stored; pack it anew")
                .into());
        }
    };
    let mut content = CrcReader::new(content);
    unpacking.put(name, &mut content)?;
    let crc = content.crc();
    if (crc.sum(), u64::from(crc.amount())) != (entry.crc, entry.size & ELSEWHERE) {
        return Err(unpacking
            .fault_at(Code::Upstream, name, "is damaged: it is not what its checksum and size say")
            .into());
    }
    Ok(())
}

/// The place of a zip's directory.
struct Directory {
    entries: u64,
    from: u64,
    /// The first byte behind it.
    end: u64,
}

impl Directory {
    fn find(archive: &mut BufReader<File>) -> io::Result<Directory> {
        let length = archive.seek(SeekFrom::End(0))?;
        // The record at the end is followed by a comment of 65,535 bytes at most.
        let tail_from = length.saturating_sub((END_BYTES + 0xFFFF) as u64);
        let tail = bytes_at(archive, tail_from, (length - tail_from) as usize)?;
        let is_end = |at: &usize| {
            let record = &tail[*at..];
            record.starts_with(END) && record.len() as u64 == END_BYTES as u64 + number(record, 20, 2)
        };
        let last = tail.len().saturating_sub(END_BYTES - 1);
        let end = (0..last).rev().find(is_end).ok_or_else(|| broken("it has no directory at its end"))?;
        let record = &tail[end..];
        let at = tail_from + end as u64;
        let (entries, size, from) = (number(record, 10, 2), number(record, 12, 4), number(record, 16, 4));
        let directory = match entries == 0xFFFF || size == ELSEWHERE || from == ELSEWHERE {
            true => Directory::find_64(archive, at)?,
            false => None,
        };
        let directory = directory.unwrap_or(Directory { entries, from, end: from.saturating_add(size) });
        // An entry has its fixed part at least: so many are stated as can be there.
        let room = directory.end.checked_sub(directory.from).filter(|_| directory.end <= at);
        match room.is_some_and(|room| directory.entries <= room / ENTRY_BYTES as u64) {
            true => Ok(directory),
            false => Err(broken("its directory is not where it should be")),
        }
    }

    /// By the record of 64 bits, to which another leads that stands right before `at`; `None` where there is none.
    fn find_64(archive: &mut BufReader<File>, at: u64) -> io::Result<Option<Directory>> {
        let Some(locator_at) = at.checked_sub(LOCATOR_64_BYTES as u64) else { return Ok(None) };
        let locator = bytes_at(archive, locator_at, LOCATOR_64_BYTES)?;
        if !locator.starts_with(LOCATOR_64) {
            return Ok(None);
        }
        let record = bytes_at(archive, number(&locator, 8, 8), END_64_BYTES)?;
        if !record.starts_with(END_64) {
            return Err(broken("its directory is not where it should be"));
        }
        let (entries, size, from) = (number(&record, 32, 8), number(&record, 40, 8), number(&record, 48, 8));
        Ok(Some(Directory { entries, from, end: from.saturating_add(size) }))
    }
}

/// A file or a folder in a zip, as its directory has it.
struct Entry {
    name: String,
    is_encrypted: bool,
    method: u64,
    crc: u32,
    /// Bytes when packed, and when unpacked.
    packed: u64,
    size: u64,
    /// Of a Unix mode.
    kind: u64,
    /// The first byte of its local record.
    from: u64,
}

impl Entry {
    /// The entry at `at`, which moves on to the next; it must stand before `end`.
    fn read(archive: &mut BufReader<File>, at: &mut u64, end: u64) -> io::Result<Entry> {
        let fixed = bytes_at(archive, *at, ENTRY_BYTES)?;
        let lengths = [number(&fixed, 28, 2), number(&fixed, 30, 2), number(&fixed, 32, 2)];
        let behind = *at + ENTRY_BYTES as u64 + lengths.iter().sum::<u64>();
        if !fixed.starts_with(ENTRY) || behind > end {
            return Err(broken("its directory is not what it should be"));
        }
        *at = behind;
        let [name, extra, _] = lengths.map(|length| length as usize);
        let (name, extra) = (read(archive, name)?, read(archive, extra)?);
        let mut large = large_numbers(&extra);
        let mut wide = |at: usize| match number(&fixed, at, 4) {
            ELSEWHERE => large.next().unwrap_or(ELSEWHERE),
            number => number,
        };
        let (size, packed, from) = (wide(24), wide(20), wide(42));
        Ok(Entry {
            name: text(name),
            is_encrypted: number(&fixed, 8, 2) & 1 == 1,
            method: number(&fixed, 10, 2),
            crc: number(&fixed, 16, 4) as u32,
            packed,
            size,
            kind: (number(&fixed, 38, 4) >> 16) & 0o170_000,
            from,
        })
    }

    /// The packed content, which must stand before `end`.
    fn packed_in<'a>(
        &self,
        archive: &'a mut BufReader<File>,
        end: u64,
    ) -> io::Result<io::Take<&'a mut BufReader<File>>> {
        let fixed = bytes_at(archive, self.from, LOCAL_BYTES)?;
        let from = self.from + LOCAL_BYTES as u64 + number(&fixed, 26, 2) + number(&fixed, 28, 2);
        if !fixed.starts_with(LOCAL) || from.checked_add(self.packed).is_none_or(|behind| behind > end) {
            return Err(broken("an entry is not where its directory says"));
        }
        archive.seek(SeekFrom::Start(from))?;
        Ok(archive.take(self.packed))
    }
}

/// The numbers of 64 bits among the extra fields of an entry.
fn large_numbers(extra: &[u8]) -> impl Iterator<Item = u64> + use<> {
    let mut rest = extra;
    let mut numbers = Vec::new();
    while let [a, b, c, d, after @ ..] = rest {
        let length = usize::from(u16::from_le_bytes([*c, *d])).min(after.len());
        if (a, b) == (&1, &0) {
            numbers = after[..length].chunks_exact(8).map(|field| number(field, 0, 8)).collect();
        }
        rest = &after[length..];
    }
    numbers.into_iter()
}

/// The number of that many bytes at that place of a record.
fn number(record: &[u8], at: usize, length: usize) -> u64 {
    record[at..at + length].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// A name: in UTF-8, else in code page 437.
fn text(name: Vec<u8>) -> String {
    String::from_utf8(name).unwrap_or_else(|error| {
        let character = |&byte: &u8| match byte.checked_sub(128) {
            None => Some(char::from(byte)),
            Some(place) => CP437.chars().nth(usize::from(place)),
        };
        error.as_bytes().iter().filter_map(character).collect()
    })
}

fn bytes_at(archive: &mut BufReader<File>, at: u64, length: usize) -> io::Result<Vec<u8>> {
    archive.seek(SeekFrom::Start(at))?;
    read(archive, length)
}

/// So many bytes; callers ask for 66 KB at most.
fn read(archive: &mut impl BufRead, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    archive.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn broken(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::slice::from_ref;

    use super::super::unpack::tests::unpacked_or_told;
    use super::*;

    /// A file in a zip, as a hostile hand writes it.
    #[derive(Clone)]
    struct Made {
        name: Vec<u8>,
        flags: u16,
        method: u16,
        crc: u32,
        packed: Vec<u8>,
        /// As it is stated.
        size: u32,
        mode: u32,
    }

    fn stored(name: &str, content: &[u8]) -> Made {
        let mut crc = flate2::Crc::new();
        crc.update(content);
        let size = content.len() as u32;
        Made { name: name.into(), flags: 0, method: 0, crc: crc.sum(), packed: content.to_vec(), size, mode: 0 }
    }

    fn deflated(name: &str, content: &[u8]) -> Made {
        let mut packed = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
        packed.write_all(content).unwrap();
        Made { method: 8, packed: packed.finish().unwrap(), ..stored(name, content) }
    }

    /// Both records of a file have this part.
    fn shared(made: &Made) -> Vec<u8> {
        let lengths = [made.crc, made.packed.len() as u32, made.size].map(u32::to_le_bytes).concat();
        let name = [made.name.len() as u16, 0].map(u16::to_le_bytes).concat();
        [[20, made.flags, made.method, 0, 0].map(u16::to_le_bytes).concat(), lengths, name].concat()
    }

    fn local(made: &Made) -> Vec<u8> {
        [LOCAL, &shared(made), &made.name, &made.packed].concat()
    }

    fn in_directory(made: &Made, from: u32) -> Vec<u8> {
        let rest = [vec![0; 6], (made.mode << 16).to_le_bytes().to_vec(), from.to_le_bytes().to_vec()].concat();
        [ENTRY, &[20, 3], &shared(made), &rest, &made.name].concat()
    }

    /// The record at the end.
    fn end(entries: u16, size: u32, from: u32) -> Vec<u8> {
        let numbers = [entries.to_le_bytes(), entries.to_le_bytes()].concat();
        [END, &[0; 4], &numbers, &size.to_le_bytes(), &from.to_le_bytes(), b"\x02\0hi"].concat()
    }

    /// Local records and the directory of these files.
    fn parts(files: &[Made]) -> (Vec<u8>, Vec<u8>) {
        let (mut locals, mut directory) = (Vec::new(), Vec::new());
        for made in files {
            directory.extend(in_directory(made, locals.len() as u32));
            locals.extend(local(made));
        }
        (locals, directory)
    }

    fn zip(files: &[Made]) -> Vec<u8> {
        let (locals, directory) = parts(files);
        let end = end(files.len() as u16, directory.len() as u32, locals.len() as u32);
        [locals, directory, end].concat()
    }

    /// The same with an end of 64 bits that states so many entries.
    fn zip_64(files: &[Made], entries: u64) -> Vec<u8> {
        let (locals, directory) = parts(files);
        let numbers = [entries, entries, directory.len() as u64, locals.len() as u64].map(u64::to_le_bytes).concat();
        let record = [END_64, &[0; 20], &numbers].concat();
        let at = (locals.len() + directory.len()) as u64;
        let locator = [LOCATOR_64, &[0; 4], &at.to_le_bytes(), &[1, 0, 0, 0]].concat();
        [locals, directory, record, locator, end(0xFFFF, u32::MAX, u32::MAX)].concat()
    }

    fn refused(archive: &[u8]) -> (Code, String) {
        let error = unpacked_or_told(archive).unwrap_err();
        (error.code, error.message)
    }

    #[test]
    fn names_and_numbers_of_every_kind_are_read() {
        let files = [
            stored("a/", b""),
            deflated("a/é.html", b"<p>1"),
            Made { name: b"caf\x82".to_vec(), mode: 0o100_644, ..stored("", b"2") },
            stored("空", b""),
        ];
        let names = ["a/é.html", "café", "空"];
        assert_eq!(unpacked_or_told(&zip(&files)).unwrap(), names);
        assert_eq!(unpacked_or_told(&zip_64(&files, 4)).unwrap(), names);
        let mut written = ::zip::ZipWriter::new(io::Cursor::new(Vec::new()));
        let options = ::zip::write::SimpleFileOptions::default();
        for (name, is_large) in [("large", true), ("small", false)] {
            written.start_file(name, options.large_file(is_large)).unwrap();
            written.write_all(b"x").unwrap();
        }
        assert_eq!(unpacked_or_told(&written.finish().unwrap().into_inner()).unwrap(), ["large", "small"]);
        // Numbers of 64 bits in the order of their fields.
        let extra = [&[9, 9, 1, 0, 7, 1, 0, 16, 0][..], &1_u64.to_le_bytes(), &2_u64.to_le_bytes(), &[5, 0]].concat();
        assert_eq!(large_numbers(&extra).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(large_numbers(&[1, 0, 200, 0, 1]).count(), 0);
    }

    #[test]
    fn what_is_stated_is_bounded_before_it_is_believed() {
        let file = stored("a", b"1");
        for entries in [1 << 60, u64::MAX, 5, 9] {
            assert_eq!(refused(&zip_64(from_ref(&file), entries)).0, Code::Upstream, "{entries}");
        }
        let (locals, directory) = parts(from_ref(&file));
        for (entries, size, from) in [(9, 47, 32), (1, 9999, 32), (1, 47, 9999), (1, 47, 33), (1, u32::MAX, 1)] {
            let archive = [&locals[..], &directory, &end(entries, size, from)].concat();
            assert_eq!(refused(&archive).0, Code::Upstream, "{entries} {size} {from}");
        }
        let many: Vec<Made> = (0..9).map(|number| stored(&number.to_string(), b"")).collect();
        let (code, told) = refused(&zip(&many));
        assert!(code == Code::Size && told.contains("more than 8 files"), "{told}");
        // An archive that goes on behind its end, and one whose end is cut off.
        assert_eq!(refused(&[zip(from_ref(&file)), b"x".to_vec()].concat()).0, Code::Upstream);
        let whole = zip(&[file]);
        assert_eq!(refused(&whole[..whole.len() - 3]).0, Code::Upstream);
    }

    #[test]
    fn bombs_are_bounded_by_what_they_unpack_to() {
        let bomb = deflated("a", &[0; 1 << 20]);
        assert!(bomb.packed.len() < 2048);
        assert_eq!(refused(&zip(from_ref(&bomb))).0, Code::Size);
        // It says that it is small.
        assert_eq!(refused(&zip(&[Made { size: 10, ..bomb }])).0, Code::Upstream);
        // Three files in one place.
        let one = deflated("a", &[0; 8 << 10]);
        let named = |name: &str| in_directory(&Made { name: name.into(), ..one.clone() }, 0);
        let (locals, directory) = (local(&one), [named("a"), named("b"), named("c")].concat());
        let end = end(3, directory.len() as u32, locals.len() as u32);
        assert_eq!(refused(&[locals, directory, end].concat()).0, Code::Size);
    }

    #[test]
    fn what_cannot_be_unpacked_is_told_in_a_sentence() {
        let file = stored("a", b"1");
        let noise = Made { packed: b"noise".to_vec(), ..deflated("a", b"1") };
        for (made, code, says) in [
            (Made { flags: 1, ..file.clone() }, Code::Upstream, "is encrypted"),
            (Made { method: 12, ..file.clone() }, Code::Upstream, "neither deflated nor stored"),
            (Made { crc: 1, ..file.clone() }, Code::Upstream, "checksum"),
            (Made { size: 2, ..file.clone() }, Code::Upstream, "checksum"),
            (Made { size: 0, ..file.clone() }, Code::Upstream, "checksum"),
            (noise, Code::Upstream, "damaged"),
            (Made { mode: 0o120_777, ..file.clone() }, Code::Path, "is a link"),
            (Made { mode: 0o010_644, ..file.clone() }, Code::Path, "is a link"),
            (stored("../a", b""), Code::Path, "leads out of it"),
            (stored("/a", b""), Code::Path, "leads out of it"),
            (stored(&"a".repeat(60_000), b""), Code::Path, "leads out of it"),
            (stored("a\u{1b}\\", b""), Code::Path, "`a\\u{1b}\\\\` in the archive"),
        ] {
            let (found, told) = refused(&zip(&[made]));
            assert!(found == code && told.contains(says), "{found} {told}");
        }
        let (_, told) = refused(&zip(&[file.clone(), file]));
        assert!(told.contains("is there twice"), "{told}");
    }
}
