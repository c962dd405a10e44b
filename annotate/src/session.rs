//! One annotator at work: pages are opened, changes are checked, logged and answered.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::digest::sha256;
use crate::document::Document;
use crate::event::{Done, Event, Header, Line, Open, Proposal, VERSION, now};
use crate::guidelines::Guidelines;
use crate::log::{Log, LogError};
use crate::marks::{Gold, Labelled};
use crate::proposals::{Prefill, of_gold, of_votes, share_of, votes};
use crate::sides::Sides;
use crate::sisters::{Places, Sisters};
use crate::source::{KnownGold, Source};
use crate::state::{Everyone, PageState, Status, Work};

/// Documents that are kept ready: the page on the screen, two ahead, and some behind.
const KEPT: usize = 6;

/// The settings of a session.
pub struct Settings {
    /// The annotator's name.
    pub by: String,
    /// The folder of annotations.
    pub folder: PathBuf,
    /// The guidelines.
    pub guidelines: Guidelines,
    /// The source of proposals.
    pub prefill: Prefill,
    /// The share of pages that get no proposal.
    pub blank: f64,
    /// Seed of draws.
    pub seed: u64,
    /// The pages that are shown, by their places in the list, in the order in which they come.
    pub order: Vec<usize>,
    /// For an adjudicator: what the others did.
    pub others: Option<Everyone>,
    /// The language that the screen begins with, if one was asked for.
    pub language: Option<String>,
    /// The version of the program.
    pub version: String,
}

/// Why a request is refused.
#[derive(Debug)]
pub enum Refusal {
    /// There is no such page.
    NoPage,
    /// The request is none.
    Malformed(String),
    /// The page is in another state.
    Stale,
    /// The request cannot be carried out.
    Unprocessable(String),
    /// The page or its log cannot be read.
    Data(String),
    /// The disk refuses.
    Disk(String),
}

impl From<LogError> for Refusal {
    fn from(error: LogError) -> Self {
        match error {
            LogError::System { .. } => Refusal::Disk(error.to_string()),
            _ => Refusal::Data(error.to_string()),
        }
    }
}

/// A page that is ready: its document, and the digest of its bytes.
pub struct Ready {
    /// The page as it is marked.
    pub document: Document,
    /// SHA-256 of its bytes.
    pub html_sha256: String,
}

/// The log, and what it comes to.
pub(crate) struct Written {
    pub(crate) log: Log,
    pub(crate) work: Work,
    /// The number of the next line.
    next: u64,
}

/// One annotator at work.
pub struct Session {
    pub(crate) source: Arc<dyn Source>,
    pub(crate) settings: Settings,
    pub(crate) places: HashMap<String, usize>,
    written: Mutex<Written>,
    ready: Mutex<Vec<(usize, Arc<Ready>)>>,
    /// Paths of finished pages, by place.
    paths: Mutex<HashMap<usize, Arc<Places>>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Session {
    /// Opens the log and folds it.
    ///
    /// # Errors
    /// [`LogError`].
    pub fn open(source: Arc<dyn Source>, settings: Settings) -> Result<Self, LogError> {
        let header = Header {
            carat_annotations: VERSION,
            by: settings.by.clone(),
            dataset: source.name().to_owned(),
            carat: settings.version.clone(),
        };
        let (log, lines) = Log::open(&settings.folder, &settings.by, &header)?;
        let work = Work::fold(&settings.folder, &settings.by, &lines)?;
        let next = lines.len() as u64 + 2;
        let places = source.listed().iter().enumerate().map(|(place, listed)| (listed.id.clone(), place)).collect();
        let written = Mutex::new(Written { log, work, next });
        Ok(Session { source, settings, places, written, ready: Mutex::default(), paths: Mutex::default() })
    }

    pub(crate) fn written(&self) -> MutexGuard<'_, Written> {
        locked(&self.written)
    }

