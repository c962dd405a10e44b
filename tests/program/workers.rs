//! The workers of `examples/external`: those that need Python alone, and those whose libraries are installed.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use crate::support::{Folder, Ran};
use serde_json::{Value as Json, json};

const CARAT: &str = env!("CARGO_BIN_EXE_carat");

fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn worker(name: &str) -> String {
    in_repository("examples/external").join(name).to_str().unwrap().to_owned()
}

/// The output of Python for these arguments; `None` if it fails or is not there.
fn python(arguments: &[&str]) -> Option<String> {
    let output = Command::new("python3").args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap().trim().to_owned())
}

/// True if Python is there; if it is not, the test says so and is skipped.
fn has_python() -> bool {
    let is_there = python(&["--version"]).is_some();
    if !is_there {
        eprintln!("skipped: python3 is not installed");
    }
    is_there
}

/// The output of a worker that is sent pages without carat: its hello, its replies, and stderr.
struct Said {
    hello: Json,
    replies: Vec<Json>,
    stderr: String,
}

/// Sends `pages`, each with the defaults of the parameters, but for `parameters`.
fn ask(folder: &Folder, words: &[&str], pages: &[&str], parameters: &Json) -> Said {
    ask_program("python3", folder, words, pages, parameters)
}

fn ask_program(program: &str, folder: &Folder, words: &[&str], pages: &[&str], parameters: &Json) -> Said {
    let mut command = Command::new(program);
    command.args(words).current_dir(folder.path(".")).env("NO_PROXY", "127.0.0.1").env("OPENAI_API_KEY", KEY);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = move || {
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        serde_json::from_str::<Json>(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    };
    let hello = line();
    let mut values = serde_json::Map::new();
    for (name, declared) in hello["parameters"].as_object().into_iter().flatten() {
        let given = parameters.get(name).unwrap_or(&declared["default"]);
        values.insert(name.clone(), given.clone());
    }
    let mut replies = Vec::new();
    for (at, html) in pages.iter().enumerate() {
        let request =
            json!({"id": format!("p{at}"), "url": "http://example.org/a", "html": html, "parameters": values});
        writeln!(stdin, "{request}").unwrap();
        replies.push(line());
        assert_eq!(replies[at]["id"], format!("p{at}"), "{words:?}");
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{words:?}: {stderr}");
    Said { hello, replies, stderr }
}

/// A page whose article every extractor finds.
fn article() -> String {
    // Some extractors leave out a paragraph that repeats another.
    let sentence =
        |day| format!("On day {day} the council met to discuss the bridge, and after two hours of debate it agreed. ");
    let paragraph = |at: u32| format!("<p>{}</p>", (0..5).map(|day| sentence(5 * at + day)).collect::<String>());
    let paragraphs: String = (0..4).map(paragraph).collect();
    let links = "<nav><a href='/'>Home</a> <a href='/n'>News</a></nav>";
    let body = format!("<body>{links}<article><h1>A new bridge</h1>{paragraphs}</article></body>");
    format!("<!DOCTYPE html><html lang='en'><head><title>A new bridge</title></head>{body}</html>")
}

/// Each worker: its file, the package that it needs, its parameters, and the kind of its reply.
fn of_libraries() -> Vec<(&'static str, &'static str, Json, &'static str)> {
    vec![
        ("boilerpy3.py", "boilerpy3", json!({}), "text"),
        ("crawl4ai_markdown.py", "crawl4ai", json!({}), "markdown"),
        ("crawl4ai_markdown.py", "crawl4ai", json!({"source": "raw_html", "ignore_links": true}), "markdown"),
        ("crawl4ai_markdown.py", "crawl4ai", json!({"filter": "pruning", "reply": "text"}), "text"),
        ("gne.py", "gne", json!({}), "text"),
        ("html2text.py", "html2text", json!({}), "markdown"),
        ("html2text.py", "html2text", json!({"reply": "text"}), "text"),
        ("justext.py", "jusText", json!({}), "text"),
        ("newspaper4k.py", "newspaper4k", json!({}), "text"),
        ("newspaper4k.py", "newspaper4k", json!({"reply": "html", "language": "en"}), "html"),
        ("readability_lxml.py", "readability-lxml", json!({}), "text"),
        ("readability_lxml.py", "readability-lxml", json!({"as_html": true}), "html"),
        ("resiliparse.py", "resiliparse", json!({}), "text"),
        ("trafilatura.py", "trafilatura", json!({}), "text"),
        ("trafilatura.py", "trafilatura", json!({"reply": "markdown"}), "markdown"),
        ("trafilatura.py", "trafilatura", json!({"reply": "html"}), "html"),
    ]
}

#[test]
fn workers_of_installed_libraries_find_the_article() {
    if !has_python() {
        return;
    }
    let article = article();
    for (file, package, parameters, kind) in of_libraries() {
        let version = format!("import importlib.metadata as m; print(m.version({package:?}))");
        let Some(version) = python(&["-c", &version]) else {
            eprintln!("skipped: {file}, because {package} is not installed");
            continue;
        };
        let said = ask(&Folder::new(), &[&worker(file)], &[&article, "", &article], &parameters);
        assert!(said.hello["version"].as_str().unwrap().contains(&version), "{file}: {}", said.hello);
        let [first, empty, again] = &said.replies[..] else { unreachable!() };
        let text = first[kind].as_str().unwrap_or_else(|| panic!("{file} {parameters}: {first}"));
        assert_eq!(text.matches("after two hours of debate").count(), 20, "{file} {parameters}: {text}");
        assert_eq!(first[kind], again[kind], "{file} {parameters}: the empty page between them leaves no trace");
        // Some libraries fail on an empty page. They say so, and go on.
        let is_nothing = empty[kind].as_str().is_some_and(|text| !text.contains("council"));
        assert!(is_nothing || empty["error"].is_string(), "{file} {parameters}: {empty}");
    }
}

#[test]
fn html_of_another_worker_becomes_markdown() {
    if !has_python() {
        return;
    }
    if python(&["-c", "import html2text"]).is_none() {
        eprintln!("skipped: html2text is not installed");
        return;
    }
    let folder = Folder::new();
    let html2text = worker("html2text.py");
    let wrapped =
        [&html2text, "--", CARAT, "external", "per-page", "--reply=html", "--version=7", "--name=inner", "--"];
    let page = "<h2>One</h2><p><a href='/two'>two</a> <b>three</b> <img src=x.png alt=x>";
    let said = ask(&folder, &[&wrapped[..], &["cat"]].concat(), &[page], &json!({}));
    assert_eq!(said.hello["name"], "inner+html2text");
    assert!(said.hello["version"].as_str().unwrap().starts_with("7 html2text "), "{}", said.hello);
    assert_eq!(said.replies[0]["markdown"].as_str().unwrap().trim(), "## One\n\ntwo **three**", "{}", said.replies[0]);
    let failing = ask(&folder, &[&wrapped[..], &["false"]].concat(), &[page], &json!({}));
    assert_eq!(failing.replies[0]["error"], "exit status: 1");
    let of_text = [&html2text, "--", CARAT, "external", "per-page", "--version=7", "--", "cat"];
    let said = ask(&folder, &of_text, &[page], &json!({}));
    assert_eq!(said.replies[0]["error"], "the other worker answered with no HTML");
}

#[test]
#[cfg(unix)]
fn any_program_from_stdin_to_stdout_is_a_worker() {
    let folder = Folder::new();
    let ask = |words: &[&str], pages: &[&str]| {
        ask_program(CARAT, &folder, &[&["external", "per-page"], words].concat(), pages, &json!({}))
    };
    let script = "cat; echo \" of $PAGE_URL\"; echo seen >&2";
    let words = ["--reply", "markdown", "--version", "1.2", "--name", "my tool", "--", "sh", "-c", script];
    let said = ask(&words, &["# é\u{2028}"]);
    assert_eq!((&said.hello["name"], &said.hello["version"]), (&json!("my-tool"), &json!("1.2")));
    let program = said.hello["files"][0].as_str().unwrap();
    assert!(program.ends_with("/sh") && Path::new(program).is_file(), "{}", said.hello);
    assert_eq!(said.replies[0]["markdown"], "# é\u{2028} of http://example.org/a\n");
    assert!(said.stderr.contains("seen"), "{}", said.stderr);
    let script = "cat > /dev/null; echo 'no article' >&2; exit 3";
    let said = ask(&["--version=1", "--", "sh", "-c", script], &["a", "b"]);
    assert_eq!(said.replies[1]["error"], "exit status: 3: no article");
    let latin = ask(&["--version=1", "--", "printf", "\\351"], &["a"]);
    assert!(latin.replies[0]["error"].as_str().unwrap().starts_with("it wrote no UTF-8"), "{}", latin.replies[0]);
    // More than a pipe holds, of which the program reads nothing, and as much that it writes.
    let large = "字".repeat(1 << 20);
    let said = ask(&["--version=1", "--", "true"], &[&large]);
    assert_eq!(said.replies[0]["text"], "");
    let said = ask(&["--version=1", "--", "cat"], &[&large]);
    assert_eq!(said.replies[0]["text"], json!(large));
    for missing in ["./no-such", "no-such-program"] {
        let ran = folder.carat(&format!("external per-page --version 1 -- {missing}"));
        assert!(ran.code == 4 && ran.stdout.is_empty() && ran.stderr.contains("cannot be started"), "{ran:?}");
    }
    let folder = folder.with("plain.sh", "#!/bin/sh\ncat\n");
    let ran = folder.carat("external per-page --version 1 -- ./plain.sh");
    assert!(
        ran.code == 4 && ran.stdout.is_empty() && ran.stderr.contains("`chmod +x ./plain.sh` allows it"),
        "{ran:?}"
    );
}

#[test]
#[cfg(unix)]
fn a_program_that_is_no_worker_runs_by_the_hint_that_its_error_gives() {
    let folder = Folder::new().with("own/html/a.html", "<p>one").with("own/gold/a.txt", "<p>one");
    let refused = folder.carat("run --dataset ./own --external cat --out o");
    assert_eq!(refused.code, 2, "{refused:?}");
    let (_, hint) = refused.stderr.split_once("runs by --external 'carat ").unwrap_or_else(|| panic!("{refused:?}"));
    let (hint, _) = hint.split_once('\'').unwrap();
    let command = hint.replace(' ', ", ");
    let asked = format!("datasets: [./own]\nalgorithms:\n  - external: {{command: [{CARAT}, {command}]}}\n");
    let folder = folder.with("o.yaml", asked);
    let ran = folder.carat("run o.yaml --out o");
    assert!(ran.code == 0 && folder.read("o/scores.csv").contains("external/cat"), "{ran:?}");
    // Without a version, a score would be signed with none.
    let ran = folder.carat("external per-page -- cat");
    assert!(ran.code == 2 && ran.stderr.contains("--version <TEXT>"), "{ran:?}");
    let ran = folder.carat(&format!("external check -- {CARAT} external per-page --version 1 --reply html -- cat"));
    assert!(ran.code == 0 && ran.stdout.contains("ok     the same page twice: the same text"), "{ran:?}");
}

const KEY: &str = "sk-that-nobody-may-read";

/// A server that stands in for a model; it ends when this is dropped.
struct Model {
    child: Child,
    stdin: Option<ChildStdin>,
    port: String,
}

impl Model {
    /// Starts it; it writes what it is asked to the file `log`.
    fn start(log: &Path) -> Self {
        let mut command = Command::new("python3");
        command.arg(in_repository("tests/scripts/stand_in_model.py")).arg(log);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        let stdin = child.stdin.take();
        Model { child, stdin, port: port.trim().to_owned() }
    }

    /// The words of a worker that asks it.
    fn words(&self, more: &[&str]) -> Vec<String> {
        let base = format!("--base-url=http://127.0.0.1:{}/v1", self.port);
        let file = worker("openai_compatible.py");
        let words = [&file, &base, "--prompt=prompt.txt", "--backoff=0.01"];
        words.iter().chain(more).map(|word| (*word).to_owned()).collect()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let _ = self.child.wait();
    }
}

/// The statuses that the server has answered with, in order.
fn statuses(folder: &Folder) -> Vec<u64> {
    asked(folder).iter().map(|request| request["status"].as_u64().unwrap()).collect()
}

/// The requests that the server received.
fn asked(folder: &Folder) -> Vec<Json> {
    folder.read("log").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Four pages, of which the server cuts the answer for c and refuses d.
fn pages_for_the_model() -> Folder {
    let folder = Folder::new().with("prompt.txt", "Copy the text of {url}:\n{html}");
    let pages = [
        ("a", "<p>hello<script>hidden()</script></p>"),
        ("b", "<p>hello {url}"),
        ("c", "<p>hello LONG"),
        ("d", "<p>hello BAD-KEY"),
    ];
    pages.into_iter().fold(folder, |folder, (page, html)| {
        folder.with(&format!("own/html/{page}.html"), html).with(&format!("own/gold/{page}.txt"), "hello")
    })
}

fn run_model(folder: &Folder, options: &str) -> Ran {
    let environment = [("OPENAI_API_KEY", KEY), ("NO_PROXY", "127.0.0.1")];
    let ran = folder.carat_under(&environment, &format!("run x.yaml --out o {options}"));
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!format!("{ran:?}").contains(KEY), "{ran:?}");
    ran
}

/// The status and the digest of the text of each page.
fn outcomes(folder: &Folder) -> BTreeMap<String, (String, String)> {
    let scores = folder.csv("o/scores.csv").into_iter();
    scores.map(|score| (score["page"].clone(), (score["status"].clone(), score["text"].clone()))).collect()
}

#[test]
fn answers_of_a_model_are_asked_once_and_counted() {
    if !has_python() {
        return;
    }
    let folder = pages_for_the_model();
    let model = Model::start(&folder.path("log"));
    let files = ["--cache=answers.jsonl", "--totals=totals.json"];
    let options = ["--text", "--model=stand-in", "--input-price=2", "--output-price=8"];
    let words = json!([&["python3".to_owned()][..], &model.words(&[&files[..], &options].concat())].concat());
    let folder = folder.with("x.yaml", format!("datasets: [./own]\nalgorithms:\n  - external: {{command: {words}}}\n"));
    let ran = run_model(&folder, "--no-cache");
    assert!(ran.stderr.contains("own c external/stand-in: RuntimeError: the answer is cut"), "{ran:?}");
    assert!(ran.stderr.contains("own d external/stand-in: RuntimeError: HTTP 401: "), "{ran:?}");
    assert!(ran.stderr.contains("the key Bearer [key] may not read"), "{ran:?}");
    let first = outcomes(&folder);
    let text = |text: &str| ("ok".to_owned(), carat::formats::digest::sha256(text.as_bytes()));
    assert_eq!((&first["a"], &first["b"]), (&text("hello"), &text("hello {url}")));
    assert_eq!((first["c"].0.as_str(), first["d"].0.as_str()), ("failed", "failed"));
    // What may pass is asked again, a refusal is not.
    assert_eq!(statuses(&folder), [429, 500, 200, 200, 200, 401]);
    let request = asked(&folder)[2].clone();
    assert_eq!(request["path"], "/v1/chat/completions");
    assert_eq!(request["key_length"], "Bearer ".len() + KEY.len());
    let message = json!({"role": "user", "content": "Copy the text of :\n<p>hello</p>"});
    let expected = json!({"model": "stand-in", "messages": [message], "temperature": 0, "seed": 0});
    assert_eq!(request["request"], expected);
    let totals = folder.json("totals.json");
    let of = |name: &str| totals[name].as_u64().unwrap();
    assert_eq!((of("asked"), of("prompt_tokens"), of("completion_tokens")), (3, 300, 30), "{totals}");
    assert_eq!((of("retries"), of("truncated"), of("from_cache")), (2, 1, 0), "{totals}");
    assert_eq!(totals["cost"].as_str().unwrap().parse::<f64>().unwrap(), (300.0 * 2.0 + 30.0 * 8.0) / 1e6, "{totals}");

    // Again, from the cache of the worker, since that of carat is off: only the refused page is asked.
    let digest = folder.json("o/run.json")["result_digest"].clone();
    run_model(&folder, "--no-cache --fresh");
    assert_eq!((outcomes(&folder), &folder.json("o/run.json")["result_digest"]), (first, &digest));
    assert_eq!(statuses(&folder)[6..], [401]);
    let again = folder.json("totals.json");
    for same in ["asked", "prompt_tokens", "completion_tokens", "cost"] {
        assert_eq!(again[same], totals[same], "{same}");
    }
    assert_eq!((&again["from_cache"], &again["prompt_tokens_from_cache"]), (&json!(3), &json!(300)));

    // The cache and the totals change, and are no part of the program: carat's own cache holds its replies.
    run_model(&folder, "--fresh");
    let ran = run_model(&folder, "--fresh");
    assert!(ran.stdout.contains("2 of 4 replies of external/stand-in from the cache"), "{ran:?}");
    // A changed prompt is another program, and asks for everything.
    let folder = folder.with("prompt.txt", "Copy:\n{html}");
    let before = statuses(&folder).len();
    run_model(&folder, "--fresh");
    assert_eq!(statuses(&folder)[before..], [200, 200, 200, 401]);
    for (path, bytes) in folder.files() {
        assert!(!String::from_utf8_lossy(&bytes).contains(KEY), "the key is in {}", path.display());
    }
}

#[test]
fn a_worker_of_a_model_says_what_it_asks_for() {
    if !has_python() {
        return;
    }
    let folder = pages_for_the_model().with("damaged.jsonl", "{\"key\": \"half");
    let model = Model::start(&folder.path("log"));
    let ask_model = |more: &[&str], pages: &[&str], parameters: Json| {
        let words = model.words(more);
        ask(&folder, &words.iter().map(String::as_str).collect::<Vec<_>>(), pages, &parameters)
    };
    // A server that takes no seed is asked without one, and only the first time in vain.
    let seedless = ["--model=seedless", "--cache=damaged.jsonl"];
    let page = "<style>p {}</style><p>one</p><!-- two --><p>three</p><script>four";
    let said = ask_model(&seedless, &[page, "<p>five"], json!({}));
    assert_eq!((&said.replies[0]["markdown"], &said.replies[1]["markdown"]), (&json!("one three"), &json!("five")));
    assert_eq!(statuses(&folder), [429, 500, 400, 200, 200]);
    let prompt = carat::formats::digest::sha256(b"Copy the text of {url}:\n{html}");
    assert_eq!(said.hello["version"], format!("1 model seedless prompt {}", &prompt[..16]));
    assert!(said.stderr.contains("damaged.jsonl: a damaged line is left out"), "{}", said.stderr);
    assert!(said.stderr.contains("totals of this worker: asked 2, prompt_tokens 200, completion_tokens 20"));
    // What was appended behind half a line is whole.
    let said = ask_model(&seedless, &[page], json!({}));
    assert_eq!((&said.replies[0]["markdown"], statuses(&folder).len()), (&json!("one three"), 5));
    // Other parameters are another request.
    let parameters = json!({"max_chars": 9, "strip_scripts": false});
    let said = ask_model(&["--model=m", "--html", "--extra={\"seed\":null,\"top_p\":1}"], &["<i>a</i>&b"], parameters);
    assert_eq!(said.replies[0]["html"], "a &");
    assert!(said.stderr.contains("pages_cut 1"), "{}", said.stderr);
    let request = asked(&folder).pop().unwrap()["request"].clone();
    assert_eq!((&request["seed"], &request["top_p"]), (&Json::Null, &json!(1)));
    // Nobody listens there.
    let gone = ["--model=m", "--base-url=http://127.0.0.1:9/v1", "--retries=1"];
    let said = ask_model(&gone, &["<p>a"], json!({}));
    let error = said.replies[0]["error"].as_str().unwrap();
    assert!(error.contains("(after 2 tries)"), "{error}");
    let without = pages_for_the_model().with("prompt.txt", "Copy the page.");
    let words = model.words(&["--model=m"]).join(" ");
    let ran = without.carat(&format!("external check -- python3 {words}"));
    assert!(ran.code != 0 && ran.stdout.contains("the prompt must hold {html}"), "{ran:?}");
}
