//! A worker of carat whose extractions get worse in one of many ways, for tests of the gate. The way stands in the file
//! `regression.txt` of its folder, which its command does not name: its version and its files stay as they are.

use std::io::{self, BufRead, Write};
use std::time::Duration;

use serde_json::{Value as Json, json};

fn main() {
    let regression = std::fs::read_to_string("regression.txt").unwrap_or_default();
    say(&json!({"carat": 1, "name": "regressing", "version": "1.0"}));
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let request: Json = serde_json::from_str(&line).unwrap_or_default();
        say(&answer(regression.trim(), &request));
    }
}

fn say(line: &Json) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{line}");
    let _ = out.flush();
}

fn answer(regression: &str, request: &Json) -> Json {
    let (id, html) = (&request["id"], request["html"].as_str().unwrap_or_default());
    let page: usize = between(html, "data-page=\"", "\"").parse().unwrap_or_default();
    let is_every_sixth = page.is_multiple_of(6);
    match regression {
        "errors" if is_every_sixth => return json!({"id": id, "error": "no article found"}),
        "crashes" if is_every_sixth => std::process::exit(3),
        "slow" => std::thread::sleep(Duration::from_millis(200)),
        "hangs" if page == 7 => std::thread::sleep(Duration::from_secs(60)),
        _ => {}
    }
    let paragraphs: Vec<String> = html.split("<p>").skip(1).map(|rest| between(rest, "", "</p>").to_owned()).collect();
    let lines: Vec<String> = paragraphs.iter().map(|paragraph| paragraph.replace("&amp;", "&")).collect();
    let text = match regression {
        "last-paragraph" if is_every_sixth => lines[..lines.len() - 1].join("\n"),
        "nothing" if is_every_sixth => String::new(),
        "title-alone" if is_every_sixth => between(html, "<title>", "</title>").to_owned(),
        "one-site" if html.contains("data-site=\"c\"") => cut(&lines.join("\n"), 965),
        "tags-stay" => paragraphs.iter().map(|paragraph| format!("<p>{paragraph}</p>")).collect(),
        "reversed" => lines.iter().rev().cloned().collect::<Vec<_>>().join("\n"),
        "menu" => format!("Home | News | Sports | About\n{}", lines.join("\n")),
        "first-line-lost" => lines[1..].join("\n"),
        _ => worse(regression, &lines.join("\n")),
    };
    json!({"id": id, "text": text})
}

/// The whole text, worse.
fn worse(regression: &str, text: &str) -> String {
    let after_each = |mark: char| text.chars().flat_map(|c| [c, mark]).collect();
    match regression {
        "no-white-space" => text.replace(char::is_whitespace, ""),
        "zero-width" => after_each('\u{200B}'),
        "soft-hyphens" => text.replace("tion", "tion\u{AD}").replace("er", "\u{AD}er"),
        "spaced-out" => after_each(' '),
        "spaces-doubled" => text.replace(' ', "  "),
        "no-break-spaces" => text.replace(' ', "\u{A0}"),
        "escaped-twice" => text.replace('&', "&amp;amp;"),
        "no-not" => text.replace(" not ", " "),
        "one-per-cent" => cut(text, 991),
        "two-per-cent" => cut(text, 980),
        "truncated" => cut(text, 400),
        "doubled" => format!("{text}\n{text}"),
        "lower-case" => text.to_lowercase(),
        "no-digits" => text.replace(|c: char| c.is_ascii_digit(), ""),
        "straight-quotes" => text.replace(['“', '”'], "\""),
        "mojibake" => text.bytes().map(char::from).collect(),
        _ => text.to_owned(),
    }
}

/// So many thousandths of a text.
fn cut(text: &str, thousandths: usize) -> String {
    let characters = text.chars().count();
    text.chars().take(characters * thousandths / 1000).collect()
}

fn between<'t>(text: &'t str, before: &str, after: &str) -> &'t str {
    let rest = text.split_once(before).map_or("", |(_, rest)| rest);
    rest.split_once(after).map_or(rest, |(inside, _)| inside)
}
