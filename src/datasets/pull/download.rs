//! A download that is bounded in bytes and in silence, and is taken up again where it was cut.

use crate::formats::code::Code;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use ureq::config::RedirectAuthHeaders;
use ureq::http::{Response, StatusCode, header};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body, ResponseExt};

use super::address::Address;
use super::{Limits, check_stopped, unwritten};
use crate::datasets::{DatasetError, Halt};

/// More redirects than this are a loop.
const MAX_REDIRECTS: u32 = 5;

/// The first wait before a download is taken up again is this part of the silence that a server may keep.
const FIRST_WAIT: u32 = 60;

/// Between two looks at whether the user has given up.
const LOOK: Duration = Duration::from_millis(100);

/// A request, and the file that the answer goes into.
pub(super) struct Wanted {
    /// The address to ask.
    pub address: Address,
    /// The kinds of content that will do, as the header `Accept` has them.
    pub accept: &'static str,
    /// The file that it goes into.
    pub into: PathBuf,
}

/// Brings what is `wanted`; gives the address that it came from at last.
///
/// # Errors
/// `E-FETCH`: the server cannot be reached, refuses, is silent for too long, sends from one place to another without
/// end, or cuts the download each time; `E-SIZE`: it sends more than the limit.
pub(super) fn download(wanted: Wanted, limits: Limits, stopped: &dyn Fn() -> bool) -> Result<Address, Halt> {
    // In a thread of its own, for one that waits for a silent server does not see that the user has given up.
    let (sender, receiver) = channel();
    let given_up = Arc::new(AtomicBool::new(false));
    let (gives_up, from) = (given_up.clone(), wanted.address.clone());
    std::thread::spawn(move || {
        let _ = sender.send(attempts(&wanted, limits, &|| gives_up.load(Ordering::Relaxed)));
    });
    loop {
        match receiver.recv_timeout(LOOK) {
            Ok(outcome) => return outcome,
            Err(RecvTimeoutError::Timeout) => {
                check_stopped(stopped).inspect_err(|_| given_up.store(true, Ordering::Relaxed))?;
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(DatasetError::new(Code::Fetch, from, "the download ended in a defect of carat").into());
            }
        }
    }
}

fn attempts(wanted: &Wanted, limits: Limits, stopped: &dyn Fn() -> bool) -> Result<Address, Halt> {
    let file = File::create(&wanted.into).map_err(|error| unwritten(&wanted.into, &error))?;
    let mut download = Download { wanted, limits, file, had: 0, from: wanted.address.clone() };
    let agent = agent(&wanted.address, limits);
    let (mut why, mut pause) = (String::new(), limits.silence / FIRST_WAIT);
    for attempt in 0..limits.attempts {
        check_stopped(stopped)?;
        if attempt > 0 {
            wait(pause, stopped)?;
            pause = pause.saturating_mul(2);
        }
        match download.attempt(&agent, stopped)? {
            Attempt::Whole => {
                download.file.sync_all().map_err(|error| unwritten(&wanted.into, &error))?;
                return Ok(download.from);
            }
            Attempt::Cut(reason) => why = reason,
        }
    }
    Err(download.fault(format!("{why}; tried {} times, {} bytes came", limits.attempts, download.had)).into())
}

/// Waits, but no longer than the user does.
fn wait(mut left: Duration, stopped: &dyn Fn() -> bool) -> Result<(), Halt> {
    while !left.is_zero() {
        let slice = left.min(LOOK);
        std::thread::sleep(slice);
        left -= slice;
        check_stopped(stopped)?;
    }
    Ok(())
}

fn agent(address: &Address, limits: Limits) -> Agent {
    // What the machine trusts, for companies' proxies sign with certificates of their own.
    let trusted = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    Agent::config_builder()
        .tls_config(trusted)
        .https_only(address.is_secure())
        .http_status_as_error(false)
        .max_redirects(MAX_REDIRECTS)
        .redirect_auth_headers(RedirectAuthHeaders::SameHost)
        .timeout_resolve(Some(limits.silence))
        .timeout_connect(Some(limits.silence))
        .timeout_recv_response(Some(limits.silence))
        .timeout_per_read(Some(limits.silence))
        .user_agent(concat!("carat/", env!("CARGO_PKG_VERSION")))
        .build()
        .into()
}

struct Download<'d> {
    wanted: &'d Wanted,
    limits: Limits,
    file: File,
    /// Bytes in the file.
    had: u64,
    /// The address that the server has sent us to.
    from: Address,
}

/// What came of asking a server once.
enum Attempt {
    Whole,
    /// It may go better next time.
    Cut(String),
}

