//! Every label of the Encoding Standard, in a page that holds text of its encoding.

use carat::page::charset::{EncodingSource, decode};
use encoding_rs::Encoding;

/// The encoding that a page with the label is read in, some text of it, and the labels.
const LABELS: &[(&str, &str, &str)] = &[
    ("Big5", "中文", "big5 csbig5 cn-big5 x-x-big5 big5-hkscs"),
    ("EUC-JP", "日本", "euc-jp x-euc-jp cseucpkdfmtjapanese"),
    (
        "EUC-KR",
        "한국",
        "korean euc-kr ksc5601 cseuckr ksc_5601 iso-ir-149 windows-949 csksc56011987 ks_c_5601-1987 \
        ks_c_5601-1989",
    ),
    ("gb18030", "中文€", "gb18030"),
    ("GBK", "中文", "gbk x-gbk gb2312 gb_2312 chinese csgb2312 iso-ir-58 gb_2312-80 csiso58gb231280"),
    ("IBM866", "Привет", "866 cp866 ibm866 csibm866"),
    ("ISO-2022-JP", "日本", "iso-2022-jp csiso2022jp"),
    ("ISO-8859-10", "āķ", "l6 latin6 iso885910 iso8859-10 iso-ir-157 iso-8859-10 csisolatin6"),
    ("ISO-8859-13", "ėž", "iso885913 iso8859-13 iso-8859-13"),
    ("ISO-8859-14", "ŵŷ", "iso885914 iso8859-14 iso-8859-14"),
    ("ISO-8859-15", "é€", "l9 iso885915 iso8859-15 iso-8859-15 iso_8859-15 csisolatin9"),
    ("ISO-8859-16", "ăș", "iso-8859-16"),
    ("ISO-8859-2", "łž", "l2 latin2 iso88592 iso8859-2 iso-ir-101 iso-8859-2 iso_8859-2 csisolatin2 iso_8859-2:1987"),
    ("ISO-8859-3", "ĉĝ", "l3 latin3 iso88593 iso8859-3 iso-8859-3 iso_8859-3 iso-ir-109 csisolatin3 iso_8859-3:1988"),
    ("ISO-8859-4", "ķų", "l4 latin4 iso88594 iso8859-4 iso-ir-110 iso-8859-4 iso_8859-4 csisolatin4 iso_8859-4:1988"),
    (
        "ISO-8859-5",
        "Привет",
        "iso88595 cyrillic iso8859-5 iso-ir-144 iso-8859-5 iso_8859-5 iso_8859-5:1988 csisolatincyrillic",
    ),
    (
        "ISO-8859-6",
        "مرحبا",
        "arabic ecma-114 iso88596 asmo-708 iso8859-6 iso-8859-6 iso_8859-6 iso-ir-127 csiso88596e \
        csiso88596i iso-8859-6-e iso-8859-6-i iso_8859-6:1987 csisolatinarabic",
    ),
    (
        "ISO-8859-7",
        "αβγ",
        "greek greek8 iso88597 ecma-118 elot_928 iso8859-7 iso-ir-126 iso-8859-7 iso_8859-7 sun_eu_greek \
        iso_8859-7:1987 csisolatingreek",
    ),
    (
        "ISO-8859-8",
        "שלום",
        "visual hebrew iso88598 iso8859-8 iso-8859-8 iso_8859-8 iso-ir-138 csiso88598e iso-8859-8-e \
        iso_8859-8:1988 csisolatinhebrew",
    ),
    ("ISO-8859-8-I", "שלום", "logical csiso88598i iso-8859-8-i"),
    ("KOI8-R", "Привет", "koi koi8 koi8-r koi8_r cskoi8r"),
    ("KOI8-U", "Київ", "koi8-u koi8-ru"),
    ("macintosh", "é€", "mac macintosh csmacintosh x-mac-roman"),
    ("Shift_JIS", "日本", "sjis ms932 x-sjis ms_kanji shift-jis shift_jis csshiftjis windows-31j"),
    ("UTF-8", "中é", "utf8 utf-8 unicode20utf8 unicode11utf8 x-unicode20utf8 unicode-1-1-utf-8"),
    ("UTF-8", "中é", "ucs-2 utf-16 unicode utf-16le csunicode unicodefeff iso-10646-ucs-2"),
    ("UTF-8", "中é", "utf-16be unicodefffe"),
    ("windows-1250", "łž", "cp1250 x-cp1250 windows-1250"),
    ("windows-1251", "Привет", "cp1251 x-cp1251 windows-1251"),
    (
        "windows-1252",
        "é€",
        "l1 cp819 ascii latin1 cp1252 ibm819 iso88591 x-cp1252 us-ascii iso8859-1 iso-ir-100 iso-8859-1 \
        iso_8859-1 csisolatin1 windows-1252 ansi_x3.4-1968 iso_8859-1:1987",
    ),
    ("windows-1252", "é€", "x-user-defined"),
    ("windows-1253", "αβγ", "cp1253 x-cp1253 windows-1253"),
    (
        "windows-1254",
        "ğş",
        "l5 cp1254 latin5 x-cp1254 iso88599 iso8859-9 iso-ir-148 iso-8859-9 iso_8859-9 csisolatin5 \
        windows-1254 iso_8859-9:1989",
    ),
    ("windows-1255", "שלום", "cp1255 x-cp1255 windows-1255"),
    ("windows-1256", "مرحبا", "cp1256 x-cp1256 windows-1256"),
    ("windows-1257", "ėž", "cp1257 x-cp1257 windows-1257"),
    ("windows-1258", "ơđ", "cp1258 x-cp1258 windows-1258"),
    ("windows-874", "ไทย", "tis-620 dos-874 iso885911 iso8859-11 iso-8859-11 windows-874"),
    ("x-mac-cyrillic", "Привет", "x-mac-cyrillic x-mac-ukrainian"),
];

