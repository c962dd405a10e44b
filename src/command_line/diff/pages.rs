//! `carat diff --before` without a page: the pages from which rows have another text than in an earlier run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::json;

use super::before::{RowInBoth, pairs, rows_of};
use super::{Found, no_texts};
use crate::command_line::arguments::{self, Format};
use crate::command_line::failure::Failure;
use crate::command_line::output::{print_coloured, print_json, tell};
use crate::formats::inert::{one_line, without_steering};
use crate::formats::shell::shell_command;
use crate::report::language::Language;
use crate::report::table_format::{four, plain_table, table_lines};
use crate::runs::compared_pages::ComparedPages;
use crate::runs::pages::RunPages;
use crate::runs::row_names::{is_label_meant, name_of};
use crate::runs::run_folder::RunFolder;
use crate::runs::scores::{PageScore, Scores};
use crate::runs::summary::{Summary, SummaryRow};
use crate::statistics::fraction;

/// So many pages are printed; JSON has all.
const PRINTED: usize = 30;

/// Dataset and page.
type PageKey = (String, String);

/// A run with what its rows came to.
struct Read {
    summary: Summary,
    scores: Scores,
    with_gold: RunPages,
    /// The pages without gold.
    compared: ComparedPages,
}

impl Read {
    fn new(run: &RunFolder) -> Result<Self, Failure> {
        let summary = run.summary()?;
        let compared = ComparedPages::read(run, &summary)?;
        let with_gold = RunPages::read(run)?;
        Ok(Read { scores: with_gold.scores(), summary, with_gold, compared })
    }

    /// The rows of `dataset` that `specs` mean; all where none is given.
    fn rows(&self, dataset: &str, specs: &[String]) -> Vec<&SummaryRow> {
        let is_meant = |row: &&SummaryRow| specs.is_empty() || specs.iter().any(|spec| row.is_meant_by(spec));
        self.summary.rows.iter().filter(|row| row.dataset == dataset).filter(is_meant).collect()
    }

    /// The pages of `dataset` that have gold.
    fn with_gold(&self, dataset: &str) -> BTreeSet<&str> {
        self.with_gold.iter().filter(|page| page.dataset() == dataset).map(|page| page.id()).collect()
    }

    /// Those that have none.
    fn without_gold(&self, dataset: &str) -> BTreeSet<&str> {
        self.compared.iter().filter(|line| line.dataset == dataset).map(|line| line.page.as_str()).collect()
    }

    /// The pages of `dataset`, with gold and without.
    fn pages(&self, dataset: &str) -> BTreeSet<&str> {
        &self.with_gold(dataset) | &self.without_gold(dataset)
    }

    /// The page, which is there.
    fn open(&self, dataset: &str, id: &str) -> Result<Found, Failure> {
        match self.with_gold.find(Some(dataset), id) {
            Ok(page) if page.id() == id => Ok(Found::WithGold(self.with_gold.open(page)?)),
            _ => Ok(Found::WithoutGold(self.compared.open(self.compared.find(Some(dataset), id)?)?)),
        }
    }
}

/// What the rows that two runs have on a page came to.
#[derive(Default)]
struct PageInBoth {
    rows: usize,
    /// The rows with another text, those that fell most first.
    changed: Vec<Change>,
}

/// A row with another text than in the earlier run.
struct Change {
    row: String,
    /// F1 in the earlier run and now; `None` of a page without gold.
    f1: Option<[f64; 2]>,
}

impl Change {
    fn rise(&self) -> f64 {
        self.f1.map_or(0.0, |[before, now]| now - before)
    }
}

