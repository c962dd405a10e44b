//! Files of pages and golds that could not be read while a dataset was at work.

use crate::formats::code::Code;
use std::sync::{Arc, OnceLock};

use super::error::DatasetError;
use super::root::{Fault, Root};

/// The first such file. A page of it would score 0 for ever though nothing is wrong with it, and whoever learns from it
/// would learn something else; so it is noted in the one place where files are read, and asked for
/// ([`super::Dataset::refuse_unread`]) wherever outcomes are kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Unread(Arc<OnceLock<DatasetError>>);

impl Unread {
    /// Notes a fault of the file at `path` below `root` if it is an I/O or permission error, or the file is gone, and hands it on.
    pub(super) fn of<'u>(&'u self, root: &'u Root, path: &'u str) -> impl Fn(Fault) -> Fault + 'u {
        move |fault| {
            if fault.code == Code::Io || fault.code == Code::Missing && root.has(path) == Ok(false) {
                let _ = self.0.set(fault.clone().of_file(&format!("{root}/{path}")));
            }
            fault
        }
    }

    /// # Errors
    /// The first fault that was noted.
    pub(super) fn first(&self) -> Result<(), DatasetError> {
        self.0.get().map_or(Ok(()), |fault| Err(fault.clone()))
    }
}
