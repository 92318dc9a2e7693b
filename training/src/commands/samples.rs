//! `kibitzer-trainer samples`: the positions of data files as records of 32 bytes.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::data_file::{self, DataFile};
use crate::dataset::Sources;
use crate::sample::Sample;
use crate::selection::Games;

/// Arguments of `samples`.
#[derive(Debug, clap::Args)]
pub struct Samples {
    #[command(flatten)]
    sources: Sources,
    /// Write the held-out positions in place of those to train on
    #[arg(long)]
    held_out: bool,
    /// The file to write, in the order of the data
    #[arg(long)]
    out: PathBuf,
}

impl Samples {
    /// Writes the records ([`Sample::to_record`]). The file appears when it is complete.
    ///
    /// # Errors
    ///
    /// When the data cannot be read or has no such position, or the file cannot be written.
    pub fn execute(self, out: &mut dyn Write) -> Result<()> {
        let temporary = self.out.with_extension("part");
        let count = self.write(&temporary)?;
        fs::rename(&temporary, &self.out)
            .with_context(|| format!("cannot write {}", self.out.display()))?;
        writeln!(out, "{}: {count} positions", self.out.display())?;
        Ok(())
    }

    fn write(&self, path: &Path) -> Result<u64> {
        let cannot_write = || format!("cannot write {}", path.display());
        let mut file = BufWriter::new(File::create(path).with_context(cannot_write)?);
        let games = if self.held_out { Games::HeldOut } else { Games::Training };
        let mut count = 0;
        for data in &self.sources.data {
            let data = DataFile::open(data)?;
            let units: Vec<_> = (0..data.units()).map(|unit| (&data, unit)).collect();
            data_file::for_each_unit(&units, games, &self.sources.selection, |unit| {
                let samples = if self.held_out { unit.validation } else { unit.training };
                count += samples.len() as u64;
                let mut records = samples.iter().map(Sample::to_record);
                records.try_for_each(|record| file.write_all(&record)).with_context(cannot_write)
            })?;
        }
        ensure!(count > 0, "the data has no such position");
        file.flush().with_context(cannot_write)?;
        Ok(count)
    }
}
