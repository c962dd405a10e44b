//! `carat reproduce`.

mod benchmarks;
mod drawn;

use std::path::{Path, PathBuf};

use crate::datasets::locate::{EMBEDDED, corpora};
use crate::decisions::claims::drawn::Drawn;
use crate::decisions::claims::readings::{Readings, readings};
use crate::decisions::claims::{Evidence, Judged, judge};
use crate::papers::{PAPERS, Paper};
use crate::report::papers::{DrawnCurve, PaperRun, PaperTable, figures, tables, write};
use crate::report::table_format::{four, plain_table, table_lines};
use crate::report::{self, MOST_PAGES, conditions};
use crate::runs::configuration::{Configuration, NamedRequest, filter};
use crate::runs::folder::{Claim, look};
use crate::runs::folder_error::FolderError;
use crate::runs::page_facts::{Counted, Facts, page_facts};
use crate::runs::plan::Plan;
use crate::runs::score_table::ScoreFiles;
use crate::statistics::Sampling;
use serde::Serialize;

use crate::command_line::arguments::{self, PaperName, VerdictFormat};
use crate::command_line::compare::{interval, p_value, signed};
use crate::command_line::failure::Failure;
use crate::command_line::making::{Making, executable_digest, make, report_anew};
use crate::command_line::output::{print, print_json, tell};
use crate::command_line::threads::on_threads;
use crate::command_line::{planning, run};
use crate::formats::code::Exit;
use crate::formats::shell::shell_word;

/// The corpora that are taken where no dataset is named and `CARAT_CORPORA` has them.
const CORPORA: [&str; 4] = ["daniel", "chinese-handcrafted", "article-extraction-benchmark", "clean-portal-eval"];

/// Runs the papers' experiments and tells which of their claims hold.
pub(crate) fn reproduce(arguments: arguments::Reproduce) -> Result<(), Failure> {
    on_threads(arguments.threads, || reproduce_here(&arguments))
}

fn reproduce_here(arguments: &arguments::Reproduce) -> Result<(), Failure> {
    if arguments.paper == PaperName::Benchmarks {
        return benchmarks::reproduce_benchmarks(arguments);
    }
    let papers = PAPERS.iter().filter(|paper| is_meant(arguments.paper, paper));
    // A folder that is taken is told before the papers in front of it are run.
    let planned: Vec<(&Paper, Plan)> =
        papers.map(|paper| Ok((paper, planned(arguments, paper)?))).collect::<Result<_, Failure>>()?;
    let mut counted = Counted::default();
    let tried = planned.into_iter().map(|(paper, plan)| try_paper(arguments, paper, plan, &mut counted));
    let tried: Vec<Tried> = tried.collect::<Result<_, _>>()?;
    match arguments.format {
        VerdictFormat::Json => print_json(&serde_json::json!({ "papers": tried })),
        VerdictFormat::Md => print(&tried.iter().map(Tried::markdown).collect::<Vec<_>>().join("\n")),
        VerdictFormat::Text => print(&tried.iter().map(Tried::terminal).collect::<Vec<_>>().join("\n")),
    }
}

fn is_meant(name: PaperName, paper: &Paper) -> bool {
    match name {
        PaperName::All => true,
        PaperName::Benchmarks => false,
        PaperName::Nta => paper.name == "nta",
        PaperName::Cevc => paper.name == "cevc",
        PaperName::Istm => paper.name == "istm",
        PaperName::Relevance => paper.name == "relevance",
        PaperName::Systems => paper.name == "systems",
    }
}

/// A paper that was tried.
#[derive(Serialize)]
struct Tried {
    paper: &'static str,
    title: &'static str,
    folder: PathBuf,
    datasets: Vec<OnDataset>,
}

/// What came out on a dataset.
#[derive(Serialize)]
struct OnDataset {
    dataset: String,
    conditions: String,
    claims: Vec<Judged>,
    readings: Option<Readings>,
    /// A threshold read off a curve of drawn pages, where the paper comes to it in this way.
    drawn: Option<Drawn>,
}

/// The plan of `paper` on the pages that are asked for, whose folder it may have.
fn planned(arguments: &arguments::Reproduce, paper: &Paper) -> Result<Plan, Failure> {
    let folder = arguments.out.join(paper.name);
    planning::refuse_around_runs(&folder)?;
    let asked = configuration(arguments, paper.file, paper.configuration)?;
    planned_in(arguments, asked, &folder.join("run"))
}

/// The plan of `configuration`, of which `folder` may hold the run and no other.
fn planned_in(arguments: &arguments::Reproduce, configuration: Configuration, folder: &Path) -> Result<Plan, Failure> {
    let plan = planning::planned(configuration)?;
    planning::refuse_among_pages(&plan, Some(folder))?;
    if !arguments.fresh
        && let Err(FolderError::AnotherPlan { path }) = look(folder, &plan, executable_digest(), !arguments.no_texts)
    {
        let (path, other) = (path.display(), shell_word(&format!("{}-2", arguments.out.display())));
        return Err(Failure::request(format!(
            "{path} holds the run of another configuration: choose another folder with --out, such as --out {other}, or replace \
             that run with --fresh"
        )));
    }
    Ok(plan)
}

