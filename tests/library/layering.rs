//! The layers of carat: what each folder of `core/src/` and `src/` may import of the others, and that inside a folder no
//! units import each other in circles. A violation is told with its file, line number and line.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Each layer with the layers that it may import.
const LAYERS: [(&str, &[&str]); 15] = [
    ("text", &[]),
    ("formats", &[]),
    ("page", &["text"]),
    ("papers", &["formats"]),
    ("scoring", &["text"]),
    ("structure", &["text", "page", "scoring"]),
    ("statistics", &[]),
    ("algorithms", &["page", "text"]),
    ("datasets", &["page", "scoring", "structure", "text", "formats"]),
    ("runs", &["text", "formats", "page", "scoring", "structure", "statistics", "algorithms", "datasets"]),
    ("decisions", &["runs", "papers", "statistics", "algorithms", "scoring", "text", "formats"]),
    ("report", &["runs", "papers", "statistics", "scoring", "text", "formats"]),
    ("short", &["text", "page", "scoring", "algorithms", "runs"]),
    ("explain", &["text", "formats", "page", "scoring", "statistics", "algorithms", "datasets", "runs", "report"]),
    (
        "command_line",
        &[
            "text", "formats", "page", "scoring", "structure", "statistics", "algorithms", "datasets", "runs",
            "papers", "decisions", "report", "explain",
        ],
    ),
];

/// What files of algorithms share; any other file of their folder is a family, which no other file may import.
const SHARED_BY_ALGORITHMS: [&str; 7] =
    ["algorithm", "declaration", "explanation", "features", "group", "parameters", "value"];

const PRINTING: [&str; 5] = ["print", "println", "eprint", "eprintln", "dbg"];

/// A word or a mark of a source file, comments and the insides of quotes left out.
#[derive(Clone, Copy, Debug)]
struct Token<'s> {
    text: &'s str,
    line: usize,
}

/// The tokens of `source`: words, `::`, and single marks.
fn tokens(source: &str) -> Vec<Token<'_>> {
    let (mut tokens, mut at, mut line) = (Vec::new(), 0, 1);
    while let Some(c) = source[at..].chars().next() {
        let rest = &source[at..];
        let length = skipped(rest).unwrap_or_else(|| {
            let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let length = if word > 0 { word } else { 1 + usize::from(rest.starts_with("::")) };
            let length = if word == 0 && !c.is_ascii() { c.len_utf8() } else { length };
            tokens.push(Token { text: &rest[..length], line });
            length
        });
        line += rest[..length].matches('\n').count();
        at += length;
    }
    tokens
}

/// The length of white space, a comment, a string or a character at the beginning of `rest`.
fn skipped(rest: &str) -> Option<usize> {
    let up_to = |end: &str, from: usize| rest[from..].find(end).map_or(rest.len(), |at| from + at + end.len());
    let first = rest.chars().next()?;
    if first.is_whitespace() {
        return Some(first.len_utf8());
    }
    if rest.starts_with("//") {
        return Some(up_to("\n", 0));
    }
    if rest.starts_with("/*") {
        return Some(block_comment(rest));
    }
    let quoted = rest.trim_start_matches(['b', 'c']);
    if rest.len() - quoted.len() <= 1 {
        let raw = quoted.strip_prefix('r').map(|raw| raw.trim_start_matches('#'));
        if let Some(raw) = raw.filter(|raw| raw.starts_with('"')) {
            let marks = "#".repeat(quoted.len() - 1 - raw.len());
            return Some(up_to(&format!("\"{marks}"), rest.len() - raw.len() + 1));
        }
        for quote in ['"', '\''] {
            if quoted.starts_with(quote) && (quote == '"' || is_character(quoted)) {
                return Some(rest.len() - quoted.len() + string(quoted, quote));
            }
        }
    }
    None
}

/// Whether the quote at the beginning of `rest` is that of a character, not of a lifetime.
fn is_character(rest: &str) -> bool {
    let mut inside = rest.chars().skip(1);
    inside.next() == Some('\\') || inside.next() == Some('\'')
}

fn string(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        let here = &rest.as_bytes()[at..];
        (depth, at) = match here {
            [b'/', b'*', ..] => (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth - 1, at + 2),
            _ => (depth, at + 1),
        };
        if depth == 0 {
            break;
        }
    }
    at
}

