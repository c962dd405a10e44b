//! One page: its content and its noise, laid out by its family's template.

use std::sync::LazyLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Error, UndefinedBehavior};
use serde::Serialize;

use super::article::{Between, Content, Item, Link};
use super::families::FAMILIES;
use super::finish::{LABEL_BEGIN, LABEL_END, LONE_LEAD, finish};
use super::noise::{Comment, LinkBox, Noise, Teaser, menu};
use super::random::{Random, is_among};
use super::recipe::{Bytes, Look, Site};
use super::texts::{Line, Text, pool};
use crate::text::chars;

/// A made page and its gold.
pub(super) struct Made {
    pub(super) bytes: Vec<u8>,
    /// One line each; ends with a line feed unless it is empty.
    pub(super) gold: String,
}

/// Which page of which recipe is made.
pub(super) struct Order<'s> {
    pub(super) seed: u64,
    pub(super) site: &'s Site,
    /// Which of the sites of one make, from 0.
    pub(super) copy: usize,
    /// Which page of the site, from 1.
    pub(super) page: usize,
    pub(super) text: &'static Text,
    pub(super) domain: String,
    pub(super) url: String,
}

/// What a template sees.
#[derive(Serialize)]
struct Context<'t> {
    language: &'t str,
    site: &'t str,
    domain: &'t str,
    url: &'t str,
    title: &'t str,
    author: &'t str,
    summary: &'t str,
    date: Date<'t>,
    variant: &'t str,
    h1: bool,
    doctype: bool,
    label: String,
    second_body: &'t str,
    lone: String,
    form: bool,
    open: String,
    close: String,
    menu: Vec<Link>,
    boxes: Vec<LinkBox>,
    adverts: Vec<&'t str>,
    teasers: Vec<Teaser<'t>>,
    notices: Vec<String>,
    services: Vec<&'t str>,
    comments: Vec<Comment>,
    hidden: Vec<&'t str>,
    items: Vec<Item>,
    posts: Vec<Post<'t>>,
    others: Vec<Link>,
    /// The whole text, for scripts.
    full: &'t str,
    previous: Link,
    next: Link,
    pictures: usize,
    /// Numbers of the site: below a million, the same on each of its pages.
    style: Vec<usize>,
    /// Numbers of the page, below a million.
    chance: Vec<usize>,
}

#[derive(Serialize)]
struct Date<'t> {
    iso: &'t str,
    year: &'t str,
    month: &'t str,
    day: &'t str,
    /// 0 is Sunday.
    weekday: usize,
}

#[derive(Serialize)]
struct Post<'t> {
    name: &'t str,
    date: &'t str,
    signature: &'t str,
    quotes: Vec<&'t str>,
    lines: Vec<&'t str>,
}

/// The page that `order` asks for.
///
/// # Errors
/// A sentence: the page cannot be laid out or encoded.
pub(super) fn make(order: &Order<'_>) -> Result<Made, String> {
    let (look, dials) = order.site.look(order.page);
    let joint = if order.site.recipe.language.starts_with("zh") { "" } else { " " };
    let content = Content::new(order.text, dials, joint);
    let variant = look.variant.as_deref().or(order.text.kind).unwrap_or_default();
    let own = Own { variant, posts: posts(order.text), listed: listed(order.text), others: others(order.text) };
    let gold = own.gold(order.site.family.number, &content);
    let html = lay_out(order, content, own, &gold)?;
    let number = order.number();
    let minified = is_among(order.seed, "minified", number, dials.minified);
    let language = &order.site.recipe.language;
    let wrong = is_among(order.seed, "charset", number, dials.charset).then(|| wrong_label(look, language));
    let bytes = finish(html, look, minified, wrong)?;
    Ok(Made { bytes, gold: gold.iter().flat_map(|line| [line.as_str(), "\n"]).collect() })
}

impl Order<'_> {
    /// The page's number in the dataset, from 1.
    fn number(&self) -> usize {
        self.site.first + self.copy * self.site.pages + self.page
    }
}

