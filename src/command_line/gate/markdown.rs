//! A gate's verdict as Markdown: for a job's summary, or a comment on a pull request.

use crate::decisions::gate::{Checked, Judgement, Of, Outcome, PageFall, RowJudgement};
use crate::report::markdown::{block, cells_line, code, code_in_html, within_comment};
use crate::report::table_format::four;
use crate::text::counted;

use super::excerpt::shortened;
use super::words::{Accepting, Short, apart, change, check, fall, faults, headline, notes, reason, site_of, values};
use crate::command_line::compare::signed;

/// A comment is read in a minute: so many findings, rules with their pages, pages of a rule, rows, and notes are shown. The
/// other formats have all.
const ITEMS: usize = 6;
const RULES: usize = 2;
const PAGES: usize = 3;
const ROWS: usize = 6;
const NOTES: usize = 4;

/// So many characters of a reason are shown: it may hold all that a program wrote as it ended.
const REASON: usize = 160;

/// The text that a row lacks of a page and takes beyond it, if that can be told.
pub(super) type Excerpt<'e> = &'e dyn Fn(&RowJudgement, &PageFall) -> Option<String>;

/// The verdict; it begins with a mark that is not shown, by which a comment is found again. `name` tells one gate
/// from another. The worst page has its `excerpt`.
pub(super) fn write(
    judgement: &Judgement,
    (name, accepting): (&str, &Accepting),
    short_id: Short<'_>,
    excerpt: Excerpt<'_>,
) -> String {
    let mut text = titled(name, &headline(judgement, &code));
    let judged = [Outcome::Broken, Outcome::CannotJudge].into_iter().flat_map(|outcome| judgement.checks(outcome));
    let with_pages: Vec<_> = judged.filter(|(_, check)| fallen(check).next().is_some()).take(RULES).collect();
    let has_table = |check: &Checked| with_pages.iter().any(|(_, shown)| std::ptr::eq(*shown, check));
    let mut items: Vec<String> = judgement.changes.iter().map(|one| change(one, short_id, &code)).collect();
    items.extend(apart(judgement, short_id, &code).into_iter().map(|(.., sentence)| sentence));
    for (row, broken) in judgement.checks(Outcome::Broken) {
        let worst = if has_table(broken) { String::new() } else { named(broken, short_id) };
        items.push(format!("**{}**: {}{worst}", broken.level.name(), check(row, broken, &code)));
    }
    for (row, unknown) in judgement.checks(Outcome::CannotJudge) {
        items.push(format!("**cannot judge**: {}", check(row, unknown, &code)));
    }
    text.push_str(&list(&items, ITEMS));
    text.extend(first_failure(judgement, short_id));
    // A page that failed has no text, and what changed in one of equal score may be white space or markup, which no word shows.
    let lost = |(_, fall): &(&RowJudgement, &PageFall)| fall.of == Of::Score && fall.difference < 0.0;
    let shown = with_pages.iter().flat_map(|(row, check)| fallen(check).take(PAGES).map(move |fall| (*row, fall)));
    let mut shown = shown.filter(lost);
    let lines = shown.find_map(|(row, fall)| excerpt(row, fall));
    text.extend(lines.map(|lines| format!("\n{lines}")));
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

/// The pages of a rule, the worst first, without those whose score rose.
fn fallen(check: &Checked) -> impl Iterator<Item = &PageFall> {
    check.worst.iter().filter(|page| page.of != Of::Score || page.difference <= 0.0)
}

/// The first page that failed, and why: the comment tells it without being unfolded.
fn first_failure(judgement: &Judgement, short_id: Short<'_>) -> Option<String> {
    judgement.checks(Outcome::Broken).find_map(|(row, check)| {
        let page = check.worst.iter().find(|page| page.reason.is_some())?;
        let [id, row] = [&short_id(&page.page), &row.row].map(|name| code(name));
        Some(format!("\n{row} failed on {id}{}\n", reason(page, &beginning)))
    })
}

/// The beginning of a reason.
fn beginning(reason: &str) -> String {
    code(&shortened(reason, REASON))
}

/// The worst pages of a rule that has no table, behind its sentence.
fn named(check: &Checked, short_id: Short<'_>) -> String {
    let pages = fallen(check).take(PAGES).map(|page| format!("{} {}", code(&short_id(&page.page)), values(page)));
    let pages: Vec<String> = pages.collect();
    if pages.is_empty() { String::new() } else { format!("; worst: {}", pages.join(", ")) }
}

/// The worst pages of a rule, folded.
fn worst(row: &RowJudgement, check: &Checked, short_id: Short<'_>) -> String {
    let pages = fallen(check).count();
    let shown = pages.min(PAGES);
    let [rule, row] = [&check.rule, &row.row].map(|name| code_in_html(name));
    let title = format!("{rule} of {row}: the worst {shown} of {}", counted(pages, "page"));
    let mut text = format!("\n<details><summary>{title}</summary>\n\n");
    text.push_str("| page | site | fall | command |\n| --- | --- | --- | --- |\n");
    for page in fallen(check).take(PAGES) {
        let PageFall { page: id, command, .. } = page;
        text.push_str(&cells_line(&[
            code(&short_id(id)),
            code(&site_of(page, short_id)),
            fall(page) + &reason(page, &beginning),
            command.as_deref().map_or(String::new(), code),
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
