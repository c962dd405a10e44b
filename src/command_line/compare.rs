//! `carat compare`.

use std::path::Path;

use crate::decisions::compare::{
    Compared, ComparedRow, ComparedTime, Differ, FEW_ROWS, Pair, Request, compare as compared, read_different_runs,
};
use crate::formats::shell::shell_command;
use crate::report::language::Language;
use crate::report::latex::{latex_table, with_one_head};
use crate::report::localised_text::LocalisedText;
use crate::report::markdown::code;
use crate::report::table_format::{csv_text, four, plain_table, six, table_lines};
use crate::report::{conditions, markdown};
use crate::runs::summary::Summary;
use crate::statistics::{Correction, Estimate, FEW_SITES, Interval, Part, Sampling, Verdict};
use serde_json::json;
use unicode_width::UnicodeWidthStr;

use crate::command_line::arguments::{self, Corrected, ReportFormat, ScorePart};
use crate::command_line::failure::Failure;
use crate::command_line::output::{print, print_json};

/// Compares rows and prints what their differences are worth.
pub(crate) fn compare(arguments: arguments::Compare) -> Result<(), Failure> {
    let runs = read_different_runs(&arguments.runs, &arguments.datasets)?;
    if let Some((run, folder)) = runs.iter().zip(&arguments.runs).find(|(run, _)| run.summary.rows.is_empty()) {
        return Err(without_gold(&run.summary, folder));
    }
    let request = Request {
        rows: arguments.rows,
        reference: arguments.reference,
        where_loses: arguments.where_loses,
        datasets: arguments.datasets,
        part: match arguments.score {
            ScorePart::Precision => Part::Precision,
            ScorePart::Recall => Part::Recall,
            ScorePart::F1 => Part::F1,
        },
        correction: match arguments.correction {
            Corrected::Holm => Correction::Holm,
            Corrected::Fdr => Correction::Fdr,
        },
        every_pair: arguments.pairs,
        pages: arguments.pages,
        sampling: Sampling {
            seed: arguments.seed,
            resamples: arguments.resamples,
            flips: arguments.flips,
            ..Sampling::default()
        },
    };
    let language = arguments.language.of(&arguments.runs[0]);
    let datasets = compared(&runs, &request)?;
    let folder = if let [folder] = &arguments.runs[..] { Some(folder.as_path()) } else { None };
    let telling = Telling { request: &request, summary: &runs[0].summary, folder, language };
    let joined = |tell: &dyn Fn(&Compared) -> String| datasets.iter().map(tell).collect::<Vec<_>>().join("\n");
    match arguments.format {
        ReportFormat::Text => print(&joined(&|dataset| telling.terminal(dataset))),
        ReportFormat::Md => print(&joined(&|dataset| telling.markdown(dataset))),
        ReportFormat::Latex => print(&with_one_head(&joined(&|dataset| telling.latex(dataset)))),
        ReportFormat::Csv => print(&csv_text(&COLUMNS, datasets.iter().flat_map(lines))),
        ReportFormat::Json => print_json(&json!({
            "score": telling.score(),
            "sampling": request.sampling,
            "correction": request.correction,
            "conditions": telling.summary.conditions,
            "datasets": datasets,
        })),
    }
}

/// Why rows of a run without gold are not compared, and what there is instead.
fn without_gold(summary: &Summary, folder: &Path) -> Failure {
    let folder = folder.display().to_string();
    if summary.conditions.datasets.values().any(|known| known.pages > known.without_gold) {
        return Failure::request(format!("{folder} has no row to compare: {FEW_ROWS}"));
    }
    let page = summary.agreement.iter().find_map(|agreement| Some((agreement, agreement.disputed.first()?)));
    let more = page.map_or(String::new(), |(agreement, page)| {
        let [a, b] = page.least.map(|place| agreement.systems[place].label.as_str());
        let options = [("--dataset", Some(agreement.dataset.as_str())), ("--a", Some(a)), ("--b", Some(b))];
        let command = shell_command("carat diff", &[&folder, &page.page], &options);
        format!(
            ": tables/agreement.md in it has how far every two rows agree, and `{command}` shows the page that they dispute most"
        )
    });
    Failure::request(format!("{folder} has no page with gold, so no row can be better than another{more}"))
}