/// A path that a file names, resolved to begin at the crate's root.
#[derive(Debug, PartialEq, Eq)]
struct Named {
    path: Vec<String>,
    line: usize,
    /// Whether `pub use` names it.
    is_reexported: bool,
    /// Whether it stands in unit tests.
    is_tested: bool,
}

/// Every path of `tokens` that begins with `crate`, `self` or `super`, those of `use` groups one by one.
fn named<'s>(tokens: &[Token<'s>], file_module: &[&'s str]) -> Vec<Named> {
    let text = |at: usize| tokens.get(at).map_or("", |token: &Token<'s>| token.text);
    let mut found = Vec::new();
    let mut module: Vec<&str> = file_module.to_vec();
    let (mut depth, mut opened) = (0, Vec::new());
    let mut at = 0;
    while at < tokens.len() {
        match text(at) {
            "mod" if text(at + 2) == "{" => {
                module.push(text(at + 1));
                opened.push(depth);
                (depth, at) = (depth + 1, at + 3);
            }
            "{" => (depth, at) = (depth + 1, at + 1),
            "}" => {
                (depth, at) = (depth - 1, at + 1);
                if opened.last() == Some(&depth) {
                    opened.pop();
                    module.pop();
                }
            }
            // Not the `use<..>` of a type, which says what it holds.
            "use" if text(at + 1) != "<" => {
                let is_reexported = at > 0 && matches!(text(at - 1), "pub" | ")");
                let mut paths = Vec::new();
                at = used(tokens, at + 1, &mut Vec::new(), &module, &mut paths);
                let is_tested = module.contains(&"tests");
                found.extend(paths.into_iter().map(|named| Named { is_reexported, is_tested, ..named }));
            }
            "crate" | "self" | "super" if text(at + 1) == "::" => {
                let line = tokens[at].line;
                let mut path = vec![text(at)];
                at += 1;
                while text(at) == "::" && text(at + 1).starts_with(|c: char| c.is_alphabetic() || c == '_') {
                    path.push(text(at + 1));
                    at += 2;
                }
                let is_tested = module.contains(&"tests");
                found.extend(resolved(&path, &module).map(|path| Named {
                    path,
                    line,
                    is_reexported: false,
                    is_tested,
                }));
            }
            _ => at += 1,
        }
    }
    found
}

/// Reads the tree of a `use` from `at`, after `prefix`; gives the place after it.
fn used<'s>(
    tokens: &[Token<'s>],
    mut at: usize,
    prefix: &mut Vec<&'s str>,
    module: &[&'s str],
    found: &mut Vec<Named>,
) -> usize {
    let before = prefix.len();
    let line = tokens.get(at).map_or(0, |token| token.line);
    while let Some(token) = tokens.get(at) {
        match token.text {
            "{" => {
                at += 1;
                while tokens.get(at).is_some_and(|token| token.text != "}") {
                    at = used(tokens, at, prefix, module, found);
                    at += usize::from(tokens.get(at).is_some_and(|token| token.text == ","));
                }
                prefix.truncate(before);
                return at + 1;
            }
            "}" | "," | ";" => break,
            "::" => at += 1,
            "as" => at += 2,
            word => {
                prefix.push(word);
                at += 1;
            }
        }
    }
    if prefix.len() > before {
        let path = resolved(prefix, module);
        found.extend(path.map(|path| Named { path, line, is_reexported: false, is_tested: false }));
    }
    prefix.truncate(before);
    at
}

/// `path`, written in `module`, from the crate's root; `None` where it leads to another crate.
fn resolved(path: &[&str], module: &[&str]) -> Option<Vec<String>> {
    let mut resolved = match *path.first()? {
        "crate" => Vec::new(),
        "self" | "super" => module.to_vec(),
        _ => return None,
    };
    for &part in path {
        match part {
            "crate" | "self" => {}
            "super" => drop(resolved.pop()),
            part => resolved.push(part),
        }
    }
    Some(resolved.into_iter().map(str::to_owned).collect())
}

/// The module of the file at `path`, from the crate's root.
fn module_of(path: &str) -> Vec<&str> {
    path.trim_end_matches(".rs").split('/').filter(|part| *part != "mod").collect()
}

/// What is wrong with the file at `path` (below `src/` or `core/src/`), a sentence each with file, line number and line.
fn violations(path: &str, source: &str) -> Vec<String> {
    let tokens = tokens(source);
    let tell = |line: usize, why: &str| {
        format!("{path}:{line}: {why}: {}", source.lines().nth(line - 1).unwrap_or_default().trim())
    };
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
    let mut wrong = Vec::new();
    let module = module_of(path);
    for (at, token) in tokens.iter().enumerate().filter(|_| module[0] != "command_line") {
        let is_macro = text(at + 1) == "!";
        let is_stream = at >= 2 && text(at - 2) == "io" && matches!(token.text, "stdout" | "stderr");
        if is_stream || is_macro && PRINTING.contains(&token.text) {
            wrong.push(tell(token.line, "only the command line prints"));
        }
        if token.text == "clap" || token.text.starts_with("clap_") {
            wrong.push(tell(token.line, "clap lives in src/command_line alone"));
        }
    }
    if module == ["lib"] || module == ["main"] {
        return wrong;
    }
    let Some((layer, allowed)) = LAYERS.iter().find(|(layer, _)| *layer == module[0]) else {
        wrong.push(tell(1, &format!("`{}` is no layer", module[0])));
        return wrong;
    };
    for Named { path, line, .. } in named(&tokens, &module) {
        let imported = path.first().map_or("everything", String::as_str);
        if imported != *layer && !allowed.contains(&imported) {
            wrong.push(tell(line, &format!("{layer} may not import {imported}")));
        }
        let is_family_or_shared = *layer == "algorithms" && module.len() > 1;
        if let ("algorithms", Some(file)) = (imported, path.get(1))
            && is_family_or_shared
            && file != module[1]
            && !SHARED_BY_ALGORITHMS.contains(&file.as_str())
        {
            wrong.push(tell(line, &format!("algorithms/{} may not import algorithms/{file}", module[1])));
        }
    }
    wrong.dedup();
    wrong
}

/// Imports between the units of a room, each with the first place where it stands. A unit is a file or a folder in the
/// room's folder; what the room's `mod.rs` holds besides re-exports is the unit `mod`. Unit tests do not count.
type Imports = BTreeMap<(String, String), String>;

/// The imports between the units of `room`, of whose folder these are files with their paths and sources.
fn imports(room: &str, files: &[(String, String)]) -> Imports {
    let of_room = |path: &&Vec<String>| path.len() > 1 && path[0] == room;
    let mut reexported = BTreeMap::new();
    let mut units = BTreeSet::new();
    for (path, source) in files {
        match module_of(path).get(1) {
            Some(unit) => drop(units.insert((*unit).to_owned())),
            None => {
                let named = named(&tokens(source), &[room]).into_iter().filter(|named| named.is_reexported);
                reexported.extend(named.filter_map(|Named { path, .. }| {
                    Some((path.last()?.clone(), path.get(1).filter(|_| path[0] == room)?.clone()))
                }));
            }
        }
    }
    let unit_of = |name: &String| match units.get(name) {
        Some(unit) => unit.clone(),
        None => reexported.get(name).cloned().unwrap_or_else(|| "mod".to_owned()),
    };
    let mut imports = Imports::new();
    for (path, source) in files.iter().filter(|(path, _)| !path.ends_with("tests.rs")) {
        let module = module_of(path);
        let from = module.get(1).copied().unwrap_or("mod");
        let counted = named(&tokens(source), &module).into_iter();
        for Named { path: named, line, .. } in counted.filter(|named| !named.is_tested && !named.is_reexported) {
            let Some(to) = Some(&named).filter(of_room).map(|named| unit_of(&named[1])) else { continue };
            if to != from {
                imports.entry((from.to_owned(), to)).or_insert_with(|| format!("{path}:{line}"));
            }
        }
    }
    imports
}

/// Of `imports` those that are part of a circle, or stand between two.
fn circles(mut imports: Imports) -> Imports {
    loop {
        let before = imports.len();
        let importing: BTreeSet<String> = imports.keys().map(|(from, _)| from.clone()).collect();
        imports.retain(|(_, to), _| importing.contains(to));
        let imported: BTreeSet<String> = imports.keys().map(|(_, to)| to.clone()).collect();
        imports.retain(|(from, _), _| imported.contains(from));
        if imports.len() == before {
            return imports;
        }
    }
}

/// Every `.rs` file below `folder`, as a path below that folder.
fn sources(folder: &Path, below: &str, found: &mut Vec<(String, String)>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        let name = format!("{below}{}", entry.file_name().unwrap().to_str().unwrap());
        if entry.is_dir() {
            sources(&entry, &format!("{name}/"), found);
        } else if name.ends_with(".rs") {
            found.push((name, fs::read_to_string(entry).unwrap()));
        }
    }
}

/// Every file of both crates.
fn all_files() -> Vec<(String, String)> {
    let mut files = Vec::new();
    for folder in ["core/src", "src"] {
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), "", &mut files);
    }
    assert!(files.len() > 40, "{} files were read", files.len());
    files
}

