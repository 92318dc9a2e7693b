//! Paired runs over a sample of positions, and the ratios of their results.

use std::fmt;
use std::fs;
use std::path::Path;

use kibitzer::chess::Position;

use crate::BenchResult;

/// The two-sided 95% quantile of a normal distribution.
const Z: f64 = 1.96;

/// A sample of `count` positions, evenly spaced over a file. Each must be legal and have moves. The
/// first four words of a line are its FEN.
pub(crate) fn sample(file: &Path, count: usize) -> BenchResult<Vec<Position>> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    if lines.len() < count {
        let message = format!(
            "{} has {} positions; the benchmark needs {count}",
            file.display(),
            lines.len()
        );
        return Err(message.into());
    }
    (0..count).map(|index| parse_position(lines[index * lines.len() / count])).collect()
}

fn parse_position(line: &str) -> BenchResult<Position> {
    let fen: Vec<&str> = line.split_whitespace().take(4).collect();
    let position =
        Position::from_fen(&fen.join(" ")).map_err(|error| format!("{line}: {error}"))?;
    if position.has_moves() { Ok(position) } else { Err(format!("{line}: no moves").into()) }
}

/// Measures both in alternating order: `a` first if `index` is even.
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

/// The ratios of paired runs, one for each position.
#[derive(Default)]
pub(crate) struct Ratios {
    logarithms: Vec<f64>,
}

impl Ratios {
    /// Adds a ratio.
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