/// What stands around the tables.
struct Telling<'r> {
    request: &'r Request,
    summary: &'r Summary,
    /// The folder of the run, if it is only one.
    folder: Option<&'r Path>,
    language: Language,
}

/// A table for people: its title, its columns, which of them are names and which the ids of pages, from which one on they
/// are figures, and its rows.
struct Shown {
    title: String,
    header: Vec<String>,
    names: &'static [usize],
    pages: Option<usize>,
    right: usize,
    rows: Vec<Vec<String>>,
}

impl Shown {
    /// With ids no wider than a table has room for.
    fn with_short_ids(mut self, compared: &Compared) -> Self {
        if let Some(column) = self.pages {
            self.rows.iter_mut().for_each(|row| row[column] = short(&row[column], compared));
        }
        self
    }
}

/// More rows are more than a reader looks through.
const MANY_ROWS: usize = 12;

/// How names are set off from the words around them.
type Mark<'m> = &'m dyn Fn(&str) -> String;

impl Telling<'_> {
    fn score(&self) -> &'static str {
        match self.request.part {
            Part::Precision => "precision",
            Part::Recall => "recall",
            _ => "F1",
        }
    }

    /// A text of the catalogue with names and figures in its places.
    fn fill(&self, english: &str, values: &[String]) -> String {
        self.language.fill(english, values)
    }

    /// A text in the language that is asked for.
    fn told(&self, text: &LocalisedText) -> String {
        text.in_language(self.language).to_owned()
    }

    /// Texts of a list, which has what stands between two of its parts in each language.
    fn joined(&self, parts: &[String], between: [&str; 2]) -> String {
        parts.join(self.language.of(between))
    }

    fn terminal(&self, compared: &Compared) -> String {
        let mut text = String::new();
        for table in self.tables(compared, &str::to_owned) {
            let Shown { title, header, right, rows, .. } = table.with_short_ids(compared);
            let mut table = plain_table(header);
            for row in rows {
                table.add_row(row);
            }
            text.push_str(&format!("{title}\n{}\n", table_lines(table, right).join("\n")));
        }
        let notes = [self.notes(compared, &str::to_owned), self.ways_on(compared, &str::to_owned)].concat();
        text + &notes.join("\n") + "\n"
    }

    fn markdown(&self, compared: &Compared) -> String {
        let mut text = format!("# {}\n", code(&compared.dataset));
        for Shown { title, header, names, right, rows, .. } in self.tables(compared, &code) {
            let table = markdown::table(header, names, right, rows);
            text.push_str(&format!("\n## {title}\n\n{table}"));
        }
        text + "\n" + &markdown::list(&[self.notes(compared, &code), self.ways_on(compared, &code)].concat())
    }

    fn latex(&self, compared: &Compared) -> String {
        let tables = self.tables(compared, &str::to_owned).into_iter();
        let tables: Vec<Shown> = tables.map(|table| table.with_short_ids(compared)).collect();
        let notes = self.notes(compared, &str::to_owned);
        let mut text = String::new();
        for (place, Shown { title, header, right, rows, .. }) in tables.iter().enumerate() {
            let label = format!("compare-{}-{}", compared.dataset, place + 1);
            // What must be known to read them stands once, below the table of tests.
            let notes = if place == 1.min(tables.len() - 1) { notes.as_slice() } else { &[] };
            let score = LocalisedText::said(self.score());
            let parts = [compared.dataset.as_str().into(), score, title.as_str().into()];
            let caption = match place {
                0 => title.clone(),
                _ => self.told(&LocalisedText::new(["{0}, {1}: {2}", "{0}，{1}：{2}"], parts)),
            };
            text.push_str(&latex_table((&label, &caption), header, *right, rows, notes));
        }
        text
    }

    fn tables(&self, compared: &Compared, mark: Mark<'_>) -> Vec<Shown> {
        let mut tables = vec![self.rows(compared, mark), self.comparisons(compared, mark)];
        tables.extend([self.heaviest(compared), self.differing(compared, mark), self.times(compared, mark)]);
        tables.retain(|table| !table.rows.is_empty());
        tables
    }

    fn rows(&self, compared: &Compared, mark: Mark<'_>) -> Shown {
        let cells = compared.rows.iter().map(|row| {
            let figures = [four(row.mean.point), interval(&row.mean, four), four(row.median)];
            let letters = has_letters(compared).then(|| row.letters.clone());
            [row.name.clone()].into_iter().chain(figures).chain(letters).collect()
        });
        let letters = has_letters(compared).then_some("letters");
        let header: Vec<&str> = ["row", "mean", "95 % interval", "median"].into_iter().chain(letters).collect();
        let [dataset, score] = [mark(&compared.dataset).into(), LocalisedText::said(self.score())];
        let [pages, sites] = [conditions::pages(compared.pages), conditions::sites(compared.sites)];
        let words = ["{0}: {1} of {2} of {3}", "{0}：{3}共 {2}的 {1}"];
        Shown {
            title: self.told(&LocalisedText::new(words, [dataset, score, pages, sites])),
            header: self.language.say_all(header),
            names: &[0],
            pages: None,
            right: 1,
            rows: cells.collect(),
        }
    }

    fn comparisons(&self, compared: &Compared, mark: Mark<'_>) -> Shown {
        let cells = compared.comparisons.iter().map(|pair| {
            let comparison = &pair.comparison;
            let wins = comparison.wins;
            vec![
                pair_name(compared, pair, self.request.every_pair),
                signed(comparison.difference.point),
                interval(&comparison.difference, signed),
                signed(comparison.median),
                format!("{}/{}/{}", wins.wins, wins.ties, wins.losses),
                p_value(comparison.by_page.p),
                p_value(comparison.by_site.p),
                p_value(pair.corrected),
                // No difference can be found where the sites are too few for any test.
                comparison
                    .detectable
                    .filter(|_| !compared.too_few_sites && !comparison.is_too_few())
                    .map_or("-".to_owned(), four),
                self.language.say(pair.verdict.name()).into_owned(),
            ]
        });
        let best = mark(&compared.rows[compared.reference].name);
        let title = match (self.request.every_pair, &self.request.reference) {
            (true, _) => self.language.say("each pair, the first less the second").into_owned(),
            (false, None) => self.fill("against {0}, the best here", &[best]),
            (false, Some(_)) => self.fill("against {0}", &[best]),
        };
        let header = [
            "row", "difference", "95 % interval", "median", "won/tied/lost", "p by page", "p by site", "p corrected",
            "detectable", "verdict",
        ];
        Shown {
            title,
            names: &[0],
            pages: None,
            header: self.language.say_all(header),
            right: 1,
            rows: cells.collect(),
        }
    }

    /// What must be known to read the tables, a sentence each; `mark` sets off names.
    fn notes(&self, compared: &Compared, mark: Mark<'_>) -> Vec<String> {
        let Sampling { seed, resamples, flips, .. } = self.request.sampling;
        let letter_pairs = self.told(&conditions::pairs(compared.letter_tests));
        let mut notes: Vec<String> = self.few_sites(compared, mark).into_iter().collect();
        let unknown = conditions::pages_as_sites(compared.pages, compared.sites, compared.pages_without_site);
        notes.extend(unknown.map(|words| self.told(&words)));
        let [correction, tests] = [self.request.correction.name().to_owned(), compared.tests.to_string()];
        if has_letters(compared) {
            notes.push(self.fill(
                "p corrected: by {0} for the number of tests, {1}; letters: corrected for {2} of rows; rows that share one are not separated",
                &[correction, tests, letter_pairs],
            ));
        } else {
            notes.push(self.fill("p corrected: by {0} for the number of tests, {1}", &[correction, tests]));
            notes.push(self.told(&conditions::too_many_for_letters()));
        }
        if is_judged_beyond_letters(compared) {
            notes.push(
                LocalisedText::new(
                    [
                        "a row may be better or worse than the one above and share a letter with it: its test is one of {0}, a letter's \
                         one of all pairs of rows",
                        "某行可能优于或劣于上面的参照行而仍与它共有一个字母：前者的检验只在 {0} 个检验中校正，字母则按全部行对校正",
                    ],
                    [compared.tests.to_string()],
                )
                .in_language(self.language)
                .to_owned(),
            );
        }
        if compared.not_chosen > 0 {
            let rows = self.told(&conditions::rows(compared.not_chosen));
            notes.push(self.fill(
                "left aside: {0}; if those here were chosen by their figures on these pages, p corrected is too small",
                &[rows],
            ));
        }
        notes.push(self.language
                .say(
                    "better, worse: p corrected at most 0.05; same: else, and the interval within 0.005 of zero; detectable: \
                     the difference that one test, not corrected, would find 80 times of 100",
                )
                .into_owned());
        notes.push(self.fill(
            "intervals: percentile, {0} resamples of sites; tests: two-sided sign flips of sites, {1} or all; seed {2}",
            &[resamples.to_string(), flips.to_string(), seed.to_string()],
        ));
        let groups = same_texts(compared, mark);
        if !groups.is_empty() {
            let groups = self.joined(&groups, ["; ", "；"]);
            notes.push(self.fill("the same text on every page, so one system in the tests: {0}", &[groups]));
        }
        notes.extend(self.left_out(compared, mark));
        notes.extend(notes_on_times(compared).map(|note| self.language.say(note).into_owned()));
        notes.push(mark(&self.told(&conditions::told(self.summary, &compared.dataset))));
        notes
    }

    /// The commands by which one sees more.
    fn ways_on(&self, compared: &Compared, mark: Mark<'_>) -> Vec<String> {
        let mut notes = Vec::new();
        if !compared.differing.is_empty() && self.folder.is_none() {
            let told = [
                "to see a page: carat diff RUN PAGE --before OTHER-RUN --algorithm ROW, the row without the name of its run; where a \
                 row loses most: --where-loses ROW",
                "查看页面：carat diff RUN PAGE --before 另一次运行 --algorithm ROW（行名不带运行名）；某行输得最多之处：--where-loses ROW",
            ];
            notes.push(self.language.of(told).to_owned());
        } else if !compared.differing.is_empty() {
            notes.push(
                self.language
                    .say(
                        "to see a page: carat diff RUN PAGE --a ROW --b ROW; where a row loses most: --where-loses ROW",
                    )
                    .into_owned(),
            );
        }
        notes.extend(self.with_fewer_rows(compared, mark));
        notes.extend(self.without_lacking_rows(compared));
        notes
    }

    /// The command that compares the best and the default row of each system alone, where nobody chose among many.
    fn with_fewer_rows(&self, compared: &Compared, mark: Mark<'_>) -> Option<String> {
        let folder = self.folder.filter(|_| self.request.rows.is_empty() && compared.rows.len() > MANY_ROWS)?;
        let specs = &compared.best_and_default;
        let mut options = vec![("--dataset", Some(compared.dataset.as_str()))];
        options.extend(specs.iter().map(|spec| ("--row", Some(spec.as_str()))));
        let reference = [("--reference", &self.request.reference), ("--where-loses", &self.request.where_loses)];
        options
            .extend(reference.iter().filter(|(_, spec)| spec.is_some()).map(|(name, spec)| (*name, spec.as_deref())));
        let command = shell_command("carat compare", &[&folder.display().to_string()], &options);
        let told = LocalisedText::new(
            [
                "each pair more makes all verdicts more cautious; the best and the default of each system alone: {0}",
                "比较的行对越多，全部结论越保守；只比较每个系统的最佳与默认：{0}",
            ],
            [mark(&command)],
        );
        (specs.len() < compared.rows.len()).then(|| self.told(&told))
    }

    /// The number of pages that are left out, and the rows that lack them.
    fn left_out(&self, compared: &Compared, mark: Mark<'_>) -> Option<String> {
        let why = |row: &ComparedRow| {
            let words = match (row.not_run > 0, row.lacks == compared.left_out) {
                (true, true) => ["{0} was not run on them", "{0} 未在其上运行"],
                (true, false) => ["{0} was not run on {1} of them", "{0} 未在其中 {1} 页上运行"],
                (false, true) => ["{0} has no score on them", "{0} 在其上没有分数"],
                (false, false) => ["{0} has no score on {1} of them", "{0} 在其中 {1} 页上没有分数"],
            };
            self.told(&LocalisedText::new(words, [mark(&row.name), row.lacks.to_string()]))
        };
        let why: Vec<String> = compared.rows.iter().filter(|row| row.lacks > 0).map(why).collect();
        let words = match compared.left_out {
            1 => ["{0} of {1} is left out: {2}", "略去 {1}中的 {0} 页：{2}"],
            _ => ["{0} of {1} are left out: {2}", "略去 {1}中的 {0} 页：{2}"],
        };
        let all = self.told(&conditions::pages(compared.pages + compared.left_out));
        let why = (!why.is_empty()).then(|| self.joined(&why, [", ", "、"]))?;
        Some(self.told(&LocalisedText::new(words, [compared.left_out.to_string(), all, why])))
    }

    /// The way to all pages, where some rows lack some and two others do not.
    fn without_lacking_rows(&self, compared: &Compared) -> Option<String> {
        let whole = compared.rows.iter().filter(|row| row.lacks == 0).count();
        let words = [
            "to compare the other rows on all pages, name each with --row",
            "若要在全部页面上比较其余各行，请用 --row 逐一指定",
        ];
        (compared.left_out > 0 && whole >= 2).then(|| self.language.of(words).to_owned())
    }

    /// That the sites are too few for any test, or those that differ for the tests of some rows.
    fn few_sites(&self, compared: &Compared, mark: Mark<'_>) -> Option<String> {
        if compared.too_few_sites {
            let words = match compared.sites < FEW_SITES {
                true => {
                    "too few sites: with {0} no test reaches 0.05 after the correction for {1}, so no difference can be told; \
                     it takes {2}, and intervals are narrower than they should be; read won/tied/lost"
                }
                false => {
                    "too few sites: with {0} no test reaches 0.05 after the correction for {1}, so no difference can be told; \
                     it takes {2}; read won/tied/lost"
                }
            };
            let [tests, fewest] = [conditions::tests(compared.tests), conditions::sites(compared.fewest_sites)];
            return Some(self.fill(words, &[compared.sites.to_string(), self.told(&tests), self.told(&fewest)]));
        }
        // Between rows with the same texts nothing is tested.
        let are_tested = |pair: &&Pair| compared.rows[pair.row].same_as != compared.rows[pair.against].same_as;
        let too_few = compared.comparisons.iter().filter(are_tested).filter(|pair| pair.comparison.is_too_few());
        let too_few: Vec<String> = too_few
            .map(|pair| {
                let name = mark(&pair_name(compared, pair, self.request.every_pair));
                let values = [name, pair.comparison.by_site.differing.to_string()];
                self.told(&LocalisedText::new(["{0} ({1})", "{0}（{1}）"], values))
            })
            .collect();
        let told = self.joined(&too_few, [", ", "、"]);
        (!too_few.is_empty()).then(|| self.fill("too few sites differ for a test to reach 0.05: {0}", &[told]))
    }

    fn heaviest(&self, compared: &Compared) -> Shown {
        let cells = compared.comparisons.iter().filter_map(|pair| {
            let (heaviest, page) = (pair.comparison.heaviest?, pair.heaviest_page.as_ref()?);
            let name = pair_name(compared, pair, self.request.every_pair);
            let figures = [heaviest.difference, pair.comparison.difference.point, heaviest.without].map(signed);
            Some([name, page.clone()].into_iter().chain(figures).collect())
        });
        let header = ["row", "page", "difference there", "mean difference", "without the page"];
        Shown {
            title: self.language.say("the page that weighs most").into_owned(),
            names: &[0, 1],
            pages: Some(1),
            header: self.language.say_all(header),
            right: 2,
            rows: cells.collect(),
        }
    }

    fn differing(&self, compared: &Compared, mark: Mark<'_>) -> Shown {
        let cells = compared.differing.iter().map(|page| {
            let name = |place: usize| compared.rows[place].name.clone();
            let ((highest, high), (lowest, low)) = (page.highest, page.lowest);
            vec![page.page.clone(), page.site.clone(), name(highest), four(high), name(lowest), four(low)]
        });
        let name = |place: usize| mark(&compared.rows[place].name);
        let title = match compared.differ {
            Differ::Loser(loser) => {
                self.fill("the pages on which {0} is furthest behind the best other row", &[name(loser)])
            }
            Differ::Pair(pair) => self.fill("the pages on which {0} and {1} differ most", &pair.map(name)),
        };
        let header = ["page", "site", "highest", "score", "lowest", "score"];
        Shown {
            title,
            names: &[0, 1, 2, 4],
            pages: Some(0),
            header: self.language.say_all(header),
            right: 2,
            rows: cells.collect(),
        }
    }

    /// The times of the rows; none where no row was timed.
    fn times(&self, compared: &Compared, mark: Mark<'_>) -> Shown {
        let cells = compared.times.iter().map(|time| {
            let ComparedTime { row, pages, p50_ms, p99_ms, ratio, .. } = time;
            let ratio = ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
            let [half, most] = [*p50_ms, *p99_ms].map(milliseconds);
            vec![compared.rows[*row].name.clone(), half, most, ratio, pages.to_string()]
        });
        let reference = mark(&compared.rows[compared.reference].name);
        Shown {
            title: self.fill("time per page in milliseconds; ratio: p50 divided by that of {0}", &[reference]),
            names: &[0],
            pages: None,
            header: self.language.say_all(["row", "p50", "p99", "ratio", "pages"]),
            right: 1,
            rows: cells.collect(),
        }
    }
}

