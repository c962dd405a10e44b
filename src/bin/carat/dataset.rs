//! `carat dataset`.

use carat::datasets::import::write::write;
use carat::datasets::import::{self, Importer, Options};
use carat::text::hint;

use crate::arguments::{self, DatasetCommand};
use crate::failure::Failure;
use crate::output::{print_line, tell};

/// Carries out a command on datasets.
pub(crate) fn dataset(arguments: arguments::Dataset) -> Result<(), Failure> {
    match arguments.command {
        DatasetCommand::Import(arguments) => import_dataset(arguments),
    }
}

/// The importer of that name.
pub(crate) fn importer(name: &str) -> Result<&'static Importer, Failure> {
    import::find(name).ok_or_else(|| {
        let names = import::IMPORTERS.iter().map(|importer| importer.name);
        Failure::request(format!("there is no importer `{name}`; {}", hint(name, names)))
    })
}

fn import_dataset(arguments: arguments::Import) -> Result<(), Failure> {
    let importer = importer(&arguments.format)?;
    let mut options = Options::default();
    for pair in &arguments.set {
        let (key, value) =
            pair.split_once('=').ok_or_else(|| Failure::request(format!("--set {pair}: expected KEY=VALUE")))?;
        options.0.insert(key.to_owned(), value.to_owned());
    }
    if arguments.out.join("dataset.yaml").exists() {
        return Err(Failure::request(format!(
            "{} holds a dataset already; choose another --out",
            arguments.out.display()
        )));
    }
    let dataset = importer.read(&arguments.source, &options)?;
    write(&dataset, &arguments.out)?;
    dataset.notes.iter().for_each(|note| tell(&format!("note: {note}")));
    let golds = dataset.records.iter().filter(|record| record.gold.is_some()).count();
    let pages = dataset.records.len();
    print_line(&format!("{}: {pages} pages, {golds} with gold, {} notes", arguments.out.display(), dataset.notes.len()))
}
