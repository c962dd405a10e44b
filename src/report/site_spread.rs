//! The figure of a dataset's spread: every algorithm by its F1, with the F1 of each site.

use super::conditions;
use super::families::{dataset_places, f1};
use super::localised_text::LocalisedText;
use super::overview::every_setting;
use super::plot::{Axis, Key, Label, Note, Plot, SeriesColour, Sign, Strip};
use super::representatives::{Representative, best_and_default, best_note};
use super::row_lines::{MOST_LINES, height, rows_axis};
use super::sites::{groups, sites};
use super::table_format::{four, six};
use crate::runs::summary::{Summary, SummaryRow};

/// More dots than this on a line are a blot; those with fewest pages are left out.
const MOST_DOTS: usize = 400;

/// The figure; none where there are no sites to compare.
pub fn plot(summary: &Summary, dataset: &str) -> Option<Plot> {
    let sites = sites(summary, dataset)?;
    let all: Vec<Representative<'_>> =
        best_and_default(summary, dataset).into_iter().filter(|shown| groups(shown.row).count() > 0).collect();
    let drawn = &all[..all.len().min(MOST_LINES)];
    let strip = |(i, shown): (usize, &Representative<'_>)| Strip {
        at: height(i, drawn.len()),
        dots: dots(shown.row),
        ends: ends(shown.row),
        values: groups(shown.row).count(),
        quartiles: quartiles(shown.row),
        mean: f1(shown.row),
    };
    let strips: Vec<Strip> = drawn.iter().enumerate().map(strip).collect();
    let values = drawn.iter().flat_map(|shown| groups(shown.row).map(|(_, site)| site.mean.f1).chain([f1(shown.row)]));
    let least = values.fold(1.0, f64::min);
    let label = |strip: &Strip| Label { ink: SeriesColour::F1, at: strip.at, text: four(strip.mean).into() };
    let mut notes = Vec::new();
    if all.len() > drawn.len() {
        let words = ["{0} rows with a lower F1 are in the CSV only", "另有 {0} 行的 F1 更低，只在 CSV 中"];
        notes.push(Note::plain(LocalisedText::new(words, [(all.len() - drawn.len()).to_string()])));
    }
    let all_sites = summary.all_sites.get(dataset).copied();
    if sites.len() > MOST_DOTS {
        let words = match all_sites {
            None => [
                "dots: at most the {0} of {1} sites with most pages; quartiles and bars: all",
                "圆点：{1} 个站点中页数最多的至多 {0} 个；四分位数与竖条：全部站点",
            ],
            Some(_) => [
                "dots: at most the {0} of {1} sites with most pages; quartiles and bars: the {2} with most pages",
                "圆点：{1} 个站点中页数最多的至多 {0} 个；四分位数与竖条：页数最多的 {2} 个",
            ],
        };
        let counts = [MOST_DOTS, all_sites.unwrap_or(sites.len()), sites.len()];
        notes.push(Note::plain(LocalisedText::new(words, counts.map(|count| count.to_string()))));
    }
    notes.extend(best_note(drawn));
    notes.push(Note::plain(conditions::told(summary, dataset)));
    Some(Plot {
        title: LocalisedText::new(
            ["{0}: algorithms by F1, with the spread over {1} sites", "{0}：各算法的 F1 及其在 {1} 个站点间的分布"],
            [dataset.into(), some_or_all(sites.len(), all_sites)],
        ),
        subtitle: every_setting(),
        sentence: drawn
            .first()
            .map_or(LocalisedText::default(), |best| sentence(best.row, some_or_all(sites.len(), all_sites))),
        rows: dataset_places(summary, drawn.iter().map(|shown| shown.row)),
        dataset: Some(dataset.to_owned()),
        x: Axis::of_scores(LocalisedText::words(["mean F1 over a site's pages", "站点内各页的平均 F1"]), least),
        y: rows_axis(drawn),
        labels: strips.iter().map(label).collect(),
        key: key(&strips),
        strips,
        notes,
        table: table(&all),
        ..Plot::default()
    })
}

