//! A download that is bounded in bytes and in silence, and is taken up again where it was cut.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use ureq::http::{Response, StatusCode, header};
use ureq::{Agent, Body};

use super::{Limits, check_stopped, unwritten};
use crate::datasets::DatasetError;

/// More redirects than this are a loop.
const MAX_REDIRECTS: u32 = 5;

/// Brings what is at `url` into the file `into`.
///
/// # Errors
/// `E-FETCH`: the server cannot be reached, refuses, is silent for too long, sends from one place to another without
/// end, or cuts the download each time; `E-SIZE`: it sends more than the limit.
pub(super) fn download(url: &str, into: &Path, limits: Limits, stopped: &dyn Fn() -> bool) -> Result<(), DatasetError> {
    let mut download =
        Download { url, limits, file: File::create(into).map_err(|error| unwritten(into, &error))?, had: 0 };
    let agent = agent(url, limits);
    let mut why = String::new();
    for _ in 0..limits.attempts {
        check_stopped(stopped)?;
        match download.attempt(&agent, stopped)? {
            Attempt::Whole => return download.file.sync_all().map_err(|error| unwritten(into, &error)),
            Attempt::Cut(reason) => why = reason,
        }
    }
    Err(download.fault(format!("{why}; tried {} times, {} bytes came", limits.attempts, download.had)))
}

fn agent(url: &str, limits: Limits) -> Agent {
    Agent::config_builder()
        .https_only(url.starts_with("https://"))
        .http_status_as_error(false)
        .max_redirects(MAX_REDIRECTS)
        .timeout_connect(Some(limits.silence))
        .timeout_recv_response(Some(limits.silence))
        .timeout_per_read(Some(limits.silence))
        .user_agent(concat!("carat/", env!("CARGO_PKG_VERSION")))
        .build()
        .into()
}

struct Download<'d> {
    url: &'d str,
    limits: Limits,
    file: File,
    /// Bytes in the file.
    had: u64,
}

/// What came of asking a server once.
enum Attempt {
    Whole,
    /// It may go better next time.
    Cut(String),
}

impl Download<'_> {
    fn fault(&self, message: impl Into<String>) -> DatasetError {
        DatasetError::new("E-FETCH", self.url, message)
    }

    fn attempt(&mut self, agent: &Agent, stopped: &dyn Fn() -> bool) -> Result<Attempt, DatasetError> {
        let mut request = agent.get(self.url);
        if self.had > 0 {
            request = request.header(header::RANGE, format!("bytes={}-", self.had));
        }
        let response = match request.call() {
            Ok(response) => response,
            Err(
                error @ (ureq::Error::TooManyRedirects | ureq::Error::RequireHttpsOnly(_) | ureq::Error::BadUri(_)),
            ) => {
                return Err(self.fault(format!("cannot be fetched: {error}")));
            }
            Err(error) => return Ok(Attempt::Cut(format!("cannot be fetched: {error}"))),
        };
        match response.status() {
            StatusCode::PARTIAL_CONTENT if goes_on_at(&response) == Some(self.had) => {}
            // The server begins anew: so does the file.
            StatusCode::OK => self.begin_again()?,
            StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE => {
                self.begin_again()?;
                return Ok(Attempt::Cut("the server did not go on where it was cut".to_owned()));
            }
            status if status.is_server_error() => return Ok(Attempt::Cut(format!("the server answers {status}"))),
            status => return Err(self.fault(format!("the server answers {status}"))),
        }
        self.receive(response, stopped)
    }

    fn begin_again(&mut self) -> Result<(), DatasetError> {
        self.had = 0;
        let begun = self.file.set_len(0).and_then(|()| self.file.seek(SeekFrom::Start(0)));
        begun.map(drop).map_err(|error| unwritten(Path::new(self.url), &error))
    }

    fn receive(&mut self, response: Response<Body>, stopped: &dyn Fn() -> bool) -> Result<Attempt, DatasetError> {
        let most = self.limits.archive_bytes;
        let too_long = |url: &str| DatasetError::new("E-SIZE", url, format!("has more than {most} bytes"));
        let mut body = response.into_body();
        if body.content_length().is_some_and(|length| self.had.saturating_add(length) > most) {
            return Err(too_long(self.url));
        }
        let mut reader = body.as_reader();
        let mut buffer = vec![0; 64 << 10];
        loop {
            check_stopped(stopped)?;
            let length = match reader.read(&mut buffer) {
                Ok(0) => return Ok(Attempt::Whole),
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Ok(Attempt::Cut(format!("the download was cut: {error}"))),
            };
            if self.had + length as u64 > most {
                return Err(too_long(self.url));
            }
            self.file.write_all(&buffer[..length]).map_err(|error| unwritten(Path::new(self.url), &error))?;
            self.had += length as u64;
        }
    }
}

/// Where a part begins, by its `Content-Range: bytes FIRST-LAST/WHOLE`.
fn goes_on_at(response: &Response<Body>) -> Option<u64> {
    let range = response.headers().get(header::CONTENT_RANGE)?.to_str().ok()?;
    range.strip_prefix("bytes ")?.split('-').next()?.trim().parse().ok()
}
