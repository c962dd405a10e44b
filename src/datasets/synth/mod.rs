//! Made datasets: pages with exact gold from a recipe, the same on every machine. Templates are by
//! family, texts by hand; a dial for each kind of noise says how much of it a page gets.
//!
//! A recipe (`recipe.rs`) names sites. Each site has a family of pages, whose template lays out what `page.rs` gathers: the
//! content of a hand-written text (`article.rs`) and as much noise of each kind as the dials say (`dials.rs`, whole
//! thousandths). Chance comes from ChaCha8 streams named by the seed, the site and the page, so a page can be made alone
//! and in any order. `finish.rs` does what concerns bytes: tags, line ends, label, encoding. The gold is what was placed as
//! content, written as the renderer would write it. The embedded dataset is a recipe too, and a test holds the committed
//! files equal to what the recipe makes.

mod article;
pub mod dials;
mod families;
mod finish;
mod noise;
mod page;
mod random;
pub mod recipe;
mod texts;
pub mod write;

use crate::formats::code::Code;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use self::dials::Dials;
use self::page::{Made, Order, make};
use self::recipe::{Recipe, Site};
use self::texts::{Text, texts};
use super::manifest::{
    DeclaredCounts, Details, GoldNature, GoldSource, HtmlSource, Licence, MADE_OF, MadeOf, Manifest, Record,
};
use super::records::{RecordSource, Records};
use super::root::{Fault, MadeFiles, Root};
use super::{Dataset, DatasetError, hash};

/// Where a made page and its gold are: `pages/ID.html` and `gold/ID.txt`.
const PAGES: (&str, &str) = ("pages/", ".html");
const GOLDS: (&str, &str) = ("gold/", ".txt");

/// The pages of a recipe. Each is made when it is asked for, alone.
pub struct Synthetic {
    recipe: Recipe,
    sites: Vec<Site>,
    turned: BTreeMap<String, String>,
}

impl std::fmt::Debug for Synthetic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Synthetic({}, {} pages)", self.recipe.name, self.pages())
    }
}

/// Which page of the dataset: a site's recipe, which of its sites, which of its pages from 1.
#[derive(Clone, Copy)]
struct Place<'s> {
    site: &'s Site,
    copy: usize,
    page: usize,
}

impl MadeFiles for Synthetic {
    fn read_file(&self, path: &str) -> Result<Vec<u8>, Fault> {
        let place = self.find(path).ok_or_else(|| Fault::missing("there is no such file"))?;
        let made = self.make(place).map_err(Fault::missing)?;
        Ok(if path.starts_with(PAGES.0) { made.bytes } else { made.gold.into_bytes() })
    }

    fn has(&self, path: &str) -> bool {
        self.find(path).is_some()
    }

    fn home(&self) -> Option<&Path> {
        None
    }
}

impl RecordSource for Synthetic {
    type Place = usize;

    fn get(&self, number: usize) -> Result<Record, DatasetError> {
        Ok(self.record(number))
    }

    fn located(&self, _: usize, fault: DatasetError) -> DatasetError {
        fault
    }
}

impl Synthetic {
    /// The pages of the recipe in the file `source`, or of the built-in one of that name, with some
    /// dials turned otherwise on every page.
    ///
    /// # Errors
    /// [`DatasetError`]: no such recipe, a fault of it, an unknown dial or an amount out of its range.
    pub fn read(source: &Path, turned: &BTreeMap<String, String>) -> Result<Self, DatasetError> {
        for (name, amount) in turned {
            let fault = |message| DatasetError::new(Code::Option, super::shown(source), message);
            Dials::default().turn(name, amount).map_err(fault)?;
        }
        let recipe = Recipe::read(source)?;
        let sites = recipe.sites(turned)?;
        Ok(Synthetic { recipe, sites, turned: turned.clone() })
    }

    /// The number of pages.
    pub fn pages(&self) -> usize {
        self.sites.last().map_or(0, |site| site.first + site.copies * site.pages)
    }

