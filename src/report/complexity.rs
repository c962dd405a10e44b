//! F1 by what pages are like: how much of the visible text is content, how much of it is in links, how deep the tree is.

use std::collections::BTreeMap;
use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;
use serde::Serialize;

use super::families::{best, by_rank, datasets};
use super::language::Language;
use super::latex::latex_table;
use super::localised_text::LocalisedText;
use super::markdown::code;
use super::table_format::{csv_text, four, six};
use super::{conditions, markdown as md};
use crate::runs::pages::PageLine;
use crate::runs::scores::RowScore;
use crate::runs::summary::{Summary, SummaryRow};

/// Pages are parted into at most so many bins.
const BINS: usize = 5;

/// By what pages are parted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The share of the gold in the visible text.
    ContentShare,
    /// The share of links in the visible text.
    LinkShare,
    /// The depth of the tree.
    Depth,
}

impl By {
    const ALL: [By; 3] = [By::ContentShare, By::LinkShare, By::Depth];

    fn name(self) -> &'static str {
        match self {
            By::ContentShare => "content in the visible text",
            By::LinkShare => "links in the visible text",
            By::Depth => "depth of the tree",
        }
    }

    fn of(self, page: &PageLine) -> Option<f64> {
        let share = |part: Option<usize>| {
            let whole = page.text.filter(|&whole| whole > 0)?;
            Some(part? as f64 / whole as f64)
        };
        match self {
            By::ContentShare => share(page.gold),
            By::LinkShare => share(page.link),
            By::Depth => page.depth.map(|depth| depth as f64),
        }
    }

    /// The names of bins, to as many digits as tell their ends apart.
    fn names(self, ends: &[(f64, f64)]) -> Vec<String> {
        const MOST_DIGITS: usize = 12;
        let are_apart = |digits: &usize| {
            let written = |value: f64| format!("{value:.digits$}");
            ends.windows(2).all(|pair| written(pair[0].1) != written(pair[1].1))
        };
        let least = if self == By::Depth { 0 } else { 2 };
        let digits = (least..MOST_DIGITS).find(are_apart).unwrap_or(MOST_DIGITS);
        let name = |(place, (from, to)): (usize, &(f64, f64))| {
            let above = if place == 0 { "" } else { "> " };
            let [from, to] = [from, to].map(|end| format!("{end:.digits$}"));
            if from == to { to } else { format!("{above}{from} \u{2013} {to}") }
        };
        ends.iter().enumerate().map(name).collect()
    }
}

/// F1 of the best row of each algorithm, by bins of about equally many pages.
#[derive(Clone, Debug, Serialize)]
pub struct Complexity {
    /// By what.
    pub by: By,
    /// The bins, in the order of their values.
    pub bins: Vec<Bin>,
    /// The best row of each algorithm that read no gold, the best first.
    pub rows: Vec<Line>,
}

/// Pages of like values.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bin {
    /// Its values as they are shown: the first one from its least, the others from above the end of the one before.
    pub name: String,
    /// How many pages it has.
    pub pages: usize,
}

/// A row's mean F1 in each bin.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// The row's place among those of its dataset.
    pub row: usize,
    /// How many pages of each bin it has: fewer than the bin where it was not run on all.
    #[serde(skip)]
    pub pages: Vec<u64>,
    /// Its F1, where it has a page of the bin.
    pub f1: Vec<Option<f64>>,
}

/// Parts the pages of a run by what they are like, and adds up F1 in each part: first all pages are added, in the order of
/// the run, then the scores on them. It holds 35 bytes for each page at most.
#[derive(Default)]
pub(super) struct Parting(BTreeMap<String, OfDataset>);

/// Of a row, by [`By`] and by bin: the sum of F1, and its pages.
type BinSums = [[(u128, u64); BINS]; By::ALL.len()];

/// The pages of a dataset.
#[derive(Default)]
struct OfDataset {
    /// The best row of each algorithm: its place, its algorithm and its parameters.
    best: Vec<(usize, String, String)>,
    /// A hash of the id of each page, in the order of the run.
    ids: Vec<u64>,
    /// The feature of each page, by [`By`]; not a number where that is not known.
    values: [Vec<f64>; By::ALL.len()],
    /// The bins once they are known, by [`By`].
    ends: [Vec<(f64, f64)>; By::ALL.len()],
    counts: [Vec<usize>; By::ALL.len()],
    /// The bin of each page, [`NO_BIN`] where it has none.
    bins: [Vec<u8>; By::ALL.len()],
    /// By row.
    sums: Vec<BinSums>,
    /// Where the next page with scores is looked for.
    next: usize,
}

/// The bin of a page of which something is not known.
const NO_BIN: u8 = u8::MAX;

