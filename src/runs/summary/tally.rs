//! Adding up a run page by page.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::LazyLock;

use super::conditions::{Conditions, DatasetConditions, TrainingDataset};
use super::curves::{FLAT_SAMPLING, MOST_FLAT, SweepCurve};
use super::kept_replies::KeptTally;
use super::rows::{Coverage, GroupFigures, MeanOfSome, Savings, SnippetCounts, SummaryRow};
use super::steps::{MOST_HELD, Steps};
use super::{SCHEMA, Summary};
use crate::algorithms::parameters::ParameterKind;
use crate::datasets::manifest::{GROUPS, Record, SITE};
use crate::datasets::site::SUFFIX_LIST;
use crate::datasets::{Dataset, DatasetDigest};
use crate::formats::digest::{LinesDigest, sha256};
use crate::formats::files::{FileError, unwritten};
use crate::page::primary_language;
use crate::runs::agreement::{AgreementTally, ComparedSystem};
use crate::runs::page_outcome::PageOutcome;
use crate::runs::plan::Plan;
use crate::runs::roles::RoleTally;
use crate::runs::row_outcome::{RowOutcome, RowResult};
use crate::runs::sites::{MOST_SITES, OfSite, keep_most_pages};
use crate::runs::sweep::{SiteStep, mean_curve, site_sums};
use crate::runs::system::{Alone, ExactSweep, Row};
use crate::scoring::snippets::Snippets;
use crate::scoring::{Comparison, Counts, Measure, Structure};
use crate::statistics::{Sums, Totals, flat_region, mean_of_sums};
use crate::text::tokens::{Case, TokenKind, unicode_versions};
use crate::text::words::{SEGMENTER, SEGMENTER_WITH_MODEL};

/// The digest of the empty text.
static EMPTY: LazyLock<String> = LazyLock::new(|| sha256(b""));

/// Adds up a run's outcomes page by page, so that none needs to be kept.
pub struct Summariser<'p> {
    plan: &'p Plan,
    tallies: Vec<Tally>,
    /// Steps of exact sweeps that are held.
    held_steps: usize,
}

/// What is known of one dataset's pages so far.
struct Tally {
    digest: DatasetDigest,
    golds_as_they_stand: Option<LinesDigest>,
    pages: usize,
    /// Those on which rows were run: the others have no gold to score them by, and no other row to compare them with.
    run: usize,
    without_gold: usize,
    languages: BTreeSet<Option<String>>,
    /// The names of each kind of group, numbered in order of appearance.
    names: [BTreeMap<String, usize>; GROUPS.len()],
    rows: Vec<RowTally>,
    /// Pages that were scored, by the number of their site.
    site_pages: Vec<u64>,
    /// Pages that can be read, scored or not, by the number of their site: what an algorithm of a site sees.
    on_site: Vec<u64>,
    sweeps: Vec<SweepTally>,
    agreement: AgreementTally,
    /// By the place of the row.
    kept_replies: BTreeMap<usize, KeptTally>,
}

/// What is known of one exact sweep so far.
#[derive(Default)]
struct SweepTally {
    steps: Steps,
    /// Pages that do not count in it, by the number of their site.
    not_run: BTreeMap<usize, u64>,
}

/// What is known of one row so far.
#[derive(Clone, Default)]
struct RowTally {
    totals: Totals,
    failed: usize,
    timed_out: usize,
    not_run: usize,
    without: usize,
    unfit: usize,
    /// Pages with a text that carat rendered, and with one that a program wrote.
    rendered: usize,
    written: usize,
    /// The F1 of the pages that WebMainBench counts, and their number.
    webmainbench: (u128, usize),
    empty: usize,
    degraded: usize,
    snippets: SnippetTally,
    aligned: usize,
    alone: usize,
    coverage: Option<Coverage>,
    savings: Option<Savings>,
    roles: RoleTally,
    /// For each kind of group the sums of each group, by its number.
    groups: [Vec<OfSite<Sums>>; GROUPS.len()],
    /// The same of their snippets; empty by any other measure.
    group_snippets: [Vec<SnippetTally>; GROUPS.len()],
}

/// The counts on pages by the measure `snippets`, and their snippets that must not be found.
#[derive(Clone, Copy, Default)]
struct SnippetTally {
    counts: Counts,
    unwanted: u64,
}

impl SnippetTally {
    fn add(&mut self, counts: Counts, unwanted: u64) {
        self.counts.matched += counts.matched;
        self.counts.extracted += counts.extracted;
        self.counts.gold += counts.gold;
        self.unwanted += unwanted;
    }

