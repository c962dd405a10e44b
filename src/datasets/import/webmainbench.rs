//! `webmainbench`: pages with marks on what is content (opendatalab/WebMainBench), as JSON Lines.

use crate::formats::code::Code;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use super::upstream::{parse_line, read_lines};
use super::{Importer, OptionHelp, Options, Told, dataset, third_party};
use crate::datasets::annotation::{Select, Strip};
use crate::datasets::manifest::{
    Details, GoldNature, GoldObject, GoldSource, HtmlObject, HtmlSource, Manifest, Record, encode_id,
};
use crate::datasets::site::{host_of, site_of};
use crate::datasets::stored::systems;
use crate::datasets::{Dataset, DatasetError, Readings, file_names, shown};
use crate::structure::TextKind;

/// The importer `webmainbench`.
pub static IMPORTER: Importer = Importer {
    name: "webmainbench",
    title: "WebMainBench of opendatalab, your own copy: a file of JSON Lines, or a folder of such",
    layout: &[],
    options: &[
        OptionHelp {
            name: "gold_from",
            help: "marks (cc-select in the page) | main_html (HTML) | markdown (groundtruth_content) | converted \
                   (convert_main_content, Markdown) [default: marks]",
        },
        OptionHelp { name: "keep_extra", help: "fields to carry along, with commas between [default: none]" },
    ],
    read,
};

/// So many bytes of pages are held in memory at most.
const MAX_TOTAL_BYTES: usize = 1 << 30;

/// The attribute of marked elements.
const MARK: &str = "cc-select";

/// What is gold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GoldFrom {
    Marks,
    MainHtml,
    Markdown,
    Converted,
}

