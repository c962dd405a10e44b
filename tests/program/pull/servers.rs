//! The archive that the tests pull, and servers on this machine that have it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use carat::formats::digest::sha256;

/// A tar.gz of two pages with their golds, in a folder as packages have it.
pub(super) fn archive() -> Vec<u8> {
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

/// A request, with the byte that the answer shall begin at.
pub(super) struct Asked {
    /// How many came before.
    pub number: usize,
    pub from: usize,
    /// As `/simple/mine/`.
    pub path: String,
    /// The value of the header `Authorization`.
    pub authorization: Option<String>,
}

/// Starts a server that answers as `answer` does; gives its address and how often it was asked.
pub(super) fn serve(answer: impl Fn(&mut TcpStream, Asked) + Send + Sync + 'static) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/set.tar.gz", listener.local_addr().unwrap());
    let asked = Arc::new(AtomicUsize::new(0));
    let (count, answer) = (asked.clone(), Arc::new(answer));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let number = count.fetch_add(1, Ordering::SeqCst);
            let answer = answer.clone();
            std::thread::spawn(move || {
                let asked = heard(&stream, number);
                answer(&mut stream, asked);
            });
        }
    });
    (address, asked)
}

fn heard(stream: &TcpStream, number: usize) -> Asked {
    let mut asked = Asked { number, from: 0, path: String::new(), authorization: None };
    let lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
    for (place, line) in lines.take_while(|line| !line.is_empty()).enumerate() {
        if place == 0 {
            asked.path = line.split(' ').nth(1).unwrap().to_owned();
        } else if let Some(range) = line.to_ascii_lowercase().strip_prefix("range: bytes=") {
            asked.from = range.trim_end_matches('-').parse().unwrap();
        } else if line.to_ascii_lowercase().starts_with("authorization: ") {
            asked.authorization = Some(line["authorization: ".len()..].to_owned());
        }
    }
    asked
}

/// Answers with another address.
pub(super) fn send_on(stream: &mut TcpStream, place: &str) {
    let head = format!("HTTP/1.1 302 Found\r\nLocation: {place}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    let _ = stream.write_all(head.as_bytes());
}

/// Answers that it will not.
pub(super) fn refuse(stream: &mut TcpStream, status: &str) {
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    let _ = stream.write_all(head.as_bytes());
}

/// Answers with the end of `bytes` from the byte that was asked for, but no more of it than `most`.
pub(super) fn send(stream: &mut TcpStream, bytes: &[u8], from: usize, most: usize) {
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
pub(super) fn catalog(source: &str) -> String {
    format!(
        "format: 1\ndatasets:\n  - name: mine\n    title: Mine\n    pages: 3\n    golds: 2\n    importer: folder\n    \
         languages: [en]\n    licence: {{data: CC0-1.0, pages: CC0-1.0, redistribution: free}}\n    \
         gold: {{nature: tool, note: what a tool made}}\n    source: {{{source}}}\n"
    )
}

pub(super) fn url_source(url: &str, sha256: &str) -> String {
    format!("url: '{url}', sha256: {sha256}")
}

/// A server of one answer behind TLS, head and all: its address, and its certificate, which it signed itself, as PEM.
pub(super) fn serve_securely(answer: Vec<u8>) -> (String, String) {
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
                let stream = stream.get_mut();
                let _ = stream.write_all(&answer);
                stream.conn.send_close_notify();
                let _ = stream.flush();
            }
        }
    });
    (address, cert.pem())
}
