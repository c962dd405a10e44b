//! DSE: data-rich section extraction. It deletes what a page's tree shares with the tree of the most similar page of
//! its site.
//!
//! We know only the abstract of the paper. The way in which nodes are matched is ours. The pages of the dataset take
//! the place of the pages to which the page links.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::algorithm::Choice;
use super::declaration::{Declaration, Example, FaithfulTo, Swept, no_resources};
use super::explanation::{Explanation, Figure, Number};
use super::features::deletion::{Original, Pairing};
use super::features::groups::Group;
use super::features::references::{Neighbour, Neighbours, ReferenceBy};
use super::features::visible::VisibleText;
use super::group::{GroupAlgorithm, Pages, Scope, Target};
use super::parameters::check_whole;
use super::value::Value;

/// Deletion of the nodes that similar pages of the site have too.
pub(super) struct Dse;

/// Parameters of `dse`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DseParameters {
    /// how many of the most similar pages, whole, `inf` for all; a text goes if any of them deletes it
    #[schemars(extend("from" = "1"))]
    pub references: Value,
    /// which pages are the most similar: those with the most similar layout, or those with the most similar address
    /// where both pages have one and, of equals, layout
    pub reference_by: ReferenceBy,
    /// which nodes of a page and a reference are compared with each other; `aligned` goes on below two nodes only if their
    /// tags are equal, `static` and `live` do whatever they are, as in `istm`
    pub pairing: Pairing,
    /// which pages may be references: those of the site, or of the cluster that `istm` puts the page in
    pub group: Group,
    /// how many pages after the page, in the dataset's order, may be references, whole; `inf` for all
    #[schemars(extend("from" = "1"))]
    pub candidates: Value,
}

impl Default for DseParameters {
    fn default() -> Self {
        DseParameters {
            references: Value::ONE,
            reference_by: ReferenceBy::UrlPath,
            pairing: Pairing::Aligned,
            group: Group::Site,
            candidates: Value::INFINITY,
        }
    }
}

const PAGE_A: &str = "<body><div id=h><a href=/>Home</a></div><div id=m><p>Cats sleep.</p><p>A lot.</p></div>\
    <div id=f>Site 2020</div></body>";
const PAGE_B: &str = "<body><div id=h><a href=/>Home</a></div><div id=m><p>Dogs bark.</p><h2>Why</h2></div>\
    <div id=f>Site 2020</div></body>";
const PAGE_C: &str = "<body><div>Top</div><div id=m><p>Cats sleep.</p><p>A bit.</p></div>\
    <div><ul><li>1</li><li>2</li></ul></div></body>";
const PAGE_X: &str = "<body><p>Menu</p><p>News</p><p>Rain today.</p><p>Bye</p></body>";
const PAGE_Y: &str = "<body><p>Menu</p><p>Ad</p><p>News</p><p>Sun today.</p><p>Bye</p></body>";

const fn example(
    title: &'static str,
    siblings: &'static [&'static str],
    parameters: &'static str,
    expected: &'static str,
) -> Example {
    Example::new(title, PAGE_A, parameters, expected).beside(siblings)
}

impl GroupAlgorithm for Dse {
    type Parameters = DseParameters;
    type Learned = Neighbours;
    type Prepared<'p> = Prepared<'p>;
    const DECLARATION: Declaration = Declaration {
        name: "dse",
        title: "matches a page's tree with that of the most similar page of its site, and keeps what is its own",
        source: "J. Wang and F. H. Lochovsky, Data-rich section extraction from HTML pages, 2002: reconstructed from its \
                 abstract; how nodes are matched is ours",
        faithful_to: FaithfulTo::Reconstruction,
        languages: "any",
        cost: "O(nodes) per page and reference, and with `pairing=aligned` O(pairs) of children in lists that differ, of which no \
               more than 2^22 are compared per list: longer ones are read as by `static`; O(distinct tag paths) per pair of pages of a site; every page is parsed once \
               more, and its references are",
        swept: &[Swept::on_grid("references", "1..10/1")],
        // Leaves of A: a text in div, in a of div, and two in p of div. B has one in p, and one in h2: 3 of 5 are alike. C has
        // none in a, and two in li: 3 of 6 are; of its middle only the first paragraph is A's.
        examples: &[
            example("the head and the foot are in both", &[PAGE_B], "", "Cats sleep.\nA lot."),
            example("B's layout is the most similar", &[PAGE_C, PAGE_B], "", "Cats sleep.\nA lot."),
            example("then C's", &[PAGE_C, PAGE_B], "references=2", "A lot."),
            example("the next page alone is C", &[PAGE_C, PAGE_B], "candidates=1", "Home\nA lot.\nSite 2020"),
            example(
                "at equal tag paths, as layout deletes",
                &[PAGE_C, PAGE_B],
                "references=2,pairing=path_text",
                "A lot.",
            ),
            Example::new("lists are aligned", PAGE_X, "", "Rain today.").beside(&[PAGE_Y]),
            Example::new("place by place only Menu is in both", PAGE_X, "pairing=static", "News\nRain today.\nBye")
                .beside(&[PAGE_Y]),
            example("a page without others is kept whole", &[], "", "Home\nCats sleep.\nA lot.\nSite 2020"),
        ],
        floor: false,
        resources: no_resources,
    };

