//! Tries a worker out: what it does with the pages that workers stumble over, and what to do about it.

use serde::Serialize;

use super::declared::Declared;
use super::protocol::{Extracted, Reply};
use super::worker::{Answer, Loss, LossKind, Question, StartFault, Worker};
use crate::algorithms::parameters::Values;
use crate::runs::configuration::ExternalRequest;
use crate::runs::kind::Extraction;
use crate::text::words::is_han;

/// What one trial showed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Whether the worker did what the protocol asks for.
    pub ok: bool,
    /// What was tried.
    pub trial: &'static str,
    /// What happened, and the way out where it is wrong; one sentence.
    pub message: String,
}

/// What all trials showed.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Findings {
    /// Each trial.
    pub findings: Vec<Finding>,
    /// The last 64 KiB that the last child wrote to stderr.
    pub stderr: String,
}

/// Tries the worker of `request` out, one trial after the other; one that is lost is started again.
pub fn check(request: &ExternalRequest) -> Findings {
    let only = |finding: Finding| Findings { findings: vec![finding], stderr: String::new() };
    let worker = match Worker::start(request, &|| false) {
        Ok(worker) => worker,
        Err(fault) => return only(not_started("hello", "", fault)),
    };
    let hello = worker.hello().clone();
    let mut findings = Vec::new();
    let parameters = match defaults(&hello.parameters) {
        Ok(parameters) => parameters,
        Err(name) => return only(wrong("hello", &format!("`{name}` has no default"), "give each parameter one")),
    };
    let names = hello.parameters.iter().map(|declared| format!("{} ({})", declared.name, declared.kind.describe()));
    let names = names.collect::<Vec<_>>().join(", ");
    let declares = if names.is_empty() { "no parameters".to_owned() } else { format!("parameters {names}") };
    findings.push(right("hello", format!("{} {}, {declares}", hello.name, hello.version)));
    let mut trials = Trials { request, parameters, worker: Some(worker), findings, stderr: String::new() };
    trials.all();
    Findings { findings: trials.findings, stderr: trials.stderr }
}

/// The way out where there is no program.
const NO_PROGRAM: &str = "check the program's name and path, and that it may be executed";

/// The way out where it ended at once.
const ENDED: &str = "run the command by hand in this folder to see why";

/// The way out where its hello cannot be taken.
const MEND_HELLO: &str = "mend the line that it prints first";

/// The way out where there is no hello.
const NO_HELLO: &str = "print the hello first and flush it, and keep everything else off stdout: libraries print, so \
                        move the real stdout away before they are loaded";

/// Ways out.
const FLUSH: &str = "answer each line with one line, and flush after each";
const UTF_8: &str = "read stdin and write stdout as UTF-8, whatever the locale says";
const NO_CHINESE: &str = ", though there is text: fine if the extractor is for other languages";
const CATCH: &str = "catch what the extractor throws, answer with `error`, and read on until the end of stdin, for a worker answers many pages";
const ANSWER: &str = "answer with the `id` of the request and one of `text`, `html`, `markdown` and `error`";
const NOTHING_ELSE: &str =
    "print nothing but answers on stdout: libraries print, so move the real stdout away before they are loaded";
const SHORTER: &str = "answer with less than `max_text_bytes`";
const STATE: &str = "keep nothing from one page to the next";
const READ_ON: &str = "read each line to its end before answering, however long it is";
const END: &str = "leave the loop at the end of stdin";

/// A paragraph of a Chinese article and one of an English one; no two of a page are alike, for some extractors drop
/// what is repeated.
const CHINESE: &str = "<p>新华社北京NUMBER日消息，研究人员在本次会议上公布了网页正文提取的最新成果，并介绍了评测方法与数据集的构成。与会专家认为，这项工作有助于提高检索质量。</p>";
const ENGLISH: &str = "<p>On day NUMBER the council met to discuss the new bridge, and after two hours of debate it agreed that the work should begin next spring, once the river has fallen.</p>";

fn page(paragraph: &str, title: &str, times: usize) -> String {
    let paragraphs = (1..=times).map(|number| paragraph.replace("NUMBER", &number.to_string()));
    format!(
        "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>{title}</title></head><body><nav><a href=\"/\">Home</a> \
         <a href=\"/n\">News</a></nav><article><h1>{title}</h1>{}</article></body></html>",
        paragraphs.collect::<String>()
    )
}

struct Trials<'r> {
    request: &'r ExternalRequest,
    parameters: Values,
    worker: Option<Worker>,
    findings: Vec<Finding>,
    stderr: String,
}

