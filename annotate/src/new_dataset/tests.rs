use std::cell::Cell;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::*;

/// A stand-in for the rule of ids.
fn id_of(path: &str) -> String {
    path.replace([':', '?', '='], "+")
}

/// A stand-in for the rule of ids of a folder: each is the path without its ending.
fn ids_of(paths: &[&str]) -> Vec<String> {
    paths.iter().map(|path| path.replace('/', "~").split('.').next().unwrap_or_default().to_owned()).collect()
}

/// A stand-in for the rule of sites of a folder: the first folder of each path.
fn sites_of(paths: &[&str]) -> Vec<Option<String>> {
    paths.iter().map(|path| path.split_once('/').map(|(folder, _)| folder.to_owned())).collect()
}

/// A stand-in for the rule of frames: what lies in a folder of this name.
fn are_frames(paths: &[&str]) -> Vec<bool> {
    paths.iter().map(|path| path.contains("_files/")).collect()
}

/// The ids of pages in the list of a dataset that have neither an address nor a site.
fn without_site(out: &Path) -> Vec<String> {
    let list = fs::read_to_string(out.join("pages.jsonl")).unwrap();
    let records = list.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let unknown = records.filter(|record| record["url"].is_null() && record["site"].is_null());
    unknown.map(|record| record["id"].as_str().unwrap().to_owned()).collect()
}

fn request<'r>(source: &'r Path, out: &'r Path) -> Request<'r> {
    Request {
        header: "",
        source: Source::Path(source),
        out,
        name: "news",
        languages: Languages::Stated("zh"),
        origin: None,
        id_of: &id_of,
        are_frames: &are_frames,
        ids_of: &ids_of,
        sites_of: &sites_of,
        encoding: None,
        licence: "unknown",
        is_wanted: &|_| true,
        per_site: None,
        sample: None,
        disputes: None,
        seed: 1,
        fetching: Fetching { pause: Duration::ZERO, is_private_allowed: true, stopped: &|| false, tell: &|_| () },
    }
}

#[test]
fn saved_pages_become_a_dataset() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("saved");
    fs::create_dir_all(source.join("a/新闻_files")).unwrap();
    let put = |name: &str, bytes: &[u8]| fs::write(source.join(name), bytes).unwrap();
    put("a/新闻.html", "<!-- saved from url=(0022)http://x.example.cn/1 --><p>甲".as_bytes());
    put("a/新闻_files/frame.html", b"<p>no page");
    put("a/新闻_files/frame.mhtml", b"x");
    put("b.HTM", b"<link rel=canonical href=https://y.example/2><p>b");
    put("c.html", b"<!--\n Page saved with SingleFile \n url: https://z.example/3 \n--><p>c");
    put("d.shtml", b"<meta property=og:url content=' https://d.example/4'><p>d");
    put("e.html", b"<p>e");
    put("f.html", b"<p>f");
    put(
        "urls.tsv",
        b"\xEF\xBB\xBF# f.html\r\nf.html\thttps://f.example/6\r\n\r\ne.html https://e.example/5\r\ne.html\te.example/5\ngone.html\thttp://x.cn\n\
          f.html\thttps://f.example/7\n",
    );
    put("g.mhtml", b"x");
    put(".hidden.html", b"x");
    put("notes.txt", b"x");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"<p>packed").unwrap();
    put("h.html.gz", &packed.finish().unwrap());
    let out = folder.path().join("news");
    let made = make(&request(&source, &out)).unwrap();
    assert_eq!((made.pages, without_site(&out)), (7, vec!["e".to_owned(), "h".to_owned()]));
    assert_eq!(made.frames, ["a/新闻_files/frame.html"]);
    let told: Vec<String> = made.passed.iter().map(|(name, reason)| format!("{name}: {reason}")).collect();
    assert!(told[0].starts_with("g.mhtml: MHTML is not read"), "{told:?}");
    assert_eq!(
        told[1..],
        [
            "urls.tsv:4: it has no tab between path and address",
            "urls.tsv:5: `e.example/5` is no address of http or https",
            "urls.tsv:7: f.html has an address already",
            "urls.tsv:6: there is no page gone.html",
        ]
    );
    let list = fs::read_to_string(out.join("pages.jsonl")).unwrap();
    let records: Vec<serde_json::Value> = list.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told: Vec<String> =
        records.iter().map(|record| format!("{} {}", record["id"].as_str().unwrap(), record["url"])).collect();
    assert_eq!(
        told,
        [
            "a~新闻 \"http://x.example.cn/1\"",
            "b \"https://y.example/2\"",
            "c \"https://z.example/3\"",
            "d \"https://d.example/4\"",
            "e null",
            "f \"https://f.example/6\"",
            "h null"
        ]
    );
    let stored = fs::read(out.join(records[6]["html"]["path"].as_str().unwrap())).unwrap();
    assert_eq!(zstd::decode_all(&stored[..]).unwrap(), b"<p>packed");
    assert_eq!(records[6]["html"]["sha256"], json!(sha256(b"<p>packed")));
    let again = make(&request(&source, &out)).unwrap_err();
    assert!(again.to_string().contains("already"), "{again}");
}

