//! A gate's verdict as JUnit XML: a suite a dataset, a case a row and rule.

use std::collections::BTreeSet;

use crate::decisions::gate::{Checked, Judgement, Outcome, RowJudgement};
use crate::runs::rules::Level;

use super::words::{self, Short, change, check, fall, plain, reason, site_of};

/// A case, and what became of it.
struct Case {
    suite: String,
    class: String,
    name: String,
    /// The element's name, its message, and what stands in it; `None` where all is well.
    fault: Option<(&'static str, String, String)>,
}

/// The verdict. A broken rule of level `error` is a failure. One of level `warn`, and a fall that is not ruled out, are told in
/// a case that passes. A rule that cannot be judged, or has nothing to judge, is skipped. Changed conditions, and pages that the run lacks, are errors.
pub(super) fn write(judgement: &Judgement, short_id: Short<'_>) -> String {
    let mut cases: Vec<Case> = judgement
        .changes
        .iter()
        .map(|one| Case {
            suite: "conditions".to_owned(),
            class: "carat.conditions".to_owned(),
            name: one.key.clone(),
            fault: Some(("error", change(one, short_id, &plain), String::new())),
        })
        .collect();
    cases.extend(words::apart(judgement, short_id, &plain).into_iter().map(|(dataset, name, sentence)| Case {
        class: format!("carat.{dataset}"),
        suite: dataset,
        name: name.to_owned(),
        fault: Some(("error", sentence, String::new())),
    }));
    cases.extend(judgement.told_checks().into_iter().map(|(row, check)| case(row, check, short_id)));
    document(&cases)
}

/// The document of a gate without a verdict: one case, which is an error.
pub(super) fn unjudged(sentence: &str) -> String {
    document(&[Case {
        suite: "gate".to_owned(),
        class: "carat.gate".to_owned(),
        name: "verdict".to_owned(),
        fault: Some(("error", format!("cannot judge: {}", plain(sentence)), String::new())),
    }])
}

fn document(cases: &[Case]) -> String {
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    text.push_str(&format!("<testsuites name=\"carat gate\"{}>\n", totals(&cases.iter().collect::<Vec<_>>())));
    let suites: BTreeSet<&String> = cases.iter().map(|case| &case.suite).collect();
    for suite in suites {
        let own: Vec<&Case> = cases.iter().filter(|case| case.suite == *suite).collect();
        text.push_str(&format!("<testsuite name=\"{}\"{}>\n", escaped(suite), totals(&own)));
        own.iter().for_each(|case| text.push_str(&element(case)));
        text.push_str("</testsuite>\n");
    }
    text + "</testsuites>\n"
}

fn case(row: &RowJudgement, checked: &Checked, short_id: Short<'_>) -> Case {
    let element = match (checked.outcome, checked.level) {
        (Outcome::Passed, _) => None,
        (Outcome::CannotJudge | Outcome::NothingToJudge, _) => Some("skipped"),
        (Outcome::Broken, Level::Error) => Some("failure"),
        (Outcome::Broken | Outcome::DidNotFall, _) => Some("system-out"),
    };
    let pages = checked.worst.iter().map(|page| {
        let command = page.command.as_ref().map_or(String::new(), |command| format!("  {command}\n"));
        let (id, site) = (short_id(&page.page), site_of(page, short_id));
        format!("{id} ({site}): {}{}\n{command}", fall(page), reason(page, &plain))
    });
    Case {
        suite: row.dataset.clone(),
        class: format!("carat.{}.{}", row.dataset, row.row),
        name: checked.rule.clone(),
        fault: element.map(|element| (element, check(row, checked, &plain), pages.collect())),
    }
}

/// The counts of cases as attributes.
fn totals(cases: &[&Case]) -> String {
    let of = |name: &str| {
        let is = |case: &&&Case| case.fault.as_ref().is_some_and(|(element, ..)| *element == name);
        cases.iter().filter(is).count()
    };
    format!(
        " tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"",
        cases.len(),
        of("failure"),
        of("error"),
        of("skipped")
    )
}

fn element(case: &Case) -> String {
    let head = format!("<testcase classname=\"{}\" name=\"{}\"", escaped(&case.class), escaped(&case.name));
    match &case.fault {
        None => format!("{head}/>\n"),
        Some(("system-out", message, pages)) => {
            format!("{head}><system-out>{}\n{}</system-out></testcase>\n", escaped(message), escaped(pages))
        }
        Some((element, message, pages)) => {
            let message = escaped(message);
            format!("{head}><{element} message=\"{message}\">{}</{element}></testcase>\n", escaped(pages))
        }
    }
}

/// Text for an element or an attribute; what XML cannot hold is replaced.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\r' | '\t' => escaped.push_str(&format!("&#{};", c as u32)),
            '\u{0}'..'\u{20}' | '\u{FFFE}' | '\u{FFFF}' => escaped.push('\u{FFFD}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_no_markup() {
        assert_eq!(
            escaped("]]><a b=\"c\">&\u{1}\r\n\u{FFFF}页"),
            "]]&gt;&lt;a b=&quot;c&quot;&gt;&amp;\u{FFFD}&#13;&#10;\u{FFFD}页"
        );
    }
}
