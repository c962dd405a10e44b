//! Scores what is extracted from one page.

use std::collections::{BTreeMap, hash_map};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::target::Target;

use crate::algorithms::algorithm::Choice;
use crate::algorithms::features::digests::digest;
use crate::formats::digest::sha256;
use crate::page::Page;
use crate::runs::node_tokens::on_nodes;
use crate::runs::page_outcome::Work;
use crate::runs::roles::RoleCounter;
use crate::runs::row_outcome::{Characters, RowFailure, RowOutcome, RowResult};
use crate::scoring::Measured;
use crate::text::chars;
use crate::text::marks::Marks;

/// Texts of one page are kept up to this many bytes: those of a huge page would fill the memory.
const MAX_KEPT_BYTES: usize = 64 << 20;

/// Scores extractions from one page against its gold, each distinct one once; without gold they are only gathered.
pub(super) struct Scorer<'p> {
    pub(super) target: Target<'p>,
    /// What choices came to, by their [`key`].
    chosen: FxHashMap<u128, RowOutcome>,
    /// By the digests of texts: what they came to, their marks and their characters.
    scored: FxHashMap<Arc<str>, (Vec<Measured>, Marks, u64)>,
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
    pub(super) fn new(target: Target<'p>, roles: Option<RoleCounter>) -> Self {
        Scorer {
            target,
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

    /// What a choice on the page comes to.
    pub(super) fn score(&mut self, choice: &Choice, page: &Page) -> RowOutcome {
        let key = key(choice);
        if let Some(known) = self.chosen.get(&key) {
            self.work.choices += 1;
            return known.clone();
        }
        self.work.renderings += 1;
        let text = choice.text(page);
        let outcome = if self.target.node_tokens().is_some() {
            self.score_nodes(choice, text, page)
        } else {
            let roles = self.roles.as_ref().and_then(|roles| roles.of_choice(choice, page));
            RowOutcome::Scored(RowResult { roles, ..self.score_text(text) })
        };
        self.chosen.insert(key, outcome.clone());
        outcome
    }

    /// Scores a choice, whose text is `text`, by its text nodes: equal texts may be of different ones.
    fn score_nodes(&mut self, choice: &Choice, text: String, page: &Page) -> RowOutcome {
        self.work.choices += 1;
        let Ok(selection) = on_nodes(choice.clone(), page) else { return RowOutcome::NotRun };
        self.work.scorings += 1;
        let counts = self.target.node_counts(page, &selection);
        let (digest, marks): (Arc<str>, _) = (sha256(text.as_bytes()).into(), Marks::of(&text));
        let characters = Some(chars(&text) as u64);
        self.keep(&digest, text);
        let aligned = matches!(choice, Choice::Text(_));
        let roles = self.roles.as_ref().map(|roles| roles.of_selection(&selection));
        RowOutcome::Scored(RowResult { aligned, roles, characters, ..RowResult::new(counts, digest, marks) })
    }

    /// Scores the text of another program.
    pub(super) fn score_other(&mut self, text: String, page: Option<&Option<Page>>) -> RowResult {
        let (Some(roles), Some(Some(page))) = (&self.roles, page) else { return self.score_text(text) };
        let digest: Arc<str> = sha256(text.as_bytes()).into();
        let of_text = || roles.of_choice(&Choice::Text(text.clone()), page);
        let roles = self.roles_of_texts.entry(digest).or_insert_with(of_text).clone();
        RowResult { roles, ..self.score_text(text) }
    }

    fn score_text(&mut self, text: String) -> RowResult {
        self.work.choices += 1;
        let digest: Arc<str> = sha256(text.as_bytes()).into();
        let (measured, marks, characters) = match self.scored.entry(digest.clone()) {
            hash_map::Entry::Occupied(known) => known.get().clone(),
            hash_map::Entry::Vacant(new) => {
                self.work.scorings += 1;
                new.insert((self.target.measured(&text), Marks::of(&text), chars(&text) as u64)).clone()
            }
        };
        self.keep(&digest, text);
        let (Measured { counts, scores_zero }, further) = parted(measured);
        let characters = Some(characters);
        RowResult { scores_zero, further, characters, ..RowResult::new(counts, digest, marks) }
    }

    /// Keeps the text of `digest`, unless it is known, or there is no room.
    fn keep(&mut self, digest: &Arc<str>, text: String) {
        if let Some(kept) = &mut self.extractions
            && self.kept_bytes + text.len() <= MAX_KEPT_BYTES
            && !kept.contains_key(digest)
        {
            self.kept_bytes += text.len();
            kept.insert(digest.clone(), text);
        }
    }

    /// A failure, which scores 0.
    pub(super) fn failed(&mut self, reason: String) -> RowOutcome {
        RowOutcome::Failed(self.failure(reason))
    }

    /// The same, for whatever kind of failure.
    pub(super) fn failure(&mut self, reason: String) -> RowFailure {
        let (Measured { counts, .. }, further) = parted(self.target.nothing());
        RowFailure { reason, counts, further }
    }
}

/// The result of the run's first measure, and those of the others.
fn parted(mut measured: Vec<Measured>) -> (Measured, Vec<Measured>) {
    let further = measured.split_off(1);
    (measured[0], further)
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