/// The rows that have one text on every page, a group each.
fn same_texts(compared: &Compared, mark: Mark<'_>) -> Vec<String> {
    let of_group = |first: usize| -> Vec<String> {
        compared.rows.iter().filter(|row| row.same_as == first).map(|row| mark(&row.name)).collect()
    };
    let groups = (0..compared.rows.len()).map(of_group).filter(|group| group.len() > 1);
    groups.map(|group| group.join(" = ")).collect()
}

fn pair_name(compared: &Compared, pair: &Pair, every_pair: bool) -> String {
    let name = |place: usize| compared.rows[place].name.as_str();
    if every_pair { format!("{} - {}", name(pair.row), name(pair.against)) } else { name(pair.row).to_owned() }
}

/// The notes for a reader of the times.
fn notes_on_times(compared: &Compared) -> impl Iterator<Item = &'static str> {
    let of_machine = (!compared.times.is_empty()).then_some(
        "times are of this machine, or of the one that made the run; no score and no verdict depends on them",
    );
    let is_unlike = |time: &&ComparedTime| time.from_request != compared.times[0].from_request;
    let unlike = compared.times.iter().find(is_unlike).map(
        |_| "the time of an external program includes its own parsing; that of the other rows does not include parsing",
    );
    of_machine.into_iter().chain(unlike)
}

