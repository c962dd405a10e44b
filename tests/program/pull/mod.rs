//! `carat dataset pull` against servers of the tests' own on this machine, and programs that stand in for cargo, npm and
//! pip. Nothing here goes to the network.

mod hostile;
#[cfg(unix)]
mod left;
#[cfg(unix)]
mod packages;
mod servers;
use std::io::Write;
use std::net::TcpListener;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::support::{Folder, Ran, check};
use carat::datasets::catalog::Catalog;
use carat::datasets::pull::{Limits, Pulled, pull};
use carat::formats::digest::sha256;
use servers::{archive, catalog, refuse, send, send_on, serve, serve_securely, url_source};

const LIMITS: Limits = Limits {
    archive_bytes: 1 << 20,
    unpacked_bytes: 1 << 20,
    files: 100,
    silence: Duration::from_millis(300),
    attempts: 4,
};

/// Pulls from `url` into `out/deep`; the code of the fault if there is one, and then nothing may be there.
fn pulled(url: &str, sha256: &str) -> Result<usize, (&'static str, String)> {
    let folder = tempfile::tempdir().unwrap();
    let catalog = Catalog::read("c.yaml", &catalog(&url_source(url, sha256))).unwrap();
    let outcome = pull(&catalog.datasets[0], &folder.path().join("out/deep"), LIMITS, &|| false);
    match outcome {
        Ok(Pulled::Dataset(pulled)) => {
            let left: Vec<_> = std::fs::read_dir(folder.path().join("out")).unwrap().flatten().collect();
            assert_eq!(left.len(), 1, "{left:?}");
            Ok(pulled.counts.0)
        }
        Ok(Pulled::Instructions(lines)) => panic!("{lines}"),
        Err(error) => {
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{error}: something is left");
            let error = error.of_unstopped();
            Err((error.code.name(), error.to_string()))
        }
    }
}

#[test]
fn a_set_is_fetched_checked_and_can_be_run() {
    let bytes = archive();
    let digest = sha256(&bytes);
    let (url, _) = serve(move |stream, asked| send(stream, &bytes, asked.from, usize::MAX));
    let folder = Folder::new().with("sets.yaml", catalog(&url_source(&url, &digest)));
    let ran = under_no_proxy(&folder, "dataset pull mine --catalog sets.yaml");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.starts_with("datasets/mine: 3 pages, 2 with gold"), "{ran:?}");
    assert!(ran.stdout.contains(&url) && ran.stdout.contains("note: what a tool made"), "{ran:?}");
    check(&folder, "run --dataset mine --algorithm all-text --out run", 0, &["gold tool", "mine: what a tool made"]);
    assert!(folder.read("run/tables/rows.md").contains("mine: what a tool made"));
    assert!(folder.read("run/index.html").contains("what a tool made"));
    check(&folder, "dataset pull mine --catalog sets.yaml", 2, &["datasets/mine is there already"]);
    check(&folder, "dataset pull mine", 2, &["the catalogue has no dataset of this name"]);
}

#[cfg(target_os = "linux")]
#[test]
fn https_trusts_what_the_machine_trusts() {
    let bytes = archive();
    let digest = sha256(&bytes);
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", bytes.len());
    let (url, certificate) = serve_securely([head.into_bytes(), bytes].concat());
    let other = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap().cert.pem();
    let folder = Folder::new()
        .with("sets.yaml", catalog(&url_source(&url, &digest)))
        .with("trusted.pem", certificate)
        .with("other.pem", other);
    let pull = |trusted: &str| {
        let trusted = folder.path(trusted);
        let environment = [
            ("SSL_CERT_FILE", trusted.to_str().unwrap()),
            ("SSL_CERT_DIR", ""),
            ("NO_PROXY", "localhost"),
            ("no_proxy", "localhost"),
        ];
        folder.carat_under(&environment, "dataset pull mine --catalog sets.yaml")
    };
    let ran = pull("other.pem");
    assert_eq!(ran.code, 4, "{ran:?}");
    assert!(ran.stderr.contains("certificate") && ran.stderr.contains("E-FETCH"), "{ran:?}");
    assert!(!folder.path("datasets").exists());
    let ran = pull("trusted.pem");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.starts_with("datasets/mine: 3 pages, 2 with gold"), "{ran:?}");
}

