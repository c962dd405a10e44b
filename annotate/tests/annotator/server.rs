//! The server by raw sockets.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use carat_annotate::state::Status;
use serde_json::{Value as Json, json};

use crate::support::{Pages, Serving, everyone, settings, work};

const NEWS: &[(&str, &str, &str)] = &[
    ("a1", "x.cn", "<ul><li>首页<li>新闻</ul><div class=text><h1>题</h1><p>甲。</p><p>乙。</p></div>"),
    ("a2", "x.cn", "<ul><li>首页<li>新闻</ul><div class=text><h1>子</h1><p>丙。</p><p>丁。</p></div>"),
    ("b%20c", "y.cn", "<p>once"),
];

fn served(folder: &std::path::Path) -> Serving {
    Serving::start(Pages::new(NEWS), settings(folder, "li", NEWS.len()))
}

#[test]
fn a_page_is_marked_finished_and_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let serving = served(folder.path());
    let page = serving.get("/api/pages/a1").json();
    assert_eq!(page["texts"], json!(["首页", "新闻", "题", "甲。", "乙。"]));
    assert_eq!((&page["seq"], &page["status"]), (&json!(0), &json!("new")));
    let post = |seq: &Json, events: Json| serving.post("/api/pages/a1/log", &json!({"seq": seq, "events": events}));
    let marked = post(&page["seq"], json!([{"do": "mark", "set": [[2, 4, "content"]], "via": "key"}])).json();
    assert_eq!(marked["labels"], json!([[2, 4, "content", [2, 4]]]));
    assert_eq!((&marked["gold"], &marked["status"]), (&json!(5), &json!("begun")));
    let done = post(&marked["seq"], json!([{"do": "seen", "nodes": [[0, 3]], "ms": 900}, {"do": "done"}])).json();
    assert_eq!(done["status"], json!("done"));
    let state = &work(folder.path(), "li").pages["a1"];
    let (_, logged) = state.done.as_ref().unwrap();
    assert_eq!((logged.chars, logged.ms, logged.unseen), (5, 900, 1));
    assert_eq!(serving.get("/api/pages/a1/text").json()["text"], json!("题\n甲。\n乙。"));

    // The sister page is proposed what was decided.
    let sister = serving.get("/api/pages/a2").json();
    assert_eq!(sister["proposal"]["from"], json!(["a1"]));
    assert_eq!(sister["proposal"]["labels"], json!([[0, 1, "not", [0, 1]], [2, 4, "content", [2, 4]]]));
    assert_eq!(sister["labels"], json!([]));
    let why = serving.get("/api/pages/a2/why?n=0").json();
    assert_eq!(why["counts"], json!([["text", [["not", 1]]], ["path", [["not", 2]]]]));
    let listed = serving.get("/api/pages?after=a1&limit=1").json();
    assert_eq!((&listed["pages"][0]["id"], &listed["left"]), (&json!("a2"), &json!(1)));
    assert_eq!(serving.get("/api/pages/b%2520c").status, 200);
    let state = serving.get("/api/state").json();
    assert_eq!((&state["counts"]["done"], &state["counts"]["pages"]), (&json!(1), &json!(3)));
}

#[test]
fn undo_and_redo_outlive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let post = |serving: &Serving, events: Json| {
        let seq = serving.get("/api/pages/a1").json()["seq"].clone();
        serving.post("/api/pages/a1/log", &json!({"seq": seq, "events": events})).json()
    };
    let mark = |node: u32| json!([{"do": "mark", "set": [[node, node, "content"]], "via": "key"}]);
    let first = served(folder.path());
    post(&first, mark(2));
    let second = post(&first, mark(3));
    drop(first);
    let again = served(folder.path());
    let undone = post(&again, json!([{"do": "undo", "of": second["undo"]}]));
    assert_eq!(undone["labels"], json!([[2, 2, "content", [2, 2]]]));
    drop(again);
    let third = served(folder.path());
    let redone = post(&third, json!([{"do": "redo", "of": undone["redo"]}]));
    assert_eq!(redone["labels"], json!([[2, 2, "content", [2, 2]], [3, 3, "content", [3, 3]]]));
    assert_eq!(redone["redo"], json!(null));
}

