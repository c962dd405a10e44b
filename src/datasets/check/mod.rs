//! What is wrong with a dataset: findings page by page and over the set, in dataset order. Nothing is changed.
//!
//! Pages are read one by one on several threads; of each only its findings, its digests and a signature of 256 bytes
//! are kept. What a finding says is a function of the dataset's bytes alone.

mod encodings;
mod floors;
mod gold;
mod marks;
mod mojibake;
mod page;
mod scripts;
mod set;
mod similarity;
mod strays;
mod tags;
mod telling;
mod words;

use std::collections::BTreeMap;

use serde::Serialize;

use self::floors::FloorsTally;
pub use self::floors::{Floors, Means};
pub use self::page::MISDECODED;
use self::set::Seen;
use self::strays::Named;
pub(crate) use self::tags::tag_in_gold;
use self::telling::Telling;
use super::note::Note;
use super::site::unknown_sites;
use super::{Dataset, DatasetDigest, DatasetError, LostLines};
use crate::text::counted;

/// So many pages are in memory with what was found on them.
const AT_A_TIME: usize = 64;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Figures on the page are wrong or leak the answer: leave the page out, or say in its `faults` that it is known.
    Error,
    /// Figures are off by a little, or may be.
    Warn,
    /// Good to know.
    Info,
}

impl Level {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warn => "warn",
            Level::Info => "info",
        }
    }
}

macro_rules! kinds {
    ($($kind:ident $name:literal $level:ident $title:literal)*) => {
        /// What can be found.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Kind {
            $(#[doc = $title] $kind,)*
        }

        impl Kind {
            /// Every kind, in the order of reports.
            pub const ALL: &[Kind] = &[$(Kind::$kind),*];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self { $(Kind::$kind => $name),* }
            }

            /// How much it matters where nothing makes it matter less.
            pub fn level(self) -> Level {
                match self { $(Kind::$kind => Level::$level),* }
            }

            /// What it is, in a few words.
            pub fn title(self) -> &'static str {
                match self { $(Kind::$kind => $title),* }
            }
        }
    };
}

kinds! {
    SetFault "set-fault" Error "a page list that cannot be read, a gold of no page, or counts or a digest that are not those of the pages"
    LoadFault "load-fault" Error "the format refuses it: a run ends there, or goes on without the page (--keep-going)"
    Unreadable "unreadable" Error "the page or its gold cannot be read"
    NoPage "no-page" Error "no HTML, but a PDF or other bytes"
    TooLarge "too-large" Error "the page makes more nodes than any page may"
    Misdecoded "misdecoded" Error "one character in a hundred or more does not decode"
    NoText "no-text" Error "the page has gold and no visible text"
    EmptyGold "empty-gold" Error "the gold is empty"
    ForeignGold "foreign-gold" Error "half of the gold or more is not in the page's text"
    VisibleMarks "visible-marks" Error "marks of an annotation that an algorithm can see"
    TellingMark "telling-mark" Warn "a class or attribute that occurs only around gold text, so that it gives the gold away"
    DuplicatePage "duplicate-page" Error "the same bytes as an earlier page"
    DuplicateAcrossSplits "duplicate-across-splits" Error "the same bytes in two splits"
    MalformedBytes "malformed-bytes" Warn "bytes that do not decode"
    Charset "charset" Warn "decoded as one encoding, and the bytes look like another"
    Label "label" Warn "the page's own label is not the encoding that it was decoded with"
    Mojibake "mojibake" Warn "the page's text was decoded wrongly, here or before it was stored"
    GoldMojibake "gold-mojibake" Warn "the gold was decoded wrongly before it was stored"
    TinyGold "tiny-gold" Warn "the gold is very short for its page"
    GoldNotInPage "gold-not-in-page" Warn "lines of the gold that are not in the page's text"
    GoldTags "gold-tags" Warn "the gold holds HTML tags"
    OutOfReach "out-of-reach" Warn "no set of the page's text nodes has F1 of 0.95 with the gold"
    GoldOrder "gold-order" Warn "the gold is in the page, in another order or more often"
    UnlikeNodes "unlike-nodes" Warn "the text of the gold nodes differs from the gold text"
    UnmatchedSelector "unmatched-selector" Warn "a selector of the gold matches nothing"
    UnmatchedRole "unmatched-role" Warn "a role whose selectors match on no page"
    NearDuplicate "near-duplicate" Warn "nearly the text of an earlier page"
    SameGold "same-gold" Warn "the gold of an earlier page"
    SiteAcrossSplits "site-across-splits" Warn "pages of one site in several splits"
    UnknownSites "unknown-sites" Warn "pages of no known site, each of which counts as one"
    StrayFile "stray-file" Warn "files in the dataset's folder that no page names"
    DepthCap "depth-cap" Warn "elements were closed because 512 were open"
    UnlikelyLanguage "unlikely-language" Warn "the writing is not that of the stated language"
    LoadNote "load-note" Info "what was found when the dataset was loaded"
    ReplacementCharacters "replacement-characters" Info "U+FFFD that the page or its gold itself holds"
    TooLong "too-long" Info "page and gold are too long to be compared, so the page does not count in the floors"
    GuessedEncoding "guessed-encoding" Info "nothing states the encoding: it was guessed"
    NoGold "no-gold" Info "no gold: the page can be run, not scored"
    NoTitle "no-title" Info "the page has no title"
}

