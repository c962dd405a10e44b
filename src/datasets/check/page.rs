//! What is wrong with one page by itself.

use html5ever::local_name;

use super::floors::{PageFloors, are_comparable};
use super::similarity::Signature;
use super::tags::tag_in_gold;
use super::telling::{GoldOf, telling};
use super::words::Unlikely;
use super::{Finding, GoldLines, Kind, Level, encodings, gold, marks, mojibake, scripts, words};
use crate::datasets::import::contents::is_no_text;
use crate::datasets::manifest::Record;
use crate::datasets::node_tokens::out_of_reach;
use crate::datasets::roles::Roles;
use crate::datasets::{Dataset, Digests, Opened};
use crate::page::charset::{self, EncodingSource};
use crate::page::parse::TooLarge;
use crate::page::render::render;
use crate::page::selection::Selection;
use crate::page::tree::Tree;
use crate::page::{Facts, Page};
use crate::scoring::{Counts, Gold, Measure, ONE};
use crate::text::tokens::{Case, TokenKind, Tokenizer};
use crate::text::words::Segmenter;
use crate::text::{chars, counted, is_blank};

/// One character in so many that does not decode is an error.
pub const MISDECODED: usize = 100;

/// A gold of fewer characters may be cut short, on a page of [`TINY_SHARE`] times its text.
const TINY: usize = 100;

/// See [`TINY`].
const TINY_SHARE: usize = 10;

/// Percent of a gold's letters that are of the stated language's writing, at least. Chinese about computers may be
/// half Latin.
const LEAST_WRITING: usize = 25;

/// The same of the whole page, most of which may be in another language.
const LEAST_WRITING_OF_PAGE: usize = 10;

/// Percent that F1 of a page's gold nodes against its gold text has at least.
const LEAST_NODES_F1: u64 = 95;

/// Characters of a gold that are in the page and not in the gold's order matter from so many on.
const LEAST_DISORDER: usize = 20;

/// See [`LEAST_DISORDER`]: of so many characters of gold one.
const DISORDER: usize = 100;

/// Percent of the letters of Japanese that are kana, at least: names and headings alone have fewer.
const LEAST_KANA: usize = 5;

/// Characters that are shown of a line.
const SHOWN: usize = 60;

/// The findings on a page, and what makes them matter less.
pub(super) struct Findings {
    pub(super) list: Vec<Finding>,
    page: String,
    faults: Vec<String>,
    is_copy: bool,
}

impl Findings {
    /// Adds one, at the level that it has on this page.
    pub(super) fn add(&mut self, kind: Kind, message: String) {
        let is_known = kind.known_faults().iter().any(|fault| self.faults.iter().any(|known| known == fault));
        let level = match kind {
            _ if is_known => Level::Info,
            Kind::ForeignGold if !self.is_copy => Level::Warn,
            Kind::GoldNotInPage | Kind::GoldOrder | Kind::OutOfReach if !self.is_copy => Level::Info,
            kind => kind.level(),
        };
        let message = if is_known { format!("{message} (a known fault)") } else { message };
        self.list.push(Finding { kind, level, page: Some(self.page.clone()), message });
    }
}

/// What one page comes to.
pub(super) struct Examined {
    pub(super) findings: Findings,
    pub(super) digests: Digests,
    /// Of its visible text, where that is long enough.
    pub(super) signature: Option<Signature>,
    /// Absent for a page that cannot be read.
    pub(super) encoding: Option<String>,
    pub(super) has_gold_text: bool,
    pub(super) gold_lines: GoldLines,
    /// Each role that its gold names, and whether a selector of it matches an element.
    pub(super) roles: Vec<(String, bool)>,
    /// Absent without gold, and where that is too long.
    pub(super) floors: Option<PageFloors>,
    /// Whether its text and its gold are too long to be held against each other.
    pub(super) is_too_long: bool,
    /// True if its gold is the text of its gold nodes.
    is_of_nodes: bool,
    /// The marks that tell its gold; absent where it has too little of it.
    pub(super) telling: Option<Vec<String>>,
}

