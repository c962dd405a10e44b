//! `carat diff`.

use std::io::{self, IsTerminal};

use crate::formats::inert::{one_line, without_steering};
use crate::formats::shell::shell_word;
use crate::report::conditions;
use crate::report::table_format::{four, plain_table, table_lines};
use crate::runs::pages::{RowOnPage, RunPage, RunPages};
use crate::runs::run_folder::RunFolder;
use crate::runs::summary::{Summary, SummaryRow};
use crate::scoring::Counts;
use crate::text::diff::{Line, Piece, Shown, Side, diff as laid_over, with_context};
use crate::text::tokens::Case;
use serde_json::{Value as Json, json};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::command_line::arguments::{self, Colour, Format};
use crate::command_line::failure::Failure;
use crate::command_line::output::{print_coloured, print_json};
use crate::formats::code::Exit;

/// Prints a page's gold with what extractions lack of it and have beyond it.
pub(crate) fn diff(arguments: arguments::Diff) -> Result<(), Failure> {
    let run = RunFolder::open(&arguments.run)?;
    let (summary, pages, info) = (run.summary()?, RunPages::read(&run)?, run.info());
    let page = pages.open(pages.find(arguments.dataset.as_deref(), &arguments.page)?)?;
    let rows = asked_for(&summary, &page, &arguments.algorithm)?;
    let Some(gold) = page.gold.as_deref().filter(|_| info.circumstances.texts) else {
        let message = format!("{} holds no texts: it was run with --no-texts", arguments.run.display());
        return Err(Failure::new(Exit::Data, message));
    };
    let case = summary.conditions.case.parse().unwrap_or_default();
    let reason = |row: &RowOnPage| {
        let why = info.failures.iter().find(|failure| failure.is_of(&page.dataset, &page.id, &row.algorithm));
        why.map(|failure| failure.reason.clone())
    };
    if arguments.format == Format::Json {
        let told = rows.iter().map(|row| in_json(row, gold, case, reason(row)));
        return print_json(&json!({
            "dataset": page.dataset, "page": page.id, "gold": gold, "conditions": summary.conditions,
            "rows": told.collect::<Vec<_>>(),
        }));
    }
    let style = Style { colour: is_coloured(arguments.colour), side_by_side: arguments.side_by_side, width: width() };
    let mut text = String::new();
    if rows.len() > 1 && arguments.algorithm.is_empty() {
        text.push_str(&without_steering(&overview(&summary, &page, &rows)));
    } else {
        for row in rows {
            text.push_str(&without_steering(&heading(&page, row)));
            match &row.text {
                Some(extraction) => {
                    let lines = laid_over(gold, extraction, case);
                    text.push_str(&style.body(&lines, arguments.context));
                }
                None => {
                    let reason = reason(row).unwrap_or_else(|| "was not run".to_owned());
                    text.push_str(&format!("{}\n", one_line(&reason)));
                }
            }
            text.push('\n');
        }
        text.push_str(&style.legend());
    }
    text.push_str(&format!("{}\n", one_line(&conditions::line(&summary, &page.dataset))));
    print_coloured(&text)
}

/// The rows of the page that `specs` mean; all where none is given.
fn asked_for<'p>(summary: &Summary, page: &'p RunPage, specs: &[String]) -> Result<Vec<&'p RowOnPage>, Failure> {
    if specs.is_empty() {
        return Ok(page.rows.iter().collect());
    }
    let mut found: Vec<&RowOnPage> = Vec::new();
    for spec in specs {
        let meant: Vec<&SummaryRow> =
            summary.rows.iter().filter(|row| row.dataset == page.dataset && row.is_meant_by(spec)).collect();
        let rows = page.rows.iter().filter(|row| meant.iter().any(|meant| row.is_of(meant)));
        let before = found.len();
        found.extend(rows);
        if found.len() == before {
            let mut names: Vec<&str> = page.rows.iter().map(|row| row.algorithm.as_str()).collect();
            names.dedup();
            let hint = crate::text::hint(spec, names);
            return Err(Failure::request(format!("no row of the run is `{spec}`; {hint}")));
        }
    }
    Ok(found)
}

fn in_json(row: &RowOnPage, gold: &str, case: Case, reason: Option<String>) -> Json {
    let lines = row.text.as_ref().map(|extraction| laid_over(gold, extraction, case));
    let score = row.score.map(|(counts, score)| {
        let [precision, recall, f1] = score.fractions();
        json!({"matched": counts.matched, "extracted": counts.extracted, "gold": counts.gold,
               "precision": precision, "recall": recall, "f1": f1})
    });
    json!({
        "algorithm": row.algorithm, "parameters": row.parameters, "status": row.status, "score": score,
        "reason": reason.filter(|_| row.text.is_none()), "extraction": row.text, "lines": lines,
    })
}