fn under_no_proxy(folder: &Folder, arguments: &str) -> Ran {
    folder.carat_under(&[("NO_PROXY", "127.0.0.1"), ("no_proxy", "127.0.0.1")], arguments)
}

#[test]
fn a_cut_download_goes_on_where_it_was_cut() {
    let bytes = archive();
    let (digest, part) = (sha256(&bytes), bytes.len() / 3 + 1);
    let (url, asked) = serve(move |stream, asked| send(stream, &bytes, asked.from, part));
    assert_eq!(pulled(&url, &digest).unwrap(), 3);
    assert_eq!(asked.load(Ordering::SeqCst), 3);
}

#[test]
fn a_server_that_begins_anew_is_read_anew() {
    let bytes = archive();
    let digest = sha256(&bytes);
    let (url, _) =
        serve(move |stream, asked| send(stream, &bytes, 0, if asked.number < 2 { 1000 } else { usize::MAX }));
    assert_eq!(pulled(&url, &digest).unwrap(), 3);
}

#[test]
fn one_that_always_cuts_is_given_up() {
    let bytes = archive();
    let digest = sha256(&bytes);
    let (url, asked) = serve(move |stream, asked| send(stream, &bytes, asked.from, 10));
    let (code, told) = pulled(&url, &digest).unwrap_err();
    assert_eq!((code, asked.load(Ordering::SeqCst)), ("E-FETCH", 4));
    assert!(told.contains(&url) && told.contains("40 bytes came"), "{told}");
}

#[test]
fn a_silent_server_is_given_up() {
    let bytes = archive();
    let digest = sha256(&bytes);
    let (url, _) = serve(move |stream, asked| {
        send(stream, &bytes, asked.from, 10);
        std::thread::sleep(Duration::from_secs(20));
    });
    assert_eq!(pulled(&url, &digest).unwrap_err().0, "E-FETCH");
}

#[test]
fn a_slow_server_is_waited_for() {
    let bytes = archive();
    let digest = sha256(&bytes);
    let (url, asked) = serve(move |stream, asked| {
        send(stream, &bytes, asked.from, 0);
        for piece in bytes.chunks(bytes.len() / 8) {
            std::thread::sleep(Duration::from_millis(60));
            let _ = stream.write_all(piece);
        }
    });
    assert_eq!(pulled(&url, &digest).unwrap(), 3);
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[test]
fn another_archive_is_not_unpacked() {
    let bytes = archive();
    let (url, _) = serve(move |stream, asked| send(stream, &bytes, asked.from, usize::MAX));
    let (code, told) = pulled(&url, &sha256(b"another")).unwrap_err();
    assert_eq!(code, "E-DIGEST");
    assert!(told.contains("nothing was unpacked"), "{told}");
    let folder = Folder::new().with("sets.yaml", catalog(&url_source(&url, &sha256(b"another"))));
    let before = folder.files();
    let ran = under_no_proxy(&folder, "dataset pull mine --catalog sets.yaml");
    assert_eq!((ran.code, ran.stderr.lines().count()), (3, 1), "{ran:?}");
    assert!(folder.files() == before, "a failure leaves the folder as it was");
}

#[test]
fn an_archive_without_pages_is_told_by_where_it_came_from() {
    let mut empty = tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
    let mut header = tar::Header::new_gnu();
    header.set_size(1);
    header.set_cksum();
    empty.append_data(&mut header, "set-1/README", &b"x"[..]).unwrap();
    let bytes = empty.into_inner().unwrap().finish().unwrap();
    let digest = sha256(&bytes);
    let (url, _) = serve(move |stream, asked| send(stream, &bytes, asked.from, usize::MAX));
    let (code, told) = pulled(&url, &digest).unwrap_err();
    assert_eq!(code, "E-UPSTREAM");
    assert!(told.starts_with(&format!("{url}/set-1: there is no page")), "{told}");
}

#[test]
fn an_endless_server_is_stopped() {
    let (url, _) = serve(|stream, _| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
        while stream.write_all(&[0x1F; 4096]).is_ok() {}
    });
    assert_eq!(pulled(&url, &sha256(b"")).unwrap_err().0, "E-SIZE");
    let (url, _) = serve(|stream, _| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9999999999\r\nConnection: close\r\n\r\n");
    });
    assert_eq!(pulled(&url, &sha256(b"")).unwrap_err().0, "E-SIZE");
}

