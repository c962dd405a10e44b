//! Which language the little words of a text speak for, among languages of one script.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::page::primary_language;

/// Fewer words say nothing.
const ENOUGH: usize = 60;

/// Percent of the words of a text that are its language's little words, at least.
const LEAST: usize = 6;

/// Little words of a language, none of which another one here has.
const WORDS: [(&str, &str); 13] = [
    ("en", "the and that with this from which have been were would their they are you your his her for has will not"),
    ("de", "der das und nicht ist ein eine mit von den dem auf für auch sich wird dass oder bei sind wurde nach über"),
    ("fr", "les des est une dans pour qui pas sur avec sont plus ce cette aux nous vous été leur mais ont elle ces"),
    ("es", "los las el del una por con su es y pero más este como está entre cuando sobre han muy también ser hay"),
    ("it", "il di che è gli della sono nel alla anche dei delle più questo ha dal ma lo come ed nella si loro"),
    ("pt", "não do da os em dos das uma foi mais pelo pela são ao também seu sua à isso já ele ela nos"),
    (
        "nl",
        "het een van zijn niet voor wordt ook dat naar aan maar bij worden deze heeft hij werd nog onder dit door over",
    ),
    ("sv", "och att som är av på med till inte har ett från om vid när eller kan efter mellan blev också där"),
    ("da", "og af er på til ikke som det blev også efter eller fra ved mellem hun havde være vil når jeg kun"),
    ("pl", "nie się na jest że jak przez dla są był oraz po ale tym tylko które który jego ich może czy została"),
    ("cs", "se že je jako ale pro byl však jeho která který jsou také podle již kde bylo není jen při nebo až"),
    (
        "id",
        "yang dan dengan untuk dari ini itu pada tidak dalam adalah akan oleh juga ke di mereka telah saya bisa tersebut",
    ),
    ("tr", "bir bu için ile çok olarak daha gibi kadar olan sonra ancak değil en olduğu ve ama göre her ne var"),
];

/// The languages by their words; a word of several is none's.
static LANGUAGES: LazyLock<HashMap<&str, usize>> = LazyLock::new(|| {
    let mut languages: HashMap<&str, Option<usize>> = HashMap::new();
    for (number, (_, words)) in WORDS.iter().enumerate() {
        for word in words.split(' ') {
            languages.entry(word).and_modify(|known| *known = None).or_insert(Some(number));
        }
    }
    languages.into_iter().filter_map(|(word, language)| Some((word, language?))).collect()
});

/// What the little words of a text come to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unlikely {
    /// The language that they speak for.
    pub(super) language: &'static str,
    /// Percent of the words that are its little ones, and those of the stated language.
    pub(super) percent: [usize; 2],
}

/// The language that the words of `text` speak for, if it is clearly another one than `tag` names and both are known.
pub(super) fn likelier(text: &str, tag: &str) -> Option<Unlikely> {
    let stated = primary_language(tag)?;
    let stated = WORDS.iter().position(|(language, _)| *language == stated)?;
    let (mut counts, mut all) = ([0; WORDS.len()], 0);
    for word in text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()) {
        all += 1;
        if let Some(&language) = LANGUAGES.get(word.to_lowercase().as_str()) {
            counts[language] += 1;
        }
    }
    let best = (0..WORDS.len()).max_by_key(|&language| counts[language])?;
    let is_clear = all >= ENOUGH && counts[best] * 100 >= all * LEAST && counts[best] >= counts[stated] * 5;
    let percent = [best, stated].map(|language| counts[language] * 100 / all.max(1));
    (best != stated && is_clear).then_some(Unlikely { language: WORDS[best].0, percent })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENGLISH: &str =
        "The minister said that the talks with the unions would be long, and that they were not yet at an end. ";
    const GERMAN: &str = "Der Minister sagte, dass die Gespräche mit den Gewerkschaften lang sind und nicht am Ende. ";
    const SPANISH: &str =
        "El ministro dijo que las conversaciones con los sindicatos serían largas y que su fin no está cerca. ";
    const PORTUGUESE: &str =
        "O ministro disse que as conversas com os sindicatos seriam longas e que não estão ao fim da crise. ";

    #[test]
    fn little_words_tell_languages_of_one_script_apart() {
        let texts = [("en", ENGLISH), ("de", GERMAN), ("es", SPANISH), ("pt", PORTUGUESE)];
        for (language, text) in texts.map(|(language, text)| (language, text.repeat(6))) {
            for (stated, _) in WORDS {
                let found = likelier(&text, stated).map(|found| found.language);
                assert_eq!(found, (stated != language).then_some(language), "{stated}");
            }
        }
        for (text, tag) in [(ENGLISH, "de"), (&ENGLISH.repeat(6), "sr"), (&"Alpha 12 ".repeat(90), "de")] {
            assert_eq!(likelier(text, tag), None, "{tag}");
        }
        assert_eq!(likelier(&format!("{}{}", ENGLISH.repeat(6), GERMAN.repeat(3)), "de-AT"), None);
    }
}
