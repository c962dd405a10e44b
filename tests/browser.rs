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
const HOSTILE: [&str; 9] = [
    "</script><script>window.struck = 1; alert(1)</script>",
    "<img src=x onerror='window.struck = 1; alert(1)'>",
    "javascript:window.struck=1",
    "{{ 7 * 7 }}{% raw %}{% include 'base.html' %}${window.struck = 1}",
    "\u{202e}gnp.exe\u{2066}\u{0}\u{1b}[2J\u{7}",
    "<!--<script>--><svg/onload=window.struck=1><!-- -->",
    "\"><a href='javascript:window.struck=1' onclick=window.struck=1 autofocus onfocus=window.struck=1>x</a>",
    "<base href='https://example.com/'><meta http-equiv=refresh content='0;url=https://example.com/'><link rel=stylesheet href=//example.com/x>",
    "\\u003c/script\\u003e <iframe srcdoc='<script>parent.struck=1</script>'></iframe> [x](javascript:alert(1)) \u{2028}",
];

/// A dataset whose every field holds hostile text, and a program's output that does.
fn hostile_dataset(folder: Folder) -> Folder {
    let manifest =
        "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
    let id = |number: usize| format!("p{number}@%3C%2Fscript%3E-javascript%3Aalert%281%29");
    let pages = HOSTILE.iter().enumerate().map(|(number, text)| {
        // An address has a scheme, and no character that controls.
        let url = if text.starts_with("javascript:") { String::new() } else { "http://a.example/".to_owned() } + text;
        let page = json!({
            "id": id(number), "html": {"text": format!("<title>{text}</title><p onclick='window.struck=1'>{text}")},
            "site": format!("{number}{text}"), "group": text, "url": url.replace(char::is_control, ""),
            "gold": {"text": format!("{text} and {}", "long ".repeat(2000))}
        });
        format!("{page}\n")
    });
    let outputs = HOSTILE.iter().enumerate().map(|(number, text)| {
        format!("{}\n", json!({"id": id(number), "text": format!("{text} {}", HOSTILE.join(" "))}))
    });
    let of_program = json!({"system": "evil", "version": HOSTILE[0], "note": HOSTILE[1]});
    folder
        .with("demo/dataset.yaml", manifest)
        .with("demo/pages.jsonl", pages.collect::<String>())
        .with("demo/stored/evil.jsonl", format!("{of_program}\n{}", outputs.collect::<String>()))
}

impl Browser {
    /// That the open document did nothing that its texts say, and could not have: nothing struck, no dialog, no markup of
    /// theirs, and a policy that allows its own script and style alone.
    fn assert_inert(&self, what: &str) {
        self.assert_quiet(what);
        assert_eq!(self.ask("return window.struck ?? null"), Json::Null, "{what}");
        let embedded = "img, iframe, object, embed, link, base, form, svg a, a[href^=javascript], a[href*='//'], [srcdoc], meta[http-equiv=refresh]";
        let found = self.ask(&format!("return [...document.querySelectorAll({embedded:?})].map(e => e.outerHTML)"));
        assert_eq!(found, json!([]), "{what}");
        let handlers = self.ask(
            "return [...document.querySelectorAll('*')].flatMap(e => [...e.attributes].filter(a => a.name.startsWith('on')).map(a => a.name))",
        );
        assert_eq!(handlers, json!([]), "{what}: handlers in attributes");
        let policy = self.text("return document.querySelector('meta[http-equiv=Content-Security-Policy]').content");
        assert!(policy.starts_with("default-src 'none'; base-uri 'none'; form-action 'none'; "), "{what}: {policy}");
        assert!(!policy.contains("unsafe"), "{what}: {policy}");
        // The policy is at work: a script that is not its own is refused.
        self.ask(
            "const s = document.createElement('script'); s.textContent = 'window.struck = 2'; document.body.append(s); s.remove()",
        );
        assert_eq!(self.ask("return window.struck ?? null"), Json::Null, "{what}: an added script is refused");
        self.post(&format!("/session/{}/se/log", self.session), &json!({"type": "browser"}));
    }
}

