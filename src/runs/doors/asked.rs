//! Functions of the program that runs carat, such as those of a session of Python: asked page by page before any page is
//! run, on threads of their own. What they answer is kept and scored as replies of external programs are.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Instant, SystemTime};

use serde_json::Value as Json;

use super::external::asking::{AskError, Asking, PagePlace};
use super::external::cache::{Cache, Kept, Key};
use super::external::protocol::{Extracted, Hello, read_hello};
use super::external::{Answers, AskedPage as Came, AskedSettings, Outcome, Tally, canonical, differs};
use crate::algorithms::parameters::Values;
use crate::datasets::manifest::Record;
use crate::datasets::{Dataset, DatasetError, Halt};
use crate::formats::digest::{LinesDigest, sha256};
use crate::runs::configuration::{
    Answered, Asked, AskedPage, Configuration, FUNCTIONS, FunctionRequest, ParameterRequest, RequestError, Wants,
};
use crate::runs::grid::Written;
use crate::runs::kind::{Extraction, Kind, OnPage, PlanError, Planned, Prepared, Preparing, RowExtraction};
use crate::runs::system::{ExtractionForm, Row, System};
use crate::runs::values::text_of;
use crate::structure::TextKind;

/// A function that is there to be asked.
struct Function {
    request: FunctionRequest,
    asked: Arc<dyn Asked>,
    hello: Hello,
    /// The facts that a reply depends on besides parameters and page, one line each.
    key: Vec<String>,
}

/// A function with its parameters.
#[derive(Clone)]
struct FunctionSystem {
    function: Arc<Function>,
    /// The row's name, `python/NAME`.
    row: String,
    values: Values,
    /// The answers on the pages, once it was asked.
    answers: Option<Arc<Answers>>,
}

impl System for FunctionSystem {
    fn name(&self) -> &str {
        &self.row
    }

    fn values(&self) -> Values {
        self.values.clone()
    }

    fn differs(&self) -> Vec<String> {
        differs(&self.function.hello.parameters, &self.values)
    }

    fn identity(&self) -> String {
        [vec![self.row.clone()], self.function.key.clone(), vec![self.canonical()]].concat().join("\t")
    }

    fn line(&self, _: usize, _: &BTreeSet<Option<String>>) -> String {
        let FunctionRequest { function, version, .. } = &self.function.request;
        let version = version.as_deref().unwrap_or("not stated");
        let mut parts = vec![format!("function {function}"), format!("version {version}")];
        parts.extend(self.values.iter().map(|(name, value)| format!("{name}={}", text_of(value))));
        parts.join(" | ").replace(char::is_control, "\u{FFFD}")
    }

    fn to_yaml(&self) -> Option<String> {
        let request = &self.function.request;
        let parameter = |(name, value): (&String, &Json)| ParameterRequest {
            name: name.clone(),
            written: Written::Values(vec![text_of(value)]),
            origin: request.origin.clone(),
        };
        // What nobody asked about stays at the function's default.
        let is_asked_for = |name: &String| request.parameters.iter().any(|asked| asked.name == *name);
        let parameters = self.values.iter().filter(|(name, _)| is_asked_for(name)).map(parameter).collect();
        Some(format!("- {}", FunctionRequest { parameters, ..request.clone() }.to_yaml()))
    }

    fn needs_page(&self) -> bool {
        false
    }

    fn form(&self, _: usize) -> Option<ExtractionForm> {
        Some(ExtractionForm::Written(TextKind::Text))
    }

    fn rests_on_others(&self) -> bool {
        true
    }

    fn program(&self) -> Option<(String, String)> {
        let mut lines = LinesDigest::default();
        self.function.key.iter().for_each(|line| lines.add(line));
        Some((self.row.clone(), lines.finish()))
    }

    fn times_of_replies(&self, place: usize) -> Vec<f64> {
        self.answers.as_ref().map_or_else(Vec::new, |answers| answers.times(place))
    }

    fn kept_since(&self, place: usize, id: &str) -> Option<u64> {
        self.answers.as_ref()?.kept_since(place, id)
    }
}

