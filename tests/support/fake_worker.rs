//! A worker of carat that misbehaves as its arguments say, for tests: `fake_worker BEHAVIOUR [FILE]`. The file counts
//! what several children of one run did.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, Write};
use std::process::exit;
use std::time::Duration;

use serde_json::{Value as Json, json};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let behaviour = arguments.first().map_or("echo", String::as_str);
    let file = arguments.get(1).map(String::as_str);
    if behaviour == "banner" {
        say("Loading the model...");
    }
    if behaviour == "dies-at-start" {
        eprintln!("no such module: extractor");
        exit(3);
    }
    if behaviour == "silent" {
        sleep();
    }
    let starts = file.map_or(0, |file| count(file, &format!("start {}", std::process::id())));
    say(&hello(behaviour, starts).to_string());
    if behaviour == "reads-nothing" {
        sleep();
    }
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let request: Json = serde_json::from_str(&line).unwrap_or_default();
        if let Some(file) = file {
            let members: Vec<&String> = request.as_object().into_iter().flat_map(serde_json::Map::keys).collect();
            count(file, &format!("page {members:?} {}", request["parameters"]));
        }
        answer(behaviour, &request);
    }
    if behaviour == "lingers" {
        sleep();
    }
}

/// What the worker says of itself.
fn hello(behaviour: &str, starts: usize) -> Json {
    let version = if behaviour == "changes" { starts.to_string() } else { "1.0".to_owned() };
    match behaviour {
        "parameters" | "dies-at-one" | "errs-at-one" => {
            json!({"carat": 1, "name": "fake", "version": version, "parameters": {
                "alpha": {"type": "decimal", "min": "0", "max": "1", "default": "0.5"},
                "flag": {"type": "bool", "default": false},
                "mode": {"type": "enum", "values": ["all", "none"], "default": "all"},
                "most": {"type": "int", "min": 1, "default": 1000},
                "title": {"type": "string", "default": ""},
            }})
        }
        "of-protocol-2" => json!({"carat": 2, "name": "fake", "version": version}),
        _ => json!({"carat": 1, "name": "fake", "version": version}),
    }
}

/// Answers one request, or does not.
fn answer(behaviour: &str, request: &Json) {
    let (id, html) = (&request["id"], request["html"].as_str().unwrap_or_default());
    let text = |text: &str| json!({"id": id, "text": text}).to_string();
    let is_marked = html.contains("MARK");
    match behaviour {
        "dies-at-one" if request["parameters"]["alpha"] == "1" => exit(7),
        "errs-at-one" if request["parameters"]["alpha"] == "1" => {
            say(&json!({"id": id, "error": format!("no article in {} characters", html.chars().count())}).to_string());
        }
        "errs-at-one" if request["parameters"]["alpha"] == "0.25" => {
            say(&json!({"id": id, "error": "a bad table"}).to_string());
        }
        "parameters" | "dies-at-one" | "errs-at-one" => say(&text(&by_parameters(request))),
        "never-answers" => sleep(),
        "slow-on-mark" if is_marked => {
            std::thread::sleep(Duration::from_secs(3));
            say(&text("too late"));
        }
        "dies-on-mark" | "changes" if is_marked => {
            eprintln!("segmentation of the marked page failed");
            exit(7);
        }
        "error-on-mark" if is_marked => say(&json!({"id": id, "error": "no article\nfound"}).to_string()),
        "much-stderr" if is_marked => {
            let line = "x".repeat(99);
            (0..100_000).for_each(|_| eprintln!("{line}"));
            say(&text("hello"));
        }
        "byte-by-byte" => {
            let mut out = io::stdout().lock();
            for byte in format!("{}\n", text("hello")).bytes() {
                let _ = out.write_all(&[byte]).and_then(|()| out.flush());
            }
        }
        "carriage-return" => say(&format!("{}\r", text("hello"))),
        "answers-twice" if is_marked => say(&format!("{0}\n{0}", text("hello"))),
        "swaps" => say(&json!({"id": format!("{}x", id.as_str().unwrap_or_default()), "text": "hello"}).to_string()),
        "null-text" => say(&json!({"id": id, "text": null}).to_string()),
        "garbage" if is_marked => say("\u{1b}[2J not JSON"),
        "huge-on-mark" if is_marked => huge(),
        "surrogates" => say(&format!("{{\"id\":{id},\"text\":\"a\\ud800b\\u0000\"}}")),
        "document" => say(&json!({"id": id, "html": "<div><p>one<p>two<script>no</script></div>"}).to_string()),
        "counts" => say(&text(&"x".repeat(html.chars().count()))),
        "page" => say(&text(html)),
        _ => say(&text("hello")),
    }
}

/// A text that tells which parameters came, in which types.
fn by_parameters(request: &Json) -> String {
    let parameters = &request["parameters"];
    let of_type = parameters["alpha"].is_string() && parameters["flag"].is_boolean() && parameters["most"].is_u64();
    let kept = match parameters["mode"].as_str() {
        Some("all") if of_type => "hello world",
        _ => "",
    };
    let alpha: f64 = parameters["alpha"].as_str().and_then(|alpha| alpha.parse().ok()).unwrap_or_default();
    kept.chars().take((alpha * kept.len() as f64).round() as usize).collect()
}

/// Writes a line that does not end, until nobody reads it.
fn huge() {
    let piece = [b'x'; 1 << 16];
    let mut out = io::stdout().lock();
    for _ in 0..(1 << 14) {
        if out.write_all(&piece).is_err() {
            return;
        }
    }
}

fn say(line: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.flush());
}

/// Longer than any test waits.
fn sleep() -> ! {
    std::thread::sleep(Duration::from_secs(600));
    exit(0)
}

/// Appends a line to `file`; gives how many lines of its first word are there.
fn count(file: &str, line: &str) -> usize {
    if let Ok(mut file) = OpenOptions::new().create(true).append(true).open(file) {
        let _ = writeln!(file, "{line}");
    }
    let word = line.split(' ').next();
    let lines = File::open(file).map(|file| io::BufReader::new(file).lines().map_while(Result::ok).collect::<Vec<_>>());
    lines.unwrap_or_default().iter().filter(|line| line.split(' ').next() == word).count()
}
