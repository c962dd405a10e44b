//! From a configuration to a plan, and from a plan to the place of its run.

use std::path::Path;
use std::time::Instant;

use crate::command_line::failure::Failure;
use crate::command_line::faults::tell_dropped;
use crate::command_line::output::tell;
use crate::datasets::locate::with_options;
use crate::datasets::{DatasetError, import};
use crate::formats::code::Exit;
use crate::formats::editors::without_header;
use crate::formats::reading::{MOST_WRITTEN_BYTES, read_at_most};
use crate::formats::shell::shell_word;
use crate::runs::configuration::{Configuration, NamedRequest};
use crate::runs::plan::{Plan, PlanError};
use crate::runs::run_folder::MEASURES_FILE;
use crate::runs::summary::run_in_memory;
use crate::text::counted;

/// Plans what `configuration` asks for, and tells which programs that starts.
pub(crate) fn planned(configuration: Configuration) -> Result<Plan, Failure> {
    let plan = planned_in_parts(configuration)?;
    plan.refuse_too_many_cells()?;
    Ok(plan)
}

/// The same of a run that may be finished: the files of pages and golds are not looked at, which [`Plan::check_files`] has
/// to do unless it is.
pub(crate) fn planned_again(configuration: Configuration) -> Result<Plan, Failure> {
    let plan = planned_by(configuration, Plan::checked_later)?;
    plan.refuse_too_many_cells()?;
    Ok(plan)
}

/// The same of a run that is made in parts, whatever its size.
pub(crate) fn planned_in_parts(configuration: Configuration) -> Result<Plan, Failure> {
    planned_by(configuration, Plan::of_any_size)
}

fn planned_by(
    configuration: Configuration,
    plan: fn(Configuration) -> Result<Plan, PlanError>,
) -> Result<Plan, Failure> {
    for request in &configuration.external {
        let (command, limit) = (request.command_line(), request.limits.start_timeout);
        tell(&format!(
            "starts an external program with your user's permissions, and waits up to {limit} s for its hello: {command}"
        ));
    }
    let plan = plan(configuration)?;
    plan.loaded().into_iter().for_each(tell_dropped);
    Ok(plan)
}

/// Formats of files that hold any pages.
const FILES_OF_PAGES: [&str; 3] = ["parquet", "table", "warc"];

/// A run that no file names is named after its datasets.
pub(crate) fn name_of(datasets: &[NamedRequest]) -> String {
    let last = |NamedRequest { name, .. }: &NamedRequest| {
        let name = with_options(name, &import::folder::IMPORTER).0;
        let of_path = |path: &str| {
            let path = Path::new(path.trim_end_matches('/'));
            path.file_name().map_or("run".to_owned(), |name| name.to_string_lossy().into_owned())
        };
        match name.split_once(':') {
            // A set in a layout of its own is that set, wherever it lies; a file of any pages has a name of its own.
            Some(("folder", path)) => of_path(path),
            Some((format, path)) if FILES_OF_PAGES.contains(&format) => {
                let name = of_path(path);
                name.split('.').next().filter(|stem| !stem.is_empty()).map_or(name.clone(), str::to_owned)
            }
            // A colon of a path, as in ./a:b, parts no format from it.
            Some((format, _)) if !format.contains('/') => format.to_owned(),
            _ => of_path(name),
        }
    };
    datasets.iter().map(last).collect::<Vec<_>>().join("-")
}

/// Refuses an --out that lies among the pages of a dataset: the next run would take its files for pages, or this one write
/// over them.
pub(crate) fn refuse_among_pages(plan: &Plan, out: Option<&Path>) -> Result<(), Failure> {
    let Some(out) = out else { return Ok(()) };
    if out.is_file() {
        return Err(Failure::new(
            Exit::System,
            format!("cannot write into --out {}: it is a file; name a folder", out.display()),
        ));
    }
    for stored in &plan.configuration.stored {
        let resolved = |path: &Path| std::fs::canonicalize(path).ok();
        let (of_stored, of_out) = (resolved(Path::new(&stored.name)), resolved(out));
        if of_stored.zip(of_out).is_some_and(|(stored, out)| out.starts_with(stored)) {
            return Err(Failure::request(format!(
                "--out {} lies among the stored outputs {}: choose a folder beside them",
                out.display(),
                stored.name
            )));
        }
    }
    for dataset in &plan.datasets {
        if dataset.is_among_pages(out)? {
            let (out, dataset) = (out.display(), dataset.name());
            return Err(Failure::request(format!(
                "--out {out} lies among the pages of the dataset {dataset}: choose a folder beside them"
            )));
        }
    }
    match others_in(out) {
        None => Ok(()),
        Some(what) => Err(Failure::request(format!("--out {} holds {what}: choose another folder", out.display()))),
    }
}

