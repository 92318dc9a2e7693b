//! `kibitzer-trainer average`: the weighted mean of networks.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, ensure};

use crate::checkpoint::write_atomically;
use crate::network::Network;
use crate::network_file;
use crate::quantised_network::QuantisedNetwork;
use crate::rounding::Rounding;
use crate::weighted_file::WeightedFile;

/// Arguments of `average`.
#[derive(Debug, clap::Args)]
pub struct Average {
    /// Network files of the same sizes, each with its weight in the mean (default: 1). The mean of
    /// two needs unequal weights, such as 1.01 and 1: with 1 and 1 each odd sum of two integers is
    /// rounded
    #[arg(long, num_args = 1.., required = true, value_name = "FILE[=WEIGHT]")]
    networks: Vec<WeightedFile>,
    /// The network file to write
    #[arg(long)]
    to: PathBuf,
}

impl Average {
    /// Writes the network whose weights are the means of the networks' weights.
    ///
    /// The networks must come from one another by further training, with their neurons in the same
    /// order. The mean of networks that were trained on their own is of no use. The source of the
    /// method: Izmailov and others, "Averaging Weights Leads to Wider Optima and Better
    /// Generalization" (2018), <https://arxiv.org/abs/1803.05407>.
    ///
    /// # Errors
    ///
    /// When the networks differ in their sizes or scales, or a file cannot be read or written.
    pub fn execute(self, out: &mut dyn Write) -> Result<()> {
        let file = network_file::write(&mean(&self.networks)?)?;
        write_atomically(&self.to, &file)?;
        Ok(writeln!(out, "{}: network {}", self.to.display(), network_file::id(&file))?)
    }
}

/// The network of the mean weights.
fn mean(files: &[WeightedFile]) -> Result<QuantisedNetwork> {
    let sum: f64 = files.iter().map(|file| file.weight).sum();
    let first = network_file::load(&files[0].path)?;
    let mut mean = Network::zeros(first.shape.clone(), Rounding::Quantised);
    for file in files {
        let network = network_file::load(&file.path)?;
        ensure!(
            network.shape == first.shape,
            "{} has other sizes than {}",
            file.path.display(),
            files[0].path.display()
        );
        ensure!(
            network.scale == first.scale,
            "{} has scale {}, but {} has {}",
            file.path.display(),
            network.scale,
            files[0].path.display(),
            first.scale
        );
        mean.add(&network.dequantise(), (file.weight / sum) as f32);
    }
    mean.refresh();
    Ok(QuantisedNetwork::new(&mean, first.scale))
}
