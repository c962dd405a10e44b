//! Text that was decoded wrongly before it was stored: valid characters, and yet not those that were written.

/// The characters of GBK that the first two bytes of `，`, `。`, `的`, `是`, `在`, `有`, `我`, `可`, `和` and `这` are.
const OF_GBK: &str = "锛銆鐨鏄鍦鏈鎴鍙鍜杩";

/// Fewer of them may be names.
const FEWEST_OF_GBK: usize = 3;

/// One ideograph in so many is one of them, at least.
const SHARE_OF_GBK: usize = 50;

/// Marks of a text that was decoded wrongly: control characters U+0080 to U+009F, which are windows-1252 or UTF-8 bytes
/// read as Latin-1, and pairs that UTF-8 becomes when it is read as windows-1252 or windows-1251. A single pair may be
/// meant; one control character is never. Chinese in UTF-8 that is read as GBK becomes characters that hardly any text has, one
/// for nearly each sign and each common word of it.
pub(super) fn marks(text: &str) -> usize {
    let (mut controls, mut pairs, mut before) = (0, 0, ' ');
    let (mut rare, mut ideographs) = (0, 0);
    for c in text.chars() {
        rare += usize::from(OF_GBK.contains(c));
        ideographs += usize::from(matches!(c, '\u{4E00}'..='\u{9FFF}'));
        controls += usize::from(matches!(c, '\u{80}'..='\u{9F}'));
        let trail = matches!(c, '\u{A0}'..='\u{BF}');
        let pair = matches!((before, c), ('â', '€') | ('в', 'Ђ') | ('Г', '¤')) || matches!(before, 'Ã' | 'Â') && trail;
        pairs += usize::from(pair);
        before = c;
    }
    let is_misread = rare >= FEWEST_OF_GBK && rare * SHARE_OF_GBK >= ideographs;
    controls + if pairs > 1 { pairs } else { 0 } + if is_misread { rare } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_decoded_wrongly_is_told_from_what_was_not() {
        let misread =
            |text: &str, encoding: &'static encoding_rs::Encoding| encoding.decode(text.as_bytes()).0.into_owned();
        let text = "It’s a “naïve” café";
        assert!(marks(&misread(text, encoding_rs::WINDOWS_1252)) >= 4);
        assert!(marks(&misread(text, encoding_rs::WINDOWS_1251)) >= 3);
        let chinese = "这是今天的新闻，我们在北京。有人说可以，和昨天一样。";
        assert!(marks(&misread(chinese, encoding_rs::GBK)) >= 5, "{}", misread(chinese, encoding_rs::GBK));
        assert_eq!(marks(chinese), 0);
        assert_eq!(marks("it\u{92}s"), 1);
        for text in [text, "SÃO PAULO, Â", "Ça coûte 5 € à l’âge", "вЂ", "新华网", "Гамма в Ђ", "\u{85}".trim()]
        {
            assert_eq!(marks(text), 0, "{text}");
        }
    }
}
