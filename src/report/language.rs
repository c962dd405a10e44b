//! The languages that a report is written in.

use std::fmt;
use std::str::FromStr;

/// A language of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Chinese, in simplified characters.
    Chinese,
}

impl Language {
    /// Every language, in the order in which texts are given in several.
    pub const ALL: [Language; 2] = [Language::English, Language::Chinese];

    /// The one of `texts`, in English and in Chinese, that is in this language.
    pub fn of<T: ?Sized>(self, texts: [&T; 2]) -> &T {
        texts[self as usize]
    }

    /// Texts of the catalogue in this language, such as the names of columns.
    pub fn say_all<'t>(self, english: impl IntoIterator<Item = &'t str>) -> Vec<String> {
        english.into_iter().map(|text| self.say(text).into_owned()).collect()
    }

    /// Its tag in HTML.
    pub(super) fn tag(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Chinese => "zh-Hans",
        }
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
