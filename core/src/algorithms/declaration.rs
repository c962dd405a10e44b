//! What an algorithm says of itself. Listings, documents, validation and golden tests are all made
//! from it.

use std::collections::BTreeSet;

use serde::Serialize;

use super::parameters::Values;

/// What an implementation is faithful to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FaithfulTo {
    /// The words and formulas of a paper.
    Paper,
    /// The published program.
    Code,
    /// What can be told from secondary sources.
    Reconstruction,
    /// A variant of ours.
    Variant,
}

impl FaithfulTo {
    /// As listings and documents call it.
    pub fn name(self) -> &'static str {
        match self {
            FaithfulTo::Paper => "paper",
            FaithfulTo::Code => "code",
            FaithfulTo::Reconstruction => "reconstruction",
            FaithfulTo::Variant => "variant",
        }
    }
}

impl Declaration {
    /// Whether `parameter` is swept at every value where a choice can change.
    pub fn sweeps_exactly(&self, parameter: &str) -> bool {
        self.swept.iter().any(|swept| swept.exact && swept.parameter == parameter)
    }

    /// Refuses a parameter whose break points are not known.
    pub(super) fn check_exact(&self, parameter: &str) -> Result<(), String> {
        let message = || format!("no break points of `{parameter}` of {} are known", self.name);
        self.sweeps_exactly(parameter).then_some(()).ok_or_else(message)
    }
}

/// A parameter that is varied at no cost: choosing again does not prepare the page again.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Swept {
    /// The parameter's name.
    pub parameter: &'static str,
    /// The sweep to start with, in the grammar of runs.
    pub grid: &'static str,
    /// Whether the values at which a choice can change are known, so that `exact` sweeps it.
    pub exact: bool,
}

impl Swept {
    /// A parameter of which every value where a choice can change is known.
    pub const fn exact(parameter: &'static str, grid: &'static str) -> Self {
        Swept { parameter, grid, exact: true }
    }

    /// A parameter that is tried at given values alone.
    pub const fn on_grid(parameter: &'static str, grid: &'static str) -> Self {
        Swept { parameter, grid, exact: false }
    }
}

/// A page and what an algorithm makes of it under some parameters: worked by hand, shown in
/// listings and run as a golden test.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Example {
    /// What it shows, in a few words.
    pub title: &'static str,
    /// The page's language, or the empty string.
    pub language: &'static str,
    /// The page.
    pub html: &'static str,
    /// For a group algorithm: the other pages of its group.
    pub siblings: &'static [&'static str],
    /// Parameters as on the command line, without the algorithm's name.
    pub parameters: &'static str,
    /// The extraction.
    pub expected: &'static str,
}

impl Example {
    /// An example on a page of no stated language that no others stand beside.
    pub const fn new(
        title: &'static str,
        html: &'static str,
        parameters: &'static str,
        expected: &'static str,
    ) -> Self {
        Example { title, language: "", html, siblings: &[], parameters, expected }
    }

    /// The same on a page in `language`.
    pub const fn in_language(self, language: &'static str) -> Self {
        Example { language, ..self }
    }

    /// The same on a page whose group has `siblings` besides.
    pub const fn beside(self, siblings: &'static [&'static str]) -> Self {
        Example { siblings, ..self }
    }
}

/// What an algorithm says of itself.
#[derive(Debug, Serialize)]
pub struct Declaration {
    /// Its name in runs.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub title: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What it is faithful to.
    pub faithful_to: FaithfulTo,
    /// The languages it is for, in words.
    pub languages: &'static str,
    /// Its cost in symbols.
    pub cost: &'static str,
    /// The parameters that are varied at no cost.
    pub swept: &'static [Swept],
    /// Examples worked by hand.
    pub examples: &'static [Example],
    /// Whether it is a floor: what any algorithm has to beat, shown as a line beside every curve.
    pub floor: bool,
    /// A line a list, model or program that decides its results under these parameters on pages of these
    /// languages (`None`: of a language that is not stated), each with a digest or a version.
    #[serde(skip)]
    pub resources: fn(&Values, &BTreeSet<Option<String>>) -> Vec<String>,
}

/// For algorithms whose results rest on no list.
pub fn no_resources(_: &Values, _: &BTreeSet<Option<String>>) -> Vec<String> {
    Vec::new()
}
