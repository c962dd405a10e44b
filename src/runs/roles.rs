//! How much of each role of a page's text extractions hold: text nodes, counted by their characters, whatever the measure.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::node_tokens::on_nodes;
use super::row_outcome::{Characters, RowOutcome};
use crate::algorithms::algorithm::Choice;
use crate::algorithms::features::visible::VisibleText;
use crate::datasets::roles::Roles;
use crate::page::Page;
use crate::page::selection::Selection;
use crate::page::tree::NodeId;

/// The roles of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageRoles {
    /// The name of each, in the order of their bytes.
    pub names: Vec<String>,
    /// The page's text of each, and behind them that of no role.
    pub characters: Vec<Characters>,
}

impl PageRoles {
    /// What an outcome holds of each role, and of the text of no role; `None` where that does not count: it was not run,
    /// or its text has too much of it to be put on text nodes. What failed holds nothing.
    pub fn held(&self, outcome: &RowOutcome) -> Option<Vec<Characters>> {
        match outcome {
            RowOutcome::Scored(result) => result.roles.clone(),
            RowOutcome::Failed(_) | RowOutcome::TimedOut(_) => Some(vec![Characters::default(); self.characters.len()]),
            RowOutcome::NotRun | RowOutcome::Without | RowOutcome::Unfit(_) => None,
        }
    }

    /// The name of each role, and `None` behind them.
    pub fn parts(&self) -> impl Iterator<Item = Option<&str>> {
        self.names.iter().map(|name| Some(name.as_str())).chain([None])
    }
}

/// Counts what selections of one page hold of each role.
pub(super) struct RoleCounter {
    page: PageRoles,
    /// Each visible text node, in document order, and what it counts for.
    nodes: Vec<NodeId>,
    counted: Vec<Counted>,
}

#[derive(Clone, Copy)]
struct Counted {
    /// The place of its role; behind all of them where it has none.
    role: usize,
    is_gold: bool,
    characters: u64,
}

impl RoleCounter {
    /// For the roles of `page`; `None` where their text nodes are not known.
    pub(super) fn new(page: &Page, roles: &Roles) -> Option<Self> {
        let of_roles = roles.nodes.as_ref()?;
        let text = page.view::<VisibleText>();
        let counted = text.nodes.iter().map(|&node| Counted {
            role: of_roles.role(node).unwrap_or(roles.names.len()),
            is_gold: of_roles.gold.has(node),
            characters: u64::from(text.chars(&page.tree, node)),
        });
        let (nodes, counted) = (text.nodes.clone(), counted.collect());
        let mut counter =
            RoleCounter { page: PageRoles { names: roles.names.clone(), ..PageRoles::default() }, nodes, counted };
        counter.page.characters = counter.sums(0..counter.nodes.len());
        Some(counter)
    }

    /// What the page has of each role.
    pub(super) fn page(&self) -> &PageRoles {
        &self.page
    }

    /// What `selection` holds of each role, and of the text of no role.
    pub(super) fn of_selection(&self, selection: &Selection) -> Vec<Characters> {
        self.sums(selection.nodes().iter().filter_map(|node| self.nodes.binary_search(node).ok()))
    }

    /// The same of a choice, whose text is aligned with the page's where it is one of its own; `None` where there is too
    /// much of it.
    pub(super) fn of_choice(&self, choice: &Choice, page: &Page) -> Option<Vec<Characters>> {
        match choice {
            Choice::Selection(selection) => Some(self.of_selection(selection)),
            Choice::Text(_) => on_nodes(choice.clone(), page).ok().map(|selection| self.of_selection(&selection)),
        }
    }

    fn sums(&self, places: impl Iterator<Item = usize>) -> Vec<Characters> {
        let mut sums = vec![Characters::default(); self.page.names.len() + 1];
        for Counted { role, is_gold, characters } in places.map(|place| self.counted[place]) {
            sums[role].all += characters;
            sums[role].gold += if is_gold { characters } else { 0 };
        }
        sums
    }
}

/// What a row's extractions hold of a role, over the pages that count.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoleFigures {
    /// The role; absent for text that has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Pages that have text of it.
    pub pages: usize,
    /// Characters of its text nodes, white space left out.
    pub characters: u64,
    /// Those of them in gold nodes.
    pub gold: u64,
    /// Characters of its text nodes that were extracted.
    pub extracted: u64,
    /// Those of them in gold nodes.
    pub matched: u64,
    /// The share of its gold that was extracted, 0 to 1; `None` where none of it is gold.
    pub recall: Option<f64>,
    /// The share of it that was extracted, 0 to 1; `None` where there is none of it.
    pub extracted_share: Option<f64>,
    /// Its share of all that was extracted and is not gold, 0 to 1; `None` where that is nothing.
    pub false_positive_share: Option<f64>,
}

/// Whether a role is gold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InGold {
    /// All of its text is.
    Whole,
    /// Some of it.
    Part,
    /// None of it.
    Nothing,
}

impl InGold {
    /// As it stands in tables.
    pub fn name(self) -> &'static str {
        match self {
            InGold::Whole => "yes",
            InGold::Part => "partly",
            InGold::Nothing => "no",
        }
    }
}

