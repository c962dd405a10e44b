//! The content of the documents of a site.

use crate::decisions::compare::{Compared, ComparedRow};
use crate::decisions::history::DatasetTrends;
use crate::formats::inert::one_line;
use crate::report::conditions;
use crate::report::figures::Figure;
use crate::report::file_stems::Stems;
use crate::report::html::documents::{Cell, Document, Section, Table};
use crate::report::language::Language;
use crate::report::localised_text::LocalisedText;
use crate::report::plot::Plot;
use crate::report::table_format::four;
use crate::runs::summary::SummaryRow;
use crate::statistics::{Interval, MOST_TESTED};

use super::{SiteRun, SiteTable};
use crate::command_line::history::{changes_table, figures as history_figures, values_table};

/// The file that leads to all tables.
pub(super) const HOME: &str = "index.html";

/// The figures of a run that a table of the site shows, by the ends of their names; the first alone is of times.
const SHOWN: [&str; 4] = ["-time", "-algorithms", "-precision-recall", "-spread"];

/// The same figure, whose title and sentence say of which run it is.
fn of_run(plot: Plot, run: &str) -> Plot {
    let title = LocalisedText::new(["{0} (run {1})", "{0}（运行 {1}）"], [plot.title.clone(), run.into()]);
    let sentence = LocalisedText::new(["Run {1}: {0}", "运行 {1}：{0}"], [plot.sentence.clone(), run.into()]);
    Plot { title, sentence: if plot.sentence == LocalisedText::default() { plot.sentence } else { sentence }, ..plot }
}

/// The document of a table. Its figures are added to `figures`.
pub(super) fn table(
    table: &SiteTable<'_>,
    figures: &mut Vec<Figure>,
    stems: &mut Stems,
    language: Language,
) -> Document {
    let summary = &table.runs[0].summary;
    let mut sections = vec![rows(table, language)];
    let mut add = |name: &str, figure: Figure| {
        let stem = stems.give(&[name, &figure.stem]);
        figures.push(Figure { stem, ..figure });
        figures.len() - 1
    };
    let several = table.runs.iter().filter(|run| run.submission.is_none()).count() > 1;
    let mut of_runs = |ends: &[&str]| -> Vec<usize> {
        let own = |run: &SiteRun| -> Vec<Figure> {
            let is_own = |figure: &&Figure| {
                let is_of_dataset = figure.plot.dataset.as_ref().is_none_or(|name| *name == table.dataset);
                is_of_dataset && ends.iter().any(|end| figure.stem.ends_with(end))
            };
            run.figures.iter().filter(is_own).cloned().collect()
        };
        let runs = table.runs.iter().filter(|run| run.submission.is_none());
        runs.flat_map(|run| {
            let name = if several { run.name() } else { "figure".to_owned() };
            // Figures of several runs of a dataset differ in nothing else that is read first.
            let titled = |figure: Figure| match several {
                true => Figure { plot: of_run(figure.plot, &name), ..figure },
                false => figure,
            };
            own(run).into_iter().map(|figure| add(&name, titled(figure))).collect::<Vec<usize>>()
        })
        .collect()
    };
    let (timed, others) = (of_runs(&SHOWN[..1]), of_runs(&SHOWN[1..]));
    sections.push(times(table, timed, language));
    sections.push(Section {
        id: "figures".to_owned(),
        title: language.say("Figures").into_owned(),
        figures: others,
        ..Section::default()
    });
    sections.extend(table.compared.as_ref().ok().map(|compared| pages(compared, language)));
    sections.extend(apart(table, language));
    if let Some(trends) = table.history {
        let drawn = history_figures(std::slice::from_ref(trends));
        let drawn = drawn.into_iter().map(|figure| add("figure", figure)).collect();
        sections.push(history(trends, drawn, language));
    }
    sections.extend(submissions(table, language));
    sections.push(systems(table, language));
    sections.retain(|section| !section.tables.is_empty() || !section.figures.is_empty() || !section.intro.is_empty());
    let of = &summary.conditions;
    let in_both =
        |english: &str, told: LocalisedText| LocalisedText::words([english, told.in_language(Language::Chinese)]);
    let title = LocalisedText::new(
        ["{0}: {1} over {2} tokens", "{0}：{1}，{2}"],
        [
            table.dataset.as_str().into(),
            in_both(&of.measure, conditions::measure(&of.measure)),
            in_both(&of.tokens, conditions::tokens(&of.tokens)),
        ],
    );
    Document {
        title: title.in_language(language).to_owned(),
        home: Some(HOME.to_owned()),
        intro: std::iter::once(conditions::told(summary, &table.dataset).in_language(language).to_owned())
            .chain(conditions::gold_note(summary, &table.dataset))
            .collect(),
        sections,
    }
}

