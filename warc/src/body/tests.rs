use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::{DeflateEncoder, GzEncoder, ZlibEncoder};

use super::*;
use crate::http::read_response;

/// `TEXT` packed by Google's `brotli` 1.2.0 at quality 11.
const BROTLI: [u8; 26] = [
    0x1B, 0x8F, 0x01, 0xF8, 0x8D, 0xD4, 0x4E, 0x37, 0x26, 0x7F, 0x52, 0xBF, 0xF0, 0xC0, 0x91, 0x4B, 0x9F, 0x56, 0xDC,
    0x20, 0x30, 0x14, 0x00, 0xC8, 0x7C, 0x12,
];

fn text() -> Vec<u8> {
    "<p>中</p>".repeat(40).into_bytes()
}

fn packed(mut encoder: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    encoder.read_to_end(&mut bytes).unwrap();
    bytes
}

/// `bytes` in each encoding, with its name.
fn encoded(bytes: &[u8]) -> [(&'static str, Vec<u8>); 5] {
    [
        ("gzip", packed(GzEncoder::new(bytes, Compression::fast()))),
        ("deflate", packed(ZlibEncoder::new(bytes, Compression::fast()))),
        ("deflate", packed(DeflateEncoder::new(bytes, Compression::fast()))),
        ("zstd", zstd::encode_all(bytes, 1).unwrap()),
        ("br", if bytes == text() { BROTLI.to_vec() } else { stored_brotli(bytes) }),
    ]
}

/// Brotli without compression (RFC 7932, section 9.2): a window of 16 bits, blocks as they are, an empty last one.
fn stored_brotli(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    for (number, block) in bytes.chunks(1 << 16).enumerate() {
        let length = block.len() as u32 - 1;
        // Not the last, 4 nibbles of length, as it is; before the first stands the window, one bit.
        let bits = length << 3 | 1 << 19;
        let bits = if number == 0 { u64::from(bits) << 1 } else { u64::from(bits) };
        packed.extend(&bits.to_le_bytes()[..3]);
        packed.extend(block);
    }
    packed.push(3);
    packed
}

fn chunked(bytes: &[u8], size: usize) -> Vec<u8> {
    let mut body = Vec::new();
    for chunk in bytes.chunks(size) {
        write!(body, "{:X};x=1\r\n", chunk.len()).unwrap();
        body.extend(chunk);
        body.extend(b"\r\n");
    }
    [body.as_slice(), b"0\r\nTrailer: x\r\n\r\n"].concat()
}

const BOUNDS: Bounds = Bounds { most: 1 << 16, may_be_cut: false };

fn read(fields: &str, body: &[u8], bounds: Bounds) -> Result<Body, BodyFault> {
    let block = [b"HTTP/1.1 200 OK\r\n", fields.as_bytes(), b"\r\n", body].concat();
    let mut block = block.as_slice();
    let response = read_response(&mut block).unwrap();
    read_body(&mut block, &response.fields, bounds)
}

fn bytes_of(fields: &str, body: &[u8]) -> Result<(Vec<u8>, bool), String> {
    read(fields, body, Bounds { most: 1 << 17, may_be_cut: false })
        .map(|body| (body.bytes, body.is_as_it_was))
        .map_err(|fault| fault.to_string())
}

const CHUNKED: &str = "Transfer-Encoding: chunked\r\n";

#[test]
fn each_encoding_is_undone_also_in_chunks_and_one_over_the_other() {
    for bytes in [text(), b"x".to_vec(), vec![b'y'; 1 << 16]] {
        let plain = Ok((bytes.clone(), false));
        assert_eq!(bytes_of("", &bytes), plain);
        assert_eq!(bytes_of(CHUNKED, &chunked(&bytes, 7)), plain);
        for (name, packed) in encoded(&bytes) {
            let field = format!("Content-encoding: {}, identity\r\n", name.to_uppercase());
            assert_eq!(bytes_of(&field, &packed), plain, "{name}");
            assert_eq!(bytes_of(&format!("{field}{CHUNKED}"), &chunked(&packed, 5)), plain, "{name}");
            let twice = packed_by_gzip(&packed);
            assert_eq!(bytes_of(&format!("{field}Content-Encoding: gzip\r\n"), &twice), plain, "{name}, gzip");
            assert_eq!(bytes_of(&format!("{field}Transfer-Encoding: gzip, chunked\r\n"), &chunked(&twice, 9)), plain);
        }
    }
}

fn packed_by_gzip(bytes: &[u8]) -> Vec<u8> {
    packed(GzEncoder::new(bytes, Compression::fast()))
}

#[test]
fn fields_of_encodings_that_were_undone_are_counted() {
    for body in [text(), b" \n<!DOCTYPE html><title>x</title>".to_vec(), "\u{FEFF}<p>x".into()] {
        for name in ["gzip", "deflate", "zstd", "br", "compress", "gzip, br"] {
            let field = format!("Content-Encoding: {name}\r\n");
            assert_eq!(bytes_of(&field, &body), Ok((body.clone(), true)), "{name}");
            assert_eq!(bytes_of(&format!("{field}{CHUNKED}"), &body), Ok((body.clone(), true)), "{name}");
        }
        assert_eq!(bytes_of("Content-Encoding: gzip, gzip\r\n", &packed_by_gzip(&body)), Ok((body.clone(), true)));
    }
    assert_eq!(bytes_of(&format!("Content-Encoding: gzip\r\n{CHUNKED}"), b""), Ok((Vec::new(), false)));
}

#[test]
fn what_breaks_later_is_broken_unless_its_crawler_cut_it() {
    let bytes: Vec<u8> = (0..100_000u32).flat_map(|number| number.to_string().into_bytes()).collect();
    let bounds = Bounds { most: 1 << 20, may_be_cut: true };
    for (name, packed) in encoded(&bytes) {
        let field = format!("Content-Encoding: {name}\r\n");
        for length in [packed.len() / 2, packed.len() - 1] {
            let cut = &packed[..length];
            let told = read(&field, cut, Bounds { may_be_cut: false, ..bounds }).unwrap_err().to_string();
            assert!(told.contains(&format!("ends before its {name} does")), "{name}: {told}");
            let kept = read(&field, cut, bounds).unwrap().bytes;
            assert!(bytes.starts_with(&kept), "{name}: {} bytes", kept.len());
            assert!(kept.len() > 1000, "{name}: {} bytes", kept.len());
        }
    }
    for from_end in [1, 8] {
        let mut damaged = encoded(&bytes)[0].1.clone();
        let at = damaged.len() - from_end;
        damaged[at] ^= 1;
        let told = read("Content-Encoding: gzip\r\n", &damaged, bounds).unwrap_err().to_string();
        assert!(told.contains("begins as gzip and is broken later"), "{told}");
    }
    let whole = chunked(b"0123456789", 4);
    for body in [&whole[..10], &whole[..17], b"4\r\n0123x\r\n", b"4\r\n0123\r\nx\r\n", b"4\r\n0123\r\n-1\r\n"] {
        assert!(matches!(bytes_of(CHUNKED, body), Err(told) if told.contains("a chunk")), "{body:?}");
    }
    for length in 0..whole.len() - 20 {
        let kept = read(CHUNKED, &whole[..length], bounds).unwrap();
        assert!(kept.is_as_it_was || b"0123456789".starts_with(&kept.bytes), "{length}: {kept:?}");
    }
}

#[test]
fn bombs_are_found_at_every_layer() {
    let bytes = vec![0; 1 << 20];
    let is_bomb = |fields: &str, body: &[u8]| matches!(read(fields, body, BOUNDS), Err(BodyFault::TooLarge(65_536)));
    assert!(is_bomb("", &bytes) && is_bomb(CHUNKED, &chunked(&bytes, 1 << 12)));
    assert!(is_bomb(CHUNKED, b"FFFFFFFFF\r\nx"));
    for (name, packed) in encoded(&bytes) {
        assert!(is_bomb(&format!("Content-Encoding: {name}\r\n"), &packed), "{name}");
        let nested = packed_by_gzip(&packed_by_gzip(&packed));
        assert!(is_bomb(&format!("Content-Encoding: {name}, gzip, gzip\r\n"), &nested), "{name}");
    }
    let four = bytes_of("Content-Encoding: gzip, gzip, gzip, gzip\r\n", b"x");
    assert!(four.unwrap_err().contains("more than 3 content encodings"));
}

#[test]
fn bytes_behind_gzip_are_passed_over_and_more_members_are_read() {
    let [one, two] = [b"<p>one".as_slice(), b"<p>two"].map(packed_by_gzip);
    let expected = Ok((b"<p>one<p>two".to_vec(), false));
    assert_eq!(bytes_of("Content-Encoding: x-gzip\r\n", &[&one[..], &two, b"rest"].concat()), expected);
}
