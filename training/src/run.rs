//! A training run: superbatches of a stream of positions, with checkpoints and network files.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, ensure};
use kibitzer::terminal::ProgressBar;
use rayon::prelude::*;

use crate::benchmark;
use crate::checkpoint::{self, LossSum, Losses, RunState};
use crate::config::Config;
use crate::example::{Example, Target};
use crate::network::Network;
use crate::network_file;
use crate::quantised_network::QuantisedNetwork;
use crate::sample::Sample;
use crate::stream::Superbatch;
use crate::training_data::TrainingData;

/// A run between two superbatches.
#[derive(Clone, Debug)]
pub struct Run {
    /// The settings and the progress.
    pub state: RunState,
    /// The network in its current state.
    pub network: Network,
    /// The bar of the steps, hidden unless the command shows it.
    pub bar: ProgressBar,
}

/// The file name of the checkpoint in the run's folder.
pub const CHECKPOINT: &str = "checkpoint.run";
/// The file name of the latest network in the run's folder.
pub const NETWORK: &str = "net.nnue";

impl Run {
    /// A new run.
    ///
    /// # Errors
    ///
    /// When the sizes are invalid, the positions are too few for a batch, or the file to start from
    /// cannot be read or has other sizes.
    pub fn new(config: Config) -> Result<Self> {
        ensure!(
            config.total_steps() > 0,
            "the run trains on {} positions; a batch needs {}",
            config.samples,
            config.batch
        );
        let shape = config.shape()?;
        let network = match &config.start_from {
            Some(path) => Network::start_from(shape, config.rounding(), &load_trained(path)?)?,
            None => Network::random(shape, config.rounding(), config.seed),
        };
        Ok(Self { state: RunState::new(config), network, bar: ProgressBar::hidden() })
    }

    /// The run whose checkpoint is in this folder.
    ///
    /// # Errors
    ///
    /// When there is no checkpoint or it is damaged.
    pub fn resume(folder: &Path) -> Result<Self> {
        let (state, network) = checkpoint::load(&folder.join(CHECKPOINT))?;
        Ok(Self { state, network, bar: ProgressBar::hidden() })
    }

