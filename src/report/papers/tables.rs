//! The papers' tables: CEVC's 1, ISTM's 1 to 3, and what NTA says in its text.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use super::{PaperRun, PaperTable};
use crate::papers::{Table, figure, published, text};
use crate::report::conditions;
use crate::report::file_stems::Stems;
use crate::runs::page_facts::{Facts, Fit, Genre};
use crate::runs::scores::{RowScores, aggregates};
use crate::statistics::Triple;

/// What stands where there is no figure.
const NOTHING: &str = "-";

/// The tables of the run's paper, for every dataset.
pub fn tables(run: &PaperRun) -> Vec<PaperTable> {
    let mut stems = Stems::default();
    let of_paper = |table: &&Table| table.source == run.paper.source;
    let tables: Vec<&Table> = published().tables.iter().filter(of_paper).collect();
    let mut made = Vec::new();
    for dataset in run.datasets() {
        for table in &tables {
            let Some(layout) = Layout::of(table) else { continue };
            let shown = Shown { run, dataset, table, layout };
            let stem = stems.give(&[dataset, &table.id]);
            made.push(if layout.by_site { shown.by_site(stem) } else { shown.by_system(stem) });
        }
    }
    made
}

/// How a printed table is laid out.
#[derive(Clone, Copy)]
struct Layout {
    /// Whether its rows are sites, and its columns systems; else its rows are systems.
    by_site: bool,
    systems: &'static [&'static str],
    parts: &'static [Part],
}

/// A measure: its name, its key in printed rows, and the figure.
type Part = (&'static str, &'static str, fn(Triple) -> f64);

const PRECISION: Part = ("P", "p", |triple| triple.precision);
const RECALL: Part = ("R", "r", |triple| triple.recall);
const F1: Part = ("F1", "f1", |triple| triple.f1);

impl Layout {
    /// `None` for tables of other things than scores.
    fn of(table: &Table) -> Option<Self> {
        let istm: &[&str] = &["ISTM", "layout-similarity", "Readability"];
        let (by_site, systems, parts): (bool, &[&str], &[Part]) = match table.id.as_str() {
            "cevc-1" => (true, &["CETR", "CEVC"], &[PRECISION, RECALL, F1]),
            "istm-1" => (true, istm, &[PRECISION]),
            "istm-2" => (true, istm, &[RECALL]),
            "istm-3" => (false, istm, &[PRECISION, RECALL, F1]),
            "nta-text" => (false, &["NTA", "Evernote", "YNote", "Readability"], &[F1]),
            _ => return None,
        };
        Some(Layout { by_site, systems, parts })
    }
}

/// A printed table beside the figures of a dataset.
struct Shown<'r> {
    run: &'r PaperRun,
    dataset: &'r str,
    table: &'static Table,
    layout: Layout,
}

/// The ids of pages.
type Pages<'r> = Vec<&'r String>;

