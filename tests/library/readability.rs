//! Both rows of Readability beside the programs that they follow, and on pages that nobody wrote to be read.

use std::sync::Arc;

use carat::algorithms::find;
use carat::algorithms::parameters::Values;
use carat::datasets::locate::{corpora, locate};
use carat::page::limits::MAX_OPEN_ELEMENTS;
use carat::page::{Context, Page};
use carat::scoring::{Gold, Measure, Units};
use carat::text::tokens::{Case, TokenKind, Tokenizer};
use carat::text::words::Segmenter;
use rayon::prelude::*;

const DATASET: &str = "article-extraction-benchmark";

fn extracted(algorithm: &str, page: Page) -> String {
    let entry = find(algorithm).unwrap();
    let page = Arc::new(page);
    entry.choose(std::slice::from_ref(&page), &entry.setting(&Values::new()).unwrap()).text(&page)
}

fn page(html: &str) -> Page {
    Page::new(html.as_bytes(), Context::default()).unwrap()
}

/// A page's id, the F1 between the two texts over `w` tokens, and whether their tokens are equal.
type Agreement = (String, f64, bool);

/// How an algorithm's texts agree with the outputs that are stored beside the benchmark's pages, page by page, the
/// worst first.
fn agreement(algorithm: &str, system: &str) -> Vec<Agreement> {
    let dataset = locate(DATASET).unwrap();
    let stored = dataset.stored(system).unwrap();
    let of_page = |index: usize| {
        let record = dataset.records.get(index).unwrap();
        let text = extracted(algorithm, dataset.open_page(&record).unwrap());
        let theirs = stored.text(&record.id).unwrap().unwrap_or_default();
        let segmenter = Segmenter::default();
        let mut tokenizer = Tokenizer::new(TokenKind::W, Case::Keep, &segmenter);
        let (ours, theirs) = (tokenizer.tokens(&text), tokenizer.tokens(theirs));
        let [ours, theirs] = [ours, theirs].map(Units::from);
        let f1 = Gold::new(Measure::Lcs, &theirs).counts(&ours).score().f1 as f64 / 1e12;
        (record.id.clone(), f1, ours == theirs)
    };
    let mut pages: Vec<Agreement> = (0..dataset.records.len()).into_par_iter().map(of_page).collect();
    pages.sort_by(|one, other| one.1.total_cmp(&other.1));
    pages
}

/// Holds the mean agreement and the number of pages with equal tokens against what an independent reading reached.
fn check(algorithm: &str, system: &str, least: f64, least_equal: usize) {
    if corpora().is_none_or(|folder| !folder.join(DATASET).is_dir()) {
        eprintln!("skipped: CARAT_CORPORA does not name the folder of corpora");
        return;
    }
    let pages = agreement(algorithm, system);
    assert_eq!(pages.len(), 181);
    let mean = pages.iter().map(|page| page.1).sum::<f64>() / pages.len() as f64;
    let equal = pages.iter().filter(|page| page.2).count();
    let told = format!("{algorithm}, {system}: mean {mean:.4}, {equal} equal; the worst: {:.4?}", &pages[..10]);
    assert!(mean >= least && equal >= least_equal, "{told}");
}

#[test]
fn arc90_agrees_with_the_program() {
    check("readability-arc90", "readability", 0.9990, 158);
}

#[test]
fn mozilla_agrees_with_the_program() {
    check("readability-mozilla", "readability_js", 0.99, 111);
}

#[test]
fn hostile_pages_are_read_or_give_no_text() {
    let paragraph = "<p>one, two, three, four, five, six, seven, eight</p>";
    let attributes: String = (0..50_000).map(|i| format!(" a{i}=b")).collect();
    let deep = |tag: &str| format!("{}{}", tag.repeat(10_000), paragraph.repeat(20));
    let pages: Vec<(&str, String)> = vec![
        ("nested div", deep("<div>")),
        ("nested div with text", deep("<div>x")),
        ("nested a", deep("<a href=x><div>")),
        ("nested table", deep("<table><tr><td>")),
        ("nested list", deep("<ul><li>")),
        ("nested ins", deep("<ins>")),
        ("nested fieldset and object", deep("<fieldset><object>")),
        ("nested formatting", deep("<b id=x>")),
        ("nested in noscript", format!("<p><noscript>{}</noscript>{}", "<div>".repeat(10_000), paragraph.repeat(20))),
        (
            "noscripts in noscripts",
            "<img src=a.jpg><noscript><noscript><img src=b.jpg></noscript></noscript>".repeat(50),
        ),
        ("many paragraphs", paragraph.repeat(30_000)),
        ("many breaks", format!("<div>{}</div>", "text<br> <br>".repeat(50_000))),
        ("many attributes", format!("<div{attributes}><div{attributes}>{}</div></div>", paragraph.repeat(20))),
        ("large attribute", format!("<div class=\"{}\">{}</div>", "article ".repeat(200_000), paragraph.repeat(20))),
        (
            "base",
            format!(
                "<base href=\"http://{}/\">{}",
                "a".repeat(500_000),
                "<p><a href=x>one, two</a> three".repeat(20_000)
            ),
        ),
        ("title", format!("<title>{}</title>{}", "word ".repeat(20_000), "<h2>a heading</h2>".repeat(5_000))),
        (
            "data",
            format!("<script type='application/ld+json'>{}</script>{}", "[".repeat(500_000), paragraph.repeat(20)),
        ),
        ("data of objects", format!("<script type='application/ld+json'>{}</script>", "{\"a\":".repeat(300_000))),
        ("scores", format!("<div data-readability-score=2143289344>{}</div>", paragraph.repeat(20))),
        ("one text", "word, ".repeat(500_000)),
        ("no body", "<frameset><frame src=a></frameset>".to_owned()),
        ("nothing", String::new()),
        ("plaintext", format!("<p>a<plaintext>{}", paragraph.repeat(20))),
        ("svg", format!("<svg><foreignObject>{}</foreignObject></svg>", paragraph.repeat(20))),
    ];
    pages.par_iter().for_each(|(what, html)| {
        let is_found = |text: &str| !html.contains(paragraph) || text.contains("one, two, three, four");
        assert!(is_found(&extracted("readability-arc90", page(html))), "{what}");
        let text = extracted("readability-mozilla", page(html));
        assert!(text.is_empty() || is_found(&text), "{what}: {text}");
    });
}

#[test]
fn a_page_that_would_take_the_program_too_long_gives_no_text() {
    let paragraph = "<p>one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve</p>";
    let nested = |depth: usize, count: usize| {
        extracted("readability-mozilla", page(&format!("{}{}", "<div>".repeat(depth), paragraph.repeat(count))))
    };
    assert!(nested(20, 1000).starts_with("one, two"));
    assert!(nested(MAX_OPEN_ELEMENTS, 20).starts_with("one, two"));
    assert_eq!(nested(MAX_OPEN_ELEMENTS - 10, 2000), "");
}
