//! Pages of Parquet files, a few of which are in memory.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use carat_parquet::{Cell, Column, Fault as ParquetFault, MOST_BATCH_ROWS, ParquetFile, Rows};

/// Where a page stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowAt {
    pub(super) part: u32,
    /// The number of the row, from 0.
    pub(super) row: u32,
}

/// So many batches are in memory: pages are run in the order of rows, on several threads.
const BATCHES: usize = 8;

/// So many places of files are read from in turn.
const CURSORS: usize = 4;

/// The pages that were read last, and where reading goes on.
#[derive(Debug, Default)]
pub(super) struct Pages(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The newest last.
    batches: VecDeque<Held>,
    cursors: VecDeque<Cursor>,
}

/// The pages of some rows.
#[derive(Debug)]
struct Held {
    part: u32,
    first: u64,
    pages: Vec<Cell>,
}

/// Rows of a part that are being read.
struct Cursor {
    part: u32,
    rows: Rows,
    /// The number of rows of the next batch. It grows while rows are asked for in their order.
    step: usize,
}

impl fmt::Debug for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cursor").field("part", &self.part).field("next", &self.rows.next_row()).finish_non_exhaustive()
    }
}

impl Pages {
    /// The page of a row of `table`, in `column`; `None` where there is no such row.
    pub(super) fn get(
        &self,
        at: RowAt,
        table: &Arc<ParquetFile>,
        column: &Column,
    ) -> Result<Option<Cell>, ParquetFault> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(page) = state.held(at) {
            return Ok(Some(page));
        }
        let mut cursor = match state.cursor_before(at) {
            Some(cursor) => cursor,
            None => Cursor {
                part: at.part,
                rows: Rows::new(table.clone(), std::slice::from_ref(column), at.row.into())?,
                step: 1,
            },
        };
        while cursor.rows.next_row() <= u64::from(at.row) {
            let Some(batch) = cursor.rows.next_batch_of(cursor.step)? else { break };
            cursor.step = (2 * cursor.step).min(MOST_BATCH_ROWS);
            let pages = batch.rows.into_iter().filter_map(|cells| cells.into_iter().next()).collect();
            state.hold(Held { part: at.part, first: batch.first, pages });
        }
        if state.cursors.len() == CURSORS {
            state.cursors.pop_front();
        }
        state.cursors.push_back(cursor);
        Ok(state.held(at))
    }
}

impl State {
    fn held(&self, at: RowAt) -> Option<Cell> {
        self.batches.iter().rev().filter(|held| held.part == at.part).find_map(|held| {
            let place = u64::from(at.row).checked_sub(held.first)?;
            held.pages.get(usize::try_from(place).ok()?).cloned()
        })
    }

    fn hold(&mut self, held: Held) {
        if self.batches.len() == BATCHES {
            self.batches.pop_front();
        }
        self.batches.push_back(held);
    }

    /// A cursor that is little before a row.
    fn cursor_before(&mut self, at: RowAt) -> Option<Cursor> {
        let is_before = |cursor: &Cursor| {
            let ahead = u64::from(at.row).checked_sub(cursor.rows.next_row());
            cursor.part == at.part && ahead.is_some_and(|ahead| ahead < 2 * cursor.step as u64)
        };
        let place = self.cursors.iter().position(is_before)?;
        self.cursors.remove(place)
    }
}