#[test]
fn hostile_text_is_inert() {
    let folder = hostile_dataset(Folder::new());
    check(
        &folder,
        "run --dataset ./demo --stored all --algorithm all-text --algorithm cevc:alpha=exact --out o",
        0,
        &[],
    );
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    for language in ["en", "zh"] {
        check(&folder, &format!("report o --lang {language}"), 0, &[]);
        let files =
            folder.files().into_keys().filter(|path| path.extension().is_some_and(|extension| extension == "html"));
        let mut opened = 0;
        for file in files.filter(|path| path.starts_with(folder.path("o"))) {
            browser.go(&file);
            browser.assert_inert(&file.display().to_string());
            if file.parent() == Some(&folder.path("o")) {
                let text = browser.text("return document.body.innerText");
                assert!(text.contains("window.struck"), "{text}");
            } else {
                let shown = browser.text("return document.getElementById('texts').textContent");
                assert!(shown.contains("{{ 7 * 7 }}") || shown.contains("{{7 * 7}}"), "{shown}");
            }
            opened += 1;
        }
        assert_eq!(opened, 1 + HOSTILE.len());
    }
    // In pictures, tables and the page for a pull request, too.
    for (path, bytes) in folder.files().into_iter().filter(|(path, _)| path.starts_with(folder.path("o/figures"))) {
        let svg = path.extension().is_some_and(|extension| extension == "svg");
        assert!(!svg || !String::from_utf8(bytes).unwrap().contains("<script"), "{}", path.display());
    }
    let page = check(&folder, "report o --format pr", 0, &[]).stdout;
    let outside_code: String = page.split('`').step_by(2).collect();
    assert!(!outside_code.contains("script") && page.contains("`"), "{page}");
    assert!(!page.contains(['\u{202e}', '\u{0}', '\u{1b}']), "{page}");
}

#[test]
fn ids_that_are_no_ids_are_refused() {
    let page = json!({"id": HOSTILE[0], "html": {"text": "<p>a"}, "gold": {"text": "a"}});
    let folder = hostile_dataset(Folder::new()).with("demo/pages.jsonl", format!("{page}\n"));
    check(&folder, "run --dataset ./demo --algorithm all-text --out o", 3, &["E-ID"]);
}

#[test]
fn hostile_pages_are_inert_where_they_are_explained() {
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    let body: String = HOSTILE
        .iter()
        .map(|text| format!("<div id=\"{}\" class='x'>{text} and words</div>", text.replace('"', "&quot;")))
        .collect();
    let page = format!(
        "<title>{}</title><base href='https://example.com/'><meta http-equiv=refresh content='0;url=https://example.com/'>\
         <body onload='window.struck=1'><iframe src='javascript:parent.struck=1'></iframe><form action='javascript:alert(1)'>\
         <input autofocus onfocus='window.struck=1'></form><p>{}</p>{body}<template><script>window.struck=1</script></template>",
        HOSTILE[0].replace('<', "&lt;"),
        HOSTILE.map(|text| text.replace('<', "&lt;")).join("</p><p>"),
    );
    let folder = hostile_dataset(Folder::new().with("a.html", page));
    for (number, subject) in ["a.html", "./demo p3"].into_iter().enumerate() {
        for algorithm in ["nta", "cevc", "relevance"] {
            let file = format!("shown{number}{algorithm}.html");
            check(&folder, &format!("explain {subject} --algorithm {algorithm} --html {file}"), 0, &[]);
            browser.go(&folder.path(&file));
            browser.assert_inert(&file);
            let text = browser.text("return document.getElementById('nodes').textContent");
            assert!(text.contains("window.struck"), "{file}: {text}");
        }
    }
}

#[test]
fn a_line_of_ten_megabytes_is_inert() {
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    let lines =
        ["x".repeat(10 << 20), "中文".repeat(500_000), format!("a{}", " ".repeat(3 << 20)), "<b>word ".repeat(300_000)];
    let id = |number: usize| format!("p{number}");
    let pages = lines.iter().enumerate().map(|(number, line)| {
        let gold = if number == 0 { line.clone() } else { format!("{}y", line.trim_end()) };
        let page = json!({"id": id(number), "html": {"text": format!("<p>{line}")}, "gold": {"text": gold}});
        format!("{page}\n")
    });
    let outputs = lines
        .iter()
        .enumerate()
        .map(|(number, line)| format!("{}\n", json!({"id": id(number), "text": format!("z {line}")})));
    let folder = Folder::new();
    let folder = hostile_dataset(folder)
        .with("demo/pages.jsonl", pages.collect::<String>())
        .with("demo/stored/evil.jsonl", format!("{}\n{}", json!({"system": "evil"}), outputs.collect::<String>()));
    check(&folder, "run --dataset ./demo --stored all --algorithm largest-p-parent --tokens word --out o", 0, &[]);
    let files: Vec<_> = folder
        .files()
        .into_keys()
        .filter(|path| path.extension().is_some_and(|extension| extension == "html"))
        .collect();
    assert_eq!(files.len(), 1 + lines.len());
    for file in files {
        browser.go(&file);
        browser.assert_quiet(&file.display().to_string());
        if file.parent() != Some(&folder.path("o")) {
            let articles = browser.number("return document.querySelectorAll('#texts article').length");
            assert_eq!(articles, 2, "{}", file.display());
            assert!(std::fs::metadata(&file).unwrap().len() < 6 << 20, "{}", file.display());
        }
    }
}

