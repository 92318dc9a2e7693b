//! `kibitzer-trainer train` and `resume`: training runs.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::config::Config;
use crate::dataset::Dataset;
use crate::run::{CHECKPOINT, Run};

/// Arguments of `train`.
#[derive(Debug, clap::Args)]
pub struct Train {
    /// The run's folder, where each epoch writes checkpoint.run and net.nnue
    #[arg(long)]
    run: PathBuf,
    #[command(flatten)]
    config: Config,
}

/// Arguments of `resume`.
#[derive(Debug, clap::Args)]
pub struct Resume {
    /// The folder of a stopped run
    #[arg(long)]
    run: PathBuf,
}

impl Train {
    /// Starts a run and trains to its end.
    ///
    /// # Errors
    ///
    /// When the folder already has a run, the data cannot be read, or a file cannot be written.
    pub fn execute(self, out: &mut dyn Write) -> Result<()> {
        let checkpoint = self.run.join(CHECKPOINT);
        ensure!(!checkpoint.exists(), "{} exists; `resume` continues it", checkpoint.display());
        fs::create_dir_all(&self.run)
            .with_context(|| format!("cannot create {}", self.run.display()))?;
        train(Run::new(self.config)?, &self.run, out)
    }
}

impl Resume {
    /// Continues a run from its last checkpoint.
    ///
    /// # Errors
    ///
    /// When there is no checkpoint, the data cannot be read, or a file cannot be written.
    pub fn execute(self, out: &mut dyn Write) -> Result<()> {
        train(Run::resume(&self.run)?, &self.run, out)
    }
}

fn train(mut run: Run, folder: &Path, out: &mut dyn Write) -> Result<()> {
    let start = Instant::now();
    writeln!(out, "settings {}", serde_json::to_string(&run.state.config)?)?;
    let data = Dataset::load(&run.state.config.sources)?;
    for file in &data.files {
        writeln!(
            out,
            "{}: {} games, {} positions, {} kept",
            file.path.display(),
            file.games,
            file.positions,
            file.kept
        )?;
    }
    writeln!(
        out,
        "{} training positions, {} held out, read in {:.1} s",
        data.training.len(),
        data.validation.len(),
        start.elapsed().as_secs_f64()
    )?;
    while !run.is_done() {
        let start = Instant::now();
        let losses = run.train_epoch(&data, out)?;
        let path = run.save(folder)?;
        writeln!(
            out,
            "epoch {} done in {:.1} s: {losses}; wrote {}",
            run.state.epochs,
            start.elapsed().as_secs_f64(),
            path.display()
        )?;
        out.flush()?;
    }
    Ok(())
}
