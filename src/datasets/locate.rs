//! What a dataset's name on the command line means.

use crate::formats::code::Code;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::catalog;
use super::import::{self, Options};
use super::load::{Loading, load_folder_with};
use super::synth::Synthetic;
use super::{Dataset, DatasetError};
use crate::formats::shell::{shell_path, shell_word};
use crate::text::nearest;

/// The dataset that is compiled into the program.
pub const EMBEDDED: &str = "portals";

/// The environment variable that names a folder of corpora in their upstream layouts.
pub const CORPORA: &str = "CARAT_CORPORA";

/// The folder of corpora, if `CARAT_CORPORA` names one.
pub fn corpora() -> Option<PathBuf> {
    std::env::var_os(CORPORA).map(PathBuf::from)
}

/// The dataset that `name` means: the embedded one; else `datasets/NAME`; else `CARAT_CORPORA/NAME`
/// through the importer of that name; else `synth:RECIPE`, made from it; else `FORMAT:PATH`, through that importer; else a folder.
/// Behind a path options of its importer may stand, as `./my-pages,language=zh`.
///
/// # Errors
/// [`DatasetError`]: nothing of that name, or a fault of the dataset.
pub fn locate(name: &str) -> Result<Dataset, DatasetError> {
    locate_with(name, Loading::default())
}

/// The same, which may go on at faults of pages; no page may be left then.
///
/// # Errors
/// As [`locate`].
pub fn locate_with(name: &str, loading: Loading) -> Result<Dataset, DatasetError> {
    if name.is_empty() {
        return Err(DatasetError::new(Code::Unknown, "(no name)", "a dataset needs a name, a FORMAT:PATH or a folder"));
    }
    if name == EMBEDDED {
        return Ok(Synthetic::read(Path::new(EMBEDDED), &BTreeMap::new())?.dataset());
    }
    if let Some(made) = name.strip_prefix(MADE) {
        return made_of(made);
    }
    if let Some((format, path)) = name.split_once(':') {
        if let Some(importer) = import::find(format) {
            let (path, options) = with_options(path, importer);
            return importer.read_with(Path::new(path), &options, loading);
        }
        if let Some(message) = import::left_out(format) {
            return Err(DatasetError::new(Code::Unknown, name, message));
        }
    }
    let is_path = name.contains(['/', '\\']) || name.starts_with('.');
    if is_path {
        return folder(Path::new(name), loading);
    }
    let own = Path::new("datasets").join(name);
    if own.join("dataset.yaml").is_file() {
        return load_folder_with(&own, loading);
    }
    if let Some(corpus) = corpora().map(|corpora| corpora.join(name)).filter(|folder| folder.is_dir()) {
        return match import::find(name) {
            Some(importer) => importer.read_with(&corpus, &Options::default(), loading),
            None => folder(&corpus, loading),
        };
    }
    Err(DatasetError::new(Code::Unknown, name, unknown(name)))
}

/// Begins the name of a dataset that is made for the run: `synth:RECIPE,DIAL=AMOUNT,..`.
pub const MADE: &str = "synth:";

/// The dataset that `RECIPE,DIAL=AMOUNT,..` makes.
fn made_of(text: &str) -> Result<Dataset, DatasetError> {
    let (recipe, dials) = text.split_once(',').unwrap_or((text, ""));
    let pairs = dials.split(',').filter(|pair| !pair.is_empty()).map(|pair| match pair.split_once('=') {
        Some((dial, amount)) => Ok((dial.to_owned(), amount.to_owned())),
        None => Err(DatasetError::new(Code::Unknown, text, format!("`{pair}`: expected DIAL=AMOUNT"))),
    });
    Ok(Synthetic::read(Path::new(recipe), &pairs.collect::<Result<_, _>>()?)?.dataset())
}

/// The path in the name of a dataset, which may have a format before it and options behind it.
pub(crate) fn path_in(name: &str) -> &str {
    let of_format = name.split_once(':').and_then(|(format, path)| Some((path, import::find(format)?)));
    let (path, importer) = of_format.unwrap_or((name, &import::folder::IMPORTER));
    with_options(path, importer).0
}

/// A folder with a manifest, or a folder of pages and golds.
fn folder(path: &Path, loading: Loading) -> Result<Dataset, DatasetError> {
    if path.join("dataset.yaml").is_file() {
        return load_folder_with(path, loading);
    }
    let text = path.to_string_lossy();
    let (plain, options) = with_options(&text, &import::folder::IMPORTER);
    let plain = Path::new(plain);
    if !options.0.is_empty() && plain.join("dataset.yaml").is_file() {
        let message = "a folder with a dataset.yaml takes no options of importers: change its files";
        return Err(DatasetError::new(Code::Option, plain.display(), message));
    }
    if plain.is_file() {
        let (path, file) = (shell_path(plain), shell_word(&plain.to_string_lossy()));
        let lower = plain.to_string_lossy().to_lowercase();
        let message = match [".html", ".htm"].iter().any(|ending| lower.ends_with(ending)) {
            true => {
                format!("a dataset is a folder; `carat extract {path} --algorithm nta` prints the content of one page")
            }
            false if [".warc", ".warc.gz"].iter().any(|ending| lower.ends_with(ending)) => {
                format!("a dataset is a folder; the pages of a WARC file are named as `warc:{file}`")
            }
            false if plain.parent().is_some_and(|folder| folder.join("dataset.yaml").is_file()) => {
                let home = plain.parent().map(shell_path).unwrap_or_default();
                format!("a dataset is a folder: name the one that this file and its dataset.yaml lie in, {home}")
            }
            false => format!("a dataset is a folder; a table of pages is named as `table:{file}`"),
        };
        return Err(DatasetError::new(Code::Unknown, plain.display(), message));
    }
    if plain.join("run.yaml").is_file() {
        let message = "this is the folder of a run; its pages are those of the datasets in its run.yaml";
        return Err(DatasetError::new(Code::Unknown, plain.display(), message));
    }
    if let Some(importer) = import::of_layout(plain).filter(|_| options.0.is_empty()) {
        let (name, path) = (importer.name, plain.display());
        let message = format!(
            "this looks like {name}: `{name}:{path}` reads its gold; `folder:{path}` reads it as a plain folder of pages"
        );
        return Err(DatasetError::new(Code::Unknown, path, message));
    }
    if loading.gold_outside {
        let message = "--gold-outside is for a dataset.yaml with a gold_folder, and there is none: golds of a plain folder lie inside \
                       it, so name the folder that holds pages and golds, and say with gold_glob which files are golds";
        return Err(DatasetError::new(Code::Option, plain.display(), message));
    }
    import::folder::IMPORTER.read_with(plain, &options, loading)
}

