//! Arguments of the commands on a single page or text.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};

use crate::formats::shell::shell_word;
use crate::structure::TextKind;

use super::{Comparison, Format};

pub(super) const EXTRACT_EXAMPLES: &str = "\
Examples:
  # One page
  carat extract page.html --algorithm nta
  carat extract page.html --algorithm cevc:alpha=0.7 --language zh
  # From standard input
  curl -s https://example.org/ | carat extract - --algorithm largest-p-parent
  # A page whose encoding is stated wrongly
  carat extract old.html --algorithm nta --encoding gb2312
  # One text per page of a folder, and the score of these texts
  carat extract ./my-pages/html --algorithm nta --out texts
  carat run --dataset ./my-pages --stored ./texts";

/// Arguments of `carat extract`.
#[derive(Args)]
pub(crate) struct Extract {
    /// HTML file, or - for standard input; with --out also several files and folders
    #[arg(required = true, value_parser = PathBufValueParser::new().try_map(no_address))]
    pub pages: Vec<PathBuf>,
    /// Algorithm, with one value per parameter
    #[arg(long, value_name = "NAME[:PARAMETER=VALUE,..]")]
    pub algorithm: String,
    /// Encoding of the page, if the page states a wrong one
    #[arg(long, value_name = "LABEL")]
    pub encoding: Option<String>,
    /// Language of the content (BCP 47), which selects the stop list, or none [default: found in the text of the page]
    #[arg(long, value_name = "TAG")]
    pub language: Option<String>,
    /// Write NAME.txt for each NAME.html into this folder, in the same subfolders
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// --out: replace texts that are there with other content
    #[arg(long, requires = "out")]
    pub force: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text, conflicts_with = "out")]
    pub format: Format,
}

/// Refuses the address of a page, where a file is wanted.
fn no_address(path: PathBuf) -> Result<PathBuf, String> {
    let text = path.to_string_lossy();
    let lower = text.to_lowercase();
    match ["http://", "https://"].iter().any(|scheme| lower.starts_with(scheme)) {
        true => Err(format!(
            "carat fetches no pages; save the page, or pass it on: curl -sL {} | carat extract - --algorithm nta",
            shell_word(&text)
        )),
        false => Ok(path),
    }
}

pub(super) const SCORE_EXAMPLES: &str = "\
Examples:
  carat score extraction.txt gold.txt
  carat score extraction.txt gold.txt --tokens word
  carat extract page.html --algorithm nta | carat score - gold.txt";

/// Arguments of `carat score`.
#[derive(Args)]
pub(crate) struct Score {
    /// Extraction: a UTF-8 text file, or - for standard input
    pub extracted: PathBuf,
    /// Gold: a UTF-8 text file, or - for standard input
    pub gold: PathBuf,
    #[command(flatten)]
    pub comparison: Comparison,
    /// Kind of both files, for the measures of tables, code and formulas: text, markdown or html [default: by the suffix .md
    /// or .html]
    #[arg(long, value_name = "KIND")]
    pub kind: Option<TextKind>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}