    /// What the dataset says of itself. Its name says which dials are turned otherwise.
    pub fn manifest(&self) -> Manifest {
        let pages = self.pages();
        let turned = self.turned.iter().map(|(dial, amount)| format!(".{dial}-{amount}"));
        Manifest {
            format: 1,
            name: self.recipe.name.clone() + &turned.collect::<String>(),
            version: self.recipe.version.clone(),
            title: self.recipe.title.clone(),
            description: self.recipe.description.clone(),
            licence: Licence {
                data: "CC0-1.0".to_owned(),
                pages: "CC0-1.0".to_owned(),
                redistribution: "free".to_owned(),
            },
            pages: vec!["pages.jsonl".to_owned()],
            gold: GoldNature {
                nature: Some("human".to_owned()),
                includes: vec!["tables".to_owned(), "lists".to_owned()],
                verbatim: Some(true),
                ordered: Some(true),
                ..GoldNature::default()
            },
            other: self.made_of(),
            counts: Some(DeclaredCounts { pages: Some(pages), golds: Some(pages) }),
            ..Manifest::default()
        }
    }

    /// Which dials are turned otherwise, as a manifest tells.
    fn made_of(&self) -> Map<String, Json> {
        let made_of = MadeOf { recipe: self.recipe.name.clone(), dials: self.turned.clone() };
        let turned = (!made_of.dials.is_empty()).then(|| (MADE_OF.to_owned(), json!(made_of)));
        turned.into_iter().collect()
    }

    /// The record of page `number`, from 0.
    ///
    /// # Panics
    /// Where there is no page of that number.
    pub fn record(&self, number: usize) -> Record {
        let site = self.sites.iter().rev().find(|site| site.first <= number).expect("the number of a page");
        let within = number - site.first;
        let place = Place { site, copy: within / site.pages, page: within % site.pages + 1 };
        let text = place.text();
        let (recipe, look) = (&site.recipe, &site.look(place.page).0);
        let id = place.id();
        let mut extra = json!({"family": recipe.family});
        if let Some(variant) = look.variant.as_deref().or(text.kind) {
            extra["variant"] = variant.into();
        }
        if recipe.only.contains_key(&place.page) {
            extra["hard"] = true.into();
        }
        let details = Details {
            url: Some(place.url()),
            group: recipe.group.clone(),
            published: Some(text.date.to_owned()),
            title: Some(text.title.to_owned()),
            author: text.author.map(str::to_owned),
            faults: look.faults.clone().unwrap_or_default(),
            extra: Some(Box::new(extra)),
            ..Details::default()
        };
        Record {
            html: HtmlSource::Path(format!("{}{id}{}", PAGES.0, PAGES.1)),
            gold: Some(GoldSource::Path(format!("{}{id}{}", GOLDS.0, GOLDS.1))),
            site: Some(place.domain()),
            language: Some(recipe.language.clone()),
            encoding: look.encoding.clone(),
            kind: Some(recipe.kind.clone().unwrap_or_else(|| site.family.kind.to_owned())),
            id,
            details: details.boxed(),
        }
    }

    fn find(&self, path: &str) -> Option<Place<'_>> {
        let id = |(folder, suffix): (&str, &str)| path.strip_prefix(folder)?.strip_suffix(suffix).map(str::to_owned);
        let id = id(PAGES).or_else(|| id(GOLDS))?;
        let (site_id, page) = id.rsplit_once('-')?;
        let page: usize = page.parse().ok()?;
        let of = |site: &Site| -> Option<usize> {
            let copy = site_id.strip_prefix(&site.recipe.id)?;
            if site.copies == 1 {
                return copy.is_empty().then_some(0);
            }
            copy.strip_prefix('.')?.parse::<usize>().ok()?.checked_sub(1)
        };
        let (site, copy) = self.sites.iter().find_map(|site| Some((site, of(site)?)))?;
        let place = Place { site, copy, page };
        (place.copy < site.copies && (1..=site.pages).contains(&page) && place.id() == id).then_some(place)
    }

    fn make(&self, place: Place<'_>) -> Result<Made, String> {
        make(&Order {
            seed: self.recipe.seed,
            site: place.site,
            copy: place.copy,
            page: place.page,
            text: place.text(),
            domain: place.domain(),
            url: place.url(),
        })
    }

    /// As a dataset whose pages are made when they are asked for.
    pub fn dataset(self) -> Dataset {
        let ids = (0..self.pages()).map(|number| hash(self.record(number).id.as_bytes())).collect();
        let (manifest, made) = (self.manifest(), Arc::new(self));
        let root = Root::Made(made.clone());
        let numbers: Vec<usize> = (0..made.pages()).collect();
        let golds = numbers.len();
        Dataset::new(manifest, Records::placed(made, numbers, golds), ids, root.clone(), root)
    }
}

