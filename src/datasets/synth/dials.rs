//! The dials: how much of each kind of noise a page gets. Every amount is a whole number of
//! thousandths, so that a page is a function of its recipe and nothing else.

use crate::text::hint;

/// How much of each kind of noise a page gets, in thousandths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dials {
    pub(super) links: u32,
    pub(super) notices: u32,
    pub(super) comments: u32,
    pub(super) related: u32,
    pub(super) captions: u32,
    pub(super) breaks: u32,
    pub(super) single: u32,
    pub(super) form: u32,
    pub(super) depth: u32,
    pub(super) minified: u32,
    pub(super) charset: u32,
    pub(super) hidden: u32,
    pub(super) pictures: u32,
    pub(super) siblings: u32,
}

/// One dial.
pub struct Dial {
    /// Its name in recipes, on the command line and in reports.
    pub name: &'static str,
    /// What an amount means.
    pub help: &'static str,
    /// The most it can be turned to.
    pub most: u32,
    field: fn(&mut Dials) -> &mut u32,
}

const fn dial(name: &'static str, most: u32, help: &'static str, field: fn(&mut Dials) -> &mut u32) -> Dial {
    Dial { name, help, most, field }
}

/// Every dial, in the order of listings.
pub static DIALS: [Dial; 14] = [
    dial("links", 1, "share of the page's text that is in link lists", |d| &mut d.links),
    dial("notices", 1, "share of the page's text that is in adverts, teasers and notices", |d| &mut d.notices),
    dial("comments", 20, "readers' comments, in characters per character of content", |d| &mut d.comments),
    dial("related", 1, "related links between the paragraphs, as a share of the article's text", |d| &mut d.related),
    dial("captions", 8, "captions with a link to their author, between the paragraphs", |d| &mut d.captions),
    dial("breaks", 1, "share of paragraphs that are parted from the one before by line breaks", |d| &mut d.breaks),
    dial("single", 1, "share of paragraphs that are run together into one", |d| &mut d.single),
    dial("form", 1, "share of pages with a form around everything", |d| &mut d.form),
    dial("depth", 400, "empty elements around the article, one in the other", |d| &mut d.depth),
    dial("minified", 1, "share of pages without white space between elements", |d| &mut d.minified),
    dial("charset", 1, "share of pages whose label names another encoding than that of their bytes", |d| {
        &mut d.charset
    }),
    dial("hidden", 5, "text that is not shown, in characters per character of content", |d| &mut d.hidden),
    dial("pictures", 500, "pictures with a link and without text", |d| &mut d.pictures),
    dial("siblings", 100, "pages of one site, which share a template; 0 leaves the recipe's number", |d| {
        &mut d.siblings
    }),
];

/// What a share can reach at most: something else must be on the page.
const FULLEST: u32 = 950;

impl Dials {
    /// Turns the dial `name` to `amount`, a decimal with at most three digits behind the point.
    ///
    /// # Errors
    /// A sentence: no such dial, not a decimal, or beyond what the dial can be turned to.
    pub fn turn(&mut self, name: &str, amount: &str) -> Result<(), String> {
        let names = DIALS.iter().map(|dial| dial.name);
        let dial = DIALS.iter().find(|dial| dial.name == name);
        let dial = dial.ok_or_else(|| format!("there is no dial `{name}`; {}", hint(name, names)))?;
        let wrong = || format!("`{amount}` is no amount of `{name}`: a decimal from 0 to {}, as in 0.25", dial.most);
        let thousandths = thousandths(amount).ok_or_else(wrong)?;
        if thousandths > dial.most * 1000 {
            return Err(wrong());
        }
        *(dial.field)(self) = thousandths;
        Ok(())
    }

    /// The characters of link lists and of notices on a page with `others` characters of other text.
    pub(super) fn link_and_notice_chars(&self, others: usize) -> (usize, usize) {
        let (links, notices) = (self.links.min(FULLEST), self.notices.min(FULLEST));
        let total = links + notices;
        let (links, notices) = match total > FULLEST {
            true => (links * FULLEST / total, notices * FULLEST / total),
            false => (links, notices),
        };
        let part = |share: u32| others * share as usize / (1000 - (links + notices) as usize);
        (part(links), part(notices))
    }

    /// The characters of related links between paragraphs of `content` characters.
    pub(super) fn related_chars(&self, content: usize) -> usize {
        let share = self.related.min(FULLEST) as usize;
        content * share / (1000 - share)
    }
}

/// `amount` in thousandths, if it is a decimal with at most three digits behind the point.
fn thousandths(amount: &str) -> Option<u32> {
    let (whole, part) = amount.split_once('.').unwrap_or((amount, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || part.len() > 3 || !digits(whole) || !digits(part) {
        return None;
    }
    whole.parse::<u32>().ok()?.checked_mul(1000)?.checked_add(format!("{part:0<3}").parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_decimals_within_the_dials_range() {
        let mut dials = Dials::default();
        dials.turn("links", "0.35").unwrap();
        dials.turn("depth", "40").unwrap();
        assert_eq!((dials.links, dials.depth), (350, 40_000));
        for (name, amount) in [("links", "1.2"), ("links", "0.1234"), ("links", "-1"), ("links", ""), ("depth", "1e2")]
        {
            assert!(dials.turn(name, amount).unwrap_err().contains("from 0 to"), "{name}={amount}");
        }
        assert!(dials.turn("link", "0").unwrap_err().contains("did you mean `links`"));
    }

    #[test]
    fn shares_are_shares_of_the_whole_page() {
        let dials = Dials { links: 400, notices: 200, ..Dials::default() };
        assert_eq!(dials.link_and_notice_chars(1000), (1000, 500));
        let dials = Dials { links: 1000, notices: 1000, ..Dials::default() };
        assert_eq!(dials.link_and_notice_chars(100), (950, 950));
        assert_eq!(Dials { related: 500, ..Dials::default() }.related_chars(300), 300);
    }
}
