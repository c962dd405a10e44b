//! Up to which value of a swept threshold each text node is chosen.

use std::sync::Arc;

use super::visible::VisibleText;
use crate::algorithms::value::Value;
use crate::page::tree::NodeId;

/// The choices of a threshold that drops text nodes as it grows.
pub struct Levels {
    text: Arc<VisibleText>,
    levels: Vec<Option<Value>>,
}

impl Levels {
    /// `levels` in the order of [`VisibleText::nodes`]: the greatest threshold at which the node is chosen;
    /// `None` for one that never is.
    pub fn new(text: Arc<VisibleText>, levels: Vec<Option<Value>>) -> Self {
        Levels { text, levels }
    }

    /// The text nodes that are chosen at `threshold`.
    pub fn at(&self, threshold: Value) -> impl Iterator<Item = NodeId> + '_ {
        let all = self.text.nodes.iter().zip(&self.levels);
        all.filter(move |(_, level)| level.is_some_and(|level| threshold <= level)).map(|(&id, _)| id)
    }

    /// Where the choice changes while the threshold grows.
    pub fn break_points(&self) -> Vec<Value> {
        self.levels.iter().copied().flatten().collect()
    }
}
