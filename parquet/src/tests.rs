use std::io::{self, Cursor};
use std::sync::Arc;

use parquet::basic::{Compression, Encoding};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::{ByteArray, Int96};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter, RowGroupMetaData};
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::*;

/// The values of a column, without nulls.
#[derive(Clone)]
enum Values {
    Bytes(Vec<&'static [u8]>),
    Integers(Vec<i64>),
    Small(Vec<i32>),
    Old(Vec<Int96>),
    Floats(Vec<f64>),
    Flags(Vec<bool>),
}

/// A file of row groups, each of some columns: levels and values.
fn written(schema: &str, groups: &[Vec<(Vec<i16>, Values)>], properties: WriterPropertiesBuilder) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties.build())).unwrap();
    for columns in groups {
        let mut group = writer.next_row_group().unwrap();
        for (levels, values) in columns {
            let mut column = group.next_column().unwrap().unwrap();
            let repeated = vec![0; levels.len()];
            let (levels, repeated) = (Some(levels.as_slice()), Some(repeated.as_slice()));
            match (column.untyped(), values) {
                (ColumnWriter::ByteArrayColumnWriter(column), Values::Bytes(values)) => {
                    let values: Vec<ByteArray> = values.iter().map(|bytes| bytes.to_vec().into()).collect();
                    column.write_batch(&values, levels, repeated).unwrap()
                }
                (ColumnWriter::Int64ColumnWriter(column), Values::Integers(values)) => {
                    column.write_batch(values, levels, repeated).unwrap()
                }
                (ColumnWriter::Int32ColumnWriter(column), Values::Small(values)) => {
                    column.write_batch(values, levels, repeated).unwrap()
                }
                (ColumnWriter::Int96ColumnWriter(column), Values::Old(values)) => {
                    column.write_batch(values, levels, repeated).unwrap()
                }
                (ColumnWriter::DoubleColumnWriter(column), Values::Floats(values)) => {
                    column.write_batch(values, levels, repeated).unwrap()
                }
                (ColumnWriter::BoolColumnWriter(column), Values::Flags(values)) => {
                    column.write_batch(values, levels, repeated).unwrap()
                }
                _ => panic!("the values are not of the column"),
            };
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}

fn plain() -> WriterPropertiesBuilder {
    WriterProperties::builder()
}

fn opened(bytes: &[u8]) -> Result<Arc<ParquetFile>, Fault> {
    let bytes = bytes.to_vec();
    ParquetFile::open(Box::new(move || Ok(Box::new(Cursor::new(bytes.clone())) as Box<dyn Source>))).map(Arc::new)
}

/// The rows of `names` from `first` on, or the fault that ends them.
fn read(bytes: &[u8], names: &[&str], first: u64) -> Result<Vec<Vec<Cell>>, Fault> {
    let file = opened(bytes)?;
    let columns: Vec<Column> = names.iter().map(|name| file.column(name).expect(name)).collect();
    let mut rows = Rows::new(file, &columns, first)?;
    let mut all = Vec::new();
    while let Some(batch) = rows.next_batch()? {
        assert_eq!(batch.first, first + all.len() as u64);
        assert!((1..=MOST_BATCH_ROWS).contains(&batch.rows.len()));
        all.extend(batch.rows);
    }
    Ok(all)
}

fn bytes(text: &str) -> Cell {
    Cell::Bytes(text.as_bytes().to_vec().into())
}

fn sentence(fault: Fault) -> String {
    match fault {
        Fault::Broken(sentence) => sentence,
        Fault::System(error) => panic!("{error}"),
    }
}

const KINDS: &str = "message m {
    required binary html (UTF8); optional binary raw; optional group meta { optional binary language (UTF8); }
    optional int64 number; optional int32 small (INTEGER(32,false)); optional int32 day (DATE);
    optional int64 at (TIMESTAMP(MICROS,true)); optional int96 old; optional double score; optional boolean ok;
    repeated binary tags (UTF8); optional fixed_len_byte_array(2) pair; }";

