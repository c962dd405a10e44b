//! The steps of exact sweeps: as many as memory should hold, and more in files that are sorted one by one and read together.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use crate::algorithms::value::Value;
use crate::runs::sweep::{SiteStep, Step};

/// So many steps of all sweeps are held: some 300 MB.
pub(super) const MOST_HELD: usize = 4_000_000;

/// So many files of one sweep are open; then they become one.
const MOST_FILES: usize = 16;

/// Bytes of a step in a file.
const BYTES: usize = 8 + 8 + 1 + 1 + 4 + 3 * 8;

/// Stands for a number that is computed, which has no digits.
const COMPUTED: u8 = u8::MAX;

/// The steps of a sweep.
#[derive(Default)]
pub(super) struct Steps {
    held: Vec<SiteStep>,
    /// Each sorted.
    files: Vec<File>,
}

impl Steps {
    /// Adds steps; gives how many are held more.
    pub(super) fn extend(&mut self, steps: impl Iterator<Item = SiteStep>) -> usize {
        let before = self.held.len();
        self.held.extend(steps);
        self.held.len() - before
    }

    /// Puts what is held into a file.
    ///
    /// # Errors
    /// [`io::Error`]: the folder for temporary files takes no more.
    pub(super) fn put_away(&mut self) -> io::Result<()> {
        if self.held.is_empty() {
            return Ok(());
        }
        let mut held = std::mem::take(&mut self.held);
        sort(&mut held);
        let file = written(held.into_iter().map(Ok))?;
        self.files.push(file);
        if self.files.len() >= MOST_FILES {
            let files = std::mem::take(&mut self.files);
            self.files.push(written(Merged::of(files)?)?);
        }
        Ok(())
    }

    /// All of them, in their order.
    ///
    /// # Errors
    /// As [`Steps::put_away`].
    pub(super) fn sorted(mut self) -> io::Result<Sorted> {
        if self.files.is_empty() {
            sort(&mut self.held);
            return Ok(Sorted { held: self.held, file: None, failed: RefCell::default() });
        }
        self.put_away()?;
        let file = match self.files.len() {
            1 => self.files.remove(0),
            _ => written(Merged::of(self.files)?)?,
        };
        Ok(Sorted { held: Vec::new(), file: Some(file), failed: RefCell::default() })
    }
}

fn sort(steps: &mut [SiteStep]) {
    steps.sort_unstable_by_key(|SiteStep { step, .. }| step.start());
}

/// The sorted steps of a sweep, which can be read several times.
pub(super) struct Sorted {
    held: Vec<SiteStep>,
    file: Option<File>,
    failed: RefCell<Option<io::Error>>,
}

impl Sorted {
    /// The steps in their order; they end early where the file cannot be read, which [`Sorted::finish`] tells.
    pub(super) fn iter(&self) -> Box<dyn Iterator<Item = SiteStep> + '_> {
        let Some(file) = &self.file else { return Box::new(self.held.iter().copied()) };
        let steps = file.try_clone().and_then(Reading::of);
        let steps = steps.map_err(|error| self.failed.replace(Some(error))).ok().into_iter().flatten();
        Box::new(steps.map_while(|step| step.map_err(|error| self.failed.replace(Some(error))).ok()))
    }

    /// Nothing is read any more.
    ///
    /// # Errors
    /// [`io::Error`]: the file could not be read to its end.
    pub(super) fn finish(self) -> io::Result<()> {
        self.failed.into_inner().map_or(Ok(()), Err)
    }
}

/// A file of sorted steps. It has no name, and goes with the program.
fn written(steps: impl Iterator<Item = io::Result<SiteStep>>) -> io::Result<File> {
    let mut file = BufWriter::new(tempfile::tempfile()?);
    for step in steps {
        file.write_all(&bytes_of(&step?))?;
    }
    file.into_inner().map_err(io::IntoInnerError::into_error)
}

fn bytes_of(SiteStep { site, step }: &SiteStep) -> [u8; BYTES] {
    let (at, after, change) = step.parts();
    let (numerator, denominator, digits) = at.parts();
    let mut bytes = [0; BYTES];
    bytes[..8].copy_from_slice(&numerator.to_le_bytes());
    bytes[8..16].copy_from_slice(&denominator.to_le_bytes());
    bytes[16] = digits.unwrap_or(COMPUTED);
    bytes[17] = u8::from(after);
    bytes[18..22].copy_from_slice(&site.to_le_bytes());
    for (place, change) in change.iter().enumerate() {
        bytes[22 + 8 * place..30 + 8 * place].copy_from_slice(&change.to_le_bytes());
    }
    bytes
}

