//! jusText: paragraphs are judged by their length, their stop words and their links, and then by the paragraphs around
//! them.
//!
//! The page is split into paragraphs. Each is good, nearly good, short or bad by itself. Short and nearly good
//! paragraphs take the class of the nearest decided paragraphs on both sides. Headings right before good text are kept.
//! The rules are read from version 3.0.2 of the program.

mod classes;
mod paragraphs;
mod stop_list;

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use self::classes::{Class, classes};
use self::paragraphs::{Paragraph, Paragraphs};
pub(super) use self::stop_list::StopList;
use super::algorithm::{Choice, PageAlgorithm};
use super::declaration::{Declaration, Example, FaithfulTo, Swept};
use super::features::links::ProgramLinks;
use super::parameters::{Values, check_whole};
use super::value::Value;
use crate::page::Page;

/// Content by the classes of paragraphs.
pub(super) struct Justext;

/// Parameters of `justext`; the first value of each is the default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct JustextParameters {
    /// share of linked characters above which a paragraph is bad
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub max_link_density: Value,
    /// characters below which a paragraph is short, or with a link bad
    pub length_low: Value,
    /// characters above which a paragraph with enough stop words is good, not only nearly
    pub length_high: Value,
    /// share of stop words from which a paragraph is nearly good
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub stopwords_low: Value,
    /// share of stop words from which a long paragraph is good
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub stopwords_high: Value,
    /// characters between a heading and good text up to which the heading is good
    pub max_heading_distance: Value,
    /// whether headings are paragraphs like any other
    pub no_headings: bool,
    /// whether short headings before good text are nearly good before the short ones are judged: the thesis has it,
    /// in the program it never happens
    pub early_headings: EarlyHeadings,
    /// stop words: `auto` is `en` on English pages and `none` on others; `en` is the program's list, `en-small` one of
    /// ours; with `none` both thresholds are 0, the program's mode for any language; or these words
    pub stoplist: StopList,
    /// which `a` elements make characters linked
    pub links: ProgramLinks,
    /// characters that a kana or an ideograph counts as in lengths, whole; more than the program's 1 is a variant of ours
    #[schemars(extend("from" = "1", "to" = "8"))]
    pub wide_chars: Value,
}

impl Default for JustextParameters {
    fn default() -> Self {
        JustextParameters {
            max_link_density: Value::hundredths(20),
            length_low: Value::decimal(70, 0),
            length_high: Value::decimal(200, 0),
            stopwords_low: Value::hundredths(30),
            stopwords_high: Value::hundredths(32),
            max_heading_distance: Value::decimal(200, 0),
            no_headings: false,
            early_headings: EarlyHeadings::Off,
            stoplist: StopList::Auto,
            links: ProgramLinks::Real,
            wide_chars: Value::ONE,
        }
    }
}

/// Whether headings are judged before short paragraphs too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum EarlyHeadings {
    Off,
    On,
}

/// A line the stop list that these parameters hold against pages of these languages.
fn resources(values: &Values, pages: &BTreeSet<Option<String>>) -> Vec<String> {
    let Ok(parameters) = serde_json::from_value::<JustextParameters>(Json::Object(values.clone())) else {
        return Vec::new();
    };
    let lines: BTreeSet<String> =
        pages.iter().filter_map(|language| parameters.stoplist.resource(language.as_deref())).collect();
    lines.into_iter().collect()
}

/// A heading, three times a sentence of 73 characters with 12 stop words of 18, a short line, twice the sentence, a link,
/// and two short lines.
const PAGE: &str = "<body><h1>Good day</h1><p>The cat sat on the mat and it was the best of all the mats in the house. The cat sat \
    on the mat and it was the best of all the mats in the house. The cat sat on the mat and it was the best of all \
    the mats in the house. </p><p>Short one.</p><p>The cat sat on the mat and it was the best of all the mats in \
    the house. The cat sat on the mat and it was the best of all the mats in the house. </p><div><a href=1>Next \
    page</a></div><p>Other text</p><p>(c) tail</p></body>";

const GOOD_WITH_HEADING: &str = "Good day\nThe cat sat on the mat and it was the best of all the mats in the house. The cat sat on the mat and \
    it was the best of all the mats in the house. The cat sat on the mat and it was the best of all the mats in the \
    house.\nShort one.\nThe cat sat on the mat and it was the best of all the mats in the house. The cat sat on the \
    mat and it was the best of all the mats in the house.";

const GOOD: &str = "The cat sat on the mat and it was the best of all the mats in the house. The cat sat on the mat and it was the \
    best of all the mats in the house. The cat sat on the mat and it was the best of all the mats in the \
    house.\nShort one.\nThe cat sat on the mat and it was the best of all the mats in the house. The cat sat on the \
    mat and it was the best of all the mats in the house.";

const HEADING_AND_FIRST: &str = "Good day\nThe cat sat on the mat and it was the best of all the mats in the house. The cat sat on the mat and \
    it was the best of all the mats in the house. The cat sat on the mat and it was the best of all the mats in the \
    house.";

const STOP_WORDS: &str = "stoplist=the+on+and+it+was+of+all+in";

const fn example(title: &'static str, parameters: &'static str, expected: &'static str) -> Example {
    Example::new(title, PAGE, parameters, expected)
}

