//! Labels that are proposed before anyone marks a page.

use std::panic::{AssertUnwindSafe, catch_unwind};

use carat_core::algorithms::algorithm::Choice;
use carat_core::algorithms::{Entry, find};
use carat_core::page::Page;
use sha2::{Digest, Sha256};

use crate::document::{Document, Run};
use crate::event::Proposal;
use crate::guidelines::{CONTENT, Labels, NOT};
use crate::marks::Change;
use crate::sisters::changes;
use crate::source::KnownGold;

/// The members of a vote unless others are named.
pub const MEMBERS: [&str; 5] = ["nta", "cetd", "boilerpipe-article", "readability-arc90", "largest-p-parent"];

/// The source of proposals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prefill {
    /// Nothing.
    None,
    /// The same annotator's finished pages of the site.
    Sisters,
    /// The vote of these algorithms.
    Vote(Vec<String>),
    /// The page's gold.
    Gold,
}

impl Prefill {
    /// Reads `none`, `sisters`, `gold`, `vote` or `vote:A,B`.
    ///
    /// # Errors
    /// A sentence.
    pub fn read(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "none" => Ok(Prefill::None),
            None if text == "sisters" => Ok(Prefill::Sisters),
            None if text == "gold" => Ok(Prefill::Gold),
            None if text == "vote" => Ok(Prefill::Vote(MEMBERS.map(str::to_owned).into())),
            Some(("vote", members)) => {
                let members: Vec<String> = members.split(',').map(|member| member.trim().to_owned()).collect();
                for member in &members {
                    match find(member).map_err(|error| error.to_string())? {
                        Entry::Page(_) => {}
                        Entry::Group(_) => {
                            return Err(format!("`{member}` learns from several pages and cannot vote on one"));
                        }
                    }
                }
                Ok(Prefill::Vote(members))
            }
            _ => Err(format!("`{text}` is no proposal: none, sisters, vote, vote:A,B or gold")),
        }
    }
}

/// A number from 0 to 1 that follows from words alone: each ends with a line break.
pub fn share_of(words: &[&str]) -> f64 {
    let mut digest = Sha256::new();
    words.iter().for_each(|word| digest.update(format!("{word}\n")));
    let first = digest.finalize().iter().take(8).fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    first as f64 / 2f64.powi(64)
}

/// The choices of the members of a vote: by member, true for each text node that is chosen. A member that fails has no vote.
pub fn votes(page: &Page, document: &Document, members: &[String]) -> Vec<(String, Vec<bool>)> {
    let vote = |member: &String| {
        let Ok(Entry::Page(algorithm)) = find(member) else { return None };
        let setting = algorithm.setting(&Default::default()).ok()?;
        let choice = catch_unwind(AssertUnwindSafe(|| algorithm.choose_all(page, &[&setting]).remove(0))).ok()?;
        let Choice::Selection(selection) = choice else { return None };
        Some((member.clone(), document.nodes.iter().map(|&node| selection.has(node)).collect()))
    };
    members.iter().filter_map(vote).collect()
}

/// The labels on which all members agree, and the runs on which they do not.
pub fn of_votes(document: &Document, votes: &[(String, Vec<bool>)], labels: &Labels) -> Proposal {
    let label = |node: usize| {
        let chosen = votes.iter().filter(|(_, chosen)| chosen[node]).count();
        match chosen {
            0 => Some(NOT),
            _ if chosen == votes.len() => Some(CONTENT),
            _ => None,
        }
    };
    if votes.is_empty() {
        return Proposal { kind: "vote".to_owned(), ..Proposal::default() };
    }
    let of_nodes: Vec<Option<u8>> = (0..document.len()).map(label).collect();
    Proposal {
        kind: "vote".to_owned(),
        set: changes(document, &of_nodes).into_iter().map(|change| change.written(labels)).collect(),
        members: votes.iter().map(|(member, _)| member.clone()).collect(),
        disputed: runs_of(of_nodes.iter().map(Option::is_none)),
        ..Proposal::default()
    }
}

