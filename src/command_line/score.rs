//! `carat score`.

use std::path::Path;

use crate::page::charset::{decode_strictly, for_label};
use crate::report::table_format::four;
use crate::scoring::{Comparison, Counts, Measure, Measured};
use crate::structure::{Document, TextKind, compare};
use crate::text::words::Segmenter;
use serde_json::{Value as Json, json};

use crate::command_line::arguments::{self, Format};
use crate::command_line::extract::read_input;
use crate::command_line::failure::Failure;
use crate::command_line::output::{print_json, print_line};
use crate::formats::code::Exit;

/// A text of more bytes is refused.
const MOST_BYTES: u64 = 1 << 30;

/// Prints precision, recall and F1 of two texts.
pub(crate) fn score(arguments: arguments::Score) -> Result<(), Failure> {
    if arguments.extracted == Path::new("-") && arguments.gold == Path::new("-") {
        return Err(Failure::request("only one of the two texts can come from standard input"));
    }
    let rules = rules(&arguments.comparison)?;
    let (extracted, gold) = (text(&arguments.extracted)?, text(&arguments.gold)?);
    let document = |text: &str, path: &Path| Document::new(arguments.kind.unwrap_or_else(|| kind_of(path)), text);
    let documents = (document(&extracted, &arguments.extracted), document(&gold, &arguments.gold));
    let segmenter = Segmenter::default();
    let score = |rule: &Comparison| match rule.measure {
        Measure::Structure(part) => {
            compare(part, &documents.0, &documents.1).map_err(|error| Failure::request(error.to_string()))
        }
        _ => Ok(Some(rule.measured(&extracted, &gold, &segmenter))),
    };
    let scores: Vec<(&Comparison, Option<Measured>)> =
        rules.iter().map(|rule| Ok((rule, score(rule)?))).collect::<Result<_, Failure>>()?;
    match arguments.format {
        Format::Text => scores.iter().try_for_each(|(rule, measured)| print_line(&in_words(rule, *measured))),
        Format::Json => {
            let mut objects: Vec<Json> = scores.iter().map(|(rule, measured)| as_json(rule, *measured)).collect();
            print_json(&if objects.len() == 1 { objects.remove(0) } else { Json::from(objects) })
        }
    }
}

/// The kind that a file's suffix tells.
fn kind_of(path: &Path) -> TextKind {
    match path.extension().and_then(|suffix| suffix.to_str()) {
        Some("md" | "markdown") => TextKind::Markdown,
        Some("html" | "htm") => TextKind::Html,
        _ => TextKind::Text,
    }
}

/// The rules that are asked for.
fn rules(asked: &arguments::Comparison) -> Result<Vec<Comparison>, Failure> {
    let default = Comparison {
        tokens: asked.tokens.unwrap_or_default(),
        case: asked.case.unwrap_or_default(),
        measure: Measure::default(),
    };
    let names = match &asked.measure[..] {
        [] => vec![default.measure.to_string()],
        names => names.to_vec(),
    };
    let mut rules = Vec::new();
    for name in &names {
        let rule = rule(name, default)?;
        if rules.contains(&rule) {
            return Err(Failure::request(format!("--measure: `{name}` is asked for twice")));
        }
        rules.push(rule);
    }
    Ok(rules)
}

fn rule(name: &str, default: Comparison) -> Result<Comparison, Failure> {
    let rule = Comparison::read(name, default).map_err(|message| Failure::request(format!("--measure: {message}")))?;
    match rule.measure {
        Measure::Snippets => {
            Err(Failure::request("snippets are looked for in the pages of a dataset: carat run --measure snippets"))
        }
        Measure::Nodes => Err(Failure::request(
            "two texts have no text nodes: `--measure nodes` is for runs over pages with gold nodes",
        )),
        _ => Ok(rule),
    }
}

fn in_words(rule: &Comparison, measured: Option<Measured>) -> String {
    let name = match rule {
        Comparison { measure: Measure::Structure(structure), .. } => structure.to_string(),
        Comparison { tokens, case, measure } => format!("{measure} over {tokens} tokens, case {case}"),
    };
    let Some(measured) = measured else { return format!("neither text has a part of this kind\n{name}: no score") };
    let ([precision, recall, f1], Counts { matched, extracted, gold }) =
        (measured.score().fractions().map(four), measured.counts);
    format!(
        "precision {precision}  recall {recall}  F1 {f1}\n{name}: {matched} matched, {extracted} extracted, {gold} gold"
    )
}

fn as_json(rule: &Comparison, measured: Option<Measured>) -> Json {
    let mut object = match rule {
        Comparison { measure: Measure::Structure(structure), .. } => json!({"measure": structure.to_string()}),
        Comparison { tokens, case, measure } => json!({"measure": measure, "tokens": tokens, "case": case}),
    };
    let score = measured.map(|measured| (measured.counts, measured.score().fractions()));
    for (place, key) in ["matched", "extracted", "gold"].into_iter().enumerate() {
        object[key] = json!(score.map(|(counts, _)| [counts.matched, counts.extracted, counts.gold][place]));
    }
    for (place, key) in ["precision", "recall", "f1"].into_iter().enumerate() {
        object[key] = json!(score.map(|(_, fractions)| fractions[place]));
    }
    object
}

/// The characters of a file, without a byte-order mark.
fn text(path: &Path) -> Result<String, Failure> {
    let bytes = read_input(path, MOST_BYTES)?;
    let utf8 = for_label("utf-8").and_then(|encoding| decode_strictly(&bytes, encoding));
    let text = utf8.ok_or_else(|| Failure::new(Exit::Data, format!("{}: is not valid UTF-8", path.display())))?;
    Ok(text)
}
