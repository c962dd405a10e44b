//! Algorithms: what they are, what they say of themselves, and the list of them.
//!
//! An algorithm sees pages; it never sees gold and never opens a file. One file holds one family;
//! adding one touches that file and two lines here. A family that needs more files has a folder of its name beside it.
//!
//! There are two kinds, typed where they are written and erased in [`ALGORITHMS`]. A
//! [`PageAlgorithm`](algorithm::PageAlgorithm) prepares a page and then chooses cheaply under many settings. A
//! [`GroupAlgorithm`](group::GroupAlgorithm) first learns from the pages of a site or a dataset. Parameters are one plain
//! struct: its doc comments are the help, its schema gives the ranges, its `Default` the defaults. Thresholds are exact
//! rationals ([`value::Value`]); `0.50` and `0.5` are equal and keep their text.
//!
//! An exact sweep evaluates the choice at each break point and once between each two neighbours, so the `<` and `<=` of
//! papers need no special care. The declaration says which parameters have known break points; the others are tried on
//! grids only.
//!
//! Algorithms that read lines, tokens or source characters choose pieces of text nodes: a node is chosen where at least
//! half of its characters are (`features/majority.rs`). Removing elements by what is left of them goes through
//! `features/pruning.rs`, which gives each element the threshold from which on it stays. Programs that parse for
//! themselves get our tree as HTML again ([`crate::page::to_html`]), never the page's bytes.

pub mod algorithm;
pub mod declaration;
pub mod explanation;
pub mod features;
pub mod group;
pub mod parameters;
pub mod value;

mod block_weight;
mod boilerpipe;
mod bte;
mod cepr;
mod cetd;
mod cetr;
mod cevc;
mod code_blurring;
mod cx_extractor;
mod dse;
mod exalg_like;
#[doc(hidden)]
pub mod floors;
mod gupta_filters;
mod info_discoverer;
mod istm;
mod justext;
mod layout;
#[doc(hidden)]
pub mod link_noise;
mod link_ratio;
mod lqf;
mod nta;
mod pagelets;
mod readability_arc90;
#[cfg(feature = "readability")]
mod readability_mozilla;
mod relevance;
#[cfg(feature = "rs-trafilatura")]
mod rs_trafilatura;
mod slope_curves;
mod sst;
mod table_ratio;
mod table_text;
mod template_learned;
mod vips_lite;
mod xiong_like;

use std::sync::Arc;

use self::algorithm::{AnyPageAlgorithm, Choice, Setting, SettingError};
use self::declaration::Declaration;
use self::group::{AnyGroupAlgorithm, Target};
use self::parameters::{Parameter, Values};
use crate::page::Page;
use crate::text::hint;

