//! Claims about shares: of the pages' text, of the gold's, and of the pages of which something is so.

use super::{Evidence, Measured, Outcome, Verdict, named};
use crate::papers::Subject;
use crate::runs::scores::{PageScore, RowScores};

/// The row that gives every page's whole text.
const ALL_TEXT: &str = "all-text";

/// What a subject keeps of each page's text, as scores whose precision it is.
pub(super) fn kept(evidence: &Evidence<'_>, subject: &Subject) -> Result<RowScores, String> {
    let (kept, all) = (evidence.scores(subject)?, whole(evidence)?);
    let of_page = |(page, score): (String, PageScore)| {
        let [_, text, _] = all.get(&page)?.counts;
        let [_, kept, _] = score.counts;
        Some((page, PageScore::new(score.site, [kept.min(text), text, text], score.failed)))
    };
    Ok(kept.into_iter().filter_map(of_page).collect())
}

/// The share of links in the text nodes of each gold, as scores whose precision it is; golds without nodes are left out.
pub(super) fn link_share(evidence: &Evidence<'_>, subject: &Subject) -> Result<RowScores, String> {
    let of_page = |(page, score): (String, PageScore)| {
        let gold = evidence.facts.get(&page)?.counts.as_ref()?.gold.as_ref()?;
        let counts = [gold.in_links, gold.on_page, gold.on_page];
        (gold.on_page > 0).then(|| (page, PageScore::new(score.site, counts, false)))
    };
    let (_, any) = evidence.rows.first().ok_or_else(|| format!("the run has no row on {}", evidence.dataset))?;
    let shares: RowScores = evidence.on_pages(subject, any)?.into_iter().filter_map(of_page).collect();
    match shares.is_empty() {
        true => Err("nothing was counted in the gold of these pages".to_owned()),
        false => Ok(shares),
    }
}

/// Whether a subject gives all of the page's text or none on at least a share of its pages: counted, not tested.
pub(super) fn whole_or_nothing(evidence: &Evidence<'_>, subject: &Subject, at_least: f64) -> Result<Outcome, String> {
    let (own, all) = (evidence.scores(subject)?, whole(evidence)?);
    let extracted = |score: &PageScore| score.counts[1];
    // Nothing is extracted where it failed, which says nothing of the system.
    let ran = own.iter().filter(|(_, score)| !score.failed);
    let known = ran.filter_map(|(page, score)| Some((page, extracted(score), extracted(all.get(page)?))));
    let known: Vec<_> = known.collect();
    let others = known.iter().filter(|(_, own, all)| *own > 0 && own != all);
    let others: Vec<&str> = others.map(|(page, ..)| page.as_str()).collect();
    let share = 1.0 - others.len() as f64 / known.len() as f64;
    let verdict = match known.len() {
        0 => Verdict::NotTestable,
        _ if share >= at_least => Verdict::Holds,
        _ => Verdict::Fails,
    };
    let what = format!("share of pages with all text or none of {}", super::scores::name(subject));
    let remark = format!("{} of {} pages with a part of the text{}", others.len(), known.len(), named(&others));
    Ok(Outcome { verdict, measured: vec![Measured::exact(what, share)], remark })
}

fn whole<'r>(evidence: &Evidence<'r>) -> Result<&'r RowScores, String> {
    let all_text = Subject { system: ALL_TEXT.to_owned(), ..Subject::default() };
    Ok(evidence.row(&all_text)?.1)
}
