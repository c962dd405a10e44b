//! The action for GitHub, step by step as a runner carries it out: the program from an archive by its digest, and from
//! source where that is asked for.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Folder, OF_THE_TESTS};
use carat::formats::digest::sha256;
use carat::formats::yaml::{Located, Node, parse};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A job on a runner: its inputs, and what its steps have said so far.
struct Job {
    folder: Folder,
    inputs: BTreeMap<String, String>,
    /// The values that steps wrote to `GITHUB_OUTPUT`, by `STEP.NAME`.
    outputs: BTreeMap<String, String>,
}

/// A step that was carried out.
#[derive(Debug)]
struct Step {
    name: String,
    code: i32,
    told: String,
}

/// The entries of a mapping.
fn entries(node: &Located<Node>) -> BTreeMap<&str, &Located<Node>> {
    let Node::Map(entries) = &node.value else { panic!("no mapping") };
    entries.iter().map(|(key, value)| (key.value.as_str(), value)).collect()
}

fn text(node: &Located<Node>) -> &str {
    match &node.value {
        Node::Scalar(text) => text,
        other => panic!("no text: {other:?}"),
    }
}

impl Job {
    /// A job with a configuration, its baseline, and these inputs.
    fn new(inputs: &[(&str, &str)]) -> Self {
        let mut folder =
            Folder::new().with("c.yaml", "datasets: [./own]\nalgorithms: [largest-p-parent]\nbounds: []\n");
        for page in 0..8 {
            let (list, gold) = if page == 3 { ("<ul><li>list of things</ul>", "\nlist of things") } else { ("", "") };
            folder = folder
                .with(&format!("own/html/p{page}.html"), format!("<div><p>the text of page {page}</p>{list}</div>"))
                .with(&format!("own/gold/p{page}.txt"), format!("the text of page {page}{gold}\n"));
        }
        let ran = folder.carat("gate c.yaml --baseline b.json --accept");
        assert_eq!(ran.code, 0, "{ran:?}");
        fs::create_dir_all(folder.path("runner/home")).unwrap();
        let given = [("config", "c.yaml"), ("baseline", "b.json"), ("out", "o")].iter().chain(inputs);
        let given = given.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let action = fs::read_to_string(Path::new(ROOT).join("action.yml")).unwrap();
        let action = parse("action.yml", &action).unwrap();
        let defaults = entries(entries(&action)["inputs"]).into_iter().map(|(name, input)| {
            (name.to_owned(), entries(input).get("default").map_or(String::new(), |node| text(node).to_owned()))
        });
        let inputs = defaults.collect::<Vec<_>>().into_iter().chain(given).collect();
        Job { folder, inputs, outputs: BTreeMap::new() }
    }

    /// The value of an expression of the action.
    fn value(&self, expression: &str) -> String {
        let expression = expression.trim();
        if let Some(name) = expression.strip_prefix("inputs.") {
            return self.inputs.get(name).unwrap_or_else(|| panic!("no input {name}")).clone();
        }
        if let Some((step, name)) = expression.strip_prefix("steps.").and_then(|rest| rest.split_once(".outputs.")) {
            return self.outputs.get(&format!("{step}.{name}")).cloned().unwrap_or_default();
        }
        match expression {
            "github.action_repository" => "owner/carat".to_owned(),
            "github.action_ref" => "v1.2.3".to_owned(),
            other => panic!("`{other}` is not known here"),
        }
    }

