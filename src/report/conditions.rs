//! What must be equal for figures to be compared, in words: it stands under every table and figure.

use std::collections::{BTreeMap, BTreeSet};

use super::language::Language;
use super::localised_text::LocalisedText;
use crate::formats::inert::one_line;
use crate::runs::run_folder::{Missing, RunInfo};
use crate::runs::separation::TooFewSites;
use crate::runs::summary::{KeptReplies, Summary, SummaryRow};
use crate::statistics::MOST_TESTED;
use crate::text::counted;

/// The measure that needs no gold.
const SNIPPETS: &str = "snippets";

/// Digits of a dataset's digest that are shown: enough to tell two versions apart.
const DIGEST_DIGITS: usize = 12;

/// The sentence that stands above the figures of a merged run that lacks pages.
pub(crate) fn lacks(info: &RunInfo, language: Language) -> Option<String> {
    let Missing { pages, shards, of } = info.missing.as_ref()?;
    let mut told = lacks_pages(*pages);
    if !shards.is_empty() {
        let shards: Vec<String> = shards.iter().map(ToString::to_string).collect();
        let words = match shards.len() {
            1 => ["{0}, because {3} of {1} shards was not given: {2}", "{0}，因为 {1} 个分片中未给出：{2}"],
            _ => ["{0}, because {3} of {1} shards were not given: {2}", "{0}，因为 {1} 个分片中未给出：{2}"],
        };
        let counts = [of.to_string(), shards.join(", "), shards.len().to_string()];
        let [of, named, lacking] = counts.map(LocalisedText::from);
        told = LocalisedText::new(words, [told, of, named, lacking]);
    }
    let words = ["{0}; its figures are those of a part", "{0}；所列数值只代表一部分页面"];
    Some(LocalisedText::new(words, [told]).in_language(language).to_owned())
}

fn lacks_pages(pages: usize) -> LocalisedText {
    let pages = LocalisedText::words([&counted(pages, "page"), &pages.to_string()]);
    LocalisedText::new(["this run lacks {0}", "本次运行缺 {0} 页"], [pages])
}

/// The same as a paragraph; empty of a run that is whole.
pub(crate) fn above(info: &RunInfo, language: Language, in_markdown: bool) -> String {
    let bold = if in_markdown { "**" } else { "" };
    lacks(info, language).map_or_else(String::new, |told| format!("{bold}{told}{bold}\n\n"))
}

/// The conditions of one dataset's rows, as one line in English.
pub fn line(summary: &Summary, dataset: &str) -> String {
    told(summary, dataset).to_string()
}

/// The conditions of one dataset's rows, as one line.
pub fn told(summary: &Summary, dataset: &str) -> LocalisedText {
    let mut parts = of_texts(summary, dataset);
    parts.push(measure(&summary.conditions.measure));
    let nature = summary.conditions.datasets.get(dataset).and_then(|known| known.gold_nature.as_deref());
    parts.push(match nature {
        Some(nature) => LocalisedText::new(["gold {0}", "标注：{0}"], [LocalisedText::said(nature)]),
        None => LocalisedText::words(["how the gold was made is not stated", "未说明标注的来源"]),
    });
    in_one_line(&parts)
}

/// The same of systems that are compared with each other: by whatever measure, there is no gold to hold them against.
pub fn told_without_gold(summary: &Summary, dataset: &str) -> LocalisedText {
    in_one_line(&of_texts(summary, dataset))
}

fn in_one_line(parts: &[LocalisedText]) -> LocalisedText {
    let [english, chinese] = Language::ALL.map(|language| one_line(LocalisedText::list(parts).in_language(language)));
    LocalisedText::words([&english, &chinese])
}

/// The pages alone, whatever they are measured by.
pub fn told_of_pages(summary: &Summary, dataset: &str) -> LocalisedText {
    in_one_line(&of_pages(summary, dataset))
}

fn of_texts(summary: &Summary, dataset: &str) -> Vec<LocalisedText> {
    let conditions = &summary.conditions;
    let mut parts = of_pages(summary, dataset);
    parts.extend([tokens(&conditions.tokens), case(&conditions.case)]);
    let kept: Vec<&KeptReplies> = summary.kept_replies.iter().filter(|kept| kept.dataset == dataset).collect();
    parts.extend(of_each_program(&kept));
    parts
}

