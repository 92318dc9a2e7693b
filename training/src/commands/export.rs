//! `kibitzer-trainer export`: the network file of a run's checkpoint.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;

use crate::checkpoint::write_atomically;
use crate::network_file;
use crate::quantised_network::QuantisedNetwork;
use crate::run::Run;

/// Arguments of `export`.
#[derive(Debug, clap::Args)]
pub struct Export {
    /// The run's folder
    #[arg(long)]
    run: PathBuf,
    /// The network file to write
    #[arg(long)]
    to: PathBuf,
}

impl Export {
    /// Quantises the checkpoint's network and writes it.
    ///
    /// # Errors
    ///
    /// When there is no checkpoint or the file cannot be written.
    pub fn execute(self, out: &mut dyn Write) -> Result<()> {
        let run = Run::resume(&self.run)?;
        let file = network_file::write(&QuantisedNetwork::new(
            &run.network,
            run.state.config.target.scale,
        ))?;
        write_atomically(&self.to, &file)?;
        writeln!(
            out,
            "{}: network {} after {} positions",
            self.to.display(),
            network_file::id(&file),
            run.state.positions()
        )?;
        Ok(())
    }
}
