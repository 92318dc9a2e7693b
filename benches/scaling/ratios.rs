//! What is measured in turns, and the ratios of it.

use std::fmt;

use crate::BenchResult;

/// Two-sided 95% of a normal distribution.
const Z: f64 = 1.96;

/// Measures both: whoever goes first goes second the next time.
pub(crate) fn measure_alternating<A, B>(
    index: usize,
    a: impl FnOnce() -> BenchResult<A>,
    b: impl FnOnce() -> BenchResult<B>,
) -> BenchResult<(A, B)> {
    if index.is_multiple_of(2) {
        let first = a()?;
        return Ok((first, b()?));
    }
    let first = b()?;
    Ok((a()?, first))
}

/// Ratios, one for each position.
#[derive(Default)]
pub(crate) struct Ratios {
    logarithms: Vec<f64>,
}

impl Ratios {
    /// Notes one.
    pub(crate) fn add(&mut self, ratio: f64) {
        self.logarithms.push(ratio.ln());
    }
}

impl fmt::Display for Ratios {
    /// The geometric mean with its 95% interval.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.logarithms.len() as f64;
        let mean = self.logarithms.iter().sum::<f64>() / count;
        let variance = self.logarithms.iter().map(|log| (log - mean).powi(2)).sum::<f64>()
            / (count - 1.0).max(1.0);
        let error = Z * (variance / count).sqrt();
        let [low, middle, high] = [mean - error, mean, mean + error].map(f64::exp);
        write!(f, "{middle:.3} ({low:.3} to {high:.3}, geometric mean of {count} positions)")
    }
}