/// The kept replies of rows in words, those of the settings of one program together.
fn of_each_program(kept: &[&KeptReplies]) -> Vec<LocalisedText> {
    let program = |kept: &KeptReplies| kept.row.split(' ').next().unwrap_or_default().to_owned();
    let is_of_same = |one: &&KeptReplies, other: &&KeptReplies| program(one) == program(other);
    let joined = |rows: &[&KeptReplies]| {
        let mut all = rows[0].clone();
        for row in &rows[1..] {
            all.replies += row.replies;
            all.pages += row.pages;
            (all.from, all.to) = (all.from.min(row.from.clone()), all.to.max(row.to.clone()));
        }
        if rows.len() == 1 {
            return kept_replies(&all, &all);
        }
        let [english, chinese] = [
            format!("{} ({} settings)", program(rows[0]), rows.len()),
            format!("{}（{} 个设置）", program(rows[0]), rows.len()),
        ]
        .map(|row| KeptReplies { row, ..all.clone() });
        kept_replies(&english, &chinese)
    };
    kept.chunk_by(is_of_same).map(joined).collect()
}

fn of_pages(summary: &Summary, dataset: &str) -> Vec<LocalisedText> {
    let conditions = &summary.conditions;
    let mut parts = Vec::new();
    match conditions.datasets.get(dataset) {
        None => parts.push(dataset.into()),
        Some(known) => {
            let digest = beginning(&known.digest);
            // Of one's own files the beginning of the digest is the version.
            let words = match known.version == digest {
                true => ["{0} {1}"; 2],
                false => ["{0} {1} (digest {2})", "{0} {1}（摘要 {2}）"],
            };
            parts.push(LocalisedText::new(words, [dataset, &known.version, digest]));
            parts.push(pages(known.pages));
            parts.extend((summary.missing_pages > 0).then(|| lacks_pages(summary.missing_pages)));
            let lacks = match summary.conditions.measure == SNIPPETS {
                true => ["{0} of them without snippets", "其中 {0} 页没有片段"],
                false => ["{0} of them without gold", "其中 {0} 页没有标注"],
            };
            let without = known.without_gold;
            parts.extend((without > 0).then(|| LocalisedText::new(lacks, [without.to_string()])));
            let dropped = (known.dropped > 0).then(|| known.dropped.to_string());
            let words = ["{0} more left out for faults of the dataset", "另有 {0} 页因数据集有误而略去"];
            parts.extend(dropped.map(|dropped| LocalisedText::new(words, [dropped])));
            let words = ["{0} left out, for it cannot be read", "{0} 无法读取，已略去"];
            parts.extend(known.lost.iter().map(|lost| LocalisedText::new(words, [lost.to_string()])));
        }
    }
    parts.extend(conditions.filters.iter().map(|(key, value)| filter(key, value)));
    if !conditions.without_faults.is_empty() {
        let faults = conditions.without_faults.join("+");
        parts.push(LocalisedText::new(["without faults {0}", "不含缺陷 {0}"], [faults]));
    }
    let words = ["train_on {0} (digest {1})", "训练于 {0}（摘要 {1}）"];
    let trained_on = conditions.trained_on.iter();
    parts.extend(trained_on.map(|from| LocalisedText::new(words, [from.name.as_str(), beginning(&from.digest)])));
    parts
}

/// The unit of comparison, with the value of its option.
pub(crate) fn tokens(kind: &str) -> LocalisedText {
    LocalisedText::said(&format!("tokens {kind}"))
}

/// The rule by which letter case is compared, with the value of its option.
pub(crate) fn case(case: &str) -> LocalisedText {
    LocalisedText::said(&format!("case {case}"))
}

/// The measure, with the value of its option.
pub(crate) fn measure(measure: &str) -> LocalisedText {
    LocalisedText::said(&format!("measure {measure}"))
}

/// A filter, with the key that a person types.
fn filter(key: &str, value: &str) -> LocalisedText {
    let name = LocalisedText::said(key);
    let key = match name.in_language(Language::Chinese) {
        known if known != key => LocalisedText::words([key, &format!("{known}（{key}）")]),
        _ => name,
    };
    LocalisedText::new(["where {0}={1}", "仅限 {0}={1}"], [key, value.into()])
}

/// `1 page`, `2 pages`.
pub fn pages(count: usize) -> LocalisedText {
    let [english, chinese] = [counted(count, "page"), format!("{count} 页")];
    LocalisedText::words([&english, &chinese])
}

/// `1 row`, `2 rows`.
pub(crate) fn rows(count: usize) -> LocalisedText {
    let [english, chinese] = [counted(count, "row"), format!("{count} 行")];
    LocalisedText::words([&english, &chinese])
}

/// `1 test`, `2 tests`.
pub fn tests(count: usize) -> LocalisedText {
    let [english, chinese] = [counted(count, "test"), format!("{count} 次检验")];
    LocalisedText::words([&english, &chinese])
}