#[test]
fn no_units_of_a_room_import_each_other_in_circles() {
    let files = all_files();
    for (room, _) in LAYERS {
        let of_room: Vec<_> = files.iter().filter(|(path, _)| module_of(path)[0] == room).cloned().collect();
        let circles = circles(imports(room, &of_room));
        let told: Vec<String> = circles.iter().map(|((from, to), at)| format!("{at}: {from} imports {to}")).collect();
        assert!(told.is_empty(), "{room} has units that import each other:\n{}\n", told.join("\n"));
    }
}

#[test]
fn circles_are_found_and_nothing_else() {
    let files = |sources: &[(&str, &str)]| -> Vec<(String, String)> {
        sources.iter().map(|(path, source)| ((*path).to_owned(), (*source).to_owned())).collect()
    };
    let found =
        |sources: &[(&str, &str)]| -> Vec<String> { circles(imports("page", &files(sources))).into_values().collect() };
    let (a, b) = (("page/a.rs", "use std::fmt;\nuse super::b::B;"), ("page/b/mod.rs", "use crate::page::a;"));
    assert_eq!(found(&[a, b]), ["page/a.rs:2", "page/b/mod.rs:1"]);
    // One direction is none, nor what leads into a circle or out of it.
    assert_eq!(found(&[a, ("page/b.rs", "")]), [""; 0]);
    assert_eq!(found(&[a, b, ("page/c.rs", "use super::a;"), ("page/d.rs", "use crate::text;")]).len(), 2);
    // Through a re-export of the room, and through what its own file holds.
    let room = ("page/mod.rs", "mod a;\nmod b;\npub use self::b::B;\npub use self::a::A;");
    assert_eq!(found(&[room, ("page/a.rs", "use super::B;"), ("page/b.rs", "fn f() -> super::A {}")]).len(), 2);
    assert_eq!(found(&[room, ("page/a.rs", "use super::B;"), ("page/b.rs", "")]).len(), 0);
    let holding = ("page/mod.rs", "mod a;\nuse self::a::A;\npub struct Own;");
    assert_eq!(found(&[holding, ("page/a.rs", "use super::Own;")]), ["page/a.rs:1", "page/mod.rs:2"]);
    // Unit tests may look at their siblings.
    assert_eq!(found(&[a, ("page/b/tests.rs", "use crate::page::a;")]).len(), 0);
    assert_eq!(found(&[a, ("page/b.rs", "mod tests {\n    use crate::page::a;\n}")]).len(), 0);
}

