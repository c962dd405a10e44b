//! A site's pages as learning sees them: elements with their names, text nodes with their weights, and the selectors
//! that name them.

use std::ops::Range;

use html5ever::{LocalName, local_name};
use rustc_hash::{FxHashMap, FxHashSet};

use super::rules::{Exclusion, Pick};
use crate::algorithms::features::visible::VisibleText;
use crate::page::Page;
use crate::page::selection::Selection;
use crate::page::tree::{NodeId, Tree};

/// Elements that are worth a selector of their tag alone.
const BARE: [&str; 16] = [
    "article", "main", "h1", "h2", "aside", "footer", "header", "nav", "form", "ul", "ol", "table", "figure",
    "figcaption", "time", "address",
];

/// How far above an element the one may stand whose id or classes begin a chain.
const NEAREST_ANCESTORS: usize = 3;

/// How many of that element's selectors begin one.
const FIRST_KEYS: usize = 3;

/// More digits make an id or a class one of this page alone.
const MOST_DIGITS: usize = 3;

/// A longer name is not used: a selector has its limits.
const LONGEST_NAME: usize = 100;

/// So many classes of an element are used; no page that a person wrote has more.
const MOST_CLASSES: usize = 16;

/// An F1 in units of 1e-15: whole, so that sums do not depend on the order of pages.
pub(super) type Fit = u64;

/// The F1 of 1.
pub(super) const WHOLE_FIT: Fit = 1_000_000_000_000_000;

/// Tags, ids, classes and properties of a site's pages, numbered; 0 stands for none.
#[derive(Default)]
pub(super) struct Names {
    numbers: FxHashMap<String, u32>,
    texts: Vec<String>,
    /// Of each its form in lower case: pages in quirks mode do not tell them apart.
    lower: Vec<u32>,
    usable: Vec<bool>,
}

impl Names {
    fn number(&mut self, text: &str) -> u32 {
        if let Some(&known) = self.numbers.get(text) {
            return known;
        }
        self.texts.push(text.to_owned());
        let number = self.texts.len() as u32;
        self.numbers.insert(text.to_owned(), number);
        self.lower.push(number);
        self.usable.push(is_usable(text));
        let lower = text.to_ascii_lowercase();
        if lower != text {
            self.lower[number as usize - 1] = self.number(&lower);
        }
        number
    }

    fn text(&self, number: u32) -> &str {
        &self.texts[number as usize - 1]
    }

    fn is_usable(&self, number: u32) -> bool {
        number > 0 && self.usable[number as usize - 1]
    }

    /// Equal for ids and classes that are the same on a page.
    fn on(&self, is_quirks: bool, number: u32) -> u32 {
        if is_quirks && number > 0 { self.lower[number as usize - 1] } else { number }
    }
}

/// Whether a name is an identifier of CSS as it stands, and not one of a single page.
fn is_usable(text: &str) -> bool {
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_' || !c.is_ascii();
    let rest = text.strip_prefix('-').unwrap_or(text);
    text.len() <= LONGEST_NAME
        && rest.starts_with(is_start)
        && rest.chars().all(|c| is_start(c) || c.is_ascii_digit() || c == '-')
        && text.chars().filter(char::is_ascii_digit).count() <= MOST_DIGITS
}

/// What one element must be: a tag, an id, classes, a property, as far as they are given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Compound {
    tag: u32,
    id: u32,
    classes: Vec<u32>,
    property: u32,
}

impl Compound {
    /// The numbers of all that is given.
    fn names(&self) -> impl Iterator<Item = u32> + '_ {
        let single = [self.tag, self.id, self.property].into_iter().filter(|&number| number > 0);
        single.chain(self.classes.iter().copied())
    }

    fn text(&self, names: &Names) -> String {
        let mut text = if self.tag > 0 { names.text(self.tag).to_owned() } else { String::new() };
        if self.id > 0 {
            text += &format!("#{}", names.text(self.id));
        }
        self.classes.iter().for_each(|&class| text += &format!(".{}", names.text(class)));
        if self.property > 0 {
            text += &format!("[itemprop=\"{}\"]", names.text(self.property));
        }
        text
    }
}

