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
            let has_failed = now.is_none_or(|now| now.failed);
            has_failed.then(|| self.fall(page, [before, now.unwrap_or(before)], Part::F1, None, command))
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

    /// A page with a score in the baseline; now it has another, or was not run.
    pub(super) fn fall(
        &self,
        page: &str,
        [before, now]: [&PageScore; 2],
        part: Part,
        limit: Option<f64>,
        command: Command<'_>,
    ) -> PageFall {
        let was_run = self.now.scores.contains_key(page);
        let [baseline, value] = [before, now].map(|page| page.score[part as usize]);
        let difference = if was_run { value as i64 } else { 0 } - baseline as i64;
        PageFall {
            page: page.to_owned(),
            site: now.site.clone(),
            of: Of::Score,
            baseline: fraction(baseline),
            limit,
            value: was_run.then(|| fraction(value)),
            difference: difference as f64 / ONE as f64,
            failed: was_run && now.failed,
            reason: None,
            emptied: was_run && !now.failed && before.counts[1] > 0 && now.counts[1] == 0,
            command: (was_run && !now.failed).then(|| command(&self.now.dataset, &self.now.name(), page)),
        }
    }
}
