//! Checked records: bytes with a checksum, packed. What a run stores of its pages is made of them, so that a bit that
//! flipped on a disk is noticed whenever a record is read.
//!
//! A record is the magic `CRT2`, the packed and the unpacked length (`u32`), a checksum (`u64`) and the payload, a
//! Zstandard frame; numbers are little-endian. The checksum is the first 8 bytes of the SHA-256 of both lengths and
//! the payload.

use std::cell::RefCell;
use std::io::{self, ErrorKind, Read};
use std::thread::LocalKey;

use sha2::{Digest, Sha256};
use zstd::bulk::{Compressor, Decompressor};

use super::reading::is_of_system;

/// What every record begins with.
pub(super) const MAGIC: [u8; 4] = *b"CRT2";

/// Magic, lengths and checksum.
pub(super) const HEADER: usize = 4 + 4 + 4 + 8;

/// A record that unpacks to more is damaged.
const MOST_BYTES: usize = 1 << 30;

/// Enough for texts, and fast: records are written while pages are run.
const COMPRESSION: i32 = 1;

/// Why a record cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordFault {
    /// It is not as it was written: cut, or with other bits.
    #[error("it is damaged")]
    Damaged,
    /// The system is in the way.
    #[error(transparent)]
    System(io::Error),
}

impl From<io::Error> for RecordFault {
    fn from(error: io::Error) -> Self {
        if is_of_system(&error) { RecordFault::System(error) } else { RecordFault::Damaged }
    }
}

/// The record of `content`.
///
/// # Errors
/// [`io::Error`] of the kind `FileTooLarge`: it has more than 1 GiB.
pub fn record(content: &[u8]) -> io::Result<Vec<u8>> {
    let too_large =
        || io::Error::new(ErrorKind::FileTooLarge, format!("more than {MOST_BYTES} bytes are to be stored"));
    if content.len() > MOST_BYTES {
        return Err(too_large());
    }
    let packed = with(&PACKER, || Compressor::new(COMPRESSION), |packer| packer.compress(content))?;
    let lengths = [packed.len(), content.len()].map(|length| u32::try_from(length).map_err(|_| too_large()));
    let [packed_length, length] = lengths;
    let lengths = lengths_of(packed_length?, length?);
    let mut record = Vec::with_capacity(HEADER + packed.len());
    record.extend(MAGIC);
    record.extend(lengths);
    record.extend(checksum(&lengths, &packed));
    record.extend(packed);
    Ok(record)
}

/// The next record of `from`, checked: its content.
///
/// # Errors
/// [`RecordFault`]: it is damaged, or there is an I/O or permission error.
pub fn read_record(from: &mut impl Read) -> Result<Vec<u8>, RecordFault> {
    let mut header = [0; HEADER];
    from.read_exact(&mut header)?;
    let header = Header::of(&header).ok_or(RecordFault::Damaged)?;
    // Bit by bit: of a length that is wrong no memory is taken before the bytes are there.
    let mut packed = Vec::new();
    from.take(header.packed as u64).read_to_end(&mut packed)?;
    header.unpacked(&packed).ok_or(RecordFault::Damaged)
}

// Each thread keeps its own: to make one takes longer than it takes with the record of a page.
thread_local! {
    static PACKER: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static UNPACKER: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// The result of `work` with what the thread keeps, which is made if it is not there.
fn with<T, R>(
    kept: &'static LocalKey<RefCell<Option<T>>>,
    make: impl FnOnce() -> io::Result<T>,
    work: impl FnOnce(&mut T) -> io::Result<R>,
) -> io::Result<R> {
    kept.with_borrow_mut(|kept| match kept {
        Some(kept) => work(kept),
        None => work(kept.insert(make()?)),
    })
}

/// The bytes before the payload of a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    lengths: [u8; 8],
    /// Bytes of the payload.
    pub(crate) packed: usize,
    /// Bytes of its content.
    length: usize,
    checksum: [u8; 8],
}

