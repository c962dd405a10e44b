//! How evenly things are spread over pages: entropies from two sums, so that no page's own counts are kept.

/// How one thing is spread over the pages that were read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// How often it occurs on all of them.
    count: u64,
    /// The sum of `c ln c` over its count `c` on each.
    sum: f64,
    /// On how many of them it occurs.
    pages: u32,
}

impl Spread {
    /// It occurs `count` times, at least once, on one more page.
    pub fn add(&mut self, count: usize) {
        let own = count as f64;
        self.count += count as u64;
        self.sum += own * libm::log(own);
        self.pages += 1;
    }

    /// On how many pages it occurs.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// `-sum p ln p / ln pages` over its share `p` on each page: 0 where it is on one page alone, 1 where it is equally
    /// often on all of `pages`. 0 where these are one.
    pub fn entropy(&self, pages: u32) -> f64 {
        if self.pages < 2 {
            return 0.0;
        }
        let all = self.count as f64;
        (libm::log(all) - self.sum / all) / libm::log(pages.into())
    }
}

/// How often each number of `numbers` stands there, in the order of numbers.
pub fn counts(mut numbers: Vec<u32>) -> Vec<(u32, usize)> {
    numbers.sort_unstable();
    numbers.chunk_by(|one, other| one == other).map(|equal| (equal[0], equal.len())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_is_0_on_one_page_and_1_on_all_alike() {
        let entropy = |counts: &[usize], pages: u32| {
            let mut spread = Spread::default();
            counts.iter().for_each(|&count| spread.add(count));
            spread.entropy(pages)
        };
        let is = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        is(entropy(&[7], 1), 0.0);
        is(entropy(&[7], 5), 0.0);
        is(entropy(&[3, 3], 2), 1.0);
        is(entropy(&[2, 2], 4), 0.5);
        // 1/4 and 3/4: 2 - 3/4 log2 3.
        is(entropy(&[1, 3], 2), 0.811_278_124_459_132_9);
    }

    #[test]
    fn numbers_are_counted() {
        assert_eq!(counts(vec![3, 1, 3]), [(1, 1), (3, 2)]);
    }
}
