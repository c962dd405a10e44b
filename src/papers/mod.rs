//! What the four founding papers print and claim (`published.yaml`), what is said of the systems that they name
//! (`systems.yaml`), and the runs that try it (`configs/papers`): data with its sources. What it comes to on pages at
//! hand is decided in `decisions::claims` and shown by `report::papers`.

pub mod benchmarks;
mod claims;
pub mod named_systems;

pub use self::claims::{
    Bound, Claim, Direction, Fact, Form, Known, Measure, OfPage, OfPages, Over, Pages, Several, Side, Subject,
};

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::Error;
use serde_json::{Map, Value as Json};

use crate::formats::yaml;

/// The source of claims on the systems that the four papers name: no one paper, so each claim says whose it is.
const SYSTEMS: &str = "systems";

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

/// What is said of the systems that the four papers name.
#[derive(Deserialize)]
struct OfSystems {
    /// What its papers are called in a sentence.
    title: String,
    /// Our algorithms and ensembles that go by their own names in the claims.
    rows: Vec<String>,
    /// Claims, without a source.
    claims: Vec<Json>,
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

/// A paper with the run that tries it.
#[derive(Debug)]
pub struct Paper {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its name in [`Published::sources`].
    pub source: &'static str,
    /// The algorithm that it describes, if it is one.
    pub algorithm: Option<&'static str>,
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
    /// The algorithm whose threshold is read off.
    pub algorithm: &'static str,
    /// The algorithm that it is held against.
    pub other: &'static str,
}

/// The four papers, and those on the systems that they name.
pub const PAPERS: [Paper; 5] = [
    Paper {
        name: "nta",
        source: "NTA",
        algorithm: Some("nta"),
        file: "configs/papers/nta.yaml",
        configuration: include_str!("../../configs/papers/nta.yaml"),
        drawn: None,
    },
    Paper {
        name: "cevc",
        source: "CEVC",
        algorithm: Some("cevc"),
        file: "configs/papers/cevc.yaml",
        configuration: include_str!("../../configs/papers/cevc.yaml"),
        drawn: Some(DrawnRun {
            file: "configs/papers/cevc-drawn.yaml",
            configuration: include_str!("../../configs/papers/cevc-drawn.yaml"),
            algorithm: "cevc",
            other: "cetr-2d",
        }),
    },
    Paper {
        name: "istm",
        source: "ISTM",
        algorithm: Some("istm"),
        file: "configs/papers/istm.yaml",
        configuration: include_str!("../../configs/papers/istm.yaml"),
        drawn: None,
    },
    Paper {
        name: "relevance",
        source: "relevance",
        algorithm: Some("relevance"),
        file: "configs/papers/relevance.yaml",
        configuration: include_str!("../../configs/papers/relevance.yaml"),
        drawn: None,
    },
    Paper {
        name: "systems",
        source: SYSTEMS,
        algorithm: None,
        file: "configs/papers/systems.yaml",
        configuration: include_str!("../../configs/papers/systems.yaml"),
        drawn: None,
    },
];

static PUBLISHED: LazyLock<Published> = LazyLock::new(|| {
    let known = "the files are part of the program, and a test reads them";
    let raw: Json = yaml::typed("published.yaml", include_str!("published.yaml")).expect(known);
    let mut published: Published = serde_json::from_value(raw).expect(known);
    published.add(yaml::typed("systems.yaml", include_str!("systems.yaml")).expect(known)).expect(known);
    published
});

/// All that the papers print.
pub fn published() -> &'static Published {
    &PUBLISHED
}

impl Published {
    /// Puts the claims on other systems beside those of the four papers. A name that stands for another row already is an
    /// error: claims would be judged on the wrong one.
    fn add(&mut self, of_systems: OfSystems) -> Result<(), serde_json::Error> {
        let OfSystems { title, rows, claims } = of_systems;
        self.sources.insert(SYSTEMS.to_owned(), Source { paper: SYSTEMS.to_owned(), title, aggregate: Means::Macro });
        for row in rows {
            match self.algorithms.insert(row.clone(), row.clone()) {
                Some(other) if other != row => {
                    return Err(serde_json::Error::custom(format!("`{row}` stands for `{other}` already")));
                }
                _ => {}
            }
        }
        for mut claim in claims {
            claim["source"] = SYSTEMS.into();
            self.claims.push(serde_json::from_value(claim)?);
        }
        Ok(())
    }

    /// The claim of this name.
    pub fn claim(&self, id: &str) -> Option<&Claim> {
        self.claims.iter().find(|claim| claim.id == id)
    }

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
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn everything_that_is_cited_is_there() {
        let published = published();
        let (of_systems, own): (Vec<&Claim>, Vec<&Claim>) =
            published.claims.iter().partition(|claim| claim.source == SYSTEMS);
        assert_eq!((published.tables.len(), own.len(), of_systems.len()), (8, 31, 28));
        for claim in of_systems {
            assert!(claim.by.is_some() && (claim.ours.is_some() || claim.testable.is_some()), "{}", claim.id);
        }
        let ids: BTreeSet<&str> = published.claims.iter().map(|claim| claim.id.as_str()).collect();
        assert_eq!(ids.len(), published.claims.len(), "two claims have one name");
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
    fn a_name_that_stands_for_another_row_is_refused() {
        let raw: Json = yaml::typed("published.yaml", include_str!("published.yaml")).unwrap();
        let mut published: Published = serde_json::from_value(raw).unwrap();
        let name = published.algorithms.iter().find(|(name, row)| name != row).unwrap().0.clone();
        let of_systems = |row: &str| OfSystems { title: String::new(), rows: vec![row.to_owned()], claims: Vec::new() };
        published.add(of_systems("bte")).unwrap();
        published.add(of_systems("bte")).unwrap();
        let error = published.add(of_systems(&name)).unwrap_err();
        assert!(error.to_string().contains("already"), "{error}");
    }

    #[test]
    fn a_misspelt_part_of_a_side_is_refused() {
        let side = |key: &str| serde_json::from_value::<Side>(serde_json::json!({"system": "nta", key: "zh"}));
        assert!(side("group").is_ok() && side("grop").is_err());
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
