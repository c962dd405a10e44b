//! `carat diff --before`: a page in two runs.

use std::path::Path;

use serde_json::json;

use super::{Found, Laid, asked_for, compared_rows, find, no_texts, page_of, print_two};
use crate::command_line::arguments::{self, Format};
use crate::command_line::failure::Failure;
use crate::command_line::output::{print_coloured, print_json, tell};
use crate::formats::inert::{one_line, without_steering};
use crate::formats::shell::shell_word;
use crate::report::language::Language;
use crate::report::table_format::{four, plain_table, table_lines};
use crate::runs::run_folder::RunFolder;
use crate::runs::summary::Summary;

/// A row on a page of one of the runs.
pub(super) struct RowOfRun {
    /// As `--algorithm` takes it.
    pub(super) name: String,
    text: Option<String>,
    /// F1 against the gold, where there is one and the row was run.
    f1: Option<f64>,
    /// Why there is no text.
    why: String,
}

/// A row of the run beside that of its name in the earlier one, if there is one.
pub(super) struct RowInBoth {
    pub(super) before: Option<RowOfRun>,
    pub(super) now: RowOfRun,
}

impl RowInBoth {
    fn texts(&self) -> [Option<&String>; 2] {
        [self.before.as_ref().and_then(|row| row.text.as_ref()), self.now.text.as_ref()]
    }

    pub(super) fn is_same(&self) -> bool {
        let [before, now] = self.texts();
        self.before.is_some() && before == now
    }

    /// F1 in the earlier run and now.
    fn f1(&self) -> [Option<f64>; 2] {
        [self.before.as_ref().and_then(|row| row.f1), self.now.f1]
    }

    /// By how much F1 rose; 0 where it is not known of both.
    fn rise(&self) -> f64 {
        let [before, now] = self.f1();
        before.zip(now).map_or(0.0, |(before, now)| now - before)
    }
}

/// Lays the text of a row over the one that it had in the run in `before`; of several rows it tells which have another text.
pub(super) fn before_and_now(
    arguments: &arguments::Diff,
    before: &Path,
    summary: &Summary,
    page: &Found,
) -> Result<(), Failure> {
    let run = RunFolder::open(before)?;
    let known = run.summary()?;
    if !run.info().circumstances.texts {
        return Err(no_texts(before));
    }
    let [dataset, id] = page.names();
    let there = find(&run, &known, Some(dataset), id)?;
    if there.gold() != page.gold() {
        tell(&format!("note: the gold of {} is another in {}", one_line(id), before.display()));
    }
    let rows = pairs(rows_of(&known, &there, &arguments.algorithm)?, rows_of(summary, page, &arguments.algorithm)?);
    let shown = |folder: &Path| one_line(&folder.display().to_string());
    match &rows[..] {
        [row] => of_one(arguments, summary, [dataset, id], row, [before, &arguments.run].map(shown)),
        _ => overview(arguments, [dataset, id], rows, [before, &arguments.run].map(shown)),
    }
}

/// The rows that `specs` mean; all where none is given.
pub(super) fn rows_of(summary: &Summary, page: &Found, specs: &[String]) -> Result<Vec<RowOfRun>, Failure> {
    match page {
        Found::WithGold(page) => {
            let rows = asked_for(summary, page, specs)?.into_iter().map(|row| RowOfRun {
                name: row.name(),
                text: row.text.clone(),
                f1: row.score.map(|(_, score)| score.fractions()[2]),
                why: row.status.clone(),
            });
            Ok(rows.collect())
        }
        Found::WithoutGold(page) => {
            let rows = compared_rows(page, specs)?.into_iter().map(|row| RowOfRun {
                name: row.name(),
                text: row.text.clone(),
                f1: None,
                why: row.why_no_text().to_owned(),
            });
            Ok(rows.collect())
        }
    }
}

