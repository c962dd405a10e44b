//! A child that speaks the protocol: started, greeted, asked page by page, and ended.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::group::Group;
use super::protocol::{Hello, Reply, Request, read_hello, read_reply, shown};
use crate::algorithms::parameters::Values;
use crate::runs::configuration::{ExternalRequest, Limits};

/// Bytes of a child's stderr that are kept, its last ones.
const KEPT_ERRORS: usize = 64 << 10;

/// How long to wait for a stop, before looking whether it was asked for again.
const LOOK: Duration = Duration::from_millis(100);

/// How long a child that closed its output has to end by itself, so that its exit status is known.
const LAST_BREATH: Duration = Duration::from_millis(500);

/// Batches of lines that may wait to be looked at; a child that writes more is not read until they are.
const WAITING: usize = 4;

/// A child, ready for a page.
pub struct Worker {
    group: Group,
    /// Lines for the child; dropped, its standard input ends.
    requests: Option<Sender<Vec<u8>>>,
    events: Receiver<Event>,
    /// Lines that were read together with one that was asked for.
    lines: VecDeque<Vec<u8>>,
    errors: Errors,
    /// The bytes on stderr before the last request: they are of other pages.
    told_before: u64,
    hello: Hello,
    asked: u64,
}

/// What a child's pipes tell.
enum Event {
    /// Whole lines, without their ends.
    Lines(Vec<Vec<u8>>),
    /// A line has more bytes than are allowed.
    TooLong,
    /// Standard output is closed.
    Ended,
    /// A request was written to its last byte.
    Written,
    /// Standard input is closed.
    Broken,
}

/// What came of a request.
#[derive(Debug)]
pub enum Answer {
    /// The child answered, and may be asked again.
    Reply(Reply),
    /// The page failed, and the child cannot be asked again.
    Lost(Loss),
    /// The run is to stop.
    Stopped,
}

/// Why a child was given up.
#[derive(Debug)]
pub struct Loss {
    /// The kind of its failure.
    pub kind: LossKind,
    /// Why, in one sentence.
    pub reason: String,
}

/// The kinds of failures for which a child is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossKind {
    /// It ended, or closed its pipes.
    Ended,
    /// It wrote what is no answer.
    Protocol,
    /// Its answer is larger than allowed.
    TooLarge,
    /// It ran out of time.
    TimedOut,
}

/// Why a child did not say hello.
#[derive(Debug)]
pub enum StartFault {
    /// The program is not there, or may not be executed; in one sentence.
    NotStarted(String),
    /// It ended before its hello; in one sentence.
    Ended(String),
    /// It wrote something else or nothing; in one sentence, with the way in which a program that is no worker can be asked.
    NoHello(String, String),
    /// Its hello cannot be taken; the sentence says why.
    Refused(String),
    /// The run is to stop.
    Stopped,
}

impl StartFault {
    /// The sentence; `None` where the run is to stop.
    pub fn into_message(self) -> Option<String> {
        match self {
            StartFault::NotStarted(message) | StartFault::Ended(message) | StartFault::Refused(message) => {
                Some(message)
            }
            StartFault::NoHello(message, way_to_work) => Some(format!("{message}; {way_to_work}")),
            StartFault::Stopped => None,
        }
    }
}

/// What is asked of a child.
pub struct Question<'q> {
    /// The page's address, or nothing.
    pub url: &'q str,
    /// The decoded page.
    pub html: &'q str,
    /// Every parameter.
    pub parameters: &'q Values,
}

/// The words by which the reason of a timeout begins.
pub(crate) const LATE: &str = "no answer within";

/// Lines between an error of Python and its place, at most.
const PLACE_WITHIN: usize = 5;

