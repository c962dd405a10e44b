//! The influence of proposals on those who mark: how much of what was proposed was kept, and, where algorithms voted, how
//! far the gold leans towards them. It also counts on whose side adjudicators were.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use carat_core::statistics::{Interval, Sampling, interval_by_sites};
use carat_core::text::counted;

use crate::agreement::Table;
use crate::document::{Document, grouped};
use crate::guidelines::{Labels, NOT, UNSURE};
use crate::marks::{Change, Labelled, Marks};
use crate::proposals::votes;
use crate::state::{Everyone, PageState, Status, Work};

/// Fewer pages with a proposal, or without one, say nothing of its influence.
const LEAST_PAGES: usize = 20;
/// Pages whose text changed that are named.
const NAMED: usize = 10;

/// The side of each character: gold or not, `None` where there is none.
type Side = Vec<Option<bool>>;

/// F1 of the gold of a page with a vote and with each of its members.
struct Leaning {
    site: String,
    vote: f64,
    members: BTreeMap<String, f64>,
}

/// One annotator's work beside proposals.
#[derive(Default)]
struct Influence {
    /// Members of the votes that were proposed.
    members: Vec<String>,
    /// Characters whose final side is the proposed one, and characters that were proposed.
    kept: [u64; 2],
    /// Characters that were on the screen, and all.
    seen: [u64; 2],
    /// Pages with the proposal of a vote.
    with: Vec<Leaning>,
    /// Pages that were drawn to have none.
    without: Vec<Leaning>,
    /// Pages whose text is another than the one that was marked.
    changed: Vec<String>,
    /// Disputed characters on which an adjudicator took the side of each.
    followed: BTreeMap<String, u64>,
    /// Disputed characters of adjudicated pages.
    disputed: u64,
}

/// The influences of all, gathered page by page.
pub struct Influences<'w> {
    everyone: &'w Everyone,
    labels: &'w Labels,
    by: BTreeMap<&'w str, Influence>,
}

impl<'w> Influences<'w> {
    /// Nothing yet, of these people.
    pub fn new(everyone: &'w Everyone, labels: &'w Labels) -> Self {
        let of = |work: &Work| Influence { members: members(work), ..Influence::default() };
        Influences { everyone, labels, by: everyone.iter().map(|(name, work)| (name.as_str(), of(work))).collect() }
    }

    /// True if someone has worked on the page `id`, so that it is worth opening.
    pub fn asks_for(&self, id: &str) -> bool {
        self.everyone.values().any(|work| work.pages.get(id).is_some_and(|state| state.status() != Status::New))
    }

    /// Adds a page.
    ///
    /// # Errors
    /// A sentence: a log names a label that the guidelines do not have.
    pub fn add(&mut self, id: &str, site: &str, document: &Document) -> Result<(), String> {
        let mut sides: BTreeMap<&str, Side> = BTreeMap::new();
        for (name, work) in self.everyone {
            let Some(state) = work.pages.get(id).filter(|state| state.status() != Status::New) else { continue };
            let Some(open) = &state.open else { continue };
            let influence = self.by.entry(name).or_default();
            if open.text_sha256 != document.text_sha256 {
                influence.changed.push(id.to_owned());
                continue;
            }
            if state.done.is_none() {
                continue;
            }
            let marks =
                state.marks(self.labels).map_err(|(line, reason)| format!("E-LOG {name}.jsonl:{line}: {reason}"))?;
            let side = side_of(document, &marks.labelled(document.len()), self.labels, Some(NOT));
            influence.look(document, state, site, &side, self.labels);
            sides.insert(name, side);
        }
        for (name, work) in self.everyone {
            let of = work.pages.get(id).and_then(|state| state.open.as_ref()?.of.as_ref());
            if let (Some(of), Some(judged)) = (of, sides.get(name.as_str())) {
                let heard = of.keys().filter_map(|other| Some((other.as_str(), sides.get(other.as_str())?)));
                self.by.entry(name).or_default().follow(judged, &heard.collect());
            }
        }
        Ok(())
    }

    /// The share of the characters of finished pages that `name` had on the screen.
    pub fn seen(&self, name: &str) -> Option<f64> {
        self.by.get(name).and_then(|influence| share(influence.seen))
    }

