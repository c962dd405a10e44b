//! boilerpipe: blocks of text are judged by their numbers of words and of linked words, and by those of their
//! neighbours.
//!
//! The page is split into blocks at the tags of all but inline elements. A small decision tree, learned on English
//! news, decides which blocks are content. For articles, what follows the comments is dropped, adjacent blocks are
//! joined, and the largest block is kept. The rules are read from version 1.2.0 of the program.

mod blocks;
mod filters;
mod limits;
mod titles;
mod words;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::blocks::{Blocks, Counts};
use self::filters::Document;
pub(super) use self::limits::{DensityLimits, LinkLimits, WordLimits};
use super::algorithm::{Choice, PageAlgorithm};
use super::declaration::{Declaration, Example, FaithfulTo, Swept, no_resources};
use super::features::links::ProgramLinks;
use super::parameters::check_whole;
use super::value::Value;
use crate::page::Page;

/// The program's extractor for articles.
pub(super) struct BoilerpipeArticle;

/// The program's extractor for any page.
pub(super) struct BoilerpipeDefault;

/// The paper's decision tree over words alone.
pub(super) struct BoilerpipeNumWords;

/// Parameters of `boilerpipe-article`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub(super) struct ArticleParameters {
    /// Which blocks have too many links.
    #[serde(flatten)]
    pub links: LinkLimits,
    /// Which blocks have enough words.
    #[serde(flatten)]
    pub words: WordLimits,
    /// Where the article ends.
    #[serde(flatten)]
    pub article: ArticleLimits,
    /// What a block is.
    #[serde(flatten)]
    pub blocks: BlockParameters,
}

/// Parameters of `boilerpipe-default`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub(super) struct DefaultParameters {
    /// Which blocks have too many links.
    #[serde(flatten)]
    pub links: LinkLimits,
    /// Which blocks are dense enough.
    #[serde(flatten)]
    pub densities: DensityLimits,
    /// What a block is.
    #[serde(flatten)]
    pub blocks: BlockParameters,
}

/// Parameters of `boilerpipe-numwords`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub(super) struct NumWordsParameters {
    /// Which blocks have too many links.
    #[serde(flatten)]
    pub links: LinkLimits,
    /// Which blocks have enough words.
    #[serde(flatten)]
    pub words: WordLimits,
    /// What a block is.
    #[serde(flatten)]
    pub blocks: BlockParameters,
}

/// Where an article ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct ArticleLimits {
    /// words of content before a heading over comments for which that ends the article
    pub end_min_words: Value,
    /// chain of filters: that of version 1.2, or of the source of 2.0, which was never released
    pub profile: Profile,
}

/// What a block is; the first value of each is the default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct BlockParameters {
    /// characters in a line, by which text density is counted, whole
    #[schemars(extend("from" = "1", "to" = "1000"))]
    pub line_width: Value,
    /// which `a` elements make words linked
    pub links: ProgramLinks,
    /// kana and ideographs in a word, whole; 0, the program: as many as stand together, a clause of Chinese being one
    /// word; more is a variant of ours
    #[schemars(extend("from" = "0", "to" = "16"))]
    pub han_chars_per_word: Value,
}

/// The chain of filters for articles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) enum Profile {
    /// Of version 1.2.0, of 2011: what nearly everyone runs.
    #[default]
    #[serde(rename = "1.2")]
    V1_2,
    /// Of the source of 2015, which knows headings, lists and levels.
    #[serde(rename = "2.0")]
    V2_0,
}

impl Default for ArticleLimits {
    fn default() -> Self {
        ArticleLimits { end_min_words: Value::decimal(60, 0), profile: Profile::V1_2 }
    }
}

impl Default for BlockParameters {
    fn default() -> Self {
        BlockParameters {
            line_width: Value::decimal(80, 0),
            links: ProgramLinks::Real,
            han_chars_per_word: Value::ZERO,
        }
    }
}

impl BlockParameters {
    fn check(&self) -> Result<(), String> {
        check_whole("line_width", self.line_width)?;
        check_whole("han_chars_per_word", self.han_chars_per_word)
    }
}

/// A line of links, 17 words, and two short blocks.
const PAGE_SHORT: &str = "<title>T</title><body><div><a href=1>Home</a> <a href=2>News</a></div><p>one one one one one one one one one \
    one one one one one one one one</p><p>short</p><p>Comments are closed now</p></body>";

