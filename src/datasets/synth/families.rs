//! The ten families of pages: a template each, and what its pages are like.

use super::finish::LABEL;

/// A family of pages that share a template.
pub(super) struct Family {
    /// As recipes name it.
    pub(super) number: usize,
    /// The kind of its pages.
    pub(super) kind: &'static str,
    /// The pool of names in its menu.
    pub(super) menu: &'static str,
    /// After how many paragraphs its related links stand.
    pub(super) related_after: usize,
    /// Whether its pages write their label as HTML 4 did.
    old_label: bool,
    /// Its template, for minijinja.
    pub(super) template: &'static str,
}

impl Family {
    /// The element in which its pages say their encoding.
    pub(super) fn label_element(&self) -> String {
        match self.old_label {
            true => format!("<meta http-equiv=\"Content-Type\" content=\"text/html; charset={LABEL}\">"),
            false => format!("<meta charset=\"{LABEL}\">"),
        }
    }
}

macro_rules! template {
    ($name:literal) => {
        include_str!(concat!("../../../datasets/synth/templates/", $name))
    };
}

/// The families, by number.
pub(super) static FAMILIES: [Family; 10] = [
    // An old portal: tables in tables.
    Family {
        number: 1,
        kind: "article",
        menu: "channels",
        related_after: 2,
        old_label: true,
        template: template!("family-1.html"),
    },
    // A portal whose article is one element with line breaks.
    Family {
        number: 2,
        kind: "article",
        menu: "channels",
        related_after: 1,
        old_label: true,
        template: template!("family-2.html"),
    },
    // One form around the page.
    Family {
        number: 3,
        kind: "article",
        menu: "channels",
        related_after: 2,
        old_label: true,
        template: template!("family-3.html"),
    },
    // A blog with comments.
    Family {
        number: 4,
        kind: "blog",
        menu: "blogrolls",
        related_after: 1,
        old_label: false,
        template: template!("family-4.html"),
    },
    // Centred short lines.
    Family {
        number: 5,
        kind: "blog",
        menu: "blogrolls",
        related_after: 4,
        old_label: true,
        template: template!("family-5.html"),
    },
    // News in traditional script.
    Family {
        number: 6,
        kind: "article",
        menu: "channels",
        related_after: 3,
        old_label: true,
        template: template!("family-6.html"),
    },
    // English news of the print era.
    Family {
        number: 7,
        kind: "article",
        menu: "channels",
        related_after: 3,
        old_label: true,
        template: template!("family-7.html"),
    },
    // English news of today.
    Family {
        number: 8,
        kind: "article",
        menu: "channels",
        related_after: 2,
        old_label: false,
        template: template!("family-8.html"),
    },
    // A forum thread.
    Family {
        number: 9,
        kind: "forum",
        menu: "channels",
        related_after: 1,
        old_label: false,
        template: template!("family-9.html"),
    },
    // Front pages, listings and products.
    Family {
        number: 10,
        kind: "listing",
        menu: "channels",
        related_after: 1,
        old_label: false,
        template: template!("family-10.html"),
    },
];
