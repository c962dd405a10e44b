//! Rows with what is known of their figures: intervals by site, and letters.

use serde_json::{Map, Value as Json, json};

use super::families::{by_rank, datasets};
use super::figure_inputs::FigureInputs;
use super::language::Language;
use super::latex::latex_table;
use super::localised_text::LocalisedText;
use super::markdown::code;
use super::row_labels::reads_gold;
use super::run_files::RunFiles;
use super::table_format::{csv_text, four, plain_table, six, table_lines};
use super::terminal_rows::rows_in_terminal;
use super::{conditions, languages, markdown};
use crate::runs::scores::RowKey;
use crate::runs::separation::Tested;
use crate::runs::summary::{Summary, SummaryRow};
use crate::statistics::{Aggregate, Estimate, FEW_SITES, Figure, Interval, Part, Sampling, estimates};

/// The figure that rows are ranked by.
pub const MACRO_F1: Figure = Figure(Aggregate::Macro, Part::F1);

/// The figures of a table with intervals.
pub const SHOWN: [Figure; 3] = [MACRO_F1, Figure(Aggregate::SiteMacro, Part::F1), Figure(Aggregate::Micro, Part::F1)];

/// A run with its estimates.
pub struct Stats<'s> {
    summary: &'s Summary,
    sampling: Sampling,
    datasets: Vec<Block>,
}

/// A row as [`Stats::rows_of`] tells it.
pub struct StatsRow<'s> {
    /// The algorithm's name.
    pub algorithm: &'s str,
    /// What tells the row from others of its algorithm.
    pub setting: &'s str,
    /// Pages behind the figure.
    pub pages: u64,
    /// Macro F1.
    pub f1: &'s Estimate,
    /// Rows that share a letter are not separated.
    pub letters: &'s str,
}

/// A dataset's rows.
struct Block {
    dataset: String,
    rows: Vec<Line>,
    /// The number of rows of the run that are ranked, in the table or not.
    ranked: usize,
    /// The tests that letters are corrected for.
    tests: usize,
    /// What must be known of letters and intervals, a sentence each.
    notes: Vec<LocalisedText>,
}

/// A row with its estimates.
struct Line {
    algorithm: String,
    setting: String,
    /// What tells it from rows that have letters.
    mark: String,
    /// What it reads of the gold; empty where it reads none.
    reads_gold: String,
    pages: u64,
    estimates: Vec<(Figure, Estimate)>,
    letters: String,
    /// The first and the last place that it may have: those of rows that are separated from it are not its own.
    ranks: Option<[usize; 2]>,
}

impl<'s> Stats<'s> {
    /// The estimates of `figures` of the rows of a run that a terminal shows, or of all.
    pub fn of(run: &'s RunFiles<'_>, figures: &[Figure], only_shown: bool) -> Self {
        let (summary, inputs) = (&run.summary, &run.figure_inputs);
        let sampling = Sampling::default();
        let block = |dataset: &&str| {
            let all = summary.rows.iter().filter(|row| row.dataset == **dataset);
            let mut rows = if only_shown { rows_in_terminal(summary, dataset) } else { all.clone().collect() };
            rows.sort_by(|one, other| {
                let by_whole = other.is_whole().cmp(&one.is_whole());
                by_whole.then(other.is_ranked().cmp(&one.is_ranked())).then_with(|| by_rank(one, other))
            });
            let ranked = all.filter(|row| row.is_ranked()).count();
            Block { ranked, ..block(dataset, &rows, inputs, figures, sampling) }
        };
        let blocks = datasets(&summary.rows).iter().map(block).collect();
        Stats { sampling, datasets: blocks, summary }
    }

