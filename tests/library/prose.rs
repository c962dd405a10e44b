//! The words of the documents: sentences that are short enough to be read once, and none of the phrases that readers stumbled over.

use std::path::{Path, PathBuf};

/// Words per sentence of a page, at most.
const MEAN: f64 = 22.0;

/// Words of one sentence, at most.
const LONGEST: usize = 40;

/// Phrases that readers had to read twice, with what to write instead.
const PHRASES: [(&str, &str); 16] = [
    ("drawn anew", "resampled"),
    ("drawn again", "resampled"),
    ("a page and row", "per page and row"),
    ("one line a ", "one line per "),
    ("a line a ", "one line per "),
    ("a file a ", "one file per "),
    ("a row a ", "one row per "),
    ("is borne", "is allowed"),
    ("in the way", "an I/O or permission error"),
    ("comes to the", "gives the"),
    ("what it comes to", "the result"),
    ("by what pages are like", "by page features"),
    ("for it is ", "because it is "),
    ("the way of the data", "data flow"),
    ("held against", "compared with"),
    ("stands beside", "appears beside"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The pages that are written by hand.
fn pages() -> Vec<PathBuf> {
    let is_made = |path: &Path| {
        let name = path.strip_prefix(root().join("docs")).map(Path::to_path_buf).unwrap_or_default();
        name.starts_with("algorithms") || name.ends_with("commands.md") || name.ends_with("SUMMARY.md")
    };
    let mut pages: Vec<PathBuf> = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| root().join(name)).into();
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|kind| kind == "md") && !is_made(&path) => pages.push(path),
                false => {}
            }
        }
    }
    pages
}

/// The sentences of a page: of paragraphs and items of lists, but not of code, tables and headings.
fn sentences(page: &str) -> Vec<String> {
    let mut blocks = vec![String::new()];
    let mut is_code = false;
    for line in page.lines() {
        let line = line.trim();
        if line.starts_with("```") {
            is_code = !is_code;
        }
        let item = line.split_once(' ').filter(|(first, _)| {
            ["-", "*", "+"].contains(first) || first.strip_suffix('.').is_some_and(|n| n.parse::<u32>().is_ok())
        });
        let is_apart = ["#", "|", "<", "!["].iter().any(|start| line.starts_with(start));
        if is_code || line.is_empty() || line.starts_with("```") || is_apart {
            blocks.push(String::new());
        } else if let Some((_, text)) = item {
            blocks.push(text.to_owned());
        } else if let Some(block) = blocks.last_mut() {
            block.push(' ');
            block.push_str(line);
        }
    }
    blocks.iter().flat_map(|block| sentences_of(&without_code(block))).collect()
}

/// The text with a word in place of each piece of code, and without the addresses of links.
fn without_code(text: &str) -> String {
    let words = text.split('`').enumerate().map(|(place, part)| if place % 2 == 0 { part } else { "code" });
    let mut text: String = words.collect();
    while let Some(start) = text.find("](") {
        let end = text[start..].find(')').map_or(text.len(), |end| start + end + 1);
        text.replace_range(start..end, "");
    }
    text
}

fn sentences_of(text: &str) -> Vec<String> {
    let mut sentences = vec![String::new()];
    for word in text.split_whitespace() {
        let last = sentences.last_mut().unwrap();
        last.push_str(word);
        last.push(' ');
        let bare = word.trim_end_matches(['*', ')', '"', '_']);
        if bare.ends_with(['.', '?', '!', ':']) && !["e.g.", "i.e.", "vs.", "pp.", "p."].contains(&bare) {
            sentences.push(String::new());
        }
    }
    sentences.retain(|sentence| sentence.split_whitespace().count() > 1);
    sentences
}

fn words(sentence: &str) -> usize {
    sentence.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count()
}

#[test]
fn sentences_are_counted_without_code_tables_and_addresses() {
    let page =
        "# Title\n\nOne two\nthree. `a b` [c d](e f g).\n\n- first\n- second one\n\n```sh\ncode code\n```\n| a | b |\n";
    assert_eq!(sentences(page), ["One two three. ", "code [c d. ", "second one "]);
}

#[test]
fn pages_have_short_sentences() {
    let mut faults = Vec::new();
    for path in pages() {
        let page = std::fs::read_to_string(&path).unwrap();
        let name = path.strip_prefix(root()).unwrap().display();
        let sentences = sentences(&page);
        let total: usize = sentences.iter().map(|sentence| words(sentence)).sum();
        let mean = total as f64 / sentences.len().max(1) as f64;
        println!("{name}: {mean:.1} words per sentence, {} sentences", sentences.len());
        if mean > MEAN {
            faults.push(format!("{name}: {mean:.1} words per sentence, at most {MEAN} are allowed"));
        }
        let long = sentences.iter().filter(|sentence| words(sentence) > LONGEST);
        faults.extend(long.map(|sentence| format!("{name}: {} words: {sentence}", words(sentence))));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn phrases_that_are_read_twice_are_not_used() {
    let mut faults = Vec::new();
    for path in pages() {
        let page = std::fs::read_to_string(&path).unwrap();
        let name = path.strip_prefix(root()).unwrap().display();
        for sentence in sentences(&page) {
            let lower = sentence.to_lowercase();
            for (phrase, instead) in PHRASES {
                if lower.contains(phrase) {
                    faults.push(format!("{name}: `{phrase}` (write `{instead}`): {sentence}"));
                }
            }
            let is_noun = ["What ", "Whether ", "Who "].iter().any(|first| sentence.starts_with(first));
            if is_noun && !sentence.trim_end().ends_with('?') {
                faults.push(format!("{name}: a clause as a noun: {sentence}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
