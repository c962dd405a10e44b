//! The modes of `carat annotate` besides serving: status, agreement, writing gold.

use std::collections::BTreeMap;

use carat_annotate::decide::{Decision, Rules, decide, summary};
use carat_annotate::document::{Document, grouped};
use carat_annotate::guidelines::Guidelines;
use carat_annotate::influence::Influences;
use carat_annotate::log::{is_cut, log_path};
use carat_annotate::people::{Agreement, everyone, status as status_of};
use carat_annotate::sides::are_alike;
use carat_annotate::source::Source;
use carat_annotate::state::{Everyone, PageState, Status, Work};
use carat_annotate::write::{NewLine, WriteError, write as write_lines};

use super::pages::{Pages, whole_f1};
use super::{id_of, of_log};
use crate::command_line::arguments::{Format, Marking, Resolve, Unsure};
use crate::command_line::failure::Failure;
use crate::command_line::output::{print, print_json, print_line, tell};
use crate::formats::code::Exit;
use crate::scoring::Comparison;
use crate::statistics::Sampling;
use crate::text::counted;
use crate::text::words::Segmenter;

/// The logs of all, or of those that are named; a named one must be there.
fn logs(arguments: &Marking) -> Result<Everyone, Failure> {
    let folder = arguments.dataset.join("annotations");
    let found = everyone(&folder, &arguments.by).map_err(of_log)?;
    for name in found.keys().filter(|name| is_cut(&folder, name)) {
        tell(&format!(
            "note: {}: the last line is cut off; what it says of its page is left out",
            log_path(&folder, name).display()
        ));
    }
    match arguments.by.iter().find(|name| !found.contains_key(*name)) {
        Some(name) => {
            Err(Failure::request(format!("`{name}` has no log in {}", arguments.dataset.join("annotations").display())))
        }
        None => Ok(found),
    }
}

/// Prints how far each is, and how far proposals moved them.
pub(super) fn status(arguments: &Marking, pages: &Pages, guidelines: &Guidelines) -> Result<(), Failure> {
    let everyone = logs(arguments)?;
    let mut influences = Influences::new(&everyone, &guidelines.labels);
    for (place, listed) in pages.listed().iter().enumerate() {
        if !influences.asks_for(&listed.id) {
            continue;
        }
        match pages.document(place) {
            Ok(document) => influences
                .add(&listed.id, &listed.site, &document)
                .map_err(|reason| Failure::new(Exit::Data, reason))?,
            Err(reason) => tell(&format!("left out: {}: {reason}", listed.id)),
        }
    }
    let sampling = Sampling { seed: arguments.seed, ..Sampling::default() };
    print(&status_of(&everyone, pages.listed().len(), &influences, &sampling))
}

/// Prints how alike they mark.
pub(super) fn agreement(arguments: &Marking, pages: &Pages, guidelines: &Guidelines) -> Result<(), Failure> {
    let everyone = logs(arguments)?;
    if everyone.len() < 2 {
        return Err(Failure::request("an agreement needs the logs of two or more annotators"));
    }
    // Whoever adjudicates sees the marks of others.
    let is_own = |state: &PageState| state.done.is_some() && !state.is_adjudicated();
    let annotates = |(name, work): (&String, &Work)| work.pages.values().any(is_own).then(|| name.clone());
    let names: Vec<String> = everyone.iter().filter_map(annotates).collect();
    if names.len() < 2 {
        return Err(Failure::request("an agreement needs two or more who annotated pages by themselves"));
    }
    let mut agreement = Agreement::new(&names, &guidelines.labels, arguments.labels);
    for (place, listed) in pages.listed().iter().enumerate() {
        let finished = |work: &&Work| work.pages.get(&listed.id).is_some_and(is_own);
        if everyone.values().filter(finished).count() < 2 {
            continue;
        }
        match pages.document(place) {
            Ok(document) => {
                let added = agreement.add(&listed.id, &listed.site, &document, &everyone);
                added.map_err(|reason| Failure::new(Exit::Data, reason))?;
            }
            Err(reason) => tell(&format!("left out: {}: {reason}", listed.id)),
        }
    }
    if agreement.pages() == 0 {
        return Err(Failure::request("no page is finished by two annotators on the same text"));
    }
    let sampling = Sampling { seed: arguments.seed, ..Sampling::default() };
    match arguments.format {
        Format::Text => print(&agreement.text(&sampling))?,
        Format::Json => print_json(&agreement.json(&sampling))?,
    }
    match arguments.at_least {
        Some(least) if agreement.figure().is_none_or(|figure| figure < least) => {
            let figure = agreement.figure().map_or_else(|| "undefined".to_owned(), |figure| format!("{figure:.4}"));
            Err(Failure::new(Exit::Check, format!("the agreement is {figure}, below {least}")))
        }
        _ => Ok(()),
    }
}

