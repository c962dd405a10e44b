//! A browser at the annotator's screen: keys and clicks as WebDriver sends them.

use std::time::{Duration, Instant};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use self::driver::Browser;

#[expect(dead_code, reason = "the report's tests use more of it")]
#[path = "../../../tests/program/browser/driver.rs"]
mod driver;

/// Keys that have no letter, as WebDriver writes them.
pub(crate) const ENTER: &str = "\u{E007}";
pub(crate) const ESCAPE: &str = "\u{E00C}";
pub(crate) const SHIFT: &str = "\u{E008}";

/// A screen in a browser of its own.
pub(crate) struct Screen {
    pub(crate) browser: Browser,
    _profile: TempDir,
}

impl Screen {
    /// `None` where there is no browser: the test says so and is skipped.
    pub(crate) fn open(address: &str, width: u32) -> Option<Self> {
        let profile = tempfile::tempdir().unwrap();
        let screen = Screen { browser: Browser::open(profile.path())?, _profile: profile };
        screen.command("window/rect", json!({"width": width, "height": 900}));
        screen.go(address);
        Some(screen)
    }

    pub(crate) fn command(&self, name: &str, body: Json) -> Json {
        self.browser.post(&format!("/session/{}/{name}", self.browser.session), &body)
    }

    pub(crate) fn go(&self, address: &str) {
        self.command("url", json!({"url": address}));
    }

    /// Waits until a script answers something true.
    pub(crate) fn wait(&self, script: &str) {
        let begun = Instant::now();
        while self.browser.ask(script) != json!(true) {
            let said = self.browser.ask("return document.body.innerText.slice(-800)");
            assert!(begun.elapsed() < Duration::from_secs(20), "never true: {script}\n{said}");
            std::thread::sleep(Duration::from_millis(15));
        }
    }

    /// Waits until a page is shown.
    pub(crate) fn shows(&self, page: &str) {
        self.wait(&format!("return document.body.dataset.page === {page:?}"));
    }

    pub(crate) fn said(&self) -> String {
        self.browser.text("return document.getElementById('said').textContent")
    }

    /// Waits until the screen says something that holds `part`.
    pub(crate) fn says(&self, part: &str) {
        self.wait(&format!("return document.getElementById('said').textContent.includes({part:?})"));
    }

    /// Presses keys, one after the other. A capital letter is pressed with Shift.
    pub(crate) fn press(&self, keys: &str) {
        let mut actions = Vec::new();
        for key in keys.chars() {
            let shift = key.is_ascii_uppercase();
            let mut push = |kind: &str, value: &str| actions.push(json!({"type": kind, "value": value}));
            if shift {
                push("keyDown", "\u{E008}");
            }
            push("keyDown", &key.to_string());
            push("keyUp", &key.to_string());
            if shift {
                push("keyUp", "\u{E008}");
            }
        }
        self.perform(json!({"type": "key", "id": "keys", "actions": actions}));
    }

    /// Presses a key while others are held.
    pub(crate) fn held(&self, held: &str, key: &str) {
        let actions = json!([
            {"type": "keyDown", "value": held}, {"type": "keyDown", "value": key},
            {"type": "keyUp", "value": key}, {"type": "keyUp", "value": held},
        ]);
        self.perform(json!({"type": "key", "id": "keys", "actions": actions}));
    }

    fn perform(&self, source: Json) {
        self.command("actions", json!({"actions": [source]}));
    }

    /// Presses the mouse at one place and lets it go at another.
    fn drag(&self, from: [i64; 2], to: [i64; 2]) {
        let actions = json!([
            {"type": "pointerMove", "duration": 0, "x": from[0], "y": from[1], "origin": "viewport"},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerMove", "duration": 50, "x": to[0], "y": to[1], "origin": "viewport"},
            {"type": "pointerUp", "button": 0},
        ]);
        self.perform(
            json!({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}),
        );
    }

    /// The place of the UTF-16 unit `unit` of text node `node` among the lines.
    fn place(&self, node: u32, unit: u32) -> [i64; 2] {
        let script = format!(
            "const parts = [...document.querySelectorAll('.node[data-n=\"{node}\"] [data-u]')];
             const part = parts.filter(part => Number(part.dataset.u) <= {unit}).pop();
             const range = document.createRange();
             const at = Math.min({unit} - Number(part.dataset.u), part.firstChild.length);
             range.setStart(part.firstChild, at); range.setEnd(part.firstChild, at);
             const box = range.getBoundingClientRect();
             return [Math.round(box.left), Math.round((box.top + box.bottom) / 2)]"
        );
        let place = self.browser.ask(&script);
        [place[0].as_i64().unwrap(), place[1].as_i64().unwrap()]
    }

    /// Selects text from one place to another by dragging, in either direction.
    pub(crate) fn select(&self, from: (u32, u32), to: (u32, u32)) {
        self.drag(self.place(from.0, from.1), self.place(to.0, to.1));
    }

    /// Clicks where a script finds an element.
    pub(crate) fn click(&self, selector: &str) {
        let script = format!(
            "const box = document.querySelector({selector:?}).getBoundingClientRect();
             return [Math.round((box.left + box.right) / 2), Math.round((box.top + box.bottom) / 2)]"
        );
        let place = self.browser.ask(&script);
        let place = [place[0].as_i64().unwrap(), place[1].as_i64().unwrap()];
        self.drag(place, place);
    }

    /// Clicks an element of the frame, where it is on the screen.
    pub(crate) fn click_in_frame(&self, selector: &str) {
        let place = |script: &str| {
            let found = self.browser.ask(script);
            [found[0].as_f64().unwrap(), found[1].as_f64().unwrap()]
        };
        let frame =
            place("const box = document.getElementById('frame').getBoundingClientRect(); return [box.left, box.top]");
        self.command("frame", json!({"id": 0}));
        // Its beginning, for a line may be longer than its text.
        let inner = place(&format!(
            "const box = document.querySelector({selector:?}).getBoundingClientRect(); return [box.left + 12, (box.top + box.bottom) / 2]"
        ));
        self.command("frame", json!({"id": null}));
        let at = [(frame[0] + inner[0]) as i64, (frame[1] + inner[1]) as i64];
        self.drag(at, at);
    }

    /// Asks inside of the frame.
    pub(crate) fn ask_frame(&self, script: &str) -> Json {
        self.command("frame", json!({"id": 0}));
        let answer = self.browser.ask(script);
        self.command("frame", json!({"id": null}));
        answer
    }

    /// A picture of the screen, in PNG.
    pub(crate) fn screenshot(&self) -> Vec<u8> {
        let shot = self.command("goog/cdp/execute", json!({"cmd": "Page.captureScreenshot", "params": {}}));
        BASE64_STANDARD.decode(shot["data"].as_str().unwrap()).unwrap()
    }

    /// The messages of the console.
    pub(crate) fn console(&self) -> Json {
        self.command("se/log", json!({"type": "browser"}))
    }
}
