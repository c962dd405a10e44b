//! The pages of a run, read back: what each row scored on them, and the texts behind the scores.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use serde::Deserialize;

use super::folder_error::FolderError;
use super::results::{TOO_SHORT, is_scored};
use super::run_folder::RunFolder;
use super::score_table::{self, ReadRow, ScoreFiles};
use super::scores::{PageScore, PageText, RowKey, RowScores, RowTexts, Scores};
use super::summary::SummaryRow;
use super::units::StoredLater;
use crate::datasets::Digests;
use crate::datasets::page_id::find_page;
use crate::scoring::{Counts, ONE, Score};
use crate::text::marks::Marks;

/// A page of a run.
#[derive(Clone, Debug)]
pub struct RunPage {
    /// The dataset's name.
    pub dataset: String,
    /// Its id.
    pub id: String,
    /// Its site, language and kind; empty where they are not known.
    pub tags: [String; 3],
    /// The gold text; `None` where the run stored no texts.
    pub gold: Option<String>,
    /// What each row came to on it, in the order of the run.
    pub rows: Vec<RowOnPage>,
}

/// What a row came to on a page.
#[derive(Clone, Debug)]
pub struct RowOnPage {
    /// The algorithm's name.
    pub algorithm: String,
    /// What tells the row from others of its algorithm, as on the command line.
    pub parameters: String,
    /// `ok`, `degraded`, `failed`, `timed_out` or `not_run`.
    pub status: String,
    /// What was counted, and the score; `None` where the row was not run.
    pub score: Option<(Counts, Score)>,
    /// The extraction; `None` where there is none, or the run stored no texts.
    pub text: Option<String>,
}

/// What was counted of a row on a page: enough to compute its score exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountsOnPage {
    /// It was not run.
    NotRun,
    /// It scored 0, 0, 0: it failed, or nothing matched.
    Zero,
    /// Its score is that of these counts.
    Scored {
        /// Units of the extraction that are in the gold.
        matched: u64,
        /// Units of the extraction.
        extracted: u64,
        /// Units of the gold.
        gold: u64,
    },
}

impl CountsOnPage {
    fn of(score: Option<(Counts, Score)>) -> Self {
        match score {
            None => CountsOnPage::NotRun,
            Some((_, Score::ZERO)) => CountsOnPage::Zero,
            Some((Counts { matched, extracted, gold }, _)) => CountsOnPage::Scored { matched, extracted, gold },
        }
    }
}

/// Why a page cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// The folder.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The request.
    #[error("{0}")]
    Request(String),
}

/// What each row came to on each page of a run, without the texts.
pub struct RunPages {
    units: StoredLater,
    pages: Vec<Page>,
    /// The algorithm and the parameters of each row.
    rows: Names<(String, String)>,
    statuses: Names<String>,
}

/// Reads `scores.csv`. Scores are those of the counts, so they are exact.
///
/// # Errors
/// [`FolderError`]: the file is missing, or not as the run left it.
pub fn read_scores(run: &RunFolder) -> Result<Scores, FolderError> {
    Ok(RunPages::read(run)?.scores())
}

/// A page of [`RunPages`] with what its rows came to, at least one.
#[derive(Clone, Copy)]
pub struct PageLines<'p> {
    run: &'p RunPages,
    page: &'p Page,
}

struct Page {
    dataset: String,
    id: String,
    /// Its site, language and kind.
    tags: [String; 3],
    cells: Vec<Cell>,
}

/// What a row came to on a page: there are as many as lines of `scores.csv`, so their names are told by numbers.
struct Cell {
    row: u32,
    status: u32,
    counts: Option<Counts>,
    /// The digest of its extraction.
    text: Box<str>,
    marks: Marks,
}

/// Names by number, in the order in which they came up.
struct Names<N> {
    names: Vec<N>,
    numbers: HashMap<N, u32>,
}

impl<N: Clone + Eq + Hash> Names<N> {
    fn new() -> Self {
        Names { names: Vec::new(), numbers: HashMap::new() }
    }

    fn number(&mut self, name: N) -> u32 {
        *self.numbers.entry(name).or_insert_with_key(|name| {
            self.names.push(name.clone());
            self.names.len() as u32 - 1
        })
    }

