//! From pieces of text nodes back to whole ones.

/// For each text node the greatest value such that at least half of its characters lie in pieces with that value
/// or more. `pieces` are a text node's place, a value and the piece's characters; those of one text node are
/// neighbours.
pub fn majority<T: Ord + Copy>(pieces: impl IntoIterator<Item = (usize, T, u32)>) -> Vec<T> {
    let mut pieces = pieces.into_iter().peekable();
    let (mut of_node, mut values) = (Vec::new(), Vec::new());
    while let Some((node, value, chars)) = pieces.next() {
        values.clear();
        values.push((value, chars));
        while let Some((_, value, chars)) = pieces.next_if(|piece| piece.0 == node) {
            values.push((value, chars));
        }
        of_node.extend(greatest_of_half(&mut values));
    }
    of_node
}

fn greatest_of_half<T: Ord + Copy>(values: &mut [(T, u32)]) -> Option<T> {
    values.sort_unstable_by_key(|&(value, _)| std::cmp::Reverse(value));
    let total: u64 = values.iter().map(|&(_, chars)| u64::from(chars)).sum();
    let mut got = 0;
    let reaches_half = |&&(_, chars): &&(T, u32)| {
        got += u64::from(chars);
        2 * got >= total
    };
    values.iter().find(reaches_half).map(|&(value, _)| value)
}