    /// Whether all steps are done.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.state.steps >= self.state.config.total_steps()
    }

    /// Trains one superbatch. If a checkpoint is due, writes the run's files into the folder.
    ///
    /// # Errors
    ///
    /// When the data cannot be read, a superbatch has too few positions for one batch, or a file or
    /// the progress cannot be written.
    pub fn advance(
        &mut self,
        data: &TrainingData,
        folder: &Path,
        log: &mut dyn Write,
    ) -> Result<()> {
        self.train_superbatch(data, log)?;
        let config = &self.state.config;
        if !self.is_done() && self.state.recent.positions < config.checkpoint_every {
            return Ok(());
        }
        let positions = self.state.positions();
        let is_measured =
            self.is_done() || positions - self.state.measured >= config.benchmark_every;
        let held_out = if is_measured { self.held_out_loss(&data.held_out) } else { None };
        let losses = Losses { positions, training: self.state.recent.mean(), held_out };
        writeln!(log, "{losses}")?;
        self.state.losses.push(losses);
        self.state.recent = LossSum::default();
        if is_measured {
            self.state.measured = positions;
            self.write_measured_network(&data.benchmark, folder, log)?;
        }
        writeln!(log, "wrote {}", self.save(folder)?.display())?;
        Ok(log.flush()?)
    }

    /// Trains one superbatch of the stream, without the positions beyond the last whole batch.
    fn train_superbatch(&mut self, data: &TrainingData, log: &mut dyn Write) -> Result<()> {
        let start = Instant::now();
        let config = &self.state.config;
        let is_late = config.is_late(self.state.steps);
        let target = if is_late { config.late_target() } else { config.target.clone() };
        let (stream, index) = match &data.late {
            Some(late) if is_late => (late, self.state.late_superbatches),
            _ => (&data.main, self.state.superbatches),
        };
        let superbatch = stream.read(index, &config.selection)?;
        let (number, phase) =
            (self.state.superbatches + 1, if is_late { " of the late phase" } else { "" });
        writeln!(
            log,
            "superbatch {number}{phase}: {} positions read in {:.1} s",
            superbatch.samples.len(),
            start.elapsed().as_secs_f64()
        )?;
        ensure!(
            superbatch.samples.len() >= config.batch,
            "superbatch {number}{phase} has {} positions; a batch needs {}",
            superbatch.samples.len(),
            config.batch
        );
        self.train_batches(&superbatch, &target, log)?;
        self.state.superbatches += 1;
        self.state.late_superbatches += u64::from(is_late);
        Ok(())
    }

    /// Trains the batches of a superbatch, up to the last step of the run.
    fn train_batches(
        &mut self,
        superbatch: &Superbatch,
        target: &Target,
        log: &mut dyn Write,
    ) -> Result<()> {
        let config = &self.state.config;
        let shape = self.network.shape.clone();
        let total = config.total_steps();
        let batches = superbatch.batches(config.batch);
        let last = total.min(self.state.steps + batches.len() as u64);
        let (mut recent, mut since) = (LossSum::default(), Instant::now());
        let mut batch = Vec::new();
        for indices in batches.take((last - self.state.steps) as usize) {
            indices
                .par_iter()
                .with_min_len(512)
                .map(|index| Example::new(&superbatch.samples[*index as usize], &shape, target))
                .collect_into_vec(&mut batch);
            // Examples with the same weights follow one another, so that these stay in the cache.
            batch.par_sort_by_key(|example| (example.output_bucket, example.king_buckets()));
            self.state.steps += 1;
            let step = self.state.steps;
            let rate = config.schedule.rate(step, total);
            let sum = self.network.train(&batch, config.power, &config.optimiser.step(step, rate));
            self.bar.set_position(step);
            recent.add(LossSum { sum, positions: config.batch as u64 });

            if step.is_multiple_of(LOG_INTERVAL) || step == last {
                writeln!(
                    log,
                    "superbatch {} step {step}/{total} loss {:.6} rate {rate:.3e} \
                     {:.0} positions/s",
                    self.state.superbatches + 1,
                    recent.mean(),
                    recent.positions as f64 / since.elapsed().as_secs_f64()
                )?;
                self.state.recent.add(recent);
                (recent, since) = (LossSum::default(), Instant::now());
            }
        }
        Ok(())
    }

    /// The mean loss over held-out positions; `None` without any. Its target is that of the main
    /// phase, so that all measurements of a run compare.
    pub fn held_out_loss(&mut self, samples: &[Sample]) -> Option<f64> {
        let config = &self.state.config;
        let mut batch = Vec::new();
        let mut sum = 0.0;
        for samples in samples.chunks(config.batch) {
            let shape = &self.network.shape;
            samples
                .par_iter()
                .map(|sample| Example::new(sample, shape, &config.target))
                .collect_into_vec(&mut batch);
            sum += self.network.loss(&batch, config.power);
        }
        (!samples.is_empty()).then(|| sum / samples.len() as f64)
    }

    /// Writes network file and checkpoint into the run's folder.
    ///
    /// # Errors
    ///
    /// When a file cannot be written.
    pub fn save(&self, folder: &Path) -> Result<PathBuf> {
        let path = folder.join(NETWORK);
        checkpoint::write_atomically(&path, &network_file::write(&self.quantised())?)?;
        // The last file: a run that is killed before it writes the other files again.
        checkpoint::save(&folder.join(CHECKPOINT), &self.state, &self.network)?;
        Ok(path)
    }

    /// Writes a copy of the network that later checkpoints do not replace, and measures it.
    fn write_measured_network(
        &self,
        benchmark: &[benchmark::Position],
        folder: &Path,
        log: &mut dyn Write,
    ) -> Result<()> {
        let network = self.quantised();
        // The nearest million: a run of 30M ends before that, with its last whole batch.
        let millions = (self.state.positions() + 500_000) / 1_000_000;
        let path = folder.join(format!("net-{millions}M.nnue"));
        checkpoint::write_atomically(&path, &network_file::write(&network)?)?;
        if !benchmark.is_empty() {
            let scores = benchmark::evaluate(&network, benchmark);
            let ranges = [benchmark::ALL_MEN];
            benchmark::write_errors(log, benchmark, &scores, None, &ranges)?;
        }
        Ok(())
    }

    fn quantised(&self) -> QuantisedNetwork {
        QuantisedNetwork::new(&self.network, self.state.config.target.scale)
    }
}

/// The network of a checkpoint or a network file.
fn load_trained(path: &Path) -> Result<Network> {
    if checkpoint::is_checkpoint(path)? {
        return Ok(checkpoint::load(path)?.1);
    }
    Ok(network_file::load(path)?.dequantise())
}

/// Steps between two progress lines.
const LOG_INTERVAL: u64 = 100;
