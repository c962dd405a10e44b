//! The first line of a YAML file, which tells an editor the schema to complete and check the file by.

/// The address of the book, where the schemas are; it is set in `Cargo.toml`.
const HOMEPAGE: &str = env!("CARGO_PKG_HOMEPAGE");

/// The beginning of the line that the YAML language server reads.
const MARK: &str = "# yaml-language-server: $schema=";

/// The line for a file of the schema `name`, with its end. Empty as long as the book has no address: an editor would tell
/// at every file that there is nothing.
pub(crate) fn header(name: &str) -> String {
    header_at(HOMEPAGE, name)
}

fn header_at(homepage: &str, name: &str) -> String {
    let homepage = homepage.trim_end_matches('/');
    let host = homepage.split("://").nth(1).and_then(|rest| rest.split('/').next()).unwrap_or_default();
    // RFC 2606: nothing is ever there.
    if host.is_empty() || host.ends_with(".invalid") {
        return String::new();
    }
    format!("{MARK}{homepage}/reference/schemas/{name}.json\n")
}

/// The file without that line.
pub(crate) fn without_header(text: &[u8]) -> &[u8] {
    match text.iter().position(|&byte| byte == b'\n') {
        Some(end) if text.starts_with(MARK.as_bytes()) => &text[end + 1..],
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_the_schema_below_the_homepage() {
        let expected = "# yaml-language-server: $schema=https://carat.example/book/reference/schemas/dataset.json\n";
        for homepage in ["https://carat.example/book", "https://carat.example/book/"] {
            assert_eq!(header_at(homepage, "dataset"), expected);
        }
        assert_eq!(without_header(format!("{expected}name: a\n").as_bytes()), b"name: a\n");
        assert_eq!(without_header(b"# mine\nname: a\n"), b"# mine\nname: a\n");
    }

    #[test]
    fn there_is_no_line_without_an_address() {
        for homepage in ["", "https://carat.invalid", "https://carat.invalid/book"] {
            assert_eq!(header_at(homepage, "dataset"), "");
        }
    }
}
