//! Papers' claims, each as a check on the pages of a run.
//!
//! A claim about pages is decided by the statistics of [`crate::statistics`], one about a curve on the exact curve, one
//! about printed figures on these. What a run does not keep is not testable: nothing is guessed.

mod curves;
pub mod drawn;
mod printed;
pub mod readings;
mod scores;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::papers::{Claim, Form, Means, Subject, published};
use crate::runs::folder::SweepRow;
use crate::runs::page_facts::Facts;
use crate::runs::rows::text_of;
use crate::runs::scores::{RowKey, RowScores};
use crate::runs::summary::{Summary, SummaryRow};
use crate::statistics::{Interval, Sampling};

/// What a claim comes to on the pages of a dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is so.
    Holds,
    /// It is not so.
    Fails,
    /// These pages do not tell.
    NotSeparable,
    /// Nothing here could tell.
    NotTestable,
}

impl Verdict {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Fails => "fails",
            Verdict::NotSeparable => "not separable",
            Verdict::NotTestable => "not testable here",
        }
    }

    /// Of parts that must all hold: one that fails decides, then one that is not known.
    fn of_all(parts: impl IntoIterator<Item = Verdict>) -> Verdict {
        parts.into_iter().fold(Verdict::Holds, |all, part| match (all, part) {
            (Verdict::Fails, _) | (_, Verdict::Fails) => Verdict::Fails,
            (all, Verdict::Holds) => all,
            (_, part) => part,
        })
    }
}

/// A figure behind a verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// What it is.
    pub what: String,
    /// The figure.
    pub value: f64,
    /// Its interval by site, where it is an estimate from pages of several sites.
    pub interval: Option<Interval>,
    /// The p of the test by site that it is zero, corrected for the tests of the claim, where it was tested.
    pub p: Option<f64>,
}

impl Measured {
    /// A figure that is known exactly.
    fn exact(what: impl Into<String>, value: f64) -> Self {
        Measured { what: what.into(), value, interval: None, p: None }
    }

    fn in_words(&self) -> String {
        let mut text = format!("{} {:.4}", self.what, self.value);
        if let Some(Interval { low, high }) = self.interval {
            text += &format!(" ({low:.4} .. {high:.4})");
        }
        if let Some(p) = self.p {
            text += &if p < 0.0001 { ", p < 0.0001".to_owned() } else { format!(", p {p:.4}") };
        }
        text
    }
}

/// A claim with its verdict.
#[derive(Clone, Debug, Serialize)]
pub struct Judged {
    /// The claim.
    pub id: &'static str,
    /// Where it stands in the paper.
    #[serde(rename = "where")]
    pub place: &'static str,
    /// The claim in words.
    pub words: &'static str,
    /// What it comes to.
    pub verdict: Verdict,
    /// The figures behind it.
    pub measured: Vec<Measured>,
    /// What is to be said besides: why it is not testable, which sites are lost; may be empty.
    pub remark: String,
}

impl Judged {
    /// The figures and the remark in a line.
    pub fn figures(&self) -> String {
        let measured = self.measured.iter().map(Measured::in_words);
        measured.chain((!self.remark.is_empty()).then(|| self.remark.clone())).collect::<Vec<_>>().join("; ")
    }
}

/// What a form came to.
struct Outcome {
    verdict: Verdict,
    measured: Vec<Measured>,
    remark: String,
}

/// What a run knows of one dataset.
pub struct Evidence<'r> {
    dataset: &'r str,
    rows: Vec<(&'r SummaryRow, &'r RowScores)>,
    sweeps: Vec<&'r SweepRow>,
    facts: &'r Facts,
    sampling: Sampling,
}

impl<'r> Evidence<'r> {
    /// Of `dataset` in a run of these rows, scores and exact sweeps; `facts` are those of its pages.
    pub fn new(
        dataset: &'r str,
        summary: &'r Summary,
        scores: &'r BTreeMap<RowKey, RowScores>,
        sweeps: &'r [SweepRow],
        facts: &'r Facts,
        sampling: Sampling,
    ) -> Self {
        let rows = summary.rows.iter().filter(|row| row.dataset == dataset && row.is_ranked());
        Evidence {
            dataset,
            rows: rows.filter_map(|row| Some((row, scores.get(&row.key())?))).collect(),
            sweeps: sweeps.iter().filter(|line| line.dataset == dataset).collect(),
            facts,
            sampling,
        }
    }

