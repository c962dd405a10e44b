//! The report as HTML: `index.html`, and a file a page of the run in `pages/`. It opens from the disk,
//! asks the network for nothing, and shows what pages hold as text only: its scripts and styles are allowed
//! by their digests, everything else is refused.

pub mod documents;
mod figure;
mod index;
mod labels;
mod page;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use minijinja::value::Serde;
use minijinja::{Environment, Template, UndefinedBehavior, Value, context};
use rayon::prelude::*;
use serde::Serialize;
use sha2::{Digest, Sha256};

use self::figure::Embedded;
pub(crate) use self::labels::label;
use self::labels::labels;
use super::conditions::lacks;
use super::drawing::{Drawn, FigureFiles};
use super::language::Language;
use super::run_files::RunFiles;
use super::writing::{INDEX as INDEX_NAME, PAGES, Writing, is_below};
use crate::formats::digest::sha256;
use crate::runs::compared_pages::PageLine as ComparedLine;
use crate::runs::folder::Claim;
use crate::runs::folder_error::FolderError;
use crate::runs::pages::{PageLine, PageLines};
use crate::runs::reads_gold::ReadsGold;
use crate::runs::results::Failure;
use crate::runs::run_folder::RunFolder;
use crate::runs::scores::RowKey;
use crate::runs::summary::SummaryRow;

/// The rows that are not ranked, each with why.
type Unranked = BTreeMap<RowKey, &'static str>;

/// Why a row is not ranked, as the scripts call it: it is a bound, learned elsewhere, or rendered beside Markdown.
fn why_unranked(row: &SummaryRow) -> Option<&'static str> {
    row.reads_gold.map(ReadsGold::kind).or(row.rendered.then_some("rendered"))
}

/// What pages are like, by dataset and id.
type PageLinesById<'l> = BTreeMap<(&'l str, &'l str), &'l PageLine>;

const STYLE: &str = include_str!("style.css");
const COMMON: &str = include_str!("common.js");
const INDEX: &str = include_str!("index.js");
const FIGURES: &str = include_str!("figures.js");
const PAGE: &str = include_str!("page.js");

/// Takes a document of a report: its name in the folder of the run, and its content.
type Take<'t> = &'t (dyn Fn(&str, &[u8]) -> Result<(), FolderError> + Sync);

/// Writes the report of `run` with its `drawn` figures and links to their `files`, labelled in `language`, into the folder of
/// `claim`; the index, which leads to all pages, comes last.
///
/// # Errors
/// [`FolderError`]: a unit that is missing or damaged, or a file that cannot be written.
pub(super) fn write(
    claim: &Claim,
    run: &RunFiles<'_>,
    figures: (&[Drawn], &FigureFiles),
    language: Language,
) -> Result<(), FolderError> {
    let writing = Writing::new(claim, |name| name == INDEX_NAME || is_below(PAGES, name));
    each(run, figures, language, &|name, content| writing.add(name, content))?;
    writing.finish()
}

/// Makes the documents of a report, as [`write`] writes them, and gives each to `take`.
///
/// # Errors
/// [`FolderError`]: a unit that is missing or damaged, or what `take` says.
pub(super) fn each(
    run: &RunFiles<'_>,
    (drawn, files): (&[Drawn], &FigureFiles),
    language: Language,
    take: Take<'_>,
) -> Result<(), FolderError> {
    let info = run.info();
    let shown: Vec<PageLines<'_>> = run.pages.iter().collect();
    let lines = run.page_lines.iter().map(|line| ((line.dataset.as_str(), line.page.as_str()), line));
    let lines: PageLinesById<'_> = lines.collect();
    let are_shown: BTreeSet<(&str, &str)> = shown.iter().map(|page| (page.dataset(), page.id())).collect();
    let all = RunFolder::of(run.folder(), info);
    let told = all.failures(|failure| are_shown.contains(&(failure.dataset.as_str(), failure.page.as_str())))?;
    let mut failures: BTreeMap<(&str, &str), Vec<&Failure>> = BTreeMap::new();
    for failure in &told {
        failures.entry((&failure.dataset, &failure.page)).or_default().push(failure);
    }
    let rows = run.summary().rows.iter();
    let unranked: Unranked = rows.filter_map(|row| Some((row.key(), why_unranked(row)?))).collect();
    let form = Form::of_report("page.html", language, [COMMON, PAGE, ""]);
    // Thousands of documents are more than memory should hold, so each goes to the disk as soon as it is made.
    shown.par_iter().enumerate().try_for_each(|(place, page)| {
        let neighbours = [place.checked_sub(1), Some(place + 1)].map(|place| shown.get(place?).copied());
        let known = page::Known {
            line: lines.get(&(page.dataset(), page.id())).copied(),
            neighbours,
            failures: failures.get(&(page.dataset(), page.id())).map(Vec::as_slice).unwrap_or_default(),
            unranked: &unranked,
            texts_stored: info.circumstances.texts,
            folders: &info.circumstances.folders,
        };
        let data = page::data(&run.pages, *page, &known)?;
        let document = form.filled(page.id(), &data, None, &[]);
        take(&format!("{PAGES}{}", file_name(page.dataset(), page.id())), document.as_bytes())
    })?;
    let compared: Vec<&ComparedLine> = run.compared.iter().collect();
    compared.par_iter().enumerate().try_for_each(|(place, line)| {
        let neighbours = [place.checked_sub(1), Some(place + 1)].map(|place| compared.get(place?).copied());
        let data = page::compared(&run.compared.open(line)?, neighbours, &info.circumstances);
        let document = form.filled(&line.page, &data, None, &[]);
        take(&format!("{PAGES}{}", file_name(&line.dataset, &line.page)), document.as_bytes())
    })?;
    let index = index::Index::of(run, drawn, (&shown, &compared), language);
    let figures: Vec<Embedded<'_>> = drawn.iter().map(|drawn| Embedded::of(drawn, files, language)).collect();
    let form = Form::of_report(INDEX_NAME, language, [COMMON, FIGURES, INDEX]);
    let document = form.filled(&index.title(), &index.data(), lacks(info, language).as_deref(), &figures);
    take(INDEX_NAME, document.as_bytes())
}