/// A selector: each compound the parent of the next.
pub(super) struct SiteSelector {
    pub(super) text: String,
    chain: Vec<Compound>,
}

/// An element of a page.
struct Element {
    tag: u32,
    id: u32,
    /// The first usable ones, as they are written.
    classes: Vec<u32>,
    /// All, in the order of their numbers, as they are told apart on the page.
    all_classes: Vec<u32>,
    property: u32,
    /// Its parent, if it is an element, by its place among the page's elements.
    parent: Option<u32>,
    /// Those that are its children, in document order.
    children: Vec<u32>,
    /// The visible text nodes in it, as places among all.
    texts: (u32, u32),
}

/// A page of a site.
pub(super) struct SitePage {
    is_quirks: bool,
    /// In document order.
    elements: Vec<Element>,
    by_tag: FxHashMap<u32, Vec<u32>>,
    by_id: FxHashMap<u32, Vec<u32>>,
    by_class: FxHashMap<u32, Vec<u32>>,
    by_property: FxHashMap<u32, Vec<u32>>,
    /// Whether each visible text node is gold.
    pub(super) gold: Vec<bool>,
    /// `chars` of each.
    chars: Vec<u32>,
    /// `chars` of all before each, and of the gold among them; one more behind the last.
    before: Vec<[u64; 2]>,
    /// The selectors of its elements, each once, in the order of their numbers.
    pub(super) selectors: Vec<u32>,
    /// Those of them that are of an element with gold in it.
    pub(super) of_gold: FxHashSet<u32>,
}

/// The pages of a site and every selector of their elements.
#[derive(Default)]
pub(super) struct Site {
    names: Names,
    pub(super) selectors: Vec<SiteSelector>,
    numbers: FxHashMap<String, u32>,
    /// Of each name in lower case the places of the pages on which anything is called so, in order.
    pages_of: FxHashMap<u32, Vec<usize>>,
    /// `None` where a page could not be read.
    pub(super) pages: Vec<Option<SitePage>>,
}

impl Site {
    /// Adds a page and the text nodes that its gold is made of.
    pub(super) fn add(&mut self, page: &Page, gold: &Selection) {
        let text = page.view::<VisibleText>();
        let mut read = self.read(&page.tree, &text);
        read.gold = text.nodes.iter().map(|&id| gold.has(id)).collect();
        read.before = sums(read.chars.iter().zip(&read.gold).map(|(&chars, &gold)| {
            let chars = u64::from(chars);
            [chars, if gold { chars } else { 0 }]
        }));
        self.name_elements(&page.tree, &text, &mut read);
        self.list_names(&read);
        self.pages.push(Some(read));
    }

    /// Lists a page, which is the next one, under each of its names.
    fn list_names(&mut self, page: &SitePage) {
        let place = self.pages.len();
        let numbers =
            [&page.by_tag, &page.by_id, &page.by_class, &page.by_property].into_iter().flat_map(|by| by.keys());
        numbers.filter(|&&number| number > 0).for_each(|&number| {
            let pages = self.pages_of.entry(self.names.on(true, number)).or_default();
            if pages.last() != Some(&place) {
                pages.push(place);
            }
        });
    }

    fn read(&mut self, tree: &Tree, text: &VisibleText) -> SitePage {
        let mut page = SitePage {
            is_quirks: tree.is_quirks(),
            elements: Vec::new(),
            by_tag: FxHashMap::default(),
            by_id: FxHashMap::default(),
            by_class: FxHashMap::default(),
            by_property: FxHashMap::default(),
            chars: text.nodes.iter().map(|&id| text.chars(tree, id)).collect(),
            gold: Vec::new(),
            before: Vec::new(),
            selectors: Vec::new(),
            of_gold: FxHashSet::default(),
        };
        let mut places = vec![0u32; tree.len()];
        for id in tree.ids().filter(|&id| tree.is_element(id)) {
            let place = page.elements.len() as u32;
            places[id.index()] = place;
            let element = self.element(tree, text, id, &places);
            page.by_tag.entry(element.tag).or_default().push(place);
            page.by_id.entry(self.names.on(page.is_quirks, element.id)).or_default().push(place);
            page.by_property.entry(element.property).or_default().push(place);
            element.all_classes.iter().for_each(|&class| page.by_class.entry(class).or_default().push(place));
            if let Some(parent) = element.parent {
                page.elements[parent as usize].children.push(place);
            }
            page.elements.push(element);
        }
        page
    }

