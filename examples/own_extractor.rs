//! Score an extractor of your own on the pages of a dataset: `cargo run --example own_extractor -- portals`.

use carat::datasets::locate::locate;

/// What you want to measure in place of this.
fn extract(html: &str) -> String {
    let paragraphs = html.split("<p>").skip(1).filter_map(|rest| rest.split('<').next());
    paragraphs.collect::<Vec<_>>().join("\n")
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dataset = locate(&std::env::args().nth(1).unwrap_or_else(|| "portals".to_owned()))?;
    for record in dataset.records.iter() {
        let record = record?;
        let Some(gold) = dataset.open(&record)?.gold else { continue };
        let [precision, recall, f1] = carat::score(&extract(&dataset.characters(&record)?), &gold).fractions();
        println!("{}: precision {precision:.4}, recall {recall:.4}, F1 {f1:.4}", record.id);
    }
    Ok(())
}