/// Lists the pages from which a row has another text, those on which one fell most first.
pub(super) fn changed_pages(arguments: &arguments::Diff, before: &Path, run: &RunFolder) -> Result<(), Failure> {
    let earlier = RunFolder::open(before)?;
    let [then, now] = [Read::new(&earlier)?, Read::new(run)?];
    let datasets = datasets(&now, arguments)?;
    let without_texts = [&earlier, run].into_iter().find(|run| !run.info().circumstances.texts);
    let has_texts = without_texts.is_none();
    let (mut pages, mut in_one_alone, mut is_left_out) = (BTreeMap::new(), 0, false);
    for dataset in datasets {
        let pairs = in_both_runs(then.rows(dataset, &arguments.algorithm), now.rows(dataset, &arguments.algorithm));
        add_pages_with_gold([&then, &now], &pairs, &mut pages);
        match has_texts {
            true => {
                add_pages_without_gold([&then, &now], dataset, &arguments.algorithm, &mut pages)?;
                add_pages_with_gold_in_one([&then, &now], dataset, &arguments.algorithm, &mut pages)?;
            }
            false => is_left_out |= now.compared.iter().any(|line| line.dataset == dataset),
        }
        in_one_alone += then.pages(dataset).symmetric_difference(&now.pages(dataset)).count();
    }
    if pages.is_empty() {
        if let Some(run) = without_texts.filter(|_| is_left_out) {
            return Err(no_texts(run.path()));
        }
        let [one, other] = [before, &arguments.run].map(|folder| one_line(&folder.display().to_string()));
        return Err(Failure::request(format!(
            "no row has a page in both {one} and {other}; pages without gold are compared where two or more rows were run"
        )));
    }
    if is_left_out {
        tell("note: pages without gold are not compared, for a run without texts (--no-texts) knows only scores");
    }
    let rise = |page: &PageInBoth| page.changed.first().map_or(0.0, Change::rise);
    let all = pages.len();
    let mut changed: Vec<(PageKey, PageInBoth)> =
        pages.into_iter().filter(|(_, page)| !page.changed.is_empty()).collect();
    for (_, page) in &mut changed {
        page.changed.sort_by(|one, other| one.rise().total_cmp(&other.rise()));
    }
    changed.sort_by(|(_, one), (_, other)| rise(one).total_cmp(&rise(other)));
    let listed = Listed { arguments, before, changed, all, in_one_alone, has_texts };
    match arguments.format {
        Format::Json => print_json(&listed.to_json()),
        Format::Text => print_coloured(&without_steering(&listed.text(arguments.language.of(&arguments.run)))),
    }
}

/// The datasets of the later run that are asked for. Refuses a row and a dataset that it does not have.
fn datasets<'s>(now: &'s Read, arguments: &arguments::Diff) -> Result<BTreeSet<&'s str>, Failure> {
    let (rows, without_gold) = (&now.summary.rows, &now.summary.agreement);
    let labels = || without_gold.iter().flat_map(|known| &known.systems).map(|system| system.label.as_str());
    for spec in &arguments.algorithm {
        if !rows.iter().any(|row| row.is_meant_by(spec)) && !labels().any(|label| is_label_meant(spec, label)) {
            let hint = crate::text::hint(spec, rows.iter().map(|row| row.algorithm.as_str()).chain(labels()));
            return Err(Failure::request(format!("no row of the run is `{}`; {hint}", one_line(spec))));
        }
    }
    let with_gold = rows.iter().map(|row| row.dataset.as_str());
    let all: BTreeSet<&str> = with_gold.chain(without_gold.iter().map(|known| known.dataset.as_str())).collect();
    match &arguments.dataset {
        None => Ok(all),
        Some(wanted) => match all.get(wanted.as_str()) {
            Some(&dataset) => Ok([dataset].into()),
            None => {
                let (wanted, known) = (one_line(wanted), all.into_iter().collect::<Vec<_>>().join(", "));
                Err(Failure::request(format!("no dataset `{wanted}` was run; there are {known}")))
            }
        },
    }
}

/// Each row of the later run beside that of its name in the earlier one. If both have one row, these two are the same under
/// whatever parameters.
fn in_both_runs<'s>(before: Vec<&'s SummaryRow>, now: Vec<&'s SummaryRow>) -> Vec<[&'s SummaryRow; 2]> {
    if let ([before], [now]) = (&before[..], &now[..]) {
        return vec![[*before, *now]];
    }
    let by_name: BTreeMap<_, &SummaryRow> = before.into_iter().map(|row| (row.key(), row)).collect();
    now.into_iter().filter_map(|row| Some([*by_name.get(&row.key())?, row])).collect()
}

fn add_pages_with_gold(
    [before, now]: [&Read; 2],
    pairs: &[[&SummaryRow; 2]],
    pages: &mut BTreeMap<PageKey, PageInBoth>,
) {
    let f1 = |score: &PageScore| fraction(score.score[2]);
    for [then, row] in pairs {
        let (Some(of_then), Some(of_now)) = (before.scores.get(&then.key()), now.scores.get(&row.key())) else {
            continue;
        };
        for (page, score) in of_now {
            let Some(before) = of_then.get(page) else { continue };
            let of_page: &mut PageInBoth = pages.entry((row.dataset.clone(), page.clone())).or_default();
            of_page.rows += 1;
            if before.text != score.text {
                of_page.changed.push(Change { row: name_of(&row.full_label()), f1: Some([before, score].map(f1)) });
            }
        }
    }
}

