//! `carat diff`.

mod before;
mod pages;

use std::io::{self, IsTerminal};
use std::path::Path;

use crate::datasets::manifest::encode_id;
use crate::formats::inert::{one_line, without_steering};
use crate::formats::shell::shell_word;
use crate::report::conditions;
use crate::report::families::is_at_default;
use crate::report::html::label;
use crate::report::language::Language;
use crate::report::localised_text::{LocalisedText, filled};
use crate::report::table_format::{four, plain_table, table_lines};
use crate::runs::compared_pages::{ComparedPage, ComparedPages, ComparedRow};
use crate::runs::pages::{RowOnPage, RunPage, RunPages};
use crate::runs::results::{UNFIT, WITHOUT};
use crate::runs::run_folder::{RunFolder, RunInfo};
use crate::runs::summary::{Summary, SummaryRow};
use crate::scoring::Counts;
use crate::text::diff::{Line, Piece, Shown, Side, diff as laid_over, with_context};
use crate::text::tokens::Case;
use serde_json::{Value as Json, json};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use self::before::before_and_now;
use self::pages::changed_pages;
use crate::command_line::arguments::{self, Colour, Format};
use crate::command_line::failure::Failure;
use crate::command_line::output::{print_coloured, print_json, tell};
use crate::formats::code::Exit;

/// Prints a page's gold with what extractions lack of it and have beyond it.
pub(crate) fn diff(arguments: arguments::Diff) -> Result<(), Failure> {
    let run = RunFolder::open(&arguments.run)?;
    let Some(page) = &arguments.page else {
        return match &arguments.before {
            Some(before) => changed_pages(&arguments, before, &run),
            None => Err(Failure::request(
                "say which page is meant, or with --before FOLDER which earlier run: then pages are listed",
            )),
        };
    };
    let (summary, info) = (run.summary()?, run.info());
    let found = find(&run, &summary, arguments.dataset.as_deref(), page)?;
    if let Some(before) = &arguments.before {
        return match info.circumstances.texts {
            true => before_and_now(&arguments, before, &summary, &found),
            false => Err(no_texts(&arguments.run)),
        };
    }
    let page = match found {
        Found::WithGold(page) => page,
        Found::WithoutGold(page) => return without_gold(&arguments, &summary, info, &page),
    };
    if arguments.a.is_some() || arguments.b.is_some() {
        return of_two_rows(&arguments, &summary, info, &page);
    }
    let rows = asked_for(&summary, &page, &arguments.algorithm)?;
    let Some(gold) = page.gold.as_deref().filter(|_| info.circumstances.texts) else {
        return Err(no_texts(&arguments.run));
    };
    let case = summary.conditions.case.parse().unwrap_or_default();
    let failures = run.failures(|failure| (&failure.dataset, &failure.page) == (&page.dataset, &page.id))?;
    let reason = |row: &RowOnPage| {
        let why =
            failures.iter().find(|failure| failure.is_of((&page.dataset, &page.id), &row.algorithm, &row.parameters));
        why.map(|failure| failure.reason.clone())
    };
    if arguments.format == Format::Json {
        let told = rows.iter().map(|row| in_json(row, gold, case, reason(row)));
        return print_json(&json!({
            "dataset": page.dataset, "page": page.id, "gold": gold, "conditions": summary.conditions,
            "rows": told.collect::<Vec<_>>(),
        }));
    }
    let language = arguments.language.of(&arguments.run);
    let style = Style::of(&arguments, ["missing", "excess"], language);
    let mut text = String::new();
    if rows.len() > 1 && arguments.algorithm.is_empty() {
        text.push_str(&without_steering(&overview(&summary, &page, &rows, language)));
    } else {
        for rows in by_text(&summary, &page, &rows) {
            let row = rows[0];
            text.push_str(&without_steering(&heading(&page, &rows, language)));
            match &row.text {
                Some(extraction) => {
                    let lines = laid_over(gold, extraction, case);
                    text.push_str(&style.body([gold, extraction], &lines, arguments.context));
                }
                None => {
                    let reason = reason(row).unwrap_or_else(|| language.say(why_no_text(&row.status)).into_owned());
                    text.push_str(&format!("{}\n", one_line(&reason)));
                }
            }
            text.push('\n');
        }
        text.push_str(&style.legend());
    }
    text.push_str(&format!("{}\n", one_line(conditions::told(&summary, &page.dataset).in_language(language))));
    print_coloured(&text)
}

