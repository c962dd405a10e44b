//! Runs whose pages come in batches, as tables of other libraries.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use carat::command_line::embedded::batches::{
    self, BatchPlan, GivenHtml, GivenPage, Merging, PageTexts, ScoredPage, ScoredRow, SiteSums, Summing,
};
use carat::command_line::embedded::{Error, Host};
use carat::runs::configuration::Asked;
use carat::statistics::drawn_means;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use rayon::ThreadPool;

use crate::callable::{Function, Raised};
use crate::capsules::{Batch, Reader, TextColumn};
use crate::columns::{Column, Columns};
use crate::errors::{exception, wrong_data, wrong_request};
use crate::pool::pool;
use crate::run::{Control, waited};

/// The columns of a page besides id, page and gold.
const FIELDS: [&str; 7] = ["url", "site", "language", "kind", "encoding", "group", "split"];

/// A plan without its pages.
#[pyclass(frozen, module = "carat._carat")]
pub(crate) struct Plan {
    plan: Arc<BatchPlan>,
    /// The metadata of its tables: names and texts.
    metadata: Vec<(String, String)>,
    control: Arc<Control>,
    raised: Raised,
}

/// A function as `run` takes it, too.
type Asks = (Py<PyAny>, String, String, usize);

#[pymethods]
impl Plan {
    /// Of a configuration, its functions, and the word for it that tables carry.
    #[new]
    fn new(py: Python<'_>, configuration: &str, functions: Vec<Asks>, texts: bool, told: String) -> PyResult<Self> {
        let (control, raised) = (Arc::new(Control::default()), Raised::default());
        let function = |asks| Ok(Arc::new(Function::new(asks, &control, &raised)?) as Arc<dyn Asked>);
        let functions = functions.into_iter().map(function).collect::<PyResult<_>>()?;
        let host: Arc<dyn Host> = control.clone();
        let plan = batches::plan(configuration, functions, texts, &host).map_err(|error| exception(py, error))?;
        let metadata = [
            ("carat.version", env!("CARGO_PKG_VERSION").to_owned()),
            ("carat.digest", plan.digest().to_owned()),
            ("carat.rows", serde_json::json!(plan.labels()).to_string()),
            ("carat.plan", told),
        ];
        let metadata = metadata.map(|(name, text)| (name.to_owned(), text)).into();
        Ok(Plan { plan: Arc::new(plan), metadata, control, raised })
    }

    /// The names of the rows, as on the command line.
    #[getter]
    fn labels(&self) -> Vec<String> {
        self.plan.labels()
    }

    /// The digest of configuration and program.
    #[getter]
    fn digest(&self) -> &str {
        self.plan.digest()
    }

    /// The metadata of its tables: names and texts.
    #[getter]
    fn metadata(&self) -> Vec<(String, String)> {
        self.metadata.clone()
    }

    /// The name of the dataset, as results have it.
    #[getter]
    fn dataset(&self) -> &str {
        self.plan.dataset()
    }
}

impl Plan {
    /// The result of `work` on a thread of its own, with so many threads.
    fn waited<T: Send + 'static>(
        &self,
        py: Python<'_>,
        pool: &Arc<ThreadPool>,
        work: impl FnOnce(Arc<BatchPlan>, Arc<dyn Host>) -> Result<T, Error> + Send + 'static,
    ) -> PyResult<T> {
        let (plan, host) = (self.plan.clone(), self.control.clone() as Arc<dyn Host>);
        self.control.begin();
        let pool = pool.clone();
        let outcome = waited(py, &self.control, None, move || pool.install(|| work(plan, host)))?;
        if let Some(error) = self.raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(error);
        }
        outcome.map_err(|error| exception(py, error))
    }
}

/// A table of pages, which is read batch by batch.
#[pyclass(module = "carat._carat")]
pub(crate) struct Pages {
    reader: Mutex<Reader>,
    plan: Py<Plan>,
    pool: Arc<ThreadPool>,
    /// True once something was taken: a table without any batch gives an empty one.
    is_begun: AtomicBool,
}

