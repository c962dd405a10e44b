//! `carat annotate` and `carat dataset new`, but for the screen, which the crate `carat-annotate` tests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

use crate::support::{Folder, check};

const PAGE: &str =
    "<meta charset=utf-8><div><h1>题</h1><article><p>甲。</p><aside>广告</aside><p>乙。</p></article></div>";
/// SHA-256 of its text.
const TEXT: &str = "2eb089d0804ffde9bf4706b2292837171cf32bc348edf79c7f3f4c0a3a662a74";

fn dataset() -> Folder {
    let folder = Folder::new()
        .with("saved/a.html", format!("<!-- saved from url=(0020)http://x.example.cn/a -->{PAGE}"))
        .with("saved/b.html", format!("<link rel=canonical href=https://y.example.com/b>{PAGE}"))
        .with("saved/b_files/x.html", "<p>x")
        .with("saved/old.mhtml", "x");
    let ran = check(
        &folder,
        "dataset new ./news --from ./saved --language zh",
        0,
        &["news: 2 pages", "carat annotate ./news"],
    );
    assert!(ran.stderr.contains("old.mhtml: MHTML is not read"), "{}", ran.stderr);
    folder
}

/// The log of someone who made these marks on page `a`.
fn log(by: &str, set: &Json, is_judge: bool) -> String {
    let header = json!({"carat_annotations": 1, "by": by, "dataset": "news", "carat": "0"});
    let mut open = json!({"page": "a", "at": "2026-11-21T10:00:00Z", "do": "open", "html_sha256": "h", "text_sha256": TEXT,
        "nodes": 4, "guidelines": "carat-1 sha256:0", "proposal": null, "blank": false});
    if is_judge {
        open["of"] = json!({});
    }
    let mark = json!({"page": "a", "at": "2026-11-21T10:00:01Z", "do": "mark", "set": set, "via": "key"});
    let done = json!({"page": "a", "at": "2026-11-21T10:00:02Z", "do": "done", "rest": "not", "gold_sha256": "0",
        "chars": 0, "ms": 38000, "unseen": 0});
    [header, open, mark, done].iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn marks_become_gold_and_gold_is_scored() {
    let set = json!([[1, 3, "content"], [2, 2, "not"], [0, 0, "title"]]);
    let folder = dataset().with("news/annotations/li.jsonl", log("li", &set, false));
    check(&folder, "annotate ./news --status", 0, &["li: 1 of 2 pages done"]);
    let before = folder.read("news/pages.jsonl");
    check(&folder, "annotate ./news --write", 0, &["a: 5 characters", "1 page written"]);
    let after = folder.read("news/pages.jsonl");
    assert_eq!(after.lines().nth(1), before.lines().nth(1), "the other page stays byte for byte");
    let line: Json = serde_json::from_str(after.lines().next().unwrap()).unwrap();
    assert_eq!(line["gold"]["text"], json!("题\n甲。\n乙。"));
    assert_eq!(line["gold"]["nodes"], json!([[0, 1], [3, 3]]));
    assert_eq!(line["gold"]["roles"], json!({"title": [[0, 0]]}));
    assert_eq!(line["x-annotation"]["by"], json!(["li"]));
    assert!(folder.read("news/dataset.yaml").contains("version: \"1-gold.1\""));
    check(&folder, "annotate ./news --write", 0, &["0 pages written", "1 had this gold already"]);
    check(&folder, "run --dataset ./news --algorithm all-text --out out", 0, &[]);
    assert!(folder.csv("out/scores.csv").iter().any(|row| row["page"] == "a" && row["gold"] == "5"));
}

#[test]
fn people_who_differ_are_told_and_decided_about() {
    let folder = dataset()
        .with("news/annotations/li.jsonl", log("li", &json!([[1, 3, "content"]]), false))
        .with("news/annotations/wang.jsonl", log("wang", &json!([[1, 1, "content"]]), false));
    check(&folder, "annotate ./news --agreement", 0, &["li and wang: 1 page", "kappa", "F1 0.5000"]);
    let ran = folder.carat("annotate ./news --agreement --at-least 0.9");
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("below 0.9"), "{}", ran.stderr);
    check(&folder, "annotate ./news --write", 0, &["0 pages written, 1 left: 1 on which li and wang differ"]);
    check(&folder, "annotate ./news --write --from wang", 0, &["1 page written"]);
    let folder = folder.with("news/annotations/chen.jsonl", log("chen", &json!([[3, 3, "content"]]), true));
    check(&folder, "annotate ./news --write", 0, &["a: 2 -> 2 characters", "1 page written"]);
    assert!(folder.read("news/pages.jsonl").contains("\"text\":\"乙。\""));
}

#[test]
fn requests_that_cannot_be_are_refused() {
    let folder = dataset().with("news/annotations/li.jsonl", log("li", &json!([]), false));
    let told = |arguments: &str, code: i32| check(&folder, arguments, code, &[]).stderr;
    assert!(told("annotate portals --by li", 2).contains("carat dataset export portals --out DIR"));
    assert!(told("annotate ./news", 2).contains("--by NAME"));
    assert!(told("annotate ./news --by Li", 2).contains("no name"));
    assert!(told("annotate ./news --by li --page aa", 2).contains("did you mean `a`"));
    assert!(told("annotate ./news --by li --prefill votes", 2).contains("no proposal"));
    assert!(told("annotate ./news --by chen --adjudicate", 2).contains("two or more"));
    assert!(told("annotate ./news --agreement", 2).contains("two or more"));
    told("annotate ./news --status --write", 2);
    assert!(told("dataset new ./news --from ./saved", 2).contains("already"));
    let folder = folder.with("news/annotations/li.jsonl", "nonsense\n");
    let ran = check(&folder, "annotate ./news --status", 3, &[]);
    assert!(ran.stderr.contains("E-LOG") && ran.stderr.contains("li.jsonl:1"), "{}", ran.stderr);
}

#[test]
#[cfg(unix)]
fn the_screen_is_served_until_it_is_interrupted() {
    let folder = dataset();
    let mut child = Command::new(env!("CARGO_BIN_EXE_carat"))
        .args(["annotate", "./news", "--by", "li"])
        .current_dir(folder.path("."))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut address = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut address).unwrap();
    let (front, token) = address.trim().split_once("/#t=").unwrap();
    let host = front.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(
        stream,
        "GET /api/pages/a HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains(TEXT) || answer.contains("甲。"), "{answer}");
    let second = check(&folder, "annotate ./news --by li", 4, &[]);
    assert!(second.stderr.contains("annotates already"), "{}", second.stderr);
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0));
    let told = String::from_utf8(ended.stderr).unwrap();
    assert!(told.contains("li annotates ./news: 2 pages, 0 done, 0 begun") && told.contains("--write"), "{told}");
    assert!(folder.read("news/annotations/guidelines.yaml").contains("carat-1"));
}
