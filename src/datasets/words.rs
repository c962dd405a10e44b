//! The words of page records: which the format allows, and what is made of those that upstream wrote otherwise.

use crate::formats::code::Code;
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::manifest::{Details, FAULTS, GoldSource, Record, SnippetTexts};
use super::site::named_site;
use crate::page::charset;
use crate::page::selector::Selectors;

/// Checks a record's words: its encoding, faults, kind, split and selectors.
pub(super) fn check_fields(record: &Record) -> Result<(), (Code, String)> {
    let of_gold = record.gold.as_ref().and_then(GoldSource::encoding);
    let mut labels = record.encoding.as_deref().into_iter().chain(of_gold);
    if let Some(label) = labels.find(|label| charset::for_label(label).is_none()) {
        return Err((Code::Encoding, format!("`{label}` is no label of the Encoding Standard")));
    }
    if let Some(fault) = record.details().faults.iter().find(|fault| !FAULTS.contains(&fault.as_str())) {
        return Err((Code::Type, format!("`{fault}` is no fault; there are {}", FAULTS.join(", "))));
    }
    for (field, value) in [("kind", &record.kind), ("split", &record.details().split)] {
        if value.as_deref().is_some_and(|value| !is_plain_word(value)) {
            return Err((Code::Type, format!("`{field}` is a word of 1 to 32 of a-z 0-9 _ -")));
        }
    }
    if let Some(snippets) = &record.details().snippets
        && SnippetTexts::deserialize(snippets.as_ref()).is_err()
    {
        return Err((Code::Type, "`snippets` is an object of the lists of texts `with` and `without`".to_owned()));
    }
    if let Some(select) = record.gold.as_ref().and_then(GoldSource::select) {
        let is_name = |name: &String| !name.is_empty() && !name.chars().any(char::is_control);
        if !select.roles.keys().all(is_name) {
            return Err((Code::Type, "a role of `select` needs a name without control characters".to_owned()));
        }
        for selectors in [&select.include, &select.exclude].into_iter().chain(select.roles.values()) {
            Selectors::parse(selectors).map_err(|error| (Code::Selector, error.to_string()))?;
        }
    }
    Ok(())
}

/// Checks the words that [`fit`] makes fit where an importer reads them: language, URL, host, site and group.
pub(super) fn check_words(record: &Record) -> Result<(), (Code, String)> {
    let Details { url, host, group, .. } = record.details();
    let wrong = |message: String| Err((Code::Type, message));
    // They stand in lines of digests and tables.
    for (field, word) in [("site", &record.site), ("group", group)] {
        if word.as_deref().is_some_and(|word| word.is_empty() || word.contains(char::is_control)) {
            return wrong(format!("`{field}` is a text without control characters, and not empty"));
        }
    }
    if let Some(tag) = &record.language {
        check_language(tag).map_err(|message| (Code::Type, format!("`language`: {message}")))?;
    }
    match (url, host) {
        (Some(url), _) if !is_absolute(url) => wrong(format!("`url`: `{url}` is no absolute URL")),
        (_, Some(host)) if !is_lower_case(host) => wrong(format!("`host`: `{host}` is not in lower case")),
        _ => Ok(()),
    }
}

/// Moves dates that are none to `x-…`.
pub(super) fn set_dates_aside(record: &mut Record) {
    let Some(Details { crawled, published, other, .. }) = record.details.as_deref_mut() else { return };
    for (key, date) in [("x-crawled", crawled), ("x-published", published)] {
        set_aside(date, is_date, key, other);
    }
}

/// Makes of upstream's words what a page list may hold: those of another form go to `x-…`. Every record that an importer
/// reads passes here, so that a run of it is a run of its imported copy.
///
/// # Errors
/// As [`check_fields`].
pub(super) fn fit(record: &mut Record) -> Result<(), (Code, String)> {
    set_dates_aside(record);
    if record.language.as_deref().is_some_and(|tag| !is_language_tag(tag)) {
        set_aside(&mut record.language, |_| false, "x-language", &mut record.details.get_or_insert_default().other);
    }
    let without_control = |word: String| word.replace(char::is_control, " ");
    let site = record.site.take().map(without_control);
    record.site = site.map(|site| if site.is_empty() { record.id.clone() } else { named_site(&site, &record.id) });
    if let Some(Details { url, host, group, other, .. }) = record.details.as_deref_mut() {
        set_aside(url, is_absolute, "x-url", other);
        host.as_mut().into_iter().for_each(|host| *host = host.to_lowercase());
        *group = group.take().map(without_control).filter(|group| !group.is_empty());
    }
    check_fields(record)
}

/// Moves a word that does not fit to `key`, unless it is empty or something stands there.
fn set_aside(word: &mut Option<String>, fits: impl Fn(&str) -> bool, key: &str, other: &mut Map<String, Json>) {
    if let Some(unfit) = word.take_if(|word| !fits(word)).filter(|word| !word.is_empty()) {
        other.entry(key).or_insert(unfit.into());
    }
}

/// Checks the language of a page.
///
/// # Errors
/// A sentence.
pub(crate) fn check_language(tag: &str) -> Result<(), String> {
    match is_language_tag(tag) {
        true => Ok(()),
        false => Err(format!("`{tag}` is no BCP 47 tag, such as en or zh-Hant")),
    }
}

