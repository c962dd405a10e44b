//! `carat history`.

mod tables;

use std::path::Path;

use crate::decisions::gate::Snapshot;
use crate::decisions::gate::baseline;
use crate::decisions::history::store::{self, Added, Entry, History};
use crate::decisions::history::{DatasetTrends, Kind, RowTrend, Step, Wanted, trends};
use crate::formats::files::{unwritten, write_atomically};
use crate::formats::inert::one_line;
use crate::report::figures::Figure;
use crate::report::file_stems::Stems;
use crate::report::history::{TrendLine, TrendRuns, plot};
use crate::report::html::documents;
use crate::report::language::Language;
use crate::report::latex::with_one_head;
use crate::report::localised_text::LocalisedText;
use crate::report::table_format::four;
use crate::report::{FigureFiles, drawn};
use crate::runs::pages::RunPages;
use crate::runs::run_folder::RunFolder;
use crate::statistics::{Sampling, Verdict};
use crate::text::counted;
use serde_json::json;

use self::tables::{changes, points, site_points, sites, steps, values};
use crate::command_line::arguments::{self, HistoryCommand, ReportFormat};
use crate::command_line::failure::Failure;
use crate::command_line::output::{print, print_json, print_line, tell};

/// Carries out a command on a history.
pub(crate) fn history(arguments: arguments::History) -> Result<(), Failure> {
    match arguments.command {
        HistoryCommand::Add(arguments) => add(&arguments),
        HistoryCommand::Show(arguments) => show(&arguments),
    }
}

/// Appends runs, all of them or none.
fn add(arguments: &arguments::HistoryAdd) -> Result<(), Failure> {
    if !arguments.labels.is_empty() && arguments.labels.len() != arguments.runs.len() {
        let (labels, runs) = (arguments.labels.len(), arguments.runs.len());
        return Err(Failure::request(format!("--label is given {labels} times for {runs} runs: give one per run")));
    }
    let entries = arguments.runs.iter().enumerate().map(|(place, run)| entry(run, arguments.labels.get(place)));
    let entries: Vec<Entry> = entries.collect::<Result<_, Failure>>()?;
    let told: Vec<(String, String)> =
        entries.iter().map(|entry| (entry.label.clone(), entry.result_digest.clone())).collect();
    let added = store::append(&arguments.file, entries)?;
    for ((label, digest), added) in told.iter().zip(added) {
        let what = match added {
            Added::Added => "added",
            Added::Known => "there already",
        };
        print_line(&one_line(&format!("{what}: {label}, result digest {digest}")))?;
    }
    Ok(())
}

/// A run as a line of a history holds it.
fn entry(folder: &Path, label: Option<&String>) -> Result<Entry, Failure> {
    let run = RunFolder::open(folder)?;
    run.refuse_partial()?;
    let summary = run.summary()?;
    if let Some(comparison) = baseline::unkept(&summary.conditions) {
        return Err(Failure::request(format!(
            "carat history cannot keep a run by `{comparison}`: take another measure, such as `lcs` or `shingle:N`"
        )));
    }
    let snapshot = Snapshot::new(&summary, &RunPages::read(&run)?);
    if snapshot.rows.is_empty() {
        let message = format!("{} has no row with gold that reads none, so there is nothing to keep", folder.display());
        return Err(Failure::request(message));
    }
    let name = folder.file_name().map_or_else(|| folder.to_string_lossy(), |name| name.to_string_lossy());
    Ok(Entry {
        label: label.cloned().unwrap_or_else(|| name.into_owned()),
        run: summary.name,
        carat: run.info().carat.clone(),
        result_digest: run.info().result_digest.clone(),
        snapshot: snapshot.as_kept_in_history(),
    })
}

