//! What a gate found, in sentences: the same in every format.

use std::collections::{BTreeMap, BTreeSet};

use crate::decisions::gate::{
    Change, Checked, DatasetPages, Faults, FigureCheck, Judgement, LEAST_PAGES, Of, Outcome, PageByPage, PageFall,
    RenamedPages, RowJudgement, SiteFall, TimeCheck, Verdict,
};
use crate::formats::inert::one_line;
use crate::report::conditions;
use crate::report::table_format::four;
use crate::runs::doors::external::worker::LATE;
use crate::runs::rules::{Level, Rule};
use crate::text::counted;

use crate::command_line::compare::signed;

/// Pages of a rule that are shown; JSON has all.
pub(super) const SHOWN: usize = 10;

/// Sites of a rule that are named in its sentence.
const SHOWN_SITES: usize = 3;

/// The reason for which there is no verdict where every rule had nothing to judge.
pub(super) const IDLE: &str = "no rule had anything to judge";

/// The limit of a baseline without digests of pages, where pages came, went or changed.
const UNSEEN: &str = "a baseline of an earlier carat keeps no digests, so a change of another page, or of a gold that keeps its \
                      length, is not noticed there";

/// How names are set off from the words around them.
pub(super) type Mark<'m> = &'m dyn Fn(&str) -> String;

/// The command that makes the run the baseline.
pub(super) struct Accepting {
    /// The command.
    pub(super) command: String,
    /// True if it would be refused.
    pub(super) is_refused: bool,
}

/// Names as they are, each in one line.
pub(super) fn plain(name: &str) -> String {
    one_line(name)
}

/// The verdict in a word or two.
pub(super) fn verdict(judgement: &Judgement) -> &'static str {
    match judgement.verdict {
        Verdict::Passed => "passed",
        Verdict::Fell => "fell",
        Verdict::CannotJudge => "cannot judge",
    }
}

/// The verdict and why, in one sentence.
pub(super) fn headline(judgement: &Judgement, mark: Mark<'_>) -> String {
    let broken = |level: Level| judgement.checks(Outcome::Broken).filter(|(_, check)| check.level == level).count();
    let why = match judgement.verdict {
        Verdict::Fell => {
            let rules = match broken(Level::Error) {
                1 => "1 rule of level error is broken".to_owned(),
                several => format!("{several} rules of level error are broken"),
            };
            lacking(judgement).map_or(rules.clone(), |lacking| format!("{rules}, and {lacking}"))
        }
        Verdict::CannotJudge if !judgement.changes.is_empty() => {
            let rows = judgement.changes.iter().filter(|change| change.key.starts_with(ROWS)).count();
            match (judgement.changes.len() - rows, rows) {
                (0, _) => "the run lacks rows of the baseline".to_owned(),
                (_, 0) => other_conditions(judgement, mark),
                _ => format!("{}, and the run lacks rows of the baseline", other_conditions(judgement, mark)),
            }
        }
        Verdict::CannotJudge if judgement.judged_nothing() => IDLE.to_owned(),
        Verdict::CannotJudge => lacking(judgement).map_or_else(
            || {
                let rules = counted(judgement.checks(Outcome::CannotJudge).count(), "rule");
                format!("too few pages or sites to tell a fall from chance under {rules}")
            },
            |lacking| format!("{lacking}; on the others no rule of level error is broken"),
        ),
        Verdict::Passed if broken(Level::Warn) > 0 => {
            format!("no rule of level error is broken, but {} of level warn", broken(Level::Warn))
        }
        Verdict::Passed => format!("no rule is broken ({})", counted(judgement.rows.len(), "row")),
    };
    let idle = match judgement.checks(Outcome::NothingToJudge).count() {
        idle if idle > 0 && judgement.verdict == Verdict::Passed => {
            format!("; {} had nothing to judge", counted(idle, "rule"))
        }
        _ => String::new(),
    };
    format!("{}: {why}{idle}", verdict(judgement))
}

