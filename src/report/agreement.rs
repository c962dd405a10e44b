//! How far systems agree on pages without gold: the matrix of every two of them, and the pages that they dispute most.

pub mod kept;

use comfy_table::Cell as TableCell;

use super::language::Language;
use super::latex::latex_table;
use super::localised_text::LocalisedText;
use super::markdown::code;
use super::plot::{Axis, Bands, Cell, Heat, Note, Plot, Tick};
use super::table_format::{csv_text, four, plain_table, six, table_lines};
use super::{conditions, languages, markdown};
use crate::runs::agreement::{DatasetAgreement, DisputedPage, PairAgreement, SilentPage};
use crate::runs::summary::Summary;
use crate::text::counted;

/// A matrix of more systems is too wide for a terminal.
const MOST_IN_TERMINAL: usize = 12;

/// A matrix of more systems is too wide for a page that is turned, so its pairs are listed.
const MOST_IN_LATEX: usize = 12;

/// A matrix of more systems is too dense for a figure.
const MOST_DRAWN: usize = 60;

/// So many disputed pages are shown in a terminal.
const SHOWN: usize = 10;

/// What the figures are, under every table.
const KEY: [&str; 2] = [
    "F1 of two systems' texts by the longest common subsequence of tokens, 2 LCS / (tokens of both), mean over the pages on \
     which neither failed; an empty text counts, and two empty texts agree",
    "两个系统文本之间的 F1，由词元的最长公共子序列得出：2 LCS /（两者词元数之和），对两者均未失败的页面取平均；空文本也计入，两个空文本视为一致",
];

/// What the list of pages is.
const DISPUTED: [&str; 2] = [
    "pages, those whose texts agree least first; F1 of texts: the mean over every two systems that both extracted something, and \
     a page without such two comes last; no text: the systems that extracted nothing; F1: the mean over every two systems; \
     beside it: the two that agree least, of those that extracted something if there are two",
    "抽取文本最不一致的页面排在最前；文本 F1：每两个均抽取出文本的系统之间 F1 的平均，没有这样两个系统的页面排在最后；无文本：未抽取出任何文本的系统数；F1：每两个系统之间 F1 的平均；其旁：最不一致的两个系统（有两个以上抽取出文本时只取这些系统）",
];

/// What is told where one system stands alone.
pub const ALONE: [&str; 2] = [
    "without gold, systems are compared with each other, which takes two of them: ask for another algorithm",
    "没有标注时，各系统之间相互比较，因此至少需要两个系统：请再指定一个算法",
];

const PAIR_COLUMNS: [&str; 7] = ["dataset", "one", "other", "pages", "f1", "only_one", "only_other"];

const PAGE_COLUMNS: [&str; 13] = [
    "rank", "dataset", "page", "site", "language", "kind", "pairs", "f1", "least_one", "least_other", "least_f1",
    "texts_f1", "silent",
];

/// Datasets on which there are two systems or more, so that there is something to compare.
pub(super) fn compared(summary: &Summary) -> impl Iterator<Item = &DatasetAgreement> {
    summary.agreement.iter().filter(|agreement| agreement.systems.len() > 1)
}

/// Whose agreement it is, over every table: the dataset and its pages without gold.
fn title(dataset: &str, agreement: &DatasetAgreement, what: LocalisedText) -> LocalisedText {
    LocalisedText::new(["{0}: {1} on {2}", "{0}：{2}上的{1}"], [dataset.into(), what, pages(agreement)])
}

/// What the matrix is of.
const AGREEMENT: [&str; 2] = ["agreement", "一致程度"];

/// What the list of pages is of.
const DISPUTES: [&str; 2] = ["disputes", "分歧"];

/// The pages on which systems are compared, as `3 pages without gold`.
fn pages(agreement: &DatasetAgreement) -> LocalisedText {
    LocalisedText::new(["{0} without gold", "{0}无标注页面"], [counted_pages(agreement.pages)])
}

fn counted_pages(count: usize) -> LocalisedText {
    let [english, chinese] = [counted(count, "page"), format!("{count} 个")];
    LocalisedText::words([&english, &chinese])
}

/// What the figures are, on which pages, and who extracted nothing.
pub fn key(agreement: &DatasetAgreement) -> LocalisedText {
    let key = LocalisedText::new(["On {0}: {1}", "{0}上：{1}"], [pages(agreement), LocalisedText::words(KEY)]);
    let parts: Vec<LocalisedText> = [key].into_iter().chain(empty_texts(agreement)).collect();
    LocalisedText::clauses(&parts)
}

