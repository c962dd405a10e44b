//! Everyone's work on a dataset: how far each is, and how alike they mark.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use carat_core::statistics::Sampling;
use carat_core::text::counted;
use serde_json::{Value as Json, json};

use crate::agreement::{Coincidences, Table, alpha_interval, kappa_interval};
use crate::document::{Document, grouped};
use crate::guidelines::{Labels, NOT, UNSURE};
use crate::influence::Influences;
use crate::log::{LogError, annotators, read_log};
use crate::marks::Labelled;
use crate::state::{Everyone, Status, Work};

/// Fewer sites give intervals that say little.
const FEW_SITES: usize = 6;
/// Pages with the lowest F1 that are named.
const LOWEST: usize = 10;

/// The logs of all, or of `names`.
///
/// # Errors
/// [`LogError`].
pub fn everyone(folder: &Path, names: &[String]) -> Result<Everyone, LogError> {
    let all = if names.is_empty() { annotators(folder)? } else { names.to_vec() };
    let mut everyone = Everyone::new();
    for name in all {
        if let Some(lines) = read_log(folder, &name)? {
            let work = Work::fold(folder, &name, &lines)?;
            everyone.insert(name, work);
        }
    }
    Ok(everyone)
}

/// The progress of each: pages, seconds, the share of the characters that were seen, and the influence of proposals.
pub fn status(everyone: &Everyone, pages: usize, influences: &Influences<'_>, sampling: &Sampling) -> String {
    let mut text = String::new();
    for (name, work) in everyone {
        let done: Vec<_> = work.pages.values().filter(|state| state.status() == Status::Done).collect();
        let mut seconds: Vec<f64> = done.iter().map(|state| state.ms as f64 / 1e3).collect();
        seconds.sort_unstable_by(f64::total_cmp);
        let (begun, skipped) = (work.count(Status::Begun), work.count(Status::Skipped));
        let _ = write!(text, "{name}: {} of {} done, {begun} begun", done.len(), counted(pages, "page"));
        if skipped > 0 {
            let _ = write!(text, ", {skipped} faulty");
        }
        if let (Some(first), Some(last)) = (seconds.first(), seconds.last()) {
            let quartile = |share: f64| seconds[((seconds.len() - 1) as f64 * share).round() as usize];
            let [low, middle, high] = [0.25, 0.5, 0.75].map(quartile);
            let _ = write!(
                text,
                "; seconds per page: median {middle:.0}, half of them {low:.0} to {high:.0}, all {first:.0} to {last:.0}"
            );
        }
        if let Some(share) = influences.seen(name) {
            let _ = write!(text, "; seen {share:.2} of the characters");
            if share < 0.9 {
                text.push_str(" (look at this work: little was seen)");
            }
        }
        let unmarked = done.iter().filter(|state| state.made == 0).count();
        if unmarked > 0 {
            let _ = write!(text, "; {} finished without a mark", counted(unmarked, "page"));
        }
        let mut versions: BTreeMap<&str, usize> = BTreeMap::new();
        for open in done.iter().filter_map(|state| state.open.as_ref()) {
            *versions.entry(open.guidelines.split(' ').next().unwrap_or_default()).or_default() += 1;
        }
        let told: Vec<String> = versions.iter().map(|(version, count)| format!("{version} {count}")).collect();
        let _ = writeln!(text, "{}{}", if told.is_empty() { "" } else { "; guidelines " }, told.join(", "));
        text += &influences.text(name, sampling);
    }
    if text.is_empty() { "nobody has annotated this dataset yet\n".to_owned() } else { text }
}

/// The value of each character of a page, for one person: a place among values, or none where it is unsure.
fn values(document: &Document, labelled: &Labelled, labels: &Labels, by_label: bool) -> Vec<Option<u8>> {
    let mut values = Vec::new();
    for (node, &chars) in (0..).zip(&document.chars) {
        for (from, to, label) in labelled.parts(node, chars) {
            let label = label.unwrap_or(NOT);
            let value = match label {
                UNSURE => None,
                label if by_label => Some(label),
                label => Some(u8::from(labels.is_gold(label))),
            };
            values.extend(std::iter::repeat_n(value, (to - from) as usize));
        }
    }
    values
}

