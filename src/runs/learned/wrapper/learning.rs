//! A template learned from the gold of a site's pages, as a person would write it: selectors of elements that hold the
//! gold, one after the other as long as they gain something, then selectors of what is too much.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::excess::Excess;
use super::rules::{Exclusion, Included, Pick};
use super::site::{Fit, Site, SitePage, WHOLE_FIT, picked};
use crate::algorithms::parameters::check_whole;
use crate::algorithms::value::{Value, billionths};
use crate::datasets::Halt;
use crate::runs::guarding::{IsStopped, go_on};

/// Of so many of the best selectors one more is included.
const MOST_INCLUDES_TRIED: usize = 200;

/// Of so many selectors of what is too much one more is excluded.
const MOST_EXCLUDES_TRIED: usize = 25;

/// Parameters of `wrapper` that learns.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LearningParameters {
    /// whether each site's template is learned from the gold of its other pages
    pub learn: bool,
    /// the most pages that a template is learned from: the first ones of the others (`learn=true`)
    #[schemars(extend("from" = "1"))]
    pub train_pages: Value,
    /// into how many parts a site's pages are divided, of which one at a time is tried and not learned from; a site of no more
    /// pages leaves out one page at a time, with `inf` every site does (`learn=true`)
    #[schemars(extend("from" = "2"))]
    pub folds: Value,
    /// the most selectors of content (`learn=true`)
    #[schemars(extend("from" = "1", "to" = "100"))]
    pub max_include: Value,
    /// the most selectors of what is no content in it (`learn=true`)
    #[schemars(extend("from" = "0", "to" = "100"))]
    pub max_exclude: Value,
    /// by how much one more selector must raise the mean F1 over the pages that are learned from (`learn=true`)
    #[schemars(extend("from" = "0", "to" = "1"))]
    pub gain: Value,
    /// what is done with text that is included inside of what is excluded: `nearest` keeps it, because the nearest
    /// ancestor that is named decides; `subtracted` takes it out with the rest (`learn=true`)
    pub exclusion: Exclusion,
}

impl Default for LearningParameters {
    fn default() -> Self {
        LearningParameters {
            learn: false,
            train_pages: Value::INFINITY,
            folds: Value::decimal(10, 0),
            max_include: Value::decimal(3, 0),
            max_exclude: Value::decimal(6, 0),
            gain: Value::decimal(2, 3),
            exclusion: Exclusion::Nearest,
        }
    }
}

impl LearningParameters {
    /// Refuses counts that are not whole.
    ///
    /// # Errors
    /// A sentence that names the parameter.
    pub(in crate::runs) fn check(&self) -> Result<(), String> {
        check_whole("train_pages", self.train_pages)?;
        check_whole("folds", self.folds)?;
        check_whole("max_include", self.max_include)?;
        check_whole("max_exclude", self.max_exclude)
    }

    /// Into how many parts so many pages are divided.
    pub(super) fn folds_of(self, pages: usize) -> usize {
        pages.min(usize::try_from(self.folds.whole()).unwrap_or(usize::MAX))
    }

    /// Those of `places` that are learned from.
    pub(super) fn of_first(self, places: &[usize]) -> &[usize] {
        let most = usize::try_from(self.train_pages.whole()).unwrap_or(usize::MAX);
        &places[..places.len().min(most)]
    }
}

/// A learned template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LearnedTemplate {
    /// What is content.
    pub include: Vec<Included>,
    /// What in it is not.
    pub exclude: Vec<String>,
    /// What that does to text that is included in it.
    pub exclusion: Exclusion,
    /// The mean F1 by characters over the pages that it was learned from, in 1e-9.
    pub fit: u64,
}

/// A selector that may be included, with the pages of which it chooses anything.
struct Candidate {
    selector: u32,
    pick: Pick,
    /// The place of each page, and how well its choice alone fits there.
    fits: Vec<(usize, Fit)>,
    /// The pages on which an element that it names holds gold.
    of_gold: Vec<usize>,
    /// The pages that several elements match.
    several: Vec<usize>,
}

/// A site with all that every fold of it needs.
pub(super) struct SiteLearner {
    site: Site,
    /// Of each selector the pages that it matches something of, and the elements.
    matching: Vec<Vec<(usize, Vec<u32>)>>,
    candidates: Vec<Candidate>,
}

