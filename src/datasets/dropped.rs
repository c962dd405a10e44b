//! What a load that goes on at faults found wrong, and left out.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::DatasetError;
use crate::text::counted;

/// What a load that goes on at faults found wrong, and left out.
#[derive(Clone, Debug, Default)]
pub struct Dropped {
    /// Pages that are no part of the dataset, each for a fault of its own.
    pub pages: usize,
    /// Those faults, the first [`Dropped::MOST`] of them.
    pub faults: Vec<DatasetError>,
    /// What could not be read of page lists: nobody can count the pages there.
    pub lost: Vec<LostLines>,
    /// Faults of the whole: page lists that cannot be read to their end, counts and a digest that are not the pages'.
    pub of_set: Vec<DatasetError>,
}

/// The lines of a page list that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LostLines {
    /// The list, as the manifest names it.
    pub list: String,
    /// The first of them, from 1.
    pub from_line: usize,
}

impl fmt::Display for LostLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the rest of `{}` from line {}", self.list, self.from_line)
    }
}

impl Dropped {
    /// So many faults of pages are listed.
    pub const MOST: usize = 1000;

    /// Whether no page is left out.
    pub fn is_whole(&self) -> bool {
        self.pages == 0 && self.lost.is_empty()
    }

    /// Every fault that is listed, those of the whole last.
    pub fn listed(&self) -> impl Iterator<Item = &DatasetError> {
        self.faults.iter().chain(&self.of_set)
    }

    /// Pages whose faults are not listed.
    pub fn unlisted(&self) -> usize {
        self.pages - self.faults.len()
    }

    /// What is left out, in words: `2 pages`, `the rest of a page list`; nothing where every page is there.
    pub fn left_out(&self) -> impl Iterator<Item = String> {
        let pages = (self.pages > 0).then(|| counted(self.pages, "page"));
        pages.into_iter().chain(self.lost.iter().map(LostLines::to_string))
    }

    /// Adds the fault of a page.
    pub(super) fn page(&mut self, fault: DatasetError) {
        self.pages += 1;
        if self.faults.len() < Self::MOST {
            self.faults.push(fault);
        }
    }

    /// Adds the fault of the page list `list`, which cannot be read from the fault's line on.
    pub(super) fn rest_of(&mut self, list: &str, fault: DatasetError) {
        let lost = LostLines { list: list.to_owned(), from_line: fault.line.unwrap_or(1) };
        let message = format!("{}; {lost} is left out", fault.message);
        self.of_set.push(DatasetError { message, ..fault });
        self.lost.push(lost);
    }
}
