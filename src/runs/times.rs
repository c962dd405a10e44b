//! How long each row takes: preparing and choosing with the views it needs, on pages of which nothing else was asked
//! before. Parsing is not counted. No figure and no digest depends on it.

use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::folder_error::FolderError;
use super::kind::{OnPage, Others, Preparing};
use super::kinds::KINDS;
use super::plan::Plan;
use super::run_folder::RunFolder;
use super::scores::RowKey;
use super::system::{Place, Row};
use crate::algorithms::algorithm::Choice;
use crate::datasets::{Dataset, DatasetError, Halt};
use crate::formats::cells::cell;
use crate::formats::files::{FileError, write_atomically};
use crate::page::Page;
use crate::page::selection::Selection;

/// The name of the file in the run's folder.
const FILE: &str = "times.csv";

/// A row's times over the pages of a dataset, in milliseconds a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowTimes {
    /// The dataset's name.
    pub dataset: String,
    /// The algorithm's name.
    pub algorithm: String,
    /// What tells the row from others of its algorithm, as on the command line.
    pub parameters: String,
    /// Pages that were timed.
    pub pages: usize,
    /// The mean.
    pub mean: f64,
    /// Half of the pages take at most that.
    pub median: f64,
    /// 99 of 100 pages take at most that.
    pub p99: f64,
    /// What was learned from gold before the first page, in milliseconds for the whole dataset; it is in none of the other
    /// figures. `None` for a row that learns nothing from gold.
    #[serde(default)]
    pub learning: Option<f64>,
    /// From the start of the row's external program to its hello, in milliseconds; it is in none of the other figures.
    /// `None` for a row that starts no program.
    #[serde(default)]
    pub starting: Option<f64>,
}

impl RowTimes {
    /// Of which row of a run they are.
    pub(crate) fn key(&self) -> RowKey {
        (self.dataset.clone(), self.algorithm.clone(), self.parameters.clone())
    }
}

/// What a row takes on a dataset, in milliseconds.
#[derive(Default)]
struct Measured {
    /// On each page that can be opened.
    pages: Vec<f64>,
    learning: Option<f64>,
    starting: Option<f64>,
}

/// Times every row that is an algorithm of carat's, rules of sites, or learned, one after the other on one thread: nothing
/// is shared, so that a row's time is its own. The time of an external program is that from each request to its reply, as it
/// was when the program was asked; its start stands by itself. What a group algorithm learns of the pages is divided among them; learning
/// from gold is done before there are pages to extract, on all threads, and stands by itself.
///
/// # Errors
/// [`DatasetError`]: a page list that cannot be read any more, or was changed.
pub fn measure(plan: &Plan) -> Result<Vec<RowTimes>, DatasetError> {
    let mut times = Vec::new();
    for (place, dataset) in plan.datasets.iter().enumerate() {
        for row in &plan.rows {
            let measured = match row.system.is_timed() {
                true => of_row(dataset, row)?,
                false => Measured {
                    pages: row.system.times_of_replies(place),
                    learning: None,
                    starting: row.system.time_to_start(),
                },
            };
            times.extend(RowTimes::of(dataset, row, measured));
        }
    }
    Ok(times)
}

fn of_row(dataset: &Dataset, row: &Row) -> Result<Measured, DatasetError> {
    let Some(kind) = KINDS.iter().find(|kind| kind.makes(row)) else { return Ok(Measured::default()) };
    let start = Instant::now();
    let own = Preparing { rows: vec![(0, row)], sweeps: Vec::new(), dataset, is_stopped: &|| false };
    let ready = kind.prepare(own).map_err(Halt::of_unstopped)?;
    let preparing = start.elapsed();
    let learning = row.system.learns().then(|| in_milliseconds(preparing));
    let of_page = match learning {
        Some(_) => Duration::ZERO,
        None => preparing / u32::try_from(dataset.records.len().max(1)).unwrap_or(u32::MAX),
    };
    let mut pages = Vec::new();
    for (index, record) in dataset.records.iter().enumerate() {
        let record = record?;
        let page = dataset.open_page(&record);
        dataset.refuse_unread()?;
        let Ok(page) = page else { continue };
        let on = OnPage {
            place: 0,
            index,
            record: &record,
            page: Some(&page),
            gold: None,
            node_gold: None,
            others: &NoOthers,
        };
        let start = Instant::now();
        let extractions = ready.extract(&on)?;
        let took = start.elapsed();
        // Where there was nothing to learn from, the page is not run.
        if !extractions.is_empty() {
            pages.push(in_milliseconds(took + of_page));
        }
    }
    Ok(Measured { pages, learning, starting: None })
}