/// An algorithm of one of the two kinds.
#[derive(Clone, Copy)]
pub enum Entry {
    /// It looks at one page.
    Page(&'static dyn AnyPageAlgorithm),
    /// It looks at several pages first.
    Group(&'static dyn AnyGroupAlgorithm),
}

/// Every algorithm, in the order of listings.
pub static ALGORITHMS: &[Entry] = &[
    Entry::Page(&floors::AllText),
    Entry::Page(&floors::NonlinkText),
    Entry::Page(&floors::LargestPParent),
    Entry::Page(&floors::Semantic),
    Entry::Group(&floors::UnrepeatedText),
    Entry::Page(&nta::Nta),
    Entry::Page(&cevc::Cevc),
    Entry::Page(&relevance::Relevance),
    Entry::Group(&istm::Istm),
    Entry::Group(&layout::Layout),
    Entry::Group(&dse::Dse),
    Entry::Group(&sst::Sst),
    Entry::Group(&info_discoverer::InfoDiscoverer),
    Entry::Group(&template_learned::TemplateLearned),
    Entry::Group(&pagelets::Pagelets),
    Entry::Group(&exalg_like::ExalgLike),
    Entry::Group(&xiong_like::XiongLike),
    Entry::Page(&cetr::CetrThreshold),
    Entry::Page(&cetr::CetrClusters),
    Entry::Page(&cetr::CetrPlane),
    Entry::Page(&cetd::Cetd),
    Entry::Page(&cetd::CetdPlain),
    Entry::Page(&boilerpipe::BoilerpipeArticle),
    Entry::Page(&boilerpipe::BoilerpipeDefault),
    Entry::Page(&boilerpipe::BoilerpipeNumWords),
    Entry::Page(&justext::Justext),
    Entry::Page(&readability_arc90::ReadabilityArc90),
    #[cfg(feature = "readability")]
    Entry::Page(&readability_mozilla::ReadabilityMozilla),
    #[cfg(feature = "rs-trafilatura")]
    Entry::Page(&rs_trafilatura::RsTrafilatura),
    Entry::Page(&cepr::Cepr),
    Entry::Page(&cepr::CeprExtended),
    Entry::Page(&cx_extractor::CxExtractor),
    Entry::Page(&link_ratio::LinkRatio),
    Entry::Page(&lqf::LinkQuota),
    Entry::Page(&bte::Bte),
    Entry::Page(&slope_curves::SlopeCurves),
    Entry::Page(&code_blurring::CodeBlurring),
    Entry::Page(&code_blurring::AdaptedCodeBlurring),
    Entry::Page(&gupta_filters::GuptaFilters),
    Entry::Page(&table_text::TableText),
    Entry::Page(&table_ratio::TableRatio),
    Entry::Page(&vips_lite::VipsLite),
    Entry::Page(&block_weight::BlockWeight),
    Entry::Group(&link_noise::LinkNoise),
];

impl Entry {
    /// What it says of itself.
    pub fn declaration(&self) -> &'static Declaration {
        match self {
            Entry::Page(algorithm) => algorithm.declaration(),
            Entry::Group(algorithm) => algorithm.declaration(),
        }
    }

    /// Its parameters, in order.
    pub fn parameters(&self) -> Vec<Parameter> {
        match self {
            Entry::Page(algorithm) => algorithm.parameters(),
            Entry::Group(algorithm) => algorithm.parameters(),
        }
    }

    /// The setting of `values` over the defaults.
    ///
    /// # Errors
    /// A name or a value that the algorithm does not have.
    pub fn setting(&self, values: &Values) -> Result<Setting, SettingError> {
        match self {
            Entry::Page(algorithm) => algorithm.setting(values),
            Entry::Group(algorithm) => algorithm.setting(values),
        }
    }

    /// The choice on the first of `pages`, which a group algorithm sees together.
    ///
    /// # Panics
    /// Where there is no page, or more of them than a group algorithm can hold.
    pub fn choose(&self, pages: &[Arc<Page>], setting: &Setting) -> Choice {
        self.choose_all(pages, &[setting]).remove(0)
    }

    /// As [`Entry::choose`], under settings that differ in nothing but swept parameters.
    fn choose_all(&self, pages: &[Arc<Page>], settings: &[&Setting]) -> Vec<Choice> {
        match self {
            Entry::Page(algorithm) => algorithm.choose_all(&pages[0], settings),
            Entry::Group(algorithm) => {
                let target = Target { page: &pages[0], index: 0, pages: &pages };
                let learned = algorithm.learn(&pages, settings[0]);
                let chosen = learned.and_then(|learned| algorithm.choose_all(&learned, target, settings));
                chosen.unwrap_or_else(|reason| panic!("{reason}"))
            }
        }
    }
}

/// Algorithms without which this program was built, each with the feature that brings it.
const LEFT_OUT: &[[&str; 2]] = &[
    #[cfg(not(feature = "readability"))]
    ["readability-mozilla", "readability"],
    #[cfg(not(feature = "rs-trafilatura"))]
    ["rs-trafilatura", "rs-trafilatura"],
];

/// Programs that people ask for by name, each with its worker in `examples/external`.
const WORKERS: [[&str; 2]; 12] = [
    ["boilerpy3", "boilerpy3.py"],
    ["crawl4ai", "crawl4ai_markdown.py"],
    ["gne", "gne.py"],
    ["html2text", "html2text.py"],
    ["mineru", "mineru_html.py"],
    ["mineru-html", "mineru_html.py"],
    ["newspaper", "newspaper4k.py"],
    ["newspaper3k", "newspaper4k.py"],
    ["newspaper4k", "newspaper4k.py"],
    ["readability-lxml", "readability_lxml.py"],
    ["resiliparse", "resiliparse.py"],
    ["trafilatura", "trafilatura.py"],
];

/// No algorithm of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no algorithm `{name}`; {hint}")]
pub struct UnknownAlgorithm {
    /// The name that was given.
    pub name: String,
    /// The way out.
    pub hint: String,
}

/// The algorithm of that name.
///
/// # Errors
/// [`UnknownAlgorithm`], with the nearest name.
pub fn find(name: &str) -> Result<Entry, UnknownAlgorithm> {
    let found = ALGORITHMS.iter().find(|algorithm| algorithm.declaration().name == name);
    found.copied().ok_or_else(|| {
        if let Some([_, feature]) = LEFT_OUT.iter().find(|[left_out, _]| *left_out == name) {
            let hint = format!("this program was built without the feature that brings it: {feature}");
            return UnknownAlgorithm { name: name.to_owned(), hint };
        }
        let program = name.to_lowercase().replace('_', "-");
        if let Some([_, worker]) = WORKERS.iter().find(|[known, _]| *known == program) {
            let hint = format!(
                "it is a program of its own, for which carat's repository has a worker: --external 'python3 examples/external/{worker}'"
            );
            return UnknownAlgorithm { name: name.to_owned(), hint };
        }
        let hint = hint(name, names());
        let all = if hint.starts_with("the nearest") { "; `carat list algorithms` has all" } else { "" };
        UnknownAlgorithm { name: name.to_owned(), hint: hint + all }
    })
}

/// The names of all algorithms, in the order of listings.
pub fn names() -> impl Iterator<Item = &'static str> + Clone {
    ALGORITHMS.iter().map(|algorithm| algorithm.declaration().name)
}