    /// True if no other program can write to the log.
    pub fn is_certain(&self) -> bool {
        self.written().log.is_certain()
    }

    /// The log, if its last line was cut off when it was opened, and is gone.
    pub fn cut_log(&self) -> Option<PathBuf> {
        let written = self.written();
        written.log.was_cut().then(|| written.log.path().to_owned())
    }

    /// The number of pages that are shown.
    pub fn page_count(&self) -> usize {
        self.settings.order.len()
    }

    /// The number of the pages that are shown and have this status.
    pub fn count(&self, status: Status) -> usize {
        let written = self.written();
        let listed = self.source.listed();
        let of = |place: &usize| written.work.pages.get(&listed[*place].id).map_or(Status::New, PageState::status);
        self.settings.order.iter().filter(|place| of(place) == status).count()
    }

    /// The active time of each finished page, in ms.
    pub fn times(&self) -> Vec<u64> {
        let written = self.written();
        written.work.pages.values().filter_map(|state| state.done.as_ref().map(|(_, done)| done.ms)).collect()
    }

    /// The place of a page of the list that is shown.
    ///
    /// # Errors
    /// [`Refusal::NoPage`].
    pub(crate) fn place(&self, id: &str) -> Result<usize, Refusal> {
        let place = self.places.get(id).copied().ok_or(Refusal::NoPage)?;
        if self.settings.order.contains(&place) { Ok(place) } else { Err(Refusal::NoPage) }
    }

    /// The page at a place, ready.
    ///
    /// # Errors
    /// [`Refusal::Data`].
    pub fn ready(&self, place: usize) -> Result<Arc<Ready>, Refusal> {
        let known = locked(&self.ready).iter().find(|(at, _)| *at == place).map(|(_, ready)| ready.clone());
        if let Some(ready) = known {
            return Ok(ready);
        }
        let id = &self.source.listed()[place].id;
        let told = |reason| Refusal::Data(format!("{id}: {reason}"));
        let opened = self.source.open(place).map_err(told)?;
        let document = Document::new(opened.page).map_err(told)?;
        let ready = Arc::new(Ready { document, html_sha256: opened.html_sha256 });
        let mut kept = locked(&self.ready);
        kept.retain(|(at, _)| *at != place);
        kept.insert(0, (place, ready.clone()));
        kept.truncate(KEPT);
        Ok(ready)
    }

    /// The places of the pages that come after one, two of them.
    pub fn ahead(&self, id: &str) -> Vec<usize> {
        let Some(&place) = self.places.get(id) else { return Vec::new() };
        let at = self.settings.order.iter().position(|other| *other == place);
        at.map_or_else(Vec::new, |at| self.settings.order.iter().skip(at + 1).take(2).copied().collect())
    }

    /// The annotator's finished pages of a page's site, without that page.
    pub(crate) fn sisters(&self, place: usize) -> Sisters {
        let listed = self.source.listed();
        let site = &listed[place].site;
        let labels = &self.settings.guidelines.labels;
        let mut sisters = Sisters::default();
        for (at, other) in listed.iter().enumerate().filter(|(at, other)| *at != place && other.site == *site) {
            let found = {
                let written = self.written();
                let state = written.work.pages.get(&other.id).filter(|state| state.done.is_some());
                state.and_then(|state| Some((state.marks(labels).ok()?, state.open.clone()?)))
            };
            let Some((marks, open)) = found else { continue };
            let known = locked(&self.paths).get(&at).cloned();
            let places = known.or_else(|| {
                let ready = self.ready(at).ok().filter(|ready| ready.document.text_sha256 == open.text_sha256)?;
                let places = Arc::new(Places::of(&ready.document));
                locked(&self.paths).insert(at, places.clone());
                Some(places)
            });
            let Some(places) = places else { continue };
            sisters.add(&other.id, &places, &marks.labelled(open.nodes as usize), labels);
        }
        sisters
    }

