//! Score an extraction for a gold text: `cargo run --example score`.

fn main() {
    let score = carat::score("Share this. The cat sleeps all day.", "The cat sleeps all day.");
    let [precision, recall, f1] = score.fractions();
    println!("precision {precision:.4}, recall {recall:.4}, F1 {f1:.4}");
}
