//! `carat tune`.

use std::path::Path;

use crate::decisions::tune::{
    Advice, Choice, Fold, OverDraws, PaperCevc, Rows, Spread, Test, Tuned, TunedSystem, check, tune as tuned,
};
use crate::formats::files::write_atomically;
use crate::report::language::Language;
use crate::report::localised_text::LocalisedText;
use crate::report::table_format::{four, plain_table, table_lines};
use crate::report::{self, MOST_PAGES, conditions};
use crate::runs::candidates::{Tunable, candidates};
use crate::runs::configuration::tuning::{Search, TuningRequest};
use crate::runs::pages::read_scores;
use crate::runs::plan::Plan;
use crate::runs::run_folder::{RunFolder, RunInfo};
use crate::runs::score_sums::ScoreSums;
use crate::runs::score_table::ScoreFiles;
use crate::runs::separation::{Separation, TooFewSites};
use crate::runs::settings::read_settings;
use crate::runs::summary::{FLAT_SAMPLING, Summary, SummaryRow};
use crate::runs::units::Units;
use crate::statistics::{Aggregate, Correction, Estimate, Figure, Interval, MOST_TESTED, Sampling};
use serde_json::{Map, Value as Json, json};
use unicode_width::UnicodeWidthStr;

use crate::command_line::arguments::{self, Format};
use crate::command_line::compare::{interval, signed};
use crate::command_line::failure::Failure;
use crate::command_line::making::{Making, executable_digest, make, report_anew};
use crate::command_line::output::{print, print_json, tell};
use crate::command_line::planning::{planned, refuse_among_pages};
use crate::command_line::run::{closing_lines, drop_readers_of_gold, one_measure, read_configuration, tell_notes};
use crate::command_line::threads::on_threads;

/// Runs every setting, chooses, and prints what the choice is worth.
pub(crate) fn tune(arguments: arguments::Tune) -> Result<(), Failure> {
    on_threads(arguments.threads, || tune_here(&arguments))
}

/// The same, on the current pool of threads.
fn tune_here(arguments: &arguments::Tune) -> Result<(), Failure> {
    let mut configuration = read_configuration(&arguments.config)?;
    configuration.keep_going |= arguments.loading.keep_going;
    configuration.gold_outside = arguments.loading.trust.gold_outside;
    one_measure(&configuration, "tune")?;
    // Nothing is chosen among what saw gold.
    drop_readers_of_gold(&mut configuration)?;
    let asked = &configuration.tuning;
    let request = TuningRequest {
        protocol: arguments.protocol.unwrap_or(asked.protocol),
        folds: arguments.folds.or(asked.folds),
        seed: arguments.seed.unwrap_or(asked.seed),
        objective: arguments.objective.unwrap_or(asked.objective),
        search: asked.search,
    };
    let sampling = Sampling { seed: request.seed, resamples: arguments.resamples, ..Sampling::default() };
    let (configuration, candidates) = candidates(&configuration, &request)?;
    let mut plan = planned(configuration)?;
    check(&plan, &request)?;
    let mut tunables: Vec<Tunable> =
        candidates.into_iter().map(|candidate| candidate.find_in(&plan)).collect::<Result<_, _>>()?;
    tunables.extend(Tunable::of_others(&plan));
    refuse_among_pages(&plan, arguments.out.as_deref())?;
    let default_out = || Path::new("reports").join(format!("{}-tuning", plan.configuration.name));
    let out = arguments.out.clone().unwrap_or_else(default_out);
    score(&mut plan, &out, arguments)?;
    let units = Units::new(&out, &plan, executable_digest(), false)?;
    let run = RunFolder::open(&out)?;
    let (summary, scores) = (run.summary()?, read_scores(&run)?);
    let Figure(aggregate, part) = request.objective.figure;
    let scores = ScoreSums::of(&summary, &scores);
    let separation = (aggregate == Aggregate::Macro).then(|| Separation::of(&summary, &scores, part));
    let rows = separation.as_ref().map(|separation| Rows { summary: &summary, scores: &scores, separation });
    let of_dataset = |place: usize| {
        let tunables: Vec<&Tunable> = tunables.iter().filter(|tunable| tunable.is_of(&plan, place)).collect();
        let (pages, settings) = read_settings(&plan, &units, place, &tunables)?;
        let systems: Vec<_> = tunables.iter().map(|tunable| &tunable.candidate).zip(settings).collect();
        let tuned = tuned(plan.datasets[place].name(), &pages, &systems, rows, &request, &sampling);
        tuned.map_err(|error| after_giving_up(error.into(), run.info()))
    };
    let datasets = (0..plan.datasets.len()).map(of_dataset).collect::<Result<Vec<_>, _>>()?;
    let language = report::language_in(&out);
    let telling = Telling { request: &request, sampling: &sampling, summary: &summary, language };
    let json = telling.json(&datasets);
    let mut file = serde_json::to_vec_pretty(&json).unwrap_or_default();
    file.push(b'\n');
    write_atomically(&out.join("tuning.json"), &file)?;
    match arguments.format {
        Format::Text => print(&telling.text(&datasets)),
        Format::Json => print_json(&json),
    }
}

