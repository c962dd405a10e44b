//! A gate's verdict as Markdown: for a job's summary, or a comment on a pull request.

use crate::decisions::gate::{Checked, Judgement, Outcome, PageFall, RowJudgement};
use crate::report::markdown::{cells_line, code, code_in_html, within_comment};
use crate::report::table_format::four;

use super::words::{SHOWN, change, check, fall, faults, headline, notes};
use crate::command_line::compare::signed;

/// The verdict; it begins with a mark that is not shown, by which a comment is found again. `name` tells one gate
/// from another.
pub(super) fn write(judgement: &Judgement, name: &str, accepting: &str) -> String {
    let mut text =
        format!("<!-- carat gate {} -->\n## carat gate {}\n", within_comment(name), headline(judgement, &code));
    let mut items: Vec<String> = judgement.changes.iter().map(|one| change(one, &code)).collect();
    for (row, broken) in judgement.checks(Outcome::Broken) {
        items.push(format!("**{}**: {}", broken.level.name(), check(row, broken, &code)));
    }
    for (row, unknown) in judgement.checks(Outcome::CannotJudge) {
        items.push(format!("**cannot judge**: {}", check(row, unknown, &code)));
    }
    text.push_str(&list(&items));
    for outcome in [Outcome::Broken, Outcome::CannotJudge] {
        judgement.checks(outcome).for_each(|(row, check)| text.push_str(&worst(row, check)));
    }
    text.push_str(&rows(&judgement.rows));
    text.push_str(&list(&notes(judgement, accepting, &code)));
    text
}

fn list(items: &[String]) -> String {
    if items.is_empty() {
        return String::new();
    }
    format!("\n{}", items.iter().map(|item| format!("- {item}\n")).collect::<String>())
}

/// The worst pages of a rule, folded.
fn worst(row: &RowJudgement, check: &Checked) -> String {
    if check.worst.is_empty() {
        return String::new();
    }
    let shown = check.worst.len().min(SHOWN);
    let [rule, row] = [&check.rule, &row.row].map(|name| code_in_html(name));
    let title = format!("{rule} of {row}: the worst {shown} of {} pages", check.worst.len());
    let mut text = format!("\n<details><summary>{title}</summary>\n\n");
    text.push_str("| page | site | fall | command |\n| --- | --- | --- | --- |\n");
    for page in check.worst.iter().take(SHOWN) {
        let PageFall { page: id, site, command, .. } = page;
        text.push_str(&cells_line(&[code(id), code(site), fall(page), code(command)]));
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
    for row in rows {
        let [before, now] = row.macro_f1;
        let counts = row.higher_equal_lower.map(|count| count.to_string()).join("/");
        let mut cells = vec![code(&row.row), code(&row.dataset), row.pages.to_string(), row.sites.to_string()];
        cells.extend([four(before), four(now), signed(now - before), counts, faults(row)]);
        text.push_str(&cells_line(&cells));
    }
    text
}
