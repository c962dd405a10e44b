//! Linear classifiers of weighted examples, by Newton's method: every sum in the order of the examples, so that a model
//! is the same on any number of threads.

/// The most steps of Newton's method.
const MOST_STEPS: usize = 25;

/// A step that moves no coefficient as far is the last one.
const SMALLEST_STEP: f64 = 1e-6;

/// It keeps a feature that never varies from being divided by 0.
const LEAST_DEVIATION: f64 = 1e-9;

/// It keeps the constant, which costs nothing, from a step without bounds where no example says anything of it.
const LEAST_CURVATURE: f64 = 1e-9;

/// By so small a share a loss may grow in a step: sums of many numbers are not known better.
const ROUNDING: f64 = 1e-12;

/// An example to learn from.
#[derive(Clone, Copy)]
pub struct Example<'r> {
    /// Features, as many in each example, and behind them a 1 by which the constant is multiplied.
    pub row: &'r [f64],
    /// True if it is of the kind whose likelihood is learned.
    pub is_positive: bool,
    /// The number of times that it counts.
    pub weight: f64,
}

/// Shows each example, in the same order each time.
pub type Examples<'e> = dyn Fn(&mut dyn FnMut(Example<'_>)) + 'e;

/// The cost of a score that does not fit its example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
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

    /// The likelihood that an example of this score is positive. The score that makes the mean squared hinge least is 2p - 1
    /// (T. Zhang, Annals of Statistics 32, 2004).
    fn probability(self, score: f64) -> f64 {
        match self {
            Loss::Logistic => 1.0 / (1.0 + libm::exp(-score)),
            Loss::SquaredHinge => ((1.0 + score) / 2.0).clamp(0.0, 1.0),
        }
    }
}

/// The likelihood that an example is positive, as it was learned.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    loss: Loss,
    means: Vec<f64>,
    /// The factors of features' distances from their means.
    scales: Vec<f64>,
    coefficients: Vec<f64>,
}

impl Model {
    /// The model of `examples`, features standardised with their mean and population deviation, that makes the loss and
    /// half of `l2` times the squares of all coefficients but the constant least; `None` without examples. `start`, of
    /// much the same examples, saves steps.
    pub fn learn(examples: &Examples<'_>, loss: Loss, l2: f64, start: Option<&Self>) -> Option<Self> {
        let (means, scales) = moments(examples)?;
        let coefficients = vec![0.0; means.len()];
        let mut model = Model { loss, means, scales, coefficients };
        if let Some(start) = start {
            model.take_over(start);
        }
        model.descend(examples, l2);
        Some(model)
    }

    /// The likelihood that an example is positive, 0 to 1.
    pub fn probability(&self, row: &[f64]) -> f64 {
        let mut standardised = vec![0.0; row.len()];
        self.standardise(row, &mut standardised);
        self.loss.probability(self.score_of(&standardised))
    }

    /// The coefficients with which the same examples get the scores that `start` gives them.
    fn take_over(&mut self, start: &Self) {
        let constant = self.coefficients.len() - 1;
        self.coefficients[constant] = start.coefficients[constant];
        for at in 0..constant {
            let slope = start.coefficients[at] * start.scales[at];
            self.coefficients[at] = slope / self.scales[at];
            self.coefficients[constant] += slope * (self.means[at] - start.means[at]);
        }
    }

    /// Newton's method. A step after which the loss is greater is halved, so that it cannot diverge.
    fn descend(&mut self, examples: &Examples<'_>, l2: f64) {
        let mut here = self.derivatives(examples, l2);
        for _ in 0..MOST_STEPS {
            let Some(mut step) = solve(here.curvature, here.gradient) else { return };
            let from = self.coefficients.clone();
            here = loop {
                self.coefficients.copy_from_slice(&from);
                self.coefficients.iter_mut().zip(&step).for_each(|(coefficient, step)| *coefficient -= step);
                if step.iter().all(|step| step.abs() < SMALLEST_STEP) {
                    return;
                }
                let there = self.derivatives(examples, l2);
                if there.loss <= here.loss * (1.0 + ROUNDING) {
                    break there;
                }
                step.iter_mut().for_each(|step| *step /= 2.0);
            };
        }
    }

    fn score_of(&self, standardised: &[f64]) -> f64 {
        standardised.iter().zip(&self.coefficients).map(|(value, coefficient)| value * coefficient).sum()
    }

    fn standardise(&self, row: &[f64], into: &mut [f64]) {
        for (((to, value), mean), scale) in into.iter_mut().zip(row).zip(&self.means).zip(&self.scales) {
            *to = (value - mean) * scale;
        }
    }

