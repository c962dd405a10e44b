//! What rows hold of each role of the pages' text: recall of the roles that are gold, and which of the others the wrongly
//! extracted text is of.

use std::collections::BTreeMap;

use comfy_table::Cell;

use super::families::datasets;
use super::language::Language;
use super::latex::latex_table;
use super::localised_text::LocalisedText;
use super::markdown::code;
use super::row_labels::{marked_setting, reads_gold};
use super::table_format::{csv_text, four, plain_table, six, table_lines};
use super::terminal_rows::rows_in_terminal;
use super::{conditions, markdown};
use crate::runs::roles::{InGold, RoleFigures};
use crate::runs::summary::{Summary, SummaryRow};

/// What text of no role is called.
pub const NO_ROLE: &str = "(no role)";

/// What the figures are, under every table.
pub const KEY: [&str; 2] = [
    "Characters of text nodes by the role that the annotation gives them, over all pages, white space left out; a \
     text of its own is put on the text nodes of which one alignment with it matches half of the characters. \
     recall: the share of a role's gold that was extracted; extracted: of all of its text; share of false \
     positives: of what was extracted and is not gold.",
    "按标注给出的类别统计全部页面的文本节点字符（不计空白）；独立文本经一次对齐，凡有一半字符匹配的文本节点即视为被抽取。\
     召回率：该类别的标注中被抽取的比例；抽取比例：该类别全部文本中被抽取的比例；误抽占比：抽取而不在标注中的文本里属于该类别的比例。",
];

const COLUMNS: [&str; 14] = [
    "dataset", "algorithm", "setting", "role", "in_gold", "pages", "characters", "gold", "extracted", "matched",
    "recall", "extracted_share", "false_positive_share", "reads_gold",
];

/// The tables of roles; none where no page has any.
pub fn files(summary: &Summary, language: Language) -> Vec<(String, String)> {
    if summary.rows.iter().all(|row| row.roles.is_empty()) {
        return Vec::new();
    }
    let files = [
        ("roles.csv", csv(summary)),
        ("roles.md", markdown(summary, language)),
        ("roles.tex", latex(summary, language)),
    ];
    files.map(|(name, text)| (name.to_owned(), text)).into()
}

/// A line a row and role, figures to 6 digits; what is not known is empty.
pub fn csv(summary: &Summary) -> String {
    let lines = summary.rows.iter().flat_map(|row| {
        let named = move || vec![row.dataset.clone(), row.algorithm.clone(), row.label()];
        row.roles.iter().map(move |figures| {
            let role = figures.role.clone().unwrap_or_default();
            let cells = counted(role, figures).into_iter().chain(shares(figures, six));
            named().into_iter().chain(cells).chain([reads_gold(row)]).collect()
        })
    });
    csv_text(&COLUMNS, lines)
}

/// The same as Markdown, a table a dataset, figures to 4 digits; empty where no page has roles.
pub fn markdown(summary: &Summary, language: Language) -> String {
    let mut text = String::new();
    for dataset in with_roles(summary) {
        let conditions = code(conditions::told(summary, dataset).in_language(language));
        let title = LocalisedText::new(["{0}: roles", "{0}：类别"], [code(dataset)]);
        text.push_str(&format!("# {}\n\n{conditions}\n\n", title.in_language(language)));
        let lines = rows_of(summary, dataset).flat_map(|row| {
            row.roles.iter().map(|figures| {
                let mut cells = counted(name(figures, language), figures);
                cells[1] = language.say(&cells[1]).into_owned();
                let named = [row.algorithm.clone(), marked_setting(row, language)].into_iter();
                named.chain(cells).chain(shares(figures, four)).collect()
            })
        });
        let header = COLUMNS[1..COLUMNS.len() - 1].iter().copied();
        text.push_str(&markdown::table(language.say_all(header), &[0, 1, 2], 4, lines));
        text.push_str(&format!("\n{}\n\n", language.of(KEY)));
    }
    text
}

/// The same for LaTeX, without the counts; empty where no page has roles.
pub fn latex(summary: &Summary, language: Language) -> String {
    let table = |dataset: &&str| {
        let lines = rows_of(summary, dataset).flat_map(|row| {
            row.roles.iter().map(|figures| {
                let named = [row.algorithm.clone(), marked_setting(row, language), name(figures, language)];
                let in_gold = language.say(figures.in_gold().name()).into_owned();
                named.into_iter().chain([in_gold]).chain(shares(figures, four)).collect()
            })
        });
        let header = ["algorithm", "setting", "role", "in gold", "recall", "extracted", "share of false positives"];
        let header = language.say_all(header);
        let conditions = conditions::told(summary, dataset).in_language(language).to_owned();
        let notes = [language.of(KEY).to_owned(), conditions];
        let words = ["{0}: what rows hold of each role", "{0}：各行所得的各类别文本"];
        let caption = LocalisedText::new(words, [*dataset]);
        let (label, lines) = (format!("{dataset}-roles"), lines.collect::<Vec<Vec<String>>>());
        latex_table((&label, caption.in_language(language)), &header, 4, &lines, &notes)
    };
    with_roles(summary).iter().map(table).collect::<Vec<_>>().join("\n")
}