/// Writes the gold of finished pages into the page lists.
pub(super) fn write(arguments: &Marking, pages: &Pages, guidelines: &Guidelines) -> Result<(), Failure> {
    let everyone = logs(arguments)?;
    if let Some(name) = arguments.from.as_ref().filter(|name| !everyone.contains_key(*name)) {
        return Err(Failure::request(format!("`{name}` has no log")));
    }
    let rules = Rules {
        from: arguments.from.clone(),
        majority: matches!(arguments.resolve, Some(Resolve::Majority)),
        unsure: arguments.unsure.map(|unsure| matches!(unsure, Unsure::In)),
        guidelines: guidelines.id.clone(),
    };
    let (mut lines, mut left, mut told, mut new) = (BTreeMap::new(), Vec::new(), Vec::new(), 0);
    for (place, listed) in pages.listed().iter().enumerate() {
        let id = &listed.id;
        let states = || everyone.values().filter_map(|work| work.pages.get(id)).map(PageState::status);
        if states().all(|status| status == Status::New) {
            new += 1;
            continue;
        }
        if !states().any(|status| matches!(status, Status::Done | Status::Skipped)) {
            tell(&format!("{id}: left: it is begun, and nobody has finished it"));
            left.push("that nobody has finished".to_owned());
            continue;
        }
        let document = match pages.document(place) {
            Ok(document) => document,
            Err(reason) => {
                tell(&format!("{id}: {reason}"));
                left.push("that do not open".to_owned());
                continue;
            }
        };
        let decision = decide(id, &document, &everyone, &guidelines.labels, &rules);
        match decision.map_err(|reason| Failure::new(Exit::Data, reason))? {
            Decision::Open => {
                let from = arguments.from.as_ref();
                let reason =
                    from.map_or("that nobody has finished".to_owned(), |from| format!("that {from} has not finished"));
                tell(&format!("{id}: left: {reason}"));
                left.push(reason);
            }
            Decision::Left(reason) => {
                tell(&format!("{id}: left: {reason}"));
                left.push(reason);
            }
            Decision::Fault { fault, origin } => {
                told.push(format!("{id}: fault {fault}"));
                lines.insert(id.clone(), NewLine::Fault(fault, origin));
            }
            Decision::Gold { origin, .. }
                if !arguments.replace && origin["proposal"] != "gold" && pages.has_other_gold(place)? =>
            {
                tell(&format!(
                    "{id}: left: its gold is a text from elsewhere, from which these marks did not start, or was changed by hand; --replace replaces it"
                ));
                left.push("with a gold from elsewhere".to_owned());
            }
            Decision::Gold { gold, origin } => {
                told.push(compared(id, pages.gold_text(place).ok().flatten().as_deref(), &gold.text));
                let whole = whole_f1(&gold.text);
                lines.insert(id.clone(), NewLine::Gold(gold.json(&document, [whole, whole]), origin));
            }
        }
    }
    let changed =
        write_lines(&arguments.dataset, &pages.dataset.manifest.pages, &lines).map_err(|error| match error {
            WriteError::System { .. } => Failure::new(Exit::System, error.to_string()),
            WriteError::Manifest(reason) => Failure::request(reason),
            WriteError::List(reason) => Failure::new(Exit::Data, reason),
        })?;
    print(&told.iter().map(|line| format!("{line}\n")).collect::<String>())?;
    print_line(&summary(changed, &left))?;
    if changed < lines.len() {
        print_line(&format!("{} had this gold already", lines.len() - changed))?;
    }
    if new > 0 {
        print_line(&format!("{} not begun", counted(new, "page")))?;
    }
    note_nature(pages, &lines);
    note_includes(pages, &lines, guidelines);
    Ok(())
}