impl FunctionSystem {
    fn canonical(&self) -> String {
        canonical(&self.function.hello.parameters, &self.values)
    }

    fn extraction(&self, place: usize, id: &str) -> Result<Extraction, DatasetError> {
        self.answers.as_ref().map_or(Ok(Extraction::NotRun), |answers| answers.extraction(&self.row, place, id))
    }
}

/// The kind of functions.
pub(in crate::runs) struct Functions;

impl Kind for Functions {
    fn makes(&self, row: &Row) -> bool {
        row.of::<FunctionSystem>().is_some()
    }

    fn resolve(&self, configuration: &Configuration, planned: &mut Planned) -> Result<(), PlanError> {
        planned.rows.extend(resolve(&configuration.functions, &planned.datasets)?);
        Ok(())
    }

    fn prepare<'p>(&self, own: Preparing<'p>) -> Result<Box<dyn Prepared + 'p>, Halt> {
        let own = own.rows.into_iter().filter_map(|(place, row)| Some((place, row.of::<FunctionSystem>()?)));
        Ok(Box::new(Ready(own.collect())))
    }
}

/// Systems that were asked before any page is run, by their places in the plan.
struct Ready<'p>(Vec<(usize, &'p FunctionSystem)>);

impl Prepared for Ready<'_> {
    fn extract(&self, on: &OnPage<'_>) -> Result<Vec<RowExtraction>, DatasetError> {
        let extraction = |&(place, system): &(usize, &FunctionSystem)| {
            Ok(RowExtraction::new(place, system.extraction(on.place, &on.record.id)?))
        };
        self.0.iter().map(extraction).collect()
    }
}

/// The rows that `requests` ask for.
///
/// # Errors
/// [`RequestError`]: a function that is not there, two of one name, a parameter or a value that a function does not have,
/// or a dataset whose pages hold their gold.
fn resolve(requests: &[FunctionRequest], datasets: &[Dataset]) -> Result<Vec<Row>, RequestError> {
    let marked = datasets.iter().find(|dataset| dataset.manifest.annotations.is_some());
    if let (Some(request), Some(marked)) = (requests.first(), marked) {
        let message =
            format!("the dataset {} marks the gold in its pages, which a function would be given", marked.name());
        return Err(request.origin.error(message));
    }
    let (mut rows, mut names) = (Vec::new(), BTreeSet::new());
    for request in requests {
        if !names.insert(&request.name) {
            let message = format!("two functions are named `{}`; give one another `name`", request.name);
            return Err(request.origin.error(message));
        }
        rows.extend(rows_of(&Arc::new(Function::new(request)?))?);
    }
    Ok(rows)
}

impl Function {
    fn new(request: &FunctionRequest) -> Result<Self, RequestError> {
        let FunctionRequest { name, function, version, .. } = request;
        let Some(asked) = request.asked.clone() else {
            let message =
                format!("{FUNCTIONS}{name} is the function {function} of Python, which `carat.run` in Python asks");
            return Err(request.origin.error(message));
        };
        let told = serde_json::json!({"carat": 1, "name": name, "version": version.as_deref().unwrap_or("none")});
        // The parameters as they were written: a key that is given twice is found.
        let hello = format!("{},\"parameters\":{}}}", told.to_string().trim_end_matches('}'), asked.parameters());
        let hello = read_hello(hello.as_bytes()).map_err(|message| request.origin.error(message))?;
        let told = version.clone().unwrap_or_else(unlike_any_other);
        let key = vec![FUNCTIONS.to_owned(), function.clone(), asked.wants().name().to_owned(), told];
        Ok(Function { request: request.clone(), asked, hello, key })
    }
}

/// A text that no other call, of this process or another, gets.
fn unlike_any_other() -> String {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    format!("{:?} {} {call}", SystemTime::now(), std::process::id())
}