/// The path and the importer's options in `PATH,KEY=VALUE,..`. A comma is part of the path, or of a value, unless the name
/// of an option and `=` come behind it, or a word and `=` behind a path that is there: the importer refuses that option.
pub fn with_options<'n>(name: &'n str, importer: &import::Importer) -> (&'n str, Options) {
    // Behind an option that is known any word with `=` is one, for no path goes on there.
    let mut are_options = false;
    let mut begins_option = |at: usize| {
        let key = name[at + 1..].split_once('=').map(|(key, _)| key);
        let is_known = |key: &str| importer.option_names().any(|known| known == key);
        let begins = key.is_some_and(|key| is_known(key) || is_word(key) && (are_options || ends_path(name, at)));
        are_options |= begins;
        begins
    };
    let commas = name.match_indices(',').map(|(at, _)| at).filter(|&at| begins_option(at));
    let ends: Vec<usize> = commas.chain([name.len()]).collect();
    let pairs = ends.windows(2).filter_map(|ends| name[ends[0] + 1..ends[1]].split_once('='));
    (&name[..ends[0]], Options(pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()))
}

/// True if the text looks like the name of an option.
fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
}

/// True if what stands before `at` is the path of something, and the whole name is not.
fn ends_path(name: &str, at: usize) -> bool {
    Path::new(&name[..at]).exists() && !Path::new(name).exists()
}

fn unknown(name: &str) -> String {
    if let Ok(entry) = catalog::builtin().find(name) {
        return format!(
            "it is not here yet: `carat dataset pull {name}` brings it, or tells how to get it; files of it that you have are \
             read as `{}:PATH`",
            entry.importer
        );
    }
    let is_option =
        |key: &str| import::IMPORTERS.iter().flat_map(|importer| importer.options).any(|option| option.name == key);
    if name.split_once('=').is_some_and(|(key, _)| is_option(key)) {
        return format!(
            "this is an option, and stands behind the name of a dataset: \"./pages,{name}\", in quotation marks where it is in a list \
             [..], for there a comma ends the name"
        );
    }
    if let Some((_, options)) = name.split_once(',').filter(|(name, _)| *name == EMBEDDED) {
        return format!("`{EMBEDDED}` is the embedded dataset, which takes no options: leave out `{options}`");
    }
    let formats = import::IMPORTERS.iter().map(|importer| importer.name);
    match nearest(name, formats.clone().chain([EMBEDDED])) {
        Some(meant) if meant != name => format!("there is no dataset of this name; did you mean `{meant}`?"),
        _ => format!(
            "there is no dataset of this name: give `{EMBEDDED}`, a folder ({}), FORMAT:PATH (formats: {}), \
             or set {CORPORA} to the folder that holds it",
            shell_word(&format!("./{name}")),
            formats.collect::<Vec<_>>().join(", ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_dataset_loads() {
        let dataset = locate(EMBEDDED).unwrap();
        assert_eq!(dataset.name(), EMBEDDED);
        assert!(dataset.records.len() >= 8);
    }

    #[test]
    fn options_stand_behind_the_path() {
        let read = |name| {
            let (path, options) = with_options(name, &import::folder::IMPORTER);
            (path, options.0.into_iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>())
        };
        let two = vec!["gold_map=(a,b)=>c".to_owned(), "language=zh".to_owned()];
        assert_eq!(read("a,b/c,language=zh,gold_map=(a,b)=>c"), ("a,b/c", two));
        assert_eq!(read("a,b=c"), ("a,b=c", vec![]));
        assert_eq!(
            read("src,langage=zh"),
            ("src", vec!["langage=zh".to_owned()]),
            "a word behind a path that is there"
        );
        assert_eq!(read("src,a/b=c"), ("src,a/b=c", vec![]));
    }

    #[test]
    fn an_unknown_name_says_what_to_do() {
        let error = locate("danel").unwrap_err();
        assert!(error.to_string().contains("did you mean `daniel`"), "{error}");
        let told = unknown("wcxb");
        assert!(told.contains("carat dataset pull wcxb") && told.contains("`wcxb:PATH`"), "{told}");
        let error = locate("./no-such-folder").unwrap_err();
        assert_eq!(error.code, Code::Unknown);
    }
}