/// Reads, parses and examines a page.
pub(super) fn examine(dataset: &Dataset, record: &Record) -> Examined {
    let findings = Findings {
        list: Vec::new(),
        page: record.id.clone(),
        faults: record.details().faults.clone(),
        is_copy: dataset.manifest.gold.verbatim != Some(false),
    };
    let mut examined = Examined {
        findings,
        digests: Digests::default(),
        signature: None,
        encoding: None,
        has_gold_text: false,
        gold_lines: GoldLines::default(),
        roles: Vec::new(),
        floors: None,
        is_too_long: false,
        is_of_nodes: false,
        telling: None,
    };
    let bytes = dataset.page_bytes(record);
    match bytes.as_ref().map_err(Clone::clone).and_then(|bytes| Ok(dataset.open_bytes(record, bytes)?)) {
        Ok(opened) => examined.page(record, bytes.as_deref().unwrap_or_default(), &opened),
        Err(message) => {
            let kind = if message == TooLarge.to_string() { Kind::TooLarge } else { Kind::Unreadable };
            examined.findings.add(kind, message);
            examined.digests = dataset.digests(record);
        }
    }
    examined
}

fn is_same_but_space(one: &str, other: &str) -> bool {
    let dense = |text: &'_ str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    dense(one) == dense(other)
}

impl Examined {
    fn page(&mut self, record: &Record, bytes: &[u8], opened: &Opened) {
        let Opened { page, gold, nodes, unmatched, roles, digests } = opened;
        let text = all_text(&page.tree);
        self.digests = digests.clone();
        self.roles = roles.iter().flat_map(named_roles).collect();
        self.signature = Signature::of(&text);
        self.encoding = Some(page.facts.encoding.clone());
        self.bytes(record, bytes, &page.facts, chars(&text));
        self.characters(&text, gold.as_deref().unwrap_or_default());
        self.tree(page);
        for selector in unmatched {
            self.findings.add(Kind::UnmatchedSelector, format!("`{selector}` matches nothing on the page"));
        }
        self.length(chars(&text), gold.as_deref().map(chars));
        let compared = gold.as_deref().filter(|_| !self.is_too_long);
        self.floors = compared.map(|gold| PageFloors::of(&page.tree, &text, gold));
        let known = nodes.as_ref().map(GoldOf::Nodes).or_else(|| gold.as_deref().map(GoldOf::Text));
        let of_nodes = nodes.as_ref().map(|nodes| render(&page.tree, nodes));
        self.is_of_nodes =
            of_nodes.as_ref().zip(gold.as_ref()).is_some_and(|(of_nodes, gold)| is_same_but_space(of_nodes, gold));
        self.telling = known.and_then(|gold| telling(&page.tree, &Selection::visible(&page.tree), &gold));
        self.gold(record, gold.as_deref(), &text, page);
        if let (Some(gold), Some(of_nodes)) = (compared, of_nodes) {
            self.gold_nodes(gold, &of_nodes);
        }
        self.language(record, gold.as_deref(), &text);
    }

    /// Whether there is too much text and gold for what takes their product of time.
    fn length(&mut self, text: usize, gold: Option<usize>) {
        let Some(gold) = gold.filter(|&gold| !are_comparable(text, gold)) else { return };
        self.is_too_long = true;
        let message = format!(
            "{text} characters of text and {gold} of gold: neither the floors, nor the gold's order, nor how near text nodes come to it \
             is looked at"
        );
        self.findings.add(Kind::TooLong, message);
    }