    /// The row of our algorithm at these parameters, the others at their defaults.
    fn row(&self, subject: &Subject) -> Result<(&'r SummaryRow, &'r RowScores), String> {
        let algorithm = algorithm(&subject.system)?;
        let pairs: Vec<String> =
            subject.params.iter().map(|(name, value)| format!("{name}={}", text_of(value))).collect();
        let spec = format!("{algorithm}:{}", pairs.join(","));
        let is_meant = |row: &SummaryRow| {
            row.is_meant_by(&spec) && row.differs.iter().all(|name| subject.params.contains_key(name))
        };
        let found = self.rows.iter().find(|(row, _)| is_meant(row)).copied();
        found.ok_or_else(|| format!("the run has no row {}", spec.trim_end_matches(':')))
    }

    /// The scores of a subject on the pages of its group.
    fn scores(&self, subject: &Subject) -> Result<RowScores, String> {
        let (_, all) = self.row(subject)?;
        let group = subject.group.as_deref().unwrap_or("all");
        let is_of = |page: &str| group == "all" || self.facts.get(page).is_some_and(|facts| facts.is_of(group));
        let pages: RowScores =
            all.iter().filter(|(page, _)| is_of(page)).map(|(page, score)| (page.clone(), score.clone())).collect();
        match (pages.is_empty(), group) {
            (false, _) => Ok(pages),
            (true, "all") => Err(format!("{} has no page with gold", self.dataset)),
            (true, _) => Err(format!("{} has no page of {group}", self.dataset)),
        }
    }
}

/// Our algorithm for a paper's name of a system.
fn algorithm(system: &str) -> Result<&'static str, String> {
    published().algorithm(system).ok_or_else(|| format!("{system} cannot be run here, and nothing stands in for it"))
}

/// Judges `claim`, whose paper makes figures of groups by `means`.
pub fn judge(evidence: &Evidence<'_>, means: Means, claim: &'static Claim) -> Judged {
    let outcome = match &claim.testable {
        Some(reason) => Err(reason.trim_start_matches("not here: ").to_owned()),
        None => outcome(evidence, means, claim),
    };
    let Outcome { verdict, measured, remark } = outcome.unwrap_or_else(|reason| Outcome {
        verdict: Verdict::NotTestable,
        measured: Vec::new(),
        remark: reason,
    });
    Judged { id: &claim.id, place: &claim.place, words: &claim.words, verdict, measured, remark }
}

/// What the claim's form comes to, or why it cannot be tested.
fn outcome(evidence: &Evidence<'_>, means: Means, claim: &Claim) -> Result<Outcome, String> {
    match &claim.form {
        Form::Value { subject, measure, value, tolerance } => {
            scores::value(evidence, means, subject, *measure, (*value, *tolerance))
        }
        Form::Greater { left, right, measure, margin, over, except } => {
            let right: Vec<Subject> = right.all().iter().map(|side| side.subject()).collect();
            let sides = scores::Sides { left: left.subject(), right };
            scores::greater(evidence, &sides, measure.all(), (*margin, *over), except)
        }
        Form::Difference { left, right, measure, value, tolerance } => {
            let sides = scores::Sides { left: left.subject(), right: vec![right.subject()] };
            scores::difference(evidence, &sides, *measure, (*value, *tolerance))
        }
        Form::Flat { system, parameter, from, to, measures, max_range } => {
            curves::Curve::of(evidence, system, parameter, (*from, *to))?.flat(measures, *max_range)
        }
        Form::Monotone { system, parameter, from, to, measure, direction, slack } => {
            curves::Curve::of(evidence, system, parameter, (*from, *to))?.monotone(*measure, *direction, *slack)
        }
        Form::Argmax { system, parameter, from, to, measure, at, within } => {
            curves::Curve::of(evidence, system, parameter, (*from, *to))?.argmax(*measure, *at, *within)
        }
        Form::Table { table, count, expect, mean_zh, mean_en } => {
            printed::table(table, (count, *expect), [("zh", mean_zh), ("en", mean_en)])
        }
        Form::Conditional { pages } => Err(format!("a run does not keep of which pages this is so: {pages}")),
        Form::ShareOfPages { predicate, .. } => Err(match &claim.note {
            Some(note) => format!("a run does not keep of which pages this is so: {predicate}; {note}"),
            None => format!("a run does not keep of which pages this is so: {predicate}"),
        }),
        Form::Cost {} => Err("a run's figures hold no times".to_owned()),
        Form::None {} => Err("it names no figure".to_owned()),
    }
}

#[cfg(test)]
mod tests;
