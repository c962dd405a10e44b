//! What the four founding papers print and claim (`published.yaml`), and the runs that try it (`configs/papers`): data
//! with its sources. What it comes to on pages at hand is decided in `decisions::claims` and shown by
//! `report::papers`.

pub mod named_systems;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::formats::yaml;

/// All that the papers print.
#[derive(Debug, Deserialize)]
pub struct Published {
    /// The papers, by the names that tables and claims cite.
    pub sources: BTreeMap<String, Source>,
    /// Our algorithm for a paper's name of a system; closed systems have none.
    pub algorithms: BTreeMap<String, String>,
    /// Registrable domains of sites that papers name without one: by us.
    pub domains: BTreeMap<String, String>,
    /// Tables, as printed.
    pub tables: Vec<Table>,
    /// Claims.
    pub claims: Vec<Claim>,
}

/// A paper.
#[derive(Debug, Deserialize)]
pub struct Source {
    /// Its name on the command line.
    pub paper: String,
    /// What it is called in a sentence.
    pub title: String,
    /// How it makes figures of groups of pages.
    pub aggregate: Means,
}

/// How a paper makes a figure of a group of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Means {
    /// Means over pages.
    Macro,
    /// Means over sites, a site's F1 being the harmonic mean of its mean precision and mean recall.
    PaperCevc,
}

/// A printed table; what its rows hold differs from table to table.
#[derive(Debug, Deserialize)]
pub struct Table {
    /// Its name here.
    pub id: String,
    /// The paper.
    pub source: String,
    /// Where it stands in the paper.
    #[serde(rename = "where")]
    pub place: String,
    /// `fraction`, `percent` or `px`.
    pub unit: Option<String>,
    /// The parameters that the paper states.
    #[serde(default)]
    pub setting: Map<String, Json>,
    /// The pages that the paper measured on, in words and numbers.
    #[serde(default)]
    pub data: Map<String, Json>,
    /// Rows as printed.
    pub rows: Vec<Map<String, Json>>,
    /// Rows of means over groups of sites, as printed.
    #[serde(default)]
    pub groups: Vec<Map<String, Json>>,
}

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
pub struct Subject {
    /// The paper's name of the system.
    pub system: String,
    /// Parameters; the others are at their defaults.
    #[serde(default)]
    pub params: Map<String, Json>,
    /// `zh`, `en`, `zh-news`; all pages where none is named.
    pub group: Option<String>,
}

impl Side {
    /// With all that is not said at its default.
    pub fn subject(&self) -> Subject {
        match self {
            Side::Name(system) => Subject { system: system.clone(), ..Subject::default() },
            Side::Of(subject) => subject.clone(),
        }
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
    /// One side is greater than the other, or than several, by more than a margin.
    Greater {
        left: Side,
        right: Several<Side>,
        measure: Several<Measure>,
        margin: f64,
        over: Over,
        #[serde(default)]
        except: Vec<String>,
    },
    /// One side is greater than the other by a printed amount.
    Difference { left: Side, right: Side, measure: Measure, value: f64, tolerance: f64 },
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
    /// A relation over the pages that a predicate selects.
    Conditional { pages: String },
    /// Decided on the printed figures alone: in how many rows a relation holds, and what holds of groups.
    Table { table: String, count: String, expect: usize, mean_zh: String, mean_en: String },
    /// A predicate holds of at least a share of pages.
    ShareOfPages { predicate: String, at_least: f64 },
    /// A timing.
    Cost {},
    /// Nothing to check.
    None {},
}

/// A paper with the run that tries it.
#[derive(Debug)]
pub struct Paper {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its name in [`Published::sources`].
    pub source: &'static str,
    /// The algorithm that it describes.
    pub algorithm: &'static str,
    /// The name of its configuration.
    pub file: &'static str,
    /// That configuration.
    pub configuration: &'static str,
    /// The run that its threshold is read off, if it is read off a curve of drawn pages.
    pub drawn: Option<DrawnRun>,
}

/// A run of drawn pages; the pages that were not drawn are the rest of its split.
#[derive(Debug)]
pub struct DrawnRun {
    /// The name of its configuration.
    pub file: &'static str,
    /// That configuration: a split, the algorithm over its swept parameter exactly, and one to hold it against.
    pub configuration: &'static str,
    /// The algorithm that it is held against.
    pub other: &'static str,
}

/// The four papers.
pub const PAPERS: [Paper; 4] = [
    Paper {
        name: "nta",
        source: "NTA",
        algorithm: "nta",
        file: "configs/papers/nta.yaml",
        configuration: include_str!("../../configs/papers/nta.yaml"),
        drawn: None,
    },
    Paper {
        name: "cevc",
        source: "CEVC",
        algorithm: "cevc",
        file: "configs/papers/cevc.yaml",
        configuration: include_str!("../../configs/papers/cevc.yaml"),
        drawn: Some(DrawnRun {
            file: "configs/papers/cevc-drawn.yaml",
            configuration: include_str!("../../configs/papers/cevc-drawn.yaml"),
            other: "cetr-2d",
        }),
    },
    Paper {
        name: "istm",
        source: "ISTM",
        algorithm: "istm",
        file: "configs/papers/istm.yaml",
        configuration: include_str!("../../configs/papers/istm.yaml"),
        drawn: None,
    },
    Paper {
        name: "relevance",
        source: "relevance",
        algorithm: "relevance",
        file: "configs/papers/relevance.yaml",
        configuration: include_str!("../../configs/papers/relevance.yaml"),
        drawn: None,
    },
];

static PUBLISHED: LazyLock<Published> = LazyLock::new(|| {
    let known = "the file is part of the program, and a test reads it";
    let raw: Json = yaml::typed("published.yaml", include_str!("published.yaml")).expect(known);
    serde_json::from_value(raw).expect(known)
});

/// All that the papers print.
pub fn published() -> &'static Published {
    &PUBLISHED
}