impl Worker {
    /// Starts a child and reads its hello.
    ///
    /// # Errors
    /// [`StartFault`]: it cannot be started, ends, says something else, or says nothing in time.
    pub fn start(request: &ExternalRequest, is_stopped: &dyn Fn() -> bool) -> Result<Worker, StartFault> {
        let mut command = Command::new(&request.command[0]);
        command.args(&request.command[1..]).envs(&request.env);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(cwd) = &request.cwd {
            command.current_dir(cwd);
        }
        let mut group = Group::spawn(&mut command).map_err(|error| {
            StartFault::NotStarted(format!("`{}` cannot be started: {error}", request.command_line()))
        })?;
        let child = group.child();
        let (Some(input), Some(output), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(StartFault::NotStarted("its pipes cannot be opened".to_owned()));
        };
        let (events, received) = sync_channel(WAITING);
        let (requests, to_write) = channel();
        let errors = Errors::default();
        let limit = request.limits.max_text_bytes;
        let of_output = events.clone();
        thread::spawn(move || read_lines(output, limit, &of_output));
        thread::spawn(move || write_requests(input, &to_write, &events));
        thread::spawn({
            let errors = errors.clone();
            move || errors.read(stderr)
        });
        let hello = Hello::default();
        let (lines, requests) = (VecDeque::new(), Some(requests));
        let mut worker = Worker { group, requests, events: received, lines, errors, hello, asked: 0, told_before: 0 };
        worker.hello = worker.greet(request, is_stopped)?;
        Ok(worker)
    }

    fn greet(&mut self, request: &ExternalRequest, is_stopped: &dyn Fn() -> bool) -> Result<Hello, StartFault> {
        let time = request.limits.start_timeout.duration();
        match self.next_line(Instant::now() + time, is_stopped) {
            Next::Line(line) => read_hello(&line).map_err(|fault| {
                let is_json = line.trim_ascii_start().starts_with(b"{");
                match is_json {
                    true => StartFault::Refused(fault),
                    false => StartFault::NoHello(fault, way_to_work(request)),
                }
            }),
            Next::TooLong => {
                let message = "its first line is longer than `max_text_bytes`".to_owned();
                Err(StartFault::NoHello(message, way_to_work(request)))
            }
            Next::Gone => {
                let how = self.how_it_ended();
                Err(StartFault::Ended(format!("{how} before its hello{}", self.last_words(LAST_BREATH))))
            }
            Next::Late => {
                let (seconds, last_words) = (time.as_secs_f64(), self.last_words(Duration::ZERO));
                let message = format!("it said no hello within {seconds} s{last_words}");
                Err(StartFault::NoHello(message, way_to_work(request)))
            }
            Next::Stopped => Err(StartFault::Stopped),
        }
    }

    /// What the child said of itself.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    /// Why the child cannot be asked, though nothing was asked of it: it ended, or wrote a line that belongs to no
    /// request.
    pub fn fault(&mut self) -> Option<String> {
        let stray = |line: &[u8]| Some(format!("wrote a line though no page was asked for: {}", shown(line)));
        if let Some(line) = self.lines.front() {
            return stray(line);
        }
        loop {
            match self.events.try_recv().ok()? {
                Event::Lines(lines) => return stray(lines.first().map_or(&[], |line| line)),
                Event::TooLong => {
                    return Some("wrote a line that is too long, though no page was asked for".to_owned());
                }
                Event::Ended | Event::Broken => {
                    return Some(format!("was lost between two pages: {}", self.how_it_ended()));
                }
                // The answer was there before it was told that the request was written.
                Event::Written => {}
            }
        }
    }

    /// Asks for one page.
    pub fn ask(&mut self, question: &Question<'_>, limits: &Limits, is_stopped: &dyn Fn() -> bool) -> Answer {
        self.asked += 1;
        self.told_before = self.errors.written();
        let id = format!("p{}", self.asked);
        let Question { url, html, parameters } = *question;
        let line = Request { id: &id, url, html, parameters }.line();
        let lost = |kind: LossKind, reason: String| Answer::Lost(Loss { kind, reason });
        if self.requests.as_ref().is_none_or(|requests| requests.send(line).is_err()) {
            let how = self.how_it_ended();
            return lost(LossKind::Ended, format!("crash: {how}{}", self.last_words(LAST_BREATH)));
        }
        let time = limits.timeout.duration();
        match self.next_line(Instant::now() + time, is_stopped) {
            Next::Line(line) => match read_reply(&line, &id) {
                Ok(reply) => Answer::Reply(reply),
                Err(problem) => lost(LossKind::Protocol, format!("protocol: {problem}")),
            },
            Next::TooLong => {
                let reason = format!("too_large: its line has more than {} bytes", limits.max_text_bytes);
                lost(LossKind::TooLarge, reason)
            }
            Next::Gone => {
                let how = self.how_it_ended();
                lost(LossKind::Ended, format!("crash: {how}{}", self.last_words(LAST_BREATH)))
            }
            Next::Late => {
                let (seconds, last_words) = (time.as_secs_f64(), self.last_words(Duration::ZERO));
                lost(LossKind::TimedOut, format!("{LATE} {seconds} s{last_words}"))
            }
            Next::Stopped => Answer::Stopped,
        }
    }