    /// The figures of `name`, as lines of text.
    pub fn text(&self, name: &str, sampling: &Sampling) -> String {
        self.by.get(name).map_or_else(String::new, |influence| influence.text(sampling))
    }
}

/// The members of the votes that were proposed to someone.
fn members(work: &Work) -> Vec<String> {
    let proposals = work.pages.values().filter_map(PageState::proposal).filter(|proposal| proposal.kind == "vote");
    let all: BTreeSet<&String> = proposals.flat_map(|proposal| &proposal.members).collect();
    all.into_iter().cloned().collect()
}

fn share([part, whole]: [u64; 2]) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// The side of each character; text without a label has that of `rest`.
fn side_of(document: &Document, labelled: &Labelled, labels: &Labels, rest: Option<u8>) -> Side {
    let mut side = Side::new();
    for (node, &chars) in (0..).zip(&document.chars) {
        for (from, to, label) in labelled.parts(node, chars) {
            let value = label.or(rest).filter(|label| *label != UNSURE).map(|label| labels.is_gold(label));
            side.extend(std::iter::repeat_n(value, (to - from) as usize));
        }
    }
    side
}

impl Influence {
    fn look(&mut self, document: &Document, state: &PageState, site: &str, side: &Side, labels: &Labels) {
        let before = |node: usize| document.chars[..node.min(document.len())].iter().map(|&chars| u64::from(chars));
        let run =
            |&[first, last]: &[u32; 2]| before(last as usize + 1).sum::<u64>() - before(first as usize).sum::<u64>();
        self.seen[0] += state.seen.iter().map(run).sum::<u64>();
        self.seen[1] += side.len() as u64;
        if let Some(proposal) = state.proposal() {
            let mut marks = Marks::default();
            let changes: Vec<Change> =
                proposal.set.iter().filter_map(|entry| Change::read(entry, labels).ok()).collect();
            marks.apply(&changes, &[]);
            let proposed = side_of(document, &marks.labelled(document.len()), labels, None);
            let pairs = || proposed.iter().zip(side).filter(|(proposed, _)| proposed.is_some());
            self.kept[0] += pairs().filter(|(proposed, side)| proposed == side).count() as u64;
            self.kept[1] += pairs().count() as u64;
        }
        let is_vote = state.proposal().is_some_and(|proposal| proposal.kind == "vote");
        let is_blank = state.open.as_ref().is_some_and(|open| open.blank);
        if !self.members.is_empty() && (is_vote || is_blank) {
            let leaning = leaning(document, site, side, &self.members);
            if is_vote { self.with.push(leaning) } else { self.without.push(leaning) }
        }
    }

    /// Counts on whose side an adjudicator is, where those who were heard differ.
    fn follow(&mut self, judged: &Side, heard: &BTreeMap<&str, &Side>) {
        for (at, side) in judged.iter().enumerate() {
            let said: BTreeSet<Option<bool>> = heard.values().map(|side| side[at]).collect();
            if said.len() < 2 {
                continue;
            }
            self.disputed += 1;
            for (name, _) in heard.iter().filter(|(_, said)| said[at] == *side) {
                *self.followed.entry((*name).to_owned()).or_default() += 1;
            }
        }
    }

    fn text(&self, sampling: &Sampling) -> String {
        let mut text = String::new();
        if let Some(kept) = share(self.kept) {
            let _ = writeln!(text, "  kept {kept:.2} of {} proposed characters", grouped(self.kept[1] as usize));
        }
        if !self.members.is_empty() {
            let (with, without) = (self.with.len(), self.without.len());
            if with.min(without) < LEAST_PAGES {
                let pages = counted(with, "page");
                let _ = writeln!(
                    text,
                    "  anchoring: too few: {pages} with the vote, {without} without; {LEAST_PAGES} of each are needed"
                );
            } else {
                let _ = writeln!(text, "  anchoring {}", self.difference(|leaning| Some(leaning.vote), sampling));
                for member in &self.members {
                    let favour = self.difference(|leaning| leaning.members.get(member).copied(), sampling);
                    let _ = writeln!(text, "  favour of {member} {favour}");
                }
            }
        }
        if self.disputed > 0 {
            let followed = self.followed.iter().map(|(name, chars)| format!("{name} {}", grouped(*chars as usize)));
            let followed = followed.collect::<Vec<_>>().join(", ");
            let disputed = grouped(self.disputed as usize);
            let _ = writeln!(text, "  of {disputed} disputed characters, followed {followed}");
        }
        if !self.changed.is_empty() {
            let named = self.changed.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
            let more = if self.changed.len() > NAMED { ", ..." } else { "" };
            let pages = counted(self.changed.len(), "page");
            let _ = writeln!(text, "  {pages} with another text than was marked: {named}{more}");
        }
        text
    }

