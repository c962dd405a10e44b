//! `carat tune`.

use std::path::Path;

use crate::decisions::tune::{Advice, Choice, Fold, Rows, Spread, Test, Tuned, TunedSystem, check, tune as tuned};
use crate::formats::files::write_atomically;
use crate::report::MOST_PAGES;
use crate::report::conditions;
use crate::report::table_format::{four, plain_table, table_lines};
use crate::runs::candidates::{Tunable, candidates};
use crate::runs::configuration::tuning::{Search, TuningRequest};
use crate::runs::pages::read_scores;
use crate::runs::plan::Plan;
use crate::runs::run_folder::RunFolder;
use crate::runs::score_sums::ScoreSums;
use crate::runs::score_table::ScoreFiles;
use crate::runs::separation::{Separation, TooFewSites};
use crate::runs::settings::read_settings;
use crate::runs::summary::Summary;
use crate::runs::units::Units;
use crate::statistics::{Aggregate, Correction, Estimate, Figure, Interval, MOST_TESTED, Sampling};
use crate::text::counted;
use serde_json::{Map, Value as Json, json};

use crate::command_line::arguments::{self, Format};
use crate::command_line::compare::{interval, signed};
use crate::command_line::failure::Failure;
use crate::command_line::making::{Making, executable_digest, make};
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
    score(&mut plan, &out, arguments.fresh)?;
    let units = Units::new(&out, &plan, &executable_digest(), false)?;
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
        Ok::<_, Failure>(tuned(plan.datasets[place].name(), &pages, &systems, rows, &request, &sampling)?)
    };
    let datasets = (0..plan.datasets.len()).map(of_dataset).collect::<Result<Vec<_>, _>>()?;
    let telling = Telling { request: &request, sampling: &sampling, summary: &summary };
    let json = telling.json(&datasets);
    let mut file = serde_json::to_vec_pretty(&json).unwrap_or_default();
    file.push(b'\n');
    write_atomically(&out.join("tuning.json"), &file)?;
    match arguments.format {
        Format::Text => print(&telling.text(&datasets)),
        Format::Json => print_json(&json),
    }
}