/// The blocks of all datasets with roles, for a terminal.
pub fn terminal(summary: &Summary, language: Language) -> String {
    let datasets = with_roles(summary);
    let blocks = datasets.iter().filter_map(|dataset| terminal_block(summary, dataset, language));
    blocks.map(|block| format!("\n{block}")).collect()
}

/// Of those among `rows` that have roles the algorithm, the setting and a column for each figure that matters of a role, under
/// a header; `None` where none has.
pub fn matrix(rows: &[&SummaryRow], language: Language) -> Option<(Vec<String>, Vec<Vec<String>>)> {
    let rows: Vec<&SummaryRow> = rows.iter().filter(|row| !row.roles.is_empty()).copied().collect();
    rows.first()?;
    let columns: Vec<Column> = all_roles(&rows).into_iter().flat_map(Column::of).collect();
    let titles = columns.iter().map(|column| column.title(language));
    let header = language.say_all(["algorithm", "setting"]).into_iter().chain(titles);
    let line = |row: &&SummaryRow| {
        let cells = columns.iter().map(|column| column.of_row(row).map(four).unwrap_or_default());
        [row.algorithm.clone(), marked_setting(row, language)].into_iter().chain(cells).collect()
    };
    Some((header.collect(), rows.iter().map(line).collect()))
}

/// A line for each row of `dataset` that a terminal shows; columns are roles. `None` where no page has any.
pub(super) fn terminal_block(summary: &Summary, dataset: &str, language: Language) -> Option<String> {
    let (header, lines) = matrix(&rows_in_terminal(summary, dataset), language)?;
    let mut table = plain_table(header.iter().map(String::as_str));
    for line in lines {
        table.add_row(line.into_iter().map(Cell::new));
    }
    let lines = table_lines(table, 2).join("\n");
    let words = [
        "{0} by role\n{1}\n{2} FP: false positives; tables/roles.csv has the counts\n",
        "{0}（按类别）\n{1}\n{2}计数见 tables/roles.csv\n",
    ];
    let block = LocalisedText::new(words, [dataset.into(), lines.into(), LocalisedText::words(KEY)] as [_; 3]);
    Some(block.in_language(language).to_owned())
}

/// A column for a terminal: a figure of a role.
struct Column {
    role: Option<String>,
    what: &'static str,
    figure: fn(&RoleFigures) -> Option<f64>,
}

impl Column {
    /// Those of a role: recall where it is gold, and where it is not how much of it was extracted and its part in what
    /// was extracted wrongly.
    fn of(figures: &RoleFigures) -> Vec<Column> {
        let column = |what, figure| Column { role: figures.role.clone(), what, figure };
        let recall = || column("recall", |figures| figures.recall);
        let wrong = || {
            [
                column("extracted", |figures: &RoleFigures| figures.extracted_share),
                column("of FP", |figures: &RoleFigures| figures.false_positive_share),
            ]
        };
        match figures.in_gold() {
            InGold::Whole => vec![recall()],
            InGold::Part => [recall()].into_iter().chain(wrong()).collect(),
            InGold::Nothing => wrong().into(),
        }
    }

    fn title(&self, language: Language) -> String {
        let role = self.role.clone().unwrap_or_else(|| language.say(NO_ROLE).into_owned());
        format!("{role} {}", language.say(self.what))
    }

    fn of_row(&self, row: &SummaryRow) -> Option<f64> {
        row.roles.iter().find(|figures| figures.role == self.role).and_then(self.figure)
    }
}

/// The roles of all `rows`, each where it has most text: the pages that count may differ between rows.
fn all_roles<'s>(rows: &[&'s SummaryRow]) -> Vec<&'s RoleFigures> {
    let mut all: BTreeMap<(bool, Option<&str>), &RoleFigures> = BTreeMap::new();
    for figures in rows.iter().flat_map(|row| &row.roles) {
        // What has no role comes last.
        let known = all.entry((figures.role.is_none(), figures.role.as_deref())).or_insert(figures);
        if known.characters < figures.characters {
            *known = figures;
        }
    }
    all.into_values().collect()
}