#[pymethods]
impl Pages {
    /// The table in a capsule.
    #[new]
    fn new(stream: &Bound<'_, PyCapsule>, plan: Py<Plan>, threads: Option<usize>) -> PyResult<Self> {
        let py = stream.py();
        let reader = Mutex::new(Reader::new(stream)?);
        let pool = pool(threads).map_err(|message| wrong_request(py, message))?;
        Ok(Pages { reader, plan, pool, is_begun: AtomicBool::new(false) })
    }

    /// The counts of the next batch, and notes; `None` at the end. `sites` says that every site is there with all its pages.
    fn score(&self, py: Python<'_>, sites: bool) -> PyResult<Option<(Columns, Vec<String>)>> {
        let Some(taken) = self.next(py)? else { return Ok(None) };
        let plan = self.plan.get();
        let Taken { pages, ids, refused, has_gold } = taken;
        let scored =
            plan.waited(py, &self.pool, move |plan, host| batches::score(&plan, pages, (has_gold, sites), &host))?;
        let notes = scored.notes;
        let scored =
            with_refused(scored.pages, refused, |reason| ScoredPage { error: Some(reason), ..ScoredPage::default() });
        Ok(Some((counts(plan, &ids, &scored), notes)))
    }

    /// The texts of the next batch; `None` at the end.
    fn extract(&self, py: Python<'_>) -> PyResult<Option<Columns>> {
        let Some(Taken { pages, ids, refused, .. }) = self.next(py)? else { return Ok(None) };
        let plan = self.plan.get();
        let found = plan.waited(py, &self.pool, move |plan, host| batches::extract(&plan, pages, &host))?;
        let found = with_refused(found, refused, Err);
        Ok(Some(texts(plan, &ids, found)))
    }
}

/// The pages of a batch.
#[derive(Default)]
struct Taken {
    pages: Vec<GivenPage>,
    ids: Vec<String>,
    /// Rows that are no pages, by their place, each with its reason.
    refused: Vec<(usize, String)>,
    has_gold: bool,
}

impl Pages {
    fn next(&self, py: Python<'_>) -> PyResult<Option<Taken>> {
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        for name in ["id", "html"] {
            if !reader.has(name) {
                return Err(wrong_data(py, format!("the table of pages has no column `{name}`")));
            }
        }
        let has_gold = reader.has("gold");
        let is_first = !self.is_begun.swap(true, Ordering::Relaxed);
        let Some(batch) = reader.next()? else { return Ok(is_first.then(Taken::default)) };
        taken(&batch, has_gold).map(Some).map_err(|message| wrong_data(py, message))
    }
}

fn taken(batch: &Batch<'_>, has_gold: bool) -> Result<Taken, String> {
    let [id, html, gold] = ["id", "html", "gold"].map(|name| batch.column(name));
    let (Some(id), Some(html), gold) = (id?, html?, gold?) else { return Err("a batch lacks a column".to_owned()) };
    let fields = FIELDS.iter().map(|name| batch.column(name)).collect::<Result<Vec<_>, _>>()?;
    let mut taken = Taken { pages: Vec::new(), ids: Vec::new(), refused: Vec::new(), has_gold };
    for row in 0..batch.rows() {
        let own = match id.text(row) {
            Some(Ok(text)) if !text.is_empty() => text.to_owned(),
            Some(Err(_)) => return Err(format!("row {row} of a batch: the `id` is not valid UTF-8")),
            _ => return Err(format!("row {row} of a batch has no `id`")),
        };
        let page = page(&own, (&html, gold.as_ref(), &fields), row);
        taken.ids.push(own);
        match page {
            Ok(page) => taken.pages.push(page),
            Err(reason) => taken.refused.push((row, reason)),
        }
    }
    Ok(taken)
}

