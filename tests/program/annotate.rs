//! `carat annotate` and `carat dataset new`, but for the screen, which the crate `carat-annotate` tests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

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

#[test]
fn the_encoding_of_saved_pages_can_be_stated() {
    let text = "Вчера открылся новый мост через реку, и первый поезд прошёл по нему утром.";
    let bytes = encoding_rs::KOI8_U.encode(text).0;
    let page = [b"<meta charset=windows-1251><p>", &bytes[..]].concat();
    let folder = Folder::new().with("saved/a.html", page);
    check(&folder, "dataset new ./news --from ./saved --set encoding=koi8-u", 0, &["KOI8-U 1"]);
    assert!(folder.read("news/pages.jsonl").contains("\"encoding\":\"KOI8-U\",\"language\":\"ru\""));
    for (options, told) in [
        ("--set encoding=klingon", "--set encoding: `klingon` is no label of the Encoding Standard"),
        ("--language ru --set language=ru", "the language is stated twice"),
        ("--set id_from=path", "`dataset new` has the options language and encoding alone"),
    ] {
        let refused = check(&folder, &format!("dataset new ./other --from ./saved {options}"), 2, &[]);
        assert!(refused.stderr.contains(told), "{refused:?}");
    }
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
fn gold_from_elsewhere_is_replaced_only_where_that_is_asked_for() {
    let folder = dataset().with("news/annotations/li.jsonl", log("li", &json!([[1, 1, "content"]]), false));
    let list = folder.read("news/pages.jsonl").replacen("\"id\":\"a\"", "\"id\":\"a\",\"gold\":\"a.txt\"", 1);
    let folder = folder.with("news/pages.jsonl", list.as_str()).with("news/a.txt", "甲。乙。");
    let left = check(&folder, "annotate ./news --write", 0, &["0 pages written, 1 left: 1 with a gold from elsewhere"]);
    assert!(left.stderr.contains("a: left: its gold is a text from elsewhere") && left.stderr.contains("--replace"));
    assert_eq!(folder.read("news/pages.jsonl"), list);
    check(&folder, "annotate ./news --write --replace", 0, &["a: 4 -> 2 characters", "1 page written"]);
    // A text that was changed by hand since is from elsewhere, too.
    let by_hand = folder.read("news/pages.jsonl").replace("\"text\":\"甲。\"", "\"text\":\"甲\"");
    let folder = folder.with("news/pages.jsonl", by_hand.as_str());
    check(&folder, "annotate ./news --write", 0, &["0 pages written, 1 left"]);
    assert_eq!(folder.read("news/pages.jsonl"), by_hand);
    // Marks that started from the gold correct it.
    let corrected = log("li", &json!([[1, 1, "content"]]), false)
        .replace("\"proposal\":null", r#""proposal":{"kind":"gold","from":[],"set":[]}"#);
    let folder = folder.with("news/pages.jsonl", list).with("news/annotations/li.jsonl", corrected);
    check(&folder, "annotate ./news --write", 0, &["1 page written"]);
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
fn pages_that_nobody_has_finished_are_told() {
    let set = json!([[1, 3, "content"]]);
    check(
        &dataset().with("news/annotations/li.jsonl", log("li", &set, false)),
        "annotate ./news --write",
        0,
        &["1 page not begun"],
    );
    let begun = log("li", &set, false)
        .lines()
        .filter(|line| !line.contains("\"done\""))
        .fold(String::new(), |log, line| log + line + "\n");
    let folder = dataset()
        .with("news/annotations/li.jsonl", begun)
        .with("news/annotations/wang.jsonl", log("wang", &set, false));
    check(
        &folder,
        "annotate ./news --write --from li",
        0,
        &["a: left: that li has not finished", "0 pages written, 1 left: 1 that li has not finished"],
    );
    std::fs::remove_file(folder.path("news/annotations/wang.jsonl")).unwrap();
    check(
        &folder,
        "annotate ./news --write",
        0,
        &[
            "a: left: it is begun, and nobody has finished it",
            "0 pages written, 1 left: 1 that nobody has finished",
            "1 page not begun",
        ],
    );
}

#[test]
fn requests_that_cannot_be_are_refused() {
    let folder = dataset().with("news/annotations/li.jsonl", log("li", &json!([]), false));
    let told = |arguments: &str, code: i32| check(&folder, arguments, code, &[]).stderr;
    assert!(told("annotate portals --by li", 2).contains("carat dataset export portals --out DIR"));
    std::fs::create_dir_all(folder.path("saved")).unwrap();
    assert!(told("annotate ./saved --by li", 2).contains("carat dataset new DIR --from ./saved"));
    assert!(told("annotate ./news", 2).contains("--by NAME"));
    assert!(told("annotate ./nws --status", 2).contains("did you mean `./news`?"));
    told("annotate ./news --write --only a*", 2);
    told("annotate ./news --status --page a", 2);
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

/// A server of the screen.
#[cfg(unix)]
struct Serving {
    child: Child,
    host: String,
    token: String,
}

#[cfg(unix)]
impl Serving {
    fn begin(folder: &Folder, arguments: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_carat"))
            .args(arguments.split(' '))
            .current_dir(folder.path("."))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut address).unwrap();
        let (front, token) = address.trim().split_once("/#t=").unwrap();
        let host = front.strip_prefix("http://").unwrap().to_owned();
        Serving { child, host, token: token.to_owned() }
    }

    /// The answer to a request, with its head.
    fn get(&self, path: &str) -> String {
        let Serving { host, token, .. } = self;
        let mut stream = TcpStream::connect(host).unwrap();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Ends it as Ctrl-C does; what it told on stderr.
    fn end(self) -> String {
        Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        let ended = self.child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(0));
        String::from_utf8(ended.stderr).unwrap()
    }
}

#[test]
#[cfg(unix)]
fn the_screen_is_served_until_it_is_interrupted() {
    let folder = dataset();
    let serving = Serving::begin(&folder, "annotate ./news --by li");
    let answer = serving.get("/api/pages/a");
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("甲。"), "{answer}");
    let second = check(&folder, "annotate ./news --by li", 4, &[]);
    assert!(second.stderr.contains("annotates already"), "{}", second.stderr);
    let told = serving.end();
    assert!(told.contains("li annotates ./news: 2 pages, 0 done, 0 begun") && told.contains("--write"), "{told}");
    assert!(folder.read("news/annotations/guidelines.yaml").contains("carat-1"));
}

#[test]
#[cfg(unix)]
fn a_log_that_was_cut_off_is_mended_and_that_is_told() {
    let folder = dataset().with("news/annotations/li.jsonl", log("li", &json!([]), false));
    let whole = folder.read("news/annotations/li.jsonl");
    let folder = folder.with("news/annotations/li.jsonl", format!("{whole}{{\"page\":\"a\",\"do\":\"ma"));
    check(&folder, "annotate ./news --status", 0, &["note: ./news/annotations/li.jsonl: the last line is cut off"]);
    let told = Serving::begin(&folder, "annotate ./news --by li").end();
    assert!(told.contains("note: ./news/annotations/li.jsonl: the last line was cut off"), "{told}");
    assert_eq!(folder.read("news/annotations/li.jsonl"), whole);
    let told = Serving::begin(&folder, "annotate ./news --by li").end();
    assert!(!told.contains("cut off"), "{told}");
}

#[test]
fn listed_addresses_are_fetched_and_checked() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
            let first = lines.next().unwrap_or_default();
            lines.take_while(|line| !line.is_empty()).for_each(drop);
            let (status, body) = if first.contains("/gone") { ("410 Gone", "x") } else { ("200 OK", PAGE) };
            let length = body.len();
            let head = format!("HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n");
            let _ = stream.write_all(format!("{head}Connection: close\r\n\r\n{body}").as_bytes());
        }
    });
    let folder = Folder::new().with("list.txt", format!("{server}/1\n{server}/gone\n{server}/2\n"));
    let refused = check(&folder, "dataset new ./web --from list.txt --pause 0", 4, &[]);
    assert!(refused.stderr.contains("--private"), "{}", refused.stderr);
    let asked = "dataset new ./web --from list.txt --pause 0 --private --language zh";
    let ran =
        check(&folder, asked, 0, &["web 1: 2 pages, 0 with gold, 1 site", "duplicate-page", "carat annotate ./web"]);
    assert!(ran.stderr.contains("/gone: the server answers 410 Gone"), "{}", ran.stderr);
    assert!(folder.read("web/failed.tsv").ends_with("/gone\tthe server answers 410 Gone\n"));
    check(&folder, "run --dataset ./web --algorithm all-text --out out", 0, &[]);
    let other = check(&folder, "dataset new ./web --from list.md", 2, &[]);
    assert!(other.stderr.contains("already"), "{}", other.stderr);
    let other = check(&folder, "dataset new ./other --from list.md", 2, &[]);
    assert!(other.stderr.contains("neither a folder of pages nor a list"), "{}", other.stderr);
}