/// Two rows of every kind: one with values and one without.
fn of_kinds() -> Vec<u8> {
    let mut old = Int96::new();
    old.set_data(0, 0, 2_440_589);
    let some = |values: Values| (vec![1, 0], values);
    let columns = vec![
        (vec![0, 0], Values::Bytes(vec![b"<p>a", b""])),
        some(Values::Bytes(vec![b"\xFF\0"])),
        // A group that is there without the text in it, and a text.
        (vec![2, 1], Values::Bytes(vec![b"zh"])),
        some(Values::Integers(vec![-7])),
        some(Values::Small(vec![-1])),
        some(Values::Small(vec![19_849])),
        some(Values::Integers(vec![1_714_979_289_000_000])),
        some(Values::Old(vec![old])),
        some(Values::Floats(vec![0.5])),
        some(Values::Flags(vec![true])),
        (vec![0, 0], Values::Bytes(vec![])),
    ];
    let schema = KINDS.replace("optional fixed_len_byte_array(2) pair; ", "");
    written(&schema, &[columns], plain())
}

#[test]
fn every_kind_of_value_is_read_and_nulls_are_none() {
    let names = ["html", "raw", "meta.language", "number", "small", "day", "at", "old", "score", "ok"];
    let rows = read(&of_kinds(), &names, 0).unwrap();
    let date = |text: &str| Cell::Date(text.to_owned());
    let first = [
        bytes("<p>a"),
        Cell::Bytes(vec![0xFF, 0].into()),
        bytes("zh"),
        Cell::Integer(-7),
        Cell::Unsigned(u32::MAX.into()),
        date("2024-05-06"),
        date("2024-05-06T07:08:09Z"),
        date("1970-01-02T00:00:00Z"),
        Cell::Float(0.5),
        Cell::Flag(true),
    ];
    assert_eq!(rows[0], first);
    assert_eq!(rows[1][0], bytes(""));
    assert!(rows[1][1..].iter().all(|cell| *cell == Cell::Null), "{:?}", rows[1]);
}

#[test]
fn columns_are_found_by_their_names_and_lists_are_not_read() {
    let file = opened(&of_kinds()).unwrap();
    let kind = |name: &str| file.column(name).map(|column| column.kind);
    assert_eq!(
        (kind("html"), kind("raw"), kind("meta.language")),
        (Some(Kind::Text), Some(Kind::Binary), Some(Kind::Text))
    );
    assert_eq!((kind("none"), kind("meta"), kind("language")), (None, Some(Kind::Other("a group of columns")), None));
    let tags = file.column("tags").unwrap();
    assert_eq!(file.column_names().nth(2).as_deref(), Some("meta.language"));
    let refused = Rows::new(file, &[tags], 0).map(drop).unwrap_err();
    assert_eq!(sentence(refused), "its column `tags` is a list, which is not read");
    // A name with a dot of its own goes before names that are joined.
    let schema = "message m { optional group a { optional binary b (UTF8); } optional binary c; }";
    let dotted =
        written(schema, &[vec![(vec![2], Values::Bytes(vec![b"in"])), (vec![1], Values::Bytes(vec![b"c"]))]], plain());
    assert_eq!(read(&dotted, &["a.b", "c"], 0).unwrap(), [[bytes("in"), bytes("c")]]);
}

/// Three hundred rows in groups of `size`; each third has no text.
fn many(size: usize, properties: WriterPropertiesBuilder) -> (Vec<u8>, Vec<Vec<Cell>>) {
    const TEXTS: [&str; 4] = ["<p>one", "", "<p>中文", "<p>one and more"];
    let (mut groups, mut expected) = (Vec::new(), Vec::new());
    let numbers: Vec<i64> = (0..300).collect();
    for group in numbers.chunks(size) {
        let is_there = |number: &&i64| **number % 3 != 0;
        let text = |number: &i64| TEXTS[*number as usize % TEXTS.len()];
        let levels = group.iter().map(|number| is_there(&number).into()).collect();
        let texts = group.iter().filter(is_there).map(|number| text(number).as_bytes()).collect();
        groups.push(vec![(levels, Values::Bytes(texts)), (vec![0; group.len()], Values::Integers(group.to_vec()))]);
        let row = |number: &i64| {
            let text = if is_there(&number) { bytes(text(number)) } else { Cell::Null };
            vec![text, Cell::Integer(*number)]
        };
        expected.extend(group.iter().map(row));
    }
    (written("message m { optional binary html (UTF8); required int64 number; }", &groups, properties), expected)
}

