//! An explanation as text: the page's figures, what the algorithm came to one after the other, and an outline of the
//! nodes.

use std::fmt::Write;

use super::explained::Explained;
use super::nodes::{Outcome, element};
use super::scorer::Comparison;
use crate::algorithms::explanation::{Figure, Judged, Number};
use crate::page::tree::NodeId;
use crate::report::conditions;
use crate::report::language::Language;
use crate::report::localised_text::{LocalisedText, filled};
use crate::report::table_format::four;
use crate::scoring::Counts;

/// Levels by which lines are indented at most.
const DEEPEST: usize = 30;

impl Explained {
    /// The explanation as text in `language`; `all` nodes, or those about which something was decided.
    pub fn outline(&self, all: bool, language: Language) -> String {
        let mut text = self.heading(language);
        if !self.has_reasons() {
            let words = ["{0} records no reasons: only its choice is shown.\n", "{0} 不记录理由：仅显示其选择。\n"];
            let _ = writeln!(text, "{}", filled(language.of(words), |_| self.name()));
        }
        for figure in &self.explanation.figures {
            let [name, number] = self.pair(figure, language);
            let _ = writeln!(text, "{name}{}{number}", language.of([": ", "："]));
        }
        for list in &self.explanation.lists {
            let _ = writeln!(text, "\n{}{}", language.say(list.title), language.of([":", "："]));
            for entry in &list.entries {
                let _ = writeln!(text, "  {}", self.line(entry.id, Some(entry), language));
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
            let _ = writeln!(text, "{sign} {indent}{}", self.line(id, self.nodes.judged(id), language));
            open.push(id);
        }
        let signs = ["\n+ all text of it is chosen  ~ some  - nothing", "\n+ 文本全部选中  ~ 部分选中  - 均未选中"];
        text.push_str(language.of(signs));
        text.push_str(if all { "" } else { language.of(["; --all shows every node", "；--all 显示全部节点"]) });
        text.push('\n');
        text
    }

    fn heading(&self, language: Language) -> String {
        let (page, row) = (self.subject.name.clone(), self.row());
        let title = match self.subject.dataset().map(str::to_owned) {
            Some(dataset) => LocalisedText::new(["{0} of {1}: {2}", "{1} 的 {0}：{2}"], [page, dataset, row]),
            None => LocalisedText::new(["{0}: {1}", "{0}：{1}"], [page, row]),
        };
        let mut text = format!("{}\n", title.in_language(language));
        if let Some((Counts { matched, extracted, gold }, score)) = self.score {
            let [precision, recall, f1] = score.fractions();
            let Comparison { tokens, case, measure } = self.subject.comparison;
            let scores = [precision, recall, f1].map(four);
            let counts = [matched, extracted, gold].map(|count| count.to_string());
            let conditions = [
                conditions::tokens(&tokens.to_string()),
                conditions::case(&case.to_string()),
                conditions::measure(&measure.to_string()),
            ];
            let conditions = conditions.map(|text| text.in_language(language).to_owned());
            let values: Vec<String> = scores.into_iter().chain(counts).chain(conditions).collect();
            let words = [
                "precision {0}  recall {1}  F1 {2}  ({3} matched, {4} extracted, {5} gold; {6}, {7}, {8})",
                "精确率 {0}  召回率 {1}  F1 {2}  （匹配 {3}，抽取 {4}，标注 {5}；{6}，{7}，{8}）",
            ];
            let _ = writeln!(text, "{}", filled(language.of(words), |place| values[place].as_str()));
        }
        text.push('\n');
        text
    }

    /// The row with the parameters that are not at their default.
    pub(super) fn row(&self) -> String {
        let label = self.row.label();
        if label.is_empty() { self.name().to_owned() } else { format!("{}:{label}", self.name()) }
    }

    pub(super) fn line(&self, id: NodeId, judged: Option<&Judged>, language: Language) -> String {
        let tree = &self.subject.page.tree;
        let mut line = element(tree, id);
        let Some(judged) = judged else { return line };
        if let Some(reason) = &judged.reason {
            let _ = write!(line, "  {}", language.say(reason));
        }
        let gold = self.nodes.in_gold(tree, id).filter(|_| self.nodes.outcome(tree, id) != Outcome::NoText);
        let told = |figure: &Figure| self.pair(figure, language).join(" ");
        let figures: Vec<String> = judged.figures.iter().chain(&gold).map(told).collect();
        if !figures.is_empty() {
            let [open, comma, close] = language.of([&["  (", ", ", ")"], &["（", "，", "）"]]);
            let _ = write!(line, "{open}{}{close}", figures.join(comma));
        }
        line
    }

    /// A figure's name, and its number with what it names.
    pub(super) fn pair(&self, figure: &Figure, language: Language) -> [String; 2] {
        let number = self.told(figure);
        let number = match figure.number {
            Number::Word(_) | Number::Text(_) => language.say(&number).into_owned(),
            _ => number,
        };
        [language.say(figure.name).into_owned(), number]
    }
}
