//! An explanation as an HTML page: one file that asks the network for nothing. It shows the page's structure as text
//! only; what the page holds is never markup in it.

use serde::Serialize;

use super::explained::{ExplainError, Explained};
use super::nodes::{element, short};
use super::sweep::Sweep;
use crate::algorithms::explanation::Verdict;
use crate::page::tree::NodeId;
use crate::report::html::document_of;
use crate::report::language::Language;
use crate::report::table_format;
use crate::scoring::Score;
use crate::text::collapse;
use crate::text::words::Segmenter;

/// Nodes that are shown at most.
const MOST_NODES: usize = 20_000;

/// Characters of a text node that are shown.
const MOST_CHARACTERS: usize = 2000;

/// What the scripts of the page read.
#[derive(Serialize)]
struct Data {
    page: String,
    dataset: Option<String>,
    row: String,
    score: Option<[String; 3]>,
    figures: Vec<[String; 2]>,
    lists: Vec<List>,
    nodes: Vec<Node>,
    /// Nodes that the cap leaves out.
    left_out: usize,
    sweeps: Vec<Steps>,
}

#[derive(Serialize)]
struct List {
    title: String,
    entries: Vec<String>,
}

/// A node: the place of its parent among the nodes (-1 for the first), what it is, and what is told of it.
#[derive(Serialize)]
struct Node(i64, String, bool, Verdict, Option<String>, Vec<[String; 2]>);

/// The steps of a parameter; nodes are named by their places.
#[derive(Serialize)]
struct Steps {
    parameter: &'static str,
    exact: bool,
    current: usize,
    steps: Vec<Step>,
}

#[derive(Serialize)]
struct Step {
    values: String,
    score: Option<[String; 3]>,
    changed: Vec<usize>,
}

impl Explained {
    /// The explanation as a file, labelled in `language`.
    ///
    /// # Errors
    /// As [`Explained::new`].
    pub fn to_html(&self, language: Language) -> Result<String, ExplainError> {
        let segmenter = Segmenter::default();
        let sweeps = self.sweeps(&mut self.subject.scorer(&segmenter))?;
        let data = self.data(&sweeps, language);
        let title = format!("{}: {}", self.subject.name, self.row());
        Ok(document_of(
            ("explanation.html", include_str!("html/explanation.html")),
            language,
            include_str!("html/explanation.css"),
            include_str!("html/explanation.js"),
            &title,
            &data,
        ))
    }

    fn data(&self, sweeps: &[Sweep], language: Language) -> Data {
        let shown = &self.nodes.ids[..self.nodes.ids.len().min(MOST_NODES)];
        let place = |id: NodeId| shown.binary_search(&id).ok();
        let lists = self.explanation.lists.iter().map(|list| List {
            title: language.say(list.title).into_owned(),
            entries: list.entries.iter().map(|entry| self.line(entry.id, Some(entry), language)).collect(),
        });
        let steps = sweeps.iter().map(|sweep| Steps {
            parameter: sweep.parameter,
            exact: sweep.is_exact,
            current: sweep.current,
            steps: sweep
                .steps
                .iter()
                .map(|step| Step {
                    values: step.values.clone(),
                    score: step.score.map(four),
                    changed: step.changed.iter().filter_map(|&id| place(id)).collect(),
                })
                .collect(),
        });
        Data {
            page: self.subject.name.clone(),
            dataset: self.subject.dataset().map(str::to_owned),
            row: self.row(),
            score: self.score.map(|(_, score)| four(score)),
            figures: self.explanation.figures.iter().map(|figure| self.pair(figure, language)).collect(),
            lists: lists.collect(),
            nodes: shown.iter().map(|&id| self.shown_node(id, place, language)).collect(),
            left_out: self.nodes.ids.len() - shown.len(),
            sweeps: steps.collect(),
        }
    }

    fn shown_node(&self, id: NodeId, place: impl Fn(NodeId) -> Option<usize>, language: Language) -> Node {
        let tree = &self.subject.page.tree;
        let parent = tree.parent(id).and_then(place).map_or(-1, |place| place as i64);
        let is_text = tree.is_text(id);
        let what = if is_text { short(&collapse(tree.text(id)), MOST_CHARACTERS) } else { element(tree, id) };
        let judged = self.nodes.judged(id);
        let gold = self.nodes.in_gold(tree, id);
        let figures = judged.iter().flat_map(|judged| &judged.figures).chain(&gold);
        let verdict = judged.map_or(Verdict::Outside, |judged| judged.verdict);
        let reason = judged.and_then(|judged| Some(language.say(judged.reason.as_ref()?).into_owned()));
        Node(parent, what, is_text, verdict, reason, figures.map(|figure| self.pair(figure, language)).collect())
    }
}

fn four(score: Score) -> [String; 3] {
    score.fractions().map(table_format::four)
}
