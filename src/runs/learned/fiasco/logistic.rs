//! Logistic regression with weights, by Newton's method: every sum in the order of the rows, so that a model is the
//! same on any number of threads.

use super::blocks::FEATURES;

/// Coefficients of the features, and a constant behind them.
const COEFFICIENTS: usize = FEATURES + 1;

/// The most steps of Newton's method.
const MOST_STEPS: usize = 25;

/// A step that moves no coefficient as far is the last one.
const SMALLEST_STEP: f64 = 1e-6;

/// What keeps a feature that never varies from being divided by 0.
const LEAST_DEVIATION: f64 = 1e-9;

/// A row to learn from.
#[derive(Clone, Copy)]
pub(super) struct Example<'e> {
    pub(super) features: &'e [f64; FEATURES],
    pub(super) is_clean: bool,
    pub(super) weight: f64,
}

/// What was learned: how likely a block is content.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Model {
    means: [f64; FEATURES],
    deviations: [f64; FEATURES],
    coefficients: [f64; COEFFICIENTS],
}

impl Model {
    /// The model of `examples`, features standardised with their mean and population deviation, that makes the logistic
    /// loss and half of `l2` times the squares of all coefficients but the constant least; `None` without examples.
    pub(super) fn learn<'e, I: Iterator<Item = Example<'e>>>(examples: impl Fn() -> I, l2: f64) -> Option<Self> {
        let (means, deviations) = moments(&examples)?;
        let mut model = Model { means, deviations, coefficients: [0.0; COEFFICIENTS] };
        for _ in 0..MOST_STEPS {
            let (gradient, curvature) = model.derivatives(examples(), l2);
            // Not positive: the loss is flat, as where all examples are alike.
            let Some(step) = solve(curvature, gradient) else { break };
            model.coefficients.iter_mut().zip(&step).for_each(|(coefficient, step)| *coefficient -= step);
            if step.iter().all(|step| step.abs() < SMALLEST_STEP) {
                break;
            }
        }
        Some(model)
    }

    /// How likely a block of these features is content, 0 to 1.
    pub(super) fn probability(&self, features: &[f64; FEATURES]) -> f64 {
        self.probability_of(&self.standardised(features))
    }

    fn probability_of(&self, row: &[f64; COEFFICIENTS]) -> f64 {
        let sum: f64 = row.iter().zip(&self.coefficients).map(|(value, coefficient)| value * coefficient).sum();
        1.0 / (1.0 + libm::exp(-sum))
    }

    fn standardised(&self, features: &[f64; FEATURES]) -> [f64; COEFFICIENTS] {
        let mut row = [1.0; COEFFICIENTS];
        for (at, value) in features.iter().enumerate() {
            row[at] = (value - self.means[at]) / self.deviations[at];
        }
        row
    }

    /// The gradient and the second derivatives of the loss.
    fn derivatives<'e>(&self, examples: impl Iterator<Item = Example<'e>>, l2: f64) -> (Vector, Matrix) {
        let (mut gradient, mut curvature) = ([0.0; COEFFICIENTS], [[0.0; COEFFICIENTS]; COEFFICIENTS]);
        for Example { features, is_clean, weight } in examples {
            let row = self.standardised(features);
            let probability = self.probability_of(&row);
            let excess = weight * (probability - f64::from(u8::from(is_clean)));
            let spread = weight * probability * (1.0 - probability);
            for (at, value) in row.iter().enumerate() {
                gradient[at] += excess * value;
                let scaled = spread * value;
                curvature[at].iter_mut().zip(&row).for_each(|(cell, other)| *cell += scaled * other);
            }
        }
        for at in 0..FEATURES {
            gradient[at] += l2 * self.coefficients[at];
            curvature[at][at] += l2;
        }
        (gradient, curvature)
    }
}

type Vector = [f64; COEFFICIENTS];
type Matrix = [[f64; COEFFICIENTS]; COEFFICIENTS];

/// Mean and population deviation of each feature.
fn moments<'e, I: Iterator<Item = Example<'e>>>(
    examples: &impl Fn() -> I,
) -> Option<([f64; FEATURES], [f64; FEATURES])> {
    let (mut count, mut means, mut deviations) = (0.0, [0.0; FEATURES], [0.0; FEATURES]);
    for Example { features, .. } in examples() {
        count += 1.0;
        means.iter_mut().zip(features).for_each(|(sum, value)| *sum += value);
    }
    if count == 0.0 {
        return None;
    }
    means.iter_mut().for_each(|sum| *sum /= count);
    for Example { features, .. } in examples() {
        for (at, value) in features.iter().enumerate() {
            deviations[at] += (value - means[at]) * (value - means[at]);
        }
    }
    deviations.iter_mut().for_each(|sum| *sum = (*sum / count).sqrt() + LEAST_DEVIATION);
    Some((means, deviations))
}

