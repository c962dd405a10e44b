//! URLs: what of them is read without a parser of them.

/// The host of an absolute URL, in lower case.
pub fn host_of(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host_and_port = authority.rsplit('@').next()?;
    let host = match host_and_port.strip_prefix('[') {
        Some(v6) => v6.split(']').next()?,
        None => host_and_port.split(':').next()?,
    };
    (!host.is_empty()).then(|| host.to_ascii_lowercase())
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
}
