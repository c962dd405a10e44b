//! `carat list`.

use crate::formats::code::Code;
use std::collections::BTreeSet;

use crate::algorithms::features::stopwords::{self, StopList};
use crate::algorithms::parameters::{Parameter, Values};
use crate::algorithms::{ALGORITHMS, Entry, find};
use crate::datasets::catalog::{self, Source};
use crate::datasets::import::{COMMON_OPTIONS, IMPORTERS};
use crate::datasets::locate::{CORPORA, EMBEDDED, corpora, locate};
use crate::datasets::{Note, pull};
use crate::formats::inert::one_line;
use crate::page::primary_language;
use crate::papers::named_systems::{NamedSystem, Place, named_systems};
use crate::papers::published;
use crate::runs::described::Described;
use crate::runs::kinds::{self, faithful_to};
use crate::runs::schemas::SCHEMAS;
use crate::runs::values::text_of;
use crate::scoring::{About, Measure};
use crate::structure::Structure;
use crate::text::hint;
use crate::text::tokens::TokenKind;
use serde_json::{Value as Json, json};

use crate::command_line::arguments::{Format, List, Listed};
use crate::command_line::dataset::importer;
use crate::command_line::failure::Failure;
use crate::command_line::output::{print, print_json};

/// A listing: for people, and for programs.
struct Listing {
    text: String,
    json: Json,
}

/// Prints a listing.
pub(crate) fn list(arguments: List) -> Result<(), Failure> {
    let name = arguments.name.as_deref();
    let listing = match (arguments.what, name) {
        (Listed::Algorithms, None) => algorithms(),
        (Listed::Algorithms, Some(name)) => match kinds::described().find(|other| other.name == name) {
            Some(other) => described(other),
            None => algorithm(find(name)?),
        },
        (Listed::Datasets, None) => datasets(),
        (Listed::Datasets, Some(name)) => dataset(name)?,
        (Listed::Systems, name) => systems(name)?,
        (Listed::Measures, name) => measures(name)?,
        (Listed::Importers, name) => importers(name)?,
        (Listed::Schemas, name) => schemas(name)?,
        (Listed::Stopwords, _) => stop_words(&arguments)?,
    };
    match arguments.format {
        Format::Text => print(&listing.text),
        Format::Json => print_json(&listing.json),
    }
}

/// Names and titles in two columns.
fn columns<'r>(rows: impl IntoIterator<Item = (&'r str, String)>) -> String {
    let rows: Vec<_> = rows.into_iter().collect();
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    rows.iter().map(|(name, title)| one_line(&format!("{name:width$}  {title}")) + "\n").collect()
}

fn algorithms() -> Listing {
    let declarations = ALGORITHMS.iter().map(|algorithm| algorithm.declaration());
    let algorithms = declarations.map(|declaration| (declaration.name, declaration.title, declaration.source));
    let others = kinds::described().map(|other| (other.name, other.title, other.source));
    let all: Vec<_> = algorithms.chain(others).collect();
    Listing {
        text: columns(all.iter().map(|(name, title, _)| (*name, (*title).to_owned()))),
        json: all.iter().map(|(name, title, source)| json!({"name": name, "title": title, "source": source})).collect(),
    }
}

/// What is no algorithm, but a row all the same.
fn described(other: &Described) -> Listing {
    let parameters = (other.parameters)();
    let mut text = format!(
        "{}: {}\n\nsource       {}\nfaithful to  {}\ncost         {}\n",
        other.name,
        other.title,
        other.source,
        other.faithful_to.name(),
        other.cost
    );
    if let Some(reads) = other.reads_gold {
        text.push_str(&format!("reads gold   {}\n", reads.told()));
    }
    text.push('\n');
    other.notes.iter().for_each(|note| text.push_str(&format!("{note}\n")));
    text.push_str(&parameter_lines(&parameters));
    text.push_str(&format!("\nwritten\n  {}\n", other.written.replace('\n', "\n  ")));
    text.push_str(&format!("\nexamples (worked by hand)\n  {}\n", other.example));
    Listing { text, json: json!({"declaration": other, "parameters": parameters}) }
}