impl Kind {
    /// Those of a page's `faults` that say the finding is known.
    fn known_faults(self) -> &'static [&'static str] {
        match self {
            Kind::Misdecoded | Kind::MalformedBytes | Kind::Mojibake | Kind::NoPage => &["misdecoded"],
            Kind::NoText => &["no_text"],
            Kind::EmptyGold => &["gold_empty", "index_page"],
            Kind::ForeignGold | Kind::GoldNotInPage | Kind::OutOfReach | Kind::UnlikeNodes => {
                &["gold_not_in_page", "gold_partial", "gold_order", "misdecoded", "no_text"]
            }
            Kind::GoldOrder => &["gold_order", "misdecoded", "no_text"],
            Kind::UnlikelyLanguage => &["misdecoded"],
            Kind::DuplicatePage => &["duplicate"],
            Kind::NearDuplicate | Kind::SameGold => &["near_duplicate", "duplicate"],
            _ => &[],
        }
    }
}

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// What it is.
    pub kind: Kind,
    /// How much it matters here: nothing much where the page's `faults` say that it is known.
    pub level: Level,
    /// The page's id; absent where it is of the set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// What was found, in one sentence.
    pub message: String,
}

/// Gold lines of ten characters or more, white space left out, and how many of them are in their page's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GoldLines {
    /// Looked for.
    pub lines: usize,
    /// Found.
    pub found: usize,
}

/// How often a kind was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct KindCount {
    /// The kind.
    pub kind: Kind,
    /// The highest level among its findings.
    pub level: Level,
    /// Findings of that level.
    pub findings: usize,
    /// Findings of lower levels, known ones most often.
    pub lowered: usize,
}

/// What a dataset's check came to.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The dataset's name.
    pub dataset: String,
    /// Its version.
    pub version: String,
    /// Its digest over all pages.
    pub digest: String,
    /// Pages that were checked.
    pub pages: usize,
    /// Pages that are none of those, each for a fault of [`Kind::LoadFault`].
    pub dropped: usize,
    /// Those of them whose faults are not among the findings, for there are too many.
    pub unlisted: usize,
    /// What could not be read of page lists, for faults of [`Kind::SetFault`].
    pub lost: Vec<LostLines>,
    /// Pages with gold.
    pub golds: usize,
    /// Sites.
    pub sites: usize,
    /// Pages by language; `-` where none is stated.
    pub languages: BTreeMap<String, usize>,
    /// Pages by the encoding that they were decoded with.
    pub encodings: BTreeMap<String, usize>,
    /// Pages by the faults that they state themselves.
    pub faults: BTreeMap<String, usize>,
    /// Lines of the golds.
    pub gold_lines: GoldLines,
    /// What all text and the text outside links come to; absent where no page has gold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floors: Option<Floors>,
    /// Everything, pages in dataset order, then the set.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Findings of a level, and faults that are not listed among them.
    pub fn count(&self, level: Level) -> usize {
        let listed = self.findings.iter().filter(|finding| finding.level == level).count();
        if level == Kind::LoadFault.level() { listed + self.unlisted } else { listed }
    }

    /// How often each kind was found, in the order of [`Kind::ALL`]; kinds that were not are left out.
    pub fn kinds(&self) -> Vec<KindCount> {
        let count = |&kind: &Kind| {
            let levels = || self.findings.iter().filter(|finding| finding.kind == kind).map(|finding| finding.level);
            let level = levels().min()?;
            let listed = levels().filter(|&other| other == level).count();
            let findings = if kind == Kind::LoadFault { listed + self.unlisted } else { listed };
            Some(KindCount { kind, level, findings, lowered: levels().count() - listed })
        };
        Kind::ALL.iter().filter_map(count).collect()
    }
}