/// A page of a run.
enum Found {
    WithGold(RunPage),
    WithoutGold(ComparedPage),
}

impl Found {
    /// The dataset's name and the page's id.
    fn names(&self) -> [&str; 2] {
        match self {
            Found::WithGold(page) => [&page.dataset, &page.id],
            Found::WithoutGold(page) => [&page.line.dataset, &page.line.page],
        }
    }

    fn gold(&self) -> Option<&String> {
        match self {
            Found::WithGold(page) => page.gold.as_ref(),
            Found::WithoutGold(_) => None,
        }
    }
}

/// The page of the run whose id is `page`, or begins so.
fn find(run: &RunFolder, summary: &Summary, dataset: Option<&str>, page: &str) -> Result<Found, Failure> {
    if let Some(unknown) = dataset.filter(|dataset| !summary.conditions.datasets.contains_key(*dataset)) {
        let known: Vec<&str> = summary.conditions.datasets.keys().map(String::as_str).collect();
        return Err(Failure::request(format!(
            "the run has no dataset `{}`; it has {}",
            one_line(unknown),
            known.join(", ")
        )));
    }
    // Of a run of many pages only those that may be meant are held.
    let (wanted, encoded) = (page, encode_id(page));
    let is_meant = |of: &str, id: &str| {
        dataset.is_none_or(|dataset| dataset == of) && (id.starts_with(wanted) || id.starts_with(&encoded))
    };
    let mut pages = RunPages::read_some(run, |page| is_meant(page.dataset(), page.id()))?;
    let mut compared = ComparedPages::read_some(run, summary, |line| is_meant(&line.dataset, &line.page))?;
    if pages.iter().len() + compared.iter().len() == 0 {
        // What is told then are near names.
        (pages, compared) = (RunPages::read(run)?, ComparedPages::read(run, summary)?);
    }
    match pages.find(dataset, page) {
        Ok(found)
            if ![wanted, &encoded].contains(&found.id())
                && compared.iter().any(|line| is_meant(&line.dataset, &line.page)) =>
        {
            Err(Failure::request(format!(
                "`{}` begins the ids of pages with gold and of pages without: give more of the id",
                one_line(page)
            )))
        }
        Ok(found) => Ok(Found::WithGold(pages.open(found)?)),
        Err(missing) => match compared.find(dataset, page) {
            Ok(line) => Ok(Found::WithoutGold(compared.open(line)?)),
            // Where every page has gold, or none has, the near names are those of the others.
            Err(nearer) if pages.iter().len() == 0 => Err(nearer.into()),
            Err(_) => Err(missing.into()),
        },
    }
}

/// Why a row that did not fail has no text on a page.
fn why_no_text(status: &str) -> &'static str {
    match status {
        WITHOUT => "does not count, for neither the gold nor the extraction has what the measure looks for",
        UNFIT => "does not count, for the measure cannot be taken of it; run.json says why",
        _ => "was not run",
    }
}

fn no_texts(run: &Path) -> Failure {
    let message = format!("{} holds no texts: it was run with --no-texts", run.display());
    Failure::new(Exit::Data, message)
}

/// A text that is laid over another one.
struct Laid<'t> {
    /// Whose it is.
    name: &'t str,
    text: &'t str,
}

