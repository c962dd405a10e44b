//! The checks of every request: it must be sent to this address, by our own screen, with the token of this start.

use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderMap, HeaderName, ORIGIN, TRANSFER_ENCODING};
use hyper::http::request::Parts;
use hyper::{Method, Response};

use super::Served;
use super::answer::{Body, error};
use crate::digest::sha256;

/// Refuses what is not to be answered.
pub(super) fn refused(head: &Parts, served: &Served) -> Option<Response<Body>> {
    let own = format!("127.0.0.1:{}", served.port);
    if head.uri.authority().is_some() || head.uri.scheme().is_some() {
        return Some(error(400, "malformed", "the request names a host in its target"));
    }
    if head.headers.contains_key(TRANSFER_ENCODING) {
        // Our screen states a length. Of a request that states both, hyper leaves this field alone.
        return Some(error(400, "malformed", "the body states its length in `Content-Length`"));
    }
    if only(&head.headers, HOST) != Some(own.as_str()) {
        // A name that leads here may be someone else's.
        return Some(error(403, "host", &format!("the address is http://{own}; for SSH forward the same port")));
    }
    let is_post = head.method == Method::POST;
    let origin = only(&head.headers, ORIGIN);
    let is_own = origin == Some(format!("http://{own}").as_str());
    if is_post && !head.headers.contains_key(ORIGIN) {
        let told = format!("the request has no `Origin`; a program that is no browser states `Origin: http://{own}`");
        return Some(error(403, "origin", &told));
    }
    if head.headers.contains_key(ORIGIN) && !is_own {
        return Some(error(403, "origin", "another page sent the request"));
    }
    let site = HeaderName::from_static("sec-fetch-site");
    let is_start = head.method == Method::GET && head.uri.path() == "/";
    if head.headers.contains_key(&site) && only(&head.headers, site) != Some("same-origin") && !is_start {
        return Some(error(403, "origin", "another page sent the request"));
    }
    if head.method != Method::GET && !is_post {
        return Some(error(405, "method", "there are GET and POST"));
    }
    if head.uri.path().starts_with("/api/") {
        let token = only(&head.headers, AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
        // Digests are compared: the time that takes says nothing of the token.
        if token.map(|token| sha256(token.as_bytes())) != Some(sha256(served.token.as_bytes())) {
            return Some(error(401, "token", "the token is of another start; open the address that carat printed"));
        }
    }
    if is_post {
        let kind = only(&head.headers, CONTENT_TYPE).unwrap_or_default();
        if kind.split(';').next().map(str::trim) != Some("application/json") {
            return Some(error(415, "type", "the body is JSON"));
        }
    }
    None
}

/// The value of a field that stands once.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}
