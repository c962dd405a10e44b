//! The tree while it grows: nodes linked to their neighbours, put into document order at the end.

use html5ever::{Attribute, LocalName, QualName, ns};
use rustc_hash::{FxHashMap, FxHashSet};

use super::tree::{Kind, Name, Node, Tree};

/// No node.
pub(super) const NONE: u32 = u32::MAX;

/// A node while the tree is still changing: doubly linked among its siblings.
pub(super) struct Draft {
    pub(super) parent: u32,
    pub(super) previous: u32,
    pub(super) next: u32,
    pub(super) first_child: u32,
    pub(super) last_child: u32,
    pub(super) kind: Kind,
    /// Element: index of its qualified name. Text: its last piece.
    pub(super) name: u32,
    /// Element: its attributes. Text: `first` is its first piece.
    pub(super) first: u32,
    pub(super) last: u32,
}

/// A run of a text node's characters. Fostered text grows out of order; a chain of runs keeps that
/// linear.
struct Piece {
    from: u32,
    to: u32,
    next: u32,
}

/// The tree as it grows.
pub(super) struct Build {
    pub(super) drafts: Vec<Draft>,
    pub(super) names: Vec<QualName>,
    name_ids: FxHashMap<QualName, u32>,
    pub(super) attributes: Vec<(LocalName, u32, u32)>,
    pub(super) values: String,
    text: String,
    pieces: Vec<Piece>,
    pub(super) template_contents: FxHashMap<u32, u32>,
    /// The `annotation-xml` elements whose encoding lets HTML stand in them.
    pub(super) html_annotations: FxHashSet<u32>,
    pub(super) quirks: bool,
}

impl Build {
    pub(super) fn new(length: usize) -> Self {
        let mut build = Build {
            drafts: Vec::with_capacity(length / 40 + 16),
            names: Vec::new(),
            name_ids: FxHashMap::default(),
            attributes: Vec::new(),
            values: String::new(),
            text: String::with_capacity(length / 4),
            pieces: Vec::new(),
            template_contents: FxHashMap::default(),
            html_annotations: FxHashSet::default(),
            quirks: false,
        };
        build.add(Kind::Document, 0, 0, 0);
        build
    }

    pub(super) fn add(&mut self, kind: Kind, name: u32, first: u32, last: u32) -> u32 {
        let id = self.drafts.len() as u32;
        let (parent, previous, next, first_child, last_child) = (NONE, NONE, NONE, NONE, NONE);
        self.drafts.push(Draft { parent, previous, next, first_child, last_child, kind, name, first, last });
        id
    }

    pub(super) fn add_element(&mut self, name: QualName, attributes: Vec<Attribute>) -> u32 {
        let next = self.names.len() as u32;
        let name = *self.name_ids.entry(name).or_insert_with_key(|name| {
            self.names.push(name.clone());
            next
        });
        let first = self.attributes.len() as u32;
        self.add_attributes(attributes);
        self.add(Kind::Element, name, first, self.attributes.len() as u32)
    }

    pub(super) fn add_attributes(&mut self, attributes: Vec<Attribute>) {
        for Attribute { name, value } in attributes {
            let from = self.values.len() as u32;
            self.values.push_str(&value);
            // In foreign elements `xlink:href` is another attribute than `href`.
            let name = match name.prefix {
                Some(prefix) if !prefix.is_empty() => LocalName::from(format!("{prefix}:{}", name.local)),
                _ => name.local,
            };
            self.attributes.push((name, from, self.values.len() as u32));
        }
    }

    fn add_text(&mut self, text: &str) -> u32 {
        let piece = self.add_piece(text);
        self.add(Kind::Text, piece, piece, NONE)
    }

    fn add_piece(&mut self, text: &str) -> u32 {
        let from = self.text.len() as u32;
        self.text.push_str(text);
        self.pieces.push(Piece { from, to: self.text.len() as u32, next: NONE });
        self.pieces.len() as u32 - 1
    }

    fn extend_text(&mut self, id: u32, text: &str) {
        let last = self.drafts[id as usize].name as usize;
        if self.pieces[last].to as usize == self.text.len() {
            self.text.push_str(text);
            self.pieces[last].to = self.text.len() as u32;
        } else {
            let piece = self.add_piece(text);
            self.pieces[last].next = piece;
            self.drafts[id as usize].name = piece;
        }
    }

    fn is_text(&self, id: u32) -> bool {
        id != NONE && self.drafts[id as usize].kind == Kind::Text
    }

