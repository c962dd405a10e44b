//! Folders and files of strangers: nothing is written or removed outside of the folder that is written to, and what is no
//! regular file is refused wherever a file is named.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use crate::support::{Folder, check};

/// A run of two pages in `o`, and things of the user's in `mine`.
fn made() -> Folder {
    let folder = Folder::new()
        .with("own/html/a.html", "<p>hello a")
        .with("own/gold/a.txt", "hello a")
        .with("own/html/b.html", "<p>hello b")
        .with("own/gold/b.txt", "hello b")
        .with("mine/precious.html", "mine")
        .with("mine/.lock", "mine too");
    check(&folder, "run --dataset ./own --algorithm all-text --out o", 0, &[]);
    folder
}

fn digest_of(text: &str) -> String {
    carat::formats::digest::sha256(text.as_bytes())
}

#[test]
fn a_report_of_a_strangers_folder_touches_nothing_outside_of_it() {
    for part in ["tables", "figures", "pages", "units"] {
        let folder = made();
        fs::rename(folder.path(&format!("o/{part}")), folder.path("aside")).unwrap();
        symlink(folder.path("mine"), folder.path(&format!("o/{part}"))).unwrap();
        let list = format!("{}  {part}/precious.html\n", digest_of("mine"));
        fs::write(folder.path("o/report.txt"), list).unwrap();
        let refused = [&format!("{part}: is a link or no folder, so nothing is written to it; remove it") as &str];
        check(&folder, "report o", 3, &refused);
        assert_eq!(
            (folder.read("mine/precious.html").as_str(), fs::read_dir(folder.path("mine")).unwrap().count()),
            ("mine", 2)
        );
    }
    let folder = made();
    fs::remove_file(folder.path("o/.lock")).unwrap();
    symlink(folder.path("mine/.lock"), folder.path("o/.lock")).unwrap();
    check(&folder, "report o", 2, &["cannot lock", ".lock: it is a link; remove it"]);
    assert_eq!(folder.read("mine/.lock"), "mine too");
}

#[test]
fn a_list_of_files_removes_only_what_a_report_wrote() {
    let folder = made();
    let mut list = folder.read("o/report.txt");
    // Files of the folder that hold something else than what the list says, a link, and ways out of the folder.
    fs::write(folder.path("o/tables/notes.csv"), "my notes").unwrap();
    symlink(folder.path("mine/precious.html"), folder.path("o/figures/link.svg")).unwrap();
    for name in ["tables/notes.csv", "../mine/precious.html", "tables/../../mine/precious.html", "pages/../run.json"] {
        list.push_str(&format!("{}  {name}\n", digest_of("what a report wrote")));
    }
    list.push_str(&format!(
        "{}  figures/link.svg\n{}  run.yaml\n",
        digest_of("mine"),
        digest_of(&folder.read("o/run.yaml"))
    ));
    // What an earlier report really wrote goes.
    fs::write(folder.path("o/tables/stale.csv"), "stale").unwrap();
    list.push_str(&format!("{}  tables/stale.csv\n", digest_of("stale")));
    fs::write(folder.path("o/report.txt"), list).unwrap();
    check(&folder, "report o", 0, &[]);
    assert_eq!(
        (folder.read("o/tables/notes.csv").as_str(), folder.read("mine/precious.html").as_str()),
        ("my notes", "mine")
    );
    assert!(folder.path("o/figures/link.svg").is_symlink() && folder.path("o/run.yaml").exists());
    assert!(!folder.path("o/tables/stale.csv").exists());
    check(&folder, "run --dataset ./own --algorithm all-text --out o", 0, &["holds this run already"]);
}

#[test]
fn a_report_replaces_links_among_its_files_and_follows_none() {
    let folder = made();
    for name in ["index.html", "tables/rows.md", "report.txt"] {
        fs::remove_file(folder.path(&format!("o/{name}"))).unwrap();
        symlink(folder.path("mine/precious.html"), folder.path(&format!("o/{name}"))).unwrap();
    }
    check(&folder, "report o", 0, &[]);
    assert_eq!(folder.read("mine/precious.html"), "mine");
    assert!(!folder.path("o/index.html").is_symlink() && folder.read("o/tables/rows.md").starts_with('#'));
}

