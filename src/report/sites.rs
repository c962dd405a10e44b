//! The sites of a dataset, for the figures that compare them.

use std::collections::BTreeMap;

use super::localised_text::LocalisedText;
use crate::runs::sites::MOST_SITES;
use crate::runs::summary::{GroupFigures, Summary, SummaryRow};

/// A site and its pages.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Site<'s> {
    /// Its name.
    pub(super) name: &'s str,
    /// Its pages; of rows that lack some, those of the row with most.
    pub(super) pages: usize,
}

/// The listed sites of `dataset`, those with most pages first, else by name. None where there is nothing to
/// compare: no site or one, or each page a site of its own.
pub(super) fn sites<'s>(summary: &'s Summary, dataset: &str) -> Option<Vec<Site<'s>>> {
    let mut pages: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, figures) in summary.rows.iter().filter(|row| row.dataset == dataset).flat_map(groups) {
        let most = pages.entry(name).or_default();
        *most = figures.pages.max(*most);
    }
    let mut sites: Vec<Site<'_>> = pages.into_iter().map(|(name, pages)| Site { name, pages }).collect();
    sites.sort_by_key(|site| std::cmp::Reverse(site.pages));
    (sites.len() > 1 && sites[0].pages > 1).then_some(sites)
}

/// Where `all` sites are more than a summary lists: how many it lists, and which. `None` where it lists all of them.
pub(super) fn some_of(all: Option<usize>) -> Option<LocalisedText> {
    let words = ["{0} of {1} sites, those with most pages", "{1} 个站点中页数最多的 {0} 个"];
    Some(LocalisedText::new(words, [MOST_SITES, all?].map(|count| count.to_string())))
}

/// The same of the sites by which rows on `dataset` are shown.
pub(super) fn some_of_rows(summary: &Summary, dataset: &str) -> Option<LocalisedText> {
    some_of(summary.all_sites.get(dataset).copied())
}

/// The figures of `row` by site, in the order of their names.
pub(super) fn groups(row: &SummaryRow) -> impl Iterator<Item = (&str, &GroupFigures)> {
    row.groups.get("site").into_iter().flatten().map(|(name, figures)| (name.as_str(), figures))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{row, site_row, summary};

    fn names(rows: Vec<SummaryRow>) -> Option<String> {
        let summary = summary(rows);
        let sites = sites(&summary, "d")?;
        Some(sites.iter().map(|site| format!("{} {}", site.name, site.pages)).collect::<Vec<_>>().join(", "))
    }

    #[test]
    fn sites_with_most_pages_come_first() {
        let rows = vec![
            site_row("d", "all-text", &[("b", 2, 0.5), ("a", 2, 0.5), ("新闻", 1, 0.5)]),
            // A stored output may lack pages, and another dataset has sites of its own.
            site_row("d", "stored/x", &[("b", 1, 0.5), ("z", 7, 0.5)]),
            site_row("e", "all-text", &[("c", 9, 0.5)]),
        ];
        assert_eq!(names(rows).unwrap(), "z 7, a 2, b 2, 新闻 1");
    }

    #[test]
    fn where_there_is_nothing_to_compare_there_is_none() {
        assert_eq!(names(vec![row("d", "all-text", 0.5)]), None);
        assert_eq!(names(vec![site_row("d", "all-text", &[("a", 9, 0.5)])]), None);
        assert_eq!(names(vec![site_row("d", "all-text", &[("a", 1, 0.5), ("b", 1, 0.5)])]), None);
    }
}