/// Prints the trends, and writes them as files if asked.
fn show(arguments: &arguments::HistoryShow) -> Result<(), Failure> {
    let history = store::read(&arguments.file)?;
    let sampling = Sampling { seed: arguments.seed, ..Sampling::default() };
    let wanted = Wanted { rows: arguments.rows.clone(), datasets: arguments.datasets.clone(), sampling };
    let datasets = trends(&history, &wanted).map_err(Failure::request)?;
    if let Some(folder) = &arguments.out {
        write(folder, &history, &datasets)?;
    }
    let table = |dataset: &DatasetTrends| match arguments.sites {
        true => sites(dataset, Language::English),
        false => values(dataset, Language::English),
    };
    let both =
        |dataset: &DatasetTrends| [Some(table(dataset)), changes(dataset, Language::English)].into_iter().flatten();
    let joined = |write: &dyn Fn(&tables::Table) -> String| {
        let texts: Vec<String> = datasets.iter().flat_map(both).map(|table| write(&table)).collect();
        texts.join("\n")
    };
    match arguments.format {
        ReportFormat::Text => print(&joined(&tables::Table::terminal)),
        ReportFormat::Md => print(&joined(&tables::Table::markdown)),
        ReportFormat::Latex => print(&with_one_head(&joined(&tables::Table::latex))),
        ReportFormat::Csv if arguments.sites => print(&site_points(&datasets)),
        ReportFormat::Csv => print(&points(&datasets)),
        ReportFormat::Json => print_json(&json!({
            "runs": history.entries.iter().map(told).collect::<Vec<_>>(),
            "sampling": sampling,
            "datasets": datasets,
        })),
    }
}

/// A run without its scores.
fn told(entry: &Entry) -> serde_json::Value {
    json!({
        "label": entry.label,
        "run": entry.run,
        "carat": entry.carat,
        "result_digest": entry.result_digest,
        "conditions": entry.snapshot.conditions,
    })
}

/// The file that a folder of a history has.
const HISTORY: &str = "history.md";

/// Writes tables and figures.
fn write(folder: &Path, history: &History, datasets: &[DatasetTrends]) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|source| unwritten(folder, source))?;
    let figures = drawn(figures(datasets), Language::English);
    let files = FigureFiles::of(&figures);
    for warning in &files.warnings {
        tell(&format!("warning: {warning}"));
    }
    let markdown: Vec<String> = datasets
        .iter()
        .flat_map(|dataset| [Some(values(dataset, Language::English)), changes(dataset, Language::English)])
        .flatten()
        .map(|table| table.markdown())
        .collect();
    let tables = [
        ("rows.csv".to_owned(), points(datasets)),
        ("changes.csv".to_owned(), steps(datasets)),
        ("sites.csv".to_owned(), site_points(datasets)),
        (HISTORY.to_owned(), markdown.join("\n")),
    ];
    let tables = tables.into_iter().map(|(name, text)| (name, text.into_bytes()));
    let all: Vec<(String, Vec<u8>)> = tables.chain(files.into_files()).collect();
    refuse_others(folder, &all)?;
    let mut written = 0;
    for (name, bytes) in all {
        write_atomically(&folder.join(name), &bytes)?;
        written += 1;
    }
    tell(&format!("{written} files of {} are in {}", counted(history.entries.len(), "run"), folder.display()));
    Ok(())
}

/// Refuses a folder of something else: of a run, of a dataset, or with files of these names that no history wrote.
fn refuse_others(folder: &Path, files: &[(String, Vec<u8>)]) -> Result<(), Failure> {
    let is_there = |name: &str| folder.join(name).exists();
    let other = ["run.yaml", "run.json", "dataset.yaml"].into_iter().find(|name| is_there(name));
    let taken = || files.iter().map(|(name, _)| name.as_str()).find(|name| is_there(name));
    match other.or_else(|| taken().filter(|_| !is_there(HISTORY))) {
        None => Ok(()),
        Some(name) => {
            let folder = folder.display();
            Err(Failure::request(format!("{folder} holds {name}, which no history wrote: choose another folder")))
        }
    }
}

