//! Claims, as the files have them: what each says, who says it, and what a check evaluates.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

/// Something that a paper claims.
#[derive(Debug, Deserialize)]
pub struct Claim {
    /// Its name here.
    pub id: String,
    /// The paper.
    pub source: String,
    /// Where it stands in the paper.
    #[serde(rename = "where")]
    pub place: String,
    /// The claim in words.
    pub words: String,
    /// What a check evaluates.
    pub form: Form,
    /// Why it cannot be tested at all, where that is known beforehand.
    pub testable: Option<String>,
    /// What is to be known besides.
    pub note: Option<String>,
    /// The paper that says it, where that is none of the four about its own experiment.
    pub by: Option<String>,
    /// How we know that it says so.
    #[serde(default)]
    pub known: Known,
    /// What of the check is our reading, and not the paper's.
    pub ours: Option<String>,
}

/// How we know what a paper says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Known {
    /// It was read.
    #[default]
    Paper,
    /// No more than its abstract was read.
    Abstract,
    /// A paper that cites it says so.
    Told,
    /// From memory.
    Recalled,
}

impl Known {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Known::Paper => "read",
            Known::Abstract => "no more than the abstract read",
            Known::Told => "told by the paper that cites it",
            Known::Recalled => "recalled, not read",
        }
    }
}

impl Claim {
    /// Who says it, where, and how we know; the place alone where it is a founding paper's on its own experiment.
    pub fn said(&self) -> String {
        match &self.by {
            Some(by) => format!("{by}: {} ({})", self.place, self.known.name()),
            None => self.place.clone(),
        }
    }
}

/// What of a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Precision.
    P,
    /// Recall.
    R,
    /// F1.
    F1,
    /// The share of all text of the pages that a system keeps.
    Kept,
    /// The share of link text in the gold's text: no score of a system.
    LinkShare,
}

impl Measure {
    /// As tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Measure::P => "P",
            Measure::R => "R",
            Measure::F1 => "F1",
            Measure::Kept => "share kept",
            Measure::LinkShare => "link share",
        }
    }
}

/// One of what a claim names, or several.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Several<T> {
    /// One.
    One(T),
    /// Several.
    Many(Vec<T>),
}

impl<T> Several<T> {
    /// All of them.
    pub fn all(&self) -> &[T] {
        match self {
            Several::One(one) => std::slice::from_ref(one),
            Several::Many(many) => many,
        }
    }
}

/// Whose scores, on which pages.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Side {
    /// A system at its defaults, on all pages.
    Name(String),
    /// A system at a setting, on a group of pages.
    Of(Subject),
}

/// A system at a setting, on a group of pages.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// The paper's name of the system.
    pub system: String,
    /// Parameters; the others are at their defaults.
    #[serde(default)]
    pub params: Map<String, Json>,
    /// `zh`, `en`, `zh-news`; all pages where none is named.
    pub group: Option<String>,
    /// Only the pages of which so much was counted.
    pub pages: Option<Pages>,
}

/// The pages of which something was counted from `from` on and below `below`.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pages {
    /// What was counted.
    pub fact: Fact,
    /// The least that is meant.
    pub from: Option<Bound>,
    /// What is no longer meant.
    pub below: Option<Bound>,
}

/// What is counted of a page and its gold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fact {
    /// Characters of visible text.
    TextChars,
    /// Those of them in tables.
    TableChars,
    /// Their share of all.
    TableShare,
    /// Characters outside links in comment areas.
    CommentChars,
    /// Pages of the run that are of the page's site, itself among them, with gold and without.
    SitePages,
    /// Those of them that have gold.
    SiteGolds,
    /// Characters of the gold text.
    GoldChars,
    /// The share in tables of the characters of the gold's text nodes.
    GoldTableShare,
    /// Lines of the gold's text nodes of which more than half the characters are in links.
    GoldLinkLines,
}

/// An end of a range of what was counted.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Bound {
    /// A number.
    Number(f64),
    /// One that the pages make.
    OfPages(OfPages),
}

/// A number that the pages at hand make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OfPages {
    /// What half of the pages are below, or as near to half as can be.
    Median,
}

impl Fact {
    fn in_words(self) -> &'static str {
        match self {
            Fact::TextChars => "characters of text",
            Fact::TableChars => "characters in tables",
            Fact::TableShare => "share of text in tables",
            Fact::CommentChars => "characters of comments",
            Fact::SitePages => "pages of the site",
            Fact::SiteGolds => "pages of the site with gold",
            Fact::GoldChars => "characters of gold",
            Fact::GoldTableShare => "share of gold in tables",
            Fact::GoldLinkLines => "gold lines of links",
        }
    }
}

impl Pages {
    /// In words, such as `pages of the site below 2`.
    pub fn in_words(&self) -> String {
        let bound = |bound: Bound| match bound {
            Bound::Number(number) => number.to_string(),
            Bound::OfPages(OfPages::Median) => "the median".to_owned(),
        };
        let from = self.from.map(|from| format!(" from {}", bound(from)));
        let below = self.below.map(|below| format!(" below {}", bound(below)));
        [Some(self.fact.in_words().to_owned()), from, below].into_iter().flatten().collect()
    }

