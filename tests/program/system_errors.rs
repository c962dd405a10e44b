//! Errors of the system while files are read: they pass, or they end the run. None of them becomes a score.
//!
//! A small library that is loaded before the C library lets accesses to files fail (`support/failing_reads.c`); where it
//! cannot be built, the tests say that they are skipped. `CARAT_ALL_ERRORS=1` tries every error at every place.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::support::{Folder, Ran, example};
use serde_json::Value as Json;

/// EIO, EMFILE, ESTALE, EACCES: their numbers, and whether opening or reading fails with them.
const ERRORS: [(i32, &str); 4] = [(5, "read"), (24, "open"), (116, "read"), (13, "open")];

/// Parts of the paths of pages, golds, units and kept replies.
const PLACES: [&str; 4] = ["/own/html/", "/own/gold/", "/units/", "/external/"];

const RUN: &str = "run run.yaml --out o --threads 1";

/// The library that lets the system fail; `None` where no C compiler builds it.
fn failing() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let build = || {
        let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libfailing_reads.so");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/failing_reads.c");
        let built =
            Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).args([source, "-ldl"]).status();
        built.is_ok_and(|status| status.success()).then_some(library)
    };
    let built = BUILT.get_or_init(build).as_deref();
    if built.is_none() {
        eprintln!("skipped: no C compiler builds tests/support/failing_reads.c");
    }
    built
}

/// Twenty pages with gold, and a configuration of page and group algorithms, what learns, and an external program.
fn pages() -> Folder {
    let mut folder = Folder::new();
    for page in 0..20 {
        let words: String = (0..25).map(|word| format!("word{} ", word * (page + 2) % 37)).collect();
        folder = folder
            .with(&format!("own/html/p{page:02}.html"), format!("<a href=/>home</a><p>{words}<p>{words}"))
            .with(&format!("own/gold/p{page:02}.txt"), words);
    }
    let worker = Json::from(example("fake_worker").to_str().unwrap());
    let run = format!(
        "datasets: [./own]\nbounds: []\nalgorithms:\n  - all-text\n  - nta\n  - unrepeated-text\n  - wrapper: {{learn: true}}\n  \
         - external: {{name: x, command: [{worker}, echo]}}\n"
    );
    folder.with("run.yaml", run)
}

/// Runs it with some accesses failing.
fn failing_run(folder: &Folder, (place, on): (&str, &str), error: i32, (at, times): (usize, usize)) -> Ran {
    let library = failing().unwrap().to_str().unwrap();
    let [error, at, times] = [error.to_string(), at.to_string(), times.to_string()];
    let environment = [
        ("LD_PRELOAD", library),
        ("FAIL_PATHS", place),
        ("FAIL_ON", on),
        ("FAIL_WITH", &error),
        ("FAIL_AT", &at),
        ("FAIL_TIMES", &times),
    ];
    folder.carat_under(&environment, RUN)
}

fn digest(folder: &Folder) -> String {
    let info = folder.json("o/run.json");
    assert_eq!(info["failures"], serde_json::json!([]), "no page failed");
    info["result_digest"].as_str().unwrap().to_owned()
}

/// What is at a place where accesses shall fail again: units and replies are there only once a run was made.
fn before(folder: &Folder, place: &str) {
    let _ = fs::remove_dir_all(folder.path("o"));
    if place == "/units/" || place == "/external/" {
        assert_eq!(folder.carat(RUN).code, 0);
        fs::remove_file(folder.path("o/run.json")).unwrap();
        if place == "/external/" {
            fs::remove_dir_all(folder.path("o")).unwrap();
        }
    }
}

/// The error numbers, places and numbers of accesses that are tried.
fn tries() -> Vec<(usize, usize, usize)> {
    let every = std::env::var_os("CARAT_ALL_ERRORS").is_some();
    let of = |at: usize| {
        let all = (0..ERRORS.len()).flat_map(move |error| (0..PLACES.len()).map(move |place| (at, error, place)));
        all.filter(move |&(at, error, place)| every || (error, place) == (at / 4 % 4, at % 4))
    };
    (1..=50).flat_map(of).collect()
}

