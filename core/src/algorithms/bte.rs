//! BTE: body text extraction. It finds the stretch of the page with most words inside and most tags outside.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::{Choice, PageAlgorithm};
use super::declaration::{Declaration, Example, FaithfulTo, Swept, no_resources};
use super::features::tokens::{TokenUnit, Tokens};
use super::value::Value;
use crate::page::Page;

/// Body text extraction.
pub(super) struct Bte;

/// Parameters of `bte`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BteParameters {
    /// number of words that one tag outweighs; in the paper 1
    #[schemars(extend("from" = "0.000001", "to" = "1000"))]
    pub tag_weight: Value,
    /// what a word is: a Han character or a run of other characters, a character, or a run between white space
    pub token: TokenUnit,
}

impl Default for BteParameters {
    fn default() -> Self {
        BteParameters { tag_weight: Value::ONE, token: TokenUnit::Han }
    }
}

const PAGE_C: &str = "<body><p>one two <a href=x>three</a></p><ul><li><a href=y>four</a></li></ul>\
    <p>five six seven eight</p><p>nine ten eleven</p></body>";

const PAGE_D: &str = "<body><p>今天天气很好。</p><p>我们去了公园，看见了很多花。</p>\
    <div><a href=x>首页</a> <a href=y>新闻</a></div></body>";

const PARAGRAPHS_OF_D: &str = "今天天气很好。\n我们去了公园，看见了很多花。";

impl PageAlgorithm for Bte {
    type Parameters = BteParameters;
    type Prepared<'p> = Tokens;
    const DECLARATION: Declaration = Declaration {
        name: "bte",
        title: "gives the stretch of the page with the most words inside and the most tags outside",
        source: "A. Finn, N. Kushmerick, B. Smyth, Fact or fiction: content classification for digital libraries, 2001",
        faithful_to: FaithfulTo::Paper,
        languages: "any",
        cost: "O(text)",
        swept: &[Swept::on_grid("tag_weight", "0.25..6/0.25")],
        // Page C is TTwwTwTTTTTwTTTTwwwwTTwwwTT: from five to eleven 4 - 2 + 3 = 5, and 4 at tag weight 2 without the last
        // paragraph, for 4 - 4 + 3 = 3. Page D is TTwwwwwwwTTwwwwwwwwwwwwwwTTTwwTTwwTTT: 7 - 2 + 14 = 19, and both links
        // would add 2 - 3 + 2 - 2. In words it is TTwTTwTTTwTTwTTT: all stretches are worth at most 1, the first wins.
        examples: &[
            Example::new("C: 4 - 2 + 3 words", PAGE_C, "", "five six seven eight\nnine ten eleven"),
            Example::new("C: 4 words are more than 4 - 4 + 3", PAGE_C, "tag_weight=2", "five six seven eight"),
            Example::new(
                "C: a word outweighs four tags",
                PAGE_C,
                "tag_weight=0.25",
                "one two three\nfour\nfive six seven eight\nnine ten eleven",
            ),
            Example::new("D: both paragraphs", PAGE_D, "", PARAGRAPHS_OF_D),
            Example::new("D: as many characters", PAGE_D, "token=char", PARAGRAPHS_OF_D),
            Example::new("D: as words between white space a sentence is one", PAGE_D, "token=word", "今天天气很好。"),
        ],
        floor: false,
        resources: no_resources,
    };

    fn prepare(&self, page: &Page, parameters: &BteParameters) -> Tokens {
        Tokens::of(page, parameters.token)
    }

    fn choose(&self, tokens: &Tokens, parameters: &BteParameters) -> Choice {
        let stretch = best_stretch(tokens, parameters.tag_weight);
        tokens.text.chosen(tokens.majority(|place| stretch.contains(&place))).collect()
    }
}

/// The stretch with the largest number of words without `tag_weight` times its tags: of equal ones that with the
/// earliest end, and of those with the latest start; empty where none is worth anything.
fn best_stretch(tokens: &Tokens, tag_weight: Value) -> std::ops::Range<usize> {
    let (weight, unit) = tag_weight.fraction();
    let (mut best, mut best_worth) = (0..0, 0);
    let (mut start, mut worth) = (0, 0i128);
    for (place, item) in tokens.items.iter().enumerate() {
        if worth <= 0 {
            (start, worth) = (place, 0);
        }
        worth += if item.is_tag() { -i128::from(weight) } else { i128::from(unit) };
        if worth > best_worth {
            (best, best_worth) = (start..place + 1, worth);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Context;

    fn stretch(html: &str, weight: &str) -> std::ops::Range<usize> {
        let page = Page::new(html.as_bytes(), Context::default()).unwrap();
        best_stretch(&Bte.prepare(&page, &BteParameters::default()), weight.parse().unwrap())
    }

    #[test]
    fn among_equals_the_earliest_end_and_the_latest_start_win() {
        // TT w T w ww TT: at 1 `w T w` is worth 1, as the first w is; three w are worth more.
        assert_eq!(stretch("<p>a</p>", "1"), 2..3);
        assert_eq!(stretch("<p>a<br>b", "1"), 2..3);
        // The stretch begins anew where the sum before is 0.
        assert_eq!(stretch("<p>a<br>b c", "1"), 4..6);
        assert_eq!(stretch("<p>a<br>b c", "0.5"), 2..6);
    }

    #[test]
    fn a_page_without_words_has_no_stretch() {
        assert_eq!(stretch("<p><b></b>", "1"), 0..0);
        assert_eq!(stretch("<frameset>", "1"), 0..0);
    }
}
