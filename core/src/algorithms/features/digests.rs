//! Digests that stand for texts and pages where only equality matters.

use sha2::{Digest, Sha256};

/// The first 128 bits of the SHA-256 of `bytes`.
pub fn digest(bytes: impl AsRef<[u8]>) -> u128 {
    let digest: [u8; 32] = Sha256::digest(bytes).into();
    digest[..16].iter().fold(0, |number, &byte| number << 8 | u128::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_the_begin_of_sha_256() {
        assert_eq!(digest("abc"), 0xba78_16bf_8f01_cfea_4141_40de_5dae_2223);
    }
}