/// Parameters with their defaults, values and helps.
fn parameter_lines(parameters: &[Parameter]) -> String {
    let lines = parameters.iter().map(|parameter| {
        let (default, values) = (text_of(&parameter.default), parameter.values.describe());
        format!("  {} ({default}): {values}\n      {}\n", parameter.name, parameter.help)
    });
    let lines: String = lines.collect();
    if lines.is_empty() { lines } else { format!("\nparameters (default)\n{lines}") }
}

fn algorithm(algorithm: Entry) -> Listing {
    let declaration = algorithm.declaration();
    let parameters = algorithm.parameters();
    let mut text = format!(
        "{}: {}\n\nsource       {}\nfaithful to  {}\nlanguages    {}\ncost         {}\n",
        declaration.name,
        declaration.title,
        declaration.source,
        declaration.faithful_to.name(),
        declaration.languages,
        declaration.cost
    );
    let resources = default_resources(algorithm);
    for resource in &resources {
        text.push_str(&format!("rests on     {resource}\n"));
    }
    text.push_str(&parameter_lines(&parameters));
    for swept in declaration.swept {
        text.push_str(&format!(
            "\nsweep: carat run --algorithm '{}:{}={}'\n",
            declaration.name, swept.parameter, swept.grid
        ));
        if swept.exact {
            text.push_str(&format!("       carat run --algorithm '{}:{}=exact'\n", declaration.name, swept.parameter));
        }
    }
    text.push_str("\nexamples (worked by hand)\n");
    for example in declaration.examples {
        let separator = if example.parameters.is_empty() { "" } else { ":" };
        let html = example.html.trim_end().replace('\n', "\n    ");
        let indented = example.expected.replace('\n', "\n      ");
        text.push_str(&format!(
            "  {}\n    {html}\n    {}{separator}{} gives\n      {indented}\n",
            example.title, declaration.name, example.parameters
        ));
    }
    let json = json!({"declaration": declaration, "parameters": parameters, "resources": resources});
    Listing { text, json }
}

/// The lists and programs that the defaults rest on for pages of no known language.
fn default_resources(algorithm: Entry) -> Vec<String> {
    let values = algorithm.setting(&Values::new()).map(|setting| setting.values().clone()).unwrap_or_default();
    (algorithm.declaration().resources)(&values, &BTreeSet::from([None]))
}

/// The systems that papers name: all, those of a paper, or those that a row stands for.
fn systems(name: Option<&str>) -> Result<Listing, Failure> {
    let sources = &published().sources;
    let is_of = |system: &NamedSystem, name: &str| {
        let is_paper = |place: &Place| sources[&place.paper].paper == name;
        system.named_by.iter().any(is_paper) || system.rows.iter().any(|row| row == name)
    };
    let chosen: Vec<&NamedSystem> =
        named_systems().iter().filter(|system| name.is_none_or(|name| is_of(system, name))).collect();
    if let (Some(name), true) = (name, chosen.is_empty()) {
        let places = named_systems().iter().flat_map(|system| &system.named_by);
        let papers = places.map(|place| sources[&place.paper].paper.as_str());
        let rows = named_systems().iter().flat_map(|system| system.rows.iter().map(String::as_str));
        let known: BTreeSet<&str> = papers.chain(rows).collect();
        return Err(Failure::request(format!(
            "no paper of that name, nor a row that stands for a named system: `{name}`; {}",
            hint(name, known)
        )));
    }
    let text = chosen.iter().map(|system| system_in_words(system)).collect::<Vec<_>>().join("\n");
    let json = chosen.iter().map(|system| {
        let rows = system.rows.iter().map(|row| json!({"name": row, "faithful_to": faithful_to(row)}));
        let mut json = json!(system);
        json["rows"] = rows.collect();
        json
    });
    Ok(Listing { text, json: json.collect() })
}

