//! What a run can have besides algorithms, as it is listed and documented: ensembles and bounds.

use serde::Serialize;

use super::bounds::{MEMBER, NODES, NodesParameters, ReadsGold, SUBTREE, SWEEP};
use super::ensembles::{COMBINE, CombineParameters};
use crate::algorithms::declaration::FaithfulTo;
use crate::algorithms::find;
use crate::algorithms::parameters::{Parameter, declared};

/// A kind of row that is no algorithm.
#[derive(Clone, Debug, Serialize)]
pub struct Described {
    /// Its name in configurations.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub title: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What it is faithful to.
    pub faithful_to: FaithfulTo,
    /// Its cost in symbols.
    pub cost: &'static str,
    /// What it reads of the gold, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reads_gold: Option<ReadsGold>,
    /// What is to be known, a sentence or two each.
    pub notes: &'static [&'static str],
    /// How it is written in a configuration, and on the command line.
    pub written: &'static str,
    /// A case worked by hand.
    pub example: &'static str,
    /// Its parameters.
    #[serde(skip)]
    pub parameters: fn() -> Vec<Parameter>,
}

/// What the row of that name is faithful to: an algorithm, or one of [`OTHERS`].
pub fn faithful_to(name: &str) -> Option<FaithfulTo> {
    let algorithm = find(name).ok().map(|algorithm| algorithm.declaration().faithful_to);
    algorithm.or_else(|| OTHERS.iter().find(|other| other.name == name).map(|other| other.faithful_to))
}

/// Every kind of row that is no algorithm, in the order of listings.
pub const OTHERS: [Described; 5] = [
    Described {
        name: COMBINE,
        title: "an ensemble: what several rows choose, combined text node by text node",
        source: "after CombinE: T. Gottron, Combining content extraction heuristics, iiWAS 2008 (its abstract; the rules \
                 are ours)",
        faithful_to: FaithfulTo::Variant,
        cost: "its members', each once a page even where it is a row too; serial members after the first on a page of \
               their own",
        reads_gold: None,
        notes: &[
            "Members are algorithms with single values, or rows of the run that other programs made (stored/NAME, external/NAME); two at \
             least, and one may be named twice.",
            "A member that answers with text is put on text nodes first: one longest common subsequence of the page's \
             characters and its text, and a node is chosen when half of it is matched.",
            "A member that fails on a page counts as one that chooses nothing, and the page is counted as degraded; where \
             all fail it fails, and where one was not run it is not run.",
            "weights (rule=weighted): one a member, decimals above 0; all 1 where they are not given.",
        ],
        written: "algorithms:\n  - combine:\n      name: vote\n      members: [nta, {cevc: {alpha: 0.5}}, cetd]\n      \
                  rule: majority\n  - combine: {members: [nta, cetd], rule: serial}\n\ncarat run --algorithm \
                  'combine:members=nta+cevc+cetd,rule=weighted,weights=2+1+1,threshold=0.5'",
        example: "three members choose the nodes 1 2, 2 3 and 2 4: majority 2; union 1 2 3 4; intersection 2; weights 2 1 1 \
                  make node 1 weigh 2 of 4, exactly half: 2 with ties=out, 1 2 with ties=in",
        parameters: declared::<CombineParameters>,
    },
    Described {
        name: SWEEP,
        title: "a bound: page by page the best setting of each sweep of the run",
        source: "ours",
        faithful_to: FaithfulTo::Variant,
        cost: "nothing: every setting is scored anyway",
        reads_gold: Some(ReadsGold::Page),
        notes: &[
            "How much choosing a parameter for each page could give at most. One row a sweep, grids and exact ones; of \
                  settings with the same F1 the first counts.",
        ],
        written: "bounds: [oracle-sweep]        # with the others by default",
        example: "F1 0.8 and 0.6 with one setting, 0.5 and 0.9 with another: means 0.7 and 0.7, bound (0.8 + 0.9) / 2 = 0.85",
        parameters: Vec::new,
    },
    Described {
        name: MEMBER,
        title: "a bound: page by page the best member of each ensemble of the run",
        source: "ours",
        faithful_to: FaithfulTo::Variant,
        cost: "scoring each member",
        reads_gold: Some(ReadsGold::Page),
        notes: &["How much choosing a member for each page could give at most: what an ensemble is up against."],
        written: "bounds: [oracle-member]       # with the others by default",
        example: "members with F1 0.9 and 0.4 on one page, 0.5 and 0.7 on another: bound (0.9 + 0.7) / 2 = 0.8",
        parameters: Vec::new,
    },
    Described {
        name: SUBTREE,
        title: "a bound: all text of the one element with the highest F1",
        source: "ours",
        faithful_to: FaithfulTo::Variant,
        cost: "one or two LCS a page; at worst one for each distinct element",
        reads_gold: Some(ReadsGold::Page),
        notes: &[
            "What a perfect choice of one block could reach that returns all its text. Of equal elements the one with \
                  fewest characters, then the first. Chosen over characters by LCS, whatever the run's tokens and measure.",
        ],
        written: "bounds: [oracle-subtree]      # with the others by default",
        example: "<body><div><a href=/>首页</a></div><div><h1>猫睡觉</h1><p>猫每天睡觉。</p><p>分享到</p></div></body>, gold 猫睡觉 / \
                  猫每天睡觉。 (9): the second div, 12 characters, 2 * 9 / (12 + 9) = 6/7; the first p alone 2 * 6 / (6 + 9) = 12/15",
        parameters: Vec::new,
    },
    Described {
        name: NODES,
        title: "a bound: the set of text nodes with the highest F1, exactly",
        source: "ours; the ratio after Dinkelbach 1967, the LCS after Hyyrö 2004",
        faithful_to: FaithfulTo::Variant,
        cost: "about two LCS of the text nodes that can pay for themselves with the gold",
        reads_gold: Some(ReadsGold::Page),
        notes: &[
            "The most that any algorithm which chooses text nodes could reach; a page below 0.95 has gold that its tree \
             does not hold. Chosen over characters by LCS, whatever the run's tokens and measure.",
            "A page whose tables would take more than 256 MiB, or 1.7 * 10^10 pairs of characters, is not run.",
        ],
        written: "bounds: [oracle-nodes]        # with the others by default; or\nbounds: [{oracle-nodes: {rule: [best, half]}}]",
        example: "<body><p>ab</p><p>cdxx</p><p>zz</p></body>, gold abcd: from all text, 8/12 = 2/3; there ab is worth 4 - 4/3, cdxx \
                  4 - 8/3, zz nothing: F1 2 * 4 / (6 + 4) = 4/5; there 12/5 + 4/5 = 4/5 * 4, so no set is better: ab / cdxx",
        parameters: declared::<NodesParameters>,
    },
];