    /// The interval of a row's macro F1, and its letters.
    pub(super) fn of_row(&self, (dataset, algorithm, setting): &RowKey) -> (Option<Interval>, &str) {
        let block = self.datasets.iter().find(|block| block.dataset == *dataset);
        let row = block
            .and_then(|block| block.rows.iter().find(|row| (&row.algorithm, &row.setting) == (algorithm, setting)));
        let estimate = row.and_then(|row| row.estimate(MACRO_F1));
        (estimate.and_then(|estimate| estimate.percentile), row.map_or("", |row| row.letters.as_str()))
    }

    /// The rows of `dataset` that are ranked, the best first.
    pub fn rows_of(&self, dataset: &str) -> Vec<StatsRow<'_>> {
        let rows = self.datasets.iter().filter(|block| block.dataset == dataset).flat_map(|block| &block.rows);
        let row = |row| {
            let row: &Line = row;
            let f1 = row.estimate(MACRO_F1)?;
            Some(StatsRow {
                algorithm: &row.algorithm,
                setting: &row.setting,
                pages: row.pages,
                f1,
                letters: &row.letters,
            })
        };
        rows.filter(|row| row.mark.is_empty()).filter_map(row).collect()
    }

    /// What must be known of a dataset's intervals and letters in a table without ranks, a sentence each, its conditions last.
    pub fn notes_of(&self, dataset: &str) -> Vec<LocalisedText> {
        let block = self.datasets.iter().find(|block| block.dataset == dataset);
        block.map(|block| self.notes(block, LocalisedText::default())).unwrap_or_default()
    }

    /// Tables for a terminal.
    pub fn terminal(&self, language: Language) -> String {
        let blocks = self.datasets.iter().map(|block| {
            let mut table = plain_table(language.say_all(HEADER));
            for row in &block.rows {
                table.add_row(row.cells(language));
            }
            let notes = self.notes_in(block, language).join("\n");
            format!("{}\n{}\n{notes}\n", block.dataset, table_lines(table, 2).join("\n"))
        });
        blocks.collect::<Vec<_>>().join("\n")
    }

    /// Tables as Markdown.
    pub fn markdown(&self, language: Language) -> String {
        let mut text = format!("# {}\n", code(&self.summary.name));
        for block in &self.datasets {
            let rows = block.rows.iter().map(|row| row.cells(language).into());
            let table = markdown::table(language.say_all(HEADER), &[0, 1], 2, rows);
            let mut notes = self.notes_in(block, language);
            // The conditions hold what others have named.
            notes.last_mut().into_iter().for_each(|conditions| *conditions = code(conditions));
            text.push_str(&format!("\n## {}\n\n{table}\n{}", code(&block.dataset), markdown::list(&notes)));
        }
        text
    }

    /// Tables for LaTeX, with the package booktabs.
    pub fn latex(&self, language: Language) -> String {
        let table = |block: &Block| {
            let rows: Vec<Vec<String>> = block.rows.iter().map(|row| row.cells(language).into()).collect();
            let words = ["{0}: F1 with intervals, ranks and letters", "{0}：F1 及其区间、名次与字母"];
            let caption = LocalisedText::new(words, [&block.dataset]);
            let (label, header) = (format!("stats-{}", block.dataset), language.say_all(HEADER));
            let notes = self.notes_in(block, language);
            latex_table((&label, caption.in_language(language)), &header, 2, &rows, &notes)
        };
        self.datasets.iter().map(table).collect::<Vec<_>>().join("\n")
    }

    /// Every figure with its error and intervals, a line each.
    pub fn csv(&self) -> String {
        let header = [
            "dataset", "algorithm", "setting", "letters", "figure", "point", "error", "low", "high", "bca_low",
            "bca_high", "level", "pages", "sites", "resamples", "seed", "first_rank", "last_rank", "reads_gold",
        ];
        let rows = self.datasets.iter().flat_map(|block| block.rows.iter().map(move |row| (block, row)));
        let lines = rows.flat_map(|(block, row)| {
            row.estimates.iter().map(move |(figure, estimate)| {
                let named = [&block.dataset, &row.algorithm, &row.setting, &row.letters].map(Clone::clone);
                let known = |figure: Option<f64>| figure.map(six).unwrap_or_default();
                let ends = [estimate.percentile, estimate.bca];
                let ends = ends.map(|interval| [interval.map(|known| known.low), interval.map(|known| known.high)]);
                let mut line: Vec<String> = named.into();
                line.extend([figure.to_string(), six(estimate.point), known(estimate.error)]);
                line.extend(ends.into_iter().flatten().map(known));
                line.extend([estimate.level.to_string(), estimate.pages.to_string(), estimate.sites.to_string()]);
                line.extend([estimate.resamples.to_string(), self.sampling.seed.to_string()]);
                line.extend([0, 1].map(|end| row.ranks.map(|ranks| ranks[end].to_string()).unwrap_or_default()));
                line.push(row.reads_gold.clone());
                line
            })
        });
        csv_text(&header, lines)
    }

    /// The same for programs.
    pub fn json(&self) -> Json {
        let row = |row: &Line| {
            let estimates: Map<String, Json> =
                row.estimates.iter().map(|(figure, estimate)| (figure.to_string(), json!(estimate))).collect();
            let reads_gold = (!row.reads_gold.is_empty()).then_some(&row.reads_gold);
            json!({"algorithm": row.algorithm, "setting": row.setting, "reads_gold": reads_gold, "letters": row.letters, "ranks": row.ranks, "estimates": estimates})
        };
        let block = |block: &Block| json!({"dataset": block.dataset, "rows": block.rows.iter().map(row).collect::<Vec<_>>(), "notes": block.notes.iter().map(LocalisedText::english).collect::<Vec<_>>()});
        json!({
            "name": self.summary.name,
            "conditions": self.summary.conditions,
            "sampling": self.sampling,
            "datasets": self.datasets.iter().map(block).collect::<Vec<_>>(),
        })
    }

    fn notes_in(&self, block: &Block, language: Language) -> Vec<String> {
        let ranks = LocalisedText::new(RANKS, [block.ranked.to_string()]);
        self.notes(block, ranks).iter().map(|note| note.in_language(language).to_owned()).collect()
    }

    /// The same with a clause about `ranks`.
    fn notes(&self, block: &Block, ranks: LocalisedText) -> Vec<LocalisedText> {
        let Sampling { seed, resamples, flips, level } = self.sampling;
        let has_letters = block.rows.iter().any(|row| !row.letters.is_empty());
        let words = [
            "; rows that share a letter are not separated in macro F1 at {0} (sign flips of sites, {1} or all, Holm over {2} \
             tests){3}",
            "；标有相同字母的行在宏平均 F1 上于 {0} 水平差异不显著（按站点翻转符号，{1} 次或全部，对 {2} 次检验作 Holm 校正）{3}",
        ];
        let tests = block.tests.to_string().into();
        let places = [format!("{:.2}", 1.0 - level).into(), flips.to_string().into(), tests, ranks];
        let letters = if has_letters { LocalisedText::new(words, places) } else { LocalisedText::default() };
        let intervals = LocalisedText::new(
            [
                "intervals: {0} % percentile, {1} resamples of sites{2}; seed {3}",
                "区间：{0} % 百分位，按站点重抽样 {1} 次{2}；种子 {3}",
            ],
            [format!("{:.0}", 100.0 * level).into(), resamples.to_string().into(), letters, seed.to_string().into()],
        );
        let conditions = conditions::told(self.summary, &block.dataset);
        [intervals].into_iter().chain(block.notes.iter().cloned()).chain([conditions]).collect()
    }
}

