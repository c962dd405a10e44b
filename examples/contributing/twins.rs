//! `twins`: a folder of pages `NAME.html`, each beside its gold text `NAME.txt`.

use std::path::Path;

use super::{Importer, Options, Told, dataset, third_party};
use crate::datasets::manifest::{GoldSource, HtmlSource, Manifest, Record, encode_id};
use crate::datasets::{Dataset, DatasetError, Readings, files_below, shown};
use crate::formats::code::Code;

/// The importer `twins`.
pub static IMPORTER: Importer = Importer {
    name: "twins",
    title: "a folder of pages NAME.html, each beside its gold text NAME.txt",
    layout: &[],
    options: &[],
    read,
};

fn read(source: &Path, _: &Options, told: &mut Told) -> Result<Dataset, DatasetError> {
    let names = files_below(source).map_err(|message| DatasetError::new(Code::Missing, shown(source), message))?;
    let records = names.iter().filter_map(|name| record(name, &names)).collect();
    dataset(source, manifest(), records, Readings::default(), told)
}

/// The page of the file `name`; `None` for another file. A page without a text beside it has no gold.
fn record(name: &str, names: &[String]) -> Option<Record> {
    let stem = name.strip_suffix(".html")?;
    let gold = format!("{stem}.txt");
    Some(Record {
        id: encode_id(stem),
        html: HtmlSource::Path(name.to_owned()),
        gold: names.contains(&gold).then_some(GoldSource::Path(gold)),
        ..Record::default()
    })
}

fn manifest() -> Manifest {
    Manifest {
        format: 1,
        name: "twins".to_owned(),
        version: "1".to_owned(),
        title: "Pages and texts side by side".to_owned(),
        licence: third_party("unknown", "unknown"),
        ..Manifest::default()
    }
}
