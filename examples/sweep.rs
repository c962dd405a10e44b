//! Sweep a parameter exactly and find its best interval: `cargo run --example sweep`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for curve in carat::sweep("portals", "nta:density=0.3|0.5", "coherence")? {
        println!("{}", curve.in_words());
    }
    Ok(())
}
