//! `kibitzer-trainer reorder`: a layered network with its pairs in an order that the engine
//! evaluates faster.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use rayon::prelude::*;

use crate::checkpoint::write_atomically;
use crate::dataset::Sources;
use crate::layered::pair_order::{self, PairActivity};
use crate::network_file;
use crate::quantised_network::QuantisedOutput;

/// Arguments of `reorder`.
#[derive(Debug, clap::Args)]
pub struct Reorder {
    /// A network file of a layered network
    #[arg(long)]
    network: PathBuf,
    /// The network file to write
    #[arg(long)]
    to: PathBuf,
    #[command(flatten)]
    sources: Sources,
    /// Held-out positions whose active pairs are counted
    #[arg(
        long,
        default_value_t = 50_000,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    positions: u32,
}

impl Reorder {
    /// Writes the network in the new order. Its evaluations are the same.
    ///
    /// # Errors
    ///
    /// When the network is not layered, a file cannot be read or written, or no position is held
    /// out.
    pub fn execute(self, out: &mut dyn Write) -> Result<()> {
        let mut network = network_file::load(&self.network)?;
        let QuantisedOutput::Layered(layers) = &network.output else {
            bail!("{} is not a layered network", self.network.display());
        };
        let mut layers = layers.clone();
        let held_out = self.sources.held_out()?;
        let step = held_out.len().div_ceil(self.positions as usize);
        let samples: Vec<_> = held_out.iter().step_by(step).collect();
        let accumulators: Vec<Vec<i16>> =
            samples.par_iter().flat_map_iter(|sample| network.accumulators(sample).0).collect();
        let activity = PairActivity::of(&accumulators);

        let order = activity.order();
        pair_order::reorder(&mut network.features, &mut layers, &order);
        network.output = QuantisedOutput::Layered(layers);
        let file = network_file::write(&network)?;
        write_atomically(&self.to, &file)?;
        let before: Vec<usize> = (0..order.len()).collect();
        writeln!(
            out,
            "{}: network {}, {:.1}% of the groups are active in {} positions, {:.1}% before",
            self.to.display(),
            network_file::id(&file),
            100.0 * activity.active_groups(&order),
            samples.len(),
            100.0 * activity.active_groups(&before)
        )?;
        Ok(())
    }
}
