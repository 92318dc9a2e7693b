//! `kibitzer-trainer calibrate`: the scale that maps the scores of the data to its results.

use std::io::Write;

use anyhow::{Result, ensure};
use rayon::prelude::*;

use crate::dataset::{Dataset, Sources};
use crate::example::logistic;

/// Arguments of `calibrate`.
#[derive(Debug, clap::Args)]
pub struct Calibrate {
    #[command(flatten)]
    sources: Sources,
}

impl Calibrate {
    /// Prints the mean squared error between the logistic curve and the results for several scales,
    /// then the mean points by score.
    ///
    /// # Errors
    ///
    /// When the data cannot be read or has no result, or the output cannot be written.
    pub fn execute(self, out: &mut dyn Write) -> Result<()> {
        let data = Dataset::load(&self.sources)?;
        let pairs: Vec<(f32, f32)> = data
            .training
            .iter()
            .filter_map(|sample| Some((f32::from(sample.score()), sample.result().points()?)))
            .collect();
        ensure!(!pairs.is_empty(), "the data has no position with a known result");
        writeln!(out, "{} positions", pairs.len())?;
        for scale in (60..=400).step_by(20) {
            let error: f64 = pairs
                .par_iter()
                .map(|(score, points)| f64::from((logistic(score / scale as f32) - points).powi(2)))
                .sum();
            writeln!(out, "scale {scale}: mean squared error {:.6}", error / pairs.len() as f64)?;
        }
        for from in (-600..600).step_by(100) {
            let inside: Vec<f32> = pairs
                .iter()
                .filter(|(score, _)| (from as f32..from as f32 + 100.0).contains(score))
                .map(|pair| pair.1)
                .collect();
            let mean = inside.iter().sum::<f32>() / inside.len().max(1) as f32;
            writeln!(
                out,
                "scores {from} to {}: {} positions, mean points {mean:.3}",
                from + 100,
                inside.len()
            )?;
        }
        Ok(())
    }
}