    fn element(&mut self, tree: &Tree, text: &VisibleText, id: NodeId, places: &[u32]) -> Element {
        let attribute = |name: &LocalName| tree.attribute(id, name).filter(|value| !value.is_empty());
        let mut number = |value: Option<&str>| value.map_or(0, |value| self.names.number(value));
        let under = text.under(tree, id);
        let first = under.first().and_then(|&first| text.rank(tree, first)).unwrap_or_default() as u32;
        let classes = tree.attribute(id, &local_name!("class")).unwrap_or_default();
        let classes: Vec<u32> = classes.split_ascii_whitespace().map(|class| number(Some(class))).collect();
        let tag = number(Some(&**tree.name(id)));
        let own_id = number(attribute(&local_name!("id")));
        let property = number(attribute(&local_name!("itemprop")));
        let mut all_classes: Vec<u32> = classes.iter().map(|&class| self.names.on(tree.is_quirks(), class)).collect();
        all_classes.sort_unstable();
        all_classes.dedup();
        let usable = classes.into_iter().filter(|&class| self.names.is_usable(class)).take(MOST_CLASSES);
        let mut classes: Vec<u32> = usable.collect();
        classes.sort_by_key(|&class| self.names.text(class));
        classes.dedup();
        Element {
            tag,
            id: own_id,
            property,
            classes,
            all_classes,
            children: Vec::new(),
            parent: tree.parent(id).filter(|&parent| tree.is_element(parent)).map(|parent| places[parent.index()]),
            texts: (first, first + under.len() as u32),
        }
    }

    /// Gives the elements below the body that have text their selectors.
    fn name_elements(&mut self, tree: &Tree, text: &VisibleText, page: &mut SitePage) {
        let Some(body) = text.body else { return };
        let elements = tree.ids().filter(|&id| tree.is_element(id));
        let below = |(place, id): (usize, NodeId)| (id > body && tree.contains(body, id)).then_some(place);
        let below: Vec<usize> = elements.enumerate().filter_map(below).collect();
        let mut seen = FxHashSet::default();
        for place in below {
            let (from, to) = page.elements[place].texts;
            if from == to {
                continue;
            }
            let has_gold = page.gold[from as usize..to as usize].iter().any(|gold| *gold);
            for chain in self.chains(page, place) {
                let number = self.selector(chain);
                seen.insert(number);
                if has_gold {
                    page.of_gold.insert(number);
                }
            }
        }
        page.selectors = seen.into_iter().collect();
        page.selectors.sort_unstable();
    }

    fn selector(&mut self, chain: Vec<Compound>) -> u32 {
        let text = chain.iter().map(|compound| compound.text(&self.names)).collect::<Vec<_>>().join(" > ");
        if let Some(&known) = self.numbers.get(&text) {
            return known;
        }
        let number = self.selectors.len() as u32;
        self.numbers.insert(text.clone(), number);
        self.selectors.push(SiteSelector { text, chain });
        number
    }

    /// The selectors of an element.
    fn chains(&self, page: &SitePage, place: usize) -> Vec<Vec<Compound>> {
        let element = &page.elements[place];
        if !self.names.is_usable(element.tag) {
            return Vec::new();
        }
        let mut own: Vec<Compound> = self.keys(element);
        if self.names.is_usable(element.property) {
            own.push(Compound { property: element.property, ..Compound::default() });
        }
        if BARE.contains(&self.names.text(element.tag)) {
            own.push(Compound { tag: element.tag, ..Compound::default() });
        }
        own.into_iter().map(|compound| vec![compound]).chain(self.child_chains(page, place)).collect()
    }

    /// `#id`, the tag with each class, and with all of them.
    fn keys(&self, element: &Element) -> Vec<Compound> {
        let mut keys = Vec::new();
        if self.names.is_usable(element.id) {
            keys.push(Compound { id: element.id, ..Compound::default() });
        }
        let classes = &element.classes;
        let with = |classes: Vec<u32>| Compound { tag: element.tag, classes, ..Compound::default() };
        keys.extend(classes.iter().map(|&class| with(vec![class])));
        if classes.len() > 1 {
            keys.push(with(classes.clone()));
        }
        keys
    }