    /// The labels that others gave a page, where it is adjudicated; by name, with the lines of their last `done`.
    pub(crate) fn others(&self, id: &str, document: &Document) -> Vec<(String, u64, Labelled)> {
        let Some(everyone) = &self.settings.others else { return Vec::new() };
        let labels = &self.settings.guidelines.labels;
        let said = everyone.iter().filter_map(|(name, work)| {
            let state = work.pages.get(id)?;
            let (line, _) = state.done.as_ref()?;
            let is_same = state.open.as_ref().is_some_and(|open| open.text_sha256 == document.text_sha256);
            let marks = state.marks(labels).ok().filter(|_| is_same)?;
            Some((name.clone(), *line, marks.labelled(document.len())))
        });
        said.collect()
    }

    /// The two sides of a page that is adjudicated.
    pub(crate) fn sides(&self, id: &str, document: &Document) -> Option<Sides> {
        let others = self.others(id, document);
        let people: Vec<&Labelled> = others.iter().map(|(_, _, labelled)| labelled).collect();
        let labels = &self.settings.guidelines.labels;
        (people.len() > 1).then(|| Sides::of(document, &people, id, self.settings.seed, labels))
    }

    /// The proposal for a page that nobody has marked, and `true` if the page was drawn to have none.
    fn proposal(&self, place: usize, document: &Document) -> Result<(Option<Proposal>, bool), Refusal> {
        let id = &self.source.listed()[place].id;
        if self.settings.others.is_some() {
            return Ok((self.sides(id, document).map(|sides| sides.agreed), false));
        }
        if share_of(&["carat-blank", &self.settings.seed.to_string(), id]) < self.settings.blank {
            return Ok((None, true));
        }
        let labels = &self.settings.guidelines.labels;
        let proposal = match &self.settings.prefill {
            Prefill::None => None,
            Prefill::Sisters => {
                let sisters = self.sisters(place);
                let set = sisters.propose(document, labels).into_iter().map(|change| change.written(labels)).collect();
                Some(Proposal { kind: "sisters".to_owned(), from: sisters.from, set, ..Proposal::default() })
            }
            Prefill::Vote(members) => Some(of_votes(document, &votes(&document.page, document, members), labels)),
            Prefill::Gold => {
                let known = self.source.gold(place, document).map_err(Refusal::Data)?;
                known.map(|gold: KnownGold| of_gold(document, &gold, labels))
            }
        };
        Ok((proposal.filter(|proposal| !proposal.set.is_empty() || !proposal.disputed.is_empty()), false))
    }

    /// Opens a page: logs what it is, if that is new. The state of it then.
    ///
    /// # Errors
    /// [`Refusal`].
    pub(crate) fn opened(&self, place: usize) -> Result<(Arc<Ready>, PageState), Refusal> {
        let ready = self.ready(place)?;
        let document = &ready.document;
        let id = &self.source.listed()[place].id;
        let known = self.written().work.pages.get(id).cloned().unwrap_or_default();
        let same_text = known.open.as_ref().filter(|open| open.text_sha256 == document.text_sha256);
        let (proposal, blank) = match same_text {
            // A proposal stays what it was as soon as there are marks.
            Some(open) if known.status() != Status::New => (open.proposal.clone(), open.blank),
            _ => self.proposal(place, document)?,
        };
        let of = self
            .settings
            .others
            .is_some()
            .then(|| self.others(id, document).into_iter().map(|(name, line, _)| (name, line)).collect());
        let open = Open {
            html_sha256: ready.html_sha256.clone(),
            text_sha256: document.text_sha256.clone(),
            nodes: document.len() as u64,
            guidelines: self.settings.guidelines.id.clone(),
            proposal,
            blank,
            of,
        };
        // Other guidelines may call other roles gold.
        let same_rules = known.open.as_ref().is_some_and(|known| known.guidelines == open.guidelines);
        let mut state = known;
        if state.open.as_ref() != Some(&open) {
            let mut written = self.written();
            self.append(&mut written, id, &[Event::Open(open)])?;
            state = written.work.pages.get(id).cloned().unwrap_or_default();
        }
        self.verify(id, &state, document, same_rules)?;
        Ok((ready, state))
    }

