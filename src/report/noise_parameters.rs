//! The figure and the table of a noise parameter: F1 of every algorithm against how much of one kind of noise the pages
//! have. The points are the datasets of a run that are made of one recipe and differ in this parameter alone. Recipes call
//! their noise parameters dials.

use super::colours::Colours;
use super::conditions;
use super::families::{datasets, f1, number};
use super::language::Language;
use super::localised_text::LocalisedText;
use super::plot::{Axis, Curve, Key, Label, Note, Plot, SeriesColour, Sign};
use super::representatives::{Representative, system_of_each_family};
use super::table_format::{four, plain_table, six, table_lines};
use crate::runs::summary::Summary;

/// The datasets of one recipe that differ in one noise parameter alone.
pub struct NoiseSweep<'s> {
    /// The recipe's name.
    pub recipe: &'s str,
    /// The noise parameter.
    pub parameter: &'s str,
    /// The other noise parameters that the recipe sets, as they are written.
    others: String,
    /// At least two amounts with their datasets, in the order of amounts.
    points: Vec<(f64, &'s str, &'s str)>,
}

/// The swept noise parameters of a run, in its order.
pub fn sweeps(summary: &Summary) -> Vec<NoiseSweep<'_>> {
    let mut sweeps: Vec<NoiseSweep<'_>> = Vec::new();
    for dataset in datasets(&summary.rows) {
        let Some(made) = summary.conditions.datasets.get(dataset).and_then(|known| known.made_of.as_ref()) else {
            continue;
        };
        for (parameter, amount) in &made.dials {
            let others = made.dials.iter().filter(|(other, _)| *other != parameter);
            let others = others.map(|(other, amount)| format!("{other}={amount}")).collect::<Vec<_>>().join(",");
            let point = (number(amount).unwrap_or_default(), amount.as_str(), dataset);
            let is_of = |known: &&mut NoiseSweep<'_>| {
                (known.recipe, known.parameter, &known.others) == (&made.recipe, parameter.as_str(), &others)
            };
            match sweeps.iter_mut().find(is_of) {
                Some(known) => known.points.push(point),
                None => sweeps.push(NoiseSweep { recipe: &made.recipe, parameter, others, points: vec![point] }),
            }
        }
    }
    sweeps.retain(|sweep| sweep.points.len() > 1);
    sweeps.iter_mut().for_each(|sweep| sweep.points.sort_by(|a, b| a.0.total_cmp(&b.0)));
    sweeps
}

impl<'s> NoiseSweep<'s> {
    /// Whether `dataset` is one of its points.
    pub fn has(&self, dataset: &str) -> bool {
        self.points.iter().any(|(_, _, known)| *known == dataset)
    }

