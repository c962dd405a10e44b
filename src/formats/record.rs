//! Checked records: bytes with a checksum, packed. What a run stores of its pages is made of them, so that a bit that
//! flipped on a disk is noticed whenever a record is read.
//!
//! A record is the magic `CRT2`, the packed and the unpacked length (`u32`), a checksum (`u64`) and the payload, a
//! Zstandard frame; numbers are little-endian. The checksum is the first 8 bytes of the SHA-256 of both lengths and
//! the payload.

use std::io::{self, ErrorKind, Read};

use sha2::{Digest, Sha256};

use super::reading::is_of_system;

/// What every record begins with.
const MAGIC: [u8; 4] = *b"CRT2";

/// Magic, lengths and checksum.
const HEADER: usize = 4 + 4 + 4 + 8;

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
    let packed = zstd::bulk::compress(content, COMPRESSION)?;
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
    let (packed, length) = read_packed(from)?;
    let content = zstd::bulk::decompress(&packed, length).map_err(|_| RecordFault::Damaged)?;
    if content.len() == length { Ok(content) } else { Err(RecordFault::Damaged) }
}

/// Checks the next record of `from`, and goes past it.
///
/// # Errors
/// As [`read_record`].
pub fn check_record(from: &mut impl Read) -> Result<(), RecordFault> {
    read_packed(from).map(drop)
}

/// The payload of the next record, and the length of what it holds.
fn read_packed(from: &mut impl Read) -> Result<(Vec<u8>, usize), RecordFault> {
    let mut header = [0; HEADER];
    from.read_exact(&mut header)?;
    let (magic, rest) = header.split_at(4);
    let (lengths, expected) = rest.split_at(8);
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte));
    let [packed_length, length] = [&lengths[..4], &lengths[4..]].map(number);
    if magic != MAGIC || length > MOST_BYTES || packed_length > zstd::zstd_safe::compress_bound(MOST_BYTES) {
        return Err(RecordFault::Damaged);
    }
    // Bit by bit: of a length that is wrong no memory is taken before the bytes are there.
    let mut packed = Vec::new();
    let had = from.take(packed_length as u64).read_to_end(&mut packed)?;
    match had == packed_length && checksum(lengths, &packed) == expected {
        true => Ok((packed, length)),
        false => Err(RecordFault::Damaged),
    }
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
        check_record(&mut rest).unwrap();
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
