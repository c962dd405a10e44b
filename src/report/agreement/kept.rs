//! Pages without gold as a whole: the text that each system keeps of them and what others would add to it, in all and by
//! group, and how far every two systems agree on each group.

use comfy_table::Cell;

use super::{AGREEMENT, head, label, pair_cells, pairs, title};
use crate::report::groups::{self, KEYS, SITE};
use crate::report::language::Language;
use crate::report::latex::latex_table;
use crate::report::localised_text::LocalisedText;
use crate::report::sites::some_of;
use crate::report::table_format::{csv_text, four, plain_table, six, table_lines};
use crate::report::{conditions, markdown};
use crate::runs::agreement::{ComparedSystem, DatasetAgreement, GroupAgreement, Kept, MOST_IN_GROUPS};
use crate::runs::summary::Summary;
use crate::text::tokens::TokenKind;

/// The explanation of what a system keeps.
const KEPT: [&str; 2] = ["kept: {0} of the texts", "保留：文本的{0}数"];

/// The explanation of its median.
const MEDIAN: [&str; 2] = ["median: of one page", "中位数：每页的{0}数"];

/// The explanation of what the other systems have.
const OTHERS: [&str; 2] = [
    "others add: {0} that another system keeps of a page and this one does not, by the longest common subsequence of the two \
     texts, on each page those of the system that adds most; the union of all systems adds no fewer",
    "其他系统可补：某页上另一系统保留而本系统没有的{0}数，由两者文本的最长公共子序列得出，每页取补充最多的系统；所有系统的并集至少补充这么多",
];

/// The explanation of what the one system that adds most has.
const MOST: [&str; 2] = [
    "adds most: the one system that adds most over all pages, and how much",
    "补充最多：在全部页面上单独补充最多的系统及其补充量",
];

/// The explanation of figures of pairs.
const PAIRS_KEY: [&str; 2] = [
    "F1: as in agreement.md, on the pages of the group; only one, only other: {0} that the text of one of the two has and that \
     of the other does not",
    "F1：同 agreement.md，限于该组页面；仅一方、仅另一方：两者文本中一方有而另一方没有的{0}数",
];

/// A table of each dataset that has pages without gold.
struct Table<'t> {
    /// The key that pages are grouped by; empty for all pages.
    key: &'t str,
    /// The name of its files and the end of its label in LaTeX, without the key.
    stem: &'static str,
    /// The columns that it shows, likewise.
    what: [&'static str; 2],
    /// The columns behind that of the dataset, as CSV names them, and as people read them.
    columns: Vec<&'t str>,
    header: Vec<&'t str>,
    /// The columns that are names, and the first column of figures.
    names: &'static [usize],
    right: usize,
    lines: fn(&DatasetAgreement, &str, Digits) -> Vec<Vec<String>>,
    notes: Vec<LocalisedText>,
}

/// The way in which a figure is written.
type Digits = fn(f64) -> String;

/// The datasets of which sums are known: a run of an earlier version has none.
pub(crate) fn known(summary: &Summary) -> impl Iterator<Item = &DatasetAgreement> {
    summary.agreement.iter().filter(|agreement| is_known(agreement))
}

fn is_known(agreement: &DatasetAgreement) -> bool {
    agreement.systems.iter().any(|system| system.kept.pages + system.kept.failed > 0)
}

/// The tables as `(name, content)`: CSV, Markdown and LaTeX; none where every page has gold.
pub(crate) fn files(summary: &Summary, language: Language) -> Vec<(String, String)> {
    let by_group = KEYS.into_iter().flat_map(|key| [kept_by(summary, key), pairs_by(summary, key)]);
    let tables = [kept(summary)].into_iter().chain(by_group).filter(|table| table.has_lines(summary));
    let files = tables.flat_map(|table| {
        let stem = table.stem("_");
        let texts = [table.csv(summary), table.markdown(summary, language), table.latex(summary, language)];
        ["csv", "md", "tex"].into_iter().zip(texts).map(move |(kind, text)| (format!("{stem}.{kind}"), text))
    });
    files.collect()
}

