//! Answers, with the head that each of them has.

use http_body_util::Full;
use hyper::Response;
use hyper::body::Bytes;
use hyper::header::HeaderValue;
use serde_json::{Value as Json, json};

/// The body of an answer.
pub(super) type Body = Full<Bytes>;

/// An answer of this type and status.
pub(super) fn answer(status: u16, kind: &'static str, body: impl Into<Bytes>) -> Response<Body> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = hyper::StatusCode::from_u16(status).unwrap_or_default();
    let always = [
        ("content-type", kind),
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ];
    for (name, value) in always {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// JSON that is no fault.
pub(super) fn json(body: &Json) -> Response<Body> {
    answer(200, "application/json", body.to_string())
}

/// A fault, told in a sentence.
pub(super) fn error(status: u16, code: &str, sentence: &str) -> Response<Body> {
    answer(status, "application/json", json!({ "error": sentence, "code": code }).to_string())
}

/// A page of HTML under a policy of what it may do.
pub(super) fn html(body: String, policy: &str) -> Response<Body> {
    let mut response = answer(200, "text/html; charset=utf-8", body);
    if let Ok(policy) = HeaderValue::from_str(policy) {
        response.headers_mut().insert("content-security-policy", policy);
    }
    response
}
