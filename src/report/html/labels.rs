//! The words of the report, in each of its languages (`labels.yaml`).

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use crate::formats::yaml;

/// A language of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Chinese, in simplified characters.
    Chinese,
}

/// What each label is called in each language.
static LABELS: LazyLock<BTreeMap<String, [String; 2]>> = LazyLock::new(|| {
    yaml::typed("labels.yaml", include_str!("labels.yaml"))
        .expect("the file is part of the program, and a test reads it")
});

static BY_LANGUAGE: LazyLock<[BTreeMap<&'static str, &'static str>; 2]> = LazyLock::new(|| {
    [0, 1].map(|place| LABELS.iter().map(|(name, texts)| (name.as_str(), texts[place].as_str())).collect())
});

impl Language {
    /// Every language, in the order of `labels.yaml`.
    pub const ALL: [Language; 2] = [Language::English, Language::Chinese];

    /// Its tag in HTML.
    pub(super) fn tag(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Chinese => "zh-Hans",
        }
    }

    /// Its words by name.
    pub(super) fn labels(self) -> &'static BTreeMap<&'static str, &'static str> {
        &BY_LANGUAGE[self as usize]
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Language::English => "en",
            Language::Chinese => "zh",
        })
    }
}

impl FromStr for Language {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        let found = Language::ALL.into_iter().find(|language| language.to_string() == name);
        found.ok_or_else(|| format!("`{name}` is no language of reports: choose en or zh"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The labels that scripts and templates ask for.
    fn asked_for() -> Vec<String> {
        let sources = [
            include_str!("common.js"),
            include_str!("figures.js"),
            include_str!("index.js"),
            include_str!("page.js"),
            include_str!("base.html"),
            include_str!("index.html"),
            include_str!("page.html"),
            include_str!("../../explain/html/explanation.js"),
            include_str!("../../explain/html/explanation.html"),
        ];
        let mut names = Vec::new();
        for source in sources {
            for part in source.split("label.").skip(1) {
                names.push(part.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect());
            }
        }
        names
    }

    #[test]
    fn every_label_is_there_and_is_asked_for() {
        let asked_for = asked_for();
        for name in &asked_for {
            assert!(LABELS.contains_key(name), "no label `{name}`");
        }
        for (name, texts) in &*LABELS {
            assert!(asked_for.contains(name), "nothing asks for `{name}`");
            assert!(texts.iter().all(|text| !text.is_empty()));
        }
    }
}
