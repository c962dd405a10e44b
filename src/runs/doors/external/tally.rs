//! The answers for the pages, taken in their order.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Outcome;
use crate::text::counted;

/// The answer to one request, and whether it cost the child.
pub(in crate::runs::doors) struct Asked {
    pub(in crate::runs::doors) outcome: Outcome,
    pub(in crate::runs::doors) cost_a_child: bool,
}

impl From<Outcome> for Asked {
    fn from(outcome: Outcome) -> Self {
        Asked { outcome, cost_a_child: false }
    }
}

/// The answers for the pages, taken in their order, so that no result depends on the number of workers.
pub(in crate::runs::doors) struct Tally {
    /// The page that is taken next.
    next: usize,
    /// Pages that came before their turn: dataset, id, what came of each setting.
    waiting: BTreeMap<usize, (usize, String, Vec<Asked>)>,
    /// For each setting the pages in a row that cost a child.
    in_a_row: Vec<usize>,
    /// For each setting the reason for which the last one was lost.
    last_loss: Vec<String>,
    /// So many of them, and the setting is given up.
    restarts: usize,
    /// For each setting and dataset, by page id.
    pub(in crate::runs::doors) outcomes: Vec<Vec<FxHashMap<String, Outcome>>>,
    /// The number of times that each thing worth knowing happened.
    pub(in crate::runs::doors) notes: BTreeMap<String, usize>,
    /// Characters that could not be kept.
    pub(in crate::runs::doors) replaced: usize,
    /// The replies that this run asked for, by their digests: an equal page finds them in the cache.
    pub(in crate::runs::doors) made: FxHashSet<String>,
}

impl Tally {
    pub(in crate::runs::doors) fn new(settings: usize, datasets: usize, restarts: usize) -> Self {
        Tally {
            next: 0,
            waiting: BTreeMap::new(),
            in_a_row: vec![0; settings],
            last_loss: vec![String::new(); settings],
            restarts,
            outcomes: vec![vec![FxHashMap::default(); datasets]; settings],
            notes: BTreeMap::new(),
            replaced: 0,
            made: FxHashSet::default(),
        }
    }

    /// True if the setting has lost a child on so many pages in a row that no other page is asked for.
    pub(in crate::runs::doors) fn is_given_up(&self, setting: usize) -> bool {
        self.in_a_row[setting] >= self.restarts
    }

    pub(in crate::runs::doors) fn add(&mut self, number: usize, place: usize, id: &str, asked: Vec<Asked>) {
        self.waiting.insert(number, (place, id.to_owned(), asked));
        while let Some((place, id, asked)) = self.waiting.remove(&self.next) {
            self.next += 1;
            for (setting, Asked { outcome, cost_a_child }) in asked.into_iter().enumerate() {
                let outcome = if self.is_given_up(setting) { Outcome::NotRun } else { outcome };
                match (&outcome, cost_a_child) {
                    (Outcome::NotRun, _) => {}
                    (Outcome::Kept { .. }, _) => self.in_a_row[setting] = 0,
                    (Outcome::Failed(reason) | Outcome::TimedOut(reason), true) => {
                        self.in_a_row[setting] += 1;
                        self.last_loss[setting].clone_from(reason);
                    }
                    (_, false) => {}
                }
                self.outcomes[setting][place].insert(id.clone(), outcome);
            }
        }
    }

    /// Notes on `row` for the user, one line each.
    pub(in crate::runs::doors) fn notes(&self, row: &str) -> Vec<String> {
        let mut lines: Vec<String> = self
            .notes
            .iter()
            .map(|(note, &times)| match times {
                1 => format!("{row}: {note}"),
                _ => format!("{row}: {note} ({times} times)"),
            })
            .collect();
        if self.replaced > 0 {
            lines.push(format!("{row}: {} NULs or lone surrogates in its texts became U+FFFD", self.replaced));
        }
        lines
    }

    /// The sentence on a program that kept failing; `None` where it was asked for every page.
    pub(super) fn given_up(&self, row: &str) -> Option<String> {
        let given_up: Vec<usize> = (0..self.in_a_row.len()).filter(|&setting| self.is_given_up(setting)).collect();
        let not_run = |setting: usize| {
            let outcomes = self.outcomes[setting].iter().flat_map(FxHashMap::values);
            outcomes.filter(|outcome| matches!(outcome, Outcome::NotRun)).count()
        };
        let most = given_up.iter().map(|&setting| not_run(setting)).max()?;
        let all: usize = self.outcomes[given_up[0]].iter().map(FxHashMap::len).sum();
        let settings = match (given_up.len(), self.in_a_row.len()) {
            (_, 1) => String::new(),
            (some, all) => format!(" with {some} of its {all} settings"),
        };
        Some(format!(
            "{row}{settings} was not run on {most} of {}: its worker crashed, broke the protocol or ran out of time on {} in a row \
             (the last time: {})",
            counted(all, "page"),
            counted(self.restarts, "page"),
            self.last_loss[given_up[0]]
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The outcomes of pages by what came of them: k kept, e error, c lost a child. They arrive in this order.
    fn outcomes(pages: &str, restarts: usize, order: &[usize]) -> String {
        let mut tally = Tally::new(1, 1, restarts);
        for &number in order {
            let asked = match pages.as_bytes()[number] {
                b'k' => Outcome::Kept { digest: "digest".to_owned(), since: None, took: None }.into(),
                b'e' => Outcome::Failed("error".to_owned()).into(),
                _ => Asked { outcome: Outcome::Failed("crash".to_owned()), cost_a_child: true },
            };
            tally.add(number, 0, &number.to_string(), vec![asked]);
        }
        let outcome = |number: usize| match &tally.outcomes[0][0][&number.to_string()] {
            Outcome::Kept { .. } => 'k',
            Outcome::Failed(reason) => reason.chars().next().unwrap_or('?'),
            Outcome::TimedOut(_) => 't',
            Outcome::NotRun => '-',
        };
        (0..pages.len()).map(outcome).collect()
    }

    #[test]
    fn a_program_that_keeps_dying_is_given_up_in_page_order() {
        let order: Vec<usize> = (0..8).collect();
        let backwards: Vec<usize> = (0..8).rev().collect();
        for (pages, restarts, expected) in [
            ("kcckcckk", 3, "kcckcckk"),
            ("kccckkkk", 3, "kccc----"),
            ("ccecckkk", 3, "ccec----"),
            ("cccccccc", 1, "c-------"),
            ("kkkkkccc", 3, "kkkkkccc"),
        ] {
            assert_eq!(outcomes(pages, restarts, &order), expected);
            assert_eq!(outcomes(pages, restarts, &backwards), expected, "however the pages arrive");
        }
    }
}