    /// The tags from the nearest ancestor that has a usable id or class, or from the body, down to the element.
    fn child_chains(&self, page: &SitePage, place: usize) -> Vec<Vec<Compound>> {
        let tag = |element: &Element| Compound { tag: element.tag, ..Compound::default() };
        let mut below = vec![tag(&page.elements[place])];
        let mut at = &page.elements[place];
        for _ in 0..NEAREST_ANCESTORS {
            let Some(parent) = at.parent.map(|parent| &page.elements[parent as usize]) else { break };
            let is_body = self.names.text(parent.tag) == "body";
            let keys = if is_body { vec![tag(parent)] } else { self.keys(parent) };
            if !self.names.is_usable(parent.tag) {
                break;
            }
            if !keys.is_empty() {
                let chain = |key: Compound| std::iter::once(key).chain(below.iter().rev().cloned()).collect();
                return keys.into_iter().take(FIRST_KEYS).map(chain).collect();
            }
            below.push(tag(parent));
            at = parent;
        }
        Vec::new()
    }

    /// Pages among which are all that a selector matches anything of, in order: those that have its rarest name.
    pub(super) fn pages_with(&self, selector: u32) -> &[usize] {
        let names = self.selectors[selector as usize].chain.iter().flat_map(Compound::names);
        let pages = names.map(|name| self.pages_of.get(&self.names.on(true, name)).map_or(&[][..], Vec::as_slice));
        pages.min_by_key(|pages| pages.len()).unwrap_or_default()
    }

    /// The elements of `page` that match a selector, in document order. Downwards or upwards, whichever way fewer elements
    /// are looked at.
    pub(super) fn matching(&self, selector: u32, page: &SitePage) -> Vec<u32> {
        let chain = &self.selectors[selector as usize].chain[..];
        let last = chain.last().map_or(&[][..], |last| self.listed(last, page));
        self.downwards(chain, page, last.len()).unwrap_or_else(|| self.upwards(chain, page, last))
    }

    /// The elements that match a chain, found from its beginning; `None` once it takes a look at more than `most`.
    fn downwards(&self, chain: &[Compound], page: &SitePage, most: usize) -> Option<Vec<u32>> {
        let [key, rest @ ..] = chain else { return None };
        let first = self.listed(key, page);
        let mut left = most.checked_sub(first.len())?;
        let mut level: Vec<u32> = first.iter().copied().filter(|&place| self.is(key, place, page)).collect();
        for compound in rest {
            let mut below = Vec::new();
            for &place in &level {
                let children = &page.elements[place as usize].children;
                left = left.checked_sub(children.len())?;
                below.extend(children.iter().copied().filter(|&child| self.is(compound, child, page)));
            }
            level = below;
        }
        // Of elements in each other one has children before and after the other's.
        level.sort_unstable();
        Some(level)
    }

    /// The elements of `last` that match a chain.
    fn upwards(&self, chain: &[Compound], page: &SitePage, last: &[u32]) -> Vec<u32> {
        let is_below = |&place: &u32| {
            let mut at = Some(place);
            chain.iter().rev().all(|compound| {
                let Some(place) = at else { return false };
                at = page.elements[place as usize].parent;
                self.is(compound, place, page)
            })
        };
        last.iter().copied().filter(is_below).collect()
    }