    fn derivatives(&self, examples: &Examples<'_>, l2: f64) -> Derivatives {
        let width = self.coefficients.len();
        let (mut sum, mut gradient, mut squares) = (0.0, vec![0.0; width], Squares::new(width));
        examples(&mut |Example { row, is_positive, weight }| {
            let standardised = squares.next_row();
            self.standardise(row, standardised);
            let [loss, slope, bend] = self.loss.at(self.score_of(standardised), is_positive).map(|part| weight * part);
            sum += loss;
            gradient.iter_mut().zip(&*standardised).for_each(|(cell, value)| *cell += slope * value);
            squares.take(bend);
        });
        let mut curvature = squares.sum();
        let constant = width - 1;
        for (at, (cell, coefficient)) in gradient.iter_mut().zip(&self.coefficients).enumerate().take(constant) {
            sum += l2 / 2.0 * coefficient * coefficient;
            *cell += l2 * coefficient;
            curvature.row_mut(at)[at] += l2;
        }
        curvature.row_mut(constant)[constant] += LEAST_CURVATURE;
        Derivatives { loss: sum, gradient, curvature }
    }
}

/// A loss over all examples, with its first and second derivatives by the coefficients.
struct Derivatives {
    loss: f64,
    gradient: Vec<f64>,
    curvature: Triangle,
}

/// The lines of a symmetric matrix, one after the other, each up to the diagonal.
struct Triangle(Vec<f64>);

impl Triangle {
    fn new(width: usize) -> Self {
        Triangle(vec![0.0; start_of(width)])
    }

    fn row(&self, at: usize) -> &[f64] {
        &self.0[start_of(at)..start_of(at + 1)]
    }

    fn row_mut(&mut self, at: usize) -> &mut [f64] {
        &mut self.0[start_of(at)..start_of(at + 1)]
    }

    /// Adds to each cell the products of the two numbers of each row, so many times, one row after the other.
    fn add(&mut self, rows: [&[f64]; TOGETHER], times: [f64; TOGETHER]) {
        let mut lines = &mut self.0[..];
        for at in 0..rows[0].len() {
            let (line, below) = lines.split_at_mut(at + 1);
            let factors: [f64; TOGETHER] = std::array::from_fn(|of| times[of] * rows[of][at]);
            let rows = rows.map(|row| &row[..=at]);
            for (other, cell) in line.iter_mut().enumerate() {
                *cell = rows.iter().zip(factors).fold(*cell, |sum, (row, factor)| sum + factor * row[other]);
            }
            lines = below;
        }
    }
}

/// Where line `at` begins.
fn start_of(at: usize) -> usize {
    at * (at + 1) / 2
}

/// So many rows are added at a time: a cell is then read and written once for all of them.
const TOGETHER: usize = 4;

/// A sum of rows' products with themselves.
struct Squares {
    sum: Triangle,
    width: usize,
    /// Rows that are not added yet, one after the other, and how many times each counts.
    rows: Vec<f64>,
    times: [f64; TOGETHER],
    waiting: usize,
}

impl Squares {
    fn new(width: usize) -> Self {
        let (sum, rows) = (Triangle::new(width), vec![0.0; TOGETHER * width]);
        Squares { sum, width, rows, times: [0.0; TOGETHER], waiting: 0 }
    }

    /// Where the next row is to be written.
    fn next_row(&mut self) -> &mut [f64] {
        &mut self.rows[self.waiting * self.width..][..self.width]
    }

    /// Takes the row that was written, so many times.
    fn take(&mut self, times: f64) {
        self.times[self.waiting] = times;
        self.waiting += 1;
        if self.waiting == TOGETHER {
            self.add();
        }
    }

    /// Adds the rows that wait. Those behind them were added before, and count 0 times.
    fn add(&mut self) {
        self.times[self.waiting..].fill(0.0);
        let rows = std::array::from_fn(|of| &self.rows[of * self.width..][..self.width]);
        self.sum.add(rows, self.times);
        self.waiting = 0;
    }

    fn sum(mut self) -> Triangle {
        self.add();
        self.sum
    }
}

/// Mean of each feature, and one by its population deviation; the constant stays as it is.
fn moments(examples: &Examples<'_>) -> Option<(Vec<f64>, Vec<f64>)> {
    let (mut count, mut means) = (0.0, Vec::new());
    examples(&mut |Example { row, .. }| {
        count += 1.0;
        means.resize(row.len(), 0.0);
        means.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    });
    let constant = means.len().checked_sub(1)?;
    means.iter_mut().for_each(|sum| *sum /= count);
    let mut deviations = vec![0.0; means.len()];
    examples(&mut |Example { row, .. }| {
        for ((sum, value), mean) in deviations.iter_mut().zip(row).zip(&means) {
            *sum += (value - mean) * (value - mean);
        }
    });
    let mut scales: Vec<f64> = deviations.iter().map(|sum| 1.0 / ((sum / count).sqrt() + LEAST_DEVIATION)).collect();
    (means[constant], scales[constant]) = (0.0, 1.0);
    Some((means, scales))
}

