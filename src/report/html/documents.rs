//! Documents without scripts: sections of tables and figures, filled when they are written.

use minijinja::context;
use minijinja::value::{Serde, Value};
use serde::Serialize;

use super::figure::Embedded;
use super::labels::labels;
use super::{STYLE, TEMPLATES, source};
use crate::report::drawing::{Drawn, FigureFiles};
use crate::report::language::Language;

/// A document.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Document {
    /// Its title.
    pub title: String,
    /// The file that leads to all documents; absent in that file itself.
    pub home: Option<String>,
    /// Sentences below the title.
    pub intro: Vec<String>,
    /// Its parts.
    #[serde(skip)]
    pub sections: Vec<Section>,
}

/// A part of a document.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// Its name in addresses: letters and hyphens.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Sentences below it.
    pub intro: Vec<String>,
    /// Its tables.
    pub tables: Vec<Table>,
    /// Its figures, by their places among those that are drawn.
    pub figures: Vec<usize>,
}

/// A table of texts.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Table {
    /// Its content in a phrase.
    pub caption: String,
    /// The names of its columns.
    pub header: Vec<String>,
    /// Columns from this one on are figures.
    pub right: usize,
    /// Its rows, each as long as the header.
    pub rows: Vec<Vec<Cell>>,
    /// Sentences below it.
    pub notes: Vec<String>,
}

/// A cell of a table.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Cell {
    /// Its text.
    pub text: String,
    /// The file of the same folder that it leads to.
    pub href: Option<String>,
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Cell { text, href: None }
    }
}

#[derive(Serialize)]
struct Shown<'d> {
    id: &'d str,
    title: &'d str,
    intro: &'d [String],
    tables: &'d [Table],
    figures: Vec<Embedded<'d>>,
}

#[derive(Serialize)]
struct Filled<'d> {
    title: &'d str,
    home: &'d Option<String>,
    intro: &'d [String],
    sections: Vec<Shown<'d>>,
}

impl Document {
    /// The document as HTML, with those of the `drawn` figures that its sections name; their `files` lie in `figures/`. It asks
    /// the network for nothing and runs nothing: its policy allows its style alone.
    pub fn html(&self, (drawn, files): (&[Drawn], &FigureFiles), language: Language) -> String {
        let section = |section: &'_ Section| {
            let figures = section.figures.iter().filter_map(|&place| drawn.get(place));
            figures.map(|drawn| Embedded::of(drawn, files, language)).collect::<Vec<Embedded<'_>>>()
        };
        let sections = self.sections.iter().map(|own| Shown {
            id: &own.id,
            title: &own.title,
            intro: &own.intro,
            tables: &own.tables,
            figures: section(own),
        });
        let filled = Filled { title: &self.title, home: &self.home, intro: &self.intro, sections: sections.collect() };
        let policy = format!("default-src 'none'; base-uri 'none'; form-action 'none'; style-src '{}'", source(STYLE));
        let template = TEMPLATES.get_template("static.html").expect("the template is part of the program");
        let filled = context! {
            language => language.tag(),
            label => labels(language),
            policy,
            style => STYLE,
            document => Value::from(Serde(&filled)),
        };
        template.render(filled).expect("all that the template asks for is there: a test fills it")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::examples::{row, summary};
    use crate::report::figure_inputs::FigureInputs;
    use crate::report::figures::figures;

    #[test]
    fn names_of_others_are_text_and_nothing_runs() {
        let evil = "<script>alert(1)</script>\"'&";
        let summary = summary(vec![row(evil, "nta", 0.5), row(evil, "cevc", 0.6)]);
        let drawn = crate::report::drawn(figures(&summary, &FigureInputs::default(), &[]).unwrap(), Language::English);
        let files = FigureFiles::painted(&drawn, None);
        let table = Table {
            caption: evil.to_owned(),
            header: vec![evil.to_owned(), "F1".to_owned()],
            right: 1,
            rows: vec![vec![Cell { text: evil.to_owned(), href: Some("a.html".to_owned()) }, "0.5".to_owned().into()]],
            notes: vec![evil.to_owned()],
        };
        let section = |id: &str| Section {
            id: id.to_owned(),
            title: evil.to_owned(),
            intro: vec![evil.to_owned()],
            tables: vec![table.clone()],
            figures: vec![0],
        };
        let document = Document {
            title: evil.to_owned(),
            home: Some("index.html".to_owned()),
            intro: vec![evil.to_owned()],
            sections: vec![section("one"), section("two")],
        };
        let html = document.html((&drawn, &files), Language::English);
        assert!(!html.contains("<script") && html.contains("&lt;script&gt;"), "{html}");
        assert_eq!(html.matches("<svg").count(), 2);
        assert!(html.contains("style-src") && !html.contains("script-src"), "default-src refuses scripts");
    }
}
