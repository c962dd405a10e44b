//! A session's answers, as JSON.

use serde_json::{Value as Json, json};

use crate::document::Document;
use crate::event::FAULTS;
use crate::guidelines::Labels;
use crate::marks::{Change, Gold, Labelled, Marks, Piece};
use crate::posted::Request;
use crate::sentences::{clusters, sentences};
use crate::session::{Refusal, Session};
use crate::state::{PageState, Status};
use crate::tree::{ancestry, shown};

/// Pages of one answer.
const MOST_LISTED: usize = 1_000;

impl Session {
    /// The dataset, who annotates, the labels, the guidelines, the counts.
    pub fn state(&self) -> Json {
        let settings = &self.settings;
        let labels = &settings.guidelines.labels;
        let label = |place: u8| {
            let role = labels.role(place);
            json!({
                "name": labels.name(place), "gold": labels.is_gold(place),
                "key": role.map(|role| role.key), "en": role.map(|role| &role.en), "zh": role.map(|role| &role.zh),
            })
        };
        let counts = json!({
            "pages": settings.order.len(), "done": self.count(Status::Done), "begun": self.count(Status::Begun),
            "skipped": self.count(Status::Skipped),
        });
        json!({
            "dataset": self.source.name(), "by": settings.by, "language": settings.language,
            "labels": (0..labels.len() as u8).map(label).collect::<Vec<_>>(),
            "guidelines": {
                "version": settings.guidelines.version, "en": settings.guidelines.text.en,
                "zh": settings.guidelines.text.zh,
            },
            "counts": counts, "mode": if settings.others.is_some() { "adjudicate" } else { "annotate" },
            "at": self.first(), "faults": FAULTS,
        })
    }

    /// The page to go on with: the last one, or the first that is not finished if that is.
    fn first(&self) -> Option<String> {
        let written = self.written();
        let listed = self.source.listed();
        let id = |place: &usize| &listed[*place].id;
        let is_open = |place: &&usize| {
            let status = written.work.pages.get(id(place)).map_or(Status::New, PageState::status);
            matches!(status, Status::New | Status::Begun)
        };
        let last = written.work.last.as_ref().and_then(|last| self.settings.order.iter().find(|at| id(at) == last));
        let open = last.filter(is_open).or_else(|| self.settings.order.iter().find(is_open));
        open.or(last).or(self.settings.order.first()).map(|place| id(place).clone())
    }

    /// The pages after one, in the order in which they are shown.
    ///
    /// # Errors
    /// [`Refusal::NoPage`]: there is no page `after`.
    pub fn pages(&self, after: Option<&str>, limit: usize) -> Result<Json, Refusal> {
        let order = &self.settings.order;
        let from = match after {
            None => 0,
            Some(id) => {
                let place = self.place(id)?;
                order.iter().position(|other| *other == place).map_or(0, |at| at + 1)
            }
        };
        let written = self.written();
        let listed = self.source.listed();
        let page = |place: &usize| {
            let state = written.work.pages.get(&listed[*place].id);
            json!({
                "id": listed[*place].id, "site": listed[*place].site,
                "status": state.map_or(Status::New, PageState::status),
                "seconds": state.map_or(0, |state| state.ms / 1_000),
            })
        };
        let pages: Vec<Json> = order[from..].iter().take(limit.min(MOST_LISTED)).map(page).collect();
        Ok(json!({ "pages": pages, "left": order.len() - from - pages.len() }))
    }

