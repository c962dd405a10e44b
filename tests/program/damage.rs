//! Run folders that were damaged or changed: no figure comes from them in silence, and the command that made them mends them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Folder, Ran, units};
use carat::datasets::locate::locate;
use carat::runs::pages::read_scores;
use carat::runs::pages::{RunPages, read_page_lines};
use carat::runs::run_folder::RunFolder;
use carat::runs::units::StoredUnits;

const RUN: &str = "run --dataset ./own --algorithm all-text --algorithm nta:coherence=0.6..1.0/0.1 \
                   --algorithm cevc:alpha=exact --bounds oracle-subtree --out o";

const PAGES: usize = 12;

/// Twelve pages with gold, and a run of them in `o`.
fn made() -> Folder {
    let mut folder = Folder::new();
    for page in 0..PAGES {
        let words: String = (0..30 + page).map(|word| format!("word{} ", word * (page + 3) % 41)).collect();
        let html =
            format!("<title>t</title><div><a href=/>home {page}</a><p>{words}.<p>{words}, <a href=x>more</a></div>");
        folder = folder
            .with(&format!("own/html/p{page}.html"), html)
            .with(&format!("own/gold/p{page}.txt"), format!("{words}.\n"));
    }
    let ran = folder.carat(RUN);
    assert_eq!(ran.code, 0, "{ran:?}");
    folder
}

fn copy(folder: &Folder, from: &str, to: &str) {
    let _ = fs::remove_dir_all(folder.path(to));
    for entry in walk(&folder.path(from)) {
        let target = folder.path(to).join(entry.strip_prefix(folder.path(from)).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(&entry, target).unwrap();
    }
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() { files.extend(walk(&entry)) } else { files.push(entry) }
    }
    files.sort();
    files
}

/// A part of a run as a text, or why it is not read.
type Part = fn(&RunFolder) -> Result<String, String>;

/// All that is read of a run.
const PARTS: [Part; 6] = [
    |run| Ok(serde_json::to_string(&run.summary().map_err(told)?).unwrap()),
    |run| Ok(format!("{:?}", read_scores(run).map_err(told)?)),
    |run| Ok(format!("{:?}", read_page_lines(run).map_err(told)?)),
    |run| Ok(serde_json::to_string(&run.sweeps().map_err(told)?).unwrap()),
    |run| {
        RunPages::read(run)
            .map(|pages| format!("{:?}", pages.iter().map(|page| page.id()).collect::<Vec<_>>()))
            .map_err(told)
    },
    |run| {
        let units = StoredUnits::open(run.path()).map_err(told)?;
        let texts = |page: usize| Ok(format!("{:?}", units.texts("own", &format!("p{page}")).map_err(told)?));
        (0..PAGES).map(texts).collect()
    },
];

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Everything that is read of a run, as one text; or why it is not.
fn all_read(folder: &Path) -> Result<String, String> {
    read_from(0, folder)
}

/// The same, with this part before the others.
fn read_from(first: usize, folder: &Path) -> Result<String, String> {
    let run = RunFolder::open(folder).map_err(told)?;
    let mut parts = PARTS;
    parts.rotate_left(first);
    let texts: String = parts.iter().map(|part| part(&run)).collect::<Result<_, _>>()?;
    Ok(serde_json::to_string(run.info()).unwrap() + &texts)
}

/// A small generator: the same flips each time.
fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

#[test]
fn of_ten_thousand_flipped_bits_none_changes_a_figure_in_silence() {
    let folder = made();
    let out = folder.path("o");
    let whole = all_read(&out).unwrap();
    // Each with the part that reads it: there a flip is noticed first.
    let mut files: Vec<(PathBuf, usize)> = walk(&out.join("units")).into_iter().map(|file| (file, 5)).collect();
    let others = [("scores.csv", 1), ("pages.csv", 2), ("sweeps.csv", 3), ("summary.json", 0), ("run.json", 0)];
    files.extend(others.map(|(name, part)| (out.join(name), part)));
    let contents: Vec<Vec<u8>> = files.iter().map(|(file, _)| fs::read(file).unwrap()).collect();
    let mut state = 0x9E37_79B9_7F4A_7C15;
    for flip in 0..10_000 {
        // Every file as often as any other, though some are far larger.
        let place = flip % files.len();
        let ((file, part), content) = (&files[place], &contents[place]);
        let bit = random(&mut state) as usize % (content.len() * 8);
        let mut flipped = content.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        fs::write(file, flipped).unwrap();
        assert!(read_from(*part, &out).is_err(), "{}: bit {bit} was not noticed", file.display());
        fs::write(file, content).unwrap();
    }
    assert_eq!(all_read(&out).unwrap(), whole);
}

