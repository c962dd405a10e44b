//! A run on one page of Markdown, for a pull request: conditions, rows with intervals and letters, and what changed since
//! another run.

use std::path::Path;

use crate::decisions::changes::{Changes, Fallen, RowChange};
use crate::report::language::Language;
use crate::report::localised_text::LocalisedText;
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
pub(super) fn write(
    summary: &Summary,
    stats: &Stats<'_>,
    info: &RunInfo,
    since: Option<&Since>,
    language: Language,
) -> String {
    let name = &summary.name;
    let mut text = format!("<!-- carat report {} -->\n## carat report {}\n", within_comment(name), code(name));
    text.extend(since.map(|since| format!("\n{}\n", headline(since).in_language(language))));
    let datasets: Vec<&str> = summary.conditions.datasets.keys().map(String::as_str).collect();
    let most = (MOST_ROWS / datasets.len().max(1)).max(LEAST_ROWS);
    let mut notes = Vec::new();
    for dataset in &datasets {
        let rows = stats.rows_of(dataset);
        let agreement = summary.agreement.iter().find(|agreement| agreement.dataset == **dataset);
        let agreement = agreement.map(|agreement| without_gold(summary, agreement, language));
        if let (Some(agreement), true) = (&agreement, rows.is_empty()) {
            text.push_str(agreement);
            continue;
        }
        // The conditions are the last.
        let told = stats.notes_of(dataset).into_iter().map(|note| note.in_language(language).to_owned());
        let (conditions, others) = split_last(told.collect());
        text.push_str(&format!("\n{}\n", code(&conditions)));
        text.push_str(&table(&rows[..rows.len().min(most)], since.and_then(|since| since.of(dataset)), language));
        if rows.len() > most {
            let words = ["The best {0} of {1} rows.", "共 {1} 行，以上为最佳的 {0} 行。"];
            let told = LocalisedText::new(words, [most.to_string(), rows.len().to_string()]);
            text.push_str(&format!("\n{}\n", told.in_language(language)));
        }
        text.extend(roles(summary, dataset, &rows[..rows.len().min(most)], language));
        text.extend(agreement);
        notes.extend(others.into_iter().filter(|note| !notes.contains(note)).collect::<Vec<_>>());
    }
    text.extend(since.map(|since| fallen(since, language)));
    let failures = info.failure_count();
    if failures > 0 {
        let values = [failures.to_string(), code(&info.failures[0].reason)];
        let told = LocalisedText::new(["{0} failures; the first: {1}", "{0} 次失败；第一个：{1}"], values);
        text.push_str(&format!("\n{}\n", told.in_language(language)));
    }
    text + &systems(summary, stats, &datasets, most, info, &notes, language)
}

/// How far systems agree on the pages of a dataset that have no gold.
fn without_gold(summary: &Summary, agreement: &DatasetAgreement, language: Language) -> String {
    let conditions = conditions::told_without_gold(summary, &agreement.dataset);
    let (matrix, told) = match agreement.systems.len() {
        0 | 1 => (String::new(), LocalisedText::words(agreement::ALONE)),
        2..=MOST_ROWS => {
            let header = agreement::header(agreement, language);
            (markdown::table(header, &[0], 1, agreement::matrix(agreement)) + "\n", agreement::key(agreement))
        }
        _ => (String::new(), agreement::in_file(agreement)),
    };
    let told = LocalisedText::sentence(&[told]);
    format!("\n{}\n\n{matrix}{}\n", code(conditions.in_language(language)), told.in_language(language))
}

