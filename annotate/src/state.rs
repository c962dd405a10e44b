//! The state that a log gives: each page's state is the fold of its lines since it was last opened with another text.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde::Serialize;

use crate::document::Run;
use crate::event::{Done, Event, Line, Mark, Open, Proposal};
use crate::guidelines::Labels;
use crate::log::{LogError, log_path};
use crate::marks::{Change, Marks};

/// An annotator's progress with a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Nothing was done.
    New,
    /// Something was done.
    Begun,
    /// It is finished.
    Done,
    /// It was called faulty.
    Skipped,
}

/// A mark and the line that made it.
type Action = (u64, Mark);

/// An annotator's work on a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageState {
    /// The line that changed it last; 0 where none did.
    pub seq: u64,
    /// Its last opening.
    pub open: Option<Open>,
    /// The actions that stand, in order.
    actions: Vec<Action>,
    /// Those that were taken back, the last one last.
    undone: Vec<Action>,
    /// Its last `done` and the line of it, if nothing was changed since.
    pub done: Option<(u64, Done)>,
    /// Its fault, if it was called faulty.
    pub skip: Option<String>,
    /// The last comment.
    pub note: String,
    /// The text nodes that were on the screen: runs in order, apart from each other.
    pub seen: Vec<Run>,
    /// Active time.
    pub ms: u64,
    /// When it was changed last.
    pub at: String,
    /// The number of actions that were made, those taken back too.
    pub made: u64,
}

impl PageState {
    /// True if the marks were made in view of those of others, so that they agree with these for that reason.
    pub fn is_adjudicated(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.of.is_some())
    }

    /// Its status.
    pub fn status(&self) -> Status {
        match self {
            _ if self.done.is_some() => Status::Done,
            _ if self.skip.is_some() => Status::Skipped,
            _ if self.made > 0 || !self.note.is_empty() => Status::Begun,
            _ => Status::New,
        }
    }

    /// The line of the action that undo takes back.
    pub fn undo(&self) -> Option<u64> {
        self.actions.last().map(|(line, _)| *line)
    }

    /// The line of the action that redo makes again.
    pub fn redo(&self) -> Option<u64> {
        self.undone.last().map(|(line, _)| *line)
    }

    /// The marks that stand.
    ///
    /// # Errors
    /// A sentence with the line: a label that the guidelines do not have.
    pub fn marks(&self, labels: &Labels) -> Result<Marks, (u64, String)> {
        let mut marks = Marks::default();
        for (line, mark) in &self.actions {
            let read = |entry| Change::read(entry, labels).map_err(|reason| (*line, reason));
            let set: Vec<Change> = mark.set.iter().map(read).collect::<Result<_, _>>()?;
            marks.apply(&set, &mark.inside);
        }
        Ok(marks)
    }

    /// The proposal at the time when it was opened.
    pub fn proposal(&self) -> Option<&Proposal> {
        self.open.as_ref()?.proposal.as_ref()
    }

    /// The number of text nodes that were on the screen.
    pub fn seen_nodes(&self) -> u64 {
        self.seen.iter().map(|[first, last]| u64::from(last - first) + 1).sum()
    }

    /// Adds the event of line `number`.
    ///
    /// # Errors
    /// A sentence: it does not follow from what was before.
    pub fn add(&mut self, number: u64, at: &str, event: &Event) -> Result<(), String> {
        match event {
            Event::Open(open) => {
                if self.open.as_ref().is_some_and(|known| known.text_sha256 != open.text_sha256) {
                    // Marks of another text mean nothing here.
                    *self = PageState { seq: self.seq, ..PageState::default() };
                }
                self.open = Some(open.clone());
                return Ok(());
            }
            Event::Seen { nodes, ms } => {
                nodes.iter().for_each(|run| add_run(&mut self.seen, *run));
                self.ms += ms;
                return Ok(());
            }
            Event::Note { text } => self.note = text.clone(),
            Event::Mark(mark) => {
                self.actions.push((number, mark.clone()));
                self.undone.clear();
                self.made += 1;
                self.reopen();
            }
            Event::Undo { of } => {
                let action = self.actions.pop_if(|(line, _)| line == of);
                self.undone.push(action.ok_or_else(|| format!("line {of} is not the last action of the page"))?);
                self.reopen();
            }
            Event::Redo { of } => {
                let action = self.undone.pop_if(|(line, _)| line == of);
                self.actions.push(action.ok_or_else(|| format!("line {of} was not taken back last"))?);
                self.reopen();
            }
            Event::Skip { fault } => {
                self.reopen();
                self.skip = Some(fault.clone());
            }
            Event::Done(done) => {
                self.reopen();
                self.done = Some((number, done.clone()));
            }
        }
        self.seq = number;
        at.clone_into(&mut self.at);
        Ok(())
    }

    fn reopen(&mut self) {
        self.done = None;
        self.skip = None;
    }
}

/// Adds a run to runs that are in order and apart from each other.
fn add_run(runs: &mut Vec<Run>, [first, last]: Run) {
    if first > last {
        return;
    }
    let from = runs.partition_point(|run| run[1].saturating_add(1) < first);
    let to = runs.partition_point(|run| run[0] <= last.saturating_add(1));
    let mut joined = [first, last];
    for run in &runs[from..to] {
        joined = [joined[0].min(run[0]), joined[1].max(run[1])];
    }
    runs.splice(from..to, [joined]);
}

/// The state that a log gives.
#[derive(Clone, Debug, Default)]
pub struct Work {
    /// By page.
    pub pages: HashMap<String, PageState>,
    /// The page of the last line.
    pub last: Option<String>,
}

