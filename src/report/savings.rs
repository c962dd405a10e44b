//! The amount of text that rows leave of their pages: the input of a language model that reads the extraction.

use super::families::datasets;
use super::language::Language;
use super::latex::latex_table;
use super::localised_text::LocalisedText;
use super::markdown::code;
use super::row_labels::{marked_setting, reads_gold};
use super::table_format::{csv_text, four, six};
use super::{conditions, markdown};
use crate::runs::summary::{Savings, Summary, SummaryRow};

/// The explanation of the figures, under every table.
const KEY: [&str; 2] = [
    "Characters without white space, summed over the pages on which the row has an extraction. kept of HTML: extracted, divided by \
     the characters of the HTML; kept of text: extracted, divided by those of all visible text.",
    "不计空白的字符数，对该行有抽取结果的页面求和。占 HTML 比例：抽取字符除以 HTML 字符；占文本比例：抽取字符除以全部可见文本字符。",
];

/// The tables as `(name, content)`: CSV, Markdown and LaTeX; none where nothing is known.
pub(super) fn files(summary: &Summary, language: Language) -> Vec<(String, String)> {
    if summary.rows.iter().all(|row| row.savings.is_none()) {
        return Vec::new();
    }
    let files = [
        ("savings.csv", csv(summary)),
        ("savings.md", markdown(summary, language)),
        ("savings.tex", latex(summary, language)),
    ];
    files.map(|(name, text)| (name.to_owned(), text)).into()
}

/// A line a row, figures to 6 digits; what is not known is empty.
fn csv(summary: &Summary) -> String {
    let line = |row: &SummaryRow| {
        let named = [row.dataset.clone(), row.algorithm.clone(), row.label()].into_iter();
        Some(named.chain(cells(row.savings.as_ref()?, six)).chain([reads_gold(row)]).collect())
    };
    let header = [
        "dataset", "algorithm", "setting", "pages", "extracted", "html", "text", "kept_of_html", "kept_of_text",
        "reads_gold",
    ];
    csv_text(&header, summary.rows.iter().filter_map(line))
}

/// The same as Markdown, a table a dataset, figures to 4 digits.
fn markdown(summary: &Summary, language: Language) -> String {
    let title = LocalisedText::new(["{0}: how much text is kept", "{0}：保留多少文本"], [code(&summary.name)]);
    let mut text = format!("# {}\n", title.in_language(language));
    for dataset in with_savings(summary) {
        let table = markdown::table(language.say_all(HEADER), &[0, 1], 2, lines(summary, dataset, language));
        let conditions = code(conditions::told(summary, dataset).in_language(language));
        text.push_str(&format!("\n## {}\n\n{conditions}\n\n{table}", code(dataset)));
    }
    text + &format!("\n{}\n", language.of(KEY))
}

/// The same for LaTeX.
fn latex(summary: &Summary, language: Language) -> String {
    let table = |dataset: &&str| {
        let lines: Vec<Vec<String>> = lines(summary, dataset, language).collect();
        let conditions = conditions::told(summary, dataset).in_language(language).to_owned();
        let notes = [language.of(KEY).to_owned(), conditions];
        let caption = LocalisedText::new(["{0}: how much text is kept", "{0}：保留多少文本"], [*dataset]);
        let titled = (format!("{dataset}-savings"), caption.in_language(language));
        latex_table((&titled.0, titled.1), &language.say_all(HEADER), 2, &lines, &notes)
    };
    with_savings(summary).iter().map(table).collect::<Vec<_>>().join("\n")
}

const HEADER: [&str; 8] =
    ["algorithm", "setting", "pages", "extracted", "HTML", "text", "kept of HTML", "kept of text"];

/// The datasets of which something is known.
fn with_savings(summary: &Summary) -> Vec<&str> {
    let is_known = |dataset: &&str| summary.rows.iter().any(|row| row.dataset == *dataset && row.savings.is_some());
    datasets(&summary.rows).into_iter().filter(is_known).collect()
}

/// A line a row of `dataset`, figures to 4 digits.
fn lines<'s>(summary: &'s Summary, dataset: &'s str, language: Language) -> impl Iterator<Item = Vec<String>> + 's {
    let rows = summary.rows.iter().filter(move |row| row.dataset == dataset);
    rows.filter_map(move |row| {
        let named = [row.algorithm.clone(), marked_setting(row, language)].into_iter();
        Some(named.chain(cells(row.savings.as_ref()?, four)).collect())
    })
}

fn cells(savings: &Savings, written: fn(f64) -> String) -> [String; 6] {
    let Savings { pages, extracted, html, text } = savings;
    let [pages, extracted, html] = [pages, extracted, html].map(u64::to_string);
    let text = text.map(|text| text.to_string()).unwrap_or_default();
    let [of_html, of_text] =
        [savings.kept_of_html(), savings.kept_of_text()].map(|share| share.map(written).unwrap_or_default());
    [pages, extracted, html, text, of_html, of_text]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{row, summary};

    #[test]
    fn rows_have_the_share_that_they_keep_and_what_is_unknown_is_empty() {
        let mut rows = vec![row("d", "nta", 0.5), row("d", "stored/x", 0.4), row("d", "all-text", 0.3)];
        rows[0].savings = Some(Savings { pages: 2, extracted: 30, html: 400, text: Some(60) });
        rows[1].savings = Some(Savings { pages: 1, extracted: 10, html: 80, text: None });
        let summary = summary(rows);
        let files = files(&summary, Language::English);
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["savings.csv", "savings.md", "savings.tex"]);
        let lines: Vec<&str> = files[0].1.lines().collect();
        assert_eq!(
            lines,
            [
                "dataset,algorithm,setting,pages,extracted,html,text,kept_of_html,kept_of_text,reads_gold",
                "d,nta,,2,30,400,60,0.075000,0.500000,",
                "d,stored/x,,1,10,80,,0.125000,,",
            ]
        );
        let markdown = &files[1].1;
        assert!(markdown.contains("| `nta` |  | 2 | 30 | 400 | 60 | 0.0750 | 0.5000 |"), "{markdown}");
        assert!(markdown.contains("kept of HTML: extracted, divided by"), "{markdown}");
        assert!(!markdown.contains("all-text"), "{markdown}");
        let latex = &files[2].1;
        assert!(latex.contains("nta &  & 2 & 30 & 400 & 60 & 0.0750 & 0.5000 "), "{latex}");
    }

    #[test]
    fn a_run_of_an_earlier_version_has_no_table() {
        assert!(files(&summary(vec![row("d", "nta", 0.5)]), Language::English).is_empty());
    }
}