/// That the run lacks pages of the baseline, or that some changed, and how many; `None` where it has all as they were.
fn lacking(judgement: &Judgement) -> Option<String> {
    let pages = |apart: &[DatasetPages]| apart.iter().map(|dataset| dataset.pages.len()).sum();
    let (lost, changed) = (pages(&judgement.apart.lost), pages(&judgement.apart.changed));
    let lacks = || format!("the run lacks {} of the baseline", counted(lost, "page"));
    match (lost, changed) {
        (0, 0) => None,
        (_, 0) => Some(lacks()),
        (0, _) => Some(format!("{} of the baseline changed", counted(changed, "page"))),
        _ => Some(format!("{}, and {} changed", lacks(), counted(changed, "page"))),
    }
}

/// The pages of the baseline that are not judged: of each dataset those that the run lacks, then those that changed, in a
/// sentence with the dataset and a name for what became of them.
pub(super) fn apart(judgement: &Judgement, short_id: Short<'_>, mark: Mark<'_>) -> Vec<(String, &'static str, String)> {
    let lost = "in the baseline and not in the run, or without gold there";
    let changed = "not as in the baseline: the page or its gold changed";
    let all = [("lost pages", &judgement.apart.lost, lost), ("changed pages", &judgement.apart.changed, changed)];
    let told = all.into_iter().flat_map(|(name, apart, what)| {
        apart.iter().map(move |DatasetPages { dataset, pages }| {
            let (count, are) = (counted(pages.len(), "page"), is_or_are(pages.len()));
            let sentence = format!("{count} of {} {are} {what}: {}", mark(dataset), listed(pages, short_id, mark));
            (dataset.clone(), name, sentence)
        })
    });
    told.collect()
}

/// A dataset's bytes are what changes most often, and what is least expected.
fn other_conditions(judgement: &Judgement, mark: Mark<'_>) -> String {
    // A dataset that one of both lacks is told among the conditions.
    let in_both = judgement.changes.iter().filter(|change| change.baseline.is_some() && change.run.is_some());
    let changed: Vec<String> = in_both.filter_map(Change::dataset_of_digest).map(mark).collect();
    match &changed[..] {
        [] => "the conditions changed since the baseline was made".to_owned(),
        [dataset] if judgement.changes.iter().any(|change| change.is_of_page_list) => {
            format!("the page list of the dataset {dataset} changed since the baseline was made")
        }
        [dataset] if judgement.changes.iter().any(|change| change.is_of_other_pages) => {
            format!("pages of the dataset {dataset} were added or removed since the baseline was made")
        }
        [dataset] => format!("pages or golds of the dataset {dataset} changed since the baseline was made"),
        _ => format!("pages or golds of the datasets {} changed since the baseline was made", changed.join(", ")),
    }
}

const ROWS: &str = "rows.";

/// What changed, in one sentence.
pub(super) fn change(change: &Change, short_id: Short<'_>, mark: Mark<'_>) -> String {
    let Change { key, baseline, run, missing, changed, other_gold, is_of_page_list, is_of_other_pages } = change;
    if let Some(row) = key.strip_prefix(ROWS) {
        return format!("row {} is in the baseline and not in the run", mark(row));
    }
    let value = |value: &Option<String>| value.as_deref().map_or("nothing".to_owned(), |value| mark(&short(value)));
    let values = format!("{} in the baseline, {} now", value(baseline), value(run));
    let changed: Vec<String> = changed.iter().filter(|page| !other_gold.contains(page)).cloned().collect();
    let altered = [
        ("the run lacks the page or its gold", missing),
        ("the page or its gold changed", &changed),
        ("the gold has another length", other_gold),
    ];
    let altered = altered.into_iter().filter(|(_, pages)| !pages.is_empty());
    match change.dataset_of_digest() {
        Some(dataset) if *is_of_page_list => format!(
            "the page list says something else of pages of {} than it did, such as an id, an encoding or a site; no page and no gold \
             changed (digest {values})",
            mark(dataset)
        ),
        Some(dataset) if run.is_some() && baseline.is_some() => {
            let altered: String =
                altered.map(|(what, pages)| format!("; {what}: {}", listed(pages, short_id, mark))).collect();
            let dataset = mark(dataset);
            match is_of_other_pages {
                true => format!(
                    "pages of {dataset} were added or removed; none that both have changed (digest {values}){altered}"
                ),
                false => format!("pages or golds of {dataset} changed (digest {values}){altered}"),
            }
        }
        _ => format!("{}: {values}", mark(key)),
    }
}

