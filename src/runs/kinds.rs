//! Every kind of system. Adding one is its file and its line in `KINDS`: configuration, plan, execution and listings
//! ask the kinds, and know none by name.

#[cfg(test)]
#[path = "../../examples/contributing/shouted_title.rs"]
mod shouted_title;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::bounds::Bounds;
use super::configuration::{AlgorithmRequest, Configuration, RequestError};
use super::described::Described;
use super::doors::asked::Functions;
use super::doors::external::ExternalPrograms;
use super::doors::name_of_other;
use super::doors::stored::StoredOutputs;
use super::ensembles::Ensembles;
use super::grid::MAX_VALUES;
use super::kind::{Asked, Kind};
use super::learned::LearnedSystems;
use super::own::{self, OwnAlgorithms};
use super::reads_gold::ReadsGold;
use super::system::{ExactSweep, Row};
use crate::algorithms::algorithm::Setting;
use crate::algorithms::declaration::FaithfulTo;
use crate::algorithms::{declarations, find};
use crate::datasets::load::Loading;

/// Every kind, in the order in which rows are added and systems run on a page: those that rest on others come after them.
pub(super) static KINDS: &[&dyn Kind] = &[
    &OwnAlgorithms,
    #[cfg(test)]
    &shouted_title::ShoutedTitles,
    &ExternalPrograms,
    &Functions,
    &StoredOutputs,
    &LearnedSystems,
    &Ensembles,
    &Bounds,
];

/// More exact sweeps than this are refused before any work.
const MAX_SWEEPS: usize = 1000;

/// Everything that a run can have besides algorithms, in the order of listings.
pub fn described() -> impl Iterator<Item = &'static Described> {
    KINDS.iter().flat_map(|kind| kind.described())
}

/// The names of all that is no floor and has a fixed name, in the order of listings: carat's algorithms, then the others.
pub fn under_test() -> impl Iterator<Item = &'static str> {
    let algorithms = declarations().filter(|declaration| !declaration.floor).map(|declaration| declaration.name);
    algorithms.chain(described().map(|other| other.name))
}

/// The names of floors and then of bounds, in the order of listings.
pub(crate) fn floors_and_bounds() -> impl Iterator<Item = &'static str> {
    let floors = declarations().filter(|declaration| declaration.floor).map(|declaration| declaration.name);
    let bounds = described().filter(|other| other.reads_gold == Some(ReadsGold::Page)).map(|other| other.name);
    floors.chain(bounds)
}

/// What the row of that name is faithful to: an algorithm, or one of [`described`].
pub fn faithful_to(name: &str) -> Option<FaithfulTo> {
    let algorithm = find(name).ok().map(|algorithm| algorithm.declaration().faithful_to);
    algorithm.or_else(|| described().find(|other| other.name == name).map(|other| other.faithful_to))
}

/// The sentence that says what the row of that name does: an algorithm, or one of [`described`].
pub(crate) fn title(name: &str) -> Option<&'static str> {
    let algorithm = find(name).ok().map(|algorithm| algorithm.declaration().title);
    algorithm.or_else(|| described().find(|other| other.name == name).map(|other| other.title))
}

/// What is known to be read of the gold by the row of this name before it is made, `label` being what tells it from others
/// of its name, as on the command line.
pub fn reads_gold(name: &str, label: &str) -> Option<ReadsGold> {
    KINDS.iter().find_map(|kind| kind.reads_gold(name, label))
}

/// Takes out of `configuration` the rows that read gold, of the page or of other pages, and the rules that were learned from
/// it. What is returned was asked for; bounds stand beside every run and need no word.
///
/// # Errors
/// [`RequestError`]: a rules file that cannot be read or is wrong.
pub fn drop_readers_of_gold(configuration: &mut Configuration) -> Result<Vec<AlgorithmRequest>, RequestError> {
    configuration.bounds.clear();
    let mut left_out = Vec::new();
    for request in std::mem::take(&mut configuration.algorithms) {
        let mut kept = Some(request);
        for kind in KINDS {
            let Some(request) = kept.take() else { break };
            let [without, with] = kind.parted_by_gold(request)?;
            kept = without;
            left_out.extend(with);
        }
        configuration.algorithms.extend(kept);
    }
    Ok(left_out)
}

/// What one request among the algorithms asks for.
fn asked(request: &AlgorithmRequest, loading: Loading) -> Result<Asked, RequestError> {
    let asked = KINDS.iter().find_map(|kind| kind.asked(request, loading));
    asked.unwrap_or_else(|| {
        refuse_row(request)?;
        own::settings(request)
    })
}

/// Refuses what is a row of a run, where an algorithm is wanted.
fn refuse_row(request: &AlgorithmRequest) -> Result<(), RequestError> {
    if name_of_other(&request.name).is_some() {
        let message = format!(
            "`{0}` is a row of a run, and no algorithm: `carat diff RUN PAGE --algorithm {0}` shows what it extracted",
            request.name
        );
        return Err(request.origin.error(message));
    }
    let Some(row) = described().find(|other| other.name == request.name) else { return Ok(()) };
    let asked_for = row.command().map_or(String::new(), |command| format!("; ask for it as in `{command}`"));
    let message =
        format!("`{}` is a row of a run, and no algorithm that chooses on a single page{asked_for}", row.name);
    Err(request.origin.error(message))
}

