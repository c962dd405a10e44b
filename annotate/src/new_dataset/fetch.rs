//! One page of the web: `GET`, a few redirects, a bound on time and on bytes, and no way into private networks.

use std::io::{self, Read};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use carat_core::page::charset::for_label;
use ureq::http::{HeaderMap, StatusCode, Uri, header};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, ResponseExt};

use super::MAX_BYTES;

/// More redirects than this are a loop.
const MAX_REDIRECTS: u32 = 5;
/// A page takes no longer, with its redirects.
const MOST_TIME: Duration = Duration::from_secs(30);

/// A page that was fetched.
#[derive(Debug)]
pub(super) struct Fetched {
    /// The address that it came from at last.
    pub(super) url: String,
    /// The encoding that the server states, if it is one.
    pub(super) encoding: Option<&'static str>,
    /// Its bytes.
    pub(super) bytes: Vec<u8>,
}

/// Fetches pages.
#[derive(Clone)]
pub(super) struct Fetcher {
    agent: Agent,
    is_private_allowed: bool,
}

impl Fetcher {
    pub(super) fn new(is_private_allowed: bool) -> Self {
        // The machine's own list, for companies' proxies sign with certificates of their own.
        let trusted = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
        let config = Agent::config_builder()
            .tls_config(trusted)
            .http_status_as_error(false)
            .max_redirects(MAX_REDIRECTS)
            .timeout_global(Some(MOST_TIME))
            .accept("text/html,application/xhtml+xml")
            .accept_encoding("identity")
            .user_agent(concat!("carat/", env!("CARGO_PKG_VERSION")))
            .build();
        let agent = Agent::with_parts(config, DefaultConnector::default(), Guarded { is_private_allowed });
        Fetcher { agent, is_private_allowed }
    }

    /// The page at `address`.
    ///
    /// # Errors
    /// The reason, as part of a sentence.
    pub(super) fn get(&self, address: &str) -> Result<Fetched, String> {
        let request = requested(address)?;
        let uri: Uri = request.parse().map_err(|_| "it is no address".to_owned())?;
        // A proxy resolves names itself, so the resolver does not see this one.
        self.refuse_private(&uri)?;
        let response = self.agent.get(uri).call().map_err(|error| told(&error))?;
        self.refuse_private(response.get_uri())?;
        if response.status() != StatusCode::OK {
            return Err(format!("the server answers {}", response.status()));
        }
        let (url, headers) = (response.get_uri().to_string(), response.headers().clone());
        let encoding = encoding(&headers)?;
        let body = response.into_body().into_reader();
        let body: Box<dyn Read> = match word(&headers, header::CONTENT_ENCODING).as_str() {
            "" | "identity" => Box::new(body),
            "gzip" | "x-gzip" => Box::new(flate2::read::MultiGzDecoder::new(body)),
            other => return Err(format!("its content encoding `{other}` is not read")),
        };
        let mut bytes = Vec::new();
        let cut = |error: io::Error| format!("it was cut: {error}");
        body.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(cut)?;
        match bytes.len() as u64 > MAX_BYTES {
            true => Err("it has more than 32 MiB".to_owned()),
            false => Ok(Fetched { url, encoding, bytes }),
        }
    }

    fn refuse_private(&self, uri: &Uri) -> Result<(), String> {
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
        let is_local = host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(is_private);
        if is_local && !self.is_private_allowed { Err(PRIVATE.to_owned()) } else { Ok(()) }
    }
}

const PRIVATE: &str = "it is in a private network, which only --private allows";

fn told(error: &ureq::Error) -> String {
    match error {
        ureq::Error::Other(reason) => reason.to_string(),
        error => format!("it cannot be fetched: {error}"),
    }
}

/// The address as a request names it: without its fragment, and with signs that an address has not percent-encoded.
fn requested(address: &str) -> Result<String, String> {
    let address = address.split('#').next().unwrap_or_default();
    let (scheme, rest) = address.split_once("://").ok_or("it is no address")?;
    let (host, place) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    if host.contains('@') {
        return Err("it has a name or a password".to_owned());
    }
    if !host.is_ascii() {
        return Err("its host is not in ASCII: write it in its form with `xn--`".to_owned());
    }
    let slash = if place.starts_with('/') { "" } else { "/" };
    let mut request = format!("{scheme}://{host}{slash}");
    for byte in place.bytes() {
        match byte {
            b'!'..=b'~' if !b"\"<>\\^`{|}".contains(&byte) => request.push(byte as char),
            _ => request += &format!("%{byte:02X}"),
        }
    }
    Ok(request)
}