/// Of a digest what tells it from another.
fn short(value: &str) -> String {
    const SHOWN: usize = 12;
    value.strip_prefix("sha256:").map_or(value.to_owned(), |digest| digest.chars().take(SHOWN).collect())
}

/// Enough of a page's id to know it by, and to find it with `carat diff`: digests are longer than a line has room for.
pub(super) type Short<'s> = &'s dyn Fn(&str) -> String;

/// The first pages by their ids, and the number of the others.
pub(super) fn listed(pages: &[String], short_id: Short<'_>, mark: Mark<'_>) -> String {
    let mut shown: Vec<String> = pages.iter().take(SHOWN).map(|page| mark(&short_id(page))).collect();
    if pages.len() > SHOWN {
        shown.push(format!("and {} more", pages.len() - SHOWN));
    }
    shown.join(", ")
}

/// A page's site; a page without one stands for a site of its own, which is called by its id.
pub(super) fn site_of(page: &PageFall, short_id: Short<'_>) -> String {
    if page.site == page.page { short_id(&page.site) } else { page.site.clone() }
}

/// The rule and where it stands.
fn subject(row: &RowJudgement, check: &Checked, mark: Mark<'_>) -> String {
    format!("{} of {} on {}", mark(&check.rule), mark(&row.row), mark(&row.dataset))
}

/// What a rule comes to, in one sentence.
pub(super) fn check(row: &RowJudgement, check: &Checked, mark: Mark<'_>) -> String {
    let subject = subject(row, check, mark);
    let tolerance = check.tolerance.unwrap_or_default();
    if let Some(time) = &check.time {
        return format!("{subject}{}", of_time(check, time));
    }
    let Some(figure) = &check.figure else {
        return format!("{subject}: {}", of_pages(row, check, mark));
    };
    let FigureCheck { baseline, limit, value, difference, interval, detectable, page_by_page } = figure;
    let interval = interval
        .map_or(String::new(), |known| format!(", 95 % interval {} .. {}", signed(known.low), signed(known.high)));
    let values = format!(
        "{}, limit {} (baseline {}, tolerance {tolerance}), difference {}{interval}",
        four(*value),
        four(*limit),
        four(*baseline),
        signed(*difference)
    );
    let on_these = page_by_page.as_ref().map(|known| page_by_page_in_words(row, known));
    match (check.outcome, on_these) {
        (Outcome::Broken, None) => format!("{subject} fell: {values}"),
        (Outcome::Broken, Some(on_these)) => format!("{subject} fell on these pages: {values}; {on_these}"),
        (Outcome::Passed | Outcome::NothingToJudge, _) => format!("{subject}: {values}"),
        (Outcome::DidNotFall, _) => {
            let (sites, are) = (counted(row.sites, "site"), is_or_are(row.sites));
            let values = format!("{} -> {}", four(*baseline), four(*value));
            format!("{subject} did not fall ({values}); {sites} {are} too few to rule out a fall of {tolerance}")
        }
        (Outcome::CannotJudge, Some(on_these)) => format!("{subject}: {values}; {on_these}"),
        (Outcome::CannotJudge, None) => {
            let seen = match detectable {
                Some(detectable) => {
                    format!(
                        "where pages differ as much as here, a fall of {} is found four times in five",
                        four(*detectable)
                    )
                }
                None => "they can show no fall at all".to_owned(),
            };
            let (pages, sites) = (counted(row.pages, "page"), counted(row.sites, "site"));
            format!(
                "{subject}: {values}; {pages} of {sites} are too few to tell a fall of {tolerance} from chance; {seen}"
            )
        }
    }
}

/// The outcome of a rule on a row's time, in words behind its name.
fn of_time(check: &Checked, time: &TimeCheck) -> String {
    let TimeCheck { baseline_ms, value_ms, factor } = time;
    let rose = if check.outcome == Outcome::Broken { " rose" } else { "" };
    format!("{rose}: p50 {value_ms:.3} ms per page (baseline {baseline_ms:.3} ms, factor {factor} allowed)")
}

