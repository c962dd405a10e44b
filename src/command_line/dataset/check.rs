//! `carat dataset check`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crate::datasets::Dataset;
use crate::datasets::check::{Finding, GoldLines, Kind, KindCount, Level, Means, Report, check, without_errors};
use crate::datasets::import::write::{Layout, write};
use crate::datasets::load::Loading;
use crate::datasets::locate::locate_with;
use crate::datasets::manifest::Compression;
use crate::formats::code::Exit;
use crate::formats::inert::one_line;
use crate::report::markdown::code;
use crate::report::table_format::four;
use crate::text::counted;
use serde_json::json;

use crate::command_line::arguments::{Check, VerdictFormat};
use crate::command_line::failure::Failure;
use crate::command_line::output::{print, print_json, tell};

/// Findings of a kind that are shown to people.
const SHOWN: usize = 5;

/// Checks a dataset, and fails where there are errors.
pub(super) fn check_dataset(arguments: &Check) -> Result<(), Failure> {
    arguments.fix.as_deref().map_or(Ok(()), refuse_used)?;
    let dataset =
        locate_with(&arguments.dataset, Loading { gold_outside: arguments.trust.gold_outside, ..Loading::KEEP_GOING })?;
    let report = check(&dataset)?;
    match arguments.format {
        VerdictFormat::Text => print(&text(&report))?,
        VerdictFormat::Md => print(&markdown(&report))?,
        VerdictFormat::Json => print_json(&as_json(&report))?,
    }
    if let Some(folder) = &arguments.fix {
        fix(&dataset, &report, folder)?;
    }
    match report.count(Level::Error) {
        0 => Ok(()),
        errors => {
            let mut message = format!("`{}` has {}", report.dataset, counted(errors, "error"));
            if let Some(folder) = &arguments.fix {
                message += &format!("; {} is the dataset without those pages", folder.display());
            }
            Err(Failure::new(Exit::Check, message))
        }
    }
}

/// The findings on a dataset of pages that shall get gold later, as lines of text.
///
/// # Errors
/// [`Failure`]: the dataset cannot be read.
pub(super) fn of_pages(folder: &Path) -> Result<String, Failure> {
    // A folder is meant, whatever dataset has its name.
    let folder = if folder.is_relative() { Path::new(".").join(folder) } else { folder.to_owned() };
    let mut report = check(&locate_with(&folder.to_string_lossy(), Loading::KEEP_GOING)?)?;
    report.findings.retain(|finding| finding.kind != Kind::NoGold);
    Ok(text(&report))
}

/// Writes the dataset without the pages that have errors.
fn fix(dataset: &Dataset, report: &Report, folder: &Path) -> Result<(), Failure> {
    let fixed = without_errors(dataset, report)?;
    let (kept, all) = (fixed.records.len(), dataset.records.len() + report.dropped);
    if kept == 0 {
        return Err(Failure::new(Exit::Data, "every page has an error, so that no dataset would be left"));
    }
    write(&fixed, folder, Layout::Files(Compression::Zstd))?;
    tell(&format!("{}: {kept} of {}, those without errors", folder.display(), counted(all, "page")));
    tell_left_out(report);
    report.lost.iter().for_each(|lost| tell(&format!("warning: without {lost}, which cannot be read")));
    Ok(())
}

/// Names pages with errors, each with its first, and the way to keep one whose label alone is wrong.
fn tell_left_out(report: &Report) {
    let is_of_page = |finding: &&Finding| finding.level == Level::Error && finding.page.is_some();
    let mut left_out: Vec<(&str, Kind)> = Vec::new();
    for finding in report.findings.iter().filter(is_of_page) {
        let page = finding.page.as_deref().unwrap_or_default();
        if left_out.iter().all(|(known, _)| *known != page) {
            left_out.push((page, finding.kind));
        }
    }
    let named: Vec<String> =
        left_out.iter().take(SHOWN).map(|(page, kind)| format!("{} ({})", one_line(page), kind.name())).collect();
    let more = if left_out.len() > SHOWN { format!(" and {} more", left_out.len() - SHOWN) } else { String::new() };
    if !named.is_empty() {
        tell(&format!("left out: {}{more}", named.join(", ")));
    }
    if left_out.iter().any(|(_, kind)| *kind == Kind::Misdecoded) {
        tell(
            "note: a misdecoded page is sound if its label alone is wrong: an `encoding` in its line of pages.jsonl keeps it",
        );
    }
}

/// What is written shall not be mixed with anything, the originals least of all.
fn refuse_used(folder: &Path) -> Result<(), Failure> {
    match std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        true => Err(Failure::request(format!("{} is not empty; choose another folder for --fix", folder.display()))),
        false => Ok(()),
    }
}