/// True if the rows are so few that all pairs of them were tested.
fn has_letters(compared: &Compared) -> bool {
    compared.rows.iter().any(|row| !row.letters.is_empty())
}

/// True if the table of differences separates two rows that share a letter.
fn is_judged_beyond_letters(compared: &Compared) -> bool {
    let is_separated = |pair: &&Pair| matches!(pair.verdict, Verdict::Better | Verdict::Worse);
    let share = |pair: &Pair| {
        let [one, other] = [pair.row, pair.against].map(|place| &compared.rows[place].letters);
        one.chars().any(|letter| other.contains(letter))
    };
    compared.comparisons.iter().filter(is_separated).any(share)
}

/// To the digits that a time is good for.
fn milliseconds(time: f64) -> String {
    format!("{time:.3}")
}

/// A page's id. Of one that is wide, the characters that tell it from others, at least eight, and a sign apart from them: what
/// stands before the space finds the page.
pub(crate) fn short(page: &str, compared: &Compared) -> String {
    const WIDEST: usize = 40;
    const LEAST: usize = 8;
    if page.width() <= WIDEST {
        return page.to_owned();
    }
    let told: String = page.chars().take(compared.telling_characters.max(LEAST)).collect();
    // Half of a `%20` would say nothing.
    let missing = told.chars().rev().take(2).position(|c| c == '%').map_or(0, |behind| 2 - behind);
    let told: String = page.chars().take(told.chars().count() + missing).collect();
    if told.len() == page.len() { told } else { told + " …" }
}