/// A headline, a line by someone, an article in two paragraphs of 70 and 20 words, and a comment of 30.
const PAGE_NEWS: &str = "<title>Big news | Site</title><body><h1>Big news</h1><p>By <a href=2>Ann</a></p><p>alpha alpha alpha alpha \
    alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha \
    alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha \
    alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha \
    alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha.</p><p>beta beta beta beta beta beta \
    beta beta beta beta beta beta beta beta beta beta beta beta beta beta</p><p>3 comments</p><p>gamma gamma gamma \
    gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma \
    gamma gamma gamma gamma gamma gamma gamma gamma gamma</p></body>";

const SEVENTEEN_AND_SHORT: &str = "one one one one one one one one one one one one one one one one one\nshort";

const NEWS_ARTICLE: &str = "By Ann\nalpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha \
    alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha \
    alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha \
    alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha.\nbeta \
    beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta";

const NEWS_TITLE_AND_ARTICLE: &str = "Big news\nBy Ann\nalpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha \
    alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha \
    alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha \
    alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha \
    alpha.\nbeta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta";

const NEWS_TO_THE_END: &str = "By Ann\nalpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha \
    alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha \
    alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha \
    alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha.\nbeta \
    beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta\n3 \
    comments\ngamma gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma \
    gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma";

const NEWS_TO_THE_END_WITHOUT_LINE: &str = "alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha \
    alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha \
    alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha \
    alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha.\nbeta beta \
    beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta\n3 comments\ngamma \
    gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma \
    gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma gamma";

const NEWS_BODY: &str = "alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha \
    alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha \
    alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha \
    alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha.\nbeta beta \
    beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta\n3 comments";

const NEWS_WITHOUT_LAST: &str = "Big news\nBy Ann\nalpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha \
    alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha \
    alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha \
    alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha alpha \
    alpha.\nbeta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta beta\n3 \
    comments";

const SOURCE: &str = "C. Kohlschütter, P. Fankhauser, W. Nejdl, Boilerplate detection using shallow text features, \
    WSDM 2010; program boilerpipe 1.2.0";

const LANGUAGES: &str = "English, on which its trees were learned; han_chars_per_word=2 for Chinese (variant)";

const COST: &str = "O(text)";

const LINK_DENSITIES: [Swept; 2] =
    [Swept::exact("max_link_density", "0..1/0.05"), Swept::exact("max_prev_link_density", "0..1/0.05")];

const WORDS: [Swept; 5] = [
    Swept::exact("curr_words", "0..50/5"),
    Swept::exact("next_words", "0..50/5"),
    Swept::exact("prev_words", "0..50/5"),
    Swept::exact("curr_words_after_links", "0..100/10"),
    Swept::exact("next_words_after_links", "0..50/5"),
];

const DENSITIES: [Swept; 4] = [
    Swept::exact("curr_density", "0..20/1"),
    Swept::exact("next_density", "0..20/1"),
    Swept::exact("prev_density", "0..20/1"),
    Swept::exact("next_density_after_links", "0..20/1"),
];

impl PageAlgorithm for BoilerpipeArticle {
    type Parameters = ArticleParameters;
    type Prepared<'p> = Blocks;
    const DECLARATION: Declaration = Declaration {
        name: "boilerpipe-article",
        title: "gives the largest run of blocks with enough words and few links, up to the comments",
        source: SOURCE,
        faithful_to: FaithfulTo::Code,
        languages: LANGUAGES,
        cost: COST,
        swept: &[
            LINK_DENSITIES[0],
            LINK_DENSITIES[1],
            WORDS[0],
            WORDS[1],
            WORDS[2],
            WORDS[3],
            WORDS[4],
            Swept::exact("end_min_words", "0..200/20"),
        ],
        // Words, linked ones and text density. Short: links 2, 2, 2; one 17, 0, 17; short 1, 0, 1; comments 4, 0, 4. By
        // words `short` alone is content, see boilerpipe-numwords; it draws the block before it in. The last block would
        // end the article, but no dense words are content before it.
        // News: title 2, 0, 2; by Ann 2, 1, 2; alpha 70, 0, 65/5 (see words.rs); beta 20, 0, 16; 3 comments 2, 0, 2;
        // gamma 30, 0, 26/2. By words all from alpha on is content, `3 comments` as gamma follows; 70 + 20 dense words
        // stand before it, so that it and gamma go. alpha draws `By Ann` in, which has link density 1/2, and beta is
        // next to it; what is no content is removed, the title too. Version 2.0 keeps the title, to which content
        // is then expanded.
        examples: &[
            Example::new("Short: the block before content is drawn in", PAGE_SHORT, "", SEVENTEEN_AND_SHORT),
            Example::new("News: up to the comments, with the line before it", PAGE_NEWS, "", NEWS_ARTICLE),
            Example::new("News: in version 2.0 with the title", PAGE_NEWS, "profile=2.0", NEWS_TITLE_AND_ARTICLE),
            Example::new(
                "News: at 100 words the article does not end there",
                PAGE_NEWS,
                "end_min_words=100",
                NEWS_TO_THE_END,
            ),
        ],
        floor: false,
        resources: no_resources,
    };