impl Header {
    /// That of the record that begins with these bytes; `None` where no record does.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte));
        let rest = bytes.strip_prefix(&MAGIC)?;
        let lengths: [u8; 8] = rest.get(..8)?.try_into().ok()?;
        let checksum: [u8; 8] = rest.get(8..16)?.try_into().ok()?;
        let [packed, length] = [&lengths[..4], &lengths[4..]].map(number);
        let is_possible = length <= MOST_BYTES && packed <= zstd::zstd_safe::compress_bound(MOST_BYTES);
        is_possible.then_some(Header { lengths, packed, length, checksum })
    }

    /// True if `packed` is the payload as it was written.
    pub(super) fn is_of(&self, packed: &[u8]) -> bool {
        packed.len() == self.packed && checksum(&self.lengths, packed) == self.checksum
    }

    /// The content of the record with this payload, once it is checked.
    fn unpacked(&self, packed: &[u8]) -> Option<Vec<u8>> {
        if !self.is_of(packed) {
            return None;
        }
        let unpacked = with(&UNPACKER, Decompressor::new, |unpacker| unpacker.decompress(packed, self.length));
        unpacked.ok().filter(|content| content.len() == self.length)
    }
}

/// True if these bytes are one whole record.
pub(crate) fn is_whole(record: &[u8]) -> bool {
    Header::of(record).is_some_and(|header| header.is_of(&record[HEADER..]))
}

/// The checksum of a record in its own bytes.
pub(crate) fn checksum_of(record: &[u8]) -> u64 {
    Header::of(record).map_or(0, |header| u64::from_le_bytes(header.checksum))
}

/// The content of a record whose bytes were checked already.
pub(crate) fn content_of(record: &[u8]) -> Option<Vec<u8>> {
    Header::of(record)?.unpacked(&record[HEADER..])
}

fn lengths_of(packed: u32, unpacked: u32) -> [u8; 8] {
    (u64::from(packed) | u64::from(unpacked) << 32).to_le_bytes()
}

fn checksum(lengths: &[u8], packed: &[u8]) -> [u8; 8] {
    let digest = Sha256::new().chain_update(lengths).chain_update(packed).finalize();
    std::array::from_fn(|place| digest[place])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(mut bytes: &[u8]) -> Option<Vec<u8>> {
        read_record(&mut bytes).ok()
    }

    #[test]
    fn the_form_is_as_it_is_written_down() {
        let bytes = record(b"abc").unwrap();
        assert_eq!(&bytes[..4], b"CRT2");
        assert_eq!(bytes[4..8], (bytes.len() as u32 - 20).to_le_bytes());
        assert_eq!(bytes[8..12], 3u32.to_le_bytes());
        let digest = Sha256::new().chain_update(&bytes[4..12]).chain_update(&bytes[20..]).finalize();
        assert_eq!(bytes[12..20], digest[..8]);
        assert_eq!(zstd::decode_all(&bytes[20..]).unwrap(), b"abc");
    }

    #[test]
    fn records_follow_each_other() {
        let bytes = [record(b"one").unwrap(), record(b"").unwrap(), record(b"three").unwrap()].concat();
        let mut rest = &bytes[..];
        assert_eq!(read_record(&mut rest).unwrap(), b"one");
        assert_eq!(read_record(&mut rest).unwrap(), b"");
        assert_eq!(read_record(&mut rest).unwrap(), b"three");
        assert!(matches!(read_record(&mut rest), Err(RecordFault::Damaged)));
    }

    #[test]
    fn an_error_of_the_system_is_no_damage() {
        struct Failing;
        impl Read for Failing {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::from_raw_os_error(5))
            }
        }
        assert!(matches!(read_record(&mut Failing), Err(RecordFault::System(_))));
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_noticed() {
        let whole = record("每一位都算数 every bit counts".as_bytes()).unwrap();
        for bit in 0..whole.len() * 8 {
            let mut flipped = whole.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(read(&flipped), None, "bit {bit}");
        }
        for cut in 0..whole.len() {
            assert_eq!(read(&whole[..cut]), None, "cut at {cut}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(content in proptest::collection::vec(any::<u8>(), 0..3000)) {
            prop_assert_eq!(read(&record(&content).unwrap()), Some(content));
        }
    }
}