/// Adds the pages of `dataset` that have gold in neither run.
fn add_pages_without_gold(
    [before, now]: [&Read; 2],
    dataset: &str,
    specs: &[String],
    pages: &mut BTreeMap<PageKey, PageInBoth>,
) -> Result<(), Failure> {
    let earlier = before.compared.iter().filter(|line| line.dataset == dataset);
    let earlier: BTreeMap<&str, _> = earlier.map(|line| (line.page.as_str(), line)).collect();
    for line in now.compared.iter().filter(|line| line.dataset == dataset) {
        let Some(then) = earlier.get(line.page.as_str()) else { continue };
        let texts = [before.compared.open(then)?, now.compared.open(line)?];
        let [earlier, later] = texts.each_ref().map(|page| {
            let meant = page.rows_meant(specs).into_iter();
            meant.filter(|row| row.was_run()).collect::<Vec<_>>()
        });
        let are_alone = earlier.len() == 1 && later.len() == 1;
        let mut of_page = PageInBoth::default();
        for row in later {
            let Some(then) = earlier.iter().find(|then| are_alone || then.label == row.label) else { continue };
            of_page.rows += 1;
            if then.text != row.text {
                of_page.changed.push(Change { row: row.name(), f1: None });
            }
        }
        if of_page.rows > 0 {
            pages.insert((dataset.to_owned(), line.page.clone()), of_page);
        }
    }
    Ok(())
}

/// Adds the pages of `dataset` that have gold in one of the runs alone.
fn add_pages_with_gold_in_one(
    [before, now]: [&Read; 2],
    dataset: &str,
    specs: &[String],
    pages: &mut BTreeMap<PageKey, PageInBoth>,
) -> Result<(), Failure> {
    let added = &before.without_gold(dataset) & &now.with_gold(dataset);
    let removed = &before.with_gold(dataset) & &now.without_gold(dataset);
    for id in added.union(&removed) {
        let [then, page] = [before.open(dataset, id)?, now.open(dataset, id)?];
        // Of rows that were not run on the page there is nothing to compare.
        let (Ok(earlier), Ok(later)) = (rows_of(&before.summary, &then, specs), rows_of(&now.summary, &page, specs))
        else {
            continue;
        };
        let rows: Vec<RowInBoth> = pairs(earlier, later).into_iter().filter(|row| row.before.is_some()).collect();
        let changed = rows.iter().filter(|row| !row.is_same());
        let changed = changed.map(|row| Change { row: row.now.name.clone(), f1: None }).collect();
        if !rows.is_empty() {
            pages.insert((dataset.to_owned(), (*id).to_owned()), PageInBoth { rows: rows.len(), changed });
        }
    }
    Ok(())
}

/// What is told.
struct Listed<'l> {
    arguments: &'l arguments::Diff,
    before: &'l Path,
    changed: Vec<(PageKey, PageInBoth)>,
    /// The pages that both runs have.
    all: usize,
    in_one_alone: usize,
    has_texts: bool,
}

impl Listed<'_> {
    fn to_json(&self) -> serde_json::Value {
        let row = |change: &Change| json!({"row": change.row, "f1": change.f1});
        let page = |((dataset, id), page): &(PageKey, PageInBoth)| {
            json!({"dataset": dataset, "page": id, "rows_in_both": page.rows,
                   "changed": page.changed.iter().map(row).collect::<Vec<_>>()})
        };
        let folders = [self.before, &self.arguments.run].map(|folder| folder.display().to_string());
        json!({
            "before": folders[0], "run": folders[1], "pages_in_both": self.all, "pages_in_one": self.in_one_alone,
            "pages": self.changed.iter().map(page).collect::<Vec<_>>(),
        })
    }

    fn text(&self, language: Language) -> String {
        let mut text = String::new();
        if !self.changed.is_empty() {
            text = format!("{}\n\n", self.table(language).join("\n"));
        }
        let mut say = |words: &str, values: &[String]| text += &(language.fill(words, values) + "\n");
        let counts = [self.changed.len(), self.all].map(|count| count.to_string());
        say("pages with another text than in the earlier run: {0} of {1}", &counts);
        if self.in_one_alone > 0 {
            say("pages of one of the runs alone: {0}", &[self.in_one_alone.to_string()]);
        }
        if self.changed.len() > PRINTED {
            let printed = [PRINTED.to_string()];
            say("the first {0} are printed, those that fell most first; --format json has all", &printed);
        }
        if let Some(((dataset, id), _)) = self.changed.first().filter(|_| self.has_texts) {
            let [run, earlier] = [&self.arguments.run, self.before].map(|folder| folder.display().to_string());
            let options = [("--dataset", Some(dataset.as_str())), ("--before", Some(earlier.as_str()))];
            say("see a page with {0}", &[shell_command("carat diff", &[&run, id], &options)]);
        }
        text
    }

    fn table(&self, language: Language) -> Vec<String> {
        let names = ["page", "dataset", "other texts", "F1 before", "F1 now", "of the row"];
        let mut table = plain_table(language.say_all(names));
        for ((dataset, id), page) in self.changed.iter().take(PRINTED) {
            let first = &page.changed[0];
            let [before, now] = first.f1.map_or(["-".to_owned(), "-".to_owned()], |f1| f1.map(four));
            let rows = language.fill("{0} of {1} rows", &[page.changed.len().to_string(), page.rows.to_string()]);
            table.add_row([id.clone(), dataset.clone(), rows, before, now, first.row.clone()]);
        }
        table_lines(table, names.len())
    }
}
