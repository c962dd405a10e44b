//! Find the content of a page: `cargo run --example extract -- page.html nta:coherence=0.8`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let html = std::fs::read(arguments.next().ok_or("name an HTML file")?)?;
    println!("{}", carat::extract(&html, arguments.next().as_deref().unwrap_or("nta"))?);
    Ok(())
}