fn hash_of(page: &str) -> u64 {
    FxBuildHasher.hash_one(page)
}

impl Parting {
    /// Of the rows of `summary`, and no page yet.
    pub(super) fn new(summary: &Summary) -> Self {
        let of_dataset = |dataset: &&str| {
            let rows: Vec<&SummaryRow> = summary.rows.iter().filter(|row| row.dataset == **dataset).collect();
            let named = |place: usize| (place, rows[place].algorithm.clone(), rows[place].label());
            let best: Vec<_> = best_of_each(&rows).into_iter().map(named).collect();
            let sums = vec![[[(0, 0); BINS]; By::ALL.len()]; best.len()];
            ((*dataset).to_owned(), OfDataset { best, sums, ..OfDataset::default() })
        };
        Parting(datasets(&summary.rows).iter().map(of_dataset).collect())
    }

    /// Adds a page.
    pub(super) fn add_page(&mut self, page: &PageLine) {
        let Some(dataset) = self.0.get_mut(&page.dataset) else { return };
        dataset.ids.push(hash_of(&page.page));
        for (values, by) in dataset.values.iter_mut().zip(By::ALL) {
            let value = page.gold.and_then(|_| by.of(page));
            values.push(value.unwrap_or(f64::NAN));
        }
    }

    /// All pages are there.
    pub(super) fn part(&mut self) {
        for OfDataset { values, ends: all_ends, counts, bins, .. } in self.0.values_mut() {
            for (by, values) in values.iter_mut().enumerate() {
                let values = std::mem::take(values);
                let ends = ends(values.iter().copied().filter(|value| !value.is_nan()).collect());
                counts[by] = vec![0; ends.len()];
                let bin = |value: f64| {
                    if value.is_nan() {
                        return NO_BIN;
                    }
                    let bin = ends.partition_point(|&(_, end)| end < value);
                    counts[by][bin] += 1;
                    bin as u8
                };
                bins[by] = values.into_iter().map(bin).collect();
                all_ends[by] = ends;
            }
        }
    }

