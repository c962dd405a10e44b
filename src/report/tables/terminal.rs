//! The short tables of all rows for a terminal.

use comfy_table::Cell;

use crate::report::families::{Family, best, datasets, f1, families};
use crate::report::language::Language;
use crate::report::localised_text::LocalisedText;
use crate::report::table_format::{four, plain_table, table_lines};
use crate::report::terminal_rows::{TerminalRow, is_compact, shown_of};
use crate::report::{agreement, conditions, languages, noise_parameters, roles};
use crate::runs::configuration::bounds::{NODES, SUBTREE};
use crate::runs::doors::name_of_other;
use crate::runs::learned::WRAPPER;
use crate::runs::reads_gold::ReadsGold;
use crate::runs::separation::{Separation, Tested};
use crate::runs::summary::{Summary, SummaryRow};
use crate::statistics::Triple;

/// The tables for a terminal: a block a dataset, figures to 4 digits, no colour. A family of more
/// than five swept values is shown by its ends, its default and its best; files have all. `separation` tells where sites are
/// too few.
pub fn terminal(summary: &Summary, separation: &Separation, language: Language) -> String {
    let with_rows = datasets(&summary.rows);
    // A run of exact sweeps alone has no rows, but its conditions are worth telling.
    let others = summary.conditions.datasets.keys().filter(|name| !with_rows.contains(&name.as_str()));
    let of_others = |dataset: &String| {
        agreement_block(summary, dataset, language)
            .unwrap_or_else(|| conditions::told(summary, dataset).in_language(language).to_owned() + "\n")
    };
    let conditions = others.map(of_others);
    let noise = noise_parameters::sweeps(summary);
    let swept = noise.iter().map(|sweep| sweep.terminal(summary, language));
    let of_a_noise_sweep = |dataset: &&&str| noise.iter().any(|sweep| sweep.has(dataset));
    let blocks = with_rows
        .iter()
        .filter(|dataset| !of_a_noise_sweep(dataset))
        .map(|dataset| terminal_block(summary, dataset, separation, language));
    swept.chain(blocks).chain(conditions).collect::<Vec<_>>().join("\n")
}

/// What the columns of a terminal's table are.
const KEY: [&str; 2] = [
    "* best F1; P, R, F1: macro, the mean over pages; site F1: the mean over sites of their means; micro F1: of summed counts",
    "* F1 最佳；P、R、F1：宏平均，即各页平均；站点 F1：先在站点内平均再对站点平均；微平均 F1：由总计数得出",
];

/// The same of the columns that a table of the article-extraction-benchmark's measure has besides.
const BENCHMARK_KEY: [&str; 2] = [
    "benchmark F1: as its authors count, of mean P and mean R without undefined ones; accuracy: the share of pages without any difference",
    "基准 F1：按其作者的算法，由平均 P 与平均 R 得出，无定义者不计；准确率：毫无差异的页面的比例",
];

/// What the columns of a table by snippets are.
const SNIPPETS_KEY: [&str; 2] = [
    "snippets: micro P, R and F1 are of all short texts together, wanted ones found / found and wanted ones found / wanted; accuracy: the share of short texts that are found if wanted and not found if unwanted",
    "片段：微平均 P、R、F1 由全部片段合计，即找到的应有片段 / 找到的片段，以及找到的应有片段 / 应有片段；准确率：判断正确的片段的比例（应有的找到，不应有的未找到）",
];