    /// A text with its expressions replaced.
    fn filled(&self, text: &str) -> String {
        let mut parts = text.split("${{");
        let mut filled = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (expression, rest) = part.split_once("}}").unwrap();
            filled += &self.value(expression);
            filled += rest;
        }
        filled
    }

    /// True if the condition of a step holds: a value that is, or is not, a text.
    fn holds(&self, condition: &str) -> bool {
        let (value, text, is_same) = match (condition.split_once(" == "), condition.split_once(" != ")) {
            (Some((value, text)), _) => (value, text, true),
            (_, Some((value, text))) => (value, text, false),
            _ => panic!("the condition `{condition}` is not known here"),
        };
        (self.value(value) == text.trim_matches('\'')) == is_same
    }

    /// Carries out the steps that run a script, up to the first that fails.
    fn run(&mut self, path: &str) -> Vec<Step> {
        let action = fs::read_to_string(Path::new(ROOT).join("action.yml")).unwrap();
        let action = parse("action.yml", &action).unwrap();
        let Node::List(steps) = &entries(entries(&action)["runs"])["steps"].value else { panic!("no steps") };
        let mut carried_out: Vec<Step> = Vec::new();
        for step in steps.iter().map(entries).filter(|step| step.contains_key("run")) {
            if step.get("if").is_some_and(|condition| !self.holds(text(condition))) {
                continue;
            }
            carried_out.push(self.step(&step, path));
            if carried_out.last().is_some_and(|step| step.code != 0) {
                break;
            }
        }
        carried_out
    }

    fn step(&mut self, step: &BTreeMap<&str, &Located<Node>>, path: &str) -> Step {
        let runner = |name: &str| self.folder.path("runner").join(name);
        fs::write(runner("output"), "").unwrap();
        let mut bash = Command::new("bash");
        bash.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", text(step["run"])]);
        bash.current_dir(self.folder.0.path()).env("CARAT_CACHE", self.folder.1.path()).env("PATH", path);
        OF_THE_TESTS.iter().for_each(|name| {
            bash.env_remove(name);
        });
        bash.env("HOME", runner("home"))
            .env("RUNNER_TEMP", runner(""))
            .env("RUNNER_OS", "Linux")
            .env("RUNNER_ARCH", "X64");
        bash.env("GITHUB_OUTPUT", runner("output")).env("GITHUB_STEP_SUMMARY", runner("summary.md"));
        bash.env("GITHUB_ACTION_PATH", ROOT).env("CI", "true");
        for (name, value) in step.get("env").map(|env| entries(env)).unwrap_or_default() {
            bash.env(name, self.filled(text(value)));
        }
        let output = bash.output().unwrap();
        if let Some(id) = step.get("id") {
            let said = fs::read_to_string(runner("output")).unwrap();
            let pairs = said.lines().filter_map(|line| line.split_once('='));
            self.outputs.extend(pairs.map(|(name, value)| (format!("{}.{name}", text(id)), value.to_owned())));
        }
        let told = [output.stdout, output.stderr].concat();
        Step {
            name: text(step["name"]).to_owned(),
            code: output.status.code().unwrap(),
            told: String::from_utf8_lossy(&told).into_owned(),
        }
    }
}

/// A program that starts the one under test, so that nothing large is packed.
fn starter(folder: &Folder) -> PathBuf {
    let path = folder.path("runner/starter");
    fs::write(&path, format!("#!/bin/sh\nexec '{}' \"$@\"\n", env!("CARGO_BIN_EXE_carat"))).unwrap();
    path
}

/// Packs the starter as a release packs the program; gives the archive and its SHA-256.
fn packed(folder: &Folder) -> (String, String) {
    let out = folder.path("runner/dist");
    let mut pack = Command::new("bash");
    pack.arg(Path::new(ROOT).join(".ci/archive")).arg("x86_64-unknown-linux-musl").arg(&out);
    let output = pack.env("CARAT_BINARY", starter(folder)).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let archive = out.join("carat-x86_64-unknown-linux-musl.tar.gz");
    let digest = sha256(&fs::read(&archive).unwrap());
    assert_eq!(String::from_utf8(output.stdout).unwrap().split_whitespace().next(), Some(digest.as_str()));
    (archive.to_str().unwrap().to_owned(), digest)
}

fn path() -> String {
    std::env::var("PATH").unwrap()
}

/// False, with a word, where the machine lacks what every runner has.
fn has_tools() -> bool {
    let found = ["bash", "jq", "tar", "gzip", "sha256sum"]
        .iter()
        .all(|tool| path().split(':').any(|folder| Path::new(folder).join(tool).is_file()));
    if !found {
        eprintln!("skipped: bash, jq, tar, gzip or sha256sum is missing");
    }
    found
}

fn names(steps: &[Step]) -> Vec<&str> {
    steps.iter().map(|step| step.name.as_str()).collect()
}

