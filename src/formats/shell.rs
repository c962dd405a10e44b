//! Words of commands that are printed to be pasted.

use std::path::Path;

/// `text` as a POSIX shell reads one word.
pub fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "%+,-./:=@_".contains(c);
    // To zsh a word that begins with `=` is the path of a program.
    match !text.is_empty() && !text.starts_with('=') && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// `path` as one word that is read as a path, and not as a name.
pub fn shell_path(path: &Path) -> String {
    let text = path.to_string_lossy();
    let is_path = text.contains('/') || path == Path::new(".") || path == Path::new("..");
    shell_word(&if is_path { text.into_owned() } else { format!("./{text}") })
}

/// The command `name` on `arguments`, with `options` and the values of those that have one. What begins with `-` is read as
/// no option, whatever it is: as a value it is joined to its option, as an argument it stands behind `--`.
pub fn shell_command(name: &str, arguments: &[&str], options: &[(&str, Option<&str>)]) -> String {
    let option = |(name, value): &(&str, Option<&str>)| match value {
        None => (*name).to_owned(),
        Some(value) if value.starts_with('-') => format!("{name}={}", shell_word(value)),
        Some(value) => format!("{name} {}", shell_word(value)),
    };
    let mut options: Vec<String> = options.iter().map(option).collect();
    let words: Vec<String> = arguments.iter().map(|argument| shell_word(argument)).collect();
    let (first, last) = if arguments.iter().any(|argument| argument.starts_with('-')) {
        options.push("--".to_owned());
        (options, words)
    } else {
        (words, options)
    };
    [vec![name.to_owned()], first, last].concat().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_read_otherwise_is_quoted() {
        for plain in ["nta:coherence=0.9", "a/b-c_d.e", "页", "50%"] {
            assert_eq!(shell_word(plain), plain);
        }
        for (text, word) in
            [("", "''"), ("a b", "'a b'"), ("$x;rm", "'$x;rm'"), ("it's", "'it'\\''s'"), ("~", "'~'"), ("=ls", "'=ls'")]
        {
            assert_eq!(shell_word(text), word);
        }
    }

    #[test]
    fn a_path_is_no_name() {
        let words = ["pages", "my pages", "./pages", "/a/pages", ".", "-p"].map(|path| shell_path(Path::new(path)));
        assert_eq!(words, ["./pages", "'./my pages'", "./pages", "/a/pages", ".", "./-p"]);
    }

    #[test]
    fn no_argument_is_read_as_an_option() {
        let command = |page, row| shell_command("carat diff", &["my run", page], &[("--row", Some(row)), ("-f", None)]);
        assert_eq!(command("p", "r"), "carat diff 'my run' p --row r -f");
        assert_eq!(command("-p", "-r"), "carat diff --row=-r -f -- 'my run' -p");
        assert_eq!(command("- p", "=r"), "carat diff --row '=r' -f -- 'my run' '- p'");
    }
}
