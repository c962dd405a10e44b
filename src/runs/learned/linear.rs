//! Linear classifiers of weighted examples, by Newton's method: every sum in the order of the examples, so that a model
//! is the same on any number of threads.

/// The most steps of Newton's method.
const MOST_STEPS: usize = 25;

/// A step that moves no coefficient as far is the last one.
const SMALLEST_STEP: f64 = 1e-6;

/// What keeps a feature that never varies from being divided by 0.
const LEAST_DEVIATION: f64 = 1e-9;

/// What keeps the constant, which costs nothing, from a step without bounds where no example says anything of it.
const LEAST_CURVATURE: f64 = 1e-9;

/// By so small a share a loss may grow in a step: sums of many numbers are not known better.
const ROUNDING: f64 = 1e-12;

/// Features of an example, and behind them a 1 by which the constant is multiplied.
pub(super) type Row<const N: usize> = [f64; N];

/// What is learned from.
#[derive(Clone, Copy)]
pub(super) struct Example<const N: usize> {
    pub(super) row: Row<N>,
    pub(super) is_positive: bool,
    pub(super) weight: f64,
}

/// What a score costs that does not fit its example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loss {
    /// ln(1 + e^-m), where m is the score of a positive example, and of another one its opposite.
    Logistic,
    /// max(0, 1 - m)^2 / 2: a support vector machine, smooth enough for Newton's method (Keerthi and DeCoste, A
    /// modified finite Newton method for fast solution of large scale linear SVMs, JMLR 6, 2005).
    SquaredHinge,
}

impl Loss {
    /// The loss, and its first and second derivatives by the score.
    fn at(self, score: f64, is_positive: bool) -> [f64; 3] {
        let sign = if is_positive { 1.0 } else { -1.0 };
        let margin = sign * score;
        match self {
            Loss::Logistic => {
                // Of the two it is the power that does not overflow.
                let power = libm::exp(-score.abs());
                let likelier = 1.0 / (1.0 + power);
                let wrong = if margin > 0.0 { power * likelier } else { likelier };
                [libm::log1p(power) + (-margin).max(0.0), -sign * wrong, power * likelier * likelier]
            }
            Loss::SquaredHinge if margin < 1.0 => {
                let lacking = 1.0 - margin;
                [lacking * lacking / 2.0, -sign * lacking, 1.0]
            }
            Loss::SquaredHinge => [0.0; 3],
        }
    }

    /// How likely an example of this score is positive. The score that makes the mean squared hinge least is 2p - 1
    /// (T. Zhang, Annals of Statistics 32, 2004).
    fn probability(self, score: f64) -> f64 {
        match self {
            Loss::Logistic => 1.0 / (1.0 + libm::exp(-score)),
            Loss::SquaredHinge => ((1.0 + score) / 2.0).clamp(0.0, 1.0),
        }
    }
}

/// What was learned: how likely an example is positive.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Model<const N: usize> {
    loss: Loss,
    means: Row<N>,
    /// What a feature's distance from its mean is multiplied by.
    scales: Row<N>,
    coefficients: Row<N>,
}

impl<const N: usize> Model<N> {
    /// The model of `examples`, features standardised with their mean and population deviation, that makes the loss and
    /// half of `l2` times the squares of all coefficients but the constant least; `None` without examples. `start`, of
    /// much the same examples, saves steps.
    pub(super) fn learn<I: Iterator<Item = Example<N>>>(
        examples: impl Fn() -> I,
        loss: Loss,
        l2: f64,
        start: Option<&Self>,
    ) -> Option<Self> {
        let (means, scales) = moments(&examples)?;
        let mut model = Model { loss, means, scales, coefficients: [0.0; N] };
        if let Some(start) = start {
            model.take_over(start);
        }
        model.descend(&examples, l2);
        Some(model)
    }

    /// How likely an example is positive, 0 to 1.
    pub(super) fn probability(&self, row: &Row<N>) -> f64 {
        self.loss.probability(self.score_of(&self.standardised(row)))
    }

    /// The coefficients with which the same examples get the scores that `start` gives them.
    fn take_over(&mut self, start: &Self) {
        let constant = N - 1;
        self.coefficients[constant] = start.coefficients[constant];
        for at in 0..constant {
            let slope = start.coefficients[at] * start.scales[at];
            self.coefficients[at] = slope / self.scales[at];
            self.coefficients[constant] += slope * (self.means[at] - start.means[at]);
        }
    }