fn system_in_words(system: &NamedSystem) -> String {
    let mut text = format!("{}\n  named by  {}\n  does      {}\n", system.title(), system.cited(), system.does);
    let rows = system.rows.iter().map(|row| match faithful_to(row) {
        Some(faithful) => format!("{row} ({})", faithful.name()),
        None => row.clone(),
    });
    let rows: Vec<String> = rows.collect();
    let stands = if rows.is_empty() { "none".to_owned() } else { rows.join(", ") };
    text.push_str(&format!("  rows      {stands}\n"));
    if !system.claims.is_empty() {
        text.push_str(&format!("  claims    {}\n", system.claims.join(", ")));
    }
    for note in system.door.iter().chain(&system.note) {
        text.push_str(&format!("  note      {note}\n"));
    }
    text
}

fn datasets() -> Listing {
    let mut names = vec![(EMBEDDED.to_owned(), "embedded: fictional portals, blogs and news sites".to_owned())];
    let mut folders = |folder: &std::path::Path, kind: &str, wanted: &dyn Fn(&std::path::Path) -> bool| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut found: Vec<String> = entries
            .filter(|entry| wanted(&entry.path()))
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|name| name != EMBEDDED)
            .collect();
        found.sort();
        names.extend(found.into_iter().map(|name| (name, kind.to_owned())));
    };
    folders("datasets".as_ref(), "folder in datasets/", &|path| path.join("dataset.yaml").is_file());
    if let Some(corpora) = corpora() {
        let readable = |path: &std::path::Path| {
            path.file_name().is_some_and(|name| crate::datasets::import::find(&name.to_string_lossy()).is_some())
        };
        folders(&corpora, &format!("through its importer, from {CORPORA}"), &readable);
    }
    let is_here = |entry: &&catalog::Entry| names.iter().any(|(name, _)| *name == entry.name);
    let others: Vec<&catalog::Entry> = catalog::builtin().datasets.iter().filter(|entry| !is_here(entry)).collect();
    let mut text = columns(names.iter().map(|(name, title)| (name.as_str(), title.clone())));
    if !others.is_empty() {
        text.push_str("\nin the catalogue (carat dataset pull NAME brings it, or tells how to get it)\n");
        text.push_str(&columns(others.iter().map(|entry| (entry.name.as_str(), in_short(entry)))));
    }
    let here = names.iter().map(|(name, title)| json!({"name": name, "title": title}));
    let json =
        here.chain(others.iter().map(|entry| json!({"name": entry.name, "title": entry.title, "catalog": entry})));
    Listing { text, json: json.collect() }
}

/// A dataset of the catalogue in one line.
fn in_short(entry: &catalog::Entry) -> String {
    let nature = entry.gold.nature.as_deref().unwrap_or("of unknown nature");
    let from = match &entry.source {
        Source::Package(_) => "a package",
        Source::Archive(_) => "an archive",
        Source::Git { .. } => "Git",
        Source::Own(_) => "your own copy",
    };
    format!("{}: {} pages, {}, gold {nature}, from {from}", entry.title, entry.pages, entry.languages.join(" "))
}

/// A dataset of the catalogue in full.
fn of_catalogue(entry: &catalog::Entry) -> Listing {
    let catalog::Entry { name, title, pages, golds, licence, gold, source, .. } = entry;
    let source = match source {
        Source::Package(package) => format!("{} (sha256 {})", pull::describe(package), package.sha256),
        Source::Archive(archive) => format!("{} (sha256 {})", archive.url, archive.sha256),
        Source::Git { repository, commit, .. } => format!("{repository} at {commit}, in Git"),
        Source::Own(own) => own.clone(),
    };
    let mut text = format!("{name}: {title}\nnot here yet: carat dataset pull {name}\n\n");
    let fields = [
        ("pages", format!("{pages}, {golds} with gold")),
        ("languages", entry.languages.join(" ")),
        ("gold", gold.nature.clone().unwrap_or_else(|| "of unknown nature".to_owned())),
        ("note", gold.note.clone().unwrap_or_default()),
        (
            "licence",
            format!("{} (gold), {} (pages); to pass on: {}", licence.data, licence.pages, licence.redistribution),
        ),
        ("cite", entry.citation.clone().unwrap_or_default()),
        ("importer", entry.importer.clone()),
        ("source", source),
        ("digest", entry.digest.clone().unwrap_or_default()),
    ];
    text.push_str(&columns(fields.into_iter().filter(|(_, value)| !value.is_empty())));
    Listing { text, json: json!(entry) }
}

