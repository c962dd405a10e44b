//! A run on one page of Markdown, for a pull request: conditions, rows with intervals and letters, and what changed since
//! another run.

use std::path::Path;

use crate::decisions::changes::{Changes, Fallen, RowChange};
use crate::report::markdown::{self, cells_line, code, code_in_html, within_comment};
use crate::report::stats::{Stats, StatsRow};
use crate::report::table_format::four;
use crate::report::{agreement, conditions, roles};
use crate::runs::agreement::DatasetAgreement;
use crate::runs::run_folder::RunInfo;
use crate::runs::summary::{Summary, SummaryRow};
use crate::statistics::{Estimate, Verdict};

use crate::command_line::compare::{interval, signed};
use crate::command_line::gate::showing;

/// Pages that are told.
pub(super) const SHOWN: usize = 10;

/// Rows of all datasets that are told: more would be no page any more.
const MOST_ROWS: usize = 16;
/// Rows of each dataset that are told even so.
const LEAST_ROWS: usize = 3;
/// Names of rows in a sentence.
const NAMED: usize = 5;

/// What changed since another run.
pub(super) struct Since {
    /// The folder of the run.
    pub(super) run: String,
    /// The folder of the other one.
    pub(super) baseline: String,
    /// By dataset.
    pub(super) changes: Vec<Changes>,
}

impl Since {
    fn of(&self, dataset: &str) -> Option<&Changes> {
        self.changes.iter().find(|changes| changes.dataset == dataset)
    }
}

/// The page; it begins with a mark that is not shown, by which a comment is found again.
pub(super) fn write(summary: &Summary, stats: &Stats<'_>, info: &RunInfo, since: Option<&Since>) -> String {
    let name = &summary.name;
    let mut text = format!("<!-- carat report {} -->\n## carat report {}\n", within_comment(name), code(name));
    text.extend(since.map(|since| format!("\n{}\n", headline(since))));
    let datasets: Vec<&str> = summary.conditions.datasets.keys().map(String::as_str).collect();
    let most = (MOST_ROWS / datasets.len().max(1)).max(LEAST_ROWS);
    let mut notes = Vec::new();
    for dataset in &datasets {
        let rows = stats.rows_of(dataset);
        let agreement = summary.agreement.iter().find(|agreement| agreement.dataset == **dataset);
        let agreement = agreement.map(|agreement| without_gold(summary, agreement));
        if let (Some(agreement), true) = (&agreement, rows.is_empty()) {
            text.push_str(agreement);
            continue;
        }
        // The conditions are the last.
        let (conditions, others) = split_last(stats.notes_of(dataset));
        text.push_str(&format!("\n{}\n", code(&conditions)));
        text.push_str(&table(&rows[..rows.len().min(most)], since.and_then(|since| since.of(dataset))));
        if rows.len() > most {
            text.push_str(&format!("\nThe best {most} of {} rows.\n", rows.len()));
        }
        text.extend(roles(summary, dataset, &rows[..rows.len().min(most)]));
        text.extend(agreement);
        notes.extend(others.into_iter().filter(|note| !notes.contains(note)).collect::<Vec<_>>());
    }
    text.extend(since.map(fallen));
    let failures = info.failures.len();
    if failures > 0 {
        text.push_str(&format!("\n{failures} failures; the first: {}\n", code(&info.failures[0].reason)));
    }
    text + &systems(summary, stats, &datasets, most, info, &notes)
}

/// How far systems agree on the pages of a dataset that have no gold.
fn without_gold(summary: &Summary, agreement: &DatasetAgreement) -> String {
    let conditions = conditions::line_without_gold(summary, &agreement.dataset);
    if agreement.systems.len() < 2 {
        return format!("\n{}\n\n{}.\n", code(&conditions), agreement::ALONE);
    }
    if agreement.systems.len() > MOST_ROWS {
        let told = format!("{} systems: their matrix is in tables/agreement.md", agreement.systems.len());
        return format!("\n{}\n\n{told}.\n", code(&conditions));
    }
    let header = agreement::header(agreement);
    let matrix = markdown::table(header.iter().map(String::as_str), &[0], 1, agreement::matrix(agreement));
    let (pages, key) = (agreement::pages(agreement), agreement::KEY);
    format!("\n{}\n\n{matrix}\nOn {pages}: {key}.\n", code(&conditions))
}

