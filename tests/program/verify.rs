//! `carat verify`: an untouched run passes, and what was changed is told by its name.

use std::fs;

use crate::support::{Folder, Ran, check};
use carat::formats::digest::sha256;
use carat::runs::configuration::Configuration;
use carat::runs::plan::Plan;
use carat::runs::row_outcome::RowOutcome;
use carat::runs::run_folder::RunFolder;
use carat::runs::units::{StoredUnits, Units};

/// Six pages with gold and one without, and a run of them in `o`.
fn made() -> Folder {
    let mut folder = Folder::new();
    for page in 0..7 {
        let words: String = (0..30 + page).map(|word| format!("word{} ", word * (page + 3) % 41)).collect();
        let html = format!("<title>t</title><div><a href=/>home {page}</a><p>{words}.<p>{words}, more</div>");
        folder = folder.with(&format!("own/html/p{page}.html"), html);
        if page < 6 {
            folder = folder.with(&format!("own/gold/p{page}.txt"), format!("{words}.\n"));
        }
    }
    let run = "run --dataset ./own --algorithm all-text --algorithm nta:coherence=0.8..1.0/0.1 \
               --algorithm cevc:alpha=exact --bounds oracle-subtree --out o";
    let ran = folder.carat(run);
    assert_eq!(ran.code, 0, "{ran:?}");
    folder
}

/// Changes a file of the folder.
fn change(folder: &Folder, name: &str, change: impl FnOnce(String) -> String) {
    let before = folder.read(name);
    let after = change(before.clone());
    assert_ne!(after, before, "{name}");
    fs::write(folder.path(name), after).unwrap();
}

/// Verifies the run: something differs, told in lines that begin with each of `told`, and nothing is written.
fn finds(folder: &Folder, told: &[&str]) -> Ran {
    let before = folder.files();
    let ran = folder.carat("verify o --all");
    assert_eq!(ran.code, 1, "{ran:?}");
    for begins in told {
        let is_told = ran.stdout.lines().any(|line| line.starts_with(begins));
        assert!(is_told, "no line begins with `{begins}`:\n{}", ran.stdout);
    }
    assert!(ran.stderr.contains("not as") && !ran.stdout.contains("is as it was made"), "{ran:?}");
    assert!(folder.files() == before, "nothing is written");
    ran
}

/// The lines that tell a difference.
fn differences(ran: &Ran) -> Vec<&str> {
    ran.stdout.lines().filter(|line| !line.starts_with("run again") && !line.starts_with("not checked")).collect()
}

#[test]
fn an_untouched_run_passes_and_a_moved_one_too() {
    let folder = made();
    check(&folder, "verify o", 0, &["run again      7 of 7 pages: 34 results of rows compared", "o is as it was made"]);
    check(&folder, "verify o --pages 2", 0, &["run again      2 of 7 pages"]);
    assert_eq!(folder.carat("verify o --pages 3").stdout, folder.carat("verify o --pages 3 --threads 1").stdout);
    fs::rename(folder.path("o"), folder.path("elsewhere")).unwrap();
    check(&folder, "verify elsewhere --all", 0, &["elsewhere is as it was made"]);
    let json: serde_json::Value = serde_json::from_str(&folder.carat("verify elsewhere --format json").stdout).unwrap();
    assert_eq!((json["passed"].as_bool(), json["run_again"].as_u64()), (Some(true), Some(7)));
    check(&folder, "verify o", 2, &["o is no folder of a run"]);
}

#[test]
fn without_a_folder_for_temporary_files_the_way_out_is_told() {
    let folder = made();
    let nowhere = folder.path("nowhere");
    let under = [("TMPDIR", nowhere.to_str().unwrap())];
    let ran = folder.carat_under(&under, "verify o");
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("name another one in TMPDIR"), "{ran:?}");
    let ran = folder.carat_under(&under, "site o --out public");
    assert_eq!(ran.code, 0, "a site without submissions needs none: {ran:?}");
}

#[test]
fn a_changed_page_and_a_changed_gold_are_named_and_not_run_again() {
    let folder = made();
    change(&folder, "own/html/p1.html", |html| html + "<p>new");
    change(&folder, "own/gold/p2.txt", |gold| gold.replacen("word0", "word1", 1));
    let ran =
        finds(&folder, &["page           own p1: its HTML is not as it was", "gold           own p2: the gold text"]);
    assert!(ran.stdout.contains("dataset        own: its digest is sha256:"), "{ran:?}");
    assert!(ran.stdout.contains("run again      5 of 7 pages"), "{ran:?}");
    assert_eq!(differences(&ran).len(), 3, "{ran:?}");
}

