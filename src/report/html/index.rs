//! What `index.html` shows, as data.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use super::figure::Pointed;
use super::{file_name, why_unranked};
use crate::report::agreement::kept;
use crate::report::complexity::Complexity;
use crate::report::drawing::Drawn;
use crate::report::language::Language;
use crate::report::localised_text::LocalisedText;
use crate::report::run_files::RunFiles;
use crate::report::stats::{MACRO_F1, Stats};
use crate::report::table_format::ONE;
use crate::report::terminal_rows::rows_in_terminal;
use crate::report::{agreement, conditions, families, groups, sites};
use crate::runs::agreement::{DatasetAgreement, DisputedPage, GroupAgreement};
use crate::runs::compared_pages::PageLine as ComparedLine;
use crate::runs::doors::name_of_other;
use crate::runs::kinds::title;
use crate::runs::pages::{CountsOnPage, PageLines};
use crate::runs::results::Failure;
use crate::runs::run_folder::RunInfo;
use crate::runs::summary::{Savings, Summary, SummaryRow};
use crate::statistics::Interval;

/// The parameter that ensembles have, whatever their names.
const MEMBERS: &str = "members";

/// In the table of pages, a row that was not run.
const NOT_RUN: u64 = 0;

/// In the table of pages, a row that scored 0, 0, 0.
const ZERO: u64 = 1;

/// In the table of pages, a row that came to what the row before it came to: settings of a sweep mostly do.
const AS_BEFORE: u64 = 2;

/// In the table of pages, a row that matched nothing and scored all the same; with one that is matched it is one more.
const MATCHED: u64 = 3;

/// All that `index.html` shows.
pub(super) struct Index<'i> {
    summary: &'i Summary,
    info: &'i RunInfo,
    datasets: Vec<Dataset>,
    figures: Vec<Pointed>,
    corpus: Vec<Corpus<'i>>,
    disputed: Vec<Disputed<'i>>,
    /// Pages that have no file.
    left_out: usize,
    /// Failures that are not listed.
    failures_left_out: usize,
}

/// The same as its scripts read it.
#[derive(Serialize)]
pub(super) struct Data<'i> {
    carat: &'i str,
    result_digest: &'i str,
    datasets: &'i [Dataset],
    figures: &'i [Pointed],
    corpus: &'i [Corpus<'i>],
    disputed: &'i [Disputed<'i>],
    failures: &'i [Failure],
    left_out: usize,
    #[serde(skip_serializing_if = "is_none")]
    failures_left_out: usize,
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

/// The text that systems keep of a dataset's pages without gold, and the groups of pages that they dispute most.
#[derive(Serialize)]
struct Corpus<'i> {
    dataset: &'i str,
    header: Vec<String>,
    /// A line a system, its name first.
    lines: Vec<Vec<String>>,
    note: String,
    groups: Vec<Groups<'i>>,
}

/// The groups of pages by one key.
#[derive(Serialize)]
struct Groups<'i> {
    key: String,
    /// Their number.
    of: usize,
    /// The most disputed ones, the most disputed first.
    rows: Vec<GroupRow<'i>>,
    /// Which sites they are chosen among, where not all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    listed: Option<String>,
}

#[derive(Serialize)]
struct GroupRow<'i> {
    name: &'i str,
    pages: usize,
    /// The mean of F1 of every two systems.
    f1: f64,
    /// The two systems that agree least.
    least: [&'i str; 2],
    least_f1: f64,
}

/// More groups by one key are in the tables only.
const MOST_GROUPS: usize = 1_000;

/// The pages that systems dispute most on a dataset without gold.
#[derive(Serialize)]
struct Disputed<'i> {
    dataset: &'i str,
    /// Of how many pages they are.
    of: usize,
    conditions: String,
    /// Each system's name, and what it is.
    systems: Vec<[&'i str; 2]>,
    /// The pages on which some system extracted nothing, in words.
    silent: String,
    pages: Vec<DisputedRow<'i>>,
}