/// The solution of `matrix x = right`, by Cholesky's decomposition; `None` where the matrix is not positive definite.
fn solve(mut matrix: Matrix, right: Vector) -> Option<Vector> {
    for column in 0..COEFFICIENTS {
        let below: f64 = matrix[column][..column].iter().map(|cell| cell * cell).sum();
        let square = matrix[column][column] - below;
        if !(square.is_finite() && square > 0.0) {
            return None;
        }
        matrix[column][column] = square.sqrt();
        for row in column + 1..COEFFICIENTS {
            let known: f64 = (0..column).map(|at| matrix[row][at] * matrix[column][at]).sum();
            matrix[row][column] = (matrix[row][column] - known) / matrix[column][column];
        }
    }
    let mut solution = right;
    for row in 0..COEFFICIENTS {
        let known: f64 = (0..row).map(|at| matrix[row][at] * solution[at]).sum();
        solution[row] = (solution[row] - known) / matrix[row][row];
    }
    for row in (0..COEFFICIENTS).rev() {
        let known: f64 = (row + 1..COEFFICIENTS).map(|at| matrix[at][row] * solution[at]).sum();
        solution[row] = (solution[row] - known) / matrix[row][row];
    }
    solution.iter().all(|value| value.is_finite()).then_some(solution)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features(values: &[(usize, f64)]) -> [f64; FEATURES] {
        let mut features = [0.0; FEATURES];
        values.iter().for_each(|&(at, value)| features[at] = value);
        features
    }

    /// So many of the examples, told by the first feature, are clean.
    fn learn(rows: &[([f64; FEATURES], bool)], l2: f64) -> Option<Model> {
        let example = |(features, is_clean): &'_ ([f64; FEATURES], bool)| (*features, *is_clean);
        let rows: Vec<_> = rows.iter().map(example).collect();
        Model::learn(
            || rows.iter().map(|(features, is_clean)| Example { features, is_clean: *is_clean, weight: 1.0 }),
            l2,
        )
    }

    #[test]
    fn shares_of_groups_are_learned() {
        let mut rows = Vec::new();
        for (value, clean) in [(0.0, 1), (1.0, 3)] {
            rows.extend((0..4).map(|row| (features(&[(0, value)]), row < clean)));
        }
        let model = learn(&rows, 1e-9).unwrap();
        for (value, share) in [(0.0, 0.25), (1.0, 0.75)] {
            let found = model.probability(&features(&[(0, value)]));
            assert!((found - share).abs() < 1e-6, "{value}: {found}");
        }
        // In the standardised feature, -1 and 1, the loss 8 (log(1 + e^b) - 3/4 b) + b^2/2 is least where 8 (p - 3/4) + b = 0.
        let held = learn(&rows, 1.0).unwrap();
        let [coefficient, constant] = [held.coefficients[0], held.coefficients[FEATURES]];
        let slope = 8.0 * (1.0 / (1.0 + (-coefficient).exp()) - 0.75) + coefficient;
        assert!(slope.abs() < 1e-6 && constant.abs() < 1e-6, "{coefficient} {constant}");
    }

    #[test]
    fn examples_that_are_all_alike_or_none_do_no_harm() {
        assert_eq!(learn(&[], 1.0), None);
        for is_clean in [true, false] {
            let model = learn(&vec![(features(&[(2, 1.0)]), is_clean); 5], 1.0).unwrap();
            let found = model.probability(&features(&[(2, 1.0)]));
            assert!(found.is_finite() && (found > 0.5) == is_clean, "{found}");
        }
    }

    #[test]
    fn the_order_of_examples_is_hardly_seen() {
        let row = |at: usize| {
            let value = |place: usize| ((at * 37 + place * 11) % 23) as f64 / 7.0;
            let all: Vec<(usize, f64)> = (0..FEATURES).map(|place| (place, value(place))).collect();
            (features(&all), (at * 13) % 7 < 3)
        };
        let rows: Vec<_> = (0..60).map(row).collect();
        let turned: Vec<_> = rows.iter().rev().copied().collect();
        let (one, other) = (learn(&rows, 1.0).unwrap(), learn(&turned, 1.0).unwrap());
        for (features, _) in &rows {
            assert!((one.probability(features) - other.probability(features)).abs() < 1e-9);
        }
    }
}
