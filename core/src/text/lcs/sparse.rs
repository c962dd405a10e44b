//! Only the words in which a symbol occurs: for long texts of many symbols.

use std::ops::Range;

pub(super) struct Sparse {
    /// The entries of symbol `id` are `entries[starts[id]..starts[id + 1]]`, by ascending word.
    starts: Vec<usize>,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy)]
struct Entry {
    word: usize,
    mask: u64,
}

impl Sparse {
    pub(super) fn new(ids: &[u32], symbols: usize) -> Self {
        let mut rows: Vec<Vec<Entry>> = vec![Vec::new(); symbols];
        for (i, &id) in ids.iter().enumerate() {
            let (row, word, bit) = (&mut rows[id as usize], i / 64, 1 << (i % 64));
            match row.last_mut() {
                Some(last) if last.word == word => last.mask |= bit,
                _ => row.push(Entry { word, mask: bit }),
            }
        }
        let ends = rows.iter().scan(0, |end, row| {
            *end += row.len();
            Some(*end)
        });
        Sparse { starts: std::iter::once(0).chain(ends).collect(), entries: rows.concat() }
    }

    /// How many words the tokens `ids` have to be taken through.
    pub(super) fn work(&self, ids: &[u32]) -> usize {
        ids.iter().map(|&id| self.starts[id as usize + 1] - self.starts[id as usize]).sum()
    }

    /// Takes `state`, which is that of `words`, through the tokens `ids`.
    pub(super) fn run(&self, state: &mut [u64], words: Range<usize>, ids: &[u32]) {
        for &id in ids {
            let row = &self.entries[self.starts[id as usize]..self.starts[id as usize + 1]];
            let row = &row[row.partition_point(|entry| entry.word < words.start)..];
            // The word to which a carry goes next, if there is one.
            let mut carry = None;
            for entry in row.iter().take_while(|entry| entry.word < words.end) {
                let word = entry.word - words.start;
                let carried = carry.is_some_and(|from| !settle(&mut state[from..word]));
                let value = state[word];
                let hits = value & entry.mask;
                let (sum, carried) = value.carrying_add(hits, carried);
                state[word] = sum | (value ^ hits);
                carry = carried.then_some(word + 1);
            }
            if let Some(from) = carry {
                settle(&mut state[from..]);
            }
        }
    }
}

/// A carry into words without the symbol: it stops at the lowest zero bit and sets it. `false`:
/// there was none.
fn settle(words: &mut [u64]) -> bool {
    let open = words.iter_mut().find(|word| **word != !0);
    open.is_some_and(|word| {
        *word |= *word + 1;
        true
    })
}
