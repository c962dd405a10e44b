//! Tables of macro means by site, language, kind, group and split.

use std::collections::BTreeSet;

use super::families::datasets;
use super::language::Language;
use super::latex::latex_table;
use super::localised_text::LocalisedText;
use super::markdown::code;
use super::row_labels::{marked_setting, reads_gold};
use super::sites::some_of_rows;
use super::table_format::{csv_text, four, plain_table, six, table_lines};
use super::terminal_rows::rows_in_terminal;
use super::{conditions, markdown};
use crate::runs::summary::{GroupFigures, SnippetCounts, Summary, SummaryRow};

/// What pages are grouped by.
pub const KEYS: [&str; 5] = [SITE, "language", "kind", "group", "split"];

/// The key of sites, of which not all may be listed.
pub(crate) const SITE: &str = "site";

/// The tables by group as `(name, content)`: CSV, Markdown and LaTeX for each key that any page has.
pub fn files(summary: &Summary, language: Language) -> Vec<(String, String)> {
    let present = KEYS.into_iter().filter(|key| summary.rows.iter().any(|row| row.groups.contains_key(*key)));
    present
        .flat_map(|key| {
            [
                (format!("by_{key}.csv"), csv(summary, key)),
                (format!("by_{key}.md"), markdown(summary, key, language)),
                (format!("by_{key}.tex"), latex(summary, key, language)),
            ]
        })
        .collect()
}

/// The groups of `row` by `key`, in the order of their names.
fn groups<'s>(row: &'s SummaryRow, key: &str) -> impl Iterator<Item = (&'s String, &'s GroupFigures)> {
    row.groups.get(key).into_iter().flatten()
}

fn cells(name: &str, group: &GroupFigures, written: fn(f64) -> String) -> Vec<String> {
    let figures = [group.mean.precision, group.mean.recall, group.mean.f1];
    let mut cells = vec![name.to_owned(), group.pages.to_string()];
    cells.extend(figures.map(written));
    cells.extend(group.snippets.iter().flat_map(snippet_cells));
    cells
}

/// The columns of snippets, behind those of every measure.
const SNIPPETS: [&str; 4] = ["wanted", "wanted found", "unwanted", "unwanted found"];

fn snippet_cells(counts: &SnippetCounts) -> [String; SNIPPETS.len()] {
    let SnippetCounts { true_positives, false_positives, false_negatives, true_negatives, .. } = counts;
    let [wanted, unwanted] = [true_positives + false_negatives, false_positives + true_negatives];
    [wanted, *true_positives, unwanted, *false_positives].map(|count| count.to_string())
}

/// The columns of snippets, where the run counted some.
fn snippet_columns(summary: &Summary) -> &'static [&'static str] {
    let by_group = summary.rows.iter().flat_map(|row| row.groups.values()).flat_map(|groups| groups.values());
    let of_snippets = by_group.map(|group| group.snippets).any(|snippets| snippets.is_some());
    if of_snippets { &SNIPPETS } else { &[] }
}

/// The table by `key` for a terminal: a block a dataset, its groups in the order of their names, the
/// rows of [`super::tables::terminal`] in each. `None` where no page has such a key.
pub fn terminal(summary: &Summary, key: &str, language: Language) -> Option<String> {
    let mut blocks = Vec::new();
    for dataset in datasets(&summary.rows) {
        let rows = rows_in_terminal(summary, dataset);
        let names: BTreeSet<&String> = rows.iter().flat_map(|row| groups(row, key)).map(|(name, _)| name).collect();
        if names.is_empty() {
            continue;
        }
        let header = [key, "algorithm", "setting", "pages", "P", "R", "F1"];
        let mut table = plain_table(language.say_all(header.iter().chain(snippet_columns(summary)).copied()));
        for name in names {
            for row in &rows {
                let Some(group) = row.groups.get(key).and_then(|groups| groups.get(name)) else { continue };
                let [name, figures @ ..] = &cells(name, group, four)[..] else { continue };
                let named = [name.clone(), row.algorithm.clone(), marked_setting(row, language)];
                table.add_row(named.iter().chain(figures));
            }
        }
        let lines = table_lines(table, 3).join("\n");
        let (title, conditions) = (title(dataset, key), told(summary, dataset, key));
        let [title, conditions] = [&title, &conditions].map(|text| text.in_language(language));
        blocks.push(format!("{title}\n{lines}\n{conditions}\n"));
    }
    (!blocks.is_empty()).then(|| blocks.join("\n"))
}

/// The table by `key` as CSV: a line a row and group, figures to 6 digits.
pub fn csv(summary: &Summary, key: &str) -> String {
    let lines = summary.rows.iter().flat_map(|row| {
        let named = move || vec![row.dataset.clone(), row.algorithm.clone(), row.label()];
        groups(row, key).map(move |(name, group)| [named(), cells(name, group, six), vec![reads_gold(row)]].concat())
    });
    let snippets: Vec<String> = snippet_columns(summary).iter().map(|column| column.replace(' ', "_")).collect();
    let header = ["dataset", "algorithm", "setting", key, "pages", "precision", "recall", "f1"];
    let header: Vec<&str> =
        header.into_iter().chain(snippets.iter().map(String::as_str)).chain(["reads_gold"]).collect();
    csv_text(&header, lines)
}

