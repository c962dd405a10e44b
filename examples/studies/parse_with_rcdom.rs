//! The peer of a run in time and memory: html5ever with RcDom parses every page of a dataset once.
//!
//! `cargo run --release --example parse_with_rcdom -- daniel` prints pages a second; measure its
//! memory from outside, for example with `/usr/bin/time -v`.

use std::time::Instant;

use carat::datasets::locate::{EMBEDDED, locate};
use carat::page::charset::{decode, for_label};
use html5ever::tendril::TendrilSink;
use markup5ever_rcdom::RcDom;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| EMBEDDED.to_owned());
    let dataset = locate(&name)?;
    let start = Instant::now();
    let mut characters = 0;
    for record in dataset.records.iter() {
        let record = record?;
        let bytes = dataset.page_bytes(&record)?;
        let decoded = decode(&bytes, record.encoding.as_deref().and_then(for_label));
        characters += decoded.text.len();
        let dom = html5ever::parse_document(RcDom::default(), html5ever::ParseOpts::default());
        std::hint::black_box(dom.one(decoded.text.as_str()));
    }
    let seconds = start.elapsed().as_secs_f64();
    let pages = dataset.records.len();
    println!("{pages} pages, {characters} bytes decoded, in {seconds:.2} s: {:.0} pages/s", pages as f64 / seconds);
    Ok(())
}
