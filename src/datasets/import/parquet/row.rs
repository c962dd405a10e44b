//! The meaning of the columns of a Parquet file: a row as a record and a page.

use std::collections::BTreeMap;

use carat_parquet::{Cell, Column, Kind, ParquetFile};
use carat_warc::http::media_type;
use serde_json::{Map, Value as Json};

use crate::datasets::import::Options;
use crate::datasets::import::table::{Cells, Columns, Names};
use crate::datasets::manifest::Record;
use crate::datasets::words::fit;
use crate::formats::code::Code;
use crate::page::charset;

/// The options, checked.
pub(super) struct Reading {
    pub(super) columns: Columns,
    html: Names,
    /// Labels of encodings, and media types that hold one.
    encoding: Names,
    content_type: Names,
}

/// The columns of a file that are read.
pub(super) struct Layout {
    /// That of the page first, if the file has it.
    pub(super) columns: Vec<Column>,
    has_page: bool,
}

impl Layout {
    /// True if a column of that name is read.
    pub(super) fn has(&self, name: &str) -> bool {
        self.columns.iter().any(|column| column.name == name)
    }

    /// The column of the page.
    pub(super) fn page(&self) -> Option<&Column> {
        self.columns.first().filter(|_| self.has_page)
    }
}

/// A row that has a page.
pub(super) struct PageRow<'c> {
    /// Without the page.
    pub(super) record: Record,
    pub(super) page: Page<'c>,
    /// True if a label of its encoding is none.
    pub(super) has_unknown_label: bool,
}

/// A page as it stands in a row.
#[derive(Clone, Copy)]
pub(super) enum Page<'c> {
    /// Characters.
    Text(&'c str),
    /// Bytes to decode.
    Bytes(&'c [u8]),
}

impl<'c> Page<'c> {
    pub(super) fn bytes(self) -> &'c [u8] {
        match self {
            Page::Text(text) => text.as_bytes(),
            Page::Bytes(bytes) => bytes,
        }
    }
}

type Fault = (Code, String);

impl Reading {
    pub(super) fn new(options: &Options) -> Result<Self, String> {
        Ok(Reading {
            columns: Columns::new(options)?,
            html: Names::of(options, "html", Columns::USUAL_HTML)?,
            encoding: Names::of(options, "encoding", &["encoding", "charset"])?,
            content_type: Names::of(options, "content_type", &["content_type"])?,
        })
    }

    /// The columns of `table` that are read: of each field the first that is there, and all that are carried along.
    pub(super) fn layout(&self, table: &ParquetFile) -> Result<Layout, Fault> {
        let page = self.html.names.iter().find_map(|name| table.column(name));
        let mut columns: BTreeMap<String, Column> = BTreeMap::new();
        let labels = [("encoding", &self.encoding), ("content_type", &self.content_type)];
        for (field, names) in self.columns.all().into_iter().chain(labels).filter(|(field, _)| *field != "html") {
            let there = names.names.iter().filter_map(|name| table.column(name));
            let wanted = if field == "extra" { usize::MAX } else { 1 };
            for column in there.take(wanted) {
                match column.kind.unread() {
                    None => drop(columns.insert(column.name.clone(), column)),
                    // A column of a usual name may mean anything.
                    Some(what) if names.asked => return Err(not_read(&column, what)),
                    Some(_) => {}
                }
            }
        }
        if let Some((page, what)) = page.as_ref().and_then(|page| Some((page, page.kind.unread()?))) {
            return Err(not_read(page, what));
        }
        let has_page = page.is_some();
        Ok(Layout { columns: page.into_iter().chain(columns.into_values()).collect(), has_page })
    }

    /// The page and the record of a row, `name` where no column gives an id; `None` where it has no page.
    pub(super) fn row<'c>(
        &self,
        layout: &Layout,
        cells: &'c [Cell],
        partitions: &Map<String, Json>,
        name: &str,
    ) -> Result<Option<PageRow<'c>>, Fault> {
        let Some(page) = layout.page().map_or(Ok(None), |column| page_of(column, cells.first()))? else {
            return Ok(None);
        };
        let others = layout.columns.iter().zip(cells).skip(1);
        let values: Map<String, Json> = others
            .map(|(column, cell)| Ok((column.name.clone(), json(column, cell)?)))
            .collect::<Result<_, Fault>>()?;
        let row = Cells { cells: &values, partitions };
        let mut record = self.columns.record_without_page(row, name)?;
        let mut has_unknown_label = false;
        match page {
            Page::Text(_) => record.encoding = Some("utf-8".to_owned()),
            Page::Bytes(_) => match self.label(row)? {
                Some(label) if charset::for_label(&label).is_none() => {
                    has_unknown_label = true;
                    let details = record.details.get_or_insert_default();
                    details.other.insert("x-charset".to_owned(), Json::String(label));
                }
                label => record.encoding = label,
            },
        }
        fit(&mut record)?;
        Ok(Some(PageRow { record, page, has_unknown_label }))
    }

    /// The label of the page's encoding, in lower case.
    fn label(&self, row: Cells<'_>) -> Result<Option<String>, Fault> {
        let label = match self.encoding.text(row)? {
            Some(label) => Some(label),
            None => self.content_type.text(row)?.and_then(|media| media_type(&media).1.map(str::to_owned)),
        };
        Ok(label.map(|label| label.trim().to_ascii_lowercase()).filter(|label| !label.is_empty()))
    }
}

fn not_read(column: &Column, what: &str) -> Fault {
    (Code::Option, format!("the column `{}` is {what}, which is not read", column.name))
}

/// The page in a cell.
fn page_of<'c>(column: &Column, cell: Option<&'c Cell>) -> Result<Option<Page<'c>>, Fault> {
    match (cell, column.kind) {
        (None | Some(Cell::Null), _) => Ok(None),
        (Some(Cell::Bytes(bytes)), Kind::Text) => Ok(Some(Page::Text(utf8(column, bytes.data())?))),
        (Some(Cell::Bytes(bytes)), _) => Ok(Some(Page::Bytes(bytes.data()))),
        _ => Err((Code::Upstream, format!("the column `{}` holds neither text nor bytes", column.name))),
    }
}

fn utf8<'c>(column: &Column, bytes: &'c [u8]) -> Result<&'c str, Fault> {
    std::str::from_utf8(bytes).map_err(|_| (Code::Upstream, format!("the column `{}` is not valid UTF-8", column.name)))
}

/// A cell as JSON has it. Bytes are taken for text: older writers do not mark texts.
fn json(column: &Column, cell: &Cell) -> Result<Json, Fault> {
    Ok(match cell {
        Cell::Null => Json::Null,
        Cell::Bytes(bytes) => Json::from(utf8(column, bytes.data())?),
        Cell::Date(date) => Json::from(date.as_str()),
        Cell::Integer(number) => Json::from(*number),
        Cell::Unsigned(number) => Json::from(*number),
        Cell::Float(number) => Json::from(*number),
        Cell::Flag(flag) => Json::from(*flag),
    })
}
