//! Papers' claims, each as a check on the pages of a run.
//!
//! A claim about pages is decided by the statistics of [`crate::statistics`], one about a curve on the exact curve, one
//! about printed figures on these. What a run does not keep is not testable: nothing is guessed.

mod curves;
pub mod drawn;
mod pages;
mod printed;
pub mod readings;
mod scores;
mod shares;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::papers::{Claim, Form, Known, Means, OfPage, Subject, published};
use crate::runs::kinds;
use crate::runs::page_facts::{Facts, PageFacts};
use crate::runs::reads_gold::ReadsGold;
use crate::runs::run_folder::SweepRow;
use crate::runs::scores::{PageScore, RowKey, RowScores};
use crate::runs::summary::{Summary, SummaryRow};
use crate::runs::values::text_of;
use crate::statistics::{Interval, Sampling};

/// Sites or pages that a remark names at most.
const NAMED: usize = 5;

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
        let mut text = format!("{} {}", self.what, four(self.value));
        if let Some(Interval { low, high }) = self.interval {
            text += &format!(" ({} .. {})", four(low), four(high));
        }
        if let Some(p) = self.p {
            text += &if p < 0.0001 { ", p < 0.0001".to_owned() } else { format!(", p {p:.4}") };
        }
        text
    }
}

/// A figure with four digits; nothing is below zero that rounds to it.
fn four(figure: f64) -> String {
    let text = format!("{figure:.4}");
    if text == "-0.0000" { "0.0000".to_owned() } else { text }
}

/// A claim with its verdict.
#[derive(Clone, Debug, Serialize)]
pub struct Judged {
    /// The claim.
    pub id: &'static str,
    /// Where it stands in the paper; who says it and how we know, where that is not the paper itself.
    #[serde(rename = "where")]
    pub place: String,
    /// How we know that it is said.
    pub known: Known,
    /// The claim in words.
    pub words: &'static str,
    /// What it comes to.
    pub verdict: Verdict,
    /// The figures behind it.
    pub measured: Vec<Measured>,
    /// What is to be said besides: why it is not testable, which sites are lost; may be empty.
    pub remark: String,
    /// What of the check is our reading, and not the paper's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ours: Option<&'static str>,
    /// What one of the rows reads of the gold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reads_gold: Option<ReadsGold>,
}

impl Judged {
    /// The figures, the remark and what is ours in a line.
    pub fn figures(&self) -> String {
        let measured = self.measured.iter().map(Measured::in_words);
        let remark = (!self.remark.is_empty()).then(|| self.remark.clone());
        let ours = self.ours.map(|ours| format!("ours: {ours}"));
        measured.chain(remark).chain(ours).collect::<Vec<_>>().join("; ")
    }
}

/// What a form came to.
struct Outcome {
    verdict: Verdict,
    measured: Vec<Measured>,
    remark: String,
}

impl Outcome {
    /// Of two parts that must both hold.
    fn and(mut self, other: Outcome) -> Outcome {
        self.measured.extend(other.measured);
        Outcome {
            verdict: Verdict::of_all([self.verdict, other.verdict]),
            measured: self.measured,
            remark: format!("{}; {}", self.remark, other.remark),
        }
    }
}

