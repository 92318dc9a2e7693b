//! `kibitzer-trainer info`: a description of a network file or a checkpoint.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::checkpoint;
use crate::network_file;

/// Arguments of `info`.
#[derive(Debug, clap::Args)]
pub struct Info {
    /// A network file, or the checkpoint of a run
    file: PathBuf,
}

impl Info {
    /// Prints sizes and id of a network, or settings and losses of a run.
    ///
    /// # Errors
    ///
    /// When the file is neither a network nor a checkpoint, or the output cannot be written.
    pub fn execute(self, out: &mut dyn Write) -> Result<()> {
        if checkpoint::is_checkpoint(&self.file)? {
            let (state, _) = checkpoint::load(&self.file)?;
            writeln!(out, "settings {}", serde_json::to_string_pretty(&state.config)?)?;
            for (epoch, losses) in state.losses.iter().enumerate() {
                writeln!(out, "epoch {}: {losses}", epoch + 1)?;
            }
            return Ok(());
        }

        let bytes = std::fs::read(&self.file)
            .with_context(|| format!("cannot read {}", self.file.display()))?;
        let network =
            network_file::read(&bytes).with_context(|| self.file.display().to_string())?;
        let shape = &network.shape;
        writeln!(out, "id {}, {} bytes", network_file::id(&bytes), bytes.len())?;
        writeln!(
            out,
            "{} inputs in {} king buckets, {} neurons per perspective, {} output buckets, scale {}",
            shape.inputs(),
            shape.king_buckets.count(),
            shape.hidden,
            shape.output_buckets,
            network.scale
        )?;
        for (rank, buckets) in shape.king_buckets.table().chunks_exact(4).enumerate() {
            writeln!(out, "king buckets on a{0} to d{0}: {buckets:?}", rank + 1)?;
        }
        writeln!(
            out,
            "accumulators stay within ±{}; the limit is {}",
            network.accumulator_bound(),
            i16::MAX
        )?;
        Ok(())
    }
}
