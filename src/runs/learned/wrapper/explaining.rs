//! Why rules or a learned template took what they took of a page: which decided, and what each of its selectors did.

use rustc_hash::FxHashMap;

use super::learning::LearnedTemplate;
use super::rules::{Exclusion, Fallback, Pick, Rules, Template};
use super::templates::PageTemplate;
use crate::algorithms::algorithm::Choice;
use crate::algorithms::explanation::{Explanation, Figure, Judged, Number, Verdict};
use crate::algorithms::features::Prefix;
use crate::algorithms::features::visible::VisibleText;
use crate::algorithms::value::Value;
use crate::datasets::manifest::Record;
use crate::page::Page;
use crate::page::selection::Selection;
use crate::page::selector::Selectors;
use crate::page::tree::{NodeId, Tree};
use crate::runs::row_outcome::Decided;

/// A figure that is a sentence.
fn told(name: &'static str, text: impl Into<String>) -> Figure {
    Figure::new(name, Number::Text(text.into()))
}

impl Rules {
    /// What is chosen of a page, and why.
    pub(in crate::runs) fn explain(&self, record: &Record, page: &Page) -> (Choice, Explanation) {
        let (_, used) = self.choose(record, page);
        let place = |rule: usize| format!("{}:{}", self.file, self.rules[rule].line);
        let empty = used.empty.iter().map(|&rule| told("chose nothing", format!("the rule at {}", place(rule))));
        let mut figures: Vec<Figure> = empty.collect();
        match used.decided {
            Decided::Rule(rule) => {
                figures.insert(0, told("decided by", format!("the rule at {}", place(rule))));
                self.rules[rule].template.explain(page, figures)
            }
            Decided::Fallback | Decided::Uncovered => self.fallback.explain(page, figures),
        }
    }
}

impl PageTemplate {
    /// What is chosen of the page, and why.
    pub(in crate::runs) fn explain(&self, page: &Page, fallback: &Fallback) -> (Choice, Explanation) {
        let (learnt, pages) = match self {
            PageTemplate::Learned(learnt, pages) => (learnt, pages),
            PageTemplate::Nothing(why) => {
                return fallback.explain(page, vec![told("learned template", format!("none: {why}"))]);
            }
        };
        let Some(template) = learnt.template() else { return fallback.explain(page, Vec::new()) };
        let mut figures = vec![
            told("learned template", format!("of {pages} other pages of the site")),
            Figure::new("its mean F1 on them", Number::Value(Value::decimal(learnt.fit, 9))),
        ];
        if template.select(&page.tree).is_empty() {
            figures.push(told("its selectors, which choose nothing here", learnt.selectors()));
            return fallback.explain(page, figures);
        }
        figures.insert(0, told("decided by", "the learned template"));
        template.explain(page, figures)
    }
}

impl LearnedTemplate {
    fn selectors(&self) -> String {
        let include: Vec<String> = self.include.iter().map(|one| included(&one.selector, one.pick)).collect();
        let exclude = self.exclude.iter().map(|selector| format!(", without `{selector}`"));
        include.join(", ") + &exclude.collect::<String>()
    }
}

impl Fallback {
    /// What it chooses of a page, and why; `figures` tell how it came to that.
    fn explain(&self, page: &Page, mut figures: Vec<Figure>) -> (Choice, Explanation) {
        match self {
            Fallback::Nothing => {
                figures.insert(0, told("decided by", "nothing: there is no fallback"));
                let explanation = Explanation { figures, ..Explanation::default() };
                (Choice::Selection(Selection::default()), explanation)
            }
            Fallback::Algorithm { algorithm, setting } => {
                figures.insert(0, told("decided by", format!("the fallback {}", self.written())));
                let (choice, explanation) = algorithm.explain(page, setting);
                figures.extend(explanation.figures);
                (choice, Explanation { figures, ..explanation })
            }
        }
    }
}

/// A selector with the elements that it names on a page.
struct Named {
    written: String,
    takes: bool,
    elements: Vec<NodeId>,
}

/// As it is told of a selector of content.
fn included(selector: &str, pick: Pick) -> String {
    match pick {
        Pick::All => format!("`{selector}`"),
        Pick::First => format!("`{selector}` (the first)"),
    }
}

/// Which element decides about each text node, and how much text each element decided about.
#[derive(Default)]
struct Deciding {
    /// Characters that each included element gave.
    given: FxHashMap<NodeId, u64>,
    /// Characters that each excluded element took away from what is included.
    taken: FxHashMap<NodeId, u64>,
}

