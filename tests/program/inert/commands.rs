//! Commands that are printed to be pasted: they work whatever the pages, rows and folders are called.

use std::path::Path;
use std::process::Command;

use super::{hostile, inert, is_inert, is_inert_markdown};
use crate::support::{Folder, OF_THE_TESTS, check};

/// Pastes `command` into a shell, where it does what it should.
fn paste(folder: &Folder, command: &str) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_carat")).parent().unwrap().to_str().unwrap();
    let path = format!("{binary}:{}", std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).env("PATH", path).current_dir(folder.0.path());
    for name in OF_THE_TESTS {
        shell.env_remove(name);
    }
    let ran = shell.output().unwrap();
    let (stdout, stderr) = (String::from_utf8(ran.stdout).unwrap(), String::from_utf8(ran.stderr).unwrap());
    assert!(ran.status.success(), "{command}: {stderr}");
    stdout
}

/// The rows of a gate that all of a sudden find nothing.
const BEFORE: &str = "datasets: [./set]\nalgorithms: [all-text]\nstored: [all]\ngate: {page_f1: error}\n";

/// A hostile dataset of which no page of the stored output fails, and a gate over it.
fn gated(configuration: &str) -> Folder {
    let folder = hostile().with(configuration, BEFORE);
    let outputs = folder.read("set/stored/-x.jsonl").replace("\"error\":", "\"text\":");
    folder.with("set/stored/-x.jsonl", outputs)
}

#[cfg(unix)]
#[test]
fn every_printed_command_runs() {
    let folder = gated("-c.yaml");
    let accept = ["gate", "--baseline=-b.json", "--out=-o", "--", "-c.yaml"];
    let missing = inert(&folder, &accept);
    let command = missing.stderr.trim_end().rsplit_once("make it with: ").unwrap().1;
    assert_eq!(command, "carat gate --baseline=-b.json --out=-o --accept -- -c.yaml");
    paste(&folder, command);
    // The stored texts are gone, and the pages fell.
    let outputs = folder.read("set/stored/-x.jsonl").replace(" is told", " is");
    let folder = folder.with("set/stored/-x.jsonl", outputs);
    let told = folder.carat_with(
        b"",
        &["gate", "--baseline=-b.json", "--out=-o", "--junit=-j.xml", "--markdown=-m.md", "--", "-c.yaml"],
    );
    assert_eq!(told.code, 1, "{told:?}");
    is_inert(&told.stdout, "gate");
    is_inert_markdown(&folder.read("-m.md"), "gate --markdown");
    let commands: Vec<&str> =
        told.stdout.lines().map(str::trim).filter(|line| line.starts_with("carat diff ")).collect();
    assert!(commands.len() >= 4, "{told:?}");
    for page in ["-x", "--all"] {
        assert!(commands.iter().any(|command| command.ends_with(&format!(" -- -o {page}"))), "{commands:?}");
    }
    for command in commands {
        assert!(paste(&folder, command).contains(" of www.e.org: stored/-x\n"), "{command}");
    }
    let accepting = told.stdout.lines().find_map(|line| line.split_once("accept it: ")).unwrap().1;
    paste(&folder, accepting);
}

#[cfg(unix)]
#[test]
fn what_is_told_of_rows_imports_and_nodes_runs() {
    let folder = hostile();
    check(&folder, "run --dataset ./set --algorithm all-text --stored all --out=-o", 0, &[]);
    let told = inert(&folder, &["diff", "--", "-o", "-x"]).stdout;
    let option = told.lines().find_map(|line| line.split_once("such as ")).unwrap().1;
    paste(&folder, &format!("carat diff {option} -- -o -x"));
    let nodes = inert(&folder, &["run", "--dataset", "./set", "--algorithm", "nta", "--measure", "nodes"]);
    let command = nodes.stderr.split("`carat").nth(1).unwrap().split('`').next().unwrap();
    paste(&folder, &format!("carat{command}"));
    assert!(folder.path("FOLDER/dataset.yaml").exists());
}

#[test]
fn annotations_are_commands_of_our_own_alone() {
    let folder = gated("c.yaml");
    check(&folder, "gate c.yaml --baseline b.json --accept", 0, &[]);
    let outputs = folder.read("set/stored/-x.jsonl").replace(" is told", " is");
    let folder = folder.with("set/stored/-x.jsonl", outputs);
    let ran = folder.carat_under(&[("GITHUB_ACTIONS", "true")], "gate c.yaml --baseline b.json");
    let annotations: Vec<&str> = ran.stderr.lines().filter(|line| line.starts_with("::")).collect();
    assert!(!annotations.is_empty(), "{ran:?}");
    for line in &annotations {
        let of_level = ["::error title=carat gate", "::warning title=carat gate"].map(|start| line.strip_prefix(start));
        let title_and_message = of_level.into_iter().flatten().next().unwrap_or_else(|| panic!("{ran:?}"));
        let (title, message) = title_and_message.split_once("::").unwrap();
        assert!(!title.contains([':', ',']) && !message.contains("##["), "{line}");
    }
    let others: Vec<&str> = ran.stderr.lines().filter(|line| !annotations.contains(line)).collect();
    is_inert(&others.join("\n"), "gate");
}