/// The signs and their meaning; those of ends only where a site is there.
fn key(strips: &[Strip]) -> Vec<Key> {
    let ends = strips.iter().any(|strip| strip.ends != [0, 0]);
    let signs = [
        Some((Sign::Ink(SeriesColour::F1), ["mean over all pages", "全部页面的平均"])),
        Some((Sign::Dot, ["a site (area: its pages)", "一个站点（面积：页数）"])),
        ends.then_some((Sign::End, ["sites at exactly 0 or 1, and their number", "恰为 0 或 1 的站点及其数目"])),
        Some((Sign::Quartiles, ["quartiles and median of the sites", "各站点的四分位数与中位数"])),
    ];
    signs.into_iter().flatten().map(|(sign, words)| Key::new(sign, LocalisedText::words(words))).collect()
}

/// The number of the sites, and of how many where there are more.
fn some_or_all(listed: usize, all: Option<usize>) -> LocalisedText {
    match all {
        None => listed.to_string().into(),
        Some(all) => LocalisedText::new(["{0} of {1}", "{1} 个中的 {0}"], [listed.to_string(), all.to_string()]),
    }
}

/// The spread of the sites of the best row, and the number of those at the ends.
fn sentence(row: &SummaryRow, sites: LocalisedText) -> LocalisedText {
    let [lower, _, upper] = quartiles(row);
    let worst = groups(row).map(|(_, site)| site.mean.f1).min_by(f64::total_cmp);
    let Some(worst) = worst.map(four) else { return LocalisedText::default() };
    let at_worst: Vec<&str> =
        groups(row).filter(|(_, site)| four(site.mean.f1) == worst).map(|(name, _)| name).collect();
    /// Between the quartiles of fewer sites there are not half of them.
    const FEWEST: usize = 4;
    let lowest = match at_worst[..] {
        [only] => LocalisedText::new(["the lowest, {0}, has {1}", "最低的 {0} 为 {1}"], [only, &worst]),
        _ => LocalisedText::new(
            ["the lowest, {0}, have {1}", "最低的 {0}均为 {1}"],
            [conditions::sites(at_worst.len()), worst.as_str().into()],
        ),
    };
    let words = match groups(row).count() < FEWEST {
        true => ["Of {0} over {1} sites, {4}", "{0} 在 {1} 个站点中，{4}"],
        false => [
            "Of {0}, the middle half of the {1} sites lies between {2} and {3}; {4}",
            "{0} 在 {1} 个站点中，居中的一半介于 {2} 与 {3} 之间；{4}",
        ],
    };
    let spread =
        LocalisedText::new(words, [row.full_label().into(), sites, four(lower).into(), four(upper).into(), lowest]);
    let at_end = |(count, end): (usize, &str)| {
        let words = ["{0} at exactly {1}", "{0}恰为 {1}"];
        (count > 0).then(|| LocalisedText::new(words, [conditions::sites(count), LocalisedText::name(end)]))
    };
    let [zero, one] = ends(row);
    let ends = [(one, "1"), (zero, "0")].into_iter().filter_map(at_end);
    LocalisedText::sentence(&[LocalisedText::clauses(&[spread].into_iter().chain(ends).collect::<Vec<_>>())])
}

/// The number of sites whose F1 is exactly 0, and exactly 1.
fn ends(row: &SummaryRow) -> [usize; 2] {
    [0.0, 1.0].map(|end| groups(row).filter(|(_, site)| site.mean.f1 == end).count())
}

/// The F1 of each site between 0 and 1 with its pages, those with most pages first.
fn dots(row: &SummaryRow) -> Vec<(f64, f64)> {
    let sites = groups(row).filter(|(_, site)| ![0.0, 1.0].contains(&site.mean.f1));
    let mut dots: Vec<(f64, f64)> = sites.map(|(_, site)| (site.mean.f1, site.pages as f64)).collect();
    dots.sort_by(|a, b| b.1.total_cmp(&a.1));
    dots.truncate(MOST_DOTS);
    dots
}