/// The order of the disputed pages, and what weighs in it.
fn order_of_pages(agreement: &DatasetAgreement) -> LocalisedText {
    let order = LocalisedText::words(DISPUTED);
    LocalisedText::clauses(&[order].into_iter().chain(settings(agreement)).collect::<Vec<_>>())
}

/// The pages on which a system extracted nothing, and the algorithms that the languages of the pages have to do with.
pub(super) fn silences(agreement: &DatasetAgreement) -> Vec<LocalisedText> {
    silent_pages(agreement).into_iter().chain(languages::of_systems(agreement)).collect()
}

/// The pages on which a system extracted nothing: a text that lacks is told here, and moves no page up the list. `None` where
/// all always extracted something.
fn silent_pages(agreement: &DatasetAgreement) -> Option<LocalisedText> {
    let named = agreement.silent.iter().take(SHOWN).map(|SilentPage { page, silent, systems }| {
        let counts = [page.clone(), silent.to_string(), systems.to_string()];
        LocalisedText::new(["{0} ({1} of {2})", "{0}（{2} 个中的 {1} 个）"], counts)
    });
    let mut named: Vec<LocalisedText> = named.collect();
    let more = agreement.silent_pages - named.len().min(agreement.silent_pages);
    if more > 0 {
        let words = ["{0} more, in agreement.csv", "另有 {0} 个，见 agreement.csv"];
        named.push(LocalisedText::new(words, [more.to_string()]));
    }
    let words =
        ["a system extracted nothing on {0} of {1}: {2}", "在 {1}中，有 {0} 个页面至少有一个系统未抽取出文本：{2}"];
    let count = LocalisedText::name(agreement.silent_pages.to_string());
    let told = LocalisedText::new(words, [count, conditions::pages(agreement.pages), LocalisedText::list(&named)]);
    (agreement.silent_pages > 0).then_some(told)
}

/// That settings of one algorithm weigh as systems of their own, with those that have several; none where none has.
fn settings(agreement: &DatasetAgreement) -> Option<LocalisedText> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for system in &agreement.systems {
        let algorithm = system.label.split(' ').next().unwrap_or_default();
        match counts.iter_mut().find(|(known, _)| *known == algorithm) {
            Some((_, count)) => *count += 1,
            None => counts.push((algorithm, 1)),
        }
    }
    let several = counts.into_iter().filter(|(_, count)| *count > 1);
    let several: Vec<LocalisedText> =
        several.map(|(algorithm, count)| LocalisedText::name(format!("{algorithm} {count}"))).collect();
    let words = [
        "each setting weighs as a system of its own in the mean of a page, so an algorithm weighs as often as it has settings: {0}",
        "在每页的平均中，每个设置按一个系统计，因此一个算法有几个设置就计几次：{0}",
    ];
    (!several.is_empty()).then(|| LocalisedText::new(words, [LocalisedText::list(&several)]))
}

/// The tables of a run's agreement; none where every page has gold, or one system stands alone.
pub fn files(summary: &Summary, language: Language) -> Vec<(String, String)> {
    if compared(summary).next().is_none() {
        return Vec::new();
    }
    let files = [
        ("agreement.csv", csv(summary)),
        ("agreement.md", markdown(summary, language)),
        ("agreement.tex", latex(summary, language)),
        ("disputed.csv", disputed_csv(summary)),
        ("disputed.md", disputed_markdown(summary, language)),
        ("disputed.tex", disputed_latex(summary, language)),
    ];
    files.map(|(name, text)| (name.to_owned(), text)).into()
}

/// Every two systems as CSV, a line a pair.
pub fn csv(summary: &Summary) -> String {
    csv_text(&PAIR_COLUMNS, compared(summary).flat_map(pair_lines))
}

fn pair_lines(agreement: &DatasetAgreement) -> impl Iterator<Item = Vec<String>> + '_ {
    pairs(agreement).zip(&agreement.pairs).map(|(places, pair)| {
        let cells = pair_cells(agreement, places, pair, six);
        std::iter::once(agreement.dataset.clone()).chain(cells).collect()
    })
}

