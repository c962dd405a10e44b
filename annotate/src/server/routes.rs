//! Which request is answered by what.

use std::sync::Arc;

use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::{Method, Request, Response};
use serde_json::{Value as Json, json};

use super::Served;
use super::answer::{Body, answer, error, html, json as answer_json};
use super::guard::refused;
use crate::screen::{frame, shell};
use crate::session::Refusal;

/// Bytes of a body.
const MOST_BODY: usize = 1 << 20;
/// Pages of one list unless the request says otherwise.
const LISTED: usize = 200;

/// The answer to a request.
pub(super) async fn respond(request: Request<Incoming>, served: Arc<Served>) -> Response<Body> {
    let (head, body) = request.into_parts();
    if let Some(refusal) = refused(&head, &served) {
        return refusal;
    }
    match (&head.method, head.uri.path()) {
        (&Method::GET, "/") => return html(shell().html.clone(), &shell().policy(served.port)),
        (&Method::GET, "/frame") => return html(frame().html.clone(), &frame().policy(served.port)),
        (_, "/" | "/frame") => return error(405, "method", "it can only be read"),
        _ => {}
    }
    let body = match Limited::new(body, MOST_BODY).collect().await {
        Ok(body) => body.to_bytes(),
        Err(fault) if fault.is::<LengthLimitError>() => return error(413, "size", "a body has at most 1 MiB"),
        Err(_) => return error(400, "malformed", "the body was cut off"),
    };
    let path = head.uri.path().to_owned();
    let query = head.uri.query().unwrap_or_default().to_owned();
    let is_post = head.method == Method::POST;
    let for_pages = served.clone();
    // Pages are read and lines synced on threads of their own.
    let task = tokio::task::spawn_blocking(move || route(is_post, &path, &query, &body, &for_pages));
    task.await.unwrap_or_else(|_| error(500, "defect", "this is a defect of carat; please report it"))
}

fn route(is_post: bool, path: &str, query: &str, body: &Bytes, served: &Arc<Served>) -> Response<Body> {
    let session = &served.session;
    let Some(rest) = path.strip_prefix("/api/") else { return missing() };
    let parts: Option<Vec<String>> = rest.split('/').map(decoded).collect();
    let Some(parts) = parts else { return error(400, "malformed", "the path is not percent-encoded") };
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let value = |name: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|(key, _)| *key == name).and_then(|(_, value)| decoded(value))
    };
    let found = match (is_post, &parts[..]) {
        (false, ["state"]) => Ok(session.state()),
        (false, ["pages"]) => {
            let limit = value("limit").and_then(|limit| limit.parse().ok()).unwrap_or(LISTED);
            session.pages(value("after").as_deref(), limit)
        }
        (false, ["pages", id]) => {
            let page = session.page(id);
            if page.is_ok() {
                prepare_ahead(served, id);
            }
            page
        }
        (false, ["pages", id, "text"]) => session.text(id),
        (false, ["pages", id, "why"]) => session.why(id, &value("n").unwrap_or_default()),
        (false, ["pages", id, "pieces"]) => session.pieces(id, &value("n").unwrap_or_default(), value("to").as_deref()),
        (true, ["pages", id, "log"]) => session.post(id, body),
        (true, ["state" | "pages"] | ["pages", _] | ["pages", _, "text" | "why" | "pieces"])
        | (false, ["pages", _, "log"]) => return error(405, "method", "the other method is meant"),
        _ => return missing(),
    };
    match found {
        Ok(found) => answer_json(&found),
        Err(refusal) => refused_page(&refusal, parts.get(1).copied().unwrap_or_default(), served),
    }
}

fn missing() -> Response<Body> {
    error(404, "missing", "there is nothing here")
}

fn refused_page(refusal: &Refusal, id: &str, served: &Served) -> Response<Body> {
    match refusal {
        Refusal::NoPage => error(404, "page", "there is no such page"),
        Refusal::Malformed(sentence) => error(400, "malformed", sentence),
        Refusal::Unprocessable(sentence) => error(422, "mark", sentence),
        Refusal::Data(sentence) => error(422, "page", sentence),
        Refusal::Disk(sentence) => error(503, "disk", sentence),
        Refusal::Stale => {
            let page = served.session.page(id).unwrap_or(Json::Null);
            let sentence = "the page was changed in another tab; press again";
            answer(409, "application/json", json!({ "error": sentence, "code": "stale", "page": page }).to_string())
        }
    }
}

/// Reads the next pages before they are asked for.
fn prepare_ahead(served: &Arc<Served>, id: &str) {
    let (session, places) = (served.session.clone(), served.session.ahead(id));
    std::thread::spawn(move || {
        for place in places {
            // A page that does not open says why when it is shown.
            let _ = session.ready(place);
        }
    });
}

/// `text` with `%XX` decoded, as UTF-8.
fn decoded(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        if bytes[at] == b'%' {
            let digits =
                text.get(at + 1..at + 3).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
            out.push(u8::from_str_radix(digits, 16).ok()?);
            at += 3;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8(out).ok()
}