impl Download<'_> {
    fn fault(&self, message: impl Into<String>) -> DatasetError {
        DatasetError::new(Code::Fetch, &self.wanted.address, message)
    }

    fn attempt(&mut self, agent: &Agent, stopped: &dyn Fn() -> bool) -> Result<Attempt, Halt> {
        let mut request = agent.get(self.wanted.address.to_string()).header(header::ACCEPT, self.wanted.accept);
        if let Some(authorization) = self.wanted.address.authorization() {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        if self.had > 0 {
            request = request.header(header::RANGE, format!("bytes={}-", self.had));
        }
        let response = match request.call() {
            Ok(response) => response,
            Err(
                error @ (ureq::Error::TooManyRedirects | ureq::Error::RequireHttpsOnly(_) | ureq::Error::BadUri(_)),
            ) => {
                return Err(self.fault(format!("cannot be fetched: {error}")).into());
            }
            Err(error) => return Ok(Attempt::Cut(format!("cannot be fetched: {error}"))),
        };
        self.from = self.wanted.address.join(&response.get_uri().to_string()).unwrap_or_else(|| self.from.clone());
        let part = response.headers().get(header::CONTENT_RANGE).and_then(|range| Part::of(range.to_str().ok()?));
        let whole = match (response.status(), part) {
            (StatusCode::PARTIAL_CONTENT, Some(part)) if part.first == self.had => part.whole,
            // The server begins anew: so does the file.
            (StatusCode::OK, _) => {
                self.begin_again()?;
                None
            }
            (StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE, _) => {
                self.begin_again()?;
                return Ok(Attempt::Cut("the server did not go on where it was cut".to_owned()));
            }
            (status, _) if status.is_server_error() => return Ok(Attempt::Cut(format!("the server answers {status}"))),
            (status, _) => return Err(self.fault(format!("the server answers {status}")).into()),
        };
        self.receive(response, whole, stopped)
    }

    fn begin_again(&mut self) -> Result<(), DatasetError> {
        self.had = 0;
        let begun = self.file.set_len(0).and_then(|()| self.file.seek(SeekFrom::Start(0)));
        begun.map(drop).map_err(|error| unwritten(&self.wanted.into, &error))
    }

    /// Receives a body, which is the end of `whole` bytes if the server states how many there are.
    fn receive(
        &mut self,
        response: Response<Body>,
        whole: Option<u64>,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Attempt, Halt> {
        let most = self.limits.archive_bytes;
        let too_long = || DatasetError::new(Code::Size, &self.wanted.address, format!("has more than {most} bytes"));
        let mut body = response.into_body();
        if body.content_length().is_some_and(|length| self.had.saturating_add(length) > most) {
            return Err(too_long().into());
        }
        let mut reader = body.as_reader();
        let mut buffer = vec![0; 64 << 10];
        loop {
            check_stopped(stopped)?;
            let length = match reader.read(&mut buffer) {
                Ok(0) if whole.is_some_and(|whole| self.had < whole) => {
                    return Ok(Attempt::Cut("the server sent less than the rest".to_owned()));
                }
                Ok(0) => return Ok(Attempt::Whole),
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Ok(Attempt::Cut(format!("the download was cut: {error}"))),
            };
            if self.had + length as u64 > most {
                return Err(too_long().into());
            }
            self.file.write_all(&buffer[..length]).map_err(|error| unwritten(&self.wanted.into, &error))?;
            self.had += length as u64;
        }
    }
}

/// Which part of what, in bytes, a server sends.
struct Part {
    /// Where the part begins.
    first: u64,
    /// The length of the whole; `None` where the server does not know it.
    whole: Option<u64>,
}

impl Part {
    /// By its `Content-Range: bytes FIRST-LAST/WHOLE`.
    fn of(range: &str) -> Option<Part> {
        let (first, rest) = range.strip_prefix("bytes ")?.split_once('-')?;
        let whole = rest.split_once('/').and_then(|(_, whole)| whole.trim().parse().ok());
        Some(Part { first: first.trim().parse().ok()?, whole })
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io::{BufRead, BufReader};
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn parts_say_where_they_begin_and_what_of() {
        let part = |range: &str| Part::of(range).map(|part| (part.first, part.whole));
        assert_eq!(part("bytes 5-9/20"), Some((5, Some(20))));
        assert_eq!(part("bytes 5-9/*"), Some((5, None)));
        assert_eq!(part("bytes */20"), None);
        assert_eq!(part("lines 5-9/20"), None);
    }

    #[test]
    fn a_part_that_ends_before_the_whole_is_not_the_end() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            for answer in [
                "200 OK\r\nContent-Length: 6\r\n\r\nab",
                "206 Partial Content\r\nContent-Range: bytes 2-3/6\r\nContent-Length: 2\r\n\r\ncd",
                "206 Partial Content\r\nContent-Range: bytes 4-5/6\r\nContent-Length: 2\r\n\r\nef",
            ] {
                let (mut stream, _) = listener.accept().unwrap();
                let lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
                lines.take_while(|line| !line.is_empty()).for_each(drop);
                let answer = answer.replacen("\r\n", "\r\nConnection: close\r\n", 1);
                stream.write_all(format!("HTTP/1.1 {answer}").as_bytes()).unwrap();
            }
        });
        let folder = tempfile::tempdir().unwrap();
        let into = folder.path().join("archive");
        let limits = Limits { silence: Duration::from_millis(600), ..Limits::default() };
        let address = Address::of(&address).unwrap();
        let wanted = Wanted { address: address.clone(), accept: "*/*", into: into.clone() };
        assert_eq!(download(wanted, limits, &|| false).unwrap(), address);
        assert_eq!(std::fs::read(&into).unwrap(), b"abcdef");
        server.join().unwrap();
    }

    #[test]
    fn a_wait_ends_where_the_user_gives_up() {
        let asked = Cell::new(0);
        let stopped = || {
            asked.set(asked.get() + 1);
            asked.get() == 2
        };
        assert_eq!(wait(Duration::from_secs(3600), &stopped).unwrap_err(), Halt::Stopped);
        assert!(wait(Duration::ZERO, &|| true).is_ok());
    }
}
