//! A page by its id, or by as much of its beginning as tells it from the others.

use super::manifest::encode_id;
use crate::text::nearest;

/// The endings of pages' files.
const HTML: [&str; 4] = [".html", ".htm", ".xhtml", ".shtml"];

/// Ids that an error names at most.
const NAMED: usize = 5;

/// The place among `pages`, ids with the names of their datasets, of that whose id is `wanted`, else of the only one whose
/// id begins with it. A name may also be written as files are called: `my page` is the page `my%20page`, and so is
/// `my page.html`, alone or with its folders. Behind a beginning may stand the ` …` with which tables cut ids.
///
/// # Errors
/// A sentence: there is no such page, or there are several.
pub fn find_page(pages: &[(&str, &str)], wanted: &str) -> Result<usize, String> {
    let places = |fits: &dyn Fn(&str) -> bool| -> Vec<usize> {
        pages.iter().enumerate().filter(|(_, (id, _))| fits(id)).map(|(place, _)| place).collect()
    };
    let beginning = wanted.strip_suffix('…').map_or(wanted, str::trim_end);
    let (encoded, encoded_beginning) = (encode_id(wanted), encode_id(beginning));
    let stem = HTML.into_iter().find_map(|ending| wanted.strip_suffix(ending));
    let of_file = stem.map(|stem| [stem.to_owned(), encode_id(stem)]);
    let name = stem.and_then(|stem| stem.rsplit_once('/')).map(|(_, name)| [name.to_owned(), encode_id(name)]);
    // Where names of pages repeat their ids are paths, with `~` between the folders.
    let path = wanted.split('/').map(encode_id).collect::<Vec<_>>().join("~");
    let end = format!("~{path}");
    let ways: [&dyn Fn(&str) -> bool; 8] = [
        &|id| id == wanted,
        &|id| id == encoded,
        &|id| id.starts_with(beginning),
        &|id| id.starts_with(&encoded_beginning),
        &|id| of_file.iter().flatten().any(|stem| stem == id),
        &|id| name.iter().flatten().any(|name| name == id),
        &|id| id == path || id.ends_with(&end),
        &|id| HTML.iter().any(|ending| id.strip_suffix(ending).is_some_and(|id| id == path || id.ends_with(&end))),
    ];
    let found = ways.into_iter().map(places).find(|found| !found.is_empty()).unwrap_or_default();
    match found.as_slice() {
        [place] => Ok(*place),
        [] => {
            let first = || pages.first().map_or("there is none".to_owned(), |(id, _)| format!("the first is `{id}`"));
            let near = nearest(wanted, pages.iter().map(|(id, _)| *id));
            let near = near.map_or_else(first, |id| format!("did you mean `{id}`?"));
            Err(format!("no page has an id that begins with `{wanted}`; {near}"))
        }
        _ => {
            let names = found.iter().take(NAMED).map(|&place| format!("{} of {}", pages[place].0, pages[place].1));
            let more = if found.len() > NAMED { ", .." } else { "" };
            Err(format!(
                "`{wanted}` begins the ids of {} pages: {}{more}; give more of the id",
                found.len(),
                names.collect::<Vec<_>>().join(", ")
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_found_by_its_id_or_by_a_beginning_that_no_other_has() {
        let pages = [("ab", "d"), ("abc", "d"), ("abd", "e"), ("b", "e")];
        let found = |wanted| find_page(&pages, wanted);
        assert_eq!([found("ab"), found("abc"), found("abd"), found("b")], [Ok(0), Ok(1), Ok(2), Ok(3)]);
        let several = "`a` begins the ids of 3 pages: ab of d, abc of d, abd of e; give more of the id";
        assert_eq!(found("a"), Err(several.to_owned()));
        assert_eq!(found("bac"), Err("no page has an id that begins with `bac`; did you mean `abc`?".to_owned()));
        assert_eq!(found("x/long/name/of/a/page").unwrap_err().split("; ").nth(1), Some("the first is `ab`"));
        assert_eq!(find_page(&[], "x").unwrap_err().split("; ").nth(1), Some("there is none"));
        assert_eq!(find_page(&[("my%20page%2D1", "d"), ("my%20page", "d")], "my page"), Ok(1), "as its file is called");
        assert_eq!(find_page(&[("a%20b%20c", "d"), ("a%20c", "d")], "a b"), Ok(0), "as the file's name begins");
        assert_eq!([found("abc.html"), found("b.htm")], [Ok(1), Ok(3)], "as its file is called");
        assert!(found("abc.5").is_err(), "no file of a page");
        assert_eq!(found("my-pages/html/abc.html"), Ok(1), "by its path");
        let paths =
            [("old%20stuff~a-1%20copy.html", "d"), ("b.example~a.html", "d"), ("c.example~a.html", "d"), ("c~b", "d")];
        let found = |wanted| find_page(&paths, wanted);
        assert_eq!([found("old stuff/a-1 copy.html"), found("a-1 copy"), found("c.example/a")], [Ok(0), Ok(0), Ok(2)]);
        assert!(found("a.html").unwrap_err().contains("2 pages: b.example~a.html of d, c.example~a.html of d"));
        let spaced = [("my%20page", "d"), ("other", "d")];
        assert_eq!([find_page(&spaced, "my page.html"), find_page(&spaced, "my%20page.html")], [Ok(0), Ok(0)]);
        let cut = [("ab…", "d"), ("abcd", "d"), ("abcde…f", "d"), ("b", "d")];
        assert_eq!([find_page(&cut, "ab…"), find_page(&cut, "abcde …")], [Ok(0), Ok(2)], "as tables cut it");
        let twice = [("ab", "d"), ("ab", "e")];
        assert!(find_page(&twice, "ab").unwrap_err().contains("ab of d, ab of e"));
    }
}