/// The ids of the pages, in the order in which the screen shows them.
#[cfg(unix)]
fn order_of(folder: &Folder, arguments: &str) -> Vec<String> {
    let serving = Serving::begin(folder, arguments);
    let answer = serving.get("/api/pages");
    serving.end();
    let listed: Json = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
    listed["pages"].as_array().unwrap().iter().map(|page| page["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
#[cfg(unix)]
fn pages_that_a_run_disputes_come_first() {
    let page = |links: &str| format!("<meta charset=utf-8><p>甲乙丙丁戊己庚辛。</p>{links}");
    let folder = Folder::new()
        .with("saved/a.html", page(""))
        .with("saved/b.html", page(&"<a href=/>广告新闻广告新闻</a>".repeat(9)))
        .with("saved/c.html", page("<a href=/>广告</a>"));
    check(&folder, "dataset new ./news --from ./saved --language zh", 0, &[]);
    check(&folder, "run --dataset ./news --algorithm all-text --algorithm nonlink-text --out out", 0, &[]);
    let mut lines = folder.csv("out/agreement.csv");
    let f1 = |line: &std::collections::BTreeMap<String, String>| line["f1"].parse::<f64>().unwrap();
    lines.sort_by(|one, other| f1(one).total_cmp(&f1(other)));
    let expected: Vec<&str> = lines.iter().map(|line| line["page"].as_str()).collect();
    assert_eq!(expected, ["b", "c", "a"]);
    let order = order_of(&folder, "annotate ./news --by li --order out");
    assert_eq!(order, expected);
    let told = |arguments: &str, code: i32| check(&folder, arguments, code, &[]).stderr;
    assert!(told("annotate ./news --by li --order site", 2).contains("sites, random or the folder of a run"));
    check(&folder, "run --dataset portals --algorithm all-text --out other", 0, &[]);
    assert!(told("annotate ./news --by li --order other", 2).contains("on no page of this dataset"));
}

/// A page on which `all-text` and `nonlink-text` agree the less, the more links it has.
fn page_with_links(links: usize) -> String {
    format!("<meta charset=gbk><p>abcdefgh.</p>{}", "<a href=/>more news</a>".repeat(links))
}

/// A crawl of two sites whose pages 1 to 8 have so many links, and a run over it.
fn crawl() -> Folder {
    let folder = (1..=8).fold(Folder::new(), |folder, page| {
        let host = if page % 2 == 0 { "www.x.cn" } else { "news.y.cn" };
        folder.with(&format!("crawl/{host}/{page}.html"), page_with_links(page))
    });
    check(&folder, "run --dataset ./crawl --algorithm all-text --algorithm nonlink-text --out reports/crawl", 0, &[]);
    folder
}

/// Fields of each line of a page list; `-` where there is none.
fn listed<const N: usize>(folder: &Folder, dataset: &str, fields: [&str; N]) -> Vec<[String; N]> {
    let list = folder.read(&format!("{dataset}/pages.jsonl"));
    let lines = list.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    lines.map(|line| fields.map(|field| line[field].as_str().unwrap_or("-").to_owned())).collect()
}

/// The lines of a run over `dataset` that two systems were compared on.
fn compared(folder: &Folder, dataset: &str, out: &str) -> Vec<[String; 4]> {
    let run = format!("run --dataset {dataset} --algorithm all-text --algorithm nonlink-text --out {out}");
    check(folder, &run, 0, &[]);
    let lines = folder.csv(&format!("{out}/agreement.csv")).into_iter();
    lines.map(|line| ["page", "site", "language", "f1"].map(|column| line[column].clone())).collect()
}

#[test]
fn disputed_and_random_pages_of_a_run_become_a_dataset() {
    let folder = crawl();
    let asked = "dataset new ./gold --from reports/crawl --disputed 3 --sample 2";
    let made = check(&folder, asked, 0, &["gold: 5 pages", "carat annotate ./gold --by me --order reports/crawl"]);
    let told = "3 pages (group: disputed) and 2 pages (group: random): means over the disputed pages say nothing about the crawl; \
                `--where group=random` of `carat annotate ./gold` and `carat run --dataset ./gold` has the random ones alone";
    assert!(made.stderr.contains(told) && !made.stderr.contains("gold is not copied"), "{}", made.stderr);
    check(&folder, "dataset new ./sample --from ./crawl --sample 2", 0, &[]);
    let sample: Vec<String> = listed(&folder, "sample", ["id"]).into_iter().flatten().collect();
    let drawn = listed(&folder, "gold", ["id", "group"]);
    let of = |draw: &str| -> Vec<&str> {
        drawn.iter().filter(|[_, group]| group == draw).map(|[id, _]| id.as_str()).collect()
    };
    assert_eq!(of("random"), sample, "the random draw is of all pages");
    #[cfg(unix)]
    for order in ["sites", "reports/crawl"] {
        let mut random = order_of(&folder, &format!("annotate ./gold --by li --where group=random --order {order}"));
        random.sort_unstable();
        assert_eq!(random, sample);
    }
    for (filter, told) in [
        ("group=radnom", "--where: no page that is asked for states group=radnom"),
        ("group=random --status", "'--where <KEY=VALUE>' cannot be used with '--status'"),
        ("gruop=random", "pages cannot be filtered by `gruop`; did you mean `group`?"),
        ("split=site:20%", "a split that is drawn is for runs; --sample N draws pages"),
    ] {
        check(&folder, &format!("annotate ./gold --by li --where {filter}"), 2, &[told]);
    }
    let rest: Vec<String> = (1..=8).rev().map(|page| page.to_string()).filter(|id| !sample.contains(id)).collect();
    assert_eq!(of("disputed").into_iter().rev().collect::<Vec<_>>(), &rest[..3]);
    // Ids, sites and languages are those of the run, and so are the figures.
    let whole = compared(&folder, "./crawl", "reports/crawl");
    assert!(whole.iter().all(|[_, site, ..]| ["x.cn", "y.cn"].contains(&site.as_str())), "{whole:?}");
    let part: Vec<_> = whole.iter().filter(|[id, ..]| drawn.iter().any(|[drawn, _]| drawn == id)).cloned().collect();
    assert_eq!(compared(&folder, "./gold", "reports/gold"), part);
    check(
        &folder,
        "run --dataset ./gold --where group=random --algorithm all-text --out r",
        0,
        &["2 pages without gold"],
    );

    let alone =
        check(&folder, "dataset new ./few --from reports/crawl --disputed 9 --per-site 3", 0, &["few: 6 pages"]);
    for told in [
        "--disputed 9: only 6 pages without gold could be drawn",
        "6 pages (group: disputed): means",
        "--sample M draws",
    ] {
        assert!(alone.stderr.contains(told), "{}", alone.stderr);
    }
    let ids: Vec<String> = listed(&folder, "few", ["id"]).into_iter().flatten().collect();
    assert_eq!(ids, ["3", "4", "5", "6", "7", "8"]);
    let folder = folder.with("crawl/www.x.cn/8.html", page_with_links(9));
    let changed = check(&folder, "dataset new ./later --from reports/crawl --disputed 1", 0, &["later: 1 page"]);
    assert!(changed.stderr.contains("warning: 1 page changed since the run: 8"), "{}", changed.stderr);
}

#[test]
#[cfg(unix)]
fn the_order_of_a_run_holds_for_datasets_that_are_made_of_its_pages() {
    let folder = crawl();
    check(&folder, "dataset new ./gold --from reports/crawl --disputed 3", 0, &[]);
    assert_eq!(order_of(&folder, "annotate ./gold --by li --order reports/crawl"), ["8", "7", "6"]);
    // A dataset of the folder has the ids and the sites of a run of the folder.
    check(&folder, "dataset new ./news --from ./crawl", 0, &["news: 8 pages"]);
    assert_eq!(compared(&folder, "./news", "reports/news"), compared(&folder, "./crawl", "reports/crawl"));
    let order = order_of(&folder, "annotate ./news --by li --order reports/crawl");
    assert_eq!(order, ["8", "7", "6", "5", "4", "3", "2", "1"]);
    // So it has where names repeat: then ids are paths.
    let folder = folder.with("crawl/news.y.cn/2.html", page_with_links(30));
    check(&folder, "dataset new ./more --from ./crawl", 0, &["more: 9 pages"]);
    assert_eq!(compared(&folder, "./more", "reports/more"), compared(&folder, "./crawl", "reports/second"));
    let order = order_of(&folder, "annotate ./more --by li --order reports/second");
    assert_eq!(order[..2], ["news.y.cn~2.html", "www.x.cn~8.html"]);
}

#[test]
fn pages_of_a_run_over_warc_files_keep_what_their_records_say() {
    let record = |id: &str, links: usize| {
        response(id, &format!("http://www.x.cn/{id}"), "200 OK", "text/html; charset=gb18030", &page_with_links(links))
    };
    let folder = Folder::new().with("web.warc", [record("b", 1), record("a", 9), record("c", 4)].concat());
    let whole = compared(&folder, "warc:./web.warc", "out");
    check(&folder, "dataset new ./gold --from out --disputed 2", 0, &["gold: 2 pages", "--order out"]);
    let lines = listed(&folder, "gold", ["id", "url", "site", "crawled", "encoding", "group"]);
    let line = |id: &str| {
        let url = format!("http://www.x.cn/{id}");
        [id, &url, "x.cn", "2026-11-02T03:04:05Z", "gb18030", "disputed"].map(str::to_owned)
    };
    assert_eq!(lines, [line("a"), line("c")]);
    let part: Vec<_> = whole.into_iter().filter(|[id, ..]| id != "b").collect();
    assert_eq!(compared(&folder, "./gold", "again"), part);
}

#[test]
fn draws_of_what_is_no_fitting_run_are_refused() {
    let folder = crawl().with("other/a.html", page_with_links(1));
    let told = |arguments: &str, code: i32| check(&folder, arguments, code, &[]).stderr;
    let no_run = "./crawl is no folder of a run; did you mean ./reports/crawl?";
    assert!(told("dataset new ./no --from ./crawl --disputed 3", 2).contains(no_run));
    assert!(told("dataset new ./no --from ./crawl --dataset crawl", 2).contains(no_run));
    let algorithms = "--algorithm all-text --algorithm nonlink-text";
    check(&folder, &format!("run --dataset ./crawl --dataset ./other {algorithms} --out both"), 0, &[]);
    let several = "name one by --dataset: crawl, other";
    assert!(told("dataset new ./no --from both --disputed 1", 2).contains(several));
    assert!(told("dataset new ./no --from both --dataset news", 2).contains("no dataset `news`; it has crawl, other"));
    check(&folder, "dataset new ./one --from both --dataset other --disputed 1", 0, &["one: 1 page"]);
    check(&folder, "run --dataset ./crawl --algorithm all-text --out alone", 0, &[]);
    assert!(
        told("dataset new ./no --from alone --disputed 1", 2).contains("compares systems on no page of this dataset")
    );
    check(&folder, "run --dataset ./crawl --measure lcs,bag --algorithm all-text --out measures", 0, &[]);
    assert!(told("dataset new ./no --from measures", 3).contains("name the folder of one measure"));
    assert!(!folder.path("no").exists());
    check(&folder, "run --dataset portals --algorithm all-text --out gold", 0, &[]);
    let gold = check(&folder, "dataset new ./some --from gold --sample 2", 0, &["some: 2 pages", "0 with gold"]);
    assert!(gold.stderr.contains("note: gold is not copied, for a new dataset has none"), "{}", gold.stderr);
    assert!(!folder.read("some/pages.jsonl").contains("gold"));
}

#[test]
fn a_report_leads_back_to_the_gold_of_a_page() {
    let folder = dataset().with("news/annotations/li.jsonl", log("li", &json!([[1, 3, "content"]]), false));
    check(&folder, "annotate ./news --write", 0, &["1 page written"]);
    check(&folder, "run --dataset ./news --algorithm all-text --algorithm nonlink-text --out out", 0, &[]);
    let pages = std::fs::read_dir(folder.path("out/pages")).unwrap();
    let texts: Vec<String> = pages.map(|page| std::fs::read_to_string(page.unwrap().path()).unwrap()).collect();
    for id in ["a", "b"] {
        let command = format!("\"to_gold\":\"carat annotate ./news --page {id} --by me\"");
        assert_eq!(texts.iter().filter(|text| text.contains(&command)).count(), 1, "{id}");
    }
    check(&folder, "run --dataset portals --algorithm all-text --out other", 0, &[]);
    let other = std::fs::read_dir(folder.path("other/pages")).unwrap().next().unwrap().unwrap().path();
    assert!(std::fs::read_to_string(other).unwrap().contains("\"to_gold\":null"));
}

#[test]
fn a_status_tells_what_was_kept_and_what_changed() {
    let proposal = json!({"kind": "sisters", "from": ["b"], "set": [[0, 0, "content"], [2, 2, "content"]]});
    let kept = log("li", &json!([[1, 3, "content"], [2, 2, "content"]]), false);
    let kept = kept.replace("\"proposal\":null", &format!("\"proposal\":{proposal}"));
    let other = log("wang", &json!([[1, 3, "content"]]), false).replace(TEXT, &TEXT.replace('2', "3"));
    let folder = dataset().with("news/annotations/li.jsonl", kept).with("news/annotations/wang.jsonl", other);
    let kept = "  kept 0.67 of 3 proposed characters";
    let changed = "  1 page with another text than was marked: a";
    check(&folder, "annotate ./news --status", 0, &["li: 1 of 2 pages done", kept, "wang: 1 of 2 pages done", changed]);
}

/// Pages in three languages, with gold, and with links and words that stop lists tell from it.
fn pages_in_three_languages() -> Folder {
    let texts = [
        (
            "zh1",
            "国务院今天发布了关于加强城市管理工作的意见，要求各地区认真贯彻落实，并且在年底之前报告工作的进展。",
            "the about",
        ),
        (
            "de1",
            "Der Bundestag hat am Donnerstag über das neue Gesetz beraten, das nächstes Jahr in Kraft tritt.",
            "Startseite",
        ),
        (
            "de2",
            "Es war das erste Mal seit zehn Jahren, dass der Fluss so hoch über die Mauern gestiegen ist.",
            "Impressum",
        ),
        ("en1", "It was the first time in a decade that the river had risen so far above the walls.", "News Contact"),
    ];
    texts.iter().fold(Folder::new(), |folder, (name, text, links)| {
        let text = [*text; 3].join(" ");
        let menu = format!("<ul><li><a href=/>{links}</a><li><a href=/>{links}</a></ul>");
        let own = format!("<div><p>{text}</p><p>{text}</p></div><div><p>the about us of {links}</div>");
        folder
            .with(&format!("saved/{name}.html"), format!("<meta charset=utf-8><body>{menu}{own}{menu}"))
            .with(&format!("saved/gold/{name}.txt"), format!("{text}\n{text}\n"))
    })
}

/// The page, the row, and the counts of every line of a run's scores.
fn figures(folder: &Folder, run: &str) -> Vec<[String; 6]> {
    let columns = ["page", "algorithm", "parameters", "matched", "extracted", "text"];
    let lines = folder.csv(&format!("{run}/scores.csv")).into_iter();
    let mut rows: Vec<[String; 6]> = lines.map(|row| columns.map(|column| row[column].clone())).collect();
    rows.sort();
    rows
}

#[test]
fn a_new_dataset_has_the_figures_of_the_folder_that_it_was_made_from() {
    let folder = pages_in_three_languages();
    let made = check(&folder, "dataset new ./news --from ./saved", 0, &["news: 4 pages"]);
    let told = "note: languages as the texts of the pages seem to be in: de 2, en 1, zh 1 (--set language=TAG states it, --set \
                language=none: none)";
    assert!(made.stderr.contains(told), "{}", made.stderr);
    check(&folder, "dataset new ./stated --from ./saved --set language=zh", 0, &[]);
    assert!(folder.read("stated/dataset.yaml").contains("defaults: {language: zh}"));
    let made = check(&folder, "dataset new ./none --from ./saved --language none", 0, &[]);
    assert!(!made.stderr.contains("languages"), "{}", made.stderr);
    check(&folder, "dataset new ./other --from ./saved --set language=en_US", 2, &[]);
    let refused = check(&folder, "dataset new ./other --from ./saved --name News", 2, &[]).stderr;
    assert!(refused.contains("`News` is no dataset name") && !folder.path("other").exists(), "{refused}");
    // The golds are those of the folder; nobody marks pages here.
    let with_golds = |folder: Folder, name: &str| {
        let lines: Vec<String> = folder
            .read(&format!("{name}/pages.jsonl"))
            .lines()
            .map(|line| {
                let mut record: Json = serde_json::from_str(line).unwrap();
                let gold = folder.read(&format!("saved/gold/{}.txt", record["id"].as_str().unwrap()));
                record["gold"] = json!({"text": gold});
                format!("{record}\n")
            })
            .collect();
        folder.with(&format!("{name}/pages.jsonl"), lines.concat())
    };
    let folder = ["news", "stated", "none"].into_iter().fold(folder, with_golds);
    let run = |dataset: &str, out: &str| {
        let rows = "--algorithm all-text --algorithm justext --algorithm cevc:alpha=1 --algorithm bte";
        check(&folder, &format!("run --dataset {dataset} {rows} --out {out}"), 0, &[]);
        figures(&folder, out)
    };
    let [of_folder, of_new] = [run("./saved", "a"), run("./news", "b")];
    assert_eq!(of_folder, of_new);
    assert_eq!(run("./saved,language=zh", "c"), run("./stated", "d"));
    let without = run("./none", "e");
    assert!(without == run("./saved,language=none", "f") && without != of_new, "languages make the difference");
}

/// A response, as a record of a WARC file.
fn response(id: &str, url: &str, status: &str, kind: &str, body: &str) -> String {
    let block = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n\r\n{body}");
    format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{id}>\r\nWARC-Target-URI: {url}\r\n\
         WARC-Date: 2026-11-02T03:04:05Z\r\nContent-Type: application/http; msgtype=response\r\n\
         Content-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
}

#[test]
fn pages_of_warc_files_become_a_dataset() {
    let text = "国务院今天发布了关于加强城市管理工作的意见，要求各地区认真贯彻落实，并且在年底之前报告工作的进展。";
    let page = |text: &str| format!("<body><p>{text}</p>");
    let warc = [
        response("b", "http://www.x.cn/2", "200 OK", "text/html; charset=utf-8", &page(text)),
        response("a", "http://news.x.cn/1", "200 OK", "text/html; charset=utf-8", &page("short")),
        response("c", "http://y.cn/", "404 Not Found", "text/html", &page("gone")),
        response("d", "http://y.cn/p.png", "200 OK", "image/png", "x"),
        response("e", "https://y.cn/3", "200 OK", "text/html", "<title>no text</title>"),
    ]
    .concat();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(warc.as_bytes()).unwrap();
    let folder = Folder::new().with("crawl.warc", &warc).with("crawl.WARC.GZ", packed.finish().unwrap());
    let made = check(
        &folder,
        "dataset new ./web --from crawl.warc",
        0,
        &["web 1: 3 pages, 0 with gold, 2 sites", "carat annotate ./web"],
    );
    for told in [
        "note: no pages: 1 response of status 404, 1 response of another media type",
        "languages as the texts of the pages seem to be in: zh 1, unknown 2",
        "note: 1 page without text, empty or to be filled by scripts: e",
    ] {
        assert!(made.stderr.contains(told), "`{told}` is not in {}", made.stderr);
    }
    let list = folder.read("web/pages.jsonl");
    let lines: Vec<Json> = list.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ids: Vec<&Json> = lines.iter().map(|line| &line["id"]).collect();
    assert_eq!(ids, ["a", "b", "e"]);
    let second = &lines[1];
    assert_eq!(
        ["url", "crawled", "encoding", "language"].map(|field| second[field].as_str().unwrap_or_default()),
        ["http://www.x.cn/2", "2026-11-02T03:04:05Z", "utf-8", "zh"]
    );
    // The same pages under the same ids as those of an import, packed or not.
    check(&folder, "dataset new ./packed --from crawl.WARC.GZ", 0, &["packed: 3 pages"]);
    assert_eq!(folder.read("packed/pages.jsonl"), list);
    check(&folder, "dataset import warc crawl.warc --out imported --set compress=none", 0, &[]);
    let run = |dataset: &str, out: &str| {
        check(&folder, &format!("run --dataset {dataset} --algorithm all-text --algorithm bte --out {out}"), 0, &[]);
        let pages = folder.csv(&format!("{out}/agreement.csv")).into_iter();
        pages.map(|page| ["page", "site", "f1"].map(|column| page[column].clone())).collect::<Vec<_>>()
    };
    assert_eq!(run("./web", "a"), run("./imported", "b"));
    // A folder of such files does too, beside what is no page; saved pages go before.
    let (first, rest) =
        warc.split_at(warc.find("WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:c>").unwrap());
    let folder = folder.with("crawls/1/a.warc", first).with("crawls/b.warc", rest).with("crawls/notes.md", "x");
    check(&folder, "dataset new ./several --from crawls", 0, &["several: 3 pages"]);
    assert_eq!(folder.read("several/pages.jsonl"), list);
    let folder = folder.with("crawls/saved.html", "<p>saved");
    let saved = check(&folder, "dataset new ./saved --from crawls", 0, &["saved: 1 page"]);
    assert!(saved.stderr.contains("passed over: b.warc: it is a WARC file beside saved pages"), "{}", saved.stderr);
    check(&folder, "dataset new ./one --from crawl.warc --per-site 1 --sample 1 --language zh", 0, &["one: 1 page"]);
    let folder = folder.with("broken.warc", "WARC/1.1\r\nnonsense").with("empty.warc", "");
    check(&folder, "dataset new ./no --from broken.warc", 3, &[]);
    check(&folder, "dataset new ./no --from empty.warc", 3, &[]);
    assert!(!folder.path("no").exists());
}

/// The annotations of a dataset on a disk that nobody may write to.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_read_only_is_told_and_what_only_reads_goes_on() {
    let folder = dataset().with("news/annotations/li.jsonl", log("li", &json!([[1, 3, "content"]]), false));
    let Some(told) = crate::support::on_disk_to_read(&folder, "news") else { return };
    for by in ["li", "wang"] {
        let ended = told(&format!("annotate disk/news --by {by}"), 4);
        assert!(
            ended.starts_with("error: cannot write disk/news/annotations/") && ended.contains("Read-only file system"),
            "{ended}"
        );
        assert_eq!(ended.lines().count(), 1, "{ended}");
    }
    assert!(told("annotate disk/news --status", 0).contains("li: 1 of 2 pages done"));
    let unwritten = told("annotate disk/news --write", 4);
    assert!(unwritten.contains("cannot write disk/news/") && unwritten.contains("Read-only"), "{unwritten}");
}
