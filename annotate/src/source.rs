//! The annotator's input: a dataset's pages.

use carat_core::page::Page;

use crate::document::{Document, Run};

/// A page of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its id.
    pub id: String,
    /// Its site.
    pub site: String,
}

/// A page that was read.
pub struct Opened {
    /// As algorithms see it.
    pub page: Page,
    /// SHA-256 of its bytes.
    pub html_sha256: String,
}

/// Gold that a page has already, as text nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KnownGold {
    /// Runs of gold text nodes.
    pub nodes: Vec<Run>,
    /// Gold pieces of others.
    pub spans: Vec<[u32; 3]>,
    /// Role by role: runs of text nodes as pairs, pieces as triples.
    pub roles: Vec<(String, Vec<Vec<u32>>)>,
    /// F1 of their text against the gold text, if that is a text of its own.
    pub f1: Option<f64>,
    /// Lines of the gold that the page does not have.
    pub lacking: Vec<String>,
}

/// The pages of a dataset.
pub trait Source: Send + Sync {
    /// The dataset's name.
    fn name(&self) -> &str;

    /// Its pages, in its order.
    fn listed(&self) -> &[Listed];

    /// Reads the page at a place of the list.
    ///
    /// # Errors
    /// A sentence.
    fn open(&self, place: usize) -> Result<Opened, String>;

    /// The gold of the page at a place of the list, if it has one.
    ///
    /// # Errors
    /// A sentence.
    fn gold(&self, place: usize, document: &Document) -> Result<Option<KnownGold>, String>;
}