/// How the pages stand by themselves, where there are too few sites to say anything of others.
fn page_by_page_in_words(row: &RowJudgement, known: &PageByPage) -> String {
    let PageByPage { lower, higher, p } = *known;
    let p = if p < 0.0001 { "p < 0.0001".to_owned() } else { format!("p = {}", four(p)) };
    let (pages, sites, are) = (counted(row.pages, "page"), counted(row.sites, "site"), is_or_are(row.sites));
    let rather = if higher > lower { ", more than fell" } else { "" };
    format!(
        "{sites} {are} too few to judge by sites; of {pages}, {lower} fell and {higher} rose{rather} (sign test over pages: {p})"
    )
}

/// The reason for which a rule has nothing to judge.
fn idle_because(check: &Checked) -> String {
    match () {
        () if check.rule == Rule::SiteF1.to_string() => format!("no site has {LEAST_PAGES} pages"),
        () if check.rule == Rule::SlowerTime.to_string() => "no page of the run was timed".to_owned(),
        () => "no page has a text in the baseline and now".to_owned(),
    }
}

/// The way out where a program was given up for what `sentence` says. The gate asks it anew each time.
fn way_out(sentence: &str) -> &'static str {
    match sentence.contains(LATE) {
        true => "mend the program, or raise `timeout_s` in the configuration",
        false => "mend the program, or raise `restarts` in the configuration",
    }
}

/// What became of a rule on pages or sites, without its name.
fn of_pages(row: &RowJudgement, check: &Checked, mark: Mark<'_>) -> String {
    let (tolerance, pages) = (check.tolerance.unwrap_or_default(), check.worst.len());
    match check.outcome {
        Outcome::Broken => {}
        Outcome::NothingToJudge => return format!("nothing to judge, because {}", idle_because(check)),
        _ => return "holds".to_owned(),
    }
    if !check.sites.is_empty() {
        let sites = check.sites.len();
        let site = |site: &SiteFall| {
            let pages = counted(site.pages, "page");
            format!("{} ({pages}) {} -> {}", mark(&site.site), four(site.baseline), four(site.value))
        };
        let mut worst: Vec<String> = check.sites.iter().take(SHOWN_SITES).map(site).collect();
        if sites > SHOWN_SITES {
            worst.push(format!("and {} more", sites - SHOWN_SITES));
        }
        let are = is_or_are(sites);
        let (sites, worst) = (counted(sites, "site"), worst.join(", "));
        return format!("{sites} {are} more than {tolerance} below the baseline: {worst}");
    }
    if check.rule == Rule::Texts.to_string() {
        let lower = check.worst.iter().filter(|page| page.difference < 0.0).count();
        let higher = check.worst.iter().filter(|page| page.difference > 0.0).count();
        let (of, equal) = (counted(row.pages, "page"), pages - lower - higher);
        return format!(
            "the text changed on {pages} of {of}: F1 is lower on {lower} of them, higher on {higher}, equal on {equal}"
        );
    }
    let on_pages = format!("on {} of {}", counted(pages, "page"), row.pages);
    match check.worst.first().map(|page| page.of) {
        Some(Of::Gaps) => format!(
            "{on_pages} the text has much less or much more white space than in the baseline (tolerance {tolerance}, per token)"
        ),
        Some(Of::Unseen) => {
            format!("{on_pages} the text has more characters that nobody sees, by more than {tolerance} per token")
        }
        Some(Of::Markup) => {
            format!("{on_pages} the text has more character references and tags, by more than {tolerance} per token")
        }
        _ if check.tolerance.is_some() => {
            let are = is_or_are(pages);
            format!("{} of {} {are} more than {tolerance} below the baseline", counted(pages, "page"), row.pages)
        }
        _ => {
            let not_run = if pages == 1 { "fails or is not run" } else { "fail or are not run" };
            let given_up = row.given_up.as_ref().map(|sentence| format!("; {}; {}", mark(sentence), way_out(sentence)));
            format!("{} {not_run} any more{}", counted(pages, "page"), given_up.unwrap_or_default())
        }
    }
}

fn is_or_are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// Pages on which a row failed, extracted nothing, or was not run: now, and in the baseline where that is another.
pub(super) fn faults(row: &RowJudgement) -> String {
    let shown = |Faults { failed, empty, not_run }: Faults| format!("{failed}/{empty}/{not_run}");
    let [before, now] = row.faults;
    if before == now { shown(now) } else { format!("{} (was {})", shown(now), shown(before)) }
}