fn step_of(bytes: &[u8; BYTES]) -> SiteStep {
    let number = |from: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[from + i]));
    let digits = Some(bytes[16]).filter(|&digits| digits != COMPUTED);
    let at = Value::of_parts(number(0), number(8), digits);
    let change = std::array::from_fn(|place| number(22 + 8 * place) as i64);
    let site = u32::from_le_bytes(std::array::from_fn(|i| bytes[18 + i]));
    SiteStep { site, step: Step::of_parts(at, bytes[17] > 0, change) }
}

/// Reads a file of steps from its beginning.
struct Reading(BufReader<File>);

impl Reading {
    fn of(mut file: File) -> io::Result<Self> {
        file.rewind()?;
        Ok(Reading(BufReader::new(file)))
    }
}

impl Iterator for Reading {
    type Item = io::Result<SiteStep>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut bytes = [0; BYTES];
        match self.0.read_exact(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => None,
            read => Some(read.map(|()| step_of(&bytes))),
        }
    }
}

/// Several files of sorted steps, read together.
struct Merged {
    files: Vec<Reading>,
    /// Where the next step of each file begins, and the file's place.
    next: BinaryHeap<Reverse<((Value, bool), usize)>>,
    heads: Vec<Option<SiteStep>>,
}

impl Merged {
    fn of(files: Vec<File>) -> io::Result<Self> {
        let files: Vec<Reading> = files.into_iter().map(Reading::of).collect::<Result<_, _>>()?;
        let mut merged = Merged { heads: vec![None; files.len()], files, next: BinaryHeap::new() };
        (0..merged.files.len()).try_for_each(|place| merged.read(place))?;
        Ok(merged)
    }

    fn read(&mut self, place: usize) -> io::Result<()> {
        self.heads[place] = self.files[place].next().transpose()?;
        self.next.extend(self.heads[place].map(|SiteStep { step, .. }| Reverse((step.start(), place))));
        Ok(())
    }
}

impl Iterator for Merged {
    type Item = io::Result<SiteStep>;

    fn next(&mut self) -> Option<Self::Item> {
        let Reverse((_, place)) = self.next.pop()?;
        let step = self.heads[place].take()?;
        Some(self.read(place).map(|()| step))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::sweep::{mean_curve, site_sums};

    /// Steps at decimals, fractions and infinity, in no order.
    fn steps() -> Vec<SiteStep> {
        let step = |number: u64| {
            let at = match number % 5 {
                0 => Value::decimal(number * 7919 % 1000, 3),
                1 => Value::ratio(number * 31 % 97, 97),
                2 => Value::INFINITY,
                _ => Value::ratio(number % 13, 13),
            };
            let change = [number as i64 * 1_000_003, -(number as i64), 17 * number as i64 - 900];
            SiteStep { site: (number % 6) as u32, step: Step::of_parts(at, number.is_multiple_of(2), change) }
        };
        (0..2_000).map(step).collect()
    }

    #[test]
    fn steps_in_files_are_those_that_are_held() {
        let all = steps();
        let mut held = Steps::default();
        held.extend(all.iter().copied());
        let held = held.sorted().unwrap();
        let range = (Value::ZERO, Value::INFINITY, false);
        let curve = mean_curve(held.iter(), 40, range);
        assert!(curve.len() > 100, "{}", curve.len());
        for at_a_time in [1_999, 700, 97] {
            let mut put_away = Steps::default();
            for part in all.chunks(at_a_time) {
                put_away.extend(part.iter().copied());
                put_away.put_away().unwrap();
                assert!(put_away.held.is_empty() && put_away.files.len() < MOST_FILES);
            }
            let sorted = put_away.sorted().unwrap();
            assert_eq!(sorted.iter().count(), all.len());
            assert_eq!(mean_curve(sorted.iter(), 40, range), curve);
            // It is read again from its beginning.
            let pieces = || curve.iter().step_by(7);
            assert_eq!(site_sums(sorted.iter(), 6, pieces()), site_sums(held.iter(), 6, pieces()));
            sorted.finish().unwrap();
        }
    }

    #[test]
    fn a_step_is_read_as_it_was_written() {
        for step in steps() {
            let read = step_of(&bytes_of(&step));
            assert_eq!((read.site, read.step), (step.site, step.step));
            assert_eq!(read.step.parts().0.to_string(), step.step.parts().0.to_string());
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_is_told() {
        let sorted = Sorted {
            held: Vec::new(),
            file: Some(tempfile::tempdir().and_then(|folder| File::open(folder.path())).unwrap()),
            failed: RefCell::default(),
        };
        assert_eq!(sorted.iter().count(), 0);
        assert!(sorted.finish().is_err());
    }
}
