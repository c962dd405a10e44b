//! The head of an HTTP response, as a record keeps it.

use std::io::BufRead;

use crate::fault::Fault;
use crate::head::{Fields, Head};

/// The head of a response.
#[derive(Debug)]
pub struct Response {
    /// Its status, such as 200.
    pub status: u16,
    /// Its fields.
    pub fields: Fields,
}

/// Reads the head of the response in `block`; the body stands behind it then.
///
/// # Errors
/// [`Fault`]: there is no response, or its head is too large.
pub fn read_response(block: &mut dyn BufRead) -> Result<Response, Fault> {
    let no_response = || Fault::broken("its block is no HTTP response");
    let head = Head::read(block)?.ok_or_else(no_response)?;
    let mut words = head.first.split_ascii_whitespace();
    let is_http = words.next().and_then(|word| word.get(..5)).is_some_and(|word| word.eq_ignore_ascii_case("HTTP/"));
    let status = words.next().filter(|status| is_http && status.len() == 3).and_then(|status| status.parse().ok());
    Ok(Response { status: status.ok_or_else(no_response)?, fields: head.fields })
}

/// A media type: what stands before its parameters, in lower case, and the parameter `charset` if there is one.
pub fn media_type(value: &str) -> (String, Option<&str>) {
    let mut parts = value.split(';');
    let essence = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
    let charset = |part: &'_ str| {
        let (name, value) = part.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then_some(value.len())
    };
    let charset = parts.find_map(|part| charset(part).map(|length| &part[part.len() - length..]));
    let charset = charset.map(|value| value.trim().trim_matches(['"', '\'']).trim());
    (essence, charset.filter(|charset| !charset.is_empty()))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn responses_have_a_status_and_fields() {
        let mut block = "HTTP/1.1 404 Not\r\nContent-type: a\r\nno field\r\ncontent-Type: b\r\n\r\nbody".as_bytes();
        let response = read_response(&mut block).unwrap();
        assert_eq!((response.status, response.fields.all("CONTENT-TYPE").next_back()), (404, Some("b")));
        let mut body = String::new();
        block.read_to_string(&mut body).unwrap();
        assert_eq!(body, "body");
        assert_eq!(read_response(&mut "HTTP/2 200".as_bytes()).unwrap().status, 200);
        for text in ["", "<p>x", "HTTP/1.1\r\n\r\n", "HTTP/1.1 OK\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"] {
            assert!(read_response(&mut text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn media_types_have_charsets() {
        for (value, expected) in [
            ("Text/HTML", ("text/html", None)),
            ("text/html; Charset=\"GBK\"", ("text/html", Some("GBK"))),
            ("text/html;a=b;charset= utf-8 ", ("text/html", Some("utf-8"))),
            ("text/html; charset=", ("text/html", None)),
            ("", ("", None)),
        ] {
            let (essence, charset) = media_type(value);
            assert_eq!((essence.as_str(), charset), expected, "{value}");
        }
    }
}