/// `1 pair`, `2 pairs` of rows.
pub(crate) fn pairs(count: usize) -> LocalisedText {
    let [english, chinese] = [counted(count, "pair"), format!("{count} 对行")];
    LocalisedText::words([&english, &chinese])
}

/// That there are too many rows to test each against each.
pub(crate) fn too_many_for_letters() -> LocalisedText {
    let words = ["no letters: there are more than {0} rows", "没有字母：多于 {0} 行"];
    LocalisedText::new(words, [MOST_TESTED.to_string()])
}

/// That no difference can be told with so few sites, and how many it takes.
pub(super) fn too_few_sites(few: TooFewSites) -> LocalisedText {
    LocalisedText::new(
        [
            "too few sites: with {0} none of {1} can come to 0.05 after the correction for their number, so no two \
             rows can be told apart; it takes {2}",
            "站点太少：仅有 {0}，{1}经多重校正后都不可能达到 0.05，无法判断任何差异；至少需要 {2}",
        ],
        [sites(few.sites), tests(few.tests), sites(few.fewest)],
    )
}

/// That each of the `pages` counts as one of the `sites`, or that those `without_site` do: that is wrong
/// where several are of one. `None` where at most one is so.
pub(crate) fn pages_as_sites(pages: usize, sites: usize, without_site: usize) -> Option<LocalisedText> {
    let all = "each page counts as a site: if several are of one site, intervals are too narrow and tests too sure";
    let some = [
        "{0} of {1} pages have no site, so each counts as one: if several are of one site, intervals are too narrow and tests \
         too sure",
        "{1} 页中有 {0} 页站点未知，各算一个站点：若其中几页属于同一站点，则区间偏窄，检验过于乐观",
    ];
    match () {
        _ if sites == pages && pages > 1 => Some(LocalisedText::said(all)),
        _ if without_site > 1 => Some(LocalisedText::new(some, [without_site.to_string(), pages.to_string()])),
        _ => None,
    }
}

/// True if the row compares pages and had none to compare with on half of its pages or more: its figures tell little of it.
pub(super) fn is_mostly_alone(row: &SummaryRow) -> bool {
    row.alone.is_some_and(|alone| alone > 0 && alone * 2 >= row.pages)
}

/// The names of the algorithms with rows that are mostly alone.
pub(super) fn names_of_alone(rows: &[&SummaryRow]) -> Vec<LocalisedText> {
    let names: BTreeSet<&str> =
        rows.iter().filter(|row| is_mostly_alone(row)).map(|row| row.algorithm.as_str()).collect();
    names.into_iter().map(LocalisedText::from).collect()
}

/// The algorithms with rows that are mostly alone, a sentence for those of one number of pages.
pub(super) fn mostly_alone(rows: &[&SummaryRow]) -> Vec<LocalisedText> {
    const FEWEST: usize = 5;
    let mut least: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.pages >= FEWEST && is_mostly_alone(row)) {
        let Some(alone) = row.alone else { continue };
        let fewest = least.entry(&row.algorithm).or_insert((alone, row.pages));
        *fewest = (*fewest).min((alone, row.pages));
    }
    let mut by_number: BTreeMap<(usize, usize), Vec<LocalisedText>> = BTreeMap::new();
    for (name, (alone, all)) in least {
        by_number.entry((alone, all)).or_default().push(name.into());
    }
    let words = [
        "with no other page to compare with on {0} of {1}, so that they decide by the page alone there: {2}",
        "在 {1}中的 {0} 页上没有可比较的其他页面，只能凭单个页面判断：{2}",
    ];
    let told = |((alone, all), names): ((usize, usize), Vec<LocalisedText>)| {
        LocalisedText::new(words, [alone.to_string().into(), pages(all), LocalisedText::list(&names)])
    };
    by_number.into_iter().rev().map(told).collect()
}

/// The rows that were not run on some pages, a sentence for each of the first three: their figures are of fewer pages, and
/// comparisons leave the others out.
pub(crate) fn left_out<'s>(rows: impl Iterator<Item = &'s SummaryRow>) -> Vec<LocalisedText> {
    const NAMED: usize = 3;
    let ranked: Vec<&SummaryRow> = rows.filter(|row| row.is_ranked()).collect();
    let lacking: Vec<&&SummaryRow> = ranked.iter().filter(|row| !row.is_whole()).collect();
    if ranked.len() < 2 || lacking.is_empty() {
        return Vec::new();
    }
    let words = match lacking.len() < ranked.len() {
        true => [
            "{0} of {1} are left out of comparisons: {2} was not run on them, so it is never the best",
            "比较时略去 {1}中的 {0} 页：{2} 未在其上运行，因此不评为最佳",
        ],
        false => [
            "{0} of {1} are left out of comparisons: {2} was not run on them",
            "比较时略去 {1}中的 {0} 页：{2} 未在其上运行",
        ],
    };
    let sentence = |row: &&&SummaryRow| {
        let all = pages(row.pages + row.not_run);
        LocalisedText::new(words, [row.not_run.to_string().into(), all, row.full_label().into()] as [LocalisedText; 3])
    };
    let mut sentences: Vec<LocalisedText> = lacking.iter().take(NAMED).map(sentence).collect();
    if lacking.len() > NAMED {
        let words = ["{0} more rows were not run on some pages", "另有 {0} 行未在部分页面上运行"];
        sentences.push(LocalisedText::new(words, [(lacking.len() - NAMED).to_string()]));
    }
    sentences
}