    /// Bytes against encodings.
    fn bytes(&mut self, record: &Record, bytes: &[u8], facts: &Facts, characters: usize) {
        let Facts { encoding, encoding_source, replaced, .. } = facts;
        if record.encoding.is_none() && record.html.text().is_none() && is_no_text(bytes) {
            let message = "no HTML, but a PDF or other bytes: remove the page; if it is UTF-16 without its mark, state its \
                           encoding";
            return self.findings.add(Kind::NoPage, message.to_owned());
        }
        let sequences = if *replaced == 1 { "sequence does" } else { "sequences do" };
        if *replaced > 0 && replaced * MISDECODED >= characters {
            let message = format!(
                "{replaced} {sequences} not decode as {encoding}, on a page of {characters} characters of text"
            );
            self.findings.add(Kind::Misdecoded, message);
        } else if *replaced > 0 {
            self.findings.add(Kind::MalformedBytes, format!("{replaced} {sequences} not decode as {encoding}"));
        }
        if record.html.text().is_some() {
            // An inline page is characters: what its label says of bytes concerns nobody.
            return;
        }
        if let Some(detected) = charset::detected(bytes).filter(|detected| detected.name() != encoding) {
            // Any bytes are valid in most encodings of single bytes, so that these must explain every one.
            let is_better = || match detected.is_single_byte() {
                true => *replaced == bytes.iter().filter(|byte| !byte.is_ascii()).count(),
                false => charset::decode(bytes, Some(detected)).replaced == 0,
            };
            let is_likelier = || {
                let declared = charset::for_label(encoding).filter(|&declared| declared != encoding_rs::UTF_8);
                declared.is_some_and(|declared| encodings::speak_for(bytes, detected, declared))
            };
            if detected == encoding_rs::UTF_8 || *replaced > 0 && is_better() || is_likelier() {
                let message = format!("decoded as {encoding}, and the bytes look like {}", detected.name());
                self.findings.add(Kind::Charset, message);
            }
        }
        let label = charset::prescan(&bytes[..bytes.len().min(1024)]);
        if let Some(label) = label.filter(|label| label.name() != encoding && !bytes.is_ascii()) {
            self.findings.add(Kind::Label, format!("decoded as {encoding}, and its label says {}", label.name()));
        }
        if *encoding_source == EncodingSource::Guess {
            self.findings.add(Kind::GuessedEncoding, format!("guessed to be {encoding}"));
        }
    }

    /// Characters that nobody wrote.
    fn characters(&mut self, text: &str, gold: &str) {
        // What is no page, or decoded wrongly here, has been told with the way out.
        let is_told = |kind: Kind| matches!(kind, Kind::NoPage | Kind::Charset | Kind::Misdecoded);
        let is_told_already = self.findings.list.iter().any(|finding| is_told(finding.kind));
        for (kind, what, text) in [(Kind::Mojibake, "page's text", text), (Kind::GoldMojibake, "gold", gold)] {
            let marks = mojibake::marks(text);
            if marks > 0 && (kind == Kind::GoldMojibake || !is_told_already) {
                let way_out = if kind == Kind::Mojibake { ": if its file is sound, state its `encoding`" } else { "" };
                let marks = counted(marks, "mark");
                self.findings.add(kind, format!("the {what} has {marks} of another encoding{way_out}"));
            }
        }
        let lost = |text: &str| text.chars().filter(|&c| c == char::REPLACEMENT_CHARACTER).count();
        let replaced_here =
            self.findings.list.iter().any(|f| matches!(f.kind, Kind::Misdecoded | Kind::MalformedBytes));
        let (in_page, in_gold) = (if replaced_here { 0 } else { lost(text) }, lost(gold));
        if in_page + in_gold > 0 {
            let message = format!("U+FFFD stands {in_page} times in the page's text, {in_gold} times in the gold");
            self.findings.add(Kind::ReplacementCharacters, message);
        }
    }