/// Whether it has the form of a BCP 47 tag (RFC 5646, section 2.1): subtags of one to eight letters and digits, the first
/// of letters alone.
fn is_language_tag(tag: &str) -> bool {
    let is_subtag = |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let first = tag.split('-').next().unwrap_or_default();
    let is_primary = first.len() > 1 || matches!(first, "x" | "X" | "i" | "I") && tag.len() > 2;
    is_primary && first.bytes().all(|byte| byte.is_ascii_alphabetic()) && tag.split('-').all(is_subtag)
}

/// Whether it begins with a scheme (RFC 3986, section 3.1) and goes on, without control characters.
fn is_absolute(url: &str) -> bool {
    let Some((scheme, rest)) = url.split_once(':') else { return false };
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    is_scheme && !rest.is_empty() && !rest.contains(char::is_control)
}

/// Whether it is as it would be in lower case: some capital letters have no small one.
fn is_lower_case(text: &str) -> bool {
    text.to_lowercase() == text
}

/// Whether it is a word of 1 to 32 of a-z 0-9 _ -, as kinds and splits are.
pub(super) fn is_plain_word(word: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'-';
    (1..=32).contains(&word.len()) && word.bytes().all(allowed)
}

/// Whether it is an RFC 3339 date or date-time, or the year or the month of one.
pub(super) fn is_date(text: &str) -> bool {
    let (date, time) = match text.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let number = |part: &str, digits: usize, range: std::ops::RangeInclusive<u32>| {
        let plain = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        plain && part.parse().is_ok_and(|number| range.contains(&number))
    };
    let parts: Vec<&str> = date.split('-').collect();
    let ranges = [(4, 0..=9999), (2, 1..=12), (2, 1..=31)];
    let is_date =
        parts.len() <= 3 && parts.iter().zip(ranges).all(|(part, (digits, range))| number(part, digits, range));
    let is_time = |time: &str| {
        let zone = time.find(['Z', 'z', '+', '-']).unwrap_or(time.len());
        let (clock, zone) = time.split_at(zone);
        let clock: Vec<&str> = clock.split('.').next().unwrap_or_default().split(':').collect();
        let limits = [23, 59, 60];
        let is_clock =
            (2..=3).contains(&clock.len()) && clock.iter().zip(limits).all(|(part, most)| number(part, 2, 0..=most));
        let offset: Vec<&str> = zone.get(1..).unwrap_or_default().split(':').collect();
        let is_offset =
            matches!(zone, "" | "Z" | "z") || (offset.len() == 2 && offset.iter().all(|part| number(part, 2, 0..=59)));
        is_clock && is_offset
    };
    is_date && time.is_none_or(|time| parts.len() == 3 && is_time(time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_told_from_what_is_none() {
        for date in
            ["2024", "2003-11", "2024-12-09", "2024-12-09T08:15:00Z", "2024-12-09T08:15:00.5+08:00", "2024-12-09 08:15"]
        {
            assert!(is_date(date), "{date}");
        }
        for other in ["", "Dec 9", "2024-13", "2024-1-1", "2024-12T08:15", "2024-12-09T8", "2024-12-09-01", "24-12-09"]
        {
            assert!(!is_date(other), "{other}");
        }
    }

    #[test]
    fn language_tags_are_told_from_other_words() {
        for tag in ["en", "zh-Hant", "de-CH-1996", "x-mine", "i-klingon", "tlh"] {
            assert!(is_language_tag(tag), "{tag}");
        }
        for other in ["", "e", "en_US", "english text", "-en", "en-", "Klingonese", "1a", "x", "zh-"] {
            assert!(!is_language_tag(other), "{other}");
        }
    }

    #[test]
    fn sites_and_groups_are_made_words_of_one_line() {
        for (site, group, fitting) in [("s\tt", "", ("s t", None)), ("", "a\nb", ("id", Some("a b")))] {
            let own = |text: &str| Some(text.to_owned());
            let details = Details { group: own(group), title: own("t"), ..Details::default() };
            let mut record =
                Record { id: "id".to_owned(), site: own(site), details: details.boxed(), ..Record::default() };
            fit(&mut record).unwrap();
            check_words(&record).unwrap();
            assert_eq!((record.site.as_deref().unwrap(), record.details().group.as_deref()), fitting);
        }
    }

    #[test]
    fn what_is_made_to_fit_is_allowed() {
        let cases = [
            (("Klingon!", "not a url", "A.org:8080"), (None, None, "a.org:8080")),
            (("en", "https://A.org/", "a.org"), (Some("en"), Some("https://A.org/"), "a.org")),
            // A capital letter without a small one.
            (("zh-Hant", "mailto:x", "\u{1D400}.org"), (Some("zh-Hant"), Some("mailto:x"), "\u{1D400}.org")),
        ];
        for ((language, url, host), fitting) in cases {
            let own = |text: &str| Some(text.to_owned());
            let details = Details { url: own(url), host: own(host), ..Details::default() };
            let mut record = Record { language: own(language), details: details.boxed(), ..Record::default() };
            fit(&mut record).unwrap();
            check_words(&record).unwrap();
            let Details { url: fitting_url, host, other, .. } = record.details();
            assert_eq!((record.language.as_deref(), fitting_url.as_deref(), host.as_deref().unwrap()), fitting);
            let aside = |key: &str| other.get(key).and_then(Json::as_str).map(str::to_owned);
            assert_eq!(aside("x-language"), fitting.0.is_none().then(|| language.to_owned()));
            assert_eq!(aside("x-url"), fitting.1.is_none().then(|| url.to_owned()));
        }
    }
}
