//! File names made of names that may hold anything.

use std::collections::BTreeSet;

/// Bytes of a part of a name that are kept: four parts, a suffix and an extension stay below the
/// 255 that file systems allow.
const LONGEST_PART: usize = 56;

/// Gives out file stems, each once.
#[derive(Debug, Default)]
pub struct Stems {
    /// In lower case: some file systems do not tell `A` from `a`.
    given: BTreeSet<String>,
}

impl Stems {
    /// `parts` joined by hyphens, safe as a file name, and followed by a number where it was given before.
    pub fn give(&mut self, parts: &[&str]) -> String {
        let stem = parts.iter().map(|part| safe(part)).collect::<Vec<_>>().join("-");
        let numbered = (2..).map(|number| format!("{stem}-{number}"));
        let free = std::iter::once(stem.clone()).chain(numbered).find(|name| self.given.insert(name.to_lowercase()));
        free.unwrap_or(stem)
    }
}

/// Letters and digits of any script stay, and `-_.=+`; all else becomes `_`. A point in front would hide the file.
fn safe(part: &str) -> String {
    let kept = |c: char| c.is_alphanumeric() || "-_.=+".contains(c);
    let mut name = String::new();
    for c in part.chars().map(|c| if kept(c) { c } else { '_' }) {
        if name.len() + c.len_utf8() > LONGEST_PART {
            break;
        }
        name.push(if c == '.' && name.is_empty() { '_' } else { c });
    }
    if name.is_empty() { "_".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_no_file_names_are_made_safe() {
        let mut stems = Stems::default();
        assert_eq!(
            stems.give(&["../新闻 a/b", "nta", "density=0.3,start=first"]),
            "_._新闻_a_b-nta-density=0.3_start=first"
        );
        assert_eq!(stems.give(&["", "nta"]), "_-nta");
        assert!(stems.give(&[&"长".repeat(400), "nta"]).len() < 100);
    }

    #[test]
    fn no_name_is_given_twice() {
        let mut stems = Stems::default();
        assert_eq!(stems.give(&["a b", "nta"]), "a_b-nta");
        assert_eq!(stems.give(&["A:b", "nta"]), "A_b-nta-2");
        assert_eq!(stems.give(&["a/b", "nta"]), "a_b-nta-3");
    }
}
