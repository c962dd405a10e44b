//! A page's site: its registrable domain.

pub use crate::text::urls::host_of;

/// The registrable domain of `host` by the Public Suffix List's ICANN section: one label and its
/// public suffix. The host itself where it has none (an IP address, a single label).
///
/// ```
/// use carat::datasets::site::registrable_domain;
/// assert_eq!(registrable_domain("news.sina.com.cn"), "sina.com.cn");
/// assert_eq!(registrable_domain("someone.blogspot.com"), "blogspot.com");
/// ```
pub fn registrable_domain(host: &str) -> String {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
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

/// The site of the page `id` on `host`; a page of an unknown host stands for itself.
pub fn site_of(host: Option<&str>, id: &str) -> String {
    host.map_or_else(|| id.to_owned(), registrable_domain)
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

#[cfg(test)]
mod tests {
    use super::*;

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
        ];
        for (host, site) in cases {
            assert_eq!(registrable_domain(host), site, "{host}");
        }
    }
}
