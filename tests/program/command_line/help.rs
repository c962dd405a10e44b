//! Help, completions, and the version.

use std::process::Command;

use serde_json::Value as Json;

use super::own_pages;
use crate::support::{Folder, check};

/// Every command, as the words that call it, from the help's own lists.
fn commands(folder: &Folder, prefix: &str, found: &mut Vec<String>) {
    let help = check(folder, &format!("{prefix} --help"), 0, &["Usage: carat"]).stdout;
    found.push(prefix.trim().to_owned());
    let list = help.split("Commands:\n").nth(1).unwrap_or_default();
    for line in list.lines().take_while(|line| !line.is_empty()) {
        let name = line.split_whitespace().next().unwrap_or_default();
        if line.starts_with("  ") && !line.starts_with("   ") && name != "help" {
            commands(folder, &format!("{prefix} {name}"), found);
        }
    }
}

/// The words of each `carat` command of an example line; what follows two spaces is a remark.
fn example_commands(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![vec![String::new()]];
    let (mut quoted, mut last) = (false, ' ');
    for c in line.trim().chars() {
        let command = commands.last_mut().unwrap();
        match c {
            '\'' => quoted = !quoted,
            '|' if !quoted => commands.push(vec![String::new()]),
            ' ' if !quoted && last == ' ' && command.len() > 1 => break,
            ' ' if !quoted => command.push(String::new()),
            c => command.last_mut().unwrap().push(c),
        }
        last = c;
    }
    let words = |command: Vec<String>| command.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>();
    commands.into_iter().map(words).filter(|words| words.first().is_some_and(|first| first == "carat")).collect()
}

/// `words` without `carat` are a command that the program knows, and so is each algorithm in them.
fn check_example(folder: &Folder, words: &[String]) {
    // What stands behind `--` is another program's, and behind `>` a file's name.
    let words: Vec<&str> =
        words[1..].iter().map(String::as_str).take_while(|word| !["--", ">"].contains(word)).collect();
    let ran = folder.carat_with(b"", &[&words[..], &["--help"]].concat());
    assert_eq!(ran.code, 0, "{words:?}: {ran:?}");
    for pair in words.windows(2).filter(|pair| pair[0] == "--algorithm") {
        let ran = match words[0] {
            "extract" => folder.carat_with(b"<p>x", &["extract", "-", "--algorithm", pair[1]]),
            _ => folder.carat_with(b"", &["run", "--dry-run", "--algorithm", pair[1]]),
        };
        assert_eq!(ran.code, 0, "{words:?}: {ran:?}");
    }
}

#[test]
fn every_command_has_help_and_its_examples_are_commands() {
    const RULES: &str = include_str!("../../../examples/wrapper/portals.yaml");
    let (folder, mut found) = (Folder::new().with("examples/wrapper/portals.yaml", RULES), Vec::new());
    commands(&folder, "", &mut found);
    assert!(["run", "dataset import", "man"].iter().all(|name| found.iter().any(|found| found == name)), "{found:?}");
    let mut examples = 0;
    for command in &found {
        check(&folder, &format!("{command} -h"), 0, &["Usage: carat"]);
        let help = check(&folder, &format!("{command} --help"), 0, &[]).stdout;
        let section = help.split("Examples:\n").nth(1).unwrap_or_default();
        for line in section.lines().take_while(|line| !line.is_empty()) {
            for words in example_commands(line) {
                check_example(&folder, &words);
                examples += 1;
            }
        }
    }
    assert!(examples >= 20, "{examples} examples");
}

#[test]
fn what_listings_advise_is_a_command() {
    let folder = Folder::new();
    let names: Json = serde_json::from_str(&folder.carat("list algorithms --format json").stdout).unwrap();
    for name in names.as_array().unwrap() {
        let name = name["name"].as_str().unwrap();
        let text = check(&folder, &format!("list algorithms {name}"), 0, &["faithful to", "examples"]).stdout;
        for line in text.lines().filter_map(|line| line.strip_prefix("sweep: ")) {
            example_commands(line).iter().for_each(|words| check_example(&folder, words));
        }
    }
}

#[test]
fn completions_and_manual_pages_name_every_command() {
    const RULES: &str = include_str!("../../../examples/wrapper/portals.yaml");
    let (folder, mut found) = (Folder::new().with("examples/wrapper/portals.yaml", RULES), Vec::new());
    commands(&folder, "", &mut found);
    for shell in ["bash", "zsh", "fish"] {
        let names: Vec<&str> = found.iter().flat_map(|command| command.split(' ')).collect();
        check(&folder, &format!("completions {shell}"), 0, &[&names[..], &["without-faults"]].concat());
    }
    check(&folder, "completions bsh", 2, &["'bash'"]);
    let printed = check(&folder, "man pages", 0, &[]).stdout;
    for command in found {
        let name = format!("carat {command}").trim_end().replace(' ', "-");
        assert!(folder.read(&format!("pages/{name}.1")).contains(".SH NAME"), "{name}");
        assert!(printed.contains(&format!("{name}.1\n")), "{printed}");
    }
    for (path, bytes) in folder.files().into_iter().filter(|(path, _)| path.is_file()) {
        let text = String::from_utf8(bytes).unwrap().replace('\\', "");
        for reference in text.lines().filter_map(|line| line.strip_suffix("(1)")) {
            assert!(folder.path(&format!("pages/{reference}.1")).is_file(), "{}: {reference}(1)", path.display());
        }
    }
}

#[test]
fn the_version_names_what_figures_depend_on() {
    check(&Folder::new(), "--version", 0, &[env!("CARGO_PKG_VERSION"), "Unicode: ", "jieba", "psl"]);
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_error() {
    let folder = own_pages();
    for arguments in
        ["list stopwords --language zh", "--help", "run --dry-run", "run --dataset ./own --algorithm nta", "man pages"]
    {
        let script = format!("{{ sleep 0.3; \"$0\" {arguments}; echo \"code $?\" >&2; }} | true");
        let mut command = Command::new("sh");
        let output = command.current_dir(folder.0.path()).args(["-c", &script, env!("CARGO_BIN_EXE_carat")]).output();
        let told = String::from_utf8(output.unwrap().stderr).unwrap();
        assert!(told.ends_with("code 0\n") && !told.contains("error"), "{arguments}: {told}");
    }
    let script = "\"$0\" list stopwords --language zh | head -c 1";
    let output = Command::new("sh").args(["-c", script, env!("CARGO_BIN_EXE_carat")]).output().unwrap();
    assert_eq!((output.stdout.as_slice(), output.stderr.as_slice()), (&b"#"[..], &b""[..]));
}
