//! The requests of a screen: events without page, time and line, each checked against the page.

use serde::Deserialize;
use serde_json::Value as Json;

use crate::document::{Document, Run};
use crate::event::{Event, FAULTS, Mark};
use crate::guidelines::Labels;
use crate::marks::{Change, check_run};

/// Marks, runs and events of one request.
const MOST_ENTRIES: usize = 1_000;
/// Characters of a comment.
const MOST_NOTE: usize = 10_000;
/// Active time that one event may tell, in ms: screens tell it every 10 s.
const MOST_MS: u64 = 120_000;

/// Changes of a page, and the state that they are based on.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The line that changed the page last.
    pub seq: u64,
    /// The events.
    pub events: Vec<Posted>,
}

/// One event.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub enum Posted {
    /// Marks.
    Mark {
        /// Labels that are put.
        set: Vec<Json>,
        /// Marks strictly inside these runs are taken away first.
        #[serde(default)]
        inside: Vec<Run>,
        /// The way in which they were made.
        via: String,
    },
    /// An action is taken back.
    Undo {
        /// Its line.
        of: u64,
    },
    /// It is made again.
    Redo {
        /// Its line.
        of: u64,
    },
    /// A comment.
    Note {
        /// Its text.
        text: String,
    },
    /// The page is faulty.
    Skip {
        /// How.
        fault: String,
    },
    /// Text was on the screen.
    Seen {
        /// Which.
        nodes: Vec<Run>,
        /// Active time.
        ms: u64,
    },
    /// The page is finished.
    Done {},
}

impl Request {
    /// Reads a request.
    ///
    /// # Errors
    /// A sentence.
    pub fn read(body: &[u8]) -> Result<Self, String> {
        let request: Request = serde_json::from_slice(body).map_err(|error| format!("no request: {error}"))?;
        let entries = |event: &Posted| match event {
            Posted::Mark { set, inside, .. } => set.len() + inside.len(),
            Posted::Seen { nodes, .. } => nodes.len(),
            _ => 1,
        };
        let count: usize = request.events.iter().map(entries).sum();
        if count > MOST_ENTRIES || request.events.len() > MOST_ENTRIES {
            return Err(format!("a request has at most {MOST_ENTRIES} entries"));
        }
        Ok(request)
    }
}

impl Posted {
    /// The event of a log; `None` for `done`, which the page's state completes.
    ///
    /// # Errors
    /// A sentence: the page does not have what it names.
    pub fn event(&self, document: &Document, labels: &Labels) -> Result<Option<Event>, String> {
        Ok(Some(match self {
            Posted::Mark { set, inside, via } => {
                for entry in set {
                    Change::read(entry, labels)?.check(document)?;
                }
                inside.iter().try_for_each(|run| check_run(*run, document))?;
                if !["key", "mouse", "accept"].contains(&&**via) {
                    return Err(format!("`via` is key, mouse or accept, not {via:?}"));
                }
                Event::Mark(Mark { set: set.clone(), inside: inside.clone(), via: via.clone() })
            }
            Posted::Undo { of } => Event::Undo { of: *of },
            Posted::Redo { of } => Event::Redo { of: *of },
            Posted::Note { text } if text.chars().count() > MOST_NOTE => {
                return Err(format!("a comment has at most {MOST_NOTE} characters"));
            }
            Posted::Note { text } => Event::Note { text: text.clone() },
            Posted::Skip { fault } if !FAULTS.contains(&&**fault) => {
                return Err(format!("`{fault}` is no fault of a page: {}", FAULTS.join(", ")));
            }
            Posted::Skip { fault } => Event::Skip { fault: fault.clone() },
            Posted::Seen { nodes, ms } => {
                let is_run = |[first, last]: &Run| first <= last && (*last as usize) < document.len();
                if !nodes.iter().all(is_run) {
                    return Err("`nodes` are runs of the page's text nodes".to_owned());
                }
                if *ms > MOST_MS {
                    return Err(format!("`ms` is at most {MOST_MS}"));
                }
                Event::Seen { nodes: nodes.clone(), ms: *ms }
            }
            Posted::Done {} => return Ok(None),
        }))
    }
}