/// Every algorithm's declaration, in the order of listings.
pub fn declarations() -> impl Iterator<Item = &'static Declaration> {
    ALGORITHMS.iter().map(|algorithm| algorithm.declaration())
}

/// The worked example of CONTRIBUTING.md.
#[cfg(test)]
#[path = "../../../examples/contributing/longest_line.rs"]
mod longest_line;

#[cfg(test)]
mod tests {
    use super::algorithm::Sample;
    use super::parameters::ParameterKind;
    use super::value::Value;
    use super::*;
    use crate::page::Context;

    fn setting(algorithm: Entry, text: &str) -> Setting {
        let parameters = algorithm.parameters();
        let mut values = Values::new();
        for (name, value) in text.split(',').filter(|pair| !pair.is_empty()).map(|pair| pair.split_once('=').unwrap()) {
            let parameter = parameters.iter().find(|parameter| parameter.name == name).unwrap();
            values.insert(name.to_owned(), parameter.values.read(value).unwrap());
        }
        algorithm.setting(&values).unwrap()
    }

    fn page(html: &str, language: &str) -> Arc<Page> {
        let language = (!language.is_empty()).then(|| language.to_owned());
        Arc::new(Page::new(html.as_bytes(), Context { language, ..Context::default() }).unwrap())
    }

    fn holds_its_examples(algorithm: Entry) {
        let declaration = algorithm.declaration();
        assert!(!declaration.examples.is_empty(), "{} has no example", declaration.name);
        for example in declaration.examples {
            let html = std::iter::once(&example.html).chain(example.siblings);
            let pages: Vec<_> = html.map(|html| page(html, example.language)).collect();
            let choice = algorithm.choose(&pages, &setting(algorithm, example.parameters));
            assert_eq!(choice.text(&pages[0]), example.expected, "{}: {}", declaration.name, example.title);
        }
    }

    #[test]
    fn every_example_gives_what_it_says() {
        ALGORITHMS.iter().copied().for_each(holds_its_examples);
    }

    #[test]
    fn the_worked_example_of_contributing_is_true() {
        let printed = include_str!("../../../CONTRIBUTING.md");
        assert!(printed.contains(include_str!("../../../examples/contributing/longest_line.rs")));
        holds_its_examples(Entry::Page(&longest_line::LongestLine));
        let last = Entry::Page(&longest_line::LongestLine);
        let pages = [page("<p>aa</p><p>bb</p>", "")];
        assert_eq!(last.choose(&pages, &setting(last, "last=true")).text(&pages[0]), "bb");
    }

