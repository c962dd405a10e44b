//! The stop lists: jusText's own for English, a smaller one of ours, and a user's words.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::algorithms::features::stopwords::digest;

/// `stoplists/English.txt` of jusText 3.0.2, under the licence in `lists/NOTICE.md`.
const ENGLISH: &str = include_str!("lists/justext-english.txt");

/// Function words.
const ENGLISH_SMALL: &str = "\
    a about above across after again against all almost alone along already also although always am among an and another \
    any anyone anything are around as at away back be became because become been before began behind being below best \
    better between beyond both but by came can cannot come could day days did do does done down during each early either \
    else end enough even ever every everyone everything far few find first five for found four from full further gave get \
    give given go going gone good got great had half has have having he her here herself high him himself his how however \
    i if in including instead into is it its itself just keep kept know known large last late later least left less let \
    life like likely little long made make making man many may me men might more most much must my myself name near never \
    new next no nor not nothing now number of off often old on once one only or other others our out over own part people \
    perhaps place put rather said same say says second see seen several she should show side since small so some something \
    still such take taken than that the their them themselves then there these they thing things think this those though \
    three through thus time times to together told too took toward towards two under until up upon us use used using \
    usually very via want was way we well went were what when where whether which while who whole whom whose why will with \
    within without work world would year years yet you young your";

/// Which words are stop words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StopList {
    /// Those of jusText on English pages, none on others.
    Auto,
    /// Those of jusText for English.
    En,
    /// Function words of English.
    EnSmall,
    /// None: whatever the language, a paragraph needs no stop word.
    None,
    /// These.
    Words(Vec<String>),
}

/// The lists that have a name.
const NAMES: [(&str, StopList); 4] =
    [("auto", StopList::Auto), ("en", StopList::En), ("en-small", StopList::EnSmall), ("none", StopList::None)];

impl Serialize for StopList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self, NAMES.iter().find(|(_, list)| list == self)) {
            (StopList::Words(words), _) => words.serialize(serializer),
            (_, named) => serializer.serialize_str(named.map_or("", |(name, _)| name)),
        }
    }
}

impl<'de> Deserialize<'de> for StopList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Name(String),
            Words(Vec<String>),
        }
        let words = match Written::deserialize(deserializer)? {
            Written::Name(name) => match NAMES.iter().find(|(known, _)| *known == name) {
                Some((_, list)) => return Ok(list.clone()),
                None => vec![name],
            },
            Written::Words(words) => words,
        };
        Ok(StopList::Words(words))
    }
}

impl JsonSchema for StopList {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "StopList".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "enum": NAMES.map(|(name, _)| name), "list": true })
    }
}

impl StopList {
    /// Refuses names of lists where words are expected: a list of lists is no sweep over them.
    pub(super) fn check(&self) -> Result<(), String> {
        match self {
            StopList::Words(words) if words.iter().all(|word| NAMES.iter().any(|(name, _)| name == word)) => Err(
                format!("stoplist: a list is one of words, and `{}` are lists; write a row for each", words.join(", ")),
            ),
            _ => Ok(()),
        }
    }

    /// The words, in lower case, on a page of `language`; `None` where no word is asked for.
    pub(super) fn words(&self, language: Option<&str>) -> Option<FxHashSet<String>> {
        Some(self.entries(language)?.iter().map(|word| word.to_lowercase()).collect())
    }

    fn entries(&self, language: Option<&str>) -> Option<Vec<&str>> {
        match self {
            StopList::Auto if language == Some("en") => Some(ENGLISH.lines().collect()),
            StopList::Auto | StopList::None => None,
            StopList::En => Some(ENGLISH.lines().collect()),
            StopList::EnSmall => Some(ENGLISH_SMALL.split_whitespace().collect()),
            StopList::Words(words) => Some(words.iter().map(String::as_str).collect()),
        }
    }

    /// A line that names what is held against pages of `language`, with the digest of its words in lower case.
    pub(super) fn resource(&self, language: Option<&str>) -> Option<String> {
        let name = match self {
            StopList::Auto | StopList::En => "en, jusText 3.0.2",
            StopList::EnSmall => "en-small",
            StopList::None | StopList::Words(_) => return None,
        };
        let words = self.words(language)?;
        let sorted: BTreeSet<&str> = words.iter().map(String::as_str).collect();
        Some(format!("stop list {name}, {} words, sha256 {}", sorted.len(), digest(&sorted)))
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn lists_have_their_lengths_and_digests() {
        assert_eq!((ENGLISH.len(), ENGLISH.lines().count()), (3123, 503));
        let digest: String = Sha256::digest(ENGLISH).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest, "6b4fc520e2b14c27a8a046d9ce3814dad6d28a18654bf8b029a0828a253c3428");
        let length = |list: StopList, language| list.words(Some(language)).map(|words| words.len());
        assert_eq!(length(StopList::Auto, "en"), Some(453));
        assert_eq!(length(StopList::En, "zh"), Some(453));
        assert_eq!(length(StopList::EnSmall, "en"), Some(273));
        assert_eq!((length(StopList::Auto, "zh"), length(StopList::None, "en")), (None, None));
        assert_eq!(length(StopList::Words(vec!["The".to_owned(), "the".to_owned()]), "en"), Some(1));
    }

    #[test]
    fn names_of_lists_are_no_words() {
        let list = |words: &[&str]| StopList::Words(words.iter().map(|&word| word.to_owned()).collect()).check();
        assert!(list(&["en", "none"]).unwrap_err().contains("`en, none` are lists"));
        assert_eq!((list(&["en", "of"]), StopList::None.check()), (Ok(()), Ok(())));
    }

    #[test]
    fn lists_are_written_as_they_are_read() {
        for json in ["\"auto\"", "\"en-small\"", "[\"the\",\"of\"]"] {
            let list: StopList = serde_json::from_str(json).unwrap();
            assert_eq!(serde_json::to_string(&list).unwrap(), json);
        }
    }
}