#[test]
fn a_small_sample_is_part_of_a_larger_one() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("saved");
    fs::create_dir_all(&source).unwrap();
    (0..30).for_each(|page| fs::write(source.join(format!("{page}.html")), "<p>x").unwrap());
    let ids = |count: usize| -> BTreeSet<String> {
        let out = folder.path().join(count.to_string());
        make(&Request { sample: Some(count), ..request(&source, &out) }).unwrap();
        let list = fs::read_to_string(out.join("pages.jsonl")).unwrap();
        list.lines().map(|line| line.split('"').nth(3).unwrap().to_owned()).collect()
    };
    let (small, large) = (ids(5), ids(12));
    assert!(small.len() == 5 && large.len() == 12 && small.is_subset(&large));
    let empty = make(&Request { is_wanted: &|_| false, ..request(&source, &folder.path().join("none")) });
    assert!(empty.unwrap_err().to_string().contains("no page"));
}

#[test]
fn languages_are_found_in_pages_unless_they_are_stated() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("saved");
    fs::create_dir_all(&source).unwrap();
    for page in ["de 1", "de 2", "el 3", "-"] {
        fs::write(source.join(format!("{}.html", page.replace(' ', ""))), format!("<p>{page}")).unwrap();
    }
    let find = |bytes: &[u8], _: Option<&str>| {
        let text = String::from_utf8_lossy(bytes).replace("<p>", "");
        text.split_once(' ').map(|(language, _)| language.to_owned())
    };
    let languages = |name: &str, languages: Languages<'_>| {
        let out = folder.path().join(name);
        let made = make(&Request { languages, ..request(&source, &out) }).unwrap();
        let list = fs::read_to_string(out.join("pages.jsonl")).unwrap();
        let lines = list.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
        let of_lines: Vec<Option<String>> =
            lines.map(|line| line.get("language").and_then(Json::as_str).map(str::to_owned)).collect();
        (made.languages, of_lines, fs::read_to_string(out.join("dataset.yaml")).unwrap().contains("language: zh"))
    };
    let own = |language: &str| Some(language.to_owned());
    let found = BTreeMap::from([("de".to_owned(), 2), ("el".to_owned(), 1)]);
    assert_eq!(
        languages("found", Languages::Found(&find)),
        (found, vec![None, own("de"), own("de"), own("el")], false)
    );
    assert_eq!(languages("stated", Languages::Stated("zh")), (BTreeMap::new(), vec![None; 4], true));
    assert_eq!(languages("unknown", Languages::Unknown), (BTreeMap::new(), vec![None; 4], false));
}