/// Its percentile interval.
pub(crate) fn interval(estimate: &Estimate, written: fn(f64) -> String) -> String {
    estimate
        .percentile
        .map_or("-".to_owned(), |Interval { low, high }| format!("{} .. {}", written(low), written(high)))
}

/// With its sign; what rounds to zero has none.
pub(crate) fn signed(figure: f64) -> String {
    let text = four(figure);
    if figure > 0.0 && text != "0.0000" { format!("+{text}") } else { text }
}

/// To four digits.
pub(crate) fn p_value(p: f64) -> String {
    const LEVEL: f64 = 0.05;
    match four(p) {
        _ if p < 0.0001 => "<0.0001".to_owned(),
        // It stands beside a verdict that p of at most 0.05 has.
        shown if p > LEVEL && shown == four(LEVEL) => format!(">{shown}"),
        shown => shown,
    }
}

const COLUMNS: [&str; 29] = [
    "dataset", "row", "against", "pages", "sites", "mean", "mean_against", "letters", "letters_against", "difference",
    "low", "high", "bca_low", "bca_high", "error_by_site", "error_by_page", "median_difference", "wins", "ties",
    "losses", "p_by_page", "p_by_site", "p_corrected", "tests", "detectable", "heaviest_page", "heaviest_difference",
    "difference_without_it", "verdict",
];

