//! How much of two pages' text is the same, told from 256 bytes of each: a one-permutation MinHash of the runs of
//! twelve characters (Li, Owen, Zhang 2012, "One permutation hashing"). Nothing is drawn: the hash is fixed.

use std::collections::HashMap;

use crate::text::is_white_space;

/// Bins of a signature.
const BINS: usize = 128;

/// Bins that two pages must share to be held against each other: at nine tenths of a common text, one of sixteen such
/// rows is equal in 9999 of 10 000 cases.
const ROW: usize = 8;

/// Characters of a run, white space left out.
const RUN: usize = 12;

/// A page of fewer runs is too short to be like another one.
const LEAST_RUNS: usize = 400;

/// In so many of a hundred bins two pages are equal that are nearly the same.
pub(super) const NEARLY: usize = 90;

/// What a page's runs come to.
#[derive(Clone, Debug)]
pub(super) struct Signature([u16; BINS]);

impl Signature {
    /// Of a text; `None` for one that is too short.
    pub(super) fn of(text: &str) -> Option<Signature> {
        let (mut least, mut read) = ([u64::MAX; BINS], 0);
        for run in runs::<RUN>(text.chars().filter(|&c| !is_white_space(c))) {
            let bin = &mut least[(run >> 57) as usize];
            *bin = run.min(*bin);
            read += 1;
        }
        // The low bits of the least hash tell runs apart as well as all of it.
        (read >= LEAST_RUNS).then(|| Signature(least.map(|least| mixed(least) as u16)))
    }

    /// In how many of a hundred bins both are equal: an estimate of the common runs among all runs of the two.
    fn percent_alike(&self, other: &Signature) -> usize {
        self.0.iter().zip(&other.0).filter(|(one, other)| one == other).count() * 100 / BINS
    }

    /// A key for each row of bins.
    fn rows(&self) -> impl Iterator<Item = u64> {
        self.0
            .chunks(ROW)
            .enumerate()
            .map(|(row, bins)| bins.iter().fold(mixed(row as u64), |key, &bin| mixed(key ^ u64::from(bin))))
    }
}

/// The hash of each run of `N` characters.
pub(super) fn runs<const N: usize>(characters: impl Iterator<Item = char>) -> impl Iterator<Item = u64> {
    const BASE: u64 = 0x9E37_79B9_7F4A_7C15;
    let highest = (1..N).fold(1u64, |power, _| power.wrapping_mul(BASE));
    let (mut window, mut hash, mut read) = ([0u64; N], 0u64, 0usize);
    characters.filter_map(move |c| {
        let slot = &mut window[read % N];
        hash = hash.wrapping_sub(slot.wrapping_mul(highest)).wrapping_mul(BASE).wrapping_add(u64::from(c));
        *slot = u64::from(c);
        read += 1;
        (read >= N).then(|| mixed(hash))
    })
}

/// The bits of `x`, mixed (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators").
fn mixed(x: u64) -> u64 {
    let x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// Pages that were seen, found again by their rows of bins. Of pages that share a row only the first is kept under it,
/// so that a page is held against sixteen earlier ones at most.
#[derive(Default)]
pub(super) struct Similar {
    rows: HashMap<u64, u32>,
    signatures: HashMap<u32, Signature>,
}

impl Similar {
    /// The earlier page that `page` is most like, the first of several, and in how many of a hundred bins, if it is
    /// nearly the same; else the page is remembered.
    pub(super) fn earlier(&mut self, page: u32, signature: Signature) -> Option<(u32, usize)> {
        let candidates = signature.rows().filter_map(|row| self.rows.get(&row).copied());
        let alike = candidates.map(|earlier| (signature.percent_alike(&self.signatures[&earlier]), earlier));
        let best = alike.max_by_key(|&(percent, earlier)| (percent, std::cmp::Reverse(earlier)));
        if let Some((percent, earlier)) = best.filter(|&(percent, _)| percent >= NEARLY) {
            return Some((earlier, percent));
        }
        for row in signature.rows() {
            self.rows.entry(row).or_insert(page);
        }
        self.signatures.insert(page, signature);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words that differ from number to number.
    fn words(numbers: std::ops::Range<u64>) -> String {
        numbers.map(|number| format!("{:x} ", mixed(number) >> 32)).collect()
    }

    #[test]
    fn alike_is_the_share_of_common_runs() {
        let of = |text: &str| Signature::of(text).unwrap();
        let all = of(&words(0..2000));
        // Common runs among all runs of the two: 3/5 and 19/20.
        for (other, percent) in [(words(500..2500), 60), (words(0..1900), 95), (words(9000..9900), 0)] {
            let found = all.percent_alike(&of(&other));
            assert!(found.abs_diff(percent) <= 12, "{found} for {percent}");
        }
        assert_eq!(all.percent_alike(&of(&words(0..2000).replace(' ', "\n\u{3000}"))), 100);
        assert!(Signature::of("too short to be like another page").is_none());
    }

    #[test]
    fn the_nearest_earlier_page_is_found() {
        let mut similar = Similar::default();
        let mut earlier = |page, text: &str| similar.earlier(page, Signature::of(text).unwrap());
        assert_eq!(earlier(0, &words(0..2000)), None);
        assert_eq!(earlier(1, &words(5000..7000)), None);
        assert_eq!(earlier(2, &words(0..1000)), None);
        assert_eq!(earlier(3, &words(5000..7000)), Some((1, 100)));
        assert_eq!(earlier(4, &words(5..2003)).map(|(page, _)| page), Some(0));
    }
}
