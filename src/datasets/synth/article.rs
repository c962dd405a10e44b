//! An article as its template gets it: what is content, in order, and what stands in between.

use serde::Serialize;

use super::dials::Dials;
use super::random::Random;
use super::recipe::Piece;
use super::texts::{Line, Text};
use crate::text::chars;

/// A part of an article, for templates.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Item {
    /// Content: lines with line breaks in between; mostly one.
    Paragraph { lines: Vec<String> },
    /// Content.
    Heading { text: String },
    /// Content: cells by row.
    Table { rows: Vec<Vec<String>> },
    /// Content.
    List { items: Vec<String> },
    /// An empty line between stanzas.
    Gap,
    /// A picture's caption and who took it.
    Caption { text: String, author: String },
    /// Links to other stories.
    Related { links: Vec<Link> },
    /// A line with one link to another story.
    More { link: Link },
    /// A sentence of the article again.
    Quote { text: String },
    /// The first paragraph again, for readers without scripts.
    Copy { text: String },
    /// An advert's text.
    Advert { text: String },
    /// What has no text of its own.
    Script,
    /// As `Script`.
    Frame,
    /// A box that asks for an address.
    Newsletter,
    /// A small form.
    Form,
}

/// A link to a page of the same site.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Link {
    pub(super) text: String,
    pub(super) href: String,
}

/// The content of a text with its dials: paragraphs run together, or parted by line breaks.
pub(super) struct Content {
    items: Vec<Item>,
    /// The gold: one line each.
    pub(super) lines: Vec<String>,
}

/// What may be put between paragraphs.
pub(super) struct Between<'t> {
    pub(super) pieces: &'t [Piece],
    pub(super) related: Vec<Link>,
    /// After how many paragraphs the related links stand.
    pub(super) related_after: usize,
    pub(super) captions: Vec<(String, String)>,
    pub(super) more: Option<Link>,
    pub(super) adverts: Vec<String>,
}

impl Content {
    /// The content of `text`. Only paragraphs next to each other are joined.
    pub(super) fn new(text: &Text, dials: &Dials, joint: &str) -> Self {
        let paragraphs = text.body.iter().filter(|line| matches!(line, Line::Paragraph(_))).count();
        let run_together = paragraphs * dials.single as usize / 1000;
        let mut content = Content { items: Vec::new(), lines: Vec::new() };
        let mut number = 0;
        for line in text.body.iter().take_while(|line| **line != Line::Also) {
            match line {
                Line::Paragraph(paragraph) => {
                    number += 1;
                    let after_break = is_nth_of_share(number, dials.breaks);
                    content.paragraph(paragraph, (1 < number && number <= run_together).then_some(joint), after_break);
                }
                Line::Heading(heading) => content.push(Item::Heading { text: (*heading).to_owned() }, &[heading]),
                Line::Row(cells) => content.row(cells),
                Line::Item(item) => content.list_item(item),
                Line::Gap => content.items.push(Item::Gap),
                Line::Post(..) | Line::Quote(_) | Line::Also => {}
            }
        }
        content
    }

    fn push(&mut self, item: Item, gold: &[&str]) {
        self.items.push(item);
        self.lines.extend(gold.iter().map(|line| (*line).to_owned()));
    }

    fn paragraph(&mut self, text: &str, joint: Option<&str>, after_break: bool) {
        let (html, plain) = with_links(text);
        match (self.items.last_mut(), self.lines.last_mut(), joint) {
            (Some(Item::Paragraph { lines }), Some(gold), Some(joint)) if !lines.is_empty() => {
                if let Some(last) = lines.last_mut() {
                    *last += joint;
                    *last += &html;
                }
                *gold += joint;
                *gold += &plain;
            }
            (Some(Item::Paragraph { lines }), _, _) if after_break => {
                lines.push(html);
                self.lines.push(plain);
            }
            _ => self.push(Item::Paragraph { lines: vec![html] }, &[&plain]),
        }
    }

    fn row(&mut self, cells: &[&str]) {
        let row: Vec<String> = cells.iter().map(|cell| (*cell).to_owned()).collect();
        match self.items.last_mut() {
            Some(Item::Table { rows }) => rows.push(row),
            _ => self.items.push(Item::Table { rows: vec![row] }),
        }
        self.lines.extend(cells.iter().map(|cell| (*cell).to_owned()));
    }

    fn list_item(&mut self, item: &str) {
        match self.items.last_mut() {
            Some(Item::List { items }) => items.push(item.to_owned()),
            _ => self.items.push(Item::List { items: vec![item.to_owned()] }),
        }
        self.lines.push(item.to_owned());
    }

    /// Characters without white space.
    pub(super) fn chars(&self) -> usize {
        self.lines.iter().map(|line| chars(line)).sum()
    }

    /// The first paragraph.
    fn opening(&self) -> Option<&str> {
        self.lines.first().map(String::as_str)
    }

