//! Page lists stay on the disk during a run: in whatever order pages stand in them the figures are the same, and a
//! list that is changed meanwhile ends the run.

use std::fs;
use std::path::Path;

use crate::support::{Folder, check};
use carat::datasets::Halt;
use carat::runs::configuration::{AlgorithmRequest, Configuration, NamedRequest};
use carat::runs::execute::{Unit, execute};
use carat::runs::plan::Plan;

const MANIFEST: &str =
    "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";

fn page(id: &str) -> String {
    let (html, gold) = (format!("<p>{id} news<p>and more"), format!("{id} news"));
    format!("{{\"id\":\"{id}\",\"html\":{{\"text\":\"{html}\"}},\"gold\":{{\"text\":\"{gold}\"}},\"site\":\"s\"}}\n")
}

fn list(ids: &[&str]) -> String {
    ids.iter().map(|id| page(id)).collect()
}

#[test]
fn the_result_digest_does_not_depend_on_the_order_of_pages() {
    let other = MANIFEST.replace("name: demo", "name: another");
    let folder = Folder::new()
        .with("sorted/dataset.yaml", MANIFEST)
        .with("sorted/pages.jsonl", list(&["a", "b", "b-1", "b.1", "c"]))
        .with("mixed/dataset.yaml", format!("{MANIFEST}pages: [two.jsonl, one.jsonl]\n"))
        .with("mixed/two.jsonl", list(&["c", "b.1", "a"]))
        .with("mixed/one.jsonl", list(&["b-1", "b"]))
        .with("other/dataset.yaml", other)
        .with("other/pages.jsonl", list(&["z", "a"]));
    let digest = |datasets: &str| {
        let datasets = datasets.replace(' ', " --dataset ./");
        let rows = "--algorithm nta --algorithm all-text";
        check(&folder, &format!("run --dataset ./{datasets} {rows} --out out --fresh"), 0, &[]);
        folder.json("out/run.json")["result_digest"].as_str().unwrap().to_owned()
    };
    assert_eq!(digest("mixed"), digest("sorted"));
    assert_eq!(digest("mixed other"), digest("other sorted"));
    assert_ne!(digest("sorted"), digest("other sorted"));
}

#[test]
fn a_list_that_is_changed_during_a_run_ends_it() {
    let folder = Folder::new().with("d/dataset.yaml", MANIFEST).with("d/pages.jsonl", list(&["a", "b", "c"]));
    let plan = |algorithm: &str| {
        let configuration = Configuration {
            datasets: vec![NamedRequest::from_argument(folder.path("d").to_str().unwrap())],
            algorithms: vec![AlgorithmRequest::from_argument(algorithm).unwrap()],
            ..Configuration::default()
        };
        Plan::new(configuration).unwrap()
    };
    let run = |plan: &Plan, change: &(dyn Fn() + Sync)| {
        let unit = |unit: &Unit<'_>| {
            unit.run()?;
            change();
            Ok::<_, Halt>(())
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        pool.install(|| execute(plan, &unit)).map_err(Halt::of_unstopped)
    };
    let (page_by_page, by_site) = (plan("all-text"), plan("unrepeated-text"));
    assert_eq!(run(&page_by_page, &|| ()), Ok(()));
    let error = run(&page_by_page, &|| write_list(&folder.path("d"), &["a", "x", "c"])).unwrap_err();
    assert_eq!((error.code.name(), error.line), ("E-DIGEST", Some(2)));
    assert!(error.message.contains("was changed"), "{error}");
    assert_eq!(run(&by_site, &|| ()).unwrap_err().code.name(), "E-DIGEST");
}

fn write_list(folder: &Path, ids: &[&str]) {
    fs::write(folder.join("pages.jsonl"), list(ids)).unwrap();
}