impl RoleFigures {
    /// Whether its text is gold.
    pub fn in_gold(&self) -> InGold {
        match self.gold {
            0 => InGold::Nothing,
            gold if gold == self.characters => InGold::Whole,
            _ => InGold::Part,
        }
    }
}

/// Adds up what one row holds of each role, page by page.
#[derive(Clone, Default)]
pub(super) struct RoleTally {
    of_role: BTreeMap<String, RoleSums>,
    of_none: RoleSums,
}

#[derive(Clone, Copy, Default)]
struct RoleSums {
    pages: usize,
    page: Characters,
    held: Characters,
}

impl RoleSums {
    fn add(&mut self, page: Characters, held: Characters) {
        self.pages += usize::from(page.all > 0);
        for (sum, more) in [(&mut self.page, page), (&mut self.held, held)] {
            sum.all += more.all;
            sum.gold += more.gold;
        }
    }
}

impl RoleTally {
    /// Adds a page of these roles on which the row came to `outcome`.
    pub(super) fn add(&mut self, roles: &PageRoles, outcome: &RowOutcome) {
        let Some(held) = roles.held(outcome) else { return };
        for ((role, page), held) in roles.parts().zip(&roles.characters).zip(held) {
            let sums = match role {
                Some(name) if self.of_role.contains_key(name) => self.of_role.get_mut(name),
                Some(name) => Some(self.of_role.entry(name.to_owned()).or_default()),
                None => Some(&mut self.of_none),
            };
            sums.into_iter().for_each(|sums| sums.add(*page, held));
        }
    }

    /// The figures of each role, in the order of their names, and those of the text of none; nothing where no page that
    /// counts has roles.
    pub(super) fn figures(&self) -> Vec<RoleFigures> {
        if self.of_role.is_empty() {
            return Vec::new();
        }
        let named = self.of_role.iter().map(|(name, sums)| (Some(name.clone()), sums));
        let all: Vec<(Option<String>, &RoleSums)> = named.chain([(None, &self.of_none)]).collect();
        let wrong: u64 = all.iter().map(|(_, sums)| sums.held.all - sums.held.gold).sum();
        let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        let figures = all.iter().map(|(role, RoleSums { pages, page, held })| RoleFigures {
            role: role.clone(),
            pages: *pages,
            characters: page.all,
            gold: page.gold,
            extracted: held.all,
            matched: held.gold,
            recall: share(held.gold, page.gold),
            extracted_share: share(held.all, page.all),
            false_positive_share: share(held.all - held.gold, wrong),
        });
        figures.collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::datasets::annotation::Select;
    use crate::page::Context;

    fn select() -> Select {
        let selectors = |selector: &str| vec![selector.to_owned()];
        let roles = [("comment".to_owned(), selectors(".c")), ("title".to_owned(), selectors("h1"))];
        Select { include: vec!["article".to_owned()], exclude: selectors("b"), roles: roles.into() }
    }

    fn counter(page: &Page) -> RoleCounter {
        RoleCounter::new(page, &Roles::of(&page.tree, &select()).unwrap().unwrap()).unwrap()
    }

    fn page(html: &str) -> Page {
        Page::new(html.as_bytes(), Context::default()).unwrap()
    }

    #[test]
    fn what_a_selection_holds_is_counted_by_role() {
        let page = page("<article><h1>a b<b>cc</b></h1>ddd</article><p class=c>eeee<p>fffff");
        let counter = counter(&page);
        let told = |characters: Vec<Characters>| characters.iter().map(|c| (c.all, c.gold)).collect::<Vec<_>>();
        assert_eq!(told(counter.page().characters.clone()), [(4, 0), (4, 2), (8, 3)]);
        let all = &page.view::<VisibleText>().nodes;
        assert_eq!(told(counter.of_selection(&Selection::new(all[1..4].to_vec()))), [(4, 0), (2, 0), (3, 3)]);
        // Of a text of its own the nodes are held that it has half of.
        let text = Choice::Text("ab eee".to_owned());
        assert_eq!(told(counter.of_choice(&text, &page).unwrap()), [(4, 0), (2, 2), (0, 0)]);
    }

    proptest! {
        #[test]
        fn roles_and_the_rest_are_all_of_the_text(
            pieces in proptest::collection::vec(0usize..9, 0..40),
            chosen in any::<u64>(),
        ) {
            let piece = |&piece: &usize| {
                ["a", "<h1>", "</h1>", "<p class=c>", "<article>", "</article>", "<b>bb", "</b>", " 字 "][piece]
            };
            let page = page(&pieces.iter().map(piece).collect::<String>());
            let text = page.view::<VisibleText>();
            let selection: Selection =
                text.chosen((0..text.nodes.len()).map(|place| chosen >> (place % 64) & 1 == 1)).collect();
            let counter = counter(&page);
            let held = counter.of_selection(&selection);
            let sum: u64 = selection.nodes().iter().map(|&node| u64::from(text.chars(&page.tree, node))).sum();
            prop_assert_eq!(held.iter().map(|characters| characters.all).sum::<u64>(), sum);
            for (held, page) in held.iter().zip(&counter.page().characters) {
                prop_assert!(held.all <= page.all && held.gold <= page.gold && held.gold <= held.all);
            }
        }
    }
}