impl Published {
    /// The printed table of this name.
    pub fn table(&self, id: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.id == id)
    }

    /// Our algorithm for a paper's name of a system.
    pub fn algorithm(&self, system: &str) -> Option<&str> {
        self.algorithms.get(system).map(String::as_str)
    }
}

impl Paper {
    /// What is known of its source.
    pub fn known(&self) -> &'static Source {
        &published().sources[self.source]
    }

    /// What it claims.
    pub fn claims(&self) -> impl Iterator<Item = &'static Claim> {
        published().claims.iter().filter(|claim| claim.source == self.source)
    }
}

/// A printed figure, such as `CETR.r` or `ISTM`, of a row of a table.
pub fn figure(row: &Map<String, Json>, name: &str) -> Option<f64> {
    let mut value = None;
    for key in name.split('.') {
        value = Some(value.map_or_else(|| row.get(key), |inner: &Json| inner.get(key))?);
    }
    value?.as_f64()
}

/// A text of a row of a table.
pub fn text<'r>(row: &'r Map<String, Json>, name: &str) -> Option<&'r str> {
    row.get(name)?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_cited_is_there() {
        let published = published();
        assert_eq!((published.tables.len(), published.claims.len()), (8, 26));
        for table in &published.tables {
            assert!(published.sources.contains_key(&table.source), "{}", table.id);
        }
        for claim in &published.claims {
            assert!(published.sources.contains_key(&claim.source), "{}", claim.id);
            if let Form::Table { table, .. } = &claim.form {
                assert!(published.table(table).is_some(), "{}", claim.id);
            }
        }
        for paper in &PAPERS {
            assert_eq!(paper.known().paper, paper.name);
            assert!(paper.claims().count() > 0, "{}", paper.name);
        }
    }

    #[test]
    fn printed_means_are_those_of_the_printed_rows() {
        let table = published().table("cevc-1").unwrap();
        for group in &table.groups {
            let name = text(group, "group").unwrap();
            let rows: Vec<_> =
                table.rows.iter().filter(|row| name == "all" || text(row, "lang") == Some(name)).collect();
            for figure_name in ["CETR.p", "CETR.r", "CETR.f1", "CEVC.p", "CEVC.r", "CEVC.f1"] {
                let of = |row: &Map<String, Json>| figure(row, figure_name).unwrap();
                let mean = rows.iter().map(|row| of(row)).sum::<f64>() / rows.len() as f64;
                assert!((mean - of(group)).abs() < 0.0011, "{name} {figure_name}: {mean}");
            }
        }
    }

    #[test]
    fn sites_without_a_domain_of_their_own_have_one_here() {
        for id in ["istm-1", "istm-2"] {
            for row in &published().table(id).unwrap().rows {
                assert!(published().domains.contains_key(text(row, "site").unwrap()), "{row:?}");
            }
        }
    }
}