/// The failure, after the reason for which a program was given up: pages that it was not run on count in no row.
fn after_giving_up(failure: Failure, info: &RunInfo) -> Failure {
    let Some(reason) = info.given_up.values().next() else { return failure };
    let sentence = failure.sentence();
    Failure::new(
        failure.kind,
        format!("{reason}; settings are compared on pages that every one was run on: {sentence}"),
    )
}

/// Runs every page under every setting, unless that was done.
fn score(plan: &mut Plan, out: &Path, arguments: &arguments::Tune) -> Result<(), Failure> {
    let making = Making {
        fresh: arguments.fresh,
        with_texts: false,
        with_cache: true,
        with_report: true,
        report_pages: MOST_PAGES,
        scores: ScoreFiles::default(),
        language: arguments.lang,
    };
    match make(plan, out, &making)? {
        None => {
            tell(&format!("{} holds every score already; --fresh makes them again", out.display()));
            report_anew(out, &making)?;
        }
        Some((results, info)) => {
            tell_notes(&info);
            closing_lines(plan, &results.summary, &info, out).iter().for_each(|line| tell(line));
        }
    }
    Ok(())
}

/// What stands around the figures.
struct Telling<'r> {
    request: &'r TuningRequest,
    sampling: &'r Sampling,
    summary: &'r Summary,
    language: Language,
}

