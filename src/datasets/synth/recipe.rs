//! Recipes: which sites a made dataset has, from which template and texts, and how their pages look.

use crate::formats::code::Code;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use serde::Deserialize;

use super::dials::Dials;
use super::families::{FAMILIES, Family};
use super::texts::{text_files, texts};
use crate::datasets::{DatasetError, shown};
use crate::formats::reading::{RegularFile, is_of_system};
use crate::formats::yaml;
use crate::text::hint;

/// A recipe of more bytes is refused.
const MAX_BYTES: u64 = 16 << 20;

/// The recipes that are compiled in, by name.
pub static RECIPES: [(&str, &str); 2] = [
    ("portals", include_str!("../../../datasets/portals/recipe.yaml")),
    ("robustness", include_str!("../../../datasets/synth/recipes/robustness.yaml")),
];

/// A recipe as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// The made dataset's name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its title.
    #[serde(default)]
    pub title: String,
    /// What it is.
    #[serde(default)]
    pub description: String,
    /// Names the chance that decides what the recipe leaves open.
    pub seed: u64,
    /// How every page looks, unless its site or its own entry says otherwise.
    #[serde(default)]
    pub(super) pages: Look,
    /// The sites, in the dataset's order.
    pub(super) sites: Vec<SiteRecipe>,
}

/// The pages of one site, or of several of one make.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SiteRecipe {
    /// Begins the ids of its pages.
    pub(super) id: String,
    /// The number of its page family.
    pub(super) family: usize,
    pub(super) language: String,
    /// The site's name, as its pages print it.
    pub(super) name: String,
    /// Its domain, under which its hosts are.
    pub(super) site: String,
    /// With `{domain}`, `{date}`, `{year}`, `{month}` and `{number}`.
    pub(super) url: String,
    #[serde(default)]
    pub(super) group: Option<String>,
    /// By default the family's.
    #[serde(default)]
    pub(super) kind: Option<String>,
    /// Files of texts, used in this order and then again from the first.
    pub(super) texts: Vec<String>,
    /// Pages of each site; by default one for each text.
    #[serde(default)]
    pub(super) count: Option<usize>,
    /// So many sites, each with its own names and order of things.
    #[serde(default)]
    pub(super) copies: Option<usize>,
    #[serde(default)]
    pub(super) look: Look,
    /// Of single pages, by their number in the site from 1.
    #[serde(default)]
    pub(super) only: BTreeMap<usize, Look>,
}

/// How pages look, as far as it is said.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Look {
    pub(super) bytes: Option<Bytes>,
    pub(super) label: Option<Label>,
    /// What the dataset states of a page's encoding.
    pub(super) encoding: Option<String>,
    pub(super) line_ends: Option<LineEnds>,
    pub(super) tags: Option<Tags>,
    /// Whether end tags that may be left out are left out.
    pub(super) unclosed: Option<bool>,
    pub(super) doctype: Option<bool>,
    /// Whether the page says `body` a second time.
    pub(super) two_bodies: Option<bool>,
    /// Whether it has an `h1`.
    pub(super) h1: Option<bool>,
    /// A byte that begins a character and is none, before a reference.
    pub(super) lone_lead: Option<bool>,
    /// A page of the template that is made otherwise, as the family knows them.
    pub(super) variant: Option<String>,
    /// What stands between the paragraphs without being content.
    pub(super) between: Option<Vec<Piece>>,
    /// Channels in the menu.
    pub(super) menu: Option<usize>,
    /// Known faults, as the dataset lists them.
    pub(super) faults: Option<Vec<String>>,
    /// Amounts by dial.
    pub(super) dials: BTreeMap<String, f64>,
}

/// What a page's bytes are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Bytes {
    #[default]
    Utf8,
    Utf8Mark,
    Utf16Mark,
    Gbk,
    Big5,
    Windows1252,
}

/// What the page says of its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Label {
    /// What pages in these bytes say.
    #[default]
    Usual,
    None,
    /// Behind a comment, after byte 1024.
    Late,
    /// Byte 1024 is inside it.
    Cut,
    /// This one.
    Says(String),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum LineEnds {
    #[default]
    Lf,
    Crlf,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Tags {
    #[default]
    Lower,
    Upper,
}

/// What can stand between paragraphs without being content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Piece {
    /// A script.
    Script,
    /// An advert in a frame of its own.
    Frame,
    /// An advert's text.
    Advert,
    /// A box that asks for an address.
    Newsletter,
    /// A sentence of the article again.
    Quote,
    /// A line with a link to another story.
    More,
    /// A copy of the first paragraph for readers without scripts.
    Copy,
    /// A form.
    Form,
}

impl Look {
    /// This look, and where it says nothing, `under`'s.
    fn over(&self, under: &Look) -> Look {
        let mut dials = under.dials.clone();
        dials.extend(self.dials.iter().map(|(name, amount)| (name.clone(), *amount)));
        Look {
            bytes: self.bytes.or(under.bytes),
            label: self.label.clone().or_else(|| under.label.clone()),
            encoding: self.encoding.clone().or_else(|| under.encoding.clone()),
            line_ends: self.line_ends.or(under.line_ends),
            tags: self.tags.or(under.tags),
            unclosed: self.unclosed.or(under.unclosed),
            doctype: self.doctype.or(under.doctype),
            two_bodies: self.two_bodies.or(under.two_bodies),
            h1: self.h1.or(under.h1),
            lone_lead: self.lone_lead.or(under.lone_lead),
            variant: self.variant.clone().or_else(|| under.variant.clone()),
            between: self.between.clone().or_else(|| under.between.clone()),
            menu: self.menu.or(under.menu),
            faults: self.faults.clone().or_else(|| under.faults.clone()),
            dials,
        }
    }

