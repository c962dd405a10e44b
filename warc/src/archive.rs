//! A file of records: which there are, what is broken, and one of them again at its place.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::str::FromStr;

use tempfile::NamedTempFile;

use crate::fault::{CUT, Fault};
use crate::head::{Header, read_header};
use crate::packed::{self, Member};
use crate::plain;

/// A file that is read, from any place on.
pub trait Source: Read + Seek {}

impl<S: Read + Seek> Source for S {}

/// Opens the file.
pub type Open = Box<dyn Fn() -> io::Result<Box<dyn Source>> + Send + Sync>;

/// Gzip members of many records are unpacked onto the disk, all together at most so many bytes.
pub const MAX_UNPACKED_BYTES: u64 = 4 << 30;

/// A file of records.
pub struct Archive {
    open: Open,
    is_packed: bool,
    unpacked: Unpacked,
}

impl fmt::Debug for Archive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Archive").field("is_packed", &self.is_packed).field("unpacked", &self.unpacked).finish()
    }
}

/// The gzip members of many records, unpacked one behind the other.
#[derive(Debug, Default)]
struct Unpacked {
    file: Option<NamedTempFile>,
    /// Where what stands in a member is in the file, by the member's offset.
    spans: BTreeMap<u64, Range<u64>>,
    /// Where the last of them ends in the file.
    end: u64,
}

/// Where a record stands in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Where it begins, or the gzip member that holds it, in bytes.
    pub offset: u64,
    /// Where it begins in what is unpacked from that member, if that holds many records.
    pub inside: Option<u64>,
}

impl Place {
    pub(crate) fn at(offset: u64) -> Self {
        Place { offset, inside: None }
    }
}

/// `12`, or `12+34` in a member of many records.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.offset)?;
        self.inside.map_or(Ok(()), |inside| write!(f, "+{inside}"))
    }
}

impl FromStr for Place {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (offset, inside) = text.split_once('+').map_or((text, None), |(offset, inside)| (offset, Some(inside)));
        Ok(Place { offset: offset.parse()?, inside: inside.map(str::parse).transpose()? })
    }
}

/// A record, whose block is read once.
pub struct Record<'r> {
    /// Its header.
    pub header: Header,
    /// Its content, of at most [`Header::length`] bytes.
    pub block: &'r mut dyn BufRead,
}

impl Archive {
    /// The file that `open` opens. Its first bytes say that it is packed, or, where they are damaged, `is_named_packed` does.
    ///
    /// # Errors
    /// [`io::Error`]: it cannot be read.
    pub fn new(open: Open, is_named_packed: bool) -> io::Result<Archive> {
        let mut first = Vec::new();
        open()?.take(5).read_to_end(&mut first)?;
        let is_packed = first != b"WARC/" && (is_named_packed || first.starts_with(&packed::MAGIC));
        Ok(Archive { open, is_packed, unpacked: Unpacked::default() })
    }