#[test]
fn redirects_are_followed_but_not_round_about() {
    let bytes = archive();
    let digest = sha256(&bytes);
    let (there, _) = serve(move |stream, asked| send(stream, &bytes, asked.from, usize::MAX));
    let (url, _) = serve(move |stream, _| send_on(stream, &there));
    assert_eq!(pulled(&url, &digest).unwrap(), 3);
    let (url, asked) = serve(|stream, _| send_on(stream, "/set.tar.gz"));
    assert_eq!(pulled(&url, &digest).unwrap_err().0, "E-FETCH");
    assert!(asked.load(Ordering::SeqCst) <= 8, "{asked:?}");
}

#[test]
fn what_is_not_there_is_told() {
    let (url, asked) = serve(|stream, _| refuse(stream, "404 Not Found"));
    let (code, told) = pulled(&url, &sha256(b"")).unwrap_err();
    assert!(code == "E-FETCH" && told.contains("404"), "{told}");
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert_eq!(pulled(&format!("http://{closed}/"), &sha256(b"")).unwrap_err().0, "E-FETCH");
}

#[test]
fn git_and_own_copies_are_told_and_a_local_folder_comes_first() {
    let folder = Folder::new().with("corpora/daniel/doc_lg.json", r#"{"20120112_a.org_ff": "English"}"#);
    let folder = folder.with("corpora/daniel/html/20120112_a.org_ff", "<p>one");
    let folder = folder.with("corpora/daniel/reference/20120112_a.org_ff", "<p>one</p>");
    check(
        &folder,
        "dataset pull daniel",
        0,
        &["git clone https://github.com/rundimeco/waddle && git -C waddle checkout"],
    );
    check(&folder, "dataset pull l3s-gn1 --out x", 0, &["carat dataset import l3s-gn1 PATH --out x"]);
    assert!(!folder.path("datasets").exists() && !folder.path("x").exists());
    check(&folder, "run --dataset daniel", 2, &["carat dataset pull daniel"]);
    check(&folder, "list datasets", 0, &["mozilla-readability", "gold tool, from a package"]);
    check(
        &folder,
        "list datasets mozilla-readability",
        0,
        &["agreement with Readability", "crate readabilityrs 0.1.4"],
    );
    let ran = folder.carat_under(&[("CARAT_CORPORA", "corpora")], "dataset pull daniel");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.starts_with("datasets/daniel: 1 pages, 1 with gold"), "{ran:?}");
    assert!(ran.stderr.contains("note: 1 pages and 1 golds are not the whole set"), "{ran:?}");
}

#[test]
fn a_catalogue_that_is_none_is_told_with_its_line() {
    let folder = Folder::new().with("sets.yaml", catalog("url: ftp://a.org/b.zip"));
    check(&folder, "dataset pull mine --catalog sets.yaml", 3, &["sets.yaml:", "no http or https address"]);
    check(&folder, "dataset pull mine --catalog gone.yaml", 2, &["gone.yaml"]);
}
