//! Bounds, as they are listed and documented.

use super::NodesParameters;
use crate::algorithms::declaration::FaithfulTo;
use crate::algorithms::parameters::declared;
use crate::runs::configuration::bounds::{MEMBER, NODES, SUBTREE, SWEEP};
use crate::runs::described::Described;
use crate::runs::reads_gold::ReadsGold;

/// Every bound, in the order of listings.
pub(super) const BOUNDS: [Described; 4] = [
    Described {
        name: SWEEP,
        title: "a bound: page by page the best setting of each sweep of the run",
        source: "ours",
        faithful_to: FaithfulTo::Variant,
        cost: "nothing: every setting is scored anyway",
        reads_gold: Some(ReadsGold::Page),
        notes: &[
            "The most that a choice of the parameter for each page could give. There is one row per sweep, for grids and for \
             exact sweeps. Of settings with the same F1 the first counts.",
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
        notes: &[
            "The most that a choice of one member for each page could give: the limit for an ensemble that takes one of its members.",
        ],
        written: "bounds: [oracle-member]       # with the others by default",
        example: "members with F1 0.9 and 0.4 on one page, 0.5 and 0.7 on another: bound (0.9 + 0.7) / 2 = 0.8",
        parameters: Vec::new,
    },
    Described {
        name: SUBTREE,
        title: "a bound: all text of the one element with the highest F1",
        source: "ours",
        faithful_to: FaithfulTo::Variant,
        cost: "one or two LCS per page; at worst one per distinct element",
        reads_gold: Some(ReadsGold::Page),
        notes: &[
            "The most that an algorithm can reach which returns all text of one element. Of equally good elements it takes the \
             one with fewest characters, then the first. It chooses by LCS over characters, whatever the run's tokens and \
             measure are.",
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
            "The most that an algorithm can reach which chooses text nodes. A page below 0.95 has gold that is not in its tree. \
             It chooses by LCS over characters, whatever the run's tokens and measure are.",
            "A page whose tables would take more than 256 MiB, or whose search more than 2^31 steps, is not run, and counted. A \
             step compares 64 characters of the gold with one of the page, or does as much work. Pages of corpora take less \
             than a tenth of that. A page of 30 000 characters or more whose gold is of another page may take more.",
        ],
        written: "bounds: [oracle-nodes]        # with the others by default; or\nbounds: [{oracle-nodes: {rule: [best, half]}}]",
        example: "<body><p>ab</p><p>cdxx</p><p>zz</p></body>, gold abcd: from all text, 8/12 = 2/3; there ab is worth 4 - 4/3, cdxx \
                  4 - 8/3, zz nothing: F1 2 * 4 / (6 + 4) = 4/5; there 12/5 + 4/5 = 4/5 * 4, so no set is better: ab / cdxx",
        parameters: declared::<NodesParameters>,
    },
];
