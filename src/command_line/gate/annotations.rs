//! A gate's verdict as annotations of GitHub Actions (workflow commands).

use crate::decisions::gate::{Checked, Judgement, Outcome};
use crate::formats::inert::lines;
use crate::runs::rules::Level;

use super::words::{IDLE, SHOWN, Short, apart, change, check, fall, plain, reason};

/// The title of what could not be judged.
const CANNOT_JUDGE: &str = "carat gate cannot judge";

/// A line each; errors first, for GitHub shows ten of a kind.
pub(super) fn write(judgement: &Judgement, short_id: Short<'_>) -> Vec<String> {
    let changes = judgement.changes.iter().map(|one| change(one, short_id, &plain));
    let lost = apart(judgement, short_id, &plain).into_iter().map(|(.., sentence)| sentence);
    let idle = judgement.judged_nothing().then(|| IDLE.to_owned());
    let mut lines: Vec<String> =
        changes.chain(lost).chain(idle).map(|told| command("error", CANNOT_JUDGE, &told)).collect();
    for level in [Level::Error, Level::Warn] {
        let kind = if level == Level::Error { "error" } else { "warning" };
        for (row, broken) in judgement.checks(Outcome::Broken).filter(|(_, check)| check.level == level) {
            let message = format!("{}{}", check(row, broken, &plain), worst(broken, short_id));
            lines.push(command(kind, &format!("carat gate: {} of {}", broken.rule, row.row), &message));
        }
    }
    for (row, unknown) in judgement.checks(Outcome::CannotJudge) {
        lines.push(command("warning", CANNOT_JUDGE, &check(row, unknown, &plain)));
    }
    lines
}

/// The line that says why there is no verdict.
pub(super) fn unjudged(sentence: &str) -> String {
    command("error", CANNOT_JUDGE, sentence)
}

fn worst(check: &Checked, short_id: Short<'_>) -> String {
    check
        .worst
        .iter()
        .take(SHOWN)
        .map(|page| format!("\n{}: {}{}", plain(&short_id(&page.page)), fall(page), reason(page, &plain)))
        .collect()
}

/// A workflow command: <https://docs.github.com/actions/reference/workflow-commands-for-github-actions>.
fn command(kind: &str, title: &str, message: &str) -> String {
    let [title, message] = [title, message].map(|text| data(&lines(text)));
    format!("::{kind} title={}::{message}", title.replace(':', "%3A").replace(',', "%2C"))
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_command_early() {
        assert_eq!(
            command("error", "a::b,c%\n", "100 %\r\n::error::x\u{1b}[1m##[group]"),
            "::error title=a%3A%3Ab%2Cc%25%0A::100 %25\u{FFFD}%0A\u{FFFD}:error::x\u{FFFD}[1m#\u{FFFD}[group]"
        );
    }
}