    fn name(&self, number: u32) -> &N {
        &self.names[number as usize]
    }
}

/// A line of `scores.csv`.
#[derive(Deserialize)]
#[serde(try_from = "LineAsRead")]
struct Line {
    dataset: String,
    page: String,
    site: String,
    language: String,
    kind: String,
    algorithm: String,
    parameters: String,
    status: String,
    counts: Option<Counts>,
    text: String,
    marks: Marks,
}

/// The same before its counts are checked.
#[derive(Deserialize)]
struct LineAsRead {
    dataset: String,
    page: String,
    site: String,
    language: String,
    kind: String,
    algorithm: String,
    parameters: String,
    status: String,
    matched: Option<u64>,
    extracted: Option<u64>,
    gold: Option<u64>,
    text: String,
    gaps: Option<u64>,
    unseen: Option<u64>,
    markup: Option<u64>,
}

impl TryFrom<LineAsRead> for Line {
    type Error = String;

    fn try_from(line: LineAsRead) -> Result<Self, String> {
        let LineAsRead { dataset, page, site, language, kind, algorithm, parameters, status, text, .. } = line;
        let counts = match (line.matched, line.extracted, line.gold) {
            (None, None, None) => None,
            (Some(matched), Some(extracted), Some(gold)) => Some(
                Counts::new(matched, extracted, gold)
                    .ok_or_else(|| format!("no measure counts {matched} matched of {extracted} and {gold}"))?,
            ),
            _ => return Err("some of matched, extracted and gold are missing".to_owned()),
        };
        let [gaps, unseen, markup] = [line.gaps, line.unseen, line.markup].map(Option::unwrap_or_default);
        let marks = Marks { gaps, unseen, markup };
        Ok(Line { dataset, page, site, language, kind, algorithm, parameters, status, counts, text, marks })
    }
}

impl From<ReadRow> for Line {
    fn from(row: ReadRow) -> Self {
        let ReadRow {
            words: [dataset, page, site, language, kind, algorithm, parameters, status],
            counts,
            text,
            marks,
        } = row;
        Line { dataset, page, site, language, kind, algorithm, parameters, status, counts, text, marks }
    }
}

impl RunPages {
    /// Reads the scores of a run: `scores.csv`, or `scores.parquet` where that stands alone.
    ///
    /// # Errors
    /// [`FolderError`]: the file is missing, or not as the run left it.
    pub fn read(run: &RunFolder) -> Result<Self, FolderError> {
        Self::read_some(run, |_| true)
    }

    /// The same of the pages that are to be kept: `is_kept` sees each page once, in the order of the run.
    ///
    /// # Errors
    /// As [`RunPages::read`]; what `is_kept` saw may then be of no use.
    pub(crate) fn read_some(
        run: &RunFolder,
        mut is_kept: impl FnMut(PageLines<'_>) -> bool,
    ) -> Result<Self, FolderError> {
        let units = StoredLater::new(run.path());
        let mut pages = RunPages { units, pages: Vec::new(), rows: Names::new(), statuses: Names::new() };
        let mut last: Option<Page> = None;
        let mut end = |pages: &mut RunPages, page: Option<Page>| {
            let kept = page.filter(|page| is_kept(PageLines { run: pages, page }));
            pages.pages.extend(kept);
        };
        let mut add = |line: Line| {
            if let Some(page) = pages.add(line, &mut last) {
                end(&mut pages, Some(page));
            }
        };
        if ScoreFiles::of(|name| run.info().files.contains_key(name)) == (ScoreFiles { csv: false, parquet: true }) {
            run.refuse_changed(score_table::NAME)?;
            score_table::for_each(&run.path().join(score_table::NAME), |row| add(row.into()))?;
        } else {
            run.for_each_record("scores.csv", add)?;
        }
        end(&mut pages, last);
        Ok(pages)
    }

    /// Adds a line to the page that is read; those of a page come together. Gives the page before, if the line is of another.
    fn add(&mut self, line: Line, last: &mut Option<Page>) -> Option<Page> {
        let Line { dataset, page, site, language, kind, algorithm, parameters, status, counts, text, marks } = line;
        let cell = Cell {
            row: self.rows.number((algorithm, parameters)),
            status: self.statuses.number(status),
            counts,
            text: text.into(),
            marks,
        };
        match last.as_mut().filter(|last| (&last.dataset, &last.id) == (&dataset, &page)) {
            Some(last) => {
                last.cells.push(cell);
                None
            }
            None => last.replace(Page { dataset, id: page, tags: [site, language, kind], cells: vec![cell] }),
        }
    }

    /// The pages that have gold, in the order of the run.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = PageLines<'_>> {
        self.pages.iter().map(|page| PageLines { run: self, page })
    }

