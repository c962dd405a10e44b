//! The grammar of parameters in runs, the same in YAML and on the command line:
//! `value`, several values, `from..to/step`, or `exact`.

use std::fmt;

use crate::algorithms::parameters::ParameterKind;
use crate::algorithms::value::Value;

/// What a person wrote for one parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// Values, one after the other; a single one is fixed, not swept.
    Values(Vec<String>),
    /// `from..to/step`, both ends included.
    Range {
        /// The first value.
        from: String,
        /// The last value, if a whole number of steps leads there.
        to: String,
        /// The distance between two values.
        step: String,
    },
    /// At and between all break points.
    Exact,
}

/// A grid of more values is refused before any work.
pub const MAX_VALUES: usize = 100_000;

impl Written {
    /// Reads the command line's form, in which several values are parted by `|`.
    ///
    /// ```
    /// use carat::runs::grid::Written;
    /// assert_eq!(Written::read("exact"), Written::Exact);
    /// assert_eq!(Written::read("0.3|0.5").to_string(), "0.3|0.5");
    /// ```
    pub fn read(text: &str) -> Written {
        if text == "exact" {
            return Written::Exact;
        }
        if let Some((from, rest)) = text.split_once("..")
            && let Some((to, step)) = rest.split_once('/')
        {
            return Written::Range { from: from.to_owned(), to: to.to_owned(), step: step.to_owned() };
        }
        Written::Values(text.split('|').map(str::to_owned).collect())
    }

    /// Whether the parameter takes more than one value.
    pub fn is_swept(&self) -> bool {
        !matches!(self, Written::Values(values) if values.len() == 1)
    }

    /// True if every value, or every part of a range, is a decimal.
    pub(super) fn is_of_decimals(&self) -> bool {
        let is_decimal = |text: &String| text.parse::<Value>().is_ok();
        match self {
            Written::Exact => false,
            Written::Values(values) => values.iter().all(is_decimal),
            Written::Range { from, to, step } => [from, to, step].into_iter().all(is_decimal),
        }
    }

    /// The values of something that is no algorithm's parameter, each as a text.
    ///
    /// # Errors
    /// As [`Written::expand`], and for `exact`, which needs an algorithm's break points.
    pub fn expand_numbers(&self) -> Result<Vec<String>, String> {
        match self {
            Written::Exact => {
                Err("`exact` sweeps a parameter of an algorithm; expected an amount or from..to/step".to_owned())
            }
            Written::Values(values) => Ok(values.clone()),
            Written::Range { from, to, step } => range(from, to, step),
        }
    }

    /// The values, each as a text that `kind` reads. `None` for an exact sweep.
    ///
    /// # Errors
    /// A sentence: not a range of decimals, a step of 0, `from` above `to`, or too many values.
    pub fn expand(&self, kind: &ParameterKind) -> Result<Option<Vec<String>>, String> {
        match self {
            Written::Exact if matches!(kind, ParameterKind::Decimal { .. }) => Ok(None),
            Written::Exact => Err(format!("`exact` sweeps decimals only; expected {}", kind.describe())),
            Written::Values(values) => Ok(Some(values.clone())),
            Written::Range { from, to, step } => range(from, to, step).map(Some),
        }
    }
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Written::Exact => f.write_str("exact"),
            Written::Range { from, to, step } => write!(f, "{from}..{to}/{step}"),
            Written::Values(values) => f.write_str(&values.join("|")),
        }
    }
}

/// `from`, `from + step`, ... up to `to`, in exact decimals: 0.05 steps do not drift. All are written
/// with as many digits as the longest of the three.
fn range(from: &str, to: &str, step: &str) -> Result<Vec<String>, String> {
    let read = |text: &str| text.parse::<Value>().map_err(|error| format!("`{from}..{to}/{step}`: {error}"));
    let (first, last, distance) = (read(from)?, read(to)?, read(step)?);
    let digits = first.digits().max(last.digits()).max(distance.digits());
    let scale = |value: Value| value.scaled(digits).ok_or_else(|| format!("`{from}..{to}/{step}` is not of decimals"));
    let (low, high, width) = (scale(first)?, scale(last)?, scale(distance)?);
    if width == 0 {
        return Err(format!("`{from}..{to}/{step}`: the step is 0"));
    }
    if low > high {
        return Err(format!("`{from}..{to}/{step}`: {from} is above {to}; write {to}..{from}/{step}"));
    }
    let count = (high - low) / width + 1;
    if count > MAX_VALUES as u64 {
        return Err(format!("`{from}..{to}/{step}` has {count} values; at most {MAX_VALUES} are allowed"));
    }
    Ok((0..count).map(|i| Value::decimal(low + i * width, digits).to_string()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: ParameterKind = ParameterKind::Decimal { from: Value::ZERO, to: Value::ONE, below: false };

    fn expand(text: &str) -> Result<Vec<String>, String> {
        Written::read(text).expand(&KIND).map(Option::unwrap_or_default)
    }

    #[test]
    fn ranges_do_not_drift() {
        let values = expand("0.6..1.0/0.05").unwrap();
        assert_eq!(values, ["0.60", "0.65", "0.70", "0.75", "0.80", "0.85", "0.90", "0.95", "1.00"]);
        assert_eq!(expand("0..1/0.4").unwrap(), ["0.0", "0.4", "0.8"]);
        assert_eq!(expand("0.5..0.5/0.1").unwrap(), ["0.5"]);
    }

    #[test]
    fn absurd_ranges_are_refused() {
        for (text, part) in [
            ("0..1/0", "the step is 0"),
            ("1..0/0.1", "is above"),
            ("0..1/0.000000001", "at most"),
            ("0..x/0.1", "not a decimal"),
            ("0..inf/0.1", "not of decimals"),
        ] {
            let error = expand(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn several_values_are_swept_and_one_is_not() {
        assert!(!Written::read("0.5").is_swept());
        assert!(Written::read("0.3|0.5").is_swept());
        assert!(Written::read("exact").is_swept());
    }
}
