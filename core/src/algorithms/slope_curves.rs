//! Document slope curves: content is where the number of tags grows slowly with the number of tokens.
//!
//! A window moves over the sequence of tags and tokens. It is low if it has few tags compared with the mean of the
//! page. Content is where several windows in a row are low.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::{Choice, PageAlgorithm};
use super::declaration::{Declaration, Example, FaithfulTo, Swept, no_resources};
use super::features::tokens::{Item, TokenUnit, Tokens};
use super::parameters::check_whole;
use super::value::Value;
use crate::page::Page;

/// Document slope curves.
pub(super) struct SlopeCurves;

/// Parameters of `dsc`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SlopeCurvesParameters {
    /// what part of the page's share of tags a low window stays below
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub ratio: Value,
    /// tags and tokens of a window, whole; the next one begins half a window later
    #[schemars(extend("from" = "1", "to" = "1000000"))]
    pub window: Value,
    /// how many low windows one after the other are content, whole
    #[schemars(extend("from" = "1", "to" = "1000000"))]
    pub consecutive: Value,
    /// what a token is: a Han character or a run of other characters, a character, or a run between white space
    pub token: TokenUnit,
}

impl Default for SlopeCurvesParameters {
    fn default() -> Self {
        SlopeCurvesParameters {
            ratio: Value::hundredths(50),
            window: Value::decimal(50, 0),
            consecutive: Value::decimal(3, 0),
            token: TokenUnit::Han,
        }
    }
}

/// A stretch of tags and tokens.
struct Window {
    items: Range<usize>,
    /// Its share of tags over the page's; `None` without tags.
    share: Option<Value>,
}

/// The page in windows.
pub(super) struct Windows {
    tokens: Tokens,
    windows: Vec<Window>,
}

const PAGE_C: &str = "<body><p>one two <a href=x>three</a></p><ul><li><a href=y>four</a></li></ul>\
    <p>five six seven eight</p><p>nine ten eleven</p></body>";

const fn example(title: &'static str, parameters: &'static str, expected: &'static str) -> Example {
    Example::new(title, PAGE_C, parameters, expected).in_language("en")
}

impl PageAlgorithm for SlopeCurves {
    type Parameters = SlopeCurvesParameters;
    type Prepared<'p> = Windows;
    const DECLARATION: Declaration = Declaration {
        name: "dsc",
        title: "gives the stretches of several windows that have few tags beside the page's mean",
        source: "D. Pinto et al., QuASM: a system for question answering using semi-structured data, 2002: window, share \
                 and number of windows recalled, and so in one public program",
        faithful_to: FaithfulTo::Reconstruction,
        languages: "any",
        cost: "O(text)",
        swept: &[Swept::exact("ratio", "0..1/0.05")],
        // Page C is TTwwTwTTTTTwTTTTwwwwTTwwwTT, 27 items with 16 tags, 0.593 a place: a window of 4 is low with less
        // than 1.19 tags, so with at most one. The windows, every 2 places, have 2 1 3 4 3 3 4 2 0 2 2 1 tags, and the last
        // one 2 of 3: low are wwTw, wwww and wwwT.
        examples: &[
            example(
                "one window is enough",
                "window=4,consecutive=1",
                "one two three\nfive six seven eight\nnine ten eleven",
            ),
            example("no two in a row are low", "window=4,consecutive=2", ""),
            example("only a window without tags is below 0", "window=4,consecutive=1,ratio=0", "five six seven eight"),
            example("a page in one window is not below its mean", "", ""),
        ],
        floor: false,
        resources: no_resources,
    };

    fn swept<'p>(parameters: &'p mut SlopeCurvesParameters, name: &str) -> Option<&'p mut Value> {
        (name == "ratio").then_some(&mut parameters.ratio)
    }

    fn check(parameters: &SlopeCurvesParameters) -> Result<(), String> {
        check_whole("window", parameters.window)?;
        check_whole("consecutive", parameters.consecutive)
    }

    fn prepare(&self, page: &Page, parameters: &SlopeCurvesParameters) -> Windows {
        let tokens = Tokens::of(page, parameters.token);
        let windows = windows(&tokens.items, parameters.window.whole() as usize);
        Windows { tokens, windows }
    }

    fn choose(&self, page: &Windows, parameters: &SlopeCurvesParameters) -> Choice {
        let is_low = |window: &Window| window.share.is_none_or(|share| share < parameters.ratio);
        let least = (parameters.consecutive.whole() as usize).min(page.windows.len());
        let mut is_content = vec![false; page.tokens.items.len()];
        for run in page.windows.chunk_by(|one, other| is_low(one) == is_low(other)) {
            if is_low(&run[0]) && run.len() >= least {
                is_content[run[0].items.start..run[run.len() - 1].items.end].fill(true);
            }
        }
        page.tokens.text.chosen(page.tokens.majority(|place| is_content[place])).collect()
    }

    fn break_points(&self, page: &Windows, _: &SlopeCurvesParameters, _: &str) -> Vec<Value> {
        page.windows.iter().filter_map(|window| window.share).collect()
    }
}

/// Windows of `size` items, each half a window behind the one before; the last one ends with the page.
fn windows(items: &[Item], size: usize) -> Vec<Window> {
    let step = (size / 2).max(1);
    let mut tags_before = vec![0u64];
    for item in items {
        tags_before.push(tags_before[tags_before.len() - 1] + u64::from(item.is_tag()));
    }
    let all_tags = tags_before[items.len()];
    let window = |start: usize| {
        let end = (start + size).min(items.len());
        let tags = tags_before[end] - tags_before[start];
        let share = Value::ratio(tags * items.len() as u64, all_tags * (end - start) as u64);
        Window { items: start..end, share: (tags > 0).then_some(share) }
    };
    let starts = (0..(items.len() + step).saturating_sub(size).max(1)).step_by(step);
    if items.is_empty() { Vec::new() } else { starts.map(window).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Context;

    #[test]
    fn windows_overlap_by_half_and_reach_the_end() {
        let page = Page::new(PAGE_C.as_bytes(), Context::default()).unwrap();
        let items = Tokens::of(&page, TokenUnit::Han).items;
        let ranges: Vec<_> = windows(&items, 10).into_iter().map(|window| window.items).collect();
        assert_eq!(ranges, [0..10, 5..15, 10..20, 15..25, 20..27]);
        assert_eq!(windows(&items, 27).len(), 1);
        assert_eq!(windows(&items, 100)[0].items, 0..27);
        assert_eq!(windows(&items, 1).len(), 27);
        // From 15, 3 of 10 are tags; on the page, 16 of 27.
        assert_eq!(windows(&items, 10)[3].share, Some(Value::ratio(3 * 27, 10 * 16)));
        assert!(windows(&[], 10).is_empty());
    }

    #[test]
    fn all_windows_are_content_where_they_are_fewer_than_asked_for() {
        let page = Page::new("<p>a b c".as_bytes(), Context::default()).unwrap();
        let text = |ratio: &str| {
            let parameters =
                SlopeCurvesParameters { ratio: ratio.parse().unwrap(), ..SlopeCurvesParameters::default() };
            SlopeCurves.choose(&SlopeCurves.prepare(&page, &parameters), &parameters).text(&page)
        };
        // One window with the page's own share of tags.
        assert_eq!(text("1"), "");
        assert_eq!(text("1.01"), "a b c");
    }
}
