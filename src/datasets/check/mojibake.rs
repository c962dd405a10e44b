//! Text that was decoded wrongly before it was stored: valid characters, and yet not those that were written.

/// Marks of a text that was decoded wrongly: control characters U+0080 to U+009F, which are windows-1252 or UTF-8 bytes
/// read as Latin-1, and pairs that UTF-8 becomes when it is read as windows-1252 or windows-1251. A single pair may be
/// meant; one control character is never.
pub(super) fn marks(text: &str) -> usize {
    let (mut controls, mut pairs, mut before) = (0, 0, ' ');
    for c in text.chars() {
        controls += usize::from(matches!(c, '\u{80}'..='\u{9F}'));
        let trail = matches!(c, '\u{A0}'..='\u{BF}');
        let pair = matches!((before, c), ('â', '€') | ('в', 'Ђ') | ('Г', '¤')) || matches!(before, 'Ã' | 'Â') && trail;
        pairs += usize::from(pair);
        before = c;
    }
    controls + if pairs > 1 { pairs } else { 0 }
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
        assert_eq!(marks("it\u{92}s"), 1);
        for text in [text, "SÃO PAULO, Â", "Ça coûte 5 € à l’âge", "вЂ", "新华网", "Гамма в Ђ", "\u{85}".trim()]
        {
            assert_eq!(marks(text), 0, "{text}");
        }
    }
}