#[test]
fn pages_that_came_and_went_are_named() {
    let folder = made();
    fs::rename(folder.path("own/html/p5.html"), folder.path("own/html/p9.html")).unwrap();
    fs::rename(folder.path("own/gold/p5.txt"), folder.path("own/gold/p9.txt")).unwrap();
    finds(
        &folder,
        &["page           own p5: is in the run, and not", "page           own p9: is in the dataset, and was not"],
    );
    // A page that is gone changes nothing in the run.
    fs::remove_file(folder.path("own/html/p9.html")).unwrap();
    fs::remove_file(folder.path("own/gold/p9.txt")).unwrap();
    let ran = finds(&folder, &["page           own p5: is in the run, and not"]);
    let of_dataset = |line: &&str| line.starts_with("page") || line.starts_with("dataset");
    assert!(differences(&ran).iter().all(of_dataset), "{ran:?}");
    assert!(ran.stdout.contains("the result digest and the tables, for pages came or went"), "{ran:?}");
}

#[test]
fn another_configuration_and_the_rows_that_it_asks_for_are_named() {
    let folder = made();
    change(&folder, "o/run.yaml", |yaml| yaml.replace("0.8..1.0", "0.7..1.0"));
    let ran = finds(&folder, &["configuration  run.yaml: is missing, or not as the run left it"]);
    assert!(ran.stdout.contains("row            nta coherence=0.7: on own: run.yaml asks for it"), "{ran:?}");
    let folder = folder.resealed("o");
    let ran = finds(&folder, &["row            nta coherence=0.7: on own: run.yaml asks for it"]);
    assert_eq!(differences(&ran).len(), 1, "a stranger may know the digests: {ran:?}");
    change(&folder, "o/run.yaml", |yaml| format!("# mine\n{yaml}"));
    finds(&folder, &["configuration  run.yaml"]);
    fs::remove_file(folder.path("o/run.yaml")).unwrap();
    finds(&folder, &["configuration  run.yaml", "not checked    datasets, rows and pages"]);
}

#[test]
fn a_changed_row_is_named_where_it_was_changed() {
    let folder = made();
    change(&folder, "o/scores.csv", |csv| csv.replacen(",ok,", ",failed,", 1));
    finds(&folder, &["file           scores.csv: is missing, or not as the run left it"]);
    let changed = folder.read("o/scores.csv");
    fs::remove_file(folder.path("o/scores.csv")).unwrap();
    finds(
        &folder,
        &["file           scores.csv: is missing, or not as", "not checked    tables/, figures/ and pages/ against"],
    );
    fs::write(folder.path("o/scores.csv"), changed).unwrap();
    let folder = folder.resealed("o");
    finds(&folder, &["file           scores.csv: does not follow from the units"]);
    let folder = made();
    change(&folder, "o/summary.json", |json| json.replacen("\"f1\": 0.", "\"f1\": 0.9", 1));
    let folder = folder.resealed("o");
    finds(&folder, &["row            all-text: on own: summary.json does not follow", "file           summary.json"]);
}

#[test]
fn a_row_that_comes_to_another_result_is_named_with_its_page() {
    let folder = made();
    // No checksum tells of this: a unit that was written as carat writes it, with another count.
    let run = RunFolder::open(&folder.path("o")).unwrap();
    let yaml = folder.read("o/run.yaml").replace("./own", folder.path("own").to_str().unwrap());
    let mut plan = Plan::new(Configuration::from_yaml("run.yaml", &yaml).unwrap()).unwrap();
    let dataset = plan.datasets[0].clone();
    let own = folder.read("o/run.yaml");
    plan.configuration = Configuration::from_yaml("run.yaml", &own).unwrap();
    let units = Units::new(&folder.path("o"), &plan, &run.info().executable, true).unwrap();
    let record = dataset.records.get(3).unwrap();
    let mut outcome = units.read(&dataset, &record).unwrap();
    match &mut outcome.rows.as_mut().unwrap()[0] {
        RowOutcome::Scored(result) => result.counts.matched -= 1,
        other => panic!("{other:?}"),
    }
    let texts = StoredUnits::open(&folder.path("o")).unwrap().texts("own", &record.id).unwrap();
    units.write(&dataset, &record, &outcome, &texts).unwrap();
    units.finish().unwrap();
    let ran = finds(
        &folder,
        &[
            "row            all-text: on own p3: run again it comes to matched ",
            "result         result_digest: the units come to sha256:",
            "file           scores.csv: does not follow",
        ],
    );
    assert!(!ran.stdout.contains("row            nta"), "{ran:?}");
}

