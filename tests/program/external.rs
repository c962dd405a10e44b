//! External programs as people run them: what workers do wrong costs a page, never the run, and nothing outlives it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::support::{Folder, Ran, check, example, units};
use serde_json::Value as Json;

/// The worker that misbehaves.
fn fake_worker() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| example("fake_worker"))
}

const PAGES: [&str; 5] = ["a", "b", "c", "d", "e"];

/// Five pages with the gold `hello`; the page c is marked.
pub(crate) fn pages() -> Folder {
    let mut folder = Folder::new();
    for page in PAGES {
        let mark = if page == "c" { "MARK" } else { "" };
        folder = folder
            .with(&format!("own/html/{page}.html"), format!("<p>hello {page}é\u{2028}{mark}</p>"))
            .with(&format!("own/gold/{page}.txt"), "hello");
    }
    folder
}

/// A configuration that asks a worker which behaves so, with more options.
pub(crate) fn asking(behaviour: &str, options: &str) -> String {
    let worker = Json::from(fake_worker().to_str().unwrap());
    let command = format!("[{worker}, {behaviour}, calls]");
    format!("datasets: [./own]\nalgorithms:\n  - external: {{name: x, command: {command}{options}}}\n")
}

/// Runs it, and gives the status of each page.
fn statuses(folder: &Folder, run: &str) -> String {
    let scores = folder.csv(&format!("{run}/scores.csv"));
    let letter = |page: &&str| match scores.iter().find(|score| score["page"] == **page).unwrap()["status"].as_str() {
        "ok" => 'o',
        "failed" => 'f',
        "timed_out" => 't',
        _ => '-',
    };
    PAGES.iter().map(letter).collect()
}

/// What a worker that behaves so comes to: the status of each page, and what the program says.
fn outcome(behaviour: &str, options: &str) -> (String, Folder, Ran) {
    let folder = pages().with("x.yaml", asking(behaviour, options));
    let ran = check(&folder, "run x.yaml --out o", 0, &["starts an external program"]);
    (statuses(&folder, "o"), folder, ran)
}

/// How often the workers of a folder were asked, and started.
fn calls(folder: &Folder) -> (usize, usize) {
    let calls = std::fs::read_to_string(folder.path("calls")).unwrap_or_default();
    let lines = |word: &str| calls.lines().filter(|line| line.starts_with(word)).count();
    (lines("page"), lines("start"))
}

/// Carries out a command that is refused with this exit code; what is said, behind what it starts, holds all of `says`.
fn refused(folder: &Folder, arguments: &str, code: i32, says: &[&str]) {
    let before = folder.files();
    let ran = folder.carat(arguments);
    assert_eq!((ran.code, ran.stdout.as_str()), (code, ""), "{ran:?}");
    // A frame breaks long lines.
    let told = ran.stderr.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
    for part in says {
        assert!(told.contains(part), "carat {arguments}: `{part}` is not in {told}");
    }
    let written = folder.files().into_iter().filter(|(path, _)| !path.ends_with("calls"));
    assert!(
        written.eq(before.into_iter().filter(|(path, _)| !path.ends_with("calls"))),
        "{arguments}: files were left"
    );
}

#[test]
fn pages_of_a_dataset_without_any_gold_are_asked_for_too() {
    let mut folder = Folder::new().with("x.yaml", asking("echo", "") + "  - all-text\n");
    for page in PAGES {
        let record = serde_json::json!({"id": page, "html": {"text": format!("<p>hello {page}")}});
        let list = std::fs::read_to_string(folder.path("own/pages.jsonl")).unwrap_or_default();
        folder = folder.with("own/pages.jsonl", format!("{list}{record}\n"));
    }
    let licence = "{data: CC0-1.0, pages: CC0-1.0, redistribution: free}";
    let folder = folder.with("own/dataset.yaml", format!("format: 1\nname: own\nversion: '1'\nlicence: {licence}\n"));
    check(&folder, "run x.yaml --out o", 0, &["5 pages without gold, so that rows are compared"]);
    assert_eq!(calls(&folder), (5, 1));
    let pairs = folder.csv("o/tables/agreement.csv");
    assert_eq!((pairs.len(), pairs[0]["pages"].as_str()), (1, "5"));
}

