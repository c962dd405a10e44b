//! Tables by the edit distance of their trees (TEDS, Zhong et al. 2020).
//!
//! The tree of a table has three levels: the table, its rows, their cells. The distance is that of Zhang and Shasha
//! (1989): nodes are deleted, whose children move up, inserted, and renamed. All costs are integers in 10^-6 of a node.
//!
//! On three levels their recurrence comes down to one table of the size N M, for no rename costs more than a deletion:
//! the two roots are mapped to each other, and to rename a row into a cell never costs less than to delete the one and to
//! match the cell with one of the other's cells. What is left of the distances of subtrees is that of two rows, which is a
//! weighted Levenshtein distance of their cells. Cost: N M, and the product of the numbers of cells; memory: M.

use super::costs::{Cell, Costs, NODE, Row, Texts};
use super::kind::StructureError;
use super::tables::Table;
use crate::scoring::Counts;

/// One table, in the counts.
const TABLE: u64 = 1_000_000_000;

/// Pages beyond this product of their nodes are not compared.
const MOST_PAIRS: u64 = 50_000_000;

/// Nor are pages beyond this product of the characters of their distinct cells.
const MOST_PAIRS_OF_CHARACTERS: u64 = 1_000_000_000_000;

/// The tables of a page in order, each at most once, so that the sum of their similarities is largest. `None`: neither
/// side has one.
///
/// # Errors
/// [`StructureError::TooLarge`].
pub(super) fn compare(
    extraction: &[Table],
    gold: &[Table],
    with_texts: bool,
) -> Result<Option<Counts>, StructureError> {
    if extraction.is_empty() && gold.is_empty() {
        return Ok(None);
    }
    let nodes = |tables: &[Table]| tables.iter().map(|table| table.nodes() as u64).sum::<u64>();
    let (nodes, of_gold) = (nodes(extraction), nodes(gold));
    if nodes.saturating_mul(of_gold) > MOST_PAIRS {
        return Err(StructureError::TooLarge { extraction: nodes, gold: of_gold, unit: "nodes" });
    }
    let mut texts = [Texts::new(with_texts), Texts::new(with_texts)];
    let [of_extraction, of_gold] = &mut texts;
    let tables: Vec<Vec<Row>> = extraction.iter().map(|table| of_extraction.rows(table)).collect();
    let golds: Vec<Vec<Row>> = gold.iter().map(|table| of_gold.rows(table)).collect();
    let [characters, of_gold_texts] = [of_extraction.characters(), of_gold.characters()];
    if characters.saturating_mul(of_gold_texts) > MOST_PAIRS_OF_CHARACTERS {
        return Err(StructureError::TooLarge { extraction: characters, gold: of_gold_texts, unit: "characters" });
    }
    let costs = Costs::new(of_extraction, of_gold);
    let mut sums = vec![0; golds.len() + 1];
    for table in &tables {
        let above = sums.clone();
        for (at, gold) in golds.iter().enumerate() {
            let paired = above[at] + similarity(table, gold, &costs);
            sums[at + 1] = paired.max(above[at + 1]).max(sums[at]);
        }
    }
    let matched = sums[golds.len()];
    let counts = Counts { matched, extracted: tables.len() as u64 * TABLE, gold: golds.len() as u64 * TABLE };
    Ok(Some(counts))
}

/// `1 - distance / larger tree`, half up, at least 0.
fn similarity(table: &[Row], gold: &[Row], costs: &Costs) -> u64 {
    let size = |rows: &[Row]| 1 + rows.iter().map(|row| 1 + row.len() as u64).sum::<u64>();
    let larger = size(table).max(size(gold));
    let left = (larger * NODE).saturating_sub(distance(table, gold, costs));
    (2 * left * (TABLE / NODE) + larger) / (2 * larger)
}

/// A node below a table's root, in postorder: cells come before their row.
enum Node<'r> {
    Cell(Cell),
    /// A row, and the number of nodes before its first cell.
    Row(&'r Row, usize),
}

fn postorder(rows: &[Row]) -> Vec<Node<'_>> {
    let mut nodes = Vec::new();
    for row in rows {
        let before = nodes.len();
        nodes.extend(row.iter().map(|&cell| Node::Cell(cell)));
        nodes.push(Node::Row(row, before));
    }
    nodes
}