/// What a text has besides its paragraphs.
struct Own<'t> {
    variant: &'t str,
    posts: Vec<Post<'t>>,
    /// The items of a listing.
    listed: Vec<Teaser<'t>>,
    others: Vec<Link>,
}

impl Own<'_> {
    /// What is content of the page, line by line.
    fn gold(&self, family: usize, content: &Content) -> Vec<String> {
        let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        match (family, self.variant) {
            (9, _) => self.posts.iter().flat_map(|post| owned(&post.lines)).collect(),
            (10, "front") => Vec::new(),
            (10, variant) if variant != "product" => {
                self.listed.iter().flat_map(|item| owned(&[item.title, item.text])).collect()
            }
            _ => content.lines.clone(),
        }
    }
}

/// The page's HTML: its content between as much noise as the dials say.
fn lay_out(order: &Order<'_>, content: Content, own: Own<'_>, gold: &[String]) -> Result<String, String> {
    let (look, dials) = order.site.look(order.page);
    let (recipe, family, text, number) = (&order.site.recipe, order.site.family, order.text, order.number());
    let mut page_chance = Random::new(order.seed, &["page", &recipe.id, &number.to_string()]);
    let mut site_chance = Random::new(order.seed, &["site", &recipe.id, &order.copy.to_string()]);
    let mut noise = Noise::new(&recipe.language, &mut page_chance);

    let wanted = |ratio: u32| content.chars() * ratio as usize / 1000;
    let comments = noise.comments(text, wanted(dials.comments));
    let hidden = noise.passages(wanted(dials.hidden));
    let own_chars = gold.iter().map(|line| chars(line)).sum::<usize>().max(content.chars());
    let besides = comments.iter().map(|comment| comment.text).chain(hidden.iter().copied()).map(chars).sum::<usize>();
    let (link_chars, notice_chars) = dials.link_and_notice_chars(own_chars + besides);
    let names = pool(&recipe.language, family.menu);
    let menu = menu(names, look.menu.unwrap_or(18), link_chars / 3, &mut site_chance);
    let menu_chars: usize = menu.iter().map(|link| chars(&link.text)).sum();
    let boxes = noise.boxes(link_chars.saturating_sub(menu_chars), &mut site_chance);
    let (adverts, notices, teasers) = noise.notices(notice_chars, &recipe.name);
    let between = Between {
        pieces: look.between.as_deref().unwrap_or_default(),
        related: noise.headlines_of(dials.related_chars(content.chars())),
        related_after: family.related_after,
        captions: noise.captions(text, dials.captions as usize / 1000),
        more: Some(noise.headline()),
        adverts: noise.sample("advertisements", 3).into_iter().map(str::to_owned).collect(),
    };
    let (previous, next) = (noise.headline(), noise.headline());
    let services = site_chance.shuffled(pool(&recipe.language, "services"));
    let full = content.lines.join("\n\n");
    let depth = dials.depth as usize / 1000;
    let context = Context {
        language: &recipe.language,
        site: &recipe.name,
        domain: &order.domain,
        url: &order.url,
        title: text.title,
        author: text.author.unwrap_or_default(),
        summary: text.summary.unwrap_or_default(),
        date: date(text.date),
        variant: own.variant,
        h1: look.h1.unwrap_or(true),
        doctype: look.doctype.unwrap_or(true),
        label: format!("{LABEL_BEGIN}{}{LABEL_END}", family.label_element()),
        second_body: if look.two_bodies.unwrap_or_default() { "<body>" } else { "" },
        lone: if look.lone_lead.unwrap_or_default() { LONE_LEAD.to_string() } else { String::new() },
        form: is_among(order.seed, "form", number, dials.form),
        open: "<div>".repeat(depth),
        close: "</div>".repeat(depth),
        menu,
        boxes,
        adverts,
        teasers: if own.listed.is_empty() { teasers } else { own.listed },
        notices,
        services: services.into_iter().take(12).copied().collect(),
        comments,
        hidden,
        items: content.with(between, &mut page_chance),
        posts: own.posts,
        others: own.others,
        full: &full,
        previous,
        next,
        pictures: dials.pictures as usize / 1000,
        style: numbers(&mut site_chance),
        chance: numbers(&mut page_chance),
    };
    render(family.number, &context).map_err(|error| format!("{error:#}"))
}

