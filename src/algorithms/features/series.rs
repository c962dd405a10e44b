//! Mean and spread of a series of numbers, added up from left to right.

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