/// Prints the texts of two rows laid over each other, with how far they agree where that is known.
fn print_two(
    arguments: &arguments::Diff,
    summary: &Summary,
    (dataset, page): (&str, &str),
    [a, b]: [Laid<'_>; 2],
    f1: Option<f64>,
) -> Result<(), Failure> {
    let case = summary.conditions.case.parse().unwrap_or_default();
    let lines = laid_over(a.text, b.text, case);
    if arguments.format == Format::Json {
        let of = |laid: &Laid<'_>| json!({"row": laid.name, "extraction": laid.text});
        return print_json(&json!({
            "dataset": dataset, "page": page, "conditions": summary.conditions, "a": of(&a), "b": of(&b), "f1": f1,
            "lines": lines,
        }));
    }
    let language = arguments.language.of(&arguments.run);
    let style = Style::of(arguments, ["in_a", "in_b"], language);
    let agreement = f1.map_or(String::new(), |f1| language.fill("F1 of the two texts {0}", &[four(f1)]) + "\n");
    let named = |laid: &Laid<'_>| match laid.text.trim().is_empty() {
        true => language.fill("{0} (extracted nothing)", &[laid.name]),
        false => laid.name.to_owned(),
    };
    let texts = [a.text, b.text];
    let (a, b) = (named(&a), named(&b));
    let mut text = without_steering(&format!("{}\nA: {a}\nB: {b}\n{agreement}\n", page_of([page, dataset], language)));
    text.push_str(&style.body(texts, &lines, arguments.context));
    text.push('\n');
    text.push_str(&style.legend());
    print_coloured(&text)
}

/// Two rows on a page that has gold.
fn of_two_rows(arguments: &arguments::Diff, summary: &Summary, info: &RunInfo, page: &RunPage) -> Result<(), Failure> {
    let (Some(a), Some(b)) = (&arguments.a, &arguments.b) else {
        return Err(Failure::request("--a and --b go together: each names a row; one row alone is --algorithm ROW"));
    };
    let one = |spec: &String| {
        let meant = asked_for(summary, page, std::slice::from_ref(spec))?;
        only_one(spec, &meant, |row| row.name())
    };
    let rows = [one(a)?, one(b)?];
    if !info.circumstances.texts {
        return Err(no_texts(&arguments.run));
    }
    let names = rows.map(RowOnPage::name);
    let text = |place: usize| -> Result<Laid<'_>, Failure> {
        let text = rows[place].text.as_deref().ok_or_else(|| {
            Failure::request(format!("`{}` has no text on this page: {}", names[place], rows[place].status))
        })?;
        Ok(Laid { name: &names[place], text })
    };
    print_two(arguments, summary, (&page.dataset, &page.id), [text(0)?, text(1)?], None)
}

/// Two rows on a page without gold: those that are asked for, or those that agree least.
fn without_gold(
    arguments: &arguments::Diff,
    summary: &Summary,
    info: &RunInfo,
    page: &ComparedPage,
) -> Result<(), Failure> {
    let id = one_line(&page.line.page);
    if !arguments.algorithm.is_empty() {
        let message = format!("{id} has no gold, so two rows are laid over each other: say --a ROW --b ROW");
        return Err(Failure::request(message));
    }
    let named = |spec: &String| {
        let meant = compared_rows(page, std::slice::from_ref(spec))?;
        only_one(spec, &meant, |row| row.name())
    };
    let pair = match (&arguments.a, &arguments.b) {
        (Some(a), Some(b)) => [named(a)?, named(b)?],
        (None, None) => {
            page.least().ok_or_else(|| Failure::request(format!("no two rows extracted a text from {id}")))?
        }
        (Some(one), None) | (None, Some(one)) => {
            let one = named(one)?;
            let others = page.rows.iter().filter(|other| other.label != one.label);
            let known = others.filter_map(|other| Some((page.f1(one, other)?, other)));
            let least = known.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, other)| other);
            [one, least.ok_or_else(|| Failure::request(format!("no two rows extracted a text from {id}")))?]
        }
    };
    if !info.circumstances.texts {
        return Err(no_texts(&arguments.run));
    }
    let laid = |row: &'_ ComparedRow| -> Result<(String, String), Failure> {
        let text = row.text.clone().ok_or_else(|| {
            Failure::request(format!("`{}` has no text on {id}: {}", row.label, one_line(row.why_no_text())))
        })?;
        Ok((row.label.clone(), text))
    };
    let [(a, of_a), (b, of_b)] = [laid(pair[0])?, laid(pair[1])?];
    let texts = [Laid { name: &a, text: &of_a }, Laid { name: &b, text: &of_b }];
    print_two(arguments, summary, (&page.line.dataset, &page.line.page), texts, page.f1(pair[0], pair[1]))?;
    if arguments.a.is_none() && arguments.b.is_none() && arguments.format == Format::Text {
        let names: Vec<String> = page.rows.iter().map(|row| one_line(&row.label)).collect();
        tell(&format!("these two agree least; choose with --a ROW --b ROW among: {}", names.join(", ")));
    }
    Ok(())
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