#[test]
fn every_file_keeps_to_its_layer() {
    let files = all_files();
    let wrong: Vec<String> = files.iter().flat_map(|(path, source)| violations(path, source)).collect();
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn the_layers_have_no_cycle() {
    for (at, (layer, allowed)) in LAYERS.iter().enumerate() {
        let above: Vec<&str> = LAYERS[..at].iter().map(|(layer, _)| *layer).collect();
        let upward = allowed.iter().find(|imported| !above.contains(imported));
        assert!(upward.is_none(), "{layer} may import {upward:?}, which does not stand above it");
    }
}

/// `lines` are the numbers of the lines that are told.
fn check(path: &str, source: &str, lines: &[usize]) {
    let told = violations(path, source);
    let expected: Vec<String> = lines.iter().map(|line| format!("{path}:{line}: ")).collect();
    let agree = told.len() == expected.len() && told.iter().zip(&expected).all(|(told, at)| told.starts_with(at));
    assert!(agree, "{path}:\n{source}\n=> {told:?}, expected {expected:?}");
}

#[test]
fn imports_of_other_layers_are_found() {
    check("page/tree.rs", "use crate::text::Lines;\nuse crate::runs::plan::Plan;\n", &[2]);
    check("page/mod.rs", "use std::fmt;\nfn f() { crate::scoring::ONE; }\n", &[2]);
    check(
        "text/mod.rs",
        "use crate::{\n    page::Page,\n    text::{self, words},\n    scoring::{Gold, Score},\n};",
        &[2, 4],
    );
    check("text/words.rs", "pub(crate) use crate::text::lcs as other;\npub use crate::formats as files;", &[2]);
    check("formats/yaml.rs", "#[cfg(test)]\nmod tests {\n    use super::*;\n    use crate::text;\n}", &[4]);
    check("statistics/mod.rs", "use crate::scoring::Score;", &[1]);
    check("report/mod.rs", "use crate::runs::folder::read;\nuse crate::scoring::ONE;\nuse crate::statistics;", &[2]);
    check("datasets/import/folder.rs", "use crate::datasets::Dataset;\nuse crate::algorithms::find;", &[2]);
    check("runs/doors/stored.rs", "use crate::datasets::Dataset;\nuse crate::report::make;", &[2]);
    check("decisions/compare.rs", "use crate::runs::folder;\nuse crate::statistics;\nuse crate::report::make;", &[3]);
    check("page/mod.rs", "use crate::*;\nuse crate as all;", &[1, 2]);
    check("novel/mod.rs", "", &[1]);
}

#[test]
fn paths_by_super_are_followed() {
    check("page/tree.rs", "use super::super::runs::plan;\nuse super::selection::Selection;", &[1]);
    check("page/mod.rs", "mod inner {\n    use super::tree;\n}\nuse super::scoring;", &[4]);
    check("page/mod.rs", "mod a { mod b { fn f() { super::super::super::runs::g(); } } }", &[1]);
    check("page/mod.rs", "use self::tree::Tree;\nfn f(&self) -> u32 { self.x + self::tree::y }", &[]);
}

#[test]
fn algorithms_do_not_import_each_other() {
    check(
        "algorithms/cevc.rs",
        "use super::value::Value;\nuse super::nta::Nta;\nuse crate::algorithms::floors;",
        &[2, 3],
    );
    check("algorithms/cevc.rs", "use super::features::links::Links;\nmod tests {\n    use super::*;\n}", &[]);
    check("algorithms/features/links.rs", "use super::Prefix;\nuse crate::algorithms::nta::Nta;", &[2]);
    check("algorithms/mod.rs", "fn f() { self::nta::Nta; }", &[]);
    check("algorithms/nta.rs", "use crate::{page::Page, algorithms::{value, cevc::Cevc}};", &[1]);
}

#[test]
fn printing_and_clap_stay_in_the_command_line() {
    check("page/mod.rs", "fn f() {\n    println!(\"x\");\n    dbg!(1);\n}", &[2, 3]);
    check("lib.rs", "fn f() { eprint!(\"x\"); }\nuse std::io::stdout;", &[1, 2]);
    check("runs/mod.rs", "use clap::Parser;\nfn f(c: &mut Command) { c.stdout(Stdio::piped()); }", &[1]);
    check("command_line/run.rs", "use clap::Parser;\nfn f() { println!(\"x\"); }\nuse crate::report::make;", &[]);
    check("main.rs", "fn main() {\n    println!(\"x\");\n}", &[2]);
    check("report/mod.rs", "use crate::command_line::main;", &[1]);
}

#[test]
fn what_a_type_holds_is_no_import() {
    check("text/mod.rs", "fn f() -> impl Iterator<Item = u8> + use<> {\n    g();\n}\nuse crate::page;", &[4]);
}

#[test]
fn words_in_comments_and_quotes_are_no_imports() {
    check("text/mod.rs", "// use crate::page;\n/* use /* crate::page */ crate::runs; */\n/// println!(\"\")", &[]);
    check("text/mod.rs", "const A: &str = \"crate::page \\\" println!()\";\nuse crate::page;", &[2]);
    check("text/mod.rs", "const A: &str = r#\"crate::page \"\"#;\nconst B: &[u8] = br\"\\\";\nuse crate::page;", &[3]);
    check(
        "text/mod.rs",
        "const A: char = '\"'; fn f<'a>(x: &'a str, c: char) {}\nuse crate::page; const B: u8 = b'\\'';",
        &[2],
    );
}
