//! `l3s-gn1`: news pages of Kohlschütter et al. (2010), with gold marked in annotated copies.

use crate::formats::code::Code;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::upstream::{read_lines, read_page};
use super::{Importer, OptionHelp, Options, Told, dataset, expect_layout, third_party};
use crate::datasets::annotation::Select;
use crate::datasets::manifest::{Details, GoldNature, GoldObject, GoldSource, HtmlSource, Manifest, Record, encode_id};
use crate::datasets::site::{host_of, site_of};
use crate::datasets::{Dataset, DatasetError, Readings, file_names, shown};

/// The importer `l3s-gn1`.
pub static IMPORTER: Importer = Importer {
    name: "l3s-gn1",
    title: "L3S-GN1, your own copy, unpacked: original/, annotated/, url-mapping.txt",
    layout: &[],
    options: &[OptionHelp {
        name: "roles",
        help: "which marks are gold, of 1 headline, 2 full text, 3 supplemental, 4 related, 5 comments [default: 1,2,3]",
    }],
    read,
};

/// The marks of the annotation tool, by their number, with the role of each.
const ROLES: [&str; 6] = ["other", "title", "body", "caption", "related", "comment"];

/// Pages whose `title` is never closed, so that by the HTML Standard they have no text.
const WITHOUT_TEXT: [&str; 8] =
    ["082e02bd", "0bf24489", "19956250", "2454a2b5", "26ea84f9", "51600d8d", "cb5cb16c", "fab5142d"];

fn read(source: &Path, options: &Options, told: &mut Told) -> Result<Dataset, DatasetError> {
    let select = select(options.0.get("roles").map_or("1,2,3", String::as_str))
        .map_err(|message| DatasetError::new(Code::Option, shown(source), message))?;
    expect_layout(source, &["original", "annotated", "url-mapping.txt"])?;
    let urls = urls(source, told)?;
    let mut golds: BTreeSet<String> = file_names(&source.join("annotated"))?.into_iter().collect();
    let mut records = Vec::new();
    for name in file_names(&source.join("original"))? {
        let Some(stem) = name.strip_suffix(".html") else {
            told.note(format!("original/{name}: skipped, its name does not end in .html"));
            continue;
        };
        let url = urls.get(stem).cloned();
        if url.is_none() {
            told.note(format!("original/{name}: url-mapping.txt has no address of it"));
        }
        let gold = match golds.remove(&name) {
            true => gold(source, &name, &select).map(Some),
            false => {
                told.note(format!("original/{name}: kept without gold, annotated/{name} is missing"));
                Ok(None)
            }
        };
        let gold = told.page(&encode_id(stem), gold)?;
        records.extend(gold.map(|gold| record(&name, stem, url, gold)));
    }
    for name in &golds {
        told.gold_without_page(format!("annotated/{name}: dropped, there is no page of that name"));
    }
    dataset(source, manifest(), records, Readings::default(), told)
}

/// The addresses by the pages' ids: lines of `<urn:uuid:ID>`, a tab, the address. A page may do without one.
fn urls(source: &Path, told: &mut Told) -> Result<BTreeMap<String, String>, DatasetError> {
    let mut urls = BTreeMap::new();
    read_lines(source, "url-mapping.txt", |number, line| {
        let line = match line {
            Ok(line) => line,
            Err(fault) => return told.faults.whole(fault),
        };
        let pair = line.split_once('\t').and_then(|(id, url)| {
            let id = id.trim().strip_prefix("<urn:uuid:")?.strip_suffix('>')?;
            Some((id.to_owned(), url.trim().trim_start_matches('<').trim_end_matches('>').to_owned()))
        });
        let fault = |code, message| DatasetError::new(code, shown(&source.join("url-mapping.txt")), message);
        let Some((id, url)) = pair else {
            let message = "expected <urn:uuid:ID>, a tab and an address";
            return told.faults.whole(fault(Code::Upstream, message).at_line(number));
        };
        if urls.contains_key(&id) {
            return told.faults.whole(fault(Code::Id, "the id is given twice").at_line(number).of_page(&id));
        }
        urls.insert(id, url);
        Ok(())
    })?;
    Ok(urls)
}

/// The selectors of the gold with these `roles`: the nearest mark decides.
fn select(roles: &str) -> Result<Select, String> {
    let wanted: BTreeSet<&str> = roles.split(',').map(str::trim).collect();
    if let Some(unknown) = wanted.iter().find(|role| !matches!(**role, "1" | "2" | "3" | "4" | "5")) {
        return Err(format!("roles: expected some of 1,2,3,4,5, not `{unknown}`"));
    }
    let class = |number: usize| format!(".x-nc-sel{number}");
    let (include, mut exclude): (Vec<usize>, Vec<usize>) =
        (0..ROLES.len()).partition(|number| wanted.contains(number.to_string().as_str()));
    let exclude = exclude.drain(..).map(class).chain([".x-nc-invisible".to_owned()]).collect();
    // With a role for what is no content either, the nearest mark decides about roles as it does about gold.
    let roles = ROLES.iter().enumerate().map(|(number, role)| ((*role).to_owned(), vec![class(number)]));
    Ok(Select { include: include.into_iter().map(class).collect(), exclude, roles: roles.collect() })
}

