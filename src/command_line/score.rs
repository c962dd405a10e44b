//! `carat score`.

use std::path::Path;

use crate::page::charset::{decode_strictly, for_label};
use crate::report::table_format::four;
use crate::scoring::{Comparison, Counts, Gold, Measure, Measured, Units};
use crate::text::normalise_lines;
use crate::text::tokens::Tokenizer;
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
    let segmenter = Segmenter::default();
    let scores: Vec<(Comparison, Measured)> =
        rules.into_iter().map(|rule| (rule, measured(rule, &extracted, &gold, &segmenter))).collect();
    match arguments.format {
        Format::Text => scores.iter().try_for_each(|(rule, measured)| print_line(&in_words(*rule, *measured))),
        Format::Json => {
            let mut objects: Vec<Json> = scores.iter().map(|(rule, measured)| as_json(*rule, *measured)).collect();
            print_json(&if objects.len() == 1 { objects.remove(0) } else { Json::from(objects) })
        }
    }
}

/// The rules of comparison that are asked for.
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
    let rule = |name: &String| {
        let rule =
            Comparison::read(name, default).map_err(|message| Failure::request(format!("--measure: {message}")))?;
        match rule.measure {
            Measure::Snippets => {
                Err(Failure::request("snippets are looked for in the pages of a dataset: carat run --measure snippets"))
            }
            Measure::Nodes => Err(Failure::request(
                "two texts have no text nodes: `--measure nodes` is for runs over pages with gold nodes",
            )),
            _ => Ok(rule),
        }
    };
    names.iter().map(rule).collect()
}

fn measured(rule: Comparison, extracted: &str, gold: &str, segmenter: &Segmenter) -> Measured {
    let Comparison { tokens, case, measure } = rule;
    let mut tokenizer = Tokenizer::new(tokens, case, segmenter);
    let mut units = |text: &str| match tokens.reads_as_it_stands() {
        true => Units::of(text, measure.reads_lines(), &mut tokenizer),
        false => Units::of(&normalise_lines(text), measure.reads_lines(), &mut tokenizer),
    };
    let gold = Gold::new(measure, &units(gold));
    gold.compare(&units(extracted))
}

fn in_words(rule: Comparison, measured: Measured) -> String {
    let Comparison { tokens, case, measure } = rule;
    let ([precision, recall, f1], Counts { matched, extracted, gold }) =
        (measured.score().fractions().map(four), measured.counts);
    format!(
        "precision {precision}  recall {recall}  F1 {f1}\n{measure} over {tokens} tokens, case {case}: \
         {matched} matched, {extracted} extracted, {gold} gold"
    )
}

fn as_json(rule: Comparison, measured: Measured) -> Json {
    let Comparison { tokens, case, measure } = rule;
    let ([precision, recall, f1], Counts { matched, extracted, gold }) =
        (measured.score().fractions(), measured.counts);
    json!({
        "measure": measure, "tokens": tokens, "case": case,
        "matched": matched, "extracted": extracted, "gold": gold,
        "precision": precision, "recall": recall, "f1": f1,
    })
}

/// The characters of a file, without a byte-order mark.
fn text(path: &Path) -> Result<String, Failure> {
    let bytes = read_input(path, MOST_BYTES)?;
    let utf8 = for_label("utf-8").and_then(|encoding| decode_strictly(&bytes, encoding));
    let text = utf8.ok_or_else(|| Failure::new(Exit::Data, format!("{}: is not valid UTF-8", path.display())))?;
    Ok(text)
}