    #[test]
    fn a_program_that_is_asked_for_by_name_has_a_worker() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/external");
        for [name, worker] in WORKERS {
            assert!(std::path::Path::new(folder).join(worker).is_file(), "{worker}");
            assert!(names().all(|known| known != name), "{name}");
        }
        let told = |name| find(name).err().map(|error| error.hint);
        assert!(told("Readability_LXML").is_some_and(|hint| hint.ends_with("examples/external/readability_lxml.py'")));
    }

    #[test]
    fn names_are_unique_and_well_formed() {
        let mut seen: Vec<&str> = names().collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), ALGORITHMS.len());
        for name in seen {
            assert!(
                name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'),
                "{name}"
            );
        }
    }

    #[test]
    fn every_file_of_the_folder_is_listed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/algorithms");
        let own = ["mod", "algorithm", "declaration", "explanation", "group", "parameters", "value"];
        let source = std::fs::read_to_string(format!("{folder}/mod.rs")).unwrap();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
            if path.is_file() && !own.contains(&stem.as_str()) {
                assert!(source.contains(&format!("mod {stem};")), "{stem} has no mod line");
                assert!(source.contains(&format!("&{stem}::")), "{stem} is not in ALGORITHMS");
            }
        }
    }

    #[test]
    fn every_parameter_has_help_and_a_default_that_it_can_have() {
        for algorithm in ALGORITHMS {
            for parameter in algorithm.parameters() {
                assert!(!parameter.help.is_empty(), "{} {}", algorithm.declaration().name, parameter.name);
                let text = match &parameter.default {
                    serde_json::Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                assert_eq!(parameter.values.read(&text), Ok(parameter.default.clone()));
            }
            for swept in algorithm.declaration().swept {
                let parameters = algorithm.parameters();
                let parameter = parameters.iter().find(|parameter| parameter.name == swept.parameter).unwrap();
                assert!(matches!(parameter.values, ParameterKind::Decimal { .. }));
            }
        }
    }

    /// Pages that no one wrote for an algorithm.
    const EDGE_PAGES: &[&str] = &[
        "",
        "\0\0\0",
        "<frameset><frame></frameset>",
        "text",
        "<a href=1>link</a>",
        "<img>",
        "<body></body>",
        "<title>never closed",
        "<table>a<tr>b<td>c",
        "<form><p>the one</p></form><p>的二</p>",
        "<div><p>the a<br>b <a href=1>c</a></p><script>x</script><p></p></div><div>the d<a name=x>e<p>f</div>",
    ];

    #[test]
    fn swept_parameters_do_not_change_what_is_prepared() {
        for algorithm in ALGORITHMS {
            for (parameter, html) in algorithm
                .declaration()
                .swept
                .iter()
                .flat_map(|s| EDGE_PAGES.iter().map(move |html| (s.parameter, html)))
            {
                let parameters = algorithm.parameters();
                let kind = &parameters.iter().find(|one| one.name == parameter).unwrap().values;
                let settings: Vec<Setting> = ["0", "0.3", "0.5", "0.75", "0.9", "2", "3"]
                    .iter()
                    .filter(|value| kind.read(value).is_ok())
                    .map(|value| setting(*algorithm, &format!("{parameter}={value}")))
                    .collect();
                let references: Vec<&Setting> = settings.iter().collect();
                let pages = [*html, "<p>text</p><p>b<table><tr><td>c", "text"].map(|html| page(html, "en"));
                let together = algorithm.choose_all(&pages, &references);
                for (setting, choice) in references.into_iter().zip(together) {
                    let alone = algorithm.choose(&pages, setting);
                    assert_eq!(alone, choice, "{} {parameter} {html}", algorithm.declaration().name);
                }
            }
        }
    }

    #[test]
    fn exact_sweeps_give_what_each_value_gives() {
        let examples = ALGORITHMS.iter().flat_map(|algorithm| algorithm.declaration().examples);
        let pages: Vec<_> = examples.map(|example| page(example.html, example.language)).collect();
        for (entry, algorithm) in ALGORITHMS.iter().filter_map(|entry| match entry {
            Entry::Page(algorithm) => Some((*entry, algorithm)),
            Entry::Group(_) => None,
        }) {
            for swept in algorithm.declaration().swept {
                let parameters = entry.parameters();
                let kind = &parameters.iter().find(|one| one.name == swept.parameter).unwrap().values;
                let hundredths = (0..=20).map(|twentieths| Value::decimal(5 * twentieths, 2));
                let values = hundredths.chain((2..=60).map(|whole| Value::decimal(whole, 0)));
                let values: Vec<Value> = values.filter(|value| kind.read(&value.to_string()).is_ok()).collect();
                let at = |value: &Value| setting(entry, &format!("{}={value}", swept.parameter));
                let settings: Vec<Setting> = values.iter().map(at).collect();
                for page in &pages {
                    let mut samples: Vec<Sample> = Vec::new();
                    let mut take = |sample| {
                        samples.push(sample);
                        Ok(())
                    };
                    let done = algorithm.sweep(page, &setting(entry, ""), swept.parameter, &mut take);
                    assert_eq!(
                        done.is_ok(),
                        swept.exact,
                        "{} {}: {done:?}",
                        algorithm.declaration().name,
                        swept.parameter
                    );
                    let choices = algorithm.choose_all(page, &settings.iter().collect::<Vec<_>>());
                    for (value, choice) in values.iter().zip(choices).filter(|_| swept.exact) {
                        let sampled = &sample_at(&samples, *value).choice;
                        assert_eq!(*sampled, choice, "{} {}={value}", algorithm.declaration().name, swept.parameter);
                    }
                }
            }
        }
    }

    /// The sample of a value: of the value itself, or of the interval that it lies in.
    fn sample_at(samples: &[Sample], value: Value) -> &Sample {
        let mut points = samples.iter().enumerate().filter(|(_, sample)| !sample.between);
        match points.find(|(_, sample)| sample.at >= value) {
            Some((_, sample)) if sample.at == value => sample,
            Some((place, _)) => &samples[place - 1],
            None => samples.last().unwrap(),
        }
    }

    #[test]
    fn no_algorithm_selects_what_is_no_visible_text() {
        for algorithm in ALGORITHMS {
            for html in EDGE_PAGES {
                let page = page(html, "");
                let visible = page.view::<features::visible::VisibleText>();
                let Choice::Selection(selection) =
                    algorithm.choose(std::slice::from_ref(&page), &setting(*algorithm, ""))
                else {
                    continue;
                };
                assert!(selection.nodes().iter().all(|id| visible.nodes.contains(id)), "{html}");
            }
        }
    }
}