    fn figures(&self) -> SnippetCounts {
        SnippetCounts::new(self.counts, self.unwanted)
    }
}

/// The item at the place, which is made if it is not there.
fn at<T: Clone + Default>(list: &mut Vec<T>, place: usize) -> &mut T {
    if list.len() <= place {
        list.resize(place + 1, T::default());
    }
    &mut list[place]
}

impl<'p> Summariser<'p> {
    /// Of no page yet.
    pub fn new(plan: &'p Plan) -> Self {
        let tally = |(place, _)| Tally {
            digest: DatasetDigest::new(),
            golds_as_they_stand: None,
            pages: 0,
            run: 0,
            without_gold: 0,
            languages: BTreeSet::new(),
            names: Default::default(),
            rows: vec![RowTally::default(); plan.rows.len()],
            site_pages: Vec::new(),
            on_site: Vec::new(),
            sweeps: plan.sweeps.iter().map(|_| SweepTally::default()).collect(),
            agreement: AgreementTally::new(plan.compared_rows(place)),
            kept_replies: BTreeMap::new(),
        };
        Summariser { plan, tallies: plan.datasets.iter().enumerate().map(tally).collect(), held_steps: 0 }
    }

    /// Adds a page of the dataset at `place`; a dataset's pages come in its order.
    ///
    /// # Errors
    /// [`FileError`]: steps of exact sweeps are more than memory should hold, and the folder for temporary files takes none.
    pub fn add(&mut self, place: usize, record: &Record, outcome: &PageOutcome) -> Result<(), FileError> {
        let tally = &mut self.tallies[place];
        tally.digest.add(record, &outcome.digests);
        if let Some(gold) = &outcome.digests.gold_as_it_stands {
            let lines = tally.golds_as_they_stand.get_or_insert_default();
            [&record.id, gold].into_iter().for_each(|field| lines.add(field));
        }
        tally.pages += 1;
        tally.run += usize::from(outcome.rows.is_some() || outcome.agreement.is_some());
        if outcome.page.is_ok() {
            let site = tally.site(record);
            *at(&mut tally.on_site, site) += 1;
        }
        for (&row, &since) in &outcome.kept_replies {
            tally.kept_replies.entry(row).or_default().add(since);
        }
        let Some(rows) = &outcome.rows else {
            tally.without_gold += 1;
            if let Some(agreement) = &outcome.agreement {
                tally.agreement.add(record, agreement);
            }
            return Ok(());
        };
        let measure = self.plan.configuration.comparison.measure;
        let snippets = (measure == Measure::Snippets).then(|| record.snippets());
        let matching = self.plan.datasets[place].manifest.snippets;
        let unwanted =
            snippets.map(|texts| Snippets::new(&texts.with, &texts.without, matching, Case::Keep).unwanted());
        tally.languages.insert(record.language.as_deref().and_then(primary_language));
        let groups = tally.groups(record);
        let sizes = outcome.page.as_ref().map(|page| page.sizes).unwrap_or_default();
        for (row, of_row) in rows.iter().zip(&mut tally.rows) {
            of_row.failed += usize::from(matches!(row, RowOutcome::Failed(_)));
            of_row.timed_out += usize::from(matches!(row, RowOutcome::TimedOut(_)));
            of_row.not_run += usize::from(*row == RowOutcome::NotRun);
            of_row.without += usize::from(*row == RowOutcome::Without);
            of_row.unfit += usize::from(matches!(row, RowOutcome::Unfit(_)));
            if let RowOutcome::Scored(result) = row {
                of_row.rendered += usize::from(result.rendered);
                of_row.written += usize::from(!result.rendered);
                // A page of two empty texts is left out, as one that failed is.
                if result.scores_zero || result.counts.extracted + result.counts.gold > 0 {
                    of_row.webmainbench.0 += u128::from(result.score().f1);
                    of_row.webmainbench.1 += 1;
                }
            }
            // What these measures count may be missing from a text that is not empty.
            let by_digest = matches!(
                measure,
                Measure::Snippets | Measure::Edit | Measure::Rouge(_) | Measure::DifflibMarkers | Measure::Structure(_)
            ) || self.plan.configuration.comparison.tokens == TokenKind::Cleaneval;
            let is_empty = |result: &RowResult| match by_digest {
                false => result.counts.extracted == 0,
                true => *result.text == *EMPTY,
            };
            of_row.empty += usize::from(matches!(row, RowOutcome::Scored(result) if is_empty(result)));
            of_row.degraded += usize::from(matches!(row, RowOutcome::Scored(result) if result.degraded));
            of_row.alone += usize::from(matches!(row, RowOutcome::Scored(result) if result.alone));
            of_row.aligned += usize::from(matches!(row, RowOutcome::Scored(result) if result.aligned));
            if let (RowOutcome::Scored(RowResult { characters: Some(extracted), .. }), Some(html)) = (row, sizes.html) {
                Savings::add(&mut of_row.savings, *extracted, html, sizes.text);
            }
            if let RowOutcome::Scored(RowResult { rules: Some(used), .. }) = row {
                of_row.coverage.get_or_insert_default().add(used.decided);
            }
            if let Some(roles) = &outcome.roles {
                of_row.roles.add(roles, row);
            }
            let Some((counts, score)) = row.score() else { continue };
            of_row.totals.add([counts.matched, counts.extracted, counts.gold], score.values());
            for (sums, group) in of_row.groups.iter_mut().zip(groups) {
                let Some(group) = group else { continue };
                at(sums, group).add(score.values());
            }
            let Some(unwanted) = unwanted else { continue };
            of_row.snippets.add(counts, unwanted);
            for (tallies, group) in of_row.group_snippets.iter_mut().zip(groups) {
                let Some(group) = group else { continue };
                at(tallies, group).add(counts, unwanted);
            }
        }
        let site = groups[SITE].unwrap_or_default();
        *at(&mut tally.site_pages, site) += 1;
        for (sweep, curve) in tally.sweeps.iter_mut().zip(&outcome.sweeps) {
            match curve {
                Some(curve) => {
                    let steps = curve.iter().flatten().map(|&step| SiteStep { site: site as u32, step });
                    self.held_steps += sweep.steps.extend(steps);
                }
                None => *sweep.not_run.entry(site).or_default() += 1,
            }
        }
        if self.held_steps > MOST_HELD {
            self.held_steps = 0;
            let mut sweeps = self.tallies.iter_mut().flat_map(|tally| &mut tally.sweeps);
            sweeps.try_for_each(|sweep| sweep.steps.put_away()).map_err(unheld)?;
        }
        Ok(())
    }