/// Each row beside that of its name. If both runs have one row, these two are the same under whatever parameters.
pub(super) fn pairs(mut before: Vec<RowOfRun>, now: Vec<RowOfRun>) -> Vec<RowInBoth> {
    let are_alone = before.len() == 1 && now.len() == 1;
    let pair = |now: RowOfRun| {
        let place = before.iter().position(|row| are_alone || row.name == now.name);
        RowInBoth { before: place.map(|place| before.swap_remove(place)), now }
    };
    now.into_iter().map(pair).collect()
}

fn of_one(
    arguments: &arguments::Diff,
    summary: &Summary,
    [dataset, id]: [&str; 2],
    row: &RowInBoth,
    folders: [String; 2],
) -> Result<(), Failure> {
    let name = &row.now.name;
    let Some(before) = &row.before else {
        let message = format!("the run in {} has no row `{}` on this page", folders[0], one_line(name));
        return Err(Failure::request(message));
    };
    let language = arguments.language.of(&arguments.run);
    let named = |row: &RowOfRun, folder: &str| match row.f1 {
        Some(f1) => language.fill("{0} in {1}, F1 {2}", &[row.name.clone(), folder.to_owned(), four(f1)]),
        None => language.fill("{0} in {1}", &[row.name.as_str(), folder]),
    };
    let names = [named(before, &folders[0]), named(&row.now, &folders[1])];
    let text = |row: &'_ RowOfRun, place: usize| -> Result<String, Failure> {
        row.text.clone().ok_or_else(|| {
            let (name, why) = (one_line(&row.name), one_line(&row.why));
            Failure::request(format!("`{name}` has no text on this page in {}: {why}", folders[place]))
        })
    };
    let texts = [text(before, 0)?, text(&row.now, 1)?];
    let laid = [0, 1].map(|place: usize| Laid { name: &names[place], text: &texts[place] });
    print_two(arguments, summary, (dataset, id), laid, None)
}

/// The rows that have another text than in the earlier run, those that fell most first.
fn overview(
    arguments: &arguments::Diff,
    [dataset, id]: [&str; 2],
    mut rows: Vec<RowInBoth>,
    folders: [String; 2],
) -> Result<(), Failure> {
    if arguments.format == Format::Json {
        let rows = rows.iter().map(|row| {
            json!({"row": row.now.name, "is_in_both": row.before.is_some(), "is_same": row.is_same(), "f1": row.f1()})
        });
        let rows: Vec<_> = rows.collect();
        return print_json(&json!({
            "dataset": dataset, "page": id, "before": folders[0], "run": folders[1], "rows": rows,
        }));
    }
    let language = arguments.language.of(&arguments.run);
    let all = rows.len();
    rows.retain(|row| !row.is_same());
    rows.sort_by(|one, other| one.rise().total_cmp(&other.rise()));
    let mut text = format!("{}\n", page_of([id, dataset], language));
    if !rows.is_empty() {
        text.push_str(&table(&rows, language));
    }
    let same = [(all - rows.len()).to_string(), all.to_string()];
    text.push_str(&format!("{}\n", language.fill("{0} of {1} rows have the same text in both runs", &same)));
    if let Some(row) = rows.iter().find(|row| row.texts().iter().all(Option::is_some)) {
        let choose = "choose with --algorithm, such as --algorithm {0}";
        text.push_str(&format!("{}\n", language.fill(choose, &[shell_word(&row.now.name)])));
    }
    print_coloured(&without_steering(&text))
}

fn table(rows: &[RowInBoth], language: Language) -> String {
    let mut table = plain_table(language.say_all(["row", "F1 before", "F1 now", ""]));
    for row in rows {
        let [before, now] = row.f1().map(|f1| f1.map_or("-".to_owned(), four));
        let what = match (&row.before, row.texts()) {
            (None, _) => "not in the earlier run",
            (_, [Some(_), Some(_)]) => "another text",
            (_, [None, _]) => "had no text",
            (_, [_, None]) => "has no text any more",
        };
        table.add_row([row.now.name.clone(), before, now, language.say(what).into_owned()]);
    }
    format!("{}\n\n", table_lines(table, 1).join("\n"))
}
