//! Rules of sites: which pages each is for, and what of a page is content.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::globs::{HostPattern, PathPattern};
use super::learned_from::LearnedFrom;
use crate::algorithms::algorithm::{AnyPageAlgorithm, Choice, Setting};
use crate::datasets::annotation::nearest_decides;
use crate::datasets::manifest::Record;
use crate::page::Page;
use crate::page::selection::Selection;
use crate::page::selector::{SelectorError, Selectors};
use crate::page::tree::{NodeId, Tree};
use crate::runs::row_outcome::{Decided, RulesUsed};
use crate::text::urls::{host_of, path_of};

/// The rules of a file.
pub struct Rules {
    /// The file, as it was named.
    pub file: String,
    /// SHA-256 of its text: what extractions depend on besides the pages.
    pub digest: String,
    /// What its rules were learned from; nothing where a person wrote them.
    pub learned_from: Vec<LearnedFrom>,
    pub(super) fallback: Fallback,
    pub(super) rules: Vec<Rule>,
}

/// One rule: for which pages, and what it takes of them.
pub struct Rule {
    /// Where it stands in its file, counted from 1.
    pub line: usize,
    pub(super) sites: Sites,
    pub(super) hosts: Vec<HostPattern>,
    pub(super) paths: Vec<PathPattern>,
    pub(super) when: Option<Selectors>,
    pub(super) template: Template,
    pub(super) tests: Vec<RuleTest>,
}

/// The sites that a rule is for.
pub(super) enum Sites {
    Any,
    Named(Vec<String>),
}

/// What an extraction by the rules must be on one page.
pub(super) struct RuleTest {
    pub(super) line: usize,
    /// An id or a URL.
    pub(super) page: String,
    pub(super) contains: Vec<String>,
    pub(super) lacks: Vec<String>,
}

/// What becomes of a page that no rule decides.
#[derive(Clone)]
pub enum Fallback {
    /// Nothing of it is chosen; it is counted as uncovered.
    Nothing,
    /// What an algorithm chooses.
    Algorithm {
        /// The algorithm.
        algorithm: &'static dyn AnyPageAlgorithm,
        /// Its parameters.
        setting: Setting,
    },
}

/// Which of the elements that match a selector are meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pick {
    /// All of them.
    #[default]
    All,
    /// The first one in document order.
    First,
}

/// A selector, and which of the elements that match it are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Included {
    /// The selector.
    pub selector: String,
    /// Which elements.
    pub pick: Pick,
}

/// What excluding an element does to text that is included further down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Exclusion {
    /// Nothing: the nearest ancestor that matches any selector decides.
    #[default]
    Nearest,
    /// It takes it away too: all text of what is excluded goes.
    Subtracted,
}

impl Exclusion {
    /// As it is written in rules and parameters.
    pub fn name(self) -> &'static str {
        match self {
            Exclusion::Nearest => "nearest",
            Exclusion::Subtracted => "subtracted",
        }
    }
}

/// What is taken of a page, as selectors.
pub struct Template {
    pub(super) include: Vec<(Included, Selectors)>,
    exclude: Selectors,
    /// The selectors of `exclude`, as they are written.
    pub(super) excluded: Vec<String>,
    pub(super) exclusion: Exclusion,
}

impl Rules {
    /// The rules, in the order of the file.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// What is chosen of a page, and what decided it.
    pub(in crate::runs) fn choose(&self, record: &Record, page: &Page) -> (Choice, RulesUsed) {
        let mut empty = Vec::new();
        for (place, rule) in self.rules.iter().enumerate().filter(|(_, rule)| rule.is_for(record, &page.tree)) {
            let selection = rule.template.select(&page.tree);
            if !selection.is_empty() {
                return (Choice::Selection(selection), RulesUsed { decided: Decided::Rule(place), empty });
            }
            empty.push(place);
        }
        let (choice, decided) = self.fallback.choose(page);
        (choice, RulesUsed { decided, empty })
    }
}

impl Rule {
    fn is_for(&self, record: &Record, tree: &Tree) -> bool {
        let details = record.details();
        let url = details.url.as_deref();
        let is_site = match &self.sites {
            Sites::Any => true,
            Sites::Named(sites) => record.site.as_ref().is_some_and(|site| sites.contains(site)),
        };
        let is_host = || {
            let host = url.and_then(host_of).or_else(|| details.host.as_deref().map(str::to_ascii_lowercase));
            host.is_some_and(|host| self.hosts.iter().any(|pattern| pattern.matches(&host)))
        };
        let is_path = || {
            let path = url.and_then(path_of);
            path.is_some_and(|path| self.paths.iter().any(|pattern| pattern.matches(path)))
        };
        is_site
            && (self.hosts.is_empty() || is_host())
            && (self.paths.is_empty() || is_path())
            && self.when.as_ref().is_none_or(|when| !when.matching(tree).is_empty())
    }
}

impl Fallback {
    /// What it chooses of a page that no rule decided.
    pub(in crate::runs) fn choose(&self, page: &Page) -> (Choice, Decided) {
        match self {
            Fallback::Nothing => (Choice::Selection(Selection::default()), Decided::Uncovered),
            Fallback::Algorithm { algorithm, setting } => {
                (algorithm.choose_all(page, &[setting]).remove(0), Decided::Fallback)
            }
        }
    }
}

impl Template {
    /// The template of these selectors.
    ///
    /// # Errors
    /// [`SelectorError`] for the first one that is not valid.
    pub fn new(include: &[Included], exclude: &[String], exclusion: Exclusion) -> Result<Self, SelectorError> {
        let included = |one: &Included| Ok((one.clone(), Selectors::parse(std::slice::from_ref(&one.selector))?));
        Ok(Template {
            include: include.iter().map(included).collect::<Result<_, _>>()?,
            exclude: Selectors::parse(exclude)?,
            excluded: exclude.to_vec(),
            exclusion,
        })
    }

    /// The text nodes that it takes.
    pub fn select(&self, tree: &Tree) -> Selection {
        let picked = |(one, selectors): &(Included, Selectors)| -> Vec<NodeId> {
            let found = selectors.matching(tree);
            let most = if one.pick == Pick::First { 1 } else { found.len() };
            found.into_iter().take(most).collect()
        };
        let included: Vec<NodeId> = self.include.iter().flat_map(picked).collect();
        if included.is_empty() {
            return Selection::default();
        }
        let excluded = self.exclude.matching(tree);
        match self.exclusion {
            Exclusion::Nearest => nearest_decides(tree, &included, &excluded),
            Exclusion::Subtracted => {
                let out = nearest_decides(tree, &excluded, &[]);
                let all = nearest_decides(tree, &included, &[]);
                all.nodes().iter().copied().filter(|&id| !out.has(id)).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Context;

    #[test]
    fn a_rule_of_a_site_is_not_for_a_page_without_one_whatever_it_is_called() {
        let rules = Rules::from_yaml("r.yaml", "format: 1\nrules: [{site: a.example, include: p}]").unwrap();
        let page = Page::new(b"<p>x", Context::default()).unwrap();
        let decided = |id: &str, site: Option<&str>| {
            let record = Record { id: id.to_owned(), site: site.map(str::to_owned), ..Record::default() };
            rules.choose(&record, &page).1.decided
        };
        assert_eq!(decided("p1", Some("a.example")), Decided::Rule(0));
        assert_eq!(decided("a.example", Some("b.example")), Decided::Uncovered);
        assert_eq!(decided("a.example", None), Decided::Uncovered);
    }
}