/// Runs every page under every setting, unless that was done.
fn score(plan: &mut Plan, out: &Path, fresh: bool) -> Result<(), Failure> {
    match make(
        plan,
        out,
        &Making {
            fresh,
            with_texts: false,
            with_cache: true,
            with_report: true,
            report_pages: MOST_PAGES,
            scores: ScoreFiles::default(),
            language: None,
        },
    )? {
        None => tell(&format!("{} holds every score already; --fresh makes them again", out.display())),
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

    fn text(&self, datasets: &[Tuned]) -> String {
        let mut text: String = datasets.iter().map(|dataset| self.dataset(dataset)).collect();
        text.push_str("what this advises, to be pasted into a configuration:\nalgorithms:\n");
        for dataset in datasets {
            for system in &dataset.systems {
                let Some(choice) = &system.choice else { continue };
                let keeps_default = choice.advice == Advice::KeepTheDefault;
                let (figure, on) = match keeps_default {
                    true => (&choice.under_default, "at its default, on all pages"),
                    false => (&system.unseen, "on pages of other sites"),
                };
                text.push_str(&format!(
                    "  # {}: {} {}{} {on}\n  {}\n",
                    dataset.dataset,
                    self.request.objective,
                    four(figure.point),
                    in_brackets(figure),
                    choice.advised
                ));
            }
        }
        text
    }

    fn dataset(&self, tuned: &Tuned) -> String {
        let folds = if tuned.folds == tuned.sites {
            "each site held out".to_owned()
        } else {
            format!("{} folds of whole sites", tuned.folds)
        };
        let Tuned { dataset, pages, sites, .. } = tuned;
        let mut text = format!(
            "{dataset}: {} of {pages} pages of {sites} sites, {folds}\n{}\n",
            self.request.objective,
            self.systems(tuned)
        );
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
        let mut table = plain_table(["system", "on other sites", "95 % interval", "less the best", "95 % interval"]);
        for system in &tuned.systems {
            let behind = &system.behind_best;
            let is_best = std::ptr::eq(system, &tuned.systems[tuned.best]);
            let [behind, of_behind] =
                if is_best { ["-".to_owned(), "-".to_owned()] } else { [signed(-behind.point), turned(behind)] };
            table.add_row(vec![
                system.name.clone(),
                four(system.unseen.point),
                interval(&system.unseen, four),
                behind,
                of_behind,
            ]);
        }
        table_lines(table, 1).join("\n")
    }

    fn choice(&self, system: &TunedSystem, choice: &Choice) -> String {
        let mut text =
            format!("\n{}: {} settings; best on all pages: {}\n", system.name, choice.settings, pairs(&choice.chosen));
        let mut line = |what: &str, figure: String| text.push_str(&format!("  {what:26}{figure}\n"));
        let figure = |estimate: &Estimate| format!("{}{}", four(estimate.point), in_brackets(estimate));
        let difference = |estimate: &Estimate| format!("{} ({})", signed(estimate.point), interval(estimate, signed));
        line("on all pages", figure(&choice.naive));
        line("on other sites' pages", figure(&system.unseen));
        line("optimism", difference(&choice.optimism));
        if let (Some(floor), Some((_, least))) = (&system.unseen_floor, self.request.objective.floor) {
            let unmet = choice.folds.iter().filter(|fold| !fold.keeps_floor).count();
            let unmet = if unmet > 0 {
                format!("; nothing kept it in {unmet} of {} folds", choice.folds.len())
            } else {
                String::new()
            };
            line("floor on other sites", format!("{}, {least} was asked for{unmet}", figure(floor)));
        }
        line("default, on all pages", format!("{} at {}", figure(&choice.under_default), pairs(&choice.default)));
        line("gain over the default", difference(&choice.gain));
        line("chosen in the folds", spreads(&choice.spread));
        line("flat region", flat(choice));
        line("so", verdict(choice).to_owned());
        if let Some(paper) = &choice.paper_cevc {
            line("paper-cevc, drawn once", format!("{} pages: {}", paper.drawn, pairs(&paper.chosen)));
            line("  on them, on all pages", format!("{}, {}", four(paper.on_drawn), figure(&paper.printed)));
            line("  optimism", difference(&paper.optimism));
            line(&format!("  drawn {} times", paper.draws), shortened(&paper.spread));
            let rest = paper.on_rest_over_draws.map_or(String::new(), |figure| {
                format!(", on the rest {} ({})", four(figure.mean), ends(&figure.interval))
            });
            let [drawn, all] = [paper.on_drawn_over_draws, paper.printed_over_draws]
                .map(|figure| format!("{} ({})", four(figure.mean), ends(&figure.interval)));
            line("  mean", format!("on drawn pages {drawn}, on all {all}{rest}"));
        }
        text + &folds(&choice.folds) + "\n"
    }

    /// What must be known to read the figures, a sentence each.
    fn notes(&self, tuned: &Tuned) -> Vec<String> {
        let mut notes = vec![
            "on other sites: each page under what was best on the folds without its site; optimism: what is best on all \
             pages, on all pages, less that; gain: that less the default"
                .to_owned(),
            format!(
                "intervals: percentile, {} resamples of sites, the choices held fast, each for itself and not corrected; seed {}",
                self.sampling.resamples, self.request.seed
            ),
        ];
        notes.splice(1..1, flat_notes(tuned));
        if tuned.too_few_sites {
            notes.push(format!("too few sites: with {} intervals are narrower than they say", tuned.sites));
        }
        notes.extend(too_few_to_tell(tuned));
        notes.push(conditions::line(self.summary, &tuned.dataset));
        notes
    }
}

/// That the sites are too few for the test by which settings are flat, where they are.
fn too_few_to_tell(tuned: &Tuned) -> Option<String> {
    let flat = tuned.systems.iter().filter_map(|system| system.choice.as_ref()?.flat.as_ref());
    let tests = flat.filter_map(|flat| if let Test::AllRows(tests) = flat.test { Some(tests) } else { None }).max()?;
    let few = TooFewSites::of(tuned.sites, tests, Correction::Holm)?;
    Some(format!(
        "too few sites to tell any two settings apart, so all are flat: with {} none of {} can come to 0.05 after the correction \
         for their number; it takes {}",
        counted(few.sites, "site"),
        counted(few.tests, "test"),
        few.fewest
    ))
}

/// By what settings are told apart, a sentence for each test that served.
fn flat_notes(tuned: &Tuned) -> Vec<String> {
    let choices = tuned.systems.iter().filter_map(|system| system.choice.as_ref());
    let mut tests: Vec<Test> = choices.filter_map(|choice| Some(choice.flat.as_ref()?.test)).collect();
    tests.dedup();
    let sentence = |test: &Test| {
        match test {
        Test::AllRows(tests) => format!(
            "flat: not separable from the best by the test of carat compare, which corrects for all {} of rows (Holm)",
            counted(*tests, "pair")
        ),
        Test::OwnRows => format!(
            "flat: not separable from the best by the test of carat compare of these settings alone, because there are more than {MOST_TESTED} rows"
        ),
        Test::Band => "flat: not separable from the best by a simultaneous band, because pieces of exact sweeps and figures that are no means over pages have no test of rows".to_owned(),
    }
    };
    let mut sentences: Vec<String> = tests.iter().map(sentence).collect();
    sentences.dedup();
    sentences
}

/// What the figures come to.
fn verdict(choice: &Choice) -> &'static str {
    let is_flat = choice.flat.as_ref().is_some_and(|flat| flat.holds_default);
    match choice.advice {
        Advice::NothingKeepsTheFloor => "nothing keeps the floor on all pages; what comes nearest to it was chosen",
        Advice::DefaultMissesTheFloor => "do not keep the default: it misses the floor",
        Advice::Choose if is_flat => {
            "choosing is worth it: the gain's interval lies above zero; with the correction for all pairs, the default is not \
             separable from the best"
        }
        Advice::Choose => "choosing is worth it: the gain's interval lies above zero",
        Advice::KeepTheDefault => {
            "keep the default: it is not separable from the best, and the gain's interval is not above zero"
        }
        Advice::BetterHereOnly => {
            "the default is behind the best here, but the gain's interval is not above zero: choose if other pages are like these"
        }
    }
}

