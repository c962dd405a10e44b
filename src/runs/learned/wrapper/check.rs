//! A rules file held against datasets: its tests, tried on the pages that they name, and rules that are for no page.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::rules::{Rule, RuleTest, Rules, Sites};
use crate::datasets::manifest::Record;
use crate::datasets::{Dataset, DatasetError};
use crate::runs::row_outcome::Decided;

/// What a test of a rules file came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tried {
    /// Where it stands in the file, counted from 1.
    pub line: usize,
    /// The page, by id or URL, as the test names it.
    pub page: String,
    /// Why it failed, in one sentence; `None` where it passed.
    pub fault: Option<String>,
}

/// A rule that is for no page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WithoutPages {
    /// Where it stands in the file, counted from 1.
    pub line: usize,
    /// The sites that it is for.
    pub sites: Vec<String>,
}

/// What the tests of a file came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// Each test whose page is in the datasets, in the order of the file.
    pub tests: Vec<Tried>,
    /// The tests whose page is not, untried.
    pub elsewhere: Vec<Tried>,
    /// The rules of whose sites the datasets have no page: a site may be called otherwise there.
    pub without_pages: Vec<WithoutPages>,
}

impl Rules {
    /// Tries each test on its page of `datasets`, the first that has such a page.
    ///
    /// # Errors
    /// [`DatasetError`]: a page list that cannot be read any more, or was changed.
    pub fn check(&self, datasets: &[Dataset]) -> Result<Checked, DatasetError> {
        let tests: Vec<&RuleTest> = self.rules.iter().flat_map(|rule| &rule.tests).collect();
        let mut of_page: BTreeMap<&str, Vec<&RuleTest>> = BTreeMap::new();
        tests.iter().for_each(|test| of_page.entry(&test.page).or_default().push(test));
        let mut checked = Checked::default();
        let mut sites: BTreeSet<String> = BTreeSet::new();
        for dataset in datasets {
            for record in dataset.records.iter() {
                let record = record?;
                sites.extend(record.site.clone());
                let names = [Some(record.id.as_str()), record.details().url.as_deref()];
                let wanted: Vec<&RuleTest> =
                    names.into_iter().flatten().filter_map(|name| of_page.remove(name)).flatten().collect();
                if !wanted.is_empty() {
                    let extracted = self.extract(dataset, &record);
                    dataset.refuse_unread()?;
                    checked.tests.extend(wanted.into_iter().map(|test| test.tried(&extracted)));
                }
            }
        }
        checked.without_pages = self.rules.iter().filter_map(|rule| rule.without_pages(&sites)).collect();
        checked.elsewhere = of_page.values().flatten().map(|test| test.untried()).collect();
        checked.tests.sort_by_key(|test| test.line);
        checked.elsewhere.sort_by_key(|test| test.line);
        Ok(checked)
    }

    /// The text that the rules choose of a page, and what decided it.
    fn extract(&self, dataset: &Dataset, record: &Record) -> Result<(String, Decided), String> {
        let page = dataset.open_page(record)?;
        let (choice, used) = self.choose(record, &page);
        Ok((choice.text(&page), used.decided))
    }
}

impl Rule {
    /// The rule, where it names sites and the datasets have none of them.
    fn without_pages(&self, sites: &BTreeSet<String>) -> Option<WithoutPages> {
        match &self.sites {
            Sites::Named(named) if !named.iter().any(|site| sites.contains(site)) => {
                Some(WithoutPages { line: self.line, sites: named.clone() })
            }
            Sites::Named(_) | Sites::Any => None,
        }
    }
}

impl RuleTest {
    fn tried(&self, extracted: &Result<(String, Decided), String>) -> Tried {
        let fault = match extracted {
            Err(reason) => Some(format!("the page cannot be opened: {reason}")),
            Ok((text, decided)) => self.fault(text).map(|fault| match decided {
                Decided::Rule(_) => fault,
                Decided::Fallback => format!("{fault}; no rule chose anything, and the fallback did"),
                Decided::Uncovered => format!("{fault}; no rule chose anything"),
            }),
        };
        Tried { fault, ..self.untried() }
    }

    fn untried(&self) -> Tried {
        Tried { line: self.line, page: self.page.clone(), fault: None }
    }

    fn fault(&self, text: &str) -> Option<String> {
        let lacking = self.contains.iter().find(|wanted| !text.contains(*wanted));
        let lacking = lacking.map(|wanted| format!("the extraction lacks `{wanted}`"));
        let excess = || self.lacks.iter().find(|unwanted| text.contains(*unwanted));
        lacking.or_else(|| excess().map(|unwanted| format!("the extraction has `{unwanted}`")))
    }
}