    /// Newton's method. A step after which the loss is greater is halved, so that it cannot diverge.
    fn descend<I: Iterator<Item = Example<N>>>(&mut self, examples: &impl Fn() -> I, l2: f64) {
        let mut here = self.derivatives(examples(), l2);
        for _ in 0..MOST_STEPS {
            let Some(mut step) = solve(here.curvature, here.gradient) else { return };
            let from = self.coefficients;
            here = loop {
                self.coefficients = from;
                self.coefficients.iter_mut().zip(&step).for_each(|(coefficient, step)| *coefficient -= step);
                if step.iter().all(|step| step.abs() < SMALLEST_STEP) {
                    return;
                }
                let there = self.derivatives(examples(), l2);
                if there.loss <= here.loss * (1.0 + ROUNDING) {
                    break there;
                }
                step.iter_mut().for_each(|step| *step /= 2.0);
            };
        }
    }

    fn score_of(&self, standardised: &Row<N>) -> f64 {
        standardised.iter().zip(&self.coefficients).map(|(value, coefficient)| value * coefficient).sum()
    }

    fn standardised(&self, row: &Row<N>) -> Row<N> {
        let mut standardised = *row;
        for (at, value) in standardised.iter_mut().enumerate() {
            *value = (*value - self.means[at]) * self.scales[at];
        }
        standardised
    }

    fn derivatives(&self, examples: impl Iterator<Item = Example<N>>, l2: f64) -> Derivatives<N> {
        let (mut sum, mut gradient, mut curvature) = (0.0, [0.0; N], [[0.0; N]; N]);
        for Example { row, is_positive, weight } in examples {
            let row = self.standardised(&row);
            let [loss, slope, bend] = self.loss.at(self.score_of(&row), is_positive).map(|part| weight * part);
            sum += loss;
            for (at, value) in row.iter().enumerate() {
                gradient[at] += slope * value;
                let bent = bend * value;
                curvature[at][..=at].iter_mut().zip(&row).for_each(|(cell, other)| *cell += bent * other);
            }
        }
        let constant = N - 1;
        for at in 0..constant {
            sum += l2 / 2.0 * self.coefficients[at] * self.coefficients[at];
            gradient[at] += l2 * self.coefficients[at];
            curvature[at][at] += l2;
        }
        curvature[constant][constant] += LEAST_CURVATURE;
        Derivatives { loss: sum, gradient, curvature }
    }
}

/// A loss over all examples, with its first and second derivatives by the coefficients.
struct Derivatives<const N: usize> {
    loss: f64,
    gradient: Row<N>,
    /// Symmetric: the cells up to the diagonal of each line.
    curvature: Matrix<N>,
}

type Matrix<const N: usize> = [[f64; N]; N];

/// Mean of each feature, and one by its population deviation; the constant stays as it is.
fn moments<const N: usize, I: Iterator<Item = Example<N>>>(examples: &impl Fn() -> I) -> Option<(Row<N>, Row<N>)> {
    let (mut count, mut means, mut deviations) = (0.0, [0.0; N], [0.0; N]);
    for Example { row, .. } in examples() {
        count += 1.0;
        means.iter_mut().zip(&row).for_each(|(sum, value)| *sum += value);
    }
    if count == 0.0 {
        return None;
    }
    means.iter_mut().for_each(|sum| *sum /= count);
    for Example { row, .. } in examples() {
        for (at, value) in row.iter().enumerate() {
            deviations[at] += (value - means[at]) * (value - means[at]);
        }
    }
    let mut scales = deviations.map(|sum| 1.0 / ((sum / count).sqrt() + LEAST_DEVIATION));
    (means[N - 1], scales[N - 1]) = (0.0, 1.0);
    Some((means, scales))
}