    fn swept<'p>(parameters: &'p mut ArticleParameters, name: &str) -> Option<&'p mut Value> {
        match name {
            "end_min_words" => Some(&mut parameters.article.end_min_words),
            _ => parameters.links.swept(name).or_else(|| parameters.words.swept(name)),
        }
    }

    fn check(parameters: &ArticleParameters) -> Result<(), String> {
        parameters.blocks.check()
    }

    fn prepare(&self, page: &Page, parameters: &ArticleParameters) -> Blocks {
        let mut blocks = Blocks::new(page, &parameters.blocks);
        titles::label(&page.tree, &mut blocks, parameters.article.profile);
        blocks
    }

    fn choose(&self, blocks: &Blocks, parameters: &ArticleParameters) -> Choice {
        let mut document = classified_by_words(blocks, &parameters.links, &parameters.words);
        document.cut_after_end(parameters.article.end_min_words);
        match parameters.article.profile {
            Profile::V1_2 => keep_article_1_2(&mut document),
            Profile::V2_0 => keep_article_2_0(&mut document),
        }
        document.content(blocks)
    }

    fn break_points(&self, blocks: &Blocks, parameters: &ArticleParameters, swept: &str) -> Vec<Value> {
        if swept == "end_min_words" {
            let document = classified_by_words(blocks, &parameters.links, &parameters.words);
            return document.words_before_ends().map(|(_, words)| Value::decimal(words, 0)).collect();
        }
        word_break_points(blocks, swept)
    }
}

/// After the cut: the chain of version 1.2.
fn keep_article_1_2(document: &mut Document) {
    document.fuse_near(false, false);
    document.retain(|block| block.is_content);
    document.fuse_near(true, false);
    document.keep_largest();
    document.expand_to_title();
}

/// After the cut: the chain of version 2.0.
fn keep_article_2_0(document: &mut Document) {
    document.drop_trailing_headings();
    document.fuse_near(false, false);
    document.retain(|block| block.is_content || block.labels.title);
    document.fuse_near(true, true);
    if let Some(largest) = document.keep_largest() {
        document.expand_at_level(largest);
    }
    document.expand_to_title();
    document.add_large_at_level();
    document.add_list_at_end();
}

impl PageAlgorithm for BoilerpipeDefault {
    type Parameters = DefaultParameters;
    type Prepared<'p> = FusedBlocks;
    const DECLARATION: Declaration = Declaration {
        name: "boilerpipe-default",
        title: "gives the blocks that are dense or stand beside dense ones, and have few links",
        source: SOURCE,
        faithful_to: FaithfulTo::Code,
        languages: LANGUAGES,
        cost: COST,
        swept: &[LINK_DENSITIES[0], LINK_DENSITIES[1], DENSITIES[0], DENSITIES[1], DENSITIES[2], DENSITIES[3]],
        // Short: densities 2 (all linked), 17, 1, 4. 17 stands after links, and the next block has not more than 11; 1
        // stands after 17 > 4; 4 stands after 1, and the empty block follows.
        // News: the title and `By Ann` both have 2 and become one block of 4 words, 1 linked. Densities 2, 13, 16, 2, 13:
        // the first is content as 13 > 10 follows, then 13 and 16, then 2 after 16 > 4; 13 is dense, but last.
        examples: &[
            Example::new("Short: only what stands after a dense block", PAGE_SHORT, "", "short"),
            Example::new("News: all but the last block, which nothing follows", PAGE_NEWS, "", NEWS_WITHOUT_LAST),
            Example::new(
                "News: at a quarter the line with a link and the title go",
                PAGE_NEWS,
                "max_link_density=0.2",
                NEWS_BODY,
            ),
        ],
        floor: false,
        resources: no_resources,
    };