#[derive(Serialize)]
struct DisputedRow<'i> {
    id: &'i str,
    /// Its file in `pages/`, if it has one.
    file: Option<String>,
    site: &'i str,
    language: &'i str,
    kind: &'i str,
    /// How many pairs of systems the mean is of.
    pairs: usize,
    /// The mean over the systems that extracted something.
    texts_f1: Option<f64>,
    /// The number of systems that did not.
    silent: usize,
    f1: f64,
    /// The two systems that agree least.
    least: [&'i str; 2],
    least_f1: f64,
}

#[derive(Serialize)]
struct Dataset {
    name: String,
    conditions: String,
    /// What must be known of intervals and letters, a sentence each.
    notes: Vec<String>,
    rows: Vec<Row>,
    pages: Vec<Page>,
    complexity: Vec<Complexity>,
    /// What rows hold of each role, where pages have roles.
    roles: Vec<RoleLine>,
    /// The amount of text that rows leave of their pages, where that is known.
    savings: Vec<SavingsLine>,
    /// Base64 of what each row came to on each page, page by page, as [`packed`] writes it: scores of counts are exact.
    scores: String,
}

#[derive(Serialize)]
struct Row {
    algorithm: String,
    setting: String,
    /// Whether it is of those that a table of a terminal shows: ends, default and best of what is swept.
    main: bool,
    /// True for the best row of a sweep; of equal rows it is the one that tables and figures call the best.
    is_best: bool,
    floor: bool,
    /// The kind of a row that is not ranked: a bound, one learned elsewhere, or a text that carat rendered beside Markdown.
    bound: Option<&'static str>,
    /// What it is beside others.
    role: Role,
    /// The sentence that says what it does, of a floor or a bound.
    about: Option<String>,
    pages: usize,
    failed: usize,
    timed_out: usize,
    not_run: usize,
    without: usize,
    unfit: usize,
    empty: usize,
    degraded: usize,
    precision: f64,
    recall: f64,
    f1: f64,
    interval: Option<[f64; 2]>,
    site_f1: f64,
    micro_f1: f64,
    letters: String,
    system: String,
}

/// What a row holds of a role.
#[derive(Serialize)]
struct RoleLine {
    /// The row's place among those of its dataset.
    row: usize,
    /// Absent for text of no role.
    role: Option<String>,
    /// `yes`, `partly` or `no`.
    in_gold: &'static str,
    characters: u64,
    extracted: u64,
    recall: Option<f64>,
    extracted_share: Option<f64>,
    false_positive_share: Option<f64>,
}

impl RoleLine {
    fn of(place: usize, row: &SummaryRow) -> impl Iterator<Item = Self> + '_ {
        row.roles.iter().map(move |figures| RoleLine {
            row: place,
            role: figures.role.clone(),
            in_gold: figures.in_gold().name(),
            characters: figures.characters,
            extracted: figures.extracted,
            recall: figures.recall.map(rounded),
            extracted_share: figures.extracted_share.map(rounded),
            false_positive_share: figures.false_positive_share.map(rounded),
        })
    }
}

/// The amount of text that a row leaves of its pages.
#[derive(Serialize)]
struct SavingsLine {
    /// The row's place among those of its dataset.
    row: usize,
    #[serde(flatten)]
    characters: Savings,
    kept_of_html: Option<f64>,
    kept_of_text: Option<f64>,
}

impl SavingsLine {
    fn of((row, figures): (usize, &&SummaryRow)) -> Option<Self> {
        let characters = figures.savings?;
        let [kept_of_html, kept_of_text] =
            [characters.kept_of_html(), characters.kept_of_text()].map(|share| share.map(rounded));
        Some(SavingsLine { row, characters, kept_of_html, kept_of_text })
    }
}

/// What a row is beside others.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Role {
    /// An algorithm under test.
    Algorithm,
    /// A floor, which every algorithm should beat.
    Floor,
    /// A combination of other rows.
    Ensemble,
    /// A stored output, or a program that was asked.
    Program,
    /// Made with the gold of other pages.
    Learned,
    /// Made with the gold.
    Bound,
}

impl Role {
    fn of(row: &SummaryRow) -> Self {
        match row.algorithm.as_str() {
            _ if row.is_bound() => Role::Bound,
            _ if row.reads_gold.is_some() => Role::Learned,
            _ if row.floor => Role::Floor,
            _ if row.parameters.contains_key(MEMBERS) => Role::Ensemble,
            name if name_of_other(name).is_some() => Role::Program,
            _ => Role::Algorithm,
        }
    }
}

