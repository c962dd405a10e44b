//! The tables of a run, which are written line by line.

use std::path::{Path, PathBuf};

use crate::datasets::Dataset;
use crate::datasets::manifest::Record;
use crate::formats::cells::cell;
use crate::formats::files::{AtomicFile, FileError, unwritten};
use crate::runs::agreement::compared;
use crate::runs::page_outcome::PageOutcome;
use crate::runs::plan::Plan;
use crate::runs::system::Row;

/// A CSV file that is written line by line, and put in its place when it is whole.
pub(super) struct Table {
    csv: csv::Writer<AtomicFile>,
    path: PathBuf,
}

impl Table {
    pub(super) fn new(path: &Path, columns: &[&str]) -> Result<Self, FileError> {
        let csv = csv::Writer::from_writer(AtomicFile::new(path)?);
        let mut table = Table { csv, path: path.to_owned() };
        table.add(columns)?;
        Ok(table)
    }

    pub(super) fn add(&mut self, fields: impl IntoIterator<Item = impl AsRef<str>>) -> Result<(), FileError> {
        let mut fields = fields.into_iter();
        let written = fields.try_for_each(|field| self.csv.write_field(cell(field.as_ref()).as_bytes()));
        let written = written.and_then(|()| self.csv.write_record(None::<&[u8]>));
        written.map_err(|error| unwritten(&self.path, error.into()))
    }

    pub(super) fn finish(self) -> Result<(), FileError> {
        let file = self.csv.into_inner().map_err(|error| unwritten(&self.path, error.into_error()))?;
        file.finish()
    }
}

/// The columns of `agreement.csv`.
const AGREEMENT_COLUMNS: [&str; 12] = [
    "dataset", "page", "site", "language", "kind", "pairs", "f1", "least_one", "least_other", "least_f1", "texts_f1",
    "silent",
];

/// `agreement.csv`: how far the systems agree on each page without gold, a line a page; where there is no such page there is
/// no such file.
pub(super) struct Disputes {
    table: Option<Table>,
    /// For each dataset the places of the rows that are compared.
    rows: Vec<Vec<usize>>,
    labels: Vec<String>,
    datasets: Vec<String>,
}

impl Disputes {
    pub(super) fn new(plan: &Plan, folder: &Path) -> Result<Self, FileError> {
        let rows: Vec<Vec<usize>> = (0..plan.datasets.len()).map(|place| plan.compared_rows(place)).collect();
        let is_needed = (0..plan.datasets.len()).any(|place| plan.compares_rows(place));
        let table = is_needed.then(|| Table::new(&folder.join("agreement.csv"), &AGREEMENT_COLUMNS)).transpose()?;
        let labels = plan.rows.iter().map(Row::name_and_label);
        let datasets = plan.datasets.iter().map(|dataset| dataset.name().to_owned());
        Ok(Disputes { table, rows, labels: labels.collect(), datasets: datasets.collect() })
    }

    pub(super) fn add(&mut self, place: usize, record: &Record, outcome: &PageOutcome) -> Result<(), FileError> {
        let (Some(table), Some(agreement)) = (&mut self.table, &outcome.agreement) else { return Ok(()) };
        let rows = &self.rows[place];
        let Some(page) = compared(rows, record, agreement) else { return Ok(()) };
        let [site, language, kind] = &page.tags;
        let least = page.least.map(|number| self.labels[rows[number]].as_str());
        let six = |figure: f64| format!("{figure:.6}");
        table.add([
            &self.datasets[place],
            &page.page,
            site,
            language,
            kind,
            &page.pairs.to_string(),
            &six(page.f1),
            least[0],
            least[1],
            &six(page.least_f1),
            &page.texts_f1.map(six).unwrap_or_default(),
            &page.silent.to_string(),
        ])
    }

    pub(super) fn finish(self) -> Result<(), FileError> {
        self.table.map_or(Ok(()), Table::finish)
    }
}

/// The columns of `roles.csv`.
const ROLE_COLUMNS: [&str; 9] =
    ["dataset", "page", "algorithm", "parameters", "role", "characters", "gold", "extracted", "matched"];

/// `roles.csv`: what each row holds of each role on each page, a line each; where no page has roles there is no such file.
pub(super) struct RoleLines<'p> {
    plan: &'p Plan,
    path: PathBuf,
    table: Option<Table>,
}

impl<'p> RoleLines<'p> {
    pub(super) fn new(plan: &'p Plan, folder: &Path) -> Self {
        RoleLines { plan, path: folder.join("roles.csv"), table: None }
    }

    pub(super) fn add(&mut self, place: usize, record: &Record, outcome: &PageOutcome) -> Result<(), FileError> {
        let (Some(roles), Some(outcomes)) = (&outcome.roles, &outcome.rows) else { return Ok(()) };
        let table = match &mut self.table {
            Some(table) => table,
            None => self.table.insert(Table::new(&self.path, &ROLE_COLUMNS)?),
        };
        let dataset = self.plan.datasets[place].name();
        let rows = self.plan.rows.iter().zip(outcomes).filter(|(row, _)| row.system.is_of(place));
        for (row, outcome) in rows {
            let label = row.label();
            let held = roles.held(outcome).into_iter().flatten();
            for ((role, page), held) in roles.parts().zip(&roles.characters).zip(held) {
                let counts = [page.all, page.gold, held.all, held.gold].map(|count| count.to_string());
                let named = [dataset, &record.id, row.name(), &label, role.unwrap_or_default()];
                table.add(named.into_iter().chain(counts.iter().map(String::as_str)))?;
            }
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<(), FileError> {
        self.table.map_or(Ok(()), Table::finish)
    }
}

/// The columns of `pages.csv`.
pub(super) const PAGE_COLUMNS: [&str; 13] = [
    "dataset", "page", "status", "bytes", "encoding", "encoding_source", "replaced", "cap_hits", "nodes", "depth",
    "text", "link", "gold",
];

/// A page's line in `pages.csv`; what is not known is empty.
pub(super) fn page_fields(dataset: &Dataset, record: &Record, outcome: &PageOutcome) -> [String; PAGE_COLUMNS.len()] {
    let number = |number: Option<usize>| number.map(|number| number.to_string()).unwrap_or_default();
    let page = outcome.page.as_ref().ok();
    let facts = page.and_then(|page| page.facts.as_ref());
    let sizes = page.map(|page| page.sizes).unwrap_or_default();
    let source = facts.and_then(|facts| serde_json::to_value(facts.encoding_source).ok());
    [
        dataset.name().to_owned(),
        record.id.clone(),
        if page.is_some() { "ok" } else { "failed" }.to_owned(),
        number(facts.map(|facts| facts.bytes)),
        facts.map(|facts| facts.encoding.clone()).unwrap_or_default(),
        source.as_ref().and_then(|source| source.as_str()).unwrap_or_default().to_owned(),
        number(facts.map(|facts| facts.replaced)),
        number(facts.map(|facts| facts.cap_hits)),
        number(facts.map(|facts| facts.nodes)),
        number(facts.map(|facts| facts.depth)),
        number(sizes.text),
        number(sizes.link),
        number(sizes.gold),
    ]
}
