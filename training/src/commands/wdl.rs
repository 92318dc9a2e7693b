//! `kibitzer-trainer wdl`: fits the engine's model of win, draw and loss.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Result;
use rayon::prelude::*;

use crate::calibration::{Calibration, Foretold};
use crate::tally::{Tally, folds};
use crate::win_fit::{Range, fit, log_likelihood};
use crate::win_model::{FULL, WinModel};

/// Arguments of `wdl`.
#[derive(Debug, clap::Args)]
pub struct Wdl {
    /// viriformat game files of the engine that the model is for
    #[arg(long, num_args = 1.., required = true)]
    data: Vec<PathBuf>,
    /// The games are cut into so many parts; the error is that on each part of a model fitted to the others
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(2..))]
    folds: u32,
    #[command(flatten)]
    range: Range,
    /// Bins of fewer positions do not count in the error
    #[arg(long, default_value_t = 1000)]
    least_positions: u64,
}

impl Wdl {
    /// Prints the constants of `src/engine/wdl.rs`, fitted to all games, and the calibration error on games that were held out.
    ///
    /// # Errors
    ///
    /// When the data cannot be read or fitted, or nothing can be written.
    pub fn execute(self, out: &mut dyn Write) -> Result<()> {
        let folds = folds(&self.data, self.folds)?;
        let all: Vec<&Tally> = folds.iter().collect();
        let positions: u64 = all.iter().map(|tally| tally.positions()).sum();
        let games: usize = all.iter().map(|tally| tally.games).sum();
        writeln!(out, "{games} games, {positions} positions\n")?;

        let model = fit(&all, &self.range)?;
        writeln!(out, "const LEAST: u32 = {};", model.least)?;
        writeln!(out, "const HALF: [f64; 4] = {:?};", model.half)?;
        writeln!(out, "const SPREAD: [f64; 4] = {:?};\n", model.spread)?;
        writeln!(out, "material   a      b    draws at 0")?;
        for material in (model.least..FULL).step_by(4).chain([FULL]) {
            let curve = model.at(material);
            let drawn = 100.0 * curve.chances(0.0).draw;
            writeln!(out, "{material:8} {:6.1} {:6.1} {drawn:5.1} %", curve.half, curve.spread)?;
        }

        let held_out = |index: usize| -> Result<WinModel> {
            let others: Vec<&Tally> =
                folds.iter().enumerate().filter(|&(i, _)| i != index).map(|(_, tally)| tally).collect();
            fit(&others, &self.range)
        };
        let models: Vec<WinModel> = (0..folds.len()).into_par_iter().map(held_out).collect::<Result<_>>()?;
        let mut calibration = Calibration::default();
        let mut likelihood = 0.0;
        for (model, fold) in models.iter().zip(&folds) {
            calibration.add(model, fold);
            likelihood += log_likelihood(model, &fold.cells);
        }
        writeln!(out, "\nheld out, {} folds: log-likelihood {:.5} a position", self.folds, likelihood / positions as f64)?;
        for (name, result) in [("win", Foretold::Win), ("draw", Foretold::Draw), ("loss", Foretold::Loss)] {
            table(out, name, &calibration, result)?;
        }
        let (greatest, mean) = calibration.errors(self.least_positions);
        writeln!(
            out,
            "\ncalibration error over bins of {} positions and more: at most {:.2} points, {:.2} on average",
            self.least_positions,
            100.0 * greatest,
            100.0 * mean
        )?;
        Ok(())
    }
}

/// The bins of a result, in per cent.
fn table(out: &mut dyn Write, name: &str, calibration: &Calibration, result: Foretold) -> io::Result<()> {
    writeln!(out, "\n{name:>4}  foretold  happened  error  positions")?;
    for (i, bin) in calibration.bins(result).iter().enumerate().filter(|(_, bin)| bin.positions > 0) {
        let [foretold, happened, error] = [bin.foretold(), bin.happened(), bin.error()].map(|share| 100.0 * share);
        writeln!(out, "{:>3}+  {foretold:8.2}  {happened:8.2}  {error:5.2}  {:9}", 10 * i, bin.positions)?;
    }
    Ok(())
}