/// Figures of the run in `o`: its digest, and the bytes that figures are taken from.
fn figures(folder: &Folder) -> (String, String, String) {
    let info = folder.json("o/run.json");
    (info["result_digest"].as_str().unwrap().to_owned(), folder.read("o/scores.csv"), folder.read("o/summary.json"))
}

/// The content of the units of the run in `o`, by page.
fn units_read(folder: &Folder) -> Vec<String> {
    let units = StoredUnits::open(&folder.path("o")).unwrap();
    let page = |page: usize| format!("{:?}", units.page("own", &format!("p{page}")).unwrap());
    (0..PAGES).map(page).collect()
}

#[test]
fn a_run_goes_on_from_damaged_units_with_the_same_figures_and_says_so() {
    let folder = made();
    let (before, of_units) = (figures(&folder), units_read(&folder));
    let mut state = 7;
    for number in 0..24 {
        let files = walk(&folder.path("o/units"));
        assert_eq!(files.len(), 2, "{files:?}");
        let at = &files[number / 2 % 2];
        let mut flipped = fs::read(at).unwrap();
        let bit = random(&mut state) as usize % (flipped.len() * 8);
        flipped[bit / 8] ^= 1 << (bit % 8);
        fs::write(at, flipped).unwrap();
        assert!(all_read(&folder.path("o")).is_err());
        // As after a cut, where nothing is finished, and in a run that was.
        if number % 2 == 0 {
            fs::remove_file(folder.path("o/run.json")).unwrap();
        }
        let ran = folder.carat(RUN);
        assert_eq!(ran.code, 0, "{ran:?}");
        let told = [
            "1 unit was not as it was written",
            "1 unit of o is missing or damaged",
            "is not as it was written; no unit is missing",
            "was cut off or damaged",
        ];
        assert!(told.iter().any(|told| ran.stderr.contains(told)), "bit {bit}: {ran:?}");
        assert_eq!(figures(&folder), before, "bit {bit} of {}", at.display());
        assert_eq!(units_read(&folder), of_units);
    }
}

#[test]
fn a_finished_run_with_a_missing_unit_is_completed_by_its_command() {
    let folder = made();
    let before = figures(&folder);
    units::lose(&folder.path("o"), &["p5"]);
    let refused = folder.carat("report o");
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(
        refused.stderr.contains("is missing or damaged; the command that made the run makes it again"),
        "{refused:?}"
    );
    let ran = folder.carat(RUN);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("1 unit of o is missing or damaged, and made again"), "{ran:?}");
    assert!(ran.stderr.contains("11 pages were there from an earlier start"), "{ran:?}");
    assert!(units::pages(&folder.path("o")).contains(&"p5".to_owned()) && figures(&folder) == before);
    assert!(folder.carat(RUN).stderr.contains("o holds this run already"));
    assert_eq!(folder.carat("report o").code, 0);
}

