//! Where the gold of a page is, as a page list says it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value as Json;

use super::annotation::Select;
use super::node_gold::GoldNodes;
use crate::structure::TextKind;

/// Where a gold text is: a file, or an object that says more.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum GoldSource {
    /// A path inside the gold folder.
    Path(String),
    /// Also the text itself, or what selectors select.
    Object(Box<GoldObject>),
}

/// The long form of a gold's source.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GoldObject {
    /// A path inside the gold folder: a text, or with `select` another HTML page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The text itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Selectors on the page's own tree, or on that of `path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub select: Option<Select>,
    /// SHA-256 of the file's bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The form in which the text is written: text by default, else markdown or html.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<TextKind>,
    /// The file's encoding, UTF-8 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// The gold text nodes of the page, alone or beside a text; see [`GoldNodes::ranges`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Vec<[u32; 2]>>,
    /// The text that `nodes` count in; see [`GoldNodes::text_sha256`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_sha256: Option<String>,
    /// F1 of `nodes` against the text; see [`GoldNodes::f1`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub f1: Option<[u64; 2]>,
    /// Gold pieces of text nodes; see [`GoldNodes::spans`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spans: Option<Vec<[u32; 3]>>,
    /// Which text has a role; see [`GoldNodes::roles`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roles: Option<BTreeMap<String, Vec<Vec<u32>>>>,
}

impl GoldSource {
    /// The gold that is `text` itself.
    pub fn of_text(text: String) -> Self {
        GoldSource::Object(Box::new(GoldObject { text: Some(text), ..GoldObject::default() }))
    }

    /// The gold that is `text` itself, written in a form of its own.
    pub fn of_written(kind: TextKind, text: String) -> Self {
        GoldSource::Object(Box::new(GoldObject { text: Some(text), kind: Some(kind), ..GoldObject::default() }))
    }

    /// The gold in the file at `path`, which is UTF-8 where no `encoding` is stated.
    pub fn of_file(path: String, encoding: Option<String>) -> Self {
        match encoding {
            None => GoldSource::Path(path),
            encoding => {
                GoldSource::Object(Box::new(GoldObject { path: Some(path), encoding, ..GoldObject::default() }))
            }
        }
    }

    /// The same, written in the form `kind`.
    pub(super) fn written_in(self, kind: TextKind) -> Self {
        GoldSource::Object(Box::new(GoldObject { kind: Some(kind), ..self.into_object() }))
    }

    /// Its long form.
    fn into_object(self) -> GoldObject {
        match self {
            GoldSource::Path(path) => GoldObject { path: Some(path), ..GoldObject::default() },
            GoldSource::Object(object) => *object,
        }
    }

    /// The same with `nodes` beside it.
    pub fn with_nodes(self, nodes: GoldNodes) -> Self {
        let object = self.into_object();
        let GoldNodes { ranges, text_sha256, f1, spans, roles } = nodes;
        GoldSource::Object(Box::new(GoldObject {
            nodes: Some(ranges),
            text_sha256: Some(text_sha256),
            f1,
            spans: Some(spans).filter(|spans| !spans.is_empty()),
            roles: Some(roles).filter(|roles| !roles.is_empty()),
            ..object
        }))
    }

    /// The long form, if it is in it.
    pub fn object(&self) -> Option<&GoldObject> {
        match self {
            GoldSource::Path(_) => None,
            GoldSource::Object(object) => Some(object),
        }
    }

    /// The path, if there is a file.
    pub fn path(&self) -> Option<&str> {
        match self {
            GoldSource::Path(path) => Some(path),
            GoldSource::Object(object) => object.path.as_deref(),
        }
    }

    /// The text itself, if the list holds it.
    pub fn text(&self) -> Option<&str> {
        self.object()?.text.as_deref()
    }

    /// Whether it is a text: in the list, or a file of its own.
    pub fn is_text(&self) -> bool {
        self.text().is_some() || self.path().is_some() && self.select().is_none()
    }

    /// The form in which a gold that is a text is written.
    pub fn kind(&self) -> TextKind {
        self.object().and_then(|object| object.kind).unwrap_or_default()
    }

    /// The form of the gold that a measure of structure reads; `None`: text nodes of the page or of its copy. A text that
    /// says nothing of structure stands back behind text nodes.
    pub fn form(&self) -> Option<TextKind> {
        let kind = self.kind();
        let is_of_nodes = self.select().is_some() || kind == TextKind::Text && self.has_nodes();
        (!is_of_nodes).then_some(kind)
    }

    /// The selectors, if they make the gold.
    pub fn select(&self) -> Option<&Select> {
        self.object()?.select.as_ref()
    }

    /// The selectors, if they are of the page itself and not of a copy.
    pub fn select_of_page(&self) -> Option<&Select> {
        self.select().filter(|_| self.path().is_none())
    }

    /// The selectors and the path, if they are of an annotated copy and name roles, which neither a text nor nodes can hold.
    pub(super) fn copy_with_roles(&self) -> Option<&GoldObject> {
        let names_roles = |object: &&GoldObject| object.select.as_ref().is_some_and(|select| !select.roles.is_empty());
        self.object().filter(|object| object.path.is_some()).filter(names_roles)
    }

    /// Whether text nodes that are found for it take the place of roles.
    pub fn loses_roles_to_nodes(&self) -> bool {
        self.copy_with_roles().is_some()
    }

    /// True if pieces or roles stand without the text nodes beside which they mean something.
    pub(super) fn lacks_nodes(&self) -> bool {
        self.object().is_some_and(|object| object.nodes.is_none() && (object.spans.is_some() || object.roles.is_some()))
    }

    /// Whether ordinals name gold text nodes; see [`GoldSource::nodes`].
    pub fn has_nodes(&self) -> bool {
        self.object().is_some_and(|object| object.nodes.is_some())
    }

    /// The gold text nodes, where ordinals name them.
    pub fn nodes(&self) -> Option<GoldNodes> {
        let GoldObject { nodes, text_sha256, f1, spans, roles, .. } = self.object()?;
        let text_sha256 = text_sha256.clone().unwrap_or_default();
        let (spans, roles) = (spans.clone().unwrap_or_default(), roles.clone().unwrap_or_default());
        Some(GoldNodes { ranges: nodes.clone()?, text_sha256, f1: *f1, spans, roles })
    }

    /// The stated encoding of the file.
    pub fn encoding(&self) -> Option<&str> {
        self.object()?.encoding.as_deref()
    }
}

impl<'de> Deserialize<'de> for GoldSource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match path_or_object(deserializer, "gold")? {
            Ok(path) => GoldSource::Path(path),
            Err(object) => GoldSource::Object(Box::new(object)),
        })
    }
}

/// A string, or an object of type `O`, with an error that names the object's own fault.
pub(super) fn path_or_object<'de, D: Deserializer<'de>, O: serde::de::DeserializeOwned>(
    deserializer: D,
    field: &str,
) -> Result<Result<String, O>, D::Error> {
    match Json::deserialize(deserializer)? {
        Json::String(path) => Ok(Ok(path)),
        object => serde_json::from_value(object)
            .map(Err)
            .map_err(|error| serde::de::Error::custom(format!("`{field}`: {error}"))),
    }
}