#[test]
fn changes_are_made_all_or_none_and_on_the_newest_state() {
    let folder = tempfile::tempdir().unwrap();
    let serving = served(folder.path());
    serving.get("/api/pages/a1");
    let post = |body: Json| serving.post("/api/pages/a1/log", &body);
    let good = json!({"do": "mark", "set": [[2, 2, "content"]], "via": "key"});
    let told = |events: Json| {
        let answer = post(json!({"seq": 0, "events": events}));
        (answer.status, answer.json()["error"].as_str().unwrap().to_owned())
    };
    let bad = |set: Json| told(json!([good, {"do": "mark", "set": set, "via": "key"}]));
    assert_eq!(bad(json!([[1, 2, "content"]])), (422, "[1,2] is the text of no element".to_owned()));
    assert_eq!(bad(json!([[0, 0, "headline"]])).0, 422);
    assert_eq!(told(json!([{"do": "undo", "of": 7}])).0, 422);
    assert_eq!(told(json!([{"do": "seen", "nodes": [[0, 5]], "ms": 1}])).0, 422);
    assert_eq!(told(json!([{"do": "seen", "nodes": [], "ms": 999_999}])).0, 422);
    assert_eq!(told(json!([{"do": "skip", "fault": "ugly"}])).0, 422);
    assert_eq!(told(json!([{"do": "mark", "set": [], "inside": [[1, 2]], "via": "key"}])).0, 422);
    assert_eq!(told(json!([{"do": "open"}])).0, 400);
    assert_eq!(told(json!([{"do": "done", "chars": 3}])).0, 400);
    let many: Vec<Json> = (0..1001).map(|_| json!([2, 2, "content"])).collect();
    assert_eq!(told(json!([{"do": "mark", "set": many, "via": "key"}])).0, 400);
    assert_eq!(work(folder.path(), "li").pages["a1"].status(), Status::New);

    assert_eq!(post(json!({"seq": 0, "events": [good]})).status, 200);
    let stale = post(json!({"seq": 0, "events": [good]}));
    assert_eq!(stale.status, 409);
    assert_eq!(stale.json()["page"]["labels"], json!([[2, 2, "content", [2, 2]]]));
    assert_eq!(work(folder.path(), "li").pages["a1"].made, 1);
}

#[test]
fn requests_of_others_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let serving = served(folder.path());
    let port = serving.port;
    let token = format!("Authorization: Bearer {}\r\n", serving.token);
    let status = |request: String| serving.raw(request.as_bytes()).status;
    let get = |line: &str, fields: &str| status(format!("{line} HTTP/1.1\r\n{fields}Connection: close\r\n\r\n"));
    let host = format!("Host: 127.0.0.1:{port}\r\n");
    assert_eq!(get("GET /api/state", &format!("{host}{token}")), 200);
    for other in [
        format!("Host: localhost:{port}\r\n"),
        "Host: 127.0.0.1\r\n".to_owned(),
        format!("Host: 127.0.0.1:{port}.\r\n"),
        "Host: evil.example\r\n".to_owned(),
        String::new(),
        format!("{host}{host}"),
        format!("{host}Host: evil\r\n"),
    ] {
        let found = get("GET /", &format!("{other}{token}"));
        assert!(found == 403 || found == 400, "{other:?}: {found}");
    }
    assert_eq!(get(&format!("GET http://127.0.0.1:{port}/"), &host), 400);
    assert_eq!(get("GET http://evil.example/", &host), 400);
    for field in [
        "Origin: null\r\n",
        "Origin: http://evil.example\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
        "Sec-Fetch-Site: none\r\n",
        "Sec-Fetch-Site: same-site\r\n",
    ] {
        assert_eq!(get("GET /api/state", &format!("{host}{token}{field}")), 403, "{field}");
    }
    // The address is opened from a terminal, or from nowhere.
    assert_eq!(get("GET /", &format!("{host}Sec-Fetch-Site: none\r\n")), 200);
    assert_eq!(get("GET /frame", &format!("{host}Sec-Fetch-Site: none\r\n")), 403);
    for wrong in ["", "Authorization: Bearer 0\r\n", "Authorization: Basic x\r\n"] {
        assert_eq!(get("GET /api/pages", &format!("{host}{wrong}")), 401, "{wrong}");
        assert_eq!(get("GET /api/pages/a1", &format!("{host}{wrong}")), 401, "{wrong}");
    }
    assert_eq!(get("GET /api/state", &format!("{host}{token}{token}")), 401);
    for method in ["OPTIONS", "HEAD", "PUT", "DELETE", "TRACE", "CONNECT"] {
        let found = get(&format!("{method} /api/state"), &format!("{host}{token}"));
        assert!(found == 405 || found == 400, "{method}: {found}");
    }
    assert_eq!(get("GET /api/pages/%2e%2e/log", &format!("{host}{token}")), 405);
    for path in
        ["/api/pages/%2e%2e", "/api/pages/..%2f..%2fetc%2fpasswd", "/etc/passwd", "/api/../etc/passwd", "/api/x"]
    {
        assert_eq!(get(&format!("GET {path}"), &format!("{host}{token}")), 404, "{path}");
    }
    assert_eq!(get("GET /api/pages/%zz", &format!("{host}{token}")), 400);
}