/// The first few of `names`, in brackets.
fn named(names: &[&str]) -> String {
    match names.len() {
        0 => String::new(),
        count if count <= NAMED => format!(" ({})", names.join(", ")),
        count => format!(" ({} and {} more)", names[..NAMED].join(", "), count - NAMED),
    }
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
        // What learned from the gold of other pages is meant only by a claim that names it.
        let rows = summary.rows.iter().filter(|row| row.dataset == dataset && !row.is_bound());
        Evidence {
            dataset,
            rows: rows.filter_map(|row| Some((row, scores.get(&row.key())?))).collect(),
            sweeps: sweeps.iter().filter(|line| line.dataset == dataset).collect(),
            facts,
            sampling,
        }
    }

    /// The row of our algorithm at these parameters, the others at their defaults. An ensemble's name says what it is.
    fn row(&self, subject: &Subject) -> Result<(&'r SummaryRow, &'r RowScores), String> {
        let algorithm = algorithm(&subject.system)?;
        let spec = format!("{algorithm}:{}", label(subject));
        let is_meant = |row: &SummaryRow| {
            let is_ensemble = row.parameters.contains_key("members");
            let is_default = || row.differs.iter().all(|name| subject.params.contains_key(name));
            row.is_meant_by(&spec) && (is_ensemble || is_default())
        };
        let found = self.rows.iter().find(|(row, _)| is_meant(row)).copied();
        found.ok_or_else(|| format!("the run has no row {}", spec.trim_end_matches(':')))
    }

    /// The scores of a subject on its pages.
    fn scores(&self, subject: &Subject) -> Result<RowScores, String> {
        let (_, all) = self.row(subject)?;
        self.on_pages(subject, all)
    }

    /// Those of `all` that are of a subject's pages: of its group, and of those of it the ones of which so much was counted.
    fn on_pages(&self, subject: &Subject, all: &RowScores) -> Result<RowScores, String> {
        let group = subject.group.as_deref().unwrap_or("all");
        let is_of = |page: &str| group == "all" || self.facts.get(page).is_some_and(|facts| facts.is_of(group));
        let mut pages: Vec<(&String, &PageScore)> = all.iter().filter(|(page, _)| is_of(page)).collect();
        if pages.is_empty() {
            return Err(match group {
                "all" => format!("{} has no page with gold", self.dataset),
                _ => format!("no page of {group} is among those of {} in this run", self.dataset),
            });
        }
        if let Some(meant) = &subject.pages {
            let unknown = PageFacts::default();
            let facts: Vec<&PageFacts> =
                pages.iter().map(|(page, _)| self.facts.get(*page).unwrap_or(&unknown)).collect();
            let mut chosen = pages::chosen(meant, &facts).into_iter();
            pages.retain(|_| chosen.next() == Some(true));
            if pages.is_empty() {
                return Err(format!("{} has no page with {}", self.dataset, meant.in_words()));
            }
        }
        Ok(pages.into_iter().map(|(page, score)| (page.clone(), score.clone())).collect())
    }
}

/// The parameters of a subject, as on the command line.
fn label(subject: &Subject) -> String {
    let pairs = subject.params.iter().map(|(name, value)| format!("{name}={}", text_of(value)));
    pairs.collect::<Vec<_>>().join(",")
}

/// What the row of a subject reads of the gold.
fn reads_gold(subject: &Subject) -> Option<ReadsGold> {
    kinds::reads_gold(algorithm(&subject.system).ok()?, &label(subject))
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
    Judged {
        id: &claim.id,
        place: claim.said(),
        known: claim.known,
        words: &claim.words,
        verdict,
        measured,
        remark,
        ours: claim.ours.as_deref(),
        reads_gold: claim.form.subjects().iter().find_map(reads_gold),
    }
}

/// What the claim's form comes to, or why it cannot be tested.
fn outcome(evidence: &Evidence<'_>, means: Means, claim: &Claim) -> Result<Outcome, String> {
    match &claim.form {
        Form::Value { subject, measure, value, tolerance } => {
            scores::value(evidence, means, subject, *measure, (*value, *tolerance))
        }
        Form::AtLeast { subject, measure, value } => scores::at_least(evidence, means, subject, measure.all(), *value),
        Form::Greater { measure, margin, over, except, .. } => {
            scores::greater(evidence, means, &sides(claim)?, measure.all(), (*margin, *over), except)
        }
        Form::Difference { measure, value, tolerance, .. } => {
            scores::difference(evidence, &sides(claim)?, *measure, (*value, *tolerance))
        }
        Form::Differs { measure, within, .. } => scores::differs(evidence, &sides(claim)?, *measure, *within),
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
        Form::Conditional { subject, right, measure } => {
            scores::conditional(evidence, means, subject, &right.on(subject.pages), *measure)
        }
        Form::ShareOfPages { subject, predicate: OfPage::WholeOrNothing, at_least } => {
            shares::whole_or_nothing(evidence, subject, *at_least)
        }
        Form::ShareOfPages { predicate: OfPage::InWords(predicate), .. } => Err(match &claim.note {
            Some(note) => format!("a run does not keep of which pages this is so: {predicate}; {note}"),
            None => format!("a run does not keep of which pages this is so: {predicate}"),
        }),
        Form::Cost {} => Err("a run's figures hold no times; `carat run --time` measures them".to_owned()),
        Form::None {} => Err("it names no figure".to_owned()),
    }
}

/// The sides of a claim that holds a first one against others.
fn sides(claim: &Claim) -> Result<scores::Sides, String> {
    let mut subjects = claim.form.subjects().into_iter();
    let left = subjects.next().ok_or("it names no side")?;
    Ok(scores::Sides { left, right: subjects.collect() })
}

#[cfg(test)]
mod tests;
