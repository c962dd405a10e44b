//! Pages whose figures say little: their gold is empty or holds HTML tags, or their bytes did not decode. `carat dataset check` looks for more.

use super::page_outcome::PageOutcome;
use crate::datasets::check::MISDECODED;
use crate::text::counted;

/// Pages that are named where there are more.
const NAMED: usize = 3;

/// What was found on the pages of one dataset.
#[derive(Default)]
pub(super) struct Doubtful {
    empty: Pages,
    misdecoded: Pages,
    tagged: Pages,
}

/// How many pages there are, and the ids of the first.
#[derive(Default)]
struct Pages {
    count: usize,
    first: Vec<String>,
}

impl Doubtful {
    /// Looks at the page `id`.
    pub(super) fn add(&mut self, id: &str, outcome: &PageOutcome) {
        let Ok(page) = &outcome.page else { return };
        if page.sizes.gold == Some(0) {
            self.empty.add(id);
        }
        if page.gold_tags {
            self.tagged.add(id);
        }
        let replaced = page.facts.as_ref().map_or(0, |facts| facts.replaced);
        if replaced > 0 && page.sizes.text.is_some_and(|characters| replaced * MISDECODED >= characters) {
            self.misdecoded.add(id);
        }
    }

    /// What a user should know of the dataset `name`, a sentence each.
    pub(super) fn notes(&self, name: &str) -> Vec<String> {
        let found = [
            (&self.empty, "empty gold, which only an empty extraction matches"),
            (&self.misdecoded, "bytes that do not decode, so the encoding may be wrong"),
            (
                &self.tagged,
                "HTML tags in the gold, which no extraction matches, so recall is too low (gold_kind=html reads the golds of a \
                 folder as HTML)",
            ),
        ];
        let told = |(pages, what): (&Pages, &str)| {
            (pages.count > 0).then(|| {
                let Pages { count, first } = pages;
                let more = if *count > first.len() { ", .." } else { "" };
                format!(
                    "{name}: {} with {what}: {}{more} (carat dataset check has details)",
                    counted(*count, "page"),
                    first.join(", ")
                )
            })
        };
        found.into_iter().filter_map(told).collect()
    }
}

impl Pages {
    fn add(&mut self, id: &str) {
        self.count += 1;
        if self.first.len() < NAMED {
            self.first.push(id.to_owned());
        }
    }
}
