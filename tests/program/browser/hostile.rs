//! What pages, golds and names hold is text, whatever it looks like.

use serde_json::{Value as Json, json};

use super::driver::Browser;
use crate::support::{Folder, check};

/// Text of pages, golds, sites and outputs that would do something if it were markup.
pub(crate) const HOSTILE: [&str; 9] = [
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
            "site": format!("{number}{text}").replace(char::is_control, ""), "group": text.replace(char::is_control, ""),
            "url": url.replace(char::is_control, ""),
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
    pub(crate) fn assert_inert(&self, what: &str) {
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
    // Bounds add no text to a page, and take a third of the time.
    let run = "run --dataset ./demo --stored all --algorithm largest-p-parent --bounds none --tokens word --out o";
    check(&folder, run, 0, &[]);
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