    /// The dials as this look turns them.
    fn turned(&self) -> Result<Dials, String> {
        let mut dials = Dials::default();
        self.dials.iter().try_for_each(|(name, amount)| dials.turn(name, &amount.to_string()))?;
        Ok(dials)
    }
}

/// A site's recipe, checked.
pub(super) struct Site {
    pub(super) recipe: SiteRecipe,
    pub(super) family: &'static Family,
    /// How many sites of this make there are.
    pub(super) copies: usize,
    /// Pages of each.
    pub(super) pages: usize,
    /// The number of its first page in the dataset.
    pub(super) first: usize,
    /// How page `n` of the site looks is `only[n]`, or else `look`.
    look: (Look, Dials),
    only: BTreeMap<usize, (Look, Dials)>,
}

impl Site {
    /// How page `page` (from 1) of each of these sites looks.
    pub(super) fn look(&self, page: usize) -> &(Look, Dials) {
        self.only.get(&page).unwrap_or(&self.look)
    }
}

impl Recipe {
    /// Reads the recipe in the file `source`, or the compiled-in one of that name.
    ///
    /// # Errors
    /// [`DatasetError`]: no such recipe, or a fault of it.
    pub fn read(source: &Path) -> Result<Self, DatasetError> {
        let file = shown(source);
        let read = || -> std::io::Result<String> {
            let bytes = RegularFile::open(source)?.read_at_most(MAX_BYTES)?;
            String::from_utf8(bytes).map_err(|_| std::io::Error::new(ErrorKind::InvalidData, "it is not valid UTF-8"))
        };
        let builtin = RECIPES.iter().find(|(name, _)| source == Path::new(name));
        let text = match (read(), builtin) {
            (Ok(text), _) => text,
            (Err(_), Some((_, text))) => (*text).to_owned(),
            (Err(error), None) => {
                let names = RECIPES.map(|(name, _)| name).join("`, `");
                let message = format!("{error}; give a recipe's file, or `{names}`, which are built in");
                let code = if is_of_system(&error) { Code::Io } else { Code::Unknown };
                return Err(DatasetError::new(code, file, message));
            }
        };
        yaml::typed(&file, &text).map_err(|error| {
            let code = if error.message.contains("unknown field") { Code::Key } else { Code::Type };
            DatasetError::new(code, file, error.message.clone()).at_line(error.at.line)
        })
    }

    /// Its sites, checked, with some dials turned otherwise on every page.
    ///
    /// # Errors
    /// [`DatasetError`]: an unknown dial, family or file of texts, or an amount out of range.
    pub(super) fn sites(&self, turned: &BTreeMap<String, String>) -> Result<Vec<Site>, DatasetError> {
        let mut first = 0;
        let mut sites = Vec::new();
        for recipe in &self.sites {
            let fault =
                |message: String| DatasetError::new(Code::Type, format!("{}: {}", self.name, recipe.id), message);
            let site = self.site(recipe, turned, first).map_err(fault)?;
            first += site.copies * site.pages;
            sites.push(site);
        }
        match first {
            0 => Err(DatasetError::new(Code::Count, &self.name, "the recipe makes no page")),
            _ => Ok(sites),
        }
    }

    fn site(&self, recipe: &SiteRecipe, turned: &BTreeMap<String, String>, first: usize) -> Result<Site, String> {
        let family = FAMILIES.iter().find(|family| family.number == recipe.family);
        let family = family.ok_or_else(|| format!("there is no page family {}", recipe.family))?;
        let texts = recipe.texts.iter().map(|file| match texts(file) {
            Some(texts) => Ok(texts.len()),
            None => Err(format!("there are no texts `{file}`; {}", hint(file, text_files().collect::<Vec<_>>()))),
        });
        let texts = texts.sum::<Result<usize, String>>()?;
        let turn = |look: Look| -> Result<(Look, Dials), String> {
            let mut dials = look.turned()?;
            turned.iter().try_for_each(|(name, amount)| dials.turn(name, amount))?;
            Ok((look, dials))
        };
        let look = turn(recipe.look.over(&self.pages))?;
        let only = recipe.only.iter().map(|(&page, only)| Ok((page, turn(only.over(&look.0))?)));
        let only = only.collect::<Result<BTreeMap<_, _>, String>>()?;
        let (pages, copies) = (recipe.count.unwrap_or(texts), recipe.copies.unwrap_or(1));
        let (pages, copies) = match look.1.siblings as usize / 1000 {
            0 => (pages, copies),
            siblings => (siblings, (pages * copies).div_ceil(siblings)),
        };
        Ok(Site { recipe: recipe.clone(), family, copies, pages, first, look, only })
    }
}