    /// The content with everything else in between, spread over the article.
    pub(super) fn with(self, between: Between<'_>, random: &mut Random) -> Vec<Item> {
        let opening = self.opening().unwrap_or_default().to_owned();
        let quotation = self.lines.iter().skip(1).find_map(|line| quotation(line)).map(str::to_owned);
        let mut adverts = between.adverts.into_iter().cycle();
        let mut spread: Vec<Item> = Vec::new();
        for piece in between.pieces {
            spread.extend(match piece {
                Piece::Script => Some(Item::Script),
                Piece::Frame => Some(Item::Frame),
                Piece::Newsletter => Some(Item::Newsletter),
                Piece::Form => Some(Item::Form),
                Piece::Advert => adverts.next().map(|text| Item::Advert { text }),
                Piece::Quote => quotation.clone().map(|text| Item::Quote { text }),
                Piece::More => between.more.clone().map(|link| Item::More { link }),
                Piece::Copy => Some(Item::Copy { text: opening.clone() }),
            });
        }
        spread.extend(between.captions.into_iter().map(|(text, author)| Item::Caption { text, author }));
        let (parts, places) = (self.items.len(), spread.len() + 1);
        let mut spread = random.shuffled(&spread).into_iter().cloned().zip(1..).peekable();
        let mut items = Vec::with_capacity(parts + places);
        let mut related = (!between.related.is_empty()).then_some(between.related);
        for (i, item) in self.items.into_iter().enumerate() {
            if i >= between.related_after.min(parts.saturating_sub(1)) {
                items.extend(related.take().map(|links| Item::Related { links }));
            }
            items.push(item);
            while let Some((piece, _)) = spread.next_if(|(_, nth)| nth * parts <= (i + 1) * places) {
                items.push(piece);
            }
        }
        items
    }
}

/// Whether the `number`th paragraph (from 1) is among a share of them, spread evenly.
fn is_nth_of_share(number: usize, thousandths: u32) -> bool {
    let upto = |number: usize| number * thousandths as usize / 1000;
    upto(number) > upto(number - 1)
}

/// A passage in English quotation marks that can stand alone.
fn quotation(line: &str) -> Option<&str> {
    let passages = line.split('“').skip(1).filter_map(|rest| rest.split_once('”')).map(|(passage, _)| passage);
    passages.map(|passage| passage.trim_end_matches(',')).find(|passage| (40..160).contains(&passage.len()))
}

/// The text with its marked phrases as links, and without them.
pub(super) fn with_links(text: &str) -> (String, String) {
    let (mut html, mut plain) = (String::new(), String::new());
    for part in text.split_inclusive(['[', ']']) {
        let words = part.trim_end_matches(['[', ']']);
        html += words;
        plain += words;
        match part.as_bytes().last() {
            Some(b'[') => html += &format!("<a href=\"/topic/{}.html\">", plain.len()),
            Some(b']') => html += "</a>",
            _ => {}
        }
    }
    (html, plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(dials: &Dials) -> Content {
        let body = [Line::Paragraph("a b."), Line::Paragraph("c [d] e."), Line::Heading("h"), Line::Paragraph("f.")];
        let (captions, comments) = (Vec::new(), Vec::new());
        let body = body.to_vec();
        let text = Text { title: "", date: "", author: None, captions, comments, summary: None, kind: None, body };
        Content::new(&text, dials, " ")
    }

    #[test]
    fn paragraphs_are_joined_only_with_their_neighbours() {
        assert_eq!(content(&Dials::default()).lines, ["a b.", "c d e.", "h", "f."]);
        let mut dials = Dials::default();
        dials.turn("single", "1").unwrap();
        assert_eq!(content(&dials).lines, ["a b. c d e.", "h", "f."]);
        let mut dials = Dials::default();
        dials.turn("breaks", "1").unwrap();
        let content = content(&dials);
        assert_eq!(content.lines, ["a b.", "c d e.", "h", "f."]);
        let [Item::Paragraph { lines }, Item::Heading { .. }, Item::Paragraph { .. }] = &content.items[..] else {
            panic!("{:?}", content.items)
        };
        assert_eq!(lines[1], "c <a href=\"/topic/2.html\">d</a> e.");
    }

    #[test]
    fn everything_asked_for_stands_between_the_paragraphs() {
        let link = |text: &str| Link { text: text.to_owned(), href: String::new() };
        let between = Between {
            pieces: &[Piece::Script, Piece::Copy, Piece::More, Piece::Advert],
            related: vec![link("r")],
            related_after: 1,
            captions: vec![("c".to_owned(), "p".to_owned())],
            more: Some(link("m")),
            adverts: vec!["a".to_owned()],
        };
        let items = content(&Dials::default()).with(between, &mut Random::new(1, &[]));
        assert!(matches!(items[1], Item::Related { .. }) || matches!(items[2], Item::Related { .. }), "{items:?}");
        assert_eq!(items.len(), 4 + 6, "{items:?}");
    }
}
