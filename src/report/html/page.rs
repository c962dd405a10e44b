//! What the file of a page shows, as data: its texts as numbers of lines, for rows share most of theirs.

use std::collections::{BTreeMap, HashMap};

use rustc_hash::FxBuildHasher;
use serde::Serialize;

use super::{Unranked, file_name};
use crate::formats::shell::shell_command;
use crate::report::table_format::ten_thousandths;
use crate::runs::compared_pages::{ComparedPage, ComparedRow, PageLine as ComparedLine};
use crate::runs::folder_error::FolderError;
use crate::runs::pages::{PageLine, PageLines, RowOnPage, RunPages};
use crate::runs::results::Failure;
use crate::runs::run_folder::Circumstances;

/// Longer texts of a page are not in its file: no one reads them there.
const MOST_BYTES: usize = 4 << 20;

/// All that the file of a page shows.
#[derive(Serialize)]
pub(super) struct Data {
    dataset: String,
    id: String,
    site: String,
    language: String,
    kind: String,
    facts: Option<Facts>,
    /// The files of the pages before and after it.
    neighbours: [Option<String>; 2],
    texts_stored: bool,
    /// The command that shows the page's gold to someone who changes it; none where nobody can.
    to_gold: Option<String>,
    /// Each distinct line of its texts.
    lines: Vec<String>,
    /// The gold, by its lines.
    gold: Option<Vec<usize>>,
    /// Each distinct extraction, by its lines.
    texts: Vec<Vec<usize>>,
    rows: Vec<Row>,
    /// On a page without gold, how far every two rows agree.
    compared: Option<Compared>,
}

/// How far the rows of a page agree.
#[derive(Serialize)]
struct Compared {
    /// The two rows that agree least.
    least: Option<[usize; 2]>,
    /// F1 of each row's text with those of the rows behind it, in ten thousandths.
    f1: Vec<Vec<Option<u16>>>,
}

#[derive(Serialize)]
struct Facts {
    encoding: String,
    replaced: Option<usize>,
    nodes: Option<usize>,
    depth: Option<usize>,
    text: Option<usize>,
    link: Option<usize>,
    gold: Option<usize>,
}

#[derive(Serialize)]
struct Row {
    name: String,
    bound: Option<&'static str>,
    status: String,
    /// Precision, recall and F1 in ten thousandths; none where it was not run.
    score: Option<[u16; 3]>,
    /// What was matched, extracted, and of the gold.
    counts: Option<[u64; 3]>,
    /// The place of its extraction among the texts; none where there is none, or it is too long.
    text: Option<usize>,
    reason: Option<String>,
}

/// Lines and their numbers.
#[derive(Default)]
struct Lines {
    numbers: HashMap<String, usize, FxBuildHasher>,
    lines: Vec<String>,
    bytes: usize,
}

impl Lines {
    /// The numbers of a text's lines; `None` where there is no room for it.
    fn of(&mut self, text: &str) -> Option<Vec<usize>> {
        if self.bytes + text.len() > MOST_BYTES {
            return None;
        }
        let number = |line: &str| {
            *self.numbers.entry(line.to_owned()).or_insert_with(|| {
                self.bytes += line.len();
                self.lines.push(line.to_owned());
                self.lines.len() - 1
            })
        };
        Some(text.split('\n').filter(|line| !line.is_empty()).map(number).collect())
    }
}

/// What is known of a page besides its scores and texts.
pub(super) struct Known<'k> {
    /// Its line of `pages.csv`.
    pub line: Option<&'k PageLine>,
    /// The pages before and after it.
    pub neighbours: [Option<PageLines<'k>>; 2],
    /// What failed on it.
    pub failures: &'k [&'k Failure],
    /// The run's rows that are not ranked.
    pub unranked: &'k Unranked,
    /// Whether the run stored its texts.
    pub texts_stored: bool,
    /// The folders of datasets whose gold can be changed, by name.
    pub folders: &'k BTreeMap<String, String>,
}

/// The command that opens the page `id` in the annotator.
fn to_gold(folders: &BTreeMap<String, String>, dataset: &str, id: &str) -> Option<String> {
    let folder = folders.get(dataset)?;
    Some(shell_command("carat annotate", &[folder], &[("--page", Some(id)), ("--by", Some("me"))]))
}

