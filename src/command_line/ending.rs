//! The end of a command that failed: its failure on stderr, and the exit code.

use std::process::ExitCode;

use crate::formats::code::Exit;
use crate::formats::inert;
use crate::formats::yaml::YamlError;
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report, SourceSpan};

use crate::command_line::failure::{Failure, Told, coloured};
use crate::command_line::output::{print_coloured, tell, tell_coloured};

impl Failure {
    /// Prints the failure and gives the exit code.
    pub(crate) fn report(self) -> ExitCode {
        match self.told {
            // A reader of the help that has gone away is no error.
            Told::Grammar(help) if self.kind == Exit::Nothing => drop(print_coloured(&help)),
            Told::Grammar(lines) => tell_coloured(lines.trim_end()),
            Told::Place(place) => tell_coloured(&frame(&place)),
            Told::Sentence(sentence) if self.kind == Exit::Interrupted => tell(&sentence),
            Told::Sentence(sentence) => tell(&format!("error: {}", sentence.trim_end())),
        }
        ExitCode::from(self.kind as u8)
    }
}

/// The message with the configuration's line and a caret under the place.
fn frame(error: &YamlError) -> String {
    // Colours are put in below, so what is of others is made inert before; every character keeps its place.
    let (file, text) = (inert::one_line(&error.file), inert::lines(&error.text));
    let offset: usize = text.split_inclusive('\n').take(error.at.line.saturating_sub(1)).map(str::len).sum();
    let line = text[offset..].lines().next().unwrap_or_default();
    let column = line.char_indices().nth(error.at.column.saturating_sub(1)).map_or(line.len(), |(at, _)| at);
    let length = line[column..].split([' ', ',', ':', ']', '}']).next().unwrap_or_default().len();
    let span = SourceSpan::new((offset + column).into(), length.max(1));
    let message = inert::one_line(&error.message);
    let message = format!("{file}:{}:{}: {message}", error.at.line, error.at.column);
    let diagnostic = MietteDiagnostic::new(message).with_label(LabeledSpan::new_with_span(None, span));
    let report = Report::new(diagnostic).with_source_code(NamedSource::new(&file, text));
    let theme = if coloured() { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let mut framed = String::new();
    let handler = GraphicalReportHandler::new_themed(theme).with_links(false);
    match handler.render_report(&mut framed, report.as_ref()) {
        Ok(()) => framed.trim_end().to_owned(),
        Err(_) => format!("error: {}", inert::one_line(&error.to_string())),
    }
}
