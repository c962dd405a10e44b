//! Algorithms and the languages of the pages: which extract nothing from half of them, and which have a setting for Chinese that
//! was not run.

use std::collections::BTreeMap;

use super::conditions::pages;
use super::localised_text::LocalisedText;
use crate::runs::agreement::DatasetAgreement;
use crate::runs::summary::SummaryRow;
use crate::runs::values::text_of;

/// Of fewer pages nothing is told.
const FEWEST: usize = 5;

/// The outcome of a row, or of a system without gold.
struct Tried<'s> {
    algorithm: &'s str,
    /// The languages that the algorithm is for, in words.
    languages: &'static str,
    pages: usize,
    empty: usize,
    chinese: usize,
    /// Tells whether it has a setting, such as `wide_chars=3`.
    has: Box<dyn Fn(&str) -> bool + 's>,
}

/// The notes on the rows of a dataset; floors are not told, for some look for an element that few pages have.
pub(super) fn of_rows(rows: &[&SummaryRow]) -> Vec<LocalisedText> {
    notes(&rows.iter().filter_map(|row| of_row(row)).collect::<Vec<_>>())
}

fn of_row(row: &SummaryRow) -> Option<Tried<'_>> {
    let languages = row.languages().filter(|_| !row.floor)?;
    let of_language = row.groups.get("language").into_iter().flatten();
    let chinese = of_language.filter(|(tag, _)| is_chinese(tag)).map(|(_, group)| group.pages).sum();
    let has = Box::new(|setting: &str| {
        let is_set = |(name, value)| row.parameters.get(name).map(text_of).as_deref() == Some(value);
        setting.split_once('=').is_some_and(is_set)
    });
    Some(Tried { algorithm: &row.algorithm, languages, pages: row.pages, empty: row.empty, chinese, has })
}

/// The notes on the systems that are compared with each other.
pub(super) fn of_systems(agreement: &DatasetAgreement) -> Vec<LocalisedText> {
    let of_language = || agreement.groups.get("language").into_iter().flatten();
    let chinese = of_language().filter(|(tag, _)| is_chinese(tag)).map(|(_, group)| group.pages).sum();
    let tried = agreement.systems.iter().filter_map(|system| {
        let algorithm = system.label.split(' ').next()?;
        let languages = system.languages()?;
        let has = Box::new(move |setting: &str| system.label.split(' ').any(|word| word == setting));
        let (pages, empty) = (system.kept.pages, system.kept.empty);
        Some(Tried { algorithm, languages, pages, empty, chinese, has })
    });
    notes(&tried.collect::<Vec<_>>())
}

fn is_chinese(tag: &str) -> bool {
    tag == "zh" || tag.starts_with("zh-")
}