    /// The scores of each row; those of a page without a site are of a site that is called by its id.
    pub fn scores(&self) -> Scores {
        let mut rows: BTreeMap<(&str, u32), RowScores> = BTreeMap::new();
        for page in &self.pages {
            for cell in &page.cells {
                let row = rows.entry((&page.dataset, cell.row)).or_default();
                row.extend(PageLines { run: self, page }.page_score(cell).map(|score| (page.id.clone(), score)));
            }
        }
        let named = |((dataset, row), scores): ((&str, u32), RowScores)| {
            let (algorithm, parameters) = self.rows.name(row).clone();
            ((dataset.to_owned(), algorithm, parameters), scores)
        };
        rows.into_iter().map(named).collect()
    }

    /// The text of each row on each page; pages without one are left out.
    pub fn texts(&self) -> BTreeMap<RowKey, RowTexts> {
        let mut rows: BTreeMap<RowKey, RowTexts> = BTreeMap::new();
        for Page { dataset, id, cells, .. } in &self.pages {
            for cell in cells.iter().filter(|cell| !cell.text.is_empty()) {
                let (algorithm, parameters) = self.rows.name(cell.row).clone();
                let text = PageText { digest: cell.text.clone(), marks: cell.marks };
                rows.entry((dataset.clone(), algorithm, parameters)).or_default().insert(id.clone(), text);
            }
        }
        rows
    }

    /// Enough of the id `page` to find it by [`RunPages::find`]: of a digest the first characters that no other id has. Other
    /// ids are told whole, because the end of a name is often what tells it from others.
    pub fn beginning<'i>(&self, page: &'i str) -> &'i str {
        /// No beginning is shorter.
        const SHORT: usize = 16;
        /// The hexadecimal digits of MD5, the shortest digest by which datasets name pages.
        const DIGEST: usize = 32;
        if page.len() < DIGEST || !page.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return page;
        }
        let is_only =
            |end: &usize| !self.pages.iter().any(|other| other.id != page && other.id.starts_with(&page[..*end]));
        (SHORT..page.len()).find(is_only).map_or(page, |end| &page[..end])
    }

    /// The page whose id is `page`, or the only one whose id begins with it; of `dataset`, where one is named.
    ///
    /// # Errors
    /// [`PageError`]: no such page, or several.
    pub fn find(&self, dataset: Option<&str>, page: &str) -> Result<PageLines<'_>, PageError> {
        let pages: Vec<PageLines<'_>> =
            self.iter().filter(|page| dataset.is_none_or(|dataset| page.dataset() == dataset)).collect();
        let named: Vec<(&str, &str)> = pages.iter().map(|page| (page.id(), page.dataset())).collect();
        find_page(&named, page).map(|place| pages[place]).map_err(PageError::Request)
    }

    /// The digests of the page and its gold when it was run.
    ///
    /// # Errors
    /// As [`RunPages::open`].
    pub fn digests(&self, page: PageLines<'_>) -> Result<Digests, FolderError> {
        self.units.get()?.digests(page.dataset(), page.id())
    }

    /// The page with its texts.
    ///
    /// # Errors
    /// [`FolderError`]: its unit is missing or damaged.
    pub fn open(&self, page: PageLines<'_>) -> Result<RunPage, FolderError> {
        let texts = self.units.get()?.texts(page.dataset(), page.id())?;
        let rows = page.page.cells.iter().map(|cell| {
            let (algorithm, parameters) = self.rows.name(cell.row).clone();
            RowOnPage {
                algorithm,
                parameters,
                status: self.statuses.name(cell.status).clone(),
                score: page.score(cell),
                text: texts.extractions.get(&*cell.text).cloned(),
            }
        });
        Ok(RunPage {
            dataset: page.dataset().to_owned(),
            id: page.id().to_owned(),
            tags: page.tags().map(str::to_owned),
            rows: rows.collect(),
            gold: texts.gold,
        })
    }
}