impl Work {
    /// Folds the lines of the log of `by`.
    ///
    /// # Errors
    /// [`LogError::Line`]: a line that does not follow from those before.
    pub fn fold(folder: &Path, by: &str, lines: &[Line]) -> Result<Self, LogError> {
        let mut work = Work::default();
        // The header is line 1.
        for (number, line) in (2..).zip(lines) {
            work.add(number, line).map_err(|reason| LogError::Line {
                path: log_path(folder, by),
                line: number,
                reason,
            })?;
        }
        Ok(work)
    }

    /// Adds the line `number`.
    ///
    /// # Errors
    /// A sentence.
    pub fn add(&mut self, number: u64, line: &Line) -> Result<(), String> {
        // Looked up first: most lines are of a page that is known.
        let state = match self.pages.get_mut(&line.page) {
            Some(state) => state,
            None => self.pages.entry(line.page.clone()).or_default(),
        };
        state.add(number, &line.at, &line.event)?;
        if self.last.as_ref() != Some(&line.page) {
            self.last = Some(line.page.clone());
        }
        Ok(())
    }

    /// The number of pages with this status.
    pub fn count(&self, status: Status) -> usize {
        self.pages.values().filter(|state| state.status() == status).count()
    }
}

/// Everyone's work, by name.
pub type Everyone = BTreeMap<String, Work>;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::guidelines::Guidelines;

    fn mark(node: u32) -> Event {
        Event::Mark(Mark { set: vec![json!([node, node, "content"])], ..Mark::default() })
    }

    fn open(text: &str) -> Event {
        Event::Open(Open {
            html_sha256: "h".to_owned(),
            text_sha256: text.to_owned(),
            nodes: 9,
            guidelines: "g".to_owned(),
            proposal: None,
            blank: false,
            of: None,
        })
    }

    fn done() -> Event {
        let (rest, gold_sha256) = ("not".to_owned(), String::new());
        Event::Done(Done { rest, gold_sha256, chars: 0, ms: 0, unseen: 0 })
    }

    fn state(events: &[Event]) -> Result<PageState, String> {
        let mut state = PageState::default();
        for (number, event) in (2..).zip(events) {
            state.add(number, "now", event)?;
        }
        Ok(state)
    }

    fn marked(state: &PageState) -> Vec<Run> {
        let run = |change: Change| match change {
            Change::Run(run, _) => run,
            Change::Piece(..) => panic!("no pieces here"),
        };
        state.marks(&Guidelines::built_in().labels).unwrap().changes().into_iter().map(run).collect()
    }

    #[test]
    fn undo_and_redo_go_through_the_actions() {
        let events = [mark(0), mark(1), mark(2), Event::Undo { of: 4 }, Event::Undo { of: 3 }];
        let undone = state(&events).unwrap();
        assert_eq!((marked(&undone), undone.undo(), undone.redo()), (vec![[0, 0]], Some(2), Some(3)));
        let redone = state(&[&events[..], &[Event::Redo { of: 3 }]].concat()).unwrap();
        assert_eq!((marked(&redone), redone.redo()), (vec![[0, 0], [1, 1]], Some(4)));
        let ended = state(&[&events[..], &[mark(5)]].concat()).unwrap();
        assert_eq!((marked(&ended), ended.redo()), (vec![[0, 0], [5, 5]], None));
        assert!(state(&[mark(0), mark(1), Event::Undo { of: 2 }]).is_err());
        assert!(state(&[Event::Redo { of: 2 }]).is_err());
    }

    #[test]
    fn a_change_begins_a_finished_page_again() {
        let status = |events: &[Event]| state(events).unwrap().status();
        assert_eq!(status(&[open("t")]), Status::New);
        assert_eq!(status(&[open("t"), mark(0)]), Status::Begun);
        assert_eq!(status(&[open("t"), mark(0), done()]), Status::Done);
        assert_eq!(status(&[open("t"), done()]), Status::Done);
        assert_eq!(status(&[mark(0), done(), mark(1)]), Status::Begun);
        assert_eq!(status(&[mark(0), done(), Event::Undo { of: 2 }]), Status::Begun);
        assert_eq!(status(&[mark(0), Event::Skip { fault: "no_text".to_owned() }]), Status::Skipped);
        assert_eq!(status(&[Event::Skip { fault: "no_text".to_owned() }, done()]), Status::Done);
        let seen = Event::Seen { nodes: vec![[0, 3]], ms: 5 };
        assert_eq!(status(&[mark(0), done(), seen, open("t")]), Status::Done);
    }

    #[test]
    fn another_text_begins_anew() {
        let other = state(&[open("t"), mark(0), done(), open("u")]).unwrap();
        assert_eq!((other.status(), marked(&other)), (Status::New, vec![]));
        let same = state(&[open("t"), mark(0), done(), open("t")]).unwrap();
        assert_eq!((same.status(), marked(&same)), (Status::Done, vec![[0, 0]]));
    }

    #[test]
    fn what_was_seen_is_joined() {
        let seen = |runs: &[Run]| {
            let mut all = Vec::new();
            runs.iter().for_each(|run| add_run(&mut all, *run));
            all
        };
        assert_eq!(seen(&[[5, 9], [0, 2], [3, 3], [20, 30]]), [[0, 3], [5, 9], [20, 30]]);
        assert_eq!(seen(&[[5, 9], [20, 30], [4, 25]]), [[4, 30]]);
        assert_eq!(seen(&[[5, 9], [6, 7], [10, 9]]), [[5, 9]]);
        assert_eq!(seen(&[[0, u32::MAX], [3, 4]]), [[0, u32::MAX]]);
    }
}