    /// Reads all records in the order of the file. `look` sees each while it is read. `take` is given what `look` made of
    /// it once the record is known to be whole, or what is broken; an error of `take` ends it. Members of many records
    /// take their bytes from `left`.
    ///
    /// # Errors
    /// As `take`.
    pub fn read<T, E>(
        &mut self,
        left: &mut u64,
        mut look: impl FnMut(&mut Record<'_>) -> T,
        mut take: impl FnMut(Place, Result<T, Fault>) -> Result<(), E>,
    ) -> Result<(), E> {
        if !self.is_packed {
            let span = 0..u64::MAX;
            return plain::read(&*self.open, span, &Place::at, &mut look, &mut take).map(drop);
        }
        let (mut at, mut file) = (0, None);
        loop {
            let read = self.member(at, &mut file, &mut look);
            if !matches!(read, Ok(Some(Member::One { .. } | Member::Empty { .. }))) {
                file = None;
            }
            at = match read {
                Ok(None) => return Ok(()),
                Ok(Some(Member::Empty { end })) => end,
                Ok(Some(Member::One { found, end })) => {
                    take(Place::at(at), Ok(found))?;
                    end
                }
                Ok(Some(Member::Many)) => match self.unpack(at, left) {
                    Ok((span, end)) => {
                        self.read_unpacked(at, span, end.is_none(), &mut look, &mut take)?;
                        let Some(end) = end else { return Ok(()) };
                        end
                    }
                    Err(fault) => match self.passed(at, fault, &mut take)? {
                        Some(next) => next,
                        None => return Ok(()),
                    },
                },
                Err(fault) => match self.passed(at, fault, &mut take)? {
                    Some(next) => next,
                    None => return Ok(()),
                },
            };
        }
    }

    /// Reads the member at `at`, where `file` stands if it is open.
    fn member<T>(
        &self,
        at: u64,
        file: &mut Option<packed::File>,
        look: &mut dyn FnMut(&mut Record<'_>) -> T,
    ) -> Result<Option<Member<T>>, Fault> {
        let file = match file {
            Some(file) => file,
            None => file.insert(packed::File::new(BufReader::with_capacity(64 << 10, opened(&*self.open, at)?), at)),
        };
        packed::member(file, look)
    }

    /// Tells that the member at `at` is broken, and finds the next.
    fn passed<T, E>(
        &self,
        at: u64,
        fault: Fault,
        take: &mut impl FnMut(Place, Result<T, Fault>) -> Result<(), E>,
    ) -> Result<Option<u64>, E> {
        take(Place::at(at), Err(fault))?;
        match packed::next_member(&*self.open, at + 1) {
            Ok(next) => Ok(next),
            Err(error) => take(Place::at(at), Err(error.into())).map(|()| None),
        }
    }

    /// The records of the member at `at`, which is unpacked to `span`, and cut or whole.
    fn read_unpacked<T, E>(
        &self,
        at: u64,
        span: Range<u64>,
        is_cut: bool,
        look: &mut dyn FnMut(&mut Record<'_>) -> T,
        take: &mut dyn FnMut(Place, Result<T, Fault>) -> Result<(), E>,
    ) -> Result<(), E> {
        let begin = span.start;
        let place = |offset: u64| Place { offset: at, inside: Some(offset - begin) };
        let end = span.end;
        let is_whole = plain::read(&|| self.unpacked.open(), span, &place, look, take)?;
        if is_cut && is_whole { take(place(end), Err(Fault::broken(CUT))) } else { Ok(()) }
    }

    /// Unpacks the member at `at`. Where it is cut, what stands before the cut is kept, and no end is known.
    fn unpack(&mut self, at: u64, left: &mut u64) -> Result<(Range<u64>, Option<u64>), Fault> {
        if self.unpacked.file.is_none() {
            self.unpacked.file = Some(NamedTempFile::new().map_err(Fault::Unwritten)?);
        }
        let Some(file) = self.unpacked.file.as_mut() else { return Err(Fault::TooMuch) };
        let begin = self.unpacked.end;
        file.as_file_mut().seek(SeekFrom::Start(begin)).map_err(Fault::Unwritten)?;
        let (length, end) = packed::unpack(&*self.open, at, file, left)?;
        let span = begin..begin + length;
        self.unpacked.end = span.end;
        self.unpacked.spans.insert(at, span.clone());
        Ok((span, end))
    }

    /// Gives the record at `place` to `look`, which may read as much of it as it needs.
    ///
    /// # Errors
    /// [`Fault`]: there is none any more, or it cannot be read.
    pub fn record_at<T>(&self, place: Place, look: impl FnOnce(&mut Record<'_>) -> T) -> Result<T, Fault> {
        let gone = || Fault::broken("no record begins here");
        let Some(inside) = place.inside else {
            let mut file = BufReader::new(opened(&*self.open, place.offset)?);
            return match self.is_packed {
                true => looked(&mut BufReader::new(flate2::bufread::GzDecoder::new(file)), look),
                false => looked(&mut file, look),
            };
        };
        let span = self.unpacked.spans.get(&place.offset).ok_or_else(gone)?;
        let at = span.start.checked_add(inside).filter(|at| *at < span.end).ok_or_else(gone)?;
        let file = BufReader::new(opened(&|| self.unpacked.open(), at)?);
        looked(&mut file.take(span.end - at), look)
    }
}

impl Unpacked {
    fn open(&self) -> io::Result<Box<dyn Source>> {
        let file = self.file.as_ref().ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(file.reopen()?))
    }
}

/// The file at the byte `at`.
pub(crate) fn opened(open: &dyn Fn() -> io::Result<Box<dyn Source>>, at: u64) -> io::Result<Box<dyn Source>> {
    let mut file = open()?;
    file.seek(SeekFrom::Start(at))?;
    Ok(file)
}

fn looked<T>(input: &mut dyn BufRead, look: impl FnOnce(&mut Record<'_>) -> T) -> Result<T, Fault> {
    let header = read_header(input)?.ok_or_else(|| Fault::broken("no record begins here"))?;
    let mut block = input.take(header.length);
    Ok(look(&mut Record { header, block: &mut block }))
}

/// Reads the record that begins `input` to its end, with what `look` makes of it; `None` where nothing is left.
pub(crate) fn whole_record<T>(
    input: &mut dyn BufRead,
    look: &mut dyn FnMut(&mut Record<'_>) -> T,
) -> Result<Option<T>, Fault> {
    let Some(header) = read_header(input)? else { return Ok(None) };
    let length = header.length;
    let mut block = input.take(length);
    let found = look(&mut Record { header, block: &mut block });
    io::copy(&mut block, &mut io::sink())?;
    if block.limit() > 0 {
        return Err(Fault::broken(format!(
            "its block has {} of the {length} bytes that its header states: the file is cut",
            length - block.limit()
        )));
    }
    match input.fill_buf()?.first() {
        None | Some(b'\r' | b'\n') => Ok(Some(found)),
        Some(_) => Err(Fault::broken("its block is longer than its header states")),
    }
}

/// Passes over empty lines; true if something stands behind them.
pub(crate) fn skip_empty_lines(input: &mut dyn BufRead) -> io::Result<bool> {
    loop {
        let buffer = input.fill_buf()?;
        let blank = buffer.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        if buffer.is_empty() || blank < buffer.len() {
            let is_more = !buffer.is_empty();
            input.consume(blank);
            return Ok(is_more);
        }
        input.consume(blank);
    }
}

#[cfg(test)]
mod tests;