#[test]
fn the_flat_region_is_shaded_and_told_in_both_languages() {
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    let folder = Folder::new();
    let rows = "--algorithm cevc:alpha=0.0..1.0/0.1 --algorithm cevc:alpha=exact --algorithm nta:coherence=0.7|0.8|0.9,density=0.3|0.5|0.7";
    check(&folder, &format!("run --where language=zh {rows} --out o"), 0, &[]);
    let english = ["not separable from the best (", "over alpha", "(exact)", "coherence and density"];
    let chinese = ["与最佳无显著差异（", "随 alpha 的变化", "（精确）", "coherence 与 density"];
    for (language, [told, over, exact, grid]) in [("en", english), ("zh", chinese)] {
        check(&folder, &format!("report o --lang {language}"), 0, &[]);
        browser.go(&folder.path("o/index.html"));
        browser.assert_quiet("the index");
        let curves = browser.text(
            "return [...document.querySelectorAll('figure')].filter(f => f.querySelector('rect.flat[height=\"348\"]')).map(f => f.textContent).join('|')",
        );
        assert!(curves.contains(over) && curves.contains(exact), "{curves}");
        assert!(curves.matches(told).count() >= 2, "{told} {curves}");
        let cells = browser.text(
            "return [...document.querySelectorAll('figure')].filter(f => f.querySelector('path.flat-cells')).map(f => f.textContent).join('|')",
        );
        assert!(cells.contains(grid) && cells.contains(told), "{cells}");
    }
}

#[test]
fn figures_and_their_axes_are_called_in_the_language_of_the_report() {
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    let folder = Folder::new();
    check(&folder, "run --where group=zh-news --algorithm all-text --algorithm nta --out o", 0, &[]);
    let english = ["portals: precision against recall", "recall", "portals: recall by site"];
    let chinese = ["portals：精确率与召回率", "召回率", "portals：各站点的召回率"];
    for (language, [scatter, axis, bars]) in [("en", english), ("zh", chinese)] {
        check(&folder, &format!("report o --lang {language}"), 0, &[]);
        browser.go(&folder.path("o/index.html"));
        browser.assert_quiet("the index");
        let told = browser.text("return document.querySelector('#scatter h3').firstChild.textContent");
        assert_eq!(told, scatter);
        let axes = browser
            .text("return [...document.querySelectorAll('svg.scatter text.quiet')].map(t => t.textContent).join('|')");
        assert!(axes.split('|').any(|label| label == axis), "{axes}");
        let titles =
            browser.text("return [...document.querySelectorAll('#figures-list h3')].map(t => t.textContent).join('|')");
        assert!(titles.contains(bars), "{titles}");
    }
    let drawn = folder.read("o/figures/portals-sites-recall.svg");
    assert!(drawn.contains("portals: recall by site"), "files on the disk stay as they are");
}

#[test]
fn pages_without_gold_stand_by_how_much_they_are_disputed() {
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    let page = |id: &str, html: &str| format!("{}\n", json!({"id": id, "html": {"text": html}, "site": "s.org"}));
    let pages =
        page("alike", "<body><p>abcd</p>") + &page("unlike", "<body><p>abcd</p><p><a href=/>links of it</a></p>");
    let manifest =
        "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
    let folder = Folder::new().with("demo/dataset.yaml", manifest).with("demo/pages.jsonl", pages);
    check(&folder, "run --dataset ./demo --algorithm all-text --algorithm nonlink-text --out o", 0, &[]);
    browser.go(&folder.path("o/index.html"));
    browser.assert_quiet("the index");
    let cells = "return [...document.querySelectorAll('#disputed tbody tr')].map(r => [...r.cells].map(c => c.textContent).join('|')).join('\\n')";
    let told = browser.text(cells);
    assert_eq!(told.lines().map(|line| line.split('|').next().unwrap()).collect::<Vec<_>>(), ["unlike", "alike"]);
    assert!(told.starts_with("unlike|s.org|1|0.") && told.contains("|all-text / nonlink-text|"), "{told}");
    let is_hidden =
        "return document.getElementById('disputed').hidden || document.getElementById('disputed-link').hidden";
    assert_eq!(browser.ask(is_hidden), json!(false));

    check(&folder, "run --where group=zh-news --algorithm all-text --out with-gold", 0, &[]);
    browser.go(&folder.path("with-gold/index.html"));
    assert_eq!(browser.ask(is_hidden), json!(true));
}

