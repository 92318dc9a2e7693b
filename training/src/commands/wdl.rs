//! `kibitzer-trainer wdl`: the fit of the engine's model of win, draw and loss.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Result, ensure};
use rayon::prelude::*;

use crate::reliability::{Calibration, PredictedResult};
use crate::tally::{Tally, folds};
use crate::wdl_fit::{FitRange, fit, log_likelihood};
use crate::wdl_model::{FULL_MATERIAL, TERMS, WdlModel};

/// Arguments of `wdl`.
#[derive(Debug, clap::Args)]
pub struct Wdl {
    /// viriformat game files of the engine that the model is for
    #[arg(long, num_args = 1.., required = true)]
    data: Vec<PathBuf>,
    /// Number of folds; the error is that of models fitted to all folds but the one they predict
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(2..))]
    folds: u32,
    /// Evaluate a given model on all games instead of fitting one: the coefficients of a
    #[arg(
        long,
        num_args = TERMS,
        requires = "spread",
        conflicts_with_all = ["fit_to", "folds"],
        allow_negative_numbers = true
    )]
    half: Option<Vec<f64>>,
    /// The coefficients of b
    #[arg(long, num_args = TERMS, requires = "half", allow_negative_numbers = true)]
    spread: Option<Vec<f64>>,
    #[command(flatten)]
    range: FitRange,
    /// Bins with fewer positions do not count in the error
    #[arg(long, default_value_t = 1000)]
    least_positions: u64,
}

impl Wdl {
    /// Prints the constants of `src/engine/wdl.rs`, fitted to all games, and the calibration error
    /// on held-out games. For a given model, prints the calibration error on all games.
    ///
    /// # Errors
    ///
    /// When the data cannot be read or fitted, or the output cannot be written.
    pub fn execute(self, out: &mut dyn Write) -> Result<()> {
        let folds = folds(&self.data, self.folds)?;
        let positions: u64 = folds.iter().map(Tally::positions).sum();
        let games: usize = folds.iter().map(|tally| tally.games).sum();
        writeln!(out, "{games} games, {positions} positions\n")?;
        let models = if let Some(given) = self.given_model()? {
            print_model(out, &given)?;
            write!(out, "\ngiven model")?;
            vec![given; folds.len()]
        } else {
            print_model(out, &fit(&folds.iter().collect::<Vec<_>>(), &self.range)?)?;
            write!(out, "\nheld out, {} folds", self.folds)?;
            self.cross_validation_models(&folds)?
        };
        let mut calibration = Calibration::default();
        let mut likelihood = 0.0;
        for (model, fold) in models.iter().zip(&folds) {
            calibration.add(model, fold);
            likelihood += log_likelihood(model, &fold.cells);
        }
        writeln!(out, ": log-likelihood {:.5} a position", likelihood / positions as f64)?;
        self.print_calibration(out, &calibration)?;
        Ok(())
    }

    /// The model of `--half` and `--spread`.
    fn given_model(&self) -> Result<Option<WdlModel>> {
        let (Some(half), Some(spread)) = (&self.half, &self.spread) else { return Ok(None) };
        let model = WdlModel {
            least_material: self.range.least_material,
            half: half.as_slice().try_into()?,
            spread: spread.as_slice().try_into()?,
        };
        ensure!(model.is_sound(), "--half, --spread: a or b is below 1 at some material");
        Ok(Some(model))
    }

    /// For each fold, the model fitted to all other folds.
    fn cross_validation_models(&self, folds: &[Tally]) -> Result<Vec<WdlModel>> {
        let without = |index: usize| -> Result<WdlModel> {
            let others: Vec<&Tally> = folds
                .iter()
                .enumerate()
                .filter(|&(i, _)| i != index)
                .map(|(_, tally)| tally)
                .collect();
            fit(&others, &self.range)
        };
        (0..folds.len()).into_par_iter().map(without).collect()
    }

    fn print_calibration(&self, out: &mut dyn Write, calibration: &Calibration) -> io::Result<()> {
        for (name, result) in [
            ("win", PredictedResult::Win),
            ("draw", PredictedResult::Draw),
            ("loss", PredictedResult::Loss),
        ] {
            print_bins(out, name, calibration, result)?;
        }
        let (greatest, mean) = calibration.errors(self.least_positions);
        writeln!(
            out,
            "\ncalibration error over bins of {} positions and more: \
             at most {:.2} points, {:.2} on average",
            self.least_positions,
            100.0 * greatest,
            100.0 * mean
        )
    }
}

/// Prints the engine's constants of a model, and its curve by material.
fn print_model(out: &mut dyn Write, model: &WdlModel) -> io::Result<()> {
    writeln!(out, "const MIN_MATERIAL: u32 = {};", model.least_material)?;
    writeln!(out, "const HALF_WIN_COEFFICIENTS: [f64; 4] = {:?};", model.half)?;
    writeln!(out, "const SPREAD_COEFFICIENTS: [f64; 4] = {:?};\n", model.spread)?;
    writeln!(out, "material   a      b    draws at 0")?;
    for material in (model.least_material..FULL_MATERIAL).step_by(4).chain([FULL_MATERIAL]) {
        let curve = model.at(material);
        let drawn = 100.0 * curve.chances(0.0).draw;
        writeln!(out, "{material:8} {:6.1} {:6.1} {drawn:5.1} %", curve.half, curve.spread)?;
    }
    Ok(())
}

/// Prints the bins of a result, in per cent.
fn print_bins(
    out: &mut dyn Write,
    name: &str,
    calibration: &Calibration,
    result: PredictedResult,
) -> io::Result<()> {
    writeln!(out, "\n{name:>4}  predicted  observed  error  positions")?;
    for (i, bin) in calibration.bins(result).iter().enumerate().filter(|(_, bin)| bin.positions > 0)
    {
        let [predicted, observed, error] =
            [bin.predicted(), bin.observed(), bin.error()].map(|share| 100.0 * share);
        writeln!(
            out,
            "{:>3}+  {predicted:9.2}  {observed:8.2}  {error:5.2}  {:9}",
            10 * i,
            bin.positions
        )?;
    }
    Ok(())
}
