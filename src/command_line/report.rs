//! `carat report`.

mod pull_request;

use std::path::Path;

use crate::decisions::changes::changes;
use crate::decisions::compare::read_runs;
use crate::formats::files::write_named;
use crate::formats::inert::lines;
use crate::report::agreement::kept;
use crate::report::language::Language;
use crate::report::latex::with_one_head;
use crate::report::stats::{MACRO_F1, SHOWN, Stats};
use crate::report::{self, RunFiles, conditions, groups};
use crate::runs::folder::Claim;
use crate::runs::run_folder::RunFolder;
use crate::runs::summary::{Summary, SummaryRow};
use crate::statistics::{Figure, Sampling};
use serde_json::{Value as Json, json};

use self::pull_request::Since;
use crate::command_line::arguments::{self, Form};
use crate::command_line::failure::Failure;
use crate::command_line::making::write_report;
use crate::command_line::output::{print, print_json_text, tell};
use crate::command_line::replaced_files::{refuse_needed, refuse_other_than};
use crate::command_line::run::exact_sweeps;

/// Makes tables and figures of a run again and prints the table.
pub(crate) fn report(arguments: arguments::Report) -> Result<(), Failure> {
    refuse(&arguments)?;
    // What is no folder of a run is not claimed.
    RunFolder::open(&arguments.run)?.summary()?;
    let claim = Claim::if_writable(&arguments.run)?;
    let language = arguments.lang.unwrap_or_else(|| report::language_in(&arguments.run));
    // Another run may have come in between.
    let run = RunFiles::of(&arguments.run, RunFolder::open(&arguments.run)?.info(), arguments.report_pages)?;
    let (summary, info) = (run.summary(), run.info());
    if let Some(key) = &arguments.by
        && groups::terminal(summary, key, language).is_none()
        && kept::terminal_by(summary, key, language).is_none()
    {
        return Err(Failure::request(format!("no page of this run has a {key}: choose another --by")));
    }
    let since = arguments.baseline.as_deref().map(|baseline| since(&arguments.run, baseline)).transpose()?;
    match &claim {
        Some(claim) => write_report(claim, &run, language)?,
        None => tell(&format!(
            "note: {} cannot be written to, so its tables, figures and pages stay as they are",
            arguments.run.display()
        )),
    }
    let above = match arguments.format {
        Form::Md | Form::Pr => conditions::above(info, language, true),
        Form::Text => conditions::above(info, language, false),
        Form::Latex | Form::Csv | Form::Json | Form::Html => String::new(),
    };
    let told = match (&arguments.by, arguments.format) {
        (_, Form::Html) => format!("{}\n", arguments.run.join("index.html").display()),
        (_, Form::Pr) => {
            let stats = Stats::of(&run, &[MACRO_F1], true);
            pull_request::write(summary, &stats, info, since.as_ref(), language)
        }
        (Some(key), form) => by_group(summary, key, form, language),
        (None, form) if arguments.stats => with_stats(&run, form, language),
        (None, form) => table(&run, form, language),
    };
    let told = if arguments.format == Form::Latex { with_one_head(&told) } else { told };
    let mut told = above + &told;
    if arguments.by.is_none() && arguments.format == Form::Text {
        exact_sweeps(&RunFolder::open(&arguments.run)?, language)?.iter().for_each(|line| told += &format!("{line}\n"));
    }
    match &arguments.out {
        Some(path) if arguments.format == Form::Json => Ok(write_named(path, told.as_bytes())?),
        Some(path) => Ok(write_named(path, lines(&told).as_bytes())?),
        None if arguments.format == Form::Json => print_json_text(&told),
        None => print(&told),
    }
}

/// Refuses what does not go together.
fn refuse(arguments: &arguments::Report) -> Result<(), Failure> {
    if let Some(out) = &arguments.out {
        refuse_needed("--out", out, &[])?;
        if arguments.format == Form::Pr {
            refuse_other_than("<!-- carat report ", "--out", out)?;
        }
    }
    let whole = matches!(arguments.format, Form::Html | Form::Pr);
    if arguments.format == Form::Html && arguments.out.is_some() {
        return Err(Failure::request(
            "--out takes no --format html: index.html lies in the run's folder, beside the pages and figures that it leads to",
        ));
    }
    if whole && (arguments.by.is_some() || arguments.stats) {
        return Err(Failure::request("--by and --stats are of one table; --format html and pr have their own"));
    }
    if arguments.baseline.is_some() && arguments.format != Form::Pr {
        return Err(Failure::request(
            "--baseline is for --format pr; carat compare and carat gate hold runs against each other",
        ));
    }
    Ok(())
}

/// What changed since the run in `baseline`.
fn since(run: &Path, baseline: &Path) -> Result<Since, Failure> {
    let runs = read_runs(&[run, baseline], &[])?;
    Ok(Since {
        run: run.display().to_string(),
        baseline: baseline.display().to_string(),
        changes: changes(&runs[0], &runs[1], pull_request::SHOWN, Sampling::default())?,
    })
}

