//! Archives and servers that mean no good: what is pinned may still be hostile, for a catalogue is anybody's.

use std::io::Write;

use carat::formats::digest::sha256;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::servers::{archive, send, send_on, serve};
#[cfg(target_os = "linux")]
use super::servers::{catalog, serve_securely, url_source};
use super::{pulled, under_no_proxy};
#[cfg(target_os = "linux")]
use crate::support::Folder;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

/// Pulls these bytes.
fn pulled_from(bytes: Vec<u8>) -> Result<usize, (&'static str, String)> {
    let digest = sha256(&bytes);
    let (url, _) = serve(move |stream, asked| send(stream, &bytes, asked.from, usize::MAX));
    pulled(&url, &digest)
}

/// A tar.gz with a name of 3 GiB: a header, and 64 MiB of zeros in each of so many members of the gzip.
fn long_name(members: usize) -> Vec<u8> {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::GNULongName);
    header.set_size(3 << 30);
    header.set_cksum();
    [gzip(header.as_bytes()), gzip(&vec![0; 64 << 20]).repeat(members)].concat()
}

#[test]
fn bombs_are_stopped() {
    let (code, told) = pulled_from(long_name(1)).unwrap_err();
    assert!(code == "E-SIZE" && told.contains("a name or attributes of 3221225472 bytes"), "{told}");
    let mut header = tar::Header::new_gnu();
    header.set_path("set-1/html/a.html").unwrap();
    header.set_size(1 << 30);
    header.set_cksum();
    assert_eq!(pulled_from(gzip(&[header.as_bytes(), &vec![b' '; 2 << 20][..]].concat())).unwrap_err().0, "E-SIZE");
    let mut zipped = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zipped.start_file("set-1/html/a.html", zip::write::SimpleFileOptions::default()).unwrap();
    zipped.write_all(&vec![b' '; 2 << 20]).unwrap();
    assert_eq!(pulled_from(zipped.finish().unwrap().into_inner()).unwrap_err().0, "E-SIZE");
}

/// The archive of 3 MB in 2.5 GB of addresses, threads and all: a name that was read whole would not fit.
#[cfg(target_os = "linux")]
#[test]
fn a_long_name_takes_no_memory() {
    let bytes = long_name(48);
    let digest = sha256(&bytes);
    let (url, _) = serve(move |stream, asked| send(stream, &bytes, asked.from, usize::MAX));
    let folder = Folder::new().with("sets.yaml", catalog(&url_source(&url, &digest)));
    let before = folder.files();
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "ulimit -v 2500000; exec \"$0\" dataset pull mine --catalog sets.yaml"]);
    command.arg(env!("CARGO_BIN_EXE_carat")).current_dir(folder.path("")).env("NO_PROXY", "*");
    let output = command.output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), told.lines().count()), (Some(3), 1), "{told}");
    assert!(told.contains("E-SIZE") && folder.files() == before, "{told}");
}

#[cfg(target_os = "linux")]
#[test]
fn https_leads_to_no_http() {
    let bytes = archive();
    let digest = sha256(&bytes);
    let (there, _) = serve(move |stream, asked| send(stream, &bytes, asked.from, usize::MAX));
    let moved = format!("HTTP/1.1 302 Found\r\nLocation: {there}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    let list = format!("<a href='{there}#sha256={digest}'>");
    let listed = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{list}", list.len());
    for (answer, is_index) in [(moved, false), (listed, true)] {
        let (url, certificate) = serve_securely(answer.into_bytes());
        let source = match is_index {
            true => format!("pypi: mine, version: '1.0', sha256: {digest}"),
            false => url_source(&url, &digest),
        };
        let folder = Folder::new().with("sets.yaml", catalog(&source)).with("trusted.pem", certificate);
        let trusted = folder.path("trusted.pem").display().to_string();
        let environment =
            [("SSL_CERT_FILE", trusted.as_str()), ("SSL_CERT_DIR", ""), ("NO_PROXY", "*"), ("PIP_INDEX_URL", &url)];
        let before = folder.files();
        let ran = folder.carat_under(&environment, "dataset pull mine --catalog sets.yaml");
        assert_eq!((ran.code, ran.stderr.lines().count()), (4, 1), "{ran:?}");
        assert!(ran.stderr.contains("http") && ran.stderr.contains("E-FETCH") && folder.files() == before, "{ran:?}");
    }
}

#[test]
fn a_password_in_an_address_is_used_and_not_told() {
    let bytes = archive();
    let digest = sha256(&bytes);
    let (url, _) = serve(move |stream, asked| match asked.authorization.as_deref() {
        Some("Basic bWU6c2VjcmV0") => send(stream, &bytes, asked.from, usize::MAX),
        _ => send_on(stream, "/"),
    });
    let url = url.replace("http://", "http://me:secret@");
    let folder = super::Folder::new().with("sets.yaml", super::catalog(&super::url_source(&url, &digest)));
    let folder = folder.with("wrong.yaml", super::catalog(&super::url_source(&url.replace("me:", "you:"), &digest)));
    let ran = under_no_proxy(&folder, "dataset pull mine --catalog sets.yaml");
    assert!(ran.code == 0 && !format!("{}{}", ran.stdout, ran.stderr).contains("secret"), "{ran:?}");
    let ran = under_no_proxy(&folder, "dataset pull mine --catalog wrong.yaml --out x");
    assert!(ran.code == 4 && !ran.stderr.contains("secret"), "{ran:?}");
}
