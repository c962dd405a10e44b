//! SHA-256, as anyone can check with `sha256sum`.

use std::io::{self, Read};

use sha2::{Digest, Sha256};

/// The SHA-256 of `bytes` in lower-case hexadecimal.
///
/// ```
/// assert!(carat::formats::digest::sha256(b"").starts_with("e3b0c44298fc1c14"));
/// ```
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The SHA-256 of all that `content` gives, in lower-case hexadecimal, a piece at a time.
///
/// # Errors
/// What `content` fails with.
pub fn sha256_of(mut content: impl Read) -> io::Result<String> {
    let (mut digest, mut buffer) = (Sha256::new(), vec![0; 64 << 10]);
    loop {
        match content.read(&mut buffer) {
            Ok(0) => return Ok(hex(&digest.finalize())),
            Ok(length) => digest.update(&buffer[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The SHA-256 of lines, each followed by a line feed, given one after the other.
#[derive(Default)]
pub struct LinesDigest(Sha256);

impl LinesDigest {
    /// Adds a line.
    pub fn add(&mut self, line: &str) {
        self.0.update(line.as_bytes());
        self.0.update(b"\n");
    }

    /// The digest of the lines so far, in lower-case hexadecimal.
    pub fn finish(self) -> String {
        hex(&self.0.finalize())
    }
}

/// Whether it is so many hexadecimal digits in lower case.
pub fn is_hex(text: &str, lengths: std::ops::RangeInclusive<usize>) -> bool {
    lengths.contains(&text.len()) && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// `bytes` in lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
