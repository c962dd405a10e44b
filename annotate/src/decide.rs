//! Which marks become the gold of a page, where one or several people have finished it.

use std::collections::BTreeMap;

use carat_core::text::counted;
use serde_json::{Value as Json, json};

use crate::document::Document;
use crate::guidelines::{Labels, UNSURE};
use crate::marks::{Gold, Labelled};
use crate::sides::are_alike;
use crate::state::{Everyone, PageState, Status};

/// The rules by which marks become gold.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// The one whose marks count.
    pub from: Option<String>,
    /// True if more than half of three or more decide where they differ.
    pub majority: bool,
    /// True if text that is unsure is gold; `None` if such pages are left.
    pub unsure: Option<bool>,
    /// Version and SHA-256 of the guidelines: under the same ones marks give the gold that was logged.
    pub guidelines: String,
}

/// The decision about a page.
#[derive(Debug)]
pub enum Decision {
    /// It gets gold.
    Gold {
        /// The gold.
        gold: Gold,
        /// Its origin, as a page list has it.
        origin: Json,
    },
    /// It is faulty.
    Fault {
        /// Its fault.
        fault: String,
        /// The origin of the fault.
        origin: Json,
    },
    /// It is left as it is, and why.
    Left(String),
    /// Nobody has finished it.
    Open,
}

/// Decides about a page.
///
/// # Errors
/// A sentence: a log names a label that the guidelines do not have.
pub fn decide(
    id: &str,
    document: &Document,
    everyone: &Everyone,
    labels: &Labels,
    rules: &Rules,
) -> Result<Decision, String> {
    let is_meant = |name: &&String| rules.from.as_ref().is_none_or(|from| from == *name);
    let states = everyone.iter().filter(|(name, _)| is_meant(name));
    let mut people: Vec<(&String, &PageState)> =
        states.filter_map(|(name, work)| Some((name, work.pages.get(id)?))).collect();
    people.retain(|(_, state)| matches!(state.status(), Status::Done | Status::Skipped));
    let is_judge = |state: &PageState| state.open.as_ref().is_some_and(|open| open.of.is_some());
    if people.iter().any(|(_, state)| is_judge(state)) {
        people.retain(|(_, state)| is_judge(state));
    }
    if people.is_empty() {
        return Ok(Decision::Open);
    }
    let names: Vec<&str> = people.iter().map(|(name, _)| name.as_str()).collect();
    let is_other = |state: &PageState| state.open.as_ref().is_none_or(|open| open.text_sha256 != document.text_sha256);
    if people.iter().any(|(_, state)| is_other(state)) {
        return Ok(Decision::Left("text that changed since it was marked".to_owned()));
    }
    let faults: Vec<Option<&str>> = people.iter().map(|(_, state)| state.skip.as_deref()).collect();
    if faults.windows(2).any(|two| two[0] != two[1]) {
        return Ok(Decision::Left(format!("on which {} differ", names.join(" and "))));
    }
    let origin = origin(&people);
    if let Some(Some(fault)) = faults.first() {
        return Ok(Decision::Fault { fault: (*fault).to_owned(), origin });
    }
    let mut said = Vec::new();
    for (name, state) in &people {
        let marks = state.marks(labels).map_err(|(line, reason)| format!("E-LOG {name}.jsonl:{line}: {reason}"))?;
        let labelled = marks.labelled(document.len());
        check_logged(id, name, state, &Gold::of(document, &labelled, labels, false), rules)?;
        said.push(labelled);
    }
    let all: Vec<&Labelled> = said.iter().collect();
    let decided = match are_alike(document, &all) {
        true => said.swap_remove(0),
        false => match majority(document, &all).filter(|_| rules.majority && all.len() > 2) {
            Some(decided) => decided,
            None => return Ok(Decision::Left(format!("on which {} differ", names.join(" and ")))),
        },
    };
    if rules.unsure.is_none() && decided.has(UNSURE, document) {
        return Ok(Decision::Left("with unsure".to_owned()));
    }
    Ok(Decision::Gold { gold: Gold::of(document, &decided, labels, rules.unsure == Some(true)), origin })
}