    /// Elements among which are all that are what is asked for: those with its rarest name.
    fn listed<'p>(&self, compound: &Compound, page: &'p SitePage) -> &'p [u32] {
        let on_page = |number| self.names.on(page.is_quirks, number);
        let Compound { tag, id, classes, property } = compound;
        let named = [(*tag, &page.by_tag), (on_page(*id), &page.by_id), (*property, &page.by_property)];
        let named = named.into_iter().filter(|(number, _)| *number > 0);
        let all = named.chain(classes.iter().map(|&class| (on_page(class), &page.by_class)));
        let lists = all.map(|(number, places)| places.get(&number).map_or(&[][..], Vec::as_slice));
        lists.min_by_key(|list| list.len()).unwrap_or_default()
    }

    fn is(&self, compound: &Compound, place: u32, page: &SitePage) -> bool {
        let element = &page.elements[place as usize];
        let on_page = |number| self.names.on(page.is_quirks, number);
        (compound.tag == 0 || compound.tag == element.tag)
            && (compound.id == 0 || on_page(compound.id) == on_page(element.id))
            && (compound.property == 0 || compound.property == element.property)
            && compound.classes.iter().all(|&class| element.all_classes.binary_search(&on_page(class)).is_ok())
    }
}

impl SitePage {
    /// The text nodes in `included` that `excluded` does not take out, as the templates of rules have it; both are in
    /// document order.
    pub(super) fn select(&self, included: &[u32], excluded: &[u32], exclusion: Exclusion) -> Vec<bool> {
        let mut chosen = vec![false; self.chars.len()];
        if exclusion == Exclusion::Subtracted {
            self.outermost(included).for_each(|texts| chosen[texts].fill(true));
            self.outermost(excluded).for_each(|texts| chosen[texts].fill(false));
            return chosen;
        }
        let (mut includes, mut excludes) = (included.iter().peekable(), excluded.iter().peekable());
        // Elements come after those that they are in, so that the nearest one has the last word.
        loop {
            let next = match (includes.peek(), excludes.peek()) {
                (Some(include), Some(exclude)) if include > exclude => (excludes.next(), false),
                (Some(_), _) => (includes.next(), true),
                (None, _) => (excludes.next(), false),
            };
            let (Some(&place), takes) = next else { return chosen };
            chosen[self.texts(place)].fill(takes);
        }
    }

    /// The parent of each element, if that is an element, by its place.
    pub(super) fn parents(&self) -> impl ExactSizeIterator<Item = Option<u32>> + DoubleEndedIterator {
        self.elements.iter().map(|element| element.parent)
    }

    /// The places of the text nodes in an element.
    pub(super) fn texts(&self, place: u32) -> Range<usize> {
        let (from, to) = self.elements[place as usize].texts;
        from as usize..to as usize
    }

    /// The places of the text nodes in each of `elements` that is in none of the others; both in document order.
    fn outermost<'e>(&'e self, elements: &'e [u32]) -> impl Iterator<Item = Range<usize>> + 'e {
        let mut covered = 0;
        elements.iter().filter_map(move |&place| {
            let texts = self.texts(place);
            (texts.end > covered).then(|| {
                covered = texts.end;
                texts
            })
        })
    }

    /// How well all text of `elements`, which are in document order, fits the gold.
    pub(super) fn fit_of_elements(&self, elements: &[u32]) -> Fit {
        let parts = self.outermost(elements).map(|texts| {
            let ([to, gold_to], [from, gold_from]) = (self.before[texts.end], self.before[texts.start]);
            [to - from, gold_to - gold_from]
        });
        self.fit(parts.fold([0, 0], |[all, gold], [more, more_gold]| [all + more, gold + more_gold]))
    }

    /// How well a choice of text nodes fits the gold.
    pub(super) fn fit_of(&self, chosen: &[bool]) -> Fit {
        let right = self.chosen(chosen).filter(|(_, gold)| *gold).map(|(chars, _)| chars).sum();
        self.fit([self.chosen(chosen).map(|(chars, _)| chars).sum(), right])
    }

    /// The F1 by characters of so much chosen text, so much of it gold, and the gold nodes; 1 where both are empty.
    fn fit(&self, [selected, right]: [u64; 2]) -> Fit {
        let both = u128::from(selected + self.before.last().map_or(0, |[_, gold]| *gold));
        match both {
            0 => WHOLE_FIT,
            _ => ((2 * u128::from(right) * u128::from(WHOLE_FIT) + both / 2) / both) as Fit,
        }
    }

    /// `chars` of each text node that is chosen, and whether it is gold.
    pub(super) fn chosen<'c>(&'c self, chosen: &'c [bool]) -> impl Iterator<Item = (u64, bool)> + 'c {
        let all = self.chars.iter().zip(&self.gold).zip(chosen);
        all.filter(|(_, chosen)| **chosen).map(|((&chars, &gold), _)| (u64::from(chars), gold))
    }

