//! Tables of all rows: short for a terminal, whole as Markdown and CSV.

mod compact;
mod terminal;

use std::iter::once;

pub use self::compact::compact;
pub use self::terminal::terminal;
use super::families::datasets;
use super::language::Language;
use super::latex::latex_table;
use super::localised_text::LocalisedText;
use super::markdown::code;
use super::row_labels::{marked_setting, reads_gold};
use super::table_format::{csv_text, four, six};
use super::{conditions, markdown};
use crate::runs::summary::{Summary, SummaryRow};
use crate::scoring::Structure;

/// What each aggregate is, in words; printed under every table that has it.
const FORMULAS: [(&str, [&str; 2]); 6] = [
    ("macro", ["mean over pages of each page's P, of its R and of its F1", "对每页的 P、R、F1 分别取各页平均"]),
    (
        "site_macro",
        ["the same mean for each site, then the mean over sites", "先在每个站点内取同样的平均，再对站点取平均"],
    ),
    (
        "micro",
        [
            "matched, extracted and gold tokens summed over all pages; P = matched / extracted, R = matched / gold, F1 = 2 matched / (extracted + gold)",
            "全部页面的匹配、抽取与标注词元数分别求和；P = 匹配 / 抽取，R = 匹配 / 标注，F1 = 2 匹配 /（抽取 + 标注）",
        ],
    ),
    (
        "paper_cevc",
        [
            "as in the CEVC paper: a site's F1 is the harmonic mean of its mean P and its mean R; then the mean over sites",
            "同 CEVC 论文：站点的 F1 为其平均 P 与平均 R 的调和平均，再对站点取平均",
        ],
    ),
    (
        "benchmark",
        [
            "as in the article-extraction-benchmark: mean P of the pages with an extraction, mean R of the pages with gold, F1 the harmonic mean of the two; accuracy = share of pages without any difference",
            "同 article-extraction-benchmark：P 为有抽取结果的页面的平均，R 为有标注的页面的平均，F1 为两者的调和平均；准确率为毫无差异的页面的比例",
        ],
    ),
    (
        "webmainbench",
        [
            "as in WebMainBench: mean F1 of the pages that neither failed nor have two empty texts; only by edit scalar, rouge:5 jieba and wmb-...",
            "同 WebMainBench：既未失败、两侧文本也非皆空的页面的 F1 平均；仅用于 edit scalar、rouge:5 jieba 与 wmb-... 度量",
        ],
    ),
];

/// What must be known of the figures of every row.
const FIGURES: [&str; 2] = [
    "P, R and F1 are those of the page's extraction against its gold, 0 to 1; a page that failed scores 0. Rows that \
     read the gold of the page are bounds: the most that a choice of its kind could reach, never ranked or compared; \
     those that read the gold of other pages learned from it, and are compared among themselves only.",
    "P、R、F1 为页面的抽取文本相对其标注的精确率、召回率与 F1，取值 0 到 1；失败的页面计 0 分。读取本页标注的行是上界：\
     同类选择所能达到的最高值，不参与排名与比较；读取其他页面标注的行由其学习而来，只在彼此之间比较。",
];

/// All rows and aggregates as Markdown: a table a dataset, figures to 4 digits, with the formula of
/// each aggregate in words.
pub fn markdown(summary: &Summary, language: Language) -> String {
    let mut text = format!("# {}\n", code(&summary.name));
    for dataset in datasets(&summary.rows) {
        text.push_str(&format!(
            "\n## {}\n\n{}\n\n",
            code(dataset),
            code(conditions::told(summary, dataset).in_language(language))
        ));
        text.extend(conditions::gold_note(summary, dataset).map(|note| format!("{}\n\n", code(&note))));
        let header = header(summary);
        let header = header.iter().filter(|name| **name != "dataset" && **name != "system");
        let rows = summary.rows.iter().filter(|row| row.dataset == dataset).map(|row| {
            let named = [row.algorithm.clone(), row.label()].into_iter().chain(counts(summary, row));
            let reads_gold = language.say(&reads_gold(row)).into_owned();
            named.chain(figures(row).map(four)).chain(webmainbench(row, four)).chain([reads_gold]).collect()
        });
        text.push_str(&markdown::table(language.say_all(header.copied()), &[0, 1], 2, rows));
    }
    text.push_str(&format!("\n{}\n\n", language.of(FIGURES)));
    let is_told = |(name, _): &&(&str, _)| *name != "webmainbench" || is_of_webmainbench(summary);
    text.extend(FORMULAS.iter().filter(is_told).map(|(name, formula)| {
        let formula = LocalisedText::sentence(&[LocalisedText::words(*formula)]);
        let name = LocalisedText::new(["`{0}`: {1}", "`{0}`：{1}"], [LocalisedText::name(*name), formula]);
        format!("- {}\n", name.in_language(language))
    }));
    text
}

