//! What an ensemble chooses on a page.

use std::collections::BTreeSet;

use super::Ensemble;
use crate::algorithms::algorithm::{Choice, Sample, TakeSample, sample_points};
use crate::algorithms::features::visible::VisibleText;
use crate::algorithms::parameters::ParameterKind;
use crate::algorithms::value::Value;
use crate::page::Page;
use crate::page::selection::Selection;
use crate::runs::configuration::{Combination, OnEmpty, Ties};
use crate::runs::kind::Others;
use crate::runs::node_tokens::on_nodes;

/// What an ensemble chooses.
pub(super) struct Combined {
    pub(super) choice: Choice,
    /// Whether a member failed, and counted as one that chooses nothing.
    pub(super) degraded: bool,
}

impl Ensemble {
    /// The choice on a page; `None` where a member was not run on it.
    ///
    /// # Errors
    /// A sentence: every member failed.
    pub(super) fn choose(&self, page: &Page, members: &dyn Others) -> Option<Result<Combined, String>> {
        let mut failures = Vec::new();
        let selection = match self.parameters.rule {
            Combination::Serial => self.in_turn(page, members, &mut failures)?,
            _ => {
                let votes = self.votes(page, members, &mut failures)?;
                self.selection(page, &votes, self.parameters.threshold)
            }
        };
        let combined = Combined { choice: Choice::Selection(selection), degraded: !failures.is_empty() };
        Some(self.refuse_failed(&failures).map(|()| combined))
    }

    /// The thresholds that its sweep goes over: from 0 to below 1, or to 1 where ties are taken, for then 1 is the
    /// intersection. At 0 with ties taken it is as behind 0, the union: what no member chooses is never taken.
    pub(super) fn swept_range(&self) -> ParameterKind {
        ParameterKind::Decimal { from: Value::ZERO, to: Value::ONE, below: self.parameters.ties == Ties::Out }
    }

    /// Hands `take` what it chooses at and between the shares of all weights that nodes of the page have, whatever its own
    /// threshold; `None` where a member was not run on the page.
    ///
    /// # Errors
    /// A sentence: every member failed; or the first of `take`.
    pub(super) fn sweep(&self, page: &Page, members: &dyn Others, take: TakeSample<'_>) -> Option<Result<(), String>> {
        let mut failures = Vec::new();
        let votes = self.votes(page, members, &mut failures)?;
        let shares: BTreeSet<u64> = votes.iter().copied().collect();
        let points = shares.into_iter().map(|votes| Value::ratio(votes, self.all_votes())).collect();
        let samples = sample_points(points, &self.swept_range()).unwrap_or_default();
        let mut sample = |(at, between): (Value, bool)| {
            take(Sample { at, between, choice: Choice::Selection(self.selection(page, &votes, at)) })
        };
        Some(self.refuse_failed(&failures).and_then(|()| samples.into_iter().try_for_each(&mut sample)))
    }

    fn refuse_failed(&self, failures: &[String]) -> Result<(), String> {
        match failures.len() == self.members.len() {
            true => Err(format!("every member failed, the first one: {}", failures[0])),
            false => Ok(()),
        }
    }

    fn all_votes(&self) -> u64 {
        self.weights.iter().sum()
    }

    /// What the members that choose each of [`VisibleText::nodes`] weigh.
    fn votes(&self, page: &Page, members: &dyn Others, failures: &mut Vec<String>) -> Option<Vec<u64>> {
        let text = page.view::<VisibleText>();
        let mut votes = vec![0u64; text.nodes.len()];
        for ((place, _), weight) in self.members.iter().zip(&self.weights) {
            match members.on_nodes(*place)? {
                Ok(selection) => {
                    let ranks = selection.nodes().iter().filter_map(|&node| text.rank(&page.tree, node));
                    ranks.for_each(|rank| votes[rank] += weight);
                }
                Err(reason) => failures.push(reason.clone()),
            }
        }
        Some(votes)
    }

    /// The nodes that are taken of those with these votes.
    fn selection(&self, page: &Page, votes: &[u64], threshold: Value) -> Selection {
        let (text, all) = (page.view::<VisibleText>(), self.all_votes());
        let chosen = text.nodes.iter().zip(votes).filter(|(_, votes)| self.takes(threshold, **votes, all));
        chosen.map(|(&node, _)| node).collect()
    }