/// The table by `key` as CSV: of every two systems, or of one that stands alone.
pub fn csv_by(summary: &Summary, key: &str) -> String {
    by(summary, key).next_back().map_or_else(String::new, |table| table.csv(summary))
}

/// The tables by `key` as Markdown.
pub fn markdown_by(summary: &Summary, key: &str, language: Language) -> String {
    by(summary, key).map(|table| table.markdown(summary, language)).collect()
}

/// The tables by `key` for LaTeX.
pub fn latex_by(summary: &Summary, key: &str, language: Language) -> String {
    by(summary, key).map(|table| table.latex(summary, language)).collect::<Vec<_>>().join("\n")
}

/// The tables by `key` for a terminal; `None` where no page without gold has such a key.
pub fn terminal_by(summary: &Summary, key: &str, language: Language) -> Option<String> {
    let lines = known(summary).filter(|agreement| agreement.groups.contains_key(key)).flat_map(|agreement| {
        let tables = by(summary, key).filter_map(|table| Some(table.terminal(agreement, language)? + "\n"));
        let notes = too_many(agreement).into_iter().chain([conditions::told_without_gold(summary, &agreement.dataset)]);
        let notes = notes.map(|note| note.in_language(language).to_owned());
        tables.chain(notes).collect::<Vec<_>>()
    });
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty()).then(|| lines.join("\n") + "\n")
}

/// The table of the text that each system keeps, for a terminal; `None` where that is not known.
pub(super) fn terminal(summary: &Summary, agreement: &DatasetAgreement, language: Language) -> Option<String> {
    is_known(agreement).then(|| kept(summary).terminal(agreement, language)).flatten()
}

/// The columns of what each system keeps, and their explanation, for HTML.
pub(crate) fn header(summary: &Summary, language: Language) -> (Vec<String>, String) {
    let table = kept(summary);
    let note = LocalisedText::sentence(&[LocalisedText::clauses(&table.notes)]);
    (language.say_all(table.header.iter().copied()), note.in_language(language).to_owned())
}

/// The tables by `key` that have lines.
fn by<'t>(summary: &'t Summary, key: &'t str) -> impl DoubleEndedIterator<Item = Table<'t>> + 't {
    [kept_by(summary, key), pairs_by(summary, key)].into_iter().filter(move |table| table.has_lines(summary))
}

/// The text that each system keeps of all pages.
fn kept(summary: &Summary) -> Table<'_> {
    Table {
        key: "",
        stem: "kept",
        what: ["text kept", "保留文本"],
        columns: vec!["system", "pages", "failed", "empty", "kept", "median", "others_add", "adds_most", "adds"],
        header: vec!["system", "pages", "failed", "empty", "kept", "median", "others add", "adds most", "adds"],
        names: &[0, 7],
        right: 1,
        lines: |agreement, _, _| kept_lines(agreement),
        notes: [KEPT, MEDIAN, OTHERS, MOST].map(|words| of_tokens(words, summary)).into(),
    }
}

/// A line a system: what it keeps, and what others add.
pub(crate) fn kept_lines(agreement: &DatasetAgreement) -> Vec<Vec<String>> {
    let line = |(place, system): (usize, &ComparedSystem)| {
        let [pages, failed, empty, kept, others_add] = counts(&system.kept);
        let median = system.median.map(|median| median.to_string()).unwrap_or_default();
        let [most, adds] = most_added(agreement, place).unwrap_or_default();
        vec![system.label.clone(), pages, failed, empty, kept, median, others_add, most, adds]
    };
    agreement.systems.iter().enumerate().map(line).collect()
}

fn counts(kept: &Kept) -> [String; 5] {
    let Kept { pages, failed, empty, tokens, others_add } = *kept;
    [pages as u64, failed as u64, empty as u64, tokens, others_add].map(|count| count.to_string())
}