    fn swept<'p>(parameters: &'p mut DefaultParameters, name: &str) -> Option<&'p mut Value> {
        parameters.links.swept(name).or_else(|| parameters.densities.swept(name))
    }

    fn check(parameters: &DefaultParameters) -> Result<(), String> {
        parameters.blocks.check()
    }

    fn prepare(&self, page: &Page, parameters: &DefaultParameters) -> FusedBlocks {
        let blocks = Blocks::new(page, &parameters.blocks);
        let mut fused = Document::new(&blocks);
        fused.fuse_equal();
        FusedBlocks { blocks, fused }
    }

    fn choose(&self, prepared: &FusedBlocks, parameters: &DefaultParameters) -> Choice {
        let (links, densities) = (&parameters.links, &parameters.densities);
        let mut document = prepared.fused.clone();
        document.classify(|previous, current, next| densities.is_content(links, previous, current, next));
        document.content(&prepared.blocks)
    }

    fn break_points(&self, prepared: &FusedBlocks, _: &DefaultParameters, swept: &str) -> Vec<Value> {
        let is_link_limit = LINK_DENSITIES.iter().any(|limit| limit.parameter == swept);
        let statistic = if is_link_limit { Counts::link_density } else { Counts::text_density };
        prepared.fused.blocks.iter().map(|block| statistic(block.counts)).collect()
    }
}

/// A page's blocks, and those merged that are equally dense.
pub(super) struct FusedBlocks {
    blocks: Blocks,
    fused: Document,
}

impl PageAlgorithm for BoilerpipeNumWords {
    type Parameters = NumWordsParameters;
    type Prepared<'p> = Blocks;
    const DECLARATION: Declaration = Declaration {
        name: "boilerpipe-numwords",
        title: "gives the blocks that have many words or stand beside such, and have few links",
        source: SOURCE,
        faithful_to: FaithfulTo::Code,
        languages: LANGUAGES,
        cost: COST,
        swept: &[LINK_DENSITIES[0], LINK_DENSITIES[1], WORDS[0], WORDS[1], WORDS[2], WORDS[3], WORDS[4]],
        // Short: words 2 (all linked), 17, 1, 4. The 17 stand after links, and have not more than 40 words and no long
        // block after them; `short` stands after 17 > 4; the last stands after 1 word.
        // News: words 2, 2 (1 linked), 70, 20, 2, 30. `Big news` has neither neighbour; `By Ann` has link density 1/2;
        // alpha stands after 1/2 <= 0.555556 and has 70 > 16 words, and so on.
        examples: &[
            Example::new("Short: only what stands after a long block", PAGE_SHORT, "", "short"),
            Example::new("News: all after the line with a link", PAGE_NEWS, "", NEWS_TO_THE_END_WITHOUT_LINE),
            Example::new("News: with half of a block linked too", PAGE_NEWS, "max_link_density=0.5", NEWS_TO_THE_END),
        ],
        floor: false,
        resources: no_resources,
    };

    fn swept<'p>(parameters: &'p mut NumWordsParameters, name: &str) -> Option<&'p mut Value> {
        parameters.links.swept(name).or_else(|| parameters.words.swept(name))
    }

    fn check(parameters: &NumWordsParameters) -> Result<(), String> {
        parameters.blocks.check()
    }

    fn prepare(&self, page: &Page, parameters: &NumWordsParameters) -> Blocks {
        Blocks::new(page, &parameters.blocks)
    }

    fn choose(&self, blocks: &Blocks, parameters: &NumWordsParameters) -> Choice {
        classified_by_words(blocks, &parameters.links, &parameters.words).content(blocks)
    }

    fn break_points(&self, blocks: &Blocks, _: &NumWordsParameters, swept: &str) -> Vec<Value> {
        word_break_points(blocks, swept)
    }
}

fn classified_by_words(blocks: &Blocks, links: &LinkLimits, words: &WordLimits) -> Document {
    let mut document = Document::new(blocks);
    document.classify(|previous, current, next| words.is_content(links, previous, current, next));
    document
}

/// Where a decision by words can change while one of its limits grows.
fn word_break_points(blocks: &Blocks, swept: &str) -> Vec<Value> {
    let is_link_limit = LINK_DENSITIES.iter().any(|limit| limit.parameter == swept);
    let statistic = if is_link_limit { Counts::link_density } else { Counts::words };
    blocks.blocks.iter().map(|block| statistic(block.counts)).collect()
}