/// A page that has gold.
#[derive(Serialize)]
struct Page {
    id: String,
    file: String,
    site: String,
    language: String,
    kind: String,
}

impl<'i> Index<'i> {
    /// Of `run` in `language`; of its pages those that are `shown` have a file.
    pub(super) fn of(
        run: &'i RunFiles<'_>,
        drawn: &[Drawn],
        (shown, compared): (&[PageLines<'_>], &[&ComparedLine]),
        language: Language,
    ) -> Self {
        let (summary, info) = (&run.summary, &run.info);
        let stats = Stats::of(run, &[MACRO_F1], false);
        let dataset = |name: &&str| Dataset {
            complexity: run.complexity.get(*name).cloned().unwrap_or_default(),
            ..Dataset::of(name, summary, &stats, shown, language)
        };
        let datasets = families::datasets(&summary.rows).iter().map(dataset).collect();
        let figures = drawn.iter().map(|drawn| Pointed::of(drawn, language));
        let left_out = run.scored_pages - shown.len();
        let has_file: BTreeSet<(&str, &str)> =
            compared.iter().map(|line| (line.dataset.as_str(), line.page.as_str())).collect();
        let disputed = agreement::compared(summary)
            .map(|agreement| Disputed::of(summary, agreement, &has_file, language))
            .collect();
        let failures_left_out = info.failure_count() - info.failures.len();
        let corpus = kept::known(summary).map(|agreement| Corpus::of(summary, agreement, language)).collect();
        Index { datasets, figures: figures.collect(), corpus, disputed, left_out, failures_left_out, summary, info }
    }

    pub(super) fn title(&self) -> String {
        let name = &self.summary.name;
        let datasets: Vec<&str> = self.datasets.iter().map(|dataset| dataset.name.as_str()).collect();
        match &datasets[..] {
            [] => name.clone(),
            [one] if one == name => name.clone(),
            [one] => format!("{name}: {one}"),
            several => {
                format!("{name}: {}", LocalisedText::list(&several.iter().map(|&name| name.into()).collect::<Vec<_>>()))
            }
        }
    }

    pub(super) fn data(&self) -> Data<'_> {
        Data {
            carat: &self.info.carat,
            result_digest: &self.info.result_digest,
            datasets: &self.datasets,
            figures: &self.figures,
            corpus: &self.corpus,
            disputed: &self.disputed,
            failures: &self.info.failures,
            left_out: self.left_out,
            failures_left_out: self.failures_left_out,
        }
    }
}

impl<'i> Corpus<'i> {
    fn of(summary: &Summary, agreement: &'i DatasetAgreement, language: Language) -> Self {
        let (header, note) = kept::header(summary, language);
        let groups = groups::KEYS.into_iter().filter_map(|key| {
            let groups = agreement.groups.get(key)?;
            let mut rows: Vec<GroupRow<'i>> =
                groups.iter().filter_map(|(name, group)| GroupRow::of(agreement, name, group)).collect();
            rows.sort_by(|one, other| one.f1.total_cmp(&other.f1));
            let of = rows.len();
            rows.truncate(MOST_GROUPS);
            let listed = sites::some_of(agreement.all_sites).filter(|_| key == groups::SITE);
            let listed = listed.map(|some| some.in_language(language).to_owned());
            (of > 0).then(|| Groups { key: language.say(key).into_owned(), of, rows, listed })
        });
        Corpus {
            dataset: &agreement.dataset,
            header,
            lines: kept::kept_lines(agreement),
            note,
            groups: groups.collect(),
        }
    }
}

impl<'i> GroupRow<'i> {
    /// `None` where no two systems have a text of the same page.
    fn of(agreement: &'i DatasetAgreement, name: &'i str, group: &GroupAgreement) -> Option<Self> {
        let pairs = agreement::pairs(agreement).zip(&group.pairs);
        let known: Vec<(f64, [usize; 2])> = pairs.filter_map(|(places, pair)| Some((pair.f1?, places))).collect();
        let &(least_f1, least) = known.iter().min_by(|one, other| one.0.total_cmp(&other.0))?;
        let f1 = known.iter().map(|(f1, _)| f1).sum::<f64>() / known.len() as f64;
        let least = least.map(|place| agreement.systems[place].label.as_str());
        Some(GroupRow { name, pages: group.pages, f1: rounded(f1), least, least_f1: rounded(least_f1) })
    }
}

impl<'i> Disputed<'i> {
    fn of(
        summary: &Summary,
        agreement: &'i DatasetAgreement,
        has_file: &BTreeSet<(&str, &str)>,
        language: Language,
    ) -> Self {
        let row = |page: &'i DisputedPage| {
            let [site, language, kind] = page.tags.each_ref().map(String::as_str);
            DisputedRow {
                id: &page.page,
                file: has_file
                    .contains(&(agreement.dataset.as_str(), page.page.as_str()))
                    .then(|| file_name(&agreement.dataset, &page.page)),
                site,
                language,
                kind,
                pairs: page.pairs,
                texts_f1: page.texts_f1.map(rounded),
                silent: page.silent,
                f1: rounded(page.f1),
                least: page.least.map(|number| agreement.systems[number].label.as_str()),
                least_f1: rounded(page.least_f1),
            }
        };
        let pages = agreement.disputed.iter().map(row).collect();
        let conditions = conditions::told_without_gold(summary, &agreement.dataset);
        let silences = agreement::silences(agreement);
        let silent = (!silences.is_empty()).then(|| LocalisedText::sentence(&[LocalisedText::clauses(&silences)]));
        Disputed {
            dataset: &agreement.dataset,
            of: agreement.pages,
            conditions: conditions.in_language(language).to_owned(),
            systems: agreement.systems.iter().map(|system| [system.label.as_str(), &system.system]).collect(),
            silent: silent.map_or_else(String::new, |silent| silent.in_language(language).to_owned()),
            pages,
        }
    }
}