/// The columns of pages: page, gold, and the other fields.
type PageColumns<'b> = (&'b TextColumn<'b>, Option<&'b TextColumn<'b>>, &'b [Option<TextColumn<'b>>]);

fn page(id: &str, (html, gold, fields): PageColumns<'_>, row: usize) -> Result<GivenPage, String> {
    let text = |name: &str, column: Option<&TextColumn<'_>>| -> Result<Option<String>, String> {
        let value = column.and_then(|column| column.text(row)).transpose();
        Ok(value.map_err(|wrong| format!("`{name}` {wrong}"))?.map(str::to_owned))
    };
    let bytes = html.bytes(row).ok_or("the page has no `html`")?;
    let html = match html.holds_texts() {
        true => GivenHtml::Text(String::from_utf8(bytes.to_vec()).map_err(|_| "`html` is not valid UTF-8")?),
        false => GivenHtml::Bytes(bytes.to_vec()),
    };
    let gold = text("gold", gold)?;
    let mut values = Vec::new();
    for (name, column) in FIELDS.iter().zip(fields) {
        values.push(text(name, column.as_ref())?);
    }
    let [url, site, language, kind, encoding, group, split] =
        <[Option<String>; 7]>::try_from(values).map_err(|_| "a batch lacks a column")?;
    Ok(GivenPage { id: id.to_owned(), html, gold, url, site, language, kind, encoding, group, split })
}

/// The outcome of each row, with those that are no pages at their places.
fn with_refused<T>(came: Vec<T>, refused: Vec<(usize, String)>, of: impl Fn(String) -> T) -> Vec<T> {
    let mut all = Vec::with_capacity(came.len() + refused.len());
    let mut came = came.into_iter();
    for (place, reason) in refused {
        while all.len() < place {
            let Some(next) = came.next() else { break };
            all.push(next);
        }
        all.push(of(reason));
    }
    all.extend(came);
    all
}

/// The bytes of a digest in hexadecimal digits; `None` where there is none.
fn unhexed(digits: &str) -> Option<Vec<u8>> {
    let bytes = digits.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
    bytes.collect::<Option<Vec<u8>>>().filter(|bytes| !bytes.is_empty())
}

/// The table of counts.
fn counts(plan: &Plan, ids: &[String], pages: &[ScoredPage]) -> Columns {
    let of = |field: fn(&ScoredPage) -> Option<&String>| pages.iter().map(field).collect::<Vec<_>>();
    let texts = |name: &str, field: fn(&ScoredPage) -> Option<&String>| Column::texts(name, &of(field));
    let digest = |name: &str, field: fn(&ScoredPage) -> Option<&String>| {
        let digests: Vec<Option<Vec<u8>>> = of(field).into_iter().map(|digest| unhexed(digest?)).collect();
        Column::bytes(name, &digests)
    };
    let rows: Vec<(usize, &ScoredRow)> = pages.iter().flat_map(|page| page.rows.iter().enumerate()).collect();
    let count = |name: &str, place: usize| {
        let count = |(_, row): &(usize, &ScoredRow)| row.counts[place].map(u64::cast_signed);
        Column::ints(name, rows.iter().map(count).collect())
    };
    let of_rows: Vec<Option<Vec<u8>>> = rows.iter().map(|(_, row)| unhexed(&row.text)).collect();
    let items = vec![
        Column::small_ints("row", rows.iter().map(|&(place, _)| i32::try_from(place).unwrap_or(i32::MAX)).collect()),
        Column::texts("status", &rows.iter().map(|(_, row)| Some(row.status)).collect::<Vec<_>>()),
        count("matched", 0),
        count("extracted", 1),
        count("gold", 2),
        Column::bytes("text", &of_rows),
        Column::texts("reason", &rows.iter().map(|(_, row)| row.reason.as_ref()).collect::<Vec<_>>()),
    ];
    let lengths: Vec<usize> = pages.iter().map(|page| page.rows.len()).collect();
    let dataset = plan.plan.dataset();
    let columns = vec![
        Column::texts("id", &ids.iter().map(Some).collect::<Vec<_>>()),
        Column::texts("dataset", &vec![Some(dataset); pages.len()]),
        texts("site", |page| page.record.as_ref()?.site.as_ref()),
        texts("language", |page| page.record.as_ref()?.language.as_ref()),
        texts("kind", |page| page.record.as_ref()?.kind.as_ref()),
        texts("group", |page| page.record.as_ref()?.details().group.as_ref()),
        texts("split", |page| page.record.as_ref()?.details().split.as_ref()),
        digest("page", |page| Some(&page.digests.as_ref()?.page)),
        digest("gold", |page| Some(&page.digests.as_ref()?.gold)),
        texts("error", |page| page.error.as_ref()),
        Column::lists("rows", &lengths, items),
        Column::bytes("unit", &pages.iter().map(|page| page.unit.as_ref()).collect::<Vec<_>>()),
    ];
    Columns::with_metadata(columns, plan.metadata.clone())
}