/// The one system that adds most to that at a place, the first of equal ones, and how much; `None` where none adds anything.
fn most_added(agreement: &DatasetAgreement, place: usize) -> Option<[String; 2]> {
    let others = (0..agreement.systems.len()).filter(|&other| other != place);
    let added = others.map(|other| (agreement.pair(place, other).only[usize::from(place < other)], other));
    let (adds, other) = added.max_by_key(|&(adds, other)| (adds, std::cmp::Reverse(other)))?;
    (adds > 0).then(|| [label(agreement, other).clone(), adds.to_string()])
}

/// The text that each system keeps of each group by `key`.
fn kept_by<'t>(summary: &'t Summary, key: &'t str) -> Table<'t> {
    Table {
        key,
        stem: "kept",
        what: ["text kept", "保留文本"],
        columns: vec![key, "system", "pages", "failed", "empty", "kept", "others_add"],
        header: vec![key, "system", "pages", "failed", "empty", "kept", "others add"],
        names: &[0, 1],
        right: 2,
        lines: |agreement, key, _| {
            of_groups(agreement, key, |group| {
                let systems = agreement.systems.iter().zip(&group.kept);
                systems.map(|(system, kept)| [vec![system.label.clone()], counts(kept).to_vec()].concat()).collect()
            })
        },
        notes: [KEPT, OTHERS]
            .map(|words| of_tokens(words, summary))
            .into_iter()
            .chain(ungrouped(summary, key))
            .collect(),
    }
}

/// The pages without gold that no group by `key` has, dataset by dataset.
fn ungrouped<'t>(summary: &'t Summary, key: &'t str) -> impl Iterator<Item = LocalisedText> + 't {
    known(summary).filter(move |agreement| agreement.groups.contains_key(key)).filter_map(move |agreement| {
        if key == SITE && agreement.all_sites.is_some() {
            return None;
        }
        let in_groups: usize = agreement.groups.get(key)?.values().map(|group| group.pages).sum();
        let left = agreement.pages.saturating_sub(in_groups);
        let told = groups::without(left, key);
        let words = ["{0}: {1}", "{0}：{1}"];
        (left > 0).then(|| LocalisedText::new(words, [agreement.dataset.as_str().into(), told]))
    })
}

/// The agreement of every two systems on each group by `key`.
fn pairs_by<'t>(summary: &'t Summary, key: &'t str) -> Table<'t> {
    Table {
        key,
        stem: "agreement",
        what: AGREEMENT,
        columns: vec![key, "one", "other", "pages", "f1", "only_one", "only_other"],
        header: vec![key, "one", "other", "pages", "F1", "only one", "only other"],
        names: &[0, 1, 2],
        right: 3,
        lines: |agreement, key, digits| {
            of_groups(agreement, key, |group| {
                let pairs = pairs(agreement).zip(&group.pairs);
                pairs.map(|(places, pair)| pair_cells(agreement, places, pair, digits)).collect()
            })
        },
        notes: vec![of_tokens(PAIRS_KEY, summary)],
    }
}

/// The lines that `lines` makes of each group by `key`, behind the group's name.
fn of_groups(
    agreement: &DatasetAgreement,
    key: &str,
    lines: impl Fn(&GroupAgreement) -> Vec<Vec<String>>,
) -> Vec<Vec<String>> {
    let groups = agreement.groups.get(key).into_iter().flatten();
    groups.flat_map(|(name, group)| lines(group).into_iter().map(|line| [vec![name.clone()], line].concat())).collect()
}

/// `words` with what the run counts.
fn of_tokens(words: [&str; 2], summary: &Summary) -> LocalisedText {
    let characters = summary.conditions.tokens == TokenKind::Char.to_string();
    let tokens = if characters { ["characters", "字符"] } else { ["tokens", "词元"] };
    LocalisedText::new(words, [LocalisedText::words(tokens)])
}

