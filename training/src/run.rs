//! A training run: epochs over shuffled positions, with a checkpoint and a network file after each.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, ensure};
use rand::{SeedableRng, rngs::ChaCha8Rng, seq::SliceRandom};
use rayon::prelude::*;

use crate::checkpoint::{self, Losses, RunState};
use crate::config::Config;
use crate::dataset::Dataset;
use crate::example::Example;
use crate::network::Network;
use crate::network_file;
use crate::quantised_network::QuantisedNetwork;
use crate::sample::Sample;

/// A run between two epochs.
#[derive(Clone, Debug)]
pub struct Run {
    /// The settings and the progress.
    pub state: RunState,
    /// The network in its current state.
    pub network: Network,
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
    /// When the sizes are invalid, or the file to start from cannot be read or has other sizes.
    pub fn new(config: Config) -> Result<Self> {
        let shape = config.shape()?;
        let network = match &config.start_from {
            Some(path) => Network::start_from(shape, config.rounding(), &load_trained(path)?)?,
            None => Network::random(shape, config.rounding(), config.seed),
        };
        Ok(Self { state: RunState { config, epochs: 0, steps: 0, losses: Vec::new() }, network })
    }

    /// The run whose checkpoint is in this folder.
    ///
    /// # Errors
    ///
    /// When there is no checkpoint or it is damaged.
    pub fn resume(folder: &Path) -> Result<Self> {
        let (state, network) = checkpoint::load(&folder.join(CHECKPOINT))?;
        Ok(Self { state, network })
    }

    /// Whether all epochs are done.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.state.epochs >= self.state.config.epochs
    }

    /// Trains one epoch: every training position once, in an order that seed and epoch determine.
    /// Positions beyond the last whole batch are skipped in this epoch.
    ///
    /// # Errors
    ///
    /// When there are too few positions for one batch, or the progress cannot be written to `log`.
    pub fn train_epoch(&mut self, data: &Dataset, log: &mut dyn Write) -> Result<Losses> {
        let config = &self.state.config;
        let shape = self.network.shape.clone();
        let batches_per_epoch = data.training.len() / config.batch;
        ensure!(
            batches_per_epoch > 0,
            "the data has {} positions; a batch needs {}",
            data.training.len(),
            config.batch
        );
        let total = batches_per_epoch as u64 * u64::from(config.epochs);

        let order = shuffled_order(data.training.len(), config.seed, self.state.epochs);
        let (mut recent, mut sum, mut since) = (0.0, 0.0, Instant::now());
        let mut batch = Vec::new();
        for (i, indices) in order.chunks_exact(config.batch).enumerate() {
            indices
                .par_iter()
                .with_min_len(512)
                .map(|index| Example::new(&data.training[*index as usize], &shape, &config.target))
                .collect_into_vec(&mut batch);
            // The layers after the first one have weights for each output bucket.
            batch.sort_by_key(|example| example.output_bucket);
            self.state.steps += 1;
            let rate = config.schedule.rate(self.state.steps, total);
            recent += self.network.train(
                &batch,
                config.power,
                &config.optimiser.step(self.state.steps, rate),
            );

            let done = i + 1;
            if done % LOG_INTERVAL == 0 || done == batches_per_epoch {
                let steps = (done - 1) % LOG_INTERVAL + 1;
                let positions = (steps * config.batch) as f64;
                writeln!(
                    log,
                    "epoch {} step {done}/{batches_per_epoch} loss {:.6} rate {rate:.3e} \
                     {:.0} positions/s",
                    self.state.epochs + 1,
                    recent / positions,
                    positions / since.elapsed().as_secs_f64()
                )?;
                sum += recent;
                (recent, since) = (0.0, Instant::now());
            }
        }
        let training = sum / (batches_per_epoch * config.batch) as f64;
        let losses = Losses { training, held_out: self.held_out_loss(&data.validation) };
        self.state.epochs += 1;
        self.state.losses.push(losses);
        Ok(losses)
    }

    /// The mean loss over held-out positions; `None` without any.
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

    /// Writes checkpoint and network file into the run's folder.
    ///
    /// # Errors
    ///
    /// When a file cannot be written.
    pub fn save(&self, folder: &Path) -> Result<PathBuf> {
        checkpoint::save(&folder.join(CHECKPOINT), &self.state, &self.network)?;
        let network = QuantisedNetwork::new(&self.network, self.state.config.target.scale);
        let path = folder.join(NETWORK);
        checkpoint::write_atomically(&path, &network_file::write(&network)?)?;
        Ok(path)
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
const LOG_INTERVAL: usize = 100;

/// The order of an epoch's positions.
fn shuffled_order(positions: usize, seed: u64, epoch: u32) -> Vec<u32> {
    let mut order: Vec<u32> = (0..positions as u32).collect();
    let mut random = ChaCha8Rng::seed_from_u64(seed.wrapping_add(u64::from(epoch) << 32));
    random.set_stream(1);
    order.shuffle(&mut random);
    order
}
