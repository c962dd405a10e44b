//! How often patterns of real pages occur in a dataset: the measures by which the embedded pages are
//! held against real ones. Only pages with gold count.
//!
//! `cargo run --release --example frequencies -- portals daniel --where group=zh-news`
//! prints a column a dataset and language; all arguments but the last pair are names of datasets.

use std::collections::BTreeMap;

use carat::algorithms::features::links::{Anchor, Links};
use carat::algorithms::features::visible::VisibleText;
use carat::datasets::locate::locate;
use carat::page::tree::{NodeId, Tree};
use carat::page::{Page, charset};
use carat::text::{chars, is_white_space};

/// What is measured of one page: numbers, whose medians are printed, and marks, whose shares are.
#[derive(Default)]
struct Measured {
    numbers: Vec<(&'static str, f64)>,
    marks: Vec<(&'static str, bool)>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    let group = names.iter().position(|name| name == "--where").map(|at| names.split_off(at).pop().unwrap_or_default());
    let group = group.as_deref().and_then(|filter| filter.strip_prefix("group=")).map(str::to_owned);
    let mut columns: BTreeMap<String, Vec<Measured>> = BTreeMap::new();
    for name in names {
        let dataset = locate(&name)?;
        for record in dataset.records.iter() {
            let record = record?;
            let is_wanted = group.is_none() || group == record.details().group;
            let opened = if is_wanted { dataset.open(&record)? } else { continue };
            let Some(gold) = opened.gold.filter(|gold| !gold.is_empty()) else { continue };
            let language = opened.page.primary_language().unwrap_or_default();
            let bytes = dataset.page_bytes(&record)?;
            columns.entry(format!("{name} {language}")).or_default().push(measure(&bytes, &opened.page, &gold));
        }
    }
    print(&columns);
    Ok(())
}

fn print(columns: &BTreeMap<String, Vec<Measured>>) {
    println!("| pattern | {} |", columns.keys().cloned().collect::<Vec<_>>().join(" | "));
    println!("|---{}|", "|---".repeat(columns.len()));
    let cells = |cell: &dyn Fn(&[Measured]) -> String| {
        columns.values().map(|pages| cell(pages)).collect::<Vec<_>>().join(" | ")
    };
    println!("| pages | {} |", cells(&|pages| pages.len().to_string()));
    let Some(first) = columns.values().flatten().next() else { return };
    for (i, (name, _)) in first.numbers.iter().enumerate() {
        let quantiles = |pages: &[Measured]| {
            let mut values: Vec<f64> = pages.iter().map(|page| page.numbers[i].1).collect();
            values.sort_by(f64::total_cmp);
            let at = |tenth: usize| values[(values.len() - 1) * tenth / 10];
            let shown = |value: f64| if value < 10.0 { format!("{value:.2}") } else { format!("{value:.0}") };
            [1, 5, 9].map(|tenth| shown(at(tenth))).join(" / ")
        };
        println!("| {name}, p10 / median / p90 | {} |", cells(&quantiles));
    }
    for (i, (name, _)) in first.marks.iter().enumerate() {
        let share = |pages: &[Measured]| {
            let marked = pages.iter().filter(|page| page.marks[i].1).count();
            format!("{:.2}", marked as f64 / pages.len() as f64)
        };
        println!("| {name} | {} |", cells(&share));
    }
}

fn measure(bytes: &[u8], page: &Page, gold: &str) -> Measured {
    let tree = &page.tree;
    let visible = page.view::<VisibleText>();
    let links = Links::of(page, Anchor::default());
    let body = visible.body.unwrap_or(NodeId::DOCUMENT);
    let text_chars = visible.chars(tree, body).max(1);
    let gold_text = without_white_space(gold);
    let is_gold = |&&id: &&NodeId| {
        let text = without_white_space(tree.text(id));
        text.chars().count() >= 10 && gold_text.contains(&text)
    };
    let gold_nodes: Vec<NodeId> = visible.nodes.iter().filter(is_gold).copied().collect();
    let found: u32 = gold_nodes.iter().map(|&id| visible.chars(tree, id)).sum();
    let under = |root: NodeId| -> u32 {
        gold_nodes.iter().filter(|&&id| tree.contains(root, id)).map(|&id| visible.chars(tree, id)).sum()
    };
    let holds_most = |&id: &NodeId| tree.is_element(id) && f64::from(under(id)) >= 0.9 * f64::from(found);
    let root = tree.ids().rfind(holds_most);
    let root = root.unwrap_or(body);
    let named = |id: NodeId, name: &str| tree.is_element(id) && &**tree.name(id) == name;
    let around = |name: &str| tree.ancestors(root).chain([root]).filter(|&id| named(id, name)).count();
    let holds = |name: &str| tree.subtree(root).any(|id| named(id, name));
    let any = |name: &str| tree.ids().any(|id| named(id, name));
    let root_chars = visible.chars(tree, root).max(1);
    let gold_links: u32 =
        gold_nodes.iter().filter(|&&id| tree.contains(root, id)).map(|&id| links.chars(tree, id)).sum();
    let root_links = links.chars(tree, root) - gold_links;
    let noise = 1.0 - f64::from(found.min(root_chars)) / f64::from(root_chars);
    let link_noise = f64::from(root_links) / f64::from(root_chars);
    let hidden: u32 = tree.ids().filter(|&id| hides(tree, id)).map(|id| visible.chars(tree, id)).sum();
    let raw = String::from_utf8_lossy(bytes);
    let lower = raw.to_ascii_lowercase();
    let count = |text: &str| lower.matches(text).count();
    let decoded = charset::decode(bytes, None);
    let near_break: u32 =
        gold_nodes.iter().filter(|&&id| is_beside_break(tree, id)).map(|&id| visible.chars(tree, id)).sum();
    let parent_of_blocks = largest_share(tree, &gold_nodes, &visible, found, |tree, id| {
        let block = tree.ancestors(id).find(|&above| tree.is_block(above))?;
        tree.parent(block)
    });
    let one_block =
        largest_share(tree, &gold_nodes, &visible, found, |tree, id| tree.ancestors(id).find(|&a| tree.is_block(a)));
    let elements = tree.ids().filter(|&id| tree.is_element(id)).count();
    let lines = gold.lines().count();
    let short = gold.lines().filter(|line| chars(line) < 20).count();
    let share = |part: u32| f64::from(part) / f64::from(text_chars);
    Measured {
        numbers: vec![
            ("bytes", bytes.len() as f64),
            ("elements", elements as f64),
            ("depth", tree.depth() as f64),
            ("visible text, characters", f64::from(text_chars)),
            ("gold, characters", chars(gold) as f64),
            ("gold lines", lines as f64),
            ("gold / visible text", chars(gold) as f64 / f64::from(text_chars)),
            ("link share of the text", share(links.chars(tree, body))),
            ("gold lines under 20 characters, share", short as f64 / lines as f64),
        ],
        marks: vec![
            ("gold below 10 % of the text", (chars(gold) as f64) < 0.1 * f64::from(text_chars)),
            ("any table", any("table")),
            ("content root inside >= 1 table", around("table") >= 1),
            ("content root inside >= 2 tables", around("table") >= 2),
            ("content root inside a form", around("form") >= 1),
            ("content root in article or main", around("article") + around("main") >= 1),
            ("paragraphs by br (> 50 % of gold)", 2 * near_break > found),
            ("one block holds > 80 % of gold", one_block > 0.8),
            ("no single parent of blocks holds 80 %", parent_of_blocks < 0.8),
            ("noise in the content root > 20 %", noise > 0.2),
            ("noise in the content root > 50 %", noise > 0.5),
            ("link noise in the content root > 5 %", link_noise > 0.05),
            ("link noise in the content root > 20 %", link_noise > 0.2),
            ("in the content root: script", holds("script")),
            ("in the content root: iframe", holds("iframe")),
            ("in the content root: form", holds("form")),
            ("in the content root: table", holds("table")),
            ("in the content root: img", holds("img")),
            ("in the content root: ul", holds("ul")),
            ("noscript", any("noscript")),
            ("hidden text", hidden > 0),
            ("hidden text > 10 % of the text", share(hidden) > 0.1),
            ("mean line > 500 characters", raw.chars().count() > 500 * raw.lines().count()),
            ("CRLF line ends", lower.contains("\r\n")),
            ("no doctype", !lower.contains("<!doctype")),
            ("p opened more often than closed", count("<p>") + count("<p ") > count("</p>")),
            ("font elements (> 3)", count("<font") > 3),
            ("two html or body tags", count("<body") > 1 || count("<html") > 1),
            ("indentation by U+3000", decoded.text.contains("\u{3000}\u{3000}")),
            ("bytes not UTF-8", std::str::from_utf8(bytes).is_err()),
            ("no label in the first 1024 bytes", charset::prescan(&bytes[..bytes.len().min(1024)]).is_none()),
            ("U+FFFD in the text", tree.ids().any(|id| tree.text(id).contains('\u{FFFD}'))),
            ("no h1", !any("h1")),
            ("JSON-LD", lower.contains("application/ld+json")),
            ("conditional comments", lower.contains("<!--[if")),
        ],
    }
}

fn without_white_space(text: &str) -> String {
    text.chars().filter(|&c| !is_white_space(c)).collect()
}

/// Whether `id` is the outermost element that hides its text by its own attributes.
fn hides(tree: &Tree, id: NodeId) -> bool {
    let hidden = |id: NodeId| {
        tree.attributes(id).any(|attribute| match &**attribute.name {
            "hidden" => true,
            "style" => attribute.value.replace(' ', "").to_ascii_lowercase().contains("display:none"),
            _ => false,
        })
    };
    hidden(id) && !tree.ancestors(id).any(hidden)
}

/// Whether a line break stands right before or behind the text.
fn is_beside_break(tree: &Tree, id: NodeId) -> bool {
    let is_break = |id: NodeId| tree.is_element(id) && &**tree.name(id) == "br";
    let Some(parent) = tree.parent(id) else { return false };
    let siblings: Vec<NodeId> = tree.children(parent).collect();
    let Some(at) = siblings.iter().position(|&sibling| sibling == id) else { return false };
    let before = at.checked_sub(1).is_some_and(|before| is_break(siblings[before]));
    before || siblings.get(at + 1).is_some_and(|&after| is_break(after))
}

/// The largest share of the gold that one holder has.
fn largest_share(
    tree: &Tree,
    gold: &[NodeId],
    visible: &VisibleText,
    found: u32,
    holder: impl Fn(&Tree, NodeId) -> Option<NodeId>,
) -> f64 {
    let mut held: BTreeMap<u32, u32> = BTreeMap::new();
    for &id in gold {
        if let Some(holder) = holder(tree, id) {
            *held.entry(holder.0).or_default() += visible.chars(tree, id);
        }
    }
    f64::from(held.into_values().max().unwrap_or_default()) / f64::from(found.max(1))
}