#[test]
fn pages_that_a_reader_gives_keep_what_it_says_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let given = |id: &str, url: Option<&str>, bytes: Result<&'static str, &'static str>| Given {
        id: id.to_owned(),
        url: url.map(str::to_owned),
        site: url.map(|_| "x.cn".to_owned()),
        language: Some("fr".to_owned()),
        other: Map::from_iter([("crawled".to_owned(), json!("2026-11-01")), ("encoding".to_owned(), json!("gbk"))]),
        bytes: Box::new(move || bytes.map(|text| text.as_bytes().to_vec()).map_err(str::to_owned)),
    };
    let pages = [
        given("b", Some("http://x.cn/1"), Ok("<p>one")),
        given("a", Some("http://www.x.cn/2"), Ok("<p>two")),
        given("c", None, Err("it is cut")),
    ];
    let asked = std::cell::RefCell::new(Vec::new());
    let find = |_: &[u8], encoding: Option<&str>| {
        asked.borrow_mut().push(encoding.map(str::to_owned));
        None
    };
    let out = folder.path().join("out");
    let path = Path::new("crawl.warc");
    let base = || Request { source: Source::Given { pages: &pages, path }, ..request(path, &out) };
    let made = make(&Request { languages: Languages::Found(&find), ..base() }).unwrap();
    assert_eq!((made.pages, made.passed), (2, vec![("c".to_owned(), "it is cut".to_owned())]));
    assert_eq!((made.languages, asked.borrow().len()), (BTreeMap::from([("fr".to_owned(), 2)]), 0));
    let list = fs::read_to_string(out.join("pages.jsonl")).unwrap();
    let first: Json = serde_json::from_str(list.lines().next().unwrap()).unwrap();
    assert_eq!(
        ["id", "url", "site", "crawled", "encoding", "language"].map(|field| first[field].as_str().unwrap()),
        ["b", "http://x.cn/1", "x.cn", "2026-11-01", "gbk", "fr"]
    );
    // What is stated for all of them decides, and languages are sought in it.
    let stated = folder.path().join("stated");
    make(&Request { out: &stated, encoding: Some("Big5"), languages: Languages::Found(&find), ..base() }).unwrap();
    let list = fs::read_to_string(stated.join("pages.jsonl")).unwrap();
    assert_eq!((list.matches("\"encoding\":\"Big5\"").count(), list.matches("\"encoding\"").count()), (2, 2), "{list}");
    let drawn = folder.path().join("drawn");
    let one = make(&Request { out: &drawn, per_site: Some(1), ..base() }).unwrap();
    assert_eq!(one.pages, 1, "both are of one site, and the third cannot be read: {:?}", one.passed);
}

#[test]
fn disputed_pages_are_drawn_beside_a_sample_of_all() {
    let folder = tempfile::tempdir().unwrap();
    let page = |number: usize| Given {
        id: format!("p{number:02}"),
        url: None,
        site: Some(format!("s{}", number % 10)),
        language: None,
        other: Map::from_iter([("group".to_owned(), json!("own"))]),
        bytes: Box::new(|| Ok(b"<p>x".to_vec())),
    };
    let pages: Vec<Given<'_>> = (0..40).map(page).collect();
    // One page is gone since, and pages of an odd number are not disputed.
    let ids: Vec<String> =
        ["gone".to_owned()].into_iter().chain((0..20).rev().map(|half| format!("p{:02}", 2 * half))).collect();
    let path = Path::new("run");
    let drawn = |name: &str, most: Option<usize>, sample: Option<usize>, per_site: Option<usize>| {
        let out = folder.path().join(name);
        let disputes = most.map(|most| Disputes { ids: &ids, most });
        let base = Request { source: Source::Given { pages: &pages, path }, ..request(path, &out) };
        let made = make(&Request { disputes, sample, per_site, ..base }).unwrap();
        let list = fs::read_to_string(out.join("pages.jsonl")).unwrap();
        let lines = list.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
        let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for line in lines {
            let [group, id] = ["group", "id"].map(|field| line[field].as_str().unwrap().to_owned());
            groups.entry(group).or_default().push(id);
        }
        (groups, made.draws)
    };
    let sample = drawn("sample", None, Some(5), None).0.remove("own").unwrap();
    let (both, draws) = drawn("both", Some(4), Some(5), None);
    assert_eq!(both["random"], sample, "the sample is the same with disputed pages and without");
    let rest: Vec<&String> = ids[1..].iter().filter(|id| !sample.contains(id)).take(4).collect();
    let mut disputed: Vec<&String> = both["disputed"].iter().collect();
    disputed.reverse();
    assert_eq!(disputed, rest, "the list has the order of the source");
    assert_eq!(draws, BTreeMap::from([(Draw::Disputed, 4), (Draw::Random, 5)]));
    let (alone, _) = drawn("alone", Some(3), None, None);
    assert_eq!(alone, BTreeMap::from([("disputed".to_owned(), ["p34", "p36", "p38"].map(str::to_owned).into())]));
    // Disputed pages are of five sites.
    let (few, draws) = drawn("few", Some(9), None, Some(1));
    assert_eq!(
        (&few["disputed"][..], draws[&Draw::Disputed]),
        (&["p30", "p32", "p34", "p36", "p38"].map(str::to_owned)[..], 5)
    );
    let (few, _) = drawn("fewer", Some(40), Some(10), Some(1));
    assert_eq!((few["random"].len(), few.get("disputed")), (10, None), "a page of each site was drawn already");
}

