//! Records one behind the other in a file that is not packed.

use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;

use crate::archive::{Place, Record, Source, opened, skip_empty_lines, whole_record};
use crate::fault::Fault;

type Opener<'o> = &'o dyn Fn() -> io::Result<Box<dyn Source>>;

/// A file that knows where it is.
pub(crate) struct Counted<R> {
    file: R,
    pub(crate) at: u64,
}

impl<R> Counted<R> {
    pub(crate) fn new(file: R, at: u64) -> Self {
        Counted { file, at }
    }
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read(buffer)?;
        self.at += length as u64;
        Ok(length)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.file.fill_buf()
    }

    fn consume(&mut self, length: usize) {
        self.at += length as u64;
        self.file.consume(length);
    }
}

/// Reads the records in `span`; `place` makes the place of one of its offset. Says whether nothing was broken.
pub(crate) fn read<T, E>(
    open: Opener<'_>,
    span: Range<u64>,
    place: &dyn Fn(u64) -> Place,
    look: &mut dyn FnMut(&mut Record<'_>) -> T,
    take: &mut dyn FnMut(Place, Result<T, Fault>) -> Result<(), E>,
) -> Result<bool, E> {
    let (mut at, mut is_whole) = (span.start, true);
    loop {
        let read = records_from(open, at..span.end, place, look, take)?;
        let Some((broken, fault)) = read else { return Ok(is_whole) };
        is_whole = false;
        take(place(broken), Err(fault))?;
        match next_record(open, broken + 1..span.end) {
            Ok(Some(next)) => at = next,
            Ok(None) => return Ok(false),
            Err(error) => return take(place(broken), Err(error.into())).map(|()| false),
        }
    }
}

/// Reads the records in `span` up to the first that is broken, which is given with its offset.
fn records_from<T, E>(
    open: Opener<'_>,
    span: Range<u64>,
    place: &dyn Fn(u64) -> Place,
    look: &mut dyn FnMut(&mut Record<'_>) -> T,
    take: &mut dyn FnMut(Place, Result<T, Fault>) -> Result<(), E>,
) -> Result<Option<(u64, Fault)>, E> {
    let mut file = match opened(open, span.start) {
        Ok(file) => Counted::new(BufReader::with_capacity(64 << 10, file), span.start),
        Err(error) => return Ok(Some((span.start, error.into()))),
    };
    loop {
        let left = span.end - file.at;
        let mut input = (&mut file).take(left);
        match skip_empty_lines(&mut input) {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(error) => return Ok(Some((file.at, error.into()))),
        }
        let at = span.end - input.limit();
        match whole_record(&mut input, look) {
            Ok(None) => return Ok(None),
            Ok(Some(found)) => take(place(at), Ok(found))?,
            Err(fault) => return Ok(Some((at, fault))),
        }
    }
}

const BEGINNING: &[u8] = b"\nWARC/1.";

/// Where in `span` the next line begins that could begin a record.
fn next_record(open: Opener<'_>, span: Range<u64>) -> io::Result<Option<u64>> {
    let mut file = opened(open, span.start)?.take(span.end - span.start);
    scan(&mut file, span.start, BEGINNING.len(), |window| {
        window.windows(BEGINNING.len()).position(|bytes| bytes == BEGINNING).map(|at| at + 1)
    })
}

/// Reads `file`, which stands at `at`, piece by piece until `find` finds something in one, and says where that is. Pieces
/// overlap by `overlap` bytes.
pub(crate) fn scan(
    file: &mut impl Read,
    at: u64,
    overlap: usize,
    mut find: impl FnMut(&[u8]) -> Option<usize>,
) -> io::Result<Option<u64>> {
    const PIECE: u64 = 256 << 10;
    let (mut window, mut begin) = (Vec::new(), at);
    loop {
        let read = file.by_ref().take(PIECE).read_to_end(&mut window)?;
        if let Some(found) = find(&window) {
            return Ok(Some(begin + found as u64));
        }
        if read == 0 {
            return Ok(None);
        }
        let passed = window.len().saturating_sub(overlap);
        window.drain(..passed);
        begin += passed as u64;
    }
}