#[test]
fn rows_are_the_same_from_any_row_on_in_any_layout() {
    let layouts = [
        plain(),
        plain().set_dictionary_enabled(false).set_compression(Compression::SNAPPY),
        plain().set_writer_version(WriterVersion::PARQUET_2_0).set_compression(Compression::ZSTD(Default::default())),
        plain()
            .set_data_page_size_limit(64)
            .set_write_batch_size(4)
            .set_compression(Compression::GZIP(Default::default())),
        plain().set_dictionary_enabled(false).set_encoding(Encoding::DELTA_BYTE_ARRAY).set_data_page_size_limit(64),
        plain().set_dictionary_enabled(false).set_encoding(Encoding::DELTA_LENGTH_BYTE_ARRAY),
    ];
    for (number, layout) in layouts.into_iter().enumerate() {
        // The encodings of texts are none of numbers.
        let layout = if number < 4 { layout } else { layout.set_column_encoding("number".into(), Encoding::PLAIN) };
        for size in [1, 7, 64, 100, 300] {
            let (file, expected) = many(size, layout.clone());
            for first in [0, 1, 6, 7, 63, 64, 150, 299, 300, 1_000] {
                let rows = read(&file, &["html", "number"], first).unwrap();
                assert_eq!(
                    rows,
                    expected[expected.len().min(first as usize)..],
                    "layout {number}, groups of {size}, from {first}"
                );
            }
            assert_eq!(read(&file, &["number"], 0).unwrap().len(), 300);
        }
    }
}

#[test]
fn a_batch_ends_at_its_bytes_and_at_the_end_of_a_row_group() {
    let large = vec![b'x'; MOST_BATCH_BYTES].leak() as &'static [u8];
    let group = |values: Vec<&'static [u8]>| vec![(vec![1; values.len()], Values::Bytes(values))];
    let groups = [group(vec![b"a", large, b"b"]), group(vec![b"c"; 65])];
    let file = opened(&written("message m { optional binary html; }", &groups, plain())).unwrap();
    let column = file.column("html").unwrap();
    assert_eq!([0, 2, 3, 67].map(|row| file.group_of(row)), [Some(0), Some(0), Some(1), Some(1)]);
    assert_eq!((file.group_of(68), file.rows()), (None, 68));
    let mut rows = Rows::new(file, &[column], 0).unwrap();
    let lengths = std::iter::from_fn(|| rows.next_batch().unwrap().map(|batch| batch.rows.len()));
    assert_eq!(lengths.collect::<Vec<_>>(), [2, 1, 64, 1]);
}

#[test]
fn a_file_without_rows_has_columns() {
    let file = written("message m { optional binary html (UTF8); }", &[], plain());
    assert_eq!(read(&file, &["html"], 0).unwrap(), Vec::<Vec<Cell>>::new());
    let empty =
        written("message m { optional binary html (UTF8); }", &[vec![(vec![], Values::Bytes(vec![]))]], plain());
    assert_eq!(read(&empty, &["html"], 0).unwrap().len(), 0);
}

#[test]
fn a_file_cut_anywhere_is_told() {
    let (whole, _) = many(100, plain().set_compression(Compression::SNAPPY));
    for length in 0..whole.len() {
        let told = sentence(opened(&whole[..length]).unwrap_err());
        assert!(
            ["is no Parquet file", "is cut", "its footer cannot be read"].iter().any(|known| told.starts_with(known)),
            "{told}"
        );
    }
    // Bytes lost in the middle move everything behind them.
    for at in (4..whole.len() - 8).step_by(13) {
        let short = [&whole[..at], &whole[at + 1..]].concat();
        if let Ok(rows) = read(&short, &["html", "number"], 0) {
            assert_eq!(rows.len(), 300, "a byte is lost at {at}");
        }
    }
}

