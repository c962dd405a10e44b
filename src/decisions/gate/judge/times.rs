//! The rule on a row's time. Times are of one machine, so no figure and no other rule rests on them.

use super::{Checked, Outcome, Pair, TimeCheck};
use crate::runs::rules::{Level, Rule, Slowness};

impl Pair<'_> {
    /// The check that the row's median time per page is not longer than it may be; `None` where the rule is off, or the
    /// baseline knows no time.
    pub(super) fn time(&self, Slowness { level, factor }: Slowness) -> Option<Checked> {
        let before = self.before.time?;
        let time = self.now.time.map(|now| TimeCheck {
            baseline_ms: before as f64 / 1e6,
            value_ms: now as f64 / 1e6,
            factor: factor.to_f64(),
        });
        let outcome = match self.now.time {
            None => Outcome::NothingToJudge,
            Some(now) if factor.compare_ratio(now, before).is_gt() => Outcome::Broken,
            Some(_) => Outcome::Passed,
        };
        (level != Level::Off).then(|| Checked {
            rule: Rule::SlowerTime.to_string(),
            level,
            tolerance: None,
            outcome,
            figure: None,
            time,
            sites: Vec::new(),
            worst: Vec::new(),
        })
    }
}
