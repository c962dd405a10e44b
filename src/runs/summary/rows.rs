//! The rows of a summary.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::algorithms::find;
use crate::runs::best::Swept;
use crate::runs::reads_gold::ReadsGold;
use crate::runs::roles::RoleFigures;
use crate::runs::row_outcome::Decided;
use crate::runs::values::{label, text_of};
use crate::scoring::{Counts, ONE, ratio};
use crate::statistics::{Aggregates, Triple};

/// A row of the result.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SummaryRow {
    /// The dataset's name.
    pub dataset: String,
    /// The algorithm's name.
    pub algorithm: String,
    /// Whether it is a floor.
    pub floor: bool,
    /// What it reads of the gold: such a row is never ranked among those that read none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads_gold: Option<ReadsGold>,
    /// Every parameter, resolved.
    pub parameters: Map<String, Json>,
    /// The parameters that are not at their default.
    pub differs: Vec<String>,
    /// The parameters that the run varies.
    pub swept: Vec<String>,
    /// Pages that count.
    pub pages: usize,
    /// Those of them that failed: they score 0.
    pub failed: usize,
    /// Those of them that ran out of time.
    pub timed_out: usize,
    /// Pages left out; see [`RowOutcome::NotRun`](crate::runs::row_outcome::RowOutcome::NotRun).
    pub not_run: usize,
    /// Pages left out, for neither the gold nor the extraction has what the measure looks for.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub without: usize,
    /// Pages left out, for the measure cannot be taken of what was extracted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unfit: usize,
    /// True if carat rendered its texts, beside rows whose program wrote Markdown: it is not ranked among them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rendered: bool,
    /// WebMainBench's figure, by the measures that it uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webmainbench: Option<MeanOfSome>,
    /// Pages of the dataset that were left out for their faults, as every result row says.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped: usize,
    /// Pages whose extraction is empty.
    pub empty: usize,
    /// Pages of an ensemble on which a member failed, and counted as one that chooses nothing.
    #[serde(default)]
    pub degraded: usize,
    /// What was found of all snippets together, where the measure is `snippets`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippets: Option<SnippetCounts>,
    /// Pages whose extraction is a text of its own, measured on the text nodes of which at least half is matched in one alignment with it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub aligned: usize,
    /// How many pages rules of sites decided, of a row that has such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// Pages alone on their site, of a row whose choice rests on other pages of it; of one that looks for such pages in the
    /// whole dataset, pages alone in their cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone: Option<usize>,
    /// What the row holds of each role of the pages' text, and last of the text of no role; none where no page has roles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<RoleFigures>,
    /// The amount of text that the row leaves of its pages; `None` where no page is known to have both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub savings: Option<Savings>,
    /// Every aggregate over the pages.
    #[serde(flatten)]
    pub aggregates: Aggregates,
    /// Macro means by site, language, kind, group and split.
    pub groups: BTreeMap<String, BTreeMap<String, GroupFigures>>,
    /// Whose figure it is: program, algorithm, parameters, lists.
    pub system: String,
}

/// A mean over some of a row's pages.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MeanOfSome {
    /// Mean F1; 0 over no page.
    pub f1: f64,
    /// The pages that count in it.
    pub pages: usize,
}

/// What was found of the snippets of all pages together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SnippetCounts {
    /// Wanted and found.
    pub true_positives: u64,
    /// Unwanted and found.
    pub false_positives: u64,
    /// Wanted and not found.
    pub false_negatives: u64,
    /// Unwanted and not found.
    pub true_negatives: u64,
    /// The share of those that are as they should be.
    pub accuracy: f64,
}

impl SnippetCounts {
    /// Of the counts of all pages, which have so many snippets that must not be found.
    pub(super) fn new(Counts { matched, extracted, gold }: Counts, unwanted: u64) -> Self {
        let false_positives = extracted - matched;
        let true_negatives = unwanted.saturating_sub(false_positives);
        SnippetCounts {
            true_positives: matched,
            false_positives,
            false_negatives: gold - matched,
            true_negatives,
            accuracy: ratio(matched + true_negatives, gold + unwanted) as f64 / ONE as f64,
        }
    }
}