/// The rows and exact sweeps that `requests` ask for, no two the same.
///
/// # Errors
/// [`RequestError`]: unknown names, values out of range, too many of them.
pub(super) fn resolve(
    requests: &[AlgorithmRequest],
    loading: Loading,
) -> Result<(Vec<Row>, Vec<ExactSweep>), RequestError> {
    let (mut rows, mut sweeps): (Vec<Row>, Vec<ExactSweep>) = (Vec::new(), Vec::new());
    let (mut known, mut known_sweeps) = (BTreeMap::new(), BTreeSet::new());
    for request in requests {
        let asked = asked(request, loading)?;
        asked.rows.into_iter().for_each(|row| add(row, &mut rows, &mut known));
        sweeps.extend(asked.sweeps.into_iter().filter(|sweep| known_sweeps.insert(sweep.identity())));
        if rows.len() > MAX_VALUES {
            return Err(request.origin.error(format!("more than {MAX_VALUES} rows are asked for")));
        }
        if sweeps.len() > MAX_SWEEPS {
            return Err(request.origin.error(format!("more than {MAX_SWEEPS} exact sweeps are asked for")));
        }
    }
    Ok((rows, sweeps))
}

/// Adds a row; the same row asked for twice is one row, swept where either is.
fn add(row: Row, rows: &mut Vec<Row>, known: &mut BTreeMap<String, usize>) {
    match known.entry(row.identity()) {
        Entry::Occupied(at) => row.swept.into_iter().for_each(|name| {
            let swept = &mut rows[*at.get()].swept;
            if !swept.contains(&name) {
                swept.push(name);
            }
        }),
        Entry::Vacant(new) => {
            new.insert(rows.len());
            rows.push(row);
        }
    }
}

/// The one row that `request` means: an algorithm, rules of sites, or what learns from gold. `loading` is of datasets that
/// it names to learn from.
///
/// # Errors
/// As [`single_setting`].
pub fn single_row(request: &AlgorithmRequest, loading: Loading) -> Result<Row, RequestError> {
    let Asked { rows, sweeps } = asked(request, loading)?;
    match (<[Row; 1]>::try_from(rows), sweeps.is_empty()) {
        (Ok([row]), true) => Ok(Row { swept: Vec::new(), ..row }),
        _ => Err(request.origin.error("one value for each parameter is needed here")),
    }
}

/// The one setting that `request` means.
///
/// # Errors
/// [`RequestError`]: unknown names or values, or more than one value.
pub fn single_setting(request: &AlgorithmRequest) -> Result<Setting, RequestError> {
    refuse_row(request)?;
    Ok(own::single_setting(request)?.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    fn rows(specs: &[&str]) -> Result<Vec<String>, String> {
        let requests: Vec<_> = specs.iter().map(|spec| AlgorithmRequest::from_argument(spec).unwrap()).collect();
        let (rows, _) = resolve(&requests, Loading::default()).map_err(|error| error.to_string())?;
        Ok(rows.iter().map(|row| format!("{}:{}", row.name(), row.label())).collect())
    }

    #[test]
    fn equal_settings_are_one_row() {
        let found =
            rows(&["nta", "nta:coherence=0.85..0.95/0.05", "nta:coherence=0.90", "nta:density=0.5,coherence=0.9000"])
                .unwrap();
        assert_eq!(found, ["nta:coherence=0.9", "nta:coherence=0.85", "nta:coherence=0.95"]);
    }

    #[test]
    fn grids_multiply_and_words_may_be_swept() {
        let found = rows(&["nta:density=0.3|0.6,start=first|last"]).unwrap();
        assert_eq!(found.len(), 4);
        assert_eq!(found[1], "nta:density=0.3,start=last");
    }

    #[test]
    fn wrong_requests_say_what_to_do() {
        for (spec, part) in [
            ("ntaa", "did you mean `nta`?"),
            ("nta:coherance=1", "did you mean `coherence`?"),
            ("nta:coherence=1.5", "a decimal from 0 to 1"),
            ("nta:density=1", "a decimal from 0 to below 1"),
            ("nta:start=frist", "did you mean `first`?"),
            ("nta:start=exact", "sweeps decimals only"),
            ("istm:similarity=exact", "its break points are not known; give a grid"),
            ("bte:tag_weight=exact", "its break points are not known; give a grid"),
            ("justext:max_heading_distance=exact", "its break points are not known; give a grid"),
            ("nta:coherence=exact,density=exact", "only one parameter is swept exactly"),
            ("nta:coherence=0..1/0.0001,density=0..0.9/0.001", "more than 100000 cells"),
            ("nta:coherence=exact,density=0..0.9/0.0005", "more than 1000 exact sweeps"),
            ("all-text:x=1", "there are none"),
            ("cevc:lists=zh+xx", "no such stop list for the language `xx`"),
            ("cevc:stop_list=small,lists=fr", "no such stop list for the language `fr`"),
        ] {
            let error = rows(&[spec]).unwrap_err();
            assert!(error.contains(part), "{spec}: {error}");
        }
    }
}
