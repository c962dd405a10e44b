//! `kill -9` at any moment: what was answered as saved is there.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::support::{Pages, Serving, settings, work};

const FOLDER: &str = "CARAT_ANNOTATE_SERVED";

fn pages() -> std::sync::Arc<Pages> {
    Pages::new(&[("p", "x.cn", "<p>a<p>b<p>c<p>d<p>e")])
}

/// The process that is killed; without its folder it is no test.
#[test]
fn served_to_be_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let serving = Serving::start(pages(), settings(Path::new(&folder), "li", 1));
    println!("\nSERVED {} {}", serving.port, serving.token);
    loop {
        std::thread::park();
    }
}

/// The answer to a request, or nothing where the server is gone.
fn asked(port: u16, request: &str) -> Option<Json> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    if !answer.starts_with("HTTP/1.1 200") {
        return None;
    }
    serde_json::from_str(answer.split_once("\r\n\r\n")?.1).ok()
}

#[test]
fn what_was_saved_survives_twenty_kills() {
    let folder = tempfile::tempdir().unwrap();
    let mut made = 0;
    for round in 0..20u64 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "killed::served_to_be_killed", "--nocapture"])
            .env(FOLDER, folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let line = lines.find(|line| line.starts_with("SERVED")).unwrap();
        let words: Vec<&str> = line.split(' ').collect();
        let (port, token) = (words[1].parse::<u16>().unwrap(), words[2]);
        let killer = {
            let id = child.id().to_string();
            // From no time at all to some ten marks.
            let wait = Duration::from_micros(3_000 * (round * 7 % 20));
            std::thread::spawn(move || {
                std::thread::sleep(wait);
                Command::new("kill").args(["-9", &id]).status().unwrap();
            })
        };
        let head = format!("Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n");
        let page = asked(port, &format!("GET /api/pages/p HTTP/1.1\r\n{head}\r\n"));
        let mut seq = page.map(|page| page["seq"].as_u64().unwrap());
        let mut last = None;
        while let Some(known) = seq {
            let label = if made % 2 == 0 { "content" } else { "title" };
            let set = json!([[made % 5, made % 5, label]]);
            let body = json!({"seq": known, "events": [{"do": "mark", "set": set, "via": "key"}]}).to_string();
            let fields = format!(
                "Origin: http://127.0.0.1:{port}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n",
                body.len()
            );
            let answer = asked(port, &format!("POST /api/pages/p/log HTTP/1.1\r\n{head}{fields}\r\n{body}"));
            seq = answer.as_ref().map(|answer| answer["seq"].as_u64().unwrap());
            if let Some(answer) = answer {
                made += 1;
                last = Some(answer);
            }
        }
        killer.join().unwrap();
        child.wait().unwrap();
        let Ok(Some(_)) = carat_annotate::log::read_log(folder.path(), "li") else { continue };
        let Some(state) = work(folder.path(), "li").pages.get("p").cloned() else { continue };
        // One more may have been written and not answered.
        assert!(state.made >= made && state.made <= made + round + 1, "round {round}: {} {made}", state.made);
        if let Some(last) = last {
            assert!(state.seq >= last["seq"].as_u64().unwrap());
        }
        made = state.made;
    }
    assert!(made > 20, "only {made} marks were made");
}