/// All rows and aggregates as CSV: a line a row, figures to 6 digits.
pub fn csv(summary: &Summary) -> String {
    let rows = summary.rows.iter().map(|row| {
        let names = [row.dataset.clone(), row.algorithm.clone(), row.label()];
        let figures = figures(row).map(six);
        names
            .into_iter()
            .chain(counts(summary, row))
            .chain(figures)
            .chain(webmainbench(row, six))
            .chain([reads_gold(row), row.system.clone()])
            .collect()
    });
    csv_text(&header(summary), rows)
}

/// The columns of every row, with those that only some measures have.
fn header(summary: &Summary) -> Vec<&'static str> {
    let place = |wanted| HEADER.iter().position(|name| *name == wanted).unwrap_or_default();
    let (counted, told) = (place("macro_precision"), place("reads_gold"));
    let webmainbench: &[_] = if is_of_webmainbench(summary) { &["webmainbench_f1", "webmainbench_pages"] } else { &[] };
    [&HEADER[..counted], counters(summary), &HEADER[counted..told], webmainbench, &HEADER[told..]].concat()
}

/// The counts of pages that the measure alone has: aligned ones where text nodes are measured, those left out where
/// tables, code and formulas are.
fn counters(summary: &Summary) -> &'static [&'static str] {
    match &*summary.conditions.measure {
        "nodes" => &["aligned"],
        measure if measure.parse::<Structure>().is_ok() => &["without", "unfit"],
        _ => &[],
    }
}

/// True if rows have a figure of WebMainBench.
fn is_of_webmainbench(summary: &Summary) -> bool {
    summary.rows.iter().any(|row| row.webmainbench.is_some())
}

const HEADER: [&str; 27] = [
    "dataset", "algorithm", "setting", "pages", "failed", "timed_out", "not_run", "empty", "degraded",
    "macro_precision", "macro_recall", "macro_f1", "site_macro_precision", "site_macro_recall", "site_macro_f1",
    "micro_precision", "micro_recall", "micro_f1", "paper_cevc_precision", "paper_cevc_recall", "paper_cevc_f1",
    "benchmark_precision", "benchmark_recall", "benchmark_f1", "benchmark_accuracy", "reads_gold", "system",
];

fn counts(summary: &Summary, row: &SummaryRow) -> impl Iterator<Item = String> {
    let counts = [row.pages, row.failed, row.timed_out, row.not_run, row.empty, row.degraded];
    let counted = |name: &&str| match *name {
        "aligned" => row.aligned,
        "without" => row.without,
        _ => row.unfit,
    };
    counts.into_iter().chain(counters(summary).iter().map(counted)).map(|count| count.to_string())
}

/// WebMainBench's figure of a row, and its pages, where rows have one.
fn webmainbench(row: &SummaryRow, digits: fn(f64) -> String) -> impl Iterator<Item = String> {
    row.webmainbench.into_iter().flat_map(move |mean| [digits(mean.f1), mean.pages.to_string()])
}

fn figures(row: &SummaryRow) -> impl Iterator<Item = f64> {
    let all = &row.aggregates;
    let triples = [all.macro_, all.site_macro, all.micro, all.paper_cevc];
    let benchmark = [all.benchmark.precision, all.benchmark.recall, all.benchmark.f1, all.benchmark.accuracy];
    triples.into_iter().flat_map(|triple| [triple.precision, triple.recall, triple.f1]).chain(benchmark)
}