/// What the dataset is, and how much was found.
fn headline(report: &Report) -> String {
    let Report { dataset, version, pages, dropped, golds, sites, .. } = report;
    let mut without = if *dropped == 0 { String::new() } else { format!(", {dropped} more not loaded") };
    report.lost.iter().for_each(|lost| without.push_str(&format!(", {lost} not loaded")));
    let levels = [(Level::Error, "error"), (Level::Warn, "warning"), (Level::Info, "note")];
    let counts = levels.map(|(level, name)| counted(report.count(level), name));
    format!(
        "{dataset} {}: {}, {golds} with gold, {}{without}\nlanguages   {}\nencodings   {}\n\
         faults      {}\n{}{}\nfound       {}\n",
        one_line(version),
        counted(*pages, "page"),
        counted(*sites, "site"),
        listed(&report.languages),
        listed(&report.encodings),
        if report.faults.is_empty() { "none stated".to_owned() } else { listed(&report.faults) },
        floors(report),
        found_lines(&report.gold_lines),
        counts.join(", "),
    )
}

/// The number of gold lines that are in their pages.
fn found_lines(&GoldLines { lines, found }: &GoldLines) -> String {
    match lines {
        0 => "no gold line of 10 characters or more".to_owned(),
        _ => format!(
            "gold lines  {found} of {lines} of 10 characters or more found in their pages ({:.1} %)",
            found as f64 * 100.0 / lines as f64
        ),
    }
}

/// What all text and the text outside links come to; nothing where no page has gold.
fn floors(report: &Report) -> String {
    let Some(floors) = &report.floors else { return String::new() };
    let without = match floors.too_long {
        0 => String::new(),
        pages => format!(", without {} of too much text", counted(pages, "page")),
    };
    let line = |name: &str, means: &Means| {
        let [precision, recall, f1] = [means.precision, means.recall, means.f1].map(four);
        format!("{name:12}P {precision} R {recall} F1 {f1} (macro, characters, LCS{without})\n")
    };
    line("all text", &floors.all_text) + &line("nonlink", &floors.nonlink_text)
}

fn listed(counts: &BTreeMap<String, usize>) -> String {
    counts.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
}

/// Each kind with its first findings; `write_kind` and `write_finding` say how.
fn body(
    report: &Report,
    mut write_kind: impl FnMut(&mut String, &KindCount),
    mut write_finding: impl FnMut(&mut String, &str),
) -> String {
    let mut written = String::new();
    for count in report.kinds() {
        write_kind(&mut written, &count);
        let all = || report.findings.iter().filter(|finding| finding.kind == count.kind);
        let mut shown: Vec<&Finding> = all().collect();
        shown.sort_by_key(|finding| finding.level);
        for finding in shown.iter().take(SHOWN) {
            let page = finding.page.as_ref().map(|page| format!("{page}: ")).unwrap_or_default();
            write_finding(&mut written, &one_line(&format!("{page}{}", finding.message)));
        }
        if shown.len() > SHOWN {
            write_finding(&mut written, &format!("and {} more, which --format json lists", shown.len() - SHOWN));
        }
        if count.kind == Kind::LoadFault && report.unlisted > 0 {
            write_finding(&mut written, &format!("and {} more, which are not listed", report.unlisted));
        }
    }
    written
}

/// A kind's findings, and how many of them are lowered.
fn number(count: &KindCount) -> String {
    match count.lowered {
        0 => count.findings.to_string(),
        lowered => format!("{} (and {lowered} of less weight)", count.findings),
    }
}

fn text(report: &Report) -> String {
    let kind = |written: &mut String, count: &KindCount| {
        let (level, name, title) = (count.level.name(), count.kind.name(), count.kind.title());
        let _ = writeln!(written, "\n{level:5}  {name}: {}, {title}", number(count));
    };
    headline(report) + &body(report, kind, |written, line| written.push_str(&format!("         {line}\n")))
}

fn markdown(report: &Report) -> String {
    let mut written = format!("## {}\n", code(&report.dataset));
    for line in headline(report).lines() {
        let _ = writeln!(written, "- {}", code(line));
    }
    if report.findings.is_empty() {
        return written;
    }
    written.push_str("\n| level | finding | number | what it is |\n|---|---|---:|---|\n");
    for count in report.kinds() {
        let (level, name, title) = (count.level.name(), count.kind.name(), count.kind.title());
        let _ = writeln!(written, "| {level} | {name} | {} | {title} |", number(&count));
    }
    let kind = |written: &mut String, count: &KindCount| {
        let _ = writeln!(written, "\n### {}\n", count.kind.name());
    };
    written + &body(report, kind, |written, line| written.push_str(&format!("- {}\n", code(line))))
}

fn as_json(report: &Report) -> serde_json::Value {
    let kinds: Vec<KindCount> = report.kinds();
    let mut all = json!(report);
    all["errors"] = report.count(Level::Error).into();
    all["warnings"] = report.count(Level::Warn).into();
    all["kinds"] = json!(kinds);
    all
}
