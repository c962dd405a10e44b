//! Claims that printed figures decide.

use serde_json::{Map, Value as Json};

use super::{Outcome, Verdict};
use crate::papers::{figure, published, text};

/// Whether `relation` holds in so many rows of a table, and what is said of its groups holds too.
pub(super) fn table(
    id: &str,
    (relation, expected): (&str, usize),
    of_groups: [(&str, &String); 2],
) -> Result<Outcome, String> {
    let table = published().table(id).ok_or_else(|| format!("there is no printed table {id}"))?;
    let held: Vec<bool> = table.rows.iter().map(|row| holds(row, relation)).collect::<Result<_, _>>()?;
    let count = held.iter().filter(|held| **held).count();
    let mut parts = vec![count == expected];
    let of_paper = "of the table that the paper prints, not of these pages";
    let mut remarks = vec![format!("{of_paper}: {relation} in {count} of {} rows", held.len())];
    for (name, relation) in of_groups {
        let group = table.groups.iter().find(|group| text(group, "group") == Some(name));
        let group = group.ok_or_else(|| format!("the printed table {id} has no group {name}"))?;
        let held = holds(group, relation)?;
        parts.push(held);
        remarks.push(format!("{relation} of {name}: {}", if held { "yes" } else { "no" }));
    }
    let verdict = if parts.iter().all(|held| *held) { Verdict::Holds } else { Verdict::Fails };
    // Nothing was measured here: the remark says what is printed.
    Ok(Outcome { verdict, measured: Vec::new(), remark: remarks.join("; ") })
}

/// Whether `LEFT > RIGHT` or `LEFT < RIGHT` holds of a printed row.
fn holds(row: &Map<String, Json>, relation: &str) -> Result<bool, String> {
    let unknown = || format!("`{relation}` cannot be read of a printed row");
    let [left, sign, right] = <[&str; 3]>::try_from(relation.split(' ').collect::<Vec<_>>()).map_err(|_| unknown())?;
    let (left, right) = figure(row, left).zip(figure(row, right)).ok_or_else(unknown)?;
    match sign {
        ">" => Ok(left > right),
        "<" => Ok(left < right),
        _ => Err(unknown()),
    }
}