    /// What the tree holds that it should not, and lacks.
    fn tree(&mut self, page: &Page) {
        let marks = marks::marks(&page.tree);
        if !marks.is_empty() {
            let marks: Vec<String> =
                marks.iter().map(|(mark, times)| format!("`{mark}` {}", counted(*times, "time"))).collect();
            let message = format!("algorithms see {}: name it under `annotations` in the manifest", marks.join(", "));
            self.findings.add(Kind::VisibleMarks, message);
        }
        if page.facts.cap_hits > 0 {
            self.findings.add(Kind::DepthCap, format!("{} elements were closed at the cap", page.facts.cap_hits));
        }
        if !has_title(&page.tree) {
            self.findings.add(Kind::NoTitle, "no `title` with a text".to_owned());
        }
    }

    /// The gold against the page's text.
    fn gold(&mut self, record: &Record, gold: Option<&str>, text: &str, page: &Page) {
        let has_text = !is_blank(text);
        if !has_text && gold.is_some_and(|gold| !gold.is_empty()) {
            self.findings.add(Kind::NoText, "no text of the page is visible".to_owned());
        }
        let Some(gold) = gold else {
            let message = if record.details().snippets.is_some() { "only snippets" } else { "no gold" };
            return self.findings.add(Kind::NoGold, message.to_owned());
        };
        let (characters, of_page) = (chars(gold), chars(text));
        self.has_gold_text = characters > 0;
        if characters == 0 {
            return self.findings.add(Kind::EmptyGold, format!("no gold text for {of_page} characters of page"));
        }
        if let Some(tag) = tag_in_gold(gold, &page.tree) {
            let message = format!("the gold holds HTML tags, such as {tag}, and is not read as HTML");
            self.findings.add(Kind::GoldTags, message);
        }
        if characters < TINY && of_page >= characters * TINY_SHARE {
            let message = format!("{} of gold for {of_page} of page", counted(characters, "character"));
            self.findings.add(Kind::TinyGold, message);
        }
        let is_copy = record.gold.as_ref().is_some_and(|gold| gold.is_text() || gold.path().is_some());
        let is_out_of_order = is_copy && self.gold_lines(gold, text, has_text);
        // What is made from the page's own nodes is within reach; a page without any, and another order, has been told.
        if is_copy && has_text && !is_out_of_order && !self.is_too_long {
            self.reach(gold, page);
        }
    }

    /// How near the page's text nodes come to the gold, at most; of a page beyond the limits of that it is not known.
    fn reach(&mut self, gold: &str, page: &Page) {
        let Ok(Some(counts)) = out_of_reach(page, gold) else { return };
        let Counts { matched, extracted, gold } = counts;
        let message = format!(
            "the best set of text nodes has F1 {:.3} with the gold: {matched} of its {extracted} characters and of the \
             gold's {gold} are the same",
            counts.score().f1 as f64 / ONE as f64
        );
        self.findings.add(Kind::OutOfReach, message);
    }

    /// The gold's lines in the page's text; whether they are there in another order.
    fn gold_lines(&mut self, gold: &str, text: &str, has_text: bool) -> bool {
        let Some(search) = gold::search(gold, text) else {
            let message =
                "too many lines of the gold begin alike, as too many places of the text do: they are not looked for";
            self.findings.add(Kind::TooLong, message.to_owned());
            return false;
        };
        self.gold_lines = search.lines;
        let is_out_of_order = has_text && self.gold_order(search.missing_lines + search.missing_short);
        let GoldLines { lines, found } = search.lines;
        if found == lines || !has_text {
            return is_out_of_order;
        }
        let worst: Vec<String> = search.worst.iter().map(|line| format!("`{}`", beginning(line))).collect();
        let percent = search.missing * 100 / search.characters;
        let (absent, worst) = (lines - found, worst.join(", "));
        let message = format!(
            "{absent} of {lines} lines of 10 characters or more are not in the page as they are, {percent} % of their characters are absent: {worst}"
        );
        let is_foreign = search.missing * 2 >= search.characters;
        // Its lines leave out what stands between marked nodes.
        if self.is_of_nodes {
            return is_out_of_order;
        }
        self.findings.add(if is_foreign { Kind::ForeignGold } else { Kind::GoldNotInPage }, message);
        is_out_of_order
    }

