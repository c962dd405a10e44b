//! `wrapper`: what is content of a site's pages, as selectors that a person wrote, or that were learned from the gold of
//! other pages.

mod check;
mod excess;
mod explaining;
mod globs;
mod learned_from;
mod learning;
mod reading;
mod rules;
mod site;
mod templates;
mod writing;

pub use self::check::{Checked, Tried, WithoutPages};
pub(in crate::runs) use self::learned_from::marks;
pub use self::learned_from::{LearnedFrom, PageMark, learned_from};
pub use self::learning::{LearnedTemplate, LearningParameters};
pub use self::rules::{Exclusion, Fallback, Included, Pick, Rule, Rules, Template};
pub(super) use self::templates::{PageTemplate, PageTemplates};
pub use self::templates::{SiteTemplate, learn_sites};
pub use self::writing::rules_file;