fn dataset(name: &str) -> Result<Listing, Failure> {
    let dataset = match (locate(name), catalog::builtin().find(name)) {
        (Err(error), Ok(entry)) if error.code == Code::Unknown => return Ok(of_catalogue(entry)),
        (dataset, _) => dataset?,
    };
    let manifest = &dataset.manifest;
    let records: Vec<_> = dataset.records.iter().collect::<Result<_, _>>()?;
    let mut text = one_line(&format!("{} {}: {}", manifest.name, manifest.version, manifest.title)) + "\n";
    if !manifest.description.is_empty() {
        text.push_str(&format!("{}\n", one_line(manifest.description.trim())));
    }
    if let Some(note) = &manifest.gold.note {
        text.push_str(&format!("note: {}\n", one_line(note.trim())));
    }
    text.push_str(&format!("{} pages, {} with gold\n", records.len(), dataset.records.golds()));
    let stored = dataset.stored_systems();
    if !stored.is_empty() {
        text.push_str(&format!("stored outputs: {}\n", stored.join(" ")));
    }
    text.push('\n');
    let pages = records.iter().map(|record| {
        let field = |field: &Option<String>| field.clone().unwrap_or_else(|| "-".to_owned());
        let fields =
            [field(&record.language), field(&record.kind), field(&record.site), record.details().faults.join(",")];
        (record.id.as_str(), fields.join("  ").trim_end().to_owned())
    });
    text.push_str(&columns(pages));
    let notes: Vec<&str> = dataset.notes.iter().map(Note::text).collect();
    let json = json!({"manifest": manifest, "pages": records, "notes": notes, "stored": stored});
    Ok(Listing { text, json })
}

/// The measures, each by its name in listings, with facts about it.
fn known_measures() -> Vec<(String, About)> {
    let over_tokens = Measure::ALL.into_iter().map(|measure| (measure.pattern(), measure.about()));
    let of_parts = Structure::ALL.into_iter().map(|structure| (structure.to_string(), structure.about()));
    over_tokens.chain(of_parts).collect()
}

/// The measure of a name, with or without the length of its runs.
fn measure(name: &str) -> Result<(String, About), Failure> {
    let is_meant = |pattern: &String| pattern == name || pattern.strip_suffix(":N") == Some(name);
    match known_measures().into_iter().find(|(pattern, _)| is_meant(pattern)) {
        Some(known) => Ok(known),
        None => {
            let measure: Measure = name.parse().map_err(Failure::request)?;
            Ok((measure.pattern(), measure.about()))
        }
    }
}

fn measures(name: Option<&str>) -> Result<Listing, Failure> {
    let chosen = match name {
        Some(name) => vec![measure(name)?],
        None => known_measures(),
    };
    let json = chosen.iter().map(|(name, About { title, formula, used_by, fault })| {
        json!({"name": name, "title": title, "formula": formula, "used_by": used_by, "fault": fault})
    });
    let json = json.collect();
    if name.is_some() {
        return Ok(Listing { text: chosen.iter().map(facts_of).collect(), json });
    }
    let over_tokens = Measure::ALL.len();
    let rows =
        |known: &[(String, About)]| columns(known.iter().map(|(name, about)| (name.as_str(), about.title.to_owned())));
    let kinds: Vec<(String, &str)> = TokenKind::ALL.iter().map(|kind| (kind.to_string(), kind.help())).collect();
    let text = format!(
        "{}\ntokens (--tokens KIND)\n{}\ntables, code and formulas (of Markdown, HTML or text nodes)\n{}\n\
         `carat list measures NAME` has the formula, the benchmarks that use it, and its known faults.\n",
        rows(&chosen[..over_tokens]),
        columns(kinds.iter().map(|(name, help)| (name.as_str(), (*help).to_owned()))),
        rows(&chosen[over_tokens..]),
    );
    Ok(Listing { text, json })
}

