//! The options that say in which columns a page stands: of `table`, and of what is read as a table is.

use crate::datasets::import::OptionHelp;

pub(in crate::datasets::import) const GOLD: OptionHelp =
    OptionHelp { name: "columns.gold", help: "column of the gold text [default: none, pages without gold]" };
pub(in crate::datasets::import) const ID: OptionHelp = OptionHelp {
    name: "columns.id",
    help: "column of the id [default: id, track_id, page_id, record_id, warc_record_id, path; else FILE-ROW]",
};
pub(in crate::datasets::import) const URL: OptionHelp =
    OptionHelp { name: "columns.url", help: "column of the URL [default: url, uri, target_uri, warc_target_uri]" };
pub(in crate::datasets::import) const SITE: OptionHelp =
    OptionHelp { name: "columns.site", help: "column of the site [default: none, the URL's registrable domain]" };
pub(in crate::datasets::import) const LANGUAGE: OptionHelp = OptionHelp {
    name: "columns.language",
    help: "column of the language [default: language, lang, content_languages, meta.language]",
};
pub(in crate::datasets::import) const KIND: OptionHelp =
    OptionHelp { name: "columns.kind", help: "column of the kind, such as article [default: none]" };
pub(in crate::datasets::import) const SPLIT: OptionHelp =
    OptionHelp { name: "columns.split", help: "column of the split [default: none]" };
pub(in crate::datasets::import) const CRAWLED: OptionHelp = OptionHelp {
    name: "columns.crawled",
    help: "column of the date of the fetch [default: date, fetch_time, timestamp, modificationTime]",
};
pub(in crate::datasets::import) const EXTRA: OptionHelp =
    OptionHelp { name: "columns.extra", help: "columns to carry along, with commas between [default: dump, crawl]" };