fn terminal_block(summary: &Summary, dataset: &str, separation: &Separation, language: Language) -> String {
    let mut families = families(&summary.rows, dataset);
    // Other programs come in no order of their own, so that of a ranking is theirs. The settings of one keep their order.
    let rank = |family: &Family<'_>| match family.first.is_ranked() {
        false => f64::INFINITY,
        true if name_of_other(&family.first.algorithm).is_some() => -f1(best(&family.rows)),
        true => f64::NEG_INFINITY,
    };
    families.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
    let by_benchmark = summary.conditions.measure == "shingle:4";
    let by_snippets = summary.conditions.measure == "snippets";
    let rows: Vec<&SummaryRow> = families.iter().flat_map(|family| family.rows.clone()).collect();
    let ranked: Vec<&SummaryRow> = rows.iter().copied().filter(|row| row.is_ranked()).collect();
    // Of equal figures each has the star.
    let most = (!ranked.is_empty()).then(|| best(&ranked)).map(|best| (best.is_whole(), f1(best)));
    let counters: Vec<Counter> =
        COUNTERS.into_iter().filter(|(_, count)| rows.iter().any(|row| count(row) > 0)).collect();
    let names = ["algorithm", "setting", "pages"].into_iter().chain(counters.iter().map(|(name, _)| *name));
    let benchmark: &[&str] = match (by_benchmark, by_snippets) {
        (true, _) => &["benchmark F1", "accuracy"],
        (false, true) => &["micro P", "micro R", "accuracy"],
        (false, false) => &[],
    };
    let figures = ["P", "R", "F1", "site F1", "micro F1"].into_iter().chain(benchmark.iter().copied());
    let mut table = plain_table(language.say_all(names.chain(figures)));
    for TerminalRow { row, why } in shown_of(&families) {
        let Triple { precision, recall, f1 } = row.aggregates.macro_;
        let mark = if Some((row.is_whole(), f1)) == most && row.is_ranked() { "* " } else { "" };
        let words = [row.label(), language.say(why).into_owned(), language.say(&row.mark()).into_owned()];
        let setting = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        let mut cells = vec![row.algorithm.clone(), setting.trim().to_owned(), row.pages.to_string()];
        cells.extend(counters.iter().map(|(_, count)| match count(row) {
            0 => String::new(),
            count => count.to_string(),
        }));
        cells.extend([four(precision), four(recall), format!("{mark}{}", four(f1))]);
        cells.extend([four(row.aggregates.site_macro.f1), four(row.aggregates.micro.f1)]);
        if by_benchmark {
            cells.extend([four(row.aggregates.benchmark.f1), four(row.aggregates.benchmark.accuracy)]);
        }
        if let Some(snippets) = &row.snippets {
            let Triple { precision, recall, .. } = row.aggregates.micro;
            cells.extend([precision, recall, snippets.accuracy].map(four));
        }
        table.add_row(cells.into_iter().map(Cell::new));
    }
    let mut lines = vec![dataset.to_owned()];
    lines.extend(table_lines(table, 2));
    let any = |is: &dyn Fn(&SummaryRow) -> bool| rows.iter().any(|row| is(row));
    let keys = [
        (true, KEY),
        (by_benchmark, BENCHMARK_KEY),
        (by_snippets, SNIPPETS_KEY),
        (any(&|row| row.aligned > 0), ALIGNED_KEY),
        (any(&|row| row.without > 0), WITHOUT_KEY),
        (any(&|row| row.unfit > 0), UNFIT_KEY),
        (any(&|row| row.rendered), RENDERED_KEY),
        (any(&SummaryRow::is_bound), BOUNDS_KEY),
        (exceeds_bounds(summary, &rows), UNLIKE_KEY),
        (any(&|row| row.is_bound() && row.algorithm == WRAPPER), OWN_RULES_KEY),
        (any(&|row| row.reads_gold == Some(ReadsGold::OtherPages)), LEARNED_KEY),
        (any(&|row| row.alone > Some(0)), ALONE_KEY),
    ];
    lines.extend(keys.into_iter().filter(|(is_told, _)| *is_told).map(|(_, key)| language.of(key).to_owned()));
    let notes = families.iter().filter(|family| is_compact(family)).map(compact_note);
    let notes = notes.chain([conditions::told(summary, dataset)]);
    lines.extend(notes.map(|note| note.in_language(language).to_owned()));
    lines.extend(conditions::gold_note(summary, dataset));
    let left_out = conditions::left_out(rows.iter().copied());
    let notes = languages::of_rows(&rows).into_iter().chain(conditions::mostly_alone(&rows));
    let notes = notes.chain(conditions::drawn_for_dispute(&rows)).chain(left_out);
    lines.extend(notes.map(|note| note.in_language(language).to_owned()));
    let few = separation.of_dataset(dataset).and_then(Tested::too_few_sites).map(conditions::too_few_sites);
    lines.extend(few.map(|note| note.in_language(language).to_owned()));
    let beside = [roles::terminal_block(summary, dataset, language), agreement_block(summary, dataset, language)];
    let beside = beside.into_iter().flatten().map(|block| format!("\n{block}"));
    lines.join("\n") + "\n" + &beside.collect::<String>()
}

/// How far systems agree on the pages of `dataset` that have no gold, where there are any.
fn agreement_block(summary: &Summary, dataset: &str, language: Language) -> Option<String> {
    let agreement = summary.agreement.iter().find(|agreement| agreement.dataset == dataset)?;
    Some(agreement::terminal_block(summary, agreement, language))
}