/// The name of a page's file in `pages/`.
fn file_name(dataset: &str, page: &str) -> String {
    const DIGITS: usize = 16;
    format!("{}.html", &sha256(format!("{dataset}\t{page}").as_bytes())[..DIGITS])
}

static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let templates = [
        ("base.html", include_str!("base.html")),
        ("index.html", include_str!("index.html")),
        ("page.html", include_str!("page.html")),
        ("static.html", include_str!("static.html")),
    ];
    for (name, template) in templates {
        environment.add_template(name, template).expect("the template is part of the program, and a test fills it");
    }
    environment
});

/// Whether a script uses the label `name`.
fn asks_for(script: &str, name: &str) -> bool {
    let is_end = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    script
        .match_indices("label.")
        .any(|(place, found)| script[place + found.len()..].strip_prefix(name).is_some_and(is_end))
}

/// What all documents of one template share: thousands of pages have one style and one script.
struct Form<'t> {
    template: Template<'t, 't>,
    language: Language,
    style: String,
    script: String,
    /// The labels that the script reads, as JSON.
    labels: String,
    /// The policy that allows this style and this script alone.
    policy: String,
}

impl<'t> Form<'t> {
    /// A template of the report with the scripts that read its data.
    fn of_report(template: &'static str, language: Language, scripts: [&str; 3]) -> Form<'static> {
        let template = TEMPLATES.get_template(template).expect("both templates are there");
        let script = scripts.concat();
        // Thousands of pages would carry the words of all others.
        let asked_for: BTreeMap<&str, &str> = labels(language)
            .iter()
            .filter(|(name, _)| asks_for(&script, name))
            .map(|(name, text)| (*name, *text))
            .collect();
        Form::new(template, language, STYLE.to_owned(), script, &asked_for)
    }

    fn new(
        template: Template<'t, 't>,
        language: Language,
        style: String,
        script: String,
        labels: &BTreeMap<&str, &str>,
    ) -> Self {
        let policy = format!(
            "default-src 'none'; base-uri 'none'; form-action 'none'; style-src '{}'; script-src '{}'",
            source(&style),
            source(&script)
        );
        Form { template, language, style, script, labels: embedded(labels), policy }
    }

    /// The document whose script reads `data`, with `figures` in it, and below its title a sentence that nobody may miss.
    fn filled(&self, title: &str, data: &impl Serialize, warning: Option<&str>, figures: &[Embedded<'_>]) -> String {
        let Form { template, language, style, script, labels: asked_for, policy } = self;
        let filled = context! {
            language => language.tag(),
            label => labels(*language),
            title,
            warning,
            policy,
            style,
            script,
            labels => asked_for,
            data => embedded(data),
            figures => Value::from(Serde(figures)),
        };
        template.render(filled).expect("every label that a template asks for is there: a test fills it")
    }
}

/// A document of another template, given with its name, that extends `base.html` and has a style and a script of its own
/// behind those of the report.
pub(crate) fn document_of(
    (name, template): (&'static str, &'static str),
    language: Language,
    style: &str,
    script: &str,
    title: &str,
    data: &impl Serialize,
) -> String {
    let template = TEMPLATES.template_from_named_str(name, template);
    let template = template.expect("the template is part of the program, and a test fills it");
    let (style, script) = ([STYLE, style].concat(), [COMMON, script].concat());
    Form::new(template, language, style, script, labels(language)).filled(title, data, None, &[])
}

/// How a policy names an inline script or style.
fn source(content: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(content.as_bytes())))
}

/// JSON that can stand in a script element: nothing in it ends the element or opens a comment.
fn embedded(data: &impl Serialize) -> String {
    let json = serde_json::to_string(data).expect("maps have string keys");
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_embedded_cannot_end_its_element() {
        let json = embedded(&["</script><!--<script>", "\u{2028}"]);
        assert!(!json.contains('<'), "{json}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&json).unwrap(), ["</script><!--<script>", "\u{2028}"]);
    }

    #[test]
    fn a_document_has_the_labels_that_its_script_asks_for() {
        let form = Form::of_report("page.html", Language::English, ["x(label.kind, label.site_f1);", "", ""]);
        let document = form.filled("", &[1], None, &[]);
        let labels = document.split("id=\"labels\">").nth(1).unwrap().split("</script>").next().unwrap();
        assert_eq!(labels, r#"{"kind":"Kind","site_f1":"Site F1"}"#);
    }

    #[test]
    fn both_templates_are_filled_in_both_languages() {
        for language in Language::ALL {
            for template in ["index.html", "page.html"] {
                let form = Form::of_report(template, language, ["let x;", "", ""]);
                let document = form.filled("<b>&", &[1], Some("<i>&"), &[]);
                assert!(document.contains("&lt;b&gt;&amp;") && !document.contains("<b>"), "{document}");
                assert_eq!(document.contains("<strong>&lt;i&gt;&amp;</strong>"), template == "index.html");
                assert!(document.contains(&format!("<html lang=\"{}\">", language.tag())));
                let policy = document.replace("&#x27;", "'").replace("&#x2f;", "/");
                assert!(policy.contains(&source("let x;")) && policy.contains(&source(STYLE)));
            }
        }
    }
}