impl Telling<'_> {
    fn json(&self, datasets: &[Tuned]) -> Json {
        let TuningRequest { protocol, seed, objective, search, .. } = self.request;
        let search = match search {
            Search::Grid => json!("grid"),
            Search::Random(draws) => json!({"random": draws}),
        };
        json!({
            "schema": 1,
            "objective": objective.to_string(),
            "protocol": protocol.to_string(),
            "search": search,
            "seed": seed,
            "sampling": self.sampling,
            "conditions": self.summary.conditions,
            "datasets": datasets,
        })
    }

    /// A text of the catalogue in the language that is asked for.
    fn say(&self, english: &str) -> String {
        self.language.say(english).into_owned()
    }

    /// The same with names and figures in its places.
    fn fill<V: AsRef<str>>(&self, english: &str, values: &[V]) -> String {
        self.language.fill(english, values)
    }

    /// Names and figures in their places of `words`, which are too general for the catalogue.
    fn put<const N: usize>(&self, words: [&str; 2], values: [String; N]) -> String {
        LocalisedText::new(words, values).in_language(self.language).to_owned()
    }

    /// The figure that is maximised, and what must be kept.
    fn objective(&self) -> LocalisedText {
        let objective = &self.request.objective;
        let chinese = |figure: Figure| Language::Chinese.say(&figure.to_string()).into_owned();
        let floor = objective.floor.as_ref().map(|(figure, least)| format!("（{} ≥ {least}）", chinese(*figure)));
        LocalisedText::words([&objective.to_string(), &(chinese(objective.figure) + &floor.unwrap_or_default())])
    }

    fn text(&self, datasets: &[Tuned]) -> String {
        let mut text: String = datasets.iter().map(|dataset| self.dataset(dataset)).collect();
        text.push_str(&self.say("what this advises, to be pasted into a configuration:"));
        text.push_str("\nalgorithms:\n");
        for dataset in datasets {
            for system in &dataset.systems {
                let Some(choice) = &system.choice else { continue };
                let keeps_default = choice.advice.keeps_the_default();
                let (figure, on) = match keeps_default {
                    true => (&choice.under_default, "at its default, on all pages"),
                    false => (&system.unseen, "on pages of other sites"),
                };
                let figure = LocalisedText::name(four(figure.point) + &in_brackets(figure));
                let values = [dataset.dataset.as_str().into(), self.objective(), figure, LocalisedText::said(on)];
                let told = match &system.unseen_floor {
                    Some(floor) if !keeps_default && !system.floor_is_kept => {
                        let missed = LocalisedText::name(four(floor.point));
                        let words =
                            ["{0}: {1} is missed: {2} at {4}, {3}", "{0}：{1} 未达到：为 {2}，下限指标为 {4}，{3}"];
                        let [dataset, objective, figure, on] = values;
                        LocalisedText::new(words, [dataset, objective, figure, on, missed])
                    }
                    _ => LocalisedText::new(["{0}: {1} {2} {3}", "{0}：{1} {2}，{3}"], values),
                };
                text.push_str(&format!("  # {}\n  {}\n", told.in_language(self.language), choice.advised));
            }
        }
        text
    }

    fn dataset(&self, tuned: &Tuned) -> String {
        let Tuned { dataset, pages, sites, folds, .. } = tuned;
        let folds = match folds == sites {
            true => LocalisedText::words(["each site held out", "逐个站点留出"]),
            false => LocalisedText::new(["{0} folds of whole sites", "按整站点分 {0} 折"], [folds.to_string()]),
        };
        let [pages, sites] = [conditions::pages(*pages), conditions::sites(*sites)];
        let title = LocalisedText::new(
            ["{0}: {1} of {2} of {3}, {4}", "{0}：{3}共 {2}的{1}，{4}"],
            [dataset.as_str().into(), self.objective(), pages, sites, folds],
        );
        let mut text = format!("{}\n{}\n", title.in_language(self.language), self.systems(tuned));
        for system in &tuned.systems {
            if let Some(choice) = &system.choice {
                text.push_str(&self.choice(system, choice));
            }
        }
        for note in self.notes(tuned) {
            text.push_str(&format!("{note}\n"));
        }
        text + "\n"
    }

    /// The systems side by side.
    fn systems(&self, tuned: &Tuned) -> String {
        let header = ["system", "on other sites", "95 % interval", "less the best", "95 % interval"];
        let of_floor = self.request.objective.floor.is_some().then_some("minimum on other sites");
        let header: Vec<&str> = header.into_iter().chain(of_floor).collect();
        let mut table = plain_table(header.into_iter().map(|name| self.say(name)).collect::<Vec<_>>());
        for system in &tuned.systems {
            let behind = &system.behind_best;
            let is_best = std::ptr::eq(system, &tuned.systems[tuned.best]);
            let [behind, of_behind] =
                if is_best { ["-".to_owned(), "-".to_owned()] } else { [signed(-behind.point), turned(behind)] };
            let floor = system.unseen_floor.as_ref().map(|floor| match system.floor_is_kept {
                true => four(floor.point),
                false => self.fill("{0}, missed", &[four(floor.point)]),
            });
            let cells =
                [system.name.clone(), four(system.unseen.point), interval(&system.unseen, four), behind, of_behind];
            table.add_row(cells.into_iter().chain(floor).collect::<Vec<_>>());
        }
        table_lines(table, 1).join("\n")
    }

    /// A line of figures behind the words for them.
    fn line(&self, what: &str, figures: &str) -> String {
        const COLUMN: usize = 26;
        let what = self.say(what);
        format!("  {what}{}{figures}\n", " ".repeat(COLUMN.saturating_sub(what.width())))
    }

    fn choice(&self, system: &TunedSystem, choice: &Choice) -> String {
        let chosen = [system.name.clone(), choice.settings.to_string(), pairs(&choice.chosen)];
        let lines = [
            format!("\n{}\n", self.fill("{0}: {1} settings; best on all pages: {2}", &chosen)),
            self.line("on all pages", &with_interval(&choice.naive)),
            self.line("on other sites' pages", &with_interval(&system.unseen)),
            self.line("optimism", &difference(&choice.optimism)),
            self.floor(system, choice).map_or(String::new(), |floor| self.line("minimum on other sites", &floor)),
            self.line(
                "default, on all pages",
                &self.put(
                    ["{0} at {1}", "{0}，设置为 {1}"],
                    [with_interval(&choice.under_default), pairs(&choice.default)],
                ),
            ),
            self.line("gain over the default", &difference(&choice.gain)),
            self.line("chosen in the folds", &spreads(&choice.spread)),
            self.line("flat region", &self.flat(choice)),
            self.line("so", &self.say(verdict(choice))),
            choice.paper_cevc.as_ref().map_or(String::new(), |paper| self.paper_cevc(paper)),
        ];
        lines.concat() + &self.folds(&choice.folds) + "\n"
    }

    /// The floor that the objective asks for, on other sites.
    fn floor(&self, system: &TunedSystem, choice: &Choice) -> Option<String> {
        let (_, least) = self.request.objective.floor.as_ref()?;
        let mut values = vec![with_interval(system.unseen_floor.as_ref()?), least.to_string()];
        let unmet = choice.folds.iter().filter(|fold| !fold.keeps_floor).count();
        if unmet == 0 {
            return Some(self.fill("{0}, {1} was asked for", &values));
        }
        values.extend([unmet, choice.folds.len()].map(|count| count.to_string()));
        Some(self.fill("{0}, {1} was asked for; nothing kept it in {2} of {3} folds", &values))
    }

    /// The outcome of the paper's way of choosing.
    fn paper_cevc(&self, paper: &PaperCevc) -> String {
        let mean = |figure: &OverDraws| format!("{} ({})", four(figure.mean), ends(&figure.interval));
        let mut means = vec![mean(&paper.on_drawn_over_draws), mean(&paper.printed_over_draws)];
        let words = match &paper.on_rest_over_draws {
            None => "on drawn pages {0}, on all {1}",
            Some(rest) => {
                means.push(mean(rest));
                "on drawn pages {0}, on all {1}, on the rest {2}"
            }
        };
        let drawn = [paper.drawn.to_string(), pairs(&paper.chosen)];
        let lines = [
            self.line("paper-cevc, drawn once", &self.put(["{0} pages: {1}", "{0} 页：{1}"], drawn)),
            self.line(
                "  on them, on all pages",
                &format!("{}, {}", four(paper.on_drawn), with_interval(&paper.printed)),
            ),
            self.line("  optimism", &difference(&paper.optimism)),
            self.line(&format!("  drawn {} times", paper.draws), &self.shortened(&paper.spread)),
            self.line("  mean", &self.fill(words, &means)),
        ];
        lines.concat()
    }

    /// What must be known to read the figures, a sentence each.
    fn notes(&self, tuned: &Tuned) -> Vec<String> {
        let mut notes = vec![self.say(
            "on other sites: each page under what was best on the folds without its site; optimism: what is best on all \
             pages, on all pages, less that; gain: that less the default",
        )];
        notes.extend(self.flat_notes(tuned));
        notes.push(self.fill(
            "intervals: percentile, {0} resamples of sites, the choices held fast, each for itself and not corrected; seed {1}",
            &[self.sampling.resamples.to_string(), self.request.seed.to_string()],
        ));
        if tuned.too_few_sites {
            let sites = [tuned.sites.to_string()];
            notes.push(self.fill("too few sites: with {0} intervals are narrower than they should be", &sites));
        }
        let unknown = conditions::pages_as_sites(tuned.pages, tuned.sites, tuned.pages_without_site);
        notes.extend(unknown.map(|words| words.in_language(self.language).to_owned()));
        notes.extend(self.too_few_to_tell(tuned));
        let rows = self.summary.rows.iter().filter(|row| row.dataset == tuned.dataset);
        let lacking: Vec<&SummaryRow> = rows.clone().filter(|row| row.is_ranked() && !row.is_whole()).collect();
        if lacking.iter().all(|row| row.pages == tuned.pages) {
            notes.extend(conditions::left_out(rows).iter().map(|note| note.in_language(self.language).to_owned()));
        } else {
            let words = "{0} was not run on {1} of {2} pages, so it is never chosen";
            notes.extend(lacking.iter().map(|row| {
                let counts = [row.not_run, row.pages + row.not_run].map(|count| count.to_string());
                self.fill(words, &[row.full_label(), counts[0].clone(), counts[1].clone()])
            }));
        }
        notes.push(conditions::told(self.summary, &tuned.dataset).in_language(self.language).to_owned());
        notes
    }

    /// That the sites are too few for the test by which settings are flat, where they are.
    fn too_few_to_tell(&self, tuned: &Tuned) -> Option<String> {
        let flat = tuned.systems.iter().filter_map(|system| system.choice.as_ref()?.flat.as_ref());
        let tests =
            flat.filter_map(|flat| if let Test::AllRows(tests) = flat.test { Some(tests) } else { None }).max()?;
        let few = TooFewSites::of(tuned.sites, tests, Correction::Holm)?;
        let counts = [conditions::sites(few.sites), conditions::tests(few.tests), few.fewest.to_string().into()];
        Some(self.fill(
            "too few sites to tell any two settings apart, so all are flat: with {0} none of {1} can come to 0.05 after the \
             correction for their number; it takes {2}",
            &counts.each_ref().map(|count| count.in_language(self.language)),
        ))
    }

    /// By what settings are told apart, a sentence for each test that served.
    fn flat_notes(&self, tuned: &Tuned) -> Vec<String> {
        let choices = tuned.systems.iter().filter_map(|system| system.choice.as_ref());
        let mut tests: Vec<Test> = choices.filter_map(|choice| Some(choice.flat.as_ref()?.test)).collect();
        tests.dedup();
        let sentence = |test: &Test| {
            match test {
            Test::AllRows(tests) => self.fill(
                "flat: not separable from the best by the test of carat compare, which corrects for all {0} of rows that differ on some page (Holm)",
                &[conditions::pairs(*tests).in_language(self.language)],
            ),
            Test::OwnRows => self.fill(
                "flat: not separable from the best by the test of carat compare of these settings alone, because there are \
                 more than {0} rows",
                &[MOST_TESTED.to_string()],
            ),
            Test::Band => self.fill(
                "flat: not separable from the best by a simultaneous band of {0} draws of sites with seed {1}, because \
                 pieces of exact sweeps and figures that are no means over pages have no test of rows",
                &[FLAT_SAMPLING.resamples.to_string(), FLAT_SAMPLING.seed.to_string()],
            ),
        }
        };
        let mut sentences: Vec<String> = tests.iter().map(sentence).collect();
        sentences.dedup();
        sentences
    }

    /// A table of the folds; of many, the first.
    fn folds(&self, folds: &[Fold]) -> String {
        const SHOWN: usize = 20;
        let header = ["fold", "chosen on the others", "on the others", "on its own", "pages", "sites"];
        let mut table = plain_table(self.language.say_all(header));
        for (number, fold) in folds.iter().enumerate().take(SHOWN) {
            let figures = [four(fold.training), four(fold.held_out), fold.pages.to_string(), fold.sites.to_string()];
            let cells = [(number + 1).to_string(), pairs(&fold.chosen)];
            table.add_row(cells.into_iter().chain(figures).collect::<Vec<_>>());
        }
        let mut lines = table_lines(table, 2);
        if folds.len() > SHOWN {
            lines.push(self.fill("and {0} more folds, in tuning.json", &[(folds.len() - SHOWN).to_string()]));
        }
        lines.join("\n")
    }

    fn flat(&self, choice: &Choice) -> String {
        const SHOWN: usize = 9;
        let Some(flat) = &choice.flat else { return self.say("no setting keeps the minimum") };
        if flat.parts.is_empty() && flat.holds_default {
            let words = "none of {0} looked at: each is separable from the default, which is the best";
            return self.fill(words, &[flat.looked_at.to_string()]);
        }
        let mut parts: Vec<String> = flat.parts.iter().take(SHOWN).cloned().collect();
        if flat.parts.len() > SHOWN {
            parts.push(self.fill("and {0} more, in tuning.json", &[(flat.parts.len() - SHOWN).to_string()]));
        }
        let parts = parts.join(self.language.of(["; ", "；"]));
        let words = match flat.holds_default {
            true => "{0} of {1} looked at, with the default: {2}",
            false => "{0} of {1} looked at, without the default: {2}",
        };
        self.fill(words, &[flat.flat.to_string(), flat.looked_at.to_string(), parts])
    }

    /// The ends of each parameter's values, and the commonest.
    fn shortened(&self, spreads: &[Spread]) -> String {
        let of = |Spread { parameter, values }: &Spread| {
            let commonest = values.iter().rev().max_by_key(|(_, count)| *count);
            let end = |value: Option<&(String, usize)>| value.map_or("", |(value, _)| value).to_owned();
            let (low, high) = (end(values.first()), end(values.last()));
            let range = format!("{parameter} {low} .. {high}");
            match commonest {
                Some((value, count)) => {
                    let values = [range, count.to_string(), value.clone()];
                    self.put(["{0}, {1} times {2}", "{0}，其中 {1} 次为 {2}"], values)
                }
                None => parameter.clone(),
            }
        };
        spreads.iter().map(of).collect::<Vec<_>>().join(self.language.of(["; ", "；"]))
    }
}

