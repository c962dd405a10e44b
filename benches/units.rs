//! The cost of the units of a million pages: the outcomes of `portals` are written under new ids, and read again.
//!
//! `cargo bench --bench units`; `-- 100000` takes fewer pages. It writes some 5 GB into the folder for temporary files.

use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use carat::datasets::Halt;
use carat::datasets::manifest::Record;
use carat::runs::configuration::{AlgorithmRequest, Configuration, NamedRequest};
use carat::runs::execute::{Unit, execute};
use carat::runs::page_outcome::{PageOutcome, Texts};
use carat::runs::plan::Plan;
use carat::runs::units::Units;
use rayon::prelude::*;

const ROWS: [&str; 5] = ["all-text", "nonlink-text", "nta", "cevc", "cetd"];

/// Every page of the plan with its outcome.
fn outcomes(plan: &Plan) -> Vec<(Record, PageOutcome, Texts)> {
    let outcomes = Mutex::new(Vec::new());
    let keep = |unit: &Unit<'_>| -> Result<(), Halt> {
        let (outcome, texts) = unit.run()?;
        outcomes.lock().unwrap().push((unit.page().1.clone(), outcome, texts));
        Ok(())
    };
    execute(plan, &keep).map_err(Halt::of_unstopped).unwrap();
    outcomes.into_inner().unwrap()
}

/// Megabytes of memory that the process has, and the most that it had.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let megabytes = |key: &str| {
        let line = status.lines().find(|line| line.starts_with(key))?;
        Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? / 1024)
    };
    match (megabytes("VmRSS"), megabytes("VmHWM")) {
        (Some(now), Some(most)) => format!("{now} MB of memory, {most} MB at most"),
        _ => "memory not known".to_owned(),
    }
}

/// The number of files below a folder, and their bytes by ending.
fn files(folder: &Path) -> (usize, [u64; 2]) {
    let mut found = (0, [0; 2]);
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let is_texts = entry.file_name().to_string_lossy().ends_with(".texts");
        found.0 += 1;
        found.1[usize::from(is_texts)] += entry.metadata().unwrap().len();
    }
    found
}

fn main() {
    let count = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(1_000_000usize);
    let configuration = Configuration {
        datasets: vec![NamedRequest::from_argument("portals")],
        algorithms: ROWS.map(|row| AlgorithmRequest::from_argument(row).unwrap()).into(),
        ..Configuration::default()
    };
    let plan = Plan::new(configuration).unwrap();
    let (dataset, outcomes) = (&plan.datasets[0], outcomes(&plan));
    let folder = tempfile::tempdir().unwrap();
    let page = |number: usize| {
        let (record, outcome, texts) = &outcomes[number % outcomes.len()];
        (Record { id: format!("p{number:08}"), ..record.clone() }, outcome, texts)
    };
    let units = Units::new(folder.path(), &plan, "bench", true).unwrap();
    let write = |from: usize, to: usize| {
        let start = Instant::now();
        (from..to).into_par_iter().for_each(|number| {
            let (record, outcome, texts) = page(number);
            units.write(dataset, &record, outcome, texts).unwrap();
        });
        let micros = start.elapsed().as_secs_f64() * 1e6 / (to - from).max(1) as f64;
        println!("written {from:>8} to {to:>8}: {micros:.0} us per page; {}", memory());
    };
    let first = count.min(1_000);
    write(0, first);
    let ends: Vec<usize> = (0..=4).map(|quarter| first + (count - first) * quarter / 4).collect();
    ends.windows(2).for_each(|ends| write(ends[0], ends[1]));
    units.finish().unwrap();
    drop(units);
    let (number, [heads, texts]) = files(&folder.path().join("units"));
    let per_page = |bytes: u64| bytes as f64 / count as f64 / 1024.0;
    println!("{number} files; {:.2} KB of heads and {:.2} KB of texts per page", per_page(heads), per_page(texts));
    let units = Units::new(folder.path(), &plan, "bench", true).unwrap();
    let start = Instant::now();
    let is_read = |number: &usize| units.read(dataset, &page(*number).0).is_ok();
    let read = (0..count).into_par_iter().filter(is_read).count();
    println!("opened, and {read} of {count} read in {:.1} s; {}", start.elapsed().as_secs_f64(), memory());
}