    /// All that a screen needs of a page.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn page(&self, id: &str) -> Result<Json, Refusal> {
        let place = self.place(id)?;
        let (ready, state) = self.opened(place)?;
        let document = &ready.document;
        let labels = &self.settings.guidelines.labels;
        let mut page = self.progress(document, &state)?;
        let texts: Vec<&str> = (0..document.len() as u32).map(|node| document.text(node)).collect();
        page["id"] = json!(id);
        page["site"] = json!(self.source.listed()[place].site);
        page["texts"] = json!(texts);
        page["chars"] = json!(document.chars);
        page["lines"] = json!(document.lines);
        page["spaced"] = json!(document.spaced);
        page["targets"] = json!(document.targets);
        page["tree"] = shown(document).unwrap_or(Json::Null);
        page["seen"] = json!(state.seen);
        page["ms"] = json!(state.ms);
        page["blank"] = json!(state.open.as_ref().is_some_and(|open| open.blank));
        page["proposal"] = state.proposal().map_or(Json::Null, |proposal| {
            json!({ "kind": proposal.kind, "from": proposal.from, "f1": proposal.f1, "labels":
                runs(&labelled(&proposal.set, document, labels), labels), "pieces":
                pieces(document, &labelled(&proposal.set, document, labels), labels) })
        });
        page["disputed"] = json!(state.proposal().map(|proposal| &proposal.disputed[..]).unwrap_or_default());
        if let Some(sides) = self.sides(id, document) {
            page["disputed"] = json!(sides.disputed());
            page["left"] = json!(sides.left);
            page["right"] = json!(sides.right);
            if state.status() == Status::Done {
                let names: Vec<String> = self.others(id, document).into_iter().map(|(name, ..)| name).collect();
                page["sides"] = json!(names);
            }
        }
        Ok(page)
    }

    /// The parts of a page that change as it is marked.
    fn progress(&self, document: &Document, state: &PageState) -> Result<Json, Refusal> {
        let labels = &self.settings.guidelines.labels;
        let marks = state.marks(labels).map_err(|(_, reason)| Refusal::Data(reason))?;
        let labelled = marks.labelled(document.len());
        let set: Vec<Json> = marks.changes().into_iter().map(|change| change.written(labels)).collect();
        Ok(json!({
            "seq": state.seq, "status": state.status(), "marks": set, "labels": runs(&labelled, labels),
            "pieces": pieces(document, &labelled, labels),
            "gold": Gold::of(document, &labelled, labels, false).chars,
            "undo": state.undo(), "redo": state.redo(), "note": state.note, "skip": state.skip,
        }))
    }

    /// Checks and logs changes; what changed of the page.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn post(&self, id: &str, body: &[u8]) -> Result<Json, Refusal> {
        let place = self.place(id)?;
        let request = Request::read(body).map_err(Refusal::Malformed)?;
        self.change(place, request.seq, &request.events)?;
        let state = self.written().work.pages.get(id).cloned().unwrap_or_default();
        self.progress(&self.ready(place)?.document, &state)
    }

    /// The gold text so far.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn text(&self, id: &str) -> Result<Json, Refusal> {
        let (ready, state) = self.opened(self.place(id)?)?;
        let labels = &self.settings.guidelines.labels;
        let marks = state.marks(labels).map_err(|(_, reason)| Refusal::Data(reason))?;
        let gold = Gold::of(&ready.document, &marks.labelled(ready.document.len()), labels, false);
        Ok(json!({ "text": gold.text, "chars": gold.chars }))
    }

    /// The sentences of a text node, where it may be cut, in UTF-16 units and in characters, and which elements stand around
    /// it and all text up to the text node `to`.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn pieces(&self, id: &str, node: &str, to: Option<&str>) -> Result<Json, Refusal> {
        let ready = self.ready(self.place(id)?)?;
        let node = node_of(&ready.document, node)?;
        let to = to.map_or(Ok(node), |to| node_of(&ready.document, to))?;
        let run = [node.min(to), node.max(to)];
        let text = ready.document.text(node);
        let cuts = cuts(text);
        let ancestry = ancestry(&ready.document, run);
        Ok(json!({ "sentences": with_units(text, sentences(text)), "cuts": cuts, "ancestry": ancestry }))
    }

    /// Why a text node's label is proposed.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn why(&self, id: &str, node: &str) -> Result<Json, Refusal> {
        let place = self.place(id)?;
        let (ready, state) = self.opened(place)?;
        let node = node_of(&ready.document, node)?;
        let Some(proposal) = state.proposal() else { return Ok(json!({ "kind": null })) };
        let labels = &self.settings.guidelines.labels;
        Ok(match &*proposal.kind {
            "sisters" => json!({
                "kind": "sisters", "from": proposal.from.len(),
                "counts": self.sisters(place).why(&ready.document, node, labels),
            }),
            "vote" => {
                let votes = crate::proposals::votes(&ready.document.page, &ready.document, &proposal.members);
                let of = |(member, chosen): &(String, Vec<bool>)| json!([member, chosen[node as usize]]);
                json!({ "kind": "vote", "votes": votes.iter().map(of).collect::<Vec<_>>() })
            }
            kind => json!({ "kind": kind, "f1": proposal.f1 }),
        })
    }
}

