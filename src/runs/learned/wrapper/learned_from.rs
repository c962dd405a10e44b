//! What rules were learned from, page by page: on such a page they are no test of what was learned, whatever dataset the
//! page stands in now.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use rayon::prelude::*;

use super::templates::SiteTemplate;
use crate::datasets::{Dataset, DatasetError};
use crate::formats::digest::sha256;
use crate::runs::guarding::digests;

/// A dataset whose gold rules were learned from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LearnedFrom {
    /// Its name.
    pub dataset: String,
    /// Its digest, over all of its pages.
    pub digest: String,
    /// The pages of it whose gold was learned from.
    pub pages: BTreeSet<PageMark>,
}

/// What a page is known again by: the first 64 bits of the SHA-256 of its bytes, which are enough for millions of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PageMark(u64);

/// How many hexadecimal digits a mark is written with.
const DIGITS: usize = 16;

impl fmt::Display for PageMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:0DIGITS$x}", self.0)
    }
}

impl FromStr for PageMark {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_hexadecimal = text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = u64::from_str_radix(text, 16).ok().filter(|_| is_hexadecimal);
        number.map(PageMark).ok_or_else(|| format!("`{text}` is not the {DIGITS} hexadecimal digits of a page"))
    }
}

/// What `templates` were learned from in `dataset`, to be known again.
///
/// # Errors
/// [`DatasetError`]: a page list that cannot be read any more, or was changed.
pub fn learned_from(dataset: &Dataset, templates: &[SiteTemplate]) -> Result<LearnedFrom, DatasetError> {
    let digest = dataset.digest(|record| digests(dataset, record))?;
    let indexes: Vec<usize> = templates.iter().flat_map(|template| template.pages.iter().copied()).collect();
    let pages = marks(dataset, &indexes)?.into_iter().flatten().collect();
    Ok(LearnedFrom { dataset: dataset.name().to_owned(), digest, pages })
}

/// The marks of the pages at `indexes`; `None` for a page that cannot be read.
///
/// # Errors
/// As [`learned_from`].
pub(in crate::runs) fn marks(dataset: &Dataset, indexes: &[usize]) -> Result<Vec<Option<PageMark>>, DatasetError> {
    let mark = |&index: &usize| {
        let record = dataset.records.get(index)?;
        let digest = dataset.page_bytes(&record).ok().map(|bytes| sha256(&bytes));
        Ok(digest.and_then(|digest| digest[..DIGITS].parse().ok()))
    };
    indexes.par_iter().map(mark).collect()
}