impl SiteRun {
    /// The name of its folder.
    fn name(&self) -> String {
        self.folder.file_name().map_or_else(String::new, |name| one_line(&name.to_string_lossy()))
    }
}

fn interval(interval: Option<Interval>, language: Language) -> String {
    interval.map_or_else(|| "-".to_owned(), |own| language.fill("{0} to {1}", &[own.low, own.high].map(four)))
}

fn texts(cells: impl IntoIterator<Item = String>) -> Vec<Cell> {
    cells.into_iter().map(Cell::from).collect()
}

/// The rows that are compared, in groups.
fn rows(table: &SiteTable<'_>, language: Language) -> Section {
    let title = language.say("Rows").into_owned();
    let section = Section { id: "rows".to_owned(), title, ..Section::default() };
    let compared = match &table.compared {
        Ok(compared) => compared,
        Err(message) => return alone(table, section, message, language),
    };
    let intro = "Rows that share a letter cannot be told apart: their difference may be chance. So there are groups, and no \
                 ranks. The interval shows how far F1 may differ on other sites of the same kind.";
    let cells = |row: &ComparedRow| {
        texts([
            row.name.clone(),
            row.letters.clone(),
            four(row.mean.point),
            interval(row.mean.percentile, language),
            four(row.median),
            row.left_out.to_string(),
        ])
    };
    let own = Table {
        caption: language.fill("{0}: rows in groups", &[&table.dataset]),
        header: language.say_all(["row", "group", "F1", "95 % interval", "median F1", "pages left out"]),
        right: 2,
        rows: compared.rows.iter().map(cells).collect(),
        notes: row_notes(table, compared, language),
    };
    Section { intro: vec![language.say(intro).into_owned()], tables: vec![own], ..section }
}

/// The way in which means, intervals and letters of the rows were made.
fn row_notes(table: &SiteTable<'_>, compared: &Compared, language: Language) -> Vec<String> {
    let words = "Means over the {0} of {1} that every row has. Intervals: 95 %, sites resampled {2} times. Letters: sign flips \
                 of sites, Holm over {3} at 0.05.";
    let resamples = compared.rows.first().map_or(0, |row| row.mean.resamples).to_string();
    let counts = [
        conditions::pages(compared.pages),
        conditions::sites(compared.sites),
        resamples.into(),
        conditions::tests(compared.letter_tests),
    ];
    let mut notes = vec![language.fill(words, &counts.each_ref().map(|count| count.in_language(language)))];
    if compared.too_few_sites {
        let few = "These are too few sites: no test can come to 0.05 after the correction, so no difference can be told. It takes {0}.";
        notes.push(language.fill(few, &[conditions::sites(compared.fewest_sites).in_language(language)]));
    }
    let rows = table.runs.iter().flat_map(|run| &run.summary.rows);
    let settings = rows.filter(|row| row.dataset == table.dataset && row.is_ranked()).count();
    if settings > MOST_TESTED {
        let words = "Of these {0} rows the best one of each algorithm and run stands here: it was chosen on these very pages, so it is \
                     better than it would be on others.";
        notes.push(language.fill(words, &[settings.to_string()]));
    }
    notes
}

/// Rows that are not compared, and why.
fn alone(table: &SiteTable<'_>, section: Section, message: &str, language: Language) -> Section {
    let rows = table.runs.iter().flat_map(|run| &run.summary.rows);
    let rows = rows.filter(|row| row.dataset == table.dataset && row.is_ranked());
    let own = Table {
        caption: language.fill("{0}: rows", &[&table.dataset]),
        header: language.say_all(["row", "pages", "F1"]),
        right: 1,
        rows: rows
            .map(|row| texts([row.full_label(), row.pages.to_string(), four(row.aggregates.macro_.f1)]))
            .collect(),
        notes: Vec::new(),
    };
    let why = language.fill("Rows are not compared: {0}.", &[language.say(message)]);
    Section { intro: vec![why], tables: vec![own], ..section }
}