impl Dataset {
    fn of(name: &str, summary: &Summary, stats: &Stats<'_>, pages: &[PageLines<'_>], language: Language) -> Self {
        let own: Vec<&SummaryRow> = summary.rows.iter().filter(|row| row.dataset == name).collect();
        let main = rows_in_terminal(summary, name);
        let families = families::families(&summary.rows, name);
        let best: Vec<&SummaryRow> = families.iter().map(|family| families::best(&family.rows)).collect();
        let rows = own.iter().map(|row| {
            let [is_main, is_best] = [&main, &best].map(|known| known.iter().any(|known| known.key() == row.key()));
            Row { is_best, ..Row::of(row, is_main, stats, language) }
        });
        let places: BTreeMap<(&str, String), usize> =
            own.iter().enumerate().map(|(place, row)| ((row.algorithm.as_str(), row.label()), place)).collect();
        let own_pages: Vec<&PageLines<'_>> = pages.iter().filter(|page| page.dataset() == name).collect();
        let scores: Vec<u8> = own_pages.iter().flat_map(|page| packed(page, &places)).collect();
        let notes = stats.notes_of(name).into_iter().map(|note| note.in_language(language).to_owned());
        Dataset {
            name: name.to_owned(),
            conditions: conditions::told(summary, name).in_language(language).to_owned(),
            notes: conditions::gold_note(summary, name).into_iter().chain(notes).collect(),
            rows: rows.collect(),
            pages: own_pages.iter().map(|page| Page::of(page)).collect(),
            complexity: Vec::new(),
            roles: own.iter().enumerate().flat_map(|(place, row)| RoleLine::of(place, row)).collect(),
            savings: own.iter().enumerate().filter_map(SavingsLine::of).collect(),
            scores: STANDARD.encode(scores),
        }
    }
}