    /// Whether a node is taken that members of the weight `votes`, out of `all`, choose; under [`Combination::Weighted`] with
    /// this threshold.
    fn takes(&self, threshold: Value, votes: u64, all: u64) -> bool {
        let threshold = match self.parameters.rule {
            Combination::Union => Value::ZERO,
            Combination::Intersection => return votes == all,
            Combination::Weighted => threshold,
            Combination::Majority | Combination::Serial => Value::hundredths(50),
        };
        match threshold.compare_ratio(votes, all) {
            std::cmp::Ordering::Greater => true,
            std::cmp::Ordering::Equal => votes > 0 && self.parameters.ties == Ties::In,
            std::cmp::Ordering::Less => false,
        }
    }

    fn in_turn(&self, page: &Page, members: &dyn Others, failures: &mut Vec<String>) -> Option<Selection> {
        // What is left, and the page with nothing else; at first that is all.
        let mut left: Option<(Selection, Page)> = None;
        for (place, _) in &self.members {
            let choice = match &left {
                None => members.on_nodes(*place)?.clone(),
                Some((_, page)) => members.choose(*place, page).and_then(|choice| on_nodes(choice, page)),
            };
            let chosen = choice.unwrap_or_else(|reason| {
                failures.push(reason);
                Selection::default()
            });
            let chosen = match &left {
                Some((before, _)) => chosen.nodes().iter().filter(|node| before.has(**node)).copied().collect(),
                None => chosen,
            };
            match (chosen.is_empty(), self.parameters.on_empty) {
                (true, OnEmpty::KeepPrevious) => {}
                (true, OnEmpty::Empty) => return Some(Selection::default()),
                (false, _) => {
                    let rest = page.with_only(&chosen);
                    left = Some((chosen, rest));
                }
            }
        }
        Some(left.map(|(selection, _)| selection).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::super::CombineParameters;
    use super::*;
    use crate::algorithms::find;
    use crate::algorithms::parameters::{Values, as_values};
    use crate::page::Context;
    use crate::page::tree::NodeId;
    use crate::runs::own::OwnAlgorithm;
    use crate::runs::system::{Place, Row};

    /// Four text nodes, `1` to `4`.
    fn page() -> Page {
        Page::new(b"<p>1<p>2<p>3<p>4", Context::default()).unwrap()
    }

    fn nodes(page: &Page, texts: &str) -> Selection {
        let is_wanted = |id: &NodeId| page.tree.is_text(*id) && texts.contains(page.tree.text(*id));
        page.tree.ids().filter(is_wanted).collect()
    }

    /// An ensemble of as many members as there are weights; `parameters` are written as in a configuration.
    fn ensemble(weights: &[u64], parameters: &[(&str, &str)]) -> Ensemble {
        let mut values = as_values(&CombineParameters::default());
        for (name, value) in parameters {
            values.insert((*name).to_owned(), (*value).into());
        }
        let algorithm = find("all-text").unwrap();
        let setting = algorithm.setting(&Values::new()).unwrap();
        let row = Row::new(OwnAlgorithm { algorithm, setting }, Vec::new());
        Ensemble {
            name: "vote".to_owned(),
            members: (0..weights.len()).map(|place| (Place::Row(place), row.clone())).collect(),
            parameters: serde_json::from_value(values.clone().into()).unwrap(),
            weights: weights.to_vec(),
            values,
            differs: Vec::new(),
        }
    }

    /// What members choose, by their places; `None` of one that was not run.
    struct Chosen(Vec<Option<Result<Selection, String>>>);

    impl Chosen {
        fn at(&self, place: Place) -> Option<&Result<Selection, String>> {
            match place {
                Place::Row(place) | Place::Member(place) => self.0[place].as_ref(),
            }
        }
    }

    impl Others for Chosen {
        fn on_nodes(&self, place: Place) -> Option<&Result<Selection, String>> {
            self.at(place)
        }

        /// The same of what is left, as far as that is not blank.
        fn choose(&self, place: Place, left: &Page) -> Result<Choice, String> {
            let text = left.view::<VisibleText>();
            let chosen = self.at(place).unwrap().clone()?;
            Ok(chosen.nodes().iter().filter(|node| text.nodes.contains(node)).copied().collect())
        }
    }

    /// What members that choose these nodes come to; `!` stands for one that failed, `-` for one that was not run.
    fn combined(ensemble: &Ensemble, chosen: &[&str]) -> Option<Result<(String, bool), String>> {
        let page = page();
        let choices: Vec<Option<Result<Selection, String>>> = chosen
            .iter()
            .map(|texts| match *texts {
                "-" => None,
                "!" => Some(Err("broken".to_owned())),
                texts => Some(Ok(nodes(&page, texts))),
            })
            .collect();
        let text = |combined: Combined| (combined.choice.text(&page).replace('\n', ""), combined.degraded);
        Some(ensemble.choose(&page, &Chosen(choices))?.map(text))
    }

    fn chosen(weights: &[u64], parameters: &[(&str, &str)], members: &[&str]) -> String {
        combined(&ensemble(weights, parameters), members).unwrap().unwrap().0
    }

    #[test]
    fn rules_choose_as_worked_by_hand() {
        // Node 1 is chosen by one of three, 2 by all, 3 and 4 by one each.
        let sets = ["12", "23", "24"];
        let of = |parameters: &[(&str, &str)]| chosen(&[1, 1, 1], parameters, &sets);
        assert_eq!(of(&[]), "2");
        assert_eq!(of(&[("rule", "union")]), "1234");
        assert_eq!(of(&[("rule", "intersection")]), "2");
        // Weights 2 1 1: node 1 has 2 of 4, exactly half.
        let weighted = |ties| chosen(&[2, 1, 1], &[("rule", "weighted"), ("ties", ties)], &sets);
        assert_eq!([weighted("out"), weighted("in")], ["2", "12"]);
        // Of two members one is half.
        assert_eq!(chosen(&[1, 1], &[], &sets[..2]), "2");
        assert_eq!(chosen(&[1, 1], &[("ties", "in")], &sets[..2]), "123");
    }

    #[test]
    fn a_threshold_is_exact() {
        // 1 of 3 is above 0.333333 and below 0.333334; 2 of 3 is above both.
        let at = |threshold| chosen(&[1, 1, 1], &[("rule", "weighted"), ("threshold", threshold)], &["1", "12", "3"]);
        assert_eq!([at("0.333333"), at("0.333334")], ["123", "1"]);
    }

    #[test]
    fn the_exact_sweep_is_what_each_threshold_chooses() {
        // Weights 2 1 1: nodes 1 to 4 have 2, 3, 1 and 1 of 4.
        let (weights, sets) = ([2, 1, 1], ["12", "23", "4"]);
        for (ties, expected) in [
            ("out", "0: 1234, between: 1234, 1/4: 12, between: 12, 1/2: 2, between: 2, 3/4: , between: "),
            ("in", "0: 1234, between: 1234, 1/4: 1234, between: 12, 1/2: 12, between: 2, 3/4: 2, between: , 1: "),
        ] {
            let page = page();
            let swept = ensemble(&weights, &[("rule", "weighted"), ("ties", ties)]);
            let choices = Chosen(sets.iter().map(|texts| Some(Ok(nodes(&page, texts)))).collect());
            let (mut found, mut wrong) = (Vec::new(), Vec::new());
            let mut take = |Sample { at, between, choice }: Sample| {
                let text = choice.text(&page).replace('\n', "");
                // No fraction may stand in a configuration.
                let threshold = Value::decimal((at.to_f64() * 1e15) as u64, 15);
                let written = threshold.to_string();
                let parameters = [("rule", "weighted"), ("ties", ties), ("threshold", written.as_str())];
                if threshold == at && chosen(&weights, &parameters, &sets) != text {
                    wrong.push(at);
                }
                let (num, den) = at.fraction();
                let place = match (between, den) {
                    (true, _) => "between".to_owned(),
                    (false, 1) => num.to_string(),
                    (false, _) => format!("{num}/{den}"),
                };
                found.push(format!("{place}: {text}"));
                Ok(())
            };
            let swept = swept.sweep(&page, &choices, &mut take);
            assert_eq!((swept, wrong), (Some(Ok(())), Vec::new()));
            assert_eq!(found.join(", "), expected);
        }
    }

    #[test]
    fn serial_members_come_one_after_the_other() {
        let serial = |on_empty, sets: &[&str]| chosen(&[1, 1, 1], &[("rule", "serial"), ("on_empty", on_empty)], sets);
        assert_eq!(serial("keep_previous", &["123", "234", "134"]), "3");
        // The second has nothing to choose of 1.
        assert_eq!(serial("keep_previous", &["1", "23", "12"]), "1");
        assert_eq!(serial("empty", &["1", "23", "12"]), "");
        assert_eq!(serial("keep_previous", &["", "", ""]), "");
    }

    #[test]
    fn a_member_that_fails_degrades_and_one_that_was_not_run_leaves_the_page_out() {
        let of = |rule, sets: &[&str]| combined(&ensemble(&[1, 1, 1], &[("rule", rule)]), sets);
        assert_eq!(of("majority", &["12", "!", "13"]), Some(Ok(("1".to_owned(), true))));
        assert_eq!(of("serial", &["!", "12", "2"]), Some(Ok(("2".to_owned(), true))));
        assert_eq!(of("union", &["12", "-", "13"]), None);
        assert!(of("union", &["!", "!", "!"]).unwrap().unwrap_err().contains("broken"));
    }
}