#[test]
fn a_changed_figure_and_another_version_are_named() {
    let folder = made();
    change(&folder, "o/figures/own-algorithms.svg", |svg| svg.replacen("all-text", "all-txet", 1));
    fs::remove_file(folder.path("o/tables/rows.md")).unwrap();
    let ran = finds(&folder, &["file           figures/own-algorithms.svg", "file           tables/rows.md"]);
    assert_eq!(differences(&ran).len(), 2, "{ran:?}");
    let folder = made();
    change(&folder, "o/run.json", |json| json.replacen("\"carat\": \"0.", "\"carat\": \"99.", 1));
    check(&folder, "verify o", 3, &["run.json", "not as the run left it"]);
    let folder = folder.resealed("o");
    let ran = finds(&folder, &["version        99."]);
    assert_eq!(differences(&ran).len(), 1, "{ran:?}");
}

/// Changes a file of the report in `o`, and renews its digest in the list.
fn change_and_list(folder: &Folder, name: &str, change: impl FnOnce(Vec<u8>) -> Vec<u8>) {
    let path = folder.path(&format!("o/{name}"));
    let before = fs::read(&path).unwrap();
    let after = change(before.clone());
    assert_ne!(after, before, "{name}");
    let list = folder.read("o/report.txt").replace(&sha256(&before), &sha256(&after));
    fs::write(path, after).unwrap();
    fs::write(folder.path("o/report.txt"), list).unwrap();
}

#[test]
fn a_report_that_does_not_follow_from_the_run_is_named_although_its_list_was_renewed() {
    let folder = made();
    let more = |mut content: Vec<u8>| {
        content.extend(b"\n<!-- 0.9999 -->\n");
        content
    };
    let page = fs::read_dir(folder.path("o/pages")).unwrap().next().unwrap().unwrap().file_name();
    let page = format!("pages/{}", page.to_str().unwrap());
    let names = ["figures/own-algorithms.csv", "figures/own-algorithms.svg", "index.html", &page, "tables/rows.md"];
    for (place, name) in names.into_iter().enumerate() {
        change_and_list(&folder, name, more);
        let told: Vec<String> =
            names[..=place].iter().map(|name| format!("file           {name}: is not the one")).collect();
        let ran = finds(&folder, &told.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(differences(&ran).len(), place + 1, "{ran:?}");
    }
    // Without the list the files are there all the same.
    let (list, aside) = (folder.path("o/report.txt"), folder.path("list"));
    fs::rename(&list, &aside).unwrap();
    assert_eq!(differences(&finds(&folder, &["file           index.html: is not the one"])).len(), names.len());
    // With it a report in Chinese removes the English pictures, also where no font can paint Chinese ones.
    fs::rename(&aside, &list).unwrap();
    check(&folder, "report o --lang zh", 0, &[]);
    check(&folder, "verify o", 0, &["o is as it was made"]);
}

#[test]
fn a_painted_picture_is_named_and_other_fonts_are_told() {
    let folder = made();
    let pictures: Vec<String> = fs::read_dir(folder.path("o/figures"))
        .unwrap()
        .map(|entry| format!("figures/{}", entry.unwrap().file_name().to_str().unwrap()))
        .filter(|name| name.ends_with(".png") || name.ends_with(".pdf"))
        .collect();
    if pictures.is_empty() {
        eprintln!("skipped: no font is installed");
        return;
    }
    let other = |mut content: Vec<u8>| {
        *content.last_mut().unwrap() ^= 1;
        content
    };
    change_and_list(&folder, &pictures[0], other);
    let ran = finds(&folder, &[&format!("file           {}: is not the one", pictures[0])]);
    assert_eq!(differences(&ran).len(), 1, "{ran:?}");
    pictures[1..].iter().for_each(|name| change_and_list(&folder, name, other));
    check(&folder, "verify o", 0, &["painted with other fonts", "o is as it was made"]);
}

#[test]
fn programs_of_a_run_are_not_started_unasked() {
    let folder = made();
    let text = folder.read("o/run.yaml");
    let text = text.replacen("algorithms:\n", "algorithms:\n  - external: {command: [touch, started]}\n", 1);
    let yaml = Configuration::from_yaml("run.yaml", &text).unwrap().to_yaml();
    fs::write(folder.path("o/run.yaml"), yaml).unwrap();
    let folder = folder.resealed("o");
    let ran = folder.carat("verify o");
    assert!(ran.stdout.contains("not checked    rows, for the run asks external programs"), "{ran:?}");
    assert!(!folder.path("started").exists(), "{ran:?}");
    assert_ne!(folder.carat("verify o --programs").code, 0, "touch is no worker");
    assert!(folder.path("started").exists());
}