/// The solution of `matrix x = right`, by Cholesky's decomposition; `None` where the matrix is not positive definite.
fn solve(mut matrix: Triangle, right: Vec<f64>) -> Option<Vec<f64>> {
    let width = right.len();
    for column in 0..width {
        let below: f64 = matrix.row(column)[..column].iter().map(|cell| cell * cell).sum();
        let square = matrix.row(column)[column] - below;
        if !(square.is_finite() && square > 0.0) {
            return None;
        }
        matrix.row_mut(column)[column] = square.sqrt();
        for row in column + 1..width {
            let known: f64 = (0..column).map(|at| matrix.row(row)[at] * matrix.row(column)[at]).sum();
            matrix.row_mut(row)[column] = (matrix.row(row)[column] - known) / matrix.row(column)[column];
        }
    }
    let mut solution = right;
    for row in 0..width {
        let known: f64 = (0..row).map(|at| matrix.row(row)[at] * solution[at]).sum();
        solution[row] = (solution[row] - known) / matrix.row(row)[row];
    }
    for row in (0..width).rev() {
        let known: f64 = (row + 1..width).map(|at| matrix.row(at)[row] * solution[at]).sum();
        solution[row] = (solution[row] - known) / matrix.row(row)[row];
    }
    solution.iter().all(|value| value.is_finite()).then_some(solution)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four features and the constant.
    const N: usize = 5;

    const LOSSES: [Loss; 2] = [Loss::Logistic, Loss::SquaredHinge];

    /// The features of an example and a 1, and true of a positive one.
    type Labelled = ([f64; N], bool);

    fn row(features: [f64; N - 1]) -> [f64; N] {
        let mut row = [1.0; N];
        row[..N - 1].copy_from_slice(&features);
        row
    }

    fn examples(rows: &[Labelled]) -> impl Fn(&mut dyn FnMut(Example<'_>)) {
        |each| rows.iter().for_each(|(row, is_positive)| each(Example { row, is_positive: *is_positive, weight: 1.0 }))
    }

    fn learn_from(rows: &[Labelled], loss: Loss, l2: f64, start: Option<&Model>) -> Option<Model> {
        Model::learn(&examples(rows), loss, l2, start)
    }

    fn learn(rows: &[Labelled], loss: Loss, l2: f64) -> Option<Model> {
        learn_from(rows, loss, l2, None)
    }

    /// Examples that no plane parts.
    fn mixed(count: usize) -> Vec<Labelled> {
        let value = |at: usize, place: usize| ((at * 37 + place * 11) % 23) as f64 / 7.0;
        (0..count).map(|at| (row([0, 1, 2, 3].map(|place| value(at, place))), (at * 13) % 7 < 3)).collect()
    }

    /// How far the loss is from its least: the greatest first derivative.
    fn slope(model: &Model, rows: &[Labelled], l2: f64) -> f64 {
        model.derivatives(&examples(rows), l2).gradient.iter().fold(0.0, |most, slope| slope.abs().max(most))
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
            let weighted = |each: &mut dyn FnMut(Example<'_>)| {
                for &(ref row, is_positive) in &rows {
                    each(Example { row, is_positive, weight: if is_positive { 2.0 } else { 1.0 } });
                }
            };
            let one = Model::learn(&weighted, loss, 1e-9, None).unwrap();
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
                let [one, same, opposite, never, _] = model.coefficients[..] else { panic!("{model:?}") };
                assert!((one - same).abs() < 1e-6 && (one + opposite).abs() < 1e-6 && never == 0.0, "{loss:?} {one}");
                let model = learn(&lone, loss, l2).unwrap();
                assert!(slope(&model, &lone, l2) < 1e-4, "{loss:?} {l2}: {}", slope(&model, &lone, l2));
            }
            // From where whole steps lead away, by more each time, and from where no margin is lacking anything.
            let mut far = learn(&parted, loss, 1e-3).unwrap();
            let mut middle = [0.0; N];
            far.standardise(&row([0.0, 0.0, 0.0, 7.0]), &mut middle);
            let middle = middle[0];
            for coefficients in [[30.0, -20.0, 40.0, 0.0, -50.0], [100.0, 100.0, -100.0, 0.0, -300.0 * middle]] {
                far.coefficients = coefficients.to_vec();
                far.descend(&examples(&parted), 1e-3);
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