/// The labels that gold has already.
pub fn of_gold(document: &Document, gold: &KnownGold, labels: &Labels) -> Proposal {
    let nodes = document.len();
    let mut of_nodes = vec![Some(NOT); nodes];
    let mut pieces = Vec::new();
    let mut put = |part: &[u32], label: u8| match *part {
        [first, last] => {
            of_nodes.iter_mut().take(last as usize + 1).skip(first as usize).for_each(|at| *at = Some(label))
        }
        [node, from, to] => pieces.push(Change::Piece(node, from, to, Some(label))),
        _ => {}
    };
    gold.nodes.iter().for_each(|run| put(run, CONTENT));
    gold.spans.iter().for_each(|span| put(span, CONTENT));
    for (role, parts) in &gold.roles {
        let Some(place) = labels.place(role) else { continue };
        parts.iter().for_each(|part| put(part, place));
    }
    let all = changes(document, &of_nodes).into_iter().chain(pieces);
    Proposal {
        kind: "gold".to_owned(),
        set: all.filter(|change| change.check(document).is_ok()).map(|change| change.written(labels)).collect(),
        f1: gold.f1,
        ..Proposal::default()
    }
}

/// The runs of places where something holds.
pub fn runs_of(holds: impl Iterator<Item = bool>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for at in (0..).zip(holds).filter(|(_, holds)| *holds).map(|(at, _)| at) {
        match runs.last_mut() {
            Some([_, last]) if *last + 1 == at => *last = at,
            _ => runs.push([at, at]),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::document::tests::document;
    use crate::guidelines::Guidelines;

    #[test]
    fn what_is_proposed_is_read() {
        assert_eq!(Prefill::read("sisters"), Ok(Prefill::Sisters));
        assert_eq!(Prefill::read("vote:nta, bte"), Ok(Prefill::Vote(vec!["nta".to_owned(), "bte".to_owned()])));
        assert!(Prefill::read("vote:ntaa").unwrap_err().contains("`nta`"));
        assert!(Prefill::read("vote:istm").unwrap_err().contains("several pages"));
        assert!(Prefill::read("votes").unwrap_err().contains("no proposal"));
    }

    #[test]
    fn a_vote_proposes_what_all_say_and_disputes_the_rest() {
        let page = document("<div><p>a</p><p>b</p></div><p>c</p><p>d</p>");
        let votes =
            vec![("x".to_owned(), vec![true, true, false, true]), ("y".to_owned(), vec![true, true, false, false])];
        let proposal = of_votes(&page, &votes, &Guidelines::built_in().labels);
        assert_eq!(proposal.set, [json!([0, 1, "content"]), json!([2, 2, "not"])]);
        assert_eq!(proposal.disputed, [[3, 3]]);
        assert_eq!(proposal.members, ["x", "y"]);
    }

    #[test]
    fn algorithms_vote() {
        let html = "<ul><li><a href=/>Home</a><li><a href=/n>News</a></ul><div><p>The cat sleeps all day long, and the dog, which \
                    is old, does not. It looks at the cat, and waits.</p><p>Then the two of them eat, drink, and go to bed.</p></div>";
        let page = document(html);
        let found = votes(&page.page, &page, &MEMBERS.map(str::to_owned));
        assert_eq!(found.len(), MEMBERS.len());
        let proposal = of_votes(&page, &found, &Guidelines::built_in().labels);
        assert!(proposal.set.contains(&json!([0, 1, "not"])), "{:?}", proposal.set);
    }

    #[test]
    fn gold_is_proposed_with_its_roles() {
        let page = document("<h1>题</h1><div><p>甲乙丙</p><p>b</p></div>");
        let gold = KnownGold {
            nodes: vec![[0, 0]],
            spans: vec![[1, 0, 2]],
            roles: vec![("title".to_owned(), vec![vec![0, 0]]), ("unknown".to_owned(), vec![vec![2, 2]])],
            ..KnownGold::default()
        };
        let proposal = of_gold(&page, &gold, &Guidelines::built_in().labels);
        assert_eq!(proposal.set, [json!([0, 0, "title"]), json!([1, 2, "not"]), json!([1, 0, 2, "content"])]);
    }

    #[test]
    fn shares_follow_from_words() {
        let shares: Vec<f64> = (0..1000).map(|page| share_of(&["carat-blank", "1", &format!("p{page}")])).collect();
        assert_eq!(shares[0], share_of(&["carat-blank", "1", "p0"]));
        let fifth = shares.iter().filter(|share| **share < 0.2).count();
        assert!((150..250).contains(&fifth), "{fifth}");
    }
}
