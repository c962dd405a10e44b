//! The failures and notes that `run.json` tells: the first of them with their number, and all of them in a file where they
//! are more.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Failure;
use super::tables::Table;
use crate::formats::files::{FileError, remove};

/// `run.json` tells so many failures and so many notes.
const MOST_TOLD: usize = 1_000;

/// The first of many, and their number.
#[derive(Clone, Debug)]
pub(super) struct Told<T> {
    /// The first of them.
    pub(super) first: Vec<T>,
    /// The number of them.
    pub(super) count: usize,
}

/// The number of failures and notes of a run. `failures.csv` and `notes.csv` have all of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct InAll {
    /// Its failures.
    pub(in crate::runs) failures: usize,
    /// The pages on which something failed.
    pub(in crate::runs) failed_pages: usize,
    /// Its notes.
    pub(in crate::runs) notes: usize,
}

impl InAll {
    /// `None` where all of them are told.
    pub(super) fn of(failures: &Told<Failure>, failed_pages: usize, notes: &Told<String>) -> Option<Self> {
        let are_all_told = failures.count == failures.first.len() && notes.count == notes.first.len();
        (!are_all_told).then_some(InAll { failures: failures.count, failed_pages, notes: notes.count })
    }
}

/// Takes them one by one.
pub(super) struct Telling<T> {
    told: Told<T>,
    path: PathBuf,
    columns: &'static [&'static str],
    fields: fn(&T) -> Vec<String>,
    /// The file of all of them, once they are too many.
    table: Option<Table>,
}

impl<T> Telling<T> {
    /// Of nothing yet. A file at `path` has these `columns`, and of each of them these `fields`.
    ///
    /// # Errors
    /// [`FileError`]: a file of an earlier run that cannot be removed.
    pub(super) fn new(
        path: PathBuf,
        columns: &'static [&'static str],
        fields: fn(&T) -> Vec<String>,
    ) -> Result<Self, FileError> {
        remove(&path)?;
        let told = Told { first: Vec::new(), count: 0 };
        Ok(Telling { told, path, columns, fields, table: None })
    }

    /// Adds one.
    ///
    /// # Errors
    /// [`FileError`]: the file cannot be written.
    pub(super) fn add(&mut self, one: T) -> Result<(), FileError> {
        self.told.count += 1;
        if self.told.count <= MOST_TOLD {
            self.told.first.push(one);
            return Ok(());
        }
        let table = match &mut self.table {
            Some(table) => table,
            None => {
                let mut table = Table::new(&self.path, self.columns)?;
                self.told.first.iter().try_for_each(|one| table.add((self.fields)(one)))?;
                self.table.insert(table)
            }
        };
        table.add((self.fields)(&one))
    }

    /// Adds several.
    ///
    /// # Errors
    /// As [`Telling::add`].
    pub(super) fn extend(&mut self, all: impl IntoIterator<Item = T>) -> Result<(), FileError> {
        all.into_iter().try_for_each(|one| self.add(one))
    }

    /// All of them are there.
    ///
    /// # Errors
    /// As [`Telling::add`].
    pub(super) fn finish(self) -> Result<Told<T>, FileError> {
        self.table.map_or(Ok(()), Table::finish)?;
        Ok(self.told)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(count: usize) -> (Told<usize>, Option<String>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("all.csv");
        std::fs::write(&path, "of an earlier run").unwrap();
        let mut telling = Telling::new(path.clone(), &["number"], |number: &usize| vec![number.to_string()]).unwrap();
        telling.extend(0..count).unwrap();
        (telling.finish().unwrap(), std::fs::read_to_string(path).ok())
    }

    #[test]
    fn a_few_are_told_and_have_no_file() {
        let (told, file) = told(MOST_TOLD);
        assert_eq!((told.first.len(), told.count, file), (1_000, 1_000, None));
    }

    #[test]
    fn of_many_the_first_are_told_and_all_are_in_the_file() {
        let (told, file) = told(MOST_TOLD + 2);
        assert_eq!((told.first.len(), told.count, told.first[999]), (1_000, 1_002, 999));
        let file = file.unwrap();
        let lines: Vec<&str> = file.lines().collect();
        assert_eq!((lines.len(), lines[0], lines[1], lines[1_002]), (1_003, "number", "0", "1001"));
    }
}
