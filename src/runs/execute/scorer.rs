//! Scores what is extracted from one page.

use std::collections::{BTreeMap, hash_map};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::target::{Offered, Target};

use crate::algorithms::algorithm::Choice;
use crate::algorithms::features::digests::digest;
use crate::datasets::manifest::Record;
use crate::formats::digest::sha256;
use crate::page::Page;
use crate::runs::configuration::Configuration;
use crate::runs::kind::WrittenText;
use crate::runs::node_tokens::on_nodes;
use crate::runs::page_outcome::Work;
use crate::runs::roles::RoleCounter;
use crate::runs::row_outcome::{Characters, RowFailure, RowOutcome, RowResult};
use crate::scoring::{Comparison, Counts, Measured};
use crate::structure::{Document, TextKind};
use crate::text::chars;
use crate::text::marks::Marks;

/// Texts of one page are kept up to this many bytes: those of a huge page would fill the memory.
const MAX_KEPT_BYTES: usize = 64 << 20;

/// The outcomes of a row on a page by each measure of the run, in order.
pub(super) type ByMeasure = Vec<RowOutcome>;

/// Scores extractions from one page against its gold, each distinct one once; without gold they are only gathered.
pub(super) struct Scorer<'p> {
    pub(super) target: Target<'p>,
    /// The rules of the run, in order.
    rules: Vec<Comparison>,
    /// True if the gold is Markdown: a text that carat rendered is then told from one that a program wrote.
    gold_is_markdown: bool,
    /// What choices came to, by their [`key`].
    chosen: FxHashMap<u128, ByMeasure>,
    /// The outcomes of texts by measures over tokens, by their digests.
    scored: FxHashMap<(Arc<str>, Arc<str>), ByMeasure>,
    /// What counts text by role, where the page has roles.
    roles: Option<RoleCounter>,
    /// What texts of other programs hold of each role, by their digests.
    roles_of_texts: FxHashMap<Arc<str>, Option<Vec<Characters>>>,
    /// What rows extracted; `None` once they are through, for sweeps of a page have too many texts to keep.
    extractions: Option<BTreeMap<Arc<str>, String>>,
    kept_bytes: usize,
    pub(super) work: Work,
}

impl<'p> Scorer<'p> {
    pub(super) fn new(
        target: Target<'p>,
        (configuration, record): (&Configuration, &Record),
        roles: Option<RoleCounter>,
    ) -> Self {
        Scorer {
            target,
            gold_is_markdown: record.gold.as_ref().is_some_and(|gold| gold.kind() == TextKind::Markdown),
            rules: configuration.comparisons().collect(),
            chosen: FxHashMap::default(),
            scored: FxHashMap::default(),
            roles,
            roles_of_texts: FxHashMap::default(),
            extractions: Some(BTreeMap::new()),
            kept_bytes: 0,
            work: Work::default(),
        }
    }

    /// What the rows extracted, by digests; what is scored from now on is not kept.
    pub(super) fn take_extractions(&mut self) -> BTreeMap<Arc<str>, String> {
        self.extractions.take().unwrap_or_default()
    }

    /// A row that was not run.
    pub(super) fn not_run(&self) -> ByMeasure {
        vec![RowOutcome::NotRun; self.rules.len()]
    }

    /// What a choice on the page comes to.
    pub(super) fn score(&mut self, choice: &Choice, page: &Page) -> ByMeasure {
        let key = key(choice);
        if let Some(known) = self.chosen.get(&key) {
            self.work.choices += 1;
            return known.clone();
        }
        self.work.renderings += 1;
        let text = choice.text(page);
        let outcomes = if self.target.node_tokens().is_some() {
            vec![self.score_nodes(choice, text, page)]
        } else {
            let roles = self.roles.as_ref().and_then(|roles| roles.of_choice(choice, page));
            let offered = Offered { is_rendered: matches!(choice, Choice::Selection(_)), ..Offered::plain(&text) };
            let mut outcomes = self.score_text(&offered);
            self.score_parts(&mut outcomes, || match choice {
                Choice::Selection(selection) => Document::of_selection(&page.tree, selection),
                Choice::Text(_) => Document::new(TextKind::Text, ""),
            });
            with_roles(outcomes, &roles)
        };
        self.chosen.insert(key, outcomes.clone());
        outcomes
    }

    /// Scores a choice, whose text is `text`, by its text nodes: equal texts may be of different ones.
    fn score_nodes(&mut self, choice: &Choice, text: String, page: &Page) -> RowOutcome {
        self.work.choices += 1;
        let Ok(selection) = on_nodes(choice.clone(), page) else { return RowOutcome::NotRun };
        self.work.scorings += 1;
        let counts = self.target.node_counts(page, &selection);
        let (digest, marks): (Arc<str>, _) = (sha256(text.as_bytes()).into(), Marks::of(&text));
        let characters = Some(chars(&text) as u64);
        self.keep(&digest, &text);
        let aligned = matches!(choice, Choice::Text(_));
        let roles = self.roles.as_ref().map(|roles| roles.of_selection(&selection));
        RowOutcome::Scored(RowResult { aligned, roles, characters, ..RowResult::new(counts, digest, marks) })
    }

    /// Scores the text of another program.
    pub(super) fn score_other(&mut self, written: WrittenText, page: Option<&Option<Page>>) -> ByMeasure {
        let roles = match (&self.roles, page) {
            (Some(roles), Some(Some(page))) => {
                let digest: Arc<str> = sha256(written.text.as_bytes()).into();
                let of_text = || roles.of_choice(&Choice::Text(written.text.clone()), page);
                self.roles_of_texts.entry(digest).or_insert_with(of_text).clone()
            }
            _ => None,
        };
        let as_it_stands = written.as_it_stands();
        let is_rendered = written.is_rendered();
        let mut outcomes = self.score_text(&Offered { text: &written.text, as_it_stands, is_rendered });
        self.score_parts(&mut outcomes, || match written.source {
            Some((kind, source)) => Document::new(kind, source),
            None => Document::new(TextKind::Text, ""),
        });
        with_roles(outcomes, &roles)
    }

