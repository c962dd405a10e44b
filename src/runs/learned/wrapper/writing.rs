//! Learned templates as a rules file, to be read and mended by hand.

use std::fmt::Write as _;

use super::learned_from::{LearnedFrom, PageMark};
use super::rules::{Exclusion, Included, Pick};
use super::templates::SiteTemplate;

/// So many pages stand on a line.
const MARKS_A_LINE: usize = 7;

/// A rules file of `templates`, which were learned alike from one dataset, with the fallback as it is written.
pub fn rules_file(templates: &[SiteTemplate], from: &LearnedFrom, fallback: &str) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let mut yaml = "format: 1\n".to_owned();
    if let Some(exclusion) =
        templates.first().map(|site| site.learnt.exclusion).filter(|one| *one != Exclusion::Nearest)
    {
        let _ = writeln!(yaml, "exclusion: {}", exclusion.name());
    }
    let _ = write!(yaml, "fallback: {}\nrules:", quoted(fallback));
    yaml.push_str(if templates.is_empty() { " []\n" } else { "\n" });
    for SiteTemplate { site, pages, learnt } in templates {
        let include = |one: &Included| match one.pick {
            Pick::All => quoted(&one.selector),
            Pick::First => format!("{{selector: {}, pick: first}}", quoted(&one.selector)),
        };
        let include: Vec<String> = learnt.include.iter().map(include).collect();
        let (whole, rest) = (learnt.fit / 1_000_000_000, learnt.fit % 1_000_000_000 / 100_000);
        let _ = writeln!(
            yaml,
            "  - site: {}      # mean F1 {whole}.{rest:04} on {} pages learned from",
            quoted(site),
            pages.len()
        );
        let _ = writeln!(yaml, "    include: [{}]", include.join(", "));
        if !learnt.exclude.is_empty() {
            let exclude: Vec<String> = learnt.exclude.iter().map(|selector| quoted(selector)).collect();
            let _ = writeln!(yaml, "    exclude: [{}]", exclude.join(", "));
        }
    }
    yaml.push_str(
        "\n# On any of these pages, which are known by what their SHA-256 begins with, the rules are a bound.\n",
    );
    let _ = writeln!(yaml, "learned_from:\n  dataset: {}\n  digest: {}", quoted(&from.dataset), quoted(&from.digest));
    yaml.push_str("  pages: |\n");
    let marks: Vec<String> = from.pages.iter().map(PageMark::to_string).collect();
    for line in marks.chunks(MARKS_A_LINE) {
        let _ = writeln!(yaml, "    {}", line.join(" "));
    }
    yaml
}