fn gold(source: &Path, name: &str, select: &Select) -> Result<GoldSource, DatasetError> {
    let path = format!("annotated/{name}");
    let is_utf8 = std::str::from_utf8(&read_page(source, &path)?).is_ok();
    Ok(GoldSource::Object(Box::new(GoldObject {
        path: Some(path),
        select: Some(select.clone()),
        encoding: is_utf8.then(|| "utf-8".to_owned()),
        ..GoldObject::default()
    })))
}

fn record(name: &str, stem: &str, url: Option<String>, gold: Option<GoldSource>) -> Record {
    let id = encode_id(stem);
    let host = url.as_deref().and_then(host_of);
    let has_no_text = WITHOUT_TEXT.iter().any(|beginning| stem.starts_with(beginning));
    let faults = if has_no_text { vec!["no_text".to_owned()] } else { Vec::new() };
    Record {
        html: HtmlSource::Path(format!("original/{name}")),
        gold,
        site: Some(site_of(host.as_deref(), &id)),
        language: Some("en".to_owned()),
        encoding: Some("utf-8".to_owned()),
        kind: Some("article".to_owned()),
        id,
        details: Details { url, faults, ..Details::default() }.boxed(),
    }
}

fn manifest() -> Manifest {
    Manifest {
        format: 1,
        name: "l3s-gn1".to_owned(),
        version: "20100130203947".to_owned(),
        title: "L3S-GN1".to_owned(),
        description: "Gold is read from the annotated copies, by the nearest mark; pages are the originals.".to_owned(),
        licence: third_party("LicenseRef-research-only", "research"),
        pages: vec!["pages.jsonl".to_owned()],
        gold: GoldNature {
            nature: Some("human".to_owned()),
            includes: ["title", "captions"].map(str::to_owned).into(),
            verbatim: Some(true),
            ordered: Some(true),
            ..GoldNature::default()
        },
        ..Manifest::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::import::tests::{folder, options, rows};

    const ANNOTATED: &str = "<style>.x-nc-sel0{} .x-nc-sel1{} .x-nc-sel2{} .x-nc-sel3{} .x-nc-sel4{} .x-nc-sel5{}</style>\
        <h1><span class=x-nc-sel1>Head</span></h1><div><span class=x-nc-sel2>Body <span class=x-nc-sel2>with \
        <a href=x>a link</a></span> end <span class=x-nc-sel0>Ad</span></span></div>\
        <p><span class=x-nc-sel3>Caption</span><p><span class=x-nc-sel4>Related</span>\
        <p><span class=x-nc-sel5>Comment</span><p class=x-nc-invisible>Hidden<p>Unmarked";

    #[test]
    fn the_nearest_mark_decides() {
        let folder = folder(&[
            ("original/082e02bd-1.html", b"<meta charset=iso-8859-1><title>never closed <p>x"),
            ("original/11-2.html", b"<p>x"),
            ("annotated/082e02bd-1.html", ANNOTATED.as_bytes()),
            ("annotated/99.html", b"x"),
            ("url-mapping.txt", b"<urn:uuid:082e02bd-1>\thttp://www.a.co.uk/1\n<urn:uuid:11-2>\thttp://b.org/\n"),
            ("Readme-L3S-GN1.txt", b""),
        ]);
        let read = |roles: &[(&str, &str)]| IMPORTER.read(folder.path(), &options(roles));
        let dataset = read(&[]).unwrap();
        let gold = "Head\nBody with a link end\nCaption".to_owned();
        let expected = [("082e02bd-1", "a.co.uk", Some(gold)), ("11-2", "b.org", None)];
        assert_eq!(rows(&dataset), expected.map(|(id, site, gold)| (id.to_owned(), site.to_owned(), gold)));
        assert_eq!(dataset.records.get(0).unwrap().details().faults, ["no_text"]);
        assert_eq!(dataset.notes.len(), 2, "{:?}", dataset.notes);
        assert_eq!(rows(&read(&[("roles", "2")]).unwrap())[0].2.as_deref(), Some("Body with a link end"));
        assert_eq!(rows(&read(&[("roles", "2,5")]).unwrap())[0].2.as_deref(), Some("Body with a link end\nComment"));
        assert_eq!(read(&[("roles", "6")]).unwrap_err().code, Code::Option);
        std::fs::write(folder.path().join("url-mapping.txt"), "<urn:uuid:1>\tx\n\n1 x\n").unwrap();
        assert_eq!(read(&[]).unwrap_err().line, Some(3));
    }
}
