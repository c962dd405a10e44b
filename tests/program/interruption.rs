//! Runs that are cut and go on: whatever happens between two pages, the figures are those of a run that
//! nothing happened to.

use std::fs;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::support::{Folder, check};
use carat::datasets::Halt;
use carat::runs::configuration::{AlgorithmRequest, Configuration, NamedRequest};
use carat::runs::execute::{Watch, execute_rest};
use carat::runs::plan::Plan;

/// Pages enough that a run of them lasts a while, and their configuration.
fn many_pages() -> Folder {
    const PAGES: usize = 400;
    let folder = Folder::new();
    for page in 0..PAGES {
        let paragraphs: String = (0..40)
            .map(|i| format!("<div><p>Paragraph {i} of page {page}, the {} of it.<a href=x>more</a></div>", page * i))
            .collect();
        let gold: String =
            (3..30).map(|i| format!("Paragraph {i} of page {page}, the {} of it.\n", page * i)).collect();
        for (path, text) in [(format!("own/html/p{page}.html"), paragraphs), (format!("own/gold/p{page}.txt"), gold)] {
            fs::create_dir_all(folder.path(&path).parent().unwrap()).unwrap();
            fs::write(folder.path(&path), text).unwrap();
        }
    }
    folder.with(
        "many.yaml",
        "datasets: [./own]\nalgorithms: [all-text, 'nta:coherence=0.6..1.0/0.02', 'cevc:alpha=0..1/0.05', 'nta:density=exact']\n",
    )
}

/// Starts a run on one thread, so that it can be met on the way.
fn start(folder: &Folder, arguments: &str) -> Child {
    start_carat(folder, &format!("{arguments} --threads 1"))
}

