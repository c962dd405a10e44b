//! What an importer left out, kept without something or read otherwise than upstream wrote it, and why: a line each.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::manifest::Manifest;

/// A note of an importer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Note {
    /// A gold was left out, for there is no page of it.
    GoldWithoutPage(String),
    /// Anything else.
    #[serde(untagged)]
    Other(String),
}

impl Note {
    /// What it says.
    pub fn text(&self) -> &str {
        match self {
            Note::GoldWithoutPage(text) | Note::Other(text) => text,
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// The key of a manifest under which an imported dataset has its notes.
const KEY: &str = "x-notes";

/// The notes in a manifest have at most so many bytes, for a manifest is bounded.
const MOST_BYTES: usize = 128 << 10;

/// Writes `notes` into `manifest`, so that the imported copy says the same; those that are too many are counted.
pub(super) fn write(notes: &[Note], manifest: &mut Manifest) {
    let mut left = MOST_BYTES;
    let fits = |note: &&Note| {
        // With its kind, its quotes and its line break.
        let rest = left.checked_sub(note.text().len() + 32);
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    let mut kept: Vec<Note> = notes.iter().take_while(fits).cloned().collect();
    let more = notes.len() - kept.len();
    kept.extend((more > 0).then(|| Note::Other(format!("and {more} more notes, which were told at the import"))));
    if let (false, Ok(written)) = (kept.is_empty(), serde_json::to_value(kept)) {
        manifest.other.insert(KEY.to_owned(), written);
    }
}

/// Takes the notes out of `manifest`; none where its author keeps something else there.
pub(super) fn take(manifest: &mut Manifest) -> Vec<Note> {
    let notes = manifest.other.get(KEY).map(Vec::<Note>::deserialize);
    let Some(Ok(notes)) = notes else { return Vec::new() };
    manifest.other.shift_remove(KEY);
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_pass_through_a_manifest_as_far_as_it_may_hold_them() {
        let mut notes = vec![Note::GoldWithoutPage("a: 'b' \"c\"".to_owned()), Note::Other("- d: e".to_owned())];
        let through = |notes: &[Note]| {
            let mut manifest = Manifest::default();
            write(notes, &mut manifest);
            let yaml = crate::formats::yaml::to_string(&manifest).unwrap();
            assert!(yaml.len() < 1 << 20);
            let mut read: Manifest = crate::formats::yaml::typed_untagged("m", &yaml).unwrap();
            (take(&mut read), read.other.is_empty())
        };
        assert_eq!(through(&notes), (notes.clone(), true));
        assert_eq!(through(&[]), (Vec::new(), true));
        notes.resize(100_000, Note::Other("\u{1}".repeat(200)));
        let (read, _) = through(&notes);
        assert_eq!((&read[..3], read.len() < 1000), (&notes[..3], true));
        assert_eq!(
            read.last().unwrap().text(),
            format!("and {} more notes, which were told at the import", 100_001 - read.len())
        );
    }

    #[test]
    fn what_else_stands_there_stays() {
        let mut manifest = Manifest::default();
        manifest.other.insert(KEY.to_owned(), 3.into());
        assert_eq!((take(&mut manifest), manifest.other.len()), (Vec::new(), 1));
    }
}
