//! A dataset in memory, and a server of it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use carat_annotate::digest::sha256;
use carat_annotate::document::Document;
use carat_annotate::guidelines::Guidelines;
use carat_annotate::log::read_log;
use carat_annotate::proposals::Prefill;
use carat_annotate::server::Server;
use carat_annotate::session::{Session, Settings};
use carat_annotate::source::{KnownGold, Listed, Opened, Source};
use carat_annotate::state::{Everyone, Work};
use carat_core::page::{Context, Page};
use serde_json::Value as Json;

/// Pages by id, site and HTML.
pub(crate) struct Pages {
    listed: Vec<Listed>,
    html: Vec<String>,
}

impl Pages {
    pub(crate) fn new(pages: &[(&str, &str, &str)]) -> Arc<Self> {
        let listed = pages.iter().map(|(id, site, _)| Listed { id: (*id).to_owned(), site: (*site).to_owned() });
        Arc::new(Pages { listed: listed.collect(), html: pages.iter().map(|page| page.2.to_owned()).collect() })
    }
}

impl Source for Pages {
    fn name(&self) -> &str {
        "news"
    }

    fn listed(&self) -> &[Listed] {
        &self.listed
    }

    fn open(&self, place: usize) -> Result<Opened, String> {
        let bytes = self.html[place].as_bytes();
        let page = Page::new(bytes, Context::default()).map_err(|error| error.to_string())?;
        Ok(Opened { page, html_sha256: sha256(bytes) })
    }

    fn gold(&self, _: usize, _: &Document) -> Result<Option<KnownGold>, String> {
        Ok(None)
    }
}

pub(crate) fn settings(folder: &Path, by: &str, pages: usize) -> Settings {
    Settings {
        by: by.to_owned(),
        folder: folder.to_owned(),
        guidelines: Guidelines::built_in(),
        prefill: Prefill::Sisters,
        blank: 0.0,
        seed: 1,
        order: (0..pages).collect(),
        others: None,
        language: None,
        version: "0".to_owned(),
    }
}

/// A server on a thread; it ends when this is dropped.
pub(crate) struct Serving {
    pub(crate) address: String,
    pub(crate) port: u16,
    pub(crate) token: String,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Serving {
    pub(crate) fn start(pages: Arc<Pages>, settings: Settings) -> Self {
        Serving::at(pages, settings, 0)
    }

    pub(crate) fn at(pages: Arc<Pages>, settings: Settings, port: u16) -> Self {
        let session = Arc::new(Session::open(pages, settings).unwrap());
        let server = Server::bind(session, port).unwrap();
        let address = server.address();
        let (front, token) = address.split_once("/#t=").unwrap();
        let port = front.rsplit_once(':').unwrap().1.parse().unwrap();
        let token = token.to_owned();
        let stop = Arc::new(AtomicBool::new(false));
        let flag = stop.clone();
        let thread = Some(std::thread::spawn(move || server.run(&|| flag.load(Ordering::Relaxed)).unwrap()));
        Serving { address, port, token, stop, thread }
    }

    /// Sends bytes and reads the answer to its end: status, head and body.
    pub(crate) fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        // The server may answer and close before it has read all.
        let _ = stream.write_all(request);
        Answer::read(&stream)
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.raw(self.head("GET", path, "").as_bytes())
    }

    pub(crate) fn post(&self, path: &str, body: &Json) -> Answer {
        let body = body.to_string();
        let fields = format!(
            "Origin: http://127.0.0.1:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n",
            self.port,
            body.len()
        );
        self.raw((self.head("POST", path, &fields) + &body).as_bytes())
    }

    pub(crate) fn head(&self, method: &str, path: &str, fields: &str) -> String {
        format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n{fields}\r\n",
            self.port, self.token
        )
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    fn read(stream: &TcpStream) -> Self {
        let mut reader = BufReader::new(stream);
        let mut first = String::new();
        let _ = reader.read_line(&mut first);
        let status = first.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let mut head = String::new();
        while matches!(reader.read_line(&mut head), Ok(length) if length > 2) {}
        let mut body = Vec::new();
        let _ = reader.read_to_end(&mut body);
        Answer { status, head: head.to_ascii_lowercase(), body: String::from_utf8_lossy(&body).into_owned() }
    }

    pub(crate) fn json(&self) -> Json {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {} {}", self.status, self.body))
    }
}

/// The state that the log of `by` gives.
pub(crate) fn work(folder: &Path, by: &str) -> Work {
    Work::fold(folder, by, &read_log(folder, by).unwrap().unwrap()).unwrap()
}

/// The logs of all `names`.
pub(crate) fn everyone(folder: &Path, names: &[&str]) -> Everyone {
    names.iter().map(|name| ((*name).to_owned(), work(folder, name))).collect()
}
