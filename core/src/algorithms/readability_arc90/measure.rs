//! What the rules ask of an element.

use super::cleaned::Cleaned;
use super::copy::{Node, attribute};
use crate::page::tree::Tree;

/// What the rules ask of an element, summed up over what is below it.
#[derive(Clone, Copy, Default)]
pub(super) struct Measure {
    pub(super) text: Cleaned,
    pub(super) commas: u32,
    /// The characters of the `a` elements below, those of nested ones again.
    pub(super) links: u64,
    pub(super) paragraphs: u32,
    pub(super) images: u32,
    pub(super) items: u32,
    pub(super) embeds: u32,
    /// Inputs that are not hidden.
    pub(super) inputs: u32,
}

impl Measure {
    pub(super) fn length(&self) -> u64 {
        self.text.length()
    }

    pub(super) fn density(&self) -> f64 {
        self.links as f64 / self.length().max(1) as f64
    }

    /// Takes in a node that stands before all that was taken in so far.
    pub(super) fn prepend(&mut self, node: &Node<'_>, of_node: &Measure, tree: &Tree) {
        self.text = of_node.text.followed_by(self.text);
        self.commas += of_node.commas;
        self.links += of_node.links + if node.name == "a" { of_node.length() } else { 0 };
        self.paragraphs += of_node.paragraphs + u32::from(node.name == "p");
        self.images += of_node.images + u32::from(node.name == "img");
        self.items += of_node.items + u32::from(node.name == "li");
        self.embeds += of_node.embeds + u32::from(node.name == "embed");
        let is_shown_input = node.name == "input" && attribute(tree, node.source, "type") != "hidden";
        self.inputs += of_node.inputs + u32::from(is_shown_input);
    }
}
