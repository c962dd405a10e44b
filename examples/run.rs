//! Run several algorithms on a dataset: `cargo run --example run`.

const CONFIGURATION: &str = "
datasets: [portals]
algorithms: [nta, {cevc: {alpha: 0..1/0.25}}, all-text]
bounds: []
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (summary, _) = carat::run(CONFIGURATION)?;
    for row in summary.rows {
        println!("F1 {:.4}  {}", row.aggregates.macro_.f1, row.full_label());
    }
    Ok(())
}