#[test]
fn posts_are_json_of_our_own_screen_and_not_large() {
    let folder = tempfile::tempdir().unwrap();
    let serving = served(folder.path());
    let body = r#"{"seq":0,"events":[{"do":"note","text":"x"}]}"#;
    let origin = format!("Origin: http://127.0.0.1:{}\r\n", serving.port);
    let post = |fields: &str, body: &str| {
        let head = serving.head("POST", "/api/pages/a1/log", fields);
        serving.raw((head + body).as_bytes()).status
    };
    let length = format!("Content-Length: {}\r\n", body.len());
    let json = "Content-Type: application/json\r\n";
    assert_eq!(post(&format!("{json}{length}"), body), 403);
    assert_eq!(post(&format!("Origin: null\r\n{json}{length}"), body), 403);
    assert_eq!(post(&format!("{origin}{length}"), body), 415);
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx"] {
        assert_eq!(post(&format!("{origin}Content-Type: {kind}\r\n{length}"), body), 415, "{kind}");
    }
    assert_eq!(post(&format!("{origin}{json}Content-Length: 9\r\nContent-Length: 10\r\n"), body), 400);
    let chunked = format!("{origin}{json}Transfer-Encoding: chunked\r\n{length}");
    let found = post(&chunked, &format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len()));
    assert_eq!(found, 400);
    let large = format!("{origin}{json}Content-Length: {}\r\n", (1 << 20) + 1);
    assert_eq!(post(&large, &" ".repeat((1 << 20) + 1)), 413);
    assert_eq!(post(&format!("{origin}{json}Content-Length: 3\r\n"), "abc"), 400);
    let lines = std::fs::read_to_string(folder.path().join("li.jsonl")).unwrap().lines().count();
    assert!(lines <= 2, "nothing but the first line and that the page was opened");
    assert_eq!(post(&format!("{origin}{json}{length}"), body), 200);
}