fn node_of(document: &Document, node: &str) -> Result<u32, Refusal> {
    let number = node.parse::<u32>().map_err(|_| Refusal::Malformed(format!("{node:?} is no number")))?;
    if (number as usize) < document.len() {
        return Ok(number);
    }
    Err(Refusal::Unprocessable(format!("there is no text node {number}")))
}

/// The clusters of `text` that are not blank: where each begins and ends in UTF-16 units, and in characters without white
/// space.
fn cuts(text: &str) -> Vec<[u32; 4]> {
    let allowed = clusters(text);
    let (mut units, mut at, mut cuts) = (0, 0, Vec::<[u32; 4]>::new());
    for c in text.chars() {
        let end = units + c.len_utf16() as u32;
        if !carat_core::text::is_white_space(c) {
            match cuts.last_mut() {
                Some(cut) if allowed.binary_search(&at).is_err() => (cut[1], cut[3]) = (end, at + 1),
                _ => cuts.push([units, end, at, at + 1]),
            }
            at += 1;
        }
        units = end;
    }
    cuts
}

/// Each range of characters of `text`, with where it begins and ends in UTF-16 units.
fn with_units(text: &str, ranges: Vec<(u32, u32)>) -> Vec<[u32; 4]> {
    let range = |(from, to)| {
        let [start, end] = units(text, from, to);
        [from, to, start, end]
    };
    ranges.into_iter().map(range).collect()
}

/// Where characters of `text` begin and end in UTF-16 units.
fn units(text: &str, from: u32, to: u32) -> [u32; 2] {
    let (mut units, mut at, mut found) = (0, 0, [0, 0]);
    for c in text.chars() {
        let end = units + c.len_utf16() as u32;
        if !carat_core::text::is_white_space(c) {
            if at == from {
                found[0] = units;
            }
            at += 1;
            if at == to {
                found[1] = end;
            }
        }
        units = end;
    }
    found
}

fn labelled(set: &[Json], document: &Document, labels: &Labels) -> Labelled {
    let mut marks = Marks::default();
    let changes: Vec<Change> = set.iter().filter_map(|entry| Change::read(entry, labels).ok()).collect();
    marks.apply(&changes, &[]);
    marks.labelled(document.len())
}

fn runs(labelled: &Labelled, labels: &Labels) -> Vec<Json> {
    labelled.runs().into_iter().map(|(first, last, label, of)| json!([first, last, labels.name(label), of])).collect()
}

/// The labelled pieces: node, from, to, label, and where it begins and ends in UTF-16 units.
fn pieces(document: &Document, labelled: &Labelled, labels: &Labels) -> Vec<Json> {
    let of_node = |(&node, pieces): (&u32, &Vec<Piece>)| {
        let text = document.text(node);
        let piece = |&(from, to, label): &Piece| {
            let [start, end] = units(text, from, to);
            json!([node, from, to, labels.name(label), start, end])
        };
        pieces.iter().map(piece).collect::<Vec<_>>()
    };
    labelled.pieces.iter().flat_map(of_node).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_are_where_clusters_begin_and_end() {
        assert_eq!(cuts("A 👍🏽B"), [[0, 1, 0, 1], [2, 6, 1, 3], [6, 7, 3, 4]]);
        assert_eq!(cuts(" a "), [[1, 2, 0, 1]]);
        assert_eq!(units("A 👍🏽 B", 1, 3), [2, 6]);
        assert_eq!(units("A 👍🏽 B", 0, 4), [0, 8]);
    }
}