/// The solution of `matrix x = right`, by Cholesky's decomposition; `None` where the matrix is not positive definite.
fn solve<const N: usize>(mut matrix: Matrix<N>, right: Row<N>) -> Option<Row<N>> {
    for column in 0..N {
        let below: f64 = matrix[column][..column].iter().map(|cell| cell * cell).sum();
        let square = matrix[column][column] - below;
        if !(square.is_finite() && square > 0.0) {
            return None;
        }
        matrix[column][column] = square.sqrt();
        for row in column + 1..N {
            let known: f64 = (0..column).map(|at| matrix[row][at] * matrix[column][at]).sum();
            matrix[row][column] = (matrix[row][column] - known) / matrix[column][column];
        }
    }
    let mut solution = right;
    for row in 0..N {
        let known: f64 = (0..row).map(|at| matrix[row][at] * solution[at]).sum();
        solution[row] = (solution[row] - known) / matrix[row][row];
    }
    for row in (0..N).rev() {
        let known: f64 = (row + 1..N).map(|at| matrix[at][row] * solution[at]).sum();
        solution[row] = (solution[row] - known) / matrix[row][row];
    }
    solution.iter().all(|value| value.is_finite()).then_some(solution)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four features and the constant.
    const N: usize = 5;

    const LOSSES: [Loss; 2] = [Loss::Logistic, Loss::SquaredHinge];

    fn row(features: [f64; N - 1]) -> Row<N> {
        let mut row = [1.0; N];
        row[..N - 1].copy_from_slice(&features);
        row
    }

    fn learn_from(rows: &[(Row<N>, bool)], loss: Loss, l2: f64, start: Option<&Model<N>>) -> Option<Model<N>> {
        let example = |&(row, is_positive): &(Row<N>, bool)| Example { row, is_positive, weight: 1.0 };
        Model::learn(|| rows.iter().map(example), loss, l2, start)
    }

    fn learn(rows: &[(Row<N>, bool)], loss: Loss, l2: f64) -> Option<Model<N>> {
        learn_from(rows, loss, l2, None)
    }

    /// Examples that no plane parts.
    fn mixed(count: usize) -> Vec<(Row<N>, bool)> {
        let value = |at: usize, place: usize| ((at * 37 + place * 11) % 23) as f64 / 7.0;
        (0..count).map(|at| (row([0, 1, 2, 3].map(|place| value(at, place))), (at * 13) % 7 < 3)).collect()
    }

    /// How far the loss is from its least: the greatest first derivative.
    fn slope(model: &Model<N>, rows: &[(Row<N>, bool)], l2: f64) -> f64 {
        let examples = rows.iter().map(|&(row, is_positive)| Example { row, is_positive, weight: 1.0 });
        model.derivatives(examples, l2).gradient.iter().fold(0.0, |most, slope| slope.abs().max(most))
    }

    #[test]
    fn shares_of_groups_are_learned() {
        let mut rows = Vec::new();
        for (value, positive) in [(0.0, 1), (1.0, 3)] {
            rows.extend((0..4).map(|at| (row([value, 0.0, 0.0, 0.0]), at < positive)));
        }
        // The squared hinge is least at 2p - 1, so both know the shares.
        for loss in LOSSES {
            let model = learn(&rows, loss, 1e-9).unwrap();
            for (value, share) in [(0.0, 0.25), (1.0, 0.75)] {
                let found = model.probability(&row([value, 0.0, 0.0, 0.0]));
                assert!((found - share).abs() < 1e-6, "{loss:?} {value}: {found}");
            }
        }
        // In the standardised feature, -1 and 1, the loss 8 (log(1 + e^b) - 3/4 b) + b^2/2 is least where 8 (p - 3/4) + b = 0.
        let held = learn(&rows, Loss::Logistic, 1.0).unwrap();
        let [coefficient, constant] = [held.coefficients[0], held.coefficients[N - 1]];
        let slope = 8.0 * (1.0 / (1.0 + (-coefficient).exp()) - 0.75) + coefficient;
        assert!(slope.abs() < 1e-6 && constant.abs() < 1e-6, "{coefficient} {constant}");
        // And 8 (3/8 (1 - b)^2 + 1/8 (1 + b)^2) + b^2/2 where -6 (1 - b) + 2 (1 + b) + b = 0: at 4/9.
        let held = learn(&rows, Loss::SquaredHinge, 1.0).unwrap().coefficients[0];
        assert!((held - 4.0 / 9.0).abs() < 1e-6, "{held}");
    }

    #[test]
    fn weights_stand_for_examples() {
        let rows = mixed(60);
        let twice: Vec<_> = rows.iter().chain(rows.iter().filter(|(_, is_positive)| *is_positive)).copied().collect();
        for loss in LOSSES {
            // Deviations do not know weights; with such an l2 they are not seen.
            let weighted = |&(row, is_positive): &(Row<N>, bool)| {
                let weight = if is_positive { 2.0 } else { 1.0 };
                Example { row, is_positive, weight }
            };
            let one = Model::learn(|| rows.iter().map(weighted), loss, 1e-9, None).unwrap();
            let other = learn(&twice, loss, 1e-9).unwrap();
            for (row, _) in &rows {
                assert!((one.probability(row) - other.probability(row)).abs() < 1e-6, "{loss:?}");
            }
        }
    }

    #[test]
    fn examples_that_are_all_alike_or_none_do_no_harm() {
        for loss in LOSSES {
            assert_eq!(learn(&[], loss, 1.0), None);
            for is_positive in [true, false] {
                let alike = row([0.0, 0.0, 1.0, 0.0]);
                let model = learn(&vec![(alike, is_positive); 5], loss, 1.0).unwrap();
                let found = model.probability(&alike);
                assert!(found.is_finite() && (found > 0.5) == is_positive, "{loss:?} {found}");
            }
        }
    }

    #[test]
    fn it_does_not_diverge_where_a_plane_parts_the_examples_or_features_say_the_same() {
        // One far from the others, whose whole step would overshoot; the second feature is the first, the third its opposite.
        let distances = [-400.0, -3.0, -2.0, -1.0, 1.0, 2.0, 3.0, 4.0];
        let parted: Vec<_> = distances.iter().map(|&at| (row([at, at, -at, 7.0]), at > 0.0)).collect();
        let mut lone = mixed(40);
        lone.push((row([1e6, -1e6, 0.0, 0.0]), true));
        for loss in LOSSES {
            for l2 in [1e-3, 1.0, 1e3] {
                let model = learn(&parted, loss, l2).unwrap();
                assert!(slope(&model, &parted, l2) < 1e-4, "{loss:?} {l2}: {}", slope(&model, &parted, l2));
                let [one, same, opposite, never, _] = model.coefficients;
                assert!((one - same).abs() < 1e-6 && (one + opposite).abs() < 1e-6 && never == 0.0, "{loss:?} {one}");
                let model = learn(&lone, loss, l2).unwrap();
                assert!(slope(&model, &lone, l2) < 1e-4, "{loss:?} {l2}: {}", slope(&model, &lone, l2));
            }
            // From where whole steps lead away, by more each time, and from where no margin is lacking anything.
            let mut far = learn(&parted, loss, 1e-3).unwrap();
            let middle = far.standardised(&row([0.0, 0.0, 0.0, 7.0]))[0];
            for coefficients in [[30.0, -20.0, 40.0, 0.0, -50.0], [100.0, 100.0, -100.0, 0.0, -300.0 * middle]] {
                far.coefficients = coefficients;
                far.descend(
                    &|| parted.iter().map(|&(row, is_positive)| Example { row, is_positive, weight: 1.0 }),
                    1e-3,
                );
                assert!(slope(&far, &parted, 1e-3) < 1e-4, "{loss:?}: {}", slope(&far, &parted, 1e-3));
            }
        }
    }

    #[test]
    fn the_order_of_examples_is_hardly_seen() {
        let rows = mixed(60);
        let turned: Vec<_> = rows.iter().rev().copied().collect();
        for loss in LOSSES {
            let (one, other) = (learn(&rows, loss, 1.0).unwrap(), learn(&turned, loss, 1.0).unwrap());
            for (row, _) in &rows {
                assert!((one.probability(row) - other.probability(row)).abs() < 1e-9, "{loss:?}");
            }
        }
    }

    #[test]
    fn where_it_starts_is_hardly_seen() {
        let mut rows = mixed(60);
        // Varies in no example but those that are not learned from.
        rows.extend([(row([1.0, 9.0, 3.0, 5.0]), true), (row([2.0, 9.0, 1.0, 8.0]), false)]);
        rows[..60].iter_mut().for_each(|(row, _)| row[3] = 2.0);
        for loss in LOSSES {
            let all = learn(&rows, loss, 1.0).unwrap();
            let from_all = learn_from(&rows[..40], loss, 1.0, Some(&all)).unwrap();
            let mut from_none = learn(&rows[..40], loss, 1.0).unwrap();
            for (row, _) in &rows {
                let [one, other] = [&from_all, &from_none].map(|model| model.probability(row));
                assert!((one - other).abs() < 1e-9, "{loss:?}: {one} {other}");
            }
            // It begins with the scores that it is given.
            from_none.take_over(&all);
            for (row, _) in &rows {
                assert!((from_none.probability(row) - all.probability(row)).abs() < 1e-9, "{loss:?}");
            }
        }
    }
}
