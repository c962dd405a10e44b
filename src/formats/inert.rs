//! Text of others, made inert where people read it. Names, notes, reasons and errors may come from anyone's dataset,
//! program or run: nothing in them shall act on a terminal, begin a line of its own, or be a command to who reads a log.

use std::borrow::Cow;

/// What stands for a character that was taken out.
const TAKEN_OUT: &str = "\u{FFFD}";

/// Whether `c` acts on what shows it: control characters, ends of lines, and marks that turn the direction of what follows.
pub fn is_steering(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Lines for people: nothing in them acts on a terminal, and none is a command.
pub fn lines(text: &str) -> String {
    without_commands(&without_steering(text)).into_owned()
}

/// `text` in one line, for a sentence, a cell or a title.
pub fn one_line(text: &str) -> String {
    let is_space = |c: char| c.is_whitespace() && is_steering(c);
    without_steering(&text.replace(is_space, " "))
}

/// `text` without what acts on a terminal; line feeds stay.
pub fn without_steering(text: &str) -> String {
    text.replace(|c| is_steering(c) && c != '\n', TAKEN_OUT)
}

/// `text` without commands to the programs that read the log of a job: lines that begin with `::` are commands to GitHub's
/// runner, and `##[` and `##name[` in any place of a line are to that, to Azure's and to TeamCity's.
pub fn without_commands(text: &str) -> Cow<'_, str> {
    if !text.contains("::") && !text.contains("##") {
        return Cow::Borrowed(text);
    }
    text.split_inclusive('\n').map(line_without_commands).collect::<String>().into()
}

fn line_without_commands(line: &str) -> String {
    let mut line = line.to_owned();
    // The runner passes over white space before a command.
    let begin = line.len() - line.trim_start().len();
    if line[begin..].starts_with("::") {
        line.replace_range(begin..begin + 1, TAKEN_OUT);
    }
    let brackets: Vec<usize> = line.match_indices('[').map(|(at, _)| at).collect();
    // From the last on, for what is put in is longer than what it stands for.
    for at in brackets.into_iter().rev() {
        let before = line[..at].trim_end_matches(|c: char| c.is_ascii_alphanumeric());
        if before.ends_with("##") {
            line.replace_range(before.len() - 1..before.len(), TAKEN_OUT);
        }
    }
    line
}

/// JSON that says the same, and where it is shown acts on nothing: what could is written as an escape.
pub fn json(text: &str) -> String {
    let mut inert = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            // Between the values; within a text it is an escape already.
            '\n' => inert.push(c),
            c if is_steering(c) => inert.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => inert.push(c),
        }
    }
    // They stand in texts alone, and may begin a command.
    inert.replace("##", "\\u0023\\u0023")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_acts_on_a_terminal() {
        let hostile = "a\u{1b}]8;;http://e\u{7}b\tc\r\u{9b}2J\u{7f}\u{202e}d\u{2066}e\u{2028}f\ng";
        assert_eq!(lines(hostile), "a�]8;;http://e�b�c��2J��d�e�f\ng");
        assert_eq!(one_line("a\r\nb\tc\u{2028}d\u{85}e\u{1b}[1m"), "a  b c d e�[1m");
        for plain in ["", "页 \u{3000}ü—😀", "a\u{200d}b", "x::y # ## [z] C++", "a ##"] {
            assert_eq!((lines(plain), one_line(plain)), (plain.to_owned(), plain.to_owned()));
        }
    }

    #[test]
    fn no_line_is_a_command() {
        for (text, told) in [
            ("::error::x", "�:error::x"),
            ("a\n \u{3000}::set-output name=x::y\n::\n", "a\n \u{3000}�:set-output name=x::y\n�:\n"),
            ("a ##[error]b", "a #�[error]b"),
            ("##vso[task.setvariable]##teamcity[x]", "#�vso[task.setvariable]#�teamcity[x]"),
            ("###[group]", "##�[group]"),
            ("std::vector ## a [b] ##a.[b]", "std::vector ## a [b] ##a.[b]"),
        ] {
            assert_eq!(lines(text), told);
        }
    }

    #[test]
    fn json_says_the_same() {
        let value = serde_json::json!({"##[a]": "\u{1b}\u{7f}\u{9b}\u{202e}\u{2028}\n::error::#1 页"});
        let inert = json(&serde_json::to_string_pretty(&value).unwrap());
        assert!(!inert.contains("##") && !inert.contains(|c| is_steering(c) && c != '\n'), "{inert}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&inert).unwrap(), value);
    }
}