/// The same by text node: the side of half of its characters.
fn by_node(document: &Document, values: &[Option<u8>]) -> Vec<Option<u8>> {
    let mut at = 0;
    let node = |&chars: &u32| {
        let of_node = &values[at..at + chars as usize];
        at += chars as usize;
        let known: Vec<u8> = of_node.iter().flatten().copied().collect();
        let times = |value: u8| known.iter().filter(|other| **other == value).count();
        let best = known.iter().copied().max_by_key(|value| (times(*value), *value))?;
        (known.len() * 2 >= of_node.len()).then_some(best)
    };
    document.chars.iter().map(node).collect()
}

/// The work that two people have in common.
struct Pair {
    names: [String; 2],
    sites: BTreeMap<String, Table>,
    pages: Vec<(f64, String)>,
}

/// The agreement between people, gathered page by page.
pub struct Agreement {
    by_label: bool,
    labels: Labels,
    pairs: Vec<Pair>,
    sites: BTreeMap<String, Coincidences>,
    nodes: Coincidences,
    pages: usize,
}

impl Agreement {
    /// Nothing yet, of these people.
    pub fn new(names: &[String], labels: &Labels, by_label: bool) -> Self {
        let values = if by_label { labels.len() } else { 2 };
        let mut pairs = Vec::new();
        for (at, one) in names.iter().enumerate() {
            for other in &names[at + 1..] {
                let names = [one.clone(), other.clone()];
                pairs.push(Pair { names, sites: BTreeMap::new(), pages: Vec::new() });
            }
        }
        let nodes = Coincidences::new(values);
        Agreement { by_label, labels: labels.clone(), pairs, sites: BTreeMap::new(), nodes, pages: 0 }
    }

    /// Adds a page that two or more of them have finished on this text.
    ///
    /// # Errors
    /// A sentence: a log names a label that the guidelines do not have.
    pub fn add(&mut self, id: &str, site: &str, document: &Document, everyone: &Everyone) -> Result<(), String> {
        let mut said = BTreeMap::new();
        for (name, work) in everyone {
            let Some(state) = work.pages.get(id).filter(|state| state.done.is_some()) else { continue };
            if state.is_adjudicated() || state.open.as_ref().is_none_or(|open| open.text_sha256 != document.text_sha256)
            {
                continue;
            }
            let marks =
                state.marks(&self.labels).map_err(|(line, reason)| format!("E-LOG {name}.jsonl:{line}: {reason}"))?;
            said.insert(name.clone(), marks.labelled(document.len()));
        }
        if said.len() < 2 {
            return Ok(());
        }
        self.pages += 1;
        let of = |labelled: &Labelled, by_label| values(document, labelled, &self.labels, by_label);
        for pair in &mut self.pairs {
            let (Some(one), Some(other)) = (said.get(&pair.names[0]), said.get(&pair.names[1])) else { continue };
            let sides = [one, other].map(|labelled| -> Vec<Option<bool>> {
                of(labelled, false).into_iter().map(|value| value.map(|gold| gold == 1)).collect()
            });
            let table = Table::of(&sides[0], &sides[1]);
            let site = pair.sites.entry(site.to_owned()).or_default();
            *site = site.plus(table);
            pair.pages.push((table.f1(), id.to_owned()));
        }
        let size = if self.by_label { self.labels.len() } else { 2 };
        let all: Vec<Vec<Option<u8>>> = said.values().map(|labelled| of(labelled, self.by_label)).collect();
        add_units(self.sites.entry(site.to_owned()).or_insert_with(|| Coincidences::new(size)), &all, size);
        let nodes: Vec<Vec<Option<u8>>> = all.iter().map(|values| by_node(document, values)).collect();
        add_units(&mut self.nodes, &nodes, size);
        Ok(())
    }

    /// Alpha over all sites.
    fn alpha(&self) -> (Option<f64>, Coincidences) {
        let mut sum = self.nodes.clone();
        sum.clear();
        self.sites.values().for_each(|site| sum.join(site));
        (sum.alpha(), sum)
    }

    /// The figure that a threshold is held against: kappa of two, else alpha.
    pub fn figure(&self) -> Option<f64> {
        match &self.pairs[..] {
            [pair] => total(pair).kappa(),
            _ => self.alpha().0,
        }
    }

