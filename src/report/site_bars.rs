//! The figures of a dataset by site, as papers show them: recall, precision and F1 as bars, a group
//! a site, a bar a system.

use super::colours::Colours;
use super::conditions;
use super::families::dataset_places;
use super::localised_text::LocalisedText;
use super::plot::{Axis, Bands, Bar, Key, Note, Plot, Sign, Tick, Vertical};
use super::representatives::{Representative, best_note, systems};
use super::sites::{Site, sites, some_of_rows};
use super::table_format::{four, six};
use crate::runs::summary::{GroupFigures, Summary};
use crate::statistics::Triple;

/// More sites than this are not told apart; the rest is in the table behind the figure.
const MOST_SITES: usize = 16;
/// More bars than this are no group.
const MOST_SYSTEMS: usize = 6;
/// How far the means of all pages stand from the sites, in widths of a site.
const APART: f64 = 1.5;

/// A measure that sites are shown by.
struct Measure {
    /// Its name in file names.
    name: &'static str,
    /// What its axis is called in each language.
    label: [&'static str; 2],
    /// What its figure is called, with a place for the dataset's name.
    title: [&'static str; 2],
    figure: fn(Triple) -> f64,
}

/// Measures in the order of the NTA paper's figures 2 to 4.
const MEASURES: [Measure; 3] = [
    Measure {
        name: "recall",
        label: ["recall", "召回率"],
        title: ["{0}: recall by site", "{0}：各站点的召回率"],
        figure: |scores| scores.recall,
    },
    Measure {
        name: "precision",
        label: ["precision", "精确率"],
        title: ["{0}: precision by site", "{0}：各站点的精确率"],
        figure: |scores| scores.precision,
    },
    Measure {
        name: "f1",
        label: ["F1", "F1"],
        title: ["{0}: F1 by site", "{0}：各站点的 F1"],
        figure: |scores| scores.f1,
    },
];

/// The figures, each with its measure's name; none where there are no sites to compare.
pub fn plots(summary: &Summary, dataset: &str) -> Vec<(&'static str, Plot)> {
    let Some(sites) = sites(summary, dataset) else { return Vec::new() };
    let systems = systems(summary, dataset);
    MEASURES.iter().map(|measure| (measure.name, plot(summary, (dataset, &sites), &systems, measure))).collect()
}

fn plot(
    summary: &Summary,
    (dataset, sites): (&str, &[Site<'_>]),
    systems: &[Representative<'_>],
    measure: &Measure,
) -> Plot {
    let (drawn_sites, drawn) = (&sites[..sites.len().min(MOST_SITES)], &systems[..systems.len().min(MOST_SYSTEMS)]);
    let all = drawn_sites.len() as f64 - 1.0 + APART;
    let tick = |(i, site): (usize, &Site<'_>)| tick(i as f64, site.name, site.pages);
    let mut ticks: Vec<Tick> = drawn_sites.iter().enumerate().map(tick).collect();
    ticks.push(Tick { text: LocalisedText::words(["all pages", "全部页面"]), ..tick_of_all(all, systems) });
    let looks = Colours::of(summary).beside(&drawn.iter().map(|shown| shown.row).collect::<Vec<_>>());
    let mut bars = Vec::new();
    for (place, (shown, &(fill, surface))) in drawn.iter().zip(&looks).enumerate() {
        let bar = |group: f64, scores: Triple| Bar { group, place, fill, surface, height: (measure.figure)(scores) };
        let of_site = |(i, site): (usize, &Site<'_>)| Some(bar(i as f64, figures(shown, site)?.mean));
        bars.extend(drawn_sites.iter().enumerate().filter_map(of_site));
        bars.push(bar(all, shown.row.aggregates.macro_));
    }
    let keys =
        drawn.iter().zip(&looks).map(|(shown, &(fill, surface))| Key::new(Sign::Fill(fill, surface), key_text(shown)));
    let all_sites = summary.all_sites.get(dataset).copied().unwrap_or(sites.len());
    let is_cut_among_equals =
        drawn_sites.last().zip(sites.get(drawn_sites.len())).is_some_and(|(a, b)| a.pages == b.pages);
    let words = match all_sites - drawn_sites.len() {
        _ if is_cut_among_equals => [
            "mean over each site's pages; {1} of {0} sites, by their pages and then by name; on the right the mean over all pages",
            "各站点页面的平均；{0} 个站点中的 {1} 个，先按页数、再按名称取；右端为全部页面的平均",
        ],
        0 => [
            "mean over each site's pages; {0} sites; on the right the mean over all pages",
            "各站点页面的平均；{0} 个站点；右端为全部页面的平均",
        ],
        _ => [
            "mean over each site's pages; the {1} of {0} sites with most pages; on the right the mean over all pages",
            "各站点页面的平均；{0} 个站点中页数最多的 {1} 个；右端为全部页面的平均",
        ],
    };
    Plot {
        title: LocalisedText::new(measure.title, [dataset]),
        subtitle: LocalisedText::new(words, [all_sites.to_string(), MOST_SITES.to_string()]),
        sentence: drawn
            .first()
            .map_or(LocalisedText::default(), |first| sentence(first, sites, drawn_sites.len(), measure)),
        rows: dataset_places(summary, drawn.iter().map(|shown| shown.row)),
        dataset: Some(dataset.to_owned()),
        x: Axis { to: all + 0.5, ..Axis::of_bands(LocalisedText::default(), ticks, Bands::Names) },
        y: Axis::of_scores(LocalisedText::words(measure.label), 0.0),
        bars,
        verticals: vec![Vertical { at: all - APART / 2.0, label: LocalisedText::default() }],
        key: keys.collect(),
        notes: notes(summary, dataset, (sites, drawn_sites.len()), systems, drawn),
        table: table(sites, systems, measure),
        ..Plot::default()
    }
}

fn tick(at: f64, name: &str, pages: usize) -> Tick {
    Tick { at, text: name.into(), below: pages.to_string() }
}

fn tick_of_all(at: f64, systems: &[Representative<'_>]) -> Tick {
    tick(at, "", systems.iter().map(|shown| shown.row.pages).max().unwrap_or_default())
}

fn figures<'s>(shown: &Representative<'s>, site: &Site<'_>) -> Option<&'s GroupFigures> {
    shown.row.groups.get("site")?.get(site.name)
}

/// The system with its setting, where it is one of several or not at its defaults.
fn key_text(shown: &Representative<'_>) -> LocalisedText {
    if shown.row.differs.is_empty() && shown.row.swept.is_empty() {
        return shown.name();
    }
    LocalisedText::new(["{0} {1}"; 2], [shown.name(), shown.row.label().into()])
}

/// Where the first system is best and where it is worst, of all `sites`, of which so many are drawn.
fn sentence(first: &Representative<'_>, sites: &[Site<'_>], drawn: usize, measure: &Measure) -> LocalisedText {
    let of = |(place, site): (usize, &Site<'_>)| Some((place, four((measure.figure)(figures(first, site)?.mean))));
    let of_sites: Vec<(usize, String)> = sites.iter().enumerate().filter_map(of).collect();
    // As they are printed, scores from 0 to 1 are in the order of their digits.
    let ends = [of_sites.iter().map(|(_, figure)| figure).min(), of_sites.iter().map(|(_, figure)| figure).max()];
    let [Some(low), Some(high)] = ends else { return LocalisedText::default() };
    let on = |end: &str| {
        let at_end: Vec<usize> = of_sites.iter().filter(|(_, figure)| figure == end).map(|(place, _)| *place).collect();
        match at_end[..] {
            [only] if only < drawn => sites[only].name.into(),
            [only] => LocalisedText::new(["{0} (not drawn)", "{0}（未画出）"], [sites[only].name]),
            _ if at_end.iter().all(|place| *place >= drawn) => {
                LocalisedText::new(["{0} (not drawn)", "{0}（未画出）"], [conditions::sites(at_end.len())])
            }
            _ => conditions::sites(at_end.len()),
        }
    };
    let words = match drawn < sites.len() {
        _ if low == high => ["{0} has {2} on each of {5} sites.", "{0} 在 {5} 个站点上均为 {2}。"],
        false => ["{0} goes from {2} on {1} to {4} on {3}.", "{0} 最低为 {2}（{1}），最高为 {4}（{3}）。"],
        true => [
            "Over {5} sites, {0} goes from {2} on {1} to {4} on {3}.",
            "在 {5} 个站点中，{0} 最低为 {2}（{1}），最高为 {4}（{3}）。",
        ],
    };
    let number = of_sites.len().to_string();
    let name = first.row.full_label().into();
    LocalisedText::new(words, [name, on(low), low.as_str().into(), on(high), high.as_str().into(), number.into()])
}

fn notes(
    summary: &Summary,
    dataset: &str,
    (sites, drawn_sites): (&[Site<'_>], usize),
    systems: &[Representative<'_>],
    drawn: &[Representative<'_>],
) -> Vec<Note> {
    let mut notes =
        vec![Note::plain(LocalisedText::words(["numbers under the sites: their pages", "站点下方的数字：页数"]))];
    if let Some(some) = some_of_rows(summary, dataset) {
        notes.push(Note::plain(LocalisedText::new(["in the CSV: {0}", "CSV 中：{0}"], [some])));
    } else if sites.len() > drawn_sites {
        let words = ["the other {0} sites are in the CSV only", "其余 {0} 个站点只在 CSV 中"];
        notes.push(Note::plain(LocalisedText::new(words, [(sites.len() - drawn_sites).to_string()])));
    }
    if systems.len() > drawn.len() {
        let mut names: Vec<LocalisedText> = systems[drawn.len()..].iter().map(key_text).collect();
        let more = names.len().saturating_sub(MOST_SYSTEMS);
        names.truncate(MOST_SYSTEMS);
        let words = match more {
            0 => ["in the CSV only: {0}", "只在 CSV 中：{0}"],
            _ => ["in the CSV only: {0} and {1} more", "只在 CSV 中：{0} 及另外 {1} 个"],
        };
        notes.push(Note::plain(LocalisedText::new(words, [LocalisedText::list(&names), more.to_string().into()])));
    }
    let lacks = |shown: &&Representative<'_>| {
        sites.iter().any(|site| figures(shown, site).map_or(0, |of| of.pages) < site.pages)
    };
    let lacking: Vec<LocalisedText> = drawn.iter().filter(lacks).map(key_text).collect();
    if !lacking.is_empty() {
        let words = ["measured on some of the pages only: {0}", "只在部分页面上测得：{0}"];
        notes.push(Note::plain(LocalisedText::new(words, [LocalisedText::list(&lacking)])));
    }
    notes.extend(best_note(drawn));
    notes.push(Note::plain(conditions::told(summary, dataset)));
    notes
}

/// Every site and system, then the means over all pages.
fn table(sites: &[Site<'_>], systems: &[Representative<'_>], measure: &Measure) -> Vec<Vec<String>> {
    let header = ["series", "site", "algorithm", "place", "setting", "pages", measure.name].map(str::to_owned).to_vec();
    let line = |series: &str, site: &str, shown: &Representative<'_>, pages: usize, scores: Triple| {
        let place = shown.place.in_words().to_string();
        let texts = [series, site, &shown.row.algorithm, &place, &shown.row.label()].map(str::to_owned);
        [texts.to_vec(), vec![pages.to_string(), six((measure.figure)(scores))]].concat()
    };
    let of_site = |site: &Site<'_>| -> Vec<Vec<String>> {
        let lines = systems.iter().filter_map(|shown| {
            let figures = figures(shown, site)?;
            Some(line("site", site.name, shown, figures.pages, figures.mean))
        });
        lines.collect()
    };
    let all = systems.iter().map(|shown| line("all", "", shown, shown.row.pages, shown.row.aggregates.macro_));
    std::iter::once(header).chain(sites.iter().flat_map(of_site)).chain(all).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{alpha_sweep, row, site_row, summary};
    use crate::report::plot::{Fill, Surface};
    use crate::runs::summary::SummaryRow;

    const SITES: [(&str, usize, f64); 2] = [("a.cn", 1, 0.5), ("新闻.cn", 3, 0.9)];

    fn f1_plot(rows: Vec<SummaryRow>) -> Plot {
        let summary = summary(rows);
        let [recall, precision, f1] = <[_; 3]>::try_from(plots(&summary, "d")).unwrap();
        assert_eq!([recall.0, precision.0, f1.0], ["recall", "precision", "f1"]);
        f1.1
    }

    fn notes(plot: &Plot) -> Vec<&str> {
        plot.notes.iter().map(|note| note.text.english()).collect()
    }

    fn keys(plot: &Plot) -> Vec<&str> {
        plot.key.iter().map(|key| key.text.english()).collect()
    }

    #[test]
    fn where_not_all_sites_are_listed_the_figure_says_so() {
        let mut summary = summary(vec![site_row("d", "nta", &SITES)]);
        summary.all_sites.insert("d".to_owned(), 12_345);
        let plot = &plots(&summary, "d")[0].1;
        assert!(plot.subtitle.english().contains("of 12345 sites with most pages"), "{}", plot.subtitle);
        assert!(notes(plot).contains(&"in the CSV: 10000 of 12345 sites, those with most pages"), "{:?}", notes(plot));
    }

    #[test]
    fn the_sentence_is_of_the_sites_that_are_not_drawn_too() {
        let names: Vec<String> = (0..=MOST_SITES).map(|site| format!("s{site:02}.cn")).collect();
        let sites: Vec<(&str, usize, f64)> = names
            .iter()
            .enumerate()
            .map(|(site, name)| (name.as_str(), 40 - site, 0.5 + site as f64 / 100.0))
            .collect();
        let told = f1_plot(vec![site_row("d", "nta", &sites)]).sentence.english().to_owned();
        assert_eq!(told, "Over 17 sites, nta goes from 0.5000 on s00.cn to 0.6600 on s16.cn (not drawn).");
    }

    #[test]
    fn what_several_sites_have_is_said_of_none_alone() {
        let names: Vec<String> = (0..=MOST_SITES).map(|site| format!("s{site:02}.cn")).collect();
        let f1 = |site: usize| if site == 3 { 0.5 } else { 1.0 };
        let sites: Vec<(&str, usize, f64)> =
            names.iter().enumerate().map(|(site, name)| (name.as_str(), 1 + usize::from(site < 4), f1(site))).collect();
        let plot = f1_plot(vec![site_row("d", "nta", &sites)]);
        assert_eq!(plot.sentence.english(), "Over 17 sites, nta goes from 0.5000 on s03.cn to 1.0000 on 16 sites.");
        assert!(plot.subtitle.english().contains("; 16 of 17 sites, by their pages and then by name;"));
        let sites: Vec<(&str, usize, f64)> = sites.iter().map(|&(name, pages, _)| (name, pages, 1.0)).collect();
        let told = f1_plot(vec![site_row("d", "nta", &sites)]).sentence.english().to_owned();
        assert_eq!(told, "nta has 1.0000 on each of 17 sites.");
    }

    #[test]
    fn a_group_a_site_a_bar_a_system_and_the_mean_apart() {
        let floor = site_row("d", "all-text", &[("a.cn", 1, 0.95), ("新闻.cn", 3, 0.95)]);
        let plot = f1_plot(vec![floor, site_row("d", "nta", &SITES)]);
        let ticks: Vec<(f64, &str, &str)> =
            plot.x.ticks.iter().map(|tick| (tick.at, tick.text.english(), tick.below.as_str())).collect();
        assert_eq!(ticks, [(0.0, "新闻.cn", "3"), (1.0, "a.cn", "1"), (2.5, "all pages", "4")]);
        assert_eq!(keys(&plot), ["nta", "all-text"]);
        let bar = |group, place, fill, height| Bar { group, place, fill, surface: Surface::Solid, height };
        let nta = [(0.0, 0.9), (1.0, 0.5), (2.5, 0.8)].map(|(group, f1)| bar(group, 0, Fill::System(0), f1));
        assert_eq!(plot.bars[..3], nta);
        assert!(plot.bars[3..].iter().all(|bar| bar.fill == Fill::Floor(0) && bar.place == 1));
        assert_eq!((plot.y.from, plot.y.to), (0.0, 1.0));
    }

    #[test]
    fn each_figure_has_its_own_measure_and_the_table_has_all() {
        let summary = summary(vec![site_row("d", "nta", &SITES)]);
        let tables: Vec<String> = plots(&summary, "d").iter().map(|(_, plot)| plot.csv()).collect();
        let lines: Vec<&str> = tables[0].lines().collect();
        assert_eq!(
            lines,
            [
                "series,site,algorithm,place,setting,pages,recall",
                "site,新闻.cn,nta,,,3,0.880000",
                "site,a.cn,nta,,,1,0.480000",
                "all,,nta,,,4,0.780000"
            ]
        );
        assert!(tables[1].contains("3,0.920000") && tables[2].contains("3,0.900000"));
    }

    #[test]
    fn a_family_is_shown_at_its_default_or_else_its_best() {
        let with_sites = |mut row: SummaryRow| {
            row.groups = site_row("d", "x", &SITES).groups;
            row
        };
        let sweep: Vec<SummaryRow> = alpha_sweep("d", 21).into_iter().map(with_sites).collect();
        let plot = f1_plot(sweep.clone());
        assert_eq!((keys(&plot), plot.bars.last().unwrap().height), (vec!["cevc alpha=0.50"], 0.879));
        assert!(!notes(&plot).iter().any(|note| note.contains("best of several")));
        // Without the default the best stands for it, and that is told.
        let plot = f1_plot(sweep.into_iter().filter(|row| !row.differs.is_empty()).collect());
        assert_eq!((keys(&plot), plot.bars.last().unwrap().height), (vec!["cevc (best of 20) alpha=0.55"], 0.88));
        assert!(notes(&plot).iter().any(|note| note.contains("best of several")));
    }

    #[test]
    fn what_is_too_much_for_the_picture_is_told_and_in_its_table() {
        let names: Vec<String> = (0..20).map(|i| format!("site{i:02}")).collect();
        let sites: Vec<(&str, usize, f64)> =
            names.iter().enumerate().map(|(i, name)| (name.as_str(), i + 1, 0.5)).collect();
        let mut rows: Vec<SummaryRow> = (0..32).map(|i| site_row("d", &format!("stored/s{i:02}"), &sites)).collect();
        rows[31] = site_row("d", "stored/best", &[("site19", 5, 0.9)]);
        let plot = f1_plot(rows);
        assert_eq!(plot.x.ticks.len(), 17);
        assert_eq!((plot.x.ticks[0].text.english(), plot.x.ticks[15].text.english()), ("site19", "site04"));
        assert_eq!(keys(&plot)[..2], ["stored/best", "stored/s00"]);
        assert_eq!((keys(&plot).len(), plot.bars.len()), (6, 5 * 17 + 2));
        assert_eq!(plot.table.len(), 1 + 31 * 21 + 2);
        assert!(plot.subtitle.english().contains("the 16 of 20 sites with most pages"), "{}", plot.subtitle);
        let notes = notes(&plot);
        assert!(notes.contains(&"the other 4 sites are in the CSV only"), "{notes:?}");
        assert!(
            notes.iter().any(|note| note.starts_with("in the CSV only: stored/s05,") && note.ends_with("and 20 more"))
        );
        assert!(notes.contains(&"measured on some of the pages only: stored/best"), "{notes:?}");
    }

    #[test]
    fn who_lacks_a_site_or_pages_of_one_is_told() {
        let lacks_site = site_row("d", "stored/x", &SITES[1..]);
        let lacks_page = site_row("d", "stored/y", &[("a.cn", 1, 0.5), ("新闻.cn", 2, 0.6)]);
        let plot = f1_plot(vec![site_row("d", "nta", &SITES), lacks_site, lacks_page]);
        let notes = notes(&plot);
        assert!(notes.contains(&"measured on some of the pages only: stored/x, stored/y"), "{notes:?}");
        // Below the means stand the pages of the system that has most.
        assert_eq!(plot.x.ticks[2].below, "4");
    }

    #[test]
    fn without_sites_to_compare_there_is_nothing() {
        assert!(plots(&summary(vec![row("d", "nta", 0.5)]), "d").is_empty());
        assert!(plots(&summary(vec![site_row("d", "nta", &[("a", 9, 0.5)])]), "d").is_empty());
    }
}
