//! A page as blocks of text, each as numbers.

use std::sync::Arc;

use html5ever::local_name;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use crate::algorithms::features::leaf_blocks::{LeafBlock, LeafBlocks};
use crate::algorithms::features::links::{Anchor, Links};
use crate::algorithms::features::visible::VisibleText;
use crate::page::tree::Tree;
use crate::page::{Page, View};

/// How much is said of a block itself.
pub(super) const OWN: usize = 15;

/// How many of these are said of the blocks before and behind it, too.
const OF_NEIGHBOURS: usize = 4;

/// The numbers of a block.
pub(super) const FEATURES: usize = OWN + 2 * OF_NEIGHBOURS;

const PUNCTUATION: &str = "，。！？；：、,.!?;:";
const SPECIAL: &str = "©|»>[]【】·-_/\\";

/// The numbers of a page's leaf blocks.
pub(super) struct Blocks {
    /// The blocks.
    pub(super) leaves: Arc<LeafBlocks>,
    /// The numbers of each itself.
    pub(super) own: Vec<[f64; OWN]>,
}

impl View for Blocks {
    fn of(page: &Page) -> Self {
        let text = page.view::<VisibleText>();
        let leaves = page.view::<LeafBlocks>();
        let of_block =
            |block: &LeafBlock| text.nodes[block.texts.clone()].iter().map(|&id| text.chars(&page.tree, id)).sum();
        let chars: Vec<u32> = leaves.blocks.iter().map(of_block).collect();
        let own = own_features(page, &text, &leaves.blocks, &chars);
        Blocks { leaves, own }
    }
}

/// What is above a block's element.
#[derive(Clone, Copy, Default)]
struct Around {
    depth: u32,
    heading: bool,
    item: bool,
    cell: bool,
    form: bool,
}

fn surroundings(tree: &Tree) -> Vec<Around> {
    let mut around = vec![Around::default(); tree.len()];
    for id in tree.ids().skip(1) {
        let mut own = tree.parent(id).map_or_else(Around::default, |parent| around[parent.index()]);
        own.depth += 1;
        match *tree.name(id) {
            local_name!("h1")
            | local_name!("h2")
            | local_name!("h3")
            | local_name!("h4")
            | local_name!("h5")
            | local_name!("h6") => own.heading = true,
            local_name!("li") => own.item = true,
            local_name!("td") => own.cell = true,
            local_name!("form") => own.form = true,
            _ => {}
        }
        around[id.index()] = own;
    }
    around
}

/// Characters of some kinds in a block.
#[derive(Default)]
struct Characters {
    punctuation: u32,
    digits: u32,
    special: u32,
}

impl Characters {
    fn add(&mut self, text: &str) {
        for c in text.chars() {
            self.punctuation += u32::from(PUNCTUATION.contains(c));
            self.special += u32::from(SPECIAL.contains(c));
            self.digits += u32::from(c.general_category() == GeneralCategory::DecimalNumber);
        }
    }
}

fn own_features(page: &Page, text: &VisibleText, blocks: &[LeafBlock], chars: &[u32]) -> Vec<[f64; OWN]> {
    let tree = &page.tree;
    let links = Links::of(page, Anchor::Href);
    let around = surroundings(tree);
    let whole = f64::from(chars.iter().sum::<u32>().max(1));
    let mut before = 0;
    let of_block = |(block, &count): (&LeafBlock, &u32)| {
        let nodes = &text.nodes[block.texts.clone()];
        let linked: u32 = nodes.iter().map(|&id| links.chars(tree, id)).sum();
        let mut found = Characters::default();
        nodes.iter().for_each(|&id| found.add(tree.text(id)));
        let above = around[block.element.index()];
        let is = |flag: bool| f64::from(u8::from(flag));
        let all = f64::from(count.max(1));
        let features = [
            libm::log(1.0 + all),
            f64::from(linked) / all,
            f64::from(found.punctuation) / all,
            libm::log(1.0 + f64::from(found.punctuation)),
            f64::from(found.digits) / all,
            f64::from(found.special) / all,
            nodes.len() as f64 / 10.0,
            f64::from(above.depth) / 20.0,
            f64::from(before) / whole,
            is(*tree.name(block.element) == local_name!("p")),
            is(above.heading),
            is(above.item),
            is(above.cell),
            is(above.form),
            all / whole,
        ];
        before += count;
        features
    };
    blocks.iter().zip(chars).map(of_block).collect()
}

/// The numbers of the block at `place`, given those of each block itself: also the first of its neighbours', 0 at the
/// ends.
pub(super) fn with_neighbours<T: Copy + Into<f64>>(own: &[[T; OWN]], place: usize) -> [f64; FEATURES] {
    let mut features = [0.0; FEATURES];
    let mut put = |from: usize, values: &[T]| {
        features[from..].iter_mut().zip(values).for_each(|(feature, &value)| *feature = value.into());
    };
    put(0, &own[place]);
    if let Some(previous) = place.checked_sub(1) {
        put(OWN, &own[previous][..OF_NEIGHBOURS]);
    }
    if let Some(next) = own.get(place + 1) {
        put(OWN + OF_NEIGHBOURS, &next[..OF_NEIGHBOURS]);
    }
    features
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Context;

    fn blocks(html: &str) -> (Page, std::sync::Arc<Blocks>) {
        let page = Page::new(html.as_bytes(), Context::default()).unwrap();
        let blocks = page.view::<Blocks>();
        (page, blocks)
    }

    #[test]
    fn the_numbers_of_a_page_of_one_block() {
        let (_, blocks) = blocks("<body><p>Rain, today.</p></body>");
        let ln = libm::log;
        let own = [ln(12.0), 0.0, 2.0 / 11.0, ln(3.0), 0.0, 0.0, 0.1, 0.15, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        assert_eq!(blocks.own, [own]);
        assert_eq!(with_neighbours(&blocks.own, 0)[..OWN], own);
        assert_eq!(with_neighbours(&blocks.own, 0)[OWN..], [0.0; 8]);
    }

    #[test]
    fn block_elements_part_blocks_and_breaks_do_not() {
        let (page, blocks) = blocks(
            "<div>a<b>b</b><br>c<div></div>d<p>e <a href=x>1-f</a></p><script>s</script>g<h2><i>h</i></h2></div>\
             <form><ul><li>i<table><td>j</table></ul></form>",
        );
        let text = page.view::<VisibleText>();
        let texts: Vec<String> = blocks
            .leaves
            .blocks
            .iter()
            .map(|block| text.nodes[block.texts.clone()].iter().map(|&id| page.tree.text(id)).collect())
            .collect();
        assert_eq!(texts, ["abc", "d", "e 1-f", "g", "h", "i", "j"]);
        let [linked, digits, special] = [1, 4, 5].map(|feature| blocks.own[2][feature]);
        assert_eq!((linked, digits, special), (3.0 / 4.0, 1.0 / 4.0, 1.0 / 4.0));
        let above = |place: usize| blocks.own[place][10..14].to_vec();
        assert_eq!(above(4), [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(above(6), [0.0, 1.0, 1.0, 1.0]);
        let features = with_neighbours(&blocks.own, 3);
        assert_eq!(features[..OWN], blocks.own[3]);
        assert_eq!(features[OWN..OWN + 4], blocks.own[2][..4]);
        assert_eq!(features[OWN + 4..], blocks.own[4][..4]);
    }
}