/// Refuses the folder of a paper or benchmark, with its runs below `run`, where it holds what is not of an earlier `reproduce`.
pub(crate) fn refuse_around_runs(folder: &Path) -> Result<(), Failure> {
    let holds = |what: &str| {
        let folder = folder.display();
        Err(Failure::request(format!("{folder} holds {what}: choose another folder with --out")))
    };
    if holds_a_run(folder) {
        return holds("a run");
    }
    match others_in(folder).filter(|_| !folder.join("run").is_dir()) {
        None => Ok(()),
        Some(what) => holds(&what),
    }
}

/// Files and folders that a run writes.
pub(crate) const OF_RUNS: [&str; 19] = [
    MEASURES_FILE, "run.yaml", "run.json", "index.html", "report.txt", "summary.json", "scores.csv", "scores.parquet",
    "pages.csv", "agreement.csv", "sweeps.csv", "times.csv", "tuning.json", "shard.json", "gate-run", "tables",
    "figures", "pages", "units",
];

/// True if `out` holds a run, finished or not: somebody else's file may have the name of one of a run's.
pub(crate) fn holds_a_run(out: &Path) -> bool {
    let read = |name: &str| read_at_most(&out.join(name), MOST_WRITTEN_BYTES).unwrap_or_default();
    let holds = |bytes: &[u8], part: &str| String::from_utf8_lossy(bytes).contains(part);
    let yaml = read("run.yaml");
    let yaml = without_header(&yaml);
    out.join(MEASURES_FILE).exists()
        || out.join("units").is_dir()
        || yaml.starts_with(b"name: \"") && holds(yaml, "\ntokens: ")
        || holds(&read("run.json"), "\"result_digest\"")
}

/// Names what someone else keeps in a folder that holds no run, beside which a run shall not go; `None` where that is nothing.
pub(crate) fn others_in(out: &Path) -> Option<String> {
    const LOOKED_AT: usize = 1_000;
    if holds_a_run(out) {
        return None;
    }
    if out.join("dataset.yaml").exists() {
        return Some("a dataset".to_owned());
    }
    if let Some(name) = OF_RUNS.iter().find(|name| out.join(name).exists()) {
        return Some(format!("{name}, which a run would replace"));
    }
    let is_page = |path: &Path| {
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        let name = [".gz", ".zst"].iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(&name);
        [".html", ".htm"].iter().any(|ending| name.ends_with(ending))
    };
    let below = walkdir::WalkDir::new(out).min_depth(1).max_depth(2).into_iter().flatten().take(LOOKED_AT);
    let page = below.map(walkdir::DirEntry::into_path).find(|path| is_page(path))?;
    Some(format!("pages, such as {}", page.display()))
}

/// Why a run cannot go where one by `measures` is.
pub(crate) fn in_the_way(out: &Path, measures: &str) -> Failure {
    let other = shell_word(&format!("{}-2", out.display()));
    let out = out.display();
    Failure::request(format!(
        "{out} holds a run by {measures}: choose another folder with --out, such as --out {other}"
    ))
}

/// The time that the run will take, from a few of its pages run once to warm up and once to measure.
pub(crate) fn estimate(plan: &Plan) -> Result<String, DatasetError> {
    const PAGES: usize = 20;
    let sample = plan.sample(PAGES)?;
    let time = || {
        let start = Instant::now();
        run_in_memory(&sample)?;
        Ok::<_, DatasetError>(start.elapsed().as_secs_f64())
    };
    time()?;
    let seconds = time()? * plan.pages() as f64 / sample.pages() as f64;
    let (threads, pages) = (counted(rayon::current_num_threads(), "thread"), counted(sample.pages(), "page"));
    let without = if plan.configuration.asks_others() { ", without the external programs" } else { "" };
    Ok(format!("estimate about {seconds:.1} s on {threads}, from running {pages}{without}"))
}
