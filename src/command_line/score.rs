//! `carat score`.

use std::path::Path;

use crate::page::charset::{decode_strictly, for_label};
use crate::scoring::{Gold, Measure};
use crate::text::normalise_lines;
use crate::text::tokens::Tokenizer;
use crate::text::words::Segmenter;
use serde_json::json;

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
    let comparison = &arguments.comparison;
    let (tokens, case) = (comparison.tokens.unwrap_or_default(), comparison.case.unwrap_or_default());
    let measure = comparison.measure.unwrap_or_default();
    if measure == Measure::Snippets {
        return Err(Failure::request(
            "snippets are looked for in the pages of a dataset: carat run --measure snippets",
        ));
    }
    if measure == Measure::Nodes {
        return Err(Failure::request(
            "two texts have no text nodes: `--measure nodes` is for runs over pages with gold nodes",
        ));
    }
    let (extracted, gold) = (text(&arguments.extracted)?, text(&arguments.gold)?);
    let segmenter = Segmenter::default();
    let mut tokenizer = Tokenizer::new(tokens, case, &segmenter);
    let gold = Gold::new(measure, &tokenizer.tokens(&gold));
    let counts = gold.counts(&tokenizer.tokens(&extracted));
    let [precision, recall, f1] = counts.score().fractions();
    match arguments.format {
        Format::Text => print_line(&format!(
            "precision {precision:.4}  recall {recall:.4}  F1 {f1:.4}\n{measure} over {tokens} tokens, case {case}: \
             {} matched, {} extracted, {} gold",
            counts.matched, counts.extracted, counts.gold
        )),
        Format::Json => print_json(&json!({
            "measure": measure, "tokens": tokens, "case": case,
            "matched": counts.matched, "extracted": counts.extracted, "gold": counts.gold,
            "precision": precision, "recall": recall, "f1": f1,
        })),
    }
}

fn text(path: &Path) -> Result<String, Failure> {
    let bytes = read_input(path, MOST_BYTES)?;
    let utf8 = for_label("utf-8").and_then(|encoding| decode_strictly(&bytes, encoding));
    let text = utf8.ok_or_else(|| Failure::new(Exit::Data, format!("{}: is not valid UTF-8", path.display())))?;
    Ok(normalise_lines(&text))
}
