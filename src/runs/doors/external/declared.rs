//! The parameters that a worker declares, and the values that they may have.

use std::cmp::Ordering;

use serde_json::Value as Json;

use crate::algorithms::value::Value;
use crate::runs::values::text_of;
use crate::text::nearest;

/// A parameter that a worker declares.
#[derive(Clone, Debug, PartialEq)]
pub struct Declared {
    /// Its name.
    pub name: String,
    /// What it may be.
    pub kind: DeclaredKind,
    /// Its default, if it has one.
    pub default: Option<Json>,
}

/// What a worker's parameter may be.
#[derive(Clone, Debug, PartialEq)]
pub enum DeclaredKind {
    /// `true` or `false`.
    Bool,
    /// A whole number within these bounds.
    Int {
        /// The least.
        min: i64,
        /// The greatest.
        max: i64,
    },
    /// An exact decimal within these bounds; it travels as a string.
    Decimal {
        /// The least.
        min: Option<Decimal>,
        /// The greatest.
        max: Option<Decimal>,
    },
    /// Any text; it is not swept.
    Text,
    /// One of these words.
    Enum {
        /// The words.
        words: Vec<String>,
    },
}

/// An exact decimal with its sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    negative: bool,
    size: Value,
}

impl Decimal {
    /// A decimal with or without a sign; no fraction, no infinity.
    pub(super) fn read(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('-');
        let size: Value = digits.unwrap_or(text).parse().ok()?;
        let is_decimal = text.bytes().all(|byte| byte.is_ascii_digit() || b".-".contains(&byte));
        is_decimal.then_some(Decimal { negative: digits.is_some() && size > Value::ZERO, size })
    }

    /// Equal for equal numbers.
    fn canonical(self) -> String {
        format!("{}{}", if self.negative { "-" } else { "" }, self.size.reduced())
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, false) => self.size.cmp(&other.size),
            (true, true) => other.size.cmp(&self.size),
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
        }
    }
}

impl std::fmt::Display for Decimal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", if self.negative { "-" } else { "" }, self.size)
    }
}

impl DeclaredKind {
    /// The values in words.
    pub fn describe(&self) -> String {
        match self {
            DeclaredKind::Bool => "true or false".to_owned(),
            DeclaredKind::Int { min: i64::MIN, max: i64::MAX } => "a whole number".to_owned(),
            DeclaredKind::Int { min, max: i64::MAX } => format!("a whole number from {min}"),
            DeclaredKind::Int { min: i64::MIN, max } => format!("a whole number up to {max}"),
            DeclaredKind::Int { min, max } => format!("a whole number from {min} to {max}"),
            DeclaredKind::Decimal { min, max } => {
                let from = min.map(|min| format!(" from {min}")).unwrap_or_default();
                let to = max.map(|max| format!(" up to {max}")).unwrap_or_default();
                format!("a decimal{from}{to}")
            }
            DeclaredKind::Text => "a text".to_owned(),
            DeclaredKind::Enum { words } => words.join(" | "),
        }
    }

    /// The value that `text` means, as it is sent.
    ///
    /// # Errors
    /// A sentence that says what is expected.
    pub fn read(&self, text: &str) -> Result<Json, String> {
        let expected = || format!("expected {}, not `{text}`", self.describe());
        match self {
            DeclaredKind::Bool => text.parse().map(Json::Bool).map_err(|_| expected()),
            DeclaredKind::Int { min, max } => {
                let number = text.parse::<i64>().ok().filter(|number| (min..=max).contains(&number));
                number.map(Json::from).ok_or_else(expected)
            }
            DeclaredKind::Decimal { min, max } => {
                let within =
                    |number: &Decimal| min.is_none_or(|min| min <= *number) && max.is_none_or(|max| *number <= max);
                let number = Decimal::read(text).filter(within);
                number.map(|_| Json::from(text)).ok_or_else(expected)
            }
            DeclaredKind::Text => Ok(text.into()),
            DeclaredKind::Enum { words } if words.iter().any(|word| word == text) => Ok(text.into()),
            DeclaredKind::Enum { words } => Err(match nearest(text, words.iter().map(String::as_str)) {
                Some(word) => format!("{}; did you mean `{word}`?", expected()),
                None => expected(),
            }),
        }
    }

    /// Equal for equal values: 0.5 and 0.50 are one decimal.
    pub fn canonical(&self, value: &Json) -> String {
        let text = text_of(value);
        let number = if matches!(self, DeclaredKind::Decimal { .. }) { Decimal::read(&text) } else { None };
        number.map_or(text, Decimal::canonical)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Option<Decimal> {
        Some(Decimal::read(text).unwrap())
    }

    #[test]
    fn bounds_hold_for_negative_numbers_too() {
        let kind = DeclaredKind::Decimal { min: decimal("-1.5"), max: decimal("-0.5") };
        let within = ["-1.5", "-1", "-0.50", "-0.4", "-2", "0", "1"].map(|text| kind.read(text).is_ok());
        assert_eq!(within, [true, true, true, false, false, false, false]);
        let kind = DeclaredKind::Int { min: -3, max: i64::MAX };
        assert_eq!(["-4", "-3", "7", "0.5"].map(|text| kind.read(text).is_ok()), [false, true, true, false]);
        let kind = DeclaredKind::Decimal { min: None, max: None };
        assert_eq!(["inf", "1/2", "1e3", "--1", ""].map(|text| kind.read(text).is_ok()), [false; 5]);
        assert_eq!(kind.canonical(&"-0.00".into()), kind.canonical(&"0".into()));
    }

    #[test]
    fn words_name_the_nearest() {
        let kind = DeclaredKind::Enum { words: vec!["fast".to_owned(), "slow".to_owned()] };
        assert!(kind.read("fats").unwrap_err().contains("did you mean `fast`?"));
        assert_eq!(kind.read("slow"), Ok("slow".into()));
    }
}