impl<'r> Shown<'r> {
    fn facts(&self) -> Option<&'r Facts> {
        self.run.facts.get(self.dataset)
    }

    /// The scores of a paper's system at its defaults; `None` where it cannot be run.
    fn scores(&self, system: &str) -> Option<&'r RowScores> {
        let row = self.run.default_row(self.dataset, published().algorithm(system)?)?;
        self.run.scores.get(&row.key())
    }

    /// A figure as the paper writes them.
    fn written(&self, figure: f64) -> String {
        match self.table.unit.as_deref() {
            Some("percent") => format!("{:.2}", 100.0 * figure),
            _ => format!("{figure:.3}"),
        }
    }

    fn printed(&self, figure: Option<f64>) -> String {
        let digits = if self.table.unit.as_deref() == Some("percent") { 2 } else { 3 };
        figure.map_or(NOTHING.to_owned(), |figure| format!("{figure:.digits$}"))
    }

    /// Figures of `pages`, each with the printed one beside it.
    fn cells(&self, pages: Option<&Pages<'_>>, printed: Option<&Map<String, Json>>) -> Vec<String> {
        let mut cells = Vec::new();
        for system in self.layout.systems {
            let here = pages.and_then(|pages| self.mean(system, pages));
            for (_, key, part) in self.layout.parts {
                cells.push(here.map_or(NOTHING.to_owned(), |triple| self.written(part(triple))));
                // A table of one measure prints a number, not a map of measures.
                let figure = |row| figure(row, &format!("{system}.{key}")).or_else(|| figure(row, system));
                cells.push(self.printed(printed.and_then(figure)));
            }
        }
        cells
    }

    /// Means over sites, as the papers with tables by site make them.
    fn mean(&self, system: &str, pages: &Pages<'_>) -> Option<Triple> {
        let scores = self.scores(system)?;
        let own = pages.iter().filter_map(|page| Some(((*page).clone(), scores.get(*page)?.clone())));
        let own: RowScores = own.collect();
        (!own.is_empty()).then(|| aggregates(&own).paper_cevc)
    }

    fn header(&self, names: &[&str]) -> Vec<String> {
        let figures = self.layout.systems.iter().flat_map(|system| {
            let both = move |part: &Part| [format!("{system} {}", part.0), format!("{system} {} printed", part.0)];
            self.layout.parts.iter().flat_map(both)
        });
        names.iter().map(|name| (*name).to_owned()).chain(figures).collect()
    }

    /// The printed sites, with the pages that fit them, then the dataset's other sites, then means of groups.
    fn by_site(&self, stem: String) -> PaperTable {
        let no_facts = Facts::new();
        let facts = self.facts().unwrap_or(&no_facts);
        let mut others: Facts = facts.clone();
        let mut rows = Vec::new();
        for printed in &self.table.rows {
            let site = text(printed, "site").unwrap_or_default();
            let (pages, fit) = fitting(facts, printed, site);
            pages.iter().for_each(|page| drop(others.remove(*page)));
            let by = fit.map_or(NOTHING, |fit| if fit == Fit::Host { "host" } else { "domain, genre" });
            let name = text(printed, "name_en").map_or(site.to_owned(), |name| format!("{site} {name}"));
            let name = if text(printed, "name_en") == Some(site) { site.to_owned() } else { name };
            let known = (!pages.is_empty()).then_some(&pages);
            rows.push(self.line([name, by.to_owned()], known, Some(printed)));
        }
        for (site, pages) in self.sites(&others) {
            rows.push(self.line([site.to_owned(), NOTHING.to_owned()], Some(&pages), None));
        }
        for (group, printed) in self.groups() {
            let pages: Pages<'_> = facts.iter().filter(|(_, facts)| facts.is_of(group)).map(|(page, _)| page).collect();
            let known = (!pages.is_empty()).then_some(&pages);
            rows.push(self.line([format!("mean over sites: {group}"), NOTHING.to_owned()], known, printed));
        }
        let header = self.header(&["site", "fits by", "pages"]);
        self.made(stem, header, 2, rows)
    }

    fn line(&self, names: [String; 2], pages: Option<&Pages<'_>>, printed: Option<&Map<String, Json>>) -> Vec<String> {
        let count = pages.map_or(NOTHING.to_owned(), |pages| pages.len().to_string());
        names.into_iter().chain([count]).chain(self.cells(pages, printed)).collect()
    }

    /// The pages that no printed site has, by site.
    fn sites<'s>(&self, others: &'s Facts) -> BTreeMap<&'r str, Pages<'s>> {
        let mut sites: BTreeMap<&str, Pages<'_>> = BTreeMap::new();
        let known = self.layout.systems.iter().find_map(|system| self.scores(system));
        for (page, score) in known.into_iter().flatten() {
            if let Some((page, _)) = others.get_key_value(page) {
                sites.entry(&score.site).or_default().push(page);
            }
        }
        sites
    }

    /// Groups of sites with what is printed of them.
    fn groups(&self) -> Vec<(&'static str, Option<&'static Map<String, Json>>)> {
        let named = |row: &'static Map<String, Json>| Some((text(row, "group")?, Some(row)));
        let groups: Vec<_> = self.table.groups.iter().filter_map(named).collect();
        if groups.is_empty() { vec![("all", None)] } else { groups }
    }

    /// The printed systems, over all pages.
    fn by_system(&self, stem: String) -> PaperTable {
        let parts = self.layout.parts;
        let row = |system: &&str| {
            let printed = self.table.rows.iter().find(|row| text(row, "system") == Some(system));
            let scores = self.scores(system);
            let here = scores.map(|scores| {
                let all = aggregates(scores);
                if self.table.source == "NTA" { all.macro_ } else { all.paper_cevc }
            });
            let figures = parts.iter().flat_map(|(_, key, part)| {
                let here = here.map_or(NOTHING.to_owned(), |triple| self.written(part(triple)));
                [here, printed.map_or(NOTHING.to_owned(), |row| self.printed_of_system(row, key))]
            });
            let named = [(*system).to_owned(), published().algorithm(system).unwrap_or(NOTHING).to_owned()];
            let count = scores.map_or(NOTHING.to_owned(), |scores| scores.len().to_string());
            named.into_iter().chain([count]).chain(figures).collect()
        };
        let rows = self.layout.systems.iter().map(row).collect();
        let figures = parts.iter().flat_map(|part| [part.0.to_owned(), format!("{} printed", part.0)]);
        let header = ["system", "run as", "pages"].map(str::to_owned).into_iter().chain(figures).collect();
        self.made(stem, header, 2, rows)
    }

    /// A figure, or what the paper says of it against its own system.
    fn printed_of_system(&self, row: &Map<String, Json>, key: &str) -> String {
        let value = figure(row, key).or_else(|| figure(row, "value"));
        match (value, figure(row, "difference_to_NTA")) {
            (None, Some(difference)) => format!("{difference:+.2} to NTA"),
            (value, _) => self.printed(value),
        }
    }

    fn made(&self, stem: String, header: Vec<String>, right: usize, rows: Vec<Vec<String>>) -> PaperTable {
        let source = &published().sources[&self.table.source];
        let systems = self
            .layout
            .systems
            .iter()
            .filter_map(|system| Some(format!("{system} is {}", published().algorithm(system)?)));
        let unit = self.table.unit.as_deref().unwrap_or("fraction");
        PaperTable {
            stem,
            title: format!("As {} of {}", self.table.place, source.title),
            pages_of: Some(self.dataset.to_owned()),
            header,
            // Sites; systems are the papers' own.
            names: if self.layout.by_site { &[0] } else { &[] },
            right,
            rows,
            notes: [
                "printed: what the paper measured on its own pages, which are not available; the figures beside it are of other \
                 pages, also where the site is the same, and reproduce none of them"
                    .to_owned(),
                format!("in {unit}s; here at the defaults: {}", systems.collect::<Vec<_>>().join(", ")),
            ]
            .into_iter()
            .chain(self.layout.by_site.then(|| BY_SITE.to_owned()))
            .collect(),
            conditions: vec![conditions::line(&self.run.summary, self.dataset)],
        }
    }
}

/// The note on the last rows of a table by site.
const BY_SITE: &str = "means over sites: each domain is one site, also where rows above are of one of its hosts, so they are not the \
                       means of these rows; a site with pages in both languages counts in both";

/// The pages of a printed site: those of its host, else those of its registrable domain and genre.
fn fitting<'f>(facts: &'f Facts, printed: &Map<String, Json>, site: &str) -> (Pages<'f>, Option<Fit>) {
    let genre = match text(printed, "genre") {
        Some("blog") => Genre::Blog,
        _ => Genre::News,
    };
    let own = published().domains.get(site).map(String::as_str);
    let Some(domain) = text(printed, "domain").or(own) else { return (Vec::new(), None) };
    let fits: Vec<(&String, Fit)> =
        facts.iter().filter_map(|(page, facts)| Some((page, facts.fit(domain, genre)?))).collect();
    let best = fits.iter().map(|(_, fit)| *fit).min();
    (fits.into_iter().filter(|(_, fit)| Some(*fit) == best).map(|(page, _)| page).collect(), best)
}