    /// Adds what each row came to on a page.
    pub(super) fn add_scores(&mut self, dataset: &str, page: &str, rows: &[RowScore<'_>]) {
        let Some(dataset) = self.0.get_mut(dataset) else { return };
        let hash = hash_of(page);
        let Some(behind) = dataset.ids[dataset.next..].iter().position(|&id| id == hash) else { return };
        let place = dataset.next + behind;
        dataset.next = place + 1;
        for ((_, algorithm, parameters), sums) in dataset.best.iter().zip(&mut dataset.sums) {
            let own =
                rows.iter().find(|(own, setting, _)| (*own, *setting) == (algorithm.as_str(), parameters.as_str()));
            let Some((.., score)) = own else { continue };
            for (sums, bins) in sums.iter_mut().zip(&dataset.bins) {
                let Some(sum) = sums.get_mut(usize::from(bins[place])) else { continue };
                *sum = (sum.0 + u128::from(score.score[2]), sum.1 + 1);
            }
        }
    }

    /// The tables of each dataset; none where its pages are alike, or nothing is known of them.
    pub(super) fn finish(self) -> BTreeMap<String, Vec<Complexity>> {
        let of_dataset = |(name, dataset): (String, OfDataset)| {
            let tables = By::ALL.into_iter().enumerate().filter_map(|(place, by)| dataset.table(place, by));
            (name, tables.collect())
        };
        self.0.into_iter().map(of_dataset).collect()
    }
}

impl OfDataset {
    fn table(&self, place: usize, by: By) -> Option<Complexity> {
        let (ends, counts) = (&self.ends[place], &self.counts[place]);
        let line = |((row, ..), sums): (&(usize, String, String), &BinSums)| {
            let sums = &sums[place][..ends.len()];
            let mean = |&(sum, pages): &(u128, u64)| (pages > 0).then(|| sum as f64 / 1e12 / pages as f64);
            Line {
                row: *row,
                pages: sums.iter().map(|(_, pages)| *pages).collect(),
                f1: sums.iter().map(mean).collect(),
            }
        };
        let bins: Vec<Bin> = by.names(ends).into_iter().zip(counts).map(|(name, &pages)| Bin { name, pages }).collect();
        (bins.len() > 1).then(|| Complexity { by, bins, rows: self.best.iter().zip(&self.sums).map(line).collect() })
    }
}

/// The places of the best row of each algorithm that read no gold, the best first.
fn best_of_each(rows: &[&SummaryRow]) -> Vec<usize> {
    let mut families: Vec<Vec<&SummaryRow>> = Vec::new();
    for &row in rows.iter().filter(|row| row.is_ranked()) {
        match families.iter_mut().find(|known| known[0].algorithm == row.algorithm) {
            Some(known) => known.push(row),
            None => families.push(vec![row]),
        }
    }
    let mut found: Vec<&SummaryRow> = families.iter().map(|family| best(family)).collect();
    found.sort_by(|one, other| by_rank(one, other));
    let place = |best: &SummaryRow| rows.iter().position(|row| std::ptr::eq(*row, best));
    found.into_iter().filter_map(place).collect()
}

/// The ends of quantile bins, none of them empty; the first value of the first one is the least.
fn ends(mut values: Vec<f64>) -> Vec<(f64, f64)> {
    values.sort_by(f64::total_cmp);
    let count = BINS.min(values.len());
    let mut uppers: Vec<f64> = (1..=count).map(|bin| values[(bin * values.len()).div_ceil(count) - 1]).collect();
    uppers.dedup();
    let lowers: Vec<f64> = values.first().copied().into_iter().chain(uppers.iter().copied()).collect();
    lowers.into_iter().zip(uppers).collect()
}

/// The tables as `(name, content)`: CSV, Markdown and LaTeX; none where nothing is known.
pub fn files(
    summary: &Summary,
    tables: &BTreeMap<String, Vec<Complexity>>,
    language: Language,
) -> Vec<(String, String)> {
    let all: Vec<(&str, &Vec<Complexity>)> = datasets(&summary.rows)
        .into_iter()
        .filter_map(|dataset| Some((dataset, tables.get(dataset)?)))
        .filter(|(_, tables)| !tables.is_empty())
        .collect();
    if all.is_empty() {
        return Vec::new();
    }
    let mut lines: Vec<Vec<String>> = Vec::new();
    let title = LocalisedText::new(["{0} by what pages are like", "{0}（按页面特征）"], [code(&summary.name)]);
    let mut markdown = format!("# {}\n", title.in_language(language));
    let mut latex = Vec::new();
    for (dataset, tables) in &all {
        let rows: Vec<&SummaryRow> = summary.rows.iter().filter(|row| row.dataset == *dataset).collect();
        let conditions = conditions::told(summary, dataset).in_language(language).to_owned();
        markdown.push_str(&format!("\n## {}\n\n{}\n", code(dataset), code(&conditions)));
        for table in *tables {
            let named = |line: &Line| [rows[line.row].algorithm.clone(), rows[line.row].label()];
            let bins = table.bins.iter().map(|bin| format!("{} ({})", bin.name, bin.pages));
            let header: Vec<String> = language.say_all(["algorithm", "setting"]).into_iter().chain(bins).collect();
            let cells = |line: &Line, written: fn(f64) -> String| -> Vec<String> {
                named(line).into_iter().chain(line.f1.iter().map(|f1| f1.map(written).unwrap_or_default())).collect()
            };
            let shown: Vec<Vec<String>> = table.rows.iter().map(|line| cells(line, four)).collect();
            let in_markdown = md::table(&header, &[0, 1], 2, shown.iter().cloned());
            let by = LocalisedText::said(table.by.name());
            markdown.push_str(&format!("\n### {}\n\n{in_markdown}", by.in_language(language)));
            let notes = [language.of(NOTE).to_owned(), conditions.clone()];
            let label = format!("{dataset}-{}", table.by.name());
            let words = ["{0}: F1 by {1}", "{0}：按{1}的 F1"];
            let caption = LocalisedText::new(words, [(*dataset).into(), by]);
            latex.push(latex_table((&label, caption.in_language(language)), &header, 2, &shown, &notes));
            for line in &table.rows {
                for ((bin, pages), f1) in table.bins.iter().zip(&line.pages).zip(&line.f1) {
                    let [algorithm, setting] = named(line);
                    let place = [(*dataset).to_owned(), table.by.name().to_owned(), bin.name.clone()];
                    let figures = [pages.to_string(), f1.map(six).unwrap_or_default()];
                    lines.push(place.into_iter().chain([algorithm, setting]).chain(figures).collect());
                }
            }
        }
    }
    markdown.push_str(&format!("\n{}\n", language.of(NOTE)));
    let header = ["dataset", "by", "bin", "algorithm", "setting", "pages", "f1"];
    let csv = csv_text(&header, lines.into_iter());
    [("csv", csv), ("md", markdown), ("tex", latex.join("\n"))]
        .map(|(kind, text)| (format!("by_complexity.{kind}"), text))
        .into()
}

/// What the figures are.
const NOTE: [&str; 2] = [
    "Mean F1 of the best row of each algorithm over the pages of each bin; bins have about equally many pages, \
     their number in brackets; a row that was not run on all of them has the mean over the others.",
    "每个算法最佳行在各区间页面上的平均 F1；各区间页面数大致相等，括号内为页面数；未在全部页面上运行的行取其余页面的平均。",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{row, summary, swept_row};
    use crate::runs::reads_gold::ReadsGold;
    use crate::runs::scores::{PageScore, Scores};

    fn page(id: usize, gold: usize, depth: usize) -> PageLine {
        PageLine {
            dataset: "d".to_owned(),
            page: format!("p{id}"),
            status: "ok".to_owned(),
            encoding: "utf-8".to_owned(),
            replaced: None,
            nodes: None,
            depth: Some(depth),
            text: Some(100),
            link: None,
            gold: Some(gold),
        }
    }

    #[test]
    fn pages_are_parted_into_bins_of_about_equal_number_and_equal_values_stay_together() {
        assert_eq!(ends(vec![3.0, 1.0, 2.0]), [(1.0, 1.0), (1.0, 2.0), (2.0, 3.0)]);
        assert_eq!(ends(vec![1.0; 9]), [(1.0, 1.0)]);
        let ten = ends((1..=10).map(f64::from).collect());
        assert_eq!(ten, [(1.0, 2.0), (2.0, 4.0), (4.0, 6.0), (6.0, 8.0), (8.0, 10.0)]);
        assert!(ends(Vec::new()).is_empty());
    }

    #[test]
    fn bins_have_names_of_their_own() {
        assert_eq!(
            By::LinkShare.names(&[(0.0, 0.001), (0.001, 0.004)]),
            ["0.000 \u{2013} 0.001", "> 0.001 \u{2013} 0.004"]
        );
        assert_eq!(By::Depth.names(&[(3.0, 7.0), (7.0, 8.0)]), ["3 \u{2013} 7", "> 7 \u{2013} 8"]);
    }

    #[test]
    fn of_equal_rows_the_one_nearest_to_the_default_stands_for_the_algorithm() {
        let alpha = |value: &str| swept_row("d", "cevc", &[("alpha", value, "0.50")], &["alpha"], 0.9);
        let rows = [alpha("0.00"), row("d", "nta", 0.8), alpha("0.45"), alpha("0.50"), alpha("1.00")];
        assert_eq!(best_of_each(&rows.iter().collect::<Vec<_>>()), [3, 1]);
    }

    #[test]
    fn the_best_row_of_each_algorithm_has_its_mean_in_each_bin() {
        let mut rows =
            vec![row("d", "nta", 0.6), row("d", "nta", 0.5), row("d", "cevc", 0.7), row("d", "oracle-nodes", 1.0)];
        rows.push(row("d", "fiasco", 0.9));
        rows[4].reads_gold = Some(ReadsGold::OtherPages);
        let summary = summary(rows);
        let pages: Vec<PageLine> = (0..10).map(|id| page(id, 10 * id, 7)).collect();
        let scores = |matched: fn(usize) -> u64| {
            (0..10)
                .map(move |id| (format!("p{id}"), PageScore::new("s".to_owned(), [matched(id), 100, 100], false)))
                .collect()
        };
        let known: Scores = [
            (summary.rows[2].key(), scores(|id| if id < 2 { 20 } else { 80 })),
            (summary.rows[0].key(), scores(|_| 60)),
        ]
        .into();
        let mut parting = Parting::new(&summary);
        pages.iter().for_each(|page| parting.add_page(page));
        parting.part();
        for page in pages.iter().map(|page| &page.page) {
            let rows = known.iter().map(|((_, algorithm, parameters), row)| (&**algorithm, &**parameters, &row[page]));
            parting.add_scores("d", page, &rows.collect::<Vec<_>>());
        }
        let tables = parting.finish();
        // Links are not known, and all trees are equally deep.
        let [table] = &tables["d"][..] else { panic!("{tables:?}") };
        assert_eq!((table.by, table.bins.len()), (By::ContentShare, 5));
        assert_eq!(table.bins[1], Bin { name: "> 0.10 \u{2013} 0.30".to_owned(), pages: 2 });
        assert_eq!(table.rows.iter().map(|line| line.row).collect::<Vec<_>>(), [2, 0]);
        let figures: Vec<f64> = table.rows[0].f1.iter().map(|f1| f1.unwrap()).collect();
        assert_eq!(figures, [0.2, 0.8, 0.8, 0.8, 0.8]);
        let files = files(&summary, &tables, Language::English);
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["by_complexity.csv", "by_complexity.md", "by_complexity.tex"]);
        assert_eq!(
            files[0].1.lines().nth(1),
            Some("d,content in the visible text,0.00 \u{2013} 0.10,cevc,,2,0.200000")
        );
        assert!(files[1].1.contains("| `cevc` |  | 0.2000 | 0.8000 |"), "{}", files[1].1);
    }
}
