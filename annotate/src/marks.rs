//! Marks: which label stands on which text, and the gold that follows.
//!
//! A text node has the label of the smallest marked run that holds it, in whatever order the marks came. A piece of a
//! text node overrides runs, and a later piece takes its part from earlier ones.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::digest::sha256;
use crate::document::{Document, Run};
use crate::guidelines::{Labels, NOT, UNSURE};

/// One entry of an action: a label is put, or taken away (`None`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// On a run of text nodes that an element holds.
    Run(Run, Option<u8>),
    /// On the characters `from..to` of a text node.
    Piece(u32, u32, u32, Option<u8>),
}

impl Change {
    /// Reads `[first, last, label]` or `[node, from, to, label]`.
    ///
    /// # Errors
    /// A sentence.
    pub fn read(entry: &Json, labels: &Labels) -> Result<Self, String> {
        let told = || format!("{entry} is no mark: [first, last, label] or [node, from, to, label]");
        let entry_parts = entry.as_array().ok_or_else(told)?;
        let (label, numbers) = entry_parts.split_last().ok_or_else(told)?;
        let label = match label {
            Json::Null => None,
            Json::String(name) => {
                Some(labels.place(name).ok_or_else(|| format!("the guidelines have no label {name:?}"))?)
            }
            _ => return Err(told()),
        };
        let number = |value: &Json| value.as_u64().and_then(|number| u32::try_from(number).ok()).ok_or_else(told);
        let numbers: Vec<u32> = numbers.iter().map(number).collect::<Result<_, _>>()?;
        match numbers[..] {
            [first, last] => Ok(Change::Run([first, last], label)),
            [node, from, to] => Ok(Change::Piece(node, from, to, label)),
            _ => Err(told()),
        }
    }

    /// As [`Change::read`] reads it.
    pub fn written(self, labels: &Labels) -> Json {
        let name = |label: Option<u8>| label.map(|place| labels.name(place));
        match self {
            Change::Run([first, last], label) => json!([first, last, name(label)]),
            Change::Piece(node, from, to, label) => json!([node, from, to, name(label)]),
        }
    }

    /// Checks that the page has what is marked.
    ///
    /// # Errors
    /// A sentence.
    pub fn check(self, document: &Document) -> Result<(), String> {
        match self {
            Change::Run(run, _) => check_run(run, document),
            Change::Piece(node, from, to, _) => {
                let chars = document.chars.get(node as usize).copied();
                let Some(chars) = chars else {
                    return Err(format!("there is no text node {node}: the page has {}", document.len()));
                };
                if from >= to || to > chars {
                    return Err(format!("[{node},{from},{to}] is no piece of a text node of {chars} characters"));
                }
                if from == 0 && to == chars {
                    return Err(format!("[{node},{from},{to}] is a whole text node: mark [{node},{node}]"));
                }
                Ok(())
            }
        }
    }
}

/// Checks that an element holds `run`, or that it is one text node.
///
/// # Errors
/// A sentence.
pub fn check_run(run: Run, document: &Document) -> Result<(), String> {
    match document.is_target(run) {
        true => Ok(()),
        false => Err(format!("[{},{}] is the text of no element", run[0], run[1])),
    }
}

/// A labelled piece of a text node: from, to, label.
pub type Piece = (u32, u32, u8);

/// The marks of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    runs: BTreeMap<Run, u8>,
    /// By text node, in order, apart from each other.
    pieces: BTreeMap<u32, Vec<Piece>>,
}

impl Marks {
    /// Takes away what is strictly inside each run of `inside`, and then makes each change of `set`.
    pub fn apply(&mut self, set: &[Change], inside: &[Run]) {
        for run in inside {
            let is_inside = |other: &Run| other != run && run[0] <= other[0] && other[1] <= run[1];
            self.runs.retain(|other, _| !is_inside(other));
            self.pieces.retain(|node, _| *node < run[0] || run[1] < *node);
        }
        for change in set {
            match *change {
                Change::Run(run, Some(label)) => {
                    self.runs.insert(run, label);
                }
                Change::Run(run, None) => {
                    self.runs.remove(&run);
                }
                Change::Piece(node, from, to, label) => self.put_piece(node, (from, to), label),
            }
        }
    }