/// A row for each setting of the function's parameters, no two the same.
fn rows_of(function: &Arc<Function>) -> Result<Vec<Row>, RequestError> {
    let request = &function.request;
    let asked = AskedSettings {
        program: &request.name,
        declared: &function.hello.parameters,
        parameters: &request.parameters,
        with_default: false,
        origin: &request.origin,
    };
    let (settings, swept) = asked.settings()?;
    let row = |values| {
        let row = format!("{FUNCTIONS}{}", request.name);
        Row::new(FunctionSystem { function: function.clone(), row, values, answers: None }, swept.clone())
    };
    Ok(settings.into_iter().map(row).collect())
}

/// Asks every function among `rows` for each of `pages`. The rows then know what came of it; what is worth knowing is
/// returned, a line each.
///
/// # Errors
/// [`AskError`]; replies of functions with a version are kept.
pub(in crate::runs) fn ask(
    rows: &mut [Row],
    datasets: &[Dataset],
    pages: &[PagePlace],
    asking: &Asking<'_>,
) -> Result<Vec<String>, AskError> {
    let mut functions: Vec<(Arc<Function>, Vec<usize>)> = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let Some(system) = row.of::<FunctionSystem>() else { continue };
        match functions.iter_mut().find(|(function, _)| Arc::ptr_eq(function, &system.function)) {
            Some((_, rows)) => rows.push(number),
            None => functions.push((system.function.clone(), vec![number])),
        }
    }
    let mut notes = Vec::new();
    for (function, numbers) in functions {
        let systems: Vec<&FunctionSystem> = numbers.iter().filter_map(|&number| rows[number].of()).collect();
        let cache = match function.request.version {
            Some(_) => asking.cache.clone(),
            None => Cache::temporary()?,
        };
        let tally = Mutex::new(Tally::new(systems.len(), datasets.len(), usize::MAX));
        let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let run =
            FunctionRun { datasets, pages, asking, function: &function, systems, cache: &cache, next, is_over, tally };
        let tally = run.on_threads()?;
        notes.extend(tally.notes(&format!("{FUNCTIONS}{}", function.request.name)));
        for (&number, by_dataset) in numbers.iter().zip(tally.outcomes) {
            if let Some(system) = rows[number].of::<FunctionSystem>() {
                let answers = Some(Arc::new(Answers { cache: cache.clone(), by_dataset }));
                rows[number].system = Arc::new(FunctionSystem { answers, ..system.clone() });
            }
        }
    }
    Ok(notes)
}

/// One function being asked.
struct FunctionRun<'r> {
    datasets: &'r [Dataset],
    pages: &'r [PagePlace],
    asking: &'r Asking<'r>,
    function: &'r Function,
    systems: Vec<&'r FunctionSystem>,
    cache: &'r Cache,
    /// The page that is asked for next.
    next: AtomicUsize,
    /// True if some thread came to an end before its time.
    is_over: AtomicBool,
    tally: Mutex<Tally>,
}

