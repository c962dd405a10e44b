//! `carat dataset pull` against servers of the tests' own on this machine, and programs that stand in for npm and pip.
//! Nothing here goes to the network.

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use carat::datasets::catalog::Catalog;
use carat::datasets::pull::{Limits, Pulled, pull};
use carat::formats::digest::sha256;
use support::{Folder, Ran, check};

/// A tar.gz of two pages with their golds, in a folder as packages have it.
fn archive() -> Vec<u8> {
    let mut archive = tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
    let files = [("html/a.html", "<p>one"), ("gold/a.txt", "one"), ("html/b.html", "<p>two"), ("gold/b.txt", "two")];
    // Long enough to be cut.
    let noise: String = (0..20_000).map(|number| sha256(&usize::to_le_bytes(number))[..4].to_owned()).collect();
    for (path, text) in files.into_iter().chain([("html/c.html", noise.as_str())]) {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        archive.append_data(&mut header, format!("set-1/{path}"), text.as_bytes()).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap()
}

/// What a server has been asked for: the byte that the answer shall begin at.
struct Asked {
    /// How many came before.
    number: usize,
    from: usize,
}

/// Starts a server that answers as `answer` does; gives its address and how often it was asked.
fn serve(answer: impl Fn(&mut TcpStream, Asked) + Send + Sync + 'static) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/set.tar.gz", listener.local_addr().unwrap());
    let asked = Arc::new(AtomicUsize::new(0));
    let (count, answer) = (asked.clone(), Arc::new(answer));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let number = count.fetch_add(1, Ordering::SeqCst);
            let answer = answer.clone();
            std::thread::spawn(move || {
                let mut from = 0;
                let lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
                for line in lines.take_while(|line| !line.is_empty()) {
                    if let Some(range) = line.to_ascii_lowercase().strip_prefix("range: bytes=") {
                        from = range.trim_end_matches('-').parse().unwrap();
                    }
                }
                answer(&mut stream, Asked { number, from });
            });
        }
    });
    (address, asked)
}

/// Answers with the end of `bytes` from the byte that was asked for, but no more of it than `most`.
fn send(stream: &mut TcpStream, bytes: &[u8], from: usize, most: usize) {
    let (status, range) = match from {
        0 => ("200 OK", String::new()),
        from => ("206 Partial Content", format!("Content-Range: bytes {from}-{}/{}\r\n", bytes.len() - 1, bytes.len())),
    };
    let rest = &bytes[from..];
    let head = format!("HTTP/1.1 {status}\r\n{range}Content-Length: {}\r\nConnection: close\r\n\r\n", rest.len());
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(&rest[..most.min(rest.len())]);
}

/// A catalogue with one set, read by `folder`, from this source.
fn catalog(source: &str) -> String {
    format!(
        "format: 1\ndatasets:\n  - name: mine\n    title: Mine\n    pages: 3\n    golds: 2\n    importer: folder\n    \
         languages: [en]\n    licence: {{data: CC0-1.0, pages: CC0-1.0, redistribution: free}}\n    \
         gold: {{nature: tool, note: what a tool made}}\n    source: {{{source}}}\n"
    )
}

fn url_source(url: &str, sha256: &str) -> String {
    format!("url: '{url}', sha256: {sha256}")
}

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
            Err((error.code, error.to_string()))
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

/// A server of one answer behind TLS: its address, and its certificate, which it signed itself, as PEM.
fn serve_securely(bytes: Vec<u8>) -> (String, String) {
    let rcgen::CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = rustls::pki_types::PrivatePkcs8KeyDer::from(signing_key.serialize_der());
    let config = rustls::ServerConfig::builder_with_provider(rustls::crypto::ring::default_provider().into())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key.into())
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("https://localhost:{}/set.tar.gz", listener.local_addr().unwrap().port());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let session = rustls::ServerConnection::new(config.clone()).unwrap();
            let mut stream = BufReader::new(rustls::StreamOwned::new(session, stream));
            let asked = stream.by_ref().lines().map_while(Result::ok).take_while(|line| !line.is_empty()).count();
            if asked > 0 {
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", bytes.len());
                let stream = stream.get_mut();
                let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&bytes));
                stream.conn.send_close_notify();
                let _ = stream.flush();
            }
        }
    });
    (address, cert.pem())
}