/// The table of texts: a row for each page and row of the plan.
fn texts(plan: &Plan, ids: &[String], pages: Vec<PageTexts>) -> Columns {
    let rows = plan.plan.labels().len();
    let (mut of, mut places, mut found, mut errors) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (id, page) in ids.iter().zip(pages) {
        let page = page.unwrap_or_else(|reason| vec![Err(reason); rows]);
        for (place, text) in page.into_iter().enumerate() {
            let (text, error) = text.map_or_else(|reason| (None, Some(reason)), |text| (Some(text), None));
            of.push(Some(id.as_str()));
            places.push(i32::try_from(place).unwrap_or(i32::MAX));
            found.push(text);
            errors.push(error);
        }
    }
    let columns = vec![
        Column::texts("id", &of),
        Column::small_ints("row", places),
        Column::texts("text", &found),
        Column::texts("error", &errors),
    ];
    Columns::with_metadata(columns, plan.metadata.clone())
}

/// Tables of counts that are put together.
#[pyclass(module = "carat._carat")]
pub(crate) struct Merge {
    plan: Py<Plan>,
    merging: Option<Merging>,
    /// Rows that are no pages: their number, and id and reason of the first.
    refused: (usize, Option<(String, String)>),
}

#[pymethods]
impl Merge {
    /// A run in the folder `out`.
    #[new]
    fn new(py: Python<'_>, plan: Py<Plan>, out: PathBuf) -> PyResult<Self> {
        let Plan { plan: own, control, .. } = plan.get();
        let host: Arc<dyn Host> = control.clone();
        let merging = Merging::begin(own.clone(), &out, &host).map_err(|error| exception(py, error))?;
        Ok(Merge { plan, merging: Some(merging), refused: (0, None) })
    }

    /// Adds a table of counts.
    fn add(&mut self, stream: &Bound<'_, PyCapsule>) -> PyResult<()> {
        let py = stream.py();
        let Some(merging) = &mut self.merging else { return Err(wrong_request(py, "the run is made")) };
        let host: Arc<dyn Host> = self.plan.get().control.clone();
        let mut reader = Reader::new(stream)?;
        while let Some((units, refused)) = next_units(py, &mut reader)? {
            self.refused.0 += refused.len();
            self.refused.1 = self.refused.1.take().or_else(|| refused.into_iter().next());
            py.detach(|| merging.add(&units, &host)).map_err(|error| exception(py, error))?;
        }
        Ok(())
    }

    /// Rows that are no pages: their number, and id and reason of the first.
    #[getter]
    fn refused(&self) -> (usize, Option<(String, String)>) {
        self.refused.clone()
    }

    /// Makes the run. Gives the sentences that were told.
    fn finish(&mut self, py: Python<'_>, report: bool) -> PyResult<Vec<String>> {
        let Some(merging) = self.merging.take() else { return Err(wrong_request(py, "the run is made")) };
        let control = self.plan.get().control.clone();
        let host: Arc<dyn Host> = control.clone();
        let pool = pool(None).map_err(|message| wrong_request(py, message))?;
        let outcome = waited(py, &control, None, move || pool.install(|| merging.finish(report, &host)))?;
        outcome.map_err(|error| exception(py, error))?;
        Ok(control.taken().1)
    }
}

/// The units of the next batch, and the rows without one.
type Units = (Vec<Vec<u8>>, Vec<(String, String)>);

