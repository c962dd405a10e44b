//! Ensembles, as they are listed and documented.

use crate::algorithms::declaration::FaithfulTo;
use crate::algorithms::parameters::declared;
use crate::runs::configuration::{COMBINE, CombineParameters};
use crate::runs::described::Described;

/// `combine`.
pub(super) const COMBINED: [Described; 1] = [Described {
    name: COMBINE,
    title: "an ensemble: what several rows choose, combined text node by text node",
    source: "after CombinE: T. Gottron, Combining content extraction heuristics, iiWAS 2008 (its abstract; the rules \
                 are ours)",
    faithful_to: FaithfulTo::Variant,
    cost: "its members', each once per page even if it is a row, too; serial members after the first on a page of \
               their own",
    reads_gold: None,
    notes: &[
        "Members are algorithms with single values, or rows of the run that other programs made (stored/NAME, external/NAME); two at \
             least, and one may be named twice.",
        "A member that answers with text is put on text nodes first: one longest common subsequence of the page's \
             characters and its text, and a node is chosen when half of it is matched.",
        "A member that fails on a page counts as one that chooses nothing, and the page is counted as degraded; where \
             all fail it fails, and where one was not run it is not run.",
        "weights (rule=weighted): one per member, decimals above 0; without them all are 1.",
        "threshold=exact (rule=weighted) sweeps it over its whole range: what is chosen changes at the shares of all weights \
             that nodes of a page have.",
    ],
    written: "algorithms:\n  - combine:\n      name: vote\n      members: [nta, {cevc: {alpha: 0.5}}, cetd]\n      \
                  rule: majority\n  - combine: {members: [nta, cetd], rule: serial}\n\ncarat run --algorithm \
                  'combine:members=nta+cevc+cetd,rule=weighted,weights=2+1+1,threshold=0.5'",
    example: "three members choose the nodes 1 2, 2 3 and 2 4: majority 2; union 1 2 3 4; intersection 2; weights 2 1 1 \
                  make node 1 weigh 2 of 4, exactly half: 2 with ties=out, 1 2 with ties=in",
    parameters: declared::<CombineParameters>,
}];