fn start_carat(folder: &Folder, arguments: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_carat"));
    command.current_dir(folder.path(".")).args(arguments.split_whitespace());
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

fn units(folder: &Folder, run: &str) -> usize {
    crate::support::units::pages(&folder.path(run)).len()
}

/// What a run came to: its digest, and the files that hold its figures.
fn results(folder: &Folder, run: &str) -> Vec<String> {
    let info = folder.json(&format!("{run}/run.json"));
    let files = ["summary.json", "scores.csv", "pages.csv", "sweeps.csv"];
    let mut results = vec![info["result_digest"].as_str().unwrap().to_owned(), info["work"].to_string()];
    results.extend(files.map(|name| folder.read(&format!("{run}/{name}"))));
    results
}

#[test]
fn killed_at_any_moment_it_goes_on_to_the_same_results() {
    let folder = many_pages();
    check(&folder, "run many.yaml --out whole", 0, &["400 pages in"]);
    // Twenty moments: while it starts, then some units further each time, and a little later than a whole unit.
    let mut met = Vec::new();
    for kill in 0..20u64 {
        let mut child = start(&folder, "run many.yaml --out cut");
        let written = || crate::support::units::written(&folder.path("cut"));
        let before = written();
        while kill > 0 && written() < before + 2 + kill as usize / 2 {
            assert!(child.try_wait().unwrap().is_none(), "the run was through before it could be killed");
        }
        std::thread::sleep(Duration::from_micros(kill * 997 % 2500));
        child.kill().unwrap();
        child.wait().unwrap();
        met.push(units(&folder, "cut"));
    }
    assert!(met.is_sorted() && met[1] > 0 && met[19] < 400, "{met:?}");
    let resumed = format!("{} pages were there from an earlier start of this run", met[19]);
    check(&folder, "run many.yaml --out cut", 0, &[&resumed]);
    assert_eq!(results(&folder, "cut"), results(&folder, "whole"));
    assert_eq!(units(&folder, "cut"), 400);
    // Nothing half-written is left, and nothing that a whole run does not leave.
    let names = |run: &str| {
        let names = fs::read_dir(folder.path(run)).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    };
    assert_eq!(names("cut"), names("whole"));
    assert_eq!(names("cut/units"), names("whole/units"));
}

#[cfg(unix)]
#[test]
fn control_c_stops_between_pages_and_says_how_to_go_on() {
    let folder = many_pages();
    let mut child = start(&folder, "run many.yaml --out cut");
    while units(&folder, "cut") < 10 {
        std::thread::sleep(Duration::from_millis(2));
        assert!(child.try_wait().unwrap().is_none(), "the run was through before it could be interrupted");
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let status = child.wait().unwrap();
    let mut told = String::new();
    child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert_eq!(status.code(), Some(130), "{told}");
    let done: usize = told.strip_prefix("interrupted: ").unwrap().split(' ').next().unwrap().parse().unwrap();
    assert_eq!(told, format!("interrupted: {done} of 400 pages are done; the same command goes on from there\n"));
    assert_eq!(units(&folder, "cut"), done);
    assert!(!folder.path("cut/run.json").exists());
    let resumed = format!("{done} pages were there from an earlier start of this run");
    check(&folder, "run many.yaml --out cut", 0, &[&resumed]);
    check(&folder, "run many.yaml --out whole", 0, &["400 pages in"]);
    assert_eq!(results(&folder, "cut"), results(&folder, "whole"));
}

/// Seconds of a processor that a child has taken.
#[cfg(target_os = "linux")]
fn processor_seconds(child: &Child) -> u64 {
    const TICKS: u64 = 100;
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    let behind_name = stat.rsplit(')').next().unwrap();
    let fields = behind_name.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse::<u64>().unwrap());
    fields.sum::<u64>() / TICKS
}

#[cfg(target_os = "linux")]
#[test]
fn control_c_ends_learning_too() {
    // Every page is a site of its own, and each `l2` is learned by itself: that takes ten times as long as is waited for.
    let folder = many_pages();
    let run = "run --dataset ./own --algorithm fiasco-lite:l2=1|2|3|4|5|6|7|8 --bounds none --out cut";
    let mut child = start(&folder, run);
    while processor_seconds(&child) < 2 {
        std::thread::sleep(Duration::from_millis(20));
        assert!(child.try_wait().unwrap().is_none(), "the run ended before it could be interrupted");
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let status = child.wait().unwrap();
    let mut told = String::new();
    child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    let expected = "interrupted: 0 of 400 pages are done; the same command goes on from there\n";
    assert_eq!((status.code(), told.as_str(), units(&folder, "cut")), (Some(130), expected, 0));
}

#[test]
fn what_is_done_is_not_learned_from_again_and_learning_stops_when_it_is_told_to() {
    for name in ["fiasco-lite", "wrapper:learn=true", "link-noise:scores=learned", "unrepeated-text"] {
        let configuration = Configuration {
            datasets: vec![NamedRequest::from_argument("portals")],
            algorithms: vec![AlgorithmRequest::from_argument(name).unwrap()],
            ..Configuration::default()
        };
        let plan = Plan::new(configuration).unwrap();
        let asked = AtomicUsize::new(0);
        let run = |is_done: bool, most: usize| {
            asked.store(0, Ordering::Relaxed);
            let is_stopped = || asked.fetch_add(1, Ordering::Relaxed) >= most;
            let watch = Watch { is_done: &|_, _| Ok(is_done), is_stopped: &is_stopped };
            execute_rest(&plan, &watch, &|_| -> Result<(), Halt> { panic!("{name} ran a page") })
        };
        run(true, usize::MAX).unwrap();
        assert_eq!(asked.load(Ordering::Relaxed), plan.pages(), "{name} learned though every page was done");
        assert_eq!(run(false, plan.pages() + 2).unwrap_err(), Halt::Stopped, "{name}");
        // Once they are read the pages of a site are learned from for long, fold by fold.
        if name == "wrapper:learn=true" {
            assert_eq!(run(false, 5 * plan.pages()).unwrap_err(), Halt::Stopped, "{name}");
        }
    }
}

#[test]
fn only_what_changed_is_run_again() {
    let folder = many_pages();
    check(&folder, "run many.yaml", 0, &[]);
    let before = results(&folder, "reports/many");
    let folder = folder.with("own/gold/p7.txt", "Paragraph 5 of page 7\n").with("own/html/p8.html", "<p>another page");
    check(&folder, "run many.yaml", 0, &["398 pages were there"]);
    assert_ne!(results(&folder, "reports/many")[0], before[0]);
    let page = folder.csv("reports/many/pages.csv").into_iter().find(|page| page["page"] == "p8").unwrap();
    assert_eq!(page["bytes"], "15");
    // Another program, or another question, makes everything again.
    check(&folder, "run many.yaml --tokens word", 2, &["another configuration", "--fresh"]);
    check(&folder, "run many.yaml --no-texts", 0, &["holds this run already"]);
    check(&folder, "run many.yaml --no-texts --fresh", 0, &["400 pages in"]);
    check(&folder, "run many.yaml", 0, &["400 pages in"]);
}

#[test]
fn a_damaged_unit_is_made_again() {
    let folder = many_pages();
    check(&folder, "run many.yaml", 0, &[]);
    let before = results(&folder, "reports/many");
    fs::remove_file(folder.path("reports/many/run.json")).unwrap();
    // Cut in the middle of the last unit.
    let heads = folder.path("reports/many/units/00000.heads");
    let bytes = fs::read(&heads).unwrap();
    let (last, _) = crate::support::units::heads(&bytes).pop().unwrap();
    fs::write(&heads, &bytes[..(last.start + last.end) / 2]).unwrap();
    let half_written = ["reports/many/units/.tmp-carat-XyZ", "reports/many/.tmp-carat-abc"];
    let mine = ["reports/many/units/notes.txt", "reports/many/keep.csv"];
    for name in half_written.iter().chain(&mine) {
        fs::write(folder.path(name), "half").unwrap();
    }
    let told = "the end of reports/many/units/00000.heads was cut off or damaged; what was behind it was run again";
    check(&folder, "run many.yaml", 0, &["399 pages were there", told]);
    assert_eq!(results(&folder, "reports/many"), before);
    check(&folder, "run many.yaml --fresh", 0, &["400 pages in"]);
    assert!(half_written.iter().all(|name| !folder.path(name).exists()));
    assert!(mine.iter().all(|name| folder.path(name).exists()), "files of other people are left alone");
}

#[test]
fn a_run_that_was_begun_anew_shows_no_older_results() {
    let folder = many_pages();
    check(&folder, "run many.yaml --out cut", 0, &[]);
    fs::write(folder.path("other.yaml"), "datasets: [./own]\nalgorithms: ['nta:density=exact', cevc]\n").unwrap();
    let mut child = start(&folder, "run other.yaml --out cut --fresh");
    while folder.path("cut/summary.json").exists() || !(5..400).contains(&units(&folder, "cut")) {
        assert!(child.try_wait().unwrap().is_none(), "the run was through before it could be killed");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    check(&folder, "report cut", 3, &["cut/run.json: is missing, so the folder holds no finished run"]);
    check(&folder, "run many.yaml --out cut", 2, &["another configuration"]);
}

#[test]
fn two_runs_do_not_write_to_one_folder() {
    let folder = many_pages();
    fs::create_dir_all(folder.path("busy")).unwrap();
    let lock = fs::File::create(folder.path("busy/.lock")).unwrap();
    lock.lock().unwrap();
    check(&folder, "run many.yaml --out busy", 4, &["another carat is writing to busy"]);
    lock.unlock().unwrap();
    check(&folder, "run many.yaml --out busy", 0, &[]);
}

#[test]
fn two_reports_do_not_write_to_one_folder() {
    let folder = Folder::new().with("own/html/x.html", "<p>hello world").with("own/gold/x.txt", "hello\n");
    check(&folder, "run --dataset ./own --algorithm all-text --out o", 0, &[]);
    let whole = folder.files();
    // What another one is writing looks like what one that was killed left.
    let folder = folder.with("o/pages/.tmp-carat-other", "half");
    let lock = fs::File::open(folder.path("o/.lock")).unwrap();
    lock.lock().unwrap();
    check(&folder, "report o", 4, &["another carat is writing to o"]);
    lock.unlock().unwrap();
    check(&folder, "report o", 0, &[]);
    assert!(folder.files() == whole, "a report removes what one that was killed left, and nothing else");
    let reports: Vec<Child> = (0..4).map(|_| start_carat(&folder, "report o")).collect();
    let codes: Vec<i32> = reports.into_iter().map(|mut report| report.wait().unwrap().code().unwrap()).collect();
    assert!(codes.contains(&0) && codes.iter().all(|code| [0, 4].contains(code)), "{codes:?}");
    assert!(folder.files() == whole);
}

/// A folder that is on a small file system of its own, in a name space of its own.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_and_the_run_goes_on_when_there_is_room() {
    let folder = many_pages();
    fs::create_dir_all(folder.path("small")).unwrap();
    let script = "mount -t tmpfs -o size=200k none small && \"$0\" run many.yaml --out small/run; code=$?; \
                  test -e small/run/run.json && exit 100; ls small/run/units | wc -l >&2; \
                  mount -o remount,size=64m small && \"$0\" run many.yaml --out small/run || exit 101; \
                  cp -r small/run moved; exit $code";
    let run = |script: &str| {
        let mut command = Command::new("unshare");
        command.current_dir(folder.path(".")).args(["--user", "--map-root-user", "--mount", "sh", "-c", script]);
        command.arg(env!("CARGO_BIN_EXE_carat")).output()
    };
    if !run("mount -t tmpfs none small").is_ok_and(|tried| tried.status.success()) {
        eprintln!("skipped: no file system can be mounted here");
        return;
    }
    let output = run(script).unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(4), "{told}");
    let first = told.lines().next().unwrap();
    assert!(first.starts_with("error: cannot write small/run/") && first.contains("No space left"), "{told}");
    check(&folder, "run many.yaml --out whole", 0, &[]);
    assert_eq!(results(&folder, "moved"), results(&folder, "whole"));
}
