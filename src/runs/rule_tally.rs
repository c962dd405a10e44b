//! How often each rule was for a page, and came to nothing there: sites are rebuilt, and templates break.

use super::row_outcome::{Decided, RulesUsed};

/// The pages of each rule of a row.
pub(super) struct RuleTally {
    /// Where each rule stands, `FILE:LINE`.
    rules: Vec<String>,
    /// Of each rule the pages that it was tried on, and those of them of which it chose nothing.
    pages: Vec<[usize; 2]>,
    /// Whether there was any page.
    has_pages: bool,
}

impl RuleTally {
    /// Of the rules that stand at these places.
    pub(super) fn new(rules: Vec<String>) -> Self {
        RuleTally { pages: vec![[0; 2]; rules.len()], rules, has_pages: false }
    }

    /// Adds a page.
    pub(super) fn add(&mut self, used: &RulesUsed) {
        self.has_pages = true;
        used.empty.iter().for_each(|&rule| self.pages[rule] = self.pages[rule].map(|pages| pages + 1));
        if let Decided::Rule(rule) = used.decided {
            self.pages[rule][0] += 1;
        }
    }

    /// What is to be told of rules that are of no use, a sentence each.
    pub(super) fn warnings(&self) -> Vec<String> {
        let told = self.rules.iter().zip(&self.pages).filter_map(|(rule, &[pages, empty])| {
            let told = match (pages, empty) {
                (0, _) if !self.has_pages => return None,
                (0, _) => "the rule decided no page of the run".to_owned(),
                (_, 0) => return None,
                _ => {
                    let percent = 100 * empty / pages;
                    format!("the rule chose nothing on {empty} of the {pages} pages that it was for ({percent} %)")
                }
            };
            Some(format!("{rule}: {told}"))
        });
        told.collect()
    }
}