#[test]
fn rows_are_filtered_by_role_and_by_what_their_pages_are() {
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    let folder = Folder::new();
    check(&folder, "run --algorithm all-text --algorithm nta --algorithm cevc --out o", 0, &[]);
    browser.go(&folder.path("o/index.html"));
    let choose = |id: &str, value: &str| {
        browser.ask(&format!(
            "const s = document.getElementById('{id}'); s.value = '{value}'; s.dispatchEvent(new Event('input'))"
        ));
    };
    choose("role", "floor");
    assert_eq!((browser.number(ROWS), browser.text(FIRST).as_str()), (1, "all-text"));
    choose("role", "algorithm");
    assert_eq!(browser.number(ROWS), 2);
    choose("role", "");
    // By language, the means are those of the table by language.
    choose("rows-language", "zh");
    let of = |name: &str| {
        let script = format!(
            "return [...document.querySelectorAll('#rows-table tbody tr')].find(r => r.cells[0].textContent === '{name}').cells[2].textContent"
        );
        browser.text(&script)
    };
    for row in folder.csv("o/tables/by_language.csv").iter().filter(|row| row["language"] == "zh") {
        if ["all-text", "nta", "cevc"].contains(&row["algorithm"].as_str()) {
            let expected: f64 = row["f1"].parse().unwrap();
            let shown: f64 = of(&row["algorithm"]).parse().unwrap();
            assert!((shown - expected).abs() <= 0.00055, "{} {shown} {expected}", row["algorithm"]);
        }
    }
    for (id, key) in [("rows-site", "site"), ("rows-kind", "kind")] {
        let values = browser.number(&format!("return document.getElementById('{id}').options.length"));
        let known: std::collections::BTreeSet<String> = folder
            .csv("o/scores.csv")
            .into_iter()
            .map(|mut row| row.remove(key).unwrap())
            .filter(|value| !value.is_empty())
            .collect();
        assert_eq!(values as usize, 1 + known.len(), "{key}");
    }
    choose("rows-language", "");
    for order in ["worst", "best", "disputed"] {
        choose("order", order);
        assert!(browser.number("return document.querySelectorAll('#pages-table tbody tr').length") > 0, "{order}");
    }
}

#[test]
fn roles_of_text_stand_in_the_report_where_pages_have_them() {
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    let manifest =
        "format: 1\nname: demo\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
    let roles = json!({"title": ["h1"], HOSTILE[1]: [".comments"]});
    let page = json!({
        "id": "a", "html": {"text": "<article><h1>Cats</h1>They sleep.</article><p class=comments>Nice!"},
        "gold": {"select": {"include": ["article"], "roles": roles}}
    });
    let folder = Folder::new().with("demo/dataset.yaml", manifest).with("demo/pages.jsonl", format!("{page}\n"));
    check(&folder, "run --dataset ./demo --algorithm all-text --algorithm nta --bounds none --out o", 0, &[]);
    browser.go(&folder.path("o/index.html"));
    browser.assert_inert("an index with roles");
    let lines = "return document.querySelectorAll('#roles-table tbody tr').length";
    assert_eq!(
        (browser.number(lines), browser.ask("return document.getElementById('roles').hidden")),
        (6, json!(false))
    );
    browser
        .ask("const s = document.getElementById('text-role'); s.value = 'title'; s.dispatchEvent(new Event('input'))");
    assert_eq!(browser.number(lines), 2);
    let first = browser.text("return document.querySelector('#roles-table tbody tr').textContent");
    assert_eq!(first, "all-texttitleyes1.00001.00000.000044");
    // Without roles there is no such part.
    check(&folder, "run --algorithm all-text --where site=hehui-online.example --out plain", 0, &[]);
    browser.go(&folder.path("plain/index.html"));
    browser.assert_quiet("an index without roles");
    assert_eq!(browser.ask("return document.getElementById('roles').hidden"), json!(true));
}

