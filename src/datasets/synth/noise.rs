//! Noise: headlines, comments, adverts and notices from the pools of a language, as much as is asked for.

use serde::Serialize;

use super::article::Link;
use super::random::Random;
use super::texts::{Text, pool};
use crate::text::chars;

#[derive(Serialize)]
pub(super) struct LinkBox {
    pub(super) label: &'static str,
    pub(super) links: Vec<Link>,
}

#[derive(Serialize)]
pub(super) struct Teaser<'t> {
    pub(super) title: &'t str,
    pub(super) text: &'t str,
}

#[derive(Serialize)]
pub(super) struct Comment {
    pub(super) name: &'static str,
    pub(super) text: &'static str,
    pub(super) hour: usize,
    pub(super) minute: String,
}

/// Headlines in one box.
const BOX: usize = 10;

/// Draws noise from the pools of a language; no headline twice before all were drawn.
pub(super) struct Noise<'r> {
    language: &'r str,
    random: &'r mut Random,
    /// Headlines in the order in which they are drawn.
    links: Vec<&'static str>,
    linked: usize,
}

impl<'r> Noise<'r> {
    pub(super) fn new(language: &'r str, random: &'r mut Random) -> Self {
        Noise { language, random, links: Vec::new(), linked: 0 }
    }

    pub(super) fn headline(&mut self) -> Link {
        if self.links.len() == self.linked {
            let headlines = self.random.shuffled(pool(self.language, "headlines"));
            self.links = headlines.into_iter().copied().collect();
            self.linked = 0;
        }
        let text = self.links.get(self.linked).copied().unwrap_or_default();
        self.linked = (self.linked + 1).min(self.links.len());
        Link { text: text.to_owned(), href: format!("/a/{}.html", 10_000 + self.random.below(80_000)) }
    }

    /// Headlines of about `wanted` characters.
    pub(super) fn headlines_of(&mut self, wanted: usize) -> Vec<Link> {
        let (mut links, mut length) = (Vec::new(), 0);
        while length < wanted {
            let link = self.headline();
            // Half of the last one may stand over.
            let longer = length + chars(&link.text);
            if longer > wanted + (longer - length) / 2 || longer == length {
                break;
            }
            length = longer;
            links.push(link);
        }
        links
    }

    pub(super) fn boxes(&mut self, wanted: usize, site_chance: &mut Random) -> Vec<LinkBox> {
        let labels = site_chance.shuffled(pool(self.language, "boxes"));
        let links = self.headlines_of(wanted);
        let boxes = links.chunks(BOX).zip(labels.into_iter().cycle());
        boxes.map(|(links, label)| LinkBox { label, links: links.to_vec() }).collect()
    }

    pub(super) fn sample(&mut self, name: &str, count: usize) -> Vec<&'static str> {
        self.random.shuffled(pool(self.language, name)).into_iter().take(count).copied().collect()
    }

    /// Readers' comments of about `wanted` characters: those to this text first.
    pub(super) fn comments(&mut self, text: &Text, wanted: usize) -> Vec<Comment> {
        let general = self.random.shuffled(pool(self.language, "comments"));
        let general = general.into_iter().filter_map(|comment| comment.split_once('|'));
        let mut length = 0;
        let mut comments = Vec::new();
        for (name, text) in text.comments.iter().copied().chain(general) {
            if length + chars(text) / 2 >= wanted {
                break;
            }
            length += chars(text);
            let minute = format!("{:02}", self.random.below(60));
            comments.push(Comment { name, text, hour: 8 + self.random.below(14), minute });
        }
        comments
    }

    /// Passages of about `wanted` characters.
    pub(super) fn passages(&mut self, wanted: usize) -> Vec<&'static str> {
        let comments = self.random.shuffled(pool(self.language, "comments"));
        let mut passages = comments.into_iter().filter_map(|comment| comment.split_once('|')).map(|(_, text)| text);
        let (mut taken, mut length) = (Vec::new(), 0);
        while length < wanted
            && let Some(passage) = passages.next()
        {
            length += chars(passage);
            taken.push(passage);
        }
        taken
    }

    /// Adverts, notices and teasers of about `wanted` characters together.
    pub(super) fn notices(
        &mut self,
        wanted: usize,
        site: &str,
    ) -> (Vec<&'static str>, Vec<String>, Vec<Teaser<'static>>) {
        let mut adverts = self.sample("advertisements", usize::MAX).into_iter();
        let mut disclaimers = self.sample("disclaimers", usize::MAX).into_iter();
        let mut pool_of_teasers = self.sample("teasers", usize::MAX).into_iter();
        let (mut taken, mut notices, mut teasers) = (Vec::new(), Vec::new(), Vec::new());
        let mut length = 0;
        for kind in (0..3).cycle() {
            let before = length;
            if length >= wanted {
                break;
            }
            match kind {
                0 => taken.extend(adverts.next().inspect(|text| length += chars(text))),
                1 => notices.extend(disclaimers.next().map(|text| {
                    let text = text.replace("{site}", site);
                    length += chars(&text);
                    text
                })),
                _ => {
                    teasers.extend(pool_of_teasers.next().and_then(|line| line.split_once('|')).map(|(title, text)| {
                        length += chars(title) + chars(text);
                        Teaser { title, text }
                    }))
                }
            }
            if length == before && adverts.len() + disclaimers.len() + pool_of_teasers.len() == 0 {
                break;
            }
        }
        (taken, notices, teasers)
    }

    pub(super) fn captions(&mut self, text: &Text, count: usize) -> Vec<(String, String)> {
        let pooled = self.random.shuffled(pool(self.language, "teasers"));
        let pooled = pooled.into_iter().filter_map(|line| line.split_once('|')).map(|(title, _)| title);
        let author = text.author.unwrap_or_default();
        let captions = text.captions.iter().copied().chain(pooled).take(count);
        captions.map(|caption| (caption.to_owned(), author.to_owned())).collect()
    }
}

/// The menu: some of `names`, the same on every page of the site, until they have `limit` characters.
pub(super) fn menu(names: &'static [&'static str], most: usize, limit: usize, random: &mut Random) -> Vec<Link> {
    let channels = random.shuffled(names);
    let mut length = 0;
    let fits = |channel: &&&str| {
        length += chars(channel);
        length <= limit
    };
    let channels = channels.into_iter().take(most).take_while(fits).enumerate();
    channels.map(|(i, text)| Link { text: (*text).to_owned(), href: format!("/c{}/", i + 1) }).collect()
}
