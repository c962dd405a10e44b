//! What a dataset's name on the command line means.

use crate::formats::code::Code;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::catalog;
use super::import::{self, Options};
use super::load::{Loading, load_folder_with};
use super::synth::Synthetic;
use super::{Dataset, DatasetError};
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
    if let Some((format, path)) = name.split_once(':')
        && let Some(importer) = import::find(format)
    {
        return importer.read_with(Path::new(path), &Options::default(), loading);
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

/// A folder with a manifest, or a folder of pages and golds.
fn folder(path: &Path, loading: Loading) -> Result<Dataset, DatasetError> {
    if path.join("dataset.yaml").is_file() {
        return load_folder_with(path, loading);
    }
    import::folder::IMPORTER.read_with(path, &Options::default(), loading)
}

fn unknown(name: &str) -> String {
    if catalog::builtin().find(name).is_ok() {
        return format!("it is not here yet: `carat dataset pull {name}` brings it, or tells how to get it");
    }
    let formats = import::IMPORTERS.iter().map(|importer| importer.name);
    match nearest(name, formats.clone().chain([EMBEDDED])) {
        Some(meant) if meant != name => format!("there is no dataset of this name; did you mean `{meant}`?"),
        _ => format!(
            "there is no dataset of this name: give `{EMBEDDED}`, a folder (./{name}), FORMAT:PATH (formats: {}), \
             or set {CORPORA} to the folder that holds it",
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
    fn an_unknown_name_says_what_to_do() {
        let error = locate("danel").unwrap_err();
        assert!(error.to_string().contains("did you mean `daniel`"), "{error}");
        let error = locate("./no-such-folder").unwrap_err();
        assert_eq!(error.code, Code::Unknown);
    }
}