impl<'p> PageLines<'p> {
    /// The dataset's name.
    pub fn dataset(&self) -> &'p str {
        &self.page.dataset
    }

    /// The page's id.
    pub fn id(&self) -> &'p str {
        &self.page.id
    }

    /// Its site, language and kind; empty where they are not known.
    pub fn tags(&self) -> [&'p str; 3] {
        self.page.tags.each_ref().map(String::as_str)
    }

    /// What each row came to: algorithm, parameters, and what was counted.
    pub fn counts(&self) -> impl Iterator<Item = (&'p str, &'p str, CountsOnPage)> {
        let PageLines { run, page } = *self;
        page.cells.iter().map(move |cell| {
            let (algorithm, parameters) = run.rows.name(cell.row);
            (algorithm.as_str(), parameters.as_str(), CountsOnPage::of(self.score(cell)))
        })
    }

    /// The scores of the rows that were run: algorithm, parameters, score.
    pub(crate) fn scores(&self) -> impl Iterator<Item = (&'p str, &'p str, PageScore)> {
        let lines = *self;
        self.page.cells.iter().filter_map(move |cell| {
            let (algorithm, parameters) = lines.run.rows.name(cell.row);
            Some((algorithm.as_str(), parameters.as_str(), lines.page_score(cell)?))
        })
    }

    /// A row's score; of a page without a site it is one of a site that is called by the page's id.
    fn page_score(&self, cell: &Cell) -> Option<PageScore> {
        let Counts { matched, extracted, gold } = cell.counts?;
        let Page { id, tags: [site, ..], .. } = self.page;
        let site = if site.is_empty() { id } else { site };
        let status = self.run.statuses.name(cell.status);
        let score = PageScore::new(site.clone(), [matched, extracted, gold], !is_scored(status));
        let (failed, text) = (score.failed && status != TOO_SHORT, half_of(&cell.text));
        Some(PageScore { failed, text, ..score })
    }

    fn score(&self, cell: &Cell) -> Option<(Counts, Score)> {
        let is_scored = is_scored(self.run.statuses.name(cell.status));
        cell.counts.map(|counts| (counts, if is_scored { counts.score() } else { Score::ZERO }))
    }
}

/// What a page is like: a line of `pages.csv`. What is not known is `None`.
#[derive(Clone, Debug, Deserialize)]
pub struct PageLine {
    /// The dataset's name.
    pub dataset: String,
    /// The page's id.
    pub page: String,
    /// `ok` or `failed`.
    pub status: String,
    /// The encoding that it was read in.
    pub encoding: String,
    /// Bytes that did not decode.
    pub replaced: Option<usize>,
    /// Nodes of its tree.
    pub nodes: Option<usize>,
    /// The depth of its tree.
    pub depth: Option<usize>,
    /// `chars` of all visible text.
    pub text: Option<usize>,
    /// `chars` of it in links.
    pub link: Option<usize>,
    /// `chars` of the gold; `None` without one.
    pub gold: Option<usize>,
}

/// Reads `pages.csv` of a run.
///
/// # Errors
/// [`FolderError`]: the file is missing, or not as the run left it.
pub fn read_page_lines(run: &RunFolder) -> Result<Vec<PageLine>, FolderError> {
    run.records("pages.csv")
}

impl RowOnPage {
    /// Its name, as on the command line.
    pub fn name(&self) -> String {
        let between = if self.parameters.is_empty() { "" } else { ":" };
        format!("{}{between}{}", self.algorithm, self.parameters)
    }

    /// Precision, recall and F1 in ten thousandths; `None` where it was not run.
    pub fn figures(&self) -> Option<[u16; 3]> {
        self.score.map(|(_, score)| ten_thousandths(score))
    }

    /// `matched, extracted, gold`; `None` where it was not run.
    pub fn counts(&self) -> Option<[u64; 3]> {
        self.score.map(|(Counts { matched, extracted, gold }, _)| [matched, extracted, gold])
    }

    /// Whether it is what `row` came to.
    pub fn is_of(&self, row: &SummaryRow) -> bool {
        self.algorithm == row.algorithm && self.parameters == row.label()
    }
}

