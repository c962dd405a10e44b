//! The file of a baseline: sorted JSON, one line a condition, a row and a page, so that its diff can be read.
//!
//! It holds what was counted, not scores: from `matched, extracted` of each row and the page's `gold` every figure
//! follows exactly. Of each text it holds what its tokens do not show, and the beginning of its digest; of each page with
//! its gold the beginning of a digest. It is read back only as it was written, byte for byte, so that no floor is changed
//! but by accepting it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::snapshot::{Snapshot, SnapshotRow};
use crate::formats::digest::sha256;
use crate::formats::files::{FileError, write_named};
use crate::formats::reading::read_at_most;
use crate::runs::scores::{PageScore, PageText, aggregates};
use crate::runs::summary::Conditions;
use crate::scoring::{Counts, Measure};
use crate::text::marks::Marks;
use crate::text::tokens::TokenKind;

/// The version of the file.
pub const SCHEMA: u32 = 4;

/// The versions that kept no digests of pages: without and with times, which are of one machine.
const WITHOUT_DIGESTS: [u32; 2] = [2, 3];

/// The version that kept no texts.
const WITHOUT_TEXTS: u64 = 1;

/// A file of more bytes is no baseline.
const MOST_BYTES: u64 = 4 << 30;

/// Why a baseline cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// There is no such file.
    #[error("there is no baseline {}", path.display())]
    Missing {
        /// Where it would be.
        path: PathBuf,
    },
    /// A file that is not as it was written.
    #[error("{}: {message}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong, in one sentence.
        message: String,
    },
    /// A file that cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
}