/// The ranks of a table that has them.
const RANKS: [&str; 2] = [
    ", and ranks are the places, of {0} ranked rows in the run, that a row may have among those that it is not separated from",
    "；名次为该行在本次运行 {0} 个参与排名的行中，于差异不显著的行之间可能占据的位置",
];

const HEADER: [&str; 8] = ["algorithm", "setting", "pages", "F1", "site F1", "micro F1", "ranks", "letters"];

impl Line {
    fn estimate(&self, figure: Figure) -> Option<&Estimate> {
        self.estimates.iter().find(|(known, _)| *known == figure).map(|(_, estimate)| estimate)
    }

    fn cells(&self, language: Language) -> [String; HEADER.len()] {
        let [macro_f1, site_f1, micro_f1] =
            SHOWN.map(|figure| self.estimate(figure).map(with_interval).unwrap_or_default());
        [
            self.algorithm.clone(),
            [self.setting.as_str(), &language.say(&self.mark)].join(" ").trim().to_owned(),
            self.pages.to_string(),
            macro_f1,
            site_f1,
            micro_f1,
            self.ranks.map(|[first, last]| format!("{first}–{last}")).unwrap_or_default(),
            self.letters.clone(),
        ]
    }
}

fn with_interval(estimate: &Estimate) -> String {
    let point = four(estimate.point);
    match estimate.percentile {
        Some(Interval { low, high }) => format!("{point} [{}, {}]", four(low), four(high)),
        None => point,
    }
}

