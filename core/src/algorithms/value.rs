//! Exact numbers: thresholds are rationals, written as decimals, and compared as integers.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An exact rational number that is not negative, or infinity. Equal numbers are equal however they
/// are written; a number that came from a text is printed as that text.
///
/// ```
/// use carat_core::algorithms::value::Value;
/// let (a, b): (Value, Value) = ("0.50".parse().unwrap(), "0.5".parse().unwrap());
/// assert_eq!(a, b);
/// assert_eq!(a.to_string(), "0.50");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Value {
    numerator: u64,
    /// 0 for infinity.
    denominator: u64,
    /// Digits behind the point with which it was written; `None` for a number that is computed.
    digits: Option<u8>,
}

/// A text that is no exact number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a decimal number such as 0.5 (digits, a point, at most 15 of them behind it), nor `inf`")]
pub struct NotANumber(String);

impl Value {
    /// Positive infinity.
    pub const INFINITY: Value = Value { numerator: 1, denominator: 0, digits: None };
    /// 0.
    pub const ZERO: Value = Value { numerator: 0, denominator: 1, digits: Some(0) };
    /// 1.
    pub const ONE: Value = Value { numerator: 1, denominator: 1, digits: Some(0) };

    /// Numerator, denominator (0 for infinity), and the digits behind the point with which it was written, if it was: to store
    /// many numbers in little room.
    pub fn parts(self) -> (u64, u64, Option<u8>) {
        (self.numerator, self.denominator, self.digits)
    }

    /// The number of which these are the [`Value::parts`].
    pub fn of_parts(numerator: u64, denominator: u64, digits: Option<u8>) -> Self {
        Value { numerator, denominator, digits }
    }

    /// `part / whole`, or 0 where the whole is 0 (its part is 0 too).
    pub fn ratio(part: u64, whole: u64) -> Self {
        let (numerator, denominator) = if whole == 0 { (0, 1) } else { (part, whole) };
        let divisor = greatest_common_divisor(numerator, denominator);
        Value { numerator: numerator / divisor, denominator: denominator / divisor, digits: None }
    }

    /// `hundredths / 100`, written with two digits: for defaults in code.
    pub const fn hundredths(hundredths: u64) -> Self {
        Value {
            numerator: hundredths,
            denominator: 100,
            digits: Some(if hundredths.is_multiple_of(10) { 1 } else { 2 }),
        }
    }

    /// `numerator / 10^digits`, written with that many digits.
    pub fn decimal(numerator: u64, digits: u8) -> Self {
        Value { numerator, denominator: 10u64.pow(u32::from(digits)), digits: Some(digits) }
    }

    /// The number times `10^digits`, if that is whole.
    pub fn scaled(self, digits: u8) -> Option<u64> {
        let scaled = u128::from(self.numerator) * 10u128.pow(u32::from(digits));
        let denominator = u128::from(self.denominator);
        (denominator != 0 && scaled % denominator == 0).then(|| (scaled / denominator) as u64)
    }

    /// The greatest whole number that is not above this one.
    pub fn floor(self) -> u64 {
        self.numerator.checked_div(self.denominator).unwrap_or(u64::MAX)
    }

    /// The least whole number that is not below this one.
    pub fn ceiling(self) -> u64 {
        if self.denominator == 0 { u64::MAX } else { self.numerator.div_ceil(self.denominator) }
    }

    /// The whole number that it is, the greatest there is for infinity; 0 for one that is not whole, which the check of a
    /// parameter refuses.
    pub fn whole(self) -> u64 {
        if self == Value::INFINITY { u64::MAX } else { self.scaled(0).unwrap_or_default() }
    }

    /// Numerator and denominator; the denominator of infinity is 0.
    pub fn fraction(self) -> (u64, u64) {
        (self.numerator, self.denominator)
    }

    /// Digits behind the point as written; 0 for a number that is computed.
    pub fn digits(self) -> u8 {
        self.digits.unwrap_or(0)
    }

    /// A number strictly between two different ones, with a small denominator (their mediant).
    pub fn between(self, other: Self) -> Self {
        let (a, b) = (Self::reduced(self), Self::reduced(other));
        Value::ratio(a.numerator + b.numerator, a.denominator + b.denominator)
    }

    /// The same number in lowest terms, without the digits it was written with.
    pub fn reduced(self) -> Self {
        if self.denominator == 0 { Value::INFINITY } else { Value::ratio(self.numerator, self.denominator) }
    }

    /// `part / whole` compared with this number, exactly; the ratio is 0 where `whole` is 0.
    pub fn compare_ratio(self, part: u64, whole: u64) -> Ordering {
        Value::ratio(part, whole).cmp(&self)
    }