    /// The mean over pages with the proposal less that over blank ones, with its interval.
    fn difference(&self, figure: impl Fn(&Leaning) -> Option<f64>, sampling: &Sampling) -> String {
        let mut sites: BTreeMap<&str, [(f64, u64); 2]> = BTreeMap::new();
        for (place, pages) in [&self.with, &self.without].into_iter().enumerate() {
            for leaning in pages {
                let Some(f1) = figure(leaning) else { continue };
                let (sum, count) = &mut sites.entry(&leaning.site).or_default()[place];
                (*sum, *count) = (*sum + f1, *count + 1);
            }
        }
        let sites: Vec<_> = sites.into_values().collect();
        let of = |drawn: &[i64]| {
            let mean = |place: usize| {
                let pairs = sites.iter().zip(drawn).map(|(site, &times)| (site[place], times));
                let (sum, count) = pairs.fold((0.0, 0), |(sum, count), ((f1, pages), times)| {
                    (sum + f1 * times as f64, count + pages as i64 * times)
                });
                (count > 0).then(|| sum / count as f64)
            };
            Some(mean(0)? - mean(1)?)
        };
        let point = of(&vec![1; sites.len()]).map_or_else(|| "none".to_owned(), |point| format!("{point:+.4}"));
        let shown = |found: Interval| format!(" ({:+.4} .. {:+.4})", found.low, found.high);
        point + &interval_by_sites(sites.len(), sampling, of).map_or_else(String::new, shown)
    }
}