/// The same of a page without gold.
fn compared_rows<'p>(page: &'p ComparedPage, specs: &[String]) -> Result<Vec<&'p ComparedRow>, Failure> {
    let is_meant = |spec: &&String| !page.rows_meant(std::slice::from_ref(spec)).is_empty();
    if let Some(spec) = specs.iter().find(|spec| !is_meant(spec)) {
        let hint = crate::text::hint(spec, page.rows.iter().map(|row| row.label.as_str()));
        let (id, spec) = (one_line(&page.line.page), one_line(spec));
        return Err(Failure::request(format!("no row that is compared on {id} is `{spec}`; {hint}")));
    }
    Ok(page.rows_meant(specs))
}

/// The row that `spec` means, where it means one alone.
fn only_one<'r, R>(spec: &str, meant: &[&'r R], name: impl Fn(&R) -> String) -> Result<&'r R, Failure> {
    match meant {
        [row] => Ok(row),
        several => {
            let (spec, first) = (one_line(spec), shell_word(&name(several[0])));
            Err(Failure::request(format!("`{spec}` is {} rows; say which, as in {first}", several.len())))
        }
    }
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
fn overview(summary: &Summary, page: &RunPage, rows: &[&RowOnPage], language: Language) -> String {
    let mut rows = rows.to_vec();
    let readers = summary.readers_of_gold();
    let is_of = |row: &RowOnPage, reader: &SummaryRow| reader.dataset == page.dataset && row.is_of(reader);
    let reads_gold = |row: &RowOnPage| readers.iter().find(|reader| is_of(row, reader)).map(|reader| reader.mark());
    let f1 = |row: &RowOnPage| row.score.map(|(_, score)| score.values()[2]);
    rows.sort_by_key(|row| (reads_gold(row).is_some(), std::cmp::Reverse(f1(row))));
    let mut table = plain_table(language.say_all(["row", "precision", "recall", "F1", ""]));
    for row in &rows {
        let mut cells = vec![row.name()];
        match row.score {
            Some((_, score)) => cells.extend(score.fractions().map(four)),
            None => cells.extend(["-"; 3].map(str::to_owned)),
        }
        let mark = reads_gold(row).unwrap_or_default();
        cells.push(language.say(if row.status == "ok" { &mark } else { &row.status }).into_owned());
        table.add_row(cells);
    }
    let best = rows.first().map(|row| row.name()).unwrap_or_default();
    format!(
        "{}\n{}\n{}\n",
        page_of([&page.id, &page.dataset], language),
        table_lines(table, 1).join("\n"),
        language.fill("choose with --algorithm, such as --algorithm {0}", &[shell_word(&best)])
    )
}