/// The datasets of which a row has roles.
fn with_roles(summary: &Summary) -> Vec<&str> {
    let has_roles = |dataset: &&str| rows_of(summary, dataset).any(|row| !row.roles.is_empty());
    datasets(&summary.rows).into_iter().filter(has_roles).collect()
}

fn rows_of<'s>(summary: &'s Summary, dataset: &str) -> impl Iterator<Item = &'s SummaryRow> {
    summary.rows.iter().filter(move |row| row.dataset == dataset)
}

fn name(figures: &RoleFigures, language: Language) -> String {
    figures.role.clone().unwrap_or_else(|| language.say(NO_ROLE).into_owned())
}

/// The role by its name, whether it is gold, and its counts.
fn counted(role: String, figures: &RoleFigures) -> Vec<String> {
    let RoleFigures { pages, characters, gold, extracted, matched, .. } = figures;
    let counts = [characters, gold, extracted, matched].map(|count| count.to_string());
    [role, figures.in_gold().name().to_owned(), pages.to_string()].into_iter().chain(counts).collect()
}

fn shares(figures: &RoleFigures, digits: fn(f64) -> String) -> [String; 3] {
    let RoleFigures { recall, extracted_share, false_positive_share, .. } = figures;
    [recall, extracted_share, false_positive_share].map(|share| share.map(digits).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{row, summary};
    use crate::runs::separation::Separation;

    fn figures(role: Option<&str>, [characters, gold, extracted, matched]: [u64; 4]) -> RoleFigures {
        RoleFigures {
            role: role.map(str::to_owned),
            pages: 2,
            characters,
            gold,
            extracted,
            matched,
            recall: (gold > 0).then_some(0.5),
            extracted_share: (characters > 0).then_some(0.25),
            false_positive_share: Some(0.125),
        }
    }

    fn example() -> Summary {
        let mut with = row("d", "all-text", 0.5);
        with.roles = vec![
            figures(Some("bo|dy"), [8, 8, 4, 4]),
            figures(Some("comment"), [6, 0, 2, 0]),
            figures(Some("mixed"), [6, 2, 2, 1]),
            figures(None, [0, 0, 0, 0]),
        ];
        summary(vec![with, row("plain", "all-text", 0.5)])
    }

    #[test]
    fn each_role_has_a_line_and_what_is_unknown_is_empty() {
        let summary = example();
        let csv = csv(&summary);
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines.len(), 5, "{csv}");
        assert_eq!(lines[1], "d,all-text,,bo|dy,yes,2,8,8,4,4,0.500000,0.250000,0.125000,");
        assert_eq!(lines[2], "d,all-text,,comment,no,2,6,0,2,0,,0.250000,0.125000,");
        assert_eq!(lines[4], "d,all-text,,,no,2,0,0,0,0,,,0.125000,");
        let markdown = markdown(&summary, Language::English);
        assert!(
            markdown.contains("| `all-text` |  | `bo\\|dy` | yes | 2 | 8 | 8 | 4 | 4 | 0.5000 | 0.2500 | 0.1250 |")
        );
        assert!(markdown.contains("| `mixed` | partly |") && !markdown.contains("# plain"), "{markdown}");
        assert!(
            latex(&summary, Language::English).contains("all-text &  & (no role) & no &  &  & 0.1250"),
            "{}",
            latex(&summary, Language::English)
        );
        assert_eq!(files(&summary, Language::English).len(), 3);
    }

    #[test]
    fn a_terminal_has_a_column_for_what_matters_of_a_role() {
        let shown = terminal_block(&example(), "d", Language::English).unwrap();
        let header = shown.lines().nth(1).unwrap();
        for title in ["bo|dy recall", "comment extracted", "comment of FP", "mixed recall", "mixed of FP", NO_ROLE] {
            assert!(header.contains(title) || shown.lines().nth(2).unwrap().contains(title), "{shown}");
        }
        assert!(!shown.contains("comment recall") && !shown.contains("bo|dy of FP"), "{shown}");
        assert_eq!(terminal_block(&example(), "plain", Language::English), None);
    }

    #[test]
    fn without_roles_there_is_nothing() {
        let summary = summary(vec![row("d", "all-text", 0.5)]);
        assert!(
            files(&summary, Language::English).is_empty()
                && markdown(&summary, Language::English).is_empty()
                && terminal(&summary, Language::English).is_empty()
        );
        assert!(
            !crate::report::tables::terminal(&summary, &Separation::default(), Language::English).contains("by role")
        );
    }
}
