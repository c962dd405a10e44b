//! Benchmarks whose pages are at hand.

use std::path::Path;

use crate::command_line::failure::Failure;
use crate::datasets::locate::{CORPORA, corpora, locate};
use crate::papers::benchmarks::{Benchmark, Data, benchmarks};

/// A benchmark and its pages.
pub(super) struct Found {
    pub(super) benchmark: &'static Benchmark,
    /// The name of its pages, as `--dataset` takes it.
    pub(super) dataset: String,
}

/// The benchmarks of the datasets `asked`, or of those that are at hand where none is named.
pub(super) fn find(asked: &[String]) -> Result<Vec<Found>, Failure> {
    if !asked.is_empty() {
        return asked.iter().map(|name| of_dataset(name)).collect();
    }
    let folder = corpora();
    let at_hand =
        |benchmark: &'static Benchmark| Some(Found { benchmark, dataset: place(&benchmark.data, folder.as_deref())? });
    let found: Vec<Found> = benchmarks().iter().filter_map(at_hand).collect();
    if found.is_empty() {
        return Err(Failure::request(format!(
            "the pages of no benchmark are here: set {CORPORA} to the folder that holds {}, or bring the first by `carat dataset pull {}`",
            names().join(", "),
            benchmarks()[0].data.name
        )));
    }
    Ok(found)
}

/// Where the pages are: a pulled dataset, or a folder of corpora.
fn place(data: &Data, corpora: Option<&Path>) -> Option<String> {
    let pulled = Path::new("datasets").join(&data.name).join("dataset.yaml");
    if pulled.is_file() {
        return Some(data.name.clone());
    }
    let folder = corpora?.join(&data.name);
    match &data.file {
        None => folder.is_dir().then(|| data.name.clone()),
        Some(file) => {
            let file = folder.join(file);
            file.is_file().then(|| with_options(data, &format!("{}:{}", data.importer, file.display())))
        }
    }
}

/// `name` with the options of the importer that it does not name itself.
fn with_options(data: &Data, name: &str) -> String {
    let missing = data.options.iter().filter(|(key, _)| !name.contains(&format!(",{key}=")));
    missing.fold(name.to_owned(), |name, (key, value)| format!("{name},{key}={value}"))
}

/// The benchmark that the dataset `name` is of.
fn of_dataset(name: &str) -> Result<Found, Failure> {
    let known = |is_it: &dyn Fn(&Benchmark) -> bool| benchmarks().iter().find(|benchmark| is_it(benchmark));
    let importer = name.split_once(':').map(|(importer, _)| importer);
    if let Some(benchmark) = known(&|benchmark| Some(benchmark.data.importer.as_str()) == importer) {
        return Ok(Found { benchmark, dataset: with_options(&benchmark.data, name) });
    }
    if let Some(benchmark) = known(&|benchmark| benchmark.data.name == name) {
        let dataset = place(&benchmark.data, corpora().as_deref()).unwrap_or_else(|| name.to_owned());
        return Ok(Found { benchmark, dataset });
    }
    let dataset = locate(name)?;
    match known(&|benchmark| [&benchmark.name, &benchmark.data.name].contains(&&dataset.name().to_owned())) {
        Some(benchmark) => Ok(Found { benchmark, dataset: name.to_owned() }),
        None => Err(Failure::request(format!(
            "{name} is of no benchmark that carat knows: name {}, or IMPORTER:PATH with the importer of one of them",
            names().join(", ")
        ))),
    }
}

fn names() -> Vec<&'static str> {
    benchmarks().iter().map(|benchmark| benchmark.data.name.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(name: &str) -> &'static Data {
        &benchmarks().iter().find(|benchmark| benchmark.name == name).unwrap().data
    }

    #[test]
    fn pages_are_looked_for_in_the_corpora() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        assert_eq!(place(data("wcxb"), Some(path)), None);
        std::fs::create_dir_all(path.join("wcxb")).unwrap();
        std::fs::create_dir_all(path.join("webmainbench-sample")).unwrap();
        assert_eq!(place(data("wcxb"), Some(path)).as_deref(), Some("wcxb"));
        assert_eq!(place(data("webmainbench"), Some(path)), None);
        std::fs::write(path.join("webmainbench-sample/dataset_with_results.jsonl"), "").unwrap();
        let found = place(data("webmainbench"), Some(path)).unwrap();
        assert!(found.starts_with("webmainbench:") && found.ends_with(".jsonl,gold_from=markdown"), "{found}");
    }

    #[test]
    fn a_dataset_is_of_the_benchmark_that_its_importer_reads() {
        let found = of_dataset("webmainbench:a.jsonl,gold_from=marks").unwrap_or_else(|_| panic!("not found"));
        assert_eq!(
            (found.benchmark.name.as_str(), found.dataset.as_str()),
            ("webmainbench", "webmainbench:a.jsonl,gold_from=marks")
        );
        let found = of_dataset("webmainbench:a.jsonl").unwrap_or_else(|_| panic!("not found"));
        assert_eq!(found.dataset, "webmainbench:a.jsonl,gold_from=markdown");
        assert!(of_dataset("portals").is_err());
    }
}
