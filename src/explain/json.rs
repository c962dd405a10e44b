//! An explanation as JSON.

use serde_json::{Value as Json, json};

use super::explained::Explained;
use super::nodes::element;
use crate::algorithms::explanation::{Figure, Judged, List, Number};
use crate::page::tree::NodeId;
use crate::scoring::Counts;

impl Explained {
    /// The explanation with every node that can be seen, in document order. Ratios are `part/whole`, exactly.
    pub fn to_json(&self) -> Json {
        let explanation = &self.explanation;
        let score = self.score.map(|(Counts { matched, extracted, gold }, score)| {
            let [precision, recall, f1] = score.fractions();
            json!({"matched": matched, "extracted": extracted, "gold": gold,
                   "precision": precision, "recall": recall, "f1": f1})
        });
        json!({
            "page": self.subject.name, "dataset": self.subject.dataset(), "algorithm": self.name(),
            "parameters": self.row.system.values(), "text": self.text, "score": score,
            "figures": explanation.figures.iter().map(|figure| self.figure(figure)).collect::<Vec<_>>(),
            "lists": explanation.lists.iter().map(|list| self.list(list)).collect::<Vec<_>>(),
            "nodes": self.nodes.ids.iter().map(|&id| self.node(id)).collect::<Vec<_>>(),
        })
    }

    fn figure(&self, figure: &Figure) -> Json {
        let value = match figure.number {
            Number::Count(count) => json!(count),
            _ => json!(self.shown(&figure.number)),
        };
        let node = if let Number::Node(id) = figure.number { Some(id.0) } else { None };
        match node {
            Some(node) => json!({"name": figure.name, "value": value, "node": node}),
            None => json!({"name": figure.name, "value": value}),
        }
    }

    fn list(&self, list: &List) -> Json {
        let entry = |entry: &Judged| {
            let figures: Vec<Json> = entry.figures.iter().map(|figure| self.figure(figure)).collect();
            json!({"node": entry.id.0, "element": element(&self.subject.page.tree, entry.id),
                   "verdict": entry.verdict, "reason": entry.reason, "figures": figures})
        };
        json!({"title": list.title, "entries": list.entries.iter().map(entry).collect::<Vec<_>>()})
    }

    fn node(&self, id: NodeId) -> Json {
        let tree = &self.subject.page.tree;
        let judged = self.nodes.judged(id);
        let figures = judged.iter().flat_map(|judged| &judged.figures).map(|figure| self.figure(figure));
        let gold = self.nodes.in_gold(tree, id).map(|figure| self.figure(&figure));
        json!({
            "node": id.0, "parent": tree.parent(id).map(|parent| parent.0), "element": element(tree, id),
            "chosen": self.nodes.outcome(tree, id).word(),
            "verdict": judged.map(|judged| judged.verdict), "reason": judged.map(|judged| &judged.reason),
            "figures": figures.chain(gold).collect::<Vec<_>>(),
        })
    }
}
