//! The pages that a claim is about, by what was counted on them.

use crate::papers::{Bound, Fact, OfPages, Pages};
use crate::runs::page_facts::PageFacts;

/// What was counted of a page; `None` where it was not, or where there is nothing to take a share of.
fn counted(facts: &PageFacts, fact: Fact) -> Option<f64> {
    let counts = || facts.counts.as_ref();
    let gold = || counts()?.gold.as_ref();
    let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
    match fact {
        Fact::SitePages => Some(facts.site_pages as f64),
        Fact::SiteGolds => Some(facts.site_golds as f64),
        Fact::TextChars => Some(counts()?.text as f64),
        Fact::TableChars => Some(counts()?.in_tables as f64),
        Fact::TableShare => share(counts()?.in_tables, counts()?.text),
        Fact::CommentChars => Some(counts()?.in_comments as f64),
        Fact::GoldChars => Some(gold()?.text as f64),
        Fact::GoldTableShare => share(gold()?.in_tables, gold()?.on_page),
        Fact::GoldLinkLines => Some(gold()?.link_lines as f64),
    }
}

/// Which of the pages of these facts are meant, in their order; one that was not counted is not.
pub(super) fn chosen(pages: &Pages, facts: &[&PageFacts]) -> Vec<bool> {
    let values: Vec<Option<f64>> = facts.iter().map(|facts| counted(facts, pages.fact)).collect();
    let bound = |bound: Bound| match bound {
        Bound::Number(number) => number,
        Bound::OfPages(OfPages::Median) => median(values.iter().flatten().copied().collect()),
    };
    let (from, below) = (pages.from.map(bound), pages.below.map(bound));
    let is_meant = |value: f64| from.is_none_or(|from| value >= from) && below.is_none_or(|below| value < below);
    values.iter().map(|value| value.is_some_and(is_meant)).collect()
}

/// The value with as many below it as not, or one less; of none infinity.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::page_facts::{GoldCounts, PageCounts};

    fn facts() -> PageFacts {
        let gold = GoldCounts { text: 50, on_page: 40, in_tables: 30, in_links: 4, link_lines: 2 };
        let counts = PageCounts { text: 100, in_tables: 25, in_comments: 8, gold: Some(gold) };
        PageFacts { site_pages: 3, site_golds: 2, counts: Some(counts), ..PageFacts::default() }
    }

    #[test]
    fn each_fact_is_what_its_name_says() {
        let values = [
            (Fact::SitePages, 3.0),
            (Fact::SiteGolds, 2.0),
            (Fact::TextChars, 100.0),
            (Fact::TableChars, 25.0),
            (Fact::TableShare, 0.25),
            (Fact::CommentChars, 8.0),
            (Fact::GoldChars, 50.0),
            (Fact::GoldTableShare, 0.75),
            (Fact::GoldLinkLines, 2.0),
        ];
        for (fact, value) in values {
            assert_eq!(counted(&facts(), fact), Some(value), "{fact:?}");
        }
        let empty = PageFacts { counts: Some(PageCounts::default()), ..PageFacts::default() };
        assert_eq!(counted(&empty, Fact::TextChars), Some(0.0));
        // Nothing to take a share of, and no gold.
        assert_eq!([Fact::TableShare, Fact::GoldChars].map(|fact| counted(&empty, fact)), [None, None]);
    }

    #[test]
    fn ranges_hold_their_first_value_and_not_their_last() {
        let texts = [10, 30, 20, 20, 40].map(|text| PageFacts {
            counts: Some(PageCounts { text, ..PageCounts::default() }),
            ..PageFacts::default()
        });
        let unknown = PageFacts::default();
        let all: Vec<&PageFacts> = texts.iter().chain([&unknown]).collect();
        let chosen = |from: Option<Bound>, below: Option<Bound>| {
            let pages = Pages { fact: Fact::TextChars, from, below };
            chosen(&pages, &all).iter().map(|&chosen| if chosen { '1' } else { '0' }).collect::<String>()
        };
        let (twenty, median) = (Some(Bound::Number(20.0)), Some(Bound::OfPages(OfPages::Median)));
        assert_eq!([chosen(twenty, None), chosen(None, twenty)], ["011110", "100000"]);
        // The median is 20, too.
        assert_eq!([chosen(median, None), chosen(None, median)], ["011110", "100000"]);
        assert_eq!(chosen(Some(Bound::Number(15.0)), Some(Bound::Number(30.0))), "001100");
    }
}