/// A measure by itself.
fn facts_of((name, About { title, formula, used_by, fault }): &(String, About)) -> String {
    let facts = [("counts", *formula), ("range", "P, R and F1 from 0 to 1"), ("used by", *used_by), ("fault", *fault)];
    let told = facts.into_iter().filter(|(_, fact)| !fact.is_empty());
    let lines: String = told.map(|(key, fact)| format!("{key:9}{fact}\n")).collect();
    format!("{name}: {title}\n\n{lines}")
}

fn importers(name: Option<&str>) -> Result<Listing, Failure> {
    let chosen = match name {
        Some(name) => vec![importer(name)?],
        None => IMPORTERS.to_vec(),
    };
    let mut text = columns(chosen.iter().map(|importer| (importer.name, importer.title.to_owned())));
    for importer in chosen.iter().filter(|importer| !importer.options.is_empty()) {
        text.push_str(&format!("\noptions of {} (--set KEY=VALUE)\n", importer.name));
        for option in importer.options {
            text.push_str(&format!("  {}: {}\n", option.name, option.help));
        }
    }
    text.push_str("\noptions of all (--set KEY=VALUE)\n");
    for option in COMMON_OPTIONS {
        text.push_str(&format!("  {}: {}\n", option.name, option.help));
    }
    let json = chosen.iter().map(|importer| {
        let options = importer
            .options
            .iter()
            .chain(COMMON_OPTIONS)
            .map(|option| json!({"name": option.name, "help": option.help}));
        json!({"name": importer.name, "title": importer.title, "options": options.collect::<Json>()})
    });
    let json = json.collect();
    Ok(Listing { text, json })
}

/// The JSON Schemas by name, or the schema of a name, which is the same for people and for programs.
fn schemas(name: Option<&str>) -> Result<Listing, Failure> {
    let Some(name) = name else {
        let text = columns(SCHEMAS.iter().map(|schema| (schema.name, schema.title.to_owned())));
        let json = SCHEMAS.iter().map(|schema| json!({"name": schema.name, "title": schema.title})).collect();
        return Ok(Listing { text, json });
    };
    let schema = SCHEMAS.iter().find(|schema| schema.name == name).ok_or_else(|| {
        let names = SCHEMAS.iter().map(|schema| schema.name);
        Failure::request(format!("there is no schema `{name}`; {}", hint(name, names)))
    })?;
    let json = (schema.make)();
    Ok(Listing { text: format!("{json:#}\n"), json })
}

fn stop_words(arguments: &List) -> Result<Listing, Failure> {
    let list: StopList = serde_json::from_value(Json::from(arguments.stop_list.clone()))
        .map_err(|_| Failure::request(format!("--stop-list: expected iso or small, not `{}`", arguments.stop_list)))?;
    let tag = arguments.language.as_deref().ok_or_else(|| Failure::request("whose stop list? --language zh"))?;
    let language = primary_language(tag).unwrap_or_default();
    let entries = stopwords::entries(list, &language).ok_or_else(|| {
        Failure::request(format!(
            "there is no stop list for `{tag}`; there are {}",
            stopwords::languages(list).join(" ")
        ))
    })?;
    let digest = stopwords::digest(&entries);
    let mut text = format!("# {} {language}: {} entries, sha256 {digest}\n", arguments.stop_list, entries.len());
    entries.iter().for_each(|entry| text.push_str(&format!("{entry}\n")));
    let json = json!({"list": arguments.stop_list, "language": language, "sha256": digest, "entries": entries});
    Ok(Listing { text, json })
}