/// F1 against time.
fn times(table: &SiteTable<'_>, figures: Vec<usize>, language: Language) -> Section {
    let times = table.compared.as_ref().map(|compared| (compared, &compared.times[..])).ok();
    let cells = |(compared, time): (&Compared, &crate::decisions::compare::ComparedTime)| {
        let kind = if time.from_request { "request to reply, with parsing" } else { "choosing, without parsing" };
        let row = &compared.rows[time.row];
        let milliseconds = [time.p50_ms, time.p99_ms].map(|time| format!("{time:.3}"));
        let [half, most] = milliseconds;
        texts([
            row.name.clone(),
            language.say(kind).into_owned(),
            four(row.mean.point),
            half,
            most,
            time.pages.to_string(),
        ])
    };
    let rows: Vec<Vec<Cell>> =
        times.iter().flat_map(|(compared, times)| times.iter().map(move |time| cells((compared, time)))).collect();
    let own = Table {
        caption: language
            .say("Time per page, in milliseconds, as each run measured it on its own machine")
            .into_owned(),
        header: language.say_all(["row", "what is timed", "F1", "p50", "p99", "pages"]),
        right: 2,
        rows,
        notes: Vec::new(),
    };
    let tables = if own.rows.is_empty() { Vec::new() } else { vec![own] };
    let title = language.say("F1 against time").into_owned();
    Section { id: "time".to_owned(), title, tables, figures, ..Section::default() }
}

/// The pages on which rows differ most.
fn pages(compared: &Compared, language: Language) -> Section {
    let name = |place: usize| compared.rows[place].name.clone();
    let rows = compared.differing.iter().map(|page| {
        let ((highest, high), (lowest, low)) = (page.highest, page.lowest);
        texts([page.page.clone(), page.site.clone(), name(highest), name(lowest), four(high), four(low)])
    });
    let own = Table {
        caption: language.say("Pages on which two rows differ most").into_owned(),
        header: language.say_all(["page", "site", "higher", "lower", "F1 of the higher", "F1 of the lower"]),
        right: 4,
        rows: rows.collect(),
        notes: Vec::new(),
    };
    let intro = "The row with the highest mean, and the best row of another algorithm that extracts other texts.";
    let tables = if own.rows.is_empty() { Vec::new() } else { vec![own] };
    Section {
        id: "pages".to_owned(),
        title: language.say("Pages where rows differ").into_owned(),
        intro: vec![language.say(intro).into_owned()],
        tables,
        ..Section::default()
    }
}

/// Rows that read gold, or whose texts carat rendered beside Markdown: they are in no group.
fn apart(table: &SiteTable<'_>, language: Language) -> Option<Section> {
    let why = |row: &SummaryRow| match (row.is_bound(), row.reads_gold.is_some()) {
        (true, _) => "a bound: it sees the gold of the page",
        (_, true) => "learned from the gold of other pages",
        _ => "its texts were rendered by carat, beside texts in Markdown",
    };
    let rows = table.runs.iter().flat_map(|run| run.summary.rows.iter().map(move |row| (run, row)));
    let rows = rows.filter(|(_, row)| row.dataset == table.dataset && !row.is_ranked());
    let cells = |(run, row): (&&SiteRun, &SummaryRow)| {
        let name = if table.runs.len() > 1 { format!("{}/{}", run.name(), row.full_label()) } else { row.full_label() };
        texts([name, language.say(why(row)).into_owned(), row.pages.to_string(), four(row.aggregates.macro_.f1)])
    };
    let own = Table {
        caption: language.say("Rows that are in no group").into_owned(),
        header: language.say_all(["row", "why", "pages", "F1"]),
        right: 2,
        rows: rows.map(cells).collect(),
        notes: Vec::new(),
    };
    (!own.rows.is_empty()).then(|| Section {
        id: "apart".to_owned(),
        title: language.say("Rows that are not compared").into_owned(),
        tables: vec![own],
        ..Section::default()
    })
}

fn history(trends: &DatasetTrends, figures: Vec<usize>, language: Language) -> Section {
    let intro = "Each run is compared with the run before it under equal conditions. A change point is a run in which a row \
                 differs by more than chance.";
    Section {
        id: "history".to_owned(),
        title: language.say("History").into_owned(),
        intro: vec![language.say(intro).into_owned()],
        tables: std::iter::once(values_table(trends, language)).chain(changes_table(trends, language)).collect(),
        figures,
    }
}

