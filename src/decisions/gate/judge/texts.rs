//! Rules on the texts themselves: tokens do not show white space, characters that nobody sees, or markup in a text, and a
//! score does not show which of two texts was extracted.

use super::{Checked, Command, Of, Outcome, PageFall, Pair, outcome_of, worst_first};
use crate::runs::rules::{Level, Rule, Rules, Tolerance};
use crate::runs::scores::{PageScore, PageText};
use crate::statistics::{ONE, Part, fraction};

/// A text with fewer gaps, before and now, has hardly any white space that could be lost.
const LEAST_GAPS: u64 = 8;

/// A page with its texts and scores in the baseline and now.
struct Texts<'p> {
    page: &'p String,
    texts: [&'p PageText; 2],
    scores: [&'p PageScore; 2],
}

impl Pair<'_> {
    /// The rules on texts that are not off; without a page of which both have a text they have nothing to judge.
    pub(super) fn texts(&self, rules: &Rules, command: Command<'_>) -> Vec<Checked> {
        let [before, now] = [self.before, self.now].map(|row| row.texts.as_ref());
        let both = |(page, scores)| Some(Texts { page, texts: [before?.get(page)?, now?.get(page)?], scores });
        let pages: Vec<Texts<'_>> = self.pages().filter_map(both).collect();
        let counted = |rule: Rule, of: Of, tolerance: Tolerance, is_broken: &dyn Fn(&Texts<'_>) -> bool| {
            let mut broken: Vec<&Texts<'_>> = pages.iter().filter(|page| is_broken(page)).collect();
            broken.sort_by(|one, other| other.change(of).total_cmp(&one.change(of)));
            let broken = broken.into_iter();
            let worst: Vec<PageFall> = broken.map(|page| self.changed(page, of, command)).collect();
            Checked {
                rule: rule.to_string(),
                level: tolerance.level,
                tolerance: Some(fraction(tolerance.fall)),
                outcome: outcome_of_texts(&pages, &worst),
                figure: None,
                time: None,
                sites: Vec::new(),
                worst,
            }
        };
        let Rules { white_space, unseen, markup, .. } = *rules;
        let mut checks = vec![
            counted(Rule::WhiteSpace, Of::Gaps, white_space, &|page| page.gaps_differ(white_space.fall)),
            counted(Rule::Unseen, Of::Unseen, unseen, &|page| page.rises(unseen.fall, Of::Unseen)),
            counted(Rule::Markup, Of::Markup, markup, &|page| page.rises(markup.fall, Of::Markup)),
            self.other_texts(&pages, rules.texts, command),
        ];
        checks.retain(|check| check.level != Level::Off);
        checks
    }

    /// Pages whose text is another, those that score lower first.
    fn other_texts(&self, pages: &[Texts<'_>], level: Level, command: Command<'_>) -> Checked {
        let others = pages.iter().filter(|page| page.texts[0].digest != page.texts[1].digest);
        let others = others.map(|page| self.fall(page.page, page.scores, Part::F1, None, command));
        let worst = worst_first(others.collect());
        Checked {
            rule: Rule::Texts.to_string(),
            level,
            tolerance: None,
            outcome: outcome_of_texts(pages, &worst),
            figure: None,
            time: None,
            sites: Vec::new(),
            worst,
        }
    }

    /// A page of which something else is counted.
    fn changed(&self, page: &Texts<'_>, of: Of, command: Command<'_>) -> PageFall {
        let [before, now] = page.texts.map(|text| count(text, of) as f64);
        let score = self.fall(page.page, page.scores, Part::F1, None, command);
        PageFall { of, baseline: before, value: Some(now), difference: now - before, ..score }
    }
}

/// Broken where any of the pages is; of no pages there is nothing to judge.
fn outcome_of_texts(pages: &[Texts<'_>], worst: &[PageFall]) -> Outcome {
    if pages.is_empty() { Outcome::NothingToJudge } else { outcome_of(worst) }
}

impl Texts<'_> {
    /// The amount by which a count per token changed, as the rule on it sees it: of gaps as a share of the greater.
    fn change(&self, of: Of) -> f64 {
        let per_token = |which: usize| count(self.texts[which], of) as f64 / self.scores[which].counts[1].max(1) as f64;
        let [before, now] = [0, 1].map(per_token);
        match of {
            Of::Gaps => 1.0 - before.min(now) / before.max(now),
            _ => now - before,
        }
    }

    /// Whether the gaps per token fall by more than the share `tolerance`, or rise by as much as would undo such a fall.
    fn gaps_differ(&self, tolerance: u64) -> bool {
        let gaps = self.texts.map(|text| text.marks.gaps);
        if gaps.into_iter().max() < Some(LEAST_GAPS) {
            return false;
        }
        // Gaps per token of the one against those of the other: cross-multiplied, so that no rounding decides.
        let [before, now] = [0, 1].map(|which| u128::from(gaps[which]) * u128::from(self.scores[1 - which].counts[1]));
        let (less, more) = (before.min(now), before.max(now));
        less * u128::from(ONE) < more * u128::from(ONE.saturating_sub(tolerance))
    }

    /// Whether a count rises by more than the share `tolerance` of the tokens now.
    fn rises(&self, tolerance: u64, of: Of) -> bool {
        let [before, now] = self.texts.map(|text| count(text, of));
        let tokens = self.scores[1].counts[1];
        u128::from(now.saturating_sub(before)) * u128::from(ONE) > u128::from(tokens) * u128::from(tolerance)
    }
}

fn count(text: &PageText, of: Of) -> u64 {
    match of {
        Of::Score => 0,
        Of::Gaps => text.marks.gaps,
        Of::Unseen => text.marks.unseen,
        Of::Markup => text.marks.markup,
    }
}
