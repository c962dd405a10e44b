//! URLs: what of them is read without a parser of them.

/// A host in one spelling, whichever it was written in: small letters, and those of other scripts as themselves, not in
/// Punycode (UTS #46).
///
/// ```
/// use carat_core::text::urls::canonical_host;
/// assert_eq!(canonical_host("XN--BCHER-KVA.example."), "bücher.example");
/// assert_eq!(canonical_host("B\u{DC}CHER.Example"), "bücher.example");
/// ```
pub fn canonical_host(host: &str) -> String {
    let host = host.trim_end_matches('.').to_lowercase();
    let is_plain = host.is_ascii() && !host.split('.').any(|label| label.starts_with("xn--"));
    match idna::domain_to_unicode(&host) {
        (unicode, Ok(())) if !is_plain => unicode,
        _ => host,
    }
}

/// The host of an absolute URL, in one spelling ([`canonical_host`]).
pub fn host_of(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host_and_port = authority.rsplit('@').next()?;
    let host = match host_and_port.strip_prefix('[') {
        Some(v6) => v6.split(']').next()?,
        None => host_and_port.split(':').next()?,
    };
    (!host.is_empty()).then(|| canonical_host(host))
}

/// `text` without white space around it, if it is an address of the web: `http` or `https` with something behind.
pub fn web_address(text: &str) -> Option<String> {
    let text = text.trim();
    let is_web = ["http://", "https://"].iter().any(|scheme| {
        text.len() > scheme.len() && text.get(..scheme.len()).is_some_and(|front| front.eq_ignore_ascii_case(scheme))
    });
    (is_web && !text.contains(char::is_whitespace)).then(|| text.to_owned())
}

/// Names below which hosts are that the Public Suffix List cannot have: those set aside (RFC 6761, RFC 6762) and those of
/// private networks (RFC 6762, appendix G).
const NO_SUFFIXES: [&str; 11] =
    ["example", "invalid", "localhost", "test", "local", "internal", "intranet", "private", "corp", "home", "lan"];

/// True if `name` reads as a host: labels of letters, digits and hyphens, below a suffix that the Public Suffix List has or
/// cannot have; also `localhost` and the address of a machine.
///
/// ```
/// use carat_core::text::urls::is_host;
/// assert!(is_host("news.sina.com.cn") && is_host("example.org"));
/// assert!(is_host("wiki.corp") && is_host("localhost") && is_host("192.168.0.1"));
/// assert!(!is_host("index") && !is_host("v1.0") && !is_host("com.cn") && !is_host("test"));
/// ```
pub fn is_host(name: &str) -> bool {
    let host = canonical_host(name);
    if host == "localhost" || host.parse::<std::net::Ipv4Addr>().is_ok() {
        return true;
    }
    let last = host.rsplit('.').next().unwrap_or_default();
    let known = psl::suffix(host.as_bytes()).filter(psl::Suffix::is_known).map(|suffix| suffix.as_bytes().len());
    let suffix = known.or(NO_SUFFIXES.contains(&last).then_some(last.len()));
    suffix.is_some_and(|length| length < host.len()) && is_name_of_host(&host)
}

/// True if `name` has the form of a host's: labels of letters, digits and hyphens.
pub fn is_name_of_host(name: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-') && !label.starts_with('-')
    };
    name.split('.').all(is_label)
}

/// The registrable domain of `host` by the Public Suffix List's ICANN section: one label and its
/// public suffix. The host itself where it has none (an IP address, a single label).
///
/// ```
/// use carat_core::text::urls::registrable_domain;
/// assert_eq!(registrable_domain("news.sina.com.cn"), "sina.com.cn");
/// assert_eq!(registrable_domain("someone.blogspot.com"), "blogspot.com");
/// ```
pub fn registrable_domain(host: &str) -> String {
    let host = canonical_host(host);
    if host.parse::<std::net::IpAddr>().is_ok() {
        return host;
    }
    let suffix = icann_suffix(&host);
    let Some(front) = host.strip_suffix(suffix).and_then(|front| front.strip_suffix('.')) else {
        return host;
    };
    let label = front.rsplit('.').next().unwrap_or(front);
    format!("{label}.{suffix}")
}

/// The public suffix by the ICANN section alone: a private rule such as `blogspot.com` is passed over.
fn icann_suffix(host: &str) -> &str {
    let mut rest = host;
    loop {
        match psl::suffix(rest.as_bytes()) {
            Some(suffix) if suffix.typ() == Some(psl::Type::Private) => {
                let suffix = std::str::from_utf8(suffix.as_bytes()).unwrap_or(rest);
                match suffix.split_once('.') {
                    Some((_, parent)) => rest = parent,
                    None => return suffix,
                }
            }
            Some(suffix) => return std::str::from_utf8(suffix.as_bytes()).unwrap_or(rest),
            None => return rest,
        }
    }
}

/// The version of the list, part of every figure by site.
pub const SUFFIX_LIST: &str = "psl 2.1.247";

/// The path of an absolute URL, without query and fragment; `/` where it has none.
pub fn path_of(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let rest = &rest[rest.find(['/', '?', '#']).unwrap_or(rest.len())..];
    let path = rest.split(['?', '#']).next()?;
    Some(if path.is_empty() { "/" } else { path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_urls() {
        assert_eq!(host_of("http://user@News.Sina.com.cn:80/a?b").as_deref(), Some("news.sina.com.cn"));
        assert_eq!(host_of("https://[::1]:80/").as_deref(), Some("::1"));
        assert_eq!(host_of("nonsense"), None);
    }

    #[test]
    fn registrable_domains() {
        let cases = [
            ("big5.xinhuanet.com", "xinhuanet.com"),
            ("www.bbc.co.uk", "bbc.co.uk"),
            ("udn.com", "udn.com"),
            ("a.b.github.io", "github.io"),
            ("localhost", "localhost"),
            ("com.cn", "com.cn"),
            ("127.0.0.1", "127.0.0.1"),
            ("WWW.Example.COM.", "example.com"),
            ("news.qinghe.example", "qinghe.example"),
            ("www.新闻.公司.cn", "新闻.公司.cn"),
            ("www.xn--efvy88h.xn--55qx5d.cn", "新闻.公司.cn"),
            ("WWW.XN--EFVY88H.XN--55QX5D.CN", "新闻.公司.cn"),
        ];
        for (host, site) in cases {
            assert_eq!(registrable_domain(host), site, "{host}");
        }
    }

    #[test]
    fn paths_of_urls() {
        assert_eq!(path_of("http://a.example/news/1.html?x=/y#z"), Some("/news/1.html"));
        assert_eq!(path_of("http://a.example?x"), Some("/"));
        assert_eq!(path_of("http://a.example"), Some("/"));
        assert_eq!(path_of("/news"), None);
    }
}