/// A page that is learned from, and what is chosen of it so far.
struct TrainingPage<'s> {
    place: usize,
    page: &'s SitePage,
    included: Vec<u32>,
    excluded: Vec<u32>,
    exclusion: Exclusion,
    chosen: Vec<bool>,
    fit: Fit,
}

impl SiteLearner {
    /// # Errors
    /// [`Halt::Stopped`].
    pub(super) fn new(site: Site, is_stopped: IsStopped<'_>) -> Result<Self, Halt> {
        let matching_of = |selector: u32| {
            go_on(is_stopped)?;
            let on_page = |&place: &usize| Some((place, site.matching(selector, site.pages[place].as_ref()?)));
            let on_pages = site.pages_with(selector).iter().filter_map(on_page);
            Ok(on_pages.filter(|(_, elements)| !elements.is_empty()).collect())
        };
        let selectors = 0..site.selectors.len() as u32;
        let matching: Vec<Vec<(usize, Vec<u32>)>> = selectors.map(matching_of).collect::<Result<_, Halt>>()?;
        let pages = site.pages.iter().enumerate().filter_map(|(place, page)| Some((place, page.as_ref()?)));
        let mut of_gold: Vec<Vec<usize>> = vec![Vec::new(); site.selectors.len()];
        for (place, page) in pages {
            page.of_gold.iter().for_each(|&selector| of_gold[selector as usize].push(place));
        }
        let mut candidates = Vec::new();
        for (selector, of_gold) in of_gold.into_iter().enumerate().filter(|(_, of_gold)| !of_gold.is_empty()) {
            go_on(is_stopped)?;
            let on_pages = &matching[selector];
            let several = on_pages.iter().filter(|(_, elements)| elements.len() > 1).map(|(place, _)| *place);
            let several: Vec<usize> = several.collect();
            for pick in [Pick::All, Pick::First] {
                if pick == Pick::First && several.is_empty() {
                    continue;
                }
                let fit = |(place, elements): &(usize, Vec<u32>)| {
                    let page = site.pages[*place].as_ref()?;
                    Some((*place, page.fit_of_elements(picked(elements, pick))))
                };
                candidates.push(Candidate {
                    selector: selector as u32,
                    pick,
                    fits: on_pages.iter().filter_map(fit).collect(),
                    of_gold: of_gold.clone(),
                    several: several.clone(),
                });
            }
        }
        Ok(SiteLearner { site, matching, candidates })
    }

    /// Those of `places` whose pages could be read, and can be learned from.
    pub(super) fn readable(&self, places: &[usize]) -> Vec<usize> {
        places.iter().copied().filter(|&place| self.site.pages[place].is_some()).collect()
    }

    /// The template of the pages at `places`, which are in order; `None` where no selector names an element with gold.
    ///
    /// # Errors
    /// [`Halt::Stopped`].
    pub(super) fn learn(
        &self,
        places: &[usize],
        parameters: &LearningParameters,
        is_stopped: IsStopped<'_>,
    ) -> Result<Option<LearnedTemplate>, Halt> {
        go_on(is_stopped)?;
        let page = |&place: &usize| Some((place, self.site.pages[place].as_ref()?));
        let pages = places.iter().filter_map(page).map(|(place, page)| TrainingPage::new(place, page, parameters));
        let mut pages = TrainingPages::new(pages.collect());
        let ranked = self.ranked(&pages);
        let gain = billionths(parameters.gain.to_f64());
        let mut included: Vec<&Candidate> = Vec::new();
        while (included.len() as u64) < parameters.max_include.whole() {
            let best = match included.is_empty() {
                true => ranked.first().copied(),
                false => self.next_include(&ranked, &pages, gain, is_stopped)?,
            };
            let Some(best) = best else { break };
            pages.change(&self.matching[best.selector as usize], |page, elements| {
                page.included = merged(&page.included, picked(elements, best.pick));
            });
            included.push(best);
        }
        if included.is_empty() {
            return Ok(None);
        }
        let mut excluded: Vec<u32> = Vec::new();
        while (excluded.len() as u64) < parameters.max_exclude.whole() {
            let Some(best) = self.next_exclude(&pages, gain, is_stopped)? else { break };
            pages.change(&self.matching[best as usize], |page, elements| {
                page.excluded = merged(&page.excluded, elements);
            });
            excluded.push(best);
        }
        let text = |selector: u32| self.site.selectors[selector as usize].text.clone();
        let include = included.iter().map(|one| Included { selector: text(one.selector), pick: one.pick });
        Ok(Some(LearnedTemplate {
            include: include.collect(),
            exclude: excluded.into_iter().map(text).collect(),
            exclusion: parameters.exclusion,
            fit: pages.mean(),
        }))
    }