fn submissions(table: &SiteTable<'_>, language: Language) -> Option<Section> {
    let own = table.runs.iter().filter_map(|run| Some((run, run.submission.as_ref()?)));
    let rows = own.map(|(run, manifest)| {
        let note = [&manifest.authors, &manifest.note].map(|text| one_line(text)).join(" ");
        texts([run.name(), one_line(&manifest.name), one_line(&manifest.version), note.trim().to_owned()])
    });
    let own = Table {
        caption: language.say("Systems that were handed in").into_owned(),
        header: language.say_all(["run", "system", "version", "as they say"]),
        right: 4,
        rows: rows.collect(),
        notes: vec![language.say("carat scored the outputs that were handed in, and did not make them.").into_owned()],
    };
    (!own.rows.is_empty()).then(|| Section {
        id: "submissions".to_owned(),
        title: language.say("Submissions").into_owned(),
        tables: vec![own],
        ..Section::default()
    })
}

/// Conditions and digests.
fn systems(table: &SiteTable<'_>, language: Language) -> Section {
    let run = |run: &&SiteRun| {
        texts([
            run.name(),
            run.info.carat.clone(),
            run.info.result_digest.clone(),
            run.info.conditions.datasets[&table.dataset].digest.clone(),
        ])
    };
    let runs = Table {
        caption: language.say("Runs").into_owned(),
        header: language.say_all(["run", "carat", "result digest", "dataset digest"]),
        right: 4,
        rows: table.runs.iter().map(run).collect(),
        notes: Vec::new(),
    };
    let rows = table.runs.iter().flat_map(|run| run.summary.rows.iter().map(move |row| (run, row)));
    let rows = rows.filter(|(_, row)| row.dataset == table.dataset);
    let systems = Table {
        caption: language.say("Systems, with every parameter").into_owned(),
        header: language.say_all(["run", "row", "system"]),
        right: 3,
        rows: rows.map(|(run, row)| texts([run.name(), row.full_label(), row.system.clone()])).collect(),
        notes: Vec::new(),
    };
    Section {
        id: "about".to_owned(),
        title: language.say("Conditions and systems").into_owned(),
        tables: vec![runs, systems],
        ..Section::default()
    }
}

/// The document that leads to all tables.
pub(super) fn home(title: Option<&str>, tables: &[SiteTable<'_>], language: Language) -> Document {
    let row = |table: &SiteTable<'_>| {
        let conditions = &table.runs[0].summary.conditions;
        let pages = conditions.datasets.get(&table.dataset).map_or(0, |dataset| dataset.pages);
        let link = Cell { text: table.dataset.clone(), href: Some(encoded(&table.file)) };
        let first = table.compared.as_ref().map_or_else(|_| Vec::new(), first_group);
        let further = first.len().saturating_sub(MOST_NAMED);
        let first = first.into_iter().take(MOST_NAMED).collect::<Vec<_>>().join(", ");
        let first = match further {
            0 => first,
            _ => language.fill("{0} and {1} more", &[first, further.to_string()]),
        };
        let rest = [format!("{} {}", conditions.measure, conditions.tokens), first, pages.to_string()];
        std::iter::once(link).chain(texts(rest)).collect()
    };
    let own = Table {
        caption: language.say("Datasets and measures").into_owned(),
        header: language.say_all(["dataset", "measure", "first group", "pages"]),
        right: 3,
        rows: tables.iter().map(row).collect(),
        notes: vec![language.say(FIRST_GROUP).into_owned()],
    };
    Document {
        title: title.map_or_else(|| language.say(TITLE).into_owned(), one_line),
        home: None,
        intro: vec![language.fill("Made by carat {0}.", &[env!("CARGO_PKG_VERSION")])],
        sections: vec![Section {
            id: "tables".to_owned(),
            title: language.say("Tables").into_owned(),
            tables: vec![own],
            ..Section::default()
        }],
    }
}

/// The title of a site that is given none.
const TITLE: &str = "Content extraction, measured";

const FIRST_GROUP: &str =
    "First group: the rows that share a letter with the highest mean. Their order is that of the means, and no rank.";

/// Rows of a group that are named at most.
const MOST_NAMED: usize = 5;

/// The rows that share a letter with the highest mean.
fn first_group(compared: &Compared) -> Vec<String> {
    let first = compared.rows.first().map(|row| row.letters.clone()).unwrap_or_default();
    let shares = |row: &&ComparedRow| row.letters.chars().any(|letter| first.contains(letter));
    compared.rows.iter().filter(shares).map(|row| row.name.clone()).collect()
}

/// A file's name in an address.
fn encoded(name: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    name.bytes().map(byte).collect()
}
