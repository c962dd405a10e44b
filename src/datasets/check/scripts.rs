//! Which writing a language has: enough to see that a text is not of the language that is stated.

use unicode_script::{Script, UnicodeScript};

use crate::page::primary_language;

/// Fewer letters say nothing.
const ENOUGH: usize = 40;

/// The scripts that texts of a language are written in; `None` for a language that is not known here, or has several.
fn scripts(language: &str) -> Option<&'static [Script]> {
    Some(match language {
        "zh" | "yue" | "wuu" => &[Script::Han, Script::Bopomofo],
        "ja" => &[Script::Han, Script::Hiragana, Script::Katakana],
        // Han alone is Chinese; Korean has some beside Hangul.
        "ko" => &[Script::Hangul],
        "ru" | "uk" | "be" | "bg" | "mk" | "ky" | "tg" => &[Script::Cyrillic],
        "el" => &[Script::Greek],
        "ar" | "fa" | "ur" | "ps" => &[Script::Arabic],
        "he" | "yi" => &[Script::Hebrew],
        "hi" | "mr" | "ne" => &[Script::Devanagari],
        "bn" => &[Script::Bengali],
        "ta" => &[Script::Tamil],
        "te" => &[Script::Telugu],
        "th" => &[Script::Thai],
        "ka" => &[Script::Georgian],
        "hy" => &[Script::Armenian],
        "en" | "de" | "fr" | "es" | "it" | "pt" | "nl" | "sv" | "da" | "no" | "nb" | "nn" | "fi" | "pl" | "cs"
        | "sk" | "sl" | "hr" | "ro" | "hu" | "tr" | "vi" | "id" | "ms" | "et" | "lv" | "lt" | "ca" | "eu" | "gl"
        | "sq" | "is" | "ga" | "cy" | "sw" | "tl" | "af" => &[Script::Latin],
        _ => return None,
    })
}

/// How many percent of `text`'s letters are of the writing of the language that `tag` names; `None` where it has too
/// few letters, or the language's writing is not known. Characters of no script are no letters.
pub(super) fn percent_of_writing(text: &str, tag: &str) -> Option<usize> {
    let expected = scripts(&primary_language(tag)?)?;
    let (mut letters, mut of_language) = (0, 0);
    for script in text.chars().filter(|c| c.is_alphabetic()).map(|c| c.script()) {
        if matches!(script, Script::Common | Script::Inherited | Script::Unknown) {
            continue;
        }
        letters += 1;
        of_language += usize::from(expected.contains(&script));
    }
    (letters >= ENOUGH).then(|| of_language * 100 / letters)
}

/// How many percent of the Han characters and kana of `text` are kana, if `tag` names Japanese; `None` where it does not, or
/// there are too few.
pub(super) fn percent_of_kana(text: &str, tag: &str) -> Option<usize> {
    if primary_language(tag)? != "ja" {
        return None;
    }
    let of = |wanted: &[Script]| text.chars().filter(|c| c.is_alphabetic() && wanted.contains(&c.script())).count();
    let kana = of(&[Script::Hiragana, Script::Katakana]);
    let letters = kana + of(&[Script::Han]);
    (letters >= ENOUGH).then(|| kana * 100 / letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_writing_tells_languages_apart() {
        let (chinese, english) = ("新华网北京电".repeat(10), "plain words ".repeat(10));
        assert_eq!(percent_of_writing(&chinese, "zh-Hant"), Some(100));
        assert_eq!(percent_of_writing(&chinese, "en"), Some(0));
        assert_eq!(percent_of_writing(&english, "zh"), Some(0));
        assert_eq!(percent_of_writing(&english, "de"), Some(100));
        assert_eq!(percent_of_writing(&format!("{chinese}かな{english}"), "ja"), Some(38));
        assert_eq!(percent_of_writing(&chinese, "ko"), Some(0));
        assert_eq!((percent_of_kana(&chinese, "ja"), percent_of_kana(&chinese, "zh")), (Some(0), None));
        assert_eq!(percent_of_kana(&"東京の大学で".repeat(10), "ja-JP"), Some(33));
        for (text, tag) in [("新华", "en"), (&english, "und"), (&english, "sr"), ("123456", "zh")] {
            assert_eq!(percent_of_writing(text, tag), None, "{tag}");
        }
    }
}
