//! The short table of a dataset that a thesis or a paper prints: of each algorithm its best and its default setting.

use crate::report::conditions;
use crate::report::families::{bounds, datasets, f1};
use crate::report::language::Language;
use crate::report::latex::LatexTable;
use crate::report::localised_text::LocalisedText;
use crate::report::representatives::{Place, Representative, best_and_default, best_note};
use crate::report::run_files::RunFiles;
use crate::report::stats::{MACRO_F1, Stats};
use crate::report::table_format::four;
use crate::runs::summary::{Summary, SummaryRow};
use crate::statistics::Interval;

const HEADER: [&str; 7] = ["algorithm", "setting", "P", "R", "F1", "95 % interval", "letters"];

/// The column of F1.
const F1: usize = 4;

/// The best and the default row of each algorithm for LaTeX, floors and what reads gold apart: a table a dataset, the best
/// that is no bound in bold.
pub fn compact(run: &RunFiles<'_>, language: Language) -> String {
    let (summary, stats) = (&run.summary, Stats::of(run, &[MACRO_F1], true));
    datasets(&summary.rows)
        .iter()
        .map(|dataset| table(summary, &stats, dataset, language))
        .collect::<Vec<_>>()
        .join("\n")
}

fn table(summary: &Summary, stats: &Stats<'_>, dataset: &str, language: Language) -> String {
    let ranked = best_and_default(summary, dataset);
    let (floors, algorithms): (Vec<_>, Vec<_>) = ranked.iter().cloned().partition(|shown| shown.row.floor);
    let reading = bounds(&summary.rows, dataset).into_iter();
    let reading: Vec<Representative<'_>> =
        reading.map(|row| Representative { row, place: Place::Only, sweep: String::new() }).collect();
    let (bounds, learned): (Vec<_>, Vec<_>) = reading.into_iter().partition(|shown| shown.row.is_bound());
    let parts = [
        (["algorithms", "算法"], algorithms),
        (["floors: what every algorithm should beat", "简单基线：每个算法都应超过"], floors),
        (["learned from the gold of other pages", "由其他页面的标注学习而来"], learned),
        (["bounds: made with the gold of the very page", "上界：由本页标注得出"], bounds),
    ];
    let parts = parts.into_iter().filter(|(_, rows)| !rows.is_empty());
    let (mut sections, mut rows, mut bold) = (Vec::new(), Vec::new(), Vec::new());
    // The first of a ranking is never one that was not run on some pages while another was run on all.
    let best = ranked.first().map(|first| (first.row.is_whole(), f1(first.row)));
    for (words, shown) in parts {
        sections.push((rows.len(), language.of(words)));
        for shown in &shown {
            if shown.row.is_ranked() && Some((shown.row.is_whole(), f1(shown.row))) == best {
                bold.push((rows.len(), F1));
            }
            rows.push(cells(stats, shown, language));
        }
    }
    let notes = stats.notes_of(dataset).into_iter().chain(best_note(&ranked).map(|note| note.text));
    let mut notes: Vec<String> = notes.map(|note| note.in_language(language).to_owned()).collect();
    notes.extend(conditions::gold_note(summary, dataset));
    let header = HEADER.map(|name| language.say(name));
    LatexTable {
        caption: caption(summary, dataset).in_language(language).to_owned(),
        label: dataset.to_owned(),
        header: &header.each_ref().map(AsRef::as_ref),
        right: 2,
        rows: &rows,
        sections: &sections,
        bold: &bold,
        notes: &notes,
    }
    .write()
}

/// What the table shows, counted how, and of how many pages its means are: pages without gold do not count.
fn caption(summary: &Summary, dataset: &str) -> LocalisedText {
    let of = &summary.conditions;
    let counted = summary.rows.iter().filter(|row| row.dataset == dataset).map(|row| row.pages);
    let pages = counted.max().map(conditions::pages);
    let pages = pages.map(|pages| LocalisedText::new([" on {0}", "（{0}）"], [pages])).unwrap_or_default();
    LocalisedText::new(
        [
            "Extraction from {0}: mean precision, recall and F1{1} ({2}, {3})",
            "{0} 上的抽取：平均精确率、召回率与 F1{1}；{2}，{3}",
        ],
        [dataset.into(), pages, conditions::tokens(&of.tokens), conditions::measure(&of.measure)],
    )
}

fn cells(stats: &Stats<'_>, Representative { row, place, .. }: &Representative<'_>, language: Language) -> Vec<String> {
    let (interval, letters) = stats.of_row(&row.key());
    let figures = row.aggregates.macro_;
    let interval =
        interval.map_or_else(|| "-".to_owned(), |Interval { low, high }| format!("{} .. {}", four(low), four(high)));
    let figures = [figures.precision, figures.recall, figures.f1].map(four);
    let named = [row.algorithm.clone(), setting(row, place.in_words().in_language(language))];
    named.into_iter().chain(figures).chain([interval, letters.to_owned()]).collect()
}

/// What tells the row from others, and which of its family it is.
fn setting(row: &SummaryRow, place: &str) -> String {
    let label = row.label();
    match (label.as_str(), place) {
        ("", "") => String::new(),
        ("", place) => place.to_owned(),
        (label, "") => label.to_owned(),
        (label, place) => format!("{label} ({place})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{row, summary};

    #[test]
    fn the_caption_tells_the_pages_that_the_means_are_of() {
        let mut summary = summary(vec![row("d", "nta", 0.5)]);
        let known = summary.conditions.datasets.get_mut("d").unwrap();
        (known.pages, known.without_gold) = (12, 2);
        let caption = caption(&summary, "d");
        assert!(caption.english().contains(" on 10 pages "), "{caption}");
        assert!(caption.in_language(Language::Chinese).contains("（10 页）"), "{caption}");
    }
}