/// The table by `key` as Markdown, figures to 4 digits, with their formula in words.
pub fn markdown(summary: &Summary, key: &str, language: Language) -> String {
    let mut text = format!("# {}\n", title(&code(&summary.name), key).in_language(language));
    for dataset in datasets(&summary.rows) {
        text.push_str(&format!(
            "\n## {}\n\n{}\n\n",
            code(dataset),
            code(told(summary, dataset, key).in_language(language))
        ));
        let header = ["algorithm", "setting", key, "pages", "P", "R", "F1"];
        let header = header.iter().chain(snippet_columns(summary)).copied();
        text.push_str(&markdown::table(
            language.say_all(header),
            &[0, 1, 2],
            3,
            lines(summary, dataset, key, language),
        ));
    }
    text.push_str(&format!("\n{}\n", formula(summary, key).in_language(language)));
    text
}

/// The tables by `key` for LaTeX, one a dataset, figures to 4 digits, with their formula in words.
pub fn latex(summary: &Summary, key: &str, language: Language) -> String {
    let table = |dataset: &&str| {
        let rows: Vec<_> = lines(summary, dataset, key, language).collect();
        let header = ["algorithm", "setting", key, "pages", "P", "R", "F1"];
        let header = language.say_all(header.iter().chain(snippet_columns(summary)).copied());
        let notes = [told(summary, dataset, key), formula(summary, key)];
        let notes = notes.map(|note| note.in_language(language).to_owned());
        let words = ["{0}: P, R and F1 by {1}", "{0}：按{1}的 P、R 与 F1"];
        let caption = LocalisedText::new(words, [(*dataset).into(), in_words(key)]);
        latex_table((&format!("{dataset}-by-{key}"), caption.in_language(language)), &header, 3, &rows, &notes)
    };
    datasets(&summary.rows).iter().map(table).collect::<Vec<_>>().join("\n")
}

/// The conditions of the rows of `dataset`, behind how many sites are shown where not all are.
fn told(summary: &Summary, dataset: &str, key: &str) -> LocalisedText {
    let some = some_of_rows(summary, dataset).filter(|_| key == SITE);
    let without = if some.is_none() { pages_without(summary, dataset, key) } else { None };
    let parts = some.into_iter().chain(without).chain([conditions::told(summary, dataset)]);
    LocalisedText::clauses(&parts.collect::<Vec<_>>())
}

/// The number of pages that no group by `key` has, where there are any.
fn pages_without(summary: &Summary, dataset: &str, key: &str) -> Option<LocalisedText> {
    let rows = summary.rows.iter().filter(|row| row.dataset == dataset);
    let in_groups = |row: &SummaryRow| groups(row, key).map(|(_, group)| group.pages).sum::<usize>();
    let most = rows.map(|row| row.pages.saturating_sub(in_groups(row))).max()?;
    (most > 0).then(|| without(most, key))
}

/// That so many pages have no `key`.
pub(super) fn without(pages: usize, key: &str) -> LocalisedText {
    let words = ["{0} without a {1}, in no group", "{0}没有{1}，不在任何分组"];
    LocalisedText::new(words, [conditions::pages(pages), LocalisedText::said(key)])
}

/// A line a row of `dataset` and group, figures to 4 digits.
fn lines<'s>(
    summary: &'s Summary,
    dataset: &'s str,
    key: &'s str,
    language: Language,
) -> impl Iterator<Item = Vec<String>> + 's {
    summary.rows.iter().filter(move |row| row.dataset == dataset).flat_map(move |row| {
        let named = move || vec![row.algorithm.clone(), marked_setting(row, language)];
        groups(row, key).map(move |(name, group)| [named(), cells(name, group, four)].concat())
    })
}

/// What the figures of a table by `key` are.
fn formula(summary: &Summary, key: &str) -> LocalisedText {
    let snippets = match snippet_columns(summary) {
        [] => ["{0}", "{0}"],
        _ => [
            "{0} wanted, unwanted: short texts of these pages that must be found, and that must not; found: those of them that \
             the extractions hold.",
            "{0}应有、不应有：这些页面中必须出现与不得出现的短文本；找到：其中抽取结果所含的数目。",
        ],
    };
    LocalisedText::new(snippets, [means(key)])
}

