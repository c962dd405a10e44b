//! A sum over the lines of the result digest that needs no order: parts of a run add theirs up to that of the whole.

use std::fmt;

use sha2::{Digest, Sha256};

/// The sum modulo 2^256 of the SHA-256 of lines, each with its line feed. It shows faults, not forgery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LineSum([u8; 32]);

impl LineSum {
    /// Adds a line.
    pub(crate) fn add(&mut self, line: &str) {
        let digest = Sha256::new().chain_update(line).chain_update("\n").finalize();
        self.add_number(&digest.into());
    }

    /// Adds a number in the order of digits in which it is written.
    fn add_number(&mut self, number: &[u8; 32]) {
        let mut carry = 0;
        for (own, other) in self.0.iter_mut().zip(number).rev() {
            let sum = u16::from(*own) + u16::from(*other) + carry;
            *own = (sum & 0xff) as u8;
            carry = sum >> 8;
        }
    }
}

impl fmt::Display for LineSum {
    /// In lower-case hexadecimal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_need_no_order_and_carry() {
        let lines = ["a", "b", "", "c\td"];
        let sum = |lines: &[&str]| {
            let mut sum = LineSum::default();
            lines.iter().for_each(|line| sum.add(line));
            sum
        };
        let whole = sum(&lines);
        assert_eq!(whole, sum(&["c\td", "", "b", "a"]));
        let mut parts = sum(&lines[..2]);
        parts.add_number(&sum(&lines[2..]).0);
        assert_eq!(whole, parts);
        // As `printf 'a\n' | sha256sum` says.
        let one = "87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7";
        assert_eq!(sum(&["a"]).to_string(), one);
        let mut most = LineSum([0xff; 32]);
        let mut unit = [0; 32];
        unit[31] = 2;
        most.add_number(&unit);
        unit[31] = 1;
        assert_eq!(most, LineSum(unit));
    }
}
