//! A gate without a verdict: the files that were asked for say so, so that none of an earlier gate stands in its place.

use std::path::Path;

use super::{annotations, junit, markdown};
use crate::command_line::arguments;
use crate::command_line::failure::Failure;
use crate::command_line::output::{tell, tell_command};
use crate::formats::files::{FileError, write_named};

/// The reason in the files until there is a verdict, and for good if the program is killed before.
const UNFINISHED: &str = "the gate was ended before it came to a verdict";

/// Puts the files that say so in the place of those of an earlier gate. What is appended to a file of others stands for good,
/// so it waits for the verdict.
pub(super) fn begin(arguments: &arguments::Gate) -> Result<(), FileError> {
    let own = files(arguments, UNFINISHED).into_iter().filter(|(path, _)| !super::is_summary_of_step(path));
    own.into_iter().try_for_each(|(path, text)| write_named(path, text.as_bytes()))
}

/// Tells why there is no verdict wherever the verdict would be told.
pub(super) fn end(arguments: &arguments::Gate, failure: &Failure) {
    let sentence = failure.sentence();
    for (path, text) in files(arguments, &sentence) {
        // The gate has failed already, and this is no reason for another exit code.
        if let Err(error) = super::write_report(path, &text) {
            tell(&format!("warning: {error}"));
        }
    }
    if super::is_annotated(arguments) {
        tell_command(&annotations::unjudged(&sentence));
    }
}

/// The files that are asked for, with their texts.
fn files<'a>(arguments: &'a arguments::Gate, sentence: &str) -> Vec<(&'a Path, String)> {
    let config = arguments.config.display().to_string();
    let junit = arguments.junit.as_deref().map(|path| (path, junit::unjudged(sentence)));
    let markdown = arguments.markdown.as_deref().map(|path| (path, markdown::unjudged(&config, sentence)));
    junit.into_iter().chain(markdown).collect()
}