fn next_units(py: Python<'_>, reader: &mut Reader) -> PyResult<Option<Units>> {
    let wrong = |message: String| wrong_data(py, message);
    for name in ["id", "unit"] {
        if !reader.has(name) {
            return Err(wrong(format!("the table of counts has no column `{name}`")));
        }
    }
    let Some(batch) = reader.next()? else { return Ok(None) };
    let [id, unit, error] = ["id", "unit", "error"].map(|name| batch.column(name));
    let (Some(id), Some(unit), error) = (id.map_err(wrong)?, unit.map_err(wrong)?, error.map_err(wrong)?) else {
        return Err(wrong("a batch lacks a column".to_owned()));
    };
    let text = |column: &TextColumn<'_>, row: usize| {
        String::from_utf8_lossy(column.bytes(row).unwrap_or_default()).into_owned()
    };
    let (mut units, mut refused) = (Vec::new(), Vec::new());
    for row in 0..batch.rows() {
        match unit.bytes(row) {
            Some(bytes) => units.push(bytes.to_vec()),
            None => refused.push((text(&id, row), error.as_ref().map(|error| text(error, row)).unwrap_or_default())),
        }
    }
    Ok(Some((units, refused)))
}

/// Sums of counts and scores by row and site.
#[pyfunction]
pub(crate) fn sums(streams: Vec<Bound<'_, PyCapsule>>, plan: &Bound<'_, Plan>) -> PyResult<Columns> {
    let py = plan.py();
    let Plan { plan, metadata, .. } = plan.get();
    let mut summing = Summing::default();
    for stream in &streams {
        let mut reader = Reader::new(stream)?;
        while let Some((units, _)) = next_units(py, &mut reader)? {
            units.iter().try_for_each(|unit| summing.add(unit, plan)).map_err(|message| wrong_data(py, message))?;
        }
    }
    let sums: Vec<(usize, String, SiteSums)> = summing.finish().collect();
    let of = |field: fn(&SiteSums) -> i128| sums.iter().map(|(_, _, sums)| field(sums)).collect();
    let columns = vec![
        Column::texts("dataset", &vec![Some(plan.dataset()); sums.len()]),
        Column::small_ints("row", sums.iter().map(|&(row, ..)| i32::try_from(row).unwrap_or(i32::MAX)).collect()),
        Column::texts("site", &sums.iter().map(|(_, site, _)| Some(site)).collect::<Vec<_>>()),
        Column::ints("pages", sums.iter().map(|(_, _, sums)| Some(sums.pages.cast_signed())).collect()),
        Column::sums("matched", of(|sums| sums.counts[0])),
        Column::sums("extracted", of(|sums| sums.counts[1])),
        Column::sums("gold", of(|sums| sums.counts[2])),
        Column::sums("precision_e12", of(|sums| sums.scores[0])),
        Column::sums("recall_e12", of(|sums| sums.scores[1])),
        Column::sums("f1_e12", of(|sums| sums.scores[2])),
    ];
    Ok(Columns::with_metadata(columns, metadata.clone()))
}

/// The mean of each row in the resamples from `first` to before `last`, by row. A row is given by sum and number of the
/// scores on each site.
#[pyfunction]
pub(crate) fn bootstrap(
    py: Python<'_>,
    rows: Vec<Vec<(u128, u64)>>,
    seed: u64,
    first: u32,
    last: u32,
) -> PyResult<Vec<Vec<f64>>> {
    let pool = pool(None).map_err(|message| wrong_request(py, message))?;
    Ok(py.detach(|| pool.install(|| drawn_means(&rows, seed, first..last))))
}

/// The metadata of the table in a capsule: names and texts.
#[pyfunction]
pub(crate) fn metadata_of(stream: &Bound<'_, PyCapsule>) -> PyResult<Vec<(String, String)>> {
    Ok(Reader::new(stream)?.metadata().to_vec())
}

/// The digest of this build of carat.
#[pyfunction]
pub(crate) fn build_digest() -> String {
    batches::program().to_owned()
}
