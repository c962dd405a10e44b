//! The cap on open elements: deeper start tags become siblings, as in browsers.

use std::cell::Cell;

use html5ever::LocalName;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{Tracer, TreeBuilder, TreeSink};

use super::build::NONE;
use super::limits::MAX_OPEN_ELEMENTS;
use super::sink::Sink;

/// Stands between tokenizer and tree builder. The tree builder walks its open elements at every
/// start tag, so nesting costs the square of its depth; this keeps the depth at the cap.
///
/// The sink cannot count the open elements itself, for `TreeSink::pop` is not called for each one
/// popped. What is exact: every push follows a `create_element`, so "open at the last measure plus
/// elements created since" is an upper bound; only when that reaches the cap is the stack measured,
/// by sending a comment (it is appended to the current node and stored nowhere) and looking the
/// current node up in the traced handles (the document, then the open elements from the bottom up).
///
/// Formatting elements that a single token opens again may pass the cap, as many as are listed; they
/// are made anew for every paragraph, so the limit on nodes keeps them below about two thousand.
pub(super) struct DepthLimited {
    builder: TreeBuilder<u32, Sink>,
    open_at_measure: Cell<usize>,
    created_at_measure: Cell<usize>,
    hits: Cell<usize>,
}

impl DepthLimited {
    pub(super) fn new(builder: TreeBuilder<u32, Sink>) -> Self {
        DepthLimited { builder, open_at_measure: Cell::new(0), created_at_measure: Cell::new(0), hits: Cell::new(0) }
    }

    pub(super) fn sink(&self) -> &Sink {
        &self.builder.sink
    }

    /// The sink, and how often an element was closed at the cap.
    pub(super) fn finish(self) -> (Sink, usize) {
        (self.builder.sink, self.hits.get())
    }

    fn may_be_at_cap(&self) -> bool {
        let created = self.builder.sink.created_elements.get() - self.created_at_measure.get();
        self.open_at_measure.get() + created >= MAX_OPEN_ELEMENTS
    }

    /// The number of open elements and the current node.
    fn measure(&self, line: u64) -> (usize, u32) {
        let sink = &self.builder.sink;
        sink.comment_parent.set(NONE);
        let _ = self.builder.process_token(Token::CommentToken(StrTendril::new()), line);
        let current = sink.template_of(sink.comment_parent.get());
        let finder = Finder { wanted: current, seen: Cell::new(0), found: Cell::new(None) };
        self.builder.trace_handles(&finder);
        let open = finder.found.get().unwrap_or(0);
        self.open_at_measure.set(open);
        self.created_at_measure.set(sink.created_elements.get());
        (open, current)
    }

    /// Closes current nodes until the next start tag has room.
    fn make_room(&self, line: u64) {
        // Behind `</body>` a comment would go to `html`; an end tag that closes nothing leads back into
        // the body, as the start tag will.
        self.send_end_tag(LocalName::from(NO_ELEMENT), line);
        let mut before = usize::MAX;
        loop {
            let (open, current) = self.measure(line);
            // An end tag that closes nothing would be sent for ever.
            if open < MAX_OPEN_ELEMENTS || open >= before {
                return;
            }
            before = open;
            self.hits.set(self.hits.get() + 1);
            let name = LocalName::from(self.builder.sink.elem_name(&current).local.to_ascii_lowercase());
            self.send_end_tag(name, line);
        }
    }

    fn send_end_tag(&self, name: LocalName, line: u64) {
        let (kind, attrs) = (TagKind::EndTag, Vec::new());
        let tag = Tag { kind, name, self_closing: false, attrs, had_duplicate_attributes: false };
        let _ = self.builder.process_token(Token::TagToken(tag), line);
    }
}

impl TokenSink for DepthLimited {
    type Handle = u32;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<u32> {
        if self.builder.sink.is_full() && token != Token::EOFToken {
            return TokenSinkResult::Continue;
        }
        if matches!(&token, Token::TagToken(Tag { kind: TagKind::StartTag, .. })) && self.may_be_at_cap() {
            self.make_room(line);
        }
        self.builder.process_token(token, line)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// A name that no tag can have.
const NO_ELEMENT: &str = "<";

/// Finds the position of a handle's first occurrence among the traced ones.
struct Finder {
    wanted: u32,
    seen: Cell<usize>,
    found: Cell<Option<usize>>,
}

impl Tracer for Finder {
    type Handle = u32;

    fn trace_handle(&self, id: &u32) {
        if *id == self.wanted && self.found.get().is_none() {
            self.found.set(Some(self.seen.get()));
        }
        self.seen.set(self.seen.get() + 1);
    }
}
