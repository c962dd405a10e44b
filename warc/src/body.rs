//! The body of a response without the encodings of its transfer: chunks (RFC 9112, section 7.1) and the content encodings
//! gzip, deflate, br and zstd (RFC 9110, section 8.4; RFC 9659).
//!
//! Archives keep the fields of encodings that they undid. A body that does not begin as a field says is therefore taken as
//! it is.

use std::io::{self, BufRead, Read};

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::{Decompress, FlushDecompress, Status};

use crate::head::Fields;

/// A body.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// True if a field names an encoding that the bytes do not have, or that nobody knows.
    pub is_as_it_was: bool,
}

/// Why there is no body.
#[derive(Debug, thiserror::Error)]
pub enum BodyFault {
    /// It has more bytes than a page may have.
    #[error("it has more than {0} bytes, unpacked")]
    TooLarge(u64),
    /// It begins as its fields say and breaks later; a sentence.
    #[error("{0}")]
    Broken(String),
    /// The system is in the way.
    #[error("{0}")]
    System(io::Error),
}

impl From<io::Error> for BodyFault {
    fn from(error: io::Error) -> Self {
        match error.raw_os_error() {
            Some(_) => BodyFault::System(error),
            None => BodyFault::Broken(format!("its block cannot be unpacked: {error}")),
        }
    }
}

/// The limits of a body.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// It has at most so many bytes, also between two encodings.
    pub most: u64,
    /// True if its crawler says that it is cut; then it ends where an encoding breaks off.
    pub may_be_cut: bool,
}

/// So many content encodings are undone.
const MAX_CODINGS: usize = 3;

/// Reads what stands in `block` behind the head of a response, and undoes its encodings.
///
/// # Errors
/// [`BodyFault`].
pub fn read_body(block: &mut dyn BufRead, fields: &Fields, bounds: Bounds) -> Result<Body, BodyFault> {
    let listed = |name: &str| -> Vec<String> {
        let names = fields.all(name).flat_map(|value| value.split(',')).map(|name| name.trim().to_ascii_lowercase());
        names.filter(|name| !matches!(name.as_str(), "" | "identity")).collect()
    };
    let (transfer, content) = (listed("Transfer-Encoding"), listed("Content-Encoding"));
    let is_chunked = transfer.iter().any(|name| name == "chunked");
    let codings: Vec<&String> = content.iter().chain(transfer.iter().filter(|name| *name != "chunked")).collect();
    if codings.len() > MAX_CODINGS {
        return Err(BodyFault::Broken(format!("its body has more than {MAX_CODINGS} content encodings")));
    }
    let mut body = if is_chunked { read_chunked(block, bounds)? } else { read_plain(block, bounds.most)? };
    for name in codings.iter().rev() {
        match undone(name, &body.bytes, bounds)? {
            Some(bytes) => body.bytes = bytes,
            None => body.is_as_it_was |= !body.bytes.is_empty(),
        }
    }
    Ok(body)
}

/// The bytes of `block` as they are.
///
/// # Errors
/// [`BodyFault`]: there are more than `most`, or they cannot be read.
pub fn read_plain(block: &mut dyn BufRead, most: u64) -> Result<Body, BodyFault> {
    let mut bytes = Vec::new();
    block.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(BodyFault::TooLarge(most)) } else { Ok(Body { bytes, is_as_it_was: false }) }
}

/// The line before a chunk has at most so many bytes.
const MAX_CHUNK_LINE: u64 = 4 << 10;

fn read_chunked(block: &mut dyn BufRead, bounds: Bounds) -> Result<Body, BodyFault> {
    let first = chunk_line(block)?;
    let Some(mut length) = chunk_length(&first) else {
        let mut rest = first.as_slice().chain(block);
        let plain = read_plain(&mut rest, bounds.most)?;
        return Ok(Body { is_as_it_was: !plain.bytes.is_empty(), ..plain });
    };
    let mut bytes = Vec::new();
    let broken = || BodyFault::Broken("a chunk of its body is broken".to_owned());
    while length > 0 {
        if bytes.len() as u64 + length > bounds.most {
            return Err(BodyFault::TooLarge(bounds.most));
        }
        let read = block.take(length).read_to_end(&mut bytes)? as u64;
        let end = chunk_line(block)?;
        let line = if end.trim_ascii().is_empty() && !end.is_empty() { chunk_line(block)? } else { Vec::new() };
        length = match chunk_length(&line) {
            Some(next) if read == length => next,
            _ if bounds.may_be_cut && block.fill_buf()?.is_empty() => break,
            _ => return Err(broken()),
        };
    }
    Ok(Body { bytes, is_as_it_was: false })
}

fn chunk_line(block: &mut dyn BufRead) -> Result<Vec<u8>, BodyFault> {
    let mut line = Vec::new();
    block.take(MAX_CHUNK_LINE).read_until(b'\n', &mut line)?;
    Ok(line)
}

/// The length that the line before a chunk states; `None` for another line.
fn chunk_length(line: &[u8]) -> Option<u64> {
    let line = std::str::from_utf8(line.strip_suffix(b"\n")?).ok()?;
    let digits = line.split(';').next()?.trim();
    let is_hex = (1..=16).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u64::from_str_radix(digits, 16).ok().filter(|length| is_hex && *length < 1 << 40)
}