    fn put_piece(&mut self, node: u32, (from, to): (u32, u32), label: Option<u8>) {
        let before = self.pieces.remove(&node).unwrap_or_default();
        let mut after: Vec<Piece> = Vec::new();
        for (start, end, old) in before {
            // What of the earlier piece lies on either side stays.
            let rest = [(start, end.min(from), old), (start.max(to), end, old)];
            after.extend(rest.into_iter().filter(|(start, end, _)| start < end));
        }
        after.extend(label.map(|label| (from, to, label)));
        after.sort_unstable();
        if !after.is_empty() {
            self.pieces.insert(node, after);
        }
    }

    /// True if nothing is marked.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty() && self.pieces.is_empty()
    }

    /// The number of marks.
    pub fn len(&self) -> usize {
        self.runs.len() + self.pieces.values().map(Vec::len).sum::<usize>()
    }

    /// The changes that make these marks on an unmarked page.
    pub fn changes(&self) -> Vec<Change> {
        let runs = self.runs.iter().map(|(&run, &label)| Change::Run(run, Some(label)));
        let piece = |(&node, pieces): (&u32, &Vec<Piece>)| {
            pieces.iter().map(move |&(from, to, label)| Change::Piece(node, from, to, Some(label))).collect::<Vec<_>>()
        };
        runs.chain(self.pieces.iter().flat_map(piece)).collect()
    }

    /// The labels of a page of `nodes` text nodes.
    pub fn labelled(&self, nodes: usize) -> Labelled {
        let mut outer: Vec<(Run, u8)> = self.runs.iter().map(|(&run, &label)| (run, label)).collect();
        outer.sort_unstable_by_key(|&([first, last], _)| (first, std::cmp::Reverse(last)));
        let mut open: Vec<(Run, u8)> = Vec::new();
        let mut coming = outer.into_iter().peekable();
        let mut of_nodes = Vec::with_capacity(nodes);
        for node in 0..nodes as u32 {
            while open.last().is_some_and(|([_, last], _)| *last < node) {
                open.pop();
            }
            while let Some(mark) = coming.next_if(|([first, _], _)| *first <= node) {
                open.push(mark);
            }
            of_nodes.push(open.last().copied());
        }
        Labelled { nodes: of_nodes, pieces: self.pieces.clone() }
    }
}

/// The label of each text node, with the run that gives it, and the labelled pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labelled {
    /// By text node.
    pub nodes: Vec<Option<(Run, u8)>>,
    /// By text node, in order, apart from each other.
    pub pieces: BTreeMap<u32, Vec<Piece>>,
}

impl Labelled {
    /// The label of a text node, its pieces left aside.
    pub fn node(&self, node: u32) -> Option<u8> {
        self.nodes[node as usize].map(|(_, label)| label)
    }

    /// The parts of a text node of `chars` characters: from, to and label, in order and without a gap.
    pub fn parts(&self, node: u32, chars: u32) -> Vec<(u32, u32, Option<u8>)> {
        let rest = self.node(node);
        let (mut parts, mut next) = (Vec::new(), 0);
        for &(from, to, label) in self.pieces.get(&node).into_iter().flatten() {
            if next < from {
                parts.push((next, from, rest));
            }
            parts.push((from, to, Some(label)));
            next = to;
        }
        if next < chars {
            parts.push((next, chars, rest));
        }
        parts
    }

    /// True if any text has the label.
    pub fn has(&self, label: u8, document: &Document) -> bool {
        (0..document.len() as u32)
            .any(|node| self.parts(node, document.chars[node as usize]).iter().any(|part| part.2 == Some(label)))
    }

    /// Runs of text nodes whose label comes from the same mark: first, last, label, that mark's run.
    pub fn runs(&self) -> Vec<(u32, u32, u8, Run)> {
        let mut runs: Vec<(u32, u32, u8, Run)> = Vec::new();
        for (node, label) in (0..).zip(&self.nodes) {
            let Some((run, label)) = *label else { continue };
            match runs.last_mut() {
                Some((_, last, known, of)) if *last + 1 == node && *known == label && *of == run => *last = node,
                _ => runs.push((node, node, label, run)),
            }
        }
        runs
    }
}