/// F1 of a gold with the vote of all, where all say the same, and with the choice of each.
fn leaning(document: &Document, site: &str, side: &Side, members: &[String]) -> Leaning {
    let found = votes(&document.page, document, members);
    let by_char = |of_node: &dyn Fn(usize) -> Option<bool>| -> Side {
        let nodes = document.chars.iter().enumerate();
        nodes.flat_map(|(node, &chars)| std::iter::repeat_n(of_node(node), chars as usize)).collect()
    };
    let vote = by_char(&|node| {
        let said: BTreeSet<bool> = found.iter().map(|(_, chosen)| chosen[node]).collect();
        (said.len() == 1).then(|| said.contains(&true))
    });
    let member = |(name, chosen): &(String, Vec<bool>)| {
        (name.clone(), Table::of(side, &by_char(&|node| Some(chosen[node]))).f1())
    };
    Leaning { site: site.to_owned(), vote: Table::of(side, &vote).f1(), members: found.iter().map(member).collect() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::document::tests::document;
    use crate::event::{Done, Event, Mark, Open, Proposal};
    use crate::guidelines::Guidelines;

    const HTML: &str = "<p>abcde</p><p>fghij</p><p>klmnopqrst</p>";

    fn state(proposal: Option<Proposal>, set: serde_json::Value, of: Option<BTreeMap<String, u64>>) -> PageState {
        let open = Open {
            html_sha256: "h".to_owned(),
            text_sha256: document(HTML).text_sha256,
            nodes: 3,
            guidelines: "carat-1 sha256:0".to_owned(),
            blank: proposal.is_none(),
            proposal,
            of,
        };
        let mark = Mark { set: set.as_array().unwrap().clone(), ..Mark::default() };
        let (rest, gold_sha256) = ("not".to_owned(), String::new());
        let done = Done { rest, gold_sha256, chars: 0, ms: 0, unseen: 0 };
        let seen = Event::Seen { nodes: vec![[0, 1]], ms: 1 };
        let mut state = PageState::default();
        for (number, event) in (2..).zip([Event::Open(open), Event::Mark(mark), seen, Event::Done(done)]) {
            state.add(number, "now", &event).unwrap();
        }
        state
    }

    fn work(states: Vec<(&str, PageState)>) -> Work {
        let pages = states.into_iter().map(|(id, state)| (id.to_owned(), state)).collect();
        Work { pages, last: None }
    }

    fn told(everyone: &Everyone, name: &str, html: &str) -> String {
        let labels = Guidelines::built_in().labels;
        let mut influences = Influences::new(everyone, &labels);
        assert!(influences.asks_for("p") && !influences.asks_for("q"));
        influences.add("p", "x.cn", &document(html)).unwrap();
        format!("{:?}\n{}", influences.seen(name), influences.text(name, &Sampling::default()))
    }

    #[test]
    fn what_was_proposed_is_kept_or_not() {
        let set = vec![json!([0, 0, "content"]), json!([1, 1, "not"])];
        let proposal = Proposal { kind: "sisters".to_owned(), set, ..Proposal::default() };
        let marks = json!([[0, 0, "title"], [1, 0, 2, "content"], [2, 2, "content"]]);
        let everyone: Everyone = [("li".to_owned(), work(vec![("p", state(Some(proposal), marks, None))]))].into();
        assert_eq!(told(&everyone, "li", HTML), "Some(0.5)\n  kept 0.80 of 10 proposed characters\n");
        assert_eq!(told(&everyone, "li", "<p>x"), "None\n  1 page with another text than was marked: p\n");
    }

    #[test]
    fn adjudicators_follow_one_or_the_other() {
        let of = BTreeMap::from([("li".to_owned(), 5), ("wang".to_owned(), 5)]);
        let everyone: Everyone = [
            ("li".to_owned(), work(vec![("p", state(None, json!([[0, 2, "content"]]), None))])),
            ("wang".to_owned(), work(vec![("p", state(None, json!([[0, 0, "content"]]), None))])),
            ("chen".to_owned(), work(vec![("p", state(None, json!([[0, 1, "content"]]), Some(of)))])),
        ]
        .into();
        let text = told(&everyone, "chen", HTML);
        assert!(text.ends_with("  of 15 disputed characters, followed li 5, wang 10\n"), "{text}");
    }

    /// A page of each kind with these agreements, so often that there are enough.
    fn influence(with: &[f64], without: &[f64], times: usize) -> Influence {
        let pages = |figures: &[f64]| {
            let page = |(place, f1): (usize, &f64)| Leaning {
                site: format!("s{place}"),
                vote: *f1,
                members: BTreeMap::from([("nta".to_owned(), *f1)]),
            };
            (0..times).flat_map(|_| figures.iter().enumerate().map(page).collect::<Vec<_>>()).collect::<Vec<_>>()
        };
        let members = vec!["nta".to_owned()];
        Influence { members, with: pages(with), without: pages(without), ..Influence::default() }
    }

    #[test]
    fn a_vote_anchors_by_the_difference_of_two_means() {
        let text = influence(&[1.0, 0.96], &[0.90, 0.94], 10).text(&Sampling::default());
        assert!(text.starts_with("  anchoring +0.0600 (+0.0200 .. +0.1000)\n  favour of nta +0.0600"), "{text}");
        let few = influence(&[1.0, 0.96], &[0.90, 0.94], 9).text(&Sampling::default());
        assert_eq!(few, "  anchoring: too few: 18 pages with the vote, 18 without; 20 of each are needed\n");
    }

    #[test]
    fn a_vote_and_its_members_are_weighed_on_blank_pages_too() {
        let proposal = Proposal { kind: "vote".to_owned(), members: vec!["bte".to_owned()], ..Proposal::default() };
        let marks = || json!([[0, 2, "content"]]);
        let pages = vec![("p", state(Some(proposal), marks(), None)), ("q", state(None, marks(), None))];
        let everyone: Everyone = [("li".to_owned(), work(pages))].into();
        let labels = Guidelines::built_in().labels;
        let mut influences = Influences::new(&everyone, &labels);
        ["p", "q"].iter().for_each(|id| influences.add(id, "x.cn", &document(HTML)).unwrap());
        let found = &influences.by["li"];
        assert_eq!((found.with.len(), found.without.len()), (1, 1));
        assert_eq!(found.with[0].vote.to_bits(), found.without[0].vote.to_bits());
        assert!(found.with[0].members.contains_key("bte"));
    }
}
