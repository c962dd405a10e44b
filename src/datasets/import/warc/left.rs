//! Numbers of records of WARC files that are no page, and of pages that were read otherwise than their headers say.

use std::collections::BTreeMap;
use std::fmt;

use super::responses::{Head, Other};
use crate::datasets::import::Told;
use crate::formats::inert::one_line;
use crate::text::counted;

/// The counts.
#[derive(Default)]
pub(super) struct Left {
    types: BTreeMap<String, usize>,
    statuses: BTreeMap<u16, usize>,
    other_media: usize,
    cut: usize,
    as_they_were: usize,
    unknown_charsets: usize,
}

/// So many types and statuses are named.
const NAMED: usize = 10;

impl Left {
    /// Counts a record that is no page.
    pub(super) fn count(&mut self, other: Other) {
        match other {
            // Types are words of others: a file may hold a million of them.
            Other::Type(name) if self.types.len() < 1000 || self.types.contains_key(&name) => {
                *self.types.entry(name).or_default() += 1;
            }
            Other::Type(_) => *self.types.entry("others".to_owned()).or_default() += 1,
            Other::Status(status) => *self.statuses.entry(status).or_default() += 1,
            Other::Media => self.other_media += 1,
        }
    }

    /// Counts what is odd about a page; `is_as_it_was`: a header names an encoding that its body does not have.
    pub(super) fn count_page(&mut self, head: &Head, is_as_it_was: bool) {
        self.cut += usize::from(head.is_cut);
        self.as_they_were += usize::from(is_as_it_was);
        self.unknown_charsets += usize::from(head.unknown_charset.is_some());
    }

    /// Tells a user.
    pub(super) fn tell(&self, told: &mut Told) {
        if !self.has_none() {
            told.note(format!("no pages: {self}"));
        }
        for (pages, what) in [
            (self.cut, "cut by the crawler (WARC-Truncated), fault `truncated`"),
            (self.as_they_were, "whose headers name an encoding that the body does not have: taken as it is"),
            (self.unknown_charsets, "with a charset of no known encoding: set aside as x-charset"),
        ] {
            if pages > 0 {
                told.note(format!("{} {what}", counted(pages, "page")));
            }
        }
    }

    fn has_none(&self) -> bool {
        self.types.is_empty() && self.statuses.is_empty() && self.other_media == 0
    }
}

/// `2 records of type request, 1 response of status 404`.
impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.has_none() {
            return f.write_str("no other records either");
        }
        let types = self.types.iter().map(|(name, number)| {
            let name: String = one_line(name).chars().take(40).collect();
            format!("{} of type {}", counted(*number, "record"), if name.is_empty() { "none" } else { &name })
        });
        let statuses =
            self.statuses.iter().map(|(status, number)| format!("{} of status {status}", counted(*number, "response")));
        let media =
            (self.other_media > 0).then(|| format!("{} of another media type", counted(self.other_media, "response")));
        let more = (self.types.len() + self.statuses.len()).saturating_sub(2 * NAMED);
        let more = (more > 0).then(|| "and more".to_owned());
        let all: Vec<String> = types.take(NAMED).chain(statuses.take(NAMED)).chain(media).chain(more).collect();
        f.write_str(&all.join(", "))
    }
}