/// The rows that have one text on the page, a group each; within a group the default comes first.
fn by_text<'p>(summary: &Summary, page: &RunPage, rows: &[&'p RowOnPage]) -> Vec<Vec<&'p RowOnPage>> {
    // Without a text there is a reason, which is that of an algorithm.
    let outcome = |row: &'p RowOnPage| {
        (row.text.as_ref().ok_or((&row.status, &row.algorithm)), row.score.map(|(counts, _)| counts))
    };
    let mut groups: Vec<Vec<&RowOnPage>> = Vec::new();
    for &row in rows {
        match groups.iter_mut().find(|group| outcome(group[0]) == outcome(row)) {
            Some(group) if group.iter().any(|other| std::ptr::eq(*other, row)) => {}
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    let defaults: Vec<&SummaryRow> =
        summary.rows.iter().filter(|row| row.dataset == page.dataset && is_at_default(row)).collect();
    groups.iter_mut().for_each(|group| group.sort_by_key(|row| !defaults.iter().any(|default| row.is_of(default))));
    groups
}

fn heading(page: &RunPage, rows: &[&RowOnPage], language: Language) -> String {
    let score = match rows[0].score {
        None => language.say(&rows[0].status).into_owned(),
        Some((Counts { matched, extracted, gold }, score)) => {
            let [precision, recall, f1] = score.fractions().map(four);
            let words = language.say_all(["precision", "recall"]);
            let counts = [matched, extracted, gold].map(|count| count.to_string());
            let counts = filled(label("counts", language), |place| &counts[place]);
            format!("{} {precision}  {} {recall}  F1 {f1}  {counts}", words[0], words[1])
        }
    };
    let colon = label("colon", language);
    let names: Vec<String> = rows.iter().map(|row| row.name()).collect();
    format!("{}{colon}{}\n{score}\n\n", page_of([&page.id, &page.dataset], language), names.join(" = "))
}

/// A page's id with the name of its dataset.
fn page_of(names: [&str; 2], language: Language) -> String {
    LocalisedText::new(["{0} of {1}", "{1} 的 {0}"], names).in_language(language).to_owned()
}

/// How differences are marked and laid out.
struct Style {
    colour: bool,
    side_by_side: bool,
    width: usize,
    /// The words for what is in one text alone, and in the other.
    sides: [&'static str; 2],
    language: Language,
}

/// How far two texts of the same words are alike.
fn same_words([one, other]: [&str; 2]) -> &'static str {
    let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    match one == other {
        true => "the same text",
        false if letters(one) == letters(other) => "the same words; only white space is other",
        false => "the same words; capitals or white space are other",
    }
}

/// White space as a sign that can be seen.
fn visible(c: char) -> char {
    match c {
        '\n' => '↵',
        '\t' => '→',
        c if c.is_whitespace() => '·',
        c => c,
    }
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
    /// The `sides` are labels of the report.
    fn of(arguments: &arguments::Diff, sides: [&str; 2], language: Language) -> Self {
        let colour = is_coloured(arguments.colour);
        let sides = sides.map(|name| label(name, language));
        Style { colour, side_by_side: arguments.side_by_side, width: width(), sides, language }
    }

    fn legend(&self) -> String {
        let piece = |side, text: &str| self.piece(&Piece { side, text: text.to_owned() });
        format!("{}  {}\n", piece(Side::Missing, self.sides[0]), piece(Side::Excess, self.sides[1]))
    }

    /// The `lines` of two `texts` that are laid over each other.
    fn body(&self, texts: [&str; 2], lines: &[Line], context: usize) -> String {
        let mut text = String::new();
        if lines.iter().flatten().all(|piece| piece.side == Side::Both) {
            text.push_str(&format!("{}\n", self.language.say(same_words(texts))));
            if texts[0] != texts[1] {
                return text + &self.first_apart(texts);
            }
        }
        for shown in with_context(lines, context) {
            match shown {
                Shown::Skipped(count) => {
                    let words = if count == 1 { "a line that both have" } else { "{0} lines that both have" };
                    text.push_str(&format!("  .. {}\n", self.language.say(&filled(words, |_| count.to_string()))));
                }
                Shown::Line(line) if self.side_by_side => text.push_str(&self.beside(line)),
                Shown::Line(line) => text.push_str(&(self.line(line.iter()) + "\n")),
            }
        }
        text
    }

    /// Counts the lines of two texts of the same words, and shows the first place where they differ, with signs for white space.
    fn first_apart(&self, texts: [&str; 2]) -> String {
        const AROUND: usize = 20;
        let same = texts[0].chars().zip(texts[1].chars()).take_while(|(one, other)| one == other).count();
        let around = |text: &str| {
            let part = text.chars().skip(same.saturating_sub(AROUND)).take(2 * AROUND);
            without_steering(&part.map(visible).collect::<String>())
        };
        let lines = texts.map(|text| text.lines().count().to_string());
        let [[one, other], [here, there]] = [lines, texts.map(around)];
        let words = "  lines: {0} and {1}; first apart here: {2} | {3}";
        self.language.fill(words, &[one, other, here, there]) + "\n"
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
    plain_table(["x"]).width().map_or(NONE, usize::from)
}
