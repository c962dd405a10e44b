//! What a plan refuses: measures that the golds or the systems cannot be held to, and rows without what they learn from.

use super::{Plan, PlanError};
use crate::datasets::Dataset;
use crate::datasets::manifest::GoldSource;
use crate::formats::shell::shell_command;
use crate::runs::agreement::MOST_SYSTEMS;
use crate::runs::annotate::fault_without_nodes;
use crate::runs::configuration::{Configuration, RequestError};
use crate::runs::system::{ExtractionForm, Row};
use crate::scoring::{Measure, Structure};
use crate::structure::TextKind;
use crate::text::tokens::TokenKind;

impl Plan {
    /// Refuses measures of structure where it is known that a system extracts what they cannot read. They leave out pages
    /// without the part, at one value of a parameter and not at another, which an exact curve cannot.
    pub(super) fn check_forms(&self) -> Result<(), RequestError> {
        for structure in self.configuration.comparisons().filter_map(|rule| rule.measure.structure()) {
            if let Some(sweep) = self.sweeps.first() {
                let message = "has no exact curve, for it leaves out pages; give a grid in place of";
                return Err(RequestError::Argument(format!("measure {structure} {message} {}=exact", sweep.parameter)));
            }
            let forms = self.rows.iter().flat_map(|row| {
                let places = (0..self.datasets.len()).filter(|&place| row.system.is_of(place));
                places.filter_map(move |place| Some((row, row.system.form(place)?)))
            });
            for (row, form) in forms {
                let (kind, has) = match form {
                    ExtractionForm::Nodes => (None, "selects text nodes".to_owned()),
                    ExtractionForm::Written(kind) => (Some(kind), format!("is stored as {}", kind.in_words())),
                };
                if !structure.reads(kind) {
                    let needs = if structure.reads_markdown_alone() { "reads Markdown" } else { "needs structure" };
                    let message = format!("measure {structure} {needs}, and {} {has}", row.name());
                    return Err(RequestError::Argument(message));
                }
            }
        }
        Ok(())
    }

    /// Refuses rows that learn from gold where there is none.
    pub(super) fn check_learned(&self) -> Result<(), RequestError> {
        let learns_here = |row: &&Row| row.system.learns() && row.system.trained_on().is_empty();
        let Some(row) = self.rows.iter().find(learns_here) else { return Ok(()) };
        match self.datasets.iter().find(|dataset| dataset.records.golds() == 0) {
            None => Ok(()),
            Some(dataset) => Err(RequestError::Argument(format!(
                "`{}` learns from gold texts, and no page of `{}` has one",
                row.name(),
                dataset.name()
            ))),
        }
    }

    /// Refuses more systems than can be compared with each other.
    pub(super) fn check_pairs(&self) -> Result<(), RequestError> {
        let places = (0..self.datasets.len()).filter(|&place| !self.scores_rows(place));
        let counts = places.map(|place| (place, self.compared_rows(place).len()));
        match counts.into_iter().find(|&(_, rows)| rows > MOST_SYSTEMS) {
            Some((place, rows)) => Err(RequestError::Argument(format!(
                "no page of `{}` has gold, so that every two of the {rows} rows are compared; ask for {MOST_SYSTEMS} rows at \
                 most",
                self.datasets[place].name()
            ))),
            None => Ok(()),
        }
    }
}

/// Refuses measures and tokens that need other golds than those of `dataset`, which was named `name`.
pub(super) fn check_golds(configuration: &Configuration, dataset: &Dataset, name: &str) -> Result<(), PlanError> {
    check_targets(dataset, configuration.comparison.measure)?;
    if configuration.comparison.measure == Measure::Nodes {
        needs_nodes(dataset, name)?;
    }
    for structure in configuration.comparisons().filter_map(|rule| rule.measure.structure()) {
        needs_parts(dataset, name, structure)?;
    }
    if configuration.comparisons().any(|rule| rule.tokens == TokenKind::Cleaneval) {
        needs_gold_files(dataset, name)?;
    }
    Ok(())
}

/// Refuses a measure that holds extractions against what no page of the dataset has.
fn check_targets(dataset: &Dataset, measure: Measure) -> Result<(), PlanError> {
    let name = dataset.name();
    let lacks_gold = measure != Measure::Snippets && dataset.records.golds() == 0;
    if !lacks_gold && measure != Measure::Snippets {
        return Ok(());
    }
    let mut has_snippets = false;
    for record in dataset.records.iter() {
        has_snippets = record?.details().snippets.is_some();
        if has_snippets {
            break;
        }
    }
    let message = match (lacks_gold, has_snippets) {
        (true, true) => format!("`{name}` has no gold text, only snippets: score it with --measure snippets"),
        (false, false) => format!("no page of `{name}` has snippets, which the measure snippets looks for"),
        (true, false) | (false, true) => return Ok(()),
    };
    Err(RequestError::Argument(message).into())
}

/// Refuses tokens that are those of a file where a gold of `dataset`, which was named `name`, is no file.
fn needs_gold_files(dataset: &Dataset, name: &str) -> Result<(), PlanError> {
    for record in dataset.records.iter() {
        let record = record?;
        let is_no_file = |gold: &GoldSource| !gold.is_text() || gold.path().is_none();
        if record.gold.as_ref().is_some_and(is_no_file) {
            let message = format!("tokens cleaneval need gold files, and page {} of {name} has none", record.id);
            return Err(RequestError::Argument(message).into());
        }
    }
    Ok(())
}

/// Refuses to measure the text nodes of `dataset`, which was named `name`, where a page has gold and does not say which nodes are.
fn needs_nodes(dataset: &Dataset, name: &str) -> Result<(), PlanError> {
    for record in dataset.records.iter() {
        let record = record?;
        if record.gold.is_some() && !record.has_gold_nodes() {
            let options = [("--from-gold", None), ("--out", Some("FOLDER"))];
            let way_out = match fault_without_nodes(&record) {
                Some(fault) => format!(
                    "its fault `{fault}` says that its text nodes do not hold it: leave such pages out with \
                     `--without-faults {fault}`"
                ),
                None => format!(
                    "find them with `{}`, and run on that folder",
                    shell_command("carat dataset annotate", &[name], &options)
                ),
            };
            let message = format!(
                "measure nodes needs gold nodes, and page `{}` of `{name}` has only a gold text; {way_out}",
                record.id
            );
            return Err(RequestError::Argument(message).into());
        }
    }
    Ok(())
}

/// Refuses a measure of structure where a gold of `dataset`, which was named `name`, says nothing of structure.
fn needs_parts(dataset: &Dataset, name: &str, structure: Structure) -> Result<(), PlanError> {
    for record in dataset.records.iter() {
        let record = record?;
        let Some(form) = record.gold.as_ref().map(GoldSource::form).filter(|form| !structure.reads(*form)) else {
            continue;
        };
        let page = format!("page `{}` of `{name}`", record.id);
        let message = match (structure.reads_markdown_alone(), form) {
            (true, form) => {
                let form = form.map_or("text nodes", TextKind::in_words);
                format!("measure {structure} reads Markdown, and the gold of {page} is {form}")
            }
            (false, _) => format!(
                "measure {structure} needs gold with structure, and {page} has only text: give it as Markdown or HTML \
                 (kind), or as gold nodes"
            ),
        };
        return Err(RequestError::Argument(message).into());
    }
    Ok(())
}
