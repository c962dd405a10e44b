//! Arguments of the commands on a single page or text.

use std::path::PathBuf;

use clap::Args;

use super::{Comparison, Format};

pub(super) const EXTRACT_EXAMPLES: &str = "\
Examples:
  carat extract page.html --algorithm nta
  carat extract page.html --algorithm cevc:alpha=0.7 --language zh
  curl -s https://example.org/ | carat extract - --algorithm largest-p-parent
  carat extract old.html --algorithm nta --encoding gb2312
  carat extract ./my-pages --algorithm nta --out texts     one text per page below the folder
  carat run --dataset ./my-pages --stored ./texts          scores them again";

/// Arguments of `carat extract`.
#[derive(Args)]
pub(crate) struct Extract {
    /// An HTML file, or - for standard input; with --out any number of files and folders of files
    #[arg(required = true)]
    pub pages: Vec<PathBuf>,
    /// The algorithm, with single values of its parameters
    #[arg(long, value_name = "NAME[:PARAMETER=VALUE,..]")]
    pub algorithm: String,
    /// The page's encoding, if it is known better than the page says
    #[arg(long, value_name = "LABEL")]
    pub encoding: Option<String>,
    /// The content's language (BCP 47), which decides the stop list
    #[arg(long, value_name = "TAG")]
    pub language: Option<String>,
    /// Write a text file for each page into this folder, each page taken alone
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text, conflicts_with = "out")]
    pub format: Format,
}

pub(super) const SCORE_EXAMPLES: &str = "\
Examples:
  carat score extraction.txt gold.txt
  carat score extraction.txt gold.txt --tokens word
  carat extract page.html --algorithm nta | carat score - gold.txt --format json";

/// Arguments of `carat score`.
#[derive(Args)]
pub(crate) struct Score {
    /// The extraction, a UTF-8 text file, or - for standard input
    pub extracted: PathBuf,
    /// The gold, a UTF-8 text file, or - for standard input
    pub gold: PathBuf,
    #[command(flatten)]
    pub comparison: Comparison,
    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}