#[test]
fn the_front_of_the_figure_of_times_is_a_line_with_bold_names() {
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    let folder = Folder::new();
    check(&folder, "run --where group=zh-news --algorithm all-text --algorithm nta --time --out o", 0, &[]);
    browser.go(&folder.path("o/index.html"));
    browser.assert_quiet("the index");
    let figure = "[...document.querySelectorAll('figure')].find(f => f.querySelector('polyline.front'))";
    let corners = browser.text(&format!("return {figure}.querySelector('polyline.front').getAttribute('points')"));
    assert!(corners.split(' ').count() >= 2 && !corners.contains("NaN"), "{corners}");
    let bold =
        browser.number(&format!("return {figure}.querySelectorAll('svg.scatter text[font-weight=bold]').length"));
    assert!(bold > 0);
    let caption = browser.text(&format!("return {figure}.querySelector('figcaption').textContent"));
    assert!(caption.contains("time: preparing and choosing"), "{caption}");
}

/// Pages of the large report; `CARAT_REPORT_PAGES` says otherwise.
const LARGE: usize = 100;

/// A recipe of so many pages of twenty sites.
fn large_recipe(pages: usize) -> String {
    let templates = [
        (2, "zh", "zh-news", "zh/zh-news-1, zh/zh-news-6"),
        (4, "zh", "zh-blog", "zh/zh-blog-3, zh/zh-blog-5"),
        (7, "en", "en-news", "en/en-news-5, en/en-news-7"),
        (8, "en", "en-news", "en/en-news-4, en/en-news-6"),
    ];
    let site = |number: usize| {
        let (family, language, group, texts) = templates[number % templates.len()];
        format!(
            "  - {{id: site-{number}, family: {family}, language: {language}, name: Site {number}, site: site-{number}.example, \
             url: \"http://www.{{domain}}/{{year}}/{{month}}/{{number}}\", group: {group}, texts: [{texts}], count: {}}}\n",
            pages / 20
        )
    };
    let sites: String = (0..20).map(site).collect();
    format!(
        "name: large\nversion: \"1\"\ntitle: Many pages\ndescription: Many pages.\nseed: 1\npages:\n  menu: 12\n  dials: {{links: 0.3, notices: 0.1}}\nsites:\n{sites}"
    )
}

/// Asserts only what does not depend on the machine, of the pages' share of two thousand; measures, too:
/// `CARAT_REPORT_PAGES=2000 cargo test --release --test browser a_report_of_two_thousand -- --nocapture`.
#[test]
fn a_report_of_two_thousand_pages_by_thirty_rows_stays_small() {
    let pages = std::env::var("CARAT_REPORT_PAGES").map_or(LARGE, |pages| pages.parse().unwrap());
    let folder = Folder::new().with("large.yaml", large_recipe(pages));
    check(&folder, "dataset synth large.yaml --out pages", 0, &[]);
    let rows = "--algorithm all-text --algorithm nonlink-text --algorithm largest-p-parent --algorithm cetr-2d --algorithm cevc \
                --algorithm nta:coherence=0.70..0.90/0.05,density=0.3..0.7/0.1";
    check(&folder, &format!("run --dataset ./pages {rows} --out o"), 0, &[]);
    let begin = std::time::Instant::now();
    check(&folder, "report o --format html", 0, &[]);
    let writing = begin.elapsed();
    let size = |path: &Path| std::fs::metadata(path).unwrap().len();
    let index = size(&folder.path("o/index.html"));
    let files: Vec<_> = std::fs::read_dir(folder.path("o/pages")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let of_pages: u64 = files.iter().map(|path| size(path)).sum();
    println!(
        "{} pages, {} rows: index.html {} KB, pages/ {} KB in {} files, carat report {:.1} s",
        files.len(),
        folder.json("o/summary.json")["rows"].as_array().unwrap().len(),
        index / 1024,
        of_pages / 1024,
        files.len(),
        writing.as_secs_f64()
    );
    // What stands in it once, however many pages there are, is 200 KB at most.
    let most = (200 << 10) + ((2 << 20) - (200 << 10)) * pages as u64 / 2_000;
    assert!(index < most, "index.html: {index} bytes of {most}");
    let profile = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::open(profile.path()) else { return };
    for file in [folder.path("o/index.html"), files[0].clone()] {
        browser.go(&file);
        browser.assert_quiet(&file.display().to_string());
        let times = browser.ask(
            "const t = performance.timing; return [t.domInteractive, t.domContentLoadedEventEnd, t.loadEventEnd].map(at => at - t.navigationStart)",
        );
        println!("{}: milliseconds to interactive, ready, loaded: {times}", file.file_name().unwrap().display());
    }
}
