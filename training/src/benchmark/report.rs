//! The printed errors of evaluations on the benchmark.

use std::io::Write;

use anyhow::Result;

use super::{ALL_MEN, Position, Reference, best_scale, estimate, squared_errors};

/// Writes the mean squared errors of the scores from the deep evaluations and from the results,
/// with their standard errors: a row for each range of men. With other scores, a row also has the
/// paired difference from these.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write_errors(
    out: &mut dyn Write,
    positions: &[Position],
    scores: &[i32],
    others: Option<&[i32]>,
    ranges: &[(usize, usize)],
) -> Result<()> {
    for (name, reference) in
        [("deep evaluation", Reference::DeepEvaluation), ("result", Reference::GameResult)]
    {
        let (scale, errors) = errors_at_best_scale(scores, positions, reference);
        writeln!(out, "against the {name}: best scale {scale:.0}")?;
        let differences = others.map(|others| {
            let (_, other_errors) = errors_at_best_scale(others, positions, reference);
            errors.iter().zip(other_errors).map(|(own, other)| own - other).collect::<Vec<_>>()
        });
        for men in ranges {
            write_row(out, positions, &errors, differences.as_deref(), *men)?;
        }
    }
    Ok(())
}

fn errors_at_best_scale(
    scores: &[i32],
    positions: &[Position],
    reference: Reference,
) -> (f64, Vec<f64>) {
    let scale = best_scale(scores, positions, reference);
    (scale, squared_errors(scores, positions, reference, scale))
}

fn write_row(
    out: &mut dyn Write,
    positions: &[Position],
    errors: &[f64],
    differences: Option<&[f64]>,
    men: (usize, usize),
) -> Result<()> {
    let Some((count, error)) = estimate(errors, positions, men) else { return Ok(()) };
    let name = if men == ALL_MEN { "all".to_owned() } else { format!("{}-{} men", men.0, men.1) };
    write!(out, "  {name:10} {count:5} positions  mean squared error {error}")?;
    if let Some((_, difference)) = differences.and_then(|values| estimate(values, positions, men)) {
        write!(out, "   difference {difference}")?;
    }
    Ok(writeln!(out)?)
}