/// The first half of a digest in hexadecimal, zeros of none.
fn half_of(digest: &str) -> Option<[u8; 16]> {
    const DIGITS: usize = 32;
    if digest.is_empty() {
        return Some([0; 16]);
    }
    Some(u128::from_str_radix(digest.get(..DIGITS)?, 16).ok()?.to_be_bytes())
}

/// As it is shown: to four digits.
fn ten_thousandths(score: Score) -> [u16; 3] {
    const UNIT: u64 = ONE / 10_000;
    score.values().map(|value| ((value + UNIT / 2) / UNIT) as u16)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::runs::run_folder::examples::sealed;

    const SCORES: &str =
        "dataset,page,site,language,kind,algorithm,parameters,matched,extracted,gold,precision,recall,f1,status,text
d,p,s,zh,news,all-text,,5,10,5,,,,ok,t1
d,p,s,zh,news,nta,density=0.3,0,0,5,,,,failed,
d,p,s,zh,news,stored/x,,,,,,,,not_run,
d,q,,,,all-text,,5,5,5,,,,degraded,t2
e,p,,,,all-text,,1,1,1,,,,ok,t3
";

    fn read(folder: &Path) -> Result<RunPages, FolderError> {
        RunPages::read(&RunFolder::of(folder, &sealed(folder)))
    }

    fn run() -> RunPages {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("scores.csv"), SCORES).unwrap();
        read(folder.path()).unwrap()
    }

    #[test]
    fn pages_have_their_rows_in_the_order_of_the_run() {
        let run = run();
        let pages: Vec<(&str, &str)> = run.iter().map(|page| (page.dataset(), page.id())).collect();
        assert_eq!(pages, [("d", "p"), ("d", "q"), ("e", "p")]);
        let first = run.iter().next().unwrap();
        assert_eq!(first.tags(), ["s", "zh", "news"]);
        let rows: Vec<_> = first.counts().collect();
        let expected = [
            ("all-text", "", CountsOnPage::Scored { matched: 5, extracted: 10, gold: 5 }),
            ("nta", "density=0.3", CountsOnPage::Zero),
            ("stored/x", "", CountsOnPage::NotRun),
        ];
        assert_eq!(rows, expected);
    }

    #[test]
    fn scores_are_those_of_the_counts_by_dataset_and_row() {
        let scores = run().scores();
        let key = |dataset: &str, algorithm: &str, parameters: &str| {
            (dataset.to_owned(), algorithm.to_owned(), parameters.to_owned())
        };
        let of = |dataset: &str, algorithm: &str, parameters: &str| &scores[&key(dataset, algorithm, parameters)];
        assert_eq!(scores.len(), 4);
        assert_eq!(of("d", "all-text", "").len(), 2);
        assert_eq!(of("d", "all-text", "")["p"], PageScore::new("s".to_owned(), [5, 10, 5], false));
        let alone = &of("d", "all-text", "")["q"];
        assert_eq!((alone.site.as_str(), alone.failed), ("q", false), "a page without a site is one of its own");
        let failed = &of("d", "nta", "density=0.3")["p"];
        assert_eq!((failed.counts, failed.score, failed.failed), ([0, 0, 5], [0; 3], true));
        assert!(of("d", "stored/x", "").is_empty(), "a row that was not run is there, and has no page");
        assert_eq!(of("e", "all-text", "").len(), 1);
    }

    #[test]
    fn a_file_that_is_not_from_a_run_is_told_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("scores.csv"), SCORES.replace("5,10,5", "5,ten,5")).unwrap();
        let told = read(folder.path()).err().unwrap().to_string();
        assert!(told.contains("scores.csv: is not from a run: ") && told.contains("line: 2"), "{told}");
    }

    #[test]
    fn counts_that_no_measure_gives_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        for counts in ["6,10,5", "6,5,10", "99999,5,10", "5,10,18446744073709551615", "5,,5"] {
            std::fs::write(folder.path().join("scores.csv"), SCORES.replace("5,10,5", counts)).unwrap();
            let told = read(folder.path()).err().unwrap().to_string();
            assert!(told.contains("scores.csv: is not from a run: ") && told.contains("line: 2"), "{counts}: {told}");
        }
    }
}
