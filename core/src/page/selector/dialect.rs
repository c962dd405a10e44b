//! The selectors that are understood: what of level 4 is switched on, and the types they are made of.

use std::borrow::Borrow;
use std::fmt;

use cssparser::{CowRcStr, ParseError, ToCss, serialize_identifier};
use html5ever::LocalName;
use precomputed_hash::PrecomputedHash;
use selectors::SelectorImpl;

use super::SelectorFault;

/// What of level 4 is switched on.
pub(super) struct Grammar;

impl<'i> selectors::Parser<'i> for Grammar {
    type Impl = Dialect;
    type Error = SelectorFault;

    fn parse_nth_child_of(&self) -> bool {
        true
    }

    fn parse_is_and_where(&self) -> bool {
        true
    }

    fn parse_has(&self) -> bool {
        true
    }

    fn allow_forgiving_selectors(&self) -> bool {
        false
    }

    fn parse_non_ts_pseudo_class(&self, name: CowRcStr<'i>) -> Result<PseudoClass, ParseError<SelectorFault>> {
        let known = PseudoClass::ALL.iter().find(|known| known.name.eq_ignore_ascii_case(&name));
        known.copied().ok_or_else(|| ParseError::custom(SelectorFault::PseudoClass(name.to_string())))
    }

    fn parse_non_ts_functional_pseudo_class(
        &self,
        name: CowRcStr<'i>,
        _: &mut cssparser::Parser<'i>,
        _: bool,
    ) -> Result<PseudoClass, ParseError<SelectorFault>> {
        Err(ParseError::custom(SelectorFault::PseudoClass(format!("{name}()"))))
    }

    fn parse_pseudo_element(&self, name: CowRcStr<'i>) -> Result<PseudoElement, ParseError<SelectorFault>> {
        Err(ParseError::custom(SelectorFault::PseudoElement(name.to_string())))
    }

    fn parse_functional_pseudo_element(
        &self,
        name: CowRcStr<'i>,
        _: &mut cssparser::Parser<'i>,
    ) -> Result<PseudoElement, ParseError<SelectorFault>> {
        Err(ParseError::custom(SelectorFault::PseudoElement(format!("{name}()"))))
    }
}

/// The types that our selectors are made of.
#[derive(Clone, Debug)]
pub(super) struct Dialect;

impl SelectorImpl for Dialect {
    type ExtraMatchingData<'a> = ();
    type AttrValue = Word;
    type Identifier = Word;
    type LocalName = Word;
    type NamespaceUrl = Word;
    type NamespacePrefix = Word;
    type BorrowedNamespaceUrl = Word;
    type BorrowedLocalName = LocalName;
    type NonTSPseudoClass = PseudoClass;
    type PseudoElement = PseudoElement;
}

/// A name or value in a selector. [`LocalName`] itself lacks `ToCss`, which only `Debug` needs.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Word(pub(super) LocalName);

impl From<&str> for Word {
    fn from(word: &str) -> Self {
        Word(LocalName::from(word))
    }
}

impl AsRef<str> for Word {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<LocalName> for Word {
    fn borrow(&self) -> &LocalName {
        &self.0
    }
}

impl PrecomputedHash for Word {
    fn precomputed_hash(&self) -> u32 {
        self.0.precomputed_hash()
    }
}

impl ToCss for Word {
    fn to_css<W: fmt::Write>(&self, to: &mut W) -> fmt::Result {
        serialize_identifier(&self.0, to)
    }
}

/// A pseudo-class that the tree's structure does not decide.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct PseudoClass {
    name: &'static str,
    /// Whether it matches links; the others match nothing in a page at rest.
    pub(super) links: bool,
}

impl PseudoClass {
    const ALL: [PseudoClass; 10] = [
        PseudoClass { name: "any-link", links: true },
        PseudoClass { name: "link", links: true },
        PseudoClass { name: "active", links: false },
        PseudoClass { name: "focus", links: false },
        PseudoClass { name: "focus-visible", links: false },
        PseudoClass { name: "focus-within", links: false },
        PseudoClass { name: "hover", links: false },
        PseudoClass { name: "target", links: false },
        PseudoClass { name: "target-within", links: false },
        PseudoClass { name: "visited", links: false },
    ];
}

impl ToCss for PseudoClass {
    fn to_css<W: fmt::Write>(&self, to: &mut W) -> fmt::Result {
        write!(to, ":{}", self.name)
    }
}

impl selectors::parser::NonTSPseudoClass for PseudoClass {
    fn is_active_or_hover(&self) -> bool {
        false
    }

    fn is_user_action_state(&self) -> bool {
        false
    }
}

/// There are none.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum PseudoElement {}

impl ToCss for PseudoElement {
    fn to_css<W: fmt::Write>(&self, _: &mut W) -> fmt::Result {
        match *self {}
    }
}

impl selectors::parser::PseudoElement for PseudoElement {}
