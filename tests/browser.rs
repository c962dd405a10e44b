//! The HTML report in a browser, from the disk: Chromium by way of ChromeDriver, where both are installed.

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value as Json, json};
use support::{Folder, check};

/// A browser with one window; gone when dropped.
struct Browser {
    driver: Child,
    port: u16,
    session: String,
}

impl Browser {
    /// `None` where there is no ChromeDriver or no Chromium: the test says so and is skipped.
    fn open(profile: &Path) -> Option<Self> {
        let started = Command::new("chromedriver").arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let Ok(mut driver) = started else {
            println!("skipped: chromedriver is not installed (Debian: chromium-driver)");
            return None;
        };
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        // Some versions first say that they were asked for port 0.
        let said = |line: String| line.split_once("on port ")?.1.trim_end_matches('.').parse().ok();
        let port = lines.find_map(|line| said(line.ok()?).filter(|&port: &u16| port > 0)).unwrap();
        std::thread::spawn(move || lines.for_each(drop));
        let mut browser = Browser { driver, port, session: String::new() };
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            &format!("--user-data-dir={}", profile.display()),
        ];
        let capabilities = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": arguments}, "goog:loggingPrefs": {"browser": "ALL"},
        }}});
        browser.session = browser.post("/session", &capabilities)["sessionId"].as_str().unwrap().to_owned();
        Some(browser)
    }

    fn post(&self, path: &str, body: &Json) -> Json {
        let body = body.to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        write!(
            stream,
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        // The driver keeps the connection open, whatever it is asked.
        let mut stream = BufReader::new(stream);
        let mut lines = stream.by_ref().lines().map_while(Result::ok).take_while(|line| !line.is_empty());
        let head = lines.next().unwrap();
        let length =
            lines.filter_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
        let mut body = vec![0; length.last().unwrap()];
        stream.read_exact(&mut body).unwrap();
        let value = serde_json::from_slice::<Json>(&body).unwrap()["value"].take();
        assert!(head.starts_with("HTTP/1.1 200"), "{path}: {value}");
        value
    }

    fn go(&self, file: &Path) {
        self.post(&format!("/session/{}/url", self.session), &json!({"url": format!("file://{}", file.display())}));
    }

    /// What a script in the page answers.
    fn ask(&self, script: &str) -> Json {
        self.post(&format!("/session/{}/execute/sync", self.session), &json!({"script": script, "args": []}))
    }

    fn number(&self, script: &str) -> u64 {
        self.ask(script).as_u64().unwrap_or_else(|| panic!("no number: {script}"))
    }

    fn text(&self, script: &str) -> String {
        self.ask(script).as_str().unwrap_or_else(|| panic!("no text: {script}")).to_owned()
    }

    /// What the console says, and that nothing was fetched: scripts that fail and refused requests are told there.
    fn assert_quiet(&self, what: &str) {
        let told = self.post(&format!("/session/{}/se/log", self.session), &json!({"type": "browser"}));
        assert_eq!(told, json!([]), "{what}: the console");
        let fetched = self.number("return performance.getEntriesByType('resource').length");
        assert_eq!(fetched, 0, "{what}: requests");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            let end = TcpStream::connect(("127.0.0.1", self.port));
            let ask = |mut stream: TcpStream| {
                write!(stream, "DELETE /session/{} HTTP/1.1\r\nHost: localhost\r\n\r\n", self.session)?;
                stream.read(&mut [0])
            };
            let _ = end.and_then(ask);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

const ROWS: &str = "return document.querySelectorAll('#rows-table tbody tr').length";
const FIRST: &str = "return document.querySelector('#rows-table tbody td').textContent";

#[test]
fn the_report_opens_from_the_disk_and_can_be_worked_with() {
    let folder = Folder::new();
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    check(&folder, "run --where language=zh --out o", 0, &[]);
    browser.go(&folder.path("o/index.html"));
    browser.assert_quiet("the index");

    let few = browser.number(ROWS);
    browser.ask("document.getElementById('all-rows').click()");
    assert!(browser.number(ROWS) > few, "every setting is shown");
    browser.ask("const f = document.getElementById('rows-filter'); f.value = 'cevc:alpha=0.5'; f.dispatchEvent(new Event('input'))");
    assert_eq!(browser.number(ROWS), 2, "0.50 and 0.55");
    browser.ask("const f = document.getElementById('rows-filter'); f.value = ''; f.dispatchEvent(new Event('input'))");
    assert_eq!(browser.text(FIRST), "cevc", "the best first");
    let sort = "[...document.querySelectorAll('#rows-table th button')].find(b => b.textContent === 'F1').click()";
    browser.ask(sort);
    assert_eq!(browser.text(FIRST), "all-text", "the worst first");
    let state = browser.text("return document.querySelector('#rows-table th[aria-sort]').getAttribute('aria-sort')");
    assert_eq!(state, "ascending");

    assert!(browser.number("return document.querySelectorAll('figure svg[role=img]').length") >= 6);
    let told = browser.text(
        "const s = [...document.querySelectorAll('figure svg')].find(s => (s.getAttribute('aria-label') || '').includes('alpha')); s.focus();
         s.dispatchEvent(new KeyboardEvent('keydown', {key: 'End'})); return s.parentElement.querySelector('.readout').textContent",
    );
    assert!(told.contains("alpha 1: ") && told.contains("F1 0."), "{told}");

    let duel = browser.text("return document.getElementById('duel').textContent");
    let numbers =
        |text: &str| text.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect::<Vec<u64>>();
    let (pages, counted) = duel.split_once(" pages: ").unwrap_or_else(|| panic!("{duel}"));
    let [won, tied, lost] = numbers(counted)[..3] else { panic!("{duel}") };
    assert_eq!(numbers(pages).last(), Some(&(won + tied + lost)), "{duel}");
    let is_bound = browser
        .ask("return [...document.getElementById('row-a').options].some(o => o.textContent.startsWith('oracle'))");
    assert_eq!(is_bound, json!(false), "no one is held against a bound");
    let links = browser.ask("return [...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href'))");
    for link in links.as_array().unwrap().iter().map(|link| link.as_str().unwrap()) {
        let there = link.strip_prefix('#').map_or(folder.path(&format!("o/{link}")).exists(), |id| {
            browser.ask(&format!("return document.getElementById('{id}') !== null")) == json!(true)
        });
        assert!(there, "{link} leads nowhere");
    }
    let page = browser.text("return document.querySelector('#pages-table a').getAttribute('href')");
    browser.go(&folder.path(&format!("o/{page}")));
    browser.assert_quiet("a page");
    browser.ask(
        "const b = document.getElementById('row-b'); b.value = [...b.options].find(o => o.textContent === 'all-text').value;
         b.dispatchEvent(new Event('input'))",
    );
    assert!(browser.number("return document.querySelectorAll('#texts ins').length") > 2, "all text is too much");
    assert_eq!(browser.number("return document.querySelectorAll('#texts article').length"), 2, "two beside each other");
    let back = browser.text("return document.querySelector('nav a').getAttribute('href')");
    assert_eq!(back, "../index.html");
}

#[test]
fn the_slider_of_an_explanation_moves_and_its_numbers_are_reached_by_keyboard() {
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    let page = "<body><div id=w><div id=nav><a href=1>Home</a> <a href=2>News</a></div>\
        <div id=c><p>aaaaaaaaaa</p><p>bbbbbbbbbb</p></div><div id=foot>cc</div></div></body>";
    let folder = Folder::new().with("a.html", page);
    check(&folder, "explain a.html --algorithm nta --html shown.html", 0, &[]);
    browser.go(&folder.path("shown.html"));
    browser.assert_quiet("an explanation");
    let chosen = "return document.querySelectorAll('.text-node > .chosen').length";
    assert_eq!(browser.number(chosen), 3, "at the setting");
    browser.ask("const s = document.getElementById('step'); s.value = 0; s.dispatchEvent(new Event('input'))");
    assert_eq!(browser.number(chosen), 5, "up to 3/5 the links are chosen too");
    let told = browser.text("return document.getElementById('readout').textContent");
    assert!(told.contains("coherence [0, 0.6]") && told.contains("step 1 of 2"), "{told}");
    browser.ask("document.getElementById('back').click()");
    assert_eq!(browser.number(chosen), 3, "back at the setting");
    let told = browser.text(
        "const first = document.querySelector('#nodes .head'); first.focus();
         first.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowDown', bubbles: true}));
         return document.getElementById('tip').textContent",
    );
    assert!(told.contains("div#w") && told.contains("coherence3/5 = 0.6000"), "{told}");
    browser.ask("document.getElementById('only-decided').click()");
    let shown = browser.number("return [...document.querySelectorAll('.head')].filter(h => h.offsetParent).length");
    assert_eq!(shown, 5, "body, the wrapper and its three parts");
}

/// Text of pages, golds, sites and outputs that would do something if it were markup.
const HOSTILE: [&str; 6] = [
    "</script><script>window.struck = 1</script>",
    "<img src=x onerror='window.struck = 1'>",
    "javascript:window.struck=1",
    "{{ 7 * 7 }}{% raw %}${window.struck = 1}",
    "\u{202e}gnp.exe\u{0}\u{1b}[2J",
    "<!--<script>--><svg/onload=window.struck=1>",
];

#[test]
fn hostile_text_is_inert() {
    let manifest =
        "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
    let pages = HOSTILE.iter().enumerate().map(|(number, text)| {
        let page = json!({
            "id": format!("p{number}"), "html": {"text": format!("<p>{text}")}, "site": format!("{number}{text}"),
            "gold": {"text": format!("{text} and {}", "long ".repeat(2000))}
        });
        format!("{page}\n")
    });
    let outputs = HOSTILE.iter().enumerate().map(|(number, text)| {
        format!("{}\n", json!({"id": format!("p{number}"), "text": format!("{text} {}", HOSTILE.join(" "))}))
    });
    let folder = Folder::new()
        .with("demo/dataset.yaml", manifest)
        .with("demo/pages.jsonl", pages.collect::<String>())
        .with("demo/stored/evil.jsonl", format!("{}\n{}", json!({"system": "evil"}), outputs.collect::<String>()));
    check(&folder, "run --dataset ./demo --stored all --algorithm all-text --out o", 0, &[]);
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    let files = folder.files().into_keys().filter(|path| path.extension().is_some_and(|extension| extension == "html"));
    let mut opened = 0;
    for file in files.filter(|path| path.starts_with(folder.path("o"))) {
        browser.go(&file);
        browser.assert_quiet(&file.display().to_string());
        assert_eq!(browser.ask("return window.struck ?? null"), Json::Null, "{}", file.display());
        assert_eq!(browser.number("return document.querySelectorAll('img, iframe, object, embed').length"), 0);
        if file.parent() != Some(&folder.path("o")) {
            let shown = browser.text("return document.getElementById('texts').textContent");
            assert!(shown.contains("{{ 7 * 7 }}") || shown.contains("{{7 * 7}}"), "{shown}");
        }
        opened += 1;
    }
    assert_eq!(opened, 1 + HOSTILE.len());
}
