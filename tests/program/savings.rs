//! The amount of text that rows leave of their pages, as people meet it.

use std::collections::BTreeMap;

use crate::support::{Folder, check};

const PAGES: [(&str, &str); 2] = [
    ("a", "<title>t</title><p>the text  of page a</p>\n<ul><li><a href=/>menu</a></ul>"),
    ("b", "<p>the text of page b</p> <p><a href=/>other</a>"),
];

fn pages() -> Folder {
    let mut folder =
        Folder::new().with("out/x.jsonl", "{\"system\":\"x\"}\n{\"id\":\"a\",\"text\":\"the  text\\n\"}\n");
    for (id, html) in PAGES {
        folder = folder
            .with(&format!("own/html/{id}.html"), html)
            .with(&format!("own/gold/{id}.txt"), format!("the text of page {id}"));
    }
    folder
}

fn count(text: &str) -> usize {
    text.chars().filter(|c| !c.is_whitespace()).count()
}

/// The cells of `tables/savings.csv` behind the name of each row.
fn savings(folder: &Folder, run: &str) -> BTreeMap<String, [String; 6]> {
    let columns = ["pages", "extracted", "html", "text", "kept_of_html", "kept_of_text"];
    let line =
        |line: &BTreeMap<String, String>| (line["algorithm"].clone(), columns.map(|column| line[column].clone()));
    folder.csv(&format!("{run}/tables/savings.csv")).iter().map(line).collect()
}

#[test]
fn every_row_has_the_characters_that_it_keeps() {
    let folder = pages();
    let rows = "--algorithm all-text --algorithm nonlink-text --stored ./out/x.jsonl";
    check(&folder, &format!("run --dataset ./own {rows} --out o"), 0, &[]);
    let rows = savings(&folder, "o");
    let html: usize = PAGES.iter().map(|(_, html)| count(html)).sum();
    // The title is no text of the body.
    let [content, links] = [2 * count("the text of page a"), count("menu") + count("other")];
    let expected = |pages: usize, extracted: usize, html: usize, text: usize| {
        let share = |whole: usize| format!("{:.6}", extracted as f64 / whole as f64);
        let counts = [pages, extracted, html, text].map(|count| count.to_string());
        let [pages, extracted, html_told, text_told] = counts;
        [pages, extracted, html_told, text_told, share(html), share(text)]
    };
    assert_eq!(rows["all-text"], expected(2, content + links, html, content + links));
    assert_eq!(rows["all-text"][5], "1.000000");
    assert_eq!(rows["nonlink-text"], expected(2, content, html, content + links));
    // Of the stored output only the page that it has counts.
    let (a, text) = (count(PAGES[0].1), count("the text of page a") + count("menu"));
    assert_eq!(rows["stored/x"], expected(1, count("thetext"), a, text));
    let markdown = folder.read("o/tables/savings.md");
    assert!(markdown.contains("kept of HTML") && markdown.contains("`stored/x`"), "{markdown}");
    assert!(folder.read("o/index.html").contains("kept_of_html"));
    // Nothing of it is in what names the scores.
    let digest = |run: &str| folder.json(&format!("{run}/run.json"))["result_digest"].clone();
    let summary = folder.json("o/summary.json");
    assert_eq!(summary["rows"][0]["savings"]["extracted"].as_u64(), Some((content + links) as u64));
    check(&folder, "report o", 0, &[]);
    assert_eq!(savings(&folder, "o"), rows, "a report made again is the same");
    assert!(digest("o").as_str().unwrap().starts_with("sha256:"));
}

#[test]
fn where_no_page_is_parsed_the_text_is_not_known() {
    let folder = pages();
    check(&folder, "run --dataset ./own --stored ./out/x.jsonl --out o", 0, &[]);
    let rows = savings(&folder, "o");
    let html = count(PAGES[0].1);
    let share = format!("{:.6}", count("thetext") as f64 / html as f64);
    let expected =
        ["1".to_owned(), count("thetext").to_string(), html.to_string(), String::new(), share, String::new()];
    assert_eq!(rows["stored/x"], expected);
}