/// The commands that read the run in `o`.
fn readers(folder: &Folder) -> Vec<(&'static str, Ran)> {
    let page = "p1";
    let commands =
        ["report o", "report o --format md", "compare o", "compare o whole", "report whole --format pr --baseline o"];
    let mut ran: Vec<(&'static str, Ran)> =
        commands.into_iter().map(|command| (command, folder.carat(command))).collect();
    let diff = folder.carat(&format!("diff o {page}"));
    ran.push(("diff", diff));
    ran
}

#[test]
fn every_command_that_reads_a_changed_run_refuses_it_and_its_own_command_makes_it_again() {
    let folder = made();
    copy(&folder, "o", "whole");
    let before = figures(&folder);
    let page = |folder: &Folder, change: &dyn Fn(String) -> String, name: &str| {
        fs::write(folder.path(name), change(folder.read(name))).unwrap();
    };
    type Change = fn(String) -> String;
    let changes: [(&str, &str, Change); 8] = [
        ("lines cut off", "o/scores.csv", |text| text.lines().take(30).map(|line| format!("{line}\n")).collect()),
        ("an F1 that cannot be", "o/scores.csv", |text| {
            let line = text.lines().nth(3).unwrap().to_owned();
            let mut fields: Vec<&str> = line.split(',').collect();
            fields[7] = "99999";
            text.replacen(&line, &fields.join(","), 1)
        }),
        ("a count", "o/scores.csv", |text| {
            let at = text.rfind(",ok,").unwrap();
            let digit = text[..at].rfind(|c: char| c.is_ascii_digit()).unwrap();
            format!("{}{}{}", &text[..digit], if &text[digit..=digit] == "9" { "8" } else { "9" }, &text[digit + 1..])
        }),
        ("a figure", "o/summary.json", |text| text.replacen("\"f1\": 0.", "\"f1\": 0.9", 1)),
        ("the digest", "o/run.json", |text| {
            text.replacen("\"result_digest\": \"sha256:", "\"result_digest\": \"sha256:0", 1)
        }),
        ("a note", "o/run.json", |text| text.replacen("\"notes\": [", "\"notes\": [\"all is well\"", 1)),
        ("half of it", "o/pages.csv", |text| text[..text.len() / 2].to_owned()),
        ("nothing left", "o/sweeps.csv", |_| String::new()),
    ];
    for (what, name, change) in changes {
        copy(&folder, "whole", "o");
        page(&folder, &change, name);
        let refused = readers(&folder);
        let told = |ran: &Ran| {
            ran.code == 3
                && ran.stdout.is_empty()
                && ran.stderr.contains(name)
                && ran.stderr.contains("not as the run left it")
        };
        // What reads only a part of the run needs that part alone.
        let part = match name {
            "o/pages.csv" | "o/sweeps.csv" => 2,
            _ => refused.len(),
        };
        for (command, ran) in refused.iter().take(part) {
            assert!(told(ran), "{what} in {name}: `{command}` came to {ran:?}");
        }
        let ran = folder.carat(RUN);
        assert_eq!(ran.code, 0, "{what}: {ran:?}");
        assert!(
            ran.stderr.contains(&format!("{name} is not as the run left it; it is made again from the units")),
            "{ran:?}"
        );
        assert_eq!(figures(&folder), before, "{what}");
    }
}

#[test]
fn a_run_folder_without_end_is_refused_at_once() {
    let folder = made();
    for name in ["o/scores.csv", "o/summary.json", "o/run.json"] {
        let kept = fs::read(folder.path(name)).unwrap();
        fs::File::create(folder.path(name)).unwrap().set_len(1 << 40).unwrap();
        let ran = folder.carat("compare o");
        assert!([2, 3].contains(&ran.code) && ran.stderr.lines().count() == 1, "{name}: {ran:?}");
        fs::write(folder.path(name), kept).unwrap();
    }
    assert_eq!(folder.carat("compare o").code, 0);
}

#[test]
fn units_of_an_earlier_carat_are_refused_and_made_again_by_their_command() {
    let folder = made();
    let before = figures(&folder);
    fs::remove_dir_all(folder.path("o/units")).unwrap();
    fs::create_dir(folder.path("o/units")).unwrap();
    let unit = folder.path(&format!("o/units/{}.unit", carat::formats::digest::sha256(b"own\tp1")));
    fs::write(&unit, "CRT2").unwrap();
    let refused = folder.carat("report o");
    assert_eq!(refused.code, 3, "{refused:?}");
    let told = "o/units: holds units of an earlier carat; the command that made the run makes it again";
    assert!(refused.stderr.contains(told), "{refused:?}");
    let ran = folder.carat(RUN);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!unit.exists() && figures(&folder) == before);
    assert_eq!(folder.carat("report o").code, 0);
}

#[test]
fn a_folder_of_an_earlier_carat_is_told_to_be_made_again() {
    let folder = made();
    let info = folder.read("o/run.json").replacen("\"schema\": 2", "\"schema\": 1", 1);
    fs::write(folder.path("o/run.json"), info).unwrap();
    let ran = folder.carat("compare o");
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stderr.contains("schema 1 is not 2, which this program reads; run again with --fresh"), "{ran:?}");
    let records = locate(folder.path("own").to_str().unwrap()).unwrap().records;
    assert_eq!(records.len(), 12);
}
