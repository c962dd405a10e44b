//! Why an algorithm chose what it chose: the numbers that decided, node by node.

use serde::Serialize;

use super::value::Value;
use crate::page::tree::NodeId;

/// What an algorithm says of a page beside its choice. Empty for one that says nothing: its choice is all there is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// Of the page as a whole, in the order in which to read them.
    pub figures: Vec<Figure>,
    /// Nodes in the order in which the algorithm came to them.
    pub lists: Vec<List>,
    /// Nodes in document order, none twice.
    pub nodes: Vec<Judged>,
}

/// A number by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// Its name, in words.
    pub name: &'static str,
    /// The number.
    pub number: Number,
}

/// A number that an algorithm compares, exactly as it compares it, or what stands for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Number {
    /// How many.
    Count(u64),
    /// A part and its whole, not reduced.
    Ratio(u64, u64),
    /// A parameter's value, or a number of its kind.
    Value(Value),
    /// A type or a state.
    Word(&'static str),
    /// A sentence, or a number in words.
    Text(String),
    /// A node of the page.
    Node(NodeId),
    /// Another page, by its place among those that are seen together.
    Page(usize),
}

/// Nodes with what decided about each, in an order that matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    /// What they are.
    pub title: &'static str,
    /// The nodes.
    pub entries: Vec<Judged>,
}

/// A node and what the algorithm decided about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The node.
    pub id: NodeId,
    /// What was decided.
    pub verdict: Verdict,
    /// The node's numbers.
    pub figures: Vec<Figure>,
    /// Which number decided, in words; `None` where nothing was decided.
    pub reason: Option<String>,
}

/// What was decided about a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The text at and below it is chosen.
    Chosen,
    /// What is below it is decided there.
    Entered,
    /// What is below it is not chosen.
    Dropped,
    /// Nothing: it was decided above, or the algorithm never came there.
    Outside,
}

impl Figure {
    /// A number with its name.
    pub fn new(name: &'static str, number: Number) -> Self {
        Figure { name, number }
    }

    /// How many.
    pub fn count(name: &'static str, count: impl Into<u64>) -> Self {
        Figure::new(name, Number::Count(count.into()))
    }

    /// A part and its whole.
    pub fn ratio(name: &'static str, part: impl Into<u64>, whole: impl Into<u64>) -> Self {
        Figure::new(name, Number::Ratio(part.into(), whole.into()))
    }

    /// A type or a state.
    pub fn word(name: &'static str, word: &'static str) -> Self {
        Figure::new(name, Number::Word(word))
    }
}

impl Judged {
    /// A node that nothing was decided about yet.
    pub fn outside(id: NodeId, figures: Vec<Figure>) -> Self {
        Judged { id, verdict: Verdict::Outside, figures, reason: None }
    }

    /// The same node, decided.
    pub fn decided(mut self, verdict: Verdict, reason: impl Into<String>) -> Self {
        self.decide(verdict, reason);
        self
    }

    /// Decides about the node.
    pub fn decide(&mut self, verdict: Verdict, reason: impl Into<String>) {
        (self.verdict, self.reason) = (verdict, Some(reason.into()));
    }
}
