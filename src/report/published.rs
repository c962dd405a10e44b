//! What papers print of their own algorithms (`published.yaml`), for marks in figures.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::formats::yaml;
use crate::runs::summary::SummaryRow;

/// A paper's figures of its own algorithm at one setting.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// Our name of the algorithm.
    pub algorithm: String,
    /// The paper.
    pub source: String,
    /// Where in the paper.
    pub printed: String,
    /// The parameters that the paper states.
    pub setting: BTreeMap<String, String>,
    /// What the figures are, in words.
    pub measure: String,
    /// Figures by group of pages.
    pub groups: Vec<Group>,
}

/// Figures of one group of pages, each 0 to 1 where printed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// A language, or `all`.
    pub group: String,
    /// The pages, in words.
    pub data: String,
    /// Precision.
    pub precision: Option<f64>,
    /// Recall.
    pub recall: Option<f64>,
    /// F1.
    pub f1: Option<f64>,
}

static PUBLISHED: LazyLock<Vec<Published>> = LazyLock::new(|| {
    yaml::typed("published.yaml", include_str!("published.yaml"))
        .expect("the file is part of the program, and a test reads it")
});

/// The paper's figures for `algorithm` at a stated value of `parameter`, in the group that fits
/// pages of the one language `language`, or of several (`None`).
pub fn figures(
    algorithm: &str,
    parameter: &str,
    language: Option<&str>,
) -> Option<(&'static Published, &'static Group)> {
    let fits = |known: &&Published| known.algorithm == algorithm && known.setting.contains_key(parameter);
    let published = PUBLISHED.iter().find(fits)?;
    let named = |name: &str| published.groups.iter().find(|group| group.group == name);
    let group = language.and_then(named).or_else(|| named("all"))?;
    Some((published, group))
}

/// The primary language of all pages of `row`, where they have but one.
pub fn only_language(row: &SummaryRow) -> Option<&str> {
    let languages = row.groups.get("language")?;
    let pages: usize = languages.values().map(|group| group.pages).sum();
    let mut primary = languages.keys().map(|tag| tag.split('-').next().unwrap_or(tag));
    let first = primary.next()?;
    (pages == row.pages && primary.all(|other| other == first)).then_some(first)
}

impl Published {
    /// The note under a figure: what, where, on which pages.
    pub fn note(&self, group: &Group, parameter: &str) -> String {
        let figure = |name: &str, value: Option<f64>| value.map(|value| format!("{name} {value:.3}"));
        let figures = [figure("P", group.precision), figure("R", group.recall), figure("F1", group.f1)];
        let figures: Vec<String> = figures.into_iter().flatten().collect();
        format!(
            "hollow: {} ({}) at {parameter} {}: {} ({}), measured on {}: other pages than these",
            self.source,
            self.printed,
            self.setting.get(parameter).map_or("", String::as_str),
            figures.join(", "),
            self.measure,
            group.data,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{groups, row};

    fn cevc_f1(languages: &[(&str, usize)]) -> f64 {
        let mut row = row("d", "cevc", 0.9);
        row.groups = groups(languages, 0.9);
        figures("cevc", "alpha", only_language(&row)).unwrap().1.f1.unwrap()
    }

    #[test]
    fn the_group_fits_the_languages_of_the_pages() {
        assert_eq!(cevc_f1(&[("zh", 10)]), 0.974);
        assert_eq!(cevc_f1(&[("zh-CN", 4), ("zh-TW", 6)]), 0.974);
        assert_eq!(cevc_f1(&[("en", 10)]), 0.922);
        assert_eq!(cevc_f1(&[("en", 5), ("zh", 5)]), 0.957);
        // Pages without a language may be of any.
        assert_eq!(cevc_f1(&[("zh", 9)]), 0.957);
        assert_eq!(cevc_f1(&[("ru", 10)]), 0.957);
    }

    #[test]
    fn only_stated_parameters_have_marks() {
        let (published, group) = figures("nta", "coherence", Some("zh")).unwrap();
        assert_eq!((published.setting["coherence"].as_str(), group.f1, group.recall), ("0.9", Some(0.951), None));
        assert!(figures("nta", "density", Some("zh")).is_none());
        assert!(figures("all-text", "coherence", None).is_none());
    }

    #[test]
    fn the_note_says_where_it_was_measured() {
        let (published, group) = figures("nta", "coherence", None).unwrap();
        let note = published.note(group, "coherence");
        assert!(note.contains("coherence 0.9: F1 0.951"), "{note}");
        assert!(note.contains("more than 100 pages of 7 Chinese portals: other pages"), "{note}");
    }
}
