//! `carat site`.

mod documents;
mod submission;

use std::path::{Path, PathBuf};

use crate::decisions::compare::{CompareError, Compared, Request, Run, are_alike, compare, read_different_runs};
use crate::decisions::history::{DatasetTrends, Wanted, store, trends};
use crate::formats::files::scratch;
use crate::formats::shell::shell_word;
use crate::report::figures::Figure;
use crate::report::file_stems::Stems;
use crate::report::html::documents::Document;
use crate::report::{FigureFiles, RunFiles, drawn, listed_names, write_site};
use crate::runs::configuration::{Configuration, NamedRequest};
use crate::runs::folder::Claim;
use crate::runs::run_folder::{RunFolder, RunInfo};
use crate::runs::score_table::ScoreFiles;
use crate::runs::scores::RowKey;
use crate::runs::summary::{Summary, SummaryRow};
use crate::runs::verify;
use crate::statistics::{Correction, MOST_TESTED, Part, Sampling};
use crate::text::counted;

use self::submission::{Manifest, Submission};
use crate::command_line::arguments::{self, SiteCommand};
use crate::command_line::failure::Failure;
use crate::command_line::making::{Making, make};
use crate::command_line::output::tell;
use crate::command_line::planning::{holds_a_run, others_in, planned};

/// Makes a site, or checks a submission.
pub(crate) fn site(arguments: arguments::Site) -> Result<(), Failure> {
    match (&arguments.command, &arguments.out) {
        (Some(SiteCommand::Check(arguments)), _) => submission::check(arguments),
        (None, Some(out)) => build(&arguments, out),
        (None, None) => Err(Failure::request("name the folder of the site with --out")),
    }
}

/// A run of the site.
struct SiteRun {
    folder: PathBuf,
    info: RunInfo,
    summary: Summary,
    /// Figures of it.
    figures: Vec<Figure>,
    /// The submission that it is of.
    submission: Option<Manifest>,
}

impl SiteRun {
    fn read(folder: &Path, submission: Option<Manifest>) -> Result<Self, Failure> {
        // A folder that holds no run is not claimed.
        RunFolder::open(folder)?.summary()?;
        let _claim = Claim::if_writable(folder)?;
        let run = RunFolder::open(folder)?;
        run.refuse_partial()?;
        let files = RunFiles::of(folder, run.info(), 0)?;
        Ok(SiteRun {
            folder: folder.to_owned(),
            info: run.info().clone(),
            summary: run.summary()?,
            figures: files.figures()?,
            submission,
        })
    }
}

/// A table of the site: the runs on one dataset under equal conditions.
struct SiteTable<'r> {
    dataset: String,
    runs: Vec<&'r SiteRun>,
    /// The name of its file.
    file: String,
    /// The rows that are compared; or why none are.
    compared: Result<Compared, String>,
    history: Option<&'r DatasetTrends>,
}

fn build(arguments: &arguments::Site, out: &Path) -> Result<(), Failure> {
    if let Some(what) = [("run.json", "a run"), ("run.yaml", "a run"), ("dataset.yaml", "a dataset")]
        .iter()
        .find(|(name, _)| out.join(name).exists())
    {
        let other = shell_word(&format!("{}-site", out.display()));
        return Err(Failure::request(format!(
            "{} holds {}: choose another folder, such as --out {other}",
            out.display(),
            what.1
        )));
    }
    let mut runs = arguments.runs.iter().map(|run| SiteRun::read(run, None)).collect::<Result<Vec<_>, _>>()?;
    // The runs of submissions lie in it until all is written.
    let scratch = (!arguments.submissions.is_empty()).then(scratch).transpose()?;
    if let Some(scratch) = &scratch {
        for folder in &arguments.submissions {
            let scored = scored(folder, &runs, scratch.path())?;
            runs.push(scored);
        }
    }
    let history = match &arguments.history {
        None => Vec::new(),
        Some(path) => trends(&store::read(path)?, &Wanted::default()).map_err(Failure::request)?,
    };
    let tables = tables(&runs, &history, arguments.pages)?;
    if tables.is_empty() {
        return Err(Failure::request("no page with gold was run, so there is no table"));
    }
    write(arguments, out, &tables)
}

