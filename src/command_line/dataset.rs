//! `carat dataset`.

mod annotate;
mod check;
mod new;
mod pull;
mod taken;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::time::Instant;

use walkdir::WalkDir;

use crate::datasets::catalog::builtin;
use crate::datasets::claim::FolderClaim;
use crate::datasets::croissant;
use crate::datasets::import::write::{Layout, write};
use crate::datasets::import::{self, Importer, golds_without_page};
use crate::datasets::locate::with_options;
use crate::datasets::manifest::Compression;
use crate::datasets::synth::{self, Synthetic};
use crate::text::{counted, hint};

use crate::command_line::arguments::{self, DatasetCommand, ExportFormat};
use crate::command_line::failure::Failure;
use crate::command_line::faults::located;
use crate::command_line::output::{print_line, tell};
use crate::command_line::threads::on_threads;

/// Carries out a command on datasets.
pub(crate) fn dataset(arguments: arguments::Dataset) -> Result<(), Failure> {
    match arguments.command {
        DatasetCommand::New(arguments) => new::new_dataset(&arguments),
        DatasetCommand::Import(arguments) => import_dataset(arguments),
        DatasetCommand::Pull(arguments) => pull::pull_dataset(&arguments),
        DatasetCommand::Export(arguments) => export_dataset(&arguments),
        DatasetCommand::Check(arguments) => on_threads(arguments.threads, || check::check_dataset(&arguments)),
        DatasetCommand::Annotate(arguments) => on_threads(arguments.threads, || annotate::annotate_dataset(&arguments)),
        DatasetCommand::Synth(arguments) => on_threads(arguments.threads, || make_dataset(&arguments)),
    }
}

/// The importer of that name.
pub(crate) fn importer(name: &str) -> Result<&'static Importer, Failure> {
    import::find(name).ok_or_else(|| {
        if let Some(message) = import::left_out(name) {
            return Failure::request(format!("{name}: {message}"));
        }
        let names = import::IMPORTERS.iter().map(|importer| importer.name);
        Failure::request(format!("there is no importer `{name}`; {}", hint(name, names)))
    })
}

fn import_dataset(arguments: arguments::Import) -> Result<(), Failure> {
    let importer = importer(&arguments.format)?;
    let source = arguments.source.to_string_lossy();
    let (source, mut options) = with_options(&source, importer);
    options.0.extend(pairs(&arguments.set, "KEY=VALUE")?);
    let compression = compression(options.0.remove("compress").as_deref())?;
    let claim = claimed(&arguments.out)?;
    let dataset = importer.read(Path::new(source), &options)?;
    let digest = write(&dataset, &arguments.out, Layout::Files(compression))?;
    drop(claim);
    dataset.notes.iter().for_each(|note| tell(&format!("note: {note}")));
    // With options it is another dataset than the catalogue's.
    let known = builtin().read_by(importer.name).filter(|_| options.0.is_empty());
    if let Some(difference) = known.and_then(|known| known.differs(&dataset.manifest, &digest)) {
        tell(&format!("note: {difference}"));
    }
    let (pages, golds) = (dataset.records.len(), dataset.records.golds());
    let (without, orphans) = (pages - golds, golds_without_page(&dataset.notes));
    print_line(&format!(
        "{}: {}, {golds} with gold, {without} without, {orphans} golds without page dropped, {} notes in all",
        arguments.out.display(),
        counted(pages, "page"),
        dataset.notes.len()
    ))
}

/// What `--set compress=` asks for.
fn compression(name: Option<&str>) -> Result<Compression, Failure> {
    match name {
        None | Some("zstd") => Ok(Compression::Zstd),
        Some("gzip") => Ok(Compression::Gzip),
        Some("none") => Ok(Compression::None),
        Some(other) => Err(Failure::request(format!("--set compress: expected none, gzip or zstd, not `{other}`"))),
    }
}

/// The page list of an export that has no other name.
const LIST: &str = "pages.jsonl";