/// Commands that name a file, with `FILE` in its place.
const NAMING: [&str; 14] = [
    "extract FILE --algorithm nta",
    "score FILE own/gold/a.txt",
    "score own/gold/a.txt FILE",
    "run FILE",
    "tune FILE",
    "gate FILE --baseline b.json",
    "gate gate.yaml --baseline FILE",
    "explain FILE --algorithm nta",
    "run --dataset ./own --algorithm wrapper:rules=FILE",
    "wrapper check FILE --dataset ./own",
    "dataset synth FILE --out made",
    "dataset pull x --catalog FILE",
    "run --dataset table:FILE --algorithm nta",
    "run --dataset ./own --stored FILE --algorithm nta",
];

#[test]
fn pipes_devices_and_endless_files_are_refused_wherever_a_file_is_named() {
    let folder = made().with("gate.yaml", "datasets: [./own]\nalgorithms: [all-text]\n");
    nix::unistd::mkfifo(&folder.path("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    fs::File::create(folder.path("endless")).unwrap().set_len(1 << 42).unwrap();
    fs::create_dir(folder.path("folder")).unwrap();
    for naming in NAMING {
        for file in ["pipe", "/dev/zero", "/proc/self/environ", "endless"] {
            let before = folder.files_but(&["endless", "pipe"]);
            let ran = folder.carat_within(20, &naming.replace("FILE", file));
            let what = format!("carat {naming} with {file}: {ran:?}");
            assert!([2, 3].contains(&ran.code), "{what}");
            assert!(ran.stderr.starts_with("error: ") && ran.stderr.lines().count() == 1, "{what}");
            assert!(folder.files_but(&["endless", "pipe"]) == before, "{what}");
        }
    }
    // In a dataset and in a run folder.
    for (name, command) in [
        ("own/html/a.html", "run --dataset ./own --algorithm nta --out p"),
        ("own/gold/a.txt", "run --dataset ./own --algorithm nta --out p"),
        ("o/scores.csv", "compare o"),
        ("o/summary.json", "report o"),
        ("o/run.json", "compare o"),
    ] {
        let kept = fs::read(folder.path(name)).unwrap();
        fs::remove_file(folder.path(name)).unwrap();
        nix::unistd::mkfifo(&folder.path(name), nix::sys::stat::Mode::S_IRWXU).unwrap();
        let ran = folder.carat_within(20, command);
        assert!(ran.code != 0 || name.starts_with("own"), "{name}: {ran:?}");
        assert!(ran.code < 5, "{name}: {ran:?}");
        fs::remove_file(folder.path(name)).unwrap();
        fs::write(folder.path(name), kept).unwrap();
        let _ = fs::remove_dir_all(folder.path("p"));
    }
}

const MANIFEST: &str =
    "format: 1\nname: own\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";

#[test]
fn gold_outside_of_the_dataset_is_read_only_if_the_user_says_so() {
    let list = "{\"id\": \"a\", \"html\": {\"text\": \"<p>hello\"}, \"gold\": \"a.txt\"}\n";
    let folder = Folder::new()
        .with("elsewhere/a.txt", "hello")
        .with("set/dataset.yaml", format!("{MANIFEST}gold_folder: ../elsewhere\n"))
        .with("set/pages.jsonl", list);
    for command in [
        "run --dataset ./set --algorithm nta --out o",
        "dataset check ./set",
        "dataset export ./set --out e",
        "explain ./set a --algorithm nta",
    ] {
        check(&folder, command, 3, &["`gold_folder` leads out of the dataset's folder", "--gold-outside"]);
    }
    check(&folder, "run --dataset ./set --algorithm nta --out o --gold-outside", 0, &[]);
    check(&folder, "dataset check ./set --gold-outside", 0, &[]);
    // No file of a configuration says so.
    let folder = folder.with("c.yaml", "datasets: [./set]\ngold_outside: true\nalgorithms: [nta]\n");
    check(&folder, "run c.yaml --out p", 2, &["gold_outside"]);
    // Through a link too, and never where the system shows itself.
    symlink("../elsewhere", folder.path("set/gold")).unwrap();
    fs::write(folder.path("set/dataset.yaml"), format!("{MANIFEST}gold_folder: gold\n")).unwrap();
    check(&folder, "run --dataset ./set --algorithm nta --out p", 3, &["leads out of the dataset's folder"]);
    let list = list.replace("a.txt", "environ");
    fs::write(folder.path("set/pages.jsonl"), list).unwrap();
    let up = "../".repeat(folder.path("set").components().count());
    fs::write(folder.path("set/dataset.yaml"), format!("{MANIFEST}gold_folder: {up}proc/self\n")).unwrap();
    for allowed in ["", " --gold-outside"] {
        let ran = folder.carat(&format!("run --dataset ./set --algorithm nta --out p{allowed}"));
        assert_eq!(ran.code, 3, "{ran:?}");
        assert!(!ran.stderr.contains("PATH="), "{ran:?}");
    }
}

#[test]
fn an_out_among_the_pages_of_a_dataset_is_refused() {
    let folder = made().with("c.yaml", "datasets: [./own]\nalgorithms: ['nta:coherence=0.6|0.7']\n");
    for out in ["own", "./own/", "own/html", "own/html/run", "own/gold/x/y", "o/../own"] {
        for command in ["run --dataset ./own --algorithm nta", "gate c.yaml --baseline b.json --accept", "tune c.yaml"]
        {
            check(&folder, &format!("{command} --out {out}"), 2, &["lies among the pages of the dataset own"]);
        }
    }
    check(&folder, "run --dataset ./own --algorithm nta --out own/run", 0, &[]);
    check(&folder, "run --dataset ./own --algorithm nta --out elsewhere", 0, &[]);
}

#[test]
fn a_folder_that_another_program_writes_a_dataset_to_is_left_to_it() {
    let folder = made();
    fs::create_dir(folder.path("d")).unwrap();
    let lock = fs::File::create(folder.path("d/.lock")).unwrap();
    lock.lock().unwrap();
    for command in
        ["dataset import folder ./own --out d", "dataset export ./own --out d", "dataset synth portals --out d"]
    {
        check(&folder, command, 4, &["d: another carat is writing to it; wait for it, or choose another folder"]);
    }
    lock.unlock().unwrap();
    // What a killed program left goes, and so does the lock.
    fs::create_dir(folder.path("d/pages")).unwrap();
    for left in ["d/.tmp-carat-abc", "d/pages/.tmp-carat-xyz"] {
        fs::write(folder.path(left), "half").unwrap();
    }
    check(&folder, "dataset import folder ./own --out d", 0, &[]);
    let mut names: Vec<String> =
        fs::read_dir(folder.path("d")).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["dataset.yaml", "gold", "pages", "pages.jsonl"]);
    assert!(!folder.path("d/pages/.tmp-carat-xyz").exists());
    // A refused one leaves no folder behind.
    check(
        &folder,
        "dataset import folder ./gone --out new",
        2,
        &["there is no such file or folder; relative paths are of the current folder, "],
    );
    assert!(!folder.path("new").exists());
}

#[test]
fn a_failed_synth_of_two_at_once_leaves_one_whole_dataset() {
    let folder = Folder::new();
    let start = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_carat"));
        command.current_dir(folder.path(".")).args(["dataset", "synth", "portals", "--out", "d"]);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap()
    };
    let mut both = [start(), start()];
    let codes: Vec<i32> = both.iter_mut().map(|child| child.wait().unwrap().code().unwrap()).collect();
    assert!(codes.contains(&0) && codes.iter().all(|code| [0, 2, 4].contains(code)), "{codes:?}");
    check(&folder, "dataset check ./d", 0, &[]);
    assert!(!folder.path("d/.lock").exists());
}