/// The label of another encoding than that of the page's bytes.
fn wrong_label(look: &Look, language: &str) -> &'static str {
    match (look.bytes.unwrap_or_default(), language) {
        (Bytes::Utf8, "zh") => "gb2312",
        (Bytes::Utf8, "zh-Hant") => "big5",
        (Bytes::Utf8, _) => "iso-8859-1",
        _ => "utf-8",
    }
}

fn numbers(random: &mut Random) -> Vec<usize> {
    (0..32).map(|_| random.below(1_000_000)).collect()
}

fn date(iso: &str) -> Date<'_> {
    let mut parts = iso.split('-');
    let mut next = || parts.next().unwrap_or_default();
    let (year, month, day) = (next(), next(), next());
    let number = |text: &str| text.parse::<usize>().unwrap_or(1);
    Date { iso, year, month, day, weekday: weekday(number(year), number(month), number(day)) }
}

/// The day of the week by Sakamoto's method; 0 is Sunday.
fn weekday(year: usize, month: usize, day: usize) -> usize {
    const SHIFT: [usize; 12] = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];
    let year = if month < 3 { year - 1 } else { year };
    (year + year / 4 - year / 100 + year / 400 + SHIFT[(month - 1) % 12] + day) % 7
}

fn posts(text: &'static Text) -> Vec<Post<'static>> {
    let mut posts: Vec<Post<'_>> = Vec::new();
    for line in &text.body {
        match (line, posts.last_mut()) {
            (Line::Post(name, date, signature), _) => {
                posts.push(Post { name, date, signature, quotes: Vec::new(), lines: Vec::new() });
            }
            (Line::Quote(quote), Some(post)) => post.quotes.push(quote),
            (Line::Paragraph(paragraph), Some(post)) => post.lines.push(paragraph),
            _ => {}
        }
    }
    posts
}

/// The items of a listing: lines `TITLE|TEASER`.
fn listed(text: &'static Text) -> Vec<Teaser<'static>> {
    let paragraphs = text.body.iter().filter_map(|line| match line {
        Line::Paragraph(paragraph) => paragraph.split_once('|'),
        _ => None,
    });
    paragraphs.map(|(title, text)| Teaser { title, text }).collect()
}

/// The names that follow `@also`.
fn others(text: &'static Text) -> Vec<Link> {
    let names = text.body.iter().skip_while(|line| **line != Line::Also).zip(1..).filter_map(|(line, i)| match line {
        Line::Paragraph(name) => Some(Link { text: (*name).to_owned(), href: format!("/p/{i}.html") }),
        _ => None,
    });
    names.collect()
}

static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut templates = Environment::new();
    templates.set_undefined_behavior(UndefinedBehavior::Strict);
    // Texts hold no marks of HTML (a test keeps them so), and templates are ours.
    templates.set_auto_escape_callback(|_| AutoEscape::None);
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
    templates.set_syntax(syntax.expect("the usual delimiters"));
    templates.add_function("two", |number: usize| format!("{number:02}"));
    templates.add_function("blob", |length: usize, seed: usize| blob(length, seed));
    for (name, source) in NAMES.iter().zip(FAMILIES.iter().map(|family| family.template)) {
        templates.add_template(name, source).expect("every template is tried by a test");
    }
    templates
});

static NAMES: LazyLock<Vec<String>> =
    LazyLock::new(|| FAMILIES.iter().map(|family| format!("family-{}.html", family.number)).collect());

fn render(family: usize, context: &Context<'_>) -> Result<String, Error> {
    TEMPLATES.get_template(&NAMES[family - 1])?.render(Serde(context))
}

/// What looks like the state that a server keeps in a page.
fn blob(length: usize, seed: usize) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut random = Random::new(seed as u64, &["blob"]);
    (0..length).map(|_| char::from(*random.one_of(LETTERS))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_of_the_week() {
        assert_eq!(weekday(2005, 5, 24), 2);
        assert_eq!(weekday(2009, 1, 22), 4);
        assert_eq!(weekday(2012, 2, 29), 3);
    }
}
