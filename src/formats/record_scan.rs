//! Files of checked records, read from one end to the other though parts of them may be damaged: behind what is no
//! record, reading goes on at the next whole one.

use std::io;
use std::ops::Range;

use super::reading::RegularFile;
use super::record::{HEADER, Header, MAGIC};

/// Bytes that are read at a time.
const WINDOW: usize = 1 << 20;

/// A piece of a file of records.
#[derive(Debug)]
pub(crate) enum Piece {
    /// A whole record, whose first byte stands at this place; its bytes are as they were written.
    Record(u64, Vec<u8>),
    /// Bytes that are no record.
    Damage(Range<u64>),
}

/// Reads a file of records, piece by piece.
pub(crate) struct RecordScan<'f> {
    window: Window<'f>,
    at: u64,
    /// Bytes that may still be read in vain: a file of false beginnings, each with a great length, would take for ever.
    patience: u64,
}

impl<'f> RecordScan<'f> {
    /// Reads `file` from `at` on.
    pub(crate) fn new(file: &'f RegularFile, at: u64) -> Self {
        RecordScan { window: Window::new(file), at, patience: 4 * file.length() + (64 << 20) }
    }

    /// The next piece; `None` at the end.
    ///
    /// # Errors
    /// [`io::Error`]: an I/O or permission error.
    pub(crate) fn next_piece(&mut self) -> io::Result<Option<Piece>> {
        if self.at >= self.window.file.length() {
            return Ok(None);
        }
        let from = self.at;
        if let Some(record) = self.record_at(from)? {
            self.at += record.len() as u64;
            return Ok(Some(Piece::Record(from, record)));
        }
        self.at = self.next_record(from + 1)?;
        Ok(Some(Piece::Damage(from..self.at)))
    }

    /// The record whose first byte is at `at`, if one is there.
    fn record_at(&mut self, at: u64) -> io::Result<Option<Vec<u8>>> {
        let Some(header) = Header::of(self.window.bytes(at, HEADER)?) else { return Ok(None) };
        let length = HEADER + header.packed;
        if length as u64 > self.window.file.length().saturating_sub(at) {
            return Ok(None);
        }
        let record = self.window.bytes(at, length)?;
        let is_whole = record.len() == length && header.is_of(&record[HEADER..]);
        let record = is_whole.then(|| record.to_vec());
        if record.is_none() {
            self.patience = self.patience.saturating_sub(length as u64);
        }
        Ok(record)
    }

    /// Where the next whole record begins, from `at` on: the end of the file where there is none.
    fn next_record(&mut self, mut at: u64) -> io::Result<u64> {
        let end = self.window.file.length();
        while at < end && self.patience > 0 {
            let bytes = self.window.bytes(at, WINDOW)?;
            match bytes.windows(MAGIC.len()).position(|bytes| bytes == MAGIC) {
                Some(place) => {
                    at += place as u64;
                    if self.record_at(at)?.is_some() {
                        return Ok(at);
                    }
                    at += 1;
                }
                // The magic may begin in the last bytes of the window.
                None if bytes.len() < WINDOW => return Ok(end),
                None => at += (bytes.len() - MAGIC.len() + 1) as u64,
            }
        }
        Ok(end)
    }
}

/// A part of a file that is in memory.
struct Window<'f> {
    file: &'f RegularFile,
    start: u64,
    bytes: Vec<u8>,
}

impl<'f> Window<'f> {
    fn new(file: &'f RegularFile) -> Self {
        Window { file, start: 0, bytes: Vec::new() }
    }

    /// So many bytes from `at` on; fewer where the file ends.
    fn bytes(&mut self, at: u64, length: usize) -> io::Result<&[u8]> {
        let is_there = at >= self.start && at + length as u64 <= self.start + self.bytes.len() as u64;
        if !is_there {
            let rest = self.file.length().saturating_sub(at);
            let wanted = rest.min(length.max(WINDOW) as u64) as usize;
            self.bytes.clear();
            self.bytes.resize(wanted, 0);
            let read = self.file.read_at(&mut self.bytes, at)?;
            self.bytes.truncate(read);
            self.start = at;
        }
        let from = (at - self.start) as usize;
        let to = self.bytes.len().min(from + length);
        Ok(&self.bytes[from..to])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::record::{content_of, record};

    /// The contents of the whole records in `bytes`, and where it is damaged.
    fn scanned(bytes: &[u8]) -> (Vec<String>, Vec<Range<u64>>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records");
        std::fs::write(&path, bytes).unwrap();
        let file = RegularFile::open(&path).unwrap();
        let mut scan = RecordScan::new(&file, 0);
        let (mut contents, mut damage) = (Vec::new(), Vec::new());
        while let Some(piece) = scan.next_piece().unwrap() {
            match piece {
                Piece::Record(at, record) => {
                    assert_eq!(bytes[at as usize..][..record.len()], record);
                    contents.push(String::from_utf8(content_of(&record).unwrap()).unwrap());
                }
                Piece::Damage(range) => damage.push(range),
            }
        }
        (contents, damage)
    }

    fn records() -> Vec<Vec<u8>> {
        (0..5).map(|number| record(format!("record {number}, 第{number}条").as_bytes()).unwrap()).collect()
    }

    fn one(range: Range<u64>) -> Vec<Range<u64>> {
        Vec::from([range])
    }

    #[test]
    fn behind_what_is_damaged_reading_goes_on() {
        let records = records();
        let length: u64 = records[0].len() as u64;
        let all = records.concat();
        let whole = scanned(&all).0;
        assert_eq!((whole.len(), scanned(&all).1), (5, Vec::new()));
        let without = |number: usize| {
            let mut rest = whole.clone();
            rest.remove(number);
            rest
        };
        for bit in 0..8 * length as usize {
            let mut flipped = all.clone();
            flipped[2 * length as usize + bit / 8] ^= 1 << (bit % 8);
            assert_eq!(scanned(&flipped), (without(2), one(2 * length..3 * length)), "bit {bit}");
        }
        let foreign = [&all[..length as usize], b"CRT2CRT2 nothing of mine", &all[length as usize..]].concat();
        assert_eq!(scanned(&foreign), (whole.clone(), one(length..length + 24)));
        for cut in 0..length {
            let end = 4 * length + cut;
            let damage = if cut == 0 { Vec::new() } else { one(4 * length..end) };
            assert_eq!(scanned(&all[..end as usize]), (without(4), damage), "cut at {cut}");
        }
    }

    #[test]
    fn zeros_and_false_beginnings_end() {
        let records = records();
        let zeros = [records[0].clone(), vec![0; 3 << 20], records[1].clone()].concat();
        assert_eq!(scanned(&zeros).0.len(), 2);
        // Each of these claims that 100 MB follow.
        let mut lying: Vec<u8> = Vec::new();
        (0..20_000).for_each(|_| lying.extend(b"CRT2\x00\xe1\xf5\x05\x00\x00\x00\x10lyinglie"));
        let (contents, damage) = scanned(&[records[0].clone(), lying, records[1].clone()].concat());
        assert!(contents.len() >= 2 && damage.len() == 1, "{contents:?} {damage:?}");
    }
}