#[test]
fn paths_tell_the_sites_of_pages_without_an_address() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("saved");
    for (path, html) in
        [("x/1.html", "<p>1"), ("x/2.html", "<p>2"), ("y/3.html", "<link rel=canonical href=http://z.cn/3><p>3")]
    {
        fs::create_dir_all(source.join(path).parent().unwrap()).unwrap();
        fs::write(source.join(path), html).unwrap();
    }
    let lines = |name: &str, per_site: Option<usize>| -> Vec<Json> {
        let out = folder.path().join(name);
        make(&Request { per_site, origin: Some("saved"), ..request(&source, &out) }).unwrap();
        let list = fs::read_to_string(out.join("pages.jsonl")).unwrap();
        list.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let sites: Vec<Json> = lines("all", None).iter().map(|line| json!([line["site"], line["url"]])).collect();
    assert_eq!(sites, [json!(["x", null]), json!(["x", null]), json!([null, "http://z.cn/3"])]);
    assert_eq!(lines("one", Some(1)).len(), 2);
    assert!(fs::read_to_string(folder.path().join("all/dataset.yaml")).unwrap().contains("x-pages-of: \"saved\"\n"));
    fs::write(source.join("4.html"), "<p>4").unwrap();
    let out = folder.path().join("more");
    make(&request(&source, &out)).unwrap();
    assert_eq!(without_site(&out), ["4"]);
}

#[test]
fn some_pages_of_each_site_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("saved");
    fs::create_dir_all(&source).unwrap();
    for (site, pages) in [("x", 6), ("y", 2)] {
        for page in 0..pages {
            let html = format!("<link rel=canonical href=https://n{page}.{site}.cn/{page}><p>x");
            fs::write(source.join(format!("{site}{page}.html")), html).unwrap();
        }
    }
    let out = folder.path().join("out");
    assert_eq!(make(&Request { per_site: Some(3), ..request(&source, &out) }).unwrap().pages, 5);
    let list = fs::read_to_string(out.join("pages.jsonl")).unwrap();
    assert_eq!(list.matches("\"id\":\"x").count(), 3, "{list}");
}

/// A server of a few answers, by path; how many requests it had.
fn server() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (count, asked) = (Arc::new(AtomicUsize::new(0)), address.clone());
    let counted = count.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
            let first = lines.next().unwrap_or_default();
            let heads: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
            assert!(!heads.iter().any(|head| head.to_lowercase().starts_with("cookie")), "{heads:?}");
            counted.fetch_add(1, Ordering::Relaxed);
            let (status, kind, extra, body) = match first.split(' ').nth(1).unwrap_or_default() {
                "/a" => ("200 OK", "text/html; charset=gbk", String::new(), "<p>\u{fffd}a</p>"),
                "/moved" => ("302 Found", "text/html", format!("Location: {asked}/b\r\n"), ""),
                "/b" => ("200 OK", "text/html", "Set-Cookie: x=1\r\n".to_owned(), "<title>no text</title>"),
                "/loop" => ("302 Found", "text/html", "Location: /loop\r\n".to_owned(), ""),
                "/picture" => ("200 OK", "image/png", String::new(), "x"),
                _ => ("404 Not Found", "text/html", String::new(), "x"),
            };
            let length = body.len();
            let head = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{extra}Content-Length: {length}\r\n");
            let _ = stream.write_all(format!("{head}Connection: close\r\n\r\n{body}").as_bytes());
        }
    });
    (address, count)
}