/// What the rows hold of each role; `None` where no page of the dataset has roles.
fn roles(summary: &Summary, dataset: &str, shown: &[StatsRow<'_>]) -> Option<String> {
    let own: Vec<&SummaryRow> = shown.iter().filter_map(|row| summary_row(summary, dataset, row)).collect();
    let (header, lines) = roles::matrix(&own)?;
    // Roles are named by the dataset.
    let header: Vec<String> =
        [String::from("row")].into_iter().chain(header.iter().skip(2).map(|role| code(role))).collect();
    let rule: Vec<String> =
        (0..header.len()).map(|column| if column == 0 { "---" } else { "---:" }.to_owned()).collect();
    let mut text = format!("\n{}{}", cells_line(&header), cells_line(&rule));
    for line in lines {
        let name = code(&named(&line[0], &line[1]));
        text.push_str(&cells_line(&[name].into_iter().chain(line.into_iter().skip(2)).collect::<Vec<_>>()));
    }
    Some(text + &format!("\n{}; FP: false positives.\n", roles::KEY))
}

/// The row of a summary whose estimates these are.
fn summary_row<'s>(summary: &'s Summary, dataset: &str, row: &StatsRow<'_>) -> Option<&'s SummaryRow> {
    let is_it = |known: &&SummaryRow| {
        known.dataset == dataset && known.algorithm == row.algorithm && known.label() == row.setting
    };
    summary.rows.iter().find(is_it)
}

fn split_last(mut notes: Vec<String>) -> (String, Vec<String>) {
    (notes.pop().unwrap_or_default(), notes)
}

/// What became of the rows, in a sentence.
fn headline(since: &Since) -> String {
    let rows = || since.changes.iter().flat_map(|changes| &changes.rows);
    let verdicts = [Verdict::Better, Verdict::Worse, Verdict::Same, Verdict::NotSeparable];
    let count = |verdict: &Verdict| (rows().filter(|row| row.verdict == *verdict).count(), verdict.name());
    let counts = verdicts.iter().map(count).filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, name)| format!("{count} {name}")).collect();
    let falls: usize = since.changes.iter().map(|changes| changes.falls).sum();
    let mut text = format!("Since {}: ", code(&since.baseline));
    text.push_str(&match counts.is_empty() {
        true => "no row has a page with gold in both.".to_owned(),
        false => format!("of {} rows {}; F1 fell {falls} times on a page.", rows().count(), counts.join(", ")),
    });
    for (what, named) in [
        ("Gone", names(since, |changes| &changes.gone)),
        ("New", names(since, |changes| &changes.new)),
        ("Without a common page", names(since, |changes| &changes.left_out)),
    ] {
        text.extend(named.map(|named| format!(" {what}: {named}.")));
    }
    text
}

/// Some of the rows that are not held against themselves.
fn names(since: &Since, of: fn(&Changes) -> &Vec<String>) -> Option<String> {
    let all: Vec<&String> = since.changes.iter().flat_map(of).collect();
    let mut named: Vec<String> = all.iter().take(NAMED).map(|name| code(name)).collect();
    if all.len() > NAMED {
        named.push(format!("{} more", all.len() - NAMED));
    }
    (!named.is_empty()).then(|| named.join(", "))
}

