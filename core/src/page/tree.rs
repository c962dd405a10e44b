//! The flat tree: nodes in document order in one `Vec`, so that a subtree is a range, "is ancestor
//! of" two comparisons, and no walk needs recursion.

use html5ever::{LocalName, local_name};

/// A node's position in document order. The document itself is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The document: parent of `html`, parent of itself.
    pub const DOCUMENT: NodeId = NodeId(0);

    /// The position as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node is. Comments, doctypes and processing instructions do not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The document.
    Document,
    /// An element.
    Element,
    /// A text node.
    Text,
}

/// An attribute: its local name as the parser gives it (in lower case but for SVG's own), and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute<'t> {
    /// The name, without a namespace.
    pub name: &'t LocalName,
    /// The value, character references decoded.
    pub value: &'t str,
}

/// `first..end` are a text node's bytes or an element's attributes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) parent: u32,
    pub(super) end: u32,
    pub(super) kind: Kind,
    pub(super) name: u16,
    pub(super) first: u32,
    pub(super) last: u32,
}

/// A distinct element name of the page, with what decides its text and its line breaks.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) local: LocalName,
    pub(super) is_html: bool,
    block: bool,
    invisible: bool,
}

impl Name {
    pub(super) fn new(local: LocalName, is_html: bool) -> Self {
        let (block, invisible) = (is_block(&local), is_invisible(&local));
        Name { local, is_html, block, invisible }
    }
}

/// A page's tree. `Send` and `Sync`; nothing in it changes after it was made.
#[derive(Debug)]
pub struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) names: Vec<Name>,
    pub(super) attributes: Vec<(LocalName, u32, u32)>,
    pub(super) values: String,
    pub(super) text: String,
    pub(super) quirks: bool,
}

impl Tree {
    /// The number of nodes, the document included: at least 1.
    #[expect(clippy::len_without_is_empty, reason = "a tree is never empty")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Every node in document order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// What `id` is.
    pub fn kind(&self, id: NodeId) -> Kind {
        self.node(id).kind
    }

    /// Whether `id` is an element.
    pub fn is_element(&self, id: NodeId) -> bool {
        self.kind(id) == Kind::Element
    }

    /// Whether `id` is a text node.
    pub fn is_text(&self, id: NodeId) -> bool {
        self.kind(id) == Kind::Text
    }

    /// The parent; `None` for the document.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        (id != NodeId::DOCUMENT).then(|| NodeId(self.node(id).parent))
    }

    /// `id`'s ancestors from its parent up to the document.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent(id), |&id| self.parent(id))
    }

    /// The first position behind `id`'s subtree: the subtree is `id..end(id)`.
    pub fn end(&self, id: NodeId) -> NodeId {
        NodeId(self.node(id).end)
    }

    /// `id` and everything below it, in document order.
    pub fn subtree(&self, id: NodeId) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (id.0..self.node(id).end).map(NodeId)
    }

    /// Whether `id` is `ancestor` or below it.
    pub fn contains(&self, ancestor: NodeId, id: NodeId) -> bool {
        ancestor <= id && id < self.end(ancestor)
    }

    /// The children of `id`, in order.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.end(id);
        let mut next = NodeId(id.0 + 1);
        std::iter::from_fn(move || {
            (next < end).then(|| {
                let child = next;
                next = self.end(child);
                child
            })
        })
    }

    /// An element's local name in lower case, whatever its namespace; the empty name for others.
    pub fn name(&self, id: NodeId) -> &LocalName {
        &self.names[self.node(id).name as usize].local
    }

    /// Whether `id` is an element of the HTML namespace.
    pub fn is_html_element(&self, id: NodeId) -> bool {
        self.is_element(id) && self.names[self.node(id).name as usize].is_html
    }

    /// Whether `id` is a block element (`docs/methods/scoring.md, section 3`).
    pub fn is_block(&self, id: NodeId) -> bool {
        self.names[self.node(id).name as usize].block
    }

    /// Whether `id` is an element whose text is never text of the page (`docs/methods/scoring.md, section 2`).
    pub fn is_invisible(&self, id: NodeId) -> bool {
        self.names[self.node(id).name as usize].invisible
    }

    /// An element's attributes, in source order.
    pub fn attributes(&self, id: NodeId) -> impl Iterator<Item = Attribute<'_>> {
        let node = self.node(id);
        let range = if node.kind == Kind::Element { node.first as usize..node.last as usize } else { 0..0 };
        self.attributes[range]
            .iter()
            .map(|(name, from, to)| Attribute { name, value: &self.values[*from as usize..*to as usize] })
    }

    /// The value of an element's attribute `name`.
    pub fn attribute(&self, id: NodeId, name: &LocalName) -> Option<&str> {
        self.attributes(id).find(|attribute| attribute.name == name).map(|attribute| attribute.value)
    }

    /// A text node's characters; the empty string for others.
    pub fn text(&self, id: NodeId) -> &str {
        let node = self.node(id);
        if node.kind == Kind::Text { &self.text[node.first as usize..node.last as usize] } else { "" }
    }

    /// The first `body` child of `html`. `None` for a frameset.
    pub fn body(&self) -> Option<NodeId> {
        let html = self.children(NodeId::DOCUMENT).find(|&id| self.is_element(id))?;
        self.children(html).find(|&id| *self.name(id) == local_name!("body"))
    }

    /// A copy in which the text nodes `blank` hold a space and nothing else; nodes and their order stay.
    pub(super) fn with_blank(&self, blank: impl Iterator<Item = NodeId>) -> Tree {
        let mut text = self.text.clone();
        let first = text.len() as u32;
        text.push(' ');
        let mut nodes = self.nodes.clone();
        for id in blank {
            let node = &mut nodes[id.index()];
            (node.first, node.last) = (first, first + 1);
        }
        let (names, attributes) = (self.names.clone(), self.attributes.clone());
        Tree { nodes, names, attributes, values: self.values.clone(), text, quirks: self.quirks }
    }

    /// The greatest number of ancestors of a node.
    pub fn depth(&self) -> usize {
        let (mut open, mut deepest) = (Vec::new(), 0);
        for id in self.ids() {
            while open.last().is_some_and(|&last| !self.contains(last, id)) {
                open.pop();
            }
            deepest = deepest.max(open.len());
            open.push(id);
        }
        deepest
    }

    /// Whether the document is in quirks mode: class and id selectors then ignore case.
    pub fn is_quirks(&self) -> bool {
        self.quirks
    }
}

/// `docs/methods/scoring.md, section 3`: `display: block | list-item | table*` in the HTML Standard's rendering section.
fn is_block(name: &str) -> bool {
    matches!(
        name,
        "html"
            | "body"
            | "address"
            | "article"
            | "aside"
            | "blockquote"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "dir"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "frameset"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "hgroup"
            | "hr"
            | "legend"
            | "li"
            | "listing"
            | "main"
            | "menu"
            | "nav"
            | "ol"
            | "optgroup"
            | "option"
            | "p"
            | "plaintext"
            | "pre"
            | "search"
            | "section"
            | "select"
            | "summary"
            | "table"
            | "caption"
            | "colgroup"
            | "col"
            | "thead"
            | "tbody"
            | "tfoot"
            | "tr"
            | "td"
            | "th"
            | "ul"
            | "xmp"
    )
}

/// `docs/methods/scoring.md, section 2`.
fn is_invisible(name: &str) -> bool {
    matches!(
        name,
        "head" | "script" | "style" | "noscript" | "noframes" | "noembed" | "iframe" | "template" | "textarea"
    )
}