/// Scores a submission as a run of its own, by the conditions of the first run on its dataset.
fn scored(folder: &Path, runs: &[SiteRun], scratch: &Path) -> Result<SiteRun, Failure> {
    let submission = Submission::read(folder)?;
    let dataset = &submission.manifest.dataset;
    let beside = runs.iter().find(|run| run.summary.conditions.datasets.contains_key(dataset));
    let beside = beside.ok_or_else(|| {
        Failure::request(format!("{} is of the dataset `{dataset}`, and no run is", folder.display()))
    })?;
    let own = verify::configuration(&RunFolder::open(&beside.folder)?)?;
    let own = own
        .map_err(|fault| Failure::request(format!("{}/{}: {}", beside.folder.display(), fault.name, fault.message)))?;
    let outputs = submission.outputs.display().to_string();
    let configuration = Configuration {
        algorithms: Vec::new(),
        ensembles: Vec::new(),
        bounds: Vec::new(),
        external: Vec::new(),
        stored: vec![NamedRequest::from_argument(&outputs)],
        ..own
    };
    let mut plan = planned(configuration)?;
    // A run may be of several datasets; the outputs are of one.
    plan.datasets.retain(|known| known.name() == dataset);
    let located = plan.datasets.first().ok_or_else(|| {
        Failure::request(format!("the run in {} names no dataset `{dataset}` any more", beside.folder.display()))
    })?;
    let digest = located.digest(|record| located.digests(record))?;
    submission.check(located, &digest)?;
    let name = Stems::default().give(&[&submission.manifest.name, &submission.manifest.version]);
    let run = scratch.join(runs.len().to_string()).join(name);
    let making = Making {
        fresh: false,
        with_texts: false,
        with_cache: true,
        with_report: false,
        report_pages: 0,
        scores: ScoreFiles::default(),
        language: None,
    };
    make(&mut plan, &run, &making)?;
    SiteRun::read(&run, Some(submission.manifest))
}

/// The tables of all datasets, in the order of the runs.
fn tables<'r>(runs: &'r [SiteRun], history: &'r [DatasetTrends], pages: usize) -> Result<Vec<SiteTable<'r>>, Failure> {
    let mut grouped: Vec<(String, Vec<&SiteRun>)> = Vec::new();
    for run in runs {
        if run.summary.rows.is_empty() {
            tell(&format!("note: {} has no row on pages with gold, so it is in no table", run.folder.display()));
        }
        let mut datasets: Vec<&String> = run.summary.rows.iter().map(|row| &row.dataset).collect();
        datasets.dedup();
        for dataset in datasets {
            let is_alike = |(known, runs): &&mut (String, Vec<&SiteRun>)| {
                known == dataset && are_alike(&runs[0].summary, &run.summary, dataset)
            };
            match grouped.iter_mut().find(is_alike) {
                Some((_, known)) => known.push(run),
                None => grouped.push((dataset.clone(), vec![run])),
            }
        }
    }
    let mut stems = Stems::default();
    let mut tables = Vec::new();
    for (dataset, runs) in grouped {
        let conditions = &runs[0].summary.conditions;
        let stem = stems.give(&[&dataset, &conditions.measure, &conditions.tokens]);
        let history = history.iter().find(|known| known.dataset == dataset);
        let compared = compared(&dataset, &runs, pages)?;
        tables.push(SiteTable { dataset, runs, file: format!("{stem}.html"), compared, history });
    }
    Ok(tables)
}

