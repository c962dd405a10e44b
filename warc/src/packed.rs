//! The gzip members of a packed file: a record each, as the standard advises, or many.

use std::io::{self, BufRead, BufReader, Read, Write};

use flate2::bufread::GzDecoder;

use crate::archive::{Record, Source, opened, skip_empty_lines, whole_record};
use crate::fault::Fault;
use crate::plain::{Counted, scan};

type Opener<'o> = &'o dyn Fn() -> io::Result<Box<dyn Source>>;

/// The beginning of a gzip member.
pub(crate) const MAGIC: [u8; 2] = [0x1F, 0x8B];

/// A member that was read.
pub(crate) enum Member<T> {
    /// It holds nothing, and ends here.
    Empty { end: u64 },
    /// It holds one record, and ends here.
    One { found: T, end: u64 },
    /// It holds many records.
    Many,
}

/// A file that is read from one member to the next.
pub(crate) type File = Counted<BufReader<Box<dyn Source>>>;

/// Reads the member at which `file` stands; `None` at the end of the file.
pub(crate) fn member<T>(
    file: &mut File,
    look: &mut dyn FnMut(&mut Record<'_>) -> T,
) -> Result<Option<Member<T>>, Fault> {
    let first = file.fill_buf()?;
    if first.is_empty() {
        return Ok(None);
    }
    if !first.starts_with(&MAGIC[..first.len().min(2)]) {
        return Err(Fault::broken("no gzip member begins here"));
    }
    let mut unpacked = BufReader::with_capacity(32 << 10, GzDecoder::new(&mut *file));
    let found = whole_record(&mut unpacked, look)?;
    if skip_empty_lines(&mut unpacked)? {
        return Ok(Some(Member::Many));
    }
    let end = file.at;
    Ok(Some(found.map_or(Member::Empty { end }, |found| Member::One { found, end })))
}

/// Unpacks the member at `at` to `into`, and takes its bytes from `left`: their number, and where the member ends. That is
/// not known of a member that is cut.
pub(crate) fn unpack(
    open: Opener<'_>,
    at: u64,
    into: &mut impl Write,
    left: &mut u64,
) -> Result<(u64, Option<u64>), Fault> {
    let mut file = Counted::new(BufReader::with_capacity(64 << 10, opened(open, at)?), at);
    let mut unpacked = GzDecoder::new(&mut file);
    let (mut buffer, mut length) = (vec![0; 64 << 10], 0);
    loop {
        let new = match unpacked.read(&mut buffer) {
            Ok(0) => break,
            Ok(new) => new,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok((length, None)),
            // Bytes that were unpacked before may be wrong, too.
            Err(error) => return Err(error.into()),
        };
        *left = left.checked_sub(new as u64).ok_or(Fault::TooMuch)?;
        into.write_all(&buffer[..new]).map_err(Fault::Unwritten)?;
        length += new as u64;
    }
    Ok((length, Some(file.at)))
}

/// So many bytes of a member show what it begins with.
const BEGINNING: usize = 1 << 10;

/// Where behind `at` the next member begins that holds a record.
pub(crate) fn next_member(open: Opener<'_>, at: u64) -> io::Result<Option<u64>> {
    let mut file = opened(open, at)?;
    scan(&mut file, at, BEGINNING, |window| {
        let mut places = window.windows(MAGIC.len()).enumerate().filter(|(_, bytes)| *bytes == MAGIC);
        places.find(|(place, _)| begins_record(&window[*place..])).map(|(place, _)| place)
    })
}

fn begins_record(bytes: &[u8]) -> bool {
    let mut beginning = [0; 7];
    let bytes = &bytes[..bytes.len().min(BEGINNING)];
    bytes.get(2) == Some(&8) && GzDecoder::new(bytes).read_exact(&mut beginning).is_ok() && &beginning == b"WARC/1."
}
