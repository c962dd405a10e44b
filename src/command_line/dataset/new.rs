//! `carat dataset new`.

use carat_annotate::new_dataset::{Request, check_words, make};
use globset::Glob;

use crate::command_line::arguments::New;
use crate::command_line::failure::Failure;
use crate::command_line::output::{print, tell};
use crate::formats::shell::shell_word;
use crate::text::counted;

/// Makes a dataset of saved pages, and says what to do next.
pub(super) fn new_dataset(arguments: &New) -> Result<(), Failure> {
    let of_folder = || arguments.out.file_name().map(|name| name.to_string_lossy().to_lowercase());
    let name = arguments.name.clone().or_else(of_folder).unwrap_or_default();
    check_words(&name, arguments.language.as_deref())
        .map_err(|reason| Failure::request(format!("{reason} (--name, --language)")))?;
    let glob = arguments.only.as_deref().map(Glob::new).transpose();
    let glob = glob.map_err(|error| Failure::request(format!("--only: {error}")))?.map(|glob| glob.compile_matcher());
    let request = Request {
        source: &arguments.from,
        out: &arguments.out,
        name: &name,
        language: arguments.language.as_deref(),
        licence: &arguments.licence,
        is_wanted: &|id| glob.as_ref().is_none_or(|glob| glob.is_match(id)),
        sample: arguments.sample,
        seed: arguments.seed,
    };
    let made = make(&request).map_err(Failure::request)?;
    made.passed.iter().for_each(|(file, reason)| tell(&format!("passed over: {file}: {reason}")));
    if !made.without_url.is_empty() {
        let pages = counted(made.without_url.len(), "page");
        tell(&format!("note: {pages} without an address; each is a site of its own, and intervals are by site"));
    }
    tell("note: the pages are third parties' and may not be passed on (redistribution: none)");
    let out = shell_word(&arguments.out.to_string_lossy());
    print(&format!(
        "{}: {}\ncarat dataset check {out}\ncarat annotate {out} --by YOUR-NAME\n",
        arguments.out.display(),
        counted(made.pages, "page")
    ))
}