/// Why a page failed, behind its fall; `mark` sets the words of others apart.
pub(super) fn reason(page: &PageFall, mark: Mark<'_>) -> String {
    page.reason.as_ref().map_or(String::new(), |reason| format!(": {}", mark(&one_line(reason))))
}

/// A warning for each dataset whose sites may not be known.
fn pages_as_sites(judgement: &Judgement, mark: Mark<'_>) -> BTreeSet<String> {
    let warning = |row: &RowJudgement| {
        let words = conditions::pages_as_sites(row.pages, row.sites, row.pages_without_site)?;
        Some(format!("{}: {}", mark(&row.dataset), words.english()))
    };
    judgement.rows.iter().filter_map(warning).collect()
}

/// The rules that had nothing to judge, in a sentence for the rows of a dataset of which that holds for one reason.
fn idle(judgement: &Judgement, mark: Mark<'_>) -> Vec<String> {
    // That a baseline kept no texts is told in a sentence of its own.
    let of_texts = |rule: &str| ![Rule::SiteF1, Rule::SlowerTime].iter().any(|other| rule == other.to_string());
    let is_told = |check: &Checked| judgement.without_texts && of_texts(&check.rule);
    let is_idle = |check: &Checked| check.outcome == Outcome::NothingToJudge && !is_told(check);
    let mut rows: BTreeMap<(&str, String, String), Vec<String>> = BTreeMap::new();
    for row in &judgement.rows {
        let mut rules: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for check in row.checks.iter().filter(|check| is_idle(check)) {
            rules.entry(idle_because(check)).or_default().push(&check.rule);
        }
        for (why, rules) in rules {
            rows.entry((&row.dataset, rules.join(", "), why)).or_default().push(row.row.clone());
        }
    }
    let told = rows.into_iter().map(|((dataset, rules, why), rows)| {
        let rows = listed(&rows, &str::to_owned, mark);
        format!("{rules} of {rows} on {} had nothing to judge, because {why}", mark(dataset))
    });
    told.collect()
}

/// A page's value before and now.
pub(super) fn values(page: &PageFall) -> String {
    match (page.of, page.value) {
        (_, None) => format!("{} -> not run", four(page.baseline)),
        (Of::Score, Some(value)) => format!("{} -> {}", four(page.baseline), four(value)),
        (_, Some(value)) => format!("{} -> {value}", page.baseline),
    }
}

/// A page's fall, without its name.
pub(super) fn fall(page: &PageFall) -> String {
    let limit = page.limit.map_or(String::new(), |limit| format!(", limit {}", four(limit)));
    let unit = match page.of {
        Of::Score => None,
        Of::Gaps => Some("runs of white space"),
        Of::Unseen => Some("unseen characters"),
        Of::Markup => Some("references and tags"),
    };
    if let Some(unit) = unit {
        return format!("{} {unit}", values(page));
    }
    let difference = format!("difference {}", signed(page.difference));
    match page.value {
        None => format!("{} in the baseline, not run now", four(page.baseline)),
        Some(_) => {
            let why = match (page.failed, page.emptied) {
                (true, _) => ", failed",
                (_, true) => ", nothing is extracted any more",
                _ => "",
            };
            format!("{}{limit}, {difference}{why}", values(page))
        }
    }
}

/// The parts of a system's line that `other` lacks.
pub(super) fn parts(system: &str, other: &str) -> String {
    let others: Vec<&str> = other.split(" | ").collect();
    let own: Vec<String> = system.split(" | ").filter(|part| !others.contains(part)).map(short).collect();
    if own.is_empty() { "without these".to_owned() } else { own.join(" | ") }
}

/// That pages have other ids.
fn renamed(RenamedPages { dataset, pages }: &RenamedPages, mark: Mark<'_>) -> String {
    let have = if pages.len() == 1 { "has another id" } else { "have other ids" };
    let first = pages.first().map_or(String::new(), |[old, new]| format!(": {} is {} now", mark(old), mark(new)));
    let more = if pages.len() > 1 { ", .." } else { "" };
    format!(
        "{} of {} {have} than in the baseline, and the same bytes and gold, by which each is judged all the same{first}{more}",
        counted(pages.len(), "page"),
        mark(dataset)
    )
}