/// The names of the systems at two places, and how far they agree: `digits` writes F1.
fn pair_cells(
    agreement: &DatasetAgreement,
    places: [usize; 2],
    pair: &PairAgreement,
    digits: fn(f64) -> String,
) -> Vec<String> {
    let PairAgreement { pages, f1, only } = pair;
    let [only_one, only_other] = only.map(|tokens| tokens.to_string());
    let figures = [pages.to_string(), f1.map(digits).unwrap_or_default(), only_one, only_other];
    places.into_iter().map(|place| label(agreement, place).clone()).chain(figures).collect()
}

/// The matrix of each dataset as Markdown; empty where every page has gold.
pub fn markdown(summary: &Summary, language: Language) -> String {
    let mut text = String::new();
    for agreement in &summary.agreement {
        text.push_str(&head(summary, agreement, LocalisedText::words(AGREEMENT), language));
        if agreement.systems.len() < 2 {
            text.push_str(&format!("{}\n\n", sentence(LocalisedText::words(ALONE), language)));
            continue;
        }
        text.push_str(&markdown::table(header(agreement, language), &[0], 1, matrix(agreement)));
        text.push_str(&format!("\n{}\n\n", sentence(key(agreement), language)));
    }
    text
}

fn sentence(words: LocalisedText, language: Language) -> String {
    LocalisedText::sentence(&[words]).in_language(language).to_owned()
}

/// How often systems extracted an empty text, which agrees with no other; none where all always extracted something.
fn empty_texts(agreement: &DatasetAgreement) -> Option<LocalisedText> {
    let mut systems: Vec<_> = agreement.systems.iter().filter(|system| system.kept.empty > 0).collect();
    systems.sort_by_key(|system| std::cmp::Reverse(system.kept.empty));
    let named: Vec<LocalisedText> =
        systems.iter().map(|system| LocalisedText::name(format!("{} {}", system.label, system.kept.empty))).collect();
    let words = ["empty texts, of {0} pages: {1}", "空文本（共 {0} 页）：{1}"];
    let told = || LocalisedText::new(words, [agreement.pages.to_string().into(), LocalisedText::list(&named)]);
    (!named.is_empty()).then(told)
}

/// What stands over a table in Markdown.
fn head(summary: &Summary, agreement: &DatasetAgreement, what: LocalisedText, language: Language) -> String {
    let conditions = code(conditions(summary, agreement).in_language(language));
    let title = title(&code(&agreement.dataset), agreement, what);
    format!("# {}\n\n{conditions}\n\n", title.in_language(language))
}

/// The matrix of each dataset for LaTeX.
pub fn latex(summary: &Summary, language: Language) -> String {
    let table = |agreement: &DatasetAgreement| {
        let (label, title) = (
            format!("{}-agreement", agreement.dataset),
            title(&agreement.dataset, agreement, LocalisedText::words(AGREEMENT)),
        );
        let title = title.in_language(language);
        let notes = [key(agreement), conditions(summary, agreement)].map(|note| note.in_language(language).to_owned());
        if agreement.systems.len() > MOST_IN_LATEX {
            let lines: Vec<Vec<String>> = pairs(agreement).map(|pair| named_pair(agreement, pair)).collect();
            let header = language.say_all(["one", "other", "pages", "F1"]);
            return latex_table((&label, title), &header, 2, &lines, &notes);
        }
        latex_table((&label, title), &header(agreement, language), 1, &matrix(agreement), &notes)
    };
    compared(summary).map(table).collect::<Vec<_>>().join("\n")
}

/// Two systems, the pages of both, and F1.
fn named_pair(agreement: &DatasetAgreement, [one, other]: [usize; 2]) -> Vec<String> {
    let pair = agreement.pair(one, other);
    let f1 = pair.f1.map_or_else(|| "-".to_owned(), four);
    vec![label(agreement, one).clone(), label(agreement, other).clone(), pair.pages.to_string(), f1]
}

/// The blocks of all datasets with pages without gold, for a terminal.
pub fn terminal(summary: &Summary, language: Language) -> String {
    let blocks = summary.agreement.iter().map(|agreement| terminal_block(summary, agreement, language));
    blocks.collect::<Vec<_>>().join("\n")
}