    /// For each text node how many more wrong than right characters of a choice stand before it; one more behind the
    /// last.
    pub(super) fn excess_before(&self, chosen: &[bool]) -> Vec<i64> {
        let excess = |((&chars, &gold), &chosen): ((&u32, &bool), &bool)| match (chosen, gold) {
            (false, _) => 0,
            (true, true) => -i64::from(chars),
            (true, false) => i64::from(chars),
        };
        let all = self.chars.iter().zip(&self.gold).zip(chosen).map(excess);
        std::iter::once(0)
            .chain(all.scan(0, |sum, excess| {
                *sum += excess;
                Some(*sum)
            }))
            .collect()
    }
}

/// The sums of all before each, and of all.
fn sums(values: impl Iterator<Item = [u64; 2]>) -> Vec<[u64; 2]> {
    let added = values.scan([0, 0], |sum, value| {
        *sum = [sum[0] + value[0], sum[1] + value[1]];
        Some(*sum)
    });
    std::iter::once([0, 0]).chain(added).collect()
}

/// The elements of those that match that are meant.
pub(super) fn picked(matching: &[u32], pick: Pick) -> &[u32] {
    match pick {
        Pick::All => matching,
        Pick::First => &matching[..matching.len().min(1)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Context;

    fn site(pages: &[String]) -> Site {
        let mut site = Site::default();
        for html in pages {
            site.add(&Page::new(html.as_bytes(), Context::default()).unwrap(), &Selection::default());
        }
        site
    }

    fn chain<'s>(site: &'s Site, text: &str) -> &'s [Compound] {
        &site.selectors.iter().find(|selector| selector.text == text).unwrap().chain
    }

    #[test]
    fn of_equal_elements_around_different_ones_no_more_are_looked_at_than_the_rarest_name_has() {
        let children = ["aa", "bb", "cc", "dd", "ee", "ff", "gg", "hh"];
        let children = children.map(|name| format!("<div class=k><x-{name} class=m>a</x-{name}></div>"));
        let site = site(&[children.concat()]);
        let page = site.pages[0].as_ref().unwrap();
        let listed = |text: &str| site.listed(chain(&site, text).last().unwrap(), page).len();
        assert_eq!((listed("x-cc.m"), listed("div.k > x-cc"), listed("div.k")), (1, 1, 8));
        let downwards = |most: usize| site.downwards(chain(&site, "div.k > x-cc"), page, most);
        // All eight and their children; the one with the tag is found from below.
        assert_eq!((downwards(1), downwards(15), downwards(16).unwrap().len()), (None, None, 1));
    }

    #[test]
    fn both_ways_find_the_same() {
        let html = "<div class=k><p><i>a</i><b>b</b></p><p>c</p></div><div class='k l'><div class=k><p><i>d</i></p></div></div>";
        let site = site(&[html.to_owned()]);
        let page = site.pages[0].as_ref().unwrap();
        let mut found = 0;
        for selector in &site.selectors {
            let last = site.listed(selector.chain.last().unwrap(), page);
            let upwards = site.upwards(&selector.chain, page, last);
            assert_eq!(site.downwards(&selector.chain, page, usize::MAX), Some(upwards.clone()), "{}", selector.text);
            found += upwards.len();
        }
        assert!(found > site.selectors.len(), "{found}");
    }

    #[test]
    fn a_name_of_one_page_is_looked_for_there_alone() {
        let pages = ["<div class=aa>x</div>", "<!doctype html><div class=Bb><p>x</div>", "<div class=bb><p>x</div>"];
        let site = site(&pages.map(str::to_owned));
        let pages_with = |text: &str| {
            let number = site.selectors.iter().position(|selector| selector.text == text).unwrap();
            site.pages_with(number as u32)
        };
        assert_eq!(pages_with("div.aa"), [0]);
        // In quirks mode a class is the same in either case.
        assert_eq!((pages_with("div.Bb > p"), pages_with("div.bb")), (&[1, 2][..], &[1, 2][..]));
    }
}