fn block(dataset: &str, rows: &[&SummaryRow], inputs: &FigureInputs, figures: &[Figure], sampling: Sampling) -> Block {
    let totals = rows.iter().map(|row| inputs.scores.site_totals(&row.key()));
    let tested = inputs.separation.of_dataset(dataset);
    let line = |(row, estimates): (&&SummaryRow, Vec<Estimate>)| {
        // What reads gold has no letters: it is not compared with the others.
        let standing = tested.and_then(|tested| tested.of_row(&row.key()));
        Line {
            algorithm: row.algorithm.clone(),
            setting: row.label(),
            mark: row.mark(),
            reads_gold: reads_gold(row),
            pages: inputs.scores.pages(&row.key()),
            estimates: figures.iter().copied().zip(estimates).collect(),
            letters: standing.map(|standing| standing.letters.clone()).unwrap_or_default(),
            ranks: standing.map(|standing| standing.ranks),
        }
    };
    let lines: Vec<Line> = rows.iter().zip(estimates(totals, figures, &sampling)).map(line).collect();
    let most = lines.iter().map(|line| line.pages as usize).max().unwrap_or(0);
    let mut notes = tested.map(|tested| letter_notes(tested, most)).unwrap_or_default();
    notes.extend(languages::of_rows(rows));
    notes.extend(conditions::mostly_alone(rows));
    notes.extend(conditions::drawn_for_dispute(rows));
    notes.extend(conditions::left_out(rows.iter().copied()));
    Block { dataset: dataset.to_owned(), rows: lines, ranked: 0, tests: tested.map_or(0, Tested::tests), notes }
}

/// What must be known of letters, a sentence each; `most` is the number of pages of the row that has most.
pub(super) fn letter_notes(tested: &Tested, most: usize) -> Vec<LocalisedText> {
    let mut notes = Vec::new();
    if tested.is_empty() && tested.pages > 0 {
        notes.push(conditions::too_many_for_letters());
    } else if tested.is_empty() {
        let none: [&str; 0] = [];
        notes.push(LocalisedText::new(
            ["no letters: there is no page that every row has", "没有字母：没有所有行共有的页面"],
            none,
        ));
    } else if tested.pages < most {
        let words = ["letters: of the {0} pages that every row has", "字母：依据所有行共有的 {0} 个页面"];
        notes.push(LocalisedText::new(words, [tested.pages.to_string()]));
    }
    notes.extend(tested.too_few_sites().map(conditions::too_few_sites));
    if tested.sites < FEW_SITES {
        let words =
            ["of fewer than {0} sites intervals are narrower than they should be", "站点少于 {0} 个时，区间比应有的窄"];
        notes.push(LocalisedText::new(words, [FEW_SITES.to_string()]));
    }
    notes.extend(conditions::pages_as_sites(tested.pages, tested.sites, tested.without_site));
    notes
}