/// The text that each system of a dataset keeps, the matrix, if a terminal has room for it, and the most disputed pages.
pub(super) fn terminal_block(summary: &Summary, agreement: &DatasetAgreement, language: Language) -> String {
    let said = |text: LocalisedText| text.in_language(language).to_owned();
    let has_room = agreement.systems.len() <= MOST_IN_TERMINAL;
    let kept = has_room.then(|| kept::terminal(summary, agreement, language)).flatten();
    if agreement.systems.len() < 2 {
        let above = kept.unwrap_or_else(|| agreement.dataset.clone());
        return [above.as_str(), language.of(ALONE), &said(conditions(summary, agreement)), ""].join("\n");
    }
    let is_kept_told = kept.is_some();
    let mut lines: Vec<String> = kept.into_iter().map(|kept| kept + "\n").collect();
    lines.push(said(title(&agreement.dataset, agreement, LocalisedText::words(AGREEMENT))));
    if has_room {
        let mut table = plain_table(header(agreement, language));
        for line in matrix(agreement) {
            table.add_row(line.into_iter().map(TableCell::new));
        }
        lines.extend(table_lines(table, 1));
    } else {
        lines.push(said(in_file(agreement)));
    }
    lines.push(language.of(KEY).to_owned());
    lines.extend(empty_texts(agreement).filter(|_| !is_kept_told).map(said));
    let header = ["page", "F1 of texts", "no text", "F1", "least agree", "F1 of the two"];
    let mut table = plain_table(language.say_all(header));
    for page in agreement.disputed.iter().take(SHOWN) {
        let [one, other] = page.least.map(|number| label(agreement, number).as_str());
        let texts = page.texts_f1.map_or_else(|| "-".to_owned(), four);
        let named = [page.page.clone(), texts, page.silent.to_string(), four(page.f1)];
        let cells = named.into_iter().chain([format!("{one} / {other}"), four(page.least_f1)]);
        table.add_row(cells.map(TableCell::new));
    }
    lines.extend(table_lines(table, 1));
    lines.extend(silences(agreement).into_iter().map(said));
    lines.push(said(order_of_pages(agreement)));
    lines.push(said(conditions(summary, agreement)));
    lines.join("\n") + "\n"
}

/// Where the tables are that there is no room for.
pub fn in_file(agreement: &DatasetAgreement) -> LocalisedText {
    let words = [
        "{0} systems: what they keep is in tables/kept.md, and their matrix in tables/agreement.md",
        "{0} 个系统：保留的文本见 tables/kept.md，矩阵见 tables/agreement.md",
    ];
    LocalisedText::new(words, [agreement.systems.len().to_string()])
}

/// The figure of the matrix; none of fewer than two systems, or of more than can be told apart.
pub(super) fn plot(summary: &Summary, agreement: &DatasetAgreement) -> Option<Plot> {
    let count = agreement.systems.len();
    if !(2..=MOST_DRAWN).contains(&count) {
        return None;
    }
    let cell = |one: usize, other: usize, value: f64| Cell {
        at: (one, other),
        value,
        best: false,
        default: false,
        flat: false,
    };
    let both = pairs(agreement).filter_map(|[one, other]| Some(([one, other], agreement.pair(one, other).f1?)));
    let both: Vec<([usize; 2], f64)> = both.collect();
    let least = both.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let most = both.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let mirrored = both.iter().flat_map(|&([one, other], f1)| [cell(one, other, f1), cell(other, one, f1)]);
    let cells: Vec<Cell> = mirrored.chain((0..count).map(|one| cell(one, one, 1.0))).collect();
    let told = |([one, other], f1): &([usize; 2], f64)| {
        let equal = both.iter().filter(|(_, other)| four(*other) == four(*f1)).count() - 1;
        let values = [label(agreement, *one).clone(), label(agreement, *other).clone(), four(*f1)];
        if equal == 0 {
            return LocalisedText::new(["{0} and {1}: {2}", "{0} 与 {1}：{2}"], values);
        }
        let words = ["{0} and {1}, like {3}: {2}", "{0} 与 {1}（另有 {4} 对相同）：{2}"];
        let [one, other, f1] = values;
        LocalisedText::new(words, [one, other, f1, counted(equal, "other pair"), equal.to_string()])
    };
    let tick = |(i, system): (usize, &crate::runs::agreement::ComparedSystem)| Tick {
        at: i as f64,
        text: (&system.label).into(),
        below: String::new(),
    };
    let axis = || {
        Axis::of_bands(LocalisedText::default(), agreement.systems.iter().enumerate().map(tick).collect(), Bands::Names)
    };
    let header = PAIR_COLUMNS.map(str::to_owned).to_vec();
    Some(Plot {
        title: LocalisedText::new(
            ["Agreement on {0}: F1 of the texts of every two systems", "{0} 上的一致程度：每两个系统文本之间的 F1"],
            [&agreement.dataset],
        ),
        subtitle: LocalisedText::new(
            ["{0}; least: {1}; most: {2}", "{0}；最不一致：{1}；最一致：{2}"],
            [pages(agreement), told(least), told(most)],
        ),
        sentence: sentence_of(agreement, &both),
        x: axis(),
        y: axis(),
        table: std::iter::once(header).chain(pair_lines(agreement)).collect(),
        heat: Some(Heat { cells, range: ((least.1 * 10.0).floor() / 10.0, 1.0), label: "F1".into() }),
        notes: vec![Note::plain(LocalisedText::words(KEY)), Note::plain(conditions(summary, agreement))],
        ..Plot::default()
    })
}

