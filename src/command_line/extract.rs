//! `carat extract`.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use crate::algorithms::find;
use crate::datasets::MAX_PAGE_BYTES;
use crate::formats::reading::{read_at_most, unread};
use crate::page::{Context, Page, charset};
use crate::runs::configuration::AlgorithmRequest;
use crate::runs::kinds::single_setting;
use serde_json::json;

use crate::command_line::arguments::{self, Format};
use crate::command_line::failure::Failure;
use crate::command_line::output::{print_json, print_result};
use crate::formats::code::Exit;

/// Prints the extraction of one page.
pub(crate) fn extract(arguments: arguments::Extract) -> Result<(), Failure> {
    let request = AlgorithmRequest::from_argument(&arguments.algorithm)?;
    let setting = single_setting(&request)?;
    let page = read_page(&arguments.page, arguments.encoding.as_deref(), arguments.language)?;
    let pages = [Arc::new(page)];
    let text = find(&request.name)?.choose(&pages, &setting).text(&pages[0]);
    let facts = &pages[0].facts;
    match arguments.format {
        Format::Text if text.is_empty() => Ok(()),
        Format::Text => print_result(&format!("{text}\n")),
        Format::Json => print_json(&json!({
            "algorithm": request.name,
            "parameters": setting.values(),
            "encoding": facts.encoding,
            "replaced": facts.replaced,
            "text": text,
        })),
    }
}

/// The page in a file, or on standard input for `-`.
pub(crate) fn read_page(path: &Path, encoding: Option<&str>, language: Option<String>) -> Result<Page, Failure> {
    let unknown = |label| Failure::request(format!("--encoding: `{label}` is no label of the Encoding Standard"));
    let encoding = encoding.map(|label| charset::for_label(label).ok_or_else(|| unknown(label))).transpose()?;
    let bytes = read_input(path, MAX_PAGE_BYTES)?;
    let context = Context { encoding, language, ..Context::default() };
    Page::new(&bytes, context).map_err(|error| Failure::new(Exit::Data, format!("{}: {error}", path.display())))
}

/// At most so many bytes of a file, or of standard input for `-`.
pub(crate) fn read_input(path: &Path, most: u64) -> Result<Vec<u8>, Failure> {
    if path != Path::new("-") {
        return Ok(read_at_most(path, most)?);
    }
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(most + 1).read_to_end(&mut bytes);
    read.map_err(|source| unread("standard input".as_ref(), source))?;
    if bytes.len() as u64 > most {
        return Err(Failure::new(Exit::Data, format!("standard input has more than {most} bytes")));
    }
    Ok(bytes)
}