/// The figures of a history: of each dataset its rows, and the sites of each row that changed.
pub(crate) fn figures(datasets: &[DatasetTrends]) -> Vec<Figure> {
    let mut stems = Stems::default();
    let mut figures = Vec::new();
    for dataset in datasets {
        let lines: Vec<TrendLine> = dataset.rows.iter().map(line).collect();
        let plot_of =
            |row: Option<String>, lines: &[TrendLine], of: usize| plot(&TrendRuns { of, ..runs(dataset, row) }, lines);
        let plot = plot_of(None, &lines, lines.len());
        figures.push(Figure { stem: stems.give(&[&dataset.dataset, "history"]), plot });
        for row in dataset.rows.iter().filter(|row| row.steps.iter().any(Step::is_change)) {
            let name = name(row);
            let of_site = |(site, f1): (&String, &Vec<Option<(f64, u64)>>)| TrendLine {
                name: site.clone(),
                f1: f1.iter().map(|f1| f1.map(|(f1, _)| f1)).collect(),
                ..TrendLine::default()
            };
            let mut lines: Vec<TrendLine> = row.sites.iter().map(|site| of_site((&site.site, &site.f1))).collect();
            // Of many sites those are shown that moved most.
            lines.sort_by(|one, other| moved(other).total_cmp(&moved(one)));
            lines.truncate(crate::report::history::MOST_SHOWN);
            let stem = stems.give(&[&dataset.dataset, "history-sites", &name]);
            figures.push(Figure { stem, plot: plot_of(Some(name), &lines, row.sites.len()) });
        }
    }
    figures
}

fn line(row: &RowTrend) -> TrendLine {
    TrendLine {
        name: name(row),
        f1: row.points.iter().map(|point| point.map(|point| point.f1)).collect(),
        changes: row.steps.iter().filter(|step| step.is_change_point()).map(|step| step.to).collect(),
        is_moved: row.steps.iter().any(|step| step.kind == Kind::Overall && step.is_change()),
    }
}

/// Says of a row that the last run differs from the first.
fn moved_note(dataset: &DatasetTrends) -> impl Fn(&RowTrend) -> Option<LocalisedText> {
    |row| {
        let step = row.steps.iter().find(|step| step.kind == Kind::Overall && step.is_change())?;
        let words = match step.verdict {
            Verdict::Worse => ["{0}: {1} is worse than {2}, by {3}", "{0}：{1} 比 {2} 差，相差 {3}"],
            _ => ["{0}: {1} is better than {2}, by {3}", "{0}：{1} 比 {2} 好，相差 {3}"],
        };
        let [last, first] = [step.to, step.from].map(|run| LocalisedText::name(&dataset.labels[run]));
        let by = four(step.difference.point.abs());
        Some(LocalisedText::new(words, [LocalisedText::name(name(row)), last, first, by.into()]))
    }
}

fn moved(line: &TrendLine) -> f64 {
    let f1 = || line.f1.iter().flatten().copied();
    f1().fold(0.0, f64::max) - f1().fold(1.0, f64::min)
}

fn runs(dataset: &DatasetTrends, row: Option<String>) -> TrendRuns {
    let tests = dataset.tests.to_string();
    let words = match dataset.tests {
        0 => [
            "nothing is tested: from run to run no page of a row differs, or no row is there twice",
            "无可检验之处：相邻两次运行之间没有行的页面变化，或没有行两次出现",
        ],
        _ => [
            "tests of this dataset: {0}; a run in which no page differs is no test",
            "该数据集共 {0} 次检验；无页面变化的运行不作检验",
        ],
    };
    let mut notes = vec![LocalisedText::new(words, [tests])];
    if dataset.too_few_sites {
        notes.push(LocalisedText::said("fewer than 6 sites: no test can tell a change from chance"));
    }
    notes.extend(
        dataset
            .rows
            .iter()
            .filter(|own| row.as_ref().is_none_or(|row| name(own) == *row))
            .filter_map(moved_note(dataset)),
    );
    TrendRuns {
        dataset: dataset.dataset.clone(),
        row,
        labels: dataset.labels.clone(),
        breaks: dataset.breaks.iter().map(|found| found.at).collect(),
        of: 0,
        notes,
    }
}

/// F1 of each row in each run, as a table of a document.
pub(crate) fn values_table(dataset: &DatasetTrends, language: Language) -> documents::Table {
    values(dataset, language).document()
}

/// The changes, as a table of a document.
pub(crate) fn changes_table(dataset: &DatasetTrends, language: Language) -> Option<documents::Table> {
    changes(dataset, language).map(tables::Table::document)
}

/// The row as on the command line.
pub(crate) fn name(row: &RowTrend) -> String {
    if row.setting.is_empty() { row.algorithm.clone() } else { format!("{}:{}", row.algorithm, row.setting) }
}
