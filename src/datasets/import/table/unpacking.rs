//! Parts of a table that are packed or in another encoding, written out in UTF-8.

use std::io::{self, Read, Write};

use encoding_rs::{DecoderResult, Encoding};

use crate::formats::code::Code;

/// The packed parts of a table hold at most so many bytes, all together: they are unpacked onto the disk.
pub(super) const MAX_UNPACKED_BYTES: u64 = 4 << 30;

/// Writes `content`, which is in `encoding`, to `copy` in UTF-8, of which no more than `left` bytes may come.
pub(super) fn decode(
    content: &mut impl Read,
    encoding: &'static Encoding,
    copy: &mut impl Write,
    left: &mut u64,
) -> Result<(), (Code, String)> {
    let mut decoder = encoding.new_decoder();
    let mut bytes = vec![0; 64 << 10];
    loop {
        let count = match content.read(&mut bytes) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err((Code::Upstream, format!("cannot be read: {error}"))),
        };
        let most = decoder.max_utf8_buffer_length_without_replacement(count).unwrap_or(4 * count + 16);
        let mut text = String::with_capacity(most);
        let (decoded, _) = decoder.decode_to_string_without_replacement(&bytes[..count], &mut text, count == 0);
        if matches!(decoded, DecoderResult::Malformed(..)) {
            return Err((Code::Encoding, format!("is not valid {}", encoding.name())));
        }
        *left = left
            .checked_sub(text.len() as u64)
            .ok_or_else(|| (Code::Size, format!("the table has more than {MAX_UNPACKED_BYTES} bytes in UTF-8")))?;
        copy.write_all(text.as_bytes()).map_err(|error| (Code::Write, no_copy(&error)))?;
        if count == 0 {
            return copy.flush().map_err(|error| (Code::Write, no_copy(&error)));
        }
    }
}

/// Copies what is packed, and takes its bytes from `left`; a fault is its code and a sentence.
pub(super) fn unpack(packed: &mut impl Read, into: &mut impl Write, left: &mut u64) -> Result<(), (Code, String)> {
    let mut buffer = vec![0; 64 << 10];
    loop {
        let length = match packed.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err((Code::Upstream, format!("cannot be unpacked: {error}"))),
        };
        *left = left.checked_sub(length as u64).ok_or_else(|| {
            let message = "the packed parts of a table hold more bytes than are unpacked at once";
            (Code::Size, format!("{message} ({MAX_UNPACKED_BYTES}); unpack them first"))
        })?;
        into.write_all(&buffer[..length]).map_err(|error| (Code::Write, no_copy(&error)))?;
    }
}

pub(super) fn no_copy(error: &io::Error) -> String {
    format!("its unpacked copy cannot be written to the temporary folder: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unpacking_is_bounded_over_all_parts() {
        let (mut left, mut copy) = (10, Vec::new());
        unpack(&mut &[1; 6][..], &mut copy, &mut left).unwrap();
        unpack(&mut &[2; 4][..], &mut copy, &mut left).unwrap();
        assert_eq!((left, copy.len()), (0, 10));
        assert_eq!(unpack(&mut &[3; 1][..], &mut copy, &mut left).unwrap_err().0, Code::Size);
        assert_eq!(copy.len(), 10, "nothing more is written");
    }

    #[test]
    fn a_full_disk_is_no_fault_of_the_part() {
        // A slice takes no more than its length.
        assert_eq!(unpack(&mut &[1; 6][..], &mut &mut [0; 3][..], &mut 10).unwrap_err().0, Code::Write);
        let mut damaged = flate2::read::MultiGzDecoder::new(&b"no gzip"[..]);
        assert_eq!(unpack(&mut damaged, &mut Vec::new(), &mut 10).unwrap_err().0, Code::Upstream);
    }
}