    fn check(parameters: &DseParameters) -> Result<(), String> {
        check_whole("references", parameters.references)?;
        check_whole("candidates", parameters.candidates)
    }

    fn scope(parameters: &DseParameters) -> Scope {
        parameters.group.scope()
    }

    fn learn(&self, pages: &dyn Pages, parameters: &DseParameters) -> Result<Neighbours, String> {
        Neighbours::learn(pages, parameters.group)
    }

    fn is_alone(&self, learned: &Neighbours, index: usize, _: &DseParameters) -> bool {
        learned.is_alone(index)
    }

    fn prepare<'p>(&self, learned: &'p Neighbours, target: Target<'p>, parameters: &DseParameters) -> Prepared<'p> {
        let DseParameters { reference_by, pairing, candidates, .. } = *parameters;
        let mut neighbours = learned.beside(target.index, reference_by, candidates);
        neighbours.sort_unstable_by(|one, other| other.cmp(one));
        let text = target.page.view::<VisibleText>();
        Prepared {
            target,
            original: (!neighbours.is_empty()).then(|| Original::new(target.page)),
            neighbours,
            pairing,
            needed: vec![usize::MAX; text.nodes.len()],
            read: 0,
        }
    }

    fn choose(&self, prepared: &mut Prepared<'_>, parameters: &DseParameters) -> Result<Choice, String> {
        let references = prepared.references(parameters);
        prepared.read_up_to(references)?;
        let text = prepared.target.page.view::<VisibleText>();
        Ok(text.chosen(prepared.needed.iter().map(|&needed| references < needed)).collect())
    }

    fn explain(&self, prepared: &mut Prepared<'_>, parameters: &DseParameters) -> Result<Explanation, String> {
        let references = &prepared.neighbours[..prepared.references(parameters)];
        let mut figures = vec![Figure::count("pages beside it", prepared.neighbours.len() as u64)];
        if references.is_empty() {
            figures.push(Figure::word("reference", "none: the page is alone"));
        }
        for reference in references {
            figures.push(Figure::new("reference", Number::Page(reference.page())));
            figures.push(Figure::new("similarity of its layout", Number::Value(reference.layout)));
        }
        Ok(Explanation { figures, ..Explanation::default() })
    }
}

/// A page with those beside it.
pub(super) struct Prepared<'p> {
    target: Target<'p>,
    /// `None` for a page without others.
    original: Option<Original<'p>>,
    /// The nearest first.
    neighbours: Vec<Neighbour>,
    pairing: Pairing,
    /// For each visible text: how many references it takes until one deletes it, as far as they were read.
    needed: Vec<usize>,
    /// How many references were read.
    read: usize,
}

impl Prepared<'_> {
    /// How many references there are under these parameters.
    fn references(&self, parameters: &DseParameters) -> usize {
        usize::try_from(parameters.references.whole()).unwrap_or(usize::MAX).min(self.neighbours.len())
    }

    fn read_up_to(&mut self, references: usize) -> Result<(), String> {
        let Some(original) = &self.original else { return Ok(()) };
        for place in self.read..references {
            let page = self.target.beside(self.neighbours[place].page())?;
            for ranks in original.deleted(&page, self.pairing) {
                self.needed[ranks].iter_mut().for_each(|needed| *needed = (*needed).min(place + 1));
            }
            self.read = place + 1;
        }
        Ok(())
    }
}
