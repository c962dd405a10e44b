//! How often each rule was for a page, and came to nothing there: sites are rebuilt, and templates break.

use super::rules::{Decided, Rules, RulesUsed};

/// The pages of each rule of a row.
pub(in crate::runs) struct RuleTally<'r> {
    rules: &'r Rules,
    /// Of each rule the pages that it was tried on, and those of them of which it chose nothing.
    pages: Vec<[usize; 2]>,
    /// Whether there was any page.
    has_pages: bool,
}

impl<'r> RuleTally<'r> {
    pub(in crate::runs) fn new(rules: &'r Rules) -> Self {
        RuleTally { rules, pages: vec![[0; 2]; rules.rules.len()], has_pages: false }
    }

    /// Adds a page.
    pub(in crate::runs) fn add(&mut self, used: &RulesUsed) {
        self.has_pages = true;
        used.empty.iter().for_each(|&rule| self.pages[rule] = self.pages[rule].map(|pages| pages + 1));
        if let Decided::Rule(rule) = used.decided {
            self.pages[rule][0] += 1;
        }
    }

    /// What is to be told of rules that are of no use, a sentence each.
    pub(in crate::runs) fn warnings(&self) -> Vec<String> {
        let told = self.rules.rules.iter().zip(&self.pages).filter_map(|(rule, &[pages, empty])| {
            let told = match (pages, empty) {
                (0, _) if !self.has_pages => return None,
                (0, _) => "the rule decided no page of the run".to_owned(),
                (_, 0) => return None,
                _ => {
                    let percent = 100 * empty / pages;
                    format!("the rule chose nothing on {empty} of the {pages} pages that it was for ({percent} %)")
                }
            };
            Some(format!("{}:{}: {told}", self.rules.file, rule.line))
        });
        told.collect()
    }
}