/// That there are too many systems for tables of every two by group.
fn too_many(agreement: &DatasetAgreement) -> Option<LocalisedText> {
    let systems = agreement.systems.len();
    let words = [
        "{0}: every two systems by group only where there are at most {1}, and there are {2}",
        "{0}：系统不超过 {1} 个时才按组比较每两个系统，此处有 {2} 个",
    ];
    let values = || [agreement.dataset.clone(), MOST_IN_GROUPS.to_string(), systems.to_string()];
    (systems > MOST_IN_GROUPS).then(|| LocalisedText::new(words, values()))
}

impl Table<'_> {
    /// The name of its files, or with a hyphen the end of its label.
    fn stem(&self, joint: &str) -> String {
        if self.key.is_empty() { self.stem.to_owned() } else { [self.stem, "by", self.key].join(joint) }
    }

    fn what(&self) -> LocalisedText {
        let what = LocalisedText::words(self.what);
        if self.key.is_empty() {
            return what;
        }
        LocalisedText::new(["{0} by {1}", "{0}（按{1}）"], [what, LocalisedText::said(self.key)])
    }

    /// The explanations of its columns, behind how many sites are shown where not all are.
    fn notes_on(&self, agreement: &DatasetAgreement) -> LocalisedText {
        let some = some_of(agreement.all_sites).filter(|_| self.key == SITE);
        LocalisedText::clauses(&some.iter().chain(&self.notes).cloned().collect::<Vec<_>>())
    }

    fn note_on(&self, agreement: &DatasetAgreement) -> LocalisedText {
        LocalisedText::sentence(&[self.notes_on(agreement)])
    }

    fn lines(&self, agreement: &DatasetAgreement, digits: Digits) -> Vec<Vec<String>> {
        (self.lines)(agreement, self.key, digits)
    }

    fn has_lines(&self, summary: &Summary) -> bool {
        known(summary).any(|agreement| !self.lines(agreement, four).is_empty())
    }

    fn csv(&self, summary: &Summary) -> String {
        let header: Vec<&str> = std::iter::once("dataset").chain(self.columns.iter().copied()).collect();
        let lines = known(summary).flat_map(|agreement| {
            let lines = self.lines(agreement, six).into_iter();
            lines.map(|line| [vec![agreement.dataset.clone()], line].concat())
        });
        csv_text(&header, lines)
    }

    fn markdown(&self, summary: &Summary, language: Language) -> String {
        let mut text = String::new();
        for agreement in known(summary) {
            text.push_str(&head(summary, agreement, self.what(), language));
            let header = language.say_all(self.header.iter().copied());
            text.push_str(&markdown::table(header, self.names, self.right, self.lines(agreement, four)));
            text.push_str(&format!("\n{}\n\n", self.note_on(agreement).in_language(language)));
        }
        text
    }

    fn latex(&self, summary: &Summary, language: Language) -> String {
        let table = |agreement: &DatasetAgreement| {
            let notes = [self.note_on(agreement), conditions::told_without_gold(summary, &agreement.dataset)];
            let notes = notes.map(|note| note.in_language(language).to_owned());
            let title = title(&agreement.dataset, agreement, self.what());
            let titled = (format!("{}-{}", agreement.dataset, self.stem("-")), title.in_language(language));
            let header = language.say_all(self.header.iter().copied());
            latex_table((&titled.0, titled.1), &header, self.right, &self.lines(agreement, four), &notes)
        };
        known(summary).map(table).collect::<Vec<_>>().join("\n")
    }

    /// `None` where it has no lines.
    fn terminal(&self, agreement: &DatasetAgreement, language: Language) -> Option<String> {
        let lines = self.lines(agreement, four);
        if lines.is_empty() {
            return None;
        }
        let mut table = plain_table(language.say_all(self.header.iter().copied()));
        lines.into_iter().for_each(|line| {
            table.add_row(line.into_iter().map(Cell::new));
        });
        let title = title(&agreement.dataset, agreement, self.what());
        let notes = self.notes_on(agreement);
        let [title, notes] = [title, notes].map(|text| text.in_language(language).to_owned());
        Some([vec![title], table_lines(table, self.right), vec![notes]].concat().join("\n"))
    }
}
