//! Short ways between the tokenizer and the tree builder: what is plain in a page goes straight from
//! the input to the tree builder, for the tokenizer reads tags character by character.
//!
//! Trees stay those of tokenizer and tree builder alone, node for node. Behind a tag the tokenizer's
//! state is known: "data", or that of the element's raw text. There, and only there, the tokenizer is
//! still to read the front of the input, so constructs that are plain may be taken from it; at the
//! first one that is not, the tokenizer goes on, up to its next tag.

use std::cell::Cell;

use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Tag, Token, TokenSink, TokenSinkResult};
use html5ever::{Attribute, QualName, ns};
use rustc_hash::FxHashSet;

use super::depth_limit::DepthLimited;
use super::fast_path_lexer::{PlainTag, plain_comment, plain_raw_text, plain_tag, plain_text, with_plain_line_ends};

/// Stands between the tokenizer and the cap.
pub(super) struct FastPath<'i> {
    pub(super) below: DepthLimited,
    /// What the tokenizer reads from.
    input: &'i BufferQueue,
    state: Cell<State>,
}

/// The tokenizer's state, where it is known.
#[derive(Clone, Copy)]
enum State {
    Unknown,
    Data,
    /// In the raw text of this element.
    Raw {
        element: u32,
        is_script: bool,
    },
}

impl<'i> FastPath<'i> {
    pub(super) fn new(below: DepthLimited, input: &'i BufferQueue) -> Self {
        FastPath { below, input, state: Cell::new(State::Unknown) }
    }

    /// Takes what is plain from the front of the input. To be called whenever more input has come.
    pub(super) fn take(&self, line: u64) {
        let state = self.state.get();
        if matches!(state, State::Unknown) {
            return;
        }
        while let Some(mut input) = self.input.pop_front() {
            match state {
                State::Raw { element, is_script } => self.take_raw_text(&mut input, element, is_script),
                _ => while self.take_construct(&mut input, line).is_some() {},
            }
            if !input.is_empty() {
                self.state.set(State::Unknown);
                self.input.push_front(input);
                return;
            }
        }
    }

    /// Takes one construct in the data state; `None` if the next one is not plain.
    fn take_construct(&self, input: &mut StrTendril, line: u64) -> Option<()> {
        let (token, length) = match str::as_bytes(input) {
            [b'<', b'!', ..] => (Token::CommentToken(StrTendril::new()), plain_comment(input)?),
            [b'<', ..] => {
                let tag = plain_tag(input)?;
                let length = tag.length;
                (token_of(tag, input), length)
            }
            _ => {
                let text = plain_text(input)?;
                (Token::CharacterTokens(input.subtendril(text.start as u32, text.len() as u32)), text.end)
            }
        };
        input.pop_front(length as u32);
        // The tags that change the tokenizer's state are not plain, so there is no answer to act on.
        let _ = self.below.process_token(token, line);
        Some(())
    }

    fn take_raw_text(&self, input: &mut StrTendril, element: u32, is_script: bool) {
        let sink = self.below.sink();
        let length = plain_raw_text(input, is_script, &sink.local_name(element));
        for piece in with_plain_line_ends(&input[..length]) {
            sink.append_text(element, piece);
        }
        input.pop_front(length as u32);
    }
}

/// A tag's first attribute of a name counts.
fn token_of(tag: PlainTag, input: &StrTendril) -> Token {
    let mut attrs: Vec<Attribute> = Vec::with_capacity(tag.attributes.len());
    let mut names = FxHashSet::default();
    let many = tag.attributes.len() > MANY_ATTRIBUTES;
    let mut had_duplicate_attributes = false;
    for (name, value) in tag.attributes {
        let is_new = if many { names.insert(name.clone()) } else { attrs.iter().all(|attr| attr.name.local != name) };
        if is_new {
            let value = input.subtendril(value.start as u32, value.len() as u32);
            attrs.push(Attribute { name: QualName::new(None, ns!(), name), value });
        } else {
            had_duplicate_attributes = true;
        }
    }
    let PlainTag { kind, name, self_closing, .. } = tag;
    Token::TagToken(Tag { kind, name, self_closing, attrs, had_duplicate_attributes })
}

/// More attributes than this are compared by their hashes.
const MANY_ATTRIBUTES: usize = 32;

impl TokenSink for FastPath<'_> {
    type Handle = u32;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<u32> {
        let is_tag = matches!(token, Token::TagToken(_));
        let result = self.below.process_token(token, line);
        let state = match result {
            TokenSinkResult::Continue if is_tag => State::Data,
            TokenSinkResult::RawData(kind @ (RawKind::ScriptData | RawKind::Rawtext)) => {
                let element = self.below.sink().last_element();
                State::Raw { element, is_script: kind == RawKind::ScriptData }
            }
            _ => State::Unknown,
        };
        self.state.set(state);
        self.take(line);
        result
    }

    fn end(&self) {
        self.below.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.below.adjusted_current_node_present_but_not_in_html_namespace()
    }
}