    /// A text by the measures over tokens; what measures of structure say is put in its place by [`Scorer::score_parts`].
    fn score_text(&mut self, offered: &Offered<'_>) -> ByMeasure {
        self.work.choices += 1;
        let of_text = |text: &str| -> Arc<str> { sha256(text.as_bytes()).into() };
        let digest = of_text(offered.text);
        let is_same = std::ptr::eq(offered.text, offered.as_it_stands);
        let digests = (digest.clone(), if is_same { digest } else { of_text(offered.as_it_stands) });
        for rule in self.rules.clone() {
            let digest = if rule.tokens.reads_as_it_stands() { &digests.1 } else { &digests.0 };
            self.keep(digest, offered.for_rule(rule));
        }
        let mut outcomes = match self.scored.entry(digests) {
            hash_map::Entry::Occupied(known) => known.get().clone(),
            hash_map::Entry::Vacant(new) => {
                self.work.scorings += 1;
                let measured = self.target.measured(offered);
                let marks = Marks::of(offered.text);
                let marks_as_it_stands = if is_same { marks } else { Marks::of(offered.as_it_stands) };
                let outcome = |(rule, Measured { counts, scores_zero }): (&Comparison, Measured)| {
                    let (plain, as_it_stands) = new.key();
                    let result = match rule.tokens.reads_as_it_stands() {
                        false => RowResult::new(counts, plain.clone(), marks),
                        true => RowResult::new(counts, as_it_stands.clone(), marks_as_it_stands),
                    };
                    let characters = Some(chars(offered.for_rule(*rule)) as u64);
                    RowOutcome::Scored(RowResult { scores_zero, characters, ..result })
                };
                let outcomes: ByMeasure = self.rules.iter().zip(measured).map(outcome).collect();
                new.insert(outcomes).clone()
            }
        };
        // A program may have written the very text that carat rendered: the empty one, for example.
        let is_rendered = offered.is_rendered && self.gold_is_markdown;
        for (outcome, rule) in outcomes.iter_mut().zip(&self.rules) {
            if let RowOutcome::Scored(result) = outcome {
                result.rendered = is_rendered && rule.tokens.reads_as_it_stands();
            }
        }
        outcomes
    }

    /// Puts what measures of structure say of an extraction in its place.
    fn score_parts(&self, outcomes: &mut [RowOutcome], document: impl FnOnce() -> Document) {
        let Some(parts) = self.target.parts() else { return };
        if let Some(reason) = parts.unknown() {
            let failed = || RowOutcome::Failed(RowFailure { reason: reason.to_owned(), counts: Counts::default() });
            return parts.places().for_each(|place| outcomes[place] = failed());
        }
        for (place, compared) in parts.of(&document()) {
            let RowOutcome::Scored(result) = &mut outcomes[place] else { continue };
            match compared {
                Ok(Some(Measured { counts, .. })) => result.counts = counts,
                Ok(None) => outcomes[place] = RowOutcome::Without,
                Err(error) => outcomes[place] = RowOutcome::Unfit(error.to_string()),
            }
        }
    }

    /// Keeps the text of `digest`, unless it is known, or there is no room.
    fn keep(&mut self, digest: &Arc<str>, text: &str) {
        if let Some(kept) = &mut self.extractions
            && self.kept_bytes + text.len() <= MAX_KEPT_BYTES
            && !kept.contains_key(digest)
        {
            self.kept_bytes += text.len();
            kept.insert(digest.clone(), text.to_owned());
        }
    }

    /// A failure, which scores 0.
    pub(super) fn failed(&mut self, reason: String) -> ByMeasure {
        self.nothing(reason, RowOutcome::Failed)
    }

    /// A failure of a kind: a page without the part that a measure of structure looks for does not count.
    pub(super) fn nothing(&mut self, reason: String, kind: fn(RowFailure) -> RowOutcome) -> ByMeasure {
        let failure = |counts| kind(RowFailure { reason: reason.clone(), counts });
        let mut outcomes: ByMeasure =
            self.target.nothing().into_iter().map(|measured| failure(measured.counts)).collect();
        if let Some(parts) = self.target.parts() {
            for (place, compared) in parts.of(&Document::new(TextKind::Markdown, "")) {
                outcomes[place] = match compared {
                    Ok(Some(measured)) => failure(measured.counts),
                    Ok(None) => RowOutcome::Without,
                    Err(error) => RowOutcome::Unfit(error.to_string()),
                };
            }
        }
        outcomes
    }
}

/// The same, with what the extraction holds of each role.
fn with_roles(mut outcomes: ByMeasure, roles: &Option<Vec<Characters>>) -> ByMeasure {
    for outcome in &mut outcomes {
        if let RowOutcome::Scored(result) = outcome {
            result.roles.clone_from(roles);
        }
    }
    outcomes
}

/// Stands for a choice where only equality matters: those of a long sweep would fill the memory.
fn key(choice: &Choice) -> u128 {
    match choice {
        Choice::Selection(selection) => {
            let nodes = selection.nodes().iter().flat_map(|node| (node.index() as u32).to_le_bytes());
            digest([0].into_iter().chain(nodes).collect::<Vec<u8>>())
        }
        Choice::Text(text) => digest(["\u{1}", text].concat()),
    }
}