#[test]
fn no_flipped_bit_makes_the_reader_panic() {
    for layout in [
        plain(),
        plain().set_writer_version(WriterVersion::PARQUET_2_0).set_compression(Compression::ZSTD(Default::default())),
    ] {
        let (whole, _) = many(150, layout);
        for at in 0..whole.len() {
            for bit in [at % 8, at / 8 % 8] {
                let mut flipped = whole.clone();
                flipped[at] ^= 1 << bit;
                let Ok(file) = opened(&flipped) else { continue };
                let columns: Vec<Column> = ["html", "number"].iter().filter_map(|name| file.column(name)).collect();
                let Ok(mut rows) = Rows::new(file.clone(), &columns, 0) else { continue };
                let mut seen = 0;
                // A footer may say that there are very many rows: what is read ends where the file does.
                while let Ok(Some(batch)) = rows.next_batch() {
                    seen += batch.rows.len();
                    assert!(seen <= 100_000, "byte {at}, bit {bit}");
                }
                for first in [1, 149, 150, 299] {
                    let _ = Rows::new(file.clone(), &columns, first).and_then(|mut rows| rows.next_batch());
                }
            }
        }
    }
}

/// The file with another footer.
fn with_footer(file: &[u8], change: impl Fn(Vec<RowGroupMetaData>) -> Vec<RowGroupMetaData>) -> Vec<u8> {
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&bytes::Bytes::from(file.to_vec())).unwrap();
    let footer = u32::from_le_bytes(file[file.len() - 8..file.len() - 4].try_into().unwrap()) as usize;
    let mut changed = file[..file.len() - 8 - footer].to_vec();
    let groups = change(metadata.row_groups().to_vec());
    let metadata = ParquetMetaData::new(metadata.file_metadata().clone(), groups);
    ParquetMetaDataWriter::new(&mut changed, &metadata).finish().unwrap();
    changed
}

#[test]
fn a_footer_that_lies_is_told_with_the_row_group() {
    let (file, expected) = many(150, plain());
    let rows_of = |number: usize, rows: i64| {
        with_footer(&file, |mut groups| {
            groups[number] = groups[number].clone().into_builder().set_num_rows(rows).build().unwrap();
            groups
        })
    };
    let told = |file: &[u8]| sentence(read(file, &["html", "number"], 0).unwrap_err());
    assert_eq!(read(&with_footer(&file, |groups| groups), &["html", "number"], 0).unwrap(), expected);
    assert_eq!(
        told(&rows_of(1, 151)),
        "row group 1: its footer says that it has 151 rows, and the column `html` ends behind row 128 or some of the next"
    );
    assert!(
        told(&rows_of(0, i64::MAX / 2))
            .starts_with("row group 0: its footer says that it has 4611686018427387903 rows")
    );
    assert_eq!(told(&rows_of(1, -1)), "row group 1: its footer says that it has -1 rows");
    let from_last = read(&rows_of(0, 1_000), &["html", "number"], 999).unwrap_err();
    assert!(sentence(from_last).starts_with("row group 0: its footer says that it has 1000 rows"));
    let column_at = |offset: i64, length: i64| {
        with_footer(&file, |mut groups| {
            let mut columns = groups[1].columns().to_vec();
            let column = columns[0].clone().into_builder().set_dictionary_page_offset(None);
            columns[0] = column.set_data_page_offset(offset).set_total_compressed_size(length).build().unwrap();
            groups[1] = groups[1].clone().into_builder().set_column_metadata(columns).build().unwrap();
            groups
        })
    };
    for (offset, length) in [(-4, 10), (4, -10), (file.len() as i64, 10), (4, i64::MAX / 2), (i64::MAX, i64::MAX / 2)] {
        let sentence = "row group 1: its footer names a place beyond the file for the column `html`";
        assert_eq!(told(&column_at(offset, length)), sentence, "{offset} {length}");
    }
    assert!(told(&column_at(5, 100)).starts_with("row group 1: its column `html` cannot be read: "));
}

