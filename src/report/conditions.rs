//! What must be equal for figures to be compared, in words: it stands under every table and figure.

use crate::runs::summary::Summary;

/// Digits of a dataset's digest that are shown: enough to tell two versions apart.
const DIGEST_DIGITS: usize = 12;

/// The conditions of one dataset's rows, as one line.
pub fn line(summary: &Summary, dataset: &str) -> String {
    let mut parts = of_texts(summary, dataset);
    parts.push(format!("measure {}", summary.conditions.measure));
    let nature = summary.conditions.datasets.get(dataset).and_then(|known| known.gold_nature.as_deref());
    parts.push(format!("gold {}", nature.unwrap_or("of unknown nature")));
    parts.join(", ")
}

/// The same of systems that are compared with each other: by whatever measure, there is no gold to hold them against.
pub fn line_without_gold(summary: &Summary, dataset: &str) -> String {
    of_texts(summary, dataset).join(", ")
}

fn of_texts(summary: &Summary, dataset: &str) -> Vec<String> {
    let conditions = &summary.conditions;
    let mut parts = Vec::new();
    match conditions.datasets.get(dataset) {
        None => parts.push(dataset.to_owned()),
        Some(known) => {
            let digest = known.digest.trim_start_matches("sha256:");
            let start: String = digest.chars().take(DIGEST_DIGITS).collect();
            parts.push(format!("{dataset} {} (digest {start})", known.version));
            parts.push(match known.without_gold {
                0 => format!("{} pages", known.pages),
                without => format!("{} pages, {without} of them without {}", known.pages, scored_by(summary)),
            });
        }
    }
    parts.extend(conditions.filters.iter().map(|(key, value)| format!("where {key}={value}")));
    if !conditions.without_faults.is_empty() {
        parts.push(format!("without faults {}", conditions.without_faults.join("+")));
    }
    parts.push(format!("tokens {}", conditions.tokens));
    parts.push(format!("case {}", conditions.case));
    parts
}

/// What to know of a dataset's gold before a figure on it is read, as its manifest or the catalogue says.
pub fn gold_note(summary: &Summary, dataset: &str) -> Option<String> {
    let known = summary.conditions.datasets.get(dataset)?;
    Some(format!("{dataset}: {}", known.gold_note.as_ref()?))
}

/// What a page must have to count in rows.
pub fn scored_by(summary: &Summary) -> &'static str {
    if summary.conditions.measure == "snippets" { "snippets" } else { "gold" }
}
