//! A threshold read off the curve of drawn pages, and tried on the rest: two more runs.

use std::collections::BTreeMap;
use std::path::Path;

use crate::decisions::claims::drawn::{Drawn, Runs, Tried, tried};
use crate::papers::{DrawnRun, Paper};
use crate::report::papers::{PaperRun, PaperTable};
use crate::report::table_format::{four, plain_table, table_lines};
use crate::runs::configuration::Configuration;
use crate::runs::page_facts::Counted;
use crate::runs::plan::Plan;
use crate::runs::read_off::{ReadOff, read_off};
use crate::runs::splits::DrawnSplit;

use super::{configuration, made, planned_in};
use crate::command_line::arguments;
use crate::command_line::failure::Failure;
use crate::command_line::output::tell;
use crate::formats::code::Exit;

/// The key of a configuration's filters that is a split.
const SPLIT: &str = "split";

/// The run of the drawn pages, and what came of it.
pub(super) struct OfDrawn {
    pub(super) run: PaperRun,
    /// By dataset.
    drawn: Vec<Drawn>,
}

impl OfDrawn {
    pub(super) fn on(&self, dataset: &str) -> Option<&Drawn> {
        self.drawn.iter().find(|drawn| drawn.read_off.dataset == dataset)
    }

    /// What was read off, by dataset.
    pub(super) fn values(&self) -> BTreeMap<String, f64> {
        let value = |ReadOff { dataset, value, .. }: &ReadOff| (dataset.clone(), value.to_f64());
        self.drawn.iter().map(|drawn| value(&drawn.read_off)).collect()
    }
}

/// Runs the drawn pages, reads the threshold off, and runs the rest under it; `None` where the pages that are asked for
/// cannot be drawn from, which is told.
pub(super) fn try_drawn(
    arguments: &arguments::Reproduce,
    paper: &'static Paper,
    request: &DrawnRun,
    all: &PaperRun,
    folder: &Path,
    counted: &mut Counted,
) -> Result<Option<OfDrawn>, Failure> {
    let own = Configuration::from_yaml(request.file, request.configuration)?.filters;
    let asked = configuration(arguments, request.file, request.configuration)?;
    let split = own.get(SPLIT).and_then(|split| split.parse::<DrawnSplit>().ok());
    let (Some(split), true) = (split, own.get(SPLIT) == asked.filters.get(SPLIT)) else {
        tell("no pages are drawn to read a threshold off: --where names another split");
        return Ok(None);
    };
    if let Err(error) = Plan::new(asked.clone()).and_then(|_| Plan::new(on(&asked, split.rest()))) {
        tell(&format!("no pages are drawn to read a threshold off: {error}"));
        return Ok(None);
    }
    let of_drawn = folder.join("drawn");
    let run = made(arguments, paper, planned_in(arguments, asked.clone(), &of_drawn)?, &of_drawn, counted)?;
    let wrong = |message| Failure::new(Exit::Data, message);
    let read = |dataset| read_off(&run.sweeps, dataset, request.algorithm).transpose();
    let read: Vec<ReadOff> = run.datasets().filter_map(read).collect::<Result<_, _>>().map_err(wrong)?;
    let mut of_rest = on(&asked, split.rest());
    of_rest.replace_algorithms(&rows(request, &read))?;
    let folder = folder.join("rest");
    let rest = made(arguments, paper, planned_in(arguments, of_rest, &folder)?, &folder, counted)?;
    let runs = Runs { drawn: (&run.summary, &run.sweeps), rest: &rest.summary, all: (&all.summary, &all.sweeps) };
    let drawn = read.into_iter().map(|read_off| tried(&runs, &split.to_string(), read_off, request.other)).collect();
    Ok(Some(OfDrawn { run, drawn }))
}

/// The same on another split.
fn on(asked: &Configuration, split: DrawnSplit) -> Configuration {
    let mut other = asked.clone();
    other.filters.insert(SPLIT.to_owned(), split.to_string());
    other
}

/// The rows of the rest: the defaults, and every value that was read off.
fn rows(request: &DrawnRun, read: &[ReadOff]) -> Vec<String> {
    let read = read.iter().map(|read| format!("{}:{}={}", read.algorithm, read.parameter, read.value));
    [request.algorithm.to_owned(), request.other.to_owned()].into_iter().chain(read).collect()
}

const COLUMNS: [&str; 8] = ["dataset", "pages", "count", "system", "setting", "P", "R", "F1"];

/// What must be known to read the table.
const NOTES: [&str; 2] = [
    "means over pages; read off: the best F1 of the exact curve of the drawn pages, of equally good values the default, else the decimal with fewest digits in the middle half of the widest range",
    "the rest had no part in the choice but shares sites with the drawn pages, as in the paper: carat tune holds out whole sites",
];

pub(super) fn table(paper: &str, title: &str, drawn: &[&Drawn], conditions: Vec<String>) -> PaperTable {
    let splits = drawn.iter().map(|drawn| {
        let ReadOff { dataset, parameter, value, best_on, .. } = &drawn.read_off;
        format!("{dataset}: {} drawn; best F1 for {parameter} in {best_on}, {value} taken", drawn.split)
    });
    let rows = drawn.iter().flat_map(|drawn| drawn.tried.iter().map(|tried| cells(&drawn.read_off.dataset, tried)));
    PaperTable {
        stem: format!("{paper}-figure-1"),
        title: format!("A threshold read off 20 % of the pages, as in {title}, and tried on the rest"),
        pages_of: None,
        header: COLUMNS.map(str::to_owned).to_vec(),
        names: &[0, 3, 4],
        right: 5,
        rows: rows.collect(),
        notes: NOTES.map(str::to_owned).to_vec(),
        conditions: splits.chain(conditions).collect(),
    }
}

fn cells(dataset: &str, tried: &Tried) -> Vec<String> {
    let Tried { pages, count, algorithm, setting, mean } = tried;
    let named = [dataset, pages, &count.to_string(), algorithm, setting].map(str::to_owned);
    named.into_iter().chain([mean.precision, mean.recall, mean.f1].map(four)).collect()
}

pub(super) fn terminal(paper: &str, drawn: &Drawn) -> String {
    let ReadOff { dataset, parameter, value, best_on, .. } = &drawn.read_off;
    let mut table = plain_table(COLUMNS[1..].iter().copied());
    for tried in &drawn.tried {
        table.add_row(&cells(dataset, tried)[1..]);
    }
    format!(
        "{paper} on {dataset}: {parameter} {value} read off drawn pages ({}; best F1 in {best_on}), tried on the rest\n{}\n",
        drawn.split,
        table_lines(table, 4).join("\n")
    )
}