#[test]
fn what_is_no_file_or_encrypted_or_packed_otherwise_is_told() {
    let (file, _) = many(300, plain());
    let mut encrypted = file.clone();
    let length = encrypted.len();
    encrypted[length - 4..].copy_from_slice(b"PARE");
    assert_eq!(sentence(opened(&encrypted).unwrap_err()), "is encrypted; only files that are not are read");
    assert_eq!(sentence(opened(b"PAR1").unwrap_err()), "is no Parquet file: it has too few bytes");
    assert_eq!(sentence(opened(b"id,html\na,<p>x\n").unwrap_err()), "is no Parquet file: it does not begin with PAR1");
    let packed = with_footer(&file, |mut groups| {
        let mut columns = groups[0].columns().to_vec();
        columns[0] =
            columns[0].clone().into_builder().set_compression(Compression::BROTLI(Default::default())).build().unwrap();
        groups[0] = groups[0].clone().into_builder().set_column_metadata(columns).build().unwrap();
        groups
    });
    let told = sentence(read(&packed, &["html"], 0).unwrap_err());
    assert!(
        told.starts_with("row group 0: its column `html` cannot be read: ") && told.to_lowercase().contains("brotli"),
        "{told}"
    );
}

/// A disk that fails behind some bytes.
struct Failing(Cursor<Vec<u8>>, u64);

impl io::Read for Failing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.position() >= self.1 { self.0.read(buffer) } else { Err(io::Error::from_raw_os_error(5)) }
    }
}

impl io::Seek for Failing {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

#[test]
fn an_error_of_the_system_is_no_fault_of_the_file() {
    let (file, _) = many(300, plain());
    let length = file.len() as u64;
    let open = |from: u64| {
        let file = file.clone();
        let open = move || Ok(Box::new(Failing(Cursor::new(file.clone()), from)) as Box<dyn Source>);
        ParquetFile::open(Box::new(open))
    };
    assert!(matches!(open(length), Err(Fault::System(error)) if error.raw_os_error() == Some(5)));
    let gone = ParquetFile::open(Box::new(|| Err(io::ErrorKind::NotFound.into())));
    assert!(matches!(gone, Err(Fault::System(error)) if error.kind() == io::ErrorKind::NotFound));
}

const FORMS: [(&str, Form); 3] = [("page", Form::Text), ("matched", Form::Integer), ("text", Form::Binary)];

#[test]
fn a_table_is_read_as_it_was_written() {
    let mut table = TableWriter::new(Vec::new(), &FORMS).unwrap();
    let rows = GROUP_ROWS + 5;
    for number in 0..rows {
        let page = format!("page {}", number / 40);
        let matched = if number % 2 == 0 { Value::Integer(number as i64) } else { Value::Null };
        table.add(&[Value::Text(&page), matched, Value::Binary(&[number as u8, 0xFF])]).unwrap();
    }
    let file = table.finish().unwrap();
    assert!(file.len() < rows * 4, "{} bytes", file.len());
    let opened = opened(&file).unwrap();
    assert_eq!((opened.rows(), opened.group_of(GROUP_ROWS as u64)), (rows as u64, Some(1)));
    assert_eq!(opened.column("page").map(|column| column.kind), Some(Kind::Text));
    assert_eq!(opened.column("text").map(|column| column.kind), Some(Kind::Binary));
    let read = read(&file, &["page", "matched", "text"], 0).unwrap();
    for (number, row) in read.iter().enumerate() {
        let matched = if number % 2 == 0 { Cell::Integer(number as i64) } else { Cell::Null };
        assert_eq!(
            row,
            &[bytes(&format!("page {}", number / 40)), matched, Cell::Bytes(vec![number as u8, 0xFF].into())]
        );
    }
    assert_eq!(read.len(), rows);
}

#[test]
fn a_table_may_have_no_rows_and_refuses_rows_of_another() {
    let empty = TableWriter::new(Vec::new(), &FORMS).unwrap().finish().unwrap();
    assert_eq!(read(&empty, &["page", "matched", "text"], 0).unwrap().len(), 0);
    let mut table = TableWriter::new(Vec::new(), &FORMS).unwrap();
    for row in [&[Value::Null][..], &[Value::Integer(1), Value::Integer(1), Value::Null]] {
        assert_eq!(table.add(row).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
}

#[test]
fn a_full_disk_is_told_as_such() {
    struct Full;
    impl io::Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::from_raw_os_error(28))
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let table = TableWriter::new(Full, &FORMS).and_then(|mut table| {
        table.add(&[Value::Text("a"), Value::Null, Value::Null])?;
        table.finish()
    });
    assert_eq!(table.map(drop).unwrap_err().raw_os_error(), Some(28));
}
