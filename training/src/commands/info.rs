//! `kibitzer-trainer info`: a description of a network file, a checkpoint or a label file.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::checkpoint;
use crate::labels::{self, LabelFile};
use crate::network_file;

/// Arguments of `info`.
#[derive(Debug, clap::Args)]
pub struct Info {
    /// A network file, the checkpoint of a run, or a label file
    file: PathBuf,
}

impl Info {
    /// Prints sizes and id of a network, settings and losses of a run, or settings and counts of
    /// labels.
    ///
    /// # Errors
    ///
    /// When the file is none of these, or the output cannot be written.
    pub fn execute(self, out: &mut dyn Write) -> Result<()> {
        if labels::is_label_file(&self.file) {
            return describe_labels(&LabelFile::open(&self.file)?, out);
        }
        if checkpoint::is_checkpoint(&self.file)? {
            let (state, _) = checkpoint::load(&self.file)?;
            writeln!(out, "settings {}", serde_json::to_string_pretty(&state.config)?)?;
            for losses in &state.losses {
                writeln!(out, "{losses}")?;
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
            network.features.accumulator_bound(),
            i16::MAX
        )?;
        Ok(())
    }
}

fn describe_labels(file: &LabelFile, out: &mut dyn Write) -> Result<()> {
    let blocks = file.blocks();
    let games: u64 = blocks.iter().map(|block| u64::from(block.games)).sum();
    let labels: u64 = blocks.iter().map(|block| u64::from(block.labels)).sum();
    let bytes: u64 = blocks.iter().map(|block| u64::from(block.bytes)).sum();
    writeln!(out, "settings {}", serde_json::to_string_pretty(file.manifest())?)?;
    writeln!(
        out,
        "{} blocks, {games} games, {labels} labels of {:.2} bytes",
        blocks.len(),
        bytes as f64 / labels.max(1) as f64
    )?;
    Ok(())
}