#[test]
fn heads_are_small_and_soon() {
    let folder = tempfile::tempdir().unwrap();
    let serving = served(folder.path());
    let long = serving.head("GET", "/", &format!("X-Long: {}\r\n", "a".repeat(20 * 1024)));
    assert_eq!(serving.raw(long.as_bytes()).status, 431);
    let many: String = (0..70).map(|at| format!("X-{at}: a\r\n")).collect();
    assert_eq!(serving.raw(serving.head("GET", "/", &many).as_bytes()).status, 431);
    assert_eq!(serving.raw(b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03 hello\r\n\r\n").status, 400);
    // A byte per second is cut off; meanwhile others are answered.
    let begun = Instant::now();
    let mut slow = TcpStream::connect(("127.0.0.1", serving.port)).unwrap();
    slow.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let mut sent = b"GET / HTTP/1.1\r\nX-Slow: ".iter().copied().chain(std::iter::repeat(b'a'));
    loop {
        assert!(begun.elapsed() < Duration::from_secs(20), "the server waits for ever");
        std::thread::sleep(Duration::from_millis(800));
        let wrote = slow.write_all(&[sent.next().unwrap()]);
        match slow.read(&mut [0; 64]) {
            Ok(_) => break,
            Err(error) if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {}
            Err(_) => break,
        }
        if wrote.is_err() {
            break;
        }
        assert_eq!(serving.get("/api/state").status, 200);
    }
    assert!(begun.elapsed() > Duration::from_secs(5));
}

#[test]
fn every_answer_says_what_it_may_be_used_for() {
    let folder = tempfile::tempdir().unwrap();
    let serving = served(folder.path());
    for path in ["/", "/frame", "/api/state", "/api/pages/a1", "/nothing", "/api/pages/none"] {
        let answer = serving.get(path);
        for field in [
            "cache-control: no-store",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cross-origin-opener-policy: same-origin",
            "cross-origin-resource-policy: same-origin",
        ] {
            assert!(answer.head.contains(field), "{path}: {field}: {}", answer.head);
        }
        assert!(!answer.head.contains("access-control") && !answer.head.contains("set-cookie"), "{path}");
    }
    let shell = serving.get("/");
    assert!(!shell.body.contains(&serving.token) && !shell.body.contains("首页"));
    assert!(shell.head.contains("default-src 'none'") && !shell.head.contains("unsafe"), "{}", shell.head);
    let frame = serving.get("/frame");
    assert!(frame.head.contains("sandbox allow-scripts;") && !frame.head.contains("same-origin'"), "{}", frame.head);
    assert!(frame.head.contains(&format!("frame-ancestors http://127.0.0.1:{}", serving.port)));
}

#[test]
fn an_adjudicator_sees_two_sides_and_decides() {
    let folder = tempfile::tempdir().unwrap();
    let finish = |by: &str, set: Json| {
        let serving = Serving::start(Pages::new(NEWS), settings(folder.path(), by, NEWS.len()));
        serving.get("/api/pages/a1");
        let events = json!([{"do": "mark", "set": set, "via": "key"}, {"do": "done"}]);
        assert_eq!(serving.post("/api/pages/a1/log", &json!({"seq": 0, "events": events})).status, 200);
    };
    finish("li", json!([[2, 4, "content"]]));
    finish("wang", json!([[2, 4, "content"], [2, 2, "title"], [4, 4, "not"]]));
    let mut settings = settings(folder.path(), "chen", NEWS.len());
    settings.others = Some(everyone(folder.path(), &["li", "wang"]));
    settings.order = vec![0];
    let serving = Serving::start(Pages::new(NEWS), settings);
    let page = serving.get("/api/pages/a1").json();
    assert_eq!(page["disputed"], json!([[2, 2], [4, 4]]));
    assert_eq!(page["proposal"]["labels"], json!([[0, 1, "not", [0, 1]], [3, 3, "content", [3, 3]]]));
    let mut sides = [page["left"].clone(), page["right"].clone()];
    sides.sort_by_key(|side| side.to_string());
    let [li, wang] = [json!([[2, 2, "content"], [4, 4, "content"]]), json!([[2, 2, "title"], [4, 4, "not"]])];
    assert_eq!(sides, [li, wang.clone()]);
    assert!(page["sides"].is_null() && !page.to_string().contains("wang"), "names are hidden");
    let post = |seq: &Json, events: Json| serving.post("/api/pages/a1/log", &json!({"seq": seq, "events": events}));
    let half = json!([{"do": "mark", "set": [[2, 2, "title"]], "via": "key"}, {"do": "done"}]);
    let refused = post(&json!(0), half);
    assert_eq!((refused.status, refused.json()["code"].clone()), (422, json!("mark")));
    let all = json!([{"do": "mark", "set": wang, "via": "key"},
                     {"do": "mark", "set": [[0, 1, "not"], [3, 3, "content"]], "via": "accept"}, {"do": "done"}]);
    assert_eq!(post(&json!(0), all).json()["status"], json!("done"));
    assert_eq!(serving.get("/api/pages/a1").json()["sides"], json!(["li", "wang"]));
    assert_eq!(serving.get("/api/pages/a2").status, 404, "only what differs is shown");
}

#[test]
fn what_was_answered_is_on_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let serving = served(folder.path());
    let mut seq = serving.get("/api/pages/a1").json()["seq"].clone();
    for count in 1..=20u64 {
        let set = json!([[count % 5, count % 5, if count % 2 == 0 { "content" } else { "title" }]]);
        let events = json!([{"do": "mark", "set": set, "via": "key"}]);
        let answer = serving.post("/api/pages/a1/log", &json!({"seq": seq, "events": events})).json();
        seq = answer["seq"].clone();
        let state = &work(folder.path(), "li").pages["a1"];
        assert_eq!((state.made, state.seq), (count, seq.as_u64().unwrap()));
    }
}