/// Their encodings are unsafe to read: the whole page becomes one U+FFFD.
const REPLACED: &str = "hz-gb-2312 iso-2022-cn iso-2022-kr csiso2022kr replacement iso-2022-cn-ext";

#[test]
fn every_label_leads_to_its_encoding() {
    let mut labels = 0;
    for (name, text, names) in LABELS {
        let encoding = Encoding::for_label(name.as_bytes()).unwrap();
        for label in names.split_whitespace() {
            let page = format!("<meta charset='{label}'><p>{text}");
            let (bytes, _, unmappable) = encoding.encode(&page);
            assert!(!unmappable, "{name} has no {text}");
            let decoded = decode(&bytes, None);
            assert_eq!((decoded.encoding, decoded.source), (*name, EncodingSource::Label), "{label}");
            assert_eq!((decoded.text, decoded.replaced), (page, 0), "{label}");
            labels += 1;
        }
    }
    assert_eq!(labels + REPLACED.split_whitespace().count(), 228);
}

#[test]
fn labels_of_unsafe_encodings_hide_the_page() {
    for label in REPLACED.split_whitespace() {
        let decoded = decode(format!("<meta charset={label}><p>text").as_bytes(), None);
        assert_eq!((decoded.text.as_str(), decoded.replaced), ("\u{FFFD}", 1), "{label}");
    }
}

#[test]
fn utf_16_is_read_with_a_mark_or_as_an_xml_declaration_shows_it() {
    let page = "<?xml version='1.0'?><p>中é";
    for (name, unit) in [("UTF-16LE", u16::to_le_bytes as fn(u16) -> [u8; 2]), ("UTF-16BE", u16::to_be_bytes)] {
        let encode = |text: &str| text.encode_utf16().flat_map(unit).collect::<Vec<u8>>();
        let marked = decode(&encode(&format!("\u{FEFF}{page}")), None);
        assert_eq!((marked.text.as_str(), marked.encoding, marked.source), (page, name, EncodingSource::Mark));
        let declared = decode(&encode(page), None);
        assert_eq!((declared.text.as_str(), declared.encoding, declared.source), (page, name, EncodingSource::Label));
        // With neither it is a page of some eight-bit encoding, as in browsers.
        let bare = decode(&encode("<p>text"), None);
        assert!(bare.text.contains('\0'), "{}", bare.text);
    }
}
