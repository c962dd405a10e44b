//! The letters notation: rows that share a letter are not separated.

/// Letters for `rows` rows, given in the order of tables: two rows share a letter exactly where `separated`
/// does not hold of them. Cliques of rows that are not separated are grown from the first pair that has no
/// letter in common (after Piepho 2004, "An algorithm for a letter-based representation of all-pairwise
/// comparisons", whose optimum it does not claim); a group whose pairs other groups have too is left out.
pub fn letters(rows: usize, separated: impl Fn(usize, usize) -> bool) -> Vec<String> {
    let alike = |a: usize, b: usize| a == b || !separated(a.min(b), a.max(b));
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for first in 0..rows {
        for second in (first..rows).filter(|&second| alike(first, second)) {
            let pair_is_held = groups.iter().any(|group| group.contains(&first) && group.contains(&second));
            // A row alone needs a group only where nothing is like it.
            let stands_alone = (0..rows).all(|other| other == first || !alike(first, other));
            if pair_is_held || first == second && !stands_alone {
                continue;
            }
            let mut group = vec![first, second];
            group.dedup();
            for row in 0..rows {
                if !group.contains(&row) && group.iter().all(|&member| alike(member, row)) {
                    group.push(row);
                }
            }
            group.sort_unstable();
            groups.push(group);
        }
    }
    without_redundant(&mut groups);
    groups.sort();
    let of_row = |row| {
        let held = groups.iter().enumerate().filter(|(_, group)| group.contains(&row));
        held.map(|(number, _)| letter(number)).collect()
    };
    (0..rows).map(of_row).collect()
}

/// Leaves out groups all of whose pairs stand in other groups.
fn without_redundant(groups: &mut Vec<Vec<usize>>) {
    let mut at = groups.len();
    while at > 0 {
        at -= 1;
        let held_elsewhere = |a: usize, b: usize| {
            let others = groups.iter().enumerate().filter(|(other, _)| *other != at);
            others.into_iter().any(|(_, group)| group.contains(&a) && group.contains(&b))
        };
        let group = &groups[at];
        if group.iter().all(|&a| group.iter().all(|&b| held_elsewhere(a, b))) {
            groups.remove(at);
        }
    }
}

/// `a` to `z`, then `A` to `Z`, then the same followed by a number.
fn letter(number: usize) -> String {
    const ALPHABET: &[u8; 52] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let letter = char::from(ALPHABET[number % ALPHABET.len()]);
    match number / ALPHABET.len() {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(rows: usize, separated: &[(usize, usize)]) -> Vec<String> {
        letters(rows, |a, b| separated.contains(&(a, b)))
    }

    #[test]
    fn letters_by_hand() {
        assert_eq!(of(3, &[]), ["a", "a", "a"]);
        assert_eq!(of(3, &[(0, 1), (0, 2), (1, 2)]), ["a", "b", "c"]);
        assert_eq!(of(3, &[(0, 2)]), ["a", "ab", "b"]);
        // A row of wide spread shares letters beyond its neighbours.
        assert_eq!(of(4, &[(0, 1), (0, 2), (1, 2)]), ["a", "b", "c", "abc"]);
        assert_eq!(of(0, &[]), Vec::<String>::new());
        assert_eq!(of(1, &[]), ["a"]);
    }

    #[test]
    fn there_are_more_letters_than_the_alphabet_has() {
        let all = letters(54, |_, _| true);
        assert_eq!([&all[0], &all[26], &all[51], &all[52], &all[53]], ["a", "A", "Z", "a1", "b1"]);
    }

    proptest! {
        #[test]
        fn rows_share_a_letter_exactly_where_they_are_not_separated(
            rows in 1usize..9, pairs in proptest::collection::vec(any::<bool>(), 81)
        ) {
            let separated = |a: usize, b: usize| pairs[a * 9 + b];
            let letters = letters(rows, separated);
            for a in 0..rows {
                prop_assert!(!letters[a].is_empty());
                for b in a + 1..rows {
                    let shared = letters[a].chars().any(|letter| letters[b].contains(letter));
                    prop_assert_eq!(shared, !separated(a, b), "{:?}", letters);
                }
            }
        }
    }
}