fn notes(tried: &[Tried<'_>]) -> Vec<LocalisedText> {
    mostly_empty(tried).into_iter().chain(for_chinese(tried)).collect()
}

/// The algorithms that extract nothing from half of the pages in each of their settings, a sentence for each: most are for other
/// languages than that of the pages, and some have a setting for it.
fn mostly_empty(tried: &[Tried<'_>]) -> Vec<LocalisedText> {
    let mut emptiest: BTreeMap<&str, (usize, usize, &str)> = BTreeMap::new();
    for one in tried.iter().filter(|one| one.pages >= FEWEST) {
        let fewest = emptiest.entry(one.algorithm).or_insert((one.empty, one.pages, one.languages));
        *fewest = (*fewest).min((one.empty, one.pages, one.languages));
    }
    let told = emptiest.into_iter().filter(|(_, (empty, pages, _))| empty * 2 >= *pages);
    told.map(|(name, (empty, all, languages))| {
        let settings = settings_in(languages);
        let words = [
            "{0} extracts nothing from {1} of {2}; languages that it is for: {3}",
            if settings.is_empty() {
                "{0} 在 {2}中的 {1} 页上未抽取任何内容；`carat list algorithms {0}` 列出其适用语言与参数"
            } else {
                "{0} 在 {2}中的 {1} 页上未抽取任何内容；与语言有关的设置：{4}（见 `carat list algorithms {0}`）"
            },
        ];
        let places: [LocalisedText; 5] =
            [name.into(), empty.to_string().into(), pages(all), languages.into(), settings.into()];
        LocalisedText::new(words, places)
    })
    .collect()
}

/// The algorithms that have a setting for Chinese with which they were not run, where a quarter of the pages or more are Chinese.
fn for_chinese(tried: &[Tried<'_>]) -> Option<LocalisedText> {
    let is_of_chinese = |one: &&Tried<'_>| one.chinese > 0 && one.chinese * 4 >= one.pages;
    let most = tried.iter().filter(is_of_chinese).max_by_key(|one| (one.chinese, one.pages))?;
    let mut lacking: BTreeMap<&str, &str> = BTreeMap::new();
    for one in tried.iter().filter(is_of_chinese) {
        lacking.extend(setting_for_chinese(one.languages).map(|setting| (one.algorithm, setting)));
    }
    lacking.retain(|algorithm, setting| !tried.iter().any(|one| one.algorithm == *algorithm && (one.has)(setting)));
    let named = lacking.into_iter().map(|(name, setting)| LocalisedText::name(format!("{name}:{setting}")));
    let named: Vec<LocalisedText> = named.collect();
    let words = [
        "{0} of {1} in Chinese; these settings for Chinese were not run: {2}",
        "{1}中有 {0} 页为中文，而以下针对中文的设置未运行：{2}",
    ];
    let places = [most.chinese.to_string().into(), pages(most.pages), LocalisedText::list(&named)];
    (!named.is_empty()).then(|| LocalisedText::new(words, places))
}

/// The settings that words on an algorithm's languages name, such as `wide_chars=3`.
fn settings_in(languages: &str) -> String {
    let words = languages.split_whitespace().filter(|word| word.contains('='));
    words.map(|word| word.trim_end_matches(':')).collect::<Vec<_>>().join("、")
}

/// The setting that words on an algorithm's languages name for Chinese, such as `wide_chars=3`.
fn setting_for_chinese(languages: &str) -> Option<&str> {
    let part = languages.split(';').find(|part| part.contains('=') && part.contains("Chinese"))?;
    part.split_whitespace().find(|word| word.contains('=')).map(|word| word.trim_end_matches([':', ',']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{groups, row};
    use crate::report::language::Language;
    use crate::runs::agreement::{ComparedSystem, GroupAgreement, Kept};

    fn told(algorithm: &str, of_each: &[(usize, usize)]) -> Vec<LocalisedText> {
        let of =
            |&(empty, pages)| SummaryRow { empty, pages, groups: BTreeMap::new(), ..row("portals", algorithm, 0.5) };
        let rows: Vec<SummaryRow> = of_each.iter().map(of).collect();
        of_rows(&rows.iter().collect::<Vec<_>>())
    }

    #[test]
    fn algorithms_that_are_silent_on_half_of_the_pages_are_told_with_their_setting_for_chinese() {
        let [sentence] = told("justext", &[(9, 10), (5, 10)]).try_into().unwrap();
        let english = sentence.english();
        assert!(
            english.starts_with("justext extracts nothing from 5 of 10 pages; languages that it is for: English"),
            "{english}"
        );
        assert!(english.contains("wide_chars=3 for Chinese"), "{english}");
        let chinese = sentence.in_language(Language::Chinese);
        assert!(chinese.contains("wide_chars=3（见 `carat list algorithms justext`）"), "{chinese}");
        assert_eq!(settings_in("any; words=han: Chinese; commas=all: more"), "words=han、commas=all");
    }

    #[test]
    fn settings_for_chinese_that_were_not_run_are_told_where_pages_are_chinese() {
        let of = |algorithm: &str, wide: &str, chinese: usize| {
            let mut row = SummaryRow { pages: 10, ..row("d", algorithm, 0.5) };
            row.parameters.insert("wide_chars".to_owned(), wide.into());
            row.groups = groups(&[("zh-CN", chinese)], 0.5);
            row
        };
        let told = |rows: &[SummaryRow]| -> Vec<String> {
            of_rows(&rows.iter().collect::<Vec<_>>()).iter().map(LocalisedText::to_string).collect()
        };
        let lacking = "3 of 10 pages in Chinese; these settings for Chinese were not run: justext:wide_chars=3";
        assert_eq!(told(&[of("justext", "1", 3), of("nta", "1", 3)]), [lacking]);
        assert!(told(&[of("justext", "1", 5), of("justext", "3", 5)]).is_empty());
        assert!(told(&[of("justext", "1", 2)]).is_empty());
        assert_eq!(setting_for_chinese("any; words=han: Chinese"), Some("words=han"));
        assert_eq!(setting_for_chinese("Chinese; token=char: any"), None);
    }

    #[test]
    fn systems_without_gold_are_told_like_rows() {
        let told = |label: &str, empty: usize| -> Vec<String> {
            let kept = Kept { pages: 20, empty, ..Kept::default() };
            let system = ComparedSystem { label: label.to_owned(), kept, ..ComparedSystem::default() };
            let chinese = GroupAgreement { pages: 9, kept: Vec::new(), pairs: Vec::new() };
            let groups = [("language".to_owned(), [("zh".to_owned(), chinese)].into())].into();
            let agreement =
                DatasetAgreement { pages: 20, systems: vec![system], groups, ..DatasetAgreement::default() };
            of_systems(&agreement).iter().map(LocalisedText::to_string).collect()
        };
        let lacking = "9 of 20 pages in Chinese; these settings for Chinese were not run: justext:wide_chars=3";
        let [empty, setting] = told("justext", 10).try_into().unwrap();
        assert!(empty.starts_with("justext extracts nothing from 10 of 20 pages"), "{empty}");
        assert_eq!(setting, lacking);
        assert_eq!(told("justext", 9), [lacking]);
        assert!(told("justext wide_chars=3", 9).is_empty());
        assert!(told("external/own", 20).is_empty());
    }

    #[test]
    fn a_row_that_extracts_most_pages_few_pages_floors_and_other_systems_are_not_told() {
        assert!(told("justext", &[(9, 10), (4, 10)]).is_empty());
        assert!(told("justext", &[(4, 4)]).is_empty());
        assert!(told("my-program", &[(10, 10)]).is_empty());
        let floor = SummaryRow { floor: true, empty: 10, pages: 10, ..row("portals", "all-text", 0.0) };
        assert!(of_rows(&[&floor]).is_empty());
    }
}