/// A row.
#[derive(Deserialize)]
struct Row {
    track_id: Option<String>,
    /// In the stored results it stands in place of `track_id`.
    id: Option<Json>,
    url: Option<String>,
    html: Option<String>,
    main_html: Option<String>,
    groundtruth_content: Option<String>,
    convert_main_content: Option<String>,
    language: Option<String>,
    meta: Option<Json>,
    #[serde(flatten)]
    rest: Map<String, Json>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Meta {
    language: Option<String>,
    style: Option<String>,
    level: Option<Json>,
}

fn read(source: &Path, options: &Options, told: &mut Told) -> Result<Dataset, DatasetError> {
    let gold_from = match options.0.get("gold_from").map_or("marks", String::as_str) {
        "marks" => GoldFrom::Marks,
        "main_html" => GoldFrom::MainHtml,
        "markdown" => GoldFrom::Markdown,
        "converted" => GoldFrom::Converted,
        other => {
            let message = format!("gold_from: expected marks, main_html, markdown or converted, not `{other}`");
            return Err(DatasetError::new(Code::Option, shown(source), message));
        }
    };
    let keep = options.0.get("keep_extra").map(|keys| keys.split(',').map(str::trim).collect());
    let keep: Vec<&str> = keep.unwrap_or_default();
    let mut kept = BTreeSet::new();
    let (folder, files) = match source.is_dir() {
        true => (source, file_names(source)?),
        false => {
            let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (source.parent().filter(|folder| *folder != Path::new("")).unwrap_or(".".as_ref()), vec![name])
        }
    };
    let is_list = |name: &&String| [".jsonl", ".jsonl.gz", ".jsonl.zst"].iter().any(|end| name.ends_with(end));
    let files: Vec<&String> = files.iter().filter(is_list).collect();
    if files.is_empty() {
        return Err(DatasetError::new(
            Code::Upstream,
            shown(source),
            "expected a file of JSON Lines, or a folder of such",
        ));
    }
    let mut records = Vec::new();
    let mut ids = BTreeSet::new();
    let mut stored: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    let mut total = 0;
    for name in files {
        let path = folder.join(name);
        read_lines(folder, name, |number, line| {
            let row = line.and_then(|line| parse_line::<Row>(&path, number, line, "row of WebMainBench"));
            let row = match row {
                Ok(row) => row,
                Err(fault) => return told.faults.page(fault),
            };
            let fault = |code, message: String| DatasetError::new(code, shown(&path), message).at_line(number);
            total += row.html.as_ref().map_or(0, String::len);
            if total > MAX_TOTAL_BYTES {
                let message = format!("the pages have more than {MAX_TOTAL_BYTES} bytes; import the rows in parts");
                return Err(fault(Code::Size, message));
            }
            if row.html.is_none() {
                told.note(format!("{name}:{number}: skipped, its html is null"));
                return Ok(());
            }
            let meta = row.meta.as_ref().map(Meta::deserialize).transpose();
            let meta = meta.map_err(|error| fault(Code::Upstream, format!("`meta` is no object of a row: {error}")));
            let Some(named) = row.track_id.as_deref().or(row.id.as_ref().and_then(Json::as_str)) else {
                return told.faults.page(fault(Code::Upstream, "the row has neither `track_id` nor `id`".to_owned()));
            };
            let id = encode_id(named);
            let Some(meta) = told.page(&id, meta)? else { return Ok(()) };
            if !ids.insert(id.clone()) {
                return told.faults.page(fault(Code::Id, "the id is given twice".to_owned()).of_page(&id));
            }
            if gold_from == GoldFrom::Marks && row.html.as_ref().is_some_and(|html| !html.contains(MARK)) {
                told.note(format!("{name}:{number}: its gold is empty, no element has the mark {MARK}"));
            }
            for system in systems(&row.rest) {
                let files = stored.entry(system.to_owned()).or_default();
                if files.last() != Some(&path) {
                    files.push(path.clone());
                }
            }
            let record = record(id, row, meta.unwrap_or_default(), gold_from, &keep);
            let extra = record.details().extra.as_deref().and_then(Json::as_object);
            kept.extend(extra.into_iter().flat_map(|extra| extra.keys().cloned()));
            if record.gold.is_none() {
                told.note(format!("{name}:{number}: kept without gold, it has none of the kind asked for"));
            }
            records.push(record);
            Ok(())
        })?;
    }
    if let Some(missing) = keep.iter().find(|key| !kept.contains(**key)) {
        let message = format!("keep_extra: no row has the field `{missing}`, at its top or in `meta`");
        return Err(DatasetError::new(Code::Option, shown(source), message));
    }
    let mut dataset = dataset(folder, manifest(gold_from), records, Readings::default(), told)?;
    dataset.stored.by_system = stored;
    Ok(dataset)
}

/// The field of a row that `key` names, at its top or in its `meta`.
fn field(row: &Row, key: &str) -> Option<Json> {
    let text = |text: &Option<String>| text.clone().map(Json::String);
    let own = match key {
        "meta" => row.meta.clone(),
        "id" => row.id.clone(),
        "url" => text(&row.url),
        "language" => text(&row.language),
        "main_html" => text(&row.main_html),
        "groundtruth_content" => text(&row.groundtruth_content),
        "convert_main_content" => text(&row.convert_main_content),
        _ => row.rest.get(key).cloned(),
    };
    own.or_else(|| row.meta.as_ref()?.get(key).cloned())
}

fn record(id: String, row: Row, meta: Meta, gold_from: GoldFrom, keep: &[&str]) -> Record {
    let kept = keep.iter().filter_map(|key| Some(((*key).to_owned(), field(&row, key)?)));
    let mut extra: Map<String, Json> = kept.collect();
    let is_unmarked = row.html.as_ref().is_some_and(|html| !html.contains(MARK));
    let faults = match gold_from == GoldFrom::Marks && is_unmarked {
        true => vec!["gold_empty".to_owned()],
        false => Vec::new(),
    };
    let written = |kind, text: Option<String>| text.map(|text| GoldSource::of_written(kind, text));
    let gold = match gold_from {
        GoldFrom::Marks => {
            Some(GoldSource::Object(Box::new(GoldObject { select: Some(marks()), ..GoldObject::default() })))
        }
        GoldFrom::MainHtml => written(TextKind::Html, row.main_html),
        GoldFrom::Markdown => written(TextKind::Markdown, row.groundtruth_content),
        GoldFrom::Converted => written(TextKind::Markdown, row.convert_main_content),
    };
    let kind = match meta.style.as_deref() {
        Some("Article") => "article",
        Some("Content Listing") => "listing",
        Some("Forum_or_Article_with_commentsection") => "forum",
        _ => "other",
    };
    extra.extend(meta.level.map(|level| ("level".to_owned(), level)));
    let url = row.url.filter(|url| !url.is_empty());
    let host = url.as_deref().and_then(host_of);
    let details = Details {
        url,
        faults,
        extra: (!extra.is_empty()).then(|| Box::new(Json::Object(extra))),
        ..Details::default()
    };
    Record {
        html: HtmlSource::Object(Box::new(HtmlObject { text: row.html, ..HtmlObject::default() })),
        gold,
        site: Some(site_of(host.as_deref(), &id)),
        language: meta.language.or(row.language).filter(|tag| !tag.is_empty()),
        encoding: Some("utf-8".to_owned()),
        kind: Some(kind.to_owned()),
        id,
        details: details.boxed(),
    }
}

/// A marked element is content with its whole subtree; what an inline `display: none` hides is not searched for
/// marks, unless it is content already.
fn marks() -> Select {
    let mark = r#"[cc-select="true"]"#;
    let exclude = ["display:none", "display: none"].into_iter().flat_map(|style| {
        let hidden = format!(r#"[style*="{style}" i]:not({mark} *)"#);
        [format!("{hidden} {mark}"), format!("{mark}{hidden}")]
    });
    Select { include: vec![mark.to_owned()], exclude: exclude.collect(), ..Select::default() }
}

/// What the tool left in pages.
fn traces() -> Strip {
    Strip {
        attributes: ["cc-select", "data-anno-uid"].map(str::to_owned).into(),
        classes: vec!["mark-selected".to_owned()],
        elements: vec!["style#cc-extraStyle".to_owned()],
        ..Strip::default()
    }
}

fn manifest(gold_from: GoldFrom) -> Manifest {
    let (description, verbatim) = match gold_from {
        GoldFrom::Marks => {
            ("Gold is what the marks cc-select select; they are taken out before algorithms see a page.", true)
        }
        GoldFrom::MainHtml => ("Gold is the text of main_html, the pruned page.", true),
        GoldFrom::Markdown => ("Gold is groundtruth_content, Markdown corrected by hand.", false),
        GoldFrom::Converted => ("Gold is convert_main_content, html2text's Markdown of main_html.", false),
    };
    Manifest {
        format: 1,
        name: "webmainbench".to_owned(),
        version: "9d991bdc".to_owned(),
        title: "WebMainBench".to_owned(),
        description: format!("{description} Pages are a browser's tree after scripts, without doctype."),
        licence: third_party("Apache-2.0", "unknown"),
        source: Some(json!({"repository": "opendatalab/WebMainBench"})),
        pages: vec!["pages.jsonl".to_owned()],
        gold: GoldNature {
            nature: Some("human".to_owned()),
            includes: ["title", "lists", "tables"].map(str::to_owned).into(),
            verbatim: Some(verbatim),
            ordered: Some(true),
            ..GoldNature::default()
        },
        annotations: Some(traces()),
        ..Manifest::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::Note;
    use crate::datasets::import::tests::{folder, options, rows};

    const PAGE: &str = concat!(
        "<html><head><style id=\"cc-extraStyle\">p{}</style></head><body><p>menu</p>",
        "<div cc-select=\"true\" class=\"a mark-selected\" data-anno-uid=\"1\">one <b style=\"display:none\">kept</b></div>",
        "<div style=\"color:red; display: none\"><p cc-select=\"true\">hidden<i cc-select=\"true\">too</i></p></div>",
        "<p cc-select=\"true\" style=\"display:none\">itself</p><p cc-select=\"true\">two</p></body></html>",
    );

    fn upstream() -> tempfile::TempDir {
        let rows = [
            json!({"track_id": "a/1", "url": "https://www.a.co.uk/", "html": PAGE, "main_html": "<p>main</p>",
                "groundtruth_content": "# two", "convert_main_content": "* x", "layout_id": 3,
                "meta": {"language": "zh", "style": "Content Listing", "level": "hard", "table": [], "code": []}}),
            json!({"track_id": "b", "html": "<p>x", "main_html": null, "meta": {"language": "en", "style": null}}),
            json!({"track_id": "c", "html": null}),
        ];
        folder(&[("rows.jsonl", rows.map(|row| row.to_string()).join("\n").as_bytes()), ("notes.txt", b"")])
    }

    #[test]
    fn marks_are_gold_and_are_taken_out() {
        let folder = upstream();
        let dataset = IMPORTER.read(folder.path(), &options(&[("keep_extra", "layout_id")])).unwrap();
        let expected = [("a%2F1", "a.co.uk", Some("one kept\ntwo")), ("b", "b", Some(""))];
        assert_eq!(rows(&dataset), expected.map(|(id, site, gold)| (id.into(), site.into(), gold.map(str::to_owned))));
        let first = dataset.records.get(0).unwrap();
        assert_eq!((first.kind.as_deref(), first.language.as_deref()), (Some("listing"), Some("zh")));
        assert_eq!(first.details().extra.as_deref(), Some(&json!({"layout_id": 3, "level": "hard"})));
        let page = dataset.open(&first).unwrap().page;
        let attributes = page
            .tree
            .ids()
            .flat_map(|id| page.tree.attributes(id).map(|found| found.value.to_owned()).collect::<Vec<_>>());
        let attributes: Vec<String> = attributes.filter(|value| !value.contains("display")).collect();
        assert_eq!(attributes, ["a"]);
        let unmarked = "rows.jsonl:2: its gold is empty, no element has the mark cc-select";
        let notes: Vec<&str> = dataset.notes.iter().map(Note::text).collect();
        assert_eq!(notes, [unmarked, "rows.jsonl:3: skipped, its html is null"]);
        assert_eq!(dataset.records.get(1).unwrap().details().faults, ["gold_empty"]);
    }

    #[test]
    fn fields_to_carry_along_may_stand_in_meta_and_must_be_there() {
        let folder = upstream();
        let dataset = IMPORTER.read(folder.path(), &options(&[("keep_extra", "table, style,main_html")])).unwrap();
        let extra = json!({"table": [], "style": "Content Listing", "main_html": "<p>main</p>", "level": "hard"});
        assert_eq!(dataset.records.get(0).unwrap().details().extra.as_deref(), Some(&extra));
        let whole = IMPORTER.read(folder.path(), &options(&[("keep_extra", "meta")])).unwrap();
        assert_eq!(whole.records.get(0).unwrap().details().extra.as_deref().unwrap()["meta"]["level"], "hard");
        let error = IMPORTER.read(folder.path(), &options(&[("keep_extra", "colour")])).unwrap_err();
        assert_eq!(error.code, Code::Option);
    }

    #[test]
    fn other_golds_are_asked_for() {
        let folder = upstream();
        let file = folder.path().join("rows.jsonl");
        for (from, gold) in [("main_html", "main"), ("markdown", "two"), ("converted", "x")] {
            let dataset = IMPORTER.read(&file, &options(&[("gold_from", from)])).unwrap();
            assert!(dataset.records.get(1).unwrap().details().faults.is_empty());
            let golds: Vec<_> = rows(&dataset).into_iter().map(|row| row.2).collect();
            assert_eq!(golds, [Some(gold.to_owned()), None]);
            assert_eq!(dataset.manifest.gold.verbatim, Some(from == "main_html"));
        }
        std::fs::write(&file, "{\"track_id\": \"a\", \"html\": \"x\"}\n{\"track_id\": \"b\", \"html\": 3}").unwrap();
        let error = IMPORTER.read(&file, &Options::default()).unwrap_err();
        assert_eq!((error.code, error.line), (Code::Upstream, Some(2)));
    }

    #[test]
    fn outputs_of_a_system_stand_in_every_file_of_pages() {
        let folder = tempfile::tempdir().unwrap();
        for id in ["a", "b"] {
            let row = json!({"track_id": id, "id": 5, "html": "<p>x", "groundtruth_content": "x",
                "x_content": id, "x_success": true});
            std::fs::write(folder.path().join(format!("{id}.jsonl")), row.to_string()).unwrap();
        }
        let dataset = IMPORTER.read(folder.path(), &options(&[("gold_from", "markdown")])).unwrap();
        assert_eq!(dataset.stored_systems(), ["x"]);
        let stored = dataset.stored("x").unwrap();
        assert_eq!([stored.text("a"), stored.text("b")], [Some(Ok("a")), Some(Ok("b"))]);
    }
}