/// A row is timed alone: it rests on no other.
struct NoOthers;

impl Others for NoOthers {
    fn on_nodes(&self, _: Place) -> Option<&Result<Selection, String>> {
        None
    }

    fn choose(&self, _: Place, _: &Page) -> Result<Choice, String> {
        Err("a row is timed alone".to_owned())
    }
}

fn in_milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

impl RowTimes {
    fn of(dataset: &Dataset, row: &Row, measured: Measured) -> Option<Self> {
        let Measured { pages: mut times, learning, starting } = measured;
        times.sort_by(f64::total_cmp);
        let last = times.len().checked_sub(1)?;
        // The least time that so many of a hundred pages do not exceed.
        let quantile = |hundredths: usize| times[(times.len() * hundredths).div_ceil(100).saturating_sub(1).min(last)];
        Some(RowTimes {
            dataset: dataset.name().to_owned(),
            algorithm: row.name().to_owned(),
            parameters: row.label(),
            pages: times.len(),
            mean: times.iter().sum::<f64>() / times.len() as f64,
            median: quantile(50),
            p99: quantile(99),
            learning,
            starting,
        })
    }
}

/// Writes the times into the run's folder.
///
/// # Errors
/// [`FileError`]: it cannot be written.
pub fn write(folder: &Path, times: &[RowTimes]) -> Result<(), FileError> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    for row in times {
        let [dataset, algorithm, parameters] =
            [&row.dataset, &row.algorithm, &row.parameters].map(|text| cell(text).into_owned());
        let row = RowTimes { dataset, algorithm, parameters, ..row.clone() };
        csv.serialize(row).expect("writing to memory does not fail");
    }
    write_atomically(&folder.join(FILE), &csv.into_inner().expect("writing to memory does not fail"))
}

/// The times of a run; none where it was not timed.
///
/// # Errors
/// [`FolderError`]: the file is not as it was written.
pub fn read_times(run: &RunFolder) -> Result<Vec<RowTimes>, FolderError> {
    run.records(FILE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::configuration::{AlgorithmRequest, Configuration, NamedRequest};
    use crate::runs::run_folder::examples::sealed;

    #[test]
    fn every_algorithm_is_timed_and_read_back() {
        let names = ["all-text", "unrepeated-text", "nta:coherence=0.8|0.9", "wrapper:learn=true"];
        let configuration = Configuration {
            datasets: vec![NamedRequest::from_argument("portals")],
            filters: [("site".to_owned(), "hehui-online.example".to_owned())].into(),
            algorithms: names.map(|name| AlgorithmRequest::from_argument(name).unwrap()).into(),
            ..Configuration::default()
        };
        let plan = Plan::new(configuration).unwrap();
        let times = measure(&plan).unwrap();
        let labels: Vec<String> = times.iter().map(|row| format!("{} {}", row.algorithm, row.parameters)).collect();
        assert_eq!(
            labels,
            ["all-text ", "unrepeated-text ", "nta coherence=0.8", "nta coherence=0.9", "wrapper learn=true"]
        );
        let learns: Vec<bool> = times.iter().map(|row| row.learning.is_some_and(|time| time > 0.0)).collect();
        assert_eq!(learns, [false, false, false, false, true]);
        assert!(times.iter().all(|row| row.pages == 9 && 0.0 < row.median && row.median <= row.p99));
        let folder = tempfile::tempdir().unwrap();
        let read = || read_times(&RunFolder::of(folder.path(), &sealed(folder.path()))).unwrap();
        assert_eq!(read(), []);
        write(folder.path(), &times).unwrap();
        assert_eq!(read(), times);
    }
}