#[test]
fn what_a_program_extracts_is_a_row_like_any_other() {
    let (statuses, folder, ran) = outcome("counts", "");
    assert_eq!(statuses, "ooooo", "{ran:?}");
    let summary = folder.json("o/summary.json");
    let row = &summary["rows"][0];
    assert_eq!((&row["algorithm"], &row["pages"], &row["failed"]), (&"external/x".into(), &5.into(), &0.into()));
    assert_eq!(summary["rows"].as_array().unwrap().len(), 1, "no page is parsed for bounds: {summary}");
    let system = row["system"].as_str().unwrap();
    assert!(system.starts_with("external program fake | version 1.0 | command ") && system.ends_with("counts calls"));
    // The page came decoded and whole: as many characters as it has.
    let c = folder.csv("o/scores.csv").into_iter().find(|score| score["page"] == "c").unwrap();
    assert_eq!(c["extracted"], "<p>hello cé\u{2028}MARK</p>".chars().count().to_string());
    // Nothing else was sent: no gold, no name of the page.
    assert!(
        folder.read("calls").contains(r#"page ["id", "url", "html", "parameters"] {}"#),
        "{}",
        folder.read("calls")
    );
}

#[test]
fn nothing_is_asked_twice_unless_it_is_wanted() {
    let (_, folder, first) = outcome("echo", "");
    assert_eq!(calls(&folder).0, 5);
    check(&folder, "run x.yaml --out o", 0, &["holds this run already"]);
    check(&folder, "run x.yaml --out o --fresh", 0, &["5 pages in"]);
    check(&folder, "run x.yaml --out other --tokens word", 0, &[]);
    assert_eq!(calls(&folder).0, 5, "the cache answers, also for another run");
    let again = check(&folder, "run x.yaml --out o --fresh --no-cache", 0, &[]);
    assert_eq!((calls(&folder).0, &again.stdout), (10, &first.stdout));
    // Damaged replies are asked for again, and kept anew.
    for (file, _) in files_below(folder.1.path()) {
        std::fs::write(file, "damaged").unwrap();
    }
    check(&folder, "run x.yaml --out o --fresh", 0, &[]);
    check(&folder, "run x.yaml --out o --fresh", 0, &[]);
    assert_eq!((calls(&folder).0, statuses(&folder, "o").as_str()), (15, "ooooo"));
    // A changed page is another one.
    let folder = folder.with("own/html/a.html", "<p>changed</p>");
    check(&folder, "run x.yaml --out o", 0, &["5 pages in"]);
    assert_eq!(calls(&folder).0, 16, "the others' answers are kept");
    check(&folder, "run o/run.yaml --out again", 0, &[]);
    assert_eq!(folder.json("again/run.json")["result_digest"], folder.json("o/run.json")["result_digest"]);
}

fn files_below(folder: &Path) -> Vec<(PathBuf, u64)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let below = |path: PathBuf| match path.is_dir() {
        true => files_below(&path),
        false => vec![(path.clone(), path.metadata().unwrap().len())],
    };
    entries.flat_map(below).collect()
}

#[test]
fn pages_that_a_worker_fails_on_cost_no_other_page() {
    for (behaviour, options, expected, told) in [
        (
            "dies-on-mark",
            "",
            "oofoo",
            "own c external/x: crash: it ended (exit status: 7); on stderr: segmentation of the",
        ),
        ("error-on-mark", "", "oofoo", "own c external/x: no article found"),
        ("garbage", "", "oofoo", "own c external/x: protocol: is no JSON object: \u{FFFD}[2J not JSON"),
        ("huge-on-mark", ", max_text_bytes: 100000", "oofoo", "too_large: its line has more than 100000 bytes"),
        ("slow-on-mark", ", timeout_s: 2", "ootoo", "own c external/x: no answer within 2 s"),
        ("echo", ", max_html_bytes: 22", "oofoo", "own c external/x: page_too_large"),
        ("surrogates", "", "ooooo", "10 NULs or lone surrogates in its texts became U+FFFD"),
        ("answers-twice", "", "ooooo", "the worker wrote a line though no page was asked for"),
        ("much-stderr", "", "ooooo", "5 pages in"),
        ("byte-by-byte", "", "ooooo", "5 pages in"),
        ("carriage-return", "", "ooooo", "5 pages in"),
    ] {
        let (statuses, folder, ran) = outcome(behaviour, options);
        assert_eq!(statuses, expected, "{behaviour}: {ran:?}");
        assert!(ran.stderr.contains(told), "{behaviour}: `{told}` is not in {ran:?}");
        let row = folder.json("o/summary.json")["rows"][0].clone();
        let count = |letter: char| expected.matches(letter).count();
        assert_eq!((&row["failed"], &row["timed_out"]), (&count('f').into(), &count('t').into()), "{behaviour}");
        // A page that was answered has its own answer: P and R are those of `hello`, where the worker says that.
        if behaviour != "surrogates" {
            let mean = count('o') as f64 / 5.0;
            assert_eq!(row["macro"]["f1"], mean, "{behaviour}");
        }
        let strict = if expected == "ooooo" { 0 } else { 3 };
        assert_eq!(folder.carat("run x.yaml --out o --strict").code, strict, "{behaviour}");
    }
}

#[test]
fn a_program_that_keeps_failing_is_given_up() {
    for (behaviour, options, expected, told) in [
        (
            "never-answers",
            ", timeout_s: 0.2, restarts: 2",
            "tt---",
            "note: external/x was not run on 3 of 5 pages: its worker crashed, broke the protocol or ran out of time on 2 pages in a row (the last time: no answer within 0.2 s); mend the program, or raise `timeout_s` in the configuration, and run again with --fresh\n",
        ),
        ("swaps", ", restarts: 3", "fff--", "protocol: answers `p1x`, not `p1`"),
        ("null-text", ", restarts: 1", "f----", "protocol: invalid type: null"),
        (
            "null-text",
            ", restarts: 9",
            "fffff",
            "\n  own 5 pages (a, b, c, ..) external/x: protocol: invalid type: null",
        ),
    ] {
        let (statuses, folder, ran) = outcome(behaviour, options);
        assert_eq!(statuses, expected, "{behaviour}: {ran:?}");
        assert!(ran.stderr.contains(told), "{behaviour}: {ran:?}");
        let not_run = folder.json("o/summary.json")["rows"][0]["not_run"].clone();
        assert_eq!(not_run, expected.matches('-').count());
        assert_eq!(calls(&folder).1, expected.len() - expected.matches('-').count());
    }
}