    /// The summary of all that was added, and the mean curve of each exact sweep over each dataset.
    ///
    /// # Errors
    /// As [`Summariser::add`].
    pub fn finish(self) -> Result<(Summary, Vec<SweepCurve>), FileError> {
        let Summariser { plan, tallies, .. } = self;
        let configuration = &plan.configuration;
        let (mut datasets, mut rows, mut curves) = (BTreeMap::new(), Vec::new(), Vec::new());
        let (mut agreement, mut kept_replies, mut all_sites) = (Vec::new(), Vec::new(), BTreeMap::new());
        let by_snippets = configuration.comparison.measure == Measure::Snippets;
        for (place, (dataset, mut tally)) in plan.datasets.iter().zip(tallies).enumerate() {
            let compared = std::mem::take(&mut tally.agreement);
            agreement.extend(compared.finish(dataset.name(), |number, languages| {
                let row = &plan.rows[number];
                ComparedSystem {
                    label: row.name_and_label(),
                    system: row.system.line(place, languages),
                    row: number,
                    ..ComparedSystem::default()
                }
            }));
            let kept = std::mem::take(&mut tally.kept_replies).into_iter();
            kept_replies.extend(
                kept.filter_map(|(row, kept)| kept.finish(dataset.name(), plan.rows[row].name_and_label(), tally.run)),
            );
            let is_scored = plan.scores_rows(place);
            let sites = tally.sites();
            if is_scored && sites.len() > MOST_SITES {
                all_sites.insert(dataset.name().to_owned(), sites.len());
            }
            let listed = tally.listed(sites);
            let scored = plan.rows.iter().zip(&tally.rows).filter(|(row, _)| is_scored && row.system.is_of(place));
            rows.extend(scored.map(|(row, of_row)| {
                let snippets = by_snippets.then(|| of_row.snippets.figures());
                SummaryRow { snippets, ..summary_row(plan, place, (row, of_row), &tally, &listed) }
            }));
            let swept = plan.sweeps.iter().zip(std::mem::take(&mut tally.sweeps));
            let swept = swept.filter(|(sweep, _)| is_scored && sweep.row.system.is_of(place));
            for (sweep, of_sweep) in swept {
                curves.extend(sweep_curve(dataset, sweep, of_sweep, &tally).map_err(unheld)?);
            }
            let conditions = DatasetConditions {
                version: dataset.manifest.version.clone(),
                digest: tally.digest.finish(&dataset.manifest),
                pages: tally.pages,
                without_gold: tally.without_gold,
                dropped: dataset.dropped().pages,
                lost: dataset.dropped().lost.clone(),
                made_of: dataset.manifest.made_of(),
                gold_nature: dataset.manifest.gold.nature.clone(),
                gold_note: dataset.manifest.gold.note.clone(),
                golds_as_they_stand: tally.golds_as_they_stand.map(LinesDigest::finish),
            };
            datasets.insert(dataset.name().to_owned(), conditions);
        }
        let trained_on = plan.rows.iter().flat_map(|row| row.system.trained_on());
        let owned = |(dataset, digest): (&Dataset, &str)| TrainingDataset {
            name: dataset.name().to_owned(),
            digest: digest.to_owned(),
        };
        let Comparison { tokens, case, measure } = configuration.comparison;
        let conditions = Conditions {
            datasets,
            filters: configuration.filters.clone(),
            without_faults: configuration.without_faults.clone(),
            trained_on: trained_on.map(owned).collect(),
            tokens: tokens.to_string(),
            case: case.to_string(),
            measure: measure.to_string(),
            unicode: unicode_versions(),
            segmenter: if tokens == TokenKind::Jieba { SEGMENTER_WITH_MODEL } else { SEGMENTER }.to_owned(),
            suffix_list: SUFFIX_LIST.to_owned(),
        };
        let name = configuration.name.clone();
        Ok((
            Summary { schema: SCHEMA, name, conditions, rows, all_sites, agreement, kept_replies, missing_pages: 0 },
            curves,
        ))
    }
}