/// Checks every page of `dataset` and the set.
///
/// # Errors
/// [`DatasetError`]: a page list that cannot be read any more, or was changed. A page that cannot be read is a finding.
pub fn check(dataset: &Dataset) -> Result<Report, DatasetError> {
    let (mut seen, mut digest, mut floors) = (Seen::default(), DatasetDigest::new(), FloorsTally::default());
    let (mut telling, mut named) = (Telling::default(), Named::of(dataset));
    let mut report = Report {
        dataset: dataset.name().to_owned(),
        version: dataset.manifest.version.clone(),
        digest: String::new(),
        pages: dataset.records.len(),
        dropped: dataset.dropped().pages,
        unlisted: dataset.dropped().unlisted(),
        lost: dataset.dropped().lost.clone(),
        golds: dataset.records.golds(),
        sites: 0,
        languages: BTreeMap::new(),
        encodings: BTreeMap::new(),
        faults: BTreeMap::new(),
        gold_lines: GoldLines::default(),
        floors: None,
        findings: load_faults(dataset),
    };
    dataset.records.for_each_made(
        AT_A_TIME,
        |record| {
            let examined = page::examine(dataset, record);
            dataset.refuse_unread().map(|()| examined)
        },
        |record, mut page| {
            digest.add(record, &page.digests);
            seen.add(record, &mut page);
            named.add(record);
            *report.languages.entry(record.language.clone().unwrap_or_else(|| "-".to_owned())).or_default() += 1;
            if let Some(encoding) = page.encoding {
                *report.encodings.entry(encoding).or_default() += 1;
            }
            for fault in &record.details().faults {
                *report.faults.entry(fault.clone()).or_default() += 1;
            }
            if let Some(marks) = page.telling.take() {
                telling.add(record.site_or_id(), marks);
            }
            match (record.gold.is_some(), page.is_too_long) {
                (true, true) => floors.add_too_long(),
                (true, false) => floors.add(page.floors.as_ref()),
                (false, _) => {}
            }
            report.gold_lines.lines += page.gold_lines.lines;
            report.gold_lines.found += page.gold_lines.found;
            report.findings.append(&mut page.findings.list);
            Ok::<_, DatasetError>(())
        },
    )?;
    report.digest = digest.finish(&dataset.manifest);
    report.floors = floors.finish();
    report.sites = seen.sites();
    report.findings.extend(seen.unmatched_roles());
    report.findings.extend(telling.findings());
    report.findings.extend(seen.across_splits());
    report.findings.extend(seen.unknown_sites(dataset));
    report.findings.extend(named.strays());
    Ok(report)
}

/// The findings of the load: faults, and notes.
fn load_faults(dataset: &Dataset) -> Vec<Finding> {
    let finding = |kind: Kind, fault: &DatasetError| {
        let message = DatasetError { page: None, ..fault.clone() }.to_string();
        Finding { kind, level: kind.level(), page: fault.page.clone(), message }
    };
    let dropped = dataset.dropped();
    let of_pages = dropped.faults.iter().map(|fault| finding(Kind::LoadFault, fault));
    let of_set = dropped.of_set.iter().map(|fault| finding(Kind::SetFault, fault));
    let told = dataset.notes.iter().map(|note| Finding {
        kind: Kind::LoadNote,
        level: Kind::LoadNote.level(),
        page: None,
        message: note.text().to_owned(),
    });
    of_pages.chain(of_set).chain(told).collect()
}

/// The same dataset without the pages that have an error. Its manifest says how many pages there are, and its version
/// that it is another one.
///
/// # Errors
/// As [`check`].
pub fn without_errors(dataset: &Dataset, report: &Report) -> Result<Dataset, DatasetError> {
    // Pages that were not loaded are left out already; of an id that is given twice the first page is there.
    let is_of_page = |finding: &&Finding| finding.level == Level::Error && finding.kind != Kind::LoadFault;
    let errors = report.findings.iter().filter(is_of_page);
    let faulty: std::collections::HashSet<&str> = errors.filter_map(|finding| finding.page.as_deref()).collect();
    let mut fixed = dataset.clone();
    fixed.records.retain(|record| !faulty.contains(record.id.as_str()))?;
    // The earlier ones are of the pages that were there.
    fixed.notes = vec![Note::Other(format!(
        "made by `carat dataset check --fix`: {} of {}, those without errors",
        fixed.records.len(),
        counted(dataset.records.len() + report.dropped, "page")
    ))];
    if report.findings.iter().any(|finding| finding.kind == Kind::UnknownSites) {
        let mut without_site = 0;
        for record in fixed.records.iter() {
            let record = record?;
            without_site += usize::from(record.site_or_id() == record.id);
        }
        fixed.notes.push(Note::Other(unknown_sites(without_site, "`site` in each line of pages.jsonl says it")));
    }
    fixed.mark_fixed();
    Ok(fixed)
}

#[cfg(test)]
mod tests;
