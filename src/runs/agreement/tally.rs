//! The agreement of a dataset's pages, added up.

use std::collections::{BTreeMap, BTreeSet};

use super::first::First;
use super::page::pairs_of;
use super::sums::{Lengths, OnPage, Sums, count_of_pairs, median};
use super::{ComparedSystem, DatasetAgreement, DisputedPage, Extracted, PageAgreement, SilentPage, rank};
use crate::datasets::manifest::{GROUPS, Record, SITE};
use crate::page::primary_language;
use crate::runs::sites::{MOST_SITES, keep_most_pages};
use crate::scoring::ONE;

/// Adds up the agreement of a dataset's pages, one after the other.
#[derive(Default)]
pub(in crate::runs) struct AgreementTally {
    /// The places of the rows that are compared.
    rows: Vec<usize>,
    all: Sums,
    /// The lengths of each row's texts.
    lengths: Vec<Lengths>,
    /// For each kind of group the sums of each group, by its name.
    groups: [BTreeMap<String, Sums>; GROUPS.len()],
    /// The languages of the pages.
    languages: BTreeSet<Option<String>>,
    disputed: First<DisputedPage>,
    silent_pages: usize,
    silent: First<SilentPage>,
}

impl AgreementTally {
    /// Of the rows at `rows`, and no page yet.
    pub(in crate::runs) fn new(rows: Vec<usize>) -> Self {
        let all = Sums::new(rows.len(), count_of_pairs(rows.len()));
        AgreementTally { all, lengths: vec![Lengths::new(); rows.len()], rows, ..AgreementTally::default() }
    }

    /// Adds a page.
    pub(in crate::runs) fn add(&mut self, record: &Record, agreement: &PageAgreement) {
        let number = self.all.pages;
        if let Some(page) = compared(&self.rows, record, agreement) {
            // Of twelve digits, as F1 itself.
            let order = (rank(page.texts_f1, page.f1) * ONE as f64).round() as u64;
            self.disputed.add(order, number, page);
        }
        let page = SilentPage::of(&self.rows, record, agreement);
        if page.silent > 0 {
            self.silent_pages += 1;
            self.silent.add(u64::MAX - page.silent as u64, number, page);
        }
        self.languages.insert(record.language.as_deref().and_then(primary_language));
        let page = OnPage::of(&self.rows, agreement);
        self.all.add(&page);
        for (kept, lengths) in page.kept.iter().zip(&mut self.lengths).filter(|(kept, _)| kept.pages > 0) {
            *lengths.entry(kept.tokens).or_default() += 1;
        }
        for ((key, groups), name) in GROUPS.iter().zip(&mut self.groups).zip(record.groups()) {
            // A page whose site is not known has its id for a site, and would be a group of its own.
            let Some(name) = name.filter(|name| *key != GROUPS[SITE] || **name != record.id) else { continue };
            match groups.get_mut(name) {
                Some(sums) => sums.add(&page),
                None => groups.entry(name.clone()).or_insert_with(|| Sums::of_group(self.rows.len())).add(&page),
            }
        }
    }

    /// What it comes to for `dataset`; `None` of no page. `system` tells of a row that was compared on pages in these
    /// languages.
    pub(in crate::runs) fn finish(
        self,
        dataset: &str,
        system: impl Fn(usize, &BTreeSet<Option<String>>) -> ComparedSystem,
    ) -> Option<DatasetAgreement> {
        let pairs = self.all.pairs();
        let systems = self.rows.iter().zip(self.all.kept).zip(&self.lengths);
        let systems = systems.map(|((&row, kept), lengths)| ComparedSystem {
            kept,
            median: median(lengths),
            ..system(row, &self.languages)
        });
        let named = |(name, sums): (String, Sums)| (name, sums.finish_group());
        let all_sites = Some(self.groups[SITE].len()).filter(|&sites| sites > MOST_SITES);
        let mut groups = self.groups.map(|groups| groups.into_iter().collect::<Vec<_>>());
        keep_most_pages(&mut groups[SITE], |(_, sums)| sums.pages as u64);
        let groups = GROUPS.iter().zip(groups).filter(|(_, groups)| !groups.is_empty());
        let groups = groups.map(|(key, groups)| ((*key).to_owned(), groups.into_iter().map(named).collect()));
        (self.all.pages > 0).then(|| DatasetAgreement {
            dataset: dataset.to_owned(),
            pages: self.all.pages,
            systems: systems.collect(),
            pairs,
            disputed: self.disputed.finish(),
            silent_pages: self.silent_pages,
            silent: self.silent.finish(),
            all_sites,
            groups: groups.collect(),
        })
    }
}

impl SilentPage {
    /// The systems at `rows` that extracted nothing from a page.
    fn of(rows: &[usize], record: &Record, agreement: &PageAgreement) -> Self {
        let run = rows.iter().filter(|row| agreement.rows[**row] != Extracted::NotRun);
        let [mut silent, mut systems] = [0, 0];
        run.for_each(|&row| {
            systems += 1;
            silent += usize::from(!agreement.has_text(row));
        });
        SilentPage { page: record.id.clone(), silent, systems }
    }
}

/// The agreement of the systems at `rows` on a page; `None` where no two of them extracted a text, empty or not.
pub(in crate::runs) fn compared(rows: &[usize], record: &Record, agreement: &PageAgreement) -> Option<DisputedPage> {
    let f1 = |places: [usize; 2]| Some((agreement.f1(rows[places[0]], rows[places[1]])?, places));
    let known: Vec<(u64, [usize; 2])> = pairs_of(rows).filter_map(f1).collect();
    let shown = |value: u64| value as f64 / ONE as f64;
    let have_texts = |(_, places): &&(u64, [usize; 2])| places.iter().all(|&place| agreement.has_text(rows[place]));
    // Two texts show a dispute; an empty one shows none.
    let &(least_f1, least) = known.iter().filter(have_texts).min().or_else(|| known.iter().min())?;
    let tags = [&record.site, &record.language, &record.kind].map(|tag| tag.clone().unwrap_or_default());
    Some(DisputedPage {
        page: record.id.clone(),
        tags,
        pairs: known.len(),
        f1: shown(mean(known.iter())?),
        least,
        least_f1: shown(least_f1),
        texts_f1: mean(known.iter().filter(have_texts)).map(shown),
        silent: SilentPage::of(rows, record, agreement).silent,
    })
}

/// The mean of F1 over pairs; `None` of none.
fn mean<'p>(pairs: impl Iterator<Item = &'p (u64, [usize; 2])>) -> Option<u64> {
    let (mut sum, mut count) = (0, 0);
    pairs.for_each(|(f1, _)| {
        sum += u128::from(*f1);
        count += 1;
    });
    (count > 0).then(|| ((2 * sum + count) / (2 * count)) as u64)
}
