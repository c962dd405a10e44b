//! Which records are pages, and what their headers say of them.

use carat_warc::body::{Body, BodyFault, Bounds, read_body, read_plain};
use carat_warc::http::{Response, media_type, read_response};
use carat_warc::{Fault, Fields, Header, Record};

use crate::datasets::MAX_PAGE_BYTES;
use crate::datasets::import::Options;
use crate::page::charset;

/// The options, checked.
#[derive(Debug)]
pub(super) struct Reading {
    /// True if records of the type `response` are pages.
    takes_responses: bool,
    /// True if records of the type `resource` are pages.
    takes_resources: bool,
    statuses: Vec<u16>,
}

/// The facts that the headers of a page state.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) header: Header,
    /// The label of its encoding, in lower case, if it is one.
    pub(super) charset: Option<String>,
    /// A label of no known encoding.
    pub(super) unknown_charset: Option<String>,
    /// True if its crawler says that it is cut.
    pub(super) is_cut: bool,
    /// Of a response its HTTP fields.
    http: Option<Fields>,
}

/// A record that is no page.
#[derive(Debug)]
pub(super) enum Other {
    /// Of another type.
    Type(String),
    /// A response of another status.
    Status(u16),
    /// No HTML.
    Media,
}

/// A record that was looked at.
pub(super) enum Seen {
    /// `kept`: the body does not have an encoding that a header names.
    Page {
        head: Box<Head>,
        kept: bool,
    },
    Other(Other),
}

const HTML: [&str; 2] = ["text/html", "application/xhtml+xml"];

impl Reading {
    /// Reads the options `types` and `status`.
    pub(super) fn new(options: &Options) -> Result<Self, String> {
        let words = |name: &str, usual: &str| -> Vec<String> {
            let given = options.0.get(name).map_or(usual, String::as_str);
            given.split(',').map(|word| word.trim().to_ascii_lowercase()).collect()
        };
        let types = words("types", "response");
        if let Some(other) = types.iter().find(|name| !matches!(name.as_str(), "response" | "resource")) {
            return Err(format!("types: expected response, resource or both with a comma between, not `{other}`"));
        }
        let status = |word: &String| match word.parse() {
            Ok(status @ 100..=999) => Ok(status),
            _ => Err(format!("status: expected HTTP statuses such as 200 with commas between, not `{word}`")),
        };
        Ok(Reading {
            takes_responses: types.iter().any(|name| name == "response"),
            takes_resources: types.iter().any(|name| name == "resource"),
            statuses: words("status", "200").iter().map(status).collect::<Result<_, _>>()?,
        })
    }

    /// Looks at a record and, where it is a page, reads its body to see that it can be read.
    pub(super) fn look(&self, record: &mut Record<'_>) -> Result<Seen, Fault> {
        let head = match self.head(record)? {
            Ok(head) => head,
            Err(other) => return Ok(Seen::Other(other)),
        };
        let kept = match head.body(record) {
            Ok(body) => body.is_as_it_was,
            // The page fails when it is run, as one of a folder does.
            Err(BodyFault::TooLarge(_)) => false,
            Err(BodyFault::Broken(sentence)) => return Err(Fault::Broken(sentence)),
            Err(BodyFault::System(error)) => return Err(Fault::System(error)),
        };
        Ok(Seen::Page { head, kept })
    }

    /// The headers of a page; or that the record is none.
    pub(super) fn head(&self, record: &mut Record<'_>) -> Result<Result<Box<Head>, Other>, Fault> {
        let kind = record.header.kind();
        let own = record.header.fields.get("Content-Type").unwrap_or_default().to_owned();
        let is_http = media_type(&own).0 == "application/http";
        let (media, http) = match kind.as_str() {
            "response" if self.takes_responses && is_http => {
                let Response { status, fields } = read_response(record.block)?;
                if !self.statuses.contains(&status) {
                    return Ok(Err(Other::Status(status)));
                }
                let media = fields.all("Content-Type").next_back().unwrap_or_default().to_owned();
                (media, Some(fields))
            }
            "resource" if self.takes_resources => (own, None),
            _ => return Ok(Err(Other::Type(kind))),
        };
        let (essence, label) = media_type(&media);
        let is_html = |essence: &str| HTML.contains(&essence);
        let identified = record.header.fields.get("WARC-Identified-Payload-Type").unwrap_or_default();
        if !is_html(&essence) && !is_html(&media_type(identified).0) {
            return Ok(Err(Other::Media));
        }
        let label = label.map(str::to_ascii_lowercase);
        let (charset, unknown_charset) = match label {
            Some(label) if charset::for_label(&label).is_none() => (None, Some(label)),
            label => (label, None),
        };
        let truncated = record.header.fields.get("WARC-Truncated").unwrap_or_default();
        let is_cut = !truncated.is_empty();
        Ok(Ok(Box::new(Head { header: record.header.clone(), charset, unknown_charset, is_cut, http })))
    }
}

impl Head {
    /// The page's bytes, which stand in the rest of the block.
    pub(super) fn body(&self, record: &mut Record<'_>) -> Result<Body, BodyFault> {
        match &self.http {
            Some(fields) => {
                let bounds = Bounds { most: MAX_PAGE_BYTES, may_be_cut: self.is_cut };
                read_body(record.block, fields, bounds)
            }
            None => read_plain(record.block, MAX_PAGE_BYTES),
        }
    }
}