/// What learned rows are.
const LEARNED_KEY: [&str; 2] = [
    "(learned): from the gold of other pages, never of the page itself; compared among themselves only",
    "（学习）：由其他页面的标注学习而来，从不使用本页标注；只在彼此之间比较",
];

/// What bounds are.
const BOUNDS_KEY: [&str; 2] = [
    "(bound): made with each page's gold, the most that a choice of its kind could reach; never ranked or compared",
    "（上界）：由每页自身的标注得出，是同类选择所能达到的最高值；不参与排名与比较",
];

/// How far they are bounds under other conditions than those that they were chosen by.
const UNLIKE_KEY: [&str; 2] = [
    "oracle-subtree and oracle-nodes are chosen over characters by lcs, and other counts may exceed them",
    "oracle-subtree 与 oracle-nodes 按字符以 lcs 选出，其他计数方式可能超过它们",
];

/// Whether rows may exceed bounds, for these were chosen by another measure than that of the run.
fn exceeds_bounds(summary: &Summary, rows: &[&SummaryRow]) -> bool {
    let conditions = &summary.conditions;
    let [tokens, case, measure] = [&conditions.tokens, &conditions.case, &conditions.measure].map(String::as_str);
    // By text nodes they are chosen as they are measured.
    let as_chosen = (tokens, case) == ("char", "keep") && ["lcs", "nodes"].contains(&measure);
    let is_chosen = |row: &&SummaryRow| row.is_bound() && [SUBTREE, NODES].contains(&row.algorithm.as_str());
    !as_chosen && rows.iter().any(is_chosen)
}

/// A column's name, and how many pages it counts.
type Counter = (&'static str, fn(&SummaryRow) -> usize);

/// What may have gone wrong on a row's pages, or is to be known of them.
const COUNTERS: [Counter; 12] = [
    ("failed", |row| row.failed),
    ("timed out", |row| row.timed_out),
    ("not run", |row| row.not_run),
    ("without", |row| row.without),
    ("unfit", |row| row.unfit),
    ("empty", |row| row.empty),
    ("degraded", |row| row.degraded),
    ("aligned", |row| row.aligned),
    ("alone", |row| row.alone.unwrap_or(0)),
    ("by rule", |row| row.coverage.map_or(0, |coverage| coverage.by_rule)),
    ("by fallback", |row| row.coverage.map_or(0, |coverage| coverage.by_fallback)),
    ("uncovered", |row| row.coverage.map_or(0, |coverage| coverage.uncovered)),
];

/// What rules are that are scored on the pages that they were learned from.
const OWN_RULES_KEY: [&str; 2] = [
    "wrapper (bound): its rules were learned from the gold of these very pages, or of some of them",
    "wrapper（上界）：其规则由这些页面（或其中一部分）自身的标注学习而来",
];

/// What the column of pages alone is.
const ALONE_KEY: [&str; 2] = [
    "alone: pages with no other page of their site, or of the cluster that the row found for them, which it can compare with nothing",
    "孤立：同站点（或该行所得的同一簇）没有其他页面，因而无从比较的页面",
];

/// The explanation of the column of pages without a part.
const WITHOUT_KEY: [&str; 2] = [
    "without: pages of which neither the gold nor the extraction has what the measure looks for; they count in no figure",
    "无此内容：标注与抽取结果均不含该度量所考察内容的页面，不计入任何指标",
];

/// The explanation of the column of unfit pages.
const UNFIT_KEY: [&str; 2] = [
    "unfit: pages of which the measure cannot be taken, as run.json says; they count in no figure",
    "不适用：无法按该度量计算的页面（原因见 run.json），不计入任何指标",
];

/// The explanation of rows of rendered texts.
const RENDERED_KEY: [&str; 2] = [
    "(rendered by carat): its text has no marks of Markdown, which the gold and other rows have; never ranked with them",
    "（由 carat 渲染）：其文本没有 Markdown 标记，而标注与其他行有；不与它们一同排名",
];

/// What the column of aligned pages is.
const ALIGNED_KEY: [&str; 2] = [
    "aligned: pages whose extraction is a text of its own; it is put on the text nodes of which one alignment with it matches half of the characters",
    "对齐：抽取结果为独立文本的页面；经一次对齐，凡有一半字符匹配的文本节点即视为被抽取",
];

fn compact_note(family: &Family<'_>) -> LocalisedText {
    let row = family.first;
    LocalisedText::new(
        ["{0} {1}: {2} values, all in tables/rows.csv", "{0} {1}：{2} 个取值，全部见 tables/rows.csv"],
        [row.algorithm.clone(), row.swept.join(", "), family.rows.len().to_string()],
    )
}