/// Checks that the marks still give the gold that was logged when the page was finished.
fn check_logged(id: &str, name: &str, state: &PageState, gold: &Gold, rules: &Rules) -> Result<(), String> {
    let is_same = state.open.as_ref().is_some_and(|open| open.guidelines == rules.guidelines);
    match &state.done {
        Some((line, done)) if is_same && gold.sha256() != done.gold_sha256 => {
            Err(format!("E-LOG {name}.jsonl:{line}: {id}: its marks give another gold than when it was finished"))
        }
        _ => Ok(()),
    }
}

/// The names of those who decided, the guidelines, the proposal, and the time.
fn origin(people: &[(&String, &PageState)]) -> Json {
    let names: Vec<&String> = people.iter().map(|(name, _)| *name).collect();
    let (_, state) = people[0];
    let guidelines = state.open.as_ref().map(|open| open.guidelines.split(' ').next().unwrap_or_default());
    let proposals = people.iter().filter_map(|(_, state)| Some(state.proposal()?.kind.as_str()));
    let at = people.iter().map(|(_, state)| state.at.as_str()).max();
    json!({ "by": names, "guidelines": guidelines, "proposal": proposals.min(), "at": at })
}

/// The label of more than half of them, character by character; `None` where a character has none.
fn majority(document: &Document, all: &[&Labelled]) -> Option<Labelled> {
    let mut decided = Labelled { nodes: vec![None; document.len()], pieces: BTreeMap::new() };
    for (node, &chars) in (0..).zip(&document.chars) {
        let parts: Vec<_> = all.iter().map(|labelled| labelled.parts(node, chars)).collect();
        let mut cuts: Vec<u32> = parts.iter().flatten().map(|part| part.1).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let mut from = 0;
        let mut pieces: Vec<(u32, u32, u8)> = Vec::new();
        for to in cuts {
            let at = |parts: &Vec<(u32, u32, Option<u8>)>| {
                let part = parts.iter().find(|part| part.0 <= from && from < part.1);
                part.and_then(|part| part.2).unwrap_or(crate::guidelines::NOT)
            };
            let said: Vec<u8> = parts.iter().map(at).collect();
            let times = |label: u8| said.iter().filter(|other| **other == label).count();
            let label = said.iter().copied().find(|label| times(*label) * 2 > said.len())?;
            match pieces.last_mut() {
                Some((_, end, known)) if *known == label => *end = to,
                _ => pieces.push((from, to, label)),
            }
            from = to;
        }
        match pieces[..] {
            [(_, _, label)] => decided.nodes[node as usize] = Some(([node, node], label)),
            _ => {
                decided.pieces.insert(node, pieces);
            }
        }
    }
    Some(decided)
}