impl Tally {
    /// The number of the page's group of each kind.
    fn groups(&mut self, record: &Record) -> [Option<usize>; GROUPS.len()] {
        let mut names = record.groups().map(|name| name.map(String::as_str));
        names[SITE] = Some(record.site_or_id());
        std::array::from_fn(|kind| names[kind].map(|name| number(&mut self.names[kind], name)))
    }

    /// The number of the page's site.
    fn site(&mut self, record: &Record) -> usize {
        number(&mut self.names[SITE], record.site_or_id())
    }

    /// The sites with pages that were scored, in the order of their names.
    fn sites(&self) -> Vec<(&String, usize)> {
        let sites = self.names[SITE].iter().map(|(name, &number)| (name, number));
        sites.filter(|&(_, number)| self.site_pages.get(number).is_some_and(|&pages| pages > 0)).collect()
    }

    /// The names and numbers of the groups of each kind that rows list, in the order of their names; not all of too many sites.
    fn listed<'t>(&'t self, mut sites: Vec<(&'t String, usize)>) -> [Vec<(&'t String, usize)>; GROUPS.len()] {
        keep_most_pages(&mut sites, |&(_, number)| self.site_pages[number]);
        let mut listed =
            self.names.each_ref().map(|names| names.iter().map(|(name, &number)| (name, number)).collect());
        listed[SITE] = sites;
        listed
    }
}

/// The number of the group of this name, the next one if it is new.
fn number(known: &mut BTreeMap<String, usize>, name: &str) -> usize {
    if let Some(&number) = known.get(name) {
        return number;
    }
    let number = known.len();
    known.insert(name.to_owned(), number);
    number
}

/// True if WebMainBench prints figures by this rule.
fn is_of_webmainbench(Comparison { tokens, measure, .. }: Comparison) -> bool {
    match measure {
        Measure::Edit => tokens == TokenKind::Scalar,
        Measure::Rouge(5) => tokens == TokenKind::Jieba,
        measure => measure.structure().is_some_and(Structure::reads_markdown_alone),
    }
}

