//! `carat wrapper`.

use crate::datasets::load::Loading;
use crate::datasets::locate::locate_with;
use crate::formats::files::write_named;
use crate::formats::inert::one_line;
use crate::runs::configuration::AlgorithmRequest;
use crate::runs::learned::learning_parameters;
use crate::runs::learned::wrapper::{Checked, Fallback, Rules, learn_sites, learned_from, rules_file};

use crate::command_line::arguments::{Format, Wrapper, WrapperCheck, WrapperCommand, WrapperLearn};
use crate::command_line::failure::Failure;
use crate::command_line::faults::located;
use crate::command_line::output::{print_json, print_line, print_result, tell};
use crate::command_line::threads::on_threads;
use crate::formats::code::Exit;
use crate::text::counted;

/// Carries out a command on rules of sites.
pub(crate) fn wrapper(arguments: Wrapper) -> Result<(), Failure> {
    match arguments.command {
        WrapperCommand::Check(arguments) => check(&arguments),
        WrapperCommand::Learn(arguments) => on_threads(arguments.threads, || learn(&arguments)),
    }
}

/// Tries the tests of a rules file, and fails where one does or none is tried.
fn check(arguments: &WrapperCheck) -> Result<(), Failure> {
    let rules = Rules::read(&arguments.rules)?;
    let loading = Loading { gold_outside: arguments.trust.gold_outside, ..Loading::default() };
    let datasets = arguments.dataset.iter().map(|name| locate_with(name, loading));
    let datasets = datasets.collect::<Result<Vec<_>, _>>()?;
    let checked = rules.check(&datasets)?;
    match arguments.format {
        Format::Json => print_json(&serde_json::to_value(&checked).unwrap_or_default())?,
        Format::Text => print_tests(&rules.file, &checked)?,
    }
    let failed = checked.tests.iter().filter(|test| test.fault.is_some()).count();
    match (failed, checked.tests.len()) {
        (0, 0) => Err(Failure::request(format!("{}: no test names a page of the datasets", rules.file))),
        (0, _) => Ok(()),
        (failed, all) => Err(Failure::new(Exit::Check, format!("{}: {failed} of {all} tests failed", rules.file))),
    }
}

/// Writes the templates that are learned from all pages of each site.
fn learn(arguments: &WrapperLearn) -> Result<(), Failure> {
    Fallback::of(&AlgorithmRequest::from_argument(&arguments.fallback)?)?;
    let parameters = learning_parameters(arguments.parameters.as_deref().unwrap_or_default())?;
    if let Some(path) = arguments.out.as_ref().filter(|path| path.exists()) {
        // It may have been mended by hand.
        return Err(Failure::request(format!("{} is there already; choose another --out", path.display())));
    }
    let dataset = located(&arguments.dataset, &arguments.loading)?;
    let templates = learn_sites(&dataset, &parameters)?;
    if templates.is_empty() {
        let message = format!("`{}` has no page with gold and a site to learn from", arguments.dataset);
        return Err(Failure::new(Exit::Data, message));
    }
    let text = rules_file(&templates, &learned_from(&dataset, &templates)?, &arguments.fallback);
    match &arguments.out {
        Some(path) => write_named(path, text.as_bytes())?,
        None => print_result(&text)?,
    }
    let pages: usize = templates.iter().map(|template| template.pages.len()).sum();
    tell(&format!("{}, learned from {}", counted(templates.len(), "site"), counted(pages, "page")));
    Ok(())
}

fn print_tests(file: &str, checked: &Checked) -> Result<(), Failure> {
    for test in &checked.tests {
        let (verdict, fault) =
            test.fault.as_ref().map_or(("ok    ", String::new()), |fault| ("failed", format!(": {fault}")));
        print_line(&one_line(&format!("{verdict}  {file}:{}: {}{fault}", test.line, test.page)))?;
    }
    for test in &checked.elsewhere {
        print_line(&one_line(&format!("passed over  {file}:{}: {} is no page of the datasets", test.line, test.page)))?;
    }
    for rule in &checked.without_pages {
        let sites = rule.sites.join(" or ");
        print_line(&one_line(&format!(
            "without pages  {file}:{}: no page of the datasets has the site {sites}",
            rule.line
        )))?;
    }
    Ok(())
}