pub(super) fn data(pages: &RunPages, page: PageLines<'_>, known: &Known<'_>) -> Result<Data, FolderError> {
    let opened = pages.open(page)?;
    let mut lines = Lines::default();
    let gold = opened.gold.as_ref().and_then(|gold| lines.of(gold));
    let mut texts: Vec<Vec<usize>> = Vec::new();
    let mut rows = Vec::new();
    for row in &opened.rows {
        let text = row.text.as_ref().and_then(|text| lines.of(text)).map(|text| place_of(&mut texts, text));
        let is_why = |failure: &&&Failure| failure.is_of((page.dataset(), page.id()), &row.algorithm, &row.parameters);
        let reason = if row.status == "ok" { None } else { known.failures.iter().find(is_why) };
        let key = (page.dataset().to_owned(), row.algorithm.clone(), row.parameters.clone());
        let bound = known.unranked.get(&key).copied();
        rows.push(Row::of(row, bound, text, reason.map(|failure| failure.reason.clone())));
    }
    let [site, language, kind] = opened.tags;
    Ok(Data {
        to_gold: to_gold(known.folders, page.dataset(), page.id()),
        dataset: opened.dataset,
        id: opened.id,
        site,
        language,
        kind,
        facts: known.line.map(Facts::of),
        neighbours: known.neighbours.map(|page| page.map(|page| file_name(page.dataset(), page.id()))),
        texts_stored: known.texts_stored,
        lines: lines.lines,
        gold,
        texts,
        rows,
        compared: None,
    })
}

/// What the file of a page without gold shows: two rows' texts, laid over each other.
pub(super) fn compared(
    page: &ComparedPage,
    neighbours: [Option<&ComparedLine>; 2],
    circumstances: &Circumstances,
) -> Data {
    let mut lines = Lines::default();
    let mut texts: Vec<Vec<usize>> = Vec::new();
    let row = |row: &ComparedRow| {
        let text = row.text.as_ref().and_then(|text| lines.of(text)).map(|text| place_of(&mut texts, text));
        let status = if row.text.is_none() && row.reason.is_some() { "failed" } else { "ok" };
        Row {
            name: row.label.clone(),
            bound: None,
            status: status.to_owned(),
            score: None,
            counts: None,
            text,
            reason: row.reason.clone(),
        }
    };
    let rows: Vec<Row> = page.rows.iter().map(row).collect();
    let of_pair = |one: &ComparedRow, other: &ComparedRow| page.f1(one, other).map(|f1| ten_thousandths(f1) as u16);
    let f1 = page.rows.iter().enumerate();
    let f1 = f1.map(|(i, one)| page.rows[i + 1..].iter().map(|other| of_pair(one, other)).collect());
    let place = |row: &ComparedRow| page.rows.iter().position(|other| other.label == row.label).unwrap_or_default();
    let ComparedLine { dataset, page: id, site, language, kind, .. } = page.line.clone();
    Data {
        to_gold: to_gold(&circumstances.folders, &dataset, &id),
        dataset,
        id,
        site,
        language,
        kind,
        facts: None,
        neighbours: neighbours.map(|line| line.map(|line| file_name(&line.dataset, &line.page))),
        texts_stored: circumstances.texts,
        compared: Some(Compared { least: page.least().map(|pair| pair.map(place)), f1: f1.collect() }),
        lines: lines.lines,
        gold: None,
        texts,
        rows,
    }
}

fn place_of(texts: &mut Vec<Vec<usize>>, text: Vec<usize>) -> usize {
    texts.iter().position(|known| *known == text).unwrap_or_else(|| {
        texts.push(text);
        texts.len() - 1
    })
}

impl Row {
    fn of(row: &RowOnPage, bound: Option<&'static str>, text: Option<usize>, reason: Option<String>) -> Self {
        let name = row.name();
        Row { name, bound, status: row.status.clone(), score: row.figures(), counts: row.counts(), text, reason }
    }
}

impl Facts {
    fn of(line: &PageLine) -> Self {
        let PageLine { encoding, replaced, nodes, depth, text, link, gold, .. } = line.clone();
        Facts { encoding, replaced, nodes, depth, text, link, gold }
    }
}