/// Runs with an error that stays, and then without it; gives the number of runs that ended with exit code 4.
fn with_errors_that_stay(tries: &[(usize, usize, usize)]) -> usize {
    let folder = pages();
    assert_eq!(folder.carat(RUN).code, 0);
    let expected = digest(&folder);
    let mut ended = 0;
    for &(at, error, place) in tries {
        let ((error, on), place) = (ERRORS[error], PLACES[place]);
        before(&folder, place);
        let ran = failing_run(&folder, (place, on), error, (at, 1 << 30));
        let case = format!("error {error} at access {at} of {place}: {ran:?}");
        match ran.code {
            // There were fewer accesses.
            0 => assert_eq!(digest(&folder), expected, "{case}"),
            4 => {
                ended += 1;
                assert!(!folder.path("o/run.json").exists(), "{case}");
                let told = ran.stderr.lines().last().unwrap_or_default();
                assert!(told.starts_with("error: ") && told.contains(&format!("(os error {error})")), "{case}");
            }
            _ => panic!("{case}"),
        }
        let healthy = folder.carat(RUN);
        assert_eq!(healthy.code, 0, "{case}, then {healthy:?}");
        assert_eq!(digest(&folder), expected, "{case}");
    }
    ended
}

#[test]
fn an_error_that_stays_ends_the_run_and_the_same_command_goes_on_with_the_same_digest() {
    if failing().is_none() {
        return;
    }
    let tries = tries();
    let (one, other) = tries.split_at(tries.len() / 2);
    let ended = std::thread::scope(|scope| {
        let one = scope.spawn(|| with_errors_that_stay(one));
        with_errors_that_stay(other) + one.join().unwrap()
    });
    println!("{ended} runs ended with exit code 4; {0} of {0} came to the same digest afterwards", tries.len());
    assert!(ended > 20, "{ended}");
}

#[test]
fn an_error_that_passes_is_not_seen() {
    if failing().is_none() {
        return;
    }
    let folder = pages();
    assert_eq!(folder.carat(RUN).code, 0);
    let expected = digest(&folder);
    for (number, (error, on)) in ERRORS.into_iter().enumerate() {
        for place in PLACES {
            before(&folder, place);
            let ran = failing_run(&folder, (place, on), error, (3 + 5 * number, 2));
            assert_eq!(ran.code, 0, "error {error} at {place}: {ran:?}");
            assert_eq!(digest(&folder), expected);
        }
    }
}

#[cfg(unix)]
#[test]
fn too_few_descriptors_end_the_run_and_score_nothing() {
    let folder = pages();
    assert_eq!(folder.carat(RUN).code, 0);
    let expected = digest(&folder);
    fs::remove_dir_all(folder.path("o")).unwrap();
    let script =
        format!("ulimit -n 14; exec '{}' {} --threads 64", env!("CARGO_BIN_EXE_carat"), &RUN[..RUN.len() - 12]);
    let mut command = Command::new("sh");
    command.args(["-c", &script]).current_dir(folder.path(".")).env("CARAT_CACHE", folder.1.path());
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    match output.status.code() {
        Some(0) => {}
        code => assert!([Some(2), Some(4)].contains(&code) && told.contains("Too many open files"), "{code:?} {told}"),
    }
    assert_eq!(folder.carat(RUN).code, 0);
    assert_eq!(digest(&folder), expected);
}

/// Whether this user reads what has no permission, as root does.
fn reads_everything(path: &Path) -> bool {
    fs::read(path).is_ok()
}

#[cfg(unix)]
#[test]
fn a_page_or_a_gold_without_permission_is_no_page_that_scores_zero() {
    use std::os::unix::fs::PermissionsExt;
    for name in ["own/html/p07.html", "own/gold/p07.txt"] {
        let folder = pages();
        let path = folder.path(name);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o0)).unwrap();
        if reads_everything(&path) {
            println!("skipped: this user reads files of mode 000");
            return;
        }
        for run in [RUN.to_owned(), format!("{RUN} --keep-going")] {
            let ran = folder.carat(&run);
            assert_eq!(ran.code, 4, "{name}: {ran:?}");
            assert!(ran.stderr.contains("Permission denied"), "{name}: {ran:?}");
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(folder.carat(RUN).code, 0);
    }
}
