//! The short tables of all rows for a terminal.

use comfy_table::Cell;

use crate::report::families::{Family, datasets, f1, families};
use crate::report::table_format::{four, plain_table, table_lines};
use crate::report::terminal_rows::{TerminalRow, in_terminal, is_compact};
use crate::report::{agreement, conditions, noise_parameters, roles};
use crate::runs::configuration::bounds::{NODES, SUBTREE};
use crate::runs::doors::name_of_other;
use crate::runs::learned::WRAPPER;
use crate::runs::reads_gold::ReadsGold;
use crate::runs::summary::{Summary, SummaryRow};
use crate::statistics::{FEW_SITES, Triple};
use crate::text::counted;

/// The tables for a terminal: a block a dataset, figures to 4 digits, no colour. A family of more
/// than five swept values is shown by its ends, its default and its best; files have all.
pub fn terminal(summary: &Summary) -> String {
    let with_rows = datasets(&summary.rows);
    // A run of exact sweeps alone has no rows, but its conditions are worth telling.
    let others = summary.conditions.datasets.keys().filter(|name| !with_rows.contains(&name.as_str()));
    let of_others = |dataset: &String| {
        agreement_block(summary, dataset).unwrap_or_else(|| conditions::line(summary, dataset) + "\n")
    };
    let conditions = others.map(of_others);
    let noise = noise_parameters::sweeps(summary);
    let swept = noise.iter().map(|sweep| sweep.terminal(summary));
    let of_a_noise_sweep = |dataset: &&&str| noise.iter().any(|sweep| sweep.has(dataset));
    let blocks =
        with_rows.iter().filter(|dataset| !of_a_noise_sweep(dataset)).map(|dataset| terminal_block(summary, dataset));
    swept.chain(blocks).chain(conditions).collect::<Vec<_>>().join("\n")
}

/// What the columns of a terminal's table are.
const KEY: &str = "* best F1; P, R, F1: macro, the mean over pages; site F1: the mean over sites of their means; micro F1: of summed counts";

/// The same of the columns that a table of the article-extraction-benchmark's measure has besides.
const BENCHMARK_KEY: &str = "benchmark F1: as its authors count, of mean P and mean R without undefined ones; accuracy: the share of pages without any difference";

const SNIPPETS_KEY: &str = "snippets: micro P, R and F1 are of all short texts together, wanted ones found / found and wanted ones found / wanted; accuracy: the share of short texts that are found if wanted and not found if unwanted";

fn terminal_block(summary: &Summary, dataset: &str) -> String {
    let families = families(&summary.rows, dataset);
    let mut shown: Vec<TerminalRow<'_>> = families.iter().flat_map(in_terminal).collect();
    let is_other = |shown: &TerminalRow<'_>| name_of_other(&shown.row.algorithm).is_some();
    // Other programs come in no order of their own, so that of a ranking is theirs.
    let rank = |shown: &TerminalRow<'_>| match shown.row.is_ranked() {
        false => f64::INFINITY,
        true if is_other(shown) => -f1(shown.row),
        true => f64::NEG_INFINITY,
    };
    shown.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
    let by_benchmark = summary.conditions.measure == "shingle4";
    let by_snippets = summary.conditions.measure == "snippets";
    let rows: Vec<&SummaryRow> = families.iter().flat_map(|family| family.rows.clone()).collect();
    let ranked = rows.iter().filter(|row| row.is_ranked());
    let most = ranked.map(|row| f1(row)).fold(0.0, f64::max);
    let counters: Vec<Counter> =
        COUNTERS.into_iter().filter(|(_, count)| rows.iter().any(|row| count(row) > 0)).collect();
    let names = ["algorithm", "setting", "pages"].into_iter().chain(counters.iter().map(|(name, _)| *name));
    let benchmark: &[&str] = match (by_benchmark, by_snippets) {
        (true, _) => &["benchmark F1", "accuracy"],
        (false, true) => &["micro P", "micro R", "accuracy"],
        (false, false) => &[],
    };
    let figures = ["P", "R", "F1", "site F1", "micro F1"].into_iter().chain(benchmark.iter().copied());
    let mut table = plain_table(names.chain(figures));
    for TerminalRow { row, why } in shown {
        let Triple { precision, recall, f1 } = row.aggregates.macro_;
        let mark = if f1 == most && row.is_ranked() { "* " } else { "" };
        let setting = [row.label().as_str(), why, &row.mark()].join(" ");
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
    lines.push(KEY.to_owned());
    lines.extend(by_benchmark.then(|| BENCHMARK_KEY.to_owned()));
    lines.extend(by_snippets.then(|| SNIPPETS_KEY.to_owned()));
    lines.extend(rows.iter().any(|row| row.aligned > 0).then(|| ALIGNED_KEY.to_owned()));
    lines.extend(bounds_key(summary, &rows));
    lines.extend(rows.iter().any(|row| row.is_bound() && row.algorithm == WRAPPER).then(|| OWN_RULES_KEY.to_owned()));
    lines.extend(learned_key(&rows));
    lines.extend(rows.iter().any(|row| row.alone > Some(0)).then(|| ALONE_KEY.to_owned()));
    lines.extend(families.iter().filter(|family| is_compact(family)).map(compact_note));
    lines.push(conditions::line(summary, dataset));
    lines.extend(conditions::gold_note(summary, dataset));
    lines.extend(few_sites(&rows));
    let beside = [roles::terminal_block(summary, dataset), agreement_block(summary, dataset)];
    let beside = beside.into_iter().flatten().map(|block| format!("\n{block}"));
    lines.join("\n") + "\n" + &beside.collect::<String>()
}