/// The comparisons of a dataset as lines of CSV; what is not known is empty.
fn lines(compared: &Compared) -> impl Iterator<Item = Vec<String>> + '_ {
    let known = |figure: Option<f64>| figure.map(six).unwrap_or_default();
    compared.comparisons.iter().map(move |pair| {
        let comparison = &pair.comparison;
        let [row, against] = [pair.row, pair.against].map(|place| &compared.rows[place]);
        let difference = &comparison.difference;
        let ends = [difference.percentile, difference.bca];
        let ends =
            ends.into_iter().flat_map(|interval| [interval.map(|known| known.low), interval.map(|known| known.high)]);
        let mut line = vec![compared.dataset.clone(), row.name.clone(), against.name.clone()];
        line.extend([compared.pages, compared.sites].map(|count| count.to_string()));
        line.extend([six(row.mean.point), six(against.mean.point), row.letters.clone(), against.letters.clone()]);
        line.push(six(difference.point));
        line.extend(ends.map(known));
        line.extend([comparison.error_by_site, comparison.error_by_page, comparison.median].map(six));
        let wins = comparison.wins;
        line.extend([wins.wins, wins.ties, wins.losses].map(|count| count.to_string()));
        line.extend([comparison.by_page.p, comparison.by_site.p, pair.corrected].map(six));
        line.extend([compared.tests.to_string(), known(comparison.detectable)]);
        line.push(pair.heaviest_page.clone().unwrap_or_default());
        line.push(known(comparison.heaviest.map(|heaviest| heaviest.difference)));
        line.push(known(comparison.heaviest.map(|heaviest| heaviest.without)));
        // As in JSON.
        line.push(pair.verdict.name().replace(' ', "_"));
        line
    })
}