impl Place<'_> {
    fn id(&self) -> String {
        let recipe = &self.site.recipe;
        match self.site.copies {
            1 => format!("{}-{:04}", recipe.id, self.page),
            _ => format!("{}.{}-{:04}", recipe.id, self.copy + 1, self.page),
        }
    }

    /// The site's domain; of several sites of one make, each its own.
    fn domain(&self) -> String {
        match self.site.copies {
            1 => self.site.recipe.site.clone(),
            _ => format!("{}{}", self.copy + 1, self.site.recipe.site),
        }
    }

    /// The page's text: one after the other over all sites of the make, then from the first again.
    fn text(&self) -> &'static Text {
        let nth = self.copy * self.site.pages + self.page - 1;
        let files = || self.site.recipe.texts.iter().filter_map(|file| texts(file));
        let all: usize = files().map(<[Text]>::len).sum();
        files().flatten().nth(nth % all).expect("a checked recipe has texts")
    }

    fn url(&self) -> String {
        let date = self.text().date;
        let mut parts = date.split('-');
        let (year, month) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let number = (self.site.first * 37 + self.copy * 1009 + self.page * 13 + 10_000).to_string();
        let compact = date.replace('-', "");
        let filled = [("{domain}", &*self.domain()), ("{date}", &compact), ("{year}", year), ("{month}", month)];
        let url = filled.iter().fold(self.site.recipe.url.clone(), |url, (mark, value)| url.replace(mark, value));
        url.replace("{number}", &number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::DatasetError;

    fn read(source: &str, turned: &[(&str, &str)]) -> Result<Synthetic, DatasetError> {
        let turned = turned.iter().map(|(dial, amount)| ((*dial).to_owned(), (*amount).to_owned())).collect();
        Synthetic::read(Path::new(source), &turned)
    }

    #[test]
    fn every_built_in_recipe_makes_every_page() {
        for (name, _) in recipe::RECIPES {
            let synthetic = read(name, &[]).unwrap();
            for number in 0..synthetic.pages() {
                let record = synthetic.record(number);
                let path = record.html.path().unwrap();
                assert!(!synthetic.read_file(path).unwrap().is_empty(), "{path}");
            }
        }
    }

    #[test]
    fn a_page_is_found_by_its_path_alone() {
        let synthetic = read("robustness", &[("siblings", "4")]).unwrap();
        for number in [0, 1, synthetic.pages() - 1] {
            let record = synthetic.record(number);
            assert_eq!(synthetic.find(record.html.path().unwrap()).unwrap().id(), record.id);
        }
        for path in ["pages/x-0001.html", "pages/.html", "gold/", "dataset.yaml"] {
            assert!(!synthetic.has(path), "{path}");
        }
    }

    #[test]
    fn wrong_requests_are_told() {
        assert_eq!(read("no-such-recipe", &[]).unwrap_err().code, Code::Unknown);
        let error = read("robustness", &[("link", "0.5")]).unwrap_err();
        assert!(error.to_string().contains("did you mean `links`"), "{error}");
        assert!(read("robustness", &[("links", "7")]).unwrap_err().to_string().contains("from 0 to 1"));
    }
}