#[test]
fn listed_addresses_and_files_become_a_dataset() {
    let (server, _) = server();
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("list.txt");
    let list = ["/a", "/moved", "/loop", "/picture", "/none"].map(|path| format!("{server}{path}\n")).concat();
    fs::write(&source, list + "here.html\nmissing.html\n").unwrap();
    fs::write(folder.path().join("here.html"), "<p>here").unwrap();
    let out = folder.path().join("out");
    let made = make(&request(&source, &out)).unwrap();
    let id = |path: &str| id_of(&format!("{}~{path}", server.trim_start_matches("http://")));
    assert_eq!((made.pages, &made.without_text), (3, &vec![id("moved")]));
    let list = fs::read_to_string(out.join("pages.jsonl")).unwrap();
    let lines: Vec<serde_json::Value> = list.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["id"], &lines[0]["encoding"]), (&json!(id("a")), &json!("GBK")));
    assert_eq!(lines[1]["url"], json!(format!("{server}/b")), "the address that it came from at last");
    assert!(lines[1]["crawled"].as_str().unwrap().ends_with('Z'));
    assert_eq!((&lines[2]["id"], lines[2].get("url")), (&json!("here"), None));
    let stored = fs::read(out.join(lines[0]["html"]["path"].as_str().unwrap())).unwrap();
    assert_eq!(zstd::decode_all(&stored[..]).unwrap(), "<p>\u{fffd}a</p>".as_bytes());
    let failed = fs::read_to_string(out.join("failed.tsv")).unwrap();
    let reasons: Vec<&str> = failed.lines().map(|line| line.split_once('\t').unwrap().1).collect();
    assert!(reasons[0].contains("redirects"), "{failed}");
    assert_eq!(reasons[1..], ["it is `image/png`, not HTML", "the server answers 404 Not Found"]);
    assert!(made.passed.len() == 1 && made.passed[0].0 == "missing.html");
    assert!(!out.join("fetched.jsonl").exists());
}

#[test]
fn the_same_request_goes_on_where_it_was_cut() {
    let (server, count) = server();
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("list.txt");
    fs::write(&source, ["/a", "/b", "/a?2", "/none"].map(|path| format!("{server}{path}\n")).concat()).unwrap();
    let out = folder.path().join("out");
    let looks = Cell::new(0);
    let stopped = || {
        looks.set(looks.get() + 1);
        looks.get() > 2
    };
    let base = || request(&source, &out);
    let cut = Request { fetching: Fetching { stopped: &stopped, ..base().fetching }, ..base() };
    assert_eq!(make(&cut), Err(NewError::Stopped(2)));
    assert!(!out.join("dataset.yaml").exists());
    // The power failed in the middle of a line, and one page was lost.
    let journal = out.join("fetched.jsonl");
    let mut text = fs::read_to_string(&journal).unwrap();
    assert_eq!(text.lines().count(), 2);
    text += "{\"address\":\"";
    fs::write(&journal, &text).unwrap();
    let second: serde_json::Value = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();
    fs::write(out.join(second["line"]["html"]["path"].as_str().unwrap()), b"").unwrap();
    let before = count.load(Ordering::Relaxed);
    assert_eq!(make(&base()).unwrap().pages, 2);
    assert_eq!(count.load(Ordering::Relaxed) - before, 3, "the first page is not fetched again");
}

#[test]
fn a_host_rests_and_others_come_meanwhile() {
    let (server, _) = server();
    let port = server.rsplit(':').next().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("list.txt");
    let other = format!("http://localhost:{port}");
    fs::write(&source, format!("{server}/a\n{server}/b\n{other}/a\n")).unwrap();
    let pause = Duration::from_millis(300);
    let begun = std::time::Instant::now();
    let out = folder.path().join("out");
    let base = || request(&source, &out);
    let resting = Request { fetching: Fetching { pause, ..base().fetching }, ..base() };
    assert_eq!(make(&resting).unwrap().pages, 3);
    assert!(begun.elapsed() >= pause, "the first host had its rest");
    let refused = folder.path().join("refused");
    let fetching = Fetching { is_private_allowed: false, ..base().fetching };
    let error = make(&Request { fetching, ..request(&source, &refused) }).unwrap_err();
    assert!(error.to_string().contains("--private"), "{error}");
    assert!(!refused.exists(), "nothing is left");
}