    /// Checks that the marks of a finished page still give the gold that was logged.
    fn verify(&self, id: &str, state: &PageState, document: &Document, same_rules: bool) -> Result<(), Refusal> {
        let labels = &self.settings.guidelines.labels;
        let path = self.written().log.path().display().to_string();
        let told = |line: u64, reason: String| Refusal::Data(format!("E-LOG {path}:{line}: {id}: {reason}"));
        let marks = state.marks(labels).map_err(|(line, reason)| told(line, reason))?;
        for change in marks.changes() {
            change.check(document).map_err(|reason| told(state.seq, reason))?;
        }
        if let Some((line, done)) = state.done.as_ref().filter(|_| same_rules) {
            let gold = Gold::of(document, &marks.labelled(document.len()), labels, false);
            if gold.sha256() != done.gold_sha256 {
                return Err(told(*line, "its marks give another gold than when it was finished".to_owned()));
            }
        }
        Ok(())
    }

    fn append(&self, written: &mut Written, id: &str, events: &[Event]) -> Result<(), Refusal> {
        let at = now();
        let line = |event: &Event| Line { page: id.to_owned(), at: at.clone(), event: event.clone() };
        let lines: Vec<Line> = events.iter().map(line).collect();
        written.log.append(&lines)?;
        for line in &lines {
            let number = written.next;
            written.next += 1;
            written.work.add(number, line).map_err(Refusal::Unprocessable)?;
        }
        Ok(())
    }

    /// Checks and logs changes of a page that was in the state `seq`: all of them, or none.
    ///
    /// # Errors
    /// [`Refusal`].
    pub(crate) fn change(&self, place: usize, seq: u64, posted: &[crate::posted::Posted]) -> Result<(), Refusal> {
        let (ready, _) = self.opened(place)?;
        let id = self.source.listed()[place].id.clone();
        let mut written = self.written();
        let mut state = written.work.pages.get(&id).cloned().unwrap_or_default();
        if state.seq != seq {
            return Err(Refusal::Stale);
        }
        let mut events = Vec::with_capacity(posted.len());
        let labels = &self.settings.guidelines.labels;
        for (number, posted) in (written.next..).zip(posted) {
            let event = match posted.event(&ready.document, labels).map_err(Refusal::Unprocessable)? {
                Some(event) => event,
                None => Event::Done(self.done(&id, &state, &ready.document)?),
            };
            state.add(number, "", &event).map_err(Refusal::Unprocessable)?;
            events.push(event);
        }
        self.append(&mut written, &id, &events)
    }

    fn done(&self, id: &str, state: &PageState, document: &Document) -> Result<Done, Refusal> {
        let labels = &self.settings.guidelines.labels;
        let marks = state.marks(labels).map_err(|(_, reason)| Refusal::Data(reason))?;
        let labelled = marks.labelled(document.len());
        if let Some(sides) = self.sides(id, document) {
            let has_label =
                |node: u32| labelled.parts(node, document.chars[node as usize]).iter().all(|part| part.2.is_some());
            let nodes = sides.disputed().iter().flat_map(|&[first, last]| first..=last);
            let open = nodes.filter(|node| !has_label(*node)).count();
            if open > 0 {
                let told = carat_core::text::counted(open, "text node");
                return Err(Refusal::Unprocessable(format!("{told} on which the sides differ have no label yet")));
            }
        }
        let gold = Gold::of(document, &labelled, labels, false);
        Ok(Done {
            rest: "not".to_owned(),
            gold_sha256: sha256(gold.text.as_bytes()),
            chars: gold.chars,
            ms: state.ms,
            unseen: (document.len() as u64).saturating_sub(state.seen_nodes()),
        })
    }
}
