//! The program as people meet it, for tests: a folder to be in, and what the program did there.

#![expect(unreachable_pub, reason = "a module of a test binary")]

pub mod units;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;
use tempfile::TempDir;

/// The program of `tests/support` that is declared as an example of this name, built if it is not there.
pub fn example(name: &str) -> PathBuf {
    let profile = Path::new(env!("CARGO_BIN_EXE_carat")).parent().unwrap();
    let mut build = Command::new(env!("CARGO"));
    // Cargo tells a test which package it is of. Build scripts (that of ring) ask for the same variables, so a build
    // that still has them makes everything again.
    for (variable, _) in std::env::vars_os() {
        let is_of_package = |start| variable.to_str().is_some_and(|variable| variable.starts_with(start));
        if ["CARGO_PKG_", "CARGO_MANIFEST_"].into_iter().any(is_of_package) {
            build.env_remove(&variable);
        }
    }
    build.args(["build", "--offline", "--quiet", "--example", name, "--target-dir"]);
    build.arg(profile.parent().unwrap()).args((profile.ends_with("release")).then_some("--release"));
    assert!(build.status().unwrap().success());
    profile.join("examples").join(name)
}

/// Runs commands where `disk/NAME` is the folder `name`, on a disk that nobody may write to: their exit codes are held against
/// those given, and their output is returned. `None` where no file system can be mounted.
#[cfg(target_os = "linux")]
pub fn on_disk_to_read<'f>(folder: &'f Folder, name: &str) -> Option<impl Fn(&str, i32) -> String + use<'f>> {
    fs::create_dir_all(folder.path("disk")).unwrap();
    let begin = format!("mount -t tmpfs none disk && cp -r {name} disk/ && mount -o remount,ro disk");
    let run = |script: &str| {
        let mut command = Command::new("unshare");
        command.current_dir(folder.path(".")).args(["--user", "--map-root-user", "--mount", "sh", "-c", script]);
        command.arg(env!("CARGO_BIN_EXE_carat")).output()
    };
    if !run(&begin).is_ok_and(|tried| tried.status.success()) {
        eprintln!("skipped: no file system can be mounted here");
        return None;
    }
    Some(move |arguments: &str, code: i32| {
        let output = run(&format!("{begin} && \"$0\" {arguments}")).unwrap();
        let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(output.status.code(), Some(code), "{arguments}: {out}{err}");
        out + &err
    })
}

/// A folder to be in, and one for the user's caches.
pub struct Folder(pub TempDir, pub TempDir);

