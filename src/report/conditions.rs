//! What must be equal for figures to be compared, in words: it stands under every table and figure.

use crate::runs::summary::{KeptReplies, Summary};
use crate::text::counted;

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
            parts.push(format!("{dataset} {} (digest {})", known.version, beginning(&known.digest)));
            parts.push(match known.without_gold {
                0 => counted(known.pages, "page"),
                without => {
                    format!("{}, {without} of them without {}", counted(known.pages, "page"), scored_by(summary))
                }
            });
        }
    }
    if let Some(known) = conditions.datasets.get(dataset) {
        let dropped = known.dropped;
        parts.extend((dropped > 0).then(|| format!("{dropped} more left out for faults of the dataset")));
        parts.extend(known.lost.iter().map(|lost| format!("{lost} left out, for it cannot be read")));
    }
    parts.extend(conditions.filters.iter().map(|(key, value)| format!("where {key}={value}")));
    if !conditions.without_faults.is_empty() {
        parts.push(format!("without faults {}", conditions.without_faults.join("+")));
    }
    let trained_on = conditions.trained_on.iter();
    parts.extend(trained_on.map(|from| format!("train_on {} (digest {})", from.name, beginning(&from.digest))));
    parts.push(format!("tokens {}", conditions.tokens));
    parts.push(format!("case {}", conditions.case));
    let kept = summary.kept_replies.iter().filter(|kept| kept.dataset == dataset);
    parts.extend(kept.map(KeptReplies::in_words));
    parts
}

/// The digits of a digest that are shown.
fn beginning(digest: &str) -> &str {
    let digits = digest.trim_start_matches("sha256:");
    digits.get(..DIGEST_DIGITS).unwrap_or(digits)
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
