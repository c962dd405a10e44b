//! SHA-256, as anyone can check with `sha256sum`.

use sha2::{Digest, Sha256};

/// The SHA-256 of `bytes` in lower-case hexadecimal.
///
/// ```
/// assert!(carat::formats::digest::sha256(b"").starts_with("e3b0c44298fc1c14"));
/// ```
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The SHA-256 of lines, each followed by a line feed.
pub fn sha256_of_lines<'l>(lines: impl IntoIterator<Item = &'l str>) -> String {
    let mut hash = Sha256::new();
    for line in lines {
        hash.update(line.as_bytes());
        hash.update(b"\n");
    }
    hex(&hash.finalize())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