/// What is worth knowing besides, a sentence each.
pub(super) fn notes(judgement: &Judgement, accepting: &Accepting, short_id: Short<'_>, mark: Mark<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    let accept = mark(&accepting.command);
    if judgement.without_texts {
        notes.push(format!(
            "the baseline is of an earlier carat and kept no texts, so white_space, unseen, markup and texts were not looked \
             at; to keep them: {accept}"
        ));
    }
    if judgement.without_times {
        notes.push(format!(
            "the baseline lacks times, so slower_time was not looked at where it does; to keep times of this machine: {accept}"
        ));
    }
    let taking_in = match judgement.is_of_the_baseline() {
        true if accepting.is_refused => "; to take in new pages, mend what fails first".to_owned(),
        true => format!("; to take in new pages once this passes: {accept}"),
        false => String::new(),
    };
    for DatasetPages { dataset, pages } in &judgement.apart.grown {
        notes.push(format!(
            "{} of {} {}: {}{taking_in}",
            counted(pages.len(), "page"),
            mark(dataset),
            if pages.len() == 1 {
                "is not judged, because the baseline lacks it"
            } else {
                "are not judged, because the baseline lacks them"
            },
            listed(pages, short_id, mark),
        ));
    }
    for row in judgement.rows.iter().filter(|row| !row.failing_new_pages.is_empty()) {
        let (pages, name, dataset) = (&row.failing_new_pages, mark(&row.row), mark(&row.dataset));
        let (count, are) = (counted(pages.len(), "new page"), is_or_are(pages.len()));
        notes.push(format!(
            "{name} fails on, or was not run on, {count} of {dataset}, which {are} accepted only with --allow-failed: {}",
            listed(pages, short_id, mark)
        ));
    }
    let is_whole = judgement.apart.of_the_baseline().next().is_none() && judgement.apart.grown.is_empty();
    if !is_whole && !judgement.rows.is_empty() {
        notes.push("the figures here are of the pages that are the same in both".to_owned());
    }
    notes.extend(judgement.apart.renamed.iter().map(|pages| renamed(pages, mark)));
    let unknown = &judgement.apart.without_digests;
    notes.extend(unknown.iter().map(|dataset| format!("{}: {UNSEEN}", mark(dataset))));
    if !judgement.new_rows.is_empty() {
        let rows: Vec<String> =
            judgement.new_rows.iter().map(|(dataset, row)| format!("{} on {}", mark(row), mark(dataset))).collect();
        notes.push(format!("new rows, not gated until they are accepted: {}", rows.join(", ")));
    }
    let [higher, lower] =
        [0, 2].map(|place: usize| judgement.rows.iter().map(|row| row.higher_equal_lower[place]).sum::<usize>());
    match judgement.verdict {
        _ if accepting.is_refused => {}
        Verdict::CannotJudge if !judgement.is_of_the_baseline() => {
            notes.push(format!("if that is meant, make the baseline anew: {accept}"));
        }
        Verdict::Passed if higher > lower => {
            let rows = judgement.rows.iter().filter(|row| row.higher_equal_lower[0] > 0).count();
            let (pages, rows) = (counted(higher, "page score"), counted(rows, "row"));
            notes.push(format!("{pages} above the baseline, in {rows}; to raise it: {accept}"));
        }
        Verdict::Fell => notes.push(format!("if that is meant, accept it: {accept}")),
        _ => {}
    }
    notes.extend(pages_as_sites(judgement, mark));
    notes.extend(idle(judgement, mark));
    notes.extend(judgement.checks(Outcome::DidNotFall).map(|(row, one)| check(row, one, mark)));
    // What to do comes first: of many rows with another program behind them not all are shown everywhere.
    for row in &judgement.rows {
        if let Some(before) = &row.baseline_system {
            let (name, dataset) = (mark(&row.row), mark(&row.dataset));
            let [before, now] =
                [(before, &row.system), (&row.system, before)].map(|(one, other)| mark(&parts(one, other)));
            notes.push(format!("the system of {name} on {dataset} changed: it was {before}, it is {now} now"));
        }
    }
    notes
}
