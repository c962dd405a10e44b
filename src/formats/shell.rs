//! Words of commands that are printed to be pasted.

/// `text` as a POSIX shell reads one word.
pub fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "%+,-./:=@_".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_read_otherwise_is_quoted() {
        for plain in ["nta:coherence=0.9", "a/b-c_d.e", "页", "50%"] {
            assert_eq!(shell_word(plain), plain);
        }
        for (text, word) in [("", "''"), ("a b", "'a b'"), ("$x;rm", "'$x;rm'"), ("it's", "'it'\\''s'"), ("~", "'~'")] {
            assert_eq!(shell_word(text), word);
        }
    }
}
