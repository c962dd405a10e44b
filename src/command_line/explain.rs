//! `carat explain`.

use std::path::Path;

use crate::explain::Explained;
use crate::explain::source::{SourceError, Subject, datasets, find};
use crate::formats::code::Code;
use crate::formats::files::write_named;
use crate::report;
use crate::runs::configuration::AlgorithmRequest;
use crate::runs::kinds::single_row;

use crate::command_line::arguments::{self, Format};
use crate::command_line::extract::read_page;
use crate::command_line::failure::Failure;
use crate::command_line::faults::tell_dropped;
use crate::command_line::output::{print, print_json, tell};
use crate::command_line::replaced_files::{refuse_needed, refuse_other_than};
use crate::command_line::run_folders::near;

/// The mark of a page that carat wrote.
const GENERATOR: &str = r#"<meta name="generator" content="carat">"#;

/// Prints why an algorithm chose what it chose of a page.
pub(crate) fn explain(arguments: arguments::Explain) -> Result<(), Failure> {
    if let Some(file) = &arguments.html {
        refuse_needed("--html", file, &[Path::new(&arguments.source)])?;
        refuse_other_than(GENERATOR, "--html", file)?;
    }
    let request = AlgorithmRequest::from_argument(&arguments.algorithm)?;
    let row = single_row(&request, arguments.loading.options())?;
    row.system.trained_on().into_iter().for_each(|(dataset, _)| tell_dropped(dataset));
    let explained = Explained::new(subject(&arguments)?, row)?;
    let language = arguments.lang.unwrap_or_else(|| report::language_in(Path::new(&arguments.source)));
    if let Some(file) = &arguments.html {
        write_named(file, explained.to_html(language)?.as_bytes())?;
        let what = if explained.has_reasons() { "why" } else { "the choice, for this algorithm records no reasons" };
        tell(&format!("{} shows {what}", file.display()));
        return Ok(());
    }
    match arguments.format {
        Format::Text => print(&explained.outline(arguments.all, language)),
        Format::Json => print_json(&explained.to_json()),
    }
}

/// The page that the arguments name.
fn subject(arguments: &arguments::Explain) -> Result<Subject, Failure> {
    let path = Path::new(&arguments.source);
    if arguments.source == "-" || path.is_file() {
        if arguments.page.is_some() || arguments.dataset.is_some() {
            return Err(Failure::request(format!("{}: is a single page, name no other", arguments.source)));
        }
        let page = read_page(path, arguments.encoding.as_deref(), arguments.language.as_deref())?;
        return Ok(Subject::of_file(arguments.source.clone(), page));
    }
    if arguments.encoding.is_some() || arguments.language.is_some() {
        return Err(Failure::request("--encoding and --language are for files: a dataset says them of its pages"));
    }
    let found = datasets(&arguments.source, arguments.loading.options());
    let (mut datasets, comparison) = found.map_err(|error| unfound(path, error))?;
    datasets.iter().for_each(tell_dropped);
    if let Some(name) = &arguments.dataset {
        datasets.retain(|dataset| dataset.name() == name);
        if datasets.is_empty() {
            return Err(Failure::request(format!("{} has no dataset `{name}`", arguments.source)));
        }
    }
    Ok(find(datasets, arguments.page.as_deref(), comparison)?)
}

/// A name that is neither that of a dataset nor of a run's folder.
fn unfound(path: &Path, error: SourceError) -> Failure {
    match error {
        SourceError::Dataset(error) if error.code == Code::Unknown => {
            Failure::request(format!("{error}; nor is it the folder of a run: {}", near(path)))
        }
        error => error.into(),
    }
}
