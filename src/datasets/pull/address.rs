//! Addresses of the web. A name and a password in one are sent, but never told.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// An `http` or `https` address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    /// `http://host:port`.
    origin: String,
    /// The rest: a path, perhaps with a query. Begins with `/`.
    place: String,
    /// `name:password`, as they stand in the address.
    credentials: Option<String>,
}

impl Address {
    /// The address that `text` is, without its fragment.
    pub(super) fn of(text: &str) -> Option<Address> {
        let (scheme, rest) = text.split_once("://")?;
        let scheme = scheme.to_ascii_lowercase();
        let is_plain = !text.contains(|c: char| c.is_whitespace() || c.is_control());
        if !is_plain || !["http", "https"].contains(&scheme.as_str()) {
            return None;
        }
        let rest = rest.split('#').next()?;
        let (authority, place) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let (credentials, host) = match authority.rsplit_once('@') {
            Some((credentials, host)) => (Some(credentials.to_owned()), host),
            None => (None, authority),
        };
        let place = if place.starts_with('/') { place.to_owned() } else { format!("/{place}") };
        let origin = format!("{scheme}://{}", host.to_ascii_lowercase());
        (!host.is_empty()).then_some(Address { origin, place, credentials })
    }

    /// The address that `reference` leads to, which stands in the document at this one. The name and the password go along to the same
    /// server alone.
    pub(super) fn join(&self, reference: &str) -> Option<Address> {
        let reference = reference.split('#').next()?.trim();
        let whole = match reference {
            _ if reference.contains("://") => reference.to_owned(),
            _ if reference.starts_with("//") => format!("{}:{reference}", self.origin.split(':').next()?),
            _ if reference.starts_with('/') => format!("{}{reference}", self.origin),
            _ => {
                let path = self.place.split('?').next()?;
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                format!("{}{}", self.origin, without_dots(&format!("{folder}/{reference}")))
            }
        };
        let mut address = Address::of(&whole)?;
        if address.origin == self.origin && address.credentials.is_none() {
            address.credentials.clone_from(&self.credentials);
        }
        Some(address)
    }

    /// The page that is called `name` below this address.
    pub(super) fn below(&self, name: &str) -> Address {
        Address { place: format!("{}/{name}/", self.place.trim_end_matches('/')), ..self.clone() }
    }

    pub(super) fn is_secure(&self) -> bool {
        self.origin.starts_with("https://")
    }

    /// The value of the header `Authorization`, if there is a name or a password.
    pub(super) fn authorization(&self) -> Option<String> {
        let (name, password) = self.credentials.as_ref()?.split_once(':').unwrap_or((self.credentials.as_ref()?, ""));
        let plain = [decoded(name), decoded(password)].join(&b':');
        Some(format!("Basic {}", STANDARD.encode(plain)))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin, self.place)
    }
}

/// A path without `.` and `..`; a query stays as it is.
fn without_dots(path: &str) -> String {
    let (path, query) = path.split_at(path.find('?').unwrap_or(path.len()));
    let mut kept: Vec<&str> = Vec::new();
    for segment in path.split('/').skip(1) {
        match segment {
            "." => {}
            ".." => drop(kept.pop()),
            segment => kept.push(segment),
        }
    }
    format!("/{}{query}", kept.join("/"))
}

/// The bytes that `%41` and the like stand for.
fn decoded(text: &str) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, after @ ..] = rest {
        let byte = after.get(..2).filter(|_| *first == b'%').and_then(|digits| {
            let digits = std::str::from_utf8(digits).ok()?;
            u8::from_str_radix(digits, 16).ok()
        });
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Address {
        Address::of(text).unwrap()
    }

    #[test]
    fn a_password_is_sent_and_not_told() {
        let index = address("https://me:p%40ss@Example.org:8443/simple?x=1#y");
        assert_eq!(index.to_string(), "https://example.org:8443/simple?x=1");
        assert_eq!(index.authorization().unwrap(), format!("Basic {}", STANDARD.encode("me:p@ss")));
        assert_eq!(address("https://a.org").authorization(), None);
        let token = address("http://token%@a.org/").authorization();
        assert_eq!(token.unwrap(), format!("Basic {}", STANDARD.encode("token%:")));
    }

    #[test]
    fn references_are_followed() {
        let page = address("https://me:secret@a.org/root/simple/mine/");
        for (reference, leads) in [
            ("../../files/mine-1.tar.gz#sha256=0", "https://a.org/root/files/mine-1.tar.gz"),
            ("mine-1.zip?x=../y", "https://a.org/root/simple/mine/mine-1.zip?x=../y"),
            ("./../../../../../x", "https://a.org/x"),
            ("/files/x", "https://a.org/files/x"),
            ("//b.org/x", "https://b.org/x"),
            ("http://c.org/x", "http://c.org/x"),
        ] {
            let joined = page.join(reference).unwrap();
            assert_eq!(joined.to_string(), leads, "{reference}");
            assert_eq!(joined.credentials.is_some(), leads.starts_with("https://a.org/"), "{reference}");
        }
        assert_eq!(page.join("http://a.org/x").unwrap().credentials, None, "another scheme is another server");
        assert_eq!(address("https://a.org/simple").below("mine").to_string(), "https://a.org/simple/mine/");
    }

    #[test]
    fn what_is_no_address_of_the_web_is_none() {
        for text in ["file:///etc/passwd", "ftp://a.org/", "a.org", "https://", "https://me@/x", "http://a b/", ""] {
            assert_eq!(Address::of(text), None, "{text}");
        }
    }
}
