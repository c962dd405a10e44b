//! A gate's verdict for a terminal.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::decisions::gate::{
    Acceptance, Faults, Judgement, NewPages, Of, Outcome, PageFall, Replaced, RowFaults, RowJudgement,
};
use crate::formats::inert::one_line;
use crate::report::table_format::{four, plain_table, six, table_lines};
use crate::text::counted;

use super::words::{
    Accepting, SHOWN, Short, apart, change, check, fall, faults, headline, listed, notes, parts, plain, reason, site_of,
};
use crate::command_line::compare::signed;

/// The verdict, every broken rule, the worst pages and how to see them, and a table of all rows.
pub(super) fn write(judgement: &Judgement, accepting: &Accepting, short_id: Short<'_>) -> String {
    let mut lines = vec![headline(judgement, &plain)];
    lines.extend(judgement.changes.iter().map(|one| format!("  {}", change(one, short_id, &plain))));
    lines.extend(apart(judgement, short_id, &plain).into_iter().map(|(.., sentence)| format!("  {sentence}")));
    for (row, broken) in judgement.checks(Outcome::Broken) {
        lines.push(format!("{}: {}", broken.level.name(), check(row, broken, &plain)));
    }
    for (row, unknown) in judgement.checks(Outcome::CannotJudge) {
        lines.push(format!("cannot judge: {}", check(row, unknown, &plain)));
    }
    lines.extend(worst(judgement, short_id));
    lines.extend(rows(&judgement.rows));
    lines.extend(notes(judgement, accepting, short_id, &plain));
    lines.into_iter().map(|line| one_line(&line) + "\n").collect()
}

/// A page that fell, under each rule that names it.
struct Fallen<'j> {
    dataset: &'j str,
    page: &'j PageFall,
    /// By what was measured.
    falls: Vec<(Of, String)>,
    /// The rules of each row.
    rules: Vec<(&'j str, Vec<&'j str>)>,
}

/// The worst pages of the rules, each once, with a command that shows it.
fn worst(judgement: &Judgement, short_id: Short<'_>) -> Vec<String> {
    let (fallen, more) = fallen(judgement);
    let mut lines = Vec::new();
    for Fallen { page, falls, rules, .. } in &fallen {
        lines.push(format!(
            "  {} ({}): {}",
            short_id(&page.page),
            site_of(page, short_id),
            falls.iter().map(|(_, told)| told.as_str()).collect::<Vec<_>>().join("; ")
        ));
        // One rule is told above.
        if rules.iter().map(|(_, rules)| rules.len()).sum::<usize>() > 1 {
            let of_row = |(row, rules): &(&str, Vec<&str>)| format!("{} of {row}", rules.join(", "));
            lines.push(format!("    {}", rules.iter().map(of_row).collect::<Vec<_>>().join("; ")));
        }
        lines.extend(page.command.iter().map(|command| format!("    {command}")));
    }
    if more > 0 {
        lines.push(format!("  and {more} more, in --format json"));
    }
    lines
}

