//! How each algorithm's time grows with the page: a page of the embedded dataset, the same 10 and 100 times over.
//!
//! `cargo bench --bench scaling`. Parsing is not counted; views are. Group algorithms see the page and a twin of
//! another page's text, so theirs is the time for a pair. One thread, the best of several.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use carat::algorithms::parameters::Values;
use carat::algorithms::{ALGORITHMS, Entry};
use carat::datasets::locate::{EMBEDDED, locate};
use carat::page::charset::{decode, for_label};
use carat::page::{Context, Page};

/// Pages of one site: the one that grows, and its twin.
const PAGES: [&str; 2] = ["zh-news-2-0001", "zh-news-2-0002"];

/// How often the page is repeated, and how often that is timed.
const SIZES: [(usize, usize); 3] = [(1, 9), (10, 5), (100, 2)];

fn main() {
    let texts = PAGES.map(text);
    println!("{}: {} bytes of UTF-8; zh\n", PAGES[0], texts[0].len());
    println!("{:<24} {:>10} {:>8} {:>8}", "", "once", "10 x", "100 x");
    for algorithm in ALGORITHMS {
        let times = SIZES.map(|(size, rounds)| best(*algorithm, &texts, size, rounds));
        let milliseconds = times.map(|time| time.as_secs_f64() * 1e3);
        let growth = |larger: f64| format!("{:.1} x", larger / milliseconds[0]);
        println!(
            "{:<24} {:>7.3} ms {:>8} {:>8}",
            algorithm.declaration().name,
            milliseconds[0],
            growth(milliseconds[1]),
            growth(milliseconds[2])
        );
    }
}

fn text(page: &str) -> String {
    let dataset = locate(EMBEDDED).expect("the dataset is inside the program");
    let mut records = dataset.records.iter().map(|record| record.expect("the page list is there"));
    let record = records.find(|record| record.id == page).expect("the page is in the dataset");
    decode(&dataset.page_bytes(&record).expect("the page is there"), None).text
}

fn best(algorithm: Entry, texts: &[String; 2], size: usize, rounds: usize) -> Duration {
    let setting = algorithm.setting(&Values::new()).expect("defaults are in range");
    let once = || {
        // Anew each time, for a page keeps its views.
        let pages: Vec<Arc<Page>> = texts.iter().map(|text| page(&text.repeat(size))).collect();
        let start = Instant::now();
        black_box(algorithm.choose(&pages, &setting));
        start.elapsed()
    };
    (0..rounds).map(|_| once()).min().expect("there is a round")
}

fn page(html: &str) -> Arc<Page> {
    let context = Context { language: Some("zh".to_owned()), encoding: for_label("utf-8"), ..Context::default() };
    Arc::new(Page::new(html.as_bytes(), context).expect("the page has few nodes"))
}
