//! `carat dataset pull`.

use crate::formats::code::Code;
use std::path::Path;

use crate::datasets::DatasetError;
use crate::datasets::catalog::{Catalog, builtin};
use crate::datasets::pull::{Limits, Pulled, pull};
use crate::formats::inert::one_line;
use crate::formats::reading::{MOST_WRITTEN_BYTES, read_at_most};

use crate::command_line::arguments;
use crate::command_line::failure::Failure;
use crate::command_line::interrupt::Interruptible;
use crate::command_line::output::{print, tell};

/// Brings a dataset of the catalogue, or tells how to get it.
pub(super) fn pull_dataset(arguments: &arguments::Pull) -> Result<(), Failure> {
    let own = arguments.catalog.as_deref().map(catalog_of).transpose()?;
    let catalog = own.as_ref().unwrap_or_else(|| builtin());
    let entry = catalog.find(&arguments.name)?;
    let out = arguments.out.clone().unwrap_or_else(|| Path::new("datasets").join(&entry.name));
    refuse_occupied(&out)?;
    let running = Interruptible::begin();
    let pulled = match pull(entry, &out, Limits::default(), &|| running.is_interrupted())? {
        Pulled::Dataset(pulled) => pulled,
        Pulled::Instructions(lines) => return print(&format!("{lines}\n")),
    };
    pulled.notes.iter().for_each(|note| tell(&format!("note: {note}")));
    let ((pages, golds), notes) = (pulled.counts, pulled.notes.len());
    let mut text = format!("{}: {pages} pages, {golds} with gold, {notes} notes\n", out.display());
    text.push_str(&format!("from {}\n{}\n", pulled.from, pulled.digest));
    if let Some(note) = &entry.gold.note {
        text.push_str(&format!("note: {}\n", one_line(note.trim())));
    }
    print(&text)
}

fn catalog_of(file: &Path) -> Result<Catalog, Failure> {
    let name = file.display().to_string();
    let text = String::from_utf8(read_at_most(file, MOST_WRITTEN_BYTES)?)
        .map_err(|_| DatasetError::new(Code::Type, &name, "is not valid UTF-8"))?;
    Ok(Catalog::read(&name, &text)?)
}

/// A dataset is put in its place as a whole: nothing else may be there.
fn refuse_occupied(out: &Path) -> Result<(), Failure> {
    let is_free = !out.exists() || std::fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_none());
    if is_free {
        return Ok(());
    }
    Err(Failure::request(format!("{} is there already; remove it or choose another --out", out.display())))
}
