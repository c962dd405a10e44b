//! An explanation as text: the page's figures, what the algorithm came to one after the other, and an outline of the
//! nodes.

use std::fmt::Write;

use super::explained::Explained;
use super::nodes::{Outcome, element};
use super::scorer::Comparison;
use crate::algorithms::explanation::{Figure, Judged};
use crate::page::tree::NodeId;
use crate::scoring::Counts;

/// Levels by which lines are indented at most.
const DEEPEST: usize = 30;

impl Explained {
    /// The explanation as text; `all` nodes, or those about which something was decided.
    pub fn outline(&self, all: bool) -> String {
        let mut text = self.heading();
        for figure in &self.explanation.figures {
            let _ = writeln!(text, "{}: {}", figure.name, self.told(figure));
        }
        for list in &self.explanation.lists {
            let _ = writeln!(text, "\n{}:", list.title);
            for entry in &list.entries {
                let _ = writeln!(text, "  {}", self.line(entry.id, Some(entry)));
            }
        }
        if !self.explanation.figures.is_empty() {
            text.push('\n');
        }
        let tree = &self.subject.page.tree;
        let nodes = if all { self.nodes.ids.clone() } else { self.nodes.that_matter(tree) };
        let mut open: Vec<NodeId> = Vec::new();
        for id in nodes {
            while open.last().is_some_and(|&last| !tree.contains(last, id)) {
                open.pop();
            }
            let sign = self.nodes.outcome(tree, id).sign();
            let indent = "  ".repeat(open.len().min(DEEPEST));
            let _ = writeln!(text, "{sign} {indent}{}", self.line(id, self.nodes.judged(id)));
            open.push(id);
        }
        text.push_str("\n+ all text of it is chosen  ~ some  - nothing");
        text.push_str(if all { "\n" } else { "; --all shows every node\n" });
        text
    }

    fn heading(&self) -> String {
        let of = self.subject.dataset().map(|dataset| format!(" of {dataset}")).unwrap_or_default();
        let mut text = format!("{}{of}: {}\n", self.subject.name, self.row());
        if let Some((Counts { matched, extracted, gold }, score)) = self.score {
            let [precision, recall, f1] = score.fractions();
            let Comparison { tokens, case, measure } = self.subject.comparison;
            let _ = writeln!(
                text,
                "precision {precision:.4}  recall {recall:.4}  F1 {f1:.4}  \
                 ({matched} matched, {extracted} extracted, {gold} gold; tokens {tokens}, case {case}, measure {measure})"
            );
        }
        text.push('\n');
        text
    }

    /// The row with the parameters that are not at their default.
    pub(super) fn row(&self) -> String {
        let label = self.row.label();
        if label.is_empty() { self.name().to_owned() } else { format!("{}:{label}", self.name()) }
    }

    pub(super) fn line(&self, id: NodeId, judged: Option<&Judged>) -> String {
        let tree = &self.subject.page.tree;
        let mut line = element(tree, id);
        let Some(judged) = judged else { return line };
        if let Some(reason) = &judged.reason {
            let _ = write!(line, "  {reason}");
        }
        let gold = self.nodes.in_gold(tree, id).filter(|_| self.nodes.outcome(tree, id) != Outcome::NoText);
        let told = |figure: &Figure| format!("{} {}", figure.name, self.told(figure));
        let figures: Vec<String> = judged.figures.iter().chain(&gold).map(told).collect();
        if !figures.is_empty() {
            let _ = write!(line, "  ({})", figures.join(", "));
        }
        line
    }
}
