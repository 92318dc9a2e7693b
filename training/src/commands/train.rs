//! `kibitzer-trainer train`: begins a run.

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
    /// The run's folder: checkpoint.run and net.nnue are written there after each epoch
    #[arg(long)]
    run: PathBuf,
    #[command(flatten)]
    config: Config,
}

/// Arguments of `resume`.
#[derive(Debug, clap::Args)]
pub struct Resume {
    /// The folder of a run that was stopped
    #[arg(long)]
    run: PathBuf,
}

impl Train {
    /// Begins a run and trains to its end.
    ///
    /// # Errors
    ///
    /// When the folder holds a run already, the data cannot be read, or nothing can be written.
    pub fn execute(self, out: &mut dyn Write) -> Result<()> {
        let checkpoint = self.run.join(CHECKPOINT);
        ensure!(!checkpoint.exists(), "{} exists: `resume` goes on with it", checkpoint.display());
        fs::create_dir_all(&self.run)
            .with_context(|| format!("cannot create {}", self.run.display()))?;
        train(Run::new(self.config)?, &self.run, out)
    }
}

impl Resume {
    /// Goes on where the run's last checkpoint was written.
    ///
    /// # Errors
    ///
    /// When there is no checkpoint, the data cannot be read, or nothing can be written.
    pub fn execute(self, out: &mut dyn Write) -> Result<()> {
        train(Run::resume(&self.run)?, &self.run, out)
    }
}

fn train(mut run: Run, folder: &Path, out: &mut dyn Write) -> Result<()> {
    let begin = Instant::now();
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
        "{} positions to learn from, {} held out, read in {:.1} s",
        data.training.len(),
        data.validation.len(),
        begin.elapsed().as_secs_f64()
    )?;
    while !run.is_done() {
        let begin = Instant::now();
        let losses = run.train_epoch(&data, out)?;
        let path = run.save(folder)?;
        writeln!(
            out,
            "epoch {} done in {:.1} s: {losses}; wrote {}",
            run.state.epochs,
            begin.elapsed().as_secs_f64(),
            path.display()
        )?;
        out.flush()?;
    }
    Ok(())
}