/// The text that a row leaves of its pages, in characters without white space, over the pages on which it has an extraction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Savings {
    /// These pages.
    pub pages: u64,
    /// Characters of the extractions.
    pub extracted: u64,
    /// Characters of the pages' HTML, markup and all.
    pub html: u64,
    /// Characters of all visible text; `None` where some of the pages were not parsed.
    pub text: Option<u64>,
}

impl Savings {
    /// Adds a page to what is known so far.
    pub(super) fn add(known: &mut Option<Savings>, extracted: u64, html: usize, text: Option<usize>) {
        let before = known.unwrap_or(Savings { text: Some(0), ..Savings::default() });
        *known = Some(Savings {
            pages: before.pages + 1,
            extracted: before.extracted + extracted,
            html: before.html + html as u64,
            text: before.text.zip(text).map(|(sum, text)| sum + text as u64),
        });
    }

    /// The extracted part of the HTML.
    pub fn kept_of_html(&self) -> Option<f64> {
        share(self.extracted, self.html)
    }

    /// The extracted part of all visible text.
    pub fn kept_of_text(&self) -> Option<f64> {
        share(self.extracted, self.text?)
    }
}

/// A text of another program may be longer than all text of the page, so the part may exceed 1.
fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// What decided about the pages of a row that has rules of sites.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    /// Pages that a rule decided.
    pub by_rule: usize,
    /// Pages that the fallback decided.
    pub by_fallback: usize,
    /// Pages that nothing decided: their extraction is empty.
    pub uncovered: usize,
}

impl Coverage {
    pub(super) fn add(&mut self, decided: Decided) {
        match decided {
            Decided::Rule(_) => self.by_rule += 1,
            Decided::Fallback => self.by_fallback += 1,
            Decided::Uncovered => self.uncovered += 1,
        }
    }
}

/// Whether nothing was counted: then it is not written.
pub(super) fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Macro means of the pages of one group.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GroupFigures {
    /// Its pages.
    pub pages: usize,
    /// Means over them.
    #[serde(flatten)]
    pub mean: Triple,
    /// The counts of their snippets together, where the measure is `snippets`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippets: Option<SnippetCounts>,
}

impl SummaryRow {
    /// Whether it is a bound: it sees the gold of the page, and is never ranked, lettered or compared.
    pub fn is_bound(&self) -> bool {
        self.reads_gold == Some(ReadsGold::Page)
    }

    /// The languages that its algorithm is for, in words; `None` for a row of none of carat's algorithms.
    pub(crate) fn languages(&self) -> Option<&'static str> {
        find(&self.algorithm).ok().map(|algorithm| algorithm.declaration().languages)
    }

    /// True if it reads no gold, and its texts are of the same form as those of others, so that it is ranked and lettered.
    pub fn is_ranked(&self) -> bool {
        self.reads_gold.is_none() && !self.rendered
    }

    /// True if it was run on every page.
    pub(crate) fn is_whole(&self) -> bool {
        self.not_run == 0
    }

    /// The part of it that its run sweeps.
    pub(crate) fn swept_values(&self) -> Swept<'_> {
        let value = |name: &String| self.parameters.get(name).map(text_of).unwrap_or_default();
        let swept = self.swept.iter().map(|name| (name.as_str(), value(name), self.differs.contains(name)));
        let mut values: Vec<(&str, String, bool)> = swept.collect();
        values.sort_unstable();
        Swept { of: [&self.dataset, &self.algorithm], values, is_whole: self.is_whole() }
    }

    /// What tells it from ranked rows in tables for people.
    pub fn mark(&self) -> String {
        let rendered = self.rendered.then(|| "(rendered by carat)".to_owned());
        self.reads_gold.map(|reads| format!("({})", reads.kind())).or(rendered).unwrap_or_default()
    }

    /// What tells the row from others of its algorithm, as on the command line.
    pub fn label(&self) -> String {
        label(&self.parameters, &self.differs, &self.swept)
    }

    /// The algorithm with what tells the row from others.
    pub fn full_label(&self) -> String {
        let label = self.label();
        if label.is_empty() { self.algorithm.clone() } else { format!("{} {label}", self.algorithm) }
    }
}
