//! What was found of an attempt, and what the rules drop from it again.

use super::measure::Measure;
use super::{Attempt, ReadabilityArc90Parameters, RetryMeasure, is_below};
use crate::page::to_html::is_void;
use crate::page::tree::NodeId;

/// What was found of an attempt, while it is cleaned.
pub(super) struct Article<'a, 'p> {
    pub(super) attempt: &'a Attempt<'p>,
    /// Whose children the article's are: the article's measure is kept in its place.
    pub(super) parent: usize,
    /// Whether the article is the body itself, and not a new `div`.
    pub(super) is_body: bool,
    /// The places of its nodes, in document order.
    pub(super) nodes: Vec<usize>,
}

impl Article<'_, '_> {
    pub(super) fn text(&self) -> Vec<NodeId> {
        let nodes = self.nodes.iter().map(|&place| &self.attempt.nodes[place]);
        nodes.filter(|node| !node.is_element()).map(|node| node.source).collect()
    }

    fn name(&self, place: usize) -> &str {
        self.attempt.nodes[place].name
    }

    /// Step 6.
    pub(super) fn cleaned(mut self, parameters: &ReadabilityArc90Parameters) -> Self {
        let mut measures = self.measures(|_, _, _| false);
        let is_heading = |name: &str| matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6");
        let is_dropped = |place: usize| match self.name(place) {
            "form" => true,
            name if is_heading(name) => self.attempt.weight(place) < 0.0 || measures[place].density() > 0.33,
            _ => false,
        };
        let dropped: Vec<bool> = (0..measures.len()).map(is_dropped).collect();
        self.drop(&dropped);
        measures = self.measures(|_, _, _| false);
        let mut allowed = vec![false; measures.len()];
        for name in ["table", "ul", "div", "aside", "header", "footer", "section"] {
            if self.nodes.iter().any(|&place| self.name(place) == name) {
                measures = self.clean(name, &measures, &mut allowed, parameters);
            }
        }
        self
    }

    /// Takes the nodes that are `dropped`, by their places, away with what is below them.
    fn drop(&mut self, dropped: &[bool]) {
        let mut end = 0;
        let attempt = self.attempt;
        self.nodes.retain(|&place| {
            if place >= end && dropped[place] {
                end = attempt.nodes[place].end;
            }
            place >= end
        });
    }

    /// Measures every node, from the last to the first; what `is_dropped` (its place, its measure, the length of the
    /// nearest element behind it that has text) does not count in what is around it.
    fn measures(&self, mut is_dropped: impl FnMut(usize, &Measure, u64) -> bool) -> Vec<Measure> {
        let attempt = self.attempt;
        let mut measures = vec![Measure::default(); attempt.nodes.len()];
        let mut following = vec![0; attempt.nodes.len()];
        for &place in self.nodes.iter().rev() {
            let node = &attempt.nodes[place];
            let measure = if node.is_element() { measures[place] } else { attempt.measures[place] };
            if node.is_element() {
                if is_dropped(place, &measure, following[node.parent]) {
                    continue;
                }
                if measure.length() > 0 {
                    following[node.parent] = measure.length();
                }
            }
            measures[node.parent].prepend(node, &measure, attempt.tree);
        }
        measures
    }

    /// For each element the length of the nearest one before it that has text, by their places.
    fn preceding(&self, measures: &[Measure]) -> Vec<u64> {
        let mut last = vec![0; measures.len()];
        let mut preceding = vec![0; measures.len()];
        for &place in self.nodes.iter().filter(|&&place| self.attempt.nodes[place].is_element()) {
            let parent = self.attempt.nodes[place].parent;
            preceding[place] = last[parent];
            if measures[place].length() > 0 {
                last[parent] = measures[place].length();
            }
        }
        preceding
    }

    /// Step 6b for the elements of one name, from the last to the first. What stands before an element is then still
    /// as `before` has measured it.
    fn clean(
        &mut self,
        name: &str,
        before: &[Measure],
        allowed: &mut [bool],
        parameters: &ReadabilityArc90Parameters,
    ) -> Vec<Measure> {
        let preceding = self.preceding(before);
        let mut dropped = vec![false; before.len()];
        let mut allows = vec![false; before.len()];
        let measures = self.measures(|place, measure, following| {
            if self.name(place) != name || allowed[place] {
                return false;
            }
            let verdict = self.verdict(place, measure, following + preceding[place], parameters);
            allows[place] = verdict == Verdict::KeepAll;
            dropped[place] = verdict == Verdict::Drop;
            dropped[place]
        });
        let mut end = 0;
        for &place in &self.nodes {
            allowed[place] |= place < end && matches!(self.name(place), "table" | "ul" | "div" | "section");
            if allows[place] {
                end = end.max(self.attempt.nodes[place].end);
            }
        }
        self.drop(&dropped);
        measures
    }

    fn verdict(
        &self,
        place: usize,
        measure: &Measure,
        beside: u64,
        parameters: &ReadabilityArc90Parameters,
    ) -> Verdict {
        let weight = self.attempt.weight(place);
        if weight + self.attempt.scores[place].unwrap_or(0.0) < 0.0 {
            return Verdict::Drop;
        }
        if measure.commas >= 10 {
            return Verdict::Keep;
        }
        if beside > 1000 {
            return Verdict::KeepAll;
        }
        let count = |count: u32| f64::from(count);
        let (paragraphs, images) = (count(measure.paragraphs), count(measure.images));
        let (length, density) = (measure.length(), measure.density());
        let is_short = is_below(length, parameters.min_text_length);
        let is_removed = (measure.paragraphs > 0 && images > 1.0 + 1.3 * paragraphs)
            || (count(measure.items) - 100.0 > paragraphs && self.name(place) != "ul")
            || count(measure.inputs) > paragraphs / 3.0
            || (is_short && (measure.images == 0 || measure.images > 2))
            || (weight < 25.0 && density > 0.2)
            || (weight >= 25.0 && density > 0.5)
            || (measure.embeds == 1 && length < 75)
            || measure.embeds > 1
            || length == 0;
        if is_removed { Verdict::Drop } else { Verdict::Keep }
    }

    /// Step 7.
    pub(super) fn size(&self, measure: RetryMeasure) -> u64 {
        match measure {
            RetryMeasure::Text => self.measures(|_, _, _| false)[self.parent].length(),
            RetryMeasure::Html => {
                let around = if self.is_body { self.html_size(self.parent) } else { "<div></div>".len() as u64 };
                around + self.nodes.iter().map(|&place| self.html_size(place)).sum::<u64>()
            }
        }
    }

    /// The length of an element's tags, or of a text.
    fn html_size(&self, place: usize) -> u64 {
        let (tree, node) = (self.attempt.tree, &self.attempt.nodes[place]);
        let length = |text: &str| text.chars().count() as u64;
        if !node.is_element() {
            return length(tree.text(node.source));
        }
        let start_tag = "<>".len() as u64 + length(node.name);
        let end_tag = if is_void(node.name) { 0 } else { "</>".len() as u64 + length(node.name) };
        let attributes = tree.attributes(node.source).filter(|_| !node.is_made).filter(|attribute| {
            !matches!(&**attribute.name, "width" | "height" | "style") && !attribute.name.starts_with("on")
        });
        let of_attributes = attributes.map(|attribute| {
            let value = if &**attribute.name == "id" { self.attempt.id_of(node) } else { attribute.value };
            length(attribute.name) + length(value) + " =\"\"".len() as u64
        });
        start_tag + of_attributes.sum::<u64>() + end_tag
    }
}

/// What step 6b says of an element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Drop,
    Keep,
    /// It and what is below it.
    KeepAll,
}