fn export_dataset(arguments: &arguments::Export) -> Result<(), Failure> {
    let out = &arguments.out;
    let is_described = arguments.format == ExportFormat::Croissant;
    let list = out.file_name().and_then(OsStr::to_str).filter(|name| name.ends_with(".jsonl"));
    let (folder, layout) = match list {
        Some(name) => {
            (out.parent().filter(|folder| *folder != Path::new("")).unwrap_or(".".as_ref()), Layout::OneList(name))
        }
        None if is_described => (out.as_path(), Layout::OneList(LIST)),
        None => (out.as_path(), Layout::Files(Compression::Zstd)),
    };
    let _claim = match list {
        Some(_) => claimed_beside(folder)?,
        None => claimed(folder)?,
    };
    if list.is_some() && out.exists() {
        return Err(Failure::request(format!("{} is there already; choose another --out", out.display())));
    }
    let mut dataset = located(&arguments.dataset, &arguments.loading)?;
    if dataset.dropped().listed().next().is_some() {
        dataset.mark_fixed();
    }
    let digest = write(&dataset, folder, layout)?;
    if is_described {
        croissant::write(&dataset.manifest, &digest, folder, list.unwrap_or(LIST))?;
    }
    let (pages, golds) = (dataset.records.len(), dataset.records.golds());
    print_line(&format!("{}: {}, {golds} with gold\n{digest}", out.display(), counted(pages, "page")))
}

fn make_dataset(arguments: &arguments::Synth) -> Result<(), Failure> {
    let synthetic = Synthetic::read(&arguments.recipe, &pairs(&arguments.set, "DIAL=AMOUNT")?)?;
    let _claim = claimed(&arguments.out)?;
    let start = Instant::now();
    let written = synth::write::write(&synthetic, &arguments.out)?;
    let (seconds, kilobytes) = (start.elapsed().as_secs_f64(), written.bytes / 1000);
    let out = arguments.out.display();
    print_line(&format!(
        "{out}: {}, {kilobytes} KB of HTML, {seconds:.1} s\n{}",
        counted(written.pages, "page"),
        written.digest
    ))
}

/// The pairs of `--set`.
fn pairs(arguments: &[String], form: &str) -> Result<BTreeMap<String, String>, Failure> {
    let pair = |argument: &String| match argument.split_once('=') {
        Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
        None => Err(Failure::request(format!("--set {argument}: expected {form}"))),
    };
    arguments.iter().map(pair).collect()
}

/// Claims a folder for the files of a dataset, which are mixed with nothing.
fn claimed(folder: &Path) -> Result<FolderClaim, Failure> {
    claimed_unless(folder, |folder| {
        // A program that was killed leaves folders, and files whose names begin with a point.
        let mut entries = WalkDir::new(folder).into_iter().flatten();
        entries.any(|entry| !entry.file_type().is_dir() && !entry.file_name().to_string_lossy().starts_with('.'))
    })
}

/// Claims a folder for a page list, which may lie beside other files; annotated copies of pages come into `gold/`.
fn claimed_beside(folder: &Path) -> Result<FolderClaim, Failure> {
    claimed_unless(folder, |folder| folder.join("gold").exists())
}

/// Claims a folder that holds no dataset and no run, unless it `is_used`.
fn claimed_unless(folder: &Path, is_used: impl Fn(&Path) -> bool) -> Result<FolderClaim, Failure> {
    let refuse_filled = || {
        let held = [("dataset.yaml", "dataset already"), ("run.json", "run"), ("run.yaml", "run")];
        match held.iter().find(|(name, _)| folder.join(name).exists()) {
            Some((_, what)) => {
                Err(Failure::request(format!("{} holds a {what}; choose another --out", folder.display())))
            }
            None if is_used(folder) => {
                let folder = folder.display();
                let message = "holds files already, which may be somebody's pages or golds; choose another --out";
                Err(Failure::request(format!("{folder} {message}")))
            }
            None => Ok(()),
        }
    };
    refuse_filled()?;
    let claim = FolderClaim::of(folder)?;
    // Another program may have come in between.
    refuse_filled().map(|()| claim)
}
