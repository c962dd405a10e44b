//! Whether a page was decoded with another encoding of its kind. In most encodings of single bytes any byte is a letter,
//! and in those of two bytes most pairs are, so that nothing fails to decode; but the letters are unlikely ones.

use encoding_rs::Encoding;
use unicode_script::{Script, UnicodeScript};

use crate::page::charset;

/// Fewer letters beyond ASCII say nothing.
const ENOUGH: usize = 40;

/// The commonest characters of Chinese, simplified and traditional: about four in ten of any text.
const COMMON_HAN: &str = "的一是不了在人有我他这這中大来來上国國个個到说說们們为為子和你地出道也时時年得就那要下以生会會自着著去之过\
                          過家学學对對可她里裡后後小么麼心多天而能好都然没沒日于於起还還发發成事只作当當想看文无無开開手十用主行方又\
                          如前所本见見经經头頭面公同三已老从從动動两兩长長新第月";

/// Whether the bytes, which decode as `declared` and look like `detected`, speak for the second: the letters that it
/// makes of them are likelier.
pub(super) fn speak_for(bytes: &[u8], detected: &'static Encoding, declared: &'static Encoding) -> bool {
    let [detected, declared] =
        [detected, declared].map(|encoding| Letters::of(&charset::decode(bytes, Some(encoding)).text));
    detected.all >= ENOUGH && detected.are_likelier_than(&declared)
}

/// The letters beyond ASCII of a text.
struct Letters {
    all: usize,
    /// The script of most; what Chinese and Japanese are written in is one.
    script: Script,
    /// Those beside a letter of ASCII: in a word of Latin script most are, in other words none.
    isolated: usize,
    lower: usize,
    upper: usize,
    /// Kana and the commonest Han characters.
    common: usize,
}

impl Letters {
    fn of(text: &str) -> Self {
        let mut letters = Letters { all: 0, script: Script::Unknown, isolated: 0, lower: 0, upper: 0, common: 0 };
        let mut scripts: Vec<(Script, usize)> = Vec::new();
        let mut before = ' ';
        let mut characters = text.chars().peekable();
        while let Some(c) = characters.next() {
            let beside = std::mem::replace(&mut before, c);
            if c.is_ascii() || !c.is_alphabetic() {
                continue;
            }
            let after = characters.peek().copied().unwrap_or(' ');
            let is_kana = matches!(c.script(), Script::Hiragana | Script::Katakana);
            let script = if is_kana || c.script() == Script::Bopomofo { Script::Han } else { c.script() };
            match scripts.iter_mut().find(|(known, _)| *known == script) {
                Some((_, times)) => *times += 1,
                None => scripts.push((script, 1)),
            }
            letters.all += 1;
            letters.isolated += usize::from(beside.is_ascii_alphabetic() || after.is_ascii_alphabetic());
            letters.lower += usize::from(c.is_lowercase());
            letters.upper += usize::from(c.is_uppercase());
            // Kana of half width are what other encodings' letters become in Shift_JIS.
            let is_full_kana = is_kana && !matches!(c, '\u{FF66}'..='\u{FF9F}');
            letters.common += usize::from(is_full_kana || script == Script::Han && COMMON_HAN.contains(c));
        }
        letters.script =
            scripts.into_iter().max_by_key(|&(_, times)| times).map_or(Script::Unknown, |(script, _)| script);
        letters
    }

    /// Whether a language may be written so: mostly in lower case, with common characters.
    fn are_likely(&self) -> bool {
        match self.script {
            Script::Han => self.common * 10 >= self.all,
            _ => self.lower >= self.upper,
        }
    }

    fn are_likelier_than(&self, other: &Letters) -> bool {
        if self.script == other.script || other.script == Script::Han && other.are_likely() {
            return self.are_likely() && !other.are_likely();
        }
        self.are_likely()
            && match self.script {
                Script::Latin => self.isolated * 2 >= self.all,
                _ => self.isolated * 5 <= self.all,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUSSIAN: &str =
        "<p>Сегодня утром в городе открылась выставка, на которой показывают картины старых мастеров.</p>";
    const CHINESE: &str = "<p>新华社北京电，记者从国家的有关部门了解到，今年的经济发展情况是好的，人们的生活也在不断地改变，这个中国的城市有了很多新的学校。</p>";
    const FRENCH: &str = "<p>Été à la plage : les élèves ont préféré la forêt, près de la rivière, où l’été s’achève à midi. \
                          Après le dîner, la fenêtre était fermée et le père a répété ce qu’il répète à chaque fête, à l’école \
                          même, où les élèves préfèrent la récréation, où la société a été créée.</p>";

    fn speaks(text: &str, real: &str, declared: &str) -> bool {
        let [real, declared] = [real, declared].map(|label| charset::for_label(label).unwrap());
        let bytes = real.encode(text).0.into_owned();
        let detected = charset::detected(&bytes).unwrap();
        detected != declared && speak_for(&bytes, detected, declared)
    }

    #[test]
    fn letters_tell_encodings_of_a_kind_apart() {
        for (text, real, declared) in [
            (RUSSIAN, "windows-1251", "iso-8859-1"),
            (RUSSIAN, "koi8-r", "windows-1251"),
            (RUSSIAN, "windows-1251", "koi8-r"),
            (FRENCH, "windows-1252", "windows-1251"),
            (CHINESE, "gbk", "big5"),
            (CHINESE, "gbk", "iso-8859-1"),
        ] {
            assert!(speaks(text, real, declared), "{real} as {declared}");
        }
        for (text, encoding) in
            [(RUSSIAN, "windows-1251"), (RUSSIAN, "koi8-r"), (FRENCH, "iso-8859-1"), (CHINESE, "gbk")]
        {
            let encoding = charset::for_label(encoding).unwrap();
            let bytes = encoding.encode(text).0;
            // Whatever a detector takes them for.
            for label in ["windows-1252", "windows-1251", "koi8-r", "gbk", "big5", "euc-kr", "shift_jis"] {
                let other = charset::for_label(label).unwrap();
                assert!(other == encoding || !speak_for(&bytes, other, encoding), "{} as {label}", encoding.name());
            }
        }
    }
}