impl Deciding {
    fn new(page: &Page, named: &[Named], exclusion: Exclusion) -> Self {
        let (tree, text) = (&page.tree, page.view::<VisibleText>());
        let around = |takes: bool| {
            let mut nearest: Vec<Option<NodeId>> = vec![None; tree.len()];
            let elements = named.iter().filter(|one| one.takes == takes).flat_map(|one| &one.elements);
            elements.for_each(|&id| nearest[id.index()] = Some(id));
            for id in tree.ids() {
                let above = tree.parent(id).and_then(|parent| nearest[parent.index()]);
                nearest[id.index()] = nearest[id.index()].or(above);
            }
            nearest
        };
        let (included, excluded) = (around(true), around(false));
        let mut deciding = Deciding::default();
        for &id in &text.nodes {
            let Some(gives) = included[id.index()] else { continue };
            let chars = u64::from(text.chars(tree, id));
            match excluded[id.index()] {
                // Of two elements around a text the nearer one has the higher number.
                Some(takes) if exclusion == Exclusion::Subtracted || takes >= gives => {
                    *deciding.taken.entry(takes).or_default() += chars;
                }
                _ => *deciding.given.entry(gives).or_default() += chars,
            }
        }
        deciding
    }

    fn of(&self, id: NodeId, takes: bool) -> u64 {
        let characters = if takes { &self.given } else { &self.taken };
        characters.get(&id).copied().unwrap_or_default()
    }
}

impl Template {
    /// The choice, what each selector did, and each element that one names; `figures` tell how it came to that.
    fn explain(&self, page: &Page, mut figures: Vec<Figure>) -> (Choice, Explanation) {
        let selection = self.select(&page.tree);
        let named = self.named(&page.tree);
        let deciding = Deciding::new(page, &named, self.exclusion);
        for Named { written, takes, elements } in &named {
            let characters: u64 = elements.iter().map(|&id| deciding.of(id, *takes)).sum();
            let (name, what) = if *takes { ("included", "given") } else { ("excluded", "taken out") };
            let (count, s) = (elements.len(), if elements.len() == 1 { "" } else { "s" });
            figures.push(told(name, format!("{written}: {count} element{s}, {characters} characters {what}")));
        }
        if self.exclusion == Exclusion::Subtracted {
            figures.push(told("exclusion", "subtracted: nothing in what is excluded is given"));
        }
        let nodes = judged(page, &named, &deciding, &selection);
        (Choice::Selection(selection), Explanation { figures, lists: Vec::new(), nodes })
    }

    fn named(&self, tree: &Tree) -> Vec<Named> {
        let include = self.include.iter().map(|(one, selectors)| {
            let mut elements = selectors.matching(tree);
            elements.truncate(if one.pick == Pick::First { 1 } else { usize::MAX });
            Named { written: included(&one.selector, one.pick), takes: true, elements }
        });
        let exclude = self.excluded.iter().filter_map(|selector| {
            let elements = Selectors::parse(std::slice::from_ref(selector)).ok()?.matching(tree);
            Some(Named { written: format!("`{selector}`"), takes: false, elements })
        });
        include.chain(exclude).collect()
    }
}

/// Each element with text that a selector names, with what it decided.
fn judged(page: &Page, named: &[Named], deciding: &Deciding, selection: &Selection) -> Vec<Judged> {
    let (tree, text) = (&page.tree, page.view::<VisibleText>());
    let mut reasons: FxHashMap<NodeId, Vec<String>> = FxHashMap::default();
    for Named { written, takes, elements } in named {
        let told = format!("{} by {written}", if *takes { "included" } else { "excluded" });
        elements.iter().for_each(|&id| reasons.entry(id).or_default().push(told.clone()));
    }
    let chosen = Prefix::new(tree, |id| u32::from(tree.is_text(id) && selection.has(id)));
    let mut ids: Vec<NodeId> = reasons.keys().copied().collect();
    ids.sort_unstable();
    let with_text = ids.into_iter().filter(|&id| !text.under(tree, id).is_empty());
    let judged = with_text.map(|id| {
        let verdict = match chosen.of(tree, id) as usize {
            0 => Verdict::Dropped,
            all if all == text.under(tree, id).len() => Verdict::Chosen,
            _ => Verdict::Entered,
        };
        let sides = [("characters given", true), ("characters taken out", false)];
        let figures = sides.map(|(name, takes)| (name, deciding.of(id, takes))).into_iter();
        let figures = figures.filter(|(_, characters)| *characters > 0);
        let figures = figures.map(|(name, characters)| Figure::count(name, characters)).collect();
        Judged::outside(id, figures).decided(verdict, reasons[&id].join("; "))
    });
    judged.collect()
}