/// Lower quartile, median and upper quartile of the sites' F1, each site counted once. Between two
/// sites it is interpolated: of n sorted values the share p is at place p (n - 1).
fn quartiles(row: &SummaryRow) -> [f64; 3] {
    let mut values: Vec<f64> = groups(row).map(|(_, site)| site.mean.f1).collect();
    values.sort_by(f64::total_cmp);
    [0.25, 0.5, 0.75].map(|share| {
        let place = share * (values.len() - 1) as f64;
        let (below, above) = (values[place.floor() as usize], values[place.ceil() as usize]);
        below + (above - below) * place.fract()
    })
}

/// Each row's sites, then what is marked of them.
fn table(all: &[Representative<'_>]) -> Vec<Vec<String>> {
    let header = ["algorithm", "place", "setting", "series", "site", "pages", "f1"].map(str::to_owned).to_vec();
    let of_row = |shown: &Representative<'_>| -> Vec<Vec<String>> {
        let row = shown.row;
        let line = |series: &str, site: &str, pages: usize, f1: f64| {
            let place = shown.place.in_words().to_string();
            let texts = [&row.algorithm, &place, &row.label(), series, site].map(str::to_owned);
            [texts.to_vec(), vec![pages.to_string(), six(f1)]].concat()
        };
        let sites = groups(row).map(|(name, site)| line("site", name, site.pages, site.mean.f1));
        let [lower, median, upper] = quartiles(row);
        let marks = [
            ("mean over pages", f1(row)),
            ("mean over sites", row.aggregates.site_macro.f1),
            ("lower quartile of sites", lower),
            ("median of sites", median),
            ("upper quartile of sites", upper),
        ];
        sites.chain(marks.map(|(series, value)| line(series, "", row.pages, value))).collect()
    };
    std::iter::once(header).chain(all.iter().flat_map(of_row)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{row, site_row, summary};

    const SITES: [(&str, usize, f64); 4] = [("a", 1, 0.4), ("b", 5, 0.9), ("c", 2, 0.8), ("新闻", 2, 0.6)];

    #[test]
    fn a_line_a_row_with_its_sites_quartiles_and_mean() {
        let higher = site_row("d", "stored/x", &[("b", 5, 1.0)]);
        let plot = plot(&summary(vec![site_row("d", "nta", &SITES), higher]), "d").unwrap();
        let names: Vec<&str> = plot.y.ticks.iter().map(|tick| tick.text.english()).collect();
        assert_eq!(names, ["stored/x", "nta"]);
        assert_eq!(plot.strips.iter().map(|strip| strip.at).collect::<Vec<_>>(), [1.0, 0.0]);
        // The dots of large sites are drawn first, so that small ones are not hidden.
        assert_eq!(plot.strips[1].dots, [(0.9, 5.0), (0.8, 2.0), (0.6, 2.0), (0.4, 1.0)]);
        // Of 0.4, 0.6, 0.8, 0.9 the quartiles are at places 0.75, 1.5 and 2.25.
        let rounded = plot.strips[1].quartiles.map(|value| (value * 1e6).round() / 1e6);
        assert_eq!(rounded, [0.55, 0.7, 0.825]);
        assert_eq!(plot.strips[0].quartiles, [1.0; 3]);
        // A site at exactly 1 is counted instead.
        assert_eq!((plot.strips[0].dots.len(), plot.strips[0].ends, plot.strips[0].values), (0, [0, 1], 1));
        assert_eq!(four(plot.strips[1].mean), "0.7700");
        assert_eq!(plot.labels[1].text.english(), "0.7700");
        assert_eq!(plot.x.from, 0.4);
    }

    #[test]
    fn sites_at_the_ends_are_counted_and_told() {
        let sites = [("a", 1, 0.0), ("b", 1, 1.0), ("c", 2, 0.5), ("d", 1, 1.0), ("e", 1, 0.999_999)];
        let of = |sites: &[(&str, usize, f64)]| plot(&summary(vec![site_row("d", "nta", sites)]), "d").unwrap();
        let plot = of(&sites);
        assert_eq!((plot.strips[0].ends, plot.strips[0].values, plot.x.from), ([1, 2], 5, 0.0));
        assert_eq!(plot.strips[0].dots, [(0.5, 2.0), (0.999_999, 1.0)]);
        let told = plot.sentence.english();
        assert!(told.ends_with("; the lowest, a, has 0.0000; 2 sites at exactly 1; 1 site at exactly 0."), "{told}");
        let chinese = plot.sentence.in_language(crate::report::language::Language::Chinese);
        assert!(chinese.ends_with("；2 个站点恰为 1；1 个站点恰为 0。"), "{chinese}");
        let drawn = crate::report::examples::svg(&plot);
        assert!([">\n2\n<", ">\n1\n<"].iter().all(|count| drawn.contains(count)), "{drawn}");
        assert_eq!((plot.key.len(), of(&SITES).key.len()), (4, 3));
        assert!(of(&SITES).sentence.english().ends_with("the lowest, a, has 0.4000."), "{}", of(&SITES).sentence);
    }

    #[test]
    fn the_table_has_each_site_and_what_is_marked() {
        let csv = plot(&summary(vec![site_row("d", "nta", &SITES)]), "d").unwrap().csv();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines[0], "algorithm,place,setting,series,site,pages,f1");
        assert_eq!(lines[1], "nta,,,site,a,1,0.400000");
        assert_eq!(lines[5..7], ["nta,,,mean over pages,,10,0.770000", "nta,,,mean over sites,,10,0.760000"]);
        assert_eq!(
            lines[7..],
            [
                "nta,,,lower quartile of sites,,10,0.550000",
                "nta,,,median of sites,,10,0.700000",
                "nta,,,upper quartile of sites,,10,0.825000"
            ]
        );
    }

    #[test]
    fn what_is_too_much_for_the_picture_is_told_and_in_its_table() {
        let names: Vec<String> = (0..450).map(|i| format!("s{i}")).collect();
        let sites: Vec<(&str, usize, f64)> = names.iter().map(|name| (name.as_str(), 2, 0.5)).collect();
        let rows = (0..202).map(|i| site_row("d", &format!("stored/{i}"), &sites)).collect();
        let plot = plot(&summary(rows), "d").unwrap();
        assert_eq!((plot.strips.len(), plot.strips[0].dots.len()), (200, 400));
        assert_eq!(plot.table.len(), 1 + 202 * 455);
        assert_eq!(plot.notes[0].text.english(), "2 rows with a lower F1 are in the CSV only");
        assert!(
            plot.notes[1].text.english().starts_with("dots: at most the 400 of 450 sites with most pages"),
            "{}",
            plot.notes[1].text
        );
    }

    #[test]
    fn where_not_all_sites_are_listed_the_figure_says_so() {
        let names: Vec<String> = (0..450).map(|i| format!("s{i}")).collect();
        let sites: Vec<(&str, usize, f64)> = names.iter().map(|name| (name.as_str(), 2, 0.5)).collect();
        let mut summary = summary(vec![site_row("d", "nta", &sites)]);
        summary.all_sites.insert("d".to_owned(), 12_345);
        let plot = plot(&summary, "d").unwrap();
        assert!(plot.title.english().ends_with("the spread over 450 of 12345 sites"), "{}", plot.title);
        assert!(
            plot.sentence.english().starts_with("Of nta, the middle half of the 450 of 12345 sites"),
            "{}",
            plot.sentence
        );
        let words = "dots: at most the 400 of 12345 sites with most pages; quartiles and bars: the 450 with most pages";
        assert_eq!(plot.notes[0].text.english(), words);
    }

    #[test]
    fn rows_without_sites_have_no_line_and_without_sites_there_is_nothing() {
        let rows = vec![site_row("d", "nta", &SITES), row("d", "stored/without", 0.9)];
        assert_eq!(plot(&summary(rows), "d").unwrap().strips.len(), 1);
        assert!(plot(&summary(vec![row("d", "nta", 0.5)]), "d").is_none());
    }
}
