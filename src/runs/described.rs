//! What a run can have besides algorithms, as it is listed and documented: ensembles, rules of sites,
//! what learns from the gold of other pages, and bounds.

use serde::Serialize;

use super::reads_gold::ReadsGold;
use crate::algorithms::declaration::FaithfulTo;
use crate::algorithms::parameters::Parameter;

/// A kind of row that is no algorithm.
#[derive(Clone, Debug, Serialize)]
pub struct Described {
    /// Its name in configurations.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub title: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What it is faithful to.
    pub faithful_to: FaithfulTo,
    /// Its cost in symbols.
    pub cost: &'static str,
    /// What it reads of the gold, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reads_gold: Option<ReadsGold>,
    /// What is to be known, a sentence or two each.
    pub notes: &'static [&'static str],
    /// How it is written in a configuration, and on the command line.
    pub written: &'static str,
    /// A case worked by hand.
    pub example: &'static str,
    /// Its parameters.
    #[serde(skip)]
    pub parameters: fn() -> Vec<Parameter>,
}

impl Described {
    /// The command that asks a run for it, if it is written on the command line.
    pub fn command(&self) -> Option<&'static str> {
        self.written.lines().find(|line| line.starts_with("carat run "))
    }
}