/// The first word of a header, in lower case.
fn word(headers: &HeaderMap, name: header::HeaderName) -> String {
    let value = headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// The encoding of a page that says it is HTML.
fn encoding(headers: &HeaderMap) -> Result<Option<&'static str>, String> {
    let kind = word(headers, header::CONTENT_TYPE);
    if !["text/html", "application/xhtml+xml"].contains(&kind.as_str()) {
        return Err(if kind.is_empty() { "it has no type".to_owned() } else { format!("it is `{kind}`, not HTML") });
    }
    let whole = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let parameters = whole.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let mut labels = parameters.filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    let label = labels.next().map(|(_, label)| label.trim().trim_matches('"'));
    Ok(label.and_then(for_label).map(|encoding| encoding.name()))
}

/// Resolves names of public networks, or of all.
#[derive(Debug)]
struct Guarded {
    is_private_allowed: bool,
}

impl Resolver for Guarded {
    fn resolve(
        &self,
        uri: &Uri,
        config: &ureq::config::Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = DefaultResolver::default().resolve(uri, config, timeout)?;
        if self.is_private_allowed {
            return Ok(found);
        }
        // The connection goes to these addresses and to no others: a name that changes its mind gains nothing.
        let mut public = self.empty();
        found.iter().filter(|address| !is_private(address.ip())).for_each(|address| public.push(*address));
        if public.is_empty() { Err(ureq::Error::Other(PRIVATE.into())) } else { Ok(public) }
    }
}

/// True of an address that is not one of the public network (IANA's registries of special-purpose addresses).
fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_private_v4(address),
        IpAddr::V6(address) => is_private_v6(address),
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    match first {
        0 | 10 | 127 | 224.. => true,
        100 => second & 0xC0 == 64,
        169 => second == 254,
        172 => second & 0xF0 == 16,
        192 => second == 168 || (second == 0 && (third == 0 || third == 2)),
        198 => second & 0xFE == 18 || (second == 51 && third == 100),
        203 => second == 0 && third == 113,
        _ => false,
    }
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let embedded = |high: u16, low: u16| {
        let [[a, b], [c, d]] = [high.to_be_bytes(), low.to_be_bytes()];
        is_private_v4(Ipv4Addr::new(a, b, c, d))
    };
    match segments {
        // ::, ::1, and IPv4 in its two notations.
        [0, 0, 0, 0, 0, 0 | 0xFFFF, high, low] => embedded(high, low),
        // Translated to IPv4.
        [0x64, 0xFF9B, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => embedded(high, low),
        // All other public addresses are in 2000::/3.
        [0x2001, 0xDB8, ..] => true,
        [first, ..] => first & 0xE000 != 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_networks_are_told_from_the_public_one() {
        for private in [
            "127.0.0.1", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1",
            "0.0.0.0", "224.0.0.1", "255.255.255.255", "198.18.0.1", "::1", "::", "fe80::1", "fd00::1", "ff02::1",
            "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1",
        ] {
            assert!(is_private(private.parse().unwrap()), "{private}");
        }
        for public in [
            "1.1.1.1", "172.32.0.1", "100.128.0.1", "192.1.0.1", "2606:4700::1111", "::ffff:1.1.1.1", "2002:101:101::1",
        ] {
            assert!(!is_private(public.parse().unwrap()), "{public}");
        }
    }

    #[test]
    fn addresses_are_encoded_for_a_request() {
        assert_eq!(requested("http://a.cn/新?q=<b>#x").unwrap(), "http://a.cn/%E6%96%B0?q=%3Cb%3E");
        assert_eq!(requested("https://a.cn").unwrap(), "https://a.cn/");
        assert_eq!(requested("https://a.cn?x=%41").unwrap(), "https://a.cn/?x=%41");
        assert!(requested("http://li:secret@a.cn/").unwrap_err().contains("password"));
        assert!(requested("http://例.cn/").unwrap_err().contains("xn--"));
    }

    #[test]
    fn a_page_is_html_of_a_stated_encoding() {
        let of = |kind: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_TYPE, kind.parse().unwrap());
            encoding(&headers)
        };
        assert_eq!(of("text/html"), Ok(None));
        assert_eq!(of("Text/HTML; charset=\"gb2312\""), Ok(Some("GBK")));
        assert_eq!(of("application/xhtml+xml;charset=nonsense"), Ok(None));
        assert_eq!(of("image/png").unwrap_err(), "it is `image/png`, not HTML");
        assert!(encoding(&HeaderMap::new()).is_err());
    }

    #[test]
    fn private_addresses_are_refused_before_anything_is_sent() {
        let fetcher = Fetcher::new(false);
        for address in
            ["http://127.0.0.1:9/", "http://localhost:9/", "http://[::1]:9/", "http://169.254.169.254/latest"]
        {
            assert_eq!(fetcher.get(address).unwrap_err(), PRIVATE, "{address}");
        }
    }
}