/// Says where the manifest should tell that programs proposed the gold.
fn note_nature(pages: &Pages, lines: &BTreeMap<String, NewLine>) {
    let is_assisted = |line: &NewLine| match line {
        NewLine::Gold(_, origin) => ["vote", "gold"].iter().any(|kind| origin["proposal"] == **kind),
        NewLine::Fault(..) => false,
    };
    let stated = pages.dataset.manifest.gold.nature.as_deref();
    if lines.values().any(is_assisted) && stated != Some("assisted") {
        tell("note: programs proposed some of this gold: write `gold: {nature: assisted}` into dataset.yaml");
    }
}

/// The roles that are parts of gold by a name of the manifest's `includes`.
const PARTS: [(&str, &str); 6] = [
    ("title", "title"),
    ("caption", "captions"),
    ("date", "date"),
    ("author", "author"),
    ("comment", "comments"),
    ("related", "related"),
];

/// Says where the manifest's `includes` contradicts the roles of the gold.
fn note_includes(pages: &Pages, lines: &BTreeMap<String, NewLine>, guidelines: &Guidelines) {
    let includes = &pages.dataset.manifest.gold.includes;
    if includes.is_empty() {
        return;
    }
    for (role, part) in PARTS {
        let is_used = |line: &NewLine| matches!(line, NewLine::Gold(gold, _) if gold["roles"].get(role).is_some());
        let Some(place) = guidelines.labels.place(role).filter(|_| lines.values().any(is_used)) else { continue };
        match (guidelines.labels.is_gold(place), includes.iter().any(|stated| stated == part)) {
            (true, false) => tell(&format!(
                "note: the role `{role}` is gold here, and `gold: {{includes: ..}}` of dataset.yaml does not name {part}"
            )),
            (false, true) => tell(&format!(
                "note: the role `{role}` is not gold here, and `gold: {{includes: ..}}` of dataset.yaml names {part}"
            )),
            _ => {}
        }
    }
}

/// The difference between the new gold of a page and the old one, in words.
fn compared(id: &str, old: Option<&str>, new: &str) -> String {
    let chars = |text: &str| grouped(crate::text::chars(text));
    match old {
        None => format!("{id}: {} characters", chars(new)),
        Some(old) => {
            let score = Comparison::default().measured(new, old, &Segmenter::default()).score();
            format!("{id}: {} -> {} characters, F1 of the two {:.4}", chars(old), chars(new), score.fractions()[2])
        }
    }
}

/// The places of pages that two or more of `others` have finished, not alike. Pages that the adjudicator annotated are left
/// out unless they are `named`.
pub(super) fn differing(
    pages: &Pages,
    others: &Everyone,
    own: &Work,
    guidelines: &Guidelines,
    order: &[usize],
    named: bool,
) -> Vec<usize> {
    let is_own = |id: &str| {
        let open = own.pages.get(id).filter(|state| state.made > 0).and_then(|state| state.open.as_ref());
        open.is_some_and(|open| open.of.is_none())
    };
    let differs = |place: &usize| {
        let id = id_of(pages, *place);
        if is_own(id) && !named {
            return false;
        }
        let finished: Vec<_> =
            others.values().filter_map(|work| work.pages.get(id)).filter(|state| state.done.is_some()).collect();
        if finished.len() < 2 {
            return false;
        }
        let Ok(document) = pages.document(*place) else { return false };
        let labelled = |document: &Document| {
            let same = finished
                .iter()
                .filter(|state| state.open.as_ref().is_some_and(|open| open.text_sha256 == document.text_sha256));
            let marks = same.filter_map(|state| state.marks(&guidelines.labels).ok());
            marks.map(|marks| marks.labelled(document.len())).collect::<Vec<_>>()
        };
        let said = labelled(&document);
        said.len() > 1 && !are_alike(&document, &said.iter().collect::<Vec<_>>())
    };
    order.iter().copied().filter(differs).collect()
}
