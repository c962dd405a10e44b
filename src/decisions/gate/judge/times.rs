//! The rule on a row's time. Times are of one machine, so no figure and no other rule rests on them.

use super::{Checked, Outcome, Pair, TimeCheck};
use crate::runs::rules::{Level, Rule, Slowness};

impl Pair<'_> {
    /// The check that the row's median time per page is not longer than it may be; `None` where the rule is off, or either
    /// time is not known.
    pub(super) fn time(&self, Slowness { level, factor }: Slowness) -> Option<Checked> {
        let [before, now] = [self.before.time?, self.now.time?];
        let [baseline_ms, value_ms] = [before, now].map(|time| time as f64 / 1e6);
        let is_slower = factor.compare_ratio(now, before).is_gt();
        (level != Level::Off).then(|| Checked {
            rule: Rule::SlowerTime.to_string(),
            level,
            tolerance: None,
            outcome: if is_slower { Outcome::Broken } else { Outcome::Passed },
            figure: None,
            time: Some(TimeCheck { baseline_ms, value_ms, factor: factor.to_f64() }),
            sites: Vec::new(),
            worst: Vec::new(),
        })
    }
}
