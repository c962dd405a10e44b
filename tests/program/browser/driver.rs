//! A browser, driven.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value as Json, json};

/// A browser with one window; gone when dropped.
pub(crate) struct Browser {
    driver: Child,
    port: u16,
    pub(crate) session: String,
}

impl Browser {
    /// `None` where there is no ChromeDriver or no Chromium: the test says so and is skipped.
    pub(crate) fn open(profile: &Path) -> Option<Self> {
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
        // Some versions open a window that has no focus, and then no element gets one.
        let focus = json!({"cmd": "Emulation.setFocusEmulationEnabled", "params": {"enabled": true}});
        browser.post(&format!("/session/{}/goog/cdp/execute", browser.session), &focus);
        Some(browser)
    }

    pub(crate) fn post(&self, path: &str, body: &Json) -> Json {
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

    pub(crate) fn go(&self, file: &Path) {
        self.post(&format!("/session/{}/url", self.session), &json!({"url": format!("file://{}", file.display())}));
    }

    /// What a script in the page answers.
    pub(crate) fn ask(&self, script: &str) -> Json {
        self.post(&format!("/session/{}/execute/sync", self.session), &json!({"script": script, "args": []}))
    }

    pub(crate) fn number(&self, script: &str) -> u64 {
        self.ask(script).as_u64().unwrap_or_else(|| panic!("no number: {script}"))
    }

    pub(crate) fn text(&self, script: &str) -> String {
        self.ask(script).as_str().unwrap_or_else(|| panic!("no text: {script}")).to_owned()
    }

    /// What the console says, and that nothing was fetched: scripts that fail and refused requests are told there.
    pub(crate) fn assert_quiet(&self, what: &str) {
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