    /// Links `id`, which has no parent, as a child of `parent` before `next` (or last).
    pub(super) fn link(&mut self, parent: u32, id: u32, next: u32) {
        let previous = match next {
            NONE => self.drafts[parent as usize].last_child,
            next => self.drafts[next as usize].previous,
        };
        let draft = &mut self.drafts[id as usize];
        (draft.parent, draft.previous, draft.next) = (parent, previous, next);
        match previous {
            NONE => self.drafts[parent as usize].first_child = id,
            previous => self.drafts[previous as usize].next = id,
        }
        match next {
            NONE => self.drafts[parent as usize].last_child = id,
            next => self.drafts[next as usize].previous = id,
        }
    }

    pub(super) fn unlink(&mut self, id: u32) {
        let Draft { parent, previous, next, .. } = self.drafts[id as usize];
        if parent == NONE {
            return;
        }
        match previous {
            NONE => self.drafts[parent as usize].first_child = next,
            previous => self.drafts[previous as usize].next = next,
        }
        match next {
            NONE => self.drafts[parent as usize].last_child = previous,
            next => self.drafts[next as usize].previous = previous,
        }
        let draft = &mut self.drafts[id as usize];
        (draft.parent, draft.previous, draft.next) = (NONE, NONE, NONE);
    }

    /// Inserts `id` under `parent` before `next` (or last), wherever it was before.
    pub(super) fn insert(&mut self, parent: u32, id: u32, next: u32) {
        self.unlink(id);
        self.link(parent, id, next);
    }

    /// Inserts text under `parent` before `next` (or last): it joins the text before it, if there is
    /// some.
    pub(super) fn insert_text(&mut self, parent: u32, text: &str, next: u32) {
        let previous = match next {
            NONE => self.drafts[parent as usize].last_child,
            next => self.drafts[next as usize].previous,
        };
        if self.is_text(previous) {
            self.extend_text(previous, text);
        } else {
            let id = self.add_text(text);
            self.link(parent, id, next);
        }
    }

    /// Puts the nodes below the document into document order. Characters stay where they are, but for
    /// those of a text node in several pieces, which are copied behind all others.
    pub(super) fn into_tree(self) -> Tree {
        let Build { drafts, names: qualified, attributes, values, mut text, pieces, quirks, .. } = self;
        let (names, name_of) = lower_case_names(&qualified);
        let mut nodes: Vec<Node> = Vec::with_capacity(drafts.len());
        let mut open: Vec<u32> = Vec::new();
        let mut at = 0;
        'document: loop {
            let draft = &drafts[at as usize];
            let id = nodes.len() as u32;
            let parent = open.last().copied().unwrap_or(0);
            let (name, first, last) = match draft.kind {
                Kind::Document => (0, 0, 0),
                Kind::Element => (name_of[draft.name as usize], draft.first, draft.last),
                Kind::Text => {
                    let (from, to) = join(&mut text, &pieces, draft.first);
                    (0, from, to)
                }
            };
            nodes.push(Node { parent, end: id + 1, kind: draft.kind, name, first, last });
            if draft.first_child != NONE {
                open.push(id);
                at = draft.first_child;
                continue;
            }
            loop {
                let Draft { parent, next, .. } = drafts[at as usize];
                if next != NONE {
                    at = next;
                    break;
                }
                let Some(closed) = open.pop() else { break 'document };
                nodes[closed as usize].end = nodes.len() as u32;
                at = parent;
            }
        }
        Tree { nodes, names, attributes, values, text, quirks }
    }
}

/// The bytes of the text node whose first piece is `first`, made to stand together.
fn join(text: &mut String, pieces: &[Piece], first: u32) -> (u32, u32) {
    let Piece { from, to, next } = pieces[first as usize];
    if next == NONE {
        return (from, to);
    }
    let start = text.len() as u32;
    let mut piece = first;
    while piece != NONE {
        let Piece { from, to, next } = pieces[piece as usize];
        text.extend_from_within(from as usize..to as usize);
        piece = next;
    }
    (start, text.len() as u32)
}

/// The distinct names in lower case (the first is empty, for text), and each qualified name's place.
fn lower_case_names(qualified: &[QualName]) -> (Vec<Name>, Vec<u16>) {
    let mut names = vec![Name::new(LocalName::from(""), false)];
    let mut places: FxHashMap<(LocalName, bool), u16> = FxHashMap::default();
    let name_of = qualified
        .iter()
        .map(|name| {
            let local = match name.local.bytes().any(|byte| byte.is_ascii_uppercase()) {
                true => LocalName::from(name.local.to_ascii_lowercase()),
                false => name.local.clone(),
            };
            let is_html = name.ns == ns!(html);
            *places.entry((local, is_html)).or_insert_with_key(|(local, is_html)| {
                // 65,535 distinct names are more than a person wrote: the rest have no name.
                if names.len() > usize::from(u16::MAX) {
                    return 0;
                }
                names.push(Name::new(local.clone(), *is_html));
                (names.len() - 1) as u16
            })
        })
        .collect();
    (names, name_of)
}