impl FunctionRun<'_> {
    fn on_threads(self) -> Result<Tally, AskError> {
        let threads = self.function.asked.threads().clamp(1, self.pages.len().max(1));
        let outcomes: Vec<Result<(), AskError>> = thread::scope(|scope| {
            let running: Vec<_> = (0..threads).map(|_| scope.spawn(|| self.work())).collect();
            let join = |thread: thread::ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            running.into_iter().map(join).collect()
        });
        let errors = outcomes.into_iter().filter_map(Result::err);
        match errors.min_by_key(|error| matches!(error, AskError::Stopped)) {
            Some(error) => Err(error),
            None => Ok(self.tally.into_inner().unwrap_or_else(PoisonError::into_inner)),
        }
    }

    /// Page after page.
    fn work(&self) -> Result<(), AskError> {
        let outcome = self.ask_pages();
        if outcome.is_err() {
            self.is_over.store(true, Ordering::Relaxed);
        }
        outcome
    }

    fn ask_pages(&self) -> Result<(), AskError> {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(&(place, index)) = self.pages.get(number) else { return Ok(()) };
            let dataset = &self.datasets[place];
            let record = dataset.records.get(index)?;
            let material = Material::of(dataset, &record, self.function.asked.wants());
            dataset.refuse_unread()?;
            let came = self.systems.iter().map(|system| {
                if self.is_over.load(Ordering::Relaxed) || (self.asking.is_stopped)() {
                    return Err(AskError::Stopped);
                }
                match &material {
                    Err(reason) => Ok(Outcome::Failed(reason.clone()).into()),
                    Ok(material) => self.setting(system, material),
                }
            });
            let came: Vec<Came> = came.collect::<Result<_, _>>()?;
            self.tally().add(number, place, &record.id, came);
            (self.asking.page_done)();
        }
    }

    fn setting(&self, system: &FunctionSystem, material: &Material) -> Result<Came, AskError> {
        let page = material.page();
        let key = Key {
            program: &self.function.key,
            parameters: &system.canonical(),
            html: material.digested(),
            url: &format!("{}\t{}", page.url, page.language),
        };
        let key = key.digest();
        if let Some(Kept { reply, since, took }) = self.cache.read(&key)? {
            self.tally().replaced += reply.replaced;
            return Ok(Outcome::Kept { digest: key, since: Some(since), took }.into());
        }
        let begun = Instant::now();
        match self.function.asked.ask(&page, &system.values) {
            Answered::Ended => Err(AskError::Stopped),
            Answered::Failed(reason) => Ok(Outcome::Failed(reason).into()),
            Answered::Text { text, replaced } => {
                let took = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
                self.cache.write(&key, &Extracted { kind: TextKind::Text, text, replaced }, took)?;
                self.tally().replaced += replaced;
                Ok(Outcome::Kept { digest: key, since: None, took: Some(took) }.into())
            }
        }
    }

    fn tally(&self) -> std::sync::MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The part of one page that a function is given.
struct Material {
    html: String,
    bytes: Vec<u8>,
    /// Stands for the bytes where replies are known by the page.
    digest: String,
    url: String,
    language: String,
}

impl Material {
    fn of(dataset: &Dataset, record: &Record, wants: Wants) -> Result<Self, String> {
        let (html, bytes) = match wants {
            Wants::Bytes => (String::new(), dataset.page_bytes(record)?),
            Wants::Text | Wants::Page => (dataset.characters(record)?, Vec::new()),
        };
        // What it is not given changes no reply.
        let [url, language] = match wants {
            Wants::Page => [record.details().url.as_deref(), record.language.as_deref()],
            Wants::Text | Wants::Bytes => [None, None],
        };
        let [url, language] = [url, language].map(|text| text.unwrap_or_default().to_owned());
        let digest = if wants == Wants::Bytes { sha256(&bytes) } else { String::new() };
        Ok(Material { html, bytes, digest, url, language })
    }