/// What the rows hold of each role; `None` where no page of the dataset has roles.
fn roles(summary: &Summary, dataset: &str, shown: &[StatsRow<'_>], language: Language) -> Option<String> {
    let own: Vec<&SummaryRow> = shown.iter().filter_map(|row| summary_row(summary, dataset, row)).collect();
    let (header, lines) = roles::matrix(&own, language)?;
    // Roles are named by the dataset.
    let header: Vec<String> =
        language.say_all(["row"]).into_iter().chain(header.iter().skip(2).map(|role| code(role))).collect();
    let rule: Vec<String> =
        (0..header.len()).map(|column| if column == 0 { "---" } else { "---:" }.to_owned()).collect();
    let mut text = format!("\n{}{}", cells_line(&header), cells_line(&rule));
    for line in lines {
        let name = code(&named(&line[0], &line[1]));
        text.push_str(&cells_line(&[name].into_iter().chain(line.into_iter().skip(2)).collect::<Vec<_>>()));
    }
    let words = ["{0} FP: false positives.", "{0}"];
    let key = LocalisedText::new(words, [LocalisedText::words(roles::KEY)]);
    Some(text + &format!("\n{}\n", key.in_language(language)))
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
fn headline(since: &Since) -> LocalisedText {
    let rows = || since.changes.iter().flat_map(|changes| &changes.rows);
    let verdicts = [Verdict::Better, Verdict::Worse, Verdict::Same, Verdict::NotSeparable];
    let count = |verdict: &Verdict| (rows().filter(|row| row.verdict == *verdict).count(), verdict.name());
    let counts = verdicts.iter().map(count).filter(|(count, _)| *count > 0);
    let told = |(count, name): (usize, &str)| {
        LocalisedText::new(["{0} {1}", "{0} 行{1}"], [count.to_string().into(), LocalisedText::said(name)])
    };
    let counts: Vec<LocalisedText> = counts.map(told).collect();
    let falls: usize = since.changes.iter().map(|changes| changes.falls).sum();
    let mut sentences = vec![match counts.is_empty() {
        true => LocalisedText::new(
            [
                "Since {0}: no row has a page with gold in both.",
                "自 {0} 以来：没有任何一行在两次运行中有共同的带标注页面。",
            ],
            [code(&since.baseline)],
        ),
        false => LocalisedText::new(
            [
                "Since {0}: of {1} rows {2}; F1 fell {3} times on a page.",
                "自 {0} 以来：{1} 行中{2}；页面的 F1 下降 {3} 次。",
            ],
            [
                code(&since.baseline).into(),
                rows().count().to_string().into(),
                LocalisedText::list(&counts),
                falls.to_string().into(),
            ],
        ),
    }];
    let named = [
        (["Gone: {0}.", "消失：{0}。"], names(since, |changes| &changes.gone)),
        (["New: {0}.", "新增：{0}。"], names(since, |changes| &changes.new)),
        (["Without a common page: {0}.", "没有共同页面：{0}。"], names(since, |changes| &changes.left_out)),
    ];
    sentences.extend(named.into_iter().filter_map(|(words, named)| Some(LocalisedText::new(words, [named?]))));
    LocalisedText::spaced(&sentences)
}

/// Some of the rows that are not held against themselves.
fn names(since: &Since, of: fn(&Changes) -> &Vec<String>) -> Option<LocalisedText> {
    let all: Vec<&String> = since.changes.iter().flat_map(of).collect();
    let mut named: Vec<LocalisedText> = all.iter().take(NAMED).map(|name| code(name).into()).collect();
    if all.len() > NAMED {
        named.push(LocalisedText::new(["{0} more", "另有 {0} 个"], [(all.len() - NAMED).to_string()]));
    }
    (!named.is_empty()).then(|| LocalisedText::list(&named))
}

/// The rows, with what became of them since another run.
fn table(rows: &[StatsRow<'_>], changes: Option<&Changes>, language: Language) -> String {
    let mut header = vec!["row", "pages", "F1", "95 % interval", "letters"];
    let mut rule = vec!["---", "---:", "---:", "---:", "---"];
    if changes.is_some() {
        header.extend(["before", "difference", "95 % interval", "higher/equal/lower", ""]);
        rule.extend(["---:", "---:", "---:", "---:", "---"]);
    }
    let head = |cells: Vec<&str>| cells_line(&language.say_all(cells));
    let mut text = format!("\n{}{}", head(header), head(rule));
    for row in rows {
        let name = named(row.algorithm, row.setting);
        let mut cells = vec![code(&name), row.pages.to_string(), four(row.f1.point), interval(row.f1, four)];
        cells.push(row.letters.to_owned());
        cells.extend(changes.iter().flat_map(|changes| change(row, changes, language)));
        text.push_str(&cells_line(&cells));
    }
    text
}

fn named(algorithm: &str, setting: &str) -> String {
    if setting.is_empty() { algorithm.to_owned() } else { format!("{algorithm}:{setting}") }
}

/// What became of a row: five cells.
fn change(row: &StatsRow<'_>, changes: &Changes, language: Language) -> [String; 5] {
    let is_it =
        |change: &&RowChange| (change.algorithm.as_str(), change.setting.as_str()) == (row.algorithm, row.setting);
    let Some(change) = changes.rows.iter().find(is_it) else {
        let is_left_out = changes.left_out.contains(&named(row.algorithm, row.setting));
        let what = if is_left_out { ["no common page", "没有共同页面"] } else { ["new", "新增"] };
        return ["", "", "", "", language.of(what)].map(str::to_owned);
    };
    let Estimate { point, .. } = change.difference;
    let name = language.say(change.verdict.name());
    let verdict = match change.verdict {
        Verdict::Better | Verdict::Worse => format!("**{name}**"),
        _ => name.into_owned(),
    };
    let counts = change.higher_equal_lower.map(|count| count.to_string()).join("/");
    [four(change.before), signed(point), interval(&change.difference, signed), counts, verdict]
}

/// The pages that fell most, folded.
fn fallen(since: &Since, language: Language) -> String {
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
    let words = ["The {0} deepest falls of F1 on a page", "页面 F1 下降最多的 {0} 处"];
    let title = LocalisedText::new(words, [all.len().to_string()]);
    let header = cells_line(&language.say_all(["page", "site", "row", "before", "now"]));
    let title = title.in_language(language);
    let mut text = format!("\n<details><summary>{title}</summary>\n\n{header}| --- | --- | --- | ---: | ---: |\n");
    for (_, Fallen { page, site, row, f1: [before, now] }) in &all {
        text.push_str(&cells_line(&[code(page), code(site), code(row), four(*before), four(*now)]));
    }
    let (dataset, first) = all[0];
    let command = showing(Path::new(&since.run), (dataset, &first.row, &first.page));
    let shows = LocalisedText::new(["{0} shows the first.", "{0} 显示第一处。"], [code(&command)]);
    text + &format!("\n{}\n\n</details>\n", shows.in_language(language))
}

/// Whose figures they are and what must be known to read them, folded.
fn systems(
    summary: &Summary,
    stats: &Stats<'_>,
    datasets: &[&str],
    most: usize,
    info: &RunInfo,
    notes: &[String],
    language: Language,
) -> String {
    let words = ["Systems and figures (carat {0})", "系统与数值（carat {0}）"];
    let title = LocalisedText::new(words, [code_in_html(&info.carat)]);
    let digest = LocalisedText::new(["result digest {0}", "结果摘要 {0}"], [code(&info.result_digest)]);
    let mut text = format!("\n<details><summary>{}</summary>\n\n", title.in_language(language));
    text.push_str(&markdown::list(notes));
    text.push_str(&format!("- {}\n", digest.in_language(language)));
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
        let told = fallen(&since, Language::English);
        let command = "carat diff 'my run' 'p;$(rm x)'\\''' --dataset d --algorithm cevc:alpha=0.5";
        assert!(told.contains(command), "{told}");
        let headline = headline(&since).to_string();
        assert_eq!(headline, "Since `before`: no row has a page with gold in both. Without a common page: `nta`.");
    }
}