/// Compares the ranked rows of `runs`; where they cannot be, a sentence says why.
fn compared(dataset: &str, runs: &[&SiteRun], pages: usize) -> Result<Result<Compared, String>, Failure> {
    let folders: Vec<&Path> = runs.iter().map(|run| run.folder.as_path()).collect();
    let read = read_different_runs(&folders, &[dataset.to_owned()])?;
    let request = Request {
        rows: shown(&read, dataset),
        reference: None,
        where_loses: None,
        datasets: vec![dataset.to_owned()],
        part: Part::F1,
        correction: Correction::Holm,
        every_pair: false,
        pages,
        sampling: Sampling::default(),
    };
    match compare(&read, &request) {
        Ok(mut compared) => Ok(Ok(compared.remove(0))),
        Err(error @ (CompareError::Request(_) | CompareError::Number { .. })) => Ok(Err(error.to_string())),
        Err(error) => Err(error.into()),
    }
}

/// The rows that are named to a comparison: none, which stands for all, or where they are too many the best one of each
/// algorithm.
fn shown(runs: &[Run], dataset: &str) -> Vec<String> {
    let ranked = |run: &'_ Run| -> Vec<SummaryRow> {
        run.summary.rows.iter().filter(|row| row.dataset == dataset && row.is_ranked()).cloned().collect()
    };
    if runs.iter().map(|run| ranked(run).len()).sum::<usize>() <= MOST_TESTED {
        return Vec::new();
    }
    let mut named = Vec::new();
    for run in runs {
        let mut best: Vec<SummaryRow> = Vec::new();
        for row in ranked(run) {
            let f1 = |row: &SummaryRow| row.aggregates.macro_.f1;
            match best.iter_mut().find(|known| known.algorithm == row.algorithm) {
                Some(known) if f1(known) < f1(&row) => *known = row,
                Some(_) => {}
                None => best.push(row),
            }
        }
        named.extend(best.iter().map(|row| {
            let (_, algorithm, setting): RowKey = row.key();
            let spec = if setting.is_empty() { algorithm } else { format!("{algorithm}:{setting}") };
            if runs.len() > 1 { format!("{}/{spec}", run.name) } else { spec }
        }));
    }
    named
}

/// Writes all documents and figures.
fn write(arguments: &arguments::Site, out: &Path, tables: &[SiteTable<'_>]) -> Result<(), Failure> {
    let language = arguments.lang;
    let mut stems = Stems::default();
    let mut figures: Vec<Figure> = Vec::new();
    let mut documents: Vec<(String, Document)> = Vec::new();
    for table in tables {
        let own = documents::table(table, &mut figures, &mut stems, language);
        documents.push((table.file.clone(), own));
    }
    let home = documents::home(arguments.title.as_deref(), tables, language);
    documents.push((documents::HOME.to_owned(), home));
    let drawn = drawn(figures, language);
    let figure_files = FigureFiles::of(&drawn);
    let mut files: Vec<(String, Vec<u8>)> = documents
        .iter()
        .map(|(name, document)| (name.clone(), document.html((&drawn, &figure_files), language).into_bytes()))
        .collect();
    for warning in &figure_files.warnings {
        tell(&format!("warning: {warning}"));
    }
    files.extend(figure_files.into_files().into_iter().map(|(name, bytes)| (format!("figures/{name}"), bytes)));
    let earlier = listed_names(out)?;
    let is_site = earlier.contains(documents::HOME) && !holds_a_run(out);
    let of_carat = || (!earlier.is_empty()).then(|| "other tables and figures of carat".to_owned());
    if let Some(what) = others_in(out).or_else(of_carat).filter(|_| !is_site) {
        return Err(Failure::request(format!("{} holds {what}: choose another folder", out.display())));
    }
    if let Some((name, _)) = files.iter().find(|(name, _)| out.join(name).exists() && !earlier.contains(name)) {
        let name = out.join(name);
        return Err(Failure::request(format!(
            "{} is there, and no site wrote it: choose another folder",
            name.display()
        )));
    }
    let claim = Claim::of(out)?;
    write_site(&claim, &files)?;
    let bytes: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
    let (tables, files) = (counted(tables.len(), "table"), counted(files.len(), "file"));
    tell(&format!("{tables}, {files}, {} kB in {}", bytes.div_ceil(1000), out.display()));
    Ok(())
}