/// Whose texts are most like those of all others, and whose least: where most systems agree, the odd one out is the first to
/// look at.
fn sentence_of(agreement: &DatasetAgreement, both: &[([usize; 2], f64)]) -> LocalisedText {
    let mean = |system: usize| {
        let own: Vec<f64> = both.iter().filter(|(pair, _)| pair.contains(&system)).map(|(_, f1)| *f1).collect();
        (!own.is_empty()).then(|| (own.iter().sum::<f64>() / own.len() as f64, system))
    };
    let mut means: Vec<(f64, usize)> = (0..agreement.systems.len()).filter_map(mean).collect();
    means.sort_by(|one, other| other.0.total_cmp(&one.0));
    let [(most, nearest), _, .., (least, furthest)] = means[..] else { return LocalisedText::default() };
    LocalisedText::new(
        [
            "{0} agrees most with the others (mean {1}), and {2} least (mean {3}); without gold this tells who stands alone, not who is right.",
            "{0} 与其他系统最一致（平均 {1}），{2} 最不一致（平均 {3}）；没有标注时，这只说明谁与众不同，而非谁正确。",
        ],
        [label(agreement, nearest).clone(), four(most), label(agreement, furthest).clone(), four(least)],
    )
}

/// The conditions of the comparison, as one line.
fn conditions(summary: &Summary, agreement: &DatasetAgreement) -> LocalisedText {
    conditions::told_without_gold(summary, &agreement.dataset)
}

fn label(agreement: &DatasetAgreement, number: usize) -> &String {
    &agreement.systems[number].label
}

/// Each two systems, the first one first.
pub(super) fn pairs(agreement: &DatasetAgreement) -> impl Iterator<Item = [usize; 2]> + use<> {
    let count = agreement.systems.len();
    (0..count).flat_map(move |one| (one + 1..count).map(move |other| [one, other]))
}

/// `system`, then a number for each of them.
pub fn header(agreement: &DatasetAgreement, language: Language) -> Vec<String> {
    let numbers = (1..=agreement.systems.len()).map(|number| number.to_string());
    std::iter::once(language.say("system").into_owned()).chain(numbers).collect()
}

/// A line a system: its number and name, and how far it agrees with each.
pub fn matrix(agreement: &DatasetAgreement) -> Vec<Vec<String>> {
    let count = agreement.systems.len();
    let cell = |one: usize, other: usize| match one == other {
        true => "1".to_owned(),
        false => agreement.pair(one, other).f1.map_or_else(|| "-".to_owned(), four),
    };
    let line = |one: usize| {
        let name = format!("{} {}", one + 1, label(agreement, one));
        std::iter::once(name).chain((0..count).map(|other| cell(one, other))).collect()
    };
    (0..count).map(line).collect()
}

/// The most disputed pages, as they stand in tables: `digits` writes their figures.
fn disputed(agreement: &DatasetAgreement, digits: fn(f64) -> String) -> impl Iterator<Item = Vec<String>> + '_ {
    agreement.disputed.iter().enumerate().map(move |(rank, page)| {
        let DisputedPage { page, tags, pairs, f1, least, least_f1, texts_f1, silent } = page;
        let [one, other] = least.map(|number| label(agreement, number).clone());
        let named = [(rank + 1).to_string(), agreement.dataset.clone(), page.clone()].into_iter().chain(tags.clone());
        let figures = [pairs.to_string(), digits(*f1), one, other, digits(*least_f1)];
        named.chain(figures).chain([texts_f1.map(digits).unwrap_or_default(), silent.to_string()]).collect()
    })
}

