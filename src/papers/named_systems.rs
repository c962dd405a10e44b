//! Every system that the founding papers name, and which of our rows stands for it (`named_systems.yaml`).

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::formats::yaml;

/// The file.
#[derive(Deserialize)]
struct Document {
    systems: Vec<NamedSystem>,
}

/// A system that a paper names.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedSystem {
    /// Where it is named.
    pub named_by: Vec<Place>,
    /// Who made it, and what it is called.
    pub who: String,
    /// Whether the title is told from the sentence that cites it, our copy of the paper having no reference.
    #[serde(default)]
    pub inferred: bool,
    /// What it does, in a clause.
    pub does: String,
    /// The names of our rows that stand for it.
    #[serde(default)]
    pub rows: Vec<String>,
    /// Why there can be none of ours: it is closed. Its outputs can be scored all the same.
    pub door: Option<String>,
    /// What is to be known besides.
    pub note: Option<String>,
    /// The names of the claims that are tried and concern it.
    #[serde(default)]
    pub claims: Vec<String>,
}

/// A place in a paper.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The paper, as [`Published::sources`](super::Published::sources) names it.
    pub paper: String,
    /// The number of its reference, or where it is named without one.
    pub at: String,
}

static SYSTEMS: LazyLock<Vec<NamedSystem>> = LazyLock::new(|| {
    let document = yaml::typed::<Document>("named_systems.yaml", include_str!("named_systems.yaml"));
    document.expect("the file is part of the program, and a test reads it").systems
});

/// Every system that the papers name, by paper and place.
pub fn named_systems() -> &'static [NamedSystem] {
    &SYSTEMS
}

impl NamedSystem {
    /// Where it is named, as papers cite.
    pub fn cited(&self) -> String {
        let places = self.named_by.iter().map(|place| format!("{} {}", place.paper, place.at));
        places.collect::<Vec<_>>().join(", ")
    }

    /// Who made it, and whether that is inferred.
    pub fn title(&self) -> String {
        if self.inferred { format!("{} (inferred)", self.who) } else { self.who.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::published;

    #[test]
    fn each_is_named_by_a_paper_and_stood_for_or_told_why_not() {
        assert!(named_systems().len() > 35);
        for system in named_systems() {
            assert!(!system.named_by.is_empty(), "{}", system.who);
            for place in &system.named_by {
                assert!(published().sources.contains_key(&place.paper), "{}", place.paper);
            }
            for claim in &system.claims {
                assert!(published().claim(claim).is_some(), "there is no claim {claim}");
            }
            assert!(!system.rows.is_empty() || system.door.is_some() || system.note.is_some(), "{}", system.who);
        }
    }

    #[test]
    fn every_claim_on_a_system_stands_under_the_system() {
        let cited: Vec<&String> = named_systems().iter().flat_map(|system| &system.claims).collect();
        for claim in published().claims.iter().filter(|claim| claim.by.is_some()) {
            assert!(cited.contains(&&claim.id), "{}", claim.id);
        }
    }
}
