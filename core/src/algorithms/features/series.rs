//! Mean and spread of a series of numbers, added up from left to right, and the weights that smooth it.

/// The mean; 0 for no numbers.
pub fn mean(series: &[f64]) -> f64 {
    series.iter().sum::<f64>() / series.len().max(1) as f64
}

/// The standard deviation of the population: squares are divided by their number.
pub fn deviation(series: &[f64]) -> f64 {
    let mean = mean(series);
    let squares: f64 = series.iter().map(|&value| (value - mean) * (value - mean)).sum();
    (squares / series.len().max(1) as f64).sqrt()
}

/// A Gaussian's weights from `-radius` to `radius`, 1 in the middle.
pub fn gaussian(radius: usize, sigma: f64) -> Vec<f64> {
    let weight = |place: usize| {
        let distance = place.abs_diff(radius) as f64;
        libm::exp(-(distance * distance) / (2.0 * sigma * sigma))
    };
    (0..=2 * radius).map(weight).collect()
}