/// The explanation of the means of a table by `key`.
fn means(key: &str) -> LocalisedText {
    let of_unknown = match key {
        "site" => ["have a line each, with their ids", "各占一行，以页面 id 为名"],
        _ => ["are in no line", "不在任何一行"],
    };
    LocalisedText::new(
        [
            "P, R and F1 are macro: the mean over the pages of the {0} of each page's P, of its R and of its F1. Pages of \
             which no {0} is known {1}.",
            "P、R、F1 为宏平均：对该{0}的页面分别取每页 P、R、F1 的平均。{0}未知的页面{1}。",
        ],
        [in_words(key), LocalisedText::words(of_unknown)],
    )
}

/// What a table is of.
fn title(of: &str, key: &str) -> LocalisedText {
    LocalisedText::new(["{0} by {1}", "{0}（按{1}）"], [of.into(), in_words(key)])
}

/// What pages are grouped by.
fn in_words(key: &str) -> LocalisedText {
    LocalisedText::said(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{groups as languages, row, site_row, summary};

    #[test]
    fn a_line_a_row_and_group_and_no_file_for_what_no_page_has() {
        let mut rows = vec![row("d", "all-text", 0.5), row("d", "semantic", 0.4)];
        rows[0].groups = languages(&[("en", 4), ("zh", 6)], 0.5);
        let summary = summary(rows);
        let shown = terminal(&summary, "language", Language::English).unwrap();
        let words: Vec<Vec<&str>> = shown.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(words[2], ["language", "algorithm", "setting", "pages", "P", "R", "F1"], "{shown}");
        assert_eq!(words[5], ["zh", "all-text", "6", "0.5200", "0.4800", "0.5000"], "{shown}");
        assert_eq!(terminal(&summary, "kind", Language::English), None);
        let files = files(&summary, Language::English);
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["by_language.csv", "by_language.md", "by_language.tex"]);
        assert!(files[2].1.contains("all-text &  & en & 4 & 0.5200 & 0.4800 & 0.5000 "), "{}", files[2].1);
        let lines: Vec<&str> = files[0].1.lines().collect();
        assert_eq!(lines[0], "dataset,algorithm,setting,language,pages,precision,recall,f1,reads_gold");
        assert_eq!(
            lines[1..3],
            ["d,all-text,,en,4,0.520000,0.480000,0.500000,", "d,all-text,,zh,6,0.520000,0.480000,0.500000,"]
        );
        assert_eq!(lines.len(), 4);
        assert!(files[1].1.contains("| `all-text` |  | `en` | 4 | 0.5200 | 0.4800 | 0.5000 |"), "{}", files[1].1);
    }

    #[test]
    fn where_not_all_sites_are_listed_every_table_says_so() {
        let mut summary = summary(vec![site_row("d", "nta", &[("a", 1, 0.5), ("b", 2, 0.75)])]);
        let written: [fn(&Summary, &str, Language) -> String; 3] =
            [|summary, key, language| terminal(summary, key, language).unwrap(), markdown, latex];
        let of = |summary: &Summary, key, language| written.map(|write| write(summary, key, language));
        assert!(!of(&summary, "site", Language::English).concat().contains("most pages"));
        summary.all_sites.insert("d".to_owned(), 12_345);
        for text in of(&summary, "site", Language::English) {
            assert!(text.contains("10000 of 12345 sites, those with most pages; "), "{text}");
        }
        assert!(
            of(&summary, "site", Language::Chinese)
                .iter()
                .all(|text| text.contains("12345 个站点中页数最多的 10000 个"))
        );
        assert!(!of(&summary, "language", Language::English).concat().contains("most pages"));
    }

    #[test]
    fn by_snippets_each_group_has_what_was_wanted_and_found() {
        let mut of_snippets = row("d", "all-text", 0.5);
        of_snippets.groups = languages(&[("en", 4)], 0.5);
        let counts = SnippetCounts {
            true_positives: 7,
            false_positives: 2,
            false_negatives: 1,
            true_negatives: 3,
            accuracy: 10.0 / 13.0,
        };
        let groups = of_snippets.groups.get_mut("language").unwrap();
        groups.values_mut().for_each(|group| group.snippets = Some(counts));
        let summary = summary(vec![of_snippets]);
        let csv = csv(&summary, "language");
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(
            lines[0],
            "dataset,algorithm,setting,language,pages,precision,recall,f1,wanted,wanted_found,unwanted,unwanted_found,reads_gold"
        );
        assert_eq!(lines[1], "d,all-text,,en,4,0.520000,0.480000,0.500000,8,7,5,2,");
        let shown = terminal(&summary, "language", Language::English).unwrap();
        assert!(shown.contains("unwanted found"), "{shown}");
        let markdown = markdown(&summary, "language", Language::English);
        assert!(markdown.contains("| 0.5000 | 8 | 7 | 5 | 2 |"), "{markdown}");
        assert!(
            markdown.contains("Pages of which no language is known are in no line. wanted, unwanted: short texts"),
            "{markdown}"
        );
        assert!(latex(&summary, "language", Language::English).contains("0.5000 & 8 & 7 & 5 & 2 "));
    }
}