#[derive(Deserialize)]
struct Head {
    carat_baseline: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct File {
    conditions: BTreeMap<String, String>,
    rows: Vec<RowLine>,
    pages: Vec<PageLine>,
}

/// A row's line; its F1 is for people, who shall see in a diff what was lowered.
#[derive(Serialize, Deserialize)]
struct RowLine {
    dataset: String,
    algorithm: String,
    parameters: String,
    macro_f1: f64,
    /// The median time per page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    median_ns: Option<u64>,
    system: String,
}

#[derive(Serialize, Deserialize)]
struct PageLine {
    dataset: String,
    page: String,
    site: String,
    gold: u64,
    /// The beginning of the digest of the page and its gold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    /// By the row's name; rows that did not run the page are left out.
    scores: BTreeMap<String, Cell>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Cell {
    /// `matched, extracted`, the text's gaps, unseen characters and markup, and the beginning of its digest.
    Text(u64, u64, u64, u64, u64, String),
    /// `matched, extracted`, as earlier versions had it.
    Counts([u64; 2]),
    Failed(Failed),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Failed {
    Failed,
}

/// Writes `snapshot` to `path`, whole or not at all.
///
/// # Errors
/// [`FileError`]; the file is then as it was before.
pub fn write(path: &Path, snapshot: &Snapshot) -> Result<(), FileError> {
    write_named(path, text(snapshot).as_bytes())
}

/// The file's text: a function of the snapshot.
pub fn text(snapshot: &Snapshot) -> String {
    let conditions = snapshot.conditions.iter().map(|(key, value)| format!("{}: {}", json(key), json(value)));
    let rows = snapshot.rows.iter().map(|row| json(&row_line(row)));
    let pages = page_lines(snapshot).into_iter().map(|page| json(&page));
    let has_times = snapshot.rows.iter().any(|row| row.time.is_some());
    let schema = if snapshot.digests.is_empty() { WITHOUT_DIGESTS[usize::from(has_times)] } else { SCHEMA };
    let mut text = format!(
        "{{\n\"carat_baseline\": {schema},\n\"conditions\": {{\n{}\n}},\n\"rows\": [\n{}\n],\n\"pages\": [\n{}\n],\n",
        conditions.collect::<Vec<_>>().join(",\n"),
        rows.collect::<Vec<_>>().join(",\n"),
        pages.collect::<Vec<_>>().join(",\n")
    );
    let digest = sha256(text.as_bytes());
    text.push_str(&format!("\"sha256\": \"{digest}\"\n}}\n"));
    text
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("maps have string keys")
}

/// The snapshot as one value: what [`text`] has in its lines.
pub(in crate::decisions) fn to_json(snapshot: &Snapshot) -> Json {
    let rows = snapshot.rows.iter().map(row_line).collect();
    let file = File { conditions: snapshot.conditions.clone(), rows, pages: page_lines(snapshot) };
    serde_json::to_value(file).expect("maps have string keys")
}

/// The snapshot of which [`to_json`] made the value; `None` for any other value.
pub(in crate::decisions) fn from_json(json: Json) -> Option<Snapshot> {
    serde_json::from_value::<File>(json).ok()?.snapshot().filter(|snapshot| !snapshot.rows.is_empty())
}

/// The rule of comparison of these conditions, if what is kept of a page is not enough for it: one number of gold units per
/// page.
pub fn unkept(conditions: &Conditions) -> Option<String> {
    let measure: Measure = conditions.measure.parse().ok()?;
    let is_unkept = is_unkept(measure) || conditions.tokens == TokenKind::Cleaneval.to_string();
    is_unkept.then(|| format!("{measure} {}", conditions.tokens))
}

/// True if what is kept of a page is not enough for the measure.
pub fn is_unkept(measure: Measure) -> bool {
    matches!(measure, Measure::Edit | Measure::Rouge(_) | Measure::DifflibMarkers | Measure::Structure(_))
}

fn row_line(row: &SnapshotRow) -> RowLine {
    RowLine {
        dataset: row.dataset.clone(),
        algorithm: row.algorithm.clone(),
        parameters: row.parameters.clone(),
        macro_f1: aggregates(&row.scores).macro_.f1,
        median_ns: row.time,
        system: row.system.clone(),
    }
}

/// A line for each page, by dataset and id.
fn page_lines(snapshot: &Snapshot) -> Vec<PageLine> {
    let mut pages: BTreeMap<(&str, &str), PageLine> = BTreeMap::new();
    for row in &snapshot.rows {
        for (page, score) in &row.scores {
            let [matched, extracted, gold] = score.counts;
            let line = pages.entry((&row.dataset, page)).or_insert_with(|| PageLine {
                dataset: row.dataset.clone(),
                page: page.clone(),
                site: score.site.clone(),
                gold,
                digest: snapshot.digests.get(&(row.dataset.clone(), page.clone())).cloned(),
                scores: BTreeMap::new(),
            });
            let text = row.texts.as_ref().and_then(|texts| texts.get(page));
            let cell = match text {
                _ if score.failed => Cell::Failed(Failed::Failed),
                None => Cell::Counts([matched, extracted]),
                Some(PageText { digest, marks: Marks { gaps, unseen, markup } }) => {
                    Cell::Text(matched, extracted, *gaps, *unseen, *markup, digest.to_string())
                }
            };
            line.scores.insert(row.name(), cell);
        }
    }
    pages.into_values().collect()
}

/// Reads the baseline at `path`.
///
/// # Errors
/// [`BaselineError`]: no file, one that was cut, changed by hand or written by a newer carat, or no baseline.
pub fn read(path: &Path) -> Result<Snapshot, BaselineError> {
    let bytes = read_at_most(path, MOST_BYTES).map_err(|error| match error.source.kind() {
        ErrorKind::NotFound => BaselineError::Missing { path: path.to_owned() },
        _ => error.into(),
    })?;
    // Version control may have given lines another end.
    let text = String::from_utf8(bytes).map(|text| text.replace("\r\n", "\n"));
    let read = text.map_err(|_| "is not valid UTF-8, so it is no baseline of carat gate".to_owned());
    read.and_then(|text| parse(&text)).map_err(|message| BaselineError::Content { path: path.to_owned(), message })
}

/// Reads a baseline's text; the error is a sentence without its subject.
fn parse(text: &str) -> Result<Snapshot, String> {
    let head: Head = serde_json::from_str(text).map_err(|error| {
        let line = error.line();
        // Whoever takes another file for a baseline is not told to make that one anew.
        let is_begun = text.contains("carat_baseline") || "{\n\"carat_baseline\"".starts_with(text);
        if error.is_data() || !is_begun {
            NO_BASELINE.to_owned()
        } else if error.is_eof() || !text.trim_end().ends_with('}') {
            // A number that is cut is no number, so not every cut shows as an end.
            format!("ends in the middle, in line {line}: it was cut; {RESTORE}")
        } else {
            format!("line {line} is not JSON: it was changed by hand or by a merge; {RESTORE}")
        }
    })?;
    match head.carat_baseline.ok_or(NO_BASELINE)? {
        WITHOUT_TEXTS => return without_texts(text),
        known if WITHOUT_DIGESTS.iter().chain([&SCHEMA]).any(|schema| u64::from(*schema) == known) => {}
        newer if newer > u64::from(SCHEMA) => {
            return Err(format!(
                "has schema {newer}, of a newer carat; this one reads {SCHEMA}: install the newer one"
            ));
        }
        unknown => return Err(format!("has schema {unknown}, which no carat has written; {RESTORE}")),
    }
    let changed = || format!("is not as carat wrote it: it was changed by hand or by a merge; {RESTORE}");
    let file: File = serde_json::from_str(text).map_err(|_| changed())?;
    let snapshot = file.snapshot().ok_or_else(changed)?;
    if snapshot.rows.is_empty() || self::text(&snapshot) != text { Err(changed()) } else { Ok(snapshot) }
}

/// Reads the baseline of an earlier carat, whose last line holds the digest of those before it too.
fn without_texts(text: &str) -> Result<Snapshot, String> {
    let changed = || format!("is not as carat wrote it: it was changed by hand or by a merge; {RESTORE}");
    let (lines, digest) = text.rsplit_once("\"sha256\": \"").ok_or_else(changed)?;
    if digest != format!("{}\"\n}}\n", sha256(lines.as_bytes())) {
        return Err(changed());
    }
    let file: File = serde_json::from_str(text).map_err(|_| changed())?;
    let mut snapshot = file.snapshot().ok_or_else(changed)?;
    snapshot.rows.iter_mut().for_each(|row| row.texts = None);
    if snapshot.rows.is_empty() { Err(changed()) } else { Ok(snapshot) }
}

const NO_BASELINE: &str = "is no baseline of carat gate";

/// How to get out of a damaged baseline. Accepting over it could lower floors that nobody sees.
const RESTORE: &str = "restore it from version control, or remove it and make it again with --accept";

impl File {
    /// `None` where it holds what no run counts.
    fn snapshot(self) -> Option<Snapshot> {
        let File { conditions, rows, pages } = self;
        let row = |line: RowLine| SnapshotRow {
            dataset: line.dataset,
            algorithm: line.algorithm,
            parameters: line.parameters,
            system: line.system,
            scores: BTreeMap::new(),
            not_run: BTreeSet::new(),
            texts: Some(BTreeMap::new()),
            time: line.median_ns,
        };
        let rows = rows.into_iter().map(row).collect();
        let mut snapshot = Snapshot { conditions, rows, digests: BTreeMap::new() };
        let mut places = BTreeMap::new();
        for (place, row) in snapshot.rows.iter().enumerate() {
            places.insert((row.dataset.clone(), row.name()), place);
        }
        for PageLine { dataset, page, site, gold, digest, scores } in pages {
            snapshot.digests.extend(digest.map(|digest| ((dataset.clone(), page.clone()), digest)));
            for (name, cell) in scores {
                let ([matched, extracted], failed, text) = match cell {
                    Cell::Text(matched, extracted, gaps, unseen, markup, digest) => {
                        let text = PageText { digest: digest.into(), marks: Marks { gaps, unseen, markup } };
                        ([matched, extracted], false, Some(text))
                    }
                    Cell::Counts(counts) => (counts, false, None),
                    Cell::Failed(_) => ([0, 0], true, None),
                };
                Counts::new(matched, extracted, gold)?;
                let place = *places.get(&(dataset.clone(), name))?;
                let score = PageScore::new(site.clone(), [matched, extracted, gold], failed);
                let row = &mut snapshot.rows[place];
                row.scores.insert(page.clone(), score);
                row.texts.get_or_insert_default().extend(text.map(|text| (page.clone(), text)));
            }
        }
        Some(snapshot)
    }
}

#[cfg(test)]
mod tests {
    use super::super::snapshot::examples::{row, snapshot};
    use super::*;

    fn example() -> Snapshot {
        let pages = [("s", Some([5, 8, 10])), ("t", None), ("t\n\"", Some([0, 0, 0]))];
        snapshot(vec![row("nta:x=1", &pages), row("cevc", &pages[..2])])
    }

    #[test]
    fn a_baseline_is_read_as_it_was_written() {
        let text = text(&example());
        assert_eq!(parse(&text).unwrap(), example());
        assert_eq!(parse(&text.replace('\n', "\r\n").replace("\r\n", "\n")).unwrap(), example());
    }

    #[test]
    fn it_is_sorted_with_a_line_a_condition_a_row_and_a_page() {
        let text = text(&example());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[..5],
            [
                "{",
                "\"carat_baseline\": 2,",
                "\"conditions\": {",
                "\"datasets.d.digest\": \"sha256:0123\",",
                "\"tokens\": \"char\""
            ]
        );
        assert_eq!(
            lines[7],
            "{\"dataset\":\"d\",\"algorithm\":\"cevc\",\"parameters\":\"\",\"macro_f1\":0.277777777778,\"system\":\"carat | cevc\"},"
        );
        assert_eq!(
            lines[11],
            "{\"dataset\":\"d\",\"page\":\"p000\",\"site\":\"s\",\"gold\":10,\"scores\":{\"cevc\":[5,8,0,0,0,\"0000000500000008\"],\
              \"nta:x=1\":[5,8,0,0,0,\"0000000500000008\"]}},"
        );
        assert!(lines[12].ends_with("\"scores\":{\"cevc\":\"failed\",\"nta:x=1\":\"failed\"}},"), "{}", lines[12]);
        assert_eq!(lines.len(), 17);
    }

    #[test]
    fn times_are_kept_where_they_were_asked_for_and_only_there() {
        let mut timed = example();
        timed.rows[1].time = Some(1_234_567);
        let with_times = text(&timed);
        assert!(with_times.starts_with("{\n\"carat_baseline\": 3,\n"), "{with_times}");
        assert_eq!(with_times.matches("\"median_ns\":1234567").count(), 1, "{with_times}");
        assert_eq!(parse(&with_times).unwrap(), timed);
        assert!(!text(&example()).contains("median_ns"));
        let faster = with_times.replace("1234567", "7");
        assert!(
            parse(&faster).unwrap_err().starts_with("is not as carat wrote it"),
            "no time is lowered by hand either"
        );
    }

    #[test]
    fn digests_of_pages_are_kept_where_they_are_known() {
        let mut known = example();
        for (page, digest) in [("p000", "00"), ("p001", "01"), ("p002", "02")] {
            known.digests.insert(("d".to_owned(), page.to_owned()), digest.to_owned());
        }
        let kept = text(&known);
        assert!(kept.starts_with("{\n\"carat_baseline\": 4,\n"), "{kept}");
        assert!(kept.contains("\"gold\":10,\"digest\":\"00\",\"scores\":"), "{kept}");
        assert_eq!(parse(&kept).unwrap(), known);
        let moved = kept.replace("\"digest\":\"00\"", "\"digest\":\"10\"");
        assert!(parse(&moved).unwrap_err().starts_with("is not as carat wrote it"), "no page is changed by hand");
    }

    /// A baseline as an earlier carat wrote it.
    fn earlier() -> String {
        let text = text(&example());
        let lines =
            text.replace("\"carat_baseline\": 2", "\"carat_baseline\": 1").replace(",0,0,0,\"0000000500000008\"", "");
        let lines = lines.replace(",0,0,0,\"0000000000000000\"", "");
        let (lines, _) = lines.split_once("\"sha256\"").unwrap();
        format!("{lines}\"sha256\": \"{}\"\n}}\n", sha256(lines.as_bytes()))
    }

    #[test]
    fn a_baseline_of_an_earlier_carat_has_its_scores_and_no_texts() {
        let known = parse(&earlier()).unwrap();
        let expected = example().rows.into_iter().map(|row| SnapshotRow { texts: None, ..row });
        assert_eq!(known.rows, expected.collect::<Vec<_>>());
        for (from, to) in [("[5,8]", "[4,8]"), ("\"sha256\": \"", "\"sha256\": \"0"), ("\"gold\":10", "\"gold\":11")] {
            let told = parse(&earlier().replacen(from, to, 1)).unwrap_err();
            assert!(told.starts_with("is not as carat wrote it"), "{from}: {told}");
        }
    }

    #[test]
    fn what_was_cut_changed_or_is_newer_is_a_sentence() {
        let text = text(&example());
        let fault = |text: &str| parse(text).unwrap_err();
        for cut in (1..text.len() - 2).filter(|&cut| text.is_char_boundary(cut)) {
            let told = fault(&text[..cut]);
            assert!(told.contains("it was cut; restore it from version control"), "{cut}: {told}");
        }
        let changed = |from: &str, to: &str| fault(&text.replacen(from, to, 1));
        for (from, to) in [
            ("[5,8,", "[4,8,"),
            ("[5,8,", "[9,8,"),
            ("[5,8,0,", "[5,8,1,"),
            ("0000000500000008", "0000000500000009"),
            ("[5,8,", "[18446744073709551615,18446744073709551615,"),
            ("\"gold\":10", "\"gold\":11"),
            ("\"gold\":10", "\"gold\":\"x\""),
            ("0.2777", "0.3777"),
            ("\"char\"", "\"word\""),
            ("\"cevc\":[5,8,0,0,0,\"0000000500000008\"],", ""),
            ("\"cevc\":[5,8,", "\"unknown\":[5,8,"),
            ("\"page\":\"p000\"", "\"page\":\"p009\""),
            ("\"sha256\": \"", "\"sha256\": \"0"),
            ("\"conditions\": {", "\"more\": 1, \"conditions\": {"),
        ] {
            let told = changed(from, to);
            assert!(told.starts_with("is not as carat wrote it: it was changed by hand"), "{from}: {told}");
        }
        assert!(changed("\"rows\": [", "<<<<<<< ours").contains("line 7 is not JSON"));
        assert!(changed("\"carat_baseline\": 2", "\"carat_baseline\": 5").contains("schema 5, of a newer carat"));
        assert!(changed("\"carat_baseline\": 2", "\"carat_baseline\": 4").starts_with("is not as carat wrote it"));
        assert!(changed("\"carat_baseline\": 2", "\"carat_baseline\": 0").contains("no carat has written"));
        assert_eq!(fault("{\"a\": 1}"), NO_BASELINE);
        assert_eq!(fault("7"), NO_BASELINE);
        assert_eq!(fault("datasets: [portals]\nalgorithms: [nta]\n"), NO_BASELINE);
    }
}