    fn page(&self) -> AskedPage<'_> {
        AskedPage { html: &self.html, bytes: &self.bytes, url: &self.url, language: &self.language }
    }

    fn digested(&self) -> &str {
        if self.digest.is_empty() { &self.html } else { &self.digest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::plan::Plan;
    use crate::runs::summary::{SummaryRow, run_in_memory};

    /// Gives the page back, fails where alpha is 1, and counts how often it is asked.
    struct Fake {
        calls: AtomicUsize,
        ends: bool,
    }

    impl Asked for Fake {
        fn parameters(&self) -> String {
            r#"{"alpha":{"type":"decimal","min":"0","max":"1","default":"0.5"}}"#.to_owned()
        }

        fn wants(&self) -> Wants {
            Wants::Page
        }

        fn threads(&self) -> usize {
            3
        }

        fn ask(&self, page: &AskedPage<'_>, parameters: &Values) -> Answered {
            self.calls.fetch_add(1, Ordering::Relaxed);
            assert!(!page.html.is_empty() && page.bytes.is_empty() && !page.language.is_empty());
            match parameters["alpha"] == "1" {
                _ if self.ends => Answered::Ended,
                true => Answered::Failed("no".to_owned()),
                false => Answered::Text { text: page.html.to_owned(), replaced: 1 },
            }
        }
    }

    /// The rows of a run with a function of this request, what is to be known of it, and how often it was asked.
    fn run(item: &str, ends: bool, cache: &Cache) -> Result<(Vec<SummaryRow>, Vec<String>, usize), String> {
        let yaml = format!("datasets: [portals]\nwhere: {{group: zh-news}}\nalgorithms:\n  - python: {item}\n");
        let mut configuration = Configuration::from_yaml("c.yaml", &yaml).map_err(|error| error.to_string())?;
        let fake = Arc::new(Fake { calls: AtomicUsize::new(0), ends });
        configuration.functions.iter_mut().for_each(|function| function.asked = Some(fake.clone()));
        let mut plan = Plan::new(configuration).map_err(|error| error.to_string())?;
        let asking = Asking { cache, is_stopped: &|| false, page_done: &|| {} };
        plan.ask(&asking).map_err(|error| error.to_string())?;
        let rows = run_in_memory(&plan).map_err(|error| error.to_string())?.0.rows;
        Ok((rows, plan.notes, fake.calls.load(Ordering::Relaxed)))
    }

    #[test]
    fn a_function_is_a_row_for_each_of_its_settings() {
        let cache = Cache::temporary().unwrap();
        let (rows, notes, calls) =
            run("{name: f, function: 'm:f', parameters: {alpha: [0, 1]}}", false, &cache).unwrap();
        let labels: Vec<String> = rows.iter().map(SummaryRow::full_label).collect();
        assert_eq!(labels, ["python/f alpha=0", "python/f alpha=1"]);
        let [answered, failed] = &rows[..] else { panic!("two rows") };
        assert!(answered.pages > 2 && answered.failed == 0 && answered.aggregates.macro_.recall > 0.9);
        assert_eq!((failed.failed, failed.aggregates.macro_.f1), (failed.pages, 0.0));
        assert_eq!(calls, 2 * answered.pages);
        assert_eq!(notes, [format!("python/f: {} NULs or lone surrogates in its texts became U+FFFD", answered.pages)]);
    }

    #[test]
    fn answers_are_kept_of_a_version_alone() {
        let cache = Cache::temporary().unwrap();
        let calls = |item: &str| run(item, false, &cache).unwrap().2;
        let pages = calls("{name: f, function: 'm:f', version: '1'}");
        assert!(pages > 2);
        assert_eq!(calls("{name: f, function: 'm:f', version: '1'}"), 0);
        assert_eq!(calls("{name: f, function: 'm:f', version: '2'}"), pages);
        assert_eq!(calls("{name: f, function: 'm:g', version: '1'}"), pages);
        for _ in 0..2 {
            assert_eq!(calls("{name: f, function: 'm:f'}"), pages, "without a version it is asked again");
        }
    }

    #[test]
    fn what_cannot_be_asked_says_why() {
        let cache = Cache::temporary().unwrap();
        let told = |item: &str| run(item, false, &cache).unwrap_err();
        assert!(told("{name: f, function: 'm:f', parameters: {alhpa: 1}}").contains("did you mean `alpha`?"));
        assert!(told("{name: f, function: 'm:f', parameters: {alpha: 2}}").contains("a decimal from 0 up to 1"));
        assert_eq!(run("{name: f, function: 'm:f'}", true, &cache).unwrap_err(), "interrupted");
        let yaml = "datasets: [portals]\nalgorithms:\n  - python: {name: f, function: 'm:f'}\n";
        let error = Plan::new(Configuration::from_yaml("c.yaml", yaml).unwrap()).err().unwrap().to_string();
        assert!(error.contains("python/f is the function m:f of Python, which `carat.run` in Python asks"), "{error}");
        let twice = format!("{yaml}  - python: {{name: f, function: 'm:g'}}\n");
        let mut configuration = Configuration::from_yaml("c.yaml", &twice).unwrap();
        let fake: Arc<dyn Asked> = Arc::new(Fake { calls: AtomicUsize::new(0), ends: false });
        configuration.functions.iter_mut().for_each(|function| function.asked = Some(fake.clone()));
        assert!(Plan::new(configuration).err().unwrap().to_string().contains("two functions are named `f`"));
    }
}
