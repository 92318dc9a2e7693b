//! `kibitzer-trainer measure`: the errors of a network file on the held-out positions.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use rayon::prelude::*;

use crate::dataset::Sources;
use crate::example::{Target, logistic};
use crate::network_file;

/// Arguments of `measure`.
#[derive(Debug, clap::Args)]
pub struct Measure {
    /// A network file
    #[arg(long)]
    network: PathBuf,
    #[command(flatten)]
    sources: Sources,
    #[command(flatten)]
    target: Target,
}

impl Measure {
    /// Prints mean errors of the integer network over the held-out positions.
    ///
    /// # Errors
    ///
    /// When the network or the data cannot be read, no position is held out, or the output cannot
    /// be written.
    pub fn execute(self, out: &mut dyn Write) -> Result<()> {
        let network = network_file::load(&self.network)?;
        let samples = self.sources.held_out()?;
        let errors: Vec<(f64, f64, f64)> = samples
            .par_iter()
            .map(|sample| {
                let evaluation = network.evaluate(sample) as f32;
                let prediction = logistic(evaluation / f32::from(self.target.scale));
                let from_target = f64::from(prediction - self.target.of(sample));
                let score_alone = Target { result_weight: 0.0, ..self.target.clone() };
                let from_score = f64::from(prediction - score_alone.of(sample));
                let centipawns = f64::from(evaluation) - f64::from(sample.score());
                (from_target.powi(2), from_score.powi(2), centipawns.abs())
            })
            .collect();
        let count = errors.len() as f64;
        let mean = |part: fn(&(f64, f64, f64)) -> f64| errors.iter().map(part).sum::<f64>() / count;
        writeln!(out, "{count} held-out positions")?;
        writeln!(out, "mean squared error from the target {:.6}", mean(|error| error.0))?;
        writeln!(out, "mean squared error from the score {:.6}", mean(|error| error.1))?;
        writeln!(out, "mean difference from the score {:.1} centipawns", mean(|error| error.2))?;
        Ok(())
    }
}