    /// As lines of text.
    pub fn text(&self, sampling: &Sampling) -> String {
        let mut text = String::new();
        let shown = |figure: Option<f64>| figure.map_or_else(|| "none".to_owned(), |figure| format!("{figure:.4}"));
        for pair in self.pairs.iter().filter(|pair| !pair.pages.is_empty()) {
            let table = total(pair);
            let sites: Vec<Table> = pair.sites.values().copied().collect();
            let interval = kappa_interval(&sites, sampling)
                .map_or_else(String::new, |found| format!(" ({:.4} .. {:.4})", found.low, found.high));
            let mean = pair.pages.iter().map(|(f1, _)| f1).sum::<f64>() / pair.pages.len() as f64;
            let _ = writeln!(
                text,
                "{} and {}: {}, {}, {} characters: po {}, kappa {}{interval}, F1 {mean:.4}, of the sums {:.4}",
                pair.names[0],
                pair.names[1],
                counted(pair.pages.len(), "page"),
                counted(sites.len(), "site"),
                grouped(table.all() as usize),
                shown(table.observed()),
                shown(table.kappa()),
                table.f1()
            );
        }
        let (alpha, sum) = self.alpha();
        let sites: Vec<Coincidences> = self.sites.values().cloned().collect();
        let interval = alpha_interval(&sites, sampling)
            .map_or_else(String::new, |found| format!(" ({:.4} .. {:.4})", found.low, found.high));
        let _ = writeln!(
            text,
            "alpha {}{interval}, by text nodes {}, on {}",
            shown(alpha),
            shown(self.nodes.alpha()),
            counted(self.pages, "page")
        );
        if self.sites.len() < FEW_SITES {
            let _ = writeln!(text, "note: few sites ({}): an interval says little", self.sites.len());
        }
        if self.by_label {
            for (one, other, units) in sum.confused().into_iter().take(5) {
                let (one, other) = (self.labels.name(one as u8), self.labels.name(other as u8));
                let _ = writeln!(text, "confused: {one} and {other}, {units:.0} characters");
            }
        }
        for (f1, page) in self.lowest() {
            let _ = writeln!(text, "  F1 {f1:.4}  {page}");
        }
        text + "This says how alike people are, not how right.\n"
    }

    /// The pages with the lowest F1 of any two, lowest first.
    fn lowest(&self) -> Vec<(f64, String)> {
        let mut pages: Vec<(f64, String)> = self.pairs.iter().flat_map(|pair| pair.pages.iter().cloned()).collect();
        pages.retain(|(f1, _)| *f1 < 1.0);
        pages.sort_by(|one, other| one.0.total_cmp(&other.0).then_with(|| one.1.cmp(&other.1)));
        let mut named = std::collections::BTreeSet::new();
        pages.retain(|(_, page)| named.insert(page.clone()));
        pages.truncate(LOWEST);
        pages
    }

    /// As JSON.
    pub fn json(&self, sampling: &Sampling) -> Json {
        let interval = |found: Option<carat_core::statistics::Interval>| found.map(|found| [found.low, found.high]);
        let pair = |pair: &Pair| {
            let (table, sites) = (total(pair), pair.sites.values().copied().collect::<Vec<_>>());
            let mean = pair.pages.iter().map(|(f1, _)| f1).sum::<f64>() / pair.pages.len().max(1) as f64;
            json!({
                "by": pair.names, "pages": pair.pages.len(), "sites": sites.len(), "characters": table.all(),
                "po": table.observed(), "kappa": table.kappa(), "interval": interval(kappa_interval(&sites, sampling)),
                "f1": mean, "f1_of_sums": table.f1(),
            })
        };
        let (alpha, _) = self.alpha();
        let sites: Vec<Coincidences> = self.sites.values().cloned().collect();
        json!({
            "pairs": self.pairs.iter().filter(|pair| !pair.pages.is_empty()).map(pair).collect::<Vec<_>>(),
            "alpha": alpha, "alpha_interval": interval(alpha_interval(&sites, sampling)),
            "alpha_of_nodes": self.nodes.alpha(), "pages": self.pages, "lowest": self.lowest(),
        })
    }

    /// The number of pages that two or more have finished.
    pub fn pages(&self) -> usize {
        self.pages
    }
}

fn total(pair: &Pair) -> Table {
    pair.sites.values().fold(Table::default(), |sum, site| sum.plus(*site))
}