    /// The next line of the child. Once its request is written to the last byte, it has the time anew.
    fn next_line(&mut self, mut until: Instant, is_stopped: &dyn Fn() -> bool) -> Next {
        let time = until.saturating_duration_since(Instant::now());
        loop {
            if let Some(line) = self.lines.pop_front() {
                return Next::Line(line);
            }
            let left = until.saturating_duration_since(Instant::now());
            match self.events.recv_timeout(left.min(LOOK)) {
                Ok(Event::Lines(lines)) => self.lines.extend(lines),
                Ok(Event::Written) => until = Instant::now() + time,
                Ok(Event::TooLong) => return Next::TooLong,
                Ok(Event::Ended | Event::Broken) | Err(RecvTimeoutError::Disconnected) => return Next::Gone,
                Err(RecvTimeoutError::Timeout) if is_stopped() => return Next::Stopped,
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Next::Late,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Closes the child's input and waits for its end, at most `time`: its exit status, `None` where it had to be ended.
    pub fn finish(mut self, time: Duration) -> Option<ExitStatus> {
        self.requests = None;
        self.group.wait(time)
    }

    /// What became of a child that does not speak any more.
    fn how_it_ended(&mut self) -> String {
        match self.group.wait(LAST_BREATH) {
            Some(status) => format!("it ended ({status})"),
            None => "it closed its pipes, but did not end".to_owned(),
        }
    }

    /// The last line that the child writes to stderr within `time`, as the end of a sentence. Python writes the place of an error
    /// in a line before it.
    fn last_words(&self, time: Duration) -> String {
        let text = self.errors.text(time, self.told_before);
        let lines = || text.lines().rev().map(str::trim).filter(|line| !line.is_empty());
        let place = lines().take(PLACE_WITHIN).find(|line| line.starts_with("File \""));
        let place = place.map_or(String::new(), |place| format!(" ({})", shown(place.as_bytes())));
        // The words of a grammar end with a way to its help.
        let grammar = lines().take(PLACE_WITHIN + 5).find(|line| line.starts_with("error: "));
        let missing = || text.lines().map(str::trim).skip_while(|line| !line.starts_with("error: ")).nth(1);
        if let Some(error) =
            grammar.filter(|_| lines().next().is_some_and(|last| last.starts_with("For more information")))
        {
            let error = format!("{error} {}", missing().unwrap_or_default());
            return format!("; on stderr: {}", shown(error.trim_end().as_bytes()));
        }
        let line = lines().next();
        line.map(|line| format!("; on stderr: {}{place}", shown(line.as_bytes()))).unwrap_or_default()
    }

    /// The last 64 KiB that the child wrote to stderr so far.
    pub fn errors(&self) -> String {
        self.errors.text(Duration::ZERO, 0)
    }
}

/// The command that asks a program which is no worker.
fn way_to_work(request: &ExternalRequest) -> String {
    format!(
        "a program that reads a page on stdin and writes its text runs by --external 'carat external per-page --version 1 -- {}'",
        request.command_line()
    )
}

/// What came first.
enum Next {
    Line(Vec<u8>),
    TooLong,
    Gone,
    Late,
    Stopped,
}

/// Reads lines of at most `limit` bytes until the child closes its output, or writes a longer one.
fn read_lines(mut output: impl Read, limit: usize, events: &SyncSender<Event>) {
    let mut chunk = vec![0; 64 << 10];
    let mut line: Vec<u8> = Vec::new();
    loop {
        let read = match output.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let mut lines = Vec::new();
        let mut rest = &chunk[..read];
        let mut is_too_long = false;
        while !is_too_long && !rest.is_empty() {
            let end = rest.iter().position(|&byte| byte == b'\n');
            let piece = &rest[..end.unwrap_or(rest.len())];
            is_too_long = line.len() + piece.len() > limit;
            if is_too_long {
                break;
            }
            line.extend_from_slice(piece);
            if end.is_some() {
                lines.push(std::mem::take(&mut line));
            }
            rest = &rest[end.map_or(rest.len(), |end| end + 1)..];
        }
        if !lines.is_empty() && events.send(Event::Lines(lines)).is_err() {
            return;
        }
        if is_too_long {
            let _ = events.send(Event::TooLong);
            return;
        }
    }
    let _ = events.send(Event::Ended);
}

/// Writes requests while answers are read: a page may be larger than a pipe holds.
fn write_requests(mut input: ChildStdin, requests: &Receiver<Vec<u8>>, events: &SyncSender<Event>) {
    for request in requests {
        let written = input.write_all(&request).and_then(|()| input.flush());
        let event = if written.is_ok() { Event::Written } else { Event::Broken };
        if events.send(event).is_err() || written.is_err() {
            return;
        }
    }
}

/// The last bytes of a child's stderr.
#[derive(Clone, Default)]
struct Errors(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    bytes: VecDeque<u8>,
    /// Bytes that were ever written.
    written: u64,
    has_ended: bool,
}

impl Errors {
    /// Reads to the end: an unread pipe would block the child.
    fn read(&self, mut stderr: impl Read) {
        let mut chunk = vec![0; 16 << 10];
        loop {
            let read = match stderr.read(&mut chunk) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => break,
            };
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.bytes.extend(&chunk[..read]);
            kept.written += read as u64;
            let excess = kept.bytes.len().saturating_sub(KEPT_ERRORS);
            kept.bytes.drain(..excess);
        }
        self.0.lock().unwrap_or_else(PoisonError::into_inner).has_ended = true;
    }

    /// The number of bytes that were written so far.
    fn written(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).written
    }

    /// The bytes that are kept, without the first `before` of all; every one of them, if the child ends within `time`.
    fn text(&self, time: Duration, before: u64) -> String {
        let start = Instant::now();
        loop {
            let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.has_ended || start.elapsed() >= time {
                let gone = kept.written - kept.bytes.len() as u64;
                let skipped = before.saturating_sub(gone) as usize;
                let bytes: Vec<u8> = kept.bytes.iter().skip(skipped).copied().collect();
                return String::from_utf8_lossy(&bytes).into_owned();
            }
            drop(kept);
            thread::sleep(Duration::from_millis(5));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a child's output is read as.
    fn lines(output: &[u8], limit: usize) -> (Vec<String>, bool) {
        let (events, received) = sync_channel(100);
        read_lines(output, limit, &events);
        let (mut lines, mut is_too_long) = (Vec::new(), false);
        while let Ok(event) = received.try_recv() {
            match event {
                Event::Lines(more) => lines.extend(more.into_iter().map(|line| String::from_utf8(line).unwrap())),
                Event::TooLong => is_too_long = true,
                _ => {}
            }
        }
        (lines, is_too_long)
    }

    #[test]
    fn lines_are_cut_at_line_feeds_and_no_longer_than_allowed() {
        let read = |output: &str, limit| lines(output.as_bytes(), limit);
        let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        assert_eq!(read("ab\n\ncd\r\nrest", 4), (texts(&["ab", "", "cd\r"]), false));
        assert_eq!(read("abcd\nabcde\nab\n", 4), (texts(&["abcd"]), true));
        assert_eq!(read(&"x".repeat(200_000), 100_000), (Vec::new(), true));
        let long = "y".repeat(150_000);
        assert_eq!(read(&format!("{long}\nz\n"), 150_000), (vec![long, "z".to_owned()], false));
    }

    #[test]
    fn the_last_words_are_kept() {
        let errors = Errors::default();
        errors.read([vec![b'a'; 200_000], b"the end".to_vec()].concat().as_slice());
        assert_eq!((errors.written(), errors.text(Duration::ZERO, 200_000)), (200_007, "the end".to_owned()));
        let text = errors.text(Duration::ZERO, 0);
        assert_eq!((text.len(), text.ends_with("athe end")), (KEPT_ERRORS, true));
    }
}