fn disputed_csv(summary: &Summary) -> String {
    csv_text(&PAGE_COLUMNS, compared(summary).flat_map(|agreement| disputed(agreement, six)))
}

fn disputed_markdown(summary: &Summary, language: Language) -> String {
    let mut text = String::new();
    for agreement in compared(summary) {
        text.push_str(&head(summary, agreement, LocalisedText::words(DISPUTES), language));
        let names = [1, 2, 3, 4, 5, 8, 9];
        text.push_str(&markdown::table(language.say_all(PAGE_COLUMNS), &names, 6, disputed(agreement, four)));
        let counts = [agreement.disputed.len(), agreement.pages].map(|count| LocalisedText::name(count.to_string()));
        let [shown, all] = counts;
        let words = [
            "{0} of {1} {2}; agreement.csv has every page. {3}.",
            "{1} 页中的 {0} 页：{2}；agreement.csv 列出每一页。{3}。",
        ];
        let key = [LocalisedText::words(KEY)].into_iter().chain(silences(agreement)).collect::<Vec<_>>();
        let [disputed, key] = [order_of_pages(agreement), LocalisedText::clauses(&key)];
        let note = LocalisedText::new(words, [shown, all, disputed, key]);
        text.push_str(&format!("\n{}\n\n", note.in_language(language)));
    }
    text
}