    /// The other pages of which it was counted; `None` of a range with two ends, or none.
    pub fn others(&self) -> Option<Pages> {
        match (self.from, self.below) {
            (Some(from), None) => Some(Pages { from: None, below: Some(from), ..*self }),
            (None, Some(below)) => Some(Pages { from: Some(below), below: None, ..*self }),
            _ => None,
        }
    }
}

impl Side {
    /// With all that is not said at its default.
    pub fn subject(&self) -> Subject {
        match self {
            Side::Name(system) => Subject { system: system.clone(), ..Subject::default() },
            Side::Of(subject) => subject.clone(),
        }
    }

    /// The same, on `pages` where it names none.
    pub fn on(&self, pages: Option<Pages>) -> Subject {
        let subject = self.subject();
        Subject { pages: subject.pages.or(pages), ..subject }
    }
}

/// Over what one side is to be greater than the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Over {
    /// The mean over pages.
    Mean,
    /// Every site's mean.
    EachSite,
}

/// The direction of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// It never falls.
    Up,
    /// It never rises.
    Down,
}

/// What a check evaluates.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(missing_docs, reason = "fields are named as in the file, whose head explains them")]
pub enum Form {
    /// A figure lies within a tolerance of the printed one.
    Value {
        #[serde(flatten)]
        subject: Subject,
        measure: Measure,
        value: f64,
        tolerance: f64,
    },
    /// A figure is at least so much.
    AtLeast {
        #[serde(flatten)]
        subject: Subject,
        measure: Several<Measure>,
        value: f64,
    },
    /// One side is greater than the other, or than several, by more than a margin; `pages` are meant of every side that names none.
    Greater {
        left: Side,
        right: Several<Side>,
        measure: Several<Measure>,
        margin: f64,
        over: Over,
        #[serde(default)]
        except: Vec<String>,
        pages: Option<Pages>,
    },
    /// One side is greater than the other by a printed amount.
    Difference { left: Side, right: Side, measure: Measure, value: f64, tolerance: f64, pages: Option<Pages> },
    /// One side is further than `within` from another, or from one of several.
    Differs { left: Side, right: Several<Side>, measure: Measure, within: f64 },
    /// An exact curve moves by at most `max_range` over a closed interval.
    Flat { system: String, parameter: String, from: f64, to: f64, measures: Vec<Measure>, max_range: f64 },
    /// An exact curve takes no step against the direction that is greater than `slack`.
    Monotone {
        system: String,
        parameter: String,
        from: f64,
        to: f64,
        measure: Measure,
        direction: Direction,
        slack: f64,
    },
    /// An exact curve is at `at` within `within` of its highest point.
    Argmax { system: String, parameter: String, from: f64, to: f64, measure: Measure, at: f64, within: f64 },
    /// A system is lower on its pages than on the others, and there lower than another.
    Conditional {
        #[serde(flatten)]
        subject: Subject,
        right: Side,
        measure: Measure,
    },
    /// Decided on the printed figures alone: in how many rows a relation holds, and what holds of groups.
    Table { table: String, count: String, expect: usize, mean_zh: String, mean_en: String },
    /// A predicate holds of at least a share of pages.
    ShareOfPages {
        #[serde(flatten)]
        subject: Subject,
        predicate: OfPage,
        at_least: f64,
    },
    /// A timing.
    Cost {},
    /// Nothing to check.
    None {},
}

/// What may be so of a system on a page.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OfPage {
    /// It gives all of the page's text or none.
    WholeOrNothing,
    /// What no run keeps, in words.
    #[serde(untagged)]
    InWords(String),
}

impl Form {
    /// Every subject that it names, with its pages.
    pub fn subjects(&self) -> Vec<Subject> {
        let system = |name: &String| vec![Subject { system: name.clone(), ..Subject::default() }];
        match self {
            Form::Value { subject, .. } | Form::AtLeast { subject, .. } | Form::ShareOfPages { subject, .. } => {
                vec![subject.clone()]
            }
            Form::Greater { left, right, pages, .. } => {
                std::iter::once(left).chain(right.all()).map(|side| side.on(*pages)).collect()
            }
            Form::Difference { left, right, pages, .. } => [left, right].map(|side| side.on(*pages)).into(),
            Form::Differs { left, right, .. } => std::iter::once(left).chain(right.all()).map(Side::subject).collect(),
            Form::Conditional { subject, right, .. } => vec![subject.clone(), right.on(subject.pages)],
            Form::Flat { system: name, .. }
            | Form::Monotone { system: name, .. }
            | Form::Argmax { system: name, .. } => system(name),
            Form::Table { .. } | Form::Cost {} | Form::None {} => Vec::new(),
        }
    }

    /// Whether it takes what is counted on pages.
    pub fn takes_counts(&self) -> bool {
        let of_gold = matches!(self, Form::Value { measure: Measure::LinkShare, .. });
        of_gold || self.subjects().iter().any(|subject| subject.pages.is_some())
    }
}