impl Trials<'_> {
    fn all(&mut self) {
        let small = page(ENGLISH, "A new bridge", 6);
        let first = self.text("a small page", &small, FLUSH);
        if let Some(text) = &first {
            self.found(right("a small page", count(text)));
        }
        if let Some(text) = self.text("a Chinese page", &page(CHINESE, "网页正文提取", 6), FLUSH) {
            let is_garbled = !text.is_empty() && !text.chars().any(is_han);
            let garbled = || wrong("a Chinese page", "its text has no Chinese character", UTF_8);
            // To extract nothing is no fault, but a program that extracts from English alone may want to know.
            let is_lacking = text.is_empty() && first.as_ref().is_some_and(|text| !text.is_empty());
            let hint = if is_lacking { NO_CHINESE } else { "" };
            self.found(if is_garbled { garbled() } else { right("a Chinese page", count(&text) + hint) });
        }
        match self.ask("an empty page", "", FLUSH) {
            Some(Reply::Extracted(_)) => self.found(right("an empty page", "an extraction".to_owned())),
            Some(Reply::Failed(reason)) => {
                self.found(right("an empty page", format!("an error, which counts as a failed page: {reason}")))
            }
            None => {}
        }
        let large = page(ENGLISH, "A long page", (1 << 20) / ENGLISH.len() + 1);
        if let Some(text) = self.text("a page of 1 MiB", &large, READ_ON) {
            self.found(right("a page of 1 MiB", count(&text)));
        }
        self.two_in_a_row(&small, first.as_deref());
        self.end_of_input();
    }

    /// The same page again, twice: its text does not depend on what came before.
    fn two_in_a_row(&mut self, html: &str, first: Option<&str>) {
        const TRIAL: &str = "the same page twice";
        let Some(one) = self.text(TRIAL, html, FLUSH) else { return };
        let Some(two) = self.text(TRIAL, html, FLUSH) else { return };
        let same = one == two && first.is_none_or(|first| first == one);
        let stray = self.worker.as_mut().and_then(Worker::fault);
        self.found(match stray {
            Some(fault) => wrong(TRIAL, &format!("it {fault}"), FLUSH),
            None if same => right(TRIAL, "the same text".to_owned()),
            None => wrong(TRIAL, "its texts differ", STATE),
        });
    }

    fn end_of_input(&mut self) {
        const TRIAL: &str = "the end of input";
        let Some(worker) = self.worker.take() else { return };
        self.stderr = worker.errors();
        let limit = self.request.limits.timeout;
        self.found(match worker.finish(limit.duration()) {
            Some(status) if status.success() => right(TRIAL, "it ended".to_owned()),
            Some(status) => wrong(TRIAL, &format!("it ended with {status}"), END),
            None => wrong(TRIAL, &format!("it did not end within {limit} s, and was killed"), END),
        });
    }

    fn found(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// The text of a page on which no extractor should fail; `late` is the way out if it runs out of time.
    fn text(&mut self, trial: &'static str, html: &str, late: &'static str) -> Option<String> {
        let reply = self.ask(trial, html, late)?;
        let text = match reply {
            Reply::Extracted(Extracted { kind, text, .. }) => match Extraction::written(kind, text) {
                Extraction::Text(written) => Ok(written.text),
                _ => Err("its result is too large to be rendered".to_owned()),
            },
            Reply::Failed(reason) => Err(format!("it answers with an error: {reason}")),
        };
        text.map_err(|reason| self.found(wrong(trial, &reason, "an article should make none"))).ok()
    }

    /// The reply to a page; a child that is lost is told, with the last it wrote to stderr, and with the way out, which is `late`
    /// for one that ran out of time.
    fn ask(&mut self, trial: &'static str, html: &str, late: &'static str) -> Option<Reply> {
        if let Some(fault) = self.worker.as_mut().and_then(Worker::fault) {
            self.found(wrong(trial, &format!("before it was asked, it {fault}"), FLUSH));
            self.worker = None;
        }
        if self.worker.is_none() {
            match Worker::start(self.request, &|| false) {
                Ok(worker) => self.worker = Some(worker),
                Err(fault) => {
                    self.found(not_started(trial, "started again, ", fault));
                    return None;
                }
            }
        }
        let question = Question { url: "http://example.org/", html, parameters: &self.parameters };
        match self.worker.as_mut()?.ask(&question, &self.request.limits, &|| false) {
            Answer::Reply(reply) => Some(reply),
            Answer::Lost(Loss { kind, reason }) => {
                let way_out = match kind {
                    // As programs in Python tell that they read or write another encoding.
                    LossKind::Ended if reason.contains("Unicode") => UTF_8,
                    LossKind::Ended => CATCH,
                    LossKind::Protocol if reason.contains("is no JSON object") => NOTHING_ELSE,
                    LossKind::Protocol => ANSWER,
                    LossKind::TooLarge => SHORTER,
                    LossKind::TimedOut => late,
                };
                self.found(wrong(trial, &reason, way_out));
                self.stderr = self.worker.take().map(|worker| worker.errors()).unwrap_or_default();
                None
            }
            Answer::Stopped => None,
        }
    }
}

fn defaults(parameters: &[Declared]) -> Result<Values, String> {
    let pair = |declared: &Declared| {
        let default = declared.default.clone().ok_or_else(|| declared.name.clone())?;
        Ok((declared.name.clone(), default))
    };
    parameters.iter().map(pair).collect()
}

fn count(text: &str) -> String {
    format!("{} characters", crate::text::chars(text))
}

/// A trial without a child, and the way out of that; `when` stands before what happened.
fn not_started(trial: &'static str, when: &str, fault: StartFault) -> Finding {
    let (what, way_out) = match fault {
        StartFault::NotStarted(what) => (what, NO_PROGRAM.to_owned()),
        StartFault::Ended(what) => (what, ENDED.to_owned()),
        StartFault::NoHello(what, way_to_work) => (what, format!("{NO_HELLO}; {way_to_work}")),
        StartFault::Refused(what) => (what, MEND_HELLO.to_owned()),
        StartFault::Stopped => ("interrupted".to_owned(), "try again".to_owned()),
    };
    wrong(trial, &format!("{when}{what}"), &way_out)
}

fn right(trial: &'static str, message: String) -> Finding {
    Finding { ok: true, trial, message: one_line(&message) }
}

fn wrong(trial: &'static str, problem: &str, way_out: &str) -> Finding {
    Finding { ok: false, trial, message: one_line(&format!("{problem}; {way_out}")) }
}

fn one_line(text: &str) -> String {
    text.replace(char::is_control, "\u{FFFD}")
}
