//! What tables tell of a row beside its figures.

use super::language::Language;
use super::localised_text::LocalisedText;
use crate::runs::summary::SummaryRow;

/// What tells the row from others of its algorithm, with its mark where it reads gold.
pub(super) fn marked_setting(row: &SummaryRow, language: Language) -> String {
    let (setting, mark) = (row.label(), row.mark());
    [setting.as_str(), &language.say(&mark)].join(" ").trim().to_owned()
}

/// `name` of the row with its mark where it reads gold.
pub(super) fn marked(name: &str, row: &SummaryRow) -> LocalisedText {
    match row.mark() {
        mark if mark.is_empty() => LocalisedText::name(name),
        mark => LocalisedText::new(["{0} {1}", "{0}{1}"], [name.into(), LocalisedText::said(&mark)]),
    }
}

/// What a row reads of the gold; empty where it reads none.
pub(super) fn reads_gold(row: &SummaryRow) -> String {
    row.reads_gold.map_or(String::new(), |reads| reads.name().to_owned())
}
