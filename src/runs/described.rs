//! What a run can have besides algorithms, as it is listed and documented: ensembles, rules of sites,
//! what learns from the gold of other pages, and bounds.

use serde::Serialize;

use super::bounds::{MEMBER, NODES, NodesParameters, SUBTREE, SWEEP};
use super::ensembles::{COMBINE, CombineParameters};
use super::learned::fiasco::FiascoParameters;
use super::learned::wrapper::LearningParameters;
use super::learned::{FIASCO, WRAPPER};
use super::reads_gold::ReadsGold;
use crate::algorithms::declaration::FaithfulTo;
use crate::algorithms::find;
use crate::algorithms::parameters::{Parameter, declared};

/// How `wrapper` that learns is listed, beside `wrapper` that reads rules from a file.
const LEARNED_WRAPPER: &str = "wrapper-learned";

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
pub const OTHERS: [Described; 8] = [
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
            "threshold=exact (rule=weighted) sweeps it over its whole range: what is chosen changes at the shares of all weights \
             that nodes of a page have.",
        ],
        written: "algorithms:\n  - combine:\n      name: vote\n      members: [nta, {cevc: {alpha: 0.5}}, cetd]\n      \
                  rule: majority\n  - combine: {members: [nta, cetd], rule: serial}\n\ncarat run --algorithm \
                  'combine:members=nta+cevc+cetd,rule=weighted,weights=2+1+1,threshold=0.5'",
        example: "three members choose the nodes 1 2, 2 3 and 2 4: majority 2; union 1 2 3 4; intersection 2; weights 2 1 1 \
                  make node 1 weigh 2 of 4, exactly half: 2 with ties=out, 1 2 with ties=in",
        parameters: declared::<CombineParameters>,
    },
    Described {
        name: WRAPPER,
        title: "rules of sites: what is content as CSS selectors, matched by site, host, path and a fingerprint",
        source: "practice: hand-made templates, which CEVC's reference 4 stands for; the idea is that of public collections of site \
                 rules",
        faithful_to: FaithfulTo::Variant,
        cost: "O(selectors x nodes)",
        reads_gold: None,
        notes: &[
            "The first rule of the file that is for a page and chooses something of it decides; then the fallback. docs/wrappers.md \
             describes the file.",
            "A row counts the pages that a rule decided, that the fallback did, and that nothing did. A run tells which rules \
             were for no page, or chose nothing of some.",
        ],
        written: "algorithms:\n  - wrapper: {rules: examples/wrapper/portals.yaml}\n\ncarat run --algorithm \
                  wrapper:rules=examples/wrapper/portals.yaml\ncarat wrapper check examples/wrapper/portals.yaml --dataset portals",
        example: "include [#a, {selector: h1, pick: first}], exclude [.share]: all text of #a but that of .share in it, and the first h1",
        parameters: Vec::new,
    },
    Described {
        name: LEARNED_WRAPPER,
        title: "rules of sites, learned: how good hand-made templates could be",
        source: "ours",
        faithful_to: FaithfulTo::Variant,
        cost: "selectors of a site x its pages x matches; the oracle's text nodes of each page",
        reads_gold: Some(ReadsGold::OtherPages),
        notes: &[
            "A template a site, learned from the gold of other pages of the site and tried on pages that it was not learned from: a site \
             of up to ten pages leaves out one at a time, a larger one a tenth. Written `wrapper: {learn: true}`.",
            "The selector that fits best is included, then more as long as they gain something; then selectors of what is too much \
             are excluded. docs/wrappers.md has the rules in words.",
            "fallback names the algorithm that decides where a page is alone on its site or its template chooses nothing: \
             all-text where nothing is said, none for nothing. A row counts such pages.",
        ],
        written: "algorithms:\n  - wrapper: {learn: true, train_pages: [1, 2, 3, 5, inf]}\n\ncarat run --algorithm \
                  wrapper:learn=true,fallback=cevc\ncarat wrapper learn portals > rules.yaml",
        example: "two pages of a menu div#nav and a div.art.body with a heading h1, a paragraph p and a p.share, gold the heading and the \
                  paragraph: include div.art (as good as div.body and div.art.body, but before the one by name and shorter \
                  than the other), exclude p.share",
        parameters: declared::<LearningParameters>,
    },
    Described {
        name: FIASCO,
        title: "a classifier of leaf blocks, learned from the gold of other sites",
        source: "D. Bauer and others, FIASCO: filtering the Internet by automatic subtree classification, WAC 2007: without key words, \
                 parts of speech and visual features, and logistic regression where the paper has a support vector machine \
                 (model=svm_linear, with the squared hinge as loss)",
        faithful_to: FaithfulTo::Variant,
        cost: "folds x blocks x 24^2 x steps of Newton's method (3, say) to learn, 64 bytes a block meanwhile; O(nodes) a page",
        reads_gold: Some(ReadsGold::OtherPages),
        notes: &[
            "Leaves one site out: what decides about a site's pages was learned from the pages of all other sites of the dataset. Where \
             there is no other site, pages are not run. With more than `folds` sites, site i of them in order of name is in part \
             i mod `folds`, and a part is left out.",
            "train_on names other datasets, as --dataset does and joined by +, whose pages are learned from in place of the dataset's \
             own: all of them but those of the same site, or part. The row tells their digests.",
            "15 numbers a block (length, links, punctuation, digits, special characters, depth, place, element) and the first four of \
             each neighbour's. A block of a page that is learned from is content when at least half of its characters, and at least \
             one, lie on one longest common subsequence with the gold: the one of the bound `oracle-nodes` with rule=half.",
            "The numbers of blocks that are learned from are kept as f32, those of the page at hand are f64. 1e-9 is added to the \
             loss's second derivative by the constant, on which there is no penalty, so that a step is always finite.",
            "The margin m of a support vector machine stands for the probability (1 + m)/2, cut at 0 and 1: the squared hinge is least \
             at 2p - 1, so that `clean` says as much of a margin as of a probability, and 0.5 is the margin 0.",
        ],
        written: "algorithms:\n  - fiasco-lite: {clean: 0.1..0.9/0.1}\n  - fiasco-lite: {train_on: portals+./news}\n\n\
                  carat run --algorithm fiasco-lite:model=svm_linear,l2=1",
        example: "<body><p>Rain, today.</p></body>: 11 characters, 2 of them punctuation, depth 3: ln 12, 0, 2/11, ln 3, 0, 0, 1/10, 3/20, 0, \
                  1, 0, 0, 0, 0, 1, and 0 eight times",
        parameters: declared::<FiascoParameters>,
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
        source: "ours; the ratio after Dinkelbach 1967, the LCS after Hyyrö 2004, the band after Ukkonen 1985, both ends after Hirschberg 1975",
        faithful_to: FaithfulTo::Variant,
        cost: "about two LCS of all text nodes with the gold, one from each end; less where they are nearly equal, more where F1 is low",
        reads_gold: Some(ReadsGold::Page),
        notes: &[
            "The most that any algorithm which chooses text nodes could reach; a page below 0.95 has gold that its tree \
             does not hold. Chosen over characters by LCS, whatever the run's tokens and measure.",
            "A page whose tables would take more than 256 MiB, or whose search more than 2^31 steps, is not run, and counted. A \
             step is 64 characters of the gold held against one of the page, or as much work; pages of corpora take less \
             than a tenth of that, and a page of 30 000 characters or more whose gold is of another page may take more.",
        ],
        written: "bounds: [oracle-nodes]        # with the others by default; or\nbounds: [{oracle-nodes: {rule: [best, half]}}]",
        example: "<body><p>ab</p><p>cdxx</p><p>zz</p></body>, gold abcd: from all text, 8/12 = 2/3; there ab is worth 4 - 4/3, cdxx \
                  4 - 8/3, zz nothing: F1 2 * 4 / (6 + 4) = 4/5; there 12/5 + 4/5 = 4/5 * 4, so no set is better: ab / cdxx",
        parameters: declared::<NodesParameters>,
    },
];