/// Tries `paper` by the run that is planned, where `counted` holds what was counted so far.
fn try_paper(
    arguments: &arguments::Reproduce,
    paper: &'static Paper,
    plan: Plan,
    counted: &mut Counted,
) -> Result<Tried, Failure> {
    let folder = arguments.out.join(paper.name);
    let run = made(arguments, paper, plan, &folder.join("run"), counted)?;
    let of_drawn = match &paper.drawn {
        Some(request) => drawn::try_drawn(arguments, paper, request, &run, &folder, counted)?,
        None => None,
    };
    let no_facts = Facts::new();
    let sampling = Sampling { seed: arguments.seed, ..Sampling::default() };
    let on_dataset = |dataset: &str| {
        let facts = run.facts.get(dataset).unwrap_or(&no_facts);
        let evidence = Evidence::new(dataset, &run.summary, &run.scores, &run.sweeps, facts, sampling);
        OnDataset {
            dataset: dataset.to_owned(),
            conditions: conditions::line(&run.summary, dataset),
            claims: paper.claims().map(|claim| judge(&evidence, paper.known().aggregate, claim)).collect(),
            readings: paper.algorithm.and_then(|algorithm| readings(&evidence, algorithm)),
            drawn: of_drawn.as_ref().and_then(|of_drawn| of_drawn.on(dataset)).cloned(),
        }
    };
    let datasets = run.datasets().map(on_dataset).collect();
    let tried = Tried { paper: paper.name, title: &paper.known().title, folder, datasets };
    let values = of_drawn.as_ref().map(drawn::OfDrawn::values).unwrap_or_default();
    let curve = of_drawn.as_ref().map(|of_drawn| DrawnCurve { run: &of_drawn.run, values: &values });
    let figures = figures(&run, curve.as_ref()).map_err(|message| Failure::new(Exit::Data, message))?;
    let all: Vec<PaperTable> = tried.tables().into_iter().chain(tables(&run)).collect();
    let language = report::language_in(&tried.folder.join("run"));
    for warning in write(&Claim::of(&tried.folder)?, &all, &figures, language)? {
        tell(&format!("warning: {warning}"));
    }
    Ok(tried)
}

/// The run of `plan` in `folder`, made if it is not there.
fn made(
    arguments: &arguments::Reproduce,
    paper: &'static Paper,
    mut plan: Plan,
    folder: &Path,
    counted: &mut Counted,
) -> Result<PaperRun, Failure> {
    let making = Making {
        fresh: arguments.fresh,
        with_texts: !arguments.no_texts,
        with_cache: true,
        with_report: true,
        report_pages: MOST_PAGES,
        scores: ScoreFiles::default(),
        language: arguments.lang,
    };
    match make(&mut plan, folder, &making)? {
        Some((_, info)) => run::tell_notes(&info),
        None => {
            tell(&run::holds_already(folder, &plan));
            report_anew(folder, &making)?;
        }
    }
    let takes_counts = paper.claims().any(|claim| claim.form.takes_counts());
    let facts = page_facts(&plan, takes_counts.then_some(counted))?;
    Ok(PaperRun::read(paper, folder, facts)?)
}

/// The configuration `yaml` over the datasets and pages that are asked for.
fn configuration(arguments: &arguments::Reproduce, file: &str, yaml: &str) -> Result<Configuration, Failure> {
    let mut configuration = Configuration::from_yaml(file, yaml)?;
    let names = if arguments.datasets.is_empty() { at_hand() } else { arguments.datasets.clone() };
    configuration.datasets = names.iter().map(|name| NamedRequest::from_argument(name)).collect();
    for argument in &arguments.filters {
        let (key, value) = filter(argument)?;
        configuration.filters.insert(key, value);
    }
    configuration.keep_going |= arguments.loading.keep_going;
    configuration.gold_outside = arguments.loading.trust.gold_outside;
    Ok(configuration)
}

/// The embedded pages, and the corpora that are there.
fn at_hand() -> Vec<String> {
    let folder = corpora();
    let is_there = |name: &&str| folder.as_deref().is_some_and(|folder: &Path| folder.join(name).is_dir());
    [EMBEDDED].into_iter().chain(CORPORA.into_iter().filter(is_there)).map(str::to_owned).collect()
}

impl Tried {
    /// Claims of all datasets, then readings of all, then what was read off drawn pages.
    fn tables(&self) -> Vec<PaperTable> {
        let drawn = self.datasets.iter().filter_map(|on| on.drawn.as_ref()).collect::<Vec<_>>();
        let drawn = (!drawn.is_empty()).then(|| drawn::table(self.paper, self.title, &drawn, self.conditions()));
        let readings = self.datasets.iter().any(|on| on.readings.is_some()).then(|| self.readings());
        [self.claims()].into_iter().chain(readings).chain(drawn).collect()
    }

