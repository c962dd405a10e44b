//! `carat external per-page`: a program that knows nothing of workers, as one.

use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::command_line::arguments::ExternalPerPage;
use crate::command_line::failure::Failure;
use crate::command_line::output::print_json_text;
use crate::formats::code::Exit;
use crate::runs::doors::external::program_files::{in_path, may_be_executed};

/// The longest name of a program.
const LONGEST_NAME: usize = 64;

/// The fields of a request that are read.
#[derive(Deserialize)]
struct Request {
    id: Json,
    html: String,
    #[serde(default)]
    url: Option<String>,
}

/// Answers requests on stdin until there are no more: the program is started for each page.
pub(super) fn per_page(arguments: &ExternalPerPage) -> Result<(), Failure> {
    let program = &arguments.program[0];
    let of_file = || program.rsplit(['/', '\\']).next().unwrap_or(program);
    let name = plain(arguments.name.as_deref().unwrap_or_else(of_file));
    // A program that is named without its folder is no file that its command names: one that changes is another program.
    let in_path = if program.contains('/') { None } else { in_path(program, None) };
    let files: Vec<PathBuf> = in_path.into_iter().collect();
    // A worker that says hello is a program that can be asked.
    if files.is_empty() && !may_be_executed(Path::new(program)) {
        let why = match Path::new(program).is_file() {
            true => format!("the file may not be executed; `chmod +x {program}` allows it"),
            false => "there is no such program".to_owned(),
        };
        return Err(Failure::new(Exit::System, format!("`{program}` cannot be started: {why}")));
    }
    say(&json!({ "carat": 1, "name": name, "version": arguments.version, "files": files }))?;
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| Failure::new(Exit::System, format!("stdin cannot be read: {error}")))?;
        let request: Request = serde_json::from_str(&line)
            .map_err(|error| Failure::new(Exit::Data, format!("no request of the protocol: {error}")))?;
        let Request { id, html, url } = request;
        say(&match ran(&arguments.program, &html, url.as_deref()) {
            Ok(text) => json!({ "id": id, (arguments.reply.to_string()): text }),
            Err(error) => json!({ "id": id, "error": error }),
        })?;
    }
    Ok(())
}

fn say(message: &Json) -> Result<(), Failure> {
    print_json_text(&format!("{message}\n"))
}

/// `name` as the protocol takes it.
fn plain(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    let parts: Vec<&str> = name.split(|c| !is_plain(c)).filter(|part| !part.is_empty()).collect();
    match parts.is_empty() {
        true => "program".to_owned(),
        false => parts.join("-").chars().take(LONGEST_NAME).collect(),
    }
}

/// The text that the program writes for a page.
///
/// # Errors
/// A sentence: it cannot be started, or fails, or writes no UTF-8.
fn ran(program: &[String], html: &str, url: Option<&str>) -> Result<String, String> {
    let mut command = Command::new(&program[0]);
    command.args(&program[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(url) = url {
        command.env("PAGE_URL", url);
    }
    let mut child = command.spawn().map_err(|error| format!("`{}` cannot be started: {error}", program[0]))?;
    let input = child.stdin.take();
    let output = thread::scope(|scope| {
        // A program need not read all of its page.
        scope.spawn(move || input.map(|mut input| input.write_all(html.as_bytes())));
        child.wait_with_output()
    });
    let Output { status, stdout, stderr } = output.map_err(|error| format!("its output cannot be read: {error}"))?;
    // The program's words for the one who runs it; if they cannot be passed on, the reply still can.
    let _ = io::stderr().write_all(&stderr);
    if !status.success() {
        let told = String::from_utf8_lossy(&stderr);
        let last = told.lines().rev().find(|line| !line.trim().is_empty());
        return Err(format!("{status}{}", last.map_or_else(String::new, |line| format!(": {}", line.trim()))));
    }
    String::from_utf8(stdout).map_err(|error| format!("it wrote no UTF-8: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_made_plain() {
        assert_eq!(plain("my tool (new)"), "my-tool-new");
        assert_eq!(plain("提取 x"), "x");
        assert_eq!(plain("提取"), "program");
        assert_eq!(plain(&"a".repeat(70)).len(), LONGEST_NAME);
    }
}