/// What the figures come to.
fn verdict(choice: &Choice) -> &'static str {
    let is_flat = choice.flat.as_ref().is_some_and(|flat| flat.holds_default);
    match choice.advice {
        Advice::NothingKeepsTheFloor => "nothing keeps the minimum on all pages; what comes nearest to it was chosen",
        Advice::DefaultMissesTheFloor => "do not keep the default: it misses the minimum",
        Advice::Choose if is_flat => {
            "choosing is worth it: the gain's interval lies above zero; with the correction for all pairs, the default is not \
             separable from the best"
        }
        Advice::Choose => "choosing is worth it: the gain's interval lies above zero",
        Advice::DefaultIsBest => "keep the default: it is the best of these settings on all pages",
        Advice::KeepTheDefault if choice.gain.percentile.is_some_and(|gain| gain.high < 0.0) => {
            "keep the default: the gain's interval lies below zero"
        }
        Advice::KeepTheDefault => {
            "keep the default: it is not separable from the best, and the gain's interval is not above zero"
        }
        Advice::BetterHereOnly => {
            "the default is behind the best here, but the gain's interval is not above zero: choose if other pages are like these"
        }
    }
}

/// `0.9 x3, 0.95 x7` for each parameter.
fn spreads(spreads: &[Spread]) -> String {
    let of = |Spread { parameter, values }: &Spread| {
        let values: Vec<String> = values.iter().map(|(value, count)| format!("{value} x{count}")).collect();
        format!("{parameter} {}", values.join(", "))
    };
    spreads.iter().map(of).collect::<Vec<_>>().join("; ")
}

fn pairs(values: &Map<String, Json>) -> String {
    let pairs = values.iter().map(|(name, value)| format!("{name}={}", value.as_str().unwrap_or_default()));
    pairs.collect::<Vec<_>>().join(",")
}

/// A figure with its interval.
fn with_interval(estimate: &Estimate) -> String {
    four(estimate.point) + &in_brackets(estimate)
}

/// A difference with its interval.
fn difference(estimate: &Estimate) -> String {
    format!("{} ({})", signed(estimate.point), interval(estimate, signed))
}

fn in_brackets(estimate: &Estimate) -> String {
    estimate.percentile.map_or(String::new(), |interval| format!(" ({})", ends(&interval)))
}

fn ends(Interval { low, high }: &Interval) -> String {
    format!("{} .. {}", four(*low), four(*high))
}

/// The interval of the same difference the other way round.
fn turned(estimate: &Estimate) -> String {
    estimate
        .percentile
        .map_or("-".to_owned(), |Interval { low, high }| format!("{} .. {}", signed(-high), signed(-low)))
}