/// A table of the folds; of many, the first.
fn folds(folds: &[Fold]) -> String {
    const SHOWN: usize = 20;
    let mut table = plain_table(["fold", "chosen on the others", "on the others", "on its own", "pages", "sites"]);
    for (number, fold) in folds.iter().enumerate().take(SHOWN) {
        let figures = [four(fold.training), four(fold.held_out), fold.pages.to_string(), fold.sites.to_string()];
        let cells = [(number + 1).to_string(), pairs(&fold.chosen)];
        table.add_row(cells.into_iter().chain(figures).collect::<Vec<_>>());
    }
    let mut lines = table_lines(table, 2);
    if folds.len() > SHOWN {
        lines.push(format!("and {} more folds, in tuning.json", folds.len() - SHOWN));
    }
    lines.join("\n")
}

fn flat(choice: &Choice) -> String {
    const SHOWN: usize = 9;
    let Some(flat) = &choice.flat else { return "no setting keeps the floor".to_owned() };
    let mut parts = flat.parts.iter().take(SHOWN).cloned().collect::<Vec<_>>().join("; ");
    if flat.parts.len() > SHOWN {
        parts.push_str(&format!("; and {} more, in tuning.json", flat.parts.len() - SHOWN));
    }
    let default = if flat.holds_default { "with the default" } else { "without the default" };
    format!("{} of {} looked at, {default}: {parts}", flat.flat, flat.looked_at)
}

/// `0.9 x3, 0.95 x7` for each parameter.
fn spreads(spreads: &[Spread]) -> String {
    let of = |Spread { parameter, values }: &Spread| {
        let values: Vec<String> = values.iter().map(|(value, count)| format!("{value} x{count}")).collect();
        format!("{parameter} {}", values.join(", "))
    };
    spreads.iter().map(of).collect::<Vec<_>>().join("; ")
}

/// The ends of each parameter's values, and the commonest.
fn shortened(spreads: &[Spread]) -> String {
    let of = |Spread { parameter, values }: &Spread| {
        let commonest = values.iter().rev().max_by_key(|(_, count)| *count);
        let end = |value: Option<&(String, usize)>| value.map_or("", |(value, _)| value).to_owned();
        let (low, high) = (end(values.first()), end(values.last()));
        match commonest {
            Some((value, count)) => format!("{parameter} {low} .. {high}, {count} times {value}"),
            None => parameter.clone(),
        }
    };
    spreads.iter().map(of).collect::<Vec<_>>().join("; ")
}

fn pairs(values: &Map<String, Json>) -> String {
    let pairs = values.iter().map(|(name, value)| format!("{name}={}", value.as_str().unwrap_or_default()));
    pairs.collect::<Vec<_>>().join(",")
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