    fn claims(&self) -> PaperTable {
        let row = |on: &OnDataset, judged: &Judged| {
            let texts = [on.dataset.as_str(), judged.id, judged.words, &judged.place, judged.verdict.name()];
            texts.map(str::to_owned).into_iter().chain([judged.figures()]).collect()
        };
        let rows = self.datasets.iter().flat_map(|on| on.claims.iter().map(move |judged| row(on, judged)));
        PaperTable {
            stem: "claims".to_owned(),
            title: format!("Claims of {}, on the pages at hand", self.title),
            pages_of: None,
            // Figures name sites.
            names: &[0, 5],
            header: ["dataset", "claim", "words", "where", "verdict", "figures"].map(str::to_owned).to_vec(),
            right: 6,
            rows: rows.collect(),
            notes: CLAIM_NOTES.map(str::to_owned).to_vec(),
            conditions: self.conditions(),
        }
    }

    fn readings(&self) -> PaperTable {
        let known = self.datasets.iter().filter_map(|on| Some((on, on.readings.as_ref()?)));
        let rows = known.flat_map(|(on, of)| of.readings.iter().map(|reading| cells(&on.dataset, reading)));
        PaperTable {
            stem: "readings".to_owned(),
            title: format!("Readings of {}, each against the defaults", self.title),
            pages_of: None,
            names: &[0, 1, 2],
            header: READING_COLUMNS.map(str::to_owned).to_vec(),
            right: 3,
            rows: rows.collect(),
            notes: READING_NOTES.map(str::to_owned).to_vec(),
            conditions: self.conditions(),
        }
    }

    fn conditions(&self) -> Vec<String> {
        self.datasets.iter().map(|on| format!("{}: {}", on.dataset, on.conditions)).collect()
    }

    fn markdown(&self) -> String {
        self.tables().iter().map(PaperTable::markdown).collect::<Vec<_>>().join("\n")
    }

    fn terminal(&self) -> String {
        let mut text = String::new();
        for on in &self.datasets {
            text += &format!("{} on {}: claims of {}\n", self.paper, on.dataset, self.title);
            for judged in &on.claims {
                text += &format!("  {:<17}  {}: {}\n", judged.verdict.name(), judged.id, judged.words);
                if judged.ours.is_some() {
                    text += &format!("  {:<17}  said by {}\n", "", judged.place);
                }
                text += &format!("  {:<17}  {}\n", "", judged.figures());
            }
            if let Some(of) = &on.readings {
                text += &format!(
                    "{} on {}: readings, each against the defaults (F1 {})\n",
                    self.paper,
                    on.dataset,
                    four(of.default.point)
                );
                let mut table = plain_table(READING_COLUMNS[1..].iter().copied());
                for reading in &of.readings {
                    table.add_row(&cells(&on.dataset, reading)[1..]);
                }
                text += &format!("{}\n", table_lines(table, 2).join("\n"));
            }
            text.extend(on.drawn.as_ref().map(|drawn| drawn::terminal(self.paper, drawn)));
            text += &format!("{}\n\n", on.conditions);
        }
        let path = |part: &str| self.folder.join(part).display().to_string();
        let figures = if self.folder.join("figures").is_dir() {
            format!(", figures in {}", path("figures"))
        } else {
            String::new()
        };
        text + &format!("tables in {}{figures}, the run in {}\n", path("tables"), path("run"))
    }
}

const READING_COLUMNS: [&str; 8] =
    ["dataset", "reading", "default", "F1", "difference", "95 % interval", "p corrected", "verdict"];

fn cells(dataset: &str, reading: &crate::decisions::claims::readings::Reading) -> Vec<String> {
    vec![
        dataset.to_owned(),
        format!("{}={}", reading.parameter, reading.value),
        reading.default.clone(),
        four(reading.f1),
        signed(reading.difference.point),
        interval(&reading.difference, signed),
        p_value(reading.p),
        reading.verdict.name().to_owned(),
    ]
}

/// What must be known to read claims.
const CLAIM_NOTES: [&str; 6] = [
    "the pages are others than the papers', which are not available: a verdict is of these pages, and no figure reproduces a printed one",
    "value: holds where the 95 % interval by site lies within the tolerance, fails where it lies outside; greater in the mean: holds or fails \
     where the sign-flip test by site reaches 0.05, corrected by Holm within the claim, and with a margin holds where the interval lies above it \
     too, fails where it lies below; of two groups of pages: where the interval excludes 0, the sites of each group being drawn by themselves, also those that both have",
    "at least: holds where all of the interval is, fails where none of it is; differs: holds where one interval lies outside and its test reaches \
     0.05, fails where all lie inside; lower on some pages: both against the other pages and against the other system there",
    "reads_gold: the row was made with gold of other pages; it is judged here, and never ranked among those that read none",
    "on each site: the sites' means are counted, not tested: one lost site refutes the claim; curves are exact, and are not tested",
    "not separable: these pages do not tell; not testable here: no run could",
];

/// What must be known to read readings.
const READING_NOTES: [&str; 2] = [
    "F1 is the mean over pages, the difference that less the defaults'; intervals by site, p by sign flips of sites, corrected by Holm for the \
     number of readings that extract other texts than the defaults",
    "better, worse: p corrected at most 0.05; same: else, and the interval within 0.005 of zero; settings that the paper sweeps are in the curves",
];
