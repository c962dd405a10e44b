//! The words of the HTML, in each language of the report (`labels.yaml`).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::formats::yaml;
use crate::report::language::Language;

/// What each label is called in each language, in the order of [`Language::ALL`].
static LABELS: LazyLock<BTreeMap<String, [String; 2]>> = LazyLock::new(|| {
    yaml::typed("labels.yaml", include_str!("labels.yaml"))
        .expect("the file is part of the program, and a test reads it")
});

static BY_LANGUAGE: LazyLock<[BTreeMap<&'static str, &'static str>; 2]> = LazyLock::new(|| {
    [0, 1].map(|place| LABELS.iter().map(|(name, texts)| (name.as_str(), texts[place].as_str())).collect())
});

/// The labels of `language` by name.
pub(super) fn labels(language: Language) -> &'static BTreeMap<&'static str, &'static str> {
    &BY_LANGUAGE[language as usize]
}

/// The label of this name in `language`.
pub(crate) fn label(name: &str, language: Language) -> &'static str {
    labels(language)[name]
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
            include_str!("measures.html"),
            include_str!("page.html"),
            include_str!("static.html"),
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