    /// The gold's order against the page's, of whose characters `missing` are not in the page: whether it is another.
    fn gold_order(&mut self, missing: usize) -> bool {
        let Some(Counts { matched, gold, .. }) = self.floors.map(|floors| floors.all_text) else { return false };
        let (gold, elsewhere) = (gold as usize, (gold as usize).saturating_sub(matched as usize + missing));
        let is_another = elsewhere >= LEAST_DISORDER && elsewhere * DISORDER >= gold;
        if is_another {
            let message = format!(
                "{elsewhere} of {gold} characters of the gold are in the page in another order, or not as often"
            );
            self.findings.add(Kind::GoldOrder, message);
        }
        is_another
    }

    /// The text of the gold nodes against the gold text; of a page with one of them they are the same.
    fn gold_nodes(&mut self, gold: &str, of_nodes: &str) {
        let segmenter = Segmenter::default();
        let mut tokenizer = Tokenizer::new(TokenKind::Char, Case::Keep, &segmenter);
        let counts = Gold::new(Measure::Lcs, &tokenizer.tokens(gold).into()).counts(&tokenizer.tokens(of_nodes).into());
        let Counts { matched, extracted, gold } = counts;
        if counts.score().f1 < ONE / 100 * LEAST_NODES_F1 {
            let message = format!(
                "of {gold} characters of gold text and {extracted} in gold nodes {matched} are the same, F1 {:.2}",
                counts.score().f1 as f64 / ONE as f64
            );
            self.findings.add(Kind::UnlikeNodes, message);
        }
    }

    fn language(&mut self, record: &Record, gold: Option<&str>, text: &str) {
        let Some(tag) = &record.language else { return };
        let parts = [("gold", gold.unwrap_or_default(), LEAST_WRITING), ("page", text, LEAST_WRITING_OF_PAGE)];
        for (what, text, least) in parts {
            let percent = scripts::percent_of_writing(text, tag);
            if let Some(percent) = percent.filter(|&percent| percent < least) {
                let message = format!("{percent} % of the {what}'s letters are of the writing of `{tag}`");
                return self.findings.add(Kind::UnlikelyLanguage, message);
            }
        }
        let (what, text) = gold.filter(|gold| !gold.is_empty()).map_or(("page", text), |gold| ("gold", gold));
        if let Some(percent) = scripts::percent_of_kana(text, tag).filter(|&percent| percent < LEAST_KANA) {
            let message = format!("{percent} % of the {what}'s letters are kana: it may be Chinese, not `{tag}`");
            self.findings.add(Kind::UnlikelyLanguage, message);
        } else if let Some(Unlikely { language, percent: [found, stated] }) = words::likelier(text, tag) {
            let message = format!(
                "{found} % of the {what}'s words are little words of `{language}`, {stated} % of the stated `{tag}`"
            );
            self.findings.add(Kind::UnlikelyLanguage, message);
        }
    }
}

/// Each role's name, and whether a selector of it matches.
fn named_roles(roles: &Roles) -> impl Iterator<Item = (String, bool)> + '_ {
    roles.names.iter().enumerate().map(|(place, name)| (name.clone(), roles.matched.contains(&place)))
}

/// Every visible text node of the body, rendered.
fn all_text(tree: &Tree) -> String {
    render(tree, &Selection::visible(tree))
}

fn has_title(tree: &Tree) -> bool {
    let title = |&id: &_| tree.is_html_element(id) && *tree.name(id) == local_name!("title");
    tree.ids().filter(title).any(|id| tree.subtree(id).any(|id| tree.is_text(id) && !is_blank(tree.text(id))))
}

/// The beginning of a line, short enough to be shown.
fn beginning(line: &str) -> String {
    match line.char_indices().nth(SHOWN) {
        None => line.to_owned(),
        Some((end, _)) => format!("{}…", &line[..end]),
    }
}