/// What the program did.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Folder {
    pub fn new() -> Self {
        Folder(tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file, and its folders.
    pub fn with(self, name: &str, bytes: impl AsRef<[u8]>) -> Self {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), bytes).unwrap();
        self
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn json(&self, name: &str) -> Json {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// Gives the files of a run the digests that they have now, as a stranger would who means harm.
    pub fn resealed(self, run: &str) -> Self {
        let path = format!("{run}/run.json");
        let mut info = self.json(&path);
        info.as_object_mut().unwrap().remove("sha256");
        for (name, seal) in info["files"].as_object_mut().unwrap() {
            let bytes = fs::read(self.path(&format!("{run}/{name}"))).unwrap();
            *seal = serde_json::json!({"bytes": bytes.len(), "sha256": carat::formats::digest::sha256(&bytes)});
        }
        let json = serde_json::to_string_pretty(&info).unwrap();
        let lines = format!("{},\n", json.strip_suffix("\n}").unwrap());
        let digest = carat::formats::digest::sha256(lines.as_bytes());
        self.with(&path, format!("{lines}  \"sha256\": \"{digest}\"\n}}\n"))
    }

    /// The records of a CSV file, each by its columns' names.
    pub fn csv(&self, name: &str) -> Vec<BTreeMap<String, String>> {
        csv::Reader::from_path(self.path(name)).unwrap().deserialize().collect::<Result<_, _>>().unwrap()
    }

    /// Every file below, with its content.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        fn collect(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
            for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    files.insert(path.clone(), Vec::new());
                    collect(&path, files);
                } else {
                    files.insert(path.clone(), fs::read(&path).unwrap());
                }
            }
        }
        let mut files = BTreeMap::new();
        collect(self.0.path(), &mut files);
        files
    }

    /// The same without those of these names: some files are too long to read.
    pub fn files_but(&self, names: &[&str]) -> BTreeMap<PathBuf, Vec<u8>> {
        let aside = tempfile::tempdir().unwrap();
        let there = names.iter().filter(|name| self.path(name).exists() || self.path(name).is_symlink());
        let there: Vec<&&str> = there.collect();
        there.iter().for_each(|name| fs::rename(self.path(name), aside.path().join(name)).unwrap());
        let files = self.files();
        there.iter().for_each(|name| fs::rename(aside.path().join(name), self.path(name)).unwrap());
        files
    }

    /// Runs `carat` with arguments parted by spaces, for so many seconds at most; nothing is written to its input.
    pub fn carat_within(&self, seconds: u64, arguments: &str) -> Ran {
        let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_carat"));
        command.current_dir(self.0.path()).env("CARAT_CACHE", self.1.path());
        command.env_remove("CARAT_CORPORA").timeout(std::time::Duration::from_secs(seconds));
        let output = command.args(arguments.split_whitespace()).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        // A program that had to be killed has no code.
        let code = output.status.code().unwrap_or(-1);
        Ran { code, stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    pub fn carat_with(&self, stdin: &[u8], arguments: &[&str]) -> Ran {
        self.ran(stdin, &[], arguments)
    }

    /// Runs `carat` with arguments parted by spaces, under variables of the environment.
    pub fn carat_under(&self, environment: &[(&str, &str)], arguments: &str) -> Ran {
        self.ran(b"", environment, &arguments.split_whitespace().collect::<Vec<_>>())
    }

    fn ran(&self, stdin: &[u8], environment: &[(&str, &str)], arguments: &[&str]) -> Ran {
        let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_carat"));
        command.current_dir(self.0.path()).write_stdin(stdin);
        for name in OF_THE_TESTS {
            command.env_remove(name);
        }
        command.env("CARAT_CACHE", self.1.path()).envs(environment.iter().copied());
        let output = command.args(arguments).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let code = output.status.code().unwrap();
        let ran = Ran { code, stdout: text(output.stdout), stderr: text(output.stderr) };
        assert!(!format!("{}{}", ran.stdout, ran.stderr).contains('\u{1b}'), "{arguments:?}: escape codes: {ran:?}");
        ran
    }

    /// Runs `carat` with arguments parted by spaces.
    pub fn carat(&self, arguments: &str) -> Ran {
        self.carat_with(b"", &arguments.split_whitespace().collect::<Vec<_>>())
    }
}

/// Variables that the tests may run under, and that their program is not to see.
pub const OF_THE_TESTS: [&str; 4] = ["CARAT_CORPORA", "NO_COLOR", "CI", "GITHUB_ACTIONS"];

/// Carries out `arguments`; the exit code is `code` and the output holds all of `says`. A failure is told in one
/// sentence on stderr, with a frame where a file is wrong, and leaves the folder as it was.
pub fn check(folder: &Folder, arguments: &str, code: i32, says: &[&str]) -> Ran {
    let before = folder.files();
    let ran = folder.carat(arguments);
    assert_eq!(ran.code, code, "carat {arguments}: {ran:?}");
    let told = if code == 0 { format!("{}{}", ran.stdout, ran.stderr) } else { ran.stderr.clone() };
    for part in says {
        assert!(told.contains(part), "carat {arguments}: `{part}` is not in:\n{told}");
    }
    if code != 0 {
        assert_eq!(ran.stdout, "", "carat {arguments}: a failure prints nothing on stdout");
        assert!(folder.files() == before, "carat {arguments}: a failure leaves the folder as it was");
        let is_framed = told.starts_with("  × ") && told.lines().nth(1).is_some_and(|line| line.contains("╭─["));
        let is_grammar = told.starts_with("error: ") && told.contains("For more information, try '--help'");
        let is_sentence = told.starts_with("error: ") && told.lines().count() == 1;
        assert!(is_framed || is_grammar || is_sentence, "carat {arguments}: not one sentence:\n{told}");
        assert!(!told.contains('{') || told.contains("╭─["), "carat {arguments}: not a sentence for people:\n{told}");
    }
    ran
}
