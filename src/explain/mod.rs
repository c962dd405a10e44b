//! One page under one algorithm, or under rules or what learns: what was chosen, and the numbers that decided, as an outline, as JSON and as an HTML
//! page on which a slider moves a parameter.

mod explained;
pub mod html;
mod in_gold;
pub mod json;
mod nodes;
pub mod outline;
mod scorer;
pub mod source;
mod sweep;

pub use self::explained::{ExplainError, Explained};
pub use self::scorer::Comparison;