/// All rows and macro figures for LaTeX: a table a dataset.
pub fn latex(summary: &Summary, language: Language) -> String {
    let header = language.say_all(["algorithm", "setting", "pages", "P", "R", "F1", "site F1", "micro F1"]);
    let table = |dataset: &&str| {
        let rows = summary.rows.iter().filter(|row| row.dataset == **dataset).map(|row| {
            let all = &row.aggregates;
            let figures = [all.macro_.precision, all.macro_.recall, all.macro_.f1, all.site_macro.f1, all.micro.f1];
            let aligned = if row.aligned > 0 { language.say("(aligned)") } else { "".into() };
            let setting = [marked_setting(row, language), aligned.into_owned()].join(" ").trim().to_owned();
            let named = [row.algorithm.clone(), setting, row.pages.to_string()];
            named.into_iter().chain(figures.map(four)).collect()
        });
        let conditions = conditions::told(summary, dataset).in_language(language).to_owned();
        let of_dataset: Vec<&SummaryRow> = summary.rows.iter().filter(|row| row.dataset == **dataset).collect();
        let alone = conditions::mostly_alone(&of_dataset).into_iter().map(|note| note.in_language(language).to_owned());
        let notes: Vec<String> = once(conditions).chain(alone).chain(conditions::gold_note(summary, dataset)).collect();
        let caption = LocalisedText::new(["{0}: every row", "{0}：所有行"], [*dataset]);
        let (label, caption) = (format!("{dataset}-rows"), caption.in_language(language));
        latex_table((&label, caption), &header, 2, &rows.collect::<Vec<Vec<String>>>(), &notes)
    };
    datasets(&summary.rows).iter().map(table).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{alpha_sweep, row, summary};
    use crate::runs::separation::Separation;

    fn terminal(summary: &Summary, language: Language) -> String {
        super::terminal(summary, &Separation::default(), language)
    }

    fn sweep_on(dataset: &str) -> Summary {
        let mut rows = vec![row(dataset, "all-text", 0.5)];
        rows.extend(alpha_sweep(dataset, 21));
        summary(rows)
    }

    #[test]
    fn a_terminal_shows_ends_default_and_best_and_files_have_all() {
        let summary = sweep_on("d");
        let shown = terminal(&summary, Language::English);
        let rows: Vec<&str> = shown.lines().filter(|line| line.contains("alpha=")).map(str::trim).collect();
        assert_eq!(rows.len(), 4, "{shown}");
        for (row, part) in rows.iter().zip(["alpha=0.00", "alpha=0.50 (default)", "alpha=0.55 (best)", "alpha=1.00"]) {
            assert!(row.contains(part), "{shown}");
        }
        assert!(shown.contains("cevc alpha: 21 values, all in tables/rows.csv"), "{shown}");
        assert!(shown.contains("d 2 (digest 0123456789ab), 10 pages, tokens char, case keep, measure lcs, gold human"));
        assert_eq!(csv(&summary).lines().count(), 23);
        assert_eq!(markdown(&summary, Language::English).matches("alpha=").count(), 21);
    }

    #[test]
    fn five_values_are_shown_whole() {
        let shown = terminal(&summary(alpha_sweep("d", 5)), Language::English);
        assert_eq!(shown.matches("alpha=").count(), 5, "{shown}");
        assert!(!shown.contains("all in tables"), "{shown}");
    }

    #[test]
    fn the_best_of_each_dataset_is_marked() {
        let rows = vec![row("a", "all-text", 0.5), row("b", "all-text", 0.4), row("a", "semantic", 0.7)];
        let shown = terminal(&summary(rows), Language::English);
        assert_eq!(shown.lines().filter(|line| line.contains("* 0.")).count(), 2, "{shown}");
        assert!(shown.contains("* 0.7000") && shown.contains("* 0.4000"), "{shown}");
    }

    #[test]
    fn a_dataset_without_rows_shows_its_conditions() {
        let mut summary = summary(vec![row("d", "all-text", 0.5)]);
        summary.rows.clear();
        assert!(
            terminal(&summary, Language::English).starts_with("d 2 (digest 0123456789ab), 10 pages"),
            "{}",
            terminal(&summary, Language::English)
        );
        summary.conditions.datasets.values_mut().for_each(|known| known.version = "0123456789ab".to_owned());
        let shown = terminal(&summary, Language::English);
        assert!(shown.starts_with("d 0123456789ab, 10 pages"), "the version is the digest's beginning: {shown}");
    }

    #[test]
    fn other_programs_are_ranked_and_counted_as_their_measure_is() {
        let names = [("stored/b", 0.4), ("stored/a", 0.3), ("external/c", 0.9), ("nta", 0.1)];
        let mut summary = summary(names.map(|(name, f1)| row("d", name, f1)).into());
        assert!(!terminal(&summary, Language::English).contains("accuracy"));
        summary.conditions.measure = "shingle:4".to_owned();
        let shown = terminal(&summary, Language::English);
        let order: Vec<&str> = shown.lines().filter_map(|line| line.split_whitespace().next()).collect();
        let place = |name: &str| order.iter().position(|first| *first == name).unwrap();
        assert!(place("nta") < place("external/c") && place("external/c") < place("stored/b"), "{shown}");
        assert!(place("stored/b") < place("stored/a"), "{shown}");
        assert!(shown.contains("benchmark F1   accuracy"), "{shown}");
    }

    #[test]
    fn what_did_not_happen_has_no_column() {
        let mut rows = vec![row("d", "all-text", 0.5), row("d", "semantic", 0.5)];
        assert!(!terminal(&summary(rows.clone()), Language::English).contains("failed"));
        rows[1].failed = 3;
        let shown = terminal(&summary(rows), Language::English);
        assert!(shown.contains("failed") && !shown.contains("empty"), "{shown}");
    }

    #[test]
    fn chinese_names_take_two_columns_a_character() {
        let shown = terminal(&summary(vec![row("d", "正文提取", 0.5), row("d", "all-text", 0.4)]), Language::English);
        // Where the second column begins, in columns of the terminal: both rows have no setting, so
        // the pages' last digit is compared.
        let columns = |line: &str| {
            let before = line.split("10").next().unwrap();
            before.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum::<usize>()
        };
        let ends: Vec<usize> =
            shown.lines().filter(|line| line.contains("0.") && line.contains(" 10 ")).map(columns).collect();
        assert_eq!(ends.len(), 2, "{shown}");
        assert_eq!(ends[0], ends[1], "{shown}");
    }

    #[test]
    fn markdown_is_not_broken_by_names_and_states_formulas() {
        let text = markdown(&summary(vec![row("d", "a|b <i>", 0.5)]), Language::English);
        assert!(text.contains("| `a\\|b <i>` |"), "{text}");
        assert!(text.contains("- `macro`: mean over pages of each page's P"), "{text}");
        let table: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
        let columns = |line: &str| line.replace("\\|", "").matches('|').count();
        assert!(table.iter().all(|line| columns(line) == columns(table[0])), "{text}");
    }
}