/// `98 pages written, 2 left: 1 with unsure, 1 on which li and wang differ`.
pub fn summary(written: usize, left: &[String]) -> String {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    left.iter().for_each(|reason| *reasons.entry(reason).or_default() += 1);
    let written = format!("{} written", counted(written, "page"));
    if left.is_empty() {
        return written;
    }
    let told: Vec<String> = reasons.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    format!("{written}, {} left: {}", left.len(), told.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::tests::document;
    use crate::event::{Done, Event, Mark, Open};
    use crate::guidelines::Guidelines;
    use crate::state::Work;

    const HTML: &str = "<p>ab</p><p>cd</p><p>ef</p>";

    fn work(events: Vec<Event>, is_judge: bool) -> Work {
        let open = Event::Open(Open {
            html_sha256: "h".to_owned(),
            text_sha256: document(HTML).text_sha256,
            nodes: 3,
            guidelines: "carat-1 sha256:0".to_owned(),
            proposal: None,
            blank: false,
            of: is_judge.then(BTreeMap::new),
        });
        let mut state = PageState::default();
        for (line, event) in (2..).zip(std::iter::once(open).chain(events)) {
            state.add(line, "2026-11-21T10:00:00Z", &event).unwrap();
        }
        Work { pages: [("p".to_owned(), state)].into(), last: None }
    }

    fn done(set: Json) -> Vec<Event> {
        let mark = Mark { set: set.as_array().unwrap().clone(), ..Mark::default() };
        let (rest, gold_sha256) = ("not".to_owned(), String::new());
        vec![Event::Mark(mark), Event::Done(Done { rest, gold_sha256, chars: 0, ms: 0, unseen: 0 })]
    }

    fn skip(fault: &str) -> Vec<Event> {
        vec![Event::Skip { fault: fault.to_owned() }]
    }

    fn told(people: Vec<(&str, Work)>, rules: &Rules) -> String {
        let everyone: Everyone = people.into_iter().map(|(name, work)| (name.to_owned(), work)).collect();
        match decide("p", &document(HTML), &everyone, &Guidelines::built_in().labels, rules).unwrap() {
            Decision::Gold { gold, origin } => format!("{} {}", gold.text.replace('\n', "/"), origin["by"]),
            Decision::Fault { fault, .. } => fault,
            Decision::Left(reason) => reason,
            Decision::Open => "open".to_owned(),
        }
    }

    #[test]
    fn one_all_alike_or_the_adjudicator_decide() {
        let plain = Rules::default();
        let one = || work(done(json!([[0, 0, "content"]])), false);
        let other = || work(done(json!([[1, 1, "content"]])), false);
        let judge = || work(done(json!([[2, 2, "content"]])), true);
        assert_eq!(told(vec![], &plain), "open");
        assert_eq!(told(vec![("li", one())], &plain), r#"ab ["li"]"#);
        assert_eq!(told(vec![("li", one()), ("wang", one())], &plain), r#"ab ["li","wang"]"#);
        assert_eq!(told(vec![("li", one()), ("wang", other())], &plain), "on which li and wang differ");
        assert_eq!(told(vec![("chen", judge()), ("li", one()), ("wang", other())], &plain), r#"ef ["chen"]"#);
        let from = Rules { from: Some("wang".to_owned()), ..Rules::default() };
        assert_eq!(told(vec![("li", one()), ("wang", other())], &from), r#"cd ["wang"]"#);
        assert_eq!(told(vec![("li", work(skip("no_text"), false))], &plain), "no_text");
        let mixed = vec![("li", one()), ("wang", work(skip("no_text"), false))];
        assert_eq!(told(mixed, &plain), "on which li and wang differ");
    }

    #[test]
    fn marks_that_give_another_gold_than_was_logged_are_refused() {
        let labels = Guidelines::built_in().labels;
        let of = |set: Json, logged: &str| {
            let mut events = done(set);
            if let Some(Event::Done(done)) = events.last_mut() {
                done.gold_sha256 = crate::digest::sha256(logged.as_bytes());
            }
            let everyone: Everyone = [("li".to_owned(), work(events, false))].into();
            let rules = Rules { guidelines: "carat-1 sha256:0".to_owned(), ..Rules::default() };
            decide("p", &document(HTML), &everyone, &labels, &rules)
        };
        assert!(of(json!([[0, 0, "content"]]), "ab").is_ok());
        let error = of(json!([[0, 1, "content"]]), "ab").unwrap_err();
        assert_eq!(error, "E-LOG li.jsonl:4: p: its marks give another gold than when it was finished");
    }

    #[test]
    fn more_than_half_decide_by_character() {
        let rules = Rules { majority: true, ..Rules::default() };
        let set = |set: Json| work(done(set), false);
        let three = || {
            vec![
                ("a", set(json!([[0, 0, "content"], [1, 0, 1, "content"]]))),
                ("b", set(json!([[0, 0, "content"], [1, 1, "content"]]))),
                ("c", set(json!([[0, 0, "not"]]))),
            ]
        };
        assert_eq!(told(three(), &rules), r#"ab/c ["a","b","c"]"#);
        assert_eq!(told(three(), &Rules::default()), "on which a and b and c differ");
        let split = vec![
            ("a", set(json!([[0, 0, "content"]]))),
            ("b", set(json!([[0, 0, "title"]]))),
            ("c", set(json!([[0, 0, "unsure"]]))),
        ];
        assert_eq!(told(split, &rules), "on which a and b and c differ");
    }

    #[test]
    fn unsure_is_left_or_decided() {
        let one = || vec![("li", work(done(json!([[0, 0, "content"], [1, 1, "unsure"]])), false))];
        assert_eq!(told(one(), &Rules::default()), "with unsure");
        assert_eq!(told(one(), &Rules { unsure: Some(false), ..Rules::default() }), r#"ab ["li"]"#);
        assert_eq!(told(one(), &Rules { unsure: Some(true), ..Rules::default() }), r#"ab/cd ["li"]"#);
        let left = ["with unsure".to_owned(), "with unsure".to_owned(), "on which a and b differ".to_owned()];
        assert_eq!(summary(98, &left), "98 pages written, 3 left: 1 on which a and b differ, 2 with unsure");
        assert_eq!(summary(1, &[]), "1 page written");
    }
}
