//! SHA-256, in hexadecimal digits.

use sha2::{Digest, Sha256};

/// SHA-256 of `bytes`: 64 digits.
pub fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// Two digits for each of `bytes`.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
