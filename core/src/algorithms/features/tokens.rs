//! The body as a sequence of tags and tokens: what methods read that hold words against tags.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::events::{Event, events};
use super::majority::majority;
use super::visible::VisibleText;
use crate::page::Page;
use crate::page::tree::NodeId;
use crate::text::is_white_space;
use crate::text::words::is_han;

/// What a token of a text is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TokenUnit {
    /// Each Han character, and each run of other characters that are not white space.
    #[default]
    Han,
    /// Each character that is not white space.
    Char,
    /// Each run of characters that are not white space.
    Word,
}

impl TokenUnit {
    /// `chars` of each token of `text`, in order.
    pub fn lengths(self, text: &str) -> impl Iterator<Item = u32> + '_ {
        let mut rest = text.chars().peekable();
        std::iter::from_fn(move || {
            let first = rest.find(|&c| !is_white_space(c))?;
            let mut length = 1;
            if self != TokenUnit::Char && !self.is_alone(first) {
                while rest.next_if(|&c| !is_white_space(c) && !self.is_alone(c)).is_some() {
                    length += 1;
                }
            }
            Some(length)
        })
    }

    /// Whether a character is a token by itself wherever it stands.
    fn is_alone(self, c: char) -> bool {
        self == TokenUnit::Han && is_han(c)
    }
}

/// A tag or a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// The start tag of an element.
    Start(NodeId),
    /// The end tag of an element.
    End(NodeId),
    /// A token of a text.
    Token {
        /// The text node's place among [`VisibleText::nodes`].
        rank: u32,
        /// Its characters.
        chars: u32,
    },
}

impl Item {
    /// Whether it is a tag.
    pub fn is_tag(self) -> bool {
        !matches!(self, Item::Token { .. })
    }
}

/// The body as a sequence of tags and tokens.
pub struct Tokens {
    /// The page's visible text.
    pub text: Arc<VisibleText>,
    /// In order; empty for a page without a body.
    pub items: Vec<Item>,
}

impl Tokens {
    /// The sequence of `page`.
    pub fn of(page: &Page, unit: TokenUnit) -> Self {
        let tree = &page.tree;
        let text = page.view::<VisibleText>();
        let mut items = Vec::new();
        for event in text.body.into_iter().flat_map(|body| events(tree, body)) {
            match event {
                Event::Start(id) => items.push(Item::Start(id)),
                Event::End(id) => items.push(Item::End(id)),
                Event::Text(id) => {
                    let rank = text.rank(tree, id).map(|rank| rank as u32);
                    let token = |(rank, chars)| Item::Token { rank, chars };
                    items.extend(
                        rank.into_iter()
                            .flat_map(|rank| unit.lengths(tree.text(id)).map(move |chars| (rank, chars)).map(token)),
                    );
                }
            }
        }
        Tokens { text, items }
    }

    /// For each visible text node the greatest of `of_item`, a value for each item's place, such that at least half of
    /// its characters lie in tokens with that or more.
    pub fn majority<T: Ord + Copy>(&self, of_item: impl Fn(usize) -> T) -> Vec<T> {
        majority(self.items.iter().enumerate().filter_map(|(place, item)| match *item {
            Item::Token { rank, chars } => Some((rank as usize, of_item(place), chars)),
            _ => None,
        }))
    }

    /// The same with a value for each token, in order.
    pub fn majority_of_tokens<T: Ord + Copy>(&self, of_token: &[T]) -> Vec<T> {
        let tokens = self.items.iter().filter_map(|item| match *item {
            Item::Token { rank, chars } => Some((rank as usize, chars)),
            _ => None,
        });
        majority(tokens.zip(of_token).map(|((rank, chars), &value)| (rank, value, chars)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Context;

    #[test]
    fn tokens_are_han_characters_and_what_stands_between_white_space() {
        let lengths = |unit: TokenUnit| unit.lengths(" ab公园，c\u{3000}3 ").collect::<Vec<_>>();
        assert_eq!(lengths(TokenUnit::Han), [2, 1, 1, 2, 1]);
        assert_eq!(lengths(TokenUnit::Word), [6, 1]);
        assert_eq!(lengths(TokenUnit::Char), [1; 7]);
        assert_eq!(TokenUnit::Han.lengths("\u{3000}\n").count(), 0);
    }

    #[test]
    fn tags_stand_between_tokens_and_nothing_invisible_does() {
        let html = "<body>a b<script>c</script><br><b>d</b> </body>";
        let page = Page::new(html.as_bytes(), Context::default()).unwrap();
        let tokens = Tokens::of(&page, TokenUnit::Han);
        let written: String = tokens.items.iter().map(|item| if item.is_tag() { 'T' } else { 'w' }).collect();
        assert_eq!(written, "TwwTTwTT");
    }
}
