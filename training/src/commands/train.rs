//! `kibitzer-trainer train` and `resume`: training runs.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use kibitzer::terminal::{above_bar, progress_bar};

use crate::config::Config;
use crate::run::{CHECKPOINT, Run};
use crate::stream::Stream;
use crate::training_data::TrainingData;

/// Arguments of `train`.
#[derive(Debug, clap::Args)]
pub struct Train {
    /// The run's folder, where each checkpoint writes checkpoint.run and net.nnue
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
    let data = TrainingData::open(&run.state.config)?;
    describe(&data.main, "", out)?;
    if let Some(late) = &data.late {
        describe(late, "late phase: ", out)?;
    }
    writeln!(
        out,
        "{} positions held out, read in {:.1} s",
        data.held_out.len(),
        start.elapsed().as_secs_f64()
    )?;
    run.bar = progress_bar(run.state.config.total_steps(), "steps");
    run.bar.set_position(run.state.steps);
    // A resumed run has not taken the time of its earlier steps.
    run.bar.reset_eta();
    let bar = run.bar.clone();
    let mut log = above_bar(&bar, out);
    while !run.is_done() {
        run.advance(&data, folder, &mut log)?;
    }
    bar.finish_and_clear();
    Ok(())
}

fn describe(stream: &Stream, phase: &str, out: &mut dyn Write) -> Result<()> {
    for (file, weight) in stream.files() {
        writeln!(
            out,
            "{phase}{}: {} games in {} units, weight {weight}",
            file.path().display(),
            file.games(),
            file.units()
        )?;
    }
    Ok(())
}