#[test]
fn what_was_given_up_stays_so_when_a_run_goes_on() {
    let (_, folder, _) = outcome("never-answers", ", timeout_s: 0.2, restarts: 2");
    let digest = folder.json("o/run.json")["result_digest"].clone();
    // As if it had been killed before the last page: that one alone would be asked for, in vain.
    std::fs::remove_file(folder.path("o/run.json")).unwrap();
    units::lose(&folder.path("o"), &["e"]);
    check(&folder, "run x.yaml --out o", 0, &["was not run on 3 of 5 pages"]);
    assert_eq!((statuses(&folder, "o").as_str(), &folder.json("o/run.json")["result_digest"]), ("tt---", &digest));
}

/// A configuration that asks a script which answers `said` on every page, and its version never changes.
fn scripted(folder: Folder, said: &str, hello: &str) -> Folder {
    let answer = format!(r#"echo "{{\"id\":\"p$i\",\"text\":\"{said}\"}}""#);
    let script =
        format!("echo '{hello}'\ni=0\nwhile read line; do i=$((i+1)); echo asked >> ../asked; {answer}; done\n");
    let external = "{name: x, command: [sh, worker.sh], cwd: tools}";
    folder
        .with("tools/worker.sh", script)
        .with("x.yaml", format!("datasets: [./own]\nalgorithms:\n  - external: {external}\n"))
}

const HELLO: &str = r#"{"carat":1,"name":"x","version":"1"}"#;

fn asked(folder: &Folder) -> usize {
    std::fs::read_to_string(folder.path("asked")).unwrap_or_default().lines().count()
}

/// The texts of a run, page by page.
fn texts(folder: &Folder) -> Vec<String> {
    folder.csv("o/scores.csv").into_iter().map(|score| score["text"].clone()).collect()
}

#[test]
fn a_program_whose_file_changed_is_another_one_though_it_tells_the_same_version() {
    let folder = scripted(pages(), "hello", HELLO);
    check(&folder, "run x.yaml --out o", 0, &[]);
    assert_eq!(asked(&folder), 5);
    let first = texts(&folder);
    // A run that was cut, and the program mended meanwhile: no page is of the earlier one.
    std::fs::remove_file(folder.path("o/run.json")).unwrap();
    units::lose(&folder.path("o"), &["e"]);
    let folder = scripted(folder, "good morning", HELLO);
    let ran = check(&folder, "run x.yaml --out o", 0, &[]);
    assert!(!ran.stderr.contains("is replaced"), "no run is there: {ran:?}");
    assert_eq!(asked(&folder), 10);
    assert!(texts(&folder).iter().all(|text| *text != first[0]), "{:?}", texts(&folder));
    // A finished run is not taken for that of the changed program.
    let folder = scripted(folder, "hello again", HELLO);
    let ran = check(
        &folder,
        "run x.yaml --out o",
        0,
        &["the program x changed; the run of its version 1 in o is replaced\n"],
    );
    assert!(!ran.stderr.contains("holds this run already"), "{ran:?}");
    assert_eq!(asked(&folder), 15);
    // Back to the first: its replies are still there, and every table says so.
    let folder = scripted(folder, "hello", HELLO);
    let ran = check(&folder, "run x.yaml --out o", 0, &["5 of 5 replies of external/x from the cache, of 2"]);
    assert_eq!((asked(&folder), texts(&folder)), (15, first), "{ran:?}");
    for table in ["tables/rows.md", "tables/rows.tex"] {
        assert!(folder.read(&format!("o/{table}")).contains("replies of external/x from the cache"), "{table}");
    }
    check(&folder, "run x.yaml --out o", 0, &["holds this run already", "from the cache, of 2"]);
    check(&folder, "run x.yaml --out o --no-cache", 0, &[]);
    assert_eq!(asked(&folder), 20);
    assert!(!folder.read("o/tables/rows.md").contains("from the cache"));
}

#[test]
fn files_that_a_worker_lists_are_part_of_it() {
    let hello = HELLO.replace('}', ",\"files\":[\"model.bin\"]}");
    let folder = scripted(pages(), "hello", &hello).with("tools/model.bin", "trained");
    check(&folder, "run x.yaml --out o", 0, &[]);
    check(&folder, "run x.yaml --out o", 0, &["holds this run already"]);
    let folder = folder.with("tools/model.bin", "trained again");
    check(&folder, "run x.yaml --out o", 0, &[]);
    assert_eq!(asked(&folder), 10);
    std::fs::remove_file(folder.path("tools/model.bin")).unwrap();
    refused(&folder, "run x.yaml --out p", 2, &["it lists the file tools/model.bin as its own, which is not there"]);
}

#[test]
fn a_script_that_a_worker_loads_from_beside_it_is_part_of_it() {
    let folder = scripted(pages(), "$said", HELLO);
    let worker = format!(". ./words.sh\n{}", folder.read("tools/worker.sh"));
    let folder = folder.with("tools/worker.sh", worker).with("tools/words.sh", "said=hello\n");
    check(&folder, "run x.yaml --out o", 0, &[]);
    let first = texts(&folder);
    let folder = folder.with("tools/unasked.sh", "said=never\n");
    check(&folder, "run x.yaml --out o", 0, &["holds this run already"]);
    let folder = folder.with("tools/words.sh", "said=morning\n");
    check(&folder, "run x.yaml --out o", 0, &["the program x changed; the run of its version 1 in o is replaced\n"]);
    assert_eq!(asked(&folder), 10);
    assert!(texts(&folder).iter().all(|text| *text != first[0]), "{:?}", texts(&folder));
}

#[test]
fn a_cache_that_cannot_be_written_says_what_to_do() {
    let folder = pages().with("x.yaml", asking("echo", "")).with("file", "");
    let ran = folder.carat_under(&[("CARAT_CACHE", "file")], "run x.yaml --out o");
    assert_eq!(ran.code, 4, "{ran:?}");
    let told = ran.stderr.lines().last().unwrap();
    assert!(
        told.contains("the cache of external programs' replies")
            && told.contains("CARAT_CACHE")
            && told.contains("--no-cache")
    );
    assert_eq!(folder.carat_under(&[("CARAT_CACHE", "file")], "run x.yaml --out o --no-cache").code, 0);
}

#[test]
fn a_damaged_reply_is_asked_for_again_and_no_score() {
    let folder = scripted(pages(), "hello", HELLO);
    check(&folder, "run x.yaml --out o", 0, &[]);
    let digest = folder.json("o/run.json")["result_digest"].clone();
    let replies: Vec<PathBuf> = std::fs::read_dir(folder.1.path().join("external"))
        .unwrap()
        .flat_map(|below| std::fs::read_dir(below.unwrap().path()).unwrap())
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(replies.len(), 5);
    for (number, reply) in replies.iter().enumerate() {
        let mut bytes = std::fs::read(reply).unwrap();
        let at = bytes.len() * (number + 1) / 7;
        bytes[at] ^= 1 << number;
        std::fs::write(reply, bytes).unwrap();
    }
    std::fs::remove_dir_all(folder.path("o")).unwrap();
    check(&folder, "run x.yaml --out o", 0, &[]);
    assert_eq!((asked(&folder), &folder.json("o/run.json")["result_digest"]), (10, &digest));
}

#[test]
fn a_worker_that_reads_nothing_runs_out_of_time() {
    let large = format!("<p>{}</p>", "hello ".repeat(200_000));
    let folder =
        pages().with("own/html/a.html", large).with("x.yaml", asking("reads-nothing", ", timeout_s: 0.3, restarts: 1"));
    check(&folder, "run x.yaml --out o", 0, &["own a external/x: no answer within 0.3 s"]);
    assert_eq!(statuses(&folder, "o"), "t----");
}

#[test]
fn a_tuning_without_enough_pages_says_which_program_was_given_up() {
    let configuration = asking("dies-on-mark", ", restarts: 1") + "  - cevc: {alpha: [0.4, 0.5]}\n";
    let folder = pages().with("own/html/a.html", "<p>hello MARK").with("x.yaml", configuration);
    let ran = folder.carat("tune x.yaml --out o");
    assert_eq!(ran.code, 2, "{ran:?}");
    let told = ran.stderr.lines().last().unwrap();
    assert!(told.starts_with("error: external/x was not run on 4 of 5 pages: its worker crashed"), "{told}");
    assert!(
        told.contains("; settings are compared on pages that every one was run on: own: its pages are of 1 site"),
        "{told}"
    );
}

/// A worker of a few lines for the shell, which ends or stays as a Rust program hardly can.
fn shell(script: &str, options: &str) -> String {
    let hello = r#"echo '{"carat":1,"name":"x","version":"1"}'"#;
    let script = Json::from(format!("{hello}; {script}"));
    format!("datasets: [./own]\nalgorithms:\n  - external: {{command: [sh, -c, {script}]{options}}}\n")
}

#[test]
fn closed_pipes_and_strange_ends_are_told() {
    for (script, options, expected, told) in [
        ("exec >&-; sleep 600", ", restarts: 1", "f----", "crash: it closed its pipes, but did not end"),
        ("read line; kill -9 $$", ", restarts: 1", "f----", "signal: 9"),
        (r#"read line; echo '{"id":"p1","text":"hello"}'; exit 0"#, "", "ooooo", "5 pages in"),
        (
            r#"read line; echo '{"id":"p1","text":"hello"}'; read line; exit 4"#,
            ", restarts: 9",
            "ofofo",
            "(exit status: 4)",
        ),
        (
            r#"i=0; while read line; do i=$((i+1)); echo "{\"id\":\"p$i\",\"text\":\"hello\"}"; done; exit 5"#,
            "",
            "ooooo",
            "at the end of its input it ended with exit status: 5",
        ),
    ] {
        let folder = pages().with("x.yaml", shell(script, options));
        let ran = check(&folder, "run x.yaml --out o", 0, &[told]);
        // A child that ends between two pages may be met before or behind that.
        if script.contains("exit 0") {
            assert!(statuses(&folder, "o").contains('o'), "{script}: {ran:?}");
        } else {
            assert_eq!(statuses(&folder, "o"), expected, "{script}: {ran:?}");
        }
    }
}

#[test]
fn a_program_that_says_no_hello_is_no_row() {
    const AS_WORKER: &str = "runs by --external 'carat external per-page --version 1 -- ";
    for (behaviour, options, told) in [
        ("banner", "", ["its first line is no hello", AS_WORKER]),
        ("silent", ", start_timeout_s: 0.3", ["it said no hello within 0.3 s; a program", AS_WORKER]),
        ("dies-at-start", "", ["on stderr: no such module: extractor", ""]),
    ] {
        let folder = pages().with("x.yaml", asking(behaviour, options));
        refused(&folder, "run x.yaml --out o", 2, &["x.yaml:3:", "the program cannot be used", told[0], told[1]]);
    }
    let missing = "run --dataset ./own --external no-such-program --out o";
    refused(&pages(), missing, 2, &["`no-such-program` cannot be started"]);
    let unnamed = asking("echo", "").replace("name: x, ", "");
    let two = unnamed + shell("cat", ", name: fake").split_once("algorithms:\n").unwrap().1;
    refused(
        &pages().with("x.yaml", two),
        "run x.yaml --out o",
        2,
        &["two external programs are named `fake`", "{name: other, command: ..}"],
    );
}

#[test]
fn a_program_that_changes_under_the_run_ends_it() {
    let folder = pages().with("x.yaml", asking("changes", ""));
    let ran = folder.carat("run x.yaml --out o");
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stderr.contains("started again, it says that it is fake 2, not fake 1"), "{ran:?}");
    assert!(!folder.path("o/run.json").exists());
}

#[test]
fn a_failure_names_the_settings_and_reasons_that_differ_in_numbers_are_one_line() {
    let folder = pages().with("x.yaml", asking("errs-at-one", ", parameters: {alpha: [0, 0.5, 1]}"));
    let told = "own 5 pages (a, b, c, ..) external/x (alpha=1): ";
    let ran =
        check(&folder, "run x.yaml --out o", 0, &["5 pages failed", told, "(the first; the others differ in numbers)"]);
    assert_eq!(ran.stderr.matches("no article in").count(), 1, "{ran:?}");
    let failures = &folder.json("o/run.json")["failures"];
    assert_eq!((failures.as_array().unwrap().len(), &failures[0]["settings"]), (5, &"alpha=1".into()));
    // Each setting has its own reason, wherever a page is shown.
    let folder = folder.with("z.yaml", asking("errs-at-one", ", parameters: {alpha: [0.25, 0.5, 1]}"));
    check(
        &folder,
        "run z.yaml --out each",
        0,
        &["external/x (alpha=1): no article", "external/x (alpha=0.25): a bad table"],
    );
    let shown = |alpha: &str| folder.carat(&format!("diff each a --algorithm external/x:alpha={alpha}")).stdout;
    assert!(shown("0.25").contains("a bad table") && !shown("0.25").contains("no article"), "{}", shown("0.25"));
    assert!(shown("1").contains("no article"), "{}", shown("1"));
    // Where every setting fails, none is named.
    let folder = folder.with("y.yaml", asking("errs-at-one", ", parameters: {alpha: [1]}"));
    check(&folder, "run y.yaml --out all", 0, &["own 5 pages (a, b, c, ..) external/x: "]);
}

#[test]
fn declared_parameters_are_swept_like_built_in_ones() {
    let options = ", parameters: {alpha: 0..1/0.25, flag: [true, false], most: 7, title: ['a: b|c']}";
    let folder = pages().with("x.yaml", asking("parameters", options));
    check(&folder, "run x.yaml --out o", 0, &["external/x"]);
    let rows = folder.json("o/summary.json")["rows"].clone();
    assert_eq!(rows.as_array().unwrap().len(), 10);
    let of = |alpha: &str, flag: bool| {
        let is_meant = |row: &&Json| row["parameters"]["alpha"] == alpha && row["parameters"]["flag"] == flag;
        rows.as_array().unwrap().iter().find(is_meant).unwrap()
    };
    assert_eq!(of("0.50", false)["differs"], serde_json::json!(["most", "title"]));
    assert_eq!(of("0.50", false)["swept"], serde_json::json!(["alpha", "flag"]));
    assert_eq!(of("0.50", false)["parameters"]["mode"], "all");
    // `hello ` of `hello world`, and all of it.
    let f1 = |alpha: &str| of(alpha, true)["macro"]["f1"].as_f64().unwrap();
    assert!(f1("0.50") == 1.0 && f1("1.00") < 1.0 && f1("0.00") == 0.0, "{rows}");
    assert!(folder.read("o/report.txt").contains("external_x"), "curves are drawn: {}", folder.read("o/report.txt"));
    // One value twice, written in two ways, is one row.
    check(&folder, "run x.yaml --out o", 0, &["holds this run already"]);
    let folder = folder.with("y.yaml", asking("parameters", ", parameters: {alpha: [0.5, 0.50]}"));
    check(&folder, "run y.yaml --out p", 0, &["5 pages in"]);
    assert_eq!(folder.json("p/summary.json")["rows"].as_array().unwrap().len(), 1);
}

#[test]
fn wrong_parameters_are_refused_before_a_page_is_sent() {
    for (parameters, told) in [
        ("{alhpa: 0.5}", "did you mean `alpha`?"),
        ("{alpha: 1.5}", "a decimal from 0 up to 1"),
        ("{alpha: exact}", "its break points are not known; give a grid"),
        ("{flag: 1}", "expected true or false"),
        ("{mode: [all, non]}", "did you mean `none`?"),
        ("{most: 0}", "a whole number from 1"),
        ("{title: [a, b]}", "a text is not swept"),
    ] {
        let folder = pages().with("x.yaml", asking("parameters", &format!(", parameters: {parameters}")));
        refused(&folder, "run x.yaml --out o", 2, &[told]);
        assert_eq!(calls(&folder), (0, 1), "{parameters}");
    }
}

#[test]
fn the_number_of_workers_does_not_show() {
    let many = |folder: Folder| {
        (0..40).fold(folder, |folder, page| {
            let mark = if page % 7 == 3 || (20..24).contains(&page) { "MARK" } else { "" };
            let html = format!("<p>hello {page}{mark}</p>");
            folder.with(&format!("own/html/{page:02}.html"), html).with(&format!("own/gold/{page:02}.txt"), "hello")
        })
    };
    let run = |workers: usize| {
        let folder =
            many(pages()).with("x.yaml", asking("dies-on-mark", &format!(", workers: {workers}, restarts: 4")));
        check(
            &folder,
            "run x.yaml --out o",
            0,
            &["on 4 pages in a row (the last time: crash: it ended (exit status: 7)"],
        );
        (folder.json("o/run.json")["result_digest"].clone(), folder.read("o/scores.csv"))
    };
    let one = run(1);
    assert!(one.1.contains("not_run") && one == run(4));
}

#[test]
fn documents_are_rendered_and_programs_stand_beside_algorithms() {
    let folder = pages().with("x.yaml", asking("document", "") + "  - all-text\n");
    check(&folder, "run x.yaml --out o", 0, &["all-text", "external/x"]);
    let text = folder.csv("o/scores.csv").into_iter().find(|score| score["algorithm"] == "external/x").unwrap();
    assert_eq!((text["extracted"].as_str(), &text["text"]), ("6", &carat::formats::digest::sha256(b"one\ntwo")));
    check(&folder, "compare o --row x --row all-text", 0, &["external/x"]);
    check(&folder, "run x.yaml --out o --dry-run", 0, &["ask      ", "without the external programs"]);
}

const COMBINED: &str = "  - all-text\n  - combine: {name: both, members: [external/x, all-text], rule: intersection}\n";

#[test]
fn programs_are_gated_and_combined_like_other_rows() {
    const GATE: &str = "gate x.yaml --baseline b.json";
    let folder = pages().with("x.yaml", asking("echo", "") + COMBINED);
    let says = ["starts an external program", "b.json is made: 3 rows, 5 pages"];
    check(&folder, &format!("{GATE} --accept"), 0, &says);
    // Less than half of the marked page's only text is `hello`.
    let scores = folder.csv("reports/x-gate/scores.csv");
    let both = scores.iter().filter(|score| score["algorithm"] == "both");
    let chosen: Vec<(&str, bool)> = both.map(|score| (&*score["page"], score["extracted"] != "0")).collect();
    assert_eq!(chosen, PAGES.map(|page| (page, page != "c")));
    let folder = folder.with("x.yaml", asking("slow-on-mark", ", timeout_s: 2") + COMBINED);
    let ran = folder.carat(&format!("{GATE} --fresh"));
    assert_eq!(ran.code, 1, "{ran:?}");
    let told = "new_failures of external/x on own: 1 page fails or is not run any more";
    assert!(ran.stdout.contains(told), "{ran:?}");
    check(&folder, "diff reports/x-gate c", 0, &["timed_out", "degraded"]);
    check(&folder, "diff reports/x-gate c --algorithm x", 0, &["c of own: external/x", "no answer within 2 s"]);
    let swept = asking("parameters", ", parameters: {alpha: [0.5, 1]}") + COMBINED;
    let told = "`external/x` is 2 rows of the run, and a member is one";
    refused(&folder.with("x.yaml", swept), "run x.yaml --out p", 2, &[told]);
}

#[test]
fn equal_pages_of_one_gate_are_not_told_as_replies_of_earlier_runs() {
    let folder = pages().with("x.yaml", asking("echo", ""));
    let page = folder.read("own/html/a.html");
    let folder = folder.with("own/html/f.html", page).with("own/gold/f.txt", "hello");
    let ran = check(&folder, "gate x.yaml --baseline b.json --accept", 0, &["6 pages"]);
    assert!(!ran.stderr.contains("from the cache"), "{ran:?}");
}

#[test]
fn cached_replies_are_those_of_earlier_runs_on_the_pages_that_were_asked_for() {
    let config = asking("echo", "").replace("[./own]", "['./own,allow_orphans=true']");
    let folder = pages().with("x.yaml", config);
    let page = folder.read("own/html/a.html");
    let folder =
        folder.with("own/html/f.html", page).with("own/gold/f.txt", "hello").with("own/html/g.html", "<p>no gold");
    let first = check(&folder, "run x.yaml --out o", 0, &["7 pages"]);
    assert!(!format!("{}{}", first.stdout, first.stderr).contains("from the cache"), "{first:?}");
    check(&folder, "run x.yaml --out p", 0, &["6 of 6 replies of external/x from the cache, of 2"]);
}

#[test]
fn programs_are_tuned_as_algorithms_are() {
    let swept = asking("parameters", ", parameters: {alpha: [0.25, 1], flag: true}");
    let folder = pages().with("x.yaml", swept.clone() + "  - nta: {coherence: [0.8, 0.9]}\n").with("y.yaml", swept);
    let told = [
        "starts an external program",
        "external/x:flag=true: 3 settings; best on all pages: alpha=0.5",
        "keep the default",
    ];
    let ran = check(&folder, "tune x.yaml --resamples 200", 0, &told);
    let systems = folder.json("reports/x-tuning/tuning.json")["datasets"][0]["systems"].clone();
    let names: Vec<&str> = systems.as_array().unwrap().iter().filter_map(|system| system["name"].as_str()).collect();
    assert_eq!(names, ["nta", "external/x:flag=true"]);
    let choice = &systems[1]["choice"];
    assert_eq!((&choice["chosen"]["alpha"], &choice["default"]["alpha"]), (&"0.5".into(), &"0.5".into()), "{choice}");
    assert_eq!(systems[1]["unseen"]["point"], 1.0);
    // A program alone is tuned, too, and what is printed runs.
    let alone = check(&folder, "tune y.yaml --resamples 200", 0, &["external/x:flag=true: 3 settings"]);
    let kept = "15 of 15 replies of external/x (3 settings) from the cache, of 2";
    assert!(alone.stdout.contains(kept) && alone.stdout.matches("from the cache").count() == 1, "{alone:?}");
    for ran in [&ran, &alone] {
        let pasted = ran.stdout.split("\nalgorithms:\n").nth(1).unwrap();
        let folder = pages().with("pasted.yaml", format!("datasets: [./own]\nalgorithms:\n{pasted}"));
        check(&folder, "run pasted.yaml --out o", 0, &["external/x"]);
        let rows = folder.json("o/summary.json")["rows"].clone();
        let row = rows.as_array().unwrap().iter().find(|row| row["algorithm"] == "external/x").unwrap();
        assert_eq!((&row["parameters"]["alpha"], &row["macro"]["f1"]), (&"0.5".into(), &1.0.into()), "{row}");
    }
}

#[test]
fn pages_that_a_setting_was_not_run_on_count_for_the_others() {
    let swept = asking("dies-at-one", ", restarts: 1, parameters: {alpha: [0.25, 1], flag: true}");
    let folder = pages().with("x.yaml", swept);
    let ran =
        check(&folder, "tune x.yaml --resamples 200", 0, &["so it is never chosen", "best on all pages: alpha=0.5"]);
    let tuned = &folder.json("reports/x-tuning/tuning.json")["datasets"][0];
    assert_eq!((&tuned["pages"], &tuned["systems"][0]["unseen"]["point"]), (&5.into(), &1.0.into()), "{tuned} {ran:?}");
    assert!(!ran.stderr.contains("are left out of comparisons") && !ran.stdout.contains("are left out"), "{ran:?}");
}

#[test]
fn gold_in_the_pages_is_never_sent() {
    let manifest = "format: 1\nname: marked\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n\
                    annotations: {classes: [gold]}\n";
    let page =
        "{\"id\":\"a\",\"html\":{\"text\":\"<p class=gold>x\"},\"gold\":{\"select\":{\"include\":[\".gold\"]}}}\n";
    let folder = Folder::new().with("own/dataset.yaml", manifest).with("own/pages.jsonl", page);
    let folder = folder.with("x.yaml", asking("echo", ""));
    refused(&folder, "run x.yaml --out o", 2, &["the dataset marked marks the gold in its pages"]);
    assert_eq!(calls(&folder), (0, 0));
}

#[test]
fn workers_are_tried_out() {
    let worker = fake_worker().to_str().unwrap();
    let folder = Folder::new();
    let tried = |behaviour: &str, code: i32, says: &[&str]| {
        // Workers that never answer are not waited for long.
        let timeout = if ["lingers", "reads-nothing"].contains(&behaviour) { 1 } else { 30 };
        let ran = folder.carat(&format!("external check --timeout {timeout} -- {worker} {behaviour}"));
        assert_eq!(ran.code, code, "{behaviour}: {ran:?}");
        for part in says {
            assert!(ran.stdout.contains(part), "{behaviour}: `{part}` is not in {}", ran.stdout);
        }
    };
    tried(
        "page",
        0,
        &["ok     hello: fake 1.0, no parameters", "ok     a page of 1 MiB", "ok     the end of input: it ended"],
    );
    tried(
        "echo",
        1,
        &["wrong  a Chinese page: its text has no Chinese character; read stdin and write stdout as UTF-8"],
    );
    tried("banner", 1, &["wrong  hello: its first line is no hello", "keep everything else off stdout"]);
    tried(
        "dies-at-start",
        1,
        &["on stderr: no such module: extractor; run the command by hand in this folder to see why\n"],
    );
    tried(
        "of-protocol-2",
        1,
        &["wrong  hello: it speaks protocol 2; this program speaks 1; mend the line that it prints first"],
    );
    tried(
        "swaps",
        1,
        &["wrong  a small page: protocol: answers `p1x`, not `p1`", "; answer with the `id` of the request"],
    );
    tried("lingers", 1, &["wrong  the end of input: it did not end within 1 s"]);
    tried("reads-nothing", 1, &["wrong  a page of 1 MiB: no answer within 1 s"]);
    // As `--external` takes it.
    for argument in [format!("{worker} page"), format!("{{command: [{worker}, page]}}")] {
        let ran = folder.carat_with(b"", &["external", "check", &argument]);
        assert!(ran.code == 0 && ran.stdout.contains("the end of input: it ended"), "{argument}: {ran:?}");
    }
    let json = folder.carat(&format!("external check --format json {worker} parameters"));
    let json: Json = serde_json::from_str(&json.stdout).unwrap();
    assert!(json["findings"][0]["message"].as_str().unwrap().contains("alpha (a decimal from 0 up to 1)"), "{json}");
}

#[cfg(target_os = "linux")]
mod processes {
    use std::process::{Child, Stdio};
    use std::time::Duration;

    use super::*;

    /// Whether a process runs; one that has ended and that nobody has waited for does not.
    fn is_running(id: &str) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", id.trim())).unwrap_or_default();
        stat.rsplit(')').next().is_some_and(|rest| !rest.trim().is_empty() && !rest.trim().starts_with('Z'))
    }

    /// A worker that ignores the polite signal, as does what it starts; both tell their numbers.
    const STUBBORN: &str = "trap '' TERM; echo $$ > child; sleep 600 & echo $! > grandchild; wait";

    fn start(folder: &Folder) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_carat"));
        command.current_dir(folder.path(".")).args(["run", "x.yaml", "--out", "o"]).env("CARAT_CACHE", folder.1.path());
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while !folder.path("o/run.yaml").exists()
            || !std::fs::read_to_string(folder.path("grandchild")).is_ok_and(|id| id.ends_with('\n'))
        {
            std::thread::sleep(Duration::from_millis(5));
        }
        child
    }

    #[test]
    fn a_worker_is_asked_to_end_before_it_is_killed() {
        let polite = "trap 'echo asked > asked; exit' TERM; read line; sleep 600 & wait";
        let folder = pages().with("x.yaml", shell(polite, ", timeout_s: 0.2, restarts: 1"));
        check(&folder, "run x.yaml --out o", 0, &["was not run on"]);
        assert_eq!(folder.read("asked"), "asked\n");
    }

    fn none_is_left(folder: &Folder) {
        for name in ["child", "grandchild"] {
            let id = folder.read(name);
            // What carat killed last may take a moment to be gone.
            let gone = (0..400).any(|_| {
                std::thread::sleep(Duration::from_millis(5));
                !is_running(&id)
            });
            assert!(gone, "the {name} outlived the run");
        }
    }

    #[test]
    fn nothing_outlives_a_run_that_ends_or_is_interrupted() {
        let folder = pages().with("x.yaml", shell(STUBBORN, ", timeout_s: 0.2, restarts: 1"));
        check(&folder, "run x.yaml --out o", 0, &["was not run on"]);
        none_is_left(&folder);
        for signals in [&["-INT"][..], &["-TERM"], &["-INT", "-INT"]] {
            let folder = pages().with("x.yaml", shell(STUBBORN, ", timeout_s: 500"));
            let mut carat = start(&folder);
            for signal in signals {
                assert!(
                    Command::new("kill").args([signal.to_string(), carat.id().to_string()]).status().unwrap().success()
                );
                std::thread::sleep(Duration::from_millis(50));
            }
            assert_eq!(carat.wait().unwrap().code(), Some(130), "{signals:?}");
            none_is_left(&folder);
        }
    }

    /// Whether the shell that guards the worker of `folder` is still there.
    fn is_guarded(folder: &Folder) -> bool {
        let group = folder.read("child");
        let is_guard = |process: std::fs::DirEntry| {
            let line = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            line.contains("kill -s KILL") && line.trim_end().ends_with(&format!(" {}", group.trim()))
        };
        std::fs::read_dir("/proc").unwrap().flatten().any(is_guard)
    }

    #[test]
    fn nothing_outlives_a_run_that_is_killed_or_hung_up_on() {
        for signal in ["-KILL", "-HUP"] {
            let folder = pages().with("x.yaml", shell(STUBBORN, ", timeout_s: 500"));
            let mut carat = start(&folder);
            assert!(is_guarded(&folder), "{signal}");
            assert!(Command::new("kill").args([signal.to_owned(), carat.id().to_string()]).status().unwrap().success());
            assert_eq!(carat.wait().unwrap().code(), None, "{signal}");
            none_is_left(&folder);
            assert!((0..400).any(|_| {
                std::thread::sleep(Duration::from_millis(5));
                !is_guarded(&folder)
            }));
        }
    }
}
