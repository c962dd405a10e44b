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
    /// The pages of the run that are of its site, itself among them, with gold and without; 1 for a page without a site.
    pub site_pages: usize,
    /// Those of them that have gold.
    pub site_golds: usize,
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

/// The facts of a dataset's pages that count in rows, by their ids.
pub type Facts = BTreeMap<String, PageFacts>;

/// The pages that are in memory at a time while they are counted.
const AT_A_TIME: usize = 64;

/// What was counted on pages, by dataset and id: runs over the same pages count it once.
#[derive(Default)]
pub struct Counted(BTreeMap<String, BTreeMap<String, Option<PageCounts>>>);

/// The facts of the pages of `plan` that count in rows, by dataset. With `counted` each such page is opened, unless it holds
/// its counts already, and its counts are there too.
///
/// # Errors
/// [`DatasetError`]: a page list that cannot be read any more, or was changed.
pub fn page_facts(plan: &Plan, counted: Option<&mut Counted>) -> Result<BTreeMap<String, Facts>, DatasetError> {
    let mut counted = counted.map(|Counted(by_dataset)| by_dataset);
    let of_dataset = |dataset: &Dataset| {
        let name = dataset.name().to_owned();
        let counted = counted.as_mut().map(|by_dataset| by_dataset.entry(name.clone()).or_default());
        Ok((name, dataset_facts(plan, dataset, counted)?))
    };
    plan.datasets.iter().map(of_dataset).collect()
}

/// Pages of a site.
#[derive(Default)]
struct Site {
    pages: usize,
    /// The ids of those that have gold.
    golds: Vec<String>,
}

fn dataset_facts(
    plan: &Plan,
    dataset: &Dataset,
    counted: Option<&mut BTreeMap<String, Option<PageCounts>>>,
) -> Result<Facts, DatasetError> {
    let (mut facts, mut sites) = (Facts::new(), BTreeMap::<String, Site>::new());
    let scores = |record: &Record| plan.configuration.scores(record);
    let count = |record: &Record| {
        let Some(known) = counted.as_deref().filter(|_| scores(record)) else { return Ok(None) };
        let counts = known.get(&record.id).cloned().unwrap_or_else(|| PageCounts::of(dataset, record));
        dataset.refuse_unread().map(|()| counts)
    };
    dataset.records.for_each_made(AT_A_TIME, count, |record, counts| {
        if scores(record) {
            facts.insert(record.id.clone(), PageFacts { counts, ..PageFacts::of(record) });
        }
        if let Some(name) = &record.site {
            let site = sites.entry(name.clone()).or_default();
            site.pages += 1;
            site.golds.extend(record.gold.as_ref().map(|_| record.id.clone()));
        }
        Ok::<_, DatasetError>(())
    })?;
    for site in sites.values() {
        for page in &site.golds {
            if let Some(page) = facts.get_mut(page) {
                (page.site_pages, page.site_golds) = (site.pages, site.golds.len());
            }
        }
    }
    if let Some(counted) = counted {
        counted.extend(facts.iter().map(|(page, facts)| (page.clone(), facts.counts.clone())));
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
        PageFacts { host, language, genre, site_pages: 1, site_golds: 1, counts: None }
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
    use crate::formats::code::Code;
    use crate::runs::configuration::Configuration;

    /// A plan over pages of two sites: two pages with gold and one without, and one alone.
    fn plan(folder: &std::path::Path) -> Plan {
        let record = |id: &str, site: &str, gold: &str| {
            format!("{{\"id\": \"{id}\", \"html\": {{\"path\": \"{id}.html\"}}, \"site\": \"{site}\"{gold}}}\n")
        };
        let gold = ", \"gold\": {\"text\": \"ab\"}";
        let list = [record("a", "s", gold), record("b", "s", gold), record("c", "s", ""), record("d", "t", gold)];
        let manifest =
            "format: 1\nname: d\nversion: '1'\nlicence: {data: CC0-1.0, pages: CC0-1.0, redistribution: free}\n";
        let files = [("dataset.yaml", manifest.to_owned()), ("pages.jsonl", list.concat())];
        let pages = ["a", "b", "c", "d"].map(|id| format!("{id}.html"));
        let pages = pages.iter().map(|name| (name.as_str(), "<p>abc".to_owned()));
        for (name, content) in files.into_iter().chain(pages) {
            std::fs::write(folder.join(name), content).unwrap();
        }
        let yaml = format!("datasets: ['{}']\nalgorithms: [all-text]\n", folder.display());
        Plan::new(Configuration::from_yaml("x.yaml", &yaml).unwrap()).unwrap()
    }

    #[test]
    fn pages_of_a_site_are_told_from_those_with_gold_and_only_these_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let plan = plan(folder.path());
        let of = |facts: &BTreeMap<String, Facts>| {
            let told = |(id, facts): (&String, &PageFacts)| {
                (id.clone(), facts.site_pages, facts.site_golds, facts.counts.as_ref().map(|counts| counts.text))
            };
            facts["d"].iter().map(told).collect::<Vec<_>>()
        };
        let expected =
            |text| [("a", 3, 2), ("b", 3, 2), ("d", 1, 1)].map(|(id, all, gold)| (id.to_owned(), all, gold, text));
        assert_eq!(of(&page_facts(&plan, None).unwrap()), expected(None));
        let mut counted = Counted::default();
        assert_eq!(of(&page_facts(&plan, Some(&mut counted)).unwrap()), expected(Some(3)));
        // What was counted is not counted again: the pages are gone.
        ["a", "b", "d"].iter().for_each(|id| std::fs::remove_file(folder.path().join(format!("{id}.html"))).unwrap());
        assert_eq!(of(&page_facts(&plan, Some(&mut counted)).unwrap()), expected(Some(3)));
        let fault = page_facts(&plan, Some(&mut Counted::default())).unwrap_err();
        assert_eq!(fault.code, Code::Missing, "{fault}");
    }

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
