//! Tables.
use crate::runs::summary::Summary;

/// For a terminal.
pub fn terminal(summary: &Summary) -> String {
    summary
        .rows
        .iter()
        .map(|row| {
            let m = row.aggregates.macro_;
            format!("{} {} {:.4} {:.4} {:.4}\n", row.dataset, row.full_label(), m.precision, m.recall, m.f1)
        })
        .collect()
}
/// Markdown.
pub fn markdown(summary: &Summary) -> String {
    terminal(summary)
}
/// CSV.
pub fn csv(summary: &Summary) -> String {
    terminal(summary)
}