/// The distance of two tables. `before[j]` is the distance of the rows so far from the first `j` nodes of the gold.
fn distance(table: &[Row], gold: &[Row], costs: &Costs) -> u64 {
    let nodes = postorder(gold);
    let mut before: Vec<u64> = (0..=nodes.len() as u64).map(|inserted| inserted * NODE).collect();
    for row in table {
        let mut last = before.clone();
        for &cell in row {
            last = step(&last, &nodes, |at, node| match node {
                Node::Cell(gold) => Some(last[at] + costs.rename(cell, *gold)),
                Node::Row(..) => None,
            });
        }
        before = step(&last, &nodes, |_, node| match node {
            Node::Row(gold, first) => Some(before[*first] + distance_of_rows(row, gold, costs)),
            Node::Cell(_) => None,
        });
    }
    before[nodes.len()]
}

/// One more node of the table: it is deleted, or the gold's node inserted, or the one `matched` with the other.
fn step(last: &[u64], nodes: &[Node<'_>], matched: impl Fn(usize, &Node<'_>) -> Option<u64>) -> Vec<u64> {
    let mut next = Vec::with_capacity(last.len());
    let mut left = last[0] + NODE;
    next.push(left);
    for (at, node) in nodes.iter().enumerate() {
        let edited = (left + NODE).min(last[at + 1] + NODE);
        left = matched(at, node).map_or(edited, |matched| matched.min(edited));
        next.push(left);
    }
    next
}