/// The worst pages of the rules, in the order of these, and how many pages more there are.
fn fallen(judgement: &Judgement) -> (Vec<Fallen<'_>>, usize) {
    let judged = [Outcome::Broken, Outcome::CannotJudge].into_iter().flat_map(|outcome| judgement.checks(outcome));
    let (mut fallen, mut all): (Vec<Fallen<'_>>, BTreeSet<(&str, &str)>) = (Vec::new(), BTreeSet::new());
    for (row, check) in judged {
        for (place, page) in check.worst.iter().enumerate() {
            all.insert((&row.dataset, &page.page));
            let known = fallen.iter().position(|known| known.dataset == row.dataset && known.page.page == page.page);
            let at = known.or_else(|| {
                let one = Fallen { dataset: &row.dataset, page, falls: Vec::new(), rules: Vec::new() };
                (place < SHOWN).then(|| fallen.push(one)).map(|()| fallen.len() - 1)
            });
            let Some(one) = at.map(|at| &mut fallen[at]) else { continue };
            if one.falls.iter().all(|(of, _)| *of != page.of) {
                one.falls.push((page.of, fall(page) + &reason(page, &plain)));
            }
            match one.rules.iter_mut().find(|(known, _)| *known == row.row) {
                Some((_, rules)) => rules.push(&check.rule),
                None => one.rules.push((&row.row, vec![&check.rule])),
            }
        }
    }
    let more = all.len() - fallen.len();
    (fallen, more)
}

fn rows(rows: &[RowJudgement]) -> Vec<String> {
    if rows.is_empty() {
        return Vec::new();
    }
    let mut table = plain_table([
        "row", "dataset", "pages", "sites", "baseline F1", "F1", "difference", "higher/equal/lower",
        "failed/empty/not run",
    ]);
    for row in rows {
        let [before, now] = row.macro_f1;
        let counts = row.higher_equal_lower.map(|count| count.to_string()).join("/");
        let mut cells = vec![row.row.clone(), row.dataset.clone(), row.pages.to_string(), row.sites.to_string()];
        cells.extend([four(before), four(now), signed(now - before), counts, faults(row)]);
        table.add_row(cells);
    }
    table_lines(table, 2)
}

/// A row of which some pages have no extraction.
fn faulty(row: &RowFaults) -> String {
    let Faults { failed, empty, not_run } = row.faults;
    format!("{} on {}: {failed} failed, {empty} empty, {not_run} not run", row.row, row.dataset)
}

/// A row that extracts nothing at all.
fn silent(row: &RowFaults) -> String {
    format!("warning: {} on {} extracts nothing from any page, and passes like that from now on", row.row, row.dataset)
}

/// A row's macro F1 before and now, and the parts of its system that are others now.
fn replaced(one: &Replaced) -> String {
    let Replaced { dataset, row, from, to, on_pages_of_both, system, baseline_system } = one;
    let (before, now) = one.of_same_pages();
    let word = match now.total_cmp(&before) {
        Ordering::Less => "lowered",
        Ordering::Equal => "as it was",
        Ordering::Greater => "raised",
    };
    let changed = baseline_system
        .as_ref()
        .map_or(String::new(), |before| format!(", {} -> {}", parts(before, system), parts(system, before)));
    let figures = match on_pages_of_both {
        None => format!("macro F1: {} -> {}", four(*from), four(*to)),
        Some(both) => {
            let pages = counted(both.pages, "page");
            // A change that four digits do not show is one.
            let digits: fn(f64) -> String = if before != now && four(before) == four(now) { six } else { four };
            let [before, now, from, to] = [both.from, both.to, *from, *to].map(digits);
            format!("macro F1 of the {pages} that both have: {before} -> {now}; of all pages of each: {from} -> {to}")
        }
    };
    format!("{word}: {row} on {dataset}, {figures}{changed}")
}

/// What accepting a run changes, a line each; all that is lowered.
pub(super) fn accepted(acceptance: &Acceptance, short_id: Short<'_>) -> String {
    let mut lines: Vec<String> =
        acceptance.changes.iter().map(|one| format!("other conditions: {}", change(one, short_id, &plain))).collect();
    lines.extend(acceptance.rows.iter().map(replaced));
    lines.extend(acceptance.lowered_pages.iter().map(|one| {
        let failed = if one.failed { ", failed" } else { "" };
        let word = if one.to < one.from { "lowered" } else { "as it was" };
        let page = short_id(one.page.as_deref().unwrap_or_default());
        format!("{word}: {} on {}, {page}: {} -> {}{failed}", one.row, one.dataset, four(one.from), four(one.to))
    }));
    for dropped in &acceptance.dropped {
        let page = dropped.page.as_ref().map_or(String::new(), |page| format!(", {}", short_id(page)));
        let f1 = dropped.f1.map_or(String::new(), |f1| format!(" (F1 {})", four(f1)));
        lines.push(format!("no longer gated: {} on {}{page}{f1}", dropped.row, dropped.dataset));
    }
    lines.extend(acceptance.faults.iter().filter(|row| row.faults != Faults::default()).map(faulty));
    lines.extend(acceptance.faults.iter().filter(|row| row.faults.empty == row.pages).map(silent));
    lines.extend(acceptance.new_rows.iter().map(|(dataset, row)| format!("gated from now on: {row} on {dataset}")));
    for NewPages { dataset, row, pages } in &acceptance.new_pages {
        let own = acceptance.faults.iter().find(|faults| (&faults.dataset, &faults.row) == (dataset, row));
        let is_failing = |page: &String| own.is_some_and(|own| own.failing_pages.contains(page));
        let (failing, gated): (Vec<String>, Vec<String>) = pages.iter().cloned().partition(is_failing);
        if !failing.is_empty() {
            let (all, failing) = (counted(failing.len(), "page"), listed(&failing, short_id, &plain));
            lines.push(format!("passes as it fails from now on: {row} on {all} of {dataset}: {failing}"));
        }
        if !gated.is_empty() {
            let (all, gated) = (counted(gated.len(), "page"), listed(&gated, short_id, &plain));
            lines.push(format!("gated from now on: {all} of {row} on {dataset}: {gated}"));
        }
    }
    if acceptance.raised_pages > 0 {
        lines.push(format!("raised: {}", counted(acceptance.raised_pages, "page score")));
    }
    lines.into_iter().map(|line| one_line(&line) + "\n").collect()
}