fn table(run: &RunFiles<'_>, form: Form, language: Language) -> String {
    let summary = run.summary();
    match form {
        Form::Md => report::tables::markdown(summary, language) + &beside_in_markdown(summary, language),
        Form::Latex => report::tables::latex(summary, language) + &beside_in_latex(summary, language),
        Form::Csv if summary.rows.is_empty() => report::agreement::csv(summary),
        Form::Csv => report::tables::csv(summary),
        Form::Json => json_text(&serde_json::to_value(summary).unwrap_or_default()),
        Form::Text | Form::Html | Form::Pr => report::tables::terminal(summary, run.separation(), language),
    }
}

/// The tables beside that of the rows: agreement and roles, where there are any.
fn beside_in_markdown(summary: &Summary, language: Language) -> String {
    report::agreement::markdown(summary, language) + &report::roles::markdown(summary, language)
}

/// The same for LaTeX.
fn beside_in_latex(summary: &Summary, language: Language) -> String {
    report::agreement::latex(summary, language) + &report::roles::latex(summary, language)
}

/// The rows with their estimates, and the agreement of systems where there is no gold.
fn with_stats(run: &RunFiles<'_>, form: Form, language: Language) -> String {
    let summary = run.summary();
    let figures: &[Figure] = if matches!(form, Form::Csv | Form::Json) { &Figure::ALL } else { &SHOWN };
    let stats = Stats::of(run, figures, form == Form::Text);
    match form {
        Form::Md => stats.markdown(language) + &beside_in_markdown(summary, language),
        Form::Latex => stats.latex(language) + &beside_in_latex(summary, language),
        Form::Csv if summary.rows.is_empty() => report::agreement::csv(summary),
        Form::Csv => stats.csv(),
        Form::Json => {
            let mut json = stats.json();
            if !summary.agreement.is_empty() {
                json["agreement"] = json!(summary.agreement);
            }
            let roles: Vec<Json> = summary.rows.iter().filter(|row| !row.roles.is_empty()).map(roles_of).collect();
            if !roles.is_empty() {
                json["roles"] = json!(roles);
            }
            json_text(&json)
        }
        Form::Text | Form::Html | Form::Pr => {
            let tables = [stats.terminal(language), report::agreement::terminal(summary, language)].into_iter();
            let tables: Vec<String> = tables.filter(|table| !table.is_empty()).collect();
            tables.join("\n") + &report::roles::terminal(summary, language)
        }
    }
}

/// What a row holds of each role.
fn roles_of(row: &SummaryRow) -> Json {
    json!({"dataset": row.dataset, "algorithm": row.algorithm, "setting": row.label(), "roles": row.roles})
}

fn by_group(summary: &Summary, key: &str, form: Form, language: Language) -> String {
    let has_rows = !summary.rows.is_empty();
    let beside = |written: fn(&Summary, &str, Language) -> String, beside: String| {
        let rows = if has_rows { written(summary, key, language) } else { String::new() };
        [rows, beside].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
    };
    match form {
        Form::Md => beside(groups::markdown, kept::markdown_by(summary, key, language)),
        Form::Latex => beside(groups::latex, kept::latex_by(summary, key, language)),
        Form::Csv if has_rows => groups::csv(summary, key),
        Form::Csv => kept::csv_by(summary, key),
        Form::Json => json_text(&json_by_group(summary, key)),
        Form::Text | Form::Html | Form::Pr => {
            let tables = [groups::terminal(summary, key, language), kept::terminal_by(summary, key, language)];
            tables.into_iter().flatten().collect::<Vec<_>>().join("\n")
        }
    }
}

/// The rows with their figures by `key`; of a run without gold the agreement of its systems.
fn json_by_group(summary: &Summary, key: &str) -> Json {
    let all_sites = |all: Option<usize>| all.filter(|_| key == groups::SITE).map(|all| ("all_sites", json!(all)));
    let rows = summary.rows.iter().map(|row| {
        let told =
            json!({"dataset": row.dataset, "algorithm": row.algorithm, "setting": row.label(), key: row.groups.get(key)});
        with(told, all_sites(summary.all_sites.get(&row.dataset).copied()))
    });
    let agreement = summary.agreement.iter().map(|agreement| {
        let systems: Vec<&str> = agreement.systems.iter().map(|system| system.label.as_str()).collect();
        let told = json!({"dataset": agreement.dataset, "systems": systems, key: agreement.groups.get(key)});
        with(told, all_sites(agreement.all_sites))
    });
    if summary.rows.is_empty() { agreement.collect() } else { rows.collect() }
}

/// `object` with one more field, if there is one.
fn with(mut object: Json, field: Option<(&str, Json)>) -> Json {
    field.into_iter().for_each(|(name, value)| object[name] = value);
    object
}

fn json_text(value: &Json) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}