/// `1 site`, `2 sites`.
pub fn sites(count: usize) -> LocalisedText {
    let [english, chinese] = [counted(count, "site"), format!("{count} 个站点")];
    LocalisedText::words([&english, &chinese])
}

/// Replies that the run did not ask for itself, with the name of the row in each language.
fn kept_replies(english: &KeptReplies, chinese: &KeptReplies) -> LocalisedText {
    let KeptReplies { row, replies, pages, from, to, .. } = chinese;
    let days = if from == to { from.clone() } else { format!("{from}–{to}") };
    let chinese = format!("{row} 的 {pages} 个答复中 {replies} 个取自缓存（{days}）");
    LocalisedText::words([&english.in_words(), &chinese])
}

/// The digits of a digest that are shown.
fn beginning(digest: &str) -> &str {
    let digits = digest.trim_start_matches("sha256:");
    digits.get(..DIGEST_DIGITS).unwrap_or(digits)
}

/// What to know of a dataset's gold before a figure on it is read, as its manifest or the catalogue says.
pub fn gold_note(summary: &Summary, dataset: &str) -> Option<String> {
    let known = summary.conditions.datasets.get(dataset)?;
    Some(one_line(&format!("{dataset}: {}", known.gold_note.as_ref()?.trim())))
}

/// That pages were drawn because systems dispute them, as `carat dataset new --disputed` draws them: no figure over them is that
/// of the collection.
pub(super) fn drawn_for_dispute(rows: &[&SummaryRow]) -> Option<LocalisedText> {
    let row = rows.first()?;
    let disputed = row.groups.get("group")?.get("disputed")?.pages;
    let words = [
        "{0} of {1} were drawn because systems dispute them (group=disputed), so figures over all of them are not those of the \
         collection; --where group=random takes the random sample alone",
        "{1}中有 {0} 页因各系统分歧大而选出（group=disputed），因此全部页面上的数值不代表整个集合；--where group=random 只取随机样本",
    ];
    Some(LocalisedText::new(words, [disputed.to_string().into(), pages(row.pages)]))
}

/// What a page must have to count in rows.
pub fn scored_by(summary: &Summary) -> &'static str {
    if summary.conditions.measure == SNIPPETS { "snippets" } else { "gold" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{groups, row};

    #[test]
    fn pages_that_were_drawn_for_dispute_are_told() {
        let mut row = SummaryRow { pages: 10, ..row("d", "nta", 0.5) };
        assert_eq!(drawn_for_dispute(&[&row]), None);
        row.groups.insert("group".to_owned(), groups(&[("random", 6)], 0.5)["language"].clone());
        assert_eq!(drawn_for_dispute(&[&row]), None);
        row.groups.insert("group".to_owned(), groups(&[("disputed", 4)], 0.5)["language"].clone());
        let told = drawn_for_dispute(&[&row]).unwrap();
        assert!(told.english().starts_with("4 of 10 pages were drawn because systems dispute them"), "{told:?}");
    }

    #[test]
    fn rows_that_had_nothing_to_compare_with_are_told_together() {
        let alone = |algorithm: &str, alone: Option<usize>| SummaryRow { alone, pages: 10, ..row("d", algorithm, 0.5) };
        let rows = [
            alone("sst", Some(10)),
            alone("dse", Some(10)),
            alone("istm", Some(7)),
            alone("pagelets", Some(4)),
            alone("nta", None),
        ];
        let told: Vec<String> =
            mostly_alone(&rows.iter().collect::<Vec<_>>()).iter().map(LocalisedText::to_string).collect();
        let sentence = |number: usize, names: &str| {
            format!(
                "with no other page to compare with on {number} of 10 pages, so that they decide by the page alone there: {names}"
            )
        };
        assert_eq!(told, [sentence(10, "dse, sst"), sentence(7, "istm")]);
    }
}