impl PageAlgorithm for Justext {
    type Parameters = JustextParameters;
    type Prepared<'p> = Paragraphs;
    const DECLARATION: Declaration = Declaration {
        name: "justext",
        title: "gives long paragraphs with many stop words and few links, and the shorter ones beside them",
        source: "J. Pomikálek, Removing boilerplate and duplicate content from web corpora, thesis, Brno 2011; program \
                 jusText 3.0.2",
        faithful_to: FaithfulTo::Code,
        languages: "English; others are judged without stop words; wide_chars=3 for Chinese (variant)",
        cost: "O(text)",
        swept: &[
            Swept::exact("max_link_density", "0..1/0.05"),
            Swept::exact("length_low", "0..200/10"),
            Swept::exact("length_high", "0..400/20"),
            Swept::exact("stopwords_low", "0..1/0.05"),
            Swept::exact("stopwords_high", "0..1/0.05"),
            Swept::on_grid("max_heading_distance", "0..400/50"),
        ],
        // Lengths 8, 218, 10, 145, 9 (all linked), 10, 8; stop words 2/3 in the long ones. Alone: short, good, short,
        // nearly good, bad, short, short. The heading has nothing before it: bad, but good right behind it: good. `Short
        // one.` has good before, and behind it bad, but nearly good first: good. The 145 have good before them: good.
        // The last two have bad on both sides. At length_low 9 the heading, which has no stop word, is short, and
        // `Short one.` and `Other text` are bad; so the 145 have bad before them, and behind.
        examples: &[
            example("the short line and the heading beside good text", STOP_WORDS, GOOD_WITH_HEADING),
            example("without headings", "stoplist=the+on+and+it+was+of+all+in,no_headings=true", GOOD),
            example(
                "at length_low 9 the short line is bad, and so is what follows it",
                "stoplist=the+on+and+it+was+of+all+in,length_low=9",
                HEADING_AND_FIRST,
            ),
        ],
        floor: false,
        resources,
    };

    fn swept<'p>(parameters: &'p mut JustextParameters, name: &str) -> Option<&'p mut Value> {
        match name {
            "max_link_density" => Some(&mut parameters.max_link_density),
            "length_low" => Some(&mut parameters.length_low),
            "length_high" => Some(&mut parameters.length_high),
            "stopwords_low" => Some(&mut parameters.stopwords_low),
            "stopwords_high" => Some(&mut parameters.stopwords_high),
            _ => None,
        }
    }

    fn check(parameters: &JustextParameters) -> Result<(), String> {
        check_whole("wide_chars", parameters.wide_chars)?;
        parameters.stoplist.check()
    }

    fn prepare(&self, page: &Page, parameters: &JustextParameters) -> Paragraphs {
        Paragraphs::new(page, parameters)
    }

    fn choose(&self, paragraphs: &Paragraphs, parameters: &JustextParameters) -> Choice {
        let classes = classes(paragraphs, parameters);
        let good = paragraphs.paragraphs.iter().zip(classes).filter(|(_, class)| *class == Class::Good);
        good.flat_map(|(paragraph, _)| paragraphs.nodes(paragraph)).copied().collect()
    }

    fn break_points(&self, paragraphs: &Paragraphs, _: &JustextParameters, swept: &str) -> Vec<Value> {
        let statistic: fn(&Paragraph) -> Value = match swept {
            "max_link_density" => Paragraph::link_density,
            "length_low" | "length_high" => |paragraph| Value::decimal(paragraph.length, 0),
            _ => Paragraph::stop_density,
        };
        paragraphs.paragraphs.iter().map(statistic).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Context;

    fn text(html: &str, parameters: &JustextParameters) -> String {
        let page = Page::new(html.as_bytes(), Context::default()).unwrap();
        Justext.choose(&Justext.prepare(&page, parameters), parameters).text(&page)
    }

    #[test]
    fn wide_characters_count_in_lengths_and_not_in_link_densities() {
        // 60 characters, 10 of them linked; with 120 or 180 they are no longer short, so the link makes them not bad.
        let html = format!("<p>{}<a href=x>{}</a></p>", "\u{6587}".repeat(50), "\u{4E2D}".repeat(10));
        let wide = |wide_chars: u64, max_link_density| {
            let wide_chars = Value::decimal(wide_chars, 0);
            let parameters = JustextParameters { wide_chars, max_link_density, ..JustextParameters::default() };
            text(&html, &parameters).chars().count()
        };
        let fifth = Value::hundredths(20);
        // Nearly good alone is bad: nothing good stands beside it.
        assert_eq!([1, 3, 4].map(|width| wide(width, fifth)), [0, 0, 60]);
        assert_eq!([16, 17].map(|hundredths| wide(4, Value::hundredths(hundredths))), [0, 60]);
    }

    #[test]
    fn copyright_signs_are_bad_whatever_the_length() {
        let parameters = JustextParameters { length_high: Value::ZERO, ..JustextParameters::default() };
        let long = "word ".repeat(20);
        for (mark, is_good) in [("", true), ("\u{A9}", false), ("&amp;copy", false), ("&amp;cop", true)] {
            assert_eq!(!text(&format!("<p>{mark} {long}"), &parameters).is_empty(), is_good, "{mark}");
        }
    }

    #[test]
    fn early_headings_save_a_short_line_before_them() {
        // A linked paragraph, a heading, a short line, a good one. The line has bad before it and good behind it; it is
        // good only if the heading, which stands nearer than the bad one, is nearly good by then.
        let long = "word ".repeat(50);
        let html = format!("<p><a href=x>{long}</a></p><h2>head</h2><p>line</p><p>{long}");
        let with = |early_headings| {
            let parameters = JustextParameters { early_headings, ..JustextParameters::default() };
            text(&html, &parameters).contains("line")
        };
        assert_eq!([EarlyHeadings::Off, EarlyHeadings::On].map(with), [false, true]);
    }
}