/// The rows, with what became of them since another run.
fn table(rows: &[StatsRow<'_>], changes: Option<&Changes>) -> String {
    let mut header = vec!["row", "pages", "F1", "95 % interval", "letters"];
    let mut rule = vec!["---", "---:", "---:", "---:", "---"];
    if changes.is_some() {
        header.extend(["before", "difference", "95 % interval", "higher/equal/lower", ""]);
        rule.extend(["---:", "---:", "---:", "---:", "---"]);
    }
    let head = |cells: Vec<&str>| cells_line(&cells.into_iter().map(str::to_owned).collect::<Vec<_>>());
    let mut text = format!("\n{}{}", head(header), head(rule));
    for row in rows {
        let name = named(row.algorithm, row.setting);
        let mut cells = vec![code(&name), row.pages.to_string(), four(row.f1.point), interval(row.f1, four)];
        cells.push(row.letters.to_owned());
        cells.extend(changes.iter().flat_map(|changes| change(row, changes)));
        text.push_str(&cells_line(&cells));
    }
    text
}

fn named(algorithm: &str, setting: &str) -> String {
    if setting.is_empty() { algorithm.to_owned() } else { format!("{algorithm}:{setting}") }
}

/// What became of a row: five cells.
fn change(row: &StatsRow<'_>, changes: &Changes) -> [String; 5] {
    let is_it =
        |change: &&RowChange| (change.algorithm.as_str(), change.setting.as_str()) == (row.algorithm, row.setting);
    let Some(change) = changes.rows.iter().find(is_it) else {
        let is_left_out = changes.left_out.contains(&named(row.algorithm, row.setting));
        return ["", "", "", "", if is_left_out { "no common page" } else { "new" }].map(str::to_owned);
    };
    let Estimate { point, .. } = change.difference;
    let verdict = match change.verdict {
        verdict @ (Verdict::Better | Verdict::Worse) => format!("**{}**", verdict.name()),
        verdict => verdict.name().to_owned(),
    };
    let counts = change.higher_equal_lower.map(|count| count.to_string()).join("/");
    [four(change.before), signed(point), interval(&change.difference, signed), counts, verdict]
}

/// The pages that fell most, folded.
fn fallen(since: &Since) -> String {
    let mut all: Vec<(&str, &Fallen)> = Vec::new();
    for changes in &since.changes {
        all.extend(changes.fallen.iter().map(|fallen| (changes.dataset.as_str(), fallen)));
    }
    let depth = |(_, fallen): &(&str, &Fallen)| fallen.f1[0] - fallen.f1[1];
    all.sort_by(|one, other| depth(other).total_cmp(&depth(one)));
    all.truncate(SHOWN);
    if all.is_empty() {
        return String::new();
    }
    let mut text = format!("\n<details><summary>The {} deepest falls of F1 on a page</summary>\n\n", all.len());
    text.push_str("| page | site | row | before | now |\n| --- | --- | --- | ---: | ---: |\n");
    for (_, Fallen { page, site, row, f1: [before, now] }) in &all {
        text.push_str(&cells_line(&[code(page), code(site), code(row), four(*before), four(*now)]));
    }
    let (dataset, first) = all[0];
    let command = showing(Path::new(&since.run), (dataset, &first.row, &first.page));
    text + &format!("\n{} shows the first.\n\n</details>\n", code(&command))
}

/// Whose figures they are and what must be known to read them, folded.
fn systems(
    summary: &Summary,
    stats: &Stats<'_>,
    datasets: &[&str],
    most: usize,
    info: &RunInfo,
    notes: &[String],
) -> String {
    let mut text =
        format!("\n<details><summary>Systems and figures (carat {})</summary>\n\n", code_in_html(&info.carat));
    text.push_str(&markdown::list(notes));
    text.push_str(&format!("- result digest {}\n", code(&info.result_digest)));
    let mut told: Vec<&str> = Vec::new();
    for dataset in datasets {
        for row in stats.rows_of(dataset).iter().take(most) {
            let system = summary_row(summary, dataset, row).map(|row| row.system.as_str());
            told.extend(system.filter(|system| !told.contains(system)));
        }
    }
    text.extend(told.iter().map(|system| format!("- {}\n", code(system))));
    text + "\n</details>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_one_that_a_shell_takes_whatever_the_page_is_called() {
        let fallen_page = Fallen {
            page: "p;$(rm x)'".to_owned(),
            site: "s".to_owned(),
            row: "cevc:alpha=0.5".to_owned(),
            f1: [0.9, 0.1],
        };
        let changes = Changes {
            dataset: "d".to_owned(),
            rows: Vec::new(),
            gone: Vec::new(),
            new: Vec::new(),
            left_out: vec!["nta".to_owned()],
            fallen: vec![fallen_page],
            falls: 1,
        };
        let since = Since { run: "my run".to_owned(), baseline: "before".to_owned(), changes: vec![changes] };
        let told = fallen(&since);
        let command = "carat diff 'my run' 'p;$(rm x)'\\''' --dataset d --algorithm cevc:alpha=0.5";
        assert!(told.contains(command), "{told}");
        let headline = headline(&since);
        assert_eq!(headline, "Since `before`: no row has a page with gold in both. Without a common page: `nta`.");
    }
}
