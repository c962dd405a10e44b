//! Rules of sites and what learns, as they are listed and documented.

use super::fiasco::FiascoParameters;
use super::wrapper::LearningParameters;
use super::{FIASCO, WRAPPER};
use crate::algorithms::declaration::FaithfulTo;
use crate::algorithms::parameters::declared;
use crate::runs::described::Described;
use crate::runs::reads_gold::ReadsGold;

/// How `wrapper` that learns is listed, beside `wrapper` that reads rules from a file.
const LEARNED_WRAPPER: &str = "wrapper-learned";

/// Every row that knows more than a page, in the order of listings.
pub(super) const LEARNED: [Described; 3] = [
    Described {
        name: WRAPPER,
        title: "rules of sites: what is content as CSS selectors, matched by site, host, path and a fingerprint",
        source: "practice: hand-made templates, which CEVC's reference 4 stands for; the idea is that of public collections of site \
                 rules",
        faithful_to: FaithfulTo::Variant,
        cost: "O(selectors x nodes)",
        reads_gold: None,
        notes: &[
            "The first rule of the file that is for a page and chooses something of it decides; then the fallback. docs/reference/rules.md \
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
            "One template per site, learned from the gold of other pages of the site and tried on pages that it was not learned from: a site \
             of up to ten pages leaves out one at a time, a larger one a tenth. Written `wrapper: {learn: true}`.",
            "The selector that fits best is included, then more as long as they gain something; then selectors of what is too much \
             are excluded. docs/reference/rules.md has the rules in words.",
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
        cost: "folds x blocks x 24^2 x steps of Newton's method (3, say) to learn, 64 bytes per block meanwhile; O(nodes) per page",
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
];
