//! The rule on single sites: what an extractor loses on every page of one site is too little for a page's own floor, and
//! lost among the other sites in a mean.

use std::collections::BTreeMap;

use super::{Checked, Command, Outcome, Pair, SiteFall, worst_first};
use crate::runs::rules::{Rule, Tolerance};
use crate::runs::scores::PageScore;
use crate::statistics::{Part, fraction};

/// With fewer pages a site has no floor of its own: the floors of its pages are as close.
pub(crate) const LEAST_PAGES: usize = 3;

impl Pair<'_> {
    /// Sites whose mean F1 is below its floor.
    pub(super) fn site_floors(&self, tolerance: Tolerance, command: Command<'_>) -> Checked {
        const F1: usize = Part::F1 as usize;
        let mut pages: BTreeMap<&str, Vec<(&String, [&PageScore; 2])>> = BTreeMap::new();
        for (page, scores) in self.pages() {
            pages.entry(&scores[0].site).or_default().push((page, scores));
        }
        let (mut sites, mut worst) = (Vec::new(), Vec::new());
        pages.retain(|_, pages| pages.len() >= LEAST_PAGES);
        let is_idle = pages.is_empty();
        for (site, pages) in pages {
            let sum = |which: usize| pages.iter().map(|(_, scores)| u128::from(scores[which].score[F1])).sum::<u128>();
            let (before, now, count) = (sum(0), sum(1), pages.len() as u128);
            // Sums of whole numbers of 1e-12, so what is allowed is compared exactly.
            let allowed = before.saturating_sub(u128::from(tolerance.fall) * count);
            if now >= allowed {
                continue;
            }
            let mean = |sum: u128| fraction((sum / count) as u64);
            let (baseline, limit, value) = (mean(before), mean(allowed), mean(now));
            sites.push(SiteFall { site: site.to_owned(), pages: pages.len(), baseline, limit, value });
            let lower = pages.into_iter().filter(|(_, [before, now])| now.score[F1] < before.score[F1]);
            worst.extend(lower.map(|(page, scores)| self.fall(page, scores, Part::F1, None, command)));
        }
        sites.sort_by(|one, other| (one.value - one.baseline).total_cmp(&(other.value - other.baseline)));
        Checked {
            rule: Rule::SiteF1.to_string(),
            level: tolerance.level,
            tolerance: Some(fraction(tolerance.fall)),
            outcome: match sites.is_empty() {
                _ if is_idle => Outcome::NothingToJudge,
                true => Outcome::Passed,
                false => Outcome::Broken,
            },
            figure: None,
            time: None,
            sites,
            worst: worst_first(worst),
        }
    }
}