fn summary_row(
    plan: &Plan,
    place: usize,
    (row, of_row): (&Row, &RowTally),
    tally: &Tally,
    listed: &[Vec<(&String, usize)>; GROUPS.len()],
) -> SummaryRow {
    let figures = |kind: usize| {
        let groups = listed[kind].iter().filter_map(|&(name, number)| {
            let sums = of_row.groups[kind].get(number)?.sums()?;
            let snippets = of_row.group_snippets[kind].get(number).map(SnippetTally::figures);
            Some((name.clone(), GroupFigures { pages: sums.pages() as usize, mean: sums.mean(), snippets }))
        });
        groups.collect::<BTreeMap<_, _>>()
    };
    let groups = GROUPS.iter().enumerate().map(|(kind, key)| ((*key).to_owned(), figures(kind)));
    let sites = of_row.groups[SITE].iter().filter_map(OfSite::sums);
    let alone_on_site = |is_alone: &dyn Fn(usize, u64) -> bool| {
        let scored =
            of_row.groups[SITE].iter().enumerate().filter_map(|(site, sums)| Some((site, sums.sums()?.pages())));
        scored.filter(|&(site, scored)| is_alone(site, scored)).map(|(_, scored)| scored as usize).sum()
    };
    let alone = row.system.alone().map(|alone| match alone {
        Alone::OnSite => alone_on_site(&|site, _| tally.on_site.get(site).is_none_or(|&pages| pages <= 1)),
        Alone::OnSiteWithGold => alone_on_site(&|_, scored| scored == 1),
        Alone::AsFound => of_row.alone,
    });
    SummaryRow {
        dataset: plan.datasets[place].name().to_owned(),
        algorithm: row.name().to_owned(),
        floor: row.system.algorithm().is_some_and(|(algorithm, _)| algorithm.declaration().floor),
        reads_gold: row.system.reads_gold_of(place),
        parameters: row.system.values(),
        differs: row.system.differs(),
        swept: row.swept.clone(),
        pages: of_row.totals.pages() as usize,
        failed: of_row.failed,
        timed_out: of_row.timed_out,
        not_run: of_row.not_run,
        without: of_row.without,
        unfit: of_row.unfit,
        rendered: of_row.rendered > 0 && tally.rows.iter().any(|row| row.rendered == 0 && row.written > 0),
        webmainbench: is_of_webmainbench(plan.configuration.comparison).then(|| {
            let (sum, pages) = of_row.webmainbench;
            MeanOfSome { f1: mean_of_sums([0, 0, sum as i128], pages as u64).f1, pages }
        }),
        dropped: plan.datasets[place].dropped().pages,
        empty: of_row.empty,
        degraded: of_row.degraded,
        snippets: None,
        aligned: of_row.aligned,
        coverage: of_row.coverage,
        alone,
        roles: of_row.roles.figures(),
        savings: of_row.savings,
        aggregates: of_row.totals.aggregates(sites),
        groups: groups.filter(|(_, groups)| !groups.is_empty()).collect(),
        system: row.system.line(place, &tally.languages),
    }
}

/// That steps cannot be put into a file, or read from it.
fn unheld(source: io::Error) -> FileError {
    unwritten(&std::env::temp_dir(), source)
}

/// `None` where no page counts.
fn sweep_curve(
    dataset: &Dataset,
    sweep: &ExactSweep,
    of_sweep: SweepTally,
    tally: &Tally,
) -> io::Result<Option<SweepCurve>> {
    let ParameterKind::Decimal { from, to, below } = sweep.range else { return Ok(None) };
    let SweepTally { steps, not_run } = of_sweep;
    let pages = |site: usize| tally.site_pages[site] - not_run.get(&site).copied().unwrap_or_default();
    // In the order of their names, as everywhere: the same sites then are in the same draws.
    let sites: Vec<usize> = tally.sites().into_iter().map(|(_, site)| site).filter(|&site| pages(site) > 0).collect();
    let site_pages: Vec<u64> = sites.iter().map(|&site| pages(site)).collect();
    if sites.is_empty() {
        return Ok(None);
    }
    let steps = steps.sorted()?;
    let pieces = mean_curve(steps.iter(), site_pages.iter().sum(), (from, to, below));
    let in_order = |sums: Vec<u128>| sites.iter().map(|&site| sums[site]).collect();
    let by_site = |looked_at: &[usize]| {
        let pieces = looked_at.iter().map(|&piece| &pieces[piece]);
        site_sums(steps.iter(), tally.site_pages.len(), pieces).into_iter().map(in_order).collect()
    };
    let means: Vec<f64> = pieces.iter().map(|piece| piece.mean.f1).collect();
    let flat = flat_region(&means, MOST_FLAT, by_site, &site_pages, &FLAT_SAMPLING);
    steps.finish()?;
    Ok(Some(SweepCurve {
        flat,
        dataset: dataset.name().to_owned(),
        algorithm: sweep.row.name().to_owned(),
        label: sweep.label(),
        parameter: sweep.parameter.clone(),
        default: sweep.default.clone(),
        pieces,
    }))
}
