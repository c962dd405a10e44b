//! Names of rows in commands: `NAME[:PARAMETER=VALUE|..,..]`. Tables have a space where commands have the colon.

use super::doors::name_of_other;
use crate::algorithms::value::Value;

/// Whether `spec` means a row: one of this algorithm, with one of the values of each parameter that is named. A stored system
/// may be named without `stored/`, an external program without `external/`.
pub(super) fn is_meant(spec: &str, algorithm: &str, value: impl Fn(&str) -> Option<String>) -> bool {
    let (name, parameters) = split(spec);
    let is_name = algorithm == name || name_of_other(algorithm) == Some(name);
    let has = |pair: &str| {
        let Some((name, values)) = pair.split_once('=') else { return false };
        let own = value(name.trim());
        own.is_some_and(|own| values.split('|').any(|value| is_same_value(value.trim(), &own)))
    };
    is_name && parameters.split(',').filter(|pair| !pair.is_empty()).all(has)
}

/// The same of a row of which no more than the label is known: the algorithm, and the parameters that tell the row from others.
pub(crate) fn is_label_meant(spec: &str, label: &str) -> bool {
    let (algorithm, parameters) = split(label);
    is_meant(spec, algorithm, |name| {
        let mut own = parameters.split(',').filter_map(|pair| pair.split_once('='));
        own.find_map(|(own, value)| (own == name).then(|| value.to_owned()))
    })
}

/// The name of the row of this label, as commands take it.
pub(crate) fn name_of(label: &str) -> String {
    label.replacen(' ', ":", 1)
}

/// Algorithm and parameters of a name or a label.
fn split(name: &str) -> (&str, &str) {
    name.split_once([':', ' ']).unwrap_or((name, ""))
}

/// 0.5 and 0.50 are one decimal.
fn is_same_value(one: &str, other: &str) -> bool {
    let decimal = |text: &str| text.parse::<Value>().ok().map(|value| value.reduced().to_string());
    one == other || decimal(one).is_some_and(|one| decimal(other) == Some(one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_meant_by_algorithm_by_name_and_by_some_of_its_parameters() {
        let label = "nta coherence=0.65,nodes=text";
        let meant = ["nta", label, "nta:coherence=0.65", "nta:coherence=0.650,nodes=text", "nta:nodes=all|text"];
        for spec in meant {
            assert!(is_label_meant(spec, label), "{spec}");
        }
        for spec in ["nt", "cevc", "nta:coherence=0.6", "nta:alpha=0.65", "nta:coherence"] {
            assert!(!is_label_meant(spec, label), "{spec}");
        }
        assert!(is_label_meant("trafilatura", "stored/trafilatura") && !is_label_meant("stored", "stored/trafilatura"));
        assert!(is_label_meant(&name_of(label), label));
    }
}