/// The weighted Levenshtein distance of two rows' cells.
fn distance_of_rows(row: &[Cell], gold: &[Cell], costs: &Costs) -> u64 {
    let mut line: Vec<u64> = (0..=gold.len() as u64).map(|inserted| inserted * NODE).collect();
    for &cell in row {
        let mut diagonal = line[0];
        line[0] += NODE;
        for (at, &gold) in gold.iter().enumerate() {
            let matched = diagonal + costs.rename(cell, gold);
            diagonal = line[at + 1];
            line[at + 1] = matched.min(diagonal + NODE).min(line[at] + NODE);
        }
    }
    line[gold.len()]
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use proptest::prelude::*;

    use super::super::tables;
    use super::*;

    fn table(rows: &[&[&str]]) -> Table {
        let cell = |text: &&str| tables::Cell { text: (*text).to_owned(), colspan: 1, rowspan: 1 };
        Table { rows: rows.iter().map(|row| row.iter().map(cell).collect()).collect() }
    }

    fn matched(extraction: &[Table], gold: &[Table], with_texts: bool) -> Option<[u64; 3]> {
        let counts = compare(extraction, gold, with_texts).unwrap()?;
        Some([counts.matched, counts.extracted, counts.gold])
    }

    fn alike(one: &Table, other: &Table) -> u64 {
        matched(from_ref(one), from_ref(other), true).unwrap()[0]
    }

    #[test]
    fn cells_of_too_many_characters_are_not_compared() {
        let [long, longer] = [1_000_000, 1_000_001].map(|length| table(&[&[&"a".repeat(length)]]));
        let refused = StructureError::TooLarge { extraction: 1_000_000, gold: 1_000_001, unit: "characters" };
        assert_eq!(compare(from_ref(&long), from_ref(&longer), true), Err(refused));
        assert_eq!(matched(from_ref(&long), from_ref(&longer), false), Some([TABLE; 3]));
    }

    #[test]
    fn tables_worked_by_hand() {
        let whole = table(&[&["a", "b"], &["10", "2"]]);
        assert_eq!(alike(&whole, &table(&[&["a", "b"]])), 571_428_571);
        assert_eq!(alike(&whole, &table(&[&["a", "b"], &["12", "2"]])), 928_571_429);
        assert_eq!(alike(&table(&[&["a"; 4]]), &table(&[&["b"], &["b"], &["b"]])), 0);
        let day: &[&str] = &["Monday", "09:00 - 17:30"];
        let long = table(&[day; 9]);
        assert_eq!(alike(&long, &table(&[&["1"]])), 74_175_821);
        assert_eq!(matched(&[long], &[table(&[&["1"]])], false), Some([107_142_857, TABLE, TABLE]));
        let mut wide = table(&[&["a"]]);
        wide.rows[0][0].colspan = 2;
        assert_eq!(alike(&wide, &table(&[&["a"]])), 666_666_667);
    }

    #[test]
    fn tables_are_paired_in_order() {
        let (a, b) = (table(&[&["a", "b"], &["1", "2"]]), table(&[&["c"]]));
        let both = [a.clone(), b.clone()];
        assert_eq!(matched(from_ref(&b), &both, true), Some([TABLE, TABLE, 2 * TABLE]));
        assert_eq!(matched(&[b, a], &both, true), Some([TABLE, 2 * TABLE, 2 * TABLE]));
        assert_eq!(matched(&both, &[], true), Some([0, 2 * TABLE, 0]));
        assert_eq!(matched(&[], &[], true), None);
    }

    #[test]
    fn tables_too_large_are_refused() {
        let row = vec!["x"; 100];
        let large = table(&vec![&row[..]; 100]);
        let error = compare(from_ref(&large), from_ref(&large), false).unwrap_err();
        assert_eq!(error.to_string(), "the tables are too large to compare (10101 and 10101 nodes)");
    }

    /// The tree of a table in postorder: each node's level and cell, and its leftmost leaf.
    type Flat<'t> = Vec<(usize, Option<&'t tables::Cell>, usize)>;

    fn flat(table: &Table) -> Flat<'_> {
        let mut nodes = Flat::new();
        for row in &table.rows {
            let first = nodes.len();
            nodes.extend(row.iter().enumerate().map(|(at, cell)| (2, Some(cell), first + at)));
            nodes.push((1, None, first));
        }
        nodes.push((0, None, 0));
        nodes
    }

    fn renamed(one: (usize, Option<&tables::Cell>), other: (usize, Option<&tables::Cell>)) -> u64 {
        let spans = |cell: &tables::Cell| (cell.colspan, cell.rowspan);
        match (one, other) {
            ((_, Some(one)), (_, Some(other))) if spans(one) == spans(other) => {
                let longer = one.text.chars().count().max(other.text.chars().count()) as f64;
                let distance = strsim::levenshtein(&one.text, &other.text) as f64;
                if longer == 0.0 { 0 } else { (1e6 * distance / longer + 0.5).floor() as u64 }
            }
            ((level, None), (of_other, None)) if level == of_other => 0,
            _ => NODE,
        }
    }

    /// Zhang and Shasha's algorithm as they wrote it: the distances of all subtrees, keyroot by keyroot.
    fn textbook(one: &Table, other: &Table) -> u64 {
        let (one, other) = (flat(one), flat(other));
        let keyroots = |nodes: &Flat<'_>| -> Vec<usize> {
            let is_last = |&at: &usize| nodes[at + 1..].iter().all(|node| node.2 != nodes[at].2);
            (0..nodes.len()).filter(is_last).collect()
        };
        let mut trees = vec![vec![0; other.len()]; one.len()];
        for i in keyroots(&one) {
            for &j in &keyroots(&other) {
                let (first, of_other) = (one[i].2, other[j].2);
                let (height, width) = (i - first + 2, j - of_other + 2);
                let mut forest = vec![vec![0; width]; height];
                (1..height).for_each(|x| forest[x][0] = x as u64 * NODE);
                (1..width).for_each(|y| forest[0][y] = y as u64 * NODE);
                for x in 1..height {
                    for y in 1..width {
                        let (a, b) = (first + x - 1, of_other + y - 1);
                        let edited = (forest[x - 1][y] + NODE).min(forest[x][y - 1] + NODE);
                        if one[a].2 == first && other[b].2 == of_other {
                            let cost = renamed((one[a].0, one[a].1), (other[b].0, other[b].1));
                            forest[x][y] = edited.min(forest[x - 1][y - 1] + cost);
                            trees[a][b] = forest[x][y];
                        } else {
                            let before = forest[one[a].2 - first][other[b].2 - of_other];
                            forest[x][y] = edited.min(before + trees[a][b]);
                        }
                    }
                }
            }
        }
        trees[one.len() - 1][other.len() - 1]
    }

    fn quick(one: &Table, other: &Table) -> u64 {
        let (mut of_one, mut of_other) = (Texts::new(true), Texts::new(true));
        let (rows, others) = (of_one.rows(one), of_other.rows(other));
        distance(&rows, &others, &Costs::new(&of_one, &of_other))
    }

    fn any_table() -> impl Strategy<Value = Table> {
        let text = prop_oneof![Just(String::new()), "[ab]{1,3}", "[a-c]{4,7}"];
        let span = || prop_oneof![6 => Just(1u32), 1 => Just(2u32)];
        let cell = (text, span(), span());
        let cell = cell.prop_map(|(text, colspan, rowspan)| tables::Cell { text, colspan, rowspan });
        let rows = proptest::collection::vec(proptest::collection::vec(cell, 1..5), 1..5);
        rows.prop_map(|rows| Table { rows })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]

        #[test]
        fn distances_are_those_of_the_textbook(one in any_table(), other in any_table()) {
            prop_assert_eq!(quick(&one, &other), textbook(&one, &other));
        }

        #[test]
        fn a_table_is_like_itself_and_likeness_is_symmetric(one in any_table(), other in any_table()) {
            prop_assert_eq!(alike(&one, &one), TABLE);
            prop_assert_eq!(quick(&one, &other), quick(&other, &one));
            prop_assert!(alike(&one, &other) <= TABLE);
        }
    }
}
