//! What papers print of their own algorithms, for marks in figures. They were measured on the papers' own pages, which are
//! not available: a mark is no target.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::{Map, Value as Json};

use super::localised_text::LocalisedText;
use crate::papers::{Table, figure, published, text};
use crate::runs::summary::SummaryRow;
use crate::runs::values::text_of;

/// A paper's figures of its own algorithm at one setting.
#[derive(Debug)]
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
#[derive(Debug)]
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

/// The tables with figures at a stated setting, and whose they are.
const MARKED: [(&str, &str); 2] = [("nta-text", "NTA"), ("cevc-1", "CEVC")];

static PUBLISHED: LazyLock<Vec<Published>> = LazyLock::new(|| {
    let of = |(id, system): (&str, &str)| Some(Published::of(published().table(id)?, system));
    MARKED.into_iter().filter_map(of).collect()
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
    fn of(table: &Table, system: &str) -> Self {
        let word = |map: &Map<String, Json>, name: &str| text(map, name).unwrap_or_default().to_owned();
        let group = |row: &Map<String, Json>| {
            let part = |part: &str| figure(row, &format!("{system}.{part}"));
            let [precision, recall, f1] = ["p", "r", "f1"].map(part);
            Group { group: word(row, "group"), data: word(row, "words"), precision, recall, f1 }
        };
        // Without groups of sites there is but a figure in the text, of all pages.
        let whole = || {
            let own = table.rows.iter().find(|row| text(row, "system") == Some(system));
            let f1 = own.and_then(|row| figure(row, "value")).map(|percent| percent / 100.0);
            Group { group: "all".to_owned(), data: word(&table.data, "words"), precision: None, recall: None, f1 }
        };
        let groups = if table.groups.is_empty() { vec![whole()] } else { table.groups.iter().map(group).collect() };
        Published {
            algorithm: published().algorithm(system).unwrap_or_default().to_owned(),
            source: published().sources[&table.source].title.clone(),
            printed: table.place.clone(),
            setting: table.setting.iter().map(|(name, value)| (name.clone(), text_of(value))).collect(),
            measure: word(&table.data, "measured"),
            groups,
        }
    }

    /// The note under a figure: what, where, on which pages.
    pub fn note(&self, group: &Group, parameter: &str) -> LocalisedText {
        let figure = |name: &str, value: Option<f64>| value.map(|value| format!("{name} {value:.3}"));
        let figures = [figure("P", group.precision), figure("R", group.recall), figure("F1", group.f1)];
        let figures: Vec<String> = figures.into_iter().flatten().collect();
        let value = self.setting.get(parameter).map_or("", String::as_str);
        LocalisedText::new(
            [
                "hollow: {0} ({1}) at {2} {3}: {4} ({5}), measured on {6}: other pages than these",
                "空心：{0}（{1}），{2} 为 {3} 时：{4}（{5}），测于 {6}，与这里的页面不同",
            ],
            [
                LocalisedText::said(&self.source),
                LocalisedText::said(&self.printed),
                parameter.into(),
                value.into(),
                figures.join(", ").into(),
                LocalisedText::said(&self.measure),
                LocalisedText::said(&group.data),
            ],
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
        let note = published.note(group, "coherence").to_string();
        assert!(note.contains("coherence 0.9: F1 0.951"), "{note}");
        assert!(note.contains("more than 100 pages of 7 Chinese portals: other pages"), "{note}");
    }
}