/// The page's rows with their scores, the best first, those that read gold last: what there is to choose from.
fn overview(summary: &Summary, page: &RunPage, rows: &[&RowOnPage]) -> String {
    let mut rows = rows.to_vec();
    let readers = summary.readers_of_gold();
    let is_of = |row: &RowOnPage, reader: &SummaryRow| reader.dataset == page.dataset && row.is_of(reader);
    let reads_gold = |row: &RowOnPage| readers.iter().find(|reader| is_of(row, reader)).map(|reader| reader.mark());
    let f1 = |row: &RowOnPage| row.score.map(|(_, score)| score.values()[2]);
    rows.sort_by_key(|row| (reads_gold(row).is_some(), std::cmp::Reverse(f1(row))));
    let mut table = plain_table(["row", "precision", "recall", "F1", ""].into_iter());
    for row in &rows {
        let mut cells = vec![row.name()];
        match row.score {
            Some((_, score)) => cells.extend(score.fractions().map(four)),
            None => cells.extend(["-"; 3].map(str::to_owned)),
        }
        let mark = reads_gold(row).unwrap_or_default();
        cells.push(if row.status == "ok" { mark } else { row.status.clone() });
        table.add_row(cells);
    }
    let best = rows.first().map(|row| row.name()).unwrap_or_default();
    format!(
        "{} of {}\n{}\nchoose with --algorithm, such as --algorithm {}\n",
        page.id,
        page.dataset,
        table_lines(table, 1).join("\n"),
        shell_word(&best)
    )
}

fn heading(page: &RunPage, row: &RowOnPage) -> String {
    let score = match row.score {
        None => row.status.clone(),
        Some((Counts { matched, extracted, gold }, score)) => {
            let [precision, recall, f1] = score.fractions().map(four);
            format!(
                "precision {precision}  recall {recall}  F1 {f1}  ({matched} matched, {extracted} extracted, {gold} gold)"
            )
        }
    };
    format!("{} of {}: {}\n{score}\n\n", page.id, page.dataset, row.name())
}

/// How differences are marked and laid out.
struct Style {
    colour: bool,
    side_by_side: bool,
    width: usize,
}

/// Colour, mark before and mark after of a side.
fn marks(side: Side) -> (&'static str, &'static str, &'static str) {
    match side {
        Side::Both => ("", "", ""),
        Side::Missing => ("\u{1b}[31;9m", "[-", "-]"),
        Side::Excess => ("\u{1b}[32;1m", "{+", "+}"),
    }
}

impl Style {
    fn legend(&self) -> String {
        let piece = |side, text: &str| self.piece(&Piece { side, text: text.to_owned() });
        format!("{}  {}\n", piece(Side::Missing, "in the gold alone"), piece(Side::Excess, "in the extraction alone"))
    }

    fn body(&self, lines: &[Line], context: usize) -> String {
        let mut text = String::new();
        if lines.iter().flatten().all(|piece| piece.side == Side::Both) {
            text.push_str("the same words\n");
        }
        for shown in with_context(lines, context) {
            match shown {
                Shown::Skipped(1) => text.push_str("  .. a line that both have\n"),
                Shown::Skipped(count) => text.push_str(&format!("  .. {count} lines that both have\n")),
                Shown::Line(line) if self.side_by_side => text.push_str(&self.beside(line)),
                Shown::Line(line) => text.push_str(&(self.line(line.iter()) + "\n")),
            }
        }
        text
    }

    fn line<'l>(&self, pieces: impl Iterator<Item = &'l Piece>) -> String {
        pieces.map(|piece| self.piece(piece)).collect()
    }

    fn piece(&self, piece: &Piece) -> String {
        let (colour, before, after) = marks(piece.side);
        let text = without_steering(&piece.text);
        match (piece.side, self.colour) {
            (Side::Both, _) => text,
            (_, true) => format!("{colour}{text}\u{1b}[0m"),
            (_, false) => format!("{before}{text}{after}"),
        }
    }

    /// The gold's part of a line on the left, the extraction's on the right.
    fn beside(&self, line: &Line) -> String {
        let column = self.width.saturating_sub(3) / 2;
        let [left, right] = [Side::Excess, Side::Missing].map(|other| {
            let own = line.iter().filter(|piece| piece.side != other);
            wrapped(own, column)
        });
        let mut text = String::new();
        for at in 0..left.len().max(right.len()) {
            let [left, right] = [&left, &right].map(|cells| cells.get(at).map(Vec::as_slice).unwrap_or_default());
            let space = column.saturating_sub(left.iter().map(|piece| piece.text.width()).sum());
            let line = format!("{}{} | {}", self.line(left.iter()), " ".repeat(space), self.line(right.iter()));
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

/// The pieces in lines of at most `column` cells; a word that is longer has a line of its own.
fn wrapped<'l>(pieces: impl Iterator<Item = &'l Piece>, column: usize) -> Vec<Vec<Piece>> {
    let mut lines: Vec<Vec<Piece>> = vec![Vec::new()];
    let mut used = 0;
    for piece in pieces {
        // The marks of a line without colour take room; two cells each side at most.
        let marks = if piece.side == Side::Both { 0 } else { 4 };
        for word in piece.text.split_word_bounds() {
            let cells = word.width();
            let is_begun = lines.last().is_some_and(|line| line.last().is_some_and(|last| last.side == piece.side));
            let needed = cells + if is_begun { 0 } else { marks };
            if used + needed > column && used > 0 {
                lines.push(Vec::new());
                used = 0;
            }
            let line = lines.last_mut().expect("there is a line");
            if line.is_empty() && word == " " {
                continue;
            }
            match line.last_mut() {
                Some(last) if last.side == piece.side => last.text.push_str(word),
                _ => {
                    line.push(Piece { side: piece.side, text: word.to_owned() });
                    used += marks;
                }
            }
            used += cells;
        }
    }
    lines
}

fn is_coloured(colour: Colour) -> bool {
    match colour {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
    }
}

/// The terminal's columns; 120 where there is none.
fn width() -> usize {
    const NONE: usize = 120;
    plain_table(["x"].into_iter()).width().map_or(NONE, usize::from)
}