#[cfg(unix)]
#[test]
fn the_action_takes_an_archive_by_its_digest() {
    if !has_tools() {
        return;
    }
    let mut job = Job::new(&[]);
    let (archive, digest) = packed(&job.folder);
    assert_eq!(packed(&job.folder).1, digest, "an archive depends on what is packed alone");
    job.inputs.extend([("archive".to_owned(), archive), ("sha256".to_owned(), digest.clone())]);
    for attempt in ["from the archive", "kept between jobs"] {
        let steps = job.run(&path());
        let expected = ["Name the program by its digest", "Take the program from its archive", "Judge"];
        assert_eq!(names(&steps), expected, "{attempt}");
        assert!(steps.iter().all(|step| step.code == 0), "{attempt}: {steps:?}");
        assert_eq!(job.outputs["gate.verdict"], "passed");
        let program = job.folder.path(&format!("runner/home/.carat/{digest}/bin"));
        assert!(program.join("carat").is_file() && program.join("LICENSE-MIT").is_file());
        assert!(job.folder.read("runner/summary.md").contains("carat gate"));
        // The second time nothing is fetched.
        job.inputs.insert("archive".to_owned(), "nowhere".to_owned());
    }
    // A page that got worse fails the job, and the outputs are there all the same.
    let worse = "datasets: [./own]\nalgorithms: [largest-p-parent: {p_only: true}]\nbounds: []\n";
    let mut job = Job { folder: job.folder.with("c.yaml", worse), ..job };
    job.inputs.insert("out".to_owned(), "worse".to_owned());
    let steps = job.run(&path());
    assert_eq!(steps.last().map(|step| step.code), Some(1), "{steps:?}");
    assert_eq!(job.outputs["gate.verdict"], "fell");
    // An error leaves neither that verdict nor that comment.
    let broken = "datasets: [./own]\nalgorithms:\n  - external: {command: [sh, -c, exit 3]}\nbounds: []\n";
    let mut job = Job { folder: job.folder.with("c.yaml", broken), ..job };
    let steps = job.run(&path());
    assert_eq!(steps.last().map(|step| step.code), Some(2), "{steps:?}");
    assert_eq!(job.outputs["gate.verdict"], "");
    let comment = fs::read_to_string(&job.outputs["gate.markdown"]).unwrap();
    assert!(comment.contains("## carat gate cannot judge\n") && comment.contains("cannot be used"), "{comment}");
}

#[cfg(unix)]
#[test]
fn an_archive_of_another_digest_is_never_unpacked() {
    if !has_tools() {
        return;
    }
    let mut job = Job::new(&[]);
    let (archive, _) = packed(&job.folder);
    let other = "0".repeat(64);
    job.inputs.extend([("archive".to_owned(), archive), ("sha256".to_owned(), other.clone())]);
    let steps = job.run(&path());
    assert_eq!(steps.last().map(|step| step.code), Some(2), "{steps:?}");
    assert!(steps[1].told.contains("::error::") && steps[1].told.contains("nothing of it was run"), "{steps:?}");
    assert!(!job.folder.path(&format!("runner/home/.carat/{other}")).exists());
    for digest in ["", "abc", &"G".repeat(64)] {
        job.inputs.insert("sha256".to_owned(), digest.to_owned());
        let steps = job.run(&path());
        assert_eq!((steps.len(), steps[0].code), (1, 2), "{steps:?}");
        assert!(steps[0].told.contains("`build: true`"), "{steps:?}");
    }
}

#[cfg(unix)]
#[test]
fn the_action_builds_from_source_only_if_asked() {
    use std::os::unix::fs::PermissionsExt;

    if !has_tools() {
        return;
    }
    let mut job = Job::new(&[("build", "true")]);
    // In place of cargo, which would build for minutes: it notes how it was asked, and puts a program where cargo would.
    let script = format!(
        "#!/bin/sh\necho \"$@\" >> '{}'\nwhile [ \"$1\" != --root ]; do shift; done\nmkdir -p \"$2/bin\"\n\
         cp '{}' \"$2/bin/carat\"\nchmod 755 \"$2/bin/carat\"\n",
        job.folder.path("runner/asked").display(),
        starter(&job.folder).display(),
    );
    job.folder = job.folder.with("runner/tools/cargo", script);
    fs::set_permissions(job.folder.path("runner/tools/cargo"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", job.folder.path("runner/tools").display(), path());
    for _ in 0..2 {
        let steps = job.run(&path);
        assert_eq!(names(&steps), ["Name the program by its digest", "Build the program", "Judge"]);
        assert!(steps.iter().all(|step| step.code == 0), "{steps:?}");
        assert_eq!(job.outputs["gate.verdict"], "passed");
    }
    let asked = job.folder.read("runner/asked");
    assert_eq!(asked.lines().count(), 1, "the second job finds what the first built: {asked}");
    assert!(asked.starts_with(&format!("install --locked --path {ROOT} --root ")), "{asked}");
}
