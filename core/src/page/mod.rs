//! A page: bytes, characters, the flat tree, selections of text nodes and their text.
//!
//! [`tree::Tree`] holds its nodes in document order in one `Vec`. A node's id is its position and a subtree is a range, so
//! "is ancestor of" takes two comparisons, a count over a subtree is a difference of two running sums, and nothing
//! recurses. html5ever feeds a builder of ours (`build.rs`, `sink.rs`): it leaves comments out, and it grows text as a
//! chain of pieces, so that fostered text stays linear. Two wrappers stand between html5ever's tokenizer and its tree
//! builder. `depth_limit.rs` keeps at most 512 elements open. `fast_path.rs` reads plain tags, texts and comments itself
//! where the tokenizer's state is known, and leaves the rest to the tokenizer. [`limits`] bounds what a page may make.
//! [`Page::view`] computes at most once what several readers need.

pub mod address;
mod build;
pub mod charset;
mod depth_limit;
mod fast_path;
mod fast_path_lexer;
pub mod limits;
pub mod parse;
mod rebuild;
pub mod render;
pub mod selection;
pub mod selector;
mod sink;
pub mod to_html;
pub mod tree;

use std::any::{Any, TypeId};
use std::sync::{Arc, Mutex};

use encoding_rs::Encoding;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use self::charset::EncodingSource;
use self::parse::TooLarge;
use self::selection::Selection;
use self::tree::{NodeId, Tree};
use crate::text::chars;

/// What is known of a page besides its content: part of its line in `pages.csv`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// Length in bytes, decompressed.
    pub bytes: usize,
    /// The encoding's name in the Encoding Standard.
    pub encoding: String,
    /// What decided it.
    pub encoding_source: EncodingSource,
    /// Malformed sequences, each read as U+FFFD.
    pub replaced: usize,
    /// Elements closed because 512 were open.
    pub cap_hits: usize,
    /// Nodes of the tree: the document, elements and text nodes.
    pub nodes: usize,
    /// The greatest number of ancestors of a node.
    pub depth: usize,
}

/// What a dataset says of a page and an algorithm may know.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The encoding that upstream states.
    pub encoding: Option<&'static Encoding>,
    /// BCP 47 tag of the content's language.
    pub language: Option<String>,
    /// The site whose page it is.
    pub site: Option<String>,
    /// Absolute URL.
    pub url: Option<String>,
}

/// A page as algorithms see it: the tree, its language, and views of the tree that are built once.
pub struct Page {
    /// The tree.
    pub tree: Tree,
    /// How the tree came about.
    pub facts: Facts,
    /// Characters of its HTML, markup and all, white space left out.
    pub characters: usize,
    context: Context,
    views: Views,
}

/// Something computed from a page that more than one reader needs.
pub trait View: Any + Send + Sync {
    /// Computes it.
    fn of(page: &Page) -> Self;
}

/// Each shared view of a page, by its type.
type Views = Mutex<FxHashMap<TypeId, Arc<dyn Any + Send + Sync>>>;

impl Page {
    /// Decodes and parses `bytes`.
    ///
    /// # Errors
    /// [`TooLarge`] where the page makes more nodes or attributes than any page does.
    pub fn new(bytes: &[u8], context: Context) -> Result<Self, TooLarge> {
        let decoded = charset::decode(bytes, context.encoding);
        let parsed = parse::parse(&decoded.text)?;
        let characters = chars(&decoded.text);
        let facts = Facts {
            bytes: bytes.len(),
            encoding: decoded.encoding.to_owned(),
            encoding_source: decoded.source,
            replaced: decoded.replaced,
            cap_hits: parsed.cap_hits,
            nodes: parsed.tree.len(),
            depth: parsed.tree.depth(),
        };
        Ok(Page { tree: parsed.tree, facts, characters, context, views: Views::default() })
    }

    /// The page with every text node of its body that is not of `selection` made blank, but for those of invisible
    /// elements, which are no text anyway. Nodes and their order stay: a selection of one is a selection of the other.
    pub fn with_only(&self, selection: &Selection) -> Page {
        let body = self.tree.body();
        let mut hidden_until = NodeId::DOCUMENT;
        let blank = body.into_iter().flat_map(|body| self.tree.subtree(body)).filter(|&id| {
            if self.tree.is_invisible(id) {
                hidden_until = hidden_until.max(self.tree.end(id));
            }
            self.tree.is_text(id) && id >= hidden_until && !selection.has(id)
        });
        let tree = self.tree.with_blank(blank);
        let (facts, context) = (self.facts.clone(), self.context.clone());
        Page { tree, facts, characters: self.characters, context, views: Views::default() }
    }

    /// The primary subtag of the page's language in lower case, if the dataset states one.
    pub fn primary_language(&self) -> Option<String> {
        primary_language(self.context.language.as_deref()?)
    }

    /// The site whose page it is, if the dataset states one.
    pub fn site(&self) -> Option<&str> {
        self.context.site.as_deref()
    }

    /// Absolute URL, if the dataset states one.
    pub fn url(&self) -> Option<&str> {
        self.context.url.as_deref()
    }

    /// The view `V`, computed at the first call.
    pub fn view<V: View>(&self) -> Arc<V> {
        let key = TypeId::of::<V>();
        let known = self.lock().get(&key).cloned();
        // Computed outside the lock, for a view may need another one.
        let view = known.unwrap_or_else(|| {
            let view: Arc<dyn Any + Send + Sync> = Arc::new(V::of(self));
            self.lock().entry(key).or_insert(view).clone()
        });
        view.downcast().expect("views are stored under their own type")
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, FxHashMap<TypeId, Arc<dyn Any + Send + Sync>>> {
        self.views.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// The primary subtag of a BCP 47 tag in lower case; `None` for `und` and an empty tag.
///
/// ```
/// assert_eq!(carat_core::page::primary_language("zh-Hant").as_deref(), Some("zh"));
/// ```
pub fn primary_language(tag: &str) -> Option<String> {
    let primary = tag.split(['-', '_']).next()?.to_ascii_lowercase();
    (!primary.is_empty() && primary != "und").then_some(primary)
}