/// That no test can tell the rows apart, where there are several, and too few sites.
fn few_sites(rows: &[&SummaryRow]) -> Option<String> {
    let ranked = rows.iter().filter(|row| row.is_ranked());
    let sites = ranked.clone().map(|row| row.groups.get("site").map_or(0, |sites| sites.len())).max()?;
    let is_few = (1..FEW_SITES).contains(&sites) && ranked.count() > 1;
    is_few.then(|| {
        let sites = counted(sites, "site");
        format!("few sites: with {sites} no test can tell rows apart, so the best may be the best by chance (it takes {FEW_SITES})")
    })
}

/// How far systems agree on the pages of `dataset` that have no gold, where there are any.
fn agreement_block(summary: &Summary, dataset: &str) -> Option<String> {
    let agreement = summary.agreement.iter().find(|agreement| agreement.dataset == dataset)?;
    Some(agreement::terminal_block(summary, agreement))
}

/// What learned rows are, where there are any.
fn learned_key(rows: &[&SummaryRow]) -> Option<String> {
    let is_learned = |row: &&&SummaryRow| row.reads_gold == Some(ReadsGold::OtherPages);
    rows.iter().find(is_learned)?;
    Some("(learned): from the gold of other pages, never of the page itself; compared among themselves only".to_owned())
}

/// What bounds are, where there are any, and how far they are bounds under the conditions of the run.
fn bounds_key(summary: &Summary, rows: &[&SummaryRow]) -> Option<String> {
    rows.iter().find(|row| row.is_bound())?;
    let conditions = &summary.conditions;
    let [tokens, case, measure] = [&conditions.tokens, &conditions.case, &conditions.measure].map(String::as_str);
    // By text nodes they are chosen as they are measured.
    let as_chosen = (tokens, case) == ("char", "keep") && ["lcs", "nodes"].contains(&measure);
    let whole = rows.iter().any(|row| [SUBTREE, NODES].contains(&row.algorithm.as_str()));
    let unlike =
        "; oracle-subtree and oracle-nodes are chosen over characters by lcs, and other counts may exceed them";
    let unlike = if as_chosen || !whole { "" } else { unlike };
    Some(format!(
        "(bound): made with each page's gold, the most that a choice could reach; never ranked or compared{unlike}"
    ))
}

/// A column's name, and how many pages it counts.
type Counter = (&'static str, fn(&SummaryRow) -> usize);

/// What may have gone wrong on a row's pages, or is to be known of them.
const COUNTERS: [Counter; 10] = [
    ("failed", |row| row.failed),
    ("timed out", |row| row.timed_out),
    ("not run", |row| row.not_run),
    ("empty", |row| row.empty),
    ("degraded", |row| row.degraded),
    ("aligned", |row| row.aligned),
    ("alone", |row| row.alone.unwrap_or(0)),
    ("by rule", |row| row.coverage.map_or(0, |coverage| coverage.by_rule)),
    ("by fallback", |row| row.coverage.map_or(0, |coverage| coverage.by_fallback)),
    ("uncovered", |row| row.coverage.map_or(0, |coverage| coverage.uncovered)),
];

/// What rules are that are scored on the pages that they were learned from.
const OWN_RULES_KEY: &str =
    "wrapper (bound): its rules were learned from the gold of these very pages, or of some of them";

/// What the column of pages alone is.
const ALONE_KEY: &str = "alone: pages with no other page of their site, or of the cluster that the row found for them, which it can compare with nothing";

/// What the column of aligned pages is.
const ALIGNED_KEY: &str = "aligned: pages whose extraction is a text of its own; it is put on the text nodes of which one alignment with it matches half of the characters";

fn compact_note(family: &Family<'_>) -> String {
    let row = family.rows[0];
    format!("{} {}: {} values, all in tables/rows.csv", row.algorithm, row.swept.join(", "), family.rows.len())
}