fn add_units(to: &mut Coincidences, people: &[Vec<Option<u8>>], size: usize) {
    for at in 0..people[0].len() {
        let mut counts = vec![0; size];
        people.iter().filter_map(|values| values[at]).for_each(|value| counts[value as usize] += 1);
        to.add(&counts, 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::tests::document;
    use crate::event::{Done, Event, Line, Mark, Open};
    use crate::guidelines::Guidelines;

    fn worker(pages: &[(&str, &Document, Json)]) -> Work {
        let mut lines = Vec::new();
        for (id, document, set) in pages {
            let open = Open {
                html_sha256: "h".to_owned(),
                text_sha256: document.text_sha256.clone(),
                nodes: document.len() as u64,
                guidelines: "carat-1 sha256:0".to_owned(),
                proposal: None,
                blank: false,
                of: None,
            };
            let mark = Mark { set: set.as_array().unwrap().clone(), ..Mark::default() };
            let seen = Event::Seen { nodes: vec![[0, document.len() as u32 - 1]], ms: 40_000 };
            let (rest, gold_sha256) = ("not".to_owned(), String::new());
            let done = Done { rest, gold_sha256, chars: 0, ms: 0, unseen: 0 };
            for event in [Event::Open(open), Event::Mark(mark), seen, Event::Done(done)] {
                lines.push(Line { page: (*id).to_owned(), at: "now".to_owned(), event });
            }
        }
        Work::fold(Path::new("."), "x", &lines).unwrap()
    }

    /// Nodes of 10, 20, 30 and 40 characters.
    fn page() -> Document {
        let nodes: String = [10, 20, 30, 40].map(|length| format!("<p>{}</p>", "字".repeat(length))).concat();
        document(&nodes)
    }

    #[test]
    fn the_agreement_of_logs_is_that_of_their_marks() {
        let page = page();
        let everyone: Everyone = [
            ("a".to_owned(), worker(&[("p", &page, json!([[1, 1, "content"], [2, 2, "title"]]))])),
            ("b".to_owned(), worker(&[("p", &page, json!([[2, 2, "content"], [3, 0, 10, "content"]]))])),
        ]
        .into();
        let names: Vec<String> = everyone.keys().cloned().collect();
        let labels = Guidelines::built_in().labels;
        let mut agreement = Agreement::new(&names, &labels, false);
        agreement.add("p", "x.cn", &page, &everyone).unwrap();
        agreement.add("q", "x.cn", &page, &everyone).unwrap();
        assert_eq!(agreement.pages(), 1);
        assert!((agreement.figure().unwrap() - 0.4).abs() < 1e-9);
        let found = agreement.json(&Sampling::default());
        assert!((found["alpha"].as_f64().unwrap() - 131.0 / 330.0).abs() < 1e-9);
        assert!((found["alpha_of_nodes"].as_f64().unwrap() - 8.0 / 15.0).abs() < 1e-9);
        let text = agreement.text(&Sampling::default());
        assert!(text.contains("a and b: 1 page, 1 site, 100 characters: po 0.7000, kappa 0.4000, F1 0.6667"), "{text}");
        assert!(text.contains("F1 0.6667  p") && text.contains("few sites (1)"), "{text}");
        // Whoever saw the marks of others agrees with them for that reason.
        let mut adjudicated = everyone.clone();
        let open = adjudicated.get_mut("b").unwrap().pages.get_mut("p").unwrap().open.as_mut().unwrap();
        open.of = Some([("a".to_owned(), 1)].into());
        let mut of_one = Agreement::new(&names, &labels, false);
        of_one.add("p", "x.cn", &page, &adjudicated).unwrap();
        assert_eq!(of_one.pages(), 0);
        let mut by_label = Agreement::new(&names, &labels, true);
        by_label.add("p", "x.cn", &page, &everyone).unwrap();
        assert!(by_label.text(&Sampling::default()).contains("confused: content and title, 30 characters"));
    }

    #[test]
    fn a_status_says_who_is_how_far() {
        let page = page();
        let everyone: Everyone = [("a".to_owned(), worker(&[("p", &page, json!([[1, 1, "content"]]))]))].into();
        let labels = Guidelines::built_in().labels;
        let mut influences = Influences::new(&everyone, &labels);
        influences.add("p", "x.cn", &page).unwrap();
        let text = status(&everyone, 30, &influences, &Sampling::default());
        assert_eq!(
            text,
            "a: 1 of 30 pages done, 0 begun; seconds per page: median 40, half of them 40 to 40, all 40 to 40; seen 1.00 of the characters; guidelines carat-1 1\n"
        );
        let nobody = Everyone::new();
        let none = Influences::new(&nobody, &labels);
        assert!(status(&nobody, 30, &none, &Sampling::default()).contains("nobody"));
    }
}