    /// The best candidates of pages of which nothing is chosen yet, the best first.
    fn ranked(&self, pages: &TrainingPages<'_>) -> Vec<&Candidate> {
        let is_among = |all: &[usize]| all.iter().any(|&place| pages.at(place).is_some());
        let fits = |candidate: &&Candidate| {
            is_among(&candidate.of_gold) && (candidate.pick == Pick::All || is_among(&candidate.several))
        };
        let score = |candidate: &Candidate| {
            let fits = candidate.fits.iter().filter_map(|&(place, fit)| Some((pages.at(place)?, fit)));
            pages.mean_with(fits)
        };
        let key = |candidate: &&Candidate| {
            let text = &self.site.selectors[candidate.selector as usize].text;
            (Reverse(score(candidate)), text.chars().count(), text.as_str(), candidate.pick)
        };
        let mut ranked: Vec<&Candidate> = self.candidates.iter().filter(fits).collect();
        ranked.sort_by_cached_key(key);
        ranked.truncate(MOST_INCLUDES_TRIED);
        ranked
    }

    /// The candidate that raises the mean most, if by more than `gain`.
    fn next_include<'c>(
        &self,
        ranked: &[&'c Candidate],
        pages: &TrainingPages<'_>,
        gain: u64,
        is_stopped: IsStopped<'_>,
    ) -> Result<Option<&'c Candidate>, Halt> {
        let with = |candidate: &&Candidate| {
            pages.mean_by(&self.matching[candidate.selector as usize], |page, elements| {
                let elements = picked(elements, candidate.pick);
                page.page.fit_of_elements(&merged(&page.included, elements))
            })
        };
        first_best(ranked.iter().copied(), with, pages.mean() + gain, is_stopped)
    }

    /// The selector that raises the mean most, and by more than `gain`, when what it matches is taken out.
    fn next_exclude(
        &self,
        pages: &TrainingPages<'_>,
        gain: u64,
        is_stopped: IsStopped<'_>,
    ) -> Result<Option<u32>, Halt> {
        let mut taken: Vec<(u32, f64)> = Vec::new();
        for page in pages.pages.iter().filter(|page| page.has_wrong()) {
            go_on(is_stopped)?;
            let chosen = 1.0 + page.page.chosen(&page.chosen).map(|(chars, _)| chars).sum::<u64>() as f64;
            let excess = Excess::new(page.page, &page.chosen, &page.included, page.exclusion);
            let taken_by =
                |selector: u32| elements_on(&self.matching[selector as usize], page.place).unwrap_or_default();
            let share = |&selector: &u32| (selector, excess.of(taken_by(selector)) as f64 / chosen);
            taken.extend(page.page.selectors.iter().map(share));
        }
        // Stable: the pages of a selector stay in order.
        taken.sort_by_key(|(selector, _)| *selector);
        let sums = taken.chunk_by(|one, next| one.0 == next.0);
        let sums = sums.map(|of_one| (of_one[0].0, of_one.iter().map(|(_, share)| share).sum::<f64>()));
        let mut ranked: Vec<(u32, u64)> =
            sums.filter(|(_, sum)| *sum > 0.0).map(|(selector, sum)| (selector, billionths(sum))).collect();
        ranked.sort_by_key(|&(selector, sum)| (Reverse(sum), self.site.selectors[selector as usize].text.as_str()));
        let tried = ranked.iter().take(MOST_EXCLUDES_TRIED).map(|(selector, _)| *selector);
        let without = |selector: &u32| {
            pages.mean_by(&self.matching[*selector as usize], |page, elements| {
                page.page.fit_of(&page.choice_without(elements))
            })
        };
        first_best(tried, without, pages.mean() + gain, is_stopped)
    }
}

/// The pages that a template is learned from.
struct TrainingPages<'s> {
    /// In the order of their places.
    pages: Vec<TrainingPage<'s>>,
    /// The sum over all of them.
    fit: u128,
}

