//! The ten families of pages: a template each, and what its pages are like.

/// A family of pages that share a template.
pub(super) struct Family {
    /// As recipes name it.
    pub(super) number: usize,
    /// Its template, for minijinja.
    pub(super) template: &'static str,
    /// The kind of its pages.
    pub(super) kind: &'static str,
    /// The pool of names in its menu.
    pub(super) menu: &'static str,
    /// After how many paragraphs its related links stand.
    pub(super) related_after: usize,
}

const fn family(number: usize, template: &'static str, kind: &'static str, related_after: usize) -> Family {
    let menu = if number == 4 || number == 5 { "blogrolls" } else { "channels" };
    Family { number, template, kind, menu, related_after }
}

/// The families, by number: old portal with tables in tables; portal article with line breaks in one
/// element; one form around the page; blog with comments; centred short lines; news in traditional
/// script; English news of the print era; English news of today; forum thread; listings and products.
pub(super) static FAMILIES: [Family; 10] = [
    family(1, include_str!("../../../datasets/synth/templates/family-1.html"), "article", 2),
    family(2, include_str!("../../../datasets/synth/templates/family-2.html"), "article", 1),
    family(3, include_str!("../../../datasets/synth/templates/family-3.html"), "article", 2),
    family(4, include_str!("../../../datasets/synth/templates/family-4.html"), "blog", 1),
    family(5, include_str!("../../../datasets/synth/templates/family-5.html"), "blog", 4),
    family(6, include_str!("../../../datasets/synth/templates/family-6.html"), "article", 3),
    family(7, include_str!("../../../datasets/synth/templates/family-7.html"), "article", 3),
    family(8, include_str!("../../../datasets/synth/templates/family-8.html"), "article", 2),
    family(9, include_str!("../../../datasets/synth/templates/family-9.html"), "forum", 1),
    family(10, include_str!("../../../datasets/synth/templates/family-10.html"), "listing", 1),
];