    /// Each family of rows, as the row at its default or else the best, at each amount.
    fn systems(&self, summary: &'s Summary) -> Vec<Vec<Representative<'s>>> {
        let by_point: Vec<Vec<Representative<'s>>> =
            self.points.iter().map(|(_, _, dataset)| system_of_each_family(summary, dataset)).collect();
        let count = by_point.iter().map(Vec::len).min().unwrap_or_default();
        let mut systems: Vec<Vec<Representative<'s>>> = (0..count).map(|_| Vec::new()).collect();
        for point in by_point {
            for (system, shown) in systems.iter_mut().zip(point) {
                system.push(shown);
            }
        }
        // Those under test first.
        systems.sort_by_key(|system| system[0].row.floor);
        systems
    }

    fn title(&self) -> LocalisedText {
        match self.others.as_str() {
            "" => LocalisedText::new(["{0}: F1 over {1}", "{0}：F1 随 {1} 的变化"], [self.recipe, self.parameter]),
            others => LocalisedText::new(
                ["{0}, {1}: F1 over {2}", "{0}，{1}：F1 随 {2} 的变化"],
                [self.recipe, others, self.parameter],
            ),
        }
    }

    /// The figure: a curve a system.
    pub fn plot(&self, summary: &'s Summary) -> Plot {
        let systems = self.systems(summary);
        let first: Vec<Representative<'_>> = systems.iter().map(|system| system[0].clone()).collect();
        let fills = Colours::of(summary).apart(&first.iter().map(|shown| shown.row).collect::<Vec<_>>());
        let inks: Vec<SeriesColour> = fills.into_iter().map(SeriesColour::Of).collect();
        let line = |system: &[Representative<'_>]| -> Vec<(f64, f64)> {
            self.points.iter().zip(system).map(|((at, _, _), shown)| (*at, f1(shown.row))).collect()
        };
        let curves = systems.iter().zip(&inks).map(|(system, &ink)| {
            let line = line(system);
            Curve { ink, points: line.clone(), line }
        });
        let last = |(system, &ink): (&Vec<Representative<'_>>, &SeriesColour)| {
            let at = system.last().map(|shown| f1(shown.row)).unwrap_or_default();
            Label { ink, at, text: first_name(system).into() }
        };
        let least = systems.iter().flatten().map(|shown| f1(shown.row)).fold(1.0, f64::min);
        let ends = (self.points[0].0, self.points[self.points.len() - 1].0);
        let key = systems.iter().zip(&inks).map(|(system, &ink)| Key::new(Sign::Ink(ink), first_name(system)));
        Plot {
            title: self.title(),
            subtitle: self.subtitle(&systems),
            sentence: self.sentence(&systems),
            x: Axis::of_numbers(LocalisedText::name(self.parameter), ends.0, ends.1),
            y: Axis::of_scores(LocalisedText::words(["macro F1", "宏平均 F1"]), least),
            labels: systems.iter().zip(&inks).map(last).collect(),
            key: key.collect(),
            curves: curves.collect(),
            notes: vec![
                Note::plain(LocalisedText::new(
                    ["each point: {0} pages with the same texts", "每个点：文本相同的 {0} 个页面"],
                    [systems[0][0].row.pages.to_string()],
                )),
                Note::plain(LocalisedText::new(
                    ["at the first amount: {0}", "第一个取值：{0}"],
                    [conditions::told(summary, self.points[0].2)],
                )),
            ],
            table: self.table(&systems),
            ..Plot::default()
        }
    }

    /// From where to where the noise goes.
    fn subtitle(&self, systems: &[Vec<Representative<'_>>]) -> LocalisedText {
        let (first, last) = (self.points[0].1, self.points[self.points.len() - 1].1);
        LocalisedText::new(
            ["{0} systems; {1} from {2} to {3}", "{0} 个系统；{1} 从 {2} 到 {3}"],
            [&systems.len().to_string(), self.parameter, first, last],
        )
    }

    /// Who loses most from the first amount to the last, and who least.
    fn sentence(&self, systems: &[Vec<Representative<'_>>]) -> LocalisedText {
        let change = |system: &[Representative<'_>]| f1(system[system.len() - 1].row) - f1(system[0].row);
        let told = |system: &[Representative<'_>]| {
            let figures = format!("{:+.3}", change(system)).replace('-', "\u{2212}");
            LocalisedText::new(
                ["{0} ({1})", "{0}（{1}）"],
                [first_name(system).into(), figures.into()] as [LocalisedText; 2],
            )
        };
        let mut tested: Vec<&Vec<Representative<'_>>> = systems.iter().collect();
        tested.sort_by(|a, b| change(a).total_cmp(&change(b)));
        let [most, .., least] = &tested[..] else { return LocalisedText::default() };
        // As they are printed: less than that is no change.
        let sign = |system: &[Representative<'_>]| (change(system) * 1000.0).round() as i64;
        let words = match (sign(most), sign(least)) {
            (0.., _) => [
                "From the first amount to the last no F1 falls; that of {0} rises least, and that of {1} rises most.",
                "从第一个取值到最后一个，没有 F1 下降；{0} 上升最少，{1} 上升最多。",
            ],
            (_, 1..) => [
                "From the first amount to the last the F1 of {0} falls most, and that of {1} rises most.",
                "从第一个取值到最后一个，{0} 的 F1 下降最多，{1} 上升最多。",
            ],
            (_, 0) => [
                "From the first amount to the last the F1 of {0} falls most, and that of {1} does not fall.",
                "从第一个取值到最后一个，{0} 的 F1 下降最多，{1} 没有下降。",
            ],
            _ => [
                "From the first amount to the last the F1 of {0} falls most, and that of {1} falls least.",
                "从第一个取值到最后一个，{0} 的 F1 下降最多，{1} 最少。",
            ],
        };
        LocalisedText::new(words, [told(most), told(least)])
    }

    fn table(&self, systems: &[Vec<Representative<'_>>]) -> Vec<Vec<String>> {
        let header =
            [self.parameter.to_owned(), "dataset".to_owned()].into_iter().chain(systems.iter().map(|s| first_name(s)));
        let row = |(i, (_, amount, dataset)): (usize, &(f64, &str, &str))| {
            let figures = systems.iter().map(|system| six(f1(system[i].row)));
            [(*amount).to_owned(), (*dataset).to_owned()].into_iter().chain(figures).collect()
        };
        std::iter::once(header.collect()).chain(self.points.iter().enumerate().map(row)).collect()
    }

    /// The table for a terminal: a line an amount, a column a system.
    pub fn terminal(&self, summary: &'s Summary, language: Language) -> String {
        let systems = self.systems(summary);
        let names: Vec<String> = systems.iter().map(|system| first_name(system)).collect();
        let mut table = plain_table(std::iter::once(self.parameter).chain(names.iter().map(String::as_str)));
        for (i, (_, amount, _)) in self.points.iter().enumerate() {
            let figures = systems.iter().map(|system| four(f1(system[i].row)));
            table.add_row(std::iter::once((*amount).to_owned()).chain(figures));
        }
        let pages = systems.first().map_or(0, |system| system[0].row.pages);
        let words = ["{0} pages per amount; F1: macro", "每个取值 {0} 个页面；F1：宏平均"];
        let (title, note) = (self.title(), LocalisedText::new(words, [pages.to_string()]));
        let [title, note] = [&title, &note].map(|text| text.in_language(language));
        format!("{title}\n{}\n{note}\n", table_lines(table, 0).join("\n"))
    }
}

fn first_name(system: &[Representative<'_>]) -> String {
    system[0].name().to_string()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::report::examples::{row, summary};
    use crate::runs::summary::MadeOf;

    fn swept(amounts: &[(&str, f64)]) -> Summary {
        let name = |amount: &str| format!("r.links-{amount}");
        let rows = amounts.iter().flat_map(|(amount, score)| {
            [row(&name(amount), "nta", *score), row(&name(amount), "all-text", score / 2.0)]
        });
        let mut summary = summary(rows.collect());
        for (amount, _) in amounts {
            let dials = BTreeMap::from([("links".to_owned(), (*amount).to_owned())]);
            let made_of = Some(MadeOf { recipe: "r".to_owned(), dials });
            let conditions = summary.conditions.datasets.get_mut(&name(amount)).unwrap();
            conditions.made_of = made_of;
        }
        summary
    }

    #[test]
    fn what_rises_is_not_said_to_fall() {
        let sentence =
            |amounts: &[(&str, f64)]| sweeps(&swept(amounts))[0].plot(&swept(amounts)).sentence.english().to_owned();
        let rises = sentence(&[("0", 0.6), ("0.5", 0.9)]);
        assert!(
            rises.contains("no F1 falls; that of all-text (+0.150) rises least, and that of nta (+0.300) rises most")
        );
        let falls = sentence(&[("0", 0.9), ("0.5", 0.6)]);
        assert!(
            falls.contains("nta (\u{2212}0.300) falls most, and that of all-text (\u{2212}0.150) falls least"),
            "{falls}"
        );
    }

    #[test]
    fn a_noise_parameter_is_an_axis_and_each_algorithm_a_curve() {
        let summary = swept(&[("0.5", 0.6), ("0", 0.9), ("0.10", 0.8)]);
        let sweeps = sweeps(&summary);
        assert_eq!(sweeps.len(), 1);
        let plot = sweeps[0].plot(&summary);
        assert_eq!(plot.curves[0].line, [(0.0, 0.9), (0.1, 0.8), (0.5, 0.6)]);
        assert_eq!(plot.curves.len(), 2);
        assert_eq!(plot.subtitle.english(), "2 systems; links from 0 to 0.5");
        assert_eq!(
            plot.sentence.english(),
            "From the first amount to the last the F1 of nta (\u{2212}0.300) falls most, and that of all-text (\u{2212}0.150) falls least."
        );
        assert_eq!(plot.table[2][..3], ["0.10", "r.links-0.10", "0.800000"]);
        let table = sweeps[0].terminal(&summary, Language::English);
        assert!(table.contains("0.10") && table.contains("0.8000"), "{table}");
    }

    #[test]
    fn one_amount_is_no_sweep() {
        assert!(sweeps(&swept(&[("0.5", 0.6)])).is_empty());
    }
}
