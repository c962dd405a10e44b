//! Rules on single pages: the floor of each, and failures that are new.

use std::collections::BTreeMap;

use super::{Checked, Command, Of, PageFall, Pair, outcome_of, worst_first};
use crate::runs::rules::{Level, Rule, Tolerance};
use crate::runs::scores::PageScore;
use crate::statistics::{ONE, Part, fraction};

impl Pair<'_> {
    /// Pages whose F1 is below their floor.
    pub(super) fn page_floors(&self, tolerance: Tolerance, command: Command<'_>) -> Checked {
        const F1: usize = Part::F1 as usize;
        let limit = |before: &PageScore| before.score[F1].saturating_sub(tolerance.fall);
        let below = self.pages().filter(|(_, [before, now])| now.score[F1] < limit(before));
        let falls =
            below.map(|(page, scores)| self.fall(page, scores, Part::F1, Some(fraction(limit(scores[0]))), command));
        let worst = worst_first(falls.collect());
        Checked {
            rule: Rule::PageF1.to_string(),
            level: tolerance.level,
            tolerance: Some(fraction(tolerance.fall)),
            outcome: outcome_of(&worst),
            figure: None,
            time: None,
            sites: Vec::new(),
            worst,
        }
    }

    /// Pages that failed, or were not run, and were scored in the baseline.
    pub(super) fn new_failures(&self, level: Level, command: Command<'_>) -> Checked {
        let scored: BTreeMap<&String, &PageScore> =
            self.before.scores.iter().filter(|(_, before)| !before.failed).collect();
        let falls = scored.into_iter().filter_map(|(page, before)| {
            let now = self.now.scores.get(page);
            if now.is_some_and(|now| !now.failed) {
                return None;
            }
            let mut fall = self.fall(page, [before, now.unwrap_or(before)], Part::F1, None, command);
            if now.is_none() {
                (fall.value, fall.difference, fall.command) = (None, -fall.baseline, None);
            }
            Some(fall)
        });
        let worst = worst_first(falls.collect());
        Checked {
            rule: Rule::NewFailures.to_string(),
            level,
            tolerance: None,
            outcome: outcome_of(&worst),
            figure: None,
            time: None,
            sites: Vec::new(),
            worst,
        }
    }

    /// A page with a score in the baseline and now.
    pub(super) fn fall(
        &self,
        page: &str,
        [before, now]: [&PageScore; 2],
        part: Part,
        limit: Option<f64>,
        command: Command<'_>,
    ) -> PageFall {
        let [baseline, value] = [before, now].map(|page| page.score[part as usize]);
        PageFall {
            page: page.to_owned(),
            site: now.site.clone(),
            of: Of::Score,
            baseline: fraction(baseline),
            limit,
            value: Some(fraction(value)),
            difference: (value as i64 - baseline as i64) as f64 / ONE as f64,
            failed: now.failed,
            reason: None,
            emptied: before.counts[1] > 0 && now.counts[1] == 0,
            command: Some(command(&self.now.dataset, &self.now.name(), page)),
        }
    }
}
