//! The rule on a row's time. Times are of one machine, so no figure and no other rule rests on them.

use super::{Checked, Outcome, Pair, TimeCheck};
use crate::runs::doors::stored;
use crate::runs::rules::{Level, Rule, Slowness};

impl Pair<'_> {
    /// The check that the row's median time per page is not longer than it may be; `None` where the rule is off, or the
    /// baseline alone knows no time. Stored outputs have none.
    pub(super) fn time(&self, Slowness { level, factor }: Slowness) -> Option<Checked> {
        let times = self.before.time.zip(self.now.time);
        let has_no_time = self.now.algorithm.starts_with(stored::PREFIX);
        if times.is_none() && (self.now.time.is_some() || has_no_time) {
            return None;
        }
        let time = times.map(|(before, now)| TimeCheck {
            baseline_ms: before as f64 / 1e6,
            value_ms: now as f64 / 1e6,
            factor: factor.to_f64(),
        });
        let outcome = match times {
            None => Outcome::NothingToJudge,
            Some((before, now)) if factor.compare_ratio(now, before).is_gt() => Outcome::Broken,
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