fn disputed_latex(summary: &Summary, language: Language) -> String {
    let table = |agreement: &DatasetAgreement| {
        let header =
            ["rank", "page", "site", "pairs", "F1 of texts", "no text", "F1", "agree least", "and", "F1 of the two"];
        let lines = agreement.disputed.iter().enumerate().map(|(rank, page)| {
            let [one, other] = page.least.map(|number| label(agreement, number).clone());
            let named = [(rank + 1).to_string(), page.page.clone(), page.tags[0].clone(), page.pairs.to_string()];
            let texts = page.texts_f1.map_or_else(|| "-".to_owned(), four);
            let figures = [texts, page.silent.to_string(), four(page.f1), one, other, four(page.least_f1)];
            named.into_iter().chain(figures).collect()
        });
        let lines: Vec<Vec<String>> = lines.collect();
        let notes = [order_of_pages(agreement), LocalisedText::words(KEY), conditions(summary, agreement)];
        let notes = notes.map(|note| note.in_language(language).to_owned());
        let label = format!("{}-disputed", agreement.dataset);
        let title = title(&agreement.dataset, agreement, LocalisedText::words(DISPUTES));
        latex_table((&label, title.in_language(language)), &language.say_all(header), 7, &lines, &notes)
    };
    compared(summary).map(table).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::summary;
    use crate::runs::agreement::{ComparedSystem, GroupAgreement};

    /// Three systems on a dataset: 01 agree by 0.5, 02 by 0.25, and 12 on no page.
    fn compared() -> Summary {
        let system = |label: &str| ComparedSystem { label: label.to_owned(), ..ComparedSystem::default() };
        let pair = |pages, f1| PairAgreement { pages, f1, only: [4, 1] };
        let page = |page: &str, f1| DisputedPage {
            page: page.to_owned(),
            tags: Default::default(),
            pairs: 2,
            f1,
            least: [0, 2],
            least_f1: f1 / 2.0,
            texts_f1: (f1 > 0.5).then_some(f1),
            silent: usize::from(f1 < 0.5),
        };
        let mut summary = summary(Vec::new());
        summary.agreement = vec![DatasetAgreement {
            dataset: "d".to_owned(),
            pages: 3,
            systems: ["a", "b|x", "c"].map(system).into(),
            pairs: vec![pair(3, Some(0.5)), pair(2, Some(0.25)), pair(0, None)],
            disputed: vec![page("p2", 0.125), page("p1", 0.75)],
            silent_pages: 12,
            silent: vec![SilentPage { page: "p2".to_owned(), silent: 1, systems: 3 }],
            all_sites: None,
            groups: Default::default(),
        }];
        summary
    }

    #[test]
    fn an_algorithm_that_weighs_by_its_settings_is_told() {
        let mut summary = compared();
        for (system, label) in summary.agreement[0].systems.iter_mut().zip(["cevc alpha=0.1", "nta", "cevc alpha=0.2"])
        {
            system.label = label.to_owned();
        }
        let words = "an algorithm weighs as often as it has settings: cevc 2";
        let told = [disputed_markdown, disputed_latex].map(|write| write(&summary, Language::English));
        assert!(told.iter().all(|text| text.contains(words)), "{told:?}");
        assert!(terminal(&summary, Language::English).contains(words));
        let chinese = disputed_markdown(&summary, Language::Chinese);
        for part in ["一个算法有几个设置就计几次：cevc 2", "在 3 页中，有 12 个页面至少有一个系统未抽取出文本"]
        {
            assert!(chinese.contains(part), "{part}: {chinese}");
        }
    }

    #[test]
    fn where_not_all_sites_are_listed_the_tables_by_site_say_so() {
        let mut summary = compared();
        let agreement = &mut summary.agreement[0];
        agreement.all_sites = Some(12_345);
        agreement.systems.iter_mut().for_each(|system| system.kept.pages = 3);
        let kept = agreement.systems.iter().map(|system| system.kept).collect();
        let group = GroupAgreement { pages: 3, kept, pairs: agreement.pairs.clone() };
        agreement.groups =
            ["site", "kind"].map(|key| (key.to_owned(), [("x".to_owned(), group.clone())].into())).into();
        let words = "10000 of 12345 sites, those with most pages; ";
        for (key, times) in [("site", 2), ("kind", 0)] {
            let written = [
                kept::markdown_by(&summary, key, Language::English),
                kept::latex_by(&summary, key, Language::English),
                kept::terminal_by(&summary, key, Language::English).unwrap(),
            ];
            for text in written {
                assert_eq!(text.matches(words).count(), times, "{text}");
            }
        }
    }

    #[test]
    fn the_matrix_is_symmetric_and_pages_come_by_rank() {
        let summary = compared();
        let lines: Vec<Vec<String>> = matrix(&summary.agreement[0]);
        assert_eq!(
            lines,
            [["1 a", "1", "0.5000", "0.2500"], ["2 b|x", "0.5000", "1", "-"], ["3 c", "0.2500", "-", "1"]]
        );
        assert_eq!(csv(&summary).lines().nth(2).unwrap(), "d,a,c,2,0.250000,4,1");
        assert_eq!(csv(&summary).lines().nth(3).unwrap(), "d,b|x,c,0,,4,1");
        assert_eq!(disputed_csv(&summary).lines().nth(1).unwrap(), "1,d,p2,,,,2,0.125000,a,c,0.062500,,1");
        assert_eq!(disputed_csv(&summary).lines().nth(2).unwrap(), "2,d,p1,,,,2,0.750000,a,c,0.375000,0.750000,0");
        assert!(
            markdown(&summary, Language::English).contains("| `2 b\\|x` | 0.5000 | 1 | - |"),
            "{}",
            markdown(&summary, Language::English)
        );
        assert!(
            latex(&summary, Language::English).contains("1 a & 1 & 0.5000 & 0.2500 \\\\"),
            "{}",
            latex(&summary, Language::English)
        );
        assert!(
            disputed_markdown(&summary, Language::English)
                .contains("2 of 3 pages, those whose texts agree least first")
        );
        let silent = "a system extracted nothing on 12 of 3 pages: p2 (1 of 3), 11 more, in agreement.csv";
        let told = [disputed_markdown, terminal].map(|write| write(&summary, Language::English));
        assert!(told.iter().all(|text| text.contains(silent)), "{told:?}");
        assert!(!disputed_markdown(&summary, Language::English).contains("each setting weighs"));
        assert!(
            disputed_latex(&summary, Language::English).contains("1 & p2 &  & 2 & - & 1 & 0.1250 & a & c & 0.0625"),
            "{}",
            disputed_latex(&summary, Language::English)
        );
    }

    #[test]
    fn the_figure_has_a_cell_for_every_two_that_met() {
        let summary = compared();
        let plot = plot(&summary, &summary.agreement[0]).unwrap();
        let heat = plot.heat.unwrap();
        assert_eq!((heat.cells.len(), heat.range), (7, (0.2, 1.0)));
        assert_eq!(plot.subtitle.english(), "3 pages without gold; least: a and c: 0.2500; most: a and b|x: 0.5000");
        assert_eq!(plot.table.len(), 4);
    }

    #[test]
    fn runs_with_gold_have_no_such_tables() {
        let summary = summary(Vec::new());
        assert!(
            files(&summary, Language::English).is_empty()
                && markdown(&summary, Language::English).is_empty()
                && latex(&summary, Language::English).is_empty()
        );
    }
}