#[cfg(target_os = "linux")]
#[test]
fn https_trusts_what_the_machine_trusts() {
    let bytes = archive();
    let digest = sha256(&bytes);
    let (url, certificate) = serve_securely(bytes);
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
    let to = |place: &str| {
        format!("HTTP/1.1 302 Found\r\nLocation: {place}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    };
    let (there, _) = serve(move |stream, asked| send(stream, &bytes, asked.from, usize::MAX));
    let once = to(&there);
    let (url, _) = serve(move |stream, _| drop(stream.write_all(once.as_bytes())));
    assert_eq!(pulled(&url, &digest).unwrap(), 3);
    let round = to("/set.tar.gz");
    let (url, asked) = serve(move |stream, _| drop(stream.write_all(round.as_bytes())));
    assert_eq!(pulled(&url, &digest).unwrap_err().0, "E-FETCH");
    assert!(asked.load(Ordering::SeqCst) <= 8, "{asked:?}");
}

#[test]
fn what_is_not_there_is_told() {
    let (url, asked) = serve(|stream, _| {
        drop(stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"));
    });
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

/// Puts a program of this name first in the path; it is a script.
#[cfg(unix)]
fn program(folder: Folder, name: &str, script: &str) -> Folder {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder.with(&format!("bin/{name}"), format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(folder.path(&format!("bin/{name}")), std::fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

#[cfg(unix)]
#[test]
fn packages_are_fetched_by_the_users_own_programs() {
    let bytes = archive();
    let digest = sha256(&bytes);
    let copies = "echo \"$@\" >> \"$HOME/said\"; cp \"$HOME/archive\" ./mine-1.tgz";
    let cargo = "mkdir -p \"$CARGO_HOME/registry/cache/a\"; echo \"$@\" >> \"$HOME/said\"; \
                 cp \"$HOME/archive\" \"$CARGO_HOME/registry/cache/a/mine-1.0.0.crate\"";
    for (registry, name, script, says) in [
        ("npm", "npm", copies, "pack mine@1.0.0"),
        ("pypi", "pip", copies, "download --quiet --no-deps --require-hashes"),
        ("crate", "cargo", cargo, "info --color never --quiet mine@1.0.0"),
    ] {
        let source = |sha256: &str| catalog(&format!("{registry}: mine, version: 1.0.0, sha256: {sha256}"));
        let folder = Folder::new().with("archive", &bytes).with("sets.yaml", source(&digest));
        let folder = program(folder, name, script).with("other.yaml", source(&sha256(b"another")));
        let path = format!("{}:/usr/bin:/bin", folder.path("bin").display());
        let home = folder.0.path().to_str().unwrap().to_owned();
        let cargo_home = folder.path("cargo").display().to_string();
        let environment = [("PATH", path.as_str()), ("HOME", home.as_str()), ("CARGO_HOME", cargo_home.as_str())];
        let ran = folder.carat_under(&environment, "dataset pull mine --catalog sets.yaml");
        assert_eq!(ran.code, 0, "{registry}: {ran:?}");
        assert!(ran.stdout.contains("3 pages, 2 with gold"), "{registry}: {ran:?}");
        assert!(folder.read("said").contains(says), "{registry}: {}", folder.read("said"));
        let ran = folder.carat_under(&environment, "dataset pull mine --catalog other.yaml --out other");
        assert_eq!((ran.code, ran.stderr.contains("E-DIGEST")), (3, true), "{registry}: {ran:?}");
        assert!(!folder.path("other").exists());
        // A program that fails says why; one that is missing is named.
        let folder = program(folder, name, "echo 'no such package' >&2; exit 1");
        let _ = std::fs::remove_dir_all(folder.path("cargo"));
        let ran = folder.carat_under(&environment, "dataset pull mine --catalog sets.yaml --out failed");
        assert!(ran.code == 4 && ran.stderr.contains("no such package"), "{registry}: {ran:?}");
        std::fs::remove_file(folder.path(&format!("bin/{name}"))).unwrap();
        let environment = [("PATH", "/nowhere"), environment[1], environment[2]];
        let ran = folder.carat_under(&environment, "dataset pull mine --catalog sets.yaml --out failed");
        assert!(ran.code == 4 && ran.stderr.contains("not installed"), "{registry}: {ran:?}");
        assert!(!Path::new(&folder.path("failed")).exists());
    }
}