/// Text by whole text nodes and pieces of others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Runs of whole text nodes, in order, which do not touch.
    pub nodes: Vec<Run>,
    /// Pieces of others: node, from, to; in order, not touching.
    pub spans: Vec<[u32; 3]>,
}

impl Extent {
    fn push(&mut self, node: u32, from: u32, to: u32) {
        match self.spans.last_mut() {
            Some([known, _, end]) if *known == node && *end == from => *end = to,
            _ => self.spans.push([node, from, to]),
        }
    }

    /// Puts the whole nodes among the spans where they belong.
    fn settled(self, document: &Document) -> Self {
        let mut settled = Extent::default();
        for [node, from, to] in self.spans {
            if from > 0 || to < document.chars[node as usize] {
                settled.spans.push([node, from, to]);
                continue;
            }
            match settled.nodes.last_mut() {
                Some([_, last]) if *last + 1 == node => *last = node,
                _ => settled.nodes.push([node, node]),
            }
        }
        settled
    }

    /// Its parts in page order: node, from, to.
    pub fn parts(&self, document: &Document) -> Vec<(u32, u32, u32)> {
        let whole = self.nodes.iter().flat_map(|&[first, last]| first..=last);
        let mut parts: Vec<_> = whole.map(|node| (node, 0, document.chars[node as usize])).collect();
        parts.extend(self.spans.iter().map(|&[node, from, to]| (node, from, to)));
        parts.sort_unstable();
        parts
    }

    fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.spans.is_empty()
    }
}

/// The gold of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gold {
    /// Where it stands.
    pub extent: Extent,
    /// Which text has a role, gold or not.
    pub roles: BTreeMap<String, Extent>,
    /// Its text.
    pub text: String,
    /// Its characters.
    pub chars: u64,
}

impl Gold {
    /// The gold that follows from labels; text that is `unsure` is in it where `unsure_in`.
    pub fn of(document: &Document, labelled: &Labelled, labels: &Labels, unsure_in: bool) -> Self {
        let (mut gold, mut roles) = (Extent::default(), BTreeMap::<String, Extent>::new());
        for (node, &chars) in (0..).zip(&document.chars) {
            for (from, to, label) in labelled.parts(node, chars) {
                let label = label.unwrap_or(NOT);
                if labels.is_gold(label) || label == UNSURE && unsure_in {
                    gold.push(node, from, to);
                }
                if labels.role(label).is_some() {
                    roles.entry(labels.name(label).to_owned()).or_default().push(node, from, to);
                }
            }
        }
        let extent = gold.settled(document);
        let parts = extent.parts(document);
        let chars = parts.iter().map(|(_, from, to)| u64::from(to - from)).sum();
        let text = document.render(&parts);
        let roles = roles.into_iter().map(|(name, extent)| (name, extent.settled(document))).collect();
        Gold { extent, roles, text, chars }
    }

    /// SHA-256 of the text.
    pub fn sha256(&self) -> String {
        sha256(self.text.as_bytes())
    }

    /// As a page list has it.
    pub fn json(&self, document: &Document, f1: [u64; 2]) -> Json {
        let mut gold = json!({ "text": self.text, "nodes": self.extent.nodes });
        if !self.extent.spans.is_empty() {
            gold["spans"] = json!(self.extent.spans);
        }
        gold["text_sha256"] = json!(document.text_sha256);
        gold["f1"] = json!(f1);
        let entries = |extent: &Extent| {
            let nodes = extent.nodes.iter().map(|run| json!(run));
            nodes.chain(extent.spans.iter().map(|span| json!(span))).collect::<Vec<_>>()
        };
        let roles: serde_json::Map<_, _> = self
            .roles
            .iter()
            .filter(|(_, extent)| !extent.is_empty())
            .map(|(name, extent)| (name.clone(), Json::Array(entries(extent))))
            .collect();
        if !roles.is_empty() {
            gold["roles"] = Json::Object(roles);
        }
        gold
    }
}
