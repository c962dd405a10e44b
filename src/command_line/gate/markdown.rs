//! A gate's verdict as Markdown: for a job's summary, or a comment on a pull request.

use crate::decisions::gate::{Checked, Judgement, Outcome, PageFall, RowJudgement};
use crate::report::markdown::{block, cells_line, code, code_in_html, within_comment};
use crate::report::table_format::four;

use super::words::{Short, change, check, fall, faults, headline, notes, reason, site_of};
use crate::command_line::compare::signed;

/// A comment is read in a minute: so many findings, rules with their pages, pages of a rule, rows, and notes are shown. The
/// other formats have all.
const ITEMS: usize = 6;
const RULES: usize = 2;
const PAGES: usize = 3;
const ROWS: usize = 6;
const NOTES: usize = 4;

/// The text that a row lacks of a page and takes beyond it, if that can be told.
pub(super) type Excerpt<'e> = &'e dyn Fn(&RowJudgement, &PageFall) -> Option<String>;

/// The verdict; it begins with a mark that is not shown, by which a comment is found again. `name` tells one gate
/// from another. The worst page has its `excerpt`.
pub(super) fn write(
    judgement: &Judgement,
    (name, accepting): (&str, &str),
    short_id: Short<'_>,
    excerpt: Excerpt<'_>,
) -> String {
    let mut text = titled(name, &headline(judgement, &code));
    let mut items: Vec<String> = judgement.changes.iter().map(|one| change(one, &code)).collect();
    for (row, broken) in judgement.checks(Outcome::Broken) {
        items.push(format!("**{}**: {}", broken.level.name(), check(row, broken, &code)));
    }
    for (row, unknown) in judgement.checks(Outcome::CannotJudge) {
        items.push(format!("**cannot judge**: {}", check(row, unknown, &code)));
    }
    text.push_str(&list(&items, ITEMS));
    let judged = [Outcome::Broken, Outcome::CannotJudge].into_iter().flat_map(|outcome| judgement.checks(outcome));
    let with_pages: Vec<_> = judged.filter(|(_, check)| !check.worst.is_empty()).take(RULES).collect();
    if let Some((row, fall)) = with_pages.first().and_then(|(row, check)| Some((row, check.worst.first()?)))
        && let Some(lines) = excerpt(row, fall)
    {
        text.push_str(&format!("\n{lines}"));
    }
    with_pages.iter().for_each(|(row, check)| text.push_str(&worst(row, check, short_id)));
    text.push_str(&rows(&judgement.rows));
    text.push_str(&list(&notes(judgement, accepting, short_id, &code), NOTES));
    text
}

/// The text of a gate `name` without a verdict.
pub(super) fn unjudged(name: &str, sentence: &str) -> String {
    let lines: Vec<String> = sentence.lines().map(str::to_owned).collect();
    format!("{}\n{}", titled(name, "cannot judge"), block("text", &lines))
}

/// The mark by which the comment is found again, and its title.
fn titled(name: &str, title: &str) -> String {
    format!("<!-- carat gate {} -->\n## carat gate {title}\n", within_comment(name))
}

fn list(items: &[String], most: usize) -> String {
    if items.is_empty() {
        return String::new();
    }
    let mut text: String = items.iter().take(most).map(|item| format!("- {item}\n")).collect();
    if items.len() > most {
        text.push_str(&format!("- and {} more, in the other formats\n", items.len() - most));
    }
    format!("\n{text}")
}

/// The worst pages of a rule, folded.
fn worst(row: &RowJudgement, check: &Checked, short_id: Short<'_>) -> String {
    let shown = check.worst.len().min(PAGES);
    let [rule, row] = [&check.rule, &row.row].map(|name| code_in_html(name));
    let title = format!("{rule} of {row}: the worst {shown} of {} pages", check.worst.len());
    let mut text = format!("\n<details><summary>{title}</summary>\n\n");
    text.push_str("| page | site | fall | command |\n| --- | --- | --- | --- |\n");
    for page in check.worst.iter().take(PAGES) {
        let PageFall { page: id, command, .. } = page;
        text.push_str(&cells_line(&[
            code(&short_id(id)),
            code(&site_of(page, short_id)),
            fall(page) + &reason(page, &code),
            code(command),
        ]));
    }
    text + "\n</details>\n"
}

fn rows(rows: &[RowJudgement]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut text = "\n| row | dataset | pages | sites | baseline F1 | F1 | difference | higher/equal/lower | failed/empty/not run |\n\
                    | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        .to_owned();
    // Those that fell most.
    let mut shown: Vec<&RowJudgement> = rows.iter().collect();
    shown.sort_by(|one, other| (one.macro_f1[1] - one.macro_f1[0]).total_cmp(&(other.macro_f1[1] - other.macro_f1[0])));
    for row in shown.into_iter().take(ROWS) {
        let [before, now] = row.macro_f1;
        let counts = row.higher_equal_lower.map(|count| count.to_string()).join("/");
        let mut cells = vec![code(&row.row), code(&row.dataset), row.pages.to_string(), row.sites.to_string()];
        cells.extend([four(before), four(now), signed(now - before), counts, faults(row)]);
        text.push_str(&cells_line(&cells));
    }
    if rows.len() > ROWS {
        text.push_str(&format!("\n{} more rows did not fall further\n", rows.len() - ROWS));
    }
    text
}