/// `bytes` without the encoding `name`; `None` where they do not have it, or nobody knows it.
fn undone(name: &str, bytes: &[u8], bounds: Bounds) -> Result<Option<Vec<u8>>, BodyFault> {
    let mut unpacked = Unpacked { bytes: Vec::new(), most: bounds.most };
    let end = match name {
        "gzip" | "x-gzip" if bytes.starts_with(&GZIP) => unpacked.gzip(bytes),
        "deflate" if is_zlib(bytes) => unpacked.inflate(bytes, true),
        "deflate" if !is_markup(bytes) => unpacked.inflate(bytes, false),
        "zstd" if bytes.starts_with(&ZSTD) => unpacked.zstd(bytes),
        "br" if !is_markup(bytes) => unpacked.brotli(bytes),
        _ => return Ok(None),
    };
    let has_mark = !matches!(name, "br" | "deflate") || is_zlib(bytes);
    match end {
        End::Whole => Ok(Some(unpacked.bytes)),
        End::Cut if bounds.may_be_cut => Ok(Some(unpacked.bytes)),
        End::TooLarge => Err(BodyFault::TooLarge(bounds.most)),
        // Without a mark only what comes out shows that something is packed.
        End::Cut | End::Broken if !has_mark && unpacked.bytes.is_empty() => Ok(None),
        End::Cut => Err(BodyFault::Broken(format!("its body ends before its {name} does"))),
        End::Broken => Err(BodyFault::Broken(format!("its body begins as {name} and is broken later"))),
    }
}

const GZIP: [u8; 2] = [0x1F, 0x8B];
const ZSTD: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// The window of zstd in HTTP has at most 8 MB (RFC 9659).
const ZSTD_WINDOW_LOG: u32 = 23;

/// RFC 1950, section 2.2: the method, a window of 32 KB at most, and the check of both bytes.
fn is_zlib(bytes: &[u8]) -> bool {
    let [method, flags, ..] = bytes else { return false };
    method & 0x0F == 8 && method >> 4 <= 7 && (u16::from(*method) << 8 | u16::from(*flags)) % 31 == 0
}

/// True if the bytes begin as the text of a page does: what has no mark of its own could be read as anything.
fn is_markup(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(bytes);
    let head = &text[..text.len().min(64)];
    let is_text = |byte: &u8| *byte >= b' ' || byte.is_ascii_whitespace();
    text.trim_ascii_start().starts_with(b"<") && head.iter().all(is_text)
}

/// The way in which an encoding ended.
enum End {
    Whole,
    Cut,
    Broken,
    TooLarge,
}

struct Unpacked {
    bytes: Vec<u8>,
    most: u64,
}

impl Unpacked {
    fn is_too_large(&self) -> bool {
        self.bytes.len() as u64 > self.most
    }

    fn read(&mut self, decoder: &mut impl Read) -> End {
        let left = self.most + 1 - self.bytes.len() as u64;
        let read = decoder.take(left).read_to_end(&mut self.bytes);
        match read {
            _ if self.is_too_large() => End::TooLarge,
            Ok(_) => End::Whole,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => End::Cut,
            Err(_) => End::Broken,
        }
    }

    /// Bytes behind the last member that are no member are passed over, as browsers do.
    fn gzip(&mut self, mut bytes: &[u8]) -> End {
        while bytes.starts_with(&GZIP) {
            let mut member = flate2::bufread::GzDecoder::new(bytes);
            match self.read(&mut member) {
                End::Whole => bytes = member.into_inner(),
                other => return other,
            }
        }
        End::Whole
    }

    fn zstd(&mut self, bytes: &[u8]) -> End {
        let decoder = zstd::Decoder::with_buffer(bytes).and_then(|mut decoder| {
            decoder.window_log_max(ZSTD_WINDOW_LOG)?;
            Ok(decoder)
        });
        decoder.map_or(End::Broken, |mut decoder| self.read(&mut decoder))
    }

    /// The reader of the crate does not tell a stream that is cut from one that is broken.
    fn brotli(&mut self, bytes: &[u8]) -> End {
        let alloc = StandardAlloc::default;
        let (mut state, mut buffer) = (BrotliState::new(alloc(), alloc(), alloc()), vec![0; 64 << 10]);
        let (mut left, mut read, mut total) = (bytes.len(), 0, 0);
        loop {
            let (mut free, mut written) = (buffer.len(), 0);
            let result = BrotliDecompressStream(
                &mut left, &mut read, bytes, &mut free, &mut written, &mut buffer, &mut total, &mut state,
            );
            self.bytes.extend_from_slice(&buffer[..written]);
            match result {
                _ if self.is_too_large() => return End::TooLarge,
                BrotliResult::ResultSuccess => return End::Whole,
                BrotliResult::NeedsMoreInput => return End::Cut,
                BrotliResult::ResultFailure => return End::Broken,
                BrotliResult::NeedsMoreOutput => {}
            }
        }
    }

    /// The readers of flate2 do not tell a stream that is cut from one that ends.
    fn inflate(&mut self, bytes: &[u8], is_zlib: bool) -> End {
        let (mut state, mut buffer) = (Decompress::new(is_zlib), vec![0; 64 << 10]);
        loop {
            let (read, written) = (state.total_in(), state.total_out());
            let status = state.decompress(&bytes[read as usize..], &mut buffer, FlushDecompress::None);
            let new = (state.total_out() - written) as usize;
            self.bytes.extend_from_slice(&buffer[..new]);
            match status {
                _ if self.is_too_large() => return End::TooLarge,
                Err(_) => return End::Broken,
                Ok(Status::StreamEnd) => return End::Whole,
                Ok(_) if new == 0 && state.total_in() == read => return End::Cut,
                Ok(_) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests;