    /// The nearest float, for drawing and for what is defined in floats: nothing is compared with it.
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

/// A statistic without a small denominator as it is compared: in 1e-9, rounded once.
pub fn billionths(statistic: f64) -> u64 {
    (statistic * 1e9).round() as u64
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

impl From<u32> for Value {
    fn from(count: u32) -> Self {
        Value::decimal(count.into(), 0)
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let divisor = greatest_common_divisor(self.numerator, self.denominator);
        (self.numerator / divisor, self.denominator / divisor).hash(state);
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        let left = u128::from(self.numerator) * u128::from(other.denominator);
        let right = u128::from(other.numerator) * u128::from(self.denominator);
        left.cmp(&right)
    }
}

impl FromStr for Value {
    type Err = NotANumber;

    fn from_str(text: &str) -> Result<Self, NotANumber> {
        let error = || NotANumber(text.to_owned());
        if text == "inf" {
            return Ok(Value::INFINITY);
        }
        if let Some((numerator, denominator)) = text.split_once('/') {
            let (numerator, denominator) = (whole(numerator), whole(denominator));
            return match (numerator, denominator) {
                (Some(numerator), Some(denominator)) if denominator > 0 => Ok(Value::ratio(numerator, denominator)),
                _ => Err(error()),
            };
        }
        let (integer, fraction) = text.split_once('.').unwrap_or((text, ""));
        let malformed = integer.is_empty() || (text.contains('.') && fraction.is_empty());
        if malformed || fraction.len() > 15 || integer.len() + fraction.len() > 18 {
            return Err(error());
        }
        let numerator = whole(&format!("{integer}{fraction}")).ok_or_else(error)?;
        Ok(Value::decimal(numerator, fraction.len() as u8))
    }
}

/// Digits alone: no sign, no exponent.
fn whole(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.denominator == 0 {
            return f.write_str("inf");
        }
        let digits = self.digits.or_else(|| (0..=6).find(|&digits| self.scaled(digits).is_some()));
        match digits.and_then(|digits| Some((digits, self.scaled(digits)?))) {
            Some((0, integer)) => write!(f, "{integer}"),
            Some((digits, scaled)) => {
                let unit = 10u64.pow(u32::from(digits));
                write!(f, "{}.{:0width$}", scaled / unit, scaled % unit, width = usize::from(digits))
            }
            None => write!(f, "{}/{}", self.numerator, self.denominator),
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Value {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Value".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "decimal" })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn value(text: &str) -> Value {
        text.parse().unwrap()
    }

    #[test]
    fn keeps_its_text_and_equals_by_value() {
        for text in ["0", "1", "0.50", "0.05", "12.340", "inf", "1/3"] {
            assert_eq!(value(text).to_string(), text);
        }
        assert_eq!(value("0.5"), value("0.500"));
        assert!(value("0.3") < value("1/3"));
        assert!(value("999") < Value::INFINITY);
        assert_eq!(Value::hundredths(90).to_string(), "0.9");
        assert_eq!(Value::hundredths(5).to_string(), "0.05");
    }

    #[test]
    fn refuses_what_is_no_decimal() {
        for text in ["", ".", "1.", ".5", "-1", "+1", "1e3", "0x1", "1/0", "/2", "0,5", "٠.٥", "0.1234567890123456"] {
            assert!(text.parse::<Value>().is_err(), "{text}");
        }
    }

    #[test]
    fn whole_numbers_below_and_above() {
        for (text, floor, ceiling) in [("0", 0, 0), ("2.0", 2, 2), ("2.01", 2, 3), ("1/3", 0, 1)] {
            assert_eq!((value(text).floor(), value(text).ceiling()), (floor, ceiling), "{text}");
        }
        assert_eq!((Value::INFINITY.floor(), Value::INFINITY.ceiling()), (u64::MAX, u64::MAX));
    }

    #[test]
    fn compares_ratios_exactly() {
        // 3/5 is 0.6; a float sum of six tenths is not.
        assert_eq!(value("0.6").compare_ratio(3, 5), Ordering::Equal);
        assert_eq!(value("0.6").compare_ratio(600_000_001, 1_000_000_000), Ordering::Greater);
        assert_eq!(value("0").compare_ratio(0, 0), Ordering::Equal);
    }

    proptest! {
        #[test]
        fn the_mediant_lies_between((a, b, c, d) in (0u64..5_000_000, 1u64..5_000_000, 0u64..5_000_000, 1u64..5_000_000)) {
            let (low, high) = (Value::ratio(a, b).min(Value::ratio(c, d)), Value::ratio(a, b).max(Value::ratio(c, d)));
            if low < high {
                let middle = low.between(high);
                prop_assert!(low < middle && middle < high);
            }
        }

        #[test]
        fn printing_and_reading_agree(numerator in 0u64..1_000_000_000, digits in 0u8..9) {
            let number = Value::decimal(numerator, digits);
            let read = value(&number.to_string());
            prop_assert_eq!(read, number);
            prop_assert_eq!(read.to_string(), number.to_string());
        }
    }
}