impl Row {
    fn of(row: &SummaryRow, main: bool, stats: &Stats<'_>, language: Language) -> Self {
        let (interval, letters) = stats.of_row(&row.key());
        let aggregates = &row.aggregates;
        Row {
            algorithm: row.algorithm.clone(),
            setting: row.label(),
            main,
            is_best: false,
            floor: row.floor,
            bound: why_unranked(row),
            role: Role::of(row),
            about: title(&row.algorithm)
                .filter(|_| row.floor || row.is_bound())
                .map(|title| language.say(title).into_owned()),
            pages: row.pages,
            failed: row.failed,
            timed_out: row.timed_out,
            not_run: row.not_run,
            without: row.without,
            unfit: row.unfit,
            empty: row.empty,
            degraded: row.degraded,
            precision: rounded(aggregates.macro_.precision),
            recall: rounded(aggregates.macro_.recall),
            f1: rounded(aggregates.macro_.f1),
            interval: interval.map(|Interval { low, high }| [rounded(low), rounded(high)]),
            site_f1: rounded(aggregates.site_macro.f1),
            micro_f1: rounded(aggregates.micro.f1),
            letters: letters.to_owned(),
            system: match row.aligned {
                0 => row.system.clone(),
                pages => {
                    let words = [
                        "{0} | texts put on text nodes by an alignment (rule half) on {1} pages",
                        "{0} | 在 {1} 个页面上经对齐（rule half）将文本归于文本节点",
                    ];
                    let system = LocalisedText::new(words, [row.system.clone(), pages.to_string()]);
                    system.in_language(language).to_owned()
                }
            },
        }
    }
}

impl Page {
    fn of(page: &PageLines<'_>) -> Self {
        let [site, language, kind] = page.tags().map(str::to_owned);
        Page { id: page.id().to_owned(), file: file_name(page.dataset(), page.id()), site, language, kind }
    }
}

/// What a page's rows came to, in the order of the summary's: a number that tells whether the row was run and what it
/// matched, and where something was, or both texts are empty, what it extracted and what the gold has.
fn packed(page: &PageLines<'_>, places: &BTreeMap<(&str, String), usize>) -> Vec<u8> {
    let mut counted = vec![CountsOnPage::NotRun; places.len()];
    for (algorithm, parameters, counts) in page.counts() {
        if let Some(&place) = places.get(&(algorithm, parameters.to_owned())) {
            counted[place] = counts;
        }
    }
    let mut bytes = Vec::new();
    pack(&counted, &mut bytes);
    bytes
}

/// Adds what the rows of a page came to, one after the other.
fn pack(counted: &[CountsOnPage], bytes: &mut Vec<u8>) {
    let mut before = None;
    for cell in counted {
        match *cell {
            CountsOnPage::Scored { .. } if before == Some(cell) => push(AS_BEFORE, bytes),
            CountsOnPage::NotRun => push(NOT_RUN, bytes),
            CountsOnPage::Zero => push(ZERO, bytes),
            CountsOnPage::Scored { matched, extracted, gold } => {
                [MATCHED + matched, extracted, gold].into_iter().for_each(|number| push(number, bytes));
            }
        }
        before = Some(cell);
    }
}

/// Adds a number: seven bits a byte, the low ones first, and a high bit where more follow. Most counts take two bytes.
fn push(mut number: u64, bytes: &mut Vec<u8>) {
    const MORE: u64 = 0x80;
    while number >= MORE {
        bytes.push((number % MORE + MORE) as u8);
        number /= MORE;
    }
    bytes.push(number as u8);
}

/// To the digits that scripts round once more; an index of many rows is small only without the rest.
pub(super) fn rounded(figure: f64) -> f64 {
    (figure * ONE).round() / ONE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_seven_bits_a_byte() {
        let mut bytes = Vec::new();
        [0, 127, 128, 300].into_iter().for_each(|number| push(number, &mut bytes));
        assert_eq!(bytes, [0, 127, 0x80, 1, 0xac, 2]);
    }

    #[test]
    fn what_the_row_before_came_to_takes_one_byte() {
        let scored = |matched| CountsOnPage::Scored { matched, extracted: 200, gold: 20 };
        let cells = [scored(10), scored(10), scored(10), CountsOnPage::Zero, CountsOnPage::Zero, scored(10), scored(9)];
        let mut bytes = Vec::new();
        pack(&cells, &mut bytes);
        assert_eq!(bytes, [13, 0xc8, 1, 20, 2, 2, 1, 1, 13, 0xc8, 1, 20, 12, 0xc8, 1, 20]);
    }
}
