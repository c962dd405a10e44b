//! Corrections for many tests: what a p-value is worth among others.

use serde::Serialize;

/// How p-values are corrected for their number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Correction {
    /// Holm (1979): the chance of any false difference is kept.
    #[default]
    Holm,
    /// Benjamini and Hochberg (1995): the share of false ones among the differences found is kept.
    Fdr,
}

impl Correction {
    /// The corrected p-values, in the order of `p_values`.
    pub fn correct(self, p_values: &[f64]) -> Vec<f64> {
        match self {
            Correction::Holm => holm(p_values),
            Correction::Fdr => benjamini_hochberg(p_values),
        }
    }

    /// The fewest sites with which one of `tests` sign-flip tests by site can come to `alpha` at all after the correction: the
    /// smallest p of `n` sites is `2 / 2^n`. Holm's correction multiplies the smallest p by the number of tests. That of Benjamini
    /// and Hochberg leaves it as it is where all tests come to it.
    ///
    /// ```
    /// use carat_core::statistics::Correction;
    /// let fewest = |tests| Correction::Holm.fewest_sites(tests, 0.05);
    /// assert_eq!([0, 1, 2, 3, 45].map(fewest), [6, 6, 7, 7, 11]);
    /// assert_eq!(Correction::Fdr.fewest_sites(45, 0.05), 6);
    /// ```
    pub fn fewest_sites(self, tests: usize, alpha: f64) -> usize {
        let factor = match self {
            Correction::Holm => tests.max(1),
            Correction::Fdr => 1,
        };
        let mut sites = 1;
        while factor as f64 * 2.0 * 0.5_f64.powi(sites) > alpha {
            sites += 1;
        }
        sites as usize
    }

    /// Its name in words.
    pub fn name(self) -> &'static str {
        match self {
            Correction::Holm => "Holm",
            Correction::Fdr => "Benjamini-Hochberg",
        }
    }
}

/// p-values corrected by Holm's step-down method.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let tests = p_values.len();
    let mut corrected = vec![0.0; tests];
    let mut greatest: f64 = 0.0;
    for (rank, at) in ascending(p_values).into_iter().enumerate() {
        greatest = greatest.max((p_values[at] * (tests - rank) as f64).min(1.0));
        corrected[at] = greatest;
    }
    corrected
}

/// p-values corrected by Benjamini's and Hochberg's step-up method.
pub fn benjamini_hochberg(p_values: &[f64]) -> Vec<f64> {
    let tests = p_values.len();
    let mut corrected = vec![0.0; tests];
    let mut smallest: f64 = 1.0;
    for (rank, at) in ascending(p_values).into_iter().enumerate().rev() {
        smallest = smallest.min(p_values[at] * tests as f64 / (rank + 1) as f64);
        corrected[at] = smallest;
    }
    corrected
}

fn ascending(p_values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From `tests/scripts/statistics_oracle.py` (statsmodels).
    const P: [f64; 8] = [0.010, 0.040, 0.030, 0.005, 0.550, 0.010, 0.0001, 0.910];
    const HOLM: [f64; 8] = [0.06, 0.12, 0.12, 0.035, 1.0, 0.06, 0.0008, 1.0];
    const FDR: [f64; 8] = [0.02, 0.053_333_333_333, 0.048, 0.02, 0.628_571_428_571, 0.02, 0.0008, 0.91];

    fn near(found: &[f64], expected: &[f64]) {
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-11), "{found:?} {expected:?}");
    }

    #[test]
    fn corrections_agree_with_statsmodels() {
        near(&holm(&P), &HOLM);
        near(&benjamini_hochberg(&P), &FDR);
        assert!(Correction::Holm.correct(&[]).is_empty() && Correction::Fdr.correct(&[]).is_empty());
    }
}
