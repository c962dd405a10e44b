//! The units of a run, read as their form is written down, and not by the code that writes them.

use std::fs;
use std::ops::Range;
use std::path::Path;

use serde_json::Value as Json;

/// The first line of each file.
const LINE: &[u8] = b"carat-units/2\n";

/// The whole records at the beginning of a file, each with its place and its content.
fn records(file: &[u8]) -> Vec<(Range<usize>, Json)> {
    let (mut at, mut records) = (LINE.len(), Vec::new());
    let number = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap()) as usize;
    while file.len() >= at + 20 && file[at..].starts_with(b"CRT2") {
        let [packed, length] = [4, 8].map(|place| number(&file[at + place..][..4]));
        let Some(payload) = file.get(at + 20..at + 20 + packed) else { break };
        let Ok(content) = zstd::bulk::decompress(payload, length) else { break };
        records.push((at..at + 20 + packed, serde_json::from_slice(&content).unwrap()));
        at += 20 + packed;
    }
    records
}

/// The number of whole records in the heads of a run, which is known sooner than [`pages`].
pub fn written(run: &Path) -> usize {
    let count = |name: String| {
        let file = fs::read(run.join("units").join(name)).unwrap_or_default();
        let (mut at, mut count) = (LINE.len(), 0);
        while let Some(length) = file.get(at + 4..at + 8) {
            at += 20 + u32::from_le_bytes(length.try_into().unwrap()) as usize;
            count += usize::from(at <= file.len());
        }
        count
    };
    files(run, ".heads").into_iter().map(count).sum()
}

/// The records of pages in a file of heads.
pub fn heads(file: &[u8]) -> Vec<(Range<usize>, Json)> {
    records(file).into_iter().filter(|(_, record)| record.get("page").is_some()).collect()
}

/// The names of the files with this ending, sorted.
pub fn files(run: &Path, ending: &str) -> Vec<String> {
    let entries = fs::read_dir(run.join("units")).into_iter().flatten();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(ending)).collect();
    names.sort();
    names
}

/// The ids of the pages that have a whole unit in the folder of a run, in the order in which they were written.
pub fn pages(run: &Path) -> Vec<String> {
    let read = |name: String| fs::read(run.join("units").join(name)).unwrap_or_default();
    let heads = files(run, ".heads").into_iter().flat_map(|name| heads(&read(name)));
    heads.map(|(_, head)| head["page"].as_str().unwrap().to_owned()).collect()
}

/// Makes the units of these pages unreadable: a bit of each is flipped.
pub fn lose(run: &Path, pages: &[&str]) {
    let mut lost = 0;
    for name in files(run, ".heads") {
        let path = run.join("units").join(name);
        let mut bytes = fs::read(&path).unwrap();
        for (place, head) in heads(&bytes) {
            if pages.contains(&head["page"].as_str().unwrap()) {
                bytes[place.end - 1] ^= 1;
                lost += 1;
            }
        }
        // Another run may have the same file.
        fs::remove_file(&path).unwrap();
        fs::write(&path, bytes).unwrap();
    }
    assert_eq!(lost, pages.len(), "{pages:?}");
}
