//! Where the pages of a run are from, and what is counted on them: what decides which of them are of a group or a site
//! that a paper names, or of those that it says something of.

mod counts;

pub use self::counts::{GoldCounts, PageCounts};

use std::collections::BTreeMap;

use super::plan::Plan;
use crate::datasets::manifest::Record;
use crate::datasets::site::registrable_domain;
use crate::datasets::{Dataset, DatasetError};
use crate::page::primary_language;

/// Where a page is from, and what was counted on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageFacts {
    /// Its host, else its site, if either is known.
    pub host: Option<String>,
    /// The primary subtag of its language, if it is known.
    pub language: Option<String>,
    /// What sort of site it is of.
    pub genre: Genre,
    /// The pages of the run that are of its site, itself among them; 1 for a page without a site.
    pub site_pages: usize,
    /// What was counted on it; `None` where nothing was, or the page cannot be opened.
    pub counts: Option<PageCounts>,
}

/// What sort of site a page is of. Papers tell news from blogs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Genre {
    /// News, and whatever says nothing else.
    #[default]
    News,
    /// A blog, by its kind, its group or its host.
    Blog,
    /// A forum, a shop or another kind that is none of both.
    Other,
}

/// The facts of a dataset's pages by their ids.
pub type Facts = BTreeMap<String, PageFacts>;

/// The pages that are in memory at a time while they are counted.
const AT_A_TIME: usize = 64;

/// The facts of the pages of `plan`, by dataset. With `counted` each page is opened once, and its counts are there too.
///
/// # Errors
/// [`DatasetError`]: a page list that cannot be read any more, or was changed.
pub fn page_facts(plan: &Plan, counted: bool) -> Result<BTreeMap<String, Facts>, DatasetError> {
    let of_dataset = |dataset: &Dataset| Ok((dataset.name().to_owned(), dataset_facts(dataset, counted)?));
    plan.datasets.iter().map(of_dataset).collect()
}

fn dataset_facts(dataset: &Dataset, counted: bool) -> Result<Facts, DatasetError> {
    let (mut facts, mut sites) = (Facts::new(), BTreeMap::<String, Vec<String>>::new());
    let count = |record: &Record| Ok(counted.then(|| PageCounts::of(dataset, record)).flatten());
    dataset.records.for_each_made(AT_A_TIME, count, |record, counts| {
        facts.insert(record.id.clone(), PageFacts { counts, ..PageFacts::of(record) });
        if let Some(site) = &record.site {
            sites.entry(site.clone()).or_default().push(record.id.clone());
        }
        Ok::<_, DatasetError>(())
    })?;
    for pages in sites.values() {
        for page in pages {
            facts.entry(page.clone()).and_modify(|facts| facts.site_pages = pages.len());
        }
    }
    Ok(facts)
}

impl PageFacts {
    fn of(record: &Record) -> Self {
        let details = record.details();
        let host = details.host.clone().or_else(|| record.site.clone());
        let is_blog = |text: Option<&str>| text.is_some_and(|text| text.to_lowercase().contains("blog"));
        let on_blog_host = host.as_deref().is_some_and(|host| host.starts_with("blog"));
        let genre = match record.kind.as_deref() {
            kind if is_blog(kind) || is_blog(details.group.as_deref()) || on_blog_host => Genre::Blog,
            Some("article" | "news") | None => Genre::News,
            Some(_) => Genre::Other,
        };
        let language = record.language.as_deref().and_then(primary_language);
        PageFacts { host, language, genre, site_pages: 1, counts: None }
    }

    /// Whether the page is of the group that a paper calls so: `all`, a language, or a language and a genre, such as
    /// `zh-news`.
    pub fn is_of(&self, group: &str) -> bool {
        let (language, genre) =
            group.split_once('-').map_or((group, None), |(language, genre)| (language, Some(genre)));
        let genre_fits = match genre {
            None => true,
            Some("news") => self.genre == Genre::News,
            Some("blog") => self.genre == Genre::Blog,
            Some(_) => false,
        };
        group == "all" || self.language.as_deref() == Some(language) && genre_fits
    }

    /// Whether the page is of the site at `domain`: by its host, else by its registrable domain and its genre.
    pub fn fit(&self, domain: &str, genre: Genre) -> Option<Fit> {
        let host = self.host.as_deref()?;
        let bare = |host: &str| host.strip_prefix("www.").unwrap_or(host).to_ascii_lowercase();
        if bare(host) == bare(domain) {
            return Some(Fit::Host);
        }
        (self.genre == genre && registrable_domain(host) == registrable_domain(domain)).then_some(Fit::Domain)
    }
}

/// By what a page is of a printed site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// By its host.
    Host,
    /// By its registrable domain and its genre.
    Domain,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(host: &str, language: &str, genre: Genre) -> PageFacts {
        PageFacts { host: Some(host.to_owned()), language: Some(language.to_owned()), genre, ..PageFacts::default() }
    }

    #[test]
    fn pages_fit_a_printed_site_by_host_or_by_domain_and_genre() {
        let fit = |host: &str, genre| facts(host, "zh", genre).fit("news.sina.com.cn", Genre::News);
        assert_eq!(fit("news.sina.com.cn", Genre::News), Some(Fit::Host));
        assert_eq!(fit("finance.sina.com.cn", Genre::News), Some(Fit::Domain));
        assert_eq!(fit("blog.sina.com.cn", Genre::Blog), None);
        assert_eq!(fit("news.sohu.com", Genre::News), None);
        assert_eq!(facts("nypost.com", "en", Genre::News).fit("www.nypost.com", Genre::News), Some(Fit::Host));
        assert_eq!(PageFacts::default().fit("www.nypost.com", Genre::News), None);
    }

    #[test]
    fn groups_are_languages_and_genres() {
        let blog = facts("a", "zh", Genre::Blog);
        assert!(blog.is_of("all") && blog.is_of("zh") && blog.is_of("zh-blog"));
        assert!(!blog.is_of("zh-news") && !blog.is_of("en") && !PageFacts::default().is_of("zh"));
    }
}
