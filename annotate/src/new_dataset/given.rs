//! The pages and the languages that whoever asks for a dataset brings.

use std::path::Path;

use serde_json::{Map, Value as Json};

/// Where the pages of a new dataset are.
#[derive(Clone, Copy)]
pub enum Source<'r> {
    /// In a folder of saved pages, or named by a list of addresses and files (`.txt`).
    Path(&'r Path),
    /// In a dataset, whose reader gives them in order; no two have one id.
    Given {
        /// The pages.
        pages: &'r [Given<'r>],
        /// The dataset, as the user named it.
        path: &'r Path,
    },
}

/// A page that a reader gives.
pub struct Given<'r> {
    /// Its id.
    pub id: String,
    /// Its address, where that is known.
    pub url: Option<String>,
    /// Its site, where that is known.
    pub site: Option<String>,
    /// Its language, where somebody stated it.
    pub language: Option<String>,
    /// Other fields of its line in a page list.
    pub other: Map<String, Json>,
    /// Reads its bytes; an error is a sentence.
    pub bytes: Box<dyn Fn() -> Result<Vec<u8>, String> + 'r>,
}

/// A finder of the language of a page: of its bytes, with the encoding that a server stated.
type Finder<'r> = &'r dyn Fn(&[u8], Option<&str>) -> Option<String>;

/// The languages of the pages.
#[derive(Clone, Copy)]
pub enum Languages<'r> {
    /// This one on every page.
    Stated(&'r str),
    /// The one that is found in each page's text, where nobody stated another.
    Found(Finder<'r>),
    /// None that anybody knows, or shall know.
    Unknown,
}

impl Languages<'_> {
    /// The language in a page's own line; `stated` is what its reader says.
    pub(super) fn of_page(&self, stated: Option<String>, bytes: &[u8], encoding: Option<&str>) -> Option<String> {
        match self {
            Languages::Stated(_) | Languages::Unknown => None,
            Languages::Found(find) => stated.or_else(|| find(bytes, encoding)),
        }
    }
}