impl<'s> TrainingPages<'s> {
    fn new(pages: Vec<TrainingPage<'s>>) -> Self {
        let fit = pages.iter().map(|page| u128::from(page.fit)).sum();
        TrainingPages { pages, fit }
    }

    fn at(&self, place: usize) -> Option<&TrainingPage<'s>> {
        let at = self.pages.binary_search_by_key(&place, |page| page.place).ok()?;
        Some(&self.pages[at])
    }

    /// The mean fit, in 1e-9.
    fn mean(&self) -> u64 {
        self.mean_with(std::iter::empty())
    }

    /// The mean where some pages come to another fit: what is asked for touches few of a site's pages.
    fn mean_with<'p>(&self, changed: impl Iterator<Item = (&'p TrainingPage<'s>, Fit)>) -> u64
    where
        's: 'p,
    {
        let fit = changed.fold(self.fit, |sum, (page, fit)| sum - u128::from(page.fit) + u128::from(fit));
        let unit = self.pages.len() as u128 * u128::from(WHOLE_FIT / 1_000_000_000);
        (fit + unit / 2).checked_div(unit).unwrap_or(0) as u64
    }

    /// The mean where those pages that have matching elements come to what `fit` says.
    fn mean_by(&self, matching: &[(usize, Vec<u32>)], fit: impl Fn(&TrainingPage<'s>, &[u32]) -> Fit) -> u64 {
        let on_page = |(place, elements): &(usize, Vec<u32>)| self.at(*place).map(|page| (page, fit(page, elements)));
        self.mean_with(matching.iter().filter_map(on_page))
    }

    /// Changes what is chosen of those pages that have matching elements.
    fn change(&mut self, matching: &[(usize, Vec<u32>)], change: impl Fn(&mut TrainingPage<'s>, &[u32])) {
        for page in &mut self.pages {
            if let Some(elements) = elements_on(matching, page.place) {
                change(page, elements);
                page.choose();
            }
        }
        self.fit = self.pages.iter().map(|page| u128::from(page.fit)).sum();
    }
}

impl<'s> TrainingPage<'s> {
    fn new(place: usize, page: &'s SitePage, parameters: &LearningParameters) -> Self {
        let chosen = vec![false; page.gold.len()];
        let (fit, exclusion) = (page.fit_of(&chosen), parameters.exclusion);
        TrainingPage { place, page, included: Vec::new(), excluded: Vec::new(), exclusion, chosen, fit }
    }

    /// What would be chosen if `elements` were excluded too.
    fn choice_without(&self, elements: &[u32]) -> Vec<bool> {
        self.page.select(&self.included, &merged(&self.excluded, elements), self.exclusion)
    }

    fn choose(&mut self) {
        self.chosen = self.choice_without(&[]);
        self.fit = self.page.fit_of(&self.chosen);
    }

    fn has_wrong(&self) -> bool {
        self.chosen.iter().zip(&self.page.gold).any(|(chosen, gold)| *chosen && !gold)
    }
}

/// The first of those that score most, if more than `least`.
fn first_best<T>(
    tried: impl Iterator<Item = T>,
    score: impl Fn(&T) -> u64,
    least: u64,
    is_stopped: IsStopped<'_>,
) -> Result<Option<T>, Halt> {
    let mut best: Option<(u64, T)> = None;
    for one in tried {
        go_on(is_stopped)?;
        let score = score(&one);
        if score > best.as_ref().map_or(least, |(most, _)| *most) {
            best = Some((score, one));
        }
    }
    Ok(best.map(|(_, one)| one))
}

/// The elements on the page at `place`.
fn elements_on(matching: &[(usize, Vec<u32>)], place: usize) -> Option<&[u32]> {
    let at = matching.binary_search_by_key(&place, |(place, _)| *place).ok()?;
    Some(&matching[at].1)
}

/// Both in order, each once.
fn merged(ones: &[u32], others: &[u32]) -> Vec<u32> {
    let mut both = [ones, others].concat();
    both.sort_unstable();
    both.dedup();
    both
}

#[cfg(test)]
mod tests {
    use super::super::rules::Template;
    use super::*;
    use crate::datasets::node_tokens::{NodeTokens, char_tokens};
    use crate::page::selector::Selectors;
    use crate::page::tree::NodeId;
    use crate::page::{Context, Page};

    fn page(html: &str) -> Page {
        Page::new(html.as_bytes(), Context::default()).unwrap()
    }

    fn site(pages: &[(&str, &str)]) -> Site {
        let mut site = Site::default();
        for (html, gold) in pages {
            let page = page(html);
            site.add(&page, &page.view::<NodeTokens>().best(&char_tokens(gold)).unwrap());
        }
        site
    }

    /// What is learned of all pages, as `include / exclude`, and how well it fits, in 1e-9.
    fn learnt(pages: &[(&str, &str)], parameters: &LearningParameters) -> Option<(String, u64)> {
        let learner = SiteLearner::new(site(pages), &|| false).unwrap();
        let learnt = learner.learn(&(0..pages.len()).collect::<Vec<_>>(), parameters, &|| false).unwrap()?;
        let include = learnt.include.iter().map(|one| match one.pick {
            Pick::All => one.selector.clone(),
            Pick::First => format!("{}!", one.selector),
        });
        let include: Vec<String> = include.collect();
        Some((format!("{} / {}", include.join(" "), learnt.exclude.join(" ")), learnt.fit))
    }

    fn article(heading: &str, text: &str) -> String {
        format!(
            "<body><div id=nav>Home</div><div class=\"art body\"><h1>{heading}</h1><p>{text}</p><p class=share>Share</p></div></body>"
        )
    }

    #[test]
    fn the_worked_example() {
        let pages = [article("Cats", "Cats sleep all day."), article("Rain", "Rain fell today.")];
        let golds = ["Cats Cats sleep all day.", "Rain Rain fell today."];
        let site = site(&[(&pages[0], golds[0]), (&pages[1], golds[1])]);
        let learner = SiteLearner::new(site, &|| false).unwrap();
        let learnt = learner.learn(&[0, 1], &LearningParameters::default(), &|| false).unwrap().unwrap();
        let included = |selector: &str| Included { selector: selector.to_owned(), pick: Pick::All };
        let expected = LearnedTemplate {
            include: vec![included("div.art")],
            exclude: vec!["p.share".to_owned()],
            exclusion: Exclusion::Nearest,
            fit: 1_000_000_000,
        };
        assert_eq!(learnt, expected);
        let third = page(&article("Birds", "Birds sing."));
        let selection = learnt.template().unwrap().select(&third.tree);
        assert_eq!(crate::page::render::render(&third.tree, &selection), "Birds\nBirds sing.");
    }

    #[test]
    fn more_is_included_and_excluded_while_it_gains() {
        let html = "<h2 class=x>First heading</h2><h2 class=x>other</h2><div id=a>one two<b class=ad>buy!</b><i class=no>now</i></div>\
                    <section class=b>three four</section><p>five</p>";
        let gold = "First heading one two three four";
        let with = |parameters: LearningParameters| learnt(&[(html, gold)], &parameters).unwrap().0;
        let default = LearningParameters::default();
        assert_eq!(with(default), "h2! section.b #a / #a > b #a > i");
        let one_less = with(LearningParameters { max_exclude: Value::ONE, ..default });
        assert_eq!(one_less, "h2! section.b #a / #a > b");
        let two = LearningParameters { max_include: Value::decimal(2, 0), ..default };
        assert_eq!(with(two), "h2! section.b / ");
        // Without gain from anything nothing is added.
        assert_eq!(with(LearningParameters { gain: Value::ONE, ..default }), "h2! / ");
    }

    #[test]
    fn what_a_nearer_include_keeps_is_not_taken() {
        // The outer one of two is excluded for its own text alone, which is less than the right one in the inner one.
        let html = "<div class='o z'>wrong<section><div class=o>right and more</div></section></div>\
                    <ul><li><div class=o>right as well</div></ul>";
        let with = |exclusion| {
            let parameters = LearningParameters { max_include: Value::ONE, exclusion, ..LearningParameters::default() };
            learnt(&[(html, "right and more right as well")], &parameters).unwrap()
        };
        assert_eq!(with(Exclusion::Nearest), ("div.o / body > div".to_owned(), 1_000_000_000));
        assert_eq!(with(Exclusion::Subtracted).0, "div.o / ");
    }

    #[test]
    fn of_equal_selectors_the_shortest_is_taken_and_names_of_one_page_are_not() {
        let of = |html: &str, gold: &str| learnt(&[(html, gold)], &LearningParameters::default()).map(|found| found.0);
        assert_eq!(of("<div class='zeta post-18823' id=post-18823>a b c</div>x", "a b c").unwrap(), "div.zeta / ");
        assert_eq!(of("<div itemprop=articleBody>a b c</div>x", "a b c").unwrap(), "body > div / ");
        assert_eq!(of("<main><div itemprop=articleBody>a b c</div>x</main>", "a b c").unwrap(), "body > main > div / ");
        assert_eq!(of("<article>a b c</article>x", "a b c").unwrap(), "article / ");
        assert_eq!(of("<div class=正文>a b c</div>x", "a b c").unwrap(), "div.正文 / ");
        assert_eq!(
            of("<div><div><div><div><b>a b c</b></div></div></div></div>", "a b c"),
            Some("body > div / ".to_owned())
        );
        // Text right in the body is in no element below it.
        assert_eq!(of("a b c", "a b c"), None);
        assert_eq!(of("<p class=x>a</p>", ""), None);
    }

    #[test]
    fn a_page_with_empty_gold_fits_what_chooses_nothing_of_it() {
        let pages = [("<div class=a>one two</div><p class=c>x</p>", "one two"), ("<p class=b>three</p>", "")];
        assert_eq!(learnt(&pages, &LearningParameters::default()), Some(("div.a / ".to_owned(), 1_000_000_000)));
    }

    /// Pages in and out of quirks mode: the same elements match as with the selectors that are applied to pages.
    #[test]
    fn learned_selectors_mean_what_selectors_mean() {
        let body = "<div id=Main class='Art art body'><h1 class=t>a</h1><ul class=T><li class='x y'>b<li class=x>c</ul>\
                    <div><div><p>d<span itemprop=text>e</span></p></div></div></div><div id=main class=ART><h1>f</h1></div>\
                    <svg><text class=x>g</text></svg><p class='y x'>h</p><b></b><b>i</b>";
        let htmls = [body.to_owned(), format!("<!doctype html>{body}")];
        let site = site(&[(&htmls[0], "a b"), (&htmls[1], "d e")]);
        let mut matched = 0;
        for (page, html) in site.pages.iter().zip(&htmls) {
            let (page, tree) = (page.as_ref().unwrap(), super::tests::page(html).tree);
            let elements: Vec<NodeId> = tree.ids().filter(|&id| tree.is_element(id)).collect();
            for (number, selector) in site.selectors.iter().enumerate() {
                let wanted = Selectors::parse(std::slice::from_ref(&selector.text)).unwrap().matching(&tree);
                let found = site.matching(number as u32, page);
                let found: Vec<NodeId> = found.into_iter().map(|place| elements[place as usize]).collect();
                assert_eq!(found, wanted, "{} in {html}", selector.text);
                matched += found.len();
            }
        }
        assert!(matched > 60, "{matched}");
    }

    #[test]
    fn choices_are_those_of_templates() {
        let html = "<div class=a>1<p class=b>2<i class=c>3</i></p><p class=d>4</p></div><div class=a><p class=b>5</p></div><p class=c>6";
        let site = site(&[(html, "1 2")]);
        let (page, tree) = (site.pages[0].as_ref().unwrap(), page(html).tree);
        let number = |text: &str| site.selectors.iter().position(|selector| selector.text == text).unwrap() as u32;
        for (include, exclude) in [("div.a", "p.b"), ("p.b", "div.a"), ("i.c", "p.b"), ("p.b", "p.b"), ("p.c", "i.c")] {
            for exclusion in [Exclusion::Nearest, Exclusion::Subtracted] {
                let matching = |selector| site.matching(number(selector), page);
                let chosen = page.select(&matching(include), &matching(exclude), exclusion);
                let included = Included { selector: include.to_owned(), pick: Pick::All };
                let template = Template::new(&[included], &[exclude.to_owned()], exclusion).unwrap();
                assert_eq!(
                    chosen.iter().filter(|chosen| **chosen).count(),
                    template.select(&tree).nodes().len(),
                    "{include} {exclude} {exclusion:?}"
                );
            }
        }
    }
}
